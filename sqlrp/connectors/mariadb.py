"""MariaDB by SQLAlchemy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pyarrow as pa

from sqlrp.connectors.sqlalchemy import TransactingConnector
from sqlrp.core.alchemy import sa
from sqlrp.core.errors import StatementError, UnsupportedError
from sqlrp.core.sources import TableName
from sqlrp.dialects.base import Column
from sqlrp.dialects.mariadb import MariaDB

_NOT_THERE = (1049, 1146)
"""The error numbers of an unknown database and an unknown table."""
_ARROW = {1: pa.int64(), 2: pa.int64(), 3: pa.int64(), 9: pa.int64(), 4: pa.float64(), 5: pa.float64()}
"""Arrow types by the protocol's type codes. The values decide the type of 64-bit integers, which may be unsigned."""


class MariaDBConnector(TransactingConnector):
    """A connection of SQLAlchemy's dialects `mariadb` and `mysql`."""

    names: ClassVar[tuple[str, ...]] = ("mariadb", "mysql")
    arrow_types: ClassVar[Mapping[Any, pa.DataType]] = _ARROW
    dialect: MariaDB

    def commits_itself(self, connection: sa.Connection) -> bool:
        """Ask the server."""
        return bool(self._first(connection, self.dialect.committing_query))

    def transacting(self, connection: sa.Connection) -> bool:
        """Ask the server."""
        return bool(self._first(connection, self.dialect.transacting_query))

    def check_makes(self) -> None:
        """CREATE TABLE and RENAME TABLE commit the open transaction."""
        raise UnsupportedError(
            "mariadb commits an open transaction when a table is made: commit it first, or pass a SQLAlchemy engine"
        )

    def begin(self, connection: sa.Connection, lock: str, alone: bool) -> None:
        """Take the lock first, because it outlives the transaction."""
        wait = self.dialect.lock_query(lock)
        if self._first(connection, wait) != 1:
            raise StatementError(wait, "another connection holds the lock of sqlrp: try again")
        if alone:
            self.execute(connection, self.dialect.begins)

    def unlock(self, connection: sa.Connection, lock: str) -> None:
        """Let the next transaction start."""
        self.rows(connection, self.dialect.unlock_query(lock))

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The columns of a table; none if there is no such table."""
        with self.session(connection) as opened:
            if not getattr(opened.dialect, "is_mariadb", False):  # known only once SQLAlchemy is connected
                raise UnsupportedError(
                    "the connection is to MySQL, which lacks MariaDB's sequence tables: use MariaDB 10.6 on"
                )
            try:
                return super().describe(opened, name)
            except StatementError as error:
                if _code(error) in _NOT_THERE:
                    return []
                raise


def _code(error: StatementError) -> object:
    """The server's number for an error."""
    driver = getattr(error.__cause__, "orig", None)
    return driver.args[0] if driver is not None and driver.args else None
