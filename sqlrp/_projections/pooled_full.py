"""Full bilinear pooling: all products of two features, summed over the descriptors of an image (thesis, 2.5, 5.4.1)."""

from __future__ import annotations

from typing import ClassVar

from sqlrp._core.errors import ParameterError
from sqlrp._core.symbols import present
from sqlrp._core.values import dataclass
from sqlrp._projections.pooling import PooledProjection
from sqlrp._projections.projection import known_features
from sqlrp._stages import Stage, products_of


@dataclass(frozen=True)
class FullBilinearPooling(PooledProjection):
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

    use: ClassVar[str] = "an image from few descriptors, exactly"

    normalise: bool = True
    split: int | None = None

    function: ClassVar[str] = "fbp_project"

    def row_stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The products of all pairs of features."""
        d = known_features(self, n_features)
        split = self.checked_split(d) if present(self.split) else d
        others = d - split if present(self.split) else d
        if self.k != split * others:
            raise ParameterError(
                f"k = {self.k} must be the number of all products of {split} and {others} features: use "
                f"k = {split * others}, or BilinearPooling, which takes any k"
            )
        return (products_of(self.k, 1, lambda c, _: (1, (c // others, d - others + c % others))),)

    def row_factor(self, n_features: int | None) -> float:
        return 1.0
