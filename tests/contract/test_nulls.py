"""Missing values: NULL modes in every layout, NaN and inf, empty tables, the smallest shapes, odd rows."""

from __future__ import annotations

import math
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
    assert_one_line,
    cells,
    holding,
    load,
    magnitude,
    oracle,
    projected,
)

import sqlrp
from sqlrp import (
    Array,
    Long,
    ParameterError,
    PolynomialKernelProjection,
    Projection,
    SparseEmbedding,
    SparseProjection,
    SqlrpError,
    StatementError,
    Wide,
)
from sqlrp._core.draw import P, hash_name

Connection = duckdb.DuckDBPyConnection

WITH_C = PolynomialKernelProjection(k=4, s=1, degree=2, t=2, c=1, seed=1)
PROJECTIONS: dict[str, Projection] = {
    "linear": SparseProjection(k=4, s=1, seed=3),
    "very-sparse": SparseProjection(k=4, s=30, seed=3),
    "degree2-c": WITH_C,
    "each-in-one-sum": SparseEmbedding(k=4, nnz_per_feature=1, seed=3),
}


# -- NULL ------------------------------------------------------------------------------------------


@pairwise(
    factors(
        lambda layout, lowering, **_: lowering in holding(layout),
        method=list(PROJECTIONS),
        layout=LAYOUTS,
        lowering=ASKED,
        output=OUTPUTS,
        kind=["DOUBLE", "FLOAT", "INTEGER", "DECIMAL(9,2)"],
        scale=[True, False],
    )
)
def test_a_null_feature(
    con: Connection, method: str, layout: str, lowering: str, output: str, kind: str, scale: bool
) -> None:
    projection = PROJECTIONS[method]
    rows: list[list[Any]] = [[1.0, 2.0, 3.0], [1.0, None, 3.0], [None] * 3, [0.0, 0.0, 0.0]]
    zeroed = np.array([[0.0 if v is None else v for v in row] for row in rows])
    want, row_scale = oracle(projection, zeroed, scale), magnitude(projection, zeroed, scale)
    rows_of = [[None if v is None else int(v) for v in row] for row in rows]
    source = load(con, layout, rows_of if kind == "INTEGER" else rows, kind)
    options: dict[str, Any] = {"lowering": lowering, "scale": scale}
    rtol = 1e-4 if kind == "FLOAT" else 1e-9
    got = projected(con, projection, source, output, nulls="propagate", **options)
    assert_close(got, want, row_scale, rtol, null=np.array([False, True, True, False]))
    got = projected(con, projection, source, output, nulls="zero", **options)
    assert_close(got, want, row_scale, rtol)
    with pytest.raises(StatementError) as caught:
        projected(con, projection, source, output, nulls="error", **options)
    assert_one_line(caught, "a feature is NULL", "nulls = 'zero' or 'propagate'")


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(("layout", "lowering"), COMBINATIONS)
def test_null_modes_agree_where_nothing_is_null(con: Connection, layout: str, lowering: str, output: str) -> None:
    x = np.array([[1.0, 2.0, 3.0], [-1.0, 0.5, 0.0]])
    source = load(con, layout, x.tolist())
    for nulls in ("propagate", "zero", "error"):
        got = projected(con, WITH_C, source, output, nulls=nulls, lowering=lowering)
        assert_close(got, oracle(WITH_C, x), magnitude(WITH_C, x))


@pytest.mark.parametrize("not_null", [True, False])
@pytest.mark.parametrize("lowering", ASKED)
def test_columns_declared_not_null(con: Connection, lowering: str, not_null: bool) -> None:
    con.execute(f"CREATE TABLE t (id INTEGER, a DOUBLE {'NOT NULL' if not_null else ''}, b DOUBLE)")
    con.execute("INSERT INTO t VALUES (0, 1, 2), (1, 3, NULL)")
    p = PROJECTIONS["linear"]
    want = oracle(p, np.array([[1.0, 2.0], [3.0, 0.0]]))
    got = projected(con, p, "t", lowering=lowering)
    assert_close(got, want, np.array([1.0, 1.0]), null=np.array([False, True]))
    con.execute("DELETE FROM t WHERE id = 1; ALTER TABLE t ALTER b SET NOT NULL")
    for output in OUTPUTS:
        assert_close(projected(con, p, "t", output, lowering=lowering), want[:1], np.array([1.0]))


