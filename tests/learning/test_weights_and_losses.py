"""Weights, standardized components, scores, logistic regression and standard errors, against scikit-learn's."""

from __future__ import annotations

import warnings
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from databases import FAMILY, Database
from helpers import assert_one_line
from learnt import ENGINES, KEYS, NAMES, PK, RIDGES, ROWS, D, K, V, X, Y, fold_of, wide, z
from scipy.optimize import minimize
from scipy.special import logsumexp
from scipy.stats import t as student
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, log_loss, mean_squared_error, r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sqlrp
from sqlrp._learning import row_sums
from sqlrp._learning.student import two_sided

HEAVY = (np.arange(ROWS) % 4) * 0.5
"""Of the rows; some are 0."""
RARE = np.where(np.arange(ROWS) % 9 == 0, 1, 0) * (Y != 0)
SIZE = 1e4
"""About the size of a component: scikit-learn's logistic regression converges badly without it."""


@pytest.fixture(scope="module")
def table() -> Any:
    """The rows with weights in DuckDB."""
    with duckdb.connect(config={"threads": "1"}) as con:
        frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)]).assign(id=KEYS, label=Y, v=V, name=NAMES[Y])
        frame = frame.assign(heavy=HEAVY, rare=RARE, below=HEAVY - 1)
        con.register("loaded", frame)
        con.execute("CREATE TABLE t AS FROM loaded")
        yield con


def assert_same(model: Any, coefficients: Any, intercepts: Any, close: float = 1e-8) -> None:
    want = np.atleast_2d(coefficients)
    assert np.abs(np.atleast_2d(model.coef_) - want).max() <= close * np.abs(want).max()
    assert np.allclose(np.ravel(model.intercept_), np.ravel(intercepts), rtol=close, atol=close)


def plain_of(scaler: Any, model: Any) -> tuple[Any, Any]:
    """The coefficients and intercepts for rows that are not scaled."""
    w = np.atleast_2d(model.coef_) / scaler.scale_
    return w, model.intercept_ - w @ scaler.mean_


@pytest.mark.parametrize("lowering", ["sql", "native"])
@pytest.mark.parametrize("weight", ["balanced", {0: 3.0, 2: 0.5}])
def test_weights_of_classes_and_rows_and_standardized_components(table: Any, lowering: str, weight: Any) -> None:
    """The models and the scores of the folds are those of the same pipeline on the projected rows."""
    asked = {"lowering": lowering, "class_weight": weight, "ridge": RIDGES, "folds": 3}
    model = sqlrp.learn(PK, wide(), table, standardize=True, **asked)  # type: ignore[arg-type]
    scaler = StandardScaler().fit(z())
    own = RidgeClassifier(alpha=model.ridge, class_weight=weight).fit(scaler.transform(z()), Y)
    assert_same(model, *plain_of(scaler, own))
    fold = fold_of(KEYS, 3)
    for score in model.scores:
        held = fold == score.fold
        again = make_pipeline(StandardScaler(), RidgeClassifier(alpha=score.ridge, class_weight=weight))
        assert score.score == pytest.approx(again.fit(z()[~held], Y[~held]).score(z()[held], Y[held]), abs=1e-12)
    same = sqlrp.model_from_json(model.to_json())
    assert same.settings == model.settings
    assert (same.coef_ == model.coef_).all()
    value = sqlrp.learn(PK, wide(), table, "v", sample_weight="heavy", ridge=2.5, lowering=lowering)
    theirs = Ridge(alpha=2.5).fit(z(), V, sample_weight=HEAVY)
    assert_same(value, theirs.coef_, theirs.intercept_)


