"""The compiled lowering, which sends rows through a function of this process. The contract tests its numbers."""

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
from sqlrp import Array, Join, PolynomialKernelProjection, SparseProjection, StatementError, UnsupportedError, Wide
from sqlrp.core.options import Options
from sqlrp.engines import connector_of
from sqlrp.lowering import compiled
from sqlrp.lowering.planner import plan
from sqlrp.run.api import job_of
from sqlrp.run.running import run

Connection = duckdb.DuckDBPyConnection
ROWS = np.random.default_rng(0).normal(size=(20, 6))


def test_text_has_it_only_on_request(con: Connection) -> None:
    source = load(con, "wide", ROWS.tolist())
    for projection in METHODS.values():
        for lowering in ("auto", "sql"):
            assert "compiled" not in sqlrp.sql(projection, source, con, lowering=lowering)
            assert "compiled" not in sqlrp.explain(projection, source, con, lowering=lowering).text
        assert "sqlrp_compiled_double" in sqlrp.sql(projection, source, con, lowering="compiled")


def test_explain_says_what_it_is(con: Connection) -> None:
    source, projection = load(con, "wide", ROWS.tolist()), METHODS["linear"]
    explanation = sqlrp.explain(projection, source, con, lowering="compiled")
    assert explanation.lowering == "compiled"
    assert "compiled: as asked" in str(explanation)
    assert "compiled in this process, in batches" in str(explanation)
    for lowering in ("inline", "sql"):
        assert "in batches" not in str(sqlrp.explain(projection, source, con, lowering=lowering))


def test_the_old_name_is_deprecated(con: Connection) -> None:
    source, projection = load(con, "wide", ROWS.tolist()), SparseProjection(k=3, s=1, seed=4322)
    for call in (sqlrp.explain, sqlrp.sql, sqlrp.project):
        with pytest.warns(DeprecationWarning, match="use lowering = 'compiled'") as caught:
            call(projection, source, con, lowering="kernel")  # type: ignore[operator]
        assert {w.filename for w in caught} == {__file__}
    with pytest.warns(DeprecationWarning, match="old name"):
        assert sqlrp.explain(projection, source, con, lowering="kernel").lowering == "compiled"


@pytest.mark.parametrize("call", [sqlrp.sql, sqlrp.explain])
def test_text_for_an_engine_s_name_is_refused(call: Any) -> None:
    with pytest.raises(UnsupportedError) as caught:
        call(SparseProjection(k=2), Wide("t", features=["a"]), "duckdb", lowering="compiled")
    assert_one_line(caught, "lowering = 'compiled'", "pass a connection instead of 'duckdb'", "lowering = 'auto'")


def test_writing_the_text_changes_nothing(con: Connection) -> None:
    job = job_of(SparseProjection(k=2, s=1, seed=4321), load(con, "wide", ROWS.tolist()), con, Options())
    known = list(compiled._CALLED)
    first, second = (plan(job, "compiled").script() for _ in range(2))
    assert first == second
    assert list(compiled._CALLED) == known
    run(connector_of(con), con, first)
    assert list(compiled._CALLED) == [*known, first.calls[0].token]


def test_the_tables_of_a_join_pass_through_functions(con: Connection) -> None:
    con.execute("CREATE TABLE sales AS SELECT range AS id, range % 2 AS customer, 1.5 * range AS a FROM range(4)")
    con.execute("CREATE TABLE customers AS SELECT range AS id, range + 0.5 AS b, -range AS c FROM range(2)")
    join = Join(Wide("sales", features=["a"]), {"customer": Wide("customers", features=["b", "c"])})
    projection = SparseProjection(k=2, s=1, seed=4323)
    rows = np.array([[1.5 * i, i % 2 + 0.5, -(i % 2)] for i in range(4)])
    assert_close(projected(con, projection, join, lowering="compiled"), oracle(projection, rows), np.ones(4) * 10)


def test_files_of_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="pass a connection"):
        sqlrp.export(
            SparseProjection(k=2), Wide("t", features=["a"]), "duckdb", str(tmp_path / "out"), lowering="compiled"
        )
    assert not (tmp_path / "out").exists()


def test_other_engines_have_none() -> None:
    with sa.create_engine("sqlite://").connect() as connection:
        connection.exec_driver_sql("CREATE TABLE t (id INTEGER, a REAL)")
        with pytest.raises(UnsupportedError) as caught:
            sqlrp.project(SparseProjection(k=2), "t", connection, lowering="compiled")
    assert_one_line(caught, "sqlite calls no functions of this process", "lowering = 'auto'")


def test_projections_and_connections_do_not_meet(own: Connection) -> None:
    # One query with two of them, a cursor, another database, and a view that is read after other calls.
    source = load(own, "wide", ROWS.tolist())
    first, second = SparseProjection(k=4, s=1, seed=1), PolynomialKernelProjection(k=4, s=1, seed=2, p=9)
    texts = [sqlrp.sql(p, source, own, lowering="compiled") for p in (first, second)]
    own.execute(f"CREATE VIEW kept AS {texts[0]}")
    both = own.sql(f"SELECT * FROM ({texts[0]}) a JOIN ({texts[1]}) b USING (id) ORDER BY id").to_arrow_table()
    z = np.column_stack([column.to_numpy() for column in both.columns[1:]])
    assert np.allclose(z, np.hstack([oracle(first, ROWS), oracle(second, ROWS)]), rtol=1e-9)
    for other in (own.cursor(), duckdb.connect()):
        with other:
            x = ROWS[:, :3]
            load(other, "wide", x.tolist(), table="u")
            assert_close(projected(other, first, "u", lowering="compiled"), oracle(first, x), magnitude(first, x))
    assert_close(
        cells(own.sql("FROM kept").to_arrow_table(), "columns", 4), oracle(first, ROWS), magnitude(first, ROWS)
    )


