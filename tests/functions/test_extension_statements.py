"""The statements that the extension writes in C beside those of the macros, which SQL alone runs: the same rows."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from extensions import compiled
from saved_statements import MACROS, followed, of_c, saved_statements

import sqlrp
from sqlrp._projections import FUNCTIONS
from sqlrp._store.functions import COMMON, parameters
from sqlrp._store.plans import ordered

SOURCES = {
    "doubles": "CAST(range AS DOUBLE) AS a, range % 5 / 3 AS b, CASE WHEN range % 3 > 0 THEN 1.5e0 END AS c, 2e0 AS d",
    "floats": "range::FLOAT AS a, (range % 5)::FLOAT AS b, 0.1::FLOAT AS c",
    "bytes": "(range % 200)::UTINYINT AS a, (range % 7)::TINYINT AS b, range % 2 = 0 AS c, (range % 9)::SMALLINT AS d",
    "integers": "(range % 200)::INTEGER AS a, range::BIGINT AS b, (range % 7)::UINTEGER AS c",
    "mixed": "(range % 200)::SMALLINT AS a, range::FLOAT AS b, 1::TINYINT AS c, 0.25::DECIMAL(5, 2) AS d",
    "decimals": "(range % 200 / 8)::DECIMAL(7, 3) AS a, range::INTEGER AS b, nullif(range % 3 - 0.5, 0.5) AS c",
    "wide decimals": "(range * 1e9)::DECIMAL(18, 1) AS a, (0.5 - range)::DECIMAL(18, 1) AS b, 1::DECIMAL(17, 0) AS c",
    "large": "range::HUGEINT AS a, range::UBIGINT AS b, 1::INTEGER AS c",
    "strings": '\'x\' AS s, range::FLOAT AS "a ""b", range::FLOAT AS "it\'s", DATE \'2020-01-01\' AS "d, é"',
    "many": ", ".join(f"sin(range * {i}) AS f{i}" for i in range(70)),
    "arrays": "[range, 1, 2, 3, range % 5]::FLOAT[5] AS e, 'label' AS label",
    "lists": "[range, 1, 2, 3]::DOUBLE[] AS e",
    "whole arrays": "[range, 1, 2]::TINYINT[3] AS e",
    "decimal arrays": "[range / 2, 1, 2]::DECIMAL(6, 1)[3] AS e",
    "sqlrp_program": "range::FLOAT AS a, 1::FLOAT AS b",
    "cells": "range % 9 AS row, nullif(range * 5 % 7, 3) AS feature, nullif(range % 5, 2) / 8 AS value",
    "counts": "range % 9 AS row, (range * 5 % 7)::UTINYINT AS feature, (range % 5)::SMALLINT AS value",
    "sums": "range % 9 AS row, range * 5 % 7 AS feature, (nullif(range % 5, 2) / 8)::DECIMAL(6, 3) AS value",
    "texts": "range % 9 AS row, nullif('w' || range * 5 % 7, 'w3') AS feature, nullif(range % 5, 2) / 8 AS value",
    "kinds": "range % 9 AS row, ['a', 'b'][1 + range % 2]::ENUM('a', 'b') AS feature, (range % 5)::SMALLINT AS value",
    "open": "range % 9 AS row, range * 1000003 % 7919 AS feature, (range / 8)::DECIMAL(6, 3) AS value",
    "results": "range::FLOAT AS a, 'x' AS z1, 'y' AS b0, 'z' AS \"Value\", DATE '2020-01-01' AS z",
}
ARRAYS = {name: "e" for name in SOURCES if "array" in name or name == "lists"}
"""The sources of arrays, with the column."""
LONG = {"cells": "7", "counts": "7", "sums": "7", "texts": "NULL", "kinds": "5", "open": "NULL"}
"""Those of long rows, with their numbers of features."""
OPEN = ("texts", "kinds", "open")
"""Those of words, or of features without a number."""
SQUARES = {"doubles": 4, "floats": 3, "arrays": 5, "lists": 4, "mixed": 4, "integers": 3}
"""The numbers of features of some."""
VALUES = {
    "k": ("1", "2", "4", "6", "9", "9", "12", "16", "17", "70"),
    "s": ("'sqrt'", "1", "3", "2.5", "2e0", "10::BIGINT"),
    "seed": ("0", "7", "123456789012"),
    "degree": ("1", "2", "3", "4"),
    "p": ("NULL", "6", "9", "16"),
    "t": ("1", "2", "3"),
    "c": ("0", "1", "0.25", "2e0"),
    "m": ("1", "2", "4"),
    "vectors": ("'sign'", "'gaussian'"),
    "modified": ("true", "false"),
    "minimise_repetition": ("true", "false"),
    "normalise": ("true", "false"),
    "split": ("NULL", "1", "2"),
    "group_by": ("NULL", "'id'"),
    "densify": ("NULL", "'householder'"),
    "stratified": ("true", "false"),
    "padding": ("'power_of_two'", "'least'"),
    "replacement": ("true", "false"),
    "nnz_per_feature": ("1", "2"),
    "buckets": ("1", "2"),
    "gamma": ("1", "0.3"),
    "key": ("'id'", "'ID'", "NULL"),
    "keep": ("[]", "['a']", "['label']", "['b']"),
    "features": ("[]", "['b', 'a']", "['A', 'c']"),
    "output": ("'columns'", "'array'", "'vector'", "'long'", "'bits'", "'auto'"),
    "scale": ("true", "false"),
    "nulls": ("'propagate'", "'zero'", "'error'"),
    "lowering": ("'auto'", "'native'"),
    "dtype": ("'auto'", "'float32'"),
}
"""What an argument may be; the first one is more likely among those of every function."""
GIVEN = {
    function: ["source", *ordered(cls, parameters(cls)), *(name for name in COMMON if name not in ("keep", "features"))]
    for function, cls in FUNCTIONS.items()
}
"""The arguments of a function in the order of its macros."""


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"}) as found:
        found.execute(f"LOAD '{compiled()}'")
        for name, columns in SOURCES.items():
            found.execute(f'CREATE TABLE "{name}" AS SELECT range AS id, {columns} FROM range(40)')
        yield found


def a_call(draws: random.Random, function: str) -> dict[str, str]:
    """The arguments of a call as SQL."""
    name = draws.choice(list(SQUARES) if function == "fbp_project" else list(SOURCES))
    given = {"source": f"'{name}'"} | COMMON | {"n_features": "NULL", "feature": "NULL", "value": "NULL"}
    for argument in ordered(FUNCTIONS[function], parameters(FUNCTIONS[function])):
        given[argument] = draws.choice(VALUES[argument])
    if function == "rs_project":  # it picks k of the features
        given["k"] = draws.choice(("1", "2", "3"))
    if function == "fbp_project":  # its k is the number of pairs of features
        n, split = SQUARES[name], given["split"]
        given["k"] = str(n * n if split == "NULL" else int(split) * (n - int(split)))
    for argument in ("key", "keep", "features", "output", "scale", "nulls", "lowering", "dtype"):
        if draws.random() < 0.3:
            given[argument] = draws.choice(VALUES[argument])
    if name in ARRAYS:
        given["array_column"] = f"'{ARRAYS[name]}'"
        given["n_features"] = "4" if name == "lists" else "NULL"
    if name in LONG:
        given |= {"key": "'row'", "feature": "'feature'", "value": draws.choice(("'value'", "NULL"))}
        given |= {"n_features": LONG[name], "keep": "[]", "features": "[]"}
    return given


def macros_of(con: duckdb.DuckDBPyConnection, function: str, call: dict[str, str]) -> str:
    """The statement that the macros write."""
    first = ", ".join(call[name] for name in GIVEN[function])
    opening = f"sqlrp_{function.removesuffix('_project')}_open({first}, {call['keep']}, {call['features']}, false)"
    return followed(con, f"FROM query({opening})")


def written(con: duckdb.DuckDBPyConnection, function: str, call: dict[str, str]) -> str:
    """The statement that C writes, or the call of the macros."""
    names = [*GIVEN[function], "keep", "features"]
    passed = ", ".join(f"typeof({call[name]}), CAST({call[name]} AS VARCHAR)" for name in names)
    first = (
        f"sqlrp_begin('{function}', 'macros', [{passed}], {call['source']}, NULL, {call['keep']}, {call['features']})"
    )
    return followed(con, f"FROM query({first})")


Answer = tuple[list[str], list[tuple[Any, ...]]]


def answer(con: duckdb.DuckDBPyConnection, statement: str) -> Answer | str:
    """The types and the rows, in the order of the source or of the groups; or the error."""
    try:
        found = con.execute(statement)
    except duckdb.Error as error:
        return str(error).partition("\n")[0]
    columns, rows = found.description, found.fetchall()
    names = [name for name, *_ in columns]
    if "GROUP BY" in statement or "component" in names:
        key = [names.index(name) for name in ("row", "id", "component", "value") if name in names]
        rows.sort(key=lambda row: [(row[i] is None, row[i]) for i in key])
    # SQL alone adds a digit to decimals of a guard.
    return [re.sub(r"DECIMAL\(\d+", "DECIMAL(", str(kind)) for _, kind, *_ in columns], rows


def assert_same(found: Answer | str, want: Answer | str, call: Any) -> None:
    """Equal types, and values that differ by rounding at most: the kernel adds in another order than SQL does."""
    if isinstance(found, str) or isinstance(want, str):
        assert found == want, call
        return
    assert found[0] == want[0], call
    assert len(found[1]) == len(want[1]), call
    sizes = [abs(x) for x in flat(want[1]) if isinstance(x, float) and math.isfinite(x)]
    near = (1e-5 if "FLOAT" in str(want[0]) else 1e-11) * max(sizes, default=0)
    for x, y in zip(flat(found[1]), flat(want[1]), strict=True):
        both = isinstance(x, float) and isinstance(y, float)
        same = (math.isnan(x) and math.isnan(y)) or math.isclose(x, y, rel_tol=0, abs_tol=near) if both else x == y
        assert same, (call, x, y)


def flat(values: Any) -> Iterator[Any]:
    """The values of rows, and of the lists in them."""
    for x in values:
        if isinstance(x, list | tuple):
            yield from flat(x)
        else:
            yield x


def test_decimals_become_floats_as_duckdb_casts_them(con: duckdb.DuckDBPyConnection) -> None:
    large = "CAST(hash(range) % 999999999999999999 AS BIGINT) * CASE WHEN range % 2 = 0 THEN 1 ELSE -1 END"
    for digits in (0, 1, 3, 9, 17, 18):
        value = f"CAST('0.' || lpad(abs({large})::VARCHAR, 18, '0') AS DECIMAL(18, 18))"
        value = f"(CASE WHEN range % 3 = 0 THEN -1 ELSE 1 END) * {value}" if digits == 18 else f"({large}) / 1e{digits}"
        made = f"SELECT CAST({value} AS DECIMAL(18, {digits})) AS x FROM range(2000)"
        found = f"sqlrp_kernel_double(sqlrp_program('BIGINT 1 (units {digits})', NULL), 1, 'zero', x)[1]"
        [(wrong,)] = con.execute(f"SELECT count(*) FROM ({made}) WHERE {found} <> CAST(x AS DOUBLE)").fetchall()
        assert wrong == 0, digits


CASES = 12
NATIVE, SQL_ALONE = "native: C writes the statement", "SQL alone, which macros write"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_statement_is_that_of_the_macros(con: duckdb.DuckDBPyConnection, function: str) -> None:
    draws, same = random.Random(function), 0
    for _ in range(CASES):
        call = a_call(draws, function)
        found = written(con, function, call)
        if found.startswith(MACROS):
            continue
        want = macros_of(con, function, call | {"lowering": "'auto'"})
        same += 1
        assert "sqlrp_kernel_" not in want
        if call["output"] != "'bits'":  # the sign of what is 0 but for rounding
            assert_same(answer(con, found), answer(con, want), call)
    assert same >= CASES // 4


WRONG = (
    *(
        "rp_project(NULL)",
        "rp_project('')",
        "rp_project('none')",
        "rp_project('a.b.c.d')",
        "rp_project('doubles', k := 0)",
    ),
    *("rp_project('doubles', k := 2.5)", "rp_project('doubles', k := NULL)", "rp_project('doubles', s := 'half')"),
    *(
        "rp_project('doubles', s := 0.5)",
        "rp_project('doubles', seed := -1)",
        "rp_project('doubles', vectors := 'none')",
    ),
    *(
        "rp_project('doubles', keep := 'a')",
        "rp_project('doubles', keep := ['x'])",
        "rp_project('doubles', keep := ['a', 'a'])",
    ),
    *(
        "rp_project('doubles', features := ['a', 'id'])",
        "rp_project('strings', features := ['s'])",
        "rp_project('arrays')",
    ),
    *("rp_project('doubles', key := 'x')", "rp_project('doubles', output := 'x')", "rp_project('doubles', scale := 1)"),
    *("rp_project('doubles', array_column := 'a')", "rp_project('lists', array_column := 'e')", "rp_project(1)"),
    *(
        "pk_project('doubles', p := 3, t := 2)",
        "pk_project('doubles', c := -1)",
        "pk_project('doubles', degree := 5000)",
    ),
    *(
        "cw_project('doubles', k := 5, nnz_per_feature := 2)",
        "rs_project('doubles', k := 9)",
        "rm_project('doubles', k := 1 << 25)",
    ),
    *("rp_project('doubles', dtype := 'float16')", "rp_project('doubles', output := 'bits', dtype := 'float32')"),
    *("rp_project('results', keep := ['z1'])", "rp_project('results', keep := ['Value'], output := 'long')"),
    *(
        "rp_project('results', keep := ['b0'], output := 'bits')",
        "rp_project('results', keep := ['z'], output := 'array')",
    ),
    *(
        "rp_project('cells', key := 'row', value := 'none', n_features := 7)",
        "rp_project('cells', key := NULL, value := 'value', n_features := 7)",
        "rp_project('cells', key := 'row', feature := 'value', value := 'feature', n_features := 7)",
        "rp_project('cells', key := 'row', value := 'value', n_features := 2)",
        "rp_project('cells', key := 'row', feature := 'row', n_features := 7)",
        "rs_project('cells', key := 'row', value := 'value', n_features := 7, k := 9)",
    ),
    *("rp_project('doubles', k := 40000)", "rp_project('doubles', k := 200000, output := 'vector')"),
)
"""Calls that are refused."""


def test_errors_have_the_words_of_the_macros(con: duckdb.DuckDBPyConnection) -> None:
    said: dict[bool, list[str]] = {}
    for late in (False, True):  # without the extension the macros say them alone
        said[late] = []
        with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as other:
            sqlrp.install(other) if late else other.execute(f"LOAD '{compiled()}'")
            for name, columns in SOURCES.items():
                other.execute(f'CREATE TABLE "{name}" AS SELECT range AS id, {columns} FROM range(3)')
            for call in WRONG:
                with pytest.raises(duckdb.Error) as error:
                    other.execute(f"FROM {call}")
                said[late].append(str(error.value).partition("\n")[0])
    assert said[False] == said[True]


def test_a_view_of_another_table_of_that_name_is_refused(con: duckdb.DuckDBPyConnection) -> None:
    """The kernel looks at the types where all columns are features, and the statement at the columns where some are."""
    words = 'the columns of "doubles" are not those that this call was written for'
    con.execute("ATTACH ':memory:' AS other")
    con.execute("CREATE TABLE other.doubles AS SELECT 1 AS id, 2e0 AS a, 3e0 AS b, 4e0 AS c")
    con.execute("CREATE TABLE other.floats AS SELECT 1 AS id, 2::FLOAT AS a, 3::FLOAT AS b, 0.1e0 AS c")
    for source, features in (("doubles", "[]"), ("doubles", "['b', 'a']"), ("floats", "[]")):
        call = {
            **COMMON,
            "source": f"'{source}'",
            "features": features,
            "k": "2",
            "s": "1",
            "seed": "7",
            "vectors": "'sign'",
        }
        statement = written(con, "rp_project", call)
        assert con.execute(statement).fetchall()
        con.execute("USE other")
        with pytest.raises(duckdb.Error, match=words.replace("doubles", source)):
            con.execute(statement).fetchall()
        con.execute("USE memory")
    con.execute("DETACH other")


@pytest.mark.parametrize(
    "call", ["rp_project('many', k := 2)", "rp_project('many', k := 248)", "rff_project('many', k := 248)"]
)
def test_what_is_not_asked_for_is_not_computed(con: duckdb.DuckDBPyConnection, call: str) -> None:
    """Of few numbers the program stands in the kernel's arguments, and of many in a table: neither reads a feature."""
    for asked, read in (("count(*)", False), ("count(id)", False), ("sum(z1)", True)):
        ((_, plan),) = con.execute(f"EXPLAIN SELECT {asked} FROM {call}").fetchall()
        assert ("f69" in plan) == read, (asked, plan)


