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
from sqlrp._core.errors import SourceError, UnsupportedError, shorten
from sqlrp._core.options import Options
from sqlrp._core.sources import Array
from sqlrp._lowering.job import Job
from sqlrp._lowering.left_out import SAMPLE
from sqlrp._projections.projection import Projection
from sqlrp._run.bind import caution
from sqlrp._run.frames.arrow import arrow_of
from sqlrp._run.frames.dataframes import Arrays, columns_of, peeked, source_of, tuples
from sqlrp._run.frames.memory_frames import arrow_job, project_dataframe


def project_dask(
    projection: Projection, frame: Any, options: Options, key: str | None, keep: Sequence[str], arrays: Arrays
) -> Any:
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

    arrays = _with_lengths(projection, arrow_of(meta), key, keep, arrays, length)

    def rows(names: Sequence[str]) -> Iterable[Sequence[object]]:
        first = frame[list(names)].get_partition(0)
        return tuples(arrow_of(first.map_partitions(type(meta).head, SAMPLE).compute()))

    _ = _checked(projection, arrow_of(meta), options, (key, keep, arrays), "a Dask frame", rows)
    part = partial(_part, projection=projection, options=options, key=key, keep=keep, arrays=arrays)
    return frame.map_partitions(part, meta=part(meta))


def _part(
    part: Any, projection: Projection, options: Options, key: str | None, keep: Sequence[str], arrays: Arrays
) -> Any:
    return project_dataframe(projection, part, options, key, keep, arrays, quiet=True)


def project_daft(
    projection: Projection, frame: Any, options: Options, key: str | None, keep: Sequence[str], arrays: Arrays
) -> Any:
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

    arrays = _with_lengths(projection, empty, key, keep, arrays, length)

    def rows(names: Sequence[str]) -> Iterable[Sequence[object]]:
        return tuples(frame.select(*names).limit(SAMPLE).to_arrow())

    job = _checked(projection, empty, options, (key, keep, arrays), "a Daft frame", rows)
    names = job.frame.names

    def batch(*columns: Any) -> Any:
        read = pa.table([column.to_arrow() for column in columns], names=list(names))
        made = project_dataframe(projection, read, options, None, (), arrays, quiet=True)
        return daft.Series.from_arrow(made.to_struct_array().combine_chunks())

    made = project_dataframe(projection, empty, options, key, keep, arrays, quiet=True)
    types = {name: daft.DataType.from_arrow_type(made.schema.field(name).type) for name in job.output_names}
    projected = daft.func.batch(return_dtype=daft.DataType.struct(types), unnest=True)(batch)
    return frame.select(*(frame[name] for name in job.frame.kept), projected(*(frame[name] for name in names)))


def _checked(
    projection: Projection,
    empty: pa.Table,
    options: Options,
    of: tuple[str | None, Sequence[str], Arrays],
    what: str,
    rows: Callable[[Sequence[str]], Iterable[Sequence[object]]],
) -> Job:
    """The job of a frame without rows. `rows`: reads the first rows of columns that may hold numbers."""
    job = arrow_job(projection, empty, options, *of)
    if job.grouped:
        raise UnsupportedError(
            f"{what} is projected part by part, and the rows of a group may be in several: pass the frame as a "
            "pyarrow.Table, or a table and a connection"
        )
    caution(projection, peeked(job.frame, rows))
    return job


def _with_lengths(
    projection: Projection,
    empty: pa.Table,
    key: str | None,
    keep: Sequence[str],
    arrays: Arrays,
    length: Callable[[str], int | None],
) -> Arrays:
    """What is said about array columns, with the lengths of their first lists if neither type nor caller says them."""
    source = source_of("frame", columns_of(empty.schema), key, keep, projection.bound_to, arrays)
    if not isinstance(source, Array) or not set(source.columns) <= set(empty.column_names):
        return arrays
    asked = zip(source.columns, source.lengths, strict=True)
    stored = {name: stored_type(empty.schema.field(name).type) for name in source.columns}
    sizes = [n or getattr(stored[name], "list_size", None) or length(name) for name, n in asked]
    known = [n for n in sizes if n is not None]
    return replace(arrays, column=source.column, n_features=known if len(known) == len(sizes) else None)
