"""Compact bilinear pooling (CBP-KRP): one row of features from the local descriptors of an image (thesis, ch. 5)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sqlrp.core.draw import resolve_s
from sqlrp.projections.base import Seeded
from sqlrp.projections.checks import check_vectors, check_whole, vectors_in_force
from sqlrp.projections.pooling import Pooled
from sqlrp.stages import GivenProducts, SignedSums, Stage, SumOfProducts


@dataclass(frozen=True)
class BilinearPooling(Pooled, Seeded):
    """k features of a group of rows: an image by its local descriptors (thesis, ch. 5, app. A).

    Component c is Σ over the rows of a group of Σ_{i<t} K[I[c, 2i]]·K[I[c, 2i+1]]. The products share p signed sums
    K and use them equally often. Then follow sign(z)·√|z| and division by the Euclidean norm (thesis, app. A). With
    `normalise` False the result is the plain sums, times s/√(kt); their inner products estimate
    Σ_{l, l'} ⟨x_l, y_l'⟩².

    Rows of shape (rows, d) become rows of shape (groups, k). The rows' key is the group:
    `Wide("descriptors", key="image")`, in SQL `group_by := 'image'`.

    With `split`, a row holds the descriptors of two networks, of which the first has `split` features. Then one factor
    of each product is of the first and the other of the second (eq. 2.20), and inner products estimate
    Σ_{l, l'} ⟨x_l, y_l'⟩·⟨u_l, v_l'⟩. Two array columns, as in `Array("patches", ["a", "b"])`, are two descriptors, and
    the length of the first is `split`.

    Raises ParameterError for k, t or split < 1, split ≥ d, p < 2t, p > 2tk, s < 1 or a seed outside 0 … 2⁵³-1.

        >>> pooling = sqlrp.BilinearPooling(k=4, s=1, seed=7)
        >>> sqlrp.project(pooling, sqlrp.Wide("points", key="label", features=["a", "b", "c"]), con).num_rows
        2
    """

    p: int | None = None
    t: int = 4
    normalise: bool = True
    split: int | None = None

    function: ClassVar[str] = "cbp_project"
    parameter_help: ClassVar[Mapping[str, str]] = {
        "p": "signed sums that all products share; without it 2k",
        "t": "products summed for a component",
    }

    def check_own(self) -> None:
        """Check t and p."""
        check_whole("t", self.t, 1)
        check_vectors(self.p, 2, self.t, self.k)

    @property
    def n_vectors(self) -> int:
        """The p that is used: the given one, or 2k, limited to 2t … 2tk."""
        return vectors_in_force(self.p, 2, self.t, self.k)

    def resolved(self, n_features: int | None) -> dict[str, Any]:
        """With s as a number, and the p that is used."""
        return super().resolved(n_features) | {"p": self.n_vectors}

    def row_stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """p signed sums, of each descriptor if there are two, and k sums of t products."""
        p, s = self.n_vectors, resolve_s(self.s, n_features)
        products = SumOfProducts(p, self.k, self.t, 2, self.seed)
        if self.split is None:
            return SignedSums(p, s, self.seed), products
        across = GivenProducts(self.k, products.components, products.factors + np.array([0, p]))
        return self.parted(SignedSums(2 * p, s, self.seed), n_features), across

    def row_factor(self, n_features: int | None) -> float:
        """s / √(kt)."""
        return resolve_s(self.s, n_features) / math.sqrt(self.k * self.t)

    stages_in_sql: ClassVar[Mapping[str, str]] = {
        "duckdb": """
        -- k sums of t products of two shared sums, summed over the rows of a group; then signed root and norm. With two descriptors in a
        -- row, the second factors are sums of their own, of the second descriptor.
        CREATE OR REPLACE MACRO sqlrp_cbp_text(products, p, split) AS
          CASE WHEN split IS NULL THEN products ELSE sqlrp_stage('products', products['outputs'], 'SELECT i, c, w, [v[1], v[2] + ' || p || '] AS v FROM ('
            || products['text'] || ') s_', factors := 2, heaviest := products['heaviest'], dense := true) END;

        CREATE OR REPLACE MACRO {{stages}}({{parameters}}, n) AS
          list_transform([sqlrp_shared_sums(p, 2, t, k)], lambda cbp_p: sqlrp_pooled([
              sqlrp_split_sums(sqlrp_signed_sums(CASE WHEN split IS NULL THEN cbp_p ELSE 2 * cbp_p END, sqlrp_s(s, s_type, n), seed), 2 * cbp_p, split, n),
              sqlrp_cbp_text(sqlrp_drawn_products(cbp_p, k, t, 2, seed, true), cbp_p, split)],
            sqlrp_s(s, s_type, n) || ' / sqrt(' || k * t || ')', k, normalise))[1];
        """,  # noqa: E501  # wider than Python
        "postgresql": """
        -- k sums of t products of two shared sums, summed over the rows of a group; then signed root and norm. With two descriptors in a
        -- row, the second factors are sums of their own, of the second descriptor.
        CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
        LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
        DECLARE
          density double precision := sqlrp_s(s, n);
          sums bigint := sqlrp_shared_sums(p, 2, t, k);
          products jsonb := sqlrp_drawn_products(sums, 2, t, k, seed, true);
        BEGIN
          IF split IS NOT NULL THEN
            products := products || jsonb_build_object('text', format('SELECT i, c, w, ARRAY[v[1], v[2] + %s] AS v FROM (%s) own', sums,
              products ->> 'text'));
          END IF;
          RETURN sqlrp_pipeline(ARRAY[sqlrp_split_sums(sqlrp_vectors(n, CASE WHEN split IS NULL THEN sums ELSE 2 * sums END, density, seed), split, n),
            products], CASE WHEN normalise THEN 1 ELSE density / sqrt(CAST(k * t AS double precision)) END, true, normalise);
        END $f$;
        """,  # noqa: E501  # wider than Python
    }
