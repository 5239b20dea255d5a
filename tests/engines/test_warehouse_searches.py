"""Searches on warehouses, whose statements run on the stand-ins, against numpy on the same rows."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest
import sqlglot
from standins import WAREHOUSES, opened

import sqlrp
from sqlrp._engines.registry import ENGINES

SEARCHED = [name for name in WAREHOUSES if ENGINES[name].has_searches]
D, N = 9, 3
X = np.random.default_rng(0).normal(size=(12, D)).round(3)
PROJECTIONS = {
    "bits": sqlrp.SparseProjection(k=70, s=1, seed=3),
    "columns": sqlrp.HadamardProjection(k=8, seed=1),
    "array": sqlrp.HadamardProjection(k=8, seed=1),
}
WITHOUT_BITS = ("oracle",)
"""It has no count of bits, and no shift to write one by."""


@pytest.mark.parametrize("layout", ["wide", "array"])
@pytest.mark.parametrize("name", WAREHOUSES)
def test_the_nearest_rows_are_those_of_numpy(name: str, layout: str) -> None:
    source = sqlrp.Wide("t") if layout == "wide" else sqlrp.Array("t", "x", n_features=D)
    asked = X[3] + 0.1
    want = np.linalg.norm(X - asked, axis=1)
    with opened(name) as warehouse:
        warehouse.make("t", layout, X.tolist())
        for output, projection in PROJECTIONS.items():
            if output == "array" and layout == "wide":
                continue
            sqlrp.materialize(projection, source, warehouse.engine, "made", output=output, replace=True)  # type: ignore[arg-type]
            if output == "bits" and name in WITHOUT_BITS:
                with pytest.raises(sqlrp.UnsupportedError, match="no count of the bits"):
                    sqlrp.search(warehouse.engine, "made", asked, n=N)
                continue
            found = sqlrp.search(warehouse.engine, "made", asked, n=N)
            assert found.column("id").to_pylist() == np.argsort(want)[:N].tolist()
            assert np.allclose(found.column("distance"), np.sort(want)[:N])
            several = sqlrp.search(warehouse.engine, "made", np.stack([asked, X[5] + 0.1]), n=N)
            wanted = [np.argsort(np.linalg.norm(X - row, axis=1))[:N] for row in (asked, X[5] + 0.1)]
            assert several.column("query").to_pylist() == [0] * N + [1] * N
            assert several.column("id").to_pylist() == np.concatenate(wanted).tolist()
            z = np.stack([sqlrp.project_vector(projection, row) for row in X])
            q = sqlrp.project_vector(projection, asked)
            first = np.pi * ((z > 0) != (q > 0)).mean(axis=1) if output == "bits" else np.linalg.norm(z - q, axis=1)
            found = sqlrp.search(warehouse.engine, "made", asked, n=12, again=False)
            assert np.allclose(found.column("distance"), np.sort(first))
            with pytest.raises(sqlrp.ParameterError, match="rows of 9"):
                sqlrp.search(warehouse.engine, "made", asked[:4])


@pytest.mark.parametrize("layout", ["wide", "array"])
@pytest.mark.parametrize("name", SEARCHED)
def test_functions_find_what_search_finds(name: str, layout: str) -> None:
    """The text of the function is in the warehouse's grammar, and its body answers on the stand-in."""
    source = sqlrp.Wide("t") if layout == "wide" else sqlrp.Array("t", "x", n_features=D)
    asked = X[3] + 0.1
    numbers = f"[{', '.join(map(repr, asked.tolist()))}]"
    with opened(name) as warehouse:
        warehouse.make("t", layout, X.tolist())
        for output, projection in PROJECTIONS.items():
            sqlrp.materialize(projection, source, warehouse.engine, "made", output=output, replace=True)  # type: ignore[arg-type]
            sqlrp.create_search(warehouse.engine, "made", "near", replace=output != "bits")
            want = sqlrp.search(warehouse.engine, "made", asked, n=N)
            found = warehouse.con.execute(f"SELECT * FROM near({numbers}, {N}, 100)").fetchall()
            assert [row[0] for row in found] == want.column("id").to_pylist()
            assert np.allclose([row[1] for row in found], want.column("distance"))
            assert len(warehouse.con.execute(f"SELECT * FROM near({numbers}, 10, 2)").fetchall()) == 2
            wrongs = {"[1.0]": "the vector has not 9 elements", "CAST(NULL AS DOUBLE[])": "the vector is NULL"}
            for wrong, words in wrongs.items():
                with pytest.raises(duckdb.Error, match=words):
                    warehouse.con.execute(f"SELECT * FROM near({wrong}, 3, 100)").fetchall()
        with pytest.raises(sqlrp.ParameterError, match="exists already: replace=True"):
            sqlrp.create_search(warehouse.engine, "made", "near")
        sqlrp.drop_search(warehouse.engine, "near")
        statements = [text for text in warehouse.statements if "FUNCTION" in text]
        assert any(text.startswith("DROP") for text in statements)
        for text in statements:
            if text.startswith("DROP TABLE FUNCTION"):  # BigQuery's, which sqlglot does not read
                continue
            (parsed,) = sqlglot.parse(text, read=name)
            assert isinstance(parsed, (sqlglot.exp.Create, sqlglot.exp.Drop)), text


@pytest.mark.parametrize("name", SEARCHED)
def test_functions_say_which_rows_are_sure(name: str) -> None:
    with opened(name) as warehouse:
        warehouse.make("t", "wide", X.tolist())
        codes = sqlrp.rounded(sqlrp.OrthonormalProjection(k=D, seed=1), "t", warehouse.engine, bits=8, sample=12)
        sqlrp.materialize(codes, "t", warehouse.engine, "made", output="columns", correct=True)
        sqlrp.create_search(warehouse.engine, "made", "near", sure=True)
        said = set()
        for asked in X[:3] + 0.3:
            want = sqlrp.search(warehouse.engine, "made", asked, n=4, candidates=5, sure=True)
            found = warehouse.con.execute(f"SELECT * FROM near({asked.tolist()}, 4, 5) ORDER BY distance").fetchall()
            assert [row[0] for row in found] == want["id"].to_pylist()
            assert [row[2] for row in found] == want["sure"].to_pylist()
            said |= {row[2] for row in found}
        assert True in said
        (text,) = (text for text in warehouse.statements if text.startswith("CREATE") and "FUNCTION" in text)
        (parsed,) = sqlglot.parse(text, read=name)
        assert isinstance(parsed, sqlglot.exp.Create)
