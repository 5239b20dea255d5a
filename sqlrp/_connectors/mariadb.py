"""MariaDB by SQLAlchemy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar
from weakref import WeakSet

import pyarrow as pa

from sqlrp._connectors.base import Place
from sqlrp._connectors.sqlalchemy import TransactingConnector
from sqlrp._core.alchemy import sa
from sqlrp._core.errors import StatementError, UnreachableError, UnsupportedError
from sqlrp._core.sources import TableName
from sqlrp._dialects.base import Column
from sqlrp._dialects.mariadb import MariaDB

_NOT_THERE = (1049, 1146)
"""The error numbers of an unknown database and an unknown table."""
_CHECKED: WeakSet[Any] = WeakSet()
"""The connections of the driver whose settings were read."""
_ROWS = 2**40
"""Fewer rows than this may be those of a result."""
_FLOAT = 4
"""The protocol's type code of FLOAT, which the server writes as text of six digits."""
_LONG = 1_000_000
"""So many characters fit in a packet (`max_allowed_packet`) with room to spare: its default is 16 MB."""
_DENIED = 1142
"""That of a missing right, also for a table that is not there."""
_UNDEFINED = (*_NOT_THERE, 1046, _DENIED, 1347, 1356)
"""Those of a name without a definition to see: no database is chosen, no right, no table, a broken view."""
_ARROW = {1: pa.int64(), 2: pa.int64(), 3: pa.int64(), 9: pa.int64(), 5: pa.float64()}
"""Arrow types by the protocol's type codes. The values decide the type of 64-bit integers, which may be unsigned."""


class MariaDBConnector(TransactingConnector):
    """A connection of SQLAlchemy's dialect `mariadb`, or of its dialect `mysql` to such a server."""

    arrow_types: ClassVar[Mapping[Any, pa.DataType]] = _ARROW
    dialect: MariaDB

    @contextmanager
    def session(self, connection: Any) -> Iterator[sa.Connection]:
        """The session, after a look at settings that would cut what it reads, or make another language of SQL."""
        begun = self.within(connection)
        with super().session(connection) as opened:
            if not begun:
                self._check_settings(opened)
                self.foresee(opened)
            yield opened

    def _check_settings(self, opened: sa.Connection) -> None:
        """Look once for each connection of the driver, as every look is a round trip."""
        driver = opened.connection.driver_connection
        if driver in _CHECKED:
            return
        mode, limit = self.fresh(opened, self.dialect.reading_query)[0]
        if "ORACLE" in str(mode).split(","):
            raise UnsupportedError(
                "sql_mode has ORACLE, which reads another SQL than that of "
                f"{self.dialect.name}: SET SESSION sql_mode = DEFAULT"
            )
        if int(limit) < _ROWS:
            raise UnsupportedError(
                f"sql_select_limit = {limit} cuts what a query gives, and so what sqlrp reads of columns and rows: "
                "SET SESSION sql_select_limit = DEFAULT"
            )
        _CHECKED.add(driver)

    def commits_itself(self, connection: sa.Connection) -> bool:
        """Ask the server."""
        return bool(self.fresh(connection, self.dialect.committing_query)[0][0])

    def transacting(self, connection: sa.Connection) -> bool:
        """Ask the server."""
        return bool(self.fresh(connection, self.dialect.transacting_query)[0][0])

    def check_makes(self) -> None:
        """CREATE TABLE and RENAME TABLE commit the open transaction."""
        raise UnsupportedError(
            f"{self.dialect.name} commits an open transaction when a table is made: commit it first, or pass a "
            "SQLAlchemy engine"
        )

    def begin(self, connection: sa.Connection, lock: str, alone: bool) -> None:
        """Take the lock first, because it outlives the transaction."""
        self._check_settings(connection)
        wait = self.dialect.lock_query(lock)
        if self.fresh(connection, wait)[0][0] != 1:
            raise StatementError(wait, "another connection holds the lock of sqlrp: try again")
        if alone:
            self.execute(connection, self.dialect.begins)

    @contextmanager
    def holding(self, connection: sa.Connection, lock: str) -> Iterator[bool]:
        """A lock that is released at the end. What is asked under it is asked now."""
        held = self.fresh(connection, self.dialect.lock_query(lock, wait=False))[0][0] == 1
        self.forget(connection)
        try:
            yield held
        finally:
            if held:
                self.unlock(connection, lock)

    def asked(self, connection: sa.Connection, sql: str) -> sa.CursorResult[Any]:
        """Ask again if a column is FLOAT, for DOUBLE: only the answer has the types of a query's columns."""
        found = super().asked(connection, sql)
        columns = {str(column[0]): column[1] == _FLOAT for column in (found.cursor and found.cursor.description) or ()}
        if not any(columns.values()):
            return found
        found.close()
        return super().asked(connection, self.dialect.doubled(sql, columns))

    def restricted(self, connection: sa.Connection) -> str:
        """Try: the statements commit no transaction."""
        try:
            for text in self._blocks(self.dialect.trying):  # which leave the answers of the catalogue as they are
                with self._opened(connection, text) as opened:
                    self._run(opened, text).close()
        except UnreachableError:
            raise
        except StatementError as error:
            return error.words
        return ""

    def _blocks(self, statements: Iterable[str]) -> list[str]:
        """The statements as one, if that is not too long for a packet; otherwise as they are."""
        texts = list(statements)
        if len(texts) < 2 or not self.dialect.block or sum(map(len, texts)) > _LONG:
            return texts
        return [self.dialect.block.format(statements=";\n".join(texts))]

    def execute_all(self, connection: Any, statements: Iterable[str]) -> None:
        """As one block."""
        super().execute_all(connection, self._blocks(statements))

    def together(self) -> bool:
        """As a block, which MySQL has not."""
        return bool(self.dialect.block)

    def fetch_all(self, connection: Any, queries: Sequence[str]) -> list[pa.Table]:
        """As one block, unless a column is FLOAT, which is asked for again."""
        texts = self._blocks(queries)
        if len(texts) > 1 or not isinstance(connection, sa.Connection):
            return super().fetch_all(connection, queries)
        found = self.results(connection, texts[0])
        single = any(column[1] == _FLOAT for description, _ in found for column in description)
        return super().fetch_all(connection, queries) if single else [rows for _, rows in found]

    def unlock(self, connection: sa.Connection, lock: str) -> None:
        """Let the next transaction start."""
        self.fresh(connection, self.dialect.unlock_query(lock))

    def _placed(self, connection: Any, name: TableName, query: str | None) -> Place:
        """The place. Only the definition of a table says that it is temporary, and then it hides the other's."""
        place = super()._placed(connection, name, query)
        try:
            found = self.rows(connection, self.dialect.definition_query(name))
        except StatementError as error:
            unknown = _code(error) == _DENIED and not place.there  # perhaps there is a table that may not be seen
            if _code(error) not in _UNDEFINED or unknown:
                raise
            return place
        return replace(place, hidden=is_temporary(found))

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The columns of a table; none if there is no such table."""
        with self.session(connection) as opened:
            try:
                return super().describe(opened, name)
            except StatementError as error:
                if _code(error) in _NOT_THERE:
                    return []
                raise


def is_temporary(definition: Sequence[Sequence[Any]]) -> bool:
    """Whether the rows of a `definition_query` are of a temporary table."""
    return any("TEMPORARY TABLE" in str(cell)[:30] for row in definition for cell in row[1:2])


def _code(error: StatementError) -> object:
    """The server's number for an error."""
    driver = getattr(error.__cause__, "orig", None)
    return driver.args[0] if driver is not None and driver.args else None
