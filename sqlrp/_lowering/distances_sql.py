"""Distances of two rows as SQL: of arrays, or of columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from sqlrp._core.numbers import DOUBLE
from sqlrp._dialects.dialect import Dialect
from sqlrp._lowering.endpoints import tree

Metric = Literal["l2", "cosine", "inner"]
"""The Euclidean distance, 1 - the cosine, or the negative of the inner product: the nearest row has the least."""


def of_arrays(dialect: Dialect, metric: Metric, a: str, b: str, size: int = 0) -> str:
    """The distance of two arrays of doubles. `size`: their length, if neither has NULL in a row that is compared."""
    if metric == "l2":
        return dialect.euclidean(a, b, size)
    product = dialect.inner_product(a, b, size)
    if metric == "inner":
        return f"-{product}"
    return _cosine(dialect, product, dialect.squares(a, size), dialect.squares(b, size))


def of_columns(dialect: Dialect, metric: Metric, a: Sequence[str], b: Sequence[str]) -> str:
    """The distance of two rows, given by the expressions of their numbers."""
    if metric == "l2":
        apart = [f"({one}-{other})" for one, other in zip(a, b, strict=True)]
        return dialect.root_of_squares(tree([dialect.square(each) for each in apart]))
    product = tree([f"{one}*{other}" for one, other in zip(a, b, strict=True)])
    if metric == "inner":
        return f"-({product})"
    return _cosine(dialect, f"({product})", *(tree([dialect.square(c) for c in side]) for side in (a, b)))


def of_shifted(
    dialect: Dialect, metric: Metric, product: Callable[[str, str], str], a: str, b: str, ones: str, shift: float
) -> str:
    """The distance of a row whose numbers stand for `shift` more than they are, from one vector, by inner products.

    `metric`: "cosine" or "inner". `ones`: an array of as many ones. The Euclidean distance takes a shifted vector.
    """
    there = f"({product(a, b)}+{shift!r}*{product(b, ones)})"
    if metric == "inner":
        return f"-{there}"
    plain = f"{product(a, a)}+{2 * shift!r}*{product(a, ones)}+{shift * shift!r}*{product(ones, ones)}"
    return _cosine(dialect, there, f"({plain})", product(b, b))


def _cosine(dialect: Dialect, product: str, row: str, vector: str) -> str:
    """1 - the cosine, from the squares of both norms; 1 for a row of zeros, or of numbers whose squares run over."""
    sqrt, zero = dialect.sqrt, dialect.literal(0, DOUBLE)
    return f"1-coalesce({product}/NULLIF({sqrt(row)}*{sqrt(vector)}, 0), {zero})"
