"""The door for frames: rows in memory, of any library, as a table of Arrow whose numbers have plain types.

Numbers may be encoded, by a dictionary or by runs, or have a type of one library alone. They are decoded here, so that
such a column is a feature like any other. A column of NULL alone may have no type. It is a feature, too: the next rows
may have numbers there, and all features keep their places. Keys and kept columns of a result come from the frame itself
(`with_own`), so that they keep their types.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from sqlrp._core.errors import SourceError, shorten
from sqlrp._core.memory import side_by_side
from sqlrp._run.frames.kinds import is_dataframe, is_pandas, is_polars

PARTITIONS = b"sqlrp_partitions"
"""The key in the metadata of a table's schema under which the columns stand that names of folders give, as JSON."""


def arrow_of(frame: Any) -> pa.Table:
    """A frame as a pyarrow.Table whose columns of numbers are plain. Raises SourceError if it cannot be converted."""
    try:
        if is_pandas(frame):
            table = _of_pandas(named(frame))
        elif is_polars(frame):
            table = _of_polars(frame)
        else:
            table = _of_arrow(frame)
    except (pa.ArrowException, TypeError) as error:
        words = "; ".join(map(str, error.args))
        raise SourceError(f"dataframe cannot be read as columns of one type each: {words}") from error
    # Without rows, a column without a type may be one of text as well.
    columns = [_plain(column) if len(table) or column.type != pa.null() else column for column in table.columns]
    fields = [
        field if column.type == field.type else pa.field(field.name, column.type, field.nullable)
        for field, column in zip(table.schema, columns, strict=True)
    ]
    return pa.table(columns, pa.schema(fields, table.schema.metadata))


def held(source: Any) -> Any:
    """A frame of pandas or polars as it is; what gives Arrow as a table, as it may give its rows only once.

    What is no frame is returned as it is.
    """
    return _of_arrow(source) if is_dataframe(source) and not (is_pandas(source) or is_polars(source)) else source


def named(frame: Any) -> Any:
    """A pandas frame whose columns have texts as names; those of several levels are joined by an underscore."""
    if frame.columns.nlevels > 1:
        return frame.set_axis(["_".join(map(str, name)) for name in frame.columns.to_flat_index()], axis=1)
    return frame.rename(columns=str)


def with_own(frame: Any, kept: Sequence[str], values: pa.Table, repeats: int = 1, types: Any = None) -> Any:
    """The columns `kept` of a frame, as they are there, and the columns of `values`: a frame of the same kind.

    `repeats`: the rows of `values` for each of the frame. `types`: the types_mapper of pyarrow for pandas.
    """
    if is_pandas(frame):
        own = named(frame)[list(kept)]
        own = own if repeats == 1 else own.iloc[np.repeat(np.arange(len(frame)), repeats)]
        return sys.modules["pandas"].concat([own, values.to_pandas(types_mapper=types).set_axis(own.index)], axis=1)
    if is_polars(frame):
        made = sys.modules["polars"].from_arrow(values)
        own = frame.select(list(kept))
        own = own if repeats == 1 or not kept else own[np.repeat(np.arange(frame.height), repeats)]
        return own.hstack(made.get_columns()) if kept else made
    if not kept:
        return values
    own = _of_arrow(frame).select(list(kept))
    at = None if repeats == 1 else pa.array(np.repeat(np.arange(len(own)), repeats))
    columns = own.columns if at is None else [_taken(column, at) for column in own.columns]
    return pa.table([*columns, *values.columns], pa.schema([*own.schema, *values.schema]))


def _taken(column: Any, at: pa.Array) -> Any:
    """Rows of a column of any type: Arrow takes none of views and of runs."""
    kind = column.type
    if pa.types.is_run_end_encoded(kind):
        import pyarrow.compute as pc

        return pc.run_end_encode(_taken(pc.run_end_decode(column), at), kind.run_end_type)
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        plain = pa.large_string() if pa.types.is_string_view(kind) else pa.large_binary()
        return column.cast(plain).take(at).cast(kind)
    return column.take(at)


def _of_arrow(frame: Any) -> pa.Table:
    """What gives Arrow, as a table."""
    if isinstance(frame, pa.Table):
        table = frame
    elif hasattr(frame, "to_table"):  # a dataset, or a scanner of one
        table = frame.to_table()
        partitions = getattr(getattr(frame, "partitioning", None), "schema", None)
        if partitions is not None:
            named = {PARTITIONS: json.dumps(partitions.names).encode()}
            table = table.replace_schema_metadata({**(table.schema.metadata or {}), **named})
    elif isinstance(frame, pa.RecordBatch):
        table = pa.Table.from_batches([frame])
    elif isinstance(frame, pa.RecordBatchReader):
        table = frame.read_all()
    else:
        table = pa.table(frame)
    _check_names(table.column_names)
    return table


