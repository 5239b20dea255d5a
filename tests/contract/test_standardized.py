"""Sources prepared by statistics that are saved with the projection: scikit-learn's numbers, on every engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import DATABASES as ENGINES
from databases import FAMILY, Database, opened
from evaluate import evaluate
from helpers import METHODS, assert_one_line, cells, oracle, squared_distances
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler

import sqlrp
from sqlrp import (
    Array,
    Long,
    ParameterError,
    Prepared,
    PrincipalComponents,
    Projection,
    SourceError,
    SparseProjection,
    Standardized,
    Wide,
)
from sqlrp._core.draw import hash_name
from sqlrp._core.sources import HOWS, Source

ARRAYS = ("duckdb", "postgresql", "clickhouse")
TRANSFORMERS = {
    "standard": StandardScaler,
    "minmax": MinMaxScaler,
    "l2": Normalizer,
    "tfidf": TfidfTransformer,
}
LINEAR, KERNEL = METHODS["linear"], METHODS["degree3-c"]


def rows() -> np.ndarray[Any, np.dtype[np.float64]]:
    """Counts, some of them 0; a feature that is constant, one that never is there, one of large numbers, a row of 0."""
    rng = np.random.default_rng(3)
    x = rng.poisson(1.2, (12, 7)).astype(np.float64)
    x[:, 2], x[:, 3], x[:, 5] = 3.5, 0, x[:, 5] * 0.01 + 1e6
    x[4] = 0
    return x


X = rows()


def transformed(how: str, x: Any, fitted_on: Any = None) -> Any:
    made = TRANSFORMERS[how]().fit(x if fitted_on is None else fitted_on).transform(x)
    return np.asarray(made.todense() if hasattr(made, "todense") else made)


def close(got: dict[Any, Any], projection: Projection, prepared: Any, rtol: float = 1e-9) -> None:
    want = oracle(projection, prepared)
    assert sorted(got) == list(range(len(want)))
    scale = np.abs(want).max()
    for i, row in got.items():
        np.testing.assert_allclose(np.array(row, dtype=np.float64), want[i], rtol=0, atol=rtol * scale)


def layouts(name: str, how: str) -> list[str]:
    return [
        layout
        for layout in ("wide", "array", "long")
        if (layout != "array" or name in ARRAYS) and (layout != "long" or how in ("l2", "tfidf"))
    ]


CASES = [
    (name, how, layout, lowering)
    for name in ENGINES
    for how in HOWS
    for layout in layouts(name, how)
    for lowering in (("inline", "relational") if layout == "wide" else ("auto",))
]


@pytest.mark.parametrize(("name", "how", "layout", "lowering"), CASES)
def test_the_numbers_are_scikit_learn_s(db: Database, name: str, how: Any, layout: str, lowering: str) -> None:
    source = db.load(layout, X.tolist())
    projection = (LINEAR, KERNEL)[len(name + how + lowering) % 2]
    got = db.projected(projection, Standardized(source, how), lowering=lowering)
    close(got, projection, transformed(how, X), 1e-8)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("how", ["standard", "minmax"])
def test_nulls_are_left_out_and_count_as_0_afterwards(db: Database, name: str, how: Any) -> None:
    holed = X.copy()
    holed[1, 0] = holed[6, 5] = np.nan
    values: Any = [[None if np.isnan(v) else v for v in row] for row in holed.tolist()]
    want = transformed(how, holed)
    frame = pd.DataFrame(values, columns=[f"f{j}" for j in range(7)], dtype="Float64").assign(id=range(len(X)))
    for layout in layouts(name, how):
        source = db.load(layout, values)
        got = db.projected(LINEAR, Standardized(source, how))
        assert [i for i, row in got.items() if None in row] == [1, 6]
        for lowering in ("inline", "relational") if layout == "wide" else ("auto",):
            got = db.projected(LINEAR, Standardized(source, how), nulls="zero", lowering=lowering)
            close(got, LINEAR, np.nan_to_num(want), 1e-8)
    memory = sqlrp.project(LINEAR, Standardized(frame, how), nulls="zero")
    np.testing.assert_allclose(memory.filter(like="z").to_numpy(float), oracle(LINEAR, np.nan_to_num(want)), atol=1e-8)


@pytest.mark.parametrize("how", HOWS)
def test_in_memory(con: Any, how: Any) -> None:
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(7)])
    con.register("t", frame)
    inside = sqlrp.fit(LINEAR, Standardized(Wide("t", key=None), how), con)
    outside = sqlrp.fit(LINEAR, Standardized(frame, how), key=None)
    want = oracle(LINEAR, transformed(how, X))
    for fitted in (inside, outside):
        np.testing.assert_allclose(sqlrp.project(fitted, frame, key=None).to_numpy(), want, atol=1e-8)
        np.testing.assert_allclose(sqlrp.project_vector(fitted, X[5]), want[5], atol=1e-8)
        by_name = dict(zip(frame.columns, X[5], strict=True))
        np.testing.assert_allclose(sqlrp.project_vector(fitted, by_name), want[5], atol=1e-8)
    text = sqlrp.vector_sql(inside, X[5], "duckdb")
    np.testing.assert_allclose(con.execute(text).fetchall()[0], want[5], atol=1e-8)


@pytest.mark.parametrize("name", ["duckdb", "postgresql", *FAMILY, "clickhouse"])  # SQLite has no md5
def test_words_of_an_open_vocabulary(db: Database, name: str) -> None:
    words = ["milk", "bread", "a b", "", "Käse"]
    counts = X[:, :5].astype(int)
    counts[:, 2] = counts[:, 2] * (np.arange(12) % 3 == 0)
    # One word is spread over two rows, which are one.
    lines = [(i, words[j], int(v)) for i, row in enumerate(counts.tolist()) for j, v in enumerate(row) if v or j == 0]
    lines = [*lines[1:], (lines[0][0], lines[0][1], lines[0][2] + 2), (lines[0][0], lines[0][1], -2)]
    text = {"clickhouse": "String", **dict.fromkeys(FAMILY, "VARCHAR(20)")}.get(name, "VARCHAR")
    source = Long(db.make("t", [("id", "BIGINT"), ("feature", text), ("value", "INTEGER")], lines))
    projection, numbers = SparseProjection(k=6, s=2, seed=3), np.array([hash_name(w) for w in words])
    fitted = sqlrp.fit(projection, Standardized(source, "tfidf"), db.connection)
    stages, factor = projection.stages(None), projection.factor(None)
    want = evaluate(stages, transformed("tfidf", counts), numbers) * factor
    got = db.projected(fitted, source)
    np.testing.assert_allclose([got[i] for i in range(12)], want, atol=1e-9)
    report = sqlrp.diagnose(fitted, source, db.connection, sample=12)
    true, after = (squared_distances(rows @ rows.T) for rows in (transformed("tfidf", counts), want))
    apart = true > 1e-12  # two of the documents are alike
    assert report.sampled.pairs == apart.sum() == 65
    assert report.distortion.mean == pytest.approx(np.mean(np.abs(after - true)[apart] / true[apart]))

    # A word that was in no document has the weight of a df of 0.
    new = Long(
        db.make("t2", [("id", "BIGINT"), ("feature", text), ("value", "INTEGER")], [(0, "new", 1), (0, "milk", 2)])
    )
    df = np.array([0, np.count_nonzero(counts[:, 0])])
    row = np.array([1, 2]) * (np.log(13 / (1 + df)) + 1)
    row = row / np.linalg.norm(row)
    want = evaluate(stages, row[None, :], np.array([hash_name("new"), numbers[0]])) * factor
    np.testing.assert_allclose(db.projected(fitted, new)[0], want[0], atol=1e-9)


@pytest.fixture
def own(name: str, tmp_path: Path) -> Any:  # what is saved in one is not the next one's
    yield from opened(name, tmp_path)


@pytest.mark.parametrize("name", ["duckdb", "postgresql"])
def test_a_new_row_is_prepared_by_the_old_statistics(own: Database, name: str) -> None:
    source = own.load("wide", X.tolist())
    assert isinstance(source, Wide)
    kept = sqlrp.save(LINEAR, own.connection, "prepared", source=Standardized(source))
    assert sqlrp.load(own.connection, "prepared") == kept == sqlrp.from_json(kept.to_json())
    assert isinstance(kept, Prepared)
    assert sqlrp.materialize(LINEAR, Standardized(source), own.connection, into="made") == len(X)
    new = X[3] * 2 + 5
    own.run(f"INSERT INTO t VALUES (12, {', '.join(map(repr, new.tolist()))})")
    assert sqlrp.refresh(own.connection, "made") == 1
    want = transformed("standard", np.vstack([X, new]), X)
    made = own.connector.fetch(own.connection, "SELECT * FROM made")
    close(cells(made, "columns", LINEAR.k), LINEAR, want, 1e-8)
    close(own.projected(kept, source), LINEAR, want, 1e-8)
    sqlrp.install(own.connection)
    if name == "duckdb":
        found = own.connector.fetch(own.connection, "FROM project_with('prepared', 't')")
        close(cells(found, "columns", LINEAR.k), LINEAR, want, 1e-8)
    else:
        query = "SELECT CAST(key AS int) AS id, z FROM project_with('prepared', 't')"
        found = own.connector.fetch(own.connection, query)
        close(cells(found, "array", LINEAR.k), LINEAR, want, 1e-8)


def test_a_method_that_learns_learns_from_prepared_rows(con: Any) -> None:
    frame = pd.DataFrame(X[:, [0, 1, 4, 6]], columns=list("abcd"))
    con.register("t", frame)
    source = Wide("t", key=None)
    fitted = sqlrp.fit(PrincipalComponents(k=2), Standardized(source), con)
    x = transformed("standard", frame.to_numpy())
    assert isinstance(fitted, Prepared)
    values, vectors = np.linalg.eigh(np.cov(x.T))
    want = (x @ vectors[:, ::-1][:, :2]) * np.sqrt(values.sum() / values[::-1][:2].sum())
    got = sqlrp.project(fitted, frame, key=None).to_numpy()
    np.testing.assert_allclose(np.abs(got), np.abs(want), atol=1e-8)
    with pytest.raises(ParameterError) as caught:
        sqlrp.project(PrincipalComponents(k=2), Standardized(source), con)
    assert_one_line(caught, "PrincipalComponents", "sqlrp.fit(projection, Standardized")


@pytest.mark.parametrize("how", HOWS)
def test_distances_are_those_of_prepared_rows(con: Any, how: Any) -> None:
    """All features picked: every distance is kept, and nothing but the preparation may err."""
    x = np.random.default_rng(0).poisson(2, (20, 6)) + 1.0
    frame = pd.DataFrame(x, columns=[f"f{j}" for j in range(6)])
    con.register("t", frame)
    projection = sqlrp.RandomSubspace(k=6)
    for report in (
        sqlrp.diagnose(projection, Standardized(frame, how), sample=20, key=None),
        sqlrp.diagnose(projection, Standardized(Wide("t", key=None), how), con, sample=20),
    ):
        assert report.distortion.q95 < 1e-9
        assert report.sampled.rows == 20


def test_explain_says_how(con: Any) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS id, 2 AS a, 3 AS b")
    said = str(sqlrp.explain(LINEAR, Standardized("t"), con))
    assert "how='standard'" in said
    assert "less their means, over their standard deviations" in said


def refused(con: Any, source: Source) -> dict[str, Any]:
    fitted = sqlrp.fit(LINEAR, Standardized("t"), con)
    return {
        "how = 'mean' must be one of standard, minmax, l2, tfidf": lambda: Standardized("t", "mean"),  # type: ignore[arg-type]
        "makes sparse rows dense: use 'tfidf' or 'l2'": lambda: Standardized(Long("w")),
        "cannot be standardized again": lambda: Standardized(Standardized("t")),
        "carries statistics of its own": lambda: sqlrp.project(fitted, Standardized("t"), con),
        "pass a connection": lambda: sqlrp.sql(LINEAR, Standardized("t"), "duckdb"),
        "shifts every feature": lambda: sqlrp.project(
            Prepared(of=LINEAR, state=fitted.state), Long("w", n_features=2), con
        ),
        "needs statistics": lambda: sqlrp.project(Prepared(of=LINEAR), "t", con),
        "prepared yet": lambda: Prepared(of=fitted),
        "statistics are of 2 features, the source has 1": lambda: sqlrp.project(
            Prepared(of=LINEAR, state=fitted.state), Wide("t", features=["a"]), con
        ),
        "state cannot be read": lambda: Prepared(of=LINEAR, state="?"),
    }


def test_refusals(con: Any) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS id, 2 AS a, 3 AS b UNION ALL SELECT 2, 3, 5")
    con.execute("CREATE TABLE w AS SELECT 1 AS id, 0 AS feature, 2 AS value")
    for words, call in refused(con, "t").items():  # type: ignore[arg-type]
        with pytest.raises(ParameterError) as caught:
            call()
        assert_one_line(caught, words)
    con.execute("CREATE TABLE bad AS SELECT 1 AS id, 2 AS a, CAST('nan' AS DOUBLE) AS b, CAST(NULL AS DOUBLE) AS c")
    for how in ("standard", "minmax"):
        with pytest.raises(SourceError) as told:
            sqlrp.project(LINEAR, Standardized("bad", how), con)  # type: ignore[arg-type]
        assert_one_line(told, "2 features of", "'b'", "NaN")
    con.execute("ALTER TABLE bad DROP COLUMN a")
    with pytest.raises(SourceError, match=r"1 missing: \['a'\] and 1 extra: \['c'\]"):
        sqlrp.project(sqlrp.fit(LINEAR, Standardized("t"), con), "bad", con)


def test_arrays_of_lists(con: Any) -> None:
    con.execute("CREATE TABLE t AS SELECT range AS id, [range, range * 2.0, 7] AS x FROM range(5)")
    x = np.array([[i, i * 2, 7] for i in range(5)], dtype=np.float64)
    result = sqlrp.project(LINEAR, Standardized(Array("t", "x")), con)
    close(cells(result, "columns", LINEAR.k), LINEAR, transformed("standard", x), 1e-8)
