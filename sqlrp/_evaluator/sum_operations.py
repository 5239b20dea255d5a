"""Operations whose entries are weighted sums: index lists, matrix products, butterflies and reflections."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import Ints
from sqlrp._evaluator.code import BUTTERFLY, PICK, REFLECT, SUMS, TILES, WEIGHTED, Codes, code, number
from sqlrp._evaluator.operations import _CHUNK, Operation, Tile, summed

Weights = npt.NDArray[Any]

_DENSE = 0.45
"""The share of weights other than 0 from which a matrix product is faster than index lists in the native library."""
_ROWS = 16
"""The number of rows from which a matrix product is faster than index lists in numpy."""
_FULL = 0.1
"""The share of weights other than 0 from which it is faster for a single row."""
_PART = 1 << 22
"""The largest number of monomials of all rows of a tile, and of their weights, that are held at a time."""
_FUSED = 8
"""How many times as fast as an addition of a sparse sum a term of a matrix product is."""


class LinearSums(Operation):
    """out[c] = base[c] + Σ_f weights[f, c]·x[f]. Features of weight 0 are left out, so 0·inf does not occur."""

    def __init__(self, weights: Weights, base: Weights | None = None) -> None:
        """`weights`: int8 or float64, shape (entries, sums). `base`: 0 by default."""
        self.weights = weights
        self.base = np.zeros(weights.shape[1], dtype=np.int64) if base is None else base
        self.n_outputs = weights.shape[1]
        some = float(np.count_nonzero(weights))
        self.share = some / max(weights.size, 1)
        self.terms = min(some, weights.size / _FUSED)
        self.signs = weights.dtype.kind == "i" and bool((np.abs(weights) <= 1).all())

    def started(self, constant: float) -> LinearSums:
        """The sums without their last feature, which is the constant: each starts with the constant's term."""
        last = self.weights[-1].astype(object) if float(constant).is_integer() and self.exact else self.weights[-1]
        value = int(constant) if last.dtype == object else float(constant)  # a whole one may not fit int8
        sums = LinearSums(self.weights[:-1], self.base + value * last)
        sums.exact = self.exact
        return sums

    def scaled(self, factor: float) -> LinearSums | None:
        """The sums times a factor, by weights that have it already; None for whole numbers, which stay exact."""
        if self.exact or self.weights.dtype.kind != "f":
            return None
        return LinearSums(self.weights * factor, self.base * factor)

    def by_blas(self, dtype: Any, native: Any) -> bool:
        """Whether a product of matrices is faster than index lists."""
        return np.dtype(dtype).kind == "f" and (native is None or self.share >= _DENSE)

    def codes(self, dtype: Any) -> Codes | None:
        """Index lists, unless a product of matrices is faster."""
        return None if dtype not in TILES or self.by_blas(dtype, True) else self._coded(dtype)

    def _coded(self, dtype: Any) -> Codes:
        index, start, turn, weight = self.lists
        head, base = (self.n_outputs, len(index), start), self.base.astype(dtype)
        if self.signs:
            return [code(SUMS, *head, turn, base, index)]
        return [code(WEIGHTED, *head, base, weight.astype(dtype), index)]

    def apply(self, x: Tile, n: int, out: Tile, at: int, native: Any) -> None:
        """Multiply matrices, or add by index lists."""
        product = self.by_blas(x.dtype, native) and (native is not None or n >= _ROWS or self.share >= _FULL)
        y = out[:, at : at + n]
        if product and (self.share == 1 or np.isfinite(x[:, :n]).all()):
            self._multiplied(x[:, :n], y)
        elif native is not None and x.dtype in TILES:
            native.evaluate(self._coded(x.dtype), x[:, :n], y)
            return
        else:
            self._listed(x[:, :n], y)
        if self.base.any():
            y += self.base[:, None].astype(y.dtype)

    def _multiplied(self, x: Tile, out: Tile) -> None:
        weights = self._dense(x.dtype)
        if x.flags.f_contiguous and out.flags.f_contiguous:
            # The same product, row by row: numpy multiplies it a third faster in this order.
            np.matmul(x.T, weights.T, out=out.T)
        else:
            np.matmul(weights, x, out=out)

    def _listed(self, x: Tile, out: Tile) -> None:
        """Pick the features of some sums and add them up, so that no intermediate result is large."""
        index, start, _, weight = self.lists
        step, first = max(_CHUNK // max(x.shape[1], 1), 1), 0
        while first < self.n_outputs:
            last = max(int(np.searchsorted(start, start[first] + step, "right")) - 1, first + 1)
            begin, end = start[first], start[last]
            w = weight[begin:end, None]
            w = w.astype(object) if x.dtype == object else w.astype(x.dtype)
            out[first:last] = summed(x[index[begin:end]] * w, start[first : last + 1] - begin)
            first = last

    def _dense(self, dtype: Any) -> Weights:
        kept: dict[Any, Weights] = self.__dict__.setdefault("_matrices", {})
        if dtype not in kept:
            kept[dtype] = np.ascontiguousarray(self.weights.T, dtype=dtype)
        return kept[dtype]

    @cached_property
    def lists(self) -> tuple[npt.NDArray[np.int32], Ints, Ints, Weights]:
        """The features of every sum, positive weights first; where a sum starts and its negatives start; the weights.

        Shapes (terms,), (sums + 1,), (sums,) and (terms,).
        """
        component, feature = np.nonzero(self.weights.T)
        weight = self.weights[feature, component]
        order = np.argsort(2 * component + (weight < 0), kind="stable")
        sums = np.arange(self.n_outputs + 1)
        start = np.searchsorted(component, sums).astype(np.int64)
        turn = start[:-1] + np.bincount(component[weight > 0], minlength=self.n_outputs)
        return feature[order].astype(np.int32), start, turn.astype(np.int64), weight[order]


class MonomialOperation(Operation):
    """out[c] = Σ_i w[i, c]·Π_j x[factors[i, j]] over very many monomials i, of which a part is drawn at a time."""

    draws = True

    def __init__(self, n: int, k: int, part: Callable[[int, int], tuple[Ints, Weights]]) -> None:
        """`part`: the factors and the weights of the monomials from one number to another, of n in all."""
        self.n, self.n_outputs, self.part = n, k, part
        self.terms = n * k / _FUSED

    def by_blas(self, dtype: Any, native: Any) -> bool:
        """True: the monomials of a part are multiplied with their weights."""
        return True

    def apply(self, x: Tile, n: int, out: Tile, at: int, native: Any) -> None:
        """Add part after part, whose monomials and whose weights are each at most `_PART` numbers."""
        y, step = out[:, at : at + n], max(_PART // max(n, self.n_outputs), 1)
        y[...] = 0
        for begin in range(0, self.n, step):
            factors, weights = self.part(begin, min(begin + step, self.n))
            product = x[factors[:, 0], :n]
            for column in factors.T[1:]:
                product *= x[column, :n]
            if np.isfinite(product).all():
                y += weights.T.astype(x.dtype) @ product
            else:
                found = np.empty_like(y)
                LinearSums(weights).apply(product, n, found, 0, native)
                y += found


class Butterflies(Operation):
    """A sample of a Hadamard transform of entries times ±1.

    The entries lie in parts of a length that is a power of two. Each part is transformed in layers of sums and
    differences; then the parts are added with the signs of a small Hadamard matrix.
    """

    def __init__(self, places: Ints, flips: npt.NDArray[np.int8], signs: npt.NDArray[np.int8], part: int, sample: Ints):
        """`places`: where each entry stands among all. `flips`: its sign. `sample`: what is kept.

        `signs`: of the parts, shape (parts, parts). `part`: the length of a part.
        """
        self.places, self.flips, self.signs, self.part, self.sample = places, flips, signs, part, sample
        self.once = len(np.unique(places)) == len(places)
        self.padded = part * len(signs)
        self.n_outputs = len(sample)
        self.terms = float(self.padded * max(part.bit_length() - 1, 1))
        self.mixed: LinearSums | None = None
        if len(signs) > 1:
            weights = np.zeros((self.padded, len(sample)), dtype=np.int8)
            for g in range(len(signs)):
                weights[g * part + sample % part, np.arange(len(sample))] = signs[sample // part, g]
            self.mixed = LinearSums(weights)
            self.terms += float(len(signs) * len(sample))

    def by_blas(self, dtype: Any, native: Any) -> bool:
        """Whether floats are multiplied by small matrices, as is done without the native library."""
        return native is None and np.dtype(dtype).kind == "f"

    def apply(self, x: Tile, n: int, out: Tile, at: int, native: Any) -> None:
        """Transform a copy of the tile."""
        y = np.zeros((self.padded, n), dtype=x.dtype)
        flipped = x[:, :n] * self.flips[:, None].astype(x.dtype)
        if self.once:
            y[self.places] = flipped
        else:
            np.add.at(y, self.places, flipped)
        y = _transformed(y, self.part)
        if self.mixed is not None and self.by_blas(x.dtype, native):
            whole = self.signs.astype(x.dtype) @ y.reshape(len(self.signs), self.part * n)
            out[:, at : at + n] = whole.reshape(self.padded, n)[self.sample]
        elif self.mixed is not None:
            self.mixed.apply(y, n, out, at, native)
        else:
            out[:, at : at + n] = y[self.sample]

    def codes(self, dtype: Any) -> Codes | None:
        """The transform, then signed sums or a choice of its entries."""
        if dtype not in TILES:
            return None
        whole = code(BUTTERFLY, self.padded, self.part, self.places.astype(np.int32), self.flips)
        if self.mixed is not None:
            return [whole, *self.mixed._coded(dtype)]
        return [whole, code(PICK, len(self.sample), self.sample.astype(np.int32))]


def _transformed(y: Tile, part: int) -> Tile:
    """The transform of every part: floats by products with two small Hadamard matrices, whose entries are ±1."""
    size, half, n = len(y), 1, y.shape[1]
    if y.dtype.kind == "f":
        high = 1 << (part.bit_length() - 1) // 2
        low = part // high
        rows = _hadamard(high).astype(y.dtype) @ y.reshape(size // part, high, low * n)
        return np.asarray(_hadamard(low).astype(y.dtype) @ rows.reshape(size // low, low, n)).reshape(size, n)
    while half < part:
        pairs = y.reshape(size // (2 * half), 2, half, -1)
        y = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).reshape(size, -1)
        half *= 2
    return y


@lru_cache(maxsize=8)
def _hadamard(size: int) -> npt.NDArray[np.float64]:
    """Sylvester's matrix of ±1: entry (i, j) is (-1)^popcount(i AND j)."""
    i = np.arange(size)
    return np.asarray(1.0 - 2.0 * (np.bitwise_count(i[:, None] & i[None, :]) & 1), dtype=np.float64)


class Reflection(Operation):
    """d·x[j] - 2·Σ_f x[f] for the picked entries j."""

    def __init__(self, n_features: int, picked: Ints, n_inputs: int) -> None:
        """`n_features`: the factor d. `picked`: the entries j."""
        self.n_features, self.picked = n_features, picked
        self.n_outputs = len(picked)
        self.terms = float(n_inputs + len(picked))

    def apply(self, x: Tile, n: int, out: Tile, at: int, native: Any) -> None:
        """Sum once, then subtract."""
        part = x[:, :n]
        d = x.dtype.type(self.n_features) if x.dtype != object else self.n_features
        out[:, at : at + n] = d * part[self.picked] - 2 * part.sum(axis=0)

    def codes(self, dtype: Any) -> Codes | None:
        """The same."""
        picked = self.picked.astype(np.int32)
        return [code(REFLECT, number(self.n_features, dtype), len(picked), picked)] if dtype in TILES else None
