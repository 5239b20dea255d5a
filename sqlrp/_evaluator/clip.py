"""Clip rows to a length, and round them to whole numbers, so that their sums change by a known number with one row.

Sums of whole numbers are exact in any order. So what one row adds to them is known exactly, on every engine.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from sqlrp._core.draw import Ints
from sqlrp._core.values import dataclass
from sqlrp._evaluator.moments import Matrix

STEPS = 1 << 12
"""The greatest length of a clipped row."""


@dataclass(frozen=True)
class Clip:
    """What rows are clipped to: components to a length, a target to bounds, and classes to those that are named."""

    length: float
    k: int
    """the number of components"""
    classes: tuple[Any, ...] = ()
    """of a classifier: rows of other classes are left out"""
    bounds: tuple[float, float] = (0.0, 0.0)
    """of the target of a regressor"""

    @property
    def most(self) -> float:
        """The length of a clipped row before its k numbers are rounded, by which it grows up to √k/2."""
        return STEPS - math.sqrt(self.k) / 2 - 1

    @property
    def unit(self) -> float:
        """A step of the components, in their unit."""
        return self.length / self.most

    @property
    def middle(self) -> float:
        """The middle of the bounds."""
        return self.bounds[0] / 2 + self.bounds[1] / 2

    @property
    def target_unit(self) -> float:
        """A step of the target, in its unit."""
        return (self.bounds[1] / 2 - self.bounds[0] / 2) / self.most

    def of(self, factor: float) -> Clip:
        """The same for components that have still to be multiplied by a factor."""
        return replace(self, length=self.length / factor)

    def rows(self, x: Matrix) -> Matrix:
        """Rows of components, and of the target if it is a regressor's, in whole steps."""
        z = x[:, : self.k]
        with np.errstate(over="ignore", invalid="ignore"):  # the caller looks for NaN and infinity
            norm = np.sqrt(np.einsum("ij,ij->i", z, z))
            z = z * (self.most / np.maximum(norm, self.length))[:, None]
            if self.classes:
                return np.asarray(np.floor(z + 0.5))
            y = (np.clip(x[:, self.k :], *self.bounds) - self.middle) / self.target_unit
            return np.asarray(np.floor(np.column_stack([z, y]) + 0.5))

    def named(self, at: Ints, names: Any) -> Any:
        """Which rows have a class that is named. `at`: the position of each row's class in `names`."""
        return np.array([name in self.classes for name in names], dtype=bool)[at]


__all__ = ["STEPS", "Clip"]
