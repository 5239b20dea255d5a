"""Distances between real rows, against theory and against the thesis' Table 4.2."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pytest
from databases import Database
from evaluate import evaluate
from helpers import mean_distortion, squared_distances
from sklearn.datasets import load_digits

import sqlrp
from sqlrp import Degree2KernelProjection, PolynomialKernelProjection, Projection, SparseProjection

Floats = npt.NDArray[np.float64]

MNIST = Path(__file__).resolve().parents[3] / "shared" / "data" / "mnist.npz"
DATA = ["digits", *(["mnist"] if MNIST.exists() else [])]


@cache
def rows(data: str) -> Floats:
    """500 rows, drawn at random, as raw pixels."""
    if data == "digits":
        x = load_digits().data
    else:
        with np.load(MNIST) as file:
            x = file["X_test"]
    chosen = np.random.default_rng(0).choice(len(x), 500, replace=False)
    return np.asarray(x[chosen], dtype=np.float64)


def distortions(projection: type[Projection], x: Floats, true: Floats, seeds: int, **values: object) -> Floats:
    """The mean distortion of each seed."""
    d = x.shape[1]
    found = []
    for seed in range(seeds):
        p = projection(seed=seed, **values)  # type: ignore[arg-type, call-arg]
        z = evaluate(p.stages(d), x, np.arange(d)) * p.factor(d)
        found.append(mean_distortion(z, true))
    return np.array(found)


@cache
def distances(data: str) -> Floats:
    """The squared distances of every pair."""
    return squared_distances(rows(data) @ rows(data).T)


@cache
def peakedness(data: str) -> Floats:
    """Σ(x-y)⁴ / (Σ(x-y)²)² of every pair: near 1 for a difference in one feature, near 1/d for one in all."""
    x = rows(data)
    fourth = np.concatenate([((x[i] - x[i + 1 :]) ** 4).sum(axis=1) for i in range(len(x) - 1)])
    return np.asarray(fourth / distances(data) ** 2)


@pytest.mark.parametrize("k", [40, 80, 160])
@pytest.mark.parametrize("s", [1, 3])
@pytest.mark.parametrize("data", DATA)
def test_linear_distortion_is_that_of_a_gaussian_projection(data: str, s: float, k: int) -> None:
    x = rows(data)
    found = distortions(SparseProjection, x, distances(data), 10, s=s, k=k)
    assert abs(found.mean() / (2 / math.sqrt(math.pi * k)) - 1) < 0.05


@pytest.mark.parametrize("k", [40, 80, 160])
@pytest.mark.parametrize("s", [1, 3, "sqrt"])
@pytest.mark.parametrize("data", DATA)
def test_linear_distortion_is_as_theory_says(data: str, s: float | str, k: int) -> None:
    # A squared output over its mean has the variance 2 + (s-3)·peakedness, where a Gaussian's has 2. So
    # s = √d adds about 7.6% to the distortion of digits (64 features, few of them differ), and 4.9% to MNIST's.
    x = rows(data)
    number = math.sqrt(x.shape[1]) if s == "sqrt" else float(s)
    theory = 2 / math.sqrt(math.pi * k) * np.sqrt(1 + (number - 3) * peakedness(data) / 2).mean()
    found = distortions(SparseProjection, x, distances(data), 24, s=s, k=k)
    error = found.std(ddof=1) / math.sqrt(len(found))
    # 18 cases: 4 standard errors are a chance of 1% that one of them fails. (k = 160, s = 3 on MNIST stands 3.2
    # above over these seeds, and 0.1 over 300.)
    assert abs(found.mean() - theory) < 4 * error
    assert error < 0.05 * theory, "too few seeds to tell"


TABLE_4_2 = {200: (0.094, 0.004), 500: (0.068, 0.008), 1000: (0.059, 0.008)}
"""PK-RP Sparse, s = 1, p = 976 on 500 rows of MNIST: mean and standard deviation of ten runs, by k."""


def drawn_by_numpy(x: Floats, k: int, seed: int) -> Floats:
    """The same method (p = 976, t = 30, degree 2, s = 1) with numpy's own generator: the control."""
    rng = np.random.default_rng(seed)
    vectors = x @ rng.choice([-1.0, 1.0], (x.shape[1], 976))
    index = np.stack([rng.permutation(976)[:60] for _ in range(k)])
    z = np.zeros((len(x), k))
    for i in range(0, 60, 2):
        z += vectors[:, index[:, i]] * vectors[:, index[:, i + 1]]
    return z / math.sqrt(30 * k)


