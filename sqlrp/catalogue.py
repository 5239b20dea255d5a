"""What is kept in a database by name: saved projections, beside the functions that `install` lists."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from sqlrp.engines import engine_of
from sqlrp.engines.base import Engine
from sqlrp.errors import ParameterError, SourceError, UnsupportedError, nearest, shorten
from sqlrp.frame import Frame, look
from sqlrp.layouts import Source, Standardized, TableName, as_source, is_text
from sqlrp.lower.job import Job
from sqlrp.lower.planner import plan
from sqlrp.preparing import plain
from sqlrp.projections import from_json, method_of
from sqlrp.projections.base import Projection, checked
from sqlrp.projections.holding import Holding

CATALOGUE = "sqlrp_catalogue"
"""The table that lists what is installed and saved in a database."""


def save(
    projection: Projection, connection: Any, name: str, source: Source | Standardized | str | None = None
) -> Projection:
    """Keep a projection in the database by name, over one of that name; `project_with` and `load` find it.

    With a `source`, the projection is bound to that source's features first: their names (wide) or number, which
    every later use is checked against. In PostgreSQL its text for that source's columns is kept too, which the
    `project_with` of the same schema runs. A fitted projection is bound already. Returns the projection as kept.
    With a `Standardized` source its statistics are computed and kept with the projection.
    Raises ParameterError for a projection that is not fitted or not registered, or a name that is empty;
    UnsupportedError on Spark.
    """
    projection = checked(projection)
    _check_name(name)
    method = method_of(projection)
    if isinstance(method, Holding):
        _ = method.arrays
    engine = keeper(connection)
    projection, source = plain(projection, source, connection)
    if source is not None:
        frame = look(engine, connection, as_source(source))
        projection.check_features(frame.names if frame.layout == "wide" else None, frame.n_features)
        if projection.bound_to is None:
            projection = projection.bound(frame.names if frame.layout == "wide" else frame.n_features)
    definition = projection.to_json()
    statements = [create_catalogue(engine), *_keeping(engine, "projection", name, definition, projection)]
    statements += engine.saving(name, definition)
    if engine.keeps_text:
        text = _text(engine, projection, frame) if source is not None else None
        statements += _keeping(engine, "text", name, text, projection)
    for statement in statements:
        engine.execute(connection, statement)
    return projection


def _keeping(engine: Engine, kind: str, name: str, definition: str | None, projection: Projection) -> list[str]:
    """The statements that put a row of the catalogue in the place of the old one; None for no new one."""
    from sqlrp import __version__

    statements = [f"DELETE FROM {CATALOGUE} WHERE kind = {engine.string(kind)} AND name = {engine.string(name)}"]
    if definition is not None:
        values = (kind, name, definition, projection.fingerprint, __version__)
        statements.append(f"INSERT INTO {CATALOGUE} VALUES ({', '.join(map(engine.string, values))})")
    return statements


def _text(engine: Engine, projection: Projection, frame: Frame) -> str:
    """The projection's text for the columns of a source, as JSON, with a place for its name."""
    place = TableName((f"sqlrp source {projection.fingerprint}",))
    job = Job(projection, replace(frame, table=place), engine, output="array")
    text = plan(job, single_statement=True).script().text
    return json.dumps({"text": text, "place": engine.table(place), "key": frame.key, "keep": frame.keep})


def create_catalogue(engine: Engine) -> str:
    """The statement that makes the catalogue where there is none."""
    short, long = engine.text_type(250), engine.text_type(None)
    return (
        f"CREATE TABLE IF NOT EXISTS {CATALOGUE} (kind {short} NOT NULL, name {short} NOT NULL, "
        f"definition {long}, fingerprint {short}, version {short}, PRIMARY KEY (kind, name))"
    )


def load(connection: Any, name: str) -> Projection:
    """The projection kept by that name; raises SourceError, with the nearest name, where there is none."""
    _check_name(name)
    engine = keeper(connection)
    kept = _saved(engine, connection)
    if name not in kept:
        known = ", ".join(sorted(kept)) or "none"
        raise SourceError(f"no projection {shorten(name)} is saved here{nearest(name, kept)}: saved are {known}")
    return from_json(kept[name])


def saved(connection: Any) -> dict[str, Projection]:
    """Every projection kept in the database, by name."""
    return {name: from_json(text) for name, text in _saved(keeper(connection), connection).items()}


def keeper(connection: Any) -> Engine:
    """The engine behind a connection; raises UnsupportedError where it has no catalogue to keep things in."""
    engine = engine_of(connection)
    if engine.keeps_nothing:
        raise UnsupportedError(
            f"{engine.name} keeps no catalogue, as its tables change no rows: {engine.keeps_nothing}"
        )
    return engine


def _saved(engine: Engine, connection: Any) -> dict[str, str]:
    if not engine.exists(connection, TableName((CATALOGUE,))):
        return {}
    found = engine.fetch(connection, f"SELECT name, definition FROM {CATALOGUE} WHERE kind = 'projection'")
    return dict(zip(found.column(0).to_pylist(), found.column(1).to_pylist(), strict=True))


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name.strip() or not is_text(name) or len(name) > 200:
        raise ParameterError(f"name = {shorten(name)} must be a text of 1 to 200 characters")
