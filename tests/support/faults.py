"""Injected faults: every statement to a driver and every change of a file is a point where a fault can occur.

There are five faults: the statement is refused ("error"), Ctrl-C arrives after it ("interrupt"), the connection breaks
before it ("lost"), or the process is killed before it ("kill") or after it ("kill after").
"""

from __future__ import annotations

import errno
import os
import re
import signal
import socket
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar
from unittest import mock

import duckdb
from sqlalchemy.engine.default import DefaultDialect
from taking_part import STEP
from writing_calls import Call, Place, connected

T = TypeVar("T")
Kind = Literal["error", "interrupt", "lost", "kill", "kill after"]

REFUSED = {
    "duckdb": "SELECT error('injected')",
    "sqlite": "SELECT json_extract('{}', 'injected')",
    "postgresql": "SELECT CAST('injected' AS bigint)",
    "mariadb": "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'injected'",
    "mysql": "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'injected'",
    "clickhouse": "SELECT throwIf(1, 'injected')",
    "spark": "SELECT injected",
}
"""A statement that the engine refuses, so that a transaction breaks as it does where a real one fails."""

FILE_EVENTS = {"open", "os.rename", "os.mkdir", "os.chmod", "os.remove", "os.truncate", "os.link"}
"""Python's audit events for steps that change files; os.replace is os.rename."""


READS = re.compile(
    r"\s*(SELECT (?!.*(lock|set_config))|WITH|FROM|SHOW|DESCRIBE|PRAGMA \w+\s*$|SET |COPY \(|os.chmod)", re.I | re.S
)


_MOST = 3  # points, the last two beside them; SQLRP_EVERY_FAULT=1 takes all


def chosen(points: list[str], kind: Kind, every: bool) -> list[int]:
    """The points where a fault may leave something: all that change anything, and the first of the reads between.

    After a read nothing is otherwise than before it, so that Ctrl-C arrives after changes only. Of many points that
    are alike, such as a function each, some; with `every` all.
    """
    if every:
        return list(range(len(points)))
    reads = [bool(READS.match(point)) for point in points]
    first = [i for i, read in enumerate(reads) if not read or i == 0 or not reads[i - 1]]
    found = first if kind == "error" else [i for i in first if not reads[i]]
    step = max(len(found) / _MOST, 1.0)
    some = sorted({found[min(int(i * step), len(found) - 1)] for i in range(_MOST)} | set(found[-2:]))
    return some[::STEP]


