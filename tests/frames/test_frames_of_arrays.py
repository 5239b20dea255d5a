"""Dataframes and lazy frames whose features are in a column of arrays, such as embeddings."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers import METHODS, OUTPUTS, assert_close, assert_one_line, cells, magnitude, oracle
from sklearn.compose import ColumnTransformer

import sqlrp
import sqlrp.sklearn
from sqlrp import Array, ParameterError, SourceError, Standardized

D, N = 6, 5
X = np.random.default_rng(4).normal(size=(N, D))
IDS = [4, 1, 3, 0, 2]
RP = METHODS["linear-s1"]


def made(con: Any, kind: str, x: list[Any], type_: pa.DataType, extra: dict[str, Any] | None = None) -> Any:
    """The same rows as a frame of the kind; x has a list or None for each row."""
    names = [f"n{i}" for i in range(len(x))]
    table = pa.table({"id": IDS[: len(x)], "name": names, "e": pa.array(x, type_), **(extra or {})})
    if kind == "relation":
        con.register("rows_of_arrays", table)
        return con.sql("FROM rows_of_arrays")
    if kind == "pandas":
        return table.to_pandas()
    if kind == "arrow":
        return table
    frame = pl.from_arrow(table)
    return frame.lazy() if kind == "polars lazy" else frame  # type: ignore[union-attr]


def arrow(frame: Any) -> pa.Table:
    """A result as an arrow table."""
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, pd.DataFrame):
        return pa.Table.from_pandas(frame, preserve_index=False)
    if isinstance(frame, duckdb.DuckDBPyRelation):
        return frame.to_arrow_table()
    return frame.to_arrow() if isinstance(frame, pl.DataFrame) else frame


def check(result: Any, frame: Any, x: Any, output: str = "columns", tolerance: float = 1e-12) -> None:
    """The result has the frame's kind and the projections of the rows x."""
    assert type(result) is type(frame)
    found = cells(arrow(result), output, RP.k)
    by_row = {i: found[key] for i, key in enumerate(IDS[: len(x)])}
    assert_close(by_row, oracle(RP, x), magnitude(RP, x), tolerance)


