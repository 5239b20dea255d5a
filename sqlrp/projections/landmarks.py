"""The base class of methods with landmarks: kernel values of rows and landmarks, then weighted sums of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from sqlrp.core.draw import real
from sqlrp.core.errors import ParameterError
from sqlrp.kernels import Kernel, Polynomial
from sqlrp.projections.checks import check_whole
from sqlrp.projections.holding import Shapes
from sqlrp.projections.trained import Matrix, Trained
from sqlrp.stages import Power, Stage, WeightedSums


@dataclass(frozen=True)
class KernelProjection(Trained):
    """The kernel (⟨x, l⟩ + c)^degree with landmarks l, then weighted sums of these values."""

    degree: int = 2
    c: float = 0.0

    optional: ClassVar[str] = "gamma"
    parameter_help: ClassVar[Mapping[str, str]] = {
        "degree": "of the polynomial kernel",
        "c": "the kernel is (<x, y> + c)^degree",
    }

    def check_own(self) -> None:
        """Check degree and c."""
        check_whole("degree", self.degree, 1)
        if not 0 <= real(self.c) < math.inf:
            raise ParameterError(f"c = {self.c!r} must be a finite number >= 0: the kernel is (<x, y> + c)^degree")
        object.__setattr__(self, "c", float(self.c) + 0.0)

    def kernel_of(self, x: Matrix, y: Matrix) -> Matrix:
        """The kernel's values between the rows of x and of y."""
        return np.asarray((x @ y.T + self.c) ** self.degree)

    @property
    def shapes(self) -> Shapes:
        """One column for each landmark, the weights of the kernel values, and scikit-learn's gamma."""
        return {"landmarks": (self.rows(), "landmarks"), "weights": ("landmarks", self.k), "gamma": ()}

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """Inner products with the landmarks, their powers, then the weighted sums."""
        arrays = self.arrays
        return (WeightedSums(arrays["landmarks"]), Power(self.c, self.degree), WeightedSums(arrays["weights"]))

    def factor(self, n_features: int | None) -> float:
        """1, as the weights include the scale."""
        return 1.0

    def kernel(self) -> Kernel:
        """(γ⟨x, y⟩ + c)^degree, where γ is the gamma of the state, or 1 if it has none."""
        gamma = float(self.arrays.get("gamma", 1.0))
        return Polynomial(self.degree, self.c / gamma, gamma**self.degree)

    def _fitted(self, landmarks: Matrix, weights: Matrix) -> Self:
        return self.with_arrays(landmarks=np.ascontiguousarray(landmarks.T), weights=weights)


def inverse_root(kernel: Matrix) -> Matrix:
    """K^{-1/2}, without the directions that have no variance."""
    values, vectors = np.linalg.eigh(kernel)
    kept = values > max(values.max(), 0) * len(values) * np.finfo(np.float64).eps
    return np.asarray((vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T)
