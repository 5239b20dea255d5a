"""The SQL equals the files under tests/snapshots, and they cover every method, layout, output and lowering."""

from __future__ import annotations

import re
from functools import cache

import pytest
from frozen import (
    FACTS,
    FOLDER,
    KINDS,
    NULLS,
    OUTPUTS,
    SOURCES,
    cases,
    chained,
    facts,
    files,
    later,
    methods,
    rounded,
    text_of,
)

import sqlrp
from sqlrp._engines.registry import ENGINES
from sqlrp._projections import BY_NAME

STORED = {path.name: path.read_text() for path in FOLDER.glob("*.sql")}
SECTION = re.compile(r"^-- ={8} (.*)\n(?!-- )", re.MULTILINE)


@cache
def made() -> dict[str, str]:
    """What the code writes now."""
    return files()


def test_there_is_a_file_for_every_case() -> None:
    assert sorted(made()) == sorted(STORED), "run: python tests/support/frozen.py"


@pytest.mark.parametrize("name", sorted(STORED))
def test_the_sql_is_as_it_was_reviewed(name: str) -> None:
    assert made().get(name) == STORED[name], f"{name}: run python tests/support/frozen.py, and review the difference"


def test_the_facts_of_the_dialects_are_as_they_were_reviewed() -> None:
    assert facts() == (FOLDER / FACTS).read_text(), "run python tests/support/frozen.py, and review the difference"


def test_every_value_is_met_in_every_dialect() -> None:
    steps = {type(chained()), *(type(step) for step in (*chained().of, *rounded().of))}
    assert {type(projection) for projection in (methods() | later()).values()} | steps == set(BY_NAME.values())
    for values in (methods() | later(), SOURCES, OUTPUTS, ("inline", "indexed", "relational")):
        for value in values:
            assert any(value in name.removesuffix(".sql").split("-") for name in STORED), (
                f"{value}: run python tests/support/frozen.py"
            )
    for value in (*KINDS, *(repr(nulls) for nulls in NULLS), "scale = True", "scale = False"):
        assert any(value in text for text in STORED.values()), value
    for dialect in ENGINES:
        written = [name for name, text in STORED.items() if any(dialect in found for found in SECTION.findall(text))]
        assert len(written) >= 20, (dialect, written)


def test_a_change_of_the_sql_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlrp._engines.postgresql.dialect.PostgreSQL, "fence", "")
    name, case = next(cases())
    assert name == "sparse-wide-columns-inline"
    assert text_of(case) != STORED[f"{name}.sql"]
