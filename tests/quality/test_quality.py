"""Measures against loops, and their intervals."""

from __future__ import annotations

import itertools
import math
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from helpers import assert_one_line
from measuring import KERNELS, k_of, rows, slow_distances, slow_neighbours
from scipy.stats import skew
from sklearn.neighbors import NearestNeighbors

import sqlrp
from sqlrp import ParameterError, SparseProjection, quality
from sqlrp._core.draw import Purpose, hashes
from sqlrp._quality.measures import histogram, interval
from sqlrp._run.frames.matrix import project_array
from sqlrp.kernels import Polynomial


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
    shift = skew(-without) * (2 * 1.959964**2 + 1) / (6 * np.sqrt(12)) * deviation
    found = interval(*pair_sums(values, 12))
    assert found.low == pytest.approx(values.mean() + shift - 1.959964 * deviation)
    assert found.high == pytest.approx(values.mean() + shift + 1.959964 * deviation)
    same = interval(*pair_sums(np.full(66, 0.5), 12))
    assert same.low == pytest.approx(0.5) == same.high
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


def test_intervals_hold_where_few_rows_are_unlike_the_others() -> None:
    """One row in twenty is kept almost exactly, as landmarks are. Samples with few of them have a large mean."""
    draw = np.random.default_rng(5)
    share = np.where(np.arange(3000) % 20 == 0, 0.02, draw.uniform(0.9, 1.1, 3000))
    whole, below, above = (share.sum() ** 2 - (share**2).sum()) / (3000 * 2999), 0, 0
    for _ in range(1000):
        part = share[draw.permutation(3000)[:100]]
        found = interval(np.full(100, 99), part * (part.sum() - part))
        below += whole < found.low
        above += whole > found.high
    assert below + above <= 75
    assert max(below, above) <= 55


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
    found = sqlrp.diagnose(projection, frame, sample=40, seeds=3, key=None)
    h = hashes(5, Purpose.SAMPLE, np.zeros(1, dtype=np.int64), np.arange(90))[0]
    rows = frame.iloc[np.lexsort((np.arange(90), h))[:40]]
    true = sqlrp.quality.squared_distances(rows.to_numpy() @ rows.to_numpy().T)
    drawn = [sqlrp.project(SparseProjection(k=8, s=1, seed=seed), rows, key=None) for seed in (5, 6, 7)]
    want = [sqlrp.quality.mean_distortion(z.to_numpy(), true) for z in drawn]
    assert found.by_seed == pytest.approx(want)
    assert found.measures()["distortion, least mean of 3 seeds"] == min(found.by_seed)
    assert found.distortion == sqlrp.diagnose(projection, frame, sample=40, key=None).distortion
    with duckdb.connect() as con:
        con.from_df(frame.assign(id=range(90))).create("t")
        assert sqlrp.diagnose(projection, "t", con, sample=40, seeds=3).by_seed == pytest.approx(
            sqlrp.diagnose(projection, con.table("t").df(), sample=40, seeds=3).by_seed
        )
    fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=2), frame, key=None)
    with pytest.raises(ParameterError, match="PrincipalComponents is not drawn from a seed alone: leave seeds = 1"):
        sqlrp.diagnose(fitted, frame, sample=40, seeds=2, key=None)
