"""Linear discriminant components: the directions that tell classes apart."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sqlrp._core.errors import SourceError
from sqlrp._core.values import dataclass
from sqlrp._projections.supervised import Matrix, SupervisedProjection, TargetSums, signed

_WITHIN = 1e-8
"""The variance within classes, of features scaled to 1, up to which a direction is left out: scikit-learn's tol²."""
_BETWEEN = 1e-4
"""The part of the greatest deviation between classes up to which a direction tells no classes apart: its tol."""


@dataclass(frozen=True)
class LinearDiscriminants(SupervisedProjection):
    """The k directions in which the means of classes differ most, for the variance within the classes.

    `sqlrp.fit` takes the classes from the column `target`, and solves the directions from the products of features, and
    the mean of each class. So it needs one pass. The components are those of scikit-learn's
    `LinearDiscriminantAnalysis.transform` with solver="svd", up to their signs (before its release 1.9 it divides the
    variance within classes by n - classes, and not by n). The covariance within classes is 1, and the mean of all rows
    is 0 (Fisher 1936; Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 4.3). solver="eigen" gives
    the same without subtracting the mean. Each component has the sign that makes its largest weight positive.
    Directions in which the rows of no class vary are left out, such as those of constant columns.

    Raises ParameterError for k < 1, and SourceError for a single class, no more rows than classes, or k above the
    number of classes less one, or of directions in which their means differ.

        >>> fitted = sqlrp.fit(sqlrp.LinearDiscriminants(k=1), "points", con, target="label")
        >>> sqlrp.project(fitted, "points", con).num_rows
        50
    """

    use: ClassVar[str] = "the fewest components that tell known classes apart"
    of_classes: ClassVar[bool] = True

    def solved(self, sums: TargetSums) -> Matrix:
        """The directions. Raises SourceError if there are fewer than k."""
        classes, n = len(sums.counts), sums.count
        if classes < 2:
            raise SourceError("the target has one class: there are no others to tell it from")
        if n <= classes:
            raise SourceError(f"{n} rows must be more than the {classes} classes: take a larger source")
        self.check_most(classes - 1, "the number of classes less one")
        away = sums.means - sums.mean
        within = sums.scatter - (away.T * sums.counts) @ away
        squares = np.diag(within) / n
        # What the subtraction leaves of a feature that is constant within each class.
        varies = squares > 1e-13 * np.maximum(np.diag(sums.scatter) / n, np.square(sums.mean) * 1e-13)
        size = np.where(varies, np.sqrt(np.maximum(squares, 0)), 1.0)
        scaled = within / size[:, None] / size / n
        scaled[~varies] = scaled[:, ~varies] = 0
        values, vectors = np.linalg.eigh(scaled)
        kept = values > _WITHIN
        whitening = vectors[:, kept] / size[:, None] / np.sqrt(values[kept])
        between = np.sqrt(sums.counts / (classes - 1))[:, None] * (away @ whitening)
        _, spread, turned = np.linalg.svd(between, full_matrices=False)
        found = int((spread > _BETWEEN * spread.max(initial=0.0)).sum())
        self.check_most(found, "the number of directions in which the means of the classes differ")
        weights = whitening @ turned[: self.k].T
        return signed(weights, weights)
