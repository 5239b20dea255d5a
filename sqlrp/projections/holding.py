"""Projections that hold arrays, as text: so they are saved, compared and applied like any other."""

from __future__ import annotations

import base64
import io
import zipfile
import zlib
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sqlrp.errors import ParameterError
from sqlrp.projections.base import Projection


@dataclass(frozen=True)
class Holding(Projection):
    """A projection with arrays in `state`, compressed, as text; None before they are there."""

    state: str | None = field(default=None, kw_only=True)

    function: ClassVar[str] = "project_with"
    missing: ClassVar[str]
    """What to do where there is no state."""

    def check(self) -> None:
        """Check that the state can be read."""
        check_state(self.state)

    @property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What is held; raises ParameterError where nothing is yet."""
        if self.state is None:
            raise ParameterError(f"{type(self).__name__} {self.missing}")
        return unpack(self.state)

    def with_arrays(self, **arrays: npt.NDArray[Any]) -> Self:
        """The projection with this state, bound to the number of its features: by default the first array's rows."""
        n_features = self.bound_to or len(arrays[next(iter(arrays))])
        return replace(self, state=pack(**arrays), bound_to=n_features)


def pack(**arrays: npt.NDArray[Any]) -> str:
    """Named arrays as text."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return base64.b85encode(zlib.compress(buffer.getvalue(), 9)).decode()


def check_state(state: str | None) -> None:
    """Raise ParameterError for a state that `pack` did not write."""
    if state is not None:
        try:
            unpack(state)
        except (ValueError, zlib.error, zipfile.BadZipFile, EOFError, OSError, KeyError) as error:
            raise ParameterError(f"state cannot be read as arrays: {type(error).__name__}") from error


@lru_cache(maxsize=16)
def unpack(state: str) -> dict[str, npt.NDArray[Any]]:
    """The arrays that `pack` wrote."""
    with np.load(io.BytesIO(zlib.decompress(base64.b85decode(state))), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}
