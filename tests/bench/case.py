"""A case of the benchmark: jobs that are measured side by side, the bars on their ratios, and where its data lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
from common import Timing, interleaved, peak_rss

Call = Callable[[], object]
COPY = "copy of as many columns"
"""The job that copies as many columns of the source as the projection has components."""

SCALES: dict[str, tuple[int, int]] = {"full": (1, 1), "quick": (10, 2), "tiny": (2000, 28)}
"""What rows and features are divided by: the figures, a look at them, a test that the machinery works."""


@dataclass(frozen=True)
class Bar:
    """A row of the table of bars: `job` against the fastest of `against`, at least so fast or at most so much.

    Without `against` the bar is on the quantity of the job itself.
    """

    said: str
    job: str
    against: Sequence[str]
    bound: float
    faster: bool = True
    """at least `bound` times the speed; False: at most `bound` times the quantity"""
    quantity: str = "seconds"


@dataclass
class Bench:
    """What a case measures."""

    jobs: dict[str, Call]
    before: Call = lambda: None
    """runs untimed ahead of every job"""
    shape: Callable[[], tuple[int, int] | None] = lambda: None
    """rows and columns of what the last job wrote"""
    alike: Callable[[str], str] = lambda job: ""
    """what the shapes of jobs are compared within"""
    facts: dict[str, dict[str, float]] = field(default_factory=dict)
    """quantities besides seconds, by job"""
    points: dict[str, tuple[str, float]] = field(default_factory=dict)
    """for a growth curve: the series and the place on the axis of every job"""
    notes: dict[str, str] = field(default_factory=dict)
    """what is to be said of a job"""


@dataclass(frozen=True)
class Case:
    """One case: `make` prepares it in a place."""

    name: str
    title: str
    make: Callable[[Place], Bench]
    bars: tuple[Bar, ...] = ()
    rounds: int = 99
    """at most so many rounds, where one takes long"""
    axis: str = ""
    """of a growth curve"""


@dataclass
class Place:
    """Where a case runs: its scale, its folder, and what is to be closed when it ends."""

    folder: Path
    scale: str = "full"
    stack: ExitStack = field(default_factory=ExitStack)

    def rows(self, n: int) -> int:
        """So many rows at this scale."""
        return max(n // SCALES[self.scale][0], 64)

    def size(self, n: int) -> int:
        """So many features or components at this scale: a multiple of 4."""
        return max(n // SCALES[self.scale][1] // 4 * 4, 8)

    def duckdb(
        self, name: str, statements: Sequence[str], settings: Mapping[str, str] | None = None
    ) -> duckdb.DuckDBPyConnection:
        """A connection to a database file that the statements made, once for all cases that name it."""
        path = self.folder / f"{name}_{self.scale}.duckdb"
        if not path.exists():
            making = path.with_suffix(".making")
            making.unlink(missing_ok=True)
            with duckdb.connect(str(making)) as con:
                for statement in statements:
                    con.execute(statement)
                con.execute("CHECKPOINT")
            making.rename(path)
        con = self.stack.enter_context(duckdb.connect(str(path), config=dict(settings or {})))
        con.execute(f"SET memory_limit = '12GB'; SET temp_directory = '{self.folder / 'spill'}'")
        con.execute("SET max_temp_directory_size = '40GB'")
        return con


def run_case(case: Case, place: Place, rounds: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure a case: a first round, not counted, compares the shapes; then rounds, each beginning with another job.

    A job that fails is told, and left out of the rounds.
    """
    with place.stack:
        bench = case.make(place)
        errors: dict[str, str] = {}
        shapes: dict[str, Any] = {}
        for name, job in bench.jobs.items():
            say(f"{case.name}: first round, {name}")
            try:
                bench.before()
                job()
                shapes[name] = bench.shape()
            except Exception as error:
                errors[name] = f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"
        for name, found in shapes.items():
            others = {other: s for other, s in shapes.items() if bench.alike(other) == bench.alike(name) and s != found}
            if others:
                raise AssertionError(f"{case.name}: {name} has a result of shape {found}, others {others}")
        left = {name: job for name, job in bench.jobs.items() if name not in errors}
        counted = 0

        def before() -> None:
            nonlocal counted
            say(f"{case.name}: {counted} of {min(rounds, case.rounds) * len(left)} runs")
            counted += 1
            bench.before()

        timings: dict[str, Timing] = interleaved(left, min(rounds, case.rounds), before, warm=False) if left else {}
        bench.before()
    return {
        "title": case.title,
        "scale": place.scale,
        "seconds": {name: list(t.seconds) for name, t in timings.items()},
        "shapes": shapes,
        "errors": errors,
        "facts": bench.facts,
        "points": bench.points,
        "notes": bench.notes,
        "peak_bytes": peak_rss(),
    }
