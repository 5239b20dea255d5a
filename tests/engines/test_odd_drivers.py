"""Drivers of unknown engines that answer in other ways: names of results, and errors outside DBAPI's classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from cases import X as ROWS
from helpers import assert_one_line, oracle
from odd_drivers import opened

import sqlrp
from sqlrp import Long, SparseProjection, StatementError, UnreachableError, Wide

P = SparseProjection(k=4, s=3, seed=1)
each = pytest.mark.parametrize("name", ["folding_sqlite", "basing_sqlite"])


def _table(name: str) -> sa.Connection:
    connection = opened(name)
    connection.exec_driver_sql('CREATE TABLE t (id BIGINT, f0 DOUBLE, "F 1" DOUBLE, "a""; --" DOUBLE)')
    connection.exec_driver_sql("CREATE TABLE cells (id BIGINT, feature INTEGER, value DOUBLE)")
    for i, row in enumerate(ROWS[:, :3].tolist()):
        connection.exec_driver_sql("INSERT INTO t VALUES (?, ?, ?, ?)", (i, *row))
        for j, value in enumerate(row):
            connection.exec_driver_sql("INSERT INTO cells VALUES (?, ?, ?)", (i, j, value))
    return connection


@pytest.mark.parametrize("lowering", ["inline", "relational"])
@pytest.mark.parametrize("output", ["columns", "long"])
@each
def test_results_have_our_names(monkeypatch: pytest.MonkeyPatch, name: str, output: Any, lowering: Any) -> None:
    with _table(name) as connection:
        # Reflection reads names of results, too: these drivers' own dialects know what theirs are.
        columns = [("id", sa.BigInteger()), *((n, sa.Double()) for n in ("f0", "F 1", 'a"; --'))]
        described = [{"name": n, "type": kind, "nullable": True} for n, kind in columns]
        monkeypatch.setattr(type(connection.dialect), "get_columns", lambda *_, **__: described)
        got = sqlrp.project(P, Wide("t", key="id"), connection, output=output, lowering=lowering)
    want = oracle(P, ROWS[:, :3])
    if output == "long":
        assert got.column_names == ["id", "component", "value"]
        found = np.zeros_like(want)
        found[got["id"].to_numpy().astype(int), got["component"].to_numpy().astype(int)] = got["value"].to_numpy()
    else:
        assert got.column_names == ["id", "z0", "z1", "z2", "z3"]
        found = np.column_stack([got[f"z{c}"].to_numpy() for c in range(P.k)])[np.argsort(got["id"].to_numpy())]
    assert np.allclose(found, want, rtol=1e-12)


@each
def test_samples_and_scores_have_our_names(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with _table(name) as connection:
        kinds = {"t": [("f0", sa.Double()), ("F 1", sa.Double()), ('a"; --', sa.Double())]}
        kinds["cells"] = [("feature", sa.Integer()), ("value", sa.Double())]

        def described(_: Any, __: Any, table: str, *___: Any, **____: Any) -> Any:
            columns = [("id", sa.BigInteger()), *kinds[table]]
            return [{"name": n, "type": kind, "nullable": True} for n, kind in columns]

        monkeypatch.setattr(type(connection.dialect), "get_columns", described)
        model = sqlrp.learn(P, Wide("t", key="id", features=["f0", "F 1"]), connection, target='a"; --')
        scored = sqlrp.score(P, model, Wide("t", key="id", features=["f0", "F 1"]), connection)
        assert scored.column_names[0] == "id"
        assert not {"base", "ID"} & set(scored.column_names)
        long = sqlrp.project(P, Long("cells", n_features=3), connection)
    assert long.column_names == ["id", "z0", "z1", "z2", "z3"]


def test_errors_outside_dbapi_have_the_statement() -> None:
    with opened("failing_sqlite") as connection:
        connection.exec_driver_sql("CREATE TABLE t (id BIGINT, f0 DOUBLE)")
        connection.connection.execute('ALTER TABLE t ADD COLUMN "boom" DOUBLE')
        with pytest.raises(StatementError) as caught:
            sqlrp.project(P, Wide("t", key="id", features=["f0", "boom"]), connection)
    assert_one_line(caught, "the driver of failing_sqlite failed: the driver's own words", "[in: SELECT")
    assert not isinstance(caught.value, UnreachableError)
    assert isinstance(caught.value.__cause__, ValueError)


def test_what_a_dialect_cannot_do_is_no_lost_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    with opened("failing_sqlite") as connection:
        connection.exec_driver_sql("CREATE TABLE t (id BIGINT, f0 DOUBLE)")

        def refused(*_: Any, **__: Any) -> Any:
            raise sa.exc.CompileError("no such phrase")

        monkeypatch.setattr(sa.Connection, "exec_driver_sql", refused)
        monkeypatch.setattr(
            type(connection.dialect),
            "get_columns",
            lambda *_, **__: [{"name": n, "type": sa.Double(), "nullable": True} for n in ("id", "f0")],
        )
        with pytest.raises(StatementError, match="no such phrase") as caught:
            sqlrp.project(P, Wide("t", key="id"), connection)
    assert not isinstance(caught.value, UnreachableError)
