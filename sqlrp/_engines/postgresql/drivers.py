"""PostgreSQL by a connection of a driver itself, psycopg, psycopg2 or ADBC, within a connection of SQLAlchemy.

The transaction, the settings and the way in which rows are made stay the user's own: nothing is committed, rolled back
or closed that sqlrp did not begin.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.alchemy import is_alchemy, sa
from sqlrp._core.errors import StatementError, UnsupportedError, shorten
from sqlrp._engines.duckdb.adbc import engine_of
from sqlrp._engines.generic.connector import AnyConnector
from sqlrp._engines.generic.dialect import Generic
from sqlrp._engines.postgresql.adbc import AdbcConnection, adbc_dialect, adbc_message
from sqlrp._engines.postgresql.connector import PostgreSQLConnector

_SERVERS: WeakKeyDictionary[sa.Pool, str] = WeakKeyDictionary()
"""The relatives of PostgreSQL that pools lead to; empty for PostgreSQL."""
_REDSHIFT = "8.0."
_TELLING_STATE = ("info", "is_in_transaction")
"""Attributes of drivers that say whether a transaction is open: those of psycopg, psycopg2 and asyncpg.

PostgreSQL by any other driver is asked as an unknown engine is: by ODBC, pg8000, or SQLAlchemy's dialect of ADBC."""
_TELLING = {"crdb_version": "CockroachDB", "crate_version": "CrateDB"}
"""The parameters with which servers say what they are."""
_OLDEST = (12,)
"""The first version with the SQL that is written for PostgreSQL. Greenplum 6 and Materialize say that they are 9."""
"""How the version begins that Redshift tells drivers: that of the PostgreSQL which it comes from, of 2005."""
_UNREAD = "Could not determine version from string"
"""SQLAlchemy's words for a version of another engine."""


class AnyPostgreSQLConnector(PostgreSQLConnector):
    """A connection of SQLAlchemy's, or one of a driver, with which a call does the same."""

    def recognises(self, connection: Any) -> bool:
        """Whether it is a connection of SQLAlchemy to PostgreSQL, or one of psycopg, psycopg2 or ADBC."""
        return super().recognises(connection) or bool(_driver(connection))

    def reached(self, connection: Any) -> Connector:
        """Connect an engine that never was: only the server says which one it is. Its relatives and drivers are asked.

        Raises UnsupportedError for a driver's own connection to a relative.
        """
        if is_alchemy(connection):
            pool = connection.engine.pool
            if pool not in _SERVERS:
                with self._opened(connection) as opened:
                    version = getattr(opened.dialect, "server_version_info", None) or _OLDEST
                    old = version < _OLDEST and f"PostgreSQL {version[0]}, or a relative with its version"
                    driver = opened.connection.driver_connection
                    tells = any(hasattr(driver, name) for name in _TELLING_STATE)
                    _SERVERS[pool] = relative(driver) or old or ("" if tells else f"reached by {opened.dialect.driver}")
            return AnyConnector(Generic()).reached(connection) if _SERVERS[pool] else self.serving(connection)
        name = relative(connection)
        if name:
            raise UnsupportedError(
                f"the server is {name}, which sqlrp asks for its SQL by SQLAlchemy: pass an engine or a connection of "
                "SQLAlchemy"
            )
        return self.serving(connection)

    def _failure(self, error: Exception, connection: Any, sql: str, reached: bool) -> StatementError:
        if not reached and _UNREAD in str(error):
            raise UnsupportedError(
                "SQLAlchemy's dialect of PostgreSQL does not know this server, so it may be CockroachDB or another "
                f"relative: use a dialect of its own, such as sqlalchemy-cockroachdb ({shorten(error)})"
            ) from error
        return super()._failure(error, connection, sql, reached)

    @contextmanager
    def _opened(self, connection: Any, sql: str = "") -> Iterator[sa.Connection]:
        with super()._opened(linked(connection), sql) as opened:
            yield opened

    @contextmanager
    def _configured(self, connection: Any, checked: bool, lock: str = "") -> Iterator[sa.Connection]:
        with super()._configured(linked(connection), checked, lock) as opened:
            yield opened

    @contextmanager
    def begun(self, connection: Any, lock: str, makes: bool) -> Iterator[sa.Connection]:
        """As on a connection of SQLAlchemy: in the open transaction, or in one that is committed."""
        with super().begun(linked(connection), lock, makes) as opened:
            yield opened

    def in_arrow(
        self, connection: sa.Connection, result: sa.CursorResult[Any], sql: str, rows: int
    ) -> Iterator[pa.Table] | None:
        """The tables of ADBC."""
        cursor: Any = result.cursor
        return cursor.tables(sql, rows) if hasattr(cursor, "tables") else None

    def _sent(self, opened: sa.Connection, adapted: Any, text: str) -> None:
        """By what ADBC has for several statements, too."""
        if not hasattr(adapted, "run_script"):
            super()._sent(opened, adapted, text)
            return
        try:
            adapted.run_script(text)
        except opened.dialect.loaded_dbapi.Error as error:
            raise StatementError(text, self._said(error)) from error

    def _message(self, error: BaseException) -> str:
        return adbc_message(error) or super()._message(error)


