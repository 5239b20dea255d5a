"""The shared parts of all SQLAlchemy connections.

Statements go to the driver unchanged (`exec_driver_sql` without parameters), so percent signs and colons in a text
or a name have no special meaning.
"""

from __future__ import annotations

import gc
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import chain
from traceback import clear_frames, walk_tb
from types import CellType, TracebackType
from typing import Any, ClassVar
from weakref import WeakSet

import pyarrow as pa

from sqlrp._connectors import driver_rows
from sqlrp._connectors.connector import Batches, Connector
from sqlrp._connectors.foreseen import ForesightConnector
from sqlrp._connectors.foresight import Foresight, Rows
from sqlrp._core.alchemy import is_alchemy, sa
from sqlrp._core.errors import StatementError, UnreachableError, one_line
from sqlrp._core.interruption import interruptible
from sqlrp._core.logs import log_statement
from sqlrp._core.passwords import scrubbed
from sqlrp._core.script import Setup, drops_of

_BATCH = 1_000  # rows fetched at once, whose Python objects the processor's cache holds; they take several times the
# memory of the Arrow arrays


class OpeningConnector(Connector):
    """Engines and connections of SQLAlchemy: how they are opened, and sqlrp's errors for those of SQLAlchemy."""

    names: ClassVar[tuple[str, ...]] = ()
    """SQLAlchemy's names of the dialects that the connector serves; empty: the name of the connector's dialect"""

    def recognises(self, connection: Any) -> bool:
        """Compare the name of SQLAlchemy's dialect."""
        return is_alchemy(connection) and connection.dialect.name in (self.names or (self.dialect.name,))

    @contextmanager
    def _opened(self, connection: Any, sql: str = "") -> Iterator[sa.Connection]:
        """A connection as it is, or a new one of an engine. SQLAlchemy's errors become sqlrp's errors."""
        reached = isinstance(connection, sa.Connection)
        with interruptible():
            try:
                with nullcontext(connection) if reached else self._connected(connection, sql) as opened:
                    reached = True
                    yield opened
            except sa.exc.SQLAlchemyError as error:
                raise self._failure(error, connection, sql, reached) from error
            except KeyboardInterrupt as stop:
                # SQLAlchemy closes the connection. A cursor in its frames, or in a cycle, would keep SQLite's lock.
                _drop_cursors(stop.__traceback__)
                clear_frames(stop.__traceback__)
                gc.collect()
                raise

    def _connected(self, engine: sa.Engine, sql: str) -> AbstractContextManager[sa.Connection]:
        """A new connection. SQLAlchemy passes on errors that are not of the driver's module, such as the network's."""
        try:
            return engine.connect()
        except sa.exc.SQLAlchemyError:
            raise
        except Exception as error:
            raise self._failure(error, engine, sql, reached=False) from error

    @contextmanager
    def network_errors(self, connection: sa.Connection, sql: str = "") -> Iterator[None]:
        """Turn errors of the network into ours: drivers that speak HTTP connect with the first statement.

        And that of a driver which cannot encode the statement.
        """
        try:
            yield
        except UnicodeEncodeError as error:
            raise StatementError(
                sql,
                f"the connection's character set has no {error.object[error.start]!r}: connect with one that has all, "
                "such as charset=utf8mb4 for MariaDB and MySQL or client_encoding=utf8 for PostgreSQL",
            ) from error
        except OSError as error:
            raise self._failure(error, connection, sql, reached=False) from error

    def _failure(self, error: Exception, connection: Any, sql: str, reached: bool) -> StatementError:
        """The error of sqlrp for an error of SQLAlchemy."""
        words = scrubbed(self._said(error), [connection.engine.url.render_as_string(hide_password=False)])
        if isinstance(error, sa.exc.MissingGreenlet):
            return StatementError(
                sql,
                "an asynchronous driver runs within run_sync alone: "
                "await connection.run_sync(lambda c: sqlrp.project(projection, source, c))",
            )
        if not reached:
            return UnreachableError(
                sql, f"the database cannot be reached (check that it runs, its address, name and user): {words}"
            )
        # Most errors that are not the driver's come from SQLAlchemy: the connection is closed or was lost earlier.
        if _is_of_dialect(error):
            return StatementError(sql, words)
        if not isinstance(error, sa.exc.DBAPIError) or error.connection_invalidated:
            return UnreachableError(sql, f"the connection to the database is closed or lost (open a new one): {words}")
        return StatementError(sql, words)

    def _said(self, error: Exception) -> str:
        """The words of an error: the driver's own, with what the dialect adds."""
        return one_line(self.dialect.said(self._message(getattr(error, "orig", None) or error)))

    def _message(self, error: BaseException) -> str:
        """The driver's message, its error's longest text: a number and a state may stand around it."""
        return max((text for text in error.args if isinstance(text, str)), key=len, default=str(error))


