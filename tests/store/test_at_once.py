"""`materialize` and `refresh` in the caller's transactions, and two of them at once."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from cases import DATABASES as NAMES
from databases import FAMILY, Database, opened
from materializing import LINEAR, X, add, holds, tables

import sqlrp
from sqlrp import ParameterError, StatementError, UnsupportedError

pytestmark = pytest.mark.slow

each = pytest.mark.parametrize("name", NAMES)
sql_only = pytest.mark.parametrize("name", ["postgresql", "sqlite", *FAMILY])


@pytest.fixture
def db(name: str, tmp_path: Path) -> Iterator[Database]:  # a database a test: what one leaves is not the next one's
    yield from opened(name, tmp_path)


@sql_only
def test_a_caller_s_transaction_is_the_caller_s(db: Database, name: str) -> None:
    source = db.load("wide", X[:4].tolist())
    pool = db.pool()
    if name in FAMILY:
        sqlrp.materialize(LINEAR, source, pool, "images_pk")
        with pool.begin() as connection:
            for call in (
                lambda: sqlrp.materialize(LINEAR, source, connection, "other"),
                lambda: sqlrp.refresh(connection, "images_pk", everything=True),
            ):
                with pytest.raises(UnsupportedError, match="commits an open transaction"):
                    call()
    else:
        with pool.connect() as connection:
            transaction = connection.begin()
            sqlrp.materialize(LINEAR, source, connection, "images_pk")
            transaction.rollback()
        assert tables(db) == {"t"}
        with pool.begin() as connection:
            sqlrp.materialize(LINEAR, source, connection, "images_pk")
    holds(db, X[:4])
    add(db, source, 4, X[4:])
    with pool.connect() as connection:
        transaction = connection.begin()
        assert sqlrp.refresh(connection, "images_pk") == 4
        transaction.rollback()
    holds(db, X[:4])
    with pool.connect() as connection:
        transaction = connection.begin()
        connection.exec_driver_sql("DELETE FROM t WHERE id = 7")
        with pytest.raises(ParameterError):
            sqlrp.refresh(connection, "images_pk.parquet")
        assert sqlrp.refresh(connection, "images_pk") == 3
        transaction.commit()
    holds(db, X[:7])
    with pool.connect() as connection:  # none is open: ours is committed, and the connection is free again
        add(db, source, 7, X[7:])
        assert sqlrp.refresh(connection, "images_pk") == 1
        assert not connection.in_transaction()
    holds(db, X)
    pool.dispose()


def test_a_failure_leaves_the_caller_s_transaction(tmp_path: Path) -> None:
    for db in opened("postgresql", tmp_path):
        source = db.load("wide", [[None, *X[0, 1:].tolist()]])
        pool = db.pool()
        with pool.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE mine AS SELECT 1 AS one")
            with pytest.raises(StatementError, match="nulls = 'error'"):
                sqlrp.materialize(LINEAR, source, connection, "images_pk", nulls="error")
        assert tables(db) == {"t", "mine"}
        pool.dispose()


def test_a_transaction_of_duckdb(tmp_path: Path) -> None:
    for db in opened("duckdb", tmp_path):
        source, con = db.load("wide", X[:4].tolist()), db.connection
        con.execute("BEGIN")
        sqlrp.materialize(LINEAR, source, con, "images_pk")
        con.execute("ROLLBACK")
        assert tables(db) == {"t"}
        con.execute("BEGIN")
        sqlrp.materialize(LINEAR, source, con, "images_pk")
        add(db, source, 4, X[4:])
        assert sqlrp.refresh(con, "images_pk") == 4
        con.execute("COMMIT")
        holds(db, X)


def refreshed(pool: Any, everything: bool, start: threading.Barrier, came: list[int], failed: list[Exception]) -> None:
    start.wait()
    try:
        came.append(sqlrp.refresh(pool, "images_pk", everything=everything))
    except Exception as error:
        failed.append(error)


@pytest.mark.parametrize("everything", [False, True])
@each
def test_two_at_once(db: Database, name: str, everything: bool) -> None:
    source = db.load("wide", X[:1].tolist())
    sqlrp.materialize(LINEAR, source, db.connection, "images_pk")
    for i in range(1, 4 if name == "clickhouse" else 8):  # threads take turns at a session of ClickHouse
        add(db, source, i, X[i : i + 1])
        start = threading.Barrier(2)
        came: list[int] = []
        failed: list[Exception] = []
        pools = [db.pool() for _ in range(2)]
        arguments = (everything, start, came, failed)
        threads = [threading.Thread(target=refreshed, args=(pool, *arguments)) for pool in pools]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for pool in pools:
            if isinstance(pool, sa.Engine):
                pool.dispose()
        if name == "duckdb":
            said = re.compile("is refreshed elsewhere: try again|was replaced while it was refreshed: try again")
            assert all(said.search(str(error)) for error in failed), failed
        else:
            assert not failed, failed
        assert came
        if not everything:
            assert sum(came) == 1
        holds(db, X[: i + 1])
