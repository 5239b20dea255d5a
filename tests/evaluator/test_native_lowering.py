"""The native lowering, which evaluates rows in batches in this process. The contract tests its numbers."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import duckdb
import numpy as np
import pytest
import sqlalchemy as sa
from helpers import METHODS, assert_close, assert_one_line, cells, load, magnitude, oracle, projected

import sqlrp
from sqlrp import Array, Join, SparseProjection, StatementError, UnsupportedError, Wide

Connection = duckdb.DuckDBPyConnection
ROWS = np.random.default_rng(0).normal(size=(20, 6))


def test_it_has_no_text(con: Connection, tmp_path: Path) -> None:
    source = load(con, "wide", ROWS.tolist())
    projection, named = SparseProjection(k=2), Wide("t", features=["a"])
    for call in (
        lambda: sqlrp.sql(projection, source, con, lowering="native"),
        lambda: sqlrp.sql(projection, named, "duckdb", lowering="native"),
        lambda: sqlrp.explain(projection, named, "duckdb", lowering="native"),
        lambda: sqlrp.export(projection, source, con, tmp_path / "out", lowering="native"),
    ):
        with pytest.raises(UnsupportedError) as caught:
            call()
        assert_one_line(caught, "lowering = 'native' is not supported here: it writes no SQL", "lowering = 'auto'")
    assert not (tmp_path / "out").exists()
    with pytest.raises(UnsupportedError, match="only the rows of tables and files are read in batches"):
        sqlrp.project(projection, con.sql("FROM t"), lowering="native")


def test_explain_says_what_it_is(con: Connection) -> None:
    source, projection = load(con, "wide", ROWS.tolist()), METHODS["linear"]
    explanation = sqlrp.explain(projection, source, con, lowering="native")
    assert explanation.lowering == "native"
    assert "native: as asked" in str(explanation)
    assert "natively in this process, in batches" in str(explanation)
    assert explanation.text == sqlrp.sql(projection, source, con)
    for lowering in ("inline", "sql"):
        assert "in batches" not in str(sqlrp.explain(projection, source, con, lowering=lowering))


def test_a_join_of_columns_is_read_and_one_of_arrays_is_refused(con: Connection) -> None:
    con.execute("CREATE TABLE sales AS SELECT range AS id, range % 2 AS customer, 1.5 * range AS a FROM range(4)")
    con.execute("CREATE TABLE customers AS SELECT range AS id, range + 0.5 AS b, -range AS c FROM range(2)")
    join = Join(Wide("sales", features=["a"]), {"customer": Wide("customers", features=["b", "c"])})
    projection = SparseProjection(k=2, s=1, seed=4323)
    assert sqlrp.explain(projection, join, con, lowering="native").lowering == "native"
    rows = sqlrp.project(projection, join, con, lowering="native")
    assert rows.sort_by("id").equals(sqlrp.project(projection, join, con, lowering="inline").sort_by("id"))
    con.execute("CREATE TABLE arrays AS SELECT id, [b, c]::DOUBLE[2] AS e FROM customers")
    join = Join(Wide("sales", features=["a"]), {"customer": Array("arrays", "e")})
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.project(projection, join, con, lowering="native")
    assert_one_line(caught, "it writes no SQL, and reads the rows of one table", "use lowering = 'auto'")


def test_other_engines_write_none() -> None:
    """Rows that come from SQLite are evaluated here, and none that go into it: see `test_fetched_rows.py`."""
    with sa.create_engine("sqlite://").connect() as connection:
        connection.exec_driver_sql("CREATE TABLE t (id INTEGER PRIMARY KEY, a REAL)")
        with pytest.raises(UnsupportedError) as caught:
            sqlrp.materialize(SparseProjection(k=2), "t", connection, "made", lowering="native")
    assert_one_line(caught, "sqlite does not pass rows to this process in batches", "lowering = 'auto'")


def test_functions_are_plain_sql_and_refuse_it(con: Connection) -> None:
    sqlrp.install(con)
    load(con, "wide", ROWS.tolist())
    assert len(con.execute("FROM rp_project('t', k := 2, lowering := 'sql')").fetchall()) == len(ROWS)
    with pytest.raises(
        duckdb.Error, match="lowering = 'native' is not supported here: the extension sqlrp is not loaded"
    ):
        con.execute("FROM rp_project('t', k := 2, lowering := 'native')")


def test_what_was_fitted_and_what_is_kept(con: Connection) -> None:
    source = load(con, "wide", ROWS.tolist())
    fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=3, sample=20), source, con)
    want = projected(con, fitted, source)
    assert_close(projected(con, fitted, source, lowering="native"), np.array([want[i] for i in range(20)]), np.ones(20))
    assert sqlrp.materialize(fitted, source, con, "made", lowering="native") == 20
    con.execute("INSERT INTO t SELECT id + 20, * EXCLUDE (id) FROM t LIMIT 3")
    assert sqlrp.refresh(con, "made") == 3
    kept = cells(con.sql("FROM made").to_arrow_table(), "columns", 3)
    assert kept[22] == pytest.approx(kept[2], rel=1e-12)


def test_an_empty_table_and_null_rows_only(con: Connection) -> None:
    con.execute("CREATE TABLE t (id BIGINT, x DOUBLE[3])")
    source, projection = Array("t", "x"), SparseProjection(k=2, s=1)
    assert projected(con, projection, source, lowering="native") == {}
    con.execute("INSERT INTO t VALUES (0, NULL), (1, [1, NULL, 2])")
    assert projected(con, projection, source, lowering="native") == {0: [None, None], 1: [None, None]}


def test_decimals_that_weights_turn_into_floats(con: Connection) -> None:
    source, projection = load(con, "wide", ROWS.round(3).tolist(), "DECIMAL(9,3)"), sqlrp.GaussianProjection(k=3)
    got = projected(con, projection, source, lowering="native")
    assert_close(got, oracle(projection, ROWS.round(3)), np.abs(ROWS).sum(axis=1))


def test_a_failing_row_is_the_user_s_error(con: Connection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS id, [1.0, 2.0] AS x UNION ALL SELECT 2, [1.0]")
    with pytest.raises(StatementError, match="elements of the others: pad it"):
        sqlrp.project(SparseProjection(k=2, s=1), Array("t", "x"), con, lowering="native")


FIRST = """
import sys, duckdb, sqlrp
con = duckdb.connect()
con.execute("CREATE TABLE t AS SELECT range AS id, 1e0 * range AS a, 2e0 * range AS b, 1e0 AS c FROM range(9)")
sqlrp.materialize(sqlrp.SparseProjection(k=2), "t", con, into="out", lowering="native")
print(sorted({"pandas", "pyarrow.compute", "scipy", "sklearn"} & set(sys.modules)))
"""


def test_the_first_call_imports_no_large_package() -> None:
    said = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True).stdout
    assert said == "[]\n"


def test_first_calls_at_once() -> None:
    # Every thread finds the tables missing that the first call draws.
    for seed in range(3):
        with duckdb.connect() as con:
            source = load(con, "wide", ROWS.tolist())
            projection = SparseProjection(k=4, s=1, seed=seed)
            together, cursors = Barrier(4), [con.cursor() for _ in range(4)]

            def call(cursor: Connection) -> Any:
                together.wait()  # noqa: B023  # called before the loop goes on
                return projected(cursor, projection, source, lowering="native")  # noqa: B023

            with ThreadPoolExecutor(4) as pool:
                found = list(pool.map(call, cursors))
            assert all(result == found[0] for result in found)
            assert_close(found[0], oracle(projection, ROWS), magnitude(projection, ROWS))
