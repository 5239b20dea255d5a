"""Drivers of unknown engines that answer in other ways: names of results, errors of their own, and wrong numbers."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from cases import X as ROWS
from helpers import assert_one_line, oracle
from odd_drivers import LyingSqlite, opened

import sqlrp
from sqlrp import Long, SparseProjection, StatementError, UnreachableError, UnsupportedError, Wide
from sqlrp._engines.generic.sqlalchemy_dialect import SqlAlchemyDialect
from sqlrp._engines.registry import connector_of

P = SparseProjection(k=4, s=3, seed=1)
each = pytest.mark.parametrize("name", ["folding_sqlite", "basing_sqlite", "keyed_sqlite"])


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
    models = []
    with _table(name) as connection, _table("sqlite") as known:
        kinds = {"t": [("f0", sa.Double()), ("F 1", sa.Double()), ('a"; --', sa.Double())]}
        kinds["cells"] = [("feature", sa.Integer()), ("value", sa.Double())]

        def described(_: Any, __: Any, table: str, *___: Any, **____: Any) -> Any:
            columns = [("id", sa.BigInteger()), *kinds[table]]
            return [{"name": n, "type": kind, "nullable": True} for n, kind in columns]

        monkeypatch.setattr(type(connection.dialect), "get_columns", described)
        for each_connection in (known, connection):
            source = Wide("t", key="id", features=["f0", "F 1"])
            models.append(sqlrp.learn(P, source, each_connection, target='a"; --', lowering="sql"))
        model = models[1]
        assert np.allclose(model.coef_, models[0].coef_, rtol=1e-9)
        scored = sqlrp.score(P, model, Wide("t", key="id", features=["f0", "F 1"]), connection)
        assert scored.column_names[0] == "id"
        assert not {"base", "ID"} & set(scored.column_names)
        long = sqlrp.project(P, Long("cells", n_features=3), connection)
    assert long.column_names == ["id", "z0", "z1", "z2", "z3"]


@each
def test_measures_and_statistics_are_those_of_a_known_driver(name: str) -> None:
    """The rows of a query of sums are read by position, too."""
    source = Wide("t", features=["f0", "F 1"])
    found = []
    for of in ("sqlite", name):
        with _table(of) as connection:
            report = sqlrp.diagnose(P, source, connection)
            rows = sqlrp.project(P, sqlrp.Standardized(source), connection).to_pydict()
        found.append([report.sampled.rows, report.sampled.distortion.mean, report.sampled.ratio.most, report.auc])
        found[-1] += [x for column in rows.values() for x in column]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12)


def test_errors_outside_dbapi_have_the_statement() -> None:
    with opened("failing_sqlite") as connection:
        connection.exec_driver_sql("CREATE TABLE t (id BIGINT, f0 DOUBLE)")
        connection.connection.execute('ALTER TABLE t ADD COLUMN "boom" DOUBLE')
        with pytest.raises(StatementError) as caught:
            sqlrp.project(P, Wide("t", key="id", features=["f0", "boom"]), connection)
    assert_one_line(caught, "the driver of failing_sqlite failed: the driver's own words", "[in: SELECT")
    assert not isinstance(caught.value, UnreachableError)
    assert isinstance(caught.value.__cause__, ValueError)


def test_the_words_of_an_error_may_stand_before_a_state() -> None:
    """mysql.connector's error is a number, the words and SQLSTATE; pymysql's has no state."""
    said = "1305 (42000): FUNCTION no_such does not exist"

    def fail(*_: Any) -> None:
        raise sqlite3.OperationalError(1305, said, "42000")

    with opened("keyed_sqlite") as connection:
        connector = connector_of(connection)
        sa.event.listen(connection.engine, "do_execute_no_params", fail)
        with pytest.raises(StatementError) as caught:
            connector.execute(connection, "SELECT 1")
    assert caught.value.words == said


def test_an_asynchronous_engine_is_told_where_it_runs() -> None:
    """Its `sync_engine` looks as any other does."""

    def fail(*_: Any) -> None:
        raise sa.exc.MissingGreenlet("greenlet_spawn has not been called")

    with opened("keyed_sqlite") as connection:
        connector = connector_of(connection)
        sa.event.listen(connection.engine, "do_execute_no_params", fail)
        with pytest.raises(StatementError) as caught:
            connector.execute(connection, "SELECT 1")
    assert not isinstance(caught.value, UnreachableError)
    assert_one_line(caught, "runs within run_sync alone: await connection.run_sync(")


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


NEEDED = {
    "a sum is a difference": (r"x \+ y", "x - y"),
    "a difference is a sum": (r"x - y", "x + y"),
    "a product is a sum": (r"x \* y", "x + y"),
    "a minus is left out": (r"\(-\(x ?\+ ?y\)\)", "(x+y)"),
    "decimals are cut": (r"CAST\(1\.1e0 AS (\w+)\) AS x, ", r"CAST(1.1000001e0 AS \1) AS x, "),
    "not above is below": (r"<= ?", "< "),
    "branches change places": (r"THEN 1 WHEN (.*?) THEN 2", r"THEN 2 WHEN \1 THEN 1"),
    "ELSE is NULL": (r"ELSE \d END", "END"),
    "above is not below": (r" > 8", " >= 8"),
    "below is not above": (r"x < 2", "x <= 2"),
    "other is the same": (r"<>", "="),
    "one of these is none": (r" IN \(2", " NOT IN (2"),
    "an average is whole": (r"AVG\((\w+)\)", r"CAST(AVG(\1) AS INTEGER)"),
    "MIN is MAX": (r"\bMIN\(", "MAX("),
    "a group of NULL is that of 0": (r"GROUP BY y", "GROUP BY coalesce(y, 0)"),
    "no ELSE is 0": (r"THEN (5|6) END", r"THEN \1 ELSE 0 END"),
    "NULL is there": (r"IS NOT NULL", "IS NULL"),
    "AND is OR": (r" AND ", " OR "),
    "NULL is 0 in a sum": (r"x \+ y AS e", "x + coalesce(y, 0) AS e"),
    "coalesce takes no NULL": (r"coalesce\((.*?), .*?\)", r"\1"),
    "rows of UNION ALL differ": (r"UNION ALL", "UNION"),
    "SUM is MAX": (r"SUM\(x\) AS", "MAX(x) AS"),
    "MAX is MIN": (r"MAX\(", "MIN("),
    "COUNT counts values": (r"COUNT\(\*\)", "COUNT(DISTINCT 1)"),
    "groups are left out": (r"GROUP BY y", ""),
    "a name in quotes is a text": (r'"a B" \+', "'a B' +"),
    "a minus before a bracket is left out": (r"(\w)-\((.) ?\+", r"\1+(\2+"),
}
"""Lies about what every text needs."""
RELATIONS = {
    "WITH reads other rows": (r"x \+ 1 AS y", "x + 2 AS y"),
    "a window has no order": (r"OVER \(ORDER BY x\)", "OVER (ORDER BY -x)"),
    "row numbers start at 0": (r"(row_number\(\) OVER \(ORDER BY x\))", r"(\1 - 1)"),
    "a window is the whole table": (r"OVER \(PARTITION BY x\)", "OVER ()"),
    "a CROSS JOIN is short": (r"(CROSS JOIN .*) b$", r"\1 b WHERE a.x = b.x"),
    "JOIN … ON keeps rows": (r"JOIN \((.*)\) b ON b.x", r"LEFT JOIN (\1) b ON b.x"),
    "a remainder is rounded": (r"4611686018427387901", "4611686018427387904.0"),
}
"""Lies about what only the relational lowering needs."""


@pytest.fixture
def lying(monkeypatch: pytest.MonkeyPatch) -> Any:
    def made(lie: tuple[str, str] | None, digits: int = 0) -> sa.Connection:
        monkeypatch.setattr(LyingSqlite, "lie", None)
        connection = _table("lying_sqlite")
        monkeypatch.setattr(LyingSqlite, "lie", lie)
        monkeypatch.setattr(LyingSqlite, "digits", digits)
        return connection

    return made


@pytest.mark.parametrize("lie", NEEDED)
def test_an_engine_that_computes_wrongly_is_refused(lying: Any, lie: str) -> None:
    with lying(NEEDED[lie]) as connection, pytest.raises(UnsupportedError) as caught:
        sqlrp.project(P, Wide("t", key="id"), connection)
    assert_one_line(caught, "the engine lying_sqlite computes wrongly: ", "and right is", "pass that")


@pytest.mark.parametrize("refused", [r"CASE", r'"a B"', r"ok\*\(", "coalesce"])
def test_an_engine_without_what_every_text_has_is_refused(lying: Any, refused: str) -> None:
    """Mckoi has no CASE, Opteryx reads `x-y` as one name, and both are told so before anything runs."""
    with lying((refused, "no_such_function()")) as connection, pytest.raises(UnsupportedError) as caught:
        sqlrp.project(P, Wide("t", key="id"), connection)
    assert_one_line(caught, "the engine lying_sqlite does not run 'SELECT", "every text of sqlrp has such parts")


@pytest.mark.parametrize("digits", [3, 6, 9, 12])
def test_an_engine_that_rounds_is_refused(lying: Any, digits: int) -> None:
    with lying(None, digits) as connection, pytest.raises(UnsupportedError, match="computes wrongly"):
        _right(connection, "inline", 1e-15)


@pytest.mark.parametrize("lie", RELATIONS)
def test_what_an_engine_lacks_is_refused_by_name(lying: Any, lie: str) -> None:
    with lying(RELATIONS[lie]) as connection:
        assert connector_of(connection).dialect.answers.relations  # type: ignore[attr-defined]
        with pytest.raises(UnsupportedError) as caught:
            _right(connection, "relational", 1e-12)
        assert_one_line(caught, "has no relational lowering")


def test_a_join_by_name_that_is_wrong_is_written_out(lying: Any) -> None:
    with lying((r"JOIN \((.*)\) b USING", r"LEFT JOIN (\1) b USING")) as connection:
        assert not connector_of(connection).dialect.answers.using  # type: ignore[attr-defined]
        _right(connection, "relational", 1e-12)


ORDERS = {
    "ORDER BY is left out": (r"ORDER BY [^()]+ LIMIT", "LIMIT"),
    "numbers are ordered as texts": (r"ORDER BY ([^()]+?)( ASC)? LIMIT", r"ORDER BY CAST(\1 AS TEXT) LIMIT"),
    "the first are the last": (r"ORDER BY ([^()]+?)( ASC)? LIMIT", r"ORDER BY \1 DESC LIMIT"),
}
"""Lies about the first rows of an order, which projections do without."""


@pytest.mark.parametrize("lie", ORDERS)
def test_first_rows_of_a_wrong_order_are_not_searched(lying: Any, lie: str) -> None:
    with lying(ORDERS[lie]) as connection:
        assert not connector_of(connection).dialect.answers.orders  # type: ignore[attr-defined]
        assert _right(connection, "inline", 1e-12)
        with pytest.raises(UnsupportedError, match="has no first rows of an order, or computes it wrongly"):
            connector_of(connection).dialect.limited("SELECT 1", 1, ordered=True)


@pytest.mark.parametrize("lie", [(r"LIMIT (\d+)", "LIMIT 1"), (r"LIMIT (\d+)", r"LIMIT 1 + \1")])
def test_a_limit_that_is_wrong_is_not_used(lying: Any, lie: tuple[str, str]) -> None:
    with lying(lie) as connection:
        assert connector_of(connection).dialect.answers.limit == ""  # type: ignore[attr-defined]


def test_a_table_that_lost_rows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session may bound the rows of each statement, those of an INSERT of a query, too."""
    engine = sa.create_engine(f"failing_sqlite:///{tmp_path}/made.db")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (id BIGINT, f0 DOUBLE, f1 DOUBLE)")
        connection.exec_driver_sql("INSERT INTO t VALUES (1, 2, 3), (2, 3, 5), (3, 5, 8)")
    run = sa.Connection.exec_driver_sql

    def bounded(self: Any, sql: str, *args: Any, **more: Any) -> Any:
        return run(self, f"{sql} LIMIT 2" if sql.startswith('INSERT INTO "made" ') else sql, *args, **more)

    monkeypatch.setattr(sa.Connection, "exec_driver_sql", bounded)
    with pytest.raises(StatementError, match="failing_sqlite kept 2 of 3 rows"):
        sqlrp.materialize(SparseProjection(k=2, s=1, seed=1), Wide("t", key="id"), engine, "made")
    assert sa.inspect(engine).get_table_names() == ["sqlrp_catalogue", "t"]
    monkeypatch.setattr(sa.Connection, "exec_driver_sql", run)
    assert sqlrp.materialize(SparseProjection(k=2, s=1, seed=1), Wide("t", key="id"), engine, "made") == 3
    engine.dispose()


