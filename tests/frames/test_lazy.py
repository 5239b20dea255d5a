"""Lazy frames: DuckDB relations, polars LazyFrames and ibis tables give the numbers of the oracle when read."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from databases import Database
from helpers import OUTPUTS, assert_close, assert_one_line, cells, magnitude, oracle
from taking_part import need_package

import sqlrp
from sqlrp import BilinearPooling, ParameterError, PolynomialKernelProjection, SparseProjection
from sqlrp._core.errors import SourceError, UnsupportedError
from sqlrp._engines.duckdb.connector import VERSION

P2 = SparseProjection(k=5, s=1, seed=4)
PK = PolynomialKernelProjection(k=4, s=3, t=2, degree=2, seed=9)
X = np.random.default_rng(3).integers(-9, 9, size=(12, 6)).astype(float)
HOSTILE = 'a "b"; DROP TABLE t; --'
COLUMNS = [f"f{j}" for j in range(5)] + [HOSTILE]
TABLE = pa.table({"id": range(12), "label": [f"r{i}" for i in range(12)], **dict(zip(COLUMNS, X.T, strict=True))})
KINDS = ("relation", "polars", "ibis")


def ibis() -> Any:
    """The package, which `make test` does not install."""
    need_package("ibis", "ibis-framework")
    return importlib.import_module("ibis")


@pytest.fixture
def con() -> Iterator[Any]:
    with duckdb.connect(config={"threads": "1"}) as connection:
        connection.register("given", TABLE)
        connection.execute("CREATE TABLE numbers AS FROM given")
        yield connection


def made(kind: str, con: Any) -> Any:
    if kind == "relation":
        return con.table("numbers")
    return pl.from_arrow(TABLE).lazy() if kind == "polars" else ibis().duckdb.from_connection(con).table("numbers")


def read(frame: Any) -> pa.Table:
    if isinstance(frame, duckdb.DuckDBPyRelation):
        return frame.to_arrow_table()
    return frame.collect().to_arrow() if isinstance(frame, pl.LazyFrame) else frame.to_pyarrow()


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("projection", [P2, PK])
@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_are_the_oracles(con: Any, kind: str, projection: sqlrp.Projection, output: Any) -> None:
    frame = made(kind, con)
    got = sqlrp.project(projection, frame, keep=["label"], output=output)
    assert type(got) is type(frame)
    table = read(got)
    assert {(row["id"], row["label"]) for row in table.to_pylist()} == {(i, f"r{i}") for i in range(12)}
    assert_close(cells(table, output, projection.k), oracle(projection, X), magnitude(projection, X), 1e-12)


@pytest.mark.parametrize("lowering", ["inline", "indexed", "relational"])
@pytest.mark.parametrize("kind", ["relation", "ibis"])
def test_every_lowering_is_one_query(con: Any, kind: str, lowering: str) -> None:
    table = read(sqlrp.project(PK, made(kind, con), keep=["label"], lowering=lowering))
    assert_close(cells(table, "columns", PK.k), oracle(PK, X), magnitude(PK, X), 1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_what_comes_back_goes_on(con: Any, kind: str) -> None:
    got = sqlrp.project(P2, made(kind, con), keep=["label"])
    if kind == "relation":
        some = got.filter("z0 > 0").order("id").limit(3).project("id, z0")
    elif kind == "polars":
        some = got.filter(pl.col("z0") > 0).sort("id").head(3).select("id", "z0")
    else:
        some = got.filter(ibis()._.z0 > 0).order_by("id").limit(3)[["id", "z0"]]
    z0 = oracle(P2, X)[:, 0].astype(float)
    want = [i for i in range(12) if z0[i] > 0][:3]
    table = read(some)
    assert table.column("id").to_pylist() == want
    assert table.column("z0").to_pylist() == pytest.approx(z0[want])


def test_a_relation_is_not_read_before_it_is_asked_for(con: Any) -> None:
    calls: list[int] = []

    def seen(i: int) -> int:
        calls.append(i)
        return i

    con.create_function("seen", seen, side_effects=True)
    relation = con.sql("SELECT seen(id::BIGINT) AS id, f0, f1 FROM numbers WHERE id < 7")
    got = sqlrp.project(P2, relation)
    assert got.columns == ["id", *(f"z{c}" for c in range(5))]
    with pytest.raises(ParameterError) as caught:  # a message must not show rows
        sqlrp.diagnose(P2, relation)
    assert_one_line(caught, "a DuckDB relation is taken by sqlrp.project alone")
    assert calls == []
    assert got.to_arrow_table().num_rows == 7
    assert sorted(calls) == list(range(7))
    left = "SELECT view_name FROM duckdb_views() WHERE NOT internal AND view_name <> 'given'"
    left += " AND NOT temporary" if VERSION < (2, 0) else ""  # DuckDB 1.5 makes a temporary one
    assert con.execute(left).fetchall() == []


def test_an_ibis_table_with_embeddings(con: Any) -> None:
    con.execute("CREATE TABLE docs AS SELECT range AS id, [range, 2, 3 - range]::DOUBLE[3] AS e FROM range(5)")
    table = ibis().duckdb.from_connection(con).table("docs")
    projection = sqlrp.SparseProjection(k=2, s=1, seed=1)
    want = sqlrp.project(projection, sqlrp.Array("docs", "e"), con).to_pylist()
    for source, column in ((table, None), (table, "e"), (sqlrp.Array(table, "e"), None)):
        got = sqlrp.project(projection, source, array_column=column).order_by("id").to_pyarrow()
        assert got.to_pylist() == sorted(want, key=lambda row: row["id"])


def test_an_ibis_table_is_not_read_before_it_is_asked_for(con: Any) -> None:
    backend = ibis().duckdb.from_connection(con)
    con.execute("CREATE VIEW fails AS SELECT error('was read')::INTEGER AS id, 1.0::DOUBLE AS a")
    got = sqlrp.project(P2, backend.table("fails"))
    assert got.columns == ("id", *(f"z{c}" for c in range(5)))
    with pytest.raises(duckdb.Error, match="was read"):
        got.to_pyarrow()


def test_a_lazyframe_is_not_read_before_it_is_asked_for() -> None:
    calls: list[int] = []

    def seen(part: pl.DataFrame) -> pl.DataFrame:
        calls.append(len(part))
        return part

    frame = pl.from_arrow(TABLE).lazy().map_batches(seen)  # type: ignore[union-attr]
    got = sqlrp.project(P2, frame, keep=["label"])
    assert got.collect_schema().names() == ["id", "label", *(f"z{c}" for c in range(5))]
    assert calls == []
    assert got.collect().height == 12
    assert calls == [12]


@pytest.mark.parametrize("kind", KINDS)
def test_bare_sums_of_whole_numbers_stay_whole(con: Any, kind: str) -> None:
    con.execute("CREATE OR REPLACE TABLE numbers AS SELECT range AS id, range::INTEGER * 7 AS a FROM range(4)")
    frame = (
        pl.LazyFrame({"id": range(4), "a": [0, 7, 14, 21]}, schema={"id": pl.Int64, "a": pl.Int32})
        if kind == "polars"
        else made(kind, con)
    )
    table = read(sqlrp.project(SparseProjection(k=2, s=1), frame, scale=False))
    sign = sqlrp.project(SparseProjection(k=2, s=1), pa.table({"a": [1]}), scale=False, key=None).to_pylist()[0]
    got = {row.pop("id"): row for row in table.to_pylist()}
    assert got == {i: {z: 7 * i * v for z, v in sign.items()} for i in range(4)}
    assert all(pa.types.is_integer(table.schema.field(z).type) for z in sign)


def test_groups_of_a_lazyframe_are_whole() -> None:
    table = pa.table({"image": [1, 2, 1, 2, 3], "a": [1.0, 2, 3, 4, 5], "b": [2.0, 1, 0, 1, 2]})
    pooling = BilinearPooling(k=3, s=1)
    got = sqlrp.project(pooling, pl.from_arrow(table).lazy(), key="image")  # type: ignore[union-attr]
    want = sqlrp.project(pooling, table, key="image")
    assert got.collect(engine="streaming").to_arrow().to_pylist() == want.to_pylist()


def test_ibis_on_sqlite_and_where_no_engine_is_known(tmp_path: Path) -> None:
    backend = ibis().sqlite.connect(tmp_path / "t.db")
    backend.raw_sql(f"CREATE TABLE t (id INTEGER, label TEXT, {', '.join(f'g{j} REAL' for j in range(6))})")
    for i, row in enumerate(X.tolist()):
        backend.raw_sql(f"INSERT INTO t VALUES ({i}, 'r{i}', {', '.join(map(repr, row))})")
    backend.con.commit()
    got = sqlrp.project(P2, backend.table("t"), keep=["label"])
    assert_close(cells(got.to_pyarrow(), "columns", 5), oracle(P2, X), magnitude(P2, X), 1e-12)
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.project(P2, ibis().polars.connect({"t": pl.DataFrame({"a": [1.0]})}).table("t"))
    assert_one_line(caught, "ibis's backend polars", "to_pyarrow()")
    with pytest.raises(SourceError) as caught_too:
        sqlrp.project(P2, ibis().table({"id": "int64", "a": "float64"}, name="nowhere"))
    assert_one_line(caught_too, "belongs to no database")


def test_with_its_backend_an_ibis_table_stands_for_its_name(con: Any) -> None:
    backend = ibis().duckdb.from_connection(con)
    table, other = backend.table("numbers"), ibis().duckdb.connect()
    source = sqlrp.Wide("numbers")
    for given in (backend, con):
        assert sqlrp.sql(P2, table, given) == sqlrp.sql(P2, source, con)
    assert sqlrp.project(P2, table, backend).equals(sqlrp.project(P2, source, con))
    assert sqlrp.project(P2, sqlrp.Standardized(table), backend).num_rows == 12
    assert sqlrp.fit(sqlrp.PrincipalComponents(k=2), table, backend).bound_to == tuple(COLUMNS)
    assert sqlrp.learn(P2, table, backend, target="f0").coef_.shape == (5,)
    assert sqlrp.diagnose(P2, table, connection=backend).sampled.rows == 12
    assert sqlrp.materialize(P2, table, backend, "made") == 12
    for call, words in (
        (lambda: sqlrp.project(P2, table, other), "the ibis table is of another connection: pass table.get_backend()"),
        (lambda: sqlrp.sql(P2, table.limit(3), backend), "backend.create_view('name', table)"),
        (lambda: sqlrp.sql(P2, table, "duckdb"), "pass table.get_backend() as the connection or engine too"),
        (lambda: sqlrp.diagnose(P2, table), "or table.get_backend() as the connection too"),
    ):
        with pytest.raises(ParameterError) as caught:
            call()
        assert_one_line(caught, words)


@pytest.mark.parametrize("lowering", ["inline", "relational"])
@pytest.mark.parametrize("name", ["postgresql"])
def test_ibis_on_a_server(db: Database, name: str, lowering: str) -> None:
    source = db.load("wide", X.tolist(), table="lazy")
    pool = db.pool()
    with contextlib.closing(pool.raw_connection()) as connection:
        table = ibis().postgres.from_connection(connection.driver_connection).table("lazy", database=db.schema)
        for output in ("columns", "array", "long"):
            got = sqlrp.project(PK, table, lowering=lowering, output=output)  # type: ignore[arg-type]
            assert cells(got.to_pyarrow(), output, PK.k) == db.projected(PK, source, output, lowering=lowering)
        connection.rollback()
    pool.dispose()


@pytest.mark.parametrize("kind", KINDS)
def test_errors_come_before_anything_is_read(con: Any, kind: str) -> None:
    frame, refusal = made(kind, con), "another connection" if kind == "ibis" else "needs no connection"
    for error, words, options in [
        (SourceError, ["key 'idd'", "did you mean 'id'?"], {"key": "idd"}),
        (SourceError, ["keep column 'labl'", "did you mean 'label'?"], {"keep": ["labl"]}),
        (ParameterError, [refusal], {"connection": con.cursor()}),
        (ParameterError, ["output = 'wide'"], {"output": "wide"}),
    ]:
        with pytest.raises(error) as caught:
            sqlrp.project(P2, frame, **options)  # type: ignore[arg-type]
        assert_one_line(caught, *words)
    with pytest.raises(ParameterError) as refused:
        sqlrp.fit(sqlrp.DataTunedProjection(k=2), frame)
    assert_one_line(refused, "is taken by sqlrp.project alone")


def test_nulls_that_are_an_error_fail_when_they_are_read(con: Any) -> None:
    relation = con.sql("SELECT 1 AS id, NULL::DOUBLE AS a")
    got = sqlrp.project(P2, relation, nulls="error")
    with pytest.raises(duckdb.Error, match="a feature is NULL"):
        got.fetchall()
    lazy = sqlrp.project(P2, pl.DataFrame({"a": [1.0, None]}).lazy(), nulls="error", key=None)
    with pytest.raises((SourceError, pl.exceptions.ComputeError), match="a feature is NULL"):
        lazy.collect()
