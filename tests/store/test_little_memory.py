"""A memory limit that a call runs into: an error of sqlrp, and nothing is changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlrp

pytestmark = pytest.mark.slow

BITS = sqlrp.SparseProjection(k=64, s=1, seed=1)
QUERY = [1.0] * 20
CALLS: dict[str, Callable[[Any], object]] = {
    "search": lambda c: sqlrp.search(c, "m", QUERY, n=3),
    "replace": lambda c: sqlrp.materialize(BITS, "t", c, "m", output="bits", replace=True),
    "refresh": lambda c: sqlrp.refresh(c, "m", everything=True),
    "create_search": lambda c: sqlrp.create_search(c, "m", "near", replace=True),
    "install": sqlrp.install,
    "check": lambda c: sqlrp.check(c, repair=True),
}
LIMITS = ("1MB", "2MB", "3MB", "8MB")


def state(c: duckdb.DuckDBPyConnection) -> list[Any]:
    """The tables, the rows of the kept one, the functions, and a search."""
    queries = (
        "SELECT table_name, estimated_size FROM duckdb_tables() ORDER BY ALL",
        "SELECT count(*), sum(hash(m)) FROM m",
        "SELECT definition FROM sqlrp_catalogue ORDER BY ALL",
        "SELECT function_name, macro_definition FROM duckdb_functions() WHERE NOT internal ORDER BY ALL",
        f"SELECT id, distance FROM near({QUERY}, n := 3)",
    )
    return [c.execute(query).fetchall() for query in queries]


def test_a_call_without_memory_changes_nothing(tmp_path: Path) -> None:
    features = ", ".join(f"sin(i * {j} + 1) AS f{j}" for j in range(20))
    seen = set()
    with duckdb.connect(tmp_path / "test.db", config={"threads": "1"}) as c:
        c.execute(f"CREATE TABLE t AS SELECT i AS id, {features} FROM range(30_000) r(i)")
        sqlrp.materialize(BITS, "t", c, "m", output="bits", search="near")
        c.execute("CHECKPOINT")
        before = state(c)
        for name, call in CALLS.items():
            for limit in LIMITS:
                try:
                    c.execute(f"SET memory_limit = '{limit}'")
                except duckdb.OutOfMemoryException:  # it holds more already
                    continue
                try:
                    call(c)
                except sqlrp.SqlrpError:
                    seen.add(name)
                    c.execute("SET memory_limit = '1GB'")
                    assert state(c) == before, (name, limit)
                else:
                    break
            c.execute("SET memory_limit = '1GB'")
            call(c)
            if name == "install":
                sqlrp.uninstall(c)
            before = state(c)
        assert sqlrp.check(c) == []
    assert seen == CALLS.keys()
