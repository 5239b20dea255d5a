"""What is kept in engines that sqlrp has no file for: right, or refused by name, and never half of it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from helpers import assert_one_line, oracle
from jdbcs import JDBCS
from strangers import INSTALLED, STRANGERS, facts, stranger, tell, url_of

import sqlrp
from sqlrp import Long, ParameterError, SourceError, SparseProjection, UnsupportedError, Wide
from sqlrp._core.errors import SqlrpError
from sqlrp._engines.generic.connector import AnyConnector
from sqlrp._engines.registry import connector_of
from sqlrp._run import first_rows

pytestmark = [
    pytest.mark.filterwarnings("ignore:SQL warning code"),
    pytest.mark.filterwarnings("ignore:duckdb-engine doesn't yet support reflection"),
]

P, OTHER = SparseProjection(k=3, s=1, seed=1), SparseProjection(k=3, s=1, seed=2)
D = 4
W = Wide("t", features=[f"f{j}" for j in range(D)])
LONG = Long("cells", n_features=D, value="x")
X = np.random.default_rng(3).normal(size=(12, D))


def fill(engine: sa.Engine) -> None:
    """The rows as a wide and as a long table. v is a version."""
    features = ", ".join(f"f{j} DOUBLE PRECISION" for j in range(D))
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE TABLE t (id BIGINT, v BIGINT, label VARCHAR(20), {features})")
        connection.exec_driver_sql("CREATE TABLE cells (id BIGINT, feature INTEGER, x DOUBLE PRECISION)")
    with engine.begin() as connection:
        for i, row in enumerate(X.tolist()):
            add(connection, i, row)


def add(connection: sa.Connection, i: int, row: list[float]) -> None:
    numbers = ", ".join(map(repr, row))
    connection.exec_driver_sql(f"INSERT INTO t VALUES ({i}, 1, 'it''s {i}', {numbers})")
    for j, value in enumerate(row):
        connection.exec_driver_sql(f"INSERT INTO cells VALUES ({i}, {j}, {value!r})")


def change(engine: sa.Engine) -> np.ndarray[Any, Any]:
    """Change a row, remove another, and add one; the rows by id, NaN for none."""
    x = np.vstack([X, np.arange(1.0, D + 1)])
    x[3, 0], x[5] = 7.5, np.nan
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE t SET f0 = 7.5, v = 2 WHERE id = 3")
        connection.exec_driver_sql("DELETE FROM t WHERE id = 5")
        add(connection, len(X), x[-1].tolist())
    return x


def rows(engine: sa.Engine, table: str, columns: str = "id, z0, z1, z2") -> dict[int, list[Any]]:
    with engine.connect() as connection:
        found = connection.exec_driver_sql(f"SELECT {columns} FROM {table}").fetchall()
    return {int(key): [*values] for key, *values in found}


def assert_rows(engine: sa.Engine, table: str, projection: SparseProjection, x: np.ndarray[Any, Any]) -> None:
    """All rows of x that are no NaN, projected, and no other row."""
    want = {i: z for i, z in enumerate(oracle(projection, x).tolist()) if not np.isnan(x[i]).any()}
    found = rows(engine, table)
    assert found.keys() == want.keys()
    for i, z in want.items():
        assert np.abs(np.array(found[i], dtype=float) - z).max() <= 1e-13 * max(1, np.abs(z).max())


def tables(engine: sa.Engine) -> set[str]:
    return set(sa.inspect(engine).get_table_names()) - {"t", "cells", "sqlrp_catalogue"}


# With SQLAlchemy 2.1, which `make test` may install, duckdb-engine asks DuckDB for collations that it has not.
@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=pytest.mark.slow) if name in ("duckdb", *INSTALLED, *JDBCS) else name
        for name in STRANGERS
    ],
)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[sa.Engine]:
    with stranger(request.param, tmp_path_factory.mktemp(request.param)) as found:
        fill(found)
        yield found


def test_a_first_call_that_is_refused_leaves_nothing(engine: sa.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even an empty catalogue, though a table that is made stays there. The test stands first: none is there."""
    refused: tuple[tuple[Callable[[], Any], str], ...] = (
        (lambda: sqlrp.save(P, engine, "mine", source=Wide("nowhere")), "nowhere"),
        (lambda: sqlrp.materialize(P, Wide("t", features=["f0", "f9"]), engine, "made"), "f9"),
        (lambda: sqlrp.materialize(P, W, engine, "t"), "is the source"),
        (lambda: sqlrp.materialize(P, W, engine, "made"), "projects wrongly"),
        (lambda: sqlrp.materialize(P, LONG, engine, "made"), "projects wrongly"),
    )
    monkeypatch.setattr(first_rows, "_wrong", lambda *_: (0, 0))
    for call, words in refused:
        with pytest.raises(SqlrpError, match=words):
            call()
    assert set(sa.inspect(engine).get_table_names()) == {"t", "cells"}


