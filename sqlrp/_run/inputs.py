"""What `project` is given, opened: each kind of input binds, plans and runs itself. `open_input` alone asks the kind.

array, sparse matrix, rows in a list    frames/matrix.py
dataframe                               frames/memory_frames.py
sparse rows of a dataframe              frames/sparse_frames.py
lazy frame                              frames/lazy.py
table, view, file, join                 table_input.py
"""

from __future__ import annotations

from typing import Any, Protocol

from sqlrp._core.errors import ParameterError, shorten
from sqlrp._core.options import Options
from sqlrp._core.sources import Array, Long, Standardized
from sqlrp._engines.registry import PlanTarget, connector_of
from sqlrp._projections.projection import Projection
from sqlrp._run.frames.dataframes import DEFAULT_KEY, FrameColumns
from sqlrp._run.frames.kinds import is_dataframe, is_series, lazy_kind, without_connection
from sqlrp._run.frames.lazy import LazyInput
from sqlrp._run.frames.matrix import ArrayInput, is_matrix, matrix_of
from sqlrp._run.frames.memory_frames import FrameInput
from sqlrp._run.frames.sparse_frames import CellsInput
from sqlrp._run.table_input import TableInput, table_input


class Input(Protocol):
    """Rows of one kind, which project themselves."""

    def project(self, projection: Projection, options: Options) -> Any:
        """The projected rows, of the kind of the input."""


def open_input(source: Any, connection: Any, columns: FrameColumns) -> Input:
    """The input of a kind: an array, a frame, a lazy frame, or a table with its connection.

    Raises ParameterError for a list that is not one of rows of numbers, and for what the kind has no use for.
    """
    if is_matrix(source):
        named = columns.key not in (DEFAULT_KEY, None) or len(columns.keep) or columns.arrays is not None
        return ArrayInput(matrix_of(source), others=connection is not None or bool(named))
    if is_series(source):
        name = str(source.name if source.name else "embedding")
        source = Array(source.rename(name).to_frame(), name, key=None)
    how, rows = (source.how, source.source) if isinstance(source, Standardized) else (None, source)
    frame = rows.table if isinstance(rows, Array) else rows
    kind = lazy_kind(frame) if how is None else None
    if kind is None and not is_dataframe(frame):
        return _cells_or_table(source, connection, columns)
    if isinstance(rows, Array):
        if _are_named(columns):
            raise ParameterError(
                "key, keep and array_column stand in Array(frame, column, key, keep) itself: leave them out"
            )
        columns = FrameColumns(rows.key, rows.keep, rows.column, rows.n_features)
    if connection is not None:
        raise ParameterError(f"{kind or 'a dataframe'} needs no connection: leave it out, or pass a table's name")
    return FrameInput(frame, columns, how) if kind is None else LazyInput(frame, kind, columns)


def _cells_or_table(source: Any, connection: Any, columns: FrameColumns) -> CellsInput | TableInput:
    """The input of a source that names its columns itself."""
    if isinstance(source, Long) and is_dataframe(source.table):
        if _are_named(columns) or connection is not None:
            raise ParameterError(
                "Long(frame, key, feature, value) names its columns itself and needs no connection: leave out key, "
                "keep, array_column and the connection"
            )
        return CellsInput(source)
    if columns.arrays is not None:
        arrays = shorten(columns.arrays)
        raise ParameterError(f"array_column = {arrays} is for dataframes: pass Array(table, {arrays})")
    if _are_named(columns):
        named = f"key = {columns.key!r}" if columns.key != DEFAULT_KEY else f"keep = {shorten(columns.keep)}"
        raise ParameterError(f"{named} is for dataframes; a table's stand in its source: pass Wide(table, key, keep=…)")
    if connection is None:
        raise without_connection(source)
    return table_input(source, PlanTarget.of(connector_of(connection), connection))


def _are_named(columns: FrameColumns) -> bool:
    """Whether the caller of `project` says anything about columns."""
    return columns.key != DEFAULT_KEY or len(columns.keep) > 0 or columns.arrays is not None


__all__ = ["Input", "open_input"]
