"""Functions in PostgreSQL: the numbers of Python, from psql, for every role, whatever the names and the search_path."""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

import sqlrp
from sqlrp.errors import ParameterError, StatementError, UnsupportedError
from sqlrp.signs import draw_index_table, draw_signs

SERVER = os.environ.get("SQLRP_POSTGRESQL", "postgresql+psycopg://postgres@127.0.0.1:5432/postgres")
FILE = Path(__file__).parent.parent / "sql" / "postgresql.sql"
HOSTILE = "a\"b; drop table images -- '%s %I $f$ \\ Zürich ☃"


class Database:
    """A connection whose search_path is a schema of its own."""

    def __init__(self, connection: sa.Connection, schema: str) -> None:
        self.connection, self.schema = connection, schema

    def run(self, sql: str) -> list[Any]:
        result = self.connection.exec_driver_sql(sql, execution_options={"no_parameters": True})
        return [tuple(row) for row in result] if result.returns_rows else []

    def z(self, call: str) -> dict[str | None, Any]:
        return {key: None if z is None else np.array(z) for key, z in self.run(f"SELECT key, z FROM {call}")}

    def refused(self, call: str) -> Any:
        with pytest.raises(sa.exc.SQLAlchemyError) as caught:
            self.run(f"SELECT * FROM {call}")
        return caught.value.orig.diag  # type: ignore[attr-defined]


@contextmanager
def opened() -> Iterator[Database]:
    engine = sa.create_engine(SERVER, isolation_level="AUTOCOMMIT")
    try:
        connection = engine.connect()
    except sa.exc.SQLAlchemyError as error:
        if os.environ.get("SQLRP_REQUIRE_ENGINES") == "1":
            raise
        pytest.skip(f"postgresql does not answer: {str(error).splitlines()[0]}")
    schema = f"sqlrp_test_{uuid.uuid4().hex[:12]}"
    with connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
        try:
            connection.exec_driver_sql(f"SET search_path TO {schema}")
            yield Database(connection, schema)
        finally:
            connection.exec_driver_sql("RESET ROLE")
            connection.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")
    engine.dispose()


@pytest.fixture(scope="module")
def shared() -> Iterator[Database]:
    with opened() as db:
        db.run(
            "CREATE TABLE images AS SELECT id, 'label' || id AS label, CASE WHEN id % 9 <> 4 THEN id % 7 END AS p0, "
            "CAST(id AS float8) / 8 - 2 AS p1, CAST(id % 5 AS float4) AS p2, id % 2 = 0 AS p3, "
            "CAST(id * 0.37 AS numeric(12, 3)) AS p4, CAST(-id AS smallint) AS p5 FROM generate_series(1, 30) id"
        )
        db.run("CREATE TABLE whole AS SELECT id, id % 7 AS p0, CAST(id * 9 AS bigint) AS p1, -id AS p2 FROM images")
        db.run("CREATE TABLE money AS SELECT id, p4, CAST(p5 AS numeric(30, 8)) AS p5 FROM images")
        for kind in ("float4", "float8", "integer", "numeric(9,2)"):
            table = "arrays_" + kind[:6]
            db.run(
                f"CREATE TABLE {table} AS SELECT id, "
                f"CAST(CASE WHEN id <> 5 THEN ARRAY[p0, p1, p2, p4, p5] END AS {kind}[]) "
                "AS x FROM images"
            )
        db.run("CREATE TABLE words AS SELECT id % 8 AS doc, 'wört' || id AS word, id - 9 AS n FROM images")
        db.run("INSERT INTO words VALUES (NULL, 'x', 2), (3, 'y', NULL)")
        db.run("CREATE TABLE places AS SELECT id % 8 AS doc, id AS place, p1 AS n FROM images")
        db.run("CREATE TABLE pooled AS SELECT nullif(id % 5, 4) AS g, p1, p0, ARRAY[p1, p0] AS x FROM images WHERE id < 20")
        sqlrp.install(db.connection)
        yield db


@pytest.fixture
def fresh() -> Iterator[Database]:
    with opened() as db:
        db.run(
            "CREATE TABLE images AS SELECT id, id % 7 AS a, id * 0.5e0 AS b, 'l' || id AS label "
            "FROM generate_series(1, 9) id"
        )
        yield db


