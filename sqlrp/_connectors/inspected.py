"""Any other connection of SQLAlchemy. SQLAlchemy's inspector reports its columns."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterator
from contextlib import contextmanager, nullcontext
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

import pyarrow as pa

from sqlrp._connectors.base import Connector
from sqlrp._connectors.sqlalchemy import SqlAlchemyConnector
from sqlrp._core.alchemy import is_alchemy, sa
from sqlrp._core.errors import SourceError, SqlrpError, StatementError, UnreachableError, UnsupportedError, one_line
from sqlrp._core.numbers import BOOLEAN, DOUBLE, Number
from sqlrp._core.quiet import hidden
from sqlrp._core.sources import TableName
from sqlrp._dialects.asked import Answers, Rows, questions
from sqlrp._dialects.base import Column, ColumnType
from sqlrp._dialects.sqlalchemy import SqlAlchemyDialect

_VECTOR = re.compile(r"VECTOR\(\w+, *(\d+)\)", re.IGNORECASE)
"""Snowflake's type of vectors, which a query casts to an array."""
_ARRAY = re.compile(r"(ARRAY|SUPER)\b", re.IGNORECASE)
"""The types of arrays of warehouses whose SQLAlchemy dialects have classes of their own for them."""


_ASKED: WeakKeyDictionary[sa.Pool, Answers | None] = WeakKeyDictionary()
"""What the engines of pools of connections said of themselves; None for nothing."""
_PROVED: WeakKeyDictionary[sa.Pool, set[Hashable]] = WeakKeyDictionary()
"""The kinds of projections whose numbers were compared."""
_PATIENCE = 30.0
"""The seconds in which an engine has to answer all questions but the first, for which a server may have to start."""


class InspectedConnector(SqlAlchemyConnector):
    """A connection of a SQLAlchemy dialect whose transactions are not known to sqlrp."""

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """Ask SQLAlchemy's inspector."""
        *schema, table = name.parts
        if len(schema) > 1:
            raise SourceError(
                f"source {name} has more parts than schema.table, which is what {self.dialect.name} reads"
            )
        with self.session(connection) as opened, hidden("Failed to reflect table", sa.exc.SAWarning):
            try:
                with self.network_errors(opened):
                    found = sa.inspect(opened).get_columns(table, schema=schema[0] if schema else None)
            except sa.exc.NoSuchTableError:
                return []
            except (sa.exc.DBAPIError, sa.exc.ResourceClosedError, sa.exc.PendingRollbackError, StatementError):
                raise
            except Exception as error:  # a dialect of another's making: what it raises is its own
                said = one_line(str(error)) or type(error).__name__
                raise SourceError(
                    f"the dialect {opened.dialect.name} of SQLAlchemy does not say what columns {name} has ({said}): "
                    "read the rows into a dataframe, and pass that"
                ) from error
        return [
            Column(column["name"], _column_type(column["type"], str(column["type"])), column.get("nullable", True))
            for column in found
        ]

    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """The rows, with the columns named as the inspector names them."""
        table = super().fetch(connection, sql)
        dialect = connection.dialect
        if not dialect.requires_name_normalize:
            return table
        return table.rename_columns([str(dialect.normalize_name(name)) for name in table.column_names])


