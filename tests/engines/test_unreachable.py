"""Databases that do not answer: every public call says so in one line, and none treats it as an empty result."""

from __future__ import annotations

import inspect
import socket
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlalchemy as sa
from cases import DATABASES
from databases import Database, server
from faults import Watch, watched, watching
from helpers import assert_one_line
from unreachable import CALLS, LINEAR, WRITES, fill

import sqlrp
from sqlrp import SourceError, StatementError
from sqlrp._core.errors import SqlrpError, UnreachableError
from sqlrp._core.sources import TableName

PASSWORD = "hush hush&@"


FUNCTIONS = ("install", "uninstall", "create_function", "drop_function", "create_search", "drop_search")
NO_FUNCTIONS = ("mariadb", "mysql", "sqlite", "clickhouse")
"""Engines where functions are refused before a connection is asked."""

calls = pytest.mark.parametrize("call", CALLS)


def test_every_call_that_takes_a_connection_is_here() -> None:
    taking = {
        name
        for name in sqlrp.__all__
        if not inspect.isclass(getattr(sqlrp, name))
        for parameter in inspect.signature(getattr(sqlrp, name)).parameters.values()
        if parameter.name in ("connection", "engine") and parameter.annotation == "Any"
    }
    taking -= {"vector_sql", "function_sql"}  # which ask the connection nothing
    assert taking | {"materialized"} == {name.partition(",")[0] for name in CALLS}


def refused(call: str, target: Any, name: str, tmp_path: Path, kind: type[SqlrpError] = UnreachableError) -> None:
    """The call fails by an error of ours, without the password."""
    without = name in NO_FUNCTIONS and call in FUNCTIONS
    with pytest.raises(SqlrpError if without else kind) as caught:
        CALLS[call](target, tmp_path)
    assert_one_line(caught)
    assert "hush" not in str(caught.value)


# -- never reached ---------------------------------------------------------------------------------------


def closed_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@calls
def test_a_port_that_nobody_listens_at(call: str, tmp_path: Path) -> None:
    for name, driver in (
        ("postgresql", "postgresql+psycopg"),
        ("mariadb", "mariadb+pymysql"),
        ("mysql", "mysql+pymysql"),
    ):
        url = sa.URL.create(driver, "someone", PASSWORD, "127.0.0.1", closed_port(), "shop")
        refused(call, sa.create_engine(url), name, tmp_path)


@calls
def test_a_file_that_cannot_be_opened(call: str, tmp_path: Path) -> None:
    refused(call, sa.create_engine(f"sqlite:///{tmp_path / 'no folder' / 'x.db'}"), "sqlite", tmp_path)


@pytest.mark.parametrize("name", ["postgresql", "mariadb"])
def test_an_unknown_user_or_database(name: str, tmp_path: Path) -> None:
    url = server(name).set(password=PASSWORD)
    for wrong in (url.set(username="nobody"), server(name).set(database="nowhere")):
        refused("saved", sa.create_engine(wrong), name, tmp_path)


def test_a_pool_without_a_free_connection(tmp_path: Path) -> None:
    pool = sa.create_engine(
        f"sqlite:///{tmp_path / 'x.db'}", poolclass=sa.QueuePool, pool_size=1, max_overflow=0, pool_timeout=0
    )
    with pool.connect():
        refused("saved", pool, "sqlite", tmp_path)


