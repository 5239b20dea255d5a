"""Squared distances in the feature space of a kernel, from differences of rows, in numpy and as SQL.

K(x,x) + K(y,y) - 2·K(x,y) loses the digits of rows far from 0: the values grow, and their differences do not. So each
kernel has a formula of ‖x-y‖² and ‖x‖²-‖y‖², which both come from the differences of entries. A formula takes arrays or
SQL texts: both have +, -, * and /. It returns the squared distance, and its size: the sum of what its terms are without
their signs, which says how much of it may be due to rounding.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.differences import turns
from sqlrp._core.numbers import DOUBLE
from sqlrp._core.values import dataclass
from sqlrp.kernels import (
    LINEAR,
    Cosine,
    CrossTerms,
    Kernel,
    KernelPhrases,
    Polynomial,
    ProductOfParts,
    Radial,
    SumOverPairs,
    UnknownOrigin,
)

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RoundingBound:
    """How far from right a squared distance may be."""

    relative: float
    """as a part of its size"""
    shift: float
    """the error of a row, as a part of its norm: it counts where a distance is far below the norms"""

    @property
    def ratio(self) -> float:
        """How much more a row's error counts: twice, as it is squared."""
        return 2 * self.shift / self.relative


EXACT = RoundingBound(1e-12, 2e-15)
"""Of rows in double precision. Two squared distances of a row are tied if they differ by no more."""
SINGLE = RoundingBound(1e-6, 5e-7)
"""Of projected rows in single precision."""


# -- what a formula is made of ---------------------------------------------------------------------------------------


class Maths(ABC):
    """Functions of the operands of a formula: arrays, or texts."""

    @abstractmethod
    def absolute(self, x: Any) -> Any:
        """A number without its sign."""

    @abstractmethod
    def sqrt(self, x: Any) -> Any:
        """The square root."""

    @abstractmethod
    def lost(self, x: Any) -> Any:
        """1 - exp(-x) of a number from 0, without a loss of digits near 0."""

    @abstractmethod
    def where(self, x: Any, positive: Any, other: Any) -> Any:
        """One value if x is above 0, and else another one."""

    @abstractmethod
    def power(self, x: Any, degree: int) -> Any:
        """A number to the power of a whole number from 1."""

    @abstractmethod
    def number(self, value: float) -> Any:
        """A constant."""


class NumpyMaths(Maths):
    """numpy's functions."""

    def absolute(self, x: Any) -> Any:
        return np.abs(x)

    def sqrt(self, x: Any) -> Any:
        return np.sqrt(x)

    def lost(self, x: Any) -> Any:
        return -np.expm1(-x)

    def where(self, x: Any, positive: Any, other: Any) -> Any:
        return np.where(x > 0, positive, other)

    def power(self, x: Any, degree: int) -> Any:
        return x**degree

    def number(self, value: float) -> Any:
        return value


@dataclass(frozen=True)
class Text:
    """An SQL expression of a double, as an operand."""

    sql: str

    def __add__(self, other: Text | float) -> Text:
        return Text(f"({self.sql} + {_sql(other)})")

    def __sub__(self, other: Text | float) -> Text:
        return Text(f"({self.sql} - {_sql(other)})")

    def __mul__(self, other: Text | float) -> Text:
        return Text(f"({self.sql} * {_sql(other)})")

    def __truediv__(self, other: Text | float) -> Text:
        return Text(f"({self.sql} / {_sql(other)})")

    def __rmul__(self, other: float) -> Text:
        return Text(f"({_sql(other)} * {self.sql})")


def _sql(operand: Text | float) -> str:
    return operand.sql if isinstance(operand, Text) else f"{operand!r}"


