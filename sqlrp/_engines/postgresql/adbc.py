"""PostgreSQL by a connection of ADBC, `adbc_driver_postgresql.dbapi`, as a driver's connection that SQLAlchemy runs.

ADBC reads a query by COPY, in Arrow. Its driver says whether a transaction is open. It begins one at each statement
unless it is in autocommit, and in a broken one it runs nothing but its own rollback.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, ClassVar
from uuid import UUID

import pyarrow as pa

from sqlrp._connectors.arrow_cursors import stored_type
from sqlrp._connectors.driver_rows import inferred
from sqlrp._core.alchemy import sa
from sqlrp._core.errors import StatementError, one_line
from sqlrp._engines.duckdb.adbc import TRANSACTION_STATUS
from sqlrp._engines.postgresql.dialect import PostgreSQL

_STATES: Mapping[str, int] = {"idle": 0, "active": 1, "intrans": 2, "inerror": 3}
_TYPES: Mapping[str, int] = {
    **{"bool": 16, "char": 18, "name": 19, "int8": 20, "int2": 21, "int4": 23, "text": 25, "oid": 26, "varchar": 1043},
    **{"_text": 1009},
}
"""The OIDs of the types in queries about the database, by the names that the driver gives."""


class AdbcConnection:
    """A connection with the methods that SQLAlchemy calls, on the user's own, which it never closes."""

    notices: ClassVar[tuple[str, ...]] = ()
    """ADBC has none."""

    def __init__(self, own: Any) -> None:
        self.own = own

    @property
    def info(self) -> AdbcConnection:
        """Itself: psycopg has the state there."""
        return self

    @property
    def transaction_status(self) -> int:
        """As libpq numbers it."""
        return _STATES[self.own.adbc_connection.get_option(TRANSACTION_STATUS)]

    @property
    def autocommit(self) -> bool:
        """Whether the driver begins no transaction of its own."""
        return str(self.own.adbc_connection.get_option("adbc.connection.autocommit")) == "true"

    def cursor(self, *_: Any) -> AdbcCursor:
        """A cursor of the user's connection."""
        return AdbcCursor(self)

    def commit(self) -> None:
        """Commit what the driver began."""
        self.own.commit()

    def rollback(self) -> None:
        """Roll back what the driver began, or what a statement did."""
        self.own.rollback()

    def close(self) -> None:
        """Leave it open: SQLAlchemy closes what it takes for broken."""

    def run_script(self, text: str) -> None:
        """Run several statements at once."""
        with self.own.cursor() as cursor:
            cursor.adbc_statement.set_sql_query(text)
            cursor.adbc_statement.execute_update()


class AdbcCursor:
    """A cursor with plain rows, or with Arrow tables."""

    def __init__(self, connection: AdbcConnection) -> None:
        self._connection, self._own = connection, connection.own.cursor()
        self._schema = pa.schema([])
        self._rows: Iterator[tuple[Any, ...]] = iter(())
        self.rowcount = self.arraysize = -1

    @property
    def description(self) -> list[tuple[Any, ...]] | None:
        """The columns, with the OIDs of their types where they are known; None without any."""
        found = [(f.name, _TYPES.get(_named(f)), None, None, None, None, None) for f in self._schema]
        return found or None

    def execute(self, sql: str, parameters: Any = None) -> None:
        """Run a statement. In a broken transaction the driver runs none: there it is left broken, or rolled back."""
        undo = PostgreSQL.rolls_back
        if sql.startswith(undo) and self._connection.transaction_status == _STATES["inerror"]:
            if sql == undo:
                self._connection.rollback()
            return
        copied = sql.lstrip("( \n").startswith(PostgreSQL.copied)  # sqlrp and SQLAlchemy write words in capitals
        self._own.adbc_statement.set_options(**{"adbc.postgresql.use_copy": "true" if copied else "false"})
        self._own.execute(sql)
        self._schema = self._own.fetch_record_batch().schema if self._own.description else pa.schema([])
        self._rows = self._each()

    def _each(self) -> Iterator[tuple[Any, ...]]:
        """The rows. A column of type void has no value."""
        for table in self.tables("", 10_000, void=True):
            yield from zip(*(column.to_pylist() for column in table.columns), strict=True)

    def tables(self, sql: str, rows: int, void: bool = False) -> Iterator[pa.Table]:
        """The rows that were not fetched as tables of plain types; one at least."""
        reader = self._own.fetch_record_batch()
        schema, there = reader.schema, False
        try:
            for batch in reader:
                for at in range(0, batch.num_rows, rows):
                    there = True
                    yield _plain(pa.Table.from_batches([batch.slice(at, rows)]), sql, void)
        except (OSError, pa.ArrowException) as error:  # of a row that is read after the first
            raise StatementError(sql, one_line(str(error).rpartition("ERROR:  ")[2])) from error
        if not there:
            yield _plain(schema.empty_table(), sql, void)

    def fetchone(self) -> tuple[Any, ...] | None:
        return next(self._rows, None)

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        return [row for row, _ in zip(self._rows, range(size), strict=False)]

    def fetchall(self) -> list[tuple[Any, ...]]:
        return list(self._rows)

    def close(self) -> None:
        self._own.close()