def _of_polars(frame: Any) -> pa.Table:
    """A frame of polars. A column of Python's objects has no number for C, and 128-bit integers have no type there."""
    polars = sys.modules["polars"]
    odd = {"Int128", "UInt128"}
    changed = [
        polars.lit(None, polars.String).alias(name)
        if kind == polars.Object
        else polars.col(name).cast(polars.Decimal(38, 0) if _fits(frame[name]) else polars.Float64)
        for name, kind in frame.schema.items()
        if kind == polars.Object or str(kind) in odd
    ]
    return frame.with_columns(changed).to_arrow() if changed else frame.to_arrow()


def _fits(column: Any) -> bool:
    """Whether whole numbers have at most 38 digits."""
    low, high = column.min(), column.max()
    return low is None or max(-low, high) < 10**38


def _of_pandas(frame: Any) -> pa.Table:
    """A frame of pandas, without its index."""
    _check_names(list(frame.columns))
    thin = [name for name, kind in frame.dtypes.items() if isinstance(kind, sys.modules["pandas"].SparseDtype)]
    if thin:
        frame = frame.assign(**{name: frame[name].sparse.to_dense() for name in thin})
    long = [name for name, kind in frame.dtypes.items() if kind == np.longdouble and kind != np.float64]
    if long:  # Arrow has no such numbers
        frame = frame.astype(dict.fromkeys(long, np.float64))
    first, floats = _floats(frame)
    others = [j for j in range(frame.shape[1]) if not first <= j < first + len(floats)]
    try:
        table = pa.Table.from_pandas(frame.iloc[:, others] if floats else frame, preserve_index=False)
    except OverflowError as error:
        large = [name for name in frame if any(isinstance(v, int) and abs(v) >= 2**63 for v in frame[name])]
        raise SourceError(
            f"dataframe has a whole number beyond 64 bits in column {shorten(large[0])}: cast the column to float"
        ) from error
    if not floats:
        return table
    columns = [*table.columns[:first], *floats, *table.columns[first:]]
    return pa.Table.from_arrays(columns, names=list(frame.columns))


def _floats(frame: Any) -> tuple[int, list[pa.Array]]:
    """The columns of float64 of a pandas frame that lie together as one matrix, and the place of the first.

    `Table.from_pandas` looks at every number for NaN, which is NULL in pandas, and takes ten times as long as a sum. No
    column is copied. The list is empty if the columns lie otherwise.
    """
    at = [j for j, dtype in enumerate(frame.dtypes) if dtype == np.float64]
    if len(at) < 2 or not len(frame) or at[-1] - at[0] >= len(at):
        return 0, []
    first, last = (frame.iloc[:, j].to_numpy() for j in (at[0], at[-1]))
    if not side_by_side(first, last, len(at) - 1):
        return 0, []
    x = frame.iloc[:, at[0] : at[-1] + 1].to_numpy()
    with np.errstate(invalid="ignore"):
        odd = np.isnan(x.sum(axis=0))
    return at[0], [pa.array(column, from_pandas=bool(nan)) for column, nan in zip(x.T, odd, strict=True)]


def _check_names(names: list[str]) -> None:
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise SourceError(f"dataframe has the column {twice!r} twice: rename one")


def _plain(column: Any) -> Any:
    """A column of numbers as one of a plain type; any other column as it is."""
    kind = column.type
    if pa.types.is_null(kind):
        return column.cast(pa.float64())
    if isinstance(kind, pa.BaseExtensionType):
        return _boolean(column)
    if pa.types.is_run_end_encoded(kind) and _is_number(kind.value_type):
        import pyarrow.compute as pc  # here, as its import takes long and few columns need it

        return _plain(pc.run_end_decode(column))
    if pa.types.is_dictionary(kind) and _is_number(kind.value_type):
        return _plain(column.cast(kind.value_type))
    return column


def is_simple(kind: pa.DataType) -> bool:
    """Whether Arrow's functions take a column of the type: no view, no nested, encoded or extension type."""
    types = pa.types
    odd = (types.is_nested, types.is_dictionary, types.is_run_end_encoded, types.is_binary_view, types.is_string_view)
    return not isinstance(kind, pa.BaseExtensionType) and not any(of(kind) for of in odd)


def _boolean(column: Any) -> Any:
    """A column of an extension type; Arrow's own type of booleans of 8 bits as booleans."""
    if getattr(column.type, "extension_name", "") != "arrow.bool8":
        return column
    stored = [chunk.storage.cast(pa.bool_()) for chunk in column.chunks]
    return pa.chunked_array(stored, pa.bool_())


def _is_number(kind: pa.DataType) -> bool:
    """Whether values of a type are numbers, or would be if they were decoded."""
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _is_number(kind.value_type)
    types = pa.types
    return any(of(kind) for of in (types.is_boolean, types.is_integer, types.is_floating, types.is_decimal))


__all__ = ["arrow_of", "held", "is_simple", "named", "with_own"]
