"""Functions in PostgreSQL give the numbers of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cover import factors, pairwise
from evaluate import evaluate
from postgresql_functions import CLOSED, INEXACT, METHODS, Database, equal, opened, with_images
from taking_part import need

import sqlrp
from sqlrp._core.draw import draw_index_table, draw_signs
from sqlrp._core.errors import ParameterError, StatementError
from sqlrp._projections import FUNCTIONS, REGISTRY

need("postgresql")

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
        db.run(
            "CREATE TABLE pooled AS SELECT nullif(id % 5, 4) AS g, p1, p0, ARRAY[p1, p0] AS x FROM images WHERE id < 20"
        )
        sqlrp.install(db.connection)
        yield db


@pytest.fixture
def fresh() -> Iterator[Database]:
    with with_images() as db:
        yield db


@pairwise(factors(method=list(METHODS), layout=list(SOURCES), scale=[True, False], lowering=["auto", "relational"]))
def test_a_function_equals_project(shared: Database, method: str, layout: str, scale: bool, lowering: str) -> None:
    (call, projection), (given, source) = METHODS[method], SOURCES[layout]
    if projection.key_argument:
        given = given.replace("keep => '{p4,label}', ", "")  # a group keeps nothing
    of_rows = layout in ("words", "places") and projection.key_argument
    if (layout == "words" and method in CLOSED) or of_rows or (method == "fbp" and layout != "money"):  # two features
        with pytest.raises(ParameterError) as caught:
            sqlrp.project(projection, source, shared.connection)
        said = shared.refused(call.format(given)).message_primary
        assert said.split(":")[0] == str(caught.value).split(":")[0]
        return
    whole = layout in ("whole", "money", "integer", "numeric", "words") and method not in INEXACT
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
        # Python asks for the row and the column after the statement has failed.
        assert said.message_primary in re.sub(r"'error': '.*' of the row with [^:]*:", "'error':", str(caught.value))
        assert said.sqlstate == "22000"


@pytest.mark.parametrize("lowering", ["auto", "relational"])
def test_groups_are_pooled(shared: Database, lowering: str) -> None:
    """Several rows a group, a group of NULL, and a NULL among the features, which makes its group NULL."""
    wide = sqlrp.Wide("pooled", "g", features=["p1", "p0"])
    named = ", features => ARRAY['p1', 'p0']"
    for source, given in ((wide, named), (sqlrp.Array("pooled", "x", "g"), ", array_column => 'x'")):
        for method in (name for name, (_, made) in METHODS.items() if made.key_argument):
            for nulls in ("propagate", "zero") if method.startswith("cbp") else ("propagate",):
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


@pytest.mark.parametrize("dtype", ["auto", "float32"])
@pytest.mark.parametrize("output", ["array", "columns", "long"])
@pytest.mark.parametrize("layout", ["chosen", "float4", "words"])
def test_the_text_has_the_columns_of_python(shared: Database, layout: str, output: str, dtype: str) -> None:
    given, source = SOURCES[layout]
    if layout == "chosen":
        source = sqlrp.Wide("images", features=["p2", "p0", "p1"], keep=["p4", "label"])
    for method in ("rp", "pk", "ts") if layout == "words" else ("rp", "pk", "ts", "fht", "d2pkm", "ep", "rpg"):
        call, projection = METHODS[method]
        call = call.format(f"{given}, output => '{output}', dtype => '{dtype}'").replace("_project(", "_project_sql(")
        (text,) = shared.run(f"SELECT {call}")[0]
        theirs = sqlrp.sql(projection, source, shared.connection, output=output, dtype=dtype)  # type: ignore[arg-type]
        view = f"ours_{output}_{dtype}_{layout}_{method}"
        shared.run(f"CREATE OR REPLACE TEMP VIEW {view} AS {text}")
        ours = shared.connection.exec_driver_sql(f"SELECT * FROM {view}")
        other = shared.connection.exec_driver_sql(theirs, execution_options={"no_parameters": True})
        types = [[c[:2] for c in result.cursor.description] for result in (ours, other)]
        assert types[0] == types[1] or (output == "long" and types[0][0] == types[1][0])
        if dtype == "float32":
            assert types[0][-1] == types[1][-1]
        assert list(ours.keys()) == list(other.keys())
        assert len(ours.all()) == len(other.all()) > 0


@pytest.mark.parametrize(
    ("layout", "lowering"),
    [(layout, way) for layout in ("chosen", "float4") for way in ("inline", "relational")] + [("words", "relational")],
)
def test_bits_are_python_s(shared: Database, layout: str, lowering: str) -> None:
    """Of type bit(k), and NULL for a row that is NULL; dtype is refused."""
    given, source = SOURCES[layout]
    if layout == "chosen":
        source = sqlrp.Wide("images", features=["p2", "p0", "p1"], keep=["p4", "label"])
    for method in ("rp", "pk", "ts") if layout == "words" else ("rp", "pk", "ts", "fht", "d2pkm", "ep", "rpg"):
        call, projection = METHODS[method]
        call = call.format(f"{given}, output => 'bits', lowering => '{lowering}'").replace("_project(", "_project_sql(")
        (text,) = shared.run(f"SELECT {call}")[0]
        theirs = sqlrp.sql(projection, source, shared.connection, output="bits")
        ours = shared.connection.exec_driver_sql(text, execution_options={"no_parameters": True})
        other = shared.connection.exec_driver_sql(theirs, execution_options={"no_parameters": True})
        assert list(ours.keys()) == list(other.keys())
        assert [c[:2] for c in ours.cursor.description] == [c[:2] for c in other.cursor.description]
        assert sorted(map(repr, ours.all())) == sorted(map(repr, other.all()))
    said = shared.refused("rp_project_sql('images', output => 'bits', dtype => 'float32')").message_primary
    assert "output = 'bits' has none: leave dtype out" in said


@pytest.mark.parametrize("output", ["array", "columns", "long"])
@pytest.mark.parametrize("lowering", ["inline", "relational"])
def test_the_text_of_32_bits_rounds_the_numbers(shared: Database, lowering: str, output: str) -> None:
    for method in ("rp", "pk3", "ts", "fht", "d2pkm", "ep", "rpg", "cbp"):
        call, _ = METHODS[method]
        asked = call.format(f"'images', output => '{output}', lowering => '{lowering}'{{}}")
        asked = asked.replace("_project(", "_project_sql(")
        found = []
        for dtype in ("", ", dtype => 'float32'"):
            (text,) = shared.run(f"SELECT {asked.format(dtype)}")[0]
            rows = shared.run(f"SELECT to_jsonb(s) FROM ({text}) s")
            found.append(sorted([rounded(cell) for _, cell in sorted(row.items())] for (row,) in rows))
        assert len(found[0]) > 0
        assert found[0] == found[1], method


def rounded(cell: Any) -> list[float]:
    """The numbers of a cell as those of 32 bits; none for NULL."""
    return [float(np.float32(number)) for number in (cell if isinstance(cell, list) else [cell]) if number is not None]


def test_vectors_need_pgvector(fresh: Database) -> None:
    sqlrp.install(fresh.connection)
    fresh.run("CREATE TYPE vector AS (v real[])")
    for given, words in (
        (
            "output => 'vector', k => 16001",
            "k = 16001 is more than the 16,000 numbers of a vector of postgresql: lower k",
        ),
        ("dtype => 'float16'", "dtype = 'float16' is not supported: postgresql has no columns of such floats"),
        ("dtype => 'half'", "dtype = 'half' must be one of auto, float32, float16"),
        ("output => 'vectors'", "output = 'vectors' must be one of columns, array, vector, long"),
    ):
        assert words in fresh.refused(f"rp_project_sql('images', {given})").message_primary
    if not fresh.run("SELECT 1 FROM pg_extension WHERE extname = 'vector'"):
        said = fresh.refused("rp_project_sql('images', k => 2, output => 'vector')")
        assert "needs the type vector of pgvector: run CREATE EXTENSION vector" in said.message_primary


def test_columns_of_two_layouts_are_refused(fresh: Database) -> None:
    sqlrp.install(fresh.connection)
    fresh.run("CREATE TABLE cells AS SELECT 1 AS id, 'a' AS word, 2 AS n, ARRAY[1.0, 2.0] AS x, 3 AS more")
    for given, words in (
        (
            "feature => 'word', value => 'n', features => ARRAY['more']",
            "names plain columns, and other arguments name the",
        ),
        (
            "array_column => 'x', features => ARRAY['more']",
            "names plain columns, and other arguments name an array column",
        ),
        (
            "array_column => 'x', feature => 'word'",
            "array_column names an array column, and feature and value the columns",
        ),
        ("feature => 'word', value => 'n', keep => ARRAY['more']", "does not hold for long rows"),
    ):
        assert words in fresh.refused(f"rp_project('cells', s => 1, k => 2, {given})").message_primary


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
        x = np.array([row.x for row in rows])
        want = evaluate(projection.stages(1700), x, np.arange(1700, dtype=np.int64)) * projection.factor(1700)
        got = fresh.z(call)
        for row, z in zip(rows, want, strict=True):
            np.testing.assert_allclose(got[str(row.id)], z, rtol=1e-9, atol=1e-9 * np.abs(z).max())
    assert source.key == "id"
    said = fresh.refused("rp_project_sql('images', k => 1664, output => 'columns')")
    assert "k = 1664 makes 1665 columns with key and keep" in said.message_primary


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


def test_every_method_in_the_file_is_compared_here() -> None:
    compared = {type(projection) for _, projection in METHODS.values()}
    assert compared == {cls for cls in REGISTRY if cls.function in FUNCTIONS}


def test_the_file_has_a_function_for_every_method_that_says_so(shared: Database) -> None:
    listed = shared.run("SELECT definition FROM sqlrp_catalogue WHERE kind = 'function' AND definition IS NOT NULL")
    said = {cls.__name__ for cls in FUNCTIONS.values()}
    assert {name for (name,) in listed} == said
