"""Sums of rows and of their products, from which a linear model is solved. They can be added and subtracted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import Ints
from sqlrp._core.values import dataclass

Matrix = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


_NOTHING = 1e-12
"""The share of a class's weight that is left by rounding where all its rows are subtracted."""
_WAITING = 1 << 23
"""The most numbers of the rows that wait to be added to the sums of their classes."""


@dataclass(frozen=True)
class Moments:
    """The number of some rows, their weight, their mean, their scatter around it, and those of each class.

    Differences from the mean are summed, and not the rows themselves: the sums keep their digits if the rows are far
    from 0. For a regressor the last entry of each row is the target. A row of weight 2 counts as two rows.
    """

    count: int
    mean: Matrix
    """shape (m,)"""
    scatter: Matrix
    """Σ (x - mean)(x - mean)ᵀ, shape (m, m)"""
    classes: Mapping[Any, tuple[float, Matrix]] = field(default_factory=dict)
    """for each class the weight of its rows and their mean; empty for a regressor"""
    weight: float = -1.0
    """the sum of the weights; the number of rows if they have none, which -1 stands for"""
    parts: Mapping[Any, Moments] = field(default_factory=dict)
    """the moments of each class, where classes are to be weighted later; otherwise empty"""

    def __post_init__(self) -> None:
        """A row without a weight has the weight 1."""
        if self.weight < 0:
            object.__setattr__(self, "weight", float(self.count))

    @staticmethod
    def shifted(
        shift: Matrix, count: int, sums: Matrix, products: Matrix, classes: Mapping[Any, Any], weight: float = -1.0
    ) -> Moments:
        """From Σ (x - shift), Σ (x - shift)(x - shift)ᵀ, and for each class the weight and Σ (x - shift)."""
        weight = float(count) if weight < 0 else weight
        if not weight:
            return Moments(count, shift, np.zeros_like(products), {}, 0.0)
        own = {name: (n, shift + total / n) for name, (n, total) in classes.items() if n}
        with np.errstate(over="ignore", invalid="ignore"):
            of_means = np.outer(sums, sums)
            of_means /= weight
            scatter = np.subtract(products, of_means, out=of_means)
            return Moments(count, shift + sums / weight, scatter, own, weight)

    @staticmethod
    def of_parts(parts: Mapping[Any, Moments]) -> Moments:
        """The moments of classes together, which keep the parts."""
        return replace(_weighted(parts), parts=parts)

    def __add__(self, other: Moments) -> Moments:
        """The moments of both sets of rows."""
        return total((self, other))

    def __sub__(self, other: Moments) -> Moments:
        """The moments of the rows that are not in `other`, which must be some of these rows."""
        count, weight = self.count - other.count, self.weight - other.weight
        if not count or not other.weight:
            return self if count else Moments(0, self.mean, np.zeros_like(self.scatter))
        mean = self.mean + (self.mean - other.mean) * (other.weight / weight)
        gap = other.mean - mean
        scatter = self.scatter - other.scatter - np.outer(gap, gap) * (other.weight * weight / self.weight)
        classes = {}
        for name, (n, at) in self.classes.items():
            gone, theirs = other.classes.get(name, (0, at))
            if n - gone > _NOTHING * n:
                classes[name] = (n - gone, at + (at - theirs) * (gone / (n - gone)))
        parts = {}
        for name, part in self.parts.items():
            left = part - other.parts[name] if name in other.parts else part
            if left.count:
                parts[name] = left
        return Moments(count, mean, scatter, classes, weight, parts)

    def reweighted(self, weights: Mapping[Any, float]) -> Moments:
        """The moments of the rows with the weight of each class multiplied by a number, without parts.

        It needs `parts`.
        """
        return _weighted(self.parts, weights) if self.parts else self

    def scaled(self, factors: Matrix) -> Moments:
        """The moments of the rows times a factor for each entry."""
        return self._scaled(factors, np.outer(factors, factors))

    def _scaled(self, factors: Matrix, squares: Matrix) -> Moments:
        classes = {name: (n, mean * factors) for name, (n, mean) in self.classes.items()}
        parts: Mapping[Any, Moments]
        if isinstance(self.parts, _Apart):
            parts = self.parts.scaled(factors)
        else:
            parts = {name: part._scaled(factors, squares) for name, part in self.parts.items()}
        return Moments(self.count, self.mean * factors, self.scatter * squares, classes, self.weight, parts)

    def pack(self) -> bytes:
        """As bytes: the half of the scatter that differs from the other, and no Python objects."""
        names = [[name, n] for name, (n, _) in self.classes.items()]
        packed = [part.pack() for part in self.parts.values()]
        parts = [[name, len(each)] for name, each in zip(self.parts, packed, strict=True)]
        said = {"count": self.count, "m": len(self.mean), "classes": names, "weight": self.weight, "parts": parts}
        head = json.dumps(said).encode()
        upper = self.scatter[np.triu_indices(len(self.mean))]
        body = np.concatenate([self.mean, upper, *(mean for _, mean in self.classes.values())])
        return len(head).to_bytes(4, "little") + head + body.astype("<f8").tobytes() + b"".join(packed)

    @staticmethod
    def unpack(packed: bytes) -> Moments:
        """Read what `pack` wrote. Raises ValueError, TypeError, KeyError or AttributeError for other bytes."""
        start = 4 + int.from_bytes(packed[:4], "little")
        head = json.loads(packed[4:start])
        m, sizes = head["m"], head.get("parts", [])
        if m * m // 2 > len(packed):  # before so much memory is asked for
            raise ValueError(f"m = {m} is more than {len(packed)} bytes have")
        last = len(packed) - sum(size for _, size in sizes)
        body = np.frombuffer(packed[start:last], dtype="<f8").astype(np.float64)
        scatter, end = np.empty((m, m)), m + m * (m + 1) // 2
        rows, columns = np.triu_indices(m)
        scatter[rows, columns] = scatter[columns, rows] = body[m:end]
        means = body[end:].reshape(-1, m)
        classes = {_named(name): (n, mean) for (name, n), mean in zip(head["classes"], means, strict=True)}
        parts = {}
        for name, size in sizes:
            parts[_named(name)], last = Moments.unpack(packed[last : last + size]), last + size
        return Moments(head["count"], body[:m], scatter, classes, head.get("weight", -1.0), parts)


