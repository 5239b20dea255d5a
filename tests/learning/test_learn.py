"""Learning from sums: the same models as scikit-learn's on the projected rows, on every engine, layout and way."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sqlalchemy as sa
from cover import factors, pairwise
from databases import Database
from helpers import assert_one_line, has_layout
from learnt import ENGINES, KEYS, NAMES, PK, RIDGES, ROWS, D, K, V, X, Y, fold_of, stored, wide, z
from scipy.optimize import minimize
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.metrics import mean_squared_error
from sklearn.preprocessing import LabelBinarizer
from sklearn.svm import LinearSVC

import sqlrp
from sqlrp._core.options import Options
from sqlrp._evaluator.moments import Accumulator, Moments, total
from sqlrp._learning.ridge import Problem, RidgeSolution
from sqlrp._lowering.tallies import FoldTally, RowColumns, WorkerTask, plain_class
from sqlrp._run.frames.dataframes import FrameColumns
from sqlrp._run.frames.memory_frames import arrow_job


def source(db: Database, layout: str) -> tuple[Any, str | None]:
    """The rows with their labels in the layout; of sparse rows, the table of the labels."""
    return stored(db, layout)


def assert_model(model: Any, want: Any) -> None:
    """The same coefficients, to 1e-9 of the greatest."""
    assert np.abs(np.ravel(model.coef_) - np.ravel(want.coef_)).max() <= 1e-9 * np.abs(want.coef_).max()
    assert np.allclose(model.intercept_, want.intercept_, rtol=1e-9, atol=1e-9)


def assert_cross_validated(model: Any, folds: int) -> None:
    """The score of every fold and ridge is that of a model that is fitted again on the other folds."""
    fold = fold_of(KEYS, folds)
    assert len(model.scores) == folds * len(model.settings.ridges)
    for found in model.scores:
        held = fold == found.fold
        again = RidgeClassifier(alpha=found.ridge).fit(z()[~held], Y[~held])
        coded = LabelBinarizer(pos_label=1, neg_label=-1).fit(Y).transform(Y[held])
        assert found.rows == held.sum()
        assert found.score == pytest.approx(again.score(z()[held], Y[held]), abs=1e-12)
        assert found.error == pytest.approx(mean_squared_error(coded, again.decision_function(z()[held])), rel=1e-8)


def svm(x: Any, y: Any, ridge: float, passes: int, intercept: bool = True) -> Any:
    """The coefficients and intercepts after some passes, from the whole matrix of rows and one class at a time."""
    names = np.unique(y)
    design = np.column_stack([x, np.ones(len(x))]) if intercept else x
    penalty = ridge * np.eye(design.shape[1])
    if intercept:
        penalty[-1, -1] = 0
    found = []
    for name in names[1:] if len(names) == 2 else names:
        sign = np.where(y == name, 1.0, -1.0)
        targets, old = sign, None
        for done in range(1, passes + 1):
            w = np.linalg.solve(design.T @ design + penalty, design.T @ targets)
            ahead = w if old is None else w + (done - 1) / (done + 2) * (w - old)
            reached, old = sign * (design @ ahead), w
            targets = np.where(reached > 1, sign * reached, sign)
        found.append(w)
    found = np.array(found)
    return (found[:, :-1], found[:, -1]) if intercept else (found, np.zeros(len(found)))


def assert_svm(model: Any, y: Any, passes: int, intercept: bool = True) -> None:
    """The same coefficients as of `svm`; and with folds, the scores of its models of the other folds."""
    coefficients, intercepts = svm(z(), y, model.ridge, passes, intercept)
    assert np.abs(model.coef_ - coefficients).max() <= 1e-9 * np.abs(coefficients).max()
    assert np.allclose(model.intercept_, intercepts, rtol=1e-8, atol=1e-9)
    if model.folds:
        fold, names = fold_of(KEYS, model.folds), np.unique(y)
        for found in model.scores:
            held = fold == found.fold
            coefficients, intercepts = svm(z()[~held], y[~held], found.ridge, passes, intercept)
            decisions = z()[held] @ coefficients.T + intercepts
            said = (decisions[:, 0] > 0).astype(int) if len(names) == 2 else decisions.argmax(axis=1)
            assert found.score == pytest.approx((names[said] == y[held]).mean(), abs=1e-12)
            assert np.isnan(found.error)


@pairwise(factors(has_layout, name=ENGINES, layout=["wide", "long", "array"], way=["auto", "sql", "native"]))
def test_every_engine_layout_and_way(db: Database, name: str, layout: str, way: str) -> None:
    rows, labels = source(db, layout)
    if way == "native" and layout == "long" and name != "duckdb":
        with pytest.raises(sqlrp.UnsupportedError) as caught:
            sqlrp.learn(PK, rows, db.connection, labels=labels, lowering=way)
        assert_one_line(caught, "native", "use lowering = 'auto'")
        return
    ridges, folds = (RIDGES, 3) if layout == "wide" and way != "sql" else (RIDGES[:1], 2)
    model = sqlrp.learn(PK, rows, db.connection, ridge=ridges, folds=folds, labels=labels, lowering=way)
    assert_cross_validated(model, folds)
    assert_model(model, RidgeClassifier(alpha=model.ridge).fit(z(), Y))
    assert model.rows == ROWS
    reads = way == "native" or (way == "auto" and name == "duckdb")
    assert ("in this process" in model.how) == reads
    if layout == "wide":
        named = sqlrp.learn(PK, rows, db.connection, "name", labels=labels, lowering=way)
        assert_model(named, RidgeClassifier().fit(z(), NAMES[Y]))
        passes = {"passes": 3, "ridge": ridges, "folds": folds}
        assert_svm(sqlrp.learn(PK, rows, db.connection, "name", lowering=way, **passes), NAMES[Y], 3)
    else:
        value = sqlrp.learn(PK, rows, db.connection, "v", labels=labels, lowering=way, ridge=2.5)
        assert_model(value, Ridge(alpha=2.5).fit(z(), V))


# -- one engine: the same code serves all -------------------------------------------------------------------


@pytest.fixture(scope="module")
def table() -> Any:
    """The rows in DuckDB, and some of them in views."""
    with duckdb.connect(config={"threads": "1"}) as con:
        frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)]).assign(id=KEYS, label=Y, v=V, name=NAMES[Y])
        frame["one"] = 1
        con.register("loaded", frame)
        con.execute("CREATE TABLE t AS FROM loaded")
        con.unregister("loaded")
        con.execute("CREATE VIEW early AS FROM t WHERE id % 5 <> 0; CREATE VIEW late AS FROM t WHERE id % 5 = 0")
        yield con


@pytest.mark.parametrize("coding", ["sign", "one-hot"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("lowering", ["sql", "native"])
def test_codings_intercepts_and_least_squares(table: Any, coding: str, intercept: bool, lowering: str) -> None:
    asked = {"coding": coding, "intercept": intercept, "lowering": lowering}
    coded = LabelBinarizer(neg_label=-1 if coding == "sign" else 0).fit_transform(Y)
    for ridge in (0.0, 3.0):
        model = sqlrp.learn(PK, wide(), table, ridge=ridge, **asked)  # type: ignore[arg-type]
        want = Ridge(alpha=ridge, fit_intercept=intercept, solver="svd").fit(z(), coded)
        assert_model(model, want)
    two = sqlrp.learn(PK, wide("early"), table, "label", **asked)  # type: ignore[arg-type]
    assert two.coef_.shape == (3, K)


@pytest.mark.parametrize("coding", ["sign", "one-hot"])
def test_two_classes(table: Any, coding: str) -> None:
    table.execute("CREATE OR REPLACE TABLE two AS FROM t WHERE label < 2")
    model = sqlrp.learn(PK, wide("two"), table, coding=coding, folds=2)  # type: ignore[arg-type]
    assert model.coef_.shape == (1 if coding == "sign" else 2, K)
    want = RidgeClassifier().fit(z()[Y < 2], Y[Y < 2])
    assert model.predict(z()).tolist() == want.predict(z()).tolist()
    scored = sqlrp.score(PK, model, wide("two"), table).sort_by("id")
    assert scored.column("class").to_pylist() == want.predict(z()[Y < 2]).tolist()


@pytest.mark.parametrize("lowering", ["sql", "native"])
def test_linear_discriminants(table: Any, lowering: str) -> None:
    """The decisions are scikit-learn's, but for a term that all have in common; so are the scores of the folds."""
    model = sqlrp.learn(PK, wide(), table, ridge=0.0, coding="discriminant", folds=3, lowering=lowering)
    want = LinearDiscriminantAnalysis(solver="lsqr").fit(z(), Y)
    for found, wanted in ((model.coef_, want.coef_), (model.intercept_[:, None], want.intercept_[:, None])):
        assert np.allclose(found - found.mean(axis=0), wanted - wanted.mean(axis=0), rtol=1e-7, atol=1e-9)
    fold = fold_of(KEYS, 3)
    for score in model.scores:
        held = fold == score.fold
        again = LinearDiscriminantAnalysis(solver="lsqr").fit(z()[~held], Y[~held])
        assert score.score == pytest.approx(again.score(z()[held], Y[held]), abs=1e-12)
    got = sqlrp.score(PK, model, wide(), table).sort_by("id")
    assert got.column("class").to_pylist() == want.predict(z()).tolist()
    table.execute("CREATE OR REPLACE TABLE two AS FROM t WHERE label < 2")
    two = sqlrp.learn(PK, wide("two"), table, ridge=0.0, coding="discriminant", lowering=lowering)
    assert_model(two, LinearDiscriminantAnalysis(solver="lsqr").fit(z()[Y < 2], Y[Y < 2]))


