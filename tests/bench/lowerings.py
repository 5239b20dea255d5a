"""The planner's constants on DuckDB, measured: what to paste into `sqlrp/engines/duckdb.py`.

python tests/bench/lowerings.py [--repeat 3] [--budget 10]

Every lowering runs many jobs (text, planning and run together, into a temporary table). The planner's own
formula is linear in its constants, so they are fitted by least squares of the relative errors; then the planner
chooses with the constants in the engine and with the fitted ones, and is told how often it was near the best.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

import duckdb
import numpy as np
from scipy.optimize import nnls

import sqlrp
from sqlrp.api import look
from sqlrp.engines.base import Costs, Engine, Lowering
from sqlrp.engines.duckdb import DuckDB
from sqlrp.layouts import Output, Source
from sqlrp.lower.job import Job
from sqlrp.lower.planner import plan

sys.path.insert(0, str(Path(__file__).parent))
from common import interleaved, markdown, timed

LOWERINGS: tuple[Lowering, ...] = get_args(Lowering)
NEAR = 1.3
ROWS = (1, 10, 100, 1_000, 10_000, 50_000)
SHAPES: tuple[tuple[int, str, Output, sqlrp.Projection], ...] = (
    (20, "wide", "columns", sqlrp.SparseProjection(k=8, s=1)),
    (100, "wide", "columns", sqlrp.SparseProjection(k=32)),
    (784, "wide", "columns", sqlrp.SparseProjection(k=64)),
    (784, "wide", "columns", sqlrp.SparseProjection(k=488)),
    (784, "wide", "columns", sqlrp.PolynomialKernelProjection(p=488, t=10, k=500)),
    (300, "wide", "columns", sqlrp.SparseProjection(k=100, s=1)),
    (784, "array", "array", sqlrp.SparseProjection(k=64)),
    (300, "array", "array", sqlrp.PolynomialKernelProjection(k=64, s=3)),
)


@dataclass
class Case:
    """One job and what each lowering took: seconds, or None where it was over the budget."""

    job: Job
    shape: str
    measured: dict[Lowering, float | None] = field(default_factory=dict)

    @property
    def best(self) -> Lowering:
        return min((n for n, s in self.measured.items() if s), key=lambda n: self.measured[n] or 0.0)


def with_costs(costs: Costs) -> Engine:
    """DuckDB with other constants."""
    return type("Fitted", (DuckDB,), {"costs": costs})()


def estimates(job: Job, costs: Costs) -> dict[Lowering, float]:
    """The planner's estimates with these constants."""
    altered = Job(job.projection, job.frame, with_costs(costs), job.output)
    return {e.lowering: e.seconds for e in plan(altered).estimates}


def run(con: duckdb.DuckDBPyConnection, job: Job, lowering: Lowering) -> Callable[[], None]:
    """Write the text and run it into a temporary table."""

    def call() -> None:
        script = plan(job, lowering).script()
        for step in script.steps:
            con.execute(step)
        con.execute(f"CREATE OR REPLACE TEMPORARY TABLE out AS {script.query}")
        for statement in script.cleanup:
            con.execute(statement)

    return call


def measure(options: argparse.Namespace) -> list[Case]:
    """Every shape at every number of rows; a lowering stops before the one that would pass the budget."""
    cases = []
    con = duckdb.connect()
    engine = DuckDB()
    for features, layout, output, projection in SHAPES:
        before: dict[Lowering, float] = dict.fromkeys(LOWERINGS, 0.0)
        least: dict[Lowering, float] = {}
        for i, rows in enumerate(ROWS):
            source = make(con, layout, features, rows)
            job = Job(projection, look(engine, con, source), engine, output)
            case = Case(job, f"{layout} {features} {projection.name.replace('Projection', '')}")
            growth = rows / ROWS[i - 1] if i else 1.0
            # What does not grow with the rows (planning, the draw) is about the least that was measured.
            names = [
                n
                for n, last in before.items()
                if (fixed := least.get(n, 0.0)) + growth * (last - fixed) < options.budget
            ]
            jobs = {n: run(con, job, n) for n in names}
            first = {n: timed(jobs[n]) for n in names}
            many = {n: jobs[n] for n in names if first[n] < 2.0}
            timings = interleaved(many, options.repeat, warm=False) if many else {}
            for n in LOWERINGS:
                case.measured[n] = timings[n].median if n in timings else first.get(n)
            before = {n: s for n, s in case.measured.items() if s is not None}
            least = {n: min(s, least.get(n, s)) for n, s in before.items()}
            cases.append(case)
    con.close()
    return cases


