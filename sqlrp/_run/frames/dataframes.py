"""What a dataframe holds, as the columns that an engine would report, and as numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._connectors.arrow_cursors import stored_type
from sqlrp._core.errors import SourceError, shorten
from sqlrp._core.names import index_of, spelled
from sqlrp._core.numbers import BOOLEAN, DOUBLE, FLOAT, Number
from sqlrp._core.sources import Array, Wide
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Column, ColumnType
from sqlrp._engines.registry import ENGINES
from sqlrp._evaluator.tile_sources import rounded
from sqlrp._lowering.evaluation import array_rows
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.left_out import SAMPLE
from sqlrp._run.bind import is_index, resolve
from sqlrp._run.frames.arrow import PARTITIONS, arrow_of
from sqlrp._run.frames.kinds import is_dataframe, is_pandas

DEFAULT_KEY = "id"
"""The key's column unless the caller names another one."""


@dataclass(frozen=True)
class FrameColumns:
    """What the caller says about a frame's columns. All other columns of numbers are features."""

    key: str | None = DEFAULT_KEY
    """None: the frame has no key"""
    keep: Sequence[str] = ()
    arrays: str | Sequence[str] | None = None
    """the columns of arrays, if they are named"""
    n_features: int | Sequence[int] | None = None
    """the lengths of the arrays, if they are named"""


DEFAULT_COLUMNS = FrameColumns()
_NAMED = b"sqlrp_arrays"
"""The key in the metadata of a table's schema under which `of_arrays` names the array columns, as JSON."""


def resolve_dataframe(
    frame: Any, columns: FrameColumns = DEFAULT_COLUMNS, bound_to: object = None
) -> tuple[pa.Table, Frame]:
    """A dataframe as Arrow, with its numeric columns or its arrays as the features.

    `bound_to`: as in `sqlrp._run.bind.resolve`.
    """
    table = arrow_of(frame)
    return table, resolved(table, with_key(frame, columns), bound_to)


def key_of(frame: Any, key: str | None) -> str | None:
    """The key's column; None if the index of a pandas frame is the key, as after `set_index`.

    An index is the key if it has the key's name. It also is if it has any name and no column has the key's.
    """
    if key is None or not is_pandas(frame) or spelled(key) in (spelled(str(name)) for name in frame.columns):
        return key
    names = frame.index.names
    return None if key in names or (key == DEFAULT_KEY and None not in names) else key


def with_key(frame: Any, columns: FrameColumns) -> FrameColumns:
    """The columns, with the key that `key_of` finds."""
    return replace(columns, key=key_of(frame, columns.key))


def resolved(table: pa.Table, asked: FrameColumns, bound_to: object) -> Frame:
    """How a table is projected: as its schema says that `of_arrays` named, or by its numeric columns or arrays."""
    columns, metadata = columns_of(table.schema), table.schema.metadata or {}
    index = index_of(metadata.get(b"pandas", b"").decode(errors="replace"))
    partitions = json.loads(metadata.get(PARTITIONS, b"[]"))
    columns = [replace(c, index=c.name in index, partition=c.name in partitions) for c in columns]
    named = metadata.get(_NAMED)
    if named is not None and asked.arrays is None:
        key = asked.key if asked.key in table.column_names else None
        asked = FrameColumns(key, asked.keep, json.loads(named))
    source, lengths = source_of("dataframe", columns, asked, bound_to), None
    if isinstance(source, Array):
        sizes, there = zip(source.columns, source.lengths, strict=True), set(table.column_names)
        lengths = [_one_length(table, name, asked.key, n) if name in there else n for name, n in sizes]
    frame = resolve(source, columns, ENGINES["duckdb"], lengths, bound_to=bound_to, in_memory=True)
    return frame.doubted(lambda names: tuples(table.select(list(names)).slice(0, SAMPLE)))


def tuples(table: pa.Table) -> Iterable[Sequence[object]]:
    """The rows of a table."""
    return zip(*(column.to_pylist() for column in table.columns), strict=True)


def peeked(frame: Frame, rows: Callable[[Sequence[str]], Iterable[Sequence[object]]]) -> Frame:
    """A lazy frame with what its left-out columns may hold. `rows`: computes the first rows of some columns."""
    try:
        return frame.doubted(rows)
    except Exception:  # of any library: it comes again when the frame is computed, and there it is the user's
        return frame


