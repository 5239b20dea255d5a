"""Dataframes: pandas, polars and pyarrow give the same kind of dataframe, with the numbers of the database."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers import METHODS, OUTPUTS, assert_close, assert_one_line, cells, magnitude, oracle, projected

import sqlrp
from sqlrp import PolynomialKernelProjection, SourceError, SparseProjection, SqlrpError, Wide
from sqlrp._run.frames.arrow import arrow_of

Connection = duckdb.DuckDBPyConnection

KINDS = ("pandas", "polars", "pyarrow")
P2 = SparseProjection(k=2, s=1, seed=1)


def made(kind: str, table: pa.Table) -> Any:
    """An arrow table as a dataframe of the kind."""
    if kind == "pandas":
        return table.to_pandas()
    return pl.from_arrow(table) if kind == "polars" else table


def arrow(frame: Any) -> pa.Table:
    """A dataframe of any kind as an arrow table, without its index."""
    if isinstance(frame, pd.DataFrame):
        return pa.Table.from_pandas(frame, preserve_index=False)
    return frame.to_arrow() if isinstance(frame, pl.DataFrame) else frame


def sample(n: int = 7, d: int = 5) -> pa.Table:
    """Ids out of order, a name, and d features."""
    x = np.random.default_rng(n).normal(0, 2, (n, d))
    ids = np.arange(n)[::-1] * 3
    columns = {f"f{j}": x[:, j] for j in range(d)}
    return pa.table({"id": ids, "name": [f"row {i}" for i in ids], **columns})


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_numbers_order_and_kind(con: Connection, method: str, kind: str, output: str, scale: bool) -> None:
    projection, table = METHODS[method], sample()
    frame = made(kind, table)
    result = sqlrp.project(projection, frame, output=output, scale=scale, keep=["name"])  # type: ignore[arg-type]
    assert type(result) is type(frame)
    got = arrow(result)
    assert got.column_names[:2] == ["id", "name"]
    repeat = projection.k if output == "long" else 1
    assert got["id"].to_pylist() == [i for i in table["id"].to_pylist() for _ in range(repeat)]
    assert got["name"].to_pylist() == [f"row {i}" for i in got["id"].to_pylist()]
    if output == "long":
        assert got["component"].to_pylist() == list(range(projection.k)) * table.num_rows
    con.register("t", table)
    database = projected(con, projection, Wide("t"), output, scale=scale)
    x = np.column_stack([table[f"f{j}"] for j in range(5)])
    by_key = cells(got, output, projection.k)
    ids = table["id"].to_pylist()
    row_scale = magnitude(projection, x, scale)
    assert_close({i: by_key[key] for i, key in enumerate(ids)}, oracle(projection, x, scale), row_scale, 1e-12)
    want = np.array([database[key] for key in ids], dtype=np.float64)
    assert_close({i: by_key[key] for i, key in enumerate(ids)}, want, row_scale, 1e-12)


@pytest.mark.parametrize("output", OUTPUTS)
def test_types_of_the_result_are_those_of_the_database(con: Connection, output: str) -> None:
    for feature in (pa.float64(), pa.float32(), pa.int8(), pa.int32(), pa.int64(), pa.bool_(), pa.uint64()):
        values = pa.array([True, False]) if feature == pa.bool_() else pa.array([3, 1]).cast(feature)
        table = pa.table({"id": [1, 2], "a": values, "b": values})
        con.register("t", table)
        for scale in (True, False):
            for projection in (P2, METHODS["degree2"]):
                options: dict[str, Any] = {"output": output, "scale": scale}
                here = sqlrp.project(projection, table, **options)
                there = sqlrp.project(projection, "t", con, **options)
                assert here.column_names == there.column_names
                for a, b in zip(plain_types(here), plain_types(there), strict=True):
                    # A HUGEINT arrives as decimal128, a BIGNUM as decimal256; here the bits decide.
                    assert a == b or (pa.types.is_decimal(a) and pa.types.is_decimal(b)), (feature, scale)


def plain_types(table: pa.Table) -> list[pa.DataType]:
    """The types of the columns besides the key, of an array that of its elements."""
    return [t.value_type if pa.types.is_fixed_size_list(t) else t for t in table.schema.types[1:]]


# -- pandas -------------------------------------------------------------------------------------------------


def test_the_index_is_kept() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]}, index=pd.Index(["x", "y", "x"], name="label"))
    for output in ("columns", "array"):
        assert sqlrp.project(P2, frame, output=output, key=None).index.equals(frame.index)  # type: ignore[arg-type]
    long = sqlrp.project(P2, frame, output="long", key=None)
    assert long.index.tolist() == ["x", "x", "y", "y", "x", "x"]
    assert long.index.name == "label"
    assert sqlrp.project(SparseProjection(k=1, s=1), frame, output="long", key=None).index.equals(frame.index)
    levels = frame.set_index(pd.MultiIndex.from_tuples([(1, "a"), (1, "b"), (2, "a")], names=["i", "j"]))
    assert sqlrp.project(P2, levels, key=None).index.equals(levels.index)
    shuffled = frame.set_index(pd.Index([5, 3, 4]))
    assert sqlrp.project(P2, shuffled, key=None)["z0"].tolist() == sqlrp.project(P2, frame, key=None)["z0"].tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_an_absent_key_is_fine(kind: str) -> None:
    table = sample().drop(["id", "name"])
    result = arrow(sqlrp.project(P2, made(kind, table), key=None))
    assert result.column_names == ["z0", "z1"]
    named = arrow(sqlrp.project(P2, made(kind, table), key="f0"))
    assert named.column_names == ["f0", "z0", "z1"]
    assert named["f0"].equals(table["f0"])
    x = np.column_stack([table[f"f{j}"] for j in range(1, 5)])
    assert np.allclose(np.array(named["z0"]), oracle(P2, x)[:, 0], rtol=1e-12)


def test_the_input_is_left_alone() -> None:
    table = sample()
    for kind in KINDS:
        frame = made(kind, table)
        sqlrp.project(P2, frame)
        assert arrow(frame).to_pylist() == table.to_pylist()


@pytest.mark.parametrize(
    "column",
    [
        pd.array([1, None, 3], dtype="Int64"),
        pd.array([2**60 + 1, None, 3], dtype="Int64"),
        pd.array(["a", None, "c"], dtype="string"),
        pd.Categorical(["a", "b", "a"], categories=["b", "a", "z"], ordered=True),
        pd.array([True, None, False], dtype="boolean"),
        pd.to_datetime(["2024-01-01", None, "2025-01-01"]).tz_localize("Europe/Berlin"),
        pd.array([1.5, None, 2.5], dtype="Float32"),
        pd.period_range("2024-01", periods=3, freq="M"),
        np.array([1, 2, 3], dtype=np.int16),
    ],
    ids=lambda c: str(c.dtype),
)
@pytest.mark.parametrize("role", ["key", "keep"])
def test_pandas_columns_pass_through_as_they_are(column: Any, role: str) -> None:
    frame = pd.DataFrame({"p": column, "a": [1.0, 2.0, 3.0]}, index=[7, 8, 9])
    options: dict[str, Any] = {"key": "p"} if role == "key" else {"key": None, "keep": ["p"]}
    result = sqlrp.project(P2, frame, **options)
    pd.testing.assert_series_equal(result["p"], frame["p"])
    long = sqlrp.project(P2, frame, output="long", **options)
    assert long["p"].dtype == frame["p"].dtype


def nullable() -> dict[str, pd.DataFrame]:
    """The same rows, the second with a missing feature, in pandas' several ways."""
    return {
        "Float64": pd.DataFrame({"a": pd.array([1.5, None, 3], dtype="Float64"), "b": [1.0, 2.0, 3.0]}),
        "Float32": pd.DataFrame({"a": pd.array([1.5, None, 3], dtype="Float32"), "b": np.float32([1, 2, 3])}),
        "NaN": pd.DataFrame({"a": [1.5, np.nan, 3], "b": [1.0, 2.0, 3.0]}),
        "arrow": pd.DataFrame({"a": pd.array([1.5, None, 3], dtype="double[pyarrow]"), "b": [1.0, 2.0, 3.0]}),
    }


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("kind", list(nullable()))
def test_null_modes_of_pandas(kind: str, output: str) -> None:
    # NaN is how pandas writes a missing value, so that it counts as NULL there.
    frame = nullable()[kind]
    frame.insert(0, "id", [0, 1, 2])
    x = np.array([[1.5, 1], [0, 2], [3, 3]])
    want, row_scale = oracle(P2, x), magnitude(P2, x)
    null = np.array([False, True, False])
    for nulls, mask in (("propagate", null), ("zero", None)):
        result = sqlrp.project(P2, frame, output=output, nulls=nulls)  # type: ignore[arg-type]
        got = cells(arrow(result), output, 2)
        assert_close(got, want, row_scale, 1e-6, null=mask)
    with pytest.raises(SqlrpError) as caught:
        sqlrp.project(P2, frame, output=output, nulls="error")  # type: ignore[arg-type]
    assert_one_line(caught, "a feature is NULL", "nulls = 'zero' or 'propagate'")


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_null_modes_where_nan_is_a_number(kind: str, output: str) -> None:
    table = pa.table({"id": [0, 1, 2], "a": pa.array([1.0, None, np.nan]), "b": [1.0, 2.0, 3.0]})
    frame = made(kind, table)
    x = np.array([[1.0, 1], [0, 2], [np.nan, 3]])
    want, row_scale = oracle(P2, x), magnitude(P2, x)
    null = np.array([False, True, False])
    for nulls, mask in (("propagate", null), ("zero", None)):
        got = cells(arrow(sqlrp.project(P2, frame, output=output, nulls=nulls)), output, 2)  # type: ignore[arg-type]
        assert_close(got, want, row_scale, null=mask)
    with pytest.raises(SqlrpError, match="a feature is NULL"):
        sqlrp.project(P2, frame, output=output, nulls="error")  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", ["Int8", "UInt8", "Int64", "boolean", "int64[pyarrow]", "bool[pyarrow]"])