SOURCES = {
    "wide": ("'images'", sqlrp.Wide("images")),
    "chosen": (
        "'images', keep => '{p4,label}', features => '{p2,p0,p1}'",
        sqlrp.Wide("images", features=["p2", "p0", "p1"]),
    ),
    "whole": ("'whole'", sqlrp.Wide("whole")),
    "money": ("'money'", sqlrp.Wide("money")),
    "float4": ("'arrays_float4', array_column => 'x'", sqlrp.Array("arrays_float4", "x")),
    "float8": ("'arrays_float8', array_column => 'x', n_features => 5", sqlrp.Array("arrays_float8", "x")),
    "integer": ("'arrays_intege', array_column => 'x'", sqlrp.Array("arrays_intege", "x")),
    "numeric": ("'arrays_numeri', array_column => 'x'", sqlrp.Array("arrays_numeri", "x")),
    "words": ("'words', key => 'doc', feature => 'word', value => 'n'", sqlrp.Long("words", "doc", "word", "n")),
    "places": (
        "'places', key => 'doc', feature => 'place', value => 'n', n_features => 31",
        sqlrp.Long("places", "doc", "place", "n", n_features=31),
    ),
}
METHODS = {
    "rp": ("rp_project({}, k => 5, s => 2, seed => 7)", sqlrp.SparseProjection(k=5, s=2, seed=7)),
    "pk": ("pk_project({}, k => 4, s => 1.5, seed => 3)", sqlrp.PolynomialKernelProjection(k=4, s=1.5, seed=3)),
    "pk3": (
        "pk_project({}, k => 4, s => 1, degree => 3, p => 13, t => 3, c => 2.5, seed => 9)",
        sqlrp.PolynomialKernelProjection(k=4, s=1, degree=3, p=13, t=3, c=2.5, seed=9),
    ),
    "pk1": (
        "pk_project({}, k => 4, s => 1, degree => 2, t => 2, c => 4, seed => 9, minimise_repetition => false)",
        sqlrp.PolynomialKernelProjection(k=4, s=1, degree=2, t=2, c=4, seed=9, minimise_repetition=False),
    ),
    "d2pk": (
        "d2pk_project({}, k => 3, s => 1, m => 4, seed => 2)",
        sqlrp.Degree2KernelProjection(k=3, s=1, m=4, seed=2),
    ),
    "d2pk1": ("d2pk_project({}, k => 3, s => 1, m => 1)", sqlrp.Degree2KernelProjection(k=3, s=1, m=1)),
    "cw": (
        "cw_project({}, k => 6, nnz_per_feature => 3, seed => 5)",
        sqlrp.SparseEmbedding(k=6, nnz_per_feature=3, seed=5),
    ),
    "cw1": ("cw_project({}, k => 3, nnz_per_feature => 1)", sqlrp.SparseEmbedding(k=3, nnz_per_feature=1)),
    "rs": ("rs_project({}, k => 2, seed => 4)", sqlrp.RandomSubspace(k=2, seed=4)),
    "rsh": ("rs_project({}, k => 2, densify => 'householder')", sqlrp.RandomSubspace(k=2, densify="householder")),
    "rpg": ("rp_project({}, k => 3, seed => 2, vectors => 'gaussian')", sqlrp.GaussianProjection(k=3, seed=2)),
    "pkg": (
        "pk_project({}, k => 2, c => 2, seed => 6, vectors => 'gaussian')",
        sqlrp.PolynomialKernelProjection(k=2, c=2, seed=6, vectors="gaussian"),
    ),
    "d2pkm": (
        "d2pk_project({}, k => 3, s => 1, m => 2, modified => true)",
        sqlrp.Degree2KernelProjection(k=3, s=1, modified=True),
    ),
    "fht": ("fht_project({}, k => 5, seed => 3)", sqlrp.HadamardProjection(k=5, seed=3)),
    "ts": ("ts_project({}, k => 3, seed => 1)", sqlrp.TensorSketch(k=3, seed=1)),
    "ts3": ("ts_project({}, k => 4, degree => 3)", sqlrp.TensorSketch(k=4, degree=3)),
    "ep": ("ep_project({}, k => 3, s => 2)", sqlrp.ExplicitPolynomialProjection(k=3, s=2)),
    "ep3": ("ep_project({}, k => 2, degree => 3)", sqlrp.ExplicitPolynomialProjection(k=2, degree=3)),
    "cbp": ("cbp_project({}, k => 3, s => 1)", sqlrp.BilinearPooling(k=3, s=1)),
    "cbps": (
        "cbp_project({}, k => 3, s => 1, p => 9, t => 2, normalise => false)",
        sqlrp.BilinearPooling(k=3, s=1, p=9, t=2, normalise=False),
    ),
    "rm": ("rm_project({}, k => 3, degree => 3, seed => 8)", sqlrp.RandomMaclaurin(k=3, degree=3, seed=8)),
}
INEXACT = ("pk3", "rpg", "pkg", "ep", "ep3", "cbp")
"""Methods with a constant, weights or a norm that are no whole numbers."""
CLOSED = ("rs", "rsh", "rpg", "pkg", "d2pkm", "fht", "ep", "ep3")
"""Methods that need the number of features."""