def _named(name: Any) -> Any:
    """The name of a class as JSON has it; a pair is a list there."""
    return tuple(name) if isinstance(name, list) else name


@dataclass(frozen=True)
class SketchMoments:
    """The number of some rows, their mean, their variance, and their products with a sketch y = Wᵀx of each.

    As in `Moments`, differences from the mean are summed.
    """

    count: int
    mean: Matrix
    """shape (m,)"""
    sketched: Matrix
    """the mean of the sketches, shape (l,)"""
    variance: float
    """Σ |x - mean|²"""
    products: Matrix
    """Σ (x - mean)(y - sketched)ᵀ, shape (m, l)"""

    @staticmethod
    def of(x: Matrix, weights: Matrix) -> SketchMoments:
        """Of rows, shape (rows, m), and weights W of shape (m, l)."""
        mean = x.mean(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):  # the caller looks for NaN and infinity
            away = x - mean
            sums, sketches = away.sum(axis=0), away @ weights
            variance = float(np.einsum("ij,ij->", away, away) - sums @ sums / len(x))
            products = away.T @ sketches - np.outer(sums, sums @ weights) / len(x)
            mean = mean + sums / len(x)
            return SketchMoments(len(x), mean, mean @ weights, variance, products)

    def __add__(self, other: SketchMoments) -> SketchMoments:
        """The sums of both sets of rows."""
        count = self.count + other.count
        gap, apart = other.mean - self.mean, other.sketched - self.sketched
        share = other.count / count
        with np.errstate(over="ignore", invalid="ignore"):
            return SketchMoments(
                count,
                self.mean + gap * share,
                self.sketched + apart * share,
                self.variance + other.variance + float(gap @ gap) * self.count * share,
                self.products + other.products + np.outer(gap, apart) * (self.count * share),
            )

    def pack(self) -> bytes:
        """As bytes."""
        head = np.array([self.count, *self.products.shape], dtype="<i8").tobytes()
        body = np.concatenate([[self.variance], self.mean, self.sketched, self.products.reshape(-1)])
        return head + body.astype("<f8").tobytes()

    @staticmethod
    def unpack(packed: bytes) -> SketchMoments:
        """Read what `pack` wrote."""
        count, m, width = np.frombuffer(packed[:24], dtype="<i8").tolist()
        body = np.frombuffer(packed[24:], dtype="<f8").astype(np.float64)
        mean, sketched, products = np.split(body[1:], [m, m + width])
        return SketchMoments(count, mean, sketched, float(body[0]), products.reshape(m, width))


