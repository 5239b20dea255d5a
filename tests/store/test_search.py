"""Searches of projected tables, against numpy on the same rows; and what is refused instead of answered wrongly."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cases import ARRAYS, DATABASES
from contract import stored
from contract import values as stored_values
from databases import DOUBLES
from helpers import assert_one_line, load
from searched import called
from standins import WAREHOUSES
from taking_part import takes_part

import sqlrp
from sqlrp import Projection, SourceError, StatementError
from sqlrp._core.sources import TableName
from sqlrp._engines.registry import ENGINES, connector_of
from sqlrp._lowering import search as searching
from sqlrp._projections.rounding import Rounding
from sqlrp._store import stored as records

D = 9
QUERY = np.linspace(-1.5, 2.0, D)
P: dict[str, Projection] = {
    "bits": sqlrp.SparseProjection(k=130, s=2, seed=3),
    "columns": sqlrp.HadamardProjection(k=12, seed=1),
    "array": sqlrp.SparseProjection(k=5, s=1, seed=3),
}
SEARCHED = [name for name in DATABASES if ENGINES[name].has_searches]
CASES = [
    (name, output, layout)
    for name in DATABASES
    for output in P
    for layout in ("wide", "array")
    if name in ARRAYS or (output != "array" and layout != "array")
]


def distances(x: npt.NDArray[Any], query: npt.NDArray[Any], metric: str) -> npt.NDArray[Any]:
    if metric == "l2":
        return np.linalg.norm(x - query, axis=1)
    if metric == "inner":
        return -(x @ query)
    return 1 - x @ query / (np.linalg.norm(x, axis=1) * np.linalg.norm(query))


@pytest.mark.parametrize(("name", "output", "layout"), CASES)
def test_the_nearest_rows_are_those_of_numpy(db: Any, name: str, output: str, layout: str) -> None:
    source, projection = db.kept(layout, "double", True), P[output]
    sqlrp.materialize(projection, source, db.connection, "made", output=output, replace=True)  # type: ignore[arg-type]
    rows = stored("double", True)
    kept = [i for i, row in enumerate(rows) if None not in row]
    x = stored_values("double")[kept]
    for metric in ("l2", "cosine", "inner"):
        found = sqlrp.search(db.connection, "made", QUERY, n=4, metric=metric)  # type: ignore[arg-type]
        want = distances(x, QUERY, metric)
        assert found.column_names == ["id", "distance"]
        assert found.column("id").to_pylist() == [kept[i] for i in np.argsort(want)[:4]]
        assert np.allclose(found.column("distance"), np.sort(want)[:4], rtol=1e-12)
        z = np.stack([sqlrp.project_vector(projection, row) for row in x])
        q = sqlrp.project_vector(projection, QUERY)
        first = np.pi * ((z > 0) != (q > 0)).mean(axis=1) if output == "bits" else distances(z, q, metric)
        found = sqlrp.search(db.connection, "made", QUERY, n=20, metric=metric, again=False)  # type: ignore[arg-type]
        assert np.allclose(found.column("distance"), np.sort(first), rtol=1e-9)
        order = np.array([first[kept.index(i)] for i in found.column("id").to_pylist()])
        assert np.allclose(order, np.sort(first), rtol=1e-9)


@pytest.mark.parametrize(("name", "layout"), [(name, layout) for name, _, layout in CASES if _ == "bits"])
def test_null_is_zero_where_it_was_read_as_zero(db: Any, name: str, layout: str) -> None:
    source = db.kept(layout, "double", True)
    sqlrp.materialize(P["bits"], source, db.connection, "made", output="bits", nulls="zero", replace=True)
    rows = stored("double", True)
    x = np.array([[v or 0 for v in row] for row in rows])
    for metric in ("l2", "cosine", "inner"):
        found = sqlrp.search(db.connection, "made", QUERY, n=12, metric=metric)  # type: ignore[arg-type]
        with np.errstate(invalid="ignore"):
            want = np.nan_to_num(distances(x, QUERY, metric), nan=1.0)  # a row of zeros has no direction
        assert np.allclose(found.column("distance"), np.sort(want), rtol=1e-12)


@pytest.mark.parametrize(("name", "output"), [(name, output) for name, output, layout in CASES if layout == "wide"])
def test_a_row_whose_squares_are_no_doubles_fails_no_search(db: Any, name: str, output: str) -> None:
    """It is infinitely far away, and has no direction, on engines that fail where a product runs over or under, too."""
    rows = [[1.0, 2.0, 1e-200], [-1e-200, 0.5, 3.0], [1e300, 1.0, -1e300]]
    double = DOUBLES[name]
    db.make("far", [("id", "INTEGER"), *((c, double) for c in "abc")], [[i, *row] for i, row in enumerate(rows)])
    p, con = sqlrp.SparseProjection(k=2, s=1, seed=3), db.connection
    sqlrp.materialize(p, "far", con, "made", output=output, replace=True)  # type: ignore[arg-type]
    for metric, last in (("l2", np.inf), ("cosine", 1.0), ("inner", 1e300)):
        near = distances(np.array(rows[:2]), np.array([1.0, 0.0, 2.0]), metric)
        for asked in ([1.0, 0.0, 2.0], [[1.0, 0.0, 2.0]] * 2):
            found = sqlrp.search(con, "made", asked, metric=metric).to_pylist()  # type: ignore[arg-type]
            assert [row["id"] for row in found[:3]] == [*np.argsort(near).tolist(), 2]
            assert np.allclose([row["distance"] for row in found[:3]], [*np.sort(near), last], rtol=1e-12)
        first = sqlrp.search(con, "made", [1.0, 0.0, 2.0], metric=metric, again=False)  # type: ignore[arg-type]
        assert len(first) == 3
        assert output == "bits" or metric == "inner" or first.column("distance").to_pylist().count(last) == 1
    sample = sqlrp.Wide("far")
    for call, words in ((sqlrp.diagnose, "is not finite, or its distances overflow"), (sqlrp.learn, "NaN or infinite")):
        with pytest.raises(SourceError, match=words):
            call(p, sample, con, **({} if call is sqlrp.diagnose else {"target": "a"}))  # type: ignore[operator]


@pytest.mark.parametrize("name", ["postgresql"])
def test_the_first_error_is_told_in_a_transaction_that_it_breaks(db: Any, name: str) -> None:
    db.make("grown", [("id", "INTEGER"), ("a", DOUBLES[name]), ("b", DOUBLES[name])], [[1, 1e300, 2.0]])
    sqlrp.materialize(sqlrp.SparseProjection(k=1, s=1), "grown", db.connection, "made", output="bits", replace=True)
    with db.pool().connect() as con, pytest.raises(StatementError, match="out of range: overflow") as caught:
        sqlrp.search(con, "made", [1e300, 1.0], metric="inner")
    assert_one_line(caught)


def test_candidates_are_ranked_again_by_the_rows(con: Any) -> None:
    """Of a table whose first distances say little, only as many rows are ranked as are asked for."""
    x = np.random.default_rng(0).normal(size=(300, D))
    load(con, "array", x.tolist())
    p = sqlrp.SparseProjection(k=4, s=1, seed=1)
    assert sqlrp.materialize(p, sqlrp.Array("t", "x"), con, "made", output="bits") == 300
    want = np.argsort(distances(x, QUERY, "l2"))[:10].tolist()
    assert sqlrp.search(con, "made", QUERY, candidates=300).column("id").to_pylist() == want
    few = sqlrp.search(con, "made", QUERY, candidates=12).column("id").to_pylist()
    assert len(few) == 10
    assert few != want


def test_several_vectors(con: Any) -> None:
    x = np.random.default_rng(0).normal(size=(50, D))
    load(con, "wide", x.tolist())
    sqlrp.materialize(sqlrp.SparseProjection(k=70), "t", con, "made", output="bits")
    found = sqlrp.search(con, "made", x[[7, 3]], n=3)
    assert found.column_names == ["query", "id", "distance"]
    assert found.column("query").to_pylist() == [0, 0, 0, 1, 1, 1]
    assert found.column("id").to_pylist()[::3] == [7, 3]
    for i, row in enumerate((7, 3)):
        alone = sqlrp.search(con, "made", x[row], n=3)
        assert found.slice(3 * i, 3).drop_columns("query").equals(alone)


@pytest.mark.parametrize(("name", "output", "layout"), CASES)
def test_many_vectors_are_one_statement(
    db: Any, name: str, output: str, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each finds what numpy finds, and in batches the same; no vectors find nothing. One is asked for alone, too."""
    source, projection = db.kept(layout, "double", True), P[output]
    sqlrp.materialize(projection, source, db.connection, "made", output=output, replace=True)  # type: ignore[arg-type]
    kept = [i for i, row in enumerate(stored("double", True)) if None not in row]
    x, asked = stored_values("double")[kept], np.stack([QUERY, QUERY[::-1], 1 - QUERY])
    ran: list[str] = []
    kind = type(connector_of(db.connection))
    called = "fetch_few" if db.engine.proves_apart else "fetch"
    fetch = getattr(kind, called)
    monkeypatch.setattr(kind, called, lambda self, held, text: ran.append(text) or fetch(self, held, text))
    for turn, metric in enumerate(("l2", "cosine", "inner")):
        want = np.stack([distances(x, query, metric) for query in asked])
        before = len(ran)
        found = sqlrp.search(db.connection, "made", asked, n=4, metric=metric)  # type: ignore[arg-type]
        assert sum("sqlrp_query" in text for text in ran[before:]) == 1
        assert found.column_names == ["query", "id", "distance"]
        assert found.column("query").to_pylist() == [i for i in range(3) for _ in range(4)]
        assert found.column("id").to_pylist() == [kept[i] for row in want for i in np.argsort(row)[:4]]
        assert np.allclose(found.column("distance"), np.sort(want)[:, :4].ravel(), rtol=1e-12)
        first = sqlrp.search(db.connection, "made", asked, n=20, metric=metric, again=False)  # type: ignore[arg-type]
        alone = sqlrp.search(db.connection, "made", asked[turn], n=20, metric=metric, again=False)  # type: ignore[arg-type]
        for i in range(3):
            own = first.slice(i * len(x), len(x))
            assert set(own.column("query").to_pylist()) == {i}
            if i != turn:
                continue
            assert np.allclose(own.column("distance"), alone.column("distance"), rtol=1e-12)
            held = dict(zip(*(alone.column(c).to_pylist() for c in ("id", "distance")), strict=True))
            assert np.allclose([held[key] for key in own.column("id").to_pylist()], own.column("distance"), rtol=1e-12)
    monkeypatch.setattr(searching, "_AT_ONCE", 2)
    before = len(ran)
    assert sqlrp.search(db.connection, "made", asked, n=4, metric="inner").equals(found)
    assert sum("sqlrp_query" in text for text in ran[before:]) == 2
    monkeypatch.setattr(searching, "_TEXT", 1)
    assert sqlrp.search(db.connection, "made", asked, n=4, metric="inner").equals(found)
    assert sqlrp.search(db.connection, "made", asked[:0]).num_rows == 0


