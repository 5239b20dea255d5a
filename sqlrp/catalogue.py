"""What is kept in a database by name: saved projections, beside the functions that `install` lists."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from sqlrp.api import look
from sqlrp.engines import engine_of
from sqlrp.engines.base import Engine
from sqlrp.errors import ParameterError, SourceError, UnsupportedError, nearest, shorten
from sqlrp.frame import Frame
from sqlrp.layouts import Source, TableName, as_source, is_text
from sqlrp.lower.job import Job
from sqlrp.lower.planner import plan
from sqlrp.projections import from_json
from sqlrp.projections.base import Projection
from sqlrp.projections.trained import Trained

CATALOGUE = "sqlrp_catalogue"
"""The table that lists what is installed and saved in a database."""


def save(projection: Projection, connection: Any, name: str, source: Source | str | None = None) -> Projection:
    """Keep a projection in the database by name, over one of that name; `project_with` and `load` find it.

    With a `source`, the projection is bound to that source's features first: their names (wide) or number, which
    every later use is checked against. In PostgreSQL its text for that source's columns is kept too, which the
    `project_with` of the same schema runs. A fitted projection is bound already. Returns the projection as kept.
    Raises ParameterError for a projection that is not fitted, or a name that is empty; UnsupportedError on Spark.
    """
    if not isinstance(projection, Projection):
        raise ParameterError(f"projection {shorten(projection)} is not a projection, such as SparseProjection(k=64)")
    _check_name(name)
    if isinstance(projection, Trained):
        _ = projection.arrays
    engine = keeper(connection)
    if source is not None:
        frame = look(engine, connection, as_source(source))
        projection.check_features(frame.names if frame.layout == "wide" else None, frame.n_features)
        if projection.bound_to is None:
            projection = projection.bound(frame.names if frame.layout == "wide" else frame.n_features)
    statements = saving(engine, projection, name)
    if engine.keeps_text:
        statements.append(f"DELETE FROM {CATALOGUE} WHERE kind = 'text' AND name = {engine.string(name)}")
        if source is not None:
            statements.append(_saving_text(engine, projection, name, frame))
    for statement in statements:
        engine.execute(connection, statement)
    return projection


def saving(engine: Engine, projection: Projection, name: str) -> list[str]:
    """The statements that keep a projection."""
    from sqlrp import __version__

    values = ("projection", name, projection.to_json(), projection.fingerprint, __version__)
    return [
        create_catalogue(engine),
        f"DELETE FROM {CATALOGUE} WHERE kind = 'projection' AND name = {engine.string(name)}",
        f"INSERT INTO {CATALOGUE} VALUES ({', '.join(map(engine.string, values))})",
        *engine.saving(name, projection.to_json()),
    ]


def _saving_text(engine: Engine, projection: Projection, name: str, frame: Frame) -> str:
    """The statement that keeps the text for the columns of a source, with a place for its name."""
    from sqlrp import __version__

    place = TableName((f"sqlrp source {projection.fingerprint}",))
    job = Job(projection, replace(frame, table=place), engine, output="array")
    text = plan(job, single_statement=True).script().text
    kept = {"text": text, "place": engine.table(place), "key": frame.key, "keep": frame.keep}
    values = ("text", name, json.dumps(kept), projection.fingerprint, __version__)
    return f"INSERT INTO {CATALOGUE} VALUES ({', '.join(map(engine.string, values))})"


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