def total(parts: Iterable[Moments]) -> Moments:
    """The moments of all parts together."""
    every = list(parts)
    some = [part for part in every if part.weight]
    if len(some) < 2:
        return some[0] if some else every[-1]
    count, weight, mean, scatter = _pooled(some, [1.0] * len(some))
    classes: dict[Any, tuple[float, Matrix]] = {}
    of_classes: dict[Any, list[Moments]] = {}
    for part in some:
        for name, (n, at) in part.classes.items():
            before, so_far = classes.get(name, (0.0, at))
            classes[name] = (before + n, so_far + (at - so_far) * (n / (before + n)))
        for name, of_class in part.parts.items():
            of_classes.setdefault(name, []).append(of_class)
    own = {name: total(of_class) for name, of_class in of_classes.items()}
    return Moments(count, mean, scatter, classes, weight, own)


def _weighted(parts: Mapping[Any, Moments], weights: Mapping[Any, float] | None = None) -> Moments:
    """The moments of classes together, the weight of each multiplied by a number."""
    if isinstance(parts, _Apart):
        return parts.together(weights)
    by = [1.0 if weights is None else weights.get(name, 0.0) for name in parts]  # classes of rows without weight
    count, weight, mean, scatter = _pooled(list(parts.values()), by)
    own = {name: (part.weight * times, part.mean) for (name, part), times in zip(parts.items(), by, strict=True)}
    return Moments(count, mean, scatter, {name: (n, at) for name, (n, at) in own.items() if n}, weight)


def _pooled(parts: Sequence[Moments], by: Sequence[float]) -> tuple[int, float, Matrix, Matrix]:
    """The number of all rows, their weight, mean and scatter, with the weight of each part multiplied by a number.

    The scatter is that within the parts and that of their means (Chan, Golub and LeVeque 1983).
    """
    count = sum(part.count for part in parts)
    weights = np.array([part.weight * times for part, times in zip(parts, by, strict=True)])
    weight, first = float(weights.sum()), parts[0].mean
    if not weight:
        return count, 0.0, first, np.zeros_like(parts[0].scatter)
    gaps = np.stack([part.mean - first for part in parts])
    middle = weights / weight @ gaps
    gaps -= middle
    gaps *= np.sqrt(weights)[:, None]
    scatter = gaps.T @ gaps
    scaled = np.empty_like(scatter)
    for part, times in zip(parts, by, strict=True):
        scatter += part.scatter if times == 1 else np.multiply(part.scatter, times, out=scaled)
    return count, weight, first + middle, scatter


