"""Views over DuckDB's functions: a view reads the table of its own place, with the columns that it was written for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from databases import with_functions

import sqlrp
from sqlrp import SparseProjection

pytestmark = pytest.mark.slow

WORDS = "are not those that this call was written for: a view reads the table in its own schema"
CALLS = {
    "columns": "rp_project('t', k := 2, s := 1)",
    "named": "rp_project('t', k := 2, s := 1, features := ['a'])",
    "lists": "rp_project('t', k := 2, s := 1, lowering := 'indexed')",
    "array": "rp_project('t', k := 2, s := 1, array_column := 'v', n_features := 2)",
    "long": "rp_project('t', k := 2, s := 1, feature := 'a', value := 'b', n_features := 8)",
    "saved": "project_with('m', 't')",
}
TABLE = "SELECT i AS id, i * 2 AS a, i * 3 AS b{more} FROM range(1, 4) r(i)"


@pytest.fixture(params=CALLS)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, duckdb.DuckDBPyConnection]]:
    """A file with the functions, a table t, a saved projection and a view r over a function; a connection to it."""
    path = tmp_path / "kept.duckdb"
    with with_functions(path) as con:
        more = ", [i, 2 * i] AS v" if request.param == "array" else ""
        con.execute(f"CREATE TABLE t AS {TABLE.format(more=more)}")
        sqlrp.save(SparseProjection(k=2, s=1), con, "m")
        con.execute(f"CREATE VIEW r AS FROM {CALLS[request.param]}")
        yield path, con


def rows(con: duckdb.DuckDBPyConnection, view: str) -> list[tuple[object, ...]]:
    return sorted(con.execute(f"FROM {view}").fetchall())


def test_the_rows_are_those_of_the_view_s_table(file: tuple[Path, duckdb.DuckDBPyConnection]) -> None:
    _, con = file
    want = rows(con, "r")
    con.execute("CREATE SCHEMA s2; CREATE TABLE s2.t AS FROM main.t WHERE false; USE s2")
    assert rows(con, "main.r") == want


@pytest.mark.parametrize("file", ["saved"], indirect=True)
def test_the_projection_is_that_of_the_view_s_schema(file: tuple[Path, duckdb.DuckDBPyConnection]) -> None:
    _, con = file
    want = rows(con, "r")
    con.execute("CREATE SCHEMA s2; CREATE TABLE s2.t AS FROM main.t WHERE id = 2; USE s2")
    sqlrp.save(SparseProjection(k=2, s=1, seed=5), con, "m")
    assert rows(con, "main.r") == want


def test_other_columns_there_are_refused(file: tuple[Path, duckdb.DuckDBPyConnection]) -> None:
    _, con = file
    con.execute("CREATE SCHEMA s2; CREATE TABLE s2.t AS SELECT * EXCLUDE (a), a FROM main.t; USE s2")
    with pytest.raises(duckdb.Error, match=WORDS):
        con.execute("FROM main.r").fetchall()


@pytest.mark.parametrize("file", ["columns", "named", "lists", "saved"], indirect=True)
def test_no_feature_is_left_out(file: tuple[Path, duckdb.DuckDBPyConnection]) -> None:
    _, con = file
    con.execute("CREATE SCHEMA s2; CREATE TABLE s2.t (id BIGINT, a BIGINT); USE s2")
    with pytest.raises(duckdb.Error, match=WORDS):
        con.execute("FROM main.r").fetchall()


def test_a_temporary_table_hides_the_table_with_all_its_columns(file: tuple[Path, duckdb.DuckDBPyConnection]) -> None:
    _, con = file
    con.execute("CREATE TEMP TABLE t AS FROM main.t WHERE id = 2")
    con.execute("CREATE VIEW plain AS FROM t")
    # As in any view of DuckDB, the temporary table is read; its columns and its rows.
    assert {row[0] for row in rows(con, "r")} == {row[0] for row in rows(con, "plain")} == {2}


def found(con: duckdb.DuckDBPyConnection, view: str) -> list[tuple[object, ...]] | str:
    """The rows, or the words of a refusal."""
    try:
        return rows(con, view)
    except duckdb.InvalidInputException as error:
        return f"{error}"


TABLES = {"none": None, "turned": "SELECT * EXCLUDE (a), a FROM kept.t", "empty": "FROM kept.t WHERE false"}


@pytest.mark.parametrize("file", ["columns", "array", "saved"], indirect=True)
def test_a_file_that_is_attached(file: tuple[Path, duckdb.DuckDBPyConnection]) -> None:
    """The rows are right, or the call is refused in words: never another table, nor another saved projection."""
    path, con = file
    want = rows(con, "r")
    con.close()
    with duckdb.connect() as other:
        other.execute(f"ATTACH '{path}' AS kept (READ_ONLY)")
        for table in TABLES.values():
            other.execute(f"CREATE OR REPLACE TABLE t AS {table}" if table else "SELECT 1")
            assert rows(other, "kept.r") == want
        sqlrp.install(other)
        for seed in (None, 5):
            if seed is not None:
                sqlrp.save(SparseProjection(k=2, s=1, seed=seed), other, "m")
            for name, table in TABLES.items():
                other.execute(f"CREATE OR REPLACE TABLE t AS {table}" if table else "DROP TABLE t")
                words = {"none": 'source "t" cannot be read', "turned": WORDS}
                said = found(other, "kept.r")
                missing = "USE the database of the view"
                assert said == want or words.get(name, missing) in str(said) or (seed is None and missing in str(said))
        other.execute("USE kept")
        assert rows(other, "r") == want


@pytest.mark.parametrize("json", ["true", "false"])
def test_more_columns_than_a_vector_are_read_in_their_order_by_two_threads(json: str) -> None:
    columns = ", ".join(f"CAST(i AS FLOAT) AS f{j}" for j in range(2_060))
    with duckdb.connect(config={"threads": "2"}) as con:
        con.execute(f"CREATE TABLE t AS SELECT i AS id, {columns} FROM range(3) r(i)")
        sqlrp.install(con)
        con.execute(f"SET VARIABLE sqlrp_json = {json}")
        for _ in range(8):
            assert len(con.execute("SELECT z0 FROM rp_project('t', k := 1, s := 50)").fetchall()) == 3
