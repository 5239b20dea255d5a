"""The answers of an engine as a file: written by `sqlrp probe`, checked when it is read, and not asked again."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
import sqlalchemy as sa
from cases import SERVED
from commands import run
from databases import Database
from helpers import assert_one_line
from strangers import stranger

import sqlrp
from sqlrp import ParameterError, SparseProjection, UnsupportedError, Wide
from sqlrp._core.errors import LimitError, SqlrpError, shorten
from sqlrp._engines.generic import asked, engine_file
from sqlrp._engines.generic.answer_table import facts_of, rows_of
from sqlrp._engines.generic.asked import FUNCTIONS, SIZES, Answers, questions
from sqlrp._engines.generic.connector import AnyConnector
from sqlrp._engines.generic.engine_file import EngineFile, read
from sqlrp._engines.generic.keeping_asked import KeepingAnswers
from sqlrp._engines.generic.sqlalchemy_dialect import SqlAlchemyDialect
from sqlrp._engines.registry import ENGINES, connector_for, connector_of
from sqlrp._run.frames.matrix import project_array

P, W = SparseProjection(k=2, s=1, seed=1), Wide("t", features=["a", "b", "c"])
ANSWERS = Answers(double="CAST({x} AS DOUBLE)", whole="CAST({x} AS BIGINT)", functions={"ln": "log({x})"})
FILE = EngineFile("unknown_sqlite", "3.40.1", ANSWERS, KeepingAnswers(copies=True, marking="index"))


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_file, "LOADED", dict(engine_file.LOADED))
    monkeypatch.setattr(sqlrp.engines, "LOADED", engine_file.LOADED)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[sa.Engine]:
    with stranger("sqlite", tmp_path) as found:
        with found.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE t (id BIGINT, a DOUBLE, b DOUBLE, c DOUBLE, name TEXT)")
            connection.exec_driver_sql("INSERT INTO t VALUES (1, 0.5, 2.5, -1, 'x'), (2, 8, 4, 2, 'y')")
        yield found


def _statements(engine: sa.Engine) -> list[str]:
    found: list[str] = []
    sa.event.listen(engine, "before_cursor_execute", lambda _c, _cursor, sql, *_: found.append(sql))
    return found


# -- writing and reading -------------------------------------------------------------------------------------


def test_an_engine_that_was_loaded_is_not_asked(engine: sa.Engine, tmp_path: Path) -> None:
    path = tmp_path / "engine.toml"
    said = run("probe", str(engine.url), "--writes", "-o", str(path))
    assert said.output == ""
    assert run("probe", str(engine.url), "--writes").stdout == path.read_text()
    assert sa.inspect(engine).get_table_names() == ["t"]
    asked = connector_for(engine)
    assert isinstance(asked, AnyConnector)
    want = asked.probed(engine, True)
    assert sqlrp.engines.load(path) == "unknown_sqlite"
    found = read(path)
    assert found == replace(want, kept=want.kept and replace(want.kept, backslash=""))
    sent = _statements(engine)
    dialect = connector_of(engine).dialect
    assert isinstance(dialect, SqlAlchemyDialect)
    assert sent == []
    assert dialect.answers == want.answers
    assert "were read from" in dialect.note()
    assert shorten(str(path)) in dialect.note()
    assert sqlrp.materialize(P, W, engine, "made") == 2
    assert [sql for sql in sent if "sqlrp_probe" in sql] == []
    assert [sql for sql in sent if "a\\b" in sql] == ["SELECT 'a\\b' AS x"]
    sqlrp.save(P, engine, 'it\'s "mine" \\ too')
    assert sqlrp.load(engine, 'it\'s "mine" \\ too') == P
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE made")


def test_numbers_of_a_loaded_engine_are_compared(engine: sa.Engine, tmp_path: Path) -> None:
    path = tmp_path / "engine.toml"
    lying = replace(ANSWERS, single="CAST({x} AS INTEGER)", limit="{query} LIMIT {rows}")
    path.write_text(replace(FILE, answers=lying).text())
    sqlrp.engines.load(path)
    with pytest.raises(UnsupportedError, match="projects wrongly"):
        sqlrp.project(P, W, engine, dtype="float32")


@pytest.mark.parametrize(
    "kept", [None, KeepingAnswers(), KeepingAnswers(why_nothing='has "no" ROLLBACK \\ at all', views=True)]
)
def test_a_file_is_read_as_it_was_written(kept: KeepingAnswers | None, tmp_path: Path) -> None:
    path = tmp_path / "engine.toml"
    functions = {name: phrases[-1] for name, (phrases, _, _) in FUNCTIONS.items()}
    full = Answers(
        " FROM RDB$DATABASE",
        "CAST({x} AS DOUBLE PRECISION)",
        "CAST({x} AS NUMERIC(10, 2))",
        "CAST({x} AS BIGINT)",
        "(MOD({a}, {b}))",
        "({a} <=> {b})",
        "max({x})",
        "{query} LIMIT {rows}",
        functions,
        "CROSS JOIN",
        exists=False,
        merges=True,
        columns=500,
        terms=625,
        statements=41,
    )
    wrote = EngineFile("a.b+c_1", "16.3", full, kept)
    path.write_text(wrote.text(), encoding="utf-8")
    found = read(path)
    assert found == wrote
    assert (found.answers.columns, found.answers.terms, found.answers.statements) == (500, 625, 41)
    assert found.answers.origin == str(path)


HOSTILE = "1); DROP TABLE t; --"
REFUSED: dict[str, tuple[str, str, list[str]]] = {
    "another format": ("format = 1", "format = 2", ["format = 2", "must be 1"]),
    "no format": ("format = 1\n", "", ["format = None", "must be 1"]),
    "an engine's name": ('"unknown_sqlite"', '"x; y"', ["engine = 'x; y'", "such as firebird"]),
    "no name": ('"unknown_sqlite"', "3", ["engine = 3", "string"]),
    "a version": ('"3.40.1"', f'"{HOSTILE}"', ["version = ", "letters, digits"]),
    "a long version": ('"3.40.1"', f'"{"3" * 61}"', ["version = ", "60 at most"]),
    "a key": ("merges = ", "merge = ", ["the key 'answers.merge'", "did you mean 'merges'", "one of "]),
    "a key of the file": ("format = 1", "format = 1\nfromat = 1", ["the key 'fromat'", "did you mean 'format'"]),
    "a key of what is kept": ("views = ", '"a b\\n" = ', ["the key 'kept.a b\\n'", "one of why_nothing"]),
    "a backslash": ("views = ", "backslash = ", ["the key 'kept.backslash'"]),
    "the text of another cast": ("AS DOUBLE)", f"AS DOUBLE{HOSTILE}", ["answers.double = ", "type of plain words"]),
    "a cast with a comment": ("AS DOUBLE)", "AS DOUBLE/**/)", ["answers.double = ", "type of plain words"]),
    "no double": ('"CAST({x} AS DOUBLE)"', '""', ["answers.double = ''", "without which nothing runs"]),
    "a constant's table": ('constants = ""', 'constants = " FROM t"', ["constants = ' FROM t'", "RDB$DATABASE"]),
    "a remainder": ('remainder = ""', f'remainder = "{HOSTILE}"', ["answers.remainder = ", "one of ''", "MOD("]),
    "an equality": ('same = ""', 'same = "{a} = {b}"', ["answers.same = '{a} = {b}'", "one of "]),
    "a greatest": ('greatest = ""', 'greatest = "min({x})"', ["answers.greatest = 'min({x})'", "one of "]),
    "a limit": ('limit = ""', 'limit = "{query}"', ["answers.limit = '{query}'", "one of "]),
    "what joins lack": ('relations = ""', 'relations = "no"', ["answers.relations = 'no'", "one of "]),
    "a mark": ('"index"', '"table"', ["kept.marking = 'table'", "one of '', 'comment', 'index'"]),
    "a function's name": ("ln = ", "lm = ", ["the key 'answers.functions.lm'", "one of sqrt, exp, ln"]),
    "a function": ('"log({x})"', '"exp({x})"', ["answers.functions.ln = 'exp({x})'", "one of 'ln({x})', 'log({x})'"]),
    "a function of another type": ('"log({x})"', "[1]", ["answers.functions.ln = [1]", "one of 'ln({x})'"]),
    "a number for a boolean": ("merges = false", "merges = 0", ["answers.merges = 0", "boolean"]),
    "a boolean for a number": ("statements = 0", "statements = true", ["answers.statements = True", "integer"]),
    "a count": ("statements = 0", "statements = -1", ["answers.statements = -1", "from 0 to 1000000"]),
    "a reason": ('why_nothing = ""', f'why_nothing = "{"x" * 1001}"', ["kept.why_nothing = ", "1000 characters"]),
    "another table": ("[kept]", "[keeps]", ["the key 'keeps'", "did you mean 'kept'"]),
    "no TOML": ("format = 1", "format = ", ["is no TOML", "sqlrp probe"]),
    "no UTF-8": ("format = 1", "format = 1 # \udcff", ["is no TOML", "sqlrp probe"]),
    "a long file": ("format = 1", f"format = 1 # {'x' * 70_000}", ["more than 65,536 bytes", "sqlrp probe"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_probe_writes_is_refused(case: str, tmp_path: Path) -> None:
    old, new, said = REFUSED[case]
    path, text = tmp_path / "engine.toml", FILE.text()
    assert old in text
    path.write_bytes(text.replace(old, new, 1).encode("utf-8", "surrogateescape"))
    with pytest.raises(ParameterError) as caught:
        sqlrp.engines.load(path)
    assert_one_line(caught, "the file", "engine.toml", *said)
    assert engine_file.LOADED.get("unknown_sqlite") is None


@pytest.mark.parametrize("lines", ["answers = 1", "", "[answers]\nfunctions = 3", "[[answers]]", "kept = 3\n[answers]"])
def test_tables_that_are_none_are_refused(lines: str, tmp_path: Path) -> None:
    path = tmp_path / "engine.toml"
    path.write_text(f'format = 1\nengine = "x"\n{lines}\n')
    with pytest.raises(ParameterError) as caught:
        sqlrp.engines.load(path)
    assert_one_line(caught, "the file")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path, Path("nul\0l")):
        with pytest.raises(ParameterError) as caught:
            sqlrp.engines.load(path)
        assert_one_line(caught, "cannot be read", "sqlrp probe URL -o engine.toml")


# -- commands ------------------------------------------------------------------------------------------------


def test_a_known_engine_is_not_probed(tmp_path: Path) -> None:
    said = run("probe", "sqlite://", "-o", str(tmp_path / "engine.toml"), code=1)
    assert "the engine sqlite is known" in said.output
    assert "sqlrp doctor" in said.output
    assert list(tmp_path.iterdir()) == []


def test_doctor_tells_answers_and_what_their_lack_costs(engine: sa.Engine) -> None:
    rows = json.loads(run("doctor", str(engine.url), "sqlite://", "--json").stdout)["answers"]
    found = {(row["database"], row["what"]): row for row in rows}
    asked, known = str(engine.url), "sqlite://"
    assert found[asked, "sqrt"]["answer"] == "sqrt({x})"
    assert {found[asked, what]["from"] for what in ("sqrt", "64-bit float", "joins, WITH, windows")} == {"asked"}
    assert found[asked, "32-bit float"]["from"] == "refused"
    assert found[asked, "32-bit float"]["without it"] == "dtype = 'float32' writes floats of 64 bits"
    assert found[asked, "what is kept"]["from"] == "not asked"
    assert found[known, "sqrt"]["from"] == "known"
    assert (known, "what is kept") not in found
    for row in rows:
        assert (row["from"] == "refused") == (not row["answer"] and row["from"] != "not asked"), row
        assert bool(row["without it"]) == (row["from"] in ("refused", "not asked")), row


def test_a_file_s_answers_are_told() -> None:
    poor = replace(ANSWERS, relations="WITH", merges=True, exists=False, origin="engine.toml")
    dialect = SqlAlchemyDialect(sa.create_engine("sqlite://").dialect, poor)
    dialect.kept = KeepingAnswers(copies=True, marking="index")
    told = {row["what"]: (row["answer"], row["from"], row["without it"]) for row in rows_of(dialect)}
    assert told["SELECT without a table"] == ("SELECT 1", "from a file", "")
    assert told["ln"] == ("log({x})", "from a file", "")
    assert told["sqrt"][1] == "refused"
    assert told["joins, WITH, windows"] == ("", "refused", "no lowering by joins, for want of WITH")
    assert told["NOT EXISTS"][1] == "refused"
    assert told["WITH, computed once"][2].startswith("at most 9 WITH")
    assert told["marks of tables"] == ("index", "from a file", "")
    assert told["CREATE TABLE AS"] == ("yes", "from a file", "")
    assert told["views"] == ("", "refused", "no kind = 'view'")
    dialect.kept = KeepingAnswers(why_nothing="takes no rows back")
    assert {row["without it"] for row in rows_of(dialect) if row["what"] == "what is kept"} == {"it takes no rows back"}


def test_a_statement_is_as_large_as_the_engine_takes(engine: sa.Engine) -> None:
    """SQLite, which is told to take less: half of what is asked first, and then a quarter, hold."""

    def small(connection: Any, _: object) -> None:
        connection.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, 300)
        connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 100_000)

    engine.dispose()
    sa.event.listen(engine, "connect", small)
    limits = connector_of(engine).dialect.limits
    assert (limits.columns, limits.characters) == (250, 62_500)
    with pytest.raises(LimitError, match="more than the 250 of a result"):
        sqlrp.project(SparseProjection(k=260, s=1), W, engine)
    wide = SparseProjection(k=240, s=1)
    found = sqlrp.project(wide, W, engine).sort_by("id").drop_columns("id").to_pandas().to_numpy()
    np.testing.assert_allclose(found, project_array(wide, np.array([[0.5, 2.5, -1], [8, 4, 2]])), rtol=1e-12)


# -- what is known -------------------------------------------------------------------------------------------

COMPUTED_AGAIN = ("mariadb", "mysql")
"""They compute WITH again at each use, as their files say. The probe's chain of 8 does not show it: they take 40 ms."""


