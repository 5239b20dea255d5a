"""Phrases about arrays. An engine without arrays refuses them; one without lambdas refuses the lists of positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.numbers import DOUBLE, SINGLE, Number
from sqlrp._dialects.facts import ARRAY, ColumnType
from sqlrp._dialects.phrases import Phrases


class ArrayPhrases(Phrases):
    """The phrases of arrays and of lists of positions."""

    def array_of(self, expressions: Sequence[str], number: Number) -> str:
        """An array of the expressions, as the result column z."""
        return self.list_of(expressions)

    def array_type(self, number: Number, size: int) -> str:
        """The type of the result column z."""
        if not self.array:
            raise self._refused("names of types of arrays")
        return self.array.format(number=self.type_name(number))

    def fixed(self, array: str, number: Number, size: int) -> str:
        """An array of `array_of` or `scaled` as the result column z, if the engine's arrays have a fixed size."""
        return array

    def typed(self, array: str, size: int, output: str, half: bool) -> str:
        """An array of numbers as the result column z, of 32-bit floats or as a vector; `half`: of 16-bit floats."""
        return array if self.types_when_made else f"CAST({array} AS {self.column_type(size, output, half)})"

    def column_type(self, size: int, output: str, half: bool) -> str:
        """The type of the result column z of `typed`."""
        if output != "vector":
            return self.array_type(SINGLE, size)
        return (self.half_vector if half else self.vector).format(k=size)

    def array_for(self, text: str) -> str:
        """The type of arrays to which a column of another type, `text`, is cast, as messages name it."""
        return self.array_type(SINGLE, 0) if self.array else "an array of numbers"

    def stored_array(self, column: str, cast: str | None) -> str:
        """An array column for reading element by element; by the expression `cast` if the column is of another type."""
        return cast.format(column=column) if cast else column

    def as_array(self, kind: ColumnType) -> ColumnType | None:
        """The type as which an `Array` source reads a column of another type; None if it cannot.

        Text such as JSON's [0.1, 0.2] has no fixed length, even if all texts have the same.
        """
        texts = kind.is_text or kind.text in self.json_types
        if not self.array_of_text or not texts:
            return None
        return replace(kind, number=DOUBLE, is_array=True, is_text=True, cast=self.array_of_text)

    def holds_array(self, column: str) -> str:
        """The condition that a text, or JSON, is an array of numbers."""
        if not self.matches:
            raise self._refused("arrays as texts")
        return self.matches.format(text=self.as_text(column), pattern=self.string(ARRAY.pattern))

    def concatenated(self, arrays: Sequence[str], columns: Sequence[str]) -> str:
        """The arrays as one, the elements of the first ones first; NULL if one of the columns that hold them is."""
        if not self.joins_arrays:
            raise self._refused("several array columns")
        one = reduce(lambda done, array: f"{self.joins_arrays}({done}, {array})", arrays)
        present = " AND ".join(self.has_array.format(column=column) for column in columns)
        return f"CASE WHEN {present} THEN {one} END" if self.has_array else one

    def list_of(self, expressions: Sequence[str]) -> str:
        """A list of the expressions, for use within a query."""
        raise self._refused("arrays")

    def cast_array(self, array: str, number: Number) -> str:
        """An array column as a list of the type that holds `number`."""
        return f"CAST({array} AS {self.type_name(number)}[])"

    def or_zeros(self, array: str, n: int, number: Number) -> str:
        """The list, or n zeros if it is NULL."""
        raise self._refused("indexed lowering")

    def scaled(self, array: str, factor: str | None, number: Number, size: int) -> str:
        """A list times a factor, as the result column z."""
        raise self._refused("arrays")

    def element(self, array: str, position: int) -> str:
        """The element of an array at a position. `position` counts from 0; most engines count from 1."""
        return f"{array}[{position + 1}]"

    def looked_up(self, array: str, position: str, after: str | None) -> str:
        """The element at a position, counted from 0, that the query computes; `after`: the value of later positions."""
        raise self._refused("lists of positions")

    def array_or_null(self, array: str, ok: str) -> str:
        """The array, or NULL if the number `ok` is NULL."""
        return f"CASE WHEN {ok} IS NOT NULL THEN {array} END"

    def length(self, array: str) -> str:
        """The number of elements of an array."""
        raise self._refused("arrays")

    def complete(self, array: str, n: int) -> str:
        """The condition that an array of n elements is not NULL and has no NULL element."""
        raise self._refused("arrays")

    def unnest(
        self, relation: str, columns: Sequence[str], array: str, position: str, value: str, filled: bool = False
    ) -> str:
        """A SELECT of the columns, with the position (from 0) and the value of each element of an array column.

        `filled`: no array is NULL or empty.
        """
        raise self._refused("arrays")

    def collect(self, value: str, order: str) -> str:
        """An aggregate: the values of a group as an array, sorted by `order`."""
        raise self._refused("arrays")

    def gathered(self, position: str, value: str, size: int, zero: str) -> str:
        """Aggregates that `filled` reads: f, a group's positions, and x, their values; or x, all `size` values."""
        raise self._refused("lists of positions")

    def filled(self, positions: str, values: str, size: int, zero: str) -> str | None:
        """A list of `size` elements: gathered values at their positions, zero elsewhere. None if that is slow."""
        return None

    def dot_from(self, array: str, other: str, place: int, n: int) -> str | None:
        """The dot product of n elements with those of another array from a place on; None without a phrase for it."""
        return None

    def convolved(self, array: str, n: int) -> tuple[str, str, str] | None:
        """Lists a and b, and the list of the dot products that read them: the circular convolution of the first n
        elements with the next n, and the elements after those. None without a phrase for it."""
        return None

    # -- index lists, for engines with the indexed lowering ------------------------------------

    def appended(self, array: str, value: str) -> str:
        """The list with one more element."""
        raise self._refused("indexed lowering")

    def index_lists(self, lists: list[list[int]]) -> str:
        """A constant list of lists of positions. The given positions count from 0."""
        raise self._refused("indexed lowering")

    def signed_sums(self, array: str, plus: str, minus: str, number: Number) -> str:
        """For each pair of position lists: the sum of the elements at `plus`, minus the sum of the ones at `minus`."""
        raise self._refused("indexed lowering")

    def sums_by_bits(
        self, array: str, signs: npt.NDArray[Any], number: Number, first: int
    ) -> tuple[list[str], str] | None:
        """The signed sums of one row by the columns of `signs`, with bits for signs; None where lists take less time.

        The first value has the constants that the expression reads, to be named as those of `dots`.
        """
        return None

    def weight_lists(self, lists: Sequence[npt.NDArray[np.float64]], number: Number) -> str:
        """A constant list of lists of weights, of the type that holds `number`."""
        raise self._refused("lists of weights")

    def weighted_sums(self, array: str, weights: str, places: str | None) -> str:
        """For each list of weights: its dot product with the elements, or with those at the positions in `places`."""
        raise self._refused("lists of weights")

    def dots(self, array: str, weights: npt.NDArray[Any], number: Number, first: int) -> tuple[list[str], str]:
        """The list of the dot products of an array with every column of `weights`, for engines with `scalar_lists`.

        The first value has the constant lists that the expression reads, to be named `l{first}` and so on.
        A weight of 0 leaves an element out, even if the element is infinite or NaN.
        """
        raise self._refused("lists of weights")

    def small_blocks(self, n: int) -> str:
        """What follows the settings of a query whose blocks of rows of n numbers should stay in a processor's cache."""
        return ""

    def parts_of(self, array: str, signs: str, n: int, length: int) -> tuple[str, list[str]]:
        """For engines with `adds_lists`: the n elements of an array times those of another, padded with zeros to whole
        parts of so many elements, and the parts of such an array x."""
        raise self._refused("sums of lists")

    def weighing(self, flips: npt.NDArray[Any], signs: npt.NDArray[Any], number: Number) -> list[str]:
        """The constant lists that `parts_of` multiplies by, and that `dot` reads: one for each column of `signs`."""
        raise self._refused("sums of lists")

    def dot(self, array: str, lists: str, place: int) -> str:
        """The dot product of an array with the constant list at a place, which counts from 0."""
        raise self._refused("lists of weights")

    # -- expressions without a query: constant lists are text, in which ; ends a list, and , an item -----------------

    def where(self, array: str, value: str) -> str:
        """The value of an expression over x, which stands for the array."""
        raise self._refused("expressions over lists")

    def sums_of_text(self, array: str, text: str, factors: int) -> str:
        """For each list of items weight:position:…, the sum of the weights times the elements at their positions."""
        raise self._refused("expressions over lists")

    def rescaled_by_text(self, array: str, text: str) -> str:
        """For each item position:offset:scale, (element - offset)·scale."""
        raise self._refused("expressions over lists")

    def unit_list(self, array: str) -> str:
        """The list divided by its Euclidean norm, or by 1 if that is 0."""
        raise self._refused("expressions over lists")

    def failing_list(self, message: str, array: str) -> str:
        """A list that fails with the message when it is computed for the array."""
        raise self._refused("expressions over lists")

    def multiplies_lists(self, number: Number) -> bool:
        """Whether dot products of lists are computed in the type that holds `number`, without overflow."""
        return not number.exact

    def each(self, array: str, value: str) -> str:
        """The list of the values of an expression over e, one for each element e."""
        raise self._refused("lists of weights")

    def sums_of_products(self, array: str, lists: str, degree: int, number: Number) -> str:
        """For each list of positions: the sum of the products of every `degree` consecutive elements."""
        raise self._refused("indexed lowering")

    def long_sums(
        self, cells: str, vectors: str, width: int, starts: Sequence[str], number: Number, spread: bool
    ) -> str:
        """A SELECT of r, counted, present and sums, for each row r of the cells (r, f, x).

        The numbers counted and present are equal if no cell of the row is NULL.
        `vectors` (f, b, v): the signs of feature f in the sums b to b + `width`, as a list v of -1, 0 and +1; lists of
        zeros are left out. `starts`: the value that each sum starts with. `spread`: whether the vectors are few enough
        to be sent to every worker.
        """
        raise self._refused("sums of long rows")
