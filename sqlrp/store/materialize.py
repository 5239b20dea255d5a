"""Materialized tables of projected rows: made once, recorded in the catalogue, and refreshed."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from typing import Any, Literal, get_args

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
from sqlrp.core.options import Dtype, Nulls, Options
from sqlrp.core.sources import Output, Source, Standardized, TableName, Wide, as_source
from sqlrp.dialects.base import Dialect
from sqlrp.lowering.frame import Frame
from sqlrp.lowering.job import Job
from sqlrp.lowering.planner import plan
from sqlrp.projections import method_of
from sqlrp.projections.base import Projection, checked
from sqlrp.run.bind import caution, look, refuse
from sqlrp.run.preparing import plain
from sqlrp.run.running import ready
from sqlrp.run.views import LAG, check_view, view_script, view_statement
from sqlrp.store.catalogue import keeper, warn_of, writing
from sqlrp.store.following import Marks, Refreshed, check_track, follow, marks_of, tracked
from sqlrp.store.keeping import (
    check_kept_types,
    check_made_keys,
    check_replaceable,
    check_room,
    check_source_keys,
    check_types,
    first_of_each,
    types,
)
from sqlrp.store.records import (
    Kind,
    Made,
    Record,
    announce,
    find_record,
    name_of,
    names_recorded,
    recorded,
    settle,
    table_named,
    temporary_name,
    write_record,
)

Keeping = Literal["table", "view", "materialized view"]
"""What `materialize` makes."""


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
    dtype: Dtype = "auto",
    replace: bool = False,
    kind: Keeping = "table",
    track: str | None = None,
    lag: str = LAG,
    warehouse: str | None = None,
) -> int:
    """Project a source into a table of its database, which `refresh` updates. Returns the number of rows.

    `into` is the name of the table, in the same form as that of a source. An existing table is kept, unless `replace`
    is True and `materialize` made it; no other table is ever replaced. If anything fails, the old table stays complete.

    `track` lets `refresh` find rows that changed or went away, too. It names a column that grows with every change of
    a row, such as `updated_at` or a version: the table keeps its value as a column. Or it is "rows": then the table
    has one more column, `sqlrp_fingerprint`, a hash of all columns that are read, and every refresh computes it for
    the whole source. The chance that a change keeps the hash, and is missed, is about 2^-60. Sparse rows (`Long`)
    have one mark for each key: the greatest value of the column and the number of rows, or a sum of hashes.

    `kind` "table" works on every engine, and lets `refresh` project only the rows it has to. "view" is for a projection
    that is one statement. In DuckDB it is a view of the text: it stores no rows, is never out of date, and answers
    wherever the file is opened. Elsewhere it is what the engine has, and "materialized view" means the same: a
    materialized view of PostgreSQL, Redshift, BigQuery, Databricks or ClickHouse (which computes rows when they are
    inserted), or a dynamic table of Snowflake, which `warehouse` refreshes. BigQuery's and Snowflake's follow their
    source within `lag`. A refresh of a materialized view recomputes all of it, on ClickHouse with everything=True.

    Replacing a table, by `replace` or by a refresh of everything, drops its indexes, and on PostgreSQL its rights. It
    is refused while a foreign key refers to the table, the table has a trigger or, on PostgreSQL, a view reads it.

    The statistics of a `Standardized` source are computed once and recorded, and prepare all later rows too. If a
    transaction is open on the connection, the call is part of it and the caller commits, except on MariaDB, where
    making a table commits. Otherwise it is committed. On Snowflake, BigQuery, Databricks and Trino each statement
    takes effect at once, and nothing keeps two writers apart. Raises SourceError for a key that is NULL or repeated and
    a tracked column that is NULL, and ParameterError if the name is taken, the projection is not registered, or groups
    are to be tracked. Raises UnsupportedError on Spark, where `sqlrp.project(…).write.saveAsTable(into)` makes the
    table.

        >>> sqlrp.materialize(rp, "points", con, "points_rp")
        50
        >>> con.sql("SELECT count(*) FROM points_rp").fetchall()
        [(50,)]
    """
    projection, options = checked(projection), Options(output, scale, nulls, lowering, dtype)
    if kind not in get_args(Keeping):
        raise ParameterError(f"kind = {kind!r} must be one of {', '.join(get_args(Keeping))}")
    _ = method_of(projection)
    check_track(track)
    if track is not None and kind != "table":
        raise ParameterError(f"track = {track!r} is for tables, as a view is recomputed: leave track out")
    table, connector = table_named(into), keeper(connection)
    refuse(as_source(source.source if isinstance(source, Standardized) else source), connector.dialect)
    if kind != "table":
        _check_view(connector.dialect, kind, lag, warehouse)
    with writing(connector, connection, name_of(table), makes=True) as session:
        projection, given = plain(projection, source, session)
        of = as_source(given)
        settle(connector, session, table, clear=True)
        there = connector.exists(session, table)
        old = find_record(connector, session, table) if there else None
        if there:
            _check_place(connector, session, table, old, projection, replace)
        if track is not None:
            columns = connector.columns(session, TableName.parse(of.table))
            of, track = tracked(of, track, columns)
        frame = look(connector, session, of, bound_to=projection.bound_to)
        if isinstance(of, Wide):
            of = dataclasses.replace(of, features=frame.names)
        made = Made(projection, of, options, "table" if kind == "table" else "view", track=track)
        made = made.over(connector, session, frame)
        job, marks = _marked(connector, session, made, frame)
        caution(projection, frame)
        check_source_keys(connector, session, job)
        view = _View(lag, warehouse) if made.kind == "view" else None
        return _build(connector, session, table, made, job, marks, old if there else None, view)


def refresh(connection: Any, into: str, *, everything: bool = False, remove: bool = True) -> Refreshed:
    """Update a table that `materialize` made; returns how many rows were projected, as an int with the details.

    Rows of the source with a new key are projected and added. In a table that is tracked (`materialize(…, track=…)`)
    rows that changed are projected again, and rows whose key is gone from the source are removed, unless `remove` is
    False. All of this is one transaction; on ClickHouse one statement takes over the new parts. In a table that is not
    tracked, rows that were changed or deleted in the source keep their old result. The result is the number of
    projected rows; `added`, `changed` and `removed` are its attributes (`Refreshed`).

    `everything` True projects all rows again, and replaces the old table in one step. It is required for a source
    without a key and for groups; a materialized view is always recomputed, and a view of DuckDB never needs to be.
    If anything fails, the table stays unchanged. Of two refreshes at once one waits or fails; no row is added twice.
    Others may change the source meanwhile. What a refresh does not see of this, the next one does.

    Raises SourceError if the source no longer has the same features or types, including those of the key and the kept
    columns, if a key is NULL or repeated, if the projection or the table differs from the record, or if a table would
    be replaced that other objects refer to. Raises ParameterError for `remove` False with `everything`.

        >>> _ = sqlrp.materialize(rp, "points", con, "points_rp")
        >>> _ = con.execute("INSERT INTO points VALUES (51, 'even', 1, 2, 0)")
        >>> sqlrp.refresh(con, "points_rp")
        Refreshed(added=1, changed=0, removed=0)
    """
    if everything and not remove:
        raise ParameterError("remove = False is for a refresh of what changed: everything=True makes the table again")
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
        job, marks = _marked(connector, session, made, frame)
        view = made.kind == "view"
        whole = everything or (view and not connector.dialect.views_see_inserts)
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
        if whole:
            check_source_keys(connector, session, job)
        if view and whole and connector.dialect.stores_views and not connector.dialect.views_see_inserts:
            connector.execute(session, connector.refreshing(session, table))
            check_made_keys(connector, session, job, table)
            return Refreshed(_count(connector, session, table, job))
        if everything:
            return Refreshed(_build(connector, session, table, made, job, marks, record, _View() if view else None))
        if whole:  # a view that stores nothing
            return Refreshed(0)
        return follow(connector, session, table, job, marks, made.options.lowering, remove)


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


@dataclasses.dataclass(frozen=True)
class _View:
    """How a view is kept."""

    lag: str = LAG
    warehouse: str | None = None

    def statement(self, dialect: Dialect, name: TableName, query: str) -> str:
        """The statement that makes the view of a query."""
        return view_statement(dialect, name, query, self.lag, self.warehouse)


# -- checks ----------------------------------------------------------------------------------------------


def _check_view(dialect: Dialect, kind: str, lag: str, warehouse: str | None) -> None:
    """Raise UnsupportedError if the engine has no such views, ParameterError for wrong options."""
    if not dialect.keeping_view:
        raise UnsupportedError(f"{dialect.name} has no materialized views: leave kind out, for a table")
    if kind == "materialized view" and not dialect.stores_views:
        raise UnsupportedError(
            f"{dialect.name} has no materialized views: leave kind out, for a table, or pass kind = 'view'"
        )
    check_view(dialect, lag, warehouse)


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


def _marked(connector: Connector, connection: Any, made: Made, frame: Frame) -> tuple[Job, Marks | None]:
    """The job that projects the source, with the marks of its rows if they are tracked."""
    job = made.job(connector.dialect, frame)
    marks = marks_of(connector, connection, job, made.track)
    return (job if marks is None else made.job(connector.dialect, marks.kept(frame))), marks


def _build(
    connector: Connector,
    connection: Any,
    table: TableName,
    made: Made,
    job: Job,
    marks: Marks | None,
    old: Record | None,
    view: _View | None = None,
) -> int:
    """Make the table under another name, then rename it, in place of the old one if there is one."""
    check_room(job)
    if old is not None:
        check_replaceable(connector, connection, table)
    nouns: dict[Kind, str] = {"table": "TABLE", "view": connector.dialect.view_noun}
    before = None if old is None else nouns[old.made.kind]
    if view is not None and not connector.dialect.renames_views:
        return _build_in_place(connector, connection, table, made, job, before, view)
    new, noun = temporary_name(table), nouns[made.kind]
    try:
        if view is not None:
            script = view_script(job, made.options.lowering)
            connector.execute(connection, view.statement(connector.dialect, new, script.query))
        else:
            around = str if marks is None else marks.around(job, connector.dialect.table(job.frame.table))
            with ready(connector, connection, plan(job, made.options.lowering, here=True), around) as query:
                connector.execute(connection, connector.dialect.create_table(connector.dialect.table(new), query))
        check_made_keys(connector, connection, job, new)
        made = dataclasses.replace(made, columns=list(types(connector, connection, new)))
        if connector.dialect.transactional:
            write_record(connector, connection, table, made)
        elif connector.dialect.carries_marks:
            announce(connector, connection, table, new, made)
        else:
            write_record(connector, connection, table, made, finished=False)
        connector.swap(connection, new, table, noun, before)
        if not (connector.dialect.transactional or connector.dialect.carries_marks):
            write_record(connector, connection, table, made)
        settle(connector, connection, table, clear=True)
    except BaseException:
        with suppress(StatementError):  # report the first error; the next call settles the table
            settle(connector, connection, table, clear=True)
        raise
    return _count(connector, connection, table, job)


def _build_in_place(
    connector: Connector, connection: Any, table: TableName, made: Made, job: Job, before: str | None, view: _View
) -> int:
    """Make a view that cannot be renamed; what was there, of the kind `before`, is dropped first."""
    statement = view.statement(connector.dialect, table, view_script(job, made.options.lowering).query)
    write_record(connector, connection, table, made, finished=False)
    if before is not None:
        connector.execute(connection, f"DROP {before} {connector.dialect.table(table)}")
    connector.execute(connection, statement)
    check_made_keys(connector, connection, job, table)
    made = dataclasses.replace(made, columns=list(types(connector, connection, table)))
    write_record(connector, connection, table, made)
    return _count(connector, connection, table, job)


def _count(connector: Connector, connection: Any, table: TableName, job: Job) -> int:
    """The number of projected rows."""
    first = first_of_each(job)
    return int(
        connector.fetch(connection, f"SELECT count(*) FROM {connector.dialect.table(table)}{first}")
        .column(0)
        .to_pylist()[0]
    )
