"""The stages evaluated by numpy: the oracle of the lowerings, and the engine of dataframes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp.signs import CONSTANT_FEATURE, Ints
from sqlrp.stages import (
    ONE,
    AppendConstant,
    Exponential,
    Linear,
    Normalise,
    Power,
    Products,
    ReflectedPick,
    Rescale,
    SignedRoot,
    Stage,
    SumOfProducts,
    SumOverGroup,
    WeightedSums,
)

Matrix = npt.NDArray[Any]

_CHUNK = 1 << 24  # entries of the intermediate products held at once
_KEPT = 1 << 20  # weights of the largest table that is kept between calls


def evaluate(stages: Sequence[Stage], x: Matrix, features: Ints, groups: Ints | None = None) -> Matrix:
    """Apply the stages to rows.

    `x`: shape (rows, features), of float64, float32, or object (exact Python integers); `features`: the
    feature numbers of its columns; `groups`: the group of each row, from 0, for stages that sum over groups.
    Returns shape (rows or groups, entries of the last stage), of x's dtype.
    """
    numbers = features
    with np.errstate(invalid="ignore", over="ignore"):
        for stage in stages:
            if isinstance(stage, AppendConstant):
                value = int(stage.value) if x.dtype == object else stage.value
                x = np.concatenate([x, np.full((len(x), 1), value, dtype=x.dtype)], axis=1)
                numbers = np.append(numbers, np.int64(CONSTANT_FEATURE))
                continue
            if isinstance(stage, SumOverGroup):
                x = sum_over_group(x, np.arange(len(x)) if groups is None else groups)
            else:
                x = _applied(stage, x, numbers)
            if stage.n_outputs is not None:
                numbers = np.arange(stage.n_outputs, dtype=np.int64)
    return x


def _applied(stage: Stage, x: Matrix, numbers: Ints) -> Matrix:
    """A stage that makes a row of each row; `numbers` are the features' of x's columns."""
    match stage:
        case Rescale():
            offset, scale = stage.of(numbers)
            x = (x - offset) * scale
        case Linear():
            x = linear(x, _weights(stage, numbers, kept=len(x) == 1))
        case ReflectedPick():
            x = stage.n_features * x[:, list(stage.picked)] - 2 * x.sum(axis=1, keepdims=True)
        case SumOfProducts():
            x = sums_of_products(x, stage.table)
        case Products():
            x = products(x, stage)
        case Power():
            x = (x + x.dtype.type(stage.add)) ** stage.degree
        case Exponential():
            x = np.exp(x)
        case SignedRoot():
            x = np.sign(x) * np.sqrt(np.abs(x))
        case Normalise():
            norm = np.sqrt((x * x).sum(axis=1, keepdims=True))
            x = x / np.where(norm == 0, x.dtype.type(1), norm)
    return x


def _weights(stage: Linear, numbers: Ints, kept: bool) -> npt.NDArray[Any]:
    """The weights of a stage; `kept` for the next call, as a search's queries come one by one."""
    drawn = not isinstance(stage, WeightedSums) and len(numbers) * stage.n_outputs <= _KEPT
    return _drawn(stage, numbers.tobytes()) if kept and drawn else stage.matrix(numbers)


@lru_cache(maxsize=16)
def _drawn(stage: Linear, numbers: bytes) -> npt.NDArray[Any]:
    weights = stage.matrix(np.frombuffer(numbers, dtype=np.int64))
    weights.flags.writeable = False
    return weights


def linear(x: Matrix, weights: npt.NDArray[Any]) -> Matrix:
    """Σ_f w(f, c)·x_f for every column c of `weights` (shape features × sums).

    Only features with a weight meet a sum, so that 0·inf and 0·NaN do not arise, as in SQL.
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
    """Weighted sums of products, of any number of terms a component."""
    ones = np.ones((len(k), 1), dtype=k.dtype)
    extended = np.concatenate([k, ones], axis=1)  # so that the index -1 is a 1
    assert ONE == -1
    starts = np.flatnonzero(np.diff(stage.components, prepend=-1))
    out = np.zeros((len(k), stage.n_outputs or 0), dtype=k.dtype)
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
