"""Principal components of a sample: the linear baseline of the papers that is fitted to data."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from sqlrp.core.errors import SourceError
from sqlrp.kernels import Kernel, UnknownOrigin
from sqlrp.projections.base import BackMap
from sqlrp.projections.holding import Shapes
from sqlrp.projections.trained import Matrix, Progress, Trained, check_rows
from sqlrp.stages import AppendConstant, Stage, WeightedSums


@dataclass(frozen=True)
class PrincipalComponents(Trained):
    """The k principal components of the sample, scaled by √(tr Σ / tr Σ_{1:k}) to keep the mean distance.

    Σ is the sample's covariance. `fit` takes rows of shape (rows, d). It is the baseline of the papers that is fitted
    to data.

    Raises ParameterError for k < 1, and SourceError if k is over the number of features or of the sample's rows.

        >>> fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=2), "points", con)
        >>> sqlrp.project(fitted, "points", con).num_rows
        50
    """

    also: ClassVar[tuple[str, ...]] = ("pca",)
    chosen: ClassVar[tuple[str, ...]] = ("k",)

    @classmethod
    def choose(cls, values: dict[str, Any], n_rows: int, n_features: int) -> dict[str, Any]:
        """k = 64, or the number of features or of rows to learn from, if that is smaller."""
        most = min(cls.k, n_rows, n_features, values["sample"])
        return values | {"k": most} if values["k"] is None else values

    def check_own(self) -> None:
        """No further checks."""

    def fit(self, x: Matrix, progress: Progress | None = None) -> Self:
        """Compute the eigenvectors of the sample's covariance. A constant feature subtracts the mean."""
        check_rows(x, self.k, "a row for each component")
        if self.k > x.shape[1]:
            raise SourceError(f"k = {self.k} must be at most the number of features = {x.shape[1]}: lower k")
        mean = x.mean(axis=0)
        _, sizes, directions = np.linalg.svd(x - mean, full_matrices=False)
        directions = directions[: self.k] * np.sign(directions[: self.k, :1] + 0.5)  # the same sign on every machine
        variance = sizes**2
        scale = math.sqrt(variance.sum() / max(variance[: self.k].sum(), np.finfo(np.float64).tiny))
        weights = np.vstack([directions.T, -(directions @ mean)[None, :]])
        return replace(self, bound_to=self.bound_to or x.shape[1]).with_arrays(
            weights=weights, scale=np.array(scale), mean=mean
        )

    @property
    def shapes(self) -> Shapes:
        """The components, with the constant's row last, and the mean for back projections."""
        return {"weights": (self.rows(1), self.k), "scale": (), "mean": (self.rows(),)}

    def caution(self, n_features: int | None) -> str:
        """No warning: as many components as features are a rotation, which can be useful."""
        return ""

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """A constant for the mean, then weighted sums."""
        return AppendConstant(1.0), WeightedSums(self.arrays["weights"])

    def factor(self, n_features: int | None) -> float:
        """√(tr Σ / tr Σ_{1:k})."""
        return float(self.arrays["scale"])

    def kernel(self) -> Kernel:
        """⟨x, y⟩ about the sample's mean; only its distances are compared."""
        return UnknownOrigin()

    def back_map(self, n_features: int) -> BackMap:
        """The map to the point in the subspace of the components."""
        arrays = self.arrays
        return arrays["weights"][:-1].T, 1 / self.factor(n_features), arrays["mean"]
