"""Projected rows kept as a table in their database: made once, recorded in the catalogue, brought up to date."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from typing import Any, get_args

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
from sqlrp.engines.base import Engine
from sqlrp.lowering.job import Job
from sqlrp.lowering.planner import plan
from sqlrp.projections import method_of
from sqlrp.projections.base import Projection, checked
from sqlrp.run.bind import caution, look, refuse
from sqlrp.run.preparing import plain
from sqlrp.run.running import prepared
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
    beside,
    find_record,
    hashed,
    name_of,
    names_recorded,
    recorded,
    settle,
    table_named,
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
    """Project a source into a table of its database, to be brought up to date by `refresh`; returns its rows' number.

    `into` is the table's name, read as a source's is. What is there under that name stays: `replace` True takes
    the place of what `materialize` made, never of another table. Whatever fails, the old table stays whole.

    `kind` "table" on every engine, as only a table can take the new rows alone; "view" is PostgreSQL's own
    MATERIALIZED VIEW, for what is one statement: whole at every refresh. A table that is replaced, or refreshed
    whole, loses its indexes, and on PostgreSQL its rights. It is refused while a foreign key refers to the table, a
    trigger stands on it or, on PostgreSQL, a view reads it.

    The statistics of a `Standardized` source are computed once and recorded: every later row is prepared by them.
    A transaction that is open on the connection is taken part in, and is the caller's to commit; MariaDB cannot, as
    making a table commits. Otherwise the table is committed.
    Raises SourceError for a key that is NULL or comes twice, ParameterError for a name that is taken or a projection
    that is not registered;
    UnsupportedError on Spark, where `sqlrp.project(…).write.saveAsTable(into)` makes the table.
    """
    projection, options = checked(projection), Options(output, scale, nulls, lowering)
    if kind not in get_args(Kind):
        raise ParameterError(f"kind = {kind!r} must be one of {', '.join(get_args(Kind))}")
    _ = method_of(projection)
    table, engine = table_named(into), keeper(connection)
    refuse(as_source(source.source if isinstance(source, Standardized) else source), engine)
    if kind == "view" and not engine.has_materialized_views:
        raise UnsupportedError(f"{engine.name} has no materialized views: leave kind out, for a table")
    with writing(engine, connection, name_of(table), makes=True) as session:
        projection, source = plain(projection, source, session)
        source = as_source(source)
        settle(engine, session, table, clear=True)
        there = engine.exists(session, table)
        old = find_record(engine, session, table) if there else None
        if there:
            _check_place(engine, session, table, old, projection, replace)
        frame = look(engine, session, source, bound_to=projection.bound_to)
        if isinstance(source, Wide):
            source = dataclasses.replace(source, features=frame.names)
        made = Made(projection, source, options, kind)
        made = made.over(engine, session, frame)
        job = made.job(engine, frame)
        caution(projection, frame)
        check_source_keys(engine, session, job)
        return _build(engine, session, table, made, job, old if there else None)


def refresh(connection: Any, into: str, *, everything: bool = False) -> int:
    """Bring what `materialize` made up to date; returns how many rows came in.

    The rows of the source whose key is not there yet are projected and added, by one statement; a row that changed
    or went keeps what it had. `everything` True projects all rows anew, and puts the new table in the place of the
    old one at once. A source without a key, and groups, know `everything` only; a materialized view nothing else.
    Whatever fails, the table stays as it was; of two refreshes at once one waits or fails, and no row comes twice.

    Raises SourceError where the source no longer has the features or the types that were projected, the key's and the
    kept columns' among them, where a key is NULL or comes twice, where the projection or the table is not the one that
    was recorded, and where a table that others refer to would be replaced.
    """
    table, engine = table_named(into), keeper(connection)
    with engine.transaction(connection, name_of(table), makes=everything) as session:
        settle(engine, session, table, clear=everything)
        record = find_record(engine, session, table)
        if record is None:
            known = names_recorded(engine, session)
            raise SourceError(
                f"{table} was not made by sqlrp.materialize{nearest(name_of(table), known)}: "
                f"made were {shorten(known) if known else 'none'}"
            )
        if not engine.exists(session, table):
            raise SourceError(f"{table} is recorded but no longer there: make it anew by sqlrp.materialize")
        _check_made(engine, session, table, record, everything)
        frame = look(engine, session, record.made.source)
        made = record.made.over(engine, session, frame)
        _check_source(record.made, made, everything)
        job = made.job(engine, frame)
        whole = everything or made.kind == "view"
        if not whole and (frame.key is None or job.grouped):
            why = "sums groups, which may have grown" if job.grouped else f"has no key of {frame.table} to know rows by"
            raise ParameterError(f"{table} {why}: pass everything=True")
        if not whole:
            check_kept_types(engine, session, table, frame)
        try:
            # What stands there now: where nothing is rolled back, the rest may still fail.
            write_record(engine, session, table, record.made if whole else made, finished=bool(record.fingerprint))
        except UnreachableError:
            raise
        except StatementError as error:
            why = "perhaps as it is refreshed elsewhere: try again"
            raise StatementError(error.sql, f"{table} cannot be recorded, {why}; {error.words}") from error
        check_source_keys(engine, session, job)
        if made.kind == "view":
            engine.execute(session, engine.refreshing(session, table))
            check_made_keys(engine, session, job, table)
            return _count(engine, session, table, job)
        if everything:
            return _build(engine, session, table, made, job, record)
        return _add(engine, session, table, job, made.options.lowering)


def materialized(connection: Any) -> dict[str, tuple[Projection, Source]]:
    """What `materialize` made in the database and records, by the table's name: what was projected, and of what.

    A warning names the tables whose records cannot be read.
    """
    found: dict[str, tuple[Projection, Source]] = {}
    wrong: list[str] = []
    engine = keeper(connection)
    with engine.session(connection) as session:
        for name, record in recorded(engine, session).items():
            if isinstance(record, SourceError):
                wrong.append(f"{shorten(name)} ({record})")
            else:
                found[name] = (record.made.projection, record.made.source)
    warn_of("records of tables", wrong)
    return found


# -- checks ----------------------------------------------------------------------------------------------


def _check_place(
    engine: Engine, connection: Any, table: TableName, old: Record | None, projection: Projection, replace: bool
) -> None:
    """Raise ParameterError unless the table that is there was made by sqlrp and is to be replaced."""
    if old is None or (old.fingerprint and list(types(engine, connection, table)) != old.made.columns):
        raise ParameterError(
            f"{table} is there already, and sqlrp did not make it as it stands: it is never overwritten; "
            "choose another name"
        )
    if not replace:
        same = projection == old.made.projection
        by = "the same projection" if same else f"another projection, {shorten(old.made.projection.name)}"
        raise ParameterError(
            f"{table} is there already, made by {by}: sqlrp.refresh brings in new rows, replace=True makes it anew"
        )


def _check_made(engine: Engine, connection: Any, table: TableName, record: Record, everything: bool) -> None:
    """Raise SourceError unless the table and its record are as they were made."""
    made = record.made
    if record.wrong:
        raise SourceError(record.wrong)
    if not record.fingerprint:
        if not everything:
            raise SourceError(f"{table} was left unfinished by an interruption: pass everything=True")
        return
    if list(types(engine, connection, table)) != made.columns:
        raise SourceError(f"the columns of {table} are not those that sqlrp made: drop it, and materialize anew")


def _check_source(made: Made, now: Made, everything: bool) -> None:
    """Raise SourceError where the source's features are not those that were projected."""
    if now.size != made.size:
        raise SourceError(
            f"{made.source.table} had {made.size} features and has {now.size}: materialize with replace=True"
        )
    if not everything:
        check_types(made.source.table, made.features, now.features)


