"""Indexed: a row is one array, the signs are index lists in one row, and higher-order functions pick and sum.

Any number of terms needs no planning and no joins, so this lowering suits few rows. For long rows, some engines first
join the cells of a row with the signs of their features and sum them into a list, which makes the row one array.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import field, replace

import numpy as np

from sqlrp._core.numbers import DOUBLE, Number
from sqlrp._core.script import Relation, Script, Select, Statement
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._lowering import long_rows
from sqlrp._lowering.cells import Chain
from sqlrp._lowering.endpoints import (
    CLOSING,
    all_present,
    carried,
    carried_names,
    checked_array,
    ended_array,
    free_name,
    guard,
    wide_values,
)
from sqlrp._lowering.formula_sql import written
from sqlrp._lowering.job import Job, Step
from sqlrp._lowering.lists_of_parts import parted, signs_of_part, summed_parts, terms_of_parts
from sqlrp._lowering.lowering import JOINED, Form, Lowering
from sqlrp._lowering.terms import sums_of_products
from sqlrp._stages import (
    AppendConstant,
    Butterfly,
    Convolved,
    Elementwise,
    Linear,
    Normalise,
    Products,
    ReflectedPick,
    Rescale,
    Stage,
    SumOfProducts,
    SumOverGroup,
    Weights,
)
from sqlrp._stages.forms import Forms


def listed_rows(job: Job) -> tuple[Relation, list[str], bool]:
    """A relation with one list x of features per row, its other columns, and whether `ok` is one of them."""
    dialect, frame = job.dialect, job.frame
    n = frame.width
    extra, kept = carried(job), carried_names(job)
    relation: Relation = frame.relation(dialect)
    if frame.layout == "array":
        relation = Select((*extra, f"{checked_array(dialect, frame)} AS a"), relation, flat=True)
        extra = list(kept)
        ok = guard(job, dialect.complete("a", n))
        values = dialect.cast_array("a", job.summing)
        if job.nulls == "zero":
            values = dialect.or_zeros(values, n, job.summing)
    else:
        ok = guard(job, all_present(job))
        values = dialect.list_of(wide_values(job, [dialect.quote(name) for name in frame.names]))
    if ok:
        extra.append(f"{ok} AS ok")
        kept.append("ok")
    return Select((*extra, f"{values} AS x"), relation), kept, bool(ok)


def _multiplied(dialect: Dialect, stage: Stage) -> bool:
    """Whether a stage multiplies lists by weights; most engines sum signs without it."""
    return stage.sums and (dialect.scalar_lists or not stage.signs)


def _reads_null(job: Job) -> bool:
    """Whether a stage multiplies lists, or reads entries that may be NULL; sums over index lists leave these out."""
    first = next((step.stage for step in job.core if not step.stage.appends), None)
    read = False
    if first is not None and not first.sums and any(job.frame.nullable):
        read = job.nulls == "zero" or FORMS.of(first).slices is not None  # the entries are multiplied as lists
    return read or any(_multiplied(job.dialect, step.stage) for step in job.core)


def _complete(job: Job, relation: Relation, kept: Sequence[str]) -> Relation:
    """The rows with 0 for NULL, as lists with NULL cannot be multiplied. `ok` makes the outputs NULL at the end."""
    if "ok" not in kept and job.nulls != "zero":
        return relation
    dialect, zero = job.dialect, job.dialect.literal(0, job.summing)
    x = dialect.or_zeros("x", job.frame.width, job.summing)
    return level(relation, kept, dialect.each(x, f"coalesce(e, {zero})"))


@dataclass
class _Lists:
    """Rows with one list x while stages are applied, one level per stage, and the constant lists of the stages."""

    job: Job
    relation: Relation
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

    @property
    def named(self) -> tuple[str, ...]:
        """The common table expression of the constant lists; none if no stage reads one."""
        if self.job.dialect.scalar_lists:
            return tuple(f"(SELECT {text}) AS l{i}" for i, text in enumerate(self.lists))
        dialect, lists = self.job.dialect, ", ".join(self.lists)
        made = f"{self.listed} AS {dialect.materialized}(SELECT {lists}{dialect.lists_from})"
        return (made,) if self.lists else ()

    def _level(self, value: str, joined: str = "") -> None:
        """Add a level. `joined`: the text that joins other relations to the rows after FROM."""
        self.relation = level(self.relation, self.kept, value, joined)

    def _append(self, stage: AppendConstant, step: Step) -> None:
        dialect = self.job.dialect
        if not self.kind.holds(step.after):
            self._level(dialect.cast_array("x", step.after))
            self.kind = step.after
        self._level(dialect.appended("x", dialect.literal(stage.value, self.kind)))

    def _map(self, stage: Elementwise, step: Step) -> None:
        dialect, value = self.job.dialect, "x"
        for formula in stage.formulas:
            value = dialect.each(value, written(formula, dialect, "e", step.after))
        self._level(value)

    def _sum(self, stage: Linear, step: Step) -> None:
        dialect, at = self.job.dialect, len(self.lists)
        if dialect.scalar_lists:
            self._widen(step)
            lists, value = dialect.dots("x", step.matrix, step.after, at)
            self.lists += lists
            self._level(value)
            return
        if not stage.signs:
            self._weigh(step)
            return
        by_bits = dialect.sums_by_bits("x", step.matrix, step.after, at) if self.job.frame.rows == 1 else None
        if by_bits is not None:
            self._read(*by_bits)
            return
        plus, minus = index_lists(step.matrix)
        value = dialect.signed_sums("x", f"l{at}", f"l{at + 1}", step.after)
        self._read([dialect.index_lists(plus), dialect.index_lists(minus)], value)

    def _transform(self, stage: Butterfly, step: Step) -> None:
        dialect, at, n = self.job.dialect, len(self.lists), len(step.numbers)
        if not dialect.adds_lists or not parted(stage, step.numbers):
            self._sum(stage, step)
            return
        self._widen(step)
        signs = signs_of_part()
        whole, slices = dialect.parts_of("x", f"l{at}", n, len(signs))
        self.lists += dialect.weighing(stage.flips(step.numbers), signs, step.after)
        self._level(whole)
        assert isinstance(self.relation, Select)
        made, ends = summed_parts(stage, len(slices), self.relation, tuple(self.kept), slices)
        dots = (f"{sign}{dialect.dot(name, f'l{at + 1}', place)}" for sign, name, place in ends)
        self.relation = level(made, self.kept, dialect.list_of(list(dots)))

    def _weigh(self, step: Step) -> None:
        dialect, at = self.job.dialect, len(self.lists)
        if step.before != step.after:
            self._level(dialect.cast_array("x", step.after))
        places = [column.nonzero()[0] for column in step.matrix.T]
        used = [column[where].astype(np.float64) for column, where in zip(step.matrix.T, places, strict=True)]
        lists = [dialect.weight_lists(used, step.after)]
        if not step.matrix.all():
            lists.append(dialect.index_lists([where.tolist() for where in places]))
        self._read(lists, dialect.weighted_sums("x", f"l{at}", f"l{at + 1}" if len(lists) > 1 else None))

    def _multiply(self, stage: SumOfProducts, step: Step) -> None:
        dialect, at = self.job.dialect, len(self.lists)
        if dialect.scalar_lists:
            self._write_products(stage, step)
            return
        value = dialect.sums_of_products("x", f"l{at}", stage.degree, step.after)
        self._read([dialect.index_lists(stage.table.reshape(stage.k, -1).tolist())], value)

    def _write_products(self, stage: Products, step: Step) -> None:
        dialect = self.job.dialect
        self._widen(step)
        entries = [dialect.element("x", i) for i in range(int(stage.factors.max()) + 1)]
        self._level(dialect.list_of(sums_of_products(dialect, stage, entries, step.after)))

    def _convolve(self, stage: Convolved, step: Step) -> None:
        lists = self.job.dialect.convolved("x", stage.size)
        if lists is None:
            self._write_products(stage, step)
            return
        self._widen(step)
        a, b, value = lists
        self.relation = Select((*self.kept, "x", f"{a} AS a", f"{b} AS b"), self.relation)
        self._level(value)

    def _widen(self, step: Step) -> None:
        """Cast the elements to the type of the stage's result, unless they have it."""
        if self.job.dialect.type_name(self.kind) != self.job.dialect.type_name(step.after):
            self._level(self.job.dialect.cast_array("x", step.after))

    def _read(self, lists: Sequence[str], value: str) -> None:
        """Add a level that reads constant lists under the next free names."""
        at = len(self.lists)
        names = [f"l{at + i}" for i in range(len(lists))]
        self.lists += [f"{text} AS {name}" for text, name in zip(lists, names, strict=True)]
        self._level(value, f" CROSS JOIN (SELECT {', '.join(names)} FROM {self.listed}) l{at}")