def test_what_is_learnt_is_scored(table: Any) -> None:
    model = sqlrp.learn(PK, wide(), table, "name")
    got = sqlrp.score(model.projection, model, wide(), table).sort_by("id")
    assert got.column("class").to_pylist() == RidgeClassifier().fit(z(), NAMES[Y]).predict(z()).tolist()
    value = sqlrp.learn(PK, wide(), table, "v")
    got = sqlrp.score(PK, value, wide(), table).sort_by("id")
    assert np.allclose(got.column("prediction").to_numpy(), Ridge().fit(z(), V).predict(z()), rtol=1e-9)
    assert value.table().num_rows == 0


def _shown(result: Any) -> Any:
    """The rows of a table in the order of the key, the text of a model, or the text itself."""
    if isinstance(result, str):
        return result
    return result.sort_by("id").to_pylist() if hasattr(result, "sort_by") else result.to_json()


def test_a_model_knows_the_columns_that_it_was_learnt_from(table: Any) -> None:
    """Alone it brings its projection; other columns are named, wherever the model came from and whatever reads it."""
    model = sqlrp.learn(PK, wide(), table, "name")
    whole = sqlrp.score(PK, model, wide(), table).sort_by("id")
    kept = duckdb.connect()
    sqlrp.save_model(model, kept, "known")
    for own in (model, sqlrp.model_from_json(model.to_json()), sqlrp.load_model(kept, "known")):
        assert sqlrp.score(own, wide(), table).sort_by("id").equals(whole)
        components = sqlrp.materialize(PK, wide(), table, into="components", replace=True)
        of_them = sqlrp.score(None, own, "components", table).sort_by("id")
        assert of_them["class"].equals(whole["class"]), components
        calls = [
            lambda source, m=own: sqlrp.score(m, source, table),
            lambda source, m=own: sqlrp.score(PK, m, source, table),
            lambda source, m=own: sqlrp.score_sql(m, source, table),
            lambda source, m=own: m.refresh(source, table),
        ]
        names = [f"f{j}" for j in range(D)]
        for call in calls:
            table.execute("CREATE OR REPLACE TABLE odd AS SELECT * RENAME (f0 AS F_0, f1 AS other) FROM t")
            spelt = sqlrp.Wide("odd", features=["F_0", "other", *names[2:]], keep=["name"])
            with pytest.raises(sqlrp.SourceError) as caught:
                call(spelt)
            said = f"holds for {D} features; of the source's {D} are 2 missing: ['f0', 'f1'] and 2 extra: ['F_0', "
            assert_one_line(caught, said)
            assert_one_line(caught, "'other'] ('f0' may be 'F_0'): name the ", "'s own in features")
            turned = sqlrp.Wide("t", features=names[::-1], keep=["name"])
            straight = sqlrp.Wide("t", features=names, keep=["name"])
            assert _shown(call(turned)) == _shown(call(straight))
            with pytest.raises(sqlrp.SourceError, match=rf"of the source's 2 are {D - 2} missing: \['f2', .*"):
                call(sqlrp.Wide("t", features=names[:2], keep=["name"]))
    table.execute(
        f"CREATE OR REPLACE TABLE lists AS SELECT id, name, [{', '.join(names)}] AS x, [f0, f1] AS two FROM t"
    )
    listed = sqlrp.learn(PK, sqlrp.Array("lists", "x"), table, "name")
    assert sqlrp.score(listed, sqlrp.Array("lists", "x"), table).sort_by("id")["class"].equals(whole["class"])
    with pytest.raises(sqlrp.SourceError, match=f"the model holds for {D} features, the source has 2: name {D} in"):
        sqlrp.score(listed, sqlrp.Array("lists", "two"), table)
    named = RidgeClassifier().fit(pd.DataFrame(X, columns=names), Y)
    turned = sqlrp.score(named, sqlrp.Wide("t", features=names[::-1]), table).sort_by("id")
    assert turned.equals(sqlrp.score(named, sqlrp.Wide("t", features=names), table).sort_by("id"))


