"""The last step of a projection to bytes: components as whole numbers of steps."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError
from sqlrp._core.values import dataclass
from sqlrp._projections.chained import Scaling
from sqlrp._projections.checks import check_whole
from sqlrp._projections.code_fields import Fields, fields_of
from sqlrp._projections.given import ArrayProjection
from sqlrp._projections.held_arrays import Arrays, Shapes
from sqlrp._projections.projection import Projection
from sqlrp._projections.widths import MOST as WIDEST
from sqlrp._stages import Bounded, Rescale, Rounded, Stage

MOST = 127
"""The largest whole number."""
_INSIDE = 1 - 1 / 512
"""A bound below 1 by less than half a level of 8 bits, as the highest level ends below the next one."""


@dataclass(frozen=True)
class Rounding(ArrayProjection):
    """v ↦ (v - offset)/step, rounded to a whole number from -most to most: the last step of what `rounded` makes.

    With `shift`, which is 0.5, the whole numbers are those nearest to (v - offset)/step - shift, from -most - 1 to
    most. Each stands for itself and the shift: an even number of levels, as many above the offset as below.
    """

    optional: ClassVar[tuple[str, ...]] = ("offset", "shift", "widths", "reach")

    @classmethod
    def of(cls, k: int, step: float, most: int = MOST, offset: npt.ArrayLike = 0.0, even: bool = False) -> Self:
        """The rounding of k numbers, from an offset of shape (k,) or one for all. `even`: with a shift.

        Raises ParameterError for a step that is not above 0, and most over 127.
        """
        if not (step > 0 and math.isfinite(step)):
            raise ParameterError(f"step = {step!r} must be above 0, and finite")
        check_whole("most", most, 1, MOST)
        offsets = np.broadcast_to(np.asarray(offset, dtype=np.float64), (k,)).copy()
        own = ({"offset": offsets} if offsets.any() else {}) | ({"shift": np.array(0.5)} if even else {})
        return cls(k=k).with_arrays(step=np.full(k, float(step)), most=np.array(float(most)), **own)

    def packed(self, widths: npt.ArrayLike, reach: float) -> Self:
        """With so many bits for each component, shape (k,), of 1 to 8, by which rows are packed in words.

        `reach`: the squared length of a row, in steps, up to which its words tell it.
        """
        return self.with_arrays(**{**self.arrays, "widths": np.asarray(widths, float), "reach": np.array(float(reach))})

    @property
    def shapes(self) -> Shapes:
        """The step of each number, the largest whole number, the offset and the shift, then the bits of packed ones."""
        return {
            "step": (self.k,),
            "most": (),
            "offset": (self.k,),
            "shift": (),
            "widths": (self.k,),
            "reach": (),
        }

    @property
    def _offset(self) -> npt.NDArray[np.float64]:
        arrays = self.arrays
        return arrays["offset"] if "offset" in arrays else np.zeros(self.k)

    @property
    def code_shift(self) -> float:
        """0.5 for an even number of levels, otherwise 0."""
        return float(self.arrays.get("shift", 0.0))

    def check_arrays(self, arrays: Arrays) -> None:
        """Check the shift, which is 0.5 if there is one."""
        if arrays.get("shift", 0.5) != 0.5:
            raise ParameterError(f"shift = {arrays['shift']} must be 0.5: make the codes again")
        widths = arrays.get("widths")
        if widths is None:
            return
        if not (np.isin(widths, range(1, WIDEST + 1)).all() and "shift" in arrays and arrays.get("reach", 0) > 0):
            raise ParameterError(
                "widths must be whole numbers from 1 to 8, with a shift and a reach: make the codes again"
            )

    def _divided(self, shift: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """What is subtracted and what it is multiplied by, for the number of steps less a shift."""
        step = self.arrays["step"]
        return self._offset + shift * step, 1 / step

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The offset and the division, then the rounding."""
        shift = self.code_shift
        last = Rounded(int(self.arrays["most"]), shift > 0)
        if self.fields is None:
            return Rescale(*self._divided(shift)), last
        halves = np.exp2(self.arrays["widths"] - 1)  # each component is within its own levels where it is within 1
        offset, steps = self._divided(0.0)
        return Rescale(offset, steps / halves), Bounded(_INSIDE), Rescale(shift / halves, halves), last

    def factor(self, n_features: int | None) -> float:
        """Numbers of steps are kept, as they fit a byte."""
        return 1.0

    @property
    def fields(self) -> Fields | None:
        """The places of the components in words, if they are packed."""
        arrays = self.arrays
        if "widths" not in arrays:
            return None
        return fields_of([int(width) for width in arrays["widths"]], float(arrays["reach"]))

    @property
    def code_range(self) -> tuple[int, int] | None:
        """The least and the largest whole number."""
        most = int(self.arrays["most"])
        return -most - (self.code_shift > 0), most

    @property
    def unrounded(self) -> Projection:
        """The offset, the division and the shift alone."""
        return Scaling.of(*self._divided(self.code_shift))

    @property
    def unshifted(self) -> Projection:
        """The offset and the division alone."""
        return Scaling.of(*self._divided(0.0))
