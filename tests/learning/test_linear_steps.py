"""Linear transformers, selections, columns and searches of scikit-learn as SQL: equal to scikit-learn to 1e-9."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from databases import Database
from helpers import assert_one_line, quoted
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.cross_decomposition import CCA, PLSSVD, PLSCanonical, PLSRegression
from sklearn.decomposition import PCA, IncrementalPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import (
    RFE,
    RFECV,
    GenericUnivariateSelect,
    SelectFdr,
    SelectFromModel,
    SelectKBest,
    SelectPercentile,
    SequentialFeatureSelector,
    VarianceThreshold,
)
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)

import sqlrp
import sqlrp.sklearn

N, D = 60, 8
DRAW = np.random.default_rng(4)
X = DRAW.normal(size=(N, D)).round(2) * np.arange(1, D + 1) + 30.0
X[:, 5] = 2.0  # without variance
Y = np.digitize(X[:, 0] + X[:, 1], np.quantile(X[:, 0] + X[:, 1], [0.4, 0.7]))
T = np.column_stack([X[:, 0] - X[:, 2], X[:, 3] + 0.1 * DRAW.normal(size=N)])
NAMES = ["a", 'b"', "c c", "d", "e", "f", "g", "h"]
FRAME = pd.DataFrame(X, columns=NAMES)

COLUMNS = ColumnTransformer(
    [
        ("scaled", StandardScaler(), [2, 0]),
        ("kept", "passthrough", slice(3, 5)),
        ("gone", "drop", [7]),
        ("one", MinMaxScaler(), [2]),
        ("chosen", make_pipeline(RobustScaler(), VarianceThreshold()), [1, 5]),
    ],
    remainder=MaxAbsScaler(),
    transformer_weights={"kept": 2.5},
)
TRANSFORMERS: dict[str, Any] = {
    "incremental": IncrementalPCA(3, batch_size=20),
    "incremental, whitened": IncrementalPCA(3, whiten=True),
    "variance": VarianceThreshold(0.5),
    "best": SelectKBest(k=3),
    "percentile": SelectPercentile(percentile=40),
    "rate": SelectFdr(alpha=0.2),
    "univariate": GenericUnivariateSelect(mode="k_best", param=2),
    "from a model": SelectFromModel(LogisticRegression(max_iter=5000)),
    "recursive": RFE(LinearRegression(), n_features_to_select=4),
    "recursive, validated": RFECV(LinearRegression(), cv=3),
    "one by one": SequentialFeatureSelector(LinearRegression(), n_features_to_select=2, cv=2),
    "discriminants": LinearDiscriminantAnalysis(),
    "discriminants, eigen": LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.3, n_components=1),
    "least squares": PLSRegression(2),
    "least squares, not scaled": PLSRegression(2, scale=False),
    "canonical": PLSCanonical(2),
    "correlation": CCA(2),
    "singular values": PLSSVD(2),
    "columns": COLUMNS,
    "columns of steps": ColumnTransformer(
        [("pca", PCA(2), [0, 1, 2]), ("signs", sqlrp.sklearn.SparseProjection(2, random_state=1), [3, 4, 6])]
    ),
    "union": FeatureUnion([("pca", PCA(2)), ("scaled", StandardScaler()), ("same", "passthrough")]),
    "unchanged, then columns": make_pipeline(FunctionTransformer(), COLUMNS, PCA(3)),
    "chosen, scaled, reduced": make_pipeline(VarianceThreshold(), StandardScaler(), SelectKBest(k=4), PCA(2)),
    "scaled, discriminants": make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
    "search": GridSearchCV(Pipeline([("s", StandardScaler()), ("p", PCA(2))]), {"p__n_components": [1, 2]}),
}
TWO = ("canonical", "correlation", "singular values", "least squares")
MODELS: dict[str, Any] = {
    "least squares": PLSRegression(2),
    "least squares of one target": PLSRegression(3),
    "canonical": PLSCanonical(2),
    "columns, ridge": make_pipeline(COLUMNS, Ridge()),
    "best, logistic": make_pipeline(SelectKBest(k=4), StandardScaler(), LogisticRegression()),
    "variance, discriminants": make_pipeline(VarianceThreshold(), LinearDiscriminantAnalysis()),
    "search": GridSearchCV(Pipeline([("s", StandardScaler()), ("m", LogisticRegression())]), {"m__C": [0.1, 1.0]}),
    "random search in a pipeline": make_pipeline(
        StandardScaler(), RandomizedSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, n_iter=2, random_state=0)
    ),
    "search alone": GridSearchCV(LogisticRegression(max_iter=5000), {"C": [0.01, 0.1]}, cv=3),
}


def target(name: str) -> Any:
    if name == "least squares of one target":
        return T[:, 0]
    return T if name in TWO else Y


@cache
def fitted(which: str, name: str, on_names: bool) -> Any:
    made = clone((TRANSFORMERS if which == "transformer" else MODELS)[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of columns without variance
        return made.fit(FRAME if on_names else X, target(name))


def said(found: Any, x: Any) -> Any:
    z = found.transform(x)
    return np.asarray(z.toarray() if hasattr(z, "toarray") else z, dtype=float)


@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
@pytest.mark.parametrize("which", TRANSFORMERS)
def test_the_numbers_of_transform(db: Database, which: str, name: str) -> None:
    found = fitted("transformer", which, False)
    want = said(found, X)
    source = db.load("wide", X.tolist())
    for lowering in ("inline", "relational"):
        got = db.projected(sqlrp.from_sklearn(found), source, lowering=lowering)
        rows = np.array([got[i] for i in range(N)], dtype=float)
        assert rows.shape == want.shape
        assert np.abs(rows - want).max() <= 1e-9 * np.abs(want).max()


@pytest.mark.parametrize("which", TRANSFORMERS)
def test_names_arrays_and_what_is_saved(con: Any, which: str) -> None:
    found = fitted("transformer", which, True)
    projection, want = sqlrp.from_sklearn(found), said(found, FRAME)
    turned = FRAME[NAMES[::-1]].assign(more=7.0)
    z = sqlrp.project(projection, turned, key=None).to_numpy()
    assert np.abs(z - want).max() <= 1e-9 * np.abs(want).max()
    sqlrp.save(projection, con, "kept")
    assert sqlrp.load(con, "kept") == projection
    con.from_df(turned.assign(id=range(N))).create("t")
    table = sqlrp.project(projection, "t", con).sort_by("id").to_pandas().drop(columns="id").to_numpy()
    assert np.abs(table - want).max() <= 1e-9 * np.abs(want).max()
    listed = ", ".join(quoted(name) for name in NAMES)
    con.execute(f"CREATE TABLE arrays AS SELECT id, [{listed}]::DOUBLE[{D}] AS x FROM t")
    by_position = sqlrp.from_sklearn(fitted("transformer", which, False))
    array = sqlrp.project(by_position, sqlrp.Array("arrays", "x"), con).sort_by("id").to_pandas()
    assert np.abs(array.drop(columns="id").to_numpy() - want).max() <= 1e-9 * np.abs(want).max()


@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
@pytest.mark.parametrize("which", MODELS)
def test_the_numbers_of_predict(db: Database, which: str, name: str) -> None:
    found = fitted("model", which, False)
    got = sqlrp.score(found, db.load("wide", X.tolist()), db.connection).to_pandas().sort_values("id")
    want = np.asarray(found.predict(X))
    if hasattr(found, "classes_"):
        assert got["class"].tolist() == want.tolist()
        decisions = np.asarray(found.decision_function(X)).reshape(N, -1)
        numbers = got.filter(like="decision").to_numpy(dtype=float)
        assert np.abs(numbers - decisions).max() <= 1e-9 * np.abs(decisions).max()
    else:
        numbers = got.filter(like="prediction").to_numpy(dtype=float)
        assert np.abs(numbers - want.reshape(N, -1)).max() <= 1e-9 * np.abs(want).max()


def test_columns_far_from_zero_keep_their_digits() -> None:
    """A scaler's mean is subtracted first, in a part too."""
    x = X + 1e9
    made = ColumnTransformer([("a", StandardScaler(), [0, 3]), ("b", RobustScaler(), [1])]).fit(x)
    z = sqlrp.project(sqlrp.from_sklearn(made), pd.DataFrame(x), key=None).to_numpy()
    assert np.abs(z - made.transform(x)).max() <= 1e-9