FORMS: Forms[Form] = Forms(
    "over index lists",
    {
        AppendConstant: Form(_Lists._append),
        Rescale: None,
        Linear: Form(_Lists._sum),
        Butterfly: Form(_Lists._transform, dots=terms_of_parts),
        ReflectedPick: None,
        SumOfProducts: Form(_Lists._multiply),
        Products: Form(_Lists._write_products, written=True),
        # A dot product that reads a new slice takes four times as long as one with a constant list.
        Convolved: Form(_Lists._convolve, written=True, slices=lambda stage: 4 * stage.size**2),
        Elementwise: Form(_Lists._map, each=True),
        SumOverGroup: None,
        Normalise: None,
    },
)
"""The forms of all stages but the closing ones, which are in `sqlrp._lowering.endpoints`."""


class Indexed(Lowering):
    """One SELECT over a one-row table of index lists."""

    name = "indexed"
    forms = FORMS

    def unwritten(self, job: Job) -> str:
        """Why the layout or a stage has no form over lists; empty if all have one."""
        if job.frame.layout == "long" and not job.dialect.long_width:
            return JOINED
        if job.rescale is not None and job.frame.layout == "array":
            return "an array is not rescaled as it is read"
        if not job.core:
            return "no sums are left to pick"
        first = next((step.stage for step in job.core if not step.stage.appends), None)
        if job.frame.layout == "long" and (first is None or not long_rows.FORMS.has(first)):
            return "long rows are summed by drawn signs first, or joined with them, which is the relational lowering"
        unwritten = (_unwritten(job.dialect, step) for step in job.core)
        return next(filter(None, unwritten), "") or CLOSING.refusal(job.closing)

    def settings(self, job: Job) -> str:
        """Every dot product with a constant list reads all rows of a block, so a block should stay in a cache."""
        dotted = any(step.stage.sums and not isinstance(step.stage, Butterfly) for step in job.core)
        n = job.frame.n_features
        return super().settings(job) + (job.dialect.small_blocks(n) if dotted and n is not None else "")

    def excess(self, job: Job, single: bool) -> str:
        """Why it is too large: too many products written as text."""
        more, limit = self.written(job), job.dialect.limits.terms
        return super().excess(job, single) or (
            f"{more:,} products are more than the {limit:,} of one statement" if more > limit else ""
        )

    def terms(self, job: Job) -> int:
        """The number of terms for one row, with the zeros that a dot product multiplies."""
        if job.dialect.scalar_lists:
            return job.plain_terms - job.plain_sums + self.dots(job)
        return job.plain_terms + sum(terms - math.ceil(stage.terms(0)) for stage, terms in _sliced(job))

    def written(self, job: Job) -> int:
        """The factors of products, where they are text."""
        return job.factors if job.dialect.scalar_lists else 0

    def dots(self, job: Job) -> int:
        """The terms of stages whose weights are real numbers and never 0, or of all sums."""
        if job.dialect.scalar_lists:
            return job.total(lambda stage, size: _dots(job.dialect, stage, size) if stage.sums else 0.0)
        return job.full_terms + sum(terms for _, terms in _sliced(job)) if job.dialect.has_dot else 0

    def lower(self, job: Job) -> Script:
        """The job as one SELECT."""
        if job.frame.layout == "long":
            return self._lower_long(job)
        relation, kept, guarded = listed_rows(job)
        if _reads_null(job):
            relation = _complete(job, relation, kept)
        rows = _Lists(job, relation, kept, free_name(job, "lists"), job.summing).after(job.core)
        return Script(Statement(ended_array(job, rows.relation, "x", guarded), rows.named))

    def _lower_long(self, job: Job) -> Script:
        chain = Chain(job)
        at = next(i for i, step in enumerate(job.core) if not step.stage.appends)
        relation, kept, guarded = long_rows.summed_rows(chain, at)
        rows = _Lists(job, relation, kept, free_name(job, "lists"), job.core[at].after).after(job.core[at + 1 :])
        script = chain.finished_script(ended_array(job, rows.relation, "x", guarded))
        named = (*rows.named, *script.statement.named)
        return replace(script, statement=replace(script.statement, named=named))


