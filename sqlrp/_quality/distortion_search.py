"""Which parameters reach a wanted distortion: predicted from sampled rows, drawn, and measured on rows held out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import Any

import numpy as np

from sqlrp._core.draw import SEED_BOUND
from sqlrp._core.errors import LimitError, ParameterError, SourceError, UnsupportedError
from sqlrp._core.values import dataclass
from sqlrp._projections import Projection
from sqlrp._projections.method_advice import Advice
from sqlrp._quality.apart import apart
from sqlrp._quality.measures import Floats, Interval, by_row, distortion, interval, to_scale
from sqlrp._run.frames.matrix import project_array

LEAST = 30
"""The smallest number of sampled rows to advise from."""
_DRAWS = 8
"""The largest number of projections to draw for one search."""
_MOST = 1 << 23
"""The largest number of weights and products of a projection that is drawn only to be measured."""
_SEEDS = 6
"""The number of seeds with which the advised projection is tried."""
_LOWER = 0.985
"""How much lower the search aims than the shortfall of its last draw."""
_CLOSE = 1.1
"""A method's own parameters are kept if others need a k that is less than this many times as small."""


@dataclass(frozen=True)
class FoundProjection:
    """A projection that was drawn and reached the wanted distortion."""

    projection: Projection
    mean: float
    interval: Interval
    """of the mean distortion of the rows that were held out"""
    rows: int
    """the number of rows held out"""


@dataclass
class _Search:
    """Draws of projections, measured on one half of the rows; the other half is held out."""

    asked: Projection
    rows: Floats
    largest: Projection | None = None
    """the projection with the largest k that was measured on the rows held out"""
    _found: dict[Projection, float] = field(default_factory=dict)

    @property
    def halves(self) -> tuple[Floats, Floats]:
        """The rows to predict from, and the rows held out."""
        return self.rows[::2], self.rows[1::2]

    def fitted(self, method: Projection) -> Projection:
        """The method that projects; fitted on the first half if it learns."""
        return method.fitted_on(self.halves[0], None) if method.learns else replace(method, bound_to=None)

    def mean(self, method: Projection) -> float:
        """The mean distortion of the first half."""
        if method not in self._found:
            z, true = _both(self.fitted(method), self.halves[0])
            self._found[method] = float(distortion(z, true).mean())
        return self._found[method]

    def held_out(self, method: Projection) -> tuple[float, Interval]:
        """The mean distortion of the rows held out, and its interval."""
        rows = self.halves[1]
        found = self.measured(method, rows)
        if self.largest is None or method.k > self.largest.k:
            self.largest = method  # it could be fitted
        return found

    def measured(self, method: Projection, rows: Floats) -> tuple[float, Interval]:
        """The mean distortion of rows, and its interval."""
        z, true = _both(self.fitted(method), rows)
        lost = distortion(z, true)
        return float(lost.mean()), interval(*zip(*by_row(len(rows), true > 0, lost), strict=True))

    def hopeless(self, wanted: float) -> bool:
        """Whether the largest k misses the wanted distortion for sure: by all rows, unless half of them were learnt."""
        if self.largest is None:
            return False
        return self.measured(self.largest, self.halves[1] if self.largest.learns else self.rows)[1].low > wanted

    def reach(self, method: Projection, wanted: float) -> FoundProjection | None:
        """Raise the parameters of the method until the interval of the rows held out is below the wanted distortion."""
        d, aim = self.rows.shape[1], wanted
        linear, last = method.kernel().linear, False
        for _ in range(_DRAWS):
            made = method.toward(aim, self.mean, d)
            if made is not None and linear and made.k >= d:
                made, last = _below(method, d), True
            if made is None or _size(made, d) > _MOST:
                return None
            mean, around = self.held_out(made)
            # What was asked is too low for all sampled rows, even if the half that is held out does not show it.
            if around.high <= wanted and _changed(self.asked, made, d):
                return FoundProjection(made, mean, around, len(self.halves[1]))
            if last or not np.isfinite(around.high):
                return None
            aim *= _LOWER * min(wanted / around.high, 1)
        return None


def reached(method: Projection, rows: Floats, wanted: float) -> tuple[FoundProjection | None, int, bool]:
    """The least raise of the parameters that reaches the wanted mean distortion on rows that it was not chosen by.

    `rows`: sampled rows, prepared, shape (rows, features). The method's own law of distortion is fitted to half of
    them, and the projection that it asks for is drawn and measured on the other half, until the whole interval of the
    mean is below the wanted one. Other parameters are tried if they need a smaller k. Returns None if nothing reaches
    it, the largest k that was drawn, and whether that one misses it for sure.
    """
    search = _Search(method, rows)
    found: list[FoundProjection] = []
    for i, way in enumerate(_ways(method, rows.shape[1])):
        if i and found and found[0].projection.k <= _CLOSE * method.k:
            break  # as good as it gets
        try:
            one = search.reach(way, wanted)
        except (LimitError, ParameterError, SourceError, UnsupportedError):  # the method cannot have these parameters
            one = None
        if one is not None and (not found or _CLOSE * one.projection.k < found[-1].projection.k):
            found.append(one)
    if found:
        return found[-1], found[-1].projection.k, False
    return None, 0 if search.largest is None else search.largest.k, search.hopeless(wanted)


