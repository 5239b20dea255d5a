"""Distances of rows by their codes and the two numbers next to each, as SQL: estimates without bias.

With z a row in steps from the centre, ẑ what its code stands for and f = |z|²/⟨z, ẑ⟩, the inner product of a vector q
with z is estimated as f·⟨q, ẑ⟩ (Gao and Long 2024, RaBitQ, theorem 3.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from sqlrp._core.numbers import DOUBLE
from sqlrp._core.values import dataclass
from sqlrp._lowering.distances_sql import Metric
from sqlrp._lowering.job import FACTOR, SQUARE, Job
from sqlrp._lowering.rows_apart import literal
from sqlrp._lowering.stored_codes import StoredCodes
from sqlrp._lowering.sum_lists import SumPlace, size, sums
from sqlrp._projections.code_fields import UNITS, Fields
from sqlrp._projections.origins import Origin
from sqlrp._projections.projection import Projection

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class DistanceEstimates:
    """The estimated distances of the rows of a table."""

    job: Job
    origin: Origin
    metric: Metric
    stored: StoredCodes

    @property
    def asking(self) -> Projection:
        """The projection of the vector: from the centre for distances, and otherwise with it."""
        return self.job.projection.unshifted if self.metric == "l2" else self.origin.uncentred

    def known(self, x: Floats, z: Floats) -> list[str]:
        """What is computed of the vector x with the components z, once for all rows."""
        origin, row = self.origin, (x[None, :], z[None, :])
        total = float(self.stored.standing @ z)
        if self.metric == "l2":
            also = [float(origin.square(*row)[0])]
        else:
            also = [float(origin.product(*row)[0]), float(origin.length(*row)[0])]
        return [literal(self.job, value) for value in (total, *also)]

    def known_of(self, code: Sequence[str], with_mean: Callable[[Floats], str]) -> list[str]:
        """The same without the lengths, of a vector that is an expression. `with_mean`: its product with a row."""
        origin = self.origin
        standing = self.stored.standing
        total = self.stored.product(code, self.stored.constant(standing)) if standing.any() else "0"
        if self.metric != "cosine":
            return [total]
        if origin.mean is None:
            return [total, self.stored.product(code, self.stored.constant(origin.centre))]
        return [total, f"{literal(self.job, origin.unit)}*{with_mean(origin.mean)}"]

    def sums(self, z: Floats) -> list[float]:
        """The numbers of the list in which the products with a vector, and with the centre, are looked up."""
        return [*sums(self._fields, z), *(sums(self._fields, self.origin.centre) if self.metric == "cosine" else ())]

    @property
    def _fields(self) -> Fields:
        fields = self.job.fields
        assert fields is not None
        return fields

    def near(self, code: Sequence[str] | SumPlace, known: Sequence[str]) -> str:
        """A number that orders the rows of a table t. `known`: as of `known` or `known_of`."""
        along = self.along(code, known[0])
        if self.metric == "l2":
            return f"(0.5*{self._number(SQUARE)}-{along})"
        if self.metric == "inner":
            return f"(-{along})"
        dialect = self.job.dialect
        square = self.square_with_centre(code)
        length = dialect.sqrt(dialect.absolute(square))  # an estimate of a short row may be below 0
        return f"(-coalesce(({along}+{known[1]})/NULLIF({length}, 0), {dialect.literal(0, DOUBLE)}))"

    def square_with_centre(self, code: Sequence[str] | SumPlace) -> str:
        """The estimate of the squared length of a row with the centre. `code`: that of a vector, as of `near`."""
        origin = self.origin
        total = literal(self.job, float(self.stored.standing @ origin.centre))
        centre = (
            SumPlace(code.array, size(self._fields))
            if isinstance(code, SumPlace)
            else self.stored.constant(origin.centre)
        )
        mean = self.along(centre, total)
        return f"({self.square}+2*{mean}+{literal(self.job, origin.centre_square)})"

    @property
    def square(self) -> str:
        """The squared distance of a row from the centre."""
        return self._number(SQUARE)

    @property
    def code_square(self) -> str:
        """The squared length of what the code of a row stands for, times its factor."""
        factor = self._number(FACTOR)
        return f"{factor}*{factor}*{self.stored.squares}"

    def shown(self, near: str, known: Sequence[str]) -> str:
        """The distance that is returned, in the units of the rows, from what orders them."""
        unit = self.origin.unit
        if self.metric == "l2":
            square = f"(2*{near}+{known[1]})"
            positive = f"(0.5*({square}+{self.job.dialect.absolute(square)}))"
            return f"{literal(self.job, unit**-0.5)}*{self.job.dialect.sqrt(positive)}"
        if self.metric == "inner":
            return f"{literal(self.job, 1 / unit)}*({near}-{known[1]})"
        return f"1+{near}/{known[2]}"

    def along(self, code: Sequence[str] | SumPlace, total: str) -> str:
        """The estimate of the inner product of a row with a vector."""
        product, factor = self.stored.product(self.stored.components, code), self._number(FACTOR)
        return f"{factor}*({product}+{total})" if self.origin.shift else f"{factor}*{product}"

    def _number(self, name: str) -> str:
        """A number next to the code, as a double: the product of two floats of 32 bits would stay one."""
        dialect, fields = self.job.dialect, self.job.fields
        if fields is None:
            return dialect.cast(f"t.{name}", DOUBLE)
        field, unit = (fields.factor, 1.0) if name == FACTOR else (fields.square, fields.square_unit)
        word = f"t.{dialect.quote(self.job.code_names[field.word])}"
        return f"{literal(self.job, unit / UNITS)}*{dialect.field(word, field.at, field.width)}"


__all__ = ["DistanceEstimates"]