@pytest.mark.parametrize("lowering", ["sql", "native"])
def test_new_rows_are_added_to_a_model(table: Any, lowering: str) -> None:
    """The sums of two sets of rows are those of all rows, in every fold."""
    first = sqlrp.learn(PK, wide("early"), table, ridge=RIDGES, folds=3, lowering=lowering)
    grown = first.refresh(wide("late"), table, lowering=lowering)
    whole = sqlrp.learn(PK, wide(), table, ridge=RIDGES, folds=3)
    assert grown.rows == ROWS > first.rows
    for part, want in zip(grown.moments, whole.moments, strict=True):
        assert np.allclose(part.scatter, want.scatter, rtol=1e-12)
        assert part.count == want.count
    assert_model(grown, RidgeClassifier(alpha=first.ridge).fit(z(), Y))
    assert np.allclose([s.error for s in grown.scores], [s.error for s in whole.scores])
    assert np.isnan([s.score for s in grown.scores]).all()


@pytest.mark.parametrize("lowering", ["sql", "native"])
@pytest.mark.parametrize("intercept", [True, False])
def test_passes_of_two_classes(table: Any, lowering: str, intercept: bool) -> None:
    asked = {"lowering": lowering, "intercept": intercept, "passes": 4}
    table.execute("CREATE OR REPLACE VIEW of_two AS SELECT * REPLACE (label = 1 AS label) FROM t")
    model = sqlrp.learn(PK, wide("of_two"), table, ridge=RIDGES, folds=3, **asked)
    assert model.coef_.shape == (1, K)
    assert_svm(model, Y == 1, 4, intercept)


