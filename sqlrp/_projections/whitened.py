"""Principal components of variance 1: the whitening of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from sqlrp._core.errors import SourceError
from sqlrp._core.values import dataclass
from sqlrp._projections.principal import PrincipalComponents
from sqlrp._projections.projection import BackMap
from sqlrp._projections.supervised import ROUNDING
from sqlrp._projections.trained import Matrix
from sqlrp.kernels import Kernel, Unknown


@dataclass(frozen=True)
class WhitenedComponents(PrincipalComponents):
    """The k principal components of the rows, each divided by its standard deviation.

    Over the rows it is fitted on, the components have mean 0 and variance 1, and are not correlated. Squared distances
    of all of them are those of Mahalanobis. They are scikit-learn's PCA with whiten=True, with n - 1 degrees of freedom
    (Bishop, Pattern Recognition and Machine Learning, 2006, 12.1.3). They are found as those of `PrincipalComponents`.
    `fit` takes rows of shape (rows, d).

    Raises ParameterError for k < 1, and SourceError if the rows vary in fewer than k directions, as n rows do for k
    from n on.

        >>> fitted = sqlrp.fit(sqlrp.WhitenedComponents(k=2), "points", con)
        >>> z = sqlrp.project(fitted, "points", con).to_pandas()
        >>> z[["z0", "z1"]].cov().abs().round(3).values.tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """

    use: ClassVar[str] = "components that are not correlated and of variance 1, for Mahalanobis distances"

    sheds: ClassVar[bool] = False
    also: ClassVar[tuple[str, ...]] = ("whitening",)

    @classmethod
    def choose(cls, values: dict[str, Any], n_rows: int, n_features: int) -> dict[str, Any]:
        """k = 64, or the number of features, or of rows to learn from less one, if that is smaller."""
        most = max(min(cls.k, (values["sample"] or n_rows) - 1, n_rows - 1, n_features), 1)
        return values | {"k": most} if values["k"] is None else values

    def _made(self, count: int, mean: Matrix, directions: Matrix, variance: Matrix, whole: float) -> Self:
        """The directions, over the standard deviations of the components."""
        kept = int((variance > ROUNDING * len(variance) * max(float(variance[0]), 0.0)).sum())
        if kept < self.k:
            raise SourceError(
                f"the {count:,} rows vary in {kept} directions, fewer than the k = {self.k} components that get "
                "variance 1: lower k, or take a larger source"
            )
        made = super()._made(count, mean, directions, variance, whole)
        deviations = np.sqrt(variance[: self.k] / (count - 1))
        return made.with_arrays(
            **{**made.arrays, "weights": made.arrays["weights"] / deviations, "scale": np.array(1.0)}
        )

    def rotated(self, seed: int, among: Sequence[int] | None = None) -> Self:
        """Itself, as its components are of one size."""
        return self

    def kernel(self) -> Kernel:
        """None is known, as distances are meant to differ from those of the rows."""
        return Unknown()

    def back_map(self, n_features: int) -> BackMap:
        """The map to the point in the subspace of the components."""
        weights = self.arrays["weights"][:-1]
        return (weights / np.square(weights).sum(axis=0)).T, 1.0, self.arrays["mean"]