KINDS = ("pandas", "polars", "polars lazy", "arrow", "relation")
TYPES = {
    "lists": pa.list_(pa.float64()),
    "large lists": pa.large_list(pa.float64()),
    "fixed-size lists": pa.list_(pa.float64(), D),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("type_", TYPES)
def test_arrays_are_found_named_and_given_as_a_source(con: Any, kind: str, type_: str) -> None:
    frame = made(con, kind, X.tolist(), TYPES[type_])
    for output in OUTPUTS:
        check(sqlrp.project(RP, frame, output=output), frame, X, output)  # type: ignore[call-overload]
    check(sqlrp.project(RP, frame, array_column="e", keep=["name"]), frame, X)
    result = sqlrp.project(RP, Array(frame, "e", keep=["name"], n_features=D))
    check(result, frame, X)
    names = arrow(result).column_names
    assert names[:2] == ["id", "name"]


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_besides_numbers(con: Any, kind: str) -> None:
    frame = made(con, kind, X.tolist(), TYPES["lists"], {"price": [1.0] * N})
    with pytest.raises(SourceError) as caught:
        sqlrp.project(RP, frame)
    assert_one_line(caught, "array_column = 'e'", "drop the array")
    check(sqlrp.project(RP, frame, array_column="e"), frame, X)
    check(sqlrp.project(RP, frame, keep=["price"]), frame, X)  # then it is the only column of features


@pytest.mark.parametrize("number", [pa.float32(), pa.float64(), pa.int64(), pa.int8(), pa.float16()])
@pytest.mark.parametrize("kind", KINDS)
def test_types_of_the_numbers(con: Any, kind: str, number: pa.DataType) -> None:
    if number == pa.float16() and kind == "relation":
        number = pa.float32()  # DuckDB has no 16-bit floats
    x = np.round(X * 4)
    values = [np.asarray(row, dtype=np.float16) if number == pa.float16() else row.astype(int).tolist() for row in x]
    frame = made(con, kind, values, pa.list_(number))
    check(sqlrp.project(RP, frame), frame, x, tolerance=1e-6)
    if pa.types.is_integer(number):
        bare = cells(arrow(sqlrp.project(RP, frame, scale=False)), "columns", RP.k)
        assert all(isinstance(value, (int, Decimal)) for row in bare.values() for value in row)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_numpy_arrays_in_a_pandas_column(dtype: Any) -> None:
    x = np.round(X * 4).astype(dtype)
    frame = pd.DataFrame({"id": IDS, "e": list(x)}, index=pd.Index(list("abcde")))
    result = sqlrp.project(RP, frame)
    check(result, frame, x.astype(np.float64), tolerance=1e-6)
    assert list(result.index) == list("abcde")
    frame = frame.assign(e=[None, *list(x[1:])])
    assert result.columns.tolist() == ["id", "z0", "z1", "z2"]
    assert sqlrp.project(RP, frame)["z0"].isna().tolist() == [True] + [False] * (N - 1)
    with pytest.raises(SourceError, match="columns of one type"):
        sqlrp.project(RP, frame.assign(e=[np.zeros((2, 3))] * N))


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_elements_that_are_null(con: Any, kind: str, type_: str) -> None:
    rows: list[Any] = X.tolist()
    rows[0] = None
    rows[2] = [None, *rows[2][1:]]
    frame = made(con, kind, rows, TYPES[type_])
    found = cells(arrow(sqlrp.project(RP, frame)), "columns", RP.k)
    missing = [i for i, key in enumerate(IDS) if all(v is None or v != v for v in found[key])]
    assert missing == [0, 2]
    x = X.copy()
    x[2, 0] = 0
    filled = cells(arrow(sqlrp.project(RP, frame, nulls="zero")), "columns", RP.k)
    want = oracle(RP, x)
    assert [filled[key] for key in IDS[1:]] == [pytest.approx(row.tolist()) for row in want[1:]]


@pytest.mark.parametrize("kind", ["pandas", "polars", "polars lazy", "arrow"])
def test_a_row_of_another_length_is_named(con: Any, kind: str) -> None:
    rows = X.tolist()
    rows[3] = rows[3][:2]
    frame = made(con, kind, rows, TYPES["lists"])
    with pytest.raises(Exception) as caught:  # noqa: PT011  # polars wraps it
        arrow(sqlrp.project(RP, frame))
    assert "the row with id = 0 has 2 elements in 'e', and 6 are expected" in str(caught.value)
    without = frame.drop_columns(["id"]) if kind == "arrow" else frame.drop("id", axis=1) if kind == "pandas" else None
    if without is not None:
        with pytest.raises(SourceError, match=r"^row 3 has 2 elements in 'e'"):
            sqlrp.project(RP, without, key=None)
    with pytest.raises(Exception, match="has 6 elements in 'e', and 7 are expected"):
        arrow(sqlrp.project(RP, Array(frame, "e", n_features=7)))


def test_a_relation_names_the_column_of_uneven_lists(con: Any) -> None:
    rows = X.tolist()
    rows[3] = rows[3][:2]
    frame = made(con, "relation", rows, TYPES["lists"])
    with pytest.raises(duckdb.Error, match="a list in 'e' has not the 6 elements"):
        sqlrp.project(RP, frame).fetchall()


class _Tensors(pa.ExtensionType):  # type: ignore[misc]
    """Tensors as Ray stores them: large lists, whose length no type says."""

    def __init__(self) -> None:
        super().__init__(pa.large_list(pa.float32()), "ray.data.arrow_tensor_v2")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, serialized: bytes) -> _Tensors:
        return cls()


def test_tensors_of_ray() -> None:
    x = X.astype(np.float32)

    def column(rows: list[Any]) -> Any:
        storage = pa.chunked_array([pa.array(part, pa.large_list(pa.float32())) for part in (rows[:2], rows[2:])])
        return pa.chunked_array([pa.ExtensionArray.from_storage(_Tensors(), chunk) for chunk in storage.chunks])

    table = pa.table({"id": IDS, "e": column(x.tolist())})
    check(sqlrp.project(RP, table), table, x.astype(np.float64), tolerance=1e-6)
    ragged = table.set_column(1, "e", column([*x.tolist()[:-1], [1.0]]))
    with pytest.raises(SourceError, match=f"has 1 elements in 'e', and {D} are expected"):
        sqlrp.project(RP, ragged)


