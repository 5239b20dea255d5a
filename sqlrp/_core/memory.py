"""The one door to the native library for arrays: only this module takes the address of memory.

The library trusts what it is told. So each array passes here on its way, at every call: its type, its shape, the order
of its memory, its alignment, whether it may be written, and the numbers that are places in another array. What passes
keeps the array, so that its memory lives as long. The functions of the library take nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import Structure, c_int64, c_void_p
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]

_LINE = 64
"""The bytes of a line of the cache, at whose multiples the memory of a program begins."""


class Memory:
    """The memory of an array that passed. The array lives as long as it."""

    __slots__ = ("address", "kept")

    def __init__(self, address: int, *kept: Any) -> None:
        """`kept`: what owns the memory."""
        self.address, self.kept = address, kept

    @classmethod
    def from_param(cls, given: Memory | None) -> c_void_p:
        """What ctypes hands to the library: an address that passed, or NULL. A bare number is refused."""
        if given is not None and not isinstance(given, Memory):
            raise TypeError(f"the native library takes arrays that passed here, not {type(given).__name__}")
        return c_void_p(None if given is None else given.address)


class Matrix(Structure):
    """`sqlrp_matrix`: entry e of row r is at data[e * entry + r * row], as its `columns` are not used here."""

    _fields_ = (("type", c_int64), ("data", c_void_p), ("entry", c_int64), ("row", c_int64), ("columns", c_void_p))


class ColumnAddresses(Structure):
    """`sqlrp_columns`: addresses of arrays with one number for each column, and of a byte for each row."""

    _fields_ = tuple((name, c_void_p) for name in ("addresses", "types", "offsets", "valid", "fill", "missing"))


class Weights(Structure):
    """`sqlrp_weights`: the weights of features in slots."""

    _fields_ = (
        *(("type", c_int64), ("slots", c_int64)),
        *((name, c_void_p) for name in ("weight", "entry", "turn", "component")),
    )


def passed(name: str, x: Array, dtype: Any, shape: tuple[int, ...], written: bool = False) -> Memory:
    """The memory of an array of this type and shape, side by side in the order of C."""
    if type(x) is not np.ndarray or x.dtype != dtype or x.shape != shape:
        said = f"{x.dtype} of shape {x.shape}" if isinstance(x, np.ndarray) else ""
        raise ValueError(
            f"{name} must be an array of {np.dtype(dtype)} of shape {shape}, not {type(x).__name__} {said}"
        )
    if not (x.flags.c_contiguous and x.flags.aligned) or (written and not x.flags.writeable):
        raise ValueError(f"{name} must lie side by side in memory, aligned{', and be writable' if written else ''}")
    return Memory(x.ctypes.data, x)


def readable(x: Array) -> bool:
    """Whether the memory of an array holds whole numbers of its items, each aligned, in the order of this machine."""
    return x.dtype.isnative and x.flags.aligned and not any(step % x.itemsize for step in x.strides)


def matrix(x: Array, kind: int, entries: int = 0, written: bool = False) -> Matrix:
    """A matrix of type `kind` and shape (entries, rows), or (rows, entries) with `entries` = 1. `x` must outlive it."""
    if type(x) is not np.ndarray or x.ndim != 2 or not readable(x):
        raise ValueError("a matrix of the native library must have two dimensions, aligned, in this machine's order")
    # A step over one item is never taken, and numpy gives it any length.
    steps = [step // x.itemsize if size > 1 else 1 for step, size in zip(x.strides, x.shape, strict=True)]
    if written and x.size and not (x.flags.writeable and 1 in steps and _apart(x)):
        raise ValueError("a result of the native library must be writable, with rows or entries side by side")
    return Matrix(kind, x.ctypes.data, steps[entries], steps[1 - entries])


def _apart(x: Array) -> bool:
    """Whether no two items of a matrix are one."""
    (a, n), (b, m) = sorted((abs(step), size) for step, size in zip(x.strides, x.shape, strict=True))
    return (n == 1 or a >= x.itemsize) and (m == 1 or b >= a * n)


def places(name: str, x: Ints, low: int, high: int) -> None:
    """Raise ValueError unless all numbers of an array are at least `low` and below `high`."""
    if x.size and (int(x.min()) < low or int(x.max()) >= high):
        raise ValueError(f"{name} must be from {low} to {high - 1}, and they are from {x.min()} to {x.max()}")


def bounds(name: str, x: Ints, high: int) -> None:
    """Raise ValueError unless an array is a list of places in order, from 0 or more to `high` at most."""
    if x.size and (x[0] < 0 or x[-1] > high or (x.size > 1 and (x[1:] < x[:-1]).any())):
        raise ValueError(f"{name} must not fall, and lie from 0 to {high}")


def within(name: str, first: int, n: int, size: int) -> None:
    """Raise ValueError unless the n items from `first` on are some of `size`."""
    if first < 0 or n < 0 or first + n > size:
        raise ValueError(f"{name} {first} to {first + n} are not some of {size}")


def buffers(of: Sequence[Any], bytes_: Sequence[int], width: Sequence[int]) -> Ints:
    """The addresses of Arrow's buffers, 0 for None. Each must have so many bytes, at a multiple of its width."""
    found = np.zeros(len(of), dtype=np.int64)
    for i, (buffer, size, item) in enumerate(zip(of, bytes_, width, strict=True)):
        if buffer is None and size:
            raise ValueError(f"column {i} has no buffer for {size} bytes")
        if buffer is not None and not (
            buffer.is_cpu and buffer.size >= size and (not size or is_aligned(buffer, item))
        ):
            raise ValueError(f"column {i} needs {size} aligned bytes, and its buffer has {buffer.size}")
        found[i] = buffer.address if buffer is not None else 0
    return found


