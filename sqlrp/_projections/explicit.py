"""Explicit monomials, then signed sums: φ(x) + RP, the baseline of the thesis, ch. 3."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from sqlrp._core.draw import P, resolve_s
from sqlrp._core.errors import LimitError, shorten
from sqlrp._core.monomials import drawn_terms, monomials, ways
from sqlrp._core.symbols import Symbol, root, stated_call
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import VECTORS_HELP, check_degree, check_vectors_name
from sqlrp._projections.projection import SeededProjection, known_features
from sqlrp._stages import GivenProducts, Linear, MonomialSums, NormalSums, SignedSums, Stage
from sqlrp.kernels import Kernel, Polynomial

MOST_MONOMIALS = 20_000
"""The largest number of monomials that are all written out. Of more, only the drawn ones are."""
MOST_TERMS = 5_000_000
"""The largest number of drawn monomials of all components. Of more, all monomials get a weight."""
MOST_WEIGHTS = 10**11
"""The largest number of weights of all monomials and components, which are drawn for every batch of rows."""
EXACT_DEGREE = 18
"""The highest degree whose factorial is exact as a float, and with it every multinomial coefficient."""


@dataclass(frozen=True)
class ExplicitPolynomialProjection(SeededProjection):
    """A projection of the monomials of the degree: φ(x) + RP, the baseline of ch. 3.

    φ contains each monomial once, times the square root of its multinomial coefficient, so that ⟨φ(x), φ(y)⟩ =
    ⟨x, y⟩^degree. s = "sqrt" is the square root of the number of monomials.

    `vectors` "gaussian" weights the monomials with N(0, 1) numbers instead of signs, without an s.

    Up to 20,000 monomials are written out, then summed with signs. Of more, up to 2³¹-1, each component draws n/s of
    the n monomials with their signs, by their numbers, so that the work is that of the signs that are not 0. If these
    are more than 5,000,000 for all components, or the weights are normal, Python draws the weights of all monomials a
    part at a time, up to 10¹¹ in all, and a database is told them where n·k is at most 5,000,000. The function
    `ep_project` only takes monomials that are written out; `project_with` takes the others, once a projection for that
    number of features is saved.

    Raises ParameterError for k or degree < 1, s < 1, unknown `vectors`, a seed outside 0 … 2⁵³-1 or an open
    vocabulary, and LimitError for more monomials or weights.

        >>> explicit = sqlrp.ExplicitPolynomialProjection(k=2, degree=2, s=1, seed=7)
        >>> sqlrp.project_vector(explicit, [1.0, 2.0, 4.0]).round(4)
        array([-7.435 , 16.8492])
    """

    use: ClassVar[str] = "polynomial kernels of few features, through all products"

    degree: int = 2
    vectors: str = "sign"

    function: ClassVar[str] = "ep_project"
    unstated: ClassVar[Mapping[str, Any]] = {"vectors": "sign"}
    parameter_help: ClassVar[Mapping[str, str]] = {"degree": "of the polynomial kernel", "vectors": VECTORS_HELP}

    def check(self) -> None:
        check_degree(self.degree)
        check_vectors_name(self.vectors)

    def n_monomials(self, n_features: int | None) -> int:
        """The number of monomials: (d + degree - 1 choose degree)."""
        return n_monomials(known_features(self, n_features), self.degree)

    def n_drawn(self, n_features: int | None) -> int:
        """The number of monomials that each component draws: n/s, rounded; 0 where all n have a weight."""
        n = self.n_monomials(n_features)
        # The functions in a database refuse more.
        if isinstance(n, Symbol) or n <= MOST_MONOMIALS or self.vectors == "gaussian":
            return 0
        m = max(round(n / resolve_s(self.s, n)), 1)
        return m if m * self.k <= MOST_TERMS else 0

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The monomials, then sums of them; or the drawn monomials with their signs; or both in one."""
        d = known_features(self, n_features)
        n, m = self.n_monomials(n_features), self.n_drawn(n_features)
        if m:
            numbers, signs = drawn_terms(n, self.k, m, self.seed)
            factors = monomials(numbers.reshape(-1), d, self.degree)
            weights = signs.reshape(-1) * np.sqrt(ways(factors))
            return (GivenProducts(self.k, np.repeat(np.arange(self.k, dtype=np.int64), m), factors, weights),)
        if isinstance(n, Symbol) or n <= MOST_MONOMIALS:
            return all_monomials(n, d, self.degree), self._sums(n)
        if n * self.k > MOST_WEIGHTS:
            raise LimitError(
                f"{n:,} monomials for each of k = {self.k:,} components are more than {MOST_WEIGHTS:,} weights in "
                "all: raise s or lower k, or use PolynomialKernelProjection"
            )
        return (MonomialSums(d, self.degree, self._sums(n)),)

    def _sums(self, n: int) -> Linear:
        if self.vectors == "gaussian":
            return NormalSums(self.k, self.seed)
        return SignedSums(self.k, resolve_s(self.s, n), self.seed)

    def factor(self, n_features: int | None) -> float:
        """√(s/k), where s is n/m if m of n monomials are drawn; 1/√k with normal weights."""
        if self.vectors == "gaussian":
            return 1 / root(self.k)
        n, m = self.n_monomials(n_features), self.n_drawn(n_features)
        return root((n / m if m else resolve_s(self.s, n)) / self.k)

    def composed_in_sql(self, n_features: int | None) -> bool:
        """Whether all monomials are written out."""
        return not (n_features and self.n_monomials(n_features) > MOST_MONOMIALS)

    def sparsity(self, n_features: int) -> float | None:
        """The sparsity of the signs; None for normal weights."""
        return None if self.vectors == "gaussian" else super().sparsity(n_features)

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
