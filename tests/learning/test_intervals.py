"""The interval of a mean prediction, as the textbook's formula gives it from all rows, and many classes at once."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from databases import Database
from helpers import assert_one_line
from learnt import ENGINES, KEYS, PK, ROWS, D, K, V, X, Y, wide, z
from scipy.stats import t as student
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier

import sqlrp


def expected(z: Any, y: Any, level: float, weights: Any = None, intercept: bool = True) -> Any:
    """Predictions, standard errors, and the bounds, from the QR of the weighted design matrix (Seber and Lee, 5.3)."""
    design = np.column_stack([z, np.ones(len(z))]) if intercept else z
    root = np.sqrt(np.ones(len(z)) if weights is None else weights)
    q, r = np.linalg.qr(design * root[:, None])
    beta = np.linalg.solve(r, q.T @ (y * root))
    freedom = len(z) - design.shape[1]
    variance = np.square(root * (y - design @ beta)).sum() / freedom
    error = np.sqrt(variance * np.square(np.linalg.solve(r.T, design.T)).sum(axis=0))
    away = student.ppf((1 + level) / 2, freedom) * error
    return np.column_stack([design @ beta, error, design @ beta - away, design @ beta + away])


def assert_scored(found: pd.DataFrame, want: Any) -> None:
    names = ["prediction", "standard_error", "lower", "upper"]
    assert list(found.columns)[-4:] == names
    assert np.allclose(found[names].to_numpy(dtype=float), want, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("name", ENGINES)
def test_every_engine(db: Database, name: str) -> None:
    rows = db.load("wide", np.column_stack([X, V]).tolist(), ids=KEYS.tolist())
    source = wide(rows.table)
    model = sqlrp.learn(PK, source, db.connection, f"f{D}", ridge=0)
    for level in (0.95, 0.5):
        found = sqlrp.score(model, source, db.connection, interval=level).to_pandas().set_index("id").loc[KEYS]
        assert_scored(found, expected(z(), V, level))


@pytest.fixture
def own() -> Any:
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)]).assign(id=KEYS, label=Y, v=V)
    frame["heavy"] = np.arange(ROWS) % 3 + 0.5
    with duckdb.connect(config={"threads": "1"}) as con:
        con.execute("CREATE TABLE t AS FROM frame")
        yield con


@pytest.mark.parametrize("more", [{}, {"sample_weight": "heavy"}, {"intercept": False}])
@pytest.mark.parametrize("way", ["inline", "relational"])
def test_weights_and_no_intercept(own: Any, way: str, more: dict[str, Any]) -> None:
    model = sqlrp.learn(PK, wide(), own, "v", ridge=0, **more)
    heavy = np.arange(ROWS) % 3 + 0.5 if "sample_weight" in more else None
    want = expected(z(), V, 0.9, heavy, more.get("intercept", True))
    found = sqlrp.score(PK, model, wide(), own, interval=0.9, lowering=way).to_pandas().set_index("id").loc[KEYS]
    assert_scored(found, want)
    again = sqlrp.model_from_json(model.to_json())
    text = sqlrp.score_sql(again, wide(), own, interval=0.9)
    assert_scored(own.sql(text).df().set_index("id").loc[KEYS], want)


def test_a_data_set_and_other_rows(own: Any) -> None:
    """Rows that the model has not seen, and rows with NULL, which have no prediction."""
    x, y = load_diabetes(return_X_y=True)
    frame = pd.DataFrame(x * 40 + 3, columns=[f"f{j}" for j in range(10)]).assign(id=range(len(x)), y=y)
    own.register("made", frame)
    own.execute("CREATE TABLE known AS FROM made WHERE id < 300")
    own.execute("CREATE TABLE asked AS SELECT * REPLACE (CASE WHEN id = 300 THEN NULL ELSE f0 END AS f0) FROM made")
    features = [f"f{j}" for j in range(10)]
    given = sqlrp.GivenProjection.of(np.eye(10))
    model = sqlrp.learn(given, sqlrp.Wide("known", features=features), own, "y", ridge=0)
    found = sqlrp.score(model, sqlrp.Wide("asked", features=features), own, interval=0.99).to_pandas().set_index("id")
    assert found.loc[300].isna().all()
    rows, known = frame[features].to_numpy(), slice(0, 300)
    assert_scored(found.loc[range(300)], expected(rows[known], y[known], 0.99))
    design, last = np.column_stack([rows[known], np.ones(300)]), np.append(rows[441], 1)
    beta, squares = np.linalg.lstsq(design, y[known], rcond=None)[:2]
    error = np.sqrt(squares[0] / 289 * last @ np.linalg.solve(design.T @ design, last))
    assert found["standard_error"][441] == pytest.approx(error, rel=1e-8)
    assert found["prediction"][441] == pytest.approx(last @ beta, rel=1e-8)


def test_what_has_no_interval(own: Any) -> None:
    plain = sqlrp.learn(PK, wide(), own, "v", ridge=0)
    ridge = sqlrp.learn(PK, wide(), own, "v", ridge=1.0)
    classes = sqlrp.learn(PK, wide(), own)
    groups = sqlrp.learn(PK, wide(), own, "v", by="label", ridge=0)
    for model, level, words in (
        (plain, 1.0, "interval = 1.0 must be a probability between 0 and 1"),
        (plain, True, "interval = True must be a probability"),
        (plain, "95%", "interval = '95%' must be a probability"),
        (ridge, 0.9, "ridge = 1 draws coefficients to 0"),
        (classes, 0.9, "interval = 0.9 needs the sums of a regressor of sqlrp.learn"),
        (Ridge().fit(z(), V), 0.9, "interval = 0.9 needs the sums of a regressor of sqlrp.learn"),
        (groups, 0.9, "interval = 0.9 is for one model: score the rows of a group by model[group]"),
    ):
        with pytest.raises(sqlrp.ParameterError) as caught:
            sqlrp.score(PK, model, wide(), own, interval=level)  # type: ignore[arg-type]
        assert_one_line(caught, words)
    assert "lower" not in sqlrp.score(PK, plain, wide(), own).column_names
    one = sqlrp.score(groups[0], wide(), own, interval=0.9)
    assert one.column_names == ["id", "prediction", "standard_error", "lower", "upper"]


@pytest.mark.parametrize("way", ["sql", "native"])
def test_many_classes_against_the_rest_in_one_pass(own: Any, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One model a class, each of it against all others, from the same sums: scikit-learn fits one after the other."""
    draw = np.random.default_rng(2)
    n, classes = 4_000, 150
    label = draw.integers(0, classes, n)
    x = draw.normal(size=(classes, K))[label] + draw.normal(size=(n, K))
    own.register("made", pd.DataFrame(x, columns=[f"f{j}" for j in range(K)]).assign(id=range(n), label=label))
    own.execute("CREATE TABLE many AS FROM made")
    rows = sqlrp.Wide("many", features=[f"f{j}" for j in range(K)])
    model = sqlrp.learn(sqlrp.GivenProjection.of(np.eye(K)), rows, own, lowering=way)
    peer = OneVsRestClassifier(RidgeClassifier()).fit(x, label)
    assert np.allclose(model.coef_, np.vstack([each.coef_ for each in peer.estimators_]), rtol=1e-8, atol=1e-12)
    assert np.allclose(model.intercept_, np.ravel([each.intercept_ for each in peer.estimators_]), rtol=1e-8)
    assert model.passes == 1
    assert sqlrp.score(model, rows, own).column("class").to_pylist() == model.predict(x).tolist()
