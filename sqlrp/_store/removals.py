"""How many rows a refresh may remove.

A row that this session does not see looks like a row that is gone: row security hides it, or the source is empty while
it is loaded again. So a refresh that would remove most rows is refused until the caller allows it, and so is one of a
source whose rows are hidden.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import ParameterError, SourceError, StatementError, shorten
from sqlrp._core.sources import TableName
from sqlrp._lowering.job import Job
from sqlrp._store.table_checks import repeats

MOST = 0.5
"""The share of a table that a refresh removes without being asked to."""
_FEW = 2
"""So many rows are removed without being asked for, unless they are all."""


def check_share(removals: object) -> None:
    """Raise ParameterError unless `removals` is None or a share."""
    number = isinstance(removals, (int, float)) and not isinstance(removals, bool)
    if removals is not None and not (number and 0 <= float(str(removals)) <= 1):
        raise ParameterError(f"removals = {shorten(removals)} must be a share of the rows of the table, from 0 to 1")


def check_removals(table: TableName, source: str, removed: int, held: int, removals: float | None) -> None:
    """Raise SourceError if a refresh would remove more of the `held` rows of a table than it may."""
    share = MOST if removals is None else removals
    if removed <= share * held or (removals is None and removed <= _FEW and removed < held):
        return
    raise SourceError(
        f"{removed:,} of the {held:,} rows of {table} would be removed, more than the share {share:g}, as {source} has "
        "them no longer: wait if it is being loaded, or pass removals=1 if they are gone"
    )


def fewer(connector: Connector, connection: Any, job: Job, held: int) -> int:
    """By how many rows a table of `held` rows gets smaller if it is made again. Its keys may have another type now."""
    dialect, key = connector.dialect, job.frame.key
    counted = "*" if key is None or not repeats(job) else f"DISTINCT {dialect.quote(key)}"
    query = f"SELECT count({counted}) FROM {dialect.table(job.frame.table)}"
    return max(0, held - int(connector.rows(connection, query)[0][0]))


@contextmanager
def seeing_all(connector: Connector, connection: Any, removals: float | None) -> Iterator[None]:
    """Statements that read the source fail if row security would hide rows, unless the caller said what to remove."""
    if removals is not None:
        yield
        return
    try:
        with connector.without_row_security(connection):
            yield
    except StatementError as error:
        hidden = connector.dialect.rows_hidden
        if not hidden or hidden not in error.words:
            raise
        raise SourceError(
            f"this role does not see all rows of the source ({error.words}), and a refresh would take the others for "
            "deleted: run it as a role that sees all, such as the owner; pass remove=False to keep them, or removals=1 "
            "to remove them"
        ) from error


__all__ = ["check_removals", "check_share", "fewer", "seeing_all"]
