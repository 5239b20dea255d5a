"""How many statements a call sends to a server: each is a round trip, which takes 20 to 150 ms to a warehouse far away.

The number does not grow with the features or the kept tables. BEGIN, COMMIT and ROLLBACK of the driver do not count.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from databases import Database, database, macro_copy
from far import trips
from statements import counting
from words import (
    BARS,
    ENDS,
    HTTP,
    KEPT,
    ONE_BY_ONE,
    SIZES,
    WAYS,
    P,
    Ready,
    begun,
    by_asyncpg,
    by_connection,
    calls,
    counted,
    keep,
    make_table,
    words,
)

import sqlrp
from sqlrp import Wide
from sqlrp._cli.everyday import ALONE, STATEMENTS, everyday
from sqlrp._connectors.foreseen import ForesightConnector
from sqlrp._core import shipped_files
from sqlrp._engines.duckdb.dialect import DuckDB
from sqlrp._engines.mariadb.dialect import MariaDB
from sqlrp._engines.postgresql.connector import PostgreSQLConnector

P2 = sqlrp.SparseProjection(k=2, s=1, seed=1)
ENGINES = ("postgresql", "mariadb", "mysql")
ROWS = [[i, *((i * (j + 1) % 7) * 1.0 for j in range(3))] for i in range(60)]


@contextmanager
def closing_pool(db: Database) -> Iterator[Any]:
    """An engine of connections that begin transactions, as `sqlrp.connect` opens it."""
    engine = sqlrp.connect(db.pool().url.render_as_string(hide_password=False))
    try:
        yield engine
    finally:
        engine.dispose()


@pytest.mark.filterwarnings("ignore::sqlrp.SqlrpWarning")
@pytest.mark.parametrize("name", ENGINES)
def test_the_statements_of_a_call(db: Database, name: str) -> None:
    counts: dict[tuple[int, int], dict[str, int]] = {}
    with closing_pool(db) as engine:
        for d in SIZES:
            make_table(db, d)
        for kept in KEPT:
            keep(engine, kept)
            for d in SIZES:
                counts[d, kept] = {label: len(texts) for label, texts in counted(engine, name, d).items()}
    for each in counts.values():
        assert each == counts[SIZES[0], KEPT[0]]
        assert {label: count for label, count in each.items() if count > STATEMENTS[label][name]} == {}


def test_the_bars() -> None:
    assert [call for call, each in STATEMENTS.items() if max(each.values()) > BARS[call]] == []


IN_PROCESS = {"opened search": 3}
"""The statements of DuckDB that are above the bars.

