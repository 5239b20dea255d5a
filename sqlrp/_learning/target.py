"""The column that a model is to predict, and the parameters of the calls that learn."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, Literal, get_args

import numpy as np

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import LimitError, ParameterError, SourceError, check_choice, nearest, shorten
from sqlrp._core.names import Names
from sqlrp._core.sources import Join, Long, Standardized, TableName, Wide, as_source
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
_OF_DIMENSION = "; a column of a dimension is named like customer_id.age, by the column that refers to the dimension"
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
    table: TableName
    """the table that has it"""
    others: tuple[Column, ...] = ()
    """the columns of further targets"""

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
        table, columns = fact_of(source), _Columns(connector, session, source)
        key = None if table.key is None else columns.find(table.key).column
        if folds > 1:
            _check_key(key, table.table)
        where: dict[str, Any] = {}
        if labels_table is not None:
            if key is None:
                raise ParameterError(f"labels = {labels_table!r} is joined by the key: name the key of {table.table!r}")
            columns = _Columns(connector, session, Wide(labels_table, key=key.name))
            columns.find(key.name)
            where = {"table": TableName.parse(labels_table), "key": key.name}
        elif isinstance(table, Long):
            raise ParameterError(
                "sparse rows have no column of their own for a target: pass labels, a table with their key and target"
            )
        found = [columns.find(name) for name in (target, *others, *([] if weight is None else [weight]))]
        first, more, heavy = found[0], found[1 : len(others) + 1], None if weight is None else _weight(found[-1])
        kind, names = first.column.type, tuple(place.name for place in more)
        labels = Labels(first.name, weight=heavy, text=connector.dialect.encoded(kind.text), others=names, **where)
        made = keeping(source, *([] if where else [place.name for place in found]))
        whole = kind.number is None or kind.number.kind == "int"
        own = tuple(place.column for place in more)
        return Target(made, labels, whole, key if folds > 1 else None, first.column, first.table, own)

    def grouped(self, connector: Connector, session: Any, by: str, k: int, folds: int) -> Target:
        """The target with the column of groups, in the same place. Raises LimitError for groups of too many sums."""
        apart = None if self.labels.table is None else Wide(str(self.labels.table), key=self.labels.key)
        place = _Columns(connector, session, apart or self.source).find(by)
        text = is_read_as_text(connector, place.column.type)
        remedy = "learn from a view of fewer groups"
        check_groups(connector, session, place.table, place.column.name, k, remedy, folds)
        made = self.source if apart is not None else keeping(self.source, place.name)
        return replace(self, source=made, labels=replace(self.labels, group=place.name, group_text=text))


def is_read_as_text(connector: Connector, kind: ColumnType) -> bool:
    """Whether groups of a type are read as text: all but whole numbers, booleans and text that the driver passes."""
    plainly = kind.is_text or (kind.number is not None and kind.number.kind == "int")
    return not plainly or connector.dialect.encoded(kind.text)


def fact_of(source: Any) -> Any:
    """The source whose table has the key of the rows."""
    if isinstance(source, Standardized):
        return fact_of(source.source)
    return source.fact if isinstance(source, Join) else as_source(source)


def keeping(source: Any, *names: str) -> Any:
    """The source with columns among those that pass through, by their names there; sparse rows have none."""
    if isinstance(source, Standardized):
        return replace(source, source=keeping(source.source, *names))
    if isinstance(source, Join):
        for name in names:
            source = with_owner(source, name, keeping)
        return source
    table = as_source(source)
    others = [name for name in names if name not in (table.key, *table.keep)]
    return table if isinstance(table, Long) or not others else replace(table, keep=[*table.keep, *others])


def with_owner(source: Join, name: str, change: Callable[[Any, str], Any]) -> Join:
    """The join with the table changed that has a column of its rows. `change`: of it and the column's name there."""
    reference, own = owner_of(source, name)
    if reference is None:
        return replace(source, fact=change(source.fact, own))
    return replace(source, dimensions={**source.dimensions, reference: change(source.dimensions[reference], own)})


def owner_of(source: Join, name: str) -> tuple[str | None, str]:
    """The dimension that has a column of the joined rows, by what refers to it, and the column's name there.

    None is for the fact. Raises ParameterError for the key of a dimension, and for a name that two of them may have.
    """
    if name in (source.fact.key, *source.fact.keep):
        return None, name
    found = [(each, name[len(each) + 1 :]) for each in source.dimensions if name.startswith(f"{each}.")]
    found = [each for each in found if each[1] in source.dimensions[each[0]].keep] or found
    if not found:
        return None, name
    (reference, own), *others = found
    if others:
        said = " and ".join(f"{own!r} of {each!r}" for each, own in found)
        raise ParameterError(f"{name!r} may be {said}: put the one that is meant into keep of its table")
    if own == source.dimensions[reference].key:
        raise ParameterError(f"{name!r} is the key that {reference!r} refers to: name {reference!r}")
    return reference, own


@dataclass(frozen=True)
class _Place:
    """A column, and where it is."""

    column: Column
    table: TableName
    name: str
    """the column's name among the rows of the source"""


class _Columns:
    """The columns of a source and of what it refers to. Those of a table are read once."""

    def __init__(self, connector: Connector, session: Any, source: Any) -> None:
        self.source, self.folding = source, connector.dialect.folding
        self._read = cache(partial(connector.columns, session))

    def find(self, name: str) -> _Place:
        """The column of that name among the rows. Raises SourceError if there is none."""
        table, own, reference, remedy = fact_of(self.source), name, None, ""
        if isinstance(self.source, Join):
            reference, own = owner_of(self.source, name)
            table, remedy = (table, _OF_DIMENSION) if reference is None else (self.source.dimensions[reference], "")
        exact = {column.name: column for column in self._read(table.table_name)}
        found = Names(exact, self.folding).find(own)
        if found is None:
            raise SourceError(
                f"{shorten(own)} is not a column of {table.table}{nearest(own, exact)}: it has "
                f"{shorten(list(exact))}{remedy}"
            )
        return _Place(exact[found], table.table_name, found if reference is None else f"{reference}.{found}")


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


def _weight(place: _Place) -> str:
    """The name of the column of the weights. Raises SourceError if it has no numbers."""
    kind = place.column.type
    if kind.number is None:
        raise SourceError(f"sample_weight = {place.name!r} is {kind.text}: it must be a column of numbers")
    return place.name


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
    "owner_of",
    "passes_of",
    "ridges_of",
    "with_owner",
]
