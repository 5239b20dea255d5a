"""Results as Arrow arrays, whose values are not copied."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp.core.numbers import FLOAT, Number

Mask = npt.NDArray[np.bool_]


def arrow_type(number: Number) -> pa.DataType:
    """The type of a result's numbers."""
    if number.kind == "decimal":
        return pa.decimal128(18 if number.bits <= 59 else 38, number.digits)
    if not number.exact:
        return pa.float32() if number == FLOAT else pa.float64()
    if number.bits <= 63:
        return pa.int32() if number.bits <= 31 else pa.int64()
    return pa.decimal128(38, 0) if number.bits <= 126 else pa.decimal256(76, 0)


def array(values: npt.NDArray[Any], kind: pa.DataType, missing: Mask | None = None) -> pa.Array:
    """One-dimensional values as an array; `missing` says which are NULL. Decimals are given in their last digit."""
    if pa.types.is_decimal(kind):
        return _decimals(values, kind, missing)
    if values.dtype == object:
        return pa.array(values.tolist(), type=kind, mask=missing)
    values = values.astype(kind.to_pandas_dtype(), copy=False)
    return _masked(kind, len(values), pa.py_buffer(np.ascontiguousarray(values)), missing)


def arrays(values: npt.NDArray[Any], kind: pa.DataType, missing: Mask | None = None) -> list[pa.Array]:
    """The rows of a matrix as arrays, which share one bitmap of what is missing."""
    if values.dtype == object or pa.types.is_decimal(kind):
        return [array(row, kind, missing) for row in values]
    values = np.ascontiguousarray(values, dtype=kind.to_pandas_dtype())
    bitmap = None if missing is None else bits(~missing)
    return [
        pa.Array.from_buffers(kind, len(row), [bitmap, pa.py_buffer(row)], -1 if bitmap is not None else 0)
        for row in values
    ]


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
