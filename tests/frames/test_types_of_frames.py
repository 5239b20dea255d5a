"""Every type that a library of frames has, as a feature, as the key and as a kept column.

The types come from the libraries themselves. A type that a newer release brings fails `test_no_type_is_unknown`, until
it has a value here.
"""

from __future__ import annotations

import datetime as dt
import inspect
import re
import sys
import types
import uuid
import warnings
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sqlrp
from sqlrp import SqlrpError

NUMBERS = [3.0, 1.0, 2.0]
B, C = [5.0, 4.0, 3.0], [1.0, 0.0, 2.0]
RP = sqlrp.SparseProjection(k=3, s=1, seed=3)
MOMENT, DAY = dt.datetime(2024, 2, 29, 12), dt.date(2024, 2, 29)


def arrow_types() -> dict[str, list[pa.Array]]:
    """An array of each type of pyarrow, by the name of its factory; of numbers where it has some."""
    whole, text, binary = [3, 1, 2], ["u", "v", "w"], [b"u", b"v", b"w"]
    first, lists = pa.array([0, 0, 0], pa.int8()), pa.array([text] * 3, pa.list_(pa.string(), 3))
    numbers = {name: [pa.array(whole, getattr(pa, name)())] for name in ("int8", "int16", "int32", "int64")}
    numbers |= {name: [pa.array(whole, getattr(pa, name)())] for name in ("uint8", "uint16", "uint32", "uint64")}
    numbers |= {n: [pa.array(np.array(NUMBERS, t))] for n, t in (("float16", "e"), ("float32", "f"), ("float64", "d"))}
    numbers |= {
        f"decimal{bits}": [pa.array([Decimal(v) for v in whole], getattr(pa, f"decimal{bits}")(digits, 1))]
        for bits, digits in ((32, 8), (64, 16), (128, 38), (256, 76))
    }
    numbers |= {
        "dictionary": [pa.array(NUMBERS).dictionary_encode(), pa.array(text).dictionary_encode()],
        "run_end_encoded": [
            pa.RunEndEncodedArray.from_arrays(pa.array([1, 2, 3], pa.int32()), pa.array(values))
            for values in (NUMBERS, text)
        ],
        "bool_": [pa.array([True, False, True])],
        "bool8": [pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, 1], pa.int8()))],
        "null": [pa.nulls(3)],
    }
    others = {
        "string": [pa.array(text)], "utf8": [pa.array(text)], "large_string": [pa.array(text, pa.large_string())],
        "large_utf8": [pa.array(text, pa.large_utf8())], "string_view": [pa.array(text, pa.string_view())],
        "binary": [pa.array(binary), pa.array(binary, pa.binary(1))],
        "large_binary": [pa.array(binary, pa.large_binary())],
        "binary_view": [pa.array(binary, pa.binary_view())], "date32": [pa.array([DAY] * 3, pa.date32())],
        "date64": [pa.array([DAY] * 3, pa.date64())], "time32": [pa.array([1, 2, 3], pa.time32("s"))],
        "time64": [pa.array([1, 2, 3], pa.time64("us"))], "duration": [pa.array([1, 2, 3], pa.duration("s"))],
        "timestamp": [pa.array([MOMENT] * 3, pa.timestamp("us")), pa.array([MOMENT] * 3, pa.timestamp("us", "UTC"))],
        "month_day_nano_interval": [pa.array([(1, 2, 3)] * 3, pa.month_day_nano_interval())],
        "struct": [pa.array([{"a": 1}] * 3)], "map_": [pa.array([[("a", 1)]] * 3, pa.map_(pa.string(), pa.int64()))],
        "list_": [pa.array([text] * 3), pa.array([text] * 3, pa.list_(pa.string(), 3))],
        "large_list": [pa.array([text] * 3, pa.large_list(pa.string()))],
        "list_view": [pa.array([text] * 3, pa.list_view(pa.string()))],
        "large_list_view": [pa.array([text] * 3, pa.large_list_view(pa.string()))],
        "dense_union": [pa.UnionArray.from_dense(first, pa.array([0, 1, 2], pa.int32()), [pa.array(text)])],
        "sparse_union": [pa.UnionArray.from_sparse(first, [pa.array(text)])],
        "uuid": [pa.ExtensionArray.from_storage(pa.uuid(), pa.array([bytes(16)] * 3, pa.binary(16)))],
        "json_": [pa.ExtensionArray.from_storage(pa.json_(pa.string()), pa.array(["1", "2", "3"]))],
        "opaque": [pa.ExtensionArray.from_storage(pa.opaque(pa.binary(), "t", "v"), pa.array(binary))],
        "fixed_shape_tensor": [pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.string(), [3]), lists)],
    }  # fmt: skip
    return numbers | others


