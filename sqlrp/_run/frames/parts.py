"""Frames in parts on one machine or many: Dask's and Daft's. Each part is projected by the evaluator when it is read.

A worker needs sqlrp, as the function of a part is sent to it by name (Dask) or as it is (Daft).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa

from sqlrp._connectors.arrow_cursors import stored_type
from sqlrp._core.errors import SourceError, UnsupportedError, shorten, warn
from sqlrp._core.options import Options
from sqlrp._core.sources import Array
from sqlrp._lowering.job import Job
from sqlrp._lowering.left_out import SAMPLE
from sqlrp._projections.projection import Projection
from sqlrp._run.bind import cautions
from sqlrp._run.frames.arrow import arrow_of
from sqlrp._run.frames.dataframes import FrameColumns, columns_of, peeked, source_of, tuples
from sqlrp._run.frames.memory_frames import arrow_job, project_dataframe


def project_dask(projection: Projection, frame: Any, options: Options, columns: FrameColumns) -> Any:
    """A Dask frame whose partitions are those of the frame, projected. Only the first rows are computed.

    Raises UnsupportedError for groups, SourceError for lists that Dask has turned into text.
    """
    meta = frame._meta

    def length(name: str) -> int | None:
        if not isinstance(meta.dtypes[name], sys.modules["pandas"].ArrowDtype):
            raise SourceError(
                f"array column {shorten(name)} of the Dask frame is {meta.dtypes[name]}, as Dask turns lists into "
                "text: read the file again with dtype_backend='pyarrow', or make the frame from one of pandas with the "
                "column's type pandas.ArrowDtype(pyarrow.list_(pyarrow.float64()))"
            )
        first = frame[name].dropna().head(1, npartitions=-1)
        return len(first.iloc[0]) if len(first) else None

    columns = _with_lengths(projection, arrow_of(meta), columns, length)

    def rows(names: Sequence[str]) -> Iterable[Sequence[object]]:
        first = frame[list(names)].get_partition(0)
        return tuples(arrow_of(first.map_partitions(type(meta).head, SAMPLE).compute()))

    _ = _checked(projection, arrow_of(meta), options, columns, "a Dask frame", rows)
    part = partial(_part, projection=projection, options=options, columns=columns)
    return frame.map_partitions(part, meta=part(meta))


def _part(part: Any, projection: Projection, options: Options, columns: FrameColumns) -> Any:
    return project_dataframe(projection, part, options, columns)


def project_daft(projection: Projection, frame: Any, options: Options, columns: FrameColumns) -> Any:
    """A Daft frame of a function of the columns in batches. Only the first rows are computed.

    Raises UnsupportedError for groups, and for output = "long", which gives other rows; SourceError for tensors of any
    shape.
    """
    import daft

    if options.output == "long":
        raise UnsupportedError(
            "output = 'long' is not supported for a Daft frame, as a function of it gives one row for each: use "
            "'columns' or 'array'"
        )
    empty = frame.schema().to_pyarrow_schema().empty_table()

    def length(name: str) -> int | None:
        if isinstance(empty.schema.field(name).type, pa.BaseExtensionType):
            raise SourceError(
                f"array column {shorten(name)} of the Daft frame is {frame.schema()[name].dtype}: cast it to a list or "
                "an embedding, such as daft.DataType.embedding(daft.DataType.float32(), 768)"
            )
        first = frame.where(frame[name].not_null()).select(name).limit(1).to_arrow()[name]
        return len(first[0]) if len(first) else None

    columns = _with_lengths(projection, empty, columns, length)

    def rows(names: Sequence[str]) -> Iterable[Sequence[object]]:
        return tuples(frame.select(*names).limit(SAMPLE).to_arrow())

    job = _checked(projection, empty, options, columns, "a Daft frame", rows)
    names = job.frame.names

    features = replace(columns, key=None, keep=())

    def batch(*given: Any) -> Any:
        read = pa.table([column.to_arrow() for column in given], names=list(names))
        made = project_dataframe(projection, read, options, features)
        return daft.Series.from_arrow(made.to_struct_array().combine_chunks())

    made = project_dataframe(projection, empty, options, columns)
    types = {name: daft.DataType.from_arrow_type(made.schema.field(name).type) for name in job.output_names}
    projected = daft.func.batch(return_dtype=daft.DataType.struct(types), unnest=True)(batch)
    return frame.select(*(frame[name] for name in job.frame.kept), projected(*(frame[name] for name in names)))


def _checked(
    projection: Projection,
    empty: pa.Table,
    options: Options,
    columns: FrameColumns,
    what: str,
    rows: Callable[[Sequence[str]], Iterable[Sequence[object]]],
) -> Job:
    """The job of a frame without rows. `rows`: reads the first rows of columns that may hold numbers."""
    job = arrow_job(projection, empty, options, columns)
    if job.grouped:
        raise UnsupportedError(
            f"{what} is projected part by part, and the rows of a group may be in several: pass the frame as a "
            "pyarrow.Table, or a table and a connection"
        )
    warn(*cautions(projection, peeked(job.frame, rows)))
    return job


def _with_lengths(
    projection: Projection, empty: pa.Table, columns: FrameColumns, length: Callable[[str], int | None]
) -> FrameColumns:
    """The columns, with the lengths of the first lists of arrays if neither type nor caller says them."""
    source = source_of("frame", columns_of(empty.schema), columns, projection.bound_to)
    if not isinstance(source, Array) or not set(source.columns) <= set(empty.column_names):
        return columns
    asked = zip(source.columns, source.lengths, strict=True)
    stored = {name: stored_type(empty.schema.field(name).type) for name in source.columns}
    sizes = [n or getattr(stored[name], "list_size", None) or length(name) for name, n in asked]
    known = [n for n in sizes if n is not None]
    return replace(columns, arrays=source.column, n_features=known if len(known) == len(sizes) else None)
