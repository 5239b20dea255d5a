"""Every bad input gives an error of one line that names the value, its bound and the remedy."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from databases import DOUBLES, Database
from helpers import LOWERINGS, OUTPUTS, assert_one_line

import sqlrp
from sqlrp import (
    Array,
    LimitError,
    Long,
    ParameterError,
    PolynomialKernelProjection,
    SourceError,
    SparseProjection,
    SqlrpError,
    StatementError,
    UnsupportedError,
    Wide,
)
from sqlrp._core.errors import nearest, one_line, shorten
from sqlrp._core.sources import TableName

Connection = duckdb.DuckDBPyConnection
P2 = SparseProjection(k=2, s=1)


@pytest.fixture
def tables(con: Connection) -> Connection:
    """A few tables to err about."""
    con.execute(
        "CREATE TABLE customers AS SELECT 1 AS id, 2 AS clicks, 3.5 AS price, 'x' AS name, [1.0]::DOUBLE[1] AS vec"
    )
    con.execute("CREATE TABLE words AS SELECT 1 AS id, 'only' AS text, DATE '2024-01-01' AS day")
    con.execute("CREATE TABLE cells AS SELECT 1 AS id, 0 AS feature, 1.0 AS value, 'v' AS word, 0.5 AS half")
    con.execute("CREATE TABLE lists AS SELECT 1 AS id, ['a'] AS texts, [[1.0]] AS deep, [1.0, 2.0] AS vec")
    con.execute("CREATE TABLE named AS SELECT 1 AS id, 2 AS z0, 3 AS Z, 4 AS component, 5 AS VALUE, 6.0 AS a")
    return con


# -- projections -----------------------------------------------------------------------------------


def brief(value: Any) -> str:
    """A value as the name of a test."""
    return repr(value)[:30]


BAD_WHOLE: list[Any] = [0, -1, 1.5, 2.0, "3", None, True, math.nan, [1], 2**31 - 2, np.float64(2)]


@pytest.mark.parametrize("value", BAD_WHOLE, ids=brief)
@pytest.mark.parametrize("name", ["k", "degree", "t", "p"])
def test_whole_numbers(name: str, value: Any) -> None:
    if name == "p" and value is None:
        assert PolynomialKernelProjection(p=None).p is None
        return
    with pytest.raises(ParameterError) as caught:
        PolynomialKernelProjection(**{"k": 8, name: value})
    assert_one_line(caught, f"{name} = ", "whole number", ">= 1")


@pytest.mark.parametrize("cls", [SparseProjection, PolynomialKernelProjection])
@pytest.mark.parametrize(
    "value", [0, 0.99, -3, math.nan, math.inf, "3", "SQRT", None, True, [3], Decimal(3), 10**400], ids=brief
)
def test_s(cls: type[Any], value: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        cls(k=2, s=value)
    assert_one_line(caught, "s = ", ">= 1", '"sqrt"')


@pytest.mark.parametrize("cls", [SparseProjection, PolynomialKernelProjection])
@pytest.mark.parametrize("value", [-1, 2**53, 10**30, 1.0, "1", None, True, np.float64(1)], ids=brief)
def test_seed(cls: type[Any], value: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        cls(k=2, seed=value)
    assert_one_line(caught, "seed = ", "0 to 2^53 - 1", "choose")


@pytest.mark.parametrize(
    "value",
    [-0.5, -1, math.nan, math.inf, "1", True, None, [1], {}, 10**400, Decimal(1), Fraction(1, 2), 1j],
    ids=brief,
)
def test_c(value: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        PolynomialKernelProjection(k=2, c=value)
    assert_one_line(caught, "c = ", ">= 0")


@pytest.mark.parametrize("value", [["a", {}], [{}], ["a", []], ["a", None], [1], [True], ["a", "\ud800"]], ids=brief)
def test_what_is_bound_to_no_name(value: Any) -> None:
    """By the constructor, and as an altered text has it."""
    text = json.loads(sqlrp.SparseProjection(k=2, bound_to=("a", "b")).to_json())
    for made in (
        lambda: sqlrp.SparseProjection(k=2, bound_to=value),
        lambda: sqlrp.from_json(json.dumps({**text, "bound_to": value})),
    ):
        with pytest.raises(ParameterError) as caught:
            made()
        assert_one_line(caught, "bound_to has ", "must be the name of a feature")


@pytest.mark.parametrize("value", [0, 1, None, "yes"])
def test_minimise_repetition(value: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        PolynomialKernelProjection(k=2, minimise_repetition=value)
    assert_one_line(caught, "minimise_repetition = ", "true or false")


def test_bounds_of_p() -> None:
    with pytest.raises(ParameterError) as caught:
        PolynomialKernelProjection(k=4, degree=3, t=2, p=5)
    assert_one_line(caught, "p = 5", "at least degree * t = 6", "raise p, or lower t or degree")
    assert PolynomialKernelProjection(k=4, degree=3, t=2, p=6).n_vectors == 6
    assert PolynomialKernelProjection(k=4, degree=3, t=2, p=24).n_vectors == 24
    assert PolynomialKernelProjection(k=4, degree=3, t=2, p=25).n_vectors == 24, "no more are taken (4.21)"
    assert PolynomialKernelProjection(k=4, degree=3, t=2, p=25, minimise_repetition=False).n_vectors == 25


def test_numpy_numbers_are_numbers(con: Connection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS id, 2.0::DOUBLE AS a, 3.0::DOUBLE AS b")
    for kind in (np.int8, np.int32, np.uint64, np.int64):
        given = PolynomialKernelProjection(
            k=kind(3), degree=kind(2), t=kind(2), p=kind(5), s=np.float32(3), c=np.float64(1), seed=kind(7)
        )
        plain = PolynomialKernelProjection(k=3, degree=2, t=2, p=5, s=3.0, c=1.0, seed=7)
        assert given == plain
        assert given.to_json() == plain.to_json()
        for lowering in LOWERINGS:
            assert sqlrp.sql(given, "t", con, lowering=lowering) == sqlrp.sql(plain, "t", con, lowering=lowering)


# -- sources, by themselves ------------------------------------------------------------------------------

BAD_SOURCES: list[tuple[Callable[[], Any], type[SqlrpError], list[str]]] = [
    (lambda: Wide(""), SourceError, ["''", "empty", "name a table"]),
    (lambda: Wide("  "), SourceError, ["empty"]),
    (lambda: Wide(None), SourceError, ["NoneType", "table's name"]),  # type: ignore[arg-type]
    (lambda: Wide("a..b"), SourceError, ["'a..b'", "empty part", "schema.table"]),
    (lambda: Wide("a."), SourceError, ["'a.'", "empty part"]),
    (lambda: Wide('"a'), SourceError, ["closing double quote"]),
    (lambda: Wide('"a"b'), SourceError, ["after a closing quote", "double the quotes"]),
    (lambda: Wide('""'), SourceError, ["empty part"]),
    (lambda: Wide("a\0b"), SourceError, ["NUL", "rename"]),
    (lambda: Wide("t", key=""), ParameterError, ["key = ''", "non-empty string"]),
    (lambda: Wide("t", key="a\0b"), ParameterError, ["key = ", "without NUL"]),
    (lambda: Wide("t", key=5), ParameterError, ["key = 5", "column name"]),  # type: ignore[arg-type]
    (lambda: Wide("t", features=[]), ParameterError, ["features = []", "leave it out"]),
    (lambda: sqlrp.sql(P2, Wide("t", features=[], keep=["a"]), "duckdb"), ParameterError, ["features = []", "a Join"]),
    (lambda: Wide("t", features="abc"), ParameterError, ["features = 'abc'", "['abc']"]),
    (lambda: Wide("t", features=["a", "b", "a"]), ParameterError, ["features", "'a' twice", "once"]),
    (lambda: Wide("t", features=["a", 3]), ParameterError, ["features = 3", "column name"]),  # type: ignore[list-item]
    (lambda: Wide("t", features=["a\0"]), ParameterError, ["features", "without NUL"]),
    (lambda: Wide("t", features=5), ParameterError, ["features = 5", "list of column names"]),  # type: ignore[arg-type]
    (lambda: Wide("t", keep="abc"), ParameterError, ["keep = 'abc'", "['abc']"]),
    (lambda: Wide("t", keep=None), ParameterError, ["keep = None", "list of column names"]),  # type: ignore[arg-type]
    (lambda: Wide("t", keep=["a", "a"]), ParameterError, ["keep", "'a' twice"]),
    (lambda: Wide("t", keep=["id"]), ParameterError, ["'id'", "both key and keep"]),
    (lambda: Wide("t", features=["id"]), ParameterError, ["'id'", "both key and a feature"]),
    (lambda: Wide("t", keep=["a"], features=["a"]), ParameterError, ["'a'", "both keep and a feature"]),
    (lambda: Array("t", ""), ParameterError, ["column = ''"]),
    (lambda: Array("t", "x", key="x"), ParameterError, ["'x'", "both key and a feature"]),
    (lambda: Array("t", "x", keep=["x"]), ParameterError, ["'x'", "both keep and a feature"]),
    (lambda: Long("t", key=None), ParameterError, ["key = None", "column name"]),  # type: ignore[arg-type]
    (lambda: Long("t", feature=""), ParameterError, ["feature = ''"]),
    (lambda: Long("t", value="feature"), ParameterError, ["'feature'", "once"]),
    (lambda: Long("t", key="value"), ParameterError, ["'value'", "both key and a feature"]),
    (lambda: Long("t", n_features=0), ParameterError, ["n_features = 0", "from 1 to 2^31 - 3"]),
    (lambda: Long("t", n_features=2**31 - 2), ParameterError, ["n_features = 2147483646"]),
    (lambda: Long("t", n_features=True), ParameterError, ["n_features = True"]),
    (lambda: Long("t", n_features=2.0), ParameterError, ["n_features = 2.0"]),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("at", range(len(BAD_SOURCES)))
def test_sources(at: int) -> None:
    make, kind, words = BAD_SOURCES[at]
    with pytest.raises(kind) as caught:
        make()
    assert_one_line(caught, *words)


def test_table_names() -> None:
    assert TableName.parse("a.b.c").parts == ("a", "b", "c")
    assert TableName.parse('"a.b"."c""d"').parts == ("a.b", 'c"d')
    assert TableName.parse("Ünï code-x").parts == ("Ünï code-x",)
    assert TableName.parse("x.parquet") == TableName(("x.parquet",), is_file=True)
    assert TableName.parse('"x.parquet"') == TableName(("x.parquet",))
    for text in ("a.b", '"a.b"."c""d"', "data/x.CSV"):
        name = TableName.parse(text)
        assert TableName.parse(str(name)) == name


# -- sources against tables ----------------------------------------------------------------------------------

BAD_MATCHES: list[tuple[Any, list[str]]] = [
    ("nowhere", ["nowhere", "cannot be read", "does not exist"]),
    ("customerz", ["customerz", "cannot be read"]),
    ("other.customers", ["other", "cannot be read"]),
    ("nowhere.parquet", ["nowhere.parquet", "cannot be read"]),
    (Wide("customers", key="idd"), ["key 'idd'", "not a column", "did you mean 'id'?", "key None"]),
    (Wide("words", key="nothing_like_it"), ["key 'nothing_like_it'", "name the key column"]),
    (Wide("words"), ["no numeric column", "at least one", "Array(…)", "Long(…)"]),
    (Wide("customers", keep=["nam"]), ["keep column 'nam'", "did you mean 'name'?", "'clicks'"]),
    (Wide("customers", features=["click"]), ["feature 'click'", "did you mean 'clicks'?"]),
    (Wide("customers", features=["clicks", "name"]), ["feature 'name'", "VARCHAR", "not a number", "leave it out"]),
    (Wide("customers", features=["vec"]), ["feature 'vec'", "DOUBLE[1]", "not a number"]),
    (Array("customers", "vek"), ["array column 'vek'", "did you mean 'vec'?"]),
    (Array("customers", "price"), ["column 'price'", "not an array", "Wide(…)"]),
    (Array("customers", "name"), ["column 'name'", "VARCHAR", "not an array"]),
    (Array("lists", "texts"), ["column 'texts'", "VARCHAR[]", "not an array of numbers"]),
    (Array("lists", "deep"), ["column 'deep'", "[][]", "not an array of numbers"]),
    (Array("lists", "vec", key="idx"), ["key 'idx'", "did you mean 'id'?"]),
    (Long("cells", feature="featur"), ["feature column 'featur'", "did you mean 'feature'?"]),
    (Long("cells", feature="half"), ["feature column 'half'", "positions", "names (text)"]),
    (Long("words", feature="day", value="text"), ["feature column 'day'", "DATE", "positions"]),
    (Long("cells", value="word"), ["value column 'word'", "VARCHAR", "cast it"]),
    (Long("cells", key="idd"), ["key 'idd'", "did you mean 'id'?"]),
    (Wide("customers", features=["clicks", "CLICKS"]), ["clicks"]),
    (Wide("customers", key="ID", features=["id", "clicks"]), ["'id'"]),
    (Wide("customers", keep=["ID"]), ["id"]),
    (Wide("customers", keep=["name", "NAME"]), ["name"]),
]


@pytest.mark.parametrize("at", range(len(BAD_MATCHES)), ids=lambda at: str(BAD_MATCHES[at][0])[:60])
def test_sources_against_tables(tables: Connection, at: int) -> None:
    source, words = BAD_MATCHES[at]
    for call in (sqlrp.project, sqlrp.sql, sqlrp.explain):
        with pytest.raises((SourceError, ParameterError)) as caught:
            call(P2, source, tables)  # type: ignore[operator]
        assert_one_line(caught, *words)


@pytest.mark.parametrize(
    ("source", "output", "name"),
    [
        (Wide("named", keep=["z0"]), "columns", "z0"),
        (Wide("named", key="z0"), "columns", "z0"),
        (Wide("named", key="Z0"), "columns", "z0"),
        (Wide("named", keep=["Z"]), "array", "Z"),
        (Wide("named", keep=["component"]), "long", "component"),
        (Wide("named", keep=["value"]), "long", "VALUE"),
        (Array("lists", "vec", keep=["id"], key=None), None, None),
    ],
)
def test_kept_columns_with_the_name_of_an_output(
    tables: Connection, source: Any, output: str | None, name: str | None
) -> None:
    for other in OUTPUTS:
        if other == output:
            with pytest.raises(SourceError) as caught:
                sqlrp.project(P2, source, tables, output=other)  # type: ignore[arg-type]
            assert_one_line(caught, f"column {name!r}", "output column", "rename it, or choose another output")
        else:
            assert sqlrp.project(P2, source, tables, output=other).num_rows in (1, 2)  # type: ignore[arg-type]


def test_names_that_would_break_a_line(con: Connection) -> None:
    con.execute('CREATE TABLE "a\nb" ("i\nd" INTEGER, "f\n1" VARCHAR, x DOUBLE[])')
    bad: list[Any] = [
        '"no\nsuch"',
        '"a\nb"',
        Wide('"a\nb"', key="x\ny"),
        Wide('"a\nb"', key="i\nd"),
        Wide('"a\nb"', key="i\nd", features=["f\n1"]),
        Array('"a\nb"', "f\n1", key="i\nd"),
        Array('"a\nb"', "x", key="i\nd"),
        Long('"a\nb"', key="i\nd", feature="x", value="x2"),
    ]
    for source in bad:
        with pytest.raises(SqlrpError) as caught:
            sqlrp.project(P2, source, con)
        assert_one_line(caught)


def test_long_names_make_no_long_messages(con: Connection) -> None:
    con.execute(f'CREATE TABLE "{"t" * 500}" AS SELECT 1 AS "{"i" * 500}", \'x\' AS "{"f" * 500}"')
    bad: list[Any] = [
        "q" * 500,
        "t" * 500,
        Wide("t" * 500, key="i" * 500),
        Wide("t" * 500, key="i" * 500, features=["f" * 500]),
        Array("t" * 500, "f" * 500, key="i" * 500),
        Wide("t" * 500, key="i" * 500, keep=["i" * 501]),
    ]
    for source in bad:
        with pytest.raises(SqlrpError) as caught:
            sqlrp.project(P2, source, con)
        assert_one_line(caught, longest=1500)


def test_a_lone_surrogate_is_refused(con: Connection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS id, 2.0 AS a")
    calls: list[Callable[[], Any]] = [
        lambda: sqlrp.project(P2, "\ud800", con),
        lambda: sqlrp.project(P2, Wide("t", key="\ud800"), con),
        lambda: sqlrp.project(P2, Wide("t", features=["\ud800"]), con),
    ]
    for call in calls:
        with pytest.raises(SqlrpError) as caught:
            call()
        assert_one_line(caught)


# -- calls ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [sqlrp.project, sqlrp.sql, sqlrp.explain])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"output": "rows"}, ["output = 'rows'", "columns, array, vector, long"]),
        ({"output": None}, ["output = None", "columns, array, vector, long"]),
        ({"nulls": "skip"}, ["nulls = 'skip'", "propagate, zero, error"]),
        ({"nulls": None}, ["nulls = None", "propagate, zero, error"]),
        ({"lowering": "fast"}, ["lowering = 'fast'", "auto, sql, inline, indexed, relational or native"]),
        ({"lowering": None}, ["lowering = None", "auto, sql, inline"]),
    ],
)
def test_options(tables: Connection, call: Any, options: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ParameterError) as caught:
        call(P2, "customers", tables, **options)
    assert_one_line(caught, *words)


@pytest.mark.parametrize("options", [{"output": "rows"}, {"nulls": "skip"}, {"lowering": "fast"}])
def test_options_of_dataframes(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError) as caught:
        sqlrp.project(P2, pd.DataFrame({"a": [1.0]}), **options)
    assert_one_line(caught, f"{next(iter(options))} = ", next(iter(options.values())))


@pytest.mark.parametrize("projection", ["SparseProjection", None, 64, SparseProjection])
def test_a_projection_is_one(tables: Connection, projection: Any) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: sqlrp.project(projection, "customers", tables),
        lambda: sqlrp.sql(projection, "customers", tables),
        lambda: sqlrp.explain(projection, "customers", tables),
        lambda: sqlrp.project(projection, pd.DataFrame({"a": [1.0]})),
    ]
    for call in calls:
        with pytest.raises(ParameterError) as caught:
            call()
        assert_one_line(caught, "is not a projection of sqlrp", "SparseProjection(k=64)")


def test_sources_and_connections_that_are_none(tables: Connection) -> None:
    cases: list[tuple[Callable[[], Any], list[str]]] = [
        (lambda: sqlrp.project(P2, 5, tables), ["source 5", "table's name", "Wide(…)"]),
        (lambda: sqlrp.project(P2, None, tables), ["source None"]),
        (lambda: sqlrp.project(P2, "customers"), ["'customers'", "needs a connection"]),
        (lambda: sqlrp.project(P2, Wide("customers")), ["needs a connection"]),
        (lambda: sqlrp.project(P2, "customers", 5), ["connection 5", "duckdb connection"]),
        (lambda: sqlrp.project(P2, pd.DataFrame({"a": [1.0]}), tables), ["needs no connection", "leave it out"]),
        (lambda: sqlrp.sql(P2, Wide("t", features=["a"]), "duckdbb"), ["'duckdbb'", "did you mean 'duckdb'?"]),
        (lambda: sqlrp.sql(P2, Wide("t", features=["a"]), "db2"), ["'db2'", "unknown", "one of duckdb"]),
        (lambda: sqlrp.sql(P2, "t", "duckdb"), ["'t'", "features", "pass a connection"]),
        (lambda: sqlrp.sql(P2, Array("t", "x"), "duckdb"), ["array's length", "pass a connection"]),
        (lambda: sqlrp.sql(SparseProjection(k=2), Long("t"), "duckdb"), ["n_features", "s = 3"]),
    ]
    for call, words in cases:
        with pytest.raises(ParameterError) as caught:
            call()
        assert_one_line(caught, *words)


def test_key_and_keep_are_for_dataframes(tables: Connection) -> None:
    # A table's key and kept columns stand in its source; what is passed beside it must not be dropped silently.
    for options in ({"key": "clicks"}, {"keep": ["name"]}, {"key": "no_such_column"}):
        with pytest.raises(ParameterError) as caught:
            sqlrp.project(P2, "customers", tables, **options)  # type: ignore[arg-type]
        assert_one_line(caught, next(iter(options)), "Wide(")


def test_keep_of_a_dataframe_is_a_list() -> None:
    frame = pd.DataFrame({"a": [1.0], "b": [2.0], "ab": [3.0]})
    with pytest.raises(ParameterError) as caught:
        sqlrp.project(P2, frame, keep="ab")  # type: ignore[arg-type]
    assert_one_line(caught, "keep = 'ab'", "['ab']")


def test_a_closed_connection(con: Connection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS id, 2.0 AS a")
    con.close()
    with pytest.raises(SqlrpError) as caught:
        sqlrp.project(P2, "t", con)
    assert_one_line(caught, "closed")


def test_the_engine_s_words_come_with_the_statement(con: Connection) -> None:
    con.execute("CREATE TABLE base AS SELECT 1 AS id, 2.0 AS a")
    con.execute("CREATE VIEW w AS SELECT id, a, CAST('x' || id AS INTEGER) AS b FROM base")
    with pytest.raises(StatementError) as caught:
        sqlrp.project(P2, "w", con)
    assert_one_line(caught, "Could not convert string 'x1'", "[in: ")
    assert caught.value.sql in sqlrp.sql(P2, "w", con)


HINTS = {
    "duckdb": ("SELECT nam FROM people", ['"nam" not found', 'Candidate bindings: "name"']),
    "postgresql": ("SELECT nam FROM people", ['"nam" does not exist', "HINT: Perhaps you meant", "people.name"]),
    "clickhouse": ("SELECT nam FROM people", ["`nam`", "Maybe you meant: ['name']"]),
}


@pytest.mark.parametrize("name", HINTS)
def test_a_failed_statement_keeps_the_engine_s_hint(name: str, db: Database) -> None:
    sql, words = HINTS[name]
    db.make("people", [("name", DOUBLES[name])], [[1.0]])
    for statement in (sql, sql + "\nWHERE " + " AND ".join(["name > 1"] * 1_000)):
        with pytest.raises(StatementError) as caught:
            db.connector.fetch(db.connection, statement)
        assert_one_line(caught, *words, "[in: SELECT nam FROM people")
        assert caught.value.sql == statement


@pytest.mark.parametrize("name", ["postgresql"])
def test_details_and_hints_of_one_s_own_errors_are_kept(name: str, db: Database) -> None:
    raised = "DO $$ BEGIN RAISE EXCEPTION 'no' USING DETAIL = 'as it is', HINT = 'do so'; END $$"
    with pytest.raises(StatementError) as caught:
        db.run(raised)
    assert str(caught.value).startswith("no; DETAIL: as it is; HINT: do so [in: DO")


def test_a_misspelt_table_is_told_the_near_one(con: Connection) -> None:
    con.execute("CREATE TABLE images AS SELECT 1 AS id, 2.0 AS a")
    sqlrp.install(con)
    with pytest.raises(SourceError) as caught:
        sqlrp.project(P2, "imagse", con)
    assert_one_line(caught, 'Did you mean "images"?')
    assert "LINE" not in str(caught.value)
    with pytest.raises(duckdb.Error, match='Did you mean "images"'):
        con.execute("FROM rp_project('imagse')")


def test_exceptions_are_also_the_builtin_ones() -> None:
    assert issubclass(ParameterError, ValueError)
    assert issubclass(SourceError, ValueError)
    assert issubclass(LimitError, ValueError)
    assert issubclass(UnsupportedError, NotImplementedError)
    assert issubclass(StatementError, RuntimeError)
    for kind in (ParameterError, SourceError, LimitError, UnsupportedError, StatementError):
        assert issubclass(kind, SqlrpError)


def test_helpers_of_messages() -> None:
    assert one_line("no!\nDid you mean x?\n\nLINE 1: SELECT y\n               ^") == "no! Did you mean x?"
    assert one_line("no\nHINT:  do\nCONTEXT:  function f\nmore") == "no; HINT: do"
    assert one_line("") == ""
    assert len(one_line("x" * 100_000)) <= 1_001
    assert one_line("x" * 100_000 + "\nHINT: do").endswith("HINT: do")
    assert len(shorten("x" * 1000)) <= 80
    assert shorten("a\nb") == "'a\\nb'"
    assert nearest("degre", ["degree", "t"]) == " (did you mean 'degree'?)"
    assert nearest("zzz", ["degree", "t"]) == ""
    error = StatementError("SELECT\n  1" + " " * 5 + "x" * 1000, "first\nsecond")
    assert str(error).startswith("first; second [in: SELECT 1 xxx")
    assert len(str(error)) < 330
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    "words",
    [
        'IO Error: Could not write file "/a/b.parquet": No space left on device',
        "database or disk is full",
        'could not extend file "base/1/2": No space left on device\nHINT:  Check free disk space.',
        "(1114, \"The table 'small' is full\")",
    ],
)
def test_a_full_disk_is_not_blamed_on_the_statement(words: str) -> None:
    """The message says what to do. The error keeps the statement."""
    error = sqlrp.StatementError("CREATE TABLE small AS SELECT 1", words)
    assert "SELECT" not in str(error)
    assert str(error).endswith("(make room there, or write elsewhere, and call again)")
    assert error.sql == "CREATE TABLE small AS SELECT 1"
    assert "[in: SELECT 1]" in str(sqlrp.StatementError("SELECT 1", "the table full has no column is"))