def test_nullable_integers_and_booleans(dtype: str) -> None:
    frame = pd.DataFrame({"a": pd.array([1, None, 0], dtype=dtype), "b": pd.array([1, 1, 0], dtype=dtype)})
    want = oracle(P2, np.array([[1.0, 1], [0, 1], [0, 0]]), scale=False)
    bare = sqlrp.project(P2, frame, scale=False, nulls="zero", key=None)
    assert bare.to_numpy().tolist() == want.tolist()
    propagated = sqlrp.project(P2, frame, scale=False, key=None)
    assert propagated.isna().to_numpy().tolist() == [[False] * 2, [True] * 2, [False] * 2]
    assert [int(v) for v in propagated.iloc[0]] == want[0].tolist()


def test_column_names_that_are_no_strings() -> None:
    numbers = pd.DataFrame(np.arange(6.0).reshape(2, 3))
    want = oracle(P2, np.arange(6.0).reshape(2, 3))
    assert np.allclose(sqlrp.project(P2, numbers, key=None).to_numpy(), want, rtol=1e-12)
    assert sqlrp.project(P2, numbers, key="0").columns.tolist() == ["0", "z0", "z1"]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]),
        pd.DataFrame([[1.0, 2.0]], columns=[1, "1"]),
        pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["a", "a"]),
    ],
    ids=["pandas", "pandas-cast", "pyarrow"],
)
def test_duplicate_columns(frame: Any) -> None:
    with pytest.raises(SourceError) as caught:
        sqlrp.project(P2, frame)
    assert_one_line(caught, "twice", "rename")