@pytest.mark.parametrize("lowering", ["sql", "native"])
def test_weighted_rows_count_several_times(table: Any, lowering: str) -> None:
    """Whole weights give the model, and the scores, of a table that repeats the rows."""
    table.execute("CREATE OR REPLACE VIEW heavy AS SELECT * REPLACE (heavy * 2 AS heavy) FROM t")
    table.execute("CREATE OR REPLACE TABLE more AS SELECT t.* FROM t, range(3) u(i) WHERE i < t.heavy * 2")
    for more in ({}, {"class_weight": "balanced"}, {"passes": 4}, {"coding": "discriminant"}, {"coding": "logistic"}):
        ridge = 3e8 if more.get("coding") == "logistic" else 5.0
        asked: dict[str, Any] = {
            "ridge": ridge,
            "folds": 2,
            "lowering": lowering,
            "scoring": "balanced_accuracy",
        } | more
        model = sqlrp.learn(PK, wide("heavy"), table, sample_weight="heavy", **asked)
        want = sqlrp.learn(PK, wide("more"), table, **asked)
        assert_same(model, want.coef_, want.intercept_, 1e-6)
        assert [s.score for s in model.scores] == pytest.approx([s.score for s in want.scores])


SCORES: dict[str, Any] = {
    "accuracy": accuracy_score,
    "balanced_accuracy": balanced_accuracy_score,
    "f1": f1_score,
    "f1_macro": lambda y, said: f1_score(y, said, average="macro"),
}


@pytest.mark.parametrize("lowering", ["sql", "native"])
@pytest.mark.parametrize("scoring", SCORES)
def test_scores_are_those_of_scikit_learn(table: Any, lowering: str, scoring: str) -> None:
    asked: dict[str, Any] = {"scoring": scoring, "lowering": lowering, "class_weight": "balanced", "ridge": 10.0}
    model = sqlrp.learn(PK, wide(), table, "rare", folds=2, **asked)
    fold = fold_of(KEYS, 2)
    for score in model.scores:
        held = fold == score.fold
        again = RidgeClassifier(alpha=10.0, class_weight="balanced").fit(z()[~held], RARE[~held])
        assert score.score == pytest.approx(SCORES[scoring](RARE[held], again.predict(z()[held])), abs=1e-12)
    assert scoring in repr(model)


def test_scores_of_values(table: Any) -> None:
    fold, found = fold_of(KEYS, 3), {"r2": r2_score, "neg_mean_squared_error": lambda y, f: -mean_squared_error(y, f)}
    for scoring, function in found.items():
        model = sqlrp.learn(PK, wide(), table, "v", folds=3, scoring=scoring)
        for score in model.scores:
            held = fold == score.fold
            again = Ridge(alpha=1.0).fit(z()[~held], V[~held])
            assert score.score == pytest.approx(function(V[held], again.predict(z()[held])), rel=1e-8)


@pytest.mark.parametrize("lowering", ["sql", "native"])
@pytest.mark.parametrize("target", ["label", "rare"])
@pytest.mark.parametrize("intercept", [True, False])
def test_logistic_regression(table: Any, lowering: str, target: str, intercept: bool) -> None:
    """The coefficients, the log losses of the folds, and the probabilities in SQL are those of scikit-learn."""
    y = Y if target == "label" else RARE
    asked: dict[str, Any] = {"lowering": lowering, "ridge": SIZE**2, "passes": 1000, "class_weight": "balanced"}
    asked["intercept"] = intercept
    scoring = "neg_log_loss"
    model = sqlrp.learn(PK, wide(), table, target, coding="logistic", folds=2, scoring=scoring, **asked)
    assert model.converged

    def theirs(rows: Any) -> Any:
        made = LogisticRegression(C=1.0, class_weight="balanced", tol=1e-10, max_iter=10_000, fit_intercept=intercept)
        return made.fit(z()[rows] / SIZE, y[rows])

    want = theirs(slice(None))
    assert_same(model, want.coef_ / SIZE, want.intercept_, 2e-3)
    fold = fold_of(KEYS, 2)
    for score in model.scores:
        held = fold == score.fold
        lost = log_loss(y[held], theirs(~held).predict_proba(z()[held] / SIZE), labels=np.unique(y))
        assert score.score == pytest.approx(-lost, rel=2e-3)
    assert np.allclose(model.predict_proba(z()), want.predict_proba(z() / SIZE), atol=2e-3)
    got = sqlrp.score(PK, model, wide(), table).sort_by("id")
    p = np.column_stack([got.column(f"probability{i}") for i in range(len(np.unique(y)))])
    assert np.allclose(p, model.predict_proba(z()[np.argsort(KEYS)]))
    again = sqlrp.model_from_json(model.to_json())
    assert (repr(again), again.converged) == (repr(model), True)


