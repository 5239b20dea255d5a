"""Phrases that most engines read alike, for engines whose own better phrases are not known or not needed.

Key differences: no arrays, no files, no generator of numbers (so digits are joined), integers of 64 bits and doubles.
"""

from __future__ import annotations

from typing import ClassVar

from sqlrp.core.numbers import Number
from sqlrp.dialects.base import Dialect

_DIGITS = " UNION ALL ".join(f"SELECT {i}{' AS d' if i == 0 else ''}" for i in range(10))


class Portable(Dialect):
    """Standard SQL, without arrays."""

    has_arrays: ClassVar[bool] = False
    double: ClassVar[str] = "DOUBLE"
    """the name of the type of 64-bit floats"""

    def type_name(self, number: Number) -> str | None:
        """64 bits, or a double."""
        if not number.exact:
            return self.double
        return "BIGINT" if number.kind == "int" and number.bits <= 63 else None

    def finite(self, expression: str) -> str:
        """No function for it is known to every engine."""
        return f"({expression} - {expression} = 0)"

    def numbers_from_zero(self, n: int, column: str) -> str:
        """Digits, joined to as many places as n - 1 has."""
        places = range(len(str(n - 1)))
        value = " + ".join(f"{10**i} * d{i}.d" for i in places)
        joined = " CROSS JOIN ".join(f"({_DIGITS}) d{i}" for i in places)
        # NULL past the end: the engine may compute with a number before it looks at the condition.
        number = self.cast(f"CASE WHEN {value} < {n} THEN {value} END", Number("int", 63))
        return f"SELECT {number} AS {column} FROM {joined} WHERE {value} < {n}"