@pytest.mark.parametrize("output", ["bits", "columns"])
def test_many_vectors_beside_columns_of_any_name(con: Any, output: Any) -> None:
    """No name of the source is one of the statement's own."""
    x = np.random.default_rng(0).normal(size=(30, 4))
    names = ["v0", "c0", 'sq"lrp', "query"]
    cells = ", ".join(f"({i}, {', '.join(map(repr, row))})" for i, row in enumerate(x.tolist()))
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    con.execute(f'CREATE TABLE t AS FROM (VALUES {cells}) s("a b", {quoted})')
    sqlrp.materialize(sqlrp.SparseProjection(k=66, s=1), sqlrp.Wide("t", key="a b"), con, "made", output=output)
    found = sqlrp.search(con, "made", x[[4, 9]], n=3)
    assert found.column_names == ["query", "a b", "distance"]
    want = [np.argsort(distances(x, x[i], "l2"))[:3].tolist() for i in (4, 9)]
    assert found.column("a b").to_pylist() == np.concatenate(want).tolist()


@pytest.mark.parametrize(("name", "layout"), [("clickhouse", "wide"), ("clickhouse", "array")])
def test_vectors_are_searched_one_by_one_where_an_index_takes_a_constant(db: Any, name: str, layout: str) -> None:
    source, x = db.kept(layout, "double", False), stored_values("double")
    sqlrp.materialize(P["columns"], source, db.connection, "made", output="vector", replace=True)
    asked = np.stack([QUERY, 1 - QUERY])
    for again in (True, False):
        found = sqlrp.search(db.connection, "made", asked, n=4, again=again)
        alone = [sqlrp.search(db.connection, "made", query, n=4, again=again) for query in asked]
        assert found.column("query").to_pylist() == [0] * 4 + [1] * 4
        assert np.allclose(found.column("distance"), np.concatenate([a.column("distance") for a in alone]))
        if again:
            want = [np.argsort(distances(x, query, "l2"))[:4] for query in asked]
            assert found.column("id").to_pylist() == np.concatenate(want).tolist()