def test_logistic_regression_takes_few_passes() -> None:
    """Many classes that hardly overlap: the loss is far flatter than at 0, and its least is nearly reached."""
    draw = np.random.default_rng(5)
    y = draw.integers(0, 12, 1500)
    x = draw.normal(size=(12, 40))[y] + draw.normal(size=(1500, 40)) * np.geomspace(0.3, 3, 40)
    bare, names = sqlrp.RandomSubspace(k=40, seed=1), [f"f{j}" for j in range(40)]
    frame = pd.DataFrame(x, columns=names)
    picked = sqlrp.project(bare, frame, key=None).to_numpy()
    with duckdb.connect() as con:
        con.register("rows", frame.assign(id=range(1500), label=y))
        model = sqlrp.learn(bare, sqlrp.Wide("rows", features=names), con, coding="logistic", ridge=3.0)
    own = LogisticRegression(C=1 / 3, tol=1e-9, max_iter=10_000).fit(picked, y)
    assert model.converged
    assert model.passes <= 40

    def lost(each: Any) -> float:
        return log_loss(y, each.predict_proba(picked)) * 1500 + 3 / 2 * (each.coef_**2).sum()

    assert lost(own) * (1 - 1e-9) <= lost(model) <= lost(own) * (1 + 1e-5)


@pytest.mark.parametrize(
    ("apart", "ridge", "seed"),
    [(1.0, 1e-6, 1), *(pytest.param(*case, marks=pytest.mark.slow) for case in [(0.3, 1, 1), (1, 1e-6, 2), (2, 1, 2)])],
)
def test_what_has_converged_is_near_the_least_loss(apart: float, ridge: float, seed: int) -> None:
    """Twenty classes, which hardly overlap or much, and features of sizes from 1e-6 to 1e6."""
    draw, d, n = np.random.default_rng(seed), 20, 500
    y = draw.integers(0, 20, n)
    x = draw.normal(size=(20, d))[y] * apart + draw.normal(size=(n, d))
    bare, names = sqlrp.RandomSubspace(k=d, seed=1), [f"f{j}" for j in range(d)]
    frame = pd.DataFrame(x * np.geomspace(1e-6, 1e6, d)[draw.permutation(d)], columns=names)
    picked = sqlrp.project(bare, frame, key=None).to_numpy()
    with duckdb.connect() as con, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a model has not converged
        con.register("rows", frame.assign(id=range(n), label=y))
        source, more = sqlrp.Wide("rows", features=names), {"coding": "logistic", "ridge": ridge}
        models: list[Any] = [sqlrp.learn(bare, source, con, passes=p, **more) for p in (100, 250, 1000)]  # type: ignore[arg-type]
    unit = picked.std(axis=0)
    rows, penalty = (picked - picked.mean(axis=0)) / unit, ridge / unit**2

    def lost(flat: Any) -> tuple[float, Any]:
        """The loss and its slope, of coefficients and intercepts for rows of variance 1."""
        w, b = flat[:-20].reshape(20, d), flat[-20:]
        decisions = rows @ w.T + b
        level = logsumexp(decisions, axis=1)
        off = np.exp(decisions - level[:, None])
        off[np.arange(n), y] -= 1
        value = (level - decisions[np.arange(n), y]).sum() + (penalty * w**2).sum() / 2
        return float(value), np.concatenate([(off.T @ rows + penalty * w).reshape(-1), off.sum(axis=0)])

    flat = [np.append(each.coef_ * unit, each.intercept_ + each.coef_ @ picked.mean(axis=0)) for each in models]
    least = minimize(lost, flat[-1], jac=True, method="L-BFGS-B", options={"maxiter": 3000, "ftol": 1e-14}).fun
    gaps = [lost(each)[0] - least for each in flat]
    most = max(4e-3 * least, 1e-4 * n)  # the least is near 0 where the classes hardly overlap
    assert all(gap < most for gap, each in zip(gaps, models, strict=True) if each.converged), (gaps, least)
    assert models[-1].converged or apart > 0.3


