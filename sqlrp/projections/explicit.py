"""Explicit monomials, then signed sums: φ(x) + RP, the baseline of the thesis, ch. 3."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sqlrp.core.draw import P, resolve_s
from sqlrp.core.errors import LimitError, shorten
from sqlrp.core.symbols import Symbol, root, stated_call
from sqlrp.kernels import Kernel, Polynomial
from sqlrp.projections.base import Seeded, known_features
from sqlrp.projections.checks import check_degree
from sqlrp.projections.monomials import drawn_terms, monomials, ways
from sqlrp.stages import GivenProducts, SignedSums, Stage

MOST_MONOMIALS = 20_000
"""The largest number of monomials that are all written out. Of more, only the drawn ones are."""
MOST_TERMS = 5_000_000
"""The largest number of drawn monomials of all components."""
EXACT_DEGREE = 18
"""The highest degree whose factorial is exact as a float, and with it every multinomial coefficient."""


@dataclass(frozen=True)
class ExplicitPolynomialProjection(Seeded):
    """A sparse projection of the monomials of the degree: φ(x) + RP, the baseline of ch. 3.

    φ contains each monomial once, times the square root of its multinomial coefficient, so that ⟨φ(x), φ(y)⟩ =
    ⟨x, y⟩^degree. s = "sqrt" is the square root of the number of monomials.

    Up to 20,000 monomials are written out, then summed with signs. Of more, up to 2³¹-1, each component draws n/s of
    the n monomials with their signs, by their numbers, so that the work is that of the signs that are not 0. The
    function `ep_project` only takes those that are written out; `project_with` takes the others, once a projection for
    that number of features is saved.

    Raises ParameterError for k or degree < 1, s < 1, a seed outside 0 … 2⁵³-1 or an open vocabulary, and
    LimitError for more monomials, or more than 5,000,000 drawn ones.

        >>> explicit = sqlrp.ExplicitPolynomialProjection(k=2, degree=2, s=1, seed=7)
        >>> sqlrp.project_vector(explicit, [1.0, 2.0, 4.0]).round(4)
        array([-7.435 , 16.8492])
    """

    degree: int = 2

    function: ClassVar[str] = "ep_project"
    parameter_help: ClassVar[Mapping[str, str]] = {"degree": "of the polynomial kernel"}

    def check(self) -> None:
        check_degree(self.degree)

    def n_monomials(self, n_features: int | None) -> int:
        """The number of monomials: (d + degree - 1 choose degree)."""
        return n_monomials(known_features(self, n_features), self.degree)

    def n_drawn(self, n_features: int | None) -> int:
        """The number of monomials that each component draws: n/s, rounded; 0 where all n are written out."""
        n = self.n_monomials(n_features)
        if isinstance(n, Symbol) or n <= MOST_MONOMIALS:  # the functions in a database refuse more
            return 0
        m = max(round(n / resolve_s(self.s, n)), 1)
        if m * self.k > MOST_TERMS:
            raise LimitError(
                f"s = {self.s} draws {m:,} of {n:,} monomials for each of k = {self.k:,} components, more than "
                f"{MOST_TERMS:,} in all: raise s, or use PolynomialKernelProjection"
            )
        return m

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The monomials, then signed sums of them; or the drawn monomials with their signs."""
        n, m = self.n_monomials(n_features), self.n_drawn(n_features)
        if m:
            numbers, signs = drawn_terms(n, self.k, m, self.seed)
            factors = monomials(numbers.reshape(-1), known_features(self, n_features), self.degree)
            weights = signs.reshape(-1) * np.sqrt(ways(factors))
            return (GivenProducts(self.k, np.repeat(np.arange(self.k, dtype=np.int64), m), factors, weights),)
        every = all_monomials(n, known_features(self, n_features), self.degree)
        return every, SignedSums(self.k, resolve_s(self.s, n), self.seed)

    def factor(self, n_features: int | None) -> float:
        """√(s/k), where s is n/m if m of n monomials are drawn."""
        n, m = self.n_monomials(n_features), self.n_drawn(n_features)
        return root((n / m if m else resolve_s(self.s, n)) / self.k)

    def composed_in_sql(self, n_features: int | None) -> bool:
        """Whether all monomials are written out."""
        return not (n_features and self.n_drawn(n_features))

    def kernel(self) -> Kernel:
        return Polynomial(self.degree)


@stated_call()
def n_monomials(d: int, degree: int) -> int:
    """The number of monomials of a degree of d features; raises LimitError for more than can be drawn from."""
    n = math.comb(d + degree - 1, degree)
    if n >= P:
        raise LimitError(
            f"{d} features have {shorten(n)} monomials of degree {degree}, more than the {P - 1:,} that can "
            "be drawn from: use PolynomialKernelProjection, which needs none of them"
        )
    return n


@stated_call()
def all_monomials(n: int, d: int, degree: int) -> Stage:
    """All n monomials of d features, each with the square root of its multinomial coefficient."""
    numbers = np.arange(n, dtype=np.int64)
    chosen = monomials(numbers, d, degree)
    if degree <= EXACT_DEGREE:
        weights = np.sqrt(ways(chosen))
    else:
        whole = math.factorial(degree)
        runs = (map(math.factorial, Counter(m).values()) for m in chosen.tolist())
        weights = np.array([math.sqrt(whole // math.prod(run)) for run in runs])
    return GivenProducts(n, numbers, chosen, weights)
