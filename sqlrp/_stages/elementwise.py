"""Stages that change every entry by itself. Each states its formula once, and every lowering reads it."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from sqlrp._core.values import dataclass
from sqlrp._stages.formulas import Formula, X, cos, exp, floor, odd, sqrt, within
from sqlrp._stages.stage import Stage


class Elementwise(Stage):
    """v ↦ f(v) for every entry.

    A new stage of this kind is a subclass with `formulas`: no lowering and no test needs an entry for it.
    """

    n_outputs: ClassVar[None] = None

    @property
    @abstractmethod
    def formulas(self) -> tuple[Formula, ...]:
        """The formulas, applied one after another. A lowering names the results of one before the next reads them."""

    @property
    def exact(self) -> bool:
        """Whether integer entries give integer results that are no larger."""
        return all(formula.exact for formula in self.formulas)

    @property
    def keeps_zero(self) -> bool:
        """Whether an entry that is 0 stays 0."""
        return all(formula.keeps_zero for formula in self.formulas)

    @property
    def signed(self) -> bool:
        """Whether an entry can become negative."""
        return self.formulas[-1].signed


@dataclass(frozen=True)
class Power(Elementwise):
    """v ↦ (v + add)^degree for every entry: a polynomial kernel of inner products."""

    add: float
    degree: int

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The sum, then its power."""
        return X + self.add, X**self.degree


@dataclass(frozen=True)
class Exponential(Elementwise):
    """v ↦ exp(v) for every entry: a radial kernel of squared distances."""

    formulas: ClassVar[tuple[Formula, ...]] = (exp(X),)


@dataclass(frozen=True)
class SignedRoot(Elementwise):
    """v ↦ sign(v)·√|v| for every entry."""

    formulas: ClassVar[tuple[Formula, ...]] = (odd(sqrt(X)),)
    closes = True


@dataclass(frozen=True)
class Absolute(Elementwise):
    """v ↦ |v| for every entry."""

    formulas: ClassVar[tuple[Formula, ...]] = (abs(X),)


@dataclass(frozen=True)
class Cosine(Elementwise):
    """v ↦ cos(v) for every entry."""

    formulas: ClassVar[tuple[Formula, ...]] = (cos(X),)


@dataclass(frozen=True)
class Bounded(Elementwise):
    """v ↦ the nearest number from -most to most."""

    most: float = 1.0

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The number within the bounds."""
        return (within(X, self.most),)


@dataclass(frozen=True)
class Rounded(Elementwise):
    """v ↦ the nearest whole number from -most to most, or from -most - 1 if `even`: at most a byte each."""

    most: int = 127
    even: bool = False

    bytes_each = True

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The number within the bounds, rounded."""
        if self.even:
            return (floor(within(X + 0.5, self.most + 0.5)),)
        return (floor(within(X, float(self.most)) + 0.5),)
