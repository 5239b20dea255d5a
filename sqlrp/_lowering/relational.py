"""Relational: the same statement draws the signs as rows of a table, joins on the feature and groups by row.

This lowering has no limit on the number of terms and reads sparse input at the cost of its non-zeros. It needs no
list of features: the signs of a hashed name are computed from its hash.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sqlrp._core.draw import CONSTANT_FEATURE, P
from sqlrp._core.numbers import Number
from sqlrp._core.script import Script
from sqlrp._dialects.dialect import Dialect, Numbers
from sqlrp._lowering.cells import Chain, normalised_cells, rescaled_cells
from sqlrp._lowering.cells_result import CLOSING, result
from sqlrp._lowering.endpoints import unit
from sqlrp._lowering.formula_sql import written
from sqlrp._lowering.job import Job, Step
from sqlrp._lowering.lowering import Form, Lowering
from sqlrp._lowering.template import block
from sqlrp._stages import (
    ONE,
    AppendConstant,
    BlockSums,
    Convolved,
    Elementwise,
    Linear,
    Normalise,
    Products,
    ReflectedPick,
    Rescale,
    SignedSums,
    SumOverGroup,
)
from sqlrp._stages.forms import Forms
from sqlrp._stages.formulas import Formula, X


class StageCells(Chain):
    """The stages over a chain of cells."""

    def __init__(self, job: Job) -> None:
        """Start an empty chain."""
        super().__init__(job)
        self.applied = applied(job)
        self.signs = ""
        self.kind = job.summing
        self.single = job.frame.layout != "long"
        """whether each row has at most one cell per feature"""
        self.constant: int | None = None
        """the position of an appended constant whose cells still have its feature number"""

    def script(self) -> Script:
        """Read the source, apply every stage and shape the result."""
        self.read()
        core = self.job.core
        for step in self.applied:
            FORMS.of(step.stage)(self, step.stage, step)
            if not step.stage.appends:
                self.kind = step.after
            if step.stage.n_outputs is not None:
                self.single, self.constant = True, None
                if step is not core[-1]:
                    self.number_features(step.stage.n_outputs)
        self._place_constant()
        return self.finished_script(result(self, self.applied))

    # -- forms: each writes the cells of a stage's entries --------------------------------------

    def _append(self, stage: AppendConstant, step: Step) -> None:
        if not self.kind.holds(step.after):
            self._widen(step)
            self.kind = step.after
        value = self.dialect.literal(stage.value, self.kind)
        self.cells = self.add(
            "cells",
            f"SELECT r, f, x FROM {self.cells} UNION ALL SELECT r, {CONSTANT_FEATURE}, {value} FROM {self.rows}",
        )
        own = f"SELECT {CONSTANT_FEATURE}{self.dialect.constants_from}"
        self.features = self.add("features", f"SELECT f FROM {self.features} UNION ALL {own}")
        self.below = P
        self.constant = len(step.numbers)

    def _sum_drawn(self, stage: SignedSums, step: Step) -> None:
        self._widen(step)
        low, high = stage.thresholds
        drawn, entry = self.drawn(stage.seed, stage.purpose, stage.n_vectors)
        signs = block(
            "signs",
            c=self.dialect.cast("c", Number("int", stage.n_vectors.bit_length())),
            features=self.features,
            components=drawn,
            entry=entry,
            fence=self.dialect.fence,
            low=low,
            high=high,
        )
        self._sum(stage, step, signs)

    def _sum_blocks(self, stage: BlockSums, step: Step) -> None:
        self._widen(step)
        several = stage.buckets > 1
        drawn, entry = self.drawn(stage.seed, stage.purpose, stage.blocks + several)
        values: dict[str, str | int] = {"count": stage.blocks, "bucket": self.dialect.remainder("g", stage.buckets)}
        signs = block(
            "bucket_signs" if several else "block_signs",
            features=self.features,
            blocks=drawn,
            entry=entry,
            size=stage.size,
            place=self.dialect.remainder(self.dialect.halved("h"), stage.size),
            last=self.dialect.remainder("h", 2),
            fence=self.dialect.fence,
            **values,
        )
        self._sum(stage, step, signs)

    def _sum_listed(self, stage: Linear, step: Step) -> None:
        self._widen(step)
        where = step.matrix.nonzero()
        columns: dict[str, Numbers] = {"c": where[1], "f": step.numbers[where[0]], "sign": step.matrix[where]}
        self._sum(stage, step, self.dialect.literal_table(columns))

    def _sum(self, stage: Linear, step: Step, signs: str) -> None:
        self.signs = self.add("signs", signs)
        zero = self.dialect.literal(0, step.after)
        sums = block(
            "signed_sums" if stage.signs else "weighted_sums",
            cells=self.cells,
            signs=self.signs,
            zero=zero,
            by_feature=self.dialect.joined_by("f", self.cells, self.signs),
        )
        self.cells = self.add("sums", sums)

    def _reflect(self, stage: ReflectedPick, step: Step) -> None:
        self._place_constant()
        self._widen(step)
        self._add_up()
        after = step.after
        picked = np.array(stage.picked, dtype=np.int64)
        picks = self.add("picks", self.dialect.literal_table({"c": np.arange(len(picked)), "f": picked}))
        totals = self.add("totals", f"SELECT r, SUM(x) AS m FROM {self.cells} GROUP BY r")
        reflected = block(
            "reflected",
            rows=self.rows,
            picks=picks,
            totals=totals,
            cells=self.cells,
            same_total=self.same("t.r", "s.r"),
            same_cell=self.same("k.r", "s.r"),
            d=self.dialect.literal(stage.n_features, after),
            two=self.dialect.literal(2, after),
            zero=self.dialect.literal(0, after),
            total=self.dialect.narrow("t.m", after),
        )
        self.cells = self.add("cells", reflected)

    def _multiply(self, stage: Products, step: Step) -> None:
        self._place_constant()
        if self.dialect.replans:
            self._multiply_lists(stage, step)
            return
        after = step.after
        finite = None if self.kind.exact else self.dialect.finite("x")
        zero = self.dialect.literal(0, self.kind)
        if finite:
            self.dialect.check_exists()
            same = self.same("k.r", "odd.r")
            completed = block(
                "completed", cells=self.cells, features=self.features, zero=zero, finite=finite, same_row=same
            )
            self.cells = self.add("cells", completed)
        if LACKING.of(stage)(stage):
            one = self.dialect.literal(1, self.kind)
            self.cells = self.add(
                "cells", f"SELECT r, f, x FROM {self.cells} UNION ALL SELECT r, {ONE}, {one} FROM {self.rows}"
            )
        index = self.add("index_table", INDEX_TABLES.of(stage)(stage, self.dialect, ONE))
        joins = f"JOIN {self.cells} k0 ON k0.f = i.v0"
        for j in range(1, stage.n_factors):
            joins += f" JOIN {self.cells} k{j} ON k{j}.f = i.v{j} AND {self.same('k0.r', f'k{j}.r')}"
        product = "*".join(self.dialect.narrow(f"k{j}.x", after) for j in range(stage.n_factors))
        if stage.weights is not None:
            product = f"{self.dialect.cast('i.w', after)}*{product}"
        self.cells = self.add("products", block("sums_of_products", index=index, joins=joins, product=product))

    def _multiply_lists(self, stage: Products, step: Step) -> None:
        """Products over one list of a row's cells, which reads the cells once."""
        self._add_up()
        dialect, n = self.dialect, len(step.numbers)
        value, zero = dialect.narrow("x", self.kind), dialect.literal(0, self.kind)
        lists = self.add("lists", f"SELECT r, {dialect.gathered('f', value, n, zero)} FROM {self.cells} GROUP BY r")
        one = dialect.literal(1, self.kind) if LACKING.of(stage)(stage) else None
        index = self.add("index_table", INDEX_TABLES.of(stage)(stage, dialect, n))
        found = [dialect.looked_up("k.x", f"i.v{j}", one) for j in range(stage.n_factors)]
        factors = [dialect.narrow(x, step.after) for x in found]
        weight = [] if stage.weights is None else [dialect.cast("i.w", step.after)]
        summed = f"SUM({'*'.join([*weight, *factors])}) AS x"
        joined = f"SELECT k.r AS r, i.c AS f, {summed} FROM {lists} k CROSS JOIN {index} i GROUP BY k.r, i.c"
        self.cells = self.add("products", joined)

    def _normalise(self, _: Normalise, __: Step) -> None:
        self._add_up()
        self.cells = self.add("normalised", normalised_cells(self.dialect, self.cells))

    def _map(self, stage: Elementwise, step: Step) -> None:
        """Map every cell, including those that are absent because they are 0, unless 0 stays 0."""
        self._widen(step)
        self._add_up()
        *before, last = stage.formulas
        if not stage.keeps_zero:
            self._complete(step, before[0] if before else X)
            before = before[1:]
        for formula in (*before, last):
            value = written(formula, self.dialect, "x", step.after)
            self.cells = self.add("mapped", f"SELECT r, f, {value} AS x FROM {self.cells}")

    def _rescale_cells(self, stage: Rescale, step: Step) -> None:
        self._widen(step)
        self._add_up()
        self._complete(step, X)
        offset, scale = stage.of(step.numbers)
        known = Rescale(offset, scale, step.numbers)
        self.cells = self.add("cells", rescaled_cells(self.dialect, self.cells, known))

    def _group(self, _: SumOverGroup, step: Step) -> None:
        """Sum the rows of each key, and their outputs, into one row."""
        ok = f", CASE WHEN count(ok) = count(*) THEN {unit(self.job)} END AS ok" if self.guarded else ""
        rows = self.add("groups", f"SELECT c0 AS r, c0{ok} FROM {self.rows} GROUP BY c0")
        last = self.job.kinds[-1] if self.job.factor is None else self.job.result
        summed = self.dialect.total("k.x", self.kind, step.after)
        total = self.dialect.narrow(summed, last if step is self.job.steps[-1] else step.after)
        joined = f"{self.cells} k JOIN {self.rows} s ON k.r = s.r"
        cells = f"SELECT s.c0 AS r, k.f AS f, {total} AS x FROM {joined} GROUP BY s.c0, k.f"
        self.cells, self.rows, self.grouped = self.add("cells", cells), rows, True
        self.single = True

    # -- helpers of the forms ----------------------------------------------------------------

    def _widen(self, step: Step) -> None:
        """Cast the cells to the kind of the stage's result."""
        if self.kind != step.after:
            cast = self.dialect.cast("x", step.after)
            self.cells = self.add("cells", f"SELECT r, f, {cast} AS x FROM {self.cells}")

    def _add_up(self) -> None:
        """Make one cell per feature: a long row may name a feature twice."""
        if not self.single:
            self.cells = self.add("cells", f"SELECT r, f, SUM(x) AS x FROM {self.cells} GROUP BY r, f")
            self.single = True

    def _complete(self, step: Step, first: Formula) -> None:
        """Apply a formula to every cell, including those that are absent because they are 0."""
        known = f"coalesce({self.dialect.narrow('k.x', step.after)}, {self.dialect.literal(0, step.after)})"
        dense = (
            f"SELECT s.r AS r, e.f AS f, {written(first, self.dialect, known, step.after)} AS x FROM {self.rows} s "
            f"CROSS JOIN {self.features} e LEFT JOIN {self.cells} k ON {self.same('k.r', 's.r')} AND k.f = e.f"
        )
        self.cells = self.add("cells", dense)

    def _place_constant(self) -> None:
        """Replace the feature number of an appended constant by its position."""
        if self.constant is not None:
            f = f"CASE WHEN f = {CONSTANT_FEATURE} THEN {self.constant} ELSE f END AS f"
            self.cells = self.add("cells", f"SELECT r, {f}, x FROM {self.cells}")
            self.features = self.add("features", f"SELECT {f} FROM {self.features}")
            self.constant = None


