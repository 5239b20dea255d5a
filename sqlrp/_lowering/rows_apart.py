"""The distance of a row of a source from one row, as SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqlrp._core.numbers import DOUBLE
from sqlrp._lowering.distances_sql import Metric, of_arrays, of_columns
from sqlrp._lowering.endpoints import checked_array
from sqlrp._lowering.job import Job


def row_distance(job: Job, metric: Metric, array: str, features: Sequence[str]) -> str:
    """The distance of a row of the job's source from one that is given as an array, or by its numbers."""
    if by_arrays(job):
        return of_arrays(job.dialect, metric, checked_array(job.dialect, job.frame), array)
    return of_columns(job.dialect, metric, row_numbers(job), features)


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


def by_arrays(job: Job) -> bool:
    """Whether rows of the source are compared as arrays, and not number by number."""
    return job.frame.layout == "array" and job.dialect.has_distances


def element_of(job: Job, array: str, position: int) -> str:
    """A number of an array of a table."""
    return job.dialect.cast(job.dialect.element(array, position), DOUBLE)


def literal(job: Job, value: float) -> str:
    """A number, after which an operator may follow."""
    text = job.dialect.literal(value, DOUBLE)
    return f"({text})" if value < 0 else text


__all__ = ["by_arrays", "element_of", "literal", "row_distance", "row_numbers"]
