"""SimpleImputer in pipelines and columns: NULL becomes its statistic, on the engines, from frames and in scores."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from databases import Database
from helpers import assert_one_line
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

import sqlrp
import sqlrp.sklearn

N, D = 40, 5
DRAW = np.random.default_rng(3)
X = DRAW.normal(size=(N, D)).round(2) * np.arange(1, D + 1) + 10
X[DRAW.random(X.shape) < 0.25] = np.nan
Y = (np.nan_to_num(X[:, 0]) > 9.5).astype(int)
NAMES = list("abcde")
FRAME = pd.DataFrame(X, columns=NAMES)
EMPTY = np.column_stack([X, np.full(N, np.nan)])

COLUMNS = ColumnTransformer(
    [
        ("one", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), [3, 0]),
        ("two", SimpleImputer(strategy="constant", fill_value=-1.0), [4]),
    ]
)
TRANSFORMERS: dict[str, Any] = {
    "mean": make_pipeline(SimpleImputer(), PCA(3)),
    "median": make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), PCA(2)),
    "most frequent": make_pipeline(SimpleImputer(strategy="most_frequent"), SelectKBest(k=3)),
    "constant": make_pipeline(SimpleImputer(strategy="constant", fill_value=-999.0), StandardScaler(), PCA(2)),
    "zero": make_pipeline(SimpleImputer(strategy="constant", fill_value=0), Normalizer(), PCA(2)),
    "scaled first": make_pipeline(StandardScaler(), SimpleImputer(strategy="constant", fill_value=0.5), PCA(2)),
    "scaled twice": make_pipeline(
        StandardScaler(), StandardScaler(with_std=False), SimpleImputer(), Normalizer(), PCA(2)
    ),
    "columns": COLUMNS,
    "columns, then": make_pipeline(COLUMNS, StandardScaler(), PCA(1)),
    "signs": make_pipeline(SimpleImputer(), sqlrp.sklearn.SparseProjection(3, random_state=2)),
    "polynomial": make_pipeline(SimpleImputer(), sqlrp.sklearn.PolynomialKernelProjection(3, random_state=2, t=2)),
}
MODELS: dict[str, Any] = {
    "mean": make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()),
    "alone": make_pipeline(SimpleImputer(strategy="median"), Ridge()),
    "columns": make_pipeline(COLUMNS, LogisticRegression()),
}


@cache
def fitted(models: bool, which: str, on_names: bool) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone((MODELS if models else TRANSFORMERS)[which]).fit(FRAME if on_names else X, Y)


def listed(x: Any) -> list[list[float | None]]:
    return [[None if np.isnan(value) else value for value in row] for row in x.tolist()]


@pytest.mark.parametrize("name", ["duckdb", "sqlite", "postgresql", "mariadb", "clickhouse"])
@pytest.mark.parametrize("which", TRANSFORMERS)
def test_the_numbers_of_transform(db: Database, which: str, name: str) -> None:
    found = fitted(False, which, False)
    want, projection, source = found.transform(X), sqlrp.from_sklearn(found), db.load("wide", listed(X))
    for lowering in ("inline", "relational"):
        got = db.projected(projection, source, lowering=lowering)
        rows = np.array([got[i] for i in range(N)], dtype=float)
        assert np.abs(rows - want).max() <= 1e-9 * np.abs(want).max()


@pytest.mark.parametrize("which", TRANSFORMERS)
def test_frames_arrays_and_what_is_saved(con: Any, which: str) -> None:
    projection, want = sqlrp.from_sklearn(fitted(False, which, True)), fitted(False, which, True).transform(FRAME)
    for frame in (FRAME, FRAME.astype("Float64"), FRAME[NAMES[::-1]]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # no row becomes NULL
            z = sqlrp.project(projection, frame, key=None).to_numpy().astype(float)
        assert np.abs(z - want).max() <= 1e-9 * np.abs(want).max()
    sqlrp.save(projection, con, "kept")
    assert sqlrp.load(con, "kept") == projection
    con.execute("CREATE TABLE t (id BIGINT, x DOUBLE[5])")
    con.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(listed(X))))
    by_position = sqlrp.from_sklearn(fitted(False, which, False))
    for lowering in ("native", "sql"):
        got = sqlrp.project(by_position, sqlrp.Array("t", "x"), con, lowering=lowering).sort_by("id").to_pandas()
        assert np.abs(got.drop(columns="id").to_numpy() - want).max() <= 1e-9 * np.abs(want).max()
    with pytest.raises(sqlrp.SourceError, match="NULL"):
        sqlrp.project(projection, FRAME, key=None, nulls="error")


@pytest.mark.parametrize("which", TRANSFORMERS)
def test_arrays_of_numpy(which: str) -> None:
    found = fitted(False, which, False)
    z, want = sqlrp.project(sqlrp.from_sklearn(found), X), found.transform(X)
    assert np.abs(z - want).max() <= 1e-9 * np.abs(want).max()
    one = sqlrp.project_vector(sqlrp.from_sklearn(found), listed(X)[1])
    assert np.abs(one - want[1]).max() <= 1e-9 * np.abs(want).max()
    sparse = sqlrp.project(sqlrp.from_sklearn(found), csr_array(X))
    assert np.abs(sparse - want).max() <= 1e-9 * np.abs(want).max()
    with pytest.raises(sqlrp.SourceError, match="NaN"):
        sqlrp.project(sqlrp.from_sklearn(found), X, nulls="error")


def test_nan_of_an_array_is_null_of_a_frame_where_features_are_rescaled() -> None:
    """With nulls "zero" it is 0 after the scaling, by either."""
    rows = np.nan_to_num(X)
    projection = sqlrp.from_sklearn(make_pipeline(StandardScaler(), PCA(2)).fit(rows))
    frame = sqlrp.project(projection, pd.DataFrame(X), key=None, nulls="zero").to_numpy()
    assert np.allclose(sqlrp.project(projection, X, nulls="zero"), frame, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
@pytest.mark.parametrize("which", MODELS)
def test_the_numbers_of_predict(db: Database, which: str, name: str) -> None:
    found = fitted(True, which, False)
    got = sqlrp.score(found, db.load("wide", listed(X)), db.connection).to_pandas().sort_values("id")
    if which == "alone":
        assert np.abs(got["prediction"].to_numpy() - found.predict(X)).max() <= 1e-9
        return
    assert got["class"].tolist() == found.predict(X).tolist()
    assert np.abs(got["decision"].to_numpy() - found.decision_function(X)).max() <= 1e-9


@pytest.mark.parametrize("which", ["signs", "scaled first", "mean"])
def test_a_diagnosis_compares_filled_rows(con: Any, which: str) -> None:
    projection = sqlrp.from_sklearn(fitted(False, which, True))
    con.from_df(FRAME.assign(id=range(N))).create("t")
    table, frame = sqlrp.diagnose(projection, "t", con), sqlrp.diagnose(projection, FRAME.assign(id=range(N)))
    assert table.sampled.rows == frame.sampled.rows == N
    assert table.distortion.mean == pytest.approx(frame.distortion.mean, rel=1e-9)
    filled = SimpleImputer().fit_transform(FRAME) if which == "signs" else None
    if filled is not None:
        z, rows = fitted(False, which, True).transform(FRAME), filled
        true, got = (((a[:, None] - a[None]) ** 2).sum(axis=2)[np.triu_indices(N, 1)] for a in (rows, z))
        assert frame.distortion.mean == pytest.approx(np.mean(np.abs(got - true) / true), rel=1e-9)


def test_a_feature_without_any_value_is_left_out() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = make_pipeline(SimpleImputer(), PCA(2)).fit(EMPTY)
        want = made.transform(EMPTY)
    z = sqlrp.project(sqlrp.from_sklearn(made), pd.DataFrame(EMPTY), key=None).to_numpy()
    assert np.abs(z - want).max() <= 1e-9 * np.abs(want).max()


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (make_pipeline(SimpleImputer(missing_values=-1.0), PCA(1)).fit(np.nan_to_num(X)), ["'simpleimputer'", "-1.0"]),
        (make_pipeline(SimpleImputer(add_indicator=True), PCA(1)).fit(X), ["add_indicator=False"]),
        (
            make_pipeline(SimpleImputer(), Normalizer(), SimpleImputer(), PCA(1)).fit(X),
            ["simpleimputer-2", "first step"],
        ),
        (make_pipeline(PCA(2), SimpleImputer(), PCA(1)).fit(np.nan_to_num(X)), ["'simpleimputer'", "first step"]),
        (
            ColumnTransformer([("a", SimpleImputer(), [0]), ("b", "passthrough", [1])]).fit(X),
            ["column 1 keeps NULL", "impute all columns"],
        ),
        (
            ColumnTransformer([("a", SimpleImputer(), [0]), ("b", SimpleImputer(strategy="median"), [0])]).fit(X),
            ["column 0 keeps NULL or gets two numbers"],
        ),
        (SimpleImputer().fit(X), ["SimpleImputer()", "cannot become a projection"]),
    ],
    ids=str,
)
def test_what_cannot_be_taken(made: Any, words: list[str]) -> None:
    with pytest.raises(sqlrp.UnsupportedError) as caught:
        sqlrp.from_sklearn(made)
    assert_one_line(caught, *words)


def test_only_the_first_step_fills_null() -> None:
    filling = sqlrp.from_sklearn(fitted(False, "mean", False)).of[0]
    with pytest.raises(sqlrp.ParameterError, match=r"step 2 of 2 fills NULL, .*: put it first"):
        sqlrp.Chained(of=(sqlrp.GivenProjection.of(np.eye(D)), filling))


def test_sparse_rows_and_prepared_ones_are_refused(con: Any) -> None:
    projection = sqlrp.from_sklearn(fitted(False, "mean", False))
    con.execute("CREATE TABLE cells AS SELECT 1 AS id, 0 AS feature, 2.0 AS value")
    with pytest.raises(sqlrp.ParameterError, match="sparse rows dense"):
        sqlrp.project(projection, sqlrp.Long("cells", n_features=D), con)
    con.from_df(FRAME.assign(id=range(N))).create("t")
    with pytest.raises(sqlrp.ParameterError, match="statistics of its own: pass it the plain source"):
        sqlrp.project(sqlrp.from_sklearn(fitted(False, "mean", True)), sqlrp.Standardized("t"), con)