def relative(connection: Any) -> str:
    """The relative of PostgreSQL that a driver's connection leads to, by what the server said when it began.

    Empty for PostgreSQL, and for drivers that do not pass that on. It asks nothing.
    """
    told = getattr(getattr(connection, "info", None), "parameter_status", None)
    if told is None or getattr(connection, "closed", False):
        return ""
    for parameter, name in _TELLING.items():
        if told(parameter):
            return name
    version = str(told("server_version") or "")
    return "YugabyteDB" if "-YB-" in version else "Redshift" if version.startswith(_REDSHIFT) else ""


def linked(connection: Any) -> Any:
    """A connection of SQLAlchemy that runs statements on a driver's; anything else as it is."""
    driver = _driver(connection)
    if not driver:
        return connection
    status = getattr(getattr(connection, "pgconn", None), "pipeline_status", 0)
    if status:
        raise UnsupportedError(
            "the connection is in the pipeline mode of psycopg, where a query does not have its rows at once: "
            "call sqlrp after the block `with connection.pipeline()`"
        )
    lent: Any = AdbcConnection(connection) if driver == "adbc" else _DriverConnection(connection)
    # The reset of a pool would roll back; that nobody listens to the pool leaves the server unasked for its version.
    pool = sa.pool.StaticPool(lambda: lent, reset_on_return=None)
    return sa.Engine(pool, _dialect(driver), sa.make_url(f"postgresql+{driver}://")).connect()


def _driver(connection: Any) -> str:
    """The driver whose connection it is; empty for anything else."""
    if is_alchemy(connection):
        return ""
    for name, called in (("psycopg", "Connection"), ("psycopg2", "extensions.connection")):
        module: Any = sys.modules.get(name)
        for part in called.split("."):
            module = getattr(module, part, None)
        if module is not None and isinstance(connection, module):
            return name
    return "adbc" if engine_of(connection) == "postgresql" else ""


@cache
def _dialect(driver: str) -> sa.Dialect:
    """SQLAlchemy's dialect for a driver. It is never asked to set a connection up."""
    if driver == "adbc":
        return adbc_dialect()
    made: Any = sa.make_url(f"postgresql+{driver}://").get_dialect()
    dialect: sa.Dialect = made(dbapi=made.import_dbapi())
    return dialect


class _DriverConnection:
    """A driver's connection whose cursors make plain rows, and which SQLAlchemy does not close."""

    def __init__(self, own: Any) -> None:
        object.__setattr__(self, "own", own)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.own, name, value)

    def cursor(self, *_: Any) -> Any:
        """A cursor that gives tuples: the user's may give dictionaries, or be of another class."""
        own: Any = self.own
        return _plain_cursor()(own) if _driver(own) == "psycopg" else own.cursor(cursor_factory=_plain_psycopg2())

    def close(self) -> None:
        """Leave it open: SQLAlchemy closes what it takes for broken."""


@cache
def _plain_cursor() -> Any:
    """psycopg's cursor with the values of Python that psycopg gives of itself."""
    import psycopg
    from psycopg.rows import tuple_row

    class Plain(psycopg.Cursor[tuple[Any, ...]]):
        def __init__(self, connection: psycopg.Connection[Any]) -> None:
            super().__init__(connection, row_factory=tuple_row)

        @property
        def adapters(self) -> psycopg.adapt.AdaptersMap:
            """Those of the package: the connection may read a number as another type."""
            return psycopg.adapters

    return Plain


def _plain_psycopg2() -> Any:
    return sys.modules["psycopg2"].extensions.cursor


__all__ = ["AnyPostgreSQLConnector", "linked"]
