"""The contract: methods × layouts × outputs × lowerings against the numpy oracle; a refusal is asserted.

The oracle is `evaluate.evaluate`, which shares no code with the lowerings.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pytest
from cases import EVERY, SERVED, SMALL, TYPES, D, contract, some_rows, uses
from contract import assert_contract
from cover import factors, pairwise
from databases import JIT, database
from evaluate import evaluate
from helpers import (
    ASKED,
    LAYOUTS,
    LOWERINGS,
    METHODS,
    OUTPUTS,
    Cell,
    assert_close,
    assert_one_line,
    cells,
    exact,
    holding,
    load,
    magnitude,
    oracle,
    projected,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import sqlrp
from sqlrp import (
    Long,
    PolynomialKernelProjection,
    Projection,
    SparseProjection,
    StatementError,
    UnsupportedError,
    Wide,
)
from sqlrp.connectors.duckdb import DuckDBConnector
from sqlrp.dialects.duckdb import DuckDB
from sqlrp.engines import CONNECTORS
from sqlrp.run.running import run

Connection = duckdb.DuckDBPyConnection

COMBINATIONS = [(layout, lowering) for layout in LAYOUTS for lowering in holding(layout)]
REFUSED = [(layout, low) for layout in LAYOUTS for low in ASKED if low not in holding(layout)]


@pytest.fixture(scope="module")
def shared() -> Iterator[Connection]:
    """One database for many examples."""
    with duckdb.connect(config={"threads": "1"}) as connection:
        yield connection


@pairwise(*(contract(name) for name in ("duckdb", *SERVED)))
def test_contract(
    databases: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
    engine: str,
    method: str,
    lowering: str,
    layout: str,
    output: str,
    nulls: str,
    kind: str,
    scale: bool,
) -> None:
    db, projection = database(databases, engine, tmp_path_factory), EVERY[method]
    case = {"method": method, "nulls": nulls, "kind": kind, "scale": scale}

    def project(holes: bool) -> dict[Any, list[Cell]]:
        source = db.kept(layout, kind, holes)
        result = sqlrp.project(
            projection,
            source,
            db.connection,
            output=output,  # type: ignore[arg-type]
            nulls=nulls,  # type: ignore[arg-type]
            scale=scale,
            lowering=lowering,
        )
        assert str(result.schema.field("id").type) == "int64"
        last = str(result.schema.field(result.num_columns - 1).type)
        if method in SMALL and kind in ("double", "float"):
            assert ("float" if engine == "duckdb" and kind == "float" else "double") in last
        if engine == "duckdb":
            assert (output == "array") == ("fixed_size_list" in last)
        if output == "long":
            assert result.column_names == ["id", "component", "value"]
            assert str(result.schema.field("component").type) == "int64"
        return cells(result, output, projection.k, sparse=layout == "long")

    assert_contract(case, project)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_numbers_are_the_same_where_clickhouse_compiles(
    databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory, layout: str
) -> None:
    db = database(databases, "clickhouse", tmp_path_factory)
    at_once = ("min_count_to_compile_expression", "min_count_to_compile_aggregate_expression")
    counted = "SELECT sum(value) FROM system.events WHERE event = 'CompileFunction'"

    def project(holes: bool) -> dict[Any, list[Cell]]:
        source = db.kept(layout, "double", holes)
        return db.projected(EVERY[method], source, nulls="zero")  # type: ignore[no-any-return]

    ((before,),) = db.run_query(counted)
    db.run(f"SET {', '.join([*(f'{name} = 1' for name in JIT), *(f'{name} = 0' for name in at_once)])}")
    try:
        for method in METHODS:
            assert_contract({"method": method, "nulls": "zero", "kind": "double", "scale": True}, project)
    finally:
        db.run(f"SET {', '.join([*(f'{name} = 0' for name in JIT), *(f'{name} = 3' for name in at_once)])}")
    ((after,),) = db.run_query(counted)
    assert after > before


@pytest.mark.parametrize("name", TYPES)
def test_every_lowering_that_is_not_usable_is_refused(name: str) -> None:
    """Of the combinations that the contract leaves out, each."""
    sources = {"wide": Wide("t", features=[f"f{j}" for j in range(D)]), "long": Long("t", n_features=D)}
    refused = 0
    for method, layout, lowering in itertools.product(EVERY, sources, (*LOWERINGS, "native")):
        usable = lowering in contract(name).factors["lowering"] and uses(name, method, layout, lowering)
        if lowering == "native" or usable:
            continue
        with pytest.raises(UnsupportedError) as caught:
            sqlrp.sql(EVERY[method], sources[layout], name, lowering=lowering)
        assert_one_line(caught, lowering, *(["is not supported here"] if name == "duckdb" else []))
        refused += 1
    assert refused


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("method", METHODS)
def test_the_planner_s_choice_keeps_the_contract(con: Connection, method: str, layout: str) -> None:
    projection, x = METHODS[method], some_rows()
    source = load(con, layout, x.tolist())
    for output in OUTPUTS:
        got = projected(con, projection, source, output)
        assert_close(got, oracle(projection, x), magnitude(projection, x))


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(("layout", "lowering"), REFUSED)
@pytest.mark.parametrize("method", METHODS)
def test_refusals(con: Connection, method: str, layout: str, lowering: str, output: str) -> None:
    source = load(con, layout, some_rows().tolist())
    for call in (sqlrp.project, sqlrp.sql, sqlrp.explain):
        with pytest.raises(UnsupportedError) as caught:
            call(METHODS[method], source, con, output=output, lowering=lowering)  # type: ignore[operator]
        assert_one_line(caught, lowering, "long rows", "lowering = 'auto'")


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("lowering", ASKED)
def test_lists_are_arrays(con: Connection, lowering: str, output: str) -> None:
    for method, projection in METHODS.items():
        x = some_rows()
        source = load(con, "array", x.tolist(), table=method, ragged=True)
        got = projected(con, projection, source, output, lowering=lowering)
        assert_close(got, oracle(projection, x), magnitude(projection, x))


@pytest.mark.parametrize("lowering", LOWERINGS)
def test_sql_text_is_what_project_runs(con: Connection, lowering: str) -> None:
    x = some_rows()
    source = load(con, "wide", x.tolist())
    for projection in METHODS.values():
        text = sqlrp.sql(projection, source, con, lowering=lowering)
        got = cells(con.sql(text).to_arrow_table(), "columns", projection.k)
        assert_close(got, oracle(projection, x), magnitude(projection, x))
        con.execute(f"CREATE OR REPLACE VIEW v AS {text}")
        kept = cells(con.sql("FROM v").to_arrow_table(), "columns", projection.k)
        assert_close(kept, oracle(projection, x), magnitude(projection, x))


@pytest.mark.parametrize("lowering", ASKED)
def test_more_rows_than_a_vector_or_a_batch_of_duckdb(con: Connection, lowering: str) -> None:
    # 2,048 rows a vector; ids must stay with their rows.
    con.execute("CREATE TABLE t AS SELECT range AS id, CAST(range AS DOUBLE) AS a, 1.0::DOUBLE AS b FROM range(5000)")
    p = SparseProjection(k=3, s=1, seed=1)
    x = np.column_stack([np.arange(5000.0), np.ones(5000)])
    assert_close(projected(con, p, "t", lowering=lowering), oracle(p, x), magnitude(p, x))


def test_keep_and_key_pass_through_every_lowering_and_output(con: Connection) -> None:
    con.execute(
        "CREATE TABLE t AS SELECT range AS id, 'name' || range AS name, DATE '2024-01-01' + CAST(range AS INTEGER) "
        "AS day, {'a': range} AS s, range * 1.5::DOUBLE AS f, range::DOUBLE AS g FROM range(4)"
    )
    source = Wide("t", keep=["name", "day", "s"])
    want = con.execute("SELECT id, name, day, s FROM t ORDER BY id").fetchall()
    for lowering in ASKED:
        for output in OUTPUTS:
            result = sqlrp.project(SparseProjection(k=3, s=1), source, con, output=output, lowering=lowering)  # type: ignore[arg-type]
            assert result.column_names[:4] == ["id", "name", "day", "s"]
            kept = sorted({str(row) for row in zip(*(result.column(i).to_pylist() for i in range(4)), strict=True)})
            assert kept == sorted(str(row) for row in want)


@pytest.mark.parametrize("lowering", ASKED)
@pytest.mark.parametrize("output", OUTPUTS)
def test_a_table_without_a_key(con: Connection, output: str, lowering: str) -> None:
    con.execute("CREATE TABLE t AS SELECT range::DOUBLE AS a, 2.0::DOUBLE AS b FROM range(6)")
    p = SparseProjection(k=2, s=1, seed=1)
    result = sqlrp.project(p, Wide("t", key=None), con, output=output, lowering=lowering)  # type: ignore[arg-type]
    want = oracle(p, np.column_stack([np.arange(6.0), np.full(6, 2.0)]))
    if output == "columns":
        got = np.column_stack([result.column("z0"), result.column("z1")])
    elif output == "array":
        assert result.column_names == ["z"]
        got = np.array(result.column("z").to_pylist())
    else:
        assert result.column_names == ["component", "value"]
        value, at = np.array(result.column("value")), np.array(result.column("component"))
        got = np.column_stack([np.sort(value[at == c]) for c in (0, 1)])
        want = np.sort(want, axis=0)
    assert np.allclose(got[np.lexsort(got.T)], want[np.lexsort(want.T)], rtol=1e-12)


def test_files_are_tables(con: Connection, tmp_path: Any) -> None:
    x = some_rows()
    load(con, "wide", x.tolist())
    p = METHODS["linear"]
    for suffix in ("parquet", "csv"):
        path = tmp_path / f"it's a 'file'.{suffix}"
        con.execute(f"COPY t TO '{str(path).replace(chr(39), chr(39) * 2)}' (FORMAT {suffix})")
        for lowering in ASKED:
            got = projected(con, p, Wide(str(path)), lowering=lowering)
            assert_close(got, oracle(p, x), magnitude(p, x))


def test_views_and_other_schemas(own: Connection) -> None:
    x = some_rows()
    load(own, "wide", x.tolist())
    own.execute("CREATE SCHEMA sch; CREATE TABLE sch.u AS FROM t; CREATE VIEW v AS FROM t; ATTACH ':memory:' AS other")
    own.execute("CREATE TABLE other.main.u AS FROM t; CREATE TEMPORARY TABLE tmp AS FROM t")
    p = METHODS["degree2"]
    for table in ("sch.u", "v", "other.main.u", "other.u", "tmp", "memory.sch.u", '"sch"."u"'):
        for lowering in ASKED:
            assert_close(projected(own, p, table, lowering=lowering), oracle(p, x), magnitude(p, x))


# -- types -----------------------------------------------------------------------------------------


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


def exact_oracle(projection: Projection, rows: list[list[Any]]) -> list[list[Any]]:
    """The oracle in unbounded integers, by way of the unit of the decimals."""
    digits = max((-int(v.as_tuple().exponent) for row in rows for v in row if isinstance(v, Decimal)), default=0)
    whole = [[int(v * 10**digits) for v in row] for row in rows]
    stages: Any = projection.stages(len(rows[0]))
    degree = 1
    if isinstance(projection, PolynomialKernelProjection):
        degree = projection.degree
        if projection.c and digits:
            stages = (replace(stages[0], value=stages[0].value * 10**digits), *stages[1:])
    z = evaluate(stages, exact(whole), np.arange(len(rows[0])))
    if not digits:
        return [[int(v) for v in row] for row in z]
    return [[Decimal(int(v)).scaleb(-digits * degree) for v in row] for row in z]


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
            # A sum of ±most: one such fits, three or five do not, in whatever order they are taken.
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


# -- any shape and any value -------------------------------------------------------------------------

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


# -- inline, cut into steps ------------------------------------------------------------------------------


@pytest.fixture
def few_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine whose statements hold 40 terms."""
    monkeypatch.setattr(DuckDB, "limits", replace(DuckDB.limits, terms=40))


