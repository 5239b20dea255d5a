"""The planner: estimates every lowering from the size of the job and the engine's facts, picks one, says why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlrp.core.brief import brief
from sqlrp.core.errors import LimitError, ParameterError, UnsupportedError
from sqlrp.core.script import Script
from sqlrp.dialects.base import Lowering
from sqlrp.lowering import compiled, indexed, inline, relational
from sqlrp.lowering.job import Job

LOWER = {"inline": inline.inline, "indexed": indexed.indexed, "relational": relational.relational}
"""The lowerings that the planner chooses from."""

REFUSALS = {"inline": inline.refusal, "indexed": indexed.refusal, "relational": relational.refusal}
"""Why each of them does not hold for a job's stages; empty where it does."""

ASSUMED_ROWS = 100_000
"""Rows assumed where counting them costs a scan."""


@dataclass(frozen=True)
class Estimate:
    """One lowering of a job: whether it holds, and what it is expected to take."""

    lowering: Lowering
    plan_seconds: float = 0.0
    run_seconds: float = 0.0
    refusal: str = ""

    @property
    def seconds(self) -> float:
        """Planning and running together."""
        return self.plan_seconds + self.run_seconds


@dataclass(frozen=True)
class Plan:
    """The chosen lowering of a job beside the others."""

    __repr__ = brief

    job: Job
    chosen: Estimate
    estimates: tuple[Estimate, ...]
    asked: bool = field(default=False)
    parts: tuple[Plan, ...] = ()
    """of a join: the sums of its tables, which the job's own relation reads"""
    stored: tuple[tuple[str, str], ...] = ()
    """of a join: the temporary tables that hold them, name and query, where one statement is too small"""

    def bare(self) -> Script:
        """The statements, the query as it may stand within another."""
        return (LOWER | {"kernel": compiled.kernel})[self.chosen.lowering](self.job)

    def script(self) -> Script:
        """The statements."""
        engine, own = self.job.engine, self.bare()
        parts = [part.bare() for part in self.parts]
        made = [engine.create_temporary(name, query, numbered=False) for name, query in self.stored]
        dropped = [engine.drop_temporary(name) for name, _ in reversed(self.stored)]
        return Script(
            own.query + engine.settings,
            (*(step for part in parts for step in part.steps), *made, *own.steps),
            (*own.cleanup, *dropped, *(drop for part in reversed(parts) for drop in part.cleanup)),
            own.kernel,
        )


def plan(job: Job, lowering: str = "auto", single_statement: bool = False) -> Plan:
    """Choose a lowering, or check the one asked for.

    `single_statement`: what cannot run as one SELECT (a view, a table function) does not hold.
    Raises LimitError where nothing holds, UnsupportedError where the one asked for does not.
    """
    _check_output(job)
    estimates = tuple(_estimate(job, name, single_statement) for name in LOWER)  # type: ignore[arg-type]
    if lowering != "auto":
        if lowering not in (*LOWER, "kernel"):
            raise ParameterError(f"lowering = {lowering!r} must be auto, {', '.join(LOWER)} or kernel")
        asked = next(
            (e for e in estimates if e.lowering == lowering), Estimate("kernel", refusal=compiled.refusal(job))
        )
        if asked.refusal:
            raise UnsupportedError(
                f"lowering = {lowering!r} does not hold here: {asked.refusal}; use lowering = 'auto'"
            )
        return Plan(job, asked, estimates, asked=True)
    holding = [e for e in estimates if not e.refusal]
    if not holding:
        said = "; ".join(f"{e.lowering}: {e.refusal}" for e in estimates)
        if all(_unsupported(job, e.lowering) for e in estimates):
            raise UnsupportedError(f"{said}; use the stages of sqlrp.stages where they have a form")
        raise LimitError(said)
    return Plan(job, min(holding, key=lambda e: e.seconds), estimates)


def _check_output(job: Job) -> None:
    """Refuse a shape of the result that the engine has no room for, whatever the lowering."""
    engine, bound = job.engine, job.engine.limits.columns
    if job.output == "array" and not engine.has_arrays:
        raise UnsupportedError(f"output = 'array' does not hold: {engine.name} has no arrays; use 'columns' or 'long'")
    if job.output == "columns" and bound is not None and job.columns > bound:
        others = "output = 'long', 'array' or 'auto'" if engine.has_arrays else "output = 'long' or 'auto'"
        raise LimitError(
            f"k = {job.k} makes {job.columns} columns with key and keep, more than the {bound} of a result of "
            f"{engine.name}: use {others}"
        )


