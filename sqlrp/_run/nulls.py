"""Rows that become NULL: how many, because of which columns, and the first of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import field
from typing import Any

import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import SourceError, SqlrpError, StatementError, UnreachableError, shorten
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._lowering.endpoints import tree
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.job import Job, null_message

_BATCH = 250  # columns per query, because the columns of a result are limited
_MARK, _NAMED = "a feature is NULL and nulls = ", " of the row with "
"""What the error of a NULL has, and what it has once it names the row; some engines cut a message or double quotes."""
_SHOWN = 5
"""The columns that a message names."""


@dataclass(frozen=True)
class NullRows:
    """Rows of which a feature is NULL."""

    rows: int = 0
    columns: Mapping[str, int] = field(default_factory=dict)
    """in how many rows each column with NULL is NULL"""

    @property
    def because(self) -> str:
        """The columns in words, those with the most NULLs first; empty if none is known."""
        most = sorted(self.columns.items(), key=lambda item: -item[1])
        named = ", ".join(f"{shorten(name)} ({count:,})" for name, count in most[:_SHOWN])
        return named and f" because of {named}{', …' if len(most) > _SHOWN else ''}"


def null_rows(connector: Connector, connection: Any, job: Job) -> NullRows:
    """Count the rows, or the groups of rows, that `nulls` "propagate" makes NULL. It reads the source once."""
    frame, dialect = job.frame, job.dialect
    present = _present(frame, dialect)
    if not present or job.nulls != "propagate":
        return NullRows()
    relation, by_key = frame.relation(dialect), frame.layout == "long" or job.grouped
    gone = f"CASE WHEN {tree(list(present.values()), ' AND ')} THEN 0 ELSE 1 END"
    rows = f"SUM({gone})"
    if by_key:
        key = dialect.quote(str(frame.key))
        rows = f"COUNT(DISTINCT CASE WHEN {gone} = 1 THEN {key} END)"
    ((total,),) = connector.rows(connection, f"SELECT {rows} FROM {relation}")
    counts: dict[str, int] = {}
    names = list(present) if total else []
    for at in range(0, len(names), _BATCH):
        part = names[at : at + _BATCH]
        sums = ", ".join(f"SUM(CASE WHEN {present[name]} THEN 0 ELSE 1 END)" for name in part)
        (found,) = connector.rows(connection, f"SELECT {sums} FROM {relation}")
        counts |= {name: int(n) for name, n in zip(part, found, strict=True) if n}
    return NullRows(int(total or 0), counts)


def is_null_result(job: Job) -> str:
    """The condition that a row of a table of results is NULL, by one column; empty if none can be."""
    if job.nulls != "propagate" or not any(job.frame.nullable):
        return ""
    return f"{job.dialect.quote(job.output_names[-1 if job.output == 'long' else 0])} IS NULL"


def _present(frame: Frame, dialect: Dialect) -> dict[str, str]:
    """For each column that may be NULL, the condition that it is not, nor an element of its array."""
    if frame.layout == "array":
        stored = {part: dialect.stored_array(dialect.quote(part.name), part.cast) for part in frame.parts}
        return {part.name: dialect.complete(array, part.size) for part, array in stored.items()}
    names = frame.names if frame.layout == "wide" else frame.names[1:]
    may = zip(names, frame.nullable, strict=True)
    return {name: f"{dialect.quote(name)} IS NOT NULL" for name, nullable in may if nullable}


def _named(error: SqlrpError, connector: Connector, connection: Any, job: Job) -> SqlrpError:
    """The error of a projection, with the key of the first row that is to blame, if it is found.

    That is a NULL with nulls "error", or a text that holds no array of the length of the others. A transaction that
    the error has broken answers no question: the error then stays as it is.
    """
    if isinstance(error, UnreachableError):
        return error
    if any(part.text for part in job.frame.parts):
        with suppress(SqlrpError), connector.session(connection) as session:
            for said in _no_arrays(connector, session, job):
                return StatementError(error.sql, said) if isinstance(error, StatementError) else SourceError(said)
    return _null_named(error, connector, connection, job) if isinstance(error, StatementError) else error


def _no_arrays(connector: Connector, session: Any, job: Job) -> Iterator[str]:
    """What is wrong with the first row whose text is no array of the length of the others, in words."""
    frame, dialect = job.frame, job.dialect
    key = "NULL" if frame.key is None else dialect.quote(frame.key)
    for part in [part for part in frame.parts if part.text]:
        column = dialect.quote(part.name)
        text, array = dialect.as_text(column), dialect.stored_array(column, part.cast)
        no_array = "is no array of numbers such as '[0.1, 0.2]': correct it, or set it to NULL"
        others = f"has not the {part.size} numbers of the others: pad it, or set it to NULL"
        # The length of a text that is no array cannot be asked.
        faults = {f"NOT ({dialect.holds_array(column)})": no_array, f"{dialect.length(array)} <> {part.size}": others}
        for wrong, why in faults.items():
            query = f"SELECT {key}, {text} FROM {frame.relation(dialect)} WHERE {column} IS NOT NULL AND {wrong}"
            for value, written in connector.rows(session, dialect.limited(query, 1)):
                row = "" if frame.key is None else f" of the row with {frame.key} = {shorten(value, 30)}"
                yield f"{part.name!r}{row} is the text {shorten(written, 40)}, which {why}"


def _null_named(error: StatementError, connector: Connector, connection: Any, job: Job) -> StatementError:
    """The error of a projection with nulls "error", with the key and the column of the first NULL that is found."""
    present = _present(job.frame, job.dialect)
    if job.nulls != "error" or _MARK not in error.words or _NAMED in error.words or not present:
        return error
    key, names = "NULL" if job.frame.key is None else job.dialect.quote(job.frame.key), list(present)
    with suppress(SqlrpError), connector.session(connection) as session:
        for at in range(0, len(names), _BATCH):
            part = names[at : at + _BATCH]
            absent = [f"CASE WHEN {present[name]} THEN 0 ELSE 1 END" for name in part]
            gone = tree([f"{each}=1" for each in absent], " OR ")
            query = f"SELECT {key}, {', '.join(absent)} FROM {job.frame.relation(job.dialect)} WHERE {gone}"
            for value, *flags in connector.rows(session, job.dialect.limited(query, 1)):
                return StatementError(error.sql, null_message(part[flags.index(1)], job.frame.key, value))
    return error


@contextmanager
def naming_rows(connector: Connector, connection: Any) -> Iterator[list[Job]]:
    """Let the error of a NULL or a text in this block name its row. The block appends the job whose statement it runs.

    It stands outside the block's transaction, so that the row is looked for after what had failed was undone.
    """
    jobs: list[Job] = []
    try:
        yield jobs
    except (StatementError, SourceError) as error:
        named = _named(error, connector, connection, jobs[0]) if jobs else error
        if named is error:
            raise
        raise named from error


def cautions_of_nulls(rows: int, of: int, columns: Mapping[str, int] | None = None) -> list[str]:
    """What to warn of if rows became NULL."""
    if not rows:
        return []
    because = NullRows(rows, columns or {}).because
    return [
        f"{rows:,} of {of:,} rows became NULL{because}, as a feature of theirs is NULL: nulls = 'zero' reads it as 0, "
        "and nulls = 'error' names the first row"
    ]


def nulls_of_result(job: Job, result: Any, columns: Mapping[str, int] | None = None) -> list[str]:
    """The same of the rows of a result in memory; a result that is computed later is not looked at."""
    if job.nulls != "propagate" or not isinstance(result, pa.Table):
        return []
    name = job.output_names[-1] if job.output == "long" else job.output_names[0]
    share = job.k if job.output == "long" and not job.sparse_result else 1
    return cautions_of_nulls(result.column(name).null_count // share, result.num_rows // share, columns)


__all__ = ["NullRows", "cautions_of_nulls", "is_null_result", "naming_rows", "null_rows", "nulls_of_result"]
