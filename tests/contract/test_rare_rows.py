"""Rows that random cases rarely draw, in every combination, against exact formulas: NULLs and the largest integers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from cover import factors, pairwise
from databases import DOUBLES, Database
from fuzz_numbers import ENGINES, KINDS, check_numbers
from helpers import LAYOUTS, has_layout

from sqlrp import Projection
from sqlrp._projections import REGISTRY

LOWERINGS = ("inline", "relational", "indexed")
D = 4


def drawn() -> Iterator[Projection]:
    """A projection of every method that is drawn; of those that need a number of components, with that one."""
    for cls in REGISTRY:
        if not cls.needs_state:
            fields = cls.__dataclass_fields__
            given: dict[str, Any] = {name: False for name in ("normalise",) if name in fields}
            whole = cls.__name__ == "FullBilinearPooling"
            yield cls(k=D * D if whole else D, **given)


def first_stages() -> dict[str, Projection]:
    """For every kind of stage that a method begins with, the first method that does."""
    found: dict[str, Projection] = {}
    for projection in drawn():
        stage = next(stage for stage in projection.stages(D) if not stage.appends)
        found.setdefault(type(stage).__name__, projection)
    return found


FIRST = first_stages()
POOLED = {type(p).__name__: p for p in drawn() if p.key_argument}


def call(projection: Projection, lowering: str, nulls: str = "propagate", scale: bool = False) -> dict[str, Any]:
    """One call of a case, as `fuzz_numbers` has it."""
    asked = {"output": "long", "lowering": lowering, "scale": scale, "nulls": nulls}
    return {"projection": projection.to_json(), **asked}


@pairwise(factors(has_layout, name=list(ENGINES), layout=LAYOUTS, stage=list(FIRST)))
def test_a_null_before_the_first_stage(db: Database, name: str, layout: str, stage: str) -> None:
    rows = [[None, 1.0, 2.0, 0.5], [None] * D, [3.0, None, 1.0, 0.0], [1.0, 2.0, 4.0, 8.0]]
    calls = [call(FIRST[stage], lowering, nulls) for lowering in LOWERINGS for nulls in ("zero", "propagate")]
    seen: Counter[str] = Counter()
    check_numbers(db, {"layout": layout, "kind": DOUBLES[name], "rows": rows, "calls": calls}, seen)
    assert seen["cases"] or FIRST[stage].key_argument


@pytest.mark.slow
@pairwise(factors(has_layout, name=list(ENGINES), layout=LAYOUTS, method=list(POOLED)))
def test_groups_of_the_largest_integers(db: Database, name: str, layout: str, method: str) -> None:
    """The sum of a group has more bits than each of its rows."""
    for kind, bounds in KINDS[name].items():
        if bounds is None or "(" in kind or (kind, layout) == ("UHUGEINT", "array"):
            continue  # a list of DuckDB cannot be written with the largest UHUGEINT beside other numbers
        low, high = bounds
        rows = [[low, high, high, 0]] * 2 + [[low, low, 0, high], [low, low, 1, high]]
        calls = [call(POOLED[method], lowering) for lowering in LOWERINGS]
        seen: Counter[str] = Counter()
        check_numbers(db, {"layout": layout, "kind": kind, "rows": rows, "calls": calls}, seen)
        assert seen["cases"] or layout == "long"
