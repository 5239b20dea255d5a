"""Polynomial kernel projection (PK-RP): products of precomputed signed sums (thesis, ch. 4, app. A)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

from sqlrp._core.draw import real, resolve_s
from sqlrp._core.errors import ParameterError, shorten
from sqlrp._core.symbols import root
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import (
    VECTORS_HELP,
    check_degree,
    check_flag,
    check_vectors,
    check_vectors_name,
    check_whole,
    power,
    vectors_in_force,
)
from sqlrp._projections.method_advice import ABOVE, THESIS, Advice, Measure, MethodMeasures, weights_of
from sqlrp._projections.projection import Projection, SeededProjection, known_features
from sqlrp._stages import AppendConstant, NormalSums, SignedSums, Stage, SumOfProducts
from sqlrp.kernels import Kernel, Polynomial

DISTANCES = 30
"""The t that the thesis uses to measure distances (4.4.1)."""

_TRIED = 64
"""The largest k of the draws that the law is fitted to, besides the given one."""
_SHARES = (0.2, 0.35, 0.5, 0.65, 0.8, 0.9)
"""Shares of the squared distortion that k may take; the rest is for p."""


def _trials(k: int, degree: int, t: int) -> Iterator[tuple[int, int, int]]:
    """k, p and t of draws that tell apart what each of the three does."""
    for products in sorted({1, t, DISTANCES}):
        yield k, degree * products * k, products
    for p in (k // 2, 2 * k):
        yield k, p, t
    yield 4 * k, 2 * k, t


@dataclass(frozen=True)
class PolynomialKernelProjection(SeededProjection):
    """k features whose squared distances estimate those of the kernel (⟨x, y⟩ + c)^degree (thesis, ch. 4).

    One component is Σ_{i<t} Π_{j<degree} K[I[c, i, j]], times s^{degree/2}/√(kt), where K are p signed sums of the
    features and I picks degree·t distinct ones for each component.

    `p` is the number of signed sums that the components share (None: 2k, at least degree·t). Of them at most
    degree·t·k are used. A larger p is better and slower (Tables 4.2-4.3). `t` is the number of products per sum: 1-10
    are enough for classification (Table 4.4), and 30 is the value for distances (Table 4.2). `c` ≥ 0 adds the lower
    degrees, as a feature √c (4.3.3). `minimise_repetition` uses every vector equally often (4.4.5). `vectors`
    "gaussian" weights the sums with N(0, 1) numbers instead of signs (4.3.1); it needs multiplications and the number
    of features.
    The estimate is unbiased for any p, t, s.

    Raises ParameterError for k, degree, p or t < 1, p < degree·t, s < 1, c < 0 or a seed
    outside 0 … 2⁵³-1.

        >>> pk = sqlrp.PolynomialKernelProjection(k=2, degree=2, p=8, t=4, s=1, seed=7)
        >>> sqlrp.project(pk, "points", con).slice(0, 1).to_pylist()
        [{'id': 1, 'z0': -1.414213562373095, 'z1': 1.414213562373095}]
    """

    use: ClassVar[str] = "products of columns, for a linear model on top"

    degree: int = 2
    p: int | None = None
    t: int = 4
    c: float = 0.0
    minimise_repetition: bool = True
    vectors: str = "sign"

    function: ClassVar[str] = "pk_project"
    parameter_help: ClassVar[Mapping[str, str]] = {
        "degree": "of the polynomial kernel",
        "p": "signed sums that all products share; without it 2k",
        "t": "products summed for a component",
        "c": "the kernel is (<x, y> + c)^degree",
        "minimise_repetition": "use every signed sum equally often",
        "vectors": VECTORS_HELP,
    }

    def check(self) -> None:
        check_degree(self.degree)
        check_whole("t", self.t, 1)
        check_vectors(self.p, self.degree, self.t, self.k)
        if not 0 <= real(self.c) < math.inf:
            raise ParameterError(
                f"c = {shorten(self.c)} must be a finite number >= 0: the kernel is (<x, y> + c)^degree"
            )
        check_flag("minimise_repetition", self.minimise_repetition)
        check_vectors_name(self.vectors)
        object.__setattr__(self, "c", self.c + 0.0)  # -0.0 becomes 0.0

    @property
    def n_vectors(self) -> int:
        """The p that is used: at most degree·t·k with the repetition minimised, as no more vectors are taken."""
        return vectors_in_force(self.p, self.degree, self.t, self.k, self.minimise_repetition)

    def resolved(self, n_features: int | None) -> dict[str, Any]:
        """With s as a number, and the p that is used."""
        return super().resolved(n_features) | {"p": self.n_vectors}

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """√c appended if c > 0, then p signed sums and k sums of t products."""
        constant = (AppendConstant(root(self.c)),) if self.c else ()
        if self.vectors == "gaussian":
            known_features(self, n_features)
            sums: Stage = NormalSums(self.n_vectors, self.seed)
        else:
            sums = SignedSums(self.n_vectors, resolve_s(self.s, n_features), self.seed)
        return (
            *constant,
            sums,
            SumOfProducts(self.n_vectors, self.k, self.t, self.degree, self.seed, self.minimise_repetition),
        )

    def factor(self, n_features: int | None) -> float:
        """s^{degree/2} / √(kt); 1/√(kt) with Gaussian vectors."""
        s = 1.0 if self.vectors == "gaussian" else resolve_s(self.s, n_features)
        return power(s, self.degree / 2, "s^(degree/2)") / root(self.k * self.t)

    def kernel(self) -> Kernel:
        return Polynomial(self.degree, self.c)

    def sparsity(self, n_features: int) -> float | None:
        """The sparsity of the signs; None for Gaussian vectors."""
        return None if self.vectors == "gaussian" else super().sparsity(n_features)

    def toward(self, wanted: float, measure: Measure, n_features: int) -> Projection | None:
        """The k, p and t of least work whose law gives `wanted`; none of the three gets smaller.

        The squared distortion is a/k + b/p + e/(kt): k components, of t products each, that share p signed sums. So a
        larger k alone does not help once b/p is the most of it. The weights are fitted to a few small draws.
        """
        own = replace(self, p=self.n_vectors)
        small = replace(own, k=min(self.k, _TRIED), p=None)
        draws = {own, *(small.shaped(k, p, t) for k, p, t in _trials(small.k, self.degree, self.t))}
        ordered = sorted(draws, key=lambda each: (each.k, each.n_vectors, each.t))
        a, b, e = weights_of([each.law for each in ordered], [measure(each) ** 2 for each in ordered])
        best, least = None, math.inf
        for t in sorted({self.t, *(t for t in (10, DISTANCES) if t > self.t)}):
            for share in _SHARES:
                k = max(math.ceil((a + e / t) / (share * wanted**2)), self.k)
                left = wanted**2 - (a + e / t) / k
                p = max(math.ceil(b / left) if left > 0 else 0, own.n_vectors)
                made = own.shaped(k, p, t)
                # A component costs about as much to keep and to read as a signed sum.
                work = (made.n_vectors + k) * n_features + self.degree * t * k
                if sum(map(math.prod, zip((a, b, e), made.law, strict=True))) <= 1.001 * wanted**2 and work < least:
                    best, least = made, work
        return best

    @property
    def law(self) -> tuple[float, float, float]:
        """1/k, 1/p and 1/(kt): the terms of the squared distortion."""
        return 1 / self.k, 1 / self.n_vectors, 1 / (self.k * self.t)

    def shaped(self, k: int, p: int, t: int) -> Self:
        """The method with these k and t, and with the p that is nearest to the given one."""
        return replace(self, k=k, t=t, p=min(max(p, self.degree * t), self.degree * t * k))

    def advice(self, measured: MethodMeasures) -> Iterator[Advice]:
        """Advice whether t and p are large enough (thesis, 4.4.1, Tables 4.2 to 4.4)."""
        p, t = self.n_vectors, self.t
        figure = f"distortion {measured.ratio:.2f} times that of a Gaussian projection to as many components; "
        figure += f"p = {p:,}, t = {t}"
        if measured.ratio <= ABOVE:
            yield Advice("keep", f"t = {t} and p = {p:,} are enough.", figure, THESIS)
            return
        if t < DISTANCES:
            text = f"For distances raise t from {t} towards {DISTANCES}; for classification 1 to 10 serve."
            yield Advice("change", text, figure, THESIS)
        most = self.degree * max(t, DISTANCES) * self.k
        better = min(max(2 * p, 4 * self.k), most)
        if better > p:
            text = (
                f"Raise p from {p:,} to {better:,}: the products share the signed sums, and more of them come closer."
            )
            yield Advice("change", text, figure, THESIS)
