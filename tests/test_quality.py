"""Measures against loops, SQL against numpy, bounds against their formulas, and the text of reports."""

from __future__ import annotations

import itertools
import math
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pytest
from helpers import LAYOUTS, METHODS, assert_one_line, assert_same, load
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import NearestNeighbors
from sklearn.random_projection import johnson_lindenstrauss_min_dim
from sklearn.svm import SVC, SVR

import sqlrp
from sqlrp import Array, Long, ParameterError, PolynomialKernelProjection, Projection, SparseProjection, Wide, quality
from sqlrp.core.draw import Purpose, hash_name, hashes
from sqlrp.core.errors import SourceError
from sqlrp.kernels import LINEAR, Polynomial
from sqlrp.quality.measures import histogram, interval
from sqlrp.run.memory import project_array
from sqlrp.stages.evaluate import evaluate

Floats = npt.NDArray[np.float64]
KERNELS = [(1, 0.0), (2, 0.0), (3, 1.5)]


def rows(n: int = 24, d: int = 9, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(size=(n, d))


def k_of(x: Floats, y: Floats, kernel: tuple[int, float]) -> float:
    return float((sum(a * b for a, b in zip(x, y, strict=True)) + kernel[1]) ** kernel[0])


def slow_distances(x: Floats, kernel: tuple[int, float] = (1, 0.0)) -> list[float]:
    """Every pair by itself."""
    return [
        k_of(a, a, kernel) + k_of(b, b, kernel) - 2 * k_of(a, b, kernel) for a, b in itertools.combinations(list(x), 2)
    ]


def slow_neighbours(x: Floats, i: int, at: int, kernel: tuple[int, float] = (1, 0.0)) -> set[int]:
    """The nearest rows by sorting all."""
    others = [j for j in range(len(x)) if j != i]
    others.sort(key=lambda j: slow_distances(x[[i, j]], kernel)[0])
    return set(others[:at])


def frame_of(x: Floats) -> pd.DataFrame:
    return pd.DataFrame(x, columns=[f"f{j}" for j in range(x.shape[1])]).assign(id=np.arange(len(x)))


# -- measures ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS)
def test_squared_distances(kernel: tuple[int, float]) -> None:
    x = rows(8, 4)
    assert np.allclose(quality.squared_distances(quality.kernel_matrix(x, kernel)), slow_distances(x, kernel))
    if kernel == (1, 0.0):
        plain = [((a - b) ** 2).sum() for a, b in itertools.combinations(x, 2)]
        assert np.allclose(quality.squared_distances(x @ x.T), plain)


def test_distortion_and_ratios_leave_out_pairs_at_distance_zero() -> None:
    x = rows(6, 4)
    x[3] = x[1]
    z = rows(6, 2, seed=1)
    true, got = slow_distances(x), slow_distances(z)
    apart = [i for i, t in enumerate(true) if t > 1e-9]
    assert len(apart) == len(true) - 1
    want = [abs(got[i] - true[i]) / true[i] for i in apart]
    squared = quality.squared_distances(x @ x.T)
    assert np.allclose(quality.distortion(z, squared), want)
    assert math.isclose(quality.mean_distortion(z, squared), sum(want) / len(want))
    assert np.allclose(quality.ratios(z, squared), [math.sqrt(got[i] / true[i]) for i in apart])


def test_summary() -> None:
    values = list(range(101))
    assert quality.Summary.of(values) == quality.Summary(50.0, 5.0, 50.0, 95.0, 100.0)


def test_kernel_error() -> None:
    x, z = rows(5, 4), rows(5, 3, seed=1)
    kernel = [[k_of(a, b, (2, 1.0)) for b in x] for a in x]
    off = sum((k_of(z[i], z[j], (1, 0.0)) - kernel[i][j]) ** 2 for i in range(5) for j in range(5))
    want = math.sqrt(off / sum(v**2 for row in kernel for v in row))
    assert math.isclose(quality.kernel_error(z, quality.kernel_matrix(x, (2, 1.0))), want)


@pytest.mark.parametrize("kernel", KERNELS)
def test_neighbours(kernel: tuple[int, float]) -> None:
    n = 12
    x, z = rows(n, 5), rows(n, 3, seed=1)
    q = quality.q_nx(x, z, kernel)
    want = [
        np.mean([len(slow_neighbours(x, i, at, kernel) & slow_neighbours(z, i, at)) / at for i in range(n)])
        for at in range(1, n)
    ]
    assert np.allclose(q, want)
    assert math.isclose(quality.recall(x, z, at=4, kernel=kernel), want[3])
    r = quality.r_nx(q)
    want_r = [((n - 1) * want[at - 1] - at) / (n - 1 - at) for at in range(1, n - 1)]
    assert np.allclose(r, want_r)
    weights = sum(1 / at for at in range(1, n - 1))
    assert math.isclose(quality.auc(r), sum(v / at for at, v in enumerate(want_r, 1)) / weights)


def test_neighbours_of_the_same_rows_are_all_kept() -> None:
    x = rows()
    z = x @ np.linalg.qr(rows(9, 9, seed=1))[0] * 3 + 1  # turned, stretched, moved
    q = quality.q_nx(x, z)
    assert np.array_equal(q, np.ones(23))
    assert np.array_equal(quality.r_nx(q), np.ones(22))
    assert quality.auc(quality.r_nx(q)) == pytest.approx(1)


def test_neighbours_of_other_rows_are_kept_by_chance() -> None:
    n = 200
    found = [quality.q_nx(rows(n, 5, seed), rows(n, 5, seed + 50)) for seed in range(10)]
    q = np.mean(found, axis=0)
    assert np.allclose(q, np.arange(1, n) / (n - 1), atol=0.02)
    areas = [quality.auc(quality.r_nx(q)) for q in found]
    assert abs(np.mean(areas)) < 0.02
    assert all(-1 <= area <= 1 for area in areas)


def test_laws_of_q_nx_and_r_nx() -> None:
    x = rows(30, 5)
    far_first = np.array([[i] for i in range(30)], dtype=float)
    for z in (rows(30, 1, seed=3), far_first, 1 / (1 + far_first)):
        q = quality.q_nx(x, z)
        assert q[-1] == pytest.approx(1)
        assert all(0 <= v <= 1 for v in q)
        assert (np.diff(q * np.arange(1, 30)) >= -1e-12).all(), "what is shared is shared in larger neighbourhoods too"
        r = quality.r_nx(q)
        assert ((r >= -1) & (r <= 1)).all()


def test_regularity_of_binary_rows_is_that_of_theorem_3() -> None:
    d = 40
    for ones in range(1, d):
        x = np.zeros((1, d))
        x[0, :ones] = 1
        assert quality.regularity(x)[0] == pytest.approx(d / ones)
        want = d / ones - 4 + 4 * ones / d if ones < d / 4 else 4 * ones / d
        assert quality.regularity(x, reflect=True)[0] == pytest.approx(want)
    # The theorem's 4s/d is of the entries that were 0, of which a row of ones has none.
    assert quality.regularity(np.ones((1, d)), reflect=True)[0] == 1


def test_a_search_finds_what_neighbours_say() -> None:
    """By scikit-learn's neighbours where nothing is tied; by all orders of the rows where distances are."""
    rng = np.random.default_rng(3)
    q, x = rng.normal(size=(7, 12)), rng.normal(size=(40, 12))
    tables = [SparseProjection(k=k, s=1, seed=seed) for k in (2, 8) for seed in range(3)]
    found = quality.recalls(tables, [(q, x), (x[:9], x[9:])], at=4)
    for table, row in zip(tables, found, strict=True):
        for (queries, database), got in zip([(q, x), (x[:9], x[9:])], row, strict=True):
            near = [
                NearestNeighbors(n_neighbors=4).fit(b).kneighbors(a, return_distance=False)
                for a, b in ((queries, database), (project_array(table, queries), project_array(table, database)))
            ]
            want = np.mean([len(set(a) & set(b)) / 4 for a, b in zip(*near, strict=True)])
            assert math.isclose(got, want)
    q, x, at = np.array([[0.0], [2.0]]), np.array([[1.0], [-1.0], [1.0], [3.0], [0.0]]), 2
    z = np.abs(x)

    def chances(rows: Any, value: float) -> Any:
        orders = list(itertools.permutations(range(5)))
        firsts = [sorted(order, key=lambda i: abs(rows[i, 0] - value))[:at] for order in orders]  # a stable sort
        return np.array([np.mean([i in first for first in firsts]) for i in range(5)])

    want = np.mean([(chances(x, v) * chances(z, v)).sum() / at for v in (0.0, 2.0)])
    assert math.isclose(quality.search_recall(q, x, q, z, at=at), want)
    kernel = Polynomial(2)  # of which the images of the rows are the pairs' products
    q, x = rng.normal(size=(3, 5)), rng.normal(size=(9, 5))
    phi = [np.einsum("ij,ik->ijk", rows, rows).reshape(len(rows), -1) for rows in (q, x)]
    want = quality.search_recall(*phi, q[:, :2], x[:, :2], at=2)
    assert math.isclose(quality.search_recall(q, x, q[:, :2], x[:, :2], at=2, kernel=kernel), want)
    for call in (
        lambda: quality.search_recall(q, x, q, x[:4], at=2),
        lambda: quality.search_recall(q, x, q, x, at=10),
        lambda: quality.search_recall(q, np.ones((3, 2)), q, x),
        lambda: quality.recalls([], [(q, x)]),
    ):
        with pytest.raises(ParameterError):
            call()


def test_inner_products_need_sums_and_differences_of_unit_rows() -> None:
    """Random subspace paper, Corollary 1: both theorems at once, each with half of the chance."""
    assert quality.min_k(50, 0.2, 0.1, "rs", c=1.5, d=4000, inner=True) == quality.min_k(50, 0.2, 0.05, "rs", 1.5, 4000)
    with pytest.raises(ParameterError, match="inner = True is for method = 'rs'"):
        quality.min_k(50, 0.2, inner=True)
    x = np.vstack([np.random.default_rng(2).normal(size=(4, 9)), np.zeros(9)])
    units = [row / np.linalg.norm(row) for row in x[:4]]
    made = [a + sign * b for a, b in itertools.combinations(units, 2) for sign in (1, -1)]
    for got, reflect in zip(quality.pair_regularity(x, inner=True), (False, True), strict=True):
        assert np.allclose(np.sort(got), np.sort(quality.regularity(np.array(made), reflect=reflect)))


def test_regularity_of_any_rows() -> None:
    x = rows(5, 7)
    x[4] = 0
    house = np.eye(7) - 2 * np.full((7, 7), 1 / 7)
    for row, c, reflected in zip(x, quality.regularity(x), quality.regularity(x, reflect=True), strict=True):
        if not row.any():
            assert math.isnan(c)
            assert math.isnan(reflected)
            continue
        assert c == pytest.approx(7 * max(v * v for v in row) / sum(v * v for v in row))
        turned = house @ row
        assert turned @ turned == pytest.approx(row @ row)
        assert reflected == pytest.approx(7 * max(v * v for v in turned) / sum(v * v for v in row))
        assert 1 <= c <= 7


def test_histogram() -> None:
    assert histogram([0.1, 0.2, 0.26, 1.0], 0.25) == ((0.0, 2), (0.25, 1), (1.0, 1))


# -- bounds ------------------------------------------------------------------------------------


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


# -- support vector machines -------------------------------------------------------------------


def test_margin_and_radius_of_a_square() -> None:
    x = np.array([[0, 0], [0, 2], [2, 0], [2, 2]] * 3, dtype=float)
    found = quality.svm_margin(x, x[:, 0], C=1000, folds=3)
    assert found.margin == pytest.approx(1, rel=1e-3)
    assert found.radius == pytest.approx(math.sqrt(2), rel=1e-6)
    assert found.error_in == found.error_out == 0


def test_errors_of_labels_without_rule() -> None:
    found = quality.svm_margin(rows(200, 5), np.arange(200) % 2)
    assert 0.3 < found.error_in <= 0.5
    assert 0.35 < found.error_out < 0.65


def test_folds_are_those_of_an_svm_on_the_rows() -> None:
    x, y = rows(40, 6), np.arange(40) % 2
    found = quality.svm_margin(x, y, C=2, folds=4, seed=3, repeats=2)
    margins, errors = [], []
    for seed in (3, 4):
        for train, test in StratifiedKFold(4, shuffle=True, random_state=seed).split(x, y):
            svm = SVC(kernel="linear", C=2).fit(x[train], y[train])
            margins.append(1 / np.linalg.norm(svm.coef_))
            errors.append(1 - svm.score(x[test], y[test]))
    assert found.fold_margin == pytest.approx(np.mean(margins), rel=1e-3)
    assert found.error_out == pytest.approx(np.mean(errors))
    assert found.margin == pytest.approx(1 / np.linalg.norm(SVC(kernel="linear", C=2).fit(x, y).coef_), rel=1e-3)


def test_three_classes_have_errors_and_no_margin() -> None:
    x = np.repeat([[0.0, 0], [9, 0], [0, 9]], 8, axis=0) + rows(24, 2) / 20
    found = quality.svm_margin(x, np.repeat(list("abc"), 8), folds=4)
    assert math.isnan(found.margin)
    assert math.isnan(found.fold_margin)
    assert found.error_in == found.error_out == 0


def test_regression_is_that_of_an_svr_on_the_rows() -> None:
    x = rows(40, 6)
    y = x @ np.arange(6) + np.sin(np.arange(40))
    found = quality.svr_margin(x, y, C=3, folds=5, seed=1, epsilon=0.2)
    svr = SVR(kernel="linear", C=3, epsilon=0.2)
    margins, errors = [], []
    for train, test in KFold(5, shuffle=True, random_state=1).split(x):
        svr.fit(x[train], y[train])
        margins.append(1 / np.linalg.norm(svr.coef_))
        errors.append(np.mean((svr.predict(x[test]) - y[test]) ** 2))
    assert (found.fold_margin, found.mse_out) == pytest.approx((np.mean(margins), np.mean(errors)), rel=0.01)
    fitted = svr.fit(x, y).predict(x)
    own = (1 / np.linalg.norm(svr.coef_), np.mean((fitted - y) ** 2), np.corrcoef(fitted, y)[0, 1] ** 2)
    assert (found.margin, found.mse_in, found.correlation_in) == pytest.approx(own, rel=0.01)
    assert math.isnan(quality.svr_margin(x, np.ones(40), folds=2).correlation_in)
    for bad, words in (({"folds": 41}, "folds = 41"), ({"repeats": 0}, "repeats = 0")):
        with pytest.raises(ParameterError, match=words):
            quality.svr_margin(x, y, **bad)
    with pytest.raises(ParameterError, match="not finite"):
        quality.svr_margin(x, [math.nan, *y[1:]])


def test_enclosing_radius() -> None:
    angles = np.linspace(0, 2 * math.pi, 17)[:-1]
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1) * 3 + 100
    inside = rows(30, 2, seed=2) / 10 + 100
    assert quality.enclosing_radius(np.concatenate([inside, ring])) == pytest.approx(3, rel=1e-6)
    assert quality.enclosing_radius([[0.0, 0], [3, 4]]) == pytest.approx(2.5)
    assert quality.enclosing_radius([[1.0, 1], [1, 1]]) == 0
    obtuse = [[0.0, 0], [4, 0], [1, 0.5]]
    assert quality.enclosing_radius(obtuse) == pytest.approx(2, rel=1e-6)


