"""What kind of number a feature or a sum is, so that every engine can widen before it adds.

A signed sum of m integers of b bits needs b + ⌈log2 m⌉ bits, a product of g of them g times as many;
the lowering asks for the narrowest type of the engine that holds the result, so nothing overflows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["int", "decimal", "float", "double"]


@dataclass(frozen=True)
class Number:
    """A kind of number: |value| < 2^bits units, a unit being 10^-digits (0 but for decimals)."""

    kind: Kind
    bits: int = 0
    digits: int = 0

    @property
    def exact(self) -> bool:
        """Whether sums of this kind are exact integers or decimals."""
        return self.kind in ("int", "decimal")

    def holds(self, other: Number) -> bool:
        """Whether every number of the other kind is of this kind too."""
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
BOOLEAN = Number("int", 1)


def common(numbers: Iterable[Number]) -> Number:
    """The narrowest kind that holds every value of every given kind (no numbers: an integer 0)."""
    kinds = set(numbers) or {BOOLEAN}
    if all(n.kind == "int" for n in kinds):
        return Number("int", max(n.bits for n in kinds))
    if all(n.exact for n in kinds):
        digits = max(n.digits for n in kinds)
        return Number("decimal", max(n.bits + math.ceil((digits - n.digits) * math.log2(10)) for n in kinds), digits)
    if all(n.kind == "float" or (n.kind == "int" and n.bits <= 24) for n in kinds):
        return FLOAT
    return DOUBLE