def test_a_column_that_arrow_cannot_read() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "mixed": ["x", 1]})
    with pytest.raises(SqlrpError) as caught:
        sqlrp.project(P2, frame)
    assert_one_line(caught, "mixed")


# -- types --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("kind", KINDS)
def test_float32_stays_float32(kind: str, output: str) -> None:
    x = np.random.default_rng(1).normal(0, 1, (4, 3)).astype(np.float32)
    table = pa.table({f"f{j}": x[:, j] for j in range(3)} | {"flag": [True, False, True, True]})
    for projection in (P2, METHODS["degree2"]):
        for scale in (True, False):
            result = arrow(sqlrp.project(projection, made(kind, table), output=output, scale=scale, key=None))  # type: ignore[arg-type]
            last = result.schema.types[-1]
            if output == "array":
                last = last.value_type
            assert last == pa.float32()
            values = np.array(result.columns[-1].to_pylist(), dtype=np.float64)
            full = np.column_stack([x.astype(np.float64), [1, 0, 1, 1]])
            want, row_scale = oracle(projection, full, scale), magnitude(projection, full, scale)
            want = want if output == "array" else want.reshape(-1) if output == "long" else want[:, -1]
            assert (np.abs(values - want) <= 1e-5 * row_scale.max()).all()


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("kind", KINDS)
def test_booleans_are_zero_and_one(kind: str, output: str) -> None:
    table = pa.table({"id": [0, 1], "a": [True, False], "b": [True, True]})
    got = cells(arrow(sqlrp.project(P2, made(kind, table), output=output, scale=False)), output, 2)  # type: ignore[arg-type]
    want = oracle(P2, np.array([[1.0, 1], [0, 1]]), scale=False)
    assert got == {0: want[0].tolist(), 1: want[1].tolist()}


