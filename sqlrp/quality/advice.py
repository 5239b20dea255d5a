"""What the measures of a projection advise: which parameter to change, by which number, and where that is written."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sqlrp.projections import (
    GaussianProjection,
    PolynomialKernelProjection,
    Prepared,
    Projection,
    RandomSubspace,
    SparseProjection,
)
from sqlrp.projections.base import Seeded
from sqlrp.projections.holding import Holding
from sqlrp.quality.bounds import min_k
from sqlrp.quality.measures import LINEAR
from sqlrp.quality.report import Report
from sqlrp.signs import resolve_s

ABOVE = 1.1
"""A mean distortion of that many times the expected one is more than a draw's luck, with what the rows say."""
EMPTY = 0.01
"""The part of components that may be 0 for every row."""
DISTANCES = 30
"""The t at which the thesis measures distances (4.4.1)."""
CHANCE = 0.05
"""The chance that theory may fail, in what it says of a random subspace."""

_JL = (SparseProjection, GaussianProjection)
_NORMAL = "Achlioptas 2003; Li, Hastie, Church 2006: a squared distance is nearly normal, with variance 2/k"
_ALL = "Achlioptas 2003, Theorem 1.1"
_TAILS = "Li, Hastie, Church 2006: the variance is (2 + (s-3)·Σx⁴/‖x‖⁴)/k, and s = √d asks for bounded fourth moments"
_SUBSPACE = "Lim, Durrant, random subspace, Theorems 1 and 2"
_DENSIFY = "Lim, Durrant, random subspace, 4.3, Theorems 1 and 3: k grows with c²"
_THESIS = "López Sánchez, thesis, 4.4.1, Tables 4.2 to 4.4"


@dataclass(frozen=True)
class Advice:
    """One thing to do, or to leave as it is."""

    kind: Literal["change", "keep", "note"]
    """whether to change something, to leave it, or only to know"""
    text: str
    """what to do"""
    figure: str
    """the number behind it"""
    source: str
    """the paper and section behind it"""


def advice(report: Report, n_features: int | None, rows: int | None, wanted: float) -> list[Advice]:
    """What the measures advise to one who wants that mean distortion; what is to be changed comes first.

    `n_features`: of the source, None for an open vocabulary; `rows`: of the source, None where that is not known.
    """
    projection = report.projection
    method = projection.of if isinstance(projection, Prepared) else projection
    found = [
        *_components(report, method, n_features, wanted),
        *_every_distance(report, method, n_features, rows, wanted),
        *_sparsity(report, method, n_features),
        *_products(report, method),
        *_subspace(report, method),
    ]
    return sorted(found, key=lambda a: ("change", "keep", "note").index(a.kind))


def _components(report: Report, method: Projection, d: int | None, wanted: float) -> Iterator[Advice]:
    k, mean = report.projection.k, report.distortion.mean
    measured = f"mean distortion {mean:.4g} measured, {wanted:.3g} wanted"
    theory = math.ceil(4 / (math.pi * wanted**2))
    if mean <= wanted:
        yield Advice("keep", f"k = {k:,} is enough for the distortion that is wanted.", measured, _NORMAL)
        return
    if isinstance(method, Holding):
        text = (
            f"k = {k:,} is too small for the distortion that is wanted: raise it, or use a method that learns nothing."
        )
        yield Advice(
            "change", text, measured, "the sample: how a learnt projection's distortion falls hangs on the data"
        )
        return
    figure = f"{measured}; a Gaussian projection has 2/√(πk) = {wanted:.3g} at k = {theory:,}"
    if method.kernel() != LINEAR and theory <= k:
        text = f"k = {k:,} is enough in itself: the other parameters keep the distortion above the one wanted."
        yield Advice("change", text, figure, _NORMAL)
        return
    need = theory if method.kernel() != LINEAR else _as_measured(report, method, d, wanted)
    text = f"k = {k:,} is too small for the distortion that is wanted: use about {need:,}"
    if method.kernel() == LINEAR and d is not None and need >= d:
        text += f", which is no fewer than the {d:,} features: keep those, or accept this distortion"
    if need > ABOVE**2 * theory and not isinstance(method, RandomSubspace):
        text += f"; what lowers the distortion at this k brings that down to about {theory:,}"
    yield Advice("change", f"{text}.", figure, _NORMAL)


def _as_measured(report: Report, method: Projection, d: int | None, wanted: float) -> int:
    """The k at which a distortion that falls with √k from the one measured comes to the one wanted.

    Of features drawn without replacement it falls with √(k/(1-(k-1)/d)) (random subspace paper, Theorem 2).
    """
    k, fold = method.k, (report.distortion.mean / wanted) ** 2
    if not isinstance(method, RandomSubspace) or d is None:
        return math.ceil(k * fold)
    effective = k / (1 - (k - 1) / d) * fold
    return min(math.ceil(effective * (d + 1) / (d + effective)), d)