@dataclass(frozen=True)
class SqlMaths(Maths):
    """The functions of an engine."""

    phrases: KernelPhrases

    def absolute(self, x: Text) -> Text:
        return Text(f"(CASE WHEN {x.sql} < 0 THEN -{x.sql} ELSE {x.sql} END)")

    def sqrt(self, x: Text) -> Text:
        return Text(self.phrases.sqrt(x.sql))

    def lost(self, x: Text) -> Text:
        """The first terms of the series where exp is near 1."""
        v = x.sql
        series = f"{v} * (1 - {v} / 2 * (1 - {v} / 3 * (1 - {v} / 4)))"
        return Text(f"(CASE WHEN {v} < 0.001 THEN {series} ELSE 1 - {self.phrases.exp(f'-{v}')} END)")

    def where(self, x: Text, positive: Any, other: Any) -> Text:
        return Text(f"(CASE WHEN {x.sql} > 0 THEN {_sql(positive)} ELSE {_sql(other)} END)")

    def power(self, x: Text, degree: int) -> Text:
        return x if degree == 1 else Text(f"({self.phrases.power(x.sql, degree)})")

    def number(self, value: float) -> Text:
        """A constant."""
        return Text(self.phrases.literal(value, DOUBLE))


# -- rows ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """What is known of two rows x and y."""

    own: Any
    """‖x‖²"""
    other: Any
    """‖y‖²"""
    dot: Any
    """⟨x, y⟩"""
    squared: Any
    """‖x - y‖²"""
    turn: Any
    """‖x‖² - ‖y‖²"""
    second: Pair | None = None
    """the same of their squares, or of the features below the split; these are then not in the rest"""


Formula = Callable[[Any, Pair, Maths], tuple[Any, Any]]


def _polynomial(kernel: Polynomial, pair: Pair, maths: Maths) -> tuple[Any, Any]:
    """D·(h(a,g) + h(b,g))/2 + (a - b)²·h(a,b,g)/2 for a = K(x,x), b = K(y,y) and g = K(x,y) of degree 1.

    h is the sum of all products of its numbers, of one degree less than the kernel's, or two less for three numbers.
    """
    if kernel.degree == 1:
        found = pair.squared if kernel.scale == 1 else pair.squared * maths.number(kernel.scale)
        return found, found
    c = maths.number(kernel.c)
    a, b, g = (each + c if kernel.c else each for each in (pair.own, pair.other, pair.dot))
    sides = [(a, b, g), (maths.absolute(a), maths.absolute(b), maths.absolute(g))]
    value, size = (_of_degree(kernel.degree, pair, a, b, g, maths) for a, b, g in sides)
    scale = maths.number(kernel.scale)
    return (value, size) if kernel.scale == 1 else (value * scale, size * scale)


def _of_degree(degree: int, pair: Pair, a: Any, b: Any, g: Any, maths: Maths) -> Any:
    half = 0.5 * pair.squared * (_products(degree - 1, a, g, maths) + _products(degree - 1, b, g, maths))
    turned = 0.5 * pair.turn * pair.turn
    if degree == 2:
        return half + turned
    every = _products(degree - 2, a, b, maths)
    for i in range(1, degree - 2):
        every = every + maths.power(g, i) * _products(degree - 2 - i, a, b, maths)
    return half + turned * (every + maths.power(g, degree - 2))


def _products(degree: int, a: Any, b: Any, maths: Maths) -> Any:
    """The sum of all products of a and b of a degree from 1."""
    found = maths.power(a, degree) + maths.power(b, degree)
    for i in range(1, degree):
        found = found + maths.power(a, degree - i) * maths.power(b, i)
    return found


def _cross_terms(_: CrossTerms, pair: Pair, maths: Maths) -> tuple[Any, Any]:
    """The distance of all products, less that of the squares."""
    value, size = _polynomial(Polynomial(2), pair, maths)
    squares = _second(pair).squared
    return value - squares, size + squares


def _product_of_parts(_: ProductOfParts, pair: Pair, maths: Maths) -> tuple[Any, Any]:
    """(‖x+y‖²·‖u-v‖² + ‖x-y‖²·‖u+v‖² + 2·(‖x‖²-‖y‖²)·(‖u‖²-‖v‖²))/4 for rows (x, u) and (y, v)."""
    first = _second(pair)
    sums = [each.own + each.other + 2.0 * each.dot for each in (first, pair)]
    whole = sums[0] * pair.squared + sums[1] * first.squared
    turn = 2.0 * first.turn * pair.turn
    return 0.25 * (whole + turn), 0.25 * (whole + maths.absolute(turn))


def _radial(kernel: Radial, pair: Pair, maths: Maths) -> tuple[Any, Any]:
    found = 2.0 * maths.lost(pair.squared * maths.number(kernel.gamma))
    return found, found


