"""What sqlrp made names its tables in full: a schema or a file with another name is told, and never mistaken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from postgresql_functions import Database, opened
from taking_part import need

import sqlrp
from sqlrp._store import stored

BITS = sqlrp.SparseProjection(k=64, s=1)
DOCS = "SELECT id + {first} AS id, id * 1.0 AS a, 0.0 AS b FROM range(5) t(id)"
CALL = "SELECT id FROM {name}([1.0, 0.0]::DOUBLE[], n := 2)"


def ids(con: duckdb.DuckDBPyConnection, name: str) -> list[Any]:
    return [key for (key,) in con.execute(CALL.format(name=name)).fetchall()]


def searched(con: duckdb.DuckDBPyConnection, first: int = 0) -> None:
    """A table with a search in the current database."""
    con.execute(f"CREATE TABLE docs AS {DOCS.format(first=first)}")
    sqlrp.materialize(BITS, "docs", con, into="m", output="bits", search="docs_search")


def test_a_search_of_an_attached_database_reads_its_own_tables() -> None:
    with duckdb.connect() as con:
        con.execute("ATTACH ':memory:' AS prod; USE prod")
        searched(con)
        con.execute("USE memory")
        assert ids(con, "prod.docs_search") == [1, 0]
        searched(con, 1000)
        assert ids(con, "prod.docs_search") == [1, 0]
        assert ids(con, "docs_search") == [1001, 1000]
        con.execute(f"CREATE TEMP TABLE docs AS {DOCS.format(first=2000)}; CREATE TEMP TABLE m AS FROM memory.main.m")
        assert ids(con, "prod.docs_search") == [1, 0]
        assert ids(con, "docs_search") == [1001, 1000]
        con.execute("USE prod")
        assert ids(con, "memory.docs_search") == [1001, 1000]


def test_tables_and_databases_may_be_called_as_the_arguments_are() -> None:
    with duckdb.connect() as con:
        con.execute(
            """ATTACH ':memory:' AS query; USE query; CREATE SCHEMA "n""candidates"; USE query."n""candidates" """
        )
        con.execute(f"CREATE TABLE candidates AS {DOCS.format(first=0)}")
        for output in ("bits", "columns", "array"):
            sqlrp.materialize(BITS, "candidates", con, into="n", output=output, search="docs_search", replace=True)  # type: ignore[arg-type]
            assert ids(con, "docs_search") == [1, 0]
        con.execute("CREATE TABLE t AS SELECT id, a AS query, b AS n FROM candidates")
        sqlrp.materialize(BITS, "t", con, into="m", output="bits")
        with pytest.raises(sqlrp.UnsupportedError, match="a column of its query is called query, n or candidates"):
            sqlrp.create_search(con, "m", "m_search")


@pytest.mark.parametrize("taken", [False, True])
def test_a_file_by_another_name_is_told(tmp_path: Path, taken: bool) -> None:
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{tmp_path / 'a.db'}' AS prod; USE prod")
        searched(con)
        assert sqlrp.check(con) == []
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{tmp_path / 'a.db'}' AS \"the old one\"")
        if taken:
            con.execute("ATTACH ':memory:' AS prod; USE prod")
            searched(con, 1000)
        con.execute('USE "the old one"')
        if not taken:
            with pytest.raises(duckdb.Error, match="prod"):
                ids(con, "docs_search")
        (finding,) = sqlrp.check(con)
        assert str(finding) == (
            'search \'docs_search\': it names its tables in "prod"."main", and they are in "the old one"."main": '
            "sqlrp.create_search with replace=True makes it again, as repair does"
        )
        sqlrp.check(con, repair=True)
        assert sqlrp.check(con) == []
        assert ids(con, "docs_search") == [1, 0]
        sqlrp.create_search(con, "m", "docs_search", replace=True)
        assert ids(con, "docs_search") == [1, 0]
    with duckdb.connect() as con:  # a name that differs in the case of its letters is the same
        con.execute(f'ATTACH \'{tmp_path / "a.db"}\' AS "The Old One"; USE "The Old One"')
        assert sqlrp.check(con) == []
        assert ids(con, "docs_search") == [1, 0]


def test_a_record_without_its_schema_is_told() -> None:
    with duckdb.connect() as con:
        searched(con)
        (text,) = con.execute("SELECT definition FROM sqlrp_catalogue WHERE kind = 'search'").fetchall()[0]
        plain, _ = stored.unsealed(text)
        del plain["at"]
        con.execute("UPDATE sqlrp_catalogue SET definition = ? WHERE kind = 'search'", [stored.sealed(plain)])
        (finding,) = sqlrp.check(con, repair=True)
        assert "as an earlier release wrote it" in finding.wrong
        assert sqlrp.check(con) == []
        (text,) = con.execute("SELECT definition FROM sqlrp_catalogue WHERE kind = 'search'").fetchall()[0]
        assert json.loads(text)["at"] == '"memory"."main"'


def test_a_search_whose_table_cannot_be_searched_any_more_is_forgotten(tmp_path: Path) -> None:
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{tmp_path / 'a.db'}' AS prod; USE prod")
        searched(con)
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{tmp_path / 'a.db'}' AS other; USE other; DROP TABLE docs")
        assert {finding.kind for finding in sqlrp.check(con, repair=True)} == {"search", "table"}
        assert {finding.kind for finding in sqlrp.check(con)} == {"table"}
        assert con.execute("FROM duckdb_functions() WHERE NOT internal").fetchall() == []


@pytest.fixture
def db() -> Iterator[Database]:
    need("postgresql")
    with opened() as found:
        found.run("CREATE TABLE docs AS SELECT id, id * 1.0 AS a, 0.0 AS b FROM generate_series(0, 4) t(id)")
        yield found


def renamed(db: Database) -> None:
    new = f"{db.schema} 'it\"s"
    db.run('ALTER SCHEMA {} RENAME TO "{}"'.format(db.schema, new.replace('"', '""')))
    db.run('SET search_path = "{}"'.format(new.replace('"', '""')))


def back(db: Database) -> None:
    (new,) = db.run("SELECT current_schema()")[0]
    db.run('ALTER SCHEMA "{}" RENAME TO {}'.format(new.replace('"', '""'), db.schema))


def test_a_schema_that_was_renamed_is_told(db: Database) -> None:
    sqlrp.install(db.connection)
    sqlrp.materialize(BITS, "docs", db.connection, into="m", output="bits", search="docs_search")
    call = "SELECT id FROM docs_search(ARRAY[1.0, 0.0]::double precision[], n => 2)"
    assert db.run(call) == [(1,), (0,)]
    assert sqlrp.check(db.connection) == []
    renamed(db)
    try:
        findings = sqlrp.check(db.connection)
        assert [(finding.kind, finding.name) for finding in findings] == [
            ("search", "docs_search"),
            ("function", "sqlrp_schema"),
        ]
        assert all(finding.mended for finding in sqlrp.check(db.connection, repair=True))
        assert sqlrp.check(db.connection) == []
        assert db.run(call) == [(1,), (0,)]
        assert len(db.z("rp_project('docs', k => 2)")) == 5
        assert db.run("SELECT array_length(rp_vector(ARRAY[1.0, 2.0]::double precision[], k => 3), 1)") == [(3,)]
    finally:
        back(db)


def test_repair_installs_in_the_schema_of_the_catalogue(db: Database) -> None:
    sqlrp.install(db.connection)
    other = f"{db.schema}_first"
    db.run("DROP FUNCTION rp_vector(double precision[],text,bigint,bigint,text,bigint,boolean)")
    db.run("DROP FUNCTION rp_vector(double precision[],bigint,double precision,bigint,text,bigint,boolean)")
    db.run(f"CREATE SCHEMA {other}; SET search_path = {other}, {db.schema}")
    try:
        (finding,) = sqlrp.check(db.connection, repair=True)
        assert (finding.name, finding.mended) == ("rp_vector", True)
        assert sqlrp.check(db.connection) == []
        assert db.run(f"SELECT 1 FROM pg_proc WHERE pronamespace = '{other}'::regnamespace") == []
    finally:
        db.run(f"DROP SCHEMA {other} CASCADE; SET search_path = {db.schema}")


def test_a_search_is_made_where_the_catalogue_is(db: Database) -> None:
    """`check` found none where another schema comes first on the search path."""
    sqlrp.materialize(BITS, "docs", db.connection, into="m", output="bits")
    other = f"{db.schema}_first"
    db.run(f"CREATE SCHEMA {other}; SET search_path = {other}, {db.schema}")
    try:
        sqlrp.create_search(db.connection, "m", "docs_search")
        assert sqlrp.check(db.connection) == []
        assert db.run("SELECT id FROM docs_search(ARRAY[1.0, 0.0]::double precision[], n => 2)") == [(1,), (0,)]
        sqlrp.materialize(BITS, f"{db.schema}.docs", db.connection, into=f"{db.schema}.m", output="bits", replace=True)
        assert sqlrp.check(db.connection, repair=True) == []
        sqlrp.drop_search(db.connection, "docs_search")
        assert db.run("SELECT 1 FROM pg_proc WHERE proname = 'docs_search'") == []
    finally:
        db.run(f"DROP SCHEMA {other} CASCADE; SET search_path = {db.schema}")


def test_a_table_of_another_database_is_not_said_to_be_no_table_of_sqlrp_alone(own: Any) -> None:
    own.execute('ATTACH \':memory:\' AS "ke""pt"')
    own.execute('CREATE TABLE "ke""pt".t AS SELECT i AS id, sin(i) AS a, cos(i) AS b, i * 1.0 AS d FROM range(9) r(i)')
    own.execute('USE "ke""pt"')
    sqlrp.materialize(sqlrp.SparseProjection(k=2, s=1), "t", own, "rp")
    own.execute("USE memory")
    for call in (
        lambda: sqlrp.search(own, '"ke""pt".rp', [0.0, 0.0, 0.0], n=1),
        lambda: sqlrp.refresh(own, '"ke""pt".rp'),
    ):
        with pytest.raises(sqlrp.SourceError) as caught:
            call()
        assert (
            'the records of the current database memory do not name it; if it is of ke"pt, USE "ke""pt" first'
            in str(caught.value)
        )


def test_a_table_into_another_database_is_refused_with_the_remedy_and_leaves_nothing(own: Any) -> None:
    own.execute("ATTACH ':memory:' AS other")
    own.execute("CREATE TABLE other.t AS SELECT i AS id, sin(i) AS a, cos(i) AS b, i * 1.0 AS d FROM range(9) r(i)")
    with pytest.raises(sqlrp.StatementError, match="USE that database first"):
        sqlrp.materialize(sqlrp.SparseProjection(k=2, s=1), "other.t", own, "other.rp")
    tables = {name for (name,) in own.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    assert tables == {"t"}
    assert sqlrp.check(own) == []
