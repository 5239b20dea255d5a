"""An interruption stays one. Drivers lose what a signal's handler raises, or make another error of it.

SQLite's driver drops what is raised while SQLite calls a function of Python. DuckDB raises a RuntimeError instead. What
cleans up after an interruption may fail on a connection that is closed by it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_HANDLERS: Any = getattr(signal, "_signal", signal)
"""The functions below those of `signal`, which take most of their time to make enums of numbers."""


class _Noting:
    """A handler of SIGINT that calls the one before, and notes what it raises."""

    def __init__(self, handler: Callable[[int, FrameType | None], Any]) -> None:
        self.handler, self.raised = handler, list[BaseException]()

    def __call__(self, number: int, frame: FrameType | None) -> Any:
        try:
            return self.handler(number, frame)
        except BaseException as stop:
            self.raised.append(stop)
            raise


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise what the handler of SIGINT raised within, such as KeyboardInterrupt, in place of any other error or none.

    Python runs handlers in the main thread alone. Within another `interruptible` the outer one does this.
    """
    before = _HANDLERS.getsignal(signal.SIGINT)
    handler = before
    while isinstance(handler, _Noting) and handler.raised:  # its interruption is on its way out
        handler = handler.handler
    nested = isinstance(handler, _Noting)
    if not callable(handler) or nested or threading.current_thread() is not threading.main_thread():
        yield
        return
    noting = _Noting(handler)
    try:
        try:
            _HANDLERS.signal(signal.SIGINT, noting)
            yield
        finally:
            if _HANDLERS.getsignal(signal.SIGINT) is noting:
                _HANDLERS.signal(signal.SIGINT, before)
    except Exception:
        if noting.raised:
            raise noting.raised[0] from None
        raise
    if noting.raised:
        raise noting.raised[0]
