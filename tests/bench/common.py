"""A small harness for the benchmarks: interleaved runs, medians, ratios, peak memory, Markdown tables."""

from __future__ import annotations

import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Timing:
    """The seconds of every round of one job; entry i of two jobs were measured side by side."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def spread(self) -> float:
        """(slowest - fastest) / median: how noisy the measurement was."""
        return (max(self.seconds) - min(self.seconds)) / self.median if self.median else 0.0

    def ratio(self, *others: Timing) -> float:
        """How many times as long as the fastest of `others`: the median over the rounds of the ratio within a round."""
        rounds = zip(self.seconds, *(other.seconds for other in others), strict=True)
        return statistics.median(mine / min(theirs) for mine, *theirs in rounds)

    def __str__(self) -> str:
        return f"{self.median:.4g} s ±{self.spread / 2:.0%}"


def timed(job: Callable[[], object]) -> float:
    """Seconds of one call."""
    begin = time.perf_counter()
    job()
    return time.perf_counter() - begin


def interleaved(
    jobs: Mapping[str, Callable[[], object]],
    repeat: int,
    before: Callable[[], object] | None = None,
    warm: bool = True,
) -> dict[str, Timing]:
    """Run every job `repeat` times, one of each a round, starting each round with another job.

    `before` runs untimed ahead of every job. `warm` runs one round more, which is not counted.
    """
    names = list(jobs)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for i in range(-1 if warm else 0, repeat):
        shift = i % len(names)
        for name in names[shift:] + names[:shift]:
            if before is not None:
                before()
            taken = timed(jobs[name])
            if i >= 0:
                seconds[name].append(taken)
    return {name: Timing(tuple(values)) for name, values in seconds.items()}


def cpu(*roots: int) -> float:
    """The CPU seconds so far of this process, the `roots`, and all processes that they started."""
    started: dict[str, tuple[str, float]] = {}
    for process in Path("/proc").iterdir():
        try:
            *_, fields = (process / "stat").read_text().rpartition(") ") if process.name.isdigit() else [""]
        except OSError:  # it has ended
            continue
        if fields:
            parts = fields.split()  # from 11 on: its own time, as a user and in the system, and that of ended children
            started[process.name] = (parts[1], sum(map(int, parts[11:15])) / os.sysconf("SC_CLK_TCK"))
    ours, found = {str(os.getpid()), *map(str, roots)}, 0.0
    while ours:
        found += sum(started[p][1] for p in ours if p in started)
        ours = {p for p, (parent, _) in started.items() if parent in ours}
    return found


def peak_rss() -> int:
    """The largest resident memory of this process so far, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def markdown(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table, its columns aligned."""
    cells = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def verdict(holds: bool) -> str:
    """Whether a bar holds."""
    return "holds" if holds else "DOES NOT HOLD"
