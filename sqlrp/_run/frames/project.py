"""Frames in place of a table's name: dataframes are projected in memory, lazy frames give lazy frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlrp._core.errors import ParameterError
from sqlrp._core.options import Options
from sqlrp._core.sources import Array, Standardized
from sqlrp._projections.projection import Projection
from sqlrp._run.frames.arrow import held
from sqlrp._run.frames.dataframes import Arrays
from sqlrp._run.frames.kinds import is_dataframe, lazy_kind
from sqlrp._run.frames.lazy import project_lazy
from sqlrp._run.frames.memory_frames import project_dataframe, without_lowering
from sqlrp._run.statistics import plain


def is_frame(source: object) -> bool:
    """Whether a source is a dataframe, a lazy frame, an Array of one, or a standardized dataframe or Array of one."""
    rows = source.source if isinstance(source, Standardized) else source
    rows = rows.table if isinstance(rows, Array) else rows
    return is_dataframe(rows) or (lazy_kind(rows) is not None and not isinstance(source, Standardized))


def project_frame(
    projection: Projection,
    source: Any,
    connection: Any,
    options: Options,
    key: str | None,
    keep: Sequence[str],
    array_column: str | Sequence[str] | None = None,
) -> Any:
    """A frame of the same kind with the projected rows. Raises ParameterError if a connection is given."""
    arrays = Arrays(array_column)
    rows = source.source if isinstance(source, Standardized) else source
    if isinstance(rows, Array):
        if key != "id" or keep or array_column is not None:
            raise ParameterError(
                "key, keep and array_column stand in Array(frame, column, key, keep) itself: leave them out"
            )
        keep, arrays = rows.keep, Arrays(rows.column, rows.n_features)
        key, rows = rows.key, rows.table
    rows = held(rows)
    if isinstance(source, Standardized):
        projection, rows = plain(projection, replace(source, source=rows), connection, key, keep, arrays)
    lazy = lazy_kind(rows)
    if connection is not None:
        raise ParameterError(f"{lazy or 'a dataframe'} needs no connection: leave it out, or pass a table's name")
    if lazy:
        return project_lazy(projection, rows, options, key, keep, arrays)
    without_lowering(options.lowering, "a dataframe")
    return project_dataframe(projection, rows, options, key, keep, arrays)
