"""Views that an engine keeps up to date, or computes when they are read: what fits, and the statement."""

from __future__ import annotations

import re
from typing import Any

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import ParameterError, UnsupportedError
from sqlrp._core.script import Script
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Dialect
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import plan_kept

LAG = "1 hour"
"""How old the rows of a materialized view may be, unless the caller says otherwise."""


def view_script(job: Job, lowering: str) -> Script:
    """The script of a view. Raises UnsupportedError for rows that the view would not compute right."""
    dialect = job.dialect
    if dialect.views_see_inserts and (job.grouped or job.frame.layout == "long"):
        raise UnsupportedError(
            f"a materialized view of {dialect.name} sees the rows of one INSERT, and this projection adds up several "
            "rows: use kind = 'table'"
        )
    return plan_kept(job, lowering, view=True).kept_script()


def check_inserts(connector: Connector, connection: Any, table: TableName) -> None:
    """Raise UnsupportedError for a table of several servers whose INSERTs a view on this server does not see."""
    spread = connector.spread(connection, table) if connector.dialect.views_see_inserts else None
    if spread is not None:
        raise UnsupportedError(
            f"{table} is Distributed over the cluster {spread[0]}, and a materialized view of it sees no row that is "
            f"inserted on another server: sqlrp.export(…, kind='materialized view', cluster={spread[0]!r}) writes the "
            "statements for all servers"
        )


def check_view(dialect: Dialect, lag: str, warehouse: str | None) -> None:
    """Raise ParameterError if the options of a materialized view are missing or wrong."""
    if not re.fullmatch(r"[1-9]\d* (second|minute|hour|day)s?", lag):
        raise ParameterError(f"lag = {lag!r} must be a number and a unit, such as '1 hour'")
    if "{warehouse}" in dialect.keeping_view and not warehouse:
        raise ParameterError(f"warehouse = {warehouse!r}: name the one of {dialect.name} that refreshes the table")


def view_statement(dialect: Dialect, name: TableName, query: str, lag: str, warehouse: str | None) -> str:
    """The statement that makes a view of a query."""
    check_view(dialect, lag, warehouse)
    return dialect.keeping(name, query, lag, warehouse or "")
