"""A script runs: its steps, its query, and the dropping of what the steps made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from sqlrp.core.errors import StatementError
from sqlrp.core.script import Script
from sqlrp.engines.base import Engine
from sqlrp.lowering import compiled


def run(engine: Engine, connection: Any, script: Script) -> Any:
    """Run a script's steps, take the result of its query, and drop what the steps made, whatever happens."""
    with prepared(engine, connection, script):
        return engine.result(connection, script.query)


@contextmanager
def prepared(engine: Engine, connection: Any, script: Script) -> Iterator[None]:
    """Run a script's steps; afterwards drop what they made, and before what an earlier failure left of it."""
    if script.calls:
        compiled.register(engine, connection, script.calls)
    clear(engine, connection, script)
    try:
        for step in script.steps:
            engine.execute(connection, step)
        yield
    except BaseException:
        # The first error is the one to tell; where it broke a transaction, its rollback drops the tables.
        with suppress(StatementError):
            clear(engine, connection, script)
        raise
    clear(engine, connection, script)


def clear(engine: Engine, connection: Any, script: Script) -> None:
    """Drop whatever a script's steps make and is there; where one drop fails, the others run nevertheless."""
    with ExitStack() as drops:
        for statement in reversed(script.cleanup):
            drops.callback(engine.execute, connection, statement)
