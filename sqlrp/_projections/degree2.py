"""Degree-2 kernel projection (P-RP, D2PK-RP): signed sums of squares (López-Sánchez et al. 2018; thesis, ch. 3)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from sqlrp._core.draw import check_drawn, draw_signs, resolve_s
from sqlrp._core.errors import ParameterError
from sqlrp._core.symbols import greatest, root, stated_call, where
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_flag, check_whole
from sqlrp._projections.projection import Projection, SeededProjection, known_features
from sqlrp._stages import ONE, SignedSums, Stage, WeightedSums, products_of
from sqlrp.kernels import CrossTerms, Kernel, Polynomial

_MANY = 10
"""Squares in a component that vary nearly as a normal number does."""


@dataclass(frozen=True)
class Degree2KernelProjection(SeededProjection):
    """k features whose inner products estimate the polynomial kernel of degree 2, ⟨x, y⟩² (thesis, ch. 3).

    One component is Σ_{l≤m} σ_l·K_l², times s/√(2mk), over m signed sums K_l of the features. For even m, σ_l is +1 for
    the first half and -1 for the second; for m = 1 it is +1. For even m, the expected inner product of two projected
    rows is ⟨x, y⟩² + (s-3)/2·⟨x², y²⟩. This is exact for s = 3, and the kernel without the squares for s = 1. m = 1
    adds ‖x‖²‖y‖²/2.

    `s` is 3 by default, not √d as in the other methods, because s = 3 weights the squares of the features correctly.
    With a larger s squared distances are too long, most of all for sparse rows, and a larger k does not help. The
    thesis uses s = 1, which is a few per cent too low for many features that are all small.

    `modified` removes the d squares from the feature space (eq. 12: K(x, y) = ⟨x, y⟩² - ⟨x², y²⟩), for few
    features. The expected inner product of projected rows is then that kernel, for any s and m.

    Raises ParameterError for k or m < 1, an odd m > 1, s < 1, a seed outside 0 … 2⁵³-1, or modified with an
    open vocabulary.

        >>> sqlrp.project_vector(sqlrp.Degree2KernelProjection(k=2, s=1, seed=7), [1.0, 2.0, 4.0]).round(4)
        array([-8.4853, -8.4853])
    """

    use: ClassVar[str] = "products of two columns, where inner products matter"

    s: float | str = 3
    m: int = 2
    modified: bool = False

    function: ClassVar[str] = "d2pk_project"
    parameter_help: ClassVar[Mapping[str, str]] = {
        "m": "signed squares summed for a component: 1, or even",
        "modified": "take the squares out of the kernel, for few features",
    }

    def check(self) -> None:
        check_whole("m", self.m, 1)
        if self.m > 1 and self.m % 2:
            raise ParameterError(
                f"m = {self.m} must be 1 or even, so that half of the signs are flipped: use {self.m + 1}"
            )
        check_flag("modified", self.modified)

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """m·k signed sums, then their squares with signs; if modified, minus the squares of the features."""
        s, k, m, seed = resolve_s(self.s, n_features), self.k, self.m, self.seed
        half, sums = greatest(m // 2, 1), m * k

        def squares(c: Any, j: Any) -> Any:
            return where(j < half, 1, -1), (c * m + j, c * m + j)

        if not self.modified:
            return SignedSums(sums, s, seed), products_of(k, m, squares)

        def less_removed(c: Any, j: Any) -> Any:
            weight, (sum_, _) = squares(c, j)
            return where(j < m, weight, 1), (where(j < m, sum_, sums + c), where(j < m, sum_, ONE))

        d = known_features(self, n_features)
        own = products_of(2 * d, 1, lambda c, _: (1, (where(c < d, c, c - d), where(c < d, ONE, c - d))))
        return own, sums_and_squares(k, m, s, seed, d), products_of(k, m + 1, less_removed)

    def factor(self, n_features: int | None) -> float:
        return resolve_s(self.s, n_features) / root(2 * self.m * self.k)

    def kernel(self) -> Kernel:
        """⟨x, y⟩², for any s and m; if modified, minus ⟨x², y²⟩."""
        return CrossTerms() if self.modified else Polynomial(2)

    def alternatives(self, n_features: int) -> Iterator[Projection]:
        """The s and m that have no bias; for the modified kernel, more squares in each component."""
        if self.bias(n_features):
            yield dataclasses.replace(self, s=3, m=max(self.m, 2))
        if self.m < _MANY:
            yield dataclasses.replace(self, s=self.s if self.modified else 3, m=_MANY)

    def bias(self, n_features: int | None) -> str:
        """The bias that s and m add to ⟨x, y⟩², and the remedy."""
        if self.modified:
            return ""
        weight = (resolve_s(self.s, n_features) - 3) / 2
        added = [f"{weight:+.3g}·⟨x², y²⟩: use s = 3"] if weight else []
        added += ["+0.5·‖x‖²‖y‖²: use m = 2, or more"] if self.m == 1 else []
        return ", and ".join(added)


@stated_call()
def sums_and_squares(k: int, m: int, s: float, seed: int, d: int) -> Stage:
    """k·m signed sums of d entries; then k sums of the squares, with minus their weights in the squared sums."""
    sums = m * k
    check_drawn(2 * d, sums + k, np.int64)
    flips = np.where(np.arange(m) < max(m // 2, 1), 1, -1)
    signs = draw_signs(np.arange(d, dtype=np.int64), sums, s, seed)
    removed = (np.abs(signs).reshape(d, k, m) * -flips).sum(axis=2)
    table = np.zeros((2 * d, sums + k), dtype=np.int64)
    table[:d, :sums], table[d:, sums:] = signs, removed
    return WeightedSums(table)
