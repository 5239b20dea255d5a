"""Numbers at the bounds of their types: exact, infinite where floats run over, and never wrapped."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pytest
from cover import factors, pairwise
from helpers import (
    ASKED,
    COMBINATIONS,
    LAYOUTS,
    METHODS,
    OUTPUTS,
    assert_close,
    cells,
    exact,
    exact_oracle,
    holding,
    load,
    magnitude,
    oracle,
    projected,
)

import sqlrp
from sqlrp import (
    PolynomialKernelProjection,
    Projection,
    SparseProjection,
)

Connection = duckdb.DuckDBPyConnection


def signed(bits: int) -> tuple[int, int]:
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


EXTREMES: dict[str, tuple[Any, Any]] = {
    "BOOLEAN": (0, 1),
    "TINYINT": signed(8),
    "UTINYINT": (0, 2**8 - 1),
    "SMALLINT": signed(16),
    "USMALLINT": (0, 2**16 - 1),
    "INTEGER": signed(32),
    "UINTEGER": (0, 2**32 - 1),
    "BIGINT": signed(64),
    "UBIGINT": (0, 2**64 - 1),
    "HUGEINT": signed(128),
    "UHUGEINT": (0, 2**128 - 1),
    "DECIMAL(4,1)": (Decimal("-999.9"), Decimal("999.9")),
    "DECIMAL(18,3)": (Decimal("-999999999999999.999"), Decimal("999999999999999.999")),
    "DECIMAL(38,2)": (Decimal(f"-{'9' * 36}.99"), Decimal(f"{'9' * 36}.99")),
}
"""The least and the greatest value of a type."""

GREAT = ("HUGEINT", "UHUGEINT", "UBIGINT", "BIGINT", "DECIMAL(38,2)")
"""Those whose products, or sums, are greater than Arrow's decimals: no batches of long rows have them."""
EXACT_SUMS = set(EXTREMES) - {"DECIMAL(38,2)"}
EXACT_PRODUCTS = {"BOOLEAN", "TINYINT", "UTINYINT", "SMALLINT", "USMALLINT", "INTEGER", "UINTEGER"}

EXTREME_METHODS: dict[str, Projection] = {
    "linear": SparseProjection(k=5, s=1, seed=3),
    "degree2": PolynomialKernelProjection(k=4, s=1, t=2, degree=2, seed=1),
    "degree2-c": PolynomialKernelProjection(k=4, s=1, t=2, degree=2, c=4, seed=1),
    "hadamard": sqlrp.HadamardProjection(k=5, seed=3),
}


def extreme_rows(kind: str, d: int = 5) -> list[list[Any]]:
    """The extremes in every feature, against one another, and beside 0 and 1."""
    low, high = EXTREMES[kind]
    return [
        [high] * d,
        [low] * d,
        [low if j % 2 else high for j in range(d)],
        [high if j % 2 else low for j in range(d)],
        [0] * d,
        [1, 0, high, 0, 1],
    ]


@pairwise(
    factors(
        lambda layout, lowering, kind, **_: (
            lowering in holding(layout)
            and (lowering != "native" or kind not in (GREAT if layout == "long" else ("HUGEINT", "UHUGEINT")))
        ),
        kind=list(EXTREMES),
        scale=[False, True],
        method=list(EXTREME_METHODS),
        layout=LAYOUTS,
        lowering=ASKED,
        output=OUTPUTS,
    )
)
def test_extreme_values_do_not_overflow(
    shared: Connection, kind: str, scale: bool, method: str, layout: str, lowering: str, output: str
) -> None:
    projection = EXTREME_METHODS[method]
    rows = extreme_rows(kind)
    want = exact_oracle(projection, rows)
    sums = method in ("linear", "hadamard")
    is_exact = not scale and kind in (EXACT_SUMS if sums else EXACT_PRODUCTS)
    source = load(shared, layout, rows, kind)
    got = projected(shared, projection, source, output, scale=scale, lowering=lowering)
    if is_exact:
        assert got == dict(enumerate(want))
    else:
        factor = projection.factor(5) if scale else 1.0
        near = np.array([[float(v) * factor for v in row] for row in want])
        assert_close(got, near, magnitude(projection, exact(rows), scale))


