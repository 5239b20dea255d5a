"""Projections whose weights are given, most often by another library: `sqlrp.from_sklearn` makes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sqlrp.core.errors import ParameterError
from sqlrp.kernels import LINEAR, Elsewhere, Kernel, Polynomial, Radial
from sqlrp.projections.base import known_features
from sqlrp.projections.holding import Arrays, Holding, Shapes, Size, features_of
from sqlrp.projections.sketches import convolutions
from sqlrp.stages import ONE, AppendConstant, Exponential, GivenProducts, Stage, WeightedSums

Weights = npt.NDArray[Any]


@dataclass(frozen=True)
class Given(Holding):
    """A projection made by `of`, from arrays."""

    missing: ClassVar[str] = "holds no weights: make it by its method of(…), or by sqlrp.from_sklearn"

    @property
    def table_rows(self) -> Size:
        """The rows of a table: one a feature, and perhaps one of a constant."""
        n = features_of(self)
        return "rows" if n is None else (n, n + 1)

    def check_rows(self, table: Weights, constant: bool) -> None:
        """Raise ParameterError unless a table has a row a feature, and one more for a constant."""
        rows = self.rows(constant)
        if isinstance(rows, int) and len(table) != rows:
            raise ParameterError(f"state holds {len(table)} rows and needs {rows}: make the projection again")

    def caution(self, n_features: int | None) -> str:
        """Nothing: the weights were chosen elsewhere, for so many features."""
        return ""


@dataclass(frozen=True)
class GivenProjection(Given):
    """z = scale·(xW + b), for given weights W of shape (features, k) and an offset b of shape (k,).

    Integer weights W are summed exactly; ±1 and 0 without a multiplication.
    """

    @classmethod
    def of(cls, weights: npt.ArrayLike, offset: npt.ArrayLike | None = None, scale: float = 1.0) -> Self:
        """The projection with these weights; raises ParameterError for shapes that do not fit, NaN or infinity."""
        w = finite("weights", weights, 2)
        if offset is not None:
            b = finite("offset", offset, 1)
            if len(b) != w.shape[1]:
                raise ParameterError(f"offset has {len(b)} entries and needs one for each of {w.shape[1]} components")
            w = np.vstack([w, b[None, :]])
        n_features = len(w) - (offset is not None)
        return cls(k=w.shape[1], bound_to=n_features).with_arrays(
            weights=w, scale=np.array(float(scale)), constant=np.array(offset is not None)
        )

    @property
    def shapes(self) -> Shapes:
        """The weights, those of the constant last."""
        return {"weights": (self.table_rows, self.k), "scale": (), "constant": ()}

    def check_arrays(self, arrays: Arrays) -> None:
        """Check the rows of the weights."""
        self.check_rows(arrays["weights"], bool(arrays["constant"]))

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """A constant for the offset, weighted sums."""
        arrays = self.arrays
        constant = (AppendConstant(1.0),) if arrays["constant"] else ()
        return *constant, WeightedSums(arrays["weights"])

    def factor(self, n_features: int | None) -> float:
        """The scale."""
        return float(self.arrays["scale"])

    def kernel(self) -> Kernel:
        """⟨x, y⟩; with an offset its distances alone, as inner products are then about another origin."""
        return Elsewhere() if self.arrays["constant"] else LINEAR


@dataclass(frozen=True)
class GivenTensorSketch(Given):
    """The circular convolution of `degree` count sketches of length k, with given tables (Pham and Pagh 2013).

    Inner products estimate scale²·(⟨x, y⟩ + c)^degree. As with `TensorSketch` a convolution takes k² products.
    """

    @classmethod
    def of(cls, places: npt.ArrayLike, signs: npt.ArrayLike, k: int, constant: float = 0.0, scale: float = 1.0) -> Self:
        """The sketch where feature f goes, times signs[i, f], into place places[i, f] of the i-th count sketch.

        `places`, `signs`: shape (degree, features), and one column more for `constant` = √c where that is not 0.
        """
        at, sign = finite("places", places, 2), finite("signs", signs, 2)
        if at.shape != sign.shape or (at < 0).any() or (at >= k).any() or not np.isin(sign, (-1, 1)).all():
            raise ParameterError(f"places must lie in 0 … {k - 1} and signs be ±1, of one shape (degree, features)")
        degree, n = at.shape
        table = np.zeros((n, degree * k), dtype=np.int8)
        for i in range(degree):
            table[np.arange(n), i * k + at[i].astype(np.int64)] = sign[i]
        return cls(k=k, bound_to=n - (constant != 0)).with_arrays(
            signs=table, constant=np.array(float(constant)), scale=np.array(float(scale))
        )

    @property
    def shapes(self) -> Shapes:
        """The sketches side by side, the constant's row last."""
        return {"signs": (self.table_rows, "columns"), "constant": (), "scale": ()}

    def check_arrays(self, arrays: Arrays) -> None:
        """Check the rows of the signs, and that k columns a degree are there."""
        signs = arrays["signs"]
        self.check_rows(signs, float(arrays["constant"]) != 0)
        if signs.shape[1] < self.k or signs.shape[1] % self.k:
            raise ParameterError(f"state holds {signs.shape[1]} columns, no multiple of k = {self.k}: make it again")

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """A constant, the sketches side by side, their convolution."""
        signs, constant = self.arrays["signs"], float(self.arrays["constant"])
        before = (AppendConstant(constant),) if constant else ()
        return *before, WeightedSums(signs), *convolutions(self.k, signs.shape[1] // self.k)

    def factor(self, n_features: int | None) -> float:
        """The scale."""
        return float(self.arrays["scale"])

    def kernel(self) -> Kernel:
        """scale²·(⟨x, y⟩ + c)^degree."""
        degree = self.arrays["signs"].shape[1] // self.k
        return Polynomial(degree, float(self.arrays["constant"]) ** 2, self.factor(None) ** 2)


@dataclass(frozen=True)
class GivenRadialFeatures(Given):
    """Weighted sums of the kernel exp(-γ‖x - l‖²) with given landmarks l: Nyström features of the radial kernel.

    The squared distance is γ(‖x‖² + ‖l‖² - 2⟨x, l⟩), as scikit-learn takes it, so that values are good to about
    γ‖x‖²·10⁻¹⁶.
    """

    @classmethod
    def of(cls, landmarks: npt.ArrayLike, weights: npt.ArrayLike, gamma: float) -> Self:
        """`landmarks`: shape (n, features); `weights`: shape (n, k)."""
        rows, w = finite("landmarks", landmarks, 2).astype(np.float64), finite("weights", weights, 2)
        if len(rows) != len(w):
            raise ParameterError(f"weights has {len(w)} rows and needs one for each of {len(rows)} landmarks")
        exponents = np.vstack([2 * gamma * rows.T, np.full(len(rows), -gamma), -gamma * (rows**2).sum(axis=1)])
        return cls(k=w.shape[1], bound_to=rows.shape[1]).with_arrays(exponents=exponents, weights=w)

    @property
    def shapes(self) -> Shapes:
        """A column of exponents, and a row of weights, for each landmark."""
        return {"exponents": (self.rows(2), "landmarks"), "weights": ("landmarks", self.k)}

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The features and the sum of their squares, the exponents, the kernel's values, the weighted sums."""
        known_features(self, n_features)
        exponents = self.arrays["exponents"]
        d = len(exponents) - 2
        features = np.arange(d, dtype=np.int64)
        single, squares = np.stack([features, np.full(d, ONE)], axis=1), np.stack([features, features], axis=1)
        components = np.concatenate([features, np.full(d, d)])
        return (
            GivenProducts(d + 1, components, np.concatenate([single, squares])),
            AppendConstant(1.0),
            WeightedSums(exponents),
            Exponential(),
            WeightedSums(self.arrays["weights"]),
        )

    def factor(self, n_features: int | None) -> float:
        """1: the weights hold it."""
        return 1.0

    def kernel(self) -> Kernel:
        """exp(-γ‖x - y‖²)."""
        return Radial(-float(self.arrays["exponents"][-2, 0]))


def finite(name: str, values: npt.ArrayLike, dimensions: int) -> Weights:
    """Values as an array of numbers; raises ParameterError for another number of dimensions, none, NaN or infinity."""
    array = np.asarray(values)
    if array.ndim != dimensions or not array.size or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        raise ParameterError(
            f"{name} of shape {array.shape} and type {array.dtype} must be finite numbers in {dimensions} dimension(s)"
        )
    return array if array.dtype.kind in "iu" else array.astype(np.float64)
