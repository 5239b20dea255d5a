"""Sparse random projection: signed sums of the features (Achlioptas 2003; Li, Hastie and Church 2006)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from sqlrp._core.draw import resolve_s
from sqlrp._core.symbols import root
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import VECTORS, VECTORS_HELP, check_vectors_name
from sqlrp._projections.method_advice import Advice, MethodMeasures, every_distance
from sqlrp._projections.projection import SeededProjection
from sqlrp._stages import SignedSums, Stage


@dataclass(frozen=True)
class SparseProjection(SeededProjection):
    """k signed sums of the features, times √(s/k) (Achlioptas 2003; Li, Hastie and Church 2006).

    Each entry of the sign table is +1, 0 or -1 with probability 1/2s, 1-1/s and 1/2s, for any s ≥ 1.
    s = 1 and 3 are the projections of Achlioptas. s = "sqrt" (√d, the default) is the very sparse projection of Li,
    Hastie and Church. Squared distances are kept in expectation; their mean relative error is about 2/√(πk).

    Raises ParameterError for k < 1, s < 1 or a seed outside 0 … 2⁵³-1.

        >>> rp = sqlrp.SparseProjection(k=2, s=1, seed=7)
        >>> sqlrp.project(rp, "points", con, scale=False).slice(0, 2).to_pylist()
        [{'id': 1, 'z0': 1, 'z1': -1}, {'id': 2, 'z0': 2, 'z1': -2}]
    """

    use: ClassVar[str] = "distances and neighbours of any rows; begin with it"
    function: ClassVar[str] = "rp_project"
    arguments: ClassVar[Mapping[str, str | None]] = {"vectors": VECTORS[0]}
    parameter_help: ClassVar[Mapping[str, str]] = {"vectors": VECTORS_HELP}

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        return (SignedSums(self.k, resolve_s(self.s, n_features), self.seed),)

    def factor(self, n_features: int | None) -> float:
        return root(resolve_s(self.s, n_features) / self.k)

    @classmethod
    def of_call(cls, values: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """This class; for vectors = 'gaussian', `GaussianProjection`, which has no s."""
        given = dict(values)
        vectors = given.pop("vectors")
        check_vectors_name(vectors)
        if vectors == VECTORS[0]:
            return cls.__name__, given
        del given["s"]
        return "GaussianProjection", given

    def back_error(self, n_features: int) -> float | None:
        """(d + s - 2)/k: variance 1/k for each other feature, and (s - 1)/k for a feature with itself."""
        return (n_features + resolve_s(self.s, n_features) - 2) / self.k

    def tuned(self, n_iter: int, sample: int) -> tuple[str, dict[str, Any]] | None:
        """`DataTunedProjection` of the same k, s and seed."""
        own = {"k": self.k, "s": self.s, "seed": self.seed}
        return "DataTunedProjection", own | {"n_iter": n_iter, "sample": sample}

    def advice(self, measured: MethodMeasures) -> Iterator[Advice]:
        """The k that theory needs to keep all distances."""
        note = every_distance(measured, "" if self.s in (1, 3) else "with s = 1 or 3 and ")
        if note is not None:
            yield note