def test_passes_that_are_too_few_are_told(table: Any) -> None:
    for more in ({"passes": 3}, {"passes": 3, "coding": "logistic"}):
        with pytest.warns(sqlrp.SqlrpWarning, match=r"the last of 3 passes changed .* raise passes"):
            model = sqlrp.learn(PK, wide(), table, **more)  # type: ignore[arg-type]
        assert not model.converged
        assert "passes=3, not converged" in repr(model)
        assert not sqlrp.model_from_json(model.to_json()).converged
    model = sqlrp.learn(PK, wide(), table, passes=1000, ridge=2e4)
    assert model.converged
    assert 2 < model.passes < 1000


@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_weighs_and_scores(db: Database, name: str) -> None:
    """The database adds up; the sums of this process are the oracle, which other tests compare with scikit-learn."""
    double = {"clickhouse": "Float64", **dict.fromkeys(FAMILY, "DOUBLE")}.get(db.name, "DOUBLE PRECISION")
    columns = [("id", "BIGINT"), ("label", "BIGINT"), ("heavy", double), *((f"f{j}", double) for j in range(D))]
    rows = [[int(k), int(y), float(w), *x] for k, y, w, x in zip(KEYS, Y, HEAVY, X.tolist(), strict=True)]
    source = wide(db.make("weighted", columns, rows))
    for more in (
        {"class_weight": "balanced", "standardize": True, "scoring": "f1_macro"},
        {"coding": "logistic", "scoring": "neg_log_loss", "ridge": SIZE**2, "passes": 3, "class_weight": {1: 2.0}},
    ):
        asked: dict[str, Any] = {"sample_weight": "heavy", "folds": 2} | more
        ours = sqlrp.learn(PK, source, db.connection, lowering="sql", **asked)
        with duckdb.connect() as con:
            frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)]).assign(id=KEYS, label=Y, heavy=HEAVY)
            con.register("weighted", frame)
            want = sqlrp.learn(PK, wide("weighted"), con, lowering="native", **asked)
        assert_same(ours, want.coef_, want.intercept_)
        assert [s.score for s in ours.scores] == pytest.approx([s.score for s in want.scores], rel=1e-9)
    auto = sqlrp.learn(PK, source, db.connection, **asked)
    assert_same(auto, want.coef_, want.intercept_)
    negative = db.make(
        "negative", columns, [[int(k), int(y), -1.0, *x] for k, y, x in zip(KEYS, Y, X.tolist(), strict=True)]
    )
    for lowering in ("sql", "auto"):
        with pytest.raises(Exception, match="is below 0"):
            sqlrp.learn(PK, wide(negative), db.connection, sample_weight="heavy", lowering=lowering)


# -- standard errors, and rows far from 0 ---------------------------------------------------------------------


def textbook(x: Any, y: Any, weights: Any) -> tuple[Any, Any]:
    """The coefficients and standard errors of weighted least squares, from the QR of all rows."""
    root = np.sqrt(weights)
    design, target = x * root[:, None], y * root
    q, r = np.linalg.qr(design)
    beta = np.linalg.solve(r, q.T @ target)
    inverse = np.linalg.inv(r)
    variance = ((target - design @ beta) ** 2).sum() / (len(y) - x.shape[1])
    return beta, np.sqrt(variance * (inverse**2).sum(axis=1))


