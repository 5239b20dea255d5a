"""Random Fourier features with given weights and phases: `sqlrp.from_sklearn` makes them."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_positive
from sqlrp._projections.given import ArrayProjection, finite
from sqlrp._projections.held_arrays import Shapes
from sqlrp._stages import AppendConstant, Cosine, Stage, WeightedSums
from sqlrp.kernels import Kernel, Radial


@dataclass(frozen=True)
class GivenFourierFeatures(ArrayProjection):
    """√(2/k)·cos(xW + b) for given weights W and phases b: Fourier features of the radial kernel exp(-γ‖x - y‖²).

    >>> given = sqlrp.GivenFourierFeatures.of([[1.0, 0.0], [0.0, 2.0]], phases=[0.0, 1.0], gamma=0.5)
    >>> sqlrp.project_vector(given, [0.0, 0.0]).round(4)
    array([1.    , 0.5403])
    """

    use: ClassVar[str] = "a fitted RBFSampler of scikit-learn"

    @classmethod
    def of(cls, weights: npt.ArrayLike, phases: npt.ArrayLike, gamma: float) -> Self:
        """The projection for `weights`, shape (features, k), and `phases`, shape (k,), of the kernel with `gamma`."""
        w, b = finite("weights", weights, 2).astype(np.float64), finite("phases", phases, 1)
        check_positive("gamma", gamma)
        if len(b) != w.shape[1]:
            raise ParameterError(f"phases has {len(b)} entries and needs one for each of {w.shape[1]} components")
        made = cls(k=w.shape[1], bound_to=len(w))
        return made.with_arrays(weights=np.vstack([w, b[None, :]]), gamma=np.array(float(gamma)))

    @property
    def shapes(self) -> Shapes:
        """The weights, with a last row of phases, and gamma."""
        return {"weights": (self.rows(1), self.k), "gamma": ()}

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """A constant for the phases, then weighted sums and their cosines."""
        return AppendConstant(1.0), WeightedSums(self.arrays["weights"]), Cosine()

    def factor(self, n_features: int | None) -> float:
        """√(2/k)."""
        return math.sqrt(2 / self.k)

    def kernel(self) -> Kernel:
        """exp(-γ‖x - y‖²)."""
        return Radial(float(self.arrays["gamma"]))
