"""Rows that are evaluated in batches in this process: what is read, what is written, and what fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from cover import factors, pairwise
from helpers import METHODS, OUTPUTS, assert_close, assert_one_line, cells, load, magnitude, oracle, projected
from pyarrow import ipc

import sqlrp
from sqlrp import (
    Array,
    BilinearPooling,
    GaussianProjection,
    HadamardProjection,
    Long,
    SparseProjection,
    Standardized,
    StatementError,
    UnsupportedError,
    Wide,
)
from sqlrp._cli.app import cli
from sqlrp._core.options import Options
from sqlrp._engines.duckdb.dialect import DuckDB
from sqlrp._engines.registry import connector_of
from sqlrp._lowering import batches_sql as lowered
from sqlrp._lowering.batches_sql import parts
from sqlrp._lowering.evaluation import Evaluation
from sqlrp._lowering.lowering import Lowering
from sqlrp._lowering.planner import plan
from sqlrp._run import row_batches
from sqlrp._run.table_input import job_of

Connection = duckdb.DuckDBPyConnection
ROWS = np.random.default_rng(1).normal(size=(9_000, 5)).round(3)
LINEAR = SparseProjection(k=3, s=1, seed=2)
KINDS = ("BOOLEAN", "TINYINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(9,3)", "DECIMAL(18,0)")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of one vector, so that a few thousand rows are several batches, and worth a second connection."""
    monkeypatch.setattr(row_batches, "_BATCH", 0)
    monkeypatch.setattr(row_batches, "_OVERLAPPED", 0)


@pytest.fixture
def scarce(monkeypatch: pytest.MonkeyPatch) -> None:
    """Almost no memory: results wait in a file, and rows that belong together are read in many parts."""
    monkeypatch.setattr("sqlrp._lowering.batches_sql.SHARE", 1 << 24)


def big(con: Connection, table: str = "t") -> Wide:
    frame = pd.DataFrame(ROWS, columns=[f"f{j}" for j in range(5)])
    frame.insert(0, "id", np.arange(len(ROWS)))
    con.register("given", frame)
    con.execute(f"CREATE OR REPLACE TABLE {table} AS FROM given")
    con.unregister("given")
    return Wide(table)


def native(con: Connection, source: Any, projection: Any = LINEAR, **options: Any) -> dict[Any, list[Any]]:
    assert sqlrp.explain(projection, source, con, lowering="native").plan.streamed
    return projected(con, projection, source, lowering="native", **options)


def assert_projected(got: dict[Any, list[Any]], rows: Any = ROWS, projection: Any = LINEAR) -> None:
    assert_close(got, oracle(projection, rows), magnitude(projection, rows))


# -- what is read ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small")
def test_rows_keep_their_order(own: Connection) -> None:
    own.execute("SET threads = 4")
    source = big(own)
    for output in OUTPUTS:
        result = sqlrp.project(LINEAR, source, own, output=output, lowering="native")  # type: ignore[arg-type]
        ids = result.column("id").to_pylist()
        assert ids == sorted(ids)
    sqlrp.materialize(LINEAR, source, own, "made", lowering="native")
    assert [i for (i,) in own.execute("SELECT id FROM made").fetchall()] == list(range(len(ROWS)))


