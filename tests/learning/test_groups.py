"""A model for each group in one pass: scikit-learn's on the rows of the group, learnt, kept and scored in SQL."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from cover import factors, pairwise
from databases import Database
from helpers import assert_one_line, has_layout
from learnt import ENGINES, KEYS, NAMES, PK, ROWS, D, V, X, Y, stored, wide, z
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge, RidgeClassifier

import sqlrp

PLACES = np.array(["it's Østfold", "viken", "oslo", "agder"])
G = np.arange(ROWS) * 7 % 4
YEARS = 2020 + np.arange(ROWS) % 3


def source(db: Database, layout: str) -> tuple[Any, str | None]:
    """The rows with their targets and groups in the layout; of sparse rows, the table of both."""
    return stored(db, layout, {"place": PLACES[G].tolist(), "born": YEARS.tolist()})


def assert_models(model: Any, groups: Any, make: Any, y: Any) -> None:
    """Each group's coefficients are those of scikit-learn on its rows, to 1e-8."""
    assert list(model) == sorted(set(groups.tolist()))
    for group in model:
        mine, own = groups == group, model[group]
        want = make().fit(z()[mine], y[mine])
        assert own.rows == mine.sum()
        assert np.abs(np.ravel(own.coef_) - np.ravel(want.coef_)).max() <= 1e-8 * np.abs(want.coef_).max()
        assert np.allclose(own.intercept_, want.intercept_, rtol=1e-8, atol=1e-8)


def scores(model: Any, rows: Any, con: Any) -> pd.DataFrame:
    """In the order of the rows' keys."""
    found = sqlrp.score(model, rows, con).to_pandas().set_index("id")
    return found.loc[KEYS]


@pairwise(factors(has_layout, name=ENGINES, layout=["wide", "long", "array"], way=["auto", "sql"]))
def test_every_engine_layout_and_way(db: Database, name: str, layout: str, way: str) -> None:
    rows, labels = source(db, layout)
    con, given = db.connection, {"labels": labels, "lowering": way}
    value = sqlrp.learn(PK, rows, con, "v", ridge=2.5, by="place", **given)
    assert_models(value, PLACES[G], lambda: Ridge(alpha=2.5), V)
    classes = sqlrp.learn(PK, rows, con, "name", by="born", **given)
    assert_models(classes, YEARS, RidgeClassifier, NAMES[Y])
    assert sqlrp.model_from_json(value.to_json()).to_json() == value.to_json()
    if layout == "long":
        with pytest.raises(sqlrp.UnsupportedError) as caught:
            sqlrp.score(value, rows, con)
        assert_one_line(caught, "sparse rows have no column 'place'", "materialize them")
        return
    found = scores(value, rows, con)
    want = np.array([value[g].predict(z()[i : i + 1])[0] for i, g in enumerate(PLACES[G])])
    assert list(found.columns) == ["place", "prediction"]
    assert np.allclose(found["prediction"].to_numpy(dtype=float), want, rtol=1e-9)
    found = scores(classes, rows, con)
    assert list(found.columns) == ["born", "class", "decision0", "decision1", "decision2"]
    assert found["class"].tolist() == [classes[g].predict(z()[i : i + 1])[0] for i, g in enumerate(YEARS)]
    if layout == "wide":
        sqlrp.save_model(value, con, "by place", replace=True)
        again = sqlrp.load_model(con, "by place")
        assert again.to_json() == value.to_json()
        assert scores(again, rows, con).equals(scores(value, rows, con))
        assert list(sqlrp.saved_models(con)) == ["by place"]


# -- one engine: the same code serves all -------------------------------------------------------------------


