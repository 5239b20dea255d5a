"""The catalogue of a database: a table of saved projections, materialized tables and installed functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from sqlrp.connectors.base import Connector
from sqlrp.core.errors import ParameterError, SourceError, StatementError, UnsupportedError, nearest, shorten, warn
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
from sqlrp.store import plans, stored

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
    """Save a projection in the database under a name, for `project_with` and `load`. Returns the saved projection.

    A `source` binds the projection to the source's features first: to their names (wide) or their number. Every later
    use is checked against them. PostgreSQL also saves the SQL for the source's columns, which `project_with` in the
    same schema runs. A fitted projection is bound already.
    A `Standardized` source has its statistics computed and saved with the projection.

    Another projection with that name is only replaced if `replace` is True. If anything fails, or the process ends at
    any time, either the old projection or the new one is there, complete. If a transaction is open on the connection,
    the call is part of it, and the caller commits.

    Raises ParameterError if another projection has the name, the projection is not fitted or not registered, or the
    name is empty. Raises UnsupportedError on Spark.

        >>> bound = sqlrp.save(rp, con, "points_rp", source="points")
        >>> bound.bound_to
        ('a', 'b', 'c')
    """
    projection = checked(projection)
    check_name(name)
    method_of(projection).check_fitted()
    connector = keeper(connection)
    with connector.alone(), writing(connector, connection, CATALOGUE, makes=False) as session:
        projection, source = plain(projection, source, session)
        text = None
        if source is not None:
            frame = look(connector, session, as_source(source), bound_to=projection.bound_to)
            projection.check_features(frame.names if frame.layout == "wide" else None, frame.n_features)
            caution(projection, frame)
            projection = projection.over_arrays(frame.sizes)
            if projection.bound_to is None:
                projection = projection.bound(frame.names if frame.layout == "wide" else frame.n_features)
            text = _text(connector.dialect, projection, frame) if connector.dialect.keeps_text else None
        definition = projection.to_json()
        same = _check_free(connector, session, name, projection, replace)
        put(connector, session, "projection", name, definition, projection.fingerprint)
        for statement in plans.saving(connector.dialect, name, projection):
            connector.execute(session, statement)
        if text is not None:
            put(connector, session, "text", name, text, projection.fingerprint)
        elif connector.dialect.keeps_text and not same:
            connector.execute(session, f"DELETE FROM {CATALOGUE} WHERE {at(connector, 'text', name)}")
    return projection


def _check_free(connector: Connector, connection: Any, name: str, projection: Projection, replace: bool) -> bool:
    """Whether the same projection has that name. Raises ParameterError for another one, unless it may be replaced."""
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
    """The SQL of the projection for the columns of a source, as JSON, with a placeholder for the source's name."""
    place = TableName((f"sqlrp source {projection.fingerprint}",))
    job = Job(projection, replace(frame, table=place), dialect, output="array")
    text = plan(job, single_statement=True).script().text
    return stored.sealed_text({"text": text, "place": dialect.table(place), "key": frame.key, "keep": frame.keep})


def load(connection: Any, name: str) -> Projection:
    """The projection saved under that name.

    Raises SourceError if there is none, and names the most similar one. Also raises SourceError if its row was changed,
    truncated, or written by a newer release.

        >>> _ = sqlrp.save(rp, con, "points_rp")
        >>> sqlrp.load(con, "points_rp")
        SparseProjection(k=2, s=1, seed=7)
    """
    check_name(name)
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
    """Every projection saved in the database, by name. A warning names the rows that cannot be read.

    >>> _ = sqlrp.save(rp, con, "points_rp")
    >>> sqlrp.saved(con)
    {'points_rp': SparseProjection(k=2, s=1, seed=7)}
    """
    found, wrong = readable(connection, "projection")
    warn_of("saved projections", wrong)
    return found


def readable(connection: Any, kind: str) -> tuple[dict[str, Projection], list[str]]:
    """The projections of all rows of a kind by name, and the names of the rows that cannot be read, with the reason."""
    connector = keeper(connection)
    found: dict[str, Projection] = {}
    wrong: list[str] = []
    with connector.session(connection) as session:
        written = format_of(connector, session)
        for row in [] if written is None else rows(connector, session, kind):
            try:
                found[str(row.name)] = row.read(written or 0)
            except SourceError as error:
                wrong.append(f"{shorten(row.name)} ({error})")
    return found, wrong


def warn_of(what: str, wrong: Sequence[str]) -> None:
    """Warn of rows that cannot be read."""
    if wrong:
        warn(
            f"{len(wrong)} {what} cannot be read: {'; '.join(wrong[:3])}{'; …' if len(wrong) > 3 else ''}: "
            "sqlrp.check says what to do"
        )


def keeper(connection: Any) -> Connector:
    """The connector for a connection. Raises UnsupportedError if the engine does not support a catalogue."""
    connector = connector_of(connection)
    dialect = connector.dialect
    if dialect.keeps_nothing:
        raise UnsupportedError(
            f"{dialect.name} keeps no catalogue, as its tables change no rows: {dialect.keeps_nothing}"
        )
    return connector


def check_name(name: object) -> None:
    """Raise ParameterError unless the name is a text of 1 to 200 characters."""
    if not isinstance(name, str) or not name.strip() or not is_text(name) or len(name) > 200:
        raise ParameterError(f"name = {shorten(name)} must be a text of 1 to 200 characters")


