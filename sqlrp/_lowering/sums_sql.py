"""The SQL that adds up projected rows and their products: a few queries over one relation of components.

A query computes a block of sums, as many as a result may have columns. The products are of differences from a shift
near the mean, so that they keep their digits if the components are far from 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sqlrp._core.draw import Purpose
from sqlrp._core.errors import LimitError, ParameterError, UnsupportedError, shorten
from sqlrp._core.numbers import DOUBLE, WHOLE
from sqlrp._core.sources import TableName, is_text
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Column, Dialect
from sqlrp._evaluator.clip import Clip
from sqlrp._evaluator.moments import Matrix
from sqlrp._lowering.endpoints import component_names, tree
from sqlrp._lowering.key_numbers import hash_text, key_number
from sqlrp._lowering.tallies import GROUP, LABEL, WEIGHT, Loss, RowColumns, curvature, decisions_of

_BLOCK = 1_000
"""The most sums of one query: enough for few queries, and soon planned."""
NUMBER = "sqlrp_number"
"""The column of the number of a row's key: no column of a user has that name."""
_GROUP = 32
"""The most arguments of a function."""


@dataclass(frozen=True)
class Labels:
    """Where the labels are: in a column of the source, or (`table`) of another table with the same key."""

    column: str | None
    """None if the sums are of the components alone"""
    table: TableName | None = None
    key: str | None = None
    """of the source"""
    weight: str | None = None
    """the column of the rows' weights, in the same place; None if each counts once"""
    text: bool = False
    """whether labels are read as text, as the driver passes other values of their type"""
    others: tuple[str, ...] = ()
    """further columns of a regressor's targets, in the same place"""
    group: str | None = None
    """the column of the rows' groups, in the same place"""
    group_text: bool = False
    """whether groups are read as text"""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns of targets among the rows."""
        if self.name is None:
            return ()
        return (self.name, *(f"{LABEL}{i}" if self.renamed else name for i, name in enumerate(self.others, 1)))

    @property
    def name(self) -> str | None:
        """The column's name among the rows; None if there is none."""
        return LABEL if self.renamed else self.column

    @property
    def weight_name(self) -> str | None:
        """The name of the column of weights among the rows."""
        return WEIGHT if self.weight is not None and self.renamed else self.weight

    @property
    def group_name(self) -> str | None:
        """The name of the column of groups among the rows."""
        return GROUP if self.group is not None and self.renamed else self.group

    @property
    def told(self) -> RowColumns:
        """The names of all columns among the rows."""
        return RowColumns(self.names, self.weight_name, self.group_name)

    @property
    def renamed(self) -> bool:
        """Whether the labels come to the rows under names of their own."""
        return self.table is not None or self.text or self.group_text

    def joined(self, dialect: Dialect, query: str, end: str = "") -> str:
        """The rows of a query, with the labels. `end`: what ends the statement."""
        if not self.renamed:
            return query + end
        key, own = dialect.quote(self.key or ""), "q" if self.table is None else "l"
        label = f"{own}.{dialect.quote(self.column or '')}"
        named = f"{dialect.as_text(label) if self.text else label} AS {dialect.quote(LABEL)}"
        for other, name in zip(self.others, self.names[1:], strict=True):
            named += f", {own}.{dialect.quote(other)} AS {dialect.quote(name)}"
        if self.weight is not None:
            named += f", {own}.{dialect.quote(self.weight)} AS {dialect.quote(WEIGHT)}"
        if self.group is not None:
            group = f"{own}.{dialect.quote(self.group)}"
            named += f", {dialect.as_text(group) if self.group_text else group} AS {dialect.quote(GROUP)}"
        if self.table is None:
            return f"SELECT q.*, {named} FROM ({query}) q{end}"
        return f"SELECT q.*, {named} FROM ({query}) q JOIN {dialect.table(self.table)} l ON l.{key} = q.{key}{end}"


@dataclass(frozen=True)
class Components:
    """The rows of `rows_text`, as text after FROM."""

    dialect: Dialect
    relation: str
    weighted: bool = False
    """whether the rows have weights"""


def fold_text(dialect: Dialect, key: Column, folds: int, seed: int) -> tuple[str, str]:
    """The number of a row's key, and the fold from its column `NUMBER`: that of `sqlrp._evaluator.row_keys.fold_of`."""
    if key.type.number is None and not dialect.has_md5:
        raise UnsupportedError(
            f"{dialect.name} has no md5, so that SQL computes no folds of the text key {key.name!r}: use "
            "lowering = 'native', or a key of whole numbers"
        )
    return key_number(dialect, key), dialect.remainder(hash_text(dialect, seed, Purpose.FOLDS, NUMBER), folds)


