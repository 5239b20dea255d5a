"""The algebra: every projection is a short pipeline of these stages, each one line on a vector of features.

A stage knows neither SQL nor a layout; `sqlrp.lower` turns it into SQL and `sqlrp.evaluate` into numpy,
written apart from one another. The vector that enters the pipeline holds the features of a row, known to
the draw by feature numbers (their positions, or hashes of their names); after the first stage that sums,
the entries of a vector are numbered from 0. The scale is no stage: it is delayed to the end, as one factor
of the projection.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sqlrp.errors import ParameterError
from sqlrp.numbers import Number
from sqlrp.signs import (
    CONSTANT_FEATURE,
    Ints,
    Purpose,
    Signs,
    draw_index_table,
    draw_normals,
    draw_signs,
    hashes,
    thresholds,
)

Weights = npt.NDArray[Any]

ONE = -1
"""An index that stands for the factor 1 in `Products`."""


class Stage(ABC):
    """A map of one vector to another.

    A stage of your own needs a form in a lowering and in `sqlrp.evaluate`; without one it is refused by its name.
    Only sums (`Linear`) and sums of products (`Products`) of your own have forms, which read the tables they give.
    """

    appends: ClassVar[bool] = False
    """whether a constant entry follows the others, which stay as they are"""
    sums: ClassVar[bool] = False
    """whether every new entry is a weighted sum of the old ones"""
    products: ClassVar[bool] = False
    """whether entries are multiplied with one another"""
    groups: ClassVar[bool] = False
    """whether rows of one key become one row"""
    closes: ClassVar[bool] = False
    """whether it acts on finished outputs where it ends a pipeline"""

    @property
    @abstractmethod
    def n_outputs(self) -> int | None:
        """How many entries the vector has afterwards; None where it keeps its number, but for an appended constant."""

    @property
    def exact(self) -> bool:
        """Whether integers stay integers."""
        return True

    @property
    def multiplies(self) -> bool:
        """Whether integers are multiplied, by weights or by one another."""
        return False

    @property
    def widest(self) -> int:
        """How many entries it holds at once while it works, where they are more than before and afterwards."""
        return 0

    def terms(self, n_features: int) -> float:
        """About how many additions and multiplications one row of n_features entries costs."""
        return 0.0

    def plain_terms(self, n_features: int) -> float:
        """The same where no partial sums are shared."""
        return self.terms(n_features)

    def result_type(self, number: Number, n_features: int) -> Number:
        """The kind that holds the new entries exactly; `number`: the exact kind of the n_features old ones."""
        return number

    def numbers(self, before: Ints) -> Ints:
        """The feature numbers of the new entries; `before`: those of the old ones."""
        return before if self.n_outputs is None else np.arange(self.n_outputs, dtype=np.int64)


@dataclass(frozen=True)
class AppendConstant(Stage):
    """x ↦ (x, value): the feature that makes a homogeneous kernel inhomogeneous (thesis 4.3.3).

    Its feature number is `signs.CONSTANT_FEATURE`, whatever the number of features.
    """

    value: float

    n_outputs = None
    appends = True

    @property
    def exact(self) -> bool:
        """Whether the constant is a whole number."""
        return float(self.value).is_integer()

    def result_type(self, number: Number, n_features: int) -> Number:
        """Wide enough for the constant."""
        return replace(number, bits=max(number.bits, int(self.value * 10**number.digits).bit_length()))

    def numbers(self, before: Ints) -> Ints:
        """The constant's feature number follows."""
        return np.append(before, np.int64(CONSTANT_FEATURE))


