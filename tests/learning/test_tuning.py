"""Thresholds and temperatures that the folds choose, beside models that were learnt again without each fold."""

from __future__ import annotations

from functools import cache
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from databases import Database
from learnt import ENGINES, fold_of
from scipy.optimize import minimize_scalar
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import balanced_accuracy_score, f1_score, log_loss

import sqlrp

RNG = np.random.default_rng(8)
N, D, FOLDS = 240, 6, 3
X = RNG.normal(size=(N, D))
KEYS = np.arange(N)
RARE = (X[:, 0] + 0.5 * X[:, 1] + RNG.normal(size=N) > 1.9).astype(int)
THREE = np.digitize(X[:, 0] + 0.7 * RNG.normal(size=N), [-0.5, 0.6])
P = sqlrp.SparseProjection(k=4, s=1, seed=3)
WAVES = "range AS id, sin(range) AS a, cos(range) AS b"


def table(db: Database, y: Any) -> sqlrp.Wide:
    double = {"clickhouse": "Float64", "mariadb": "DOUBLE", "mysql": "DOUBLE"}.get(db.name, "DOUBLE PRECISION")
    names = [f"f{j}" for j in range(D)]
    rows = [[int(key), int(label), *row] for key, label, row in zip(KEYS, y, X.tolist(), strict=True)]
    kinds = [("id", "BIGINT"), ("label", "BIGINT"), *((name, double) for name in names)]
    return sqlrp.Wide(db.make("tuned", kinds, rows), features=names)


def z() -> Any:
    return X @ P.stages(D)[0].matrix(np.arange(D)) * P.factor(D)


@cache
def held_out() -> list[tuple[Any, Any]]:
    """The labels and the decisions of each fold, by scikit-learn."""
    fold, found = fold_of(KEYS, FOLDS), []
    for i in range(FOLDS):
        held = fold == i
        fitted = RidgeClassifier(alpha=2.0).fit(z()[~held], RARE[~held])
        found.append((RARE[held], fitted.decision_function(z()[held])))
    return found


def scored(score: Any, threshold: float) -> float:
    """The mean score of the folds."""
    return float(np.mean([score(real, (own > threshold).astype(int)) for real, own in held_out()]))


@cache
def best(score: Any) -> float:
    """The best score by any threshold."""
    steps = np.unique(np.concatenate([decisions for _, decisions in held_out()]))
    return max(scored(score, step - 1e-9) for step in steps)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize(("scoring", "score"), [("f1", f1_score), ("balanced_accuracy", balanced_accuracy_score)])
def test_no_threshold_has_a_better_score(db: Database, name: str, scoring: str, score: Any) -> None:
    source = table(db, RARE)
    plain, tuned = (
        sqlrp.learn(P, source, db.connection, folds=FOLDS, scoring=scoring, ridge=2.0, threshold=asked)
        for asked in ("zero", "folds")
    )
    reached = scored(score, tuned.threshold)
    assert reached >= best(score) - 0.01  # the steps are not as fine as the rows
    assert reached > scored(score, 0.0)
    assert tuned.intercept_ == pytest.approx(plain.intercept_ - tuned.threshold)
    assert np.array_equal(tuned.coef_, plain.coef_)
    assert tuned.cv_score == plain.cv_score == pytest.approx(scored(score, 0.0))


