"""Relational: the signs stay rows of a table, drawn in the same statement; join on the feature, group by row.

Holds any number of terms, reads sparse input at the cost of its non-zeros, and needs no list of features:
the signs of a hashed name are computed from its hash.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sqlrp.core.draw import CONSTANT_FEATURE, P, Purpose, seed_coefficients
from sqlrp.core.numbers import Number
from sqlrp.core.script import Script
from sqlrp.dialects.base import Dialect, Numbers
from sqlrp.lowering.cells import Chain, rescaled_cells
from sqlrp.lowering.endpoints import (
    carried_names,
    finished,
    guard,
    normalised,
    null_where_not,
    restored,
    shaped,
    shaped_array,
    signed_root,
    unit,
)
from sqlrp.lowering.job import Job, Step
from sqlrp.lowering.template import block
from sqlrp.stages import (
    ONE,
    AppendConstant,
    BlockSums,
    Exponential,
    Linear,
    Normalise,
    Power,
    Products,
    ReflectedPick,
    Rescale,
    SignedRoot,
    SignedSums,
    SumOverGroup,
)
from sqlrp.stages.forms import Forms

_SPREAD = 1 << 23
"""Signs that are sent to every worker whole: some 30 to 100 MB."""


def relational(job: Job) -> Script:
    """The job as one SELECT over common table expressions."""
    return Relational(job).script()


class Relational(Chain):
    """The stages over a chain of cells, and its end."""

    def __init__(self, job: Job) -> None:
        """Start an empty chain."""
        super().__init__(job)
        self.signs = ""
        self.kind = job.summing
        self.single = job.frame.layout != "long"
        """whether a row has one cell a feature at most"""
        self.constant: int | None = None
        """the position of an appended constant that is still known by its feature number"""

    def script(self) -> Script:
        """Read, apply every stage, shape the result."""
        self._read()
        core = self.job.core
        for step in applied(self.job):
            FORMS.of(step.stage)(self, step.stage, step)
            if not step.stage.appends:
                self.kind = step.after
            if step.stage.n_outputs is not None:
                self.single, self.constant = True, None
                if step is not core[-1]:
                    self._number_features(step.stage.n_outputs)
        self._place_constant()
        return self.finished_script(self._finish())

    def summed_rows(self, at: int) -> tuple[str, list[str], bool]:
        """The signed sums of stage `at` over long rows: a list x beside c0 and `ok`; and what `listed_rows` tells.

        Every stage before it appends a constant.
        """
        job, engine = self.job, self.engine
        step = job.core[at]
        assert isinstance(step.stage, SignedSums)
        stage, (low, high) = step.stage, step.stage.thresholds
        self._read_cells()
        blocks = -(-stage.n_vectors // engine.long_width)
        width = -(-stage.n_vectors // blocks)
        components, entry = self._drawn(stage.seed, stage.purpose, blocks * width)
        vectors = block(
            "sign_vectors",
            collected=engine.collect("sign", "c"),
            place=engine.remainder("c", width),
            features=self.features,
            components=components,
            entry=entry,
            low=low,
            high=high,
            fence=engine.fence,
        )
        starts = np.zeros(stage.n_vectors)
        for before in job.core[:at]:
            assert isinstance(before.stage, AppendConstant)
            starts += before.stage.value * stage.matrix(np.array([CONSTANT_FEATURE]))[0]
        sums = engine.long_sums(
            self.cells,
            self._add("vectors", vectors),
            width,
            [engine.literal(start, step.after) for start in starts.tolist()],
            step.after,
            spread=not job.frame.text_features and (job.frame.n_features or P) * stage.n_vectors <= _SPREAD,
        )
        ok = guard(job, "counted = present")
        summed = self._add("summed", sums)
        kept = ["c0", *(["ok"] if ok else [])]
        return f"(SELECT r AS c0{f', {ok} AS ok' if ok else ''}, sums AS x FROM {summed}) s", kept, bool(ok)

    # -- forms: each makes the cells of a stage's entries ---------------------------------------

    def _append(self, stage: AppendConstant, step: Step) -> None:
        if not self.kind.holds(step.after):
            self._widen(step)
            self.kind = step.after
        value = self.engine.literal(stage.value, self.kind)
        self.cells = self._add(
            "cells",
            f"SELECT r, f, x FROM {self.cells} UNION ALL SELECT r, {CONSTANT_FEATURE}, {value} FROM {self.rows}",
        )
        self.features = self._add("features", f"SELECT f FROM {self.features} UNION ALL SELECT {CONSTANT_FEATURE}")
        self.below = P
        self.constant = len(step.numbers)

    def _sum_drawn(self, stage: SignedSums, step: Step) -> None:
        self._widen(step)
        low, high = stage.thresholds
        drawn, entry = self._drawn(stage.seed, stage.purpose, stage.n_vectors)
        signs = block(
            "signs",
            c=self.engine.cast("c", Number("int", stage.n_vectors.bit_length())),
            features=self.features,
            components=drawn,
            entry=entry,
            fence=self.engine.fence,
            low=low,
            high=high,
        )
        self._sum(stage, step, signs)

    def _sum_blocks(self, stage: BlockSums, step: Step) -> None:
        self._widen(step)
        drawn, entry = self._drawn(stage.seed, Purpose.BLOCKS, stage.blocks)
        signs = block(
            "block_signs",
            features=self.features,
            blocks=drawn,
            entry=entry,
            size=stage.size,
            place=self.engine.remainder(self.engine.halved("h"), stage.size),
            last=self.engine.remainder("h", 2),
            fence=self.engine.fence,
        )
        self._sum(stage, step, signs)

    def _sum_listed(self, stage: Linear, step: Step) -> None:
        self._widen(step)
        where = step.matrix.nonzero()
        columns: dict[str, Numbers] = {"c": where[1], "f": step.numbers[where[0]], "sign": step.matrix[where]}
        self._sum(stage, step, self.engine.literal_table(columns))

    def _sum(self, stage: Linear, step: Step, signs: str) -> None:
        self.signs = self._add("signs", signs)
        zero = self.engine.literal(0, step.after)
        sums = block("signed_sums" if stage.signs else "weighted_sums", cells=self.cells, signs=self.signs, zero=zero)
        self.cells = self._add("sums", sums)

    def _drawn(self, seed: int, purpose: Purpose, n: int) -> tuple[str, str]:
        """The relation of each component's coefficients, and the entry as an expression over it."""
        b = {
            f"b{i}": horner(self.engine, [str(x) for x in a], "c", n)
            for i, a in enumerate(seed_coefficients(seed, purpose))
        }
        components = self._add("components", block("components", numbers=self.engine.numbers_from_zero(n, "c"), **b))
        return components, horner(self.engine, [f"b{i}" for i in range(8)], "f", self.below)

    def _reflect(self, stage: ReflectedPick, step: Step) -> None:
        self._place_constant()
        self._widen(step)
        self._add_up()
        after = step.after
        picked = np.array(stage.picked, dtype=np.int64)
        picks = self._add("picks", self.engine.literal_table({"c": np.arange(len(picked)), "f": picked}))
        totals = self._add("totals", f"SELECT r, SUM(x) AS m FROM {self.cells} GROUP BY r")
        reflected = block(
            "reflected",
            rows=self.rows,
            picks=picks,
            totals=totals,
            cells=self.cells,
            same_total=self._same("t.r", "s.r"),
            same_cell=self._same("k.r", "s.r"),
            d=self.engine.literal(stage.n_features, after),
            two=self.engine.literal(2, after),
            zero=self.engine.literal(0, after),
            total=self.engine.narrow("t.m", after),
        )
        self.cells = self._add("cells", reflected)

    def _multiply(self, stage: Products, step: Step) -> None:
        self._place_constant()
        after = step.after
        columns: dict[str, Numbers] = {"c": stage.components}
        columns |= {f"v{j}": stage.factors[:, j] for j in range(stage.n_factors)}
        finite = None if self.kind.exact else self.engine.finite("x")
        zero = self.engine.literal(0, self.kind)
        if finite:
            same = self._same("k.r", "odd.r")
            completed = block(
                "completed", cells=self.cells, features=self.features, zero=zero, finite=finite, same_row=same
            )
            self.cells = self._add("cells", completed)
        if (stage.factors == ONE).any():
            one = self.engine.literal(1, self.kind)
            self.cells = self._add(
                "cells", f"SELECT r, f, x FROM {self.cells} UNION ALL SELECT r, {ONE}, {one} FROM {self.rows}"
            )
        if stage.weights is not None:
            columns["w"] = stage.weights
        index = self._add("index_table", self.engine.literal_table(columns))
        joins = f"JOIN {self.cells} k0 ON k0.f = i.v0"
        for j in range(1, stage.n_factors):
            joins += f" JOIN {self.cells} k{j} ON k{j}.f = i.v{j} AND {self._same('k0.r', f'k{j}.r')}"
        product = "*".join(self.engine.narrow(f"k{j}.x", after) for j in range(stage.n_factors))
        if stage.weights is not None:
            product = f"{self.engine.cast('i.w', after)}*{product}"
        self.cells = self._add("products", block("sums_of_products", index=index, joins=joins, product=product))

    def _normalise(self, _: Normalise, step: Step) -> None:
        self._widen(step)
        self._add_up()
        self.cells = self._add("normalised", normalised_cells(self.cells))

    def _power(self, stage: Power, step: Step) -> None:
        added = f"+{self.engine.literal(stage.add, step.after)}"
        self._each("*".join(["x"] * stage.degree), step, added)

    def _exponential(self, _: Exponential, step: Step) -> None:
        self._each(self.engine.exp("x"), step)

    def _rescale_cells(self, stage: Rescale, step: Step) -> None:
        self._each("x", step)
        offset, scale = stage.of(step.numbers)
        known = Rescale(offset, scale, step.numbers)
        self.cells = self._add("cells", rescaled_cells(self.engine, self.cells, known))

    def _root(self, _: SignedRoot, step: Step) -> None:
        self._widen(step)
        self._add_up()
        self.cells = self._add("roots", f"SELECT r, f, {signed_root('x')} AS x FROM {self.cells}")

    def _group(self, _: SumOverGroup, step: Step) -> None:
        """The rows of a key become one row, as do their outputs."""
        ok = f", CASE WHEN count(ok) = count(*) THEN {unit(self.job)} END AS ok" if self.guarded else ""
        rows = self._add("groups", f"SELECT c0 AS r, c0{ok} FROM {self.rows} GROUP BY c0")
        last = self.job.kinds[-1] if self.job.factor is None else self.job.result
        total = self.engine.narrow("SUM(k.x)", last if step is self.job.steps[-1] else step.after)
        joined = f"{self.cells} k JOIN {self.rows} s ON k.r = s.r"
        summed = f"SELECT s.c0 AS r, k.f AS f, {total} AS x FROM {joined} GROUP BY s.c0, k.f"
        self.cells, self.rows, self.grouped = self._add("cells", summed), rows, True
        self.single = True

    # -- what forms need ---------------------------------------------------------------------

    def _widen(self, step: Step) -> None:
        """Cells of the kind that the stage makes of them."""
        if self.kind != step.after:
            cast = self.engine.cast("x", step.after)
            self.cells = self._add("cells", f"SELECT r, f, {cast} AS x FROM {self.cells}")

    def _add_up(self) -> None:
        """One cell a feature: a long row may name a feature twice."""
        if not self.single:
            self.cells = self._add("cells", f"SELECT r, f, SUM(x) AS x FROM {self.cells} GROUP BY r, f")
            self.single = True

    def _each(self, mapped: str, step: Step, added: str = "") -> None:
        """Every cell takes part: a sum that is 0 is mapped too."""
        self._widen(step)
        self._add_up()
        value = f"(coalesce({self.engine.narrow('k.x', step.after)}, {self.engine.literal(0, step.after)}){added})"
        dense = (
            f"SELECT s.r AS r, e.f AS f, {value} AS x FROM {self.rows} s CROSS JOIN {self.features} e "
            f"LEFT JOIN {self.cells} k ON {self._same('k.r', 's.r')} AND k.f = e.f"
        )
        cells = self._add("cells", dense)
        self.cells = self._add("mapped", f"SELECT r, f, {mapped} AS x FROM {cells}")

    def _place_constant(self) -> None:
        """Know an appended constant by its position from here on."""
        if self.constant is not None:
            f = f"CASE WHEN f = {CONSTANT_FEATURE} THEN {self.constant} ELSE f END AS f"
            self.cells = self._add("cells", f"SELECT r, {f}, x FROM {self.cells}")
            self.features = self._add("features", f"SELECT {f} FROM {self.features}")
            self.constant = None

    # -- the result --------------------------------------------------------------------------

    def _finish(self) -> str:
        job, engine = self.job, self.engine
        carry = [*carried_names(job), *(["ok"] if self.guarded else [])]
        # Not every type can be grouped by (PostgreSQL's json): where rows are collected they are found again by r.
        found = engine.has_arrays and job.output != "long"
        along = ["r"] if found else ["r", *carry]
        group = ", ".join(along)
        last = job.kinds[-1] if job.factor is None else job.result
        zero = engine.literal(0, last)
        if job.sparse_result:
            return self._sparse(last, zero)
        filled = engine.filled("z.f", "z.x", job.k, zero)
        if filled and job.output != "long" and not job.closing:
            lists = engine.gathered("f", engine.narrow("x", last))
            relation = (
                f"(SELECT {', '.join([*(f's.{c} AS {c}' for c in carry), f'{filled} AS x'])}\nFROM {self.rows} s "
                f"LEFT JOIN (SELECT r, {lists} FROM {self.cells} GROUP BY r) z ON {self._same('z.r', 's.r')}) s"
            )
            return shaped_array(job, relation, "x", self.guarded)
        components = self._add("outputs", engine.numbers_from_zero(job.k, "f"))
        whole = block(
            "result",
            kept=", ".join(f"s.{c} AS {c}" for c in along),
            zero=zero,
            rows=self.rows,
            components=components,
            cells=self.cells,
            same_row=self._same("z.r", "s.r"),
        )
        result = self._add("result", whole)
        for step in job.steps[len(applied(job)) :]:
            result = CLOSING.of(step.stage)(self, result, group)
        if job.output == "long":
            value = finished(job, [engine.narrow("x", last)], self.guarded)[0]
            return f"SELECT {', '.join([*restored(job), 'f AS component', f'{value} AS value'])}\nFROM {result}"
        if not engine.has_arrays:
            picked = [f"{x} AS x{i}" for i, x in enumerate(engine.row_of_cells("f", engine.narrow("x", last), job.k))]
            relation = f"(SELECT {', '.join([*carry, *picked])} FROM {result} GROUP BY {group}) s"
            return shaped(job, relation, [f"x{i}" for i in range(job.k)], self.guarded)
        collected = f"{engine.collect(engine.narrow('x', last), 'f')} AS x"
        rows = f"SELECT r, {collected} FROM {result} GROUP BY r"
        columns = ", ".join([*(f"s.{c} AS {c}" for c in carry), "z.x AS x"])
        relation = f"(SELECT {columns} FROM {self.rows} s JOIN ({rows}) z ON {self._same('z.r', 's.r')}) s"
        return shaped_array(job, relation, "x", self.guarded)

    def _closing_root(self, result: str, group: str) -> str:
        return self._add("roots", f"SELECT {group}, f, {signed_root('x')} AS x FROM {result}")

    def _closing_norm(self, result: str, group: str) -> str:
        return self._add("normalised", normalised_cells(result, group))

    def _sparse(self, last: Number, zero: str) -> str:
        job, engine = self.job, self.engine
        holes, others = "", ""
        if self.guarded:
            components = self._add("outputs", engine.numbers_from_zero(job.k, "f"))
            holes = block("sparse_holes", rows=self.rows, components=components, zero=zero, ok=null_where_not("s.ok"))
            others = f" AND NOT EXISTS (SELECT 1 FROM {self.rows} s WHERE {self._same('s.r', 'z.r')} AND s.ok IS NULL)"
        result = block(
            "sparse_result",
            rows=self.rows,
            cells=self.cells,
            zero=zero,
            same_row=self._same("z.r", "s.r"),
            ok=null_where_not("s.ok") if self.guarded else "",
            others=others,
        )
        value = finished(job, [engine.narrow("x", last)], guarded=False)[0]
        named = f"r AS {engine.quote(job.frame.kept[0])}, f AS component, {value} AS value"
        return f"SELECT {named}\nFROM ({result}\n{holes}) s"


