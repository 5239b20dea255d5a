"""Monomials by their numbers in the order of `itertools.combinations_with_replacement`, without the list of all."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import Ints, P, Purpose, hashes

_DRAWN = 1 << 22  # entries drawn at once


def monomials(numbers: Ints, n_features: int, degree: int) -> Ints:
    """The features of the monomials with these numbers, ascending: shape (numbers, degree)."""
    factors = np.empty((len(numbers), degree), dtype=np.int64)
    rest, first = numbers.astype(np.int64), np.zeros(len(numbers), dtype=np.int64)
    for j in range(degree):
        before = _before(n_features, degree - j)
        rest = rest + before[first]
        first = np.searchsorted(before, rest, side="right") - 1
        rest = rest - before[first]
        factors[:, j] = first
    return factors


@lru_cache(maxsize=64)
def _before(n_features: int, degree: int) -> Ints:
    """For every feature, how many monomials of the degree begin with an earlier one."""
    own = (math.comb(n_features - f + degree - 2, degree - 1) for f in range(n_features - 1))
    return np.cumsum([0, *own], dtype=np.int64)


def ways(factors: Ints) -> npt.NDArray[np.float64]:
    """The multinomial coefficient of each monomial, from its features in ascending order."""
    found, run = np.ones(len(factors)), np.ones(len(factors))
    for j in range(1, factors.shape[1]):
        run = np.where(factors[:, j] == factors[:, j - 1], run + 1, 1)
        found = found * (j + 1) / run
    return found


def drawn_terms(n: int, k: int, m: int, seed: int) -> tuple[Ints, Ints]:
    """For each of k components m numbers below n, and signs ±1: two arrays of shape (k, m).

    A number is ⌊n·(a·P + b)/P²⌋ of two entries a and b of the draw, and the sign is the last bit of a third.
    """
    numbers, signs = np.empty((k, m), dtype=np.int64), np.empty((k, m), dtype=np.int64)
    step = max(_DRAWN // (3 * m), 1)
    for at in range(0, k, step):
        own = np.arange(at, min(at + step, k), dtype=np.int64)
        a, b, c = np.split(hashes(seed, Purpose.SIGNS, own, np.arange(3 * m, dtype=np.int64)), 3, axis=1)
        numbers[own] = (a * n + b * n // P) // P
        signs[own] = 1 - 2 * (c & 1)
    return numbers, signs
