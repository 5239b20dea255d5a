"""Evaluate rows in this process: read them in batches, evaluate every batch, and pass the results on."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from sqlrp._connectors.connector import Batches, Connector, ahead
from sqlrp._core.errors import SourceError, StatementError
from sqlrp._lowering import batches_sql
from sqlrp._lowering.evaluation import Evaluation
from sqlrp._lowering.job import Job
from sqlrp._lowering.worker_task import Task

_BATCH = 64 << 20
"""The bytes of a batch of rows and its result, about. Greater batches are not faster."""
_LEAST, _MOST = 2_048, 122_880
"""The least and the most rows of a batch: the sizes of a vector and of a row group of DuckDB."""

_SEVERAL = 4
"""The least number of batches of many rows, so that one is read while another is written."""
_OVERLAPPED = 32 << 20
"""The bytes of rows and results from which a second connection saves more than its start takes."""
_WAITING = 4
"""The most batches that are read, evaluated, waiting or written at the same time."""


_HELD_BITS = 63
"""The bits of whole numbers that are computed with, besides the sign."""
_FAR = 1e60
"""The absolute value from which products of features may leave the range of a double."""


@contextmanager
def evaluated(connector: Connector, connection: Any, job: Job, size: int | None = None) -> Iterator[Batches]:
    """The projected rows of a job, as they are read. The connection can do nothing else until then.

    `size`: the rows of a batch, if not the usual number. Raises StatementError for rows that the job refuses, as its
    SQL would.
    """
    evaluation = Evaluation(job)
    with source_rows(connector, connection, job, size=size) as (of_source, tables):
        schema = evaluation.schema(of_source)

        def each() -> Iterator[pa.RecordBatch]:
            for table in tables:
                with as_statement(job):
                    result = evaluation(table)
                result = result if result.schema.equals(schema) else result.cast(schema)
                yield from result.to_batches()

        yield Batches(schema, each())


@contextmanager
def as_statement(job: Job) -> Iterator[None]:
    """Turn an error of a job's rows into the error that their query in SQL would raise."""
    try:
        yield
    except SourceError as error:
        raise StatementError(batches_sql.reading(job), str(error)) from error


@contextmanager
def source_rows(
    connector: Connector, connection: Any, job: Job, outer: Callable[[str], str] = str, size: int | None = None
) -> Iterator[tuple[pa.Schema, Iterator[pa.Table]]]:
    """The source's rows in tables that can each be evaluated on its own, as they are read, and their schema.

    `outer` writes the query that is read from the one that reads the source. `size`: the rows of a batch, if not the
    usual number.
    """
    size = size or _rows(job)
    # An engine without batches is read in one part, and only in a session that allows nothing else.
    key = batches_sql.together(job)
    if key is not None and not (job.dialect.streams or job.dialect.has_workers):
        with connector.stream(connection, outer(batches_sql.reading(job)), size) as source:
            yield source.schema, iter([pa.Table.from_batches(list(source.each), source.schema)])
        return
    read, rows = (0, job.frame.rows or 0) if key is None else _measured(connector, connection, job)
    parts = 1 if key is None else batches_sql.parts(job, read, rows, _memory(connector, connection, job))
    first, *others = map(outer, batches_sql.buckets(job, parts))
    with connector.stream(connection, first, size) as source:

        def tables() -> Iterator[pa.Table]:
            if key is None:
                yield from (pa.Table.from_batches([batch]) for batch in source.each)
                return
            yield pa.Table.from_batches(list(source.each), source.schema)
            for query in others:
                with connector.stream(connection, query, size) as more:
                    table = pa.Table.from_batches(list(more.each), more.schema)
                yield table

        yield source.schema, tables()


def _measured(connector: Connector, connection: Any, job: Job) -> tuple[int, int]:
    """The number of rows that are read, and about how many rows the result has."""
    ((rows, keys),) = connector.rows(connection, batches_sql.measuring(job))
    return int(rows), int(keys)


def _memory(connector: Connector, connection: Any, job: Job) -> int:
    """The bytes that the engine may use, as they were read with the source's columns, or asked for now."""
    return job.frame.memory or connector.memory(connection)


