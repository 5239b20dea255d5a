"""Whitening, discriminants, canonical correlation and partial least squares from sums, beside scikit-learn's."""

from __future__ import annotations

import pickle
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from databases import FAMILY, Database
from helpers import assert_one_line
from learnt import ENGINES
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.cross_decomposition import CCA, PLSRegression
from sklearn.datasets import load_diabetes, load_iris, load_linnerud, load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import sqlrp
import sqlrp.sklearn
from sqlrp import CanonicalCorrelation, LinearDiscriminants, PartialLeastSquares, WhitenedComponents

Floats = NDArray[np.float64]
WINE = load_wine()
ORDER = np.arange(len(WINE.target)) * 37 % len(WINE.target)
X, Y, C = WINE.data[ORDER, :6], WINE.data[ORDER, 6:9], WINE.target[ORDER]
GRAPES = np.array(["barolo", "grignolino", "it's barbera"])
K = 2
CONVERGED: dict[str, Any] = {"tol": 1e-28, "max_iter": 100_000}
"""What makes the iterations of scikit-learn end at the answer, and not near it."""


def expected(method: type[sqlrp.Projection], x: Floats, y: Floats, c: Any, k: int = K) -> Floats:
    """What scikit-learn's transform gives."""
    if method is WhitenedComponents:
        return np.asarray(PCA(k, whiten=True, svd_solver="full").fit(x).transform(x))
    if method is LinearDiscriminants:
        z = LinearDiscriminantAnalysis(solver="eigen").fit(x, c).transform(x)[:, :k]
        return np.asarray(z - z.mean(axis=0))
    if method is CanonicalCorrelation:
        return np.asarray(CCA(k, **CONVERGED).fit(x, y).transform(x))
    return np.asarray(PLSRegression(k, **CONVERGED).fit(x, y).transform(x))


METHODS: dict[type[sqlrp.Projection], Any] = {
    WhitenedComponents: None,
    LinearDiscriminants: "name",
    CanonicalCorrelation: ["y0", "y1", "y2"],
    PartialLeastSquares: ("y0", "y1", "y2"),
}
"""The methods and their targets."""


def assert_same(z: Any, want: Floats, rtol: float = 1e-8) -> None:
    """The same components, up to their signs."""
    z = np.asarray(z, dtype=np.float64)
    assert z.shape == want.shape
    sign = np.sign((z * want).sum(axis=0))
    assert np.abs(z * sign - want).max() <= rtol * np.abs(want).max()


def source(db: Database, layout: str) -> tuple[Any, str | None]:
    """The rows with their targets in the layout; of sparse rows, the table of the targets."""
    double, text = {"clickhouse": ("Float64", "String"), **dict.fromkeys(FAMILY, ("DOUBLE", "VARCHAR(20)"))}.get(
        db.name, ("DOUBLE PRECISION", "VARCHAR")
    )
    targets = [("name", text), *((f"y{j}", double) for j in range(3))]
    told = [[str(GRAPES[c]), *y] for c, y in zip(C, Y.tolist(), strict=True)]
    if layout == "long":
        made = db.load("long", X.tolist(), table="cells")
        return made, db.make("targets", [("id", "BIGINT"), *targets], [[i, *own] for i, own in enumerate(told)])
    names = [(f"f{j}", double) for j in range(X.shape[1])] if layout == "wide" else [("x", db.array_of(double))]
    values = X.tolist() if layout == "wide" else [[row] for row in X.tolist()]
    rows = [[i, *row, *own] for i, (own, row) in enumerate(zip(told, values, strict=True))]
    table = db.make(f"of_{layout}", [("id", "BIGINT"), *names, *targets], rows)
    if layout == "array":
        return sqlrp.Array(table, "x"), None
    return sqlrp.Wide(table, features=[name for name, _ in names]), None