def test_whole_numbers_are_scaled_in_all_passes(table: Any) -> None:
    """Bare whole numbers are added up, and the scale is put on the sums; the SQL adds up many blocks."""
    bare = sqlrp.SparseProjection(k=9, s=3, seed=4)
    table.execute("CREATE OR REPLACE TABLE whole AS SELECT id, label, COLUMNS('f.*')::INTEGER FROM t")
    x = sqlrp.project(bare, pd.DataFrame(X, columns=[f"f{j}" for j in range(D)]), key=None).to_numpy()
    want = svm(x, Y, 5.0, 3)
    for lowering in ("sql", "native"):
        model = sqlrp.learn(bare, wide("whole"), table, ridge=5.0, passes=3, lowering=lowering)
        assert np.abs(model.coef_ - want[0]).max() <= 1e-9 * np.abs(want[0]).max()
        assert np.allclose(model.intercept_, want[1], rtol=1e-9)


def test_many_passes_give_the_squared_hinge_loss(table: Any) -> None:
    """The least of the loss, as a general minimiser finds it; and scikit-learn's LinearSVC, if it has no intercept."""
    model = sqlrp.learn(PK, wide(), table, ridge=2e4, passes=400)
    free = sqlrp.learn(PK, wide(), table, ridge=2e4, passes=400, intercept=False)
    size = np.abs(z()).max()
    theirs = LinearSVC(C=size**2 / (2 * 2e4), fit_intercept=False, dual=False, tol=1e-10, max_iter=100_000)
    coefficients = theirs.fit(z() / size, Y).coef_ / size
    assert np.abs(free.coef_ - coefficients).max() <= 1e-5 * np.abs(coefficients).max()
    for c in range(3):
        sign = np.where(c == Y, 1.0, -1.0)

        def loss(w: Any, sign: Any = sign) -> float:
            reached = sign * (z() / size @ w[:-1] + w[-1])
            return float((np.maximum(0, 1 - reached) ** 2).sum() + 2e4 / size**2 * w[:-1] @ w[:-1])

        own = np.append(model.coef_[c] * size, model.intercept_[c])
        best = minimize(loss, own * 0.9, method="BFGS", options={"gtol": 1e-9})
        assert loss(own) <= best.fun * (1 + 1e-6)
        assert np.abs(own - best.x).max() <= 1e-3 * np.abs(best.x).max()


def test_a_model_of_several_passes_is_kept_and_not_refreshed(table: Any) -> None:
    model = sqlrp.learn(PK, wide(), table, ridge=RIDGES, folds=2, passes=3)
    same = sqlrp.model_from_json(model.to_json())
    assert repr(same) == repr(model)
    assert "passes=3" in repr(model)
    assert (same.coef_ == model.coef_).all()
    assert (same.intercept_ == model.intercept_).all()
    got = sqlrp.score(PK, same, wide(), table).sort_by("id").column("class").to_pylist()
    assert got == model.predict(z()[np.argsort(KEYS)]).tolist()
    with pytest.raises(sqlrp.ParameterError) as caught:
        model.refresh(wide("late"), table)
    assert_one_line(caught, "passes = 3", "needs all rows", "sqlrp.learn")


