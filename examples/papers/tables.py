"""A paper's table: its printed cells, the runs that measure ours, the file that keeps them, and the page's text."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

RESULTS = Path(__file__).parent / "results"
ENOUGH = 3
"""How many cells a comparison of their order needs"""
Values = Mapping[str, Mapping[str, float]]
"""What one run found: for each reading of the experiment, a figure for each cell's label."""


@dataclass(frozen=True)
class Cell:
    """One figure that a paper prints."""

    label: str
    paper: float | None = None
    """None if the paper prints no figure for it"""
    deviation: float = 0.0
    """The standard deviation that the paper prints, 0 if it prints none."""
    part: str = ""
    """Cells of one part are counted together."""
    digits: int | None = None
    judged: bool = True
    """False for times and for other figures that depend on the machine or on data that we lack"""


@dataclass(frozen=True)
class Work:
    """What one run is told: its seed, its case of the table, and where the data are."""

    seed: int
    case: str
    quick: bool
    data: Path

    def load(self, name: str) -> dict[str, Any] | None:
        """The arrays of a data set; None in a quick run, which takes data that come with scikit-learn."""
        if self.quick:
            return None
        with np.load(self.data / f"{name}.npz") as archive:
            return dict(archive)


@dataclass(frozen=True)
class Table:
    """A table of a paper, and how to measure it again."""

    name: str
    script: str
    title: str
    cells: Sequence[Cell]
    readings: Sequence[str]
    """The readings of the experiment, in columns. Or the columns themselves, if nothing is judged."""
    measure: Callable[[Work], Values]
    cases: Sequence[str] = ("all",)
    seeds: int = 10
    digits: int = 3
    data: Sequence[str] = ()
    """The data sets that it needs, as files NAME.npz."""
    other: str = ""
    """Says which other data we have, so that no cell is judged."""
    apart: Sequence[str] = ()
    """Readings that are not judged, as they are of other data than the paper's"""
    theory: tuple[str, str] | None = None
    """A reading, and the reading that says what theory expects of it"""
    note: str = ""
    paper_runs: int = 10
    """How many runs the paper's deviations are of"""
    quick_cases: int = 2
    kept: Path = field(default=RESULTS)

    @property
    def command(self) -> str:
        return f"python examples/papers/{self.script}.py --tables {self.name}"

    @property
    def file(self) -> Path:
        return self.kept / f"{self.name}.json"

    def runs(self) -> dict[str, dict[str, Values]]:
        """The runs that are kept: for each seed and each case, what was found."""
        return json.loads(self.file.read_text())["runs"] if self.file.exists() else {}

    def missing(self, seeds: int) -> list[tuple[int, str]]:
        """The seeds and cases that have not run, one seed after another."""
        done = self.runs()
        return [(s, case) for s in range(seeds) for case in self.cases if case not in done.get(str(s), {})]

    def keep(self, seed: int, case: str, found: Values) -> None:
        """Add one run to the file, so that a run that is stopped goes on from there."""
        runs = self.runs()
        rounded = {r: {label: float(f"{v:.6g}") for label, v in values.items()} for r, values in found.items()}
        runs.setdefault(str(seed), {})[case] = rounded
        self.file.parent.mkdir(exist_ok=True)
        self.file.write_text(json.dumps({"command": self.command, "runs": runs}, indent=1, ensure_ascii=False) + "\n")


def figures(runs: Mapping[str, Mapping[str, Values]]) -> dict[tuple[str, str], list[float]]:
    """For each reading and label, the figures of all seeds."""
    found: dict[tuple[str, str], list[float]] = {}
    for cases in runs.values():
        for values in cases.values():
            for reading, cells in values.items():
                for label, value in cells.items():
                    found.setdefault((reading, label), []).append(value)
    return found


def agrees(cell: Cell, ours: Sequence[float], digits: int, paper_runs: int) -> bool:
    """Whether two means agree: ours, and the paper's of `paper_runs` runs, whose last digit is rounded.

    They may differ by two standard errors of the difference, so a cell is not easier to meet because runs vary more.
    """
    assert cell.paper is not None
    error = float(np.std(ours, ddof=1)) / math.sqrt(len(ours)) if len(ours) > 1 else 0.0
    both = math.hypot(error, cell.deviation / math.sqrt(paper_runs))
    return abs(float(np.mean(ours)) - cell.paper) <= 2 * both + 0.5 * 10**-digits + 1e-12


