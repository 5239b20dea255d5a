"""Advice that was drawn on a sample before it is given: what it names reaches the aim on all rows."""

from __future__ import annotations

import dataclasses

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

import sqlrp
from sqlrp._core.draw import Purpose, hashes
from sqlrp._projections import explicit
from sqlrp._projections.method_advice import Advice, weights_of
from sqlrp._quality.advice import advice
from sqlrp._quality.distortion_search import aimed

Rows = npt.NDArray[np.float64]


def told(projection: sqlrp.Projection, x: Rows, wanted: float) -> list[Advice]:
    """The advice from the first 160 rows, or all."""
    frame = pd.DataFrame(x, columns=[f"f{j}" for j in range(x.shape[1])])
    return advice(sqlrp.diagnose(projection, frame, key=None, sample=160), x.shape[1], len(x), wanted, x[:160])


def lost(projection: sqlrp.Projection, x: Rows, degree: int = 1) -> float:
    """The mean distortion of all pairs of rows, by loops over rows."""
    z = sqlrp.project(projection, pd.DataFrame(x, columns=[f"f{j}" for j in range(x.shape[1])]), key=None).to_numpy()
    sums = []
    for i in range(len(x) - 1):
        own, other = (x[i] @ x[i]) ** degree, (x[i + 1 :] ** 2).sum(axis=1) ** degree
        true = own + other - 2 * (x[i + 1 :] @ x[i]) ** degree
        sums.append(np.abs(((z[i + 1 :] - z[i]) ** 2).sum(axis=1) - true) / true)
    return float(np.concatenate(sums).mean())


def advised(found: list[Advice]) -> tuple[str, sqlrp.Projection]:
    first = found[0]
    assert first.kind == "change"
    assert first.projection is not None, first.text
    return first.text, first.projection


def test_the_advised_parameters_reach_the_aim_on_all_rows() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 300)) + 2 * rng.normal(size=(5, 300))[rng.integers(0, 5, 400)]
    for method in (
        sqlrp.SparseProjection(k=20, s=1, seed=4),
        sqlrp.SparseEmbedding(k=20, seed=4),
        sqlrp.RandomSubspace(k=20, seed=4),
        sqlrp.HadamardProjection(k=20, seed=4),
    ):
        text, better = advised(told(method, x, 0.12))
        assert text.startswith(f"Use k = {better.k:,} ")
        assert 60 < better.k < 300
        assert lost(better, x) <= 0.12 < lost(method, x)
    wide = np.exp(2 * rng.normal(size=(400, 300)))
    text, better = advised(told(sqlrp.SparseProjection(k=60, s=40, seed=4), wide, 0.25))
    assert "s = " in text, "with heavy tails a smaller s needs fewer components"
    assert lost(better, wide) <= 0.25


def test_advice_for_groups_says_that_it_is_theory_s() -> None:
    x = np.random.default_rng(2).normal(size=(90, 12))
    frame = pd.DataFrame(x, columns=[f"f{j}" for j in range(12)]).assign(image=np.repeat(np.arange(30), 3))
    source = sqlrp.Wide("t", key="image")
    with duckdb.connect() as con:
        con.register("t", frame)
        report = sqlrp.diagnose(sqlrp.BilinearPooling(k=8, s=1, seed=1), source, con)
    change = next(a for a in advice(report, 12, 30, 0.1, x) if a.kind == "change")
    assert change.projection is None
    assert change.text.endswith("by theory alone: on groups it is not tried out.")


