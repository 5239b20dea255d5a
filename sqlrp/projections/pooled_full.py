"""Full bilinear pooling: all products of two features, summed over the descriptors of an image (thesis, 2.5, 5.4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sqlrp.core.errors import ParameterError
from sqlrp.projections.base import known_features
from sqlrp.projections.pooling import Pooled
from sqlrp.stages import GivenProducts, Stage


@dataclass(frozen=True)
class FullBilinearPooling(Pooled):
    """All d² products of two features, summed over the rows of a group: Σ_l x_l ⊗ x_l (thesis eq. 2.20, 5.4.1).

    It is the descriptor that `BilinearPooling` estimates with fewer components: the baseline. k must be d²; with two
    descriptors of `split` and d - split features it must be split·(d - split), for Σ_l x_l ⊗ u_l. The rows of a group
    and `normalise` are as in `BilinearPooling`. Nothing is drawn.

    Raises ParameterError for another k, split < 1, split ≥ d, or an open vocabulary.

        >>> pooling = sqlrp.FullBilinearPooling(k=4, normalise=False)
        >>> pairs = sqlrp.Wide("points", key="label", features=["a", "b"])
        >>> sqlrp.project(pooling, pairs, con).num_columns
        5
    """

    normalise: bool = True
    split: int | None = None

    function: ClassVar[str] = "fbp_project"

    def row_stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The products of all pairs of features."""
        d = known_features(self, n_features)
        split = d if self.split is None else self.checked_split(d)
        others = d if self.split is None else d - split
        if self.k != split * others:
            raise ParameterError(
                f"k = {self.k} must be the number of all products of {split} and {others} features: use "
                f"k = {split * others}, or BilinearPooling, which takes any k"
            )
        first, second = np.divmod(np.arange(self.k, dtype=np.int64), others)
        return (
            GivenProducts(self.k, np.arange(self.k, dtype=np.int64), np.stack([first, d - others + second], axis=1)),
        )

    def row_factor(self, n_features: int | None) -> float:
        """1: there is no scale."""
        return 1.0

    stages_in_sql: ClassVar[Mapping[str, str]] = {
        "duckdb": """
        -- All products of two features, or of one of each descriptor, summed over the rows of a group; then signed root and norm.
        CREATE OR REPLACE MACRO sqlrp_fbp_text(k, split, n) AS
          'SELECT i, CASE WHEN ' || coalesce(CAST(split AS VARCHAR), '0') || ' >= ' || n || ' THEN error(''split = ' || coalesce(split, 0)
            || ' must be below the number of features = '' || ' || n || ' || '': those from split on are the second descriptor'') WHEN ' || k || ' <> a * b '
            || 'THEN error(''k = ' || k || ' must be the number of all products of '' || a || '' and '' || b || '' features: use k = '' || a * b '
            || '|| '', or BilinearPooling, which takes any k'') ELSE i END AS c, 1 AS w, [i // b, ' || n || ' - b + i % b] AS v FROM '
            || sqlrp_series(k, 'i') || ', (SELECT CAST(' || CASE WHEN split IS NULL THEN n || ' AS BIGINT) AS a, CAST(' || n
              ELSE split || ' AS BIGINT) AS a, CAST(' || n || ' - ' || split END || ' AS BIGINT) AS b) ab_';

        CREATE OR REPLACE MACRO {{stages}}({{parameters}}, n) AS
          sqlrp_pooled([sqlrp_stage('products', k, sqlrp_fbp_text(k, split, sqlrp_known('FullBilinearPooling', n)), factors := 2, dense := true)],
            '1', k, normalise);
        """,  # noqa: E501  # wider than Python
        "postgresql": """
        -- All products of two features, or of one of each descriptor, summed over the rows of a group; then signed root and norm.
        CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
        LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
        DECLARE
          firsts bigint := coalesce(split, sqlrp_known('{{class}}', n));
          others bigint := n - coalesce(split, 0);
        BEGIN
          PERFORM sqlrp_split_sums(jsonb_build_object(), split, n);
          IF k <> firsts * others THEN
            PERFORM sqlrp_refuse(format('k = %s must be the number of all products of %s and %s features: use k = %s, or BilinearPooling, which '
              'takes any k', k, firsts, others, firsts * others));
          END IF;
          RETURN sqlrp_pipeline(ARRAY[sqlrp_products(k, 2, 1, k, true, format('SELECT i, i AS c, 1 AS w, ARRAY[i / %1$s, %2$s + i %% %1$s] AS v '
            'FROM %3$s i', others, n - others, sqlrp_series(k, 'i')))], 1, true, normalise);
        END $f$;
        """,  # noqa: E501  # wider than Python
    }
