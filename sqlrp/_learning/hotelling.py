"""Hotelling's two-sample T² of two sets of rows, from the sums of each, and the correction of many p values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from sqlrp._core.values import dataclass
from sqlrp._evaluator.moments import Matrix, Moments
from sqlrp._learning.student import above

Correction = Literal["holm", "benjamini-hochberg", "none"]

_CONSTANT = 1e-13
"""A component whose deviation is at most this share of its mean is constant but for rounding."""
_UNIT = 1e-6
"""The share of its mean that stands for the deviation of such a component: far more than rounding."""
_LEAST = 1e-10
"""The variance, for components of variance 1, up to which a direction counts as one without variance."""
_CLEAR = 1e-5
"""The least part of a component's variance that the ones before it leave, so that every direction surely varies."""
_FLOOR = 1e-8
"""The variance that such a direction gets. By chance it then adds at most _LEAST/_FLOOR = 0.01 to the statistic, and if
it moves, the statistic is huge."""


@dataclass(frozen=True, eq=False)
class Whitening:
    """The directions in which components have variance 1 and are not correlated."""

    weights: Matrix
    """shape (k, k): the columns are the directions"""
    kept: int
    """how many directions have a variance"""
    sizes: Matrix
    """the standard deviations of the components, shape (k,); of a constant one a millionth of its mean, or 1 for 0"""

    @staticmethod
    def of(scatter: Matrix, freedom: float, means: Matrix) -> Whitening:
        """From the scatter of components, its degrees of freedom, and the size of the means, shape (k,)."""
        deviations = np.sqrt(np.maximum(np.diag(scatter), 0) / freedom)
        far = np.where(means > 0, means * _UNIT, 1.0)
        sizes = np.where(deviations > _CONSTANT * means, deviations, far)
        correlations = scatter / freedom / sizes[:, None] / sizes
        factor = _cholesky(correlations)
        if factor is not None:
            return Whitening(np.linalg.inv(factor).T / sizes[:, None], len(sizes), sizes)
        values, vectors = np.linalg.eigh(correlations)
        there = values > _LEAST
        weights = vectors / np.sqrt(np.where(there, values, _FLOOR)) / sizes[:, None]
        return Whitening(weights, int(there.sum()), sizes)


def _cholesky(correlations: Matrix) -> Matrix | None:
    """The Cholesky factor, which takes a tenth of the time of eigenvectors; None if a direction hardly varies."""
    try:
        factor = np.asarray(np.linalg.cholesky(correlations), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    return factor if (np.diag(factor) ** 2 > _CLEAR).all() else None


@dataclass(frozen=True, eq=False)
class MeanComparison:
    """Two sets of rows, compared by the means of their components."""

    statistic: float
    """T²"""
    freedom: tuple[int, int]
    """the degrees of freedom of F"""
    f: float
    """T² as F"""
    p: float
    difference: Matrix
    """the mean of the second set less that of the first, shape (k,)"""
    whitening: Whitening
    part: str | None = None
    """the part of the components that statistic, freedom and f are of; None for all. p is corrected for the parts"""
    components: tuple[int, ...] = ()
    """the numbers of the components; empty for the first k"""

    @property
    def standardized(self) -> Matrix:
        """The differences in standard deviations of the components, shape (k,)."""
        return np.asarray(self.difference / self.whitening.sizes)


def chosen(moments: Moments, components: Sequence[int]) -> Moments:
    """The moments of these components."""
    at = np.array(components, dtype=np.int64)
    return Moments(moments.count, moments.mean[at], moments.scatter[np.ix_(at, at)])


def freedom_of(kept: int, reference: int, current: int, pooled: bool) -> int:
    """The second degrees of freedom of F, from the numbers of directions and of rows."""
    return reference + (current - 1 if pooled else 0) - kept


def times(kept: int, reference: int, current: int, pooled: bool) -> float:
    """What T² is multiplied by to be F (Seber 1984, 3.6.1)."""
    freedom = freedom_of(kept, reference, current, pooled)
    return freedom / (kept * (reference - 1 + (current - 1 if pooled else 0)))


def compare(reference: Moments, current: Moments, pooled: bool = True) -> MeanComparison:
    """T² of two sets, each of more rows than components.

    `pooled`: whether the covariance is that of both sets together; otherwise it is that of the reference.
    """
    n, m = reference.count, current.count
    scatter = reference.scatter + current.scatter if pooled else reference.scatter
    means = np.maximum(np.abs(reference.mean), np.abs(current.mean) if pooled else 0.0)
    whitening = Whitening.of(scatter, n - 1 + (m - 1 if pooled else 0), means)
    difference = current.mean - reference.mean
    away = whitening.weights.T @ difference
    statistic, kept = float(away @ away) * (n / (n + m) * m), whitening.kept
    if not kept:  # all components are constant: either they moved or they did not
        moved = statistic > 1
        return MeanComparison(statistic, (0, 0), math.inf if moved else 0.0, float(not moved), difference, whitening)
    f, freedom = statistic * times(kept, n, m, pooled), freedom_of(kept, n, m, pooled)
    return MeanComparison(statistic, (kept, freedom), f, above(f, kept, freedom), difference, whitening)


def compare_parts(
    reference: Moments, current: Moments, parts: Mapping[str, Sequence[int]], pooled: bool = True
) -> MeanComparison:
    """T² of the part of the components whose p is least; that p is multiplied by the number of parts (Bonferroni).

    One T² of all components would need a larger change, as it has the noise of all of them.
    """
    together = [i for part in parts.values() for i in part]
    whole = compare(chosen(reference, together), chosen(current, together), pooled)
    if len(parts) == 1:
        return whole
    each = {name: compare(chosen(reference, part), chosen(current, part), pooled) for name, part in parts.items()}
    name = min(each, key=lambda name: (each[name].p, -each[name].f))
    p = min(each[name].p * len(parts), 1.0)
    own = replace(each[name], p=p, part=name, components=tuple(together))
    return replace(own, difference=whole.difference, whitening=whole.whitening)


def corrected(p: Sequence[float], correction: Correction) -> list[float]:
    """The p values of several tests, corrected for their number; NaN stays, and does not count.

    "holm": the probability of any false alarm (Holm 1979). "benjamini-hochberg": the expected share of false alarms
    among the alarms (Benjamini and Hochberg 1995).
    """
    given = np.array(p, dtype=np.float64)
    places = np.flatnonzero(~np.isnan(given))
    order = places[np.argsort(given[places], kind="stable")]
    n, ordered = len(order), given[order]
    if correction == "holm":
        ordered = np.maximum.accumulate(ordered * np.arange(n, 0, -1))
    elif correction == "benjamini-hochberg":
        ordered = np.minimum.accumulate((ordered * n / np.arange(1, n + 1))[::-1])[::-1]
    given[order] = np.minimum(ordered, 1.0)
    return [float(each) for each in given]


__all__ = [
    "Correction",
    "MeanComparison",
    "Whitening",
    "chosen",
    "compare",
    "compare_parts",
    "corrected",
    "freedom_of",
    "times",
]