def test_radius_lies_between_its_bounds() -> None:
    x = rows(60, 10)
    diameter = math.sqrt(max(slow_distances(x)))
    radius = quality.enclosing_radius(x)
    assert diameter / 2 <= radius * (1 + 1e-6)
    assert radius <= diameter / math.sqrt(2) * (1 + 1e-6), "Jung's theorem"


def test_a_projection_nearly_keeps_an_svm() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 400)) + np.where(np.arange(120) % 2, 0.3, -0.3)[:, None]
    p = SparseProjection(k=200, s=3, seed=1)
    z = evaluate(p.stages(400), x, np.arange(400)) * p.factor(400)
    before, after = (quality.svm_margin(v, np.arange(120) % 2) for v in (x, z))
    assert after.margin == pytest.approx(before.margin, rel=0.25)
    assert after.radius == pytest.approx(before.radius, rel=0.15)
    assert after.error_out <= before.error_out + 0.05


@pytest.mark.parametrize(
    ("y", "folds", "words"),
    [
        ([0] * 24, 3, ["1 class ", "at least 2"]),
        ([0, 1] * 12, 13, ["folds = 13", "from 2 to 12"]),
        ([0, 1], 2, ["(2,)", "(24, 9)"]),
    ],
)
def test_svm_refuses(y: list[int], folds: int, words: list[str]) -> None:
    with pytest.raises(ParameterError) as caught:
        quality.svm_margin(rows(), y, folds=folds)
    assert_one_line(caught, *words)


