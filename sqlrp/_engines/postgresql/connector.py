"""PostgreSQL by SQLAlchemy and psycopg."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, ClassVar
from weakref import WeakKeyDictionary, WeakSet

import pyarrow as pa

from sqlrp._connectors.connector import Batches
from sqlrp._connectors.copied_rows import copied
from sqlrp._connectors.foresight import Rows
from sqlrp._connectors.sqlalchemy import TransactingConnector
from sqlrp._core.alchemy import sa
from sqlrp._core.errors import SourceError, StatementError, UnsupportedError
from sqlrp._core.logs import log_statement
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Column
from sqlrp._engines.postgresql.dialect import PostgreSQL

_ARROW = {
    16: pa.bool_(),
    20: pa.int64(),
    21: pa.int16(),
    23: pa.int32(),
    25: pa.string(),
    1043: pa.string(),
    700: pa.float32(),
    701: pa.float64(),
    1016: pa.list_(pa.int64()),
    1007: pa.list_(pa.int32()),
    1021: pa.list_(pa.float32()),
    1022: pa.list_(pa.float64()),
}
"""Arrow types by the OIDs of pg_type, which are the same in every database."""
_OPEN, _BROKEN = 2, 3  # PQTRANS_INTRANS and PQTRANS_INERROR of libpq


_UNBEGUN: WeakSet[sa.Connection] = WeakSet()
"""Connections of ours that have run nothing."""
_BEGUN_BY_TEXT: WeakSet[sa.Connection] = WeakSet()
"""Those whose transaction the text of a query began, so that their driver is in autocommit."""


@dataclass(eq=False)
class _Savepoint:
    """A savepoint in the caller's transaction."""

    number: int
    is_set: bool = False
    """whether its statement has been sent: that goes with the first statement after it"""


@dataclass
class _Dues:
    """What ends a call's part of a transaction."""

    backs: list[str] = field(default_factory=list)
    """what puts settings back"""
    first: int = 0
    """the number of the first savepoint to release, and the later ones with it; 0 without one"""


_NUMBERS = count(1)
_UNSET: WeakKeyDictionary[sa.Connection, list[_Savepoint]] = WeakKeyDictionary()
"""The savepoints of connections that are not set yet."""
_OWED: WeakKeyDictionary[sa.Connection, _Dues] = WeakKeyDictionary()
"""What connections are sent as one at the end of a call's part of a transaction."""
_LAST: WeakKeyDictionary[sa.Connection, list[str]] = WeakKeyDictionary()
"""What puts settings back at the end of a session, unless its last query has done so."""


