"""Sparse embedding (CW): every feature is in a few sums only (Clarkson and Woodruff 2013; Kane and Nelson 2014)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar

from sqlrp._core.errors import ParameterError
from sqlrp._core.symbols import greatest, root
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_whole
from sqlrp._projections.projection import DrawnProjection
from sqlrp._stages import BlockSums, Stage


@dataclass(frozen=True)
class SparseEmbedding(DrawnProjection):
    """k sums in a = nnz_per_feature blocks, times 1/√a (Clarkson and Woodruff 2013; Kane and Nelson 2014).

    Each feature is added to, or subtracted from, one sum of each block. So a row costs a terms per feature, for any k.
    Squared distances are kept in expectation. a = 1 is the count sketch (CW); a = 4 keeps distances nearly as well as
    a dense table. Features may be words, which the query hashes.

    `buckets` > 1 is the two-level construction of Clarkson and Woodruff (SVM paper, section 2): each feature is hashed
    to one of q buckets, and each bucket has a blocks of v = k/(q·a) sums of its own. Features of different buckets
    never meet in a sum. The variance is the same.

    Raises ParameterError for k < 1, nnz_per_feature·buckets that does not divide k, or a seed outside 0 … 2⁵³-1.

        >>> words = sqlrp.Long("words", key="doc", feature="word", value="n")
        >>> sqlrp.project(sqlrp.SparseEmbedding(k=4, seed=7), words, con).column_names
        ['doc', 'z0', 'z1', 'z2', 'z3']
    """

    use: ClassVar[str] = "word counts and other sparse rows: 4 additions per number that is not 0"

    nnz_per_feature: int = 4
    buckets: int = field(default=1, kw_only=True)

    function: ClassVar[str] = "cw_project"
    parameter_help: ClassVar[Mapping[str, str]] = {
        "nnz_per_feature": "sums that a feature goes into; divides k",
        "buckets": "parts that the features are hashed to, each with sums of its own",
    }
    chosen: ClassVar[tuple[str, ...]] = ("nnz_per_feature",)

    def check(self) -> None:
        """Check nnz_per_feature and buckets."""
        check_whole("nnz_per_feature", self.nnz_per_feature, 1)
        check_whole("buckets", self.buckets, 1)
        blocks = self.nnz_per_feature * self.buckets
        if self.k % blocks:
            near = greatest(self.k - self.k % blocks, blocks)
            of = "nnz_per_feature" if self.buckets == 1 else "nnz_per_feature * buckets"
            raise ParameterError(
                f"k = {self.k} must be a multiple of {of} = {blocks}, as its blocks are of one size: use k = {near}"
            )

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        size = self.k // (self.nnz_per_feature * self.buckets)
        return (BlockSums(self.nnz_per_feature, size, self.seed, self.buckets),)

    def factor(self, n_features: int | None) -> float:
        return 1 / root(self.nnz_per_feature)

    @classmethod
    def choose(cls, values: dict[str, Any], n_rows: int, n_features: int) -> dict[str, Any]:
        """nnz_per_feature = 4, or 2 or 1 if that does not divide k."""
        if values["nnz_per_feature"] is not None:
            return values
        k, buckets, most = values["k"], values["buckets"], cls.nnz_per_feature
        whole = isinstance(k, int) and isinstance(buckets, int) and buckets > 0 and k % buckets == 0
        return values | {"nnz_per_feature": math.gcd(most, k // buckets) if whole else most}

    @classmethod
    def components_from(cls, k: int, values: Mapping[str, Any]) -> int:
        """The next multiple of nnz_per_feature and buckets."""
        blocks: int = (values["nnz_per_feature"] or cls.nnz_per_feature) * values["buckets"]
        return k + -k % blocks

    def back_error(self, n_features: int) -> float | None:
        """(d - 1)/k: a feature has no error with itself, and variance 1/k with every other one."""
        return (n_features - 1) / self.k
