"""The column that a model is to predict, and the parameters of the calls that learn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import LimitError, ParameterError, SourceError, check_choice, nearest, shorten
from sqlrp._core.names import Names
from sqlrp._core.sources import Join, Long, Standardized, TableName, as_source
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Column, ColumnType
from sqlrp._learning.folds import CLASSIFIER_SCORES, REGRESSOR_SCORES, Settings, scoring_of
from sqlrp._learning.privacy import Privacy
from sqlrp._learning.ridge import Coding
from sqlrp._lowering.sums_sql import Labels
from sqlrp._lowering.tallies import plain_class

Task = Literal["auto", "classifier", "regressor"]
MOST_FOLDS = 1_000
"""The most folds."""
MOST_PASSES = 1_000
"""The most passes."""
_OF_FACT = "; a Join has its target in the fact table, not in a dimension: make a view of the fact that has it, too"
HELD = 1 << 28
"""The most numbers of the sums of all groups: 2 GB of them."""


@dataclass(frozen=True)
class Target:
    """The target's column, and the source that keeps it."""

    source: Any
    """the source that was given; it keeps the column"""
    labels: Labels
    is_class: bool
    """whether the column's type stands for classes"""
    key: Column | None
    """the column of the key, if there are folds"""
    column: Column
    """the column of the target"""

    @staticmethod
    def of(
        connector: Connector,
        session: Any,
        source: Any,
        target: str,
        labels_table: str | None,
        folds: int,
        weight: str | None = None,
        others: Sequence[str] = (),
    ) -> Target:
        """Find the columns. `labels_table`: the table that has the target and the weight, if it is not the source's.

        `others`: further targets, in the same place, all of which are numbers.

        Raises SourceError for a missing column, ParameterError for a key that gives no folds, or a missing table.
        """
        if isinstance(source, Standardized):
            inner = Target.of(connector, session, source.source, target, labels_table, folds, weight, others)
            return replace(inner, source=replace(source, source=inner.source))
        table = fact_of(source)
        columns = connector.columns(session, table.table_name)
        key = None if table.key is None else _column(columns, table.key, table.table, connector)
        if folds > 1:
            _check_key(key, table.table)
        if labels_table is not None:
            if key is None:
                raise ParameterError(f"labels = {labels_table!r} is joined by the key: name the key of {table.table!r}")
            name = TableName.parse(labels_table)
            there = connector.columns(session, name)
            _column(there, key.name, labels_table, connector)
            column = _column(there, target, labels_table, connector)
            heavy = _weight(there, weight, labels_table, connector)
            more = tuple(_column(there, other, labels_table, connector).name for other in others)
            labels = Labels(column.name, name, key.name, heavy, connector.dialect.encoded(column.type.text), more)
        elif isinstance(table, Long):
            raise ParameterError(
                "sparse rows have no column of their own for a target: pass labels, a table with their key and target"
            )
        else:
            column = _column(columns, target, table.table, connector, _OF_FACT * isinstance(source, Join))
            heavy = _weight(columns, weight, table.table, connector)
            more = tuple(_column(columns, other, table.table, connector).name for other in others)
            labels = Labels(column.name, weight=heavy, text=connector.dialect.encoded(column.type.text), others=more)
            also = [name for name in (column.name, *more, heavy) if name is not None and name not in table.keep]
            table = replace(table, keep=[*table.keep, *also]) if also else table
        whole = column.type.number is None or column.type.number.kind == "int"
        made = replace(source, fact=table) if isinstance(source, Join) else table
        return Target(made, labels, whole, key if folds > 1 else None, column)

    def grouped(self, connector: Connector, session: Any, by: str, k: int, folds: int) -> Target:
        """The target with the column of groups, in the same place. Raises LimitError for groups of too many sums."""
        table = self.labels.table or TableName.parse(fact_of(self.source).table)
        column = _column(connector.columns(session, table), by, str(self.labels.table or table), connector)
        text = is_read_as_text(connector, column.type)
        check_groups(connector, session, table, column.name, k, "learn from a view of fewer groups", folds)
        made = self.source if self.labels.table is not None else keeping(self.source, column.name)
        return replace(self, source=made, labels=replace(self.labels, group=column.name, group_text=text))


def is_read_as_text(connector: Connector, kind: ColumnType) -> bool:
    """Whether groups of a type are read as text: all but whole numbers, booleans and text that the driver passes."""
    plainly = kind.is_text or (kind.number is not None and kind.number.kind == "int")
    return not plainly or connector.dialect.encoded(kind.text)


