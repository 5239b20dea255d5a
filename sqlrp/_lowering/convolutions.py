"""Circular convolutions with fewer products: sums and differences of entries are multiplied, not all pairs of entries.

For n = 2h, entries c and c + h of the convolution of a and b are half the sum and half the difference of two
convolutions of h entries: a circular one of the sums a[i] + a[i + h], and one of the differences, whose products
change their sign as they come round. The second takes three products of halves instead of four (Karatsuba and Ofman
1962). With 256 entries, 131,000 multiplications and additions become 20,000. Halving is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from sqlrp._core.numbers import DOUBLE, Number
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._stages import Convolved

_SAFE = 1e150
"""Where the sizes of the entries add up to less, no product of sums of entries runs over."""
_PAIRS = 4
"""The most entries whose pairs are all multiplied."""
_WORTH = 0.5
"""The operations must be reduced to this share, because they cost levels of subquery: from 24 entries on, about."""

_STATEMENTS = 50
"""The most statements of products. More take minutes to write, and hours to plan."""


def splits(stage: Convolved, kind: Number, dialect: Dialect, most: int | None) -> bool:
    """Whether a stage is written by these sums, in numbers of a kind; `most`: the most columns of a subquery.

    They need more digits than the result, so integers are multiplied pair by pair. The difference of infinite entries
    would be NaN where the result is infinite, so that such rows take `Dialect.dot_from`.
    """
    n = stage.size
    if kind != DOUBLE or not worth(n):
        return False
    if dialect.dot_from("a", "b", 0, 1) is None:
        return False
    return most is None or written(n).widest + stage.n_outputs <= most


def excess(products: int, limit: int) -> str:
    """Why so many products are not written as text; empty if they are. `limit`: the terms of one statement."""
    if products <= _STATEMENTS * limit:
        return ""
    return f"{products:,} products are more than the {_STATEMENTS * limit:,} of {_STATEMENTS} statements"


def worth(n: int) -> bool:
    """Whether n entries are so many that fewer products are worth their levels of subquery: all from 82 on are."""
    return operations(n) <= _WORTH * (2 * n * n - n)


def operations(n: int) -> int:
    """The number of additions and multiplications of a circular convolution of n entries."""
    if n % 2 or n <= _PAIRS:
        return _straight(n) + n - 1
    h = n // 2
    return operations(h) + _straight(h) + h - 1 + 8 * h


def _straight(n: int) -> int:
    """The same of a convolution of 2n - 1 entries, which is not circular."""
    if n <= _PAIRS:
        return n * n + (n - 1) ** 2
    h = (n + 1) // 2
    less = n - h
    return 2 * _straight(h) + _straight(less) + 2 * less + (2 * h - 1) + (2 * less - 1) + (2 * h - 2)


@dataclass(frozen=True)
class OperationList:
    """Additions and multiplications in the order in which they are computed. Numbers below `inputs` are entries.

    An operation that is read more than once has a name. The others are written where they are read.
    """

    inputs: int
    operations: Sequence[tuple[str, int, int]]
    """+, -, * or / (half of the first) of two numbers"""
    outputs: Sequence[int]
    levels: Sequence[Sequence[int]]
    """the numbers that each level names: new operations, and earlier ones that a later level reads"""

    @property
    def widest(self) -> int:
        """The largest number of names of a level."""
        return max(map(len, self.levels), default=0)

    def text(self, number: int, named: Mapping[int, str], half: str) -> str:
        """A number as text over the names of the level before. `half`: 1/2 in SQL."""
        if number in named:
            return named[number]
        sign, a, b = self.operations[number - self.inputs]
        left = self.text(a, named, half)
        return f"{half}*{left}" if sign == "/" else f"({left}{sign}{self.text(b, named, half)})"


@lru_cache(maxsize=4)
def written(n: int) -> OperationList:
    """The circular convolution of n entries with n others."""
    steps = _Operations(2 * n)
    outputs = steps.circular(list(range(n)), list(range(n, 2 * n)))
    return OperationList(2 * n, steps.operations, outputs, steps.levels(outputs))


def lists(dialect: Dialect, entries: Sequence[str]) -> list[str]:
    """The lists a and b that `Dialect.dot_from` reads, where the sum m of their sizes is great; elsewhere empty."""
    n = len(entries) // 2
    second = [entries[n + (-1 - i) % n] for i in range(2 * n - 1)]
    none = dialect.cast_array(dialect.list_of([]), DOUBLE)
    return [
        f"CASE WHEN {_great(dialect)} THEN {dialect.list_of(values)} ELSE {none} END AS {name}"
        for name, values in (("a", entries[:n]), ("b", second))
    ]


def _great(dialect: Dialect) -> str:
    return f"m >= {dialect.literal(_SAFE, DOUBLE)}"


def through(
    dialect: Dialect, entries: Sequence[str], named: Callable[[list[str], int], list[str]]
) -> tuple[list[str], int]:
    """The circular convolution of the first half of the entries with the second, and the number of entries it reads.

    `named` names expressions in one more level of subquery, in the place of so many entries. The relation has m and
    the lists a and b.
    """
    n, half = len(entries) // 2, dialect.literal(0.5, DOUBLE)
    steps, have = written(n), dict(enumerate(entries))
    for level in steps.levels:
        names = named([steps.text(number, have, half) for number in level], len(have))
        have = dict(zip(level, names, strict=True))
    made = [steps.text(number, have, half) for number in steps.outputs]
    dots = (dialect.dot_from("a", "b", n - 1 - c, n) for c in range(n))
    great = _great(dialect)
    made = [f"CASE WHEN {great} THEN {dot} ELSE {value} END" for value, dot in zip(made, dots, strict=True)]
    return made, len(have)


class _Operations:
    """Operations as they are added."""

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.operations: list[tuple[str, int, int]] = []

    def add(self, sign: str, a: int, b: int) -> int:
        """A new operation's number."""
        self.operations.append((sign, a, b))
        return self.inputs + len(self.operations) - 1

    def each(self, sign: str, a: Sequence[int], b: Sequence[int]) -> list[int]:
        """The operation of each a and its b; the last a, which have no b, stay."""
        return [*(self.add(sign, x, y) for x, y in zip(a, b, strict=False)), *a[len(b) :]]

    def circular(self, a: Sequence[int], b: Sequence[int]) -> list[int]:
        """The circular convolution."""
        n, h = len(a), len(a) // 2
        if n % 2 or n <= _PAIRS:
            made = self.straight(a, b)
            return self.each("+", made[:n], made[n:])
        plus = self.circular(self.each("+", a[:h], a[h:]), self.each("+", b[:h], b[h:]))
        made = self.straight(self.each("-", a[:h], a[h:]), self.each("-", b[:h], b[h:]))
        minus = self.each("-", made[:h], made[h:])
        twice = self.each("+", plus, minus) + self.each("-", plus, minus)
        return self.each("/", twice, twice)

    def straight(self, a: Sequence[int], b: Sequence[int]) -> list[int]:
        """The convolution that is not circular."""
        n, h = len(a), (len(a) + 1) // 2
        out: list[list[int]] = [[] for _ in range(2 * n - 1)]
        if n <= _PAIRS:
            for i, x in enumerate(a):
                for j, y in enumerate(b):
                    out[i + j].append(self.add("*", x, y))
        else:
            low, high = self.straight(a[:h], b[:h]), self.straight(a[h:], b[h:])
            both = self.straight(self.each("+", a[:h], a[h:]), self.each("+", b[:h], b[h:]))
            for start, entries in ((0, low), (2 * h, high), (h, self.each("-", self.each("-", both, low), high))):
                for i, entry in enumerate(entries[: 2 * n - 1 - start]):
                    out[start + i].append(entry)
        return [self._sum(terms) for terms in out]

    def _sum(self, terms: Sequence[int]) -> int:
        first, *others = terms
        for other in others:
            first = self.add("+", first, other)
        return first

    def levels(self, outputs: Sequence[int]) -> list[list[int]]:
        """The numbers that each level names: each is computed as soon as it can be, and kept until it was read."""
        count = self.inputs + len(self.operations)
        readers = [0] * count
        for number in (*outputs, *(x for sign, a, b in self.operations for x in ((a,) if sign == "/" else (a, b)))):
            readers[number] += 1
        named = [number < self.inputs or readers[number] > 1 for number in range(count)]
        level = [-1] * self.inputs
        for _, a, b in self.operations:
            level.append(max(level[a] + named[a], level[b] + named[b]))
        end = 1 + max(level)
        last = [0] * count
        for number in outputs:
            last[number] = end
        for number in reversed(range(self.inputs, count)):
            at = level[number] if named[number] else last[number]
            _, a, b = self.operations[number - self.inputs]
            last[a], last[b] = max(last[a], at), max(last[b], at)
        return [
            [n for n in range(count) if named[n] and level[n] <= now and (level[n] == now or last[n] > now)]
            for now in range(end)
        ]


__all__ = ["OperationList", "excess", "lists", "operations", "splits", "through", "worth", "written"]