def test_columns_that_are_dropped_are_not_needed(con: Any) -> None:
    """Text too, of which a model of chosen columns knows nothing."""
    frame = FRAME.assign(kind=["text"] * N)
    made = ColumnTransformer([("numbers", StandardScaler(), make_column_selector(dtype_include=float))]).fit(frame)
    projection = sqlrp.from_sklearn(made)
    assert projection.bound_to == tuple(NAMES)
    con.from_df(frame.assign(id=range(N))).create("t")
    z = sqlrp.project(projection, "t", con).sort_by("id").to_pandas().drop(columns="id").to_numpy()
    assert np.abs(z - made.transform(frame)).max() <= 1e-9
    model = make_pipeline(made, LogisticRegression()).fit(frame, Y)
    got = sqlrp.score(model, sqlrp.Wide("t", features=NAMES[::-1]), con).sort_by("id").column("class").to_pylist()
    assert got == model.predict(frame).tolist()
    for columns in (slice("d", "f"), [True, False] * 4 + [False], ["a"], [-2], ["h", "a"]):
        part = ColumnTransformer([("some", StandardScaler(), columns)]).fit(frame)
        z = sqlrp.project(sqlrp.from_sklearn(part), frame[NAMES], key=None).to_numpy()
        assert np.abs(z - part.transform(frame)).max() <= 1e-9


