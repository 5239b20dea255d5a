"""`Connector.transaction`, around every write to a database: all or nothing, and locks are released."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from databases import FAMILY, Database, database, opened
from helpers import METHODS
from statements import before_each

import sqlrp
from sqlrp._core.errors import StatementError
from sqlrp._core.sources import TableName

LINEAR = METHODS["linear"]
SQL = ("postgresql", "sqlite", *FAMILY)
KINDS = ("pool", "connection", "autocommit", "begun", "begun by a statement")
WAITING = {"postgresql": "SET lock_timeout = '100ms'", **dict.fromkeys(FAMILY, "SET lock_wait_timeout = 1")}


@pytest.fixture
def db(name: str, databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Database:
    found = database(databases, name, tmp_path_factory)
    found.make("t", [("id", "BIGINT")], [])
    return found


@contextmanager
def target(db: Database, kind: str) -> Iterator[Any]:
    """What a caller may pass; where a transaction is open on it, it has written the row 100."""
    if db.name == "duckdb":
        with db.connection.cursor() as cursor:
            if kind.startswith("begun"):
                cursor.execute("BEGIN; INSERT INTO t VALUES (100)")
            yield cursor
        return
    pool = db.pool()
    if not isinstance(pool, sa.Engine):
        yield pool
        return
    with ExitStack() as stack:
        if kind == "pool":
            yield pool
        else:
            connection = stack.enter_context(pool.connect())
            if kind in ("autocommit", "begun by a statement"):
                connection = connection.execution_options(isolation_level="AUTOCOMMIT")
            if kind == "begun by a statement":
                connection.exec_driver_sql("BEGIN")
            if kind.startswith("begun"):
                connection.exec_driver_sql("INSERT INTO t VALUES (100)")
            yield connection
    pool.dispose()


def end(connection: Any, statement: str) -> None:
    """The caller ends the transaction that the caller began."""
    if isinstance(connection, sa.Connection):
        connection.exec_driver_sql(statement)
        connection.rollback()
    else:
        connection.execute(statement)


def ids(db: Database) -> list[int]:
    return sorted(key for (key,) in db.run_query("SELECT id FROM t"))


def is_free(db: Database, lock: str = "a lock", seconds: float = 20) -> bool:
    """Whether another connection gets the lock within so many seconds."""
    done: list[bool] = []

    def taking() -> None:
        pool = db.pool()
        with suppress(StatementError), db.connector.transaction(pool, lock, makes=False):
            done.append(True)
        if isinstance(pool, sa.Engine):
            pool.dispose()

    thread = threading.Thread(target=taking, daemon=True)
    thread.start()
    thread.join(seconds)
    return bool(done)


@pytest.mark.parametrize("failure", [None, StatementError, KeyboardInterrupt])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [*SQL, "duckdb"])
def test_all_or_nothing(db: Database, name: str, kind: str, failure: type[BaseException] | None) -> None:
    own = not kind.startswith("begun")
    with target(db, kind) as given:
        transaction = db.connector.transaction(given, "a lock", makes=False)
        with suppress(*([failure] if failure else [])), transaction as session:
            for i in (1, 2):
                db.connector.execute(session, f"INSERT INTO t VALUES ({i})")
            if failure is StatementError:
                db.connector.execute(session, "INSERT INTO nowhere VALUES (1)")
            elif failure:
                raise failure
        if own:
            assert ids(db) == ([] if failure else [1, 2])
            assert not isinstance(given, sa.Connection) or not given.in_transaction()
        elif name == "duckdb" and failure:  # which has no savepoints: the caller rolls back
            end(given, "ROLLBACK")
            assert ids(db) == []
        else:
            assert ids(db) == []
            end(given, "COMMIT")
            assert ids(db) == ([100] if failure else [1, 2, 100])
        assert is_free(db)


@pytest.mark.parametrize("name", SQL)
def test_a_lock_that_is_not_got_is_no_lock(db: Database, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> None:
        raise StatementError("", "no lock")

    for kind in KINDS[:3]:
        with target(db, kind) as given:
            with monkeypatch.context() as patched:
                patched.setattr(type(db.connector), "begin", refused)
                with pytest.raises(StatementError, match="no lock"), db.connector.transaction(given, "a lock", False):
                    pass
            assert is_free(db)
            with db.connector.transaction(given, "a lock", makes=False) as session:
                db.connector.execute(session, "INSERT INTO t VALUES (1)")
    assert ids(db) == [1, 1, 1]


@pytest.mark.parametrize("kind", ["pool", "begun"])
@pytest.mark.parametrize("name", SQL)
def test_how_long_a_lock_is_held_and_whom_it_keeps_waiting(db: Database, name: str, kind: str) -> None:
    """A caller's transaction keeps the lock on PostgreSQL and SQLite; on MariaDB our call gives it back."""
    with target(db, kind) as given:
        with db.connector.transaction(given, "a lock", makes=False):
            assert not is_free(db, seconds=0.3)
            # SQLite's lock is the file's; the others' are of one table each.
            assert is_free(db, "another lock", 0.3 if name == "sqlite" else 20) == (name != "sqlite")
        if kind == "begun":
            assert is_free(db, seconds=20 if name in FAMILY else 0.3) == (name in FAMILY)
            end(given, "COMMIT")
    assert is_free(db)


