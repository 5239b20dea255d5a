"""The base of the warehouses Snowflake, BigQuery, Redshift, Databricks and Trino, each of which has its own file.

Key differences: a common table expression may be computed again at each use (so numbered rows go through a separate
table); generators of numbers are bounded (so digits are joined); an array is read element by element, and made at the
end of a query, but not within it. If only the name of a warehouse is given, every number is a DOUBLE.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import ClassVar

from sqlrp._core.numbers import WHOLE, Number
from sqlrp._core.sources import TableName
from sqlrp._dialects.costs import costs_beside
from sqlrp._dialects.dialect import Costs, Numbers, Swap
from sqlrp._dialects.merge_phrase import MergeDialect
from sqlrp._dialects.portable import Portable


class Warehouse(MergeDialect, Portable):
    """A warehouse; its SQL runs through SQLAlchemy or by other means."""

    costs: ClassVar[Costs] = costs_beside(__file__)
    has_arrays: ClassVar[bool] = True
    fails_as_number: ClassVar[bool] = True
    repeats: ClassVar[bool] = True
    has_types: ClassVar[bool] = True
    aliases_may_hide: ClassVar[bool] = False
    numbers_by_columns: ClassVar[bool] = False
    escapes: ClassVar[Mapping[str, str]] = {"\\": "\\\\", "'": "''"}

    text: ClassVar[str] = "VARCHAR"
    """the name of the type of text"""
    transactional: ClassVar[bool] = False
    carries_marks: ClassVar[bool] = False
    constraints: ClassVar[bool] = False
    keeping_rights: ClassVar[str] = ""
    """what lets a replaced table or function keep the rights on it, after its name"""
    finds_functions: ClassVar[bool] = False
    """some list their functions by a region or a connector of theirs, and all refuse to create one that exists"""

    def __init__(self, spelled: Callable[[str], str] = str, connected: bool = False) -> None:
        """`spelled` turns a name as the connection spells it into the name that the warehouse stores.

        `connected`: whether a connection runs the statements one by one; otherwise they are a script.
        """
        self.spelled = spelled
        self.connected = connected

    def quote(self, name: str) -> str:
        """The name that the warehouse stores, quoted and therefore case-sensitive."""
        return super().quote(self.spelled(name))

    def halved(self, expression: str) -> str:
        """/ is a division of floats on some warehouses, even for whole numbers."""
        return f"CAST(FLOOR({expression} / 2) AS {self.type_name(WHOLE)})"

    def fail(self, message: str) -> str:
        """A cast of the message to a number fails and quotes it."""
        return self.failing(message, "1 = 1")

    def failing(self, message: str, wrong: str) -> str:
        """A condition of the row keeps the cast from being computed in advance.

        A function that is not deterministic would do so too, but a view that has one is refreshed as a whole:
        https://docs.snowflake.com/en/user-guide/dynamic-tables-supported-queries,
        https://docs.aws.amazon.com/redshift/latest/dg/materialized-view-refresh.html and
        https://docs.databricks.com/aws/en/optimizations/incremental-refresh.
        """
        if type(self).fail is not Warehouse.fail:  # an expression of the engine's own
            return self.fail(message)
        kept = f"substr(CAST(CASE WHEN {wrong} THEN 1 ELSE 0 END AS VARCHAR), 1, 0)"
        return f"CAST(concat({self.string(message)}, {kept}) AS BIGINT)"

    def text_type(self, length: int | None) -> str:
        """The name of the type: without a length it holds any text."""
        return self.text

    def swapping(self, new: TableName, name: TableName, kind: str, old: str | None) -> Swap:
        """CREATE OR REPLACE changes the table in one step; the new table is then dropped."""
        made, here = self.table(new), self.table(name)
        if old is None:
            return Swap((f"ALTER TABLE {made} RENAME TO {here}",))
        return Swap(
            (f"CREATE OR REPLACE TABLE {here}{self.keeping_rights} AS SELECT * FROM {made}", f"DROP TABLE {made}")
        )

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """VALUES."""
        rows = ", ".join(f"({', '.join(row)})" for row in rows_of(columns))
        return f"SELECT {', '.join(columns)} FROM (VALUES {rows}) AS listed({', '.join(columns)})"


class SemiStructured(Warehouse):
    """A warehouse whose arrays hold values of any type, as in JSON."""

    def element(self, array: str, position: int) -> str:
        """Positions count from 0. A cast turns the value into a number, and JSON's null into NULL."""
        return f"CAST({array}[{position}] AS {self.double})"

    def complete(self, array: str, n: int) -> str:
        """No element is NULL or JSON's null, written out."""
        return "(" + " AND ".join(f"{self.element(array, j)} IS NOT NULL" for j in range(n)) + ")"


class JsonLists(SemiStructured):
    """A database without arrays, whose vectors are read as the text of a JSON array."""

    def cast_array(self, array: str, number: Number) -> str:
        """The text has no type of numbers."""
        return array

    def concatenated(self, arrays: Sequence[str], columns: Sequence[str]) -> str:
        """The texts without the brackets between them."""
        one = reduce(self.joined_texts, arrays)
        return f"CASE WHEN {' AND '.join(f'{column} IS NOT NULL' for column in columns)} THEN {one} END"

    def joined_texts(self, one: str, other: str) -> str:
        """The text of an array of the elements of both."""
        raise self._refused("text of two arrays")


def rows_of(columns: Mapping[str, Numbers]) -> list[list[str]]:
    """The cells as text; floats have an exponent, so that they are not read as decimals."""
    texts = (
        [f"{v!r}e0" if isinstance(v, float) and "e" not in repr(v) else repr(v) for v in c.tolist()]
        for c in columns.values()
    )
    return [list(row) for row in zip(*texts, strict=True)]
