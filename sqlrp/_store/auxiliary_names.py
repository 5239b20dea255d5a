"""The names of the auxiliary objects that `materialize` and `refresh` make, which tell an interrupted call's apart."""

from __future__ import annotations

import hashlib
import re

from sqlrp._core.sources import TableName
from sqlrp._dialects.table_queries import OLD, aside

ENDS = ("_keys", OLD)
"""What the names of further tables for making one end with."""

_LEFT = re.compile(rf"sqlrp_(new|rows|gone)_([0-9a-f]{{12}})({'|'.join(ENDS)})?")


def is_temporary(name: str) -> bool:
    """Whether a table has the name of an intermediate one."""
    return _LEFT.fullmatch(name) is not None


def temporary_name(table: TableName) -> TableName:
    """The name of a new table until it is renamed, then of the old table until it is dropped."""
    return TableName((*table.parts[:-1], hashed("new", table)))


def old_name(table: TableName) -> TableName:
    """The name of an old table until it is dropped, where the new one has `temporary_name` until then."""
    return aside(temporary_name(table))


def lock_of(table: TableName) -> str:
    """The name of the lock of a table: without its schema, which may be written or left out."""
    return hashed("lock", table)


def lock_of_temporary(name: str) -> str:
    """The name of the lock of the table for which an intermediate one was made."""
    found = _LEFT.fullmatch(name)
    assert found is not None
    return f"sqlrp_lock_{found[2]}"


def hashed(what: str, table: TableName) -> str:
    """The name of an auxiliary object for making a table, in the schema of the table."""
    return f"sqlrp_{what}_{hashlib.sha256(table.parts[-1].encode(errors='surrogatepass')).hexdigest()[:12]}"
