"""SQLite by SQLAlchemy and Python's sqlite3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, ClassVar

from sqlrp._connectors.connector import Place, Signature
from sqlrp._connectors.sqlalchemy import TransactingConnector
from sqlrp._core.alchemy import sa
from sqlrp._core.errors import StatementError
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Column
from sqlrp._engines.sqlite.dialect import SQLite

_DRIVERS = ("pysqlite", "pysqlite_numeric", "aiosqlite")
"""SQLAlchemy's names of the drivers that are Python's sqlite3."""


class SQLiteConnector(TransactingConnector):
    """A connection of SQLAlchemy's dialect `sqlite` by a driver with the methods of Python's sqlite3.

    Under that name other drivers reach other engines, such as libSQL, Turso and SQLCipher: these are asked.
    """

    names: ClassVar[tuple[str, ...]] = ("sqlite",)
    dialect: SQLite

    def recognises(self, connection: Any) -> bool:
        """Look at the driver, too."""
        return super().recognises(connection) and connection.dialect.driver in _DRIVERS

    def is_in_process(self, connection: Any) -> bool:
        """Always: SQLite is a library."""
        return True

    def parts(
        self, connection: sa.Connection, result: sa.CursorResult[Any], sql: str, rows: int
    ) -> Iterator[Sequence[Sequence[Any]]]:
        """By sqlite3's own cursor, without the row objects of SQLAlchemy."""
        with self.driver_errors(connection, sql):
            while part := result.cursor.fetchmany(rows):
                yield part
        result.close()

    def commits_itself(self, connection: sa.Connection) -> bool:
        """Look at isolation_level: with None sqlite3 never begins a transaction, otherwise only at an INSERT."""
        return getattr(connection.connection.driver_connection, "isolation_level", None) is None

    def transacting(self, connection: sa.Connection) -> bool:
        """Ask sqlite3."""
        return bool(getattr(connection.connection.driver_connection, "in_transaction", False))

    def begin(self, connection: sa.Connection, lock: str, alone: bool) -> None:
        """Begin in a caller's transaction too, if sqlite3 has not begun it yet."""
        if not self.transacting(connection):
            self.execute(connection, self.dialect.begins)

    @contextmanager
    def reading(self, connection: Any, lock: str) -> Iterator[sa.Connection]:
        """A transaction that does not wait for writers, and sees the file as it was at its first query."""
        with self.session(connection) as opened:
            own = not self.transacting(opened)
            if own:
                self.execute(opened, self.dialect.begins_reading)
            try:
                yield opened
            finally:
                if own:
                    self.execute(opened, self.dialect.rolls_back)

    @contextmanager
    def renaming(self, connection: Any) -> Iterator[None]:
        """Restore the setting: it outlives the transaction, and other users of a pool's connection would get it."""
        setting = self.dialect.renaming_setting
        before = self._first(connection, self.dialect.settings_query([setting]))
        put_back = self.dialect.set_values({setting: before})
        try:
            self.execute(connection, self.dialect.set_values({setting: "ON"}))
            yield
        except BaseException:
            with suppress(StatementError):  # report the first error
                self.execute(connection, put_back)
            raise
        self.execute(connection, put_back)

    def add_functions(self, connection: Any, functions: Mapping[str, Signature]) -> None:
        """The functions belong to the connection of the driver. They are called row by row."""
        driver: Any = connection.connection.driver_connection
        for name, (function, arguments, _) in functions.items():
            driver.create_function(name, len(arguments), function, deterministic=True)

    def _placed(self, connection: Any, name: TableName, query: str | None) -> Place:
        """The place, with the name as the file spells it."""
        place = super()._placed(connection, name, query)
        if not place.there or query is None:
            return place
        spelled = self._first(connection, self.dialect.spelling_query(place.name))
        if spelled is None:  # it was dropped between the two questions
            return replace(place, there=False)
        return replace(place, name=TableName((*place.name.parts[:-1], str(spelled))))

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The columns. The first value gives the type of a column without a declared type, such as a view's."""
        with self.session(connection) as opened:
            found = self.rows(opened, self.dialect.columns_query(name))
            return [
                self.dialect.described(column, text or self._first_kind(opened, name, column), null)
                for column, text, null in found
            ]

    def _first_kind(self, connection: Any, name: TableName, column: str) -> str:
        query = self.dialect.first_kind_query(name, column)
        return "" if query is None else str(self._first(connection, query) or "")
