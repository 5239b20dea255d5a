"""Records in the catalogue of the tables that `materialize` made, and which of two records is valid.

A record is a row of kind 'materialized'. If the engine has no transactions for making tables, the record of a new table
is first a row of kind 'materializing', and the new table carries the checksum of that record as a mark. One statement
then renames the new table. Before it, the row of kind 'materializing' is ignored. After it, the table under that name
has the mark, and the row is its record. So the old table has the old record, and the new table the new one, even if
the process ends at any time. `settle` cleans up the rows afterwards.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from sqlrp.connectors.base import Connector
from sqlrp.core.errors import ParameterError, SourceError, shorten
from sqlrp.core.options import Dtype, Nulls, Options
from sqlrp.core.sources import Array, Long, Output, Source, TableName, Wide
from sqlrp.dialects.base import Dialect
from sqlrp.lowering.frame import Frame
from sqlrp.lowering.job import Job
from sqlrp.projections.base import Projection
from sqlrp.store import stored
from sqlrp.store.catalogue import CATALOGUE, Row, at, find, format_of, is_there, names, put, rows
from sqlrp.store.keeping import types

Kind = Literal["table", "view"]

_LAYOUTS: dict[str, type[Source]] = {"Wide": Wide, "Array": Array, "Long": Long}
_MADE, _MAKING = "materialized", "materializing"


@dataclass(frozen=True)
class Made:
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

    def over(self, connector: Connector, connection: Any, frame: Frame) -> Made:
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
        plain = {name: value for name, value in plain.items() if name not in _LATER or value != _LATER[name]}
        plain["projection"] = json.loads(self.projection.to_json())
        plain["source"] = {"layout": type(self.source).__name__, **asdict(self.source)}
        return stored.sealed(plain | {"written": datetime.now(UTC).isoformat()})

    @staticmethod
    def from_json(plain: dict[str, Any], written: int) -> Made:
        """Read what `to_json` wrote in a catalogue of format `written`; raises SourceError for anything else."""
        plain = _LATER | {name: value for name, value in plain.items() if name != "written"}
        missing = _WRITTEN ^ plain.keys()
        if missing:
            raise SourceError(f"it lacks, or has besides, {', '.join(sorted(missing))}")
        projection = stored.rebuilt(plain.pop("projection"), written)
        with stored.expecting("its source"):
            given = dict(plain.pop("source"))
            source = _LAYOUTS[given.pop("layout")](**given)
        for name, fits in _FITS.items():
            if not fits(plain[name]):
                raise SourceError(f"its {name} is {shorten(plain[name])}")
        options = Options(**{f.name: plain.pop(f.name) for f in dataclasses.fields(Options)})
        return Made(projection, source, options, **plain)


_LATER: dict[str, Any] = {"dtype": "auto", "track": None}
"""The values that records of earlier releases lack, with what they mean there. Only other values are written."""

_WRITTEN = {f.name for kind in (Made, Options) for f in dataclasses.fields(kind)} - {"options"}
"""The names of the values that `to_json` writes, except for the time."""


_FITS: dict[str, Callable[[Any], bool]] = {
    "output": lambda value: value in get_args(Output),
    "scale": lambda value: isinstance(value, bool),
    "nulls": lambda value: value in get_args(Nulls),
    "lowering": lambda value: isinstance(value, str),
    "dtype": lambda value: value in get_args(Dtype),
    "kind": lambda value: value in get_args(Kind),
    "features": lambda value: isinstance(value, dict) and all(isinstance(kind, str) for kind in value.values()),
    "size": lambda value: value is None or (isinstance(value, int) and value >= 0),
    "columns": lambda value: isinstance(value, list) and all(isinstance(column, str) for column in value),
    "track": lambda value: value is None or (isinstance(value, str) and bool(value)),
}
"""Functions that check whether `to_json` can have written a value of a record."""


@dataclass(frozen=True)
class Record:
    """A row of the catalogue that records a table."""

    made: Made
    fingerprint: str
    wrong: str = ""
    """the error message if the row was changed since it was written; empty if not"""

    @staticmethod
    def of(row: Row, written: int) -> Record:
        """The record in a row. Raises SourceError if it cannot be read."""
        plain, whole = stored.unsealed(row.definition, written)
        made, wrong = Made.from_json(plain, written), ""
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


def name_of(table: TableName) -> str:
    """The name of a table in the catalogue: as written in SQL, quoted only if necessary."""
    return ".".join(table.parts) if all(re.fullmatch(r"\w+", part) for part in table.parts) else str(table)


def find_record(connector: Connector, connection: Any, table: TableName) -> Record | None:
    """The record of a table, locked for this transaction if the engine has row locks."""
    written = format_of(connector, connection)
    row = None if written is None else find(connector, connection, _MADE, name_of(table), connector.dialect.for_update)
    if row is None:
        return None
    try:
        return Record.of(row, written or 0)
    except SourceError as error:
        raise SourceError(
            f"the record of {table} in the catalogue cannot be read: {error}; drop the table, and materialize it again"
        ) from error


def names_recorded(connector: Connector, connection: Any) -> list[str]:
    """The names of the recorded tables."""
    if format_of(connector, connection) is None:
        return []
    return [str(name) for name in names(connector, connection, _MADE)]


def write_record(connector: Connector, connection: Any, table: TableName, made: Made, finished: bool = True) -> None:
    """Record a table. The fingerprint is missing if an older release left it unfinished."""
    put(connector, connection, _MADE, name_of(table), made.to_json(), made.projection.fingerprint if finished else "")


def announce(connector: Connector, connection: Any, table: TableName, new: TableName, made: Made) -> None:
    """Write the record that becomes valid when the table `new` is renamed to `table`."""
    definition = made.to_json()
    connector.mark(connection, new, _mark(definition))
    put(connector, connection, _MAKING, name_of(table), definition, made.projection.fingerprint)


def settle(connector: Connector, connection: Any, table: TableName, clear: bool) -> None:
    """Clean up the rows of a table after it was made or interrupted. `clear` also drops the table left behind.

    The caller must hold the lock of the table. `clear` commits on MariaDB, so a later error cannot undo it.
    """
    if connector.dialect.transactional:
        return
    name = name_of(table)
    row = find(connector, connection, _MAKING, name) if is_there(connector, connection) else None
    if row is not None:
        if _holds(connector, connection, row):
            put(connector, connection, _MADE, name, str(row.definition), row.fingerprint)
        connector.execute(connection, f"DELETE FROM {CATALOGUE} WHERE {at(connector, _MAKING, name)}")
    if clear:
        connector.execute(connection, f"DROP TABLE IF EXISTS {connector.dialect.table(temporary_name(table))}")


def unsettled(connector: Connector, connection: Any) -> list[str]:
    """The names of the tables whose making was interrupted."""
    return [] if connector.dialect.transactional else [str(name) for name in names(connector, connection, _MAKING)]


def temporary_name(table: TableName) -> TableName:
    """The name of a new table until it is renamed, then of the old table until it is dropped."""
    return TableName((*table.parts[:-1], hashed("new", table)))


def hashed(what: str, table: TableName) -> str:
    """The name of an auxiliary object for making a table."""
    return f"sqlrp_{what}_{hashlib.sha256(str(table).encode()).hexdigest()[:12]}"


def recorded(connector: Connector, connection: Any) -> dict[str, Record | SourceError]:
    """All records by the name of the table, with an error for a record that cannot be read or was changed."""
    written = format_of(connector, connection)
    if written is None:
        return {}
    kept = {str(row.name): row for row in rows(connector, connection, _MADE)}
    for row in [] if connector.dialect.transactional else rows(connector, connection, _MAKING):
        if _holds(connector, connection, row):
            kept[str(row.name)] = row
    found: dict[str, Record | SourceError] = {}
    for name, row in sorted(kept.items()):
        try:
            record = Record.of(row, written)
            found[name] = SourceError(record.wrong) if record.wrong else record
        except SourceError as error:
            found[name] = error
    return found


def _holds(connector: Connector, connection: Any, row: Row) -> bool:
    """Whether a record of kind 'materializing' is valid: the table under its name has its mark."""
    mark = _mark(row.definition)
    return bool(mark) and connector.mark_of(connection, TableName.parse(str(row.name))) == mark


def _mark(definition: object) -> str:
    """The mark of a table, from its record; empty if the record is invalid."""
    checksum = stored.checksum(definition)
    return f"sqlrp {checksum}" if checksum else ""
