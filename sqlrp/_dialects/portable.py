"""Phrases that most engines understand, for engines whose better phrases are unknown or not needed.

Key differences: no arrays, no files, no generator of numbers (so digits are joined); the types are 64-bit integers and
doubles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sqlrp._core.numbers import DOUBLE, SINGLE, WHOLE, Number
from sqlrp._dialects.dialect import Dialect, Numbers

_CHUNK = 250
"""The number of SELECTs in one chain of UNION ALL. SQLite has the lowest known limit, 500."""


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

    def finite(self, expression: str) -> str | None:
        """A comparison: no function for it exists on every engine."""
        value = expression if expression.isidentifier() else f"({expression})"
        return f"({value} - {value} = 0)"

    def digits(self) -> str:
        """A SELECT of the digits 0 … 9 as d."""
        return " UNION ALL ".join(f"SELECT {i}{' AS d' if i == 0 else ''}{self.constants_from}" for i in range(10))

    def numbers_from_zero(self, n: int, column: str) -> str:
        """Tables of digits, joined once for each digit of n - 1."""
        places = range(len(str(n - 1)))
        value = " + ".join(f"{10**i} * d{i}.d" for i in places)
        joined = self.crossed.join(f"({self.digits()}) d{i}" for i in places)
        # NULL past the end: the engine may compute with a number before it checks the condition.
        number = self.cast(f"CASE WHEN {value} < {n} THEN {value} END", WHOLE)
        return f"SELECT {number} AS {column} FROM {joined} WHERE {value} < {n}"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """SELECTs of one row each, joined by UNION ALL: not all engines have VALUES with names."""
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        cells = ([self.literal(v, DOUBLE if isinstance(v, float) else WHOLE) for v in row] for row in rows)
        lines = (", ".join(f"{v} AS {n}" for v, n in zip(row, columns, strict=True)) for row in cells)
        selects = [f"SELECT {line}{self.constants_from}" for line in lines]
        while len(selects) > 1:
            chunks = [" UNION ALL ".join(selects[i : i + _CHUNK]) for i in range(0, len(selects), _CHUNK)]
            selects = [f"SELECT {', '.join(columns)} FROM ({chunk}) s" for chunk in chunks]
        return selects[0]
