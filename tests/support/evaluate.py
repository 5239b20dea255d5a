"""The stages in numpy: the oracle of the lowerings and of the evaluator. They share the formulas of entries alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import Ints
from sqlrp._stages.forms import Forms
from sqlrp.stages import (
    ONE,
    AppendConstant,
    Elementwise,
    Linear,
    Normalise,
    Products,
    ReflectedPick,
    Rescale,
    Stage,
    SumOfProducts,
    SumOverGroup,
)

Matrix = npt.NDArray[Any]

_CHUNK = 1 << 24  # largest number of entries of an intermediate product


def evaluate(stages: Sequence[Stage], x: Matrix, features: Ints, groups: Ints | None = None) -> Matrix:
    """Apply the stages to rows.

    `x`: shape (rows, features), of float64, float32, or object (exact Python integers). `features`: the feature
    numbers of its columns. `groups`: the group of each row, from 0, for stages that sum over groups.
    Returns shape (rows or groups, entries of the last stage), of x's dtype. Raises UnsupportedError for a stage
    without a form in this module.
    """
    applied = [(stage, FORMS.of(stage)) for stage in stages]  # raises before anything is computed
    rows = Rows(x, features, groups)
    with np.errstate(invalid="ignore", over="ignore"):
        for stage, form in applied:
            rows = Rows(form(stage, rows), stage.numbers(rows.numbers), None if stage.groups else rows.groups)
    return rows.x


@dataclass(frozen=True)
class Rows:
    """Rows between two stages: the entries, the feature numbers of their columns, and the group of each row."""

    x: Matrix
    numbers: Ints
    groups: Ints | None


def _append(stage: AppendConstant, rows: Rows) -> Matrix:
    x = rows.x
    value = int(stage.value) if x.dtype == object else stage.value
    return np.concatenate([x, np.full((len(x), 1), value, dtype=x.dtype)], axis=1)


def _rescale(stage: Rescale, rows: Rows) -> Matrix:
    offset, scale = stage.of(rows.numbers)
    return np.asarray((rows.x - offset) * scale)


def _sum(stage: Linear, rows: Rows) -> Matrix:
    return linear(rows.x, stage.matrix(rows.numbers))


def _reflect(stage: ReflectedPick, rows: Rows) -> Matrix:
    return np.asarray(stage.n_features * rows.x[:, list(stage.picked)] - 2 * rows.x.sum(axis=1, keepdims=True))


def _multiply_drawn(stage: SumOfProducts, rows: Rows) -> Matrix:
    return sums_of_products(rows.x, stage.table)


def _multiply(stage: Products, rows: Rows) -> Matrix:
    return products(rows.x, stage)


def _map(stage: Elementwise, rows: Rows) -> Matrix:
    x = rows.x
    for formula in stage.formulas:
        x = formula.at(x)
    return x


def _group(_: SumOverGroup, rows: Rows) -> Matrix:
    return sum_over_group(rows.x, np.arange(len(rows.x)) if rows.groups is None else rows.groups)


def _normalise(_: Normalise, rows: Rows) -> Matrix:
    norm = np.sqrt((rows.x * rows.x).sum(axis=1, keepdims=True))
    return np.asarray(rows.x / np.where(norm == 0, rows.x.dtype.type(1), norm))


FORMS: Forms[Callable[[Any, Rows], Matrix]] = Forms(
    "in memory",
    {
        AppendConstant: _append,
        Rescale: _rescale,
        Linear: _sum,
        ReflectedPick: _reflect,
        SumOfProducts: _multiply_drawn,
        Products: _multiply,
        Elementwise: _map,
        SumOverGroup: _group,
        Normalise: _normalise,
    },
)


def linear(x: Matrix, weights: npt.NDArray[Any]) -> Matrix:
    """Σ_f w(f, c)·x_f for every column c of `weights` (shape features × sums).

    As in SQL, features with weight 0 are left out of a sum, so 0·inf and 0·NaN do not occur.
    """
    if x.dtype == object:
        weights = weights.astype(object)
    elif np.isfinite(x).all():
        return np.asarray(x @ weights.astype(x.dtype))
    columns = [(x[:, w != 0] * w[w != 0].astype(x.dtype)).sum(axis=1, initial=0) for w in weights.T]
    return np.stack(columns, axis=1).astype(x.dtype)


def sums_of_products(k: Matrix, table: Ints) -> Matrix:
    """Σ_i Π_j K[:, I[c, i, j]] for every component c; `table` has shape (components, t, degree)."""
    components, t, degree = table.shape
    out = np.zeros((len(k), components), dtype=k.dtype)
    rows = max(_CHUNK // max(components, 1), 1)
    for at in range(0, len(k), rows):
        part = k[at : at + rows]
        for i in range(t):
            product = part[:, table[:, i, 0]].copy()
            for j in range(1, degree):
                product *= part[:, table[:, i, j]]
            out[at : at + rows] += product
    return out


def products(k: Matrix, stage: Products) -> Matrix:
    """Weighted sums of products, with any number of terms per component."""
    ones = np.ones((len(k), 1), dtype=k.dtype)
    extended = np.concatenate([k, ones], axis=1)  # the index -1 gives 1
    assert ONE == -1
    starts = np.flatnonzero(np.diff(stage.components, prepend=-1))
    out = np.zeros((len(k), stage.n_outputs), dtype=k.dtype)
    rows = max(_CHUNK // max(len(stage.components), 1), 1)
    for at in range(0, len(k), rows):
        part = extended[at : at + rows]
        product = part[:, stage.factors[:, 0]]
        for j in range(1, stage.n_factors):
            product = product * part[:, stage.factors[:, j]]
        if stage.weights is not None:
            product = product * stage.weights.astype(k.dtype)
        out[at : at + rows, stage.components[starts]] = np.add.reduceat(product, starts, axis=1)
    return out


def sum_over_group(x: Matrix, groups: Ints) -> Matrix:
    """The sum of each group's rows; groups are numbered from 0 without gaps."""
    out = np.zeros((int(groups.max(initial=-1)) + 1, x.shape[1]), dtype=x.dtype)
    np.add.at(out, groups, x)
    return out
