"""The SQL that adds up projected rows and their products: a few queries over one relation of components.

A query computes a block of sums, as many as a result may have columns. The products are of differences from a shift
near the mean, so that they keep their digits if the components are far from 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sqlrp.core.draw import P, Purpose, component_coefficients
from sqlrp.core.errors import LimitError, ParameterError, UnsupportedError, shorten
from sqlrp.core.numbers import DOUBLE, WHOLE
from sqlrp.core.sources import TableName, is_text
from sqlrp.dialects.base import Column, Dialect
from sqlrp.evaluator.moments import Matrix
from sqlrp.lowering.endpoints import tree
from sqlrp.lowering.summing import LABEL

_BLOCK = 1_000
"""The most sums of one query: enough for few queries, and soon planned."""
_GROUP = 32
"""The most arguments of a function."""


@dataclass(frozen=True)
class Labels:
    """Where the labels are: in a column of the source, or (`table`) of another table with the same key."""

    column: str
    table: TableName | None = None
    key: str | None = None
    """of the source"""

    @property
    def name(self) -> str:
        """The column's name among the rows."""
        return self.column if self.table is None else LABEL

    def joined(self, dialect: Dialect, query: str, end: str = "") -> str:
        """The rows of a query, with the labels. `end`: what ends the statement."""
        if self.table is None:
            return query + end
        key, column = dialect.quote(self.key or ""), dialect.quote(self.column)
        return (
            f"SELECT q.*, l.{column} AS {dialect.quote(LABEL)} FROM ({query}) q "
            f"JOIN {dialect.table(self.table)} l ON l.{key} = q.{key}{end}"
        )


def fold_text(dialect: Dialect, key: Column, folds: int, seed: int) -> tuple[str, str]:
    """The number n of a row's key, and its fold from n, as `sqlrp.evaluator.folding.fold_of` computes it."""
    name, whole = dialect.quote(key.name), WHOLE
    if key.type.number is None:
        if not dialect.has_md5:
            raise UnsupportedError(
                f"{dialect.name} has no md5, so that SQL computes no folds of the text key {key.name!r}: use "
                "lowering = 'compiled', or a key of whole numbers"
            )
        number = dialect.hash_name(name)
    else:
        own = dialect.remainder(dialect.cast(name, whole), P)
        number = dialect.remainder(f"({own} + {P})", P)
    b = component_coefficients(seed, Purpose.FOLDS, np.zeros(1, dtype=np.int64))[:, 0].tolist()
    text = dialect.cast(str(b[7]), whole)
    for coefficient in reversed(b[:7]):
        text = dialect.remainder(f"({text} * n + {coefficient})", P)
    return number, dialect.remainder(text, folds)


def rows_text(
    dialect: Dialect,
    query: str,
    k: int,
    labels: Labels,
    classifier: bool,
    fold: tuple[Column, int, int] | None,
) -> str:
    """The SELECT of the fold f, the label y, and x0 … as DOUBLE; the last x is a regressor's target."""
    label = dialect.quote(labels.name)
    x = [f"{dialect.cast(f'z{i}', DOUBLE)} AS x{i}" for i in range(k)]
    if classifier:
        y = f"{label} AS y"
    else:
        x.append(f"{dialect.cast(label, DOUBLE)} AS x{k}")
        y = "0 AS y"
    relation = f"({labels.joined(dialect, query)}{dialect.fence}) q"
    f = "0"
    if fold is not None:
        number, f = fold_text(dialect, *fold)
        relation = f"(SELECT q.*, {number} AS n FROM {relation}{dialect.fence}) q"
    return f"SELECT {', '.join([f'{f} AS f', y, *x])}\nFROM {relation} WHERE z0 IS NOT NULL AND {label} IS NOT NULL"


def mean_queries(dialect: Dialect, relation: str, m: int) -> Iterator[str]:
    """The queries of the means of x0 …, one after another, each after the number of rows."""
    for block in _blocks(dialect, [f"avg(x{i})" for i in range(m)]):
        yield f"SELECT count(*), {', '.join(block)} FROM {relation}"


def product_queries(dialect: Dialect, relation: str, shift: Matrix) -> Iterator[str]:
    """The queries of the sums and products of the differences, by fold: Σ x_i, then Σ x_i x_j for i ≤ j."""
    m, of = len(shift), shifted(dialect, shift)
    sums = [f"sum(x{i})" for i in range(m)]
    sums += [f"sum(x{i}*x{j})" for i in range(m) for j in range(i, m)]
    for block in _blocks(dialect, sums):
        yield f"SELECT f, count(*), {', '.join(block)} FROM (SELECT f, {of} FROM {relation}) d GROUP BY f"


def class_queries(dialect: Dialect, relation: str, shift: Matrix) -> Iterator[str]:
    """The queries of the number of rows and Σ x_i of the differences, by fold and class."""
    of = shifted(dialect, shift)
    for block in _blocks(dialect, [f"sum(x{i})" for i in range(len(shift))]):
        yield f"SELECT f, y, count(*), {', '.join(block)} FROM (SELECT f, y, {of} FROM {relation}) d GROUP BY f, y"


def shifted(dialect: Dialect, shift: Matrix) -> str:
    """The differences from the shift, under the same names."""
    return ", ".join(f"(x{i} - ({dialect.literal(float(a), DOUBLE)})) AS x{i}" for i, a in enumerate(shift))


