"""The maximum mean discrepancy of two sets of rows, from the sums of their components."""

from __future__ import annotations

import math

import numpy as np

from sqlrp._evaluator.moments import Matrix, Moments
from sqlrp._learning.hotelling import MeanComparison, Whitening

_STEPS = 200
"""How often an interval is halved."""
_NEAR = 1e-5
"""How near to its mean a sum counts as its mean, as the formula divides by the distance."""


def discrepancy(reference: Moments, current: Moments, pooled: bool) -> MeanComparison:
    """n·m/(n + m)·|mean - mean|², whose components have the covariance of both sets, or of the reference.

    If nothing has drifted, it is nearly a sum of squares of independent normal numbers, whose variances are the
    eigenvalues of the covariance (Gretton et al. 2012, theorem 12).
    """
    n, m = reference.count, current.count
    scatter = reference.scatter + current.scatter if pooled else reference.scatter
    freedom = n - 1 + (m - 1 if pooled else 0)
    difference = current.mean - reference.mean
    statistic = float(difference @ difference) * (n / (n + m) * m)
    size = np.maximum(np.abs(reference.mean), np.abs(current.mean))
    p = above_sum(statistic, variances_of(scatter, freedom))
    return MeanComparison(statistic, (0, 0), math.nan, p, difference, Whitening.of(scatter, freedom, size))


def variances_of(scatter: Matrix, freedom: float) -> Matrix:
    """The variances of the components along the directions in which they are not correlated; none that is 0."""
    values = np.linalg.eigvalsh(scatter) / freedom
    return np.asarray(values[values > max(float(values.max(initial=0.0)), 0.0) * 1e-12])


def above_sum(t: float, variances: Matrix) -> float:
    """The probability that a sum of squares of normal numbers with these variances is above t.

    By the saddlepoint (Kuonen 1999), which errs by a few hundredths of the probability at most.
    """
    if not len(variances) or t <= 0:
        return float(t <= 0)
    most = float(variances.max())
    weights, t = variances / most, t / most
    mean, two = float(weights.sum()), 2 * float((weights**2).sum())
    if abs(t - mean) < _NEAR * mean:
        return 0.5 - 8 * float((weights**3).sum()) / (two * math.sqrt(two)) / (6 * math.sqrt(2 * math.pi))
    low, high = -len(weights) / (2 * t), 0.5  # the slope is below t at the first, and has no bound at the last
    for _ in range(_STEPS):
        s = (low + high) / 2
        low, high = (s, high) if (weights / (1 - 2 * s * weights)).sum() < t else (low, s)
    left = 1 - 2 * s * weights
    w = math.copysign(math.sqrt(max(2 * s * t + float(np.log(left).sum()), 0.0)), s)
    v = s * math.sqrt(2 * float(((weights / left) ** 2).sum()))
    return 0.5 * math.erfc((w + math.log(v / w) / w) / math.sqrt(2))


def bound_of_sum(alpha: float, variances: Matrix) -> float:
    """The sum that is exceeded with the probability alpha."""
    if not len(variances):
        return 0.0
    low, high = 0.0, float(variances.sum())
    while above_sum(high, variances) > alpha:
        low, high = high, 2 * high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if above_sum(middle, variances) > alpha else (low, middle)
    return high


__all__ = ["above_sum", "bound_of_sum", "discrepancy", "variances_of"]
