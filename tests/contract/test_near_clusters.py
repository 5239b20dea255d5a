"""Clusters of near pairs, against the connected components of scipy, on every engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import DATABASES as ENGINES
from databases import DOUBLES
from helpers import assert_one_line
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

import sqlrp
from sqlrp._engines.registry import connector_of

WITHIN = 0.5
RNG = np.random.default_rng(3)
CHAIN = [(i, i + 1, 0.1) for i in range(100, 130)]
"""Rows in a line take the most rounds."""
PAIRS = [(int(a), int(b), float(d)) for (a, b), d in zip(RNG.integers(0, 80, (70, 2)), RNG.random(70), strict=True)]
ROWS: list[tuple[Any, Any, Any]] = [*CHAIN, *PAIRS, (7, 7, 0.0), (200, 201, 0.5), (202, 203, None)]


def expected(rows: list[tuple[Any, Any, Any]]) -> list[tuple[Any, Any, Any]]:
    """The rows of the result by scipy, whose components have no keys."""
    keys = sorted({key for a, b, _ in rows for key in (a, b)})
    near = [(keys.index(a), keys.index(b), d) for a, b, d in rows if d is not None and d <= WITHIN]
    a, b, d = (np.array(column) for column in zip(*near, strict=True))
    of = connected_components(coo_matrix((np.ones(len(a)), (a, b)), shape=(len(keys),) * 2))[1]
    told = []
    for i, key in enumerate(keys):
        own = d[(a == i) | (b == i)]
        told.append((keys[int(np.argmax(of == of[i]))], key, float(own.min()) if len(own) else None))
    return [(key, cluster, distance) for cluster, key, distance in sorted(told, key=lambda row: row[:2])]


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("temporary", [True, False])
def test_clusters_are_those_of_scipy(db: Any, name: str, temporary: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    words = "String" if name == "clickhouse" else "VARCHAR(9)"
    kind, rows = ("BIGINT", ROWS) if temporary else (words, [(f"k{a:03}", f"k{b:03}", d) for a, b, d in ROWS])
    columns = [("one", kind), ("distance", DOUBLES[name]), ("Other one", kind)]
    db.make("near", columns, [(a, d, b) for a, b, d in [*rows, (None, rows[0][0], 0.1)]])
    if not temporary:
        monkeypatch.setitem(vars(connector_of(db.connection).dialect), "has_temporary", False)
    found = sqlrp.clusters(db.connection, "near", within=WITHIN)
    assert found.column_names == ["one", "cluster", "distance"]
    assert list(zip(*(column.to_pylist() for column in found.columns), strict=True)) == expected(rows)
    assert sqlrp.clusters(db.connection, "near", within=-1).column("distance").null_count == len(found)


def test_what_is_no_table_of_pairs_is_refused(con: Any) -> None:
    con.execute("CREATE TABLE near AS SELECT 1 AS a, 2 AS b, 0.1 AS distance")
    con.execute("CREATE TABLE three AS SELECT *, 1 AS c FROM near")
    con.execute("CREATE TABLE taken AS SELECT a AS cluster, b, distance FROM near")
    for within in (float("nan"), True, "1"):
        with pytest.raises(sqlrp.ParameterError) as caught:
            sqlrp.clusters(con, "near", within=within)  # type: ignore[arg-type]
        assert_one_line(caught, "within = ", "finite number")
    for table, words in (("three", "two keys and 'distance'"), ("taken", "rename it")):
        with pytest.raises(sqlrp.SourceError) as caught_:
            sqlrp.clusters(con, table, within=1)
        assert_one_line(caught_, table, words)