def rows_text(
    dialect: Dialect,
    query: str,
    k: int,
    labels: Labels,
    classifier: bool,
    fold: tuple[Column, int, int] | None,
) -> str:
    """The SELECT of the fold f, the label y, x0 … as DOUBLE, and if there are any the group g and the weight w.

    The last x are a regressor's targets.
    """
    z = component_names(dialect, k)
    x, y = [f"{dialect.cast(column, DOUBLE)} AS x{i}" for i, column in enumerate(z)], "0 AS y"
    f, w, there = "0", [], f"{z[0]} IS NOT NULL"
    for i, name in enumerate(labels.names, k):
        label = dialect.quote(name)
        there = f"{there} AND {label} IS NOT NULL"
        if classifier:
            y = f"{label} AS y"
        else:
            x.append(f"{dialect.cast(label, DOUBLE)} AS x{i}")
    relation, g = f"({labels.joined(dialect, query)}{dialect.fence}) q", []
    if labels.group_name is not None:
        group = dialect.quote(labels.group_name)
        g, there = [f"{group} AS g"], f"{there} AND {group} IS NOT NULL"
    if labels.weight_name is not None:
        weight = dialect.quote(labels.weight_name)
        w, there = [f"{dialect.cast(weight, DOUBLE)} AS w"], f"{there} AND {weight} IS NOT NULL"
    if fold is not None:
        number, f = fold_text(dialect, *fold)
        relation = f"(SELECT q.*, {number} AS {NUMBER} FROM {relation}{dialect.fence}) q"
    return f"SELECT {', '.join([f'{f} AS f', y, *g, *w, *x])}\nFROM {relation} WHERE {there}"


def clipped_text(dialect: Dialect, relation: str, clip: Clip) -> str:
    """The rows of `rows_text` as `Clip` has them: those of named classes, in whole steps, as text after FROM."""

    def number(value: float) -> str:
        return f"({dialect.literal(value, DOUBLE)})"

    x = [f"x{i}" for i in range(clip.k)]
    norm = dialect.root_of_squares(tree([dialect.square(each) for each in x]))
    where = f" WHERE y IN ({', '.join(class_literal(dialect, name) for name in clip.classes)})"
    target = [] if clip.classes else [f"x{clip.k}"]
    inner = level(dialect, ["f", "y", *x, *target, f"{norm} AS n"], relation + where * bool(clip.classes))
    length, most = number(clip.length), number(clip.most)
    times = f"CASE WHEN n > {length} THEN {most}/n ELSE {number(clip.most / clip.length)} END AS s"
    inner = level(dialect, ["f", "y", *x, *target, times], inner)
    steps = [f"{dialect.floor(f'({each}*s+{number(0.5)})')} AS {each}" for each in x]
    low, high = map(number, clip.bounds)
    for each in target:
        within = f"(CASE WHEN {each} < {low} THEN {low} WHEN {each} > {high} THEN {high} ELSE {each} END)"
        moved = f"(({within}-{number(clip.middle)})/{number(clip.target_unit)}+{number(0.5)})"
        steps.append(f"{dialect.floor(moved)} AS {each}")
    return level(dialect, ["f", "y", *steps], inner)


def least_weight_query(relation: str) -> str:
    """The query of the least weight."""
    return f"SELECT min(w) FROM {relation}"


def mean_queries(dialect: Dialect, relation: str, m: int) -> Iterator[str]:
    """The queries of the means of x0 …, one after another, each after the number of rows."""
    for block in _blocks(dialect, [f"avg(x{i})" for i in range(m)]):
        yield f"SELECT count(*), {', '.join(block)} FROM {relation}"


def product_queries(
    dialect: Dialect, relation: str, shift: Matrix, weighted: bool = False, apart: Sequence[str] = ()
) -> Iterator[str]:
    """The queries of the sums and products of the differences, by fold: Σ w, then Σ x_i, then Σ x_i x_j for i ≤ j.

    `weighted`: whether rows have weights. `apart`: by fold and these columns, the class y or the group g.
    """
    m, of, by = len(shift), shifted(dialect, shift), ", ".join(["f", *apart])
    w, times = ("sum(w)", "w*") if weighted else ("count(*)", "")
    carried = f"{by}, w" if weighted else by
    sums = [f"sum({times}x{i})" for i in range(m)]
    sums += [f"sum({times}x{i}*x{j})" for i in range(m) for j in range(i, m)]
    for block in _blocks(dialect, sums):
        inner = f"(SELECT {carried}, {of} FROM {relation}) d"
        yield f"SELECT {by}, count(*), {w} AS whole, {', '.join(block)} FROM {inner} GROUP BY {by}"


