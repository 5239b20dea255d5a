"""The statements that a call sends to a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa


@contextmanager
def counting(engine: Any) -> Iterator[list[str]]:
    """The statements that pass to the driver."""
    found: list[str] = []

    def heard(_: Any, __: Any, statement: str, *___: Any) -> None:
        found.append(statement)

    sa.event.listen(engine, "before_cursor_execute", heard)
    try:
        yield found
    finally:
        sa.event.remove(engine, "before_cursor_execute", heard)


@contextmanager
def before_each(connector: Any, act: Callable[[Any, str], None]) -> Iterator[None]:
    """Call `act`, with the connector and the text, before a connector runs a statement, or several and a query."""
    of = type(connector)
    execute, ask = of.execute, of.store_and_ask

    def executing(self: Any, connection: Any, sql: str) -> None:
        act(self, sql)
        execute(self, connection, sql)

    def asking(self: Any, connection: Any, steps: Any, query: str) -> Any:
        act(self, ";\n".join(step.text for step in steps))
        return ask(self, connection, steps, query)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(of, "execute", executing)
        patched.setattr(of, "store_and_ask", asking)
        yield
