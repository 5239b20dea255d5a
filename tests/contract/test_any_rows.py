"""Any projection of any rows, by every lowering: finite numbers, NULLs, NaN and infinity, and whole numbers exactly."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pytest
from helpers import (
    COMBINATIONS,
    LAYOUTS,
    OUTPUTS,
    assert_close,
    exact_oracle,
    load,
    magnitude,
    oracle,
    projected,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlrp import (
    PolynomialKernelProjection,
    Projection,
    SparseProjection,
    StatementError,
)

Connection = duckdb.DuckDBPyConnection


EXAMPLES = 12
"""Few, as `make fuzz` draws such cases for as long as one likes; infinities and NaN, which it does not, are more."""
FINITE = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 1e6]),
    st.floats(-1e6, 1e6, allow_nan=False),
)
SPECIAL = st.sampled_from([1.0, -2.5, 0.0, -0.0, float("inf"), float("-inf"), float("nan"), None])


@st.composite
def projections(draw: Any) -> Projection:
    """Small projections of both methods."""
    k, seed = draw(st.integers(1, 5)), draw(st.integers(0, 2**53 - 1))
    s = draw(st.sampled_from([1, 1, 1.5, 3, "sqrt", 28]))
    if draw(st.booleans()):
        return SparseProjection(k=k, s=s, seed=seed)
    degree, t = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    p = draw(st.one_of(st.none(), st.integers(degree * t, degree * t * k)))
    c = draw(st.sampled_from([0.0, 0.0, 1.0, 2.5]))
    repeat = draw(st.booleans())
    return PolynomialKernelProjection(k=k, s=s, seed=seed, degree=degree, t=t, p=p, c=c, minimise_repetition=repeat)


def tables(values: st.SearchStrategy[float | None]) -> st.SearchStrategy[list[list[float | None]]]:
    """One to four rows of one to six features."""
    return st.integers(1, 6).flatmap(
        lambda d: st.lists(st.lists(values, min_size=d, max_size=d), min_size=1, max_size=4)
    )


def check_everywhere(
    con: Connection, projection: Projection, rows: list[list[float | None]], nulls: str, output: str
) -> None:
    """The example over every layout and lowering that holds."""
    x = np.array([[0.0 if v is None else v for v in row] for row in rows])
    null = np.array([any(v is None for v in row) for row in rows])
    with np.errstate(all="ignore"):
        want, row_scale = oracle(projection, x), magnitude(projection, x)
    sources = {layout: load(con, layout, rows, table=layout) for layout in LAYOUTS}
    for layout, lowering in COMBINATIONS:
        source = sources[layout]
        if nulls == "error" and null.any():
            with pytest.raises(StatementError, match="nulls = 'error'"):
                projected(con, projection, source, output, nulls=nulls, lowering=lowering)
            continue
        got = projected(con, projection, source, output, nulls=nulls, lowering=lowering)
        # 1e-300 squared is no number any more: what is lost below 1e-290 is no error.
        assert_close(got, want, row_scale + 1e-290, null=null if nulls == "propagate" else None)


@settings(max_examples=EXAMPLES)
@given(
    projection=projections(),
    rows=tables(FINITE),
    output=st.sampled_from(OUTPUTS),
)
def test_any_projection_of_any_finite_rows(
    shared: Connection, projection: Projection, rows: list[list[float | None]], output: str
) -> None:
    check_everywhere(shared, projection, rows, "propagate", output)


@settings(max_examples=EXAMPLES)
@given(
    projection=projections(),
    rows=tables(st.one_of(FINITE, FINITE, FINITE, st.none())),
    nulls=st.sampled_from(["propagate", "zero", "error"]),
    output=st.sampled_from(OUTPUTS),
)
def test_any_projection_of_any_rows_with_nulls(
    shared: Connection, projection: Projection, rows: list[list[float | None]], nulls: str, output: str
) -> None:
    check_everywhere(shared, projection, rows, nulls, output)


@pytest.mark.slow
@settings(max_examples=40)
@given(
    projection=projections(),
    rows=tables(SPECIAL),
    nulls=st.sampled_from(["propagate", "zero"]),
    output=st.sampled_from(OUTPUTS),
)
def test_any_projection_of_nan_and_infinity(
    shared: Connection, projection: Projection, rows: list[list[float | None]], nulls: str, output: str
) -> None:
    check_everywhere(shared, projection, rows, nulls, output)


@pytest.mark.parametrize(("layout", "lowering"), COMBINATIONS)
def test_a_vector_without_signs_times_infinity_is_no_number(con: Connection, layout: str, lowering: str) -> None:
    # 0·inf is NaN: a sum that no sign meets is a 0 like any other, also where its cell is left out.
    x = np.array([[np.inf, 1.0], [1.0, np.nan], [1.0, 2.0]])
    source = load(con, layout, x.tolist())
    for seed in range(12):
        projection = PolynomialKernelProjection(k=2, s=3, degree=2, t=1, seed=seed)
        got = projected(con, projection, source, lowering=lowering)
        assert_close(got, oracle(projection, x), magnitude(projection, x))


@pytest.mark.slow
@settings(max_examples=EXAMPLES)
@given(
    k=st.integers(1, 4),
    s=st.sampled_from([1, 3]),
    seed=st.integers(0, 1000),
    rows=st.integers(1, 5).flatmap(
        lambda d: st.lists(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=d, max_size=d), min_size=1, max_size=4)
    ),
    degree=st.integers(1, 3),
)
def test_bare_sums_of_integers_are_exact(
    shared: Connection, k: int, s: float, seed: int, rows: list[list[int]], degree: int
) -> None:
    projections: list[Projection] = [
        SparseProjection(k=k, s=s, seed=seed),
        PolynomialKernelProjection(k=k, s=s, seed=seed, degree=degree, t=2),
    ]
    sources = {layout: load(shared, layout, rows, "INTEGER", layout) for layout in LAYOUTS}
    for projection in projections:
        want = dict(enumerate(exact_oracle(projection, rows)))
        for layout, lowering in COMBINATIONS:
            got = projected(shared, projection, sources[layout], scale=False, lowering=lowering)
            assert got == want, (layout, lowering)
