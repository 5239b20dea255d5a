"""A text of `sqlrp.sql` runs in the driver that it is written for, by the name that examples/operating.md gives.

Names of columns hold what drivers and templates look for, and the relational lowering has percent signs of its own.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import pandas as pd
import pytest
import sqlalchemy as sa
from databases import DOUBLES, FAMILY, Database, opened
from pages import EXAMPLES

import sqlrp
from sqlrp._core.driver_escapes import DRIVERS, jinja

FEATURES = ("a%", "b :c", "{{d}}", "q?", "e%s", "{% f %}", "$1", "g:h")
RP = sqlrp.SparseProjection(k=2, s=1, seed=7)
ROWS = [[i, *((i * 7 + j * 3) % 11 for j in range(len(FEATURES)))] for i in range(20)]
WITHIN = "SELECT * FROM ({}) AS r WHERE id < {}"
Run = Callable[[Database, str], Any]
"""Rows of a text."""


def _url(db: Database, driver: str) -> sa.URL:
    url: sa.URL = db.connection.engine.url
    return url.set(drivername=driver, database=db.schema if db.name in FAMILY else url.database)


def _sent(driver: str, *, filled: bool) -> Run:
    """Through a cursor of the driver, which has no parameters or one."""

    def run(db: Database, text: str) -> Any:
        engine = sa.create_engine(_url(db, driver), poolclass=sa.pool.NullPool)
        with closing(engine.raw_connection()) as connection:
            cursor = connection.cursor()
            if filled:
                cursor.execute(WITHIN.format(text, "%s"), (100,))
            else:
                cursor.execute(text)
            return cursor.fetchall()

    return run


def _alchemy(driver: str, call: Callable[[sa.Connection, str], Any]) -> Run:
    def run(db: Database, text: str) -> Any:
        engine = sa.create_engine(_url(db, driver), poolclass=sa.pool.NullPool)
        with engine.connect() as connection:
            return call(connection, text)

    return run


async def _fetched(url: sa.URL, text: str, *parameters: int) -> list[Any]:
    import asyncpg

    place = {"host": url.host, "port": url.port, "user": url.username, "password": url.password}
    connection = await asyncpg.connect(database=url.database, **place)
    try:
        return [tuple(row) for row in await connection.fetch(text, *parameters)]
    finally:
        await connection.close()


async def _fetched_by_alchemy(url: sa.URL, text: str) -> list[Any]:
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine(url)
    try:
        async with engine.connect() as connection:
            return list((await connection.exec_driver_sql(text)).fetchall())
    finally:
        await engine.dispose()


def _exec(connection: sa.Connection, text: str) -> Any:
    return connection.exec_driver_sql(text).fetchall()


def _exec_without(connection: sa.Connection, text: str) -> Any:
    return connection.exec_driver_sql(text, execution_options={"no_parameters": True}).fetchall()


def _as_text(connection: sa.Connection, text: str) -> Any:
    return connection.execute(sa.text(text)).fetchall()


def _in_pandas(connection: sa.Connection, text: str) -> Any:
    return list(pd.read_sql(sa.text(text), connection).itertuples(index=False, name=None))


def _through_duckdb_engine(db: Database, text: str) -> Any:
    with sa.create_engine("duckdb://").connect() as connection:
        connection.exec_driver_sql("register", ("docs", db.connection.sql("FROM docs").df()))
        return _exec(connection, text)


def _raw(db: Database) -> Any:
    """The connection of an embedded driver."""
    return db.connection if db.name == "duckdb" else db.connection.connection.driver_connection


def _filled(db: Database, text: str) -> Any:
    return _raw(db).execute(WITHIN.format(text, "?"), [100]).fetchall()


HERE, ALONE, FILLED = "DuckDB, sqlite3, asyncpg", "mysqlclient: `execute(text)`", "`execute(text, parameters)`"
EXEC, EXEC_OTHER, TEXT, JINJA = "PyMySQL or mysqlclient |", "with asyncpg, SQLite or DuckDB", "`text(text)`", "Jinja"
SERVED = {"postgresql": ("postgresql+psycopg", "postgresql+psycopg2"), "mariadb": ("mysql+pymysql",)}
PLACES = [(name, driver) for name, drivers in SERVED.items() for driver in drivers]


def _whole(db: Database, text: str) -> Any:
    return _raw(db).execute(text).fetchall()


def _fetched_within(db: Database, text: str) -> Any:
    return asyncio.run(_fetched(_url(db, "x"), WITHIN.format(text, "$1"), 100))


CASES: list[tuple[str, str | None, str, str, Run]] = [
    (HERE, "duckdb", "execute", "duckdb", _whole),
    (HERE, "sqlite3", "execute", "sqlite", _whole),
    (HERE, "duckdb", "filled", "duckdb", _filled),
    (HERE, "sqlite3", "filled", "sqlite", _filled),
    (HERE, "asyncpg", "fetch", "postgresql", lambda db, text: asyncio.run(_fetched(_url(db, "x"), text))),
    (HERE, "asyncpg", "fetch filled", "postgresql", _fetched_within),
    (
        EXEC_OTHER,
        "asyncpg",
        "asyncpg",
        "postgresql",
        lambda db, text: asyncio.run(_fetched_by_alchemy(_url(db, "postgresql+asyncpg"), text)),
    ),
    (EXEC_OTHER, "duckdb", "duckdb_engine", "duckdb", _through_duckdb_engine),
    (EXEC_OTHER, "sqlite3", "exec", "sqlite", lambda db, text: _exec(db.connection, text)),
    *((ALONE, None, driver, name, _sent(driver, filled=False)) for name, driver in PLACES),
    *((FILLED, driver.split("+")[1], driver, name, _sent(driver, filled=True)) for name, driver in PLACES),
    *((EXEC, driver.split("+")[1], driver, name, _alchemy(driver, _exec)) for name, driver in PLACES),
    *((TEXT, "sqlalchemy", driver, name, _alchemy(driver, _as_text)) for name, driver in PLACES),
    *((TEXT, "sqlalchemy", f"pandas {driver}", name, _alchemy(driver, _in_pandas)) for name, driver in PLACES),
    (TEXT, "sqlalchemy", "text", "sqlite", lambda db, text: _as_text(db.connection, text)),
    (JINJA, "jinja", "jinja", "duckdb", lambda db, text: db.run_query(jinja2.Template(text).render())),
]


def named_by(line: str) -> list[str | None]:
    """The names of drivers in a line of the page's table."""
    page = (EXAMPLES / "operating.md").read_text(encoding="utf-8")
    (found,) = (cells for cells in page.splitlines() if cells.startswith("|") and line in cells)
    cell = found.split(" | ")[1].removesuffix(" |")
    return re.findall(r'`"(\w+)"`', cell) or [None]


