"""The first projection of each kind on an unknown engine is compared with numbers that are computed in this process."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from cases import X as ROWS
from helpers import assert_one_line, oracle
from odd_drivers import LyingSqlite, opened

import sqlrp
from sqlrp import Long, RandomFourierFeatures, SparseProjection, StatementError, UnsupportedError, Wide
from sqlrp._engines.generic import connector as unknown
from sqlrp._engines.generic.asked import CONSTANTS
from sqlrp._engines.registry import connector_of

P = SparseProjection(k=2, s=1, seed=1)
NULLS = SparseProjection(k=4, s=3, seed=1)  # which reads no f2
BITS = SparseProjection(k=70, s=1, seed=1)
FOURIER = RandomFourierFeatures(k=2, seed=1)
D = 3
WIDE = Wide("t", key="id")
NONE = Wide("t", key=None, features=["f0", "f1", "f2"])
LONG = Long("cells", n_features=D)
NAMES = Wide("named", key="name", features=["f0", "f1", "f2"])


@pytest.fixture
def lying(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A connection to an engine whose lies are told later, by `lie`."""
    monkeypatch.setattr(LyingSqlite, "lie", None)
    with opened("lying_sqlite") as connection:
        features = ", ".join(f"f{j} DOUBLE" for j in range(D))
        connection.exec_driver_sql(f"CREATE TABLE t (id BIGINT, {features})")
        connection.exec_driver_sql(f"CREATE TABLE named (name VARCHAR(9), {features})")
        connection.exec_driver_sql("CREATE TABLE cells (id BIGINT, feature INTEGER, value DOUBLE)")
        for i, row in enumerate([*ROWS[:, :D].tolist(), [1.0, 2.0, None]]):
            connection.exec_driver_sql("INSERT INTO t VALUES (?, ?, ?, ?)", (i, *row))
            connection.exec_driver_sql("INSERT INTO named VALUES (?, ?, ?, ?)", (f"it's {i}", *row))
            for j, value in enumerate(row):
                connection.exec_driver_sql("INSERT INTO cells VALUES (?, ?, ?)", (i, j, value))
        yield connection


