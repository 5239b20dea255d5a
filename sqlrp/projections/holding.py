"""Projections that hold arrays, as text: so they are saved, compared and applied like any other."""

from __future__ import annotations

import base64
import io
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
        if self.state is not None:
            try:
                _unpack(self.state)
            except Exception as error:
                raise ParameterError(f"state cannot be read as arrays: {type(error).__name__}") from error

    @property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What is held; raises ParameterError where nothing is yet."""
        if self.state is None:
            raise ParameterError(f"{type(self).__name__} {self.missing}")
        return _unpack(self.state)

    def with_arrays(self, **arrays: npt.NDArray[Any]) -> Self:
        """The projection with this state, bound to the number of its features: by default the first array's rows."""
        n_features = self.bound_to or len(arrays[next(iter(arrays))])
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)  # type: ignore[arg-type]
        state = base64.b85encode(zlib.compress(buffer.getvalue(), 9)).decode()
        return replace(self, state=state, bound_to=n_features)


@lru_cache(maxsize=16)
def _unpack(state: str) -> dict[str, npt.NDArray[Any]]:
    with np.load(io.BytesIO(zlib.decompress(base64.b85decode(state))), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}
