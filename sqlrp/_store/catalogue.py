"""The catalogue of a database: saved projections, and what every module that keeps something shares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from sqlrp._connectors.connector import Connector
from sqlrp._connectors.foresight import foreseen
from sqlrp._core.errors import ParameterError, SourceError, nearest, shorten, warn
from sqlrp._core.sources import Source, Standardized, TableName, as_source, is_text
from sqlrp._dialects.dialect import Dialect
from sqlrp._engines.registry import connector_of
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import plan
from sqlrp._projections import method_of
from sqlrp._projections.projection import Projection, checked
from sqlrp._run.bind import cautions, look
from sqlrp._run.statistics import plain
from sqlrp._store import plans, stored
from sqlrp._store.table import CATALOGUE, Catalogue, Row, writing

Value = TypeVar("Value")


@foreseen
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
    name is empty.

        >>> bound = sqlrp.save(rp, con, "points_rp", source="points")
        >>> bound.bound_to
        ('a', 'b', 'c')
    """
    projection = checked(projection)
    check_name(name)
    method_of(projection).check_fitted()
    connector = keeper(connection)
    with connector.alone(connection), writing(connector, connection, CATALOGUE, makes=False) as catalogue:
        session = catalogue.session
        projection, source = plain(projection, source, session)
        text = None
        if source is not None:
            frame = look(connector, session, as_source(source), bound_to=projection.bound_to)
            projection.check_features(frame.names if frame.layout == "wide" else None, frame.n_features)
            warn(*cautions(projection, frame))
            projection = projection.over_arrays(frame.sizes)
            if projection.bound_to is None:
                projection = projection.bound(frame.names if frame.layout == "wide" else frame.n_features)
            text = _text(connector.dialect, projection, frame) if connector.dialect.keeps_text else None
        definition = projection.to_json()
        same = _check_free(catalogue, name, projection, replace)
        kept = {"projection": definition, **({} if text is None else {"text": text})}
        catalogue.put_all(name, kept, projection.fingerprint, list(plans.saving(connector.dialect, name, projection)))
        if text is None and connector.dialect.keeps_text and not same:
            catalogue.delete("text", name)
    return projection


def _check_free(catalogue: Catalogue, name: str, projection: Projection, replace: bool) -> bool:
    """Whether the same projection has that name. Raises ParameterError for another one, unless it may be replaced."""
    found = catalogue.find("projection", name, catalogue.connector.dialect.for_update)
    if found is None or found.definition == projection.to_json():
        return found is not None
    if not replace:
        try:
            there = f"the projection {shorten(found.read().name)}"
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


@foreseen
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
        catalogue = Catalogue.found(connector, session)
        row = catalogue.find("projection", name)
        if row is None:
            kept = list(map(str, catalogue.names("projection")))
            known = ", ".join(sorted(kept)) or "none"
            raise SourceError(f"no projection {shorten(name)} is saved here{nearest(name, kept)}: saved are {known}")
        try:
            return row.read()
        except SourceError as error:
            raise SourceError(
                f"the projection {shorten(name)} that is saved here cannot be read: {error}; save it again with "
                "replace=True"
            ) from error


@foreseen
def saved(connection: Any) -> dict[str, Projection]:
    """Every projection saved in the database, by name. A warning names the rows that cannot be read.

    >>> _ = sqlrp.save(rp, con, "points_rp")
    >>> sqlrp.saved(con)
    {'points_rp': SparseProjection(k=2, s=1, seed=7)}
    """
    found, wrong = readable(connection, "projection", Row.read)
    warn_of("saved projections", wrong)
    return found


def readable(connection: Any, kind: str, read: Callable[[Row], Value]) -> tuple[dict[str, Value], list[str]]:
    """What `read` makes of all rows of a kind by name, and the names of the rows that it refuses, with the reason."""
    connector = keeper(connection)
    found: dict[str, Value] = {}
    wrong: list[str] = []
    with connector.session(connection) as session:
        for row in Catalogue.found(connector, session).rows(kind):
            try:
                found[str(row.name)] = read(row)
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
    """The connector that keeps tables and projections. Raises UnsupportedError if nothing can be kept there."""
    return connector_of(connection).keeping()


def check_name(name: object) -> None:
    """Raise ParameterError unless the name is a text of 1 to 200 characters."""
    if not isinstance(name, str) or not name.strip() or not is_text(name) or len(name) > 200:
        raise ParameterError(f"name = {shorten(name)} must be a text of 1 to 200 characters")
