"""The neighbours of every row, against scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import ARRAYS, DATABASES
from databases import DOUBLES
from helpers import assert_one_line, load
from sklearn.datasets import load_wine
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import scale

import sqlrp

X = scale(load_wine().data[:, :6])
KIND = load_wine().target
KEY = 'k"ey'
OUTPUTS: dict[str, Any] = {
    "bits": sqlrp.SparseProjection(k=70, s=1, seed=2),
    "columns": sqlrp.HadamardProjection(k=8, seed=1, padding="least"),
    "array": sqlrp.SparseProjection(k=5, s=1, seed=3),
}


def nearest(rows: Any, n: int, metric: str) -> tuple[Any, Any]:
    """The keys of the nearest others of some rows, and how far away they are."""
    apart, near = NearestNeighbors(n_neighbors=n + 1, metric=metric).fit(X[rows]).kneighbors(X[rows])
    assert (near[:, 0] == np.arange(len(rows))).all()
    return rows[near[:, 1:]], apart[:, 1:]


@pytest.mark.parametrize("name", DATABASES)
@pytest.mark.parametrize("output", OUTPUTS)
def test_every_row_finds_its_neighbours(db: Any, name: str, output: Any) -> None:
    if output == "array" and name not in ARRAYS:
        output = "columns"
    words = "String" if name == "clickhouse" else "VARCHAR(40)"
    names = [f"f{j}" for j in range(6)]
    rows = [[i, "abc"[KIND[i]], *row] for i, row in enumerate(X.tolist())]
    rows.append([999, "a", None, *X[0, 1:].tolist()])
    db.make("wines", [(KEY, "INTEGER"), ("lang", words), *((f, DOUBLES[name]) for f in names)], rows)
    con = db.connection
    source = sqlrp.Wide("wines", key=KEY, features=names)
    sqlrp.materialize(OUTPUTS[output], source, con, "codes", output=output, replace=True)
    metrics: list[tuple[Any, str]] = [("l2", "euclidean"), ("cosine", "cosine")]
    for metric, of in metrics:
        for where, chosen in ((None, np.arange(len(X))), ("lang <> 'b'", np.flatnonzero(KIND != 1))):
            text = sqlrp.neighbours_sql(con, "codes", n=4, metric=metric, where=where, candidates=len(X))
            found = db.run_query(text)
            near, apart = nearest(chosen, 4, of)
            assert [row[0] for row in found] == np.repeat(chosen, 4).tolist()
            assert [row[1] for row in found] == near.ravel().tolist()
            assert np.allclose([float(row[2]) for row in found], apart.ravel())
    few = db.run_query(sqlrp.neighbours_sql(con, "codes", n=4, candidates=12))
    assert len(few) == 4 * len(X)
    assert not any(row[0] == row[1] for row in few)


@pytest.mark.parametrize("correct", [True, False])
@pytest.mark.parametrize("bits", [2, 8, "packed"])
def test_rounded_codes_find_neighbours(con: Any, bits: Any, correct: bool) -> None:
    source = load(con, "array", X.tolist())
    size: Any = {"bytes": 16} if bits == "packed" else {"bits": bits}
    codes = sqlrp.rounded(sqlrp.PrincipalComponents(k=6).fit(X), source, con, **size)
    output: Any = "bits" if bits == "packed" else "vector"
    sqlrp.materialize(codes, source, con, "codes", output=output, correct=correct or bits == "packed")
    found = con.sql(sqlrp.neighbours_sql(con, "codes", n=3, candidates=60)).fetchall()
    near = nearest(np.arange(len(X)), 3, "euclidean")[0]
    got = np.array([row[1] for row in found]).reshape(len(X), 3)
    assert np.mean([len({*a} & {*b}) / 3 for a, b in zip(got.tolist(), near.tolist(), strict=True)]) > 0.99
    if bits == 2:
        with pytest.raises(sqlrp.UnsupportedError) as caught:
            sqlrp.neighbours_sql(con, "codes", metric="inner")
        assert_one_line(caught, "metric = 'l2'")


def test_a_list_with_null_read_as_zero_has_neighbours(con: Any) -> None:
    """Lists of DuckDB are arrays here once, with 0 for NULL; longer ones stay lists."""
    for lists in ("[]", "[6]"):
        con.execute(f"CREATE OR REPLACE TABLE holed (id BIGINT, e DOUBLE{lists})")
        rows = [[i, *([[None, *row[1:]]] if i == 3 else [row])] for i, row in enumerate(X.tolist())]
        con.executemany("INSERT INTO holed VALUES (?, ?)", rows)
        source = sqlrp.Array("holed", "e")
        sqlrp.materialize(OUTPUTS["bits"], source, con, "codes", output="bits", nulls="zero", replace=True)
        found = con.sql(sqlrp.neighbours_sql(con, "codes", n=3, candidates=len(X))).fetchall()
        x = X.copy()
        x[3, 0] = 0
        apart, near = NearestNeighbors(n_neighbors=4).fit(x).kneighbors(x)
        assert [row[1] for row in found] == near[:, 1:].ravel().tolist()
        assert np.allclose([row[2] for row in found], apart[:, 1:].ravel())


def test_what_has_no_neighbours_is_refused(con: Any) -> None:
    con.execute("CREATE TABLE named AS SELECT range AS neighbour, 1.0 AS a, 2.0 AS b FROM range(5)")
    sqlrp.materialize(
        OUTPUTS["bits"], sqlrp.Wide("named", key="neighbour", features=["a", "b"]), con, "codes", output="bits"
    )
    for options, words in (
        ({}, ["'neighbour'", "rename it"]),
        ({"n": 0}, ["n = 0"]),
        ({"candidates": 0}, ["candidates = 0"]),
        ({"where": "a ="}, ["no condition"]),
    ):
        with pytest.raises(sqlrp.ParameterError) as caught:
            sqlrp.neighbours_sql(con, "codes", **options)  # type: ignore[arg-type]
        if options != {"where": "a ="}:
            assert_one_line(caught, *words)
