"""Squared distances of rows from their differences, which keep their digits however far the rows are from 0."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_NEAR = 1e-3
"""Rows that are nearer than this part of their squared norms about the mean are compared entry by entry."""
_AT_ONCE = 1 << 20
"""The largest number of entries of differences at once."""


def squared_differences(x: Floats, y: Floats | None = None) -> Floats:
    """‖x_i - y_j‖² of all rows of x with all rows of y, or with all of x itself: shape (n, m).

    `x`: shape (n, d); `y`: shape (m, d).
    """
    return turns(x, y)[0]


def turns(x: Floats, y: Floats | None = None) -> tuple[Floats, Floats]:
    """‖x_i - y_j‖², and ‖x_i‖² - ‖y_j‖² as the sum of the products of sums and differences of entries.

    The arguments and both shapes are those of `squared_differences`. Both results come from inner products of the rows
    less their mean, which keep most digits. Near rows lose too many, so their differences are taken entry by entry.
    """
    other = x if y is None else y
    whole = x[np.isfinite(x).all(axis=1)]
    origin = whole.mean(axis=0) if len(whole) else np.zeros(x.shape[1])
    one, two = x - origin, other - origin
    own, of_other = (one * one).sum(axis=1), (two * two).sum(axis=1)
    scale = own[:, None] + of_other[None, :]
    squared = scale - 2 * (one @ two.T)
    turn = (own + 2 * (one @ origin))[:, None] - (of_other + 2 * (two @ origin))[None, :]
    near = np.argwhere(squared < _NEAR * scale)
    step = max(_AT_ONCE // max(x.shape[1], 1), 1)
    for begin in range(0, len(near), step):
        i, j = near[begin : begin + step].T
        apart = x[i] - other[j]
        squared[i, j] = (apart * apart).sum(axis=1)
        turn[i, j] = (apart * (x[i] + other[j])).sum(axis=1)
    if y is None:  # the same for both ends of a pair
        upper = np.triu(np.ones(squared.shape, dtype=bool))
        squared, turn = np.where(upper, squared, squared.T), np.where(upper, turn, -turn.T)
    return np.asarray(squared), np.asarray(turn)
