"""Names stay resolved: no temporary table and no later schema takes the place of a table, a source or the catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest
from cases import DATABASES
from databases import FAMILY, Database, opened
from materializing import LINEAR, X, holds, rows, table_of

import sqlrp
from sqlrp import ParameterError, SourceError, SparseProjection

each = pytest.mark.parametrize("name", DATABASES)
reaching = pytest.mark.parametrize("name", ["duckdb", "postgresql", "sqlite", "clickhouse"])
OTHER = SparseProjection(k=2, s=1, seed=9)


@pytest.fixture
def db(name: str, tmp_path: Path) -> Any:
    """A database of its own for each test: temporary tables and search paths belong to the session."""
    yield from opened(name, tmp_path)


def loaded(db: Database) -> Any:
    return db.load("wide", X.tolist())


def test_a_view_names_the_schema_of_its_source(tmp_path: Path) -> None:
    for db in opened("duckdb", tmp_path):
        db.run("CREATE SCHEMA s; CREATE SCHEMA other; USE s")
        source = loaded(db)
        sqlrp.materialize(LINEAR, source, db.connection, "m", kind="view")
        for again in (False, True):
            if again:
                sqlrp.refresh(db.connection, "m", everything=True)
            table_of(db, "t", "SELECT * FROM s.t WHERE id < 0", temporary=True)
            db.run("CREATE TABLE other.t AS SELECT * FROM s.t WHERE id < 1; USE other")
            holds(db, X, "s.m")
            db.run("USE s; DROP TABLE temp.main.t; DROP TABLE other.t")
        db.connection.close()
        db.connection = duckdb.connect()  # the file by another name
        db.run(f"ATTACH '{tmp_path / 'test.db'}' AS elsewhere; CREATE SCHEMA s; CREATE TABLE s.t(id INTEGER)")
        holds(db, X, "elsewhere.s.m")


# -- temporary tables ------------------------------------------------------------------------------------


@reaching
def test_a_temporary_table_does_not_take_the_place_of_the_recorded_one(db: Database, name: str) -> None:
    source = loaded(db)
    sqlrp.materialize(LINEAR, source, db.connection, "m")
    table_of(db, "m", "SELECT * FROM m WHERE id < 3", temporary=True)
    theirs, full = rows(db, "m"), f"{db.schema}.m" if name != "duckdb" else "test.main.m"
    db.run(f"DELETE FROM {full} WHERE id > 5")
    assert sqlrp.refresh(db.connection, "m") == 2
    assert sqlrp.refresh(db.connection, "m", everything=True) == len(X)
    sqlrp.materialize(LINEAR, source, db.connection, "m", replace=True)
    assert sqlrp.check(db.connection, repair=True) == []
    assert rows(db, "m") == theirs
    holds(db, X, full)


@pytest.mark.parametrize("name", FAMILY)
def test_a_temporary_table_that_cannot_be_gone_round_is_refused(db: Database, name: str) -> None:
    source = loaded(db)
    sqlrp.materialize(LINEAR, source, db.connection, "m")
    table_of(db, "m", "SELECT * FROM m WHERE id < 3", temporary=True)
    theirs = rows(db, "m")
    for into in ("m", f"{db.schema}.m"):
        for call in (
            lambda into=into: sqlrp.refresh(db.connection, into),
            lambda into=into: sqlrp.refresh(db.connection, into, everything=True),
            lambda into=into: sqlrp.materialize(LINEAR, source, db.connection, into, replace=True),
        ):
            with pytest.raises(SourceError, match="temporary table of this session hides"):
                call()
    assert rows(db, "m") == theirs
    db.run("DROP TEMPORARY TABLE m")
    assert sqlrp.refresh(db.connection, "m") == 0


@each
def test_a_temporary_table_that_hides_the_source_is_refused(db: Database, name: str) -> None:
    source = loaded(db)
    sqlrp.materialize(LINEAR, source, db.connection, "m")
    table_of(db, "t", "SELECT * FROM t WHERE id < 0", temporary=True)
    for call in (
        lambda: sqlrp.refresh(db.connection, "m"),
        lambda: sqlrp.refresh(db.connection, "m", everything=True),
        lambda: sqlrp.materialize(LINEAR, source, db.connection, "m", replace=True),
        lambda: sqlrp.materialize(LINEAR, source, db.connection, "another"),
    ):
        with pytest.raises(SourceError, match=r"temporary table of this session hides the source"):
            call()
    holds(db, X, "m")


@pytest.mark.parametrize("name", ["duckdb"])
def test_a_view_whose_source_was_named_in_full_is_refused_too(db: Database, name: str) -> None:
    """DuckDB leaves the view's own database out of its text, and `main` is a schema of temporary tables, too."""
    loaded(db)
    ((database,),) = db.run_query("SELECT current_database()")
    source = f"{database}.main.t"
    sqlrp.materialize(LINEAR, source, db.connection, "m", kind="view")
    sqlrp.materialize(LINEAR, source, db.connection, "copied")
    table_of(db, "t", "SELECT * FROM t WHERE id < 3", temporary=True)
    for call in (
        lambda: sqlrp.search(db.connection, "m", X[0].tolist(), n=9),
        lambda: sqlrp.create_search(db.connection, "m", "near_m"),
        lambda: sqlrp.materialize(LINEAR, source, db.connection, "m", kind="view", replace=True),
    ):
        with pytest.raises(SourceError, match=r"temporary table of this session hides the source .*: drop"):
            call()
    (found,) = sqlrp.check(db.connection)
    assert (found.name, found.remedy) == ("m", "drop the temporary table, or use another connection")
    assert sqlrp.search(db.connection, "copied", X[0].tolist(), n=99).num_rows == len(X)
    db.run("DROP TABLE temp.main.t")
    assert sqlrp.check(db.connection) == []
    assert sqlrp.search(db.connection, "m", X[0].tolist(), n=99).num_rows == len(X)