def test_a_function_that_is_wrong_is_not_used(lying: Any) -> None:
    fourier = sqlrp.RandomFourierFeatures(k=4, seed=1)
    with lying((r"\bcos\(", "sin(")) as connection:
        with pytest.raises(UnsupportedError) as caught:
            sqlrp.project(fourier, Wide("t", key="id"), connection)
        assert_one_line(caught, "lying_sqlite has no cos, or computes it wrongly")
        assert _right(connection, "inline", 1e-12)
        engine = connector_of(connection).dialect
        assert engine.sqrt("x") == "sqrt(x)"


def _right(connection: sa.Connection, lowering: Any, bound: float) -> bool:
    got = sqlrp.project(P, Wide("t", key="id"), connection, lowering=lowering)
    found = np.column_stack([got[f"z{c}"].to_numpy() for c in range(P.k)])[np.argsort(got["id"].to_numpy())]
    return bool(np.allclose(found, oracle(P, ROWS[:, :3]), rtol=bound, atol=bound))


def test_an_engine_is_asked_once_and_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    run = sa.Connection.exec_driver_sql
    with _table("failing_sqlite") as connection:
        monkeypatch.setattr(
            sa.Connection, "exec_driver_sql", lambda self, sql, *a, **k: asked.append(sql) or run(self, sql, *a, **k)
        )
        first = connector_of(connection).dialect
        count = len([sql for sql in asked if "pragma" not in sql.lower()])
        assert isinstance(first, SqlAlchemyDialect)
        assert first.answers is not None
        assert 10 < count == first.answers.statements <= 40
        assert all(sql.startswith(("SELECT", "WITH")) for sql in asked)
        assert connector_of(connection.engine).dialect.answers is first.answers  # type: ignore[attr-defined]
        assert len(asked) == count
        assert f"its SQL was asked ({count} questions)" in str(sqlrp.explain(P, Wide("t", key="id"), connection))


def test_a_caller_s_transaction_outlives_the_questions() -> None:
    engine = sa.create_engine("failing_sqlite://")
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE TABLE t (id BIGINT, f0 DOUBLE, f1 DOUBLE)")
        connection.commit()
        connection.exec_driver_sql("INSERT INTO t VALUES (1, 2, 3)")
        got = sqlrp.project(SparseProjection(k=1, s=1), Wide("t", key="id"), connection)
        assert got.num_rows == 1
        connection.rollback()
        assert connection.exec_driver_sql("SELECT COUNT(*) FROM t").scalar() == 0