def adbc_message(error: BaseException) -> str:
    """PostgreSQL's own message, which ADBC puts between words of its own; empty for another error."""
    details = dict(getattr(error, "details", ()))
    message = details.get(b"PG_DIAG_MESSAGE_PRIMARY")
    if message is None:
        broken = "the connection is in an error state" in str(error)
        return "current transaction is aborted, commands ignored until end of transaction block" if broken else ""
    detail = details.get(b"PG_DIAG_MESSAGE_DETAIL")
    return "\nDETAIL: ".join(part.decode() for part in (message, detail) if part)


def adbc_dialect() -> sa.Dialect:
    """SQLAlchemy's dialect of PostgreSQL with the errors of ADBC. It is never asked to set a connection up."""
    from adbc_driver_manager import dbapi
    from sqlalchemy.dialects.postgresql.base import PGDialect

    class Adbc(PGDialect):
        driver = "adbc"
        supports_statement_cache = True

        def is_disconnect(self, error: Any, *_: Any) -> bool:
            """Whether the error says that the connection is no more."""
            return "must call AdbcConnection" in str(error) or "server closed the connection" in str(error)

    return Adbc(dbapi=dbapi)  # type: ignore[no-untyped-call]


def _named(field: pa.Field) -> str:
    """PostgreSQL's name of a column's type."""
    return ((field.metadata or {}).get(b"POSTGRESQL:type") or b"").decode()


def _plain(table: pa.Table, sql: str, void: bool) -> pa.Table:
    """The table without types of ADBC's own. pyarrow below 18 has their bytes only, so that the names tell them."""
    for at, field in enumerate(table.schema):
        column, name = table.column(at), _named(field)
        kind = stored_type(field.type)
        inner = stored_type(kind.value_type) if pa.types.is_list(kind) else kind
        if name in ("numeric", "_numeric"):
            column = _read(column, Decimal)
        elif name in ("uuid", "_uuid"):
            column = _read(column, lambda value: str(UUID(bytes=value) if isinstance(value, bytes) else value))
        elif void and name == "void":
            column = pa.nulls(table.num_rows)
        elif name == "money" or (pa.types.is_binary(inner) and name not in ("bytea", "_bytea")):
            raise StatementError(
                sql,
                f"ADBC gives bytes for the type {name} of column {field.name!r}: read it as text, by a view with "
                "CAST(… AS text)",
            )
        elif kind is not field.type:
            column = column.cast(kind)
        table = table.set_column(at, pa.field(field.name, column.type), column)
    return table


def _read(column: pa.ChunkedArray, make: Callable[[Any], Any]) -> pa.ChunkedArray:
    """The column with other values in place of its own, or in its lists."""

    def read(value: Any) -> Any:
        return list(map(read, value)) if isinstance(value, list) else None if value is None else make(value)

    return pa.chunked_array([inferred(list(map(read, column.to_pylist())))])
