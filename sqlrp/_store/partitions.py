"""How `refresh` puts a kept table in line with its source where only whole partitions can be overwritten.

A partition of the table is the projection of the rows of the source with one value of a column. It is current if both
have the same keys there, and the same marks if the table is tracked (`sqlrp._store.row_changes`).
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import ParameterError, SourceError, shorten
from sqlrp._core.names import Folding
from sqlrp._core.sources import Array, Source, TableName, Wide
from sqlrp._dialects.dialect import Column
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import plan_kept
from sqlrp._run.execution import ready
from sqlrp._store.removals import check_removals
from sqlrp._store.row_changes import Marks, Refreshed, column_of, with_kept
from sqlrp._store.table import Catalogue
from sqlrp._store.table_checks import check_new_keys, check_source_keys, first_of_each

Value = int | str | bool | datetime.date
"""A value that names a partition."""
_NAMED = 3  # the number of keys that an error names


def partitioned(source: Source, by: object, columns: Sequence[Column], folding: Folding) -> tuple[Source, str | None]:
    """The source with the column of the partitions in `keep`, and that column as the table spells it.

    Raises SourceError if the table has no such column, ParameterError for sparse rows, the key, and anything else.
    """
    if by is None:
        return source, None
    if not isinstance(by, str) or not by:
        raise ParameterError(f"partition_by = {shorten(by)} must be the name of one column")
    name = column_of(source, by, columns, folding, "partition_by", "name the column whose values are the partitions")
    if not isinstance(source, (Wide, Array)):
        raise ParameterError(
            f"partition_by = {by!r} is for rows of columns or arrays: sparse rows keep no column but the key"
        )
    if name == source.key:
        raise ParameterError(f"partition_by = {by!r} is the key, so that each row were a partition: name another one")
    return with_kept(source, name), name


def check_partitions(connector: Connector, connection: Any, job: Job, by: str | None) -> None:
    """Raise ParameterError for a column whose values cannot name partitions, SourceError for such a value."""
    if by is None:
        return
    dialect, frame = connector.dialect, job.frame
    if job.grouped:
        raise ParameterError(f"partition_by = {by!r} needs a partition for each row, and the job sums groups")
    kind = _kind(connector, connection, frame.table, by)
    if not dialect.names_partitions(kind):
        raise ParameterError(
            f"partition_by = {by!r} is a column of {kind}: whole numbers, text, dates and booleans name partitions; "
            "add such a column, as a date of a timestamp"
        )
    wrong = f"SELECT count(*) FROM {dialect.table(frame.table)} WHERE {dialect.no_partition(dialect.quote(by))}"
    rows = _numbers(connector, connection, wrong)[0]
    if rows:
        raise SourceError(
            f"partition_by: column {by!r} of {frame.table} is NULL or empty in {rows} rows: give every row a partition"
        )


def follow_partitions(
    catalogue: Catalogue,
    table: TableName,
    job: Job,
    marks: Marks | None,
    lowering: str,
    by: str,
    named: Iterable[Any] | None,
    removals: float | None,
) -> Refreshed:
    """Project the rows of partitions again, and overwrite these partitions. `named`: which; None: those that differ.

    All rows are written before one of the old files goes. Partitions without rows are dropped last.
    """
    connector, connection = catalogue.connector, catalogue.session
    dialect, frame = connector.dialect, job.frame
    quoted, held = dialect.quote(by), f"{dialect.table(table)}{first_of_each(job)}"
    if named is None:
        check_partitions(connector, connection, job, by)
        check_source_keys(connector, connection, job)
        values = _differing(connector, connection, job, marks, quoted, held)
    else:
        values = _checked(named, by, _kind(connector, connection, table, by))
    if not values:
        return Refreshed(0)
    within = f"{quoted} IN ({', '.join(map(dialect.constant, values))})"
    rows = f"SELECT * FROM {dialect.table(frame.table)} WHERE {within}"
    if named is not None and frame.key is not None:
        check_new_keys(connector, connection, job, f"({rows}) named")
        _check_moved(connector, connection, job, quoted, table, within)
    counts = f"SELECT {quoted}, count(*) FROM ({rows}) named GROUP BY {quoted}"
    sizes = {value: int(count) for value, count in connector.rows(connection, counts)}
    also = "AND" if first_of_each(job) else "WHERE"
    (before,) = _numbers(connector, connection, f"SELECT count(*) FROM {held} {also} {within}")
    known = 0
    if frame.key is not None and before and sizes:
        key = dialect.quote(frame.key)
        same = f"SELECT count(*) FROM {held} {also} {within} AND {key} IN (SELECT {key} FROM ({rows}) named)"
        (known,) = _numbers(connector, connection, same)
    if before - known and frame.key is not None:
        (all_held,) = _numbers(connector, connection, f"SELECT count(*) FROM {held}")
        check_removals(table, str(frame.table), before - known, all_held, removals)
    if sizes:
        read = dataclasses.replace(frame, query=rows).counted(sum(sizes.values()))
        with ready(connector, connection, plan_kept(dataclasses.replace(job, frame=read), lowering)) as query:
            connector.execute(connection, dialect.overwriting(table, query))
    for value in values:
        if value not in sizes:
            connector.execute(connection, dialect.dropping_partition(table, by, value))
    return Refreshed(sum(sizes.values()) - known, known, before - known)


def _differing(connector: Connector, connection: Any, job: Job, marks: Marks | None, by: str, held: str) -> list[Value]:
    """The partitions in which the source and the table do not have the same keys, or not the same marks."""
    dialect, frame = connector.dialect, job.frame
    key = dialect.quote(frame.key or "")
    named = {} if marks is None else {dialect.quote(name): text for name, text in marks.columns.items()}
    asked = [f"{key} AS k", f"{by} AS p", "1 AS here", *(f"{text} AS m{i}" for i, text in enumerate(named.values()))]
    there = [f"{key} AS k", f"{by} AS p", "1 AS here", *(f"{name} AS m{i}" for i, name in enumerate(named))]
    differ = ["asked.here IS NULL", "held.here IS NULL", *(f"NOT asked.m{i} <=> held.m{i}" for i in range(len(named)))]
    query = (
        f"SELECT DISTINCT coalesce(asked.p, held.p) AS p\n"
        f"FROM (SELECT {', '.join(asked)} FROM {dialect.table(frame.table)}) asked\n"
        f"FULL OUTER JOIN (SELECT {', '.join(there)} FROM {held}) held ON asked.k = held.k AND asked.p = held.p\n"
        f"WHERE {' OR '.join(differ)} ORDER BY p"
    )
    return [value for (value,) in connector.rows(connection, query)]


def _checked(named: Iterable[Any], by: str, kind: str) -> list[Value]:
    """The named partitions, each once. Raises ParameterError for a value of another type than the column's."""
    if isinstance(named, (str, bytes)) or not isinstance(named, Iterable):
        raise ParameterError(f"partitions = {shorten(named)} must be a list of values of {by!r}")
    found: dict[Value, None] = {}
    for value in named:
        found[_value(value, by, kind)] = None
    return list(found)


