"""Trino.

Key differences: backslashes are not escapes in strings; there are no temporary tables, so a step is a plain table; md5
takes bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sqlrp.core.draw import P
from sqlrp.core.sources import TableName
from sqlrp.dialects.base import Limits, Swap
from sqlrp.dialects.warehouses import Warehouse

_PART = 200
"""The most elements in one array constructor. One of more than 254 has failed."""


class Trino(Warehouse):
    """Trino."""

    name: ClassVar[str] = "trino"
    folds_case: ClassVar[bool] = True
    escapes: ClassVar[Mapping[str, str]] = {"'": "''"}
    single: ClassVar[str] = "REAL"
    array: ClassVar[str] = "ARRAY({number})"
    vector: ClassVar[str] = "ARRAY(DOUBLE)"
    """what its functions of distances take"""
    vectors_are_single: ClassVar[bool] = False
    no_functions: ClassVar[str] = "a SQL function of trino may hold no query, and a projection is one"
    """documentation of Trino, SQL user-defined functions, limitations"""
    making_temporary: ClassVar[str] = "CREATE TABLE"
    limits: ClassVar[Limits] = Limits(
        columns=None,
        terms=60_000,
        within=10_000,
        characters=1_000_000,
        source="Trino's documentation: query.max-length 1,000,000 characters, at 11 a term",
    )

    def swapping(self, new: TableName, name: TableName, kind: str, old: str | None) -> Swap:
        """Few catalogues of Trino can replace a table in one step, so it is missing between two statements."""
        rename = f"ALTER TABLE {self.table(new)} RENAME TO {self.table(name)}"
        return Swap((f"DROP TABLE {self.table(name)}", rename) if old else (rename,))

    # -- arrays: their elements count from 1 --------------------------------------------------------------------------

    def list_of(self, expressions: Sequence[str]) -> str:
        """ARRAY[…], in parts: a long one does not compile."""
        parts = [f"ARRAY[{', '.join(expressions[i : i + _PART])}]" for i in range(0, len(expressions), _PART)]
        return parts[0] if len(parts) == 1 else f"({' || '.join(parts)})"

    def element(self, array: str, position: int) -> str:
        """element_at is NULL outside the array."""
        return f"element_at({array}, {position + 1})"

    def length(self, array: str) -> str:
        """cardinality."""
        return f"cardinality({array})"

    def complete(self, array: str, n: int) -> str:
        """No element is NULL."""
        return f"({array} IS NOT NULL AND cardinality(filter({array}, e -> e IS NULL)) = 0)"

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5 of the UTF-8 bytes, mod (P-1)."""
        return f"(from_base(substr(to_hex(md5(to_utf8({expression}))), 1, 15), 16) % {P - 1})"
