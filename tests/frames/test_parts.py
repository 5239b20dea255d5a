"""Frames in parts, of Dask and Daft: lazy in, lazy out, with the oracle's numbers; and SQL contexts that take text."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cases import METHODS
from cover import factors, pairwise
from helpers import assert_close, assert_one_line, cells, oracle
from taking_part import need_package

import sqlrp
from sqlrp import Array, ParameterError, SourceError, SparseProjection, UnsupportedError, Wide

for package in ("daft", "dask", "datafusion"):
    need_package(package)

D = 9
X = np.random.default_rng(3).normal(0, 1, (23, D)).round(3)
X[:, 0] += 1
WIDE = pa.table({"id": range(len(X)), "label": [f"r{i}" for i in range(len(X))]} | {f"f{j}": X[:, j] for j in range(D)})
LISTS = pa.table({"id": range(len(X)), "x": pa.array(X.tolist(), pa.list_(pa.float64()))})
P = SparseProjection(k=4, s=1, seed=2)
KINDS = ("dask", "daft")


def made(kind: str, table: pa.Table) -> Any:
    """The rows in three parts."""
    if kind == "daft":
        import daft

        return daft.from_arrow(table).into_partitions(3)
    import dask.dataframe

    frame = table.to_pandas(types_mapper=pd.ArrowDtype) if "x" in table.column_names else table.to_pandas()
    return dask.dataframe.from_pandas(frame, npartitions=3)


def read(frame: Any) -> pa.Table:
    return (
        frame.to_arrow() if hasattr(frame, "to_arrow") else pa.Table.from_pandas(frame.compute(), preserve_index=False)
    )


def usable(kind: str, output: str, **_: Any) -> bool:
    return (kind, output) != ("daft", "long")


@pairwise(
    factors(
        usable,
        kind=list(KINDS),
        method=list(METHODS),
        layout=["wide", "array"],
        output=["columns", "array", "long", "vector"],
    )
)
def test_the_numbers_are_the_oracle_s(kind: str, method: str, layout: str, output: Any) -> None:
    projection = METHODS[method]
    frame = made(kind, WIDE.drop_columns("label") if layout == "wide" else LISTS)
    got = sqlrp.project(projection, frame if layout == "wide" else Array(frame, "x"), output=output)
    assert type(got) is type(frame)
    want = oracle(projection, X)
    rows = cells(read(got), "array" if output == "vector" else output, projection.k)
    assert_close(rows, want, np.full(len(X), np.abs(want).max()), rtol=1e-6 if output == "vector" else 1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_runs_before_the_rows_are_read(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sqlrp._run.frames.parts as parts

    sizes: list[int] = []
    project = parts.project_dataframe

    def counted(projection: Any, frame: Any, *given: Any, **options: Any) -> Any:
        sizes.append(len(frame))
        return project(projection, frame, *given, **options)

    monkeypatch.setattr(parts, "project_dataframe", counted)
    got = sqlrp.project(P, made(kind, WIDE), keep=["label"])
    assert set(sizes) == {0}
    table = read(got)
    assert table.column("label").to_pylist() == WIDE.column("label").to_pylist()
    assert sum(sizes) == len(X)
    assert kind == "daft" or max(sizes) < len(X)


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_with_null_is_null(kind: str) -> None:
    at = WIDE.column_names.index("f3")
    rows = WIDE.set_column(at, "f3", pa.array([None, *X[1:, 3]], pa.float64()))
    found = read(sqlrp.project(P, made(kind, rows), keep=["label"])).column("z0").to_pylist()
    assert found[0] is None or np.isnan(found[0])
    assert np.isfinite(found[1:]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_refusals(kind: str) -> None:
    frame = made(kind, WIDE.drop_columns("label"))
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.project(sqlrp.BilinearPooling(k=2, split=4, seed=1), frame)
    assert_one_line(caught, "the rows of a group may be in several", "pyarrow.Table")
    with pytest.raises(ParameterError, match=r"taken by sqlrp\.project alone"):
        sqlrp.diagnose(P, frame)
    with pytest.raises(ParameterError, match="needs no connection"):
        sqlrp.project(P, frame, duckdb.connect())
    with pytest.raises(ParameterError, match="lowering = 'inline' is for tables"):
        sqlrp.project(P, frame, lowering="inline")
    with pytest.raises(SourceError, match="not a column of the frame"):
        sqlrp.project(P, Array(frame, "missing"))


def test_what_daft_and_dask_alone_refuse() -> None:
    import dask.dataframe

    with pytest.raises(UnsupportedError) as caught:
        sqlrp.project(P, made("daft", WIDE), output="long")
    assert_one_line(caught, "output = 'long'", "one row for each", "'columns' or 'array'")
    frame = dask.dataframe.from_pandas(LISTS.to_pandas(), npartitions=2)
    with pytest.raises(SourceError) as turned:
        sqlrp.project(P, Array(frame, "x"))
    assert_one_line(turned, "'x'", "turns lists into", "dtype_backend='pyarrow'", "pandas.ArrowDtype")


def test_a_dask_frame_that_is_read_as_the_remedy_says(tmp_path: Path) -> None:
    import dask.dataframe

    pq.write_table(LISTS, tmp_path / "lists.parquet")
    frame = dask.dataframe.read_parquet(tmp_path / "lists.parquet", dtype_backend="pyarrow")
    got = read(sqlrp.project(P, Array(frame, "x")))
    assert_close(cells(got, "columns", P.k), oracle(P, X), np.full(len(X), 9.0))


@pytest.mark.parametrize("kind", ["embedding", "tensor"])
@pytest.mark.parametrize("bits", [32, 64])
def test_daft_s_columns_of_embeddings(kind: str, bits: int) -> None:
    import daft

    number = getattr(daft.DataType, f"float{bits}")()
    own = daft.DataType.embedding(number, D) if kind == "embedding" else daft.DataType.tensor(number, (D,))
    frame = made("daft", LISTS)
    frame = frame.with_column("x", frame["x"].cast(own))
    for source in (frame, Array(frame, "x")):
        got = sqlrp.project(P, source)
        rows = cells(read(got), "columns", P.k)
        assert_close(rows, oracle(P, X), np.full(len(X), 9.0), rtol=1e-6 if bits == 32 else 1e-9)


def test_tensors_of_any_shape_are_refused() -> None:
    import daft

    frame = daft.from_pydict({"id": [1, 2], "x": [np.ones(3), np.ones(2)]})
    with pytest.raises(SourceError) as caught:
        sqlrp.project(P, Array(frame, "x"))
    assert_one_line(caught, "array column 'x' of the Daft frame is Tensor", "an embedding")


@pytest.mark.parametrize("kind", [*KINDS, "ibis"])
def test_sources_of_lazy_frames_are_refused_with_what_to_pass(kind: str) -> None:
    if kind == "ibis":
        need_package("ibis", "ibis-framework")
        import ibis

        frame: Any = ibis.memtable(WIDE.to_pandas())
    else:
        frame = made(kind, WIDE)
    words = {"dask": "a Dask frame", "daft": "a Daft frame", "ibis": "an ibis table"}[kind]
    for source in (sqlrp.Long(frame, "id", "label", "f1"), sqlrp.Standardized(frame)):
        with pytest.raises(ParameterError) as caught:
            sqlrp.project(P, source)
        name = type(source).__name__
        other = (
            "table.get_name() with table.get_backend().con" if kind == "ibis" else "a table's name with a connection"
        )
        rows = f"pass {name}(…) of its rows as a pyarrow.Table, or of {other}"
        assert_one_line(caught, f"source {name}(…) holds {words}", rows)


def test_a_ray_dataset_is_refused_with_what_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray itself is not installed here: only the words are tested."""
    data = types.ModuleType("ray.data")
    data.Dataset = type("Dataset", (), {})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ray.data", data)
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.project(P, data.Dataset())
    assert_one_line(
        caught, "a Ray dataset is not taken", "dataset.map_batches", "batch_format='pyarrow'", "in several batches"
    )


# -- SQL contexts that read text ------------------------------------------------------------------------


LISTED = "tensor-sketch-24"
"""A convolution that DuckDB's text writes with functions of lists that the others lack."""


def by_datafusion(text: str) -> pa.Table:
    import datafusion

    context = datafusion.SessionContext()
    context.register_record_batches("t", [WIDE.to_batches()])
    return pa.Table.from_batches(context.sql(text).collect())


def by_polars(text: str) -> pa.Table:
    return pl.SQLContext(t=pl.from_arrow(WIDE)).execute(text, eager=True).to_arrow()


@pytest.mark.parametrize("method", [name for name in METHODS if name != LISTED])
@pytest.mark.parametrize(
    ("run", "engine"), [(by_datafusion, "duckdb"), (by_datafusion, "generic"), (by_polars, "duckdb")]
)
def test_a_sql_context_runs_the_inline_text(run: Any, engine: str, method: str) -> None:
    projection = METHODS[method]
    source = Wide("t", features=[f"f{j}" for j in range(D)])
    text = sqlrp.sql(projection, source, engine, lowering="inline")
    want = oracle(projection, X)
    assert_close(cells(run(text), "columns", projection.k), want, np.full(len(X), np.abs(want).max()))