CUT: dict[str, Projection] = {
    "linear": SparseProjection(k=30, s=1, seed=5),
    "degree2": PolynomialKernelProjection(k=20, s=1, t=3, degree=2, seed=11),
    "degree3-c": PolynomialKernelProjection(k=20, s=3, t=2, degree=3, c=2, seed=2),
}


def temporary(con: Connection) -> list[str]:
    """The temporary tables and views of the connection."""
    found = con.execute(
        "SELECT table_name FROM duckdb_tables() WHERE temporary UNION ALL "
        "SELECT view_name FROM duckdb_views() WHERE temporary AND NOT internal ORDER BY 1"
    ).fetchall()
    return [name for (name,) in found]


@pytest.mark.usefixtures("few_terms")
@pairwise(factors(method=list(CUT), layout=["wide", "array"], output=OUTPUTS, nulls=["propagate", "zero"]))
def test_steps_give_the_same_numbers(con: Connection, method: str, layout: str, output: str, nulls: str) -> None:
    projection, x = CUT[method], some_rows()
    rows: list[list[float | None]] = [*x.tolist(), [None, *[1.0] * 8]]
    source = load(con, layout, rows)
    explanation = sqlrp.explain(projection, source, con, output=output, lowering="inline")  # type: ignore[arg-type]
    assert len(explanation.script.setup) > 2
    assert f"{len(explanation.script.setup) + 1} steps" in str(explanation)
    full = np.vstack([x, [0.0, *[1.0] * 8]])
    null = np.arange(9) == 8
    got = projected(con, projection, source, output, lowering="inline", nulls=nulls)
    want = oracle(projection, full)
    assert_close(got, want, magnitude(projection, full), null=null if nulls == "propagate" else None)
    assert temporary(con) == []
    text = sqlrp.sql(projection, source, con, output=output, lowering="inline")  # type: ignore[arg-type]
    assert text.count(";\n") == len(explanation.script.setup) * 2 + 1
    con.execute(text)
    assert temporary(con) == []


