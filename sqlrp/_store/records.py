"""Records in the catalogue of the tables that `materialize` made, and which of two records is valid.

A record is a row of kind 'materialized', named as the table relative to the catalogue (`Catalogue.key`). It has the
mark of the table: a table of that name without the mark is someone else's.

If the engine has no transactions for making tables, the record of a new table is first a row of kind 'materializing'.
One statement then renames the new table. Before it, that row is ignored. After it, the table under that name has the
mark of that row, which is its record. So the old table has the old record, and the new table the new one, even if the
process ends at any time. `settle` cleans up the rows afterwards.
"""

from __future__ import annotations

import dataclasses
import json
import secrets
from contextlib import suppress
from dataclasses import asdict, field
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from sqlrp._connectors.connector import UNSEEN, Connector
from sqlrp._core.errors import ParameterError, SourceError, nearest, shorten
from sqlrp._core.options import Dtype, Nulls, Options
from sqlrp._core.sources import Array, Long, Output, Source, TableName, Wide
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._dialects.table_queries import HELPER, MARK
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.job import Job
from sqlrp._projections.projection import Projection
from sqlrp._store import stored
from sqlrp._store.auxiliary_names import ENDS, temporary_name
from sqlrp._store.table import MAKING, RECORDED, Catalogue, Row
from sqlrp._store.table_checks import types

Kind = Literal["table", "view"]

_LAYOUTS: dict[str, type[Source]] = {"Wide": Wide, "Array": Array, "Long": Long}


