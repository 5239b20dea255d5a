"""BigQuery.

Key differences: names stand in backticks and may contain neither a backtick nor a backslash; backslashes are escapes
in strings; the types are INT64 and FLOAT64; there is no operator %; rows of constants are an array of structs.
Documentation: https://cloud.google.com/bigquery/quotas (limits of columns and text).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from sqlrp._core.draw import P
from sqlrp._core.errors import SourceError, shorten
from sqlrp._core.names import Folding
from sqlrp._core.numbers import Number
from sqlrp._core.script import Setup
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import HASHED, Column, Limits, Numbers, Swap
from sqlrp._dialects.distances import SearchFunction
from sqlrp._engines.warehouses.dialect import Warehouse, rows_of


class BigQuery(Warehouse):
    """BigQuery."""

    replaces_rows: ClassVar[str] = "merge"
    name: ClassVar[str] = "bigquery"
    counts_bits: ClassVar[bool] = True
    shifts_bits: ClassVar[bool] = True
    quotes: ClassVar[str] = "`"
    escapes: ClassVar[Mapping[str, str]] = {"\\": "\\\\", "'": "\\'", "\n": "\\n"}
    """a doubled quote would end the string and start another"""
    has_percent: ClassVar[bool] = False
    folding: ClassVar[Folding] = "letters"
    double: ClassVar[str] = "FLOAT64"
    text: ClassVar[str] = "STRING"
    array: ClassVar[str] = "ARRAY<{number}>"
    joins_arrays: ClassVar[str] = "ARRAY_CONCAT"
    has_array: ClassVar[str] = "ARRAY_LENGTH({column}) > 0"
    vector: ClassVar[str] = "ARRAY<FLOAT64>"
    vectors_are_single: ClassVar[bool] = False
    keeping_view: ClassVar[str] = (
        "CREATE MATERIALIZED VIEW {name} OPTIONS (allow_non_incremental_definition = true, "
        "max_staleness = INTERVAL {lag}) AS\n{query}"
    )
    """An incremental one reads no subquery outside of FROM and no array function:
    https://cloud.google.com/bigquery/docs/materialized-views-create."""
    types_when_made: ClassVar[bool] = True
    argument: ClassVar[str] = "sqlrp_argument"
    has_searches: ClassVar[bool] = True
    limits_by_expression: ClassVar[bool] = False
    difference: ClassVar[str] = "EXCEPT DISTINCT"
    casts_booleans: ClassVar[bool] = False
    has_dotted_names: ClassVar[bool] = False
    limits: ClassVar[Limits] = Limits(
        columns=10_000,
        terms=60_000,
        characters=1_000_000,
        view=256_000,
        source="BigQuery's documentation (quotas): 10,000 columns; 1 MB of text, at 11 characters a term",
    )

    def quote(self, name: str) -> str:
        """Use backticks. BigQuery does not accept a name that contains a backtick or a backslash."""
        if "`" in name or "\\" in name:
            raise SourceError(f"name {shorten(name)} holds a backtick or a backslash, which bigquery refuses: rename")
        return super().quote(name)

    def type_name(self, number: Number) -> str | None:
        """INT64 and FLOAT64."""
        name = super().type_name(number)
        return "INT64" if name == "BIGINT" else name

    def keeping(self, name: TableName, query: str, lag: str, warehouse: str) -> str:
        """An INTERVAL has a number in quotes and a unit."""
        number, _, unit = lag.partition(" ")
        made = self.keeping_view.replace("{lag}", f"{self.string(number)} {unit.upper().rstrip('S')}")
        return made.format(name=self.table(name), query=query)

    def refresh(self, name: TableName, unique: bool) -> str:
        """A procedure takes the name as text."""
        return f"CALL BQ.REFRESH_MATERIALIZED_VIEW({self.string('.'.join(name.parts))})"

    def temporary_table(self, name: str, query: str, numbered: bool = True) -> Setup:
        """A temporary table belongs to its script, so a connection makes a table that expires after a day.

        A script drops none: its result is that of its last statement, and its temporary tables expire.
        """
        made = super().temporary_table(name, query, numbered)
        if not self.connected:
            return replace(made, drop="")
        expires = "OPTIONS (expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 1 DAY))"
        return replace(made, text=f"CREATE OR REPLACE TABLE {name} {expires} AS {query}")

    def swapping(self, new: TableName, name: TableName, kind: str, old: str | None) -> Swap:
        """A table is renamed within its dataset, which the new name must not repeat."""
        if old is None:
            return Swap((f"ALTER TABLE {self.table(new)} RENAME TO {self.quote(name.parts[-1])}",))
        return super().swapping(new, name, kind, old)

    def fail(self, message: str) -> str:
        """ERROR(…)."""
        return f"ERROR({self.string(message)})"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """An array of structs; the first struct names the columns."""
        first, *rows = rows_of(columns)
        named = ", ".join(f"{value} AS {name}" for value, name in zip(first, columns, strict=True))
        structs = ", ".join([f"STRUCT({named})", *(f"STRUCT({', '.join(row)})" for row in rows)])
        return f"SELECT {', '.join(columns)} FROM UNNEST([{structs}])"

    # -- arrays: their elements count from 0; a NULL array is stored as an empty one, and no stored array has a NULL --

    def list_of(self, expressions: Sequence[str]) -> str:
        """ARRAY[…]."""
        return f"ARRAY[{', '.join(expressions)}]"

    def element(self, array: str, position: int) -> str:
        """NULL outside the array: an empty array stands for NULL."""
        return f"{array}[SAFE_OFFSET({position})]"

    def length(self, array: str) -> str:
        """The number of elements, or NULL for an empty array, which stands for NULL."""
        return f"NULLIF(ARRAY_LENGTH({array}), 0)"

    def complete(self, array: str, n: int) -> str:
        """The array is not empty, and a subquery finds no NULL in it."""
        return f"(ARRAY_LENGTH({array}) > 0 AND NOT EXISTS(SELECT 1 FROM UNNEST({array}) e WHERE e IS NULL))"

    def row_hash(self, columns: Sequence[Column]) -> str:
        """FARM_FINGERPRINT, of 64 bits, of the row as JSON, which has every digit and NULL."""
        row = ", ".join(f"{self.quote(column.name)} AS c{i}" for i, column in enumerate(columns))
        return f"FARM_FINGERPRINT(TO_JSON_STRING(STRUCT({row})))"

    def sum_of_hashes(self, hashed: str) -> str:
        """The sum of NUMERIC: that of INT64 fails beyond 64 bits."""
        return f"CAST(MOD(SUM(CAST({hashed} AS NUMERIC)), {HASHED}) AS INT64)"

    def creating_function(self, name: TableName, body: str, returns: str, mark: str) -> str:
        """A persistent function in SQL; its name must have a dataset, unless the session has a default one."""
        return (
            f"CREATE OR REPLACE FUNCTION {self.table(name)}({self.argument} ARRAY<FLOAT64>) RETURNS {returns} "
            f"OPTIONS (description = {self.string(mark)}) AS (({body}))"
        )

    def creating_search(self, name: TableName, body: Callable[[str, str, str], str], made: SearchFunction) -> str:
        """A table function, whose arguments have no defaults.

        https://cloud.google.com/bigquery/docs/reference/standard-sql/data-definition-language#create_table_function_statement
        """
        return (
            f"CREATE TABLE FUNCTION {self.table(name)}(query ARRAY<FLOAT64>, n INT64, candidates INT64)\n"
            f"OPTIONS (description = {self.string(made.mark)}) AS\n"
            f"SELECT * FROM (\n{body('query', 'n', 'candidates')}\n) found ORDER BY distance"
        )

    def dropping_search(self, name: TableName) -> str:
        """DROP TABLE FUNCTION."""
        return f"DROP TABLE FUNCTION {self.table(name)}"

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5, mod (P-1)."""
        digits = f"substr(TO_HEX(MD5({expression})), 1, 15)"
        return self.remainder(f"CAST(concat('0x', {digits}) AS INT64)", P - 1)