def test_a_model_is_kept_as_text(table: Any) -> None:
    for target in ("name", "v"):
        model = sqlrp.learn(PK, wide(), table, target, ridge=RIDGES, folds=3)
        same = sqlrp.model_from_json(model.to_json())
        assert repr(same) == repr(model)
        assert same.scores == model.scores
        assert (same.coef_ == model.coef_).all()
        assert same.refresh(wide("late"), table).rows > model.rows
    for text in ("{}", "no", '{"format": 1}'):
        with pytest.raises(sqlrp.ParameterError, match="cannot be read as a model"):
            sqlrp.model_from_json(text)
    with pytest.raises(sqlrp.ParameterError, match="newer release"):
        sqlrp.model_from_json('{"format": 99}')


def test_learnt_and_scored_from_a_join(table: Any) -> None:
    """The result is that of the joined table."""
    table.execute("CREATE OR REPLACE TABLE fact AS SELECT id, id AS half, label, v, f0, f1, f2 FROM t")
    rest = ", ".join(f"f{j}" for j in range(3, D))
    table.execute(f"CREATE OR REPLACE TABLE halves AS SELECT id, {rest} FROM t")
    star = sqlrp.Join(sqlrp.Wide("fact", features=["f0", "f1", "f2"]), {"half": sqlrp.Wide("halves")})
    model = sqlrp.learn(PK, star, table, folds=3, ridge=RIDGES)
    assert_cross_validated(model, 3)
    assert_model(model, RidgeClassifier(alpha=model.ridge).fit(z(), Y))
    got = sqlrp.score(PK, model, star, table).sort_by("id")
    assert got.column("class").to_pylist() == model.predict(z()).tolist()
    large = sqlrp.SparseProjection(k=60, s=1, seed=2)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)])
    for lowering, how in (
        ("auto", "each table is added up by key"),  # fewer products than those of the components
        ("sql", "the database adds up"),
    ):
        model = sqlrp.learn(large, star, table, "v", ridge=4.0, lowering=lowering)
        assert how in model.how
        assert_model(model, Ridge(alpha=4.0).fit(sqlrp.project(large, frame, key=None).to_numpy(), V))
    # Correct rows are counted, and the components are many.
    model = sqlrp.learn(large, star, table, folds=2)
    assert "rows are read in batches and evaluated" in model.how


def test_standardized_rows_and_rows_with_nulls(table: Any) -> None:
    table.execute("CREATE OR REPLACE TABLE holes AS FROM t")
    table.execute("UPDATE holes SET f1 = NULL WHERE id % 7 = 0; UPDATE holes SET v = NULL WHERE id % 11 = 0")
    there = (KEYS % 7 != 0) & (KEYS % 11 != 0)
    for lowering in ("sql", "native"):
        model = sqlrp.learn(PK, wide("holes"), table, "v", lowering=lowering)
        assert model.rows == there.sum()
        assert_model(model, Ridge().fit(z()[there], V[there]))
    scaled = sqlrp.Standardized(wide())
    model = sqlrp.learn(PK, scaled, table, "v")
    rows = sqlrp.project(model.projection, wide(), table).sort_by("id")
    of_scaled = np.column_stack([rows.column(f"z{i}") for i in range(K)])
    assert_model(model, Ridge().fit(of_scaled, V))
    got = sqlrp.score(model.projection, model, wide(), table).sort_by("id").column("prediction").to_numpy()
    assert np.allclose(got, model.predict(of_scaled))


def test_folds_by_text_keys_are_the_same_in_sql(table: Any) -> None:
    table.execute("CREATE OR REPLACE TABLE named AS SELECT 'row ' || id AS id, * EXCLUDE (id) FROM t")
    found = {}
    for lowering in ("sql", "native"):
        model = sqlrp.learn(PK, wide("named"), table, folds=4, seed=9, lowering=lowering)
        found[lowering] = [part.count for part in model.moments]
    want = np.bincount(fold_of([f"row {key}" for key in KEYS], 4, 9)).tolist()
    assert found == {"sql": want, "native": want}


