"""Where the rows of rounded components are centred, by which inner products with them are estimated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sqlrp._core.values import dataclass
from sqlrp._projections.chained import Chained, Scaling
from sqlrp._projections.principal import PrincipalComponents
from sqlrp._projections.projection import Projection
from sqlrp._projections.rounding import Rounding

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Origin:
    """The centre of what is rounded, and the sizes of its steps.

    z is a row in steps from the centre, before it is rounded. The components of the row in steps are z + `centre`.
    """

    centre: Floats
    """shape (k,), in steps"""
    unit: float
    """the squared steps in a squared unit of the rows"""
    shift: float
    """how much more than its whole number a code stands for, in steps"""
    uncentred: Projection
    """the projection to z + centre"""
    mean: Floats | None = None
    """the centre as a row, shape (features,), of components that leave a part of the rows out; otherwise None"""

    def square(self, x: Floats, z: Floats) -> Floats:
        """|x - mean|² of rows of shape (rows, features), in steps, or else |z|²."""
        if self.mean is None:
            return np.asarray((z**2).sum(axis=1))
        return np.asarray(self.unit * ((x - self.mean) ** 2).sum(axis=1))

    def product(self, x: Floats, w: Floats) -> Floats:
        """The inner products of rows with the centre, in steps. `w`: their components with the centre."""
        return np.asarray(w @ self.centre if self.mean is None else self.unit * (x @ self.mean))

    def length(self, x: Floats, w: Floats) -> Floats:
        """The lengths of rows, in steps."""
        norms = np.linalg.norm(w if self.mean is None else x, axis=1)
        return np.asarray(norms if self.mean is None else self.unit**0.5 * norms)

    @property
    def centre_square(self) -> float:
        """The squared length of the centre, in steps."""
        return float((self.centre**2).sum() if self.mean is None else self.unit * (self.mean**2).sum())


def origin_of(projection: Projection) -> Origin | None:
    """The origin of what `rounded` makes; None of any other projection.

    Components of a drawn projection keep the length of the rows in the mean, so that theirs stands for it. Principal
    components leave directions out: the rows are longer by what varies there, and the scale that makes up for it is
    taken off the products.
    """
    last = projection.of[-1] if isinstance(projection, Chained) else None
    if not isinstance(projection, Chained) or not isinstance(last, Rounding):
        return None
    arrays = last.arrays
    step, offset = arrays["step"], arrays.get("offset", np.zeros(last.k))
    first = projection.of[0]
    if not isinstance(first, PrincipalComponents) or len(projection.of) > 2:
        plain = replace(projection, of=(*projection.of[:-1], Scaling.of(np.zeros(last.k), 1 / step)))
        return Origin(offset / step, float(1 / step[0] ** 2), last.code_shift, plain)
    scale, weights = float(first.arrays["scale"]), first.arrays["weights"]
    at_zero = scale * weights[-1]  # what a row of zeros becomes
    mean = first.arrays["mean"] + weights[:-1] @ offset / scale
    plain = replace(projection, of=(first, Scaling.of(at_zero, 1 / step)))
    return Origin((offset - at_zero) / step, float(scale / step[0]) ** 2, last.code_shift, plain, mean)


def factors(z: Floats, stands: Floats) -> Floats:
    """|z|²/⟨z, ẑ⟩ of rows of shape (rows, k), whose codes stand for ẑ; 0 where that is 0.

    Times this, ⟨q, ẑ⟩ estimates ⟨q, z⟩ without bias, if the components were rotated at random (Gao and Long 2024,
    theorem 3.2).
    """
    along = (z * stands).sum(axis=1)
    return np.asarray(np.divide((z**2).sum(axis=1), along, out=np.zeros(len(z)), where=along > 0))


__all__ = ["Origin", "factors", "origin_of"]
