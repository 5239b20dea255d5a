"""The features of rows as their components."""

from __future__ import annotations

import numpy as np

from sqlrp._core.values import dataclass
from sqlrp._projections.projection import Projection
from sqlrp._stages import Rescale, Stage, WeightedSums
from sqlrp.kernels import LINEAR, Kernel


@dataclass(frozen=True)
class Features(Projection):
    """The features themselves, as k components."""

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """A stage that changes nothing."""
        return (Rescale(np.zeros(self.k), np.ones(self.k)),)

    def factor(self, n_features: int | None) -> float:
        """1."""
        return 1.0

    def kernel(self) -> Kernel:
        """⟨x, y⟩."""
        return LINEAR

    def caution(self, n_features: int | None) -> str:
        """No warning: nothing is to be reduced."""
        return ""


@dataclass(frozen=True)
class SummedFeatures(Features):
    """The same as sums of one feature each, which a join computes table by table."""

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """Sums with the weights 1."""
        return (WeightedSums(np.eye(self.k, dtype=np.int8)),)


__all__ = ["Features", "SummedFeatures"]
