"""Projections with given weights, usually from another library; `sqlrp.from_sklearn` makes them."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import real
from sqlrp._core.errors import ParameterError, shorten
from sqlrp._core.values import dataclass
from sqlrp._projections.held_arrays import Arrays, Holding, Shapes, Size, features_of
from sqlrp._stages import AppendConstant, Stage, WeightedSums
from sqlrp.kernels import LINEAR, Kernel, UnknownOrigin

Weights = npt.NDArray[Any]


@dataclass(frozen=True)
class ArrayProjection(Holding):
    """A projection that `of` makes from arrays."""

    transforms: ClassVar[bool] = False  # there is nothing to fit

    missing: ClassVar[str] = "holds no weights: make it by its method of(…), or by sqlrp.from_sklearn"

    @property
    def table_rows(self) -> Size:
        """The number of rows of a table: one for each feature, and one for a constant if there is one."""
        n = features_of(self)
        return "rows" if n is None else (n, n + 1)

    def check_rows(self, table: Weights, constant: bool) -> None:
        """Raise ParameterError unless a table has one row for each feature, and one more if there is a constant."""
        rows = self.rows(constant)
        if isinstance(rows, int) and len(table) != rows:
            raise ParameterError(f"state holds {len(table)} rows and needs {rows}: make the projection again")

    def caution(self, n_features: int | None) -> str:
        """No warning, as the weights were made for this number of features."""
        return ""


@dataclass(frozen=True)
class GivenProjection(ArrayProjection):
    """z = scale·(xW + b), for given weights W of shape (features, k) and an offset b of shape (k,).

    Integer weights W are summed exactly, and ±1 and 0 without a multiplication. `of` makes the projection, and
    raises ParameterError for shapes that do not match.

        >>> given = sqlrp.GivenProjection.of([[1, 0], [1, 1], [0, -1]])
        >>> sqlrp.project_vector(given, [1.0, 2.0, 4.0])
        array([ 3., -2.])
    """

    use: ClassVar[str] = "weights of your own, or of a fitted PCA or linear map"

    @classmethod
    def of(cls, weights: npt.ArrayLike, offset: npt.ArrayLike | None = None, scale: float = 1.0) -> Self:
        """The projection with these weights; raises ParameterError for shapes that do not match, NaN or infinity."""
        w = finite("weights", weights, 2)
        if offset is not None:
            b = finite("offset", offset, 1)
            if len(b) != w.shape[1]:
                raise ParameterError(f"offset has {len(b)} entries and needs one for each of {w.shape[1]} components")
            w = np.vstack([w, b[None, :]])
        n_features = len(w) - (offset is not None)
        return cls(k=w.shape[1], bound_to=n_features).with_arrays(
            weights=w, scale=np.array(checked_scale(scale)), constant=np.array(offset is not None)
        )

    @property
    def shapes(self) -> Shapes:
        """The shape of the weights, where the last row is that of the constant."""
        return {"weights": (self.table_rows, self.k), "scale": (), "constant": ()}

    def check_arrays(self, arrays: Arrays) -> None:
        """Check the number of rows of the weights."""
        self.check_rows(arrays["weights"], bool(arrays["constant"]))

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """A constant for the offset, then weighted sums."""
        arrays = self.arrays
        constant = (AppendConstant(1.0),) if arrays["constant"] else ()
        weights = arrays["weights"]
        return *constant, WeightedSums(negated(weights) if arrays["scale"] < 0 else weights)

    def factor(self, n_features: int | None) -> float:
        """|scale|: its sign is in the weights, so that bits and sums without the scale have it."""
        return abs(float(self.arrays["scale"]))

    def kernel(self) -> Kernel:
        """⟨x, y⟩. With an offset only its distances are compared, as inner products have another origin."""
        return UnknownOrigin() if self.arrays["constant"] else LINEAR


def checked_scale(scale: float) -> float:
    """The scale. Raises ParameterError unless it is a finite number other than 0."""
    if real(scale) == 0 or not math.isfinite(real(scale)):
        raise ParameterError(f"scale = {shorten(scale)} must be a finite number other than 0")
    return float(scale)


def negated(weights: Weights) -> Weights:
    """The weights with the other sign, in a type that has one."""
    return -(weights if weights.dtype.kind == "f" else weights.astype(np.int64))


def finite(name: str, values: npt.ArrayLike, dimensions: int) -> Weights:
    """The values as an array. Raises ParameterError for the wrong number of dimensions, no values, NaN or infinity."""
    array = np.asarray(values)
    if array.ndim != dimensions or not array.size or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        raise ParameterError(
            f"{name} of shape {array.shape} and type {array.dtype} must be finite numbers in {dimensions} dimension(s)"
        )
    return array if array.dtype.kind in "iu" else array.astype(np.float64)