CALLED = {
    "rp_project('doubles', k := 2, s := 1.5, keep := ['a'], output := 'array')": (
        "{'source': 'doubles', 'k': 2, 's': 1.5, 'keep': ['a'], 'output': 'array'}"
    ),
    "rp_project('arrays', array_column := 'e', k := 3, seed := 123456789012)": (
        "{source: 'arrays', ARRAY_COLUMN: 'e', k: 3, seed: 123456789012, keep: []}"
    ),
    "rff_project('it''s', k := 2, gamma := 0.05e0, key := NULL, features := ['a \"b', 'it''s'])": (
        "{source: 'it''s', k: 2, gamma: 0.05e0, key: NULL, features: ['a \"b', 'it''s']}"
    ),
    "pk_project('floats', k := 2, c := -0.0, minimise_repetition := false)": (
        "{source: 'floats', k: 2, c: -0.0, minimise_repetition: false}"
    ),
}
"""Calls, and their arguments as a struct."""
NOT_CALLED = {
    "'rp_project', {source: 'doubles', kk: 2}": "rp_project has no argument 'kk'",
    "'rp_project', {source: 'doubles', k: [2]}": "the argument 'k' is of a type that it cannot have",
    "'rp_project', {k: 2}": "'source' must name a table, a view or a file",
    "'rp_project', 'doubles'": "the arguments must be a struct",
    "'rp', {source: 'doubles'}": "no function has the name that was given",
    "NULL, NULL": "the arguments must be a struct",
}
"""What is no call, and why."""


