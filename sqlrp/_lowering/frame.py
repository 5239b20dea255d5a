"""A source as the lowerings see it: names, kinds of numbers, size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from typing import Any, Literal

import numpy as np

from sqlrp._core.draw import Ints
from sqlrp._core.errors import shorten
from sqlrp._core.names import spelled
from sqlrp._core.numbers import Number, common
from sqlrp._core.reprs import short_repr
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Column, Dialect
from sqlrp._lowering.left_out import described, doubt, notable, suspects

Layout = Literal["wide", "array", "long"]

_SHOWN = 5
"""The columns of features that a message names."""
PLACE = "\0"
"""The placeholder of the table in the SQL of a template: a character that no name and no statement contains."""


@dataclass(frozen=True)
class Part:
    """An array column, whose elements are features."""

    name: str
    number: Number
    size: int
    ragged: bool = True
    """a list column, whose lengths the query checks"""
    cast: str | None = None
    """the expression that makes an array of a column of another type, with `{column}` in it"""
    text: bool = False
    """whether that column holds arrays as text"""


@dataclass(frozen=True)
class Frame:
    """A resolved source: names are as in the table, and every feature has a kind of number."""

    __repr__ = short_repr

    layout: Layout
    table: TableName
    key: str | None
    keep: tuple[str, ...]
    names: tuple[str, ...]
    """wide: the feature columns; array: the array columns; long: the feature and value columns"""
    numbers: tuple[Number, ...]
    """wide: one kind per feature; array and long: one kind for all features"""
    nullable: tuple[bool, ...]
    """wide: one value per feature; array and long: one value for all features"""
    n_features: int | None
    """None for an open vocabulary"""
    text_features: bool = False
    """long: the features are names, which the query hashes"""
    parts: tuple[Part, ...] = ()
    """array: the array columns; the features of a row are their elements, column after column"""
    rows: int | None = field(default=None, compare=False)
    """the approximate number of rows of the table"""
    query: str = ""
    """the query to read instead of the table, for a join"""
    place: bool = False
    """whether `PLACE` stands for the table, so that a template can fill it in"""
    doubles: frozenset[str] = field(default=frozenset(), compare=False)
    """wide: the features whose columns have the type of the kind DOUBLE, so that they need no cast to it"""
    whole: bool = field(default=False, compare=False)
    """wide: whether `kept` and the features are all columns of the table, in its order"""
    left_out: tuple[Column, ...] = field(default=(), compare=False)
    """wide: the columns that are neither features nor kept, if the source does not name its features"""
    doubts: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """why columns that are left out may be meant as features, in words"""
    asides: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """wide: what is to be said of numbers that are perhaps no features, in words"""
    chosen: bool = field(default=True, compare=False)
    """whether the source or the projection names the features, so that columns are left out on purpose"""
    passing: tuple[Column, ...] = field(default=(), compare=False)
    """the columns that pass through, `kept`; empty if only their names are known"""
    cells: int | None = field(default=None, compare=False)
    """long: the approximate number of rows of the table, one for each cell"""
    computed: tuple[tuple[str, str], ...] = ()
    """the kept columns that are computed and not read, each with its expression over the source's columns"""
    temporary: bool = field(default=False, compare=False)
    """whether the table is a temporary one of sqlrp's"""
    in_memory: bool = field(default=False, compare=False)
    """whether the table is a dataframe or a lazy frame, whose name the user does not know"""
    threads: int | None = field(default=None, compare=False)
    """the number of threads that the engine uses; None if it does not say"""
    memory: int | None = field(default=None, compare=False)
    """the bytes of memory that the engine may use; None if it does not say"""

    @classmethod
    def of_arrays(cls, table: TableName, key: str | None, keep: tuple[str, ...], *parts: Part, **more: Any) -> Frame:
        """A frame of array columns. `more`: other fields."""
        names, number = tuple(part.name for part in parts), common([part.number for part in parts])
        size = sum(part.size for part in parts)
        return cls("array", table, key, keep, names, (number,), (True,), size, parts=parts, **more)

    @property
    def is_open(self) -> bool:
        """Whether features are words, or numbers of a vocabulary that no one stated."""
        return self.n_features is None or self.text_features

    @property
    def sizes(self) -> tuple[int, ...]:
        """array: the number of features in each array column."""
        return tuple(part.size for part in self.parts)

    @property
    def read(self) -> list[tuple[str, Number]]:
        """The columns of numbers, with their kinds."""
        if self.layout == "array":
            return [(part.name, part.number) for part in self.parts]
        return list(zip(self.names[-len(self.numbers) :], self.numbers, strict=True))

    def relation(self, dialect: Dialect) -> str:
        """The text after FROM."""
        if self.place:
            return PLACE
        return f"({self.query}) joined" if self.query else dialect.table(self.table)

    def counted(self, rows: int | None) -> Frame:
        """The frame with the number of rows of its table; None if that is not known."""
        return replace(self, cells=rows) if self.layout == "long" else replace(self, rows=rows)

    def shared(self, group: int) -> float:
        """How many times as fast as one thread the engine's threads read the table, each of them whole row groups.

        `group`: the rows of a row group; 0 if that is not known, and one thread is assumed.
        """
        rows = (self.cells if self.layout == "long" else self.rows) or 0
        if not rows or not group:
            return 1.0
        groups = -(-rows // group)
        return rows / min(-(-groups // (self.threads or 1)) * group, rows)

    def hides(self, name: str) -> bool:
        """Whether a relation of that name would hide the source's table in the statement that reads it."""
        return not self.place and (spelled(self.table.parts[-1]) == name or name in spelled(self.query))

    @property
    def width(self) -> int:
        """The number of features; 0 for an open vocabulary."""
        return self.n_features or 0

    @property
    def number(self) -> Number:
        """The kind of number that holds every feature."""
        return common(self.numbers)

    @property
    def feature_numbers(self) -> Ints:
        """The feature numbers for the draw: positions."""
        return np.arange(self.width, dtype=np.int64)

    def carried(self, dialect: Dialect) -> list[str]:
        """The expressions of the columns that pass through, `kept`."""
        computed = dict(self.computed)
        return [computed.get(name) or dialect.quote(name) for name in self.kept]

    def selected(self, dialect: Dialect) -> list[str]:
        """The columns that pass through, as a SELECT of the source lists them."""
        computed = dict(self.computed)
        return [f"{computed[n]} AS {dialect.quote(n)}" if n in computed else dialect.quote(n) for n in self.kept]

    @property
    def called(self) -> str:
        """The table's name in messages."""
        return "the frame" if self.in_memory else str(self.table)

    @property
    def features_in_words(self) -> str:
        """The number of features, and the first of them or the columns that they are in."""
        if self.layout == "long":
            count = "an open vocabulary of features" if self.n_features is None else f"{self.n_features:,} features"
            return f"{count} (named in {shorten(self.names[0])})"
        shown = ", ".join(map(shorten, self.names[:_SHOWN])) + ", …" * (len(self.names) > _SHOWN)
        return f"{self.width:,} {'features' if self.width != 1 else 'feature'} ({shown})"

    @property
    def passed_over(self) -> str:
        """The columns that are left out, in words; empty if there are none."""
        return described(self.left_out)

    @property
    def caution(self) -> str:
        """The text of the warning about the columns that are left out; empty if there is no reason to warn."""
        if self.chosen or not (notable(self.left_out) or self.doubts):
            return ""
        first = "; ".join(self.doubts[:_SHOWN]) + "; … " * (len(self.doubts) > _SHOWN)
        why = f": {first}; cast what is meant as a number" if self.doubts else ""
        return (
            f"the features are the {len(self.names)} numeric columns of {self.called}; left out: {self.passed_over}"
            f"{why}; name the features, or put what is to pass through into keep"
        )

    def doubted(self, read: Callable[[Sequence[str]], Iterable[Sequence[object]]]) -> Frame:
        """The frame with what its left-out columns may hold. `read`: the first rows of some columns."""
        names = [] if self.chosen else suspects(self.left_out)
        if not names:
            return self
        columns = zip(*read(names), strict=True)
        found = [said for name, values in zip(names, columns, strict=False) if (said := doubt(name, values))]
        return replace(self, doubts=tuple(found))

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns that pass through: the key, if there is one, and `keep`."""
        return self.keep if self.key is None else (self.key, *self.keep)
