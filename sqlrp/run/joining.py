"""Bind a join table by table, and plan it as a whole."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from sqlrp.connectors.base import Connector
from sqlrp.core.errors import SourceError, shorten
from sqlrp.core.options import Options
from sqlrp.core.sources import Join
from sqlrp.dialects.base import Dialect
from sqlrp.lowering.frame import Frame
from sqlrp.lowering.join import plan_join
from sqlrp.lowering.planner import Plan
from sqlrp.projections.base import Projection
from sqlrp.run.bind import caution, look, refuse, resolve


def planned_join(
    projection: Projection,
    source: Join,
    engine: Dialect,
    connector: Connector | None,
    connection: Any,
    options: Options,
    quiet: bool,
) -> Plan:
    """The plan of a join's projection; without a `connector` only by the names. `quiet`: give no warnings."""
    with connector.session(connection) if connector else nullcontext() as session:
        frames = frames_of(source, engine, connector, session)
    if not quiet:
        caution(projection, *frames, n_features=sum(frame.n_features or 0 for frame in frames))
    return plan_join(projection, source, frames, engine, options)


def frames_of(source: Join, engine: Dialect, connector: Connector | None, connection: Any) -> list[Frame]:
    """The frame of the fact table, which keeps its join columns, then the frame of each dimension.

    Without a `connector` the names alone are used. Raises SourceError for a key that occurs twice in a dimension,
    because the join would repeat rows of the fact table.
    """
    fact = source.fact
    own = {fact.key, *fact.keep}
    keep = (*fact.keep, *(column for column in source.dimensions if column not in own))
    tables = [replace(fact, keep=keep), *source.dimensions.values()]
    for table in tables:
        refuse(table, engine)
    if connector is None:
        return [resolve(table, None, engine) for table in tables]
    frames = [look(connector, connection, table, may_be_empty=not i) for i, table in enumerate(tables)]
    for frame in frames[1:]:
        key = engine.quote(frame.key or "")
        twice = connector.fetch(
            connection,
            f"SELECT {key} FROM {engine.table(frame.table)} WHERE {key} IS NOT NULL "
            f"GROUP BY {key} HAVING count(*) > 1 ORDER BY {key} LIMIT 1",
        ).column(0)
        if len(twice):
            raise SourceError(
                f"key {frame.key!r} of {frame.table} comes more than once: {shorten(twice[0].as_py(), 30)}; a "
                "dimension must have one row a key, or the join repeats rows"
            )
    return frames