@dataclass
class _Sums:
    """Sums of some rows: their number and weight, Σ x, Σ x xᵀ, and for each class the weight and Σ x."""

    sums: Matrix
    products: Matrix
    count: int = 0
    weight: float = 0.0
    classes: dict[Any, tuple[float, Matrix]] = field(default_factory=dict)
    uneven: bool = False
    """whether weights have rounded the two halves of the products in different ways"""

    def add(self, x: Matrix, weights: Matrix | None) -> None:
        """Add rows."""
        weighted = x if weights is None else x * weights[:, None]
        products = weighted.T @ x
        if self.count:
            self.products += products
        else:
            self.products = products
        self.count += len(x)
        self.weight += len(x) if weights is None else float(weights.sum())
        self.sums += weighted.sum(axis=0)
        self.uneven |= weights is not None

    def add_classes(self, x: Matrix, codes: Ints, names: Sequence[Any], weights: Matrix | None) -> None:
        """Add the rows to the sums of their classes."""
        there, at = np.unique(codes, return_inverse=True)
        of_class = np.zeros((len(there), len(x)))
        of_class[at, np.arange(len(x))] = 1 if weights is None else weights
        heavy = np.bincount(at, weights, minlength=len(there)).tolist()
        for code, weight, added in zip(there.tolist(), heavy, of_class @ x, strict=True):
            before, so_far = self.classes.get(names[code], (0, 0.0))
            self.classes[names[code]] = (before + weight, so_far + added)

    @staticmethod
    def together(parts: Mapping[Any, _Sums], weights: Mapping[Any, float] | None) -> _Sums:
        """The sums of classes together, those of each multiplied by its weight: 0 for one that has none."""
        first = next(iter(parts.values()))
        found = _Sums(np.zeros_like(first.sums), np.zeros_like(first.products))
        scaled = np.empty_like(first.products)
        for name, part in parts.items():
            by = 1.0 if weights is None else weights.get(name, 0.0)
            found.count += part.count
            found.weight += by * part.weight
            found.sums += by * part.sums
            found.products += part.products if by == 1 else np.multiply(part.products, by, out=scaled)
            found.classes[name] = (by * part.weight, by * part.sums)
            found.uneven |= part.uneven
        return found

    def moments(self, shift: Matrix) -> Moments:
        """The moments of the rows, from sums of their differences from the shift."""
        even = (self.products + self.products.T) / 2 if self.uneven else self.products
        return Moments.shifted(shift, self.count, self.sums, even, self.classes, self.weight)


class _Apart(Mapping[Any, Moments]):
    """The moments of classes, made of their sums when they are asked for: often only those of all are."""

    def __init__(self, shift: Matrix, sums: Mapping[Any, _Sums], factors: Matrix | None = None) -> None:
        """`sums`: of the differences from the shift. `factors`: of each entry; None for 1."""
        self.shift, self.sums, self.factors = shift, sums, factors

    def __getitem__(self, name: Any) -> Moments:
        """The moments of a class."""
        return self._made(self.sums[name])

    def __contains__(self, name: object) -> bool:
        """Whether there is such a class."""
        return name in self.sums

    def __iter__(self) -> Iterator[Any]:
        """The classes."""
        return iter(self.sums)

    def __len__(self) -> int:
        """The number of classes."""
        return len(self.sums)

    def together(self, weights: Mapping[Any, float] | None = None) -> Moments:
        """The moments of all classes, the weight of each multiplied by a number."""
        return self._made(_Sums.together(self.sums, weights))

    def scaled(self, factors: Matrix) -> _Apart:
        """The moments of the rows times a factor for each entry."""
        return _Apart(self.shift, self.sums, factors if self.factors is None else factors * self.factors)

    def _made(self, sums: _Sums) -> Moments:
        made = sums.moments(self.shift)
        return made if self.factors is None else made.scaled(self.factors)