@pytest.mark.usefixtures("few_terms")
def test_every_step_holds_the_limit(con: Connection) -> None:
    source = load(con, "wide", some_rows().tolist())
    for projection in CUT.values():
        script = sqlrp.explain(projection, source, con, lowering="inline").script
        for step in script.setup[1:]:
            # Names and joins hold none of these; one output of more terms than the limit stands alone.
            assert sum(step.count(sign) for sign in "+-*") <= 40 + 30


@pytest.mark.usefixtures("few_terms")
def test_a_failing_first_step_leaves_nothing(con: Connection) -> None:
    source = load(con, "wide", [[None, 1.0], [1.0, 2.0]])
    with pytest.raises(StatementError) as caught:
        projected(con, CUT["linear"], source, lowering="inline", nulls="error")
    assert_one_line(caught, "nulls = 'error'")
    assert temporary(con) == []
    assert con.execute("SELECT count(*) FROM t").fetchall() == [(2,)]


@pytest.mark.usefixtures("few_terms")
@pytest.mark.parametrize("transaction", [False, True])
@pytest.mark.parametrize("at", [1, 2, -1])
def test_a_failing_later_step_leaves_nothing(con: Connection, at: int, transaction: bool) -> None:
    source = load(con, "wide", some_rows().tolist())
    script = sqlrp.explain(CUT["degree2"], source, con, lowering="inline").script
    steps = list(script.steps)
    steps[at] = replace(steps[at], text=steps[at].text.replace("SELECT", "SELECT error('stopped'),", 1))
    if transaction:
        con.begin()
    with pytest.raises(StatementError) as caught:
        run(CONNECTORS["duckdb"], con, replace(script, steps=tuple(steps)))
    assert_one_line(caught, "stopped")
    if transaction:
        con.rollback()
    assert temporary(con) == []


