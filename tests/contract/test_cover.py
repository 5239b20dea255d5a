"""The covers: a case has every value, and every pair of values, of every pairwise test."""

from __future__ import annotations

import importlib
import itertools
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from cases import EVERY, GROUPED, TYPES, contract, planning
from choosing import is_slow
from cover import COVERS, Cover, alike, factors, pairs_of, quick

from sqlrp._engines.registry import ENGINES
from sqlrp._projections import REGISTRY

TESTS = Path(__file__).parents[1]
MODULES = sorted(path for path in TESTS.glob("*/test_*.py") if "\n@pairwise(" in path.read_text(encoding="utf-8"))


def unmet(cover: Cover, cases: list[dict[str, object]]) -> set[object]:
    """The pairs of the allowed combinations that no case has. Combinations are tried for missing pairs only."""
    met = {pair for case in cases for pair in pairs_of(case)}
    found = set[object]()
    for a, b in itertools.combinations([name for name in cover.factors if name != cover.twice], 2):
        for x, y in itertools.product(cover.factors[a], cover.factors[b]):
            (pair,) = pairs_of({a: x, b: y})
            among = {**cover.factors, a: [x], b: [y]}
            every = (dict(zip(among, values, strict=True)) for values in itertools.product(*among.values()))
            if pair not in met and any(cover.allowed(**case) for case in every):
                found.add(pair)
    return found


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.slow] if is_slow(path) else [], id=path.stem) for path in MODULES],
)
def test_every_pair_is_met(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(path.parent)
    importlib.import_module(path.stem)
    covers = {name: found for name, found in COVERS.items() if name.startswith(f"{path.stem}.")}
    assert covers
    for name, found in covers.items():
        for cover, cases in found:
            assert all(cover.allowed(**case) for case in cases), name
            assert not unmet(cover, cases), name


def test_each_value_of_a_factor_is_met_twice_among_the_pairs_of_the_others() -> None:
    cover = factors(
        lambda a, b, **_: (a, b) != (7, 2), twice="a", a=list(range(20)), b=[1, 2, 3], c=[1, 2, 3, 4], d=[1, 2]
    )
    cases = cover.cases()
    assert len(cases) == 40
    assert not unmet(cover, cases)
    for turn in (cases[:20], cases[20:]):
        assert [case["a"] for case in turn] == list(range(20))
        for name in "bcd":  # no value of the others is in twice its share of the cases
            assert max(Counter(case[name] for case in turn).values()) <= 20 * 2 / len(cover.factors[name])
    assert len({tuple(case.values()) for case in cases}) == 40


def test_a_rule_is_asked_about_every_factor_that_it_looks_at() -> None:
    values = {"a": [1, 2, 3], "b": [1, 2], "c": [5, 6, 7, 8]}
    by_name = factors(lambda a, c, **_: a + c != 8, cost=lambda b, **_: 2 * b, **values)
    whole = factors(lambda **case: case["a"] + case["c"] != 8, cost=lambda **case: 2 * case["b"], **values)
    every = [dict(zip(values, found, strict=True)) for found in itertools.product(*values.values())]
    for cover in (by_name, whole):
        assert [cover.named(list(values), at) for at in cover.product()] == [c for c in every if cover.allowed(**c)]
        assert cover.asked(cover.cost).tolist() == [cover.cost(**case) for case in every]


def test_make_test_meets_each_value() -> None:
    cases = factors(a=list(range(9)), b=[1, 2, 3, 4], c=[1, 2], d=[7]).cases()
    found = quick(cases)
    assert 9 <= len(found) < 18 < len(cases)
    for name in "abcd":
        assert {case[name] for at, case in enumerate(cases) if at in found} == {case[name] for case in cases}


def test_a_pair_that_is_missing_is_found() -> None:
    cover = factors(lambda a, b, **_: (a, b) != (1, 2), a=[1, 2], b=[1, 2], c=[1, 2, 3])
    cases = cover.cases()
    assert len(cases) < len(cover.product()) == 9
    assert cases == cover.cases()
    assert not unmet(cover, cases)
    for i in range(len(cases)):
        met = {pair for case in cases[:i] + cases[i + 1 :] for pair in pairs_of(case)}
        assert unmet(cover, cases[:i] + cases[i + 1 :]) == {p for case in cases for p in pairs_of(case)} - met


def test_what_costs_more_is_in_fewer_cases() -> None:
    """As few as hold one of each value of the others; and the contract on Spark gains by it."""
    values = {"a": [1, 2, 3], "b": [1, 2, 3], "c": [1, 2, 3, 4, 5]}
    cheap, dear = factors(**values), factors(cost=lambda a, **_: 9 if a == 1 else 1, **values)
    for cover in (cheap, dear):
        assert not unmet(cover, cover.cases())
    assert sum(case["a"] == 1 for case in dear.cases()) == 5

    found = [replace(contract("spark"), cost=cost).cases() for cost in (planning, alike)]
    with_costs, without = (sum(planning(**case) for case in cases) for cases in found)
    assert with_costs < 0.8 * without


@pytest.mark.parametrize("name", TYPES)
def test_the_contract_has_every_value(name: str) -> None:
    """No value of a factor is left out on an engine by the rules of what may be combined."""
    cover = contract(name)
    cases = cover.cases()
    for factor, values in cover.factors.items():
        assert {case[factor] for case in cases} == set(values), factor
    assert set(ENGINES[name].lowerings) <= set(cover.factors["lowering"])


def test_the_contract_has_every_method() -> None:
    assert {type(method) for method in (*EVERY.values(), *GROUPED.values())} == set(REGISTRY)


def test_engines_that_run_are_in_the_contract() -> None:
    """The warehouses are in test_warehouses, what sqlrp does not know in test_generic."""
    elsewhere = {"snowflake", "bigquery", "redshift", "databricks", "trino", "sqlserver", "oracle", "generic"}
    assert set(TYPES) == set(ENGINES) - elsewhere - {"sqlite3"}


def test_no_test_is_imported() -> None:
    """What two modules need stands in one that has no tests, so that none is collected or imported twice."""
    pattern = re.compile(r"^\s*(?:from|import) (test_\w+)", re.MULTILINE)
    found = {path.name: pattern.findall(path.read_text(encoding="utf-8")) for path in TESTS.glob("*/*.py")}
    assert not {name: imports for name, imports in found.items() if imports}
