"""The statistics of the draw: frequencies, correlations, and how well sums of it keep distances."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cases import SEEDS
from helpers import mean_distortion, squared_distances

from sqlrp._core.draw import (
    P,
    Purpose,
    draw_signs,
)

SPARSITIES = [1, 3, 28, 300]

# -- frequencies and correlations ----------------------------------------------------------------------


@pytest.mark.parametrize("s", SPARSITIES)
def test_frequencies(s: int) -> None:
    n, p = 2000, 60
    for seed in SEEDS:
        table = draw_signs(np.arange(n), p, s, seed)
        for sign, probability in ((1, 1 / (2 * s)), (-1, 1 / (2 * s)), (0, 1 - 1 / s)):
            count = int((table == sign).sum())
            error = math.sqrt(n * p * probability * (1 - probability))
            assert abs(count - n * p * probability) <= 4 * error + 1e-6, (seed, sign, count)


def assert_uncorrelated(a: npt.NDArray[Any], b: npt.NDArray[Any] | None = None) -> None:
    """Rows of ±1: their correlations are those of independent fair coins.

    Of n coins a correlation has variance 1/n. The largest of m is held against the normal quantile at
    0.001/m (Bonferroni), their mean square against 1/n within 4 of its standard errors, their mean against 0.
    """
    n = a.shape[1]
    r = (a.astype(np.float64) @ (a if b is None else b).T.astype(np.float64)) / math.sqrt(n)
    pairs = r[np.triu_indices(len(r), 1)] if b is None else r.reshape(-1)
    m = pairs.size
    assert np.abs(pairs).max() < -NormalDist().inv_cdf(0.001 / (2 * m))
    assert abs(np.mean(pairs**2) - 1) < 4 * math.sqrt(2 / m)
    assert abs(np.mean(pairs)) < 4 / math.sqrt(m)


@pytest.mark.parametrize("seed", SEEDS)
def test_components_and_features_are_uncorrelated(seed: int) -> None:
    assert_uncorrelated(draw_signs(np.arange(4096), 96, 1, seed).T)
    assert_uncorrelated(draw_signs(np.arange(96), 4096, 1, seed))


@pytest.mark.parametrize("base", [0, 12345, P - 20])
def test_seeds_are_uncorrelated(base: int) -> None:
    # Neighbours, and seeds that differ by the constants that the construction itself adds or reduces by.
    steps = [*range(8), 16, 64, 128, 1024, P - 1, P, P + 1, 2 * P, 2**30, 2**32, 2**33 + 1, 2**52]
    tables = [draw_signs(np.arange(64), 64, 1, base + step).T for step in steps]
    assert_uncorrelated(np.stack([table.reshape(-1) for table in tables]))
    # Nor is the table of one seed that of another shifted, by components or by features.
    for shift in (1, 2, 8, 32):
        by_component = [np.roll(table, shift, axis=0).reshape(-1) for table in tables]
        by_feature = [np.roll(table, shift, axis=1).reshape(-1) for table in tables]
        plain = np.stack([table.reshape(-1) for table in tables])
        assert_uncorrelated(plain, np.stack(by_component))
        assert_uncorrelated(plain, np.stack(by_feature))


def test_purposes_are_uncorrelated() -> None:
    tables = [draw_signs(np.arange(64), 64, 1, 9, purpose).reshape(-1) for purpose in Purpose]
    assert_uncorrelated(np.stack(tables))


# -- distances -------------------------------------------------------------------------------------------


def linear(x: npt.NDArray[np.float64], k: int, s: float, seed: int) -> npt.NDArray[np.float64]:
    """The sparse projection by a plain matrix product."""
    return x @ draw_signs(np.arange(x.shape[1]), k, s, seed) * math.sqrt(s / k)


@pytest.mark.parametrize("s", [1, 3, math.sqrt(400)])
@pytest.mark.parametrize("k", [40, 160])
def test_distortion_of_gaussian_data(k: int, s: float) -> None:
    x = np.random.default_rng(1).standard_normal((120, 400))
    true = squared_distances(x @ x.T)
    found = np.mean([mean_distortion(linear(x, k, s, seed), true) for seed in range(20)])
    # The variance of one squared output is 2 + (s-3)·Σx⁴/(Σx²)², and the latter 3/d for Gaussian x.
    theory = 2 / math.sqrt(math.pi * k) * math.sqrt(1 + (s - 3) * 3 / 400 / 2)
    assert abs(found / theory - 1) < 0.04


@pytest.mark.parametrize("s", [1, 3, 8])
@pytest.mark.parametrize("k", [40, 160])
def test_distortion_of_one_hot_data(k: int, s: float) -> None:
    # s·(r-r')²/2 over two entries: its law is known, and so is the mean absolute deviation of k of them.
    p0 = 1 - 1 / s
    step = np.zeros(5)
    step[1], step[4] = 2 * p0 / s, 2 / (2 * s) ** 2
    step[0] = 1 - step[1] - step[4]
    law = np.array([1.0])
    for _ in range(k):
        law = np.convolve(law, step)
    theory = float(np.sum(law * np.abs(np.arange(law.size) * s / (2 * k) - 1)))
    x = np.eye(300)
    true = squared_distances(x @ x.T)
    found = np.mean([mean_distortion(linear(x, k, s, seed), true) for seed in range(20)])
    assert abs(found / theory - 1) < 0.02
