"""Random projection in a kernel's feature space, by landmarks (KG-RP, KORP, KPCA-RP; thesis, 2.4 and 4.3.4)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

from sqlrp._core.draw import Purpose, draw_normals, hashes
from sqlrp._core.errors import ParameterError, check_choice
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_whole
from sqlrp._projections.held_arrays import Shapes
from sqlrp._projections.landmarks import KernelProjection, inverse_root
from sqlrp._projections.trained import Matrix, Progress, check_rows
from sqlrp.kernels import Kernel, UnknownOrigin

VARIANTS = ("gaussian", "orthonormal", "kpca")


@dataclass(frozen=True)
class KernelGaussianProjection(KernelProjection):
    """Random projection in the kernel's feature space, with vectors made of p landmarks (KG-RP; thesis 2.4, 4.3.4).

    `variant` "gaussian" uses w = √((p-1)/t)·K^{-1/2}·e_S, where e_S is one at t of the p landmarks. K is the kernel
    matrix of the landmarks, centred: J·K·J with J = I - 11ᵀ/p (Kulis and Grauman 2009). "orthonormal" (KORP) uses
    orthonormal vectors K^{-1/2}·Q times √((p-1)/k). "kpca" (KPCA-RP) uses normal combinations of the kernel's principal
    directions. p = `sample`. All are multiplied by 1/√k. The kernel is that of `kernel_name`, `gamma`, `degree` and
    `c`, as in `NystroemProjection`. Distances of the results estimate those of the kernel. Inner products have another
    origin.

    Raises ParameterError for k, t or degree < 1, t > p, k >= p if orthonormal, gamma <= 0, and another variant or
    kernel.

        >>> fitted = sqlrp.fit(sqlrp.KernelGaussianProjection(k=3, sample=20), "points", con)
        >>> sqlrp.project(fitted, "points", con).num_rows
        50
    """

    use: ClassVar[str] = "distances in a kernel's space, from a sample of rows"

    t: int = 10
    variant: str = "gaussian"

    also: ClassVar[tuple[str, ...]] = ("kg-rp",)
    optional: ClassVar[tuple[str, ...]] = (*KernelProjection.optional, "centred")
    parameter_help: ClassVar[Mapping[str, str]] = {
        "t": "landmarks summed for a component",
        "variant": f"how the vectors are made: {', '.join(VARIANTS)}",
    }

    def check_own(self) -> None:
        """Check t and variant, then degree and c."""
        super().check_own()
        check_whole("t", self.t, 1, self.sample_size, ", the landmarks (sample)")
        check_choice("variant", self.variant, VARIANTS)
        if self.variant == "orthonormal" and self.k >= self.sample_size:
            raise ParameterError(f"k = {self.k} orthonormal vectors need more landmarks: raise sample = {self.sample}")

    @property
    def shapes(self) -> Shapes:
        """Those of the landmarks, and 1 where the kernel matrix was centred."""
        return {**super().shapes, "centred": ()}

    def kernel(self) -> Kernel:
        """The kernel by its distances; by its inner products too if an earlier version fitted it, without centring."""
        return UnknownOrigin(super().kernel()) if self.arrays.get("centred") else super().kernel()

    def fit(self, x: Matrix, progress: Progress | None = None) -> Self:
        """Use all rows of x as landmarks."""
        check_rows(x, max(2, self.t, self.k + 1 if self.variant == "orthonormal" else 0), "this variant")
        self.warn_far(x)
        p = len(x)
        # K^{-1/2} is 0 in the direction of 11ᵀ, so that it centres what it is multiplied with: e_S, normals and Q.
        root = inverse_root(centred(self.kernel_of(x, x)))
        numbers = np.arange(p, dtype=np.int64)
        if self.variant == "gaussian":
            order = np.argsort(hashes(self.seed, Purpose.INDEX, np.arange(self.k, dtype=np.int64), numbers), axis=1)
            chosen = np.zeros((p, self.k))
            chosen[order[:, : self.t].T, np.arange(self.k)] = 1
            weights = root @ chosen * math.sqrt((p - 1) / self.t)
        else:
            normals = draw_normals(numbers, self.k, self.seed)
            if self.variant == "orthonormal":
                normals = np.linalg.qr(normals - normals.mean(axis=0))[0] * math.sqrt(p - 1)
            weights = root @ normals
        return self.with_landmarks(x, weights / math.sqrt(self.k), centred=np.array(1.0))


def centred(kernel: Matrix) -> Matrix:
    """J·K·J: the inner products of the landmarks about their mean in the kernel's space."""
    return np.asarray(kernel - kernel.mean(axis=0) - kernel.mean(axis=1)[:, None] + kernel.mean())
