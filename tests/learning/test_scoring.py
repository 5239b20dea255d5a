"""score_sql: a linear model on top of a projection, against a scikit-learn pipeline."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import DATABASES as ENGINES
from databases import Database
from helpers import assert_one_line
from scores import assert_scores
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import (
    Lasso,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    SGDOneClassSVM,
    SGDRegressor,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, LinearSVR

import sqlrp
import sqlrp.sklearn

DIGITS, DIGIT = load_digits(return_X_y=True)
HOSTILE = np.array([f'it\'s "{c}" \\ `x` %s :p {{}}; -- ü' for c in range(10)])
X, Y = DIGITS[:60] / 16, DIGIT[:60]

MODELS: dict[str, tuple[Any, Any]] = {
    "logistic": (LogisticRegression(), HOSTILE[Y]),
    "logistic-binary": (LogisticRegression(), Y > 4),
    "svm": (LinearSVC(), Y - 5),
    "sgd-log": (SGDClassifier(loss="log_loss", random_state=0), HOSTILE[Y]),
    "sgd-huber": (SGDClassifier(loss="modified_huber", random_state=0), Y),
    "sgd-huber-binary": (SGDClassifier(loss="modified_huber", random_state=0), Y / 2 > 2),
    "ridge-classifier": (RidgeClassifier(), Y * 1.0),
    "perceptron": (Perceptron(random_state=0), Y),
    "linear": (LinearRegression(), Y),
    "linear-two": (LinearRegression(fit_intercept=False), np.column_stack([Y, -(Y**2)])),
    "ridge": (Ridge(), Y),
    "lasso": (Lasso(0.01), Y),
    "svr": (LinearSVR(random_state=0), Y),
    "sgd-regressor": (SGDRegressor(random_state=0), Y),
}


FEW = ("logistic", "logistic-binary", "sgd-log", "sgd-huber", "linear-two")
"""The models that the engines are likely to differ in."""


def fitted(model: Any, y: Any, x: Any = X) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of models that are not trained to the end
        projected = sqlrp.sklearn.PolynomialKernelProjection(12, c=1.0, s=3, random_state=3)
        return make_pipeline(projected, model).fit(x, y)


@cache
def pipeline_of(model: str) -> Any:
    return fitted(*MODELS[model])


@cache
def of_digits() -> Any:
    return fitted(LinearSVC(dual=False), DIGIT, DIGITS / 16)


def scored(db: Database, pipeline: Any, source: Any, **options: Any) -> pd.DataFrame:
    result = sqlrp.score(pipeline[0].projection_, pipeline[-1], source, db.connection, **options)
    return result.to_pandas().sort_values("id", ignore_index=True)


@pytest.mark.parametrize(
    ("name", "model"), [(name, model) for name in ENGINES for model in (MODELS if name in ENGINES[:2] else FEW)]
)
def test_every_model_on_every_engine(db: Database, name: str, model: str) -> None:
    pipeline = pipeline_of(model)
    source = db.load("wide", X[:20].tolist())
    lowering = "relational" if model in ("logistic", "linear-two") else "auto"
    assert_scores(scored(db, pipeline, source, lowering=lowering), pipeline, X[:20])


@pytest.mark.slow
@pytest.mark.parametrize("name", ENGINES)
def test_all_digits(db: Database, name: str) -> None:
    pipeline = of_digits()
    got = scored(db, pipeline, db.load("wide", (DIGITS / 16).tolist()), lowering="inline")
    assert_scores(got, pipeline, DIGITS / 16)


@pytest.mark.parametrize("layout", ["array", "long"])
@pytest.mark.parametrize("name", ["duckdb", "postgresql"])
def test_layouts(db: Database, name: str, layout: str) -> None:
    pipeline = pipeline_of("logistic")
    assert_scores(scored(db, pipeline, db.load(layout, X.tolist())), pipeline, X)


@pytest.mark.parametrize("name", ENGINES)
def test_ties_nulls_and_far_decisions(db: Database, name: str) -> None:
    """Equal decisions give the first class; NULL gives NULL; no exponent is too large."""
    model = LogisticRegression().fit(X[:, :3], Y % 3)
    model.coef_, model.intercept_ = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]) * 1000, np.zeros(3)
    rows = [[1.0, 1.0, 0.0], [0.0, 2.0, 2.0], [0.0, 0.0, 0.0], [-5.0, -5.0, -5.0], [None, 1.0, 1.0]]
    source = db.load("wide", rows)
    got = sqlrp.score(None, model, source, db.connection).to_pandas().sort_values("id")
    assert got["class"][:4].tolist() == [0, 1, 0, 0]
    want = model.predict_proba(np.array(rows[:4], dtype=float))
    assert np.allclose(got[[f"probability{i}" for i in range(3)]].to_numpy(dtype=float)[:4], want, atol=1e-12)
    assert got.iloc[4, 1:].isna().all()
    two = LogisticRegression().fit(X[:, :3], Y % 2)
    two.coef_, two.intercept_ = np.array([[1000.0, 0, 0]]), np.zeros(1)
    got = sqlrp.score(None, two, source, db.connection).to_pandas().sort_values("id")
    assert got["class"][:4].tolist() == [1, 0, 0, 0]  # a decision of 0 is the first class
    assert np.allclose(got["probability1"].to_numpy(dtype=float)[:4], [1, 0.5, 0.5, 0])
    huber = SGDClassifier(loss="modified_huber").fit(X[:, :3], Y % 3)
    huber.coef_, huber.intercept_ = np.eye(3), np.full(3, -4.0)
    got = sqlrp.score(None, huber, source, db.connection).to_pandas().sort_values("id")
    assert np.allclose(got[[f"probability{i}" for i in range(3)]].to_numpy(dtype=float)[:4], 1 / 3)


@pytest.mark.parametrize("name", ENGINES)
def test_hostile_names(db: Database, name: str) -> None:
    pipeline = pipeline_of("logistic-binary")
    hostile = "best \"d0' `"
    columns = [("k", "BIGINT"), (hostile, "BIGINT"), *((f"f{j}", "DOUBLE PRECISION") for j in range(64))]
    if db.name == "clickhouse":
        columns = [(name, kind.replace("DOUBLE PRECISION", "Float64")) for name, kind in columns]
    table = db.make("some table", columns, [[i, i + 100, *row] for i, row in enumerate(X.tolist())])
    source = sqlrp.Wide(table, key="k", keep=[hostile])
    got = sqlrp.score(pipeline[0].projection_, pipeline[-1], source, db.connection)
    assert got.column_names == ["k", hostile, "class", "decision", "probability0", "probability1"]
    got = got.to_pandas().sort_values("k", ignore_index=True)
    assert got[hostile].tolist() == [i + 100 for i in range(len(X))]
    assert_scores(got, pipeline, X)


def test_float_columns_are_computed_in_double(con: Any) -> None:
    frame = pd.DataFrame(X.astype(np.float32), columns=[f"f{j}" for j in range(64)])
    frame.insert(0, "id", range(len(frame)))
    con.from_df(frame).create("t")
    assert "FLOAT" in {row[1] for row in con.execute("DESCRIBE t").fetchall()}
    pipeline = pipeline_of("logistic")
    got = sqlrp.score(pipeline[0].projection_, pipeline[-1], "t", con).to_pandas()
    assert_scores(got, pipeline, X.astype(np.float32).astype(np.float64))


def test_text_alone_and_steps(con: Any) -> None:
    pipeline = pipeline_of("logistic")
    projection, names = pipeline[0].projection_, [f"f{j}" for j in range(64)]
    for engine in ("snowflake", "bigquery", "spark", "trino"):
        text = sqlrp.score_sql(projection, pipeline[-1], sqlrp.Wide("t", features=names), engine)
        assert text.startswith("SELECT")
        assert "exp(" in text
    frame = pd.DataFrame(X, columns=names).assign(id=range(len(X)))
    con.from_df(frame).create("t")
    query = sqlrp.score_sql(projection, pipeline[-1], "t", con)
    found = con.execute(f"SELECT id, class FROM ({query}) ORDER BY id").fetchall()
    assert [c for _, c in found] == pipeline.predict(X).tolist()


def test_a_hundred_classes(con: Any) -> None:
    x = np.random.default_rng(0).normal(size=(200, 8))
    pipeline = fitted(RidgeClassifier(), np.arange(200) % 100, x)
    frame = pd.DataFrame(x, columns=[f"f{j}" for j in range(8)]).assign(id=range(200))
    con.from_df(frame).create("t")
    got = sqlrp.score(pipeline[0].projection_, pipeline[-1], "t", con).to_pandas()
    assert_scores(got, pipeline, x)


class Calibrated(LogisticRegression):  # type: ignore[misc]  # untyped
    def predict_proba(self, x: Any) -> Any:
        return super().predict_proba(x) ** 2


def test_refusals(con: Any) -> None:
    projection = sqlrp.SparseProjection(k=64, s=1)
    names = [f"f{j}" for j in range(64)]
    source = sqlrp.Wide("t", features=names)
    svm = LinearSVC().fit(X, Y)
    odd = LogisticRegression().fit(X, Y > 4)
    odd.classes_ = np.array([b"a", b"b"], dtype=object)
    cases: list[tuple[Any, Any, Any, type[Exception], list[str]]] = [
        (projection, LinearSVC(), source, sqlrp.ParameterError, ["LinearSVC()", "is not fitted", "call its fit first"]),
        (projection, "svm", source, sqlrp.ParameterError, ["'svm'", "linear model"]),
        (sqlrp.SparseProjection(k=3), svm, source, sqlrp.ParameterError, ["64 features", "k = 3"]),
        ("rp", svm, source, sqlrp.ParameterError, ["'rp'", "not a projection"]),
        (projection, PoissonRegressor().fit(X, Y), source, sqlrp.UnsupportedError, ["PoissonRegressor", "alone"]),
        (projection, SVC(kernel="linear").fit(X, Y), source, sqlrp.UnsupportedError, ["SVC", "alone"]),
        (projection, SGDOneClassSVM().fit(X), source, sqlrp.UnsupportedError, ["no coef_ and intercept_"]),
        (projection, Calibrated().fit(X, Y), source, sqlrp.UnsupportedError, ["Calibrated", "logistic"]),
        (projection, odd, source, sqlrp.ParameterError, ["class b'a'", "text"]),
        (sqlrp.BilinearPooling(k=64), svm, source, sqlrp.UnsupportedError, ["BilinearPooling", "materialize"]),
        (projection, svm, sqlrp.Wide("t", keep=["Class"], features=names), sqlrp.SourceError, ["'Class'", "rename"]),
        (None, svm, sqlrp.Wide("t", features=names[:5]), sqlrp.SourceError, ["holds for 64 features", "has 5"]),
    ]
    for made, model, rows, error, words in cases:
        with pytest.raises(error) as caught:
            sqlrp.score_sql(made, model, rows, "duckdb")
        assert_one_line(caught, *words)
    with pytest.raises(sqlrp.ParameterError, match="pipeline"):
        sqlrp.score(projection, svm, pd.DataFrame(X), con)
    wide = LogisticRegression().fit(X, Y)
    wide.coef_, wide.intercept_, wide.classes_ = np.eye(900, 64), np.zeros(900), np.arange(900)
    with pytest.raises(sqlrp.LimitError, match="900 decisions make"):
        sqlrp.score_sql(None, wide, source, "postgresql")


@pytest.mark.parametrize(
    ("model", "linear"),
    [
        (LogisticRegression(), True),
        (LinearSVC(), True),
        (LinearRegression(), True),
        (RandomForestClassifier(5), False),
        (KNeighborsClassifier(), False),
        (StandardScaler(), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_fitted_is_not_told_to_be_fitted(model: Any, linear: bool) -> None:
    source = sqlrp.Wide("t", features=[f"f{j}" for j in range(64)])
    with pytest.raises(sqlrp.ParameterError) as caught:
        sqlrp.score_sql(None, clone(model), source, "duckdb")
    assert_one_line(caught, "is not fitted", "call its fit first", "only a linear model")
    fitted = clone(model).fit(X, Y)
    if linear:
        assert sqlrp.score_sql(None, fitted, source, "duckdb").startswith("SELECT")
        return
    with pytest.raises(sqlrp.UnsupportedError) as refused:
        sqlrp.score_sql(None, fitted, source, "duckdb")
    assert_one_line(refused, "no coef_ and intercept_", "only a linear model", "LogisticRegression")
    assert "fit first" not in str(refused.value)
    assert "not fitted" not in str(refused.value)


@pytest.mark.slow
def test_the_example() -> None:
    """PK-RP beats the pixels; of MNIST, where it is there, a part, as the whole takes a minute or two."""
    root = Path(__file__).resolve().parents[2]
    data = root.parent / "shared" / "data"
    if (data / "mnist.npz").exists():
        options, least = ["--data", str(data), "--rows", "2000", "-k", "400"], 0.5
    else:
        warnings.warn("mnist.npz is missing: examples/scoring.py ran on digits only", stacklevel=1)
        options, least = ["--data", "/nonexistent", "-k", "500"], 1.5
    script = [sys.executable, str(root / "examples" / "scoring.py"), *options]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert ("mnist.npz is missing" in done.stdout) == (least == 1.5)
    gain = re.search(r"([+-][\d.]+) points", done.stdout)
    assert gain is not None
    assert float(gain[1]) >= least
    same = re.search(r"for ([\d,]+) of ([\d,]+) rows", done.stdout)
    assert same is not None
    assert same[1] == same[2]
