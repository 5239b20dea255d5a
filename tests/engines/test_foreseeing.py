"""What a call asked the last time is asked at once: what has changed since is seen, and what is gone is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from databases import Database
from statements import counting

import sqlrp
from sqlrp import Wide
from sqlrp._connectors.foresight import Foresight, Question, Unforeseen, foreseen

P = sqlrp.SparseProjection(k=2, s=1, seed=1)
OTHER = sqlrp.SparseProjection(k=3, s=1, seed=2)
ENGINES = ("postgresql", "mariadb", "mysql")
DOUBLE = "DOUBLE PRECISION"
COLUMNS = [("id", "BIGINT"), ("a", DOUBLE), ("b", DOUBLE), ("c", DOUBLE)]
ROWS = [[i, i % 3 * 1.0, i % 5 * 1.0, i % 7 * 1.0] for i in range(20)]


@contextmanager
def pooled(db: Database) -> Iterator[Any]:
    """An engine, or a connection of DuckDB, that has asked nothing yet, of a database where nothing is kept."""
    for table in ("told_rp", "sqlrp_catalogue"):
        db.run(f"DROP TABLE IF EXISTS {table}")
    db.make("told", COLUMNS, ROWS)
    if db.name == "duckdb":
        [(current,)] = db.run_query("SELECT current_database()")
        with db.connection.cursor() as connection:
            connection.execute(f'USE "{current}"')
            yield connection
        return
    engine = db.pool()
    try:
        yield engine
    finally:
        engine.dispose()


def calls(engine: Any) -> dict[str, Callable[[], Any]]:
    return {
        "load": lambda: sqlrp.load(engine, "kept"),
        "search": lambda: sqlrp.search(engine, "told_rp", [2.0, 0.0, 1.0], n=1).to_pylist(),
        "refresh": lambda: sqlrp.refresh(engine, "told_rp"),
        "project": lambda: sqlrp.project(P, "told", engine).sort_by("id").to_pylist(),
        "check": lambda: [found.name for found in sqlrp.check(engine)],
    }


def happened(call: Callable[[], Any]) -> object:
    """The result, or the error in words."""
    try:
        return call()
    except sqlrp.SqlrpError as error:
        return re.sub("sqlrp_[0-9a-f]{32}", "its mark", f"{type(error).__name__}: {error}")


CHANGES = {
    "a row more": "INSERT INTO told VALUES (99, 1, 2, 3)",
    "a column less": "ALTER TABLE told DROP COLUMN c",
    "a column more": f"ALTER TABLE told ADD COLUMN d {DOUBLE}",
    "no source": "DROP TABLE told",
    "no table": "DROP TABLE told_rp",
    "another table of the name": "DROP TABLE told_rp; CREATE TABLE told_rp (id BIGINT)",
    "no records": "DELETE FROM sqlrp_catalogue WHERE kind <> 'format'",
    "no format": "DELETE FROM sqlrp_catalogue WHERE kind = 'format'",
    "no catalogue": "DROP TABLE sqlrp_catalogue",
    "a key that is twice there": "UPDATE told SET id = 7 WHERE id = 8",
    "another projection": "",
}


@pytest.mark.filterwarnings("ignore::sqlrp.SqlrpWarning")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ENGINES)
def test_a_call_says_what_one_that_foresees_nothing_says(db: Database, name: str, change: str) -> None:
    """One engine has made all calls before the change, and a new one makes them for the first time."""
    said: list[dict[str, object]] = []
    for foresees in (True, False):
        with pooled(db) as engine, pooled(db) as new:
            sqlrp.save(P, engine, "kept", source="told")
            sqlrp.materialize(P, "told", engine, "told_rp")
            for _ in range(2):
                before = {label: happened(call) for label, call in calls(engine).items()}
            assert not any(str(value).startswith(("SourceError", "StatementError")) for value in before.values())
            for statement in filter(None, CHANGES[change].split("; ")):
                db.run(statement)
            if not CHANGES[change]:
                sqlrp.save(OTHER, db.connection, "kept", source="told", replace=True)
                sqlrp.materialize(OTHER, "told", db.connection, "told_rp", replace=True)
            said.append({label: happened(call) for label, call in calls(engine if foresees else new).items()})
    assert said[0] == said[1]


@pytest.mark.filterwarnings("ignore::sqlrp.SqlrpWarning")
@pytest.mark.parametrize("change", [change for change, statements in CHANGES.items() if statements])
@pytest.mark.parametrize("name", ["duckdb"])
def test_no_foreseen_question_breaks_a_transaction_of_the_callers(db: Database, name: str, change: str) -> None:
    """The same of DuckDB, whose transactions end by any error: what is foreseen there cannot fail."""
    said: list[dict[Any, object]] = []
    for foresees in (True, False):
        with pooled(db) as own, pooled(db) as new:
            sqlrp.save(P, own, "kept", source="told")
            sqlrp.materialize(P, "told", own, "told_rp")
            for call in [*calls(own).values()] * 2:
                happened(call)
            connection, found = own if foresees else new, dict[Any, object]()
            for label, call in calls(connection).items():
                connection.execute(f"BEGIN; {CHANGES[change]}")
                found[label, "in it"] = happened(call), happened(partial(db.connector.rows, connection, "SELECT 1"))
                connection.execute("ROLLBACK")
            connection.execute(CHANGES[change])
            said.append(found | {(label, ""): happened(call) for label, call in calls(connection).items()})
    assert said[0] == said[1]


@pytest.mark.parametrize("name", ["postgresql", "mariadb"])
def test_a_call_that_was_made_before_asks_at_once(db: Database, name: str) -> None:
    """And one within a transaction of the caller's sees what that has written, which stays open."""
    with pooled(db) as engine:
        sqlrp.materialize(P, "told", engine, "told_rp", replace=True)
        with counting(engine) as first:
            found = sqlrp.search(engine, "told_rp", [0.0, 0.0, 0.0], n=1)
        with counting(engine) as second:
            assert sqlrp.search(engine, "told_rp", [0.0, 0.0, 0.0], n=1) == found
        assert len(second) < len(first)
        with engine.connect() as connection:
            connection.exec_driver_sql("UPDATE told SET a = 9, b = 9, c = 9 WHERE id = 3")
            sqlrp.refresh(connection, "told_rp")
            near = [sqlrp.search(connection, "told_rp", [9.0, 9.0, 9.0], n=1).to_pylist() for _ in range(2)]
            assert [[row["id"] for row in rows] for rows in near] == [[3], [3]]
            assert connection.in_transaction()
            connection.rollback()