LIES: dict[str, tuple[tuple[str, str], Any, Any, str, str]] = {
    "a product is a sum": ((r"ok\*\(", "ok+("), P, WIDE, "columns", "inline"),
    "a sum is a difference": ((r"\(x0\+x1\)", "(x0-x1)"), P, WIDE, "columns", "inline"),
    "a difference is a sum": ((r"-x2\)", "+x2)"), P, WIDE, "columns", "inline"),
    "digits of a constant are lost": ((r"0\.7071067811865476e0", "0.70710678e0"), P, WIDE, "columns", "inline"),
    "a cast is to 32 bits": (
        (r'THEN "f1" END AS DOUBLE', 'THEN round("f1", 2) END AS DOUBLE'),
        P,
        WIDE,
        "columns",
        "inline",
    ),
    "an alias shadows a column": (
        (r'THEN "f1" END AS DOUBLE', 'THEN "f0" END AS DOUBLE'),
        P,
        WIDE,
        "columns",
        "inline",
    ),
    "components change places": (
        (r'(ok.*) AS "z0", (ok.*) AS "z1"', r'\2 AS "z0", \1 AS "z1"'),
        P,
        WIDE,
        "columns",
        "inline",
    ),
    "branches change places": (
        (r"IS NOT NULL\) THEN (\S+)", r"IS NOT NULL) THEN NULL ELSE \1"),
        P,
        WIDE,
        "columns",
        "inline",
    ),
    "NULL is 0": ((r"e0 END AS ok", "e0 ELSE 0 END AS ok"), NULLS, WIDE, "columns", "inline"),
    "AND is OR": ((r"NOT NULL AND", "NOT NULL OR"), NULLS, WIDE, "long", "inline"),
    "keys are shifted": ((r'"id" AS c0', '"id" + 1 AS c0'), P, WIDE, "columns", "inline"),
    "rows without a key differ": ((r"\(x0\+x1\)", "(x0-x1)"), P, NONE, "columns", "inline"),
    "rows with names differ": ((r"\(x0\+x1\)", "(x0-x1)"), P, NAMES, "columns", "inline"),
    "a component is another": ((r'AS "component"', '+ 1 AS "component"'), P, WIDE, "long", "inline"),
    "bits change places": ((r"x0\+x1 AS", "x0-x1 AS"), BITS, WIDE, "bits", "inline"),
    "a sine for a cosine": ((r"cos\(v", "sin(v"), FOURIER, WIDE, "columns", "inline"),
    "signs change places": ((r"sign > 0", "sign < 0"), P, WIDE, "columns", "relational"),
    "a comparison is off by one": ((r"n < 1 THEN", "n <= 1 THEN"), P, WIDE, "columns", "relational"),
    "a join is wider": ((r"z\.f = n\.f", "z.f <= n.f"), P, WIDE, "columns", "relational"),
    "a bound is another": ((r"h < 1073741823", "h < 2073741823"), P, WIDE, "columns", "relational"),
    "a remainder is another": ((r"% 2147483647", "% 1000003"), P, WIDE, "columns", "relational"),
    "columns change places": ((r"f = 0 THEN", "f = 1 THEN"), P, WIDE, "columns", "relational"),
    "a range is shorter": ((r"BETWEEN 0 AND 2 THEN", "BETWEEN 0 AND 1 THEN"), P, LONG, "columns", "relational"),
    "cells are lost": ((r'AS x FROM "cells"', r'AS x FROM "cells" WHERE value > 0'), P, LONG, "long", "relational"),
}
"""Lies that no question of the probe has: each is about a text that one kind of projection has."""


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_refused_at_the_first_call(lying: Any, monkeypatch: pytest.MonkeyPatch, lie: str) -> None:
    told, projection, source, output, lowering = LIES[lie]
    assert connector_of(lying).dialect.answers.wrong == ()  # type: ignore[attr-defined]
    right = sqlrp.sql(projection, source, lying, output=output, lowering=lowering)  # type: ignore[arg-type]
    assert re.search(told[0], right), right
    monkeypatch.setattr(LyingSqlite, "lie", told)
    for _ in range(2):  # it is not trusted the second time either
        with pytest.raises(UnsupportedError) as caught:
            sqlrp.project(projection, source, lying, output=output, lowering=lowering)
        assert_one_line(caught, "the engine lying_sqlite projects wrongly", "and right is")
    monkeypatch.setattr(LyingSqlite, "lie", None)
    assert sqlrp.project(projection, source, lying, output=output, lowering=lowering).num_rows
    assert len(connector_of(lying).proved(lying) or ()) == 1


def test_the_error_shows_the_row(lying: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LyingSqlite, "lie", (r"\(x0\+x1\)", "(x0-x1)"))
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.project(P, WIDE, lying)
    x, z = ROWS[0, :D], float(oracle(P, ROWS[:, :D])[0, 1])
    assert f"component 1 of the row with id = 0 (f0 = {x[0]}, f1 = {x[1]}, f2 = {x[2]}) it gives " in str(caught.value)
    assert f"and right is {z!r}"[:24] in str(caught.value)
    with pytest.raises(UnsupportedError, match=r"of a row \(f0 = \S+, f1 = \S+, f2 = \S+\) it gives"):
        sqlrp.project(P, NONE, lying)
    monkeypatch.setattr(LyingSqlite, "lie", LIES["a range is shorter"][0])
    with pytest.raises(UnsupportedError, match=r"of the row with id = \d+ \(0 = "):
        sqlrp.project(P, LONG, lying, lowering="relational")


