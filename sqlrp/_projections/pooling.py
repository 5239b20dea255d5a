"""The base class of bilinear pooling: products of two sums for each row, summed over the rows of a group."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError
from sqlrp._core.symbols import present
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_flag, check_whole
from sqlrp._projections.projection import Projection
from sqlrp._stages import Linear, Normalise, Products, SignedRoot, SplitSums, Stage, SumOverGroup, WeightedSums
from sqlrp.kernels import Kernel, Polynomial, ProductOfParts, SumOverPairs

Floats = npt.NDArray[np.float64]


class PooledProjection(Projection):
    """A projection of groups of rows by products of two factors (thesis, ch. 5, eq. 2.20 and 5.7).

    A row is one descriptor, or two of different networks one after the other: then `split` is the number of features of
    the first, and every product has one factor of each.
    """

    normalise: bool
    split: int | None

    arguments: ClassVar[Mapping[str, str | None]] = {"group_by": None}
    key_argument: ClassVar[str] = "group_by"
    transforms: ClassVar[bool] = False  # it returns one row for many
    parameter_help: ClassVar[Mapping[str, str]] = {
        "group_by": "the column that names the group of a row, as key does",
        "normalise": "signed root and Euclidean norm 1 at the end",
        "split": "features of the first of two descriptors in a row; without it there is one",
    }

    def check(self) -> None:
        """Check normalise and split, then the parameters that the method adds."""
        check_flag("normalise", self.normalise)
        if present(self.split):
            check_whole("split", self.split, 1)
        self.check_own()

    def check_own(self) -> None:  # not every method adds parameters
        """Check the parameters that the method adds; raises ParameterError."""

    @abstractmethod
    def row_stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The stages for one row: sums if there are any, then products of two factors."""

    @abstractmethod
    def row_factor(self, n_features: int | None) -> float:
        """The scale of the products."""

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The products of each row, the sum over the group, then the signed root and the norm."""
        closing: tuple[Stage, ...] = (SignedRoot(), Normalise()) if self.normalise else ()
        return *self.row_stages(n_features), SumOverGroup(), *closing

    def factor(self, n_features: int | None) -> float:
        """The scale of the products; 1 if the rows are normalised."""
        return 1.0 if self.normalise else self.row_factor(n_features)

    def parted(self, sums: Linear, n_features: int | None) -> Linear:
        """The sums; with two descriptors the first half of them is of the first, and the other half of the second."""
        return SplitSums(sums, self.checked_split(n_features)) if present(self.split) else sums

    def checked_split(self, n_features: int | None) -> int:
        """`split`. Raises ParameterError if there are no features for the second descriptor."""
        split = self.split if present(self.split) else 0
        if present(n_features) and split >= n_features:
            raise ParameterError(
                f"split = {split} must be below the number of features = {n_features}: those from split on are the "
                "second descriptor"
            )
        return split

    def over_arrays(self, sizes: Sequence[int]) -> Self:
        """With the length of the first of two array columns as `split`.

        Raises ParameterError if the second descriptor does not start where an array column does.
        """
        starts = list(accumulate(sizes))[:-1]
        if not starts or self.split in starts:
            return self
        if self.split is None and len(starts) == 1:
            return replace(self, split=starts[0])  # type: ignore[call-arg]  # a field of every subclass
        raise ParameterError(
            f"split = {self.split} with {len(sizes)} array columns of {', '.join(map(str, sizes))} elements: the "
            f"second descriptor starts with a column, so split must be {' or '.join(map(str, starts))}"
        )

    def gradient(self, x: npt.NDArray[Any], upstream: npt.NDArray[Any]) -> Floats:
        """∂L/∂x of a group's descriptors, from ∂L/∂y of its k pooled sums (thesis, app. B, eq. B.6-7).

        `x`: shape (descriptors, features). `upstream`: shape (k,), the gradient with respect to the plain sums
        (`normalise` False, scale included). Returns an array of the shape of x. With `split`, the columns before it are
        the gradient of the first descriptors, and the others that of the second. The gradient is again a
        signed sum of the vectors: Σ_v r_v·W_v, where W_v is the sum of upstream times the partner's sum over the
        products that contain v.
        """
        d = x.shape[1]
        sums, products = _two_stages(self, d)
        signs = sums.matrix(np.arange(d, dtype=np.int64)).astype(np.float64)
        k = x @ signs
        a, b = products.factors.T
        g = upstream[products.components] * self.row_factor(d)
        w = np.zeros_like(k)
        np.add.at(w.T, a, (k[:, b] * g).T)
        np.add.at(w.T, b, (k[:, a] * g).T)
        return np.asarray(w @ signs.T)

    def kernel(self) -> Kernel:
        """Σ ⟨x_l, y_l'⟩² over the rows of two groups, which the sums before the root and the norm estimate.

        With two descriptors (x, u) in a row it is Σ ⟨x_l, y_l'⟩·⟨u_l, v_l'⟩.
        """
        return SumOverPairs(Polynomial(2) if self.split is None else ProductOfParts(self.split))

    def estimating(self) -> Self:
        """The plain sums, as the signed root and the norm change inner products."""
        return replace(self, normalise=False)  # type: ignore[call-arg]  # a field of every subclass

    def gradient_sums(self) -> Projection:
        """The same sums of products for each row, not summed over the group."""
        return PooledRows(k=self.k, bound_to=self.bound_to, of=self)


@dataclass(frozen=True)
class PooledRows(Projection):
    """The products of single rows of a pooling method, always of sums, for `sqlrp.gradient_sql`."""

    of: PooledProjection | None = None

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        return _two_stages(self.pooled, n_features)

    def factor(self, n_features: int | None) -> float:
        return self.pooled.row_factor(n_features)

    def caution(self, n_features: int | None) -> str:
        """No warning: the rows are never the result."""
        return ""

    def over_arrays(self, sizes: Sequence[int]) -> PooledRows:
        """The products of the method over these arrays."""
        return replace(self, of=self.pooled.over_arrays(sizes))

    @property
    def pooled(self) -> PooledProjection:
        """The method. Raises ParameterError if there is none."""
        if self.of is None:
            raise ParameterError("of = None must be a projection that pools, such as BilinearPooling(k=64)")
        return self.of


def _two_stages(pooled: PooledProjection, n_features: int | None) -> tuple[Linear, Products]:
    """The sums and the products of a row; the features themselves as sums if there are none."""
    *sums, products = pooled.row_stages(n_features)
    first = sums[0] if sums else WeightedSums(np.eye(n_features or 0, dtype=np.int8))
    assert isinstance(first, Linear)
    assert isinstance(products, Products)
    return first, products