def equal(got: dict[Any, Any], result: Any, key: str, exact: bool = False) -> None:
    want = dict(zip(map(str, result.column(key).to_pylist()), result.column("z").to_pylist(), strict=True))
    got = {str(k): v for k, v in got.items()}
    assert got.keys() == want.keys()
    for k, z in want.items():
        if z is None:
            assert got[k] is None, k
        elif exact:
            assert got[k].tolist() == [float(v) for v in z], k
        else:
            target = np.array(z, dtype=float)
            np.testing.assert_allclose(got[k], target, rtol=1e-9, atol=1e-9 * np.abs(target).max())


@pytest.mark.parametrize("layout", SOURCES)
@pytest.mark.parametrize("method", METHODS)
def test_a_function_equals_project(shared: Database, method: str, layout: str) -> None:
    (call, projection), (given, source) = METHODS[method], SOURCES[layout]
    if method.startswith("cbp"):
        given = given.replace("keep => '{p4,label}', ", "")  # a group keeps nothing
    if (layout == "words" and method in CLOSED) or (layout in ("words", "places") and method.startswith("cbp")):
        with pytest.raises(ParameterError) as caught:
            sqlrp.project(projection, source, shared.connection)
        said = shared.refused(call.format(given)).message_primary
        assert said.split(":")[0] == str(caught.value).split(":")[0]
        return
    whole = layout in ("whole", "money", "integer", "numeric", "words") and method not in INEXACT
    for scale in (True, False):
        for lowering in ("auto", "relational"):
            asked = call.format(f"{given}, scale => {scale}, lowering => '{lowering}'")
            want = sqlrp.project(projection, source, shared.connection, output="array", scale=scale)
            equal(shared.z(asked), want, source.key or "", exact=whole and not scale)


@pytest.mark.parametrize("lowering", ["auto", "relational"])
@pytest.mark.parametrize("layout", ["wide", "float4", "integer", "words"])
def test_nulls(shared: Database, layout: str, lowering: str) -> None:
    given, source = SOURCES[layout]
    for call, projection in (METHODS["rp"], METHODS["pk1"]):
        asked = call.format(f"{given}, lowering => '{lowering}', nulls => 'zero'")
        want = sqlrp.project(projection, source, shared.connection, output="array", nulls="zero")
        equal(shared.z(asked), want, source.key or "")
        said = shared.refused(call.format(f"{given}, lowering => '{lowering}', nulls => 'error'"))
        with pytest.raises(StatementError) as caught:
            sqlrp.project(projection, source, shared.connection, nulls="error")
        assert said.message_primary in str(caught.value)
        assert said.sqlstate == "22000"


@pytest.mark.parametrize("lowering", ["auto", "relational"])
def test_groups_are_pooled(shared: Database, lowering: str) -> None:
    """Several rows a group, a group of NULL, and a NULL among the features, which makes its group NULL."""
    for source, given in ((sqlrp.Wide("pooled", "g"), ""), (sqlrp.Array("pooled", "x", "g"), ", array_column => 'x'")):
        for method in ("cbp", "cbps"):
            for nulls in ("propagate", "zero"):
                call, projection = METHODS[method]
                asked = f"'pooled', group_by => 'g', nulls => '{nulls}', lowering => '{lowering}'{given}"
                want = sqlrp.project(projection, source, shared.connection, output="array", nulls=nulls)  # type: ignore[arg-type]
                assert len(want) == 5
                equal(shared.z(call.format(asked)), want, "g")


