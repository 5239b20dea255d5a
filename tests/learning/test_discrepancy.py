"""Drift by the maximum mean discrepancy: that of the kernel matrix of all rows, on every engine and way."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from databases import DOUBLES, Database
from helpers import assert_one_line
from learnt import ENGINES
from numpy.typing import NDArray
from scipy import integrate, stats

import sqlrp
from sqlrp._evaluator.moments import Moments
from sqlrp._learning.discrepancy import above_sum, bound_of_sum, discrepancy

Rows = NDArray[np.float64]
RNG = np.random.default_rng(5)
NAMES = [f"f{j}" for j in range(4)]
BEFORE = RNG.normal(size=(45, 4)).round(4)
AFTER = (RNG.normal(size=(70, 4)) * 1.2).round(4)
GROUP = np.array([0] * 10 + [1] * 30 + [2] * 30)
RFF = sqlrp.RandomFourierFeatures(k=30, gamma=0.3, seed=2)


def z(x: Rows) -> Rows:
    return np.asarray(sqlrp.project(RFF, pd.DataFrame(x, columns=NAMES), key=None).to_numpy())


def exact(t: float, variances: Rows) -> float:
    """The probability of a greater sum, by Imhof's integral (1961)."""

    def inside(u: float) -> float:
        angle = np.arctan(variances * u).sum() / 2 - t * u / 2
        return float(np.sin(angle) / (u * np.prod((1 + (variances * u) ** 2) ** 0.25)))

    return 0.5 + integrate.quad(inside, 0, np.inf, limit=2000)[0] / np.pi


def expected(before: Rows, after: Rows, pooled: bool = True) -> tuple[float, float]:
    """The statistic from the matrix of all inner products, and p."""
    both = np.vstack([before, after])
    n, m = len(before), len(after)
    w = np.r_[np.full(n, -1 / n), np.full(m, 1 / m)]
    away = [part - part.mean(axis=0) for part in ((before, after) if pooled else (before,))]
    whole = np.vstack(away)
    variances = np.linalg.svd(whole / np.sqrt(len(whole) - len(away)), compute_uv=False) ** 2
    statistic = float(w @ (both @ both.T) @ w) * n * m / (n + m)
    return statistic, exact(statistic, variances)


def tables(db: Database) -> tuple[str, str]:
    columns = [("id", "BIGINT"), *((name, DOUBLES[db.name]) for name in NAMES)]
    before = db.make("before", columns, [[i, *row] for i, row in enumerate(BEFORE.tolist())])
    rows = [[i, *row, int(g)] for i, (row, g) in enumerate(zip(AFTER.tolist(), GROUP, strict=True))]
    return before, db.make("after", [*columns, ("part", "BIGINT")], rows)


@pytest.mark.parametrize("lowering", ["auto", "sql"])
@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_and_way(db: Database, name: str, lowering: str) -> None:
    before, after = tables(db)
    given: dict[str, Any] = {"by": "part", "test": "mmd", "lowering": lowering}
    rows = sqlrp.drift(RFF, before, after, db.connection, **given).table().to_pylist()
    assert [row["group"] for row in rows] == [0, 1, 2]
    assert (rows[0]["note"], rows[0]["p"]) == ("too few rows", None)
    for row in rows[1:]:
        statistic, p = expected(z(BEFORE), z(AFTER[row["group"] == GROUP]))
        assert row["statistic"] == pytest.approx(statistic, rel=1e-8)
        assert row["p"] == pytest.approx(p, rel=0.06)
        assert row["f"] is row["freedom"] is row["freedom_below"] is None


@pytest.mark.parametrize("name", ENGINES)
def test_the_text_gives_the_same(db: Database, name: str) -> None:
    before, after = tables(db)
    found = sqlrp.drift(RFF, before, after, db.connection, by="part", test="mmd", pooled=False)
    text = sqlrp.drift_sql(found, after, db.connection, by="part", alpha=0.2)
    for group, count, statistic, bound, drifted in db.run_query(text):
        row = found.table().to_pylist()[group]
        assert count == row["rows"]
        if row["p"] is None:
            assert statistic is drifted is None
            continue
        assert statistic == pytest.approx(row["statistic"], rel=1e-8)
        assert drifted == (statistic > bound) == (row["p"] < 0.2)


