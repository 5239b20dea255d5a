"""Jobs off the planner's grid on DuckDB: what `auto` chooses beside the fastest lowering, in CPU seconds.

python tests/bench/survey.py [--measure | --missing] [--only WORD]

Without an option it judges the choices of today by the seconds in results/survey.json. With --measure every job runs
under every lowering first, the one of the least estimate before the others; with --missing only those run that have no
figure yet. A lowering is stopped, and has no figure, as soon as it takes three times as long as the fastest one so far.
CPU seconds are of the whole process, all its threads. `fit_costs.py duckdb --refit` fits to these jobs as well, and
tests/contract/test_planner.py holds the choices to them.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from common import markdown

import sqlrp
from sqlrp._core.errors import StatementError
from sqlrp._dialects.dialect import Column, Costs, Dialect, Lowering
from sqlrp._engines.registry import CONNECTORS, ENGINES
from sqlrp._lowering.job import Job
from sqlrp._lowering.lowerings import find
from sqlrp._lowering.planner import estimate, plan
from sqlrp._run import row_batches
from sqlrp._run.bind import resolve

FILE = Path(__file__).with_name("results") / "survey.json"
Entry = dict[str, Any]
"""rows, features, layout, output, projection (its JSON) and the CPU seconds of each lowering, None where stopped"""

LOWERINGS: tuple[Lowering, ...] = ("inline", "indexed", "relational", "native")
MOST, TIMES, LEAST, SKIPPED = 12.0, 3.0, 0.3, 12.0
"""seconds of a lowering; times the fastest after which it is stopped, but not before so many seconds; times the least
estimate at which it is not run at all"""
CELLS, WORK = 8_000_000, 1_200_000_000
"""the largest source, and the most terms of all rows together"""
OUTPUTS = ("columns", "array", "long")
METHODS: tuple[sqlrp.Projection, ...] = (
    sqlrp.PolynomialKernelProjection(k=128, s=3, t=2),
    sqlrp.PolynomialKernelProjection(k=64, s=1, t=4, degree=3, c=1.0),
    sqlrp.PolynomialKernelProjection(k=200, p=256, t=10),
    sqlrp.GaussianProjection(k=64),
    sqlrp.GaussianProjection(k=488),
    sqlrp.SparseEmbedding(k=128),
    sqlrp.HadamardProjection(k=128),
    sqlrp.RandomSubspace(k=128, densify="householder"),
)


def jobs() -> Iterator[Entry]:
    """The jobs: issue reports, a sample of all combinations, and of the kernel methods."""
    yield _entry(2_000, 784, "wide", "columns", sqlrp.SparseProjection(k=488, s=3))
    for k, outputs in ((1_000, OUTPUTS), (5_000, OUTPUTS), (10_000, OUTPUTS[1:]), (30_000, OUTPUTS[1:])):
        for output in outputs:
            yield _entry(5, 2, "wide", output, sqlrp.SparseProjection(k=k, s=1))
    draw = random.Random(1)
    layouts = ("wide", "array")
    combined = [
        (rows, d, layout, output, k, s)
        for rows in (500, 2_000, 5_000, 20_000)
        for d in (20, 200, 784, 1_500)
        for layout in layouts
        for output in OUTPUTS
        for k in (16, 128, 488)
        for s in (1.0, 3.0, "sqrt")
        if rows * d <= CELLS and rows * d * k / (d**0.5 if s == "sqrt" else float(s)) <= WORK
    ]
    for rows, d, layout, output, k, s in draw.sample(combined, 50):
        yield _entry(rows, d, layout, output, sqlrp.SparseProjection(k=k, s=s))
    for method in METHODS:
        for rows, d in ((500, 200), (5_000, 200), (2_000, 784)):
            yield _entry(rows, d, draw.choice(layouts), draw.choice(OUTPUTS), method)


def surveyed() -> list[Entry]:
    """The jobs that have been measured."""
    found: list[Entry] = json.loads(FILE.read_text())["jobs"] if FILE.exists() else []
    return found


def _entry(rows: int, features: int, layout: str, output: str, projection: sqlrp.Projection) -> Entry:
    written = json.loads(projection.to_json())
    return {"rows": rows, "features": features, "layout": layout, "output": output, "projection": written}


def job_at(entry: Entry, costs: Costs | None = None) -> Job:
    """A job of the survey as the planner sees it."""
    engine: Dialect = ENGINES["duckdb"]
    if costs is not None:
        engine = type("Fitted", (type(engine),), {"costs": costs})()
    rows, features = entry["rows"], entry["features"]
    if entry["layout"] == "wide":
        columns = [Column(f"f{j}", engine.read_type("DOUBLE")) for j in range(features)]
        frame = resolve(sqlrp.Wide("points", key=None), columns, engine, None, rows)
    else:
        column = Column("x", engine.read_type("DOUBLE[]"))
        frame = resolve(sqlrp.Array("points", "x", key=None), [column], engine, [features], rows)
    return Job(sqlrp.from_json(json.dumps(entry["projection"])), frame, engine, entry["output"])


# -- measuring -------------------------------------------------------------------------------------------


def measured(entry: Entry, found: dict[str, float | None]) -> dict[str, float | None]:
    """The CPU seconds of every lowering of a job: text, planning and run into a temporary table. `found`: before."""
    job, found = job_at(entry), dict(found)
    usable = sorted((e for e in plan(job, here=True).estimates if not e.refusal), key=lambda e: e.seconds)
    usable = [e for e in usable if e.lowering not in found]
    if not usable:
        return found
    with tempfile.TemporaryDirectory() as folder, duckdb.connect(str(Path(folder) / "survey.duckdb")) as con:
        _fill(con, entry)
        for at in usable:
            best = min((s for s in found.values() if s is not None), default=MOST / TIMES)
            if at.seconds > SKIPPED * usable[0].seconds and at.seconds > MOST:
                found[at.lowering] = None
                continue
            found[at.lowering] = _seconds(con, job, at.lowering, max(LEAST, min(MOST, TIMES * best)))
    return found


def _fill(con: duckdb.DuckDBPyConnection, entry: Entry) -> None:
    """64 rows of normal numbers, repeated."""
    rows, d = entry["rows"], entry["features"]
    values = np.random.default_rng(0).normal(size=(64, d)).round(4)
    wide = entry["layout"] == "wide"
    con.register(
        "sample_rows", pa.table({f"f{j}": column for j, column in enumerate(values.T)} if wide else {"x": list(values)})
    )
    con.execute(f"CREATE TABLE points AS SELECT s.* FROM sample_rows s, range({-(-rows // 64)}) LIMIT {rows}")
    con.unregister("sample_rows")


def _seconds(con: duckdb.DuckDBPyConnection, job: Job, lowering: Lowering, most: float) -> float | None:
    begin = time.process_time()
    job = Job(job.projection, job.frame, job.dialect, job.output)  # nothing that another lowering has computed
    try:
        connector = CONNECTORS["duckdb"]
        with _stopping(con, begin + most), connector.session(con) as session:
            if find(lowering).plain:
                script = find(lowering).lower(job)
                for statement in (*script.setup, _kept(job, script.query), *script.cleanup):
                    connector.execute(session, statement)
            else:
                with row_batches.relation(connector, session, job) as query:
                    connector.execute(session, _kept(job, query))
    except (StatementError, duckdb.InterruptException) as error:
        if "INTERRUPT" not in str(error).upper():
            raise
        return None
    finally:
        for (name,) in con.execute("SELECT table_name FROM duckdb_tables() WHERE temporary").fetchall():
            con.execute(f'DROP TABLE "{name}"')
    return time.process_time() - begin


def _kept(job: Job, query: str) -> str:
    return job.dialect.temporary_table("kept", f"SELECT 1 AS r, q.* FROM ({query}) q").text


@contextmanager
def _stopping(con: duckdb.DuckDBPyConnection, end: float) -> Iterator[None]:
    """Interrupt the connection once the process has used so many CPU seconds."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            if time.process_time() > end:
                con.interrupt()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


