"""DuckDB by its Python package."""

from __future__ import annotations

import atexit
import warnings
import weakref
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any
from uuid import uuid4

import duckdb
import pyarrow as pa
from duckdb.func import FunctionNullHandling, PythonUDFType

from sqlrp.connectors.base import Batches, Connector, Signature, ahead
from sqlrp.core.errors import StatementError, UnreachableError
from sqlrp.core.logs import log_statement
from sqlrp.core.sources import TableName
from sqlrp.dialects.duckdb import DuckDB

_ALONE = RLock()
_BEGUN: weakref.WeakSet[duckdb.DuckDBPyConnection] = weakref.WeakSet()
"""The connections in a transaction that sqlrp began."""
_BATCH = 100_000  # rows per batch: streaming plans the text once, a relation plans it twice


class DuckDBConnector(Connector):
    """A connection of the package `duckdb`."""

    dialect: DuckDB

    def recognises(self, connection: Any) -> bool:
        """Whether it is a connection of the package."""
        return isinstance(connection, duckdb.DuckDBPyConnection)

    @contextmanager
    def transaction(self, connection: Any, lock: str, makes: bool) -> Iterator[Any]:
        """Transactions that change one row conflict, so no lock is needed. BEGIN in a transaction would break it."""
        first, second = (self.rows(connection, self.dialect.transaction_query) for _ in range(2))
        if first == second:
            yield connection
            return
        try:
            self.execute(connection, self.dialect.begins)
            _BEGUN.add(connection)
            yield connection
            self.execute(connection, self.dialect.commits)
        except BaseException:
            with suppress(StatementError):  # there is nothing to roll back if BEGIN or COMMIT was refused
                self.execute(connection, self.dialect.rolls_back)
            raise
        finally:
            _BEGUN.discard(connection)

    def alone(self) -> AbstractContextManager[Any]:
        """A lock: if two transactions make the same table, macro or function, DuckDB refuses the second at once."""
        return _ALONE

    def add_functions(self, connection: Any, functions: Mapping[str, Signature], arrow: bool = True) -> None:
        """The functions belong to the database while the process has it open. They are called for NULL too."""
        kind = PythonUDFType.ARROW if arrow else PythonUDFType.NATIVE
        special = FunctionNullHandling.SPECIAL
        with self.alone():
            there = {name for (name,) in self.rows(connection, self.dialect.functions_query(list(functions)))}
            for name, (function, arguments, returns) in functions.items():
                if name not in there:
                    with _words(f"create_function({name!r})"):
                        connection.create_function(name, function, arguments, returns, type=kind, null_handling=special)
                    atexit.register(_forget, weakref.ref(connection), name)

    def rows(self, connection: Any, sql: str) -> list[tuple[Any, ...]]:
        """Fetch all rows: a result that is not read to its end keeps the connection busy."""
        log_statement(self.dialect.name, sql)
        with _words(sql):
            return list(connection.execute(sql).fetchall())

    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement."""
        log_statement(self.dialect.name, sql)
        with _words(sql):
            connection.execute(sql)

    @contextmanager
    def stream(self, connection: Any, sql: str, rows: int) -> Iterator[Batches]:
        """By Arrow, from a relation: `execute` would compute all rows first."""
        log_statement(self.dialect.name, sql)
        with _words(sql):
            reader = connection.sql(sql).to_arrow_reader(rows)

        def each() -> Iterator[pa.RecordBatch]:
            while True:
                try:
                    batch = next(reader, None)
                except (pa.ArrowException, OSError) as error:  # the engine's words, by way of Arrow
                    raise StatementError(sql, str(error)) from error
                if batch is None:
                    return
                yield batch

        with closing(reader), closing(ahead(each())) as batches:
            yield Batches(reader.schema, batches)

    @contextmanager
    def beside(self, connection: Any, table: TableName) -> Iterator[Any]:
        """A cursor, if it has the same settings and finds the same table.

        It would not see temporary tables, and not what an open transaction of the caller has changed. sqlrp's own
        transactions change no source.
        """
        first, second = (self.rows(connection, self.dialect.transaction_query) for _ in range(2))
        if first == second and connection not in _BEGUN:
            yield None
            return
        seen = self.dialect.seen(table)
        with connection.cursor() as other:
            found = self.rows(connection, seen)
            [(_, _, tables, hiding)] = found
            alone = not hiding and len(tables or []) == (not table.is_file)
            yield other if alone and self.rows(other, seen) == found else None

    @contextmanager
    def lent(self, connection: Any, rows: Batches) -> Iterator[str]:
        """A registered reader; no table has its name, which is new each time."""
        name, failed = f"sqlrp_{uuid4().hex}", []

        def each() -> Iterator[pa.RecordBatch]:
            try:
                yield from rows.each
            except BaseException as error:
                failed.append(error)
                raise

        with _words("register"):
            connection.register(name, pa.RecordBatchReader.from_batches(rows.schema, each()))
        try:
            yield self.dialect.quote(name)
        except Exception as error:
            raise (failed or [error])[0] from None
        finally:
            with suppress(duckdb.Error):  # a failed transaction, whose rollback removes it
                connection.unregister(name)

    def capacity(self, connection: Any) -> tuple[int, int]:
        """The settings threads and memory_limit, which DuckDB writes as 953.6 MiB."""
        ((threads, limit),) = self.rows(connection, self.dialect.capacity_query)
        number, unit = str(limit).split()
        power = ("B", "KiB", "MiB", "GiB", "TiB").index(unit.replace("bytes", "B"))
        return int(threads), int(float(number) * 1024**power)

    def spill(self, connection: Any) -> str | None:
        """The setting temp_directory, or its parent: DuckDB makes the folder only when it needs it."""
        folder = Path(str(self._first(connection, self.dialect.spill_query) or "."))
        return next((str(path) for path in (folder, folder.parent) if path.is_dir()), None)

    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """Run a query, by Arrow; BIGNUM columns arrive as decimal256."""
        log_statement(self.dialect.name, sql)
        with _words(sql):
            result = connection.execute(sql)
            big = {d[0]: str(d[1])[len("BIGNUM") :] for d in result.description if str(d[1]).startswith("BIGNUM")}
            if big:
                result = connection.execute(self.dialect.texts(sql, big))
            with warnings.catch_warnings():
                # The warning advises a relation, which plans the text twice. The copy is cheaper.
                warnings.filterwarnings("ignore", message="Arrow output on a DB-API result")
                table = result.to_arrow_reader(_BATCH).read_all()
        for name, array in big.items():
            at = table.schema.get_field_index(name)
            wide = pa.decimal256(76, 0)
            kind = pa.list_(wide, table.schema.field(at).type.list_size) if array else wide
            table = table.set_column(at, name, table.column(at).cast(kind))
        return table


@contextmanager
def _words(sql: str) -> Iterator[None]:
    """Turn the errors of DuckDB, and of Arrow while it reads rows, into sqlrp's errors."""
    try:
        yield
    except (duckdb.ConnectionException, duckdb.FatalException) as error:
        raise UnreachableError(sql, f"the connection to the database is closed (open a new one): {error}") from error
    except (duckdb.Error, pa.ArrowException) as error:
        raise StatementError(sql, str(error)) from error


def _forget(connection: weakref.ref[duckdb.DuckDBPyConnection], name: str) -> None:
    """Remove a function from a connection that is open when the process ends; else DuckDB reports it as leaked."""
    alive = connection()
    if alive is not None:
        with suppress(duckdb.Error):  # closed, or removed with its transaction
            alive.remove_function(name)