def test_functions_are_plain_sql_and_refuse_it(con: Connection) -> None:
    sqlrp.install(con)
    load(con, "wide", ROWS.tolist())
    assert len(con.execute("FROM rp_project('t', k := 2, lowering := 'sql')").fetchall()) == len(ROWS)
    with pytest.raises(
        duckdb.Error, match="lowering = 'compiled' must be one of auto, sql, inline, indexed, relational"
    ):
        con.execute("FROM rp_project('t', k := 2, lowering := 'compiled')")


def test_what_was_fitted_and_what_is_kept(con: Connection) -> None:
    source = load(con, "wide", ROWS.tolist())
    fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=3, sample=20), source, con)
    want = projected(con, fitted, source)
    assert_close(
        projected(con, fitted, source, lowering="compiled"), np.array([want[i] for i in range(20)]), np.ones(20)
    )
    assert sqlrp.materialize(fitted, source, con, "made", lowering="compiled") == 20
    con.execute("INSERT INTO t SELECT id + 20, * EXCLUDE (id) FROM t LIMIT 3")
    assert sqlrp.refresh(con, "made") == 3
    kept = cells(con.sql("FROM made").to_arrow_table(), "columns", 3)
    assert kept[22] == pytest.approx(kept[2], rel=1e-12)


def test_an_empty_table_and_null_rows_only(con: Connection) -> None:
    con.execute("CREATE TABLE t (id BIGINT, x DOUBLE[3])")
    source, projection = Array("t", "x"), SparseProjection(k=2, s=1)
    assert projected(con, projection, source, lowering="compiled") == {}
    con.execute("INSERT INTO t VALUES (0, NULL), (1, [1, NULL, 2])")
    assert projected(con, projection, source, lowering="compiled") == {0: [None, None], 1: [None, None]}


def test_decimals_that_weights_turn_into_floats(con: Connection) -> None:
    source, projection = load(con, "wide", ROWS.round(3).tolist(), "DECIMAL(9,3)"), sqlrp.GaussianProjection(k=3)
    got = projected(con, projection, source, lowering="compiled")
    assert_close(got, oracle(projection, ROWS.round(3)), np.abs(ROWS).sum(axis=1))


def test_a_view_of_another_process(tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    code = (
        "import sys, duckdb, sqlrp\n"
        "con = duckdb.connect(sys.argv[1])\n"
        "con.execute('CREATE TABLE t AS SELECT range AS id, 1.5 AS a, 2.5 AS b FROM range(9)')\n"
        "text = sqlrp.sql(sqlrp.SparseProjection(k=1, s=1, seed=77), 't', con, lowering='compiled')\n"
        "con.execute('CREATE VIEW v AS ' + text)\n"
        "assert len(con.execute('FROM v').fetchall()) == 9\n"
        "con.close()\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    with duckdb.connect(path) as con:
        with pytest.raises(duckdb.Error, match="sqlrp_compiled_"):
            con.execute("FROM v").fetchall()
        sqlrp.install(con)
        with pytest.raises(duckdb.Error, match="written in another process: write the text again"):
            con.execute("FROM v").fetchall()


def test_a_failing_row_is_the_user_s_error(con: Connection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS id, [1.0, 2.0] AS x UNION ALL SELECT 2, [1.0]")
    with pytest.raises(StatementError, match="elements of the others: pad it"):
        sqlrp.project(SparseProjection(k=2, s=1), Array("t", "x"), con, lowering="compiled")


def test_first_calls_at_once() -> None:
    # The first call registers the functions, which every thread finds missing.
    for seed in range(3):
        with duckdb.connect() as con:
            source = load(con, "wide", ROWS.tolist())
            projection = SparseProjection(k=4, s=1, seed=seed)
            together, cursors = Barrier(4), [con.cursor() for _ in range(4)]

            def call(cursor: Connection) -> Any:
                together.wait()  # noqa: B023  # called before the loop goes on
                return projected(cursor, projection, source, lowering="compiled")  # noqa: B023

            with ThreadPoolExecutor(4) as pool:
                found = list(pool.map(call, cursors))
            assert all(result == found[0] for result in found)
            assert_close(found[0], oracle(projection, ROWS), magnitude(projection, ROWS))


def test_written_jobs_are_forgotten_in_the_end(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_KEPT", 3)
    source = load(con, "wide", ROWS.tolist())
    texts = [sqlrp.sql(SparseProjection(k=2, s=1, seed=900 + i), source, con, lowering="compiled") for i in range(9)]
    assert len(compiled._CALLED) == 3
    with pytest.raises(duckdb.Error, match="last 3 of this process"):
        con.execute(texts[0]).fetchall()
    assert len(con.execute(texts[-1]).fetchall()) == 20