class PostgreSQLConnector(TransactingConnector):
    """A connection of SQLAlchemy's dialect `postgresql`, by psycopg."""

    arrow_types: ClassVar[Mapping[Any, pa.DataType]] = _ARROW
    dialect: PostgreSQL
    takes_several: ClassVar[bool] = True

    @contextmanager
    def _connected(self, engine: sa.Engine, sql: str) -> Iterator[sa.Connection]:
        """A new connection. At the end its driver begins transactions again."""
        with super()._connected(engine, sql) as connection:
            _UNBEGUN.add(connection)
            try:
                yield connection
            finally:
                _UNBEGUN.discard(connection)
                if connection in _BEGUN_BY_TEXT and not (connection.closed or connection.invalidated):
                    driver: Any = connection.connection.driver_connection
                    try:
                        driver.rollback()
                        driver.autocommit = False
                    except connection.dialect.loaded_dbapi.Error:
                        connection.invalidate()

    def fresh(self, connection: Any, sql: str) -> Rows:
        """The rows, now. The first query of a connection of ours has BEGIN in its text: drivers send it alone.

        The first one after a savepoint has that.
        """
        if connection in _UNBEGUN and _begins_plainly(connection):
            driver: Any = connection.connection.driver_connection
            driver.autocommit = True
            _BEGUN_BY_TEXT.add(connection)
            first = [self.dialect.begins]
        elif isinstance(connection, sa.Connection) and self.as_one(connection, ["", sql], of_last=True):
            first = self._set(connection)
        else:
            first = []
        if not first:
            return super().fresh(connection, sql)
        *_, (_, rows) = self.result_sets(connection, self.as_one(connection, [*first, sql], of_last=True))
        return [tuple(row) for row in rows]

    def _set(self, connection: sa.Connection) -> list[str]:
        """The statements that set them, which are sent now."""
        savepoints = _UNSET.pop(connection, [])
        for savepoint in savepoints:
            savepoint.is_set = True
        return [self.dialect.saves.format(savepoint.number) for savepoint in savepoints]

    def _send_set(self, connection: sa.Connection) -> None:
        """Send them alone."""
        for statement in self._set(connection):
            self._run(connection, statement).close()

    def _run(self, connection: sa.Connection, sql: str) -> sa.CursorResult[Any]:
        """Run a statement that the driver does not prepare.

        psycopg prepares one that ran five times. It then fails once another connection has replaced the table by one of
        other types, and a pooler may have no such statement.
        """
        _UNBEGUN.discard(connection)
        self._send_set(connection)
        driver: Any = connection.connection.driver_connection
        threshold = getattr(driver, "prepare_threshold", None)
        if threshold is None:
            return super()._run(connection, sql)
        driver.prepare_threshold = None
        try:
            return super()._run(connection, sql)
        finally:
            driver.prepare_threshold = threshold

    @contextmanager
    def transaction(self, connection: Any, lock: str, makes: bool) -> Iterator[sa.Connection]:
        """The transaction. The query that begins the session takes the lock."""
        with self.begun(connection, "", makes) as opened:
            if self.within(opened):
                self.fresh(opened, self.dialect.lock_query(lock))
            with self._session(opened, lock) as session:
                yield session

    @contextmanager
    def session(self, connection: Any) -> Iterator[sa.Connection]:
        """`configured`, after a check that nothing on the search_path replaces what the statements name."""
        with self._session(connection) as opened:
            yield opened

    @contextmanager
    def _session(self, connection: Any, lock: str = "") -> Iterator[sa.Connection]:
        begun = self.within(connection)
        with self._configured(connection, checked=True, lock=lock) as opened:
            if not begun:
                self.foresee(opened)
            yield opened

    @contextmanager
    def configured(self, connection: Any, lock: str = "") -> Iterator[sa.Connection]:
        """The connection without jit, with floats whole, and with pg_catalog first, so that no name means another's.

        Where the driver commits every statement, jit stays as it is (`working`): a pooler could give the setting to
        its next user. `lock`: what the query that begins it takes.
        """
        with self._configured(connection, checked=False, lock=lock) as opened:
            yield opened

    @contextmanager
    def _configured(self, connection: Any, checked: bool, lock: str = "") -> Iterator[sa.Connection]:
        if self.within(connection):
            yield connection
            return
        with super().session(connection) as opened:
            opening = self.dialect.opening(lock)
            if checked and not lock:  # what is asked with a lock would be of before it was taken
                self.foresee(opened)
                said = self.rows(opened, opening)
            else:
                said = self.fresh(opened, opening)
            path, plain, jit, digits, schema, name, owner, *_ = said[0]
            local = self._transacts(opened)
            before = {"jit": str(jit)} if local and jit != "off" else {}
            kept = opened is not connection or self.ends_here(opened)
            with self._put_back(opened, before, kept, last=True):
                if checked and name is not None:
                    raise SourceError(
                        f"{name} of role {owner} in schema {schema} could take the place of PostgreSQL's own {name}: "
                        "drop it, or SET search_path to schemas where no one else may create"
                    )
                # A path without pg_catalog has it first implicitly, and new tables go to the first schema of the path.
                changed = {"search_path": plain} if "pg_catalog" in path else {}
                if int(digits) < 1:  # floats that are read, and those whose text is compared, would be rounded
                    changed |= {"extra_float_digits": "1"}
                if not changed:
                    yield opened
                    return
                with self.setting(opened, changed) if local else self._lasting(opened, changed):
                    yield opened

    @contextmanager
    def working(self, connection: Any) -> Iterator[sa.Connection]:
        """The session in a transaction.

        A pooler may give the next statement outside a transaction to another process of the server, which has none of
        the temporary tables, and this one to others, who would get the settings.
        """
        with self.session(connection) as opened:
            if self._transacts(opened):
                yield opened
                return
            with self._lasting(opened, self.dialect.jit):
                yield opened

    def _transacts(self, opened: sa.Connection) -> bool:
        """Whether a transaction is open, or the driver begins one with the first statement."""
        return self.transacting(opened) or not self.commits_itself(opened)

    @contextmanager
    def _lasting(self, opened: sa.Connection, values: Mapping[str, str]) -> Iterator[None]:
        """A transaction, with settings that are local to it."""
        self.execute(opened, self.dialect.begins)
        try:
            self.fresh(opened, self.dialect.set_values(values, local=True))
            yield
            # Where the caller has caught the error that broke it, nothing is to be kept.
            self.execute(opened, self.dialect.rolls_back if _status(opened) == _BROKEN else self.dialect.commits)
        except BaseException:
            with suppress(StatementError):  # report the first error
                self.execute(opened, self.dialect.rolls_back)
            raise
        finally:
            _OWED.pop(opened, None)

    @contextmanager
    def setting(self, opened: sa.Connection, values: Mapping[str, str]) -> Iterator[None]:
        """Set these values for a while.

        In a transaction they are local to it, so that they end with it even if they cannot be restored.
        """
        local = self._transacts(opened)
        self.forget(opened)  # what follows is asked under these values, and so not at the beginning of a session
        before = dict(zip(values, self.fresh(opened, self.dialect.changing_values(values, local))[0], strict=False))
        with self._put_back(opened, before):
            yield

    @contextmanager
    def within_schema(
        self, opened: sa.Connection, schema: str | None, values: Mapping[str, str]
    ) -> Iterator[str | None]:
        """Make new objects in a schema, by default the current one, under these values; None if it is not there.

        Nothing else runs before the session ends.
        """
        self.forget(opened)
        query = self.dialect.entering(schema, values, self._transacts(opened))
        place, *found = self.fresh(opened, query)[0]
        before = dict(zip(["search_path", *values], found, strict=False))
        with self._put_back(opened, before, kept=self.ends_here(opened), last=True):
            yield None if place is None else str(place)

    @contextmanager
    def _put_back(
        self, opened: sa.Connection, before: Mapping[str, str], kept: bool = False, last: bool = False
    ) -> Iterator[None]:
        """Restore settings at the end, unless (`kept`) their transaction ends before anyone else sees them.

        `last`: nothing else runs before the session ends.
        """
        if kept:
            try:
                yield
            finally:
                _OWED.pop(opened, None)
            return
        back = [self.dialect.set_values(before, self._transacts(opened))] if before else []
        waiting = _LAST.setdefault(opened, [])
        waiting += back if last else []
        try:
            yield
        except BaseException:
            waiting[:] = [other for other in waiting if other not in back]
            with suppress(StatementError):  # in a broken transaction the rollback restores the settings
                self._send_owed(opened, *back)
            raise
        # A failure breaks the transaction. Without an error here, COMMIT would silently roll back.
        if not last:
            for statement in back:
                self.fresh(opened, statement)
            return
        _OWED.setdefault(opened, _Dues()).backs.extend(statement for statement in back if statement in waiting)
        waiting[:] = [other for other in waiting if other not in back]
        if not self.is_saved(opened):
            self._send_owed(opened)

    def _send_owed(self, opened: sa.Connection, *statements: str) -> None:
        """Send what is owed, and statements after it, as one."""
        texts = [*self._owed(opened), *statements]
        _OWED.pop(opened, None)
        if texts:
            self._send(opened, ";\n".join(texts))

    def _owed(self, opened: sa.Connection) -> list[str]:
        """The statements that are owed."""
        owed = _OWED.get(opened, _Dues())
        return [*owed.backs, *([self.dialect.releases.format(owed.first)] if owed.first else [])]

    def fetch_last(self, connection: Any, sql: str) -> pa.Table:
        """As one text with what is owed, and with what puts settings back."""
        waiting = _LAST.get(connection, []) if isinstance(connection, sa.Connection) else []
        text = self.as_one(connection, [sql, *self._owed(connection), *waiting]) if waiting else ""
        if not text or self.is_saved(connection):
            return self.fetch(connection, sql)
        (_, rows), *_ = self.results(connection, text)
        _OWED.pop(connection, None)
        waiting.clear()
        return rows

    @contextmanager
    def stream(self, connection: Any, sql: str, rows: int) -> Iterator[Batches]:
        """By COPY, if psycopg 3 is the driver and the types of the columns are known; otherwise by the cursor."""
        with self._opened(connection, sql) as opened:
            self._send_set(opened)
            plainly = {"no_parameters": True}  # a name or an operator may have a percent sign
            with closing(opened.exec_driver_sql(self.dialect.no_rows(sql), execution_options=plainly)) as nothing:
                described = [(d[0], self.arrow_types.get(d[1])) for d in nothing.cursor.description]
            driver: Any = opened.connection.driver_connection
            schema = pa.schema([(name, kind) for name, kind in described if kind is not None])
            if len(schema) < len(described) or not hasattr(driver.cursor(), "copy"):
                with super().stream(opened, sql, rows) as found:
                    yield found
                return
            try:
                with driver.cursor() as cursor, cursor.copy(self.dialect.copied_out(sql)) as copy:
                    yield Batches(schema, copied(copy, schema))
            except (opened.dialect.loaded_dbapi.Error, pa.ArrowException) as error:
                raise StatementError(sql, self._said(error)) from error

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The columns of a table or view, in table order. The query counts the rows, too."""

        def asked() -> tuple[list[Column], int | None]:
            rows = self.rows(connection, self.dialect.columns_query(name))
            return [self.dialect.described(*row) for row in rows], rows[0][-1] if rows else None

        columns, count = self.remembered(connection, ("columns", name), asked)
        self.remembered(connection, ("count", name), lambda: count)
        return list(columns)

    def attempting(self, connection: Any) -> AbstractContextManager[object]:
        """A savepoint, as an error would break the transaction."""
        if not isinstance(connection, sa.Connection) or not self._transacts(connection):
            return nullcontext()
        return self._trying(connection)

    @contextmanager
    def _trying(self, connection: sa.Connection) -> Iterator[None]:
        try:
            with self.saving(connection):
                yield
        except BaseException:
            self.forget(connection)
            raise

    @contextmanager
    def saving(self, opened: sa.Connection) -> Iterator[None]:
        """A savepoint, which goes with the first statement after it where the driver takes both as one.

        Within a session it is released with the last one. A transaction in which nothing has run needs none: the
        driver takes all of it back.
        """
        within = self.within(opened)
        try:
            with self._savepoint_set(opened) if self.transacting(opened) else self._rolling_back(opened):
                yield
        except BaseException:
            if not within:
                _OWED.pop(opened, None)
            raise
        if not within:
            self._send_owed(opened)

    @contextmanager
    def _rolling_back(self, opened: sa.Connection) -> Iterator[None]:
        """The driver takes back what has begun in the block. SQLAlchemy's own transaction goes on."""
        try:
            yield
        except BaseException:
            with suppress(sa.exc.SQLAlchemyError, opened.dialect.loaded_dbapi.Error):  # report the first error
                opened.connection.rollback()
            raise

    @contextmanager
    def _savepoint_set(self, opened: sa.Connection) -> Iterator[None]:
        savepoint = _Savepoint(next(_NUMBERS))
        _UNSET.setdefault(opened, []).append(savepoint)
        try:
            yield
        except BaseException:
            if savepoint.is_set:
                self._restore(opened, savepoint.number)
            raise
        finally:
            if not savepoint.is_set:
                _UNSET[opened].remove(savepoint)
        owed = _OWED.setdefault(opened, _Dues())
        if savepoint.is_set:
            owed.first = min(owed.first or savepoint.number, savepoint.number)

    def _restore(self, opened: sa.Connection, number: int) -> None:
        """Take the transaction back to a savepoint, and release it. An error is not reported: it is not the first."""
        owed = _OWED.setdefault(opened, _Dues())
        owed.first = owed.first if owed.first < number else 0
        with suppress(StatementError):
            self._send(
                opened, ";\n".join(text.format(number) for text in (self.dialect.restores, self.dialect.releases))
            )

    def as_one(self, connection: Any, statements: Sequence[str], of_last: bool = False) -> str:
        """psycopg2 gives the rows of the last statement only.

        A query comes first: SQLAlchemy closes a cursor whose first statement gives no rows.
        """
        drivers = ("psycopg", "psycopg2") if of_last else ("psycopg",)
        known = isinstance(connection, sa.Connection) and connection.dialect.driver in drivers
        first = [self.dialect.alive_query] if of_last else []
        return ";\n".join([*first, *statements]) if known and len(statements) > 1 else ""

    def fetch_all(self, connection: Any, queries: Sequence[str]) -> list[pa.Table]:
        """As one text, or as one query with the rows of all. ADBC's tables have no two columns of one name."""
        if self.as_one(connection, queries) or connection.dialect.driver == "adbc":
            return super().fetch_all(connection, queries)
        import pyarrow.compute as pc  # here, as its import takes long

        rows = self.fetch(connection, self.dialect.side_by_side(queries))
        begins = [at for at, name in enumerate(rows.column_names) if name == "sqlrp_row"]
        found = []
        for begin, end in zip(begins, [*begins[1:], rows.num_columns], strict=True):
            own = rows.select(range(begin, end)).filter(pc.is_valid(rows.column(begin)))
            found.append(own.take(pc.sort_indices(own.column(0))).select(range(1, end - begin)))
        return found

    def comes_next(self, connection: sa.Connection, cursor: Any) -> bool:
        """psycopg2 has none."""
        return connection.dialect.driver == "psycopg" and super().comes_next(connection, cursor)

    def execute_all(self, connection: Any, statements: Iterable[str]) -> None:
        """As one text: all or, outside a transaction, none of them."""
        texts = list(statements)
        if isinstance(connection, sa.Connection) and len(texts) > 1:
            self.run_script(connection, ";\n".join(texts))
        else:
            super().execute_all(connection, texts)

    def run_script(self, opened: sa.Connection, text: str) -> None:
        """Run several statements."""
        adapted = opened.connection.dbapi_connection
        if not any(hasattr(adapted, name) for name in ("run_async", "run_script")):
            self.execute(opened, text)
            return
        self.forget(opened)
        self._send(opened, text)

    def _send(self, opened: sa.Connection, text: str) -> None:
        """The same of statements that change nothing that was asked."""
        with self._opened(opened, text):
            self._send_set(opened)
            adapted: Any = opened.connection.dbapi_connection
            self._sent(opened, adapted, text)

    def _sent(self, opened: sa.Connection, adapted: Any, text: str) -> None:
        """By what the driver has for it. asyncpg prepares what SQLAlchemy passes on, which is one statement only."""
        if not hasattr(adapted, "run_async"):
            self._run(opened, text).close()
            return
        log_statement(opened.dialect.name, text)
        try:
            adapted.run_async(lambda driver: driver.execute(text))
        except Exception as error:
            if hasattr(error, "sqlstate"):
                raise StatementError(text, self.dialect.said(str(error))) from error
            raise

    def _said(self, error: Exception) -> str:
        """Without the class, which SQLAlchemy puts before the words of asyncpg."""
        return re.sub(r"^<class '[\w.]+'>: ", "", super()._said(error))

    def transacting(self, connection: sa.Connection) -> bool:
        """Read the driver's record of the server's state."""
        return bool(_status(connection))

    def commit(self, connection: sa.Connection, lock: str) -> bool:
        """Check first: PostgreSQL's COMMIT of a broken transaction rolls it back without an error."""
        if _status(connection) == _BROKEN:
            raise StatementError(
                self.dialect.commits, "an error broke the transaction, so that nothing was committed: try again"
            )
        if not hasattr(connection.connection.driver_connection, "info"):
            self.fresh(connection, self.dialect.alive_query)  # fails in a broken transaction
        return super().commit(connection, lock)

    def begin(self, connection: sa.Connection, lock: str, alone: bool) -> None:
        """Take a lock that ends with the transaction, if one is named."""
        if alone:
            self.execute(connection, self.dialect.begins)
        if lock:
            self.fresh(connection, self.dialect.lock_query(lock))

    def without_row_security(self, connection: sa.Connection) -> AbstractContextManager[None]:
        """The setting does nothing for the owner of a table, for superusers and for roles with BYPASSRLS."""
        return self.setting(connection, {"row_security": "off"})

    def holding(self, connection: sa.Connection, lock: str) -> AbstractContextManager[bool]:
        """A lock that ends with the transaction. What is asked under it is asked now."""
        held = bool(self.fresh(connection, self.dialect.lock_query(lock, wait=False))[0][0])
        self.forget(connection)
        return nullcontext(held)

    def overload(self, connection: Any, name: TableName) -> None:
        """For pgvector's types, which are not cast to double precision[], where the extension is there.

        One that is there stays: views may call it, and it calls the function by its name.
        """
        types = self.rows(connection, self.dialect.vector_types_query)
        if types:
            there = {of for _, of in self.rows(connection, self.dialect.overloaded_query(name))}
            for row in self.rows(connection, self.dialect.overloadable_query(name)):
                for statement in self.dialect.overloading(types, there, *row):
                    self.execute(connection, statement)

    def drop_overloads(self, connection: Any, name: TableName) -> None:
        """They are known by the beginning of their text."""
        for function, _ in self.rows(connection, self.dialect.overloaded_query(name)):
            self.execute(connection, self.dialect.dropping_overload(function))


def _begins_plainly(connection: sa.Connection) -> bool:
    """Whether nothing has begun on a connection, and psycopg would begin a transaction by BEGIN alone.

    psycopg2 in autocommit does not end a transaction that a text began.
    """
    driver: Any = connection.connection.driver_connection
    if connection.dialect.driver != "psycopg" or driver.autocommit or connection.in_transaction():
        return False
    return driver.isolation_level is None and driver.read_only is None and driver.deferrable is None


def _status(connection: sa.Connection) -> int:
    """The state of the transaction as libpq numbers it: 0 for none. Raises UnsupportedError for an unknown driver."""
    driver: Any = connection.connection.driver_connection
    if hasattr(driver, "info"):  # psycopg, psycopg2
        return int(driver.info.transaction_status)
    if hasattr(driver, "is_in_transaction"):  # asyncpg, which does not say whether an error broke it
        return _OPEN if driver.is_in_transaction() else 0
    raise UnsupportedError(
        f"the driver {connection.dialect.driver} of PostgreSQL does not say whether a transaction is open: use "
        "postgresql+psycopg, postgresql+psycopg2, or postgresql+asyncpg by run_sync"
    )