@reaching
def test_a_temporary_source_is_not_mistaken_for_a_table_later(db: Database, name: str) -> None:
    loaded(db)
    table_of(db, "staged", "SELECT * FROM t", temporary=True)
    sqlrp.materialize(LINEAR, "staged", db.connection, "m")
    assert sqlrp.refresh(db.connection, "m") == 0
    db.run("DROP TABLE staged")
    table_of(db, "staged", "SELECT * FROM t WHERE id < 3")
    with pytest.raises(SourceError, match="was no table of the database when the table was made"):
        sqlrp.refresh(db.connection, "m", everything=True)
    holds(db, X, "m")


@pytest.mark.parametrize(
    ("kind", "name"),
    [*(("TABLE", name) for name in DATABASES), *(("VIEW", name) for name in ("duckdb", "postgresql", "sqlite"))],
)
def test_a_temporary_catalogue_is_neither_read_nor_run(db: Database, name: str, kind: str) -> None:
    source = loaded(db)
    sqlrp.save(LINEAR, db.connection, "kept")
    sqlrp.materialize(LINEAR, source, db.connection, "m")
    columns = "'projection' AS kind, 'theirs' AS name, '' AS definition, '' AS fingerprint, '' AS version"
    runs = {"duckdb": "error('it was run')", "postgresql": "CAST('it was run ' || random() AS int)"}
    check = runs.get(name, "json_extract('{}', 'it was run')") if kind == "VIEW" else "1"
    query = f"SELECT {columns} WHERE {check} IS NOT NULL"
    if kind == "VIEW":
        db.run(f"CREATE TEMPORARY VIEW sqlrp_catalogue AS {query}")
    else:
        table_of(db, "sqlrp_catalogue", f"SELECT {columns}", temporary=True)
    calls = (
        lambda: sqlrp.load(db.connection, "kept"),
        lambda: sqlrp.saved(db.connection),
        lambda: sqlrp.save(OTHER, db.connection, "more"),
        lambda: sqlrp.refresh(db.connection, "m"),
        lambda: sqlrp.check(db.connection, repair=True),
    )
    if name in FAMILY:
        for call in calls:
            with pytest.raises(SourceError, match="hides sqlrp_catalogue"):
                call()
        return
    assert [call() for call in calls] == [LINEAR, {"kept": LINEAR}, OTHER, 0, []]
    if kind == "TABLE":
        assert db.run_query("SELECT count(*) FROM sqlrp_catalogue") == [(1,)]


# -- search paths ----------------------------------------------------------------------------------------


def test_a_schema_that_comes_first_later_changes_neither_table_nor_source(tmp_path: Path) -> None:
    for db in opened("postgresql", tmp_path):
        first, later = db.schema, f"{db.schema}_later"
        db.run(f"CREATE SCHEMA {later}")
        source = loaded(db)
        sqlrp.materialize(LINEAR, source, db.connection, "m")
        table_of(db, f"{later}.m", "SELECT * FROM m WHERE id < 3")
        db.run(f"SET search_path TO {later}, {first}")
        with pytest.raises(
            SourceError, match=rf"was not made by sqlrp.materialize.*made were \['{first}.m'\]|made were \['m'\]"
        ):
            sqlrp.refresh(db.connection, "m", everything=True)
        assert len(rows(db, f"{later}.m")) == 3
        assert sqlrp.refresh(db.connection, f"{first}.m") == 0
        table_of(db, f"{later}.t", "SELECT * FROM t WHERE id < 3")
        with pytest.raises(
            SourceError, match=rf"the source \"?t\"? was t when the table was made, and is {later}.t now"
        ):
            sqlrp.refresh(db.connection, f"{first}.m", everything=True)
        holds(db, X, f"{first}.m")
        db.run(f"SET search_path TO {first}")
        assert sqlrp.refresh(db.connection, "m", everything=True) == len(X)
        db.run(f"DROP SCHEMA {later} CASCADE")


def test_a_used_schema_of_duckdb_has_its_own_table(tmp_path: Path) -> None:
    for db in opened("duckdb", tmp_path):
        source = loaded(db)
        sqlrp.materialize(LINEAR, source, db.connection, "m")
        db.run("CREATE SCHEMA later; USE later; CREATE TABLE m AS SELECT * FROM main.m WHERE id < 3")
        with pytest.raises(SourceError, match=r"was not made by sqlrp\.materialize"):
            sqlrp.refresh(db.connection, "m", everything=True)
        with pytest.raises(ParameterError, match="exists already"):
            sqlrp.materialize(LINEAR, source, db.connection, "m", replace=True)
        assert len(rows(db, "m")) == 3
        db.run("CREATE TABLE t AS SELECT * FROM main.t WHERE id < 3; USE main; SET search_path = 'later,main'")
        db.run("USE main")
        assert sqlrp.refresh(db.connection, "m", everything=True) == len(X)
