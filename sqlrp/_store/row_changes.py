"""How `refresh` finds the rows of a source that are new, changed or gone, and puts a kept table in line with them.

A tracked table has a mark for each row: the value of a column that grows with every change, or a fingerprint of all
columns that were read. A row is current if the source has a row with its key and its mark. Marks are columns of the
table itself. So a table and its marks are always written, renamed and dropped together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import Any

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import ParameterError, SourceError, StatementError, nearest, shorten
from sqlrp._core.names import Folding, Names, folded, spelled
from sqlrp._core.numbers import WHOLE
from sqlrp._core.script import Setup
from sqlrp._core.sources import Array, Source, TableName, Wide
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Column, ColumnType, Dialect
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import plan_kept
from sqlrp._run.execution import ready
from sqlrp._store.auxiliary_names import hashed, temporary_name
from sqlrp._store.records import check_way, clear_way, new_mark, settle
from sqlrp._store.removals import check_removals
from sqlrp._store.table import MAKING, RECORDED, Catalogue
from sqlrp._store.table_checks import check_new_keys, check_source_keys, count_source_rows, first_of_each, repeats

ROWS = "rows"
"""The value of `track` that stands for fingerprints."""
FINGERPRINT, COUNTED = "sqlrp_fingerprint", "sqlrp_rows"
"""The columns of the fingerprint of a row, and of the number of sparse rows with its key."""


class Refreshed(int):
    """The number of rows that `refresh` projected: an int that also says what changed.

    `added`: rows with a new key. `changed`: rows that were projected again, as they changed in the source. `removed`:
    rows whose key the source no longer has. `int(result)` is added + changed. With everything=True and for a
    materialized view, which are not compared with their source, all rows count as added; with everything=True, removed
    is by how many rows the table got smaller.

        >>> sqlrp.Refreshed(added=3, changed=1) + 1
        5
    """

    added: int
    changed: int
    removed: int

    def __new__(cls, added: int, changed: int = 0, removed: int = 0) -> Refreshed:
        """The three counts."""
        self = super().__new__(cls, added + changed)
        self.added, self.changed, self.removed = added, changed, removed
        return self

    def __getnewargs__(self) -> tuple[int, int, int]:  # type: ignore[override]
        """The arguments for a copy or a pickle."""
        return self.added, self.changed, self.removed

    def __repr__(self) -> str:
        """The three counts by name."""
        return f"Refreshed(added={self.added}, changed={self.changed}, removed={self.removed})"

    def __str__(self) -> str:
        """The number that `int` gives."""
        return int.__repr__(self)


@dataclass(frozen=True)
class Marks:
    """The columns that say whether a row is current: their names, and their expressions over the source."""

    columns: dict[str, str]
    """the expressions by name"""
    grouped: bool
    """whether the expressions are aggregates of the rows with one key"""
    computed: Column | None = None
    """the mark that is a kept column and that the source does not have"""
    read: str | None = None
    """the column of the source that nothing but the marks reads"""

    def of_source(self, dialect: Dialect, key: str, source: str) -> str:
        """The query of the keys of a source with their marks."""
        named = ", ".join(f"{expression} AS {dialect.quote(name)}" for name, expression in self.columns.items())
        return f"SELECT {key}, {named} FROM {source}{f' GROUP BY {key}' if self.grouped else ''}"

    def kept(self, frame: Frame) -> Frame:
        """The frame with the computed mark as a kept column."""
        if self.computed is None:
            return frame
        name = self.computed.name
        return replace(
            frame,
            keep=(*frame.keep, name),
            computed=((name, self.columns[name]),),
            passing=(*frame.passing, self.computed) if frame.passing else (),
        )

    def around(self, job: Job, source: str) -> Callable[[str], str]:
        """What writes the query that gives the projected rows of sparse rows their marks."""
        if not self.grouped:
            return str
        dialect = job.dialect
        key = dialect.quote(job.frame.key or "")
        columns = [f"made.{key} AS {key}"]
        columns += [f"marks.{name} AS {name}" for name in map(dialect.quote, self.columns)]
        columns += [f"made.{name} AS {name}" for name in map(dialect.quote, job.output_names)]
        marks = self.of_source(dialect, key, source)
        return lambda query: (
            f"SELECT {', '.join(columns)} FROM ({query}) made JOIN ({marks}) marks ON marks.{key} = made.{key}"
        )


def check_track(track: object) -> None:
    """Raise ParameterError unless `track` is None, "rows" or the name of a column."""
    if track is not None and (not isinstance(track, str) or not track):
        raise ParameterError(f"track = {shorten(track)} must be a column's name, or 'rows' for fingerprints")


def tracked(
    source: Source, track: str | None, columns: Sequence[Column], folding: Folding
) -> tuple[Source, str | None]:
    """The source with its tracked column in `keep`, and `track` as the table spells it.

    Raises SourceError if the table has no such column, ParameterError if the column is the key.
    """
    if track is None or track == ROWS:
        return source, track
    remedy = "name a column that grows with every change of a row, or 'rows' for fingerprints"
    name = column_of(source, track, columns, folding, "track", remedy)
    if source.key is not None and folded(name, folding) == folded(source.key, folding):
        raise ParameterError(f"track = {track!r} is the key, which never changes: name another column, or 'rows'")
    return with_kept(source, name) if isinstance(source, (Wide, Array)) else source, name


def column_of(
    source: Source, asked: str, columns: Sequence[Column], folding: Folding, parameter: str, remedy: str
) -> str:
    """The column that a parameter names, as the table spells it. Raises SourceError if the table has none."""
    names = [column.name for column in columns]
    found = Names(names, folding).find(asked)
    if found is None:
        raise SourceError(f"{parameter} = {asked!r} is no column of {source.table}{nearest(asked, names)}: {remedy}")
    return found


def with_kept(source: Wide | Array, column: str) -> Wide | Array:
    """The source with a column in `keep`."""
    return source if column in source.keep else replace(source, keep=(*source.keep, column))


def marks_of(connector: Connector, connection: Any, job: Job, track: str | None) -> Marks | None:
    """The marks of the rows of a job; None for a table that is not tracked.

    Raises ParameterError for rows that cannot be known again, SourceError for a name that is taken or a version that is
    NULL, UnsupportedError if the engine has no hash.
    """
    if track is None:
        return None
    columns = connector.columns(connection, job.frame.table)
    marks = marks_written(job, track, {column.name: column.type for column in columns if column.type.is_text})
    if track != ROWS:
        _check_versions(connector, connection, job.frame, track)
    elif connector.dialect.row_hash_function:
        function = (_row_hash, ["VARCHAR"], "BIGINT")
        connector.add_functions(connection, {connector.dialect.row_hash_function: function})
    return marks


def marks_written(job: Job, track: str, texts: Mapping[str, ColumnType] | None = None) -> Marks:
    """The marks of the rows of a job, for text that is written without a connection. Raises as `marks_of` does.

    `texts`: the columns of the source that are known to be text.
    """
    dialect, frame = job.dialect, job.frame
    if frame.key is None or job.grouped:
        why = "it sums groups" if job.grouped else f"{frame.table} has no key"
        raise ParameterError(f"track = {track!r} needs one row for each key, and {why}: leave track out")
    grouped = repeats(job)
    if track != ROWS:
        quoted = dialect.quote(track)
        if not grouped:
            return Marks({track: quoted}, grouped)
        marks = Marks({track: f"max({quoted})", COUNTED: "count(*)"}, grouped, read=track)
        return _free(job, marks, {track, COUNTED})
    mark = dialect.row_hash(_columns(frame, texts or {}))
    mark = dialect.sum_of_hashes(mark) if grouped else mark
    whole = Column(FINGERPRINT, ColumnType("BIGINT", WHOLE), nullable=False)
    return _free(job, Marks({FINGERPRINT: mark}, grouped, computed=None if grouped else whole), {FINGERPRINT})


def _columns(frame: Frame, texts: Mapping[str, ColumnType]) -> list[Column]:
    """The columns that a fingerprint depends on: those that are kept, without the key, and those of the features."""
    kept = {column.name: column for column in frame.passing}
    unknown = ColumnType("")
    columns = [kept.get(name, Column(name, texts.get(name, unknown))) for name in frame.keep]
    if frame.layout == "wide":
        kinds = [ColumnType("", number) for number in frame.numbers]
    else:  # arrays, or the feature and the value of sparse rows
        array = ColumnType("", frame.number, is_array=True)
        kinds = [array] * len(frame.parts) or [texts.get(frame.names[0], unknown), ColumnType("", frame.number)]
    return columns + [Column(name, kind) for name, kind in zip(frame.names, kinds, strict=True)]


def _free(job: Job, marks: Marks, added: set[str]) -> Marks:
    """The marks. Raises SourceError if a column of the result has the name of one."""
    taken = {spelled(name): name for name in (*job.frame.kept, *job.frame.names, *job.output_names)}
    wrong = next((taken[spelled(name)] for name in sorted(added) if spelled(name) in taken), None)
    if wrong is not None:
        raise SourceError(
            f"column {wrong!r} of {job.frame.table} or of the result has the name of a mark, which is a column of the "
            "table: rename it"
        )
    return marks


def _check_versions(connector: Connector, connection: Any, frame: Frame, track: str) -> None:
    """Raise SourceError for a version that is NULL, as its changes would go unseen."""
    quoted, table = connector.dialect.quote(track), connector.dialect.table(frame.table)
    query = f"SELECT count(*) FROM {table} WHERE {quoted} IS NULL"
    nulls = connector.fetch(connection, query).column(0).to_pylist()[0]
    if nulls:
        raise SourceError(
            f"track: column {track!r} of {frame.table} is NULL in {nulls} rows: give every row a value, or track 'rows'"
        )


def _row_hash(text: str) -> int:
    """The first 60 bits of md5."""
    return int(hashlib.md5(text.encode(errors="surrogatepass"), usedforsecurity=False).hexdigest()[:15], 16)


# -- refreshing ------------------------------------------------------------------------------------------


def follow(
    catalogue: Catalogue,
    table: TableName,
    job: Job,
    marks: Marks | None,
    lowering: str,
    remove: bool,
    removals: float | None,
    before: Callable[[], None] | None = None,
) -> Refreshed:
    """Project the rows that are new or changed, in the place of old ones. `remove`: remove rows that are gone.

    `before`: what is to be done before the table changes, if it does.

    Without marks only new rows are found. The rows are first copied to a temporary table, so that every row is added
    with the mark of the values that were projected, although others may change the source meanwhile. The source is read
    once, and joined with the keys and marks of the table; its keys are read once more for the rows that are gone.
    """
    connector, connection = catalogue.connector, catalogue.session
    dialect, frame = connector.dialect, job.frame
    key, source, target = dialect.quote(frame.key or ""), dialect.table(frame.table), dialect.table(table)
    first = first_of_each(job)
    compared = () if marks is None else marks.columns
    texts = {*map(dialect.quote, connector.collated(connection, frame.table, [frame.key or "", *compared]))}
    same = dialect.compared(key, texts)
    kinds = {column.name: column.type.text for column in connector.columns(connection, frame.table)}
    also = () if marks is None or marks.read is None else (marks.read,)
    seen = marks is not None and remove
    if not seen or repeats(job):
        check_source_keys(connector, connection, job)
    with ExitStack() as stack:

        def copied(what: str, query: str, later: bool = False) -> tuple[TableName, str, list[Setup]]:
            """Make a temporary table of a query; its name and its text, and what makes it `later` if it can."""
            if dialect.copies_rows:
                place = TableName((*table.parts[:-1], hashed(what, table)))
                listed = [frame.key or "", *(() if what == "gone" else (*frame.keep, *frame.names, *also))]
                stack.enter_context(
                    _scratch(catalogue, place, table, query, {column: kinds[column] for column in listed})
                )
                return place, dialect.table(place), []
            name = dialect.temporary_name(hashed(what, table))
            made = dialect.temporary_table(dialect.quote(name), query, numbered=False)
            stack.enter_context(connector.set_up(connection, [made], later))
            return TableName((name,)), dialect.quote(name), [made] if later else []

        there = count_source_rows(connector, connection, job) if seen else 0
        gone, removed = "", 0
        if seen:
            _, gone, _ = copied("gone", dialect.missing(f"{target}{first}", key, source, texts))
            removed = _number(connector, connection, f"count(DISTINCT {same})", gone)
            if removed:
                held = _number(connector, connection, "count(*)", f"{target}{first}")
                check_removals(table, str(frame.table), removed, held, removals)
        of_rows = _new(dialect, frame, marks, texts, source, f"{target}{first}")
        name, own, steps = copied("rows", of_rows, later=True)
        new = check_new_keys(connector, connection, job, own, steps)
        projected = _number(connector, connection, f"count(DISTINCT {same})", own) if repeats(job) else new
        known = f"{target}{first} {'AND' if first else 'WHERE'} {same} IN (SELECT {same} FROM {own})"
        changed = _number(connector, connection, "count(*)", known) if marks is not None and projected else 0
        if seen and not repeats(job):
            held = _number(connector, connection, "count(*)", f"{target}{first}")
            if there != held - removed + projected - changed:  # or others are changing the source
                check_source_keys(connector, connection, job)
        if not (projected or removed):
            return Refreshed(0)
        if before is not None:
            before()
        # Use the source's number types, as those of a temporary table may be less exact.
        counted = replace(frame, table=name, computed=(), temporary=True).counted(connector.count(connection, name))
        of_new = replace(job, frame=counted)
        around = str if marks is None else marks.around(of_new, own)
        query = stack.enter_context(ready(connector, connection, plan_kept(of_new, lowering), around))
        away = [*([gone] if removed else []), *([own] if changed else [])]
        _put(catalogue, table, job, marks, query, away, texts)
        return Refreshed(projected - changed, changed, removed)


def _put(
    catalogue: Catalogue,
    table: TableName,
    job: Job,
    marks: Marks | None,
    query: str,
    away: Sequence[str],
    texts: Collection[str],
) -> None:
    """Add the rows of a query to the table, in the place of rows whose keys are in the tables `away`."""
    connector, connection, dialect = catalogue.connector, catalogue.session, job.dialect
    if away:
        names = _kept_columns(job, marks)
        if dialect.records_in_tables:
            _rewrite(catalogue, table, dialect.rewriting(table, names, away, query))
            return
        adding = dialect.replacing(table, names, away, query, temporary_name(table), texts)
    else:
        adding = dialect.adding(dialect.table(table), query, dialect.table(temporary_name(table)))
    if any(step.drop for step in adding.steps):
        clear_way(catalogue, table)
    with connector.set_up(connection, adding.steps):
        connector.execute(connection, adding.query)
    if dialect.records_in_tables:
        _make_single(catalogue, table, job, marks)


def _make_single(catalogue: Catalogue, table: TableName, job: Job, marks: Marks | None) -> None:
    """Leave each row of a table once: another process may have added the same rows meanwhile, as nothing locks it."""
    dialect, target = job.dialect, job.dialect.table(table)
    key, first = dialect.quote(job.frame.key or ""), first_of_each(job)
    counted = f"SELECT count(*), count(DISTINCT {key}) FROM {target}{first}"
    ((rows, keys),) = catalogue.connector.rows(catalogue.session, counted)
    if rows == keys:
        return
    columns = ", ".join(_kept_columns(job, marks))
    by = f"{key}, {dialect.quote('component')}" if job.output == "long" else key
    ranked = f"SELECT {columns}, row_number() OVER (PARTITION BY {by} ORDER BY {key} ASC) AS sqlrp_rank FROM {target}"
    _rewrite(catalogue, table, f"SELECT {columns} FROM ({ranked}) ranked WHERE sqlrp_rank = 1")


def _kept_columns(job: Job, marks: Marks | None) -> list[str]:
    """The columns of a kept table."""
    also = marks.columns if marks is not None and marks.grouped else ()
    return [*map(job.dialect.quote, [*job.frame.kept, *also, *job.output_names])]


def _rewrite(catalogue: Catalogue, table: TableName, query: str) -> None:
    """Write a table again, with the rows of a query and its own record, and rename it in place of the old one."""
    connector, session, key = catalogue.connector, catalogue.session, catalogue.key(table)
    row, new = catalogue.find(RECORDED, key), temporary_name(table)
    assert row is not None, "a table that is refreshed has a record"
    clear_way(catalogue, table)
    try:
        connector.execute_all(session, connector.dialect.making(new, query, connector.mark_of(session, table)))
        announced = catalogue.putting(MAKING, key, str(row.definition), row.fingerprint)
        connector.swap(session, new, table, "TABLE", "TABLE", [announced])
        settle(catalogue, table, clear=True, own=True)
    except BaseException:
        with suppress(StatementError, SourceError):  # report the first error; the next call settles the table
            settle(catalogue, table, clear=True, own=True)
        raise


def _new(dialect: Dialect, frame: Frame, marks: Marks | None, texts: Collection[str], source: str, held: str) -> str:
    """The query of the rows whose key, or whose mark, the table does not have, with a mark that is to be kept."""
    key = dialect.quote(frame.key or "")
    columns = [*map(dialect.quote, (*frame.kept, *frame.names))]
    rows = f"(SELECT {', '.join([*frame.selected(dialect), *map(dialect.quote, frame.names)])} FROM {source}) asked"
    if marks is None:
        return dialect.unlike(columns, rows, key, (), held, texts)
    names = [*map(dialect.quote, marks.columns)]
    if not marks.grouped:
        return dialect.unlike(columns, rows, key, names, held, texts)
    columns += [dialect.quote(marks.read)] if marks.read else []
    grouped = f"({marks.of_source(dialect, key, source)}) asked"
    missing = dialect.unlike([key], grouped, key, names, held, texts)
    same = dialect.compared(key, texts)
    listed = f"SELECT {same} FROM ({missing}) missing" if key in texts else missing
    return f"SELECT {', '.join(columns)} FROM {source} WHERE {same} IN ({listed})"


def _number(connector: Connector, connection: Any, what: str, where: str) -> int:
    return int(connector.cells(connection, f"SELECT {what} FROM {where}")[0][0])


@contextmanager
def _scratch(
    catalogue: Catalogue, name: TableName, table: TableName, query: str, columns: Mapping[str, str]
) -> Iterator[None]:
    """A table of the rows of a query for a kept table, where no transaction makes a temporary one; it is dropped then.

    `columns`: the types of its columns. What makes or drops it commits, so it is made before the kept table changes. At
    the end that change is committed, or taken back after an error, and then the table goes.
    """
    connector, session, dialect = catalogue.connector, catalogue.session, catalogue.connector.dialect
    drop = f"DROP TABLE {dialect.table(name)}"
    if check_way(catalogue, name, table):
        connector.execute(session, drop)
    try:
        connector.execute(session, dialect.making_empty(name, columns))
        connector.put_mark(session, name, new_mark(), dialect.quote(next(iter(columns))))
        connector.execute(session, f"INSERT INTO {dialect.table(name)} {query}")
        yield
        connector.committed(session)
        connector.execute(session, drop)
    except BaseException:
        with suppress(StatementError, SourceError):  # report the first error
            connector.rolled_back(session)
            if connector.exists(session, name):
                connector.execute(session, drop)
        raise


__all__ = ["FINGERPRINT", "ROWS", "Marks", "Refreshed", "check_track", "follow", "marks_of", "marks_written", "tracked"]
