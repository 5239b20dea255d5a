"""What a projected table holds of a row, compared with the components of a vector, as SQL."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sqlrp._core.numbers import BYTE, DOUBLE
from sqlrp._core.values import dataclass
from sqlrp._lowering.distances_sql import Metric, of_arrays, of_columns, of_shifted
from sqlrp._lowering.endpoints import tree
from sqlrp._lowering.job import Job
from sqlrp._lowering.rows_apart import element_of, literal
from sqlrp._lowering.sum_lists import SumPlace, groups

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class StoredCodes:
    """The bits or components of a table t, which a job made."""

    job: Job
    metric: Metric
    vectors: str
    """the schema of the engine's vector search, if that is an extension and installed"""
    unpacked: bool = False
    """whether the components of packed codes are columns of the table"""

    @property
    def shift(self) -> float:
        """How much more than they are the stored numbers stand for, where the vector does not have it subtracted."""
        return self.job.projection.asking(self.metric, self.job.output == "bits")[1]

    @property
    def standing(self) -> Floats:
        """How much more than it is each stored number stands for, shape (k,), in steps."""
        shift = np.full(self.job.k, self.job.projection.code_shift)
        if self.job.fields is None:
            return shift
        return np.asarray(shift - np.exp2([field.width - 1 for field in self.job.fields.components]))

    @property
    def by_number(self) -> bool:
        """Whether the components are compared one by one."""
        job = self.job
        return (
            job.output == "columns"
            or job.fields is not None
            or (job.output == "array" and not job.dialect.has_distances)
        )

    def typed(self, code: Sequence[str]) -> Sequence[str]:
        """Constants with the type of the column: in a row of their own, nothing else says it."""
        job = self.job
        if job.output != "vector":
            return code
        return [job.dialect.vector_from(each, job.k, job.dtype == "float16", self.vectors) for each in code]

    def constant(self, z: Floats) -> Sequence[str]:
        """A vector of k numbers as constants, as `product` takes it."""
        job, dialect = self.job, self.job.dialect
        if self.by_number:
            return [literal(job, v) for v in z.tolist()]
        if job.output == "vector":
            return self.typed([dialect.vector_of(z.tolist())])
        return [dialect.numbers(z.tolist())]

    @property
    def unpacked_names(self) -> list[str]:
        """The names of these columns."""
        return [f"sqlrp_z{i}" for i in range(self.job.k)]

    @property
    def components(self) -> Sequence[str]:
        """Those of a row, as `product` takes them."""
        job, dialect = self.job, self.job.dialect
        columns = [f"t.{dialect.quote(name)}" for name in job.code_names]
        if job.output == "vector":
            return [dialect.bytes_as_vector(columns[0], job.k)] if job.written == BYTE else columns
        if self.unpacked:
            return [f"t.{name}" for name in self.unpacked_names]
        if job.fields is not None:
            return [dialect.field(columns[field.word], field.at, field.width) for field in job.fields.components]
        if job.output in ("columns", "bits"):
            return columns
        array = dialect.stored_array(columns[0], None)
        return [element_of(job, array, i) for i in range(job.k)] if self.by_number else [array]

    @property
    def looks_up(self) -> bool:
        """Whether the product of a row with one vector looks sums up in a list."""
        return self.job.fields is not None and self.job.dialect.looks_up

    def _looked_up(self, looked: SumPlace) -> str:
        """The inner product of the components of a row with a vector, whose sums are in a list."""
        job, dialect, first = self.job, self.job.dialect, looked.first
        assert job.fields is not None
        found = []
        for field, _ in groups(job.fields):
            bits = dialect.field(f"t.{dialect.quote(job.code_names[field.word])}", field.at, field.width)
            found.append(dialect.looked_up(looked.array, f"{bits}+{first}" if first else bits, None))
            first += 1 << field.width
        return tree(found)

    def product(self, z: Sequence[str], code: Sequence[str] | SumPlace) -> str:
        """The inner product of the components of a row, or of a vector, with a vector."""
        if isinstance(code, SumPlace):
            return self._looked_up(code)
        job, dialect = self.job, self.job.dialect
        if self.by_number:
            return tree([f"{one}*{other}" for one, other in zip(z, code, strict=True)])
        if job.output == "vector":
            return dialect.vector_product(z[0], code[0], job.k, self.vectors)
        return dialect.inner_product(z[0], code[0])

    @property
    def squares(self) -> str:
        """The squared length of what the components of a row stand for, which are not packed."""
        job, dialect, z = self.job, self.job.dialect, self.components
        shift = job.projection.code_shift
        if self.by_number:
            own = [dialect.cast(each, DOUBLE) for each in z]
            squares = [f"{each}*({each}+{literal(job, 2 * shift)})" for each in own]
            return tree([*squares, literal(job, job.k * shift**2)])
        if job.output == "vector":
            total = dialect.vector_product(z[0], z[0], job.k, self.vectors)
        else:
            total = dialect.squares(z[0])
        if not shift:
            return total
        twice = self.product(z, self.constant(np.full(job.k, 2 * shift)))
        return f"({total}+{twice}+{literal(job, job.k * shift**2)})"

    def distance(self, code: Sequence[str]) -> str:
        """The distance of a row from a vector, whose code is that of the output; of bits how many differ."""
        job, dialect, z = self.job, self.job.dialect, self.components
        if job.output == "bits" and job.fields is None:
            if job.single_code:
                return dialect.code_distance(z[0], code[0], self.vectors)
            return tree([dialect.differing(a, b) for a, b in zip(z, code, strict=True)])
        if self.by_number:
            shifted = [f"({each}+{self.shift!r})" for each in z] if self.shift else z
            return of_columns(dialect, self.metric, shifted, code)
        if self.shift:
            ones = self.constant(np.ones(job.k))[0]
            return of_shifted(
                dialect, self.metric, lambda a, b: self.product([a], [b]), z[0], code[0], ones, self.shift
            )
        if job.output == "vector":
            return dialect.vector_distance(z[0], code[0], self.metric, self.vectors)
        return of_arrays(dialect, self.metric, z[0], code[0])


__all__ = ["StoredCodes"]