def _blocks(dialect: Dialect, sums: Sequence[str]) -> Iterator[Sequence[str]]:
    size = min(_BLOCK, (dialect.limits.columns or _BLOCK) - 3)
    yield from (sums[i : i + size] for i in range(0, len(sums), size))


def right_query(
    dialect: Dialect, relation: str, fold: int, names: Sequence[Any], coefficients: Matrix, intercepts: Matrix
) -> str:
    """The query of the number of rows of a fold that a model classifies correctly."""
    n = len(intercepts)
    decisions = _decisions(dialect, coefficients, intercepts, "pass accuracy=False")
    inner = level(dialect, ["y", *decisions], f"{relation} WHERE f = {fold}")
    values = [class_literal(dialect, name) for name in names]
    if n == 1:
        said = f"CASE WHEN d0 > 0 THEN {values[1]} ELSE {values[0]} END"
    else:
        d = [f"d{i}" for i in range(n)]
        inner = level(dialect, ["y", *d, f"{greatest(dialect, d)} AS best"], inner)
        said = f"CASE {' '.join(f'WHEN {x} = best THEN {v}' for x, v in zip(d, values, strict=True))} END"
    return f"SELECT count(*) FROM {inner} WHERE y = {said}"


def moved_queries(
    dialect: Dialect,
    relation: str,
    left_out: int | None,
    names: Sequence[Any],
    coefficients: Matrix,
    intercepts: Matrix,
    shift: Matrix,
) -> Iterator[str]:
    """The queries of `sqlrp.lowering.summing.Moved`: Σ m of all decisions, then Σ m·(x_0 - shift_0) of all, and so on.

    `left_out`: the fold that takes no part.
    """
    n, k = coefficients.shape
    where = "" if left_out is None else f" WHERE f <> {left_out}"
    zero, one, minus = (dialect.literal(value, DOUBLE) for value in (0.0, 1.0, -1.0))
    decisions = _decisions(dialect, coefficients, intercepts, "use lowering = 'auto'")
    classes = [class_literal(dialect, name) for name in (names if n > 1 else names[1:])]
    moved = [
        f"CASE WHEN y = {own} THEN CASE WHEN d{c} > {one} THEN d{c} - {one} ELSE {zero} END "
        f"WHEN d{c} < {minus} THEN d{c} + {one} ELSE {zero} END AS m{c}"
        for c, own in enumerate(classes)
    ]
    entries: list[tuple[str, list[int]]] = [("", [])] + [(f"*x{i}", [i]) for i in range(k)]
    most = max(min(_BLOCK, (dialect.limits.columns or _BLOCK) - n - 3) // n, 1)
    for start in range(0, len(entries), most):
        block = entries[start : start + most]
        x = [i for _, used in block for i in used]
        away = [f"(x{i} - ({dialect.literal(float(shift[i]), DOUBLE)})) AS x{i}" for i in x]
        inner = level(dialect, ["y", *decisions, *away], f"{relation}{where}")
        inner = level(dialect, [*moved, *(f"x{i}" for i in x)], inner)
        yield f"SELECT {', '.join(f'sum(m{c}{times})' for times, _ in block for c in range(n))} FROM {inner}"


def _decisions(dialect: Dialect, coefficients: Matrix, intercepts: Matrix, remedy: str) -> list[str]:
    """The decisions d0 … of x0 …. Raises LimitError for more terms than a statement may have."""
    n = len(intercepts)
    terms = coefficients.size + n
    if terms > dialect.limits.terms:
        raise LimitError(
            f"{n} decisions on {coefficients.shape[1]} components are {terms:,} terms, more than the "
            f"{dialect.limits.terms:,} of a statement of {dialect.name}: {remedy}"
        )
    decisions = []
    for i in range(n):
        parts = [f"{dialect.literal(float(w), DOUBLE)}*x{c}" for c, w in enumerate(coefficients[i])]
        decisions.append(f"{tree([*parts, dialect.literal(float(intercepts[i]), DOUBLE)])} AS d{i}")
    return decisions


def level(dialect: Dialect, columns: Sequence[str], relation: str) -> str:
    """A subquery that the engine does not merge with the query around it."""
    return f"(SELECT {', '.join(columns)}\nFROM {relation}{dialect.fence}) s"


def greatest(dialect: Dialect, expressions: Sequence[str]) -> str:
    """The greatest of several expressions, in groups, because functions have a limited number of arguments."""
    now = list(expressions)
    while len(now) > 1:
        groups = [now[i : i + _GROUP] for i in range(0, len(now), _GROUP)]
        now = [dialect.greatest(group) if len(group) > 1 else group[0] for group in groups]
    return now[0]


def class_literal(dialect: Dialect, value: object) -> str:
    """A class as a literal. Raises ParameterError for a value of another type than whole numbers, floats and text."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int) and abs(value) < 2**63:
        return dialect.cast(str(value), WHOLE)
    if isinstance(value, float) and np.isfinite(value):
        return dialect.literal(value, DOUBLE)
    if isinstance(value, str) and is_text(value):
        return dialect.string(value)
    raise ParameterError(f"class {shorten(value)} cannot stand in SQL: classes must be whole numbers, text or booleans")


__all__ = [
    "Labels",
    "class_literal",
    "class_queries",
    "greatest",
    "level",
    "mean_queries",
    "moved_queries",
    "product_queries",
    "right_query",
    "rows_text",
]
