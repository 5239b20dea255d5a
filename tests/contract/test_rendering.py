"""`sql` without a connection: the text that `project` runs, reproducible, without a question to the engine."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
from helpers import LOWERINGS, METHODS, OUTPUTS, load

import sqlrp
from sqlrp import (
    Array,
    Long,
    SparseProjection,
    Wide,
)
from sqlrp._connectors.connector import Connector
from sqlrp._core.sources import Source
from sqlrp._engines.duckdb.connector import DuckDBConnector

Connection = duckdb.DuckDBPyConnection


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("lowering", LOWERINGS)
def test_text_needs_no_connection(con: Connection, lowering: str, output: str) -> None:
    load(con, "wide", [[1.0, 2.0, 3.0], [0.5, -1.0, 0.0]])
    source = Wide("t", features=["f0", "f1", "f2"])
    for projection in METHODS.values():
        options: dict[str, Any] = {"lowering": lowering, "output": output}
        assert sqlrp.sql(projection, source, "duckdb", **options) == sqlrp.sql(projection, source, con, **options)


def test_text_of_long_rows_needs_no_connection(con: Connection) -> None:
    load(con, "long", [[1.0, 2.0, 3.0]])
    source = Long("t", n_features=3)
    for projection in METHODS.values():
        assert sqlrp.sql(projection, source, "duckdb") == sqlrp.sql(projection, source, con)
    con.execute("CREATE TABLE words AS SELECT 1 AS id, 'w' AS feature, 2.0::DOUBLE AS value")
    p = SparseProjection(k=3, s=3)
    assert sqlrp.sql(p, Long("words"), "duckdb") == sqlrp.sql(p, Long("words"), con)


def test_text_is_reproducible_and_follows_the_parameters(con: Connection) -> None:
    source: Source = Wide("t", features=["f0", "f1", "f2"])
    texts = {
        sqlrp.sql(p, source, "duckdb", lowering="inline")
        for p in (
            SparseProjection(k=6, s=1),
            SparseProjection(k=6, s=1, seed=1),
            SparseProjection(k=7, s=1),
            SparseProjection(k=6, s=3),
        )
    }
    assert len(texts) == 4
    assert sqlrp.sql(SparseProjection(k=6, s=1), source, "duckdb", lowering="inline") in texts


def test_rendering_asks_the_engine_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a connection was asked for")

    for name in ("columns", "count", "array_length", "execute", "fetch"):
        assert hasattr(Connector, name)
        monkeypatch.setattr(DuckDBConnector, name, refuse)
    for projection in METHODS.values():
        assert "SELECT" in sqlrp.sql(projection, Wide("t", features=["a", "b"]), "duckdb")


def test_one_look_at_a_table_does_not_read_it(con: Connection) -> None:
    # `sql` and `explain` run nothing of the projection: a view that fails when read can still be explained.
    con.execute("CREATE TABLE t AS SELECT 1 AS id, 'x' AS a")
    con.execute("CREATE VIEW v AS SELECT id, CAST(a AS DOUBLE) AS a FROM t")
    assert "SELECT" in sqlrp.sql(SparseProjection(k=2, s=1), "v", con)
    con.execute("CREATE TABLE l AS SELECT 1 AS id, [1.0, 2.0] AS x")
    assert sqlrp.explain(SparseProjection(k=2, s=1), Array("l", "x"), con).plan.job.frame.n_features == 2
