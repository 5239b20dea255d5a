"""Sparse random projection: signed sums of the features (Achlioptas 2003; Li, Hastie and Church 2006)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from sqlrp.core.draw import resolve_s
from sqlrp.projections.base import Seeded
from sqlrp.stages import SignedSums, Stage


@dataclass(frozen=True)
class SparseProjection(Seeded):
    """k signed sums of the features, times √(s/k).

    Each entry of the sign table is +1, 0 or -1 with probability 1/2s, 1-1/s and 1/2s: s = 1 and 3 are
    Achlioptas' projections, s = "sqrt" (√d, the default) the very sparse one of Li, Hastie and Church;
    any number ≥ 1 will do. Squared distances are kept in expectation; their mean relative error is near
    2/√(πk).

    Raises ParameterError for k < 1, s < 1 or a seed outside 0 … 2⁵³-1.
    """

    function: ClassVar[str] = "rp_project"

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """One stage of signed sums."""
        return (SignedSums(self.k, resolve_s(self.s, n_features), self.seed),)

    def factor(self, n_features: int | None) -> float:
        """√(s/k)."""
        return math.sqrt(resolve_s(self.s, n_features) / self.k)
