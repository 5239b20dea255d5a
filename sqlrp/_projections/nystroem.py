"""Nyström features of a kernel, with landmarks from a sample (Williams and Seeger 2001)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from sqlrp._core.draw import Purpose, draw_permutation
from sqlrp._core.values import dataclass
from sqlrp._projections.landmarks import KernelProjection, inverse_root
from sqlrp._projections.trained import Matrix, Progress, check_rows


@dataclass(frozen=True)
class NystroemProjection(KernelProjection):
    """The kernel's values at k landmarks from the sample, times W^{-1/2}, where W is the landmarks' kernel matrix.

    Inner products approximate the kernel (Williams and Seeger 2001; thesis, ch. 4, baseline). `kernel_name` is
    "polynomial" for (γ⟨x, y⟩ + c)^degree, "rbf" for exp(-γ‖x - y‖²), or "cosine" for ⟨x, y⟩/(‖x‖·‖y‖). γ is `gamma`: by
    default 1 for "polynomial", and 1/d of d features for "rbf", as in scikit-learn.

    Raises ParameterError for k or degree < 1, c < 0, gamma <= 0 or another kernel; SourceError for a sample of fewer
    than k rows.

        >>> fitted = sqlrp.fit(sqlrp.NystroemProjection(k=3, sample=20), "points", con)
        >>> sqlrp.project(fitted, "points", con).num_rows
        50
    """

    use: ClassVar[str] = "a kernel of rows like the sample, with few components"
    also: ClassVar[tuple[str, ...]] = ("nystrom",)
    chosen: ClassVar[tuple[str, ...]] = ("k",)

    @classmethod
    def choose(cls, values: dict[str, Any], n_rows: int, n_features: int) -> dict[str, Any]:
        """k = 64, or the number of rows to learn from if that is smaller."""
        return values | {"k": min(cls.k, n_rows, values["sample"])} if values["k"] is None else values

    def fit(self, x: Matrix, progress: Progress | None = None) -> Self:
        """Use k rows of x as landmarks."""
        check_rows(x, self.k, "a landmark for each component")
        self.warn_far(x)
        landmarks = x[draw_permutation(len(x), self.seed, Purpose.SAMPLE)[: self.k]]
        return self.with_landmarks(landmarks, inverse_root(self.kernel_of(landmarks, landmarks)))
