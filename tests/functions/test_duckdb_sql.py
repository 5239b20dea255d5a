"""The file for the DuckDB shell: the same functions and numbers as in Python, without Python."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import other_duckdbs
import pytest
from cover import factors, pairwise
from duckdb_calls import arguments, text
from helpers import (
    LAYOUTS,
    METHODS,
    OUTPUTS,
    Cell,
    Source,
    assert_close,
    cells,
    load,
    magnitude,
    oracle,
    projected,
)

import sqlrp
from sqlrp import Long, PolynomialKernelProjection, Projection, SparseProjection, Wide
from sqlrp._engines.registry import CONNECTORS

FILE = Path(__file__).parents[2] / "sql" / "duckdb.sql"
Connection = duckdb.DuckDBPyConnection


@pytest.fixture(scope="module")
def file() -> Iterator[Connection]:
    """One database that has read the file."""
    with duckdb.connect(config={"threads": "1"}) as connection:
        connection.execute(FILE.read_text(encoding="utf-8"))
        yield connection


@pytest.fixture
def shell(file: Connection) -> Connection:
    """That database, where the extension `json` is used."""
    file.execute("RESET VARIABLE sqlrp_json")
    return file


def called(
    con: Connection, projection: Projection, source: Source, output: str, **options: Any
) -> dict[Any, list[Cell]]:
    """The rows that the file's table function gives, by key."""
    call = arguments(projection, source, output=output, **options)
    shape = "array" if output == "vector" else output
    return cells(CONNECTORS["duckdb"].fetch(con, f"FROM {call}"), shape, projection.k, sparse=isinstance(source, Long))


@pairwise(
    factors(
        lambda layout, lowering, json, **_: lowering == "auto" or (layout != "long" and (json or lowering != "inline")),
        method=list(METHODS),
        layout=LAYOUTS,
        output=[*OUTPUTS, "vector"],
        dtype=["auto", "float32"],
        lowering=["auto", "inline", "indexed"],
        scale=[True, False],
        json=[True, False],
    )
)
def test_contract(
    shell: Connection, method: str, layout: str, output: str, dtype: str, lowering: str, scale: bool, json: bool
) -> None:
    shell.execute(f"SET VARIABLE sqlrp_json = {json}")
    projection = METHODS[method]
    x = np.random.default_rng(3).normal(0, 2, (5, 9)).round(3)
    source = load(shell, layout, x.tolist())
    got = called(shell, projection, source, output, scale=scale, lowering=lowering, dtype=dtype)
    single = dtype == "float32" or output == "vector"
    rtol = 2.0**-22 if single else 1e-9
    assert_close(got, oracle(projection, x, scale), magnitude(projection, x, scale), rtol)
    call = arguments(projection, source, output=output, dtype=dtype, scale=scale)
    z = shell.sql(f"FROM {call}").types[-1]
    size = f"[{projection.k}]" if output in ("array", "vector") else ""
    assert str(z) == f"{'FLOAT' if single else 'DOUBLE'}{size}"


@pairwise(
    factors(
        lambda layout, lowering, json, **_: lowering == "auto" or (layout != "long" and (json or lowering != "inline")),
        method=list(METHODS),
        layout=LAYOUTS,
        lowering=["auto", "inline", "indexed"],
        nulls=["propagate", "zero"],
        json=[True, False],
    )
)
def test_bits(shell: Connection, method: str, layout: str, lowering: str, nulls: str, json: bool) -> None:
    """The words of Python, NULL for a row that is NULL."""
    shell.execute(f"SET VARIABLE sqlrp_json = {json}")
    projection = METHODS[method]
    rows: list[Any] = np.random.default_rng(3).normal(0, 2, (5, 9)).round(3).tolist()
    rows[2][4] = None
    source = load(shell, layout, rows)
    call = arguments(projection, source, output="bits", lowering=lowering, nulls=nulls)
    want = sqlrp.project(projection, source, shell, output="bits", nulls=nulls, lowering="sql").to_pylist()  # type: ignore[arg-type]
    found = CONNECTORS["duckdb"].fetch(shell, f"FROM {call}")
    assert found.column_names == list(want[0])
    assert sorted(found.to_pylist(), key=lambda row: row["id"]) == sorted(want, key=lambda row: row["id"])