@pytest.mark.parametrize("k", [1, 2, 5, 60])
def test_probabilities(k: int) -> None:
    """Of equal variances the sum is a chi-squared number; of others Imhof's integral gives it."""
    for p in (0.9999, 0.6, 0.5, 0.4, 0.05, 1e-3, 1e-12):
        t = float(stats.chi2.isf(p, k))
        assert above_sum(3 * t, np.full(k, 3.0)) == pytest.approx(p, rel=0.13 if k == 1 else 0.06)
    assert above_sum(float(k), np.ones(k)) == pytest.approx(stats.chi2.sf(k, k), rel=0.02)  # at the mean
    assert bound_of_sum(0.05, np.ones(k)) == pytest.approx(stats.chi2.isf(0.05, k), rel=0.02)
    variances = 0.7 ** np.arange(max(k, 5))
    for t in (0.3, 1.0, 4.0):
        p = exact(t * variances.sum(), variances)
        assert above_sum(t * variances.sum(), variances) == pytest.approx(p, rel=0.06)
    assert above_sum(1e6, np.ones(k)) == 0.0
    assert (above_sum(0.0, np.ones(k)), above_sum(1.0, np.ones(0))) == (1.0, 0.0)


def test_false_alarms_are_as_many_as_alpha() -> None:
    """1,000 draws, of which nothing has drifted: 4 to 6% alarm at 5%."""
    rng = np.random.default_rng(0)
    features = sqlrp.RandomFourierFeatures(k=64, gamma=1 / 16, seed=0)
    pool, alarms = np.asarray(sqlrp.project(features, rng.normal(size=(100_000, 8)))), 0
    for _ in range(1000):
        before, after = np.split(pool[rng.integers(0, len(pool), 1500)], [1000])
        both = [Moments(len(x), x.mean(axis=0), (x - x.mean(axis=0)).T @ (x - x.mean(axis=0))) for x in (before, after)]
        alarms += discrepancy(both[0], both[1], True).p <= 0.05
    assert 40 <= alarms <= 60


@pytest.fixture
def made() -> Any:
    """Two columns that move together only after the change: their means, variances and products stay."""
    rng = np.random.default_rng(1)
    with duckdb.connect(config={"threads": "1"}) as con:
        for name, size in (("old", 3000), ("same", 1500), ("new", 1500)):
            x = rng.normal(size=(size, 3))
            if name == "new":
                x[:, 1] = np.where(rng.random(size) < 0.5, x[:, 0], -x[:, 0])
            con.register("own", pd.DataFrame(x * [1, 1000, 0.001], columns=["a", "b", "c"]).assign(id=range(size)))
            con.execute(f"CREATE TABLE {name} AS FROM own")
        yield con


def test_the_default_sees_what_means_and_products_do_not(made: Any) -> None:
    """The features are scaled; a reference that is kept as text keeps its test, and another one may be asked for."""
    found = sqlrp.drift(None, "old", "new", made, test="mmd")
    assert found.p < 0.01 < sqlrp.drift(None, "old", "same", made, test="mmd").p
    assert sqlrp.drift(None, "old", "new", made).p > 0.01
    assert found.projection.unprepared == sqlrp.RandomFourierFeatures(k=128, gamma=1 / 6, seed=0)
    assert str(found).startswith("drift: squared discrepancy times rows = ")
    again = sqlrp.drift_from_json(found.to_json())
    assert sqlrp.drift(None, again, "new", made).p == found.p
    assert sqlrp.drift(None, again, "new", made, test="hotelling").freedom[0] == 128
    assert sqlrp.drift(None, "old", "new", made, test="mmd", k=16).projection.k == 16


def test_what_is_refused(made: Any) -> None:
    made.execute("CREATE VIEW few AS FROM old WHERE id < 19")
    for call, said in (
        (lambda: sqlrp.drift(None, "old", "new", made, test="ks"), "test = 'ks' must be one of"),
        (lambda: sqlrp.drift(None, "old", "few", made, test="mmd"), "current has 19 rows without NULL, too few"),
        (lambda: sqlrp.drift(None, "few", "old", made, test="mmd"), "the reference has 19 rows without NULL"),
    ):
        with pytest.raises(sqlrp.SqlrpError) as caught:
            call()
        assert_one_line(caught, said)
