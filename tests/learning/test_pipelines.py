"""Whole pipelines of scikit-learn: from_sklearn and score_sql, against the pipeline itself on every row."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import DATABASES as ENGINES
from databases import Database
from helpers import assert_one_line
from scores import assert_scores
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF, PCA, TruncatedSVD
from sklearn.ensemble import RandomForestClassifier
from sklearn.kernel_approximation import Nystroem, PolynomialCountSketch
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier, SGDRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection
from sklearn.svm import LinearSVC

import sqlrp
import sqlrp.sklearn
from sqlrp._projections.chained import Scaling

DIGITS, DIGIT = load_digits(return_X_y=True)
X, Y = DIGITS[:90, 10:42] + 0.5, DIGIT[:90]
D = X.shape[1]
SHOWN = 12
"""The rows that the engines score."""

OWN = sqlrp.sklearn.PolynomialKernelProjection(8, c=1.0, s=3, random_state=3)
PIPELINES: dict[str, tuple[Any, Any]] = {
    "standard, PK-RP, several classes": (make_pipeline(StandardScaler(), OWN, LogisticRegression()), Y),
    "range, PCA, calibrated": (
        make_pipeline(MinMaxScaler((-1, 2)), PCA(9), CalibratedClassifierCV(LinearSVC(random_state=0), cv=2)),
        Y,
    ),
    "largest, sparse signs, calibrated of two classes": (
        make_pipeline(
            MaxAbsScaler(),
            SparseRandomProjection(8, random_state=0),
            CalibratedClassifierCV(LinearSVC(random_state=0), cv=2),
        ),
        Y > 4,
    ),
    "norm, Nystroem, SGD": (
        make_pipeline(
            Normalizer(), Nystroem(n_components=6, random_state=0), SGDClassifier(loss="log_loss", random_state=0)
        ),
        Y % 3,
    ),
    "quantiles, count sketch, regressor": (
        make_pipeline(RobustScaler(), PolynomialCountSketch(n_components=6, random_state=0), Ridge()),
        Y,
    ),
    "scaled twice, SVD, scaled, norm, SGD regressor": (
        make_pipeline(
            StandardScaler(with_mean=False),
            MinMaxScaler(),
            TruncatedSVD(5, random_state=0),
            StandardScaler(),
            Normalizer(),
            SGDRegressor(random_state=0),
        ),
        Y,
    ),
    "signs, scaled, normal signs, one calibrated line": (
        make_pipeline(
            sqlrp.sklearn.SparseProjection(9, s=2, random_state=1),
            StandardScaler(),
            GaussianRandomProjection(6, random_state=0),
            CalibratedClassifierCV(LinearSVC(random_state=0), cv=2, ensemble=False),
        ),
        Y % 3,
    ),
    "scaler and model alone": (make_pipeline(StandardScaler(with_std=False), LinearSVC(random_state=0)), Y % 3),
    "inner pipelines and passthrough": (
        Pipeline(
            [
                ("prepare", Pipeline([("scale", StandardScaler()), ("nothing", "passthrough")])),
                ("reduce", make_pipeline(PCA(4, whiten=True))),
                ("none", None),
                ("model", LogisticRegression()),
            ]
        ),
        Y > 4,
    ),
}
EACH = pytest.mark.parametrize("which", PIPELINES)


@cache
def fitted(which: str) -> Any:
    made, y = PIPELINES[which]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of models that are not trained to the end
        return clone(made).fit(X, y)


def scored(db: Database, pipeline: Any, source: Any, **options: Any) -> pd.DataFrame:
    return sqlrp.score(pipeline, source, db.connection, **options).to_pandas().sort_values("id", ignore_index=True)


def check(got: pd.DataFrame, pipeline: Any, x: Any) -> None:
    """The scores are the pipeline's: classes alike on every row, and numbers to 1e-9."""
    if hasattr(pipeline, "decision_function") or not hasattr(pipeline, "classes_"):
        assert_scores(got, pipeline, x)
        return
    assert got["class"].tolist() == pipeline.predict(x).tolist()
    assert "decision" not in got
    assert "decision0" not in got
    probabilities = got.filter(like="probability").to_numpy(dtype=float)
    assert np.abs(probabilities - pipeline.predict_proba(x)).max() <= 1e-9


@pytest.mark.parametrize("name", ENGINES)
def test_every_pipeline_on_every_engine(db: Database, name: str) -> None:
    source = db.load("wide", X[:SHOWN].tolist())
    for i, which in enumerate(PIPELINES):
        lowering = ("inline", "relational", "auto")[(i + len(name)) % 3]
        check(scored(db, fitted(which), source, lowering=lowering), fitted(which), X[:SHOWN])


