"""Operations: the stages of a projection with their tables drawn, ready to run on tiles.

A tile holds one entry of many rows side by side: shape (entries, rows). An operation has no reference to its stage,
only to numpy arrays. Each runs in numpy, and most as code of the native library, too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import Ints
from sqlrp._evaluator.code import APPEND, CAST, CONVOLVE, PRODUCTS, TILES, TYPES, Codes, code, number

Tile = npt.NDArray[Any]
"""Shape (entries, rows)."""

_FEW = 32
"""The largest length of vectors whose convolution is faster without a Fourier transform."""
_CHUNK = 1 << 20
"""The largest number of entries of an intermediate product in numpy."""


class Operation(ABC):
    """A map from tiles to tiles."""

    in_place: ClassVar[bool] = False
    """whether the result takes the place of the entries, so that `out` is `x`"""
    groups: ClassVar[bool] = False
    """whether rows are summed, which happens between tiles"""
    draws: ClassVar[bool] = False
    """whether it draws its weights for every tile, so that large tiles are faster"""
    exact: bool = False
    """whether its results are whole numbers, which stay exact"""
    n_outputs: int
    terms: float = 0.0
    """the approximate number of additions and multiplications for one row"""

    @abstractmethod
    def apply(self, x: Tile, n: int, out: Tile, at: int, native: Any) -> None:
        """Read the first n rows of `x` and write the rows from `at` on of `out`.

        `native`: the module `sqlrp._evaluator.native_calls`, or None.
        """

    def codes(self, dtype: Any) -> Codes | None:
        """The operation on entries of a type, for the native library; None if numpy computes it faster, or alone."""
        return None

    def by_blas(self, dtype: Any, native: Any) -> bool:
        """Whether it multiplies matrices, so that large tiles are faster, and BLAS itself uses all cores."""
        return False


class InPlace(Operation):
    """An operation on single entries or single rows, whose result takes the place of the entries."""

    in_place = True

    def __init__(
        self, n: int, change: Callable[[Tile], None], coded: Callable[[Any], Codes | None] | None = None
    ) -> None:
        """`change`: changes a tile of n entries. `coded`: the code of the change, if it has one, for a type."""
        self.n_outputs, self.change, self.coded, self.terms = n, change, coded, float(n)

    def codes(self, dtype: Any) -> Codes | None:
        """The code of the change."""
        return self.coded(dtype) if self.coded is not None and dtype in TILES else None

    def apply(self, x: Tile, n: int, out: Tile, at: int, native: Any) -> None:
        """Change the rows of `out`, which is `x`."""
        self.change(out[:, at : at + n])


class TileFunction(Operation):
    """An operation that computes a new tile from the old one with numpy."""

    def __init__(self, n: int, value: Callable[[Tile], Tile], to: Any = None) -> None:
        """`value`: the new tile of n entries. `to`: the type of its numbers, if it has the same ones."""
        self.n_outputs, self.value, self.to, self.terms = n, value, to, float(n)

    def codes(self, dtype: Any) -> Codes | None:
        """The code of a change of type."""
        return [code(CAST, TYPES[self.to])] if self.to in TILES and dtype in TILES else None

    def apply(self, x: Tile, n: int, out: Tile, at: int, native: Any) -> None:
        """Write the new tile."""
        out[:, at : at + n] = self.value(x[:, :n])


class ConstantEntry(Operation):
    """The entries and a constant."""

    def __init__(self, n: int, value: float) -> None:
        """n entries become n + 1."""
        self.value, self.n_outputs, self.terms = value, n + 1, float(n)

    def apply(self, x: Tile, n: int, out: Tile, at: int, native: Any) -> None:
        """Copy the entries."""
        out[:-1, at : at + n] = x[:, :n]
        out[-1, at : at + n] = int(self.value) if x.dtype.kind in "iO" else self.value

    def codes(self, dtype: Any) -> Codes | None:
        """Append the constant."""
        return [code(APPEND, number(self.value, dtype))] if dtype in TILES else None


class GroupSum(Operation):
    """The sum of all rows of a group. `sqlrp._evaluator.tiles` adds them up between tiles."""

    groups = True

    def __init__(self, n: int) -> None:
        """n entries stay n entries."""
        self.n_outputs, self.terms = n, float(n)

    def apply(self, x: Tile, n: int, out: Tile, at: int, native: Any) -> None:
        """Groups are summed between tiles."""
        raise TypeError("rows of a group are summed between tiles")


class ProductSums(Operation):
    """out[c] = Σ_i weight[i]·Π_j x[factors[i, j]] over the terms i of component c; -1 is the factor 1."""

    def __init__(self, n: int, components: Ints, factors: Ints, weights: npt.NDArray[Any] | None) -> None:
        """`components`: ascending, one for each term. `factors`: shape (terms, degree)."""
        self.n_outputs = n
        self.start = np.searchsorted(components, np.arange(n + 1)).astype(np.int64)
        self.factors = np.ascontiguousarray(factors, dtype=np.int32)
        self.weights = weights
        self.terms = float(factors.size)

    def apply(self, x: Tile, n: int, out: Tile, at: int, native: Any) -> None:
        """Multiply and add."""
        part, step = x[:, :n], max(_CHUNK // max(n, 1), 1)
        first = 0
        while first < self.n_outputs:
            last = max(int(np.searchsorted(self.start, self.start[first] + step, "right")) - 1, first + 1)
            out[first:last, at : at + n] = self._summed(part, first, min(last, self.n_outputs))
            first = last

    def codes(self, dtype: Any) -> Codes | None:
        """The terms, one by one."""
        if dtype not in TILES:
            return None
        weights = () if self.weights is None else (self.weights.astype(dtype),)
        head = self.factors.shape[1], len(weights), self.n_outputs, len(self.factors)
        return [code(PRODUCTS, *head, self.start, *weights, self.factors)]

    def _summed(self, x: Tile, first: int, last: int) -> Tile:
        begin, end = self.start[first], self.start[last]
        product = self._factor(x, self.factors[begin:end, 0])
        for j in range(1, self.factors.shape[1]):
            product *= self._factor(x, self.factors[begin:end, j])
        if self.weights is not None:
            product *= self.weights[begin:end, None].astype(x.dtype)
        return summed(product, self.start[first : last + 1] - begin)

    def _factor(self, x: Tile, f: npt.NDArray[np.int32]) -> Tile:
        factor = x[f]
        factor[f < 0] = 1
        return factor


def summed(terms: Tile, start: Ints) -> Tile:
    """The sums of the rows start[c] … start[c + 1] - 1 of `terms`; 0 where there are none."""
    out = np.zeros((len(start) - 1, terms.shape[1]), dtype=terms.dtype)
    some = np.flatnonzero(np.diff(start))
    if len(some):
        out[some] = np.add.reduceat(terms, start[some], axis=0)
    return out


class Convolution(Operation):
    """The circular convolution of the first two of several vectors of `size` entries; the others stay."""

    def __init__(self, size: int, vectors: int) -> None:
        """`vectors`: how many vectors lie side by side."""
        self.size, self.vectors = size, vectors
        self.n_outputs = size * (vectors - 1)
        self.terms = float(size * min(size, 8 * max(size.bit_length(), 1)))

    def apply(self, x: Tile, n: int, out: Tile, at: int, native: Any) -> None:
        """Multiply the Fourier transforms. Integers and few entries are multiplied one by one, which is exact."""
        size = self.size
        out[size:, at : at + n] = x[2 * size :, :n]
        part = x[: 2 * size, :n]
        if self._one_by_one(x.dtype) or not np.isfinite(part).all():
            self._directly(x, n, out, at, native)
            return
        a, b = np.fft.rfft(np.ascontiguousarray(part.T).reshape(n, 2, size), axis=2).transpose(1, 0, 2)
        out[:size, at : at + n] = np.fft.irfft(a * b, size, axis=1).T

    def codes(self, dtype: Any) -> Codes | None:
        """The products one by one, if there are few or they must be exact."""
        return self._products() if self._one_by_one(dtype) and dtype in TILES else None

    def _one_by_one(self, dtype: Any) -> bool:
        return dtype.kind != "f" or self.exact or self.size <= _FEW

    def _products(self) -> Codes:
        return [code(CONVOLVE, self.size, self.vectors)]

    def _directly(self, x: Tile, n: int, out: Tile, at: int, native: Any) -> None:
        size = self.size
        if native is not None and x.dtype in TILES:
            native.evaluate(self._products(), x[:, :n], out[:, at : at + n])
            return
        twice = np.concatenate([x[size : 2 * size, :n], x[size : 2 * size, :n]])[::-1]
        for c in range(size):
            # Entry i is b[(c - i) mod size].
            b = twice[size - 1 - c : 2 * size - 1 - c]
            out[c, at : at + n] = (x[:size, :n] * b).sum(axis=0)
