"""Compact bilinear pooling (CBP-KRP): one row of features from the local descriptors of an image (thesis, ch. 5)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sqlrp.core.draw import resolve_s
from sqlrp.core.errors import ParameterError
from sqlrp.kernels import Kernel, Polynomial, SumOverPairs
from sqlrp.projections.base import Seeded
from sqlrp.projections.checks import check_vectors, check_whole, vectors_in_force
from sqlrp.projections.polynomial import PolynomialKernelProjection
from sqlrp.stages import Normalise, SignedRoot, SignedSums, Stage, SumOfProducts, SumOverGroup


@dataclass(frozen=True)
class BilinearPooling(Seeded):
    """k features of a group of rows: an image by its local descriptors (thesis, ch. 5, app. A).

    Component c is Σ over the rows of a group of Σ_{i<t} K[I[c, 2i]]·K[I[c, 2i+1]]. The products share p signed sums
    K and use them equally often. Then follow sign(z)·√|z| and division by the Euclidean norm (thesis, app. A). With
    `normalise` False the result is the plain sums, times s/√(kt); their inner products estimate
    Σ_{l, l'} ⟨x_l, y_l'⟩².

    Rows of shape (rows, d) become rows of shape (groups, k). The rows' key is the group:
    `Wide("descriptors", key="image")`, in SQL `group_by := 'image'`.

    Raises ParameterError for k or t < 1, p < 2t, p > 2tk, s < 1 or a seed outside 0 … 2⁵³-1.

        >>> pooling = sqlrp.BilinearPooling(k=4, s=1, seed=7)
        >>> sqlrp.project(pooling, sqlrp.Wide("points", key="label", features=["a", "b", "c"]), con).num_rows
        2
    """

    p: int | None = None
    t: int = 4
    normalise: bool = True

    function: ClassVar[str] = "cbp_project"
    arguments: ClassVar[Mapping[str, str | None]] = {"group_by": None}
    key_argument: ClassVar[str] = "group_by"
    transforms: ClassVar[bool] = False  # it returns one row for many
    parameter_help: ClassVar[Mapping[str, str]] = {
        "p": "signed sums that all products share; without it 2k",
        "t": "products summed for a component",
        "group_by": "the column that names the group of a row, as key does",
        "normalise": "signed root and Euclidean norm 1 at the end",
    }

    def check(self) -> None:
        """Check t, p and normalise."""
        check_whole("t", self.t, 1)
        check_vectors(self.p, 2, self.t, self.k)
        if not isinstance(self.normalise, bool):
            raise ParameterError(f"normalise = {self.normalise!r} must be true or false")

    @property
    def n_vectors(self) -> int:
        """The p that is used: the given one, or 2k, limited to 2t … 2tk."""
        return vectors_in_force(self.p, 2, self.t, self.k)

    def resolved(self, n_features: int | None) -> dict[str, Any]:
        """With s as a number, and the p that is used."""
        return super().resolved(n_features) | {"p": self.n_vectors}

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """p signed sums, k sums of t products, the sum over the group, then the signed root and the norm."""
        closing: tuple[Stage, ...] = (SignedRoot(), Normalise()) if self.normalise else ()
        return (
            SignedSums(self.n_vectors, resolve_s(self.s, n_features), self.seed),
            SumOfProducts(self.n_vectors, self.k, self.t, 2, self.seed),
            SumOverGroup(),
            *closing,
        )

    def factor(self, n_features: int | None) -> float:
        """s / √(kt); 1 if the rows are normalised."""
        return 1.0 if self.normalise else resolve_s(self.s, n_features) / math.sqrt(self.k * self.t)

    def gradient(self, x: npt.NDArray[Any], upstream: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """∂L/∂x of a group's descriptors, from ∂L/∂y of its k pooled sums (thesis, app. B, eq. B.6-7).

        `x`: shape (descriptors, features). `upstream`: shape (k,), the gradient with respect to the plain sums
        (`normalise` False, scale included). Returns an array of the shape of x. The gradient is again a
        signed sum of the vectors: Σ_v r_v·W_v, where W_v is the sum of upstream times the partner's sum over the
        products that contain v.
        """
        d = x.shape[1]
        sums, products = self.stages(d)[:2]
        assert isinstance(sums, SignedSums)
        assert isinstance(products, SumOfProducts)
        signs = sums.matrix(np.arange(d, dtype=np.int64)).astype(np.float64)
        k = x @ signs
        a, b = products.factors.T
        g = upstream[products.components] * resolve_s(self.s, d) / math.sqrt(self.k * self.t)
        w = np.zeros_like(k)
        np.add.at(w.T, a, (k[:, b] * g).T)
        np.add.at(w.T, b, (k[:, a] * g).T)
        return np.asarray(w @ signs.T)

    def kernel(self) -> Kernel:
        """Σ ⟨x_l, y_l'⟩² over the rows of two groups, which the sums before the root and the norm estimate."""
        return SumOverPairs(Polynomial(2))

    def estimating(self) -> BilinearPooling:
        """The plain sums, as the signed root and the norm change inner products."""
        return replace(self, normalise=False)

    def gradient_sums(self) -> PolynomialKernelProjection:
        """The same sums of products for each row, not summed over the group."""
        return PolynomialKernelProjection(k=self.k, s=self.s, seed=self.seed, degree=2, p=self.p, t=self.t)

    stages_in_sql: ClassVar[Mapping[str, str]] = {
        "duckdb": """
        -- k sums of t products of two shared sums, summed over the rows of a group; then signed root and norm.
        CREATE OR REPLACE MACRO {{stages}}({{parameters}}, n) AS
          sqlrp_pipeline([sqlrp_signed_sums(sqlrp_shared_sums(p, 2, t, k), sqlrp_s(s, s_type, n), seed),
              sqlrp_drawn_products(sqlrp_shared_sums(p, 2, t, k), k, t, 2, seed, true), sqlrp_stage('group')]
            || CASE WHEN normalise THEN [sqlrp_stage('root', exact := false), sqlrp_stage('normalise', exact := false)] ELSE [] END,
            CASE WHEN normalise THEN '1' ELSE sqlrp_s(s, s_type, n) || ' / sqrt(' || k * t || ')' END, k, grouped := true);
        """,  # noqa: E501  # wider than Python
        "postgresql": """
        -- k sums of t products of two shared sums, summed over the rows of a group; then signed root and norm.
        CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
        LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
        DECLARE
          density double precision := sqlrp_s(s, n);
          sums bigint := sqlrp_shared_sums(p, 2, t, k);
        BEGIN
          RETURN sqlrp_pipeline(ARRAY[sqlrp_vectors(n, sums, density, seed), sqlrp_drawn_products(sums, 2, t, k, seed, true)],
            CASE WHEN normalise THEN 1 ELSE density / sqrt(CAST(k * t AS double precision)) END, true, normalise);
        END $f$;
        """,  # noqa: E501  # wider than Python
    }