def test_no_rows(con: Any) -> None:
    for type_ in TYPES.values():
        for kind in KINDS[1:]:  # in pandas an empty column has no type
            frame = made(con, kind, [], type_)
            if type_ == TYPES["fixed-size lists"]:
                assert arrow(sqlrp.project(RP, frame)).num_rows == 0
                continue
            with pytest.raises(SourceError, match=r"length of the lists in 'e' .* cannot be told"):
                sqlrp.project(RP, frame)
            assert arrow(sqlrp.project(RP, Array(frame, "e", n_features=D))).num_rows == 0


def test_what_learns_from_frames_takes_arrays_too(con: Any, tmp_path: Path) -> None:
    frame = made(con, "arrow", X.tolist(), TYPES["lists"])
    wide = pa.table({"id": IDS, **{f"f{j}": X[:, j] for j in range(D)}})
    for how in ("standard", "l2"):
        of_array = sqlrp.project(RP, Standardized(frame, how))  # type: ignore[arg-type]
        named = sqlrp.project(RP, Standardized(Array(frame, "e"), how))  # type: ignore[arg-type]
        assert of_array.equals(named)
        want = sqlrp.project(RP, Standardized(wide, how))  # type: ignore[arg-type]
        assert np.allclose(of_array["z0"].to_numpy(), want["z0"].to_numpy())
    learnt = sqlrp.fit(sqlrp.PrincipalComponents(k=2, sample=N, seed=0), frame)
    assert learnt.bound_to == D
    assert sqlrp.project(learnt, frame).num_rows == N
    found, same = (sqlrp.diagnose(RP, f, sample=N, at=1) for f in (frame, wide))
    assert found.distortion.mean == pytest.approx(same.distortion.mean)
    more = frame.append_column("doc", pa.array(range(N, 2 * N))).append_column("w", pa.array([1.0] * N))
    array = Array(more, "e", key="doc")
    again = sqlrp.fit(
        sqlrp.PrincipalComponents(k=2, sample=N, seed=0), array
    )  # other keys, so another order of the sums
    assert np.allclose(*(np.array(sqlrp.project(p, X)) for p in (again, learnt)))
    assert sqlrp.fit(RP, Standardized(Array(more, "e"))) == sqlrp.fit(RP, Standardized(frame))  # type: ignore[arg-type]
    assert sqlrp.diagnose(RP, array, sample=N, at=1).distortion.mean == pytest.approx(same.distortion.mean)
    written = sqlrp.report(RP, Array(more, "e"), None, tmp_path / "page.html", sample=N, at=1)
    assert written.report.distortion == found.distortion
    with pytest.raises(SourceError, match="array column 'f' is not a column"):
        sqlrp.diagnose(RP, Array(more, "f"))
    with pytest.raises(ParameterError, match=r"taken by sqlrp\.project alone"):
        sqlrp.diagnose(RP, Array(con.sql("SELECT 1 AS id, [1.0, 2] AS e"), "e"))
    holes = pa.table({"id": IDS, "e": pa.array([None, *X[1:].tolist()], TYPES["lists"])})
    assert sqlrp.diagnose(RP, holes, sample=N, at=1).sampled.rows == N - 1


def test_nothing_is_computed_before_a_lazy_frame_is_read(con: Any) -> None:
    con.execute("CREATE TABLE d AS SELECT range AS id, [range * 1.0e0, 2, 3]::DOUBLE[3] AS e FROM range(4)")
    relation = con.sql("SELECT id, CASE WHEN id = 2 THEN error('read') ELSE e END AS e FROM d")
    made = sqlrp.project(RP, relation, array_column="e")
    assert "DuckDBPyRelation" in repr(Array(relation, "e"))
    with pytest.raises(duckdb.Error, match="read"):
        made.fetchall()
    seen: list[int] = []

    def read(part: pl.DataFrame) -> pl.DataFrame:
        seen.append(part.height)
        return part

    lazy = pl.DataFrame({"id": [1, 2], "e": np.ones((2, 3))}).lazy().map_batches(read)
    result = sqlrp.project(RP, lazy)
    assert seen == []
    assert result.collect().height == 2
    assert seen == [2]