def of_arrays(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """The table, which says itself that its features are in these array columns, and its key, if any, in "id"."""
    return table.replace_schema_metadata({_NAMED: json.dumps(list(columns))})


def source_of(name: str, columns: Sequence[Column], asked: FrameColumns, bound_to: object) -> Wide | Array:
    """The source of a frame: its numeric columns, or the arrays that are named or that are its only features."""
    key, keep = asked.key, asked.keep
    if asked.arrays is not None:
        return Array(name, asked.arrays, key=key, keep=keep, n_features=asked.n_features)
    numbers = [c for c in columns if c.type.number is not None and not is_index(c)]
    others = [c for c in numbers if c.name != key and c.name not in keep]
    if not isinstance(bound_to, tuple) and len(others) == 1 and others[0].type.is_array:
        return Array(name, others[0].name, key=key, keep=keep)
    return Wide(name, key=key, keep=keep)


def _one_length(table: pa.Table, name: str, key: str | None, asked: int | None) -> int | None:
    """The length of the lists of a column; None if there are none. Raises SourceError for a list of another length."""
    column = table.column(name)
    kind = stored_type(column.type)
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        return asked
    import pyarrow.compute as pc  # here, as its import takes long and only lists need it

    lengths = pc.list_value_length(column.cast(kind))
    present = pc.drop_null(lengths)
    if not len(present):
        return asked
    n = asked or present[0].as_py()
    other = pc.fill_null(pc.not_equal(lengths, n), False)
    at = pc.index(other, True).as_py()
    if at >= 0:
        row = None if key is None else table.column(key)[at].as_py()
        raise SourceError(
            f"{f'row {at}' if key is None else f'the row with {key} = {shorten(row, 30)}'} has {lengths[at].as_py()} "
            f"elements in {name!r}, and {n} are expected: pad it, or make it NULL"
        )
    return int(n)


def floats(table: pa.Table) -> npt.NDArray[np.float64]:
    """The columns as float64, shape (rows, columns), NULL as NaN."""
    numeric = (c.cast(pa.int8()) if pa.types.is_boolean(c.type) else c for c in table.columns)
    return np.column_stack([rounded(c).to_numpy(zero_copy_only=False) for c in numeric])


def features(table: pa.Table, frame: Frame) -> npt.NDArray[np.float64]:
    """The features of rows of a frame as float64, shape (rows, features), NULL as NaN."""
    if frame.layout == "wide":
        return floats(table.select(list(frame.names)))
    rows, absent, gone = array_rows(table, frame)
    x = np.array(rows, dtype=np.float64)
    if absent is None:
        x[gone] = np.nan
        return x
    null = np.logical_or.reduce([table.column(name).is_null().to_numpy() for name in frame.names])
    x[absent | null[:, None]] = np.nan
    return x


def columns_of(schema: pa.Schema) -> list[Column]:
    """The columns of a schema, as an engine would report them."""
    return [Column(f.name, _column_type(f.type), f.nullable) for f in schema]


def _column_type(kind: pa.DataType) -> ColumnType:
    if pa.types.is_boolean(kind):
        return ColumnType(str(kind), BOOLEAN)
    if pa.types.is_integer(kind):
        return ColumnType(str(kind), Number("int", kind.bit_width - (0 if pa.types.is_unsigned_integer(kind) else 1)))
    if pa.types.is_decimal(kind):
        return ColumnType(str(kind), DOUBLE)
    if pa.types.is_floating(kind):
        return ColumnType(str(kind), DOUBLE if kind.bit_width == 64 else FLOAT)
    return _other_type(kind)


def embeddings(rows: Any) -> Any:
    """The rows of a frame's only column as an array, shape (rows, features), if it holds arrays; others as they are.

    Arrays of float32 stay float32, and a NULL row is NaN. Raises SourceError for a column of arrays and other columns.
    """
    if len(getattr(rows, "shape", ())) == 1 and callable(getattr(rows, "to_frame", None)):  # a Series
        rows = rows.to_frame(str(rows.name or "embedding"))
    if not is_dataframe(rows) or (is_pandas(rows) and not any(map(_may_hold_arrays, set(rows.dtypes)))):
        return rows
    columns = columns_of(arrow_of(rows.head(SAMPLE) if hasattr(rows, "head") else rows).schema)
    arrays = [column for column in columns if column.type.is_array and column.type.number is not None]
    if not arrays:
        return rows
    if len(columns) > 1:
        raise SourceError(
            f"column {arrays[0].name!r} holds arrays, and the frame has {len(columns)} columns: pass the one column, "
            f"as a ColumnTransformer does for [{arrays[0].name!r}]"
        )
    table, column = arrow_of(rows), arrays[0]
    x = features(table, resolved(table, FrameColumns(None), None))
    return x.astype(np.float32) if column.type.number == FLOAT else x


def _may_hold_arrays(kind: Any) -> bool:
    """Whether a column of pandas may hold arrays."""
    return str(kind).startswith(("object", "list", "large_list", "fixed_size_list"))


def _other_type(kind: pa.DataType) -> ColumnType:
    """The type of an array or a text column; any other type is unknown."""
    if isinstance(kind, pa.BaseExtensionType):  # for example a fixed-shape tensor, which is stored as a list
        stored = _column_type(kind.storage_type)
        return stored if stored.is_array else ColumnType(str(kind))
    if pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind):
        element = _column_type(kind.value_type)
        size = kind.list_size if pa.types.is_fixed_size_list(kind) else None
        return ColumnType(str(kind), None if element.is_array else element.number, is_array=True, size=size)
    text = kind.value_type if pa.types.is_dictionary(kind) else kind
    is_text = pa.types.is_string(text) or pa.types.is_large_string(text) or pa.types.is_string_view(text)
    return ColumnType(str(kind), is_text=is_text)


__all__ = [
    "DEFAULT_COLUMNS",
    "DEFAULT_KEY",
    "FrameColumns",
    "columns_of",
    "embeddings",
    "features",
    "floats",
    "key_of",
    "of_arrays",
    "peeked",
    "resolve_dataframe",
    "resolved",
    "source_of",
    "tuples",
    "with_key",
]
