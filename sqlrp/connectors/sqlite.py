"""SQLite by SQLAlchemy and Python's sqlite3."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import sqlalchemy as sa

from sqlrp.connectors.sqlalchemy import TransactingConnector
from sqlrp.core.sources import TableName
from sqlrp.dialects.base import Column


class SQLiteConnector(TransactingConnector):
    """A connection of SQLAlchemy's dialect `sqlite`."""

    names: ClassVar[tuple[str, ...]] = ("sqlite",)

    def commits_itself(self, connection: sa.Connection) -> bool:
        """sqlite3 begins a transaction of its own at an INSERT only, and with isolation_level None never."""
        return getattr(connection.connection.driver_connection, "isolation_level", None) is None

    def transacting(self, connection: sa.Connection) -> bool:
        """sqlite3 knows."""
        return bool(getattr(connection.connection.driver_connection, "in_transaction", False))

    def begin(self, connection: sa.Connection, lock: str, alone: bool) -> None:
        """In a caller's transaction too, which sqlite3 may not have begun yet."""
        if not self.transacting(connection):
            self.execute(connection, self.dialect.begins)

    @contextmanager
    def renaming(self, connection: Any) -> Iterator[None]:
        """The setting outlives the transaction: on a connection of a pool, others would have it."""
        setting = self.dialect.renaming_setting
        before = self._first(connection, self.dialect.settings_query([setting]))
        try:
            self.execute(connection, self.dialect.set_values({setting: "ON"}))
            yield
        finally:
            connection.exec_driver_sql(self.dialect.set_values({setting: before}))

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """A column without a declared type, such as a view's, by its first value."""
        with self.session(connection) as opened:
            found = self.rows(opened, self.dialect.columns_query(name))
            return [
                self.dialect.described(column, text or self._first_kind(opened, name, column), null)
                for column, text, null in found
            ]

    def _first_kind(self, connection: Any, name: TableName, column: str) -> str:
        query = self.dialect.first_kind_query(name, column)
        return "" if query is None else str(self._first(connection, query) or "")
