"""pairs_sql against all pairs by numpy, on every engine; and the probability that a pair is found."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from cases import ARRAYS
from cases import DATABASES as ENGINES
from databases import Database
from helpers import assert_one_line, load, oracle

import sqlrp

D, NEAR = 6, 8
RNG = np.random.default_rng(4)
X = RNG.normal(size=(40, D))
X[20 : 20 + NEAR] = X[:NEAR] + RNG.normal(size=(NEAR, D)) * np.geomspace(1e-3, 0.3, NEAR)[:, None]
X[30] = X[31]
P = sqlrp.SparseProjection(k=12, s=1, seed=3)
CASES = [(name, layout) for name in ENGINES for layout in ("wide", "array") if layout == "wide" or name in ARRAYS]


def apart(x: Any, metric: str) -> Any:
    """The distances of all pairs."""
    if metric == "l2":
        return np.linalg.norm(x[:, None] - x[None], axis=2)
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    return 1 - unit @ unit.T


def expected(x: Any, within: float, metric: str, bits: int) -> dict[tuple[int, int], float]:
    """The pairs that share a bucket and are near, with their distances."""
    signs = (oracle(P, x, scale=False) >= 0).reshape(len(x), -1, bits)
    shared = (signs[:, None] == signs[None]).all(axis=3).any(axis=2)
    distance = apart(x, metric)
    near = np.argwhere(np.triu(shared & (distance <= within + 1e-12), 1)).tolist()
    return {(a, b): float(distance[a, b]) for a, b in near}


@pytest.mark.parametrize(("name", "layout"), CASES)
@pytest.mark.parametrize(("metric", "within"), [("cosine", 0.02), ("l2", 0.5)])
def test_pairs_are_those_of_numpy(db: Database, name: str, layout: str, metric: Any, within: float) -> None:
    source = db.load(layout, X.tolist())
    text = sqlrp.pairs_sql(P, source, db.connection, within=within, metric=metric, bits=3, lowering="inline")
    rows = db.connector.fetch(db.connection, text).to_pylist()
    found = {(row["a"], row["b"]): float(row["distance"]) for row in rows}
    want = expected(X, within, metric, 3)
    assert len(rows) == len(found)
    assert found.keys() == want.keys()
    assert (30, 31) in found
    assert 3 < len(found) < 40
    assert np.allclose([found[pair] for pair in want], list(want.values()), atol=1e-9)


@pytest.mark.parametrize(("name", "layout"), CASES)
def test_all_pairs_are_compared_where_too_many_would_share_a_bucket(db: Database, name: str, layout: str) -> None:
    source = db.load(layout, [*X.tolist(), [None, *X[0, 1:].tolist()]])
    text = sqlrp.pairs_sql(P, source, db.connection, within=0.2)
    distance = apart(X, "cosine")
    want = {(a, b): float(distance[a, b]) for a, b in np.argwhere(np.triu(distance <= 0.2, 1)).tolist()}
    rows = db.run_query(text)
    assert {(a, b) for a, b, _ in rows} == want.keys()
    assert np.allclose([float(d) for _, _, d in sorted(rows)], list(want.values()), atol=1e-9)
    assert "sqlrp_hashed" not in text
    assert "sqlrp_hashed" in sqlrp.pairs_sql(P, source, db.connection, within=1e-6)


@pytest.mark.parametrize(("layout", "nulls"), [("wide", "propagate"), ("wide", "zero"), ("array", "propagate")])
def test_rows_with_null(con: Any, layout: str, nulls: Any) -> None:
    rows = X.tolist()
    rows[3][2] = None
    source = load(con, layout, rows)
    text = sqlrp.pairs_sql(P, source, con, within=0.02, bits=1, nulls=nulls)
    found = {(a, b) for a, b, _ in con.execute(text).fetchall()}
    x = np.nan_to_num(np.array(rows, dtype=np.float64))
    want = set(expected(x, 0.02, "cosine", 1))
    assert found == (want if nulls == "zero" else {pair for pair in want if 3 not in pair})
    assert found


@pytest.mark.parametrize(("metric", "within"), [("cosine", 2e-5), ("l2", 0.01)])
def test_no_row_with_null_is_compared(con: Any, metric: Any, within: float) -> None:
    """Several blocks of rows, of which each has rows that are NULL and rows with NULL: distances refuse NULL."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(9000, D))
    x[4500:] = x[:4500] + 1e-3 * rng.normal(size=(4500, D))
    cells = [None if i % 7 == 0 else [None, *row[1:]] if i % 5 == 0 else row for i, row in enumerate(x.tolist())]
    rows = pa.table({"id": range(9000), "x": pa.array(cells, pa.list_(pa.float64(), D))})
    con.register("rows", rows)
    p = sqlrp.SparseProjection(k=48, s=1, seed=3)
    for table in ("FROM rows", "SELECT id, CAST(x AS DOUBLE[]) AS x FROM rows"):
        con.execute(f"CREATE OR REPLACE TABLE t AS {table}")
        text = sqlrp.pairs_sql(p, sqlrp.Array("t", "x"), con, within=within, metric=metric, bits=16)
        found = {(a, b): distance for a, b, distance in con.execute(text).fetchall()}
        assert len(found) > 2000
        whole = [row is not None and row[0] is not None for row in cells]
        assert all(whole[a] and whole[b] for a, b in found)
        some = list(found)[:200]
        want = [apart(x[[a, b]], metric)[0, 1] for a, b in some]
        assert np.allclose([found[pair] for pair in some], want, rtol=1e-6, atol=1e-12)


