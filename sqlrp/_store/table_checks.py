"""Checks of `materialize` and `refresh` before a table changes: keys, types of the source, dependent objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import LimitError, SourceError, shorten
from sqlrp._core.numbers import WHOLE
from sqlrp._core.script import Setup
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import ColumnType, Dialect
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.job import Job
from sqlrp._run.nulls import is_null_result

_NAMED = 3  # the number of keys or dependent objects that an error names


def types(connector: Connector, connection: Any, table: TableName) -> dict[str, str]:
    """The columns of a table with the names of their types."""
    return {column.name: column.type.text for column in connector.columns(connection, table)}


def repeats(job: Job) -> bool:
    """Whether a key may be in several rows of the source."""
    return job.grouped or job.frame.layout == "long"


def check_source_keys(connector: Connector, connection: Any, job: Job) -> None:
    """Raise SourceError if a key of the source is NULL, or is repeated although it must be unique."""
    if job.frame.key is not None:
        check_new_keys(connector, connection, job, _source(job))


def count_source_rows(connector: Connector, connection: Any, job: Job) -> int:
    """The number of rows of the source, from one look at its keys. Raises SourceError if one of them is NULL."""
    return _count_keys(connector, connection, job.frame, _source(job))


@dataclass(frozen=True)
class MadeRows:
    """The rows of a new table."""

    rows: int
    null: int = 0
    """how many of them are NULL"""


def check_made_keys(connector: Connector, connection: Any, job: Job, made: TableName, view: bool = False) -> MadeRows:
    """The same check for a new table, as rows may have been added to the source after its keys were checked.

    Rows of a view that are NULL are not counted: that would compute them.
    """
    rows, null = connector.dialect.table(made) + first_of_each(job), "" if view else is_null_result(job)
    if job.frame.key is not None:
        return _check_keys(connector, connection, job.frame, rows, null)
    counted = f", {_counting(connector.dialect, null)}" if null else ""
    return MadeRows(*map(_count, connector.cells(connection, f"SELECT count(*){counted} FROM {rows}")[0]))


def check_new_keys(connector: Connector, connection: Any, job: Job, rows: str, steps: Sequence[Setup] = ()) -> int:
    """The same check for the new rows of a source, which are in a separate table. Returns their number.

    `steps`: what makes that table.
    """
    if repeats(job):
        return _count_keys(connector, connection, job.frame, rows, steps)
    return _check_keys(connector, connection, job.frame, rows, steps=steps).rows


def first_of_each(job: Job) -> str:
    """The condition that selects each projected row once, as the long output has k rows for each."""
    return f" WHERE {job.dialect.quote('component')} = 0" if job.output == "long" else ""


def _source(job: Job) -> str:
    return job.dialect.table(job.frame.table)


def _counted(connector: Connector, connection: Any, query: str, steps: Sequence[Setup]) -> Sequence[Any]:
    """The row of a query, with which `steps` are run."""
    return (connector.store_and_ask(connection, steps, query) if steps else connector.cells(connection, query))[0]


def _count_keys(connector: Connector, connection: Any, frame: Frame, rows: str, steps: Sequence[Setup] = ()) -> int:
    """The number of rows. Raises SourceError if a key is NULL."""
    key = connector.dialect.quote(frame.key or "")
    counts = f"SELECT count(*) AS n, count({key}) AS keyed FROM {rows}"
    n, keyed = map(int, _counted(connector, connection, counts, steps))
    if n > keyed:
        raise SourceError(f"key {frame.key!r} of {frame.table} is NULL in {n - keyed} rows: give every row a key")
    return n


def _check_keys(
    connector: Connector, connection: Any, frame: Frame, rows: str, null: str = "", steps: Sequence[Setup] = ()
) -> MadeRows:
    """The rows, and how many of them `null` chooses. Raises SourceError if a key is NULL or repeated."""
    key = connector.dialect.quote(frame.key or "")
    # One statement that groups once: the keys are listed only if one is NULL or repeated. Sail fails to aggregate a
    # count again.
    each = connector.dialect.cast("sum(1)", WHOLE)
    inner = f", {_counting(connector.dialect, null)} AS gone" if null else ""
    outer = f", {connector.dialect.cast('sum(gone)', WHOLE)} AS gone" if null else ""
    grouped = f"SELECT {key} AS k, {each} AS n{inner} FROM {rows} GROUP BY {key}"
    counts = f"SELECT max(n) AS most, count(k) AS keyed, count(*) AS different{outer} FROM ({grouped}) g"
    most, keyed, different, *gone = map(_count, _counted(connector, connection, counts, steps))
    if most < 2 and keyed == different:
        return MadeRows(different, *gone)
    n = _count_keys(connector, connection, frame, rows)
    repeated = f"SELECT {key} FROM {rows} GROUP BY {key} HAVING count(*) > 1 ORDER BY {key}"
    twice = connector.fetch(connection, connector.dialect.limited(repeated, _NAMED + 1, ordered=True))
    found = twice.column(0).to_pylist()
    if found:
        named = ", ".join(shorten(value, 30) for value in found[:_NAMED])
        raise SourceError(
            f"key {frame.key!r} of {frame.table} comes more than once: {named}{', …' if len(found) > _NAMED else ''}"
        )
    return MadeRows(n)


def _counting(dialect: Dialect, condition: str) -> str:
    """The number of rows that a condition chooses."""
    return dialect.cast(f"sum(CASE WHEN {condition} THEN 1 ELSE 0 END)", WHOLE)


def _count(value: Any) -> int:
    """A count, of no rows too: a sum of none is NULL."""
    return int(value or 0)


def check_types(source: TableName | str, before: dict[str, str], now: dict[str, str]) -> None:
    """Raise SourceError if a column of the source does not have the recorded type. "" means that none was recorded."""
    changed = [(name, before[name], kind) for name, kind in now.items() if before.get(name) and before[name] != kind]
    if changed:
        name, was, kind = changed[0]
        raise SourceError(
            f"{len(changed)} columns of {source} have another type: {name!r} was {was} and is {kind}; "
            "pass everything=True"
        )


def check_kept_types(connector: Connector, connection: Any, table: TableName, frame: Frame) -> None:
    """Raise SourceError if the key or a kept column of the source must be cast to fit into the table.

    An older record may lack the types, and the table may have been altered since. An engine may rename a column's
    type when it makes a table, so kinds of types are compared, not names.
    """
    made = {column.name: column.type for column in connector.columns(connection, table)}
    for column in connector.columns(connection, frame.table):
        if column.name not in frame.kept or column.name not in made:
            continue
        there = made[column.name]
        if len({_kind(there), _kind(column.type)} - {None}) > 1:
            raise SourceError(
                f"column {column.name!r} is {there.text} in {table} and {column.type.text} in {frame.table}: "
                "pass everything=True"
            )
    if frame.key is not None:
        held, come = (connector.key_kinds(connection, place, frame.key) for place in (table, frame.table))
        if held and come - held:
            raise SourceError(
                f"key {frame.key!r} of {frame.table} now holds {', '.join(sorted(come - held))} values, where {table} "
                f"holds {', '.join(sorted(held))}: pass everything=True"
            )


def _kind(column: ColumnType) -> str | None:
    """The kind of the type of a column; None if it is unknown, as for a date."""
    if column.is_array:
        return "array"
    if column.number is None:
        return "text" if column.is_text else None
    return "whole number" if column.number.kind == "int" else "number"


def check_replaceable(connector: Connector, connection: Any, table: TableName) -> None:
    """Raise SourceError if other objects refer to a table that is to be replaced, as they would break or be lost."""
    found = connector.dependents(connection, table)
    if found:
        named = ", ".join(found[:_NAMED]) + (", …" if len(found) > _NAMED else "")
        raise SourceError(
            f"{table} cannot be replaced, as these depend on it: {named}; drop them first, and make them again "
            "afterwards"
        )


def check_room(job: Job) -> None:
    """Raise LimitError if a row of the table would have more columns than the engine can store."""
    columns, bound = len(job.frame.kept) + len(job.output_names), job.dialect.limits.stored
    if bound is not None and columns > bound:
        raise LimitError(
            f"k = {job.k} makes {columns} columns with key and keep, more than the {bound} that a row of a table of "
            f"{job.dialect.name} holds: use output = 'auto' or 'long'"
        )
