"""Sums of rows and of their products, from which a linear model is solved. They can be added and subtracted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp.core.draw import Ints

Matrix = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


_NOTHING = 1e-12
"""The share of a class's weight that is left by rounding where all its rows are subtracted."""


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
            return Moments(count, shift + sums / weight, products - np.outer(sums, sums) / weight, own, weight)

    @staticmethod
    def of_parts(parts: Mapping[Any, Moments]) -> Moments:
        """The moments of classes together, which keep the parts."""
        whole = total(parts.values())
        return replace(whole, parts=dict(parts), classes={name: (p.weight, p.mean) for name, p in parts.items()})

    def __add__(self, other: Moments) -> Moments:
        """The moments of both sets of rows (Chan, Golub and LeVeque 1983)."""
        if not self.weight or not other.weight:
            return self if self.weight else other
        weight, gap = self.weight + other.weight, other.mean - self.mean
        scatter = self.scatter + other.scatter + np.outer(gap, gap) * (self.weight * other.weight / weight)
        classes = dict(self.classes)
        for name, (n, mean) in other.classes.items():
            before, at = classes.get(name, (0, mean))
            classes[name] = (before + n, at + (mean - at) * (n / (before + n)))
        parts = dict(self.parts)
        for name, part in other.parts.items():
            parts[name] = parts[name] + part if name in parts else part
        mean = self.mean + gap * (other.weight / weight)
        return Moments(self.count + other.count, mean, scatter, classes, weight, parts)

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
        """The moments of the rows with the weight of each class multiplied by a number. It needs `parts`."""
        changed = {
            name: replace(
                part, scatter=part.scatter * weights[name], weight=part.weight * weights[name], classes={}, parts={}
            )
            for name, part in self.parts.items()
        }
        return Moments.of_parts(changed) if changed else self

    def scaled(self, factors: Matrix) -> Moments:
        """The moments of the rows times a factor for each entry."""
        classes = {name: (n, mean * factors) for name, (n, mean) in self.classes.items()}
        parts = {name: part.scaled(factors) for name, part in self.parts.items()}
        scatter = self.scatter * np.outer(factors, factors)
        return Moments(self.count, self.mean * factors, scatter, classes, self.weight, parts)

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
        """Read what `pack` wrote."""
        start = 4 + int.from_bytes(packed[:4], "little")
        head = json.loads(packed[4:start])
        m, sizes = head["m"], head.get("parts", [])
        last = len(packed) - sum(size for _, size in sizes)
        body = np.frombuffer(packed[start:last], dtype="<f8").astype(np.float64)
        scatter, end = np.empty((m, m)), m + m * (m + 1) // 2
        rows, columns = np.triu_indices(m)
        scatter[rows, columns] = scatter[columns, rows] = body[m:end]
        means = body[end:].reshape(-1, m)
        classes = {name: (n, mean) for (name, n), mean in zip(head["classes"], means, strict=True)}
        parts = {}
        for name, size in sizes:
            parts[name], last = Moments.unpack(packed[last : last + size]), last + size
        return Moments(head["count"], body[:m], scatter, classes, head.get("weight", -1.0), parts)