One is asked before the query, which then does not fail and break a transaction, and one after it.
"""


@pytest.mark.filterwarnings("ignore::sqlrp.SqlrpWarning")
@pytest.mark.parametrize("name", ["duckdb"])
def test_a_session_of_duckdb_asks_for_its_tables_once(
    db: Database, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(shipped_files, "COPIES", tmp_path)
    macro_copy(tmp_path, shipped_files.text_of("duckdb.sql"))
    counts: dict[int, dict[str, int]] = {}
    for d, kept in zip(SIZES, KEPT, strict=True):
        make_table(db, d)
        keep(db.connection, kept, d)
        for label, call in calls(db.connection, d, True).items():
            call()
            call()
            with caplog.at_level(logging.DEBUG, "sqlrp"):
                caplog.clear()
                call()
            asked = [record.getMessage() for record in caplog.records]
            tables = [text for text in asked if DuckDB.tables_query in text]
            reading = tuple(f"duckdb: {word}" for word in ("SELECT", "DESCRIBE", "EXECUTE"))
            writing = [text for text in asked if not text.startswith(reading)]
            assert len(tables) <= 1 + len(writing), label
            sent = [text.removeprefix("duckdb: ") for text in asked if text.startswith("duckdb: ")]
            counts.setdefault(d, {})[label] = sum(text not in ENDS for text in sent)
    few, many = counts.values()
    assert few == many
    assert {label: count for label, count in few.items() if count > BARS[label]} == IN_PROCESS


ABOVE: dict[str, dict[str, int]] = {
    "asyncpg": {"opened search": 3},
    "psycopg in a transaction": {},
    "psycopg2 in a transaction": {"opened search": 3},
    "asyncpg in a transaction": {
        **{"project": 4, "sql": 3, "save": 6, "load": 3, "saved": 3, "search": 4, "opened search": 3},
        **{"learn": 6, "install": 5, "check": 7},
    },
    ONE_BY_ONE: {
        **{"project": 4, "sql": 3, "save": 10, "load": 3, "saved": 3, "materialize": 26, "refresh": 15, "search": 8},
        **{"diagnose": 29, "learn": 11},
    },
    HTTP: {},
}
"""What stays above the bars. In a caller's transaction settings are put back, and what was open before has a savepoint.
psycopg2 gives the rows of the last of several statements only, so that settings are put back after an opened search by
a statement of their own, and asyncpg gives none of them, so that the savepoint is one, too. MySQL's SHOW and EXPLAIN
are no part of a query, and no query says whether a temporary table hides another one; `check` asks so of each table."""
STORED = {"project": 11, "diagnose": 15, "learn": 13, "materialize": 19}
"""The same of ClickHouse over HTTP for the larger size, whose eight temporary tables are a request each."""


@pytest.mark.filterwarnings("ignore::sqlrp.SqlrpWarning")
@pytest.mark.parametrize("way", ABOVE)
def test_other_drivers_send_more(way: str, databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    own = way == HTTP  # a server of its own
    db = Database("clickhouse", None, "") if own else database(databases, WAYS[way][0], tmp_path_factory)
    for d, kept in zip(SIZES, KEPT, strict=True):
        most = 9 if own else kept  # 100 were tried, which take a minute and change nothing
        found = {call: len(texts) for call, texts in words(way, db, d, min(kept, most)).items()}
        above = {call: count for call, count in found.items() if count > BARS[call]}
        if way == ONE_BY_ONE:
            assert above.pop("check") > BARS["check"]
        assert above == (STORED if own and d == SIZES[1] else ABOVE[way])


@pytest.mark.filterwarnings("ignore::sqlrp.SqlrpWarning")
@pytest.mark.parametrize("name", ENGINES)
def test_no_other_word_crosses_the_wire(db: Database, name: str) -> None:
    """A proxy counts what the driver sends of its own, too: COMMIT or ROLLBACK. BEGIN goes with the first query."""
    with closing_pool(db) as engine:
        for before in (1, 2):  # the first call makes a table, so that it does not look at an old one
            found = {call: count for call, (count, _) in trips(engine.url, before=before).items()}
            assert {call: count for call, count in found.items() if count > STATEMENTS[call][name] + 1} == {}
            assert min(found.values()) > 0


@pytest.mark.filterwarnings("ignore::sqlrp.SqlrpWarning")
@pytest.mark.parametrize("name", ["postgresql"])
@pytest.mark.parametrize("driver", ["psycopg", "psycopg2"])
@pytest.mark.parametrize("isolation", [None, "SERIALIZABLE", "AUTOCOMMIT"])
def test_a_pool_gets_its_connection_back_as_it_was(
    db: Database, name: str, driver: str, isolation: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Idle, with the driver's own settings, after errors too: a text that begins a transaction leaves none open."""
    db.make("worded3", [("id", "BIGINT"), *((f"f{j}", "DOUBLE PRECISION") for j in range(3))], ROWS)
    engine = sa.create_engine(db.pool().url.set(drivername=f"postgresql+{driver}"), pool_size=1, max_overflow=0)
    given = engine if isolation is None else engine.execution_options(isolation_level=isolation)
    levels: set[str] = set()

    def found(connector: PostgreSQLConnector, connection: sa.Connection, sql: str) -> Any:
        if connection.engine.pool is engine.pool:
            levels.add(str(connection.exec_driver_sql("SHOW transaction_isolation").scalar()))
        return run(connector, connection, sql)

    def as_it_was() -> tuple[object, ...]:
        with closing(engine.raw_connection()) as raw:
            own: Any = raw.driver_connection
            state = f"SELECT state FROM pg_stat_activity WHERE pid = {own.info.backend_pid}"
            return db.run_query(state)[0][0], own.autocommit

    with engine.connect():
        pass
    before = as_it_was()
    run = PostgreSQLConnector.asked
    monkeypatch.setattr(PostgreSQLConnector, "asked", found)
    for _ in range(3):
        for call in calls(given, 3, True).values():
            call()
            assert as_it_was() == before == ("idle", False)
        with pytest.raises(sqlrp.SourceError):
            sqlrp.project(P, "worded_that_is_not_there", given)
        assert as_it_was() == before
    assert levels == ({"serializable"} if isolation == "SERIALIZABLE" else {"read committed"})
    engine.dispose()


