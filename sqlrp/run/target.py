"""The column that a model is to predict, and the parameters of the calls that learn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from sqlrp.connectors.base import Connector
from sqlrp.core.errors import ParameterError, SourceError, nearest, shorten
from sqlrp.core.sources import Join, Long, Standardized, TableName, as_source
from sqlrp.dialects.base import Column
from sqlrp.lowering.sums_sql import Labels
from sqlrp.run.ridge import Coding

Task = Literal["auto", "classifier", "regressor"]
MOST_FOLDS = 1_000
"""The most folds."""
MOST_PASSES = 1_000
"""The most passes."""


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

    @staticmethod
    def of(
        connector: Connector, session: Any, source: Any, target: str, labels_table: str | None, folds: int
    ) -> Target:
        """Find the columns. `labels_table`: the table that has the target, if it is not the source's.

        Raises SourceError for a missing column, ParameterError for a key that gives no folds, or a missing table.
        """
        if isinstance(source, Standardized):
            inner = Target.of(connector, session, source.source, target, labels_table, folds)
            return replace(inner, source=replace(source, source=inner.source))
        table = source.fact if isinstance(source, Join) else as_source(source)
        columns = connector.columns(session, TableName.parse(table.table))
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
            labels = Labels(column.name, name, key.name)
        elif isinstance(table, Long):
            raise ParameterError(
                "sparse rows have no column of their own for a target: pass labels, a table with their key and target"
            )
        else:
            column = _column(columns, target, table.table, connector)
            labels = Labels(column.name)
            if column.name not in table.keep:
                table = replace(table, keep=[*table.keep, column.name])
        whole = column.type.number is None or column.type.number.kind == "int"
        made = replace(source, fact=table) if isinstance(source, Join) else table  # type: ignore[arg-type]  # not Long
        return Target(made, labels, whole, key if folds > 1 else None)


def _column(columns: Sequence[Column], name: str, table: str, connector: Connector) -> Column:
    """The column of that name. Raises SourceError if there is none."""
    exact = {column.name: column for column in columns}
    folded = {column.name.casefold(): column for column in columns} if connector.dialect.folds_case else {}
    found = exact.get(name) or folded.get(name.casefold())
    if found is None:
        raise SourceError(
            f"{shorten(name)} is not a column of {table}{nearest(name, exact)}: it has {shorten(list(exact))}"
        )
    return found


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


def check(
    folds: object, task: str, coding: str, ridges: int, intercept: bool, accuracy: bool, passes: object = 1
) -> None:
    """Raise ParameterError for parameters out of bounds."""
    if isinstance(folds, bool) or not isinstance(folds, int) or folds == 1 or not 0 <= folds <= MOST_FOLDS:
        raise ParameterError(f"folds = {folds!r} must be 0, or from 2 to {MOST_FOLDS}")
    if ridges > 1 and not folds:
        raise ParameterError(f"{ridges} ridges need folds to choose among them: pass folds = 5, or one ridge")
    for name, value, kinds in (("task", task, Task), ("coding", coding, Coding)):
        if value not in get_args(kinds):
            raise ParameterError(f"{name} = {value!r} must be one of {', '.join(get_args(kinds))}")
    if coding == "discriminant" and not intercept:
        raise ParameterError("coding = 'discriminant' always has an intercept: leave out intercept=False")
    if coding == "discriminant" and ridges > 1 and not accuracy:
        raise ParameterError("coding = 'discriminant' is compared by its accuracy: leave out accuracy=False")
    if isinstance(passes, bool) or not isinstance(passes, int) or not 1 <= passes <= MOST_PASSES:
        raise ParameterError(f"passes = {passes!r} must be from 1 to {MOST_PASSES}")
    if passes > 1:
        if coding != "sign":
            raise ParameterError(f"passes = {passes} are for coding = 'sign', not {coding!r}: leave out one of them")
        if ridges > 1 and not accuracy:
            raise ParameterError("models of several passes are compared by their accuracy: leave out accuracy=False")


def check_passes(passes: int, classifier: bool, target: str) -> None:
    """Raise ParameterError for several passes over values."""
    if passes > 1 and not classifier:
        raise ParameterError(f"passes = {passes} are for classes, and {target!r} has values: leave out passes")


__all__ = ["Target", "Task", "check", "check_passes", "ridges_of"]