def class_queries(dialect: Dialect, relation: str, shift: Matrix, weighted: bool = False) -> Iterator[str]:
    """The queries of the weight of rows and Σ x_i of the differences, by fold and class."""
    of = shifted(dialect, shift)
    w, times, carried = ("sum(w)", "w*", "f, y, w") if weighted else ("count(*)", "", "f, y")
    for block in _blocks(dialect, [f"sum({times}x{i})" for i in range(len(shift))]):
        inner = f"(SELECT {carried}, {of} FROM {relation}) d"
        yield f"SELECT f, y, {w} AS whole, {', '.join(block)} FROM {inner} GROUP BY f, y"


def shifted(dialect: Dialect, shift: Matrix) -> str:
    """The differences from the shift, under the same names."""
    return ", ".join(f"(x{i} - ({dialect.literal(float(a), DOUBLE)})) AS x{i}" for i, a in enumerate(shift))


def _blocks(dialect: Dialect, sums: Sequence[str]) -> Iterator[Sequence[str]]:
    """The sums, each with a name: a driver may keep one of several columns that an engine calls `sum`."""
    size = min(_BLOCK, (dialect.limits.columns or _BLOCK) - 4)
    yield from (_named(sums[i : i + size]) for i in range(0, len(sums), size))


def _named(sums: Sequence[str]) -> list[str]:
    """The sums with names that no relation has."""
    return [f"{each} AS sum{i}" for i, each in enumerate(sums)]


def said_query(
    rows: Components,
    fold: int,
    names: Sequence[Any],
    model: tuple[Matrix, Matrix],
    loss: Loss = "squares",
) -> str:
    """The query of what a model says of a fold: by class, and by the position of the class that it gives.

    Each row has the weight of the rows, and the sum of -log(p) of `sqlrp._lowering.tallies.ClassTally`.
    """
    dialect, relation, weighted = rows.dialect, rows.relation, rows.weighted
    n = len(model[1])
    carried = ["y", "w"] if weighted else ["y"]
    d = [f"d{i}" for i in range(n)]
    decisions = _decisions(dialect, *model, "pass accuracy=False")
    inner = level(dialect, [*carried, *decisions], f"{relation} WHERE f = {fold}")
    if n == 1:
        said = "CASE WHEN d0 > 0 THEN 1 ELSE 0 END"
    else:
        inner = level(dialect, [*carried, *d, f"{greatest(dialect, d)} AS best"], inner)
        said = f"CASE {' '.join(f'WHEN {x} = best THEN {i}' for i, x in enumerate(d))} END"
    lost = dialect.literal(0.0, DOUBLE)
    if loss == "logistic":
        lost = _log_loss(dialect, d, [class_literal(dialect, name) for name in names])
    inner = level(dialect, [*carried, f"{said} AS s", f"{lost} AS l"], inner)
    w, times = ("sum(w)", "w*") if weighted else ("count(*)", "")
    return f"SELECT y, s, {', '.join(_named([w, f'sum({times}l)']))} FROM {inner} GROUP BY y, s"


def nearest_queries(dialect: Dialect, relation: str, centres: Matrix, shift: Matrix) -> Iterator[str]:
    """The queries of the sums of `sqlrp._lowering.tallies.NearestTally`, each after the centre's number.

    The first has the number of rows and Σ |x - shift|² besides.
    """
    k = len(shift)
    x, d = [f"x{i}" for i in range(k)], [f"d{i}" for i in range(len(centres))]
    inner = level(dialect, [shifted(dialect, shift)], relation)
    decisions = _decisions(dialect, *decisions_of(centres - shift), "take fewer clusters or components")
    inner = level(dialect, [*x, *decisions], inner)
    inner = level(dialect, [*x, *d, f"{greatest(dialect, d)} AS best"], inner)
    said = f"CASE {' '.join(f'WHEN {each} = best THEN {i}' for i, each in enumerate(d))} END"
    inner = level(dialect, [*x, f"{said} AS s"], inner)
    sums = ["count(*)", f"sum({tree([dialect.square(each) for each in x])})", *(f"sum({each})" for each in x)]
    for block in _blocks(dialect, sums):
        yield f"SELECT s, {', '.join(block)} FROM {inner} GROUP BY s"


def _log_loss(dialect: Dialect, d: Sequence[str], classes: Sequence[str]) -> str:
    """-log(p) of the class y. Of several decisions the greatest one is `best`."""
    if len(d) == 1:
        away = f"(CASE WHEN y = {classes[1]} THEN -d0 ELSE d0 END)"
        over = f"(CASE WHEN {away} > 0 THEN {away} ELSE {dialect.literal(0.0, DOUBLE)} END)"
        below = dialect.exp(f"(-{dialect.absolute(away)})")
        return f"({over} + {dialect.ln(f'(1+{below})')})"
    own = f"(CASE {' '.join(f'WHEN y = {name} THEN {x}' for name, x in zip(classes, d, strict=True))} END)"
    total = tree([dialect.exp(f"({x}-best)") for x in d])
    return f"(best + {dialect.ln(total)} - {own})"


