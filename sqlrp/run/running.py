"""Run a script: its steps, its query, and the cleanup of the tables that the steps made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from sqlrp.connectors.base import Connector
from sqlrp.core.errors import StatementError
from sqlrp.core.script import Script
from sqlrp.lowering import compiled


def run(connector: Connector, connection: Any, script: Script) -> Any:
    """Run a script's set-up statements, take the result of its query, and always drop the tables that they made."""
    with set_up(connector, connection, script):
        return connector.result(connection, script.query)


@contextmanager
def set_up(connector: Connector, connection: Any, script: Script) -> Iterator[None]:
    """Run a script's set-up statements, and drop their tables afterwards and those of an earlier failure before."""
    if script.calls:
        compiled.register(connector, connection, script.calls)
    clear(connector, connection, script)
    try:
        for statement in script.setup:
            connector.execute(connection, statement)
        yield
    except BaseException:
        # Report the first error. If it broke a transaction, the rollback drops the tables.
        with suppress(StatementError):
            clear(connector, connection, script)
        raise
    clear(connector, connection, script)


def clear(connector: Connector, connection: Any, script: Script) -> None:
    """Drop the existing tables of a script's set-up statements. If one drop fails, the others still run."""
    with ExitStack() as drops:
        for statement in reversed(script.cleanup):
            drops.callback(connector.execute, connection, statement)
