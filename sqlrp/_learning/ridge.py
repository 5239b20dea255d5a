"""Solve linear models from moments, and compute their errors from the moments of other rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from sqlrp._core.errors import ParameterError
from sqlrp._core.values import dataclass
from sqlrp._evaluator.moments import Matrix, Moments

Coding = Literal["sign", "one-hot", "discriminant", "logistic"]
"""How classes become decisions.

Least squares of targets, 1 for a row's own class and -1 or 0 for the others; or the linear discriminant, which takes
the components of a class as normal with the same covariance in all classes; or logistic regression, whose passes
move the targets of least squares.
"""

_SMALL = 1e-10
"""The least part of the largest variance from which a ridge is large enough for a plain solve."""


_NEVER = 1e-300
"""The share of a class that some folds do not have."""


@dataclass(frozen=True)
class RidgeSolution:
    """A linear model: decisions = coefficients · z + intercepts."""

    coefficients: Matrix
    """shape (decisions, k)"""
    intercepts: Matrix


@dataclass(frozen=True)
class Problem:
    """Least squares on some rows: their moments with the targets that the classes stand for."""

    count: float
    """the weight of the rows"""
    mean: Matrix
    scatter: Matrix
    """of the components"""
    products: Matrix
    """Σ (z - mean)(y - mean)ᵀ, shape (k, decisions)"""
    target_mean: Matrix
    target_scatter: Matrix
    """Σ (y - mean)² of each decision"""
    unit: Matrix | None = None
    """the sizes of the components that the ridge is for, shape (k,); None for 1"""

    @staticmethod
    def of(moments: Moments, names: Sequence[Any] | None, coding: Coding, unit: Matrix | None = None) -> Problem:
        """`names`: the classes in order; None for a regressor. Two classes that are coded by signs need one decision.

        The targets are coded as scikit-learn's RidgeClassifier codes them.
        """
        n, mean, scatter = moments.weight, moments.mean, moments.scatter
        if names is None:
            own = (mean[:-1], scatter[:-1, :-1], scatter[:-1, -1:], mean[-1:], scatter[-1:, -1])
            return Problem(n, *own, unit)
        absent = (0.0, mean)
        found = [moments.classes.get(name, absent) for name in names]
        counts = np.array([count for count, _ in found], dtype=np.float64)
        products = np.stack([(at - mean) * count for count, at in found], axis=1)
        share = counts / n if n else counts
        if coding == "sign":
            products, target_mean, spread = 2 * products, 2 * share - 1, 4 * counts * (1 - share)
        else:
            target_mean, spread = share, counts * (1 - share)
        if one_decision(names, coding):
            products, target_mean, spread = products[:, 1:], target_mean[1:], spread[1:]
        return Problem(n, mean, scatter, products, target_mean, spread, unit)

    def solved(self, ridges: Sequence[float], intercept: bool) -> list[RidgeSolution]:
        """The least squares for every ridge: Σ |y - w·z - b|² + ridge·|w·unit|².

        If several w are best, the one with the smallest |w·unit|.
        """
        scatter, products = self.normal(intercept)
        found = []
        for ridge in ridges:
            w = _solve(scatter, products, ridge, self.unit).T
            found.append(RidgeSolution(w, self.target_mean - w @ self.mean if intercept else np.zeros(len(w))))
        return found

    def inverse(self, ridge: float, intercept: bool) -> Matrix:
        """What gives the coefficients from the products, shape (k, k)."""
        scatter, _ = self.normal(intercept)
        return _solve(scatter, np.eye(len(scatter)), ridge, self.unit)

    def normal(self, intercept: bool) -> tuple[Matrix, Matrix]:
        """The scatter and the products: around the means, or without an intercept around 0."""
        if intercept:
            return self.scatter, self.products
        scatter = self.scatter + np.outer(self.mean, self.mean * self.count)
        return scatter, self.products + np.outer(self.mean, self.target_mean * self.count)

    def moved(self, sums: Matrix, shift: Matrix) -> Problem:
        """The same rows with other targets. `sums`: Σ m and Σ m·(z - shift) of the differences m, for each decision."""
        of_m = sums[:, 0]
        products = self.products + sums[:, 1:].T + np.outer(shift - self.mean, of_m)
        return replace(self, products=products, target_mean=self.target_mean + of_m / self.count)

    @property
    def second(self) -> Problem:
        """The problem of the second decision alone."""
        return replace(
            self,
            products=self.products[:, 1:2],
            target_mean=self.target_mean[1:2],
            target_scatter=self.target_scatter[1:2],
        )

    def less(self, by: float, times: float) -> Problem:
        """The same rows with the targets (y - by)·times."""
        return replace(self, products=self.products * times, target_mean=(self.target_mean - by) * times)

    def along(self, new: RidgeSolution, old: RidgeSolution, ahead: RidgeSolution) -> float:
        """Σ (new - ahead)·(new - old) over the decisions of the rows: below 0 if the step turns back."""
        return self._inner(_gap(new, ahead), _gap(new, old))

    def apart(self, new: RidgeSolution, old: RidgeSolution, most: float = math.inf) -> float:
        """By how much the decisions of two models differ on the rows, as a part of the deviation of the new ones.

        `most`: a deviation that is more counts as this.
        """
        gap, whole = _gap(new, old), RidgeSolution(new.coefficients, -new.coefficients @ self.mean)
        size = min(self._inner(whole, whole), self.count * most**2)
        return math.sqrt(max(self._inner(gap, gap), 0) / size) if size > 0 else 0.0

    def _inner(self, a: RidgeSolution, b: RidgeSolution) -> float:
        """Σ f·g over the rows and the decisions f and g of two models."""
        level = (a.coefficients @ self.mean + a.intercepts) @ (b.coefficients @ self.mean + b.intercepts)
        return float(np.einsum("dk,dk->", a.coefficients @ self.scatter, b.coefficients) + self.count * level)

    def squares(self, model: RidgeSolution) -> Matrix:
        """Σ (y - w·z - b)² over the rows, for each decision."""
        w = model.coefficients
        off = self.target_mean - w @ self.mean - model.intercepts
        explained = np.einsum("dk,kd->d", w, self.products)
        fitted = np.einsum("dk,dk->d", w @ self.scatter, w)
        return np.asarray(np.maximum(self.target_scatter - 2 * explained + fitted, 0) + self.count * off**2)


def _gap(new: RidgeSolution, old: RidgeSolution) -> RidgeSolution:
    return RidgeSolution(new.coefficients - old.coefficients, new.intercepts - old.intercepts)


def one_decision(names: Sequence[Any], coding: Coding) -> bool:
    """Whether the sign of one decision tells two classes apart."""
    return len(names) == 2 and coding != "one-hot"


@dataclass(frozen=True)
class Inference:
    """The standard errors of least squares: σ²(ZᵀZ)⁻¹ on the diagonal, and what follows from them."""

    standard_errors: Matrix
    """of each coefficient, and last of the intercept if there is one"""
    freedom: int
    """the degrees of freedom: the number of rows less that of the coefficients that they determine"""
    variance: float
    """σ², Σ (y - prediction)² over the degrees of freedom"""
    inverse: Matrix
    """(ZᵀZ)⁻¹, of components less their means if there is an intercept"""

    @staticmethod
    def of(moments: Moments, model: RidgeSolution, intercept: bool) -> Inference:
        """Of the least squares of a regressor's moments.

        Raises ParameterError if the components are not independent, or the rows are too few.
        """
        problem = Problem.of(moments, None, "sign")
        scatter, k = problem.scatter, len(problem.mean)
        if not intercept:
            scatter = scatter + np.outer(problem.mean, problem.mean * problem.count)
        freedom = moments.count - k - intercept
        if freedom < 1:
            raise ParameterError(
                f"{moments.count} rows leave no degree of freedom for {k + intercept} coefficients: standard errors "
                "need more rows, or a smaller k"
            )
        size = np.sqrt(np.maximum(np.diag(scatter), 0))
        if (size == 0).any() or _dependent(scatter / size[:, None] / size):
            raise ParameterError(
                "some components are sums of others, so that their coefficients have no standard errors: lower k, or "
                "leave out features that repeat others"
            )
        inverse = np.linalg.inv(scatter / size[:, None] / size) / size[:, None] / size
        variance = float(problem.squares(model)[0]) / freedom
        own = np.diag(inverse)
        if intercept:
            own = np.append(own, 1 / problem.count + problem.mean @ inverse @ problem.mean)
        return Inference(np.sqrt(variance * own), freedom, variance, inverse)


def _dependent(scaled: Matrix) -> bool:
    values = np.linalg.eigvalsh(scaled)
    return bool(values[0] <= 8 * len(values) * np.finfo(np.float64).eps * values[-1])


def solved(
    moments: Moments,
    names: Sequence[Any] | None,
    coding: Coding,
    ridges: Sequence[float],
    intercept: bool,
    unit: Matrix | None = None,
) -> list[RidgeSolution]:
    """The model for every ridge. `names`, `unit`: as in `Problem`."""
    if names is not None and coding == "discriminant":
        return _discriminants(moments, names, ridges, unit)
    return Problem.of(moments, names, coding, unit).solved(ridges, intercept)


def sizes(moments: Moments, k: int) -> Matrix:
    """The standard deviations of the k components; 1 for a component that is constant but for rounding.

    The bound of the variance is that of scikit-learn's StandardScaler.
    """
    n, mean, eps = moments.weight, moments.mean[:k], float(np.finfo(np.float64).eps)
    variance = np.maximum(np.diag(moments.scatter)[:k], 0) / max(n, 1e-300)
    constant = variance <= n * eps * variance + (n * mean * eps) ** 2
    return np.asarray(np.where(constant, 1.0, np.sqrt(variance)))


def _discriminants(
    moments: Moments, names: Sequence[Any], ridges: Sequence[float], unit: Matrix | None
) -> list[RidgeSolution]:
    """The linear discriminant for every ridge, which is added to the diagonal of the scatter within the classes.

    As scikit-learn's LinearDiscriminantAnalysis, up to a term that all decisions have in common.
    """
    found = [moments.classes.get(name, (0, moments.mean)) for name in names]
    counts = np.array([count for count, _ in found], dtype=np.float64)
    away = np.stack([at - moments.mean for _, at in found], axis=1)
    within = moments.scatter - (away * counts) @ away.T
    chance = np.log(np.maximum(counts / moments.weight, _NEVER))
    models = []
    for ridge in ridges:
        w = _solve(within, away * moments.weight, ridge, unit)
        b = chance - np.einsum("kc,kc->c", away, w) / 2 - moments.mean @ w
        if len(names) == 2:
            models.append(RidgeSolution((w[:, 1] - w[:, 0])[None, :], np.array([b[1] - b[0]])))
        else:
            models.append(RidgeSolution(w.T, b))
    return models


def _solve(scatter: Matrix, products: Matrix, ridge: float, unit: Matrix | None = None) -> Matrix:
    """(scatter + ridge·diag(unit²))⁻¹ products, and of several solutions the one of least norm.

    Rows and columns are scaled first, as components may differ much in size. An eigenvalue of the scaled matrix counts
    as 0 up to 8·k·ε times the largest, for k components and ε = 2⁻⁵².
    """
    if unit is not None:
        scatter, products = scatter / unit[:, None] / unit, products / unit[:, None]
        return _solve(scatter, products, ridge) / unit[:, None]
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
    kept = values > cut
    found = vectors[:, kept] @ ((vectors[:, kept].T @ right) / values[kept, None]) / size[:, None]
    # Solutions differ by these directions, which are not those of the scaled matrix.
    free = np.linalg.qr(vectors[:, ~kept] / size[:, None])[0]
    return np.asarray(found - free @ (free.T @ found))


__all__ = ["Coding", "Inference", "Problem", "RidgeSolution", "one_decision", "sizes", "solved"]
