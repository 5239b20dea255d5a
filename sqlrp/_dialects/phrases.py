"""Phrases of SQL: names, types, numbers, conditions and statements, by default in standard SQL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from sqlrp._core.errors import SourceError, UnsupportedError, shorten
from sqlrp._core.numbers import BOOLEAN, DOUBLE, WORD, Number
from sqlrp._core.script import Script, Setup, Statement
from sqlrp._core.sources import TableName
from sqlrp._dialects.facts import ColumnType, Facts, Numbers


class Phrases(Facts, ABC):
    """The phrases that every engine has."""

    def quote(self, name: str) -> str:
        """An identifier."""
        return self.quotes + name.replace(self.quotes, 2 * self.quotes) + self.quotes

    def string(self, text: str) -> str:
        """A string literal."""
        return "'" + text.translate({ord(character): written for character, written in self.escapes.items()}) + "'"

    def same_text(self, a: str, b: str) -> str:
        """Whether two texts are the same characters, in any session."""
        return f"{a} = {b}"

    def folded(self, name: str) -> str:
        """The text that two names share if they are the same, as `sqlrp._core.names.folded`, of an expression."""
        return name

    def same_name(self, a: str, b: str) -> str:
        """Whether two names, given as expressions, are the same name to the engine."""
        return self.same_text(self.folded(a), self.folded(b))

    def table(self, name: TableName) -> str:
        """A table, view or file, as written after FROM."""
        return ".".join(self.quote(part) for part in name.parts)

    def check_parts(self, name: TableName) -> None:
        """Raise SourceError for a name of more parts than the engine's names have."""
        if self.name_parts is not None and len(name.parts) > self.name_parts:
            raise SourceError(
                f"the name {shorten(str(name))} has {len(name.parts)} parts, and a name of {self.name} has "
                f"{self.name_parts} at most: put one that contains dots in double quotes"
            )

    def read_type(self, text: str) -> ColumnType:
        """The column type that the engine calls `text`."""
        raise self._refused("names of types")

    def passes(self, stored: ColumnType) -> bool:
        """Whether the values of a column are the same after they passed through Arrow."""
        return True

    @abstractmethod
    def type_name(self, number: Number) -> str | None:
        """The narrowest type that holds every such number, in sums too; None if there is none."""

    def bounded(self, number: Number) -> Number:
        """The kind of exact sums; without `has_types`, with no more bits than the engine has."""
        return number

    def exact_whole(self, value: str) -> str:
        """A named value; without `has_types`, it fails unless it is an exact whole number."""
        return value

    def multiplies(self, number: Number) -> bool:
        """Whether multiplication is exact too in the type of `number`."""
        return self.type_name(number) is not None

    def cast(self, expression: str, number: Number) -> str:
        """The expression, cast to the type that holds `number`."""
        return f"CAST({expression} AS {self.type_name(number)})"

    def as_word(self, expression: str) -> str:
        """A whole number that fits a word, as a word. Its type may be wider."""
        return self.cast(expression, WORD)

    def numbers_only(self, feature: str, have: Number) -> str:
        """A feature's column of kind `have`, with NULL for a value of another kind, where columns may hold these."""
        return feature

    def between(self, have: Number, want: Number) -> Number | None:
        """The kind to cast a number of kind `have` to before the kind `want`; None if the engine casts directly."""
        return None

    def widen(self, feature: str, have: Number, want: Number) -> str:
        """A feature's column of kind `have`, cast to the type in which sums of kind `want` are computed."""
        if have == BOOLEAN and not self.casts_booleans:
            feature = self.cast(feature, Number("int", 31))
        return self.cast(feature, want)

    def narrowed(self, feature: str, have: Number, want: Number) -> str | None:
        """A feature's column, cast to a narrower type than by `widen`, in which sums of kind `want` are computed too.

        The bits of `want` hold every partial sum. None if the engine has no such type, or is not faster with it.
        """
        return None

    def narrow(self, total: str, number: Number) -> str:
        """An aggregate's result, cast from the engine's choice of type to the type that holds `number`."""
        return self.cast(total, number)

    def total(self, value: str, have: Number, want: Number) -> str:
        """The sum of the values of many rows, of kind `have`, in the type that holds `want`.

        The values are cast first if that type is another one. On some engines a SUM of 64-bit integers has 64 bits, and
        wraps.
        """
        return f"SUM({value if self.type_name(have) == self.type_name(want) else self.cast(value, want)})"

    def bytes_of(self, number: Number) -> int:
        """The bytes of a number in a row, for engines with a limit on these."""
        return 8

    def remainder(self, expression: str, divisor: int) -> str:
        """The remainder of the division of a non-negative whole number."""
        return f"({expression} % {divisor})" if self.has_percent else f"MOD({expression}, {divisor})"

    @abstractmethod
    def halved(self, expression: str) -> str:
        """Half of a non-negative whole number, rounded down: / is a division of floats on some engines."""

    def finite(self, expression: str) -> str | None:
        """The condition that a float is neither NaN nor infinite; None if the engine has no such values."""
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

    def bit(self, value: str, place: str) -> str:
        """The place of a bit, which is a number, or 0 for a component that is not above 0.

        NaN, and NULL where it stands for NaN, is above 0: a comparison with it is false, or NaN is the greatest number.
        """
        return f"CASE WHEN {value}<=0 THEN 0 ELSE {place} END"

    def word_of_list(self, array: str, first: int, places: Sequence[int]) -> str | None:
        """The sum of `bit` over elements of an array, from the first of them; None for an engine without such a text.

        It is far shorter than a term for each element, and takes twice as long to run: it is for one row.
        """
        return None

    def code_of(self, words: Sequence[str], k: int) -> str:
        """The first k bits of words, in the type `code`."""
        raise self._refused("type of bits")

    def absolute(self, x: str) -> str:
        """A number without its sign."""
        return f"abs({x})"

    def square(self, x: str) -> str:
        """The square of a double, for `root_of_squares`: infinite or NULL where it is no double any more."""
        return f"{x}*{x}"

    def root_of_squares(self, total: str) -> str:
        """The square root of a sum of `square`: the greatest of all where one of these ran over."""
        return self.sqrt(total)

    def sqrt(self, x: str) -> str:
        """The square root of a number that is not negative."""
        return f"sqrt({x})"

    def cos(self, x: str) -> str:
        """The cosine of an angle in radians."""
        return f"cos({x})"

    def exp(self, x: str) -> str:
        """e to a number's power."""
        return f"exp({x})"

    def ln(self, x: str) -> str:
        """The natural logarithm of a number above 0."""
        return f"ln({x})"

    def power(self, x: str, degree: int) -> str:
        """A number to the power of a whole number."""
        return f"power({x}, {self.literal(degree, DOUBLE)})"

    def floor(self, x: str) -> str:
        """The largest whole number that is not above a number."""
        return f"floor({x})"

    def greatest(self, expressions: Sequence[str]) -> str:
        """The greatest of several numbers."""
        return f"greatest({', '.join(expressions)})"

    @abstractmethod
    def fail(self, message: str) -> str:
        """An expression that fails with the message when it is evaluated."""

    def failing(self, message: str, wrong: str) -> str:
        """The same, in a row. `wrong`: a condition on the row, so that no engine computes it in advance."""
        return self.fail(message)

    def said(self, message: str) -> str:
        """The engine's message with what to do about it, or the message given to `fail` if the engine quotes it."""
        remedy = next((remedy for words, remedy in self.remedies.items() if words in message), "")
        first, _, rest = message.partition("\n")  # what follows may be cut, such as PostgreSQL's CONTEXT
        return f"{first} ({remedy})\n{rest}".rstrip("\n") if remedy else message

    def checked(self, wrong: str, message: str, value: str) -> str:
        """The value, of any type; it fails with the message if the condition `wrong` is true."""
        failing = self.failing(message, wrong)
        if self.fails_as_number:
            failing = f"CASE WHEN {failing} = 0 THEN {value} END"
        return f"CASE WHEN {wrong} THEN {failing} ELSE {value} END"

    def same(self, a: str, b: str) -> str:
        """Equality for which NULL equals NULL, in brackets: some parsers take what follows into its second operand."""
        return f"({a} {self.equals} {b})" if self.equals else f"({a} = {b} OR ({a} IS NULL AND {b} IS NULL))"

    def check_windows(self) -> None:
        """Raise UnsupportedError if the engine has no windows, or computes them wrongly."""

    def check_exists(self) -> None:
        """Raise UnsupportedError where NOT EXISTS cannot compare rows by `same`."""

    def temporary_name(self, name: str) -> str:
        """The name of a temporary table, of letters, digits and _; it is the same quoted and unquoted."""
        return self.begins_temporary + name

    def temporary_table(self, name: str, query: str, numbered: bool = True) -> Setup:
        """Make a temporary table of a query; if it is `numbered`, one of its columns is the row number r.

        It drops such a table if there is one, and no other table of its name.
        """
        making = self.making_temporary.format(name=name, key="(KEY (r)) " if numbered else "")
        drop = f"{self.dropping_temporary} {self.temporary}{name}"
        return Setup(f"{making} {query}{self.settings}", drop, name, query)

    def bucket(self, column: str, count: int, at: int) -> str:
        """The condition that picks the bucket `at` of `count`: rows with the same value are in the same bucket."""
        raise self._refused("buckets")

    def gathered_by(self, column: str) -> str:
        """The end of a query after which rows with the same value follow one another, in one part of the result."""
        raise self._refused("parts of a result")

    def about_distinct(self, column: str) -> str:
        """An aggregate: about how many different values a column has."""
        return f"count(DISTINCT {column})"

    def create_table(self, name: str, query: str, kind: str = "TABLE") -> str:
        """Make a table of a query, or another object if `kind` says so."""
        return f"CREATE {kind} {name} AS {query}"

    def adding(self, target: str, query: str, helper: str) -> Script:
        """Add all rows of a query to a table, or none. The last argument names a helper table that may be made."""
        return Script(Statement(f"INSERT INTO {target} {query}"))

    def encoded(self, text: str) -> bool:
        """Whether a driver passes other values of this type than the engine shows, such as an enumeration's numbers."""
        return False

    def passing_vector(self, query: str, columns: Sequence[str], vector: str) -> str:
        """The query whose rows a driver can pass on: of these columns, and one that holds vectors."""
        return query

    def inserted(self, query: str, rows: int | None) -> str:
        """The query for a statement that writes its rows into a table. `rows`: about how many, if that is known."""
        return query

    def updating(self, table: str, changes: str, where: str) -> str:
        """Change rows of a table."""
        return f"UPDATE {table} SET {changes} WHERE {where}"

    def updating_or_inserting(self, update: str, into: str, values: Sequence[str], there: str) -> str | None:
        """The text that updates a row, or else inserts one; None if there is none for a table without a key.

        `there`: the query of the row.
        """
        return None

    @abstractmethod
    def numbers_from_zero(self, n: int, column: str) -> str:
        """A SELECT of 0 … n-1 as `column`, of 64 bits: the draw multiplies them by numbers of 31 bits."""

    @abstractmethod
    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """A SELECT of the given columns, one row for each entry."""

    def limited(self, query: str, rows: int, ordered: bool = False) -> str:
        """The first rows of a query. `ordered`: whether it ends with ORDER BY."""
        return f"{query} LIMIT {rows}"

    def joined_by(self, column: str, one: str, other: str) -> str:
        """The end of a JOIN of two relations on the column that both have, which the query names nowhere else."""
        return f"USING ({column})" if self.joins_by_name else f"ON {one}.{column} = {other}.{column}"

    def value_name(self) -> str:
        """The name of the column of values in a result of one row per component, as an alias."""
        return "value"

    def note(self) -> str:
        """What a user should know of the engine; empty for those that sqlrp knows."""
        return ""

    def row_number(self) -> str:
        """An expression that numbers the rows of a FROM."""
        return f"row_number() OVER ({self.row_order})"

    @abstractmethod
    def hash_name(self, expression: str) -> str:
        """The feature number of a text expression, as `signs.hash_name` computes it."""

    def as_text(self, expression: str) -> str:
        """A value as text."""
        return f"CAST({expression} AS VARCHAR)"

    def text_type(self, length: int | None) -> str:
        """The type of text of up to `length` characters; None for any number."""
        return "TEXT"

    def _refused(self, what: str) -> UnsupportedError:
        return UnsupportedError(f"{self.name} has no {what}")

    # -- a row of values as columns, for engines without arrays ----------------------------------

    def cells_of_row(self, relation: str, columns: Sequence[str], names: Sequence[str], f: str, x: str) -> str:
        """A SELECT of the columns, with the position f (from 0) and the value x of each named column of a row."""
        numbers = self.numbers_from_zero(len(names), "n")
        cells = ", ".join([*columns, f"n AS {f}", f"{_chosen(names, 0)} AS {x}"])
        return f"SELECT {cells}\nFROM {relation}{self.crossed}({numbers}) counted"

    def row_of_cells(self, f: str, x: str, size: int) -> list[str]:
        """Aggregates: the x at each position f of a group. Positions count from 0."""
        return [f"MAX(CASE WHEN {f} = {i} THEN {x} END)" for i in range(size)]


def _chosen(names: Sequence[str], first: int) -> str:
    """The column at position n, by binary search: one comparison per column would cost the square of their number."""
    if len(names) == 1:
        return names[0]
    half = len(names) // 2
    low, high = _chosen(names[:half], first), _chosen(names[half:], first + half)
    return f"CASE WHEN n < {first + half} THEN {low} ELSE {high} END"


def whole_half(_: Phrases, expression: str) -> str:
    """The phrase `halved` of an engine whose / of whole numbers rounds down."""
    return f"({expression} / 2)"


def fetch_first(_: Phrases, query: str, rows: int, ordered: bool = False) -> str:
    """The phrase `limited` of an engine without LIMIT that has the standard's FETCH FIRST."""
    return f"{query} FETCH FIRST {rows} ROWS ONLY"
