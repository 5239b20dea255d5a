"""Phrases that most engines understand, for engines whose better phrases are unknown or not needed.

Key differences: no arrays, no files, no generator of numbers (so digits are joined); the types are 64-bit integers and
doubles.
"""

from __future__ import annotations

from typing import ClassVar

from sqlrp.core.numbers import SINGLE, WHOLE, Number
from sqlrp.dialects.base import Dialect

_DIGITS = " UNION ALL ".join(f"SELECT {i}{' AS d' if i == 0 else ''}" for i in range(10))


class Portable(Dialect):
    """Standard SQL, without arrays."""

    has_arrays: ClassVar[bool] = False
    has_lists: ClassVar[bool] = False
    double: ClassVar[str] = "DOUBLE"
    """the name of the type of 64-bit floats"""

    def type_name(self, number: Number) -> str | None:
        """A 64-bit integer or a double."""
        if not number.exact:
            return self.single if number == SINGLE and self.single else self.double
        return "BIGINT" if number.kind == "int" and number.bits <= 63 else None

    def finite(self, expression: str) -> str:
        """A comparison: no function for it exists on every engine."""
        value = expression if expression.isidentifier() else f"({expression})"
        return f"({value} - {value} = 0)"

    def numbers_from_zero(self, n: int, column: str) -> str:
        """Tables of digits, joined once for each digit of n - 1."""
        places = range(len(str(n - 1)))
        value = " + ".join(f"{10**i} * d{i}.d" for i in places)
        joined = " CROSS JOIN ".join(f"({_DIGITS}) d{i}" for i in places)
        # NULL past the end: the engine may compute with a number before it checks the condition.
        number = self.cast(f"CASE WHEN {value} < {n} THEN {value} END", WHOLE)
        return f"SELECT {number} AS {column} FROM {joined} WHERE {value} < {n}"
