"""Signed sums, their squared length and products of two, side by side: the features of `sqlrp.drift`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

from sqlrp._core.draw import Purpose, Signs, draw_permutation, draw_signs
from sqlrp._core.errors import ParameterError
from sqlrp._core.monomials import monomials
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_whole
from sqlrp._projections.projection import DrawnProjection, known_features
from sqlrp._stages import ONE, Butterfly, GivenProducts, Rescale, Stage, WeightedSums
from sqlrp.kernels import Kernel, Unknown

FAR = 1000.0
"""How many deviations from 0 a mean is far: a sum of such numbers loses three digits of sixteen."""


@dataclass(frozen=True)
class SumsAndProducts(DrawnProjection):
    """The first `sums` of `p` signed sums of the features, the squared length of all p, and products of two of them.

    The p sums are a Hadamard transform of ±x, where p is a power of 2. Of more than p features, each is added to or
    subtracted from one of p entries first. So a row takes d + p·log2 p additions, and every product has products of
    features of all pairs of entries. The p(p + 1)/2 products are linearly independent. `of` makes it for a number of
    features.
    """

    p: int = 32
    sums: int = 31

    function: ClassVar[str] = "project_with"
    own_function: ClassVar[bool] = False
    sums_at_once: ClassVar[bool] = True
    parameter_help: ClassVar[Mapping[str, str]] = {
        "p": "signed sums in all: a power of 2",
        "sums": "signed sums that are components",
    }

    @classmethod
    def of(cls, n_features: int, most: int, seed: int = 0) -> Self:
        """At most `most` components of n_features features: half of them sums, one the length, the others products."""
        half = max(most // 2, 1)
        p = 1 << (min(n_features, max(half, cls.p)) - 1).bit_length()
        sums = min(p, half)
        return cls(k=sums + min(1 + math.comb(p + 1, 2), most - sums), p=p, sums=sums, seed=seed)

    def check(self) -> None:
        check_whole("p", self.p, 1)
        check_whole("sums", self.sums, 1, min(self.p, self.k))
        if self.p & (self.p - 1):
            raise ParameterError(f"p = {self.p} must be a power of 2: use {1 << self.p.bit_length()}")
        if self.k > (most := self.sums + 1 + math.comb(self.p + 1, 2)):
            raise ParameterError(f"k = {self.k} is more than the {most:,} components of p = {self.p} sums: lower k")

    @property
    def parts(self) -> dict[str, int]:
        """How many components are sums, the squared length, and products, in this order; none of 0."""
        length = int(self.k > self.sums)
        found = {"sums": self.sums, "length": length, "products": self.k - self.sums - length}
        return {name: size for name, size in found.items() if size}

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """One sum for each place if there are more features than places, their transform, and the products."""
        d, p = known_features(self, n_features), self.p
        transform = Butterfly(p, tuple(range(p)), self.seed)
        places = () if d <= p else (WeightedSums(self._table(d)),)
        return *places, transform, self._products()

    def after(self, preparation: tuple[Stage, ...], n_features: int | None) -> tuple[Stage, ...]:
        """Of more features than places, offsets are subtracted from the places, which are fewer.

        An offset far from 0 is subtracted from its feature, as the sums would lose digits.
        """
        stages, scaled = self.stages(n_features), preparation[0] if len(preparation) == 1 else None
        first = stages[0]
        if not isinstance(first, WeightedSums) or not isinstance(scaled, Rescale) or scaled.features is not None:
            return *preparation, *stages
        near = np.abs(scaled.offset * scaled.scale) <= FAR
        moved = np.where(near, scaled.offset * scaled.scale, 0.0) @ first.weights
        own = Rescale(np.where(near, 0.0, scaled.offset), scaled.scale)
        return own, first, Rescale(moved, np.ones(self.p)), *stages[1:]

    def _table(self, d: int) -> Signs:
        """The sign of each feature at its place: int8, shape (d, p)."""
        features, table = np.arange(d, dtype=np.int64), np.zeros((d, self.p), dtype=np.int8)
        table[features, features % self.p] = draw_signs(features, 1, 1, self.seed, self.purpose(1))[:, 0]
        return table

    def _products(self) -> GivenProducts:
        p, each = self.p, self.parts
        components = [*range(self.sums), *[self.sums] * (p * each.get("length", 0))]
        alone, squares = np.arange(self.sums), np.arange(p if "length" in each else 0)
        pairs = draw_permutation(math.comb(p + 1, 2), self.seed, Purpose.SUBSPACE)[: each.get("products", 0)]
        factors = [
            np.stack([alone, np.full(len(alone), ONE)], axis=1),
            np.stack([squares, squares], axis=1),
            monomials(np.asarray(pairs), p, 2),
        ]
        components += range(self.sums + 1, self.k)
        return GivenProducts(self.k, np.array(components, dtype=np.int64), np.concatenate(factors).astype(np.int64))

    def factor(self, n_features: int | None) -> float:
        """1: the components have several degrees, and no unit in common."""
        return 1.0

    def kernel(self) -> Kernel:
        """None that is known."""
        return Unknown()


__all__ = ["FAR", "SumsAndProducts"]