def make(con: duckdb.DuckDBPyConnection, layout: str, features: int, rows: int) -> Source:
    """A table of random numbers."""
    values = [f"random() - 0.5 AS f{j}" for j in range(features)]
    if layout == "array":
        values = [f"array_value({', '.join(v.split(' AS ')[0] for v in values)}) AS x"]
    con.execute(f"CREATE OR REPLACE TABLE points AS SELECT range AS id, {', '.join(values)} FROM range({rows})")
    return sqlrp.Array("points", "x") if layout == "array" else sqlrp.Wide("points")


def fit(cases: list[Case]) -> Costs:
    """The constants that bring the planner's formula nearest to what was measured, by relative error."""
    zero = dict.fromkeys(LOWERINGS, 0.0)
    units = [Costs(1.0, zero, zero)]
    units += [Costs(0.0, zero | {n: 1.0}, zero) for n in LOWERINGS]
    units += [Costs(0.0, zero, zero | {n: 1.0}) for n in LOWERINGS]
    rows = []
    for case in cases:
        columns = [estimates(case.job, unit) for unit in units]
        rows += [[column[n] / seconds for column in columns] for n, seconds in case.measured.items() if seconds]
    matrix = np.array(rows)
    weights = np.ones(len(matrix))  # then reweighted to least absolute errors, so that outliers rule less
    size = np.linalg.norm(matrix, axis=0)
    for _ in range(20):
        got, _ = nnls(matrix / size * weights[:, None], weights)
        weights = 1 / np.sqrt(np.maximum(np.abs(matrix / size @ got - 1), 0.05))
    plan_term, *rest = (float(f"{x:.2g}") for x in got / size)
    n = len(LOWERINGS)
    return Costs(
        plan_term,
        run=dict(zip(LOWERINGS, rest[:n], strict=True)),
        start=dict(zip(LOWERINGS, rest[n:], strict=True)),
        source="python tests/bench/lowerings.py",
    )


def written(costs: Costs) -> str:
    """The constants as source text."""

    def pairs(values: dict[Lowering, float]) -> str:
        return "{" + ", ".join(f'"{n}": {v:.2g}' for n, v in values.items()) + "}"

    return (
        f"Costs(plan_term={costs.plan_term:.2g}, run={pairs(costs.run)}, start={pairs(costs.start)}, "
        f'source="{costs.source}")'
    )


def report(title: str, cases: list[Case], costs: Costs) -> None:
    """Estimate beside measurement of every case, and how often the choice was near the best."""
    rows: list[list[object]] = []
    near = 0
    worst = 1.0
    for _, group in groupby(cases, key=lambda c: c.shape):
        for case in group:
            guessed = estimates(case.job, costs)
            chosen = min(guessed, key=lambda n: guessed[n])
            best, taken = case.measured[case.best] or 0.0, case.measured[chosen]
            loss = float("inf") if taken is None else taken / best
            near += loss <= NEAR
            worst = max(worst, loss)
            cells: list[Any] = [case.shape, f"{case.job.frame.rows:,}"]
            for n in LOWERINGS:
                seconds = case.measured[n]
                cells.append(f"{guessed[n]:.3g} / " + ("over" if seconds is None else f"{seconds:.3g}"))
            rows.append([*cells, chosen, case.best, f"{loss:.2f}"])
    print(f"\n{title}: {written(costs)}\n")
    header = ["shape", "rows", *(f"{n}: estimate / measured" for n in LOWERINGS), "chosen", "best", "loss"]
    print(markdown(header, rows))
    print(f"\nwithin {NEAR} times of the best in {near} of {len(cases)} cases; at worst {worst:.2f} times")


def main() -> None:
    """Measure, fit, print."""
    parser = argparse.ArgumentParser(description="Measure the planner's constants on DuckDB.")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--budget", type=float, default=10.0, help="seconds that one run of a lowering may take")
    cases = measure(parser.parse_args())
    report("in the engine", cases, DuckDB.costs)
    report("fitted", cases, fit(cases))


if __name__ == "__main__":
    main()
