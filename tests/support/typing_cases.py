"""Calls with their expected types, which mypy checks in `test_typing.py`. They are never run."""

from typing import Any, assert_type

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import sqlalchemy as sa

import sqlrp
from sqlrp._projections.prepared import Prepared
from sqlrp._projections.trained import TrainedProjection


def frames_give_frames_of_their_kind(
    p: sqlrp.Projection, pandas: pd.DataFrame, polars: pl.DataFrame, lazy: pl.LazyFrame, arrow: pa.Table
) -> None:
    assert_type(sqlrp.project(p, pandas), pd.DataFrame)
    assert_type(sqlrp.project(p, pandas, output="array", key="id", keep=["label"], nulls="zero"), pd.DataFrame)
    assert_type(sqlrp.project(p, polars), pl.DataFrame)
    assert_type(sqlrp.project(p, lazy, scale=False), pl.LazyFrame)
    assert_type(sqlrp.project(p, arrow), pa.Table)


def methods_are_known(pandas: pd.DataFrame) -> None:
    assert_type(sqlrp.SparseProjection(k=2), sqlrp.SparseProjection)
    assert_type(sqlrp.project(sqlrp.TensorSketch(k=8), pandas), pd.DataFrame)


def relations_give_relations(p: sqlrp.Projection, relation: duckdb.DuckDBPyRelation) -> None:
    assert_type(sqlrp.project(p, relation), duckdb.DuckDBPyRelation)


def tables_give_arrow_tables(
    p: sqlrp.Projection, con: duckdb.DuckDBPyConnection, engine: sa.Engine, connection: sa.Connection
) -> None:
    assert_type(sqlrp.project(p, "t", con), pa.Table)
    assert_type(sqlrp.project(p, sqlrp.Wide("t", keep=["label"]), engine, lowering="inline"), pa.Table)
    assert_type(sqlrp.project(p, sqlrp.Standardized("t"), connection), pa.Table)
    join = sqlrp.Join(sqlrp.Wide("t"), {"shop": sqlrp.Wide("shops")})
    assert_type(sqlrp.project(p, join, con), pa.Table)


def other_connections_are_open(p: sqlrp.Projection, session: Any, frame: Any) -> None:
    assert_type(sqlrp.project(p, "t", session), Any)
    assert_type(sqlrp.project(p, frame), Any)


def texts_and_values(p: sqlrp.Projection, con: duckdb.DuckDBPyConnection) -> None:
    assert_type(sqlrp.sql(p, "t", con), str)
    assert_type(sqlrp.explain(p, "t", "duckdb"), sqlrp.Explanation)
    assert_type(sqlrp.vector_sql(p, [1.0], con), str)
    assert_type(sqlrp.materialize(p, "t", con, "made", replace=True), int)
    assert_type(sqlrp.saved(con), dict[str, sqlrp.Projection])
    assert_type(sqlrp.save(p, con, "kept", source="t"), sqlrp.Projection)


def fitting(p: sqlrp.Projection, pca: TrainedProjection, con: duckdb.DuckDBPyConnection) -> None:
    assert_type(sqlrp.fit(p, sqlrp.Standardized("t"), con), Prepared)
    assert_type(sqlrp.fit(pca, "t", con), TrainedProjection)


def refused(p: sqlrp.Projection, pandas: pd.DataFrame, con: duckdb.DuckDBPyConnection) -> None:
    sqlrp.project(p, "t", con, output="rows")  # type: ignore[call-overload]
    sqlrp.sql(p, pandas, con)  # type: ignore[arg-type]
    sqlrp.save(p, con, "kept", "t")  # type: ignore[misc]