_MOST_RELATIONS = 8
"""The most relations that the form of a stage adds."""


FORMS: Forms[Form] = Forms(
    "as a join of the relational lowering",
    {
        AppendConstant: Form(StageCells._append),
        Rescale: Form(StageCells._rescale_cells, by_position=True),
        Linear: Form(StageCells._sum_listed, by_position=True),
        SignedSums: Form(StageCells._sum_drawn),
        BlockSums: Form(StageCells._sum_blocks),
        ReflectedPick: Form(StageCells._reflect, by_position=True),
        Products: Form(StageCells._multiply, by_position=True),
        Elementwise: Form(StageCells._map),
        SumOverGroup: Form(StageCells._group),
        Normalise: Form(StageCells._normalise),
    },
)
"""The forms over cells. Cells that are 0 may be absent."""


def _lacks_factors(stage: Products) -> bool:
    """Whether a term has fewer factors than others."""
    return bool((stage.factors == ONE).any())


def _listed_terms(stage: Products, dialect: Dialect, one: int) -> str:
    columns: dict[str, Numbers] = {"c": stage.components}
    columns |= {f"v{j}": np.where(place == ONE, one, place) for j, place in enumerate(stage.factors.T)}
    return dialect.literal_table(columns | ({} if stage.weights is None else {"w": stage.weights}))