@dataclass
class Watch:
    """What a call did, point by point; at point `at` the fault of that kind happens, once."""

    kind: Kind | None = None
    at: int = -1
    folder: Path | None = None
    """the folder whose files are watched"""
    points: list[str] = field(default_factory=list)
    struck: bool = False
    on: bool = False

    def statement(
        self,
        sql: str,
        run: Callable[[], T],
        refuse: Callable[[], Any],
        undo: Callable[[], Any],
        cut: Callable[[], Any],
    ) -> T:
        """One statement: `run` runs it; `refuse` raises the driver's error, `undo` rolls back, `cut` disconnects."""
        if not self._reached(sql):
            return run()
        if self.kind == "error":
            try:
                refuse()
            finally:
                if sql.startswith("COMMIT"):  # one that is refused rolls back
                    undo()
        if self.kind == "lost":
            cut()
        result = run()
        if self.kind == "interrupt":
            raise KeyboardInterrupt
        if self.kind == "kill after":
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    def file(self, event: str, arguments: tuple[Any, ...]) -> None:
        """One step on files; the disk is full, or Ctrl-C arrives."""
        if self.folder is None or event not in FILE_EVENTS or not isinstance(arguments[0], (str, bytes, os.PathLike)):
            return
        path = os.path.abspath(os.fsdecode(arguments[0]))
        reads = event == "open" and not (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if reads or not path.startswith(f"{self.folder}{os.sep}"):
            return
        if self._reached(f"{event} {path}"):
            if self.kind == "error":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
            if self.kind == "interrupt":
                raise KeyboardInterrupt
            if self.kind == "kill after":  # a step on files is heard before it is made
                os.kill(os.getpid(), signal.SIGKILL)

    def _reached(self, what: str) -> bool:
        """Note the point; whether the fault is here. A process that is to be killed dies."""
        if not self.on:
            return False
        self.points.append(what)
        if self.struck or len(self.points) - 1 != self.at:
            return False
        self.struck = True
        if self.kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        return True


class _Watched:
    """A DuckDB connection whose statements are watched; `isinstance` takes it for the real one."""

    def __init__(self, real: Any, watch: Watch) -> None:
        self._real, self._watch = real, watch

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return duckdb.DuckDBPyConnection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __enter__(self) -> _Watched:
        return self

    def __exit__(self, *error: object) -> None:
        self._real.close()

    def cursor(self) -> _Watched:
        return _Watched(self._real.cursor(), self._watch)

    def execute(self, sql: str, *arguments: Any) -> Any:
        return self._watch.statement(
            sql,
            lambda: self._real.execute(sql, *arguments),
            lambda: self._real.execute(REFUSED["duckdb"]),
            lambda: _quietly(lambda: self._real.execute("ROLLBACK")),
            self._real.close,
        )


_watches: list[Watch] = []


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    for watch in _watches:
        watch.file(event, arguments)


_hooked: list[bool] = []


@contextmanager
def watching(watch: Watch) -> Iterator[Watch]:
    """Every statement of SQLAlchemy, ClickHouse and new DuckDB connections goes by way of the watch meanwhile."""
    if not _hooked:
        _hooked.append(True)
        sys.addaudithook(_heard)  # one for good, as none can be taken away
    connect = duckdb.connect
    with ExitStack() as stack:
        for name in ("do_execute", "do_execute_no_params"):
            stack.enter_context(mock.patch.object(DefaultDialect, name, _executing(watch, name)))
        stack.enter_context(mock.patch.object(DefaultDialect, "do_commit", _committing(watch)))
        stack.enter_context(mock.patch.object(duckdb, "connect", lambda *a, **k: _Watched(connect(*a, **k), watch)))
        _clickhouse(watch, stack)
        _spark(watch, stack)
        _watches.append(watch)
        watch.on = True
        try:
            yield watch
        finally:
            watch.on = False
            _watches.remove(watch)


def watched(connection: Any, watch: Watch) -> Any:
    """A DuckDB connection whose statements are watched; another as it is, as its driver is."""
    return _Watched(connection, watch) if type(connection) is duckdb.DuckDBPyConnection else connection


def _executing(watch: Watch, name: str) -> Callable[..., Any]:
    real = getattr(DefaultDialect, name)

    def execute(dialect: Any, cursor: Any, statement: str, *more: Any, **named: Any) -> Any:
        return watch.statement(
            statement,
            lambda: real(dialect, cursor, statement, *more, **named),
            lambda: cursor.execute(REFUSED[dialect.name]),
            lambda: _quietly(lambda: cursor.execute("ROLLBACK")),
            lambda: _cut(cursor.connection),
        )

    return execute


def _committing(watch: Watch) -> Callable[..., Any]:
    real = DefaultDialect.do_commit

    def commit(dialect: Any, connection: Any) -> None:
        watch.statement(
            "COMMIT of the driver",
            lambda: real(dialect, connection),
            lambda: connection.cursor().execute(REFUSED[dialect.name]),
            connection.rollback,
            lambda: _cut(connection),
        )

    return commit


def _clickhouse(watch: Watch, stack: ExitStack) -> None:
    if "chdb.session" not in sys.modules:
        return
    from chdb.session import Session

    real = Session.query

    def query(session: Any, sql: str, *more: Any, **named: Any) -> Any:
        return watch.statement(
            sql,
            lambda: real(session, sql, *more, **named),
            lambda: real(session, REFUSED["clickhouse"]),
            lambda: None,
            lambda: None,
        )

    stack.enter_context(mock.patch.object(Session, "query", query))


def _spark(watch: Watch, stack: ExitStack) -> None:
    if "pyspark.sql.session" not in sys.modules:
        return
    from pyspark.sql import SparkSession

    real = SparkSession.sql

    def sql(session: Any, text: str, *more: Any, **named: Any) -> Any:
        return watch.statement(
            text,
            lambda: real(session, text, *more, **named),
            lambda: real(session, REFUSED["spark"]),
            lambda: None,
            lambda: None,
        )

    stack.enter_context(mock.patch.object(SparkSession, "sql", sql))


def _quietly(run: Callable[[], Any]) -> None:
    """Run what fails where the transaction is over already."""
    with suppress(duckdb.Error, sqlite3.Error):
        run()


def _cut(connection: Any) -> None:
    """Shut the socket to the server, as a broken network does."""
    driver = getattr(connection, "driver_connection", connection)
    number = driver.fileno() if hasattr(driver, "fileno") else driver._sock.fileno()
    with socket.socket(fileno=os.dup(number)) as other:
        other.shutdown(socket.SHUT_RDWR)


PUTS_BACK = re.compile(r"DO RELEASE_LOCK|SET |PRAGMA \w+ *=|DROP (TEMPORARY )?TABLE .*\bsqlrp_(?!cat)")
"""What puts settings and locks back, and drops what stood beside: where it is refused itself, only another try can."""


@contextmanager
def connection(at: Place, call: Call, watch: Watch) -> Iterator[Any]:
    """What the call is given; closed in the end."""
    if call.outside:
        at.close()
        yield None
        at.open()
    elif at.name == "duckdb":
        with at.db.connection.cursor() as cursor:
            yield watched(cursor, watch)
    elif at.name == "clickhouse":
        yield at.db.connection
    else:
        at.pool = at.pool or connected(at.name, at.address)
        yield at.pool
