"""What every stage knows of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sqlrp.core.draw import (
    Ints,
)
from sqlrp.core.numbers import Number

Weights = npt.NDArray[Any]


class Stage(ABC):
    """A map of one vector to another.

    A stage of your own needs a form in a lowering and in `sqlrp.stages.evaluate`. Without one it is refused by name.
    Sums (`Linear`) and sums of products (`Products`) of your own have forms already, which read the tables they give.
    """

    appends: ClassVar[bool] = False
    """whether a constant entry, `appended`, follows the others, which stay as they are"""
    sums: ClassVar[bool] = False
    """whether every new entry is a weighted sum of the old ones, with the weights of `matrix`"""
    products: ClassVar[bool] = False
    """whether entries are multiplied with one another"""
    groups: ClassVar[bool] = False
    """whether rows of one key become one row"""
    closes: ClassVar[bool] = False
    """whether it acts on finished outputs where it ends a pipeline"""

    @property
    @abstractmethod
    def n_outputs(self) -> int | None:
        """How many entries the vector has afterwards; None where it keeps its number, but for an appended constant."""

    @property
    def exact(self) -> bool:
        """Whether integers stay integers."""
        return True

    @property
    def appended(self) -> float:
        """The constant entry of a stage that `appends`."""
        return 0.0

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
        """Whether it is known that no weight of `matrix` is 0."""
        return False

    @property
    def multiplies(self) -> bool:
        """Whether integers are multiplied, by weights or by one another."""
        return False

    @property
    def widest(self) -> int:
        """How many entries it holds at once while it works, where they are more than before and afterwards."""
        return 0

    def terms(self, n_features: int) -> float:
        """About how many additions and multiplications one row of n_features entries costs."""
        return 0.0

    def plain_terms(self, n_features: int) -> float:
        """The same where no partial sums are shared."""
        return self.terms(n_features)

    def stated(self, n_features: int) -> float:
        """How many weights, zeros included, and factors are stated once for all rows."""
        return self.terms(n_features)

    def matrix(self, features: Ints) -> Weights:
        """The weights of a stage that `sums`, over the given feature numbers: shape (features, entries)."""
        raise TypeError(f"{type(self).__name__} has no weights")

    def drawn(self, features: Ints) -> Stage:
        """The stage over the given feature numbers, with its random numbers drawn."""
        return self

    def result_type(self, number: Number, n_features: int) -> Number:
        """The kind that holds the new entries exactly. `number` is the exact kind of the n_features old entries."""
        return number

    def numbers(self, before: Ints) -> Ints:
        """The feature numbers of the new entries. `before` holds those of the old entries."""
        return before if self.n_outputs is None else np.arange(self.n_outputs, dtype=np.int64)