@dataclass(frozen=True)
class TableDefinition:
    """The definition of a materialized table: its projection, its source and its options."""

    projection: Projection
    source: Source
    options: Options
    kind: Kind
    features: dict[str, str] = field(default_factory=dict)
    """the columns that were read, with their types"""
    size: int | None = None
    """the number of features"""
    columns: list[str] = field(default_factory=list)
    """the columns of the table; without types, which SQLite takes from the first row"""
    track: str | None = None
    """the column of the source that grows with every change, or "rows"; None if only new keys are found"""
    place: str | None = None
    """the name of the source in full, relative to the catalogue; None for a file, a dataframe or a temporary table"""
    mark: str = ""
    """the mark of the table; empty if the engine's tables carry none"""
    every: bool = False
    """whether the features were all columns of numbers that the source had"""
    partition_by: str | None = None
    """the kept column whose values are partitions of the table; None for a table without partitions"""

    def over(self, connector: Connector, connection: Any, frame: Frame) -> TableDefinition:
        """The same definition for the source as it is now."""
        found = types(connector, connection, frame.table)
        read = {name: found[name] for name in (*frame.kept, *frame.names)}
        return dataclasses.replace(self, features=read, size=frame.n_features)

    def job(self, dialect: Dialect, frame: Frame) -> Job:
        """The job that projects the source."""
        return Job.of(self.projection, frame, dialect, self.options)

    def to_json(self) -> str:
        """One line of JSON with a checksum, and with the time, so that two concurrent writers conflict."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        plain |= asdict(plain.pop("options"))
        plain["projection"] = json.loads(self.projection.to_json())
        plain["source"] = {"layout": type(self.source).__name__, **asdict(self.source)}
        for name, unsaid in _LATER.items():  # so a record without it is as those from before
            if plain[name] == unsaid:
                del plain[name]
        return stored.sealed(plain | {"written": datetime.now(UTC).isoformat()})

    @staticmethod
    def from_json(plain: dict[str, Any]) -> TableDefinition:
        """Read what `to_json` wrote; raises SourceError for anything else."""
        plain = _LATER | {name: value for name, value in plain.items() if name != "written"}
        stored.check_values(plain, _FITS)
        projection = stored.rebuilt(plain.pop("projection"))
        with stored.expecting("its source or its options"):
            given = dict(plain.pop("source"))
            source = _LAYOUTS[given.pop("layout")](**given)
            options = Options(**{f.name: plain.pop(f.name) for f in dataclasses.fields(Options)})
        return TableDefinition(projection, source, options, **plain)


_LATER: dict[str, Any] = {"every": False, "partition_by": None, "correct": False}
"""What was not in the first records, with what it was then."""

_FITS: stored.Fits = {
    "projection": lambda value: isinstance(value, dict),
    "source": lambda value: isinstance(value, dict) and stored.names_table(value.get("table")),
    "output": lambda value: value in get_args(Output),
    "scale": lambda value: isinstance(value, bool),
    "nulls": lambda value: value in get_args(Nulls),
    "lowering": lambda value: isinstance(value, str),
    "dtype": lambda value: value in get_args(Dtype),
    "correct": lambda value: isinstance(value, bool),
    "kind": lambda value: value in get_args(Kind),
    "features": lambda value: isinstance(value, dict) and all(isinstance(kind, str) for kind in value.values()),
    "size": lambda value: value is None or (type(value) is int and value >= 0),
    "columns": lambda value: isinstance(value, list) and all(isinstance(column, str) for column in value),
    "track": lambda value: value is None or (isinstance(value, str) and bool(value)),
    "place": lambda value: value is None or stored.names_table(value),
    "every": lambda value: isinstance(value, bool),
    "partition_by": lambda value: value is None or (isinstance(value, str) and bool(value)),
    "mark": lambda value: isinstance(value, str) and (not value or MARK.fullmatch(value) is not None),
}
"""Functions that check whether `to_json` can have written a value of a record."""


@dataclass(frozen=True)
class Record:
    """A row of the catalogue that records a table."""

    made: TableDefinition
    fingerprint: str
    wrong: str = ""
    """the error message if the row was changed since it was written; empty if not"""

    @staticmethod
    def of(row: Row) -> Record:
        """The record in a row. Raises SourceError if it cannot be read."""
        plain, whole = stored.unsealed(row.definition)
        made, wrong = TableDefinition.from_json(plain), ""
        now = stored.digest(json.dumps(plain["projection"], sort_keys=True))
        if row.fingerprint and row.fingerprint != now:
            wrong = (
                f"the projection of {row.name} was changed in the catalogue: its fingerprint is {now}, "
                f"{shorten(row.fingerprint, 40)} made the table; materialize with replace=True"
            )
        elif not whole:
            wrong = f"the record of {row.name} was changed in the catalogue: materialize with replace=True"
        return Record(made, str(row.fingerprint or ""), wrong)


# -- rows of the catalogue -------------------------------------------------------------------------------


def table_named(into: str) -> TableName:
    """The name of a table to make. Raises ParameterError for the name of a file."""
    table = TableName.parse(into)
    if table.is_file:
        raise ParameterError(f"into = {shorten(into)} is a file's name: name a table, in double quotes if need be")
    return table


def new_mark() -> str:
    """A mark of `MARK`, which no other object has."""
    return f"sqlrp_{secrets.token_hex(16)}"


def find_record(catalogue: Catalogue, place: TableName) -> Record | None:
    """The record of a table, locked for this transaction if the engine has row locks."""
    key = catalogue.key(place)
    row = catalogue.find(RECORDED, key, catalogue.connector.dialect.for_update)
    if row is None:
        return None
    try:
        return Record.of(row)
    except SourceError as error:
        raise SourceError(
            f"the record of {key} in the catalogue cannot be read: {error}; drop the table, and materialize it again"
        ) from error


def is_own(catalogue: Catalogue, place: TableName, mark: str) -> bool:
    """Whether the table of that name is the one that was made with the mark.

    A record without one is of an engine whose tables carry none. Elsewhere another program took the mark away, so that
    the table may be anyone's.
    """
    if not mark:
        return not catalogue.connector.dialect.carries_marks
    return mark in catalogue.connector.mark_of(catalogue.session, place)


def names_recorded(catalogue: Catalogue) -> list[str]:
    """The names of the recorded tables."""
    return [str(name) for name in catalogue.names(RECORDED)]


def dropped(table: TableName) -> SourceError:
    """The error for a table that is recorded and not there."""
    return SourceError(f"{table} is recorded but was dropped: make it again with sqlrp.materialize")


def is_replaced(catalogue: Catalogue, place: TableName, made: TableDefinition) -> bool:
    """Whether others replaced a table after the caller's transaction began, which still sees the record of the old one.

    Only a transaction that reads all as it was at its beginning sees an old record of a new table.
    """
    connector = catalogue.connector
    if connector.is_unseen(catalogue.session, place):
        return True
    now = recorded_as(catalogue, catalogue.key(place)) if connector.dialect.latest else None
    return isinstance(now, Record) and now.made.mark != made.mark and is_own(catalogue, place, now.made.mark)


def unseen(table: TableName) -> SourceError:
    """The error for a table that others replaced after the caller's transaction began."""
    return SourceError(f"{table} cannot be read: {UNSEEN}")


