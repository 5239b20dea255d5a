"""Functions inside PostgreSQL: `install` runs `sql/postgresql.sql`, which needs no Python afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.resources import files
from typing import Any

import sqlalchemy as sa

from sqlrp.catalogue import CATALOGUE
from sqlrp.engines import ENGINES
from sqlrp.engines.postgresql import PostgreSQL
from sqlrp.errors import ParameterError, SourceError, shorten
from sqlrp.layouts import is_text

_CREATED = re.compile(r"^CREATE OR REPLACE FUNCTION (\w+)", re.MULTILINE)
METHODS = ("rp_project", "pk_project", "d2pk_project", "rs_project", "cw_project", "rm_project")
"""The functions of the methods; each has a twin in _sql that gives the statement."""


def install(connection: Any, schema: str | None) -> None:
    """Leave the functions in a schema, or in the one that new tables go to; raises StatementError where refused."""
    with _within(connection, schema) as (engine, opened, _):
        engine.execute(opened, _text())


def _text() -> str:
    return files("sqlrp.shipped").joinpath("postgresql.sql").read_text(encoding="utf-8")


def uninstall(connection: Any, schema: str | None) -> None:
    """Remove what `install` left; the catalogue stays where projections are saved in it."""
    with _within(connection, schema) as (engine, opened, place):
        names = [*_CREATED.findall(_text()), *(f"{m}{end}" for m in METHODS for end in ("", "_sql"))]
        found = engine.rows(
            opened,
            "SELECT CAST(CAST(p.oid AS regprocedure) AS text) "
            "FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
            f"WHERE n.nspname = {engine.string(place)} AND p.proname IN ({', '.join(map(engine.string, names))})",
        )
        if found:
            engine.execute(opened, f"DROP FUNCTION {', '.join(name for (name,) in found)}")
        engine.execute(opened, f"DROP TYPE IF EXISTS {engine.quote(place)}.sqlrp_projected")
        table = f"{engine.quote(place)}.{CATALOGUE}"
        if engine.rows(opened, f"SELECT 1 WHERE to_regclass({engine.string(table)}) IS NOT NULL"):
            if engine.rows(opened, f"SELECT 1 FROM {table} WHERE kind <> 'function' LIMIT 1"):
                engine.execute(opened, f"DELETE FROM {table} WHERE kind = 'function'")
            else:
                engine.execute(opened, f"DROP TABLE {table}")


@contextmanager
def _within(connection: Any, schema: str | None) -> Iterator[tuple[PostgreSQL, sa.Connection, str]]:
    """One transaction, the caller's where there is one, whose search_path is the schema; put back in the end."""
    engine = ENGINES["postgresql"]
    assert isinstance(engine, PostgreSQL)
    if schema is not None and (not isinstance(schema, str) or not schema or not is_text(schema)):
        raise ParameterError(f"schema = {shorten(schema)} must be the name of a schema, or None for the current one")
    with engine.session(connection) as opened:
        place = _place(engine, opened, schema)
        before = engine.rows(opened, "SELECT current_setting('search_path')")[0][0]
        engine.rows(opened, f"SELECT set_config('search_path', {engine.string(engine.quote(place))}, false)")
        try:
            yield engine, opened, place
        finally:
            # In a transaction that a failure broke this does not run, and its rollback puts the setting back.
            with suppress(sa.exc.SQLAlchemyError):
                engine.rows(opened, f"SELECT set_config('search_path', {engine.string(before)}, false)")
        if isinstance(connection, sa.Engine):
            opened.commit()


def _place(engine: PostgreSQL, opened: sa.Connection, schema: str | None) -> str:
    """The schema; raises SourceError where there is none of that name."""
    if schema is None:
        (found,) = engine.rows(opened, "SELECT current_schema()")[0]
        if found is None:
            raise SourceError("the search_path names no schema that is there: pass schema, such as schema='public'")
        return str(found)
    if not engine.rows(opened, f"SELECT 1 FROM pg_namespace WHERE nspname = {engine.string(schema)}"):
        raise SourceError(f"schema {shorten(schema)} is not there: CREATE SCHEMA {engine.quote(schema)}")
    return schema