def test_a_row_of_another_length_is_named(con: Any) -> None:
    con.execute("CREATE TABLE t AS FROM (VALUES (1, [1.0, 2.0, 3.0]), (2, [1.0, 2.0]), (3, [1.0, 2.0, 3.1])) v(id, x)")
    text = sqlrp.pairs_sql(P, sqlrp.Array("t", "x", n_features=3), con, within=0.1, bits=1)
    with pytest.raises(duckdb.Error, match="sqlrp: a list in 'x' has not the 3 elements of the others"):
        con.execute(text).fetchall()


def test_arrays_beyond_the_longest_type_of_duckdb(con: Any) -> None:
    """Longer lists are compared by functions of lists."""
    engine = sqlrp._engines.registry.ENGINES["duckdb"]
    for n in (100_000, 100_001):
        near = engine.euclidean("a", "b", n), engine.inner_product("a", "b", n)
        text = f"SELECT {', '.join(near)} FROM (SELECT list_transform(range({n}), lambda i: 1.0) AS a, "
        [(far, product)] = con.sql(f"{text}list_transform(range({n}), lambda i: 3.0) AS b)").fetchall()
        assert (far, product) == (pytest.approx(2 * n**0.5), 3.0 * n)


def test_hostile_names(con: Any) -> None:
    con.execute('CREATE TABLE "t ""x" AS SELECT i AS "b", 3.0 + i % 2 AS "a", 7.1 AS "distance" FROM range(4) r(i)')
    text = sqlrp.pairs_sql(P, sqlrp.Wide('t "x', key="b"), con, within=0)
    assert {(a, b) for a, b, _ in con.execute(text).fetchall()} == {(0, 2), (1, 3)}


def test_bits_reach_the_recall_that_is_asked_for(con: Any) -> None:
    """The fraction of planted pairs that are found is near what theory says."""
    rng, within, n, d = np.random.default_rng(1), 0.01, 1500, 40
    x = rng.normal(size=(n, d))
    turned = rng.normal(size=(n, d))
    turned -= x * ((turned * x).sum(axis=1) / (x * x).sum(axis=1))[:, None]
    turned *= np.linalg.norm(x, axis=1, keepdims=True) / np.linalg.norm(turned, axis=1, keepdims=True)
    angle = np.arccos(1 - within)
    rows = np.concatenate([x, np.cos(angle) * x + np.sin(angle) * turned])
    planted = pa.table({"id": range(2 * n), "x": rows.tolist()})
    con.register("planted", planted)
    for k, bits in ((60, 20), (60, 12)):
        p = sqlrp.SparseProjection(k=k, s=1, seed=5)
        text = sqlrp.pairs_sql(p, sqlrp.Array("planted", "x"), con, within=within + 1e-9, bits=bits)
        found = {(a, b) for a, b, _ in con.execute(text).fetchall()}
        have = len(found & {(i, i + n) for i in range(n)}) / n
        theory = sqlrp.pairs_recall(k, bits, within)
        assert abs(have - theory) < 0.06  # all pairs share one projection, so they are no independent draws


def test_the_most_bits_are_taken() -> None:
    assert sqlrp.pairs_recall(6, 3, 0.0) == 1.0
    assert sqlrp.pairs_recall(8, 2, 2.0) == 0.0
    text = sqlrp.pairs_sql(sqlrp.SparseProjection(k=160), sqlrp.Wide("t", features=list("abc")), "duckdb", within=0.01)
    chosen = sqlrp.pairs_sql(
        sqlrp.SparseProjection(k=160), sqlrp.Wide("t", features=list("abc")), "duckdb", within=0.01, bits=20
    )
    assert text == chosen
    assert sqlrp.pairs_recall(160, 20, 0.01) >= 0.95 > sqlrp.pairs_recall(160, 32, 0.01)


def test_what_is_refused(con: Any) -> None:
    wide = sqlrp.Wide("t", features=["a", "b"])
    for given, words in [
        ({"within": -1}, ["within = -1", "from 0 to 2"]),
        ({"within": 3}, ["within = 3", "from 0 to 2"]),
        ({"within": float("nan")}, ["within = nan"]),
        ({"within": -1, "metric": "l2"}, ["within = -1", ">= 0"]),
        ({"within": 1, "metric": "l2"}, ["pass bits"]),
        ({"within": 1, "metric": "inner"}, ["metric = 'inner'", "cosine, l2"]),
        ({"within": 0.1, "bits": 5}, ["k = 12", "multiple of bits = 5"]),
        ({"within": 0.1, "recall": 1}, ["recall = 1"]),
        ({"within": 1.9, "recall": 0.999}, ["k = 12", "raise k"]),
    ]:
        with pytest.raises(sqlrp.ParameterError) as caught:
            sqlrp.pairs_sql(P, wide, "duckdb", **given)  # type: ignore[arg-type]
        assert_one_line(caught, *words)
    with pytest.raises(sqlrp.ParameterError) as caught:
        sqlrp.pairs_sql(P, sqlrp.Wide("t", key=None, features=["a"]), "duckdb", within=0.1)
    assert_one_line(caught, "key")
    with pytest.raises(sqlrp.UnsupportedError) as caught_:
        sqlrp.pairs_sql(P, sqlrp.Long("t", n_features=4), "duckdb", within=0.1)
    assert_one_line(caught_, "sqlrp.hash_sql")
    with pytest.raises(sqlrp.UnsupportedError) as caught_:
        sqlrp.pairs_sql(P, sqlrp.Array("t", "x", n_features=4), "duckdb", within=0.1, nulls="zero")
    assert_one_line(caught_, "nulls = 'zero'")
