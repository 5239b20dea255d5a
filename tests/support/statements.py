"""The statements that a call sends to a server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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
