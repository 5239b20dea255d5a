"""Materialized tables of projected rows: made once, recorded in the catalogue, and refreshed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, Literal, get_args

from sqlrp._connectors.connector import Connector
from sqlrp._connectors.foresight import foreseen
from sqlrp._core.errors import (
    ParameterError,
    SourceError,
    StatementError,
    UnreachableError,
    UnsupportedError,
    shorten,
    warn,
)
from sqlrp._core.numbers import BYTE
from sqlrp._core.options import Dtype, Nulls, Options
from sqlrp._core.sources import Output, Source, Standardized, TableName, Wide, as_rows
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import AT_ONCE, Dialect
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import plan_kept
from sqlrp._projections import method_of
from sqlrp._projections.projection import Projection, checked
from sqlrp._run.bind import cautions, look, refuse
from sqlrp._run.execution import ready
from sqlrp._run.first_rows import prove
from sqlrp._run.nulls import cautions_of_nulls, naming_rows
from sqlrp._run.same_bits import bits_of_table
from sqlrp._run.statistics import plain_table
from sqlrp._run.views import LAG, check_inserts, check_view, view_script, view_statement
from sqlrp._store.auxiliary_names import lock_of, temporary_name
from sqlrp._store.catalogue import keeper, warn_of
from sqlrp._store.code_range import REMEDY, worn_range
from sqlrp._store.filled_tables import build_filled, build_view
from sqlrp._store.ownership import (
    check_source,
    check_source_place,
    name_in_view,
    place_of_source,
    place_to_write,
    record_to_replace,
)
from sqlrp._store.partitions import check_partitions, follow_partitions, partitioned
from sqlrp._store.records import (
    Record,
    TableDefinition,
    announcing,
    clear_way,
    dropped,
    find_record,
    is_replaced,
    new_mark,
    not_made,
    recorded,
    recording,
    settle,
    settle_rows,
    table_named,
    unseen,
    write_record,
)
from sqlrp._store.removals import check_removals, check_share, fewer, seeing_all
from sqlrp._store.row_changes import Marks, Refreshed, check_track, follow, marks_of, tracked
from sqlrp._store.searches import add_search, function_of, make_again, refuse_searches, search_of, searches_of
from sqlrp._store.source_state import check_made, warn_of_new
from sqlrp._store.steady import naming_dropped
from sqlrp._store.table import Catalogue, writing
from sqlrp._store.table_checks import (
    MadeRows,
    check_kept_types,
    check_made_keys,
    check_replaceable,
    check_room,
    check_source_keys,
    first_of_each,
    types,
)

Keeping = Literal["table", "view", "materialized view"]
"""What `materialize` makes."""


@foreseen
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
    search: str | None = None,
    correct: bool | None = None,
    partition_by: str | None = None,
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
    that is one statement. In DuckDB and Spark it is a view of the text: it stores no rows, is never out of date, and
    answers wherever the file is opened. Elsewhere it is what the engine has, and "materialized view" means the same: a
    materialized view of PostgreSQL, Redshift, BigQuery, Databricks or ClickHouse (which computes rows when they are
    inserted), or a dynamic table of Snowflake, which `warehouse` refreshes. BigQuery's and Snowflake's follow their
    source within `lag`. A refresh of a materialized view recomputes all of it, on ClickHouse with everything=True.

    `search` names a function of the database to search the table with (`create_search`), which is made with it.

    `correct` True is for components that `sqlrp.rounded` rounded. The table has two more columns, `sqlrp_factor` and
    `sqlrp_square`: for z, a row in steps from the centre, and ẑ, what its code stands for, these are |z|²/⟨z, ẑ⟩ and
    |z|², or for principal components the squared distance of the whole row from the centre. `sqlrp.search` then ranks
    by estimates without bias (Gao and Long 2024, RaBitQ, theorem 3.2), which finds more by the same codes. It takes 8
    bytes a row more, and no index of the engine's vector search orders by it. None is True if `search` is given, unless
    the codes are vectors that such an index takes.

    `partition_by` is for Spark without Delta Lake, whose tables are of Parquet. It names a column of whole numbers,
    text, dates or booleans. The table has a partition for each value of the column, which it keeps, and `refresh`
    overwrites the partitions that differ. Without it `refresh` adds new rows, and writes the whole table again if rows
    changed or are gone. The record is in the properties of the table.

    Replacing a table, by `replace` or by a refresh of everything, drops its indexes, and on PostgreSQL its rights. It
    is refused while a foreign key refers to the table, the table has a trigger or, on PostgreSQL, a view reads it.

    The statistics of a `Standardized` source are computed once and recorded, and prepare all later rows too. If a
    transaction is open on the connection, the call is part of it and the caller commits, except on MariaDB, where
    making a table commits. Otherwise it is committed. On Snowflake, BigQuery, Databricks, Trino and Spark each
    statement takes effect at once, and nothing keeps two writers apart. On Spark without Delta Lake, rows that two of
    them added are made single again. Raises SourceError for a key that is NULL or repeated and a tracked column that is
    NULL, and ParameterError if the name is taken, the projection is not registered, or groups are to be tracked.
    Raises UnsupportedError for `partition_by` on other engines.

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
    table, connector = table_named(into), _keeper(connection, kind, track, partition_by, search)
    given = as_rows(source)
    read = given.source if isinstance(given, Standardized) else given
    refuse(read, connector.dialect)
    if read.table_name == table:
        raise ParameterError(f"{table} is the source, and would be lost: choose another name for the result")
    if kind != "table":
        _check_view(connector.dialect, kind, lag, warehouse)
    with (
        naming_rows(connector, connection) as jobs,
        writing(connector, connection, lock_of(table), makes=True, into=table) as catalogue,
    ):
        session, place = catalogue.session, place_to_write(catalogue, table)
        projection, of, said = plain_table(projection, given, connector, session)
        settle(catalogue, place, clear=True)
        old = record_to_replace(catalogue, place, projection, replace)
        searches = searches_of(catalogue, place)
        source_place = place_of_source(catalogue, of)
        if kind != "table":
            check_inserts(connector, session, of.table_name)
        if track is not None or partition_by is not None:
            columns = connector.columns(session, of.table_name)
            of, track = tracked(of, track, columns, connector.dialect.folding)
            of, partition_by = partitioned(of, partition_by, columns, connector.dialect.folding)
        frame = look(connector, session, of, bound_to=projection.bound_to)
        every = isinstance(of, Wide) and of.features is None and projection.bound_to is None
        if isinstance(of, Wide):
            of = dataclasses.replace(of, features=frame.names)
        options = _correcting(connector.dialect, projection, frame, options, correct, search)
        made = TableDefinition(
            projection, of, options, "table" if kind == "table" else "view", track=track, place=source_place
        )
        made = dataclasses.replace(made, partition_by=partition_by, every=every)
        made = made.over(connector, session, frame)
        job, marks = _marked(connector, session, made, frame)
        jobs.append(job)
        warn(*said, *cautions(projection, frame))
        check_source_keys(connector, session, job)
        view = _ViewKeeping(lag, warehouse) if made.kind == "view" else None
        rows = _build(catalogue, place, made, job, marks, old, view)
        make_again(catalogue, place, made, searches, replaced=old is not None)
        if search is not None:
            # One that was of a table of this name is of this table now.
            own = catalogue.key(function_of(catalogue, search)) in {named.key for named in searches}
            add_search(catalogue, search_of(catalogue, place, made), search, replace=replace or own)
        if view is None:
            warn(*cautions_of_nulls(rows.null, rows.rows), *bits_of_table(connector, session, place, job))
        return rows.rows


@foreseen
def refresh(
    connection: Any,
    into: str,
    *,
    everything: bool = False,
    remove: bool = True,
    removals: float | None = None,
    partitions: Iterable[Any] | None = None,
) -> Refreshed:
    """Update a table that `materialize` made; returns how many rows were projected, as an int with the details.

    Rows of the source with a new key are projected and added. In a table that is tracked (`materialize(…, track=…)`)
    rows that changed are projected again, and rows whose key is gone from the source are removed, unless `remove` is
    False. All of this is one transaction; on ClickHouse one statement takes over the new parts. In a table that is not
    tracked, rows that were changed or deleted in the source keep their old result. The result is the number of
    projected rows; `added`, `changed` and `removed` are its attributes (`Refreshed`).

    A table of partitions (`materialize(…, partition_by=…)`) is refreshed by whole partitions, in which the source and
    the table do not have the same keys, or the same marks if it is tracked. `partitions` instead lists the values
    whose partitions are projected again, changed or not; then no other partition of the source is read. All rows of a
    partition that were there before count as changed. Spark writes all new files before it replaces old ones, one
    partition after the other. If anything fails before that, the old partitions stay. If Spark itself ends meanwhile,
    the next refresh finds the partitions that are missing.

    A source that is being loaded, or whose rows this role may not see, looks like one whose rows are gone. So a refresh
    that would remove more than half of the rows, or all, raises SourceError and changes nothing. `removals` is the
    share of the rows that it may remove instead: 1 allows all. On PostgreSQL a refresh that removes rows also raises
    SourceError if row security hides rows of the source from this role, unless `removals` is given or `remove` False.

    `everything` True projects all rows again, and replaces the old table in one step. It is required for a source
    without a key and for groups; a materialized view is always recomputed, and a view of DuckDB never needs to be.
    If anything fails, the table stays unchanged. Of two refreshes at once one waits or fails; no row is added twice.
    Others may change the source meanwhile. What a refresh does not see of this, the next one does.

    Raises SourceError if the source no longer has the same features or types, including those of the key and the kept
    columns, if a key is NULL or repeated, if the projection or the table differs from the record, or if a table would
    be replaced that other objects refer to. Raises ParameterError for `remove` False with `everything` or for a table
    of partitions, and for `partitions` of any other table.

        >>> _ = sqlrp.materialize(rp, "points", con, "points_rp")
        >>> _ = con.execute("INSERT INTO points VALUES (51, 'even', 1, 2, 0)")
        >>> sqlrp.refresh(con, "points_rp")
        Refreshed(added=1, changed=0, removed=0)
    """
    _check_refresh(everything, remove, partitions)
    check_share(removals)
    table, connector = table_named(into), keeper(connection)
    with (
        naming_dropped(connector, connection, table) as marks_read,
        naming_rows(connector, connection) as jobs,
        connector.transaction(connection, lock_of(table), makes=everything) as session,
        ExitStack() as seen,
    ):
        connector.check_writable(session, table)
        catalogue = Catalogue.found(connector, session)
        place = place_to_write(catalogue, table)
        settle(catalogue, place, clear=everything)
        record = _record(catalogue, place, table)
        marks_read.append(record.made.mark)
        stored = record.made.kind == "view" and connector.dialect.stores_views
        if everything or stored or (remove and record.made.track is not None):
            seen.enter_context(seeing_all(connector, session, removals))
        check_made(catalogue, place, record, everything)
        _check_options(record.made, table, remove, partitions)
        check_source_place(catalogue, record.made)
        frame = look(connector, session, record.made.source)
        warn_of_new(connector, session, record.made, table)
        made = record.made.over(connector, session, frame)
        check_source(record.made, made, everything)
        job, marks = _marked(connector, session, made, frame)
        jobs.append(job)
        view = made.kind == "view"
        whole = everything or (view and not connector.dialect.views_see_inserts)
        by = made.partition_by
        if not whole and (frame.key is None or job.grouped) and partitions is None:
            why = "sums groups, which may have grown" if job.grouped else f"has no key of {frame.table} to know rows by"
            remedy = "pass everything=True" if by is None else "name partitions, or pass everything=True"
            raise ParameterError(f"{table} {why}: {remedy}")
        if not whole:
            check_kept_types(connector, session, place, frame)
        # Record the table as it is now: without a rollback, the rest may still fail. The write also finds out who else
        # is refreshing it. Where the lock keeps them out, it only finds a snapshot that is older than the lock, and
        # that matters for rows that are to be added.
        write = partial(_write_again, catalogue, place, table, record.made if whole else made, record)
        late = connector.dialect.locks_all and not whole and by is None and made == record.made
        if not late:
            write()
        if whole:
            check_source_keys(connector, session, job)
        if view and whole and connector.dialect.stores_views and not connector.dialect.views_see_inserts:
            connector.execute(session, connector.refreshing(session, place))
            return Refreshed(check_made_keys(connector, session, job, place, view=True).rows)
        told, lowering = partial(_told, session, place, made), made.options.lowering
        if by is not None and not whole:
            return told(follow_partitions(catalogue, place, job, marks, lowering, by, partitions, removals))
        if everything:
            removed = 0 if view else _removed(catalogue, place, job, removals)
            rows = _build(catalogue, place, made, job, marks, record, _ViewKeeping() if view else None)
            return told(Refreshed(rows.rows, removed=removed))
        if whole:  # a view that stores nothing
            return Refreshed(0)
        return told(follow(catalogue, place, job, marks, lowering, remove, removals, write if late else None))


@foreseen
def materialized(connection: Any) -> dict[str, tuple[Projection, Source]]:
    """The recorded tables of `materialize`, by name, each with its projection and its source.

    A warning names the tables whose records cannot be read.
    """
    found: dict[str, tuple[Projection, Source]] = {}
    wrong: list[str] = []
    connector = keeper(connection)
    with connector.session(connection) as session:
        for name, record in recorded(Catalogue.found(connector, session)).items():
            if isinstance(record, SourceError):
                wrong.append(f"{shorten(name)} ({record})")
            else:
                found[name] = (record.made.projection, record.made.source)
    warn_of("records of tables", wrong)
    return found


def _correcting(
    dialect: Dialect, projection: Projection, frame: Frame, options: Options, correct: bool | None, search: str | None
) -> Options:
    """The options, with what `correct` says of numbers next to the codes."""
    if correct is None and options.output == "bits" and projection.fields is not None:
        correct = True
    if correct is None:
        job = Job.of(projection, frame, dialect, options)
        indexed = job.output == "vector" and job.written != BYTE
        correct = search is not None and not indexed and not job.uncorrectable
    return dataclasses.replace(options, correct=correct)


@dataclass(frozen=True)
class _ViewKeeping:
    """How a view is kept."""

    lag: str = LAG
    warehouse: str | None = None

    def statement(self, dialect: Dialect, name: TableName, query: str) -> str:
        """The statement that makes the view of a query."""
        return view_statement(dialect, name, query, self.lag, self.warehouse)


def _told(session: Any, place: TableName, made: TableDefinition, done: Refreshed) -> Refreshed:
    """The result of a refresh, after a warning of codes that no longer fit their range."""
    if done and (worn := worn_range(session, place, made)):
        warn(f"{place}: {worn}; {REMEDY}")
    return done


# -- checks ----------------------------------------------------------------------------------------------


def _keeper(connection: Any, kind: str, track: object, partition_by: object, search: object) -> Connector:
    """The connector that makes a table. Raises an error for options that the kind or the engine does not take."""
    for name, value in (("track", track), ("partition_by", partition_by)):
        if value is not None and kind != "table":
            raise ParameterError(f"{name} = {value!r} is for tables, as a view is recomputed: leave {name} out")
    connector = keeper(connection)
    if search is not None:
        refuse_searches(connector.dialect)
    if partition_by is not None and not connector.dialect.records_in_tables:
        where = "Spark without Delta Lake, whose tables change by whole partitions"
        raise UnsupportedError(f"partition_by = {partition_by!r} is for {where}: leave it out")
    return connector


def _check_refresh(everything: bool, remove: bool, partitions: object) -> None:
    """Raise ParameterError for options of a refresh that exclude one another."""
    if everything and not remove:
        raise ParameterError("remove = False is for a refresh of what changed: everything=True makes the table again")
    if everything and partitions is not None:
        raise ParameterError("everything=True makes all partitions again: leave partitions out")


def _write_again(
    catalogue: Catalogue, place: TableName, table: TableName, made: TableDefinition, record: Record
) -> None:
    """Write the record of a table that is refreshed."""
    try:
        write_record(catalogue, place, made, finished=bool(record.fingerprint))
    except UnreachableError:
        raise
    except StatementError as error:
        why = "; perhaps it is refreshed elsewhere: try again" if AT_ONCE in error.words else ""
        raise StatementError(error.sql, f"{table} cannot be recorded: {error.words}{why}") from error


def _removed(catalogue: Catalogue, place: TableName, job: Job, removals: float | None) -> int:
    """How many rows a refresh of everything removes. Raises SourceError if they are more than it may."""
    connector, session = catalogue.connector, catalogue.session
    held = _count(connector, session, place, job)
    removed = fewer(connector, session, job, held)
    if removed:
        check_removals(place, str(job.frame.table), removed, held, removals)
    return removed


def _record(catalogue: Catalogue, place: TableName, table: TableName) -> Record:
    """The record of a table that is there. Raises SourceError if there is none."""
    record = find_record(catalogue, place)
    if record is None:
        raise not_made(catalogue, place, table)
    if not catalogue.connector.exists(catalogue.session, place):
        raise unseen(table) if is_replaced(catalogue, place, record.made) else dropped(table)
    return record


def _check_options(made: TableDefinition, table: TableName, remove: bool, partitions: object) -> None:
    """Raise ParameterError for options of a refresh that the table does not take."""
    if made.partition_by is None and partitions is not None:
        raise ParameterError(f"{table} was made without partition_by: leave partitions out")
    if made.partition_by is not None and not remove:
        raise ParameterError(
            f"{table} is refreshed by whole partitions, without the rows that are gone: leave remove = False out; "
            "partitions = […] leaves all others as they are"
        )


def _check_view(dialect: Dialect, kind: str, lag: str, warehouse: str | None) -> None:
    """Raise UnsupportedError if the engine has no such views, ParameterError for wrong options."""
    if not dialect.keeping_view:
        raise UnsupportedError(f"{dialect.name} has no materialized views: leave kind out, for a table")
    if kind == "materialized view" and not dialect.stores_views:
        raise UnsupportedError(
            f"{dialect.name} has no materialized views: leave kind out, for a table, or pass kind = 'view'"
        )
    check_view(dialect, lag, warehouse)


# -- making ----------------------------------------------------------------------------------------------


def _marked(connector: Connector, connection: Any, made: TableDefinition, frame: Frame) -> tuple[Job, Marks | None]:
    """The job that projects the source, with the marks of its rows if they are tracked."""
    job = made.job(connector.dialect, frame)
    marks = marks_of(connector, connection, job, made.track)
    return (job if marks is None else made.job(connector.dialect, marks.kept(frame))), marks


def _build(
    catalogue: Catalogue,
    table: TableName,
    made: TableDefinition,
    job: Job,
    marks: Marks | None,
    old: Record | None,
    view: _ViewKeeping | None = None,
) -> MadeRows:
    """Make the table under another name, then rename it, in place of the old one if there is one."""
    connector, connection = catalogue.connector, catalogue.session
    check_room(job)
    check_partitions(connector, connection, job, made.partition_by)
    if old is not None:
        check_replaceable(connector, connection, table)
    if connector.dialect.fills:
        if view is None:
            return build_filled(catalogue, table, made, job, marks, old)
        statement = view.statement(connector.dialect, table, view_script(job, made.options.lowering).query)
        prove(connector, connection, plan_kept(job, made.options.lowering, view=True))
        return build_view(catalogue, table, made, job, old, statement)
    before = None if old is None else _noun(connector.dialect, old.made)
    made = dataclasses.replace(made, mark=new_mark() if connector.dialect.carries_marks else "")
    if view is not None and not connector.dialect.renames_views:
        return _build_in_place(catalogue, table, made, job, before, view)
    new = temporary_name(table)
    if connector.dialect.transactional:
        clear_way(catalogue, table)
    try:
        if view is not None:
            own = dataclasses.replace(job.frame, table=name_in_view(catalogue, table, job.frame.table))
            script = view_script(made.job(connector.dialect, own), made.options.lowering)
            text = view.statement(connector.dialect, new, script.query)
            connector.execute_all(connection, connector.dialect.making_view(new, text, made.mark))
        else:
            around = str if marks is None else marks.around(job, connector.dialect.table(job.frame.table))
            with ready(connector, connection, plan_kept(job, made.options.lowering), around) as query:
                connector.execute_all(connection, _making(connector.dialect, new, query, made))
        rows = check_made_keys(connector, connection, job, new, view is not None)
        made = dataclasses.replace(made, columns=list(types(connector, connection, new)))
        _put_in_place(catalogue, new, table, made, before)
    except BaseException:
        with suppress(StatementError, SourceError):  # report the first error; the next call settles the table
            settle(catalogue, table, clear=True, own=True)
        raise
    return rows


def _put_in_place(
    catalogue: Catalogue, new: TableName, table: TableName, made: TableDefinition, before: str | None
) -> None:
    """Record the new table and rename it. `before`: the kind of the old one, if there is one."""
    connector, first = catalogue.connector, list[str]()
    announces = connector.dialect.carries_marks and not connector.dialect.transactional
    if connector.dialect.transactional:
        first.append(recording(catalogue, table, made))
    elif announces:
        first.append(announcing(catalogue, table, made))
    else:
        write_record(catalogue, table, made, finished=False)
    left = connector.swap(catalogue.session, new, table, _noun(connector.dialect, made), before, first)
    if not first:
        write_record(catalogue, table, made)
    if left:
        settle(catalogue, table, clear=True, own=True)
    elif announces:
        settle_rows(catalogue, table, commit=True)


def _noun(dialect: Dialect, made: TableDefinition) -> str:
    """What statements call the kind of a table."""
    return "TABLE" if made.kind == "table" else dialect.view_noun


def _making(dialect: Dialect, new: TableName, query: str, made: TableDefinition) -> list[str]:
    """The statements that make a table of a query."""
    if made.partition_by is None:
        return dialect.making(new, query, made.mark)
    return dialect.making_partitions(new, query, made.mark, made.partition_by)


def _build_in_place(
    catalogue: Catalogue, table: TableName, made: TableDefinition, job: Job, before: str | None, view: _ViewKeeping
) -> MadeRows:
    """Make a view that cannot be renamed; what was there, of the kind `before`, is dropped first."""
    connector, connection = catalogue.connector, catalogue.session
    statement = view.statement(connector.dialect, table, view_script(job, made.options.lowering).query)
    write_record(catalogue, table, made, finished=False)
    if before is not None:
        connector.execute(connection, f"DROP {before} {connector.dialect.table(table)}")
    connector.execute_all(connection, connector.dialect.making_view(table, statement, made.mark))
    rows = check_made_keys(connector, connection, job, table, view=True)
    made = dataclasses.replace(made, columns=list(types(connector, connection, table)))
    write_record(catalogue, table, made)
    return rows


def _count(connector: Connector, connection: Any, table: TableName, job: Job) -> int:
    """The number of projected rows."""
    first = first_of_each(job)
    return int(connector.cells(connection, f"SELECT count(*) FROM {connector.dialect.table(table)}{first}")[0][0])
