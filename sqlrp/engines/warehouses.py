"""Warehouses that are written for and not connected to: Snowflake, BigQuery, Redshift, Databricks, Trino.

What they share: a common table expression may be computed anew wherever it is named (so numbered rows go through a
table of their own), no generator of numbers without a bound (so digits are joined), sources known by their names
only (so every number is a DOUBLE). Their arrays are left alone: results are columns or long rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn

from sqlrp.core.draw import P
from sqlrp.core.errors import SourceError, UnsupportedError, shorten
from sqlrp.core.numbers import Number
from sqlrp.core.sources import TableName
from sqlrp.engines.base import Column, ColumnType, Costs, Limits, Numbers
from sqlrp.engines.costs import costs_of
from sqlrp.engines.portable import Portable


class TextOnly(Portable):
    """An engine whose SQL is written, and run by other means."""

    costs: ClassVar[Costs] = costs_of("warehouses")
    repeats: ClassVar[bool] = True

    def string(self, text: str) -> str:
        """Single quotes doubled, and backslashes, which are escapes to most."""
        return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"

    def halved(self, expression: str) -> str:
        """/ divides whole numbers as floats do, on some."""
        return f"CAST(FLOOR({expression} / 2) AS {self.type_name(Number('int', 63))})"

    def fail(self, message: str) -> str:
        """A cast of the words to a number fails with them; random() keeps it from being computed ahead."""
        return f"CAST(concat({self.string(message)}, substr(CAST(random() AS VARCHAR), 1, 0)) AS BIGINT)"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """VALUES."""
        rows = ", ".join(f"({', '.join(row)})" for row in _rows(columns))
        return f"SELECT {', '.join(columns)} FROM (VALUES {rows}) AS listed({', '.join(columns)})"

    # -- connection --------------------------------------------------------------------------

    def _unconnected(self, *_: Any, **__: Any) -> NoReturn:
        raise UnsupportedError(
            f"{self.name} is written for, not connected to: sqlrp.sql(…, {self.name!r}) gives the text, "
            "sqlrp.export its files"
        )

    def read_type(self, text: str) -> ColumnType:
        """No column is looked at."""
        self._unconnected()

    def transaction(self, connection: Any, lock: str, makes: bool) -> NoReturn:
        """There is no connection."""
        self._unconnected()

    def exists(self, connection: Any, name: TableName) -> bool:
        """There is no connection."""
        self._unconnected()

    def columns(self, connection: Any, name: TableName) -> list[Column]:
        """There is no connection."""
        self._unconnected()

    def count(self, connection: Any, name: TableName) -> int | None:
        """There is no connection."""
        self._unconnected()

    def array_length(self, connection: Any, name: TableName, column: str) -> int | None:
        """There is no connection."""
        self._unconnected()

    def execute(self, connection: Any, sql: str) -> None:
        """There is no connection."""
        self._unconnected()

    def fetch(self, connection: Any, sql: str) -> NoReturn:
        """There is no connection."""
        self._unconnected()


def _rows(columns: Mapping[str, Numbers]) -> list[list[str]]:
    """The cells as text; a float's exponent keeps it from being a decimal."""
    texts = (
        [f"{v!r}e0" if isinstance(v, float) and "e" not in repr(v) else repr(v) for v in c.tolist()]
        for c in columns.values()
    )
    return [list(row) for row in zip(*texts, strict=True)]