@pytest.mark.slow
def test_many_vectors_of_bytes_and_of_vectors(con: Any) -> None:
    rows = np.random.default_rng(0).normal(size=(300, D))
    source, asked = load(con, "array", rows.tolist()), rows[:3] + 0.1
    plain = sqlrp.HadamardProjection(k=8, seed=1)
    for projection in (plain, sqlrp.rounded(plain, source, con)):
        sqlrp.materialize(projection, source, con, "made", output="vector", replace=True)
        for metric in ("l2", "cosine", "inner"):
            for again in (True, False):
                given = {"n": 5, "candidates": 300, "metric": metric, "again": again}
                found = sqlrp.search(con, "made", asked, **given)  # type: ignore[arg-type]
                alone = [sqlrp.search(con, "made", row, **given) for row in asked]  # type: ignore[arg-type]
                assert np.allclose(found.column("distance"), np.concatenate([a.column("distance") for a in alone]))
                if again:
                    want = [np.argsort(distances(rows, row, metric))[:5].tolist() for row in asked]
                    assert found.column("id").to_pylist() == np.concatenate(want).tolist()


def test_statistics_prepare_the_query_too(con: Any) -> None:
    x = np.random.default_rng(0).normal(size=(80, D)) + 50
    load(con, "wide", x.tolist())
    sqlrp.materialize(sqlrp.HadamardProjection(k=64, seed=1), sqlrp.Standardized("t"), con, "made", output="bits")
    found = sqlrp.search(con, "made", x[5], again=False, n=1)
    assert found.to_pylist() == [{"id": 5, "distance": 0.0}]


