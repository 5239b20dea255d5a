"""Whole numbers that outgrow the type of the stage before: every stage that adds or multiplies, at the extremes."""

from __future__ import annotations

import numpy as np
import pytest
from cover import factors, pairwise
from databases import Database
from evaluate import evaluate
from helpers import LAYOUTS, Staged, holding

from sqlrp import StatementError, UnsupportedError
from sqlrp._core.draw import Ints
from sqlrp._core.options import Options
from sqlrp._run.table_input import job_of
from sqlrp.stages import (
    AppendConstant,
    BlockSums,
    Butterfly,
    Convolved,
    GivenProducts,
    Linear,
    ReflectedPick,
    SignedSums,
    SplitSums,
    Stage,
    SumOfProducts,
    WeightedSums,
)

D, N = 3, 16
"""The features, and the entries that the first stage makes of them."""
KINDS = {
    "duckdb": {15: "SMALLINT", 31: "INTEGER"},
    "postgresql": {15: "smallint", 31: "integer"},
    "sqlite": {15: "SMALLINT", 31: "INTEGER"},
    "mariadb": {15: "smallint", 31: "int"},
    "mysql": {15: "smallint", 31: "int"},
    "clickhouse": {15: "Int16", 31: "Int32"},
}
ONES = np.ones((N, 2), dtype=np.int64)
GROWING: dict[str, Stage] = {
    "signed": SignedSums(2, 1, seed=1),
    "blocks": BlockSums(1, 1, seed=1),
    "split": SplitSums(WeightedSums(ONES.astype(np.int8)), N // 2),
    "weighted": WeightedSums(3 * ONES),
    "butterfly": Butterfly(N, (1, 6), seed=1),
    "butterfly-parts": Butterfly(24, (1, 6), seed=1, block=12),
    "reflected": ReflectedPick(N, (0, 3)),
    "products": SumOfProducts(N, 2, 2, 2, seed=1),
    "given": GivenProducts(1, np.zeros(3, dtype=np.int64), np.array([[0, 1], [2, -1], [3, 4]]), np.array([1, 2, 3])),
    "convolved": Convolved(N // 2, 2),
}


def stages_of(second: Stage, bits: int, constant: bool) -> tuple[Stage, ...]:
    """Entries that nearly fill the type of 2·bits + 1, with the signs that add them up in the second stage."""
    signs = np.ones(N, dtype=np.int64)
    if isinstance(second, Linear | ReflectedPick):
        signs = np.where(second.matrix(np.arange(N)).astype(np.int64)[:, 0] < 0, -1, 1)
    weights = np.tile(signs << (bits - 3), (D, 1))
    appended = (AppendConstant(5.0),) if constant else ()
    return (WeightedSums(weights), *appended, second)


def exactly(stages: tuple[Stage, ...], x: Ints) -> list[list[int]]:
    return [[int(v) for v in row] for row in evaluate(stages, x.astype(object), np.arange(D))]


@pairwise(factors(bits=[15, 31], name=list(KINDS), growing=list(GROWING)))
def test_sums_of_great_entries_are_exact(db: Database, name: str, growing: str, bits: int) -> None:
    top = 2**bits - 1
    x = np.array([[top] * D, [-top] * D, [top, -top, 1]], dtype=np.int64)
    second = GROWING[growing]
    plain = isinstance(second, Linear) and not isinstance(second, WeightedSums | SplitSums)
    for constant in (False, True)[: 1 + plain]:
        stages = stages_of(second, bits, constant)
        want = exactly(stages, x)
        assert max(abs(v) for row in want for v in row) > 2 ** (2 * bits + 1)  # which the entries' type does not hold
        projection = Staged(len(want[0]), made=stages)
        for layout in LAYOUTS if db.engine.has_arrays else ("wide", "long"):
            source = db.load(layout, x.tolist(), KINDS[name][bits], table=f"grown_{layout}")
            lowerings = holding(layout) if name == "duckdb" else ("inline", "relational")[layout == "long" :]
            exact = job_of(projection, source, db.connection, Options(scale=False)).result.exact
            for lowering in lowerings:
                try:
                    got = db.projected(projection, source, "long", scale=False, lowering=lowering)
                except UnsupportedError:
                    assert lowering not in ("inline", "relational")
                    continue
                except StatementError as error:
                    if name != "sqlite" or "no exact whole number of 64 bits" not in str(error):
                        raise
                    continue
                found = [[int(v or 0) for v in got[i]] for i in range(len(x))]
                if exact:
                    assert found == want, (layout, lowering)
                else:  # no whole number of the engine holds them
                    away = np.abs(np.array(found, dtype=float) - np.array(want, dtype=float))
                    assert (away <= 1e-12 * np.abs(np.array(want, dtype=float)).max()).all(), (layout, lowering)


@pytest.mark.parametrize("bits", [24, 25, 53, 54, 63, 64, 65])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["duckdb"])
def test_evaluated_sums_are_exact_on_both_sides_of_each_type(db: Database, name: str, layout: str, bits: int) -> None:
    # Floats of 32 and 64 bits hold whole numbers of 24 and 53 bits, and integers those of 63.
    great = 1 << (bits - 17)
    stages = (WeightedSums(np.array([[great], [great], [great - 1]])),)
    x = np.array([[2**15 - 1] * D, [1 - 2**15] * D, [1, 2, 3]], dtype=np.int64)
    want = exactly(stages, x)
    assert want[0][0].bit_length() == bits
    assert want[0][0] % 2
    source = db.load(layout, x.tolist(), "SMALLINT", table=f"odd_{layout}")
    got = db.projected(Staged(1, made=stages), source, "long", scale=False, lowering="native")
    assert [[int(v) for v in got[i]] for i in range(len(x))] == want