def components(fitted: sqlrp.Projection, rows: Any, con: Any, **options: Any) -> Floats:
    found = sqlrp.project(fitted, rows, con, **options).to_pandas().sort_values("id")
    return np.asarray(found[list(fitted.outputs)], dtype=np.float64)


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        (name, layout)
        for name in ENGINES
        for layout in ["wide", "long"] + ["array"] * sqlrp._engines.registry.ENGINES[name].has_arrays
    ],
)
def test_every_engine_and_layout(db: Database, name: str, layout: str) -> None:
    rows, labels = source(db, layout)
    for method, target in METHODS.items():
        given = {} if target is None else {"target": target, "labels": labels}
        fitted = sqlrp.fit(method(k=K), rows, db.connection, **given)
        assert_same(components(fitted, rows, db.connection), expected(method, X, Y, GRAPES[C]))
        assert fitted.bound_to == (tuple(f"f{j}" for j in range(X.shape[1])) if layout == "wide" else X.shape[1])
        assert sqlrp.from_json(fitted.to_json()) == fitted
        if layout == "wide":
            sqlrp.save(fitted, db.connection, "kept", replace=True)
            assert sqlrp.load(db.connection, "kept") == fitted


@pytest.mark.parametrize("name", ["duckdb", "postgresql"])
def test_functions_of_the_database(db: Database, name: str) -> None:
    rows, _ = source(db, "wide")
    db.install()
    for method, target in METHODS.items():
        given = {} if target is None else {"target": target}
        fitted = sqlrp.fit(method(k=K), rows, db.connection, **given)
        sqlrp.save(fitted, db.connection, "kept", replace=True)
        call = {"duckdb": "FROM project_with('kept', 'of_wide')", "postgresql": "SELECT * FROM of_wide"}[name]
        if name == "postgresql":
            sqlrp.create_function(fitted, db.connection, "kept_function", replace=True)
            listed = ", ".join(f"f{j}" for j in range(X.shape[1]))
            call = f"SELECT (kept_function(ARRAY[{listed}]))[1:2] FROM of_wide ORDER BY id"
            z = [row[0] for row in db.run_query(call)]
        else:
            z = [row[-K:] for row in sorted(db.run_query(call), key=lambda row: row[0])]
        assert_same(z, expected(method, X, Y, GRAPES[C]))


# -- one engine: the same code serves all -------------------------------------------------------------------


@pytest.fixture
def own() -> Any:
    with duckdb.connect(config={"threads": "1"}) as con:
        yield con


def loaded(con: Any, x: Floats, y: Floats | None = None, c: Any = None) -> sqlrp.Wide:
    """A table of the rows and their targets; a view of it is projected by SQL."""
    frame = pd.DataFrame(x, columns=[f"f{j}" for j in range(x.shape[1])])
    frame.insert(0, "id", range(len(x)))
    for j in range(0 if y is None else y.shape[1]):
        frame[f"y{j}"] = y[:, j]  # type: ignore[index]
    if c is not None:
        frame["name"] = c
    con.execute("CREATE OR REPLACE TABLE t AS FROM frame")
    con.execute("CREATE OR REPLACE VIEW seen AS FROM t")
    return sqlrp.Wide("t", features=[f"f{j}" for j in range(x.shape[1])])


@pytest.mark.parametrize("kind", ["t", "seen"])
def test_as_many_components_as_there_are(own: Any, kind: str) -> None:
    """Of data sets of scikit-learn, read in batches and added up by SQL."""
    linnerud, iris, diabetes = load_linnerud(), load_iris(), load_diabetes()
    for method, x, y, c, k in (
        (CanonicalCorrelation, linnerud.data, linnerud.target, None, 3),
        (CanonicalCorrelation, diabetes.data[:, :6] * 30 + 7, diabetes.data[:, 6:], None, 4),
        (PartialLeastSquares, linnerud.data, linnerud.target, None, 3),
        (PartialLeastSquares, diabetes.data, diabetes.target[:, None], None, 6),
        (LinearDiscriminants, iris.data, None, iris.target, 2),
        (LinearDiscriminants, WINE.data, None, WINE.target, 2),
        (WhitenedComponents, iris.data, None, None, 4),
        (WhitenedComponents, diabetes.data, None, None, 10),
    ):
        rows = sqlrp.Wide(kind, features=loaded(own, x, y, c).features)
        target = "name" if c is not None else [f"y{j}" for j in range(y.shape[1])] if y is not None else None
        fitted = sqlrp.fit(method(k=k), rows, own, target=target)
        assert_same(components(fitted, rows, own), expected(method, x, y, c, k))


