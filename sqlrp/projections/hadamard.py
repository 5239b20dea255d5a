"""Randomised Hadamard transform (FHT, SRHT): butterflies of sums and differences (SVM paper, eq. 10)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from sqlrp.core.draw import draw_sample
from sqlrp.projections.base import Drawn, known_features
from sqlrp.stages import Butterfly, Stage


@dataclass(frozen=True)
class HadamardProjection(Drawn):
    """k entries, drawn with replacement, of the Walsh-Hadamard transform of ±x, times 1/√k (SVM paper, eq. 10).

    The row is padded with zeros to D = 2^⌈log2 d⌉ entries (`padded`, which explain shows). A transform takes at most
    D·log2 D sums and differences. The SQL contains only those that the sample needs.

    Raises ParameterError for k < 1, a seed outside 0 … 2⁵³-1 or an open vocabulary.
    """

    function: ClassVar[str] = "fht_project"
    in_postgresql: ClassVar[bool] = True

    def padded(self, n_features: int) -> int:
        """D, the next power of two."""
        return 1 << max(n_features - 1, 0).bit_length()

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """One butterfly stage."""
        padded = self.padded(known_features(self, n_features))
        sample = draw_sample(padded, self.k, self.seed, replace=True)
        return (Butterfly(padded, tuple(sample.tolist()), self.seed),)

    def factor(self, n_features: int | None) -> float:
        """1/√k."""
        return 1 / math.sqrt(self.k)

    def remark(self, n_features: int | None) -> str:
        """The number of entries after padding."""
        d = known_features(self, n_features)
        return f"{d:,} features padded with zeros to {self.padded(d):,}"

    def back_error(self, n_features: int) -> float | None:
        """(d - 1)/k, for a sample with replacement of orthogonal vectors."""
        return (n_features - 1) / self.k
