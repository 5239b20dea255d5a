"""Kinds of export: views that follow their source, as each engine has them, tables, and functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
import sqlglot
from click.testing import CliRunner
from databases import Database
from helpers import METHODS, assert_close, assert_one_line, cells, magnitude, oracle

import sqlrp
from sqlrp import Array, Join, LimitError, Long, ParameterError, SparseProjection, UnsupportedError, Wide
from sqlrp._cli.app import cli

LINEAR = SparseProjection(k=2, s=1, seed=1)
SOURCE = Wide("docs", features=["a", "b", "c"])
EMBEDDING = Array("docs", "x", n_features=3)
STARTS = {
    "postgresql": 'CREATE MATERIALIZED VIEW "docs_rp" AS\nSELECT ',
    "redshift": 'CREATE MATERIALIZED VIEW "docs_rp" AS\nSELECT ',
    "databricks": "CREATE MATERIALIZED VIEW `docs_rp` AS\nSELECT ",
    "clickhouse": "CREATE MATERIALIZED VIEW `docs_rp` ENGINE = MergeTree ORDER BY tuple() POPULATE AS\nWITH ",
    "snowflake": 'CREATE DYNAMIC TABLE "docs_rp" TARGET_LAG = \'10 minutes\' WAREHOUSE = "small" AS\nSELECT ',
    "bigquery": "CREATE MATERIALIZED VIEW `docs_rp` OPTIONS (allow_non_incremental_definition = true, "
    "max_staleness = INTERVAL '10' MINUTE) AS\nSELECT ",
}


def exported(folder: Path, engine: Any, source: Any = SOURCE, projection: Any = LINEAR, **options: Any) -> str:
    """The text of the only file."""
    (path,) = sqlrp.export(projection, source, engine, folder / "made", into="docs_rp", **options)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("engine", STARTS)
def test_a_materialized_view(tmp_path: Path, engine: str) -> None:
    text = exported(tmp_path, engine, kind="materialized view", lag="10 minutes", warehouse="small")
    assert text.startswith(STARTS[engine])
    own = sqlrp.sql(LINEAR, SOURCE, engine)
    assert text == STARTS[engine][: STARTS[engine].index("\n") + 1] + own + ";\n"
    (statement,) = sqlglot.parse(text, read=engine.replace("postgresql", "postgres"))
    assert statement is not None


@pytest.mark.parametrize("engine", ["duckdb", "sqlite", "mariadb", "mysql", "spark", "trino", "generic"])
def test_engines_without_one_say_so(tmp_path: Path, engine: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        exported(tmp_path, engine, kind="materialized view")
    assert_one_line(caught, engine, "kind = 'table'")
    assert not list(tmp_path.iterdir())


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    made: dict[str, Any] = {"kind": "materialized view"}
    with pytest.raises(ParameterError, match="warehouse = None"):
        exported(tmp_path, "snowflake", **made)
    with pytest.raises(ParameterError, match="lag = 'soon'"):
        exported(tmp_path, "bigquery", lag="soon", **made)
    with pytest.raises(ParameterError, match="kind = 'cube' must be one of view, table"):
        exported(tmp_path, "bigquery", kind="cube")
    with pytest.raises(UnsupportedError, match="sees the rows of one INSERT"):
        exported(tmp_path, "clickhouse", Long("docs", n_features=3), **made)
    with pytest.raises(UnsupportedError, match="sees the rows of one INSERT"):
        exported(tmp_path, "clickhouse", SOURCE, sqlrp.BilinearPooling(k=3), **made)
    with pytest.raises(UnsupportedError, match="fit neither a view"):  # steps of temporary tables
        exported(tmp_path, "redshift", lowering="relational", **made)
    big = sqlrp.GaussianProjection(k=200, seed=1)
    with pytest.raises(LimitError, match="fit neither a view"):
        exported(tmp_path, "bigquery", Wide("docs", features=[f"f{j}" for j in range(400)]), big, **made)
    joined = Join(Wide("facts", features=["n"], keep=["doc"]), {"doc": SOURCE})
    with pytest.raises(UnsupportedError, match="a join"):
        exported(tmp_path, "postgresql", joined, **made)
    with pytest.raises(ParameterError, match="pass Array"):
        exported(tmp_path, "duckdb", kind="function")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["clickhouse"])
@pytest.mark.parametrize("method", ["linear", "degree3-c"])
@pytest.mark.parametrize("layout", ["wide", "array"])
def test_clickhouse_computes_rows_as_they_are_inserted(
    db: Database, name: str, method: str, layout: str, tmp_path: Path
) -> None:
    projection, x = METHODS[method], np.random.default_rng(4).normal(size=(9, 6)).round(3)
    table = f"mv_{layout}_{projection.k}"
    source = db.load(layout, x[:5].tolist(), table=table)
    into = f"{table}_rp"
    (path,) = sqlrp.export(
        projection, source, db.connection, tmp_path / "made", into=into, kind="materialized view", output="vector"
    )
    db.run(path.read_text(encoding="utf-8").rstrip(";\n"))
    for i, row in enumerate(x[5:].tolist(), 5):
        values = str(row) if layout == "array" else str(row)[1:-1]
        db.run(f"INSERT INTO {table} VALUES ({i}, {values})")
    found = cells(db.connector.fetch(db.connection, f"SELECT id, z FROM {into}"), "array", projection.k)
    assert_close(found, oracle(projection, x), magnitude(projection, x), rtol=2.0**-22)


@pytest.mark.parametrize("name", ["postgresql"])
def test_postgresql_s_view_is_refreshed(db: Database, name: str, tmp_path: Path) -> None:
    x = np.random.default_rng(4).normal(size=(6, 4)).round(3)
    source = db.load("wide", x[:4].tolist(), table="viewed")
    (path,) = sqlrp.export(
        METHODS["linear"], source, db.connection, tmp_path / "made", into="viewed_rp", kind="materialized view"
    )
    db.run(path.read_text(encoding="utf-8"))
    for i, row in enumerate(x[4:].tolist(), 4):
        db.run(f"INSERT INTO viewed VALUES ({i}, {str(row)[1:-1]})")
    db.run("REFRESH MATERIALIZED VIEW viewed_rp")
    found = cells(db.connector.fetch(db.connection, "SELECT * FROM viewed_rp"), "columns", 7)
    assert_close(found, oracle(METHODS["linear"], x), magnitude(METHODS["linear"], x))


def test_a_function_and_a_table(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    con.execute("CREATE TABLE docs AS SELECT i AS id, [i * 1.5, i, 2]::DOUBLE[3] AS x FROM range(4) r(i)")
    con.execute(exported(tmp_path / "f", con, Array("docs", "x"), kind="function"))
    con.execute(exported(tmp_path / "t", con, Array("docs", "x"), kind="table", output="array").replace("_rp", "_made"))
    same = con.execute("SELECT docs_rp(x) = z FROM docs JOIN docs_made USING (id)").fetchall()
    assert same == [(True,)] * 4
    text = exported(tmp_path / "v", "snowflake", EMBEDDING, kind="function", output="vector")
    assert "RETURNS VECTOR(FLOAT, 2)" in text
    assert text == sqlrp.function_sql(LINEAR, "snowflake", "docs_rp", n_features=3, returns="vector") + ";\n"


def test_the_command_line(tmp_path: Path) -> None:
    asked = ["export", "docs", "--features", "a,b,c", "-k", "2", "--dialect", "snowflake", "--into", "docs_rp"]
    more = ["--kind", "materialized view", "--warehouse", "small", "--lag", "1 day", str(tmp_path / "made")]
    result = CliRunner().invoke(cli, [*asked, *more])
    assert result.exit_code == 0, result.output
    (path,) = (tmp_path / "made").iterdir()
    assert path.read_text().startswith('CREATE DYNAMIC TABLE "docs_rp" TARGET_LAG = \'1 day\' WAREHOUSE = "small"')
    asked[asked.index("snowflake")] = "clickhouse"
    result = CliRunner().invoke(cli, [*asked, "--kind", "table", "--cluster", "shards", str(tmp_path / "parts")])
    assert result.exit_code == 0, result.output
    files = sorted(path.name for path in (tmp_path / "parts").iterdir())
    assert files == ["01_rows.sql", "02_local.sql", "03_table.sql", "04_fill.sql", "05_cleanup.sql"]