def test_many_features_are_passed_on_in_batches(own: Any) -> None:
    """More than a database adds up by itself: their components, and all targets, are read."""
    x = np.hstack([X, np.random.default_rng(1).normal(size=(len(X), 44))])
    loaded(own, x, Y, GRAPES[C])
    rows = sqlrp.Wide("seen", features=[f"f{j}" for j in range(50)])
    for method, target in METHODS.items():
        fitted = sqlrp.fit(method(k=K), rows, own, target=target)
        assert_same(components(fitted, rows, own), expected(method, x, Y, GRAPES[C]), 1e-7)


def test_rows_far_from_zero_and_of_other_units(own: Any) -> None:
    x = X * 10.0 ** np.arange(-3, 3) + 1e4
    rows = loaded(own, x, Y * 1e-5 + 3, GRAPES[C])
    for method, target in METHODS.items():
        if method is not WhitenedComponents:
            fitted = sqlrp.fit(method(k=K), rows, own, target=target)
            assert_same(components(fitted, rows, own), expected(method, x, Y * 1e-5 + 3, GRAPES[C]), 1e-4)


def test_constant_and_repeated_columns(own: Any) -> None:
    """They add nothing, as in scikit-learn, where they have no direction of their own."""
    x = np.hstack([X, np.full((len(X), 1), 0.1), X[:, :2]])
    rows = loaded(own, x, np.hstack([Y, np.ones((len(Y), 1))]), GRAPES[C])
    targets = [f"y{j}" for j in range(4)]
    more = np.hstack([Y, np.ones((len(Y), 1))])
    for method, target, rtol in (
        (LinearDiscriminants, "name", 1e-8),
        (CanonicalCorrelation, targets, 1e-7),
        (PartialLeastSquares, targets, 1e-8),
    ):
        fitted = sqlrp.fit(method(k=K), rows, own, target=target)
        want = expected(method, X if method is LinearDiscriminants else x, more, GRAPES[C])
        assert_same(components(fitted, rows, own), want, rtol)
    for method, target in ((WhitenedComponents, None), (CanonicalCorrelation, targets)):
        with pytest.raises(sqlrp.SourceError) as caught:
            sqlrp.fit(method(k=7), rows, own, target=target)
        assert_one_line(caught, "k = 7", "lower k", "6")


def test_prepared_rows(own: Any) -> None:
    rows = loaded(own, X, Y, GRAPES[C])
    scaled = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    for method, target in METHODS.items():
        fitted = sqlrp.fit(method(k=K), sqlrp.Standardized(rows, "minmax"), own, target=target)
        assert_same(components(fitted, rows, own), expected(method, scaled, Y, GRAPES[C]))
    every = sqlrp.Wide("t")  # the target is then no feature
    fitted = sqlrp.fit(PartialLeastSquares(k=1), sqlrp.Standardized(every), own, target="y0")
    assert "y0" not in fitted.bound_to
    assert sqlrp.fit(PartialLeastSquares(k=1), every, own, target="y0").bound_to == fitted.bound_to


def test_rows_without_a_target_are_left_out(own: Any) -> None:
    rows, keep = loaded(own, X, Y, GRAPES[C]), np.arange(len(X)) % 5 != 0
    own.execute("UPDATE t SET name = NULL, y1 = NULL WHERE id % 5 = 0")
    for method, target in METHODS.items():
        if target is not None:
            for table in ("t", "seen"):
                fitted = sqlrp.fit(method(k=K), sqlrp.Wide(table, features=rows.features), own, target=target)
                want = expected(method, X[keep], Y[keep], GRAPES[C][keep])
                assert_same(components(fitted, rows, own)[keep], want)


@pytest.mark.parametrize(
    ("method", "target", "words"),
    [
        (LinearDiscriminants(k=1), None, "LinearDiscriminants learns from targets: pass target, the name of a column"),
        (PartialLeastSquares(k=1), [], "PartialLeastSquares learns from targets"),
        (PartialLeastSquares(k=1), 5, "PartialLeastSquares learns from targets"),
        (LinearDiscriminants(k=1), ["name", "y0"], "names several"),
        (CanonicalCorrelation(k=1), ["y0", "y0"], "names a column twice"),
        (WhitenedComponents(k=1), "name", "WhitenedComponents learns from rows without targets: leave out target"),
    ],
)
def test_targets_that_do_not_fit(own: Any, method: Any, target: Any, words: str) -> None:
    with pytest.raises(sqlrp.ParameterError) as caught:
        sqlrp.fit(method, loaded(own, X, Y, GRAPES[C]), own, target=target)
    assert_one_line(caught, words)


