"""What the measures of a projection advise: which parameter to change, by which number, and where that is written."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sqlrp.core.draw import resolve_s
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
from sqlrp.quality.measures import Summary
from sqlrp.quality.report import Report

ABOVE = 1.1
"""A mean distortion of that many times the expected one is more than a draw's luck, with what the rows say."""
EMPTY = 0.01
"""The part of components that may be 0 for every row."""
DISTANCES = 30
"""The t at which the thesis measures distances (4.4.1)."""
CHANCE = 0.05
"""The chance that theory may fail, in what it says of all distances."""

_JL = (SparseProjection, GaussianProjection)
_NORMAL = "Achlioptas 2003; Li, Hastie, Church 2006: a squared distance is nearly normal, with variance 2/k"
_ALL = "Achlioptas 2003, Theorem 1.1, with n^-β the chance that it fails"
_TAILS = "Li, Hastie, Church 2006: the variance is (2 + (s-3)·Σx⁴/‖x‖⁴)/k, and s = √d asks for bounded fourth moments"
_SUBSPACE = "Lim, Durrant, random subspace, Theorem 2; c of the differences of rows, by the proof in A.1"
_DENSIFY = "Lim, Durrant, random subspace, 4.3, Theorems 2 and 3: k grows with the c of differences"
_BIAS = "López-Sánchez et al. 2018, section 4, footnote 1: the weights of squared features are not drawn like the rest"
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
        *_bias(report, method, n_features),
        *_products(report, method),
        *_subspace(report, method, n_features, wanted),
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
    if not method.kernel().linear and theory <= k:
        text = f"k = {k:,} is enough in itself: the other parameters keep the distortion above the one wanted."
        yield Advice("change", text, figure, _NORMAL)
        return
    need = theory if not method.kernel().linear else _as_measured(report, method, d, wanted)
    text = f"k = {k:,} is too small for the distortion that is wanted: use about {need:,}"
    if method.kernel().linear and d is not None and need >= d:
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
    if isinstance(method, RandomSubspace):
        found = report.sampled.reflected if method.densify else report.sampled.regularity
        if found is None or d is None:
            return
        need, figure = _subspace_k(report, found, d, wanted)
        n = f"{report.sampled.rows:,} sampled rows"
        text = f"With a chance of {1 - CHANCE:.0%} every squared distance between the {n} is kept within {wanted:.3g} "
        text += (
            f"from k = {need:,} on. This says nothing of rows outside the sample: only all {d:,} features keep theirs."
        )
        yield Advice("note", text, figure, _SUBSPACE)
    elif isinstance(method, _JL) and rows is not None and rows >= 2:
        need = min_k(rows, wanted, CHANCE)
        figure = f"min_k({rows:,}, eps={wanted:.3g}, delta={CHANCE}) = {need:,}, for s = 1 or 3 and any data"
        proven = "" if not isinstance(method, Seeded) or method.s in (1, 3) else "with s = 1 or 3 and "
        text = f"The mean says little of the worst pair: {proven}with a chance of {1 - CHANCE:.0%} every squared "
        text += f"distance between any {rows:,} rows is kept within {wanted:.3g} from k = {need:,} on."
        yield Advice("note", text, figure, _ALL)


def _subspace_k(report: Report, found: Summary, d: int, wanted: float) -> tuple[int, str]:
    """The k from which theory keeps every distance of the sampled rows, and how it follows.

    It needs the largest c of all their differences, not that of most.
    """
    rows, c = report.sampled.rows, min(max(found.most, 1.0), d)
    need = min_k(rows, wanted, CHANCE, "rs", c=c, d=d)
    return need, f"min_k({rows:,}, eps={wanted:.3g}, delta={CHANCE}, method='rs', c={c:.3g}, d={d:,}) = {need:,}"


def _sparsity(report: Report, method: Projection, d: int | None) -> Iterator[Advice]:
    if not isinstance(method, Seeded) or d is None or getattr(method, "vectors", "sign") != "sign":
        return
    s = resolve_s(method.s, d)
    empty = (1 - 1 / s) ** d
    few = empty > EMPTY
    if few and not method.bias(d):
        less = "1 or 3" if s > 3 and (1 - 1 / 3) ** d <= EMPTY else "1"
        text = f"With {d:,} features s = {_said(method.s, s)} leaves sums without any feature: use s = {less}."
        figure = f"(1 - 1/{s:.3g})^{d} = {empty:.1%} of the sums are 0 for every row"
        yield Advice("change", text, figure, "Li, Hastie, Church 2006: s = √d is for many features")
    c = report.sampled.regularity
    if few or s <= 3 or c is None or not method.kernel().linear:
        return
    # Σx⁴/‖x‖⁴ is at most the share of the largest entry, which is c/d.
    most = math.sqrt((2 + (s - 3) * min(c.q95 / d, 1)) / 2)
    ratio = report.distortion.mean / report.expected_distortion
    figure = (
        f"distortion {ratio:.2f} times the expected {report.expected_distortion:.3g}; by the largest entries of 95% of "
        f"the rows' differences (c = {c.q95:.3g} at most) it may be {most:.2f} times"
    )
    if ratio > ABOVE and most > ABOVE:
        text = f"The rows' differences have heavy tails for s = {_said(method.s, s)}: "
        text += f"use s = 3, at {s / 3:.2g} times the work, or 1."
        yield Advice("change", text, figure, _TAILS)
    else:
        text = f"s = {_said(method.s, s)} fits these rows: the tails of their differences are light enough."
        yield Advice("keep", text, figure, _TAILS)


def _bias(report: Report, method: Projection, d: int | None) -> Iterator[Advice]:
    """Where the expectation itself is off, no k mends it."""
    said, ratio = method.bias(d), report.distortion.mean / report.expected_distortion
    if said and ratio > ABOVE:
        figure = (
            f"distortion {ratio:.2f} times the expected {report.expected_distortion:.3g}; of half of the pairs the "
            f"squared distance comes out at {report.ratio.median**2:.2f} times or more"
        )
        yield Advice("change", f"Inner products are estimated with a bias, at any k: {said}.", figure, _BIAS)


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


def _subspace(report: Report, method: Projection, d: int | None, wanted: float) -> Iterator[Advice]:
    c, reflected = report.sampled.regularity, report.sampled.reflected
    if not isinstance(method, RandomSubspace) or c is None or reflected is None or d is None:
        return
    plain, turned = (_subspace_k(report, found, d, wanted)[0] for found in (c, reflected))
    figure = (
        f"c = {c.most:.3g} as they are, c' = {reflected.most:.3g} reflected: the largest of all sampled differences"
    )
    used, other = (turned, plain) if method.densify else (plain, turned)
    if used > ABOVE * other:
        text = (
            "The rows' differences are more regular as they are: without densify"
            if method.densify
            else 'The rows\' differences are irregular: with densify = "householder"'
        )
        text += f" theory asks for k = {other:,} to keep every distance between the sampled rows, rather than {used:,}."
        yield Advice("change", text, figure, _DENSIFY)
    elif other > ABOVE * used:
        text = "The reflection serves these rows" if method.densify else "The rows' differences are regular enough"
        yield Advice("keep", f"{text}: theory asks for k = {used:,}, and otherwise for {other:,}.", figure, _DENSIFY)
    else:
        text = f"The reflection changes little: theory asks for k = {plain:,} without it, and {turned:,} with it."
        yield Advice("keep", text, figure, _DENSIFY)


def _said(asked: float | str, s: float) -> str:
    return f"√d = {s:.3g}" if asked == "sqrt" else f"{s:.3g}"