def test_a_function_is_called_by_its_name_alone(tmp_path: Path) -> None:
    """In any current database, in read-only files, after LOAD in a transaction, and after a second LOAD."""
    with duckdb.connect(str(tmp_path / "a.db")) as con:
        for name, columns in (SOURCES | {"it's": SOURCES["strings"]}).items():
            con.execute(f'CREATE TABLE "{name}" AS SELECT range AS id, {columns} FROM range(40)')
    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as con:
        con.execute("BEGIN")
        con.execute(f"LOAD '{compiled()}'")
        con.execute(f"ATTACH '{tmp_path / 'a.db'}' AS a (READ_ONLY)")
        con.execute("COMMIT")
        con.execute(f"LOAD '{compiled()}'")
        for call, arguments in CALLED.items():
            by_name = f"FROM query(sqlrp('{call.partition('(')[0]}', {arguments}))"
            con.execute("USE a")
            found = con.execute(by_name)
            columns, rows = found.description, found.fetchall()
            con.execute("SET search_path = 'a,memory'")
            want = con.execute(f"FROM {call}")
            assert (columns, rows) == (want.description, want.fetchall())
        con.execute("USE a")
        for arguments, words in NOT_CALLED.items():
            with pytest.raises(duckdb.Error, match=re.escape(words)):
                con.execute(f"FROM query(sqlrp({arguments}))")
        wrong = "FROM query(sqlrp('rp_project', {source: 'doubles', k: 0}))"
        with pytest.raises(
            duckdb.Error, match="SET search_path to this one and to the one where the extension was loaded"
        ):
            con.execute(wrong)
        con.execute("SET search_path = 'a,memory'")
        with pytest.raises(duckdb.Error, match="k = 0 must be a whole number >= 1"):
            con.execute(wrong)


