"""Nyström features of the radial kernel with given landmarks: `sqlrp.from_sklearn` makes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError
from sqlrp._projections.base import known_features
from sqlrp._projections.given import Given, finite
from sqlrp._projections.holding import Shapes
from sqlrp._stages import ONE, AppendConstant, Exponential, GivenProducts, Stage, WeightedSums
from sqlrp.kernels import Kernel, Radial


@dataclass(frozen=True)
class GivenRadialFeatures(Given):
    """Weighted sums of the kernel exp(-γ‖x - l‖²) with given landmarks l: Nyström features of the radial kernel.

    The squared distance is γ(‖x‖² + ‖l‖² - 2⟨x, l⟩), as in scikit-learn, so the error of the kernel's values is
    about γ‖x‖²·10⁻¹⁶.

        >>> given = sqlrp.GivenRadialFeatures.of([[0.0, 0.0], [1.0, 2.0]], weights=np.eye(2), gamma=0.5)
        >>> sqlrp.project_vector(given, [1.0, 2.0]).round(4)
        array([0.0821, 1.    ])
    """

    @classmethod
    def of(cls, landmarks: npt.ArrayLike, weights: npt.ArrayLike, gamma: float) -> Self:
        """The projection for `landmarks`, shape (n, features), and `weights`, shape (n, k)."""
        rows, w = finite("landmarks", landmarks, 2).astype(np.float64), finite("weights", weights, 2)
        if len(rows) != len(w):
            raise ParameterError(f"weights has {len(w)} rows and needs one for each of {len(rows)} landmarks")
        made = cls(k=w.shape[1], bound_to=rows.shape[1])
        return made.with_arrays(exponents=radial_exponents(rows.T, gamma), weights=w)

    @property
    def shapes(self) -> Shapes:
        """One column of exponents and one row of weights for each landmark."""
        return {"exponents": (self.rows(2), "landmarks"), "weights": ("landmarks", self.k)}

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The features and the sum of their squares, then the exponents, the kernel's values and the weighted sums."""
        known_features(self, n_features)
        arrays = self.arrays
        return *radial_stages(arrays["exponents"]), WeightedSums(arrays["weights"])

    def factor(self, n_features: int | None) -> float:
        """1, as the weights include the scale."""
        return 1.0

    def kernel(self) -> Kernel:
        return Radial(-float(self.arrays["exponents"][-2, 0]))


def radial_exponents(landmarks: npt.NDArray[np.float64], gamma: float) -> npt.NDArray[np.float64]:
    """What the features, the sum of their squares and 1 are weighted with: shape (features + 2, landmarks).

    The sums are -γ‖x - l‖² = 2γ⟨x, l⟩ - γ‖x‖² - γ‖l‖² for landmarks of shape (features, landmarks).
    """
    n = landmarks.shape[1]
    return np.vstack([2 * gamma * landmarks, np.full(n, -gamma), -gamma * (landmarks**2).sum(axis=0)])


def radial_stages(exponents: npt.NDArray[np.float64]) -> tuple[Stage, ...]:
    """The features and the sum of their squares, then the exponents, and the kernel's values."""
    d = len(exponents) - 2
    features = np.arange(d, dtype=np.int64)
    single, squares = np.stack([features, np.full(d, ONE)], axis=1), np.stack([features, features], axis=1)
    components = np.concatenate([features, np.full(d, d)])
    products = GivenProducts(d + 1, components, np.concatenate([single, squares]))
    return products, AppendConstant(1.0), WeightedSums(exponents), Exponential()
