"""Results as vectors and as 32-bit floats: the numbers of the default output, rounded, in the type asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sqlglot
from click.testing import CliRunner
from cover import factors, pairwise
from databases import FAMILY, Database, pgvector_schema
from helpers import METHODS, assert_close, assert_one_line, cells, load, magnitude, oracle

import sqlrp
from sqlrp import Array, LimitError, ParameterError, StatementError, UnsupportedError, Wide
from sqlrp._cli.app import cli
from sqlrp._core.options import Options
from sqlrp._core.sources import Source
from sqlrp._run.execution import _listed
from sqlrp._run.table_input import planned

D = 9
X = np.random.default_rng(5).normal(0, 2, (6, D)).round(3)
X[np.random.default_rng(6).random(X.shape) < 0.2] = 0
X[:, 0] += 1
NULL = 4
"""The row with a NULL."""
ROWS = [[None if (i, j) == (NULL, 2) else v for j, v in enumerate(row)] for i, row in enumerate(X.tolist())]
WITH_NULL = np.arange(len(X)) == NULL
METHOD = METHODS["degree3-c"]
SHAPES = {
    "columns": ("columns", "float32"),
    "array": ("array", "float32"),
    "long": ("long", "float32"),
    "vector": ("vector", "auto"),
    "vector-32": ("vector", "float32"),
}
LOWERINGS = {
    "duckdb": ("inline", "indexed", "relational", "native"),
    "clickhouse": ("inline", "indexed", "relational"),
    "postgresql": ("inline", "relational"),
    "mariadb": ("inline", "relational"),
    "mysql": ("inline", "relational"),
}


def usable(name: str, layout: str, shape: str, lowering: str, scale: bool) -> bool:
    if shape.startswith("vector") and name in ("postgresql", *FAMILY):
        return False  # pgvector has a test of its own
    if name in FAMILY and (shape == "array" or layout == "array"):
        return False
    return layout != "long" or lowering in ("relational", "native")


def single(kind: pa.DataType, shape: str) -> bool:
    """Whether a column's type is that of 32-bit floats, or of lists of them."""
    inner = kind.value_type if shape in ("array", "vector") else kind
    return bool(inner == pa.float32())


def assert_rounded(
    table: pa.Table, shape: str, scale: bool, null: Any = WITH_NULL, precision: float = 2.0**-22
) -> None:
    """The exact numbers, relative to the size of a row."""
    output, _ = SHAPES[shape]
    found = cells(table, "array" if output == "vector" else output, METHOD.k, sparse=output == "long")
    x = np.nan_to_num(X)
    want, size = oracle(METHOD, x, scale), magnitude(METHOD, x, scale)
    for i, row in found.items():
        if null[i]:
            assert all(v is None or np.isnan(v) for v in row)
        else:
            np.testing.assert_allclose(np.array(row, dtype=float), want[i], rtol=0, atol=precision * size[i])


FACTORS: dict[str, Any] = {"layout": ["wide", "array", "long"], "shape": list(SHAPES), "scale": [True, False]}


@pairwise(*(factors(usable, name=[name], lowering=list(lowerings), **FACTORS) for name, lowerings in LOWERINGS.items()))
def test_numbers_are_rounded_and_of_the_type_that_is_asked_for(
    db: Database, name: str, layout: str, shape: str, lowering: str, scale: bool
) -> None:
    table = f"v_{layout}"
    if table not in db.tables:
        db.tables[table] = db.load(layout, ROWS, table=table)
    output, dtype = SHAPES[shape]
    got = sqlrp.project(
        METHOD,
        db.tables[table],
        db.connection,
        output=output,
        dtype=dtype,
        lowering=lowering,
        scale=scale,  # type: ignore[arg-type]
    )
    if name not in FAMILY:  # whose drivers return every float as one of 64 bits
        assert single(got.schema.types[-1], output)
    # The server sends six digits of a FLOAT.
    assert_rounded(got, shape, scale, precision=1e-5 if name in FAMILY else 2.0**-22)


