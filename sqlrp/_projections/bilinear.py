"""Compact bilinear pooling (CBP-KRP): one row of features from the local descriptors of an image (thesis, ch. 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from sqlrp._core.draw import resolve_s
from sqlrp._core.symbols import present, root, stated_call
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_vectors, check_whole, vectors_in_force
from sqlrp._projections.pooling import PooledProjection
from sqlrp._projections.projection import SeededProjection
from sqlrp._stages import GivenProducts, SignedSums, Stage, SumOfProducts


@dataclass(frozen=True)
class BilinearPooling(PooledProjection, SeededProjection):
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

    Raises ParameterError for k, t or split < 1, split ≥ d, p < 2t, s < 1 or a seed outside 0 … 2⁵³-1.

        >>> pooling = sqlrp.BilinearPooling(k=4, s=1, seed=7)
        >>> sqlrp.project(pooling, sqlrp.Wide("points", key="label", features=["a", "b", "c"]), con).num_rows
        2
    """

    use: ClassVar[str] = "an image from its local descriptors"

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
        if not present(self.split):
            return SignedSums(p, s, self.seed), products
        return self.parted(SignedSums(2 * p, s, self.seed), n_features), products_across(products, p)

    def row_factor(self, n_features: int | None) -> float:
        return resolve_s(self.s, n_features) / root(self.k * self.t)


@stated_call()
def products_across(products: SumOfProducts, p: int) -> Stage:
    """The products with their second factor from another p sums."""
    return GivenProducts(products.k, products.components, products.factors + np.array([0, p]))
