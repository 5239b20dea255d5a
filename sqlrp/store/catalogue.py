"""What is kept in a database by name: saved projections, beside the functions that `install` lists."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from sqlrp.connectors.base import Connector
from sqlrp.core.errors import ParameterError, SourceError, StatementError, UnsupportedError, nearest, shorten
from sqlrp.core.moved import keyword_only
from sqlrp.core.sources import Source, Standardized, TableName, as_source, is_text
from sqlrp.core.version import VERSION
from sqlrp.dialects.base import Dialect
from sqlrp.engines import connector_of
from sqlrp.lowering.frame import Frame
from sqlrp.lowering.job import Job
from sqlrp.lowering.planner import plan
from sqlrp.projections import method_of
from sqlrp.projections.base import Projection, checked
from sqlrp.run.bind import caution, look
from sqlrp.run.preparing import plain
from sqlrp.store import stored

CATALOGUE = "sqlrp_catalogue"
"""The table that lists what is installed and saved in a database."""

TABLE = TableName((CATALOGUE,))
_COLUMNS = ("kind", "name", "definition", "fingerprint", "version")
_READ = ", ".join(_COLUMNS[1:])


@keyword_only("source")
def save(
    projection: Projection,
    connection: Any,
    name: str,
    *,
    source: Source | Standardized | str | None = None,
    replace: bool = False,
) -> Projection:
    """Keep a projection in the database by name; `project_with` and `load` find it. Returns the projection as kept.

    With a `source`, the projection is bound to that source's features first: their names (wide) or number, which
    every later use is checked against. In PostgreSQL its text for that source's columns is kept too, which the
    `project_with` of the same schema runs. A fitted projection is bound already.
    With a `Standardized` source its statistics are computed and kept with the projection.

    Another projection of that name stays, unless `replace` is True. Whatever fails, and whenever the process ends, the
    old one is there or the new one, whole. A transaction that is open on the connection is taken part in, and is the
    caller's to commit.

    Raises ParameterError for a name that is taken by another projection, a projection that is not fitted or not
    registered, or a name that is empty; UnsupportedError on Spark.
    """
    projection = checked(projection)
    _check_name(name)
    method_of(projection).check_fitted()
    connector = keeper(connection)
    with connector.alone(), writing(connector, connection, CATALOGUE, makes=False) as session:
        projection, source = plain(projection, source, session)
        text = None
        if source is not None:
            frame = look(connector, session, as_source(source), bound_to=projection.bound_to)
            projection.check_features(frame.names if frame.layout == "wide" else None, frame.n_features)
            caution(projection, frame)
            if projection.bound_to is None:
                projection = projection.bound(frame.names if frame.layout == "wide" else frame.n_features)
            text = _text(connector.dialect, projection, frame) if connector.dialect.keeps_text else None
        definition = projection.to_json()
        same = _check_free(connector, session, name, projection, replace)
        put(connector, session, "projection", name, definition, projection.fingerprint)
        for statement in connector.dialect.saving(name, stored.macro_text(definition)):
            connector.execute(session, statement)
        if text is not None:
            put(connector, session, "text", name, text, projection.fingerprint)
        elif connector.dialect.keeps_text and not same:
            connector.execute(session, f"DELETE FROM {CATALOGUE} WHERE {at(connector, 'text', name)}")
    return projection


def _check_free(connector: Connector, connection: Any, name: str, projection: Projection, replace: bool) -> bool:
    """Whether the same projection is kept by that name; raises ParameterError for another one, unless it may go."""
    found = find(connector, connection, "projection", name, connector.dialect.for_update)
    if found is None or found.definition == projection.to_json():
        return found is not None
    if not replace:
        try:
            there = f"the projection {shorten(found.read(stored.FORMAT).name)}"
        except SourceError as error:
            there = f"a projection that cannot be read ({error})"
        raise ParameterError(
            f"{shorten(name)} is the name of {there}: replace=True puts {shorten(projection.name)} in its place"
        )
    return False


def _text(dialect: Dialect, projection: Projection, frame: Frame) -> str:
    """The projection's text for the columns of a source, as JSON, with a place for its name."""
    place = TableName((f"sqlrp source {projection.fingerprint}",))
    job = Job(projection, replace(frame, table=place), dialect, output="array")
    text = plan(job, single_statement=True).script().text
    return stored.sealed_text({"text": text, "place": dialect.table(place), "key": frame.key, "keep": frame.keep})