def test_bits_of_several_words(shell: Connection) -> None:
    """With whole numbers, which are narrow, and the name of a word that is taken."""
    shell.execute(
        "CREATE OR REPLACE TABLE many AS SELECT range AS id, range % 7 - 3 AS a, range % 5 - 2 AS b FROM range(20)"
    )
    p = sqlrp.SparseProjection(k=130, s=1, seed=5)
    want = sqlrp.project(p, "many", shell, output="bits").to_pylist()
    for lowering in ("inline", "indexed"):
        call = f"rp_project('many', k := 130, s := 1, seed := 5, output := 'bits', lowering := '{lowering}')"
        found = CONNECTORS["duckdb"].fetch(shell, f"FROM {call} ORDER BY id")
        assert found.column_names == ["id", "b0", "b1", "b2"]
        assert found.to_pylist() == want
    shell.execute("CREATE OR REPLACE TABLE taken AS SELECT *, 'x' AS \"B2\", 'y' AS b3 FROM many")
    with pytest.raises(duckdb.Error, match="column 'B2' of the source has an output column's name"):
        shell.execute("FROM rp_project('taken', k := 130, s := 1, output := 'bits', keep := ['b3', 'B2'])")
    with pytest.raises(duckdb.Error, match="dtype = 'float32' is for numbers, and output = 'bits' has none"):
        shell.execute("FROM rp_project('many', k := 130, output := 'bits', dtype := 'float32')")


def plain(rows: dict[Any, list[Cell]]) -> str:
    """Rows as text, in which NaN equals NaN; a zero's sign depends on the order of a sum."""
    return str({key: [0.0 if value == 0 else value for value in row] for key, row in sorted(rows.items())})


@pairwise(
    factors(
        lambda layout, lowering, **_: layout != "long" or lowering != "indexed",
        method=list(METHODS),
        layout=LAYOUTS,
        nulls=["propagate", "zero", "error"],
        lowering=["auto", "indexed"],
        json=[True, False],
    )
)
def test_nulls_as_in_python(shell: Connection, method: str, layout: str, nulls: str, lowering: str, json: bool) -> None:
    shell.execute(f"SET VARIABLE sqlrp_json = {json}")
    source = load(shell, layout, [[1.0, None, 3.0], [1.0, 2.0, float("inf")], [0.0, float("nan"), 1.0]])
    projection = METHODS[method]
    if nulls == "error":
        with pytest.raises(duckdb.Error, match="a feature is NULL and nulls = 'error'"):
            shell.execute(f"FROM {arguments(projection, source, nulls=nulls, lowering=lowering)}")
        return
    want = projected(shell, projection, source, nulls=nulls)
    got = called(shell, projection, source, "columns", nulls=nulls, lowering=lowering)
    assert plain(got) == plain(want)


@pairwise(
    factors(
        kind=[
            "BOOLEAN",
            "UTINYINT",
            "SMALLINT",
            "BIGINT",
            "UBIGINT",
            "HUGEINT",
            "DECIMAL(9,2)",
            "DECIMAL(38,3)",
            "FLOAT",
        ],
        layout=LAYOUTS,
        method=["linear", "degree3-c"],
        scale=[True, False],
    )
)
def test_types_as_in_python(shell: Connection, kind: str, layout: str, method: str, scale: bool) -> None:
    source, projection = load(shell, layout, [[1, 0, 1], [0, 1, 1], [1, 1, 1]], kind), METHODS[method]
    call = arguments(projection, source, scale=scale)
    shell.execute(f"CREATE OR REPLACE TABLE result AS FROM {call} ORDER BY id")
    python = sqlrp.sql(projection, source, shell, scale=scale)
    shell.execute(f"CREATE OR REPLACE TABLE other AS {python}")
    types = [row[:2] for row in shell.execute("DESCRIBE other").fetchall()]
    assert [row[:2] for row in shell.execute("DESCRIBE result").fetchall()] == types
    got = shell.execute("FROM result ORDER BY id").fetchall()
    assert got == shell.execute("FROM other ORDER BY id").fetchall()
    assert len(got) == sqlrp.project(projection, source, shell, scale=scale).num_rows
    shell.execute("DROP TABLE result; DROP TABLE other")


