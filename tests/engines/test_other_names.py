"""Engines under the names of others, and known engines under other names: what the server says counts, not the name."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pymysql
import pytest
import sqlalchemy as sa
from cases import EVERY
from cases import X as ROWS
from databases import opened
from helpers import assert_one_line, assert_projected, oracle, projected_or_refused
from sqlalchemy.dialects import registry
from sqlalchemy.engine.default import DefaultDialect
from strangers import INSTALLED, UnknownSqlite, fill, stranger, with_packages
from taking_part import need

import sqlrp
from sqlrp import Long, SparseProjection, UnsupportedError, Wide
from sqlrp._engines.clickhouse.connector import ClickHouseConnector
from sqlrp._engines.generic.connector import AnyConnector
from sqlrp._engines.registry import connector_of, dialect_for

D = ROWS.shape[1]
WIDE, LONG = Wide("w", key="id"), Long("cells", n_features=D)
P = SparseProjection(k=2, s=1, seed=1)
FUNCTIONS = ("fourier", "nystroem-", "kg-rbf", "given-fourier", "given-radial")
"""How the names of methods begin that compute more than sums and products."""
MISSING = {"sqlcipher": ("sqrt", "cos", "exp", "ln")}
"""The functions that an engine lacks, so that methods with them are refused."""


# -- relatives of SQLite ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[pytest.param(name, marks=pytest.mark.slow) for name in INSTALLED])
def relative(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Any]]:
    with stranger(request.param, tmp_path_factory.mktemp(request.param)) as engine:
        fill(engine)
        yield request.param, engine


@pytest.mark.parametrize("layout", ["wide", "long"])
@pytest.mark.parametrize("method", EVERY)
def test_every_method_is_right_or_refused_by_name(relative: tuple[str, sa.Engine], method: str, layout: str) -> None:
    name, engine = relative
    got, words = projected_or_refused(EVERY[method], WIDE if layout == "wide" else LONG, engine)
    if words:
        assert re.search(f"has no ({'|'.join(MISSING[name])})", words)
        assert method.startswith(FUNCTIONS)
    else:
        assert_projected(got, oracle(EVERY[method], ROWS))


@pytest.mark.slow
@pytest.mark.parametrize("name", INSTALLED)
def test_such_an_engine_is_asked(name: str, tmp_path: Path) -> None:
    with stranger(name, tmp_path) as engine:
        connector = connector_of(engine)
        assert isinstance(connector, AnyConnector)
        assert connector.dialect.name == f"sqlite+{engine.dialect.driver}"
        assert connector.dialect.answers is not None
        assert connector.dialect.answers.mixes
        assert connector.dialect.answers.statements <= 70
        missing = set(MISSING.get(name, ()))
        assert {"sqrt", "cos", "exp", "ln", "floor", "abs"} - connector.dialect.answers.functions.keys() == missing


@pytest.mark.parametrize(("layout", "lowering"), [("wide", "inline"), ("wide", "relational"), ("long", "relational")])
def test_a_text_in_a_column_of_numbers_is_read_as_null(layout: str, lowering: Any) -> None:
    """A cast would read it as 0. SQLite itself refuses it, and its relatives may have no expression that fails."""
    engine = sa.create_engine(f"{UnknownSqlite.name}://", poolclass=sa.pool.StaticPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE w (id BIGINT, a DOUBLE NOT NULL, i INTEGER, b BOOLEAN)")
        rows = "(1, 1.5, 3, 1), (2, 'abc', 3, 1), (3, 1.5, 'x', 1), (4, x'00', 3, 1), (5, 1.5, 3, 'no'), (6, 1, 0.5, 1)"
        connection.exec_driver_sql(f"INSERT INTO w VALUES {rows}")
        connection.exec_driver_sql("CREATE TABLE cells (id BIGINT, feature INTEGER, value DOUBLE NOT NULL)")
        connection.exec_driver_sql(
            "INSERT INTO cells VALUES (1, 0, 1.5), (1, 1, 2), (2, 0, 'abc'), (2, 1, 4), (3, 1, x'00')"
        )
    source = Long("cells", n_features=2) if layout == "long" else Wide("w", features=["a", "i", "b"])
    with pytest.warns(sqlrp.SqlrpWarning, match="became NULL"):
        got = sqlrp.project(P, source, engine, lowering=lowering).to_pylist()
    assert [row["id"] for row in got if row["z0"] is not None and row["z1"] is not None] == [1]
    assert len(got) == (3 if layout == "long" else 6)


# -- known engines -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chdb() -> Iterator[sa.Engine]:
    """chDB by a dialect of its own, whose name is none of ClickHouse's."""
    need("clickhouse")
    with with_packages("chdb-sqlalchemy", ("chdb-sqlalchemy==0.2.1",)):
        engine = sa.create_engine("chdb:///:memory:")
        fill(engine, "Float64", " ENGINE = Memory")
        yield engine
        engine.dispose()


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["wide", "long"])
@pytest.mark.parametrize("method", EVERY)
def test_chdb_s_own_dialect_is_clickhouse(chdb: sa.Engine, method: str, layout: str) -> None:
    assert isinstance(connector_of(chdb), ClickHouseConnector)
    got = sqlrp.project(EVERY[method], WIDE if layout == "wide" else LONG, chdb)
    assert_projected(got, oracle(EVERY[method], ROWS))