ARROW = arrow_types()
NUMERIC = [name for name in ARROW if name.startswith(("int", "uint", "float", "decimal"))] + ["dictionary"]
NUMERIC += ["run_end_encoded", "bool_", "bool8", "null"]


def test_no_type_is_unknown() -> None:
    """pyarrow has a function for each type, whose documentation begins with "Create"."""
    said = {n: inspect.getdoc(getattr(pa, n)) or "" for n in dir(pa) if n.islower() and callable(getattr(pa, n))}
    made = {
        name for name, words in said.items() if re.search(r"^Create [^\n]*(type\b|Type\b|Type instance)", words, re.M)
    }
    assert len(made) > 40
    assert made - ARROW.keys() - {"utf8", "large_utf8", "union", "from_numpy_dtype"} == set()
    polars = {kind.__name__ for kind in vars(pl).values() if isinstance(kind, type) and issubclass(kind, pl.DataType)}
    assert polars - POLARS.keys() - {"DataType", "BaseExtension", "Extension", "Unknown"} == set()


def oracle(values: list[float]) -> np.ndarray[Any, Any]:
    rows = np.column_stack([values, B, C])
    drawn = sqlrp.signs(3, 3, s=1, seed=3).column("sign").to_numpy().reshape(3, 3).T
    return rows @ drawn * RP.factor(3)


def numbers_of(result: Any, output: str) -> np.ndarray[Any, Any]:
    frame = result.to_pandas() if hasattr(result, "to_pandas") else result
    if output == "long":
        return frame["value"].to_numpy(dtype=float).reshape(3, 3)
    if output == "array":
        return np.array([[np.nan] * 3 if row is None else list(row) for row in frame["z"]], dtype=float)
    return frame[["z0", "z1", "z2"]].to_numpy(dtype=float)