# -- pgvector ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with ExitStack() as stack:
        connection = pgvector_schema(stack)
        connection.exec_driver_sql("CREATE TABLE docs (id bigint, x double precision[])")
        for i, row in enumerate(ROWS):
            values = ",".join("NULL" if v is None else repr(v) for v in row)
            connection.exec_driver_sql(f"INSERT INTO docs VALUES ({i}, '{{{values}}}')")
        yield connection


@pytest.mark.parametrize("lowering", ["inline", "relational"])
def test_pgvector_s_types(server: Any, lowering: str) -> None:
    source = Array("docs", "x")
    got = sqlrp.project(METHOD, source, server, output="vector", lowering=lowering)
    assert got.schema.field("z").type == pa.list_(pa.float32())
    assert_rounded(got, "vector", True)
    for dtype, kind in (("auto", "vector(5)"), ("float16", "halfvec(5)")):
        sqlrp.materialize(
            METHOD,
            source,
            server,
            "made",
            output="vector",
            dtype=dtype,
            lowering=lowering,
            replace=True,  # type: ignore[arg-type]
        )
        query = "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'made'::regclass"
        assert server.exec_driver_sql(f"{query} AND attname = 'z'").scalar() == kind
        if dtype == "auto":
            found = {i: json.loads(z) for i, z in server.exec_driver_sql("SELECT id, z FROM made") if z}
            want = {i: z for i, z in zip(*got.to_pydict().values(), strict=True) if z}
            assert found == want or max(np.abs(np.array(found[i]) - want[i]).max() for i in want) < 1e-5
    server.exec_driver_sql(f"INSERT INTO docs VALUES (77, '{{{','.join(['1'] * D)}}}')")
    assert sqlrp.refresh(server, "made") == 1
    server.exec_driver_sql("DELETE FROM docs WHERE id = 77")


@pytest.mark.parametrize("name", ["postgresql"])
def test_a_server_without_pgvector_says_what_to_do(db: Database, name: str) -> None:
    if db.run_query("SELECT 1 FROM pg_type WHERE typname = 'vector'"):
        pytest.skip("the server has pgvector")
    source = db.load("wide", X.tolist(), table="plain")
    with pytest.raises(StatementError, match="CREATE EXTENSION vector"):
        sqlrp.project(METHOD, source, db.connection, output="vector")


@pytest.mark.parametrize("name", ["mariadb"])
def test_vectors_of_mariadb(db: Database, name: str) -> None:
    """On a server before 11.7, the error names the version; a function of that name then gives the text of a vector."""
    source = db.load("wide", ROWS, table="plain")
    if not db.run_query("SELECT 1 FROM information_schema.sql_functions WHERE function = 'VEC_FROMTEXT'"):
        with pytest.raises(StatementError, match=r"MariaDB 11\.7 or newer"):
            sqlrp.project(METHOD, source, db.connection, output="vector")
        db.run("CREATE FUNCTION VEC_FromText(t LONGTEXT) RETURNS LONGTEXT DETERMINISTIC RETURN t")
    for lowering in ("inline", "relational"):
        got = sqlrp.project(METHOD, source, db.connection, output="vector", lowering=lowering)
        assert got.schema.field("z").type == pa.list_(pa.float32())
        want, size = oracle(METHOD, np.array(ROWS, dtype=float)), magnitude(METHOD, X)
        assert_close(cells(got, "array", METHOD.k), want, size, rtol=2.0**-22, null=WITH_NULL)


def test_the_bytes_of_mariadb_s_vectors_are_read() -> None:
    values = np.array([1.5, -2, 3], dtype="<f4")
    rows = pa.table({"id": [1, 2], "z": pa.array([values.tobytes(), None], pa.binary())})
    job = planned(sqlrp.SparseProjection(k=3), SOURCE, "mariadb", Options(output="vector"), quiet=True).job
    assert _listed(rows, job).column("z").to_pylist() == [[1.5, -2, 3], None]


# -- tables, frames, files ---------------------------------------------------------------------------------


