"""Partial least squares: the directions of rows whose covariance with their targets is greatest."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sqlrp._core.errors import SourceError
from sqlrp._core.values import dataclass
from sqlrp._projections.supervised import ROUNDING, Matrix, SupervisedProjection, TargetSums, signed, sizes


@dataclass(frozen=True)
class PartialLeastSquares(SupervisedProjection):
    """The k directions of the rows whose covariance with the targets is greatest, each of what the ones before leave.

    `sqlrp.fit` takes the columns of numbers that `target` names, and solves the directions from the products of
    features, and of features and targets, so it needs one pass (Wold 1966; from sums, Dayal and MacGregor 1997,
    Improved PLS algorithms). The components are those of scikit-learn's `PLSRegression.transform` with scale=True, of
    several targets once its iterations have converged. They have mean 0 and are not correlated. A linear model on them
    is partial least squares regression.

    Raises ParameterError for k < 1, and SourceError if k is over the number of features, or if fewer components have a
    covariance with the targets.

        >>> source = sqlrp.Wide("points", features=["a", "b"])
        >>> fitted = sqlrp.fit(sqlrp.PartialLeastSquares(k=1), source, con, target="c")
        >>> sqlrp.project(fitted, source, con).num_rows
        50
    """

    use: ClassVar[str] = "the components that predict columns of numbers, of many correlated features"

    def solved(self, sums: TargetSums) -> Matrix:
        """The directions. Raises SourceError if there are fewer than k."""
        self.check_most(len(sums.mean), "the number of features")
        size = sizes(sums.scatter, sums.mean, sums.count)
        scatter = sums.scatter / size[:, None] / size
        left = sums.products / size[:, None] / sums.target_sizes
        first = float(np.linalg.norm(left))
        rotations, loadings = np.zeros((len(size), self.k)), np.zeros((len(size), self.k))
        for i in range(self.k):
            if np.linalg.norm(left) <= ROUNDING * len(size) * max(first, 1.0):
                raise SourceError(
                    f"{i} components explain all that the features say of the targets: k = {self.k} must be at most {i}"
                )
            weight = np.linalg.svd(left, full_matrices=False)[0][:, :1]
            weight = signed(weight, weight)[:, 0]
            rotation = weight - rotations[:, :i] @ (loadings[:, :i].T @ weight)
            along = scatter @ rotation
            squares = float(rotation @ along)
            rotations[:, i], loadings[:, i] = rotation, along / squares
            left = left - np.outer(along, rotation @ left) / squares
        return np.asarray(rotations / size[:, None] * np.sqrt(sums.count - 1))