@pytest.mark.parametrize("name", DATABASES)
def test_what_cannot_be_searched_is_refused(db: Any, name: str) -> None:
    source, con = db.kept("wide", "double", False), db.connection
    sqlrp.materialize(P["bits"], source, con, "made", output="bits", replace=True)
    for vector, words in [
        ([1.0] * 3, ["3 numbers", "rows of 9"]),
        ([1.0] * 8 + [np.nan], ["finite numbers"]),
        ([1.0] * 8 + [None], ["finite numbers"]),
        (None, ["finite numbers"]),
        (["a"] * D, ["finite numbers"]),
    ]:
        for call in (sqlrp.search, sqlrp.search_sql):
            with pytest.raises(sqlrp.ParameterError) as caught:
                call(con, "made", vector)  # type: ignore[operator]
            assert_one_line(caught, *words)
    with pytest.raises(sqlrp.ParameterError) as caught:
        sqlrp.search(con, "made", QUERY, metric="l1")  # type: ignore[arg-type]
    assert_one_line(caught, "metric = 'l1'", "l2, cosine, inner")
    with pytest.raises(sqlrp.ParameterError) as caught:
        sqlrp.search(con, "made", [0.0] * D, metric="cosine")
    assert_one_line(caught, "all zeros")
    with pytest.raises(sqlrp.ParameterError) as caught:
        sqlrp.search(con, "made", QUERY, n=0)
    assert_one_line(caught, "n = 0")
    with pytest.raises(sqlrp.SourceError) as caught_:
        sqlrp.search(con, "maid", QUERY)
    assert_one_line(caught_, "was not made by sqlrp.materialize")
    db.run("DROP TABLE made")


@pytest.mark.parametrize("name", DATABASES)
def test_another_projection_s_table_is_never_searched(db: Any, name: str) -> None:
    """The table that is there now answers, or none does: not by `search`, nor by its text, nor by a function."""
    source, con, x = db.kept("wide", "double", False), db.connection, stored_values("double")
    bits: dict[str, Any] = {"output": "bits", "replace": True}
    for seed in (3, 0):
        sqlrp.materialize(sqlrp.SparseProjection(k=64, seed=seed), source, con, "made", **bits)
        found = sqlrp.search(con, "made", x[7], n=1, again=False)
        assert found.to_pylist() == [{"id": 7, "distance": 0.0}]
    sqlrp.materialize(sqlrp.SparseProjection(k=64, seed=1), source, con, "other", **bits)
    db.run("DROP TABLE made")
    calls: list[Any] = [sqlrp.search, sqlrp.search_sql]
    if name in SEARCHED:
        calls.append(lambda con, into, _: sqlrp.create_search(con, into, "unmade", trust_schema=name == "postgresql"))
    for call in calls:
        with pytest.raises(Exception, match="made"):
            call(con, "made", x[7])
    db.run("RENAME TABLE other TO made" if name == "clickhouse" else "ALTER TABLE other RENAME TO made")
    for call in calls:
        with pytest.raises(sqlrp.SourceError) as caught:
            call(con, "made", x[7])
        assert_one_line(caught, "is not the table that sqlrp made")
    db.run("DROP TABLE made")


