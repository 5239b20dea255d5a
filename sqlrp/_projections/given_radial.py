"""Nyström features of the radial kernel with given landmarks: `sqlrp.from_sklearn` makes them."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError
from sqlrp._core.values import dataclass
from sqlrp._projections.given import ArrayProjection, finite
from sqlrp._projections.held_arrays import Shapes
from sqlrp._projections.projection import known_features
from sqlrp._stages import ONE, AppendConstant, Exponential, GivenProducts, Stage, WeightedSums
from sqlrp.kernels import Kernel, Radial


@dataclass(frozen=True)
class GivenRadialFeatures(ArrayProjection):
    """Weighted sums of the kernel exp(-γ‖x - l‖²) with given landmarks l: Nyström features of the radial kernel.

    The squared distance is γ(‖x‖² + ‖l‖² - 2⟨x, l⟩), as in scikit-learn. If the landmarks are far from 0, their mean is
    subtracted from both first (`origin_of`): the error of the kernel's values is about γ‖x‖²·10⁻¹⁶, for x about that
    mean.

        >>> given = sqlrp.GivenRadialFeatures.of([[0.0, 0.0], [1.0, 2.0]], weights=np.eye(2), gamma=0.5)
        >>> sqlrp.project_vector(given, [1.0, 2.0]).round(4)
        array([0.0821, 1.    ])
    """

    use: ClassVar[str] = "a fitted radial Nystroem of scikit-learn"
    optional: ClassVar[tuple[str, ...]] = ("origin",)

    @classmethod
    def of(cls, landmarks: npt.ArrayLike, weights: npt.ArrayLike, gamma: float) -> Self:
        """The projection for `landmarks`, shape (n, features), and `weights`, shape (n, k)."""
        rows, w = finite("landmarks", landmarks, 2).astype(np.float64), finite("weights", weights, 2)
        if len(rows) != len(w):
            raise ParameterError(f"weights has {len(w)} rows and needs one for each of {len(rows)} landmarks")
        made = cls(k=w.shape[1], bound_to=rows.shape[1])
        origin = origin_of(rows.T, gamma)
        about = rows if origin is None else rows - origin
        own = {} if origin is None else {"origin": origin}
        return made.with_arrays(exponents=radial_exponents(about.T, gamma), weights=w, **own)

    @property
    def shapes(self) -> Shapes:
        """One column of exponents and one row of weights for each landmark, and what is subtracted from rows."""
        return {"exponents": (self.rows(2), "landmarks"), "weights": ("landmarks", self.k), "origin": (self.rows(),)}

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The features and the sum of their squares, then the exponents, the kernel's values and the weighted sums."""
        known_features(self, n_features)
        arrays = self.arrays
        return *radial_stages(arrays["exponents"], arrays.get("origin")), WeightedSums(arrays["weights"])

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


_FAR = 1e3
"""The exponents γ‖l‖² from which landmarks are far from 0: those of rows would lose the last 3 of their 16 digits."""
_NEARER = 4.0
"""How many times nearer, by its squares, the mean has to be."""
_MOST = 1024
"""The most features that are shifted: by a table of their squared number."""


def origin_of(landmarks: npt.NDArray[np.float64], gamma: float) -> npt.NDArray[np.float64] | None:
    """What to subtract from rows and landmarks, shape (features,): the landmarks' mean if they are far from 0.

    Near 0 it is None, as it would make zeros of sparse rows numbers, and for more than 1,024 features. `landmarks`:
    shape (features, landmarks).
    """
    if len(landmarks) > _MOST:
        return None
    mean = landmarks.mean(axis=1)
    far, near = ((landmarks - about) ** 2 for about in (0.0, mean[:, None]))
    largest = far.sum(axis=0).max()
    return mean if gamma * largest > _FAR and largest > _NEARER * near.sum(axis=0).max() else None


def radial_stages(
    exponents: npt.NDArray[np.float64], origin: npt.NDArray[np.float64] | None = None
) -> tuple[Stage, ...]:
    """The features less the origin and the sum of their squares, then the exponents, and the kernel's values."""
    d = len(exponents) - 2
    features = np.arange(d, dtype=np.int64)
    single, squares = np.stack([features, np.full(d, ONE)], axis=1), np.stack([features, features], axis=1)
    components = np.concatenate([features, np.full(d, d)])
    products = GivenProducts(d + 1, components, np.concatenate([single, squares]))
    values = products, AppendConstant(1.0), WeightedSums(exponents), Exponential()
    # By sums, and not by `Rescale`, which reads NULL as 0 only afterwards, and no sparse rows.
    return values if origin is None else (AppendConstant(1.0), WeightedSums(np.vstack([np.eye(d), -origin])), *values)
