"""Pooled tensor sketch: one row of features from the local descriptors of an image (thesis, 5.4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sqlrp.projections.base import Drawn
from sqlrp.projections.pooling import Pooled
from sqlrp.stages import BlockSums, Convolved, Stage


@dataclass(frozen=True)
class SketchPooling(Pooled, Drawn):
    """Tensor sketches of degree 2, summed over the rows of a group (thesis 5.4.1; Gao et al. 2016).

    A sketch is the circular convolution of two count sketches, which takes k² products in SQL; so it suits small k.
    The rows of a group, `normalise` and `split` are as in `BilinearPooling`. Without `split` and `normalise`, the
    result is the sum of the rows of `TensorSketch`.

    Raises ParameterError for k or split < 1, split ≥ d, or a seed outside 0 … 2⁵³-1.

        >>> pooling = sqlrp.SketchPooling(k=4, seed=7)
        >>> sqlrp.project(pooling, sqlrp.Wide("points", key="label", features=["a", "b", "c"]), con).num_rows
        2
    """

    normalise: bool = True
    split: int | None = None

    function: ClassVar[str] = "tsp_project"

    def row_stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """Two count sketches, then their convolution."""
        return self.parted(BlockSums(2, self.k, self.seed), n_features), Convolved(self.k, 2)

    def row_factor(self, n_features: int | None) -> float:
        """1: there is no scale."""
        return 1.0

    stages_in_sql: ClassVar[Mapping[str, str]] = {
        "duckdb": """
        -- The circular convolution of two count sketches of length k, summed over the rows of a group; then signed root and norm.
        CREATE OR REPLACE MACRO {{stages}}({{parameters}}, n) AS
          sqlrp_pooled([sqlrp_split_sums(sqlrp_block_sums(2, k, seed), 2 * k, split, n)] || sqlrp_convolutions(k, 2), '1', k, normalise);
        """,  # noqa: E501  # wider than Python
        "postgresql": """
        -- The circular convolution of two count sketches of length k, summed over the rows of a group; then signed root and norm.
        CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
        LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
        BEGIN
          RETURN sqlrp_pipeline(sqlrp_split_sums(sqlrp_block_sums(n, 2, k, seed), split, n) || sqlrp_convolutions(k, 2), 1, true, normalise);
        END $f$;
        """,  # noqa: E501  # wider than Python
    }