@pytest.mark.parametrize("projection", [SparseProjection(k=6, s=1, seed=3), sqlrp.HadamardProjection(k=6, seed=3)])
@pytest.mark.parametrize(
    ("kind", "d", "narrow"),
    [("UTINYINT", 127, True), ("UTINYINT", 128, False), ("TINYINT", 255, True), ("TINYINT", 256, False)],
)
def test_sums_at_the_bound_of_the_narrow_type(
    shared: Connection, kind: str, d: int, narrow: bool, projection: Projection
) -> None:
    """Rows that make each sum as large as it can be; SMALLINT holds it, or a wider type takes over."""
    (low, high), stage = EXTREMES[kind], projection.stages(d)[0]
    signs = stage.matrix(np.arange(d))
    rows = [np.where(signs[:, c] * side > 0, high, low).tolist() for c in range(6) for side in (1, -1)]
    source = load(shared, "wide", rows, kind)
    assert ("SMALLINT" in sqlrp.sql(projection, source, shared, lowering="inline")) == narrow
    for output in OUTPUTS:
        result = sqlrp.project(projection, source, shared, output=output, scale=False, lowering="inline")  # type: ignore[arg-type]
        assert "int32" in str(result.schema.field(result.num_columns - 1).type)
        assert cells(result, output, 6) == dict(enumerate((np.array(rows, dtype=np.int64) @ signs).tolist()))


@pytest.mark.parametrize(("kind", "high"), [("FLOAT", 3e37), ("DOUBLE", 1e307)])
@pytest.mark.parametrize("scale", [False, True])
def test_great_floats_whose_sums_fit(con: Connection, kind: str, high: float, scale: bool) -> None:
    projection = EXTREME_METHODS["linear"]
    rows = [[high] * 5, [-high] * 5, [high, -high, high, -high, 0.0], [1e-30, high, 0.0, 0.0, 0.0]]
    x = np.array(rows)
    for layout, lowering in COMBINATIONS:
        source = load(con, layout, rows, kind)
        got = projected(con, projection, source, scale=scale, lowering=lowering)
        rtol = 1e-9 if kind == "DOUBLE" else 1e-4
        assert_close(got, oracle(projection, x, scale), magnitude(projection, x, scale), rtol)


@pytest.mark.parametrize(("layout", "lowering"), COMBINATIONS)
@pytest.mark.parametrize(("kind", "most"), [("FLOAT", 3.4028234e38), ("DOUBLE", 1.7e308)])
def test_floats_that_run_over_are_infinite(con: Connection, kind: str, most: float, layout: str, lowering: str) -> None:
    # As IEEE 754 has it, and as numpy does: no lowering may fail where another gives inf.
    projection = SparseProjection(k=6, s=1, seed=3)
    source = load(con, layout, [[most] * 5, [1.0] * 5], kind)
    matrix = projection.stages(5)[0].matrix(np.arange(5))  # type: ignore[union-attr]
    for output in OUTPUTS:
        got = projected(con, projection, source, output, scale=False, lowering=lowering)
        assert got[1] == matrix.sum(axis=0).tolist()
        for value, total in zip(got[0], matrix.sum(axis=0).tolist(), strict=True):
            # ±most fits into the type. The sum of three or five such numbers does not, in any order.
            assert value is not None
            assert abs(total) == 1 or float(value) == total * float("inf")


def test_products_of_floats_that_run_over_are_infinite(con: Connection) -> None:
    projection = PolynomialKernelProjection(k=3, s=1, t=1, degree=2, seed=1)
    for kind, high in (("FLOAT", 1e30), ("DOUBLE", 1e200)):
        for layout, lowering in COMBINATIONS:
            source = load(con, layout, [[high, 0.0, 0.0]], kind)
            got = projected(con, projection, source, lowering=lowering)
            assert [abs(float(v)) for v in got[0] if v is not None] == [float("inf")] * 3, (layout, lowering)


def test_mixed_types(con: Connection) -> None:
    con.execute(
        "CREATE TABLE t (id INTEGER, a BOOLEAN, b UTINYINT, c BIGINT, d DECIMAL(9,2), e FLOAT, f DOUBLE, g VARCHAR);"
        "INSERT INTO t VALUES (0, true, 255, -9007199254740991, 1234567.89, 0.5, 1e-3, 'x'), "
        "(1, false, 0, 17, -0.01, -2.25, 1e3, 'y')"
    )
    x = np.array([[1, 255, -9007199254740991, 1234567.89, 0.5, 1e-3], [0, 0, 17, -0.01, -2.25, 1e3]])
    for projection in METHODS.values():
        for lowering in ASKED:
            got = projected(con, projection, "t", lowering=lowering)
            assert_close(got, oracle(projection, x), magnitude(projection, x))
    con.execute("ALTER TABLE t DROP e; ALTER TABLE t DROP f")
    rows = [[1, 255, -9007199254740991, Decimal("1234567.89")], [0, 0, 17, Decimal("-0.01")]]
    p = SparseProjection(k=6, s=1, seed=2)
    for lowering in ASKED:
        assert projected(con, p, "t", scale=False, lowering=lowering) == dict(enumerate(exact_oracle(p, rows)))
