"""The distance of a row of a source from one row, as SQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlrp._core.numbers import DOUBLE
from sqlrp._lowering.distances_sql import Metric, of_arrays, of_columns
from sqlrp._lowering.endpoints import checked_array
from sqlrp._lowering.job import Job

_LISTED = 16
"""The number of columns from which a row is compared as an array: of fewer ones their numbers take no longer."""


def row_distance(job: Job, metric: Metric, array: str, features: Sequence[str]) -> str:
    """The distance of a row of the job's source from one that is given as an array, or by its numbers."""
    dialect, size = job.dialect, job.frame.width
    if not by_arrays(job):
        return of_columns(dialect, metric, row_numbers(job), features)
    if job.frame.layout == "array":
        return of_arrays(dialect, metric, dialect.filled_array(checked_array(dialect, job.frame), size), array, size)
    return _as_array(job, lambda row: of_arrays(dialect, metric, row, array, size))


def row_array(job: Job) -> str:
    """A row of the job's source as an array. One of columns is NULL if a column is, unless that is read as 0."""
    if job.frame.layout == "array":
        return checked_array(job.dialect, job.frame)
    return job.dialect.fixed(_as_array(job, lambda row: row), DOUBLE, job.frame.width)


def _as_array(job: Job, write: Callable[[str], str]) -> str:
    """What is written of a row of columns as one array."""
    dialect, frame = job.dialect, job.frame

    def whole(row: str) -> str:
        if job.nulls == "zero":
            return dialect.whole_array(row, frame.width)
        return f"CASE WHEN {dialect.complete(row, frame.width)} THEN {row} END"

    columns = list(zip(map(dialect.quote, frame.names), frame.numbers, strict=True))
    return dialect.row_of(columns, whole, write)


def row_numbers(job: Job) -> list[str]:
    """The numbers of a row of the job's source, one by one."""
    dialect, frame = job.dialect, job.frame
    if frame.layout == "array":
        arrays = [(dialect.stored_array(dialect.quote(part.name), part.cast), part.size) for part in frame.parts]
        columns = [element_of(job, array, i) for array, size in arrays for i in range(size)]
    else:
        named = zip(frame.names, frame.numbers, strict=True)
        columns = [dialect.widen(dialect.quote(name), have, DOUBLE) for name, have in named]
    if job.nulls == "zero":
        columns = [f"coalesce({column}, {dialect.literal(0, DOUBLE)})" for column in columns]
    return columns


def are_arrays(job: Job) -> bool:
    """Whether rows of the source are arrays that are compared as such.

    It is asked where very many rows are compared: then numbers of columns are faster than arrays of them.
    """
    return job.frame.layout == "array" and job.dialect.has_distances


def by_arrays(job: Job) -> bool:
    """Whether rows of the source are compared as arrays, and not number by number."""
    frame, dialect = job.frame, job.dialect
    if frame.layout == "array":
        return are_arrays(job)
    return dialect.lists_rows and frame.layout == "wide" and len(frame.names) >= _LISTED


def element_of(job: Job, array: str, position: int) -> str:
    """A number of an array of a table."""
    return job.dialect.cast(job.dialect.element(array, position), DOUBLE)


def literal(job: Job, value: float) -> str:
    """A number, after which an operator may follow."""
    text = job.dialect.literal(value, DOUBLE)
    return f"({text})" if value < 0 else text


__all__ = [
    "are_arrays",
    "by_arrays",
    "element_of",
    "literal",
    "row_array",
    "row_distance",
    "row_numbers",
]
