"""PostgreSQL, from version 12 on.

Key differences: there are arrays, but reading one element of a stored array costs a read of the whole array (so a
slice of the whole is taken once); numeric has any size, so that integers never overflow; sums of real are computed in
double precision, which costs no more; jit costs more than it gains; no function fails with a given message (but a cast
of the message does); IS NOT DISTINCT FROM joins only by nested loops.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sqlrp._core.draw import P
from sqlrp._core.errors import SourceError, shorten
from sqlrp._core.numbers import BOOLEAN, DOUBLE, SINGLE, WORD_BITS, Number
from sqlrp._dialects.costs import costs_beside
from sqlrp._dialects.dialect import AT_ONCE, HASHED, OUT_OF_RANGE, Column, ColumnType, Costs, Limits, Numbers, decimal
from sqlrp._dialects.phrases import whole_half
from sqlrp._engines.postgresql.catalogue import PRIMARY, PostgreSQLCatalogue

_INTEGERS = {"smallint": 15, "integer": 31, "bigint": 63}
_TEXT = re.compile(r"^(text|name|citext|\"char\"|character( varying)?(\(\d+\))?)$")
_NUMERIC = re.compile(r"^numeric\((\d+),(\d+)\)$")
_VECTOR = re.compile(r"^(?:.*\.)?(?:vector|halfvec)(?:\((\d+)\))?$")
_SPARSE = re.compile(r"^(.*\.)?sparsevec(?:\((\d+)\))?$")
_BITS = re.compile(r"^bit(?: varying)?(?:\((\d+)\))?$")
_REALS = "CAST({column} AS real[])"
_DENSE = 16_000
"""The most numbers of a dense vector of pgvector."""
_NO_VECTORS = re.compile(r'type "(vector|halfvec)" does not exist')
_BEYOND = re.compile(r"(date|timestamp) too (large|small) |can't parse (interval|time) ")
_OWN = re.compile(r'"(sqlrp: .*)"$', re.MULTILINE)


class PostgreSQL(PostgreSQLCatalogue):
    """PostgreSQL."""

    name: ClassVar[str] = "postgresql"
    shifts_bits: ClassVar[bool] = True
    repeats: ClassVar[bool] = False
    escapes: ClassVar[Mapping[str, str]] = {"'": "''"}
    has_types: ClassVar[bool] = True
    aliases_may_hide: ClassVar[bool] = False
    numbers_by_columns: ClassVar[bool] = False
    name_parts: ClassVar[int | None] = 3
    has_distances: ClassVar[bool] = True
    has_lateral: ClassVar[bool] = True
    casts_booleans: ClassVar[bool] = False
    temporary: ClassVar[str] = "pg_temp."
    materialized: ClassVar[str] = "MATERIALIZED "
    fence: ClassVar[str] = " OFFSET '0'"  # OFFSET 0 is a cast until it is planned: no workers would share the rows
    rereads_arrays: ClassVar[bool] = True
    keeps_text: ClassVar[bool] = True
    nests: ClassVar[bool] = True
    rows_hidden: ClassVar[str] = "affected by row-level security policy"
    copied: ClassVar[tuple[str, ...]] = ("SELECT", "WITH")
    """how the queries begin that COPY takes"""
    parted: ClassVar[tuple[str, ...]] = ("deadlock detected",)
    collates: ClassVar[bool] = True
    argument: ClassVar[str] = "$1"
    casts_returned: ClassVar[bool] = True
    fails_as_number: ClassVar[bool] = True
    single: ClassVar[str] = "real"
    array: ClassVar[str] = "{number}[]"
    looks_up: ClassVar[bool] = True
    array_of_text: ClassVar[str] = "CAST(translate(CAST({column} AS text), '[]', '{{}}') AS double precision[])"
    json_types: ClassVar[tuple[str, ...]] = ("json", "jsonb")
    matches: ClassVar[str] = "{text} ~ {pattern}"
    joins_arrays: ClassVar[str] = "array_cat"
    vector: ClassVar[str] = "vector({k})"
    half_vector: ClassVar[str] = "halfvec({k})"
    longest_vector: ClassVar[int | None] = 16_000
    """of pgvector's documentation (storage; an index holds up to 2,000, or 4,000 of 16 bits)"""
    code: ClassVar[str] = "bit({k})"
    has_searches: ClassVar[bool] = True
    joins_vector: ClassVar[bool] = True
    vectors_query: ClassVar[str] = (
        "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension e "
        "JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
    )
    remedies: ClassVar[Mapping[str, str]] = {
        "out of range": OUT_OF_RANGE,
        "infinite value not allowed": OUT_OF_RANGE,
        "in a read-only transaction": PRIMARY,
        "deadlock detected": AT_ONCE,
        "could not serialize access": f"{AT_ONCE}, in a new transaction",
        "lock timeout": AT_ONCE,
        "statement timeout": "raise the setting statement_timeout",
        "transaction is aborted": "an earlier statement of it failed: roll it back first",
        "tuple concurrently": AT_ONCE,
        "denied to create temporary tables": "GRANT TEMP ON DATABASE to the role, or connect as another one",
        "permission denied for": "the role lacks a right: GRANT it, or connect as a role that has it",
    }
    limits: ClassVar[Limits] = Limits(
        columns=1664,
        terms=100_000,
        stored=980,
        source="columns: PostgreSQL's documentation, appendix K (entries of a target list); stored: numbers of 8 "
        "bytes in a page of 8 kB; terms: measured",
    )
    costs: ClassVar[Costs] = costs_beside(__file__)

    def quote(self, name: str) -> str:
        """Double quotes, doubled within. Long names are refused: the engine would cut them and confuse two."""
        if len(name.encode()) > 63:
            raise SourceError(
                f"name {shorten(name)} has {len(name.encode())} bytes, more than the 63 of PostgreSQL: rename"
            )
        return super().quote(name)

    def string(self, text: str) -> str:
        """Single quotes, doubled within; E'…' if a setting could make a backslash an escape."""
        quoted = super().string(text)
        return "E" + quoted.replace("\\", "\\\\") if "\\" in text else quoted

    def read_type(self, text: str) -> ColumnType:
        """Numbers, arrays of numbers, pgvector's vectors, text."""
        if text.endswith("[]"):
            element = self.read_type(text[:-2]).number
            return ColumnType(text, None if element == BOOLEAN else element, is_array=True)
        vector = _VECTOR.match(text)
        if vector:
            return ColumnType(text, DOUBLE, is_array=True, size=int(vector[1]) if vector[1] else None, cast=_REALS)
        if text in _INTEGERS or text == "boolean":
            return ColumnType(text, BOOLEAN if text == "boolean" else Number("int", _INTEGERS[text]))
        numeric = _NUMERIC.match(text)
        if numeric:
            return ColumnType(text, decimal(int(numeric[1]), int(numeric[2])))
        if text in ("real", "double precision", "numeric"):
            return ColumnType(text, DOUBLE)
        return ColumnType(text, is_text=bool(_TEXT.match(text)))

    def type_name(self, number: Number) -> str | None:
        """Integer, bigint, then numeric up to the 76 digits of Arrow's decimals."""
        if not number.exact:
            return self.single if number == SINGLE else "double precision"
        if number.kind == "decimal" or number.bits > 63:
            return "numeric" if number.bits <= int(76 * np.log2(10)) else None
        return "integer" if number.bits <= 31 else "bigint"

    halved = whole_half

    def finite(self, expression: str) -> str:
        """The condition that the number is none of NaN, Infinity and -Infinity."""
        return f"({expression} NOT IN ('NaN', 'Infinity', '-Infinity'))"

    def code_of(self, words: Sequence[str], k: int) -> str:
        """A cast of a whole number to bits keeps its order; one of bits to fewer bits drops the last ones."""
        return f"CAST({' || '.join(f'CAST({word} AS bit({WORD_BITS}))' for word in words)} AS {self.code.format(k=k)})"

    def literal(self, value: float, number: Number) -> str:
        """A double is cast, because 0.5e0 is a numeric."""
        return super().literal(value, number) if number.exact else f"CAST('{float(value)!r}' AS double precision)"

    def square(self, x: str) -> str:
        """A product that runs over or under fails. NULL and NaN stay what they are."""
        least, most, endless = (self.literal(value, DOUBLE) for value in (1e-150, 1e150, math.inf))
        small, near = f"abs({x})<{least} THEN 0", f"abs({x})<{most} THEN {self.cast(x, DOUBLE)}*{x}"
        return f"CASE WHEN {small} WHEN {near} ELSE abs({x})*{endless} END"

    def cos(self, x: str) -> str:
        """NaN for an infinite angle, which is an error on this engine."""
        return f"CASE WHEN {x} IN ('Infinity', '-Infinity') THEN 'NaN' ELSE cos({x}) END"

    def exp(self, x: str) -> str:
        """0 if the result would be too small for a double, which is an error on this engine."""
        return f"CASE WHEN {x} < -700 THEN 0 ELSE exp({x}) END"

    def fail(self, message: str) -> str:
        """A cast of the message to a number fails and quotes it. The time keeps the planner from trying it."""
        return f"CAST({self.string(message)} || left(CAST(clock_timestamp() AS text), 0) AS bigint)"

    def same(self, a: str, b: str) -> str:
        """Compare arrays of one element: NULL equals NULL in arrays, and they can be hashed."""
        return f"ARRAY[{a}] = ARRAY[{b}]"

    def numbers_from_zero(self, n: int, column: str) -> str:
        """generate_series."""
        return f"SELECT {column} FROM generate_series(CAST(0 AS bigint), {n - 1}) g({column})"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """One string per column, unnested together."""
        parts = (
            f"unnest(CAST('{{{','.join(map(str, values.tolist()))}}}' AS "
            f"{'double precision' if values.dtype.kind == 'f' else 'bigint'}[])) AS {name}"
            for name, values in columns.items()
        )
        return f"SELECT {', '.join(parts)}"

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5 of the UTF-8 bytes, mod (P-1)."""
        digits = f"substr(md5(convert_to(CAST({expression} AS text), 'UTF8')), 1, 15)"
        return f"(CAST(CAST('x' || {digits} AS bit(60)) AS bigint) % {P - 1})"

    def row_hash(self, columns: Sequence[Column]) -> str:
        """The first 60 bits of md5 of the row in binary form: its text would depend on settings."""
        row = f"ROW({', '.join(self.quote(column.name) for column in columns)})"
        return f"CAST(CAST('x' || substr(md5(record_send({row})), 1, 15) AS bit(60)) AS bigint)"

    def exact(self, expression: str) -> str:
        """The collation of bytes; citext compares as it does in any collation."""
        return f'CAST({expression} AS text) COLLATE "C"'

    def missing(self, held: str, key: str, source: str, texts: Collection[str] = ()) -> str:
        """NOT EXISTS is an anti join. EXCEPT would sort, and NOT IN is slow if the keys do not fit work_mem."""
        same = f"{self.compared(key, texts, 'asked')} = {self.compared(key, texts, 'held')}"
        there = f"SELECT 1 FROM {source} asked WHERE {same}"
        return f"SELECT {key} FROM (SELECT {key} FROM {held}) held WHERE NOT EXISTS ({there})"

    def sum_of_hashes(self, hashed: str) -> str:
        """The sum is a numeric."""
        return f"CAST(mod(sum({hashed}), {HASHED}) AS bigint)"

    # -- arrays ------------------------------------------------------------------------------

    def list_of(self, expressions: Sequence[str]) -> str:
        """ARRAY[…]."""
        return f"ARRAY[{','.join(expressions)}]"

    def scaled(self, array: str, factor: str | None, number: Number, size: int) -> str:
        """Unnest the array, scale its elements and collect them again."""
        if factor is None:
            return array
        return f"ARRAY(SELECT {factor}*e FROM unnest({array}) WITH ORDINALITY AS u(e, o) ORDER BY o)"

    def stored_array(self, column: str, cast: str | None) -> str:
        """A slice of the whole array is read once, and its elements count from 1."""
        return f"({super().stored_array(column, cast)})[:]"

    def length(self, array: str) -> str:
        """cardinality(…); 0 for an array of arrays, which is not one row of numbers."""
        return f"(CASE WHEN array_ndims({array}) > 1 THEN 0 ELSE cardinality({array}) END)"

    def complete(self, array: str, n: int) -> str:
        """array_position finds NULL too."""
        return f"{array} IS NOT NULL AND array_position({array}, NULL) IS NULL"

    def unnest(
        self, relation: str, columns: Sequence[str], array: str, position: str, value: str, filled: bool = False
    ) -> str:
        """The array is read once, at any length. A comma: older parsers lose the names of a CROSS JOIN LATERAL."""
        return (
            f"SELECT {', '.join([*columns, f'o - 1 AS {position}', f'e AS {value}'])}\n"
            f"FROM {relation}, unnest({array}) WITH ORDINALITY AS u(e, o)"
        )

    def collect(self, value: str, order: str) -> str:
        """array_agg(… ORDER BY …)."""
        return f"array_agg({value} ORDER BY {order})"

    def looked_up(self, array: str, position: str, after: str | None) -> str:
        """Positions are integers of 32 bits. One past the end is NULL."""
        found = f"{array}[CAST({position}+1 AS integer)]"
        return found if after is None else f"coalesce({found}, {after})"

    def numbers(self, values: Sequence[float]) -> str:
        """A string of an array."""
        listed = repr(list(map(float, values)))[1:-1].replace(", ", ",")
        return f"CAST('{{{listed}}}' AS double precision[])"

    def euclidean(self, a: str, b: str, size: int = 0) -> str:
        """A sum over both arrays."""
        apart = f"SELECT coalesce(a, 0) - b AS x FROM unnest({a}, {b}) u(a, b)"
        return f"sqrt((SELECT sum({self.square('x')}) FROM ({apart}) d))"

    def inner_product(self, a: str, b: str, size: int = 0) -> str:
        """A sum over both arrays; a double, which a real times a real is not."""
        return f"(SELECT coalesce(sum(CAST(a AS double precision) * b), 0) FROM unnest({a}, {b}) u(a, b))"

    def squares(self, a: str, size: int = 0) -> str:
        """A sum over the array."""
        whole = f"SELECT CAST(a AS double precision) AS x FROM unnest({a}) u(a)"
        return f"(SELECT coalesce(sum({self.square('x')}), 0) FROM ({whole}) d)"

    def vector_of(self, values: Sequence[float]) -> str:
        """A string, which is read as a vector or a halfvec, whichever the column is."""
        return f"'[{','.join(repr(float(value)) for value in values)}]'"

    def vector_from(self, array: str, size: int, half: bool, vectors: str) -> str:
        """A type of pgvector, in its schema."""
        return f"CAST({array} AS {vectors}.{(self.half_vector if half else self.vector).format(k=size)})"

    def vector_distance(self, a: str, b: str, metric: str, vectors: str) -> str:
        """An operator of pgvector, by which its indexes order."""
        return f"{a} OPERATOR({vectors}.{ {'l2': '<->', 'cosine': '<=>', 'inner': '<#>'}[metric] }) {b}"

    def code_distance(self, a: str, b: str, vectors: str) -> str:
        """pgvector's operator, by which its indexes order; otherwise bit_count, since PostgreSQL 14."""
        return f"{a} OPERATOR({vectors}.<~>) {b}" if vectors else f"bit_count({a} # {b})"

    def as_array(self, kind: ColumnType) -> ColumnType | None:
        """Also bits, as zeros and ones, and sparse vectors of pgvector, which casts them to dense ones."""
        bits, sparse = _BITS.match(kind.text), _SPARSE.match(kind.text)
        if bits:
            size = None if "varying" in kind.text else int(bits[1] or 1)
            digits = "CAST(string_to_array(CAST({column} AS text), NULL) AS smallint[])"
            return replace(kind, number=Number("int", _INTEGERS["smallint"]), is_array=True, size=size, cast=digits)
        if sparse and int(sparse[2] or 0) <= _DENSE:
            size, dense = int(sparse[2]) if sparse[2] else None, f"{sparse[1] or ''}vector"
            cast = _REALS.format(column=f"CAST({{column}} AS {dense})")
            return replace(kind, number=DOUBLE, is_array=True, size=size, cast=cast)
        return super().as_array(kind)

    def array_for(self, text: str) -> str:
        """Greater sparse vectors are rows for Long(…), one for each number in their text."""
        if not _SPARSE.match(text):
            return super().array_for(text)
        return (
            f"real[]; of sparse vectors of more than {_DENSE:,} numbers, make (key, feature, value) rows for Long(…) "
            "by string_to_table and split_part"
        )

    def said(self, message: str) -> str:
        """The message given to `fail` stands between quotes at the end."""
        own = _OWN.search(message)
        if _BEYOND.match(message):
            return f"{message} (Python has no such value: read the column as text, by a view with CAST(… AS text))"
        if _NO_VECTORS.search(message):
            return f"{message} (run CREATE EXTENSION vector, or add the extension's schema to search_path)"
        return own[1] if own else super().said(message)

    # -- existing tables -----------------------------------------------------------------------

    # -- sessions ------------------------------------------------------------------------------