def _sliced(job: Job) -> list[tuple[Stage, int]]:
    """The stages whose dot products read slices, with their terms."""
    forms = ((stage, FORMS.of(stage).slices) for stage in job.stages if FORMS.has(stage))
    return [(stage, slices(stage)) for stage, slices in forms if slices is not None]


def _dots(dialect: Dialect, stage: Stage, n: int) -> float:
    """The terms of the dot products of a stage over n entries."""
    form = FORMS.of(stage) if dialect.adds_lists and FORMS.has(stage) else None
    return stage.stated(n) if form is None or form.dots is None else min(form.dots(stage), stage.stated(n))


def _unwritten(dialect: Dialect, step: Step) -> str:
    """Why a stage has no form over lists; empty if it has one."""
    refusal = FORMS.refusal([step.stage])
    if refusal:
        return refusal
    if _multiplied(dialect, step.stage):
        if not dialect.has_dot:
            return "index lists hold signs, not weights"
        return "" if dialect.multiplies_lists(step.after) else "lists of whole numbers are not multiplied"
    form = FORMS.of(step.stage)
    if form.slices is not None and dialect.convolved("x", 1) is not None:
        return "" if step.after == DOUBLE else "convolutions over lists are of DOUBLE"
    if (form.each and not dialect.has_dot) or (form.written and not dialect.scalar_lists):
        return f"{type(step.stage).__name__} has no form over index lists"
    return ""


def level(relation: Relation, kept: Sequence[str], value: str, joined: str = "") -> Select:
    """A relation whose list x is computed from the x of another relation."""
    return Select((*kept, f"{value} AS x"), relation, joined)


def index_lists(matrix: Weights) -> tuple[list[list[int]], list[list[int]]]:
    """The positions of +1 and of -1 in each column of a sign matrix, counted from 0."""

    def where(columns: Iterable[Weights]) -> list[list[int]]:
        return [column.nonzero()[0].tolist() for column in columns]

    return where(matrix.T > 0), where(matrix.T < 0)
