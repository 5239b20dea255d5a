"""Searches for rows like that of a key, against numpy: no row finds itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import DATABASES
from helpers import assert_one_line, load
from sklearn.datasets import load_iris
from sklearn.neighbors import NearestNeighbors

import sqlrp
from sqlrp._store.like_rows import keys_of

X = np.unique(load_iris().data, axis=0)
BITS = sqlrp.SparseProjection(k=64, s=1, seed=2)


def near(n: int) -> Any:
    """The rows nearest to each by scikit-learn, and how far away they are."""
    found = NearestNeighbors(n_neighbors=n + 1).fit(X).kneighbors(X)
    return found[1][:, 1:], found[0][:, 1:]


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("name", DATABASES)
def test_rows_like_one_are_its_neighbours(db: Any, name: str, text: bool) -> None:
    kind, whole = {"clickhouse": ("Float64", "Int64")}.get(name, ("DOUBLE PRECISION", "BIGINT"))
    words = "String" if name == "clickhouse" else "VARCHAR(40)"
    keys: list[Any] = [f"it's row {i}" if text else i for i in range(len(X))]
    made = [[key, *row] for key, row in zip(keys, X.tolist(), strict=True)]
    db.make("irises", [("id", words if text else whole), *((f"f{j}", kind) for j in range(4))], made)
    sqlrp.materialize(BITS, "irises", db.connection, "kept", output="bits", replace=True)
    apart = near(5)[1]
    for i in (0, 77, len(X) - 1):
        found = sqlrp.search(db.connection, "kept", like=keys[i], n=5, candidates=len(X))
        assert found.column_names == ["id", "distance"]
        assert keys[i] not in found["id"].to_pylist()
        assert np.allclose(found["distance"].to_numpy(), apart[i])
    several = sqlrp.search(db.connection, "kept", like=[keys[9], keys[30]], n=5, candidates=len(X))
    assert several["query"].to_pylist() == [0] * 5 + [1] * 5
    assert np.allclose(several["distance"].to_numpy(), apart[[9, 30]].ravel())
    with pytest.raises(sqlrp.SourceError) as caught:
        sqlrp.search(db.connection, "kept", like="none" if text else 10**6)
    assert_one_line(caught, "like: the row with id", "is no row of it")


def test_a_row_with_a_twin_does_not_find_itself(con: Any) -> None:
    """Rows that are equal find each other, whichever of them the engine returns first."""
    source = load(con, "array", np.repeat(X[:4], 3, axis=0).tolist())
    sqlrp.materialize(BITS, source, con, "kept", output="bits")
    for i in range(12):
        found = sqlrp.search(con, "kept", like=i, n=2)
        assert set(found["id"].to_pylist()) == {i // 3 * 3, i // 3 * 3 + 1, i // 3 * 3 + 2} - {i}
        assert found["distance"].to_pylist() == [0, 0]


def test_codes_alone_are_searched_by_a_key(con: Any) -> None:
    source = load(con, "array", X.tolist())
    rotated = sqlrp.PrincipalComponents(k=4).fit(X)
    codes = sqlrp.rounded(rotated, source, con, bits=8)
    sqlrp.materialize(codes, source, con, "kept", output="vector", correct=True)
    found = sqlrp.search(con, "kept", like=[3, 50], n=3, again=False)
    assert np.allclose(found["distance"].to_numpy().reshape(2, 3), near(3)[1][[3, 50]], atol=0.05)


def test_what_is_no_key_is_refused(con: Any) -> None:
    rows = X[:9].tolist()
    rows[4][2] = None
    sqlrp.materialize(BITS, load(con, "wide", rows), con, "kept", output="bits")
    for options, words in (
        ({}, "pass vector, or like"),
        ({"vector": X[0], "like": 1}, "pass vector, or like"),
        ({"like": []}, "at least one row"),
        ({"like": 1.5}, "like = 1.5"),
        ({"like": [True]}, "like = True"),
    ):
        with pytest.raises(sqlrp.ParameterError) as caught:
            sqlrp.search(con, "kept", **options)  # type: ignore[arg-type]
        assert_one_line(caught, words)
    with pytest.raises(sqlrp.SourceError) as missing:
        sqlrp.search(con, "kept", like=4)
    assert_one_line(missing, "id = 4", "has a NULL")
    with pytest.raises(sqlrp.ParameterError, match="are for tables"):
        sqlrp.search(None, sqlrp.project(BITS, X, output="bits"), like=1, projection=BITS, source=X, key=None)
    assert keys_of(np.arange(2)) == [0, 1]
