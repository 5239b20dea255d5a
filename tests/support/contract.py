"""The contract: the expected result of each case of `cases.contract`, from numpy, for every engine."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pytest
from cases import EVERY, SMALL, D, X
from cover import Case
from helpers import Cell, Matrix, assert_close, magnitude, oracle

HOLES = ((2, 4), (5, 0), *((9, j) for j in range(D)))
"""The cells that are NULL; a whole row is."""
ERROR = r"sqlrp: a feature is NULL and nulls = 'error'(: .* of the row with .*)?: clean the row"

Read = Callable[[bool], dict[Any, list[Cell]]]
"""Projects the table of a case, with or without holes, by its options: the outputs by key."""


@cache
def values(kind: str) -> Matrix:
    """The rows that are stored under a type; of integers those four times as great, rounded."""
    return np.rint(X * 4) if kind == "integer" else X


def stored(kind: str, holes: bool) -> list[list[Any]]:
    """The cells of the table."""
    as_stored = {"integer": int, "decimal": lambda v: Decimal(f"{v:.3f}")}.get(kind, float)
    rows: list[list[Any]] = [[as_stored(v) for v in row] for row in values(kind).tolist()]
    for i, j in HOLES if holes else ():
        rows[i][j] = None
    return rows


@cache
def wanted(method: str, kind: str, holes: bool, scale: bool) -> tuple[Matrix, Matrix]:
    """What the oracle gives, with zeros for holes, and for each row the size that errors are relative to."""
    x = values(kind).copy()
    for i, j in HOLES if holes else ():
        x[i, j] = 0
    want = oracle(EVERY[method], x, scale)
    if method in SMALL:
        return want, magnitude(EVERY[method], x, scale)
    return want, np.full(len(x), np.abs(want).max())


def blank() -> Any:
    """The rows with a hole."""
    return np.isin(np.arange(len(X)), [i for i, _ in HOLES])


def is_exact(case: Case) -> bool:
    """Whether the outputs are whole numbers, which every engine holds to the last digit."""
    return (
        case["kind"] == "integer"
        and not case["scale"]
        and all(stage.exact for stage in EVERY[case["method"]].stages(D))
    )


def assert_contract(case: Case, project: Read) -> None:
    """The case gives the oracle's numbers; under 'error' a hole fails, and rows without one pass."""
    nulls, holes = case["nulls"], case["nulls"] != "error"
    if nulls == "error":
        with pytest.raises(Exception, match=ERROR):
            project(True)
    got = project(holes)
    want, size = wanted(case["method"], case["kind"], holes, case["scale"])
    null = blank() if nulls == "propagate" else None
    assert_close(got, want, size, rtol=1e-4 if case["kind"] == "float" else 1e-9, null=null)
    if is_exact(case):
        assert {i: row for i, row in got.items() if None not in row} == {
            i: row for i, row in enumerate(want.tolist()) if null is None or not null[i]
        }
