"""Run a plan: in batches in this process, or as a script of steps, a query, and the cleanup of the steps' tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import LimitError, SourceError, StatementError, UnsupportedError
from sqlrp._core.numbers import SINGLE
from sqlrp._core.script import Script
from sqlrp._dialects.dialect import OUT_OF_RANGE
from sqlrp._lowering import batches_sql
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import Plan
from sqlrp._run import row_batches
from sqlrp._run.first_rows import prove


@contextmanager
def within_doubles(said: str) -> Iterator[None]:
    """Let engines that fail where a double would be infinite say what is said on the others."""
    try:
        yield
    except StatementError as error:
        if OUT_OF_RANGE not in error.words:
            raise
        raise SourceError(said) from error


def result_of(connector: Connector, connection: Any, plan: Plan) -> Any:
    """The rows of a plan."""
    if plan.streamed:
        rows = row_batches.fetched(connector, connection, plan.job)
        if rows is not None:
            return rows
        plan = plan.in_sql()
    if plan.job.output == "vector" and not connector.dialect.vectors_take_null:
        plan = replace(plan, job=replace(plan.job, output="array", dtype="float32"))
    script, job = plan.script(), plan.job
    lacks = connector.restricted(connection) if script.steps or job.dialect.settings else ""
    if lacks:
        return _unaided(connector, connection, plan, lacks)
    if job.output == "vector":
        quote = connector.dialect.quote
        kept = [quote(name) for name in job.frame.kept]
        script = script.around(lambda query: connector.dialect.passing_vector(query, kept, quote("z")))
    rows = _read(connector, connection, script, job)
    if not isinstance(rows, pa.Table):
        return rows
    prove(connector, connection, plan, rows)
    return connector.as_shown(rows, job.frame.passing)


def _unaided(connector: Connector, connection: Any, plan: Plan, lacks: str) -> Any:
    """The rows in a session without temporary tables, or without settings of its queries. `lacks`: why.

    They are evaluated in this process if they can be, otherwise by one statement.
    """
    job = replace(plan.job, dialect=plan.job.dialect.reading())
    here = not (plan.parts or batches_sql.unread(job))
    rows: Any = row_batches.evaluated_here(connector, connection, job) if here else None
    if rows is None:
        rows = _read(connector, connection, _single_statement(plan, lacks), job)
    return connector.as_shown(rows, job.frame.passing)


def _single_statement(plan: Plan, lacks: str) -> Script:
    """The script of a job in a session that lacks something. Raises StatementError if there is none."""
    if plan.parts or plan.job.dialect.settings:
        raise StatementError("", lacks)
    try:
        return plan.reading().script()
    except (LimitError, UnsupportedError) as error:
        raise StatementError("", f"{lacks}; without them, {error}") from error


def _read(connector: Connector, connection: Any, script: Script, job: Job) -> Any:
    """The rows of a script for a job."""
    rows = run(connector, connection, script)
    return _listed(connector.named(rows, [*job.frame.kept, *job.output_names]), job)


def _listed(rows: Any, job: Job) -> Any:
    """The rows, in which the column z holds lists; drivers return some types of the engine as text."""
    if job.shape != "array" or not isinstance(rows, pa.Table):
        return rows
    at, kind = rows.schema.get_field_index("z"), pa.list_(job.written.arrow_type)
    column = rows.column(at)
    if not pa.types.is_nested(column.type):
        read = _floats if pa.types.is_binary(column.type) else json.loads
        lists = [None if value is None else read(value) for value in column.to_pylist()]
        column = pa.chunked_array([pa.array(lists, kind)])
    elif pa.types.is_list(column.type) and job.written == SINGLE:
        column = column.cast(kind)
    if not job.dialect.vectors_take_null:
        column = _without_empty(column)
    return rows.set_column(at, "z", column)


def _without_empty(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """NULL in place of a list of NULLs, which an engine gives whose lists are never NULL."""
    import pyarrow.compute as pc  # here, as its import takes long and few results need it

    there = pc.list_element(column, 0).is_valid() if len(column) else column.is_valid()
    return pc.if_else(there, column, pa.scalar(None, column.type))


def _floats(vector: bytes) -> Any:
    """The numbers of a vector of MariaDB or MySQL, whose driver passes their bytes."""
    return np.frombuffer(vector, "<f4")


@contextmanager
def ready(connector: Connector, connection: Any, plan: Plan, around: Callable[[str], str] = str) -> Iterator[str]:
    """The query of the rows of a plan, which one statement of the same connection may run within the context.

    `around` writes a query around it.
    """
    prove(connector, connection, plan)
    if plan.streamed:
        with row_batches.relation(connector, connection, plan.job, alone=around is str) as query:
            yield around(plan.finish(query))
        return
    script = plan.kept_script().around(around)
    with connector.set_up(connection, script.steps):
        frame = plan.job.frame
        alone = frame.layout != "long" and plan.job.output != "long" and not frame.table.is_file
        yield connector.dialect.inserted(script.query, frame.rows if alone else None)


def run(connector: Connector, connection: Any, script: Script) -> Any:
    """Run a script's set-up statements, take the result of its query, and always drop the tables that they made."""
    with connector.set_up(connection, script.steps):
        return connector.result(connection, script.query)
