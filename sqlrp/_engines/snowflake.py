"""Snowflake.

Key differences: names are quoted and therefore case-sensitive: a table made as `t` is called T here, unless a
connection of SQLAlchemy spells it; VALUES is limited to 16,384 rows; row_number() needs an order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from sqlrp._core.draw import P
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import HASHED, Column, Limits, Numbers
from sqlrp._dialects.distances import SearchFunction
from sqlrp._engines.warehouses.dialect import SemiStructured


class Snowflake(SemiStructured):
    """Snowflake."""

    name: ClassVar[str] = "snowflake"
    shifts_bits: ClassVar[bool] = True
    array: ClassVar[str] = "ARRAY"
    joins_arrays: ClassVar[str] = "ARRAY_CAT"
    vector: ClassVar[str] = "VECTOR(FLOAT, {k})"
    keeping_view: ClassVar[str] = "CREATE DYNAMIC TABLE {name} TARGET_LAG = {lag} WAREHOUSE = {warehouse} AS\n{query}"
    """its materialized views allow no subquery in FROM"""
    keeping_rights: ClassVar[str] = " COPY GRANTS"
    """https://docs.snowflake.com/en/sql-reference/sql/create-table: without it a replaced object loses its grants"""
    view_noun: ClassVar[str] = "DYNAMIC TABLE"
    longest_vector: ClassVar[int | None] = 4_096
    argument: ClassVar[str] = "sqlrp_argument"
    has_searches: ClassVar[bool] = True
    limits_by_expression: ClassVar[bool] = False
    row_order: ClassVar[str] = "ORDER BY NULL"
    casts_booleans: ClassVar[bool] = False
    limits: ClassVar[Limits] = Limits(
        columns=None,
        terms=60_000,
        within=10_000,
        characters=1_000_000,
        source="terms: at 11 characters a term within the 1 MB of text that Snowflake's documentation states",
    )

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """VALUES, at most 16,384 rows each."""
        n = len(next(iter(columns.values())))
        parts = ({name: c[i : i + 16_384] for name, c in columns.items()} for i in range(0, n, 16_384))
        return " UNION ALL ".join(map(super().literal_table, parts))

    def refresh(self, name: TableName, unique: bool) -> str:
        """A dynamic table is refreshed by ALTER."""
        return f"ALTER DYNAMIC TABLE {self.table(name)} REFRESH"

    # -- arrays: their elements are VARIANTs, which count from 0; a VECTOR is cast to an ARRAY ------------------------

    def list_of(self, expressions: Sequence[str]) -> str:
        """ARRAY_CONSTRUCT."""
        return f"ARRAY_CONSTRUCT({', '.join(expressions)})"

    def length(self, array: str) -> str:
        """ARRAY_SIZE."""
        return f"ARRAY_SIZE({array})"

    def row_hash(self, columns: Sequence[Column]) -> str:
        """HASH, of 64 bits; NULL has a hash too."""
        return f"HASH({', '.join(self.quote(column.name) for column in columns)})"

    def sum_of_hashes(self, hashed: str) -> str:
        """The sum is a NUMBER."""
        return f"(SUM({hashed}) % {HASHED})"

    def creating_function(self, name: TableName, body: str, returns: str, mark: str) -> str:
        """A function in SQL of an ARRAY; the body stands in a string."""
        return (
            f"CREATE OR REPLACE FUNCTION {self.table(name)}({self.argument} ARRAY)"
            f"{self.keeping_rights} RETURNS {returns} IMMUTABLE "
            f"COMMENT = {self.string(mark)} AS {self.string(body)}"
        )

    def dropping_function(self, name: TableName) -> str:
        """The types of the arguments are part of the name."""
        return f"DROP FUNCTION {self.table(name)}(ARRAY)"

    def creating_search(self, name: TableName, body: Callable[[str, str, str], str], made: SearchFunction) -> str:
        """A tabular function in SQL; the body stands in a string.

        https://docs.snowflake.com/en/developer-guide/udf/sql/udf-sql-tabular-functions, and for the defaults
        https://docs.snowflake.com/en/sql-reference/sql/create-function.
        """
        arguments = f"query ARRAY, n NUMBER DEFAULT 10, candidates NUMBER DEFAULT {made.candidates}"
        return (
            f"CREATE FUNCTION {self.table(name)}({arguments})\n"
            f"RETURNS TABLE ({made.columns(self.quote(made.key), 'FLOAT', self.quote)})\n"
            f"COMMENT = {self.string(made.mark)} AS {self.string(body('query', 'n', 'candidates'))}"
        )

    def dropping_search(self, name: TableName) -> str:
        """The types of the arguments are part of the name."""
        return f"DROP FUNCTION {self.table(name)}(ARRAY, NUMBER, NUMBER)"

    def field(self, word: str, at: int, width: int) -> str:
        """BITAND and BITSHIFTRIGHT."""
        return f"BITAND(BITSHIFTRIGHT({word}, {at}), {(1 << width) - 1})"

    def differing(self, a: str, b: str) -> str:
        """There is no function that counts bits."""
        return self.ones(
            f"(BITXOR({a}, {b}))", lambda x, y: f"(BITAND({x}, {y}))", lambda x, n: f"(BITSHIFTRIGHT({x}, {n}))"
        )

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5, mod (P-1)."""
        return f"(TO_NUMBER(substr(md5({expression}), 1, 15), 'XXXXXXXXXXXXXXX') % {P - 1})"