def test_learning_and_scores_are_compared(lying: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Wide("t", key="id", features=["f0", "f1"])
    model = sqlrp.learn(SparseProjection(k=1, s=1), source, lying, target="f2", lowering="sql")
    kinds = len(connector_of(lying).proved(lying) or ())
    assert kinds == 1
    sqlrp.score(SparseProjection(k=1, s=1), model, source, lying)
    assert len(connector_of(lying).proved(lying) or ()) == 2
    monkeypatch.setattr(LyingSqlite, "lie", (r"\bx1\b", "x0"))
    p = RandomFourierFeatures(k=1, seed=1)
    with pytest.raises(UnsupportedError, match="projects wrongly"):
        sqlrp.learn(p, source, lying, target="f2", lowering="sql")
    with pytest.raises(UnsupportedError, match="projects wrongly"):
        sqlrp.score(p, model, source, lying)


@pytest.mark.parametrize("kind", ["table", "view"])
def test_nothing_wrong_is_kept(lying: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: Any) -> None:
    engine = sa.create_engine(f"lying_sqlite:///{tmp_path}/made.db")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (id BIGINT, f0 DOUBLE, f1 DOUBLE, f2 DOUBLE)")
        connection.exec_driver_sql("INSERT INTO t VALUES (1, 2, 3, 5), (2, 3, 5, 7)")
    sqlrp.save(P, engine, "mine")  # so that there is a catalogue before
    monkeypatch.setattr(LyingSqlite, "lie", LIES["a sum is a difference"][0])
    with pytest.raises(UnsupportedError, match="projects wrongly"):
        sqlrp.materialize(P, WIDE, engine, "made", kind=kind)
    monkeypatch.setattr(LyingSqlite, "lie", None)
    assert set(sa.inspect(engine).get_table_names()) == {"t", "sqlrp_catalogue"}
    assert sa.inspect(engine).get_view_names() == sqlrp.check(engine) == []
    assert sqlrp.materialize(P, WIDE, engine, "made", kind=kind) == 2
    engine.dispose()


def test_a_kind_is_compared_once(lying: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    run = sa.Connection.exec_driver_sql
    connector_of(lying)
    monkeypatch.setattr(
        sa.Connection, "exec_driver_sql", lambda self, sql, *a, **k: asked.append(sql) or run(self, sql, *a, **k)
    )

    def statements(*given: Any, **more: Any) -> int:
        asked.clear()
        sqlrp.project(*given, lying, **more)
        return len([sql for sql in asked if "pragma" not in sql.lower()])

    assert [statements(P, WIDE), statements(P, WIDE), statements(SparseProjection(k=1, s=1), WIDE)] == [2, 1, 1]
    assert [statements(P, WIDE, scale=False), statements(P, WIDE, scale=False)] == [2, 1]
    assert [statements(P, LONG), statements(P, LONG)] == [3, 1]


def test_rows_that_change_are_read_again(lying: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another connection may change rows between the engine's numbers and those of this process."""
    run, left = sa.Connection.exec_driver_sql, [1]

    def changing(self: Any, sql: str, *args: Any, **more: Any) -> Any:
        if "LIMIT 100" in sql and left:
            left.pop()
            run(self, "UPDATE t SET f0 = f0 + 1")
        return run(self, sql, *args, **more)

    connector_of(lying)
    monkeypatch.setattr(sa.Connection, "exec_driver_sql", changing)
    assert sqlrp.project(P, WIDE, lying).num_rows == len(ROWS) + 1
    assert not left
    assert len(connector_of(lying).proved(lying) or ()) == 1


@pytest.mark.parametrize("scale", [1.0, 1e8, 1e-8])
def test_right_numbers_that_cancel_are_believed(lying: Any, scale: float) -> None:
    """Sums whose terms cancel differ by what the order of the terms rounds."""
    lying.exec_driver_sql("DELETE FROM t")
    draw = np.random.default_rng(3)
    for i in range(300):
        a = draw.normal() * scale
        row = (a, a * (1 + 1e-9 * draw.normal()), draw.normal() * 1e-9 * scale)
        lying.exec_driver_sql("INSERT INTO t VALUES (?, ?, ?, ?)", (i, *row))
    for lowering in ("inline", "relational"):
        for source in (WIDE, NONE):
            assert sqlrp.project(P, source, lying, lowering=lowering).num_rows == 300


def test_an_engine_that_answers_nothing_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def refused(self: Any, sql: str, *_: Any, **__: Any) -> Any:
        asked.append(sql)
        raise sa.exc.ProgrammingError(sql, None, Exception("no such phrase"))

    with opened("failing_sqlite") as connection:
        monkeypatch.setattr(sa.Connection, "exec_driver_sql", refused)
        for _ in range(2):
            with pytest.raises(UnsupportedError) as caught:
                sqlrp.project(P, WIDE, connection)
            assert_one_line(caught, "the engine failing_sqlite answers no question, not even SELECT 1", "dataframe")
        assert len(asked) == len(CONSTANTS)


def test_an_engine_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 1.0, 31.0])
    monkeypatch.setattr(unknown, "monotonic", lambda: next(times))
    with opened("failing_sqlite") as connection:
        with pytest.raises(StatementError) as caught:
            connector_of(connection)
        assert_one_line(caught, "the engine failing_sqlite is not known", "not answered within 30 s", "try again")
        monkeypatch.setattr(unknown, "monotonic", lambda: 0.0)
        assert connector_of(connection).dialect.answers is not None  # type: ignore[attr-defined]