@pytest.mark.slow
def test_chdb_s_own_dialect_keeps_what_clickhouse_keeps(chdb: sa.Engine) -> None:
    with chdb.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE odd (id Int64, a Nullable(Float64), ok Float64) ENGINE = Memory")
        connection.exec_driver_sql("INSERT INTO odd VALUES (1, 0.5, 8), (2, NULL, 3)")
    with pytest.warns(sqlrp.SqlrpWarning, match="became NULL"):
        got = sqlrp.project(P, Wide("odd", features=["a", "ok"]), chdb).to_pylist()
    z = oracle(P, np.array([[0.5, 8.0]]))[0]
    assert [got[0]["z0"], got[0]["z1"]] == pytest.approx(z.tolist())
    assert got[1]["z0"] is None
    assert sqlrp.materialize(P, WIDE, chdb, "made") == len(ROWS)
    assert sqlrp.refresh(chdb, "made") == 0
    sqlrp.save(P, chdb, "mine")
    assert sqlrp.load(chdb, "mine") == P
    assert sqlrp.search(chdb, "made", ROWS[4], n=1)["id"].to_pylist() == [4]
    assert sqlrp.check(chdb) == []


TOLD = {
    "CockroachDB": {"server_version": "13.0.0", "crdb_version": "CockroachDB CCL v23.1.11"},
    "YugabyteDB": {"server_version": "11.2-YB-2.20.1.3-b0"},
    "Redshift": {"server_version": "8.0.2"},
    "CrateDB": {"server_version": "14.0", "crate_version": "5.9.4"},
}


@pytest.mark.parametrize("name", TOLD)
def test_a_relative_of_postgresql_is_asked(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with contextmanager(opened)("postgresql", tmp_path) as db:
        pool = db.pool()
        engine, other = (sa.create_engine(pool.url) for _ in range(2))
        fill(engine, "DOUBLE PRECISION")
        assert not isinstance(connector_of(other), AnyConnector)
        monkeypatch.setattr("psycopg.ConnectionInfo.parameter_status", lambda _, status: TOLD[name].get(status))
        connector = connector_of(engine)
        assert isinstance(connector, AnyConnector)
        assert connector.dialect.name == "postgresql+psycopg"
        assert_projected(sqlrp.project(EVERY["linear-s1"], WIDE, engine), oracle(EVERY["linear-s1"], ROWS))
        assert sqlrp.materialize(P, WIDE, engine, "made_of_a_relative") == len(ROWS)
        with engine.connect() as connection, pytest.raises(UnsupportedError) as caught:
            sqlrp.project(P, WIDE, connection.connection.driver_connection)
        assert_one_line(caught, f"the server is {name}", "pass an engine or a connection of SQLAlchemy")
        for each in (pool, engine, other):
            each.dispose()


def test_a_server_with_the_version_of_an_old_postgresql_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Materialize and Greenplum 6 say that they are PostgreSQL 9, to every driver. There 0.5e0 is a decimal."""
    with contextmanager(opened)("postgresql", tmp_path) as db:
        pool = db.pool()
        engine = sa.create_engine(pool.url)
        monkeypatch.setattr(type(engine.dialect), "_get_server_version_info", lambda *_: (9, 5, 0))
        fill(engine, "DOUBLE PRECISION")
        assert isinstance(connector_of(engine), AnyConnector)
        got = sqlrp.project(EVERY["linear"], WIDE, engine)  # of which z5 has no feature
        assert {str(kind) for kind in got.schema.types[1:]} == {"double"}
        assert_projected(got, oracle(EVERY["linear"], ROWS))
        for each in (pool, engine):
            each.dispose()


@pytest.mark.parametrize("name", ["postgresql", "mysql"])
def test_a_driver_that_says_nothing_of_transactions_is_asked(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL by SQLAlchemy's dialect of ADBC, say, or MySQL by ODBC."""
    module = {"postgresql": "postgresql.drivers", "mysql": "mysql.connector"}[name]
    monkeypatch.setattr(f"sqlrp._engines.{module}._TELLING_STATE", ())
    with contextmanager(opened)(name, tmp_path) as db:
        pool = db.pool()
        engine = sa.create_engine(pool.url)
        fill(engine, "DOUBLE PRECISION")
        assert connector_of(engine).dialect.name == f"{engine.dialect.name}+{engine.dialect.driver}"
        assert sqlrp.materialize(P, WIDE, engine, "made_by_a_driver") == len(ROWS)
        for each in (pool, engine):
            each.dispose()


class _Odbc:
    """A connection as pyodbc's: without weak references, and with errors that have the number in their words."""

    __slots__ = ("own",)

    def __init__(self, own: Any) -> None:
        self.own = own

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)

    def cursor(self) -> Any:
        return _OdbcCursor(self.own.cursor())


