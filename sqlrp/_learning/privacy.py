"""Private models: Gaussian noise on the sums that a model is solved from, so that no row can be told from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from sqlrp._core.errors import LimitError, ParameterError, shorten
from sqlrp._core.extras import needs
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Column
from sqlrp._evaluator.clip import STEPS, Clip
from sqlrp._evaluator.moments import Matrix, Moments
from sqlrp._lowering.tallies import plain_class

_MOST = 1 << 24
"""The most rows whose sums of products of steps a double holds exactly."""
_SUMS = STEPS // 2
"""What a regressor's sums of components are multiplied by. Less precise ones than products do."""
_TARGETS = STEPS // 2
"""What sums of targets are multiplied by."""
_COUNTS = STEPS * STEPS // 2
"""What counts are multiplied by."""
_STEADY = 3
"""How many rows of zeros steady the constant of a model, as a multiple of the rows that make as much as the noise."""

_LIMITS = (("epsilon", 1e-3, 50.0), ("delta", 1e-100, 0.1), ("clip", 1e-100, 1e100))


@dataclass(frozen=True)
class Privacy:
    """How much a model may tell of a single row, for `sqlrp.learn(…, privacy=…)`.

    (ε, δ) differential privacy: with and without any one row, each outcome has nearly the same probability, up to the
    factor e^ε and the addend δ. Choose δ far below 1 over the number of rows.

    `clip`: the greatest length of a row of components. Longer rows are shortened to it. Shorter clips need less noise.
    `classes`: the classes of a classifier; rows of others are left out. `bounds`: the least and the greatest target of
    a regressor; other targets are moved to them. One of both is needed. All of these are in the open: state them from
    what you know without these rows, such as a rule, or public rows. To look them up in the rows breaks the promise.

    Raises ParameterError for a value out of bounds.

        >>> sqlrp.Privacy(epsilon=1, delta=1e-6, clip=2.5, classes=[0, 1]).epsilon
        1
    """

    epsilon: float
    """ε, from 0.001 to 50: 1 or less is a strong promise, and above 10 it says little"""
    delta: float
    """δ, at most 0.1"""
    clip: float
    """in the unit of the components"""
    classes: Sequence[Any] = ()
    bounds: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Check the numbers, and keep classes and bounds as tuples."""
        for name, least, most in _LIMITS:
            value = getattr(self, name)
            if not _is_number(value) or not least <= value <= most:
                raise ParameterError(f"{name} = {shorten(value)} must be a number from {least:g} to {most:g}")
        if isinstance(self.classes, str) or not isinstance(self.classes, (Sequence, np.ndarray)):
            raise ParameterError(f"classes = {shorten(self.classes)} must be a list, such as [0, 1]")
        classes = tuple(each if isinstance(each, str) else plain_class(each) for each in self.classes)
        object.__setattr__(self, "classes", classes)
        if bool(classes) == (self.bounds is not None):
            raise ParameterError(
                "privacy needs the classes of a classifier, or the bounds of a regressor's target: pass one, such as "
                "classes=[0, 1] or bounds=(0, 100)"
            )
        if classes and (len(set(classes)) < 2 or len(set(classes)) < len(classes)):
            raise ParameterError(f"classes = {shorten(list(classes))} must be two or more, each once")
        if len({isinstance(each, str) for each in classes}) > 1:
            raise ParameterError(f"classes = {shorten(list(classes))} must all be text, or all be numbers")
        if self.bounds is not None:
            object.__setattr__(self, "bounds", _bounds_of(self.bounds))

    def check_type(self, column: Column) -> None:
        """Raise ParameterError for classes of another kind than the target's."""
        if isinstance(self.classes[0], str) != column.type.is_text:
            said = shorten(list(self.classes))
            raise ParameterError(
                f"classes = {said}, and {column.name!r} is {column.type.text}: name them as it has them"
            )

    def clipping(self, k: int) -> Clip:
        """What rows of k components are clipped to."""
        return Clip(self.clip, k, tuple(self.classes), self.bounds or (0.0, 0.0))

    def released(self, sums: Moments, k: int) -> tuple[Moments, float]:
        """The sums of clipped rows with noise, in the unit of the components, and the ridge that the noise asks for.

        Every number that comes from the rows gets noise. What follows is computed from these numbers alone. Raises
        LimitError for too many rows, and ImportError without OpenDP.
        """
        if sums.count > _MOST:
            raise LimitError(f"{sums.count:,} rows are more than the {_MOST:,} of a private model: learn from a sample")
        clip = self.clipping(k)
        upper = np.triu_indices(k)
        total = np.rint(sums.scatter + sums.weight * np.outer(sums.mean, sums.mean))
        # For each class the products with 1, or those with the target and with 1.
        if self.classes:
            found = [sums.classes.get(name, (0.0, sums.mean)) for name in self.classes]
            right = np.stack([np.rint(n * mean) for n, mean in found]) * STEPS
            parts = [total[upper], right.ravel(), np.array([n for n, _ in found]) * _COUNTS]
            length = math.sqrt(STEPS**4 + STEPS**4 + _COUNTS**2)
        else:
            whole = np.rint(sums.weight * sums.mean)
            parts = [total[:k, :k][upper], total[k, :k], whole[:k] * _SUMS, whole[k:] * _TARGETS]
            parts.append(np.array([sums.weight * _COUNTS]))
            length = math.sqrt(2 * STEPS**4 + (STEPS * _SUMS) ** 2 + (STEPS * _TARGETS) ** 2 + _COUNTS**2)
        scale = _scale(float(self.epsilon), float(self.delta), math.ceil(length))
        noisy = _noisy(np.concatenate(parts), scale)
        of_parts = np.split(noisy, np.cumsum([part.size for part in parts])[:-1])
        products = np.zeros((k, k))
        products[upper] = of_parts[0]
        products = products + np.triu(products, 1).T
        noise = scale * math.sqrt(k)
        made = self._of_classes if self.classes else self._of_values
        return made(clip, products, of_parts[1:], _STEADY * noise / STEPS**2), noise * clip.unit**2

    def _of_classes(self, clip: Clip, products: Matrix, parts: Sequence[Matrix], zeros: float) -> Moments:
        """The sums of each class, with `zeros` rows of zeros shared out as its rows are."""
        sums, found = parts[0].reshape(len(self.classes), -1) / STEPS, np.maximum(parts[1] / _COUNTS, 1.0)
        counts = found * (1 + zeros / found.sum())
        means = np.stack([_within(own / n) for own, n in zip(sums, counts, strict=True)])
        mean = counts @ means / counts.sum()
        classes = {name: (float(n), at * clip.unit) for name, n, at in zip(self.classes, counts, means, strict=True)}
        scatter = _positive(products - counts.sum() * np.outer(mean, mean)) * clip.unit**2
        return Moments(round(found.sum()), mean * clip.unit, scatter, classes, float(counts.sum()))

    def _of_values(self, clip: Clip, products: Matrix, parts: Sequence[Matrix], zeros: float) -> Moments:
        """The sums with the target, with `zeros` rows of zeros whose target is the mean."""
        crossed, sums, target, counts = parts
        k, own, found = len(sums), clip.target_unit, max(float(counts[0]) / _COUNTS, 1.0)
        weight = found + zeros
        mean, middle = _within(sums / _SUMS / weight), float(np.clip(target[0] / _TARGETS / found, -STEPS, STEPS))
        scatter = np.empty((k + 1, k + 1))
        scatter[:k, :k] = _positive(products - weight * np.outer(mean, mean)) * clip.unit**2
        scatter[k, :k] = scatter[:k, k] = (crossed - weight * mean * middle) * clip.unit * own
        scatter[k, k] = weight * (STEPS * own) ** 2  # no sum of the rows, but its bound
        return Moments(round(found), np.append(mean * clip.unit, clip.middle + middle * own), scatter, {}, weight)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and math.isfinite(value)


