"""The algebra: every projection is a short pipeline of these stages, each one line on a vector of features.

A stage knows neither SQL nor a layout; `sqlrp.lower` turns it into SQL and `sqlrp.evaluate` into numpy,
written apart from one another. The vector that enters the pipeline holds the features of a row, known to
the draw by feature numbers (their positions, or hashes of their names); after the first stage that sums,
the entries of a vector are numbered from 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sqlrp.signs import Ints, Purpose, Signs, draw_index_table, draw_signs, thresholds


@dataclass(frozen=True)
class AppendConstant:
    """x ↦ (x, value): the feature that makes a homogeneous kernel inhomogeneous (thesis 4.3.3).

    Its feature number is `signs.CONSTANT_FEATURE`, whatever the number of features.
    """

    value: float


@dataclass(frozen=True)
class SignedSums:
    """x ↦ K with K[c] = Σ_f sign(c, f)·x_f over a drawn ±1/0 table.

    Additions and subtractions only: the aggregate evaluation of Achlioptas 2003.
    """

    n_vectors: int
    s: float
    seed: int
    purpose: Purpose = Purpose.SIGNS

    def matrix(self, features: Ints) -> Signs:
        """The signs over the given feature numbers: int8, shape (number of features, n_vectors)."""
        return draw_signs(features, self.n_vectors, self.s, self.seed, self.purpose)

    @property
    def thresholds(self) -> tuple[int, int]:
        """Below the first the sign is +1, from there to below the second -1, else 0."""
        return thresholds(self.s)


@dataclass(frozen=True)
class SumOfProducts:
    """K ↦ z with z[c] = Σ_{i<t} Π_{j<g} K[I[c, i, j]] over a drawn index table I.

    Thesis eq. 4.10 and Pseudocode 1.
    """

    p: int
    k: int
    t: int
    degree: int
    seed: int
    minimise_repetition: bool = True

    @cached_property
    def table(self) -> Ints:
        """I: int64 of shape (k, t, degree), entries in 0 … p-1."""
        flat = draw_index_table(self.p, self.degree * self.t, self.k, self.seed, self.minimise_repetition)
        return flat.reshape(self.k, self.t, self.degree)


Stage = AppendConstant | SignedSums | SumOfProducts
"""The scale is no stage: it is delayed to the end, as one factor of the projection."""
