"""The base class of lowerings. A lowering reports what it refuses and how much work a job is, and writes it as SQL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from sqlrp._core.script import Script
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Lowering as Name
from sqlrp._lowering.job import Job, fewest
from sqlrp._stages.forms import Forms

ASSUMED_ROWS = 100_000
"""The assumed number of rows if counting them costs a scan."""

CELLS_OF_ROW = 100
"""The assumed number of cells of a sparse row."""

JOINED = "long rows are joined with the signs, which is the relational lowering"
"""Why a lowering refuses long rows."""


@dataclass(frozen=True)
class Form:
    """The way in which a lowering writes a stage, and what it needs for this."""

    write: Callable[..., None]
    by_position: bool = False
    """whether it needs the positions of features, which an open vocabulary does not have"""
    each: bool = False
    """whether it calls `Dialect.each`"""
    written: bool = False
    """whether its text has a term for each element, as an engine with `scalar_lists` reads it fast"""
    dots: Callable[[Any], float] | None = None
    """how many terms its dot products have, if not one for each weight"""
    slices: Callable[[Any], int] | None = None
    """how many terms of a dot product with a constant list take as long as its dot products of slices, if it has any"""

    def __call__(self, *given: Any) -> None:
        """Write the stage."""
        self.write(*given)


class Lowering(ABC):
    """One way to write a job as SQL."""

    name: ClassVar[Name]
    """the name that a caller asks for"""
    plain: ClassVar[bool] = True
    """whether it writes SQL; otherwise it evaluates the rows in batches"""
    forms: ClassVar[Forms[Any]]
    """the form of each stage, except the closing stages at the end of a pipeline"""

    # -- what it refuses ---------------------------------------------------------------------

    def refusal(self, job: Job) -> str:
        """Why it cannot write the job at any size; empty if it can."""
        if self.name not in job.dialect.lowerings:
            return f"{job.dialect.name} has no {self.name} lowering"
        return self.unwritten(job)

    def unstreamed(self, job: Job) -> str:
        """Why it cannot evaluate the rows in this process; empty if it can. Lowerings in plain SQL cannot."""
        return f"{self.name} rows are computed by the engine"

    @abstractmethod
    def unwritten(self, job: Job) -> str:
        """Why the layout or a stage has no form; empty if all have one."""

    def excess(self, job: Job, single: bool) -> str:
        """Why the job is too large for it; empty if it is not. `single`: the job must become one SELECT."""
        for width, bound in self.widths(job):
            columns = width + len(job.frame.kept) + 2
            if bound is not None and columns > bound:
                return (
                    f"a subquery would have {columns:,} columns, more than the {bound:,} that {job.dialect.name} holds"
                )
        return ""

    def widths(self, job: Job) -> Sequence[tuple[int, int | None]]:
        """The numbers of columns of its subqueries, without the kept ones, each with the engine's bound."""
        dialect, limits = job.dialect, job.dialect.limits
        if dialect.has_lists:
            return []
        columns = fewest(limits.columns, job.held)
        read = job.frame.width + 1 if job.frame.layout == "wide" else 0
        written = len(job.output_names) if job.shape == "columns" else 0
        return [(read, fewest(limits.stored, columns) if dialect.repeats else columns), (written, columns)]

    # -- how much work it is -----------------------------------------------------------------

    def work(self, job: Job) -> dict[tuple[str, ...], float]:
        """The amounts of work of one thread, by the part of the engine's `Costs` that multiplies each."""
        return {part: amount / self.shared(job, part[0]) for part, amount in self._all_work(job).items()}

    def shared(self, job: Job, part: str) -> float:
        """How many times as fast as one thread the threads do a part of the work: all of it but planning is shared."""
        return job.frame.shared(job.dialect.row_group) if part in ("run", "dot", "read", "write") else 1.0

    def _all_work(self, job: Job) -> dict[tuple[str, ...], float]:
        """The amounts of work of all threads together."""
        rows, n = ASSUMED_ROWS if job.frame.rows is None else job.frame.rows, job.frame.width
        if job.frame.cells is not None:
            return self._work_of_cells(job, job.frame.cells)
        drawn, dots = self.drawn(job), self.dots(job)
        return {
            ("start",): 1.0,
            ("plan_feature",): float(self.features(job)),
            ("plan_term",): float(self.written(job)),
            ("state", "columns" if job.closing else job.shape): float(job.k),  # closing stages read every component
            **({} if drawn is None else {("draw",): float(drawn)}),
            ("run",): float(rows * (self.terms(job) - dots)),
            **({("dot",): float(rows * dots)} if dots else {}),
            ("read", job.frame.layout): float(rows * n),
            ("write", job.shape): float(rows * job.k),
            **({("fetch", job.shape): float(rows * job.k)} if job.fetched and self.plain else {}),
        }

    def _work_of_cells(self, job: Job, cells: int) -> dict[tuple[str, ...], float]:
        """The same for so many cells of sparse rows: only the terms of their features are computed."""
        n = job.frame.n_features
        drawn = self.drawn(job)
        return {
            ("start",): 1.0,
            ("state", "columns" if job.closing else job.shape): float(job.k),
            **({} if drawn is None else {("draw",): float(drawn)}),
            ("run",): cells * (self.terms(job) / n if n else job.k),
            ("read", "long"): float(cells),
            ("write", job.shape): cells / CELLS_OF_ROW * job.k,
            **({("fetch", job.shape): cells / CELLS_OF_ROW * job.k} if job.fetched and self.plain else {}),
        }

    def terms(self, job: Job) -> int:
        """The number of terms for one row."""
        return job.plain_terms

    def dots(self, job: Job) -> int:
        """How many of these terms a dot product of two lists sums."""
        return 0

    def features(self, job: Job) -> int:
        """The number of features named in its text."""
        return job.frame.width if job.frame.layout == "wide" else 0

    def written(self, job: Job) -> int:
        """The number of terms in its text."""
        return 0

    def drawn(self, job: Job) -> int | None:
        """The number of weights drawn outside an expression; None if the signs become text."""
        return job.weights

    # -- the SQL -----------------------------------------------------------------------------

    @abstractmethod
    def lower(self, job: Job) -> Script:
        """The job as SQL. The query lacks the engine's settings."""

    def settings(self, job: Job) -> str:
        """The end of the query, which sets the engine's settings."""
        return job.dialect.settings
