"""A method with two draws and a root between them; `test_new_method.py` copies it into the package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sqlrp._core.draw import resolve_s
from sqlrp._core.symbols import root
from sqlrp._projections.checks import check_whole
from sqlrp._projections.projection import SeededProjection
from sqlrp.kernels import Kernel, Unknown
from sqlrp.stages import SignedRoot, SignedSums, Stage


@dataclass(frozen=True)
class SignedPower(SeededProjection):
    """k signed sums of the signed roots of m signed sums, times 1/√k; their inner products have no known kernel.

    Raises ParameterError for k < 1, m < 1, s < 1, or a seed outside 0 … 2⁵³-1.

        >>> sqlrp.project_vector(sqlrp.SignedPower(k=2, m=3, s=1, seed=7), [1.0, 2.0, 0.0]).round(4)
        array([-2.639 ,  1.2247])
    """

    m: int = 16

    function: ClassVar[str] = "sp_project"
    parameter_help: ClassVar[Mapping[str, str]] = {"m": "signed sums of which the roots are taken"}

    def check(self) -> None:
        """Check m."""
        check_whole("m", self.m, 1)

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """Sums, their signed roots, and sums of these by a second draw."""
        sums = SignedSums(self.m, resolve_s(self.s, n_features), self.seed)
        return sums, SignedRoot(), SignedSums(self.k, 1, self.seed, self.purpose(1))

    def factor(self, n_features: int | None) -> float:
        """1/√k."""
        return 1 / root(self.k)

    def kernel(self) -> Kernel:
        """None is known."""
        return Unknown()
