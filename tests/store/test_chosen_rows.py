"""Searches with kept columns, a condition, an offset and vectors of a table, against scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from cases import ARRAYS, DATABASES
from databases import DOUBLES
from helpers import assert_one_line, load
from sklearn.datasets import load_wine
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import scale

import sqlrp
from sqlrp._store.row_choices import choice_of

X = scale(load_wine().data[:, :6])
KIND = load_wine().target
KEY, TITLE, LANG = 'k"ey', "it's a \"title", "lang"
OUTPUTS: dict[str, Any] = {
    "bits": sqlrp.SparseProjection(k=70, s=1, seed=2),
    "columns": sqlrp.HadamardProjection(k=8, seed=1, padding="least"),
    "array": sqlrp.SparseProjection(k=5, s=1, seed=3),
    "vector": sqlrp.SparseProjection(k=5, s=1, seed=3),
}
CASES = [
    (name, output)
    for name in DATABASES
    for output in OUTPUTS
    if output in ("bits", "columns") or (name in ARRAYS and (output == "array" or name == "duckdb"))
]


def words_of(name: str) -> str:
    return "String" if name == "clickhouse" else "VARCHAR(40)"


def made(db: Any, output: Any) -> None:
    """The wines, whose key, title and language have names that are to be quoted, as a table and as codes."""
    name, rows = db.name, [[i, f"it's {i}", "abc"[KIND[i]], *row] for i, row in enumerate(X.tolist())]
    columns = [(KEY, "INTEGER"), (TITLE, words_of(name)), (LANG, words_of(name))]
    db.make("wines", [*columns, *((f"f{j}", DOUBLES[name]) for j in range(6))], rows)
    source = sqlrp.Wide("wines", key=KEY, features=[f"f{j}" for j in range(6)])
    sqlrp.materialize(OUTPUTS[output], source, db.connection, "codes", output=output, replace=True)


def nearest(query: npt.NDArray[Any], rows: npt.NDArray[Any], n: int, metric: str = "euclidean") -> Any:
    """The keys of the nearest of some rows, and how far away these are."""
    apart = pairwise_distances(query[None], X[rows], metric=metric)[0]
    order = np.argsort(apart, kind="stable")[:n]
    return rows[order].tolist(), apart[order]


@pytest.mark.parametrize(("name", "output"), CASES)
def test_a_search_shows_columns_of_the_rows_that_a_condition_chooses(db: Any, name: str, output: str) -> None:
    made(db, output)
    con, every, some = db.connection, np.arange(len(X)), np.flatnonzero(KIND == 1)
    choice: dict[str, Any] = {"keep": [TITLE, LANG], "candidates": len(X)}
    opened = sqlrp.open_search(con, "codes", **choice, where="lang = 'b'")
    for query in (X[3] + 0.1, X[100] - 0.1):
        keys, apart = nearest(query, some, 9)
        for n, offset in ((5, 0), (4, 5), (3, len(some) - 1), (3, len(some)), (3, 10**6)):
            got = sqlrp.search(con, "codes", query, n=n, where="lang = 'b'", offset=offset, **choice)
            assert got.equals(opened(query, n=n, offset=offset))
            assert got.column_names == [KEY, TITLE, LANG, "distance"]
            assert got.num_rows == max(min(n, len(some) - offset), 0)
            if offset < 9:
                assert got[KEY].to_pylist() == keys[offset : offset + n]
                assert got[TITLE].to_pylist() == [f"it's {key}" for key in keys[offset : offset + n]]
                assert np.allclose(got["distance"].to_numpy(), apart[offset : offset + n])
        alone = sqlrp.search(con, "codes", query, n=4, again=False, keep=LANG, where="lang IN ('c', 'a')")
        assert alone.column_names == [KEY, LANG, "distance"]
        assert set(alone[LANG].to_pylist()) <= {"a", "c"}
        plain = sqlrp.search(con, "codes", query, n=len(X), again=False)
        here = [KIND[key] != 1 for key in plain[KEY].to_pylist()]
        assert np.allclose(alone["distance"], plain["distance"].to_numpy()[here][:4])
        like = sqlrp.search(con, "codes", like=3, n=4, offset=2, **choice)
        assert like[KEY].to_pylist() == [key for key in nearest(X[3], every, 9)[0] if key != 3][2:6]
        assert opened(like=3, n=2)[KEY].to_pylist() == nearest(X[3], some, 2)[0]
        several = sqlrp.search(con, "codes", like=[3, 9], n=2, offset=1, **choice)
        assert several.column_names == ["query", KEY, TITLE, LANG, "distance"]
        want = [[key for key in nearest(X[i], every, 4)[0] if key != i][1:3] for i in (3, 9)]
        assert several[KEY].to_pylist() == [key for keys in want for key in keys]
        texts = [
            sqlrp.search_sql(con, "codes", query, 4, where="lang = 'b'", offset=1, **choice),
            sqlrp.search_sql(con, "codes", like=3, n=4, offset=2, **choice),
        ]
        found = [[row[0] for row in db.run_query(text)] for text in texts]
        assert found == [keys[1:5], like[KEY].to_pylist()]


@pytest.mark.parametrize(("name", "output"), CASES)
def test_the_vectors_of_a_table_find_what_their_numbers_find(db: Any, name: str, output: str) -> None:
    made(db, output)
    asked = (X[::20] * 1.1 + 0.05)[:7]
    rows: list[list[Any]] = [[f"it's {i}", *row] for i, row in enumerate(asked.tolist())]
    rows.append(["null", *asked[0, :5].tolist(), None])
    db.make("que ries", [(KEY, words_of(name)), *((f"f{j}", DOUBLES[name]) for j in range(6))], rows)
    con, some = db.connection, np.flatnonzero(KIND != 2)
    for metric, of in (("l2", "euclidean"), ("cosine", "cosine")):
        given: dict[str, Any] = {"metric": metric, "n": 3, "offset": 1, "keep": TITLE, "where": "lang <> 'c'"}
        found = sqlrp.search(con, "codes", vectors='"que ries"', candidates=len(X), **given)
        assert found.column_names == ["query", KEY, TITLE, "distance"]
        assert found["query"].to_pylist() == [f"it's {i}" for i in range(len(asked)) for _ in range(3)]
        want = [nearest(query, some, 4, of) for query in asked]
        assert found[KEY].to_pylist() == [key for keys, _ in want for key in keys[1:]]
        assert np.allclose(found["distance"], np.concatenate([apart[1:] for _, apart in want]))
        text = sqlrp.search_sql(con, "codes", vectors='"que ries"', candidates=len(X), **given)
        assert [row[1] for row in db.run_query(text)] == found[KEY].to_pylist()
        first = sqlrp.search(con, "codes", vectors='"que ries"', metric=metric, again=False)  # type: ignore[arg-type]
        same = sqlrp.search(con, "codes", asked, metric=metric, again=False)  # type: ignore[arg-type]
        assert np.allclose(first["distance"], same["distance"], rtol=1e-5, atol=1e-7)
    db.run(f"DROP TABLE {db.engine.quote('que ries')}")


@pytest.mark.parametrize("metric", ["l2", "cosine", "inner"])
@pytest.mark.parametrize("kind", ["plain", "corrected", "packed"])
def test_arrays_of_a_registered_table_are_searched_by_codes(con: Any, metric: Any, kind: str) -> None:
    source = load(con, "array", X.tolist())
    packed = kind == "packed"
    size: Any = {"bytes": 16} if packed else {"bits": 4}
    codes = sqlrp.rounded(sqlrp.PrincipalComponents(k=5).fit(X), source, con, **size)
    output: Any = "bits" if packed else "vector"
    sqlrp.materialize(codes, source, con, "codes", output=output, correct=kind != "plain")
    asked = X[[5, 50, 150]] * 0.9
    con.register("queries", pa.table({"id": [7, 9, 11], "e": list(asked)}))
    found = sqlrp.search(con, "codes", vectors=sqlrp.Array("queries", "e"), n=5, metric=metric, candidates=20)
    want = sqlrp.search(con, "codes", asked, n=5, metric=metric, candidates=20)
    assert found["query"].to_pylist() == [7] * 5 + [9] * 5 + [11] * 5
    assert found["id"].to_pylist() == want["id"].to_pylist()
    assert np.allclose(found["distance"], want["distance"])
    alone = sqlrp.search(con, "codes", vectors=sqlrp.Array("queries", "e"), n=5, metric=metric, again=False)
    want = sqlrp.search(con, "codes", asked, n=5, metric=metric, again=False)
    assert np.allclose(alone["distance"], want["distance"])


@pytest.mark.parametrize("name", DATABASES)
def test_what_chooses_no_rows_is_refused(db: Any, name: str) -> None:
    made(db, "bits")
    con, query = db.connection, X[0]
    db.make("short", [(KEY, "INTEGER"), ("f0", DOUBLES[name])], [[1, 1.0]])
    twice = [[1, *X[0].tolist()], [1, *X[1].tolist()], [None, *X[2].tolist()]]
    db.make("twice", [(KEY, "INTEGER"), *((f"f{j}", DOUBLES[name]) for j in range(6))], twice)
    wrong: list[tuple[dict[str, Any], list[str]]] = [
        ({"where": "lang"}, ["where = 'lang'", "no condition", "lang = 'a'"]),
        ({"where": " "}, ["where = ' '", "a condition in SQL"]),
        ({"where": "lang = 'a'; DROP TABLE wines"}, ["semicolon"]),
        ({"where": "lang = 'a') OR (1 = 1"}, ["closes a parenthesis"]),
        ({"where": "(lang = 'a'"}, ["does not close a parenthesis"]),
        ({"where": "lang = 'a"}, ["ends in a quote"]),
        ({"where": "lingua = 'a'"}, ["where = \"lingua = 'a'\"", "no condition on"]),
        ({"where": "lang = = 'a'"}, ["no condition on"]),
        ({"keep": "lung"}, ["keep = 'lung'", "did you mean 'lang'"]),
        ({"keep": [LANG, LANG]}, ["a column twice"]),
        ({"keep": KEY}, ["is the key"]),
        ({"keep": "distance"}, ["column of the result"]),
        ({"keep": [3]}, ["keep = [3]"]),
        ({"offset": -1}, ["offset = -1"]),
    ]
    for options, words in wrong:
        with pytest.raises(sqlrp.ParameterError) as caught:
            sqlrp.search(con, "codes", query, **options)
        assert_one_line(caught, *words)
        if "offset" not in options:
            with pytest.raises(sqlrp.ParameterError):
                sqlrp.open_search(con, "codes", **options)
    for vectors, words in (
        ("short", ["f1"]),
        ("twice", ["is NULL in a row: give each vector one of its own"]),
        ("nowhere", ["nowhere"]),
        (X[:2], ["must be the name of a table"]),
        (sqlrp.Wide("wines", key=None, features=[f"f{j}" for j in range(6)]), ["has no key"]),
    ):
        with pytest.raises(sqlrp.SqlrpError) as refused:
            sqlrp.search(con, "codes", vectors=vectors)
        assert_one_line(refused, *words)
    assert sqlrp.search(con, "codes", query, n=1).num_rows == 1  # and nothing is broken


def test_a_table_of_vectors_of_another_length_is_refused(con: Any) -> None:
    source = load(con, "array", X.tolist())
    sqlrp.materialize(OUTPUTS["bits"], source, con, "codes", output="bits")
    con.execute("CREATE TABLE short AS SELECT id, x[1:4] AS x FROM t LIMIT 3")
    con.execute(
        "CREATE TABLE uneven AS SELECT id, CASE WHEN id = 1 THEN x[1:4] ELSE x::DOUBLE[] END AS x FROM t LIMIT 3"
    )
    con.execute("CREATE TABLE nulls AS SELECT id, CASE WHEN id <> 1 THEN x END AS x FROM t LIMIT 3")
    con.execute("CREATE TABLE numbers AS SELECT id, 1.0 AS a FROM t")
    with pytest.raises(sqlrp.SqlrpError) as caught:
        sqlrp.search(con, "codes", vectors="short")
    assert_one_line(caught, "4", "6")
    with pytest.raises(sqlrp.SqlrpError):
        sqlrp.search(con, "codes", vectors="uneven")
    assert set(sqlrp.search(con, "codes", vectors="nulls", n=1)["query"].to_pylist()) == {0, 2}
    with pytest.raises(sqlrp.ParameterError, match="pass a table like the source"):
        sqlrp.search(con, "codes", vectors=sqlrp.Wide("numbers", key="id", features=["a"]))
    with pytest.raises(sqlrp.ParameterError, match="are for tables"):
        sqlrp.search(None, sqlrp.project(OUTPUTS["bits"], X), X[0], projection=OUTPUTS["bits"], source=X, offset=1)
    with pytest.raises(sqlrp.ParameterError, match="writes one query"):
        sqlrp.search_sql(con, "codes", X[:2])


@pytest.mark.parametrize("where", ["a = ';' AND (b = ')')", "a = 1 -- it's; (", '"a;(" = 1', "a = 'it''s' /* ; ' */"])
def test_quotes_and_comments_hide_what_would_end_a_condition(where: str) -> None:
    assert choice_of((), where).where == where