def _computed_terms(stage: Convolved, dialect: Dialect, one: int) -> str:
    """The terms of a convolution follow from two numbers each, so that its text has no term."""
    n, table = stage.size, dialect.literal_table({"i": np.arange(stage.size)})
    pairs = f"SELECT {dialect.remainder('(a.i + b.i)', n)} AS c, a.i AS v0, b.i + {n} AS v1"
    made = f"{pairs} FROM ({table}) a CROSS JOIN ({table}) b"
    passed = np.arange(stage.size * (stage.vectors - 2))
    if not len(passed):
        return made
    rest = {"c": n + passed, "v0": 2 * n + passed, "v1": np.full(len(passed), one)}
    return f"{made} UNION ALL SELECT c, v0, v1 FROM ({dialect.literal_table(rest)}) s"


LACKING: Forms[Callable[[Any], bool]] = Forms(
    "as terms of products", {Products: _lacks_factors, Convolved: lambda stage: stage.vectors > 2}
)
"""Whether a term has fewer factors than others."""
INDEX_TABLES: Forms[Callable[[Any, Dialect, int], str]] = Forms(
    "as a table of terms", {Products: _listed_terms, Convolved: _computed_terms}
)
"""A SELECT of the component c, the factors v0, v1, … and the weight w of every term. The last argument stands for 1."""