@EACH
def test_every_row(con: Any, which: str) -> None:
    con.from_df(pd.DataFrame(X, columns=[f"f{j}" for j in range(D)]).assign(id=range(len(X)))).create("t")
    got = sqlrp.score(fitted(which), "t", con).to_pandas().sort_values("id", ignore_index=True)
    check(got, fitted(which), X)
    text = sqlrp.score_sql(fitted(which), sqlrp.Wide("t", features=[f"f{j}" for j in range(D)]), "postgresql")
    assert text.startswith("SELECT")


@pytest.mark.parametrize("layout", ["array", "long"])
@pytest.mark.parametrize("name", ["duckdb", "postgresql"])
def test_layouts(db: Database, name: str, layout: str) -> None:
    """Sparse rows are scored where no step shifts them."""
    source = db.load(layout, X[:SHOWN].tolist())
    for which in ("largest, sparse signs, calibrated of two classes", "norm, Nystroem, SGD"):
        check(scored(db, fitted(which), source), fitted(which), X[:SHOWN])
    if layout == "long":
        with pytest.raises(sqlrp.ParameterError, match="shifts every feature"):
            scored(db, fitted("range, PCA, calibrated"), source)


@EACH
def test_the_transformers_become_one_projection(con: Any, which: str) -> None:
    steps = fitted(which)[:-1]
    if which == "scaler and model alone":
        with pytest.raises(sqlrp.UnsupportedError) as caught:
            sqlrp.from_sklearn(steps)
        assert_one_line(caught, "no projection", "PCA")
        return
    projection, want = sqlrp.from_sklearn(steps), steps.transform(X)
    assert projection.bound_to == D
    assert projection.k == want.shape[1]
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)])
    size = np.abs(want).max()
    assert np.abs(sqlrp.project(projection, frame, key=None).to_numpy() - want).max() <= 1e-9 * size
    con.from_df(frame.assign(id=range(len(X)))).create("t")
    rows = sqlrp.project(projection, "t", con).to_pandas().sort_values("id").drop(columns="id")
    assert np.abs(rows.to_numpy() - want).max() <= 1e-9 * size
    sqlrp.install(con)
    sqlrp.save(projection, con, "whole")
    assert sqlrp.load(con, "whole") == projection
    inside = con.sql("FROM project_with('whole', 't') ORDER BY id").df().drop(columns="id")
    assert np.abs(inside.to_numpy() - want).max() <= 1e-9 * size


def test_names_are_those_of_the_first_step() -> None:
    names = [f"p{j}" for j in range(D)]
    pipeline = (
        make_pipeline(StandardScaler(), PCA(3)).set_output(transform="pandas").fit(pd.DataFrame(X, columns=names))
    )
    projection = sqlrp.from_sklearn(pipeline)
    assert projection.bound_to == tuple(names)
    frame = pd.DataFrame(X, columns=names)
    assert np.allclose(sqlrp.project(projection, frame, key=None), pipeline.transform(frame))
    turned = frame[names[::-1]].assign(more=1.0)
    assert np.allclose(sqlrp.project(projection, turned, key=None), pipeline.transform(frame))


def test_a_projection_before_a_pipeline(con: Any) -> None:
    rp = sqlrp.SparseProjection(k=6, s=1, seed=2)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)])
    z = sqlrp.project(rp, frame, key=None).to_numpy()
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(z, Y > 4)
    con.from_df(frame.assign(id=range(len(X)))).create("t")
    got = sqlrp.score(rp, pipeline, "t", con).to_pandas().sort_values("id", ignore_index=True)
    assert_scores(got, pipeline, z)


def test_measures_of_a_chain(con: Any) -> None:
    """One projection after scalings is measured among scaled rows. Several steps have no known kernel."""
    con.from_df(pd.DataFrame(X, columns=[f"f{j}" for j in range(D)]).assign(id=range(len(X)))).create("t")
    scaled = make_pipeline(StandardScaler(), SparseRandomProjection(8, random_state=0)).fit(X)
    found = sqlrp.diagnose(sqlrp.from_sklearn(scaled), "t", con, sample=30)
    by_hand = pd.DataFrame(scaled[0].transform(X), columns=[f"f{j}" for j in range(D)]).assign(id=range(len(X)))
    con.from_df(by_hand).create("scaled")
    want = sqlrp.diagnose(sqlrp.from_sklearn(scaled[1]), "scaled", con, sample=30)
    assert found.distortion.mean == pytest.approx(want.distortion.mean)
    several = sqlrp.from_sklearn(make_pipeline(PCA(8), SparseRandomProjection(4)).fit(X))
    assert "names no kernel" in str(sqlrp.diagnose(several, "t", con, sample=30))


