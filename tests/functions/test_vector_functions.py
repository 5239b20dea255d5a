"""Functions of one vector in DuckDB: the components that the rows of a table have."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest
from other_duckdbs import python_package, run_wasm

import sqlrp
from sqlrp._projections import FUNCTIONS

FILE = Path(__file__).parents[2] / "sql" / "duckdb.sql"
ROWS = np.random.default_rng(5).normal(0, 2, (4, 10)).round(3)
METHODS = {function: cls for function, cls in FUNCTIONS.items() if not cls.key_argument}
OTHERS: dict[str, sqlrp.Projection] = {
    "rp_vector": sqlrp.SparseProjection(k=3, s=2, seed=9),
    "pk_vector": sqlrp.PolynomialKernelProjection(k=3, degree=3, t=2, c=1, seed=2),
    "fht_vector": sqlrp.HadamardProjection(k=3, padding="least", replacement=False),
    "rs_vector": sqlrp.RandomSubspace(k=3, stratified=True),
    "cw_vector": sqlrp.SparseEmbedding(k=6, nnz_per_feature=1, buckets=3),
    "d2pk_vector": sqlrp.Degree2KernelProjection(k=3, modified=True),
}


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": "1"}) as connection:
        sqlrp.install(connection)
        connection.execute("CREATE TABLE docs (id INTEGER, v DOUBLE[10])")
        connection.executemany("INSERT INTO docs VALUES (?, ?)", [[i, row.tolist()] for i, row in enumerate(ROWS)])
        yield connection


def given(projection: sqlrp.Projection) -> str:
    """The parameters of a projection as named arguments."""
    quoted = {name: repr(value).lower() for name, value in projection.parameters().items() if value is not None}
    return ", ".join(f"{name} := {value}" for name, value in quoted.items())


@pytest.mark.parametrize("function", [f.removesuffix("_project") + "_vector" for f in METHODS])
def test_the_same_numbers_as_for_rows(con: duckdb.DuckDBPyConnection, function: str) -> None:
    methods = [METHODS[function.replace("_vector", "_project")](k=4), *(OTHERS[f] for f in OTHERS if f == function)]
    for projection in methods:
        table = sqlrp.project(projection, sqlrp.Array("docs", "v"), con, output="array")
        want = dict(zip(*table.to_pydict().values(), strict=True))
        ((z,),) = con.execute(f"SELECT {function}($1, {given(projection)})", [ROWS[1].tolist()]).fetchall()
        np.testing.assert_allclose(z, want[1], rtol=1e-9, atol=1e-9)
        for n in ("", ", n_features := 10"):
            rows = con.execute(f"SELECT id, {function}(v, {given(projection)}{n}) FROM docs").fetchall()
            np.testing.assert_allclose([z for _, z in rows], [want[i] for i, _ in rows], rtol=1e-9, atol=1e-9)


def test_normal_weights(con: duckdb.DuckDBPyConnection) -> None:
    scaled = np.array([sqlrp.project_vector(sqlrp.GaussianProjection(k=3, seed=9), row) for row in ROWS])
    for scale, want in ((True, scaled), (False, scaled * np.sqrt(3))):
        for n in ("", ", n_features := 10"):
            call = f"rp_vector(v, k := 3, seed := 9, vectors := 'gaussian', scale := {scale}{n})"
            rows = con.execute(f"SELECT {call} FROM docs ORDER BY id").fetchall()
            np.testing.assert_allclose([z for (z,) in rows], want, rtol=1e-9, atol=1e-9)


def test_a_search_in_one_statement(con: duckdb.DuckDBPyConnection) -> None:
    call = "rp_project('docs', array_column := 'v', k := 4, s := 1, output := 'array')"
    con.execute(f"CREATE OR REPLACE TABLE small AS FROM {call}")
    query = "SELECT id FROM small ORDER BY array_distance(z, rp_vector($1, k := 4, s := 1)) LIMIT 1"
    for i, row in enumerate(ROWS):
        assert con.execute(query, [row.tolist()]).fetchall() == [(i,)]


def test_saved_projections(con: duckdb.DuckDBPyConnection) -> None:
    source = sqlrp.Array("docs", "v")
    for name, projection in (("it's fitted", sqlrp.PrincipalComponents(k=2)), ("drawn", sqlrp.SparseProjection(k=3))):
        made = sqlrp.fit(projection, source, con) if projection.learns else projection
        sqlrp.save(made, con, name)
        want = sqlrp.project(made, source, con, output="array").column("z").to_pylist()
        literal = name.replace("'", "''")
        got = con.execute(f"SELECT vector_with('{literal}', v) FROM docs ORDER BY id").fetchall()
        np.testing.assert_allclose([z for (z,) in got], want, rtol=1e-9, atol=1e-9)
    with pytest.raises(duckdb.Error, match="holds for 10 features, the source has 2"):
        con.execute("SELECT vector_with('it''s fitted', [1, 2])").fetchall()
    sqlrp.save(sqlrp.MaclaurinPooling(k=2), con, "pooled")
    with pytest.raises(duckdb.Error, match="pooling sums the rows of a group: one vector is none"):
        con.execute("SELECT vector_with('pooled', [1, 2])").fetchall()
    with pytest.raises(duckdb.Error, match="no projection 'nope' is saved here: in SQL, CREATE MACRO"):
        con.execute("SELECT vector_with('nope', [1, 2])").fetchall()


def test_null_and_wrong_vectors(con: duckdb.DuckDBPyConnection) -> None:
    assert con.execute("SELECT rp_vector(NULL, k := 2), rp_vector([1, NULL], k := 2)").fetchall() == [(None, None)]
    for s in ("2", "'sqrt'"):
        assert con.execute(f"SELECT rp_vector([], k := 2, s := {s})").fetchall() == [((0.0, 0.0),)]
    with pytest.raises(duckdb.Error, match="vectors = 'normal' must be one of sign, gaussian"):
        con.execute("SELECT rp_vector([1, 2], vectors := 'normal')").fetchall()
    with pytest.raises(
        duckdb.Error, match="vector has 2 numbers, and n_features = 3: pass one number for each feature"
    ):
        con.execute("SELECT rp_vector([1, 2], n_features := 3)").fetchall()
    with pytest.raises(duckdb.Error, match="n_features = 0 must be a whole number >= 1"):
        con.execute("SELECT rp_vector([1, 2], n_features := 0)").fetchall()
    with pytest.raises(duckdb.Error, match="k = 0 must be a whole number >= 1"):
        con.execute("SELECT rp_vector([1, 2], k := 0)").fetchall()
    (bare,) = con.execute("SELECT rp_vector([1, 2], k := 4, s := 1, scale := false)").fetchone() or ()
    assert all(value == int(value) for value in bare)


QUERY = "SELECT rp_vector([1, 2, 5], k := 3, s := 1, seed := 7)"


def test_in_other_duckdbs(con: duckdb.DuckDBPyConnection) -> None:
    want = [list(z) for (z,) in con.execute(QUERY).fetchall()]
    text = FILE.read_text(encoding="utf-8")
    code = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); import duckdb\n"
        "con = duckdb.connect(); con.execute(sys.stdin.read())\n"
        "print(json.dumps([list(z) for (z,) in con.execute(sys.argv[2]).fetchall()]))"
    )
    for version in ("1.4", "1.5"):
        command = [sys.executable, "-S", "-c", code, str(python_package(version)), QUERY]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        np.testing.assert_allclose(json.loads(done.stdout), want)
    _, answer = run_wasm([text, QUERY])
    np.testing.assert_allclose([z for (z,) in answer], want)


@pytest.mark.parametrize("n", [1023, 1024, 1025, 40_000])
def test_many_features(con: duckdb.DuckDBPyConnection, n: int) -> None:
    """Entries below 1024 are computed with fewer remainders."""
    row = np.random.default_rng(n).normal(size=n)
    for projection in (sqlrp.SparseProjection(k=2, s=3, seed=2**53 - 1), sqlrp.SparseProjection(k=2, seed=4)):
        (z,) = con.execute(f"SELECT rp_vector($1, {given(projection)})", [row.tolist()]).fetchone() or ()
        np.testing.assert_allclose(z, sqlrp.project_vector(projection, row), rtol=1e-9, atol=1e-9)
