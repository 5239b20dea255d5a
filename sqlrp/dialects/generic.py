"""The SQL standard, for engines that have no file of their own.

Key differences: nothing is taken for granted but the standard, and SELECT without FROM. No arrays, no temporary
tables, no md5, no expression that fails with words (a position out of bounds makes its row NULL instead), no fact
about how often a common table expression is computed (so rows are numbered by all of their columns, which gives the
same numbers each time). What the engine does not take fails with the engine's words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from sqlrp.core.errors import SourceError, UnsupportedError, shorten
from sqlrp.core.numbers import BOOLEAN, DOUBLE, Number
from sqlrp.dialects.base import ColumnType, Costs, Limits, Numbers
from sqlrp.dialects.costs import costs_of
from sqlrp.dialects.portable import Portable

_CHUNK = 250
"""SELECTs joined by one chain of UNION ALL: SQLite's limit of 500 is the least known."""
_BITS = {"SMALLINT": 16, "INTEGER": 32, "INT": 32, "BIGINT": 64}
"""Bits of each integer; an integer may be unsigned."""
_FLOATS = ("REAL", "FLOAT", "DOUBLE", "DOUBLE PRECISION", "NUMERIC", "DECIMAL")
_TEXT = ("CHAR", "VARCHAR", "NCHAR", "NVARCHAR", "TEXT", "CLOB")


class Generic(Portable):
    """The SQL standard."""

    name: ClassVar[str] = "generic"
    has_percent: ClassVar[bool] = False
    has_temporary: ClassVar[bool] = False
    has_md5: ClassVar[bool] = False
    can_fail: ClassVar[bool] = False
    numbers_by_columns: ClassVar[bool] = True
    double: ClassVar[str] = "DOUBLE PRECISION"
    limits: ClassVar[Limits] = Limits(
        columns=1000,
        terms=10_000,
        source="columns: the least that a known engine states (Oracle's documentation); terms: an estimate",
    )
    costs: ClassVar[Costs] = costs_of("generic")

    def string(self, text: str) -> str:
        """Single quotes, doubled within; a backslash may be an escape or none, which only the engine knows."""
        if "\\" in text:
            raise SourceError(f"text {shorten(text)} holds a backslash, which engines read in two ways: rename")
        return super().string(text)

    def read_type(self, text: str) -> ColumnType:
        """The standard's names."""
        kind = re.sub(r"\(.*", "", text).strip().upper()
        if kind == "BOOLEAN":
            return ColumnType(text, BOOLEAN)
        if kind in _BITS:
            return ColumnType(text, Number("int", _BITS[kind]))
        return ColumnType(text, DOUBLE if kind in _FLOATS else None, is_text=kind in _TEXT)

    def widen(self, feature: str, have: Number, want: Number) -> str:
        """The standard casts no boolean to a number."""
        return self.cast(
            f"CASE WHEN {feature} THEN 1 WHEN NOT {feature} THEN 0 END" if have == BOOLEAN else feature, want
        )

    def halved(self, expression: str) -> str:
        """An even number divided: whole, whether / divides as whole numbers or as floats do."""
        return self.cast(f"({expression} - {self.remainder(expression, 2)}) / 2", Number("int", 63))

    def fail(self, message: str) -> str:
        """Nothing fails for certain: a cast of words to a number gives 0 or NULL on some engines."""
        raise UnsupportedError(
            f"{self.name} knows no expression that fails on every engine, so nulls = 'error' is not supported: "
            "use 'propagate' or 'zero'"
        )

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """SELECTs of a row each, joined by UNION ALL; not all engines have VALUES with names."""
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        cells = ([self.literal(v, DOUBLE if isinstance(v, float) else Number("int", 63)) for v in row] for row in rows)
        selects = ["SELECT " + ", ".join(f"{v} AS {n}" for v, n in zip(row, columns, strict=True)) for row in cells]
        while len(selects) > 1:
            chunks = [" UNION ALL ".join(selects[i : i + _CHUNK]) for i in range(0, len(selects), _CHUNK)]
            selects = [f"SELECT {', '.join(columns)} FROM ({chunk}) s" for chunk in chunks]
        return selects[0]

    def hash_name(self, expression: str) -> str:
        """Engines that have md5 call it differently."""
        raise UnsupportedError(f"{self.name} knows no md5, so text features are not supported: number them, from 0")
