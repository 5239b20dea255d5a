"""Sparse embedding (CW): every feature in a few sums only (Clarkson and Woodruff 2013; Kane and Nelson 2014)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from sqlrp.core.errors import ParameterError
from sqlrp.projections.base import Drawn, check_whole
from sqlrp.stages import BlockSums, Stage


@dataclass(frozen=True)
class SparseEmbedding(Drawn):
    """k sums in a = nnz_per_feature blocks: each feature goes, with a sign, into one sum of each block; times 1/√a.

    A row costs a terms a feature, whatever k: with a = 1 the count sketch (CW), with a = 4 nearly the distances
    of a dense table. Features may be words, hashed in the query.

    Raises ParameterError for k < 1, nnz_per_feature that does not divide k, or a seed outside 0 … 2⁵³-1.
    """

    nnz_per_feature: int = 4

    function: ClassVar[str] = "cw_project"

    def check(self) -> None:
        """Check nnz_per_feature."""
        check_whole("nnz_per_feature", self.nnz_per_feature, 1)
        if self.k % self.nnz_per_feature:
            near = max(self.k - self.k % self.nnz_per_feature, self.nnz_per_feature)
            raise ParameterError(
                f"k = {self.k} must be a multiple of nnz_per_feature = {self.nnz_per_feature}, as its blocks are "
                f"of one size: use k = {near}"
            )

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """One stage of block sums."""
        return (BlockSums(self.nnz_per_feature, self.k // self.nnz_per_feature, self.seed),)

    def factor(self, n_features: int | None) -> float:
        """1/√a."""
        return 1 / math.sqrt(self.nnz_per_feature)
