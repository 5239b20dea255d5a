"""Functions inside PostgreSQL: `install` runs `sql/postgresql.sql`, which needs no Python afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlrp._core import shipped_files
from sqlrp._core.alchemy import sa
from sqlrp._core.errors import ParameterError, SourceError, shorten, warn
from sqlrp._core.sources import is_text
from sqlrp._engines.postgresql.connector import PostgreSQLConnector
from sqlrp._engines.postgresql.drivers import linked
from sqlrp._engines.registry import CONNECTORS
from sqlrp._store.installed import OWN_IN_POSTGRESQL, named_in_postgresql
from sqlrp._store.table import CATALOGUE, Catalogue

_TRANSACTION = re.compile(r"^(?:BEGIN|COMMIT|SET LOCAL .*);$", re.MULTILINE)
_SETTINGS = {"standard_conforming_strings": "on", "quote_all_identifiers": "off"}
"""The settings under which the text of the file means what it says."""


def install(connection: Any, schema: str | None, trust_schema: bool) -> None:
    """Install the functions in `schema`, by default the schema for new tables. Raises StatementError if refused.

    `trust_schema` accepts a schema where others may create objects, with a warning.
    """
    trusted = {"sqlrp.trust_schema": "on"} if trust_schema else {}
    with _within(connection, schema, trusted) as (connector, opened, _), _warnings(opened):
        connector.run_script(opened, _text())


@contextmanager
def _warnings(opened: sa.Connection) -> Iterator[None]:
    """Turn the server's warnings into `SqlrpWarning`."""
    driver: Any = opened.connection.driver_connection

    said: list[str] = []

    def hear(*notice: Any) -> None:  # the last argument; the next statement discards the text
        told = notice[-1]
        if getattr(told, "severity_nonlocalized", getattr(told, "severity", "")) == "WARNING":
            said.append(getattr(told, "message_primary", None) or told.message)

    for add in ("add_notice_handler", "add_log_listener"):  # of psycopg, of asyncpg
        if hasattr(driver, add):
            getattr(driver, add)(hear)
            try:
                yield
            finally:
                getattr(driver, add.replace("add", "remove"))(hear)
            break
    else:  # psycopg2 keeps the last ones as text
        before = list(driver.notices)
        yield
        said += [
            text.partition(":")[2].strip()
            for text in driver.notices
            if text.startswith("WARNING") and text not in before
        ]
    for words in said:
        warn(words)


def _text() -> str:
    """The statements of the file, without BEGIN, COMMIT and the settings: that is done by the caller or `_within`."""
    return _TRANSACTION.sub("", shipped_files.text_of("postgresql.sql"))


def uninstall(connection: Any, schema: str | None) -> None:
    """Remove the functions of `install`. The catalogue stays if projections are saved in it.

    A function of such a name without the settings that all of `install` have is not sqlrp's, and stays.
    """
    with _within(connection, schema) as (connector, opened, place):
        found = connector.rows(
            opened,
            "SELECT CAST(CAST(p.oid AS regprocedure) AS text) "
            "FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
            f"WHERE {named_in_postgresql(connector.dialect, place)} AND {OWN_IN_POSTGRESQL}",
        )
        if found:
            connector.execute(opened, f"DROP FUNCTION {', '.join(name for (name,) in found)}")
            connector.execute(opened, f"DROP TYPE IF EXISTS {connector.dialect.quote(place)}.sqlrp_projected")
        Catalogue.looked_up(connector, opened).without_functions()


@contextmanager
def _within(
    connection: Any, schema: str | None, settings: Mapping[str, str] | None = None
) -> Iterator[tuple[PostgreSQLConnector, sa.Connection, str]]:
    """A transaction, or the caller's open one, with the schema as search_path and with the given settings.

    It waits for other sessions that install or save, as PostgreSQL's CREATE OR REPLACE fails if two run at once.
    """
    connector = CONNECTORS["postgresql"]
    assert isinstance(connector, PostgreSQLConnector)
    if schema is not None and (not isinstance(schema, str) or not schema or not is_text(schema)):
        raise ParameterError(f"schema = {shorten(schema)} must be the name of a schema, or None for the current one")
    connection = linked(connection)
    if isinstance(connection, sa.Connection) and not connection.in_transaction():
        connection.begin()  # the caller's, which the driver begins, unless the connection commits by itself
    with connector.begun(connection, "", makes=True) as opened, connector.configured(opened, lock=CATALOGUE):
        with connector.within_schema(opened, schema, {**_SETTINGS, **(settings or {})}) as place:
            if place is not None:
                yield connector, opened, place
                return
        if schema is None:
            raise SourceError("the search_path names no schema that is there: pass schema, such as schema='public'")
        raise SourceError(f"schema {shorten(schema)} is not there: CREATE SCHEMA {connector.dialect.quote(schema)}")
