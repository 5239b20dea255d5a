"""Functions in PostgreSQL, from psql, for every role, with any names and search_path."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import sqlalchemy as sa
from databases import psql, server
from postgresql_functions import FILE, HOSTILE, METHODS, Database, equal, with_images
from taking_part import need

import sqlrp
from sqlrp._core.errors import ParameterError, StatementError, UnsupportedError

need("postgresql")


@pytest.fixture
def fresh() -> Iterator[Database]:
    with with_images() as db:
        yield db


def test_hostile_names(fresh: Database) -> None:
    name = '"' + HOSTILE.replace('"', '""') + '"'
    fresh.run(
        f'CREATE TABLE {name} AS SELECT id AS {name}, a AS "Select", b AS "x0", a * 2 AS "c0", '
        'label AS "z%1$s" FROM images'
    )
    fresh.run("CREATE TABLE sqlrp_rows AS SELECT id, id AS r, id + 1 AS f FROM images")
    sqlrp.install(fresh.connection)
    text = "'" + HOSTILE.replace("'", "''") + "'"
    source = "'" + name.replace("'", "''") + "'"
    for lowering in ("inline", "relational"):
        got = fresh.z(
            f"""rp_project({source}, k => 2, s => 1, key => {text}, keep => ARRAY['z%1$s'], lowering => '{lowering}')"""
        )
        projection = sqlrp.SparseProjection(k=2, s=1)
        table = sqlrp.Wide(name, key=HOSTILE, keep=["z%1$s"])
        equal(got, sqlrp.project(projection, table, fresh.connection, output="array"), HOSTILE)
        want = sqlrp.project(projection, "sqlrp_rows", fresh.connection, output="array")
        equal(fresh.z(f"rp_project('sqlrp_rows', k => 2, s => 1, lowering => '{lowering}')"), want, "id")
    long = f'CREATE TABLE long AS SELECT id AS {name}, label AS "f%", a AS "v\'" FROM images'
    fresh.run(long)
    got = fresh.z(f"rp_project('long', k => 2, s => 1, key => {text}, feature => 'f%', value => 'v''')")
    want = sqlrp.project(projection, sqlrp.Long("long", HOSTILE, "f%", "v'"), fresh.connection, output="array")
    equal(got, want, HOSTILE)
    fresh.run(f"CREATE SCHEMA {name}")
    try:
        sqlrp.install(fresh.connection, schema=HOSTILE)
        assert len(fresh.z(f"{name}.rp_project('images', k => 2)")) == 9
        sqlrp.uninstall(fresh.connection, schema=HOSTILE)
    finally:
        fresh.run(f"DROP SCHEMA {name} CASCADE")


ERRORS = [
    ("rp_project('images', k => 0)", "k = 0 must be a whole number >= 1", "22023"),
    ("rp_project('images', s => 0.5)", 's = 0.5 must be a number >= 1, or "sqrt"', "22023"),
    ("rp_project('images', s => 'many')", "s = 'many' must be a number >= 1, or \"sqrt\"", "22023"),
    ("rp_project('images', seed => -1)", "seed = -1 must be a whole number from 0 to 2^53 - 1: choose", "22023"),
    ("rp_project('images', nulls => 'no')", "nulls = 'no' must be one of propagate, zero, error", "22023"),
    ("rp_project('images', scale => NULL)", "scale = NULL must be true or false", "22023"),
    ("rp_project('images', key => 'ID')", "key 'ID' is not a column of \"images\": name the key column", "42703"),
    ("rp_project('images', keep => '{nope}')", "keep column 'nope' is not a column of \"images\"", "42703"),
    (
        "rp_project('images', features => '{a,label}')",
        "feature 'label' of \"images\" is text, not a number: cast it",
        "42804",
    ),
    ("rp_project('images', features => '{}')", "features = [] names no column: leave it out", "22023"),
    (
        "rp_project('images', array_column => 'a')",
        "column 'a' of \"images\" is integer, not an array of numbers",
        "42804",
    ),
    ("rp_project('images', features => '{id}')", "column 'id' cannot be both key and a feature: name it once", "22023"),
    ("rp_project('images', keep => '{a,a}')", "keep names the column 'a' twice: name it once", "22023"),
    ("rp_project('images', keep => '{id}')", "column 'id' cannot be both key and keep: name it once", "22023"),
    ("rp_project('images', features => '{a,a}')", "features names the column 'a' twice: name it once", "22023"),
    ("pk_project('images', p => 1)", "p = 1 must be at least degree * t = 8: raise p, or lower t or degree", "22023"),
    (
        "pk_project('images', c => -1)",
        "c = -1 must be a finite number >= 0: the kernel is (<x, y> + c)^degree",
        "22023",
    ),
    ("pk_project('images', c => 'NaN')", "must be a finite number >= 0", "22023"),
    (
        "d2pk_project('images', m => 3)",
        "m = 3 must be 1 or even, so that half of the signs are flipped: use 4",
        "22023",
    ),
    ("cw_project('images', k => 6)", "k = 6 must be a multiple of nnz_per_feature = 4, as its blocks are", "22023"),
    ("rs_project('images', k => 9)", "k = 9 must be at most the number of features = 2: lower k", "22023"),
    ("rs_project('images', densify => 'x')", "densify = 'x' must be 'householder'", "22023"),
    ("rp_project('long', feature => 'f', value => 'v')", 's = "sqrt" needs the number of features', "22023"),
    (
        "rp_project('long', s => 1, feature => 'v', value => 'v2', n_features => 2)",
        "sqlrp: a feature in 'v' is outside 0 ... 1: positions count from 0; raise n_features",
        "22000",
    ),
    (
        "rp_project('ragged', array_column => 'x')",
        "sqlrp: a list in 'x' has not the 2 elements of the others: pad it, or set it to NULL",
        "22000",
    ),
    ("rp_project('images', vectors => 'x')", "vectors = 'x' must be one of sign, gaussian", "22023"),
    ("d2pk_project('images', modified => NULL)", "modified = NULL must be true or false", "22023"),
    (
        "ep_project('ragged', array_column => 'x', n_features => 3, degree => 1000)",
        "3 features have 501,501 monomials of degree 1000, more than the 20,000 that are written out: use",
        "54000",
    ),
    ("ts_project('images', degree => 0)", "degree = 0 must be a whole number >= 1", "22023"),
    ("fht_project('long', feature => 'f', value => 'v')", "HadamardProjection needs the number of features", "22023"),
    ("fht_project('images', padding => 'x')", "padding = 'x' must be one of power_of_two, least", "22023"),
    ("fht_project('images', padding => NULL)", "padding = NULL must be one of power_of_two, least", "22023"),
    ("fht_project('images', replacement => NULL)", "replacement = NULL must be true or false", "22023"),
    (
        "cbp_project('images', keep => '{label}')",
        "BilinearPooling sums the rows of a group: name the group's column as group_by, keep no other",
        "22023",
    ),
    ("rp_project('nothing')", 'relation "nothing" does not exist', "42P01"),
]


def test_errors_have_the_words_of_python(fresh: Database) -> None:
    fresh.run("CREATE TABLE long AS SELECT id, label AS f, a AS v, b AS v2 FROM images")
    fresh.run("CREATE TABLE ragged AS SELECT 1 AS id, ARRAY[1, 2] AS x UNION ALL SELECT 2, ARRAY[1, 2, 3]")
    sqlrp.install(fresh.connection)
    for call, words, code in ERRORS:
        said = fresh.refused(call)
        assert words in said.message_primary, call
        assert said.sqlstate == code, call
        assert "\n" not in said.message_primary


def test_install_and_uninstall_are_repeatable(fresh: Database) -> None:
    for _ in range(2):
        sqlrp.install(fresh.connection)
        assert len(fresh.z("pk_project('images', k => 2)")) == 9
    listed = fresh.run("SELECT name, version FROM sqlrp_catalogue WHERE kind = 'function'")
    there = {
        name
        for (name,) in fresh.run(
            f"SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = '{fresh.schema}'::regnamespace"
        )
    }
    assert {name for name, _ in listed} == {name for name in there if not name.startswith("sqlrp_")}
    assert {version for _, version in listed} == {sqlrp.__version__}
    fresh.run("CREATE FUNCTION sqlrp_of_the_user() RETURNS integer LANGUAGE sql AS 'SELECT 1'")
    for _ in range(2):
        sqlrp.uninstall(fresh.connection)
    fresh.run("DROP FUNCTION sqlrp_of_the_user()")
    assert fresh.run(f"SELECT proname FROM pg_proc WHERE pronamespace = '{fresh.schema}'::regnamespace") == []
    assert fresh.run(f"SELECT relname FROM pg_class WHERE relnamespace = '{fresh.schema}'::regnamespace") == [
        ("images",)
    ]
    assert fresh.run("SHOW search_path") == [(fresh.schema,)]


def test_saved_projections_outlive_uninstall(fresh: Database) -> None:
    projection = sqlrp.SparseProjection(k=3)
    sqlrp.save(projection, fresh.connection, "mine")
    sqlrp.install(fresh.connection)
    sqlrp.uninstall(fresh.connection)
    assert sqlrp.saved(fresh.connection) == {"mine": projection}


def test_an_installation_is_part_of_the_transaction(fresh: Database) -> None:
    engine = sa.create_engine(server("postgresql"))
    with engine.connect() as connection:
        sqlrp.install(connection, fresh.schema)
        connection.rollback()
    assert fresh.run(f"SELECT 1 FROM pg_proc WHERE pronamespace = '{fresh.schema}'::regnamespace") == []
    sqlrp.install(engine, fresh.schema)
    assert len(fresh.z("rp_project('images', k => 2)")) == 9
    sqlrp.uninstall(engine, fresh.schema)
    assert fresh.run(f"SELECT 1 FROM pg_proc WHERE pronamespace = '{fresh.schema}'::regnamespace") == []
    engine.dispose()


@contextmanager
def role(db: Database) -> Iterator[str]:
    name = f"sqlrp_role_{uuid.uuid4().hex[:12]}"
    db.run(f"CREATE ROLE {name}")
    try:
        yield name
    finally:
        db.run(f"RESET ROLE; DROP OWNED BY {name} CASCADE; DROP ROLE {name}")


def test_a_role_with_nothing_but_its_schema(fresh: Database) -> None:
    with role(fresh) as name:
        own = f"{fresh.schema}_own"
        fresh.run(f"CREATE SCHEMA {own} AUTHORIZATION {name}")
        fresh.run(f"SET ROLE {name}")
        sqlrp.install(fresh.connection, schema=own)
        fresh.run(f"CREATE TABLE {own}.t AS SELECT 1 AS id, 2 AS a, 3 AS b")
        for call, _ in METHODS.values():
            assert len(fresh.z(f"{own}.{call}".format(f"'{own}.t'"))) == 1
        assert "permission denied" in fresh.refused(f"{own}.rp_project('{fresh.schema}.images')").message_primary
        sqlrp.uninstall(fresh.connection, schema=own)
        fresh.run("RESET ROLE")


def test_a_role_that_only_reads(fresh: Database) -> None:
    sqlrp.install(fresh.connection)
    with role(fresh) as name:
        fresh.run(f"GRANT USAGE ON SCHEMA {fresh.schema} TO {name}; GRANT SELECT ON images TO {name}")
        fresh.run(f"SET ROLE {name}; SET default_transaction_read_only = on")
        try:
            for call, _ in METHODS.values():
                assert len(fresh.z(call.format("'images'"))) == 9
            with pytest.raises(StatementError):
                sqlrp.install(fresh.connection)
        finally:
            fresh.run("RESET default_transaction_read_only; RESET ROLE")
        assert fresh.run("SHOW search_path") == [(fresh.schema,)]


def test_a_hostile_search_path(fresh: Database) -> None:
    sqlrp.install(fresh.connection)
    calls = [call.format("'images'") for call, _ in METHODS.values()]
    want = [fresh.z(call) for call in calls]
    trap = f"{fresh.schema}_trap"
    fresh.run(f"CREATE SCHEMA {trap}")
    for name, arguments in (
        ("sqlrp_whole", "text, bigint, bigint"),
        ("sqrt", "double precision"),
        ("format", "text, text"),
    ):
        fresh.run(
            f"CREATE FUNCTION {trap}.{name}({arguments}) RETURNS bigint LANGUAGE plpgsql AS "
            "$$BEGIN RAISE EXCEPTION 'trapped'; END$$"
        )
    fresh.run(f"CREATE FUNCTION {trap}.plus(bigint, bigint) RETURNS bigint LANGUAGE sql AS 'SELECT CAST(0 AS bigint)'")
    fresh.run(f"CREATE OPERATOR {trap}.+ (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = {trap}.plus)")
    fresh.run(f"CREATE TABLE {trap}.pg_attribute (attname text)")
    fresh.run("CREATE TEMP TABLE pg_class (relname text); CREATE TEMP TABLE sqlrp_rows (x text)")
    try:
        fresh.run(f"SET search_path = {trap}, pg_temp, pg_catalog, {fresh.schema}")
        for call, expected in zip(calls, want, strict=True):
            got = fresh.z(f"{fresh.schema}.{call}")
            assert {key: z.tolist() for key, z in got.items()} == {key: z.tolist() for key, z in expected.items()}
        fresh.run("CREATE TEMP TABLE images AS SELECT 1 AS id, 2 AS a")
        assert len(fresh.z(f"{fresh.schema}.rp_project('images', k => 2)")) == 1, "the caller's path finds the source"
    finally:
        fresh.run(f"DROP SCHEMA {trap} CASCADE")
        fresh.run(f"DISCARD TEMP; SET search_path = {fresh.schema}")


def test_a_saved_projection_is_applied_by_name(fresh: Database) -> None:
    sqlrp.install(fresh.connection)
    fresh.run("CREATE TABLE others AS SELECT id + 100 AS id, b, label, a FROM images")
    source = sqlrp.Wide("images", features=["b", "a"], keep=["label"])
    fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=2), source, fresh.connection)
    for projection in (sqlrp.SparseProjection(k=3), fitted):
        sqlrp.save(projection, fresh.connection, "it's mine", source=source, replace=True)
        for table in ("images", "others"):
            got = fresh.z(f"project_with('it''s mine', '{table}')")
            named = sqlrp.Wide(table, features=["b", "a"])
            equal(got, sqlrp.project(projection, named, fresh.connection, output="array"), "id")
    assert fresh.run("SELECT kept FROM project_with('it''s mine', 'images') WHERE key = '3'") == [({"label": "l3"},)]
    (text,) = fresh.run("SELECT project_with_sql('it''s mine', 'others')")[0]
    assert len(fresh.run(text)) == 9
    sqlrp.save(sqlrp.SparseProjection(k=3), fresh.connection, "it's mine", replace=True)
    said = fresh.refused("project_with('it''s mine', 'images')")
    assert "no projection 'it''s mine' is saved here with a source: SELECT rp_save(" in said.message_primary
    assert list(sqlrp.saved(fresh.connection)) == ["it's mine"]


def test_an_engine_saves_for_good(fresh: Database) -> None:
    engine = sa.create_engine(server("postgresql"), connect_args={"options": f"-c search_path={fresh.schema}"})
    sqlrp.save(sqlrp.SparseProjection(k=3), engine, "kept")
    assert list(sqlrp.saved(fresh.connection)) == ["kept"]
    engine.dispose()


def test_in_views_and_tables(fresh: Database) -> None:
    sqlrp.install(fresh.connection)
    fresh.run("CREATE VIEW v AS SELECT * FROM rp_project('images', k => 2, keep => '{label}')")
    fresh.run("INSERT INTO images VALUES (10, 1, 1, 'new')")
    fresh.run("CREATE TABLE t AS SELECT * FROM v")
    assert fresh.run("SELECT count(*), count(z) FROM t") == [(10, 10)]
    sqlrp.install(fresh.connection)
    with pytest.raises(StatementError, match="depend"):
        sqlrp.uninstall(fresh.connection)


def test_psql_without_python(fresh: Database) -> None:
    url = server("postgresql")
    script = f"""
