"""The planner: estimates every lowering from the size of the job and the engine's facts, picks one, says why."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlrp.engines.base import Lowering
from sqlrp.errors import LimitError, ParameterError, UnsupportedError
from sqlrp.lower.indexed import indexed, refusal
from sqlrp.lower.inline import inline
from sqlrp.lower.job import Job
from sqlrp.lower.relational import relational
from sqlrp.lower.script import Script

LOWER = {"inline": inline, "indexed": indexed, "relational": relational}

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

    job: Job
    chosen: Estimate
    estimates: tuple[Estimate, ...]
    asked: bool = field(default=False)

    def script(self) -> Script:
        """The statements."""
        return LOWER[self.chosen.lowering](self.job)


def plan(job: Job, lowering: str = "auto", single_statement: bool = False) -> Plan:
    """Choose a lowering, or check the one asked for.

    `single_statement`: what cannot run as one SELECT (a view, a table function) does not hold.
    Raises LimitError where nothing holds, UnsupportedError where the one asked for does not.
    """
    estimates = tuple(_estimate(job, name, single_statement) for name in LOWER)  # type: ignore[arg-type]
    if lowering != "auto":
        if lowering not in LOWER:
            raise ParameterError(f"lowering = {lowering!r} must be auto, {', '.join(LOWER)}")
        asked = next(e for e in estimates if e.lowering == lowering)
        if asked.refusal:
            raise UnsupportedError(
                f"lowering = {lowering!r} does not hold here: {asked.refusal}; use lowering = 'auto'"
            )
        return Plan(job, asked, estimates, asked=True)
    holding = [e for e in estimates if not e.refusal]
    if not holding:
        raise LimitError("; ".join(f"{e.lowering}: {e.refusal}" for e in estimates))
    return Plan(job, min(holding, key=lambda e: e.seconds), estimates)


def _estimate(job: Job, name: Lowering, single: bool) -> Estimate:
    refusal = _refusal(job, name, single)
    if refusal:
        return Estimate(name, refusal=refusal)
    costs = job.engine.costs
    rows = ASSUMED_ROWS if job.frame.rows is None else job.frame.rows
    text_terms = job.terms + (job.frame.n_features or 0) + job.k if name == "inline" else job.k
    return Estimate(
        name,
        plan_seconds=costs.start[name] + costs.plan_term * text_terms,
        run_seconds=costs.run[name] * rows * job.terms,
    )


def _refusal(job: Job, name: Lowering, single: bool) -> str:
    """Why a lowering does not hold for a job; empty where it does."""
    engine, layout = job.engine, job.frame.layout
    if name not in engine.lowerings:
        return f"{engine.name} has no {name} lowering"
    if layout == "long" and name != "relational":
        return "long rows are joined with the signs, which is the relational lowering"
    if name == "indexed":
        return refusal(job)
    if name == "inline" and single and job.terms > engine.limits.terms:
        return (
            f"{job.terms:,} terms are more than the {engine.limits.terms:,} of one statement, "
            "and several steps fit neither a view nor a table function"
        )
    return ""
