"""Random Maclaurin features (RM): products of dense signed sums (thesis, 5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sqlrp._core.symbols import root
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_degree
from sqlrp._projections.projection import DrawnProjection
from sqlrp._stages import SignedSums, Stage, products_of, run
from sqlrp.kernels import Kernel, Polynomial


@dataclass(frozen=True)
class RandomMaclaurin(DrawnProjection):
    """k products of `degree` dense signed sums, times 1/√k; no two products share a sum (thesis 5.2).

    Inner products estimate ⟨x, y⟩^degree without bias. It is PK-RP with t = 1, p = degree·k and s = 1.
    Raises ParameterError for k or degree < 1, or a seed outside 0 … 2⁵³-1.

        >>> sqlrp.project_vector(sqlrp.RandomMaclaurin(k=3, degree=2, seed=7), [1.0, 2.0, 4.0]).round(4)
        array([  2.8868, -20.2073,  28.2902])
    """

    use: ClassVar[str] = "polynomial kernels; the baseline that shares no sums"

    degree: int = 2

    function: ClassVar[str] = "rm_project"
    parameter_help: ClassVar[Mapping[str, str]] = {"degree": "of the polynomial kernel"}

    def check(self) -> None:
        check_degree(self.degree)

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """degree·k signed sums, then k products of `degree` sums each."""
        own = products_of(self.k, 1, lambda c, _: (1, run(c * self.degree, self.degree)))
        return SignedSums(self.k * self.degree, 1, self.seed), own

    def factor(self, n_features: int | None) -> float:
        return 1 / root(self.k)

    def kernel(self) -> Kernel:
        return Polynomial(self.degree)
