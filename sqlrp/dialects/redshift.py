"""Redshift.

Key differences: VALUES is allowed only in INSERT, so rows of constants are SELECTs joined by UNION ALL; there is no
IS NOT DISTINCT FROM.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sqlrp.core.draw import P
from sqlrp.dialects.base import Limits, Numbers
from sqlrp.dialects.warehouses import Warehouse, rows_of


class Redshift(Warehouse):
    """Redshift."""

    name: ClassVar[str] = "redshift"
    folds_case: ClassVar[bool] = True
    double: ClassVar[str] = "DOUBLE PRECISION"
    limits: ClassVar[Limits] = Limits(
        columns=1600,
        terms=100_000,
        source="Redshift's documentation: 1,600 columns; 16 MB of text",
    )

    def same(self, a: str, b: str) -> str:
        """Written out, because there is no IS NOT DISTINCT FROM."""
        return f"({a} = {b} OR ({a} IS NULL AND {b} IS NULL))"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """SELECTs joined by UNION ALL: VALUES is allowed only in INSERT."""
        lines = (", ".join(f"{v} AS {n}" for v, n in zip(row, columns, strict=True)) for row in rows_of(columns))
        return " UNION ALL ".join(f"SELECT {line}" for line in lines)

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5, mod (P-1)."""
        return f"(STRTOL(substring(md5({expression}), 1, 15), 16) % {P - 1})"