def not_made(catalogue: Catalogue, place: TableName, table: TableName) -> SourceError:
    """The error for a table that has no record. `table`: as it was named."""
    if catalogue.connector.is_unseen(catalogue.session, place):
        return unseen(table)
    known, at = names_recorded(catalogue), catalogue.place.parts
    made = f"{table} was not made by sqlrp.materialize{nearest(catalogue.key(place), known)}: "
    if len(place.parts) == len(at) and place.parts[:-2] != at[:-2]:
        other, dialect = place.parts[0], catalogue.connector.dialect
        return SourceError(
            f"{made}the records of the current database {at[0]} do not name it; if it is of {other}, "
            f"USE {dialect.quote(other)} first"
        )
    return SourceError(f"{made}made were {shorten(known) if known else 'none'}")


def write_record(catalogue: Catalogue, place: TableName, made: TableDefinition, finished: bool = True) -> None:
    """Record a table. The fingerprint is missing until a table that is made in several steps is finished."""
    fingerprint = made.projection.fingerprint if finished else ""
    catalogue.put(RECORDED, catalogue.key(place), made.to_json(), fingerprint)


def recording(catalogue: Catalogue, place: TableName, made: TableDefinition) -> str:
    """The statement that records a finished table."""
    return catalogue.putting(RECORDED, catalogue.key(place), made.to_json(), made.projection.fingerprint)


def announcing(catalogue: Catalogue, place: TableName, made: TableDefinition) -> str:
    """The statement that writes the record which becomes valid when the new table, which has its mark, is renamed."""
    return catalogue.putting(MAKING, catalogue.key(place), made.to_json(), made.projection.fingerprint)


def settle(catalogue: Catalogue, place: TableName, clear: bool, own: bool = False) -> None:
    """Clean up the rows of a table after it was made or interrupted. `clear` also drops the table left behind.

    The caller must hold the lock of the table. `clear` commits on MariaDB, so a later error cannot undo it. `own`: see
    `clear_way`.
    """
    if catalogue.connector.dialect.transactional:
        return
    if catalogue.connector.dialect.fills:
        _settle_filled(catalogue, place)
        return
    catalogue.restore(place)
    wrote = settle_rows(catalogue, place)
    dialect = catalogue.connector.dialect
    if clear and (clear_way(catalogue, place, own) or wrote) and dialect.committing_query:
        catalogue.connector.execute(catalogue.session, dialect.commits)


def settle_rows(catalogue: Catalogue, place: TableName, commit: bool = False) -> bool:
    """Record a table that was renamed, and forget that it was to be made. Whether anything was written.

    `commit`: the swap is committed on MariaDB, and so are the rows about it.
    """
    name, connector = catalogue.key(place), catalogue.connector
    row = catalogue.find(MAKING, name)
    if row is None:
        return False
    statements = [catalogue.deletion(MAKING, name)]
    if _holds(catalogue, row):
        statements.insert(0, catalogue.putting(RECORDED, name, str(row.definition), row.fingerprint))
    if commit and connector.dialect.committing_query:
        statements.append(connector.dialect.commits)
    connector.execute_all(catalogue.session, statements)
    return True


def _settle_filled(catalogue: Catalogue, place: TableName) -> None:
    """Drop what an interruption left of a table that was to be filled: it is announced, not recorded, and empty."""
    connector, session, name = catalogue.connector, catalogue.session, catalogue.key(place)
    row = catalogue.find(MAKING, name)
    if row is None:
        return
    left = [temporary_name(place)]
    if catalogue.find(RECORDED, name) is None:
        left.append(place)
    for table in left:
        if connector.exists(session, table):
            written = connector.dialect.table(table)
            view = table == place and _announces_view(row)
            if view or not int(connector.cells(session, f"SELECT count(*) FROM {written}")[0][0]):
                connector.execute(session, f"DROP {connector.dialect.view_noun if view else 'TABLE'} {written}")
    catalogue.delete(MAKING, name)


def _announces_view(row: Row) -> bool:
    """Whether it was a view that was to be made. A view may have rows: those of its source."""
    with suppress(SourceError):
        return Record.of(row).made.kind == "view"
    return False