@pytest.mark.parametrize("seed", [0, 1, 2, 7, 12345, 2**31 - 2, 2**31 - 1, 2**31, 2**40 + 3, 2**53 - 1])
def test_the_draw_is_numpys(shared: Database, seed: int) -> None:
    for s in (1.0, 3.0, 5.5):
        want = draw_signs(np.arange(40, dtype=np.int64), 20, s, seed)
        got = np.zeros_like(want)
        for c, f, sign in shared.run(f"SELECT * FROM sqlrp_signs(40, 20, {s}, {seed})"):
            got[f, c] = sign
        assert (got == want).all()
    for p, size, k in ((12, 12, 7), (13, 6, 20), (50, 8, 3), (5, 3, 4)):
        for minimise in (True, False):
            (table,) = shared.run(f"SELECT sqlrp_index_table({p}, {size}, {k}, {seed}, {minimise})")[0]
            assert table == draw_index_table(p, size, k, seed, minimise).reshape(-1).tolist()


def test_s_may_be_the_root(shared: Database) -> None:
    want = sqlrp.project(sqlrp.SparseProjection(k=3), "whole", shared.connection, output="array")
    for s in ("", ", s => 'sqrt'"):
        equal(shared.z(f"rp_project('whole', k => 3{s})"), want, "id")


def test_rows_keep_what_is_named(shared: Database) -> None:
    rows = shared.run(
        "SELECT key, kept, z IS NULL FROM rp_project('images', k => 2, keep => '{p0,label}') ORDER BY key::int"
    )
    assert rows[0] == ("1", {"p0": 1, "label": "label1"}, False)
    assert shared.run("SELECT key, kept FROM rp_project('whole', key => NULL) LIMIT 1") == [(None, None)]


@pytest.mark.parametrize("output", ["array", "columns", "long"])
@pytest.mark.parametrize("layout", ["chosen", "float4", "words"])
def test_the_text_has_the_columns_of_python(shared: Database, layout: str, output: str) -> None:
    given, source = SOURCES[layout]
    if layout == "chosen":
        source = sqlrp.Wide("images", features=["p2", "p0", "p1"], keep=["p4", "label"])
    for method in ("rp", "pk", "ts") if layout == "words" else ("rp", "pk", "ts", "fht", "d2pkm", "ep", "rpg"):
        call, projection = METHODS[method]
        call = call.format(f"{given}, output => '{output}'").replace("_project(", "_project_sql(")
        (text,) = shared.run(f"SELECT {call}")[0]
        theirs = sqlrp.sql(projection, source, shared.connection, output=output)  # type: ignore[arg-type]
        shared.run(f"CREATE OR REPLACE TEMP VIEW ours_{output}_{layout}_{method} AS {text}")
        ours = shared.connection.exec_driver_sql(f"SELECT * FROM ours_{output}_{layout}_{method}")
        other = shared.connection.exec_driver_sql(theirs, execution_options={"no_parameters": True})
        assert [c[:2] for c in ours.cursor.description] == [c[:2] for c in other.cursor.description] or output == "long"
        assert list(ours.keys()) == list(other.keys())
        assert len(ours.all()) == len(other.all()) > 0


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