@pytest.mark.parametrize("lowering", ["sql", "native"])
@pytest.mark.parametrize("intercept", [True, False])
def test_standard_errors(table: Any, lowering: str, intercept: bool) -> None:
    bare = sqlrp.SparseProjection(k=4, s=1, seed=1)
    x = sqlrp.project(bare, pd.DataFrame(X, columns=[f"f{j}" for j in range(D)]), key=None).to_numpy()
    design = np.column_stack([x, np.ones(ROWS)]) if intercept else x
    for weight, weights in ((None, np.ones(ROWS)), ("full", HEAVY + 0.25)):
        table.execute("CREATE OR REPLACE VIEW whole AS SELECT *, heavy + 0.25 AS full FROM t")
        asked: dict[str, Any] = {"ridge": 0, "intercept": intercept, "sample_weight": weight, "lowering": lowering}
        found = sqlrp.learn(bare, wide("whole"), table, "v", **asked).inference()
        beta, errors = textbook(design, V, weights)
        assert np.allclose(found.column("value"), beta, rtol=1e-8)
        assert np.allclose(found.column("standard_error"), errors, rtol=1e-8)
        p = 2 * student.sf(np.abs(beta / errors), ROWS - design.shape[1])
        assert np.allclose(found.column("t"), beta / errors, rtol=1e-8)
        assert np.allclose(found.column("p"), p, rtol=1e-6)
    assert found.column("coefficient").to_pylist()[-1] == ("intercept" if intercept else "z3")


def test_the_probability_of_t() -> None:
    for freedom in (1, 2, 7, 40, 1e3, 1e6):
        for value in (0.0, 1e-9, 0.3, -1.96, 5.0, -40.0, np.inf):
            assert two_sided(value, freedom) == pytest.approx(2 * student.sf(abs(value), freedom), rel=1e-8, abs=1e-300)
    assert np.isnan(two_sided(np.nan, 3))


@pytest.mark.parametrize("lowering", ["sql", "native"])
def test_rows_far_from_0_and_repeated_columns(lowering: str) -> None:
    """An offset of 1e7 costs no digits of the coefficients, and a column that repeats another shares its part."""
    draw = np.random.default_rng(8)
    x = draw.normal(size=(4000, 5))
    y = x @ [1.0, -2.0, 0.5, 0.0, 3.0] + draw.normal(size=4000)
    far = x + np.array([1e7, -1e7, 1e7, 3e6, 0])
    frame = pd.DataFrame(np.column_stack([far, far[:, 0]]), columns=[f"f{j}" for j in range(6)])
    rows = sqlrp.Wide("rows", features=[f"f{j}" for j in range(6)])
    bare = sqlrp.RandomSubspace(k=6, seed=1)
    with duckdb.connect() as con:
        con.register("rows", frame.assign(id=range(4000), v=y))
        whole = sqlrp.learn(bare, rows, con, "v", ridge=0, lowering=lowering)
        picked = sqlrp.project(bare, pd.DataFrame(np.eye(6), columns=list(frame)), key=None).to_numpy()
        w = picked @ whole.coef_
        centred = far - far.mean(axis=0)
        want = np.linalg.lstsq(centred, y - y.mean(), rcond=None)[0]
        assert w[0] == pytest.approx(w[5], rel=1e-6)
        assert np.append(w[0] + w[5], w[1:5]) == pytest.approx(want, rel=1e-7, abs=1e-9)
        with pytest.raises(sqlrp.ParameterError, match="are sums of others"):
            whole.inference()  # type: ignore[attr-defined]
        few = sqlrp.Wide("rows", features=[f"f{j}" for j in range(5)])
        own = sqlrp.learn(sqlrp.RandomSubspace(k=5, seed=1), few, con, "v", ridge=0, lowering=lowering)
        errors = textbook(np.column_stack([centred, np.ones(4000)]), y, np.ones(4000))[1]
        found = np.sort(own.inference().column("standard_error").to_numpy()[:5])  # type: ignore[attr-defined]
        assert np.allclose(found, np.sort(errors[:5]), rtol=1e-7)


