"""Projected rows kept as a table in their database: made once, recorded in the catalogue, brought up to date."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from sqlrp.api import prepared
from sqlrp.catalogue import CATALOGUE, create_catalogue, keeper
from sqlrp.engines.base import Engine
from sqlrp.errors import LimitError, ParameterError, SourceError, StatementError, UnsupportedError, nearest, shorten
from sqlrp.frame import Frame, look, refuse
from sqlrp.layouts import Array, Long, Output, Source, Standardized, TableName, Wide, as_source
from sqlrp.lower.job import Job, Nulls
from sqlrp.lower.planner import plan
from sqlrp.lower.script import Script
from sqlrp.preparing import plain
from sqlrp.projections import from_json, method_of
from sqlrp.projections.base import Projection, checked

Kind = Literal["table", "view"]

_CATALOGUE = TableName((CATALOGUE,))
_NOUNS: dict[Kind, str] = {"table": "TABLE", "view": "MATERIALIZED VIEW"}
_LAYOUTS: dict[str, type[Source]] = {"Wide": Wide, "Array": Array, "Long": Long}
_NAMED = 3  # keys that an error names


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
    whole, loses its indexes and rights, and on PostgreSQL cannot be while a view reads it.

    The statistics of a `Standardized` source are computed once and recorded: every later row is prepared by them.
    A transaction that is open on the connection is taken part in, and is the caller's to commit; MariaDB cannot, as
    making a table commits. Otherwise the table is committed.
    Raises SourceError for a key that is NULL or comes twice, ParameterError for a name that is taken or a projection
    that is not registered;
    UnsupportedError on Spark, where `sqlrp.project(…).write.saveAsTable(into)` makes the table.
    """
    projection = checked(projection)
    if kind not in get_args(Kind):
        raise ParameterError(f"kind = {kind!r} must be one of {', '.join(get_args(Kind))}")
    _ = method_of(projection)
    table, engine = _table(into), keeper(connection)
    refuse(as_source(source.source if isinstance(source, Standardized) else source), engine)
    if kind == "view" and not engine.has_materialized_views:
        raise UnsupportedError(f"{engine.name} has no materialized views: leave kind out, for a table")
    with engine.transaction(connection, _name(table), makes=True) as session:
        projection, source = plain(projection, source, session)
        source = as_source(source)
        if not engine.exists(session, _CATALOGUE):
            engine.execute(session, create_catalogue(engine))
        old = _recorded(engine, session, table)
        there = engine.exists(session, table)
        if there:
            _check_place(engine, session, table, old, projection, replace)
        frame = look(engine, session, source)
        if isinstance(source, Wide):
            source = dataclasses.replace(source, features=frame.names)
        made = _Made(projection, source, output, scale, nulls, lowering, kind)
        made = made.over(engine, session, frame)
        job = made.job(engine, frame)
        _check_keys(engine, session, job)
        return _build(engine, session, table, made, job, old.made.kind if old and there else None)


