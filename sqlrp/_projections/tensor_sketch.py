"""Tensor sketch (TS): the circular convolution of count sketches (Pham and Pagh 2013; thesis, 5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sqlrp._core.symbols import stated_call
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_degree
from sqlrp._projections.projection import DrawnProjection
from sqlrp._stages import BlockSums, Convolved, Stage
from sqlrp.kernels import Kernel, Polynomial


@dataclass(frozen=True)
class TensorSketch(DrawnProjection):
    """The circular convolution of `degree` count sketches of length k (Pham and Pagh 2013; thesis 5.2).

    Inner products estimate ⟨x, y⟩^degree without bias. The SQL writes out the convolution, which takes k² products, or
    about k^1.6 in DuckDB from k = 24 on. A Fourier transform takes k·log k, so SQL suits small k.
    Raises ParameterError for k or degree < 1, or a seed outside 0 … 2⁵³-1.

        >>> sqlrp.project_vector(sqlrp.TensorSketch(k=4, degree=2, seed=7), [1.0, 2.0, 4.0])
        array([  4., -15.,   4.,   2.])
    """

    use: ClassVar[str] = "polynomial kernels of many features, by few additions"

    degree: int = 2

    function: ClassVar[str] = "ts_project"
    parameter_help: ClassVar[Mapping[str, str]] = {"degree": "of the polynomial kernel"}

    def check(self) -> None:
        check_degree(self.degree)

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """One block of sums per sketch, then their convolution."""
        return BlockSums(self.degree, self.k, self.seed), *convolutions(self.k, self.degree)

    def factor(self, n_features: int | None) -> float:
        return 1.0

    def kernel(self) -> Kernel:
        return Polynomial(self.degree)


@stated_call()
def convolutions(k: int, degree: int) -> list[Stage]:
    """The circular convolution of `degree` vectors of length k, given side by side.

    Each stage convolves one more vector, and passes the remaining vectors on unchanged.
    """
    return [Convolved(k, vectors) for vectors in range(degree, 1, -1)]
