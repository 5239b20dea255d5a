"""Stages that append or rescale entries, and stages that finish a row: groups and norms."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import (
    CONSTANT_FEATURE,
    Ints,
)
from sqlrp._core.errors import ParameterError
from sqlrp._core.numbers import Number
from sqlrp._core.values import dataclass
from sqlrp._stages.stage import Stage


@dataclass(frozen=True)
class AppendConstant(Stage):
    """x ↦ (x, value): the feature that makes a homogeneous kernel inhomogeneous (thesis 4.3.3).

    Its feature number is always `signs.CONSTANT_FEATURE`.
    """

    value: float

    n_outputs: ClassVar[None] = None
    appends = True

    @property
    def appended(self) -> float:
        """The constant."""
        return self.value

    @property
    def exact(self) -> bool:
        """Whether the constant is a whole number."""
        return float(self.value).is_integer()

    def result_type(self, number: Number, n_features: int) -> Number:
        """A type wide enough for the constant."""
        return replace(number, bits=max(number.bits, int(self.value * 10**number.digits).bit_length()))

    def numbers(self, before: Ints) -> Ints:
        """The old feature numbers, then that of the constant."""
        return np.append(before, np.int64(CONSTANT_FEATURE))


@dataclass(frozen=True, eq=False)
class Rescale(Stage):
    """x_j ↦ (x_j - offset_j)·scale_j: features scaled by statistics. It is usually the first stage.

    If `features` is None, offset and scale are given by position. Otherwise they belong to these feature numbers, and
    every other feature has offset 0 and the scale `other`.
    """

    offset: npt.NDArray[np.float64]
    scale: npt.NDArray[np.float64]
    features: Ints | None = None
    other: float = 1.0

    n_outputs: ClassVar[None] = None
    exact: ClassVar[bool] = False

    @property
    def n_inputs(self) -> int:
        return len(self.scale) if self.features is None else 0

    def of(self, numbers: Ints) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Offset and scale of the given feature numbers; raises ParameterError for a wrong number of positions."""
        if self.features is None:
            if len(numbers) != len(self.scale):
                raise ParameterError(
                    f"the projection's statistics are of {len(self.scale)} features, the source has {len(numbers)}: "
                    "name those in features"
                )
            return self.offset, self.scale
        own = {int(f): j for j, f in enumerate(self.features)}
        at = [own.get(int(number), -1) for number in numbers]
        return np.append(self.offset, 0.0)[at], np.append(self.scale, self.other)[at]

    def terms(self, n_features: int) -> float:
        """Two per entry."""
        return 2 * n_features


@dataclass(frozen=True)
class SumOverGroup(Stage):
    """The sum of all rows with the same key, as one row."""

    n_outputs: ClassVar[None] = None
    groups = True
    closes = True

    def result_type(self, number: Number, n_features: int) -> Number:
        """A type wide enough for the sum of 2³¹ rows."""
        return number.summed(2**31)


@dataclass(frozen=True)
class Normalise(Stage):
    """A row divided by its Euclidean norm. A row of zeros is unchanged."""

    n_outputs: ClassVar[None] = None
    exact: ClassVar[bool] = False
    closes = True

    def terms(self, n_features: int) -> float:
        """Two per entry."""
        return 2 * n_features
