"""Searches of frames and arrays that `sqlrp.project` returned, against numpy and against the search of a table."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers import assert_one_line, load

import sqlrp

N, D = 60, 9
X = np.random.default_rng(4).normal(size=(N, D)).round(3)
X[11] = 0
ASKED = np.random.default_rng(5).normal(size=(3, D))
NAMES = [f"f{j}" for j in range(D)]
KEYS = [f"row {i * 7 % N}" for i in range(N)]
P = sqlrp.SparseProjection(k=70, s=2, seed=3)


def frame_of(kind: str, columns: dict[str, Any]) -> Any:
    return {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[kind](columns)


def rows_as(kind: str, layout: str, x: npt.NDArray[Any] = X) -> Any:
    own: dict[str, Any] = {"doc": KEYS[: len(x)]}
    return frame_of(kind, own | (dict(zip(NAMES, x.T, strict=True)) if layout == "wide" else {"e": x.tolist()}))


def want(x: npt.NDArray[Any], query: npt.NDArray[Any], metric: str) -> npt.NDArray[Any]:
    if metric == "l2":
        return np.asarray(np.linalg.norm(x - query, axis=1))
    if metric == "inner":
        return np.asarray(-(x @ query))
    with np.errstate(invalid="ignore"):
        cosine = x @ query / (np.linalg.norm(x, axis=1) * np.linalg.norm(query))
    return 1 - np.nan_to_num(cosine)


def columns_of(frame: Any) -> dict[str, list[Any]]:
    table = pa.Table.from_pandas(frame, preserve_index=False) if isinstance(frame, pd.DataFrame) else frame
    return table.to_pydict() if isinstance(table, pa.Table) else table.to_dict(as_series=False)


@pytest.mark.parametrize("layout", ["wide", "array"])
@pytest.mark.parametrize("output", ["bits", "columns", "array"])
@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_frames_are_searched(kind: str, output: Any, layout: str) -> None:
    source = rows_as(kind, layout)
    codes = sqlrp.project(P, source, key="doc", output=output)
    given = {"projection": P, "source": source, "key": "doc"}
    z, q = sqlrp.project(P, X), sqlrp.project(P, ASKED)
    for metric in ("l2", "cosine", "inner"):
        found = sqlrp.search(None, codes, ASKED, n=4, candidates=N, metric=metric, **given)  # type: ignore[arg-type]
        assert type(found) is type(codes)
        held = columns_of(found)
        assert list(held) == ["query", "doc", "distance"]
        assert held["query"] == [0] * 4 + [1] * 4 + [2] * 4
        apart = np.stack([want(X, query, metric) for query in ASKED])
        assert held["doc"] == [KEYS[i] for row in apart for i in np.argsort(row)[:4]]
        assert np.allclose(held["distance"], np.sort(apart)[:, :4].ravel())
        first = sqlrp.search(None, codes, ASKED[0], n=N, again=False, metric=metric, projection=P, key="doc")  # type: ignore[arg-type]
        held = columns_of(first)
        own = np.pi * ((z > 0) != (q[0] > 0)).mean(axis=1) if output == "bits" else want(z, q[0], metric)
        assert np.allclose(held["distance"], np.sort(own))
        assert np.allclose([own[KEYS.index(key)] for key in held["doc"]], held["distance"])


@pytest.mark.parametrize("output", ["bits", "columns"])
def test_arrays_are_searched_and_rows_counted(output: Any) -> None:
    codes = sqlrp.project(P, X, output=output)
    found = sqlrp.search(None, codes, ASKED[1], n=5, candidates=N, projection=P, source=X)
    assert found.column_names == ["id", "distance"]
    assert found["id"].to_pylist() == np.argsort(want(X, ASKED[1], "l2"))[:5].tolist()
    frame = pa.table(dict(zip(NAMES, X.T, strict=True)))
    codes = sqlrp.project(P, frame, key=None, output=output)
    again = sqlrp.search(None, codes, ASKED[1], n=5, candidates=N, projection=P, source=frame, key=None)
    assert again.equals(found)
    assert sqlrp.search(None, codes, ASKED[:0], projection=P, source=frame, key=None).num_rows == 0


def test_only_the_candidates_are_ranked_again() -> None:
    """As many as are asked for, by the codes; the same ones as in a database."""
    few = sqlrp.SparseProjection(k=4, s=1, seed=1)
    with duckdb.connect() as con:
        load(con, "wide", X.tolist())
        sqlrp.materialize(few, "t", con, "made")
        frame = con.sql("SELECT * FROM t").to_arrow_table()
        codes = sqlrp.project(few, frame)
        for candidates in (5, 20, N):
            own = {"n": 5, "candidates": candidates}
            found = sqlrp.search(None, codes, ASKED, projection=few, source=frame, **own)  # type: ignore[arg-type]
            held = sqlrp.search(con, "made", ASKED, **own)  # type: ignore[arg-type]
            assert found.column("id").to_pylist() == held.column("id").to_pylist()
            assert np.allclose(found.column("distance"), held.column("distance"))


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("nulls", ["zero", "propagate"])
@pytest.mark.filterwarnings("ignore::sqlrp.SqlrpWarning")
def test_null(kind: str, nulls: Any) -> None:
    """A row with NULL is not found, unless it was read as zero; then it is ranked so, too."""
    cells = [[None if (i, j) in ((3, 2), (40, 0)) else v for i, v in enumerate(X[:, j].tolist())] for j in range(D)]
    source = frame_of(kind, {"doc": KEYS, **dict(zip(NAMES, cells, strict=True))})
    x = X.copy()
    x[3, 2] = x[40, 0] = 0
    kept = [i for i in range(N) if nulls == "zero" or i not in (3, 40)]
    for output in ("bits", "columns", "array"):
        codes = sqlrp.project(P, source, key="doc", output=output, nulls=nulls)  # type: ignore[call-overload]
        given = {"projection": P, "source": source, "key": "doc"}
        held = columns_of(sqlrp.search(None, codes, ASKED[0], n=N, candidates=N, **given))  # type: ignore[arg-type]
        apart = want(x[kept], ASKED[0], "l2")
        assert held["doc"] == [KEYS[kept[i]] for i in np.argsort(apart)]
        assert np.allclose(held["distance"], np.sort(apart))


def test_a_prepared_source_an_array_column_and_an_index() -> None:
    shifted = X + 50
    frame = rows_as("pyarrow", "wide", shifted)
    prepared = sqlrp.Standardized(frame)
    codes = sqlrp.project(P, prepared, key="doc", output="bits")
    given = {"projection": P, "key": "doc", "n": 1}
    found = sqlrp.search(None, codes, shifted[5], source=prepared, candidates=1, **given)  # type: ignore[arg-type]
    assert found.to_pylist() == [{"doc": KEYS[5], "distance": 0.0}]
    nested = rows_as("pyarrow", "array").append_column("year", pa.array(range(N)))
    source = sqlrp.Array(nested, "e", key="doc")
    codes = sqlrp.project(P, source, output="bits")
    found = sqlrp.search(None, codes, X[5], source=source, candidates=1, **given)  # type: ignore[arg-type]
    assert found.to_pylist() == [{"doc": KEYS[5], "distance": 0.0}]
    indexed = rows_as("pandas", "wide").set_index("doc")
    codes = sqlrp.project(P, indexed, key="doc", output="bits")
    found = sqlrp.search(None, codes, X[5], source=indexed, **given)  # type: ignore[arg-type]
    assert found.to_dict("records") == [{"doc": KEYS[5], "distance": 0.0}]


def test_rows_that_left_the_source_are_not_found() -> None:
    source = rows_as("pyarrow", "wide")
    codes = sqlrp.project(P, source, key="doc", output="bits")
    left = source.slice(20)
    found = sqlrp.search(None, codes, ASKED[0], n=N, candidates=N, projection=P, source=left, key="doc")
    apart = want(X[20:], ASKED[0], "l2")
    assert found.column("doc").to_pylist() == [KEYS[20 + i] for i in np.argsort(apart)]


def test_what_is_not_searched() -> None:
    source = rows_as("pyarrow", "wide")
    codes = sqlrp.project(P, source, key="doc", output="bits")
    whole = {"projection": P, "source": source, "key": "doc"}
    for changed, words in [
        ({"projection": None}, ["projection"]),
        ({"source": None}, ["source", "again = False"]),
        ({"source": "docs"}, ["'docs'", "dataframe"]),
        ({"source": X}, ["key = None"]),
        ({"projection": sqlrp.SparseProjection(k=700)}, ["'b0'", "sqlrp.project"]),
        ({"projection": sqlrp.BilinearPooling(k=4)}, ["groups"]),
        ({"key": "dok"}, ["'dok'", "doc"]),
        ({"metric": "l1"}, ["metric = 'l1'"]),
        ({"n": 0}, ["n = 0"]),
    ]:
        with pytest.raises((sqlrp.ParameterError, sqlrp.SourceError)) as caught:
            sqlrp.search(None, codes, ASKED[0], **{**whole, **changed})
        assert_one_line(caught, *words)
    with pytest.raises(sqlrp.ParameterError, match="rows of 9"):
        sqlrp.search(None, codes, ASKED[0][:4], **whole)  # type: ignore[arg-type]
    with pytest.raises(sqlrp.SourceError, match="neither floats of shape"):
        sqlrp.search(None, X, ASKED[0], projection=P, again=False)
    with pytest.raises(sqlrp.SourceError, match="one type"):
        sqlrp.search(None, codes, ASKED[0], **{**whole, "source": source.set_column(0, "doc", pa.array(range(N)))})  # type: ignore[arg-type]
    with duckdb.connect() as con:
        with pytest.raises(sqlrp.ParameterError, match="needs no connection"):
            sqlrp.search(con, codes, ASKED[0], **whole)  # type: ignore[arg-type]
        load(con, "wide", X.tolist())
        sqlrp.materialize(P, "t", con, "made", output="bits")
        with pytest.raises(sqlrp.ParameterError, match="leave them out"):
            sqlrp.search(con, "made", ASKED[0], projection=P)
        with pytest.raises(sqlrp.ParameterError, match="relation"):
            sqlrp.search(None, con.sql("FROM made"), ASKED[0], projection=P, again=False)
    with pytest.raises(sqlrp.ParameterError, match="LazyFrame"):
        sqlrp.search(None, pl.DataFrame({"id": [1]}).lazy(), ASKED[0], projection=P, again=False)
