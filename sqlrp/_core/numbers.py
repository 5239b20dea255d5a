"""The kinds of numbers of features and sums. They tell an engine which type to cast to before it adds.

A signed sum of m integers of b bits needs b + ⌈log2 m⌉ bits, and a product of g such sums g times as many. The
lowering uses the engine's narrowest type that can represent the result, so nothing overflows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

import pyarrow as pa

from sqlrp._core.values import dataclass

Kind = Literal["int", "decimal", "float", "double", "single", "byte"]


@dataclass(frozen=True)
class Number:
    """A kind of number: |value| < 2^bits units, where a unit is 10^-digits (digits is 0 except for decimals)."""

    kind: Kind
    bits: int = 0
    digits: int = 0

    @property
    def exact(self) -> bool:
        """Whether sums of this kind are exact integers or decimals."""
        return self.kind in ("int", "decimal")

    @property
    def arrow_type(self) -> pa.DataType:
        """The Arrow type of a result's numbers."""
        if self == BYTE:
            return pa.int8()
        if self.kind == "decimal":
            return pa.decimal128(18 if self.bits <= 59 else 38, self.digits)
        if not self.exact:
            return pa.float32() if self in (FLOAT, SINGLE) else pa.float64()
        if self.bits <= 63:
            return pa.int32() if self.bits <= 31 else pa.int64()
        return pa.decimal128(38, 0) if self.bits <= 126 else pa.decimal256(76, 0)

    def holds(self, other: Number) -> bool:
        """Whether this kind can represent every number of the other kind."""
        return common((self, other)) == self

    def summed(self, terms: int) -> Number:
        """The kind of a signed sum of `terms` such numbers."""
        if not self.exact:
            return self
        return Number(
            self.kind,
            self.bits + math.ceil(math.log2(max(terms, 1))) if terms > 1 else self.bits,
            self.digits,
        )

    def multiplied(self, factors: int, terms: int = 1) -> Number:
        """The kind of a sum of `terms` products of `factors` such numbers."""
        if not self.exact:
            return self
        return Number(self.kind, self.bits * factors, self.digits * factors).summed(terms)


FLOAT = Number("float")
DOUBLE = Number("double")
SINGLE = Number("single")
"""results that are written as 32-bit floats, after they were computed in another kind"""
BYTE = Number("byte")
"""results that are written as integers of 8 bits, after they were computed in another kind"""
BOOLEAN = Number("int", 1)
WHOLE = Number("int", 63)
"""the integers of 64 bits, of which one is the sign"""

WORD_BITS = 64
"""The bits of a column of output "bits". The sources in `sql/` and `native/` are given it when they are built."""
WORD_BYTES = WORD_BITS // 8
WORD = Number("int", WORD_BITS - 1)
"""The whole numbers that hold them, with a sign: every engine has them."""


def words_of(bits: int) -> int:
    """How many words so many bits take."""
    return -(-bits // WORD_BITS)


def common(numbers: Iterable[Number]) -> Number:
    """The narrowest kind that can represent all given kinds; for none, an integer of one bit."""
    kinds = set(numbers) or {BOOLEAN}
    if all(n.kind == "int" for n in kinds):
        return Number("int", max(n.bits for n in kinds))
    if all(n.exact for n in kinds):
        digits = max(n.digits for n in kinds)
        return Number("decimal", max(n.bits + math.ceil((digits - n.digits) * math.log2(10)) for n in kinds), digits)
    if all(n.kind == "float" or (n.kind == "int" and n.bits <= 24) for n in kinds):
        return FLOAT
    return DOUBLE