REFUSED: list[tuple[Any, list[str]]] = [
    (make_pipeline(QuantileTransformer(n_quantiles=9), Ridge()), ["'quantiletransformer'", "StandardScaler"]),
    (make_pipeline(Binarizer(), Ridge()), ["'binarizer'", "cannot become"]),
    (make_pipeline(StandardScaler(), RandomForestClassifier(3)), ["'randomforestclassifier'", "linear"]),
    (make_pipeline(NMF(3), Ridge()), ["'nmf'", "cannot become"]),
    (make_pipeline(MinMaxScaler(clip=True), Ridge()), ["'minmaxscaler'", "clip=False"]),
    (make_pipeline(Normalizer("l1"), Ridge()), ["'normalizer'", "norm = 'l1'"]),
    (make_pipeline(Nystroem("sigmoid", n_components=4), Ridge()), ["'nystroem'", "'sigmoid'"]),
    (
        make_pipeline(PCA(3), CalibratedClassifierCV(LinearSVC(), method="isotonic", cv=2)),
        ["'calibratedclassifiercv'", "isotonic", "'sigmoid'"],
    ),
    (make_pipeline(StandardScaler(), PCA(3)), ["'pca'", "not a model", "from_sklearn"]),
    (
        Pipeline([("outer", make_pipeline(StandardScaler(), NMF(2))), ("model", Ridge())]),
        ["'outer.nmf'", "cannot become"],
    ),
]


@pytest.mark.parametrize(("pipeline", "words"), REFUSED, ids=lambda value: value[0] if isinstance(value, list) else "")
def test_what_is_not_linear_is_refused_by_its_step(pipeline: Any, words: list[str]) -> None:
    if "outer.nmf" in words[0]:
        pipeline = clone(pipeline).set_params(outer__standardscaler=MinMaxScaler())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline = clone(pipeline).fit(X, Y % 3)
    with pytest.raises(sqlrp.UnsupportedError) as caught:
        sqlrp.score_sql(pipeline, sqlrp.Wide("t", features=[f"f{j}" for j in range(D)]), "duckdb")
    assert_one_line(caught, "step", *words)


def test_other_refusals(con: Any) -> None:
    source = sqlrp.Wide("t", features=[f"f{j}" for j in range(D)])
    unfitted = make_pipeline(StandardScaler(), LinearSVC())
    odd = make_pipeline(PCA(3), Ridge()).fit(X, Y)
    odd.steps[1] = ("ridge", Ridge().fit(X[:, :4], Y))
    gap = make_pipeline(PCA(3), PCA(2), Ridge()).fit(X, Y)
    gap.steps[1] = ("again", PCA(2).fit(X))
    for given, words in (
        ((unfitted, source, "duckdb"), ["'standardscaler'", "not fitted"]),
        ((odd, source, "duckdb"), ["'ridge'", "4 features", "k = 3"]),
        ((gap, source, "duckdb"), ["'again'", f"{D} features", "3 components"]),
        ((sqlrp.SparseProjection(k=3), source, "duckdb"), ["an argument is missing"]),
        ((fitted("range, PCA, calibrated"), pd.DataFrame(X), con), ["dataframe"]),
    ):
        with pytest.raises(sqlrp.ParameterError) as caught:
            sqlrp.score_sql(*given)
        assert_one_line(caught, *words)
    with pytest.raises(sqlrp.UnsupportedError) as refused:
        sqlrp.from_sklearn(fitted("range, PCA, calibrated"))
    assert_one_line(refused, "'calibratedclassifiercv'", "score_sql")


def test_chained_by_hand() -> None:
    steps = sqlrp.SparseProjection(k=8, s=1), sqlrp.PolynomialKernelProjection(k=4, seed=1)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)])
    want = sqlrp.project(steps[1], sqlrp.project(steps[0], frame, key=None), key=None)
    made = sqlrp.Chained(of=steps)
    assert np.allclose(sqlrp.project(made, frame, key=None), want, rtol=1e-9)
    assert sqlrp.from_json(made.to_json()) == made
    bad: list[tuple[Any, str]] = [
        (sqlrp.Chained, "at least one"),
        (lambda: sqlrp.Chained(of=("x",)), "not a projection"),  # type: ignore[arg-type]
        (lambda: sqlrp.Chained(of=3), "not a projection"),  # type: ignore[arg-type]
        (lambda: Scaling.of([1.0], [1.0, 2.0]), "1 entries"),
        (lambda: Scaling.of([np.nan], [1.0]), "finite"),
    ]
    for make, words in bad:
        with pytest.raises(sqlrp.ParameterError, match=words) as caught:
            make()
        assert_one_line(caught)
    pooled = sqlrp.Chained(of=(sqlrp.BilinearPooling(k=4, seed=3), steps[0]))
    with pytest.raises(sqlrp.UnsupportedError, match="BilinearPooling sums the rows of a group"):
        sqlrp.sql(pooled, sqlrp.Wide("t", features=["a", "b"]), "duckdb")