def test_refusals(con: Any) -> None:
    frame = made(con, "arrow", X.tolist(), TYPES["lists"])
    for source, options, error, words in (
        (Array(frame, "e"), {"keep": ["name"]}, ParameterError, ["leave them out"]),
        (Array(frame, "e"), {"array_column": "e"}, ParameterError, ["leave them out"]),
        (frame, {"array_column": "x"}, SourceError, ["'x'", "not a column"]),
        (frame, {"array_column": "name"}, SourceError, ["'name'", "not an array of numbers"]),
        (frame, {"array_column": 3}, ParameterError, ["column = 3"]),
        ("t", {"array_column": "e", "connection": con}, ParameterError, ["Array(table, 'e')"]),
        (Array(frame, "e"), {"connection": con}, ParameterError, ["needs no connection"]),
    ):
        with pytest.raises(error) as caught:
            sqlrp.project(RP, source, **options)
        assert_one_line(caught, *words)
    for call in (
        lambda: sqlrp.sql(RP, Array(frame, "e"), "duckdb"),
        lambda: sqlrp.materialize(RP, Array(frame, "e"), con, "made"),
    ):
        with pytest.raises(ParameterError, match=r"Array of a Table is for sqlrp\.project"):
            call()
    two = frame.append_column("f", frame["e"])
    with pytest.raises(SourceError, match="array_column"):
        sqlrp.project(RP, two)
    check(sqlrp.project(RP, two, array_column="f"), two, X)


TRANSFORMED = {
    "pandas of arrays": lambda x: pd.DataFrame({"e": list(x)}),
    "pandas of Arrow": lambda x: pd.DataFrame(
        {"e": pd.Series(x.tolist(), dtype=pd.ArrowDtype(pa.list_(pa.float32())))}
    ),
    "a Series": lambda x: pd.Series(list(x), name="e"),
    "polars": lambda x: pl.DataFrame({"e": x}),
    "a Series of polars": lambda x: pl.Series("e", x),
    "Arrow": lambda x: pa.table({"e": pa.FixedSizeListArray.from_arrays(x.ravel(), x.shape[1])}),
}


@pytest.mark.parametrize("kind", TRANSFORMED)
def test_a_transformer_takes_a_column_of_arrays(kind: str) -> None:
    x = np.random.default_rng(0).normal(size=(30, 12)).astype(np.float32)
    made = sqlrp.sklearn.SparseProjection(4, random_state=1)
    want = made.fit_transform(x)
    found = made.fit_transform(TRANSFORMED[kind](x))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, want)
    np.testing.assert_array_equal(made.transform(TRANSFORMED[kind](x[:5])), want[:5])


def test_a_transformer_takes_a_column_of_arrays_of_a_table() -> None:
    x = np.random.default_rng(0).normal(size=(30, 12))
    frame = pd.DataFrame({"e": list(x), "price": np.arange(30.0)})
    own = sqlrp.sklearn.SparseProjection(4, random_state=1)
    both = ColumnTransformer([("e", own, ["e"]), ("price", "passthrough", ["price"])])
    np.testing.assert_array_equal(both.fit_transform(frame)[:, :4], own.fit_transform(x))
    with pytest.raises(SourceError, match=r"column 'e' holds arrays, and the frame has 2 columns.*\['e'\]"):
        own.fit(frame)
    with pytest.raises(SourceError, match="row 1 has 1 elements in 'e', and 2 are expected"):
        own.fit(pd.DataFrame({"e": [[1.0, 2.0], [1.0]]}))
    with pytest.raises(ValueError, match="contains NaN"):
        own.fit(pd.DataFrame({"e": [[1.0, 2.0], None]}))
    with pytest.raises(ValueError, match="could not convert string"):
        own.fit(pd.DataFrame({"word": ["a", "b"], "b": [1.0, 2.0]}))
