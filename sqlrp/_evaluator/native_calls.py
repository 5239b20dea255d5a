"""The functions of the native library, over numpy arrays. None of them holds the GIL.

Every function states the types and shapes of its arrays, and `sqlrp._core.memory` checks them at every call.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import Ints
from sqlrp._core.memory import BYTE, DOUBLE, INT64, address, aligned, is_strided, strided
from sqlrp._core.native import Columns, Matrix, Weights, library
from sqlrp._evaluator.code import TYPES, Codes, program

Array = npt.NDArray[Any]


class Coded:
    """A program of the library."""

    def __init__(self, n: int, dtype: Any, codes: Codes) -> None:
        """`n`, `dtype`: of the entries before the first of the operations."""
        self.bytes = program(n, dtype, codes)
        self.at, self.length = address(self.bytes, INT64, -1), self.bytes.nbytes

    def ready(self, tile: int) -> Callable[..., None]:
        """A function that runs the program for `tile` rows at a time. It has memory of its own: one for each thread.

        run(source, first, n, out, to, factor) writes the rows first … first + n - 1 of a source, times a factor, from
        row `to` of `out` on.
        """
        size = library().sqlrp_check(self.at, self.length, tile)
        if not size:
            raise ValueError("the native library does not accept a program of the evaluator: install sqlrp again")
        memory = np.empty(size + 64, dtype=np.uint8)
        place, call = aligned(memory, 64), library().sqlrp_run

        def run(source: Lies, first: int, n: int, out: Matrix, to: int, factor: float | None = None) -> None:
            times = 1.0 if factor is None else factor
            call(self.at, self.length, source.matrix, source.columns, first, n, byref(out), to, times, tile, place)
            assert memory.size  # it lives as long as the function

        return run


class Lies:
    """Where the rows of a source lie: a matrix or columns, as the library reads them."""

    def __init__(self, matrix: Matrix | None = None, columns: Columns | None = None, *kept: Any) -> None:
        """`kept`: the arrays whose memory is read."""
        self.matrix = None if matrix is None else byref(matrix)
        self.columns = None if columns is None else byref(columns)
        self.kept = matrix, columns, kept


def readable(x: Array) -> bool:
    """Whether the library reads such a matrix."""
    return x.dtype in TYPES and is_strided(x)


def matrix(x: Array, entries: int = 0, written: bool = False) -> Matrix:
    """A matrix of shape (entries, rows), or (rows, entries) with `entries` = 1. It must outlive the result."""
    place, steps = strided(x, written)
    return Matrix(TYPES[x.dtype], place, steps[entries], steps[1 - entries])


def lies(x: Array, entries: int = 0) -> Lies:
    """The same as a source."""
    return Lies(matrix(x, entries), None, x)


def columns(addresses: Ints, types: Ints, offsets: Ints, valid: Ints, fill: Array, missing: Array) -> Lies:
    """Columns as a source."""
    n = len(addresses)
    places = [address(a, INT64, n) for a in (addresses, types, offsets, valid)]
    found = Columns(*places, address(fill, DOUBLE, n), address(missing.view(BYTE), BYTE, -1, written=True))
    return Lies(None, found, addresses, types, offsets, valid, fill, missing)


_TILE = 64


def evaluate(codes: Codes, x: Array, out: Array) -> None:
    """Apply operations to a tile once. Shapes: (entries, rows), of any strides. `out`: of a type that is written."""
    apply(Coded(len(x), x.dtype, codes), lies(x), 0, x.shape[1], out)


def copy(source: Lies, first: int, n: int, out: Array) -> None:
    """Copy n rows of a source into a tile, as numbers of its type."""
    apply(_nothing(len(out), out.dtype), source, first, n, out)


def apply(coded: Coded, source: Lies, first: int, n: int, out: Array) -> None:
    """Run a program once over n rows."""
    coded.ready(_TILE)(source, first, n, matrix(out, written=True), 0)


def store(x: Array, n: int, out: Matrix, to: int, factor: float | None) -> None:
    """Write the first n rows of a tile, times a factor, from row `to` of `out` on."""
    _nothing(len(x), x.dtype).ready(_TILE)(lies(x), 0, n, out, to, factor)


@lru_cache(maxsize=64)
def _nothing(n: int, dtype: Any) -> Coded:
    return Coded(n, dtype, [])


def add_groups(x: Array, groups: Ints, low: int, high: int, out: Array) -> None:
    """out[groups[r], e] += x[e, r] for low ≤ e < high. Shapes (entries, rows), (rows,), (groups, entries)."""
    entries, rows = x.shape
    source, of = address(x, x.dtype, entries, rows), address(groups, INT64, rows)
    to = address(out, x.dtype, -1, entries, written=True)
    library().sqlrp_add_groups(TYPES[x.dtype], source, rows, of, low, high, to, entries)


def add_cells(starts: Ints, slots: Ints, values: Array, weights: Weights, out: Array) -> None:
    """Add the cells of rows to their sums, shape (rows, sums). Row r has the cells starts[r] … starts[r + 1] - 1."""
    n, sums = out.shape
    cells = address(starts, INT64, n + 1), address(slots, INT64, -1), address(values, out.dtype, len(slots))
    to = address(out, out.dtype, n, sums, written=True)
    library().sqlrp_add_cells(TYPES[values.dtype], *cells, n, byref(weights), to, sums)


def count_shown(z: Array, gone: Array, first: int, last: int, shown: Ints) -> None:
    """shown[r]: how many entries of row r are shown. Entry 0 is, those other than 0, and all of a row that is gone."""
    rows, k = z.shape
    at = address(z, z.dtype, rows, k), k, address(gone.view(BYTE), BYTE, rows)
    to = address(shown, INT64, rows, written=True)
    library().sqlrp_list_shown(TYPES[z.dtype], *at, first, last, to, None, None, None)


def list_shown(
    z: Array, gone: Array, first: int, last: int, ends: Ints, row: Ints, component: Ints, value: Array
) -> None:
    """The entries that `count_shown` counts, side by side. Those of row r end at ends[r]."""
    rows, k = z.shape
    at = address(z, z.dtype, rows, k), k, address(gone.view(BYTE), BYTE, rows)
    n = len(row)
    written = address(row, INT64, n, written=True), address(component, INT64, n, written=True)
    to = address(value, z.dtype, n, written=True)
    library().sqlrp_list_shown(TYPES[z.dtype], *at, first, last, address(ends, INT64, rows), *written, to)
