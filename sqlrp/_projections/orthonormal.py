"""Orthonormalised Gaussian projection: the baseline of the random subspace paper (section 4, Table 3)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from sqlrp._core.draw import draw_normals
from sqlrp._core.errors import ParameterError
from sqlrp._core.values import dataclass
from sqlrp._projections.projection import DrawnProjection, known_features
from sqlrp._stages import Stage, WeightedSums


@dataclass(frozen=True)
class OrthonormalProjection(DrawnProjection):
    """k orthonormal directions in the space of the features, drawn at random, times √(d/k) (random subspace paper, 4).

    The directions are those of `GaussianProjection` of the same k and seed, made orthonormal by the QR decomposition.
    Squared distances are kept in expectation, and with k = d without any error: it is a rotation. Every term is a
    multiplication. It has no SQL function of its own; once saved, `project_with` runs it.

    Raises ParameterError for k < 1, k > d, a seed outside 0 … 2⁵³-1, or an open vocabulary.

        >>> rotated = sqlrp.project_vector(sqlrp.OrthonormalProjection(k=3, seed=7), [1.0, 2.0, 2.0])
        >>> print(round(float(rotated @ rotated), 9))
        9.0
    """

    use: ClassVar[str] = "distances with the least error at a large k, of few features"
    function: ClassVar[str] = "project_with"
    own_function: ClassVar[bool] = False
    chosen: ClassVar[tuple[str, ...]] = ("k",)

    @classmethod
    def choose(cls, values: dict[str, Any], n_rows: int, n_features: int) -> dict[str, Any]:
        """k = 64, or the number of features if that is smaller."""
        return values | {"k": min(cls.k, n_features)} if values["k"] is None else values

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """One stage of weighted sums."""
        d = known_features(self, n_features)
        if self.k > d:
            raise ParameterError(f"k = {self.k} must be at most the number of features = {d}: lower k")
        q, r = np.linalg.qr(draw_normals(np.arange(d, dtype=np.int64), self.k, self.seed))
        return (WeightedSums(q * np.where(np.diag(r) < 0, -1.0, 1.0)),)

    def factor(self, n_features: int | None) -> float:
        return math.sqrt(known_features(self, n_features) / self.k)

    def caution(self, n_features: int | None) -> str:
        """No warning: k is d at most, and then it is a rotation."""
        return ""

    def back_error(self, n_features: int) -> float | None:
        return (n_features - self.k) / self.k