@dataclass(frozen=True)
class Crossed:
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
    def of(x: Matrix, weights: Matrix) -> Crossed:
        """Of rows, shape (rows, m), and weights W of shape (m, l)."""
        mean = x.mean(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):  # the caller looks for NaN and infinity
            away = x - mean
            sums, sketches = away.sum(axis=0), away @ weights
            variance = float(np.einsum("ij,ij->", away, away) - sums @ sums / len(x))
            products = away.T @ sketches - np.outer(sums, sums @ weights) / len(x)
            mean = mean + sums / len(x)
            return Crossed(len(x), mean, mean @ weights, variance, products)

    def __add__(self, other: Crossed) -> Crossed:
        """The sums of both sets of rows."""
        count = self.count + other.count
        gap, apart = other.mean - self.mean, other.sketched - self.sketched
        share = other.count / count
        with np.errstate(over="ignore", invalid="ignore"):
            return Crossed(
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
    def unpack(packed: bytes) -> Crossed:
        """Read what `pack` wrote."""
        count, m, width = np.frombuffer(packed[:24], dtype="<i8").tolist()
        body = np.frombuffer(packed[24:], dtype="<f8").astype(np.float64)
        mean, sketched, products = np.split(body[1:], [m, m + width])
        return Crossed(count, mean, sketched, float(body[0]), products.reshape(m, width))


def total(parts: Iterable[Moments]) -> Moments:
    """The moments of all parts together."""
    first, *others = parts
    for part in others:
        first = first + part
    return first


@dataclass
class _Sums:
    """Sums of some rows: their number and weight, Σ x, Σ x xᵀ, and for each class the weight and Σ x."""

    sums: Matrix
    products: Matrix
    count: int = 0
    weight: float = 0.0
    classes: dict[Any, tuple[float, Matrix]] = field(default_factory=dict)

    def add(self, x: Matrix, weights: Matrix | None) -> None:
        """Add rows."""
        weighted = x if weights is None else x * weights[:, None]
        self.count += len(x)
        self.weight += len(x) if weights is None else float(weights.sum())
        self.sums += weighted.sum(axis=0)
        self.products += weighted.T @ x

    def add_classes(self, x: Matrix, codes: Ints, names: Sequence[Any], weights: Matrix | None) -> None:
        """Add the rows to the sums of their classes."""
        there, at = np.unique(codes, return_inverse=True)
        of_class = np.zeros((len(there), len(x)))
        of_class[at, np.arange(len(x))] = 1 if weights is None else weights
        heavy = np.bincount(at, weights, minlength=len(there)).tolist()
        for code, weight, added in zip(there.tolist(), heavy, of_class @ x, strict=True):
            before, so_far = self.classes.get(names[code], (0, 0.0))
            self.classes[names[code]] = (before + weight, so_far + added)

    def moments(self, shift: Matrix) -> Moments:
        """The moments of the rows, from sums of their differences from the shift."""
        even = (self.products + self.products.T) / 2  # weights round the two halves in different ways
        return Moments.shifted(shift, self.count, self.sums, even, self.classes, self.weight)


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
            x = x - self.shift
            for at in range(self.folds):
                mine: Any = slice(None) if fold is None else np.flatnonzero(fold == at)
                own, theirs = x[mine], None if weights is None else weights[mine]
                if not len(own):
                    continue
                if codes is None:
                    self._into(at, None).add(own, theirs)
                elif not self.apart:
                    into = self._into(at, None)
                    into.add(own, theirs)
                    into.add_classes(own, codes[mine], names, theirs)
                else:
                    for code in np.unique(codes[mine]).tolist():
                        alike = np.flatnonzero(codes[mine] == code)
                        into = self._into(at, (names[code],))
                        into.add(own[alike], None if theirs is None else theirs[alike])

    def _into(self, fold: int, name: tuple[Any] | None) -> _Sums:
        """The sums of a fold, or of one of its classes."""
        m = len(self.shift) if self.shift is not None else 0
        if name not in self.of[fold]:
            self.of[fold][name] = _Sums(np.zeros(m), np.zeros((m, m)))
        return self.of[fold][name]

    def moments(self, m: int) -> list[Moments]:
        """The moments of each fold. `m`: the number of entries of a row, for the case that there was none."""
        found = []
        for own in self.of:
            if self.shift is None or not own:
                found.append(Moments(0, np.zeros(m) if self.shift is None else self.shift, np.zeros((m, m))))
            elif None in own:
                found.append(own[None].moments(self.shift))
            else:
                found.append(Moments.of_parts({name[0]: sums.moments(self.shift) for name, sums in own.items()}))
        return found


__all__ = ["Accumulator", "Crossed", "Moments", "total"]
