"""The base class of methods with landmarks: kernel values of rows and landmarks, then weighted sums of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar, Self

import numpy as np

from sqlrp._core.draw import real
from sqlrp._core.errors import ParameterError, SourceError, check_choice, shorten, warn
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_degree, check_positive, power
from sqlrp._projections.given_radial import origin_of, radial_exponents, radial_stages
from sqlrp._projections.held_arrays import Arrays, Shapes
from sqlrp._projections.projection import known_features
from sqlrp._projections.trained import Matrix, TrainedProjection
from sqlrp._stages import Normalise, Power, Stage, WeightedSums
from sqlrp.kernels import Cosine, Kernel, Polynomial, Radial

_LOST = 1e-6
"""The part of a squared distance that features may lose without a warning."""
KERNELS = ("polynomial", "rbf", "cosine")
"""The kernels of methods with landmarks, by scikit-learn's names."""


@dataclass(frozen=True)
class KernelProjection(TrainedProjection):
    """A kernel of a row and landmarks l, then weighted sums of these values.

    `kernel_name` "polynomial" is (γ⟨x, l⟩ + c)^degree, "rbf" is exp(-γ‖x - l‖²), and "cosine" is ⟨x, l⟩/(‖x‖·‖l‖).
    γ is `gamma`: by default 1 for "polynomial", and 1/d of d features for "rbf", as in scikit-learn.
    """

    degree: int = 2
    c: float = 0.0
    kernel_name: str = field(default="polynomial", kw_only=True)
    gamma: float | None = field(default=None, kw_only=True)

    optional: ClassVar[tuple[str, ...]] = ("gamma", "origin")
    parameter_help: ClassVar[Mapping[str, str]] = {
        "degree": "of the polynomial kernel",
        "c": "the kernel is (<x, y> + c)^degree",
        "kernel_name": f"the kernel: {', '.join(KERNELS)}",
        "gamma": "of the kernel: (gamma <x, y> + c)^degree, or exp(-gamma |x - y|^2), by default 1/d of d features",
    }

    def check_own(self) -> None:
        """Check degree, c, kernel_name and gamma."""
        check_degree(self.degree)
        if not 0 <= real(self.c) < math.inf:
            raise ParameterError(
                f"c = {shorten(self.c)} must be a finite number >= 0: the kernel is (<x, y> + c)^degree"
            )
        object.__setattr__(self, "c", float(self.c) + 0.0)
        check_choice("kernel_name", self.kernel_name, KERNELS)
        if self.gamma is not None:
            check_positive("gamma", self.gamma, ", or None for the default")
            object.__setattr__(self, "gamma", float(self.gamma))

    def check_arrays(self, arrays: Arrays) -> None:
        """Check that γ is the one of the fit."""
        fitted = float(arrays.get("gamma", 1.0))
        if self.gamma is not None and self.gamma != fitted:
            raise ParameterError(f"gamma = {self.gamma!r} must be {fitted!r}, with which it was fitted: fit it again")

    def kernel_of(self, x: Matrix, y: Matrix) -> Matrix:
        """The kernel's values between the rows of x and of y."""
        return self._kernel(self._gamma(x.shape[1])).between(x, y)

    def warn_far(self, x: Matrix) -> None:
        """Warn of rows so far from 0 that the features, which are as large as the kernel's values, lose distances."""
        if self.kernel_name == "rbf" or not len(x):  # of differences
            return
        mean = x.mean(axis=0)
        far, apart = float(mean @ mean), float(((x - mean) ** 2).sum(axis=1).mean())
        lost = far / apart * np.finfo(np.float64).eps if apart > 0 else 0.0
        if lost > _LOST:
            warn(
                f"the mean of the rows is {math.sqrt(far / apart):,.0f} times as long as their distances from it, so "
                f"that squared distances of the features are wrong by about {min(lost, 1.0):.0e} of themselves: "
                "subtract the mean, as sqlrp.Standardized does, or take kernel_name = 'rbf'"
            )

    def _gamma(self, n_features: int) -> float:
        """γ for this number of features."""
        if self.gamma is not None:
            return self.gamma
        return 1 / n_features if self.kernel_name == "rbf" else 1.0

    def _kernel(self, gamma: float) -> Kernel:
        match self.kernel_name:
            case "rbf":
                return Radial(gamma)
            case "cosine":
                return Cosine()
        return Polynomial(self.degree, self.c / gamma, power(gamma, self.degree, "gamma^degree"))

    @property
    def shapes(self) -> Shapes:
        """One column for each landmark, the weights of the kernel values, and γ, which is 1 if it is missing.

        The landmarks of "polynomial" are times γ, and those of "cosine" have length 1. Those of "rbf" that are far from
        0 are less `origin`, which rows are, too.
        """
        return {
            "landmarks": (self.rows(), "landmarks"),
            "weights": ("landmarks", self.k),
            "gamma": (),
            "origin": (self.rows(),),
        }

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The kernel's values at the landmarks, then the weighted sums."""
        landmarks, weights = self.arrays["landmarks"], self.arrays["weights"]
        match self.kernel_name:
            case "rbf":
                known_features(self, n_features)
                exponents = radial_exponents(landmarks, self._fitted_gamma)
                return *radial_stages(exponents, self.arrays.get("origin")), WeightedSums(weights)
            case "cosine":
                return Normalise(), WeightedSums(landmarks @ weights)
        return (WeightedSums(landmarks), Power(self.c, self.degree), WeightedSums(weights))

    def factor(self, n_features: int | None) -> float:
        """1, as the weights include the scale."""
        return 1.0

    def kernel(self) -> Kernel:
        """The kernel with the γ of the fit."""
        return self._kernel(self._fitted_gamma)

    @property
    def _fitted_gamma(self) -> float:
        return float(self.arrays.get("gamma", 1.0))

    def with_landmarks(self, landmarks: Matrix, weights: Matrix, **more: Matrix) -> Self:
        """The projection with these landmarks, shape (n, features), and weights, shape (n, k), and `more` arrays."""
        gamma = self._gamma(landmarks.shape[1])
        rows = landmarks
        if self.kernel_name == "polynomial":
            rows = gamma * landmarks
        elif self.kernel_name == "cosine":
            lengths = np.linalg.norm(landmarks, axis=1, keepdims=True)
            rows = landmarks / np.where(lengths == 0, 1.0, lengths)
        own = {} if gamma == 1 else {"gamma": np.array(gamma)}
        origin = origin_of(landmarks.T, gamma) if self.kernel_name == "rbf" else None
        if origin is not None:
            rows, own = landmarks - origin, {**own, "origin": origin}
        return self.with_arrays(landmarks=np.ascontiguousarray(rows.T), weights=weights, **own, **more)


def inverse_root(kernel: Matrix) -> Matrix:
    """K^{-1/2}, without the directions that have no variance."""
    if not np.isfinite(kernel).all():
        raise SourceError(
            "the kernel of two sampled rows is beyond the floats: scale the features, or lower degree, gamma or c"
        )
    values, vectors = np.linalg.eigh(kernel)
    kept = values > max(values.max(), 0) * len(values) * np.finfo(np.float64).eps
    return np.asarray((vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T)