def applied(job: Job) -> list[Step]:
    """The stages that are applied to cells: those up to the last sum over groups and all before the closing ones."""
    grouping = [i + 1 for i, step in enumerate(job.steps) if step.stage.groups]
    return job.steps[: max(len(job.core), *grouping)] if grouping else job.core


def _misplaced(job: Job, steps: Sequence[Step]) -> str:
    """Why a stage has no form at its place; empty if all have one."""
    named = job.frame.is_open
    constant = False
    for step in steps:
        name = type(step.stage).__name__
        if step.stage.appends and constant:
            return f"{name} has no form after another one, as both constants have one feature number"
        if named and FORMS.of(step.stage).by_position:
            if job.frame.n_features is None:
                step.stage.drawn(step.numbers)  # fitted weights raise an error that names their features
            return f"{name} knows features by their positions, which those of an open vocabulary do not have"
        constant = step.stage.appends or (constant and step.stage.n_outputs is None)
        named = named and step.stage.n_outputs is None
    return "no stage sums the features of an open vocabulary" if named else ""


class Relational(Lowering):
    """One SELECT over common table expressions for the draw, the cells of each stage and the result."""

    name = "relational"
    forms = FORMS

    def unwritten(self, job: Job) -> str:
        """Why a stage has no form, or none at its place; empty if all have one."""
        steps = applied(job)
        closing = [step.stage for step in job.steps[len(steps) :]]
        return FORMS.refusal([step.stage for step in steps]) or CLOSING.refusal(closing) or _misplaced(job, steps)

    def excess(self, job: Job, single: bool) -> str:
        """Why it is too large: too many columns, or temporary tables where none are possible."""
        wide, most = super().excess(job, single), job.dialect.limits.named
        if not wide and most is not None and _MOST_RELATIONS * len(job.stages) > most:
            named = len(self.lower(job).statement.named)
            if named > most:
                wide = (
                    f"{named} common table expressions are more than the {most} of a statement{job.dialect.why_named}"
                )
        if not wide and single and (job.dialect.stores or job.dialect.repeats) and self.lower(job).setup:
            return f"{job.dialect.name} takes temporary tables for it, which fit neither a view nor a table function"
        return wide

    def lower(self, job: Job) -> Script:
        """The job as one SELECT."""
        return StageCells(job).script()
