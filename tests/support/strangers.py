"""Engines under names that sqlrp does not know, so that they are asked what they are and what they can keep."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb_engine
import sqlalchemy as sa
from databases import opened
from firebirds import made
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.mysql.pymysql import MySQLDialect_pymysql
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite


class StrangeSqlite(SQLiteDialect_pysqlite):
    name = "strange_sqlite"
    supports_statement_cache = True


class StrangeDuckdb(duckdb_engine.Dialect):
    name = "strange_duckdb"
    supports_statement_cache = True


class StrangePostgresql(PGDialect_psycopg):
    name = "strange_postgresql"
    supports_statement_cache = True


class StrangeMariadb(MySQLDialect_pymysql):
    name = "strange_mariadb"
    supports_statement_cache = True


for _dialect in (StrangeSqlite, StrangeDuckdb, StrangePostgresql, StrangeMariadb):
    registry.register(_dialect.name, __name__, _dialect.__name__)

FILES = {"sqlite": "strange_sqlite:///{}/made.db", "duckdb": "strange_duckdb:///{}/made.duckdb"}
STRANGERS = (*FILES, "postgresql", "mariadb", "firebird")


def url_of(name: str, folder: Path) -> str:
    """The URL of an engine whose database is a file."""
    return FILES[name].format(folder)


@contextmanager
def stranger(name: str, folder: Path) -> Iterator[sa.Engine]:
    """An engine of SQLAlchemy to a new and empty database. Skips the test without the engine."""
    if name == "firebird":
        with made(folder) as engine:
            yield engine
        return
    if name in FILES:
        engine = sa.create_engine(url_of(name, folder))
        yield engine
        engine.dispose()
        return
    with contextmanager(opened)(name, folder) as db:
        pool = db.pool()
        engine = sa.create_engine(pool.url.set(drivername=f"strange_{name}"))
        yield engine
        engine.dispose()
        pool.dispose()
