"""Indexed: a row is one array, the signs are index lists held in one row, higher-order functions pick and sum.

Nothing to plan and nothing to join, whatever the number of terms: the lowering for few rows. Long rows, on an engine
that sums them side by side, meet their features' signs in a join first, and are one array from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sqlrp.core.numbers import Number
from sqlrp.core.script import Script
from sqlrp.dialects.base import Dialect
from sqlrp.lowering.endpoints import (
    CLOSING,
    all_present,
    carried,
    carried_names,
    checked_array,
    ended_array,
    free_name,
    guard,
    signed_root,
    wide_values,
)
from sqlrp.lowering.job import Job, Step
from sqlrp.lowering.relational import Relational
from sqlrp.stages import (
    AppendConstant,
    Exponential,
    Linear,
    Normalise,
    Power,
    Products,
    ReflectedPick,
    Rescale,
    SignedRoot,
    SignedSums,
    Stage,
    SumOfProducts,
    SumOverGroup,
    Weights,
)
from sqlrp.stages.forms import Forms


def indexed(job: Job) -> Script:
    """The job as one SELECT over a one-row table of index lists."""
    engine = job.engine
    listed = free_name(job, "lists")
    if job.frame.layout == "long":
        chain = Relational(job)
        at = next(i for i, step in enumerate(job.core) if not step.stage.appends)
        relation, kept, guarded = chain.summed_rows(at)
        rows = _Lists(job, relation, kept, listed, job.core[at].after).after(job.core[at + 1 :])
        script = chain.finished_script(ended_array(job, rows.relation, "x", guarded))
        return replace(script, query=_with(listed, rows.lists, engine, script.query))
    relation, kept, guarded = listed_rows(job)
    if any(_weighted(step.stage) for step in job.core):
        relation = _complete(job, relation, kept)
    rows = _Lists(job, relation, kept, listed, job.summing).after(job.core)
    return Script(_with(listed, rows.lists, engine, ended_array(job, rows.relation, "x", guarded)))


def _with(listed: str, lists: Sequence[str], engine: Dialect, query: str) -> str:
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


@dataclass
class _Lists:
    """Rows of one list x while stages are applied, a level each, and the constant lists that the stages read."""

    job: Job
    relation: str
    kept: Sequence[str]
    listed: str
    kind: Number
    lists: list[str] = field(default_factory=list)

    def after(self, steps: Sequence[Step]) -> _Lists:
        """The rows after the stages."""
        for step in steps:
            FORMS.of(step.stage)(self, step.stage, step)
            if not step.stage.appends:
                self.kind = step.after
        return self

    def _level(self, value: str) -> None:
        self.relation = level(self.relation, self.kept, value)

    def _append(self, stage: AppendConstant, step: Step) -> None:
        engine = self.job.engine
        if not self.kind.holds(step.after):
            self._level(engine.cast_array("x", step.after))
            self.kind = step.after
        self._level(engine.appended("x", engine.literal(stage.value, self.kind)))

    def _power(self, stage: Power, step: Step) -> None:
        engine = self.job.engine
        added = engine.each("x", f"e+{engine.literal(stage.add, step.after)}")
        self._level(engine.each(added, "*".join(["e"] * stage.degree)))

    def _exponential(self, _: Exponential, step: Step) -> None:
        self._level(self.job.engine.each("x", self.job.engine.exp("e")))

    def _root(self, _: SignedRoot, step: Step) -> None:
        self._level(self.job.engine.each("x", signed_root("e")))

    def _sum(self, stage: Linear, step: Step) -> None:
        engine, at = self.job.engine, len(self.lists)
        if not stage.signs:
            self._weigh(step)
            return
        plus, minus = index_lists(step.matrix)
        value = engine.signed_sums("x", f"l{at}", f"l{at + 1}", step.after)
        self._read([engine.index_lists(plus), engine.index_lists(minus)], value)

    def _weigh(self, step: Step) -> None:
        engine, at = self.job.engine, len(self.lists)
        if step.before != step.after:
            self._level(engine.cast_array("x", step.after))
        places = [column.nonzero()[0] for column in step.matrix.T]
        used = [column[where].astype(np.float64) for column, where in zip(step.matrix.T, places, strict=True)]
        lists = [engine.weight_lists(used, step.after)]
        if not step.matrix.all():
            lists.append(engine.index_lists([where.tolist() for where in places]))
        self._read(lists, engine.weighted_sums("x", f"l{at}", f"l{at + 1}" if len(lists) > 1 else None))

    def _multiply(self, stage: SumOfProducts, step: Step) -> None:
        engine, at = self.job.engine, len(self.lists)
        value = engine.sums_of_products("x", f"l{at}", stage.degree, step.after)
        self._read([engine.index_lists(stage.table.reshape(stage.k, -1).tolist())], value)

    def _read(self, lists: Sequence[str], value: str) -> None:
        """One more level, which reads constant lists under the next free names."""
        at = len(self.lists)
        names = [f"l{at + i}" for i in range(len(lists))]
        self.lists += [f"{text} AS {name}" for text, name in zip(lists, names, strict=True)]
        self.relation += f", (SELECT {', '.join(names)} FROM {self.listed}) l{at}"
        self._level(value)


FORMS: Forms[Callable[..., None]] = Forms(
    "over index lists",
    {
        AppendConstant: _Lists._append,
        Rescale: None,
        Linear: _Lists._sum,
        ReflectedPick: None,
        SumOfProducts: _Lists._multiply,
        Products: None,
        Power: _Lists._power,
        Exponential: _Lists._exponential,
        SumOverGroup: None,
        SignedRoot: _Lists._root,
        Normalise: None,
    },
)
"""The forms of a stage before the end of the pipeline; those at its end are in `sqlrp.lowering.endpoints`."""

_EACH = (_Lists._power, _Lists._exponential, _Lists._root)
"""The forms that need `Dialect.each`."""


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
    first = next((stage for stage in stages if not stage.appends), None)
    if job.frame.layout == "long" and type(first) is not SignedSums:
        return "long rows are summed by drawn signs first, or joined with them, which is the relational lowering"
    return next(filter(None, (_no_form(job.engine, step) for step in job.core)), "") or CLOSING.refusal(job.closing)


def _no_form(engine: Dialect, step: Step) -> str:
    """Why a stage has no form over lists; empty where it has."""
    if _weighted(step.stage):
        if not engine.has_dot:
            return "index lists hold signs, not weights"
        return "lists of whole numbers are not multiplied" if step.after.exact else ""
    refusal = FORMS.refusal([step.stage])
    if not refusal and FORMS.of(step.stage) in _EACH and not engine.has_dot:
        return f"{type(step.stage).__name__} has no form over index lists"
    return refusal


def index_lists(matrix: Weights) -> tuple[list[list[int]], list[list[int]]]:
    """The positions of +1 and of -1 in each column of a sign matrix, from 0."""

    def where(columns: Iterable[Weights]) -> list[list[int]]:
        return [column.nonzero()[0].tolist() for column in columns]

    return where(matrix.T > 0), where(matrix.T < 0)
