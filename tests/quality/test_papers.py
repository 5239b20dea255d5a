"""The page of the papers' figures is what its script writes, and every table has a quick run."""

from __future__ import annotations

import importlib
import math
import sys
from pathlib import Path
from types import ModuleType

import pytest

PAPERS = Path(__file__).resolve().parents[2] / "examples" / "papers"
NAMES = {path.stem for path in PAPERS.glob("*.py")}


@pytest.fixture(scope="module")
def papers() -> dict[str, ModuleType]:
    """The scripts as modules, which import one another by name."""
    others = {name: sys.modules.pop(name) for name in NAMES if name in sys.modules}
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PAPERS)
        found = {name: importlib.import_module(name) for name in NAMES}
    for name in NAMES:
        del sys.modules[name]
    sys.modules.update(others)
    return found


def test_the_page_is_what_the_script_writes(papers: dict[str, ModuleType]) -> None:
    page = (PAPERS / "README.md").read_text()
    assert page == papers["all"].page(), "run python examples/papers/all.py"
    for name in NAMES - {"all", "common", "tables", "items"}:
        tables = papers[name].TABLES
        assert {table.script for table in tables} == {name}
        assert {table.name for table in tables} <= {table.name for table in papers["all"].TABLES}
        assert all(f"`{table.command}` (" in page for table in tables)


def test_kept_runs_are_of_the_table(papers: dict[str, ModuleType]) -> None:
    kept = {path.stem for path in (PAPERS / "results").glob("*.json")}
    assert kept <= {table.name for table in papers["all"].TABLES}
    for table in papers["all"].TABLES:
        labels = {cell.label for cell in table.cells}
        for (reading, label), values in papers["tables"].figures(table.runs()).items():
            assert reading in table.readings
            assert label in labels
            assert len(values) <= len(table.runs())


@pytest.mark.slow
def test_every_table_has_a_quick_run(papers: dict[str, ModuleType]) -> None:
    for table in papers["all"].TABLES:
        shown = papers["common"].quick(table)
        found = papers["tables"].figures(shown.runs)
        assert found, table.name
        assert {label for _, label in found} <= {cell.label for cell in table.cells}, table.name
        assert {reading for reading, _ in found} == set(table.readings), table.name
        assert all(math.isfinite(value) for values in found.values() for value in values), table.name
        assert shown.counts() == {}, "a quick run is not judged"


def test_a_cell_is_judged_by_both_standard_errors(papers: dict[str, ModuleType], tmp_path: Path) -> None:
    tables = papers["tables"]
    cells = [
        tables.Cell("near", 0.10, 0.02, "a"),
        tables.Cell("far", 0.10, 0.02, "a"),
        tables.Cell("exact", 71.21, part="c", digits=2),
        tables.Cell("ours alone"),
        tables.Cell("time", 6.0, judged=False),
    ]
    found = {"ours": {"near": 0.1204, "far": 0.121, "exact": 71.2149, "ours alone": 1.0, "time": 99.0}}
    table = tables.Table(
        "one", "one", "One", cells, ("ours",), lambda work: found, seeds=2, paper_runs=4, kept=tmp_path
    )
    assert table.missing(2) == [(0, "all"), (1, "all")]
    table.keep(0, "all", found)
    assert table.missing(2) == [(1, "all")]
    shown = tables.Shown(table, table.runs())
    assert shown.counts() == {"ours": {"a": (1, 2), "c": (1, 1)}}
    text = shown.markdown()
    assert "0.121 (+0.021)" in text
    assert "0.120 (" not in text
    assert text.endswith("Cells that agree: 2 of 3 (a: 1 of 2, c: 1 of 1).")
    # Two standard errors of 0.02/√4 are 0.02. Ours are added to them: of 0.1204 and 0.12 it is 0.0002.
    table.keep(1, "all", {"ours": {"near": 0.12, "far": 0.125, "exact": 71.2149, "ours alone": 1.0, "time": 99.0}})
    assert tables.Shown(table, table.runs()).counts() == {"ours": {"a": (1, 2), "c": (1, 1)}}


def test_figures_of_other_data_stand_beside_the_papers(papers: dict[str, ModuleType], tmp_path: Path) -> None:
    tables = papers["tables"]
    cells = [tables.Cell(f"{part}, {p}", p, part=part) for part in "ab" for p in (0.1, 0.2, 0.4)]
    ours = [0.2, 0.5, 0.8, 0.3, 0.2, 0.1]
    found = {"ours": dict(zip((cell.label for cell in cells), ours, strict=True))}
    given = {"cells": cells, "readings": ("ours",), "measure": lambda work: found, "kept": tmp_path}
    table = tables.Table("one", "one", "One", other="we do not have it", **given)
    text = tables.Shown(table, {"0": {"all": found}}).markdown()
    said = "a: 2.00 to 2.50 (rank correlation 1.00), b: 0.25 to 3.00 (rank correlation -1.00)"
    assert text.endswith(f"Not judged: we do not have it. Ours over the paper's: {said}.")
    apart = tables.Table("one", "one", "One", apart=("ours",), **given)
    assert tables.Shown(apart, {"0": {"all": found}}).counts() == {}
    judged = tables.Table("one", "one", "One", **given)
    assert tables.Shown(judged, {"0": {"all": found}}).counts() == {"ours": {"a": (0, 3), "b": (1, 3)}}


def test_the_count_is_of_the_items_with_runs(papers: dict[str, ModuleType]) -> None:
    items, every = papers["items"], {table.name: table for table in papers["all"].TABLES}
    named = [item for each in items.ITEMS.values() for item in each]
    ran = sum(any(every[name].file.exists() for name in item.tables) for item in named)
    assert f"\n{ran} of {len(named)} ran" in items.listed(every)
    assert ran >= 0.8 * len(named)