def test_a_kept_table_stays_of_its_type(con: duckdb.DuckDBPyConnection) -> None:
    source = load(con, "array", X.tolist())
    sqlrp.materialize(METHOD, source, con, "made", output="vector")
    sqlrp.materialize(METHOD, source, con, "halved", dtype="float32")
    con.execute("INSERT INTO t SELECT id + 100, x FROM t WHERE id < 3")
    for table, kinds in (("made", ["FLOAT[5]"]), ("halved", ["FLOAT"] * 5)):
        assert sqlrp.refresh(con, table) == 3
        assert [row[1] for row in con.execute(f"DESCRIBE {table}").fetchall()][1:] == kinds
        assert sqlrp.refresh(con, table, everything=True) == 9
    assert con.execute("SELECT count(*) FROM made a JOIN made b ON a.z = b.z AND b.id = a.id + 100").fetchone() == (3,)


def test_a_record_says_the_type(con: duckdb.DuckDBPyConnection) -> None:
    source = load(con, "wide", X.tolist())
    sqlrp.materialize(METHOD, source, con, "made")
    sqlrp.materialize(METHOD, source, con, "small", dtype="float32")
    found = con.execute("SELECT definition FROM sqlrp_catalogue WHERE kind = 'materialized' ORDER BY name").fetchall()
    assert [json.loads(text)["dtype"] for (text,) in found] == ["auto", "float32"]
    assert sqlrp.refresh(con, "made") == sqlrp.refresh(con, "small") == 0
    assert sqlrp.check(con) == []


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "lazy polars", "relation"])
def test_frames(con: duckdb.DuckDBPyConnection, kind: str, shape: str) -> None:
    columns: dict[str, Any] = {"id": list(range(len(X)))} | {f"f{j}": X[:, j] for j in range(D)}
    frame = pd.DataFrame(columns)
    frames = {
        "pandas": lambda: frame,
        "polars": lambda: pl.DataFrame(columns),
        "arrow": lambda: pa.table(columns),
        "lazy polars": lambda: pl.LazyFrame(columns),
        "relation": lambda: con.from_df(frame),
    }
    output, dtype = SHAPES[shape]
    got = sqlrp.project(METHOD, frames[kind](), output=output, dtype=dtype)  # type: ignore[arg-type]
    if kind == "relation":
        assert str(got.types[-1]) == ("FLOAT[5]" if output in ("array", "vector") else "FLOAT")
    table = {
        "pandas": lambda: pa.table({name: pa.array(list(got[name])) for name in got.columns}),
        "polars": lambda: pl.DataFrame(got).to_arrow(),
        "arrow": lambda: got,
        "lazy polars": lambda: got.collect().to_arrow(),
        "relation": lambda: pa.table(got.to_arrow_table()),
    }[kind]()
    assert_rounded(table, shape, True, null=~np.isfinite(X[:, 0]))
    assert kind == "pandas" or single(table.schema.types[-1], output)
    if kind == "pandas" and output == "columns":
        assert {str(t) for t in got.dtypes[1:]} == {"float32"}


