"""Shared partial sums: the same sums, with fewer additions."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest
from helpers import assert_close, cells, load, magnitude, oracle
from hypothesis import given, settings
from hypothesis import strategies as st

import sqlrp
from sqlrp._core.draw import draw_signs
from sqlrp._lowering.partial_sums import SharedRounds, share


def evaluated(shared: SharedRounds, x: np.ndarray) -> np.ndarray:
    """The sums that the rounds and the choice describe."""
    values = x
    for entries in shared.rounds:
        zero = np.zeros(len(x), dtype=x.dtype)
        columns = [
            (values[:, a] if a >= 0 else zero) + sign * (values[:, b] if b >= 0 else zero) if a >= 0 else values[:, b]
            for a, b, sign in zip(entries.left, entries.right, entries.sign, strict=True)
        ]
        values = np.stack(columns, axis=1)
    picked = np.where(shared.choice >= 0, values[:, shared.choice], 0)
    return np.asarray((picked * shared.sign).sum(axis=1))


@settings(max_examples=60, deadline=None)
@given(d=st.integers(1, 40), n=st.integers(1, 60), s=st.sampled_from([1, 1.5, 3, 5]), seed=st.integers(0, 99))
def test_the_sums_are_the_same(d: int, n: int, s: float, seed: int) -> None:
    matrix = draw_signs(np.arange(d), n, s, seed)
    x = np.random.default_rng(seed).integers(-1000, 1000, (3, d))
    shared = share(matrix)
    assert np.array_equal(evaluated(shared, x), x @ matrix.astype(np.int64))
    assert shared.terms <= np.count_nonzero(matrix)


def test_dense_tables_share_and_sparse_ones_do_not() -> None:
    dense = draw_signs(np.arange(784), 488, 1, 0)
    assert share(dense).terms < np.count_nonzero(dense) / 6
    assert (
        share(draw_signs(np.arange(784), 488, 3, 0)).terms
        < np.count_nonzero(draw_signs(np.arange(784), 488, 3, 0)) / 1.5
    )
    assert share(draw_signs(np.arange(784), 488, 28, 0)).rounds == ()
    bounded = share(dense, 2000)
    assert max(len(r.left) for r in bounded.rounds) <= 2000
    assert share(dense).terms < bounded.terms < np.count_nonzero(dense)


@pytest.mark.parametrize("kind", ["DOUBLE", "UTINYINT", "BIGINT"])
def test_in_sql(kind: str) -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 200, (6, 31)) if kind != "DOUBLE" else rng.normal(size=(6, 31))
    with duckdb.connect() as con:
        for layout in ("wide", "array"):
            source = load(con, layout, x.tolist(), kind)
            for projection in (
                sqlrp.SparseProjection(k=40, s=1, seed=3),
                sqlrp.PolynomialKernelProjection(k=30, s=1, c=1, t=2, seed=3),
                sqlrp.SparseProjection(k=50, s=3, seed=3),
            ):
                plain = sqlrp.explain(projection, source, con, lowering="inline")
                assert plain.plan.job.inline_terms < plain.plan.job.terms
                for scale in (True, False):
                    result = sqlrp.project(projection, source, con, lowering="inline", scale=scale)
                    got = cells(result, "columns", projection.k)
                    assert_close(got, oracle(projection, x, scale), magnitude(projection, x, scale))


def test_infinity_meets_only_the_sums_with_a_sign() -> None:
    x = np.ones((2, 20))
    x[0, 3], x[1, 7] = np.inf, np.nan
    projection = sqlrp.SparseProjection(k=40, s=3, seed=1)
    with duckdb.connect() as con:
        source = load(con, "wide", x.tolist())
        assert sqlrp.explain(projection, source, con, lowering="inline").plan.job.core[0].shared.rounds
        got = cells(sqlrp.project(projection, source, con, lowering="inline"), "columns", 40)
    assert_close(got, oracle(projection, x), magnitude(projection, x))