@pytest.mark.parametrize("name", ["duckdb", *SERVED])
def test_what_is_known_is_what_a_probe_would_find(db: Database, name: str) -> None:
    """A difference is a mistake of the engine's file, or of the probe."""
    connector, facts = db.connector, facts_of(db.engine)
    asking = questions(facts, db.engine.quote("a B"))
    with connector.session(db.connection) as session:
        try:
            sql = next(asking)
            while True:
                try:
                    sql = asking.send([tuple(row) for row in connector.rows(session, sql)])
                except SqlrpError as error:
                    if not re.search(r"typeof|SELECT rand(om)?\(|x \+ 1 AS x", sql):  # which few engines have
                        raise AssertionError(f"{name} refuses {sql}: {error}") from error
                    sql = asking.send(None)
        except StopIteration as done:
            found = done.value
    assert facts.merges == (name in COMPUTED_AGAIN)
    assert found == replace(facts, merges=False)
    for size, most in SIZES.items():  # a statement as large as its file says is taken
        assert getattr(found, size) >= min(getattr(facts, size) or most, most), size


@pytest.mark.parametrize(("seconds", "merges"), [(0.5, False), (12.0, True)])
def test_a_chain_that_takes_seconds_is_taken_for_merged(
    monkeypatch: pytest.MonkeyPatch, seconds: float, merges: bool
) -> None:
    """On a busy machine short chains may take as long as longer ones, and only the last one leaves no doubt."""
    clock = [0.0]
    monkeypatch.setattr(asked, "monotonic", lambda: clock[0])

    def answer(sql: str) -> list[tuple[Any, ...]] | None:
        clock[0] += seconds if "FROM a8" in sql else 0.05
        return None if "rand" in sql else con.execute(sql).fetchall()

    with closing(sqlite3.connect(":memory:")) as con:
        found = asked.asked_all(asked._computed_once(asked._Asker(), ANSWERS, ""), answer)
    assert found == ("", merges)