ROWS = np.random.default_rng(0).normal(size=(30, 3))
FITTED: dict[str, Callable[[duckdb.DuckDBPyConnection], sqlrp.Projection]] = {
    "standard": lambda con: sqlrp.fit(sqlrp.SparseProjection(k=2, s=1, seed=1), sqlrp.Standardized(LEARNT), con),
    "tfidf-like norm": lambda con: sqlrp.Prepared(of=sqlrp.TensorSketch(k=4, degree=2, seed=1), how="l2"),
    "components": lambda con: sqlrp.fit(sqlrp.PrincipalComponents(k=2), LEARNT, con),
    "free": lambda con: sqlrp.WhitenedComponents(k=2).fit(ROWS),
    "landmarks": lambda con: sqlrp.fit(sqlrp.NystroemProjection(k=3, gamma=0.5, seed=1), LEARNT, con),
    "codes": lambda con: sqlrp.rounded(sqlrp.SparseProjection(k=2, s=1, seed=1), LEARNT, con),
    "chain": lambda con: sqlrp.Chained(
        of=(sqlrp.SparseProjection(k=2, s=1, seed=1), sqlrp.PolynomialKernelProjection(k=2, seed=2))
    ),
}
"""Saved projections with fitted numbers, and those whose stages were drawn when they were saved."""
LEARNT = sqlrp.Wide("learnt", key="id", features=["a", "b", "c"])
CALLED_WITH = (
    ("doubles", {}),
    ("floats", {"output": "array"}),
    ("integers", {"scale": False}),
    ("nulled", {"output": "long"}),
    ("doubles", {"output": "bits", "nulls": "zero"}),
    ("floats", {"dtype": "float32"}),
    ("nulled", {"output": "vector", "nulls": "zero"}),
)


