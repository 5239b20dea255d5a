"""A tensor sketch with given tables, usually from another library; `sqlrp.from_sklearn` makes it."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError
from sqlrp._core.values import dataclass
from sqlrp._projections.given import ArrayProjection, checked_scale, finite, negated
from sqlrp._projections.held_arrays import Arrays, Shapes
from sqlrp._projections.tensor_sketch import convolutions
from sqlrp._stages import AppendConstant, Stage, WeightedSums
from sqlrp.kernels import Kernel, Polynomial


@dataclass(frozen=True)
class GivenTensorSketch(ArrayProjection):
    """The circular convolution of `degree` count sketches of length k, with given tables (Pham and Pagh 2013).

    Inner products estimate scale²·(⟨x, y⟩ + c)^degree. As with `TensorSketch` a convolution takes k² products.

        >>> given = sqlrp.GivenTensorSketch.of(places=[[0, 1], [1, 0]], signs=[[1, -1], [1, 1]], k=2)
        >>> sqlrp.project_vector(given, [1.0, 2.0])
        array([ 0., -3.])
    """

    use: ClassVar[str] = "a fitted PolynomialCountSketch of scikit-learn"

    @classmethod
    def of(cls, places: npt.ArrayLike, signs: npt.ArrayLike, k: int, constant: float = 0.0, scale: float = 1.0) -> Self:
        """The sketch in which count sketch i adds feature f, times signs[i, f], to its place places[i, f].

        `places`, `signs`: shape (degree, features), with one more column for `constant` = √c if that is not 0.
        """
        at, sign = finite("places", places, 2), finite("signs", signs, 2)
        if at.shape != sign.shape or (at < 0).any() or (at >= k).any() or not np.isin(sign, (-1, 1)).all():
            raise ParameterError(f"places must lie in 0 … {k - 1} and signs be ±1, of one shape (degree, features)")
        degree, n = at.shape
        table = np.zeros((n, degree * k), dtype=np.int8)
        for i in range(degree):
            table[np.arange(n), i * k + at[i].astype(np.int64)] = sign[i]
        return cls(k=k, bound_to=n - (constant != 0)).with_arrays(
            signs=table, constant=np.array(float(constant)), scale=np.array(checked_scale(scale))
        )

    @property
    def shapes(self) -> Shapes:
        """The shape of the sketches side by side, with the constant's row last."""
        return {"signs": (self.table_rows, "columns"), "constant": (), "scale": ()}

    def check_arrays(self, arrays: Arrays) -> None:
        """Check the number of rows of the signs, and that there are k columns for each degree."""
        signs = arrays["signs"]
        self.check_rows(signs, float(arrays["constant"]) != 0)
        if signs.shape[1] < self.k or signs.shape[1] % self.k:
            raise ParameterError(f"state holds {signs.shape[1]} columns, no multiple of k = {self.k}: make it again")

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """A constant, the sketches side by side, then their convolution."""
        signs, constant = self.arrays["signs"], float(self.arrays["constant"])
        before = (AppendConstant(constant),) if constant else ()
        if self.arrays["scale"] < 0:
            signs = np.hstack([negated(signs[:, : self.k]), signs[:, self.k :]])
        return *before, WeightedSums(signs), *convolutions(self.k, signs.shape[1] // self.k)

    def factor(self, n_features: int | None) -> float:
        """|scale|: its sign is in the first count sketch, so that bits and sums without the scale have it."""
        return abs(float(self.arrays["scale"]))

    def kernel(self) -> Kernel:
        """scale²·(⟨x, y⟩ + c)^degree."""
        degree = self.arrays["signs"].shape[1] // self.k
        return Polynomial(degree, float(self.arrays["constant"]) ** 2, self.factor(None) ** 2)
