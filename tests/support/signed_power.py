"""A method with two draws, and a stage of its own with a parameter; `test_new_method.py` copies it into the package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sqlrp._core.draw import resolve_s
from sqlrp._core.symbols import root
from sqlrp._projections.checks import check_positive, check_whole
from sqlrp._projections.projection import SeededProjection, known_features
from sqlrp._stages.formulas import Formula, X, at_least, odd
from sqlrp.kernels import Kernel, Unknown
from sqlrp.stages import Elementwise, NormalSums, SignedRoot, SignedSums, Stage


@dataclass(frozen=True)
class SoftThreshold(Elementwise):
    """v ↦ sign(v)·max(|v| - threshold, 0), then its square with the sign of v."""

    threshold: float

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The threshold, then the square."""
        return odd(at_least(X - self.threshold, 0.0)), X * abs(X)


@dataclass(frozen=True)
class SignedPower(SeededProjection):
    """k normal sums of m signed sums, of which roots, a threshold and squares are taken; no known kernel.

    Raises ParameterError for k < 1, m < 1, threshold <= 0, s < 1, or a seed outside 0 … 2⁵³-1.

        >>> sqlrp.project_vector(sqlrp.SignedPower(k=2, m=3, s=1, seed=7), [1.0, 2.0, 0.0]).round(4)
        array([ 0.0143, -0.5487])
    """

    m: int = 16
    threshold: float = 0.25

    function: ClassVar[str] = "sp_project"
    parameter_help: ClassVar[Mapping[str, str]] = {
        "m": "signed sums",
        "threshold": "the threshold of their roots, above 0",
    }

    def check(self) -> None:
        """Check m and threshold."""
        check_whole("m", self.m, 1)
        check_positive("threshold", self.threshold)

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """Sums, their signed roots, what is above the threshold, and sums of these by a second draw."""
        sums = SignedSums(self.m, resolve_s(self.s, known_features(self, n_features)), self.seed)
        return sums, SignedRoot(), SoftThreshold(self.threshold), NormalSums(self.k, self.seed, self.purpose(1))

    def factor(self, n_features: int | None) -> float:
        """1/√k."""
        return 1 / root(self.k)

    def kernel(self) -> Kernel:
        """None is known."""
        return Unknown()
