"""Random Fourier features of the radial kernel (Rahimi and Recht 2007)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sqlrp._core.symbols import root
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_positive
from sqlrp._projections.projection import DrawnProjection, known_features
from sqlrp._stages import AppendConstant, Cosine, FourierSums, Stage
from sqlrp.kernels import Kernel, Radial


@dataclass(frozen=True)
class RandomFourierFeatures(DrawnProjection):
    """√(2/k)·cos(⟨w, x⟩ + b) for k drawn w and b, whose inner products estimate exp(-γ‖x - y‖²) without bias.

    The numbers of w are normal with variance 2·`gamma`, and b is uniform between 0 and 2π (Rahimi and Recht 2007,
    algorithm 1). An inner product of two rows has a standard deviation of at most √(1/k). Every term is a
    multiplication, and the engine needs a cosine.

    Raises ParameterError for k < 1, gamma <= 0, a seed outside 0 … 2⁵³-1, or an open vocabulary.

        >>> sqlrp.project_vector(sqlrp.RandomFourierFeatures(k=2, gamma=0.5, seed=7), [1.0, 2.0, 0.0]).round(4)
        array([-0.4369,  0.8509])
    """

    use: ClassVar[str] = "the Gaussian kernel, for a linear model on top"

    gamma: float = 1.0

    function: ClassVar[str] = "rff_project"
    parameter_help: ClassVar[Mapping[str, str]] = {"gamma": "of the kernel exp(-gamma |x - y|^2), above 0"}

    def check(self) -> None:
        """Check gamma."""
        check_positive("gamma", self.gamma)

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """A constant for the phases, then weighted sums and their cosines."""
        known_features(self, n_features)
        return AppendConstant(1.0), FourierSums(self.k, root(2 * self.gamma), self.seed), Cosine()

    def factor(self, n_features: int | None) -> float:
        """√(2/k)."""
        return root(2 / self.k)

    def kernel(self) -> Kernel:
        """exp(-γ‖x - y‖²)."""
        return Radial(self.gamma)