class Accumulator:
    """Sums over batches of rows, by fold.

    All differences are from the mean of the first batch. If all rows are whole numbers, that mean is rounded, so
    that sums below 2^53 are exact in any order.
    """

    def __init__(self, folds: int = 1, exact: bool = False, apart: bool = False) -> None:
        """`folds`: the number of folds. `exact`: whether all entries are whole numbers. `apart`: keep classes apart."""
        self.folds, self.exact, self.apart = folds, exact, apart
        self.shift: Matrix | None = None
        self.of: list[dict[Any, _Sums]] = [{} for _ in range(folds)]
        self.names: dict[Any, int] = {}
        self.waiting: list[tuple[Ints, Matrix | None]] = []
        """of rows that are not yet in the sums of their classes: their groups (class · folds + fold) and weights"""
        self.rows, self.used = np.empty((0, 0)), 0
        """room for rows that wait, and how many do"""

    def add(
        self,
        x: Matrix,
        codes: Ints | None = None,
        names: Sequence[Any] = (),
        fold: Ints | None = None,
        weights: Matrix | None = None,
    ) -> None:
        """Add a batch. x: shape (rows, m). `codes`: the position of each row's class in `names`. `fold`: from 0."""
        if self.shift is None:
            mean = x.mean(axis=0) if len(x) else np.zeros(x.shape[1])
            self.shift = np.rint(mean) if self.exact else mean
        with np.errstate(over="ignore", invalid="ignore"):  # the caller looks for NaN and infinity
            if codes is not None and self.apart:
                places = np.array([self.names.setdefault(name, len(self.names)) for name in names], dtype=np.int64)
                self._wait(x, self.shift, places[codes] * self.folds + (0 if fold is None else fold), weights)
                return
            x = x - self.shift
            for at in range(self.folds):
                mine: Any = slice(None) if fold is None else np.flatnonzero(fold == at)
                own, theirs = x[mine], None if weights is None else weights[mine]
                if not len(own):
                    continue
                into = self._into(at, None)
                into.add(own, theirs)
                if codes is not None:
                    into.add_classes(own, codes[mine], names, theirs)

    def _wait(self, x: Matrix, shift: Matrix, group: Ints, weights: Matrix | None) -> None:
        """Let rows wait until they are many: each class has a matrix of sums, so a few rows at once are slow to add."""
        n, m = x.shape
        if self.used + n > len(self.rows):
            self._add_waiting()
        if n > len(self.rows):
            self.rows = np.empty((max(_WAITING // m, n), m))
        np.subtract(x, shift, out=self.rows[self.used : self.used + n])
        self.used += n
        self.waiting.append((group, weights))
        if self.used >= m * len(self.names) * self.folds:
            self._add_waiting()

    def _add_waiting(self) -> None:
        """Add the rows that wait, class by class."""
        if not self.used:
            return
        groups, heavy = zip(*self.waiting, strict=True)
        group = np.concatenate(groups)
        order = np.argsort(group, kind="stable")
        weights = None if heavy[0] is None else np.concatenate(heavy)
        names, starts = list(self.names), np.flatnonzero(np.diff(group[order], prepend=-1))
        with np.errstate(over="ignore", invalid="ignore"):
            for mine in np.split(order, starts[1:]):
                code, at = divmod(int(group[mine[0]]), self.folds)
                self._into(at, (names[code],)).add(self.rows[mine], None if weights is None else weights[mine])
        self.waiting, self.used = [], 0

    def _into(self, fold: int, name: tuple[Any] | None) -> _Sums:
        """The sums of a fold, or of one of its classes."""
        m = len(self.shift) if self.shift is not None else 0
        if name not in self.of[fold]:
            self.of[fold][name] = _Sums(np.zeros(m), np.zeros((m, m)))
        return self.of[fold][name]

    def moments(self, m: int) -> list[Moments]:
        """The moments of each fold, after all rows. `m`: the number of entries of a row, if there was none."""
        self._add_waiting()
        found = []
        for own in self.of:
            if self.shift is None or not own:
                found.append(Moments(0, np.zeros(m) if self.shift is None else self.shift, np.zeros((m, m))))
            elif None in own:
                found.append(own[None].moments(self.shift))
            else:
                found.append(Moments.of_parts(_Apart(self.shift, {n[0]: sums for n, sums in own.items() if n})))
        return found


__all__ = ["Accumulator", "Moments", "SketchMoments", "total"]
