"""SQL Server, from version 2017 on, and Azure SQL; vectors from SQL Server 2025 on.

Key differences: names stand in brackets; a table is made by SELECT … INTO; a common table expression cannot stand in a
subquery, so the relational lowering makes temporary tables, whose names begin with #; there is no LIMIT, no USING, and
no IS NOT DISTINCT FROM before 2022, and a window needs an order; 64-bit floats are FLOAT and never NaN; booleans are
BIT, a number; a whole number is an INT unless it is cast. There are no arrays: a list is the text of a JSON array,
which VECTOR is cast to and from. One expression holds at most 65,535 names and constants (error 8632), all columns of a
SELECT together.

Documentation, under https://learn.microsoft.com/en-us/sql/
SELECT … INTO: t-sql/queries/select-into-clause-transact-sql. Limits:
sql-server/maximum-capacity-specifications-for-sql-server and
relational-databases/errors-events/mssqlserver-8632-database-engine-error. Text of floats:
t-sql/functions/cast-and-convert-transact-sql. VECTOR: t-sql/data-types/vector-data-type. JSON:
t-sql/functions/json-value-transact-sql, openjson-transact-sql. HASHBYTES: t-sql/functions/hashbytes-transact-sql.
MERGE: t-sql/statements/merge-transact-sql.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from sqlrp._core.draw import P
from sqlrp._core.names import Folding
from sqlrp._core.numbers import DOUBLE, SINGLE, Number
from sqlrp._core.script import Setup
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import HASHED, Column, ColumnType, Limits, Swap
from sqlrp._engines.warehouses.dialect import JsonLists

_PART = 250
"""The most expressions in one CONCAT_WS, which takes 254 arguments."""
_BITS = {"bit": 1, "tinyint": 8, "smallint": 15, "int": 31, "bigint": 63}
_DECIMALS = ("decimal", "numeric", "money", "smallmoney")
_FLOATS = ("float", "real", *_DECIMALS)
_TEXT = ("char", "varchar", "nchar", "nvarchar", "text", "ntext")
_WORD = re.compile(r"'(?:[^']|'')*'|\[(?:[^]]|\]\])*\]|[()]|\bFROM\b")
"""Strings and names, parentheses, and FROM."""


class SQLServer(JsonLists):
    """SQL Server."""

    name: ClassVar[str] = "sqlserver"
    counts_bits: ClassVar[bool] = True
    shifts_bits: ClassVar[bool] = True
    folding: ClassVar[Folding] = "letters"
    """by its default collation"""
    escapes: ClassVar[Mapping[str, str]] = {"'": "''"}
    double: ClassVar[str] = "FLOAT"
    single: ClassVar[str] = "REAL"
    text: ClassVar[str] = "NVARCHAR(MAX)"
    letters: ClassVar[str] = "NVARCHAR"
    """the type of text of every language"""
    array: ClassVar[str] = "VARCHAR(MAX)"
    vector: ClassVar[str] = "VECTOR({k})"
    longest_vector: ClassVar[int | None] = 1_998
    row_order: ClassVar[str] = "ORDER BY (SELECT NULL)"
    joins_by_name: ClassVar[bool] = False
    stores: ClassVar[bool] = True
    begins_temporary: ClassVar[str] = "#"
    creating_once: ClassVar[str] = "CREATE TABLE"
    no_functions: ClassVar[str] = "a function of sqlserver takes no array of features, as it has no type for one"
    limits: ClassVar[Limits] = Limits(
        columns=4_096,
        stored=1_024,
        terms=20_000,
        source="SQL Server's documentation: 4,096 columns of a SELECT, 1,024 of a table; terms: a third of the 65,535 "
        "names and constants of an expression",
    )

    def quote(self, name: str) -> str:
        """Brackets: double quotes are names only under a setting."""
        return f"[{self.spelled(name).replace(']', ']]')}]"

    def string(self, text: str) -> str:
        """N before a string with characters beyond ASCII; a backslash before the end of a line would join two lines."""
        written = super().string(text).replace("\\\n", "\\' + '\n")
        written = written if text.isascii() or self.letters == "VARCHAR" else "N" + written.replace("' + '", "' + N'")
        return f"({written})" if "\\\n" in text else written

    def read_type(self, text: str) -> ColumnType:
        """The names of types of INFORMATION_SCHEMA."""
        kind = re.sub(r"\(.*", "", text).strip().lower()
        if kind == "vector":
            return ColumnType(text, DOUBLE, is_array=True)
        if kind in _BITS:
            return ColumnType(text, Number("int", _BITS[kind]))
        return ColumnType(text, DOUBLE if kind in _FLOATS else None, is_text=kind in _TEXT)

    def widen(self, feature: str, have: Number, want: Number) -> str:
        """A BIT is a number."""
        return self.cast(feature, want)

    def finite(self, expression: str) -> None:
        """There is neither NaN nor an infinity."""
        return

    def same(self, a: str, b: str) -> str:
        """INTERSECT takes NULL for equal to NULL, and can be joined by hash."""
        return f"EXISTS (SELECT {a} INTERSECT SELECT {b})"

    def ln(self, x: str) -> str:
        return f"log({x})"

    def greatest(self, expressions: Sequence[str]) -> str:
        """GREATEST exists from 2022 on."""
        return f"(SELECT MAX(v) FROM (VALUES {', '.join(f'({e})' for e in expressions)}) AS listed(v))"

    def digits(self) -> str:
        """The first digit decides the type of all, and INT would overflow in the sum of ten digits."""
        return super().digits().replace("SELECT 0 AS", "SELECT CAST(0 AS BIGINT) AS", 1)

    def limited(self, query: str, rows: int, ordered: bool = False) -> str:
        """FETCH needs an order."""
        order = "" if ordered else " ORDER BY (SELECT NULL)"
        return f"{query}{order} OFFSET 0 ROWS FETCH NEXT {rows} ROWS ONLY"

    def fail(self, message: str) -> str:
        """A cast of the message to a number fails and quotes it. NEWID() keeps it from being computed in advance."""
        return f"CAST(CONCAT({self.string(message)}, LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT)"

    def as_text(self, expression: str) -> str:
        """Without a length it would be 30 characters."""
        return f"CAST({expression} AS {self.letters}(4000))"

    def text_type(self, length: int | None) -> str:
        """Of 16-bit characters, as older versions have no UTF-8."""
        return f"{self.letters}({length})" if length else self.text

    def temporary_table(self, name: str, query: str, numbered: bool = True) -> Setup:
        """SELECT … INTO. No subquery holds common table expressions, so INTO then precedes the query's own FROM."""
        at = _own_from(query) if query.startswith("WITH ") else None
        made = f"SELECT * INTO {name} FROM ({query}) s" if at is None else f"{query[:at]}INTO {name} {query[at:]}"
        return Setup(made, f"DROP TABLE IF EXISTS {name}", name, query)

    def create_table(self, name: str, query: str, kind: str = "TABLE") -> str:
        """SELECT … INTO. The join keeps the new key from being an IDENTITY, which takes no rows with keys."""
        if kind != "TABLE":
            return super().create_table(name, query, kind)
        return f"SELECT s.* INTO {name} FROM (\n{query}\n) s CROSS JOIN (SELECT 1 AS one) one"

    def swapping(self, new: TableName, name: TableName, kind: str, old: str | None) -> Swap:
        """A procedure renames a table, within its schema."""
        rename = f"EXEC sp_rename {self.string(self.table(new))}, {self.string(self.spelled(name.parts[-1]))}"
        return Swap((f"DROP TABLE {self.table(name)}", rename) if old else (rename,))

    def merging(self, start: str, nothing: str, inserting: str) -> str:
        """A MERGE must end with a semicolon."""
        return f"{super().merging(start, nothing, inserting)};"

    def row_hash(self, columns: Sequence[Column]) -> str:
        """The first 60 bits of MD5 of the values as text, each after its length, so that no two rows are alike."""
        texts = [f"{t}, ','" for column in columns for t in self._measured(column)]
        parts = [texts[i : i + _PART // 2] for i in range(0, len(texts), _PART // 2)]
        joined = [f"CONCAT(CAST('' AS {self.text}), {', '.join(part)})" for part in parts]
        whole = joined[0] if len(joined) == 1 else f"CONCAT({', '.join(joined)})"
        return self._digits(whole)

    def _measured(self, column: Column) -> tuple[str, ...]:
        """The value as text, and its length; NULL is an empty text without a length. Style 121 has all of a time."""
        quoted, kind = self.quote(column.name), column.type
        if kind.is_array:
            return (f"CAST({quoted} AS {self.text})",)
        if kind.text.lower().startswith(_DECIMALS):
            return (f"CONVERT(VARCHAR(50), {quoted}, 2)",)
        if kind.number is not None:
            return (
                self._written(self.cast(quoted, DOUBLE)) if kind.number == DOUBLE else f"CAST({quoted} AS VARCHAR(40))",
            )
        text = f"CONVERT({self.text}, {quoted}, 121)"
        return (f"DATALENGTH({text})", text)

    def sum_of_hashes(self, hashed: str) -> str:
        """The sum of a DECIMAL: that of BIGINT fails beyond 64 bits."""
        return f"CAST(SUM(CAST({hashed} AS DECIMAL(38, 0))) % {HASHED} AS BIGINT)"

    def columns_query(self, name: TableName) -> str:
        """INFORMATION_SCHEMA, which has views too."""
        *schema, table = name.parts
        at = f"TABLE_SCHEMA = {self.string(schema[-1])}" if schema else "TABLE_SCHEMA = SCHEMA_NAME()"
        return (
            "SELECT COLUMN_NAME, DATA_TYPE, IS_NULLABLE FROM INFORMATION_SCHEMA.COLUMNS "
            f"WHERE {at} AND TABLE_NAME = {self.string(table)} ORDER BY ORDINAL_POSITION"
        )

    # -- a list is the text of a JSON array; its positions count from 0 -----------------------------------------------

    def array_of(self, expressions: Sequence[str], number: Number) -> str:
        """The text of a JSON array, with all digits of the numbers."""
        single = [self.cast(e, SINGLE) for e in expressions] if number == SINGLE else expressions
        return self.list_of(single)

    def list_of(self, expressions: Sequence[str]) -> str:
        """CONCAT_WS, in parts. Style 3 writes the 17 digits, or 9 of a REAL, that give the same number again."""
        texts = [self._written(e) for e in expressions]
        parts = [texts[i : i + _PART] for i in range(0, len(texts), _PART)]
        joined = [f"CONCAT_WS(',', {', '.join(part)})" if len(part) > 1 else part[0] for part in parts]
        return f"CONCAT(CAST('[' AS VARCHAR(MAX)), {self._comma.join(joined)}, ']')"

    _comma: ClassVar[str] = ", ',', "

    def _written(self, number: str) -> str:
        """A float as text from which the same float is read."""
        return f"CONVERT(VARCHAR(30), {number}, 3)"

    def stored_array(self, column: str, cast: str | None) -> str:
        """VECTOR is read as the text of a JSON array."""
        return f"CAST({column} AS {self.text})"

    def element(self, array: str, position: int) -> str:
        """JSON_VALUE; NULL outside the array."""
        return f"CAST(JSON_VALUE({array}, '$[{position}]') AS {self.double})"

    def joined_texts(self, one: str, other: str) -> str:
        """The last bracket of the first text becomes a comma, and the first one of the second text goes."""
        return f"CONCAT(STUFF({one}, LEN({one}), 1, ','), STUFF({other}, 1, 1, ''))"

    def length(self, array: str) -> str:
        """The rows of OPENJSON; NULL for no array."""
        return f"CASE WHEN {array} IS NOT NULL THEN (SELECT count(*) FROM OPENJSON({array})) END"

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5 of the UTF-8 bytes, mod (P-1); a collation of 2019 gives the bytes."""
        encoded = f"CAST({expression} COLLATE Latin1_General_100_BIN2_UTF8 AS VARCHAR(8000))"
        return f"({self._digits(encoded)} % {P - 1})"

    def _digits(self, text: str) -> str:
        """The first 60 bits of MD5 of a text's bytes. From 2016 on it takes any length."""
        digits = f"LEFT(CONVERT(VARCHAR(32), HASHBYTES('MD5', {text}), 2), 15)"
        return f"CAST(CONVERT(BINARY(8), '0' + {digits}, 2) AS BIGINT)"


def _own_from(query: str) -> int | None:
    """Where the FROM stands that is in no parentheses."""
    depth = 0
    for word in _WORD.finditer(query):
        depth += {"(": 1, ")": -1}.get(word[0], 0)
        if word[0] == "FROM" and not depth:
            return word.start()
    return None