FORMS: Forms[Callable[..., None]] = Forms(
    "as a join of the relational lowering",
    {
        AppendConstant: Relational._append,
        Rescale: Relational._rescale_cells,
        Linear: Relational._sum_listed,
        SignedSums: Relational._sum_drawn,
        BlockSums: Relational._sum_blocks,
        ReflectedPick: Relational._reflect,
        Products: Relational._multiply,
        Power: Relational._power,
        Exponential: Relational._exponential,
        SumOverGroup: Relational._group,
        SignedRoot: Relational._root,
        Normalise: Relational._normalise,
    },
)
"""The forms over cells, of which those that are 0 may be absent."""

_BY_POSITION = (Relational._rescale_cells, Relational._sum_listed, Relational._reflect, Relational._multiply)

CLOSING: Forms[Callable[[Relational, str, str], str]] = Forms(
    "at the end of the relational lowering",
    {SignedRoot: Relational._closing_root, Normalise: Relational._closing_norm},
)
"""The forms over the finished outputs, all of which are there."""


def applied(job: Job) -> list[Step]:
    """The stages that are applied to cells: all up to the last sum over groups, or to the closing ones."""
    grouping = [i + 1 for i, step in enumerate(job.steps) if step.stage.groups]
    return job.steps[: max(len(job.core), *grouping)] if grouping else job.core


