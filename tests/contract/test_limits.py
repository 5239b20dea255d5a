"""The lowerings keep to the limits of an engine: against a SQLite whose own limit on columns is set as low."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from databases import Database
from helpers import assert_close, cells, magnitude, oracle
from sklearn.linear_model import RidgeClassifier

import sqlrp
from sqlrp import (
    LimitError,
    Long,
    PolynomialKernelProjection,
    Projection,
    SparseProjection,
    StatementError,
    UnsupportedError,
    Wide,
)
from sqlrp._dialects.dialect import Column, Dialect
from sqlrp._engines.duckdb.dialect import DuckDB
from sqlrp._engines.registry import ENGINES
from sqlrp._engines.sqlite.dialect import SQLite
from sqlrp._lowering.job import Job
from sqlrp._lowering.lowerings import find
from sqlrp._run.bind import resolve
from sqlrp.stages import Weights

BOUND = 20
EXTRA = 2
"""The columns that a lowering reserves in a subquery: for the number of the row, and for the NULLs in it."""

METHODS: dict[str, Callable[[int], Projection]] = {
    "sums": lambda k: SparseProjection(k=k, s=3, seed=1),
    "products": lambda k: PolynomialKernelProjection(k=k // 2, p=k, s=2, t=2, degree=2, seed=1),
}


def test_the_longest_name_is_quoted_and_a_longer_one_refused() -> None:
    dialect = ENGINES["postgresql"]
    assert dialect.quote("é" + 61 * "x") == f'"é{61 * "x"}"'
    with pytest.raises(sqlrp.SourceError, match="has 64 bytes, more than the 63 of PostgreSQL: rename"):
        dialect.quote("é" + 62 * "x")


@pytest.mark.parametrize(
    ("name", "most"), [("mariadb", 16_383), ("mysql", 16_383), ("postgresql", 16_000), ("snowflake", 4_096)]
)
def test_the_longest_vector_is_written_and_a_longer_one_refused(name: str, most: int) -> None:
    source = Wide("t", features=["a", "b"])
    assert sqlrp.sql(SparseProjection(k=most, s=2), source, name, output="vector")
    with pytest.raises(LimitError, match=f"k = {most + 1:,} is more than the {most:,} numbers of a vector of {name}"):
        sqlrp.sql(SparseProjection(k=most + 1, s=2), source, name, output="vector")


class WithoutVectors(DuckDB):
    vector = ""


@pytest.mark.parametrize(
    ("engine", "remedy"), [(SQLite(), "use 'columns' or 'long'"), (WithoutVectors(), "use output = 'array'")]
)
def test_vectors_that_an_engine_does_not_have_are_refused(engine: Dialect, remedy: str) -> None:
    with pytest.raises(UnsupportedError, match=f"no type of vectors of {engine.name}; {remedy}"):
        sqlrp.sql(SparseProjection(k=2), Wide("t", features=["a", "b"]), engine, output="vector")


@pytest.fixture
def connection() -> Iterator[sa.Connection]:
    made = sa.create_engine("sqlite://")
    with made.connect() as connection:
        yield connection
    made.dispose()


def table(connection: sa.Connection, d: int) -> Weights:
    """A table t of d features and a key, with the rows."""
    x = np.random.default_rng(d).integers(-4, 5, (3, d)).astype(float)
    connection.exec_driver_sql(f"CREATE TABLE t (id INTEGER, {', '.join(f'f{j} REAL' for j in range(d))})")
    for i, row in enumerate(x.tolist()):
        connection.exec_driver_sql(f"INSERT INTO t VALUES ({i}, {', '.join(map(str, row))})")
    return x


def limit(connection: sa.Connection, columns: int) -> None:
    """Let SQLite accept no more columns."""
    driver: Any = connection.connection.driver_connection
    driver.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, columns)


@pytest.mark.parametrize("terms", [100_000, 60])
@pytest.mark.parametrize("output", ["columns", "long"])
@pytest.mark.parametrize("lowering", ["inline", "relational"])
@pytest.mark.parametrize("method", METHODS)
def test_what_is_accepted_runs_and_what_is_refused_has_too_many_columns(
    connection: sa.Connection, monkeypatch: pytest.MonkeyPatch, method: str, lowering: str, output: Any, terms: int
) -> None:
    lowest = replace(SQLite.limits, columns=BOUND, terms=terms)
    x = table(connection, 5)
    accepted = []
    for k in (*range(BOUND - 5, BOUND + 4), 3 * BOUND):
        projection = METHODS[method](k)
        limit(connection, BOUND)
        refused, result = "", None
        with monkeypatch.context() as low:
            low.setattr(SQLite, "limits", lowest)
            try:
                result = sqlrp.project(projection, Wide("t"), connection, output=output, lowering=lowering)
            except (LimitError, UnsupportedError) as error:
                refused = str(error)
        if result is not None:
            accepted.append(k)
            assert_close(cells(result, output, projection.k), oracle(projection, x), magnitude(projection, x))
            continue
        assert str(BOUND) in refused
        limit(connection, BOUND - EXTRA)
        with pytest.raises(StatementError, match="too many columns"):
            sqlrp.project(projection, Wide("t"), connection, output=output, lowering=lowering)
    assert accepted
    if (method, lowering, output, terms) == ("sums", "inline", "columns", 100_000):  # one subquery, of the features
        assert max(accepted) == BOUND - 1  # and the key


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("sqlite", 2000),  # https://sqlite.org/limits.html
        ("mariadb", 1900),  # two pages, with numbers of 8 bytes
        ("mysql", 987),  # half a page, with numbers of 8 bytes
        ("redshift", 1600),  # Redshift's documentation of quotas
        ("bigquery", 10_000),  # BigQuery's documentation of quotas
        ("generic", 1000),  # Oracle's documentation
    ],
)
def test_wide_rows_with_more_features_than_columns_are_refused(name: str, bound: int) -> None:
    def text(n: int) -> str:
        source = Wide("t", features=[f"f{j}" for j in range(n)])
        return sqlrp.sql(SparseProjection(k=2, s=n, seed=1), source, name, lowering="relational")

    key = 1
    assert f"f{bound - 5}" in text(bound - key - 1 - EXTRA)
    with pytest.raises(UnsupportedError, match=f"more than the {bound:,} that {name} holds"):
        text(bound)


@pytest.mark.parametrize("name", ["mariadb"])
def test_a_row_of_a_subquery_is_not_longer_than_mariadb_keeps_on_disk(db: Database, name: str) -> None:
    # Past 16 kB a row, MariaDB loses numbers as soon as it writes the rows to disk, or calls the table corrupted.
    db.run("SET SESSION tmp_table_size = 1024, max_heap_table_size = 16384")
    x = np.random.default_rng(0).integers(-9, 9, (20, 300)).astype(float)
    projection, source = SparseProjection(k=100, s=1, seed=1), db.load("wide", x.tolist())
    for output in ("columns", "long"):
        got = db.projected(projection, source, output, lowering="inline")
        assert_close(got, oracle(projection, x), magnitude(projection, x))
    names = [f"f{j}" for j in range(600)]
    for read, held in (("DOUBLE", 1925), ("DECIMAL(30,2)", 513)):
        columns = [Column(each, db.engine.read_type(read)) for each in names]
        job = Job(projection, resolve(Wide("u", key=None), columns, db.engine), db.engine, scale=False)
        assert job.held == held
        excess = find("inline").excess(job, False)
        assert excess == (
            "" if held > 600 else "a subquery would have 603 columns, more than the 513 that mariadb holds"
        )


@pytest.mark.filterwarnings("ignore:k = :sqlrp.SqlrpWarning")
@pytest.mark.parametrize("name", ["mariadb"])
def test_sums_of_rows_on_disk_give_the_model_and_longer_rows_are_refused(db: Database, name: str) -> None:
    db.run("SET SESSION tmp_table_size = 1024, max_heap_table_size = 16384")
    rng = np.random.default_rng(0)
    x, y = rng.integers(-9, 10, (90, 70)), rng.integers(0, 3, 90)
    names = [f"f{j}" for j in range(x.shape[1])]
    source = Wide("points", features=names)
    for kind, held in (("DOUBLE", 1925), ("BIGINT", 1925), ("DECIMAL(30,2)", 1925)):
        columns = [("id", "BIGINT"), ("label", "VARCHAR(255)"), *((each, kind) for each in names)]
        db.make(
            "points", columns, [[i, f"class {c}", *row] for i, (c, row) in enumerate(zip(y, x.tolist(), strict=True))]
        )
        projection = SparseProjection(k=60, s=2, seed=1)
        model = sqlrp.learn(projection, source, db.connection, ridge=10.0, lowering="sql")  # two queries of products
        assert "the database adds up" in model.how
        want = RidgeClassifier(alpha=10.0).fit(oracle(projection, x.astype(float)), y)
        assert np.abs(model.coef_ - want.coef_).max() <= 1e-9 * np.abs(want.coef_).max()
        with pytest.raises(
            LimitError, match=f"a subquery would have .* more than the {held:,} that mariadb holds: lower"
        ):
            sqlrp.learn(SparseProjection(k=held, s=2, seed=1), source, db.connection, lowering="sql")


@pytest.mark.parametrize("k", [1, 5, 32, 33, 64, 65, 100])
def test_an_aggregate_of_spark_has_no_more_sums_than_are_compiled(k: int) -> None:
    engine = ENGINES["spark"]
    text = sqlrp.sql(SparseProjection(k=k, s=3, seed=1), Long("t", n_features=9), "spark", lowering="indexed")
    read = [int(at) for at in re.findall(r"WHEN v\[(\d+)\] > 0", text)]
    assert read == list(range(len(read)))
    blocks = -(-k // engine.long_width)
    assert len(read) <= engine.long_width
    assert k <= blocks * len(read) < k + blocks  # no more blocks than needed, and the same size for each


def test_lists_of_more_expressions_than_a_block_of_duckdb_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = 20
    monkeypatch.setattr(DuckDB, "limits", replace(DuckDB.limits, expressions=bound))
    source = Wide("t", features=["a", "b", "c"])
    for k in range(bound - 5, bound + 5):
        # Columns are computed one at a time; a list is made of expressions that are all computed before.
        for output, most in (("columns", 10 * bound), ("array", bound), ("long", bound)):
            try:
                sqlrp.sql(SparseProjection(k=k, s=1, seed=1), source, "duckdb", output=output, lowering="inline")  # type: ignore[call-overload]
                refused = False
            except UnsupportedError:
                refused = True
            if k <= most - 1 - EXTRA:  # the key
                assert not refused
            elif k > most:
                assert refused
