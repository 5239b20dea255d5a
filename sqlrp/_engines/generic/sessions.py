"""Sessions of engines in this process that are no connections of SQLAlchemy: those of DataFusion, Polars and Daft.

The packages are recognised by their names and are not imported. Such an engine is asked what it can, as any that has no
file in this package is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import Any
from weakref import WeakKeyDictionary

import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.alchemy import sa
from sqlrp._core.errors import StatementError, UnsupportedError, one_line
from sqlrp._core.logs import log_statement
from sqlrp._core.numbers import BOOLEAN, DOUBLE, Number
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Column, ColumnType
from sqlrp._engines.generic.asked import NO_ANSWER, Answers, Rows, asked_all
from sqlrp._engines.generic.sqlalchemy_dialect import SqlAlchemyDialect

_SESSIONS: dict[str, tuple[str, Callable[[Any, str], pa.Table]]] = {
    "datafusion": ("SessionContext", lambda session, sql: session.sql(sql).to_arrow_table()),
    "daft": ("Session", lambda session, sql: session.sql(sql).to_arrow()),
    "polars": ("SQLContext", lambda session, sql: session.execute(sql, eager=True).to_arrow()),
}
"""By the name of a package: the class of its sessions, and how one of them runs a query."""
_WORD = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\b[A-Z]+\b")
"""A string, a name in quotes, or a word in capitals, as sqlrp writes those of SQL."""
_WHEN, _THEN = "WHEN coalesce((", "), FALSE) THEN"
"""Around a condition that may be NULL."""
_ASKED: WeakKeyDictionary[Any, Answers] = WeakKeyDictionary()
_PROVED: WeakKeyDictionary[Any, set[Hashable]] = WeakKeyDictionary()


def complete(sql: str) -> str:
    """A text in which each CASE has its ELSE, and no condition is NULL: Daft then gives NULL in place of the ELSE."""
    has_else: list[bool] = []
    kept: list[bool] = []

    def word(found: re.Match[str]) -> str:
        if found[0] == "CASE":
            has_else.append(False)
        elif found[0] == "WHEN":
            kept.append(sql.startswith(_WHEN, found.start()))
            return found[0] if kept[-1] else _WHEN
        elif found[0] == "THEN" and kept and not kept.pop():
            return _THEN
        elif found[0] == "ELSE" and has_else:
            has_else[-1] = True
        elif found[0] == "END" and has_else and not has_else.pop():
            return "ELSE NULL END"
        return found[0]

    return _WORD.sub(word, sql)


def package_of(session: Any) -> str:
    """The package of a session of SQL; empty for anything else."""
    package = type(session).__module__.partition(".")[0]
    return package if _SESSIONS.get(package, ("",))[0] == type(session).__name__ else ""


class SessionConnector(Connector):
    """A session of DataFusion, Polars or Daft. It reads; nothing is kept in it."""

    dialect: SqlAlchemyDialect

    def recognises(self, connection: Any) -> bool:
        """Whether it is a session of one of these packages."""
        return package_of(connection) != ""

    def serving(self, connection: Any) -> Connector:
        """The connector with what the engine answered."""
        words = sa.engine.default.DefaultDialect()
        words.name = package_of(connection)
        return type(self)(SqlAlchemyDialect(words, _ASKED.get(connection)))

    def reached(self, connection: Any) -> Connector:
        """The connector with what the engine says of itself, which is asked once for a session.

        Raises UnsupportedError if it does not answer, or computes wrongly what every text needs.
        """
        if connection not in _ASKED:
            found = asked_all(self.dialect.questions(), lambda sql: self._answer(connection, sql))
            if found is None or found.wrong:
                why = found.wrong[0] if found is not None else NO_ANSWER
                raise UnsupportedError(f"{self.dialect.name} {why}: pass a dataframe")
            _ASKED[connection] = found
        return self.serving(connection)

    def proved(self, connection: Any) -> set[Hashable]:
        """The kinds of projections whose numbers were compared in the session."""
        return _PROVED.setdefault(connection, set())

    def _answer(self, connection: Any, sql: str) -> Rows | None:
        """The rows of a question; None if the engine refuses it."""
        try:
            return self.rows(connection, sql)
        except StatementError:
            return None

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The columns of a query without rows. A table that is not there has none."""
        try:
            found = self.fetch(connection, self.dialect.without_rows(name))
        except StatementError as error:
            if "not found" in error.words:
                return []
            raise
        return [Column(field.name, _column_type(field.type), field.nullable) for field in found.schema]

    def as_taken(self, connection: Any, text: str) -> str:
        """With each ELSE, and without a condition that is NULL, for Daft."""
        return complete(text) if package_of(connection) == "daft" else text

    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement."""
        self.fetch(connection, sql)

    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """The rows."""
        log_statement(self.dialect.name, sql)
        try:
            return _SESSIONS[package_of(connection)][1](connection, self.as_taken(connection, sql))
        except BaseException as error:
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            raise StatementError(sql, one_line(str(error))) from error


def _column_type(kind: pa.DataType) -> ColumnType:
    """The column type of an Arrow type; an integer may be unsigned."""
    text = str(kind)
    if pa.types.is_boolean(kind):
        return ColumnType(text, BOOLEAN)
    if pa.types.is_integer(kind):
        return ColumnType(text, Number("int", kind.bit_width))
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return ColumnType(text, DOUBLE)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return ColumnType(text, _column_type(kind.value_type).number, is_array=True)
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return ColumnType(text, is_text=any(is_kind(kind) for is_kind in texts))
