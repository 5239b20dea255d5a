"""Sparse rows in a dataframe: (key, feature, value), projected by DuckDB in this process."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from sqlrp._core.errors import SourceError, nearest
from sqlrp._core.options import Options
from sqlrp._core.sources import Long
from sqlrp._core.values import dataclass
from sqlrp._projections.projection import Projection
from sqlrp._run.frames.arrow import arrow_of
from sqlrp._run.frames.kinds import is_polars
from sqlrp._run.table_input import table_input

_NAME = "frame"


@dataclass(frozen=True)
class CellsInput:
    """The sparse rows of a dataframe. `source.table` is the dataframe."""

    source: Long

    def project(self, projection: Projection, options: Options) -> Any:
        """A frame of the same kind, with the keys in the order in which they come first.

        Raises SourceError for a column that the frame does not have.
        """
        source = self.source
        table, columns = arrow_of(source.table), [source.key, source.feature, source.value]
        for name in columns:
            if name not in table.column_names:
                near = nearest(name, table.column_names)
                raise SourceError(f"dataframe has no column {name!r}{near}: name it in Long")
        with duckdb.connect() as connection:
            connection.register(_NAME, table.select(columns))
            result = table_input(replace(source, table=_NAME), connection).project(projection, options)
        return _of_kind(source, result)


def _of_kind(source: Long, result: pa.Table) -> Any:
    """The result as a frame of the kind of the source's, with the keys in the order in which they come first."""
    keys = pc.unique(arrow_of(source.table).column(source.key).combine_chunks())
    places = pc.index_in(result.column(source.key).combine_chunks().cast(keys.type), keys)
    by = [("place", "ascending")] + [("component", "ascending")] * ("component" in result.column_names)
    result = result.append_column("place", places).sort_by(by).drop_columns(["place"])
    if isinstance(source.table, pa.Table):
        return result
    if is_polars(source.table):
        return sys.modules["polars"].from_arrow(result)
    return result.to_pandas()
