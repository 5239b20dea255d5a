"""The base class of linear projections that learn from rows and their targets, by sums of both."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import SourceError
from sqlrp._core.values import dataclass
from sqlrp._evaluator.moments import Moments
from sqlrp._projections.given import GivenProjection
from sqlrp.kernels import Kernel, Unknown

Matrix = npt.NDArray[np.float64]

ROUNDING = 8 * float(np.finfo(np.float64).eps)
"""The part of the greatest eigenvalue, for each one, up to which an eigenvalue is rounding."""


@dataclass(frozen=True)
class TargetSums:
    """What a supervised projection is solved from: sums of rows x, and of their targets."""

    count: int
    """the number of rows"""
    mean: Matrix
    """of x, shape (d,)"""
    scatter: Matrix
    """Σ (x - mean)(x - mean)ᵀ, shape (d, d)"""
    counts: Matrix
    """for each class the number of its rows; empty for targets that are numbers"""
    means: Matrix
    """for each class the mean of x, shape (classes, d)"""
    products: Matrix
    """for targets y that are numbers Σ (x - mean)(y - mean)ᵀ, shape (d, targets)"""
    target_scatter: Matrix
    """Σ (y - mean)(y - mean)ᵀ, shape (targets, targets)"""

    @staticmethod
    def of(sums: Moments, d: int) -> TargetSums:
        """Those of d features and of their targets, from the moments of both."""
        classes = [sums.classes[name] for name in sorted(sums.classes, key=str)]
        return TargetSums(
            sums.count,
            sums.mean[:d],
            sums.scatter[:d, :d],
            np.array([weight for weight, _ in classes]),
            np.array([mean for _, mean in classes]).reshape(len(classes), d),
            sums.scatter[:d, d:],
            sums.scatter[d:, d:],
        )

    @property
    def target_sizes(self) -> Matrix:
        """√(Σ (y - mean)²) of each target; 1 for a constant one."""
        found = np.sqrt(np.maximum(np.diag(self.target_scatter), 0))
        return np.where(found > 0, found, 1.0)


@dataclass(frozen=True)
class SupervisedProjection(GivenProjection):
    """z = xW + b, with weights that `sqlrp.fit` solves from sums of rows and of their targets.

    It is kept as a `GivenProjection` is.
    """

    missing: ClassVar[str] = (
        "learns from rows and their targets, and is not fitted: use sqlrp.fit(projection, source, con, target=…)"
    )
    transforms: ClassVar[bool] = True
    of_classes: ClassVar[bool] = False
    """whether the targets are classes; otherwise they are numbers"""

    @abstractmethod
    def solved(self, sums: TargetSums) -> Matrix:
        """The weights of the rows less their mean, shape (d, k). Raises SourceError if there are fewer than k."""

    def fit_sums(self, sums: TargetSums, bound_to: Sequence[str] | int | None = None) -> Self:
        """The projection that is solved from sums, bound to features."""
        if sums.count < 2:
            raise SourceError(f"{sums.count} rows have a target: at least 2 are needed; take a larger source")
        weights = self.solved(sums)
        table = np.vstack([weights, -(sums.mean @ weights)[None, :]])
        bound = replace(self, bound_to=len(weights) if bound_to is None else bound_to, state=None)
        return bound.with_arrays(weights=table, scale=np.array(1.0), constant=np.array(True))

    def kernel(self) -> Kernel:
        """None is known, as distances are meant to differ from those of the rows."""
        return Unknown()

    def check_most(self, most: int, what: str) -> None:
        """Raise SourceError if k is more than there can be."""
        if self.k > most:
            raise SourceError(f"k = {self.k} must be at most {most}, {what}: lower k")


def sizes(scatter: Matrix, mean: Matrix, count: int) -> Matrix:
    """√(Σ (x - mean)²) of each column; 1 for a column that is constant but for rounding."""
    squares = np.maximum(np.diag(scatter), 0)
    eps = float(np.finfo(np.float64).eps)
    constant = squares <= (10 * eps * mean) ** 2 * count
    return np.asarray(np.where(constant, 1.0, np.sqrt(squares)))


def signed(weights: Matrix, by: Matrix) -> Matrix:
    """The columns of weights, with the sign that makes the largest entry of each column of `by` positive."""
    largest = np.take_along_axis(by, np.abs(by).argmax(axis=0)[None, :], axis=0)
    return np.asarray(weights * np.where(largest < 0, -1.0, 1.0))


def half_inverse(scatter: Matrix) -> Matrix:
    """W of shape (d, rank) with Wᵀ·scatter·W = 1: the directions that vary, over the roots of their eigenvalues."""
    values, vectors = np.linalg.eigh(scatter)
    kept = values > ROUNDING * len(values) * max(float(values[-1]), 0.0)
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))


__all__ = ["ROUNDING", "SupervisedProjection", "TargetSums", "half_inverse", "signed", "sizes"]