@pytest.mark.parametrize("output", ["bits", "columns", "array"])
@pytest.mark.parametrize("scale", [True, False])
def test_a_row_of_words_is_found_by_its_words(con: Any, output: Any, scale: bool) -> None:
    """The nearest components are those that Python computes for every row of words."""
    rows = [{"red": 2, "car": 1}, {"blue": 1, "car": 3}, {"red": 1, "sky": 4, "ocean": 2}]
    cells = ", ".join(f"({i}, '{word}', {n})" for i, row in enumerate(rows) for word, n in row.items())
    con.execute(f"CREATE TABLE counts AS FROM (VALUES {cells}) t(id, word, n)")
    made = sqlrp.SparseProjection(k=64, s=1, seed=3)
    source = sqlrp.Long("counts", key="id", feature="word", value="n")
    sqlrp.materialize(made, source, con, "short", output=output, scale=scale)
    found = sqlrp.search(con, "short", rows[1], n=3, again=False)
    assert found["id"][0].as_py() == 1
    assert found["distance"][0].as_py() == pytest.approx(0, abs=1e-6)
    if output != "bits":
        z = np.array([sqlrp.project_vector(made, row) for row in rows]) / (1 if scale else made.factor(None))
        want = np.linalg.norm(z - z[1], axis=1)
        assert found["distance"].to_pylist() == pytest.approx(sorted(want), rel=1e-5, abs=1e-6)
    several = sqlrp.search(con, "short", rows, n=1, again=False)
    assert several.select(["query", "id"]).to_pylist() == [{"query": i, "id": i} for i in range(3)]
    with pytest.raises(sqlrp.ParameterError, match="must map words to numbers"):
        sqlrp.search(con, "short", {"red": "two"}, again=False)


def test_words_are_for_tables_of_words(con: Any) -> None:
    sqlrp.materialize(sqlrp.SparseProjection(k=8), load(con, "wide", np.eye(D).tolist()), con, "made")
    with pytest.raises(sqlrp.ParameterError, match="was not made from sparse rows of words"):
        sqlrp.search(con, "made", {"red": 1.0})


def test_tables_without_one_row_for_each_key(con: Any) -> None:
    source = load(con, "long", np.eye(D).tolist())
    sqlrp.materialize(sqlrp.SparseProjection(k=64), source, con, "sparse", output="bits")
    with pytest.raises(sqlrp.UnsupportedError, match="again = False"):
        sqlrp.search(con, "sparse", np.eye(D)[3])
    assert sqlrp.search(con, "sparse", np.eye(D)[3], n=1, again=False).to_pylist() == [{"id": 3, "distance": 0.0}]
    sqlrp.materialize(sqlrp.SparseProjection(k=4), source, con, "rows", output="long")
    with pytest.raises(sqlrp.ParameterError, match="output = 'long'"):
        sqlrp.search(con, "rows", np.eye(D)[3], again=False)


# -- functions of the database -----------------------------------------------------------------------------


FUNCTIONS = [(name, output, layout) for name, output, layout in CASES if name in SEARCHED]


def test_every_engine_with_functions_that_search_is_tested() -> None:
    """Spark in test_spark_searches.py, and warehouses in test_warehouse_searches.py."""
    tested = {*SEARCHED, "spark", *WAREHOUSES}
    assert {name for name, engine in ENGINES.items() if engine.has_searches and takes_part(name)} <= tested
    assert set(filter(takes_part, ("duckdb", "postgresql", "clickhouse"))) <= set(SEARCHED)


