"""The last step of a projection to bytes: components as whole numbers of steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

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
    """v ↦ v/step, rounded to a whole number from -most to most; the last step of a `Chained` that `rounded` makes."""

    @classmethod
    def of(cls, k: int, step: float, most: int = MOST) -> Self:
        """The rounding of k numbers. Raises ParameterError for a step that is not above 0, and most over 127."""
        if not (step > 0 and math.isfinite(step)):
            raise ParameterError(f"step = {step!r} must be above 0, and finite")
        check_whole("most", most, 1, MOST)
        return cls(k=k).with_arrays(step=np.full(k, float(step)), most=np.array(float(most)))

    @property
    def shapes(self) -> Shapes:
        """The step of each number, and the largest whole number."""
        return {"step": (self.k,), "most": ()}

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The division, then the rounding."""
        return Rescale(np.zeros(self.k), 1 / self.arrays["step"]), Rounded(int(self.arrays["most"]))

    def factor(self, n_features: int | None) -> float:
        """Numbers of steps are kept, as they fit a byte."""
        return 1.0

    @property
    def unrounded(self) -> Projection:
        """The division alone."""
        return Scaling.of(np.zeros(self.k), 1 / self.arrays["step"])
