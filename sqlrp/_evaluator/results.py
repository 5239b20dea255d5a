"""Results as Arrow arrays, whose values are not copied."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._core.draw import Ints
from sqlrp._core.numbers import WORD_BYTES, words_of
from sqlrp._evaluator import backend
from sqlrp._evaluator.code import WRITTEN

Mask = npt.NDArray[np.bool_]


def numpy_type(kind: pa.DataType) -> np.dtype[Any]:
    """The numpy type of numbers. Arrow's own `to_pandas_dtype` imports pandas, which a worker may not have."""
    name = str(kind)
    return np.dtype({"double": "float64", "float": "float32"}.get(name, name))


def array(values: npt.NDArray[Any], kind: pa.DataType, missing: Mask | None = None) -> pa.Array:
    """One-dimensional values as an array; `missing` says which are NULL. Decimals are given in their last digit."""
    if pa.types.is_decimal(kind):
        return _decimals(values, kind, missing)
    if values.dtype == object:
        return pa.array(values.tolist(), type=kind, mask=missing)
    values = values.astype(numpy_type(kind), copy=False)
    return _masked(kind, len(values), pa.py_buffer(np.ascontiguousarray(values)), missing)


def arrays(values: npt.NDArray[Any], kind: pa.DataType, missing: Mask | None = None) -> list[pa.Array]:
    """The rows of a matrix as arrays, which share one bitmap of what is missing."""
    if values.dtype == object or pa.types.is_decimal(kind):
        return [array(row, kind, missing) for row in values]
    values = np.ascontiguousarray(values, dtype=numpy_type(kind))
    bitmap = None if missing is None else bits(~missing)
    return [
        pa.Array.from_buffers(kind, len(row), [bitmap, pa.py_buffer(row)], -1 if bitmap is not None else 0)
        for row in values
    ]


def listed(z: npt.NDArray[Any], missing: Mask | None, sparse: bool) -> tuple[Ints, Ints, npt.NDArray[Any], Mask | None]:
    """The entries of rows (rows, entries) one by one: the row, the entry, the value, and whether it is NULL.

    If `sparse`, entries of value 0 are left out, except the first of each row and those that are NULL.
    """
    n, k = z.shape
    native = backend.native(float(z.size)) if sparse and z.dtype in WRITTEN else None
    if native is not None:
        z = np.ascontiguousarray(z)
        gone, shown = np.zeros(n, dtype=bool) if missing is None else missing, np.empty(n, dtype=np.int64)
        backend.shared(n, lambda first, last: native.count_shown(z, gone, first, last, shown))
        ends = np.cumsum(shown)
        total = int(ends[-1]) if n else 0
        rows, components, values = (np.empty(total, dtype=t) for t in (np.int64, np.int64, z.dtype))
        backend.shared(n, lambda first, last: native.list_shown(z, gone, first, last, ends, rows, components, values))
        return rows, components, values, None if missing is None else missing[rows]
    rows, components, values = np.repeat(np.arange(n), k), np.tile(np.arange(k, dtype=np.int64), n), z.reshape(-1)
    absent = None if missing is None else np.repeat(missing, k)
    if sparse:
        kept = (components == 0) | (values != 0) | (False if absent is None else absent)
        rows, components, values = rows[kept], components[kept], values[kept]
        absent = None if absent is None else absent[kept]
    return rows, components, values, absent


def packed(z: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """The signs of rows (rows, entries) as bits of bytes, as of numpy.packbits: 1 for an entry above 0, and for NaN."""
    return np.packbits(~(z <= 0), axis=1)


def words(z: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The signs of rows (rows, entries) as bits of words (words, rows): 1 for an entry above 0, and for NaN.

    The first entry is the highest bit of the first word. The last word ends with zeros.
    """
    found = packed(z)
    whole = np.zeros((len(z), words_of(z.shape[1]) * WORD_BYTES), dtype=np.uint8)
    whole[:, : found.shape[1]] = found
    return np.ascontiguousarray(whole.view(f">i{WORD_BYTES}").T.astype(np.int64))


def bits(valid: Mask) -> pa.Buffer:
    """A validity bitmap."""
    return pa.py_buffer(np.packbits(valid, bitorder="little"))


def _masked(kind: pa.DataType, n: int, values: pa.Buffer, missing: Mask | None) -> pa.Array:
    if missing is None:
        return pa.Array.from_buffers(kind, n, [None, values], 0)
    return pa.Array.from_buffers(kind, n, [bits(~missing), values])


def _decimals(values: npt.NDArray[Any], kind: pa.DataType, missing: Mask | None) -> pa.Array:
    """Whole numbers of units of the last digit as decimals: 64-bit words, the lowest first."""
    words = kind.byte_width // 8
    if values.dtype != object:
        low = values.astype(np.int64)
        parts = np.stack([low, *[low >> 63] * (words - 1)], axis=1)
        return _masked(kind, len(values), pa.py_buffer(np.ascontiguousarray(parts)), missing)
    raw = b"".join(int(v).to_bytes(kind.byte_width, "little", signed=True) for v in values)
    return _masked(kind, len(values), pa.py_buffer(raw), missing)