@pytest.mark.parametrize("secret", [PASSWORD, "a'b", "postgres"])
def test_a_password_that_a_driver_repeats(secret: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = sa.URL.create("postgresql+psycopg", "someone", secret, "127.0.0.1", closed_port(), "shop")
    made = sa.create_engine(url)

    def repeating(*_: Any, **__: Any) -> None:
        raise made.dialect.loaded_dbapi.OperationalError(f"no entry for someone with password {secret}")

    monkeypatch.setattr(made.dialect, "connect", repeating)
    with pytest.raises(UnreachableError) as caught:
        sqlrp.saved(made)
    assert_one_line(caught, "with password ***")
    assert secret not in str(caught.value).replace("postgresql", "")


# -- closed ----------------------------------------------------------------------------------------------


@calls
def test_a_closed_connection(call: str, tmp_path: Path) -> None:
    for name in ("postgresql", "mariadb", "sqlite"):
        url = f"sqlite:///{tmp_path / 'x.db'}" if name == "sqlite" else server(name)
        with sa.create_engine(url).connect() as connection:
            pass
        refused(call, connection, name, tmp_path)
    with duckdb.connect() as embedded:
        pass
    refused(call, embedded, "duckdb", tmp_path)


@calls
def test_a_closed_session_of_clickhouse(call: str, tmp_path: Path, databases: dict[str, Any]) -> None:
    session = pytest.importorskip("chdb.session").Session
    closed = session.__new__(session)
    closed._conn = None  # as `close` leaves it; a process has one session at a time
    refused(call, closed, "clickhouse", tmp_path)


# -- dropped in the middle -------------------------------------------------------------------------------


@contextmanager
def dropping(host: str, port: int) -> Iterator[tuple[int, Callable[[int], None], Callable[[], int]]]:
    """A port that passes on what a server says: set how many bytes, then it drops; and ask how many there were."""
    bound, said = sys.maxsize, 0
    lock = threading.Lock()
    listening = socket.create_server(("127.0.0.1", 0))

    def let(n: int) -> None:
        nonlocal bound, said
        bound, said = n, 0

    def passing(source: socket.socket, target: socket.socket, counts: bool) -> None:
        nonlocal said
        with suppress(OSError):  # the other side is gone
            while data := source.recv(65536):
                with lock:
                    room = bound - said if counts else len(data)
                    said += len(data) if counts else 0
                target.sendall(data[: max(room, 0)])
                if room < len(data):
                    break
        for end in (source, target):
            with suppress(OSError):  # it is shut already
                end.shutdown(socket.SHUT_RDWR)

    def accepting() -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            there = socket.create_connection((host, port))
            for end in (client, there):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for source, target, counts in ((client, there, False), (there, client, True)):
                threading.Thread(target=passing, args=(source, target, counts), daemon=True).start()

    threading.Thread(target=accepting, daemon=True).start()
    try:
        yield listening.getsockname()[1], let, lambda: said
    finally:
        listening.close()


@pytest.mark.parametrize("name", ["postgresql", "mariadb", "mysql"])
@calls
def test_a_connection_that_is_dropped(db: Database, name: str, call: str, tmp_path: Path) -> None:
    if name in NO_FUNCTIONS and call in FUNCTIONS:
        refused(call, db.connection, name, tmp_path, SqlrpError)
        return
    fill(db)
    pool = db.pool()
    url = pool.url
    pool.dispose()
    with dropping(url.host or "127.0.0.1", url.port or {"postgresql": 5432}.get(name, 3306)) as (
        port,
        let,
        said,
    ):
        through = url.set(host="127.0.0.1", port=port, password=url.password)

        def run() -> None:
            made = sa.create_engine(through, poolclass=sa.NullPool)
            try:
                CALLS[call](made, tmp_path)
            finally:
                made.dispose()

        run()
        let(sys.maxsize)
        run()
        whole = said()
        assert whole
        failed: list[SqlrpError] = []
        for bound in (40, whole // 3, whole * 3 // 5, whole * 4 // 5):
            let(bound)
            try:
                run()
            except SqlrpError as error:
                failed.append(error)
        assert len(failed) > 1
        for error in failed:  # which none can take for a table that is not there, or for a key that comes twice
            assert isinstance(error, UnreachableError), repr(error)
            assert "\n" not in str(error)
    if call in ("save", "saved", "load"):
        assert set(sqlrp.saved(db.connection)) == {"kept"}


# -- locked, read-only -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sqlite"])
@calls
def test_a_locked_file(db: Database, name: str, call: str, tmp_path: Path) -> None:
    fill(db)
    path = db.connection.engine.url.database
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        for connect in ({"timeout": 0}, {"timeout": 0, "isolation_level": None}):
            made = sa.create_engine(f"sqlite:///{path}", connect_args=connect)
            for target in (made, made.connect()):
                with pytest.raises(SqlrpError) as caught:
                    CALLS[call](target, tmp_path)
                words = "no functions" if call in FUNCTIONS else "locked"
                assert_one_line(caught, words)
            target.close()
            made.dispose()
        other.execute("ROLLBACK")
    assert set(sqlrp.saved(db.connection)) == {"kept"}
    other.close()


@pytest.mark.parametrize("name", ["sqlite"])
def test_a_file_for_reading_only(db: Database, name: str, tmp_path: Path) -> None:
    fill(db)
    made = sa.create_engine(f"sqlite:///file:{db.connection.engine.url.database}?mode=ro&uri=true")
    for call, run in CALLS.items():
        if call in WRITES:
            refused(call, made, name, tmp_path, StatementError)
        elif call not in ("diagnose", "report"):  # which need a temporary table, and may have one
            run(made, tmp_path)
    made.dispose()


@pytest.mark.parametrize("opened", ["read_only=True", "attached"])
def test_a_database_of_duckdb_for_reading_only(tmp_path: Path, opened: str) -> None:
    """Every call that writes says so at once, with no statement and no row of the source."""
    path = tmp_path / "shop.db"
    with duckdb.connect(path) as con:
        fill(Database("duckdb", con, "main"))
    with ExitStack() as stack:
        if opened == "attached":
            con = stack.enter_context(duckdb.connect())
            con.execute(f"ATTACH '{path}' AS shop (READ_ONLY); USE shop")
        else:
            con = stack.enter_context(duckdb.connect(path, read_only=True))
        for call in sorted(WRITES):
            watch = Watch()
            with watching(watch), pytest.raises(StatementError) as caught:
                CALLS[call](watched(con, watch), tmp_path)
            assert_one_line(caught, 'the database "shop" is opened read-only', "open it for writing")
            assert " [in: " not in str(caught.value)
            assert not [point for point in watch.points if '"t"' in point], call
        with pytest.raises(StatementError, match="opened read-only"):
            sqlrp.check(con, repair=True)
        assert sqlrp.check(con) == []
        if opened == "read_only=True":  # which attaches nothing for writing
            return
        con.execute("ATTACH ':memory:' AS own")
        with pytest.raises(StatementError, match="opened read-only"):  # where the record would be
            sqlrp.materialize(LINEAR, "t", con, "own.main.made")
        con.execute("USE own")
        assert sqlrp.materialize(LINEAR, "shop.main.t", con, "made") > 0
        with pytest.raises(StatementError, match="opened read-only"):
            sqlrp.materialize(LINEAR, "shop.main.t", con, "shop.main.made")


# -- not there, and not allowed --------------------------------------------------------------------------


def test_a_catalogue_that_may_not_be_read_is_not_taken_for_none(tmp_path: Path) -> None:
    url, user = server("mariadb"), "sqlrp_test_reader"
    admin = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        for statement in (
            "DROP DATABASE IF EXISTS sqlrp_test_rights",
            "CREATE DATABASE sqlrp_test_rights",
            "USE sqlrp_test_rights",
            f"CREATE OR REPLACE USER {user}@'%%' IDENTIFIED BY 'p'",
            f"CREATE OR REPLACE USER {user}@localhost IDENTIFIED BY 'p'",
            "CREATE TABLE t (id INT, f0 DOUBLE)",
            *(f"GRANT SELECT ON sqlrp_test_rights.t TO {user}@{host}" for host in ("'%%'", "localhost")),
        ):
            connection.exec_driver_sql(statement)
        try:
            sqlrp.save(LINEAR, connection, "kept")
            made = sa.create_engine(url.set(username=user, password="p", database="sqlrp_test_rights"))
            for call in ("saved", "load", "materialize", "refresh"):
                with pytest.raises(StatementError) as caught:
                    CALLS[call](made, tmp_path)
                assert_one_line(caught, "denied")
            made.dispose()
        finally:
            connection.exec_driver_sql("DROP DATABASE sqlrp_test_rights")
            connection.exec_driver_sql(f"DROP USER {user}@'%%', {user}@localhost")
    admin.dispose()


@pytest.mark.parametrize("name", DATABASES)
def test_a_table_that_is_not_there_is_none(db: Database, name: str) -> None:
    for missing in ("nowhere", f"{db.schema}.nowhere"):
        table = TableName.parse(missing)
        assert not db.connector.exists(db.connection, table)
        with pytest.raises(SourceError) as caught:
            db.connector.columns(db.connection, table)
        assert_one_line(caught, "nowhere", "cannot be read")
