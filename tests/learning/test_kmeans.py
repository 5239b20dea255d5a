"""k-means by sums, against scikit-learn's on the same rows, on every engine."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from cases import DATABASES
from helpers import assert_one_line, load
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_wine
from sklearn.preprocessing import scale

import sqlrp

X = scale(load_wine().data[:, :6])
P = sqlrp.HadamardProjection(k=8, seed=2, padding="least")
"""A rotation: the inertia of its components is that of the rows."""


def inertia(x: Any, labels: Any) -> float:
    """The squares of the rows around the means of their clusters."""
    return sum(float(((x[labels == c] - x[labels == c].mean(axis=0)) ** 2).sum()) for c in np.unique(labels))


def labelled(model: Any, source: Any, con: Any) -> Any:
    """The cluster of each row, in the order of the keys."""
    rows = sqlrp.score(model, source, con).sort_by("id")
    return np.array(rows.column("class").to_pylist(), dtype=int)


@pytest.mark.parametrize("name", DATABASES)
def test_every_engine_finds_the_clusters_of_scikit_learn(db: Any, name: str) -> None:
    source = db.load("wide", [*X.tolist(), [None, *X[0, 1:].tolist()]])
    wanted = KMeans(3, n_init=10, random_state=0).fit(X)
    model = sqlrp.kmeans(P, source, db.connection, clusters=3, lowering="sql")
    labels = model.predict(sqlrp.project(P, X))
    said = sqlrp.score(model, source, db.connection).column("class").to_pylist()
    assert np.bincount([each for each in said if each is not None]).tolist() == model.rows.tolist()
    assert model.converged
    assert model.rows.tolist() == np.bincount(labels).tolist()
    assert model.inertia_ == pytest.approx(wanted.inertia_, rel=1e-3)
    assert inertia(X, labels) == pytest.approx(model.inertia_, rel=1e-3)
    native = sqlrp.kmeans(P, source, db.connection, clusters=3)
    assert np.allclose(model.cluster_centers_, native.cluster_centers_)
    assert native.inertia_ == pytest.approx(model.inertia_)


def test_components_keep_the_inertia_of_real_rows(con: Any) -> None:
    """Of ten draws each, as the bar of 1.02 is on a mean of clusterings, not on the best of luck."""
    x = load_digits().data
    source = load(con, "array", x.tolist())
    wanted = KMeans(10, n_init=10, random_state=0).fit(x).inertia_
    components = sqlrp.fit(sqlrp.PrincipalComponents(k=16), source, con)
    model = sqlrp.kmeans(components, source, con, clusters=10)
    assert inertia(x, labelled(model, source, con)) <= 1.02 * wanted
    assert model.inertia_ < wanted
    few = sqlrp.kmeans(components, source, con, clusters=10, sample_rows=200, passes=1)
    assert (few.passes, few.converged) == (1, False)
    assert few.inertia_ > model.inertia_


def test_equal_rows_and_a_single_cluster(con: Any) -> None:
    source = load(con, "wide", [[1.0, 2.0]] * 5)
    found = sqlrp.kmeans(sqlrp.SparseProjection(k=2, s=1), source, con, clusters=3)
    assert (found.inertia_, found.rows.sum(), found.converged) == (0.0, 5, True)
    one = sqlrp.kmeans(sqlrp.SparseProjection(k=2, s=1), load(con, "wide", X.tolist()), con, clusters=1)
    z = sqlrp.project(sqlrp.SparseProjection(k=2, s=1), X)
    assert np.allclose(one.cluster_centers_[0], z.mean(axis=0))
    assert one.inertia_ == pytest.approx(((z - z.mean(axis=0)) ** 2).sum())


def test_what_has_no_clusters_is_refused(con: Any) -> None:
    source = load(con, "wide", X.tolist())
    for given, words in [
        ({"clusters": 0}, ["clusters = 0"]),
        ({"clusters": 200}, ["clusters = 200", "178 rows"]),
        ({"clusters": 9, "sample_rows": 8}, ["sample_rows = 8"]),
        ({"passes": 0}, ["passes = 0"]),
    ]:
        with pytest.raises(sqlrp.ParameterError) as caught:
            sqlrp.kmeans(P, source, con, **given)  # type: ignore[arg-type]
        assert_one_line(caught, *words)
    con.execute("CREATE TABLE infinite AS SELECT range AS id, 'inf'::DOUBLE AS a, 1.0 AS b FROM range(4)")
    with pytest.raises(sqlrp.SourceError) as refused:
        sqlrp.kmeans(sqlrp.SparseProjection(k=2, s=1), "infinite", con, clusters=2)
    assert_one_line(refused, "infinite")


def test_a_model_is_kept_as_text(con: Any) -> None:
    source = load(con, "wide", X.tolist())
    model = sqlrp.kmeans(P, source, con, clusters=3)
    sqlrp.save_model(model, con, "wines")
    kept = sqlrp.load_model(con, "wines")
    assert isinstance(kept, sqlrp.KMeans)
    assert (repr(kept), kept.to_json()) == (repr(model), model.to_json())
    assert np.array_equal(kept.cluster_centers_, model.cluster_centers_)
    assert sqlrp.score(kept, source, con).sort_by("id").equals(sqlrp.score(model, source, con).sort_by("id"))


def test_a_text_that_another_program_changed_is_refused(con: Any) -> None:
    """Each field missing, and of each other type; centres of other sizes."""
    text = sqlrp.kmeans(sqlrp.SparseProjection(k=2, s=1), load(con, "wide", X.tolist()), con, clusters=2).to_json()
    fields = json.loads(text)
    wrong = [{name: value for name, value in fields.items() if name != left_out} for left_out in fields]
    wrong += [fields | {name: "?"} for name in fields if name not in ("how", "kind")]
    wrong += [fields | {name: [None]} for name in fields]
    wrong += [fields | {"centers": [[1.0], [2.0]]}, fields | {"rows": [1]}, fields | {"centers": [[1.0, None]] * 2}]
    wrong += [fields | {"more": 1}, fields | {"inertia": float("nan")}, fields | {"rows": [1, -1]}]
    for each in wrong:
        with pytest.raises(sqlrp.ParameterError, match="cannot be read as a model"):
            sqlrp.model_from_json(json.dumps(each))
