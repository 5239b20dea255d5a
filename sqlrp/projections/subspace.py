"""Random subspace (RS): a random choice of features, with Householder's reflection to densify sparse rows.

N. Lim and R. J. Durrant, *Linear dimensionality reduction in linear time: Johnson-Lindenstrauss-type
guarantees for random subspace*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sqlrp.core.draw import draw_sample
from sqlrp.core.errors import ParameterError
from sqlrp.projections.base import Drawn, known_features
from sqlrp.stages import ReflectedPick, Stage, WeightedSums


@dataclass(frozen=True)
class RandomSubspace(Drawn):
    """k of the d features, drawn without replacement, times √(d/k).

    `densify` "householder" reflects every row about the diagonal first, x_j - 2·Σx/d (section 4.3, Theorem
    3): lengths stay, and rows with few non-zeros get a smaller regularity constant c, which the k that keeps
    distances grows with. Only the sum of the row and the picked features are computed.

    Raises ParameterError for k < 1, k > d, another densify, a seed outside 0 … 2⁵³-1 or an open vocabulary.
    """

    densify: str | None = None

    function: ClassVar[str] = "rs_project"

    def check(self) -> None:
        """Check densify."""
        if self.densify not in (None, "householder"):
            raise ParameterError(
                f"densify = {self.densify!r} must be 'householder', or None to pick features as they are"
            )

    def picked(self, n_features: int) -> tuple[int, ...]:
        """The positions of the k features."""
        if self.k > n_features:
            raise ParameterError(f"k = {self.k} must be at most the number of features = {n_features}: lower k")
        return tuple(draw_sample(n_features, self.k, self.seed, replace=False).tolist())

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """One stage: the pick, reflected or not."""
        d = known_features(self, n_features)
        picked = self.picked(d)
        if self.densify:
            return (ReflectedPick(d, picked),)
        table = np.zeros((d, self.k), dtype=np.int8)
        table[list(picked), np.arange(self.k)] = 1
        return (WeightedSums(table),)

    def factor(self, n_features: int | None) -> float:
        """√(d/k); of the reflection, which the stage gives d times, a d-th."""
        d = known_features(self, n_features)
        return math.sqrt(d / self.k) / (d if self.densify else 1)