def test_vectors_with_a_cast_to_real(fresh: Database) -> None:
    """As pgvector's type: no array, but with a cast to one."""
    fresh.run("CREATE TYPE vector AS (v real[])")
    fresh.run("CREATE FUNCTION to_real(vector) RETURNS real[] LANGUAGE sql IMMUTABLE AS 'SELECT ($1).v'")
    fresh.run("CREATE CAST (vector AS real[]) WITH FUNCTION to_real(vector)")
    fresh.run(
        "CREATE TABLE docs AS SELECT id, ROW(ARRAY[a, b])::vector AS e, CAST(ARRAY[a, b] AS real[]) AS x FROM images"
    )
    sqlrp.install(fresh.connection)
    want = sqlrp.project(sqlrp.SparseProjection(k=4), sqlrp.Array("docs", "x"), fresh.connection, output="array")
    for lowering in ("inline", "relational"):
        equal(fresh.z(f"rp_project('docs', k => 4, array_column => 'e', lowering => '{lowering}')"), want, "id")


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
    ("pk_project('images', p => 1)", "p = 1 must be at least degree * t = 8: raise p, or lower t or degree", "22023"),
    ("pk_project('images', k => 2, p => 99)", "p = 99 must be at most degree * t * k = 16, all that are used", "22023"),
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
        "ep_project('images', degree => 30000)",
        "2 features have 30,001 monomials of degree 30000, more than the 20,000 that are written out: use Polynomial",
        "54000",
    ),
    ("ts_project('images', degree => 0)", "degree = 0 must be a whole number >= 1", "22023"),
    ("fht_project('long', feature => 'f', value => 'v')", "HadamardProjection needs the number of features", "22023"),
    ("cbp_project('images', k => 1, p => 9)", "p = 9 must be at most degree * t * k = 8, all that are used", "22023"),
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
    engine = sa.create_engine(SERVER)
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
        sqlrp.save(projection, fresh.connection, "it's mine", source)
        for table in ("images", "others"):
            got = fresh.z(f"project_with('it''s mine', '{table}')")
            named = sqlrp.Wide(table, features=["b", "a"])
            equal(got, sqlrp.project(projection, named, fresh.connection, output="array"), "id")
    assert fresh.run("SELECT kept FROM project_with('it''s mine', 'images') WHERE key = '3'") == [({"label": "l3"},)]
    (text,) = fresh.run("SELECT project_with_sql('it''s mine', 'others')")[0]
    assert len(fresh.run(text)) == 9
    sqlrp.save(sqlrp.SparseProjection(k=3), fresh.connection, "it's mine")
    said = fresh.refused("project_with('it''s mine', 'images')")
    assert "no projection 'it''s mine' is saved here with a source: sqlrp.save(" in said.message_primary
    assert list(sqlrp.saved(fresh.connection)) == ["it's mine"]


def test_an_engine_saves_for_good(fresh: Database) -> None:
    engine = sa.create_engine(SERVER, connect_args={"options": f"-c search_path={fresh.schema}"})
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


def test_many_features_and_vectors(fresh: Database) -> None:
    """More than the columns of a result: the sums and the features are arrays then."""
    fresh.run(
        "CREATE TABLE wide AS SELECT id, array_agg(sin(id * j) ORDER BY j) AS x "
        "FROM images, generate_series(1, 1700) j GROUP BY id"
    )
    sqlrp.install(fresh.connection)
    source = sqlrp.Array("wide", "x")
    for call, projection in (
        ("rp_project('wide', k => 3, array_column => 'x')", sqlrp.SparseProjection(k=3)),
        ("fht_project('wide', k => 4, array_column => 'x')", sqlrp.HadamardProjection(k=4)),
        ("pk_project('wide', k => 900, array_column => 'x')", sqlrp.PolynomialKernelProjection(k=900)),
    ):
        rows = fresh.connection.exec_driver_sql("SELECT id, x FROM wide ORDER BY id").all()
        from sqlrp.evaluate import evaluate

        x = np.array([row.x for row in rows])
        want = evaluate(projection.stages(1700), x, np.arange(1700, dtype=np.int64)) * projection.factor(1700)
        got = fresh.z(call)
        for row, z in zip(rows, want, strict=True):
            np.testing.assert_allclose(got[str(row.id)], z, rtol=1e-9, atol=1e-9 * np.abs(z).max())
    assert source.key == "id"
    said = fresh.refused("rp_project_sql('images', k => 1664, output => 'columns')")
    assert "k = 1664 makes 1665 columns with key and keep" in said.message_primary


def test_psql_without_python(fresh: Database) -> None:
    psql = shutil.which("psql")
    if psql is None:
        pytest.skip("psql is not installed")
    url = sa.engine.make_url(SERVER)
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
        psql,
        "-X",
        "-q",
        "-A",
        "-t",
        "-h",
        url.host or "127.0.0.1",
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