LARGE = {
    "int64": (pa.int64(), [2**63 - 1, -(2**63), 2**53 + 1]),
    "uint64": (pa.uint64(), [2**64 - 1, 0, 2**53 + 1]),
    "int32": (pa.int32(), [2**31 - 1, -(2**31), 3]),
}


@pytest.mark.parametrize("with_null", [False, True])
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", LARGE)
def test_bare_sums_of_large_integers_are_exact(name: str, kind: str, output: str, with_null: bool) -> None:
    dtype, values = LARGE[name]
    # A second row that may hold a NULL must not turn the first one's integers into floats.
    a, b = pa.array([values[0], None if with_null else values[1]], dtype), pa.array([values[0], values[2]], dtype)
    table = pa.table({"id": [0, 1], "a": a, "b": b})
    if kind == "pandas":
        frame: Any = pd.DataFrame(
            {"id": [0, 1], **{c: table[c].to_pandas(types_mapper=pd.ArrowDtype) for c in ("a", "b")}}
        )
    else:
        frame = made(kind, table)
    projection = SparseProjection(k=3, s=1, seed=2)
    result = sqlrp.project(projection, frame, output=output, scale=False)  # type: ignore[arg-type]
    got = cells(arrow(result), output, 3)
    matrix = projection.stages(2)[0].matrix(np.arange(2)).astype(object)  # type: ignore[union-attr]
    rows = [[values[0], values[0]], [values[1], values[2]]]
    want = [[int(v) for v in np.array(row, dtype=object) @ matrix] for row in rows]
    assert [int(v) for v in got[0] if v is not None] == want[0]
    assert (got[1] == [None] * 3) if with_null else ([int(v) for v in got[1] if v is not None] == want[1])


def test_decimals() -> None:
    values = pa.array([Decimal("1.25"), Decimal("-3.50")], pa.decimal128(9, 2))
    table = pa.table({"id": [0, 1], "a": values, "b": values})
    x = np.array([[1.25, 1.25], [-3.5, -3.5]])
    for kind in KINDS:
        got = cells(arrow(sqlrp.project(P2, made(kind, table), keep=[])), "columns", 2)
        assert_close(got, oracle(P2, x), magnitude(P2, x), 1e-12)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("place", [None, 0, 2, 5])
