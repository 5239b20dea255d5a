"""Columns that a wide source leaves out: a likely array is refused, others are reported, and no warning is repeated."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from databases import Database
from helpers import assert_one_line
from taking_part import need_package

import sqlrp
from sqlrp import Array, PrincipalComponents, SourceError, SparseProjection, SqlrpWarning, Standardized, Wide
from sqlrp._cli.app import cli
from sqlrp._lowering.left_out import doubt

P = SparseProjection(k=2, s=1, seed=3)
D = "2020-02-29"
SQL = Path(__file__).parents[2] / "sql" / "duckdb.sql"
WITH_ARRAYS = ["duckdb", "postgresql", "clickhouse"]
TIMES = {
    "duckdb": "TIMESTAMP",
    "postgresql": "timestamp",
    "sqlite": "DATETIME",
    "mariadb": "DATETIME",
    "mysql": "DATETIME",
}


def said(call: Callable[[], Any]) -> list[str]:
    """The warnings of sqlrp's that a call gives, of which none may be hidden."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(warning.message) for warning in caught if issubclass(warning.category, SqlrpWarning)]


def documents(db: Database, numbers: int = 1, elements: int = 16, table: str = "docs") -> str:
    """A table of id, title, numeric columns n0 … and an array `embedding`."""
    kind = {"duckdb": "DOUBLE", "postgresql": "double precision", "clickhouse": "Float64"}[db.name]
    text = "String" if db.name == "clickhouse" else "VARCHAR(9)"
    columns = [("id", "BIGINT"), ("title", text), *((f"n{j}", kind) for j in range(numbers))]
    columns.append(("embedding", db.array_of(kind)))
    rows = [
        [i, f"t{i}", *(float(i + j) for j in range(numbers)), [float(i * j) for j in range(elements)]] for i in range(6)
    ]
    return db.make(table, columns, rows)


@pytest.mark.parametrize("name", WITH_ARRAYS)
def test_an_array_beside_few_numbers_is_refused_by_every_call(name: str, db: Database) -> None:
    table, con = documents(db), db.connection
    calls: list[Callable[[], Any]] = [
        lambda: sqlrp.project(P, table, con),
        lambda: sqlrp.sql(P, Wide(table, keep=["title"]), con),
        lambda: sqlrp.explain(P, table, con),
        lambda: sqlrp.project(P, Standardized(table), con),
        lambda: sqlrp.fit(PrincipalComponents(k=1), table, con),
        lambda: sqlrp.diagnose(P, table, con),
        lambda: sqlrp.hash_sql(P, table, con, bits=1),
    ]
    if name != "clickhouse":
        calls += [lambda: sqlrp.materialize(P, table, con, "made"), lambda: sqlrp.save(P, con, "kept", source=table)]
    for call in calls:
        with pytest.raises(SourceError) as caught:
            call()
        assert_one_line(caught, "1 numeric column ('n0')", "an array: 'embedding'", "Array(table, 'embedding')")
        assert_one_line(caught, "array_column := 'embedding'", "features = ['n0']")