@pytest.mark.slow
def test_products_get_more_sums_with_more_components() -> None:
    """The number of sums bounds the quality, so a larger k alone would not do."""
    x = np.random.default_rng(1).normal(size=(240, 20)) + 0.5
    method = sqlrp.PolynomialKernelProjection(k=40, s=1, t=4, p=40, seed=2)
    text, better = advised(told(method, x, 0.15))
    assert isinstance(better, sqlrp.PolynomialKernelProjection)
    assert better.n_vectors > 80
    assert f"p = {better.n_vectors:,}" in text
    assert lost(better, x, 2) <= 0.15
    alone = sqlrp.PolynomialKernelProjection(k=better.k, s=1, t=4, p=40, seed=2)
    assert lost(alone, x, 2) > 0.15
    biased = sqlrp.Degree2KernelProjection(k=100, s=1, m=2, seed=1)
    few = np.abs(np.random.default_rng(2).normal(size=(240, 4)))
    text, better = advised(told(biased, few, 0.2))
    assert "s = 3" in text
    assert lost(better, few, 2) <= 0.2


def test_what_cannot_be_reached_is_said() -> None:
    x = np.random.default_rng(0).normal(size=(200, 40))
    first = told(sqlrp.SparseProjection(k=10, s=1), x, 0.01)[0]
    assert first.projection is None
    assert first.text.startswith("No k below the 40 features reaches a distortion of 0.01: keep those, or ")
    first = told(sqlrp.TensorSketch(k=10), x, 0.002)[0]
    assert first.projection is None
    assert "reaches" not in first.text or first.text.startswith("No k up to ")
    pca = sqlrp.fit(sqlrp.PrincipalComponents(k=20, sample=150), pd.DataFrame(x), key=None)
    assert aimed(pca, x[:70], 0.001) is None, "35 rows are too few to fit more components"
    assert aimed(sqlrp.SparseProjection(k=10, s=1), x[:20], 0.2) is None, "too few rows to advise from"


def test_a_learnt_method_is_fitted_on_other_rows_than_it_is_measured_on() -> None:
    x = np.random.default_rng(0).normal(size=(400, 60)) * np.linspace(0.1, 3, 60)
    frame = pd.DataFrame(x, columns=[f"f{j}" for j in range(60)])
    method = sqlrp.fit(sqlrp.DataTunedProjection(k=12, s=1, n_iter=50, sample=100), frame, key=None)
    found = sqlrp.diagnose(method, frame, key=None, sample=100)
    z, true = sqlrp.project(method, frame, key=None).to_numpy(), sqlrp.quality.squared_distances(x @ x.T)
    whole = sqlrp.quality.mean_distortion(z, true)
    assert found.distortion_interval.low <= whole <= found.distortion_interval.high
    h = hashes(1, Purpose.SAMPLE, np.zeros(1, dtype=np.int64), np.arange(400))[0]
    rows = x[np.lexsort((np.arange(400), h))[:100]]
    of_rows = sqlrp.quality.squared_distances(rows @ rows.T)
    assert found.distortion.mean == pytest.approx(
        sqlrp.quality.mean_distortion(
            sqlrp.project(method, pd.DataFrame(rows, columns=frame.columns), key=None).to_numpy(), of_rows
        )
    )
    text, better = advised(told(method, x, 0.2))
    assert "once it is fitted again" in text
    assert lost(sqlrp.fit(better, frame, key=None), x) <= 0.2


def test_the_weights_of_a_law_are_found_and_never_negative() -> None:
    laws = np.random.default_rng(0).uniform(0.01, 1, size=(6, 3))
    assert weights_of(laws.tolist(), (laws @ [2.0, 0.5, 1.0]).tolist()) == pytest.approx((2.0, 0.5, 1.0))
    found = weights_of(laws.tolist(), (laws @ [2.0, 0.0, 1.0] - 0.05 * laws[:, 1]).tolist())
    assert found[1] == 0
    assert min(found) >= 0


@pytest.mark.slow
def test_a_limit_of_the_method_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explicit, "MOST_WEIGHTS", 5_000_000)
    method = sqlrp.ExplicitPolynomialProjection(k=60, degree=2, s=1, seed=7)
    x = np.random.default_rng(0).normal(size=(100, 264))
    with pytest.raises(sqlrp.LimitError, match="more than 5,000,000"):
        dataclasses.replace(method, k=200).stages(264)
    assert aimed(method, x, 0.05) is None, "the k that it needs is beyond the limit"
