"""The SQL standard, for engines without a file in this package.

Key differences: only the standard and SELECT without FROM are assumed. There are no arrays, no temporary tables, no
md5 and no expression that fails with a message (a position out of bounds makes its row NULL instead). A common table
expression may be computed more than once, so rows are numbered in the order of all their columns, which gives the
same numbers each time. SQL that the engine does not support fails with the engine's message.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from sqlrp._core.errors import SourceError, UnsupportedError, shorten
from sqlrp._core.numbers import BOOLEAN, DOUBLE, WHOLE, Number
from sqlrp._dialects.costs import costs_beside
from sqlrp._dialects.dialect import ColumnType, Costs, Limits
from sqlrp._dialects.portable import Portable

_BITS = {"SMALLINT": 16, "INTEGER": 32, "INT": 32, "BIGINT": 64}
"""The bits of each integer type; an integer may be unsigned."""
_FLOATS = ("REAL", "FLOAT", "DOUBLE", "DOUBLE PRECISION", "NUMERIC", "DECIMAL")
_TEXT = ("CHAR", "VARCHAR", "NCHAR", "NVARCHAR", "TEXT", "CLOB")


class Generic(Portable):
    """The SQL standard."""

    name: ClassVar[str] = "generic"
    repeats: ClassVar[bool] = False
    escapes: ClassVar[Mapping[str, str]] = {"'": "''"}
    has_types: ClassVar[bool] = True
    has_percent: ClassVar[bool] = False
    has_temporary: ClassVar[bool] = False
    has_md5: ClassVar[bool] = False
    aliases_may_hide: ClassVar[bool] = True
    folds_names: ClassVar[bool] = True
    long_as_wide: ClassVar[bool] = True
    can_fail: ClassVar[bool] = False
    numbers_by_columns: ClassVar[bool] = True
    double: ClassVar[str] = "DOUBLE PRECISION"
    single: ClassVar[str] = "REAL"
    limits: ClassVar[Limits] = Limits(
        columns=1000,
        terms=10_000,
        source="columns: the least that a known engine states (Oracle's documentation); terms: an estimate",
    )
    costs: ClassVar[Costs] = costs_beside(__file__)

    def string(self, text: str) -> str:
        """Single quotes, doubled within. Only the engine knows whether a backslash is an escape."""
        if "\\" in text:
            raise SourceError(f"text {shorten(text)} holds a backslash, which engines read in two ways: rename")
        return super().string(text)

    def read_type(self, text: str) -> ColumnType:
        """The type names of the standard."""
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

    def digits(self) -> str:
        """Each digit with its name, as some engines take those of a UNION only where all SELECTs have them."""
        return " UNION ALL ".join(f"SELECT {i} AS d{self.constants_from}" for i in range(10))

    def halved(self, expression: str) -> str:
        """Divide an even number: the result is whole for both integer and float division."""
        return self.cast(f"({expression} - {self.remainder(expression, 2)}) / 2", WHOLE)

    def fail(self, message: str) -> str:
        """No expression is sure to fail: a cast of text to a number gives 0 or NULL on some engines."""
        raise UnsupportedError(
            f"{self.name} knows no expression that fails on every engine, so nulls = 'error' is not supported: "
            "use 'propagate' or 'zero'"
        )

    def hash_name(self, expression: str) -> str:
        """Refuse: engines give md5 different names."""
        raise UnsupportedError(f"{self.name} knows no md5, so text features are not supported: number them, from 0")
