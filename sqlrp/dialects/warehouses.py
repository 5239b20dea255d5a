"""What the warehouses share: Snowflake, BigQuery, Redshift, Databricks and Trino, each in a file of its own.

Key differences: a common table expression may be computed again at each use (so numbered rows go through a table of
their own); no generator of numbers without a bound (so digits are joined); their arrays are left alone, so results are
columns or long rows. Where only the name of a warehouse is given, every number is a DOUBLE.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from sqlrp.core.numbers import Number
from sqlrp.dialects.base import Costs, Numbers
from sqlrp.dialects.costs import costs_of
from sqlrp.dialects.portable import Portable


class Warehouse(Portable):
    """A warehouse, whose SQL is written here and run by other means or through SQLAlchemy."""

    costs: ClassVar[Costs] = costs_of("warehouses")
    repeats: ClassVar[bool] = True
    escapes: ClassVar[Mapping[str, str]] = {"\\": "\\\\", "'": "''"}

    def __init__(self, spelled: Callable[[str], str] = str) -> None:
        """`spelled` gives the name as the warehouse keeps it, where a connection spells names in its own way."""
        self.spelled = spelled

    def quote(self, name: str) -> str:
        """The name as the warehouse keeps it, quoted and so case-sensitive."""
        return super().quote(self.spelled(name))

    def halved(self, expression: str) -> str:
        """/ divides whole numbers as floats do, on some warehouses."""
        return f"CAST(FLOOR({expression} / 2) AS {self.type_name(Number('int', 63))})"

    def fail(self, message: str) -> str:
        """A cast of the words to a number fails with them; random() keeps it from being computed ahead."""
        return f"CAST(concat({self.string(message)}, substr(CAST(random() AS VARCHAR), 1, 0)) AS BIGINT)"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """VALUES."""
        rows = ", ".join(f"({', '.join(row)})" for row in rows_of(columns))
        return f"SELECT {', '.join(columns)} FROM (VALUES {rows}) AS listed({', '.join(columns)})"


def rows_of(columns: Mapping[str, Numbers]) -> list[list[str]]:
    """The cells as text; a float's exponent keeps it from being a decimal."""
    texts = (
        [f"{v!r}e0" if isinstance(v, float) and "e" not in repr(v) else repr(v) for v in c.tolist()]
        for c in columns.values()
    )
    return [list(row) for row in zip(*texts, strict=True)]