def test_named_features_of_an_open_vocabulary(shell: Connection) -> None:
    shell.execute(
        "CREATE OR REPLACE TABLE counts AS FROM "
        "(VALUES (1, 'apple', 2), (1, 'naïve', 1), (2, 'apple', 5), (3, 'it''s', 1)) v(doc, word, n)"
    )
    source = Long("counts", key="doc", feature="word", value="n")
    for projection in (SparseProjection(k=8, s=3, seed=2), PolynomialKernelProjection(k=4, s=1, t=2, c=1, seed=2)):
        got = CONNECTORS["duckdb"].fetch(shell, f"FROM {arguments(projection, source)}").to_pylist()
        want = sqlrp.project(projection, source, shell).to_pylist()
        by_key = lambda row: row["doc"]  # noqa: E731
        assert sorted(got, key=by_key) == sorted(want, key=by_key)


def test_views_tables_files_and_transactions(shell: Connection, tmp_path: Path) -> None:
    shell.execute(
        "CREATE OR REPLACE TABLE images AS SELECT i AS id, 'l' || i AS label, i * 2 AS a, i % 3 AS b FROM range(9) t(i)"
    )
    call = "rp_project('images', k := 3, s := 1, seed := 7, keep := ['label'])"
    want = shell.execute(f"FROM {call}").fetchall()
    python = sqlrp.project(SparseProjection(k=3, s=1, seed=7), Wide("images", keep=["label"]), shell)
    assert want == [tuple(row.values()) for row in python.to_pylist()]
    shell.execute(f"CREATE VIEW small AS FROM {call}; CREATE TABLE kept AS FROM small")
    assert shell.execute("FROM kept").fetchall() == want
    path = tmp_path / "o'clock.parquet"
    shell.execute(f"COPY images TO {text(str(path))}")
    assert shell.execute(f"FROM {call.replace(text('images'), text(str(path)))}").fetchall() == want
    shell.begin()
    shell.execute("CREATE TEMPORARY TABLE fresh AS FROM images LIMIT 4")
    assert shell.execute(f"FROM {call.replace('images', 'fresh')}").fetchall() == want[:4]
    shell.rollback()
    shell.execute("DROP VIEW small; DROP TABLE kept; DROP TABLE images")