def test_refusals(table: Any) -> None:
    cases: list[tuple[type[Exception], list[str], dict[str, Any]]] = [
        (sqlrp.ParameterError, ["class_weight = 'even'", "'balanced'"], {"class_weight": "even"}),
        (sqlrp.ParameterError, ["class_weight of 1", "0 or above"], {"class_weight": {1: -1}}),
        (sqlrp.ParameterError, ["the class 7", "no row has"], {"class_weight": {7: 1}}),
        (
            sqlrp.ParameterError,
            ["class_weight = 'balanced' is for classes"],
            {"class_weight": "balanced", "target": "v"},
        ),
        (sqlrp.ParameterError, ["is for classes", "'v'"], {"coding": "logistic", "target": "v"}),
        (sqlrp.ParameterError, ["scoring = 'r2'", "no score of classes"], {"scoring": "r2"}),
        (sqlrp.ParameterError, ["scoring = 'f1'", "no score of values"], {"scoring": "f1", "target": "v"}),
        (sqlrp.ParameterError, ["scoring = 'f1'", "'f1_macro'"], {"scoring": "f1"}),
        (sqlrp.ParameterError, ["'neg_log_loss'", "coding = 'logistic'"], {"scoring": "neg_log_loss"}),
        (sqlrp.ParameterError, ["scoring = 'auc'"], {"scoring": "auc"}),
        (sqlrp.ParameterError, ["standardize = True"], {"standardize": True, "intercept": False}),
        (sqlrp.SourceError, ["'heavi'", "did you mean 'heavy'?"], {"sample_weight": "heavi"}),
        (sqlrp.SourceError, ["sample_weight = 'name'", "numbers"], {"sample_weight": "name"}),
        (sqlrp.ParameterError, ["a weight of -1", "is below 0"], {"sample_weight": "below"}),
        (sqlrp.ParameterError, ["a weight of -1", "is below 0"], {"sample_weight": "below", "lowering": "sql"}),
    ]
    for error, words, more in cases:
        with pytest.raises(error) as caught:
            sqlrp.learn(PK, wide(), table, **more)
        assert_one_line(caught, *words)
    with pytest.raises(sqlrp.ParameterError, match="ridge = 1 draws"):
        sqlrp.learn(PK, wide(), table, "v").inference()  # type: ignore[attr-defined]
    table.execute("CREATE OR REPLACE VIEW few AS FROM t LIMIT 7")
    with pytest.raises(sqlrp.ParameterError, match="no degree of freedom"):
        sqlrp.learn(PK, wide("few"), table, "v", ridge=0).inference()  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize("more", [{}, {"passes": 4, "class_weight": "balanced"}, {"coding": "logistic"}])
def test_rows_that_are_kept_are_those_that_are_read_again(
    table: Any, monkeypatch: pytest.MonkeyPatch, more: dict[str, Any]
) -> None:
    """The model is the same to the last bit, and a source of few rows is read once."""
    table.execute("CREATE OR REPLACE VIEW gaps AS SELECT * REPLACE (if(id % 5 = 0, NULL, f2) AS f2) FROM t")
    asked: dict[str, Any] = {"folds": 2, "ridge": RIDGES, "sample_weight": "heavy", "lowering": "native"} | more
    read, models = [0, 0, 0], []
    for i, most in enumerate((row_sums._KEPT, ROWS * K // 2, 0)):
        monkeypatch.setattr(row_sums, "_KEPT", most)
        feed = row_sums._SourceSums._feed

        def counted(self: Any, take: Any, i: int = i, feed: Any = feed) -> None:
            read[i] += 1
            feed(self, take)

        with monkeypatch.context() as during, warnings.catch_warnings():
            warnings.simplefilter("ignore", sqlrp.SqlrpWarning)  # few passes
            during.setattr(row_sums._SourceSums, "_feed", counted)
            models.append(sqlrp.learn(PK, wide("gaps"), table, **asked))
    for other in models[1:]:
        assert (other.coef_ == models[0].coef_).all()
        assert other.scores == models[0].scores
    assert read[0] == 1 < read[1] == read[2]