def _is_of_dialect(error: Exception) -> bool:
    """Whether SQLAlchemy's dialects raise it for what they cannot do: it says nothing of the connection."""
    own = sa.exc  # imported at the first error, as DuckDB needs none of it
    return isinstance(error, (own.ArgumentError, own.CompileError, own.NoSuchColumnError, own.UnreflectableTableError))


BEGUN: WeakSet[sa.Connection] = WeakSet()
"""The connections whose transaction sqlrp began, and ends."""
_SAVED: WeakSet[sa.Connection] = WeakSet()
"""Those whose savepoint it set, to which an error of a call takes the caller's transaction back."""


class SqlAlchemyConnector(ForesightConnector, OpeningConnector):
    """A `sqlalchemy.Engine` or a `sqlalchemy.Connection` that runs statements by its driver's cursor."""

    arrow_types: ClassVar[Mapping[Any, pa.DataType]] = {}
    """the Arrow types by the driver's type codes; for any other code the values decide"""

    @contextmanager
    def session(self, connection: Any) -> Iterator[sa.Connection]:
        """A connection as it is, in the caller's transaction; for an engine one new connection, closed at the end.

        A session within another one of the connection changes nothing.
        """
        if self.within(connection):
            yield connection
            return
        with self._opened(connection) as opened:
            own = opened is not connection or self.ends_here(opened) or opened in _SAVED
            resumes = self.takes_blocks(opened)
            foresight = Foresight.of(opened.engine.pool, own, resumes) if self.dialect.asks_at_once else None
            with self.foreseeing(opened, foresight):
                yield opened

    def pool_of(self, connection: Any) -> Any:
        """The pool of the engine."""
        return connection.engine.pool

    def told(self, connection: Any, sql: str) -> tuple[list[Any], Rows]:
        """The codes of the cursor's description, and the rows."""
        with self._opened(connection, sql) as opened:
            result = self.asked(opened, sql)
            kinds = [column[1] for column in (result.cursor and result.cursor.description) or ()]
            return kinds, [tuple(row) for row in result]

    def ends_here(self, connection: sa.Connection) -> bool:
        """Whether the connection's transaction is one that sqlrp began, and ends."""
        return connection in BEGUN

    def fresh(self, connection: Any, sql: str) -> Rows:
        """The same, now: for a query that does something, such as to take a lock or to set a value."""
        with self._opened(connection, sql) as opened:
            return [tuple(row) for row in self.asked(opened, sql)]

    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement. On an engine, where the caller has no transaction, commit it."""
        for_good = isinstance(connection, sa.Engine)
        with self._opened(connection, sql) as opened, opened.begin() if for_good else nullcontext():
            self.forget(opened)
            self._run(opened, sql).close()

    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """Run a query. Columns of a known type become Arrow arrays batch by batch, the others at the end."""
        with self._opened(connection, sql) as opened:
            result = self.asked(opened, sql)
            found = self.in_arrow(opened, result, sql, _BATCH)
            if found is not None:
                return pa.concat_tables(found, promote_options="permissive")
            return self.in_table(result.cursor.description, self.parts(opened, result, sql, _BATCH))

    def parts(
        self, connection: sa.Connection, result: sa.CursorResult[Any], sql: str, rows: int
    ) -> Iterator[Sequence[Sequence[Any]]]:
        """The rows of a result in lists of about so many."""
        return result.partitions(rows)

    def as_one(self, connection: Any, statements: Sequence[str], of_last: bool = False) -> str:
        """The text of several statements, where the driver takes it and gives the rows of each query; else empty.

        `of_last`: those of the last statement are enough.
        """
        return ""

    def fetch_all(self, connection: Any, queries: Sequence[str]) -> list[pa.Table]:
        """As one text, where that can be."""
        text = self.as_one(connection, queries)
        return [rows for _, rows in self.results(connection, text)] if text else super().fetch_all(connection, queries)

    def store_and_ask(self, connection: Any, steps: Sequence[Setup], query: str) -> Rows:
        """As one text, where that can be."""
        statements = [*drops_of(steps), *(step.text for step in steps), query]
        text = self.as_one(connection, statements, of_last=True) if steps else ""
        if not text:
            return super().store_and_ask(connection, steps, query)
        self.forget(connection)
        *_, (_, rows) = self.result_sets(connection, text)
        return [tuple(row) for row in rows]

    def results(self, connection: sa.Connection, text: str) -> list[tuple[Sequence[Sequence[Any]], pa.Table]]:
        """What a cursor says of the columns of each query of a text, and the rows."""
        return [
            (description, self.in_table(description, [rows] if rows else []))
            for description, rows in self.result_sets(connection, text)
        ]

    def result_sets(self, connection: sa.Connection, text: str) -> list[tuple[Sequence[Sequence[Any]], Sequence[Any]]]:
        """The same with the rows as the driver gives them."""
        found: list[tuple[Sequence[Sequence[Any]], Sequence[Any]]] = []
        with self._opened(connection, text) as opened, self.driver_errors(opened, text):
            cursor = self._run(opened, text).cursor
            while True:
                if cursor.description is not None:  # a block of MariaDB's ends with a result that has no rows
                    found.append((cursor.description, cursor.fetchall()))
                if not self.comes_next(opened, cursor):
                    return found

    def comes_next(self, connection: sa.Connection, cursor: Any) -> bool:
        """Whether a cursor has a further result, which it gives from here on."""
        return bool(cursor.nextset())

    @contextmanager
    def driver_errors(self, connection: sa.Connection, sql: str) -> Iterator[None]:
        """Turn the errors of a driver's own cursor into SQLAlchemy's, as where SQLAlchemy reads the rows."""
        dialect: Any = connection.dialect
        errors = dialect.loaded_dbapi.Error
        try:
            yield
        except errors as error:
            lost = dialect.is_disconnect(error, connection.connection.driver_connection, None)
            if lost:
                connection.invalidate(error)
            raise sa.exc.DBAPIError.instance(
                sql, None, error, errors, connection_invalidated=lost, dialect=dialect
            ) from error

    def in_table(self, description: Sequence[Sequence[Any]], batches: Iterable[Sequence[Any]]) -> pa.Table:
        """The rows of a cursor, as they come in batches."""
        names, kinds = self._described(description)
        return driver_rows.in_table(names, kinds, batches)

    def _described(self, description: Sequence[Sequence[Any]]) -> tuple[list[str], list[pa.DataType | None]]:
        """The names of a cursor's columns, and their types; None for what the values decide."""
        return [d[0] for d in description], [self.arrow_types.get(d[1]) for d in description]

    @contextmanager
    def stream(self, connection: Any, sql: str, rows: int) -> Iterator[Batches]:
        """By the cursor. Types follow from the values of a batch, so that those of batches may differ."""
        with self._opened(connection, sql) as opened:
            result = self.asked(opened, sql)
            found = self.in_arrow(opened, result, sql, rows)
            if found is not None:
                first = next(found)
                yield Batches(first.schema, (b for table in chain([first], found) for b in table.to_batches()))
                return
            names, kinds = self._described(result.cursor.description)
            schema = pa.schema([(name, kind or pa.null()) for name, kind in zip(names, kinds, strict=True)])
            parts = self.parts(opened, result, sql, rows)
            yield Batches(schema, (driver_rows.in_batch(names, kinds, part) for part in parts))

    def asked(self, connection: sa.Connection, sql: str) -> sa.CursorResult[Any]:
        """The rows of a query, with all digits of their numbers."""
        return self._run(connection, sql)

    def in_arrow(
        self, connection: sa.Connection, result: sa.CursorResult[Any], sql: str, rows: int
    ) -> Iterator[pa.Table] | None:
        """The rows as the driver's own Arrow tables, in batches of about so many; None if it has none."""
        return None

    def _run(self, connection: sa.Connection, sql: str) -> sa.CursorResult[Any]:
        log_statement(connection.dialect.name, sql)
        self.not_foreseen(connection)
        with self.network_errors(connection, sql):
            return connection.exec_driver_sql(sql, execution_options={"no_parameters": True})


