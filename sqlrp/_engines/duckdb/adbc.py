"""DuckDB by a connection of ADBC, `adbc_driver_duckdb.dbapi`. The package is known by its name and is not imported.

DuckDB itself says whether a transaction is open. So what is written in one stays the user's own to commit, and without
one it is committed, as on a connection of `duckdb`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pyarrow as pa

from sqlrp._connectors.connector import Batches, Connector, Signature
from sqlrp._connectors.foresight import Rows
from sqlrp._core.errors import SqlrpError, StatementError, UnreachableError, UnsupportedError
from sqlrp._core.interruption import interruptible
from sqlrp._core.logs import log_statement
from sqlrp._core.sources import TableName
from sqlrp._engines.duckdb.connector import DuckDBConnector, turn

TRANSACTION_STATUS = "adbc.postgresql.transaction_status"
"""The option of a connection to PostgreSQL that says whether a transaction is open."""
_STATUS = re.compile(r"^[A-Z_]+: ")
"""What ADBC puts before the engine's message."""


class AnyDuckDBConnector(DuckDBConnector):
    """A connection of the package `duckdb`, of SQLAlchemy, or of ADBC."""

    def recognises(self, connection: Any) -> bool:
        """Whether it is one of these."""
        return super().recognises(connection) or engine_of(connection) == "duckdb"

    def serving(self, connection: Any) -> Connector:
        """The connector of its kind."""
        return AdbcDuckDBConnector(self.dialect) if engine_of(connection) == "duckdb" else super().serving(connection)


class AdbcDuckDBConnector(DuckDBConnector):
    """A connection of ADBC to DuckDB. No second one reads while it writes."""

    def add_functions(self, connection: Any, functions: Mapping[str, Signature]) -> None:
        """Refuse: ADBC makes no functions of Python."""
        raise UnsupportedError(
            "a connection of ADBC makes no functions of Python, which this needs: pass a connection of duckdb.connect"
        )

    fetch_few = Connector.fetch_few  # its rows are Arrow's already
    attached = Connector.attached  # no second connection would attach what the file has

    def told(self, connection: Any, sql: str) -> tuple[list[Any], Rows]:
        """The types of Arrow, and all rows. Sums of whole numbers are whole numbers, which Arrow has as decimals."""
        self.not_foreseen(connection)
        table = self._read(connection, sql)
        columns = ([_plain(v) for v in column.to_pylist()] for column in table.columns)
        return list(table.schema.types), list(zip(*columns, strict=True))

    def listing(self, connection: Any, with_views: bool) -> Rows:
        """Planned each time: ADBC makes a prepared statement of each text itself."""
        return self.fresh(connection, self.dialect.listing_query(with_views))

    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement, to its end."""
        self.forget(connection)
        self.not_foreseen(connection)
        self._read(connection, sql)

    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """Run a query. BIGNUM columns arrive as decimal256."""
        self.not_foreseen(connection)
        table = self._read(connection, sql)
        found = {field.name: kind for field in table.schema if (kind := _bignum(field.type)) is not None}
        if not found:
            return table
        arrays = {name: "" if kind == _WIDE else "[]" for name, kind in found.items()}
        table = self._read(connection, self.dialect.texts(sql, arrays))
        for name, kind in found.items():
            at = table.schema.get_field_index(name)
            table = table.set_column(at, name, table.column(at).cast(kind))
        return table

    @contextmanager
    def stream(self, connection: Any, sql: str, rows: int) -> Iterator[Batches]:
        """By the cursor, whose batches have DuckDB's size."""
        with self._ran(connection, sql) as cursor:
            reader = cursor.fetch_record_batch()

            def each() -> Iterator[pa.RecordBatch]:
                with _words(sql):
                    yield from reader

            yield Batches(reader.schema, each())

    @contextmanager
    def beside(self, connection: Any, table: TableName) -> Iterator[Any]:
        """None: a clone of the connection would not have its settings."""
        yield None

    @contextmanager
    def lent(self, connection: Any, rows: Batches) -> Iterator[str]:
        """A temporary table of the rows, which ADBC writes."""
        name = f"sqlrp_{uuid4().hex}"
        reader = pa.RecordBatchReader.from_batches(rows.schema, rows.each)
        with turn(connection), _words("ingest"), closing(connection.cursor()) as cursor:
            cursor.adbc_ingest(name, reader, mode="create", temporary=True)
        try:
            yield f"{self.dialect.temporary}{name}"
        finally:
            with suppress(StatementError):  # a failed transaction, whose rollback removes it
                self.execute(connection, f"{self.dialect.dropping_temporary} {self.dialect.temporary}{name}")

    def _read(self, connection: Any, sql: str) -> pa.Table:
        with self._ran(connection, sql) as cursor:
            found: pa.Table = cursor.fetch_arrow_table()
            return found

    @contextmanager
    def _ran(self, connection: Any, sql: str) -> Iterator[Any]:
        log_statement(self.dialect.name, sql)
        with turn(connection), interruptible(), _words(sql), closing(connection.cursor()) as cursor:
            cursor.execute(sql)
            yield cursor


def engine_of(connection: Any) -> str:
    """The engine of an open connection of ADBC, of which two are known; empty for anything else.

    PostgreSQL's driver is known by an option of its own: to ask it for its name begins a transaction.
    """
    if not type(connection).__module__.startswith("adbc_driver_manager."):
        return ""
    with suppress(Exception):  # closed, or of another driver
        if connection.adbc_connection.get_option(TRANSACTION_STATUS):
            return "postgresql"
    with suppress(Exception):
        if connection.adbc_get_info()["vendor_name"] == "duckdb":
            return "duckdb"
    return ""


@contextmanager
def _words(sql: str) -> Iterator[None]:
    """Turn ADBC's errors into sqlrp's."""
    try:
        yield
    except SqlrpError:
        raise
    except Exception as error:
        if not any(kind.__module__.startswith(("adbc_driver_manager", "pyarrow")) for kind in type(error).__mro__):
            raise
        said = _STATUS.sub("", str(error))
        if str(error).startswith("INVALID_STATE"):
            raise UnreachableError(sql, f"the connection to the database is closed (open a new one): {said}") from error
        raise StatementError(sql, said) from error


_WIDE = pa.decimal256(76, 0)


def _bignum(kind: pa.DataType) -> pa.DataType | None:
    """The type of Arrow for a BIGNUM or a list of them; None for any other type."""
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        return None if _bignum(kind.value_type) is None else pa.list_(_WIDE, getattr(kind, "list_size", -1))
    return _WIDE if getattr(kind, "type_name", "") == "bignum" else None


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, Decimal) and value.as_tuple().exponent == 0 else value


__all__ = ["AnyDuckDBConnector"]
