"""Databases that may only be read: what reads, reads, and what writes says which right or mode is missing.

Each mode of `modes.MODES` meets every public call that takes a connection.
"""

from __future__ import annotations

import inspect
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from databases import Database
from every_call import READS, WRITES, check_same
from modes import MODES, ground

import sqlrp
from sqlrp import SqlrpError, StatementError
from sqlrp._engines.registry import connector_of

BY_MODE = [(name, mode) for name, modes in MODES.items() for mode in modes]
SAID = {
    "read_only_server": "connect to the primary server",
    "read_only_transaction": "connect to the primary server",
    "reading_session": "connect to the primary server",
    "query_only": "open the file for writing",
    "read_only_uri": "open the file for writing",
    "read_only_file": "open it for writing",
    "attached": "open it for writing",
    "readonly_1": "connect as a user without the setting readonly",
    "readonly_2": "connect as a user without the setting readonly",
}
"""What a refusal of each mode says, besides the mode. Where a right is missing: that it is to be granted."""
REFUSED = {"readonly_1": ["standardized", "score", "search", "search kept", "open_search", "learn sql", "clusters"]}
"""The calls that read and are refused: ClickHouse's queries need settings, which readonly = 1 forbids."""


def test_every_call_that_takes_a_connection_is_here() -> None:
    calls = {name: getattr(sqlrp, name) for name in sqlrp.__all__ if inspect.isfunction(getattr(sqlrp, name))}
    takes = {name for name, call in calls.items() if {"connection", "engine"} & set(inspect.signature(call).parameters)}
    texts = {"gradient_sql", "hash_sql", "pairs_sql", "vector_sql", "function_sql"}  # of an engine's name
    of_z = {"back_project", "back_projection_error"}  # they read as project does
    assert takes - texts <= {re.split(r"[ ,]", name)[0] for name in (*READS, *WRITES)} | of_z


def read(db: Database, folder: Path) -> dict[str, Any]:
    return {name: call(db.connection, folder) for name, call in READS.items()}


def seen(connection: Any) -> dict[str, list[str]]:
    """The tables and their rows."""
    connector = connector_of(connection)
    names = sorted(map(str, connector.tables(connection)))
    rows = (connector.rows(connection, f"SELECT * FROM {connector.dialect.quote(name)}") for name in names)
    return {name: sorted(map(repr, each)) for name, each in zip(names, rows, strict=True)}


@pytest.mark.parametrize(("name", "mode"), BY_MODE, ids=[mode for _, mode in BY_MODE])
def test_what_reads_reads_and_what_writes_is_refused_before(name: str, mode: str, tmp_path: Path) -> None:
    """Every call on every engine. Where calls take longest, half of them run in one mode, and half in the next."""
    turn, step = (list(MODES[name]).index(mode) % 2, 2) if name in ("duckdb", "clickhouse") else (0, 1)
    with (
        warnings.catch_warnings(),
        ground(name, tmp_path, lambda db: read(db, tmp_path)) as (found, wanted),
        MODES[name][mode](found) as connection,
    ):
        warnings.simplefilter("ignore")
        said = re.compile(SAID.get(mode, "lacks (a|the) right.* GRANT"))
        wrong = {}
        for call, reads in list(READS.items())[turn::step]:
            try:
                result = reads(connection, tmp_path)
                check_same(result, wanted[call])
            except StatementError as error:
                if call not in REFUSED.get(mode, ()) or not said.search(str(error)):
                    wrong[call] = str(error)
            except (SqlrpError, AssertionError) as error:
                wrong[call] = f"{type(error).__name__} {error}"
        before = seen(connection)
        for call, writes in list(WRITES.items())[turn::step]:
            try:
                writes(connection)
                before = seen(connection)
            except SqlrpError as error:
                if isinstance(error, StatementError) and not said.search(str(error)):
                    wrong[call] = str(error)
                if seen(connection) != before:
                    wrong[f"{call} changed"] = str(error)
        assert not wrong