class _OdbcCursor(_Odbc):
    __slots__ = ()

    def execute(self, sql: str, *args: Any) -> Any:
        try:
            return self.own.execute(sql, *args)
        except pymysql.Error as error:
            number, words = error.args
            raise type(error)("42S02", f"[42S02] [ma-3.1.15]{words} ({number}) (SQLExecDirectW)") from error


def test_mariadb_by_odbc_keeps_what_it_keeps_by_another_driver(tmp_path: Path) -> None:
    with contextmanager(opened)("mariadb", tmp_path) as db:
        pool = db.pool()
        url = pool.url
        engine = sa.create_engine(
            "mariadb+pymysql://",
            creator=lambda: _Odbc(
                pymysql.connect(
                    host=url.host,
                    port=url.port or 3306,
                    user=url.username,
                    password=url.password or "",
                    database=url.database,
                    ssl_disabled=True,
                )
            ),
        )
        fill(engine)
        assert sqlrp.materialize(P, WIDE, engine, "made") == len(ROWS)
        assert sqlrp.refresh(engine, "made") == 0
        assert sqlrp.save(P, engine, "mine") == sqlrp.load(engine, "mine")
        assert sqlrp.check(engine) == []
        for each in (pool, engine):
            each.dispose()


def test_a_version_that_sqlalchemy_does_not_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unread(*_: Any) -> None:
        raise AssertionError("Could not determine version from string 'CockroachDB CCL v23.1.11'")

    with contextmanager(opened)("postgresql", tmp_path) as db:
        pool = db.pool()
        engine = sa.create_engine(pool.url)
        monkeypatch.setattr(type(engine.dialect), "_get_server_version_info", unread)
        with pytest.raises(UnsupportedError) as caught:
            sqlrp.project(P, WIDE, engine)
        assert_one_line(caught, "does not know this server", "sqlalchemy-cockroachdb", "CCL v23")
        for each in (pool, engine):
            each.dispose()


class _Athena(DefaultDialect):
    name = "awsathena"
    supports_statement_cache = True


registry.register(_Athena.name, __name__, _Athena.__name__)


def test_athena_by_its_own_dialect_is_no_unknown_engine() -> None:
    dialect = dialect_for(sa.create_engine("awsathena://", module=sqlite3))
    assert dialect.name == "athena"
    assert sqlrp.sql(P, Wide("t", features=["a", "b"]), dialect.name)


@pytest.mark.parametrize("driver", ["redshift_connector", "psycopg2"])
def test_redshift_by_its_own_dialect_is_no_unknown_engine(driver: str) -> None:
    engine = sa.create_engine(f"redshift+{driver}://h/d", module=SimpleNamespace(paramstyle="format", Error=Exception))
    assert dialect_for(engine).name == "redshift"


SERVERS = {
    "TiDB": ("8.0.11-TiDB-v8.5.1", "TiDB Server (Apache License 2.0) Community Edition, MySQL 8.0 compatible"),
    "OceanBase": ("5.7.25-OceanBase-v4.2.1", "OceanBase 4.2.1 (r100000102023092807)"),
    "StarRocks": ("8.0.33", "StarRocks version 3.3.5"),
    "Doris": ("5.7.99", "Doris version doris-2.1.7-rc03"),
    "SingleStore": ("5.7.32", "SingleStoreDB source distribution (compatible; MySQL Enterprise)"),
}
"""The versions of servers, and their comments on it."""


@pytest.mark.parametrize("name", SERVERS)
def test_another_engine_that_speaks_mysql_s_protocol_is_asked(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version, comment = SERVERS[name]
    run = sa.Connection.exec_driver_sql

    def told(self: Any, sql: str, *args: Any, **more: Any) -> Any:
        return run(self, f"SELECT '{comment}'" if sql == "SELECT @@version_comment" else sql, *args, **more)

    with contextmanager(opened)("mysql", tmp_path) as db:
        pool = db.pool()
        engine, other = (sa.create_engine(pool.url.set(drivername="mysql+pymysql")) for _ in range(2))
        fill(engine)
        assert not isinstance(connector_of(other), AnyConnector)
        monkeypatch.setattr("pymysql.connections.Connection.get_server_info", lambda _: version)
        monkeypatch.setattr(sa.Connection, "exec_driver_sql", told)
        connector = connector_of(engine)
        assert isinstance(connector, AnyConnector)
        assert connector.dialect.name == "mysql+pymysql"
        assert_projected(sqlrp.project(EVERY["linear-s1"], WIDE, engine), oracle(EVERY["linear-s1"], ROWS))
        assert not isinstance(connector_of(other), AnyConnector)
        for each in (pool, engine, other):
            each.dispose()