def is_aligned(buffer: Any, width: int) -> bool:
    """Whether a buffer of Arrow begins at a multiple of so many bytes. Those of files and networks may not."""
    return buffer is None or buffer.address % width == 0


def columns(*arrays: Array) -> ColumnAddresses:
    """A table of columns from the arrays of its fields, each of which `passed`. They must outlive it."""
    return ColumnAddresses(*(a.ctypes.data for a in arrays))


def weights(kind: int, slots: int, weight: Memory, entry: Memory | None, component: Memory | None) -> Weights:
    """Weights in slots, from memory that passed and must outlive them."""
    lists = () if entry is None or component is None else (entry.address, None, component.address)
    return Weights(kind, slots, weight.address, *lists)


def working(size: int) -> Memory:
    """Memory of so many bytes for one thread, which begins at a line of the cache."""
    whole = np.empty(size + _LINE, dtype=np.uint8)
    return Memory(-(-whole.ctypes.data // _LINE) * _LINE, whole)


def side_by_side(first: Array, last: Array, steps: int) -> bool:
    """Whether two columns of one length lie in one block of memory, `steps` columns apart."""
    apart = last.ctypes.data - first.ctypes.data
    return bool(first.strides == last.strides == (first.itemsize,) and apart == first.nbytes * steps)


def unmasked(x: Any) -> Any:
    """A masked array of numpy as floats, with NaN where it is masked; so the arrays in a list. All else as it is.

    numpy's own conversions forget the mask, and give what stands below it.
    """
    if isinstance(x, np.ma.MaskedArray):
        return np.ma.filled(x.astype(np.float64), np.nan)
    if isinstance(x, (list, tuple)) and any(issubclass(kind, np.ma.MaskedArray) for kind in set(map(type, x))):
        return [unmasked(row) for row in x]
    return x


__all__ = [
    "ColumnAddresses",
    "Matrix",
    "Memory",
    "Weights",
    "bounds",
    "buffers",
    "columns",
    "is_aligned",
    "matrix",
    "passed",
    "places",
    "readable",
    "side_by_side",
    "unmasked",
    "weights",
    "within",
    "working",
]
