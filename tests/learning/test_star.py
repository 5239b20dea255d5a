"""Projections that are fitted on a star join: those of the joined rows, which are added up by key on every engine."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from databases import FAMILY, Database
from helpers import assert_one_line
from learnt import ENGINES
from sklearn.cross_decomposition import CCA, PLSRegression
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge, RidgeClassifier

import sqlrp
from sqlrp import (
    CanonicalCorrelation,
    LinearDiscriminants,
    PartialLeastSquares,
    PrincipalComponents,
    WhitenedComponents,
)
from sqlrp._learning import star as star_module
from sqlrp._learning.star import Star

WINE = load_wine()
N, FACT, ONE, TWO = 120, 3, 4, 2
DRAW = np.random.default_rng(3)
ROWS = WINE.data[:N, :FACT] + 50
CULTIVARS = WINE.target[:N]
NAMED = np.array(["barolo", "it's grignolino", "barbera"])[CULTIVARS + (np.arange(N) % 5 == 0)]
GRAPES, SOILS = WINE.data[150:157, 3 : 3 + ONE], WINE.data[160:165, 7 : 7 + TWO] * 100
GRAPE, SOIL = DRAW.integers(0, 6, N), DRAW.integers(0, 4, N)
"""The last grape and the last soil are those of no row."""
JOINED = np.hstack([ROWS, GRAPES[GRAPE], SOILS[SOIL]])
Y = WINE.data[:N, 9:11]
NAMES = (
    *(f"f{j}" for j in range(FACT)),
    *(f"grape.g{j}" for j in range(ONE)),
    *(f"soil.s{j}" for j in range(TWO)),
)


P = sqlrp.SparseProjection(k=9, s=1, seed=3)
"""More products than those of the features."""


def loaded(db: Database, text_keys: bool = False) -> sqlrp.Join:
    """The star; the keys of one dimension are text, or whole numbers."""
    double, text = {"clickhouse": ("Float64", "String"), **dict.fromkeys(FAMILY, ("DOUBLE", "VARCHAR(20)"))}.get(
        db.name, ("DOUBLE PRECISION", "VARCHAR")
    )
    kind, key = (text, "grape {}".format) if text_keys else ("BIGINT", int)
    columns = [("id", "BIGINT"), ("grape", kind), ("soil", "BIGINT"), ("c", "BIGINT"), ("y0", double), ("y1", double)]
    columns += [("name", text)]
    columns += [(f"f{j}", double) for j in range(FACT)]
    told = [[int(CULTIVARS[i]), *Y[i].tolist(), str(NAMED[i])] for i in range(N)]
    fact = [[i, key(GRAPE[i]), int(SOIL[i]), *told[i], *ROWS[i].tolist()] for i in range(N)]
    grapes = [[key(i), *row] for i, row in enumerate(GRAPES.tolist())]
    soils = [[i, *row] for i, row in enumerate(SOILS.tolist())]
    table = db.make("fact", columns, fact)
    one = db.make("grapes", [("id", kind), *((f"g{j}", double) for j in range(ONE))], grapes)
    two = db.make("soils", [("number", "BIGINT"), *((f"s{j}", double) for j in range(TWO))], soils)
    features = [f"f{j}" for j in range(FACT)]
    return sqlrp.Join(
        sqlrp.Wide(table, features=features), {"grape": sqlrp.Wide(one), "soil": sqlrp.Wide(two, key="number")}
    )


def assert_same(z: Any, want: Any, rtol: float = 1e-8) -> None:
    """The same components, up to their signs."""
    sign = np.sign((z * want).sum(axis=0))
    assert np.abs(z * sign - want).max() <= rtol * np.abs(want).max()


def assert_model(model: sqlrp.LinearModel, peer: Any, sizes: Any = 1.0) -> None:
    """The coefficients and the intercept of scikit-learn's; `sizes`: of what it was fitted on."""
    want = peer.coef_ / sizes
    assert np.allclose(np.squeeze(model.coef_), np.squeeze(want), rtol=1e-8, atol=1e-9 * np.abs(want).max())
    assert np.allclose(model.intercept_, peer.intercept_, rtol=1e-8)


def components(fitted: sqlrp.Projection, join: sqlrp.Join, con: Any) -> Any:
    found = sqlrp.project(fitted, join, con).to_pandas().sort_values("id")
    return found[list(fitted.outputs)].to_numpy(dtype=np.float64)