def _every_distance(
    report: Report, method: Projection, d: int | None, rows: int | None, wanted: float
) -> Iterator[Advice]:
    """What theory asks for all distances, rather than their mean."""
    if rows is None or rows < 2:
        return
    n = f"{rows:,} rows"
    if isinstance(method, RandomSubspace) and report.sampled.regularity and report.sampled.reflected and d is not None:
        shown = report.sampled.reflected if method.densify else report.sampled.regularity
        c = min(max(shown.q95, 1.0), d)
        need = min_k(rows, wanted, CHANCE, "rs", c=c, d=d)
        figure = f"min_k({rows:,}, eps={wanted:.3g}, delta={CHANCE}, method='rs', c={c:.3g}, d={d:,}) = {need:,}"
        yield Advice(
            "note", f"Every distance of the {n} is kept within {wanted:.3g} from k = {need:,} on.", figure, _SUBSPACE
        )
    elif isinstance(method, _JL) and wanted < 1:
        need = min_k(rows, wanted)
        figure = f"min_k({rows:,}, eps={wanted:.3g}) = {need:,}, for s = 1 or 3 and any data"
        text = f"The mean says little of the worst pair: theory keeps every distance of the {n} within {wanted:.3g} "
        yield Advice("note", f"{text}from k = {need:,} on.", figure, _ALL)


def _sparsity(report: Report, method: Projection, d: int | None) -> Iterator[Advice]:
    if not isinstance(method, Seeded) or d is None or getattr(method, "vectors", "sign") != "sign":
        return
    s = resolve_s(method.s, d)
    empty = (1 - 1 / s) ** d
    few = empty > EMPTY
    if few:
        less = "1 or 3" if s > 3 and (1 - 1 / 3) ** d <= EMPTY else "1"
        text = f"With {d:,} features s = {_said(method.s, s)} leaves sums without any feature: use s = {less}."
        figure = f"(1 - 1/{s:.3g})^{d} = {empty:.1%} of the sums are 0 for every row"
        yield Advice("change", text, figure, "Li, Hastie, Church 2006: s = √d is for many features")
    c = report.sampled.regularity
    if few or s <= 3 or c is None or method.kernel() != LINEAR:
        return
    # Σx⁴/‖x‖⁴ is at most the share of the largest entry, which is c/d.
    most = math.sqrt((2 + (s - 3) * min(c.q95 / d, 1)) / 2)
    ratio = report.distortion.mean / report.expected_distortion
    figure = (
        f"distortion {ratio:.2f} times the expected {report.expected_distortion:.3g}; by the largest entries of the "
        f"rows (c = {c.q95:.3g}) it may be {most:.2f} times"
    )
    if ratio > ABOVE and most > ABOVE:
        text = (
            f"The rows have heavy tails for s = {_said(method.s, s)}: use s = 3, at {s / 3:.2g} times the work, or 1."
        )
        yield Advice("change", text, figure, _TAILS)
    else:
        yield Advice("keep", f"s = {_said(method.s, s)} fits these rows: their tails are light enough.", figure, _TAILS)


def _products(report: Report, method: Projection) -> Iterator[Advice]:
    if not isinstance(method, PolynomialKernelProjection):
        return
    ratio = report.distortion.mean / report.expected_distortion
    p, k, t, degree = method.n_vectors, method.k, method.t, method.degree
    figure = f"distortion {ratio:.2f} times that of a Gaussian projection to as many components; p = {p:,}, t = {t}"
    if ratio <= ABOVE:
        yield Advice("keep", f"t = {t} and p = {p:,} are enough.", figure, _THESIS)
        return
    if t < DISTANCES:
        text = f"For distances raise t from {t} towards {DISTANCES}; for classification 1 to 10 serve."
        yield Advice("change", text, figure, _THESIS)
    most = degree * max(t, DISTANCES) * k
    better = min(max(2 * p, 4 * k), most)
    if better > p:
        text = f"Raise p from {p:,} to {better:,}: the products share the signed sums, and more of them come closer."
        yield Advice("change", text, figure, _THESIS)


def _subspace(report: Report, method: Projection) -> Iterator[Advice]:
    c, reflected = report.sampled.regularity, report.sampled.reflected
    if not isinstance(method, RandomSubspace) or c is None or reflected is None:
        return
    figure = f"regularity c = {c.q95:.3g} as they are, c' = {reflected.q95:.3g} reflected (95% of the rows are below)"
    dense = method.densify is not None
    fold = (max(c.q95, reflected.q95) / min(c.q95, reflected.q95)) ** 2
    better = reflected.q95 < c.q95
    worth = fold > ABOVE
    if worth and better and not dense:
        text = (
            f'The rows are irregular: densify = "householder" makes theory ask for {fold:.3g} times fewer components.'
        )
    elif worth and dense and not better:
        text = (
            f"The rows are more regular as they are: without densify theory asks for {fold:.3g} times fewer components."
        )
    else:
        text = "The reflection serves these rows." if dense else "The rows are regular enough: no reflection is needed."
    yield Advice("change" if worth and better != dense else "keep", text, figure, _DENSIFY)


def _said(asked: float | str, s: float) -> str:
    return f"√d = {s:.3g}" if asked == "sqrt" else f"{s:.3g}"
