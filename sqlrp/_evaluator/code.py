"""Operations as bytes, which the native library runs. `native/sqlrp.h` says what they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.native_library import FORMAT

(SUMS, WEIGHTED, PRODUCTS, BUTTERFLY, PICK, CONVOLVE, APPEND, REFLECT, RESCALE, POWER, ROOT, NORM, CAST) = range(1, 14)
UNITS = 14  # of the extension alone
_READ = (np.float64, np.float32, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
TYPES: dict[Any, int] = {np.dtype(kind): place for place, kind in enumerate(_READ)}
"""The types of numbers that the library reads."""
TILES = frozenset(np.dtype(t) for t in (np.float64, np.float32, np.int64))
"""The types that it computes with."""
WRITTEN = frozenset(np.dtype(t) for t in (np.float64, np.float32, np.int32, np.int64))
"""The types that it writes."""

MOST_DEGREE = 256
"""The largest degree of POWER."""
Codes = list[bytes]


def code(operation: int, *parts: int | npt.NDArray[Any]) -> bytes:
    """An operation: whole numbers, then tables and numbers of the tile's type, each padded to 8 bytes."""
    return b"".join(map(_padded, (operation, *parts)))


def number(value: Any, dtype: Any) -> npt.NDArray[Any]:
    """A single number of the tile's type."""
    return np.array([value]).astype(dtype)


def program(n: int, dtype: Any, codes: Sequence[bytes]) -> npt.NDArray[np.int64]:
    """A program over n entries of a type."""
    head = code(FORMAT, n, TYPES[np.dtype(dtype)], len(codes))
    return np.frombuffer(b"".join([head, *codes]), dtype=np.int64).copy()  # aligned


def _padded(part: int | npt.NDArray[Any]) -> bytes:
    if isinstance(part, np.ndarray):
        raw = part.tobytes()
        return raw + bytes(-len(raw) % 8)
    return int(part).to_bytes(8, "little" if np.little_endian else "big", signed=True)