def fact_of(source: Any) -> Any:
    """The source whose table has the columns that pass through."""
    if isinstance(source, Standardized):
        return fact_of(source.source)
    return source.fact if isinstance(source, Join) else as_source(source)


def keeping(source: Any, *names: str) -> Any:
    """The source with columns among those that pass through; sparse rows have none."""
    if isinstance(source, Standardized):
        return replace(source, source=keeping(source.source, *names))
    if isinstance(source, Join):
        return replace(source, fact=keeping(source.fact, *names))
    table = as_source(source)
    others = [name for name in names if name not in (table.key, *table.keep)]
    return table if isinstance(table, Long) or not others else replace(table, keep=[*table.keep, *others])


def check_groups(
    connector: Connector, session: Any, table: TableName, by: str, k: int, remedy: str, folds: int = 1
) -> None:
    """Raise LimitError for more groups than there is memory for, such as those of a column of times."""
    dialect = connector.dialect
    query = f"SELECT count(DISTINCT {dialect.quote(by)}) FROM {dialect.table(table)}"
    groups = int(connector.rows(session, query)[0][0])
    if groups * folds * k * k > HELD:
        of = f"{folds} folds of k = {k} components" if folds > 1 else f"k = {k} components"
        raise LimitError(
            f"by = {by!r} has {groups:,} groups, and {of} need {folds * k * k:,} numbers for each, more than "
            f"{HELD:,} in all: pass a column of fewer values, such as a day, or a smaller k, or {remedy}"
        )


def _column(columns: Sequence[Column], name: str, table: str, connector: Connector, remedy: str = "") -> Column:
    """The column of that name. Raises SourceError, with a remedy, if there is none."""
    exact = {column.name: column for column in columns}
    found = Names(exact, connector.dialect.folding).find(name)
    if found is None:
        raise SourceError(
            f"{shorten(name)} is not a column of {table}{nearest(name, exact)}: it has {shorten(list(exact))}{remedy}"
        )
    return exact[found]


def _weight(columns: Sequence[Column], name: str | None, table: str, connector: Connector) -> str | None:
    """The column of the weights. Raises SourceError if it is missing or has no numbers."""
    if name is None:
        return None
    column = _column(columns, name, table, connector)
    if column.type.number is None:
        raise SourceError(f"sample_weight = {name!r} is {column.type.text}: it must be a column of numbers")
    return column.name


def _check_key(key: Column | None, table: str) -> None:
    """Raise ParameterError for a key that gives no folds."""
    if key is None:
        raise ParameterError(f"folds are hashes of the key, and {table!r} has none: name its key, or pass folds = 0")
    if not key.type.is_text and (key.type.number is None or key.type.number.kind != "int"):
        raise ParameterError(
            f"folds are hashes of the key, and {key.name!r} is {key.type.text}: it must be a whole number or text"
        )


def ridges_of(ridge: object) -> tuple[float, ...]:
    """The ridges as numbers."""
    values = list(ridge) if isinstance(ridge, (Sequence, np.ndarray)) and not isinstance(ridge, str) else [ridge]
    for value in values:
        number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if not number or not 0 <= value < math.inf:
            raise ParameterError(f"ridge = {shorten(value)} must be a number that is 0 or above, or a list of them")
    if not values:
        raise ParameterError("ridge = [] names no ridge: pass a number, or a list of them")
    return tuple(dict.fromkeys(float(value) for value in values))


MANY = 100
"""The most passes of a logistic regression, unless another number is asked for."""


def passes_of(passes: object, coding: str) -> int:
    """The most passes. None is 1 for least squares, and `MANY` for logistic regression."""
    if passes is None:
        return MANY if coding == "logistic" else 1
    if isinstance(passes, bool) or not isinstance(passes, int) or not 1 <= passes <= MOST_PASSES:
        raise ParameterError(f"passes = {passes!r} must be from 1 to {MOST_PASSES}")
    return passes


