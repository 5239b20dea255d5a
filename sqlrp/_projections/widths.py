"""How many bits each component of a code gets, so that rows of normal numbers lose least by one step for all.

A component of deviation σ far above the step needs many bits, and one far below it none: it is left out, and loses σ²,
less than its bits would save elsewhere (Cover and Thomas, Elements of Information Theory, 2006, 10.3.3).
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
MOST = 8
"""The most bits of a component."""
_LOGS = np.linspace(math.log(1e-3), math.log(1e3), 500)
_SIZES = np.exp(_LOGS)
"""Deviations in steps, and their logarithms, between which losses are interpolated."""
_STEPS = 100
"""How many steps are tried."""


@cache
def _losses() -> Floats:
    """The mean squared error of normal numbers in 0 to 8 bits, in squared steps, less σ²: shape (9, sizes).

    With w bits the levels are -m + 0.5 to m - 0.5 steps, where 2m = 2^w, and the error less σ² is E[c²] - 2·E[vc].
    """
    bounds = np.arange(1, 2 ** (MOST - 1))
    apart = bounds / _SIZES[:, None]
    beyond = np.vectorize(math.erfc)(apart / math.sqrt(2))
    density = np.exp(-(apart**2) / 2)
    squares = np.cumsum(2 * bounds * beyond, axis=1)
    products = np.cumsum(2 * density, axis=1)
    found = [np.zeros(len(_SIZES))]
    for w in range(1, MOST + 1):
        inner = 2 ** (w - 1) - 2  # the place of the outermost bound
        square = 0.25 + (squares[:, inner] if inner >= 0 else 0)
        product = 1 + (products[:, inner] if inner >= 0 else 0)
        found.append(square - 2 * _SIZES / math.sqrt(2 * math.pi) * product)
    return np.array(found)


def shared(deviations: Floats, bits: int, least: int) -> tuple[float, Ints]:
    """The step for all components and the bits of each, `bits` in all at most, from the deviations, shape (k,).

    `least`: the fewest bits of a component, 0 or 1.
    """
    largest, found = float(deviations.max()), None
    for step in largest * np.exp(np.linspace(math.log(4), math.log(1 / 2 ** (MOST - 1)), _STEPS)):
        sizes = np.log(np.maximum(deviations / step, _SIZES[0]))
        lost = step**2 * np.array([np.interp(sizes, _LOGS, each) for each in _losses()])
        widths = _widths(lost, bits, least)
        total = float(lost[widths, np.arange(len(widths))].sum())
        if found is None or total < found[0]:
            found = total, float(step), widths
    assert found is not None
    return found[1:]


def _widths(lost: Floats, bits: int, least: int) -> Ints:
    """The bits of each component by which least is lost. `lost`: by 0 to 8 bits of each, shape (9, k)."""
    each = np.arange(MOST + 1)[:, None]
    low, high = 0.0, 2 * float(np.ptp(lost)) + 1e-300
    for _ in range(60):
        price = (low + high) / 2
        widths = _cheapest(lost + price * each, least)
        low, high = (price, high) if widths.sum() > bits else (low, price)
    widths = _cheapest(lost + high * each, least)
    places = np.arange(len(widths))
    for _ in range(bits - int(widths.sum())):  # some components cost the same at this price
        more = np.minimum(widths + 1, MOST)
        saved = lost[widths, places] - lost[more, places]
        at = int(saved.argmax())
        if saved[at] <= 0:
            break
        widths[at] += 1
    return widths


def _cheapest(costs: Floats, least: int) -> Ints:
    return np.asarray(costs[least:].argmin(axis=0) + least, dtype=np.int64)


__all__ = ["MOST", "shared"]