@pytest.mark.parametrize(
    ("method", "target", "where", "words"),
    [
        (LinearDiscriminants(k=1), "name", "id < 0", "no row has a target"),
        (LinearDiscriminants(k=1), "name", "id = 1", "1 rows have a target: at least 2 are needed"),
        (LinearDiscriminants(k=1), "name", "name = 'barolo'", "the target has one class"),
        (LinearDiscriminants(k=3), "name", "true", "k = 3 must be at most 2, the number of classes less one"),
        (LinearDiscriminants(k=1), "own", "id < 9", "9 rows must be more than the 9 classes"),
        (CanonicalCorrelation(k=4), ["y0", "y1", "y2"], "true", "k = 4 must be at most 3, the number of directions"),
        (CanonicalCorrelation(k=3), ["y0", "y1", "y2"], "id < 3", "k = 3 must be at most 2"),
        (PartialLeastSquares(k=7), "y0", "true", "k = 7 must be at most 6, the number of features"),
        (PartialLeastSquares(k=4), "y0", "id < 3", "k = 4 must be at most 2"),
        (PartialLeastSquares(k=1), "y0", "y0 = (SELECT mode(y0) FROM t)", "k = 1 must be at most 0"),
        (PartialLeastSquares(k=1), "name", "true", "it must be a column of numbers"),
        (PartialLeastSquares(k=1), ["y0", "other"], "true", "'other' is not a column of"),
        (WhitenedComponents(k=5), None, "id < 5", "5 rows vary in 4 directions, fewer than the k = 5 components"),
    ],
)
def test_rows_that_do_not_give_as_many(own: Any, method: Any, target: Any, where: str, words: str) -> None:
    features = loaded(own, X, Y, GRAPES[C]).features
    own.execute(f"CREATE VIEW few AS SELECT *, id AS own FROM t WHERE {where}")
    with pytest.raises(sqlrp.SourceError) as caught:
        sqlrp.fit(method, sqlrp.Wide("few", features=features), own, target=target)
    assert_one_line(caught, words)


