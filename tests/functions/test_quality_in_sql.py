"""What DuckDB and PostgreSQL say of the methods, and of how well they keep distances, without Python."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest
import sqlalchemy as sa
from postgresql_functions import opened
from taking_part import need

import sqlrp
from sqlrp._projections import FUNCTIONS
from sqlrp._quality import mean_distortion, recall, squared_distances

N, D, K = 60, 12, 5
X = np.random.default_rng(7).normal(size=(N, D))
P = sqlrp.SparseProjection(k=K, s=1, seed=7)
LISTED = [(function, cls.__name__, cls.use) for function, cls in FUNCTIONS.items()]


def expected(z: np.ndarray) -> tuple[float, float]:
    centred = X - X.mean(axis=0)
    return mean_distortion(z, squared_distances(centred @ centred.T)), recall(X, z, 10)


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect()
    sqlrp.install(made)
    made.execute("CREATE TABLE docs (id INTEGER, embedding DOUBLE[12])")
    made.executemany("INSERT INTO docs VALUES (?, ?)", [(i, row.tolist()) for i, row in enumerate(X)])
    made.execute(
        f"CREATE TABLE small AS FROM rp_project('docs', array_column := 'embedding', k := {K}, s := 1, seed := 7, "
        "output := 'array')"
    )
    return made


QUERY = "FROM docs JOIN small USING (id)"


def test_duckdb_lists_the_methods(con: duckdb.DuckDBPyConnection) -> None:
    found = con.execute("FROM sqlrp_methods()").fetchall()
    assert [row[:3] for row in found] == LISTED
    assert {row[0]: row[3] for row in found}["rp_project"] == "k = 64, s = 'sqrt', seed = 0, vectors = 'sign'"


def test_duckdb_measures(con: duckdb.DuckDBPyConnection) -> None:
    z = np.array([row for (row,) in con.execute("SELECT z FROM small ORDER BY id").fetchall()])
    con.execute("INSERT INTO docs VALUES (98, NULL); INSERT INTO small VALUES (98, NULL)")
    for setting in ("", "SET default_order = 'DESC'; SET integer_division = true; SET threads = 1"):
        con.execute(setting) if setting else None
        ((rows, distortion, share),) = con.execute(f"FROM sqlrp_quality('{QUERY}', 'embedding', 'z')").fetchall()
        assert rows == N
        np.testing.assert_allclose((distortion, share), expected(z), rtol=1e-12)
    again = con.execute(f"FROM sqlrp_quality('{QUERY}', 'embedding', 'z', n_rows := 20)")
    assert again.fetchall()[0][0] == 20
    one = f"SELECT embedding, rp_vector(embedding, k := {K}, s := 1, seed := 7, n_features := {D}) AS z FROM docs"
    ((_, same, _),) = con.execute(f"FROM sqlrp_quality('{one}', 'embedding', 'z')").fetchall()
    np.testing.assert_allclose(same, distortion, rtol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (f"'{QUERY}', 'embedding', 'z', n_rows := 10", "n_rows = 10 must be a whole number >= 11"),
        (f"'{QUERY}', 'embedding', 'z', n_rows := 2001", "n_rows = 2001 must be at most 2,000"),
        (f"'{QUERY} LIMIT 9', 'embedding', 'z'", "9 rows are fewer than 11"),
        ("NULL, 'embedding', 'z'", "query = NULL must be the text of a query"),
        (f"'{QUERY}', 'embedding', 'z\"; DROP TABLE docs; --'", "not found in FROM clause"),
    ],
)
def test_duckdb_refuses(con: duckdb.DuckDBPyConnection, arguments: str, words: str) -> None:
    with pytest.raises(duckdb.Error, match=words):
        con.execute(f"FROM sqlrp_quality({arguments})").fetchall()


def test_a_macro_keeps_a_method_in_duckdb(con: duckdb.DuckDBPyConnection) -> None:
    """It is what project_with advises where nothing is saved."""
    with pytest.raises(duckdb.Error, match="no projection 'mine' is saved here: in SQL, CREATE MACRO") as caught:
        con.execute("FROM project_with('mine', 'docs')")
    advice = str(caught.value).partition("in SQL, ")[2].partition(" keeps one")[0]
    con.execute("CREATE TABLE wide AS SELECT id, id % 7 AS a, id % 5 AS b FROM docs")
    con.execute(advice.replace("64", "1"))
    assert con.execute("FROM mine('wide')").fetchall() == con.execute("FROM rp_project('wide', k := 1)").fetchall()


def test_postgresql_lists_and_measures() -> None:
    need("postgresql")
    with opened() as db:
        sqlrp.install(db.connection)
        assert [row[:3] for row in db.run("SELECT * FROM sqlrp_methods()")] == LISTED
        values = ", ".join(f"({i}, CAST(ARRAY{row.tolist()} AS real[]))" for i, row in enumerate(X))
        db.run(f"CREATE TABLE docs AS SELECT * FROM (VALUES {values}) v(id, embedding)")
        one = f"rp_vector(embedding, k => {K}, s => 1, seed => 7)"
        rows = db.run(f"SELECT embedding, {one} FROM docs ORDER BY id")
        z = np.array([row for _, row in rows])
        ((found,),) = db.run(f"SELECT sqlrp_quality(array_agg(embedding), array_agg({one})) FROM docs")
        assert found["rows"] == N
        got = found["mean_distortion"], found["recall_of_10"]
        np.testing.assert_allclose(got, expected(z), rtol=1e-6)
        for arguments, words in (
            ("array_agg(embedding), array_agg(embedding)", "10 rows are not from 11 to 2,000"),
            ("array_agg(embedding), array_agg(id)", "must be arrays of as many arrays"),
            ("array_agg(embedding), NULL", "must be arrays of as many arrays"),
            ("array_agg(array_append(embedding, NULL)), array_agg(embedding)", "each without NULL"),
        ):
            with pytest.raises(sa.exc.SQLAlchemyError) as caught:
                db.run(f"SELECT sqlrp_quality({arguments}) FROM (SELECT * FROM docs LIMIT 10) s")
            said = caught.value.orig.diag  # type: ignore[attr-defined]
            assert words in said.message_primary
            assert len(said.context.splitlines()) == 1