@pytest.mark.filterwarnings("ignore::sqlrp.SqlrpWarning")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mariadb", "SELECT nothing_there"),
        ("mariadb", "BEGIN NOT ATOMIC SELECT 1; SELECT nothing_there; END"),
        ("mysql", "SELECT 1;\nSELECT 2; SELECT nothing_there"),
    ],
)
def test_a_server_without_blocks_is_asked_one_thing_at_a_time(
    db: Database, name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block that fails, at once or after a first result, costs a statement and no answer."""
    db.make("worded3", [("id", "BIGINT"), *((f"f{j}", "DOUBLE PRECISION") for j in range(3))], ROWS)
    with closing_pool(db) as engine:
        wanted = {label: str(call()) for label, call in calls(engine, 3, name == "postgresql").items()}
        near = {"search", "opened search"}  # of rows at the same distance any is found
        monkeypatch.setattr(type(db.engine), "asking", lambda *_: text)
        for _ in range(3):
            found = {label: str(call()) for label, call in calls(engine, 3, name == "postgresql").items()}
            assert {label: found[label] for label in wanted.keys() - near} == {
                label: wanted[label] for label in wanted.keys() - near
            }


@pytest.mark.parametrize("name", ["mariadb", "mysql"])
def test_a_statement_of_a_block_that_fails_is_an_error(db: Database, name: str) -> None:
    """SQLAlchemy passes over errors of results that it has not read."""
    db.make("worded", [("a", "BIGINT")], [[1]])
    with closing_pool(db) as engine, engine.connect() as connection:
        statements = ["UPDATE worded SET a = 2", "UPDATE nothing_there SET a = 2", "UPDATE worded SET a = 3"]
        with counting(engine) as found, pytest.raises(sqlrp.StatementError, match="nothing_there"):
            db.connector.execute_all(connection, statements)
        assert (len(found), db.connector.rows(connection, "SELECT a FROM worded")) == (1, [(2,)])


@pytest.mark.parametrize("name", ["mariadb"])
def test_a_block_locks_no_rows(db: Database, name: str) -> None:
    """Another connection writes what it has read, before its transaction ends."""
    db.make("worded", [("id", "BIGINT"), ("a", "BIGINT")], [[1, 2]])
    block = MariaDB().asking([[("SELECT a FROM worded", 1, "[[2]]")], [("SELECT id FROM worded", 1, "[[1]]")]])
    with closing_pool(db) as engine, engine.connect() as reader, engine.connect() as writer:
        assert reader.exec_driver_sql(block).fetchall() == [("[[2]]",)]
        writer.exec_driver_sql("SET innodb_lock_wait_timeout = 1")
        writer.exec_driver_sql("UPDATE worded SET a = 3")
        writer.commit()
        writer.exec_driver_sql("SET innodb_lock_wait_timeout = DEFAULT")


@pytest.mark.parametrize("name", ["postgresql"])
def test_a_session_within_a_session_asks_nothing_again(db: Database, name: str) -> None:
    """And the settings of the caller's own transaction are as before at the end, after an error too."""
    db.make("worded", [("id", "BIGINT"), ("a", "DOUBLE PRECISION"), ("b", "DOUBLE PRECISION")], [[1, 2.0, 3.0]])
    with closing_pool(db) as engine, engine.connect() as connection:
        shown = "SELECT current_setting('jit'), current_setting('search_path')"
        before = connection.exec_driver_sql(shown).fetchall()
        with db.connector.session(connection) as outer:
            off = connection.exec_driver_sql("SHOW jit").scalar()
            with counting(connection.engine) as found, db.connector.session(outer) as inner:
                assert inner is outer
            assert (off, found) == ("off", [])
        assert connection.exec_driver_sql(shown).fetchall() == before
        sqlrp.sql(P, "worded", connection)
        assert connection.exec_driver_sql(shown).fetchall() == before
        with pytest.raises(sqlrp.SourceError):
            sqlrp.sql(P, "worded_that_is_not_there", connection)
        assert connection.exec_driver_sql(shown).fetchall() == before


@pytest.mark.parametrize("name", ["postgresql"])
def test_a_table_that_changes_between_two_calls_in_a_transaction_is_read_again(db: Database, name: str) -> None:
    db.make("worded", [("id", "BIGINT"), ("a", "DOUBLE PRECISION"), ("b", "DOUBLE PRECISION")], [[1, 2.0, 3.0]])
    with closing_pool(db) as engine, engine.connect() as connection:
        first = sqlrp.sql(P, "worded", connection)
        connection.exec_driver_sql("ALTER TABLE worded ADD COLUMN c DOUBLE PRECISION")
        assert sqlrp.sql(P, "worded", connection) != first
        connection.rollback()


@pytest.mark.parametrize("name", ["postgresql"])
def test_a_question_that_fails_leaves_the_caller_s_transaction(db: Database, name: str) -> None:
    """What is written in a transaction of the caller's has a savepoint, and the call begins again at it."""
    make_table(db, 3)
    with closing_pool(db) as engine, engine.connect() as connection:
        for replace in (False, True, True):
            sqlrp.save(P, connection, "worded_own", source="worded3", replace=replace)
        connection.commit()
        connection.exec_driver_sql("INSERT INTO worded3 (id) VALUES (77)")
        connection.exec_driver_sql("ALTER TABLE sqlrp_catalogue RENAME TO sqlrp_elsewhere")
        sqlrp.save(P, connection, "worded_own", source="worded3")
        assert connection.exec_driver_sql("SELECT count(*) FROM worded3 WHERE id = 77").scalar() == 1
        assert sqlrp.load(connection, "worded_own").bound_to == ("f0", "f1", "f2")
        connection.rollback()


@pytest.mark.filterwarnings("ignore::sqlrp.SqlrpWarning")
@pytest.mark.parametrize("name", ["postgresql"])
@pytest.mark.parametrize("driver", ["psycopg", "psycopg2", "asyncpg"])
@pytest.mark.parametrize("ready", [sa.Connection.commit, begun], ids=["first", "later"])
def test_a_call_leaves_the_caller_s_transaction_as_it_was(
    db: Database, name: str, driver: str, ready: Ready, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the questions that were foreseen fail, too, and if it finds the caller's own text wrong."""
    make_table(db, 3)
    shown = "SELECT current_setting('jit'), current_setting('search_path'), count(*) FROM worded3"

    def use(connection: sa.Connection) -> dict[str, list[str]]:
        each = calls(connection, 3, True)
        each["where"] = lambda: sqlrp.search(connection, "worded_rp", [0.0] * 3, n=3, where="f0 >= 0")
        each["wrong"] = lambda: sqlrp.search(connection, "worded_rp", [0.0] * 3, n=3, where="f0 = = 0")
        sent: dict[str, list[str]] = {}
        for call, fails in ((call, fails) for call in each for fails in (False, True)):
            connection.commit()
            for _ in range(0 if call == "wrong" else 2):
                each[call]()
                connection.commit()
            ready(connection)
            if ready is begun:
                connection.exec_driver_sql("INSERT INTO worded3 (id) VALUES (77)")
            with counting(connection.engine) as texts, monkeypatch.context() as patched:
                if fails:
                    patched.setattr(ForesightConnector, "_at_once", lambda *_: "SELECT nothing_there")
                with pytest.raises(sqlrp.ParameterError) if call == "wrong" else nullcontext():
                    each[call]()
            assert connection.exec_driver_sql(shown).fetchall() == [("on", db.schema, 60 + (ready is begun))], call
            connection.rollback()
            sent[f"{call}, {fails}"] = re.findall(r"\bSAVEPOINT sqlrp_\d+", ";".join(texts))
        return sent

    by = by_asyncpg(db, use) if driver == "asyncpg" else by_connection(db, use, driver)
    assert min(map(len, by.values())) == 0
    assert max(map(len, by.values())) > 0


@pytest.mark.filterwarnings("ignore::sqlrp.SqlrpWarning")
@pytest.mark.parametrize("name", ["postgresql"])
@pytest.mark.parametrize("driver", ["psycopg", "psycopg2", "asyncpg"])
@pytest.mark.parametrize("ready", [sa.Connection.commit, begun], ids=["first", "later"])
def test_a_call_that_fails_tells_the_first_error(db: Database, name: str, driver: str, ready: Ready) -> None:
    """And not that the transaction is broken."""
    make_table(db, 3)

    def use(connection: sa.Connection) -> dict[str, list[str]]:
        sqlrp.save(P, connection, "worded_own", source="worded3", replace=True)
        for _ in range(2):
            sqlrp.load(connection, "worded_own")
            connection.commit()
        db.run("ALTER TABLE sqlrp_catalogue RENAME COLUMN definition TO other")
        ready(connection)
        with pytest.raises(sqlrp.StatementError, match=r"column .*definition"):
            sqlrp.load(connection, "worded_own")
        connection.rollback()
        db.run("ALTER TABLE sqlrp_catalogue RENAME COLUMN other TO definition")
        return {}

    assert (by_asyncpg(db, use) if driver == "asyncpg" else by_connection(db, use, driver)) == {}


@pytest.mark.parametrize("name", ["postgresql"])
def test_no_statement_is_prepared(db: Database, name: str) -> None:
    """A prepared one would fail where another connection has replaced the table by one of other types."""
    columns = [("id", "BIGINT"), ("a", "BIGINT"), ("b", "BIGINT"), ("c", "BIGINT")]
    db.make("worded", columns, [[i, i, 2 * i, 7] for i in range(9)])
    with closing_pool(db) as engine, engine.connect() as connection:
        for kind in ("BIGINT", "DOUBLE PRECISION", "REAL", "NUMERIC(9, 2)"):
            db.run("DROP TABLE worded")
            db.make(
                "worded", [("id", "BIGINT"), *((c, kind) for c, _ in columns[1:])], [[i, i, 2 * i, 7] for i in range(9)]
            )
            found = [sqlrp.project(P2, Wide("worded", key="id"), connection).column("z0") for _ in range(9)]
            assert all(column.to_pylist() == pytest.approx(found[0].to_pylist()) for column in found)
            connection.commit()
        driver: Any = connection.connection.driver_connection
        assert connection.exec_driver_sql("SELECT count(*) FROM pg_prepared_statements").scalar() == 0
        assert driver.prepare_threshold == 5


@pytest.mark.parametrize("name", ["duckdb", "postgresql"])
def test_check_asks_no_more_of_many_tables(db: Database, name: str, caplog: pytest.LogCaptureFixture) -> None:
    """One question is for all of them. Only what it does not find right is looked at alone."""
    kind = "DOUBLE PRECISION"
    db.make("worded", [("id", "BIGINT"), ("a", kind), ("b", kind), ("c", kind)], [[1, 2.0, 3.0, 4.0]])
    asked = []
    for first, last in ((0, 2), (2, 12)):
        for i in range(first, last):
            sqlrp.materialize(P2, "worded", db.connection, f"many{i}")
        sqlrp.check(db.connection)
        with caplog.at_level(logging.DEBUG, "sqlrp"):
            caplog.clear()
            assert sqlrp.check(db.connection) == []
            asked.append(len(caplog.records))
    assert asked[0] == asked[1] > 0
    db.run("ALTER TABLE many3 ADD COLUMN more BIGINT")
    db.run("DROP TABLE many5")
    assert [found.name.split(".")[-1] for found in sqlrp.check(db.connection)] == ["many3", "many5"]
    db.run("ALTER TABLE worded ADD COLUMN d DOUBLE PRECISION")
    wrong = {found.name.split(".")[-1]: found.wrong for found in sqlrp.check(db.connection)}
    assert len(wrong) == 12
    assert "new numbers, 'd'" in wrong["many0"]


def test_the_guide_has_the_statements_of_each_call() -> None:
    page = (Path(__file__).parents[2] / "examples/operating.md").read_text()
    rows = dict(re.findall(r"^\| `?([a-z ]+)`? \| ([\d– |]+) \|$", page, re.MULTILINE))
    wanted = {
        call: " | ".join(str(counted.get(engine, "–")) for engine in ENGINES) for call, counted in STATEMENTS.items()
    }
    assert rows == wanted
    said = everyday("postgresql", 0.1).split("; ")
    assert [said[0], said[7], len(said)] == [
        "project 2 statements, 0.200 s",
        "search 2 statements, 0.200 s",
        len(wanted),
    ]
    assert "opened search 1 statement, 0.100 s" in everyday("mariadb", 0.1)
    assert everyday("duckdb", 0.1) == ""
    assert everyday("mysql", 0.1).endswith("client_flag=65536 in its URL: materialize 26, diagnose 29")
    assert ALONE.items() <= ABOVE[ONE_BY_ONE].items()
    prose = page.replace("\n", " ")
    for counts in (ALONE, STORED):
        assert all(f"a `{call}` sends {n}" in prose or f"a `{call}` {n}" in prose for call, n in counts.items())
