"""hash_sql against numpy on every engine, and against Charikar's probability."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pytest
from cases import DATABASES as ENGINES
from databases import Database
from helpers import assert_one_line, exact, oracle

import sqlrp
from sqlrp import (
    GaussianProjection,
    Long,
    ParameterError,
    PolynomialKernelProjection,
    SourceError,
    SparseProjection,
    Wide,
)

LOWERINGS = {"wide": "inline", "long": "relational"}
"""Which give one statement on every engine."""

X = np.random.default_rng(4).integers(-50, 50, (12, 6))
X[0] = 0  # of which every bit is 1


def buckets(projection: sqlrp.Projection, x: Any, bits: int) -> dict[tuple[int, int], int]:
    """By numpy: the bucket of every row and band."""
    z = oracle(projection, exact(x.tolist()), scale=False)
    found = {}
    for row, values in enumerate(z):
        for band in range(projection.k // bits):
            signs = [value >= 0 for value in values[band * bits : (band + 1) * bits]]
            found[row, band] = sum(1 << i for i, sign in enumerate(signs) if sign)
    return found


def hashed(db: Database, text: str) -> dict[tuple[int, int], Any]:
    rows = db.connector.fetch(db.connection, text).to_pylist()
    assert all(list(row)[-2:] == ["band", "bucket"] for row in rows)
    return {(row["id"], row["band"]): row["bucket"] for row in rows}


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("layout", ["wide", "long"])
@pytest.mark.parametrize(
    ("projection", "bits"),
    [
        (SparseProjection(k=12, s=1, seed=3), 4),
        (SparseProjection(k=62, s=2, seed=5), 62),
        (PolynomialKernelProjection(k=6, t=2, c=1, seed=1), 1),
    ],
    ids=["four", "widest", "native"],
)
def test_buckets_are_numpy_s(db: Database, name: str, layout: str, projection: sqlrp.Projection, bits: int) -> None:
    source = db.load(layout, X.tolist(), "INTEGER" if name != "clickhouse" else "Int32")
    found = hashed(db, sqlrp.hash_sql(projection, source, db.connection, bits=bits, lowering=LOWERINGS[layout]))
    assert found == buckets(projection, X, bits)
    assert found[0, 0] == 2**bits - 1


@pytest.mark.parametrize("name", ENGINES)
def test_a_null_has_no_bucket(db: Database, name: str) -> None:
    x = X.astype(float).tolist()
    x[3][2] = None
    source = db.load("wide", x)
    projection = SparseProjection(k=6, s=1, seed=3)
    found = hashed(db, sqlrp.hash_sql(projection, source, db.connection, bits=3, lowering=LOWERINGS["wide"]))
    want = buckets(projection, X, 3)
    assert found == {(row, band): None if row == 3 else bucket for (row, band), bucket in want.items()}


@pytest.mark.slow
def test_rows_agree_as_often_as_charikar_says(con: duckdb.DuckDBPyConnection) -> None:
    """Bits and buckets shared by two rows at known angles, over many vectors: within five standard errors."""
    k, bits = 1200, 3
    angles = np.array([0.0, 0.2, 0.5, 1.0, 2.0, np.pi])
    x = np.zeros((len(angles), 8))
    x[:, 3], x[:, 6] = 5 * np.cos(angles), 5 * np.sin(angles)
    con.execute("CREATE TABLE t (id INTEGER, x DOUBLE[8])")
    con.executemany("INSERT INTO t VALUES (?, ?)", [(i, row) for i, row in enumerate(x.tolist())])
    for size in (1, bits):
        text = sqlrp.hash_sql(
            GaussianProjection(k=k, seed=2), sqlrp.Array("t", "x"), con, bits=size, lowering=LOWERINGS["long"]
        )
        rows = con.execute(
            f"WITH h AS ({text}) SELECT b.id, avg(CAST(a.bucket = b.bucket AS INTEGER)) FROM h a JOIN h b USING (band) "
            "WHERE a.id = 0 GROUP BY b.id ORDER BY b.id"
        ).fetchall()
        p = (1 - angles / np.pi) ** size
        error = np.sqrt(p * (1 - p) / (k / size))
        assert np.all(np.abs(np.array([share for _, share in rows]) - p) <= 5 * error + 1e-9)


def test_hostile_names_and_kept_columns(con: duckdb.DuckDBPyConnection) -> None:
    con.execute('CREATE TABLE "t""; x" AS SELECT 1 AS "b0", 2 AS "z0""", \'k\' AS "c0"')
    source = Wide('"t""; x"', key="b0", keep=["c0"])
    table = con.execute(sqlrp.hash_sql(SparseProjection(k=2, s=1, seed=7), source, con, bits=1)).fetchall()
    assert [row[:3] for row in sorted(table)] == [(1, "k", 0), (1, "k", 1)]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"bits": 0}, ParameterError, ["bits = 0", "from 1 to 62"]),
        ({"bits": 63}, ParameterError, ["bits = 63", "from 1 to 62"]),
        ({"bits": 3}, ParameterError, ["k = 4", "bits = 3", "multiple"]),
        ({"source": Long("t", key="Band")}, SourceError, ["'Band'", "rename"]),
    ],
)
def test_refusals(change: dict[str, Any], error: type[Exception], words: list[str]) -> None:
    given: dict[str, Any] = {"source": Wide("t", features=["a", "b"]), "bits": 2} | change
    with pytest.raises(error) as caught:
        sqlrp.hash_sql(SparseProjection(k=4, s=1), given.pop("source"), "duckdb", **given)
    assert_one_line(caught, *words)
