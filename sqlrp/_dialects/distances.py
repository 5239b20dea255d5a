"""Phrases of distances: between arrays, between vectors of the engine's vector search, and between codes of bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from sqlrp._core.errors import UnsupportedError
from sqlrp._core.numbers import WORD_BITS, Number
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass
from sqlrp._dialects.array_phrases import ArrayPhrases


@dataclass(frozen=True)
class SearchFunction:
    """What a function that searches is, besides its query."""

    key: str
    """the name of the key"""
    type: str
    """the type of the key"""
    candidates: int
    """the number of candidates unless a call says another one"""
    vectors: str
    """the schema of the engine's vector search; empty without one"""
    mark: str
    record: str
    """the record, of which the mark is a part, where the comment of a function keeps it"""
    sure: bool = False
    """whether its last column says which rows are sure"""

    def columns(self, key: str, double: str, quote: Callable[[str], str] = str) -> str:
        """The columns of its result, with their types. `key`: the name of the key as SQL."""
        sure = f", {quote('sure')} BOOLEAN" if self.sure else ""
        return f"{key} {self.type}, {quote('distance')} {double}{sure}"


class Distances(ArrayPhrases):
    """The phrases of a search."""

    counts_bits: ClassVar[bool] = False
    """whether BIT_COUNT counts the bits of a number, and ^ has those in which two differ"""
    shifts_bits: ClassVar[bool] = False
    """whether >> shifts the bits of a number, and & has those that two share"""
    looks_up: ClassVar[bool] = False
    """whether a search looks up sums of several components of a packed code by `looked_up`, as it then is faster"""
    has_searches: ClassVar[bool] = False
    """whether a function of the database may search a table"""

    joins_vector: ClassVar[bool] = False
    """Whether such a function joins its vector with the rows of the source, as a query for each element of it is
    planned slowly. chdb gives no rows for the next query after such a function has refused a vector.
    """
    has_lateral: ClassVar[bool] = False
    """whether a search joins many vectors by LATERAL, for which an index of the table may be used"""

    limits_by_expression: ClassVar[bool] = True
    """whether LIMIT takes an argument of a function that searches"""

    has_distances: ClassVar[bool] = False
    """whether `euclidean` and `inner_product` compare arrays; otherwise a search compares their elements one by one"""

    def filled_array(self, array: str, size: int) -> str:
        """An array of `size` numbers, with 0 for NULL in it and for all of one that is NULL, if `size` says so."""
        return array

    lists_rows: ClassVar[bool] = False
    """whether a row of many columns is compared as an array of them, which is planned faster than its numbers"""

    def numbers(self, values: Sequence[float]) -> str:
        """A constant array of doubles."""
        return self.list_of([repr(float(value)) for value in values])

    def whole_array(self, array: str, size: int) -> str:
        """An array of `size` numbers that many rows are compared with, without NULL where a distance takes none."""
        return array

    def row_of(
        self, columns: Sequence[tuple[str, Number]], whole: Callable[[str], str], write: Callable[[str], str]
    ) -> str:
        """What `write` makes of columns of these kinds as one array of doubles, which stands once in the text.

        `whole` is what is done with the array before, for NULL in it.
        """
        raise self._refused("rows as arrays")

    def arrays_are_there(self, column: str) -> str:
        """The condition that a column of arrays or vectors holds those of a row without NULL."""
        return f"{column} IS NOT NULL"

    def euclidean(self, a: str, b: str, size: int = 0) -> str:
        """The Euclidean distance of two arrays of one length. Where `a` has NULL, it is 0.

        `size`: that length, if neither array has NULL in a row that is compared.
        """
        raise self._refused("distances of arrays")

    def product(self, a: str, b: str) -> str | None:
        """The inner product of two arrays of doubles without NULL, by one function; None without such a function."""
        return None

    def inner_product(self, a: str, b: str, size: int = 0) -> str:
        """The inner product of two arrays of one length. Where `a` has NULL, it is 0. `size`: as in `euclidean`."""
        raise self._refused("inner products of arrays")

    def squares(self, a: str, size: int = 0) -> str:
        """The sum of the squares of an array, as `square` writes them. NULL is 0. `size`: as in `euclidean`."""
        return self.inner_product(a, a, size)

    def vector_of(self, values: Sequence[float]) -> str:
        """A constant vector of the engine's vector search."""
        return self.numbers(values)

    def vector_from(self, array: str, size: int, half: bool, vectors: str) -> str:
        """A vector of the engine's vector search from an array of numbers; `half`: of 16-bit floats."""
        return f"CAST({array} AS {(self.half_vector if half else self.vector).format(k=size)})"

    def bytes_as_vector(self, column: str, size: int) -> str:
        """A column of vectors of bytes, as one of vectors of floats (`Facts.has_bytes`)."""
        raise self._refused("vectors of bytes")

    def vector_distance(self, a: str, b: str, metric: str, vectors: str) -> str:
        """The distance, by which an index may order, of a column of vectors from one vector.

        `metric`: "l2", "cosine" or "inner", of which the last is the negative of the inner product. `vectors`: as in
        `code_distance`.
        """
        raise self._refused("distances of vectors")

    def vector_product(self, a: str, b: str, size: int, vectors: str) -> str:
        """The inner product of two vectors of `size` numbers, of which each is a column or a constant.

        Where the engine has none, it is that of the triangle with the origin, by the lengths of its sides.
        """
        try:
            return f"(-({self.vector_distance(a, b, 'inner', vectors)}))"
        except UnsupportedError:
            origin = self.vector_of([0.0] * size)
            one, other, apart = (self.vector_distance(*to, "l2", vectors) for to in ((a, origin), (b, origin), (a, b)))
            return f"(0.5*({one}*{one}+{other}*{other}-{apart}*{apart}))"

    def differing(self, a: str, b: str) -> str:
        """The number of bits in which two words differ."""
        if not self.counts_bits:
            raise self._refused("count of the bits of a number")
        return f"BIT_COUNT({a} ^ {b})"

    def field(self, word: str, at: int, width: int) -> str:
        """The whole number of so many bits, above `at` others, of a word that is not below 0."""
        if not self.shifts_bits:
            raise self._refused("shift of the bits of a number")
        return f"(({word}>>{at})&{(1 << width) - 1})" if at else f"({word}&{(1 << width) - 1})"

    def ones(self, x: str, both: Callable[[str, str], str], right: Callable[[str, int], str]) -> str:
        """The number of ones of a word with a sign, on an engine without a function that counts them.

        Sums of three bits at a time, then of six, whose remainder by 63 is the sum of all (HAKMEM, item 169). The two
        highest bits are counted apart, so that the others are fewer than 63. `both` writes the bitwise and, `right` a
        shift to the right.
        """
        top = WORD_BITS - 2
        low = 2**top - 1
        y, single, double = both(x, str(low)), str(int("1" * 21, 8) & low), str(int("3" * 21, 8) & low)
        t = f"({y}-{both(right(y, 1), double)}-{both(right(y, 2), single)})"
        sixes = both(f"({t}+{right(t, 3)})", str(int("07" * 11, 8) & low))
        return f"({self.remainder(sixes, 63)}+CASE WHEN {x}<0 THEN 1 ELSE 0 END+{both(right(x, top), '1')})"

    def code_distance(self, a: str, b: str, vectors: str) -> str:
        """The number of bits in which a column of the type `code` differs from another code.

        `vectors`: the schema of the engine's vector search, so that an index may order by the distance; or empty.
        """
        raise self._refused("type of bits")

    # -- searches as functions of the database -------------------------------------------------------------------

    def without_null(self, array: str) -> str:
        """An array of numbers without NULL, of the type that says so where `euclidean` needs it."""
        return array

    def creating_search(self, name: TableName, body: Callable[[str, str, str], str], made: SearchFunction) -> str:
        """Make a table function of the vector of a search, of n and of the number of candidates.

        `body` is its query, for what these three are called in it.
        """
        raise self._refused("functions that search")

    def dropping_search(self, name: TableName) -> str:
        """Drop a function of `creating_search`."""
        raise self._refused("functions that search")

    def search_query(self, name: TableName) -> str:
        """The query that returns a row if there is a function of that name. A row shows its mark."""
        raise self._refused("functions that search")