def test_a_statement_of_fitted_stages_is_that_of_the_macros(con: duckdb.DuckDBPyConnection) -> None:
    """The kernel reads bytes that were written when the projection was saved."""
    columns = "sin(range) AS a, cos(range) AS b, sin(3 * range) AS c"
    con.execute(f"CREATE TABLE learnt AS SELECT range AS id, {columns} FROM range(40)")
    con.execute("CREATE TABLE nulled AS SELECT id, a, nullif(b, 1) AS b, c FROM learnt")
    for (name, made), (source, options) in zip(FITTED.items(), CALLED_WITH, strict=True):
        sqlrp.save(made(con), con, name, source=None if name in ("free", "tfidf-like norm") else LEARNT)
        found, want = saved_statements(con, name, source, **options)
        assert found.startswith("WITH "), name
        assert_same(answer(con, found), answer(con, want), name)
    con.execute("CREATE TABLE narrow AS SELECT id, a, b FROM learnt")
    with pytest.raises(duckdb.Error, match="3 features"):
        con.execute("FROM project_with('free', 'narrow')")


def test_fitted_sums_of_long_rows_are_those_of_the_macros(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        "CREATE TABLE tall AS SELECT range // 3 AS id, range % 3 AS feature, sin(range) AS value FROM range(90)"
    )
    projections = (sqlrp.WhitenedComponents(k=2), sqlrp.NystroemProjection(k=3, gamma=0.5, seed=1))
    for name, projection in zip(("of components", "of landmarks"), projections, strict=True):
        sqlrp.save(projection.fit(ROWS), con, name)
        found, want = saved_statements(con, name, "tall", feature="feature", n_features=3)
        assert found.startswith("WITH ")
        assert_same(answer(con, found), answer(con, want), name)


