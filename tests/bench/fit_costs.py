"""The planner's costs, fitted to what its lowerings take, and how good its choices are with them.

python tests/bench/fit_costs.py ENGINE … [--rounds 3] [--budget 5] [--shapes …] [--cpu] [--check | --refit]

A grid of jobs (rows, features, components, method, layout, output) runs under every lowering, whole: text, planning
and run, into a temporary table. Engines in this process also pass the rows of each job to it, where native may read the
features in their place. The planner's estimate is linear in its costs, so they are fitted by non-negative
least squares of the relative errors, and written to costs.json in the engine's folder; the grid's figures to
results/grid.json, so that --refit fits and --check only judges, with nothing measured anew. DuckDB's costs are fitted
to the jobs of survey.py as well. The bar: the lowering chosen is within 1.3 times of the best one measured in at least
95% of the jobs. Jobs off the grid, of other sizes and methods, are measured and judged too, but nothing is fitted to
them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from clock import Clock
from common import markdown, verdict
from scipy.optimize import nnls
from servers import database
from spark_jobs import spark_jobs
from survey import TIMES, job_at, surveyed

import sqlrp
from sqlrp._core.script import Setup
from sqlrp._core.sources import Output
from sqlrp._dialects.dialect import Column, Costs, Lowering
from sqlrp._engines.registry import ENGINES
from sqlrp._lowering.job import Job
from sqlrp._lowering.lowerings import find
from sqlrp._lowering.planner import estimate, plan, work
from sqlrp._run import row_batches
from sqlrp._run.bind import resolve
from sqlrp._run.execution import run as run_script

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from databases import DOUBLES, Database

NEAR, BAR = 1.3, 0.95
RESULTS = Path(__file__).with_name("results")
ENGINE_FOLDERS = Path(sqlrp.__file__).parent / "_engines"
FITTED = ("duckdb", "postgresql", "sqlite", "mariadb", "mysql", "clickhouse", "spark")
"""The engines whose jobs can be measured."""
ROWS = {"duckdb": (1, 10, 100, 1_000, 10_000, 50_000), "clickhouse": (1, 10, 100, 1_000, 4_000, 40_000)}
ROWS["spark"] = (2_000, 60_000)
FEWER = (1, 10, 100, 1_000, 4_000)
FETCHED = {"sqlite": (10, 1_000, 10_000), "clickhouse": (10, 4_000, 40_000)}
"""The rows of jobs whose results come to this process, of the engines that run in it."""

Work = dict[tuple[str, ...], float]
Shape = tuple[int, str, Output, sqlrp.Projection]
SHAPES: dict[str, Shape] = {
    "tiny": (4, "wide", "columns", sqlrp.SparseProjection(k=3, s=1)),
    "few": (20, "wide", "columns", sqlrp.SparseProjection(k=8, s=1)),
    "some": (100, "wide", "columns", sqlrp.SparseProjection(k=32)),
    "dense": (300, "wide", "columns", sqlrp.SparseProjection(k=100, s=1)),
    "third": (300, "wide", "array", sqlrp.SparseProjection(k=64, s=3)),
    "sparse": (784, "wide", "columns", sqlrp.SparseProjection(k=64)),
    "many": (784, "wide", "columns", sqlrp.SparseProjection(k=256)),
    "many-long": (784, "wide", "long", sqlrp.SparseProjection(k=128)),
    "embedding": (784, "wide", "columns", sqlrp.SparseEmbedding(k=128)),
    "gaussian": (100, "wide", "columns", sqlrp.GaussianProjection(k=32)),
    "gaussian-many": (784, "wide", "array", sqlrp.GaussianProjection(k=128)),
    "products": (100, "wide", "columns", sqlrp.PolynomialKernelProjection(k=64, t=4)),
    "more-products": (784, "wide", "columns", sqlrp.PolynomialKernelProjection(p=256, t=10, k=200)),
    "array": (784, "array", "array", sqlrp.SparseProjection(k=64)),
    "array-few": (128, "array", "array", sqlrp.SparseProjection(k=32, s=3)),
    "array-many": (512, "array", "array", sqlrp.SparseProjection(k=320)),
    "array-products": (300, "array", "array", sqlrp.PolynomialKernelProjection(k=64, s=3)),
    "array-columns": (300, "array", "columns", sqlrp.SparseProjection(k=64)),
}

OFF_ROWS, OFF_SPARK = (3, 30, 300, 2_500), (40_000,)
OFF_GRID: dict[str, Shape] = {
    "off-sums": (57, "wide", "columns", sqlrp.SparseProjection(k=20, s=2)),
    "off-long": (250, "wide", "long", sqlrp.SparseProjection(k=40)),
    "off-hadamard": (200, "wide", "columns", sqlrp.HadamardProjection(k=50)),
    "off-gaussian": (40, "wide", "columns", sqlrp.GaussianProjection(k=16)),
    "off-products": (150, "wide", "columns", sqlrp.PolynomialKernelProjection(k=48, t=2, degree=3, c=1.0)),
    "off-sketch": (150, "wide", "columns", sqlrp.TensorSketch(k=32)),
    "off-array": (500, "array", "array", sqlrp.SparseProjection(k=96, s=5)),
}
"""Jobs to which nothing is fitted."""
ALL = SHAPES | OFF_GRID


def job_of(name: str, shape: str, rows: int, costs: Costs | None = None, fetched: bool = False) -> Job:
    """A job of the grid as the planner sees it. `fetched`: its result comes to this process."""
    engine = ENGINES[name]
    if costs is not None:
        engine = type("Fitted", (type(engine),), {"costs": costs})()
    features, layout, output, projection = ALL[shape]
    kind = DOUBLES.get(name, "double")
    if layout == "wide":
        columns = [Column(f"f{j}", engine.read_type(kind)) for j in range(features)]
        frame = resolve(sqlrp.Wide("points", key=None), columns, engine, None, rows)
    else:
        array = Column("x", engine.read_type(_array(name, kind)))
        frame = resolve(sqlrp.Array("points", "x", key=None), [array], engine, [features], rows)
    threads = None if name == "spark" else os.cpu_count()  # as the connectors say
    return Job(projection, replace(frame, threads=threads), engine, output, fetched=fetched)


def entry_job(name: str, entry: dict[str, Any], costs: Costs | None = None) -> Job:
    """The job of what was measured."""
    return job_of(name, entry["shape"], entry["rows"], costs, entry.get("fetched", False))


def _array(name: str, kind: str) -> str:
    arrays = {"clickhouse": "Array(Nullable({}))", "spark": "array<{}>"}
    return arrays.get(name, "{}[]").format(kind)


def holding(name: str) -> list[str]:
    """The shapes that an engine holds by more than one lowering, so that there is a choice."""
    shapes = [
        s for s, (_, layout, output, _) in ALL.items() if ENGINES[name].has_arrays or "array" not in (layout, output)
    ]
    return [s for s in shapes if sum(not e.refusal for e in plan(job_of(name, s, 100)).estimates) > 1]


# -- measuring -------------------------------------------------------------------------------------------


def measure(
    name: str,
    rounds: int,
    budget: float,
    cpu: bool,
    shapes: list[str],
    wanted: Sequence[Lowering] = (),
    only_fetched: bool = False,
) -> None:
    """Every job of the grid, with the least seconds of each lowering; None where it would pass the budget.

    One that may be the best is measured whatever it takes.
    They are written after every shape, so that a run that is cut off leaves what it has.
    """
    with ExitStack() as stack:
        place: Place = stack.enter_context(spark_jobs(cpu) if name == "spark" else _databases(name, cpu))
        for shape in shapes:
            off = OFF_SPARK if name == "spark" else OFF_ROWS
            counts = off if shape in OFF_GRID else ROWS.get(name, FEWER)
            found: list[dict[str, Any]] = []
            jobs = [(rows, True) for rows in FETCHED.get(name, ())]
            if not only_fetched:
                jobs = [*((rows, False) for rows in counts), *jobs]
            place.fill(ALL[shape], max(counts + FETCHED.get(name, ())))
            last: dict[str, tuple[int, float]] = {}
            least: dict[str, float] = {}
            for rows, here in jobs:
                job = job_of(name, shape, rows, fetched=here)
                measured: dict[str, float | None] = {}
                usable = (e.lowering for e in plan(job, here=True).estimates if not e.refusal)
                names = [n for n in usable if not wanted or n in wanted]
                expected = {n: _expected(last.get(n), least.get(n, 0.0), rows) for n in names}
                for n in names:
                    if expected[n] > budget and expected[n] > 3 * min(expected.values()):
                        measured[n] = None
                        continue
                    seconds = place.seconds(ALL[shape], n, rows, rounds, budget, here)
                    measured[n], last[n] = seconds, (rows, seconds)
                    least[n] = min(seconds, least.get(n, seconds))
                found.append({"shape": shape, "rows": rows, "seconds": measured, "fetched": here})
                print(f"{name} {shape}, {rows:,} rows{', fetched' if here else ''}: {_said(measured)}", flush=True)
            grids = _read(RESULTS / "grid.json")
            kept = [
                entry
                for entry in grids.get(name, [])
                if entry["shape"] != shape or (only_fetched and not entry.get("fetched"))
            ]
            _write(RESULTS / "grid.json", grids | {name: kept + found})


def _expected(last: tuple[int, float] | None, fixed: float, rows: int) -> float:
    """Seconds at so many rows: what does not grow with them (planning, the draw) is about the least measured so far."""
    if last is None:
        return 0.0
    before, seconds = last
    return fixed + (seconds - fixed) * rows / before


class Place(Protocol):
    """Where the jobs of a grid run."""

    def fill(self, shape: Shape, rows: int) -> None:
        """Make the table of a shape."""

    def seconds(self, shape: Shape, lowering: Lowering, rows: int, rounds: int, budget: float, fetched: bool) -> float:
        """What a job takes by a lowering, over the first rows of the table. `fetched`: its result comes here."""


@contextmanager
def _databases(name: str, cpu: bool) -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="sqlrp_costs_") as folder, database(name, Path(folder)) as db:
        if name == "duckdb":
            db.run(f"SET threads = {os.cpu_count()}")  # as users have it: tests run on one
        yield Tables(db, Clock(db) if cpu else time.perf_counter)


@dataclass
class Tables:
    """A database."""

    db: Database
    clock: Callable[[], float]

    def fill(self, shape: Shape, rows: int) -> None:
        """The table of a shape: 64 rows, then copies of them, numbered on."""
        features, layout, _, _ = shape
        db, kind = self.db, DOUBLES[self.db.name]
        values = np.random.default_rng(0).normal(size=(64, features)).round(4)
        if layout == "wide":
            columns = [(f"f{j}", kind) for j in range(features)]
            cells: list[list[Any]] = values.tolist()
        else:
            columns, cells = [("x", db.array_of(kind))], [[row] for row in values.tolist()]
        db.make("points_all", [("number", "BIGINT"), *columns], [[i, *row] for i, row in enumerate(cells)])
        named, have = ", ".join(db.engine.quote(name) for name, _ in columns), len(cells)
        while have < rows:
            db.run(f"INSERT INTO points_all SELECT number + {have}, {named} FROM points_all")
            have *= 2
        if db.name == "postgresql":
            db.run("ANALYZE points_all")  # as the server does by itself, some minutes later

    def seconds(self, shape: Shape, lowering: Lowering, rows: int, rounds: int, budget: float, fetched: bool) -> float:
        """The least of some runs."""
        name = next(name for name, each in ALL.items() if each is shape)
        run = self._fetched if fetched else self._stored
        return min(self._runs(job_of(self.db.name, name, rows, fetched=fetched), lowering, rounds, budget, run))

    def _runs(
        self, job: Job, lowering: Lowering, rounds: int, budget: float, run: Callable[[Any, Job, Lowering], object]
    ) -> Iterator[float]:
        db, rows = self.db, job.frame.rows
        named = ", ".join(job.frame.names)
        db.run(f"CREATE VIEW points AS SELECT {named} FROM points_all WHERE number < {rows}")
        spent = 0.0
        for _ in range(rounds):
            with db.connector.session(db.connection) as session:
                begin = self.clock()
                run(session, job, lowering)
                taken = self.clock() - begin
                db.connector.execute(session, _kept(db, "").drop)
            yield taken
            spent += taken
            if spent > budget:
                break
        db.run("DROP VIEW points")

    def _stored(self, session: Any, job: Job, lowering: Lowering) -> None:
        """The rows in a temporary table."""
        db = self.db
        if not find(lowering).plain:
            with row_batches.relation(db.connector, session, job) as query:
                db.connector.store(session, _kept(db, query))
            return
        script = find(lowering).lower(job)
        for step in (*script.steps, _kept(db, script.query)):
            db.connector.store(session, step)
        for drop in script.cleanup:
            db.connector.execute(session, drop)

    def _fetched(self, session: Any, job: Job, lowering: Lowering) -> None:
        """The rows in this process."""
        if not find(lowering).plain:
            assert row_batches.fetched(self.db.connector, session, job).num_rows >= (job.frame.rows or 0)
            return
        assert run_script(self.db.connector, session, find(lowering).lower(job)).num_rows >= (job.frame.rows or 0)


def _kept(db: Database, query: str) -> Setup:
    return db.engine.temporary_table("kept", f"SELECT 1 AS r, q.* FROM ({query}) q")


def _said(measured: dict[str, float | None]) -> str:
    return ", ".join(f"{n} {'over' if s is None else f'{s:.4g} s'}" for n, s in measured.items())


# -- fitting ---------------------------------------------------------------------------------------------


def lowerings(name: str) -> tuple[Lowering, ...]:
    """The engine's own, and the evaluation of its rows in this process, where it passes them on."""
    engine = ENGINES[name]
    return (*engine.lowerings, "native") if engine.streams or name in FETCHED else engine.lowerings


