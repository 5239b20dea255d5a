"""The last step of a projection to bytes: components as whole numbers of steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError
from sqlrp._projections.base import Projection
from sqlrp._projections.chained import Scaling
from sqlrp._projections.checks import check_whole
from sqlrp._projections.given import Given
from sqlrp._projections.holding import Shapes
from sqlrp._stages import Rescale, Rounded, Stage

MOST = 127
"""The largest whole number."""


@dataclass(frozen=True)
class Rounding(Given):
    """v ↦ (v - offset)/step, rounded to a whole number from -most to most: the last step of what `rounded` makes."""

    optional: ClassVar[tuple[str, ...]] = ("offset",)

    @classmethod
    def of(cls, k: int, step: float, most: int = MOST, offset: npt.ArrayLike = 0.0) -> Self:
        """The rounding of k numbers, from an offset of shape (k,) or one for all.

        Raises ParameterError for a step that is not above 0, and most over 127.
        """
        if not (step > 0 and math.isfinite(step)):
            raise ParameterError(f"step = {step!r} must be above 0, and finite")
        check_whole("most", most, 1, MOST)
        offsets = np.broadcast_to(np.asarray(offset, dtype=np.float64), (k,)).copy()
        own = {"offset": offsets} if offsets.any() else {}
        return cls(k=k).with_arrays(step=np.full(k, float(step)), most=np.array(float(most)), **own)

    @property
    def shapes(self) -> Shapes:
        """The step of each number, the largest whole number, and the offset."""
        return {"step": (self.k,), "most": (), "offset": (self.k,)}

    @property
    def _offset(self) -> npt.NDArray[np.float64]:
        arrays = self.arrays
        return arrays["offset"] if "offset" in arrays else np.zeros(self.k)

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The offset and the division, then the rounding."""
        return Rescale(self._offset, 1 / self.arrays["step"]), Rounded(int(self.arrays["most"]))

    def factor(self, n_features: int | None) -> float:
        """Numbers of steps are kept, as they fit a byte."""
        return 1.0

    @property
    def code_range(self) -> int | None:
        """The largest whole number."""
        return int(self.arrays["most"])

    @property
    def unrounded(self) -> Projection:
        """The offset and the division alone."""
        return Scaling.of(self._offset, 1 / self.arrays["step"])
