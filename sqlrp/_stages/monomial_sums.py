"""Weighted sums of all monomials of a degree, of which none is written down."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from sqlrp._core.draw import Ints
from sqlrp._core.errors import LimitError
from sqlrp._core.monomials import monomials, ways
from sqlrp._core.values import dataclass
from sqlrp._stages.products import Products
from sqlrp._stages.stage import Weights
from sqlrp._stages.sums import Linear

MOST_WRITTEN = 5_000_000
"""The largest number of terms of all components that are written out for a database."""


@dataclass(frozen=True)
class MonomialSums(Products):
    """x ↦ K with K[c] = Σ_i w(i, c)·√ways(i)·Π x over all monomials i of the degree (thesis, ch. 3).

    `of` draws w, and ways(i) is the multinomial coefficient. The evaluator computes a few monomials and their weights
    at a time, so it needs no memory for all. A database needs every term.
    """

    n_features: int
    degree: int
    of: Linear

    exact: ClassVar[bool] = False

    @property
    def n(self) -> int:
        """The number of monomials: (d + degree - 1 choose degree)."""
        return math.comb(self.n_features + self.degree - 1, self.degree)

    @property
    def n_outputs(self) -> int:
        """The number of sums."""
        return self.of.n_outputs

    def part(self, begin: int, end: int) -> tuple[Ints, Weights]:
        """The factors of the monomials begin … end - 1, shape (monomials, degree), and their weights."""
        numbers = np.arange(begin, end, dtype=np.int64)
        factors = monomials(numbers, self.n_features, self.degree)
        return factors, self.of.matrix(numbers) * np.sqrt(ways(factors))[:, None]

    def _check_written(self) -> None:
        """Raise LimitError if a database would have to write too many terms."""
        if self.n * self.n_outputs > MOST_WRITTEN:
            raise LimitError(
                f"{self.n:,} monomials for each of k = {self.n_outputs:,} components are more than the "
                f"{MOST_WRITTEN:,} terms that are written for a database: lower k, raise s, or project where Python "
                "evaluates the rows"
            )

    @property
    def components(self) -> Ints:
        self._check_written()
        return np.repeat(np.arange(self.n_outputs, dtype=np.int64), self.n)

    @property
    def factors(self) -> Ints:
        self._check_written()
        return np.tile(self.part(0, self.n)[0], (self.n_outputs, 1))

    @property
    def weights(self) -> Weights:
        self._check_written()
        return self.part(0, self.n)[1].T.reshape(-1)

    @property
    def n_factors(self) -> int:
        return self.degree

    @property
    def most_terms(self) -> int:
        return self.n

    def terms(self, n_features: int) -> float:
        """The factors of every term."""
        return float(self.n * self.n_outputs * self.degree)

    def evaluated_terms(self, n_features: int) -> float:
        """One factor of a matrix product for each weight, as the monomials are multiplied once for all sums."""
        return float(self.n * (self.n_outputs + self.degree))