def test_what_cannot_be_learnt_from(own: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = loaded(own, X, Y, GRAPES[C])
    with pytest.raises(sqlrp.ParameterError, match=r"learns from tables: register the dataframe with DuckDB"):
        sqlrp.fit(PartialLeastSquares(k=1), pd.DataFrame({"a": [1.0], "b": [2.0]}), target="b")
    with pytest.raises(sqlrp.ParameterError, match=r"is not fitted: use sqlrp.fit\(projection, source, con, target="):
        sqlrp.project(PartialLeastSquares(k=1), rows, own)
    own.execute("UPDATE t SET y0 = 'nan' WHERE id = 3")
    with pytest.raises(sqlrp.SourceError, match="NaN or infinite"):
        sqlrp.fit(PartialLeastSquares(k=1), rows, own, target="y0")
    own.execute("UPDATE t SET f0 = NULL WHERE id = 3")
    with pytest.raises(sqlrp.SourceError, match="holds NULL, which nothing can be learnt from"):
        sqlrp.fit(LinearDiscriminants(k=1), rows, own, target="name")
    monkeypatch.setattr("sqlrp._learning.components.MOST", 5)
    with pytest.raises(sqlrp.LimitError, match="6 features, more than the 5 whose products are added up"):
        sqlrp.fit(LinearDiscriminants(k=1), rows, own, target="name")


def test_whitened_rows_go_back(own: Any) -> None:
    rows = loaded(own, X)
    fitted = sqlrp.fit(WhitenedComponents(k=3), rows, own)
    back = sqlrp.back_project(fitted, components(fitted, rows, own))
    want = PCA(3, whiten=True, svd_solver="full").fit(X)
    assert np.allclose(back, want.inverse_transform(want.transform(X)), rtol=1e-8)
    assert fitted.rotated(3) is fitted
    assert not fitted.kernel().known


TRANSFORMED = [LinearDiscriminants, CanonicalCorrelation, PartialLeastSquares]


def transformer(method: type[sqlrp.Projection], k: int | None = K) -> Any:
    """The transformer of a method."""
    return getattr(sqlrp.sklearn, method.__name__)(k)


def targets_of(method: type[sqlrp.Projection]) -> Any:
    """The classes as texts, or the numbers."""
    return GRAPES[C] if method is LinearDiscriminants else Y


@pytest.mark.parametrize("method", TRANSFORMED)
def test_a_transformer_gives_scikit_learns_components_and_those_of_fit(method: Any, own: Any) -> None:
    """Of an array, of sparse rows, and of a dataframe by names; the projection gives the same of a table."""
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    want, y = expected(method, X, Y, C), targets_of(method)
    for rows in (X, sparse.csr_matrix(X), sparse.csc_array(X), frame):
        assert_same(transformer(method).fit_transform(rows, y), want)
    fitted = transformer(method).fit(frame, y)
    assert fitted.projection_.bound_to == tuple(frame.columns)
    assert fitted.get_feature_names_out().tolist() == [f"{method.__name__.lower()}{i}" for i in range(K)]
    made = loaded(own, X, Y, C)
    by_table = sqlrp.fit(method(k=K), made, own, target=METHODS[method])
    assert_same(components(fitted.projection_, made, own), components(by_table, made, own))
    copy = pickle.loads(pickle.dumps(fitted))
    assert copy.projection_ == fitted.projection_
    assert np.array_equal(copy.transform(frame), fitted.transform(frame))
    assert not hasattr(clone(fitted), "projection_")


@pytest.mark.slow
@pytest.mark.parametrize("method", TRANSFORMED)
@pytest.mark.filterwarnings("ignore")
def test_a_transformer_passes_scikit_learns_own_checks(method: Any) -> None:
    found = check_estimator(transformer(method, None))
    if found is not None:  # since 1.6 they are listed
        assert {each["check_name"] for each in found if each["status"] != "passed"} <= {"check_array_api_input"}
        assert len(found) > 30


def test_a_transformer_takes_as_many_components_as_there_are() -> None:
    assert transformer(LinearDiscriminants, None).fit(X, GRAPES[C]).n_components_ == 2
    assert transformer(LinearDiscriminants, None).fit(X[:, :1], C).n_components_ == 1
    for method in (CanonicalCorrelation, PartialLeastSquares):
        assert transformer(method, None).fit(X, Y).n_components_ == 2
        assert transformer(method, None).fit(X, Y[:, 0]).n_components_ == 1


def test_a_transformer_stands_in_a_pipeline() -> None:
    """A search over the number of components passes the classes on."""
    pipeline = make_pipeline(transformer(LinearDiscriminants), GaussianNB())
    search = GridSearchCV(pipeline, {"lineardiscriminants__n_components": [1, 2]}, cv=3).fit(X, C)
    assert search.best_params_ == {"lineardiscriminants__n_components": 2}
    assert search.best_score_ > 0.85


@pytest.mark.parametrize(
    ("method", "y", "words"),
    [
        (LinearDiscriminants, None, "requires y to be passed"),
        (LinearDiscriminants, Y[:, 0] + 0.123, "Unknown label type: continuous"),
        (LinearDiscriminants, np.zeros(len(X)), "one class"),
        (PartialLeastSquares, None, "requires y to be passed"),
        (PartialLeastSquares, Y[:9], "inconsistent numbers of samples"),
        (CanonicalCorrelation, np.where(np.arange(len(Y))[:, None] == 3, np.nan, Y), "contains NaN"),
    ],
)
def test_targets_that_a_transformer_refuses(method: Any, y: Any, words: str) -> None:
    with pytest.raises((ValueError, sqlrp.SqlrpError), match=words):
        transformer(method, 1).fit(X, y)


def test_a_transformer_says_more_components_than_there_can_be() -> None:
    with pytest.raises(sqlrp.SqlrpError, match="n_components = 3 must be at most 2, the number of classes less one"):
        transformer(LinearDiscriminants, 3).fit(X, C)


def test_a_transformer_makes_few_sparse_rows_dense(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqlrp.sklearn._SAMPLE", 100)
    with pytest.raises(sqlrp.LimitError, match="sparse rows of 6 features are more than the 100 numbers"):
        transformer(PartialLeastSquares).fit(sparse.csr_matrix(X), Y)
    assert transformer(PartialLeastSquares).fit(X, Y).n_components_ == K
