"""What an engine is: facts (quoting, types, limits, costs), the few phrases of its SQL, and a connection.

Rendering uses the facts and phrases only and never needs the connection.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp.core.draw import Ints
from sqlrp.core.errors import SourceError, UnsupportedError
from sqlrp.core.numbers import Number
from sqlrp.core.script import Script, Statement
from sqlrp.core.sources import TableName

Numbers = Ints | npt.NDArray[np.float64]
Lowering = Literal["inline", "indexed", "relational", "kernel"]


@dataclass(frozen=True)
class ColumnType:
    """What a column holds: numbers (`number`), an array of them (`is_array`, `size` where fixed), or text.

    `cast`: the array type that a column of another type, such as pgvector's, is read as.
    """

    text: str
    number: Number | None = None
    is_array: bool = False
    size: int | None = None
    is_text: bool = False
    cast: str | None = None


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
    stored: int | None = None
    """columns of numbers that a row of a temporary table holds, where that is less than `columns`"""
    source: str = ""
    """where the figures come from"""
    expressions: int | None = None
    """numbers that a query may compute for one row before they become a list"""


@dataclass(frozen=True)
class Costs:
    """Measured constants of the planner, in seconds by lowering; `sqlrp.explain` shows what follows from them."""

    start: Mapping[Lowering, float]
    """to start, whatever the size"""
    plan_term: Mapping[Lowering, float]
    """to parse and plan one term or feature of the text"""
    run: Mapping[Lowering, float]
    """to run one term for one row"""
    dot: Mapping[Lowering, float] = field(default_factory=dict)
    """to run one term for one row where a function multiplies two lists and sums: `Engine.has_dot`"""
    draw: Mapping[Lowering, float] = field(default_factory=dict)
    """to draw one weight outside an expression, once for all rows"""
    state: Mapping[Lowering, Mapping[str, float]] = field(default_factory=dict)
    """to plan one component of the result, by output: a column costs more than an element of a list"""
    read: Mapping[Lowering, Mapping[str, float]] = field(default_factory=dict)
    """to read one feature of one row, by layout"""
    write: Mapping[Lowering, Mapping[str, float]] = field(default_factory=dict)
    """to write one component of one row, by output"""
    source: str = ""
    """how they were measured"""

    def to_json(self) -> dict[str, Any]:
        """As `costs.json` has them."""
        return asdict(self)


class Engine(ABC):
    """One engine: its facts, its phrases, its connection."""

    name: ClassVar[str]
    limits: ClassVar[Limits]
    costs: ClassVar[Costs]
    lowerings: ClassVar[tuple[Lowering, ...]]
    """those in plain SQL, which the planner chooses from"""
    has_kernel: ClassVar[bool] = False
    """whether a connection may run functions of this process"""
    folds_case: ClassVar[bool] = False
    """whether column names differing in case only are the same"""

    materialized: ClassVar[str] = ""
    """what makes a common table expression be computed once"""
    long_width: ClassVar[int] = 0
    """the most sums in one aggregate of `long_sums`, by which the indexed lowering reads long rows; 0: it does not"""
    has_dot: ClassVar[bool] = False
    """whether the indexed lowering reads lists of weights, by `weighted_sums` and `each`"""
    repeats: ClassVar[bool] = False
    """whether a common table expression is computed anew wherever it is named: rows numbered in one may then differ"""
    stores: ClassVar[bool] = False
    """whether the relational lowering keeps every relation in a temporary table, not in a common table expression"""
    fence: ClassVar[str] = ""
    """what ends a subquery that the engine would otherwise merge, and compute anew wherever a column of it is named"""
    settings: ClassVar[str] = ""
    """what ends a query, so that the engine reads it as the others do"""
    reads_files: ClassVar[bool] = True
    """whether a file stands in FROM as a table does"""
    has_md5: ClassVar[bool] = True
    """whether text can be hashed"""
    can_fail: ClassVar[bool] = True
    """whether an expression can fail with words; else what is wrong in a long row makes its outputs NULL"""
    numbers_by_columns: ClassVar[bool] = False
    """whether rows are numbered in the order of all their columns, as in no other way the numbers stay the same"""
    temporary: ClassVar[str] = ""
    """what stands before the name of a temporary table, so that it means no other"""
    has_temporary: ClassVar[bool] = True
    """whether a session keeps temporary tables"""
    has_arrays: ClassVar[bool] = True
    """whether a column can hold an array"""
    keeps_text: ClassVar[bool] = False
    """whether a projection saved with a source keeps its text, for functions of the database to run"""
    keeps_nothing: ClassVar[str] = ""
    """what to do instead where the tables of the engine change no rows, so that there is no catalogue; else empty"""
    transactional: ClassVar[bool] = True
    """whether a table is made, dropped and renamed within a transaction"""
    nests: ClassVar[bool] = False
    """whether a transaction within another is a savepoint, which waits for the lock of others"""
    for_update: ClassVar[str] = ""
    """what makes a query wait for others that are changing its rows, and read what they left"""
    has_materialized_views: ClassVar[bool] = False
    """whether the engine keeps a view's rows itself"""

    listing: ClassVar[str] = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
    """the query of the names of the tables of the current schema"""
    functions: ClassVar[str] = ""
    """the query of the names of the functions that are there, where `install` makes some"""

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

    def remainder(self, expression: str, divisor: int) -> str:
        """What a division of a non-negative whole number leaves."""
        return f"({expression} % {divisor})"

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

    def exp(self, x: str) -> str:
        """e to a number's power."""
        return f"exp({x})"

    def greatest(self, expressions: Sequence[str]) -> str:
        """The greatest of several numbers."""
        return f"greatest({', '.join(expressions)})"

    @abstractmethod
    def fail(self, message: str) -> str:
        """An expression that fails with the message when it is evaluated."""

    def checked(self, wrong: str, message: str, value: str) -> str:
        """The value, whatever its type; it fails with the message where the condition `wrong` holds."""
        return f"CASE WHEN {wrong} THEN {self.fail(message)} ELSE {value} END"

    def same(self, a: str, b: str) -> str:
        """Equality by which NULL equals NULL."""
        return f"{a} IS NOT DISTINCT FROM {b}"

    def create_temporary(self, name: str, query: str, numbered: bool = True) -> str:
        """Make a temporary table of a query; where it is `numbered`, one of its columns is the row number r."""
        return f"CREATE TEMPORARY TABLE {name} AS {query}"

    def drop_temporary(self, name: str) -> str:
        """Drop such a table, where there is one, and no other of its name."""
        return f"DROP TABLE IF EXISTS {self.temporary}{name}"

    def create_table(self, name: str, query: str, kind: str = "TABLE") -> str:
        """Make a table, or what else `kind` says, of a query."""
        return f"CREATE {kind} {name} AS {query}"

    def adding(self, target: str, query: str, beside: str) -> Script:
        """Add the rows of a query to a table: all or none; `beside` is the name of a table that may be made for it."""
        return Script(Statement(f"INSERT INTO {target} {query}"))

    def updating(self, table: str, changes: str, where: str) -> str:
        """Change rows of a table."""
        return f"UPDATE {table} SET {changes} WHERE {where}"

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

    def as_text(self, expression: str) -> str:
        """A value as text."""
        return f"CAST({expression} AS VARCHAR)"

    def text_type(self, length: int | None) -> str:
        """The type of text of up to so many characters; None for any number."""
        return "TEXT"

    def saving(self, name: str, text: str) -> list[str]:
        """What a saved projection needs beside its row in the catalogue: `text` is `stored.macro_text`."""
        return []

    # -- arrays ------------------------------------------------------------------------------

    def array_of(self, expressions: Sequence[str], number: Number) -> str:
        """An array of the expressions: the result column z."""
        raise self._refused("arrays")

    def stored_array(self, column: str, cast: str | None) -> str:
        """An array column as an array whose elements are read one by one; of type `cast` where it is another type."""
        return column

    def list_of(self, expressions: Sequence[str]) -> str:
        """A list of the expressions, within a query."""
        raise self._refused("arrays")

    def cast_array(self, array: str, number: Number) -> str:
        """An array column as a list of the type that holds `number`."""
        raise self._refused("arrays")

    def or_zeros(self, array: str, n: int, number: Number) -> str:
        """A list, or n zeros where it is NULL."""
        raise self._refused("indexed lowering")

    def scaled(self, array: str, factor: str | None, number: Number, size: int) -> str:
        """A list times a factor, as the result column z."""
        raise self._refused("arrays")

    def element(self, array: str, position: int) -> str:
        """One element of an array, positions from 0."""
        raise self._refused("arrays")

    def array_or_null(self, array: str, ok: str) -> str:
        """An array, or NULL where the number `ok` is NULL."""
        return f"CASE WHEN {ok} IS NOT NULL THEN {array} END"

    def length(self, array: str) -> str:
        """How many elements an array has."""
        raise self._refused("arrays")

    def complete(self, array: str) -> str:
        """The condition that an array is not NULL and that none of its elements is."""
        raise self._refused("arrays")

    def unnest(self, relation: str, columns: Sequence[str], array: str, position: str, value: str) -> str:
        """SELECT of the columns, with position (from 0) and value of each element of an array column."""
        raise self._refused("arrays")

    def collect(self, value: str, order: str) -> str:
        """An aggregate: the values of a group as an array, by order."""
        raise self._refused("arrays")

    def gathered(self, position: str, value: str) -> str:
        """Two aggregates f and x: a group's positions and values as lists that `filled` reads."""
        raise self._refused("lists of positions")

    def filled(self, positions: str, values: str, size: int, zero: str) -> str | None:
        """A list of `size` elements: gathered values at their positions, zero elsewhere; None where that is slow."""
        return None

    # -- index lists, for engines with the indexed lowering ------------------------------------

    def appended(self, array: str, value: str) -> str:
        """A list with one more element."""
        raise self._refused("indexed lowering")

    def index_lists(self, lists: list[list[int]]) -> str:
        """A constant list of lists of positions, given from 0."""
        raise self._refused("indexed lowering")

    def signed_sums(self, array: str, plus: str, minus: str, number: Number) -> str:
        """For each list of positions: the sum of the elements at plus, less those at minus."""
        raise self._refused("indexed lowering")

    def weight_lists(self, lists: Sequence[npt.NDArray[np.float64]], number: Number) -> str:
        """A constant list of lists of weights, of the type that holds `number`."""
        raise self._refused("lists of weights")

    def weighted_sums(self, array: str, weights: str, places: str | None) -> str:
        """For each list of weights: the sum of its products with the elements, all or those at the list in `places`."""
        raise self._refused("lists of weights")

    def each(self, array: str, value: str) -> str:
        """A list of the values that an expression over e has for each element e."""
        raise self._refused("lists of weights")

    def sums_of_products(self, array: str, lists: str, degree: int, number: Number) -> str:
        """For each list of positions: the sum of the products of each `degree` consecutive ones."""
        raise self._refused("indexed lowering")

    def long_sums(
        self, cells: str, vectors: str, width: int, starts: Sequence[str], number: Number, spread: bool
    ) -> str:
        """SELECT of r, counted and present (equal where no cell is NULL) and sums, for each r of the cells (r, f, x).

        `vectors` (f, b, v): the signs of a feature to the sums b to b + `width` as a list v of -1, 0 and +1; lists of
        zeros are left out. `starts`: what each sum begins with. `spread`: whether the vectors are few enough to be
        sent to every worker.
        """
        raise self._refused("sums of long rows")

    def _refused(self, what: str) -> UnsupportedError:
        return UnsupportedError(f"{self.name} has no {what}")

    # -- a row of values as columns, for engines without arrays ----------------------------------

    def cells_of_row(self, relation: str, columns: Sequence[str], names: Sequence[str], f: str, x: str) -> str:
        """SELECT of the columns, with position f (from 0) and value x of each of the named columns of a row."""
        numbers = self.numbers_from_zero(len(names), "n")
        cells = ", ".join([*columns, f"n AS {f}", f"{_chosen(names, 0)} AS {x}"])
        return f"SELECT {cells}\nFROM {relation} CROSS JOIN ({numbers}) counted"

    def row_of_cells(self, f: str, x: str, size: int) -> list[str]:
        """Aggregates: the x of each position f of a group, positions from 0."""
        return [f"MAX(CASE WHEN {f} = {i} THEN {x} END)" for i in range(size)]

    # -- connection --------------------------------------------------------------------------

    def session(self, connection: Any) -> AbstractContextManager[Any]:
        """One connection, kept while several statements run; a temporary table lives in it."""
        return nullcontext(connection)

    def transaction(self, connection: Any, lock: str, makes: bool) -> AbstractContextManager[Any]:
        """A session whose statements all hold or none: in the caller's transaction where one is open, else committed.

        `lock` names what only one of several transactions at a time may work on; `makes`: whether tables are made.
        """
        raise self._refused("transactions: write the result of sqlrp.project, or of the text of sqlrp.sql, to a table")

    def saved_beside(self, connection: Any) -> dict[str, object] | None:
        """What `saving` left beside the rows of the catalogue, by name; None where it leaves nothing."""
        return None

    def alone(self) -> AbstractContextManager[Any]:
        """Keeps the other threads of this process from the catalogue, where the engine fails instead of waiting."""
        return nullcontext()

    def exists(self, connection: Any, name: TableName) -> bool:
        """Whether there is a table or view of that name; asking breaks no transaction.

        Raises StatementError where the database does not answer: no answer does not mean that there is no table.
        """
        try:
            self.columns(connection, name)
        except SourceError:
            return False
        return True

    def dependents(self, connection: Any, name: TableName) -> list[str]:
        """What refers to a table and would be lost, or fail, where the table were replaced; each with its kind."""
        return []

    def key_kinds(self, connection: Any, name: TableName, column: str) -> set[str]:
        """The kinds of the values of a column, where values have a type of their own; else empty."""
        return set()

    def swap(self, connection: Any, new: TableName, name: TableName, kind: str, old: str | None) -> None:
        """Put a new table (or what else `kind` says) in the place of the old one, of kind `old`, if there is one.

        Raises StatementError where that fails; the old table then stands as it was. Where the engine is not
        `transactional`, one statement does it, and the old table is dropped under the name of the new one.
        """
        if old:
            self.execute(connection, f"DROP {old} {self.table(name)}")
        self.execute(connection, f"ALTER {kind} {self.table(new)} RENAME TO {self.quote(name.parts[-1])}")

    def mark(self, connection: Any, name: TableName, text: str) -> None:
        """Write a mark on a table, which stays with it under every name; for engines that are not `transactional`."""
        raise self._refused("marks of tables")

    def mark_of(self, connection: Any, name: TableName) -> str:
        """The mark of a table; empty where there is none, or no table."""
        raise self._refused("marks of tables")

    def why_unsafe(self, connection: Any, name: TableName) -> str | None:
        """What about a table of ours lets another user's code run when it is read or written, as the end of a sentence.

        None where nothing does, or where the engine runs no code with a table. The table must be there.
        """
        return None

    def refreshing(self, connection: Any, name: TableName) -> str:
        """The statement that brings a materialized view up to date."""
        raise self._refused("materialized views")

    def add_function(self, connection: Any, name: str, function: Any, arguments: list[str], returns: str) -> None:
        """Let the database of the connection call a function of this process by Arrow, if it does not yet."""
        raise self._refused("functions in this process")

    @abstractmethod
    def columns(self, connection: Any, name: TableName) -> list[Column]:
        """The columns of a table, in table order; raises SourceError for an unknown table.

        Raises UnreachableError where the database does not answer.
        """

    @abstractmethod
    def count(self, connection: Any, name: TableName) -> int | None:
        """About how many rows a table has; None where asking costs a scan."""

    @abstractmethod
    def array_length(self, connection: Any, name: TableName, column: str) -> int | None:
        """The length of the first array that is not NULL; None where there is none."""

    @abstractmethod
    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement; raises StatementError, and of these UnreachableError where the database does not answer."""

    @abstractmethod
    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """Run a query; raises StatementError, as `execute`."""

    def result(self, connection: Any, sql: str) -> Any:
        """What `project` returns for a query: its rows, unless the engine has a table of its own for them."""
        return self.fetch(connection, sql)


def _chosen(names: Sequence[str], first: int) -> str:
    """The column at position n, found by halving: a comparison a column would cost the square of their number."""
    if len(names) == 1:
        return names[0]
    half = len(names) // 2
    low, high = _chosen(names[:half], first), _chosen(names[half:], first + half)
    return f"CASE WHEN n < {first + half} THEN {low} ELSE {high} END"