HOSTILE = [
    'a"b; drop table x',
    "o'clock",
    "select",
    "Ünï ☃",
    "a b",
    "sqlrp_source",
    "q",
    "x0",
    "--",
    ";",
    "{n}",
    "{lists}",
    "n" * 500,
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names(shell: Connection, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    shell.execute(
        f'CREATE OR REPLACE TABLE {quoted} ({quoted} INTEGER, "f {name.replace(chr(34), chr(34) * 2)}" DOUBLE, g FLOAT)'
    )
    shell.execute(f"INSERT INTO {quoted} VALUES (1, 2.5, 4), (2, 1.5, 3)")
    projection = SparseProjection(k=2, s=1, seed=1)
    source = Wide(quoted, key=name)
    ways = ({"lowering": "inline"}, {"lowering": "indexed"}, {"output": "vector"}, {"dtype": "float32"})
    at = HOSTILE.index(name)  # two of them for each name: to bind a call takes a tenth of a second
    for given in (ways[at % 4], ways[(at + 1 + at // 4 % 3) % 4]):
        got = CONNECTORS["duckdb"].fetch(shell, f"FROM {arguments(projection, source, **given)}")
        assert got.sort_by(name).equals(sqlrp.project(projection, source, shell, **given).sort_by(name))  # type: ignore[arg-type]
    shell.execute(f"DROP TABLE {quoted}")


@pytest.mark.parametrize("odd", [["|", "~"], ["\x1f", "|"]], ids=["split", "split nowhere"])
def test_many_hostile_names(shell: Connection, odd: list[str]) -> None:
    """Names that are many travel as one text, which is split at a character of none, or else as a list."""
    names = [*odd, "a'b", 'c"d', "{n}", "i{'||'n}", "e;f", "g,h", *(f"x {i}" for i in range(20))]
    duckdb_sql = CONNECTORS["duckdb"].dialect
    values = ", ".join(f"{i} * id + 0.5 AS {duckdb_sql.quote(name)}" for i, name in enumerate(names))
    shell.execute(f"CREATE OR REPLACE TABLE many AS SELECT id, {values}, 7.5 AS other FROM (VALUES (1), (2)) v(id)")
    projection, source = SparseProjection(k=4, s=2, seed=3), Wide("many", features=names)
    want = sqlrp.project(projection, source, shell).sort_by("id")
    sqlrp.save(projection, shell, "many names", replace=True, source=source)
    given = f"features := [{', '.join(map(duckdb_sql.string, names))}]"
    for call in (f"rp_project('many', k := 4, s := 2, seed := 3, {given})", "project_with('many names', 'many')"):
        assert CONNECTORS["duckdb"].fetch(shell, f"FROM {call}").sort_by("id").equals(want)
    shell.execute("DROP TABLE many")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("rp_project('nowhere')", ["nowhere", "cannot be read"]),
        ("rp_project('')", ["table name '' is empty"]),
        ("rp_project('a..b')", ["empty part"]),
        ("rp_project('t', key := 'idd')", ["key 'idd' is not a column"]),
        ("rp_project('t', keep := ['x y'])", ["keep column 'x y' is not a column"]),
        ("rp_project('t', keep := 'a')", ["keep = 'a' must be a list of column names: write ['a']"]),
        ("rp_project('t', features := ['name'])", ["feature 'name'", "VARCHAR, not a number"]),
        ("rp_project('t', features := ['q'])", ["feature 'q' is not a column"]),
        ("rp_project('t', k := 0)", ["k = 0 must be a whole number >= 1"]),
        ("rp_project('t', k := 1.5)", ["k = 1.5 must be a whole number >= 1"]),
        ("rp_project('t', k := NULL)", ["k = NULL must be a whole number >= 1"]),
        ("rp_project('t', s := 0.5)", ["s = 0.5 must be a number >= 1"]),
        ("rp_project('t', s := 'root')", ["s = 'root' must be a number >= 1"]),
        ("rp_project('t', seed := -1)", ["seed = -1 must be a whole number from 0 to 2^53 - 1"]),
        ("rp_project('t', seed := 'x')", ["seed = 'x' must be a whole number"]),
        ("rp_project('t', output := 'rows')", ["output = 'rows' must be one of columns, array, vector, long"]),
        ("rp_project('t', dtype := 'float8')", ["dtype = 'float8' must be one of auto, float32, float16"]),
        ("rp_project('t', dtype := 'float16')", ["dtype = 'float16' is not supported: duckdb has no columns"]),
        ("rp_project('t', dtype := 'float16', output := 'vector')", ["duckdb has no vectors of such floats"]),
        (
            "rp_project('t', k := 100001, output := 'vector')",
            ["k = 100001 is more than the 100,000 numbers of a vector"],
        ),
        ("rp_project('t', nulls := 'skip')", ["nulls = 'skip' must be one of propagate, zero, error"]),
        ("rp_project('t', scale := 3)", ["scale = 3 must be true or false"]),
        ("rp_project('t', array_column := 'name')", ["'name'", "not an array of numbers"]),
        ("rp_project('t', feature := 'a', value := 'name')", ["value column 'name'", "not a number"]),
        ("pk_project('t', degree := 0)", ["degree = 0 must be a whole number >= 1"]),
        ("pk_project('t', t := 0)", ["t = 0 must be a whole number >= 1"]),
        ("pk_project('t', p := 3)", ["p = 3 must be at least degree * t = 8"]),
        ("pk_project('t', c := -1)", ["c = -1.0 must be a finite number >= 0"]),
        ("rp_project('words', feature := 'word', value := 'n')", ['s = "sqrt" needs the number of features']),
        ("rp_project('words')", ["no numeric column besides key and keep"]),
        (
            "rp_project('words', feature := 'word', value := 'n', s := 1, keep := ['more'])",
            ["keep = [more] does not hold for long rows", "join the result by its key"],
        ),
        (
            "rp_project('words', feature := 'word', value := 'n', s := 1, features := ['more'])",
            ["features = [more] names plain columns, and other arguments name the columns of long rows: leave out one"],
        ),
        (
            "rp_project('arrays', array_column := 'x', features := ['more'])",
            ["features = [more] names plain columns, and other arguments name an array column: leave out one"],
        ),
        (
            "rp_project('arrays', array_column := 'x', feature := 'more')",
            ["array_column names an array column, and feature and value the columns of long rows: leave out one"],
        ),
        ("rp_project('z', output := 'array', keep := ['z'])", ["column 'z'", "output column's name"]),
        ("rp_project('z', output := 'vector', keep := ['z'])", ["column 'z'", "output column's name"]),
    ],
)
def test_errors(shell: Connection, call: str, words: list[str]) -> None:
    shell.execute("CREATE OR REPLACE TABLE t AS SELECT 1 AS id, 2 AS a, 'x' AS name")
    shell.execute("CREATE OR REPLACE TABLE words AS SELECT 1 AS id, 'x' AS word, 'y' AS n, 2 AS \"N2\"")
    shell.execute("ALTER TABLE words DROP \"N2\"; CREATE OR REPLACE TABLE z AS SELECT 1 AS id, 2 AS a, 'x' AS z")
    if "feature := 'word'" in call:
        shell.execute("CREATE OR REPLACE TABLE words AS SELECT 1 AS id, 'x' AS word, 3 AS n, 4 AS more")
    shell.execute("CREATE OR REPLACE TABLE arrays AS SELECT 1 AS id, [1.0, 2.0]::DOUBLE[2] AS x, 4 AS more")
    with pytest.raises(duckdb.Error) as caught:
        shell.execute(f"FROM {call}").fetchall()
    for word in words:
        assert word in str(caught.value)


TWICE: list[tuple[str, dict[str, Any]]] = [
    ("t", {"keep": ["a", "a"]}),
    ("t", {"features": ["a", "a"]}),
    ("t", {"keep": ["id"]}),
    ("t", {"features": ["a", "b"], "keep": ["a"]}),
    ("t", {"features": ["id", "b"]}),
    ("t", {"features": ["a", "A"]}),
    ("t", {"keep": ["name", "NAME"]}),
    ("t", {"keep": ["ID"]}),
    ("words", {"feature": "id", "value": "n"}),
    ("words", {"feature": "n", "value": "n"}),
]


@pytest.mark.parametrize("json", [True, False])
@pytest.mark.parametrize(("table", "given"), TWICE, ids=str)
def test_a_column_that_is_named_twice_is_refused_as_in_python(
    shell: Connection, table: str, given: dict[str, Any], json: bool
) -> None:
    shell.execute(f"SET VARIABLE sqlrp_json = {json}")
    shell.execute("CREATE OR REPLACE TABLE t AS SELECT 1 AS id, 2 AS a, 3 AS b, 'x' AS name")
    shell.execute("CREATE OR REPLACE TABLE words AS SELECT 1 AS id, 4 AS word, 3 AS n")
    make: Any = Long if table == "words" else Wide
    with pytest.raises(sqlrp.SqlrpError) as python:
        sqlrp.sql(SparseProjection(k=1, s=1), make(table, **{"key": "id"} | given), shell)
    named = ", ".join(f"{name} := {text(value)}" for name, value in given.items())
    with pytest.raises(duckdb.Error) as caught:
        shell.execute(f"FROM rp_project('{table}', k := 1, s := 1, {named})")
    assert str(python.value) in str(caught.value)


COUNTED = not duckdb.__version__.startswith("1.")
"""Whether this version's plan of a count has the number of rows."""
COUNTS: dict[str, tuple[str, int | None]] = {
    "few": ("'counted'", 2000),
    "many": ("'counted'", 2001),
    "view": ("'counted_view'", 2000),
    "file": ("'{folder}/counted.parquet'", 2000),
    "of a condition": ("'counted_part'", None),
    "quoted": ('\'"a "")))"\'', None),  # whose name is not found in the text
    "changed in the transaction": ("'counted'", None),
}
"""Sources, and the rows that DuckDB knows them to have."""


@pytest.mark.parametrize("name", COUNTS)
def test_few_rows_are_computed_by_lists(con: Connection, tmp_path: Path, name: str) -> None:
    """To plan expressions takes longer than lists take for few rows, if it is known that they are few."""
    source, rows = COUNTS[name]
    sqlrp.install(con)
    columns = ", ".join(f"sin(range * {j + 1}) AS f{j}" for j in range(40))
    con.execute(f"CREATE TABLE counted AS SELECT range AS id, {columns} FROM range({rows or 2000})")
    con.execute("CREATE VIEW counted_view AS FROM counted")
    con.execute("CREATE VIEW counted_part AS FROM counted WHERE f0 < 0.5")
    con.execute('CREATE VIEW "a "")))" AS FROM counted')
    con.execute(f"COPY counted TO '{tmp_path}/counted.parquet'")
    if name.startswith("changed"):
        con.execute("BEGIN; DELETE FROM counted WHERE id = 7")
    call = f"rp_project({source.format(folder=tmp_path)}, k := 24, s := 3, seed := 7"
    plan = con.execute(f"EXPLAIN FROM {call})").fetchall()
    lists = COUNTED and rows is not None and rows <= 2000
    assert ("list_sum" in str(plan) or "_table1" in str(plan)) == lists
    found, inline = (
        con.execute(f"FROM {call}{lowering}) ORDER BY id").fetchnumpy() for lowering in ("", ", lowering := 'inline'")
    )
    for column in inline:
        np.testing.assert_allclose(found[column], inline[column], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rows", [200, 1500])
def test_a_transform_of_few_rows_is_of_expressions_where_lists_take_longer(con: Connection, rows: int) -> None:
    """448 terms of expressions take as long as lists take to pick 64 times 128 entries of 440 rows."""
    sqlrp.install(con)
    row = "list_transform(range(128), lambda j: sin(range * 7 + j))::DOUBLE[128] AS e"
    con.execute(f"CREATE TABLE counted AS SELECT range AS id, {row} FROM range({rows})")
    call = "fht_project('counted', k := 64, array_column := 'E', output := 'array'"
    plan = con.execute(f"EXPLAIN FROM {call})").fetchall()
    assert ("list_sum" in str(plan) or "_table1" in str(plan)) == (COUNTED and rows < 440)
    found, lists = (
        con.execute(f"FROM {call}{lowering}) ORDER BY id").fetchall() for lowering in ("", ", lowering := 'indexed'")
    )
    for one, other in zip(found, lists, strict=True):
        assert one[0] == other[0]
        np.testing.assert_allclose(one[1], other[1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", ["INTEGER", "DECIMAL(9,2)", "BIGINT", "BOOLEAN", "HUGEINT"])
def test_few_rows_of_whole_numbers_are_computed_exactly_by_lists(con: Connection, kind: str) -> None:
    sqlrp.install(con)
    columns = ", ".join(f"CAST(range * {j} % 7 AS {kind}) AS f{j}" for j in range(9))
    con.execute(f"CREATE TABLE counted AS SELECT range AS id, {columns} FROM range(50)")
    for call in ("rp_project('counted', k := 4, s := 2", "pk_project('counted', k := 4, s := 2, t := 2"):
        found, inline = (
            con.execute(f"FROM {call}, scale := false{lowering}) ORDER BY id").fetchall()
            for lowering in ("", ", lowering := 'inline'")
        )
        assert found == inline


def test_a_plain_call_of_an_array_says_what_another_says(con: Connection) -> None:
    """Its arguments need no check, so that its columns are read at once."""
    sqlrp.install(con)
    columns = "[1.5, 2]::FLOAT[2] AS e, [1] AS l, 'a' AS t, 1 AS other"
    con.execute(f"CREATE TABLE arrays AS SELECT range AS id, {columns} FROM range(3)")
    for wrong in ("'id'", "'l'", "'t'", "'missing'", "'E', key := 'e'", "'e', key := 'missing'", "'e', key := 't2'"):
        said = []
        for more in ("", ", keep := ['other']"):  # which is no plain call
            with pytest.raises(duckdb.Error) as error:
                con.execute(f"FROM rp_project('arrays', k := 2, array_column := {wrong}{more})")
            said.append(str(error.value).partition("\n")[0])
        assert said[0] == said[1]


@pytest.mark.parametrize(
    ("lowering", "layout", "json", "words"),
    [
        ("inline", "long", True, "long rows are joined with the signs, which is the relational lowering"),
        ("indexed", "long", True, "long rows are joined with the signs, which is the relational lowering"),
        ("inline", "long", False, "long rows are joined with the signs, which is the relational lowering"),
        ("relational", "wide", True, "the functions join only long rows with the signs"),
        ("relational", "array", False, "the functions join only long rows with the signs"),
        ("inline", "wide", False, "without DuckDB's extension json the columns are not known"),
        ("inline", "array", False, "without DuckDB's extension json the columns are not known"),
    ],
)
def test_lowerings_that_are_refused(shell: Connection, lowering: str, layout: str, json: bool, words: str) -> None:
    shell.execute(f"SET VARIABLE sqlrp_json = {json}")
    source = load(shell, layout, [[1.0, 2.0], [3.0, 4.0]])
    call = arguments(SparseProjection(k=2, s=1), source, lowering=lowering)
    with pytest.raises(duckdb.Error) as caught:
        shell.execute(f"FROM {call}")
    said = f"lowering = '{lowering}' is not supported here: {words}; use lowering = 'auto'"
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "projection",
    [
        sqlrp.HadamardProjection(k=3, padding="least"),
        sqlrp.HadamardProjection(k=3, replacement=False),
        sqlrp.ExplicitPolynomialProjection(k=3),
        sqlrp.RandomSubspace(k=3, densify="householder"),
        sqlrp.RandomSubspace(k=3, stratified=True),
        sqlrp.Degree2KernelProjection(k=3, modified=True),
    ],
    ids=str,
)
def test_methods_that_need_the_number_of_features_without_json(shell: Connection, projection: Projection) -> None:
    x = np.random.default_rng(3).normal(0, 2, (4, 11)).round(3)
    shell.execute("SET VARIABLE sqlrp_json = false")
    for layout in ("wide", "array"):
        source = load(shell, layout, x.tolist())
        want = projected(shell, projection, source, output="array")
        assert_close(called(shell, projection, source, "array"), list(want.values()), np.ones((4, 1)))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("rp_project('nowhere')", ["nowhere", "does not exist"]),
        ("rp_project('t', key := 'idd')", ['column "idd" not found']),
        ("rp_project('t', features := ['name'])", ["feature 'name'", "VARCHAR, not a number"]),
        ("rp_project('t', array_column := 'name')", ["'name'", "not an array of numbers"]),
        ("rp_project('t', s := 3, feature := 'a', value := 'name')", ["value column 'name'", "not a number"]),
        ("rp_project('lists', array_column := 'l')", ["length of the lists in 'l'", "n_features"]),
        ("rp_project('words')", ["no numeric column besides key and keep"]),
        ("rp_project('docs')", ["1 numeric column(s)", "array_column := 'v'"]),
        ("rs_project('t', k := 3)", ["k = 3 must be at most the number of features = 2: lower k"]),
        ("ep_project('wide', array_column := 'v')", ["2000 features have 2,001,000 monomials of degree 2"]),
    ],
)
def test_errors_without_json(shell: Connection, call: str, words: list[str]) -> None:
    shell.execute("SET VARIABLE sqlrp_json = false")
    shell.execute("CREATE OR REPLACE TABLE t AS SELECT 1 AS id, 2 AS a, 3 AS b, 'x' AS name")
    shell.execute("CREATE OR REPLACE TABLE lists AS SELECT 1 AS id, [1, 2] AS l")
    shell.execute("CREATE OR REPLACE TABLE wide AS SELECT 1 AS id, CAST(range(2000) AS FLOAT[2000]) AS v")
    shell.execute("CREATE OR REPLACE TABLE words AS SELECT 1 AS id, 'x' AS word, 'y' AS n")
    shell.execute("CREATE OR REPLACE TABLE docs AS SELECT 1 AS id, 2 AS a, CAST([1, 2] AS FLOAT[2]) AS v")
    with pytest.raises(duckdb.Error) as caught:
        shell.execute(f"FROM {call}").fetchall()
    for word in words:
        assert word in str(caught.value)


@pytest.mark.slow
def test_reading_it_twice_and_after_python(shell: Connection) -> None:
    shell.execute("CREATE OR REPLACE TABLE t AS SELECT 1 AS id, 2 AS a, 5 AS b")
    want = shell.execute("FROM rp_project('t', k := 2, s := 1)").fetchall()
    shell.execute(FILE.read_text(encoding="utf-8"))
    assert shell.execute("FROM rp_project('t', k := 2, s := 1)").fetchall() == want
    with duckdb.connect() as con:
        sqlrp.install(con)
        con.execute(FILE.read_text(encoding="utf-8"))
        con.execute("CREATE TABLE t AS SELECT 1 AS id, 2 AS a, 5 AS b")
        assert con.execute("FROM rp_project('t', k := 2, s := 1)").fetchall() == want


def test_the_shell_itself(tmp_path: Path) -> None:
    program = other_duckdbs.shell()
    statements = (
        f".read {FILE}\n.mode csv\n"
        "CREATE TABLE images AS SELECT i AS id, i * 7 % 11 AS a, i * 5 % 13 AS b, i % 2 AS c FROM range(5) t(i);\n"
        "FROM pk_project('images', k := 3, s := 1, t := 2, c := 1, seed := 7, scale := false);\n"
    )
    run = subprocess.run([program], input=statements, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE images AS SELECT i AS id, i * 7 % 11 AS a, i * 5 % 13 AS b, i % 2 AS c FROM range(5) t(i)"
        )
        want = sqlrp.project(PolynomialKernelProjection(k=3, s=1, t=2, c=1, seed=7), "images", con, scale=False)
    lines = run.stdout.split()
    assert lines[0] == "id,z0,z1,z2"
    assert [[float(v) for v in line.split(",")] for line in lines[1:]] == [
        list(row.values()) for row in want.to_pylist()
    ]