@pairwise(factors(method=list(PROJECTIONS), lowering=ASKED, output=OUTPUTS, ragged=[True, False]))
def test_a_null_array(con: Connection, method: str, lowering: str, output: str, ragged: bool) -> None:
    projection = PROJECTIONS[method]
    source = load(con, "array", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], ragged=ragged)
    con.execute("INSERT INTO t VALUES (2, NULL)")
    x = np.array([[1.0, 2, 3], [4, 5, 6], [0, 0, 0]])
    want, row_scale = oracle(projection, x), magnitude(projection, x)
    got = projected(con, projection, source, output, lowering=lowering)
    assert_close(got, want, row_scale, null=np.array([False, False, True]))
    got = projected(con, projection, source, output, lowering=lowering, nulls="zero")
    assert_close(got, want, row_scale)
    with pytest.raises(StatementError) as caught:
        projected(con, projection, source, output, lowering=lowering, nulls="error")
    assert_one_line(caught, "a feature is NULL")


def test_lists_that_are_all_null_have_no_length(con: Connection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS id, CAST(NULL AS DOUBLE[]) AS x")
    with pytest.raises(SqlrpError) as caught:
        sqlrp.project(METHODS["linear"], Array("t", "x"), con)
    assert_one_line(caught, "'x'", "length", "FLOAT[768]")


# -- NaN and infinity ------------------------------------------------------------------------------------


@pytest.mark.parametrize("nulls", ["propagate", "zero", "error"])
@pytest.mark.parametrize(("layout", "lowering"), COMBINATIONS)
def test_nan_and_infinity_are_numbers(con: Connection, layout: str, lowering: str, nulls: str) -> None:
    nan, inf = math.nan, math.inf
    x = np.array([[nan, 1, 2], [inf, 1, 2], [-inf, 1, 2], [inf, -inf, 1], [inf, inf, 1], [1, 2, 3]])
    for kind in ("DOUBLE", "FLOAT"):
        source = load(con, layout, x.tolist(), kind)
        for projection in (PROJECTIONS["linear"], SparseProjection(k=6, s=3, seed=2)):
            for output in OUTPUTS:
                got = projected(con, projection, source, output, nulls=nulls, lowering=lowering)
                with np.errstate(invalid="ignore"):
                    assert_close(got, oracle(projection, x), magnitude(projection, x), 1e-6)


# -- small and empty ---------------------------------------------------------------------------------------


@pairwise(
    factors(
        lambda layout, lowering, **_: lowering in holding(layout),
        method=list(METHODS),
        layout=LAYOUTS,
        lowering=ASKED,
        output=OUTPUTS,
        scale=[True, False],
        kind=["DOUBLE", "INTEGER"],
    )
)
def test_an_empty_table(
    con: Connection, method: str, layout: str, lowering: str, output: str, scale: bool, kind: str
) -> None:
    projection = METHODS[method]
    source = load(con, layout, [[1, 2, 3]], kind)
    options: dict[str, Any] = {"output": output, "lowering": lowering, "scale": scale}
    full = sqlrp.project(projection, source, con, **options)
    con.execute("DELETE FROM t")
    empty = sqlrp.project(projection, source, con, **options)
    assert empty.num_rows == 0
    assert empty.schema == full.schema
    assert cells(empty, output, projection.k) == {}


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(("layout", "lowering"), COMBINATIONS)
def test_the_smallest_shapes(con: Connection, layout: str, lowering: str, output: str) -> None:
    x = np.array([[2.0]])
    source = load(con, layout, x.tolist())
    smallest: list[Projection] = [
        SparseProjection(k=1, s=1, seed=1),
        SparseProjection(k=1, seed=1),
        PolynomialKernelProjection(k=1, s=1, degree=1, t=1, p=1),
        PolynomialKernelProjection(k=1, s=1, degree=2, t=1, p=2),
        PolynomialKernelProjection(k=1, s=1, degree=3, t=2, p=6, c=1),
        PolynomialKernelProjection(k=3, s=1, degree=2, t=3, p=6),
        PolynomialKernelProjection(k=3, s=1, degree=2, t=3, p=18),
    ]
    for projection in smallest:
        got = projected(con, projection, source, output, lowering=lowering)
        assert_close(got, oracle(projection, x), magnitude(projection, x))


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(("layout", "lowering"), COMBINATIONS)
def test_vectors_without_any_sign(con: Connection, layout: str, lowering: str, output: str) -> None:
    x = np.array([[2.0, 1.0], [0.0, 0.0]])
    source = load(con, layout, x.tolist())
    projections: list[Projection] = [
        SparseProjection(k=3, s=1e6, seed=1),
        PolynomialKernelProjection(k=3, s=1e6, degree=2, t=2),
        PolynomialKernelProjection(k=3, s=1e6, degree=2, t=2, c=1),
    ]
    for projection in projections:
        got = projected(con, projection, source, output, lowering=lowering)
        assert got == {0: [0.0] * 3, 1: [0.0] * 3}


# -- keys ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("lowering", ASKED)
@pytest.mark.parametrize("layout", ["wide", "array"])
def test_rows_of_one_key_stay_apart(con: Connection, layout: str, lowering: str, output: str) -> None:
    x = np.array([[1.0, 2.0], [1.0, 2.0], [3.0, 4.0]])
    source = load(con, layout, x.tolist())
    con.execute("UPDATE t SET id = CASE WHEN id = 2 THEN NULL ELSE 7 END")
    p = SparseProjection(k=2, s=1, seed=1)
    result = sqlrp.project(p, source, con, output=output, lowering=lowering)  # type: ignore[arg-type]
    want = oracle(p, x)
    if output == "long":
        got = sorted(map(str, zip(*(column.to_pylist() for column in result.columns), strict=True)))
        keys = [7, 7, None]
        assert got == sorted(str((key, c, float(want[i, c]))) for i, key in enumerate(keys) for c in (0, 1))
    else:
        values = [result.column(c).to_pylist() for c in ("z0", "z1")] if output == "columns" else None
        rows = zip(*values, strict=True) if values else map(tuple, result.column("z").to_pylist())
        got = sorted(map(str, zip(result.column("id").to_pylist(), rows, strict=True)))
        assert got == sorted(str((key, tuple(want[i].tolist()))) for i, key in enumerate([7, 7, None]))


@pytest.mark.parametrize("output", OUTPUTS)
def test_long_rows_of_one_key_are_one_row(con: Connection, output: str) -> None:
    con.execute(
        "CREATE TABLE t AS FROM (VALUES (7, 0, 1.5), (8, 1, 2.0), (7, 2, -1.0), (NULL, 1, 4.0), (7, 0, 0.5), "
        "(NULL, 0, 1.0)) v(id, feature, value)"
    )
    for p in (METHODS["linear"], WITH_C):
        x = np.array([[2.0, 0, -1], [0, 2, 0], [1, 4, 0]])
        got = projected(con, p, Long("t", n_features=3), output)
        assert set(got) == {7, 8, None}
        by_row = {i: got[key] for i, key in enumerate((7, 8, None))}
        assert_close(by_row, oracle(p, x), magnitude(p, x))


@pytest.mark.parametrize("kind", ["VARCHAR", "DOUBLE", "DATE", "UUID", "BLOB"])
def test_keys_of_any_type(con: Connection, kind: str) -> None:
    values = {
        "VARCHAR": ["a'b", "ü"],
        "DOUBLE": ["0.5", "nan"],
        "DATE": ["2024-01-01", "1999-12-31"],
        "UUID": ["00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000b"],
        "BLOB": ["x", "y"],
    }[kind]
    text = ", ".join(
        f"(CAST('{v.replace(chr(39), chr(39) * 2)}' AS {kind}), {i}.0::DOUBLE)" for i, v in enumerate(values)
    )
    con.execute(f"CREATE TABLE t AS SELECT * FROM (VALUES {text}) v(id, a)")
    con.execute("CREATE TABLE l AS SELECT id, 0 AS feature, a AS value FROM t")
    p = SparseProjection(k=2, s=1, seed=1)
    want = sorted(map(str, con.sql("SELECT id FROM t").to_arrow_table().column(0).to_pylist()))
    for lowering in ASKED:
        result = sqlrp.project(p, "t", con, lowering=lowering)
        assert sorted(map(str, result.column("id").to_pylist())) == want
    assert sorted(map(str, sqlrp.project(p, Long("l", n_features=1), con).column("id").to_pylist())) == want


# -- long ------------------------------------------------------------------------------------------------------

WORDS = ["word", "Größe", "日本語", "it's", 'a "quoted" one', "", " ", "🙂", "a\\b", "x" * 500, "new\nline", "%s {x}"]


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("kind", ["VARCHAR", "ENUM"])
def test_text_features_are_hashed_by_name(con: Connection, kind: str, output: str) -> None:
    con.execute("CREATE TABLE t (id INTEGER, feature VARCHAR, value DOUBLE)")
    rows = [(i % 3, word, 0.5 + i) for i, word in enumerate(WORDS)]
    con.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    if kind == "ENUM":
        con.execute("CREATE TYPE words AS ENUM (SELECT DISTINCT feature FROM t)")
        con.execute("ALTER TABLE t ALTER feature TYPE words")
    x = np.zeros((3, len(WORDS)))
    for i, (row, _, value) in enumerate(rows):
        x[row, i] = value
    numbers = np.array([hash_name(word) for word in WORDS], dtype=np.int64)
    projections: list[Projection] = [
        SparseProjection(k=6, s=3, seed=1),
        PolynomialKernelProjection(k=4, s=1, degree=2, t=2, c=4, seed=1),
    ]
    for p in projections:
        got = projected(con, p, Long("t"), output)
        assert_close(got, oracle(p, x, features=numbers), magnitude(p, x, features=numbers))


def test_an_open_vocabulary_has_no_root(con: Connection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS id, 'a' AS feature, 1.0 AS value")
    with pytest.raises(ParameterError) as caught:
        sqlrp.project(SparseProjection(k=2), Long("t"), con)
    assert_one_line(caught, 's = "sqrt"', "n_features", "s = 3")
    result = projected(con, SparseProjection(k=2, seed=1), Long("t", n_features=9))
    assert result == projected(con, SparseProjection(k=2, s=3, seed=1), Long("t"))


@pytest.mark.parametrize("kind", ["TINYINT", "UINTEGER", "BIGINT", "UBIGINT", "HUGEINT"])
def test_integer_features_are_positions(con: Connection, kind: str) -> None:
    con.execute(
        f"CREATE TABLE t AS SELECT 1 AS id, CAST(f AS {kind}) AS feature, 2.0::DOUBLE AS value "
        "FROM (VALUES (0), (5), (99)) v(f)"
    )
    p = SparseProjection(k=6, s=1, seed=1)
    numbers = np.array([0, 5, 99])
    want = oracle(p, np.full((1, 3), 2.0), features=numbers)
    for n in (100, None, 5000):
        got = projected(con, p, Long("t", n_features=n))
        assert got == {1: pytest.approx(want[0].tolist(), rel=1e-12)}


@pytest.mark.parametrize(
    ("feature", "n", "bound"),
    [(-1, None, P - 3), (-1, 10, 9), (10, 10, 9), (P - 2, None, P - 3), (2**62, None, P - 3), (2**62, 3, 2)],
)
def test_features_out_of_range(con: Connection, feature: int, n: int | None, bound: int) -> None:
    con.execute(f"CREATE TABLE t AS SELECT 1 AS id, CAST({feature} AS BIGINT) AS feature, 1.0 AS value")
    for output in OUTPUTS:
        with pytest.raises(StatementError) as caught:
            projected(con, SparseProjection(k=2, s=1), Long("t", n_features=n), output)
        assert_one_line(caught, "'feature'", f"outside 0 ... {bound}", "raise n_features")


def test_the_greatest_position(con: Connection) -> None:
    con.execute(f"CREATE TABLE t AS SELECT 1 AS id, {P - 3}::BIGINT AS feature, 1.0::DOUBLE AS value")
    p = SparseProjection(k=9, s=1, seed=5)
    want = oracle(p, np.ones((1, 1)), features=np.array([P - 3]))
    assert projected(con, p, Long("t")) == {1: want[0].tolist()}


@pytest.mark.parametrize("nulls", ["propagate", "zero"])
def test_a_null_feature_name_is_no_feature(con: Connection, nulls: str) -> None:
    for kind in ("VARCHAR", "INTEGER"):
        con.execute(f"CREATE OR REPLACE TABLE t (id INTEGER, feature {kind}, value DOUBLE)")
        con.execute("INSERT INTO t VALUES (1, '3', 2.0), (1, NULL, 5.0), (2, NULL, 7.0)")
        p = SparseProjection(k=4, s=1, seed=1)
        number = hash_name("3") if kind == "VARCHAR" else 3
        want = oracle(p, np.array([[2.0]]), features=np.array([number]))[0].tolist()
        assert projected(con, p, Long("t"), nulls=nulls) == {1: want, 2: [0.0] * 4}


# -- lists of several lengths ------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("lowering", ASKED)
@pytest.mark.parametrize("other", ["[1.0, 2.0]", "[1.0, 2.0, 3.0, 4.0]", "[]"])
def test_ragged_lists(con: Connection, other: str, lowering: str, output: str) -> None:
    source = load(con, "array", [[1.0, 2.0, 3.0]], ragged=True)
    con.execute(f"INSERT INTO t VALUES (1, {other})")
    for nulls in ("propagate", "zero", "error"):
        with pytest.raises(StatementError) as caught:
            projected(con, METHODS["linear-s1"], source, output, lowering=lowering, nulls=nulls)
        assert_one_line(caught, "'x'", "not the 3 elements", "pad it")


@pytest.mark.parametrize("lowering", ASKED)
@pytest.mark.parametrize("s", [1, "sqrt"])
def test_empty_lists(con: Connection, s: float | str, lowering: str) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS id, CAST([] AS DOUBLE[]) AS x")
    with pytest.raises(SqlrpError) as caught:
        sqlrp.project(SparseProjection(k=2, s=s), Array("t", "x"), con, lowering=lowering)
    assert_one_line(caught, "'x'")


def test_wide_without_key_and_with_nulls(con: Connection) -> None:
    con.execute("CREATE TABLE t AS FROM (VALUES (1.0::DOUBLE, NULL::DOUBLE), (2.0, 3.0)) v(a, b)")
    p = SparseProjection(k=2, s=1, seed=1)
    want = oracle(p, np.array([[2.0, 3.0]]))[0].tolist()
    for lowering in ASKED:
        result = sqlrp.project(p, Wide("t", key=None), con, lowering=lowering)
        rows = sorted(zip(*(c.to_pylist() for c in result.columns), strict=True), key=str)
        assert sorted(map(str, rows)) == sorted([str((None, None)), str(tuple(want))])