def test_sqlite_folds_text_keys_in_this_process(tmp_path: Any) -> None:
    """It has no md5 in SQL."""
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)]).assign(label=Y)
    frame.insert(0, "id", [f"row {key}" for key in KEYS])
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'rows.db'}")
    frame.to_sql("t", engine, index=False)
    with pytest.raises(sqlrp.UnsupportedError) as caught:
        sqlrp.learn(PK, "t", engine, folds=3)
    assert_one_line(caught, "no md5", "'id'", "lowering = 'native'")
    model = sqlrp.learn(PK, "t", engine, folds=3, lowering="native")
    want = np.bincount(fold_of(frame["id"], 3)).tolist()
    assert [part.count for part in model.moments] == want
    engine.dispose()


DISCRIMINANTS = {"coding": "discriminant", "ridge": [1.0, 2.0], "folds": 2}


def test_refusals(table: Any) -> None:
    table.execute("CREATE OR REPLACE TABLE odd AS SELECT *, id * 0.5 AS half, 'inf'::DOUBLE AS far FROM t")
    table.execute("UPDATE odd SET id = NULL WHERE f0 = 0")
    cases: list[tuple[type[Exception], list[str], Any, dict[str, Any]]] = [
        (sqlrp.SourceError, ["'lable'", "did you mean 'label'?"], wide(), {"target": "lable"}),
        (sqlrp.SourceError, ["1 class", "two"], wide(), {"target": "one"}),
        (sqlrp.ParameterError, ["cast the target to text"], wide(), {"target": "v", "task": "classifier"}),
        (sqlrp.ParameterError, ["a key is NULL"], wide("odd"), {"folds": 2}),
        (sqlrp.ParameterError, ["a key is NULL"], wide("odd"), {"folds": 2, "lowering": "sql"}),
        (sqlrp.SourceError, ["NaN or infinite"], wide("odd"), {"target": "far"}),
        (sqlrp.SourceError, ["has no row", "fewer folds"], wide(), {"folds": 1000}),
        (sqlrp.ParameterError, ["ridge = -1", "0 or above"], wide(), {"ridge": -1}),
        (sqlrp.ParameterError, ["ridge = [] names no ridge"], wide(), {"ridge": []}),
        (sqlrp.ParameterError, ["2 ridges need folds"], wide(), {"ridge": [1, 2]}),
        (sqlrp.ParameterError, ["folds = 1 must be 0"], wide(), {"folds": 1}),
        (sqlrp.ParameterError, ["coding = 'signs'", "one-hot"], wide(), {"coding": "signs"}),
        (sqlrp.ParameterError, ["passes = 0", "from 1 to 1000"], wide(), {"passes": 0}),
        (sqlrp.ParameterError, ["passes = 2", "'one-hot'"], wide(), {"passes": 2, "coding": "one-hot"}),
        (sqlrp.ParameterError, ["passes = 2", "'v' has values"], wide(), {"passes": 2, "target": "v"}),
        (
            sqlrp.ParameterError,
            ["accuracy=False"],
            wide(),
            {"passes": 2, "ridge": [1, 2], "folds": 2, "accuracy": False},
        ),
        (sqlrp.ParameterError, ["intercept=False"], wide(), {"coding": "discriminant", "intercept": False}),
        (sqlrp.ParameterError, ["accuracy=False"], wide(), DISCRIMINANTS | {"accuracy": False}),
        (sqlrp.ParameterError, ["'t' has none"], wide(key=None), {"folds": 2}),
        (sqlrp.ParameterError, ["'half' is DECIMAL"], wide("odd", key="half"), {"folds": 2}),
        (sqlrp.ParameterError, ["pass labels"], sqlrp.Long("t", feature="label", value="v"), {}),
        (sqlrp.ParameterError, ["is joined by the key"], wide(key=None), {"labels": "t"}),
        (sqlrp.ParameterError, ["dataframes", "pipeline"], pd.DataFrame(X), {}),
        (sqlrp.ParameterError, ["lowering = 'fast'"], wide(), {"lowering": "fast"}),
    ]
    for error, words, rows, more in cases:
        with pytest.raises(error) as caught:
            sqlrp.learn(PK, rows, table, **more)
        assert_one_line(caught, *words)
    table.execute("CREATE OR REPLACE VIEW nothing AS FROM t WHERE id > 1e6")
    for lowering in ("sql", "native"):
        with pytest.raises(sqlrp.SourceError, match="nothing to learn from"):
            sqlrp.learn(PK, wide("nothing"), table, "v", lowering=lowering)


# -- the sums ------------------------------------------------------------------------------------------------


def moments(x: Any, codes: Any) -> Moments:
    made = Accumulator()
    made.add(x, codes, ["a", "b", "c"])
    return made.moments(x.shape[1])[0]