@pytest.mark.usefixtures("few_terms")
def test_a_failing_query_leaves_nothing(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    source = load(con, "wide", some_rows().tolist())

    def broken(self: DuckDBConnector, connection: Any, sql: str) -> Any:
        raise StatementError(sql, "broken")

    monkeypatch.setattr(DuckDBConnector, "fetch", broken)
    with pytest.raises(StatementError, match="broken"):
        projected(con, CUT["linear"], source, lowering="inline")
    assert temporary(con) == []


def test_a_long_source_is_never_cut(con: Connection, few_terms: None) -> None:
    x = some_rows()
    source = load(con, "long", x.tolist())
    assert isinstance(source, Long)
    projection = CUT["linear"]
    assert sqlrp.explain(projection, source, con).script.setup == ()
    assert_close(projected(con, projection, source), oracle(projection, x), magnitude(projection, x))


@pytest.mark.parametrize("k", [3, 600])
@pytest.mark.parametrize("nulls", ["propagate", "zero", "error"])
def test_sparse_rows_give_sparse_rows(con: Connection, k: int, nulls: str) -> None:
    """Zeros are absent but for component 0; a row without a sign stays, one with a NULL is NULL in every component."""
    projection = SparseProjection(k=k, s=30, seed=3)
    con.execute("CREATE TABLE t (id BIGINT, feature INTEGER, value DOUBLE)")
    con.execute("INSERT INTO t VALUES (0, 0, 1), (0, 5, 2), (1, 7, NULL), (1, 2, 3), (NULL, 3, 4), (3, 9, 0)")
    source = Long("t", n_features=10)
    if nulls == "error":
        for output in OUTPUTS:
            with pytest.raises(StatementError, match="a feature is NULL"):
                sqlrp.project(projection, source, con, output=output, nulls=nulls)  # type: ignore[arg-type]
        return
    x = np.zeros((4, 10))
    x[[0, 0, 1, 2], [0, 5, 2, 3]] = [1, 2, 3, 4]
    want = oracle(projection, x)
    for output in OUTPUTS:
        result = sqlrp.project(projection, source, con, output=output, nulls=nulls)  # type: ignore[arg-type]
        got = cells(result, output, k, sparse=output == "long")
        assert set(got) == {0, 1, None, 3}
        for i, key in enumerate((0, 1, None, 3)):
            hole = key == 1 and nulls == "propagate"
            assert got[key] == ([None] * k if hole else pytest.approx(want[i].tolist(), rel=1e-12))
        if output == "long":
            kept = np.count_nonzero(np.column_stack([np.ones(4), want[:, 1:]]), axis=1)
            kept[1] = k if nulls == "propagate" else kept[1]
            assert result.num_rows == kept.sum() < 4 * k