@pytest.mark.parametrize(("slow", "levels"), [((8,), 16), ((8, 8), 8)])
def test_one_slow_answer_says_nothing_of_the_levels(
    monkeypatch: pytest.MonkeyPatch, slow: tuple[int, ...], levels: int
) -> None:
    """The less of two times counts: a busy server may take long for any statement."""
    clock, late = [0.0], list(slow)
    monkeypatch.setattr(asked, "monotonic", lambda: clock[0])

    def answer(sql: str) -> list[tuple[Any, ...]]:
        size = sql.count("x + 1")
        clock[0] += 5.0 if size in late else 0.001
        if size in late:
            late.remove(size)
        return con.execute(sql).fetchall()

    with duckdb.connect() as con:
        assert asked.asked_all(asked._levels(asked._Asker(), ""), answer) == levels


@pytest.mark.parametrize("name", ENGINES)
def test_what_is_known_has_the_shape_of_answers(name: str) -> None:
    facts = facts_of(ENGINES[name])
    assert facts.double
    assert facts.whole
    assert facts.functions.keys() == FUNCTIONS.keys()
    assert all("{x}" in phrase for phrase in facts.functions.values())
    assert rows_of(ENGINES[name])


@pytest.mark.slow
def test_firebird_s_file_is_what_firebird_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = engine_file.shipped("firebird.firebird")
    assert shipped is not None
    with stranger("firebird", tmp_path) as engine:
        connector: Any = connector_for(engine)
        assert connector.probed(engine, True).text() == shipped.text()
        monkeypatch.setitem(engine_file.SHIPPED, "firebird.firebird", "firebird.toml")
        sent = _statements(engine)
        assert connector_of(engine).dialect.note().startswith("the engine firebird.firebird is not known: the answers")
        assert sent == []
