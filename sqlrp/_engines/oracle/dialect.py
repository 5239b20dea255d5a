"""Oracle, from version 19c on; vectors from 23ai on.

Key differences: every SELECT reads a table, dual if no other, before 23ai; no AS stands before a table's alias; 64-bit
floats are BINARY_DOUBLE, whose literals end in d; whole numbers are NUMBER; there is no VALUES before 23ai, no %, no IS
NOT DISTINCT FROM, and a window needs an order; booleans exist from 23ai on; the names of private temporary tables begin
with ORA$PTT_; an empty string is NULL, so an empty word is left out like a NULL; names are quoted and therefore
case-sensitive: a table made as `t` is called T here, unless a connection of SQLAlchemy spells it; no expression fails
with a given message, so the error is ORA-01722. An array is a VECTOR.

Documentation, under https://docs.oracle.com/en/database/oracle/oracle-database/
Limits: 23/refrn/logical-database-limits.html. Literals: 19/sqlrf/Literals.html. Private temporary tables and their
names: 19/sqlrf/CREATE-TABLE.html. Vectors: 23/sqlrf/to_vector.html, 23/sqlrf/from_vector.html. STANDARD_HASH:
19/sqlrf/STANDARD_HASH.html. MERGE: 19/sqlrf/MERGE.html.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

from sqlrp._core.draw import P
from sqlrp._core.errors import SourceError, UnsupportedError, shorten
from sqlrp._core.numbers import BOOLEAN, DOUBLE, SINGLE, Number
from sqlrp._core.script import Setup
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import HASHED, Column, ColumnType, Limits, Numbers, Swap
from sqlrp._dialects.phrases import fetch_first
from sqlrp._dialects.portable import Portable
from sqlrp._engines.warehouses.dialect import JsonLists

_LITERAL = 1_000
"""The most characters in one string literal, which holds 4,000 bytes."""
_HASHES = 100
"""The most hashes of 32 digits in one text, which holds 4,000 bytes."""
_FLOATS = ("number", "float", "binary_double", "binary_float")
_TEXT = ("char", "varchar2", "nchar", "nvarchar2", "clob", "nclob")

_LEAST, _MOST = 1e-129, 1e125
"""The bounds of a NUMBER, whose text is exact between them."""


class Oracle(JsonLists):
    """Oracle."""

    name: ClassVar[str] = "oracle"
    escapes: ClassVar[Mapping[str, str]] = {"'": "''"}
    has_percent: ClassVar[bool] = False
    double: ClassVar[str] = "BINARY_DOUBLE"
    single: ClassVar[str] = "BINARY_FLOAT"
    text: ClassVar[str] = "CLOB"
    array: ClassVar[str] = "VECTOR"
    vector: ClassVar[str] = "VECTOR({k}, FLOAT32)"
    types_when_made: ClassVar[bool] = True
    longest_vector: ClassVar[int | None] = 65_535
    equals: ClassVar[str] = ""
    row_order: ClassVar[str] = "ORDER BY NULL"
    constants_from: ClassVar[str] = " FROM dual"
    difference: ClassVar[str] = "MINUS"
    begins_temporary: ClassVar[str] = "ORA$PTT_"
    making_temporary: ClassVar[str] = "CREATE PRIVATE TEMPORARY TABLE {name} ON COMMIT PRESERVE DEFINITION AS"
    creating_once: ClassVar[str] = "CREATE TABLE"
    no_functions: ClassVar[str] = "sqlrp knows no function of oracle that takes a vector and reads its elements"
    remedies: ClassVar[Mapping[str, str]] = {
        "ORA-01722": "where sqlrp wrote TO_NUMBER('sqlrp: …'): a feature is NULL under nulls = 'error', a position is "
        "out of bounds, or a vector has another length"
    }
    limits: ClassVar[Limits] = Limits(
        columns=1_000,
        terms=10_000,
        source="columns: Oracle's documentation (logical database limits); terms: an estimate",
    )

    limited = fetch_first

    def quote(self, name: str) -> str:
        """Oracle does not accept a name that contains a double quote."""
        if '"' in name:
            raise SourceError(f"name {shorten(name)} holds a double quote, which oracle refuses: rename")
        return super().quote(name)

    def string(self, text: str) -> str:
        """A long text is a CLOB of several literals."""
        if len(text) <= _LITERAL:
            return super().string(text)
        parts = (super(Oracle, self).string(text[i : i + _LITERAL]) for i in range(0, len(text), _LITERAL))
        return " || ".join(f"TO_CLOB({part})" for part in parts)

    def read_type(self, text: str) -> ColumnType:
        """The types of `columns_query`; a NUMBER without digits behind the point is a whole number."""
        kind, _, digits = text.lower().partition("(")
        if kind == "vector":
            return ColumnType(text, DOUBLE, is_array=True)
        if kind == "boolean":
            return ColumnType(text, BOOLEAN)
        if kind == "number" and digits.endswith(",0)"):
            return ColumnType(text, Number("int", math.ceil(int(digits.split(",")[0]) * math.log2(10))))
        return ColumnType(text, DOUBLE if kind in _FLOATS else None, is_text=kind in _TEXT)

    def columns_query(self, name: TableName) -> str:
        """all_tab_columns, which has views too."""
        *schema, table = map(self.spelled, name.parts)
        owner = self.string(schema[-1]) if schema else "SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA')"
        digits = "data_precision || ',' || data_scale || ')'"
        kind = f"data_type || CASE WHEN data_precision IS NOT NULL THEN '(' || {digits} END"
        null = "CASE nullable WHEN 'N' THEN 'NO' ELSE 'YES' END"
        return (
            f"SELECT column_name, {kind}, {null} FROM all_tab_columns "
            f"WHERE owner = {owner} AND table_name = {self.string(table)} ORDER BY column_id"
        )

    def type_name(self, number: Number) -> str | None:
        """NUMBER and BINARY_DOUBLE."""
        name = super().type_name(number)
        return "NUMBER(19)" if name == "BIGINT" else name

    def widen(self, feature: str, have: Number, want: Number) -> str:
        """A boolean, from 23ai on, is a condition."""
        number = f"CASE WHEN {feature} THEN 1 WHEN NOT {feature} THEN 0 END" if have == BOOLEAN else feature
        return self.cast(number, want)

    def literal(self, value: float, number: Number) -> str:
        """A cast, which other parsers read. The d makes a BINARY_DOUBLE of what is no NUMBER."""
        if number.exact:
            return super().literal(value, number)
        whole = value == 0 or _LEAST < abs(value) < _MOST
        text = super().literal(value, DOUBLE) if whole else f"{float(value)!r}d"
        return self.cast(text, number) if whole or number != DOUBLE else text

    def fail(self, message: str) -> str:
        """Text that is no number. SYS_GUID() keeps it from being computed in advance."""
        return f"TO_NUMBER({self.string(message)} || substr(RAWTOHEX(SYS_GUID()), 1, 0))"

    def as_text(self, expression: str) -> str:
        """The longest text of a query."""
        return f"CAST({expression} AS VARCHAR2(4000))"

    def merging(self, start: str, nothing: str, inserting: str) -> str:
        """It deletes only what it has updated, and its conditions stand after what is done."""
        return (
            f"{start}\nWHEN MATCHED THEN UPDATE SET {nothing} DELETE WHERE asked.sqlrp_new = 0\n"
            f"WHEN NOT MATCHED THEN {inserting} WHERE asked.sqlrp_new = 1"
        )

    def row_hash(self, columns: Sequence[Column]) -> str:
        """The first 60 bits of MD5 of the values' own MD5s, of which a text holds a hundred. That of NULL is none's."""
        wrong = next((c.name for c in columns if c.type.is_array or c.type.text.lower() in ("clob", "nclob")), None)
        if wrong is not None:
            raise UnsupportedError(
                f"track = 'rows' is not supported, as STANDARD_HASH of oracle takes no VECTOR and no CLOB, and column "
                f"{shorten(wrong)} is one: track a column that grows with every change"
            )
        parts = [f"STANDARD_HASH({self.quote(column.name)}, 'MD5')" for column in columns]
        while len(parts) > 1:
            texts = [
                " || ".join(f"RAWTOHEX({p})" for p in parts[i : i + _HASHES]) for i in range(0, len(parts), _HASHES)
            ]
            parts = [f"STANDARD_HASH({text}, 'MD5')" for text in texts]
        return self._digits(parts[0])

    def sum_of_hashes(self, hashed: str) -> str:
        """A NUMBER has 38 digits."""
        return self.remainder(f"SUM({hashed})", HASHED)

    def text_type(self, length: int | None) -> str:
        """Characters, not bytes."""
        return f"VARCHAR2({length} CHAR)" if length else self.text

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """SELECTs from dual: VALUES exists from 23ai on."""
        return Portable.literal_table(self, columns)

    def temporary_name(self, name: str) -> str:
        """In capitals, as names are that have no quotes."""
        return super().temporary_name(name).upper()

    def temporary_table(self, name: str, query: str, numbered: bool = True) -> Setup:
        """DROP … IF EXISTS exists from 23ai on. A script drops what it has just made; a connection asks first."""
        making = self.making_temporary.format(name=name)
        drop = f"DROP TABLE {name}"
        if self.connected:
            missing = "EXCEPTION WHEN OTHERS THEN IF SQLCODE <> -942 THEN RAISE; END IF; END;"
            drop = f"BEGIN EXECUTE IMMEDIATE {self.string(drop)}; {missing}"
        return Setup(f"{making} {query}", drop, name, query)

    def swapping(self, new: TableName, name: TableName, kind: str, old: str | None) -> Swap:
        """The old table is missing between two statements: each takes effect at once."""
        rename = f"ALTER TABLE {self.table(new)} RENAME TO {self.quote(name.parts[-1])}"
        return Swap((f"DROP TABLE {self.table(name)}", rename) if old else (rename,))

    # -- an array is a VECTOR, read as the text of a JSON array; its positions count from 0 ---------------------------

    def array_of(self, expressions: Sequence[str], number: Number) -> str:
        """TO_VECTOR of a JSON array."""
        kind = "FLOAT32" if number == SINGLE else "FLOAT64"
        return f"TO_VECTOR({self.list_of(expressions)}, {len(expressions)}, {kind})"

    def array_type(self, number: Number, size: int) -> str:
        """A VECTOR of the width of the numbers."""
        return f"VECTOR({size}, {'FLOAT32' if number == SINGLE else 'FLOAT64'})"

    def list_of(self, expressions: Sequence[str]) -> str:
        """The text of a JSON array."""
        return f"JSON_ARRAY({', '.join(expressions)} NULL ON NULL RETURNING CLOB)"

    def stored_array(self, column: str, cast: str | None) -> str:
        """A VECTOR is read as the text of a JSON array."""
        return f"FROM_VECTOR({column} RETURNING CLOB)"

    def element(self, array: str, position: int) -> str:
        """JSON_VALUE; NULL outside the array."""
        return f"CAST(JSON_VALUE({array}, '$[{position}]' RETURNING NUMBER) AS {self.double})"

    def joined_texts(self, one: str, other: str) -> str:
        """The last bracket of the first text becomes a comma, and the first one of the second text goes."""
        return f"substr({one}, 1, LENGTH({one}) - 1) || ',' || substr({other}, 2)"

    def length(self, array: str) -> str:
        """The size of the JSON array; NULL for no array."""
        return f"JSON_VALUE({array}, '$.size()' RETURNING NUMBER)"

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5 of the UTF-8 bytes, mod (P-1). An empty word is NULL."""
        encoded = f"UTL_I18N.STRING_TO_RAW({expression}, 'AL32UTF8')"
        hashed = self._digits(f"STANDARD_HASH({encoded}, 'MD5')")
        number = self.remainder(hashed, P - 1)
        return f"CASE WHEN {expression} IS NOT NULL THEN {number} END"

    def _digits(self, hashed: str) -> str:
        """The first 60 bits of a hash."""
        return f"TO_NUMBER(substr(RAWTOHEX({hashed}), 1, 15), 'XXXXXXXXXXXXXXX')"