# -- diagnose ----------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("sample", [20, 500])
def test_sql_and_numpy_agree(con: duckdb.DuckDBPyConnection, layout: str, method: str, sample: int) -> None:
    x = rows(40, 9)
    x[np.abs(x) < 0.6] = 0  # so that the long layout is sparse
    x[:, 0] += 0.01
    source = load(con, layout, x.tolist())
    by_sql = sqlrp.diagnose(METHODS[method], source, con, sample=sample)
    by_numpy = sqlrp.diagnose(METHODS[method], frame_of(x), sample=sample)
    assert by_sql.sampled.rows == min(sample, 40)
    assert_same(by_sql, by_numpy)


@pytest.mark.parametrize("projection", METHODS.values(), ids=METHODS)
def test_a_report_is_made_of_the_measures(projection: Projection) -> None:
    x = rows(30, 9)
    x = x[np.lexsort((drawn := np.array([hash_name(str(i)) for i in range(30)]), of_seed(projection, drawn)))]
    report = sqlrp.diagnose(projection, frame_of(rows(30, 9)), sample=12, at=3)
    x = x[:12]
    z = evaluate(projection.stages(9), x, np.arange(9)) * projection.factor(9)
    kernel = kernel_of(projection)
    true = slow_distances(x, kernel)
    assert report.sampled.pairs == 66
    assert report.distortion.mean == pytest.approx(
        np.mean([abs(g - t) / t for g, t in zip(slow_distances(z), true, strict=True)])
    )
    assert report.ratio.median == pytest.approx(
        np.median([math.sqrt(g / t) for g, t in zip(slow_distances(z), true, strict=True)])
    )
    assert report.recall == pytest.approx(quality.recall(x, z, 3, kernel))
    assert report.q_nx == pytest.approx(tuple(quality.q_nx(x, z, kernel)))
    assert report.auc == quality.auc(report.r_nx)
    assert report.sampled.kernel_error == pytest.approx(quality.kernel_error(z, quality.kernel_matrix(x, kernel)))
    if projection.kernel().linear:
        apart = np.array([a - b for a, b in itertools.combinations(x, 2)])
        for reflect, found in ((False, report.sampled.regularity), (True, report.sampled.reflected)):
            want = quality.Summary.of(quality.regularity(apart, reflect=reflect))
            assert asdict(found) == pytest.approx(asdict(want))
    else:
        assert report.sampled.regularity is report.sampled.reflected is None
    assert sum(n for _, n in report.sampled.ratio_histogram) == 66


