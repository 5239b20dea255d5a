"""One terabyte on paper: the plan, the memory and the shuffle on DuckDB, ClickHouse and Spark, with measured slopes.

python tests/bench/terabyte.py [--engines duckdb clickhouse spark] [--rows 8000] [--results PATH]

Each job runs at two sizes, the second four times the first. The slope is the CPU seconds of the process and its
children for each further gigabyte of numbers, the least of three runs; start, planning and the draw are in neither.
A terabyte takes a thousand times as long on as many cores as are kept busy. Nothing of that size is run. The plan is
the planner's for a terabyte of rows. Rows that meet are those that the engine joins or groups, by its own EXPLAIN.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from case import Call, Place
from common import cpu, markdown
from dense import cleared, points, project
from fit_costs import DOUBLES, _array
from servers import database, spark_session

import sqlrp
from sqlrp._core.sources import Output, Source
from sqlrp._dialects.dialect import Column
from sqlrp._engines.registry import ENGINES
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import plan
from sqlrp._run.bind import resolve

D, K, TIMES, TERABYTE = 784, 256, 4, 10**12
CELL, EACH, WORDS = 20, 100, 30_000
"""bytes of a sparse cell (row, feature, value), the cells of a row, and the features that there are"""
LIMIT = 20 * 10**9
"""the bytes of memory that the engine may use"""
METHOD = sqlrp.SparseProjection(k=K)
RESULTS = Path(__file__).with_name("results")
MEETING = ("Hash Group By", "Hash Join", "Exchange", "Aggregating", "JoiningTransform", "Sorting")
"""What stands in an engine's EXPLAIN where rows are brought together."""


def spent(call: Call, before: Call) -> float:
    """The least CPU seconds of three runs."""
    taken = []
    for _ in range(3):
        before()
        begin = cpu()
        call()
        taken.append(cpu() - begin)
    return min(taken)


def planned(name: str, source: Source, kind: str, output: Output) -> str:
    """The lowering that the planner takes for a terabyte."""
    engine = ENGINES[name]
    dense = not isinstance(source, sqlrp.Long)
    rows = TERABYTE // (8 * D) if dense else TERABYTE // CELL
    if isinstance(source, sqlrp.Long):
        names = (("id", "BIGINT"), ("feature", "INTEGER"), ("value", kind))
        columns = [Column(column, engine.read_type(type_)) for column, type_ in names]
    elif isinstance(source, sqlrp.Array):
        columns = [Column("id", engine.read_type("BIGINT")), Column("x", engine.read_type(kind))]
    else:
        columns = [Column("id", engine.read_type("BIGINT"))]
        columns += [Column(f"f{j}", engine.read_type(kind)) for j in range(D)]
    frame = resolve(source, columns, engine, D if dense else WORDS, rows)
    frame = replace(frame, threads=os.cpu_count(), memory=LIMIT)  # of which only DuckDB's costs take account
    made = plan(Job(METHOD, frame, engine, output), here=True)
    return f"{made.chosen.lowering}{' (batches)' if made.streamed else ''}"


def met(words: str) -> str:
    """What of EXPLAIN brings rows together."""
    return ", ".join(word for word in MEETING if word in words) or "none"


# -- the jobs: each yields CPU seconds, gigabytes and EXPLAIN at a number of rows ------------------------------------


Job_ = tuple[Call, Call, float, Callable[[], str]]
"""the job, what runs untimed ahead of it, the gigabytes of its numbers, and its EXPLAIN"""


@contextmanager
def duckdb_wide(place: Place, rows: int) -> Iterator[Job_]:
    """A table of columns in a file, to another table of it."""
    con = points(place, rows, D)
    text = sqlrp.sql(METHOD, sqlrp.Wide("points"), con)
    call = project(con, METHOD, sqlrp.Wide("points"))
    yield call, cleared(con), 8 * D * rows / 1e9, lambda: str(con.execute(f"EXPLAIN {text}").fetchall())


@contextmanager
def duckdb_long(place: Place, rows: int) -> Iterator[Job_]:
    """Sparse rows in a file, by plain SQL, to rows of arrays."""
    feature = f"CAST(floor(random() * {WORDS}) AS INTEGER) AS feature"
    cells = f"SELECT range // {EACH} AS id, {feature}, random() AS value FROM range({EACH * rows})"
    con = place.duckdb(f"cells_{rows}", [f"CREATE TABLE cells AS {cells}"])
    source = sqlrp.Long("cells", n_features=WORDS)
    call = project(con, METHOD, source, output="array", lowering="sql")
    text = sqlrp.sql(METHOD, source, con, output="array")
    yield call, cleared(con), CELL * EACH * rows / 1e9, lambda: str(con.execute(f"EXPLAIN {text}").fetchall())