def test_projections_are_saved_and_loaded(engine: sa.Engine) -> None:
    bound = sqlrp.save(P, engine, 'it\'s "mine" \\ too', source=W)
    sqlrp.save(OTHER, engine, "other")
    assert isinstance(connector_of(engine), AnyConnector)
    assert sqlrp.load(engine, 'it\'s "mine" \\ too') == bound
    assert sqlrp.saved(engine) == {'it\'s "mine" \\ too': bound, "other": OTHER}
    with pytest.raises(ParameterError, match="replace=True"):
        sqlrp.save(P, engine, "other")
    sqlrp.save(P, engine, "other", replace=True)
    assert sqlrp.load(engine, "other") == P
    assert sqlrp.check(engine) == []


def test_a_table_is_made_refreshed_and_searched(engine: sa.Engine) -> None:
    source = Wide("t", features=W.features, keep=["label"])
    assert sqlrp.materialize(P, source, engine, "made") == len(X)
    assert_rows(engine, "made", P, X)
    assert set(rows(engine, "made", "id, label").popitem()[1][0]) & set("it's")
    assert sqlrp.refresh(engine, "made") == 0
    order = np.argsort(((X - X[4]) ** 2).sum(axis=1))
    if engine.dialect.driver == "pysqlcipher":
        with pytest.raises(UnsupportedError, match=r"sqlite\+pysqlcipher has no sqrt"):
            sqlrp.search(engine, "made", X[4], n=2)
    else:
        near = sqlrp.search(engine, "made", X[4], n=2).to_pydict()
        assert near["id"] == order[:2].tolist()
        assert near["distance"] == pytest.approx(np.sqrt(((X[order[:2]] - X[4]) ** 2).sum(axis=1)), abs=1e-12)
    with pytest.raises(ParameterError, match="exists already"):
        sqlrp.materialize(P, source, engine, "made")
    assert sqlrp.materialize(OTHER, source, engine, "made", replace=True) == len(X)
    assert_rows(engine, "made", OTHER, X)
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.materialize(SparseProjection(k=2, s=1), source, engine, "made", replace=True)
    assert_one_line(caught, "has other columns", "cannot be replaced in one step", "drop it first")
    assert_rows(engine, "made", OTHER, X)
    assert sqlrp.check(engine) == []
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE made")
    assert sqlrp.materialize(SparseProjection(k=2, s=1), source, engine, "made") == len(X)
    assert not {name for name in tables(engine) if name.startswith("sqlrp")}
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE made")


def test_a_tracked_table_follows_its_source(engine: sa.Engine) -> None:
    assert sqlrp.materialize(P, W, engine, "tracked", track="v") == len(X)
    assert sqlrp.materialize(P, W, engine, "plain") == len(X)
    x = change(engine)
    try:
        assert repr(sqlrp.refresh(engine, "tracked")) == "Refreshed(added=1, changed=1, removed=1)"
        assert_rows(engine, "tracked", P, x)
        assert sqlrp.refresh(engine, "tracked") == 0
        assert sqlrp.refresh(engine, "plain") == 1
        assert sqlrp.refresh(engine, "plain", everything=True) == len(X)
        assert_rows(engine, "plain", P, x)
        assert sqlrp.materialize(P, LONG, engine, "of_cells") == len(X) + 1
        assert not {name for name in tables(engine) if name.startswith("sqlrp")}
    finally:
        with engine.begin() as connection:
            for name in ("tracked", "plain", "of_cells"):
                with suppress(sa.exc.DBAPIError):
                    connection.exec_driver_sql(f"DROP TABLE {name}")
            connection.exec_driver_sql("DELETE FROM t")
            connection.exec_driver_sql("DELETE FROM cells")
            for i, row in enumerate(X.tolist()):
                add(connection, i, row)