@pytest.mark.parametrize("name", ["postgresql"])
def test_what_cannot_be_foreseen_leaves_the_callers_transaction_open(db: Database, name: str) -> None:
    with pooled(db) as engine, engine.connect() as connection:
        sqlrp.materialize(P, "told", connection, "told_rp", replace=True)
        connection.commit()
        for _ in range(2):
            sqlrp.refresh(connection, "told_rp")
            connection.commit()
        connection.exec_driver_sql("CREATE TABLE told_more AS SELECT 1 AS one")
        connection.exec_driver_sql("ALTER TABLE sqlrp_catalogue RENAME TO told_away")
        with pytest.raises(sqlrp.SourceError, match="was not made by sqlrp"):
            sqlrp.refresh(connection, "told_rp")
        assert connection.exec_driver_sql("SELECT one FROM told_more").scalar() == 1
        connection.rollback()


@pytest.mark.parametrize("name", ["postgresql"])
def test_rows_of_a_catalogue_are_not_read_before_it_is_trusted(db: Database, name: str) -> None:
    """A view in its place may call a function, which would run with the rights of who calls."""
    with pooled(db) as engine:
        sqlrp.save(P, engine, "kept", source="told", replace=True)
        for _ in range(2):
            sqlrp.load(engine, "kept")
        db.run("DROP TABLE IF EXISTS told_called")
        db.run("CREATE TABLE told_called (n BIGINT)")
        db.run(
            "CREATE FUNCTION told_calls(kind text) RETURNS boolean AS 'INSERT INTO told_called VALUES (1) "
            "RETURNING true' LANGUAGE sql"
        )
        try:
            db.run("ALTER TABLE sqlrp_catalogue RENAME TO told_away")
            db.run("CREATE VIEW sqlrp_catalogue AS SELECT * FROM told_away WHERE told_calls(kind)")
            with pytest.raises(sqlrp.SourceError, match="SECURITY"):
                sqlrp.load(engine, "kept")
            assert db.connector.rows(db.connection, "SELECT count(*) FROM told_called") == [(0,)]
        finally:
            db.run("DROP VIEW sqlrp_catalogue")
            db.run("ALTER TABLE told_away RENAME TO sqlrp_catalogue")
            db.run("DROP FUNCTION told_calls")
            db.run("DROP TABLE told_called")


@pytest.mark.parametrize("name", ["postgresql"])
def test_a_question_under_another_setting_is_not_foreseen(db: Database, name: str) -> None:
    """A refresh asks for all rows without row security: asked at its beginning, it would see a part of them."""
    with pooled(db) as engine:
        sqlrp.materialize(P, "told", engine, "told_rp", track="rows", replace=True)
        for _ in range(3):
            with counting(engine) as asked:
                assert sqlrp.refresh(engine, "told_rp") == 0
        off = next(i for i, sql in enumerate(asked) if "'row_security'" in sql and "set_config" in sql)
        reading = [i for i, sql in enumerate(asked) if 'FROM "told"' in sql]
        assert reading
        assert min(reading) > off


