"""The functions of the native library, over numpy arrays. None of them holds the GIL.

Every array goes through `sqlrp._core.memory`, and every function looks here, before it calls, whether the arrays
fit one another: the library reads and writes memory as it is told. What does not fit raises ValueError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import byref
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core import memory as door
from sqlrp._core.draw import Ints
from sqlrp._core.memory import Weights, passed
from sqlrp._core.native_library import library
from sqlrp._evaluator.code import TILES, TYPES, WRITTEN, Codes, program

Array = npt.NDArray[Any]
_BITS = len(TYPES)
"""The type of a column of bits."""


class NativeProgram:
    """A program of the library."""

    def __init__(self, n: int, dtype: Any, codes: Codes) -> None:
        """`n`, `dtype`: of the entries before the first of the operations."""
        self.bytes = program(n, dtype, codes)
        self.length = self.bytes.nbytes
        self.memory = passed("a program", self.bytes, np.int64, self.bytes.shape)
        shape = np.zeros(5, dtype=np.int64)
        if not library().sqlrp_shape_of(self.memory, self.length, passed("a shape", shape, np.int64, (5,), True)):
            raise ValueError(_NO_PROGRAM)
        self.entries, kind, self.outputs, *_ = shape.tolist()
        self.floats = _KINDS[kind] == "f"

    def ready(self, tile: int) -> Callable[..., None]:
        """A function that runs the program for `tile` rows at a time. It has memory of its own: one for each thread.

        run(source, first, n, out, to, factor) writes the rows first … first + n - 1 of a source, times a factor, from
        row `to` of `out` on.
        """
        size = library().sqlrp_check(self.memory, self.length, tile)
        if not size:
            raise ValueError(_NO_PROGRAM)
        place, call = door.working(size), library().sqlrp_run

        def run(source: RowAddresses, first: int, n: int, out: Sink, to: int, factor: float | None = None) -> None:
            self._fits(source, first, n, out, to)
            times = 1.0 if factor is None else factor
            given = source.matrix, source.columns, first, n, out.matrix
            call(self.memory, self.length, *given, to, times, tile, place)

        return run

    def _fits(self, source: RowAddresses, first: int, n: int, out: Sink, to: int) -> None:
        door.within("the rows", first, n, source.rows)
        door.within("the results' rows", to, n, out.rows)
        if (source.entries, out.entries) != (self.entries, self.outputs):
            raise ValueError(
                f"the program takes {self.entries} entries to {self.outputs}, and not {source.entries} to {out.entries}"
            )
        if source.floats and not self.floats:  # what C makes of NaN and of large floats is undefined
            raise ValueError("a program of whole numbers does not read floats")


_NO_PROGRAM = "the native library does not accept a program of the evaluator: install sqlrp again"
_KINDS = {number: dtype.kind for dtype, number in TYPES.items()}
"""Whether the numbers of a type are floats, "f", or whole ones."""


class RowAddresses:
    """Where the rows of a source lie: a matrix or columns, as the library reads them, and how many there are."""

    def __init__(self, shape: tuple[int, int], floats: bool, matrix: Any, columns: Any, *kept: Any) -> None:
        """`shape`: (entries, rows). `floats`: whether some are floats. `kept`: the arrays whose memory is read."""
        self.entries, self.rows = shape
        self.floats = floats
        self.matrix = None if matrix is None else byref(matrix)
        self.columns = None if columns is None else byref(columns)
        self.kept = matrix, columns, kept


class Sink:
    """Where results go: an array of shape (entries, rows), whose rows or entries lie side by side."""

    def __init__(self, out: Array) -> None:
        """`out`: of a type that is written."""
        if out.dtype not in WRITTEN:
            raise ValueError(f"the native library writes no {out.dtype}")
        self.entries, self.rows = out.shape
        self.kept = door.matrix(out, TYPES[out.dtype], written=True), out
        self.matrix = byref(self.kept[0])


def readable(x: Array) -> bool:
    """Whether the library reads such a matrix."""
    return x.dtype in TYPES and door.readable(x)


def lies(x: Array, entries: int = 0) -> RowAddresses:
    """A matrix of shape (entries, rows), or (rows, entries) with `entries` = 1, as a source."""
    if x.dtype not in TYPES:
        raise ValueError(f"the native library reads no {x.dtype}")
    shape = x.shape if entries == 0 else x.shape[::-1]
    return RowAddresses(shape, x.dtype.kind == "f", door.matrix(x, TYPES[x.dtype], entries), None, x)


def columns(arrays: Sequence[Any], kinds: Sequence[int], fill: Array, missing: Array) -> RowAddresses:
    """Columns of Arrow as a source. `kinds`: their types. `missing`: of each row, which is set where a NULL is."""
    n, rows = len(arrays), len(missing)
    own, offsets = [a.buffers() for a in arrays], np.array([a.offset for a in arrays], dtype=np.int64)
    items = [1 if kind == _BITS else _SIZES[kind] for kind in kinds]
    if any(len(a) != rows for a in arrays):
        raise ValueError(f"columns must have {rows} rows each")
    ends = [int(offset) + rows for offset in offsets]
    whole = [-(-end // 8) if kind == _BITS else end * item for end, kind, item in zip(ends, kinds, items, strict=True)]
    nulls = [a.null_count > 0 for a in arrays]
    bits = [-(-end // 8) if null else 0 for end, null in zip(ends, nulls, strict=True)]
    floats = any(_KINDS.get(kind) == "f" for kind in kinds)
    tables = (
        door.buffers([b[1] for b in own], whole if rows else [0] * n, items),
        np.array(kinds, dtype=np.int64),
        offsets,
        door.buffers([b[0] if null else None for b, null in zip(own, nulls, strict=True)], bits, [1] * n),
        fill,
        missing,
    )
    for name, table, dtype in zip(_TABLES, tables, [np.int64] * 4 + [np.float64, np.bool_], strict=True):
        passed(name, table, dtype, (rows,) if table is missing else (n,), written=table is missing)
    return RowAddresses((n, rows), floats, None, door.columns(*tables), tables, arrays, own)


_TABLES = ("addresses", "types", "offsets", "bitmaps", "the numbers in place of NULL", "the rows with a NULL")
_SIZES = {number: dtype.itemsize for dtype, number in TYPES.items()}


_TILE = 64


def evaluate(codes: Codes, x: Array, out: Array) -> None:
    """Apply operations to a tile once. Shapes: (entries, rows), of any strides. `out`: of a type that is written."""
    apply(NativeProgram(len(x), x.dtype, codes), lies(x), 0, x.shape[1], out)


def copy(source: RowAddresses, first: int, n: int, out: Array) -> None:
    """Copy n rows of a source into a tile, as numbers of its type."""
    apply(_nothing(len(out), out.dtype), source, first, n, out)


def apply(coded: NativeProgram, source: RowAddresses, first: int, n: int, out: Array) -> None:
    """Run a program once over n rows."""
    coded.ready(_TILE)(source, first, n, Sink(out), 0)


def store(x: Array, n: int, out: Sink, to: int, factor: float | None) -> None:
    """Write the first n rows of a tile, times a factor, from row `to` of `out` on."""
    _nothing(len(x), x.dtype).ready(_TILE)(lies(x), 0, n, out, to, factor)


@lru_cache(maxsize=64)
def _nothing(n: int, dtype: Any) -> NativeProgram:
    return NativeProgram(n, dtype, [])


def add_groups(x: Array, groups: Ints, low: int, high: int, out: Array) -> None:
    """out[groups[r], e] += x[e, r] for low ≤ e < high. Shapes (entries, rows), (rows,), (groups, entries)."""
    entries, n = x.shape
    _of_tiles(x)
    door.places("groups", groups, 0, len(out))
    door.within("the entries", low, high - low, entries)
    given = passed("entries", x, x.dtype, (entries, n)), n, passed("groups", groups, np.int64, (n,))
    written = passed("sums of groups", out, x.dtype, (len(out), entries), True)
    library().sqlrp_add_groups(TYPES[x.dtype], *given, low, high, written, entries)


class SlotWeights:
    """The weights of features in slots, checked once: lists without zeros, or a matrix of shape (slots, sums)."""

    def __init__(self, weight: Array, sums: int, entry: Ints | None = None, component: Array | None = None) -> None:
        """`entry`: where the weights of each slot start, and the end. `component`: the sum of each weight."""
        if weight.dtype not in (np.int8, np.float64):
            raise ValueError(f"weights must be int8 or float64, not {weight.dtype}")
        self.sums, memory = sums, passed("weights", weight, weight.dtype, weight.shape)
        lists: tuple[Any, Any] = None, None
        if entry is None or component is None:
            slots = len(weight)
            passed("weights", weight, weight.dtype, (slots, sums))
        else:
            slots, n = len(entry) - 1, len(weight)
            lists = passed("starts", entry, np.int64, entry.shape), passed("sums", component, np.int32, (n,))
            door.bounds("starts of weights", entry, n)
            door.places("the sums of weights", component, 0, sums)
        self.lies: Weights = door.weights(TYPES[weight.dtype], slots, memory, *lists)
        self.kept = memory, lists


def add_cells(starts: Ints, slots: Ints, values: Array, weights: SlotWeights, out: Array) -> None:
    """Add the cells of rows to their sums, shape (rows, sums). Row r has the cells starts[r] … starts[r + 1] - 1."""
    n, cells = len(out), len(values)
    _of_tiles(values)
    door.bounds("starts of rows", starts, cells)
    lists = passed("starts", starts, np.int64, (n + 1,)), passed("slots", slots, np.int64, (cells,))
    given = *lists, passed("values", values, values.dtype, (cells,))
    written = passed("sums of cells", out, values.dtype, (n, weights.sums), True)
    library().sqlrp_add_cells(TYPES[values.dtype], *given, n, byref(weights.lies), written, weights.sums)


def count_shown(z: Array, gone: Array, first: int, last: int, shown: Ints) -> None:
    """shown[r]: how many entries of row r are shown. Entry 0 is, those other than 0, and all of a row that is gone."""
    kind, *given = _of_rows(z, gone, first, last)
    counted = passed("counts", shown, np.int64, (len(z),), True)
    library().sqlrp_list_shown(kind, *given, first, last, counted, None, None, None)


def list_shown(
    z: Array, gone: Array, first: int, last: int, ends: Ints, row: Ints, component: Ints, value: Array
) -> None:
    """The entries that `count_shown` counts, side by side. Those of row r end at ends[r]."""
    kind, *given = _of_rows(z, gone, first, last)
    n = len(row)
    door.bounds("ends of rows", ends, n)
    listed = [passed(name, x, np.int64, (n,), True) for name, x in (("rows", row), ("components", component))]
    written = passed("ends", ends, np.int64, (len(z),)), *listed, passed("values", value, z.dtype, (n,), True)
    library().sqlrp_list_shown(kind, *given, first, last, *written)


def _of_rows(z: Array, gone: Array, first: int, last: int) -> tuple[Any, ...]:
    if z.dtype not in WRITTEN:
        raise ValueError(f"the native library lists no {z.dtype}")
    n, k = z.shape
    door.within("the rows", first, last - first, n)
    return TYPES[z.dtype], passed("rows", z, z.dtype, (n, k)), k, passed("rows that are gone", gone, np.bool_, (n,))


def _of_tiles(x: Array) -> None:
    if x.dtype not in TILES:
        raise ValueError(f"the native library does not compute with {x.dtype}")
