"""A projection of one array as an expression without a query, for engines whose functions may hold none.

A lambda names the list x of each stage, so that its text is written once. The terms of sums are text, which the engine
splits: text of any length is one constant of the compiled function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np

from sqlrp._core.draw import Ints
from sqlrp._core.errors import LimitError
from sqlrp._core.numbers import DOUBLE
from sqlrp._core.values import dataclass
from sqlrp._lowering.formula_sql import written
from sqlrp._lowering.job import NULL_MESSAGE, Job, Step
from sqlrp._stages import (
    AppendConstant,
    Elementwise,
    Linear,
    Normalise,
    Products,
    ReflectedPick,
    Rescale,
    SumOverGroup,
    Weights,
)
from sqlrp._stages.forms import Forms
from sqlrp._stages.products import ONE


@dataclass
class _StageValues:
    """The expressions of x after each stage, over the x before it."""

    job: Job
    found: list[str] = field(default_factory=list)

    def each(self, value: str) -> None:
        """An expression over e for every element e."""
        self.found.append(self.job.dialect.each("x", value))

    def append(self, stage: AppendConstant, _: Step) -> None:
        self.found.append(self.job.dialect.appended("x", self.number(stage.value)))

    def rescale(self, stage: Rescale, numbers: Ints) -> None:
        offset, scale = (values.tolist() for values in stage.of(numbers))
        items = (f"{j}:{o!r}:{s!r}" for j, (o, s) in enumerate(zip(offset, scale, strict=True), 1))
        self.found.append(self.job.dialect.rescaled_by_text("x", ",".join(items)))

    def sum(self, _: Linear, step: Step) -> None:
        f, c = step.matrix.nonzero()
        order = np.lexsort((f, c))
        f, c = f[order], c[order]
        self._sums(c, step.matrix[f, c], f[:, None], step.matrix.shape[1])

    def multiply(self, stage: Products, step: Step) -> None:
        factors, weights = stage.factors, stage.weights
        if (factors == ONE).any():
            self.found.append(self.job.dialect.appended("x", self.number(1)))
            factors = np.where(factors == ONE, len(step.numbers), factors)
        weights = np.ones(len(factors), dtype=np.int64) if weights is None else weights
        self._sums(stage.components, weights, factors, stage.n_outputs)

    def map(self, stage: Elementwise, _: Step) -> None:
        for formula in stage.formulas:
            self.each(written(formula, self.job.dialect, "e", DOUBLE))

    def normalise(self, _: Normalise, __: Step) -> None:
        self.found.append(self.job.dialect.unit_list("x"))

    def number(self, value: float) -> str:
        """A number of type DOUBLE."""
        return self.job.dialect.literal(float(value), DOUBLE)

    def _sums(self, components: Ints, weights: Weights, factors: Ints, n: int) -> None:
        """Each term is its weight and the positions of its factors, which count from 1."""
        lists: list[list[str]] = [[] for _ in range(n)]
        for c, w, places in zip(components.tolist(), weights.tolist(), (factors + 1).tolist(), strict=True):
            lists[c].append(":".join(map(str, [repr(w), *places])))
        text = ";".join(map(",".join, lists))
        self.found.append(self.job.dialect.sums_of_text("x", text, factors.shape[1]))


FORMS: Forms[Callable[[_StageValues, Any, Step], None]] = Forms(
    "in an expression without a query",
    {
        AppendConstant: _StageValues.append,
        Rescale: None,
        Linear: _StageValues.sum,
        ReflectedPick: None,
        Products: _StageValues.multiply,
        Elementwise: _StageValues.map,
        SumOverGroup: None,
        Normalise: _StageValues.normalise,
    },
)
"""The forms of all stages."""


def expression(job: Job) -> str:
    """The components as an expression over the dialect's `argument`.

    Raises UnsupportedError for a stage without a form, and LimitError for a text that is too long.
    """
    dialect, n, given = job.dialect, job.frame.width, job.dialect.argument
    values = _StageValues(job)
    if job.rescale is not None:
        values.rescale(job.rescale, job.frame.feature_numbers)
    if job.nulls == "zero":
        values.found.append(dialect.or_zeros(dialect.each("x", f"coalesce(e, {values.number(0)})"), n, DOUBLE))
    for step in job.steps:
        FORMS.of(step.stage)(values, step.stage, step)
    if job.factor is not None:
        values.each(f"{values.number(job.factor)}*e")
    text = given
    for value in values.found:
        text = dialect.where(text, value)
    if job.nulls != "zero":
        otherwise = f" ELSE {dialect.failing_list(NULL_MESSAGE, given)}" if job.nulls == "error" else ""
        text = f"CASE WHEN {dialect.complete(given, n)} THEN {text}{otherwise} END"
    words = f"sqlrp: the array has not the {n} elements of the others: pad it, or set it to NULL"
    text = f"CASE WHEN {dialect.length(given)} <> {n} THEN {dialect.failing_list(words, given)} ELSE {text} END"
    most = dialect.limits.characters
    if most is not None and len(text) > most:
        raise LimitError(
            f"the function has {len(text):,} characters, more than the {most:,} of a statement of {dialect.name}: "
            "use a larger s, or a smaller k"
        )
    return text