def test_moments_are_added_subtracted_and_packed() -> None:
    """Far from 0, to the last digits; against numpy's covariance."""
    draw = np.random.default_rng(1)
    x, codes = draw.normal(size=(400, 5)) + 1e7, draw.integers(0, 3, 400)
    whole, some, others = moments(x, codes), moments(x[:150], codes[:150]), moments(x[150:], codes[150:])
    want = np.cov(x.T, bias=True) * len(x)
    for found in (whole, some + others, total([others, some]), Moments.unpack((some + others).pack())):
        assert found.count == 400
        assert np.allclose(found.scatter, want, rtol=1e-6)
        assert np.allclose(found.mean, x.mean(axis=0), rtol=1e-14)
        assert {name: n for name, (n, _) in found.classes.items()} == {
            name: (codes == i).sum() for i, name in enumerate("abc")
        }
    back = whole - others
    assert np.allclose(back.scatter, some.scatter, rtol=1e-6)
    for name, (n, mean) in some.classes.items():
        assert back.classes[name][0] == n
        assert np.allclose(back.classes[name][1], mean, rtol=1e-12)
    none = whole - whole
    assert none.count == 0
    assert (none + some).count == some.count


def test_sums_of_whole_numbers_are_exact() -> None:
    x = np.random.default_rng(2).integers(-(2**20), 2**20, (1000, 3)).astype(float)
    made = Accumulator(exact=True)
    for part in np.array_split(x, 7):
        made.add(part)
    exact = [[int(v) for v in row] for row in x]
    shift = [int(v) for v in made.shift]  # type: ignore[union-attr]
    for i in range(3):
        for j in range(3):
            assert made.of[0][None].products[i, j] == sum((row[i] - shift[i]) * (row[j] - shift[j]) for row in exact)


def test_components_of_very_different_size_and_repeated_ones() -> None:
    draw = np.random.default_rng(3)
    x = draw.normal(size=(200, 4)) * [1e-6, 1, 1e3, 1e6]
    y = x @ [1e6, 1, 1e-3, 1e-6] + draw.normal(size=200) * 0.1
    own = moments(np.column_stack([x, y]), np.zeros(200, dtype=int))
    (found,) = Problem.of(own, None, "sign").solved([0.0], True)
    size = x.std(axis=0)
    scaled = np.column_stack([x / size, np.ones(200)])
    want = np.linalg.lstsq(scaled, y, rcond=None)[0]
    assert np.allclose(found.coefficients[0] * size, want[:4], rtol=1e-7)
    assert found.intercepts[0] == pytest.approx(want[4], rel=1e-7)
    twice = np.column_stack([x, x[:, :2], np.ones(200), y])
    (found,) = Problem.of(moments(twice, np.zeros(200, dtype=int)), None, "sign").solved([0.0], True)
    assert np.allclose((found.coefficients[0, :2] + found.coefficients[0, 4:6]) * size[:2], want[:2], rtol=1e-7)
    assert found.coefficients[0, 6] == 0
    squares = Problem.of(own, None, "sign").squares(RidgeSolution((want[:4] / size)[None, :], want[4:]))
    assert squares[0] == pytest.approx(((scaled @ want - y) ** 2).sum(), rel=1e-6)


@pytest.mark.parametrize("lowering", ["sql", "native"])
def test_groups_of_rows_have_labels_in_another_table(table: Any, lowering: str) -> None:
    """A row of components for each group of descriptors."""
    table.execute(
        "CREATE OR REPLACE TABLE parts AS SELECT (id + 900) % 45 AS image, * EXCLUDE (id, label, v, name, one) FROM t"
    )
    table.execute("CREATE OR REPLACE TABLE images AS SELECT DISTINCT image, image % 2 AS kind FROM parts")
    pooling = sqlrp.BilinearPooling(k=5, s=2, seed=1, normalise=False)
    source = wide("parts", key="image")
    model = sqlrp.learn(pooling, source, table, "kind", labels="images", folds=2, lowering=lowering)
    rows = sqlrp.project(pooling, source, table)
    pooled, kinds = np.column_stack([rows.column(f"z{i}") for i in range(5)]), np.array(rows.column("image")) % 2
    assert model.rows == len(rows)
    assert_model(model, RidgeClassifier().fit(pooled, kinds))


