"""Projections with arrays, kept as text, so that they are saved, compared and applied like all projections."""

from __future__ import annotations

import base64
import io
import re
import struct
import zlib
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import field, replace
from functools import lru_cache
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError
from sqlrp._core.values import dataclass
from sqlrp._projections.projection import Projection

Arrays = dict[str, npt.NDArray[Any]]
Size = int | str | tuple[int, ...]
Shapes = Mapping[str, tuple[Size, ...]]
"""The arrays of a state with the size of every dimension: a number, one of several, or a name. A name stands for a size
that no parameter gives; the same name means the same size."""

_MOST = 1 << 30  # largest size of the arrays of a state, in bytes
_PIECE = 1 << 20  # bytes that are decompressed at once
_MEMBER = struct.Struct("<4s5H3I2H")  # the header of a file in a ZIP archive, the format of numpy.savez
_START = struct.Struct("<8sH")  # the header of an array in it, with the length of its description
_HEADER = re.compile(
    rb"\{'descr': '([<>|][a-zA-Z]\d{0,3})', 'fortran_order': (True|False), 'shape': \(((?:\d{1,15},? ?)*)\), \} *\n"
)
"""The description as numpy writes it. Numpy's own reader also accepts other texts, and has its own errors for some."""


@dataclass(frozen=True)
class Holding(Projection):
    """A projection with arrays in `state`, as compressed text; None if there are none yet."""

    state: str | None = field(default=None, kw_only=True)

    function: ClassVar[str] = "project_with"
    own_function: ClassVar[bool] = False
    needs_state: ClassVar[bool] = True
    missing: ClassVar[str]
    """The remedy if there is no state."""
    optional: ClassVar[tuple[str, ...]] = ()
    """The names of arrays that may be missing in the state."""

    def check(self) -> None:
        """Check that the state can be read and matches the parameters."""
        if self.state is not None:
            self.check_arrays(self.arrays)

    @property
    @abstractmethod
    def shapes(self) -> Shapes:
        """The arrays that the state must contain, with their shapes."""

    def check_arrays(self, arrays: Arrays) -> None:
        """Check the arrays beyond their shapes; raises ParameterError."""

    def check_fitted(self) -> None:
        """Raise ParameterError if there is no state."""
        _ = self.arrays

    def rows(self, more: int = 0) -> int | str:
        """The number of features plus `more`; a name if the number is unknown."""
        n = features_of(self)
        return f"features + {more}" if n is None else n + more

    @property
    def arrays(self) -> Arrays:
        """The arrays of the state. Raises ParameterError if there is no state yet."""
        if self.state is None:
            raise ParameterError(f"{type(self).__name__} {self.missing}")
        return unpack(self.state, self.shapes, self.optional)

    def with_arrays(self, **arrays: npt.NDArray[Any]) -> Self:
        """The projection with these arrays, bound to its number of features: by default the first array's rows."""
        n_features = self.bound_to or len(arrays[next(iter(arrays))])
        return replace(self, state=pack(**arrays), bound_to=n_features)


def features_of(projection: Projection) -> int | None:
    """The number of features that a projection is bound to; None if it is not bound."""
    bound = projection.bound_to
    return bound if bound is None or isinstance(bound, int) else len(bound)