@pytest.mark.parametrize("name", ["clickhouse"])
def test_clickhouse_takes_turns_by_thread(db: Database, name: str) -> None:
    """It has no transactions; one thread may take its turn within its turn."""
    session = db.connection
    with db.connector.transaction(session, "a", makes=False), db.connector.transaction(session, "b", makes=False):
        db.run("INSERT INTO t VALUES (1)")
    with suppress(KeyboardInterrupt), db.connector.transaction(session, "a", makes=False):
        raise KeyboardInterrupt
    assert is_free(db)


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("name", [*SQL, "duckdb", "clickhouse"])
def test_a_reader_sees_the_old_table_or_the_new_one(
    db: Database, name: str, everything: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every statement of a refresh another connection sees all old rows or all new ones, or has to wait."""
    for table in ("images_pk", "sqlrp_catalogue"):
        db.run(f"DROP TABLE IF EXISTS {table}")
    rows = np.random.default_rng(1).normal(size=(6, 3)).round(3).tolist()
    source = db.load("wide", rows[:4])
    sqlrp.materialize(LINEAR, source, db.connection, "images_pk")
    db.run("INSERT INTO t VALUES (4, 1.0, 2.0, 3.0), (5, 1.0, 2.0, 3.0)")
    execute, seen = type(db.connector).execute, []
    with target(db, "connection") as reader:

        def looking(self: Any, connection: Any, sql: str) -> None:
            execute(self, connection, sql)
            try:
                held = f"SELECT count(*) AS n FROM {self.dialect.table(TableName(('images_pk',)))}"
                seen.append(int(self.fetch(reader, held).column(0)[0].as_py()))
            except StatementError as error:
                seen.append(0 if "lock" in str(error) else -1)
            if isinstance(reader, sa.Connection):
                reader.rollback()

        if name in WAITING:
            reader.exec_driver_sql(WAITING[name])
            reader.commit()
        monkeypatch.setattr(type(db.connector), "execute", looking)
        pool = db.pool()
        assert sqlrp.refresh(pool, "images_pk", everything=everything) == (6 if everything else 2)
        if isinstance(pool, sa.Engine):
            pool.dispose()
    monkeypatch.setattr(type(db.connector), "execute", execute)
    waits = name == "postgresql" and everything  # from DROP TABLE on to COMMIT
    assert set(seen) <= {0, 4, 6} if waits else set(seen) <= {4, 6}
    assert (0 in seen) == waits
    assert seen[0] == 4
    assert seen[-1] == 6
    assert [n for n in seen if n] == sorted(n for n in seen if n)


# -- what comes in between, and readers that stay --------------------------------------------------------

BETWEEN = {
    ("postgresql", "READ COMMITTED"): True,
    ("postgresql", "REPEATABLE READ"): False,
    ("postgresql", "SERIALIZABLE"): False,
    ("mariadb", "READ COMMITTED"): True,
    ("mariadb", "REPEATABLE READ"): True,
    ("mysql", "READ COMMITTED"): True,
    ("mysql", "REPEATABLE READ"): True,
    ("duckdb", None): False,
    ("clickhouse", None): True,
    ("sqlite", None): False,
}
"""Whether a row is read that another connection committed after the keys were checked."""


def prepared(db: Database) -> None:
    """A table of four rows whose source has six."""
    for table in ("images_pk", "sqlrp_catalogue"):
        db.run(f"DROP TABLE IF EXISTS {table}")
    rows = np.random.default_rng(1).normal(size=(4, 3)).round(3).tolist()
    sqlrp.materialize(LINEAR, db.load("wide", rows), db.connection, "images_pk")
    db.run("INSERT INTO t VALUES (4, 1.0, 2.0, 3.0), (5, 1.0, 2.0, 3.0)")


def count(db: Database, connection: Any) -> int:
    """The rows that a connection sees."""
    return int(db.connector.fetch(connection, "SELECT count(*) AS n FROM images_pk").column(0)[0].as_py())


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize(("name", "isolation"), BETWEEN)
def test_a_row_that_comes_in_between_is_read_as_the_isolation_says(
    db: Database, name: str, isolation: str | None, everything: bool
) -> None:
    prepared(db)
    pool, other = db.pool(), db.pool()
    if isolation:
        pool = pool.execution_options(isolation_level=isolation)
    if name == "sqlite":
        other = sa.create_engine(other.url, connect_args={"timeout": 0.05})
    execute, refused, came = type(db.connector).execute, "", False

    def between(connector: Any, sql: str) -> None:
        nonlocal refused, came
        if not came and re.search("^(CREATE|REFRESH)", sql, re.MULTILINE):
            came = True
            try:
                execute(connector, other, "INSERT INTO t VALUES (6, 1.0, 2.0, 3.0)")
            except StatementError as error:
                refused = str(error)

    with before_each(db.connector, between):
        rows = sqlrp.refresh(pool, "images_pk", everything=everything)
    assert came
    assert ("locked" in refused) == (name == "sqlite"), refused
    assert rows == (6 if everything else 2) + BETWEEN[name, isolation]
    assert count(db, db.connection) == 6 + BETWEEN[name, isolation]
    missing = 0 if name == "sqlite" else 1 - BETWEEN[name, isolation]
    assert sqlrp.refresh(db.connection, "images_pk") == missing
    for made in (pool, other):
        if isinstance(made, sa.Engine):
            made.dispose()


WAITS = {
    ("postgresql", True): "the refresh and who comes later",
    ("mariadb", True): "the refresh and who comes later",
    ("mysql", True): "the refresh and who comes later",
    ("postgresql", False): "nobody",
    ("mariadb", False): "nobody",
    ("mysql", False): "nobody",
    ("duckdb", True): "nobody",
    ("duckdb", False): "nobody",
    ("sqlite", True): "COMMIT",
    ("sqlite", False): "COMMIT",
}
"""Who waits for a transaction that has read the table and stays open."""


@pytest.mark.parametrize(("name", "everything"), WAITS)
def test_a_reader_s_open_transaction(db: Database, name: str, everything: bool) -> None:
    prepared(db)
    done: list[int] = []
    seen: list[int] = []
    failed: list[BaseException] = []

    def working(work: Any, results: list[int]) -> threading.Thread:
        def run() -> None:
            pool = db.pool()
            if name == "sqlite":
                pool = sa.create_engine(pool.url, connect_args={"timeout": 0.2})
            try:
                results.append(work(pool))
            except StatementError as error:
                failed.append(error)
            if isinstance(pool, sa.Engine):
                pool.dispose()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    waits = WAITS[name, everything]
    with target(db, "connection") as reader:
        if name == "duckdb":
            reader.execute("BEGIN")
        elif name == "sqlite":
            reader.exec_driver_sql("BEGIN")
        assert count(db, reader) == 4
        first = working(lambda pool: sqlrp.refresh(pool, "images_pk", everything=everything), done)
        waiting = waits == "the refresh and who comes later"
        first.join(1 if waiting else 20)
        second = working(lambda pool: count(db, pool), seen)
        second.join(0.5 if waiting else 20)
        assert (bool(done), bool(seen)) == (waits == "nobody", not waiting)
        # A transaction keeps its snapshot; in READ COMMITTED, PostgreSQL's default, each statement has its own.
        assert count(db, reader) == (6 if done and name == "postgresql" else 4)
        end(reader, "COMMIT")
    first.join(20)
    second.join(20)
    if waits == "COMMIT":
        assert seen == [4]
        said = re.compile(r"database is locked \(.*try again.*\) \[in: COMMIT\]")
        assert [bool(said.search(str(error))) for error in failed] == [True]
        assert count(db, db.connection) == 4
        assert sqlrp.refresh(db.connection, "images_pk", everything=everything) == (6 if everything else 2)
    else:
        assert (done, seen, failed) == ([6 if everything else 2], [6], [])
    assert count(db, db.connection) == 6


@pytest.fixture
def own(name: str, tmp_path: Path) -> Iterator[Database]:
    """A database of the test's own, whose settings it may change."""
    yield from opened(name, tmp_path)


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("pages", [2000, 5])
@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("name", ["sqlite"])
def test_what_sqlite_s_journal_means_for_readers(
    own: Database, name: str, journal: str, pages: int, everything: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changes beyond the page cache go to the file before COMMIT, and keep readers out; not in WAL mode."""
    own.run(f"PRAGMA journal_mode = {journal}")
    rows = np.random.default_rng(1).normal(size=(1500, 3)).tolist()
    own.load("wide", rows, table="more")
    sqlrp.materialize(LINEAR, own.load("wide", rows[:9]), own.connection, "images_pk")
    own.run("INSERT INTO t SELECT * FROM more WHERE id >= 9")
    own.run(f"PRAGMA cache_size = {pages}")
    pool = sa.create_engine(own.connection.engine.url, connect_args={"timeout": 0.05})
    execute, seen = type(own.connector).execute, []
    with pool.connect() as reader, pool.connect() as staying:

        def looking(self: Any, connection: Any, sql: str) -> None:
            execute(self, connection, sql)
            try:
                seen.append(count(own, reader))
            except StatementError as error:
                seen.append(0 if "locked" in str(error) else -1)
            reader.rollback()

        monkeypatch.setattr(type(own.connector), "execute", looking)
        if journal == "wal":
            staying.exec_driver_sql("BEGIN")
            assert count(own, staying) == 9
        came = sqlrp.refresh(own.connection, "images_pk", everything=everything)
        assert came == (1500 if everything else 1491)
        monkeypatch.setattr(type(own.connector), "execute", execute)
        if journal == "wal":
            assert count(own, staying) == 9
    pool.dispose()
    assert (0 in seen) == (journal == "delete" and pages == 5)
    assert set(seen) - {0} == {9, 1500}
    assert seen[-1] == 1500


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("isolation", ["REPEATABLE READ", "SERIALIZABLE"])
@pytest.mark.parametrize("name", ["postgresql"])
def test_the_second_of_two_refreshes_in_a_stricter_isolation(
    db: Database, name: str, isolation: str, everything: bool
) -> None:
    """It waits, and then fails, as its snapshot is older than what the first one wrote."""
    prepared(db)
    failed: list[StatementError] = []

    def second() -> None:
        pool = db.pool()
        try:
            sqlrp.refresh(pool.execution_options(isolation_level=isolation), "images_pk", everything=everything)
        except StatementError as error:
            failed.append(error)
        pool.dispose()

    with target(db, "begun") as given:
        assert sqlrp.refresh(given, "images_pk") == 3  # the caller's own row, too
        thread = threading.Thread(target=second, daemon=True)
        thread.start()
        thread.join(0.5)
        assert thread.is_alive()
        end(given, "COMMIT")
    thread.join(20)
    assert ["could not serialize access" in str(error) for error in failed] == [True], failed
    assert count(db, db.connection) == 7
    assert sqlrp.refresh(db.connection, "images_pk", everything=everything) == (7 if everything else 0)


# -- durability ------------------------------------------------------------------------------------------

DURABILITY = {
    "postgresql": ("SELECT current_setting('synchronous_commit')", "SET synchronous_commit = remote_write"),
    "sqlite": ("PRAGMA synchronous", "PRAGMA synchronous = 3"),
    **dict.fromkeys(FAMILY, ("SELECT @@innodb_flush_log_at_trx_commit", None)),  # the server's own
}


@pytest.mark.parametrize("name", DURABILITY)
def test_durability_is_left_as_it_is_set(db: Database, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared(db)
    asking, setting = DURABILITY[name]
    execute, found = type(db.connector).execute, []
    with target(db, "connection") as given:

        def ask() -> Any:
            return given.exec_driver_sql(asking).scalar()

        if setting:
            standard = ask()
            given.exec_driver_sql(setting)
            given.commit()
            assert ask() != standard
        before = ask()
        given.rollback()

        def asked(self: Any, connection: Any, sql: str) -> None:
            found.append(connection.exec_driver_sql(asking).scalar())
            execute(self, connection, sql)
            found.append(connection.exec_driver_sql(asking).scalar())

        monkeypatch.setattr(type(db.connector), "execute", asked)
        sqlrp.save(LINEAR, given, "mine", replace=True)
        sqlrp.refresh(given, "images_pk")
        sqlrp.refresh(given, "images_pk", everything=True)
        sqlrp.materialize(LINEAR, "t", given, "images_pk", replace=True)
        monkeypatch.setattr(type(db.connector), "execute", execute)
        assert ask() == before
    assert len(found) > 10
    assert set(found) == {before}