def load(connection: Any, name: str) -> Projection:
    """The projection kept by that name.

    Raises SourceError where there is none, with the nearest name; and where its row was changed, cut, or written by a
    newer release.
    """
    _check_name(name)
    connector = keeper(connection)
    with connector.session(connection) as session:
        written = format_of(connector, session)
        row = None if written is None else find(connector, session, "projection", name)
        if written is None or row is None:
            kept = [] if written is None else [str(known) for known in names(connector, session, "projection")]
            known = ", ".join(sorted(kept)) or "none"
            raise SourceError(f"no projection {shorten(name)} is saved here{nearest(name, kept)}: saved are {known}")
        try:
            return row.read(written)
        except SourceError as error:
            raise SourceError(
                f"the projection {shorten(name)} that is saved here cannot be read: {error}; save it again with "
                "replace=True"
            ) from error


def saved(connection: Any) -> dict[str, Projection]:
    """Every projection kept in the database, by name; a warning names those whose rows cannot be read."""
    connector = keeper(connection)
    found: dict[str, Projection] = {}
    wrong: list[str] = []
    with connector.session(connection) as session:
        written = format_of(connector, session)
        for row in [] if written is None else rows(connector, session, "projection"):
            try:
                found[str(row.name)] = row.read(written or 0)
            except SourceError as error:
                wrong.append(f"{shorten(row.name)} ({error})")
    warn_of("saved projections", wrong)
    return found


def warn_of(what: str, wrong: Sequence[str]) -> None:
    """Warn of rows that cannot be read, in the name of whoever called the caller."""
    if wrong:
        warnings.warn(
            f"{len(wrong)} {what} cannot be read: {'; '.join(wrong[:3])}{'; …' if len(wrong) > 3 else ''}: "
            "sqlrp.check says what to do",
            stacklevel=3,
        )


def keeper(connection: Any) -> Connector:
    """The connector for a connection; raises UnsupportedError where it has no catalogue to keep things in."""
    connector = connector_of(connection)
    dialect = connector.dialect
    if dialect.keeps_nothing:
        raise UnsupportedError(
            f"{dialect.name} keeps no catalogue, as its tables change no rows: {dialect.keeps_nothing}"
        )
    return connector


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name.strip() or not is_text(name) or len(name) > 200:
        raise ParameterError(f"name = {shorten(name)} must be a text of 1 to 200 characters")


# -- the table -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A row of the catalogue, with what stands in it: text, unless others wrote it."""

    name: object
    definition: object = None
    fingerprint: object = None
    version: object = None

    def read(self, written: int) -> Projection:
        """The projection, from a catalogue of format `written`; raises SourceError, which says what is wrong."""
        return stored.read(self.definition, self.fingerprint, written)


def create_catalogue(dialect: Dialect) -> str:
    """The statement that makes the catalogue where there is none."""
    short, long = dialect.text_type(250), dialect.text_type(None)
    return (
        f"CREATE TABLE IF NOT EXISTS {CATALOGUE} (kind {short} NOT NULL, name {short} NOT NULL, "
        f"definition {long}, fingerprint {short}, version {short}, PRIMARY KEY (kind, name))"
    )


def is_there(connector: Connector, connection: Any) -> bool:
    """Whether there is a catalogue; raises SourceError for one that could run the code of others when it is used."""
    if not connector.exists(connection, TABLE):
        return False
    unsafe = connector.why_unsafe(connection, TABLE)
    if unsafe:
        raise SourceError(f"{CATALOGUE} {unsafe}: drop it, or use a schema or database of your own (SECURITY.md)")
    return True


@contextmanager
def writing(connector: Connector, connection: Any, lock: str, makes: bool) -> Iterator[Any]:
    """`Connector.transaction`, in which there is a catalogue of the format of this release.

    What is not there is made, and what is older is written again, once: others that want to do so meanwhile wait. It is
    a part of the transaction where the engine has savepoints, else it comes before.
    Raises SourceError for a catalogue of a newer format.
    """
    if not connector.dialect.nests:
        _make_before(connector, connection)
    with connector.transaction(connection, lock, makes) as session:
        if connector.dialect.nests and format_of(connector, session) != stored.FORMAT:
            with connector.transaction(session, CATALOGUE, makes=True):
                _make(connector, session)
        yield session


def _make_before(connector: Connector, connection: Any) -> None:
    with connector.alone():
        with connector.transaction(connection, CATALOGUE, makes=False) as session:
            found = format_of(connector, session)
        if found != stored.FORMAT:
            with connector.transaction(connection, CATALOGUE, makes=found is None) as session:
                _make(connector, session)


