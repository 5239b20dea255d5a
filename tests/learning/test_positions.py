"""Projections and models with and without names of features, on sources that have other columns or another order."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from databases import Database
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import sqlrp
from sqlrp import Wide

FRAME, CLASSES = load_breast_cancer(return_X_y=True, as_frame=True)
FRAME = FRAME.iloc[:200, :6].rename(columns=lambda name: name.replace("mean ", ""))
CLASSES, NAMES = CLASSES[:200], list(FRAME.columns)
TURNED = FRAME[NAMES[::-1]].assign(more=7.0, id=range(len(FRAME)))
"""The same columns in another order, and one more."""
MODELS: dict[str, Any] = {
    "nothing before it": Pipeline([("nothing", "passthrough"), ("model", LogisticRegression())]),
    "pipeline": make_pipeline(StandardScaler(), PCA(3, random_state=0), LogisticRegression()),
    "scaled": make_pipeline(StandardScaler(), LogisticRegression()),
    "alone": LogisticRegression(max_iter=10_000),
}
BY_POSITION = "by their position"


def told(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, [str(each.message) for each in caught if BY_POSITION in str(each.message)]


def turned(db: Database) -> None:
    columns = [("id", "INTEGER"), *((name, "DOUBLE PRECISION") for name in TURNED.columns[:-1])]
    if db.name == "clickhouse":
        columns = [(name, kind.replace("DOUBLE PRECISION", "Float64")) for name, kind in columns]
    rows = [[row[-1], *row[:-1]] for row in TURNED.itertuples(index=False, name=None)]
    db.make("turned", columns, rows)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", ["duckdb", "sqlite", "postgresql", "clickhouse"])
def test_a_model_fitted_on_names_takes_its_own_columns(name: str, db: Database, model: str) -> None:
    turned(db)
    fitted = MODELS[model].fit(FRAME, CLASSES)
    for source in ("turned", Wide("turned", features=NAMES[::-1]), Wide("turned", features=[*TURNED.columns[:-1]])):
        result, said = told(lambda source=source: sqlrp.score(fitted, source, db.connection))
        rows = result.sort_by("id")
        assert rows.column("class").to_pylist() == fitted.predict(FRAME).tolist()
        assert not said


@pytest.mark.parametrize("model", MODELS)
def test_a_model_fitted_without_names_says_that_it_goes_by_position(con: Any, model: str) -> None:
    fitted = MODELS[model].fit(FRAME.to_numpy(), CLASSES)
    own = TURNED.drop(columns="more")
    con.from_df(own).create("t")
    _, said = told(lambda: sqlrp.score(fitted, "t", con))
    assert len(said) == 1
    assert (
        f"the model knows no names of features, so it takes the 6 columns of \"t\" by their position: ['{NAMES[-1]}', "
        in said[0]
    )
    right, said = told(lambda: sqlrp.score(fitted, Wide("t", features=NAMES), con).sort_by("id"))
    assert not said
    assert right.column("class").to_pylist() == fitted.predict(FRAME.to_numpy()).tolist()


@pytest.mark.parametrize("made", [pd.DataFrame, pl.from_pandas, lambda frame: pl.from_pandas(frame).to_arrow()])
def test_frames_are_read_by_name_or_with_a_warning(made: Callable[[pd.DataFrame], Any]) -> None:
    by_name, by_position = (sqlrp.from_sklearn(PCA(2, random_state=0).fit(x)) for x in (FRAME, FRAME.to_numpy()))
    want = PCA(2, random_state=0).fit(FRAME).transform(FRAME)
    result, said = told(lambda: sqlrp.project(by_name, made(TURNED), key=None))
    np.testing.assert_allclose(np.asarray(result)[:, :2], want, rtol=1e-9, atol=1e-9)
    assert not said
    _, said = told(lambda: sqlrp.project(by_position, made(TURNED.drop(columns="more"))))
    assert len(said) == 1
    assert "the projection knows no names of features, so it takes the 6 columns of the frame" in said[0]


def test_names_that_count_the_columns_say_the_position_themselves(con: Any) -> None:
    fitted = sqlrp.from_sklearn(PCA(2).fit(FRAME.to_numpy()))
    for first, names in ((0, "f{}"), (1, "pixel {}"), (0, "{}")):
        con.from_df(FRAME.set_axis([names.format(first + j) for j in range(6)], axis=1)).create_view("t", replace=True)
        assert not told(lambda: sqlrp.project(fitted, Wide("t", key=None), con))[1]
    for names in (["f0", "f1", "f2", "f3", "f5", "f4"], ["a0", "a1", "b2", "b3", "b4", "b5"]):
        con.from_df(FRAME.set_axis(names, axis=1)).create_view("t", replace=True)
        assert told(lambda: sqlrp.project(fitted, Wide("t", key=None), con))[1]


def test_project_with_takes_the_names_of_the_projection(tmp_path: Path) -> None:
    """From features in any order, and of more of them; in a view that another database reads, too."""
    path = tmp_path / "own.duckdb"
    fitted = sqlrp.from_sklearn(PCA(2, random_state=0).fit(FRAME))
    want = PCA(2, random_state=0).fit(FRAME).transform(FRAME)
    orders = [NAMES, NAMES[::-1], [name.upper() for name in NAMES[::-1]], [*TURNED.columns[:-1]]]
    with duckdb.connect(str(path)) as con:
        sqlrp.install(con)
        con.from_df(TURNED.rename(columns=str)).create("turned")
        sqlrp.save(fitted, con, "kept")
        for at, features in enumerate(orders):
            call = f"SELECT id, z0, z1 FROM project_with('kept', 'turned', features := {features})"
            np.testing.assert_allclose(np.array(con.execute(f"{call} ORDER BY id").fetchall())[:, 1:], want, atol=1e-9)
            con.execute(f"CREATE VIEW v{at} AS {call}")
        for features, words in ((NAMES[1:], "1 missing"), ([*NAMES, "nowhere"], "'nowhere' is not a column of")):
            with pytest.raises(duckdb.Error, match=words):
                con.execute(f"FROM project_with('kept', 'turned', features := {features})")
    with duckdb.connect() as other:
        other.execute(f"ATTACH '{path}' AS own (READ_ONLY)")
        for at in range(len(orders)):
            rows = np.array(other.execute(f"FROM own.v{at} ORDER BY id").fetchall())
            np.testing.assert_allclose(rows[:, 1:], want, atol=1e-9)


def test_every_call_warns_once(con: Any) -> None:
    """And a model with a projection before it, whose names are those of the projection, does not."""
    con.from_df(FRAME.assign(id=range(200))).create("t")
    fitted = sqlrp.from_sklearn(PCA(2).fit(FRAME.to_numpy()))
    for call in (
        lambda: sqlrp.project(fitted, "t", con),
        lambda: sqlrp.sql(fitted, "t", con),
        lambda: sqlrp.materialize(fitted, "t", con, "made"),
        lambda: sqlrp.save(fitted, con, "kept", source="t"),
        lambda: sqlrp.diagnose(fitted, "t", con, sample=20),
    ):
        assert len(told(call)[1]) == 1, call.__code__.co_names
    rp = sqlrp.SparseProjection(k=3, s=1, seed=1)
    z = sqlrp.project(rp, FRAME, key=None).to_numpy()
    assert not told(lambda: sqlrp.score(rp, LogisticRegression().fit(z, CLASSES), "t", con))[1]
