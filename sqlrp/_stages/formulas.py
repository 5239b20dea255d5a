"""Formulas over one number, which every reader shares: the lowerings, the evaluator and the tests.

A stage that changes single entries states its formula once, such as `abs(X)` or `sqrt(X)`. The lowerings write it as
SQL in the phrases of a dialect, and the evaluator computes it with numpy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError
from sqlrp._core.symbols import Symbol
from sqlrp._core.values import dataclass

Values = npt.NDArray[Any]


@dataclass(frozen=True)
class Formula:
    """The number x, or a function of another formula."""

    function: str
    """"x", or one of `FUNCTIONS`"""
    of: Formula | None = None
    """the formula that the function is applied to; None for x"""
    value: float | Formula = 0.0
    """the other number of a sum, a product, a quotient or a bound, or a formula of it; the exponent of a power"""

    def __add__(self, other: float | Formula) -> Formula:
        """The sum."""
        return Formula("plus", self, other)

    def __sub__(self, other: float | Formula) -> Formula:
        """The difference."""
        return self + -1 * other

    def __mul__(self, other: float | Formula) -> Formula:
        """The product."""
        return Formula("times", self, other)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: float) -> Formula:
        """A number less this one."""
        return -self + other

    def __neg__(self) -> Formula:
        """The negative."""
        return -1 * self

    def __truediv__(self, other: float | Formula) -> Formula:
        """The quotient. The divisor must not be 0, of which engines give infinity, NULL or an error."""
        return Formula("over", self, other)

    def __rtruediv__(self, other: float) -> Formula:
        """A number over this one, which must not be 0."""
        return Formula("under", self, other)

    def __pow__(self, degree: int) -> Formula:
        """The product of `degree` equal factors. Raises ParameterError for what is no whole number from 1."""
        if not isinstance(degree, Symbol) and (degree != int(degree) or degree < 1):
            raise ParameterError(
                f"degree = {degree} must be a whole number >= 1: take sqrt for a root and / for an inverse"
            )
        return Formula("power", self, degree)

    def __abs__(self) -> Formula:
        """The absolute value."""
        return Formula("abs", self)

    def at(self, x: Values) -> Values:
        """The values at every number of an array, in the array's type."""
        return x if self.of is None else FUNCTIONS[self.function](self.of, self.value, x)

    @property
    def exact(self) -> bool:
        """Whether it turns integers into integers that are no larger, so that they keep their type."""
        return self.of is None or (self.function in ("abs", "odd") and self.of.exact)

    @property
    def keeps_zero(self) -> bool:
        """Whether it is 0 at 0, so that absent entries of sparse rows stay absent."""
        return not self.at(np.zeros(1)).any()

    @property
    def signed(self) -> bool:
        """Whether it can be negative for some number."""
        if self.function == "power":
            return isinstance(self.value, Formula) or self.value % 2 == 1
        return self.function not in ("abs", "sqrt", "exp")


X = Formula("x")
"""The number."""


def sqrt(of: Formula) -> Formula:
    """The square root of a number that is not negative."""
    return Formula("sqrt", of)


def exp(of: Formula) -> Formula:
    """e to a number's power."""
    return Formula("exp", of)


def cos(of: Formula) -> Formula:
    """The cosine."""
    return Formula("cos", of)


def floor(of: Formula) -> Formula:
    """The largest whole number that is not above a number."""
    return Formula("floor", of)


def within(of: Formula, bound: float) -> Formula:
    """The number, or the nearest one from -bound to bound. NaN, which engines sort above all numbers, becomes bound."""
    return Formula("within", of, bound)


def at_least(of: Formula, bound: float | Formula) -> Formula:
    """The larger of two numbers. NaN stays NaN."""
    return Formula("at_least", of, bound)


def at_most(of: Formula, bound: float | Formula) -> Formula:
    """The smaller of two numbers. NaN becomes the bound."""
    return Formula("at_most", of, bound)


def odd(of: Formula) -> Formula:
    """The odd function that is `of` for x >= 0: for x < 0 it is the negative of `of` at -x."""
    return Formula("odd", of)


def _other(value: Any, x: Values) -> Any:
    return value.at(x) if isinstance(value, Formula) else x.dtype.type(value)


def _power(of: Formula, degree: Any, x: Values) -> Values:
    base = of.at(x)
    product = base.copy()
    for _ in range(int(degree) - 1):
        product *= base
    return product


def _within(values: Values, bound: float) -> Values:
    return np.where(values <= bound, np.maximum(values, -bound), values.dtype.type(bound))


FUNCTIONS: dict[str, Callable[[Formula, Any, Values], Values]] = {
    "plus": lambda of, other, x: np.asarray(of.at(x) + _other(other, x)),
    "times": lambda of, other, x: np.asarray(of.at(x) * _other(other, x)),
    "at_least": lambda of, bound, x: np.where(of.at(x) < (low := _other(bound, x)), low, of.at(x)),
    "at_most": lambda of, bound, x: np.where(of.at(x) <= (high := _other(bound, x)), of.at(x), high),
    "over": lambda of, other, x: np.asarray(of.at(x) / _other(other, x)),
    "under": lambda of, other, x: np.asarray(_other(other, x) / of.at(x)),
    "power": _power,
    "abs": lambda of, _, x: np.abs(of.at(x)),
    "sqrt": lambda of, _, x: np.sqrt(of.at(x)),
    "exp": lambda of, _, x: np.exp(of.at(x)),
    "cos": lambda of, _, x: np.cos(of.at(x)),
    "floor": lambda of, _, x: np.floor(of.at(x)),
    "within": lambda of, bound, x: _within(of.at(x), bound),
    "odd": lambda of, _, x: np.copysign(of.at(np.abs(x)), x),
}
"""The functions in numpy. `sqlrp._lowering.formula_sql` has each of them in SQL."""