@pytest.mark.parametrize(("name", "output", "layout"), FUNCTIONS)
def test_functions_find_what_search_finds(db: Any, name: str, output: str, layout: str) -> None:
    source, projection, con = db.kept(layout, "double", True), P[output], db.connection
    sqlrp.materialize(projection, source, con, "made", output=output, replace=True)  # type: ignore[arg-type]
    trusting: dict[str, Any] = {"replace": True, "trust_schema": name == "postgresql"}
    for metric in ("l2", "cosine", "inner") if output == "array" else ("l2",):
        sqlrp.create_search(con, "made", "near", metric=metric, **trusting)  # type: ignore[arg-type]
        want = sqlrp.search(con, "made", QUERY, n=4, metric=metric)  # type: ignore[arg-type]
        found = called(db, "near", QUERY, n=4)
        assert [row[0] for row in found] == want.column("id").to_pylist()
        assert np.allclose([row[1] for row in found], want.column("distance"))
    wrong: list[tuple[Any, str]] = [
        (QUERY[:3], "the vector has not 9 elements"),
        ([*QUERY, 1.0], "the vector has not 9 elements"),
        ([], "the vector has not 9 elements"),
        ([*QUERY[:8], None], "the vector is NULL, or a number in it is"),
        (None, "the vector is NULL, or a number in it is"),
    ]
    for vector, words in wrong if layout == "wide" else wrong[:1]:  # the vector is checked by the codes alone
        with pytest.raises(Exception, match=words):
            called(db, "near", vector)
    if name != "clickhouse":
        assert len(called(db, "near", QUERY, n=10, candidates=2)) == 2
    sqlrp.create_search(con, "made", "near", candidates=3, **trusting)
    assert len(called(db, "near", QUERY)) == 3
    sqlrp.drop_search(con, "near")
    with pytest.raises(sqlrp.SourceError, match=r"was not made by sqlrp\.create_search"):
        sqlrp.drop_search(con, "near")


@pytest.mark.parametrize("name", SEARCHED)
@pytest.mark.parametrize("metric", ["l2", "cosine", "inner"])
def test_functions_search_codes_of_an_even_number_of_levels(db: Any, name: str, metric: Any) -> None:
    """The only candidate is the row whose levels are nearest to the vector's components."""
    source, con, x = db.kept("wide", "double", False), db.connection, stored_values("double")
    plain = sqlrp.SparseProjection(k=5, s=1, seed=3)
    offset = sqlrp.project(plain, x).mean(axis=0)
    made = sqlrp.Chained(of=(plain, Rounding.of(5, 2.0, 1, offset, even=True)))
    levels = np.clip(np.floor((sqlrp.project(plain, x) - offset) / 2), -2, 1) + 0.5
    outputs = ["columns", *(["array"] if name in ARRAYS else []), *(["vector"] if name == "duckdb" else [])]
    for output in outputs:
        sqlrp.materialize(made, source, con, "made", output=output, replace=True)  # type: ignore[arg-type]
        trusting: dict[str, Any] = {"replace": True, "trust_schema": name == "postgresql"}
        sqlrp.create_search(con, "made", "near", metric=metric, candidates=1, **trusting)
        for query in (QUERY, 1 - QUERY):
            apart = distances(levels, (sqlrp.project(plain, query[None])[0] - offset) / 2, metric)
            [(found, _)] = called(db, "near", query, n=1)
            assert apart[found] == pytest.approx(apart.min()), output
    sqlrp.drop_search(con, "near")