def test_whole_numbers_become_floats(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE w AS SELECT i AS id, i % 7 AS a, i % 5 AS b, i::DECIMAL(5,2) / 4 AS c FROM range(9) r(i)")
    for features in (["a", "b"], ["c"]):
        source = Wide("w", features=features)
        exact = cells(sqlrp.project(METHODS["linear"], source, con, scale=False), "columns", 7)
        for lowering in LOWERINGS["duckdb"]:
            for shape in ("columns", "array", "vector"):
                output, dtype = SHAPES[shape]
                got = sqlrp.project(
                    METHODS["linear"],
                    source,
                    con,
                    scale=False,
                    output=output,
                    dtype=dtype,
                    lowering=lowering,  # type: ignore[arg-type]
                )
                assert single(got.schema.types[-1], output)
                found = cells(got, "columns" if output == "columns" else "array", 7)
                assert found == {i: [float(v) for v in row if v is not None] for i, row in exact.items()}


def test_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(path) as con:
        load(con, "array", X.tolist())
    asked = ["--db", str(path), "--table", "t", "--array-column", "x", "-k", "4"]
    run = CliRunner().invoke
    result = run(cli, ["project", *asked, "--output", "vector", "--into", "made"])
    assert result.exit_code == 0, result.output
    result = run(cli, ["project", *asked, "--dtype", "float32", "-o", str(tmp_path / "made.parquet")])
    assert result.exit_code == 0, result.output
    with duckdb.connect(path) as con:
        assert con.execute("SELECT typeof(z) FROM made LIMIT 1").fetchone() == ("FLOAT[4]",)
        query = f"SELECT DISTINCT typeof(z3) FROM '{tmp_path / 'made.parquet'}'"
        assert con.execute(query).fetchall() == [("FLOAT",)]
    result = run(cli, ["sql", "t", "--features", "a,b", "-k", "2", "--dialect", "snowflake", "--output", "vector"])
    assert "AS VECTOR(FLOAT, 2))" in result.output
    result = run(cli, ["sql", "t", "--features", "a,b", "-k", "2", "--dialect", "bigquery", "--dtype", "float32"])
    assert result.exit_code != 0
    assert "dtype" in result.output


# -- text and refusals -------------------------------------------------------------------------------------

SOURCE: Source = Wide("t", features=["a", "b"])


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("duckdb", r"FLOAT\[3\]"),
        ("postgresql", r"vector\(3\)"),
        ("snowflake", r"VECTOR\(FLOAT, 3\)"),
        ("clickhouse", r"Float32"),
        ("spark", "ARRAY<FLOAT>"),
        ("databricks", "ARRAY<FLOAT>"),
        ("bigquery", r"ARRAY\[-?\w"),
        ("trino", r"ARRAY\(DOUBLE\)"),
        ("redshift", r"ARRAY\(-?\w"),
        ("mariadb", r"VEC_FromText\(concat\("),
        ("mysql", r"STRING_TO_VECTOR\(concat\("),
    ],
)
def test_the_text_names_the_type(name: str, kind: str) -> None:
    projection = sqlrp.SparseProjection(k=3, s=1, seed=1)
    text = sqlrp.sql(projection, SOURCE, name, output="vector", scale=False)
    assert re.search(kind, text), text
    if name in ("snowflake", "bigquery", "redshift", "trino", "databricks"):
        assert sqlglot.parse_one(text, read=name).find(sqlglot.exp.Select)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("sqlite", {"output": "vector"}, ("vector", "sqlite", "columns")),
        ("mariadb", {"output": "array"}, ("array", "mariadb", "columns")),
        ("generic", {"output": "vector"}, ("vector", "generic", "columns")),
        ("sqlite", {"dtype": "float32"}, ("float32", "sqlite", "leave dtype out")),
        ("bigquery", {"dtype": "float32"}, ("float32", "bigquery", "leave dtype out")),
        ("snowflake", {"output": "array", "dtype": "float32"}, ("float32", "snowflake")),
        ("trino", {"output": "vector", "dtype": "float32"}, ("float32", "trino")),
        ("duckdb", {"output": "vector", "dtype": "float16"}, ("float16", "duckdb")),
        ("postgresql", {"dtype": "float16"}, ("float16", "postgresql", "output = 'vector'")),
    ],
)
def test_refusals(name: str, options: dict[str, Any], words: tuple[str, ...]) -> None:
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.sql(sqlrp.SparseProjection(k=3, s=1), SOURCE, name, **options)
    assert_one_line(caught, *words)


def test_limits_and_unknown_types() -> None:
    for name, most in (("postgresql", 16_000), ("snowflake", 4_096)):
        with pytest.raises(LimitError) as caught:
            sqlrp.sql(sqlrp.SparseProjection(k=most + 1), SOURCE, name, output="vector", lowering="relational")
        assert_one_line(caught, f"{most:,}", "lower k")
    with pytest.raises(ParameterError) as wrong:
        sqlrp.sql(sqlrp.SparseProjection(k=3), SOURCE, "duckdb", dtype="float8")  # type: ignore[arg-type]
    assert_one_line(wrong, "float8", "float32")
