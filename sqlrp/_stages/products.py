"""Stages whose entries are sums of products."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from sqlrp._core.draw import Ints, check_drawn, draw_index_table
from sqlrp._core.numbers import Number
from sqlrp._core.symbols import Symbol
from sqlrp._core.values import dataclass
from sqlrp._stages.stage import Stage, Weights

ONE = -1
"""The index that means the factor 1 in `Products`."""


class Products(Stage):
    """K ↦ z with z[c] = Σ_i w_i·Π_j K[factors[i, j]] over the terms i of component c.

    Terms are sorted by their component.
    """

    products = True
    multiplies = True

    @property
    @abstractmethod
    def n_outputs(self) -> int:
        """The number of components."""

    @property
    @abstractmethod
    def components(self) -> Ints:
        """The component of every term, ascending."""

    @property
    @abstractmethod
    def factors(self) -> Ints:
        """The factors of every term: int64, shape (terms, degree), `ONE` if a factor is missing."""

    @property
    def weights(self) -> Weights | None:
        """The weight of every term; None if all are 1."""
        return None

    @property
    @abstractmethod
    def n_factors(self) -> int:
        """The largest number of factors in a term."""

    @property
    def exact(self) -> bool:
        """Whether the weights are integers."""
        return self.weights is None or self.weights.dtype.kind == "i"

    @property
    def most_terms(self) -> int:
        """The largest total weight of a component: its sum is at most that many times the largest product."""
        size = np.ones(len(self.components)) if self.weights is None else np.abs(self.weights)
        return math.ceil(float(np.bincount(self.components, size).max(initial=1)))

    def terms(self, n_features: int) -> float:
        return self.factors.size

    def result_type(self, number: Number, n_features: int) -> Number:
        """A type wide enough for the component with the largest total weight."""
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
        return self.k

    @property
    def n_factors(self) -> int:
        return self.degree

    @cached_property
    def table(self) -> Ints:
        """I: int64 of shape (k, t, degree), entries in 0 … p-1."""
        flat = draw_index_table(self.p, self.degree * self.t, self.k, self.seed, self.minimise_repetition)
        return flat.reshape(self.k, self.t, self.degree)

    @property
    def components(self) -> Ints:
        return np.repeat(np.arange(self.k, dtype=np.int64), self.t)

    @property
    def factors(self) -> Ints:
        """I, reshaped to one row per term."""
        return self.table.reshape(-1, self.degree)

    @property
    def most_terms(self) -> int:
        return self.t


@dataclass(frozen=True, eq=False)
class GivenProducts(Products):
    """Sums of products with given factors and weights."""

    n: int
    component: Ints
    factor: Ints
    weight: Weights | None = None

    @property
    def n_outputs(self) -> int:
        return self.n

    @property
    def components(self) -> Ints:
        return self.component

    @property
    def factors(self) -> Ints:
        return self.factor

    @property
    def weights(self) -> Weights | None:
        return self.weight

    @property
    def n_factors(self) -> int:
        """The number of columns of the factors."""
        return int(self.factor.shape[1])


@dataclass(frozen=True)
class Convolved(Products):
    """The circular convolution of the first two of `vectors` vectors of `size` entries; the others pass unchanged.

    Entry c of the convolution of a and b is Σ_i a[i]·b[(c - i) mod size] (Pham and Pagh 2013, section 3).
    """

    size: int
    vectors: int

    @property
    def n_outputs(self) -> int:
        return self.size * (self.vectors - 1)

    @property
    def n_factors(self) -> int:
        return 2

    @cached_property
    def components(self) -> Ints:
        """Each entry of the convolution `size` times, then the passed entries."""
        entries, others = self.size, self.size * (self.vectors - 2)
        return np.concatenate([np.repeat(np.arange(entries), self.size), entries + np.arange(others)]).astype(np.int64)

    @cached_property
    def factors(self) -> Ints:
        """The pairs of each entry of the convolution; a passed entry has one factor."""
        check_drawn(self.size, self.size, np.int64)
        k, kept = self.size, np.arange(self.size * (self.vectors - 2))
        c, i = (a.reshape(-1) for a in np.meshgrid(np.arange(k), np.arange(k), indexing="ij"))
        pairs = np.stack([i, k + (c - i) % k], axis=1)
        return np.concatenate([pairs, np.stack([2 * k + kept, np.full(len(kept), ONE)], axis=1)]).astype(np.int64)

    @property
    def most_terms(self) -> int:
        """One for each entry of a vector."""
        return self.size

    def terms(self, n_features: int) -> float:
        """Two factors for each pair and each passed entry."""
        return 2.0 * (self.size**2 + self.size * (self.vectors - 2))

    def evaluated_terms(self, n_features: int) -> float:
        """About eight per entry and bit of the size, by Fourier transforms."""
        return float(self.size * min(2 * self.size, 8 * self.size.bit_length()))


def products_of(k: int, t: int, rule: Callable[[Any, Any], tuple[Any, Any]]) -> Products:
    """Sums of t products for each of k components, by a rule.

    `rule` takes the component and the number of the product in it, as arrays, and returns the weight and the factors: a
    tuple of numbers of entries, or a `run` of them. With symbols it is an expression for the functions in a database.
    """
    if isinstance(k, Symbol) or isinstance(t, Symbol):
        weight, factors = rule(
            Symbol("row", ("c",)), 0 if t == 1 and not isinstance(t, Symbol) else Symbol("row", ("j",))
        )
        return Symbol("products_of", (k, t, weight, factors))  # type: ignore[return-value]  # in place of a stage
    c, j = np.repeat(np.arange(k, dtype=np.int64), t), np.tile(np.arange(t, dtype=np.int64), k)
    weight, factors = rule(c, j)
    columns = np.stack(np.broadcast_arrays(*factors), axis=1) if isinstance(factors, tuple) else factors
    return GivenProducts(k, c, columns.astype(np.int64), None if isinstance(weight, int) else weight)


def run(first: Any, length: int) -> Any:
    """`length` entries from `first` on, as the factors of a product."""
    if isinstance(first, Symbol):
        return Symbol("run", (first, length))
    return first[:, None] + np.arange(length)
