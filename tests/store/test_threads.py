"""One connection of DuckDB in several threads: calls take turns, and each gives its own numbers."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import duckdb
import pytest
import sqlalchemy as sa

import sqlrp
from sqlrp import SparseProjection, Wide
from sqlrp._engines.registry import ENGINES

FEW, BITS = SparseProjection(k=3, s=1, seed=1), SparseProjection(k=64, s=1, seed=2)
T = Wide("t", features=["a", "b", "d"])
THREADS, EACH = 4, 50


def calls(con: Any) -> list[Callable[[int], object]]:
    """Calls that read and write; each gives the same whenever it runs. The argument is the number of its thread."""
    return [
        lambda _: sqlrp.project(FEW, T, con).sort_by("id").column("z0").to_pylist(),
        lambda _: sqlrp.search(con, "bits", [0.1, 0.2, 0.3], n=3).column("id").to_pylist(),
        lambda _: sqlrp.diagnose(FEW, T, con, sample=30).recall,
        lambda _: sqlrp.learn(FEW, T, con).coef_.round(9).tolist(),
        lambda _: sorted(sqlrp.saved(con)),
        lambda _: list(map(str, sqlrp.check(con))),
        lambda _: int(sqlrp.refresh(con, "bits")),
        lambda at: sqlrp.materialize(FEW, T, con, into=f"own{at}", replace=True),
        lambda _: sqlrp.load(con, "few"),
    ]


@pytest.mark.parametrize("way", ["duckdb", "sqlalchemy"])
def test_calls_of_threads_take_turns(way: str) -> None:
    engine = sa.create_engine("duckdb:///:memory:") if way == "sqlalchemy" else None
    con: Any = duckdb.connect(config={"threads": "1"}) if engine is None else engine.connect()
    features = "sin(range) a, cos(range) b, sin(2 * range) d, range % 3 label"
    made = f"CREATE TABLE t AS SELECT range id, {features} FROM range(300)"
    (con.execute if engine is None else con.exec_driver_sql)(made)
    if engine is not None:
        con.commit()
    sqlrp.save(FEW, con, "few", source=T)
    sqlrp.materialize(BITS, T, con, into="bits", output="bits")
    asked, said = calls(con), Counter[str]()
    wanted = [call(THREADS) for call in asked]

    def work(at: int) -> None:
        for i in range(EACH):
            number = (i + 2 * at) % len(asked)
            try:
                said["right" if asked[number](at) == wanted[number] else f"wrong: {number}"] += 1
            except Exception as error:
                said[f"{type(error).__name__} {error}"] += 1

    threads = [threading.Thread(target=work, args=(at,)) for at in range(THREADS)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
    assert said == {"right": THREADS * EACH}
    con.close()
    if engine is not None:
        engine.dispose()


def test_two_connections_of_two_threads_do_not_wait_for_each_other() -> None:
    """Each takes its connection, and then what no two transactions may make at once."""
    con = duckdb.connect(config={"threads": "1"})
    con.execute("CREATE TABLE t AS SELECT range id, sin(range) a, cos(range) b, sin(2 * range) d FROM range(20)")
    others = [con.cursor(), con.cursor()]
    done: list[int] = []

    def work(at: int) -> None:
        for i in range(20):
            sqlrp.save(FEW, others[at], f"s{at}", replace=True)
            sqlrp.project(FEW, T, others[1 - at] if i % 2 else others[at])
        done.append(at)

    threads = [threading.Thread(target=work, args=(at,), daemon=True) for at in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(done) == [0, 1]
    con.close()


def test_a_result_that_is_not_read_is_explained() -> None:
    """What a thread of the caller's does to a connection meanwhile is said with the remedy."""
    dialect = ENGINES["duckdb"]
    for words in ("connection is busy with another call", "connection has an open result", "No open result set"):
        assert "give each its own con.cursor()" in dialect.said(f"Resource In Use Error: {words}")
