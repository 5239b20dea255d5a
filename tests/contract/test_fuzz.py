"""Errors once found by fuzzing stay fixed, the formulas agree with the package, and a fault is detected."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from databases import Database, database
from formulas import FORMULAS, by_formula
from fuzz import CASES, attempt, targets
from fuzz_numbers import ENGINES, KINDS, SINGLE, number_cases
from helpers import oracle

import sqlrp
from sqlrp._projections import REGISTRY

pytestmark = pytest.mark.slow

KEPT = sorted(CASES.glob("*.json"))


@pytest.mark.parametrize("path", KEPT, ids=[path.stem for path in KEPT])
def test_a_case_that_once_failed(
    path: Path, databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    kept = json.loads(path.read_text())
    name = kept["target"].partition("-")[2]
    found = {name: database(databases, name, tmp_path_factory)} if name else {}
    (check,) = [check for known, _, check in targets(found) if known == kept["target"]]
    check(kept["case"], Counter())


@pytest.mark.parametrize("name", ENGINES)
def test_some_random_numbers(db: Database, name: str) -> None:
    (target,) = [t for t in targets({name: db}) if t[0] == f"numbers-{name}"]
    seen: Counter[str] = Counter()
    assert attempt(target, 1, 8, seen) is None
    assert seen["cases"] >= 8


def test_some_tables_of_other_packages() -> None:
    (target,) = [t for t in targets({}) if t[0] == "entries"]
    seen: Counter[str] = Counter()
    assert attempt(target, 1, 60, seen) is None
    assert seen["cases"] >= 40


@pytest.mark.parametrize("name", KINDS)
def test_a_wide_case_has_a_column_of_32_bits_where_the_engine_has_the_type(name: str) -> None:
    drawn: list[Any] = []
    attempt(("drawn", number_cases(name), lambda case, _: drawn.append(case)), 1, 40, Counter())
    assert {case.get("single") for case in drawn if case["layout"] == "wide"} == {SINGLE.get(name)}
    # SQLite's REAL has 64 bits.
    assert (SINGLE.get(name) in KINDS[name]) == (name != "sqlite")


def test_every_drawn_method_has_a_formula() -> None:
    drawn = {cls for cls in REGISTRY if not cls.needs_state}
    assert drawn == set(FORMULAS), "write the formula of a new method into tests/support/formulas.py"


@pytest.mark.parametrize("cls", [cls for cls in FORMULAS if not cls.key_argument], ids=lambda cls: cls.__name__)
def test_the_formulas_agree_with_numpy(cls: type[sqlrp.Projection]) -> None:
    x = np.random.default_rng(1).integers(-9, 9, (3, 5))
    for projection in (cls(k=4), cls(k=4, seed=7)):  # type: ignore[call-arg]
        want = [[float(v) for v in by_formula(projection, row)] for row in x.tolist()]
        assert np.allclose(oracle(projection, x.astype(float), scale=False), want, rtol=1e-12)


def test_a_wrong_number_is_found_and_shrunk(
    databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = database(databases, "sqlite", tmp_path_factory)
    right = Database.projected

    def wrong(self: Database, projection: Any, *args: Any, **options: Any) -> Any:
        found = right(self, projection, *args, **options)
        if options.get("output") == "long":
            found[0][-1] = (found[0][-1] or 0) + 1
        return found

    monkeypatch.setattr(Database, "projected", wrong)
    (target,) = [t for t in targets({"sqlite": db}) if t[0] == "numbers-sqlite"]
    case = attempt(target, 1, 300, Counter())
    assert case is not None
    assert '"output": "long"' in json.dumps(case)
    assert len(case["rows"]) == 3  # of which one has the largest values, and one a NULL
