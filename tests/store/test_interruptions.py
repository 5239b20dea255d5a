"""Calls of `materialize` and `refresh` that come to no end: whole tables stay, each with its record."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
import sqlalchemy as sa
from cases import DATABASES as NAMES
from databases import FAMILY, Database, opened
from helpers import assert_one_line
from materializing import LINEAR, X, add, holds, kept, tables
from sqlalchemy.engine.default import DefaultExecutionContext

import sqlrp
from sqlrp import SourceError, SparseProjection
from sqlrp._core.interruption import interruptible
from sqlrp._core.sources import TableName
from sqlrp._engines.duckdb import connector as duckdb_connector
from sqlrp._engines.registry import connector_of
from sqlrp._store.materialize import materialized

pytestmark = pytest.mark.slow

each = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def db(name: str, tmp_path: Path) -> Iterator[Database]:  # a database a test: what one leaves is not the next one's
    yield from opened(name, tmp_path)


class Killed(BaseException):
    """What ends a run between two statements."""


def passes(sql: str) -> bool:
    """Whether nothing ends a run here: at a rollback, or before a setting, as it is the same before what follows."""
    return "ROLLBACK" in sql or sql.startswith("SET ")


@each
def test_an_interruption_leaves_the_old_whole(db: Database, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = db.load("wide", X[:4].tolist())
    sqlrp.materialize(LINEAR, source, db.connection, "images_pk")
    add(db, source, 4, X[4:])
    execute = type(db.connector).execute
    runs: tuple[tuple[Any, int], ...] = (
        (lambda pool: sqlrp.refresh(pool, "images_pk"), 8),
        (lambda pool: sqlrp.refresh(pool, "images_pk", everything=True), 8),
        (lambda pool: sqlrp.materialize(LINEAR, source, pool, "images_pk", replace=True), 8),
    )
    for run, rows in runs:
        after = 0
        while True:
            left = after

            def counted(self: Any, connection: Any, sql: str) -> None:
                nonlocal left  # how many statements are let through
                if not passes(sql):
                    if left == 0:
                        raise Killed
                    left -= 1
                execute(self, connection, sql)

            monkeypatch.setattr(type(db.connector), "execute", counted)
            pool = db.pool()
            try:
                run(pool)
                break
            except Killed:
                after += 1
            finally:
                monkeypatch.setattr(type(db.connector), "execute", execute)
                if isinstance(pool, sa.Engine):
                    pool.dispose()
            found = kept(db)
            assert len(found) in (4, 8), "half a table"
            holds(db, X[: len(found)])
        assert after > 1
        assert len(kept(db)) == rows
        db.run("DELETE FROM images_pk WHERE id >= 4")
    sqlrp.refresh(db.connection, "images_pk")
    holds(db, X)
    assert tables(db) == {"t", "images_pk", "sqlrp_catalogue"}


def interrupted(run: Callable[[], Any], seconds: float) -> BaseException | None:
    """What a call raises if Ctrl-C comes after so many seconds; None if it was done before."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        run()
        timer.cancel()
        timer.join()
    except BaseException as raised:  # whatever it is
        timer.join()
        return raised
    return None


