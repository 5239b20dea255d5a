"""Statements that a database refuses in the middle of a call, including calls that only read.

Every error is one of sqlrp, the connection stays as it was, and remaining temporary tables do not break later calls.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from complete_state import carried, difference, worse
from databases import Database
from faults import PUTS_BACK, Watch, chosen, watched, watching
from unreachable import CALLS, WRITES, fill

from sqlrp._connectors.sqlalchemy import TransactingConnector
from sqlrp._core.errors import SqlrpError, StatementError
from sqlrp._core.script import Setup

NAMES = ("duckdb", "postgresql", "sqlite", "clickhouse")
READS = [call for call in CALLS if call not in WRITES]


def attempt(call: str, given: Any, folder: Path, watch: Watch) -> BaseException | None:
    with watching(watch):
        try:
            CALLS[call](given, folder)
        except Exception as error:  # whatever is raised is looked at
            return error
    return None


@pytest.mark.parametrize("name", NAMES)
def test_a_refused_statement_is_an_error_of_ours(db: Database, name: str, tmp_path: Path) -> None:
    fill(db)
    pool, found = db.pool(), []
    for call in READS:
        clean = Watch()
        first = attempt(call, watched(pool, clean), tmp_path, clean)
        assert first is None or isinstance(first, SqlrpError), (call, first)
        assert clean.points, call
        for point in chosen(clean.points, "error", every=False)[-6:]:
            watch, before = Watch("error", point), carried(name, pool)
            raised = attempt(call, watched(pool, watch), tmp_path, watch)
            where = f"{call}, {clean.points[point][:80]!r}"
            if raised is not None and not isinstance(raised, SqlrpError):
                found.append(f"{where}: raw {raised!r}"[:500])
            after = carried(name, pool)
            if watch.struck and not PUTS_BACK.match(clean.points[point]) and worse(before, after):
                found.append(f"{where}: the connection carries: {difference(before, after)}"[:500])
    if isinstance(pool, sa.Engine):
        pool.dispose()
    assert not found, "\n".join(found)


def steps_of(db: Database, *names: str) -> list[Setup]:
    return [db.engine.temporary_table(name, "SELECT 1 AS r") for name in names]


@pytest.mark.parametrize("fault", [StatementError, KeyboardInterrupt])
@pytest.mark.parametrize("name", [*NAMES, "mariadb", "mysql"])
def test_all_is_dropped_and_a_leftover_is_cleared(
    db: Database, name: str, fault: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, connector, names = db.engine, db.connector, ("sqlrp_test_a", "sqlrp_test_b", "sqlrp_test_c")
    steps, execute = steps_of(db, *names), connector.execute
    db.make("sqlrp_test_a", [("x", "INTEGER")], [[7]])  # no temporary one: it stays
    made: list[bool] = []

    def refusing(connection: Any, sql: str) -> None:
        if made and "DROP" in sql and "test_b" in sql:
            raise fault(sql, "refused") if fault is StatementError else fault
        execute(connection, sql)

    with connector.session(db.connection) as session:
        with monkeypatch.context() as patched:
            patched.setattr(connector, "execute", refusing)
            with pytest.raises(fault), connector.set_up(session, steps):
                made.append(True)
        for other in (names[0], names[2]):  # which would fail, were they still there
            text = engine.temporary_table(other, "SELECT 1 AS r").text
            connector.execute(session, text.replace("OR REPLACE ", ""))
        with connector.set_up(session, steps):
            pass
    found = connector.fetch(db.connection, "SELECT x FROM sqlrp_test_a").column(0).to_pylist()
    db.run("DROP TABLE sqlrp_test_a")  # ClickHouse's session is every test's
    assert found == [7]


@pytest.mark.parametrize("name", ["postgresql"])
def test_a_transaction_that_broke_is_not_told_as_committed(db: Database, name: str) -> None:
    pool = db.pool()
    connector = db.connector
    assert isinstance(connector, TransactingConnector)

    def breaking() -> None:
        with connector.begun(pool, "a", True) as opened:
            connector.execute(opened, "CREATE TABLE broken (x integer)")
            with suppress(StatementError):
                connector.execute(opened, "SELECT 1 / 0")

    with pytest.raises(StatementError, match="nothing was committed"):
        breaking()
    assert db.run_query("SELECT to_regclass('broken') IS NULL") == [(True,)]
    pool.dispose()


@pytest.mark.parametrize("name", ["postgresql"])
def test_settings_that_cannot_be_put_back_end_the_transaction(db: Database, name: str) -> None:
    """A refused statement after the work must not let COMMIT pass for done."""
    pool, watch = db.pool(), Watch()
    pool.connect().close()  # what SQLAlchemy asks once comes before
    with watching(watch), db.connector.transaction(pool, "a", makes=True) as opened:
        db.connector.execute(opened, "CREATE TABLE kept (x integer)")
    last = max(i for i, point in enumerate(watch.points) if "set_config" in point)
    db.run("DROP TABLE kept")
    with (
        pytest.raises(StatementError),
        watching(Watch("error", last)),
        db.connector.transaction(pool, "a", makes=True) as opened,
    ):
        db.connector.execute(opened, "CREATE TABLE kept (x integer)")
    assert db.run_query("SELECT to_regclass('kept') IS NULL") == [(True,)]
    pool.dispose()
