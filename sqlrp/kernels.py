"""Kernels, which the inner products of projected rows estimate, in numpy and as SQL.

A kernel K is a function of inner products of the rows before the projection. Its squared distances are
K(x, x) + K(y, y) - 2·K(x, y). `Projection.kernel` returns a method's kernel, and `sqlrp.diagnose` compares with it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sqlrp._core.differences import squared_differences
from sqlrp._core.errors import ParameterError
from sqlrp._core.numbers import DOUBLE, Number
from sqlrp._core.values import dataclass

Floats = npt.NDArray[np.float64]


class KernelPhrases(Protocol):
    """The phrases of SQL that kernels are written in, as every dialect has them."""

    def literal(self, value: float, number: Number) -> str:
        """A number of that type."""

    def sqrt(self, x: str) -> str:
        """The square root."""

    def exp(self, x: str) -> str:
        """e to a number's power."""

    def power(self, x: str, degree: int) -> str:
        """A number to a power."""


class Kernel(ABC):
    """A kernel of two rows x and y.

    >>> from sqlrp.kernels import Kernel
    >>> isinstance(sqlrp.PolynomialKernelProjection().kernel(), Kernel)
    True
    """

    @property
    def linear(self) -> bool:
        """Whether the distances are those of the rows themselves."""
        return False

    @property
    def placed(self) -> bool:
        """Whether inner products are known. If not, only distances are compared."""
        return True

    @property
    def known(self) -> bool:
        """Whether it is the method's. If not, distances are compared up to a factor that all have in common."""
        return True

    @property
    def grouped(self) -> bool:
        """Whether it compares groups of rows rather than rows."""
        return False

    @property
    def squares(self) -> bool:
        """Whether the value needs ⟨x², y²⟩."""
        return False

    @property
    def part(self) -> int | None:
        """Where the features are parted, for a value that takes ⟨x, y⟩ over those below it in place of ⟨x², y²⟩."""
        return None

    @abstractmethod
    def of(self, dot: Floats, squares: Floats, own: Floats, other: Floats) -> Floats:
        """The values for ⟨x, y⟩, ⟨x², y²⟩, ‖x‖² and ‖y‖²."""

    @abstractmethod
    def sql(self, dot: str, squares: str, own: str, other: str, phrases: KernelPhrases) -> str:
        """The same as an SQL expression. The arguments are SQL expressions of type DOUBLE."""

    def between(self, x: Floats, y: Floats) -> Floats:
        """The values for all rows of x with all rows of y: shape (n, m) for rows of shape (n, d) and (m, d)."""
        own, other = (x * x).sum(axis=1)[:, None], (y * y).sum(axis=1)[None, :]
        squares = (x * x) @ (y * y).T if self.squares else x[:, : self.part] @ y[:, : self.part].T
        return np.asarray(self.of(x @ y.T, squares, own, other), dtype=np.float64)

    def lengths(self, x: Floats) -> Floats:
        """The values for each row of x with itself: shape (n,)."""
        own = (x * x).sum(axis=1)
        squares = (x**4).sum(axis=1) if self.squares else (x[:, : self.part] ** 2).sum(axis=1)
        return np.asarray(self.of(own, squares, own, own), dtype=np.float64)

    def matrix(self, x: Floats, groups: npt.NDArray[np.int64] | None = None) -> Floats:
        """The values for all pairs of rows: shape (n, n) for rows of shape (n, d).

        `groups`: for a kernel of groups, the group number of each row, from 0 without gaps. Then n is the number of
        groups.
        """
        gram = x @ x.T
        own = np.diag(gram)
        below = x[:, : self.part]
        squares = (x * x) @ (x * x).T if self.squares else gram if self.part is None else below @ below.T
        return np.asarray(self.of(gram, squares, own[:, None], own[None, :]), dtype=np.float64)


@dataclass(frozen=True)
class Polynomial(Kernel):
    """scale·(⟨x, y⟩ + c)^degree; without parameters ⟨x, y⟩.

    >>> from sqlrp.kernels import Polynomial
    >>> Polynomial(degree=2, c=1).matrix(x[:2])
    array([[  36.,  196.],
           [ 196., 1225.]])
    """

    degree: int = 1
    c: float = 0.0
    scale: float = 1.0

    @property
    def linear(self) -> bool:
        """True for degree 1, as a constant does not change distances."""
        return self.degree == 1 and self.scale == 1

    def of(self, dot: Floats, squares: Floats, own: Floats, other: Floats) -> Floats:
        return np.asarray(self.scale * (dot + self.c) ** self.degree)

    def sql(self, dot: str, squares: str, own: str, other: str, phrases: KernelPhrases) -> str:
        power = phrases.power(f"{dot} + {phrases.literal(self.c, DOUBLE)}", self.degree)
        return power if self.scale == 1 else f"{phrases.literal(self.scale, DOUBLE)} * {power}"

    def __str__(self) -> str:
        base = f"(⟨x, y⟩ + {self.c:.4g})" if self.c else "⟨x, y⟩"
        return f"{'' if self.scale == 1 else f'{self.scale:.4g}·'}{base}{f'^{self.degree}' if self.degree > 1 else ''}"


