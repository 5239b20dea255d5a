"""Both methods implemented from the pseudocode of the papers, and the distances that they keep."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from evaluate import evaluate
from helpers import squared_distances

import sqlrp
from sqlrp import PolynomialKernelProjection, Projection, SparseProjection
from sqlrp._core.draw import CONSTANT_FEATURE, draw_index_table, draw_signs

Floats = npt.NDArray[np.float64]


def achlioptas(x: Floats, k: int, s: float, seed: int) -> list[list[float]]:
    """Achlioptas 2003: E = X·R/√k with r = √s·(+1, 0, -1), entry by entry."""
    signs = draw_signs(np.arange(x.shape[1]), k, s, seed).tolist()
    return [
        [math.fsum(math.sqrt(s) * signs[j][c] * v for j, v in enumerate(row)) / math.sqrt(k) for c in range(k)]
        for row in x.tolist()
    ]


def pseudocode_1(x: Floats, p: PolynomialKernelProjection, s: float) -> list[list[float]]:
    """Thesis, Pseudocode 1, with its loops and its one-based indexes; √c is feature d+1 (4.3.3)."""
    X = x.tolist()
    signs = draw_signs(np.arange(x.shape[1]), p.n_vectors, s, p.seed).tolist()
    if p.c:
        X = [[*row, math.sqrt(p.c)] for row in X]
        signs.append(draw_signs(np.array([CONSTANT_FEATURE]), p.n_vectors, s, p.seed)[0].tolist())
    N, k, g, t = len(X), p.k, p.degree, p.t
    S = [[math.sqrt(s) * sign for sign in row] for row in signs]  # entries √s, 0, -√s
    flat = draw_index_table(p.n_vectors, g * t, k, p.seed, p.minimise_repetition)
    Index = (flat + 1).tolist()
    K = [[math.fsum(a * S[j][v] for j, a in enumerate(row)) for v in range(p.n_vectors)] for row in X]
    result = [[0.0] * k for _ in range(N)]
    for n in range(N):
        for c in range(k):
            for i in range(t):
                temp = K[n][Index[c][g * i + 1 - 1] - 1]
                for j in range(2, g + 1):
                    temp = temp * K[n][Index[c][g * i + j - 1] - 1]
                result[n][c] = result[n][c] + temp
    return [[value / math.sqrt(k * t) for value in row] for row in result]


def assert_all_close(got: Floats, want: Any, row_scale: float = 1e-12) -> None:
    """Near within 1e-12 of the largest output of the row (sums that cancel keep no relative precision)."""
    want = np.array(want)
    tolerance = row_scale * np.abs(want).max(axis=1, keepdims=True)
    assert got.shape == want.shape
    assert (np.abs(got - want) <= tolerance).all()


LINEAR = [SparseProjection(k=k, s=s, seed=9) for k in (1, 5, 40) for s in (1, 3, 2.5, "sqrt")]
POLYNOMIAL = [
    PolynomialKernelProjection(k=k, s=s, seed=3, degree=g, t=t, c=c, minimise_repetition=m)
    for k, s, g, t, c, m in [
        (5, 1, 1, 4, 0, True),
        (5, 3, 2, 4, 0, True),
        (6, "sqrt", 2, 3, 1, True),
        (4, 1, 3, 2, 0.5, True),
        (4, 3, 4, 2, 2.25, False),
        (1, 1, 2, 1, 0, True),
    ]
] + [
    PolynomialKernelProjection(k=6, s=1, degree=2, t=3, p=6),
    PolynomialKernelProjection(k=6, s=1, degree=2, t=3, p=36, c=3),
    PolynomialKernelProjection(k=6, s=1, degree=2, t=3, p=17, c=3),
]


def reference(x: Floats, projection: Projection) -> list[list[float]]:
    assert isinstance(projection, (SparseProjection, PolynomialKernelProjection))
    s = math.sqrt(x.shape[1]) if projection.s == "sqrt" else float(projection.s)
    if isinstance(projection, SparseProjection):
        return achlioptas(x, projection.k, s, projection.seed)
    return pseudocode_1(x, projection, s)


@pytest.mark.parametrize("projection", LINEAR + POLYNOMIAL, ids=lambda p: p.name)
@pytest.mark.parametrize(("rows", "d"), [(1, 1), (7, 2), (6, 16), (3, 50)])
def test_evaluate_and_dataframes_follow_the_papers(projection: Projection, rows: int, d: int) -> None:
    x = np.random.default_rng(d).normal(0, 3, (rows, d))
    want = reference(x, projection)
    stages = evaluate(projection.stages(d), x, np.arange(d)) * projection.factor(d)
    assert_all_close(stages, want)
    frame = pd.DataFrame(x, columns=[f"f{j}" for j in range(d)])
    assert_all_close(sqlrp.project(projection, frame, key=None).to_numpy(), want)


def test_the_default_number_of_vectors() -> None:
    # 2k, but at least degree·t, and never more than can be used.
    assert PolynomialKernelProjection(k=10, t=4).n_vectors == 20
    assert PolynomialKernelProjection(k=2, t=4).n_vectors == 8
    assert PolynomialKernelProjection(k=10, t=1, degree=1).n_vectors == 10
    assert PolynomialKernelProjection(k=1, t=1, degree=1).n_vectors == 1


# -- what is promised -------------------------------------------------------------------------------

ROWS = np.array([[1.0, 2, 0, -1, 0.5], [0, 1, 1, 1, -2], [3, 0, 0.5, -1, 1], [-1, 1, 0, 0, 0]])
SEEDS = 250


def projected(projection: Projection) -> Floats:
    d = ROWS.shape[1]
    return np.asarray(evaluate(projection.stages(d), ROWS, np.arange(d)) * projection.factor(d))


def assert_unbiased(samples: Floats, true: Floats) -> None:
    """The mean over the seeds lies within 3 of its standard errors, for each pair; and is told apart from 5% off.

    `samples`: shape (seeds, pairs).
    """
    error = samples.std(axis=0, ddof=1) / math.sqrt(len(samples))
    assert (np.abs(samples.mean(axis=0) - true) < 3 * error).all()


@pytest.mark.parametrize("s", [1, 3])
def test_linear_distances_are_unbiased(s: float) -> None:
    true = squared_distances(ROWS @ ROWS.T)
    found = [projected(SparseProjection(k=24, s=s, seed=seed)) for seed in range(SEEDS)]
    samples = np.array([squared_distances(z @ z.T) for z in found])
    assert_unbiased(samples, true)
    assert (samples.std(axis=0) / math.sqrt(SEEDS) < 0.03 * true).all(), "too few seeds to tell"


@pytest.mark.parametrize("c", [0, 1])
@pytest.mark.parametrize(("degree", "s"), [(1, 1), (2, 1), (2, 3), (3, 1), (4, 1)])
def test_polynomial_distances_are_unbiased(degree: int, s: float, c: float) -> None:
    true = squared_distances((ROWS @ ROWS.T + c) ** degree)
    found = [
        projected(PolynomialKernelProjection(k=64, s=s, degree=degree, t=2, c=c, seed=seed)) for seed in range(SEEDS)
    ]
    samples = np.array([squared_distances(z @ z.T) for z in found])
    assert_unbiased(samples, true)
    assert (samples.std(axis=0) / math.sqrt(SEEDS) < 0.1 * true).all(), "too few seeds to tell"


def test_inner_products_are_those_of_the_kernel() -> None:
    kernel = (ROWS @ ROWS.T + 1) ** 2
    found = [projected(PolynomialKernelProjection(k=64, s=1, degree=2, t=2, c=1, seed=seed)) for seed in range(SEEDS)]
    samples = np.array([(z @ z.T)[np.triu_indices(4)] for z in found])
    assert_unbiased(samples, kernel[np.triu_indices(4)])


# -- linearity ----------------------------------------------------------------------------------------


def test_the_linear_method_is_linear() -> None:
    x, y = ROWS[:2], ROWS[2:]
    p = SparseProjection(k=6, s=2, seed=1)

    def f(rows: Floats) -> Floats:
        return np.asarray(evaluate(p.stages(5), rows, np.arange(5)) * p.factor(5))

    assert np.allclose(f(x) + f(y), f(x + y), rtol=1e-12, atol=1e-12)
    assert np.allclose(f(3 * x - y), 3 * f(x) - f(y), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_the_homogeneous_kernel_is_homogeneous(degree: int) -> None:
    p = PolynomialKernelProjection(k=6, s=1, degree=degree, t=2, seed=1)

    def f(rows: Floats) -> Floats:
        return np.asarray(evaluate(p.stages(5), rows, np.arange(5)))

    # Powers of two: exact.
    assert (f(ROWS * 4) == f(ROWS) * 4**degree).all()
    assert (f(-ROWS) == f(ROWS) * (-1) ** degree).all()


def test_a_constant_is_a_feature_of_its_own() -> None:
    # With c, a row gives what it would with √c appended, at the constant's number.
    with_c = PolynomialKernelProjection(k=6, s=1, degree=2, t=2, c=9, seed=1)
    without = PolynomialKernelProjection(k=6, s=1, degree=2, t=2, seed=1)
    more = np.column_stack([ROWS, np.full(4, 3.0)])
    numbers = np.array([0, 1, 2, 3, 4, CONSTANT_FEATURE])
    a, b = evaluate(with_c.stages(5), ROWS, np.arange(5)), evaluate(without.stages(6), more, numbers)
    assert (a == b).all()
