"""Any connection of SQLAlchemy to an engine without a file in this package: it is asked what it can do."""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import replace
from time import monotonic
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from sqlrp._connectors.connector import Connector
from sqlrp._connectors.inspected import InspectedConnector
from sqlrp._connectors.sqlalchemy import BEGUN
from sqlrp._core.alchemy import is_alchemy, sa
from sqlrp._core.errors import SourceError, SqlrpError, StatementError, UnreachableError, UnsupportedError, shorten
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Column
from sqlrp._engines.generic import keeping_asked
from sqlrp._engines.generic.asked import NO_ANSWER, Answers, Rows, asked_all
from sqlrp._engines.generic.engine_file import VERSION, EngineFile, shipped
from sqlrp._engines.generic.keeping_asked import KeepingAnswers
from sqlrp._engines.generic.sessions import SessionConnector, package_of
from sqlrp._engines.generic.sqlalchemy_dialect import SqlAlchemyDialect, called

Found = TypeVar("Found")

_ASKED: WeakKeyDictionary[sa.Pool, Answers | None] = WeakKeyDictionary()
"""What the engines of pools of connections said of themselves; None for nothing."""
_PROVED: WeakKeyDictionary[sa.Pool, set[Hashable]] = WeakKeyDictionary()
"""The kinds of projections whose numbers were compared."""
_KEPT: WeakKeyDictionary[sa.Pool, KeepingAnswers] = WeakKeyDictionary()
"""What the engines of pools of connections can keep."""
_PATIENCE = 30.0
"""The seconds in which an engine has to answer all questions but the first, for which a server may have to start."""