@pytest.mark.parametrize("tail", ["normal", "cauchy", "lognormal", "one far row", "two heaps"])
@pytest.mark.parametrize(("scoring", "score"), [("f1", f1_score), ("balanced_accuracy", balanced_accuracy_score)])
def test_no_threshold_is_better_where_few_rows_are_far_away(con: Any, tail: str, scoring: str, score: Any) -> None:
    """Few decisions make nearly all of the deviation: the others lie between two steps of an even grid."""
    for seed in range(3):
        draw, n = np.random.default_rng(seed), 900
        x = draw.standard_cauchy((n, 3)) if tail == "cauchy" else draw.normal(size=(n, 3))
        x = np.exp(2.5 * x) if tail == "lognormal" else x
        y = (np.argsort(np.argsort(x[:, 0] + 0.3 * draw.normal(size=n))) > 0.8 * n) ^ (draw.random(n) < 0.05)
        if tail == "one far row":
            x[5] = 1e6
        if tail == "two heaps":
            x[: n // 3] += 1e4
        names = [f"f{j}" for j in range(3)]
        frame = pd.DataFrame(x, columns=names).assign(id=range(n), label=y.astype(int))
        con.execute("CREATE OR REPLACE TABLE t AS FROM frame")
        bare = sqlrp.RandomSubspace(k=3, seed=1)
        picked, fold = sqlrp.project(bare, frame[names], key=None).to_numpy(), fold_of(np.arange(n), FOLDS)
        held = []
        for i in range(FOLDS):
            model = RidgeClassifier(alpha=2.0).fit(picked[fold != i], y[fold != i])
            held.append((y[fold == i], model.decision_function(picked[fold == i])))

        every = np.unique(np.concatenate([own for _, own in held]))
        best = max(np.mean([each(scoring, real, own, every) for real, own in held], axis=0))
        source = sqlrp.Wide("t", features=names)
        tuned = sqlrp.learn(bare, source, con, folds=FOLDS, scoring=scoring, ridge=2.0, threshold="folds")
        reached = np.mean([score(real, own > tuned.threshold) for real, own in held])
        assert best + 1e-9 >= reached >= best - 0.015


def each(scoring: str, real: Any, own: Any, thresholds: Any) -> Any:
    """The score of decisions by each threshold."""
    said = own[:, None] > thresholds[None, :]
    right = (said & real[:, None]).sum(axis=0)
    if scoring == "f1":
        return 2 * right / (said.sum(axis=0) + real.sum())
    return (right / real.sum() + (~said & ~real[:, None]).sum(axis=0) / (~real).sum()) / 2


@pytest.mark.parametrize("y", [RARE, THREE], ids=["two", "three"])
def test_the_temperature_has_the_least_log_loss(y: Any) -> None:
    with duckdb.connect(config={"threads": "1"}) as con:
        names = [f"f{j}" for j in range(D)]
        columns = ", ".join(f"{name} DOUBLE" for name in names)
        con.execute(f"CREATE TABLE t (id BIGINT, label BIGINT, {columns}, fold BIGINT)")
        fold = fold_of(KEYS, FOLDS)
        rows = [[int(a), int(b), *c, int(d)] for a, b, c, d in zip(KEYS, y, X.tolist(), fold, strict=True)]
        con.executemany(f"INSERT INTO t VALUES ({', '.join('?' * (D + 3))})", rows)
        source = sqlrp.Wide("t", features=names)
        more: dict[str, Any] = {"ridge": 1e-3, "coding": "logistic", "passes": 500}
        tuned = sqlrp.learn(P, source, con, folds=FOLDS, calibrate=True, **more)
        plain = sqlrp.learn(P, source, con, **more)
        held = []
        for i in range(FOLDS):
            con.execute(f"CREATE OR REPLACE VIEW others AS FROM t WHERE fold <> {i}")
            model = sqlrp.learn(P, sqlrp.Wide("others", features=names), con, **more)
            held.append((y[fold == i], model.decision_function(z()[fold == i])))

    def lost(t: float) -> float:
        return sum(len(real) * log_loss(real, shares(own / np.exp(t)), labels=np.unique(y)) for real, own in held)

    want = np.exp(minimize_scalar(lost, (-1, 1), tol=1e-8).x)
    assert tuned.temperature == pytest.approx(want, rel=0.005)
    assert tuned.temperature > 1
    assert tuned.coef_ * tuned.temperature == pytest.approx(plain.coef_, rel=1e-4, abs=1e-6)
    assert tuned.intercept_ * tuned.temperature == pytest.approx(plain.intercept_, rel=1e-4, abs=1e-6)


def shares(decisions: Any) -> Any:
    if decisions.ndim == 1:
        p = 1 / (1 + np.exp(-decisions))
        return np.column_stack([1 - p, p])
    grown = np.exp(decisions - decisions.max(axis=1, keepdims=True))
    return grown / grown.sum(axis=1, keepdims=True)


def test_a_tuned_model_is_kept_whole(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"CREATE TABLE t AS SELECT {WAVES}, sin(range) > 0.9 AS label FROM range(90)")
    p = sqlrp.RandomSubspace(k=2)
    tuned = sqlrp.learn(p, "t", con, folds=3, scoring="f1", threshold="folds")
    warm = sqlrp.learn(p, "t", con, folds=3, coding="logistic", calibrate=True)
    for model in (tuned, warm):
        again = sqlrp.model_from_json(model.to_json())
        assert np.array_equal(again.coef_, model.coef_)
        assert np.array_equal(again.intercept_, model.intercept_)
        assert (again.threshold, again.temperature) == (model.threshold, model.temperature)
        with pytest.raises(sqlrp.ParameterError, match=r"call sqlrp\.learn"):
            model.refresh("t", con)
    source = tuned.scored(sqlrp.Wide("t"))
    z = sqlrp.project(p, source, con).to_pandas()[["z0", "z1"]].to_numpy()
    assert sqlrp.score(p, tuned, source, con).column("class").to_pylist() == tuned.predict(z).tolist()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"threshold": "folds"}, "threshold = 'folds' needs the rows of folds: pass folds = 5"),
        ({"calibrate": True, "coding": "logistic"}, "calibrate = True needs the rows of folds: pass folds = 5"),
        ({"calibrate": True, "folds": 2}, "needs probabilities: pass coding = 'logistic'"),
        ({"threshold": "folds", "folds": 2, "coding": "logistic"}, "moves the decision"),
        ({"threshold": "folds", "folds": 2, "coding": "one-hot"}, "needs one decision"),
        ({"threshold": "folds", "folds": 2, "accuracy": False}, "leave out accuracy=False"),
        ({"threshold": "none", "folds": 2}, "threshold = 'none' must be one of zero, folds"),
        ({"threshold": "folds", "folds": 2, "target": "three"}, "is for 2 classes, and there are 3"),
        ({"threshold": "folds", "folds": 2, "target": "v"}, "threshold = 'folds' is for classes"),
    ],
)
def test_what_cannot_be_tuned(con: duckdb.DuckDBPyConnection, given: dict[str, Any], words: str) -> None:
    con.execute(
        f"CREATE TABLE t AS SELECT {WAVES}, range % 2 AS label, range % 3 AS three, range / 4 AS v FROM range(30)"
    )
    with pytest.raises(sqlrp.ParameterError, match=words):
        sqlrp.learn(sqlrp.RandomSubspace(k=1), sqlrp.Wide("t", features=["a", "b"]), con, **given)
