"""Sparse rows of a dataframe, words of one vector, and numpy arrays: the numbers of the database."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sqlrp
from sqlrp import Long, ParameterError, SourceError, UnsupportedError
from sqlrp._projections import REGISTRY

CELLS = pa.table(
    {
        "doc": ["b", "b", "a", "c", "a", "b"],
        "word": ["red", "car", "red", "blue", "sky", "red"],
        "n": pa.array([1.0, 2.0, 3.0, 4.0, None, 5.0]),
    }
)
RP = sqlrp.SparseProjection(k=4, s=3, seed=7)
KINDS = {"arrow": lambda table: table, "pandas": lambda table: table.to_pandas(), "polars": pl.from_arrow}


def in_database(projection: Any, source: Long, **options: Any) -> pa.Table:
    with duckdb.connect() as con:
        con.register("cells", CELLS)
        return sqlrp.project(projection, source, con, **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("output", ["columns", "array", "long"])
@pytest.mark.parametrize("nulls", ["propagate", "zero"])
@pytest.mark.filterwarnings("ignore::sqlrp.SqlrpWarning")
def test_sparse_rows_of_a_frame(kind: str, output: Any, nulls: Any) -> None:
    frame = KINDS[kind](CELLS)
    got = sqlrp.project(RP, Long(frame, "doc", "word", "n"), output=output, nulls=nulls)
    assert type(got) is type(frame)
    want = in_database(RP, Long("cells", "doc", "word", "n"), output=output, nulls=nulls)
    table = pa.Table.from_pandas(got, preserve_index=False) if kind == "pandas" else got
    table = table.to_arrow() if kind == "polars" else table
    keys = list(dict.fromkeys(table["doc"].to_pylist()))
    assert keys == ["b", "a", "c"]  # as they come first
    order = [(name, "ascending") for name in ("doc", "component") if name in want.column_names]
    for name in want.column_names:
        mine, others = (np.array(t.sort_by(order)[name].to_pylist(), dtype=object) for t in (table, want))
        assert pd.DataFrame(mine.tolist()).equals(pd.DataFrame(others.tolist())), name


def test_numbered_features_of_a_frame() -> None:
    cells = pd.DataFrame({"id": [7, 7, 3], "feature": [0, 2, 1], "value": [1, 2, 5]})
    got = sqlrp.project(sqlrp.SparseProjection(k=2, s=1, seed=7), Long(cells, n_features=3), scale=False)
    dense = np.array([[1, 0, 2], [0, 5, 0]])
    want = sqlrp.project(sqlrp.SparseProjection(k=2, s=1, seed=7), dense, scale=False)
    assert got["id"].tolist() == [7, 3]
    np.testing.assert_array_equal(got[["z0", "z1"]], want)


@pytest.mark.filterwarnings("ignore::sqlrp.SqlrpWarning")
@pytest.mark.parametrize("cls", [cls for cls in REGISTRY if not cls.needs_state], ids=lambda cls: cls.__name__)
def test_words_of_one_vector(cls: Any) -> None:
    """Those of a row of words in SQL, or both refuse them."""
    given = {"k": 4, "s": 3, "seed": 7}
    projection = cls(**{name: value for name, value in given.items() if name in cls(k=4).parameters()})
    words = {"red": 6.0, "car": 2.0}
    try:
        want = in_database(projection, Long("cells", "doc", "word", "n"), output="array")
    except (UnsupportedError, ParameterError):
        with pytest.raises((UnsupportedError, ParameterError)):
            sqlrp.project_vector(projection, words)
        return
    (row,) = [row["z"] for row in want.to_pylist() if row["doc"] == "b"]
    np.testing.assert_allclose(sqlrp.project_vector(projection, words), row, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("cls", [c for c in REGISTRY if not c.needs_state and c.transforms], ids=lambda c: c.__name__)
def test_a_numpy_array_gives_an_array(cls: Any) -> None:
    x = np.random.default_rng(1).normal(size=(9, 16))
    x[4, 3] = np.nan
    projection = cls(k=4, seed=7)
    frame = pd.DataFrame(x, columns=[f"f{j:02}" for j in range(16)])
    for scale in (True, False):
        want = sqlrp.project(projection, frame.fillna(0), key=None, scale=scale).to_numpy()
        np.testing.assert_allclose(sqlrp.project(projection, x, nulls="zero", scale=scale), want, rtol=1e-9)
    z = sqlrp.project(projection, x)
    assert (z.shape, z.dtype) == ((9, 4), np.float64)
    assert np.isnan(z).all(axis=1).tolist() == [i == 4 for i in range(9)]
    assert sqlrp.project(projection, x[:2].astype("float32"), dtype="float32").dtype == np.float32
    whole = np.arange(32).reshape(2, 16)
    np.testing.assert_array_equal(sqlrp.project(projection, whole), sqlrp.project(projection, whole.astype(float)))


def test_what_is_refused_names_it_and_prints_no_rows() -> None:
    frame, x = CELLS.to_pandas(), np.arange(64.0).reshape(4, 16)
    con = duckdb.connect()
    cases: tuple[tuple[Any, type[Exception], str], ...] = (
        (lambda: sqlrp.project(RP, Long(frame, "docs", "word", "n")), SourceError, "(did you mean 'doc'?)"),
        (lambda: sqlrp.project(RP, Long(frame, "doc", "word", "n"), con), ParameterError, "needs no connection"),
        (lambda: sqlrp.project(RP, Long(frame, "doc", "word", "n"), keep=["x"]), ParameterError, "leave out key"),
        (lambda: sqlrp.project(RP, x[0]), ParameterError, "sqlrp.project_vector takes one row"),
        (lambda: sqlrp.project(RP, x.astype(str)), ParameterError, "must have the shape (rows, features)"),
        (lambda: sqlrp.project(RP, x, con), ParameterError, "array of shape (4, 16)"),
        (lambda: sqlrp.project(RP, x, output="long"), ParameterError, "leave out a connection"),
        (lambda: sqlrp.project(RP, x, keep=["a"]), ParameterError, "leave out a connection"),
        (lambda: sqlrp.project(RP, x / 0 * 0, nulls="error"), SourceError, "row 0 of the array has NaN"),
        (lambda: sqlrp.project(sqlrp.BilinearPooling(k=4), x), ParameterError, "adds up groups of rows"),
        (lambda: sqlrp.project_vector(RP, {}), ParameterError, "must map words to numbers"),
        (lambda: sqlrp.project_vector(RP, {"a": "b"}), ParameterError, "must map words to numbers"),
        (
            lambda: sqlrp.diagnose(RP, Long(frame, "doc", "word", "n"), con),
            SourceError,
            "a DataFrame is not a table's name",
        ),
    )
    for call, kind, words in cases:
        with np.errstate(all="ignore"), pytest.raises(kind) as caught:
            call()
        assert words in str(caught.value)
        assert len(str(caught.value)) < 300
    con.close()