def fit(name: str, grid: list[dict[str, Any]], source: str) -> Costs:
    """The costs that bring the estimates nearest to what was measured, by relative error, each lowering by itself.

    A lowering that was stopped, or not run, takes at least `TIMES` times as long as the fastest one. What was
    never measured keeps its cost: a lowering or a layout.
    """
    jobs = [(entry_job(name, entry), entry["seconds"]) for entry in grid]
    jobs += [(job_at(entry), entry["seconds"]) for entry in surveyed()] if name == "duckdb" else []
    parts: dict[str, dict[Lowering, Any]] = {part.name: {} for part in fields(Costs) if part.name != "source"}
    for lowering in lowerings(name):
        lines = [(work(job, lowering), taken[lowering]) for job, taken in jobs if taken.get(lowering) is not None]
        if not lines:
            continue
        bounds = [
            (work(job, lowering), TIMES * min(s for s in taken.values() if s is not None))
            for job, taken in jobs
            if taken.get(lowering, 0) is None
        ]
        keys = sorted({key for line, _ in lines + bounds for key in line})
        missed: list[tuple[Work, float]] = []
        for _ in range(5):
            got = dict(zip(keys, _solved(_relative(lines + missed, keys)), strict=True))
            missed = [(line, s) for line, s in bounds if (line, s) in missed or _sum(line, got) < s]
        for (part, *of), exactly in got.items():
            value = float(f"{exactly:.2g}")
            if of:
                parts[part].setdefault(lowering, {})[of[0]] = value
            else:
                parts[part][lowering] = value
    before = ENGINES[name].costs
    for part, costs in parts.items():
        for lowering, cost in getattr(before, part).items():
            own = costs.setdefault(lowering, cost)
            if isinstance(own, dict):
                costs[lowering] = {**cost, **own}
    return Costs(**parts, source=source)


