"""Sources of tiles: Arrow columns where they lie, rows of a matrix, and cells of sparse rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._core.draw import Ints
from sqlrp._core.errors import SourceError
from sqlrp._core.memory import is_aligned
from sqlrp._evaluator.code import TILES
from sqlrp._evaluator.operations import Tile

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

_SHORT = 4096
"""Batches of fewer rows on average are combined before they are read."""
_KINDS = (
    pa.float64(),
    pa.float32(),
    pa.int8(),
    pa.uint8(),
    pa.int16(),
    pa.uint16(),
    pa.int32(),
    pa.uint32(),
    pa.int64(),
    pa.uint64(),
    pa.bool_(),
)
"""The types of columns that the native read, in the order of their numbers in `native/sqlrp.h`."""
_PLACES = {kind: place for place, kind in enumerate(_KINDS)}
DOUBLE = pa.float64()

Prepare = Callable[[Any], Any]
"""Changes the type of a column to one that can be read."""


def float_read(column: Any) -> Any:
    """The column as one of the types that the native read: itself, or as floats."""
    kind = column.type
    if kind in _PLACES:
        return column
    if pa.types.is_dictionary(kind):
        return float_read(column.cast(kind.value_type))
    return rounded(column, pa.float32() if pa.types.is_float16(kind) else pa.float64())


def rounded(column: Any, kind: pa.DataType = DOUBLE) -> Any:
    """Numbers as floats of a type, each the nearest one: Arrow refuses whole numbers that no float has."""
    return column.cast(kind, safe=False)


def whole_read(column: Any) -> Any:
    """The column as whole numbers: as they are, of any size."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def unit_read(digits: int, bits: int) -> Prepare:
    """Decimals as whole numbers of units of 10^-digits, of so many bits."""

    def read(column: Any) -> Any:
        fixed = whole_read(column).cast(pa.decimal128(38, digits))
        parts = fixed.chunks if isinstance(fixed, pa.ChunkedArray) else [fixed]
        kind = pa.decimal128(38, 0)  # the same words, without the point
        units = pa.chunked_array(
            [pa.Array.from_buffers(kind, len(p), p.buffers(), p.null_count, p.offset) for p in parts], kind
        )
        units = units.cast(pa.int64()) if bits <= 63 else units
        return units if isinstance(fixed, pa.ChunkedArray) else units.combine_chunks()

    return read


class Source(ABC):
    """Rows to be read as tiles."""

    rows: int
    features: int

    def pieces(self, size: int) -> Iterator[tuple[int, int]]:
        """The first row and the number of rows of each tile of at most `size` rows."""
        for at in range(0, self.rows, size):
            yield at, min(size, self.rows - at)

    @abstractmethod
    def read(self, first: int, n: int, out: Tile, native: Any) -> None:
        """Copy the rows first … first + n - 1 into the first n rows of a tile."""

    def view(self, first: int, n: int) -> Tile | None:
        """The same rows as a tile without a copy, of any strides; None if they lie otherwise."""
        return None

    def lies(self, first: int, native: Any) -> tuple[Any, int] | None:
        """Where the library reads the rows from `first` on: a `native_calls.Lies`, and the place of `first` in it.

        None if the source makes its rows itself.
        """
        return None

    def write(self, first: int, out: Tile, native: Any) -> bool:
        """Write the rows from `first` on into the rows of `out`; False if the source does not make whole rows."""
        return False


