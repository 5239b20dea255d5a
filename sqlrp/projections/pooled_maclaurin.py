"""Pooled random Maclaurin features: one row of features from the local descriptors of an image (thesis, 5.4.1)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sqlrp.projections.base import Drawn
from sqlrp.projections.pooling import Pooled
from sqlrp.stages import GivenProducts, SignedSums, Stage


@dataclass(frozen=True)
class MaclaurinPooling(Pooled, Drawn):
    """Random Maclaurin features of degree 2, summed over the rows of a group (thesis 5.4.1).

    No two products share a sum, and the signs are dense (s = 1), so it takes more additions than `BilinearPooling`.
    The rows of a group, `normalise` and `split` are as in `BilinearPooling`. Without `split` and `normalise`, the
    result is the sum of the rows of `RandomMaclaurin`.

    Raises ParameterError for k or split < 1, split ≥ d, or a seed outside 0 … 2⁵³-1.

        >>> pooling = sqlrp.MaclaurinPooling(k=4, seed=7)
        >>> sqlrp.project(pooling, sqlrp.Wide("points", key="label", features=["a", "b", "c"]), con).num_rows
        2
    """

    normalise: bool = True
    split: int | None = None

    function: ClassVar[str] = "rmp_project"

    def row_stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """2k signed sums, then k products of two."""
        k = self.k
        own = np.arange(2 * k, dtype=np.int64).reshape((k, 2) if self.split is None else (2, k))
        pairs = own if self.split is None else own.T
        sums = self.parted(SignedSums(2 * k, 1, self.seed), n_features)
        return sums, GivenProducts(k, np.arange(k, dtype=np.int64), pairs)

    def row_factor(self, n_features: int | None) -> float:
        """1/√k."""
        return 1 / math.sqrt(self.k)

    stages_in_sql: ClassVar[Mapping[str, str]] = {
        "duckdb": """
        -- k products of two dense signed sums, summed over the rows of a group; then signed root and norm.
        CREATE OR REPLACE MACRO {{stages}}({{parameters}}, n) AS
          sqlrp_pooled([sqlrp_split_sums(sqlrp_signed_sums(2 * k, '1e0', seed), 2 * k, split, n),
            sqlrp_stage('products', k, 'SELECT c AS i, c, 1 AS w, ' || CASE WHEN split IS NULL THEN '[2 * c, 2 * c + 1]' ELSE '[c, c + ' || k || ']' END
              || ' AS v FROM ' || sqlrp_series(k, 'c'), factors := 2, dense := true)], '1 / sqrt(' || k || ')', k, normalise);
        """,  # noqa: E501  # wider than Python
        "postgresql": """
        -- k products of two dense signed sums, summed over the rows of a group; then signed root and norm.
        CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
        LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
        BEGIN
          RETURN sqlrp_pipeline(ARRAY[sqlrp_split_sums(sqlrp_vectors(n, 2 * k, 1, seed), split, n), sqlrp_products(k, 2, 1, k, true, format(
            'SELECT c AS i, c, 1 AS w, ARRAY[%s] AS v FROM %s c', CASE WHEN split IS NULL THEN '2 * c, 2 * c + 1' ELSE format('c, c + %s', k) END,
            sqlrp_series(k, 'c')))], CASE WHEN normalise THEN 1 ELSE 1 / sqrt(CAST(k AS double precision)) END, true, normalise);
        END $f$;
        """,  # noqa: E501  # wider than Python
    }
