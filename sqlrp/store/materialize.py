"""Materialized tables of projected rows: made once, recorded in the catalogue, and refreshed."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from typing import Any, get_args

from sqlrp.connectors.base import Connector
from sqlrp.core.errors import (
    ParameterError,
    SourceError,
    StatementError,
    UnreachableError,
    UnsupportedError,
    nearest,
    shorten,
)
from sqlrp.core.options import Nulls, Options
from sqlrp.core.script import Script, Statement
from sqlrp.core.sources import Output, Source, Standardized, TableName, Wide, as_source
from sqlrp.lowering.job import Job
from sqlrp.lowering.planner import plan
from sqlrp.projections import method_of
from sqlrp.projections.base import Projection, checked
from sqlrp.run.bind import caution, look, refuse
from sqlrp.run.preparing import plain
from sqlrp.run.running import set_up
from sqlrp.store.catalogue import keeper, warn_of, writing
from sqlrp.store.keeping import (
    check_kept_types,
    check_made_keys,
    check_new_keys,
    check_replaceable,
    check_room,
    check_source_keys,
    check_types,
    first_of_each,
    repeats,
    types,
)
from sqlrp.store.records import (
    Kind,
    Made,
    Record,
    announce,
    find_record,
    hashed,
    name_of,
    names_recorded,
    recorded,
    settle,
    table_named,
    temporary_name,
    write_record,
)

_NOUNS: dict[Kind, str] = {"table": "TABLE", "view": "MATERIALIZED VIEW"}


def materialize(
    projection: Projection,
    source: Source | Standardized | str,
    connection: Any,
    into: str,
    *,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    replace: bool = False,
    kind: Kind = "table",
) -> int:
    """Project a source into a table of its database, which `refresh` updates. Returns the number of rows.

    `into` is the name of the table, in the same form as that of a source. An existing table is kept, unless `replace`
    is True and `materialize` made it; no other table is ever replaced. If anything fails, the old table stays complete.

    `kind` "table" works on every engine, and lets `refresh` add only the new rows. "view" is a MATERIALIZED VIEW of
    PostgreSQL, for a projection that is one statement; every refresh recomputes all of it. Replacing a table, by
    `replace` or by a refresh of everything, drops its indexes, and on PostgreSQL its rights. It is refused while a
    foreign key refers to the table, the table has a trigger or, on PostgreSQL, a view reads it.

    The statistics of a `Standardized` source are computed once and recorded, and prepare all later rows too.
    If a transaction is open on the connection, the call is part of it and the caller commits, except on MariaDB, where
    making a table commits. Otherwise the table is committed.
    Raises SourceError for a key that is NULL or repeated, and ParameterError if the name is taken or the projection is
    not registered. Raises UnsupportedError on Spark, where `sqlrp.project(…).write.saveAsTable(into)` makes the table.
    """
    projection, options = checked(projection), Options(output, scale, nulls, lowering)
    if kind not in get_args(Kind):
        raise ParameterError(f"kind = {kind!r} must be one of {', '.join(get_args(Kind))}")
    _ = method_of(projection)
    table, connector = table_named(into), keeper(connection)
    refuse(as_source(source.source if isinstance(source, Standardized) else source), connector.dialect)
    if kind == "view" and not connector.dialect.has_materialized_views:
        raise UnsupportedError(f"{connector.dialect.name} has no materialized views: leave kind out, for a table")
    with writing(connector, connection, name_of(table), makes=True) as session:
        projection, source = plain(projection, source, session)
        source = as_source(source)
        settle(connector, session, table, clear=True)
        there = connector.exists(session, table)
        old = find_record(connector, session, table) if there else None
        if there:
            _check_place(connector, session, table, old, projection, replace)
        frame = look(connector, session, source, bound_to=projection.bound_to)
        if isinstance(source, Wide):
            source = dataclasses.replace(source, features=frame.names)
        made = Made(projection, source, options, kind)
        made = made.over(connector, session, frame)
        job = made.job(connector.dialect, frame)
        caution(projection, frame)
        check_source_keys(connector, session, job)
        return _build(connector, session, table, made, job, old if there else None)


def refresh(connection: Any, into: str, *, everything: bool = False) -> int:
    """Update a table that `materialize` made; returns the number of projected rows.

    Rows of the source with a new key are projected and added in one statement. Rows that were changed or deleted in the
    source keep their old result. `everything` True projects all rows again, and replaces the old table in one step. It
    is required for a source without a key and for groups; a materialized view is always recomputed.
    If anything fails, the table stays unchanged. Of two refreshes at once one waits or fails; no row is added twice.

    Raises SourceError if the source no longer has the same features or types, including those of the key and the kept
    columns, if a key is NULL or repeated, if the projection or the table differs from the record, or if a table would
    be replaced that other objects refer to.
    """
    table, connector = table_named(into), keeper(connection)
    with connector.transaction(connection, name_of(table), makes=everything) as session:
        settle(connector, session, table, clear=everything)
        record = find_record(connector, session, table)
        if record is None:
            known = names_recorded(connector, session)
            raise SourceError(
                f"{table} was not made by sqlrp.materialize{nearest(name_of(table), known)}: "
                f"made were {shorten(known) if known else 'none'}"
            )
        if not connector.exists(session, table):
            raise SourceError(f"{table} is recorded but was dropped: make it again with sqlrp.materialize")
        _check_made(connector, session, table, record, everything)
        frame = look(connector, session, record.made.source)
        made = record.made.over(connector, session, frame)
        _check_source(record.made, made, everything)
        job = made.job(connector.dialect, frame)
        whole = everything or made.kind == "view"
        if not whole and (frame.key is None or job.grouped):
            why = "sums groups, which may have grown" if job.grouped else f"has no key of {frame.table} to know rows by"
            raise ParameterError(f"{table} {why}: pass everything=True")
        if not whole:
            check_kept_types(connector, session, table, frame)
        try:
            # Record the table as it is now: without a rollback, the rest may still fail.
            write_record(connector, session, table, record.made if whole else made, finished=bool(record.fingerprint))
        except UnreachableError:
            raise
        except StatementError as error:
            why = "perhaps as it is refreshed elsewhere: try again"
            raise StatementError(error.sql, f"{table} cannot be recorded, {why}; {error.words}") from error
        check_source_keys(connector, session, job)
        if made.kind == "view":
            connector.execute(session, connector.refreshing(session, table))
            check_made_keys(connector, session, job, table)
            return _count(connector, session, table, job)
        if everything:
            return _build(connector, session, table, made, job, record)
        return _add(connector, session, table, job, made.options.lowering)


def materialized(connection: Any) -> dict[str, tuple[Projection, Source]]:
    """The recorded tables of `materialize`, by name, each with its projection and its source.

    A warning names the tables whose records cannot be read.
    """
    found: dict[str, tuple[Projection, Source]] = {}
    wrong: list[str] = []
    connector = keeper(connection)
    with connector.session(connection) as session:
        for name, record in recorded(connector, session).items():
            if isinstance(record, SourceError):
                wrong.append(f"{shorten(name)} ({record})")
            else:
                found[name] = (record.made.projection, record.made.source)
    warn_of("records of tables", wrong)
    return found


# -- checks ----------------------------------------------------------------------------------------------


def _check_place(
    connector: Connector, connection: Any, table: TableName, old: Record | None, projection: Projection, replace: bool
) -> None:
    """Raise ParameterError if a table exists, unless sqlrp made it and it is to be replaced."""
    if old is None or (old.fingerprint and list(types(connector, connection, table)) != old.made.columns):
        raise ParameterError(
            f"{table} exists already, and sqlrp did not make it in its present form: it is never overwritten; "
            "choose another name"
        )
    if not replace:
        same = projection == old.made.projection
        by = "the same projection" if same else f"another projection, {shorten(old.made.projection.name)}"
        raise ParameterError(
            f"{table} exists already, made by {by}: sqlrp.refresh adds new rows, replace=True makes the table again"
        )


def _check_made(connector: Connector, connection: Any, table: TableName, record: Record, everything: bool) -> None:
    """Raise SourceError if the table or its record was changed."""
    made = record.made
    if record.wrong:
        raise SourceError(record.wrong)
    if not record.fingerprint:
        if not everything:
            raise SourceError(f"{table} was left unfinished by an interruption: pass everything=True")
        return
    if list(types(connector, connection, table)) != made.columns:
        raise SourceError(
            f"the columns of {table} were changed after sqlrp made it: drop it, and call sqlrp.materialize again"
        )


def _check_source(made: Made, now: Made, everything: bool) -> None:
    """Raise SourceError if the source's features are not those that were projected."""
    if now.size != made.size:
        raise SourceError(
            f"{made.source.table} had {made.size} features and has {now.size}: materialize with replace=True"
        )
    if not everything:
        check_types(made.source.table, made.features, now.features)


