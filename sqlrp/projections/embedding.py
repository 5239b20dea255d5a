"""Sparse embedding (CW): every feature is in a few sums only (Clarkson and Woodruff 2013; Kane and Nelson 2014)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sqlrp.core.errors import ParameterError
from sqlrp.projections.base import Drawn
from sqlrp.projections.checks import check_whole
from sqlrp.stages import BlockSums, Stage


@dataclass(frozen=True)
class SparseEmbedding(Drawn):
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
            near = max(self.k - self.k % blocks, blocks)
            of = "nnz_per_feature" if self.buckets == 1 else "nnz_per_feature * buckets"
            raise ParameterError(
                f"k = {self.k} must be a multiple of {of} = {blocks}, as its blocks are of one size: use k = {near}"
            )

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """One stage of block sums."""
        size = self.k // (self.nnz_per_feature * self.buckets)
        return (BlockSums(self.nnz_per_feature, size, self.seed, self.buckets),)

    def factor(self, n_features: int | None) -> float:
        """1/√a."""
        return 1 / math.sqrt(self.nnz_per_feature)

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

    stages_in_sql: ClassVar[Mapping[str, str]] = {
        "duckdb": """
        -- Each feature goes, with a sign, into one sum of each of nnz_per_feature blocks, of its bucket if there are several.
        CREATE OR REPLACE MACRO {{stages}}({{parameters}}, n) AS
          sqlrp_pipeline([CASE WHEN k % (nnz_per_feature * buckets) > 0 THEN error('k = ' || k || ' must be a multiple of nnz_per_feature'
                || CASE WHEN buckets > 1 THEN ' * buckets' ELSE '' END || ' = ' || nnz_per_feature * buckets || ', as its blocks are of one size: use k = '
                || greatest(k - k % (nnz_per_feature * buckets), nnz_per_feature * buckets))
              WHEN buckets > 1 THEN sqlrp_bucket_sums(nnz_per_feature, k // (nnz_per_feature * buckets), buckets, seed)
              ELSE sqlrp_block_sums(nnz_per_feature, k // nnz_per_feature, seed) END], '1 / sqrt(' || nnz_per_feature || ')', k);
        """,  # noqa: E501  # wider than Python
        "postgresql": """
        -- Each feature goes, with a sign, into one sum of each of nnz_per_feature blocks, of its bucket if there are several.
        CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
        LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
        DECLARE
          parts bigint := nnz_per_feature * buckets;
        BEGIN
          IF k % parts > 0 THEN
            PERFORM sqlrp_refuse(format('k = %s must be a multiple of nnz_per_feature%s = %s, as its blocks are of one size: use k = %s',
              k, CASE WHEN buckets > 1 THEN ' * buckets' ELSE '' END, parts, greatest(k - k % parts, parts)));
          END IF;
          RETURN sqlrp_pipeline(ARRAY[CASE WHEN buckets > 1 THEN sqlrp_bucket_sums(n, nnz_per_feature, k / parts, buckets, seed)
            ELSE sqlrp_block_sums(n, nnz_per_feature, k / nnz_per_feature, seed) END], 1 / sqrt(CAST(nnz_per_feature AS double precision)));
        END $f$;
        """,  # noqa: E501  # wider than Python
    }
