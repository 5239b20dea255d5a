"""Whose a table, a view or a function is: sqlrp knows its own by a mark, and finds them in full names."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlalchemy as sa
from cases import DATABASES
from databases import FAMILY, Database, opened
from materializing import LINEAR, X, holds, rows, table_of

import sqlrp
from sqlrp import ParameterError, SourceError, SparseProjection
from sqlrp._core.sources import TableName
from sqlrp._store.auxiliary_names import temporary_name
from sqlrp._store.materialize import materialized

each = pytest.mark.parametrize("name", DATABASES)
FUNCTIONS = ("duckdb", "postgresql", "clickhouse")
OTHER = SparseProjection(k=2, s=1, seed=9)


@pytest.fixture
def db(name: str, tmp_path: Path) -> Any:
    """A database of its own for each test: temporary tables and search paths belong to the session."""
    yield from opened(name, tmp_path)


def loaded(db: Database) -> Any:
    return db.load("wide", X.tolist())


def made_again(db: Database, name: str = "m") -> list[Any]:
    """The user drops a table and makes another one of its name and columns; its rows."""
    table_of(db, "aside", f"SELECT * FROM {name}")
    db.run(f"DROP TABLE {name}")
    table_of(db, name, "SELECT * FROM aside WHERE id < 3")
    db.run("DROP TABLE aside")
    return rows(db, name)


def refused(db: Database, source: Any, name: str = "m", **kind: Any) -> str:
    """Every call that would write a table refuses it; the last error."""
    said = ""
    for call in (
        lambda: sqlrp.materialize(LINEAR, source, db.connection, name, replace=True, **kind),
        lambda: sqlrp.materialize(OTHER, source, db.connection, name, **kind),
        lambda: sqlrp.refresh(db.connection, name),
        lambda: sqlrp.refresh(db.connection, name, everything=True),
    ):
        with pytest.raises((SourceError, ParameterError), match="is not the table that sqlrp made") as caught:
            call()
        said = str(caught.value)
    return said


# -- tables ----------------------------------------------------------------------------------------------


@each
def test_a_table_that_the_user_made_again_is_the_user_s(db: Database, name: str) -> None:
    source = loaded(db)
    sqlrp.materialize(LINEAR, source, db.connection, "m")
    assert sqlrp.check(db.connection) == []
    theirs = made_again(db)
    said = refused(db, source)
    for repair in (False, True):
        [finding] = sqlrp.check(db.connection, repair=repair)
        assert (finding.kind, finding.name, finding.mended) == ("table", "m", False)
        assert "not the table that sqlrp made" in finding.wrong
    assert rows(db, "m") == theirs
    db.run(said.rpartition("run ")[2])  # the user says that it is ours
    assert sqlrp.refresh(db.connection, "m") == len(X) - 3
    assert sqlrp.check(db.connection) == []
    holds(db, X, "m")


@each
def test_a_table_that_was_renamed_away_stays_and_so_does_the_one_in_its_place(db: Database, name: str) -> None:
    source = loaded(db)
    sqlrp.materialize(LINEAR, source, db.connection, "m")
    table_of(db, "theirs", "SELECT * FROM m WHERE id < 2")
    rename = "RENAME TABLE {} TO {}" if name in (*FAMILY, "clickhouse") else "ALTER TABLE {} RENAME TO {}"
    db.run(rename.format("m", "older"))
    db.run(rename.format("theirs", "m"))
    ours, theirs = rows(db, "older"), rows(db, "m")
    said = refused(db, source)
    assert (rows(db, "older"), rows(db, "m")) == (ours, theirs)
    db.run(rename.format("m", "theirs"))
    db.run(rename.format("older", "m"))
    assert sqlrp.refresh(db.connection, "m") == 0
    db.run(rename.format("m", "older"))
    forget = said.partition("forget the other one by ")[2].partition("; or, if")[0]
    db.run(forget)
    assert materialized(db.connection) == {}
    sqlrp.materialize(LINEAR, source, db.connection, "m")
    holds(db, X, "m")


@each
def test_a_mark_stays_with_the_table_through_every_call(db: Database, name: str) -> None:
    source = loaded(db)
    sqlrp.materialize(LINEAR, source, db.connection, "m", track="rows")
    for everything in (False, True, False):
        sqlrp.refresh(db.connection, "m", everything=everything)
        assert sqlrp.check(db.connection) == []
    sqlrp.materialize(OTHER, source, db.connection, "m", replace=True)
    assert sqlrp.refresh(db.connection, "m") == 0
    assert sqlrp.check(db.connection) == []


@pytest.mark.parametrize("name", ["duckdb", "postgresql", "clickhouse"])
@pytest.mark.parametrize("by", ["drop", "replace"])
def test_a_view_that_the_user_made_again_is_the_user_s(db: Database, name: str, by: str) -> None:
    source = loaded(db)
    sqlrp.materialize(LINEAR, source, db.connection, "m", kind="view")
    table_of(db, "aside", "SELECT * FROM m WHERE id < 3")
    if by == "replace" and name == "duckdb":
        db.run("CREATE OR REPLACE VIEW m AS SELECT * FROM aside")
    else:
        db.run(f"DROP {db.engine.view_noun} m")
        db.run(
            f"CREATE {'TABLE' if by == 'drop' and name != 'duckdb' else 'VIEW'} m "
            f"{'ENGINE = Memory ' if by == 'drop' and name == 'clickhouse' else ''}AS SELECT * FROM aside"
        )
    theirs = rows(db, "m")
    refused(db, source)
    refused(db, source, kind="view")
    assert [finding.kind for finding in sqlrp.check(db.connection, repair=True)] == ["table"]
    assert rows(db, "m") == theirs


@each
def test_one_table_has_one_record_whichever_way_it_is_named(db: Database, name: str) -> None:
    source = loaded(db)
    full = {"duckdb": "main.m", "sqlite": "main.m"}.get(name, f"{db.schema}.m")
    sqlrp.materialize(LINEAR, source, db.connection, full)
    assert list(materialized(db.connection)) == ["m"]
    assert sqlrp.refresh(db.connection, "m") == sqlrp.refresh(db.connection, full) == 0
    with pytest.raises(ParameterError, match="made by the same projection"):
        sqlrp.materialize(LINEAR, source, db.connection, "m")


def test_a_name_of_several_parts_is_not_read_as_a_file() -> None:
    with duckdb.connect() as con:
        con.execute("CREATE SCHEMA x; CREATE TABLE t AS SELECT 1 AS id, 2.0 AS a, 3.0 AS b")
        sqlrp.materialize(OTHER, "t", con, '"x"."csv"')
        assert list(materialized(con)) == ['"x"."csv"']
        assert sqlrp.refresh(con, '"x"."csv"') == 0
        assert sqlrp.check(con) == []


# -- what a mark survives --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sqlite"])
def test_a_mark_of_sqlite_survives_a_vacuum_and_a_dump(db: Database, name: str, tmp_path: Path) -> None:
    source = loaded(db)
    sqlrp.materialize(LINEAR, source, db.connection, "m")
    db.run("VACUUM")
    assert sqlrp.check(db.connection) == []
    with sqlite3.connect(tmp_path / "test.db") as before, sqlite3.connect(tmp_path / "after.db") as after:
        after.executescript("\n".join(before.iterdump()))
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'after.db'}")
    assert sqlrp.check(engine) == []
    assert sqlrp.refresh(engine, "m") == 0
    engine.dispose()


def test_a_mark_of_duckdb_survives_a_copy_and_another_alias_but_no_export(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "first.db") as con:
        con.execute("CREATE TABLE t AS SELECT i AS id, i * 2.0 AS a, i * 3.0 AS b FROM range(5) r(i)")
        sqlrp.materialize(OTHER, "t", con, "m")
        sqlrp.create_function(OTHER, con, "f", n_features=2)
        con.execute(f"ATTACH '{tmp_path / 'second.db'}' AS other; COPY FROM DATABASE first TO other")
        con.execute(f"EXPORT DATABASE '{tmp_path / 'exported'}'")
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{tmp_path / 'second.db'}' AS renamed; USE renamed")
        assert sqlrp.check(con) == []
        assert sqlrp.refresh(con, "m") == 0
    with duckdb.connect() as con:
        con.execute(f"IMPORT DATABASE '{tmp_path / 'exported'}'")
        [finding] = sqlrp.check(con)
        assert finding.kind == "table"
        con.execute(finding.remedy.rpartition("run ")[2])
        assert sqlrp.check(con) == []
        assert sqlrp.refresh(con, "m") == 0


@pytest.mark.parametrize("name", ["postgresql"])
def test_a_copy_of_a_table_of_postgresql_has_no_mark(db: Database, name: str) -> None:
    source = loaded(db)
    sqlrp.materialize(LINEAR, source, db.connection, "m")
    db.run("ALTER TABLE m RENAME TO older")
    db.run("CREATE TABLE m (LIKE older INCLUDING ALL)")
    refused(db, source)


# -- left-overs ------------------------------------------------------------------------------------------


@each
def test_a_table_of_the_user_s_with_the_name_of_a_left_over_stays(db: Database, name: str) -> None:
    source = loaded(db)
    table_of(db, "sqlrp_new_0123456789ab", "SELECT * FROM t")
    sqlrp.materialize(LINEAR, source, db.connection, "sqlrp_new_ba9876543210")
    for repair in (False, True):
        [finding] = sqlrp.check(db.connection, repair=repair)
        assert (finding.name, finding.mends) == ("sqlrp_new_0123456789ab", False)
        assert "no mark of sqlrp" in finding.wrong
    assert len(rows(db, "sqlrp_new_0123456789ab")) == len(X)
    assert sqlrp.refresh(db.connection, "sqlrp_new_ba9876543210") == 0


@each
def test_a_table_in_the_way_of_a_new_one_stays(db: Database, name: str) -> None:
    source = loaded(db)
    sqlrp.materialize(LINEAR, source, db.connection, "m")
    place = db.connector.place(db.connection, TableName(("m",))).name
    way = db.engine.table(temporary_name(place))
    table_of(db, way, "SELECT * FROM t")
    theirs = rows(db, way)
    for call in (
        lambda: sqlrp.materialize(LINEAR, source, db.connection, "m", replace=True),
        lambda: sqlrp.refresh(db.connection, "m", everything=True),
    ):
        with pytest.raises(SourceError, match="is in the way of making"):
            call()
    assert rows(db, way) == theirs
    holds(db, X, "m")


@pytest.mark.parametrize("name", [*FAMILY, "clickhouse"])
def test_a_left_over_with_a_mark_is_cleared(db: Database, name: str) -> None:
    source = loaded(db)
    sqlrp.materialize(LINEAR, source, db.connection, "m")
    place = db.connector.place(db.connection, TableName(("m",))).name
    for statement in db.engine.making(temporary_name(place), "SELECT 1 AS id", f"sqlrp_{'0' * 32}"):
        db.run(statement)
    [finding] = sqlrp.check(db.connection)
    assert (finding.kind, finding.mends) == ("left-over", True)
    assert sqlrp.refresh(db.connection, "m", everything=True) == len(X)
    assert sqlrp.check(db.connection) == []


# -- functions -------------------------------------------------------------------------------------------

THEIRS = {
    "duckdb": "CREATE OR REPLACE MACRO f(x) AS x[1] + 40",
    "postgresql": "CREATE OR REPLACE FUNCTION f(features double precision[]) RETURNS double precision[] LANGUAGE sql "
    "IMMUTABLE AS 'SELECT ARRAY[features[1] + 40]'",
    "clickhouse": "CREATE OR REPLACE FUNCTION f AS (x) -> x[1] + 40",
}


def called(db: Database) -> str:
    argument = "ARRAY[CAST(2 AS double precision), 0, 0]" if db.name == "postgresql" else "[2, 0, 0]"
    return str(db.run_query(f"SELECT f({argument})"))


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dropped", [True, False])
def test_a_function_that_the_user_made_again_is_the_user_s(db: Database, name: str, dropped: bool) -> None:
    sqlrp.create_function(OTHER, db.connection, "f", n_features=3)
    if dropped:
        db.run(db.engine.dropping_function(TableName(("f",))))
    db.run(THEIRS[name])
    theirs = called(db)
    assert "42" in theirs
    for replace in (True, False):
        with pytest.raises(ParameterError, match="did not make it: it is never replaced"):
            sqlrp.create_function(LINEAR, db.connection, "f", n_features=3, replace=replace)
    with pytest.raises(SourceError, match=r"is not the function that sqlrp\.create_function made"):
        sqlrp.drop_function(db.connection, "f")
    for repair in (False, True):
        [finding] = sqlrp.check(db.connection, repair=repair)
        assert (finding.kind, finding.name, finding.mended) == ("function", "f", False)
    assert called(db) == theirs
    db.run(db.engine.dropping_function(TableName(("f",))))
    sqlrp.create_function(LINEAR, db.connection, "f", n_features=3, replace=True)
    sqlrp.create_function(OTHER, db.connection, "f", n_features=3, replace=True)
    assert sqlrp.check(db.connection) == []
    sqlrp.drop_function(db.connection, "f")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_that_the_user_made_of_the_text_is_the_user_s(db: Database, name: str) -> None:
    sqlrp.create_function(OTHER, db.connection, "f", n_features=3)
    db.run(sqlrp.function_sql(OTHER, name, "f", n_features=3))
    with pytest.raises(SourceError, match="is not the function"):
        sqlrp.drop_function(db.connection, "f")


def test_a_temporary_macro_stays(tmp_path: Path) -> None:
    for db in opened("duckdb", tmp_path):
        db.run("CREATE TEMPORARY MACRO f(x) AS 42")
        sqlrp.create_function(OTHER, db.connection, "f", n_features=3)
        sqlrp.create_function(LINEAR, db.connection, "f", n_features=3, replace=True)
        assert sqlrp.check(db.connection) == []
        sqlrp.drop_function(db.connection, "f")
        assert called(db) == "[(42,)]"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_s_name_that_is_a_file_s_is_refused(db: Database, name: str) -> None:
    for call in (
        lambda: sqlrp.create_function(OTHER, db.connection, "a.csv", n_features=3),
        lambda: sqlrp.function_sql(OTHER, name, "a.csv", n_features=3),
        lambda: sqlrp.drop_function(db.connection, "a.csv"),
    ):
        with pytest.raises(ParameterError, match=r"name = 'a\.csv' is a file's name"):
            call()
    sqlrp.create_function(OTHER, db.connection, '"a.csv"', n_features=3)
    assert list(sqlrp.created_functions(db.connection)) == ['"a.csv"']
    assert sqlrp.check(db.connection) == []
    sqlrp.drop_function(db.connection, '"a.csv"')
    assert sqlrp.created_functions(db.connection) == {}


def test_a_column_that_is_named_like_a_digest_is_not_one(tmp_path: Path) -> None:
    for db in opened("duckdb", tmp_path):
        db.install()
        for at, column in enumerate(
            ("digest 0123456789abcdef", "'digest': '0123456789abcdef'}", "a digest 0123456789abcdef z")
        ):
            quoted = db.engine.quote(column)
            db.run(f"CREATE TABLE d{at} AS SELECT 1 AS id, 2.0 AS {quoted}, 3.0 AS b")
            sqlrp.save(OTHER, db.connection, column, source=f"d{at}")
        assert sqlrp.check(db.connection) == []