# -- making ----------------------------------------------------------------------------------------------


def _build(connector: Connector, connection: Any, table: TableName, made: Made, job: Job, old: Record | None) -> int:
    """Make the table under another name, then rename it, in place of the old one if there is one."""
    check_room(job)
    if old is not None:
        check_replaceable(connector, connection, table)
    script = plan(job, made.options.lowering, single_statement=made.kind == "view").script()
    new, noun = temporary_name(table), _NOUNS[made.kind]
    try:
        with set_up(connector, connection, script):
            connector.execute(
                connection, connector.dialect.create_table(connector.dialect.table(new), script.query, noun)
            )
        check_made_keys(connector, connection, job, new)
        made = dataclasses.replace(made, columns=list(types(connector, connection, new)))
        if connector.dialect.transactional:
            write_record(connector, connection, table, made)
        else:
            announce(connector, connection, table, new, made)
        connector.swap(connection, new, table, noun, None if old is None else _NOUNS[old.made.kind])
        settle(connector, connection, table, clear=True)
    except BaseException:
        with suppress(StatementError):  # report the first error; the next call settles the table
            settle(connector, connection, table, clear=True)
        raise
    return _count(connector, connection, table, job)


def _add(connector: Connector, connection: Any, table: TableName, job: Job, lowering: str) -> int:
    """Copy the rows with a new key to a temporary table, project them, and insert the result."""
    dialect = connector.dialect
    frame, rows = job.frame, TableName((hashed("rows", table),))
    key, source, target = (
        dialect.quote(frame.key or ""),
        dialect.table(frame.table),
        dialect.table(table),
    )
    columns = ", ".join(map(dialect.quote, [*frame.kept, *frame.names]))
    # DISTINCT, as EXCEPT in ClickHouse removes only one row for each row.
    missing = f"SELECT DISTINCT {key} FROM {source} EXCEPT SELECT {key} FROM {target}"
    new = f"SELECT {columns} FROM {source} WHERE {key} IN ({missing})"
    # Use the source's number types, as those of a temporary table may be less exact.
    of_new = dataclasses.replace(job, frame=dataclasses.replace(frame, table=rows))
    script = plan(of_new, lowering).script()
    own = dialect.quote(rows.parts[0])
    made = Script(Statement(""), (dialect.create_temporary(own, new, numbered=False),), (dialect.drop_temporary(own),))
    with set_up(connector, connection, made):
        check_new_keys(connector, connection, job, own)
        with set_up(connector, connection, script):
            adding = dialect.adding(target, script.query, dialect.table(temporary_name(table)))
            with set_up(connector, connection, adding):
                connector.execute(connection, adding.query)
        counted = f"count(DISTINCT {key})" if repeats(job) else "count(*)"
        return int(connector.fetch(connection, f"SELECT {counted} FROM {own}").column(0).to_pylist()[0])


def _count(connector: Connector, connection: Any, table: TableName, job: Job) -> int:
    """The number of projected rows."""
    first = first_of_each(job)
    return int(
        connector.fetch(connection, f"SELECT count(*) FROM {connector.dialect.table(table)}{first}")
        .column(0)
        .to_pylist()[0]
    )