@pytest.mark.parametrize("k", [64, 100, 129])
def test_a_function_codes_the_vector_in_few_words(con: Any, k: int) -> None:
    """One call of a list for 64 bits: planning a term for each bit takes longer than the search."""
    rows = np.random.default_rng(k).normal(size=(200, 48))
    sqlrp.materialize(
        sqlrp.SparseProjection(k=k, seed=2), load(con, "array", rows.tolist()), con, "made", output="bits"
    )
    sqlrp.create_search(con, "made", "near")
    text = con.sql("SELECT macro_definition FROM duckdb_functions() WHERE function_name = 'near'").fetchall()[0][0]
    assert (text.count("list_sum(list_transform(x["), text.count("x[1] ")) == (-(-k // 64), 0)
    for query in rows[:20] + 0.3:
        want = sqlrp.search(con, "made", query, n=7, candidates=7)  # other bits would give other candidates
        found = con.sql(f"FROM near({query.tolist()}, n := 7, candidates := 7)").fetchall()
        assert [key for key, _ in found] == want.column("id").to_pylist()


@pytest.mark.parametrize("name", SEARCHED)
def test_a_search_follows_the_projection_of_its_table(db: Any, name: str) -> None:
    source, con = db.kept("wide", "double", False), db.connection
    x = stored_values("double")
    sqlrp.materialize(sqlrp.SparseProjection(k=64, seed=3), source, con, "made", output="bits", replace=True)
    sqlrp.create_search(con, "made", "near", candidates=1, replace=True, trust_schema=name == "postgresql")
    for seed in (0, 1):
        sqlrp.materialize(sqlrp.SparseProjection(k=64, seed=seed), source, con, "made", output="bits", replace=True)
        for i in range(4):  # the only candidate: a code of another seed would find another one
            assert called(db, "near", x[i], n=1)[0] == (i, 0)
    with pytest.raises(sqlrp.ParameterError, match="exists already: replace=True"):
        sqlrp.create_search(con, "made", "near", trust_schema=name == "postgresql")
    sqlrp.drop_search(con, "near")
    db.run("DROP TABLE made")


def test_materialize_makes_the_search_with_the_table(con: Any) -> None:
    x = np.random.default_rng(0).normal(size=(50, D))
    load(con, "array", x.tolist())
    source, p = sqlrp.Array("t", "x"), sqlrp.HadamardProjection(k=16, seed=1)
    sqlrp.materialize(p, source, con, "made", output="bits", search="near")
    found = con.execute("SELECT id FROM near($1, n := 2)", [x[7].tolist()]).fetchall()
    assert found[0] == (7,)
    con.execute("CREATE MACRO mine(query, n := 10, candidates := 100) AS TABLE SELECT 1 AS one")
    with pytest.raises(sqlrp.ParameterError, match="did not make it"):
        sqlrp.materialize(p, source, con, "other", output="bits", search="mine")
    assert con.sql("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'other'").fetchall() == [(0,)]
    con.execute("CREATE TABLE u AS SELECT id, x[1] AS n, x[2] AS b FROM t")
    with pytest.raises(sqlrp.UnsupportedError, match="like its arguments"):
        sqlrp.materialize(sqlrp.SparseProjection(k=4), "u", con, "named", output="bits", search="near_u")


@pytest.mark.parametrize("name", sorted(set(DATABASES) - set(SEARCHED)))
def test_engines_without_functions_that_search(db: Any, name: str) -> None:
    sqlrp.materialize(P["bits"], db.kept("wide", "double", False), db.connection, "made", output="bits", replace=True)
    with pytest.raises(sqlrp.UnsupportedError) as caught:
        sqlrp.create_search(db.connection, "made", "near")
    assert_one_line(caught, name, "sqlrp.search_sql")


# -- functions and records that others changed -----------------------------------------------------------------------

MINE = {
    "duckdb": ("CREATE MACRO {name}(x) AS TABLE SELECT 'mine' AS mine", "SELECT * FROM {name}(1)"),
    "postgresql": (
        "CREATE FUNCTION {name}(query double precision[], n bigint, candidates bigint) RETURNS text "
        "LANGUAGE sql AS $$ SELECT 'mine' $$",
        "SELECT {name}(NULL, 1, 1)",
    ),
    "clickhouse": ("CREATE VIEW {name} AS SELECT 'mine' AS mine", "SELECT * FROM {name}"),
}
"""A function of the user's with the name of a search, and its call."""


@pytest.mark.parametrize("name", SEARCHED)
def test_a_function_finds_the_rows_of_its_condition(db: Any, name: str) -> None:
    source, con = db.kept("wide", "double", False), db.connection
    sqlrp.materialize(P["bits"], source, con, "made", output="bits", replace=True)
    trusting: dict[str, Any] = {"replace": True, "trust_schema": name == "postgresql"}
    keys = sqlrp.search(con, "made", QUERY, n=9).column("id").to_pylist()
    where = f"id IN ({', '.join(map(str, keys[1::2]))}) AND id < 99"
    sqlrp.create_search(con, "made", "near", where=where, candidates=9, **trusting)
    assert [row[0] for row in called(db, "near", QUERY, n=3)] == keys[1:6:2]
    sqlrp.materialize(P["bits"], source, con, "made", output="bits", replace=True)
    assert [row[0] for row in called(db, "near", QUERY, n=3)] == keys[1:6:2]
    assert sqlrp.diagnose("near", con, sample=3, at=1).rows == 4
    for wrong in ("id = ", "id = 1; --", ""):
        with pytest.raises(sqlrp.ParameterError, match="where = "):
            sqlrp.create_search(con, "made", "near", where=wrong, **trusting)
    assert [row[0] for row in called(db, "near", QUERY, n=3)] == keys[1:6:2]
    ((definition,),) = db.run_query("SELECT definition FROM sqlrp_catalogue WHERE kind = 'search'")
    record = {key: value for key, value in json.loads(definition).items() if key != "checksum"}
    plain, _, condition = record["mark"].partition("_where_")
    assert bytes.fromhex(condition).decode() == where
    for other in (plain, f"{plain}_where_{condition[:-2]}", f"{plain}_where_{b'id = (SELECT 1 / 0)'.hex()}"):
        changed = records.sealed(record | {"mark": other}).replace("'", "''")
        update = "ALTER TABLE sqlrp_catalogue UPDATE" if name == "clickhouse" else "UPDATE sqlrp_catalogue SET"
        end = " SETTINGS mutations_sync = 1" if name == "clickhouse" else ""
        db.run(f"{update} definition = '{changed}' WHERE kind = 'search'{end}")
        for call in (
            lambda: sqlrp.materialize(P["bits"], source, con, "made", output="bits", replace=True),
            lambda: sqlrp.diagnose("near", con, sample=3, at=1),
            lambda: sqlrp.drop_search(con, "near"),
        ):
            with pytest.raises(sqlrp.SqlrpError, match=r"is not the function that sqlrp\.create_search made"):
                call()
    assert [row[0] for row in called(db, "near", QUERY, n=3)] == keys[1:6:2]
    sqlrp.check(con, repair=True)  # forgets the record, and the function stays
    db.run(db.engine.dropping_search(_named("near")))


@pytest.mark.parametrize("name", SEARCHED)
def test_only_its_own_function_is_replaced_or_dropped(db: Any, name: str) -> None:
    """The user's stays, a bad record spoils itself alone, and check takes it away."""
    source, con, p = db.kept("wide", "double", False), db.connection, sqlrp.SparseProjection(k=64, seed=3)
    made, called_so = MINE[name]

    def make(**options: Any) -> None:
        sqlrp.materialize(p, source, con, "made", output="bits", replace=True, **options)

    def search(**options: Any) -> None:
        sqlrp.create_search(con, "made", "near", trust_schema=name == "postgresql", **options)

    def searches(repair: bool = False) -> list[str]:
        return [finding.wrong for finding in sqlrp.check(con, repair=repair) if finding.kind == "search"]

    def drop() -> None:
        db.run(db.engine.dropping_search(_named("near")))

    make()
    search()
    drop()
    assert searches() == ["it is listed and not there"]
    search()  # what the user dropped is made again
    assert searches() == []
    drop()
    db.run(made.format(name="near"))
    with pytest.raises(sqlrp.ParameterError, match="has a search near, and that is not the function"):
        make()
    for call in (search, lambda: search(replace=True)):
        with pytest.raises(sqlrp.ParameterError, match="did not make it"):
            call()
    with pytest.raises(sqlrp.SourceError, match=r"is not the function that sqlrp\.create_search made"):
        sqlrp.drop_search(con, "near")
    assert len(searches(repair=True)) == 1
    assert searches() == []
    make()
    assert db.run_query(called_so.format(name="near")) == [("mine",)]
    drop()

    at = "kind = 'search'"
    search()
    ((text,),) = db.run_query(f"SELECT definition FROM sqlrp_catalogue WHERE {at}")
    plain = json.loads(text)
    injected = "100) AS TABLE SELECT 1; CREATE TABLE injected AS SELECT 1 x; --"
    for changed in ("x", '{"table": "made"}', records.sealed({**_plain(plain), "candidates": injected}), text[:-9]):
        db.run(db.engine.updating("sqlrp_catalogue", f"definition = {db.engine.string(changed)}", at))
        make()
        with pytest.raises(sqlrp.SourceError, match=r"cannot be read.*repair=True takes it away"):
            sqlrp.drop_search(con, "near")
        assert searches()[0].startswith("its record cannot be read")
        assert db.connector.exists(con, _named("injected")) is False
    assert len(searches(repair=True)) == 1
    search()  # the function went with its record

    db.run("DROP TABLE made")
    [finding] = [found for found in sqlrp.check(con) if found.kind == "table" and found.name == "made"]
    db.run(finding.remedy[finding.remedy.index("DELETE FROM") :])
    assert searches() == ["its table 'made' is not recorded any more"]
    sqlrp.materialize(p, source, con, "made", output="bits", search="near")  # a new table of that name has its own
    assert searches() == []
    sqlrp.drop_search(con, "near")
    db.run("DROP TABLE made")


def _named(name: str) -> TableName:
    return TableName((name,))


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "checksum"}