@pytest.mark.usefixtures("small")
def test_the_connection_s_own_rows_are_read(own: Connection, tmp_path: Path) -> None:
    """Those of temporary tables, views, frames, other schemas and databases, and of the open transaction."""
    big(own)
    own.execute(
        "CREATE TEMPORARY TABLE held AS FROM t; CREATE VIEW seen AS FROM t; CREATE TEMPORARY VIEW own AS FROM t"
    )
    own.execute("CREATE MACRO rows_of() AS TABLE FROM t; CREATE VIEW called AS FROM rows_of()")
    own.execute(f"ATTACH '{tmp_path / 'other.db'}' AS other; CREATE SCHEMA other.s; CREATE TABLE other.s.t AS FROM t")
    own.execute(f"COPY t TO '{tmp_path / 'rows.parquet'}'")
    own.register("frame", own.sql("FROM t").df())
    own.register("arrow", own.sql("FROM t").to_arrow_table())
    tables = ["held", "seen", "own", "called", "other.s.t", str(tmp_path / "rows.parquet"), "frame", "arrow"]
    for table in tables:
        assert_projected(native(own, table))
        assert sqlrp.materialize(LINEAR, table, own, "made", lowering="native", replace=True) == len(ROWS)
        assert_projected(cells(own.sql("FROM made").to_arrow_table(), "columns", 3))
    own.execute("USE other.s")
    own.execute("DELETE FROM t WHERE id >= 100")
    assert_projected(native(own, "t"), ROWS[:100])
    own.execute("USE memory.main")
    own.execute("CREATE SCHEMA second; CREATE TABLE second.t AS FROM t LIMIT 50; SET search_path = 'second,main'")
    assert_projected(native(own, "t"), ROWS[:50])


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("commit", [True, False])
def test_an_open_transaction_is_read_and_written(con: Connection, commit: bool) -> None:
    con.begin()
    source = big(con)
    assert_projected(native(con, source))
    assert sqlrp.materialize(LINEAR, source, con, "made", lowering="native") == len(ROWS)
    con.execute("INSERT INTO t SELECT id + 9000, * EXCLUDE (id) FROM t LIMIT 2500")
    con.execute("DELETE FROM t WHERE id = 9001")
    assert sqlrp.refresh(con, "made") == 2499
    con.commit() if commit else con.rollback()
    names = [name for (name,) in con.execute("SHOW TABLES").fetchall()]
    assert names == (["made", "sqlrp_catalogue", "t"] if commit else [])
    if commit:
        got = cells(con.sql("FROM made").to_arrow_table(), "columns", 3)
        assert 9001 not in got
        assert_projected({i: z for i, z in got.items() if i < 9000})
        assert got[9002] == pytest.approx(got[2], rel=1e-12)