def _bounds_of(bounds: Any) -> tuple[float, float]:
    pair = isinstance(bounds, (list, tuple)) and len(bounds) == 2 and all(map(_is_number, bounds))
    if not pair or not bounds[0] < bounds[1]:
        raise ParameterError(f"bounds = {shorten(bounds)} must be two numbers, the least and the greatest target")
    return float(bounds[0]), float(bounds[1])


def _positive(matrix: Matrix) -> Matrix:
    """The nearest matrix without eigenvalues below 0, as a scatter has none."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T)


def _within(mean: Matrix) -> Matrix:
    """A mean of clipped rows, which is no longer than they are."""
    return np.asarray(mean * min(1.0, STEPS / max(float(np.linalg.norm(mean)), 1e-300)))


def _opendp() -> Any:
    try:
        import opendp.prelude as dp
    except ImportError as error:
        raise ImportError(needs("a private model", "opendp", "private")) from error
    dp.enable_features("contrib")
    return dp


def _gaussian(dp: Any, scale: float) -> Any:
    return dp.m.make_gaussian(dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T=float), scale)


@cache
def _scale(epsilon: float, delta: float, length: int) -> float:
    """The deviation of the noise that makes numbers private, which one row changes by `length` in all."""
    dp = _opendp()

    def fits(scale: float) -> bool:
        private = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(_gaussian(dp, scale)), delta=delta)
        return bool(private.check(float(length), (epsilon, delta)))

    return float(dp.binary_search(fits, (length * 0.05, length * 1e6), float))


def _noisy(values: Matrix, scale: float) -> Matrix:
    """Whole numbers with discrete Gaussian noise, drawn by OpenDP from the random numbers of the system."""
    drawn = _gaussian(_opendp(), scale)([int(value) for value in values])
    return np.array(drawn, dtype=np.float64)


__all__ = ["Privacy"]
