"""Sums of rows and of their products, from which a linear model is solved. They can be added and subtracted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp.core.draw import Ints

Matrix = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Moments:
    """The number of some rows, their mean, their scatter around it, and the number and the mean of each class.

    Differences from the mean are summed, and not the rows themselves: the sums keep their digits if the rows are far
    from 0. For a regressor the last entry of each row is the target.
    """

    count: int
    mean: Matrix
    """shape (m,)"""
    scatter: Matrix
    """Σ (x - mean)(x - mean)ᵀ, shape (m, m)"""
    classes: Mapping[Any, tuple[int, Matrix]] = field(default_factory=dict)
    """for each class the number of its rows and their mean; empty for a regressor"""

    @staticmethod
    def shifted(shift: Matrix, count: int, sums: Matrix, products: Matrix, classes: Mapping[Any, Any]) -> Moments:
        """From Σ (x - shift), Σ (x - shift)(x - shift)ᵀ, and for each class the number and Σ (x - shift)."""
        if not count:
            return Moments(0, shift, np.zeros_like(products))
        own = {name: (n, shift + total / n) for name, (n, total) in classes.items()}
        with np.errstate(over="ignore", invalid="ignore"):
            return Moments(count, shift + sums / count, products - np.outer(sums, sums / count), own)

    def __add__(self, other: Moments) -> Moments:
        """The moments of both sets of rows (Chan, Golub and LeVeque 1983)."""
        if not self.count or not other.count:
            return self if self.count else other
        count, gap = self.count + other.count, other.mean - self.mean
        scatter = self.scatter + other.scatter + np.outer(gap, gap * (self.count * other.count / count))
        classes = dict(self.classes)
        for name, (n, mean) in other.classes.items():
            before, at = classes.get(name, (0, mean))
            classes[name] = (before + n, at + (mean - at) * (n / (before + n)))
        return Moments(count, self.mean + gap * (other.count / count), scatter, classes)

    def __sub__(self, other: Moments) -> Moments:
        """The moments of the rows that are not in `other`, which must be some of these rows."""
        count = self.count - other.count
        if not count or not other.count:
            return self if count else Moments(0, self.mean, np.zeros_like(self.scatter))
        mean = self.mean + (self.mean - other.mean) * (other.count / count)
        gap = other.mean - mean
        scatter = self.scatter - other.scatter - np.outer(gap, gap * (other.count * count / self.count))
        classes = {}
        for name, (n, at) in self.classes.items():
            gone, theirs = other.classes.get(name, (0, at))
            if n > gone:
                classes[name] = (n - gone, at + (at - theirs) * (gone / (n - gone)))
        return Moments(count, mean, scatter, classes)

    def scaled(self, factors: Matrix) -> Moments:
        """The moments of the rows times a factor for each entry."""
        classes = {name: (n, mean * factors) for name, (n, mean) in self.classes.items()}
        return Moments(self.count, self.mean * factors, self.scatter * np.outer(factors, factors), classes)

    def pack(self) -> bytes:
        """As bytes: the half of the scatter that differs from the other, and no Python objects."""
        names = [[name, n] for name, (n, _) in self.classes.items()]
        head = json.dumps({"count": self.count, "m": len(self.mean), "classes": names}).encode()
        upper = self.scatter[np.triu_indices(len(self.mean))]
        body = np.concatenate([self.mean, upper, *(mean for _, mean in self.classes.values())])
        return len(head).to_bytes(4, "little") + head + body.astype("<f8").tobytes()

    @staticmethod
    def unpack(packed: bytes) -> Moments:
        """Read what `pack` wrote."""
        start = 4 + int.from_bytes(packed[:4], "little")
        head = json.loads(packed[4:start])
        body, m = np.frombuffer(packed, dtype="<f8", offset=start).astype(np.float64), head["m"]
        scatter, end = np.empty((m, m)), m + m * (m + 1) // 2
        rows, columns = np.triu_indices(m)
        scatter[rows, columns] = scatter[columns, rows] = body[m:end]
        means = body[end:].reshape(-1, m)
        classes = {name: (n, mean) for (name, n), mean in zip(head["classes"], means, strict=True)}
        return Moments(head["count"], body[:m], scatter, classes)


def total(parts: Iterable[Moments]) -> Moments:
    """The moments of all parts together."""
    first, *others = parts
    for part in others:
        first = first + part
    return first


class Accumulator:
    """Sums over batches of rows, by fold.

    All differences are from the mean of the first batch. If all rows are whole numbers, that mean is rounded, so
    that sums below 2^53 are exact in any order.
    """

    def __init__(self, folds: int = 1, exact: bool = False) -> None:
        """`folds`: the number of folds. `exact`: whether all entries are whole numbers."""
        self.folds, self.exact = folds, exact
        self.shift: Matrix | None = None
        self.counts = [0] * folds
        self.sums: list[Matrix] = []
        self.products: list[Matrix] = []
        self.classes: list[dict[Any, tuple[int, Matrix]]] = [{} for _ in range(folds)]

    def add(self, x: Matrix, codes: Ints | None = None, names: Sequence[Any] = (), fold: Ints | None = None) -> None:
        """Add a batch. x: shape (rows, m). `codes`: the position of each row's class in `names`. `fold`: from 0."""
        if self.shift is None:
            mean = x.mean(axis=0) if len(x) else np.zeros(x.shape[1])
            self.shift = np.rint(mean) if self.exact else mean
            self.sums = [np.zeros(x.shape[1]) for _ in range(self.folds)]
            self.products = [np.zeros((x.shape[1],) * 2) for _ in range(self.folds)]
        with np.errstate(over="ignore", invalid="ignore"):  # the caller looks for NaN and infinity
            x = x - self.shift
            for at in range(self.folds):
                mine = slice(None) if fold is None else np.flatnonzero(fold == at)
                own = x[mine]
                if not len(own):
                    continue
                self.counts[at] += len(own)
                self.sums[at] += own.sum(axis=0)
                self.products[at] += own.T @ own
                if codes is not None:
                    self._add_classes(self.classes[at], own, codes[mine], names)

    def _add_classes(
        self, classes: dict[Any, tuple[int, Matrix]], x: Matrix, codes: Ints, names: Sequence[Any]
    ) -> None:
        there, at = np.unique(codes, return_inverse=True)
        of_class = np.zeros((len(there), len(x)))
        of_class[at, np.arange(len(x))] = 1
        counts, sums = np.bincount(at, minlength=len(there)).tolist(), of_class @ x
        for code, count, added in zip(there.tolist(), counts, sums, strict=True):
            before, so_far = classes.get(names[code], (0, 0.0))
            classes[names[code]] = (before + count, so_far + added)

    def moments(self, m: int) -> list[Moments]:
        """The moments of each fold. `m`: the number of entries of a row, for the case that there was none."""
        if self.shift is None:
            return [Moments(0, np.zeros(m), np.zeros((m, m))) for _ in range(self.folds)]
        parts = zip(self.counts, self.sums, self.products, self.classes, strict=True)
        return [Moments.shifted(self.shift, *part) for part in parts]


__all__ = ["Accumulator", "Moments", "total"]
