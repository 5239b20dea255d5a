"""SQLAlchemy, imported where it is first used: most commands and calls on DuckDB and dataframes never use it."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["is_alchemy", "sa"]

if TYPE_CHECKING:
    import sqlalchemy as sa
else:

    class _Later:
        def __getattr__(self, name: str) -> Any:
            return getattr(import_module("sqlalchemy"), name)

    sa = _Later()


def is_alchemy(connection: object) -> bool:
    """Whether it is an engine or a connection of SQLAlchemy, which is imported already if it is."""
    return "sqlalchemy" in sys.modules and isinstance(connection, (sa.Engine, sa.Connection))
