"""Engines under names that sqlrp does not know, so that they are asked what they are and what they can keep."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb_engine
import pytest
import sqlalchemy as sa
from cases import X as ROWS
from databases import opened
from firebirds import made
from jdbcs import JDBCS, java_database
from own_packages import installed
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.mysql.pymysql import MySQLDialect_pymysql
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from sqlrp._engines.generic import connector as generic


class UnknownSqlite(SQLiteDialect_pysqlite):
    name = "unknown_sqlite"
    supports_statement_cache = True


class UnknownDuckdb(duckdb_engine.Dialect):
    name = "unknown_duckdb"
    supports_statement_cache = True


class UnknownPostgresql(PGDialect_psycopg):
    name = "unknown_postgresql"
    supports_statement_cache = True


class UnknownMariadb(MySQLDialect_pymysql):
    name = "unknown_mariadb"
    supports_statement_cache = True


DIALECTS: dict[str, type[Any]] = {
    "sqlite": UnknownSqlite,
    "duckdb": UnknownDuckdb,
    "postgresql": UnknownPostgresql,
    "mariadb": UnknownMariadb,
}
for _dialect in DIALECTS.values():
    registry.register(_dialect.name, __name__, _dialect.__name__)

FILES = {"sqlite": "unknown_sqlite:///{}/made.db", "duckdb": "unknown_duckdb:///{}/made.duckdb"}
INSTALLED: dict[str, tuple[tuple[str, ...], str]] = {
    "libsql": (("sqlalchemy-libsql==0.2.0", "libsql-experimental==0.0.55"), "sqlite+libsql:///{}/made.db"),
    "turso": (("pyturso==0.8.3",), "sqlite+turso:///{}/made.db"),
    "sqlcipher": (("sqlcipher3-binary==0.6.0",), "sqlite+pysqlcipher://:secret@/{}/made.db"),
    "sqlean": (("sqlean-driver==0.2.0", "sqlean.py==3.50.4.5"), "sqlite+sqlean:///{}/made.db"),
    "adbc-sqlite": (("sqlalchemy-adbc==0.3.0", "adbc-driver-sqlite==1.13.0"), "adbc+sqlite:///{}/made.db"),
}
"""Relatives of SQLite whose dialects have its name, with the packages that are installed for them and their URLs."""
STRANGERS = (*FILES, "postgresql", "mariadb", "firebird", *INSTALLED, *JDBCS)


def url_of(name: str, folder: Path) -> str:
    """The URL of an engine whose database is a file."""
    return FILES[name].format(folder)


def fill(engine: sa.Engine, double: str = "DOUBLE", end: str = "") -> None:
    """The rows as a wide and as a long table."""
    with engine.begin() as connection:
        columns = ", ".join(f"f{j} {double}" for j in range(ROWS.shape[1]))
        connection.exec_driver_sql(f"CREATE TABLE w (id BIGINT, {columns}){end}")
        connection.exec_driver_sql(f"CREATE TABLE cells (id BIGINT, feature INTEGER, value {double}){end}")
        for i, row in enumerate(ROWS.tolist()):
            connection.exec_driver_sql(f"INSERT INTO w VALUES ({i}, {', '.join(map(repr, row))})")
            cells = ", ".join(f"({i}, {j}, {value!r})" for j, value in enumerate(row))
            connection.exec_driver_sql(f"INSERT INTO cells VALUES {cells}")


@contextmanager
def with_packages(name: str, packages: Sequence[str]) -> Iterator[None]:
    """Packages of their own, which can be imported meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, str(installed(name, packages))])
        yield


_HELD: tuple[Any, ...] = (generic._ASKED, generic._KEPT, generic._PROVED)


def facts(engine: sa.Engine) -> list[Any]:
    """What an engine was asked; to dispose of it forgets that."""
    return [held[engine.pool] for held in _HELD]


def tell(engine: sa.Engine, known: Sequence[Any]) -> None:
    """Another engine to the same kind of database is not asked again."""
    for held, found in zip(_HELD, known, strict=True):
        held[engine.pool] = found


@contextmanager
def stranger(name: str, folder: Path) -> Iterator[sa.Engine]:
    """An engine of SQLAlchemy to a new and empty database. Skips the test without the engine."""
    if name == "firebird":
        with made(folder) as engine:
            yield engine
        return
    if name in JDBCS:
        with java_database(name, f"made_{secrets.token_hex(4)}") as engine:
            yield engine
        return
    if name in INSTALLED:
        packages, url = INSTALLED[name]
        with with_packages(name, packages):
            module = {"module": import_module("sqlcipher3")} if name == "sqlcipher" else {}
            engine = sa.create_engine(url.format(folder), **module)
            yield engine
            engine.dispose()
        return
    if name in FILES:
        engine = sa.create_engine(url_of(name, folder))
        yield engine
        engine.dispose()
        return
    with contextmanager(opened)(name, folder) as db:
        pool = db.pool()
        engine = sa.create_engine(pool.url.set(drivername=DIALECTS[name].name))
        yield engine
        engine.dispose()
        pool.dispose()