def test_altered_bytes_are_refused(con: duckdb.DuckDBPyConnection) -> None:
    """Cut, of another length, of other operations or none: the kernel looks at them before it runs them."""
    con.execute(
        "CREATE OR REPLACE TABLE learnt AS SELECT range AS id, sin(range) AS a, cos(range) AS b, 1e0 AS c FROM range(9)"
    )
    sqlrp.save(sqlrp.WhitenedComponents(k=2).fit(ROWS), con, "m")
    (kept,) = con.execute("""SELECT "sqlrp_bytes 6d"('DOUBLE')""").fetchone()  # type: ignore[misc]
    wrong = [kept[:-8], kept[:-3], kept + bytes(8), b"", bytes(len(kept)), kept[:16] + b"\xff" * 8 + kept[24:]]
    for code in wrong:
        con.execute(f"""CREATE OR REPLACE MACRO "sqlrp_bytes 6d"(kind) AS from_hex('{code.hex()}')""")
        with pytest.raises(duckdb.Error, match=r"not a program|not one of its entries|not one of stages"):
            con.execute("FROM project_with('m', 'learnt')")


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("name", [name for name in SOURCES if name not in ARRAYS and name != "results"])
def test_explain_says_who_writes_a_statement_and_who_runs_it(
    con: duckdb.DuckDBPyConnection, name: str, scale: bool
) -> None:
    methods = {
        "rp_project": sqlrp.SparseProjection(k=4, s=3),
        "pk_project": sqlrp.PolynomialKernelProjection(k=4, s=3),
        "cw_project": sqlrp.SparseEmbedding(k=4),
        **({} if name in OPEN else {"rff_project": sqlrp.RandomFourierFeatures(k=4)}),
    }
    n = LONG.get(name, "NULL")
    source = sqlrp.Long(name, key="row", n_features=None if n == "NULL" else int(n)) if name in LONG else name
    cells = {"key": "'row'", "feature": "'feature'", "n_features": n} if name in LONG else {}
    for function, projection in methods.items():
        call = {name: VALUES[name][0] for name in GIVEN[function] if name in VALUES}
        call |= COMMON | {"source": f"'{name}'", "k": "4", "s": "3", "scale": str(scale).lower()}
        call |= {"n_features": "NULL", "feature": "NULL", "value": "NULL"} | cells
        statement = written(con, function, call)
        said = str(sqlrp.explain(projection, source, con, scale=scale))
        assert f"functions {SQL_ALONE if statement.startswith(MACROS) else NATIVE}" in said