class TableColumns(Source):
    """The columns of a table, one for each feature. `missing` says which rows had a NULL, once they are read."""

    def __init__(
        self, table: pa.Table, names: Sequence[str], fill: npt.ArrayLike | None = None, prepare: Prepare = float_read
    ) -> None:
        """`fill`: for each column the number that takes the place of NULL; 0 by default. `prepare`: changes types."""
        self.rows, self.features = table.num_rows, len(names)
        self.missing = np.zeros(self.rows, dtype=bool)
        self.fill = np.zeros(self.features) if fill is None else np.ascontiguousarray(fill, dtype=np.float64)
        chosen = table.select(list(names))
        if prepare is not float_read or not _PLACES.keys() >= set(chosen.schema.types):
            chosen = pa.Table.from_arrays([prepare(column) for column in chosen.columns], names=list(names))
        batches = chosen.to_batches()
        if len(batches) > 1 and self.rows < _SHORT * len(batches):
            batches = chosen.combine_chunks().to_batches()
        self._batches = [_Batch(batch) for batch in batches if batch.num_rows]
        self._ends = np.cumsum([batch.rows for batch in self._batches], dtype=np.int64)

    @property
    def has_null(self) -> bool:
        """Whether a feature is NULL. No row need have been read."""
        return any(batch.nulls for batch in self._batches)

    def pieces(self, size: int) -> Iterator[tuple[int, int]]:
        """No tile reaches over two batches."""
        first = 0
        for batch in self._batches:
            for at in range(0, batch.rows, size):
                yield first + at, min(size, batch.rows - at)
            first += batch.rows

    def read(self, first: int, n: int, out: Tile, native: Any) -> None:
        """Copy every column's part, and note the rows with a NULL."""
        if native is not None and out.dtype in TILES:
            native.copy(*self.lies(first, native), n, out[:, :n])
            return
        batch, begin = self._batch(first)
        batch.copy(first - begin, n, out, self.missing[begin : begin + batch.rows], self.fill)

    def lies(self, first: int, native: Any) -> tuple[Any, int]:
        """The columns of the batch that has the row."""
        batch, begin = self._batch(first)
        if batch.lies is None:
            kinds = [_PLACES[column.type] for column in batch.columns]
            missing = self.missing[begin : begin + batch.rows]
            batch.lies = native.columns(batch.columns, kinds, self.fill, missing)
        return batch.lies, first - begin

    def _batch(self, first: int) -> tuple[_Batch, int]:
        """The batch that has a row, and its first row."""
        place = int(np.searchsorted(self._ends, first, "right"))
        return self._batches[place], int(self._ends[place]) - self._batches[place].rows


class _Batch:
    """Columns of one length."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self.batch, self.rows = batch, batch.num_rows
        self.columns = [_aligned(column) for column in batch.columns]
        self.nulls = [f for f, column in enumerate(self.columns) if column.null_count]
        self.plain = not self.nulls and set(batch.schema.types) in ({pa.float64()}, {pa.float32()}) and self.rows > 0
        self.lies: Any = None

    def find(self, missing: Mask) -> None:
        for f in self.nulls:
            missing |= self.columns[f].is_null().to_numpy(zero_copy_only=False)

    def copy(self, first: int, n: int, out: Tile, missing: Mask, fill: Floats) -> None:
        if self.plain:
            out[:, :n] = self.batch.slice(first, n).to_tensor(row_major=False).to_numpy().T
            return
        has = set(self.nulls)
        for f, column in enumerate(self.columns):
            part = column.slice(first, n)
            if f in has and part.null_count:
                absent = part.is_null().to_numpy(zero_copy_only=False)
                missing[first : first + n] |= absent
                out[f, :n] = _plain(part.fill_null(False if pa.types.is_boolean(part.type) else 0), out.dtype)
                out[f, :n][absent] = int(fill[f]) if out.dtype == object else fill[f]
            else:
                out[f, :n] = _plain(part, out.dtype)


def _aligned(column: pa.Array) -> pa.Array:
    """The column, whose numbers are copied unless each lies at a multiple of its size. Those of a file may not."""
    if column.type not in _PLACES:
        return column
    valid, numbers = column.buffers()
    if is_aligned(numbers, max(column.type.bit_width // 8, 1)):
        return column
    copy = pa.py_buffer(np.frombuffer(numbers, dtype=np.uint8).copy())
    return pa.Array.from_buffers(column.type, len(column), [valid, copy], column.null_count, column.offset)


def _plain(part: pa.Array, dtype: Any) -> Any:
    """The values of an array without NULL, as numpy, or as Python's integers."""
    values = part.to_numpy(zero_copy_only=False)
    return [int(v) for v in values.tolist()] if dtype.kind == "O" else values


class MatrixRows(Source):
    """The rows of a matrix, shape (rows, features)."""

    def __init__(self, x: npt.NDArray[Any]) -> None:
        """`x`: of any type of number."""
        self.x = np.asarray(x)
        self.rows, self.features = x.shape
        self._lies: Any = None

    def read(self, first: int, n: int, out: Tile, native: Any) -> None:
        """Transpose the rows."""
        if native is not None and out.dtype in TILES and self.lies(first, native):
            native.copy(*self.lies(first, native), n, out[:, :n])
        else:
            out[:, :n] = self.x[first : first + n].T

    def lies(self, first: int, native: Any) -> tuple[Any, int] | None:
        """The matrix, if the library reads its type."""
        if self._lies is None and native.readable(self.x):
            self._lies = native.lies(self.x, 1)
        return self._lies and (self._lies, first)

    def view(self, first: int, n: int) -> Tile | None:
        """The transposed rows."""
        return self.x[first : first + n].T