@dataclass(frozen=True)
class Unknown(Polynomial):
    """No kernel is known, so distances are compared with those of the rows, or of the sums of a group's rows.

    Each squared distance of projected rows is first multiplied by the sum of all true ones over the sum of all of
    theirs, as their scale is not known either. Inner products are not compared.

    >>> from sqlrp.kernels import Unknown
    >>> Unknown().known, Unknown().placed
    (False, False)
    """

    @property
    def known(self) -> bool:
        """False."""
        return False

    @property
    def linear(self) -> bool:
        """False, as the distances are not known to be those of the rows."""
        return False

    @property
    def placed(self) -> bool:
        """False, as inner products depend on the scale."""
        return False

    def matrix(self, x: Floats, groups: npt.NDArray[np.int64] | None = None) -> Floats:
        """The inner products of rows, or of the sums of each group's rows."""
        return super().matrix(x) if groups is None else SumOverPairs(LINEAR).matrix(x, groups)

    def __str__(self) -> str:
        return "the distances of the rows, up to a factor that all have in common, as the method names no kernel"


@dataclass(frozen=True)
class CrossTerms(Kernel):
    """⟨x, y⟩² - ⟨x², y²⟩: the kernel of degree 2 without the squares of the features (degree-2 paper, eq. 12).

    >>> from sqlrp.kernels import CrossTerms
    >>> CrossTerms().matrix(x[:2])
    array([[  8.,  60.],
           [ 60., 450.]])
    """

    @property
    def squares(self) -> bool:
        """True, to subtract them."""
        return True

    def of(self, dot: Floats, squares: Floats, own: Floats, other: Floats) -> Floats:
        """The square of ⟨x, y⟩ minus the inner product of the squares."""
        return np.asarray(dot**2 - squares)

    def sql(self, dot: str, squares: str, own: str, other: str, phrases: KernelPhrases) -> str:
        return f"{dot} * {dot} - {squares}"

    def __str__(self) -> str:
        return "⟨x, y⟩² - ⟨x², y²⟩"


@dataclass(frozen=True)
class ProductOfParts(Kernel):
    """⟨x, y⟩·⟨u, v⟩ for rows (x, u) and (y, v), of which x and y are the first `split` features (thesis eq. 2.20).

    >>> from sqlrp.kernels import ProductOfParts
    >>> ProductOfParts(split=1).matrix(x[:2])
    array([[  4.,  30.],
           [ 30., 225.]])
    """

    split: int

    @property
    def part(self) -> int | None:
        return self.split

    def of(self, dot: Floats, squares: Floats, own: Floats, other: Floats) -> Floats:
        """The product; `squares` is the inner product of the first parts."""
        return np.asarray(squares * (dot - squares))

    def sql(self, dot: str, squares: str, own: str, other: str, phrases: KernelPhrases) -> str:
        return f"{squares} * ({dot} - {squares})"

    def __str__(self) -> str:
        return f"⟨x, y⟩ of the first {self.split} features, times ⟨x, y⟩ of the others"


@dataclass(frozen=True)
class Radial(Kernel):
    """exp(-gamma·‖x - y‖²).

    >>> from sqlrp.kernels import Radial
    >>> Radial(gamma=0.1).matrix(x[:2]).round(3)
    array([[1.   , 0.273],
           [0.273, 1.   ]])
    """

    gamma: float

    def of(self, dot: Floats, squares: Floats, own: Floats, other: Floats) -> Floats:
        return np.asarray(np.exp(-self.gamma * np.maximum(own + other - 2 * dot, 0.0)))

    def between(self, x: Floats, y: Floats) -> Floats:
        """The values for all rows of x with all rows of y, from the rows' differences."""
        return np.asarray(np.exp(-self.gamma * squared_differences(x, y)))

    def lengths(self, x: Floats) -> Floats:
        """1 for each row."""
        return np.where(np.isfinite(x).all(axis=1), 1.0, np.nan)

    def matrix(self, x: Floats, groups: npt.NDArray[np.int64] | None = None) -> Floats:
        """The values for all pairs of rows, from the rows' differences."""
        return np.asarray(np.exp(-self.gamma * squared_differences(x)))

    def sql(self, dot: str, squares: str, own: str, other: str, phrases: KernelPhrases) -> str:
        apart = f"({own} + {other} - 2 * {dot})"
        return phrases.exp(f"{phrases.literal(-self.gamma, DOUBLE)} * CASE WHEN {apart} > 0 THEN {apart} ELSE 0 END")

    def __str__(self) -> str:
        return f"exp(-{self.gamma:.4g}·‖x - y‖²)"


