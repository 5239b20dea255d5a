"""The law of each method in numpy: what it is in expectation, and what its paper says of its draw."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cases import GROUPED, TRAINED, D, X
from evaluate import evaluate
from formulas import by_formula
from helpers import z_of

import sqlrp
from sqlrp import Projection
from sqlrp._core.draw import Purpose, draw_sample, draw_signs, draw_strata
from sqlrp._projections.data_tuned import GuidedSearch, squared_distances


def kernels(method: Any, x: Any, seeds: int) -> tuple[Any, Any]:
    """The mean over seeds of the inner products of projected rows, and its standard error."""
    grams = np.array([z @ z.T for z in (z_of(replace(method, seed=s), x) for s in range(seeds))])
    return grams.mean(axis=0), grams.std(axis=0) / math.sqrt(seeds)


LAWS: list[tuple[Projection, Any]] = [
    (sqlrp.GaussianProjection(k=16), lambda g, _: g),
    (sqlrp.SparseEmbedding(k=32, nnz_per_feature=2), lambda g, _: g),
    (sqlrp.HadamardProjection(k=16), lambda g, _: g),
    (sqlrp.HadamardProjection(k=4, replacement=False), lambda g, _: g),
    (sqlrp.HadamardProjection(k=9, replacement=False), lambda g, _: g),
    (sqlrp.RandomSubspace(k=3), lambda g, _: g),
    (sqlrp.RandomSubspace(k=3, densify="householder"), lambda g, _: g),
    (sqlrp.RandomSubspace(k=3, stratified=True), lambda g, _: g),
    (sqlrp.RandomSubspace(k=2, densify="householder", stratified=True), lambda g, _: g),
    (sqlrp.SparseEmbedding(k=16, nnz_per_feature=2, buckets=4), lambda g, _: g),
    (sqlrp.RandomMaclaurin(k=16, degree=3), lambda g, _: g**3),
    (sqlrp.TensorSketch(k=32, degree=2), lambda g, _: g**2),
    (sqlrp.TensorSketch(k=16, degree=3), lambda g, _: g**3),
    (sqlrp.ExplicitPolynomialProjection(k=16, degree=2, s=1), lambda g, _: g**2),
    (sqlrp.PolynomialKernelProjection(k=16, t=2, vectors="gaussian", c=1), lambda g, _: (g + 1) ** 2),
    (sqlrp.Degree2KernelProjection(k=16, m=2, s=3), lambda g, _: g**2),
    (sqlrp.Degree2KernelProjection(k=16, m=4, s=1), lambda g, q: g**2 - q),
    (sqlrp.Degree2KernelProjection(k=16, m=2, s=5), lambda g, q: g**2 + q),
    (sqlrp.Degree2KernelProjection(k=16, m=1, s=3), lambda g, _: g**2 + np.outer(np.diag(g), np.diag(g)) / 2),
    (sqlrp.Degree2KernelProjection(k=16, m=1, s=2, modified=True), lambda g, q: g**2 - q),
    (sqlrp.Degree2KernelProjection(k=16, m=2, s=2, modified=True), lambda g, q: g**2 - q),
]


@pytest.mark.parametrize("at", range(len(LAWS)), ids=lambda at: LAWS[at][0].name[:60])
def test_inner_products_are_the_kernel_s_in_expectation(at: int) -> None:
    method, law = LAWS[at]
    x = np.random.default_rng(8).normal(0, 1, (4, 5))
    mean, error = kernels(method, x, min(12_000 // method.k, 1_500))
    want = law(x @ x.T, (x**2) @ (x**2).T)
    assert (np.abs(mean - want) <= 4 * error + 1e-9).all()


def test_the_squares_cancel_for_even_m_and_s_1() -> None:
    # A row with one feature has no cross terms.
    x = np.diag([1.0, 2.0, 3.0])
    assert np.array_equal(z_of(sqlrp.Degree2KernelProjection(k=4, m=2, s=1), x), np.zeros((3, 4)))


def test_the_reflection_is_orthogonal_and_its_own_inverse() -> None:
    whole = sqlrp.RandomSubspace(k=D, densify="householder", seed=1)
    order = np.argsort(whole.stages(D)[0].picked)
    h = z_of(whole, np.eye(D))[:, order]
    assert np.allclose(h @ h, np.eye(D), atol=1e-12)
    assert np.allclose(h, np.eye(D) - 2 / D, atol=1e-12)
    assert np.allclose(np.linalg.norm(z_of(whole, X), axis=1), np.linalg.norm(X, axis=1), rtol=1e-12)


def test_the_subspace_picks_without_replacement() -> None:
    picks = np.array([draw_sample(D, 3, s, replace=False) for s in range(2000)])
    assert all(len(set(row)) == 3 for row in picks.tolist())
    counts = np.bincount(picks.reshape(-1), minlength=D)
    assert (np.abs(counts - 2000 / 3) < 5 * math.sqrt(2000 / 3)).all()
    assert np.allclose(z_of(sqlrp.RandomSubspace(k=D), X) ** 2, (X**2)[:, draw_sample(D, D, 0, replace=False)])


def test_strata_pick_one_feature_of_each_part() -> None:
    picks = np.array([draw_strata(12, 3, s) for s in range(2000)])
    assert (picks // 4 == np.arange(3)).all()
    counts = np.bincount(picks.reshape(-1), minlength=12)
    assert (np.abs(counts - 500) < 5 * math.sqrt(500)).all()
    # The parts of 5 of 12 features are 2.4 long: every feature is drawn 5/12 times on average, no two parts cross.
    picks = np.array([draw_strata(12, 5, s) for s in range(4000)])
    assert (picks + 1 > np.arange(5) * 2.4).all()
    assert (picks < np.arange(1, 6) * 2.4).all()
    counts = np.bincount(picks.reshape(-1), minlength=12)
    assert (np.abs(counts - 4000 * 5 / 12) < 5 * math.sqrt(4000 * 5 / 12)).all()
    assert draw_strata(12, 12, 0).tolist() == list(range(12))
    # The estimate of a row has d/k times its picked features, and zeros elsewhere.
    assert sqlrp.RandomSubspace(k=5, stratified=True).back_error(12) is None
    some = [np.bincount(draw_strata(12, 3, s), minlength=12) for s in range(2000)]
    errors = ((4 * np.array(some) - 1) ** 2).mean(axis=0)
    assert np.allclose(errors, sqlrp.RandomSubspace(k=3, stratified=True).back_error(12), rtol=0.1)  # type: ignore[arg-type]


def test_strata_keep_the_distances_of_smooth_rows_better() -> None:
    x = np.sin(np.linspace(0, 3, 120) + np.arange(4)[:, None]) ** 2

    def spread(stratified: bool) -> float:
        rows = [z_of(sqlrp.RandomSubspace(k=8, seed=s, stratified=stratified), x) for s in range(50)]
        return float(np.std([(z**2).sum(axis=1) / (x**2).sum(axis=1) for z in rows]))

    assert spread(True) < spread(False) / 3


def test_the_butterfly_is_the_hadamard_matrix() -> None:
    h = np.array([[1.0]])
    for _ in range(4):
        h = np.block([[h, h], [h, -h]])
    every = sqlrp.HadamardProjection(k=400, seed=2)
    stage = every.stages(D)[0]
    flips = draw_signs(np.arange(D), 1, 1, 2, Purpose.FLIPS)[:, 0]
    padded = np.zeros((len(X), 16))
    padded[:, :D] = X * flips
    assert np.allclose(z_of(every, X), (padded @ h)[:, list(stage.sample)] / 20)  # type: ignore[attr-defined]
    # All of it keeps the norm: each entry once, over √D.
    assert np.allclose(np.linalg.norm(padded @ h, axis=1) / 4, np.linalg.norm(X, axis=1))


def test_the_embedding_has_one_sign_in_every_block() -> None:
    for a, k in ((1, 7), (2, 8), (4, 12)):
        matrix = sqlrp.SparseEmbedding(k=k, nnz_per_feature=a, seed=3).stages(500)[0].matrix(np.arange(500))  # type: ignore[attr-defined]
        blocks = matrix.reshape(500, a, k // a)
        assert (np.abs(blocks).sum(axis=2) == 1).all()
        assert abs(blocks.sum()) < 5 * math.sqrt(500 * a)
        counts = np.abs(blocks).sum(axis=0).reshape(-1)
        assert (np.abs(counts - 500 * a / k) < 5 * math.sqrt(500 * a / k)).all()


def test_two_levels_keep_the_features_of_buckets_apart() -> None:
    a, v, q = 2, 3, 5
    stage = sqlrp.SparseEmbedding(k=a * v * q, nnz_per_feature=a, buckets=q, seed=3).stages(500)[0]
    blocks = np.abs(stage.matrix(np.arange(500))).reshape(500, q, a, v)  # type: ignore[attr-defined]
    assert (blocks.sum(axis=3) == blocks.sum(axis=3)[:, :, :1]).all()  # all blocks of one bucket, or none
    assert (blocks.sum(axis=(1, 3)) == 1).all()
    counts = blocks.sum(axis=0).reshape(-1)
    assert (np.abs(counts - 500 / (q * v)) < 5 * math.sqrt(500 / (q * v))).all()


def test_tensor_sketch_is_the_fourier_transform_s_convolution() -> None:
    for degree in (2, 3):
        method = sqlrp.TensorSketch(k=6, degree=degree, seed=4)
        counts = evaluate(method.stages(D)[:1], X, np.arange(D)).reshape(len(X), degree, 6)
        want = np.fft.ifft(np.fft.fft(counts, axis=2).prod(axis=1), axis=1).real
        assert np.allclose(z_of(method, X), want)


def test_data_tuning_never_raises_the_loss_and_knows_it() -> None:
    x = np.random.default_rng(5).normal(0, 1, (40, 20))
    search = GuidedSearch(x, 10, 3.0, 7)
    before, kept = search.loss, 0
    for _ in range(200):
        kept += search.step()
        assert search.loss <= before
        before = search.loss
        z = x @ search.signs * math.sqrt(3.0 / 10)
        pairs = np.triu_indices(40, 1)
        true, got = squared_distances(x)[pairs], squared_distances(z)[pairs]
        assert math.isclose(search.loss, float(np.mean(np.abs(got - true) / true)), rel_tol=1e-9)
    assert 0 < kept < 200
    assert set(np.unique(search.signs)) <= {-1, 0, 1}


def test_data_tuning_stops_on_demand_and_repeats_itself() -> None:
    x = np.random.default_rng(5).normal(0, 1, (30, 20))
    method = sqlrp.DataTunedProjection(k=8, n_iter=60, seed=3)
    seen: list[int] = []
    stopped = method.fit(x, lambda done, _: seen.append(done) is not None or done == 20)
    assert seen == list(range(1, 21))
    assert stopped.arrays["signs"].tolist() == replace(method, n_iter=20).fit(x).arrays["signs"].tolist()
    assert method.fit(x) == method.fit(x)
    assert method.fit(x) != replace(method, seed=4).fit(x)

    def interrupted(done: int, loss: float) -> bool:
        raise KeyboardInterrupt

    assert (
        method.fit(x, interrupted).arrays["signs"].tolist() == replace(method, n_iter=1).fit(x).arrays["signs"].tolist()
    )


def test_best_of_n_is_the_best() -> None:
    x = np.random.default_rng(5).normal(0, 1, (30, 20))
    method = sqlrp.DataTunedProjection(k=8, seed=3)
    losses = [GuidedSearch(x, 8, math.sqrt(20), 3 + i).loss for i in range(6)]
    assert method.best_of(6, x) == sqlrp.SparseProjection(k=8, seed=3 + int(np.argmin(losses)))


def test_principal_components_are_numpy_s() -> None:
    z = z_of(TRAINED["pca"].fit(X), X)
    centred = X - X.mean(axis=0)
    values = np.linalg.eigvalsh(centred.T @ centred)[::-1]
    assert np.allclose((z**2).sum(axis=0), values[:4] * values.sum() / values[:4].sum())
    assert np.allclose(z.T @ z, np.diag((z**2).sum(axis=0)), atol=1e-9)
    assert math.isclose(squared_distances(z).mean(), squared_distances(X).mean())


def test_pooling_is_its_formula() -> None:
    """The sum of the formula of every row; of both descriptors the full one is the outer product (eq. 2.20)."""
    rows = [[Fraction(v) for v in row] for row in X[:5].tolist()]

    def pooled(method: Projection) -> Any:
        return evaluate(replace(method, normalise=False).stages(D), X[:5], np.arange(D), np.zeros(5, dtype=int))[0]  # type: ignore[call-arg]

    for name, method in GROUPED.items():
        want = np.sum([[float(z) for z in by_formula(method, row)] for row in rows], axis=0)
        np.testing.assert_allclose(pooled(method), want, rtol=1e-9, atol=1e-9, err_msg=name)
    assert np.allclose(pooled(GROUPED["pooling-full"]), (X[:5].T @ X[:5]).reshape(-1))
    assert np.allclose(pooled(GROUPED["pooling-full-two"]), (X[:5, :3].T @ X[:5, 3:]).reshape(-1))
