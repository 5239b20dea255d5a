"""Solve linear models from moments, and compute their errors from the moments of other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from sqlrp.evaluator.moments import Matrix, Moments

Coding = Literal["sign", "one-hot", "discriminant"]
"""How classes become decisions.

Least squares of targets, 1 for a row's own class and -1 or 0 for the others; or the linear discriminant, which takes
the components of a class as normal with the same covariance in all classes.
"""

_SMALL = 1e-10
"""The least part of the largest variance from which a ridge is large enough for a plain solve."""


_NEVER = 1e-300
"""The share of a class that some folds do not have."""


@dataclass(frozen=True)
class Solved:
    """A linear model: decisions = coefficients · z + intercepts."""

    coefficients: Matrix
    """shape (decisions, k)"""
    intercepts: Matrix


@dataclass(frozen=True)
class Problem:
    """Least squares on some rows: their moments with the targets that the classes stand for."""

    count: int
    mean: Matrix
    scatter: Matrix
    """of the components"""
    products: Matrix
    """Σ (z - mean)(y - mean)ᵀ, shape (k, decisions)"""
    target_mean: Matrix
    target_scatter: Matrix
    """Σ (y - mean)² of each decision"""

    @staticmethod
    def of(moments: Moments, names: Sequence[Any] | None, coding: Coding) -> Problem:
        """`names`: the classes in order; None for a regressor. Two classes that are coded by signs need one decision.

        The targets are coded as scikit-learn's RidgeClassifier codes them.
        """
        n, mean, scatter = moments.count, moments.mean, moments.scatter
        if names is None:
            own = (mean[:-1], scatter[:-1, :-1], scatter[:-1, -1:], mean[-1:], scatter[-1:, -1])
            return Problem(n, *own)
        absent = (0, mean)
        found = [moments.classes.get(name, absent) for name in names]
        counts = np.array([count for count, _ in found], dtype=np.float64)
        products = np.stack([(at - mean) * count for count, at in found], axis=1)
        share = counts / n if n else counts
        if coding == "sign":
            products, target_mean, spread = 2 * products, 2 * share - 1, 4 * counts * (1 - share)
        else:
            target_mean, spread = share, counts * (1 - share)
        if _one_decision(names, coding):
            products, target_mean, spread = products[:, 1:], target_mean[1:], spread[1:]
        return Problem(n, mean, scatter, products, target_mean, spread)

    def solved(self, ridges: Sequence[float], intercept: bool) -> list[Solved]:
        """The least squares for every ridge: Σ |y - w·z - b|² + ridge·|w|². If several w are best, the smallest."""
        scatter, products = self.scatter, self.products
        if not intercept:
            scatter = scatter + np.outer(self.mean, self.mean * self.count)
            products = products + np.outer(self.mean, self.target_mean * self.count)
        found = []
        for ridge in ridges:
            w = _solve(scatter, products, ridge).T
            found.append(Solved(w, self.target_mean - w @ self.mean if intercept else np.zeros(len(w))))
        return found

    def moved(self, sums: Matrix, shift: Matrix) -> Problem:
        """The same rows with other targets. `sums`: Σ m and Σ m·(z - shift) of the differences m, for each decision."""
        of_m = sums[:, 0]
        products = self.products + sums[:, 1:].T + np.outer(shift - self.mean, of_m)
        return replace(self, products=products, target_mean=self.target_mean + of_m / self.count)

    def squares(self, model: Solved) -> Matrix:
        """Σ (y - w·z - b)² over the rows, for each decision."""
        w = model.coefficients
        off = self.target_mean - w @ self.mean - model.intercepts
        explained = np.einsum("dk,kd->d", w, self.products)
        fitted = np.einsum("dk,dk->d", w @ self.scatter, w)
        return np.asarray(np.maximum(self.target_scatter - 2 * explained + fitted, 0) + self.count * off**2)


def _one_decision(names: Sequence[Any], coding: Coding) -> bool:
    """Whether the sign of one decision tells two classes apart."""
    return len(names) == 2 and coding != "one-hot"


def solved(
    moments: Moments, names: Sequence[Any] | None, coding: Coding, ridges: Sequence[float], intercept: bool
) -> list[Solved]:
    """The model for every ridge. `names`: as in `Problem.of`."""
    if names is not None and coding == "discriminant":
        return _discriminants(moments, names, ridges)
    return Problem.of(moments, names, coding).solved(ridges, intercept)


def _discriminants(moments: Moments, names: Sequence[Any], ridges: Sequence[float]) -> list[Solved]:
    """The linear discriminant for every ridge, which is added to the diagonal of the scatter within the classes.

    As scikit-learn's LinearDiscriminantAnalysis, up to a term that all decisions have in common.
    """
    found = [moments.classes.get(name, (0, moments.mean)) for name in names]
    counts = np.array([count for count, _ in found], dtype=np.float64)
    away = np.stack([at - moments.mean for _, at in found], axis=1)
    within = moments.scatter - (away * counts) @ away.T
    chance = np.log(np.maximum(counts / moments.count, _NEVER))
    models = []
    for ridge in ridges:
        w = _solve(within, away * moments.count, ridge)
        b = chance - np.einsum("kc,kc->c", away, w) / 2 - moments.mean @ w
        if len(names) == 2:
            models.append(Solved((w[:, 1] - w[:, 0])[None, :], np.array([b[1] - b[0]])))
        else:
            models.append(Solved(w.T, b))
    return models


def _solve(scatter: Matrix, products: Matrix, ridge: float) -> Matrix:
    """(scatter + ridge·I)⁻¹ products. Rows and columns are scaled first, as components may differ much in size."""
    diagonal = np.diag(scatter)
    size = np.sqrt(np.maximum(diagonal + ridge, 0))
    size = np.where(size > 0, size, 1.0)
    scaled = scatter / size[:, None]
    scaled /= size
    scaled[np.diag_indices_from(scaled)] += ridge / size**2
    right = products / size[:, None]
    if ridge > _SMALL * diagonal.max(initial=0.0):
        return np.asarray(np.linalg.solve(scaled, right) / size[:, None])
    values, vectors = np.linalg.eigh(scaled)
    # Rounding alone makes eigenvalues this large.
    cut = len(values) * np.finfo(np.float64).eps * 8 * max(values.max(initial=0.0), 0.0)
    inverse = np.where(values > cut, 1 / np.where(values > cut, values, 1), 0)
    return np.asarray(vectors @ (inverse[:, None] * (vectors.T @ right)) / size[:, None])


__all__ = ["Coding", "Problem", "Solved", "solved"]