def moved_queries(
    rows: Components,
    left_out: int | None,
    names: Sequence[Any],
    model: tuple[Matrix, Matrix],
    shift: Matrix,
    loss: Loss = "squared_hinge",
    heavy: Matrix | None = None,
) -> Iterator[str]:
    """The queries of a `MoveTally` of `tallies`: Σ m of all decisions, then Σ m·(x_0 - shift_0) of all, and so on.

    `left_out`: the fold that takes no part. `heavy`: the weights of the classes, or None.
    """
    dialect, relation, weighted = rows.dialect, rows.relation, rows.weighted
    n, k = model[0].shape
    where = "" if left_out is None else f" WHERE f <> {left_out}"
    decisions, d = _decisions(dialect, *model, "use lowering = 'auto'"), [f"d{c}" for c in range(n)]
    classes = [class_literal(dialect, name) for name in names]
    weights = ["w"] if weighted else []
    if heavy is not None:
        cases = zip(classes, heavy.tolist(), strict=True)
        weights.append(f"(CASE {' '.join(f'WHEN y = {c} THEN {dialect.literal(u, DOUBLE)}' for c, u in cases)} END)")
    moved = _moves(dialect, d, classes if n > 1 else classes[1:], loss)
    moved = [f"{'*'.join([*weights, f'({each})'])} AS m{c}" for c, each in enumerate(moved)]
    carried = ["y", "w"] if weighted else ["y"]
    entries: list[tuple[str, list[int]]] = [("", [])] + [(f"*x{i}", [i]) for i in range(k)]
    most = max(min(_BLOCK, (dialect.limits.columns or _BLOCK) - 3 * n - 5) // n, 1)
    for start in range(0, len(entries), most):
        block = entries[start : start + most]
        x = [i for _, used in block for i in used]
        away = [f"(x{i} - ({dialect.literal(float(shift[i]), DOUBLE)})) AS x{i}" for i in x]
        inner, there = level(dialect, [*carried, *decisions, *away], f"{relation}{where}"), [f"x{i}" for i in x]
        if loss == "logistic" and n > 1:
            inner = level(dialect, [*carried, *d, f"{greatest(dialect, d)} AS best", *there], inner)
            grown = [f"{dialect.exp(f'({each}-best)')} AS p{c}" for c, each in enumerate(d)]
            inner = level(dialect, [*carried, *d, *grown, *there], inner)
            whole = tree([f"p{c}" for c in range(n)])
            inner = level(dialect, [*carried, *d, *(f"p{c}" for c in range(n)), f"{whole} AS total", *there], inner)
        inner = level(dialect, [*moved, *there], inner)
        sums = _named([f"sum(m{c}{times})" for times, _ in block for c in range(n)])
        yield f"SELECT {', '.join(sums)} FROM {inner}"


def _moves(dialect: Dialect, d: Sequence[str], own: Sequence[str], loss: Loss) -> list[str]:
    """`sqlrp._lowering.tallies.moves` of each decision. `own`: its class. Several logistic ones have p0 … and total."""
    zero, one, minus = (dialect.literal(value, DOUBLE) for value in (0.0, 1.0, -1.0))
    if loss != "logistic":
        return [
            f"CASE WHEN y = {name} THEN CASE WHEN {x} > {one} THEN {x} - {one} ELSE {zero} END "
            f"WHEN {x} < {minus} THEN {x} + {one} ELSE {zero} END"
            for x, name in zip(d, own, strict=True)
        ]
    if len(d) == 1:
        below = f"{dialect.exp(f'(-{dialect.absolute(d[0])})')}"
        p = [f"(CASE WHEN {d[0]} >= 0 THEN {one}/(1+{below}) ELSE {below}/(1+{below}) END)"]
    else:
        p = [f"p{c}/total" for c in range(len(d))]
    steep = dialect.literal(1 / curvature(len(d)), DOUBLE)
    return [
        f"{x} - ({share} - CASE WHEN y = {name} THEN {one} ELSE {zero} END)*{steep} "
        f"- CASE WHEN y = {name} THEN {one} ELSE {zero} END"
        for x, share, name in zip(d, p, own, strict=True)
    ]


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
    "NUMBER",
    "Components",
    "Labels",
    "class_literal",
    "class_queries",
    "clipped_text",
    "fold_text",
    "greatest",
    "least_weight_query",
    "level",
    "mean_queries",
    "moved_queries",
    "nearest_queries",
    "product_queries",
    "rows_text",
    "said_query",
]