# -- judging ---------------------------------------------------------------------------------------------


def loss(entry: Entry, costs: Costs | None = None) -> tuple[str, float]:
    """The lowering that is chosen, and how many times as long as the fastest one it takes (3 where it was stopped)."""
    job = job_at(entry, costs)
    seconds = entry["seconds"]
    chosen = min(seconds, key=lambda lowering: estimate(job, lowering))
    taken, best = seconds[chosen], min(s for s in seconds.values() if s is not None)
    return chosen, TIMES if taken is None else taken / best


def said(entry: Entry) -> list[object]:
    """A line of the table."""
    job, (chosen, times) = job_at(entry), loss(entry)
    seconds = entry["seconds"]
    taken = {n: "stopped" if s is None else f"{s:.3g}" for n, s in seconds.items()}
    cells = [f"{estimate(job, n):.3g} / {taken[n]}" if n in taken else "" for n in LOWERINGS]
    at = f"{entry['rows']:,} x {entry['features']:,} -> {job.k:,}"
    return [at, f"{entry['layout']}, {entry['output']}", job.projection.name, *cells, chosen, f"{times:.2f}"]


def main() -> None:
    """Measure where asked to, then judge."""
    parser = argparse.ArgumentParser(description="Check the planner's choices off its grid.")
    parser.add_argument("--measure", action="store_true", help="run the jobs; 10 minutes of CPU")
    parser.add_argument("--only", default="", help="jobs whose JSON has this word")
    parser.add_argument("--missing", action="store_true", help="run the lowerings that have no figures yet")
    options = parser.parse_args()
    entries = surveyed()
    if options.measure or options.missing:
        kept = {_name(entry): entry for entry in entries}
        for entry in jobs():
            if options.only in _name(entry):
                before = kept.get(_name(entry), {}).get("seconds", {}) if options.missing else {}
                kept[_name(entry)] = entry | {"seconds": measured(entry, before)}
                print(*said(kept[_name(entry)]), sep=" | ", flush=True)
                entries = list(kept.values())
                made = {"command": "python tests/bench/survey.py --measure", "seconds": "CPU", "jobs": entries}
                FILE.write_text(json.dumps(made, indent=1, sort_keys=True) + "\n")
    lines = [said(entry) for entry in entries]
    header = ["job", "layout, output", "method", *(f"{n}: estimate / measured" for n in LOWERINGS), "chosen", "times"]
    print(markdown(header, lines))
    losses = [loss(entry)[1] for entry in entries]
    near = sum(times <= 1.5 for times in losses)
    print(f"\nwithin 1.5 times of the fastest in {near} of {len(losses)} jobs; at worst {max(losses):.2f} times")


def _name(entry: Entry) -> str:
    return json.dumps({key: value for key, value in entry.items() if key != "seconds"}, sort_keys=True)


if __name__ == "__main__":
    sys.exit(main())