# -- the table -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A row of the catalogue. Its values are text, unless another program wrote them."""

    name: object
    definition: object = None
    fingerprint: object = None
    version: object = None

    def read(self, written: int) -> Projection:
        """The projection, from a catalogue of format `written`. Raises SourceError if it cannot be read."""
        return stored.read(self.definition, self.fingerprint, written)


def create_catalogue(dialect: Dialect) -> str:
    """The statement that creates the catalogue if it does not exist."""
    short, long = dialect.text_type(250), dialect.text_type(None)
    required, unique = (" NOT NULL", ", PRIMARY KEY (kind, name)") if dialect.constraints else ("", "")
    return (
        f"CREATE TABLE IF NOT EXISTS {CATALOGUE} (kind {short}{required}, name {short}{required}, "
        f"definition {long}, fingerprint {short}, version {short}{unique})"
    )


def is_there(connector: Connector, connection: Any) -> bool:
    """Whether there is a catalogue. Raises SourceError if using it could run code of other users."""
    if not connector.exists(connection, TABLE):
        return False
    unsafe = connector.why_unsafe(connection, TABLE)
    if unsafe:
        raise SourceError(f"{CATALOGUE} {unsafe}: drop it, or use a schema or database of your own (SECURITY.md)")
    return True


@contextmanager
def writing(connector: Connector, connection: Any, lock: str, makes: bool) -> Iterator[Any]:
    """`Connector.transaction`, with a catalogue in the format of this release.

    A missing catalogue is created, and an older format is upgraded, once; other processes that try to do so wait. This
    is part of the transaction if the engine has savepoints. Otherwise it is done before.
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
        is_there(connector, connection)  # another process may have been first
    upgrade(connector, connection)


def upgrade(connector: Connector, connection: Any) -> None:
    """Rewrite the rows of an older format, then replace the row with the format. Unreadable rows stay unchanged."""
    written = stored.newest(names(connector, connection, "format"))
    if written == stored.FORMAT:
        return
    for kind in ("projection", "materialized", "text", "named function", "model"):
        for row in rows(connector, connection, kind):
            try:
                definition, fingerprint = stored.upgraded(kind, row.definition, row.fingerprint, written)
            except SourceError:
                continue
            if definition != row.definition:
                put(connector, connection, kind, str(row.name), definition, fingerprint)
            if kind == "projection":
                projection = stored.read(definition, fingerprint, stored.FORMAT)
                for statement in plans.saving(connector.dialect, str(row.name), projection):
                    connector.execute(connection, statement)
    put(connector, connection, "format", str(stored.FORMAT), "", "")
    if written:
        connector.execute(connection, f"DELETE FROM {CATALOGUE} WHERE {at(connector, 'format', str(written))}")


def format_of(connector: Connector, connection: Any) -> int | None:
    """The format of the catalogue, or None if there is no catalogue. Raises SourceError for a newer one."""
    if not is_there(connector, connection):
        return None
    return stored.newest(names(connector, connection, "format"))


def at(connector: Connector, kind: str, name: str | None = None) -> str:
    """The SQL condition that selects one row, or all rows of a kind."""
    return f"kind = {connector.dialect.string(kind)}" + (
        f" AND name = {connector.dialect.string(name)}" if name is not None else ""
    )


def put(connector: Connector, connection: Any, kind: str, name: str, definition: str, fingerprint: object) -> None:
    """Write a row, or replace the row of that kind and name: one query, then one statement."""
    values = (kind, name, definition, str(fingerprint or ""), VERSION)
    texts = dict(zip(_COLUMNS, map(connector.dialect.string, values), strict=True))
    where = at(connector, kind, name)
    # No FOR UPDATE: for a missing row MariaDB would lock the gap, and one of two concurrent inserts would fail.
    if connector.fetch(connection, f"SELECT name FROM {CATALOGUE} WHERE {where}").num_rows:
        changes = ", ".join(f"{column} = {texts[column]}" for column in _COLUMNS[2:])
        connector.execute(connection, connector.dialect.updating(CATALOGUE, changes, where))
    else:
        connector.execute(
            connection, f"INSERT INTO {CATALOGUE} ({', '.join(_COLUMNS)}) VALUES ({', '.join(texts.values())})"
        )


def names(connector: Connector, connection: Any, kind: str) -> list[object]:
    """The names of all rows of a kind, sorted."""
    found = connector.fetch(connection, f"SELECT name FROM {CATALOGUE} WHERE {at(connector, kind)} ORDER BY name")
    return [_cell(value) for value in found.column(0)]


def find(connector: Connector, connection: Any, kind: str, name: str, lock: str = "") -> Row | None:
    """The row of that kind and name. `lock` = `engine.for_update` waits for transactions that change it."""
    query = f"SELECT {_READ} FROM {CATALOGUE} WHERE {at(connector, kind, name)}{lock}"
    try:
        found = connector.fetch(connection, query)
    except StatementError as error:
        _check_is_about_text(error)
        return Row(name) if name in names(connector, connection, kind) else None
    return Row(*(_cell(column[0]) for column in found.columns)) if found.num_rows else None


def rows(connector: Connector, connection: Any, kind: str) -> list[Row]:
    """Every row of a kind, sorted by name. A row that cannot be read has only its name."""
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
    """Raise the error again unless a cell could not be read. A lock or a conflict does not mean that a row is wrong.

    SQLite keeps text that is not UTF-8, and its driver fails if such a cell is read.
    """
    if "Could not decode to UTF-8" not in error.words:
        raise error


def _cell(value: Any) -> object:
    """The value of a cell; None for bytes that are not text."""
    try:
        return value.as_py()
    except UnicodeDecodeError:
        return None
