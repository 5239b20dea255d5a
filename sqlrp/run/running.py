"""A script runs: its steps, its query, and the dropping of what the steps made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from sqlrp.connectors.base import Connector
from sqlrp.core.errors import StatementError
from sqlrp.core.script import Script
from sqlrp.lowering import compiled


def run(connector: Connector, connection: Any, script: Script) -> Any:
    """Run a script's steps, take the result of its query, and drop what the steps made, whatever happens."""
    with prepared(connector, connection, script):
        return connector.result(connection, script.query)


@contextmanager
def prepared(connector: Connector, connection: Any, script: Script) -> Iterator[None]:
    """Run a script's steps; afterwards drop what they made, and before what an earlier failure left of it."""
    if script.calls:
        compiled.register(connector, connection, script.calls)
    clear(connector, connection, script)
    try:
        for step in script.steps:
            connector.execute(connection, step)
        yield
    except BaseException:
        # The first error is the one to tell; where it broke a transaction, its rollback drops the tables.
        with suppress(StatementError):
            clear(connector, connection, script)
        raise
    clear(connector, connection, script)


def clear(connector: Connector, connection: Any, script: Script) -> None:
    """Drop whatever a script's steps make and is there; where one drop fails, the others run nevertheless."""
    with ExitStack() as drops:
        for statement in reversed(script.cleanup):
            drops.callback(connector.execute, connection, statement)