class AnyConnector(InspectedConnector):
    """A connection of any SQLAlchemy dialect; SQLAlchemy helps to write its SQL. `SessionConnector` serves sessions."""

    dialect: SqlAlchemyDialect

    def recognises(self, connection: Any) -> bool:
        """Whether it is an engine or a connection of SQLAlchemy, or a session of another engine."""
        return is_alchemy(connection) or bool(package_of(connection))

    def serving(self, connection: Any) -> Connector:
        """The connector with the connection's own dialect."""
        if package_of(connection):
            return SessionConnector(self.dialect).serving(connection)
        dialect = SqlAlchemyDialect(connection.dialect, _ASKED.get(connection.engine.pool))
        dialect.kept = _KEPT.get(connection.engine.pool)
        return type(self)(dialect)

    def reached(self, connection: Any) -> Connector:
        """The connector with what the engine says of itself, which is asked once for a pool of connections.

        Raises UnsupportedError if the engine lacks what every text needs, or computes it wrongly.
        """
        if package_of(connection):
            return self.serving(connection).reached(connection)
        pool = connection.engine.pool
        if pool not in _ASKED:
            file = shipped(called(connection.dialect))
            found = self._ask(connection) if file is None else file.answers
            if found is None and is_begun(connection):  # perhaps for want of savepoints around the questions
                return self
            _ASKED[pool] = found
        self._checked(connection, _ASKED[pool])
        return self.serving(connection)

    def probed(self, connection: sa.Engine, writes: bool) -> EngineFile:
        """The answers of an engine, asked now. `writes`: try what it keeps, too, in a table that is dropped again.

        Raises UnsupportedError if it cannot be asked, if it computes wrongly, and if it commits each statement.
        """
        name, answers = called(connection.dialect), self._checked(connection, self._ask(connection))
        kept = None
        if writes:
            dialect = SqlAlchemyDialect(connection.dialect, answers)
            with connection.connect() as opened:
                self._check_commits(opened)
                kept = type(self)(dialect)._try(opened)
        found = getattr(connection.dialect, "server_version_info", None) or ()
        version = ".".join(str(part) for part in found)
        return EngineFile(name, version if VERSION.fullmatch(version) else "", answers, kept)

    def _checked(self, connection: Any, answers: Answers | None) -> Answers:
        """The answers. Raises UnsupportedError if the engine lacks what every text needs, or computes it wrongly."""
        if answers is not None and not answers.wrong:
            return answers
        why = NO_ANSWER if answers is None else answers.wrong[0]
        raise UnsupportedError(
            f"the engine {called(connection.dialect)} {why}: read the rows into a dataframe, and pass that"
        )

    def proved(self, connection: Any) -> set[Hashable]:
        """The kinds of projections whose numbers were compared, on any connection of the pool."""
        return _PROVED.setdefault(connection.engine.pool, set())

    def _ask(self, connection: Any) -> Answers | None:
        """The answers; None if the engine cannot be asked."""
        with self._opened(connection) as opened:
            begun = opened.in_transaction()
            # A question that fails may break the caller's transaction, which a savepoint around it keeps whole.
            guarded = begun and not _commits_itself(opened)
            started: float | None = None

            def answer(sql: str) -> Rows | None:
                nonlocal started
                if started is not None:
                    _check_patience(called(opened.dialect), sql, monotonic() - started)
                rows = self._answer(opened, sql, guarded, begun)
                started = monotonic() if started is None else started
                return rows

            try:
                return asked_all(SqlAlchemyDialect(opened.dialect).questions(), answer)
            finally:
                if not begun:
                    opened.rollback()

    def _answer(self, connection: sa.Connection, sql: str, guarded: bool, begun: bool) -> Rows | None:
        """The rows of a question; None if the engine refuses it."""
        try:
            with self._opened(connection, sql), connection.begin_nested() if guarded else nullcontext():
                return self.fresh(connection, sql)
        except UnreachableError:
            raise
        except (StatementError, sa.exc.SQLAlchemyError, NotImplementedError):
            if not begun:
                connection.rollback()
            return None

    # -- what it keeps -------------------------------------------------------------------------

    @contextmanager
    def transaction(self, connection: Any, lock: str, makes: bool) -> Iterator[sa.Connection]:
        """A savepoint in the connection's open transaction; otherwise a new transaction, which is committed.

        What the engine can keep is asked before the first one of a pool. Nothing waits for other writers: rows of the
        catalogue that both write tell them.
        """
        with self._opened(connection) as opened:
            self._check_commits(opened)
            own = opened is not connection or not opened.in_transaction()
            if makes and not own:
                self._refuse_making()
            self._learn(opened, own)
            if own:
                BEGUN.add(opened)
            try:
                part = not own and self.dialect.kept is not None and self.dialect.kept.savepoints
                with self.session(opened), opened.begin_nested() if part else nullcontext():
                    yield opened
                if own:
                    self.committed(opened)
            except BaseException:
                if own:
                    with suppress(StatementError, sa.exc.SQLAlchemyError):  # report the first error
                        self.rolled_back(opened)
                raise
            finally:
                if own:
                    BEGUN.discard(opened)
                self.forget(opened)

    def reading(self, connection: Any, lock: str) -> AbstractContextManager[Any]:
        """A session: what an engine can keep is not asked to read it."""
        return self.session(connection)

    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement. One that makes or drops what stays is a transaction of its own, as it is on some engines."""
        if not (isinstance(connection, sa.Connection) and self.dialect.defines(sql)):
            try:
                super().execute(connection, sql)
            except UnreachableError:
                raise
            except StatementError as error:
                self._refuse_temporary(sql, error)
                raise
            return
        if connection.in_transaction() and not self.ends_here(connection):
            self._refuse_making()
        self.committed(connection)
        super().execute(connection, sql)
        self.committed(connection)

    def rolled_back(self, connection: sa.Connection) -> None:
        """Take back what was done since a statement made or dropped something."""
        self.forget(connection)
        with self._opened(connection, self.dialect.rolls_back) as opened:
            opened.rollback()
            # SQLAlchemy takes a COMMIT that failed for the end of a transaction. Where it has ended, drivers may fail.
            with suppress(Exception):
                opened.connection.rollback()

    def committed(self, connection: sa.Connection) -> None:
        """Commit."""
        with self._opened(connection, self.dialect.commits) as opened:
            opened.commit()

    def _check_commits(self, opened: sa.Connection) -> None:
        if _commits_itself(opened):
            raise UnsupportedError(
                f"this connection of {called(opened.dialect)} commits each statement (AUTOCOMMIT), so that nothing is "
                "kept by it: leave its isolation_level out"
            )

    def _refuse_temporary(self, sql: str, error: StatementError) -> None:
        """Raise UnsupportedError for a statement that makes or drops a temporary table."""
        begin = (self.dialect.making_temporary.partition("{")[0], self.dialect.dropping_temporary)
        if sql.startswith(begin):
            raise UnsupportedError(
                f"{self.dialect.name} refuses a temporary table which this call needs ({shorten(error.words)}): read "
                "the rows into a dataframe, and pass that"
            ) from error

    def _refuse_making(self) -> None:
        raise UnsupportedError(
            f"{self.dialect.name} may commit an open transaction when a table is made: commit it first, or pass a "
            "SQLAlchemy engine"
        )

    def mark_of(self, connection: Any, name: TableName) -> str:
        """The comment of a table, and the names of its indexes."""
        *schema, table = name.parts
        place = {"schema": schema[-1] if schema else None}
        with self._inspecting(connection) as opened:
            seen = sa.inspect(opened)
            texts = [index["name"] for index in seen.get_indexes(table, **place)]
            if opened.dialect.supports_comments:
                with suppress(NotImplementedError):
                    texts.append(seen.get_table_comment(table, **place)["text"])
        return " ".join(text for text in texts if text)

    @contextmanager
    def _inspecting(self, connection: Any) -> Iterator[sa.Connection]:
        """A session in which SQLAlchemy's inspector is asked, whose dialect may raise what it likes."""
        with self.session(connection) as opened:
            try:
                yield opened
            except (SqlrpError, sa.exc.SQLAlchemyError):
                raise
            except Exception as error:
                said = self._said(error) or type(error).__name__
                raise StatementError(
                    "", f"the dialect {called(opened.dialect)} of SQLAlchemy failed: {said}"
                ) from error

    def put_mark(self, connection: Any, name: TableName, mark: str, column: str) -> bool:
        """Mark a table as the one that was made now. `column`: one of numbers, as SQL."""
        how = self.dialect.kept.marking if self.dialect.kept else ""
        if how == "comment":
            self.execute(connection, self.dialect.marking(name, mark, "TABLE"))
        elif how == "index":
            self.execute(connection, self.dialect.marking_by_index(name, mark, column))
        return bool(how)

    def tables(self, connection: Any) -> list[Any]:
        """Ask SQLAlchemy's inspector."""
        with self._inspecting(connection) as opened:
            return list(sa.inspect(opened).get_table_names())

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """Ask SQLAlchemy's inspector. Where a column of numbers may hold a text, that is read as NULL.

        Raises SourceError for a name in lower case that the dialect would have the engine fold to upper case.
        """
        found = super().describe(connection, name)
        for column in found:
            folded = self.dialect.folded(str(column.name))
            if getattr(column.name, "quote", None) and folded != column.name:
                raise SourceError(
                    f"column {str(column.name)!r} of {name} was made in quotes and in lower case, and SQLAlchemy's "
                    f"dialect {self.dialect.name} takes its name for {folded!r}: read a view that names it otherwise"
                )
        mixes = self.dialect.answers is not None and self.dialect.answers.mixes
        return [replace(column, nullable=True) for column in found] if mixes else found

    def type_text(self, kind: Any) -> str:
        """As the engine writes it, so that a table can be made of it."""
        return self.dialect.kind_name(kind)

    def _learn(self, opened: sa.Connection, own: bool) -> None:
        """Know what the engine can keep. Raises UnsupportedError if it keeps nothing."""
        pool = opened.engine.pool
        file = shipped(called(opened.dialect)) if pool not in _KEPT else None
        if file is not None and file.kept is not None:
            _KEPT[pool] = replace(file.kept, backslash=self._backslash(opened))
        if pool not in _KEPT:
            if not own:
                raise UnsupportedError(
                    f"{self.dialect.name} is not known, so what it can keep is tried once, outside transactions: "
                    "commit the open one first, or pass a SQLAlchemy engine"
                )
            if self.dialect.answers is None:
                raise UnsupportedError(f"{self.dialect.name} answers no question, so that nothing is kept in it")
            _KEPT[pool] = self._try(opened)
        self.dialect.learn(_KEPT[pool])

    def _backslash(self, opened: sa.Connection) -> str:
        """How a backslash is written, which no file says."""
        begun = opened.in_transaction()
        asking = keeping_asked.backslash(self.dialect.constants_from)
        return asked_all(asking, lambda sql: self._answer(opened, sql, begun, begun))

    def _try(self, opened: sa.Connection) -> KeepingAnswers:
        """Ask what the engine keeps, in a table of its own."""
        name = f"sqlrp_probe_{secrets.token_hex(4)}"
        given, table = self.dialect.scratch(name), TableName((name,))
        try:
            return asked_all(keeping_asked.questions(given), lambda sql: self._tried(opened, sql, table))
        except BaseException:
            with suppress(SqlrpError, sa.exc.SQLAlchemyError):
                for statement in given.drops:
                    self._tried(opened, statement, table)
                    opened.commit()
            raise

    def _tried(self, opened: sa.Connection, sql: str, table: TableName) -> Rows | None:
        """The rows of a statement, empty if it has none; None if the engine refuses it."""
        if sql == keeping_asked.COMMIT:
            opened.commit()
            return []
        if sql == keeping_asked.ROLLBACK:
            opened.rollback()
            return []
        try:
            if sql == keeping_asked.MARKED:
                return [(self.mark_of(opened, table),)]
            if sql == keeping_asked.SAVED:
                with self._opened(opened, sql), opened.begin_nested():
                    return self.fresh(opened, keeping_asked.constant(self.dialect.constants_from))
            with self._opened(opened, sql), closing(self._run(opened, sql)) as result:
                return [tuple(row) for row in result] if result.returns_rows else []
        except UnreachableError:
            raise
        except (SqlrpError, sa.exc.SQLAlchemyError, NotImplementedError):
            opened.rollback()
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
                raise StatementError(sql, f"the driver of {called(opened.dialect)} failed: {words}") from error


def _check_patience(name: str, sql: str, seconds: float) -> None:
    """Raise StatementError if an engine takes too long to answer."""
    if seconds > _PATIENCE:
        raise StatementError(
            sql,
            f"the engine {name} is not known, so its SQL is asked, and it has not answered within {_PATIENCE:.0f} s: "
            "try again when it is less busy, or read the rows into a dataframe, and pass that",
        )


def is_begun(connection: Any) -> bool:
    """Whether it is a connection in a transaction."""
    return isinstance(connection, sa.Connection) and connection.in_transaction()


def _commits_itself(connection: sa.Connection) -> bool:
    """Whether each statement is committed: SQLAlchemy says so of a transaction that it has begun, too."""
    level = connection.get_execution_options().get("isolation_level")
    return (level or getattr(connection.dialect, "_on_connect_isolation_level", None)) == "AUTOCOMMIT"
