"""Principal components of all rows or of a sample: the linear baseline of the papers that is fitted to data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from sqlrp._core.errors import LimitError, SourceError
from sqlrp._core.values import dataclass
from sqlrp._projections.held_arrays import Shapes
from sqlrp._projections.projection import BackMap
from sqlrp._projections.sparse import SparseProjection
from sqlrp._projections.trained import Matrix, Progress, TrainedProjection, check_rows
from sqlrp._stages import AppendConstant, Stage, WeightedSums
from sqlrp.kernels import Kernel, UnknownOrigin

_TALL = 10
"""The rows for each feature from which the products of features are added up first."""
_MOST = 1 << 26
"""The most weights of a sketch: 512 MB."""
_MORE = 100
"""The numbers of a sketch beyond twice the number of components."""


class SketchSums(Protocol):
    """Sums of all rows x and of their sketches y."""

    @property
    def count(self) -> int:
        """The number of rows."""

    @property
    def mean(self) -> Matrix:
        """Of x, shape (d,)."""

    @property
    def variance(self) -> float:
        """Σ |x - mean|²."""

    @property
    def products(self) -> Matrix:
        """Σ (x - mean)(y - mean)ᵀ, shape (d, l)."""


@dataclass(frozen=True)
class PrincipalComponents(TrainedProjection):
    """The k principal components of the rows, scaled by √(tr Σ / tr Σ_{1:k}) to keep the mean distance.

    Σ is the covariance of all rows, or of a sample if `sample` is a number. `sqlrp.fit` adds up the products of all
    pairs of features in one scan, if there are at most 2,000. (A server adds up those of up to 40 features itself, in a
    few queries.) Of more features it adds up their products with a sketch
    of 2k + 100 numbers, in two scans (Halko, Martinsson and Tropp 2011), and takes the components from these sums
    (Tropp, Yurtsever, Udell and Cevher 2017). Each component has the sign that makes its largest weight positive.
    `fit` takes rows of shape (rows, d). It is the baseline of the papers that is fitted to data.

    Raises ParameterError for k < 1, and SourceError if k is over the number of features or of rows.

        >>> fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=2), "points", con)
        >>> sqlrp.project(fitted, "points", con).num_rows
        50
    """

    use: ClassVar[str] = "the fewest components, where the data may be learnt from"

    sample: int | None = None

    of_all: ClassVar[bool] = True
    sheds: ClassVar[bool] = True
    also: ClassVar[tuple[str, ...]] = ("pca",)
    chosen: ClassVar[tuple[str, ...]] = ("k",)
    parameter_help: ClassVar[Mapping[str, str]] = {"sample": "rows to learn from, drawn in the database; None for all"}

    @classmethod
    def choose(cls, values: dict[str, Any], n_rows: int, n_features: int) -> dict[str, Any]:
        """k = 64, or the number of features or of rows to learn from, if that is smaller."""
        most = min(cls.k, n_rows, n_features, values["sample"] or n_rows)
        return values | {"k": most} if values["k"] is None else values

    def check_own(self) -> None:
        """No further checks."""

    def fit(self, x: Matrix, progress: Progress | None = None) -> Self:
        """Compute the eigenvectors of the covariance of the rows. A constant feature subtracts the mean."""
        check_rows(x, self.k, "a row for each component")
        self._check_features(x.shape[1])
        mean = x.mean(axis=0)
        away = x - mean
        if len(x) >= _TALL * x.shape[1]:  # a decomposition of all rows takes longer, and gives the same
            return self.fit_scatter(len(x), mean, away.T @ away)
        _, sizes, directions = np.linalg.svd(away, full_matrices=False)
        variance = sizes**2
        return self._made(len(x), mean, directions, variance, float(variance.sum()))

    def fit_scatter(self, count: int, mean: Matrix, scatter: Matrix) -> Self:
        """The same from the number of rows, their mean, and Σ (x - mean)(x - mean)ᵀ of shape (d, d)."""
        self._check_count(count, len(mean))
        variance, directions = np.linalg.eigh(scatter)
        return self._made(count, mean, directions.T[::-1], np.maximum(variance[::-1], 0), float(np.trace(scatter)))

    def fit_sketch(self, add_up: Callable[[Matrix], SketchSums], n_features: int) -> Self:
        """The same from sums with a sketch of the features, in two scans.

        `add_up`: takes weights of shape (d, l), and returns `SketchSums` of all rows.
        """
        self._check_features(n_features)
        width = min(2 * self.k + _MORE, n_features)
        if n_features * width > _MOST:
            raise LimitError(
                f"a sketch of {width} numbers of {n_features:,} features has {n_features * width:,} weights, more than "
                f"{_MOST:,}: lower k, pass a number of rows as sample, or reduce the features first"
            )
        sketch = SparseProjection(width, seed=self.seed)
        (drawn,) = sketch.stages(n_features)
        first = add_up(drawn.matrix(np.arange(n_features, dtype=np.int64)).astype(np.float64))
        self._check_count(first.count, n_features)
        basis = np.linalg.qr(first.products)[0]
        sums = add_up(basis)
        within = basis.T @ sums.products
        sizes, turned = np.linalg.eigh((within + within.T) / 2)
        kept = sizes > len(sizes) * np.finfo(np.float64).eps * max(sizes[-1], 0.0)
        half = sums.products @ (turned[:, kept] / np.sqrt(sizes[kept]))  # half·halfᵀ is near the scatter
        found, roots, _ = np.linalg.svd(half, full_matrices=False)
        # If the rows span fewer than k directions, the others are any that are at right angles to them.
        directions = np.linalg.qr(np.hstack([found, basis]))[0].T[: basis.shape[1]]
        directions[: len(roots)] = found.T
        variance = np.append(roots**2, np.zeros(len(directions) - len(roots)))
        return self._made(sums.count, sums.mean, directions, variance, sums.variance)

    def _check_features(self, n_features: int) -> None:
        if self.k > n_features:
            raise SourceError(f"k = {self.k} must be at most the number of features = {n_features}: lower k")

    def _check_count(self, count: int, n_features: int) -> None:
        self._check_features(n_features)
        if count < self.k:
            raise SourceError(f"{count} rows are fewer than the {self.k} components: lower k, or take a larger source")

    def _made(self, count: int, mean: Matrix, directions: Matrix, variance: Matrix, whole: float) -> Self:
        """`directions`: one a row, the greatest variance first. `variance`: squares of `count` rows along each.

        `whole`: the squares of all directions.
        """
        directions = directions[: self.k]
        largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=1)[:, None], axis=1)
        directions = np.where(largest < 0, -directions, directions)  # the same sign on every machine
        scale = math.sqrt(whole / max(float(variance[: self.k].sum()), np.finfo(np.float64).tiny))
        weights = np.vstack([directions.T, -(directions @ mean)[None, :]])
        return replace(self, bound_to=self.bound_to or len(mean)).with_arrays(
            weights=weights, scale=np.array(scale), mean=mean
        )

    def rotated(self, seed: int, among: Sequence[int] | None = None) -> Self:
        """After a rotation that is drawn evenly of all. The first components are much larger than the last ones.

        With `among`, those of the largest number are the first ones.
        """
        groups, rng, parts = np.array([1] * self.k if among is None else among), np.random.default_rng(seed), []
        for each in sorted({*groups.tolist()} - {0}, reverse=True):
            own = self.arrays["weights"][:, groups == each]
            rotation, upper = np.linalg.qr(rng.normal(size=(own.shape[1], own.shape[1])))
            parts.append(own @ (rotation * np.sign(np.diag(upper))))
        weights = np.hstack(parts)
        return replace(self, k=weights.shape[1], state=None).with_arrays(**{**self.arrays, "weights": weights})

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

    def has_back_map(self, n_features: int) -> bool:
        """Yes: the mean is added again."""
        return True

    def back_map(self, n_features: int) -> BackMap:
        """The map to the point in the subspace of the components."""
        arrays = self.arrays
        return arrays["weights"][:-1].T, 1 / self.factor(n_features), arrays["mean"]