def check(frame: Any, column: Any, as_table: Any, is_number: bool) -> None:
    """A column as a feature by every output, then as the key, then kept. `as_table`: makes a frame of columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if is_number:
            plain = [float(v) if v is not None else np.nan for v in frame]
            for output in ("columns", "array", "long"):
                result = sqlrp.project(RP, as_table(a=column, b=B, c=C), key=None, output=output)
                np.testing.assert_allclose(numbers_of(result, output), oracle(plain), rtol=1e-12)
        for key, keep in (("a", ()), (None, ["a"])):
            for output in ("columns", "long"):
                table = as_table(a=column, b=B, c=C, d=C)
                result = sqlrp.project(RP, table, key=key, keep=keep, output=output)
                assert type(result) is type(table)
                own = result["a"] if not isinstance(result, pa.Table) else result.column("a")
                given = table["a"] if not isinstance(table, pa.Table) else table.column("a")
                assert own.dtype == given.dtype if not isinstance(result, pa.Table) else own.type == given.type
                assert len(own) == (3 if output == "columns" else 9)
                if output == "columns" and not isinstance(result, pa.Table):
                    assert own.to_list() == given.to_list()


@pytest.mark.parametrize("name", ARROW)
def test_types_of_arrow(name: str) -> None:
    for at, column in enumerate(ARROW[name]):
        is_number = name in NUMERIC and at == 0
        values = column.storage.to_pylist() if name == "bool8" else column.to_pylist() if is_number else []
        check(values, column, lambda **columns: pa.table(columns), is_number)


POLARS: dict[str, tuple[pl.Series, bool]] = {
    **{
        name: (pl.Series([3, 1, 2], dtype=getattr(pl, name)), True)
        for name in (
            *("Int8", "Int16", "Int32", "Int64", "Int128", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128"),
            *("Float16", "Float32", "Float64"),
        )
        if hasattr(pl, name)
    },
    "Decimal": (pl.Series([Decimal(3), Decimal(1), Decimal(2)]), True),
    "Boolean": (pl.Series([True, False, True]), True),
    "Null": (pl.Series([None, None, None]), True),
    "String": (pl.Series(["u", "v", "w"]), False),
    "Binary": (pl.Series([b"u", b"v", b"w"]), False),
    "Categorical": (pl.Series(["u", "v", "w"], dtype=pl.Categorical), False),
    "Enum": (pl.Series(["u", "v", "w"], dtype=pl.Enum(["w", "v", "u"])), False),
    "Date": (pl.Series([DAY] * 3), False),
    "Datetime": (pl.Series([MOMENT] * 3), False),
    "Duration": (pl.Series([dt.timedelta(1)] * 3), False),
    "Time": (pl.Series([dt.time(1)] * 3), False),
    "List": (pl.Series([["u"]] * 3), False),
    "Array": (pl.Series([["u"]] * 3, dtype=pl.Array(pl.String, 1)), False),
    "Struct": (pl.Series([{"a": "u"}] * 3), False),
    "Object": (pl.Series([uuid.UUID(int=i) for i in range(3)], dtype=pl.Object), False),
    **({"Map": (pl.Series([{"u": 1}] * 3, dtype=pl.Map(pl.String, pl.Int64)), False)} if hasattr(pl, "Map") else {}),
    "Field": (pl.Series(["u", "v", "w"]), False),
}


@pytest.mark.parametrize("name", POLARS)
def test_types_of_polars(name: str) -> None:
    column, is_number = POLARS[name]
    check(column.to_list() if is_number else [], column, lambda **columns: pl.DataFrame(columns), is_number)


PANDAS: dict[str, tuple[Any, bool]] = {
    **{name: (pd.array([3, 1, 2], dtype=name), True) for name in ("Int8", "Int64", "UInt32", "Float32", "Float64")},
    **{f"numpy {kind}": (np.array([3, 1, 2], dtype=kind), True) for kind in "bBhHiIlLefdg?"},
    "boolean": (pd.array([True, False, True], dtype="boolean"), True),
    "categories of numbers": (pd.Categorical([3, 1, 2]), True),
    "sparse": (pd.arrays.SparseArray([3.0, 0, 2]), True),
    "sparse booleans": (pd.arrays.SparseArray([True, False, True]), True),
    "arrow": (pd.array([3, 1, 2], dtype=pd.ArrowDtype(pa.int16())), True),
    "arrow decimals": (pd.array([Decimal(3), Decimal(1), Decimal(2)], dtype=pd.ArrowDtype(pa.decimal128(9, 2))), True),
    "None": ([None, None, None], True),
    "decimals": ([Decimal(3), Decimal(1), Decimal(2)], True),
    "text": (["u", "v", "w"], False),
    "string": (pd.array(["u", "v", "w"], dtype="string"), False),
    "categories": (pd.Categorical(["u", "v", "w"]), False),
    "datetime": (pd.to_datetime([MOMENT] * 3), False),
    "with a zone": (pd.to_datetime([MOMENT] * 3).tz_localize("Europe/Paris"), False),
    "timedelta": (pd.to_timedelta([1, 2, 3], unit="s"), False),
    "period": (pd.period_range("2024-01", periods=3, freq="M"), False),
    "interval": (pd.interval_range(0, 3), False),
    "uuid": ([uuid.UUID(int=i) for i in range(3)], False),
}


@pytest.mark.parametrize("name", PANDAS)
def test_types_of_pandas(name: str) -> None:
    column, is_number = PANDAS[name]
    plain = list(pd.Series(column)) if is_number else []
    check(plain, column, lambda **columns: pd.DataFrame({n: pd.Series(c) for n, c in columns.items()}), is_number)


def test_what_gives_arrow_is_a_frame() -> None:
    """A stream gives its rows once; an object needs nothing but the method of the interface."""
    import pyarrow.dataset as ds

    table = pa.table({"id": [0, 1, 2], "a": NUMBERS, "b": B, "c": C})

    class Given:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return table.__arrow_c_stream__(requested_schema)

    forms: list[Any] = [
        table.to_batches()[0],
        table.to_reader(),
        ds.dataset(table),
        ds.dataset(table).scanner(),
        Given(),
    ]
    for form in forms:
        result = sqlrp.project(RP, form)
        assert isinstance(result, pa.Table)
        assert result.column("id").to_pylist() == [0, 1, 2]
        np.testing.assert_allclose(numbers_of(result, "columns"), oracle(NUMBERS), rtol=1e-12)
    fitted = [sqlrp.fit(sqlrp.PrincipalComponents(k=1), form) for form in (table, table.to_reader(), Given())]
    assert fitted[0] == fitted[1] == fitted[2]
    np.testing.assert_allclose(
        sqlrp.diagnose(RP, table.to_reader(), at=1).recall, sqlrp.diagnose(RP, table, at=1).recall
    )


def test_rows_without_names() -> None:
    """Lists, masked arrays, sparse matrices and a column of embeddings; masked is NULL."""
    from scipy import sparse

    x = np.column_stack([NUMBERS, B, C])
    want = oracle(NUMBERS)
    for given in (x.tolist(), list(x), memoryview(x), np.ma.array(x), sparse.csr_matrix(x), sparse.coo_array(x)):
        np.testing.assert_allclose(sqlrp.project(RP, given), want, rtol=1e-12)
    for column in (pd.Series(list(x), name="embedding"), pl.Series("embedding", x.tolist())):
        np.testing.assert_allclose(numbers_of(sqlrp.project(RP, column), "columns"), want, rtol=1e-12)
    masked = np.ma.masked_greater(np.array([[4.0, 1e37, 6.0], [1.0, 2.0, 3.0]]), 1e30)
    found = sqlrp.project(RP, masked)
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1]).all()
    assert np.isnan(sqlrp.project_vector(RP, masked[0])).all()
    thin = sparse.csr_matrix(np.where(np.isnan(x), 0, x))
    thin.data[0] = np.nan
    assert np.isnan(sqlrp.project(RP, thin)).sum() == 3
    with pytest.raises(SqlrpError, match="NaN"):
        sqlrp.project(RP, thin, nulls="error")
    for wrong in (["a", "b"], [[1.0], [1.0, 2.0]], [{"a": 1}]):
        with pytest.raises(SqlrpError, match="is a list: pass rows"):
            sqlrp.project(RP, wrong)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([{"u": 1.0}] * 3),
        pa.array([[("u", 1.0)]] * 3, pa.map_(pa.string(), pa.float64())),
        pa.UnionArray.from_sparse(pa.array([0, 0, 0], pa.int8()), [pa.array(B)]),
        pa.array([pa.MonthDayNano([1, 2, 3])] * 3),
        pd.period_range("2024-01", periods=3, freq="M"),
        pd.interval_range(0, 3),
    ],
    ids=lambda column: str(getattr(column, "type", column)).split("<")[0][:12],
)
def test_what_holds_numbers_and_is_left_out_is_named(column: Any) -> None:
    frame = pa.table if isinstance(column, pa.Array) else pd.DataFrame
    with pytest.warns(sqlrp.SqlrpWarning, match="left out: (nested|date) 'own'"):
        sqlrp.project(RP, frame({"id": [0, 1, 2], "a": NUMBERS, "b": B, "c": C, "own": column}))


def test_what_a_library_cannot_read_is_told_in_our_words() -> None:
    with pytest.raises(
        sqlrp.SourceError, match="a whole number beyond 64 bits in column 'a': cast the column to float"
    ):
        sqlrp.project(RP, pd.DataFrame({"id": [0], "a": pd.Series([2**70], dtype=object), "b": [1]}))
    with pytest.raises(sqlrp.SourceError, match="the lazy frame cannot be read: "):
        sqlrp.project(RP, pl.LazyFrame({"id": [0], "a": [1.0]}).select("nope"))


def test_columns_of_several_levels() -> None:
    frame = pd.DataFrame([[1.0, 5.0, 1.0]], columns=pd.MultiIndex.from_tuples([("u", "a"), ("u", "b"), ("v", "a")]))
    fitted = sqlrp.fit(
        sqlrp.DataTunedProjection(k=2, sample=2), pd.concat([frame, frame * 2], ignore_index=True), key=None
    )
    assert fitted.bound_to == ("u_a", "u_b", "v_a")


def test_a_library_that_another_thread_imports_has_no_frames_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python lists a module that is imported before its names are there."""
    con = duckdb.connect()
    con.execute("CREATE TABLE t AS SELECT range AS id, range * 1.0 AS a, range % 3 AS b FROM range(5)")
    for name in ("pandas", "polars", "pyarrow.dataset", "scipy.sparse", "ibis.expr.types.relations", "dask.dataframe"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    assert sqlrp.project(sqlrp.SparseProjection(k=1, s=1), "t", con).num_rows == 5
