"""Sums as text: the signs of terms are values until the terms are joined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from sqlrp._core.numbers import Number
from sqlrp._dialects.dialect import Dialect
from sqlrp._lowering.endpoints import tree
from sqlrp._lowering.partial_sums import Round
from sqlrp._stages import ONE, Products


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


def paired(x: Sequence[str], entries: Round) -> list[str]:
    """The sums and differences of a round, over the expressions of the round before."""
    sides = zip(entries.left, entries.right, entries.sign, strict=True)
    return [f"{x[a]}{'+' if sign > 0 else '-'}{x[b]}" if a >= 0 and b >= 0 else x[max(a, b)] for a, b, sign in sides]


def sums_of_products(dialect: Dialect, stage: Products, entries: Sequence[str], kind: Number) -> list[str]:
    """The sum of products of each component, over the expressions of the entries."""
    products = ["*".join([entries[i] for i in product if i != ONE] or ["1"]) for product in stage.factors.tolist()]
    weights = [1] * len(products) if stage.weights is None else stage.weights.tolist()
    terms = [(w, term(dialect, e, w, kind)) for e, w in zip(products, weights, strict=True)]
    zero = dialect.literal(0, kind)
    bounds = np.searchsorted(stage.components, np.arange(stage.n_outputs + 1)).tolist()
    return [signed(terms[start:end]) or zero for start, end in pairwise(bounds)]
