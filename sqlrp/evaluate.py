"""The stages evaluated by numpy: the oracle of the lowerings, and the engine of dataframes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp.signs import CONSTANT_FEATURE, Ints
from sqlrp.stages import AppendConstant, SignedSums, Stage

Matrix = npt.NDArray[Any]

_CHUNK = 1 << 24  # entries of the intermediate products held at once


def evaluate(stages: Sequence[Stage], x: Matrix, features: Ints) -> Matrix:
    """Apply the stages to rows.

    `x`: shape (rows, features), of float64, float32, or object (exact Python integers); `features`: the
    feature numbers of its columns. Returns shape (rows, entries of the last stage), of x's dtype.
    """
    numbers = features
    for stage in stages:
        if isinstance(stage, AppendConstant):
            value = int(stage.value) if x.dtype == object else stage.value
            x = np.concatenate([x, np.full((len(x), 1), value, dtype=x.dtype)], axis=1)
            numbers = np.append(numbers, np.int64(CONSTANT_FEATURE))
        elif isinstance(stage, SignedSums):
            x = signed_sums(x, stage.matrix(numbers))
            numbers = np.arange(stage.n_vectors, dtype=np.int64)
        else:
            x = sums_of_products(x, stage.table)
            numbers = np.arange(stage.k, dtype=np.int64)
    return x


def signed_sums(x: Matrix, signs: npt.NDArray[np.int8]) -> Matrix:
    """Σ_f sign(c, f)·x_f for every column c of `signs` (shape features × vectors).

    Only features with a sign meet a sum, so that 0·inf and 0·NaN do not arise, as in SQL.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        if x.dtype == object or not np.isfinite(x).all():
            columns = [x[:, s > 0].sum(axis=1, initial=0) - x[:, s < 0].sum(axis=1, initial=0) for s in signs.T]
            return np.stack(columns, axis=1).astype(x.dtype)
        return np.asarray(x @ signs.astype(x.dtype))


def sums_of_products(k: Matrix, table: Ints) -> Matrix:
    """Σ_i Π_j K[:, I[c, i, j]] for every component c; `table` has shape (components, t, degree)."""
    components, t, degree = table.shape
    out = np.zeros((len(k), components), dtype=k.dtype)
    rows = max(_CHUNK // max(components, 1), 1)
    with np.errstate(invalid="ignore", over="ignore"):
        for at in range(0, len(k), rows):
            part = k[at : at + rows]
            for i in range(t):
                product = part[:, table[:, i, 0]].copy()
                for j in range(1, degree):
                    product *= part[:, table[:, i, j]]
                out[at : at + rows] += product
    return out
