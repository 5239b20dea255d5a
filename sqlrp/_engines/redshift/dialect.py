"""Redshift.

Key differences: VALUES is allowed only in INSERT, so rows of constants are SELECTs joined by UNION ALL; there is no
IS NOT DISTINCT FROM.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

from sqlrp._core.draw import P
from sqlrp._core.names import Folding, folded
from sqlrp._core.numbers import DOUBLE, SINGLE, Number
from sqlrp._core.script import Script
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import ColumnType, Limits, Numbers, Swap
from sqlrp._engines.warehouses.dialect import SemiStructured, Warehouse

_BITS = {"boolean": 1, "smallint": 15, "integer": 31, "bigint": 63}
"""The bits of the types that are read as whole numbers."""
_FLOATS = ("real", "double precision", "numeric", "decimal")
_TEXT = ("character varying", "character", "varchar", "char", "text", "bpchar")


class Redshift(SemiStructured):
    """Redshift."""

    name: ClassVar[str] = "redshift"
    shifts_bits: ClassVar[bool] = True
    folding: ClassVar[Folding] = "letters"
    equals: ClassVar[str] = ""
    joins_arrays: ClassVar[str] = "ARRAY_CONCAT"
    double: ClassVar[str] = "DOUBLE PRECISION"
    single: ClassVar[str] = "REAL"
    vector: ClassVar[str] = "SUPER"
    """there is no other type for a list of numbers"""
    vectors_are_single: ClassVar[bool] = False
    no_functions: ClassVar[str] = (
        "a SQL function of redshift is one SELECT without FROM, and a projection reads its sums from a subquery"
    )
    """documentation of Redshift, scalar SQL UDFs"""
    types_when_made: ClassVar[bool] = True
    transactional: ClassVar[bool] = True
    keeping_view: ClassVar[str] = "CREATE MATERIALIZED VIEW {name} AS\n{query}"
    casts_booleans: ClassVar[bool] = False
    limits: ClassVar[Limits] = Limits(
        columns=1600,
        terms=100_000,
        characters=16_000_000,
        source="Redshift's documentation: 1,600 columns; 16 MB of text",
    )

    def replacing(
        self,
        target: TableName,
        columns: Sequence[str],
        keys: Sequence[str],
        query: str,
        helper: TableName,
        texts: Collection[str] = (),
    ) -> Script:
        """In a transaction: its MERGE has no conditions and must update.

        https://docs.aws.amazon.com/redshift/latest/dg/r_MERGE.html
        """
        return super(Warehouse, self).replacing(target, columns, keys, query, helper, texts)

    def text_type(self, length: int | None) -> str:
        """The longest type: TEXT has 256 bytes."""
        return f"VARCHAR({length})" if length else "VARCHAR(65535)"

    def read_type(self, text: str) -> ColumnType:
        """The names of types of svv_columns."""
        kind = re.sub(r"\(.*", "", text).strip().lower()
        if kind == "super":
            return ColumnType(text, DOUBLE, is_array=True)
        if kind in _BITS:
            return ColumnType(text, Number("int", _BITS[kind]))
        return ColumnType(text, DOUBLE if kind in _FLOATS else None, is_text=kind in _TEXT)

    def columns_query(self, name: TableName) -> str:
        """svv_columns, which has external tables and late-binding views too."""
        *schema, table = (folded(part, self.folding) for part in name.parts)
        at = f"table_schema = {self.string(schema[-1])}" if schema else "table_schema = current_schema()"
        return (
            "SELECT column_name, data_type, is_nullable FROM svv_columns "
            f"WHERE {at} AND table_name = {self.string(table)} ORDER BY ordinal_position"
        )

    def swapping(self, new: TableName, name: TableName, kind: str, old: str | None) -> Swap:
        """Drop and rename, in one transaction; the new name must not repeat the schema."""
        rename = f"ALTER TABLE {self.table(new)} RENAME TO {self.quote(name.parts[-1])}"
        return Swap((f"DROP {old} {self.table(name)}", rename) if old else (rename,))

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

    def array_of(self, expressions: Sequence[str], number: Number) -> str:
        """The elements of a SUPER have types of their own."""
        return self.list_of([self.cast(e, SINGLE) for e in expressions] if number == SINGLE else expressions)

    def length(self, array: str) -> str:
        """get_array_length."""
        return f"get_array_length({array})"

    def differing(self, a: str, b: str) -> str:
        """There is no function that counts bits."""
        return self.ones(f"({a}#{b})", lambda x, y: f"({x}&{y})", lambda x, n: f"({x}>>{n})")

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5, mod (P-1)."""
        return f"(STRTOL(substring(md5({expression}), 1, 15), 16) % {P - 1})"