def test_a_view_is_never_out_of_date(engine: sa.Engine) -> None:
    assert sqlrp.materialize(P, W, engine, "seen", kind="view") == len(X)
    assert_rows(engine, "seen", P, X)
    assert sqlrp.refresh(engine, "seen") == 0
    with pytest.raises(UnsupportedError, match="cannot be replaced in one step"):
        sqlrp.materialize(OTHER, W, engine, "seen", kind="view", replace=True)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP VIEW seen")


def test_what_cannot_be_is_refused_by_name(engine: sa.Engine) -> None:
    before = tables(engine)
    name = engine.dialect.name
    calls: list[Callable[[], Any]] = [
        lambda: sqlrp.materialize(P, W, engine, "no", track="rows"),
        lambda: sqlrp.materialize(P, W, engine, "no", kind="materialized view"),
        lambda: sqlrp.materialize(P, W, engine, "no", output="vector"),
        lambda: sqlrp.install(engine),
    ]
    for call in calls:
        with pytest.raises(UnsupportedError) as caught:
            call()
        assert_one_line(caught, name)
    assert tables(engine) == before


def test_a_table_of_others_is_never_touched(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE theirs (id BIGINT, z0 DOUBLE PRECISION)")
    sqlrp.materialize(P, W, engine, "ours")
    with pytest.raises(ParameterError, match="sqlrp did not make it"):
        sqlrp.materialize(P, W, engine, "theirs", replace=True)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE ours")
    columns = "id BIGINT, z0 DOUBLE PRECISION, z1 DOUBLE PRECISION, z2 DOUBLE PRECISION"
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE TABLE ours ({columns})")
    with pytest.raises(ParameterError, match="is not the table that sqlrp made"):
        sqlrp.materialize(P, W, engine, "ours", replace=True)
    with pytest.raises(SourceError, match=r"is not the table that sqlrp made"):
        sqlrp.refresh(engine, "ours", everything=True)
    assert rows(engine, "ours") == {}
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE ours")
        connection.exec_driver_sql("DROP TABLE theirs")


def test_a_caller_s_transaction_is_the_caller_s(engine: sa.Engine) -> None:
    sqlrp.save(P, engine, "before")
    with engine.connect() as connection:
        connection.exec_driver_sql("INSERT INTO t (id, v) VALUES (99, 1)")
        with pytest.raises(UnsupportedError) as caught:
            sqlrp.materialize(P, W, connection, "never")
        assert_one_line(caught, "may commit an open transaction", "commit it first")
        sqlrp.save(OTHER, connection, "within")
        assert "within" in sqlrp.saved(connection)
        connection.rollback()
    assert "within" not in sqlrp.saved(engine)
    assert 99 not in rows(engine, "t", "id")


# -- faults ------------------------------------------------------------------------------------------------

CALLS: dict[str, Callable[[sa.Engine], Any]] = {
    "save": lambda engine: sqlrp.save(OTHER, engine, "kept", replace=True),
    "materialize": lambda engine: sqlrp.materialize(P, W, engine, "made"),
    "replace": lambda engine: sqlrp.materialize(OTHER, W, engine, "old", replace=True, track="v"),
    "refresh": lambda engine: sqlrp.refresh(engine, "old"),
    "refresh everything": lambda engine: sqlrp.refresh(engine, "old", everything=True),
    "view": lambda engine: sqlrp.materialize(P, W, engine, "seen", kind="view"),
}


def _before(engine: sa.Engine) -> None:
    fill(engine)
    sqlrp.save(P, engine, "kept")
    sqlrp.materialize(P, W, engine, "old", track="v")
    change(engine)


class Fault:
    """A fault at one statement, or at one COMMIT, of an engine."""

    def __init__(self, engine: sa.Engine, at: int, strike: Callable[[], None]) -> None:
        self.at, self.strike, self.count = at, strike, 0
        sa.event.listen(engine, "before_cursor_execute", self._reached)
        sa.event.listen(engine, "commit", self._reached)

    def _reached(self, *_: Any) -> None:
        self.count += 1
        if self.count == self.at:
            self.strike()


def _remove(engine: sa.Engine, fault: Fault) -> None:
    sa.event.remove(engine, "before_cursor_execute", fault._reached)
    sa.event.remove(engine, "commit", fault._reached)


def _state(engine: sa.Engine) -> dict[str, Any]:
    """All tables and views with their rows, and what is saved and found by checks."""
    seen = sa.inspect(engine)
    names = tables(engine) | set(seen.get_view_names())
    found: dict[str, Any] = {}
    with engine.connect() as connection:
        for name in sorted(names):
            if not name.startswith("duckdb_") and not name.startswith("pg"):
                cells = connection.exec_driver_sql(f"SELECT * FROM {name}").fetchall()
                found[name] = sorted(tuple(row) for row in cells)
        kinds = connection.exec_driver_sql("SELECT kind, name FROM sqlrp_catalogue").fetchall()
    return found | {"rows of the catalogue": sorted(map(tuple, kinds)), "saved": sqlrp.saved(engine)}


def _refuse() -> None:
    raise RuntimeError("injected")


def _interrupt() -> None:
    raise KeyboardInterrupt


def _undisturbed(name: str, call: str, folder: Path) -> tuple[int, dict[str, Any], dict[str, Any], list[Any]]:
    """How many points for a fault a call has, the states before and after it, and what the engine was asked."""
    own = folder / "clean"
    own.mkdir()
    with stranger(name, own) as engine:
        _before(engine)
        old = _state(engine)
        fault = Fault(engine, -1, _interrupt)
        CALLS[call](engine)
        points = fault.count
        _remove(engine, fault)
        return points, old, _state(engine), facts(engine)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", ["sqlite", pytest.param("firebird", marks=pytest.mark.slow)])
@pytest.mark.parametrize("strike", [_refuse, _interrupt])
def test_a_fault_leaves_all_as_before_or_as_after(
    name: str, call: str, strike: Callable[[], None], tmp_path: Path
) -> None:
    points, old, new, known = _undisturbed(name, call, tmp_path)
    step = 1 if name == "sqlite" else 4
    at = 1
    while at <= points:
        folder = tmp_path / f"at{at}"
        folder.mkdir()
        with stranger(name, folder) as engine:
            tell(engine, known)
            _before(engine)
            while at <= points:
                fault = Fault(engine, at, strike)
                raised: BaseException | None = None
                try:
                    CALLS[call](engine)
                except (Exception, KeyboardInterrupt) as error:
                    raised = error
                _remove(engine, fault)
                now = _state(engine)
                where = f"{call} at {at} of {points}: {raised!r}"
                assert isinstance(raised, (SqlrpError, KeyboardInterrupt)) or now == new, where
                at += step
                if now != old:
                    break
            if strike is _interrupt:  # SQLAlchemy ends the connection, and another try clears what is left
                with suppress(ParameterError):
                    CALLS[call](engine)
                now = _state(engine)
            assert now in (old, new), where
            with suppress(ParameterError):
                CALLS[call](engine)
            assert _state(engine) == new, where
            assert sqlrp.check(engine) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "call"), [*(("sqlite", call) for call in CALLS), ("duckdb", "replace"), ("duckdb", "refresh")]
)
def test_a_kill_leaves_nothing_half_written(name: str, call: str, tmp_path: Path) -> None:
    points, old, new, known = _undisturbed(name, call, tmp_path)
    parts = 4 if name == "sqlite" else 2
    places = sorted({max(1, points * part // parts) for part in range(1, parts + 1)})
    for at in places:
        folder = tmp_path / f"at{at}"
        folder.mkdir()
        with stranger(name, folder) as engine:
            tell(engine, known)
            _before(engine)
        child = os.fork()
        if not child:
            with suppress(BaseException):
                own = sa.create_engine(url_of(name, folder))
                if at != places[0]:  # the first kill comes while the engine is asked
                    tell(own, known)
                Fault(own, at, lambda: os.kill(os.getpid(), signal.SIGKILL))
                CALLS[call](own)
            os._exit(0)
        os.waitpid(child, 0)
        with stranger(name, folder) as engine:
            tell(engine, known)
            now, where = _state(engine), f"{call} at {at} of {points}"
            for table in ("made", "old", "seen"):
                recorded = ("materialized", table) in now["rows of the catalogue"]
                if recorded or table in old:
                    assert now.get(table) in (old.get(table), new.get(table)), where
                elif table != "seen":  # an announced table is empty until it is recorded
                    assert not now.get(table), where
            assert now["saved"] in (old["saved"], new["saved"]), where
            with suppress(ParameterError):
                CALLS[call](engine)
            again = {key: value for key, value in _state(engine).items() if not key.startswith("sqlrp_probe")}
            assert again == new, where
