"""Advice from the measures of a projection: which parameter to change, to which value, and the source of the advice.

This module has the advice for every method. The advice of a single method is in its class (`Projection.advice`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from sqlrp._projections import Projection
from sqlrp._projections.method_advice import ABOVE, Advice, MethodMeasures
from sqlrp._quality.distortion_search import aimed
from sqlrp._quality.measures import Floats
from sqlrp._quality.report import Report

EMPTY = 0.01
"""The largest share of components that may be 0 for every row."""

_NORMAL = "Achlioptas 2003; Li, Hastie, Church 2006: a squared distance is nearly normal, with variance 2/k"
_TAILS = "Li, Hastie, Church 2006: the variance is (2 + (s-3)·Σx⁴/‖x‖⁴)/k, and s = √d asks for bounded fourth moments"
_BIAS = "López-Sánchez et al. 2018, section 4, footnote 1: the weights of squared features are not drawn like the rest"


def advice(
    report: Report, n_features: int | None, rows: int | None, wanted: float, sampled: Floats | None = None
) -> list[Advice]:
    """The advice for a wanted mean distortion, with changes first.

    `n_features`: that of the source, None for an open vocabulary. `rows`: that of the source, None if unknown.
    `sampled`: rows of the source, prepared, shape (rows, features), to draw on what is advised; None leaves the k of
    theory.
    """
    method, measures = report.projection.unprepared, report.sampled
    measured = MethodMeasures(
        n_features=n_features,
        rows=rows,
        wanted=wanted,
        mean=report.distortion.mean,
        expected=report.expected_distortion,
        sampled=measures.rows,
        regularity=measures.regularity.most if measures.regularity else None,
        reflected=measures.reflected.most if measures.reflected else None,
    )
    kept = _kept(report, wanted)
    aim = None if kept else aimed(report.projection, sampled, wanted)
    if aim is not None:
        # Where other parameters are advised, none of the present ones is said to be enough.
        left_out = ("change",) if aim.projection is None else ("change", "keep")
        return [
            aim,
            *_bias(report, method, n_features),
            *(a for a in method.advice(measured) if a.kind not in left_out),
        ]
    found = [
        *(kept or _components(method, measured)),
        *_sparsity(report, method, n_features),
        *_bias(report, method, n_features),
        *method.advice(measured),
    ]
    return sorted(found, key=lambda a: ("change", "keep", "note").index(a.kind))


def _kept(report: Report, wanted: float) -> list[Advice]:
    """That k is enough, if the sample's mean says so, and whether the sample is large enough to be sure."""
    mean, around, k = report.distortion.mean, report.distortion_interval, report.projection.k
    if mean > wanted:
        return []
    text = f"k = {k:,} is enough for the distortion that is wanted"
    if report.reaches(wanted) is None and wanted > mean:
        rows = report.sample_for(2 * (wanted - mean))
        text += f" on this sample, which is too small to be sure: take about {rows:,} rows"
    figure = f"mean distortion {mean:.4g} measured ({around.low:.4g} to {around.high:.4g}), {wanted:.3g} wanted"
    return [Advice("keep", f"{text}.", figure, _NORMAL)]


def _components(method: Projection, measured: MethodMeasures) -> Iterator[Advice]:
    k, d, mean, wanted = method.k, measured.n_features, measured.mean, measured.wanted
    figure = f"mean distortion {mean:.4g} measured, {wanted:.3g} wanted"
    theory = math.ceil(4 / (math.pi * wanted**2))
    if method.needs_state:
        text = (
            f"k = {k:,} is too small for the distortion that is wanted: raise it, or use a method that learns nothing."
        )
        yield Advice(
            "change", text, figure, "the sample: how a learnt projection's distortion falls depends on the data"
        )
        return
    figure += f"; a Gaussian projection has 2/√(πk) = {wanted:.3g} at k = {theory:,}"
    if not method.kernel().linear and theory <= k:
        text = f"k = {k:,} is enough in itself: the other parameters keep the distortion above the one wanted."
        yield Advice("change", text, figure, _NORMAL)
        return
    need = theory if not method.kernel().linear else method.components_for(measured.fold, d)
    text = f"k = {k:,} is too small for the distortion that is wanted: use about {need:,}"
    if method.kernel().linear and d is not None and need >= d:
        text += f", which is no fewer than the {d:,} features: keep those, or accept this distortion"
    if need > ABOVE**2 * theory and method.nearly_normal:
        text += f"; what lowers the distortion at this k brings that down to about {theory:,}"
    if method.kernel().grouped:
        text += ", by theory alone: on groups it is not tried out"
    yield Advice("change", f"{text}.", figure, _NORMAL)


def _sparsity(report: Report, method: Projection, d: int | None) -> Iterator[Advice]:
    s = None if d is None else method.sparsity(d)
    if s is None or d is None:
        return
    said = f"√d = {s:.3g}" if method.parameters().get("s") == "sqrt" else f"{s:.3g}"
    empty = (1 - 1 / s) ** d
    few = empty > EMPTY
    if few and not method.bias(d):
        less = "1 or 3" if s > 3 and (1 - 1 / 3) ** d <= EMPTY else "1"
        text = f"With {d:,} features s = {said} leaves sums without any feature: use s = {less}."
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
        text = f"The rows' differences have heavy tails for s = {said}: "
        text += f"use s = 3, at {s / 3:.2g} times the work, or 1."
        yield Advice("change", text, figure, _TAILS)
    else:
        text = f"s = {said} fits these rows: the tails of their differences are light enough."
        yield Advice("keep", text, figure, _TAILS)


def _bias(report: Report, method: Projection, d: int | None) -> Iterator[Advice]:
    """Advice if the estimate is biased, as no k removes a bias."""
    said, ratio = method.bias(d), report.distortion.mean / report.expected_distortion
    if said and ratio > ABOVE:
        figure = (
            f"distortion {ratio:.2f} times the expected {report.expected_distortion:.3g}; of half of the pairs the "
            f"squared distance comes out at {report.ratio.median**2:.2f} times or more"
        )
        yield Advice("change", f"Inner products are estimated with a bias, at any k: {said}.", figure, _BIAS)
