"""How rows are projected: the options that every way of projecting shares."""

from __future__ import annotations

from typing import Literal, get_args

from sqlrp._core.errors import ParameterError, check_choice
from sqlrp._core.sources import OUTPUTS, Output
from sqlrp._core.values import dataclass

Nulls = Literal["propagate", "zero", "error"]
"""What a NULL feature does: makes the row's outputs NULL, counts as 0, or raises."""

Dtype = Literal["auto", "float32", "float16"]
"""The type of the result's numbers: the one that they are computed in, or floats of 32 or 16 bits."""


@dataclass(frozen=True)
class Options:
    """The keywords of `sqlrp.project`, checked. The planner checks the lowering, as it knows their names."""

    output: Output = "columns"
    scale: bool = True
    nulls: Nulls = "propagate"
    lowering: str = "auto"
    dtype: Dtype = "auto"
    correct: bool = False
    """whether two numbers stand next to the code of a row, by which a search corrects its distances"""

    def __post_init__(self) -> None:
        """Raise ParameterError for an unknown output, treatment of NULL or type, and for a type of bits."""
        check_choice("output", self.output, OUTPUTS)
        check_choice("nulls", self.nulls, get_args(Nulls))
        check_choice("dtype", self.dtype, get_args(Dtype))
        if self.output == "bits" and self.dtype != "auto":
            raise ParameterError(
                f"dtype = {self.dtype!r} is for numbers, and output = 'bits' has none: leave dtype out"
            )