@contextmanager
def clickhouse_array(place: Place, rows: int) -> Iterator[Job_]:
    """An array column, to another table."""
    with database("clickhouse", place.folder) as db:
        stored = "ENGINE = MergeTree ORDER BY id AS SELECT toInt64(number) AS id"
        drawn = f"arrayMap(i -> rand(i + number * {D}) / 4294967296 - 0.5, range({D})) AS x"
        db.run(f"CREATE TABLE points {stored}, {drawn} FROM numbers({rows})")
        text = sqlrp.sql(METHOD, sqlrp.Array("points", "x"), db.connection, output="array")
        explained = lambda: str(db.connector.fetch(db.connection, f"EXPLAIN {text}").to_pylist())  # noqa: E731
        made = lambda: db.run(db.engine.create_table("out", text))  # noqa: E731
        yield made, lambda: db.run("DROP TABLE IF EXISTS out"), 8 * D * rows / 1e9, explained


@contextmanager
def spark_array(place: Place, rows: int) -> Iterator[Job_]:
    """An array column of a Parquet file, to another one."""
    session, out = spark_session(place), str(place.folder / "out")
    made = str(place.folder / f"spark_{rows}")
    values = f"transform(sequence(1, {D}), i -> rand() - 0.5)"
    session.sql(f"SELECT id, {values} AS x FROM range(0, {rows}, 1, 2)").write.mode("overwrite").parquet(made)
    session.read.parquet(made).createOrReplaceTempView("points")
    frame = sqlrp.project(METHOD, sqlrp.Array("points", "x"), session, output="array")
    explained = lambda: str(frame._jdf.queryExecution().toString())  # noqa: E731
    yield lambda: frame.write.mode("overwrite").parquet(out), lambda: None, 8 * D * rows / 1e9, explained


JOBS: dict[str, tuple[str, str, Any, Source, str, Output]] = {
    "DuckDB, columns": ("duckdb", "2 batches; results in a file", duckdb_wide, sqlrp.Wide("points"), "", "columns"),
    "DuckDB, sparse rows": (
        "duckdb",
        "memory_limit, then files",
        duckdb_long,
        sqlrp.Long("cells", n_features=WORDS),
        "",
        "array",
    ),
    "ClickHouse, array": (
        "clickhouse",
        "a block for each thread",
        clickhouse_array,
        sqlrp.Array("points", "x"),
        "array",
        "array",
    ),
    "Spark, array": ("spark", "a batch for each task", spark_array, sqlrp.Array("points", "x"), "array", "array"),
}
"""The engine, what it holds in memory, the job, its source and output."""


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description="One terabyte on paper.")
    parser.add_argument("--engines", nargs="+", default=["duckdb", "clickhouse"], help="also: spark, which needs Java")
    parser.add_argument("--rows", type=int, default=8_000, help="the rows of the smaller size")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the table goes")
    options = parser.parse_args()
    rows = []
    for name, (engine, memory, job, source, layout, output) in JOBS.items():
        if engine not in options.engines:
            continue
        kind = DOUBLES.get(engine, "DOUBLE")
        kind = kind if not layout else "array<double>" if engine == "spark" else _array(engine, kind)
        found, words = [], ""
        for count in (options.rows, TIMES * options.rows):
            with tempfile.TemporaryDirectory(prefix="sqlrp_tb_") as folder, ExitStack() as stack:
                place = Place(Path(folder), stack=stack)
                call, before, size, explained = stack.enter_context(job(place, count))
                found.append((spent(call, before), size))
                words = met(explained())
        (a, small), (b, large) = found
        slope = (b - a) / (large - small)
        rows.append([name, planned(engine, source, kind, output), memory, words, f"{slope:.2f}", f"{slope / 3.6:.1f}"])
        print(f"{name}: {a:.2f} s at {small:.3f} GB, {b:.2f} s at {large:.3f} GB", file=sys.stderr, flush=True)
    header = ["job", "plan for 1 TB", "memory", "rows meet by", "CPU seconds a GB", "CPU hours for 1 TB"]
    table = markdown(header, rows)
    told = (
        f"Written by `python tests/bench/terabyte.py`: {D} numbers a dense row, {EACH} cells of {CELL} bytes a sparse "
    )
    told += f"one, to {K} components; {options.rows:,} and {TIMES * options.rows:,} rows."
    (options.results / "terabyte.md").write_text(f"# One terabyte on paper\n\n{told}\n\n{table}\n")
    print(table)


if __name__ == "__main__":
    main()