@pytest.fixture
def by_key(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of rows that were added up by key."""
    told: list[int] = []
    moments = Star.moments

    def counted(self: Star) -> Any:
        found = moments(self)
        told.append(sum(part.count for part in found or ()))
        return found

    monkeypatch.setattr(Star, "moments", counted)
    return told


@pytest.mark.parametrize("text_keys", [False, True])
@pytest.mark.parametrize("name", ENGINES)
def test_every_engine(db: Database, name: str, text_keys: bool, by_key: list[int]) -> None:
    join, con = loaded(db, text_keys), db.connection
    fitted = sqlrp.fit(PrincipalComponents(k=3), join, con)
    assert fitted.bound_to == NAMES
    want = PCA(3, svd_solver="full").fit(JOINED)
    assert np.allclose(fitted.arrays["weights"][:-1], want.components_.T, atol=1e-9)
    assert np.allclose(fitted.arrays["mean"], want.mean_, rtol=1e-12)
    assert_same(components(fitted, join, con) / fitted.factor(9), want.transform(JOINED))
    whitened = sqlrp.fit(WhitenedComponents(k=9), join, con)
    assert_same(components(whitened, join, con), PCA(9, whiten=True, svd_solver="full").fit(JOINED).transform(JOINED))
    converged: dict[str, Any] = {"tol": 1e-28, "max_iter": 100_000}
    least = sqlrp.fit(PartialLeastSquares(k=2), join, con, target=["y0", "y1"])
    assert_same(components(least, join, con), PLSRegression(2, **converged).fit(JOINED, Y).transform(JOINED))
    canonical = sqlrp.fit(CanonicalCorrelation(k=2), join, con, target=["y0", "y1"])
    assert_same(components(canonical, join, con), CCA(2, **converged).fit(JOINED, Y).transform(JOINED))
    apart = sqlrp.fit(LinearDiscriminants(k=1), join, con, target="c")
    z = LinearDiscriminantAnalysis(solver="eigen").fit(JOINED, CULTIVARS).transform(JOINED)[:, :1]
    assert_same(components(apart, join, con), z - z.mean(axis=0))
    assert by_key == [N] * 5


@pytest.mark.parametrize("text_keys", [False, True])
@pytest.mark.parametrize("name", ENGINES)
def test_models_on_every_engine(db: Database, name: str, text_keys: bool, by_key: list[int]) -> None:
    """Those of the joined rows, whose sums are also taken by SQL of the joined table, and by numpy."""
    join, con = loaded(db, text_keys), db.connection
    frame = pd.DataFrame(JOINED, columns=list(NAMES))
    for p in (sqlrp.fit(WhitenedComponents(k=9), join, con), sqlrp.SparseProjection(k=7, s=1, seed=3)):
        z = sqlrp.project(p, frame, key=None).to_numpy()
        for model in (sqlrp.learn(p, join, con, "y0", ridge=2.0), sqlrp.learn(p, join, con, "y0", ridge=0.5)):
            assert_model(model, Ridge(alpha=model.ridge).fit(z, Y[:, 0]))
        assert_model(sqlrp.learn(p, join, con, "c"), RidgeClassifier(alpha=1.0).fit(z, CULTIVARS))
        scaled = sqlrp.learn(p, join, con, "c", standardize=True)
        assert_model(scaled, RidgeClassifier(alpha=1.0).fit(z / z.std(axis=0), CULTIVARS), z.std(axis=0))
        apart = sqlrp.learn(p, join, con, "name", coding="discriminant", ridge=0)
        peer = LinearDiscriminantAnalysis().fit(z, NAMED)
        assert apart.predict(z).tolist() == peer.predict(z).tolist()
        assert "the rows are not joined" in apart.how
        joined = sqlrp.learn(p, join, con, "name", coding="discriminant", ridge=0, lowering="sql")
        assert "the rows are not joined" not in joined.how
        assert np.allclose(apart.coef_, joined.coef_, rtol=1e-9, atol=1e-9 * np.abs(joined.coef_).max())
        assert np.allclose(apart.intercept_, joined.intercept_, rtol=1e-9)
        one, two = (
            sqlrp.learn(p, join, con, "y0", ridge=[0.1, 9.0], folds=3, seed=5, lowering=lowering)
            for lowering in ("auto", "sql")
        )
        assert one.ridge == two.ridge
        assert [score.rows for score in one.scores] == [score.rows for score in two.scores]
        assert np.allclose([score.score for score in one.scores], [score.score for score in two.scores], rtol=1e-9)
        three = sqlrp.learn(p, join, con, "name", ridge=[0.1, 9.0], folds=3, seed=5, accuracy=False)
        four = sqlrp.learn(p, join, con, "name", ridge=[0.1, 9.0], folds=3, seed=5)  # correct rows are counted
        assert np.allclose([score.error for score in three.scores], [score.error for score in four.scores], rtol=1e-9)
    assert by_key == [N] * 15


@pytest.mark.parametrize("name", ENGINES)
def test_names_that_need_quotes_on_every_engine(db: Database, name: str, by_key: list[int]) -> None:
    double = {"clickhouse": "Float64", **dict.fromkeys(FAMILY, "DOUBLE")}.get(db.name, "DOUBLE PRECISION")
    kinds, one, two, target = ("a%b", 'g"1', "sqlrp_fold"), "the 'grape' %s", "n", "50% of 'y'"
    columns = [("id", "BIGINT"), (one, "BIGINT"), (two, "BIGINT"), ("class %d", "BIGINT"), (target, double)]
    rows = [
        [i, int(GRAPE[i]), int(SOIL[i]), int(CULTIVARS[i]), *Y[i, :1].tolist(), *ROWS[i].tolist()] for i in range(N)
    ]
    fact = db.make('a "fact" %', [*columns, *((f"f {j}%", double) for j in range(FACT))], rows)
    grapes = [[i, *row[: len(kinds)]] for i, row in enumerate(GRAPES.tolist())]
    grape = db.make("100% it's", [("select", "BIGINT"), *((kind, double) for kind in kinds)], grapes)
    soils = [[i, *row] for i, row in enumerate(SOILS.tolist())]
    soil = db.make("group", [("id", "BIGINT"), ("s0", double), ("g", double)], soils)
    wide = sqlrp.Wide(fact, features=[f"f {j}%" for j in range(FACT)])
    join, con = sqlrp.Join(wide, {one: sqlrp.Wide(grape, key="select"), two: sqlrp.Wide(soil)}), db.connection
    x = np.delete(JOINED, FACT + 3, axis=1)
    z = sqlrp.project(P, pd.DataFrame(x), key=None).to_numpy()
    for ridge, folds in ((2.0, 0), ([2.0, 2.5], 2)):
        model = sqlrp.learn(P, join, con, target, ridge=ridge, folds=folds)
        assert_model(model, Ridge(alpha=model.ridge).fit(z, Y[:, 0]))
    apart = sqlrp.fit(LinearDiscriminants(k=1), join, con, target="class %d")
    want = LinearDiscriminantAnalysis(solver="eigen").fit(x, CULTIVARS).transform(x)[:, :1]
    assert_same(x @ apart.arrays["weights"][:-1] + apart.arrays["weights"][-1:], want - want.mean(axis=0))
    assert by_key == [N] * 3


# -- one engine: the same code serves all -------------------------------------------------------------------


@pytest.fixture
def own() -> Any:
    frame = pd.DataFrame(ROWS, columns=[f"f{j}" for j in range(FACT)]).assign(id=range(N), grape=GRAPE, soil=SOIL)
    frame[["y0", "y1"]] = Y
    frame["name"] = NAMED
    with duckdb.connect(config={"threads": "1"}) as con:
        for name, table in (
            ("fact", frame),
            ("grapes", pd.DataFrame(GRAPES, columns=[f"g{j}" for j in range(ONE)]).assign(id=range(7))),
            ("soils", pd.DataFrame(SOILS, columns=[f"s{j}" for j in range(TWO)]).assign(number=range(5))),
        ):
            con.register("made", table)
            con.execute(f"CREATE TABLE {name} AS FROM made")
        yield con


def star(**more: Any) -> sqlrp.Join:
    fact = sqlrp.Wide("fact", features=[f"f{j}" for j in range(FACT)])
    return sqlrp.Join(fact, {"grape": sqlrp.Wide("grapes"), "soil": sqlrp.Wide("soils", key="number"), **more})


def test_keys_are_read_in_batches(own: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    want = sqlrp.fit(PrincipalComponents(k=3), star(), own)
    monkeypatch.setattr(star_module, "_BATCH", 1)
    found = sqlrp.fit(PrincipalComponents(k=3), star(), own)
    assert np.allclose(found.arrays["weights"], want.arrays["weights"], atol=1e-11)  # type: ignore[attr-defined]


def test_rows_far_from_zero_and_two_columns_of_one_dimension(own: Any, by_key: list[int]) -> None:
    own.execute("UPDATE fact SET f0 = f0 + 1e6, f1 = f1 - 1e7")
    own.execute("UPDATE grapes SET g1 = g1 + 1e6")
    own.execute("ALTER TABLE fact ADD COLUMN other BIGINT")
    own.execute("UPDATE fact SET other = (id * 5) % 7")
    fitted = sqlrp.fit(PrincipalComponents(k=4), star(other=sqlrp.Wide("grapes")), own)
    moved = GRAPES + np.array([0, 1e6, 0, 0])
    x = np.hstack([ROWS + np.array([1e6, -1e7, 0]), moved[GRAPE], SOILS[SOIL], moved[np.arange(N) * 5 % 7]])
    assert np.allclose(fitted.arrays["weights"][:-1], PCA(4, svd_solver="full").fit(x).components_.T, atol=1e-7)
    assert by_key == [N]


def test_columns_of_other_types(own: Any, by_key: list[int]) -> None:
    own.execute("ALTER TABLE fact ALTER f1 TYPE DECIMAL(9, 3)")
    own.execute("ALTER TABLE grapes ALTER g0 TYPE FLOAT")
    own.execute("CREATE TABLE kinds AS SELECT number, number > 2 AS late, number * number AS squared FROM soils")
    features = [f"f{j}" for j in range(FACT)]
    join = star(soil=sqlrp.Wide("kinds", key="number"))
    fitted = sqlrp.fit(PrincipalComponents(k=3), join, own)
    own.execute(
        "CREATE TABLE joined AS SELECT f.id AS id, y0, name, f0, f1, f2, g0, g1, g2, g3, late, squared "
        "FROM fact f JOIN grapes g ON g.id = grape JOIN kinds k ON k.number = soil"
    )
    names = [*features, "g0", "g1", "g2", "g3", "late", "squared"]
    wide = sqlrp.Wide("joined", features=names)
    want = sqlrp.fit(PrincipalComponents(k=3), wide, own)
    assert np.allclose(fitted.arrays["weights"], want.arrays["weights"], atol=1e-9)
    for asked in ({"target": "y0", "folds": 3}, {"target": "name", "coding": "discriminant"}):
        one, two = (sqlrp.learn(P, source, own, **asked) for source in (join, wide))  # type: ignore[arg-type]
        assert np.allclose(one.coef_, two.coef_, rtol=1e-8)
        assert np.allclose([s.score for s in one.scores], [s.score for s in two.scores], rtol=1e-9)
    assert by_key == [N] * 3


def test_rows_without_a_target_are_left_out(own: Any) -> None:
    own.execute("UPDATE fact SET y1 = NULL WHERE id % 3 = 0")
    fitted = sqlrp.fit(PartialLeastSquares(k=2), star(), own, target=["y0", "y1"])
    keep = np.arange(N) % 3 != 0
    peer = PLSRegression(2, tol=1e-28, max_iter=100_000).fit(JOINED[keep], Y[keep])
    assert_same(components(fitted, star(), own), peer.transform(JOINED))


def test_discriminants_of_rows_far_from_zero(own: Any, by_key: list[int]) -> None:
    """Of three classes, some of whose rows have none, beside a joined table."""
    own.execute("UPDATE grapes SET g1 = g1 + 1e6; UPDATE fact SET f0 = f0 - 1e6, name = nullif(name, name[:id % 7])")
    own.execute("UPDATE fact SET name = NULL WHERE id % 11 = 0")
    own.execute(
        "CREATE TABLE joined AS SELECT f.id AS id, name, f0, f1, f2, g0, g1, g2, g3, s0, s1 "
        "FROM fact f JOIN grapes g ON g.id = grape JOIN soils s ON s.number = soil"
    )
    names = ["f0", "f1", "f2", "g0", "g1", "g2", "g3", "s0", "s1"]
    fitted = sqlrp.fit(LinearDiscriminants(k=2), star(), own, target="name")
    want = sqlrp.fit(LinearDiscriminants(k=2), sqlrp.Wide("joined", features=names), own, target="name")
    assert np.allclose(fitted.arrays["weights"], want.arrays["weights"], rtol=1e-7)
    assert len(by_key) == 1


def z_of_rows(p: sqlrp.Projection = P) -> Any:
    return sqlrp.project(p, pd.DataFrame(JOINED, columns=list(NAMES)), key=None).to_numpy()


@pytest.mark.parametrize(
    ("change", "left_out", "complete"),
    [
        ("UPDATE fact SET y0 = NULL WHERE id < 9", range(9), True),
        ("UPDATE fact SET grape = 99 WHERE id = 5", [5], False),
        ("UPDATE fact SET soil = NULL WHERE id = 5; UPDATE fact SET f1 = NULL WHERE id = 7", [5, 7], False),
        ("UPDATE fact SET grape = NULL, soil = NULL, f1 = NULL WHERE id = 5", [5], False),
        ("UPDATE grapes SET g2 = NULL WHERE id = 1", np.flatnonzero(GRAPE == 1), False),
        ("UPDATE grapes SET id = NULL WHERE id = 6; DELETE FROM soils WHERE number = 4", [], True),
    ],
)
def test_models_leave_out_rows_as_a_joined_table_does(
    own: Any, change: str, left_out: Any, complete: bool, by_key: list[int]
) -> None:
    own.execute(change)
    kept = np.setdiff1d(np.arange(N), left_out)
    peer = Ridge(alpha=1.0).fit(z_of_rows()[kept], Y[kept, 0])
    model = sqlrp.learn(P, star(), own, "y0")
    assert_model(model, peer)
    assert model.rows == len(kept)
    assert by_key == [len(kept)] * complete
    if not complete:
        with pytest.raises(sqlrp.SqlrpError, match="NULL"):
            sqlrp.learn(P, star(), own, "y0", nulls="error")
        assert sqlrp.learn(P, star(), own, "y0", nulls="zero").rows == N


def test_what_a_model_keeps(own: Any, by_key: list[int]) -> None:
    """A refreshed model, one that was read again, standard errors, no intercept, and a relative ridge."""
    z, y = z_of_rows(), Y[:, 0]
    model = sqlrp.learn(P, star(), own, "y0", ridge=0.5, intercept=False)
    assert np.allclose(model.coef_, Ridge(alpha=0.5, fit_intercept=False).fit(z, y).coef_, rtol=1e-7)
    again = sqlrp.model_from_json(model.to_json())
    assert np.array_equal(again.coef_, model.coef_)
    assert again.refresh(star(), own).rows == 2 * N
    unit = float(((z - z.mean(axis=0)) ** 2).sum(axis=0).mean())
    assert_model(sqlrp.learn(P, star(), own, "y0", ridge=0.1, relative=True), Ridge(alpha=0.1 * unit).fit(z, y))
    apart, joined = (sqlrp.learn(P, star(), own, "y0", ridge=0, lowering=how) for how in ("auto", "sql"))
    for mine, theirs in zip(apart.inference().columns[1:], joined.inference().columns[1:], strict=True):
        assert np.allclose(mine, theirs, rtol=1e-6)
    assert by_key == [N] * 4
    assert apart.terms == 81
    found = sqlrp.score(apart, star(), own).sort_by("id")
    assert np.allclose(found.column("prediction"), apart.predict(z), rtol=1e-9)


def test_what_needs_the_joined_rows(own: Any, by_key: list[int]) -> None:
    """More passes, folds, weights, groups, products of sums, and few components of many features."""
    own.execute("ALTER TABLE fact ADD COLUMN heavy DOUBLE; UPDATE fact SET heavy = id % 3 + 1")
    given: list[dict[str, Any]] = [
        {"coding": "logistic"},
        {"passes": 3},
        {"folds": 2},  # correct rows are counted
        {"class_weight": "balanced"},
        {"sample_weight": "heavy"},
        {"by": "soil"},
        {"lowering": "inline"},
    ]
    for each in given:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some have not converged
            found = sqlrp.learn(P, star(), own, "name", **each)
        assert "the rows are not joined" not in repr(getattr(found, "how", ""))
    pk = sqlrp.PolynomialKernelProjection(k=9, p=12, t=2, degree=2, c=1, s=2, seed=3)
    assert_model(sqlrp.learn(pk, star(), own, "y0"), Ridge().fit(z_of_rows(pk), Y[:, 0]))
    few = sqlrp.SparseProjection(k=1, s=9, seed=3)
    assert_model(sqlrp.learn(few, star(), own, "y0"), Ridge().fit(z_of_rows(few), Y[:, 0]))
    assert by_key == []
    own.execute("CREATE TABLE told AS SELECT id, name FROM fact")
    model = sqlrp.learn(P, star(), own, "name", labels="told")
    assert np.allclose(model.coef_, sqlrp.learn(P, star(), own, "name").coef_, rtol=1e-8)
    assert by_key == [N]


def test_digits_that_sums_of_features_would_lose(own: Any, by_key: list[int]) -> None:
    """A component that is a small difference of large features is taken of the joined rows."""
    own.execute("UPDATE grapes SET g0 = g0 * 1e8; ALTER TABLE fact ADD COLUMN f3 DOUBLE")
    own.execute("UPDATE fact SET f3 = g0 + f0 FROM grapes WHERE grapes.id = grape")
    weights = np.eye(10)
    weights[4, 3] = -1.0  # f3 - g0
    join = star()
    join = sqlrp.Join(sqlrp.Wide("fact", features=["f0", "f1", "f2", "f3"]), join.dimensions)
    names = ("f0", "f1", "f2", "f3", *NAMES[FACT:])
    given = replace(sqlrp.GivenProjection.of(weights), bound_to=names)
    model = sqlrp.learn(given, join, own, "y0")
    assert by_key == [N]
    assert "the rows are not joined" not in model.how


def test_classes_that_the_engine_takes_for_one(own: Any, by_key: list[int]) -> None:
    own.execute(
        "CREATE TABLE alike AS SELECT * REPLACE (CASE WHEN id % 2 = 0 THEN upper(name) ELSE name END AS name) FROM fact"
    )
    own.execute("ALTER TABLE alike ALTER name TYPE VARCHAR COLLATE NOCASE")
    join = sqlrp.Join(sqlrp.Wide("alike", features=[f"f{j}" for j in range(FACT)]), star().dimensions)
    model = sqlrp.learn(P, join, own, "name")
    assert by_key == [0]
    own.execute("CREATE VIEW seen AS FROM alike JOIN (SELECT id AS grape, * EXCLUDE id FROM grapes) USING (grape)")
    assert model.classes_.tolist() == sqlrp.learn(P, sqlrp.Wide("seen", features=["f0"]), own, "name").classes_.tolist()


def test_names_that_need_quotes(own: Any, by_key: list[int]) -> None:
    fact, grape, target, one = 'a "fact"; --', "the 'grape'", "select", "g 1"
    quoted = {name: '"' + name.replace('"', '""') + '"' for name in (fact, grape, target, one)}
    own.execute(
        f"CREATE TABLE {quoted[fact]} AS SELECT id, grape AS {quoted[grape]}, name AS {quoted[target]}, f0 FROM fact"
    )
    own.execute(f'CREATE TABLE "group" AS SELECT id AS "order", g0 AS {quoted[one]}, g1 AS sum0, g2 AS y FROM grapes')
    join = sqlrp.Join(sqlrp.Wide(quoted[fact], features=["f0"]), {grape: sqlrp.Wide('"group"', key="order")})
    weights = sqlrp.SparseProjection(k=4, s=1, seed=1)
    x = JOINED[:, [0, 3, 4, 5]]
    z = sqlrp.project(weights, pd.DataFrame(x), key=None).to_numpy()
    assert_model(sqlrp.learn(weights, join, own, target, task="classifier"), RidgeClassifier(alpha=1.0).fit(z, NAMED))
    fitted = sqlrp.fit(LinearDiscriminants(k=1), join, own, target=target)
    want = LinearDiscriminantAnalysis(solver="eigen").fit(x, NAMED).transform(x)[:, :1]
    assert_same(components(fitted, join, own), want - want.mean(axis=0))
    assert by_key == [N] * 2


def test_arrays_and_a_fact_without_features_are_joined(own: Any, by_key: list[int]) -> None:
    own.execute("CREATE TABLE lists AS SELECT number, [s0, s1]::DOUBLE[2] AS v FROM soils")
    own.execute("CREATE TABLE bare AS SELECT id, grape, soil FROM fact")
    arrays = star(soil=sqlrp.Array("lists", "v", key="number"))
    bare = sqlrp.Join("bare", dict(star().dimensions))
    for join, x in ((arrays, JOINED), (bare, JOINED[:, FACT:])):
        fitted = sqlrp.fit(PrincipalComponents(k=3), join, own)
        assert np.allclose(fitted.arrays["weights"][:-1], PCA(3, svd_solver="full").fit(x).components_.T, atol=1e-9)
    assert by_key == []


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE fact SET grape = 99 WHERE id = 5",
        "UPDATE fact SET soil = NULL WHERE id = 5",
        "UPDATE grapes SET g2 = NULL WHERE id = 1",
        "UPDATE fact SET f1 = NULL WHERE id = 5",
    ],
)
def test_rows_that_refer_to_nothing_or_hold_null(own: Any, change: str) -> None:
    own.execute("UPDATE grapes SET g2 = NULL WHERE id = 6")  # of no row
    sqlrp.fit(PrincipalComponents(k=3), star(), own)
    own.execute(change)
    with pytest.raises(sqlrp.SourceError, match="holds NULL, which nothing can be learnt from: clean such rows"):
        sqlrp.fit(PrincipalComponents(k=3), star(), own)


def test_what_cannot_be_learnt_from(own: Any) -> None:
    for call in (
        lambda: sqlrp.learn(P, star(), own, "g0"),
        lambda: sqlrp.fit(PartialLeastSquares(k=1), star(), own, target="g0"),
    ):
        with pytest.raises(sqlrp.SourceError) as caught:
            call()
        assert_one_line(caught, "'g0' is not a column of fact", "a column of a dimension is named like customer_id.age")
    own.execute('CREATE VIEW odd AS SELECT *, s0 AS "b.s0" FROM soils')
    odd = sqlrp.Wide("odd", key="number")
    both = star(**{"soil.b": odd, "soil": odd})
    for target, words in {
        "soil.number": "'soil.number' is the key that 'soil' refers to: name 'soil'",
        "soil.b.s0": "may be 'b.s0' of 'soil' and 's0' of 'soil.b': put the one that is meant into keep",
    }.items():
        with pytest.raises(sqlrp.ParameterError) as refused:
            sqlrp.learn(P, both, own, target)
        assert_one_line(refused, words)
    with pytest.raises(sqlrp.SourceError, match="'none' is not a column of soils"):
        sqlrp.learn(P, star(), own, "soil.none")
    own.execute("CREATE TABLE twice AS FROM soils UNION ALL FROM soils")
    with pytest.raises(sqlrp.SourceError, match="comes more than once"):
        sqlrp.fit(PrincipalComponents(k=3), star(soil=sqlrp.Wide("twice", key="number")), own)
    own.execute("UPDATE grapes SET g2 = 'nan' WHERE id = 1")
    with pytest.raises(sqlrp.SourceError, match="NaN or infinite"):
        sqlrp.fit(PrincipalComponents(k=3), star(), own)
    own.execute("DELETE FROM fact")
    with pytest.raises(sqlrp.SourceError, match="0 rows are fewer than the 3 components"):
        sqlrp.fit(PrincipalComponents(k=3), star(), own)
    with pytest.raises(sqlrp.SourceError, match="no row has a target"):
        sqlrp.fit(PartialLeastSquares(k=2), star(), own, target="y0")
    with pytest.raises(sqlrp.ParameterError, match="Join"):
        sqlrp.fit(sqlrp.NystroemProjection(k=2), star(), own)
    with pytest.raises(sqlrp.ParameterError, match="Join"):
        sqlrp.fit(PrincipalComponents(k=2, sample=20), star(), own)


# -- columns of dimensions ------------------------------------------------------------------------------------------

RATING, KIND, HEAVY = 'the "rating" %s', "it's a 'kind'", "%d of weight"
SOME = sqlrp.SparseProjection(k=3, s=1, seed=3)


def told(db: Database, missing: bool = True) -> tuple[sqlrp.Join, sqlrp.Wide]:
    """A star whose dimensions have targets, weights and groups, and a table of its joined rows.

    A row refers to nothing if one is `missing`, and a dimension has no features. A value of the target is NULL, and one
    of the groups.
    """
    double, text = {"clickhouse": ("Float64", "String"), **dict.fromkeys(FAMILY, ("DOUBLE", "VARCHAR(20)"))}.get(
        db.name, ("DOUBLE PRECISION", "VARCHAR")
    )
    grape: list[Any] = [*GRAPE.tolist()]
    soil = [i % 3 for i in range(N)]
    grape[3] = None if missing else grape[3]
    rating = [None, *(float(value) for value in GRAPES[1:, 0].round(2) + np.arange(6) % 4)]
    kinds, heavy = ["chalk", "it's clay", None], [1.0, 2.5, 0.5]
    features = [(f"f{j}", double) for j in range(FACT)]
    fact = db.make(
        "told fact",
        [("id", "BIGINT"), ("a grape", "BIGINT"), ("soil", "BIGINT"), *features],
        [[i, grape[i], soil[i], *row] for i, row in enumerate(ROWS.tolist())],
    )
    own = [("g0", double), ("g1", double)]
    grapes = [[i, rating[i], *row[1:3]] for i, row in enumerate(GRAPES.tolist())]
    one = db.make("told grapes", [("id", "BIGINT"), (RATING, double), *own], grapes)
    two = db.make(
        "told soils", [("no", "BIGINT"), (KIND, text), (HEAVY, double)], [*zip(range(3), kinds, heavy, strict=True)]
    )
    wide = sqlrp.Wide(fact, features=[name for name, _ in features])
    join = sqlrp.Join(wide, {"a grape": sqlrp.Wide(one), "soil": sqlrp.Wide(two, key="no", keep=[KIND, HEAVY])})
    none: list[Any] = [None] * 3
    rows = [
        [i, kinds[soil[i]], heavy[soil[i]], *(none if g is None else grapes[g][1:]), *row]
        for i, (g, row) in enumerate(zip(grape, ROWS.tolist(), strict=True))
    ]
    names = [("id", "BIGINT"), (f"soil.{KIND}", text), (f"soil.{HEAVY}", double), (f"a grape.{RATING}", double)]
    table = db.make("told rows", [*names, *((f"a grape.{name}", kind) for name, kind in own), *features], rows)
    listed = [*(name for name, _ in features), *(f"a grape.{name}" for name, _ in own)]
    return join, sqlrp.Wide(table, features=listed, keep=[f"soil.{KIND}", f"soil.{HEAVY}"])


def grapes_of(join: sqlrp.Join) -> sqlrp.Wide | sqlrp.Array:
    """The dimension whose target is no feature."""
    return replace(join.dimensions["a grape"], features=["g0", "g1"])


def assert_alike(one: Any, two: Any) -> None:
    assert one.rows == two.rows
    assert np.allclose(one.coef_, two.coef_, rtol=1e-8, atol=1e-12)
    assert np.allclose(one.intercept_, two.intercept_, rtol=1e-8)
    assert np.allclose([s.score for s in one.scores], [s.score for s in two.scores], rtol=1e-8)


@pytest.mark.parametrize("name", ENGINES)
def test_targets_weights_and_groups_of_dimensions(db: Database, name: str, by_key: list[int]) -> None:
    (join, joined), con = told(db), db.connection
    rating, kind, heavy = f"a grape.{RATING}", f"soil.{KIND}", f"soil.{HEAVY}"
    given: list[dict[str, Any]] = [
        {"target": rating},
        {"target": rating, "folds": 3, "ridge": [0.1, 9.0], "sample_weight": heavy},
        {"target": rating, "lowering": "sql", "nulls": "zero"},
        {"target": rating, "sample_weight": heavy, "folds": 2},
    ]
    shown = replace(join, dimensions={**join.dimensions, "a grape": grapes_of(join)})
    for each in given:
        one, two = (sqlrp.learn(SOME, source, con, **each) for source in (join, joined))
        assert_alike(one, two)
        assert 0 < one.rows < N
        again = sqlrp.model_from_json(one.to_json())
        scores = [
            sqlrp.score(model, source, con).sort_by("id").to_pandas()
            for model, source in ((one, shown), (again, shown), (two, joined))
        ]
        last = "prediction" if each["target"] == rating else "decision"
        for found in scores:
            assert list(found)[:3] == ["id", kind, heavy]
            assert np.allclose(found[last], scores[-1][last], rtol=1e-8, equal_nan=True)
        assert scores[0][last].isna().sum() == 1  # of the row that refers to nothing
    one, two = (sqlrp.learn(SOME, source, con, rating, by=kind) for source in (join, joined))
    assert set(one.models) == set(two.models) == {"chalk", "it's clay"}
    for group in one.models:
        assert_alike(one[group], two[group])
    soil = replace(join.dimensions["soil"], keep=[HEAVY])  # the groups are kept for the scores
    for model in (one, sqlrp.model_from_json(one.to_json())):
        found = sqlrp.score(model, replace(shown, dimensions={**shown.dimensions, "soil": soil}), con).sort_by("id")
        want = sqlrp.score(two, joined, con).sort_by("id")
        assert found.column(kind).to_pylist() == want.column(kind).to_pylist()
        mine, theirs = (each.column("prediction").to_pandas().astype(float) for each in (found, want))
        assert np.allclose(mine, theirs, rtol=1e-8, equal_nan=True)
    soil = replace(soil, keep=[])
    bare = replace(join, dimensions={**join.dimensions, "soil": soil})
    one = sqlrp.learn(SOME, bare, con, rating, sample_weight=heavy, by=kind)  # all three are kept for it
    two = sqlrp.learn(SOME, joined, con, rating, sample_weight=heavy, by=kind)
    for group in two.models:
        assert_alike(one[group], two[group])
    classes = [sqlrp.learn(SOME, source, con, kind, ridge=2.0) for source in (shown, joined)]
    assert_alike(*classes)
    found, want = (
        sqlrp.score(model, source, con).sort_by("id") for model, source in zip(classes, (shown, joined), strict=True)
    )
    assert found.column("class").to_pylist() == want.column("class").to_pylist()
    assert by_key == []


@pytest.mark.parametrize("name", ENGINES)
def test_fits_and_drift_by_columns_of_dimensions(db: Database, name: str) -> None:
    (join, joined), con = told(db, missing=False), db.connection
    rating, kind = f"a grape.{RATING}", f"soil.{KIND}"
    one, two = (sqlrp.fit(PartialLeastSquares(k=1), source, con, target=rating) for source in (join, joined))
    assert np.allclose(one.arrays["weights"], two.arrays["weights"], rtol=1e-8)
    with pytest.raises(sqlrp.SourceError, match="it must be a column of numbers"):
        sqlrp.fit(PartialLeastSquares(k=1), join, con, target=kind)
    p = sqlrp.SparseProjection(k=2, s=1, seed=1)
    join = replace(join, dimensions={**join.dimensions, "a grape": grapes_of(join)})
    first, second = (sqlrp.drift(p, source, source, con, by=kind) for source in (join, joined))
    assert [group.name for group in first.groups] == ["chalk", "it's clay"]
    for mine, theirs in zip(first.groups, second.groups, strict=True):
        assert mine.rows == theirs.rows
        assert np.isclose(mine.p, theirs.p, rtol=1e-7)
    rows = db.run_query(sqlrp.drift_sql(first, join, con, by=kind))
    assert {row[0]: row[1] for row in rows} == {group.name: group.rows for group in first.groups}
