"""Sums as text: the signs of terms are values until the terms are joined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlrp.core.numbers import Number
from sqlrp.dialects.base import Dialect
from sqlrp.lowering.endpoints import tree


def term(dialect: Dialect, x: str, weight: float, kind: Number) -> str:
    """One term of a sum, without its sign."""
    return x if abs(weight) == 1 else f"{dialect.literal(abs(weight), kind)}*{x}"


def signed(terms: Iterable[tuple[float, str]]) -> str:
    """The sum of terms. Each comes with a number that has its sign; empty for no terms."""
    plus: list[str] = []
    minus: list[str] = []
    for sign, term in terms:
        (minus if sign < 0 else plus).append(term)
    return difference(plus, minus)


def difference(plus: Sequence[str], minus: Sequence[str]) -> str:
    """The sum of `plus` minus the sum of `minus`; empty if both are empty."""
    if not plus:
        return f"-{tree(minus)}" if minus else ""
    return f"({tree(plus)}-{tree(minus)})" if minus else tree(plus)