def _cosine(_: Cosine, pair: Pair, maths: Maths) -> tuple[Any, Any]:
    """(‖x-y‖² - (‖x‖-‖y‖)²)/(‖x‖·‖y‖), or 1 if one of the rows is 0."""
    lengths = maths.sqrt(pair.own) * maths.sqrt(pair.other)
    sums = maths.sqrt(pair.own) + maths.sqrt(pair.other)
    safe, sums = maths.where(lengths, lengths, 1.0), maths.where(sums, sums, 1.0)
    across = pair.turn * pair.turn / (sums * sums)
    alone = maths.where(pair.squared, 1.0, 0.0)
    both = pair.squared - across, pair.squared + across
    value, size = (maths.where(lengths, found / safe, alone) for found in both)
    return value, size


def _second(pair: Pair) -> Pair:
    if pair.second is None:
        raise TypeError("the kernel needs a second sum of each pair")
    return pair.second


_FORMULAS: dict[type[Kernel], Formula] = {
    Polynomial: _polynomial,
    CrossTerms: _cross_terms,
    ProductOfParts: _product_of_parts,
    Radial: _radial,
    Cosine: _cosine,
}


def plain(kernel: Kernel) -> Kernel:
    """The kernel whose distances a kernel of rows has."""
    if isinstance(kernel, UnknownOrigin):
        return plain(kernel.each)
    return kernel if kernel.known else LINEAR


def formula(kernel: Kernel) -> Formula | None:
    """The formula of a kernel of rows; None for one of another's making, of which only the values are known."""
    return _FORMULAS.get(type(kernel))


# -- groups ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class About:
    """A kernel's values of two rows x and y about an origin o, in the feature space too."""

    origin: Any
    """K(o, o)"""
    one: Any
    """K(x, o) - K(o, o)"""
    other: Any
    """K(y, o) - K(o, o)"""
    both: Any
    """⟨φ(x) - φ(o), φ(y) - φ(o)⟩"""

    def times(self, by: About) -> About:
        """The same of the product of two kernels."""
        m, a, b, e, n, c, d, f = self.origin, self.one, self.other, self.both, by.origin, by.one, by.other, by.both
        both = m * f + n * e + b * c + a * d + (b + a) * f + (d + c) * e + e * f
        return About(m * n, m * c + n * a + a * c, m * d + n * b + b * d, both)

    @property
    def value(self) -> Any:
        """K(x, y)."""
        return self.origin + self.one + self.other + self.both

    @property
    def half(self) -> Any:
        """The part of K(x, y) that x adds: K(x, o) - K(o, o)/2."""
        return 0.5 * self.origin + self.one


_LONGEST = 3
"""The largest degree of a kernel of groups about an origin: the formula grows with each degree."""


def about_origin(kernel: Kernel) -> bool:
    """Whether distances of groups are computed about an origin; otherwise from the kernel's values."""
    if not isinstance(kernel, SumOverPairs):
        return False
    each = kernel.each
    return isinstance(each, ProductOfParts) or (type(each) is Polynomial and each.degree <= _LONGEST)


def of_groups(kernel: Kernel, first: About, second: About | None, maths: Maths) -> About:
    """The values of two rows about an origin for the kernel of which groups add up the pairs' values.

    `first`: of ⟨x, y⟩, over the features below the split if there is one; `second`: over the others.
    """
    if second is not None:
        return first.times(second)
    assert isinstance(kernel, Polynomial)
    base = found = replace(first, origin=first.origin + maths.number(kernel.c)) if kernel.c else first
    for _ in range(kernel.degree - 1):
        found = found.times(base)
    if kernel.scale == 1:
        return found
    scale = maths.number(kernel.scale)
    return About(*(each * scale for each in (found.origin, found.one, found.other, found.both)))


# -- arrays ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Apart:
    """The squared distances of rows, shape (n, m)."""

    squared: Floats
    """‖φ(x)-φ(y)‖²; a value that may be due to rounding is 0"""
    by: Floats
    """the number whose product with `RoundingBound.relative` is the largest difference of two tied distances"""

    @property
    def pairs(self) -> Floats:
        """The distances of all pairs of n rows with themselves, in the order of numpy.triu_indices(n, 1)."""
        return self.squared[np.triu_indices(len(self.squared), 1)]


