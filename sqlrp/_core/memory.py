"""The door to C: the only module that takes the address of an array.

C reads and writes memory as an address, a type and a number of entries say. So each array is looked at here before its
address is taken, at every call: its type, byte order, number of entries, order in memory, alignment, and whether C may
write to it.
An address does not keep its array alive: the caller does, until the call has ended.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

INT64, INT32, DOUBLE, BYTE = (np.dtype(kind) for kind in (np.int64, np.int32, np.float64, np.uint8))


def address(x: Array, kind: Any, *shape: int, written: bool = False) -> int:
    """The address of an array of a type and a shape, whose entries lie side by side in C's order.

    `shape`: what the array must have; -1 stands for any length. `written`: whether C writes to it.
    Raises ValueError for any other array: then a caller has left out a conversion.
    """
    what = _described(x)
    if not isinstance(x, np.ndarray) or x.dtype != kind or not x.dtype.isnative:
        raise ValueError(f"C needs an array of {np.dtype(kind)}, and this is {what}")
    if len(shape) != x.ndim or any(n not in (-1, have) for n, have in zip(shape, x.shape, strict=True)):
        raise ValueError(f"C needs an array of shape {shape}, and this is {what}")
    if not (x.flags.c_contiguous and x.flags.aligned):
        raise ValueError(f"C needs entries side by side, and this is {what} with strides {x.strides}")
    if written and not x.flags.writeable:
        raise ValueError(f"C needs an array to write to, and this is {what}, which is read-only")
    return int(x.ctypes.data)


def strided(x: Array, written: bool = False) -> tuple[int, tuple[int, int]]:
    """The address of a matrix of any strides, and its steps in entries. Raises ValueError unless `is_strided`."""
    if not is_strided(x) or (written and not x.flags.writeable):
        raise ValueError(f"C cannot {'write' if written else 'read'} {_described(x)} with strides {x.strides}")
    first, second = (step // x.itemsize for step in x.strides)
    return int(x.ctypes.data), (first, second)


def is_strided(x: Array) -> bool:
    """Whether a matrix is one of numbers that lie a whole number of entries apart."""
    whole = x.itemsize > 0 and not any(step % x.itemsize for step in x.strides)
    return x.ndim == 2 and x.dtype.isnative and x.flags.aligned and whole


def aligned(memory: Array, to: int) -> int:
    """The first address in an array of bytes that is a multiple of `to`."""
    return -(-address(memory, BYTE, -1, written=True) // to) * to


def buffer_address(buffer: Any, least: int) -> int:
    """The address of a buffer of Arrow, or 0 if there is none. Raises ValueError if it has fewer bytes than `least`."""
    if buffer is None:
        return 0
    if buffer.size < least or not buffer.is_cpu:
        raise ValueError(f"C reads {least:,} bytes, and the buffer has {buffer.size:,}")
    return int(buffer.address)


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
    if isinstance(x, (list, tuple)) and any(isinstance(row, np.ma.MaskedArray) for row in x):
        return [unmasked(row) for row in x]
    return x


def _described(x: Any) -> str:
    shape, kind = getattr(x, "shape", ()), getattr(x, "dtype", type(x).__name__)
    return f"an array of {kind} of shape {shape}"


__all__ = [
    "BYTE",
    "DOUBLE",
    "INT32",
    "INT64",
    "address",
    "aligned",
    "buffer_address",
    "is_strided",
    "side_by_side",
    "strided",
    "unmasked",
]