def test_a_selection_only_reads(con: Any) -> None:
    projection = sqlrp.from_sklearn(SelectKBest(k=3).fit(FRAME, Y))
    assert all(stage.exact for stage in projection.stages(D))
    assert "*" not in sqlrp.sql(projection, sqlrp.Wide("t", features=NAMES), "duckdb")


@pytest.mark.parametrize(
    ("made", "error", "words"),
    [
        (
            ColumnTransformer([("norm", Normalizer(), [0, 1])]).fit(X),
            sqlrp.UnsupportedError,
            ["part 'norm'", "not linear"],
        ),
        (
            ColumnTransformer([("hot", OneHotEncoder(), [0])]).fit(X),
            sqlrp.UnsupportedError,
            ["part 'hot' of the ColumnTransformer", "OneHotEncoder()"],
        ),
        (
            FeatureUnion([("kernel", Nystroem(n_components=3))]).fit(X),
            sqlrp.UnsupportedError,
            ["part 'kernel' of the FeatureUnion", "not linear"],
        ),
        (ColumnTransformer([("none", "drop", [0])]).fit(X), sqlrp.UnsupportedError, ["keeps no column"]),
        (
            Pipeline([("outer", ColumnTransformer([("hot", OneHotEncoder(), [0])])), ("pca", PCA(1))]).fit(X),
            sqlrp.UnsupportedError,
            ["step 'outer' of the pipeline: part 'hot'"],
        ),
        (GridSearchCV(Ridge(), {"alpha": [1.0]}), sqlrp.ParameterError, ["best_estimator_", "refit=True"]),
        (
            GridSearchCV(Ridge(), {"alpha": [1.0]}, refit=False).fit(X, Y),
            sqlrp.ParameterError,
            ["best_estimator_", "refit=True"],
        ),
        (LinearDiscriminantAnalysis(solver="lsqr").fit(X, Y), sqlrp.UnsupportedError, ["no transform", "'svd'"]),
        (LinearDiscriminantAnalysis(), sqlrp.ParameterError, ["not fitted"]),
        (SelectKBest(), sqlrp.ParameterError, ["not fitted"]),
        (COLUMNS, sqlrp.ParameterError, ["not fitted"]),
        (SelectKBest(k=0).fit(X, Y), sqlrp.UnsupportedError, ["selects no feature"]),
        (make_pipeline(FunctionTransformer(np.log1p), PCA(2)).fit(X), sqlrp.UnsupportedError, ["calls a function"]),
    ],
    ids=str,
)
def test_what_cannot_be_taken(made: Any, error: type[Exception], words: list[str]) -> None:
    with pytest.raises(error) as caught:
        sqlrp.from_sklearn(made)
    assert_one_line(caught, *words)