def _estimate(job: Job, name: Lowering, single: bool) -> Estimate:
    refusal = _refusal(job, name, single)
    if refusal:
        return Estimate(name, refusal=refusal)
    planning, running = _seconds(job, name)
    return Estimate(name, planning, running)


def estimate(job: Job, name: Lowering) -> float:
    """The seconds that a lowering is expected to take, whether or not it holds."""
    return sum(_seconds(job, name))


def _seconds(job: Job, name: Lowering) -> tuple[float, float]:
    """Expected seconds to plan and to run: the work times the engine's costs."""
    planning = running = 0.0
    for (part, *of), amount in work(job, name).items():
        cost = getattr(job.engine.costs, part).get(name, {} if of else 0.0)
        seconds = amount * (cost.get(of[0], 0.0) if of else cost)
        if part in ("start", "plan_term", "draw", "state"):
            planning += seconds
        else:
            running += seconds
    return planning, running


def work(job: Job, name: Lowering) -> dict[tuple[str, ...], float]:
    """What a lowering has to do, by the part of the engine's `Costs` that it is multiplied with."""
    rows, n = ASSUMED_ROWS if job.frame.rows is None else job.frame.rows, job.frame.n_features or 0
    terms = job.inline_terms if name == "inline" else job.plain_terms
    dots = job.full_terms if name == "indexed" and job.engine.has_dot else 0
    named = n if name == "inline" or job.frame.layout == "wide" else 0
    return {
        ("start",): 1.0,
        ("plan_term",): float(named + (terms if name == "inline" else 0)),
        ("state", "columns" if job.closing else job.output): float(job.k),  # closing stages read every component
        **({("draw",): float(job.weights)} if name != "inline" else {}),
        ("run",): float(rows * (terms - dots)),
        **({("dot",): float(rows * dots)} if dots else {}),
        ("read", job.frame.layout): float(rows * n),
        ("write", job.output): float(rows * job.k),
    }


def _refusal(job: Job, name: Lowering, single: bool) -> str:
    """Why a lowering does not hold for a job; empty where it does."""
    return _unsupported(job, name) or next(filter(None, _beyond(job, name, single)), "")


def _unsupported(job: Job, name: Lowering) -> str:
    """Why a lowering does not hold by rule, whatever the size; empty where it does."""
    engine, layout = job.engine, job.frame.layout
    if name not in engine.lowerings:
        return f"{engine.name} has no {name} lowering"
    if layout == "long" and (name == "inline" or (name == "indexed" and not engine.long_width)):
        return "long rows are joined with the signs, which is the relational lowering"
    return REFUSALS[name](job)


def _beyond(job: Job, name: Lowering, single: bool) -> Iterator[str]:
    """What is too large for a lowering."""
    engine = job.engine
    yield _too_wide(job, name)
    if name == "relational" and single and (engine.stores or engine.repeats) and relational.relational(job).steps:
        yield f"{engine.name} takes temporary tables for it, which fit neither a view nor a table function"
    if name == "inline" and single and job.inline_terms > engine.limits.terms:
        yield (
            f"{job.inline_terms:,} terms are more than the {engine.limits.terms:,} of one statement, "
            "and several steps fit neither a view nor a table function"
        )
    if name == "inline" and not engine.has_temporary and job.inline_terms > engine.limits.terms:
        yield (
            f"{job.inline_terms:,} terms are more than the {engine.limits.terms:,} of one statement, "
            f"and {engine.name} has no temporary tables for several steps"
        )


def _too_wide(job: Job, name: Lowering) -> str:
    """Why a subquery of a lowering would have too many columns; empty where none has."""
    engine, limits, n = job.engine, job.engine.limits, (job.frame.n_features or 0) + 1
    stored = limits.columns if limits.stored is None else limits.stored
    if name == "inline":
        cut = job.inline_terms > limits.terms
        last = job.k if cut or (job.output == "long" and not engine.has_arrays) else 0
        vectors = [stage.n_outputs or 0 for stage in job.stages[:-1]]
        vectors += [stage.widest for stage in job.stages]
        widths = [(max([n, *vectors, last]), stored if cut else limits.columns)]
        widths += [(max([*vectors, 0 if job.output == "columns" else job.k]), limits.expressions)]
    elif engine.has_arrays:
        return ""
    else:
        widths = [(n if job.frame.layout == "wide" else 0, stored if engine.repeats else limits.columns)]
        widths += [(job.k if job.output == "columns" else 0, limits.columns)]
    for width, bound in widths:
        columns = width + len(job.frame.kept) + 2
        if bound is not None and columns > bound:
            return f"a subquery would have {columns:,} columns, more than the {bound:,} that {engine.name} holds"
    return ""