@dataclass(frozen=True)
class Cosine(Kernel):
    """⟨x, y⟩/(‖x‖·‖y‖), and 0 for a row of zeros.

    >>> from sqlrp.kernels import Cosine
    >>> Cosine().matrix(x[:2]).round(3)
    array([[1.   , 0.997],
           [0.997, 1.   ]])
    """

    def of(self, dot: Floats, squares: Floats, own: Floats, other: Floats) -> Floats:
        lengths = np.sqrt(own) * np.sqrt(other)
        return np.asarray(dot / np.where(lengths == 0, 1.0, lengths))

    def sql(self, dot: str, squares: str, own: str, other: str, phrases: KernelPhrases) -> str:
        lengths = f"({phrases.sqrt(own)} * {phrases.sqrt(other)})"
        return f"CASE WHEN {own} > 0 AND {other} > 0 THEN {dot} / {lengths} ELSE 0 END"

    def __str__(self) -> str:
        return "⟨x, y⟩/(‖x‖·‖y‖)"


@dataclass(frozen=True)
class _OfAnother(Kernel):
    """A kernel whose value for two rows is that of the kernel `each`."""

    each: Kernel

    @property
    def squares(self) -> bool:
        """True if `each` needs them."""
        return self.each.squares

    @property
    def part(self) -> int | None:
        return self.each.part

    def of(self, dot: Floats, squares: Floats, own: Floats, other: Floats) -> Floats:
        """The value of `each`."""
        return self.each.of(dot, squares, own, other)

    def between(self, x: Floats, y: Floats) -> Floats:
        """The values of `each`."""
        return self.each.between(x, y)

    def lengths(self, x: Floats) -> Floats:
        """The values of `each`."""
        return self.each.lengths(x)

    def matrix(self, x: Floats, groups: npt.NDArray[np.int64] | None = None) -> Floats:
        """The values of `each`."""
        return self.each.matrix(x, groups)

    def sql(self, dot: str, squares: str, own: str, other: str, phrases: KernelPhrases) -> str:
        """The value of `each`."""
        return self.each.sql(dot, squares, own, other, phrases)


@dataclass(frozen=True)
class SumOverPairs(_OfAnother):
    """The sum of the kernel `each` over all pairs of a row of one group and a row of the other.

    >>> from sqlrp.kernels import Polynomial, SumOverPairs
    >>> SumOverPairs(Polynomial()).matrix(x, groups=np.array([0, 0, 1, 1]))
    array([[65., 23.],
           [23., 17.]])
    """

    @property
    def grouped(self) -> bool:
        """True, as it compares groups."""
        return True

    def matrix(self, x: Floats, groups: npt.NDArray[np.int64] | None = None) -> Floats:
        """The values for all pairs of groups. Without `groups` every row is a group."""
        of_rows = self.each.matrix(x)
        if groups is None:
            return of_rows
        member = np.zeros((int(groups.max(initial=-1)) + 1, len(x)))
        member[groups, np.arange(len(x))] = 1
        return np.asarray(member @ of_rows @ member.T)

    def __str__(self) -> str:
        return f"the sum of {self.each} over the rows x of one group and y of the other"


LINEAR = Polynomial()
"""⟨x, y⟩: distances and inner products are those of the rows."""


@dataclass(frozen=True)
class UnknownOrigin(_OfAnother):
    """Inner products about an unknown origin: distances are those of the kernel `each`, and nothing else is known."""

    each: Kernel = LINEAR

    @property
    def linear(self) -> bool:
        """True if `each` is linear, as the origin does not change distances."""
        return self.each.linear

    @property
    def placed(self) -> bool:
        """False, as inner products depend on the origin."""
        return False

    def __str__(self) -> str:
        return f"{self.each}, by its distances alone, as inner products have another origin than that of the rows"


def as_kernel(kernel: Any) -> Kernel:
    """The kernel itself, or `Polynomial(degree, c)` for (degree, c). Raises ParameterError for anything else."""
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, tuple) and len(kernel) == 2 and all(isinstance(v, (int, float)) for v in kernel):
        degree, c = kernel
        if degree >= 1 and math.isfinite(c):
            return Polynomial(degree, c)
    raise ParameterError(
        f"kernel = {kernel!r} must be a kernel of sqlrp.kernels, such as Polynomial(2), or a pair (degree, c)"
    )


__all__ = ["Cosine", "CrossTerms", "Kernel", "Polynomial", "ProductOfParts", "Radial", "SumOverPairs", "Unknown"]
