"""Calls of `materialize` and `refresh` that come to no end: whole tables stay, each with its record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from cases import DATABASES as NAMES
from databases import Database, opened
from helpers import assert_one_line
from materializing import LINEAR, X, add, holds, kept, tables

import sqlrp
from sqlrp import SourceError, SparseProjection
from sqlrp.core.sources import TableName
from sqlrp.store.materialize import materialized

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
@pytest.mark.parametrize("name", ["mariadb", "clickhouse"])
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


@pytest.mark.parametrize("name", ["mariadb", "clickhouse"])
def test_what_an_older_release_left_unfinished_is_made_whole(db: Database, name: str) -> None:
    source = db.load("wide", X.tolist())
    sqlrp.materialize(LINEAR, source, db.connection, "images_pk")
    db.run(db.engine.updating("sqlrp_catalogue", "fingerprint = ''", "kind = 'materialized'"))
    with pytest.raises(SourceError) as caught:
        sqlrp.refresh(db.connection, "images_pk")
    assert_one_line(caught, "unfinished", "everything=True")
    assert sqlrp.refresh(db.connection, "images_pk", everything=True) == 8
    assert sqlrp.refresh(db.connection, "images_pk") == 0