@pytest.mark.slow
@pytest.mark.parametrize("k", TABLE_4_2)
@pytest.mark.parametrize("data", [name for name in DATA if name == "mnist"] or ["digits"])
def test_polynomial_distortion_of_table_4_2(data: str, k: int) -> None:
    """Where the thesis' data is at hand, its figure; always, the same method with numpy's generator.

    Which 500 rows the thesis took is not said, nor how it drew. Measured here over 40 seeds, on two draws of
    rows: 0.097, 0.075 and 0.065 for k = 200, 500 and 1000; with numpy's generator 0.101, 0.077 and 0.068; the
    thesis prints 0.094, 0.068 and 0.059. So all that can be asked is that the mean of ten seeds lies within two
    of the thesis' standard deviations of one run (0.1004, 0.0780 and 0.0685: 1.6, 1.2 and 1.2 of them above).
    """
    x = rows(data)
    true = squared_distances((x @ x.T) ** 2)
    found = distortions(PolynomialKernelProjection, x, true, 10, k=k, s=1, t=30, p=976)
    control = np.array([mean_distortion(drawn_by_numpy(x, k, seed), true) for seed in range(10)])
    error = math.sqrt((found.var(ddof=1) + control.var(ddof=1)) / 10)
    assert abs(found.mean() - control.mean()) < 3 * error
    if data == "mnist":
        mean, deviation = TABLE_4_2[k]
        assert abs(found.mean() - mean) < 2 * deviation


@pytest.mark.parametrize("data", DATA)
def test_distortion_of_a_homogeneous_kernel_does_not_know_the_unit(data: str) -> None:
    x = rows(data)
    values = {"k": 100, "s": 1, "t": 10}
    raw = distortions(PolynomialKernelProjection, x, squared_distances((x @ x.T) ** 2), 2, **values)
    y = x / 256
    scaled = distortions(PolynomialKernelProjection, y, squared_distances((y @ y.T) ** 2), 2, **values)
    assert np.allclose(raw, scaled, rtol=1e-9)


@pytest.mark.parametrize("data", DATA)
def test_more_vectors_distort_less(data: str) -> None:
    x = rows(data)
    true = squared_distances((x @ x.T) ** 2)
    means = [
        distortions(PolynomialKernelProjection, x, true, 5, k=200, s=1, t=30, p=p).mean() for p in (122, 488, 3000)
    ]
    assert means[0] > means[1] > means[2]


# -- the default s of the degree-2 kernel --------------------------------------------------------------


@cache
def sparse_rows() -> Floats:
    """60 rows of 900 features, 1% of them not 0, where s = √d is 30."""
    rng = np.random.default_rng(3)
    return np.asarray(rng.normal(size=(60, 900)) * (rng.random((60, 900)) < 0.01) + (np.arange(900) < 2))


@pytest.mark.parametrize("s", [None, "sqrt"])
def test_the_default_of_degree_2_is_without_bias_on_sparse_rows(s: str | None) -> None:
    x = sparse_rows()
    true = squared_distances((x @ x.T) ** 2)
    ratios = []
    for seed in range(8):
        p = Degree2KernelProjection(k=400, seed=seed) if s is None else Degree2KernelProjection(k=400, s=s, seed=seed)
        z = evaluate(p.stages(900), x, np.arange(900)) * p.factor(900)
        ratios.append(squared_distances(z @ z.T).sum() / true.sum())
    error = np.std(ratios, ddof=1) / math.sqrt(8)
    if s is None:
        assert abs(np.mean(ratios) - 1) < 4 * error < 0.1
    else:
        assert np.mean(ratios) > 1.5, "the control: the bias is there"


@pytest.mark.parametrize("name", ["duckdb", "postgresql"])
def test_the_default_of_degree_2_in_the_database(db: Database, name: str) -> None:
    x = sparse_rows()[:5, :25].round(3)
    source = db.load("wide", x.tolist())
    sqlrp.install(db.connection)
    want = db.projected(Degree2KernelProjection(k=3, seed=0), source, output="array")
    read = "SELECT id, z FROM {}, output := 'array')" if name == "duckdb" else "SELECT CAST(key AS int), z FROM {})"
    found = db.run_query(read.format("d2pk_project('t', k := 3"))
    assert {key: list(row) for key, row in found} == {key: pytest.approx(row) for key, row in want.items()}


def test_a_saved_projection_keeps_its_own_s(con: duckdb.DuckDBPyConnection) -> None:
    assert json.loads(Degree2KernelProjection().to_json())["s"] == 3
    for s in (1, 3, "sqrt"):
        p = Degree2KernelProjection(s=s)
        assert sqlrp.from_json(p.to_json()) == p
        sqlrp.save(p, con, f"s {s}")
        assert sqlrp.load(con, f"s {s}") == p