class AnyConnector(InspectedConnector):
    """A connection of any SQLAlchemy dialect; SQLAlchemy helps to write its SQL."""

    def recognises(self, connection: Any) -> bool:
        """Whether it is an engine or a connection of SQLAlchemy."""
        return is_alchemy(connection)

    def serving(self, connection: Any) -> Connector:
        """The connector with the connection's own dialect."""
        return type(self)(SqlAlchemyDialect(connection.dialect, _ASKED.get(connection.engine.pool)))

    def reached(self, connection: Any) -> Connector:
        """The connector with what the engine says of itself, which is asked once for a pool of connections.

        Raises UnsupportedError if the engine computes wrongly what every text needs.
        """
        pool = connection.engine.pool
        if pool not in _ASKED:
            _ASKED[pool] = self._ask(connection)
        answers = _ASKED[pool]
        if answers is not None and answers.wrong:
            raise UnsupportedError(
                f"the engine {connection.dialect.name} computes wrongly: {answers.wrong[0]}: "
                "read the rows into a dataframe, and pass that"
            )
        return self.serving(connection)

    def proved(self, connection: Any) -> set[Hashable]:
        """The kinds of projections whose numbers were compared, on any connection of the pool."""
        return _PROVED.setdefault(connection.engine.pool, set())

    def _ask(self, connection: Any) -> Answers | None:
        """The answers; None if the engine cannot be asked."""
        with self._opened(connection) as opened:
            begun = opened.in_transaction()
            # A question that fails may break the caller's transaction, which a savepoint around it keeps whole.
            guarded = begun and not _commits_itself(opened)
            asking = questions(SqlAlchemyDialect(opened.dialect).words())
            try:
                sql = next(asking)
                answer = self._answer(opened, sql, guarded, begun)
                started = monotonic()
                while True:
                    sql = asking.send(answer)
                    _check_patience(opened.dialect.name, sql, monotonic() - started)
                    answer = self._answer(opened, sql, guarded, begun)
            except StopIteration as done:
                answers: Answers | None = done.value
                return answers
            finally:
                if not begun:
                    opened.rollback()

    def _answer(self, connection: sa.Connection, sql: str, guarded: bool, begun: bool) -> Rows | None:
        """The rows of a question; None if the engine refuses it."""
        try:
            with connection.begin_nested() if guarded else nullcontext():
                return self.fresh(connection, sql)
        except UnreachableError:
            raise
        except (StatementError, sa.exc.SQLAlchemyError, NotImplementedError):
            if not begun:
                connection.rollback()
            return None

    @contextmanager
    def _opened(self, connection: Any, sql: str = "") -> Iterator[sa.Connection]:
        """The connection. What a driver raises outside DBAPI's classes becomes an error with the statement, too."""
        with super()._opened(connection, sql) as opened:
            try:
                yield opened
            except (SqlrpError, sa.exc.SQLAlchemyError):
                raise
            except Exception as error:
                if not sql:  # a session: this error is not the driver's
                    raise
                words = self._said(error) or type(error).__name__
                raise StatementError(sql, f"the driver of {opened.dialect.name} failed: {words}") from error


def _check_patience(name: str, sql: str, seconds: float) -> None:
    """Raise StatementError if an engine takes too long to answer."""
    if seconds > _PATIENCE:
        raise StatementError(
            sql,
            f"the engine {name} is not known, so its SQL is asked, and it has not answered within {_PATIENCE:.0f} s: "
            "try again when it is less busy, or read the rows into a dataframe, and pass that",
        )


def _commits_itself(connection: sa.Connection) -> bool:
    """Whether each statement is committed: SQLAlchemy says so of a transaction that it has begun, too."""
    level = connection.get_execution_options().get("isolation_level")
    return (level or getattr(connection.dialect, "_on_connect_isolation_level", None)) == "AUTOCOMMIT"


def _column_type(kind: Any, text: str) -> ColumnType:
    """The column type of a SQLAlchemy type; an integer may be unsigned."""
    if isinstance(kind, sa.Boolean):
        return ColumnType(text, BOOLEAN)
    if isinstance(kind, sa.Integer):
        bits = 64 if isinstance(kind, sa.BigInteger) else 16 if isinstance(kind, sa.SmallInteger) else 32
        return ColumnType(text, Number("int", bits))
    if isinstance(kind, sa.Numeric) and kind.scale == 0 and kind.precision:  # every integer of Snowflake
        return ColumnType(text, Number("int", math.ceil(kind.precision * math.log2(10))))
    if isinstance(kind, (sa.Numeric, sa.Float)):
        return ColumnType(text, DOUBLE)
    return _array_type(kind, text) or ColumnType(text, is_text=isinstance(kind, sa.String))


def _array_type(kind: Any, text: str) -> ColumnType | None:
    """The type of an array; None for any other type."""
    if isinstance(kind, sa.ARRAY):
        element = _column_type(kind.item_type, str(kind.item_type))
        return ColumnType(text, element.number, is_array=not element.is_array)
    vector = _VECTOR.match(text)
    if vector:
        return ColumnType(text, DOUBLE, is_array=True, size=int(vector[1]), cast="CAST({column} AS ARRAY)")
    return ColumnType(text, DOUBLE, is_array=True) if _ARRAY.match(text) else None
