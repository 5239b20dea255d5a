"""Frames in place of a table's name: dataframes are projected in memory, lazy frames give lazy frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlrp.core.errors import ParameterError
from sqlrp.core.options import Options
from sqlrp.core.sources import Standardized
from sqlrp.projections.base import Projection
from sqlrp.run.lazy import lazy_kind, project_lazy
from sqlrp.run.memory import is_dataframe, project_dataframe, without_lowering
from sqlrp.run.preparing import plain


def is_frame(source: object) -> bool:
    """Whether a source is a dataframe, a standardized dataframe or a lazy frame."""
    rows = source.source if isinstance(source, Standardized) else source
    return is_dataframe(rows) or lazy_kind(source) is not None


def project_frame(
    projection: Projection, source: Any, connection: Any, options: Options, key: str | None, keep: Sequence[str]
) -> Any:
    """A frame of the same kind with the projected rows. Raises ParameterError if a connection is given."""
    projection, frame = plain(projection, source, connection, key or "id", keep)
    lazy = lazy_kind(frame)
    if connection is not None:
        raise ParameterError(f"{lazy or 'a dataframe'} needs no connection: leave it out, or pass a table's name")
    if lazy:
        return project_lazy(projection, frame, options, key, keep)
    without_lowering(options.lowering, "a dataframe")
    return project_dataframe(projection, frame, options, key or "id", keep)
