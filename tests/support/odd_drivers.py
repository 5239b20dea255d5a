"""Drivers of SQLite that answer as others do: they fold names, give those of base columns, or raise what they like.

Each is a dialect of SQLAlchemy that sqlrp does not know.
"""

from __future__ import annotations

import re
import sqlite3
from typing import Any, ClassVar

import sqlalchemy as sa
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite


class _Folding(sqlite3.Cursor):
    """Oracle, H2 and Derby fold the names that are not quoted; some of their drivers fold all of them."""

    @property
    def description(self) -> Any:  # type: ignore[override]
        found = super().description
        return found and tuple((column[0].upper(), *column[1:]) for column in found)


class _Basing(sqlite3.Cursor):
    """Drivers of JDBC give the label of a base column in place of an alias."""

    @property
    def description(self) -> Any:  # type: ignore[override]
        found = super().description
        return found and tuple(("base", *column[1:]) for column in found)


class _Keyed(sqlite3.Cursor):
    """Drivers may read a row as a dictionary, in which a name stands once, and may describe no column of it."""

    @property
    def description(self) -> Any:  # type: ignore[override]
        return super().description and ()

    def _once(self, rows: Any) -> Any:
        names = [column[0].partition("(")[0] for column in super().description]
        return [tuple(dict(zip(names, row, strict=True)).values()) for row in rows]

    def fetchone(self) -> Any:
        return next(iter(self._once(super().fetchmany(1))), None)

    def fetchmany(self, size: int | None = None) -> Any:
        return self._once(super().fetchmany(size or self.arraysize))

    def fetchall(self) -> Any:
        return self._once(super().fetchall())


class _Failing(sqlite3.Cursor):
    """Drivers that bind another language raise errors that DBAPI does not name."""

    def execute(self, sql: str, *rest: Any) -> Any:
        if re.search(r'"?boom"?', sql) and "pragma" not in sql.lower():
            raise ValueError("the driver's own words")
        return super().execute(sql, *rest)


class _Lying(sqlite3.Cursor):
    """An engine that understands a phrase otherwise (`LyingSqlite.lie`), or passes on fewer digits (`digits`)."""

    def execute(self, sql: str, *rest: Any) -> Any:
        if LyingSqlite.lie and not re.match("CREATE|INSERT|PRAGMA", sql):
            sql = re.sub(*LyingSqlite.lie, sql)
        return super().execute(sql, *rest)

    def _told(self, row: Any) -> Any:
        n = LyingSqlite.digits
        return row and tuple(round(cell, n) if isinstance(cell, float) and n else cell for cell in row)

    def fetchone(self) -> Any:
        return self._told(super().fetchone())

    def fetchmany(self, size: int | None = None) -> Any:
        return [self._told(row) for row in super().fetchmany(size or self.arraysize)]

    def fetchall(self) -> Any:
        return [self._told(row) for row in super().fetchall()]


class _Odd(SQLiteDialect_pysqlite):
    supports_statement_cache = True
    cursors: ClassVar[type[sqlite3.Cursor]]

    def connect(self, *args: Any, **kwargs: Any) -> Any:
        cursors = self.cursors

        class Connection(sqlite3.Connection):
            def cursor(self, factory: Any = cursors) -> Any:
                return super().cursor(factory)

        return super().connect(*args, factory=Connection, **kwargs)


class FoldingSqlite(_Odd):
    supports_statement_cache = True
    name = "folding_sqlite"
    cursors = _Folding


class BasingSqlite(_Odd):
    supports_statement_cache = True
    name = "basing_sqlite"
    cursors = _Basing


class KeyedSqlite(_Odd):
    supports_statement_cache = True
    name = "keyed_sqlite"
    cursors = _Keyed


class FailingSqlite(_Odd):
    supports_statement_cache = True
    name = "failing_sqlite"
    cursors = _Failing


class LyingSqlite(_Odd):
    supports_statement_cache = True
    name = "lying_sqlite"
    cursors = _Lying
    lie: ClassVar[tuple[str, str] | None] = None
    """a pattern in the text of a query, and what the engine reads in its place"""
    digits: ClassVar[int] = 0


for _dialect in (FoldingSqlite, BasingSqlite, KeyedSqlite, FailingSqlite, LyingSqlite):
    registry.register(_dialect.name, __name__, _dialect.__name__)


def opened(name: str) -> sa.Connection:
    """A connection to an empty database in memory, under a name such as `folding_sqlite`."""
    return sa.create_engine(f"{name}://", isolation_level="AUTOCOMMIT").connect()