def refresh(connection: Any, into: str, *, everything: bool = False) -> int:
    """Bring what `materialize` made up to date; returns how many rows came in.

    The rows of the source whose key is not there yet are projected and added, by one statement; a row that changed
    or went keeps what it had. `everything` True projects all rows anew, and puts the new table in the place of the
    old one at once. A source without a key, and groups, know `everything` only; a materialized view nothing else.
    Whatever fails, the table stays as it was; of two refreshes at once one waits or fails, and no row comes twice.

    Raises SourceError where the source no longer has the features or the types that were projected, where a key is
    NULL or comes twice, and where the projection or the table is not the one that was recorded.
    """
    table, engine = _table(into), keeper(connection)
    with engine.transaction(connection, _name(table), makes=everything) as session:
        record = _recorded(engine, session, table)
        if record is None:
            known = _names(engine, session)
            raise SourceError(
                f"{table} was not made by sqlrp.materialize{nearest(_name(table), known)}: "
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
        try:
            _write(engine, session, table, made)
        except StatementError as error:
            raise StatementError(error.sql, f"{table} is being refreshed elsewhere: try again; {error}") from error
        if made.kind == "view":
            _check_keys(engine, session, job)
            engine.execute(session, engine.refreshing(session, table))
            return _count(engine, session, table, job)
        if everything:
            _check_keys(engine, session, job)
            return _build(engine, session, table, made, job, made.kind)
        return _add(engine, session, table, job, made.lowering)


def materialized(connection: Any) -> dict[str, tuple[Projection, Source]]:
    """What `materialize` made in the database and records, by the table's name: what was projected, and of what."""
    engine = keeper(connection)
    with engine.session(connection) as session:
        found = {name: _recorded(engine, session, TableName.parse(name)) for name in _names(engine, session)}
    return {name: (record.made.projection, record.made.source) for name, record in found.items() if record}


# -- what is recorded ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Made:
    """What was made of what: the definition in the catalogue."""

    projection: Projection
    source: Source
    output: Output
    scale: bool
    nulls: Nulls
    lowering: str
    kind: Kind
    features: dict[str, str] = field(default_factory=dict)
    """the columns that were read, with their types"""
    size: int | None = None
    """how many features there were"""
    columns: list[str] = field(default_factory=list)
    """the columns that were made; without types, which SQLite takes from the first row"""

    def over(self, engine: Engine, connection: Any, frame: Frame) -> _Made:
        """The same over a source as it is now."""
        types = _types(engine, connection, frame.table)
        return dataclasses.replace(self, features={name: types[name] for name in frame.names}, size=frame.n_features)

    def job(self, engine: Engine, frame: Frame) -> Job:
        """The projection of the source."""
        return Job(self.projection, frame, engine, self.output, self.scale, self.nulls)

    def to_json(self) -> str:
        """One line; with the time, so that two who write it at once conflict."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        plain["projection"] = json.loads(self.projection.to_json())
        plain["source"] = {"layout": type(self.source).__name__, **asdict(self.source)}
        return json.dumps(plain | {"written": datetime.now(UTC).isoformat()})

    @staticmethod
    def from_json(text: str) -> _Made:
        """What `to_json` wrote."""
        plain = json.loads(text)
        del plain["written"]
        layout = _LAYOUTS[plain["source"].pop("layout")]
        projection = from_json(json.dumps(plain.pop("projection")))
        return _Made(projection, layout(**plain.pop("source")), **plain)


@dataclass(frozen=True)
class _Record:
    """A row of the catalogue."""

    made: _Made
    fingerprint: str


def _table(into: str) -> TableName:
    table = TableName.parse(into)
    if table.is_file:
        raise ParameterError(f"into = {shorten(into)} is a file's name: name a table, in double quotes if need be")
    return table


def _name(table: TableName) -> str:
    """The name in the catalogue: as it would be written, quoted only where it must be."""
    return ".".join(table.parts) if all(re.fullmatch(r"\w+", part) for part in table.parts) else str(table)


def _row(engine: Engine, table: TableName) -> str:
    return f"kind = 'materialized' AND name = {engine.string(_name(table))}"


def _recorded(engine: Engine, connection: Any, table: TableName) -> _Record | None:
    """The record of a table, read alone by this transaction where the engine can wait for others."""
    if not engine.exists(connection, _CATALOGUE):
        return None
    found = engine.fetch(
        connection,
        f"SELECT definition, fingerprint FROM {CATALOGUE} WHERE {_row(engine, table)}{engine.for_update}",
    ).to_pylist()
    return _Record(_Made.from_json(found[0]["definition"]), found[0]["fingerprint"]) if found else None


def _names(engine: Engine, connection: Any) -> list[str]:
    if not engine.exists(connection, _CATALOGUE):
        return []
    found = engine.fetch(connection, f"SELECT name FROM {CATALOGUE} WHERE kind = 'materialized' ORDER BY name")
    return list(found.column(0).to_pylist())


def _write(engine: Engine, connection: Any, table: TableName, made: _Made, finished: bool = True) -> None:
    """Record what is made; without a fingerprint while it is not `finished`."""
    from sqlrp import __version__

    fingerprint = made.projection.fingerprint if finished else ""
    values = {"definition": made.to_json(), "fingerprint": fingerprint, "version": __version__}
    if _recorded(engine, connection, table) is None:
        texts = ["materialized", _name(table), *values.values()]
        engine.execute(connection, f"INSERT INTO {CATALOGUE} VALUES ({', '.join(map(engine.string, texts))})")
        return
    changes = ", ".join(f"{column} = {engine.string(value)}" for column, value in values.items())
    engine.execute(connection, engine.updating(CATALOGUE, changes, _row(engine, table)))


# -- checks ----------------------------------------------------------------------------------------------


def _types(engine: Engine, connection: Any, table: TableName) -> dict[str, str]:
    return {column.name: column.type.text for column in engine.columns(connection, table)}


def _check_place(
    engine: Engine, connection: Any, table: TableName, old: _Record | None, projection: Projection, replace: bool
) -> None:
    """Raise ParameterError unless the table that is there was made by sqlrp and is to be replaced."""
    if old is None or (old.fingerprint and list(_types(engine, connection, table)) != old.made.columns):
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


def _check_made(engine: Engine, connection: Any, table: TableName, record: _Record, everything: bool) -> None:
    """Raise SourceError unless the table and its record are as they were made."""
    made = record.made
    if not record.fingerprint:
        if not everything:
            raise SourceError(f"{table} was left unfinished by an interruption: pass everything=True")
        return
    if record.fingerprint != made.projection.fingerprint:
        raise SourceError(
            f"the projection of {table} was changed in the catalogue: its fingerprint is "
            f"{made.projection.fingerprint}, {record.fingerprint} made the table; materialize with replace=True"
        )
    if list(_types(engine, connection, table)) != made.columns:
        raise SourceError(f"the columns of {table} are not those that sqlrp made: drop it, and materialize anew")


def _check_source(made: _Made, now: _Made, everything: bool) -> None:
    """Raise SourceError where the source's features are not those that were projected."""
    if now.size != made.size:
        raise SourceError(
            f"{made.source.table} had {made.size} features and has {now.size}: materialize with replace=True"
        )
    changed = [(n, made.features.get(n), kind) for n, kind in now.features.items() if made.features.get(n) != kind]
    if changed and not everything:
        name, before, after = changed[0]
        raise SourceError(
            f"{len(changed)} columns of {made.source.table} have another type: {name!r} was {before} and is {after}; "
            "pass everything=True"
        )


def _check_keys(engine: Engine, connection: Any, job: Job) -> None:
    """Raise SourceError where a key is NULL, or comes twice where it may not."""
    frame = job.frame
    if frame.key is None:
        return
    key, source = engine.quote(frame.key), engine.table(frame.table)
    nulls = engine.fetch(connection, f"SELECT count(*) FROM {source} WHERE {key} IS NULL").column(0).to_pylist()[0]
    if nulls:
        raise SourceError(f"key {frame.key!r} of {frame.table} is NULL in {nulls} rows: give every row a key")
    if _repeats(job):
        return
    twice = engine.fetch(
        connection,
        f"SELECT {key} FROM {source} GROUP BY {key} HAVING count(*) > 1 ORDER BY {key} LIMIT {_NAMED + 1}",
    )
    found = twice.column(0).to_pylist()
    if found:
        named = ", ".join(shorten(value, 30) for value in found[:_NAMED])
        raise SourceError(
            f"key {frame.key!r} of {frame.table} comes more than once: {named}{', …' if len(found) > _NAMED else ''}"
        )


def _repeats(job: Job) -> bool:
    """Whether a key stands in several rows of the source by right."""
    return job.grouped or job.frame.layout == "long"


# -- making ----------------------------------------------------------------------------------------------


def _beside(table: TableName, what: str) -> str:
    return f"sqlrp_{what}_{hashlib.sha256(str(table).encode()).hexdigest()[:12]}"


def _build(engine: Engine, connection: Any, table: TableName, made: _Made, job: Job, old: Kind | None) -> int:
    """Make the table beside, and put it in the place of the old one."""
    _check_room(job, made)
    script = plan(job, made.lowering, single_statement=made.kind == "view").script()
    new, noun = TableName((*table.parts[:-1], _beside(table, "new"))), _NOUNS[made.kind]
    if not engine.transactional:  # an interruption may have left it
        engine.execute(connection, f"DROP TABLE IF EXISTS {engine.table(new)}")
    with prepared(engine, connection, script):
        engine.execute(connection, engine.create_table(engine.table(new), script.query, noun))
    made = dataclasses.replace(made, columns=list(_types(engine, connection, new)))
    _write(engine, connection, table, made, finished=engine.transactional)
    for statement in engine.swap(new, table, noun, None if old is None else _NOUNS[old]):
        engine.execute(connection, statement)
    if not engine.transactional:
        _write(engine, connection, table, made)
    return _count(engine, connection, table, job)


def _check_room(job: Job, made: _Made) -> None:
    columns, bound = len(job.frame.kept) + len(job.output_names), job.engine.limits.stored
    if bound is not None and columns > bound:
        raise LimitError(
            f"k = {job.k} makes {columns} columns with key and keep, more than the {bound} that a row of a table of "
            f"{job.engine.name} holds: use output = 'auto' or 'long'"
        )


def _add(engine: Engine, connection: Any, table: TableName, job: Job, lowering: str) -> int:
    """Project the rows whose key is not there yet, by way of a temporary table of them, and insert them."""
    frame, rows = job.frame, TableName((_beside(table, "rows"),))
    key, source, target = engine.quote(frame.key or ""), engine.table(frame.table), engine.table(table)
    columns = ", ".join(map(engine.quote, [*frame.kept, *frame.names]))
    # DISTINCT, as ClickHouse takes away one row for one.
    missing = f"SELECT DISTINCT {key} FROM {source} EXCEPT SELECT {key} FROM {target}"
    new = f"SELECT {columns} FROM {source} WHERE {key} IN ({missing})"
    # The numbers' kinds are the source's: a temporary table's are not always as exact.
    of_new = dataclasses.replace(job, frame=dataclasses.replace(frame, table=rows))
    script = plan(of_new, lowering).script()
    own = engine.quote(rows.parts[0])
    made = Script("", (engine.create_temporary(own, new, numbered=False),), (engine.drop_temporary(own),))
    with prepared(engine, connection, made):
        _check_keys(engine, connection, job)
        with prepared(engine, connection, script):
            adding = engine.adding(
                target, script.query, engine.table(TableName((*table.parts[:-1], _beside(table, "new"))))
            )
            with prepared(engine, connection, adding):
                engine.execute(connection, adding.query)
        counted = f"count(DISTINCT {key})" if _repeats(job) else "count(*)"
        return int(engine.fetch(connection, f"SELECT {counted} FROM {own}").column(0).to_pylist()[0])


def _count(engine: Engine, connection: Any, table: TableName, job: Job) -> int:
    """How many rows were projected: the long output spreads one over k, and has each one's first component."""
    first = f" WHERE {engine.quote('component')} = 0" if job.output == "long" else ""
    return int(engine.fetch(connection, f"SELECT count(*) FROM {engine.table(table)}{first}").column(0).to_pylist()[0])