@dataclass(frozen=True)
class Shown:
    """A table with the figures of its runs."""

    table: Table
    runs: Mapping[str, Mapping[str, Values]]
    other: str = ""

    @property
    def not_judged(self) -> str:
        return self.other or self.table.other

    def counts(self) -> dict[str, dict[str, tuple[int, int]]]:
        """For each reading and part: the cells that agree, and all that have figures."""
        ours = figures(self.runs)
        counted: dict[str, dict[str, tuple[int, int]]] = {}
        for cell in self.table.cells:
            for reading in self.table.readings:
                values = ours.get((reading, cell.label))
                if values and self._judged(cell, reading):
                    good, of = counted.setdefault(reading, {}).get(cell.part, (0, 0))
                    counted[reading][cell.part] = (good + self._agrees(cell, values), of + 1)
        return counted

    def shares(self) -> list[tuple[float, int, int]]:
        """For each reading: the share of the cells that agree, their number, and the number of all."""
        sums = [[sum(part) for part in zip(*parts.values(), strict=True)] for parts in self.counts().values()]
        return [(good / of, good, of) for good, of in sums]

    def counted(self) -> dict[str, str]:
        """The counts of each reading in words: of all cells, and of each part."""
        said = {}
        for reading, parts in self.counts().items():
            said[reading] = f"{sum(good for good, _ in parts.values())} of {sum(of for _, of in parts.values())}"
            if len(parts) > 1:
                said[reading] += f" ({', '.join(f'{part}: {good} of {of}' for part, (good, of) in parts.items())})"
        return said

    def markdown(self) -> str:
        """A table with a row for each cell and a column for each reading, and the counts below it."""
        ours = figures(self.runs)
        cells = [cell for cell in self.table.cells if any((r, cell.label) in ours for r in self.table.readings)]
        printed = any(cell.paper is not None for cell in cells)
        rows = [["", *(["paper"] if printed else []), *self.table.readings]]
        for cell in cells:
            said = [self._ours(cell, reading, ours.get((reading, cell.label))) for reading in self.table.readings]
            rows.append([cell.label, *([self._paper(cell)] if printed else []), *said])
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        rule = [":".rjust(w, "-") if i else "-" * w for i, w in enumerate(widths)]
        lines = ["| " + " | ".join(_padded(row, widths)) + " |" for row in [rows[0], rule, *rows[1:]]]
        if self.not_judged and printed:
            lines += ["", f"Not judged: {self.not_judged}.{self._beside()}"]
        if self.table.theory:
            lines += ["", f"Within one of our deviations of theory: {self._as_theory()} ({self.table.theory[0]})."]
        counts = self.counted()
        if len(counts) == 1:
            lines += ["", f"Cells that agree: {next(iter(counts.values()))}."]
        elif counts:
            lines += ["", "Cells that agree:", "", *(f"- {reading}: {said}" for reading, said in counts.items())]
        return "\n".join(lines)

    def _beside(self) -> str:
        """How large figures that are not judged are next to the paper's, and whether they have the same order."""
        ours, pairs = figures(self.runs), dict[str, list[tuple[float, float]]]()
        for cell in self.table.cells:
            values = ours.get((self.table.readings[0], cell.label))
            if values and cell.paper and cell.judged:
                pairs.setdefault(cell.part, []).append((cell.paper, float(np.mean(values))))
        said = []
        for part, both in pairs.items():
            if len(both) >= ENOUGH:
                printed, found = np.array(both).T
                said.append(f"{f'{part}: ' if part else ''}{min(found / printed):.2f} to {max(found / printed):.2f}")
                if np.ptp(printed) and np.ptp(found):
                    said[-1] += f" (rank correlation {spearmanr(printed, found).statistic:.2f})"
        return f" Ours over the paper's: {', '.join(said)}." if said and not self.other else ""

    def _as_theory(self) -> str:
        """How many cells are within one deviation of our runs from what theory expects."""
        assert self.table.theory
        ours = figures(self.runs)
        reading, theory = (
            [ours.get((name, cell.label), []) for cell in self.table.cells] for name in self.table.theory
        )
        apart = [abs(np.mean(o) - np.mean(e)) <= np.std(o) for o, e in zip(reading, theory, strict=True) if o and e]
        return f"{sum(apart)} of {len(apart)}"

    def _judged(self, cell: Cell, reading: str) -> bool:
        expected = self.table.theory is not None and reading == self.table.theory[1]
        apart = expected or reading in self.table.apart
        return cell.paper is not None and cell.judged and not self.not_judged and not apart

    def _agrees(self, cell: Cell, values: Sequence[float]) -> bool:
        return agrees(cell, values, self._digits(cell), self.table.paper_runs)

    def _digits(self, cell: Cell) -> int:
        return self.table.digits if cell.digits is None else cell.digits

    def _paper(self, cell: Cell) -> str:
        if cell.paper is None:
            return ""
        digits = self._digits(cell)
        return f"{cell.paper:,.{digits}f}" + (f" ± {cell.deviation:.{digits}f}" if cell.deviation else "")

    def _ours(self, cell: Cell, reading: str, values: Sequence[float] | None) -> str:
        if values is None or all(math.isnan(v) for v in values):
            return ""
        digits = self._digits(cell)
        said = f"{np.mean(values):,.{digits}f}"
        if np.std(values) >= 0.5 * 10**-digits:
            said += f" ± {np.std(values):.{digits}f}"
        if cell.paper is not None and self._judged(cell, reading) and not self._agrees(cell, values):
            said += f" ({np.mean(values) - cell.paper:+.{digits}f})"
        return said


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [text.rjust(w) if i else text.ljust(w) for i, (text, w) in enumerate(zip(row, widths, strict=True))]
