"""What a process leaves that is killed between two statements: one repair mends it, also where a repair was killed."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from databases import DOUBLES, FAMILY, Database, opened

import sqlrp
from sqlrp import SparseProjection, Wide
from sqlrp._engines.registry import connector_of

pytestmark = pytest.mark.slow

FEW, OTHER = SparseProjection(k=4, s=1, seed=1), SparseProjection(k=3, s=1, seed=2)
T = Wide("t", features=["a", "b"])
CALLS: dict[str, Callable[[Any], object]] = {
    "materialize": lambda con: sqlrp.materialize(FEW, T, con, into="m"),
    "replace": lambda con: sqlrp.materialize(OTHER, T, con, into="m", replace=True),
    "refresh": lambda con: sqlrp.refresh(con, "m", everything=True),
}


class Killed(BaseException):
    """The end of the process: nothing that it would do afterwards reaches the database."""


@pytest.fixture
def db(name: str, tmp_path: Path) -> Iterator[Database]:
    for db in opened(name, tmp_path):
        kind = DOUBLES[name]
        db.make("t", [("id", "BIGINT"), ("a", kind), ("b", kind)], [[i, i * 1.5, i % 7] for i in range(9)])
        yield db


def killed(db: Database, call: Callable[[Any], object], at: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Run a call on a connection of its own, which ends before statement `at`; whether it has so many.

    A setting is not counted: the database is the same before it and after it.
    """
    kind, left, pool = type(db.connector), [at], db.pool()

    def ending(run: Callable[..., Any], counts: bool) -> Callable[..., Any]:
        def ended(self: Any, connection: Any, sql: str, *more: Any) -> Any:
            left[0] -= counts and left[0] >= 0 and not sql.startswith("SET ")
            if left[0] < 0:
                raise Killed
            return run(self, connection, sql, *more)

        return ended

    with monkeypatch.context() as patched:
        for method in ("execute", "rows", "fetch"):
            patched.setattr(kind, method, ending(getattr(kind, method), method == "execute"))
        try:
            call(pool)
        except Killed:
            return True
        finally:
            ended_with(db, pool)
    return False


def ended_with(db: Database, pool: Any) -> None:
    """Close what `Database.pool` gave, but ClickHouse's one session."""
    if isinstance(pool, sa.Engine):
        pool.dispose()
    elif db.name != "clickhouse":
        pool.close()


def cleared(db: Database, kept: bool) -> None:
    for table in set(map(str, connector_of(db.connection).tables(db.connection))) - {"t"}:
        db.run(f"DROP TABLE {db.engine.quote(table)}")
    if kept:
        CALLS["materialize"](db.connection)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", ["sqlite", "duckdb", "postgresql", "clickhouse", *FAMILY])
def test_a_repair_mends_what_is_left(name: str, call: str, db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """At every statement of the call. Before every second of these repairs one was killed after its first statement."""
    at, there = 0, True
    while there:
        cleared(db, call != "materialize")
        there = killed(db, CALLS[call], at, monkeypatch)
        if at % 2:
            killed(db, lambda con: sqlrp.check(con, repair=True), 1, monkeypatch)
        sqlrp.check(db.connection, repair=True)
        for finding in sqlrp.check(db.connection):
            assert "refresh it with everything=True" in str(finding), (call, at)
        CALLS["replace"](db.connection)
        assert sqlrp.check(db.connection) == [], (call, at)
        at += 1
    assert at > 1


@pytest.mark.parametrize("name", ["sqlite", "postgresql", "clickhouse", *FAMILY])
def test_a_repair_during_a_materialize_takes_nothing_away(name: str, db: Database) -> None:
    said: list[str] = []
    done = threading.Event()

    def make() -> None:
        pool = db.pool()
        try:
            for _ in range(8):
                sqlrp.materialize(FEW, T, pool, into="m", replace=True)
        except sqlrp.SqlrpError as error:
            said.append(str(error))
        finally:
            done.set()
            ended_with(db, pool)

    def mend() -> None:
        pool = db.pool()
        while not done.is_set():
            try:
                said.extend(map(str, sqlrp.check(pool, repair=True)))
            except sqlrp.SqlrpError as error:
                said.append(str(error))
        ended_with(db, pool)

    threads = [threading.Thread(target=make), threading.Thread(target=mend)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert [words for words in said if "locked" not in words] == []  # SQLite waits for a writer a limited time
    assert sqlrp.check(db.connection) == []
    assert sqlrp.refresh(db.connection, "m", everything=True) == 9
