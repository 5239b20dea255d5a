"""Sparse rows in a dataframe: (key, feature, value), projected by DuckDB in this process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from sqlrp._core.errors import SourceError, nearest
from sqlrp._core.sources import Long
from sqlrp._run.frames.arrow import arrow_of
from sqlrp._run.frames.kinds import is_polars

_NAME = "frame"


@contextmanager
def lent(source: Long) -> Iterator[tuple[Long, duckdb.DuckDBPyConnection]]:
    """The sparse rows of a dataframe as a table of a database that lives as long as the body.

    Raises SourceError for a column that the frame does not have.
    """
    table = arrow_of(source.table)
    for name in (source.key, source.feature, source.value):
        if name not in table.column_names:
            raise SourceError(f"dataframe has no column {name!r}{nearest(name, table.column_names)}: name it in Long")
    with duckdb.connect() as connection:
        connection.register(_NAME, table.select([source.key, source.feature, source.value]))
        yield replace(source, table=_NAME), connection


def of_kind(source: Long, result: pa.Table) -> Any:
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
