"""The statistics of a `Standardized` source, from one query in its database or by numpy for a dataframe."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import ParameterError, SourceError, warn
from sqlrp._core.numbers import DOUBLE
from sqlrp._core.quiet import hidden
from sqlrp._core.sources import How, Join, Source, Standardized, as_source
from sqlrp._engines.registry import connector_of
from sqlrp._evaluator import MatrixRows, program, run
from sqlrp._lowering.endpoints import checked_array
from sqlrp._lowering.frame import Frame
from sqlrp._projections.held_arrays import pack
from sqlrp._projections.prepared import Prepared
from sqlrp._projections.projection import Projection
from sqlrp._run.bind import cautions_of_columns, look, refuse
from sqlrp._run.frames.dataframes import DEFAULT_COLUMNS, FrameColumns, features, resolve_dataframe
from sqlrp._run.frames.kinds import is_dataframe

Floats = npt.NDArray[np.float64]

_AGGREGATES: dict[How, tuple[str, ...]] = {
    "standard": ("MIN({m})", "AVG(({x}-{m})*({x}-{m}))", "COUNT({x})"),
    "minmax": ("MIN({x})", "MAX({x})", "AVG({x})"),
    "tfidf": ("SUM(CASE WHEN {x} <> 0 THEN 1 ELSE 0 END)",),
}
"""The aggregates of every feature x with mean m. A separate query computes m first, so that the squares stay small."""

_BATCH = 250  # features per query, because the columns of a result are limited


def plain(
    projection: Projection,
    source: Source | Standardized | str | Any,
    connection: Any,
    columns: FrameColumns = DEFAULT_COLUMNS,
) -> tuple[Projection, Any]:
    """The projection with the statistics of a standardized source, and the plain source; any other source as it is.

    The source may be a table or a dataframe. Raises ParameterError for a projection that learns.
    """
    if not isinstance(source, Standardized):
        return projection, source
    _check_fitted(projection)
    return prepare(projection, source, connection, columns), source.source


def plain_table(
    projection: Projection, source: Source | Standardized | Join | str, connector: Connector | None, connection: Any
) -> tuple[Projection, Any, list[str]]:
    """The same of a table, a view or a file, and what to warn of. Without a connection there is no `connector`."""
    if not isinstance(source, Standardized):
        return projection, source, []
    _check_fitted(projection)
    made, frame = _prepare_table(projection, source, connector, connection)
    return made, source.source, cautions_of_columns(frame)


def plain_frame(projection: Projection, frame: Any, how: How, columns: FrameColumns) -> tuple[Projection, list[str]]:
    """The projection with the statistics of a dataframe, and what to warn of."""
    _check_fitted(projection)
    made, seen = _prepare_frame(projection, Standardized(frame, how), columns)
    return made, cautions_of_columns(seen)


def _check_fitted(projection: Projection) -> None:
    """Raise ParameterError for a projection that learns: it must also learn from prepared rows, by `sqlrp.fit`."""
    if projection.learns:
        raise ParameterError(
            f"{type(projection).__name__} learns from data, which must be prepared too: use "
            "sqlrp.fit(projection, Standardized(…), con), and what it returns on the plain source"
        )


def prepare(
    projection: Projection,
    source: Standardized,
    connection: Any,
    columns: FrameColumns = DEFAULT_COLUMNS,
) -> Prepared:
    """The projection of prepared rows: it carries the statistics of the source and is bound to its features."""
    if not is_dataframe(source.source):
        connector = None if connection is None else connector_of(connection)
        own = replace(source, source=as_source(source.source))
        made, frame = _prepare_table(projection, own, connector, connection)
    elif connection is not None:
        raise ParameterError("a dataframe needs no connection: leave it out, or pass a table's name")
    else:
        made, frame = _prepare_frame(projection, source, columns)
    warn(*cautions_of_columns(frame))
    return made


def _check_unprepared(projection: Projection) -> None:
    if projection.unprepared is not projection:
        raise ParameterError("the projection carries statistics of its own: pass it the plain source")


def _prepare_frame(projection: Projection, source: Standardized, columns: FrameColumns) -> tuple[Prepared, Frame]:
    _check_unprepared(projection)
    table, frame = resolve_dataframe(source.source, columns, projection.bound_to)
    found = {} if source.how == "l2" else _learnt(source.how, _of_rows(features(table, frame), source.how), frame)
    return _prepared(projection, source.how, frame, found, table.num_rows), frame


def _prepare_table(
    projection: Projection, source: Standardized, connector: Connector | None, connection: Any
) -> tuple[Prepared, Frame]:
    _check_unprepared(projection)
    if connector is None:
        raise ParameterError("the statistics of a Standardized source need a look at its rows: pass a connection")
    how = source.how
    refuse(source.source, connector.dialect)
    with connector.working(connection) as session:
        frame = look(connector, session, source.source, bound_to=projection.bound_to)
        found: dict[str, npt.NDArray[Any]] = {}
        n = 0
        if how == "tfidf" and frame.layout == "long":
            found, n = _of_documents(connector, session, frame)
        elif how != "l2":
            raw = (_of_columns if frame.layout == "wide" else _of_elements)(connector, session, frame, how)
            found, n = _learnt(how, raw, frame), _count(connector, session, connector.dialect.table(frame.table))
    return _prepared(projection, how, frame, found, n), frame


def _prepared(
    projection: Projection, how: How, frame: Frame, found: dict[str, npt.NDArray[Any]], rows: int
) -> Prepared:
    """The projection with the statistics that were found in so many rows of a frame."""
    if how == "tfidf":
        found |= {"n": np.array(rows)}
    names = frame.names if frame.layout == "wide" else frame.n_features
    return Prepared(of=projection, how=how, state=pack(**found) if found else None, bound_to=names)


def _learnt(how: How, raw: Floats, frame: Frame) -> dict[str, npt.NDArray[Any]]:
    """The statistics from the aggregates, shape (aggregates, features), as scikit-learn computes them."""
    bad = np.flatnonzero(~np.isfinite(raw).all(axis=0))
    if bad.size:
        feature = frame.names[bad[0]] if frame.layout == "wide" else int(bad[0])
        raise SourceError(
            f"{bad.size} features of {frame.table} cannot be standardized by their numbers, such as {feature!r}: they "
            "hold NULL only, NaN or infinity; leave them out, or clean the rows"
        )
    eps = np.finfo(np.float64).eps
    if how == "standard":
        mean, variance, n = raw
        constant = variance <= n * eps * variance + (n * mean * eps) ** 2  # rounding alone may give this much
        return {"offset": mean, "size": np.where(constant, 1.0, np.sqrt(variance))}
    if how == "minmax":
        size = raw[1] - raw[0]
        return {"offset": raw[0], "size": np.where(size < 10 * eps, 1.0, size)}
    return {"df": raw[0]}


def _of_rows(x: Floats, how: How) -> Floats:
    """The aggregates of rows in memory, NaN for NULL."""
    if how == "tfidf":
        return np.asarray((np.nan_to_num(x) != 0).sum(axis=0, dtype=np.float64)[None, :])
    # They warn of a feature with only NULL. Its error names it.
    with hidden(category=RuntimeWarning), np.errstate(all="ignore"):
        if how == "minmax":
            return np.stack([np.nanmin(x, axis=0), np.nanmax(x, axis=0)])
        return np.stack([np.nanmean(x, axis=0), np.nanvar(x, axis=0), np.count_nonzero(~np.isnan(x), axis=0)])


def _of_columns(connector: Connector, connection: Any, frame: Frame, how: How) -> Floats:
    """The aggregates of a wide source, one column each, some hundred features per query."""
    engine, parts = connector.dialect, []
    for start in range(0, len(frame.names), _BATCH):
        at = range(start, min(start + _BATCH, len(frame.names)))
        read = [f"{engine.widen(engine.quote(frame.names[j]), frame.numbers[j], DOUBLE)} AS x{j}" for j in at]
        rows = f"(SELECT {', '.join(read)} FROM {engine.table(frame.table)}) s"
        if how == "standard":
            rows += f" CROSS JOIN (SELECT {', '.join(f'AVG(x{j}) AS m{j}' for j in at)} FROM {rows}) m"
        aggregates = [
            f"{text.format(x=f'x{j}', m=f'm{j}')} AS a{i}_{j}" for i, text in enumerate(_AGGREGATES[how]) for j in at
        ]
        found = connector.fetch(connection, f"SELECT {', '.join(aggregates)} FROM {rows}{engine.settings}")
        parts.append(_numbers(column[0].as_py() for column in found.columns).reshape(-1, len(at)))
    return np.concatenate(parts, axis=1)


def _of_elements(connector: Connector, connection: Any, frame: Frame, how: How) -> Floats:
    """The aggregates of an array column, over its unnested elements."""
    engine = connector.dialect
    array = engine.cast_array(checked_array(engine, frame), DOUBLE)
    cells = engine.unnest(f"(SELECT {array} AS x FROM {engine.table(frame.table)}) s", [], "x", "f", "x")
    aggregates = ", ".join(f"{text.format(x='c.x', m='a.m')} AS a{i}" for i, text in enumerate(_AGGREGATES[how]))
    means = f" JOIN (SELECT f, AVG(x) AS m FROM ({cells}) c GROUP BY f) a ON a.f = c.f" if how == "standard" else ""
    found = connector.fetch(
        connection,
        f"SELECT c.f AS f, {aggregates} FROM ({cells}) c{means} GROUP BY c.f ORDER BY f ASC{engine.settings}",
    )
    raw = np.full((len(_AGGREGATES[how]), frame.n_features or 0), np.nan)
    for f, *values in zip(*(column.to_pylist() for column in found.columns), strict=True):
        raw[:, f] = _numbers(values)
    return raw


def _of_documents(connector: Connector, connection: Any, frame: Frame) -> tuple[dict[str, npt.NDArray[Any]], int]:
    """The number of rows in which each feature of a long source is not 0, and the number of rows."""
    engine = connector.dialect
    key, table = engine.quote(frame.key or ""), engine.table(frame.table)
    feature, value = (engine.quote(name) for name in frame.names)
    number = engine.hash_name(feature) if frame.text_features else feature
    x = engine.widen(value, frame.number, DOUBLE)
    cells = f"SELECT {key} AS r, {number} AS f, {x} AS x FROM {table}"
    summed = f"SELECT r, f, SUM(x) AS x FROM ({cells}) c WHERE f IS NOT NULL GROUP BY r, f"
    found = connector.fetch(
        connection,
        f"SELECT f, COUNT(*) AS df FROM ({summed}) s WHERE x <> 0 GROUP BY f ORDER BY f ASC{engine.settings}",
    )
    f = np.array(found.column(0).to_pylist(), dtype=np.int64)
    df = np.array(found.column(1).to_pylist(), dtype=np.int64)
    return {"features": f, "df": df}, _count(connector, connection, f"(SELECT {key} FROM {table} GROUP BY {key}) k")


def _count(connector: Connector, connection: Any, relation: str) -> int:
    return int(connector.fetch(connection, f"SELECT COUNT(*) AS n FROM {relation}").column(0).to_pylist()[0])


def _numbers(values: Any) -> Floats:
    return np.array([np.nan if v is None else float(v) for v in values])


def prepared_rows(projection: Projection, x: Floats) -> Floats:
    """Rows of float64, shape (rows, features), after the projection's preparation."""
    stages, d = projection.preparation, x.shape[1]
    made = program(stages, np.arange(d, dtype=np.int64), [np.float64] * (len(stages) + 1))
    return run(made, MatrixRows(np.ascontiguousarray(x)), by_rows=True)


__all__ = ["plain", "plain_frame", "plain_table", "prepare", "prepared_rows"]