def apart(
    kernel: Kernel,
    x: Floats,
    y: Floats | None = None,
    groups: npt.NDArray[np.int64] | None = None,
    rounding: RoundingBound = EXACT,
) -> Apart:
    """The squared distances of all rows of x, shape (n, d), from all of y, or from all of x.

    `groups`: of the groups of x, for a kernel of groups; the group number of each row, from 0 without gaps.
    """
    if groups is not None:
        return _groups_apart(kernel if kernel.known else SumOverPairs(LINEAR), x, groups)
    kernel = plain(kernel)
    made = formula(kernel)
    if made is None:
        own = kernel.lengths(x)
        other = own if y is None else kernel.lengths(y)
        scale = own[:, None] + other[None, :]
        squared = scale - 2 * (kernel.matrix(x) if y is None else kernel.between(x, y))
        return Apart(np.where(squared <= rounding.relative * scale, 0.0, squared), scale)
    if kernel.part is None:
        pair = _pair(x, y)
        if kernel.squares:
            pair = replace(pair, second=_pair_of_squares(x, y))
        near, scale = pair.squared, pair.own + pair.other
    else:
        first, rest = (_pair(*(None if rows is None else rows[:, at] for rows in (x, y))) for at in _parts(kernel.part))
        pair = replace(rest, second=first)
        near, scale = first.squared + rest.squared, first.own + first.other + rest.own + rest.other
    value, size = made(kernel, pair, NumpyMaths())
    none = near <= rounding.shift**2 * scale
    by = size * (1 + rounding.ratio * np.sqrt(scale / np.where(none, np.inf, near)))
    return Apart(np.where(none | (value <= rounding.relative * size), 0.0, value), by)


def _parts(split: int) -> tuple[slice, slice]:
    return slice(None, split), slice(split, None)


def _pair(x: Any, y: Any) -> Pair:
    other = x if y is None else y
    squared, turn = turns(x, y)
    own, of_other = (x * x).sum(axis=1)[:, None], (other * other).sum(axis=1)[None, :]
    return Pair(own, of_other, x @ other.T, squared, turn)


def _pair_of_squares(x: Floats, y: Floats | None) -> Pair:
    """The differences of x² from differences of x: of rows about one of them, x² - o² = (x - o)·(x + o)."""
    origin = x.mean(axis=0)
    one, other = ((rows - origin) * (rows + origin) for rows in (x, x if y is None else y))
    squared, turn = turns(one, None if y is None else other)
    none = np.zeros_like(squared)
    return Pair(none, none, none, squared, turn)


def _groups_apart(kernel: Kernel, x: Floats, groups: npt.NDArray[np.int64]) -> Apart:
    n = int(groups.max(initial=-1)) + 1
    if not about_origin(kernel):
        gram = kernel.matrix(x, groups)
        own = np.diag(gram)
        scale = own[:, None] + own[None, :]
        squared = scale - 2 * gram
        return Apart(np.where(squared <= EXACT.relative * scale, 0.0, squared), scale)
    assert isinstance(kernel, SumOverPairs)
    each, parts = kernel.each, [slice(None)] if kernel.part is None else _parts(kernel.part)
    values = [_about(x[:, at]) for at in parts]
    found = of_groups(each, values[0], values[1] if len(values) > 1 else None, NumpyMaths())
    member = np.zeros((n, len(x)))
    member[groups, np.arange(len(x))] = 1
    both = member @ found.both @ member.T
    half, count = member @ found.half[:, 0], member.sum(axis=1)
    own = np.diag(both)
    uneven = 2 * (count[:, None] - count[None, :]) * (half[:, None] - half[None, :])
    scale = own[:, None] + own[None, :] + np.abs(uneven)
    squared = own[:, None] + own[None, :] - 2 * both + uneven
    return Apart(np.where(squared <= EXACT.relative * scale, 0.0, squared), scale)


def _about(x: Floats) -> About:
    origin = x.mean(axis=0)
    rest = x - origin
    one = rest @ origin
    return About(np.float64(origin @ origin), one[:, None], one[None, :], rest @ rest.T)


__all__ = [
    "EXACT",
    "SINGLE",
    "About",
    "Apart",
    "Pair",
    "RoundingBound",
    "SqlMaths",
    "Text",
    "about_origin",
    "apart",
    "formula",
]
