"""Random projection in a kernel's feature space, by landmarks (KG-RP, KORP, KPCA-RP; thesis, 2.4 and 4.3.4)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from sqlrp.core.draw import Purpose, draw_normals, hashes
from sqlrp.core.errors import ParameterError
from sqlrp.projections.checks import check_whole
from sqlrp.projections.landmarks import KernelProjection, inverse_root
from sqlrp.projections.trained import Matrix, Progress, check_rows

VARIANTS = ("gaussian", "orthonormal", "kpca")


@dataclass(frozen=True)
class KernelGaussianProjection(KernelProjection):
    """Random projection in the kernel's feature space, with vectors made of p landmarks (KG-RP; thesis 2.4, 4.3.4).

    `variant` "gaussian" uses w = √((p-1)/t)·K^{-1/2}·e_S, where e_S is one at t of the p landmarks, minus t/p (Kulis
    and Grauman). "orthonormal" (KORP) uses orthonormal vectors K^{-1/2}·Q times √(p/k). "kpca" (KPCA-RP) uses normal
    combinations of the kernel's principal directions. p = `sample`. All are multiplied by 1/√k. The kernel is that of
    `kernel_name`, `gamma`, `degree` and `c`, as in `NystroemProjection`.

    Raises ParameterError for k, t or degree < 1, t > p, k > p if orthonormal, gamma <= 0, or another variant or kernel.

        >>> fitted = sqlrp.fit(sqlrp.KernelGaussianProjection(k=3, sample=20), "points", con)
        >>> sqlrp.project(fitted, "points", con).num_rows
        50
    """

    t: int = 10
    variant: str = "gaussian"

    also: ClassVar[tuple[str, ...]] = ("kg-rp",)
    parameter_help: ClassVar[Mapping[str, str]] = {
        "t": "landmarks summed for a component",
        "variant": f"how the vectors are made: {', '.join(VARIANTS)}",
    }

    def check_own(self) -> None:
        """Check t and variant, then degree and c."""
        super().check_own()
        check_whole("t", self.t, 1, self.sample, ", the landmarks (sample)")
        if self.variant not in VARIANTS:
            raise ParameterError(f"variant = {self.variant!r} must be one of {', '.join(VARIANTS)}")
        if self.variant == "orthonormal" and self.k > self.sample:
            raise ParameterError(
                f"k = {self.k} orthonormal vectors need as many landmarks: raise sample = {self.sample}"
            )

    def fit(self, x: Matrix, progress: Progress | None = None) -> Self:
        """Use all rows of x as landmarks."""
        check_rows(x, max(2, self.t, self.k if self.variant == "orthonormal" else 0), "this variant")
        p = len(x)
        root = inverse_root(self.kernel_of(x, x))
        numbers = np.arange(p, dtype=np.int64)
        if self.variant == "gaussian":
            order = np.argsort(hashes(self.seed, Purpose.INDEX, np.arange(self.k, dtype=np.int64), numbers), axis=1)
            chosen = np.full((p, self.k), -self.t / p)
            chosen[order[:, : self.t].T, np.arange(self.k)] += 1
            weights = root @ chosen * math.sqrt((p - 1) / self.t)
        else:
            normals = draw_normals(numbers, self.k, self.seed)
            if self.variant == "orthonormal":
                normals = np.linalg.qr(normals)[0] * math.sqrt(p)
            weights = root @ normals
        return self.with_landmarks(x, weights / math.sqrt(self.k))
