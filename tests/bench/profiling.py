"""Where the time of a projection in DuckDB goes, by DuckDB's own profiler: what the unmet bars are made of.

python tests/bench/profiling.py [--rows 50000] [--cells 10000000] [--results PATH] [--cpu]

Everything lies in memory, so that no disk is measured. Text is sqlrp's part; parsing, binding and optimising are one
thread's; an operator's seconds are those of all threads, so that two threads side by side give two a second. In sparse
cases `other` is the handing on of common table expressions, whose seconds hold those of what they are handed to.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

import sqlrp
from sqlrp._core.options import Options
from sqlrp._core.sources import Output, Source
from sqlrp._engines.registry import connector_of
from sqlrp._lowering.evaluation import Evaluation
from sqlrp._run.row_batches import relation, source_rows
from sqlrp._run.table_input import planned

sys.path.insert(0, str(Path(__file__).parent))
from common import markdown

Cases = dict[str, tuple[sqlrp.Projection, Source, Output]]
_NAMED = {
    "PROJECTION": "expressions",
    "TABLE_SCAN": "scan",
    "HASH_GROUP_BY": "hash aggregate",
    "HASH_JOIN": "hash join",
    "CREATE_TABLE_AS": "writing",
    "BATCH_CREATE_TABLE_AS": "writing",
}
FEATURES, COMPONENTS, CELLS = 784, 488, 30_000
"""Of the dense rows both, and of the sparse rows the features."""
PARTS = (*dict.fromkeys(_NAMED.values()), "other")


def profiled(
    con: duckdb.DuckDBPyConnection, projection: sqlrp.Projection, source: Source, output: Output, report: Path
) -> list[str]:
    """One row of the table: the parts of CREATE TABLE AS the projection, the second of two runs."""
    for _ in range(2):
        con.execute("DROP TABLE IF EXISTS out")
        begin = time.perf_counter()
        explained = sqlrp.explain(projection, source, con, output=output, lowering="sql")
        statement = f"CREATE TABLE out AS {explained.script.query}"
        text = time.perf_counter() - begin
        con.execute("SET enable_profiling = 'json'")
        con.execute(f"SET profiling_output = '{report}'")
        begin = time.perf_counter()
        con.execute(statement)
        whole = time.perf_counter() - begin
        con.execute("SET enable_profiling = 'no_output'")
    found = json.loads(report.read_text())
    parts: Counter[str] = Counter()
    _add(found["operator"], parts)
    planning = (
        whole
        - found["query"]["total_time"]
        + sum(found[part]["total_time"] for part in ("planner", "optimizer", "physical_planner"))
    )
    cells = [text, planning, *(parts[part] for part in PARTS)]
    return [explained.lowering, f"{explained.plan.job.terms:,}", *(f"{c:.2f}" for c in cells), f"{text + whole:.2f}"]


TITLE = "# Where the time goes\n\nWritten by `python tests/bench/profiling.py`.\n\n"
HERE = "## Rows that are evaluated in this process"
STEPS = ("reading", "evaluating", "writing", "writing into a file")


def streamed(
    con: duckdb.DuckDBPyConnection,
    projection: sqlrp.Projection,
    source: Source,
    output: Output,
    clock: Callable[[], float],
) -> list[str]:
    """The same of rows that are evaluated in this process: the steps one after another, then all as they run.

    In the run the next batch is read while one is evaluated, so that it takes less than the steps. The second of two.
    """
    connector = connector_of(con)
    for _ in range(2):
        seconds, begin = [], clock()

        def step(seconds: list[float] = seconds) -> None:
            nonlocal begin
            seconds.append(clock() - begin)
            begin = clock()

        job = planned(projection, source, con, Options(output=output, lowering="native"), here=True).job
        with source_rows(connector, con, job) as (_, tables):
            read = list(tables)
        step()
        evaluation = Evaluation(job)
        results = [batch for table in read for batch in evaluation(table).to_batches()]
        step()
        for place in ("out", "kept.out"):
            con.execute(f"DROP TABLE IF EXISTS {place}")
            begin = clock()
            con.register("results", pa.RecordBatchReader.from_batches(results[0].schema, iter(results)))
            con.execute(f"CREATE TABLE {place} AS FROM results")
            step()
            con.unregister("results")
        del read, results
        con.execute("DROP TABLE out")
        begin = clock()
        with relation(connector, con, job) as query:
            con.execute(f"CREATE TABLE out AS {query}")
        step()
        con.execute("DROP TABLE out")
    return [f"{s:.2f}" for s in seconds]


def _add(operators: list[dict[str, Any]], to: Counter[str]) -> None:
    for operator in operators:
        to[_NAMED.get(operator["type"], "other")] += operator["timing"]
        _add(operator.get("children", []), to)


def main() -> None:
    """Make the tables, profile the cases, print."""
    parser = argparse.ArgumentParser(description="Where the time of a projection in DuckDB goes.")
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--cells", type=int, default=10_000_000)
    parser.add_argument("--results", type=Path, default=Path(__file__).with_name("results"))
    parser.add_argument("--cpu", action="store_true", help="only the second table, in CPU seconds, for a busy machine")
    options = parser.parse_args()
    con = duckdb.connect()
    features = ", ".join(f"random() - 0.5 AS f{j}" for j in range(FEATURES))
    con.execute(f"CREATE TABLE points AS SELECT range AS id, {features} FROM range({options.rows})")
    vector = ", ".join(["CAST(random() - 0.5 AS FLOAT)"] * 768)
    con.execute(
        f"CREATE TABLE docs AS SELECT range AS id, CAST([{vector}] AS FLOAT[768]) AS x FROM range({options.rows})"
    )
    con.execute(
        f"CREATE TABLE cells AS SELECT range // 100 AS id, CAST(floor(random() * {CELLS}) AS INTEGER) AS feature, "
        f"1 + floor(random() * 5) AS value FROM range({options.cells})"
    )
    wide, docs = sqlrp.Wide("points"), sqlrp.Array("docs", "x")
    cells = sqlrp.Long("cells", n_features=CELLS)
    cases: Cases = {
        f"dense wide -> {COMPONENTS}, SparseProjection": (sqlrp.SparseProjection(k=COMPONENTS), wide, "columns"),
        f"dense wide -> {COMPONENTS}, SparseEmbedding": (sqlrp.SparseEmbedding(k=COMPONENTS), wide, "columns"),
        f"dense wide -> {COMPONENTS}, HadamardProjection": (sqlrp.HadamardProjection(k=COMPONENTS), wide, "columns"),
        f"PK-RP, p = {COMPONENTS}, t = 10, k = 500": (
            sqlrp.PolynomialKernelProjection(p=COMPONENTS, t=10, k=500),
            wide,
            "columns",
        ),
        "FLOAT[768] -> 128": (sqlrp.SparseProjection(k=128), docs, "array"),
        "sparse long -> 256, long": (sqlrp.SparseProjection(k=256), cells, "long"),
        "sparse long -> 256, array": (sqlrp.SparseProjection(k=256), cells, "array"),
    }
    written = options.results / "profile.md"
    with tempfile.TemporaryDirectory() as folder:
        first = _kept(written) if options.cpu else _in_sql(con, cases, Path(folder) / "profile.json", options)
        con.execute(f"ATTACH '{folder}/kept.duckdb' AS kept")
        clock = time.process_time if options.cpu else time.perf_counter
        others = [[name, *streamed(con, *case, clock)] for name, case in cases.items()]
        con.execute("DETACH kept")
    unit = "CPU seconds of all threads, by `--cpu`" if options.cpu else "Seconds"
    table = f"{first}\n\n{HERE}\n\n{unit}.\n\n{markdown(['case', *STEPS, 'all, in memory'], others)}\n"
    written.write_text(f"{TITLE}{table}")
    print(table)


def _in_sql(con: duckdb.DuckDBPyConnection, cases: Cases, report: Path, options: argparse.Namespace) -> str:
    """The first table."""
    header = ["case", "lowering", "terms a row", "text", "planning", *PARTS, "all"]
    rows = [[name, *profiled(con, *case, report)] for name, case in cases.items()]
    size = (
        f"{options.rows:,} rows, {options.cells:,} cells; {os.cpu_count()} cores, DuckDB {duckdb.__version__}; seconds."
    )
    return f"{size}\n\n{markdown(header, rows)}"


def _kept(written: Path) -> str:
    """The first table as it was written before."""
    return written.read_text().removeprefix(TITLE).split(HERE)[0].strip()


if __name__ == "__main__":
    main()
