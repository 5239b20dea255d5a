"""The native library: the loops of `native/`, compiled when this package is built, and called by ctypes.

Where it is missing, such as after an installation without a C compiler, numpy computes the same.
"""

from __future__ import annotations

import ctypes
import os
import sys
import sysconfig
import zlib
from ctypes import POINTER, c_double, c_int64
from functools import cache
from pathlib import Path
from typing import Any

from sqlrp._core.logs import LOG
from sqlrp._core.memory import ColumnAddresses, Matrix, Memory, Weights
from sqlrp._core.values import dataclass

FORMAT = 3
"""The format of programs and functions, as `native/sqlrp.h` states it."""
NAME = "_native.dll" if sys.platform == "win32" else "_native.so"
PATH = Path(__file__).with_name(NAME)
EXTENSION = Path(__file__).with_name("sqlrp.duckdb_extension")
"""The extension of DuckDB, if it was built: `make extension`."""


_INT, _AT = c_int64, Memory
_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "format": (_INT, ()),
    "check": (_INT, (_AT, _INT, _INT)),
    "shape_of": (_INT, (_AT, _INT, _AT)),
    "run": (
        None,
        (_AT, _INT, POINTER(Matrix), POINTER(ColumnAddresses), _INT, _INT, POINTER(Matrix), _INT, c_double, _INT, _AT),
    ),
    "signs": (None, (_AT, _INT, _AT, _INT, _INT, _INT, _AT)),
    "add_groups": (None, (_INT, _AT, _INT, _AT, _INT, _INT, _AT, _INT)),
    "add_cells": (None, (_INT, _AT, _AT, _AT, _INT, POINTER(Weights), _AT, _INT)),
    "list_shown": (None, (_INT, _AT, _INT, _AT, _INT, _INT, _AT, _AT, _AT, _AT)),
}
"""The result and the arguments of each function."""


@dataclass(frozen=True)
class Copy:
    """The bytes of the library, for a process of the same platform that has none."""

    platform: str
    packed: bytes


_RECEIVED: list[Copy] = []


def library() -> Any:
    """The library with its functions declared; None if this process has none."""
    return _loaded(PATH, _RECEIVED[0] if _RECEIVED else None)


@cache
def copy() -> Copy | None:
    """A copy of the library, for processes that `receive` it."""
    if library() is None or not PATH.is_file():
        return _RECEIVED[0] if _RECEIVED else None
    return Copy(_platform(), zlib.compress(PATH.read_bytes()))


def receive(given: Copy | None) -> None:
    """Use the copy, if this process has no library of its own and is of the same platform."""
    if given is not None and given.platform == _platform() and given not in _RECEIVED:
        _RECEIVED[:] = [given]


def _platform() -> str:
    return f"{sysconfig.get_platform()} {sys.byteorder} {sys.maxsize}"


@cache
def _loaded(path: Path, received: Copy | None) -> Any:
    try:
        if path.is_absolute() and path.is_file():
            return _declared(ctypes.CDLL(str(path)))
        return None if received is None else _declared(_from_memory(zlib.decompress(received.packed)))
    except (AttributeError, OSError) as error:  # it belongs to another machine, or to another version
        LOG.warning("sqlrp computes by numpy, which is slower: its library %s cannot be loaded: %s", path, error)
        return None


def _declared(found: Any) -> Any:
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(found, f"sqlrp_{name}")
        function.restype, function.argtypes = result, arguments
    if (own := found.sqlrp_format()) != FORMAT:
        raise OSError(f"it has format {own}, and this version of sqlrp needs {FORMAT}: install sqlrp again")
    return found


def _from_memory(content: bytes) -> Any:
    """Load a library without a file on disk."""
    if not hasattr(os, "memfd_create"):
        raise OSError("this system has no files in memory")
    file = os.memfd_create(NAME, os.MFD_CLOEXEC)
    try:
        with open(file, "wb", closefd=False) as opened:
            opened.write(content)
        return ctypes.CDLL(f"/proc/self/fd/{file}")
    finally:
        os.close(file)


__all__ = ["EXTENSION", "FORMAT", "Copy", "copy", "library", "receive"]
