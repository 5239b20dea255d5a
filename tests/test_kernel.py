"""The kernel lowering, which sends rows through a function of this process. The contract tests its numbers."""

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
from helpers import METHODS, OUTPUTS, assert_close, assert_one_line, cells, load, magnitude, oracle, projected

import sqlrp
from sqlrp import Array, Join, PolynomialKernelProjection, SparseProjection, StatementError, UnsupportedError, Wide
from sqlrp.core.options import Options
from sqlrp.engines import connector_of
from sqlrp.lowering import compiled
from sqlrp.lowering.planner import plan
from sqlrp.run.api import job_of
from sqlrp.run.running import run

Connection = duckdb.DuckDBPyConnection
ROWS = np.random.default_rng(0).normal(size=(20, 6))


def test_it_is_asked_for_never_chosen(con: Connection) -> None:
    source = load(con, "wide", ROWS.tolist())
    for projection in METHODS.values():
        estimates = sqlrp.explain(projection, source, con).plan.estimates
        assert "kernel" not in [e.lowering for e in estimates]
        assert "kernel" not in sqlrp.sql(projection, source, con)


def test_explain_says_what_it_is(con: Connection) -> None:
    source = load(con, "wide", ROWS.tolist())
    explanation = sqlrp.explain(METHODS["linear"], source, con, lowering="kernel")
    assert explanation.lowering == "kernel"
    assert "kernel: as asked" in str(explanation)
    assert "not plain SQL" in str(explanation)
    assert "not plain SQL" not in str(sqlrp.explain(METHODS["linear"], source, con))


@pytest.mark.parametrize("call", [sqlrp.sql, sqlrp.explain])
def test_text_for_an_engine_s_name_is_refused(call: Any) -> None:
    with pytest.raises(UnsupportedError) as caught:
        call(SparseProjection(k=2), Wide("t", features=["a"]), "duckdb", lowering="kernel")
    assert_one_line(caught, "lowering = 'kernel'", "pass a connection instead of 'duckdb'", "lowering = 'auto'")


def test_writing_the_text_changes_nothing(con: Connection) -> None:
    job = job_of(SparseProjection(k=2, s=1, seed=4321), load(con, "wide", ROWS.tolist()), con, Options())
    known = list(compiled._CALLED)
    first, second = (plan(job, "kernel").script() for _ in range(2))
    assert first == second
    assert list(compiled._CALLED) == known
    run(connector_of(con), con, first)
    assert list(compiled._CALLED) == [*known, first.calls[0].token]


def test_it_is_asked_for_as_compiled_too(con: Connection) -> None:
    source, projection = load(con, "wide", ROWS.tolist()), SparseProjection(k=3, s=1, seed=4322)
    assert sqlrp.explain(projection, source, con, lowering="compiled").lowering == "kernel"
    assert_close(projected(con, projection, source, lowering="compiled"), oracle(projection, ROWS), np.ones(20) * 10)
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.sql(projection, Wide("t", features=["a"]), "duckdb", lowering="compiled")
    assert_one_line(caught, "lowering = 'compiled'", "pass a connection")


def test_the_tables_of_a_join_pass_through_functions(con: Connection) -> None:
    con.execute("CREATE TABLE sales AS SELECT range AS id, range % 2 AS customer, 1.5 * range AS a FROM range(4)")
    con.execute("CREATE TABLE customers AS SELECT range AS id, range + 0.5 AS b, -range AS c FROM range(2)")
    join = Join(Wide("sales", features=["a"]), {"customer": Wide("customers", features=["b", "c"])})
    projection = SparseProjection(k=2, s=1, seed=4323)
    rows = np.array([[1.5 * i, i % 2 + 0.5, -(i % 2)] for i in range(4)])
    assert_close(projected(con, projection, join, lowering="kernel"), oracle(projection, rows), np.ones(4) * 10)


def test_files_of_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="pass a connection"):
        sqlrp.export(
            SparseProjection(k=2), Wide("t", features=["a"]), "duckdb", str(tmp_path / "out"), lowering="kernel"
        )
    assert not (tmp_path / "out").exists()


def test_other_engines_have_none() -> None:
    with sa.create_engine("sqlite://").connect() as connection:
        connection.exec_driver_sql("CREATE TABLE t (id INTEGER, a REAL)")
        with pytest.raises(UnsupportedError) as caught:
            sqlrp.project(SparseProjection(k=2), "t", connection, lowering="kernel")
    assert_one_line(caught, "sqlite calls no functions of this process", "lowering = 'auto'")