class Snowflake(TextOnly):
    """Snowflake. Names are quoted, and so case-sensitive: a table made as `t` is called T here."""

    name: ClassVar[str] = "snowflake"
    limits: ClassVar[Limits] = Limits(
        columns=None,
        terms=60_000,
        source="terms: at 11 characters a term within the 1 MB of text that Snowflake's documentation states",
    )

    def row_number(self) -> str:
        """An order is required."""
        return "row_number() OVER (ORDER BY NULL)"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """VALUES hold 16,384 rows."""
        n = len(next(iter(columns.values())))
        parts = ({name: c[i : i + 16_384] for name, c in columns.items()} for i in range(0, n, 16_384))
        return " UNION ALL ".join(map(super().literal_table, parts))

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5, mod (P-1)."""
        return f"(TO_NUMBER(substr(md5({expression}), 1, 15), 'XXXXXXXXXXXXXXX') % {P - 1})"


class BigQuery(TextOnly):
    """BigQuery."""

    name: ClassVar[str] = "bigquery"
    folds_case: ClassVar[bool] = True
    double: ClassVar[str] = "FLOAT64"
    limits: ClassVar[Limits] = Limits(
        columns=10_000,
        terms=60_000,
        source="BigQuery's documentation (quotas): 10,000 columns; 1 MB of text, at 11 characters a term",
    )

    def quote(self, name: str) -> str:
        """Backticks; a name that holds one, or a backslash, BigQuery does not take."""
        if "`" in name or "\\" in name:
            raise SourceError(f"name {shorten(name)} holds a backtick or a backslash, which bigquery refuses: rename")
        return f"`{name}`"

    def string(self, text: str) -> str:
        """Backslashes: a doubled quote would end the string and begin another."""
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"

    def type_name(self, number: Number) -> str | None:
        """INT64 and FLOAT64."""
        name = super().type_name(number)
        return "INT64" if name == "BIGINT" else name

    def remainder(self, expression: str, divisor: int) -> str:
        """There is no %."""
        return f"MOD({expression}, {divisor})"

    def fail(self, message: str) -> str:
        """ERROR(…)."""
        return f"ERROR({self.string(message)})"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """An array of structs, the first of which has the names."""
        first, *rows = _rows(columns)
        named = ", ".join(f"{value} AS {name}" for value, name in zip(first, columns, strict=True))
        structs = ", ".join([f"STRUCT({named})", *(f"STRUCT({', '.join(row)})" for row in rows)])
        return f"SELECT {', '.join(columns)} FROM UNNEST([{structs}])"

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5, mod (P-1)."""
        digits = f"substr(TO_HEX(MD5({expression})), 1, 15)"
        return self.remainder(f"CAST(concat('0x', {digits}) AS INT64)", P - 1)


class Redshift(TextOnly):
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
        """There is no IS NOT DISTINCT FROM."""
        return f"({a} = {b} OR ({a} IS NULL AND {b} IS NULL))"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """VALUES stand in INSERT only."""
        lines = (", ".join(f"{v} AS {n}" for v, n in zip(row, columns, strict=True)) for row in _rows(columns))
        return " UNION ALL ".join(f"SELECT {line}" for line in lines)

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5, mod (P-1)."""
        return f"(STRTOL(substring(md5({expression}), 1, 15), 16) % {P - 1})"


class Databricks(TextOnly):
    """Databricks, and Spark."""

    name: ClassVar[str] = "databricks"
    folds_case: ClassVar[bool] = True
    limits: ClassVar[Limits] = Limits(
        columns=None,
        terms=60_000,
        source="terms: not stated; generated code falls back to slow paths over 64 KB a class long before",
    )

    def quote(self, name: str) -> str:
        """Backticks, doubled within."""
        return "`" + name.replace("`", "``") + "`"

    def string(self, text: str) -> str:
        """Backslashes: two strings side by side are one."""
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def fail(self, message: str) -> str:
        """raise_error(…)."""
        return f"raise_error({self.string(message)})"

    def create_temporary(self, name: str, query: str, numbered: bool = True) -> str:
        """A table, as a temporary view is computed anew."""
        return f"CREATE TABLE {name} AS {query}"

    def row_number(self) -> str:
        """Without the one partition that a window without an order costs; the numbers have gaps."""
        return "monotonically_increasing_id()"

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5, mod (P-1)."""
        return f"(CAST(conv(substr(md5({expression}), 1, 15), 16, 10) AS BIGINT) % {P - 1})"


class Trino(TextOnly):
    """Trino."""

    name: ClassVar[str] = "trino"
    folds_case: ClassVar[bool] = True
    limits: ClassVar[Limits] = Limits(
        columns=None,
        terms=60_000,
        source="Trino's documentation: query.max-length 1,000,000 characters, at 11 a term",
    )

    def string(self, text: str) -> str:
        """Single quotes, doubled within."""
        return "'" + text.replace("'", "''") + "'"

    def create_temporary(self, name: str, query: str, numbered: bool = True) -> str:
        """There are no temporary tables."""
        return f"CREATE TABLE {name} AS {query}"

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5 of the UTF-8 bytes, mod (P-1)."""
        return f"(from_base(substr(to_hex(md5(to_utf8({expression}))), 1, 15), 16) % {P - 1})"
