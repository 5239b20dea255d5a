"""Polynomial kernel projection (PK-RP): products of precomputed signed sums (thesis, ch. 4, app. A)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from sqlrp.errors import ParameterError, shorten
from sqlrp.projections.base import Seeded, check_whole
from sqlrp.signs import real, resolve_s
from sqlrp.stages import AppendConstant, SignedSums, Stage, SumOfProducts


@dataclass(frozen=True)
class PolynomialKernelProjection(Seeded):
    """k features whose squared distances estimate those of the kernel (⟨x, y⟩ + c)^degree.

    One component is Σ_{i<t} Π_{j<degree} K[I[c, i, j]], where K are p signed sums of the features and I
    picks degree·t distinct ones of them for each component; all times s^{degree/2}/√(kt).

    `p`: how many signed sums are shared (None: 2k, at least degree·t, at most degree·t·k); more is better
    and slower (Tables 4.2-4.3). `t`: how many products are summed; 1-10 serve classification (Table 4.4), 30
    is the value for distances (Table 4.2). `c` ≥ 0 adds the lower degrees, as a feature √c (4.3.3).
    `minimise_repetition` uses every vector equally often (4.4.5). The estimate is unbiased for any p, t, s.

    Raises ParameterError for k, degree, p or t < 1, p < degree·t, p > degree·t·k, s < 1, c < 0 or a seed
    outside 0 … 2⁵³-1.
    """

    degree: int = 2
    p: int | None = None
    t: int = 4
    c: float = 0.0
    minimise_repetition: bool = True

    function: ClassVar[str] = "pk_project"

    def check(self) -> None:
        """Check degree, t, p and c."""
        check_whole("degree", self.degree, 1)
        check_whole("t", self.t, 1)
        low, high = self.degree * self.t, self.degree * self.t * self.k
        if self.p is not None:
            check_whole("p", self.p, 1)
            if self.p < low:
                raise ParameterError(f"p = {self.p} must be at least degree * t = {low}: raise p, or lower t or degree")
            if self.p > high:
                raise ParameterError(
                    f"p = {self.p} must be at most degree * t * k = {high}, all that are used: lower p"
                )
        if not 0 <= real(self.c) < math.inf:
            raise ParameterError(
                f"c = {shorten(self.c)} must be a finite number >= 0: the kernel is (<x, y> + c)^degree"
            )
        if not isinstance(self.minimise_repetition, bool):
            raise ParameterError(f"minimise_repetition = {self.minimise_repetition!r} must be true or false")
        object.__setattr__(self, "c", float(self.c) + 0.0)  # -0.0 becomes 0.0

    @property
    def n_vectors(self) -> int:
        """The p in force: the one given, or 2k within degree·t … degree·t·k."""
        if self.p is not None:
            return self.p
        used = self.degree * self.t
        return min(max(2 * self.k, used), used * self.k)

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """Append √c where c > 0, p signed sums, k sums of t products."""
        s = resolve_s(self.s, n_features)
        constant = (AppendConstant(math.sqrt(self.c)),) if self.c else ()
        return (
            *constant,
            SignedSums(self.n_vectors, s, self.seed),
            SumOfProducts(self.n_vectors, self.k, self.t, self.degree, self.seed, self.minimise_repetition),
        )

    def factor(self, n_features: int | None) -> float:
        """s^{degree/2} / √(kt)."""
        return math.pow(resolve_s(self.s, n_features), self.degree / 2) / math.sqrt(self.k * self.t)

    def kernel(self) -> tuple[int, float]:
        """The degree and c."""
        return self.degree, self.c
