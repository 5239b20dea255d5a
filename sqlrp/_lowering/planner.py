"""The planner: it estimates every lowering from the job's size and the engine's facts, picks one and says why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from functools import cached_property

from sqlrp._core.errors import LimitError, UnsupportedError
from sqlrp._core.logs import LOG
from sqlrp._core.reprs import short_repr
from sqlrp._core.script import Script, Setup
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Lowering as Name
from sqlrp._lowering.corrections import corrected, uncorrected
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.inner_names import apart_from_columns
from sqlrp._lowering.job import Job
from sqlrp._lowering.lowering import ASSUMED_ROWS, Lowering
from sqlrp._lowering.lowerings import LOWERINGS, SQL, find, requested


@dataclass(frozen=True)
class Estimate:
    """One lowering of a job: whether it can be used, and how long it is expected to take."""

    lowering: Name
    plan_seconds: float = 0.0
    run_seconds: float = 0.0
    refusal: str = ""
    unwritten: bool = False
    """whether it is refused at any size"""

    @property
    def seconds(self) -> float:
        """The time for planning and running together."""
        return self.plan_seconds + self.run_seconds


@dataclass(frozen=True)
class Estimates:
    """The estimates of a job's lowerings. Each is made when it is asked for: a requested lowering needs no other."""

    __repr__ = short_repr

    job: Job
    single: bool
    """whether the job has to be one SELECT"""
    here: bool
    """whether the rows may be evaluated in this process"""

    @cached_property
    def every(self) -> tuple[Estimate, ...]:
        """Those of plain SQL, and those in this process."""
        aside = (self.aside(each) for each in LOWERINGS)
        return (*(self.text(each) for each in LOWERINGS if each.plain), *(each for each in aside if each))

    def text(self, lowering: Lowering) -> Estimate:
        """The estimate of the text of a lowering."""
        unwritten = lowering.refusal(self.job)
        refusal = unwritten or lowering.excess(self.job, self.single)
        if refusal:
            return Estimate(lowering.name, refusal=refusal, unwritten=bool(unwritten))
        return _timed(self.job, lowering)

    def aside(self, lowering: Lowering) -> Estimate | None:
        """The estimate of a lowering that evaluates the rows in this process; None where it may not."""
        if lowering.plain or not self.here:
            return None
        refusal = lowering.unstreamed(self.job)
        if refusal:
            return Estimate(lowering.name, refusal=refusal, unwritten=True)
        return _timed(self.job, lowering)