def test_floats_that_lie_as_one_matrix(order: Any, place: int | None) -> None:
    """They are read as they lie: with a key before, between and after them, a column set later, NaN and infinity."""
    x = np.random.default_rng(1).normal(size=(6, 5))
    x[2, 1], x[3, 4], x[4, :2], x[5, :2] = np.nan, np.inf, (np.inf, -np.inf), (np.inf, np.nan)
    frame = pd.DataFrame(np.array(x, order=order), columns=[*"abcde"], copy=False)
    if place is not None:
        frame.insert(place, "id", [f"row {i}" for i in range(6)])
    for changed in (frame, frame.assign(c=2.5), frame.iloc[::2], frame[["b", *frame.columns.drop(["b", "d"]), "d"]]):
        columns = {name: changed[name].to_numpy().copy() for name in changed.columns}
        apart = pd.concat([pd.Series(v, name=n, index=changed.index) for n, v in columns.items()], axis=1)
        assert arrow_of(changed).equals(pa.Table.from_pandas(apart, preserve_index=False))
        got = sqlrp.project(P2, changed, key=None)
        want = oracle(P2, apart.drop(columns="id", errors="ignore").to_numpy())
        null = apart.drop(columns="id", errors="ignore").isna().any(axis=1).to_numpy()
        assert got[["z0", "z1"]].isna().to_numpy()[null].all()
        assert np.allclose(got[["z0", "z1"]].to_numpy()[~null], want[~null], equal_nan=True)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("kind", KINDS)
def test_empty_dataframes(kind: str, output: str) -> None:
    for table in (sample(), pa.table({"id": [1, 2], "a": [1, 2]})):
        full = arrow(sqlrp.project(P2, made(kind, table), output=output))  # type: ignore[arg-type]
        empty = arrow(sqlrp.project(P2, made(kind, table.slice(0, 0)), output=output))  # type: ignore[arg-type]
        assert empty.num_rows == 0
        assert empty.column_names == full.column_names
        if kind != "pandas":  # an empty object column of pandas has no type
            assert empty.schema.types == full.schema.types


def test_chunks_slices_and_encodings() -> None:
    table = sample()
    want = sqlrp.project(P2, table)
    chunked = pa.concat_tables([table.slice(0, 3), table.slice(3, 0), table.slice(3)])
    assert sqlrp.project(P2, chunked).to_pylist() == want.to_pylist()
    assert sqlrp.project(P2, table.slice(2, 3)).to_pylist() == want.slice(2, 3).to_pylist()
    encoded = table.set_column(1, "name", table["name"].combine_chunks().dictionary_encode())
    assert sqlrp.project(P2, encoded, keep=["name"])["name"].to_pylist() == table["name"].to_pylist()


@pytest.mark.parametrize("kind", KINDS)
def test_errors_of_dataframes(kind: str) -> None:
    frame = made(kind, sample().select(["id", "name"]))
    with pytest.raises(SourceError) as caught:
        sqlrp.project(P2, frame)
    assert_one_line(caught, "no numeric column")
    frame = made(kind, sample())
    with pytest.raises(SourceError) as caught:
        sqlrp.project(P2, frame, keep=["nam"])
    assert_one_line(caught, "keep column 'nam'", "did you mean 'name'?")
    clash = made(kind, sample().append_column("z1", pa.array(["x"] * 7)))
    with pytest.raises(SourceError) as caught:
        sqlrp.project(P2, clash, keep=["z1"])
    assert_one_line(caught, "column 'z1'", "output column")


def test_s_sqrt_counts_the_features_only() -> None:
    table = sample(d=4)
    root = arrow(sqlrp.project(PolynomialKernelProjection(k=3, seed=1), table, keep=["name"]))
    two = arrow(sqlrp.project(PolynomialKernelProjection(k=3, s=2, seed=1), table, keep=["name"]))
    assert root.to_pylist() == two.to_pylist()