@pytest.mark.parametrize("name", ["mariadb"])
def test_a_record_that_the_engine_cuts_is_read_alone(db: Database, name: str) -> None:
    """JSON_ARRAYAGG gives as much as group_concat_max_len."""
    with pooled(db) as engine, engine.connect() as connection:
        sqlrp.save(P, engine, "kept", source=Wide("told", features=["a", "b"]), replace=True)
        connection.exec_driver_sql("SET SESSION group_concat_max_len = 64")
        assert [sqlrp.load(connection, "kept") for _ in range(3)] == [P.bound(("a", "b"))] * 3


def test_a_question_is_answered_once_and_a_statement_drops_the_answers() -> None:
    class Pool:
        pass

    pool, asked = Pool(), [Question("one", 1), Question("two", 2)]

    @foreseen
    def call(name: str, *, ends: bool) -> list[Any]:
        held = Foresight.of(pool, own=True, resumes=False)
        assert held is not None
        expected = [question for stage in held.stages() for question in stage.answers]
        held.answers.update({question: [(question.text,)] for question in expected})
        if ends:
            held.end()
        given = [held.answered("one"), held.answered("one"), held.answered("two")]
        for question in asked:
            held.note(question, [(question.text,)])
        held.keep()
        return [len(expected), *given]

    assert call("a", ends=False) == [0, None, None, None]
    assert call("a", ends=False) == [2, [("one",)], None, [("two",)]]
    assert call("b", ends=False) == [0, None, None, None]
    assert call("a", ends=True) == [2, None, None, None]
    assert call("a", ends=True)[0] == 0
    assert Foresight.of(pool, own=True, resumes=False) is None


def test_stages_are_asked_at_once_up_to_one_that_another_statement_stands_in() -> None:
    class Pool:
        pass

    pool, first, second, third = Pool(), Question("one", 1), Question("two", 1), Question("three", 1)
    counts: list[list[int]] = []

    @foreseen
    def call() -> None:
        held = Foresight.of(pool, own=True, resumes=False)
        assert held is not None
        found = []
        for question in (first, second, third):
            stages = held.stages()
            found.append(len(stages))
            if len(stages) > 1:
                held.asked_ahead(len(stages))
            held.note(question, [])
            held.alone = held.alone or question is second
        held.keep()
        counts.append(found)

    for _ in range(3):
        call()
    assert counts == [[0, 0, 0], [2, 0, 1], [2, 0, 1]]


def test_a_stage_after_a_statement_that_writes_is_asked_after_it() -> None:
    """Where its first question is asked, and never before. What was answered before is forgotten."""

    class Pool:
        pass

    pool, first, second = Pool(), Question("one", 1), Question("two", 1)
    found: list[list[int]] = []

    @foreseen
    def call() -> None:
        held = Foresight.of(pool, own=True, resumes=True)
        assert held is not None
        counts = [len(held.stages()), len(held.stages_of("one"))]
        held.answers.update({question: [("old",)] for question in (first, second)})
        held.note(first, [])
        held.end()
        assert held.answered("one") is None
        counts += [len(held.stages_of("two")), len(held.stages_of("one"))]
        for question in (first, second):  # it is asked again after what was written
            held.note(question, [])
        counts.append(len(held.stages_of("one")))
        held.keep()
        found.append(counts)

    for _ in range(2):
        call()
    assert found == [[0, 0, 0, 0, 0], [1, 0, 0, 1, 0]]


@pytest.mark.parametrize("name", ["postgresql"])
def test_all_stages_are_one_statement_where_the_server_can(db: Database, name: str) -> None:
    """A server that cannot is asked in turn, and gives the same."""
    with pooled(db) as engine:
        sqlrp.save(P, engine, "kept", source="told", replace=True)
        sqlrp.materialize(P, "told", engine, "told_rp", replace=True)
        for _ in range(2):
            sqlrp.load(engine, "kept")
        with counting(engine) as found:
            sqlrp.load(engine, "kept")
        assert len(found) == 1
        sa.event.listen(engine, "before_cursor_execute", without_xml, retval=True)
        assert [sqlrp.load(engine, "kept").k for _ in range(4)] == [P.k] * 4


def without_xml(_: Any, __: Any, statement: str, parameters: Any, ___: Any, ____: Any) -> tuple[str, Any]:
    """As a relative of PostgreSQL, which lacks the function."""
    return statement.replace("query_to_xml", "query_to_nothing"), parameters


def test_a_call_begins_again_without_foresight() -> None:
    times: list[int] = []

    @foreseen
    def call() -> str:
        times.append(1)
        if len(times) == 1:
            raise Unforeseen
        return "done"

    assert (call(), len(times)) == ("done", 2)
