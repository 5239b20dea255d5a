"""The probabilities of values of t and F, without scipy, which is not needed to learn."""

from __future__ import annotations

import math

_TINY = 1e-300
_STEPS = 10_000
_HALVINGS = 100
"""More than the bits of a double: the interval is then as short as it gets."""


def two_sided(t: float, freedom: float) -> float:
    """The probability that Student's t with these degrees of freedom is as far from 0 as t, or further."""
    if math.isnan(t):
        return math.nan
    if math.isinf(t):
        return 0.0
    x = freedom / (freedom + t * t)
    return _beta(x, t * t / (freedom + t * t), freedom / 2, 0.5)


def above(f: float, k: float, freedom: float) -> float:
    """The probability that F with k and these degrees of freedom is f or more."""
    if math.isnan(f):
        return math.nan
    if f <= 0 or math.isinf(f):
        return 1.0 if f <= 0 else 0.0
    whole = freedom + k * f
    return _beta(freedom / whole, k * f / whole, freedom / 2, k / 2)


def bound_of(p: float, k: float, freedom: float) -> float:
    """The f that F with k and these degrees of freedom exceeds with the probability p, from 0 to 1, by bisection."""
    low, high = 0.0, 1.0
    while above(high, k, freedom) > p:
        low, high = high, high * 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if above(middle, k, freedom) > p else (low, middle)
    return high


def _beta(x: float, rest: float, a: float, b: float) -> float:
    """The regularised incomplete beta function at x = 1 - rest, by Lentz's continued fraction (DLMF 8.17.22)."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta(rest, x, b, a)
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or _TINY)
    found = d
    for m in range(1, _STEPS):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + numerator * d or _TINY)
            c = 1 + numerator / c or _TINY
            found *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return math.exp(log) * found / a


__all__ = ["above", "bound_of", "two_sided"]