def test_projections_and_connections_do_not_meet(con: Connection) -> None:
    # One query with two of them, a cursor, another database, and a view that is read after other calls.
    source = load(con, "wide", ROWS.tolist())
    first, second = SparseProjection(k=4, s=1, seed=1), PolynomialKernelProjection(k=4, s=1, seed=2, p=9)
    texts = [sqlrp.sql(p, source, con, lowering="kernel") for p in (first, second)]
    con.execute(f"CREATE VIEW kept AS {texts[0]}")
    both = con.sql(f"SELECT * FROM ({texts[0]}) a JOIN ({texts[1]}) b USING (id) ORDER BY id").to_arrow_table()
    z = np.column_stack([column.to_numpy() for column in both.columns[1:]])
    assert np.allclose(z, np.hstack([oracle(first, ROWS), oracle(second, ROWS)]), rtol=1e-9)
    for other in (con.cursor(), duckdb.connect()):
        with other:
            x = ROWS[:, :3]
            load(other, "wide", x.tolist(), table="u")
            assert_close(projected(other, first, "u", lowering="kernel"), oracle(first, x), magnitude(first, x))
    assert_close(
        cells(con.sql("FROM kept").to_arrow_table(), "columns", 4), oracle(first, ROWS), magnitude(first, ROWS)
    )


@pytest.mark.parametrize("output", OUTPUTS)
def test_functions_take_it_as_a_lowering(con: Connection, output: str) -> None:
    sqlrp.install(con)
    projection, source = SparseProjection(k=5, s=2, seed=3), load(con, "array", ROWS.tolist())
    assert isinstance(source, Array)
    call = (
        f"rp_project('t', k := 5, s := 2, seed := 3, array_column := 'x', output := '{output}', lowering := 'kernel')"
    )
    got = cells(con.sql(f"FROM {call}").to_arrow_table(), output, 5)
    assert_close(got, oracle(projection, ROWS), magnitude(projection, ROWS))


def test_what_was_fitted_and_what_is_kept(con: Connection) -> None:
    source = load(con, "wide", ROWS.tolist())
    fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=3, sample=20), source, con)
    want = projected(con, fitted, source)
    assert_close(projected(con, fitted, source, lowering="kernel"), np.array([want[i] for i in range(20)]), np.ones(20))
    assert sqlrp.materialize(fitted, source, con, "made", lowering="kernel") == 20
    con.execute("INSERT INTO t SELECT id + 20, * EXCLUDE (id) FROM t LIMIT 3")
    assert sqlrp.refresh(con, "made") == 3
    kept = cells(con.sql("FROM made").to_arrow_table(), "columns", 3)
    assert kept[22] == kept[2]


def test_an_empty_table_and_null_rows_only(con: Connection) -> None:
    con.execute("CREATE TABLE t (id BIGINT, x DOUBLE[3])")
    source, projection = Array("t", "x"), SparseProjection(k=2, s=1)
    assert projected(con, projection, source, lowering="kernel") == {}
    con.execute("INSERT INTO t VALUES (0, NULL), (1, [1, NULL, 2])")
    assert projected(con, projection, source, lowering="kernel") == {0: [None, None], 1: [None, None]}


def test_a_view_of_another_process(tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    code = (
        "import sys, duckdb, sqlrp\n"
        "con = duckdb.connect(sys.argv[1])\n"
        "con.execute('CREATE TABLE t AS SELECT range AS id, 1.5 AS a, 2.5 AS b FROM range(9)')\n"
        "text = sqlrp.sql(sqlrp.SparseProjection(k=1, s=1, seed=77), 't', con, lowering='kernel')\n"
        "con.execute('CREATE VIEW v AS ' + text)\n"
        "assert len(con.execute('FROM v').fetchall()) == 9\n"
        "con.close()\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    with duckdb.connect(path) as con:
        with pytest.raises(duckdb.Error, match="sqlrp_kernel_"):
            con.execute("FROM v").fetchall()
        sqlrp.install(con)
        with pytest.raises(duckdb.Error, match="written in another process: write the text again"):
            con.execute("FROM v").fetchall()


def test_a_failing_row_is_the_user_s_error(con: Connection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS id, [1.0, 2.0] AS x UNION ALL SELECT 2, [1.0]")
    with pytest.raises(StatementError, match="elements of the others: pad it"):
        sqlrp.project(SparseProjection(k=2, s=1), Array("t", "x"), con, lowering="kernel")


def test_first_calls_at_once() -> None:
    # The first call registers the functions, which every thread finds missing.
    for seed in range(3):
        with duckdb.connect() as con:
            source = load(con, "wide", ROWS.tolist())
            projection = SparseProjection(k=4, s=1, seed=seed)
            together, cursors = Barrier(4), [con.cursor() for _ in range(4)]

            def call(cursor: Connection) -> Any:
                together.wait()  # noqa: B023  # called before the loop goes on
                return projected(cursor, projection, source, lowering="kernel")  # noqa: B023

            with ThreadPoolExecutor(4) as pool:
                found = list(pool.map(call, cursors))
            assert all(result == found[0] for result in found)
            assert_close(found[0], oracle(projection, ROWS), magnitude(projection, ROWS))


def test_written_jobs_are_forgotten_in_the_end(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_KEPT", 3)
    source = load(con, "wide", ROWS.tolist())
    texts = [sqlrp.sql(SparseProjection(k=2, s=1, seed=900 + i), source, con, lowering="kernel") for i in range(9)]
    assert len(compiled._CALLED) == 3
    with pytest.raises(duckdb.Error, match="last 3 of this process"):
        con.execute(texts[0]).fetchall()
    assert len(con.execute(texts[-1]).fetchall()) == 20
