"""PostgreSQL by SQLAlchemy and psycopg."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from typing import Any, ClassVar
from weakref import WeakSet

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
        """The rows, now. The first query of a connection of ours has BEGIN in its text: drivers send it alone."""
        if connection not in _UNBEGUN or not _begins_plainly(connection):
            return super().fresh(connection, sql)
        driver: Any = connection.connection.driver_connection
        driver.autocommit = True
        _BEGUN_BY_TEXT.add(connection)
        text = self.as_one(connection, [self.dialect.begins, sql], of_last=True)
        *_, (_, rows) = self.result_sets(connection, text)
        return [tuple(row) for row in rows]

    def _run(self, connection: sa.Connection, sql: str) -> sa.CursorResult[Any]:
        """Run a statement that the driver does not prepare.

        psycopg prepares one that ran five times. It then fails once another connection has replaced the table by one of
        other types, and a pooler may have no such statement.
        """
        _UNBEGUN.discard(connection)
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
            before = {"jit": str(jit)} if self._transacts(opened) else {}
            with self._put_back(opened, before, kept=opened is not connection or self.ends_here(opened)):
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
                with self.setting(opened, changed) if before else self._lasting(opened, changed):
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

    @contextmanager
    def setting(self, opened: sa.Connection, values: Mapping[str, str], *, last: bool = False) -> Iterator[None]:
        """Set these values for a while.

        In a transaction they are local to it, so that they end with it even if they cannot be restored. `last`: nothing
        else runs before a transaction of sqlrp's ends, so that they end with it.
        """
        local = self._transacts(opened)
        self.forget(opened)  # what follows is asked under these values, and so not at the beginning of a session
        before = dict(zip(values, self.fresh(opened, self.dialect.changing_values(values, local))[0], strict=False))
        with self._put_back(opened, before, kept=last and self.ends_here(opened)):
            yield

    @contextmanager
    def _put_back(self, opened: sa.Connection, before: Mapping[str, str], kept: bool = False) -> Iterator[None]:
        """Restore settings at the end, unless (`kept`) their transaction ends before anyone else sees them."""
        if kept or not before:
            yield
            return
        local = self._transacts(opened)
        try:
            yield
        except BaseException:
            with suppress(StatementError):  # in a broken transaction the rollback restores the settings
                self.fresh(opened, self.dialect.set_values(before, local))
            raise
        # A failure breaks the transaction. Without an error here, COMMIT would silently roll back.
        self.fresh(opened, self.dialect.set_values(before, local))

    @contextmanager
    def stream(self, connection: Any, sql: str, rows: int) -> Iterator[Batches]:
        """By COPY, if psycopg 3 is the driver and the types of the columns are known; otherwise by the cursor."""
        with self._opened(connection, sql) as opened:
            with closing(opened.exec_driver_sql(self.dialect.no_rows(sql))) as nothing:
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
        """A savepoint in an open transaction, which an error would break."""
        if isinstance(connection, sa.Connection) and self.transacting(connection):
            return self._trying(connection)
        return nullcontext()

    @contextmanager
    def _trying(self, connection: sa.Connection) -> Iterator[None]:
        try:
            with connection.begin_nested():
                yield
        except BaseException:
            self.forget(connection)
            raise

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
        """Run several statements. asyncpg prepares what SQLAlchemy passes on, which is one statement only."""
        self.forget(opened)
        adapted: Any = opened.connection.dbapi_connection
        if not hasattr(adapted, "run_async"):
            self.execute(opened, text)
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