@pytest.mark.parametrize(
    ("n", "words"), [(0, "no numeric column"), (1, "1 numeric column ('n0')"), (2, "2 numeric columns ('n0', 'n1')")]
)
@pytest.mark.parametrize("name", ["duckdb"])
def test_the_numeric_columns_are_counted_in_words(name: str, db: Database, n: int, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        sqlrp.sql(P, documents(db, numbers=n), db.connection)
    assert_one_line(caught, f"has {words} besides key and keep")


@pytest.mark.parametrize("name", WITH_ARRAYS)
def test_each_way_out_is_taken_without_a_word(name: str, db: Database) -> None:
    table, con = documents(db, numbers=3), db.connection
    named = ["n0", "n1", "n2"]
    wide = sqlrp.project(P, Wide(table, features=named), con)
    for source in (Wide(table, features=named), Wide(table, keep=["embedding"]), Array(table, "embedding")):
        assert said(lambda source=source: sqlrp.project(P, source, con)) == []  # type: ignore[misc]
    kept = sqlrp.project(P, Wide(table, keep=["embedding"]), con)
    assert kept.select(["z0", "z1"]) == wide.select(["z0", "z1"])
    # A projection that is bound to names says as much as features does.
    assert said(lambda: sqlrp.project(P.bound(named), table, con)) == []


@pytest.mark.parametrize("name", WITH_ARRAYS)
def test_an_array_beside_many_numbers_is_told(name: str, db: Database) -> None:
    table = documents(db, numbers=64, table="many")
    (words,) = said(lambda: sqlrp.project(P, table, db.connection))
    assert "64 numeric columns" in words
    assert "array 'embedding'" in words
    assert "left out" in str(sqlrp.explain(P, table, db.connection))
    documents(db, numbers=63, table="few")
    with pytest.raises(SourceError):
        sqlrp.project(P, "few", db.connection)


@pytest.mark.parametrize(("numbers", "refused"), [(0, True), (3, True), (4, False), (5, False)])
def test_few_are_fewer_than_the_elements_where_their_number_is_known(
    con: duckdb.DuckDBPyConnection, numbers: int, refused: bool
) -> None:
    columns = "".join(f", {j}.5 AS n{j}" for j in range(numbers))
    con.execute(f"CREATE TABLE t AS SELECT 1 AS id, [1, 2, 3, 4]::FLOAT[4] AS v{columns}")
    if not refused:
        (words,) = said(lambda: sqlrp.project(SparseProjection(k=1, s=1), "t", con))
        assert "array 'v'" in words
        return
    with pytest.raises(SourceError) as caught:
        sqlrp.project(P, "t", con)
    assert_one_line(caught, "'v'", "Array(table, 'v')")
    assert ("features = [" in str(caught.value)) == bool(numbers)


def test_an_array_of_what_is_no_number_is_no_feature(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS id, 2.5 AS n, 3.5 AS m, 4.5 AS o, ['a'] AS tags, [[1.0]] AS deep")
    (words,) = said(lambda: sqlrp.project(P, "t", con))
    assert "array 'tags', 'deep'" in words


@pytest.mark.parametrize("name", TIMES)
def test_dates_are_told_and_texts_are_not(name: str, db: Database) -> None:
    time, number = TIMES[name], {"postgresql": "double precision", "sqlite": "REAL"}.get(name, "DOUBLE")
    columns = [("id", "INTEGER"), ("title", "VARCHAR(9)"), *((c, number) for c in "abc")]
    rows = [[i, "x", float(i), 1.0, 2.0] for i in range(4)]
    db.make("texts", columns, rows)
    db.make("times", [*columns, ("at", time)], [[*row, "2026-01-01 00:00:00"] for row in rows])
    assert said(lambda: sqlrp.project(P, "texts", db.connection)) == []
    assert "text 'title'" in str(sqlrp.explain(P, "texts", db.connection))
    (words,) = said(lambda: sqlrp.project(P, "times", db.connection))
    assert "date 'at', text 'title'" in words
    assert "date 'at', text 'title'" in str(sqlrp.explain(P, "times", db.connection))


def test_each_call_tells_once(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        "CREATE TABLE t AS SELECT i AS id, 'x' AS title, sin(i) AS a, cos(i) AS b, sin(2 * i) AS c, "
        "DATE '2026-01-01' AS day, sin(3 * i) AS d FROM range(40) r(i)"
    )
    frame = con.sql("FROM t").df()
    lazy = pl.from_pandas(frame).lazy()
    learns = PrincipalComponents(k=2)
    telling: list[Callable[[], Any]] = [
        lambda: sqlrp.project(P, "t", con),
        lambda: sqlrp.sql(P, "t", con),
        lambda: sqlrp.project(P, frame),
        lambda: sqlrp.project(P, pl.from_pandas(frame)),
        lambda: sqlrp.project(P, lazy).collect(),
        lambda: sqlrp.project(P, con.sql("FROM t")).fetchall(),
        lambda: sqlrp.project(P, Standardized("t"), con),
        lambda: sqlrp.project(P, Standardized(frame)),
        lambda: sqlrp.fit(learns, "t", con),
        lambda: sqlrp.fit(learns, Standardized("t"), con),
        lambda: sqlrp.fit(learns, frame),
        lambda: sqlrp.diagnose(P, "t", con),
        lambda: sqlrp.diagnose(P, Standardized("t"), con),
        lambda: sqlrp.diagnose(P, frame),
        lambda: sqlrp.materialize(P, "t", con, "made"),
        lambda: sqlrp.materialize(P, Standardized("t"), con, "made2"),
        lambda: sqlrp.save(P, con, "kept", source="t"),
        lambda: sqlrp.hash_sql(P, "t", con, bits=2),
    ]
    for call in telling:
        (words,) = said(call)
        assert "date 'day'" in words
    fitted = sqlrp.fit(learns, Wide("t", features=["a", "b", "c", "d"]), con)
    quiet: list[Callable[[], Any]] = [
        lambda: sqlrp.explain(P, "t", con),
        lambda: sqlrp.refresh(con, "made"),
        lambda: sqlrp.refresh(con, "made", everything=True),
        lambda: sqlrp.project(fitted, "t", con),
        lambda: sqlrp.project(P, frame, keep=["day"]),
        lambda: sqlrp.project(P, Wide("t", keep=["day"]), con),
    ]
    for call in quiet:
        assert said(call) == []


def test_a_report_and_a_join_tell_once_too(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    con.execute(
        "CREATE TABLE t AS SELECT i AS id, sin(i) AS a, cos(i) AS b, sin(2*i) AS c, now() AS at FROM range(9) r(i)"
    )
    con.execute("CREATE TABLE shops AS SELECT i AS id, sin(i) AS size, current_date AS opened FROM range(9) r(i)")
    (words,) = said(lambda: sqlrp.report(P, "t", con, tmp_path / "page.html", sample=9, at=2))
    assert "date 'at'" in words
    con.execute("ALTER TABLE t ADD COLUMN shop BIGINT DEFAULT 1")
    join = sqlrp.Join(Wide("t"), {"shop": Wide("shops")})
    first, second = said(lambda: sqlrp.project(P, join, con))
    assert "'at'" in first
    assert "'opened'" in second
    text = str(sqlrp.explain(P, join, con))
    assert "date 'at'" in text
    assert "date 'opened'" in text


def test_the_warning_points_at_the_caller_s_line(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS id, 2.0 AS a, 3.0 AS b, 4.0 AS c, current_date AS day")
    with pytest.warns(SqlrpWarning) as caught:
        sqlrp.project(P, "t", con)
    assert [warning.filename for warning in caught] == [__file__]


# -- frames --------------------------------------------------------------------------------------------------


def frames() -> list[Any]:
    x = np.arange(12.0).reshape(3, 4)
    pandas = pd.DataFrame({"id": [1, 2, 3], "title": list("abc"), "n": [1.0, 2.0, 3.0]})
    made: list[Any] = [pandas.assign(embedding=list(values)) for values in (x, x.tolist())]
    plain = {"id": [1, 2, 3], "n": [1.0, 2.0, 3.0]}
    kinds: Sequence[pa.DataType] = [
        pa.list_(pa.float64()),
        pa.large_list(pa.float32()),
        pa.list_(pa.int32(), 4),
        pa.fixed_shape_tensor(pa.float32(), [4]),
    ]
    for kind in kinds:
        stored = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
        column = pa.array(x.astype(int).tolist(), stored)
        if isinstance(kind, pa.BaseExtensionType):
            column = pa.ExtensionArray.from_storage(kind, column)
        made.append(pa.table({**plain, "embedding": column}))
    frame = pl.DataFrame({**plain, "embedding": x.tolist()})
    made += [frame, frame.with_columns(pl.col("embedding").cast(pl.Array(pl.Float32, 4))), frame.lazy()]
    return made


@pytest.mark.parametrize("at", range(9))
def test_an_array_column_of_a_frame_with_numbers_is_refused(at: int) -> None:
    frame = frames()[at]
    with pytest.raises(SourceError) as caught:
        sqlrp.project(P, frame)
    assert_one_line(caught, "the frame", "'embedding'", "array_column = 'embedding'", "keep = ['embedding']")
    result = sqlrp.project(SparseProjection(k=1, s=1), frame, keep=["embedding"])
    result = result.collect() if hasattr(result, "collect") else result
    assert list(result["z0"] if not isinstance(result, pa.Table) else result["z0"].to_pylist()) in (
        [1.0, 2.0, 3.0],
        [-1.0, -2.0, -3.0],
    )


def test_a_relation_with_an_array_is_refused(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(SourceError) as caught:
        sqlrp.project(P, con.sql("SELECT 1 AS id, 2 AS n_tokens, [1.0, 2.0]::FLOAT[2] AS embedding"))
    assert_one_line(caught, "the frame", "'embedding'")


# -- functions, and the command line -------------------------------------------------------------------------


@pytest.mark.parametrize("shipped", [False, True], ids=["install", "duckdb.sql"])
def test_functions_of_duckdb(con: duckdb.DuckDBPyConnection, shipped: bool) -> None:
    if shipped:
        con.execute(SQL.read_text())
    else:
        sqlrp.install(con)
    con.execute(
        "CREATE TABLE docs AS SELECT i AS id, i::DOUBLE AS n, [i, 2, 3]::FLOAT[3] AS embedding, "
        "[i]::DOUBLE[] AS list FROM range(5) r(i)"
    )
    for keep in ("[]", "['embedding']", "['list']"):
        with pytest.raises(duckdb.Error) as caught:
            con.execute(f"FROM rp_project('docs', k := 2, s := 1, keep := {keep})")
        assert "array_column := '" in str(caught.value)
        assert "features" in str(caught.value)
    named = con.execute("FROM rp_project('docs', k := 2, s := 1, seed := 3, features := ['n'])").fetchall()
    kept = "FROM rp_project('docs', k := 2, s := 1, seed := 3, keep := ['embedding', 'list'])"
    assert con.execute(f"SELECT id, z0, z1 {kept}").fetchall() == named
    array = con.execute("FROM rp_project('docs', k := 2, s := 1, seed := 3, array_column := 'embedding')").fetchall()
    assert array == [tuple(r.values()) for r in sqlrp.project(P, Array("docs", "embedding"), con).to_pylist()]


def test_a_saved_projection_of_named_features_needs_no_more(con: duckdb.DuckDBPyConnection) -> None:
    sqlrp.install(con)
    con.execute(
        "CREATE TABLE docs AS SELECT i AS id, i::DOUBLE AS n, [i, 2, 3]::FLOAT[3] AS embedding FROM range(5) r(i)"
    )
    sqlrp.save(P, con, "kept", source=Wide("docs", features=["n"]))
    assert len(con.execute("FROM project_with('kept', 'docs')").fetchall()) == 5
    with pytest.raises(duckdb.Error, match="an array: 'embedding'"):
        con.execute("FROM rp_project('docs')")


@pytest.mark.parametrize("name", ["postgresql"])
def test_functions_of_postgresql(name: str, db: Database) -> None:
    sqlrp.install(db.connection)
    documents(db, numbers=2)
    ways = {"features => ARRAY['n0', 'n1']": 6, "keep => ARRAY['embedding']": 6, "array_column => 'embedding'": 6}
    for way, rows in ways.items():
        assert len(db.run_query(f"SELECT * FROM rp_project('docs', k => 2, s => 1, {way})")) == rows
    with pytest.raises(sqlrp.StatementError, match="array_column => 'embedding'"):
        db.run("SELECT * FROM rp_project('docs', k => 2, s => 1)")
    documents(db, numbers=64, table="many")
    assert len(db.run_query("SELECT * FROM rp_project('many', k => 2, s => 1)")) == 6


@pytest.mark.parametrize("name", ["postgresql"])
def test_functions_of_postgresql_warn_of_what_may_be_meant(name: str, db: Database) -> None:
    """In the words of Python, on every road of the functions; a name in keep or features silences it."""
    sqlrp.install(db.connection)
    words: dict[str, Callable[[int], str]] = {
        "w0": lambda i: "n/a" if i == 3 else f"{i}.5",
        "it's": lambda i: f"{i},25",
        "w2": lambda i: f"{i + 1},234.5",
        "e": lambda i: f" -{i}e+3\t",
        "title": lambda i: f"t{i}",
        "one": lambda i: "7",
    }
    kinds = [("id", "BIGINT"), ("a", "float8"), ("b", "float8"), *((c, "text") for c in words), ("at", "timestamp")]
    rows = [[i, i * 1.5, i % 3, *(word(i) for word in words.values()), "2026-01-01 00:00:00"] for i in range(8)]
    db.make("doubted", kinds, [*rows, [8, 0.5, 1.5, *([None] * len(words)), None]])
    driver: Any = db.connection.connection.driver_connection
    heard: list[str] = []

    def hear(notice: Any) -> None:
        if notice.severity_nonlocalized == "WARNING":
            heard.append(notice.message_primary)

    def told(query: str) -> list[str]:
        heard.clear()
        db.run_query(query)
        return list(heard)

    driver.add_notice_handler(hear)
    (python,) = said(lambda: sqlrp.project(SparseProjection(k=1, s=1), "doubted", db.connection))
    of = "'doubted', k => 1, s => 1"
    try:
        for call in (f"rp_project({of})", f"rp_project({of}, lowering => 'relational')", f"ts_project({of[:-8]})"):
            (warned,) = told(f"SELECT * FROM {call}")
            assert warned.startswith("the features are the 2 numeric columns of \"doubted\"; left out: date 'at'; ")
            assert (
                python.partition(": ")[2]
                .partition(": ")[2]
                .replace('"it\'s"', "'it''s'")
                .startswith(warned.partition("'at'; ")[2].partition("; name the")[0])
            )
        assert told(f"SELECT rp_project_sql({of})") == [warned]
        assert told(f"SELECT * FROM rp_project({of}, features => ARRAY['a', 'b'])") == []
        keep = "ARRAY['w0', 'it''s', 'w2', 'e', 'at']"
        assert told(f"SELECT * FROM rp_project({of}, keep => {keep})") == []
        db.run("CREATE OR REPLACE VIEW failing AS SELECT id, a, b, CAST(1 / (id - 5) AS text) AS w FROM doubted")
        assert told("SELECT * FROM rp_project('failing', k => 1, s => 1)") == []
    finally:
        db.run("DROP VIEW IF EXISTS failing")
        driver.remove_notice_handler(hear)


@pytest.mark.slow
def test_the_command_line(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "d.duckdb") as con:
        con.execute("CREATE TABLE docs AS SELECT 1 AS id, 2 AS n_tokens, [1.0, 2.0]::FLOAT[2] AS embedding")
        con.execute("CREATE TABLE days AS SELECT 1 AS id, 2 AS a, 3 AS b, 4 AS c, current_date AS day, 'x' AS title")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "sqlrp._cli", *arguments, "-k", "2", "-s", "1"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    refused = run("sql", f"{tmp_path}/d.duckdb::docs")
    assert refused.returncode == 1
    assert "an array: 'embedding'" in refused.stderr
    told = run("sql", f"{tmp_path}/d.duckdb::days")
    assert told.returncode == 0
    assert told.stderr.splitlines()[0].startswith("sqlrp: warning: the features are the 3 numeric columns")
    assert len(told.stderr.splitlines()) == 1
    explained = run("explain", f"{tmp_path}/d.duckdb::days", "--json")
    assert json.loads(explained.stdout)["left_out"] == ["day", "title"]
    assert explained.stderr == ""


# -- dimensions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("projection", "told"),
    [
        (SparseProjection(k=2), False),
        (SparseProjection(k=3), True),
        (SparseProjection(k=9), True),
        (sqlrp.GaussianProjection(k=3), True),
        (sqlrp.HadamardProjection(k=3), True),
        (sqlrp.RandomSubspace(k=3), True),
        (sqlrp.SparseEmbedding(k=4), True),
        (sqlrp.Prepared(of=SparseProjection(k=3), how="l2"), True),
        (sqlrp.PolynomialKernelProjection(k=9), False),
        (sqlrp.PolynomialKernelProjection(k=9, degree=1, c=0), True),
        (sqlrp.Degree2KernelProjection(k=9), False),
        (sqlrp.RandomMaclaurin(k=9), False),
        (sqlrp.TensorSketch(k=9), False),
        (sqlrp.ExplicitPolynomialProjection(k=9), False),
        (sqlrp.GivenProjection.of(np.ones((3, 4))), False),
        (sqlrp.GivenRadialFeatures.of(np.ones((5, 3)), np.ones((5, 5)), 1.0), False),
    ],
    ids=lambda value: str(value)[:40],
)
def test_as_many_components_as_features(con: duckdb.DuckDBPyConnection, projection: Any, told: bool) -> None:
    con.execute("CREATE TABLE t AS SELECT i AS id, sin(i) AS a, cos(i) AS b, sin(2 * i) AS c FROM range(9) r(i)")
    for call in (
        lambda: sqlrp.project(projection, "t", con),
        lambda: sqlrp.project(projection, con.sql("FROM t").df()),
    ):
        words = said(call)
        by_position = isinstance(projection.bound_to, int)
        assert sum("takes the 3 columns of" in w and "'a', 'b', 'c'" in w for w in words) == by_position
        words = [w for w in words if "by their position" not in w]
        assert [f"k = {projection.k} is not below the number of features = 3" in w for w in words] == [True] * told
    assert ("lower k" in str(sqlrp.explain(projection, "t", con))) == told


def test_what_follows_a_projection_is_not_told_of(con: duckdb.DuckDBPyConnection) -> None:
    from sklearn.linear_model import LogisticRegression

    con.execute("CREATE TABLE t AS SELECT i AS id, sin(i) AS a, cos(i) AS b, sin(2 * i) AS c FROM range(9) r(i)")
    z = sqlrp.project(P, "t", con).to_pandas()[["z0", "z1"]].to_numpy()
    model = LogisticRegression().fit(z, np.arange(9) % 9)  # nine decisions of two components
    assert said(lambda: sqlrp.score(P, model, "t", con)) == []
    sqlrp.materialize(P, "t", con, "made")
    assert said(lambda: sqlrp.back_project(P.bound(["a", "b", "c"]), "made", con)) == []
    shops = "CREATE TABLE shops AS SELECT i AS id, sin(i) AS size, cos(i) AS age FROM range(9) r(i)"
    con.execute(shops)
    con.execute("ALTER TABLE t ADD COLUMN shop BIGINT DEFAULT 1")
    join = sqlrp.Join(Wide("t"), {"shop": Wide("shops")})
    assert said(lambda: sqlrp.project(SparseProjection(k=4, s=1), join, con)) == []
    (words,) = said(lambda: sqlrp.project(SparseProjection(k=5, s=1), join, con))
    assert "number of features = 5" in words


@pytest.mark.parametrize("n", range(1, 9))
def test_every_column_that_is_left_out_is_named_or_counted(n: int, con: duckdb.DuckDBPyConnection) -> None:
    names = [f"t{i}" for i in range(n)]
    con.execute(f"CREATE TABLE t AS SELECT 1 AS id, 2.0::DOUBLE AS x, {', '.join(f'DATE {D!r} AS {t}' for t in names)}")
    (message,) = [text for text in said(lambda: sqlrp.project(P, "t", con)) if "left out" in text]
    listed = re.search(r"date ((?:'t\d'(?:, )?)+)(?: and (\d+) more)?", message)
    assert listed
    shown = listed[1].replace("'", "").split(", ")
    assert shown == names[:5]
    assert len(shown) + int(listed[2] or 0) == n
    assert 'numeric columns of "t"; left out' in message


def test_a_frame_is_called_a_frame() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [2.0, 1.0], "at": pd.to_datetime([D, D])})
    (message,) = [text for text in said(lambda: sqlrp.project(P, frame, key=None)) if "left out" in text]
    assert "numeric columns of the frame; left out" in message


@pytest.mark.parametrize("name", ["duckdb", "postgresql", "sqlite", "mariadb", "clickhouse"])
def test_text_that_could_be_numbers_is_named(db: Database, name: str) -> None:
    """With the value that makes it text, by every road; text that is no number, and a column that is named, is not."""
    text, double = {"clickhouse": ("String", "Float64"), "mariadb": ("VARCHAR(9)", "DOUBLE")}.get(
        name, ("VARCHAR(9)", "DOUBLE PRECISION")
    )
    kinds = [("id", "BIGINT"), ("a", double), ("b", double), *((c, text) for c in ("w0", "w1", "w2", "title", "one"))]
    rows = [
        [i, i * 1.5, i % 3, "n/a" if i == 3 else f"{i}.5", f"{i},25", f"{i + 1},234.5", f"t{i}", "7"] for i in range(8)
    ]
    table = db.make("doubted", kinds, rows)
    con = db.connection
    roads: list[Callable[[], Any]] = [
        lambda: sqlrp.project(P, table, con),
        lambda: sqlrp.sql(P, table, con),
        lambda: sqlrp.fit(PrincipalComponents(k=1), table, con),
        lambda: sqlrp.diagnose(P, table, con),
    ]
    if name == "duckdb":
        frame = con.sql("FROM doubted").to_arrow_table()
        roads += [lambda x=x: sqlrp.project(P, x) for x in (frame, frame.to_pandas(), pl.from_arrow(frame))]
    for road in roads:
        (told,) = (words for words in said(road) if "left out" in words)
        assert "'w0' is text, and most of it reads as numbers; it holds 'n/a'" in told
        assert "'w1' holds '0,25', a number with a decimal comma" in told
        assert "'w2' holds '1,234.5', a number with a sign between the digits" in told
        assert "cast what is meant as a number" in told
        assert "'title' is text, and" not in told
        assert "'one' is text, and" not in told
    assert "  perhaps   a feature: 'w1' holds '0,25', a number with a decimal comma\n" in str(
        sqlrp.explain(P, table, con)
    )
    for source in (Wide(table, features=["a", "b"]), Wide(table, keep=["w0", "w1", "w2"])):
        assert not [words for words in said(lambda s=source: sqlrp.project(P, s, con)) if "left out" in words]


@pytest.mark.parametrize(
    ("like", "words"),
    [
        ("{}.5", "is text, and most of it reads as numbers; it holds"),
        ("{},25", "a number with a decimal comma"),
        ("1,23{}.5", "a number with a sign between the digits"),
        ("[{},2]", "an array of numbers as text"),
    ],
)
def test_more_than_half_of_the_values_say_what_a_text_is(like: str, words: str) -> None:
    """NULL and blanks count for neither side; of values that are all equal none is a feature.

    The first value that makes it text is named: the first of what is no number.
    """
    for alike in range(9):
        values = [like.format(i) for i in range(alike)] + [f"t{i}" for i in range(8 - alike)]
        for some in (values, values[::-1], [None, "", " ", *values, None, None]):
            said = doubt("w", some)
            assert (words.partition(";")[0] in said) == (alike > 4) == bool(said), (some, said)
            odd = [text for text in some if text and text.strip() and (text[0] == "t") == ("holds" in words)]
            assert not said or not odd or f"holds '{odd[0]}'" in said, (some, said)
    assert doubt("w", [like.format(0)] * 8) == doubt("w", [None, " "]) == doubt("w", []) == ""


def lazy(kind: str, rows: pa.Table, con: duckdb.DuckDBPyConnection) -> Any:
    """The rows as a lazy frame of a kind."""
    if kind == "a DuckDB relation":
        con.execute("CREATE TABLE laid AS FROM rows")
        return con.sql("FROM laid WHERE id >= 0")
    if kind == "a polars LazyFrame":
        return pl.DataFrame(rows).lazy()
    need_package({"an ibis table": "ibis", "a Dask frame": "dask", "a Daft frame": "daft"}[kind])
    if kind == "an ibis table":
        return import_module("ibis").memtable(rows)
    if kind == "a Dask frame":
        return import_module("dask.dataframe").from_pandas(rows.to_pandas(), npartitions=2)
    return import_module("daft").from_arrow(rows)


@pytest.mark.parametrize(
    "kind", ["a DuckDB relation", "a polars LazyFrame", "an ibis table", "a Dask frame", "a Daft frame"]
)
def test_text_of_a_lazy_frame_that_could_be_numbers_is_named(con: duckdb.DuckDBPyConnection, kind: str) -> None:
    """As an eager frame's is, and nothing is read for it where the frame has no such text."""
    numbers = {"id": range(9), "a": [i * 1.5 for i in range(9)], "b": [float(i % 3) for i in range(9)]}
    words = {"w0": ["n/a" if i == 3 else f"{i}.5" for i in range(9)], "title": [f"t{i}" for i in range(9)]}
    words['w "1"'] = [None if i == 4 else f"{i},25" for i in range(9)]
    frame = lazy(kind, pa.table(numbers | words), con)
    (told,) = (text for text in said(lambda: sqlrp.project(P, frame)) if "left out" in text)
    assert told == next(text for text in said(lambda: sqlrp.project(P, pa.table(numbers | words))) if "left" in text)
    assert "'w0' is text, and most of it reads as numbers; it holds 'n/a'" in told
    assert "'w \"1\"' holds '0,25', a number with a decimal comma" in told
    assert not [t for t in said(lambda: sqlrp.project(P, frame, keep=["w0", 'w "1"', "title"])) if "left out" in t]


def test_a_lazy_frame_that_fails_fails_when_it_is_read(con: duckdb.DuckDBPyConnection) -> None:
    """A look at its first rows hides no error and takes no row: a stream of Arrow is read once."""
    rows = pa.table({"id": range(9), "a": [1.0] * 9, "b": [2.0] * 9, "c": [3.0] * 9, "w": list("123456789")})
    failing = (
        pl.DataFrame(rows)
        .lazy()
        .with_columns(pl.col("w") + pl.col("w").cast(pl.Int8).cast(pl.String).str.head(1).replace_strict({}))
    )
    made = sqlrp.project(P, failing)
    with pytest.raises(pl.exceptions.PolarsError):
        made.collect()
    reader = rows.to_reader(max_chunksize=2)
    assert len(sqlrp.project(P, con.from_arrow(reader)).fetchall()) == 9


def test_the_last_line_of_the_command_names_what_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    duckdb.sql("COPY (SELECT range AS id, 1.5 AS a, range AS b, 't' || range AS title FROM range(9)) TO 'in.parquet'")
    out, kept = " ('a', 'b'); left out: text 'title'; none of them NULL, in ", " ('a', 'b'), none of them NULL, in "
    for keep, want in (((), out), (("--keep", "title"), kept)):
        run = CliRunner().invoke(cli, ["project", "in.parquet", "-o", "out.parquet", "-k", "1", *keep])
        assert want in run.output


@pytest.mark.parametrize("name", ["postgresql"])
def test_text_that_a_role_may_not_read_is_not_looked_at(db: Database, name: str) -> None:
    """The role reads the features alone; the transaction goes on."""
    table = db.make("half", [("id", "BIGINT"), ("a", "float8"), ("b", "float8"), ("w", "text")], [[1, 2, 3, "4"]])
    con, role = db.connection, "half_reader"
    db.run(f"DROP ROLE IF EXISTS {role}")
    db.run(f"CREATE ROLE {role}")
    db.run(f"GRANT USAGE ON SCHEMA {db.engine.quote(db.schema)} TO {role}")
    db.run(f"GRANT SELECT (id, a, b) ON {table} TO {role}")
    try:
        with con.engine.connect() as own:
            own.exec_driver_sql(f"SET search_path TO {db.engine.quote(db.schema)}")
            own.exec_driver_sql(f"SET ROLE {role}")
            assert sqlrp.project(P, table, own).num_rows == 1
            assert own.exec_driver_sql("SELECT 1").scalar() == 1
    finally:
        db.run(f"DROP OWNED BY {role}")
        db.run(f"DROP ROLE {role}")