def _make(connector: Connector, connection: Any) -> None:
    if not is_there(connector, connection):
        connector.execute(connection, create_catalogue(connector.dialect))
        is_there(connector, connection)  # another could have been first
    upgrade(connector, connection)


def upgrade(connector: Connector, connection: Any) -> None:
    """Write the rows of an older format again, and the format's own row last; what cannot be read stays as it is."""
    written = stored.newest(names(connector, connection, "format"))
    if written == stored.FORMAT:
        return
    for kind in ("projection", "materialized", "text"):
        for row in rows(connector, connection, kind):
            try:
                definition, fingerprint = stored.upgraded(kind, row.definition, row.fingerprint, written)
            except SourceError:
                continue
            if definition != row.definition:
                put(connector, connection, kind, str(row.name), definition, fingerprint)
            if kind == "projection":
                for statement in connector.dialect.saving(str(row.name), stored.macro_text(definition)):
                    connector.execute(connection, statement)
    put(connector, connection, "format", str(stored.FORMAT), "", "")


def format_of(connector: Connector, connection: Any) -> int | None:
    """The format of the catalogue, None where there is no catalogue; raises SourceError for a newer one."""
    if not is_there(connector, connection):
        return None
    return stored.newest(names(connector, connection, "format"))


def at(connector: Connector, kind: str, name: str | None = None) -> str:
    """The condition on a row, or on all of a kind."""
    return f"kind = {connector.dialect.string(kind)}" + (
        f" AND name = {connector.dialect.string(name)}" if name is not None else ""
    )


def put(connector: Connector, connection: Any, kind: str, name: str, definition: str, fingerprint: object) -> None:
    """Write a row, over one of that kind and name: one statement, after a look."""
    values = (kind, name, definition, str(fingerprint or ""), VERSION)
    texts = dict(zip(_COLUMNS, map(connector.dialect.string, values), strict=True))
    where = at(connector, kind, name)
    # Not FOR UPDATE: MariaDB would lock the gap where no row is, and of two that insert there one would fail.
    if connector.fetch(connection, f"SELECT name FROM {CATALOGUE} WHERE {where}").num_rows:
        changes = ", ".join(f"{column} = {texts[column]}" for column in _COLUMNS[2:])
        connector.execute(connection, connector.dialect.updating(CATALOGUE, changes, where))
    else:
        connector.execute(
            connection, f"INSERT INTO {CATALOGUE} ({', '.join(_COLUMNS)}) VALUES ({', '.join(texts.values())})"
        )


def names(connector: Connector, connection: Any, kind: str) -> list[object]:
    """The names of a kind, in order."""
    found = connector.fetch(connection, f"SELECT name FROM {CATALOGUE} WHERE {at(connector, kind)} ORDER BY name")
    return [_cell(value) for value in found.column(0)]


def find(connector: Connector, connection: Any, kind: str, name: str, lock: str = "") -> Row | None:
    """The row of that kind and name; with `lock` = `engine.for_update` others that change it are waited for."""
    query = f"SELECT {_READ} FROM {CATALOGUE} WHERE {at(connector, kind, name)}{lock}"
    try:
        found = connector.fetch(connection, query)
    except StatementError as error:
        _check_is_about_text(error)
        return Row(name) if name in names(connector, connection, kind) else None
    return Row(*(_cell(column[0]) for column in found.columns)) if found.num_rows else None


def rows(connector: Connector, connection: Any, kind: str) -> list[Row]:
    """Every row of a kind, in the order of their names; one that cannot be read holds nothing but its name."""
    try:
        found = connector.fetch(
            connection, f"SELECT {_READ} FROM {CATALOGUE} WHERE {at(connector, kind)} ORDER BY name"
        )
    except StatementError as error:
        _check_is_about_text(error)
        alone = (find(connector, connection, kind, str(name)) for name in names(connector, connection, kind))
        return [row for row in alone if row is not None]
    return [Row(*map(_cell, cells)) for cells in zip(*found.columns, strict=True)]


def _check_is_about_text(error: StatementError) -> None:
    """Raise the error again unless a cell could not be read: a lock or a conflict says nothing about a row.

    SQLite keeps text that is not UTF-8, and its driver fails where such a cell is read.
    """
    if "Could not decode to UTF-8" not in error.words:
        raise error


def _cell(value: Any) -> object:
    """What stands in a cell; None for bytes that are no text."""
    try:
        return value.as_py()
    except UnicodeDecodeError:
        return None