# -- making ----------------------------------------------------------------------------------------------


def _build(engine: Engine, connection: Any, table: TableName, made: Made, job: Job, old: Record | None) -> int:
    """Make the table beside, and put it in the place of the old one, where there is one."""
    check_room(job)
    if old is not None:
        check_replaceable(engine, connection, table)
    script = plan(job, made.options.lowering, single_statement=made.kind == "view").script()
    new, noun = beside(table), _NOUNS[made.kind]
    try:
        with prepared(engine, connection, script):
            engine.execute(connection, engine.create_table(engine.table(new), script.query, noun))
        check_made_keys(engine, connection, job, new)
        made = dataclasses.replace(made, columns=list(types(engine, connection, new)))
        if engine.transactional:
            write_record(engine, connection, table, made)
        else:
            announce(engine, connection, table, new, made)
        engine.swap(connection, new, table, noun, None if old is None else _NOUNS[old.made.kind])
        settle(engine, connection, table, clear=True)
    except BaseException:
        with suppress(StatementError):  # the first error is the one to tell; else another call settles it
            settle(engine, connection, table, clear=True)
        raise
    return _count(engine, connection, table, job)


def _add(engine: Engine, connection: Any, table: TableName, job: Job, lowering: str) -> int:
    """Project the rows whose key is not there yet, by way of a temporary table of them, and insert them."""
    frame, rows = job.frame, TableName((hashed("rows", table),))
    key, source, target = engine.quote(frame.key or ""), engine.table(frame.table), engine.table(table)
    columns = ", ".join(map(engine.quote, [*frame.kept, *frame.names]))
    # DISTINCT, as ClickHouse takes away one row for one.
    missing = f"SELECT DISTINCT {key} FROM {source} EXCEPT SELECT {key} FROM {target}"
    new = f"SELECT {columns} FROM {source} WHERE {key} IN ({missing})"
    # The numbers' kinds are the source's: a temporary table's are not always as exact.
    of_new = dataclasses.replace(job, frame=dataclasses.replace(frame, table=rows))
    script = plan(of_new, lowering).script()
    own = engine.quote(rows.parts[0])
    made = Script(Statement(""), (engine.create_temporary(own, new, numbered=False),), (engine.drop_temporary(own),))
    with prepared(engine, connection, made):
        check_new_keys(engine, connection, job, own)
        with prepared(engine, connection, script):
            adding = engine.adding(target, script.query, engine.table(beside(table)))
            with prepared(engine, connection, adding):
                engine.execute(connection, adding.query)
        counted = f"count(DISTINCT {key})" if repeats(job) else "count(*)"
        return int(engine.fetch(connection, f"SELECT {counted} FROM {own}").column(0).to_pylist()[0])


def _count(engine: Engine, connection: Any, table: TableName, job: Job) -> int:
    """How many rows were projected."""
    first = first_of_each(engine, job)
    return int(engine.fetch(connection, f"SELECT count(*) FROM {engine.table(table)}{first}").column(0).to_pylist()[0])