def of_seed(projection: Projection, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The hashes by which a sample is drawn."""
    seed = projection.parameters()["seed"]
    return hashes(seed, Purpose.SAMPLE, np.zeros(1, dtype=np.int64), numbers)[0]


def kernel_of(projection: Projection) -> tuple[int, float]:
    """Degree and c, as the parameters say."""
    return (projection.degree, projection.c) if isinstance(projection, PolynomialKernelProjection) else (1, 0.0)


def test_kernels_of_the_methods() -> None:
    assert SparseProjection().kernel() == LINEAR
    assert PolynomialKernelProjection(degree=3, c=2).kernel() == Polynomial(3, 2.0)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_sample_does_not_know_the_order_of_rows(con: duckdb.DuckDBPyConnection, layout: str) -> None:
    source = load(con, layout, rows(50, 4).tolist())
    p = SparseProjection(k=3, s=1)
    first = sqlrp.diagnose(p, source, con, sample=10)
    con.execute("CREATE OR REPLACE TABLE t AS SELECT * FROM t ORDER BY random()")
    assert_same(sqlrp.diagnose(p, source, con, sample=10), first)
    other = sqlrp.diagnose(SparseProjection(k=3, s=1, seed=1), source, con, sample=10)
    assert other.sampled.regularity != first.sampled.regularity, "another seed, other rows"


def test_rows_without_key_and_with_text_keys(con: duckdb.DuckDBPyConnection) -> None:
    x = rows(50, 4)
    p = SparseProjection(k=3, s=1)
    load(con, "wide", x.tolist())
    bare = sqlrp.diagnose(p, Wide("t", key=None, features=["f0", "f1", "f2", "f3"]), con, sample=10)
    assert_same(bare, sqlrp.diagnose(p, frame_of(x).drop(columns="id"), sample=10))
    con.execute("CREATE TABLE named AS SELECT 'row ' || id AS name, 'x' AS label, * EXCLUDE (id) FROM t")
    named = sqlrp.diagnose(p, Wide("named", key="name", keep=["label"]), con, sample=10)
    assert_same(named, sqlrp.diagnose(p, con.table("named").to_df(), sample=10, key="name", keep=["label"]))


def test_arrow_and_polars(con: duckdb.DuckDBPyConnection) -> None:
    pl = pytest.importorskip("polars")
    p, frame = SparseProjection(k=3, s=1), frame_of(rows())
    want = sqlrp.diagnose(p, frame)
    assert_same(sqlrp.diagnose(p, pa.Table.from_pandas(frame)), want)
    assert_same(sqlrp.diagnose(p, pl.from_pandas(frame)), want)


@pytest.mark.parametrize("kind", ["FLOAT", "INTEGER", "DECIMAL(9,3)"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_other_kinds_of_numbers(con: duckdb.DuckDBPyConnection, layout: str, kind: str) -> None:
    x = np.round(rows(30, 6) * 1000)
    source = load(con, layout, x.astype(int).tolist(), kind)
    p = PolynomialKernelProjection(k=4, s=1, t=2)
    found, want = sqlrp.diagnose(p, source, con).measures(), sqlrp.diagnose(p, frame_of(x)).measures()
    assert found == pytest.approx(want, rel=1e-4 if kind == "FLOAT" else 1e-9)


def test_names_instead_of_positions(con: duckdb.DuckDBPyConnection) -> None:
    load(con, "long", np.abs(np.round(rows(30, 6) * 2)).tolist())
    con.execute("CREATE TABLE words AS SELECT id, 'w' || feature AS feature, value FROM t")
    report = sqlrp.diagnose(SparseProjection(k=200, s=1), Long("words"), con)
    assert report.sampled.regularity is None
    assert "regularity" not in str(report)
    assert report.recall > 0.6
    assert abs(report.ratio.mean - 1) < 0.1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rows_with_a_null_are_left_out(con: duckdb.DuckDBPyConnection, layout: str) -> None:
    x = rows(30, 4)
    whole = [list(row) for row in x]
    holed = [[None, *row[1:]] if i % 3 == 0 else row for i, row in enumerate(whole)]
    source = load(con, layout, holed)
    p = SparseProjection(k=3, s=1)
    found = sqlrp.diagnose(p, source, con)
    assert found.sampled.rows == 20
    assert_same(found, sqlrp.diagnose(p, frame_of(x)[[i % 3 != 0 for i in range(30)]]))
    missing = frame_of(x).astype({"f0": "Float64"})
    missing.loc[::3, "f0"] = pd.NA
    assert_same(found, sqlrp.diagnose(p, missing))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rows_that_are_alike_are_no_pair(con: duckdb.DuckDBPyConnection, layout: str) -> None:
    x = rows(20, 4)
    x[5] = x[6]
    source = load(con, layout, x.tolist())
    report = sqlrp.diagnose(SparseProjection(k=3, s=1), source, con)
    assert report.sampled.pairs == 189
    load(con, layout, np.ones((5, 4)).tolist())
    with pytest.raises(SourceError) as caught:
        sqlrp.diagnose(SparseProjection(k=3, s=1), source, con, at=2)
    assert_one_line(caught, "5 sampled rows", "alike")


@pytest.mark.parametrize("value", [math.inf, math.nan, 1e200])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_row_that_is_not_finite_is_told(con: duckdb.DuckDBPyConnection, layout: str, value: float) -> None:
    x = rows(20, 4)
    x[7, 2] = value
    source = load(con, layout, x.tolist())
    for projection in (SparseProjection(k=3, s=1), PolynomialKernelProjection(k=3, s=1)):
        # Arrow, as pandas' NaN is a NULL.
        frame = pa.table({f"f{j}": x[:, j] for j in range(4)})
        for arguments in ((source, con), (frame,)):
            with pytest.raises(SourceError, match="not finite"):
                sqlrp.diagnose(projection, *arguments)


def test_no_table_is_left_behind(con: duckdb.DuckDBPyConnection) -> None:
    source = load(con, "wide", rows().tolist())
    con.execute("CREATE TABLE sqlrp_pairs AS SELECT 1 AS mine")
    for left_over in (False, True):
        if left_over:
            con.execute("CREATE TEMPORARY TABLE sqlrp_pairs AS SELECT 1 AS mine")
        sqlrp.diagnose(SparseProjection(k=3), source, con)
        tables = con.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()
        assert tables == [("sqlrp_pairs",), ("t",)]
    assert con.execute("FROM sqlrp_pairs").fetchall() == [(1,)], "no temporary table of ours: it stays"


def test_names_that_are_ours(con: duckdb.DuckDBPyConnection) -> None:
    names = ["sqlrp_row", "SQLRP_hash", "sqlrp_number", "part", "r", "f", "x", "z", 'quo"te']
    x = rows()
    con.execute(f"CREATE TABLE dots (id BIGINT, {', '.join(sqlrp_quote(n) + ' DOUBLE' for n in names)})")
    con.executemany(f"INSERT INTO dots VALUES ({', '.join('?' * 10)})", [[i, *row] for i, row in enumerate(x.tolist())])
    p = SparseProjection(k=3, s=1)
    assert_same(sqlrp.diagnose(p, "dots", con), sqlrp.diagnose(p, frame_of(x)))
    con.execute("ALTER TABLE dots RENAME COLUMN id TO sqlrp_hash_")
    assert_same(sqlrp.diagnose(p, Wide("dots", key="sqlrp_hash_"), con), sqlrp.diagnose(p, frame_of(x)))


def sqlrp_quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"projection": "jl"}, ["'jl'", "not a projection"]),
        ({"sample": 2}, ["sample = 2", ">= 3"]),
        ({"sample": True}, ["sample = True"]),
        ({"at": 0}, ["at = 0"]),
        ({"at": 500}, ["at = 500", "499"]),
        ({"at": 24}, ["at = 24", "from 1 to 23"]),
        ({"connection": None}, ["'t'", "needs a connection"]),
        ({"key": "id"}, ["Wide("]),
        ({"source": pd.DataFrame({"a": [1.0, 2, 3]})}, ["dataframe", "no connection"]),
        ({"connection": 5}, ["connection 5"]),
        ({"source": "absent"}, ["absent"]),
        ({"source": "two"}, ["2 rows", "at least 3"]),
        ({"source": "wild"}, ["not finite"]),
        ({"source": pd.DataFrame({"a": [1.0, 2]}), "connection": None}, ["2 rows", "at least 3"]),
        ({"source": pd.DataFrame({"a": [1.0, 2, math.inf] * 4}), "connection": None}, ["not finite"]),
        ({"source": pd.DataFrame({"a": [1.0] * 9}), "connection": None}, ["9 sampled rows", "alike"]),
    ],
)
def test_diagnose_refuses(con: duckdb.DuckDBPyConnection, arguments: dict[str, Any], words: list[str]) -> None:
    load(con, "wide", rows().tolist())
    con.execute("CREATE TABLE two AS SELECT * FROM t LIMIT 2")
    con.execute("CREATE TABLE wild AS SELECT id, CASE WHEN id = 4 THEN 'inf'::DOUBLE ELSE id END AS a FROM t")
    given = {"projection": SparseProjection(k=3, s=1), "source": "t", "connection": con, **arguments}
    with pytest.raises((ParameterError, SourceError)) as caught:
        sqlrp.diagnose(given.pop("projection"), given.pop("source"), given.pop("connection"), **given)
    assert_one_line(caught, *words)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: quality.squared_distances(np.ones((2, 3))), ["(2, 3)", "square"]),
        (lambda: quality.kernel_matrix([1.0, 2.0]), ["(2,)", "matrix"]),
        (lambda: quality.distortion(rows(4), np.ones(5)), ["(5,)", "6 pairs"]),
        (lambda: quality.kernel_error(rows(4), np.eye(3)), ["(3, 3)", "4"]),
        (lambda: quality.q_nx(rows(4), rows(5)), ["5 rows", "4"]),
        (lambda: quality.recall(rows(4), rows(4), at=4), ["at = 4", "from 1 to 3"]),
        (lambda: quality.r_nx([1.0]), ["at least 3"]),
        (lambda: quality.Summary.of([]), ["nothing"]),
        (lambda: quality.expected_distortion(0), ["k = 0"]),
        (lambda: quality.distortion_variance(rows(), 5, "sqrt"), ["'sqrt'", "number"]),
        (lambda: quality.distortion_variance(rows(), 5, 0.5), ["0.5", ">= 1"]),
    ],
)
def test_measures_refuse(call: Any, words: list[str]) -> None:
    with pytest.raises(ParameterError) as caught:
        call()
    assert_one_line(caught, *words)


# -- the report --------------------------------------------------------------------------------


def test_a_report_prints_as_an_aligned_table() -> None:
    report = sqlrp.diagnose(SparseProjection(k=3, s=1), frame_of(rows()), at=4)
    first, *lines = str(report).splitlines()
    assert first == "SparseProjection(k=3, s=1, seed=0)"
    assert len({len(line) for line in lines}) == 1
    assert lines[0].split() == ["rows", "24"]
    assert any(line.startswith("  recall@4 ") for line in lines)
    assert len(lines) == len(report.measures())


def test_a_report_as_a_frame() -> None:
    report = sqlrp.diagnose(SparseProjection(k=3, s=1), frame_of(rows()))
    frame = report.to_frame()
    assert list(frame.columns) == ["measure", "value"]
    assert dict(zip(frame["measure"], frame["value"], strict=True)) == report.measures()
    assert frame["value"].notna().all()


def test_a_report_is_drawn(tmp_path: Path) -> None:
    report = sqlrp.diagnose(SparseProjection(k=3, s=1), frame_of(rows()))
    path = tmp_path / "report.png"
    figure = report.plot(path)
    assert len(figure.axes) == 4
    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert path.stat().st_size > 10_000


@pytest.mark.parametrize(("module", "extra"), [("matplotlib.figure", "plot"), ("sklearn.svm", "sklearn")])
def test_a_missing_library_names_its_extra(module: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    report = sqlrp.diagnose(SparseProjection(k=3, s=1), frame_of(rows()))
    with pytest.raises(ImportError, match=rf"pip install .*\[{extra}\]"):
        report.plot() if extra == "plot" else quality.svm_margin(rows(), np.arange(24) % 2)


def test_an_array_of_lists(con: duckdb.DuckDBPyConnection) -> None:
    x = rows()
    load(con, "array", x.tolist(), ragged=True)
    p = SparseProjection(k=3, s=1)
    assert_same(sqlrp.diagnose(p, Array("t", "x"), con), sqlrp.diagnose(p, frame_of(x)))


# -- intervals -------------------------------------------------------------------------------------------------


def pair_sums(values: Any, n: int) -> tuple[Any, Any]:
    """For each row the number of its pairs, and the sum of their values."""
    square = np.zeros((n, n))
    square[np.triu_indices(n, 1)] = values
    return np.full(n, n - 1), (square + square.T).sum(axis=1)


def test_the_interval_leaves_out_one_row_at_a_time() -> None:
    values = np.random.default_rng(1).gamma(2.0, size=12 * 11 // 2)
    a, b = np.triu_indices(12, 1)
    without = np.array([values[(a != i) & (b != i)].mean() for i in range(12)])
    deviation = np.sqrt(((without - without.mean()) ** 2).sum() * 11 / 12)
    found = interval(*pair_sums(values, 12))
    assert found.low == pytest.approx(values.mean() - 1.959964 * deviation)
    assert found.high == pytest.approx(values.mean() + 1.959964 * deviation)
    assert math.isnan(interval([1, 1], [2.0, 2.0]).low)


def test_intervals_contain_the_mean_of_all_rows_as_often_as_they_say() -> None:
    """One projection of 2,000 rows; 300 samples of 60. An interval of independent pairs would be far too narrow."""
    draw = np.random.default_rng(2)
    x = draw.normal(size=(2000, 40)) * draw.gamma(1.5, size=(2000, 1))
    z = project_array(sqlrp.SparseProjection(k=8, s=1, seed=3), x)
    own, got = (x * x).sum(axis=1), (z * z).sum(axis=1)
    true_sq, got_sq = (n[:, None] + n[None, :] - 2 * r @ r.T for n, r in ((own, x), (got, z)))
    np.fill_diagonal(true_sq, 1)
    lost = np.abs(got_sq - true_sq) / true_sq
    np.fill_diagonal(lost, 0)
    whole, inside, narrow = lost.sum() / (2000 * 1999), 0, 0
    for _ in range(300):
        at = draw.permutation(2000)[:60]
        part = lost[np.ix_(at, at)]
        found = interval(np.full(60, 59), part.sum(axis=1))
        inside += found.low <= whole <= found.high
        values = part[np.triu_indices(60, 1)]
        narrow += abs(values.mean() - whole) <= 1.96 * values.std() / np.sqrt(len(values))
    assert 0.90 <= inside / 300 <= 0.99
    assert narrow / 300 < 0.6


def test_a_sample_of_the_size_for_a_width_has_that_width(con: Any) -> None:
    x = np.random.default_rng(4).normal(size=(600, 12))
    frame = pd.DataFrame(x, columns=[f"f{j}" for j in range(12)]).assign(id=range(600))
    projection = sqlrp.SparseProjection(k=6, s=1, seed=1)
    small = sqlrp.diagnose(projection, frame, sample=80)
    wanted = small.distortion_interval.width / 2
    assert small.sample_for(wanted) == 320
    found = sqlrp.diagnose(projection, frame, sample=320).distortion_interval.width
    assert found == pytest.approx(wanted, rel=0.25)
    measures = small.measures()
    assert measures["distortion, mean from"] < measures["distortion, mean"] < measures["distortion, mean to"]
    found = small.distortion_interval
    assert small.reaches(found.high) is True
    assert small.reaches(found.low * 0.999) is False
    assert small.reaches((found.low + found.high) / 2) is None
    for call in (small.sample_for, small.reaches):
        with pytest.raises(sqlrp.ParameterError, match="above 0"):
            call(0)


def test_another_seed_is_measured_on_the_same_rows() -> None:
    x = np.random.default_rng(0).normal(size=(90, 30))
    frame = pd.DataFrame(x, columns=[f"f{j}" for j in range(30)])
    projection = SparseProjection(k=8, s=1, seed=5)
    found = sqlrp.diagnose(projection, frame, sample=40, seeds=3)
    h = hashes(5, Purpose.SAMPLE, np.zeros(1, dtype=np.int64), np.arange(90))[0]
    rows = frame.iloc[np.lexsort((np.arange(90), h))[:40]]
    true = sqlrp.quality.squared_distances(rows.to_numpy() @ rows.to_numpy().T)
    want = [
        sqlrp.quality.mean_distortion(sqlrp.project(SparseProjection(k=8, s=1, seed=seed), rows).to_numpy(), true)
        for seed in (5, 6, 7)
    ]
    assert found.by_seed == pytest.approx(want)
    assert found.measures()["distortion, least mean of 3 seeds"] == min(found.by_seed)
    assert found.distortion == sqlrp.diagnose(projection, frame, sample=40).distortion
    with duckdb.connect() as con:
        con.from_df(frame.assign(id=range(90))).create("t")
        assert sqlrp.diagnose(projection, "t", con, sample=40, seeds=3).by_seed == pytest.approx(
            sqlrp.diagnose(projection, con.table("t").df(), sample=40, seeds=3).by_seed
        )
    fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=2), frame)
    with pytest.raises(ParameterError, match="PrincipalComponents is not drawn from a seed alone: leave seeds = 1"):
        sqlrp.diagnose(fitted, frame, sample=40, seeds=2)