@pytest.fixture
def own() -> Any:
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)]).assign(
        id=KEYS, label=Y, v=V, name=NAMES[Y], place=PLACES[G], born=YEARS, heavy=np.arange(ROWS) % 4 / 2
    )
    frame["day"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(G, unit="D")
    frame["half"] = G < 2
    with duckdb.connect(config={"threads": "1"}) as con:
        con.execute("CREATE TABLE t AS SELECT * REPLACE (day::DATE AS day) FROM frame")
        yield con


@pytest.mark.parametrize("way", ["auto", "sql"])
def test_one_statement_has_the_products_of_all_groups(own: Any, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    ask = type(sqlrp._engines.registry.connector_of(own)).store_and_ask
    monkeypatch.setattr(
        type(sqlrp._engines.registry.connector_of(own)),
        "store_and_ask",
        lambda self, session, steps, query: asked.append(query) or ask(self, session, steps, query),
    )
    sqlrp.learn(PK, wide(), own, "v", by="place", lowering=way)
    assert sum("GROUP BY f, g" in query for query in asked) == (way == "sql")


@pytest.mark.parametrize("way", ["auto", "sql"])
@pytest.mark.parametrize(
    ("more", "make"),
    [
        ({"coding": "discriminant", "ridge": 0}, lambda: LinearDiscriminantAnalysis(solver="lsqr")),
        ({"class_weight": "balanced", "ridge": 3.0}, lambda: RidgeClassifier(alpha=3.0, class_weight="balanced")),
        (
            {"class_weight": {0: 2.0}, "intercept": False},
            lambda: RidgeClassifier(fit_intercept=False, class_weight={0: 2}),
        ),
    ],
)
def test_codings_and_weights_of_classes(own: Any, way: str, more: Any, make: Any) -> None:
    model = sqlrp.learn(PK, wide(), own, by="born", lowering=way, **more)
    for group in model:
        mine = group == YEARS
        want = make().fit(z()[mine], Y[mine])
        assert (model[group].predict(z()) == want.predict(z())).all()
        if more.get("coding") is None:
            assert np.allclose(model[group].coef_, want.coef_, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("way", ["auto", "sql"])
def test_weights_of_rows_and_relative_ridges(own: Any, way: str) -> None:
    heavy = np.arange(ROWS) % 4 / 2
    model = sqlrp.learn(PK, wide(), own, "v", by="half", sample_weight="heavy", lowering=way)
    assert model.groups == (False, True)
    for group in model:
        mine = (G < 2) == group
        want = Ridge().fit(z()[mine], V[mine], heavy[mine])
        assert np.allclose(model[group].coef_, want.coef_, rtol=1e-8)
    model = sqlrp.learn(PK, wide(), own, "v", by="half", ridge=0.1, relative=True, lowering=way)
    for group in model:
        rows = z()[(G < 2) == group]
        assert model[group].ridge == pytest.approx(0.1 * np.square(rows - rows.mean(axis=0)).sum() / rows.shape[1])


def test_dates_and_booleans_are_groups(own: Any) -> None:
    model = sqlrp.learn(PK, wide(), own, "v", by="day")
    assert model.groups == ("2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04")
    for by in ("day", "half"):
        model = sqlrp.learn(PK, wide(), own, "v", by=by)
        found = sqlrp.score(PK, model, wide(), own).to_pandas().set_index("id").loc[KEYS]
        groups = found[by].astype(str).str[:10] if by == "day" else found[by]
        want = [model[g].predict(z()[i : i + 1])[0] for i, g in enumerate(groups)]
        assert np.allclose(found["prediction"], want, rtol=1e-9)


def test_a_standardized_source_a_join_and_new_names(own: Any) -> None:
    scaled = sqlrp.learn(PK, sqlrp.Standardized(wide()), own, "v", by="place")
    assert type(scaled.projection).__name__ == "Prepared"
    assert len(scores(scaled, wide(), own)) == ROWS
    own.execute("CREATE TABLE years AS SELECT DISTINCT born, born - 2020.0 AS since FROM t")
    join = sqlrp.Join(wide(), {"born": sqlrp.Wide("years", key="born")})
    signs = sqlrp.SparseProjection(k=3, s=2, seed=1)
    model = sqlrp.learn(signs, join, own, "v", by="place")
    found = sqlrp.score(model, join, own).to_pandas().set_index("id")["prediction"]
    frame = sqlrp.project(signs, join, own).to_pandas().set_index("id").loc[KEYS]
    for group in model:
        mine = PLACES[G] == group
        want = Ridge().fit(frame[mine].to_numpy(), V[mine])
        assert np.allclose(model[group].coef_, want.coef_, rtol=1e-8)
        assert np.allclose(found.loc[KEYS[mine]], want.predict(frame[mine].to_numpy()), rtol=1e-8)


def test_groups_of_other_classes_and_new_groups(own: Any) -> None:
    """A group of two classes decides between them; one of a single class, and one that was not seen, give NULL."""
    own.execute("CREATE TABLE few AS FROM t WHERE NOT (born = 2020 AND label = 2) AND (born <> 2022 OR label = 1)")
    model = sqlrp.learn(PK, wide("few"), own, by="born")
    assert model.groups == (2020, 2021)
    assert model.left_out == {2022: "the target has 1 class among the rows without NULL: a classifier needs two"}
    assert model.classes == [0, 1, 2]
    found = scores(model, wide(), own)
    assert found[YEARS == 2022]["class"].isna().all()
    two = found[YEARS == 2020]
    assert two["decision2"].isna().all()
    assert two["class"].tolist() == model[2020].predict(z()[YEARS == 2020]).tolist()
    assert np.allclose(two["decision1"], model[2020].decision_function(z()[YEARS == 2020]))
    assert np.allclose(two["decision0"], -two["decision1"])
    both = sqlrp.learn(PK, wide("t"), own, "half", by="born")
    found = scores(both, wide(), own)
    assert list(found.columns) == ["born", "class", "decision"]
    assert found["class"].tolist() == [both[g].predict(z()[i : i + 1])[0] for i, g in enumerate(YEARS)]


def test_rows_without_a_group_are_left_out(own: Any) -> None:
    own.execute("UPDATE t SET place = NULL WHERE label = 0")
    for way in ("auto", "sql"):
        model = sqlrp.learn(PK, wide(), own, "v", by="place", lowering=way)
        assert sum(model[group].rows for group in model) == (Y != 0).sum()
    assert scores(model, wide(), own)["prediction"].isna().tolist() == (Y == 0).tolist()


def test_what_is_shown(own: Any) -> None:
    model = sqlrp.learn(PK, wide(), own, by="born")
    shown = model.table()
    assert shown.column_names[:5] == ["group", "rows", "class", "intercept", "z0"]
    assert shown.column("class").to_pylist() == [0, 1, 2] * 3
    assert shown.column("z0").to_pylist()[3:6] == model[2021].coef_[:, 0].tolist()
    assert repr(model).startswith(f"GroupedModel(by='born', groups=3, rows={ROWS}, first=LinearClassifier(")
    value = sqlrp.learn(PK, wide(), own, "v", by="born")
    assert value.table().column_names[:4] == ["group", "rows", "intercept", "z0"]
    assert value.table().column("intercept").to_pylist() == [value[g].intercept_ for g in value]
    two = sqlrp.learn(PK, wide(), own, "half", by="born").table()
    assert two.column("class").to_pylist() == [True] * 3


@pytest.mark.parametrize("way", ["auto", "sql"])
@pytest.mark.parametrize("target", ["v", "label"])
def test_the_folds_of_a_group_are_those_of_its_rows(own: Any, target: str, way: str) -> None:
    """The ridge of each group is that of a model of its rows alone, and so is each fold's score."""
    given = {"ridge": [0.1, 10.0, 1e4], "folds": 3, "lowering": way, "relative": True}
    model = sqlrp.learn(PK, wide(), own, target, by="place", **given)
    for group in model:
        own.execute("CREATE OR REPLACE TABLE one AS FROM t WHERE place = ?", [group])
        alone = sqlrp.learn(PK, wide("one"), own, target, accuracy=False, **given)
        assert np.allclose(model[group].coef_, alone.coef_, rtol=1e-8, atol=1e-10)
        found = [[dataclasses.astuple(score) for score in each.scores] for each in (model[group], alone)]
        assert np.allclose(*found, rtol=1e-8, equal_nan=True)
        assert model[group].ridge == pytest.approx(alone.ridge)
    again = sqlrp.model_from_json(model.to_json())
    assert again.to_json() == model.to_json()
    assert model.table().to_pydict() == again.table().to_pydict()
    assert model.table().column_names[:3] == ["group", "rows", "ridge"]
    assert ("r2" in model.table().column_names) == (target == "v")


def test_a_group_of_fewer_rows_than_folds_has_no_model(own: Any) -> None:
    own.execute("INSERT INTO t SELECT * REPLACE (-1 AS id, 'alone' AS place) FROM t LIMIT 1")
    model = sqlrp.learn(PK, wide(), own, "v", by="place", folds=3)
    assert "ask for fewer folds" in model.left_out["alone"]
    assert list(model) == sorted(PLACES.tolist())


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"by": ""}, "by = '' must be the name of a column"),
        ({"by": 3}, "by = 3 must be the name of a column"),
        ({"by": "v"}, "by = 'v' is the target"),
        (
            {"folds": 2, "target": "half", "threshold": "folds"},
            "threshold = 'folds' needs the rows of each group again",
        ),
        ({"folds": 2, "target": "label", "scoring": "f1_macro"}, "scoring = 'f1_macro' needs the rows of each group"),
        ({"task": "classifier", "target": "label", "coding": "logistic"}, "coding = 'logistic' needs the rows"),
        ({"task": "classifier", "target": "label", "passes": 3}, "passes = 3 needs the rows"),
    ],
)
def test_what_groups_cannot_have(own: Any, more: Any, words: str) -> None:
    with pytest.raises(sqlrp.ParameterError) as caught:
        sqlrp.learn(PK, wide(), own, **{"target": "v", "by": "place", **more})
    assert_one_line(caught, words)


