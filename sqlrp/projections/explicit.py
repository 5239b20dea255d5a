"""Explicit monomials, then signed sums: φ(x) + RP, the baseline of the thesis, ch. 3."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sqlrp.core.draw import resolve_s
from sqlrp.core.errors import LimitError
from sqlrp.kernels import Kernel, Polynomial
from sqlrp.projections.base import Seeded, known_features
from sqlrp.projections.checks import check_whole
from sqlrp.stages import GivenProducts, SignedSums, Stage

MOST_MONOMIALS = 20_000
"""The largest number of monomials of `ExplicitPolynomialProjection`."""


@dataclass(frozen=True)
class ExplicitPolynomialProjection(Seeded):
    """A sparse projection of all monomials of the degree, written out: φ(x) + RP, the baseline of ch. 3.

    φ contains each monomial once, times the square root of its multinomial coefficient, so that ⟨φ(x), φ(y)⟩ =
    ⟨x, y⟩^degree. s = "sqrt" is the square root of the number of monomials.
    Raises ParameterError for k or degree < 1, s < 1, a seed outside 0 … 2⁵³-1 or an open vocabulary, and
    LimitError for more than 20,000 monomials.

        >>> explicit = sqlrp.ExplicitPolynomialProjection(k=2, degree=2, s=1, seed=7)
        >>> sqlrp.project_vector(explicit, [1.0, 2.0, 4.0]).round(4)
        array([-7.435 , 16.8492])
    """

    degree: int = 2

    function: ClassVar[str] = "ep_project"
    in_postgresql: ClassVar[bool] = True
    parameter_help: ClassVar[Mapping[str, str]] = {"degree": "of the polynomial kernel"}

    def check(self) -> None:
        """Check the degree."""
        check_whole("degree", self.degree, 1)

    def n_monomials(self, n_features: int | None) -> int:
        """The number of monomials: (d + degree - 1 choose degree)."""
        d = known_features(self, n_features)
        n = math.comb(d + self.degree - 1, self.degree)
        if n > MOST_MONOMIALS:
            raise LimitError(
                f"{d} features have {n:,} monomials of degree {self.degree}, more than the {MOST_MONOMIALS:,} that are "
                "written out: use PolynomialKernelProjection, which needs none of them"
            )
        return n

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The monomials, then signed sums of them."""
        n = self.n_monomials(n_features)
        monomials = list(itertools.combinations_with_replacement(range(known_features(self, n_features)), self.degree))
        ways = [math.factorial(self.degree) // math.prod(map(math.factorial, Counter(m).values())) for m in monomials]
        return (
            GivenProducts(n, np.arange(n, dtype=np.int64), np.array(monomials, dtype=np.int64), np.sqrt(ways)),
            SignedSums(self.k, resolve_s(self.s, n), self.seed),
        )

    def factor(self, n_features: int | None) -> float:
        """√(s/k)."""
        return math.sqrt(resolve_s(self.s, self.n_monomials(n_features)) / self.k)

    def kernel(self) -> Kernel:
        """⟨x, y⟩^degree."""
        return Polynomial(self.degree)