def _relative(lines: list[tuple[Work, float]], keys: list[tuple[str, ...]]) -> Any:
    """A row for each measurement: its work over its seconds."""
    return np.array([[line.get(key, 0.0) for key in keys] for line, _ in lines]) / np.array([[s] for _, s in lines])


def _sum(line: Work, costs: Work) -> float:
    return sum(costs.get(key, 0.0) * amount for key, amount in line.items())


def _solved(matrix: Any) -> Any:
    """Least squares, then reweighted towards least absolute errors, so that outliers rule less."""
    weights, size = np.ones(len(matrix)), np.linalg.norm(matrix, axis=0)
    size[size == 0] = 1
    for _ in range(20):
        got, _ = nnls(matrix / size * weights[:, None], weights)
        weights = 1 / np.sqrt(np.maximum(np.abs(matrix / size @ got - 1), 0.05))
    return got / size


# -- judging ---------------------------------------------------------------------------------------------


def losses(name: str, grid: list[dict[str, Any]], costs: Costs) -> list[float]:
    """How many times as long as the best one measured the chosen lowering took, a job each."""
    found = []
    for entry in grid:
        job = entry_job(name, entry, costs)
        chosen = min(entry["seconds"], key=lambda lowering, job=job: estimate(job, lowering))
        taken, best = entry["seconds"][chosen], min(s for s in entry["seconds"].values() if s is not None)
        found.append(float("inf") if taken is None else taken / best)
    return found


