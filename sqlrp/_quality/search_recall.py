"""Recall of a search: separate queries and database, and the same projections on several sets of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError
from sqlrp._projections.projection import Projection, checked
from sqlrp._quality.apart import EXACT, apart
from sqlrp._quality.measures import Floats, Rows
from sqlrp._run.frames.matrix import project_array
from sqlrp.kernels import LINEAR, Kernel

_AT_ONCE = 1 << 22  # distances that are computed at once


def search_recall(
    queries: Rows, database: Rows, z_queries: Rows, z_database: Rows, at: int = 5, kernel: Kernel = LINEAR
) -> float:
    """The share of the `at` nearest rows of the database that are among the `at` nearest after the projection.

    Averaged over the queries, which are not in the database (data-tuned RP, eq. 12 and section 4.1). `queries`: shape
    (m, d); `database`: (n, d); `z_queries` and `z_database`: the same rows projected. With ties it is the expected
    value. Raises ParameterError unless 1 ≤ at ≤ n, or for numbers of rows or columns that differ.

        >>> sqlrp._quality.search_recall(x[:1], x[1:], x[:1, :1], x[1:, :1], at=2)
        0.75
    """
    before, after = (_pair(*rows) for rows in ((queries, database), (z_queries, z_database)))
    n = len(before[1])
    if isinstance(at, bool) or not isinstance(at, (int, np.integer)) or not 1 <= at <= n:
        raise ParameterError(f"at = {at!r} must be a whole number from 1 to {n}, the rows of the database: lower it")
    if [len(rows) for rows in before] != [len(rows) for rows in after]:
        raise ParameterError(
            f"{len(before[0])} queries and {n} rows became {len(after[0])} and {len(after[1])}: pass the same rows"
        )
    found, step = 0.0, max(_AT_ONCE // n, 1)
    for begin in range(0, len(before[0]), step):
        own = slice(begin, begin + step)
        true = _nearest(before[0][own], before[1], at, kernel)
        found += float((true * _nearest(after[0][own], after[1], at, LINEAR)).sum())
    return found / (at * len(before[0]))


def recalls(
    projections: Sequence[Projection], sets: Sequence[tuple[Rows, Rows]], at: int = 5
) -> npt.NDArray[np.float64]:
    """`search_recall` of every projection on every set, a pair of queries and database: shape (projections, sets).

    With projections of several seeds it is the box-plot of section 4.1 of the data-tuned paper, and with tables fitted
    on samples of several sizes that of 4.3. `numpy.corrcoef` of its columns says whether a table that serves one set
    serves another (4.5). Raises ParameterError for no projections or sets, and as `search_recall`.

        >>> tables = [sqlrp.SparseProjection(k=1, s=1, seed=seed) for seed in range(3)]
        >>> sqlrp._quality.recalls(tables, [(x[:1], x[1:]), (x[3:], x[:3])], at=2).shape
        (3, 2)
    """
    if not len(projections) or not len(sets):
        raise ParameterError("projections and sets must not be empty: pass at least one of each")
    out = np.empty((len(projections), len(sets)))
    for i, projection in enumerate(projections):
        method = checked(projection).estimating()
        for j, (queries, database) in enumerate(sets):
            q, x = _pair(queries, database)
            z_q, z_x = project_array(method, q), project_array(method, x)
            out[i, j] = search_recall(q, x, z_q, z_x, at, method.kernel())
    return out


def _pair(queries: Rows, database: Rows) -> tuple[Floats, Floats]:
    q, x = (np.asarray(rows, dtype=np.float64) for rows in (queries, database))
    if q.ndim != 2 or x.ndim != 2 or not q.size or not x.size or q.shape[1] != x.shape[1]:
        raise ParameterError(
            f"queries of shape {q.shape} and a database of shape {x.shape} must be matrices with the same columns"
        )
    return q, x


def _nearest(queries: Floats, database: Floats, at: int, kernel: Kernel) -> Floats:
    """The probability of each row of the database to be among the `at` nearest of each query, ties broken at random."""
    found = apart(kernel, queries, database)
    last = np.partition(found.squared, at - 1, axis=1)[:, at - 1 : at]
    tied = np.abs(found.squared - last) <= EXACT.relative * found.by
    nearer = (found.squared < last) & ~tied
    left = at - nearer.sum(axis=1, keepdims=True)
    return np.asarray(nearer + tied * np.minimum(left / tied.sum(axis=1, keepdims=True), 1.0))
