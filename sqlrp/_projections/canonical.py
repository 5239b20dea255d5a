"""Canonical correlation: the directions of rows that are most correlated with their targets."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sqlrp._core.values import dataclass
from sqlrp._projections.supervised import Matrix, SupervisedProjection, TargetSums, half_inverse, signed, sizes


@dataclass(frozen=True)
class CanonicalCorrelation(SupervisedProjection):
    """The k directions of the rows whose correlation with a direction of the targets is greatest.

    `sqlrp.fit` takes the columns of numbers that `target` names, and solves the directions from the products of
    features, of targets, and of both, so it needs one pass (Hotelling 1936, Relations between two sets of variates).
    The components are those of the rows in scikit-learn's `CCA.transform` with scale=True, up to their signs and once
    its iterations have converged: they have mean 0 and are not correlated. Component i has its size: the weight of the
    scaled features, without its part along the components before, has length 1. Directions in which no row varies are
    left out.

    Raises ParameterError for k < 1, and SourceError if k is over the number of features, of targets, or of directions
    in which either of them vary.

        >>> source = sqlrp.Wide("points", features=["a", "b"])
        >>> fitted = sqlrp.fit(sqlrp.CanonicalCorrelation(k=1), source, con, target="c")
        >>> sqlrp.project(fitted, source, con).num_rows
        50
    """

    use: ClassVar[str] = "the components that are most correlated with several columns of numbers"

    def solved(self, sums: TargetSums) -> Matrix:
        """The directions. Raises SourceError if there are fewer than k."""
        size = sizes(sums.scatter, sums.mean, sums.count)
        target_size = sums.target_sizes
        own = half_inverse(sums.scatter / size[:, None] / size)
        other = half_inverse(sums.target_scatter / target_size[:, None] / target_size)
        self.check_most(own.shape[1], "the number of directions in which the features vary")
        self.check_most(other.shape[1], "the number of directions in which the targets vary")
        turned = np.linalg.svd(own.T @ (sums.products / size[:, None] / target_size) @ other)[0]
        found = own @ turned[:, : self.k]
        # scikit-learn divides by the length of the weights of its deflated rows: what earlier ones leave of them.
        weights, upper = np.linalg.qr(found)
        length = np.diag(upper)
        made = signed(found / np.abs(length), weights * np.sign(length)) / size[:, None]
        return np.asarray(made * np.sqrt(sums.count - 1))