class TransactingConnector(SqlAlchemyConnector):
    """A connection whose transactions are known: how they begin and end, and which lock keeps others out."""

    has_savepoints: ClassVar[bool] = True
    """whether a part of a transaction can be undone"""

    @contextmanager
    def transaction(self, connection: Any, lock: str, makes: bool) -> Iterator[sa.Connection]:
        """A savepoint in the connection's open transaction; otherwise a new transaction, which is committed.

        BEGIN and COMMIT run as statements, because a connection in autocommit has no other way.
        """
        with self.begun(connection, lock, makes) as opened, self.session(opened):
            yield opened

    @contextmanager
    def begun(self, connection: Any, lock: str, makes: bool) -> Iterator[sa.Connection]:
        """The transaction alone, without the changes that `session` makes to the connection."""
        with self._opened(connection) as opened:
            begun, itself = opened.in_transaction(), self.commits_itself(opened)
            own = opened is not connection or not ((begun and not itself) or self.transacting(opened))
            unlocked = False
            if makes and not own:
                self.check_makes()
            if own:
                BEGUN.add(opened)
            try:
                self.begin(opened, lock, own and itself)
                with self._savepoint(opened) if self.has_savepoints and not own else nullcontext():
                    yield opened
                if own:
                    unlocked = self.commit(opened, lock)
            except BaseException:
                if own:
                    with suppress(StatementError):
                        self.execute(opened, self.dialect.rolls_back)
                raise
            finally:
                BEGUN.discard(opened)
                self.forget(opened)
                with suppress(StatementError):
                    if not unlocked:
                        self.unlock(opened, lock)
                if own and not begun and opened is connection:
                    # Nothing is left to roll back; the call tells SQLAlchemy that the transaction has ended.
                    with suppress(sa.exc.SQLAlchemyError):  # lost connection: report the first error
                        opened.rollback()

    @contextmanager
    def _savepoint(self, opened: sa.Connection) -> Iterator[None]:
        """A savepoint, within which an error of a question that was foreseen ends the call, which begins again."""
        outer = self.is_saved(opened)
        with self.saving(opened):
            _SAVED.add(opened)
            try:
                yield
            finally:
                if not outer:
                    _SAVED.discard(opened)

    def is_saved(self, connection: sa.Connection) -> bool:
        """Whether an error of a call takes the caller's transaction back to a savepoint of sqlrp's."""
        return connection in _SAVED

    def saving(self, opened: sa.Connection) -> AbstractContextManager[object]:
        """A savepoint, to which an error in this block takes the transaction back."""
        return opened.begin_nested()

    def commits_itself(self, connection: sa.Connection) -> bool:
        """Whether the driver commits every statement outside a transaction: its autocommit."""
        return bool(getattr(connection.connection.driver_connection, "autocommit", False))

    @abstractmethod
    def transacting(self, connection: sa.Connection) -> bool:
        """Whether a transaction is open, according to the driver or the server."""

    def check_makes(self) -> None:
        """Raise UnsupportedError if making a table would commit the caller's transaction."""

    @abstractmethod
    def begin(self, connection: sa.Connection, lock: str, alone: bool) -> None:
        """Take the lock. If `alone`, begin a transaction too: the caller has none, and the driver begins none."""

    def commit(self, connection: sa.Connection, lock: str) -> bool:
        """Commit, and say whether the lock was released with it. Raises StatementError if that fails."""
        self.execute(connection, self.dialect.commits)
        return False

    def unlock(self, connection: sa.Connection, lock: str) -> None:
        """Release a lock that outlives the transaction."""


def _drop_cursors(trace: TracebackType | None) -> None:
    """Take the cursors from SQLAlchemy's objects: a cleared frame still has its function, and that its closure."""
    for frame, _ in walk_tb(trace):
        for value in gc.get_referents(frame):
            with suppress(ValueError):  # an empty cell
                held = value.cell_contents if isinstance(value, CellType) else value
                context = getattr(held, "context", None) if isinstance(held, sa.CursorResult) else held
                if isinstance(context, sa.engine.ExecutionContext):
                    context.cursor = None  # type: ignore[assignment]
