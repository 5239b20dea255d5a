"""The result of `sqlrp.explain`: the chosen lowering, the reason, and the estimates of the others."""

from __future__ import annotations

from functools import cached_property
from html import escape

from sqlrp._core.errors import LimitError, UnsupportedError, shorten
from sqlrp._core.numbers import Number
from sqlrp._core.script import Script
from sqlrp._core.values import dataclass
from sqlrp._evaluator.sparse_rows import first_sums
from sqlrp._lowering.batches_sql import expected_parts
from sqlrp._lowering.planner import Plan
from sqlrp._projections import is_drawn_in_sql
from sqlrp._stages import AppendConstant

_BITS = 63
"""The most bits of whole numbers that the kernel computes with."""
_SHOWN = 1_000  # characters of SQL that a notebook shows


@dataclass(frozen=True)
class Explanation:
    """The answer of `explain`; `str` formats it.

    >>> explained = sqlrp.explain(rp, "points", con, lowering="sql")
    >>> explained
    Explanation(SparseProjection(k=2, s=1, seed=7) of '"points"': inline, ... characters)
    >>> explained.lowering
    'inline'
    >>> explained.text.split()[0]
    'SELECT'
    """

    plan: Plan
    kernel: bool = False
    """whether DuckDB's extension sqlrp is loaded"""

    @cached_property
    def script(self) -> Script:
        """The statements: those of the fastest lowering in plain SQL if the rows are computed without SQL."""
        return self.plan.script()

    @property
    def lowering(self) -> str:
        """The chosen lowering."""
        return self.plan.chosen.lowering

    @property
    def text(self) -> str:
        """The SQL. If the rows are computed without SQL, the text that `sqlrp.sql` writes; empty if it writes none."""
        try:
            return self.script.text
        except (LimitError, UnsupportedError):
            return ""

    def __repr__(self) -> str:
        """Only the choice; `print` shows the rest."""
        job, size = self.plan.job, f"{len(self.text):,} characters"
        return f"Explanation({job.projection.name} of {shorten(str(job.frame.table))}: {self.lowering}, {size})"

    @property
    def _size(self) -> str:
        """The length of the text, in words."""
        if not self.text:
            return "no text, as no lowering in SQL can be used"
        steps, most = len(self.script.setup) + 1, self.plan.job.dialect.limits.terms
        held = "one statement" if steps == 1 else f"{steps} steps (at most {most:,} terms in one)"
        return f"text {len(self.text):,} characters in {held}"

    @property
    def _road(self) -> str:
        """How the SQL functions write and run this call where DuckDB's extension is loaded."""
        if words := self._left_to_macros():
            return f"SQL alone, which macros write: {words}"
        return "native: C writes the statement, and the kernel of the extension sqlrp runs the stages"

    def _left_to_macros(self) -> str:
        """Why C does not write the statement of this call; empty if it does."""
        job = self.plan.job
        frame, stages, sums = job.frame, job.stages, first_sums(job.stages)
        if frame.layout == "long" and (sums is None or any(not isinstance(s, AppendConstant) for s in stages[:sums])):
            return "the kernel sums the features of long rows first"
        if frame.layout == "long" and frame.is_open and not stages[sums or 0].draws_for_any:
            return "the kernel draws signs alone for words, and for features without n_features"
        summing = [step for step in job.core if not step.stage.appends]
        if any(_is_wide(number) for step in summing for number in (step.before, step.after)):
            return "the kernel computes floats, and whole numbers and decimals of up to 63 bits"
        first = [step.before for step in summing[:1] if step.stage.products]
        exact = {number.exact for number in (*first, *(step.after for step in summing))}
        if len(exact) > 1 and not is_drawn_in_sql(job.projection.unprepared, frame.n_features):
            return "C has saved stages of numbers of one kind, and these go from whole numbers to floats"
        return ""

    @property
    def _note(self) -> str:
        """How the rows are computed, if not by the text."""
        if not self.plan.streamed:
            return ""
        written = f"; sqlrp.sql writes {self.plan.lowering.name} text" if self.text else ""
        where = "by the engine's workers" if self.plan.job.dialect.has_workers else "in this process"
        parts = expected_parts(self.plan.job)
        read = "in batches" if parts == 1 else f"reading the source {parts:,} times, as a part of it fits in memory"
        return f"natively {where}, {read}, without SQL{written}"

    def _repr_html_(self) -> str:
        """The lines of `print` and the start of the SQL, for notebooks."""
        sql = self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}…"
        return (
            f"<pre>{escape(str(self))}</pre><details><summary>SQL, {len(self.text):,} characters</summary>"
            f"<pre>{escape(sql)}</pre></details>"
        )

    def __str__(self) -> str:
        """A few lines: the job, the choice and its reason, the other lowerings, the size of the text."""
        job = self.plan.job
        d, rows = job.frame.n_features, job.frame.rows
        size = f"{'an open vocabulary of' if d is None else f'{d:,}'} features -> {job.k:,} components"
        cells = job.frame.cells
        count = "row count unknown, 100,000 assumed" if rows is None else f"{rows:,} rows"
        count = count if cells is None else f"{cells:,} cells"
        why = "as asked" if self.plan.asked else "the fastest estimate among the usable lowerings"
        lines = [
            job.projection.name,
            f"  source    {job.frame.table} ({job.frame.layout}): {size}, {count}",
            f"  features  {job.frame.features_in_words}",
            f"  lowering  {self.lowering}: {why}",
        ]
        for e in self.plan.estimates:
            said = e.refusal or f"about {e.seconds:.3g} s ({e.plan_seconds:.3g} to plan, {e.run_seconds:.3g} to run)"
            lines.append(f"    {e.lowering:<11}{said}")
        if self.plan.tables and not self.plan.parts:
            lines.append("  join      its features are joined before they are projected")
        for part in self.plan.parts:
            sums = f"{part.job.frame.n_features:,} features -> {part.job.k:,} sums"
            lines.append(
                f"  table     {part.job.frame.table} ({part.job.frame.layout}): {sums}, {part.chosen.lowering}"
            )
        lines.append(f"  terms     {job.terms:,} a row; {self._size}")
        if job.fitted:
            held = "no limit is stated" if job.bound is None else f"{job.bound:,} are held"
            lines.append(f"  output    {job.output}: {job.columns:,} columns, {held}")
        for frame in {f.table: f for f in (job.frame, *self.plan.tables)}.values():
            lines += [f"  left out  of {frame.called}: {frame.passed_over}"] if frame.left_out else []
            lines += [f"  perhaps   a feature: {said}" for said in frame.doubts]
        if self.kernel:
            lines.append(f"  functions {self._road}")
        for remark in (
            job.projection.caution(d),
            job.projection.remark(d),
            self._note,
            job.dialect.note(),
        ):
            lines += [f"  note      {remark}"] if remark else []
        lines.append(f"  numbers   {job.frame.number.kind} features, {job.written.kind} results, nulls {job.nulls}")
        return "\n".join(lines)


def _is_wide(number: Number) -> bool:
    """Whether whole numbers, or decimals in their units, have more bits than the kernel computes with."""
    return number.exact and number.bits > _BITS