@pytest.fixture
def sigint() -> Iterator[None]:
    """Python's handler of Ctrl-C, which a shell's `&` without job control starts a process without."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@each
@pytest.mark.usefixtures("sigint")
def test_ctrl_c_stays_ctrl_c(db: Database, name: str) -> None:
    """The driver may turn it into another error. The next call finds no lock and no open transaction."""
    db.load("wide", np.random.default_rng(0).normal(size=(400, 5)).tolist())
    pool, raised = db.pool(), []

    def run() -> int:
        return sqlrp.materialize(LINEAR, "t", pool, "made", track="rows", replace=True)

    run()
    begun = time.monotonic()
    run()
    whole = time.monotonic() - begun
    for moment in range(8):
        found = interrupted(run, whole * (moment + 0.5) / 8)
        assert found is None or type(found) is KeyboardInterrupt, repr(found)
        raised.append(found)
        if name not in FAMILY:  # whose server may still make a table for the client that is gone
            assert [finding for finding in sqlrp.check(db.connection) if not finding.mends] == []
    assert any(raised)
    assert run() == 400
    assert sqlrp.check(db.connection) == []
    if isinstance(pool, sa.Engine):
        pool.dispose()


@pytest.mark.parametrize("name", ["sqlite"])
def test_an_interruption_that_is_kept_keeps_no_lock(db: Database, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As notebooks keep the last one, with its frames. SQLAlchemy has the cursor in a closure there."""
    db.load("wide", X.tolist())
    pool, left = db.pool(), 0
    meant = DefaultExecutionContext.get_result_processor
    db.run("PRAGMA busy_timeout = 100")

    def stopped(self: Any, *given: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyboardInterrupt
        return meant(self, *given)

    kept, after = list[BaseException](), 0
    while len(kept) == after:
        left = after = after + 1
        with monkeypatch.context() as patched:
            patched.setattr(DefaultExecutionContext, "get_result_processor", stopped)
            try:
                sqlrp.materialize(LINEAR, "t", pool, f"made_{after}", track="rows")
            except KeyboardInterrupt as stop:
                kept.append(stop)
        assert sqlrp.check(db.connection) == []
    assert after > 9
    pool.dispose()


def test_an_interruption_that_is_kept_keeps_no_result_of_duckdb_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be raised as soon as the rows can be read. An open result keeps the connection busy."""

    @contextmanager
    def pressed(sql: str) -> Iterator[None]:
        yield
        raise KeyboardInterrupt

    kept = list[BaseException]()
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t AS SELECT range AS id FROM range(3000)")
        with monkeypatch.context() as patched:
            patched.setattr(duckdb_connector, "_words", pressed)
            try:
                with connector_of(con).stream(con, "SELECT * FROM t", 10):
                    pass
            except KeyboardInterrupt as stop:
                kept.append(stop)
        assert len(kept) == 1
        assert con.execute("SELECT count(*) FROM t").fetchall() == [(3000,)]


def test_what_a_handler_raises_is_kept() -> None:
    """A driver may drop it, or replace it by another error, or it may come in another handler."""

    class Stop(BaseException):
        pass

    def swallowed(inside: Callable[[], object]) -> None:
        with suppress(Stop):
            os.kill(os.getpid(), signal.SIGINT)
        inside()

    def handler(*_: object) -> None:
        raise Stop

    before = signal.signal(signal.SIGINT, handler)
    try:
        for inside in (lambda: None, lambda: 1 / 0):
            with pytest.raises(Stop), interruptible(), interruptible():
                swallowed(inside)
            assert signal.getsignal(signal.SIGINT) is handler
        with pytest.raises(ZeroDivisionError), interruptible():
            _ = 1 / 0
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with interruptible():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


class Process:
    """One that dies at a statement: neither that one nor a later one reaches the database."""

    def __init__(self, db: Database, statements: int) -> None:
        self.db, self.left = db, statements

    def dies_in(self, run: Callable[[Any], int], monkeypatch: pytest.MonkeyPatch) -> bool:
        """Whether the call came to no end."""
        execute = type(self.db.connector).execute

        def counted(engine: Any, connection: Any, sql: str) -> None:
            if self.left == 0 and "ROLLBACK" not in sql:  # the server rolls back where its client is gone
                raise Killed
            self.left -= not passes(sql)
            execute(engine, connection, sql)

        pool = self.db.pool()
        with monkeypatch.context() as patched:
            patched.setattr(type(self.db.connector), "execute", counted)
            try:
                run(pool)
            except Killed:
                return True
            finally:
                if isinstance(pool, sa.Engine):
                    pool.dispose()
        return False


def stands(db: Database, table: str) -> int:
    """The components of the table, which its record must agree with; 0 where there is neither."""
    recorded = materialized(db.connection)
    if not db.connector.exists(db.connection, TableName((table,))):
        assert table not in recorded
        return 0
    projection, _ = recorded[table]
    columns = [column.name for column in db.connector.columns(db.connection, TableName((table,)))]
    assert columns == ["id", *(f"z{i}" for i in range(projection.k))]
    return projection.k


@pytest.mark.parametrize("how", ["first", "replace", "everything"])
@pytest.mark.parametrize("name", [*FAMILY, "clickhouse"])
def test_a_process_that_dies_leaves_a_table_with_its_record(
    db: Database, name: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = db.load("wide", X.tolist())
    old, new = SparseProjection(k=3, seed=1), SparseProjection(k=2, seed=2)
    if how != "first":
        sqlrp.materialize(old, source, db.connection, "images_pk")
    after, seen = 0, set()
    while True:
        table = f"images_{after}" if how == "first" else "images_pk"

        def run(pool: Any) -> int:
            if how == "everything":
                return sqlrp.refresh(pool, "images_pk", everything=True)
            return sqlrp.materialize(new, source, pool, table, replace=how == "replace")  # noqa: B023  # called below

        if not Process(db, after).dies_in(run, monkeypatch):
            break
        k = stands(db, table)
        if how == "everything":  # `check` settles what the others leave to the next call
            sqlrp.check(db.connection, repair=True)
            assert sqlrp.check(db.connection) == []
            assert tables(db) == {"images_pk", "sqlrp_catalogue", "t"}
            assert stands(db, table) == k
        elif k != new.k:
            assert run(db.connection) == len(X)
            assert sqlrp.check(db.connection) == []
        else:
            assert sqlrp.refresh(db.connection, table) == 0
            assert stands(db, table) == k
        seen.add({0: "neither", old.k: "old", new.k: "new"}[k])
        if how == "replace":  # the new one is there now, for the other to take its place
            old, new = new, old
        after += 1
    assert after > 3
    assert seen == {"first": {"neither", "new"}, "replace": {"old", "new"}, "everything": {"old"}}[how]


@pytest.mark.parametrize("name", [*FAMILY, "clickhouse"])
def test_what_was_left_unfinished_is_made_whole(db: Database, name: str) -> None:
    source = db.load("wide", X.tolist())
    sqlrp.materialize(LINEAR, source, db.connection, "images_pk")
    db.run(db.engine.updating("sqlrp_catalogue", "fingerprint = ''", "kind = 'materialized'"))
    with pytest.raises(SourceError) as caught:
        sqlrp.refresh(db.connection, "images_pk")
    assert_one_line(caught, "unfinished", "everything=True")
    assert sqlrp.refresh(db.connection, "images_pk", everything=True) == 8
    assert sqlrp.refresh(db.connection, "images_pk") == 0