def class_weight_of(asked: object) -> str | dict[Any, float] | None:
    """ "balanced", None, or a mapping whose keys are classes and whose values are weights."""
    if asked is None or asked == "balanced":
        return asked  # type: ignore[return-value]  # compared
    if not isinstance(asked, Mapping):
        raise ParameterError(
            f"class_weight = {shorten(asked)} must be 'balanced', or a mapping from classes to weights, or None"
        )
    for name, weight in asked.items():
        number = isinstance(weight, (int, float, np.number)) and not isinstance(weight, bool)
        if not number or not 0 <= weight < math.inf:
            raise ParameterError(f"class_weight of {shorten(name)} is {shorten(weight)}: it must be 0 or above")
    return {name if isinstance(name, str) else plain_class(name): float(weight) for name, weight in asked.items()}


def check(settings: Settings, folds: object, task: str, accuracy: bool) -> None:
    """Raise ParameterError for parameters out of bounds."""
    ridges, coding, passes = len(settings.ridges), settings.coding, settings.passes
    if isinstance(folds, bool) or not isinstance(folds, int) or folds == 1 or not 0 <= folds <= MOST_FOLDS:
        raise ParameterError(f"folds = {folds!r} must be 0, or from 2 to {MOST_FOLDS}")
    if ridges > 1 and not folds:
        raise ParameterError(f"{ridges} ridges need folds to choose among them: pass folds = 5, or one ridge")
    for name, value, kinds in (("task", task, Task), ("coding", coding, Coding)):
        check_choice(name, value, get_args(kinds))
    check_choice("scoring", settings.scoring, ("auto", *CLASSIFIER_SCORES, *REGRESSOR_SCORES))
    if coding == "discriminant" and not settings.intercept:
        raise ParameterError("coding = 'discriminant' always has an intercept: leave out intercept=False")
    if settings.standardize and not settings.intercept:
        raise ParameterError("standardize = True subtracts means, which needs an intercept: leave out intercept=False")
    if coding == "discriminant" and ridges > 1 and not accuracy:
        raise ParameterError("coding = 'discriminant' is compared by its accuracy: leave out accuracy=False")
    if passes > 1 and coding not in ("sign", "logistic"):
        raise ParameterError(f"passes = {passes} are for coding = 'sign', not {coding!r}: leave out one of them")
    if settings.by_passes and ridges > 1 and not accuracy:
        raise ParameterError("models of several passes are compared by their accuracy: leave out accuracy=False")


def check_privacy(privacy: object, settings: Settings, source: object, folds: int, by: str | None) -> None:
    """Raise ParameterError for what a private model cannot have."""
    if not isinstance(privacy, Privacy):
        raise ParameterError(f"privacy = {shorten(privacy)} must be a sqlrp.Privacy(epsilon=…, delta=…, clip=…)")
    given = {
        f"folds = {folds}": folds > 0,
        f"passes = {settings.passes}": settings.passes > 1,
        f"coding = {settings.coding!r}": settings.coding not in ("sign", "one-hot"),
        f"by = {by!r}": by is not None,
        "class_weight": settings.class_weight is not None,
        "sample_weight": settings.sample_weight is not None,
        "standardize = True": settings.standardize,
    }
    for said, is_given in given.items():
        if is_given:
            raise ParameterError(f"{said} needs more of the rows than a private model may tell: leave it out")
    if isinstance(source.source if isinstance(source, Standardized) else source, Join):
        raise ParameterError(
            "a private model takes no Join, as a row of a joined table is in many rows: make a view of the join, and "
            "learn from it if only rows of the fact are to be protected"
        )
    if isinstance(source, Standardized) and source.how != "l2":
        raise ParameterError(f"how = {source.how!r} takes statistics of the rows, which are not private: pass how='l2'")


def check_task(settings: Settings, classifier: bool) -> None:
    """Raise ParameterError for several passes, or weights of classes, over values."""
    if classifier:
        return
    given = {
        f"coding = {settings.coding!r}": settings.coding in ("logistic", "discriminant"),
        f"passes = {settings.passes}": settings.passes > 1,
        f"class_weight = {shorten(settings.class_weight)}": settings.class_weight is not None,
        f"threshold = {settings.threshold!r}": settings.threshold == "folds",
    }
    for said, is_given in given.items():
        if is_given:
            name = said.split()[0]
            verb = "are" if name == "passes" else "is"
            raise ParameterError(f"{said} {verb} for classes, and {settings.target!r} has values: leave out {name}")
    scoring_of(settings.scoring, classifier)


__all__ = [
    "Target",
    "Task",
    "check",
    "check_groups",
    "check_privacy",
    "check_task",
    "class_weight_of",
    "fact_of",
    "is_read_as_text",
    "keeping",
    "passes_of",
    "ridges_of",
]
