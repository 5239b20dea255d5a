"""Stages whose entries are weighted sums of features, most often with the weights ±1 and 0."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np

from sqlrp._core.draw import (
    CONSTANT_FEATURE,
    Ints,
    Purpose,
    Signs,
    check_drawn,
    draw_normals,
    draw_phases,
    draw_signs,
    hashes,
    thresholds,
)
from sqlrp._core.errors import ParameterError
from sqlrp._core.numbers import Number
from sqlrp._core.paley import paley
from sqlrp._core.values import dataclass
from sqlrp._stages.stage import Stage, Weights


class Linear(Stage):
    """x ↦ K with K[c] = Σ_f w(f, c)·x_f for a table w of weights, most often ±1 and 0.

    ±1 and 0 need no multiplications: this is the aggregate evaluation of Achlioptas 2003.
    """

    sums = True

    @property
    @abstractmethod
    def n_outputs(self) -> int:
        """The number of sums."""

    @abstractmethod
    def matrix(self, features: Ints) -> Weights:
        """The weights over the given feature numbers: int8 or float64, shape (number of features, sums)."""

    @abstractmethod
    def terms(self, n_features: int) -> float:
        """The expected number of weights other than 0 for n_features features."""

    @property
    def largest(self) -> int:
        """The largest weight of an exact stage."""
        return 1

    def stated(self, n_features: int) -> float:
        return n_features * self.n_outputs

    def drawn(self, features: Ints) -> WeightedSums:
        """The same sums, with the weights of `matrix`."""
        return WeightedSums(self.matrix(features))

    @property
    def signs(self) -> bool:
        """Whether the weights are ±1 and 0, so that nothing is multiplied."""
        return self.exact and self.largest == 1

    @property
    def multiplies(self) -> bool:
        """Whether a weight is larger than 1."""
        return self.largest != 1

    def result_type(self, number: Number, n_features: int) -> Number:
        """A type wide enough for the sum of all features and a constant, times the largest weight."""
        return number.summed((n_features + 1) * self.largest)

    @property
    def shareable(self) -> bool:
        """Whether sums may share partial sums, which needs weights that are signs."""
        return self.signs


@dataclass(frozen=True)
class SignedSums(Linear):
    """Signed sums over a drawn ±1/0 table, in which one entry in s is not 0.

    Two stages draw the same table unless their seeds or purposes differ: see `Projection.purpose`.
    """

    n_vectors: int
    s: float
    seed: int
    purpose: int = Purpose.SIGNS

    draws_for_any = True

    @property
    def n_outputs(self) -> int:
        return self.n_vectors

    def matrix(self, features: Ints) -> Signs:
        """The signs over the given feature numbers: int8, shape (number of features, n_vectors)."""
        return draw_signs(features, self.n_vectors, self.s, self.seed, self.purpose)

    def terms(self, n_features: int) -> float:
        return n_features * self.n_vectors / self.s

    @property
    def thresholds(self) -> tuple[int, int]:
        """Two thresholds for the hash: the sign is +1 below the first, -1 below the second, and 0 otherwise."""
        return thresholds(self.s)


@dataclass(frozen=True)
class BlockSums(Linear):
    """Sums in `blocks` blocks of `size`: every feature is added to, or subtracted from, one sum of each block.

    One block is the count sketch (CW: Clarkson and Woodruff 2013). More blocks are the sparse embedding of Kane
    and Nelson 2014. The hash h of (block, feature) gives the place ⌊h/2⌋ mod size, and its last bit gives the sign.
    With `buckets`, each feature is in one of them, h of (blocks, feature) mod buckets, and each has its own blocks.
    """

    blocks: int
    size: int
    seed: int
    buckets: int = 1
    purpose: int = Purpose.BLOCKS

    draws_for_any = True

    @property
    def n_outputs(self) -> int:
        return self.buckets * self.blocks * self.size

    def matrix(self, features: Ints) -> Signs:
        """The signs: int8, with one ±1 per row and block."""
        check_drawn(self.n_outputs, features.size, np.int8)
        h = hashes(self.seed, self.purpose, np.arange(self.blocks + 1, dtype=np.int64), features)
        out = np.zeros((features.size, self.n_outputs), dtype=np.int8)
        first = h[self.blocks] % self.buckets * self.blocks
        for block in range(self.blocks):
            place = (first + block) * self.size + (h[block] >> 1) % self.size
            out[np.arange(features.size), place] = 1 - 2 * (h[block] & 1)
        return out

    def terms(self, n_features: int) -> float:
        return n_features * self.blocks


@dataclass(frozen=True)
class SplitSums(Linear):
    """The sums of another stage: the first half only of the features below `split`, and the rest of the others.

    A row holds two descriptors one after the other, and the products of both halves multiply one with the other.
    """

    of: Linear
    split: int

    @property
    def n_outputs(self) -> int:
        return self.of.n_outputs

    @property
    def exact(self) -> bool:
        """Whether those weights are integers."""
        return self.of.exact

    @property
    def largest(self) -> int:
        return self.of.largest

    def matrix(self, features: Ints) -> Weights:
        """Those weights, with 0 for the other part."""
        first = np.arange(self.n_outputs) < self.n_outputs // 2
        return np.where(np.equal.outer(features < self.split, first), self.of.matrix(features), 0)

    def terms(self, n_features: int) -> float:
        """Those of one part for each sum."""
        return self.of.terms(n_features) / 2


@dataclass(frozen=True)
class NormalSums(Linear):
    """Sums weighted with numbers of the standard normal distribution."""

    n_vectors: int
    seed: int
    purpose: int = Purpose.NORMALS
    exact: ClassVar[bool] = False

    @property
    def n_outputs(self) -> int:
        return self.n_vectors

    def matrix(self, features: Ints) -> Weights:
        """The weights: float64, shape (number of features, sums)."""
        return draw_normals(features, self.n_vectors, self.seed, self.purpose)

    def terms(self, n_features: int) -> float:
        return n_features * self.n_vectors

    @property
    def full(self) -> bool:
        """True: a normal number is never 0."""
        return True


@dataclass(frozen=True)
class FourierSums(Linear):
    """⟨w, x⟩ + b for normal weights of standard deviation `width`, and angles b between 0 and 2π.

    The angles are the weights of a constant 1, which must be appended before (Rahimi and Recht 2007, algorithm 1).
    """

    n_vectors: int
    width: float
    seed: int
    exact: ClassVar[bool] = False

    @property
    def n_outputs(self) -> int:
        """n_vectors."""
        return self.n_vectors

    def matrix(self, features: Ints) -> Weights:
        """The weights: float64, shape (number of features, sums)."""
        weights = self.width * draw_normals(features, self.n_vectors, self.seed)
        weights[features == CONSTANT_FEATURE] = draw_phases(self.n_vectors, self.seed)
        return weights

    def terms(self, n_features: int) -> float:
        """All weights."""
        return n_features * self.n_vectors

    @property
    def full(self) -> bool:
        """True: neither a normal number nor an angle is ever 0."""
        return True


@dataclass(frozen=True, eq=False)
class WeightedSums(Linear):
    """Sums with given weights: int8 signs of a tuned table, or floats of a fitted one.

    `constant` is True if the last row belongs to a constant, whose feature number is `signs.CONSTANT_FEATURE`.
    """

    weights: Weights

    @property
    def n_outputs(self) -> int:
        """The number of columns of the weights."""
        return int(self.weights.shape[1])

    @property
    def n_inputs(self) -> int:
        return len(self.weights)

    @property
    def exact(self) -> bool:
        """Whether the weights are integers."""
        return self.weights.dtype.kind == "i"

    def matrix(self, features: Ints) -> Weights:
        """The weights; raises ParameterError unless the number of features is the one they were fitted on."""
        if len(features) != len(self.weights):
            raise ParameterError(
                f"the projection was fitted on {len(self.weights)} features, the source has {len(features)}: "
                "name the fitted ones in features"
            )
        return self.weights

    def terms(self, n_features: int) -> float:
        """The number of weights other than 0."""
        return float(np.count_nonzero(self.weights))

    @property
    def full(self) -> bool:
        return bool(self.weights.all())

    @property
    def largest(self) -> int:
        """The largest integer weight."""
        return int(np.abs(self.weights).max(initial=1))


@dataclass(frozen=True)
class Butterfly(Linear):
    """A sample of a Hadamard transform of ±x, padded to `padded` = block·2^b entries (SVM paper, eq. 10).

    Entry i of the transform has the block's row ⌊i/2^b⌋ and Sylvester's row i mod 2^b. Output c is
    Σ_f flip(f)·P[⌊j/2^b⌋, ⌊f/2^b⌋]·(-1)^popcount(f AND j AND (2^b - 1))·x_f for j = sample[c], where P is Paley's
    matrix of order `block`, or 1. The inline lowering computes it in layers of sums and differences, and writes only
    those that the sample needs.
    """

    padded: int
    sample: tuple[int, ...]
    seed: int
    block: int = 1

    shareable = False  # its layers share partial sums already

    @property
    def widest(self) -> int:
        """The number of entries of a layer."""
        return self.padded

    @property
    def n_outputs(self) -> int:
        return len(self.sample)

    @property
    def part(self) -> int:
        """2^b, the length of the butterflies within each part of the entries."""
        return self.padded // self.block

    @property
    def signs_of_parts(self) -> Signs:
        """The signs that the sums of the parts are added up with: int8, shape (block, block)."""
        return np.ones((1, 1), dtype=np.int8) if self.block == 1 else paley(self.block)

    def flips(self, features: Ints) -> Signs:
        """The ±1 that each feature is multiplied with before the transform."""
        return draw_signs(features, 1, 1, self.seed, Purpose.FLIPS)[:, 0]

    def matrix(self, features: Ints) -> Signs:
        sample = np.array(self.sample, dtype=np.int64)
        shared = np.bitwise_and(features[:, None], (sample & (self.part - 1))[None, :])
        parity = np.bitwise_count(shared) & 1
        signs = (self.flips(features)[:, None] * (1 - 2 * parity.astype(np.int8))).astype(np.int8)
        if self.block > 1:
            # A constant's feature number is beyond the parts, and any one of them will do.
            signs *= self.signs_of_parts.T[np.ix_(features // self.part % self.block, sample // self.part)]
        return np.asarray(signs)

    def terms(self, n_features: int) -> float:
        """About the number of sums and differences in the layers: at most padded·log2(padded) without a block.

        The parts' sums share partial sums of 2 and then 4 parts, so an entry takes 1 + 2 + (block/4 - 1) of them.
        """
        if self.block == 1:
            return self.padded * math.log2(max(self.padded, 2))
        return self.padded * (math.log2(self.part) + 2 + self.block / 4)

    def plain_terms(self, n_features: int) -> float:
        """One per output and feature."""
        return float(n_features * self.n_outputs)

    def evaluated_terms(self, n_features: int) -> float:
        return self.terms(n_features)


@dataclass(frozen=True)
class ReflectedPick(Stage):
    """x ↦ d·x_j - 2·Σx for the picked features j: d times Householder's reflection about the diagonal.

    Only the sum and the picked features are computed (random subspace paper, 4.3, Theorem 3). The factor d
    keeps integers exact. The scale divides by it again.
    """

    n_features: int
    picked: tuple[int, ...]

    sums = True
    multiplies = True

    @property
    def n_outputs(self) -> int:
        """The number of picked features."""
        return len(self.picked)

    def matrix(self, features: Ints) -> Ints:
        """The same map as weights: int64, shape (number of features, picked)."""
        weights = np.full((len(features), len(self.picked)), -2, dtype=np.int64)
        weights[list(self.picked), np.arange(len(self.picked))] += self.n_features
        return weights

    def terms(self, n_features: int) -> float:
        """The sum, and one term for each picked feature."""
        return n_features + self.n_outputs

    def result_type(self, number: Number, n_features: int) -> Number:
        """A type wide enough: the weights of an output add up to less than three times the number of features."""
        return number.summed(3 * n_features)