def test_models_are_saved_in_the_database(table: Any) -> None:
    model = sqlrp.learn(PK, wide(), table, ridge=RIDGES, folds=3)
    sqlrp.save_model(model, table, "kinds")
    same = sqlrp.load_model(table, "kinds")
    assert same.to_json() == model.to_json()
    assert (same.predict(z()) == model.predict(z())).all()
    sqlrp.save_model(model, table, "kinds")  # the same again
    other = sqlrp.learn(PK, wide(), table, "v")
    with pytest.raises(sqlrp.ParameterError, match="'kinds' is the name of another model: replace=True puts"):
        sqlrp.save_model(other, table, "kinds")
    sqlrp.save_model(other, table, "kinds", replace=True)
    assert {name: repr(found) for name, found in sqlrp.saved_models(table).items()} == {"kinds": repr(other)}
    with pytest.raises(sqlrp.SourceError, match=r"no model 'kind' is saved here.*: saved are kinds"):
        sqlrp.load_model(table, "kind")
    with pytest.raises(sqlrp.ParameterError, match=r"is not a model of sqlrp\.learn"):
        sqlrp.save_model(PK, table, "pk")  # type: ignore[arg-type]
    assert sqlrp.check(table) == []
    table.execute("UPDATE sqlrp_catalogue SET definition = definition || ' ' WHERE kind = 'model'")
    (finding,) = sqlrp.check(table)
    assert (finding.kind, finding.name) == ("model", "kinds")
    with pytest.raises(sqlrp.SourceError, match="it was changed, or cut; save it again with replace=True"):
        sqlrp.load_model(table, "kinds")
    with pytest.warns(sqlrp.SqlrpWarning, match="1 saved models cannot be read"):
        assert sqlrp.saved_models(table) == {}
    table.execute("DROP TABLE sqlrp_catalogue")


def test_a_worker_adds_up_each_part_by_itself() -> None:
    """A worker keeps the task for all the parts that it gets: no part may give the sums of an earlier one again."""
    frame = pa.table({"id": KEYS, "label": Y, **{f"f{j}": X[:, j] for j in range(D)}})
    job = arrow_job(PK, frame, Options("array", True), FrameColumns("id", ["label"]))
    task = WorkerTask(job, None, FoldTally(True, 3, 0, False), RowColumns(["label"]))
    rows = frame.select([*job.frame.kept, *job.frame.names])
    found: dict[int, Moments] = {}
    for part in (rows.slice(0, 40), rows.slice(40)):
        for given in task(part.to_batches()):
            fold, taken = (column.to_pylist()[0] for column in given.columns)
            found[fold] = found[fold] + Moments.unpack(taken) if fold in found else Moments.unpack(taken)
    assert sum(part.count for part in found.values()) == ROWS
    whole = total([found[fold] for fold in sorted(found)])
    assert np.allclose(whole.scatter, (z() - z().mean(axis=0)).T @ (z() - z().mean(axis=0)))
    assert {name: count for name, (count, _) in whole.classes.items()} == {y: int((y == Y).sum()) for y in range(3)}


@pytest.mark.parametrize(
    ("name", "plain"),
    [(2, 2), (2.0, 2), (Decimal("2.00"), 2), (-(2.0**60), -(2**60)), (True, True), ("2.0", "2.0"), (Fraction(4, 2), 2)],
)
def test_a_whole_number_of_any_type_is_a_class(name: Any, plain: Any) -> None:
    assert plain_class(name) == plain
    assert type(plain_class(name)) is type(plain)


@pytest.mark.parametrize("name", [2.5, Decimal("2.5"), np.nan, np.inf, Decimal("NaN"), Decimal("Infinity"), b"2", None])
def test_a_class_that_is_no_whole_number_is_refused(name: Any) -> None:
    with pytest.raises(sqlrp.ParameterError, match="must be a whole number, text or a boolean"):
        plain_class(name)


@pytest.mark.parametrize("intercept", [True, False])
def test_ridge_0_gives_the_least_squares_of_least_norm(intercept: bool) -> None:
    """Repeated components of other sizes, one that is a sum of others, and one that is always 0."""
    draw = np.random.default_rng(5)
    a = draw.normal(size=(60, 4)) * [1, 10, 1e-3, 1e4]
    z = np.column_stack([a, a[:, 0] * 3, a[:, 1] * 1e-2, a @ [1, 2, 3, 4], np.zeros(60)])
    y = a @ [1, 0.1, 100, 1e-4] + draw.normal(size=60)
    own = moments(np.column_stack([z, y]), np.zeros(60, dtype=int))
    (found,) = Problem.of(own, None, "sign").solved([0.0], intercept)
    centred, target = (z - z.mean(axis=0), y - y.mean()) if intercept else (z, y)
    want = np.linalg.lstsq(centred, target, rcond=1e-13)[0]
    assert np.linalg.norm(found.coefficients) == pytest.approx(np.linalg.norm(want), rel=1e-7)
    assert np.allclose(found.coefficients[0], want, rtol=1e-5, atol=1e-7)