def test_a_file_that_is_open_for_reading(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as con:
        big(con)
    with duckdb.connect(tmp_path / "a.db", read_only=True) as con:
        assert_projected(native(con, "t"))


def test_without_access_to_the_outside() -> None:
    with duckdb.connect(config={"enable_external_access": "false"}) as con:
        con.execute("CREATE TABLE t AS SELECT range AS id, 1.5::DOUBLE * range AS a, 2.0::DOUBLE AS b FROM range(4)")
        assert sqlrp.materialize(LINEAR, "t", con, "made", lowering="native") == 4
        x = np.array([[1.5 * i, 2.0] for i in range(4)])
        assert_projected(cells(con.sql("FROM made").to_arrow_table(), "columns", 3), x)


BESIDE = {
    "a table": "SELECT 1",
    "another schema": "CREATE SCHEMA s; CREATE TABLE s.t AS FROM t; DROP TABLE t",
    "a progress bar": "SET enable_progress_bar = true",
}
BY_TURNS = {
    "a transaction": "BEGIN; DELETE FROM t WHERE id < 9; INSERT INTO t FROM kept WHERE id < 9",
    "an empty transaction": "BEGIN",
    "a temporary table": "DROP TABLE t; CREATE TEMPORARY TABLE t AS FROM kept",
    "a view": "ALTER TABLE t RENAME TO u; CREATE VIEW t AS FROM u",
    "a temporary view": "DROP TABLE t; CREATE TEMPORARY VIEW t AS FROM kept",
    "a setting": "SET TimeZone = 'Asia/Tokyo'",
    "a schema": "CREATE SCHEMA s; CREATE TABLE s.t AS FROM t; DELETE FROM t; USE s",
}


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The results that were held until all rows had been read."""
    found: list[Any] = []
    wait = row_batches._held

    def counted(rows: Any, bound: int, folder: str | None) -> Any:
        found.append(rows)
        return wait(rows, bound, folder)

    monkeypatch.setattr(row_batches, "_held", counted)
    return found


@pytest.mark.usefixtures("small")
def test_cells_are_read_to_their_end_by_one_connection(own: Connection, held: list[Any]) -> None:
    source = load(own, "long", ROWS[:3_000].tolist())
    assert sqlrp.materialize(LINEAR, source, own, "made", lowering="native") == 3_000
    assert len(held) == 1


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("changed", [*BESIDE, *BY_TURNS])
def test_a_second_connection_reads_where_it_sees_the_same(own: Connection, changed: str, held: list[Any]) -> None:
    big(own)
    own.execute("CREATE TABLE kept AS FROM t")
    own.execute((BESIDE | BY_TURNS)[changed])
    source = Wide("s.t" if changed == "another schema" else "t")
    for _ in range(2):
        assert sqlrp.materialize(LINEAR, source, own, "made", lowering="native", replace=True) == len(ROWS)
        assert_projected(cells(own.sql("FROM made").to_arrow_table(), "columns", 3))
    assert len(held) == (0 if changed in BESIDE else 2)


def test_hostile_names(con: Connection) -> None:
    columns = 'range AS "se""lect", range + 0.5::DOUBLE AS "f"",", 1.5::FLOAT AS "%s"'
    con.execute(f'CREATE TABLE "a ""b; --" AS SELECT {columns} FROM range(3)')
    source = Wide('"a ""b; --"', key='se"lect')
    want = sqlrp.project(LINEAR, source, con, lowering="inline").to_pylist()
    got = sqlrp.project(LINEAR, source, con, lowering="native").to_pylist()
    assert [row['se"lect'] for row in got] == [0, 1, 2]
    assert all(g == pytest.approx(w) for g, w in zip(got, want, strict=True))
    assert sqlrp.materialize(LINEAR, source, con, '"m ""; --"', lowering="native") == 3


@pytest.mark.parametrize(
    ("columns", "features", "read"),
    [
        ("id BIGINT, a DOUBLE, b FLOAT, c DOUBLE", ["a", "b", "c"], "*"),
        ("id BIGINT, a DOUBLE, b FLOAT, c DOUBLE", ["a", "c"], '"id", "a", "c"'),
        ("a DOUBLE, id BIGINT", ["a"], '"id", "a"'),
        ("id BIGINT, a DOUBLE, b BIGNUM", ["a", "b"], '"id", "a", CAST("b" AS DOUBLE) AS "b"'),
        ("id BIGINT, a DOUBLE, b HUGEINT", ["a", "b"], '"id", "a", CAST("b" AS DOUBLE) AS "b"'),
    ],
)
def test_columns_are_cast_only_where_arrow_needs_it(
    con: Connection, columns: str, features: list[str], read: str
) -> None:
    con.execute(f"CREATE TABLE t ({columns})")
    con.execute("INSERT INTO t BY NAME SELECT range AS id, range + 1 AS a FROM range(3)")
    source = Wide("t", features=features)
    job = job_of(GaussianProjection(k=2), source, con, Options())
    assert lowered.reading(job) == f'SELECT {read}\nFROM "t"'
    got, want = (
        sqlrp.project(GaussianProjection(k=2), source, con, lowering=n, nulls="zero").to_pylist()
        for n in ("native", "inline")
    )
    assert all(g == pytest.approx(w, rel=1e-12) for g, w in zip(got, want, strict=True))


# -- what is written ---------------------------------------------------------------------------------------


@pairwise(factors(kind=KINDS, layout=("wide", "array", "long"), output=OUTPUTS, scale=(True, False)))
def test_types_are_those_of_plain_sql(con: Connection, kind: str, layout: str, output: str, scale: bool) -> None:
    source = load(con, layout, [[1, 0, 1], [0, 1, 1]], kind)
    schemas, described = [], []
    for lowering in ("native", "relational"):
        options: Any = {"output": output, "scale": scale, "lowering": lowering}
        schemas.append(sqlrp.project(LINEAR, source, con, **options).schema)
        sqlrp.materialize(LINEAR, source, con, "made", replace=True, **options)
        described.append(con.execute("DESCRIBE made").fetchall())
    if kind == "DECIMAL(9,3)" and not scale:  # lowerings in SQL differ in the number of digits, too
        described = [[(name, type_.split("(")[0]) for name, type_, *_ in rows] for rows in described]
        schemas = [pa.schema([(f.name, pa.int8()) for f in schema]) for schema in schemas]
    assert described[0] == described[1]
    assert schemas[0].names == schemas[1].names
    assert schemas[0].types == schemas[1].types


PASSING = {
    "HUGEINT": "170141183460469231731687303715884105727",
    "UUID": "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",
    "ENUM('a', 'b')": "'b'",
    "INTERVAL": "'1 month 2 days'",
    "DATE": "'2024-01-01'",
    "TIMESTAMP WITH TIME ZONE": "'2024-01-01 12:00:00+05'",
    "TIMESTAMP_NS": "'2024-01-01 12:00:00.123456789'",
    "BLOB": r"'\xAA\x00'",
    "STRUCT(a BIGINT, b VARCHAR[])": "{'a': 1, 'b': ['x', NULL]}",
    "MAP(VARCHAR, BIGINT)": "map{'a': 1}",
    "DECIMAL(38,2)": "1.25",
    "FLOAT[3]": "[1, 2, 3]",
}
CHANGED = {
    "UHUGEINT": "340282366920938463463374607431768211455",
    "BIT": "'10101'",
    "TIME WITH TIME ZONE": "'12:34:56+02'",
    "BIGNUM": "1" * 80,
    "UNION(i BIGINT, s VARCHAR)": "1",
}


@pytest.mark.parametrize("kind", PASSING)
def test_kept_columns_pass_unchanged(con: Connection, kind: str) -> None:
    value = f"CAST({PASSING[kind]} AS {kind})"
    con.execute(f"CREATE TABLE t AS SELECT 1 AS id, {value} AS x, 1.5 AS a UNION ALL SELECT 2, NULL, 2.5")
    source = Wide("t", keep=["x"])
    for output in OUTPUTS:
        options: Any = {"output": output}
        results = [sqlrp.project(LINEAR, source, con, lowering=n, **options) for n in ("native", "inline")]
        assert results[0].column("x").to_pylist() == results[1].column("x").to_pylist()
        assert results[0].schema.field("x").type == results[1].schema.field("x").type
        sqlrp.materialize(LINEAR, source, con, "made", lowering="native", replace=True, **options)
        same = "m.x IS NOT DISTINCT FROM t.x, typeof(m.x) = typeof(t.x)"
        rows = con.execute(f"SELECT {same} FROM made m JOIN t USING (id)")
        assert set(rows.fetchall()) == {(True, True)}


@pytest.mark.parametrize("kind", CHANGED)
def test_kept_columns_that_arrow_changes_are_refused(con: Connection, kind: str) -> None:
    con.execute(f"CREATE TABLE t AS SELECT 1 AS id, CAST({CHANGED[kind]} AS {kind}) AS x, 1.5::DOUBLE AS a")
    source = Wide("t", keep=["x"], features=["a"])
    explained = sqlrp.explain(LINEAR, source, con)
    (found,) = [e for e in explained.plan.estimates if e.lowering == "native"]
    assert "the column 'x' is " in found.refusal
    assert not explained.plan.streamed
    with pytest.raises(UnsupportedError, match="the column 'x' is "):
        sqlrp.project(LINEAR, source, con, lowering="native")


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("lowering", ["native", "inline"])
@pytest.mark.parametrize("group", [2_048, 4_096, 122_880])
def test_rows_are_written_once_and_in_order(
    own: Connection, lowering: Lowering, group: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """In batches of a row group, in smaller batches, or, if they fill no row group, without batches."""
    monkeypatch.setattr(DuckDB, "row_group", group)
    big(own)
    columns = 'id AS made, -id AS "range", 1.5 AS "rows"'
    own.execute(f"CREATE TABLE named AS SELECT {columns}, * EXCLUDE (id) FROM t")
    source = Wide("named", key="made", keep=["range", "rows"], features=[f"f{j}" for j in range(5)])
    read: list[int] = []
    evaluate = Evaluation.__call__
    monkeypatch.setattr(Evaluation, "__call__", lambda self, b: [read.append(b.num_rows), evaluate(self, b)][1])
    with caplog.at_level("DEBUG", logger="sqlrp"):
        sqlrp.materialize(LINEAR, source, own, "projected", lowering=lowering)
    assert ("POSITIONAL JOIN" in caplog.text) is (group >= len(ROWS))
    if lowering == "native":
        assert max(read) == 2_048
    rows = own.execute("FROM projected").fetchall()
    assert [row[:3] for row in rows] == [(i, -i, 1.5) for i in range(len(ROWS))]
    assert_projected({i: list(row[3:]) for i, row in enumerate(rows)})


@pytest.mark.parametrize(
    ("rows", "batch"),
    [(1, 2_048), (4 * 4_096 - 1, 2_048), (4 * 4_096, 4_096), (4 * 122_880, 122_880), (10**7, 122_880), (None, 30_720)],
)
def test_rows_are_read_in_four_batches_or_more(con: Connection, rows: int | None, batch: int) -> None:
    job = job_of(LINEAR, big(con), con, Options())
    assert row_batches._rows(replace(job, frame=job.frame.counted(rows))) == batch


@pytest.mark.usefixtures("small")
def test_a_batch_is_a_row_group_if_there_are_several_and_memory_holds_them(own: Connection) -> None:
    job = job_of(LINEAR, big(own), own, Options())
    group = DuckDB.row_group
    needed = 2 * 4 * group * 8 * (5 + 3 + 1)  # half of the memory, four batches, the numbers of a row
    for rows, memory, want in (
        (4 * group, needed, True),
        (4 * group, needed - 2, False),
        (4 * group - 1, needed, False),
    ):
        counted = replace(job, frame=job.frame.counted(rows))
        assert (row_batches._written_rows(counted, memory) == group) is want


@pytest.mark.usefixtures("small", "scarce")
@pytest.mark.parametrize("output", OUTPUTS)
def test_results_wait_in_a_file_if_memory_is_short(tmp_path: Path, output: str) -> None:
    with duckdb.connect(tmp_path / "a.db") as con:
        big(con)
        con.execute("CREATE VIEW seen AS FROM t")  # which no second connection reads
        sqlrp.materialize(LINEAR, "seen", con, "made", output=output, lowering="native")  # type: ignore[arg-type]
        assert_projected(cells(con.sql("FROM made").to_arrow_table(), output, 3))
    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]


@pytest.mark.usefixtures("scarce")
@pytest.mark.parametrize("key", ["BIGINT", "VARCHAR", "DOUBLE"])
@pytest.mark.parametrize("output", OUTPUTS)
def test_rows_of_a_key_come_together(con: Connection, key: str, output: str) -> None:
    columns = f"CAST(nullif(i % 97, 5) AS {key}) AS id, i % 13 AS feature, i * 0.5 AS value"
    con.execute(f"CREATE TABLE t AS SELECT {columns} FROM range(500) r(i)")
    source, projection = Long("t", n_features=13), SparseProjection(k=4, s=2, seed=1)
    job = job_of(projection, source, con, Options(output))  # type: ignore[arg-type]
    connector = connector_of(con)
    assert parts(job, *row_batches._measured(connector, con, job), connector.memory(con)) > 1
    got, want = (projected(con, projection, source, output, lowering=n) for n in ("native", "relational"))
    assert got.keys() == want.keys()
    assert len(got) == 97
    for row in want:
        assert got[row] == pytest.approx(want[row], rel=1e-9)


@pytest.mark.usefixtures("scarce")
def test_groups_come_together(con: Connection) -> None:
    x = ROWS[:600]
    con.execute("CREATE TABLE t (id BIGINT, x DOUBLE[5])")
    con.executemany("INSERT INTO t VALUES (?, ?)", [[i % 40, row] for i, row in enumerate(x.tolist())])
    projection = BilinearPooling(k=6, seed=1)
    got = native(con, Array("t", "x"), projection)
    want = projected(con, projection, Array("t", "x"), lowering="inline")
    assert got.keys() == want.keys()
    for row in want:
        assert got[row] == pytest.approx(want[row], rel=1e-9)


@pytest.mark.parametrize("layout", ["wide", "array"])
def test_features_are_standardized_as_they_are_read(con: Connection, layout: str) -> None:
    source = Standardized(load(con, layout, [[1.0, 2.0, None], [3.0, None, 5.0], [2.0, 2.0, 1.0]]))
    got, want = (projected(con, LINEAR, source, lowering=n) for n in ("native", "relational"))
    for row in want:
        assert got[row] == (want[row] if None in want[row] else pytest.approx(want[row], rel=1e-12))


@pytest.mark.parametrize("layout", ["wide", "array", "long"])
def test_an_empty_source(con: Connection, layout: str) -> None:
    source = load(con, layout, [[1.0, 2.0]])
    con.execute("DELETE FROM t")
    for output in OUTPUTS:
        result = sqlrp.project(LINEAR, source, con, output=output, lowering="native")  # type: ignore[arg-type]
        assert result.num_rows == 0
        assert result.schema == sqlrp.project(LINEAR, source, con, output=output, lowering="relational").schema  # type: ignore[arg-type]


# -- what fails --------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("transaction", [False, True])
def test_an_error_in_the_middle_leaves_the_old_table(con: Connection, transaction: bool) -> None:
    source = big(con)
    sqlrp.materialize(LINEAR, source, con, "made", nulls="error", lowering="native")
    before = con.execute("FROM made ORDER BY id").fetchall()
    con.execute("UPDATE t SET f2 = NULL WHERE id = 8900")
    if transaction:
        con.begin()
    for call in (
        lambda: sqlrp.refresh(con, "made", everything=True),
        lambda: sqlrp.materialize(LINEAR, source, con, "other", nulls="error", lowering="native"),
        lambda: sqlrp.project(LINEAR, source, con, nulls="error", lowering="native"),
    ):
        with pytest.raises(StatementError) as caught:
            call()
        assert_one_line(caught, "a feature is NULL and nulls = 'error'", "clean the row")
    assert con.execute("SELECT 1").fetchall() == [(1,)]  # the connection is free
    if transaction:
        con.commit()
    assert con.execute("FROM made ORDER BY id").fetchall() == before
    assert [name for (name,) in con.execute("SHOW TABLES").fetchall()] == ["made", "sqlrp_catalogue", "t"]


@pytest.mark.usefixtures("small")
def test_an_error_while_two_connections_work(own: Connection) -> None:
    source = big(own)
    own.execute("UPDATE t SET f2 = NULL WHERE id = 8900")
    with pytest.raises(StatementError, match="a feature is NULL and nulls = 'error'"):
        sqlrp.materialize(LINEAR, source, own, "other", nulls="error", lowering="native")
    assert own.execute("SELECT 1").fetchall() == [(1,)]  # the connection is free
    assert sqlrp.materialize(LINEAR, source, own, "other", nulls="zero", lowering="native") == len(ROWS)
    own.execute("DROP TABLE t")  # nothing reads it any more


@pytest.mark.usefixtures("small")
def test_an_error_of_the_engine_in_the_middle(con: Connection) -> None:
    big(con)
    failing = "CASE WHEN id = 8000 THEN error('stopped') ELSE f1 END AS f1"
    con.execute(f"CREATE VIEW v AS SELECT * REPLACE ({failing}) FROM t")
    for call in (sqlrp.project, lambda *given, **options: sqlrp.materialize(*given, "made", **options)):
        with pytest.raises(StatementError, match="stopped"):
            call(LINEAR, "v", con, lowering="native")
    assert [name for (name,) in con.execute("SHOW TABLES").fetchall()] == ["t", "v"]


@pytest.mark.parametrize("ending", ["parquet", "csv", "arrow"])
def test_files_of_the_command_line(con: Connection, tmp_path: Path, ending: str) -> None:
    big(con)
    con.execute(f"COPY t TO '{tmp_path / 'in.parquet'}' (ROW_GROUP_SIZE 2048)")
    out = tmp_path / f"out.{ending}"
    given = ("project", str(tmp_path / "in.parquet"), "-o", str(out), "-k", "3", "-s", "1", "--seed", "2")
    done = CliRunner().invoke(cli, [*given, "--lowering", "native"])
    assert done.exit_code == 0, done.stderr
    made = ipc.open_file(out).read_all() if ending == "arrow" else con.sql(f"FROM '{out}'").to_arrow_table()
    assert_projected(cells(made, "columns", 3))
    out.unlink()
    con.execute("UPDATE t SET f3 = NULL WHERE id = 8999")
    con.execute(f"COPY t TO '{tmp_path / 'in.parquet'}' (ROW_GROUP_SIZE 2048)")
    done = CliRunner().invoke(cli, [*given, "--lowering", "native", "--nulls", "error"])
    assert done.exit_code == 1
    assert "a feature is NULL and --nulls error" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


# -- what is chosen ----------------------------------------------------------------------------------------


def at(con: Connection, projection: Any, rows: int, d: int = 784, **options: Any) -> Callable[[str], Any]:
    con.execute(f"CREATE OR REPLACE TABLE t ({', '.join(f'f{j} DOUBLE' for j in range(d))})")
    job = job_of(projection, Wide("t", key=None), con, Options(**options))
    job = replace(job, frame=job.frame.counted(rows))
    return lambda lowering="auto", **given: plan(job, lowering, **given)


def test_it_is_chosen_for_many_rows_where_only_the_result_stays(con: Connection) -> None:
    planned = at(con, GaussianProjection(k=128), 500_000)
    assert planned(here=True).streamed
    assert planned(here=True).lowering.plain  # of the text
    assert not planned().streamed
    assert not planned("sql", here=True).streamed
    assert "native" not in [e.lowering for e in planned("sql", here=True).estimates]


def test_butterflies_are_costed_by_their_layers(con: Connection) -> None:
    planned = at(con, HadamardProjection(k=488), 50_000, d=784)(here=True)
    assert planned.job.evaluated_terms == 1024 * 10 < planned.job.plain_terms
    assert planned.streamed


@pytest.mark.parametrize("rows", [0, 1, 10])
def test_it_is_not_chosen_for_a_few_small_rows(con: Connection, rows: int) -> None:
    assert not at(con, SparseProjection(k=2, s=1), rows, d=4)(here=True).streamed


def test_a_job_that_no_sql_can_write(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    source = load(con, "wide", ROWS[:5].tolist())
    monkeypatch.setattr(Lowering, "excess", lambda self, job, single: "too large")
    explained = sqlrp.explain(LINEAR, source, con)
    assert explained.lowering == "native"
    assert explained.text == ""
    assert "no text, as no lowering in SQL can be used" in str(explained)
    assert_projected(projected(con, LINEAR, source), ROWS[:5])
    with pytest.raises(sqlrp.LimitError):
        sqlrp.sql(LINEAR, source, con)


def test_a_join_is_computed_by_sql(con: Connection) -> None:
    con.execute("CREATE TABLE sales AS SELECT range AS id, range % 2 AS customer, 1.5 * range AS a FROM range(4)")
    con.execute("CREATE TABLE customers AS SELECT range AS id, range + 0.5 AS b FROM range(2)")
    join = sqlrp.Join(Wide("sales", features=["a"]), {"customer": Wide("customers", features=["b"])})
    assert not sqlrp.explain(LINEAR, join, con).plan.streamed


def test_refused_with_its_reason(con: Connection) -> None:
    load(con, "long", [[2**100, 1], [3, 4]], "HUGEINT")
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.project(METHODS["degree2"], Long("t", n_features=2), con, scale=False, lowering="native")
    assert_one_line(caught, "lowering = 'native' is not supported here", "bits")


def test_the_memory_limit_is_read_once(con: Connection, caplog: pytest.LogCaptureFixture) -> None:
    con.execute(
        "CREATE TABLE cells AS SELECT range // 3 AS id, range % 3 AS feature, sin(range) AS value FROM range(30)"
    )
    con.execute("CREATE TABLE rows AS SELECT range AS id, sin(range) AS a, cos(range) AS b FROM range(30)")
    for source in (Wide("rows"), Long("cells", n_features=3)):
        caplog.clear()
        with caplog.at_level("DEBUG", "sqlrp"):
            sqlrp.materialize(SparseProjection(k=2, s=1), source, con, "out", lowering="native", replace=True)
        assert sum("memory_limit" in record.getMessage() for record in caplog.records) == 1
