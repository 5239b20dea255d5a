"""Bounds on the number of components and on distortion against their formulas."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from evaluate import evaluate
from helpers import assert_one_line
from measuring import rows
from sklearn.random_projection import johnson_lindenstrauss_min_dim

import sqlrp
from sqlrp import ParameterError, SparseProjection, quality


def test_min_k_of_jl_is_scikit_learns_rounded_up() -> None:
    for n, eps in itertools.product((2, 100, 10**6), (0.01, 0.1, 0.5, 0.99)):
        assert sqlrp.min_k(n, eps) == johnson_lindenstrauss_min_dim(n, eps=eps) + 1


def test_min_k_of_jl_with_a_chance_is_achlioptas() -> None:
    n, beta, eps = 500, 1.5, 0.2
    want = (4 + 2 * beta) / (eps**2 / 2 - eps**3 / 3) * math.log(n)
    assert sqlrp.min_k(n, eps, delta=n**-beta) == math.ceil(want)
    assert sqlrp.min_k(n, eps, delta=1) == sqlrp.min_k(n, eps)


def test_min_k_of_a_random_subspace_is_the_least() -> None:
    n, eps, delta, c, d = 100, 0.3, 0.05, 3.0, 2500
    need = c**2 / (2 * eps**2) * math.log(n**2 / delta)
    assert sqlrp.min_k(n, eps, delta, "rs", c) == math.ceil(need)
    k = sqlrp.min_k(n, eps, delta, "rs", c, d)
    assert k < math.ceil(need)
    assert k / (1 - (k - 1) / d) >= need
    assert (k - 1) / (1 - (k - 2) / d) < need
    assert sqlrp.min_k(n, 0.01, delta, "rs", 50, 60) == 60


def test_min_k_of_an_svm_keeps_margin_and_radius() -> None:
    n, d, rank, eps, delta = 30, 60, 2, 0.5, 0.05
    k = sqlrp.min_k(n, eps, delta, "svm", rank=rank)
    # For each of the net's points, Achlioptas' two tails must have a chance of at most delta/9^rank.
    e = eps / 2
    tails = [2 * math.exp(-(j / 2) * (e**2 / 2 - e**3 / 3)) * 9**rank for j in (k, k - 1)]
    assert tails[0] <= delta < tails[1]
    assert sqlrp.min_k(n, eps, delta, "svm") == sqlrp.min_k(n, eps, delta, "svm", rank=n)
    x = rows(n, rank) @ rows(rank, d, seed=1)
    y = x @ rows(d, 1, seed=2)[:, 0] > 0
    before = quality.svm_margin(x, y, C=1000, folds=2)
    for seed in range(3):
        p = SparseProjection(k=k, s=3, seed=seed)
        after = quality.svm_margin(evaluate(p.stages(d), x, np.arange(d)) * p.factor(d), y, C=1000, folds=2)
        assert after.margin**2 >= (1 - eps) * before.margin**2
        assert (after.radius / after.margin) ** 2 <= (1 + eps) / (1 - eps) * (before.radius / before.margin) ** 2


@pytest.mark.parametrize(("C", "noise"), [(0.01, 0.4), (0.3, 0.4), (100, 0.4), (1e5, 0.0)])
def test_the_margin_and_the_radius_keep_what_the_subspace_keeps(C: float, noise: float) -> None:
    """What `min_k` says of an SVM follows from ‖E‖, also for rows that no hyperplane separates. It is tight."""
    x = rows(24, 3, seed=3)
    draw = np.random.default_rng(4)
    y = x[:, 0] + noise * draw.normal(size=24) > 0
    before = quality.svm_margin(x, y, C=C, folds=2)
    for values in itertools.product([0.6, 1.0, 1.4], repeat=3):  # the eigenvalues of VᵀRRᵀV
        turn = np.linalg.qr(draw.normal(size=(3, 3)))[0]
        after = quality.svm_margin(x @ turn * np.sqrt(values), y, C=C, folds=2)
        norm = np.abs(1 - np.array(values)).max()
        kept = after.margin**2 / before.margin**2
        assert kept >= (1 - norm) * (1 - 1e-3)
        assert after.radius**2 <= (1 + norm) * before.radius**2 * (1 + 1e-3)
        if noise == 0 and values == (0.6, 0.6, 0.6):
            assert kept == pytest.approx(0.6, rel=1e-2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n": 1}, ["n = 1", ">= 2"]),
        ({"n": 10.0}, ["n = 10.0"]),
        ({"eps": 0}, ["eps = 0", "above 0"]),
        ({"eps": 1}, ["eps = 1", "below 1"]),
        ({"eps": "a"}, ["eps = 'a'"]),
        ({"delta": 0}, ["delta = 0", "at most 1"]),
        ({"delta": 1.5}, ["delta = 1.5", "at most 1"]),
        ({"method": "pca"}, ["method = 'pca'", "'jl', 'rs' or 'svm'"]),
        ({"c": 2}, ["c = 2", "leave them out"]),
        ({"d": 5}, ["d = 5", "leave them out"]),
        ({"method": "rs", "c": 2}, ["delta = None", "above 0"]),
        ({"method": "rs", "delta": 0.1}, ["c = None", ">= 1"]),
        ({"method": "rs", "delta": 0.1, "c": math.inf}, ["c = inf"]),
        ({"method": "rs", "delta": 0.1, "c": 9, "d": 8}, ["c = 9", "d = 8"]),
        ({"method": "rs", "delta": 0.1, "c": 1, "d": 0}, ["d = 0"]),
        ({"method": "rs", "delta": 0.1, "c": 1, "eps": 2}, ["eps = 2", "at most 1"]),
        ({"rank": 3}, ["rank = 3", "leave it out"]),
        ({"method": "svm", "delta": 0.1, "rank": 101}, ["rank = 101", "from 1 to 100", "rows"]),
        ({"method": "svm", "delta": 0.1, "c": 2}, ["c = 2", "leave them out"]),
        ({"method": "svm"}, ["delta = None", "above 0"]),
    ],
)
def test_min_k_refuses(arguments: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ParameterError) as caught:
        sqlrp.min_k(**{"n": 100, "eps": 0.1, **arguments})
    assert_one_line(caught, *words)


def test_expected_distortion_of_the_papers() -> None:
    found = [round(quality.expected_distortion(k), 3) for k in (40, 80, 120, 160)]
    assert found == [0.178, 0.126, 0.103, 0.089]


@pytest.mark.parametrize("s", [1, 2, 4])
def test_distortion_variance_is_that_of_all_draws(s: int) -> None:
    # Every sign vector over three features, each with its chance: no draw at random, so no error of one.
    x = np.array([1.0, -2.0, 0.5])
    entries = {1: 1 / (2 * s), -1: 1 / (2 * s), 0: 1 - 1 / s}
    mean = square = 0.0
    for signs in itertools.product(entries, repeat=3):
        chance = math.prod(entries[sign] for sign in signs)
        value = s * sum(a * b for a, b in zip(signs, x, strict=True)) ** 2 / (x @ x)
        mean, square = mean + chance * value, square + chance * value**2
    assert mean == pytest.approx(1)
    assert quality.distortion_variance(x[None], k=5, s=s)[0] == pytest.approx((square - mean**2) / 5)
