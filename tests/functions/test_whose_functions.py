"""`install` and `uninstall` touch the functions that sqlrp made, and no others of their names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from postgresql_functions import Database, with_images
from taking_part import need

import sqlrp
from sqlrp._core.errors import ParameterError, StatementError
from sqlrp._core.shipped_files import text_of
from sqlrp._store.installed import macros

MACROS = macros(text_of("duckdb.sql"))
SCALARS = ("rp_vector", "RP_Vector", "rp_project_sql", "project_with_sql", "sqlrp_join", "sqlrp_said")
TABLES = ("rp_project", "RP_PROJECT", "project_with")


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT id, id * 1.0 AS a, id * 2.0 AS b FROM range(9) r(id)")
        yield connection


def made(con: duckdb.DuckDBPyConnection, schema: str = "main") -> int:
    return len(con.execute("FROM duckdb_functions() WHERE NOT internal AND schema_name = ?", [schema]).fetchall())


@pytest.mark.parametrize("name", [*SCALARS, *TABLES])
def test_install_never_replaces_a_macro_of_the_user_s(con: duckdb.DuckDBPyConnection, name: str) -> None:
    con.execute(f"CREATE MACRO {name}(x) AS {'TABLE SELECT' if name in TABLES else ''} 'mine'")
    call = f"FROM {name}(1)" if name in TABLES else f"SELECT {name}(1)"
    with pytest.raises(ParameterError, match=f"a macro {name} exists already in schema .*main.*: it is never"):
        sqlrp.install(con)
    assert con.execute(call).fetchall() == [("mine",)]
    assert made(con) == 1
    assert con.execute("SELECT count(*) FROM duckdb_tables()").fetchall() == [(1,)]
    sqlrp.uninstall(con)
    assert con.execute(call).fetchall() == [("mine",)]


@pytest.mark.parametrize("name", ["rp_vector", "sqlrp_join"])
def test_a_macro_that_the_user_put_in_the_place_of_ours_stays(con: duckdb.DuckDBPyConnection, name: str) -> None:
    sqlrp.install(con)
    con.execute(f"CREATE OR REPLACE MACRO {name}(x) AS 'mine'")
    with pytest.raises(ParameterError, match=f"a macro {name} exists already"):
        sqlrp.install(con)
    found = [str(finding) for finding in sqlrp.check(con)]
    remedy = "rename it or drop it in SQL, then install again"
    assert found == [f"function '{name}': it is not the function that sqlrp.install made under this name: {remedy}"]
    sqlrp.uninstall(con)
    assert con.execute(f"SELECT {name}(1)").fetchall() == [("mine",)]
    assert made(con) == 1
    con.execute(f"DROP MACRO {name}")
    sqlrp.install(con)
    assert sqlrp.check(con) == []


def test_a_macro_of_the_other_kind_is_not_in_the_way(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE MACRO rp_project(x) AS 'mine'; CREATE MACRO rp_vector(x) AS TABLE SELECT 'mine' AS mine")
    sqlrp.install(con)
    assert con.execute("SELECT rp_project(1), (SELECT mine FROM rp_vector(1))").fetchall() == [("mine", "mine")]
    assert len(con.execute("FROM rp_project('t', k := 2)").fetchall()) == 9
    sqlrp.uninstall(con)
    assert con.execute("SELECT rp_project(1), (SELECT mine FROM rp_vector(1))").fetchall() == [("mine", "mine")]
    assert made(con) == 2


def test_uninstall_takes_those_of_the_current_schema_alone(con: duckdb.DuckDBPyConnection) -> None:
    sqlrp.install(con)
    con.execute("CREATE VIEW v AS FROM rp_project('memory.main.t', k := 2)")
    con.execute("""CREATE SCHEMA "s.'"; USE "s.'" """)
    sqlrp.uninstall(con)
    sqlrp.install(con)
    assert made(con, "s.'") == made(con) == len(MACROS)
    sqlrp.uninstall(con)
    assert (made(con, "s.'"), made(con)) == (0, len(MACROS))
    con.execute("ATTACH ':memory:' AS other; USE other")
    sqlrp.uninstall(con)
    con.execute("USE memory")
    assert len(con.execute("FROM v").fetchall()) == 9
    assert sqlrp.check(con) == []


def test_macros_without_marks_are_known_by_their_text(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    """A shell that read the file, and a database that was exported, as comments are lost then."""
    con.execute(text_of("duckdb.sql"))
    con.execute(f"EXPORT DATABASE '{tmp_path}'")
    sqlrp.install(con)
    with duckdb.connect() as other:
        other.execute(f"IMPORT DATABASE '{tmp_path}'")
        assert other.execute("SELECT count(comment) FROM duckdb_functions() WHERE NOT internal").fetchall() == [(0,)]
        sqlrp.install(other)
        assert sqlrp.check(other) == []
        sqlrp.uninstall(other)
        assert made(other) == 0


def test_every_macro_is_marked(con: duckdb.DuckDBPyConnection) -> None:
    sqlrp.install(con)
    query = (
        "SELECT count(*), count(*) FILTER (starts_with(comment, 'sqlrp ')) FROM duckdb_functions() WHERE NOT internal"
    )
    assert con.execute(query).fetchall() == [(len(MACROS), len(MACROS))]


@pytest.fixture
def db() -> Iterator[Database]:
    need("postgresql")
    with with_images() as found:
        yield found


def functions(db: Database) -> list[str]:
    query = (
        f"SELECT CAST(CAST(oid AS regprocedure) AS text) FROM pg_proc WHERE pronamespace = '{db.schema}'::regnamespace"
    )
    return sorted(name for (name,) in db.run(query))


def created(signature: str) -> str:
    return f"CREATE FUNCTION {signature} RETURNS text LANGUAGE sql AS $$SELECT 'mine'$$"


@pytest.mark.parametrize(
    "signature",
    [
        "rp_vector(integer)",
        "rp_project(regclass)",
        "project_with(text,regclass)",
        "sqlrp_schema()",
        "sqlrp_whole(integer)",
    ],
)
def test_postgresql_never_replaces_a_function_of_the_user_s(db: Database, signature: str) -> None:
    db.run(created(signature))
    with pytest.raises(StatementError, match=r"the function .* exists already, and sqlrp.install did not make it"):
        sqlrp.install(db.connection)
    assert functions(db) == [signature]
    sqlrp.uninstall(db.connection)
    assert functions(db) == [signature]


@pytest.mark.parametrize("arguments", ["double precision[]", "double precision[], integer DEFAULT 0", "text"])
def test_postgresql_has_none_of_ours_beside_a_function_of_the_user_s(db: Database, arguments: str) -> None:
    """A call that leaves arguments out could mean either: PostgreSQL would refuse it, or take ours."""
    db.run(created(f"mine({arguments})"))
    call = "SELECT mine('x')" if arguments == "text" else "SELECT mine(ARRAY[1.0]::double precision[])"
    projection = sqlrp.SparseProjection(k=64, s=1, seed=1)
    sqlrp.materialize(projection, "images", db.connection, "codes", output="bits")
    for make in (
        lambda: sqlrp.create_search(db.connection, "codes", "mine"),
        lambda: sqlrp.materialize(projection, "images", db.connection, "other", output="bits", search="mine"),
        lambda: sqlrp.create_function(projection, db.connection, "mine", n_features=4),
    ):
        with pytest.raises(ParameterError, match=r"a function mine exists already, .* it is never replaced"):
            make()
        assert db.run(call) == [("mine",)]


def test_postgresql_finds_a_function_of_ours_along_the_search_path(db: Database) -> None:
    """As a call does: it is made again and dropped where it is, and none is made before it."""
    first, second = (sqlrp.SparseProjection(k=2, s=1, seed=seed) for seed in (1, 2))
    (own,) = db.run("SELECT current_schema()")[0]
    other = f"{own}_other"
    db.run(f'CREATE SCHEMA "{other}"')
    try:
        sqlrp.create_function(first, db.connection, "ours", n_features=2)
        db.run(f'SET search_path TO "{other}", "{own}"')
        assert sqlrp.check(db.connection) == []
        with pytest.raises(ParameterError, match="exists already with another projection"):
            sqlrp.create_function(second, db.connection, "ours", n_features=2)
        sqlrp.create_function(second, db.connection, "ours", n_features=2, replace=True)
        (drawn,) = db.run("SELECT ours(ARRAY[1.0, 2.0]::double precision[])")[0]
        assert drawn == pytest.approx(sqlrp.project_vector(second, [1.0, 2.0]))
        places = "SELECT pronamespace::regnamespace::text FROM pg_proc WHERE proname = 'ours'"
        assert db.run(places) == [(own,)]
        sqlrp.drop_function(db.connection, "ours")
        assert db.run(places) == []
    finally:
        db.run(f'SET search_path TO "{own}"')
        db.run(f'DROP SCHEMA "{other}" CASCADE')


def test_postgresql_keeps_a_function_that_the_user_put_in_the_place_of_ours(db: Database) -> None:
    sqlrp.install(db.connection)
    signature = "rp_vector(double precision[],text,bigint,bigint,text,bigint,boolean)"
    assert signature in functions(db)
    arguments = db.run(f"SELECT pg_get_function_arguments('{signature}'::regprocedure)")[0][0]
    db.run(
        f"CREATE OR REPLACE FUNCTION rp_vector({arguments}) RETURNS double precision[] LANGUAGE sql AS "
        "'SELECT CAST(NULL AS double precision[])'"
    )
    with pytest.raises(StatementError, match=r"exists already, and sqlrp.install did not make it"):
        sqlrp.install(db.connection)
    (finding,) = sqlrp.check(db.connection, repair=True)
    assert (finding.name, finding.mended) == ("rp_vector", False)
    sqlrp.uninstall(db.connection)
    assert functions(db) == [signature]


def test_postgresql_keeps_a_type_of_the_user_s(db: Database) -> None:
    db.run("CREATE TYPE sqlrp_projected AS (mine text)")
    with pytest.raises(StatementError, match=r"the type .*sqlrp_projected exists already"):
        sqlrp.install(db.connection)
    sqlrp.uninstall(db.connection)
    assert db.run("SELECT CAST(ROW('x') AS sqlrp_projected)::text") == [("(x)",)]


def test_postgresql_has_a_mark_on_every_function(db: Database) -> None:
    sqlrp.install(db.connection)
    sqlrp.install(db.connection)
    assert sqlrp.check(db.connection) == []
    sqlrp.uninstall(db.connection)
    assert functions(db) == []


def test_a_temporary_table_is_not_taken_for_the_catalogue(db: Database) -> None:
    db.run(
        "CREATE TEMPORARY TABLE sqlrp_catalogue AS SELECT 'mine' AS kind; CREATE TEMPORARY TABLE pg_proc (mine text)"
    )
    sqlrp.install(db.connection)
    assert db.run("SELECT * FROM pg_temp.sqlrp_catalogue") == [("mine",)]
    assert db.run(f"SELECT count(*) > 9 FROM {db.schema}.sqlrp_catalogue WHERE kind = 'function'") == [(True,)]
    assert len(db.z("rp_project('images', k => 2)")) == 9
    sqlrp.uninstall(db.connection)
    assert db.run("SELECT * FROM pg_temp.sqlrp_catalogue") == [("mine",)]
    db.run("DISCARD TEMPORARY")
