"""Pooled tensor sketch: one row of features from the local descriptors of an image (thesis, 5.4.1)."""

from __future__ import annotations

from typing import ClassVar

from sqlrp._core.values import dataclass
from sqlrp._projections.pooling import PooledProjection
from sqlrp._projections.projection import DrawnProjection
from sqlrp._projections.tensor_sketch import convolutions
from sqlrp._stages import BlockSums, Stage


@dataclass(frozen=True)
class SketchPooling(PooledProjection, DrawnProjection):
    """Tensor sketches of degree 2, summed over the rows of a group (thesis 5.4.1; Gao et al. 2016).

    A sketch is the circular convolution of two count sketches, which takes k² products in SQL; so it suits small k.
    The rows of a group, `normalise` and `split` are as in `BilinearPooling`. Without `split` and `normalise`, the
    result is the sum of the rows of `TensorSketch`.

    Raises ParameterError for k or split < 1, split ≥ d, or a seed outside 0 … 2⁵³-1.

        >>> pooling = sqlrp.SketchPooling(k=4, seed=7)
        >>> sqlrp.project(pooling, sqlrp.Wide("points", key="label", features=["a", "b", "c"]), con).num_rows
        2
    """

    use: ClassVar[str] = "an image from its descriptors, by few additions"

    normalise: bool = True
    split: int | None = None

    function: ClassVar[str] = "tsp_project"

    def row_stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """Two count sketches, then their convolution."""
        return self.parted(BlockSums(2, self.k, self.seed), n_features), *convolutions(self.k, 2)

    def row_factor(self, n_features: int | None) -> float:
        return 1.0