\\set ON_ERROR_STOP 1
SET search_path = {fresh.schema};
\\i {FILE}
\\i {FILE}
SELECT count(*) FROM pk_project('images', k => 256, degree => 2, seed => 7);
SELECT * FROM rp_project('images', k => 3, s => 3, seed => 7, key => 'id', keep => ARRAY['label'])
ORDER BY CAST(key AS int) LIMIT 1;
SELECT 'CREATE TABLE typed AS ' || rp_project_sql('images', k => 2, output => 'columns') \\gexec
SELECT count(z1), pg_typeof(min(id)) FROM typed;
"""
    command = [
        psql(),
        "-X",
        "-q",
        "-A",
        "-t",
        "-h",
        str(url.host or url.query.get("host", "127.0.0.1")),
        "-p",
        str(url.port or 5432),
        "-U",
        str(url.username),
    ]
    done = subprocess.run([*command, str(url.database)], input=script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, row, typed = done.stdout.strip().splitlines()
    assert first == "9"
    want = sqlrp.project(sqlrp.SparseProjection(k=3, s=3, seed=7), "images", fresh.connection, output="array")
    key, kept, z = row.split("|")
    assert (key, kept) == ("1", '{"label": "l1"}')
    np.testing.assert_allclose([float(v) for v in z[1:-1].split(",")], want.column("z").to_pylist()[0], rtol=1e-9)
    assert typed == "9|integer"


def test_other_engines_are_refused() -> None:
    engine = sa.create_engine("sqlite://")
    for call in (sqlrp.install, sqlrp.uninstall):
        with pytest.raises(UnsupportedError, match=r"sqlite has no functions of sqlrp: run sqlrp.project.*sqlrp.sql"):
            call(engine)
        with pytest.raises(ParameterError):
            call(None)


def test_a_schema_that_is_not_there(fresh: Database) -> None:
    with pytest.raises(sqlrp.SourceError, match="schema 'nope' is not there: CREATE SCHEMA"):
        sqlrp.install(fresh.connection, "nope")
    with pytest.raises(ParameterError, match="schema = ''"):
        sqlrp.install(fresh.connection, "")
