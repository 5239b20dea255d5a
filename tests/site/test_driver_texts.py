"""A text of `sqlrp.sql` in each driver needs what the table in examples/operating.md says.

Names of columns hold what drivers and templates look for, and the relational lowering has percent signs of its own.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
import pytest
import sqlalchemy as sa
from databases import DOUBLES, FAMILY, Database, opened
from pages import EXAMPLES

import sqlrp

FEATURES = ("a%", "b :c", "{{d}}", "q?", "e%s", "{% f %}", "$1", "g:h")
RP = sqlrp.SparseProjection(k=2, s=1, seed=7)
ROWS = [[i, *((i * 7 + j * 3) % 11 for j in range(len(FEATURES)))] for i in range(20)]
WITHIN = "SELECT * FROM ({}) AS r WHERE id < {}"
Run = Callable[[Database, str, Callable[[str], str]], Any]
"""Rows of a text, which the function at the end escapes."""


def _url(db: Database, driver: str) -> sa.URL:
    url: sa.URL = db.connection.engine.url
    return url.set(drivername=driver, database=db.schema if db.name in FAMILY else url.database)


def _sent(driver: str, *, filled: bool) -> Run:
    """Through a cursor of the driver, which has no parameters or one."""

    def run(db: Database, text: str, escape: Callable[[str], str]) -> Any:
        engine = sa.create_engine(_url(db, driver), poolclass=sa.pool.NullPool)
        with closing(engine.raw_connection()) as connection:
            cursor = connection.cursor()
            if filled:
                cursor.execute(WITHIN.format(escape(text), "%s"), (100,))
            else:
                cursor.execute(escape(text))
            return cursor.fetchall()

    return run


def _alchemy(driver: str, call: Callable[[sa.Connection, str], Any]) -> Run:
    def run(db: Database, text: str, escape: Callable[[str], str]) -> Any:
        engine = sa.create_engine(_url(db, driver), poolclass=sa.pool.NullPool)
        with engine.connect() as connection:
            return call(connection, escape(text))

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


HERE, ALONE, FILLED = "DuckDB, sqlite3, asyncpg", "PyMySQL: `execute(text)`", "`execute(text, parameters)`"
EXEC, EXEC_OTHER, TEXT, JINJA = "psycopg2 or PyMySQL |", "with asyncpg, SQLite or DuckDB", "`text(text)`", "Jinja"
SERVED = {"postgresql": ("postgresql+psycopg", "postgresql+psycopg2"), "mariadb": ("mysql+pymysql",)}
PLACES = [(name, driver) for name, drivers in SERVED.items() for driver in drivers]
CASES: list[tuple[str, str, str, Run]] = [
    (HERE, "execute", "duckdb", lambda db, text, escape: _raw(db).execute(escape(text)).fetchall()),
    (HERE, "execute", "sqlite", lambda db, text, escape: _raw(db).execute(escape(text)).fetchall()),
    *(
        (
            HERE,
            "filled",
            name,
            lambda db, text, escape: _raw(db).execute(WITHIN.format(escape(text), "?"), [100]).fetchall(),
        )
        for name in ("duckdb", "sqlite")
    ),
    (HERE, "fetch", "postgresql", lambda db, text, escape: asyncio.run(_fetched(_url(db, "x"), escape(text)))),
    (
        HERE,
        "fetch filled",
        "postgresql",
        lambda db, text, escape: asyncio.run(_fetched(_url(db, "x"), WITHIN.format(escape(text), "$1"), 100)),
    ),
    (
        EXEC_OTHER,
        "asyncpg",
        "postgresql",
        lambda db, text, escape: asyncio.run(_fetched_by_alchemy(_url(db, "postgresql+asyncpg"), escape(text))),
    ),
    *((ALONE, driver, name, _sent(driver, filled=False)) for name, driver in PLACES),
    *((FILLED, driver, name, _sent(driver, filled=True)) for name, driver in PLACES),
    *((EXEC, driver, name, _alchemy(driver, _exec)) for name, driver in PLACES),
    *((TEXT, driver, name, _alchemy(driver, _as_text)) for name, driver in PLACES),
    *((TEXT, f"pandas {driver}", name, _alchemy(driver, _in_pandas)) for name, driver in PLACES),
    (EXEC_OTHER, "duckdb_engine", "duckdb", lambda db, text, escape: _through_duckdb_engine(db, escape(text))),
    (EXEC_OTHER, "exec", "sqlite", lambda db, text, escape: _exec(db.connection, escape(text))),
    (TEXT, "text", "sqlite", lambda db, text, escape: _as_text(db.connection, escape(text))),
    (JINJA, "jinja", "duckdb", lambda db, text, escape: db.run_query(jinja2.Template(escape(text)).render())),
]
NEEDS: dict[str, Callable[[str], str]] = {
    "nothing": str,
    'text.replace("%", "%%")': lambda text: text.replace("%", "%%"),
    'text.replace(":", "\\\\:")': lambda text: text.replace(":", "\\:"),
    '"{% raw %}" + text + "{% endraw %}"': lambda text: "{% raw %}" + text + "{% endraw %}",
}


def need_of(line: str) -> str:
    """What the page says that a way to run a text needs: the first code, or "nothing"."""
    page = (EXAMPLES / "operating.md").read_text(encoding="utf-8")
    (found,) = (cells for cells in page.splitlines() if cells.startswith("|") and line in cells)
    cell = found.split(" | ")[1].removesuffix(" |")
    return cell if cell == "nothing" else str(re.findall(r"`(.+?)`", cell)[0])


@pytest.mark.parametrize("lowering", ["inline", "relational"])
@pytest.mark.parametrize(("line", "way", "name", "run"), CASES, ids=[" ".join(case[:3]) for case in CASES])
def test_a_text_needs_what_the_page_says(
    line: str, way: str, name: str, run: Run, lowering: str, tmp_path: Path
) -> None:
    need = need_of(line)
    for db in opened(name, tmp_path):
        db.make("docs", [("id", "BIGINT"), *((feature, DOUBLES[name]) for feature in FEATURES)], ROWS)
        source = sqlrp.Wide("docs" if name in ("duckdb", "sqlite") else f"{db.schema}.docs", features=FEATURES)
        wanted = sqlrp.project(RP, source, db.connection)
        # MariaDB's relational text takes several statements: MySQL's is one, and runs there, too.
        target: Any = "mysql" if name == "mariadb" else db.connection
        text = sqlrp.sql(RP, source, target, lowering=lowering)
        got = sorted(tuple(row) for row in run(db, text, NEEDS[need]))
        assert [row[0] for row in got] == wanted["id"].to_pylist()
        assert [row[1:] for row in got] == [
            pytest.approx(row) for row in zip(*(wanted[z].to_pylist() for z in ("z0", "z1")), strict=True)
        ]
        if need != "nothing":
            assert _fails(run, db, text)
        if line == EXEC:
            assert sorted(map(tuple, _alchemy(way, _exec_without)(db, text, str))) == got


def _fails(run: Run, db: Database, text: str) -> bool:
    """Each driver has errors of its own; some are a TypeError or an IndexError."""
    try:
        run(db, text, str)
    except Exception:
        return True
    return False


def test_every_line_of_the_table_is_tried() -> None:
    page = (EXAMPLES / "operating.md").read_text(encoding="utf-8")
    table = page.partition("|---|---|\n")[2].partition("\n\n")[0].splitlines()
    tried = {line for line, *_ in CASES}
    assert [row for row in table if not any(line in row for line in tried)] == [table[-1]]
