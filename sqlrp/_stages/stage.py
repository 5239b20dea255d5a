"""The base class of all stages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import Ints
from sqlrp._core.numbers import Number

Weights = npt.NDArray[Any]


class Stage(ABC):
    """A map from one vector to another.

    New subclasses of `Elementwise` (a formula of one entry), `Linear` (sums) and `Products` (sums of products) need no
    forms of their own: the existing ones read the formula or the tables of the subclass. Any other new stage needs a
    form in a lowering and in `sqlrp._evaluator`. Without one, an error names the stage.
    """

    appends: ClassVar[bool] = False
    """whether it appends a constant entry, `appended`, and leaves the other entries unchanged"""
    sums: ClassVar[bool] = False
    """whether every new entry is a weighted sum of the old ones, with the weights of `matrix`"""
    products: ClassVar[bool] = False
    """whether entries are multiplied with one another"""
    groups: ClassVar[bool] = False
    """whether it sums the rows with the same key into one row"""
    bytes_each: ClassVar[bool] = False
    """whether the new entries are whole numbers from -128 to 127"""
    draws_for_any: ClassVar[bool] = False
    """whether its weights are signs that are drawn for any feature by itself, as those of words are"""
    closes: ClassVar[bool] = False
    """whether it is applied to the finished outputs if it ends a pipeline"""

    @property
    @abstractmethod
    def n_outputs(self) -> int | None:
        """The number of entries of the new vector; None if it stays the same, except for an appended constant."""

    @property
    def exact(self) -> bool:
        """Whether integer entries give integer results."""
        return True

    @property
    def appended(self) -> float:
        """The constant entry of a stage that `appends`."""
        return 0.0

    @property
    def n_inputs(self) -> int:
        """How many old entries its own numbers are for; 0 for any number."""
        return 0

    @property
    def keeps_zero(self) -> bool:
        """Whether absent entries of sparse rows, which are 0, may stay absent."""
        return True

    @property
    def signed(self) -> bool:
        """Whether the new entries can be negative if the old ones can."""
        return True

    @property
    def signs(self) -> bool:
        """Whether the weights of `matrix` are ±1 and 0, so that nothing is multiplied."""
        return False

    @property
    def shareable(self) -> bool:
        """Whether the sums may share partial sums."""
        return False

    @property
    def full(self) -> bool:
        """Whether all weights of `matrix` are known not to be 0."""
        return False

    @property
    def multiplies(self) -> bool:
        """Whether integers are multiplied, by weights or by one another."""
        return False

    @property
    def widest(self) -> int:
        """The number of intermediate entries, if it is larger than the number of old and of new entries."""
        return 0

    def terms(self, n_features: int) -> float:
        """The approximate number of additions and multiplications for one row of n_features entries."""
        return 0.0

    def plain_terms(self, n_features: int) -> float:
        """The same number without shared partial sums."""
        return self.terms(n_features)

    def evaluated_terms(self, n_features: int) -> float:
        """The same number in the evaluator, which has faster ways of its own for some stages."""
        return self.plain_terms(n_features)

    def stated(self, n_features: int) -> float:
        """The number of weights, including zeros, and factors that are written once for all rows."""
        return self.terms(n_features)

    def matrix(self, features: Ints) -> Weights:
        """The weights of a stage that `sums`, over the given feature numbers: shape (features, entries)."""
        raise TypeError(f"{type(self).__name__} has no weights")

    def drawn(self, features: Ints) -> Stage:
        """The stage for the given feature numbers, with its random numbers already drawn."""
        return self

    def result_type(self, number: Number, n_features: int) -> Number:
        """The number type that represents the new entries exactly. `number` is that of the n_features old entries."""
        return number

    def numbers(self, before: Ints) -> Ints:
        """The feature numbers of the new entries. `before`: those of the old entries."""
        return before if self.n_outputs is None else np.arange(self.n_outputs, dtype=np.int64)
