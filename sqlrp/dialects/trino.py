"""Trino.

Key differences: backslashes are not escapes in strings; there are no temporary tables, so a step is a plain table; md5
takes bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sqlrp.core.draw import P
from sqlrp.dialects.base import Limits
from sqlrp.dialects.warehouses import Warehouse


class Trino(Warehouse):
    """Trino."""

    name: ClassVar[str] = "trino"
    folds_case: ClassVar[bool] = True
    escapes: ClassVar[Mapping[str, str]] = {"'": "''"}
    making_temporary: ClassVar[str] = "CREATE TABLE"
    limits: ClassVar[Limits] = Limits(
        columns=None,
        terms=60_000,
        source="Trino's documentation: query.max-length 1,000,000 characters, at 11 a term",
    )

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5 of the UTF-8 bytes, mod (P-1)."""
        return f"(from_base(substr(to_hex(md5(to_utf8({expression}))), 1, 15), 16) % {P - 1})"