WHOLE = sqlrp.GivenProjection.of(np.array([[1, 0], [2, 1], [0, 3]]))
"""Whole weights, so that whole numbers stay whole."""
CHAINS: dict[str, sqlrp.Projection] = {
    "whole": WHOLE,
    "whole, then products": sqlrp.Chained(of=(WHOLE, sqlrp.PolynomialKernelProjection(k=2, s=1, seed=2, c=0))),
    "whole, then a sketch": sqlrp.Chained(of=(WHOLE, sqlrp.TensorSketch(k=4, degree=2, seed=5))),
    "cosines": sqlrp.Chained(of=(WHOLE, sqlrp.RandomFourierFeatures(k=4, seed=2))),
    "cosines, then sums": sqlrp.Chained(
        of=(sqlrp.RandomFourierFeatures(k=4, seed=2), sqlrp.SparseProjection(k=2, s=2, seed=9))
    ),
    "drawn": sqlrp.PolynomialKernelProjection(k=2, seed=2),
}
PLACES = ("learnt", "integers", "small", "decimals", "large")
SOME_LEFT = ("whole", "whole, then products", "whole, then a sketch", "drawn")
"""Those whose numbers may have more than 63 bits: macros write some of their statements."""


@pytest.mark.parametrize("name", [*FITTED, *CHAINS])
def test_explain_says_who_writes_the_statement_of_a_saved_projection(con: duckdb.DuckDBPyConnection, name: str) -> None:
    columns = "sin(range) AS a, cos(range) AS b, sin(3 * range) AS c"
    con.execute(f"CREATE OR REPLACE TABLE learnt AS SELECT range AS id, {columns} FROM range(40)")
    con.execute("CREATE OR REPLACE TABLE small AS SELECT id, (id % 7)::INTEGER AS a, 1 AS b, 2 AS c FROM learnt")
    projection = CHAINS[name] if name in CHAINS else FITTED[name](con)
    sqlrp.save(projection, con, "asked", source=None if name in ("free", "tfidf-like norm") else LEARNT, replace=True)
    seen = set()
    for place in PLACES:
        for scale in (True, False):
            source = sqlrp.Wide(place, key="id", features=["a", "b", "c"])
            native = not of_c(con, "asked", place, scale=scale).startswith(MACROS)
            said = str(sqlrp.explain(projection, source, con, scale=scale))
            assert f"functions {NATIVE if native else SQL_ALONE}" in said, (place, scale)
            seen.add(native)
    assert seen == ({True, False} if name in SOME_LEFT else {True})
