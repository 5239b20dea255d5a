"""Indexed: a row is one array, the signs are index lists held in one row, higher-order functions pick and sum.

Nothing to plan and nothing to join, whatever the number of terms: the lowering for few rows. Long rows, on an engine
that sums them side by side, meet their features' signs in a join first, and are one array from then on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from sqlrp.engines.base import Engine
from sqlrp.lower.job import Job, Step
from sqlrp.lower.relational import Relational
from sqlrp.lower.script import Script
from sqlrp.lower.shape import (
    all_present,
    carried,
    carried_names,
    checked_array,
    ended_array,
    free_name,
    guard,
    wide_values,
)
from sqlrp.numbers import Number
from sqlrp.stages import AppendConstant, Exponential, Linear, Power, SignedSums, Stage, SumOfProducts, Weights


def indexed(job: Job) -> Script:
    """The job as one SELECT over a one-row table of index lists."""
    engine = job.engine
    listed = free_name(job, "lists")
    if job.frame.layout == "long":
        chain = Relational(job)
        at = next(i for i, step in enumerate(job.core) if isinstance(step.stage, SignedSums))
        relation, kept, guarded = chain.summed_rows(at)
        relation, lists = _applied(job, job.core[at + 1 :], relation, kept, listed)
        script = chain.finished_script(ended_array(job, relation, "x", guarded))
        return replace(script, query=_with(listed, lists, engine, script.query))
    relation, kept, guarded = listed_rows(job)
    if any(_weighted(step.stage) for step in job.core):
        relation = _complete(job, relation, kept)
    relation, lists = _applied(job, job.core, relation, kept, listed)
    return Script(_with(listed, lists, engine, ended_array(job, relation, "x", guarded)))


def _with(listed: str, lists: Sequence[str], engine: Engine, query: str) -> str:
    """The query, which may itself begin with WITH, behind the lists that it names."""
    if not lists:
        return query
    first = f"WITH {listed} AS {engine.materialized}(SELECT {', '.join(lists)})"
    return f"{first},\n{query.removeprefix('WITH ')}" if query.startswith("WITH ") else f"{first}\n{query}"


def listed_rows(job: Job) -> tuple[str, list[str], bool]:
    """A relation of one list x of features a row, the columns it carries beside, and whether `ok` is one of them."""
    engine, frame = job.engine, job.frame
    n = frame.n_features or 0
    extra, kept = carried(job), carried_names(job)
    relation = frame.relation(engine)
    if frame.layout == "array":
        relation = f"(SELECT {', '.join([*extra, f'{checked_array(engine, frame)} AS a'])} FROM {relation}) s"
        extra = list(kept)
        ok = guard(job, engine.complete("a"))
        values = engine.cast_array("a", job.summing)
        if job.nulls == "zero":
            values = engine.or_zeros(values, n, job.summing)
    else:
        ok = guard(job, all_present(job))
        values = engine.list_of(wide_values(job, [engine.quote(name) for name in frame.names]))
    if ok:
        extra.append(f"{ok} AS ok")
        kept.append("ok")
    return f"(SELECT {', '.join([*extra, f'{values} AS x'])}\nFROM {relation}) s", kept, bool(ok)


def _weighted(stage: Stage) -> bool:
    """Whether a stage multiplies with weights, or sums signs alone."""
    return isinstance(stage, Linear) and not stage.signs


def _complete(job: Job, relation: str, kept: Sequence[str]) -> str:
    """The rows without NULL, with which no list is multiplied: what `ok` makes NULL in the end is 0 until then."""
    if "ok" not in kept and job.nulls != "zero":
        return relation
    engine, zero = job.engine, job.engine.literal(0, job.summing)
    x = engine.or_zeros("x", job.frame.n_features or 0, job.summing)
    return level(relation, kept, engine.each(x, f"coalesce(e, {zero})"))


def _applied(job: Job, core: Sequence[Step], relation: str, kept: Sequence[str], listed: str) -> tuple[str, list[str]]:
    """The relation after the stages, a level each, and the lists that they read."""
    engine = job.engine
    lists: list[str] = []
    for step in core:
        stage, after, at = step.stage, step.after, len(lists)
        if isinstance(stage, AppendConstant):
            relation = level(relation, kept, engine.appended("x", engine.literal(stage.value, job.summing)))
            continue
        if isinstance(stage, (Power, Exponential)):
            relation = level(relation, kept, _mapped(engine, stage, after))
            continue
        if _weighted(stage):
            if step.before != after:
                relation = level(relation, kept, engine.cast_array("x", after))
            places = [column.nonzero()[0] for column in step.matrix.T]
            used = [column[where].astype(np.float64) for column, where in zip(step.matrix.T, places, strict=True)]
            lists.append(f"{engine.weight_lists(used, after)} AS l{at}")
            if not step.matrix.all():
                lists.append(f"{engine.index_lists([where.tolist() for where in places])} AS l{at + 1}")
            value = engine.weighted_sums("x", f"l{at}", f"l{at + 1}" if len(lists) > at + 1 else None)
        elif isinstance(stage, Linear):
            plus, minus = index_lists(step.matrix)
            lists += [f"{engine.index_lists(plus)} AS l{at}", f"{engine.index_lists(minus)} AS l{at + 1}"]
            value = engine.signed_sums("x", f"l{at}", f"l{at + 1}", after)
        else:
            assert isinstance(stage, SumOfProducts)
            lists.append(f"{engine.index_lists(stage.table.reshape(stage.k, -1).tolist())} AS l{at}")
            value = engine.sums_of_products("x", f"l{at}", stage.degree, after)
        named = ", ".join(part.rsplit(" AS ", 1)[1] for part in lists[at:])
        relation = level(f"{relation}, (SELECT {named} FROM {listed}) l{at}", kept, value)
    return relation, lists


def _mapped(engine: Engine, stage: Power | Exponential, after: Number) -> str:
    if isinstance(stage, Exponential):
        return engine.each("x", engine.exp("e"))
    added = engine.each("x", f"e+{engine.literal(stage.add, after)}")
    return engine.each(added, "*".join(["e"] * stage.degree))


def level(relation: str, kept: Sequence[str], value: str) -> str:
    """A relation whose list x is made of the x of another."""
    return f"(SELECT {', '.join([*kept, f'{value} AS x'])}\nFROM {relation}) s"


def refusal(job: Job) -> str:
    """Why the lowering does not hold for a job's stages; empty where it does."""
    if job.rescale is not None and job.frame.layout == "array":
        return "an array is not rescaled as it is read"
    if not job.core:
        return "no sums are left to pick"
    stages = [step.stage for step in job.core]
    first = next((stage for stage in stages if not isinstance(stage, AppendConstant)), None)
    if job.frame.layout == "long" and not isinstance(first, SignedSums):
        return "long rows are summed by drawn signs first, or joined with them, which is the relational lowering"
    return next(filter(None, (_no_form(job.engine, step) for step in job.core)), "")


def _no_form(engine: Engine, step: Step) -> str:
    """Why a stage has no form over lists; empty where it has."""
    if _weighted(step.stage):
        if not engine.has_dot:
            return "index lists hold signs, not weights"
        return "lists of whole numbers are not multiplied" if step.after.exact else ""
    known = (AppendConstant, Linear, SumOfProducts, *((Power, Exponential) if engine.has_dot else ()))
    return "" if isinstance(step.stage, known) else f"{type(step.stage).__name__} has no form over index lists"


def index_lists(matrix: Weights) -> tuple[list[list[int]], list[list[int]]]:
    """The positions of +1 and of -1 in each column of a sign matrix, from 0."""

    def where(columns: Iterable[Weights]) -> list[list[int]]:
        return [column.nonzero()[0].tolist() for column in columns]

    return where(matrix.T > 0), where(matrix.T < 0)
