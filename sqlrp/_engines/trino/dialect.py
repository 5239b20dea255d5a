"""Trino.

Key differences: backslashes are not escapes in strings; there are no temporary tables, so a step is a plain table; md5
takes bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sqlrp._core.draw import P
from sqlrp._core.names import Folding
from sqlrp._core.numbers import WORD_BITS, Number
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Limits, Swap
from sqlrp._engines.warehouses.dialect import Warehouse

_PART = 200
"""The most elements in one array constructor. More than 254 were refused (https://github.com/trinodb/trino/issues/16033),
until only bytecode limits an expression (https://github.com/trinodb/trino/pull/21566)."""


class Trino(Warehouse):
    """Trino."""

    name: ClassVar[str] = "trino"
    shifts_bits: ClassVar[bool] = True
    folding: ClassVar[Folding] = "letters"
    escapes: ClassVar[Mapping[str, str]] = {"'": "''"}
    single: ClassVar[str] = "REAL"
    array: ClassVar[str] = "ARRAY({number})"
    joins_arrays: ClassVar[str] = "concat"
    vector: ClassVar[str] = "ARRAY(DOUBLE)"
    """what its functions of distances take"""
    vectors_are_single: ClassVar[bool] = False
    argument: ClassVar[str] = "sqlrp_argument"
    functions_hold_queries: ClassVar[bool] = False
    """https://trino.io/docs/current/udf/sql.html, limitations"""
    making_temporary: ClassVar[str] = "CREATE TABLE {name} AS"
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

    # -- expressions without a query ------------------------------------------------------------------------------

    def each(self, array: str, value: str) -> str:
        """transform."""
        return f"transform({array}, e -> {value})"

    def appended(self, array: str, value: str) -> str:
        """||."""
        return f"{array} || ARRAY[{value}]"

    def or_zeros(self, array: str, n: int, number: Number) -> str:
        """transform of a sequence makes the zeros."""
        return f"coalesce({array}, transform(sequence(1, {n}), e -> {self.literal(0, number)}))"

    def where(self, array: str, value: str) -> str:
        """transform of an array with one element."""
        return f"element_at(transform(ARRAY[{array}], x -> {value}), 1)"

    def sums_of_text(self, array: str, text: str, factors: int) -> str:
        """split, and reduce over the items."""
        places = (f"element_at({array}, CAST(split_part(i, ':', {j + 2}) AS INTEGER))" for j in range(factors))
        term = "*".join(["CAST(split_part(i, ':', 1) AS DOUBLE)", *places])
        total = f"reduce(split(l, ','), 0e0, (s, i) -> s + {term}, s -> s)"
        return f"transform(split({self.string(text)}, ';'), l -> CASE WHEN l = '' THEN 0e0 ELSE {total} END)"

    def rescaled_by_text(self, array: str, text: str) -> str:
        """split, and transform of the items."""
        parts = [
            f"CAST(split_part(i, ':', {j}) AS {kind})" for j, kind in ((1, "INTEGER"), (2, "DOUBLE"), (3, "DOUBLE"))
        ]
        value = f"(element_at({array}, {parts[0]}) - {parts[1]}) * {parts[2]}"
        return f"transform(split({self.string(text)}, ','), i -> {value})"

    def unit_list(self, array: str) -> str:
        """The norm stands in an array of one element, so that it is computed once."""
        norm = f"ARRAY[sqrt(reduce({array}, 0e0, (s, e) -> s + e*e, s -> s))]"
        value = f"transform({array}, e -> e/CASE WHEN n = 0 THEN 1e0 ELSE n END)"
        return f"element_at(transform({norm}, n -> {value}), 1)"

    def failing_list(self, message: str, array: str) -> str:
        """A cast of the message to a number; the array's length keeps it from being computed in advance."""
        kept = f"substr(CAST(coalesce(cardinality({array}), 0) AS VARCHAR), 1, 0)"
        return f"ARRAY[CAST({self.string(message)} || {kept} AS DOUBLE)]"

    def field(self, word: str, at: int, width: int) -> str:
        """bitwise_and and bitwise_right_shift."""
        return f"bitwise_and(bitwise_right_shift({word}, {at}), {(1 << width) - 1})"

    def differing(self, a: str, b: str) -> str:
        """bit_count."""
        return f"bit_count(bitwise_xor({a}, {b}), {WORD_BITS})"

    def creating_function(self, name: TableName, body: str, returns: str, mark: str) -> str:
        """A function of a catalogue that stores functions, with the mark as its comment."""
        return (
            f"CREATE OR REPLACE FUNCTION {self.table(name)}({self.argument} ARRAY(DOUBLE)) RETURNS {returns} "
            f"COMMENT {self.string(mark)} RETURN {body}"
        )

    def dropping_function(self, name: TableName) -> str:
        """The types of the arguments are part of the name."""
        return f"DROP FUNCTION {self.table(name)}(ARRAY(DOUBLE))"

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5 of the UTF-8 bytes, mod (P-1)."""
        return f"(from_base(substr(to_hex(md5(to_utf8({expression}))), 1, 15), 16) % {P - 1})"