def aimed(projection: Projection, rows: Floats | None, wanted: float) -> Advice | None:
    """The advice that `reached` gives; None for too few rows, or a method that has no law or sums groups."""
    method = projection.unprepared
    if rows is None or len(rows) < LEAST or (method.needs_state and not method.learns):
        return None
    if any(stage.groups for stage in method.stages(rows.shape[1]) if not method.needs_state):
        return None
    found, largest, sure = reached(method, rows, wanted)
    source = "the sample: the parameters are chosen by half of it, drawn, and measured on the other half"
    if found is None:
        text, figure = _unreached(method, largest, rows.shape[1], wanted, sure), f"drawn up to k = {largest:,}"
        return Advice("change", text, figure, source) if largest else None
    said, now = changes(method, found.projection, rows.shape[1])
    text = f"Use {said} rather than {now}: this reaches the distortion that is wanted"
    text += ", once it is fitted again." if method.learns else f"{_sure(found.projection, rows, wanted)}."
    if found.projection.k > rows.shape[1]:
        text += f" Rows then have more components than the {rows.shape[1]:,} features that they have now."
    figure = f"mean distortion {found.mean:.4g} ({found.interval.low:.4g} to {found.interval.high:.4g}) of "
    figure += f"{found.rows:,} sampled rows that the parameters were not chosen by; {wanted:.3g} is wanted"
    advised = replace(found.projection, bound_to=method.bound_to)
    return Advice("change", text, figure, source, projection.around(advised))


def _sure(method: Projection, rows: Floats, wanted: float) -> str:
    """With how many seeds the rows held out keep to the wanted mean distortion; empty for a method without a seed."""
    if not method.drawn_seeds:
        return ""
    search, first = _Search(method, rows), method.sampling_seed
    seeds = [method.reseeded((first + i) % SEED_BOUND) for i in range(_SEEDS)]
    held = sum(search.held_out(each)[0] <= wanted for each in seeds)
    return f", with {held} of {_SEEDS} seeds"


def changes(before: Projection, after: Projection, n_features: int) -> tuple[str, str]:
    """The parameters that differ, as they are after and before: "k = 64 and p = 512"."""
    names = _changed(before, after, n_features)
    return _listed(after.resolved(n_features), names), _listed(before.resolved(n_features), names)


def _changed(before: Projection, after: Projection, n_features: int) -> list[str]:
    """The names of the parameters that differ."""
    old, new = (each.resolved(n_features) for each in (before, after))
    return [name for name in new if new[name] != old[name] and name not in ("state", "bound_to")]


def _listed(values: dict[str, Any], names: list[str]) -> str:
    said = [
        f"{n} = {v:,}" if isinstance(v := values[n], int) and not isinstance(v, bool) else f"{n} = {_short(v)}"
        for n in names
    ]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else repr(value)


def _unreached(method: Projection, largest: int, d: int, wanted: float, sure: bool) -> str:
    """What is said if nothing reaches the wanted distortion."""
    most = None if method.learns or not method.kernel().linear else _below(method, d)
    if not sure:
        which = f"a k below the {d:,} features" if most is not None and most.k == largest else f"k = {largest:,}"
        return (
            f"The sample is too small to tell whether {which} reaches a distortion of {wanted:.3g}: take a larger one."
        )
    if most is not None and most.k == largest:
        return (
            f"No k below the {d:,} features reaches a distortion of {wanted:.3g}: keep those, or accept a larger one."
        )
    text = f"No k up to {largest:,} reaches a distortion of {wanted:.3g} on this sample: accept a larger one"
    return f"{text}, take a larger sample, or use another method."


def _ways(method: Projection, d: int) -> Iterator[Projection]:
    yield method
    yield from method.alternatives(d)


def _both(method: Projection, rows: Floats) -> tuple[Floats, Floats]:
    """The projected rows, and the true squared distances, to which rows without a known kernel are scaled."""
    kernel = method.kernel()
    z, true = project_array(method.estimating(), rows), apart(kernel, rows).pairs
    return z if kernel.known else to_scale(z, true), true


def _below(method: Projection, d: int) -> Projection | None:
    """The method with the largest k that is below the number of features."""
    made = (method.resized(k) for k in range(d - 1, 0, -1))
    return next((each for each in made if each is not None and each.k < d), None)


def _size(method: Projection, d: int) -> float:
    """The number of weights and products that a drawn method has."""
    if method.learns or method.k * d > _MOST:
        return method.k * d
    size, entries = 0.0, d
    for stage in method.stages(d):
        size += stage.stated(entries)
        entries = stage.n_outputs or entries
    return size