def clear_way(catalogue: Catalogue, place: TableName, own: bool = False) -> bool:
    """Drop the tables that an interruption left under the names for making a table; whether there was one.

    `own`: the way was clear before this call, so that this call made what is in it, even if no table carries a mark.
    Raises SourceError for a table without a mark of sqlrp, which is someone else's.
    """
    connector, new, found = catalogue.connector, temporary_name(place), False
    for name in (new, *(TableName((*new.parts[:-1], f"{new.parts[-1]}{end}")) for end in ENDS)):
        if check_way(catalogue, name, place, own):
            noun = connector.noun_of(catalogue.session, name)
            connector.execute(catalogue.session, f"DROP {noun} {connector.dialect.table(name)}")
            found = True
    return found


def check_way(catalogue: Catalogue, name: TableName, place: TableName, own: bool = False) -> bool:
    """Whether an interruption left a table of that name. `own`: see `clear_way`, which raises the same error."""
    connector = catalogue.connector
    if not connector.exists(catalogue.session, name):
        return False
    if not (own and not connector.dialect.carries_marks) and not is_left_over(catalogue, name):
        raise SourceError(
            f"{name} is in the way of making {place}, and has no mark of sqlrp: rename it, or drop it if an "
            "interruption left it"
        )
    return True


def is_left_over(catalogue: Catalogue, name: TableName) -> bool:
    """Whether a table with the name of an intermediate one is marked as one of sqlrp's, and no record has it."""
    connector = catalogue.connector
    if not (connector.dialect.carries_marks or connector.dialect.fills):
        return False
    text = connector.mark_of(catalogue.session, name)
    ours = text == HELPER or MARK.search(text) is not None
    return ours and catalogue.key(name) not in names_recorded(catalogue)


def unsettled(catalogue: Catalogue) -> list[str]:
    """The names of the tables whose making was interrupted, or is under way."""
    if catalogue.connector.dialect.transactional:
        return []
    return [str(name) for name in catalogue.names(MAKING)]


def is_unsettled(catalogue: Catalogue, name: str) -> bool:
    """Whether the making of a table was interrupted; nobody may be making it."""
    return catalogue.find(MAKING, name, catalogue.connector.dialect.latest) is not None


def recorded(catalogue: Catalogue) -> dict[str, Record | SourceError]:
    """All records by the name of the table, with an error for a record that cannot be read or was changed."""
    kept = {str(row.name): row for row in catalogue.rows(RECORDED)}
    for row in [] if catalogue.connector.dialect.transactional else catalogue.rows(MAKING):
        if _holds(catalogue, row):
            kept[str(row.name)] = row
    return {name: _read(catalogue, row) for name, row in sorted(kept.items())}


def recorded_as(catalogue: Catalogue, name: str) -> Record | SourceError | None:
    """The record of one table, as `recorded` says it; None if there is none."""
    row = valid_row(catalogue, name, latest=True)
    return None if row is None else _read(catalogue, row)


def valid_row(catalogue: Catalogue, name: str, latest: bool = False) -> Row | None:
    """The row that is the record of a table.

    `latest`: with what others committed after this transaction began. The lock of the table must be held.
    """
    dialect = catalogue.connector.dialect
    lock = dialect.latest if latest else ""
    if not dialect.transactional:
        row = catalogue.find(MAKING, name, lock)
        if row is not None and _holds(catalogue, row):
            return row
    return catalogue.find(RECORDED, name, lock)


def _read(catalogue: Catalogue, row: Row) -> Record | SourceError:
    """The record in a row; the error if it cannot be read, was changed, or names a table as none here can be named."""
    try:
        catalogue.place_of(str(row.name))
        record = Record.of(row)
        if record.made.place is not None:
            catalogue.place_of(record.made.place)
    except SourceError as error:
        return error
    return SourceError(record.wrong) if record.wrong else record


def _holds(catalogue: Catalogue, row: Row) -> bool:
    """Whether a record of kind 'materializing' is valid: the table under its name has its mark."""
    if catalogue.connector.dialect.fills:
        return False
    try:
        mark = Record.of(row).made.mark
        place = catalogue.place_of(str(row.name))
    except SourceError:
        return False
    return bool(mark) and is_own(catalogue, place, mark)