def _rows(job: Job) -> int:
    """The rows of a batch."""
    if job.frame.layout == "long":
        return _MOST
    most = min(_BATCH // _width(job), (job.frame.rows or _MOST) // _SEVERAL)
    return min(max(most // _LEAST * _LEAST, _LEAST), _MOST)


def _written_rows(job: Job, memory: int) -> int:
    """The rows of a batch that is written while the next is read, if the engine may use so many bytes.

    Several threads write batches, and copy those of less than a row group to their place afterwards. So many rows are
    written in batches of a row group, if half of the memory holds them.
    """
    group, rows = job.dialect.row_group, job.frame.rows or 0
    fits = _WAITING * group * _width(job) <= memory // 2
    return group if fits and rows >= _SEVERAL * group > 0 else _rows(job)


def _width(job: Job) -> int:
    """About how many bytes a row and its result have."""
    return 8 * (job.frame.width + job.k * (3 if job.output == "long" else 1) + len(job.frame.kept))


def fetched(connector: Connector, connection: Any, job: Job) -> Any:
    """The projected rows of a job, as the result of `project`; None as of `evaluated_here`."""
    if job.dialect.has_workers:
        task = Task(job, batches_sql.together(job))
        return connector.mapped(connection, batches_sql.reading(job), task, len(job.frame.kept), batches_sql.types(job))
    if not job.dialect.streams:
        # The query that reads the rows stands alone, without the settings that end the text of a projection.
        rows = evaluated_here(connector, connection, replace(job, dialect=job.dialect.reading()))
        if rows is None:
            return None
        return connector.as_shown(rows.cast(_as_passed(rows.schema, job)), job.frame.passing)
    with evaluated(connector, connection, job) as rows:
        return pa.Table.from_batches(list(rows.each), rows.schema)


def _as_passed(schema: pa.Schema, job: Job) -> pa.Schema:
    """The types in which an engine passes what it computes: whole numbers of 64 bits, and lists of any length."""

    def passed(kind: pa.DataType) -> pa.DataType:
        if pa.types.is_fixed_size_list(kind):
            return pa.list_(passed(kind.value_type))
        return pa.int64() if pa.types.is_integer(kind) else kind

    computed = {*job.output_names}
    return pa.schema([pa.field(f.name, passed(f.type) if f.name in computed else f.type) for f in schema])


def evaluated_here(connector: Connector, connection: Any, job: Job) -> pa.Table | None:
    """The same on any engine, whose values of a batch may decide its types.

    None where only an engine without `Facts.has_types` itself says what its values become.
    """
    evaluation, parts = Evaluation(job), []
    with source_rows(connector, connection, job) as (schema, tables):
        for table in tables:
            if not (job.dialect.has_types or _are_plain(table, job)):
                return None
            with as_statement(job):
                parts.append(evaluation(table))
    try:
        return pa.concat_tables(parts or [evaluation.schema(schema).empty_table()], promote_options="permissive")
    except pa.ArrowException:  # a kept column has numbers in one batch and text in another
        return None


def _are_plain(table: pa.Table, job: Job) -> bool:
    """Whether the features are numbers of the kinds of their columns, which no sum or product takes out of range.

    What number a text is, that infinity less infinity is NULL, and that a whole number has more than 64 bits, only
    SQLite itself says.
    """
    import pyarrow.compute as pc  # here, as its import takes long

    side_by_side: list[str] = []
    bits = 0
    for name, number in job.frame.read:
        column = table.column(name)
        if column.null_count == len(column):
            continue
        whole = pa.types.is_integer(column.type)
        if not whole and (number.exact or not pa.types.is_floating(column.type)):
            return False
        if column.type == pa.float64() and not column.null_count:
            side_by_side.append(name)
            continue
        least, most = pc.min_max(column).as_py().values()
        if whole:
            bits = max(bits, abs(least).bit_length(), abs(most).bit_length())
        elif not max(-least, most) <= _FAR:
            return False
    parts = table.select(side_by_side).to_batches() if side_by_side else []
    near = all((np.abs(part.to_tensor().to_numpy()) <= _FAR).all() for part in parts)  # all columns at once
    return near and job.widest(bits) <= _HELD_BITS


@contextmanager
def relation(connector: Connector, connection: Any, job: Job, alone: bool = True) -> Iterator[str]:
    """A query of the projected rows of a job, which one statement of the same connection may run.

    A second connection reads while the statement writes, if it sees the same rows. Otherwise the source is read to its
    end first, as a connection runs one statement at a time. The results that do not fit in memory wait in a file.
    `alone`: whether the statement reads nothing but the relation, so that what it sees of the source may be older.
    """
    memory, folder = _memory(connector, connection, job), connector.spill(connection)
    with ExitStack() as stack:
        # Cells are all read before the first row is evaluated, so that nothing overlaps.
        several = job.frame.layout != "long" and (job.frame.rows or _MOST) * _width(job) > _OVERLAPPED
        other = stack.enter_context(connector.beside(connection, job.frame.table)) if alone and several else None
        if other is not None:
            rows = stack.enter_context(evaluated(connector, other, job, _written_rows(job, memory)))
            made = None if job.output == "long" else job.frame.rows
            held = Batches(rows.schema, stack.enter_context(closing(ahead(rows.each))), made)
        else:
            with evaluated(connector, connection, job) as rows:
                held = stack.enter_context(_held(rows, memory // batches_sql.SHARE, folder))
        query = batches_sql.writing(job, stack.enter_context(connector.lent(connection, held)), rows.schema)
        yield job.dialect.inserted(query, held.rows)


@contextmanager
def _held(rows: Batches, bound: int, folder: str | None) -> Iterator[Batches]:
    """The rows, read to their end: at most `bound` bytes of them in memory, the others in a file of `folder`."""
    kept: list[pa.RecordBatch] = []
    size = 0
    with ExitStack() as stack:
        for batch in rows.each:
            kept.append(batch)
            size += batch.nbytes
            if size > bound:
                break
        rest: Iterator[pa.RecordBatch] = iter(())
        made: int | None = sum(batch.num_rows for batch in kept)
        if size > bound:
            rest, made = stack.enter_context(_filed(rows, folder)), None
        yield Batches(rows.schema, _chained(kept, rest), made)


def _chained(kept: list[pa.RecordBatch], rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches of the list, which is emptied on the way so that their memory is free again, and the others."""
    kept.reverse()
    while kept:
        yield kept.pop()
    yield from rest


@contextmanager
def _filed(rows: Batches, folder: str | None) -> Iterator[Iterator[pa.RecordBatch]]:
    """The rows, written to a file without a name, and read again."""
    with tempfile.TemporaryFile(dir=folder) as file:
        try:
            with pa.ipc.new_stream(file, rows.schema) as writer:
                for batch in rows.each:
                    writer.write_batch(batch)
            file.seek(0)
        except OSError as error:
            raise StatementError(
                "", f"results that do not fit in memory cannot be written to {folder}: {error}"
            ) from error
        yield iter(pa.ipc.open_stream(file))


__all__ = ["as_statement", "evaluated", "evaluated_here", "fetched", "relation", "source_rows"]
