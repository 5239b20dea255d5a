"""The how-to of examples/writing_an_engine.md, followed exactly: every method works on the new engine."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cases import METHODS
from cases import X as ROWS
from cover import factors, pairwise
from helpers import assert_close, assert_one_line, cells, exact, oracle
from pages import EXAMPLES, check

import sqlrp
from sqlrp import Long, SparseProjection, UnsupportedError, Wide
from sqlrp._core.errors import ParameterError, SourceError, StatementError

COMBINATIONS = [("wide", "inline"), ("wide", "relational"), ("long", "relational")]


@pytest.fixture(scope="module", autouse=True)
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The page prints what it shows; its engine is there for this module only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlrp._engines.registry, "ENGINES", dict(sqlrp._engines.registry.ENGINES))
        patch.setattr(sqlrp._engines.registry, "CONNECTORS", dict(sqlrp._engines.registry.CONNECTORS))
        patch.setattr(sqlrp._engines.registry, "_REGISTERED", [])
        check(EXAMPLES / "writing_an_engine.md", tmp_path_factory.mktemp("page"))
        yield


@pytest.fixture
def con() -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        yield connection


def load(con: sqlite3.Connection, layout: str, x: Any, kind: str = "REAL") -> Wide | Long:
    if layout == "wide":
        con.execute(f"CREATE TABLE t (id INTEGER, {', '.join(f'f{j} {kind}' for j in range(x.shape[1]))})")
        con.executemany(
            f"INSERT INTO t VALUES (?{', ?' * x.shape[1]})", [(i, *row) for i, row in enumerate(x.tolist())]
        )
        return Wide("t")
    con.execute(f"CREATE TABLE t (id INTEGER, feature INTEGER, value {kind})")
    cells_ = [(i, j, v) for i, row in enumerate(x.tolist()) for j, v in enumerate(row) if v or j == 0]
    con.executemany("INSERT INTO t VALUES (?, ?, ?)", cells_)
    return Long("t", n_features=x.shape[1])


@pairwise(
    factors(
        lambda layout, lowering, **_: (layout, lowering) in COMBINATIONS,
        method=list(METHODS),
        layout=["wide", "long"],
        lowering=["inline", "relational"],
        output=["columns", "long"],
        scale=[True, False],
    )
)
def test_every_method(
    con: sqlite3.Connection, method: str, layout: str, lowering: str, output: str, scale: bool
) -> None:
    projection, source = METHODS[method], load(con, layout, ROWS)
    result = sqlrp.project(projection, source, con, output=output, scale=scale, lowering=lowering)  # type: ignore[arg-type]
    want = oracle(projection, ROWS, scale)
    got = cells(result, output, projection.k, sparse=layout == "long")
    assert_close(got, want, np.full(len(ROWS), np.abs(want).max()))


@pytest.mark.parametrize(("layout", "lowering"), COMBINATIONS)
def test_integers_are_exact(con: sqlite3.Connection, layout: str, lowering: str) -> None:
    x = np.random.default_rng(1).integers(-(2**31) + 1, 2**31, (5, 6))
    source, projection = load(con, layout, x, "INTEGER"), SparseProjection(k=5, s=1, seed=3)
    result = sqlrp.project(projection, source, con, scale=False, lowering=lowering)
    want = oracle(projection, exact(x.tolist()), scale=False)
    assert cells(result, "columns", 5) == {i: list(row) for i, row in enumerate(want)}


def test_refusals(con: sqlite3.Connection) -> None:
    projection, source = SparseProjection(k=4, s=1, seed=1), load(con, "wide", ROWS)
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.project(projection, source, con, output="array")
    assert_one_line(caught, "sqlite3 has no arrays")
    with pytest.raises(SourceError) as missing:
        sqlrp.project(projection, "nowhere", con)
    assert_one_line(missing, "nowhere", "cannot be read")
    con.execute("INSERT INTO t (id, f0) VALUES (99, 'text')")
    with pytest.raises(StatementError) as text:
        sqlrp.project(projection, source, con)
    assert_one_line(text, "a feature is text")
    con.execute("UPDATE t SET f0 = NULL WHERE id = 99")
    with pytest.raises(StatementError) as null:
        sqlrp.project(projection, source, con, nulls="error")
    assert_one_line(null, "sqlrp: a feature is NULL")
    assert "AS z0" in sqlrp.sql(projection, Wide("t", features=["f0", "f1"]), "sqlite3")


def test_what_is_no_engine_is_not_registered() -> None:
    with pytest.raises(ParameterError) as caught:
        sqlrp.engines.register(sqlite3, lambda _: True)  # type: ignore[arg-type]
    assert_one_line(caught, "must be an Engine")
    assert sqlrp._engines.registry.connector_of(sqlite3.connect(":memory:")).dialect.name == "sqlite3"