def refusal(job: Job) -> str:
    """Why the lowering does not hold for a job's stages; empty where it does."""
    steps = applied(job)
    closing = [step.stage for step in job.steps[len(steps) :]]
    return FORMS.refusal([step.stage for step in steps]) or CLOSING.refusal(closing) or _misplaced(job, steps)


def _misplaced(job: Job, steps: Sequence[Step]) -> str:
    """Why a stage has no form at its place; empty where all have."""
    named = job.frame.text_features or job.frame.n_features is None
    constant = False
    for step in steps:
        name = type(step.stage).__name__
        if step.stage.appends and constant:
            return f"{name} has no form after another one, as both constants have one feature number"
        if named and FORMS.of(step.stage) in _BY_POSITION:
            if job.frame.n_features is None and FORMS.of(step.stage) is Relational._sum_listed:
                _ = step.matrix  # fitted weights raise an error that says which features they are of
            return f"{name} knows features by their positions, which those of an open vocabulary do not have"
        constant = step.stage.appends or (constant and step.stage.n_outputs is None)
        named = named and step.stage.n_outputs is None
    return "no stage sums the features of an open vocabulary" if named else ""


def normalised_cells(cells: str, kept: str = "r") -> str:
    """SELECT of the cells of a relation, each row divided by its norm; `kept`: the columns beside f and x."""
    normed = f"(SELECT {kept}, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM {cells}) s"
    return f"SELECT {kept}, f, {normalised('x', 'n')} AS x FROM {normed}"


def horner(engine: Dialect, coefficients: Sequence[str], x: str, below: int) -> str:
    """Σ a_i·x^i mod P as text, for 0 ≤ x < `below`; a remainder is taken only where 63 bits would not hold."""
    h, largest = coefficients[-1], P - 1
    for a in reversed(coefficients[:-1]):
        if largest * (below - 1) + P - 1 >= 1 << 63:
            h, largest = engine.remainder(h, P), P - 1
        h, largest = f"({h}*{x}+{a})", largest * (below - 1) + P - 1
    return engine.remainder(h, P)
