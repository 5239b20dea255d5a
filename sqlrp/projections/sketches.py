"""The polynomial-kernel features that the thesis compares with (5.2; ch. 3): RM, TS, explicit monomials."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sqlrp.core.draw import resolve_s
from sqlrp.core.errors import LimitError
from sqlrp.kernels import Kernel, Polynomial
from sqlrp.projections.base import Drawn, Seeded, check_whole, known_features
from sqlrp.stages import ONE, BlockSums, GivenProducts, SignedSums, Stage

MOST_MONOMIALS = 20_000
"""How many monomials `ExplicitPolynomialProjection` writes out."""


@dataclass(frozen=True)
class RandomMaclaurin(Drawn):
    """k products of `degree` dense signed sums, each with vectors of its own, times 1/√k (thesis 5.2).

    Inner products estimate ⟨x, y⟩^degree without bias. It is PK-RP with t = 1, p = degree·k and s = 1.
    Raises ParameterError for k or degree < 1, or a seed outside 0 … 2⁵³-1.
    """

    degree: int = 2

    function: ClassVar[str] = "rm_project"

    def check(self) -> None:
        """Check the degree."""
        check_whole("degree", self.degree, 1)

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """degree·k signed sums, and their products by the degree."""
        own = np.arange(self.k * self.degree, dtype=np.int64).reshape(self.k, self.degree)
        return (
            SignedSums(own.size, 1, self.seed),
            GivenProducts(self.k, np.arange(self.k, dtype=np.int64), own),
        )

    def factor(self, n_features: int | None) -> float:
        """1/√k."""
        return 1 / math.sqrt(self.k)

    def kernel(self) -> Kernel:
        """⟨x, y⟩^degree."""
        return Polynomial(self.degree)


@dataclass(frozen=True)
class TensorSketch(Drawn):
    """The circular convolution of `degree` count sketches of length k (Pham and Pagh 2013; thesis 5.2).

    Inner products estimate ⟨x, y⟩^degree without bias. Written out, as here, a convolution takes k² products
    where a Fourier transform takes k·log k: for small k.
    Raises ParameterError for k or degree < 1, or a seed outside 0 … 2⁵³-1.
    """

    degree: int = 2

    function: ClassVar[str] = "ts_project"

    def check(self) -> None:
        """Check the degree."""
        check_whole("degree", self.degree, 1)

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """One block of sums a sketch, then their convolution."""
        return BlockSums(self.degree, self.k, self.seed), *convolutions(self.k, self.degree)

    def factor(self, n_features: int | None) -> float:
        """1."""
        return 1.0

    def kernel(self) -> Kernel:
        """⟨x, y⟩^degree."""
        return Polynomial(self.degree)


def convolutions(k: int, degree: int) -> list[Stage]:
    """The circular convolution of `degree` vectors of length k that lie side by side.

    They are convolved one after another, those to come carried along.
    """
    c, i = (a.reshape(-1) for a in np.meshgrid(np.arange(k), np.arange(k), indexing="ij"))
    pairs = np.stack([i, k + (c - i) % k], axis=1)
    stages: list[Stage] = []
    for left in range(degree - 2, -1, -1):
        kept = np.arange(left * k)
        carried = np.stack([2 * k + kept, np.full(left * k, ONE)], axis=1)
        stages.append(
            GivenProducts(
                (left + 1) * k,
                np.concatenate([c, k + kept]).astype(np.int64),
                np.concatenate([pairs, carried]).astype(np.int64),
            )
        )
    return stages


@dataclass(frozen=True)
class ExplicitPolynomialProjection(Seeded):
    """A sparse projection of all monomials of the degree, written out: φ(x) + RP, the baseline of ch. 3.

    φ holds each monomial once, times the root of its multinomial coefficient, so that ⟨φ(x), φ(y)⟩ =
    ⟨x, y⟩^degree; s = "sqrt" is the root of their number.
    Raises ParameterError for k or degree < 1, s < 1, a seed outside 0 … 2⁵³-1 or an open vocabulary, and
    LimitError for more than 20,000 monomials.
    """

    degree: int = 2

    function: ClassVar[str] = "ep_project"

    def check(self) -> None:
        """Check the degree."""
        check_whole("degree", self.degree, 1)

    def n_monomials(self, n_features: int | None) -> int:
        """(d + degree - 1 choose degree)."""
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