def test_what_cannot_be_learnt_or_scored(own: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    own.execute("CREATE TABLE none AS FROM t LIMIT 0")
    with pytest.raises(sqlrp.SourceError, match="'plce' is not a column of"):
        sqlrp.learn(PK, wide(), own, "v", by="plce")
    with pytest.raises(sqlrp.SourceError, match="no group of 'place' gives a model: no row has a target"):
        sqlrp.learn(PK, wide("none"), own, "v", by="place")
    with pytest.raises(sqlrp.SourceError, match="no group of 'name' gives a model: the target has 1 class"):
        sqlrp.learn(PK, wide(), own, "label", by="name")
    monkeypatch.setattr("sqlrp._learning.target.HELD", 100)
    with pytest.raises(sqlrp.LimitError, match="by = 'place' has 4 groups, and k = 6 components need 36 numbers"):
        sqlrp.learn(PK, wide(), own, "v", by="place")
    monkeypatch.undo()
    model = sqlrp.learn(PK, wide(), own, "v", by="place")
    with pytest.raises(sqlrp.ParameterError, match=r"is not that of the model: pass model.projection"):
        sqlrp.score(sqlrp.SparseProjection(k=6), model, wide(), own)
    with pytest.raises(sqlrp.ParameterError, match="a dataframe has no groups to join"):
        sqlrp.score(model, pd.DataFrame({"a": [1.0]}), own)
    own.execute("CREATE VIEW odd AS SELECT *, v AS prediction FROM t")
    with pytest.raises(sqlrp.SourceError, match="'prediction' of the source has the name of a score"):
        sqlrp.score(model, sqlrp.Wide("odd", features=wide().features, keep=["prediction"]), own)
    few = replace(sqlrp._engines.registry.ENGINES["duckdb"].limits, terms=20)
    monkeypatch.setattr(type(sqlrp._engines.registry.ENGINES["duckdb"]), "limits", few)
    with pytest.raises(sqlrp.LimitError, match="the models of 4 groups have 28 coefficients, more than the 20 of a"):
        sqlrp.score_sql(model, wide(), own)


def test_texts_that_are_no_model_of_groups(own: Any) -> None:
    text = json.loads(sqlrp.learn(PK, wide(), own, "v", by="place").to_json())
    for change in (
        {"groups": []},
        {"groups": None},
        {"groups": [[1.5, 1.0, "x"]]},
        {"groups": [["a", 1.0, "x"]]},
        {"groups": [["a", 1.0]]},
        {"groups": [["a", 1.0, []]]},
        {"groups": [["a", 1.0, 3, "x"]]},
        {"by": 3},
        {"left_out": 5},
        {"model": 1},
        {"other": 1},
        {"format": 99},
    ):
        with pytest.raises(sqlrp.ParameterError) as caught:
            sqlrp.model_from_json(json.dumps(text | change))
        assert_one_line(caught, "cannot be read as a model of sqlrp")


def test_many_groups(own: Any) -> None:
    """As many as rows by ten, far from 0, by SQL and in batches; the statement of their scores has all coefficients."""
    draw = np.random.default_rng(0)
    n, d = 6_000, 4
    group = draw.integers(0, 600, n) - 300
    x = draw.normal(size=(n, d)) + 1e3 + group[:, None] / 100
    y = x @ draw.normal(size=d) + draw.normal(size=n)
    own.register("made", pd.DataFrame(x, columns=[f"f{j}" for j in range(d)]).assign(id=range(n), g=group, y=y))
    own.execute("CREATE TABLE many AS FROM made")
    rows, features = sqlrp.Wide("many", features=[f"f{j}" for j in range(d)]), sqlrp.GivenProjection.of(np.eye(d))
    for way in ("auto", "sql"):
        model = sqlrp.learn(features, rows, own, "y", ridge=0.5, by="g", lowering=way)
        for name in model:
            want = Ridge(alpha=0.5).fit(x[group == name], y[group == name])
            assert np.abs(model[name].coef_ - want.coef_).max() <= 1e-8 * np.abs(want.coef_).max()
    found = sqlrp.score(model, rows, own).to_pandas().set_index("id").loc[range(n)]
    want = np.array([model[name].predict(x[i : i + 1])[0] for i, name in enumerate(group)])
    assert np.allclose(found["prediction"], want, rtol=1e-9)
