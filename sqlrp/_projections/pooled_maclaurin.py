"""Pooled random Maclaurin features: one row of features from the local descriptors of an image (thesis, 5.4.1)."""

from __future__ import annotations

from typing import ClassVar

from sqlrp._core.symbols import present, root
from sqlrp._core.values import dataclass
from sqlrp._projections.pooling import PooledProjection
from sqlrp._projections.projection import DrawnProjection
from sqlrp._stages import SignedSums, Stage, products_of


@dataclass(frozen=True)
class MaclaurinPooling(PooledProjection, DrawnProjection):
    """Random Maclaurin features of degree 2, summed over the rows of a group (thesis 5.4.1).

    No two products share a sum, and the signs are dense (s = 1), so it takes more additions than `BilinearPooling`.
    The rows of a group, `normalise` and `split` are as in `BilinearPooling`. Without `split` and `normalise`, the
    result is the sum of the rows of `RandomMaclaurin`.

    Raises ParameterError for k or split < 1, split ≥ d, or a seed outside 0 … 2⁵³-1.

        >>> pooling = sqlrp.MaclaurinPooling(k=4, seed=7)
        >>> sqlrp.project(pooling, sqlrp.Wide("points", key="label", features=["a", "b", "c"]), con).num_rows
        2
    """

    use: ClassVar[str] = "an image from its descriptors; the simplest baseline"

    normalise: bool = True
    split: int | None = None

    function: ClassVar[str] = "rmp_project"

    def row_stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """2k signed sums, then k products of two."""
        k = self.k
        across = present(self.split)
        pairs = products_of(k, 1, lambda c, _: (1, (c, c + k) if across else (2 * c, 2 * c + 1)))
        sums = self.parted(SignedSums(2 * k, 1, self.seed), n_features)
        return sums, pairs

    def row_factor(self, n_features: int | None) -> float:
        return 1 / root(self.k)