@dataclass(frozen=True)
class Plan:
    """The chosen lowering of a job, with the estimates of all lowerings."""

    __repr__ = short_repr

    job: Job
    chosen: Estimate
    among: Estimates = field(repr=False)
    asked: bool = field(default=False)
    parts: tuple[Plan, ...] = ()
    """for a join whose tables are projected: the plans of their sums, which the job's relation reads"""
    tables: tuple[Frame, ...] = ()
    """for a join: its tables"""
    stored: tuple[Setup, ...] = ()
    """for a join: the temporary tables of these sums, if one statement is too small"""
    finish: Callable[[str], str] = field(default=str, repr=False)
    """what writes the query of the rows around that of the lowering: codes with the numbers that correct distances"""

    @property
    def streamed(self) -> bool:
        """Whether the rows are evaluated in batches, without SQL."""
        return not find(self.chosen.lowering).plain

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The estimates of all lowerings."""
        return self.among.every

    @property
    def lowering(self) -> Lowering:
        """The lowering of the text: the chosen one, or the fastest one in plain SQL if the choice writes no text.

        Raises LimitError or UnsupportedError if no lowering can write text.
        """
        if self.streamed:
            return find(_fastest([e for e in self.estimates if find(e.lowering).plain]).lowering)
        return find(self.chosen.lowering)

    def in_sql(self) -> Plan:
        """The plan of its text. Raises as `lowering`."""
        return replace(self, chosen=self.among.text(self.lowering))

    def reading(self) -> Plan:
        """The plan in a session that may make no table."""
        return plan(replace(self.job, dialect=self.job.dialect.reading()))

    def bare(self) -> Script:
        """The statements of the job alone; its query may stand within another one."""
        script = self.lowering.lower(self.job)
        return apart_from_columns(self.job, script) if self.job.dialect.aliases_may_hide else script

    def script(self) -> Script:
        """The statements."""
        own, parts = self.bare(), [part.bare() for part in self.parts]
        script = Script(
            replace(own.statement, settings=self.lowering.settings(self.job)),
            (*(step for part in parts for step in part.steps), *self.stored, *own.steps),
        )
        self._check_length(script)
        return script

    def kept_script(self) -> Script:
        """The statements whose query has what a table keeps: of codes also the numbers that correct distances."""
        return self.script().around(self.finish)

    def _check_length(self, script: Script) -> None:
        """Raise LimitError for a statement that is longer than the engine reads."""
        dialect, most = self.job.dialect, self.job.dialect.limits.characters
        longest = max(map(len, (*script.setup, script.query)))
        if most is not None and longest > most:
            others = [e.lowering for e in self.estimates if not e.refusal and e.lowering != self.lowering.name]
            remedy = f", or use lowering = {others[0]!r}" if others else ""
            raise LimitError(
                f"a statement of the {self.lowering.name} lowering has {longest:,} characters, more than the {most:,} "
                f"that {dialect.name} reads: lower k or p, or raise s{remedy}"
            )


def plan_kept(job: Job, lowering: str = "auto", view: bool = False) -> Plan:
    """The plan of rows that a statement writes to a table, or of a view, which is one SELECT.

    What workers evaluate is no part of a statement. Only kept codes have numbers that correct their distances.
    """
    here = not (view or job.dialect.has_workers)
    if not job.correct:
        return plan(job, lowering, view, here)
    _check_output(job)
    return replace(plan(uncorrected(job), lowering, view, here), finish=corrected(job))


def plan(job: Job, lowering: str = "auto", single_statement: bool = False, here: bool = False) -> Plan:
    """Choose a lowering, or check the requested one.

    `single_statement`: refuse a job that cannot run as one SELECT, which a view and a table function need. `here`:
    nothing but the result outlives the call, so that the rows may be evaluated in this process.
    Raises LimitError if no lowering can be used, UnsupportedError if the requested one cannot.
    """
    _check_output(job)
    found = Estimates(job, single_statement, here and (job.dialect.streams or job.fetched) and lowering != SQL)
    asked = requested(lowering)
    if asked is None:
        return _told(Plan(job, _fastest(found.every), found))
    made = found.aside(asked) or found.text(asked)
    if made.refusal:
        raise UnsupportedError(f"lowering = {lowering!r} is not supported here: {made.refusal}; use lowering = 'auto'")
    return _told(Plan(job, made, found, asked=True))


def _told(made: Plan) -> Plan:
    """The plan, which is logged."""
    why = "as asked for" if made.asked else f"the fastest estimate, {made.chosen.seconds:.3g} s"
    job, where = made.job, "in this process" if made.streamed else f"as SQL of {made.job.dialect.name}"
    LOG.info("%s of %s: %s, %s, %s", job.projection.name, job.frame.table, made.chosen.lowering, where, why)
    return made


def _fastest(estimates: Sequence[Estimate]) -> Estimate:
    """The usable lowering with the shortest time. Raises LimitError or UnsupportedError if there is none."""
    usable = [e for e in estimates if not e.refusal]
    if not usable:
        said = "; ".join(f"{e.lowering}: {e.refusal}" for e in estimates)
        if all(e.unwritten for e in estimates):
            raise UnsupportedError(f"{said}; use the stages of sqlrp._stages where they have a form")
        raise LimitError(said)
    return min(usable, key=lambda e: e.seconds)


def _check_output(job: Job) -> None:
    """Refuse a shape of the result that exceeds the engine's limits in every lowering."""
    dialect, bound = job.dialect, job.dialect.limits.columns
    if job.output == "array" and not dialect.has_arrays:
        raise UnsupportedError(
            f"output = 'array' is not supported: {dialect.name} has no arrays; use 'columns' or 'long'"
        )
    if job.output == "vector":
        _check_vector(job)
    elif job.dtype == "float16" or (job.dtype == "float32" and not dialect.single):
        remedy = "use output = 'vector'" if dialect.half_vector and job.dtype == "float16" else "leave dtype out"
        raise UnsupportedError(
            f"dtype = {job.dtype!r} is not supported: {dialect.name} has no columns of such floats; {remedy}"
        )
    if job.output == "columns" and bound is not None and job.columns > bound:
        others = "output = 'long', 'array' or 'auto'" if dialect.has_arrays else "output = 'long' or 'auto'"
        raise LimitError(
            f"k = {job.k} makes {job.columns} columns with key and keep, more than the {bound} of a result of "
            f"{dialect.name}: use {others}"
        )


def _check_vector(job: Job) -> None:
    """Refuse vectors that the engine does not have, and those that are too long."""
    dialect, most = job.dialect, job.dialect.longest_vector
    if not dialect.vector:
        others = "use output = 'array'" if dialect.has_arrays else "use 'columns' or 'long'"
        raise UnsupportedError(
            f"output = 'vector' is not supported: sqlrp knows no type of vectors of {dialect.name}; {others}"
        )
    if (job.dtype == "float16" and not dialect.half_vector) or (
        job.dtype == "float32" and not dialect.vectors_are_single
    ):
        raise UnsupportedError(
            f"dtype = {job.dtype!r} is not supported: {dialect.name} has no vectors of such floats; leave dtype out"
        )
    if most is not None and job.k > most:
        raise LimitError(f"k = {job.k:,} is more than the {most:,} numbers of a vector of {dialect.name}: lower k")


def _timed(job: Job, lowering: Lowering) -> Estimate:
    planning, running = _seconds(job, lowering)
    return Estimate(lowering.name, planning, running)


def estimate(job: Job, name: Name) -> float:
    """The expected seconds of a lowering, even if it cannot be used."""
    return sum(_seconds(job, find(name)))


def work(job: Job, name: Name) -> dict[tuple[str, ...], float]:
    """The amounts of work of a lowering, by the part of the engine's `Costs` that multiplies each."""
    return find(name).work(job)


def _seconds(job: Job, lowering: Lowering) -> tuple[float, float]:
    """The expected seconds to plan and to run: the work times the engine's costs."""
    planning = running = 0.0
    for (part, *of), amount in lowering.work(job).items():
        cost = getattr(job.dialect.costs, part).get(lowering.name, {} if of else 0.0)
        seconds = amount * (cost.get(of[0], 0.0) if of else cost)
        if part in ("start", "plan_feature", "plan_term", "draw", "state"):
            planning += seconds
        else:
            running += seconds
    return planning, running


__all__ = ["ASSUMED_ROWS", "Estimate", "Plan", "estimate", "plan", "plan_kept", "work"]