class Entries(Source):
    """Rows that already lie as one large tile, shape (features, rows)."""

    def __init__(self, x: Tile) -> None:
        """`x`: the tile."""
        self.x = x
        self.features, self.rows = x.shape
        self._lies: Any = None

    def read(self, first: int, n: int, out: Tile, native: Any) -> None:
        """Copy a part."""
        out[:, :n] = self.x[:, first : first + n]

    def lies(self, first: int, native: Any) -> tuple[Any, int] | None:
        """The tile, if the library reads its type."""
        if self._lies is None and native.readable(self.x):
            self._lies = native.lies(self.x)
        return self._lies and (self._lies, first)

    def view(self, first: int, n: int) -> Tile | None:
        """A part."""
        return self.x[:, first : first + n]


def list_rows(
    column: pa.ChunkedArray, n_features: int, wrong: str, prepare: Prepare = float_read
) -> tuple[npt.NDArray[Any], Mask | None, Mask]:
    """The lists of an array column as rows: the numbers, where elements are NULL (None if none is), and which rows
    have a NULL.

    Shapes (rows, features), (rows, features) and (rows,). `prepare`: changes the type of the elements. Raises
    SourceError with the text `wrong` if a list has another length.
    """
    parts = [_lists(chunk, n_features, wrong, prepare) for chunk in column.chunks if len(chunk)]
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return np.zeros((0, n_features)), None, np.zeros(0, dtype=bool)
    absent = None
    if any(part[1] is not None for part in parts):
        absent = np.concatenate([np.zeros(p[0].shape, dtype=bool) if p[1] is None else p[1] for p in parts])
    return np.concatenate([p[0] for p in parts]), absent, np.concatenate([p[2] for p in parts])


def _lists(chunk: pa.Array, n: int, wrong: str, prepare: Prepare) -> tuple[npt.NDArray[Any], Mask | None, Mask]:
    if isinstance(chunk, pa.ExtensionArray):
        chunk = chunk.storage
    gone = chunk.is_null().to_numpy(zero_copy_only=False) if chunk.null_count else np.zeros(len(chunk), dtype=bool)
    if pa.types.is_fixed_size_list(chunk.type):
        if chunk.type.list_size != n and not gone.all():
            raise SourceError(wrong)
        size = chunk.type.list_size
        values = chunk.values.slice(chunk.offset * size, len(chunk) * size)
        if size != n:
            values = pa.nulls(len(chunk) * n, values.type)
    else:
        if not (pa.types.is_list(chunk.type) or pa.types.is_large_list(chunk.type)):
            chunk = chunk.cast(pa.large_list(chunk.type.value_type))
        lengths = chunk.value_lengths().fill_null(n).to_numpy(zero_copy_only=False)
        if (lengths != n).any():
            raise SourceError(wrong)
        values = chunk.flatten()  # leaves out the lists that are NULL
        if gone.any():
            places = np.full((len(chunk), n), -1, dtype=np.int64)
            places[~gone] = np.arange(len(values)).reshape(-1, n)
            flat = places.reshape(-1)
            values = values.take(pa.array(flat, mask=flat < 0))
    absent = None
    if values.null_count:
        absent = values.is_null().to_numpy(zero_copy_only=False).reshape(-1, n)
        values = values.fill_null(False if pa.types.is_boolean(values.type) else 0)
        gone = gone | absent.any(axis=1)
    return numbers(prepare(values)).reshape(-1, n), absent, gone


def numbers(values: Any) -> npt.NDArray[Any]:
    """A column without NULL as numpy numbers, or as Python's integers if numpy has no type for them."""
    chunked = isinstance(values, pa.ChunkedArray)
    found: npt.NDArray[Any] = values.to_numpy() if chunked else values.to_numpy(zero_copy_only=False)
    if found.dtype == object:
        return np.array([int(v) for v in found], dtype=object)
    return found.astype(np.uint8) if found.dtype == bool else found


def codes(column: pa.ChunkedArray | pa.Array) -> tuple[Ints, pa.Array]:
    """For each row the place of its value among the distinct ones, in order of appearance, and those. NULL is one."""
    # The dictionary of an encoded column may have values that no row has.
    whole = whole_read(column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column)
    encoded = whole.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), encoded.dictionary
