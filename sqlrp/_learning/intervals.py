"""The interval of the mean prediction of least squares, as further decisions of the model."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from sqlrp._evaluator.moments import total
from sqlrp._learning.learn import LinearRegressor
from sqlrp._learning.linear import LinearDecisions, PredictionInterval
from sqlrp._learning.student import bound_of


def with_interval(linear: LinearDecisions, model: LinearRegressor, level: float) -> LinearDecisions:
    """The linear model with directions v as further decisions, so that Σ v² is the variance of a mean prediction.

    It is σ²(1/n + (z - mean)ᵀ(ZᵀZ)⁻¹(z - mean)), and the directions are a root of σ²(ZᵀZ)⁻¹. Raises ParameterError as
    `LinearRegressor.inference`.
    """
    found, whole = model.inferred(), total(model.moments)
    k = len(found.inverse)
    root = np.linalg.cholesky(found.inverse) * math.sqrt(found.variance)
    own = model.settings.intercept
    level_of = -whole.mean[:k] @ root if own else np.zeros(k)
    times = math.sqrt(bound_of(1 - level, 1, found.freedom))
    return replace(
        linear,
        coefficients=np.hstack([linear.coefficients, root]),
        intercept=np.concatenate([linear.intercept, level_of]),
        interval=PredictionInterval(found.variance / whole.weight if own else 0.0, times),
    )


__all__ = ["with_interval"]