def pack(**arrays: npt.NDArray[Any]) -> str:
    """Write named arrays as text."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return base64.b64encode(zlib.compress(buffer.getvalue(), 9)).decode()


def unpack(state: object, shapes: Shapes, optional: tuple[str, ...] = ()) -> Arrays:
    """The arrays that `pack` wrote, checked against these shapes; those named in `optional` may be missing.

    The shapes are checked before the arrays are decompressed, as a short text may contain gigabytes of zeros. Raises
    ParameterError for any other text, other arrays, NaN and infinity.
    """
    if not isinstance(state, str):
        raise ParameterError(f"state cannot be read as arrays: it is {type(state).__name__}, not text")
    return dict(_unpacked(state, tuple(shapes.items()), optional))


@lru_cache(maxsize=16)
def _unpacked(state: str, shapes: tuple[tuple[str, tuple[Size, ...]], ...], optional: tuple[str, ...]) -> Arrays:
    try:
        stream = _ZlibReader(_decoded(state))
        return _read(stream, dict(shapes), optional)
    except (ValueError, TypeError, struct.error, zlib.error) as error:
        words = str(error) if isinstance(error, _WrongStateError) else f"it was cut or changed ({type(error).__name__})"
        raise ParameterError(f"state cannot be read as arrays: {words}; fit or make the projection again") from error


def _decoded(state: str) -> bytes:
    """The bytes of a text in base64, or in base85, which was written before."""
    # Every zlib stream begins with the same 5 bits, which make its first letter.
    return base64.b64decode(state, validate=True) if state.startswith("e") else base64.b85decode(state)


class _WrongStateError(ValueError):
    """A state does not contain the expected arrays."""


class _ZlibReader:
    """A zlib stream that decompresses no more than is read."""

    def __init__(self, data: bytes) -> None:
        """Start with nothing decompressed."""
        self.unpacker, self.rest, self.crc = zlib.decompressobj(), data, 0

    def read(self, size: int) -> bytearray:
        """Exactly `size` bytes. Raises ValueError if the stream ends before."""
        found = self.upto(size)
        if len(found) < size:
            raise ValueError("the stream ends early")
        return found

    def upto(self, size: int) -> bytearray:
        """At most `size` bytes, fewer at the end of the stream."""
        parts = bytearray()
        while len(parts) < size:
            piece = self.unpacker.decompress(self.rest, min(size - len(parts), _PIECE))
            self.rest = self.unpacker.unconsumed_tail
            if not piece:
                break
            parts += piece
        self.crc = zlib.crc32(parts, self.crc)
        return parts


def _read(stream: _ZlibReader, shapes: dict[str, tuple[Size, ...]], optional: tuple[str, ...]) -> Arrays:
    """The members of the archive, each after its header is checked."""
    arrays: Arrays = {}
    sizes: dict[str, int] = {}
    while (start := stream.read(4)) == b"PK\x03\x04":
        _, flags, method, _, _, crc, _, _, name_size, extra_size = _MEMBER.unpack(start + stream.read(26))[1:]
        name = stream.read(name_size).decode().removesuffix(".npy")
        stream.read(extra_size)
        if flags or method or name not in shapes or name in arrays:
            raise _WrongStateError(f"it holds {name!r}, not {', '.join(shapes)}")
        stream.crc = 0
        arrays[name] = _array(stream, name, shapes[name], sizes)
        if stream.crc != crc:
            raise ValueError("the checksum differs")
    absent = shapes.keys() - arrays.keys() - set(optional)
    if absent:
        raise _WrongStateError(f"it lacks {', '.join(sorted(absent))}")
    stream.upto(1 << 16)  # the list of members at the end of the archive, which is not needed
    if start != b"PK\x01\x02" or not stream.unpacker.eof:
        raise ValueError("the archive has no end")
    return arrays


def _array(stream: _ZlibReader, name: str, shape: tuple[Size, ...], sizes: dict[str, int]) -> npt.NDArray[Any]:
    """One member. `sizes`: the sizes of the named dimensions so far."""
    magic, length = _START.unpack(stream.read(_START.size))
    header = _HEADER.fullmatch(stream.read(length))
    if magic != b"\x93NUMPY\x01\x00" or header is None:
        raise ValueError("the header of numpy's format")
    dtype, by_columns = np.dtype(header[1].decode()), header[2] == b"True"
    found = tuple(map(int, re.findall(rb"\d+", header[3])))
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise _WrongStateError(f"{name!r} is of {dtype}, not of numbers")
    fits = len(found) == len(shape)
    for have, want in zip(found, shape, strict=False):
        if isinstance(want, tuple):
            fits &= have in want
        else:
            fits &= have == (sizes.setdefault(want, have) if isinstance(want, str) else want)
    if not fits:
        wanted = ", ".join(str(size) for size in shape)
        raise _WrongStateError(f"{name!r} has shape {found} and must have ({wanted})")
    size = prod(found) * dtype.itemsize
    if not 0 <= size <= _MOST:
        raise _WrongStateError(f"{name!r} takes {size} bytes, more than {_MOST}")
    array = np.frombuffer(stream.read(size), dtype)
    if not np.isfinite(array).all():
        raise _WrongStateError(f"{name!r} holds NaN or infinity")
    return array.reshape(found, order="F" if by_columns else "C")