@dataclass(frozen=True, eq=False)
class Rescale(Stage):
    """x_j ↦ (x_j - offset_j)·scale_j: features prepared by statistics, most often the first stage.

    `features` None: the entries belong to positions. Else to these feature numbers, and a feature that is none of
    them has offset 0 and the scale `other`.
    """

    offset: npt.NDArray[np.float64]
    scale: npt.NDArray[np.float64]
    features: Ints | None = None
    other: float = 1.0

    n_outputs = None
    exact = False

    def of(self, numbers: Ints) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Offset and scale of the given feature numbers; raises ParameterError for a wrong number of positions."""
        if self.features is None:
            if len(numbers) != len(self.scale):
                raise ParameterError(
                    f"the projection's statistics are of {len(self.scale)} features, the source has {len(numbers)}: "
                    "name those in features"
                )
            return self.offset, self.scale
        own = {int(f): j for j, f in enumerate(self.features)}
        at = [own.get(int(number), -1) for number in numbers]
        return np.append(self.offset, 0.0)[at], np.append(self.scale, self.other)[at]

    def terms(self, n_features: int) -> float:
        """Two for an entry."""
        return 2 * n_features


class Linear(Stage):
    """x ↦ K with K[c] = Σ_f w(f, c)·x_f for a table w of weights, most often ±1 and 0.

    With ±1 and 0 nothing is multiplied: the aggregate evaluation of Achlioptas 2003.
    """

    sums = True

    @property
    @abstractmethod
    def n_outputs(self) -> int:
        """One entry a sum."""

    @abstractmethod
    def matrix(self, features: Ints) -> Weights:
        """The weights over the given feature numbers: int8 or float64, shape (number of features, sums)."""

    @abstractmethod
    def terms(self, n_features: int) -> float:
        """How many weights over n_features features are not 0, as expected."""

    @property
    def largest(self) -> int:
        """The largest weight of an exact stage."""
        return 1

    @property
    def signs(self) -> bool:
        """Whether the weights are ±1 and 0, so that nothing is multiplied."""
        return self.exact and self.largest == 1

    @property
    def multiplies(self) -> bool:
        """Whether a weight is larger than 1."""
        return self.largest != 1

    def result_type(self, number: Number, n_features: int) -> Number:
        """Wide enough for the sum of all features and a constant, by the largest weight."""
        return number.summed((n_features + 1) * self.largest)

    @property
    def shareable(self) -> bool:
        """Whether sums may share partial sums: their weights are signs."""
        return self.signs

    @property
    def full(self) -> bool:
        """Whether it is known that no weight is 0."""
        return False


@dataclass(frozen=True)
class SignedSums(Linear):
    """Signed sums over a drawn ±1/0 table, one sign in s not 0."""

    n_vectors: int
    s: float
    seed: int
    purpose: Purpose = Purpose.SIGNS

    @property
    def n_outputs(self) -> int:
        """The sums."""
        return self.n_vectors

    def matrix(self, features: Ints) -> Signs:
        """The signs over the given feature numbers: int8, shape (number of features, n_vectors)."""
        return draw_signs(features, self.n_vectors, self.s, self.seed, self.purpose)

    def terms(self, n_features: int) -> float:
        """One in s."""
        return n_features * self.n_vectors / self.s

    @property
    def thresholds(self) -> tuple[int, int]:
        """Below the first the sign is +1, from there to below the second -1, else 0."""
        return thresholds(self.s)


@dataclass(frozen=True)
class BlockSums(Linear):
    """Every feature goes, with a sign, into one sum of each of `blocks` blocks of `size` sums.

    With one block the count sketch (CW: Clarkson and Woodruff 2013), with more the sparse embedding of Kane
    and Nelson 2014. The entry h of (block, feature) gives the place ⌊h/2⌋ mod size and the sign by h's last bit.
    """

    blocks: int
    size: int
    seed: int

    @property
    def n_outputs(self) -> int:
        """blocks · size."""
        return self.blocks * self.size

    def matrix(self, features: Ints) -> Signs:
        """int8: in every row one ±1 a block."""
        h = hashes(self.seed, Purpose.BLOCKS, np.arange(self.blocks, dtype=np.int64), features)
        out = np.zeros((features.size, self.n_outputs), dtype=np.int8)
        for block in range(self.blocks):
            place = block * self.size + (h[block] >> 1) % self.size
            out[np.arange(features.size), place] = 1 - 2 * (h[block] & 1)
        return out

    def terms(self, n_features: int) -> float:
        """One a block."""
        return n_features * self.blocks


@dataclass(frozen=True)
class NormalSums(Linear):
    """Sums weighted with numbers of the standard normal distribution."""

    n_vectors: int
    seed: int
    exact = False

    @property
    def n_outputs(self) -> int:
        """The sums."""
        return self.n_vectors

    def matrix(self, features: Ints) -> Weights:
        """float64."""
        return draw_normals(features, self.n_vectors, self.seed)

    def terms(self, n_features: int) -> float:
        """All."""
        return n_features * self.n_vectors

    @property
    def full(self) -> bool:
        """A normal number is never 0."""
        return True


@dataclass(frozen=True, eq=False)
class WeightedSums(Linear):
    """Sums with given weights: int8 signs of a tuned table, or floats of a fitted one.

    Where the last row belongs to a constant, `constant` says so: its feature is `signs.CONSTANT_FEATURE`.
    """

    weights: Weights

    @property
    def n_outputs(self) -> int:
        """The columns of the weights."""
        return int(self.weights.shape[1])

    @property
    def exact(self) -> bool:
        """Whether the weights are integers."""
        return self.weights.dtype.kind == "i"

    def matrix(self, features: Ints) -> Weights:
        """The weights; raises ParameterError for another number of features than they were fitted on."""
        if len(features) != len(self.weights):
            raise ParameterError(
                f"the projection was fitted on {len(self.weights)} features, the source has {len(features)}: "
                "name the fitted ones in features"
            )
        return self.weights

    def terms(self, n_features: int) -> float:
        """Those that are not 0."""
        return float(np.count_nonzero(self.weights))

    @property
    def full(self) -> bool:
        """Whether all are other than 0."""
        return bool(self.weights.all())

    @property
    def largest(self) -> int:
        """The largest integer weight."""
        return int(np.abs(self.weights).max(initial=1))


@dataclass(frozen=True)
class Butterfly(Linear):
    """A sample of the Walsh-Hadamard transform of ±x, padded to `padded` = 2^L entries (SVM paper, eq. 10).

    Output c is Σ_f flip(f)·(-1)^popcount(f AND sample[c])·x_f; the inline lowering computes it in L layers of
    sums and differences, only those that the sample needs.
    """

    padded: int
    sample: tuple[int, ...]
    seed: int

    shareable = False  # its layers share by themselves

    @property
    def widest(self) -> int:
        """The entries of a layer."""
        return self.padded

    @property
    def n_outputs(self) -> int:
        """The size of the sample."""
        return len(self.sample)

    def flips(self, features: Ints) -> Signs:
        """The ±1 that each feature is multiplied with before the transform."""
        return draw_signs(features, 1, 1, self.seed, Purpose.FLIPS)[:, 0]

    def matrix(self, features: Ints) -> Signs:
        """int8: ±1 everywhere."""
        shared = np.bitwise_and(features[:, None], np.array(self.sample, dtype=np.int64)[None, :])
        parity = np.bitwise_count(shared) & 1
        return (self.flips(features)[:, None] * (1 - 2 * parity.astype(np.int8))).astype(np.int8)

    def terms(self, n_features: int) -> float:
        """The sums and differences of the layers: at most padded·log2(padded)."""
        return self.padded * math.log2(max(self.padded, 2))

    def plain_terms(self, n_features: int) -> float:
        """A sign for every output and feature."""
        return float(n_features * self.n_outputs)


@dataclass(frozen=True)
class ReflectedPick(Stage):
    """x ↦ d·x_j - 2·Σx for the picked features j: d times Householder's reflection about the diagonal.

    Only the sum and the picked features are computed (random subspace paper, 4.3, Theorem 3). The factor d
    keeps integers exact; the scale takes it back.
    """

    n_features: int
    picked: tuple[int, ...]

    sums = True
    multiplies = True

    @property
    def n_outputs(self) -> int:
        """The picked features."""
        return len(self.picked)

    def matrix(self, features: Ints) -> Ints:
        """The same as weights: int64, shape (number of features, picked)."""
        weights = np.full((len(features), len(self.picked)), -2, dtype=np.int64)
        weights[list(self.picked), np.arange(len(self.picked))] += self.n_features
        return weights

    def terms(self, n_features: int) -> float:
        """The sum, and one for each picked feature."""
        return n_features + self.n_outputs

    def result_type(self, number: Number, n_features: int) -> Number:
        """The weights of a picked feature add up to less than three times their number."""
        return number.summed(3 * n_features)


class Products(Stage):
    """K ↦ z with z[c] = Σ_i w_i·Π_j K[factors[i, j]] over the terms i of component c.

    Terms lie in the order of their components.
    """

    products = True
    multiplies = True

    @property
    @abstractmethod
    def n_outputs(self) -> int:
        """The components."""

    @property
    @abstractmethod
    def components(self) -> Ints:
        """The component of every term, ascending."""

    @property
    @abstractmethod
    def factors(self) -> Ints:
        """The factors of every term: int64, shape (terms, degree), `ONE` where there is none."""

    @property
    def weights(self) -> Weights | None:
        """The weight of every term; None for 1."""
        return None

    @property
    @abstractmethod
    def n_factors(self) -> int:
        """How many factors a term has at most."""

    @property
    def exact(self) -> bool:
        """Whether the weights are integers."""
        return self.weights is None or self.weights.dtype.kind == "i"

    @property
    def most_terms(self) -> int:
        """The weight of the heaviest component: what its sum is bounded by, in products."""
        size = np.ones(len(self.components)) if self.weights is None else np.abs(self.weights)
        return math.ceil(float(np.bincount(self.components, size).max(initial=1)))

    def terms(self, n_features: int) -> float:
        """The factors."""
        return self.factors.size

    def result_type(self, number: Number, n_features: int) -> Number:
        """Wide enough for the heaviest component."""
        return number.multiplied(self.n_factors, self.most_terms)


@dataclass(frozen=True)
class SumOfProducts(Products):
    """K ↦ z with z[c] = Σ_{i<t} Π_{j<g} K[I[c, i, j]] over a drawn index table I.

    Thesis eq. 4.10 and Pseudocode 1.
    """

    p: int
    k: int
    t: int
    degree: int
    seed: int
    minimise_repetition: bool = True

    @property
    def n_outputs(self) -> int:
        """k."""
        return self.k

    @property
    def n_factors(self) -> int:
        """degree."""
        return self.degree

    @cached_property
    def table(self) -> Ints:
        """I: int64 of shape (k, t, degree), entries in 0 … p-1."""
        flat = draw_index_table(self.p, self.degree * self.t, self.k, self.seed, self.minimise_repetition)
        return flat.reshape(self.k, self.t, self.degree)

    @property
    def components(self) -> Ints:
        """t terms each."""
        return np.repeat(np.arange(self.k, dtype=np.int64), self.t)

    @property
    def factors(self) -> Ints:
        """I, flat."""
        return self.table.reshape(-1, self.degree)

    @property
    def most_terms(self) -> int:
        """t."""
        return self.t


@dataclass(frozen=True, eq=False)
class GivenProducts(Products):
    """Sums of products of a given table."""

    n: int
    component: Ints
    factor: Ints
    weight: Weights | None = None

    @property
    def n_outputs(self) -> int:
        """The components."""
        return self.n

    @property
    def components(self) -> Ints:
        """As given."""
        return self.component

    @property
    def factors(self) -> Ints:
        """As given."""
        return self.factor

    @property
    def weights(self) -> Weights | None:
        """As given."""
        return self.weight

    @property
    def n_factors(self) -> int:
        """The columns of the factors."""
        return int(self.factor.shape[1])


@dataclass(frozen=True)
class Power(Stage):
    """v ↦ (v + add)^degree for every entry: a polynomial kernel of inner products."""

    add: float
    degree: int

    n_outputs = None
    exact = False


@dataclass(frozen=True)
class Exponential(Stage):
    """v ↦ exp(v) for every entry: a radial kernel of squared distances."""

    n_outputs = None
    exact = False


@dataclass(frozen=True)
class SumOverGroup(Stage):
    """Rows with one key become one row, the sum of theirs."""

    n_outputs = None
    groups = True
    closes = True

    def result_type(self, number: Number, n_features: int) -> Number:
        """Wide enough for 2³¹ rows."""
        return number.summed(2**31)


@dataclass(frozen=True)
class SignedRoot(Stage):
    """v ↦ sign(v)·√|v| for every entry."""

    n_outputs = None
    exact = False
    closes = True


@dataclass(frozen=True)
class Normalise(Stage):
    """A row divided by its Euclidean norm; a row of zeros stays."""

    n_outputs = None
    exact = False
    closes = True

    def terms(self, n_features: int) -> float:
        """Two for an entry."""
        return 2 * n_features