def _value(value: Any, by: str, kind: str) -> Value:
    plain: object = value.item() if hasattr(value, "item") else value
    if kind == "date" and isinstance(plain, str):
        with suppress(ValueError):
            plain = datetime.date.fromisoformat(plain)
    wanted: type[Value] = {"string": str, "boolean": bool, "date": datetime.date}.get(kind, int)
    if type(plain) is wanted and isinstance(plain, (int, str, datetime.date)):  # a bool is an int, a datetime a date
        return plain
    raise ParameterError(f"partitions: {shorten(value)} is no value of {by!r}, which is a column of {kind}")


def _check_moved(connector: Connector, connection: Any, job: Job, by: str, table: TableName, within: str) -> None:
    """Raise SourceError for a row that has left a partition which is not named, as the table would have it twice."""
    dialect, frame = connector.dialect, job.frame
    key, source = dialect.quote(frame.key or ""), dialect.table(frame.table)
    moved = (
        f"SELECT DISTINCT {key}, {by} FROM {dialect.table(table)} WHERE NOT {within} "
        f"AND {key} IN (SELECT {key} FROM {source} WHERE {within}) ORDER BY {key}"
    )
    found = connector.rows(connection, dialect.limited(moved, _NAMED + 1, ordered=True))
    if found:
        listed = ", ".join(f"{shorten(key, 30)} (from {shorten(value, 30)})" for key, value in found[:_NAMED])
        more = ", …" if len(found) > _NAMED else ""
        raise SourceError(
            f"partitions: rows have moved into them from others of {table}: {listed}{more}; name those partitions too"
        )


def _kind(connector: Connector, connection: Any, table: TableName, by: str) -> str:
    return next(c.type.text for c in connector.columns(connection, table) if c.name == by)


def _numbers(connector: Connector, connection: Any, query: str) -> list[int]:
    return [int(value) for value in connector.rows(connection, query)[0]]


__all__ = ["check_partitions", "follow_partitions", "partitioned"]
