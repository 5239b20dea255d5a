"""Long rows that repeat a feature: every method adds the values up, on every engine."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from cases import DATABASES as NAMES
from cases import METHODS, D, X
from databases import Database, opened
from evaluate import evaluate
from helpers import OUTPUTS, Staged, assert_close, oracle

import sqlrp
from sqlrp import Long, SparseProjection, Standardized
from sqlrp._core.sources import How
from sqlrp.stages import (
    Exponential,
    GivenProducts,
    Normalise,
    Power,
    ReflectedPick,
    SignedRoot,
    SignedSums,
    Stage,
    SumOfProducts,
)

ROWS = X[:6]


@pytest.fixture(scope="module")
def db(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The rows in the table repeated: every other cell comes in two parts, and some parts cancel."""
    rng = np.random.default_rng(1)
    cells: list[tuple[int, int, float]] = []
    for i, row in enumerate(ROWS.tolist()):
        for j, value in enumerate(row):
            part = float(rng.integers(-4, 5)) / 8
            cells += [(i, j, part), (i, j, value - part)] if (i + j) % 2 else [(i, j, value)]
    for database in opened(request.param, tmp_path_factory.mktemp("repeated")):
        kind = {"clickhouse": "Float64", "postgresql": "double precision"}.get(request.param, "DOUBLE")
        database.make("repeated", [("id", "BIGINT"), ("feature", "INTEGER"), ("value", kind)], cells)
        yield database


each = pytest.mark.parametrize("db", NAMES, indirect=True, scope="module")
SOURCE = Long("repeated", n_features=D)


@each
@pytest.mark.filterwarnings("ignore:k = :sqlrp.SqlrpWarning")
@pytest.mark.parametrize("method", METHODS)
def test_cells_of_one_feature_are_added(db: Database, method: str) -> None:
    want = oracle(METHODS[method], ROWS)
    for output in OUTPUTS if db.name == "duckdb" else ("long",):
        got = db.projected(METHODS[method], SOURCE, output)
        assert_close(got, want, np.full(len(want), np.abs(want).max()))


FIRST: dict[str, Stage] = {
    "root": SignedRoot(),
    "normalised": Normalise(),
    "power": Power(0.5, 2),
    "exponential": Exponential(),
    "products": SumOfProducts(D, 4, 2, 2, seed=1),
    "given": GivenProducts(2, np.array([0, 0, 1]), np.array([[0, 1], [2, -1], [1, 1]]), np.array([1.0, -0.5, 2.0])),
    "reflected": ReflectedPick(D, (0, 2)),
}


@each
@pytest.mark.parametrize("first", FIRST)
def test_cells_are_added_before_any_stage_that_is_no_sum(db: Database, first: str) -> None:
    stages = (FIRST[first], SignedSums(3, 1, seed=2))
    want = evaluate(stages, ROWS, np.arange(D))
    for lowering in ("relational", "native") if db.name == "duckdb" else ("relational",):
        got = db.projected(Staged(3, made=stages), SOURCE, "long", lowering=lowering)
        assert_close(got, want, np.full(len(want), np.abs(want).max()))


@each
@pytest.mark.parametrize("how", ["l2", "tfidf"])
def test_prepared_rows_are_of_added_cells(db: Database, how: How) -> None:
    plain = SparseProjection(k=4, s=1, seed=2)
    projection = sqlrp.fit(plain, Standardized(SOURCE, how), db.connection)
    weights = 1 if how == "l2" else np.log((1 + len(ROWS)) / (1 + (ROWS != 0).sum(axis=0))) + 1
    prepared = ROWS * weights
    want = oracle(plain, prepared / np.linalg.norm(prepared, axis=1)[:, None])
    got = db.projected(projection, SOURCE, "long")
    assert_close(got, want, np.full(len(want), np.abs(want).max()))