def within(every: list[float]) -> str:
    """How many jobs are near the best one, and the worst of them."""
    near, count = sum(loss <= NEAR for loss in every), len(every)
    said = f"within {NEAR} times of the best in {near} of {count} jobs ({near / count:.1%}), at worst {max(every):.2f}"
    return f"{said}; bar, at least {BAR:.0%}: {verdict(near >= BAR * count)}"


def on_grid(name: str, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The jobs to which the costs are fitted: all of Spark's, as two numbers of rows alone tell too little."""
    return [entry for entry in entries if name == "spark" or entry["shape"] in SHAPES]


def left_out(name: str, grid: list[dict[str, Any]], source: str) -> list[float]:
    """The same with costs fitted without the job's shape: how far the fit carries."""
    found: list[float] = []
    for shape in dict.fromkeys(entry["shape"] for entry in grid):
        rest = [entry for entry in grid if entry["shape"] != shape]
        found += losses(name, [e for e in grid if e["shape"] == shape], fit(name, rest, source))
    return found


def judged(name: str, entries: list[dict[str, Any]], costs: Costs) -> dict[str, Any]:
    """Print estimate beside measurement of every job, and how often the choice was near the best."""
    rows = []
    for entry, loss in zip(entries, losses(name, entries, costs), strict=True):
        job = entry_job(name, entry, costs)
        guessed = {lowering: estimate(job, lowering) for lowering in entry["seconds"]}
        cells = [
            f"{guessed[n]:.3g} / {'over' if s is None else f'{s:.3g}'}"
            if (s := entry["seconds"].get(n)) or n in guessed
            else ""
            for n in lowerings(name)
        ]
        rows.append(
            [entry["shape"], f"{entry['rows']:,}", *cells, min(guessed, key=guessed.__getitem__), f"{loss:.2f}"]
        )
    header = ["shape", "rows", *(f"{n}: estimate / measured" for n in lowerings(name)), "chosen", "loss"]
    print(markdown(header, rows))
    grid = on_grid(name, entries)
    judgements = {
        "on the grid": losses(name, grid, costs),
        "off the grid": losses(name, [entry for entry in entries if entry not in grid], costs),
        "on the grid, with costs fitted without the job's shape": left_out(name, grid, ""),
    }
    for where, every in judgements.items():
        print(f"{name}, {where}: {within(every) if every else 'nothing was measured'}")
    every, off, others = judgements.values()
    near, near_off, left = (sum(loss <= NEAR for loss in found) for found in (every, off, others))
    found = {"near": near, "jobs": len(every), "times": NEAR, "worst": max(every), "left_out": left}
    return found | {"near_off": near_off, "jobs_off": len(off)}


def main() -> None:
    """Measure, fit, write, judge."""
    parser = argparse.ArgumentParser(description="Fit the planner's costs.")
    parser.add_argument("engines", nargs="+", choices=FITTED)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each lowering, of which the least counts")
    parser.add_argument("--budget", type=float, default=5.0, help="seconds that one lowering of a job may take")
    parser.add_argument("--shapes", nargs="+", choices=ALL, help="measure these only; the others stay as they were")
    parser.add_argument("--lowerings", nargs="+", help="measure these only; the costs of the others stay")
    parser.add_argument("--fetched", action="store_true", help="measure only jobs whose results come to this process")
    parser.add_argument("--cpu", action="store_true", help="CPU seconds, for a busy machine")
    parser.add_argument("--refit", action="store_true", help="fit to the figures in results/grid.json")
    parser.add_argument("--check", action="store_true", help="judge the costs in force by results/grid.json")
    options = parser.parse_args()
    for name in options.engines:
        if not (options.refit or options.check):
            shapes = [shape for shape in holding(name) if shape in (options.shapes or ALL)]
            measure(name, options.rounds, options.budget, options.cpu, shapes, options.lowerings or (), options.fetched)
        grids = _read(RESULTS / "grid.json")
        if name not in grids:
            parser.error(f"{name} is not in results/grid.json: leave out --refit and --check to measure it")
        costs = ENGINES[name].costs
        if not options.check:
            jobs = on_grid(name, grids[name])
            source = f"python tests/bench/fit_costs.py {name}: {len(jobs)} jobs, {os.cpu_count()} cores"
            source += ", CPU seconds" if options.cpu else ""
            costs = fit(name, jobs, source)
            _write(ENGINE_FOLDERS / name / "costs.json", costs.to_json())
        bench = _read(RESULTS / "bench.json") or {"machine": {}, "cases": {}}
        bench.setdefault("choices", {})[name] = judged(name, grids[name], costs)
        _write(RESULTS / "bench.json", bench)


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def _write(path: Path, found: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