@pytest.mark.parametrize("lowering", ["inline", "relational"])
@pytest.mark.parametrize(("line", "driver", "way", "name", "run"), CASES, ids=["-".join(case[2:4]) for case in CASES])
def test_a_text_runs_in_its_driver(
    line: str, driver: str | None, way: str, name: str, run: Run, lowering: str, tmp_path: Path
) -> None:
    assert driver in named_by(line)
    for db in opened(name, tmp_path):
        db.make("docs", [("id", "BIGINT"), *((feature, DOUBLES[name]) for feature in FEATURES)], ROWS)
        source = sqlrp.Wide("docs" if name in ("duckdb", "sqlite") else f"{db.schema}.docs", features=FEATURES)
        wanted = sqlrp.project(RP, source, db.connection)
        # MariaDB's relational text takes several statements: MySQL's is one, and runs there, too.
        target: Any = "mysql" if name == "mariadb" else db.connection
        plain = sqlrp.sql(RP, source, target, lowering=lowering)
        text = sqlrp.sql(RP, source, target, lowering=lowering, driver=driver)
        got = sorted(tuple(row) for row in run(db, text))
        assert [row[0] for row in got] == wanted["id"].to_pylist()
        assert [row[1:] for row in got] == [
            pytest.approx(row) for row in zip(*(wanted[z].to_pylist() for z in ("z0", "z1")), strict=True)
        ]
        if text != plain:
            assert _fails(run, db, plain)
        if line == EXEC:
            assert sorted(map(tuple, _alchemy(way, _exec_without)(db, plain))) == got


def _fails(run: Run, db: Database, text: str) -> bool:
    """Each driver has errors of its own; some are a TypeError or an IndexError."""
    try:
        run(db, text)
    except Exception:
        return True
    return False


def test_every_line_of_the_table_is_tried_and_names_every_driver() -> None:
    page = (EXAMPLES / "operating.md").read_text(encoding="utf-8")
    table = page.partition("\n|---|---|\n")[2].partition("\n\n")[0].splitlines()
    tried = {line for line, *_ in CASES}
    assert [row for row in table if not any(line in row for line in tried)] == [table[-1]]
    assert {name for line in tried for name in named_by(line)} == {*DRIVERS, None}


@pytest.mark.parametrize("name", ["a{", "{", "{% endraw %}", "{#", "a\r\nb", "{\r", "{{ '", "x{% raw %}", "{{{{", "\n"])
def test_jinja_renders_any_text_as_it_is(name: str) -> None:
    assert jinja2.Template(jinja(name)).render() == name
    assert jinja2.Template(jinja(f'SELECT 1 AS "{name}"')).render() == f'SELECT 1 AS "{name}"'


def test_a_driver_that_nobody_knows_is_refused_with_the_list() -> None:
    with pytest.raises(
        sqlrp.ParameterError, match=r"driver = 'mysqldb' must be one of duckdb, sqlite3, asyncpg, psycopg"
    ):
        sqlrp.sql(RP, sqlrp.Wide("no_such_table"), duckdb.connect(), driver="mysqldb")
