"""Redshift.

Key differences: VALUES is allowed only in INSERT, so rows of constants are SELECTs joined by UNION ALL; there is no
IS NOT DISTINCT FROM.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sqlrp.core.draw import P
from sqlrp.core.numbers import DOUBLE, Number
from sqlrp.dialects.base import Limits, Numbers
from sqlrp.dialects.warehouses import SemiStructured


class Redshift(SemiStructured):
    """Redshift."""

    name: ClassVar[str] = "redshift"
    folds_case: ClassVar[bool] = True
    double: ClassVar[str] = "DOUBLE PRECISION"
    casts_booleans: ClassVar[bool] = False
    limits: ClassVar[Limits] = Limits(
        columns=1600,
        terms=100_000,
        source="Redshift's documentation: 1,600 columns; 16 MB of text",
    )

    def same(self, a: str, b: str) -> str:
        """Written out, because there is no IS NOT DISTINCT FROM."""
        return f"({a} = {b} OR ({a} IS NULL AND {b} IS NULL))"

    def literal(self, value: float, number: Number) -> str:
        """A double is cast from text: 0.5e0 is a decimal, whose digits are bounded."""
        return super().literal(value, number) if number.exact else f"CAST('{float(value)!r}' AS {self.double})"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """SELECTs joined by UNION ALL: VALUES is allowed only in INSERT."""
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        cells = ([self.literal(v, DOUBLE) if isinstance(v, float) else str(v) for v in row] for row in rows)
        lines = (", ".join(f"{v} AS {n}" for v, n in zip(row, columns, strict=True)) for row in cells)
        return " UNION ALL ".join(f"SELECT {line}" for line in lines)

    # -- arrays are of type SUPER; their elements count from 0 --------------------------------------------------------

    def list_of(self, expressions: Sequence[str]) -> str:
        """ARRAY(…), a SUPER."""
        return f"ARRAY({', '.join(expressions)})"

    def length(self, array: str) -> str:
        """get_array_length."""
        return f"get_array_length({array})"

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5, mod (P-1)."""
        return f"(STRTOL(substring(md5({expression}), 1, 15), 16) % {P - 1})"
