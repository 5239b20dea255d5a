"""What an engine is: facts (quoting, types, limits, costs), the few phrases of its SQL, and a connection.

Rendering uses the facts and phrases only and never needs the connection.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp.errors import UnsupportedError
from sqlrp.layouts import TableName
from sqlrp.numbers import Number
from sqlrp.signs import Ints

Numbers = Ints | npt.NDArray[np.float64]
Lowering = Literal["inline", "indexed", "relational"]


@dataclass(frozen=True)
class ColumnType:
    """What a column holds: numbers (`number`), an array of them (`is_array`, `size` where fixed), or text."""

    text: str
    number: Number | None = None
    is_array: bool = False
    size: int | None = None
    is_text: bool = False


@dataclass(frozen=True)
class Column:
    """A column of a source."""

    name: str
    type: ColumnType
    nullable: bool = True


@dataclass(frozen=True)
class Limits:
    """What one statement of the engine may hold; None where the engine states no limit."""

    columns: int | None
    """columns of a result or a table"""
    terms: int
    """terms (additions and multiplications) of the inline lowering in one statement"""
    array: int | None = None
    """elements of an array"""
    source: str = ""
    """where the figures come from"""


@dataclass(frozen=True)
class Costs:
    """Measured constants of the planner, in seconds; `sqlrp.explain` shows what follows from them."""

    plan_term: float
    """to parse and plan one term of inline text"""
    run: dict[Lowering, float]
    """to run one term for one row"""
    start: dict[Lowering, float]
    """to start, whatever the size"""
    source: str = ""
    """how they were measured"""


class Engine(ABC):
    """One engine: its facts, its phrases, its connection."""

    name: ClassVar[str]
    limits: ClassVar[Limits]
    costs: ClassVar[Costs]
    lowerings: ClassVar[tuple[Lowering, ...]]
    folds_case: ClassVar[bool] = False
    """whether column names differing in case only are the same"""

    materialized: ClassVar[str] = ""
    """what makes a common table expression be computed once"""

    # -- phrases -----------------------------------------------------------------------------

    @abstractmethod
    def quote(self, name: str) -> str:
        """An identifier."""

    @abstractmethod
    def string(self, text: str) -> str:
        """A string literal."""

    @abstractmethod
    def table(self, name: TableName) -> str:
        """A table, view or file as it stands after FROM."""

    @abstractmethod
    def read_type(self, text: str) -> ColumnType:
        """What a column of the named type holds."""

    @abstractmethod
    def type_name(self, number: Number) -> str | None:
        """The narrowest type that holds every such number, in sums; None if there is none."""

    def multiplies(self, number: Number) -> bool:
        """Whether the type of `number` is exact under multiplication too."""
        return self.type_name(number) is not None

    def cast(self, expression: str, number: Number) -> str:
        """The expression as the type that holds `number`."""
        return f"CAST({expression} AS {self.type_name(number)})"

    def widen(self, feature: str, have: Number, want: Number) -> str:
        """A feature's column of kind `have` as the type that sums of kind `want` are taken in."""
        return self.cast(feature, want)

    def narrow(self, total: str, number: Number) -> str:
        """An aggregate's result, whose type the engine chose, as the type that holds `number`."""
        return self.cast(total, number)

    def halved(self, expression: str) -> str:
        """Half of a non-negative whole number, rounded down."""
        return f"({expression} / 2)"

    def finite(self, expression: str) -> str | None:
        """The condition that a floating number is neither NaN nor infinite; None where there are none such."""
        return None

    def literal(self, value: float, number: Number) -> str:
        """A numeric literal of the type that holds `number`."""
        text = (
            str(int(value))
            if number.exact
            else f"{float(value)!r}e0"
            if "e" not in repr(float(value))
            else repr(float(value))
        )
        return text if number.kind in ("int", "double") else self.cast(text, number)

    @abstractmethod
    def fail(self, message: str) -> str:
        """An expression that fails with the message when it is evaluated."""

    @abstractmethod
    def numbers_from_zero(self, n: int, column: str) -> str:
        """SELECT of 0 … n-1 as `column`."""

    @abstractmethod
    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """SELECT of the given columns, one row an entry."""

    @abstractmethod
    def row_number(self) -> str:
        """An expression that numbers the rows of a FROM."""

    @abstractmethod
    def hash_name(self, expression: str) -> str:
        """The feature number of a text expression, as `signs.hash_name`."""

    def shuffled(self, key: str, seed: int) -> str:
        """An expression of a row's key to order by, as good as random and the same at every run."""
        return f"md5(CONCAT(CAST({key} AS VARCHAR), ' {seed}'))"

    def text_type(self, length: int | None) -> str:
        """The type of text of up to so many characters; None for any number."""
        return "VARCHAR"

    def saving(self, name: str, definition: str) -> list[str]:
        """What a saved projection needs beside its row in the catalogue."""
        return []

    # -- arrays ------------------------------------------------------------------------------

    @abstractmethod
    def array_of(self, expressions: Sequence[str], number: Number) -> str:
        """An array of the expressions: the result column z."""

    @abstractmethod
    def list_of(self, expressions: Sequence[str]) -> str:
        """A list of the expressions, within a query."""

    @abstractmethod
    def cast_array(self, array: str, number: Number) -> str:
        """An array column as a list of the type that holds `number`."""

    def or_zeros(self, array: str, n: int, number: Number) -> str:
        """A list, or n zeros where it is NULL."""
        raise UnsupportedError(f"{self.name} has no indexed lowering")

    @abstractmethod
    def scaled(self, array: str, factor: str | None, number: Number, size: int) -> str:
        """A list times a factor, as the result column z."""

    @abstractmethod
    def element(self, array: str, position: int) -> str:
        """One element of an array, positions from 0."""

    @abstractmethod
    def length(self, array: str) -> str:
        """How many elements an array has."""

    @abstractmethod
    def complete(self, array: str, n: int) -> str:
        """The condition that an array is not NULL and that none of its n elements is."""

    @abstractmethod
    def unnest(self, relation: str, columns: Sequence[str], array: str, position: str, value: str) -> str:
        """SELECT of the columns, with position (from 0) and value of each element of an array column."""

    @abstractmethod
    def collect(self, value: str, order: str) -> str:
        """An aggregate: the values of a group as an array, by order."""

    # -- index lists, for engines with the indexed lowering ------------------------------------

    def appended(self, array: str, value: str) -> str:
        """A list with one more element."""
        raise UnsupportedError(f"{self.name} has no indexed lowering")

    def index_lists(self, lists: list[list[int]]) -> str:
        """A constant list of lists of positions, given from 0."""
        raise UnsupportedError(f"{self.name} has no indexed lowering")

    def signed_sums(self, array: str, plus: str, minus: str, number: Number) -> str:
        """For each list of positions: the sum of the elements at plus, less those at minus."""
        raise UnsupportedError(f"{self.name} has no indexed lowering")

    def sums_of_products(self, array: str, lists: str, degree: int, number: Number) -> str:
        """For each list of positions: the sum of the products of each `degree` consecutive ones."""
        raise UnsupportedError(f"{self.name} has no indexed lowering")

    # -- connection --------------------------------------------------------------------------

    @abstractmethod
    def columns(self, connection: Any, name: TableName) -> list[Column]:
        """The columns of a table, in table order; raises SourceError for an unknown table."""

    @abstractmethod
    def count(self, connection: Any, name: TableName) -> int | None:
        """About how many rows a table has; None where asking costs a scan."""

    @abstractmethod
    def array_length(self, connection: Any, name: TableName, column: str) -> int | None:
        """The length of the first array that is not NULL; None where there is none."""

    @abstractmethod
    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement; raises StatementError."""

    @abstractmethod
    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """Run a query; raises StatementError."""
