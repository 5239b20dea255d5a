"""Phrases that most engines read alike: what those share whose own better ones are not known, or not needed."""

from __future__ import annotations

from typing import ClassVar

from sqlrp.core.numbers import Number
from sqlrp.core.sources import TableName
from sqlrp.engines.base import Engine, Lowering

_DIGITS = " UNION ALL ".join(f"SELECT {i}{' AS d' if i == 0 else ''}" for i in range(10))


class Portable(Engine):
    """Standard SQL, without arrays."""

    lowerings: ClassVar[tuple[Lowering, ...]] = ("inline", "relational")
    reads_files: ClassVar[bool] = False
    has_arrays: ClassVar[bool] = False
    double: ClassVar[str] = "DOUBLE"
    """what 64-bit floats are called"""

    def quote(self, name: str) -> str:
        """Double quotes, doubled within."""
        return '"' + name.replace('"', '""') + '"'

    def table(self, name: TableName) -> str:
        """Quoted parts."""
        return ".".join(self.quote(part) for part in name.parts)

    def type_name(self, number: Number) -> str | None:
        """64 bits, or a double."""
        if not number.exact:
            return self.double
        return "BIGINT" if number.kind == "int" and number.bits <= 63 else None

    def finite(self, expression: str) -> str:
        """No function for it is everyone's."""
        return f"({expression} - {expression} = 0)"

    def numbers_from_zero(self, n: int, column: str) -> str:
        """Digits, joined to as many places as n - 1 has."""
        places = range(len(str(n - 1)))
        value = " + ".join(f"{10**i} * d{i}.d" for i in places)
        joined = " CROSS JOIN ".join(f"({_DIGITS}) d{i}" for i in places)
        # NULL past the end: the engine may compute with a number before it looks at the condition.
        number = self.cast(f"CASE WHEN {value} < {n} THEN {value} END", Number("int", 63))
        return f"SELECT {number} AS {column} FROM {joined} WHERE {value} < {n}"

    def row_number(self) -> str:
        """row_number() without an order."""
        return "row_number() OVER ()"
