"""The seconds that numba takes to compile the evaluator's functions, in a process that compiles any."""

from __future__ import annotations

from time import perf_counter

from numba.core import event

_OURS = __name__.rpartition(".")[0]


class _Clock(event.Listener):
    """It runs while one of our functions is compiled, and those that it calls. numba compiles one at a time."""

    def __init__(self) -> None:
        self.depth, self.begun, self.seconds = 0, 0.0, 0.0

    def on_start(self, begun: event.Event) -> None:
        """A function is about to be compiled."""
        if _is_ours(begun):
            self.depth += 1
            self.begun = perf_counter() if self.depth == 1 else self.begun

    def on_end(self, ended: event.Event) -> None:
        """A function has been compiled."""
        if _is_ours(ended):
            self.depth -= 1
            self.seconds += perf_counter() - self.begun if not self.depth else 0.0


def _is_ours(compiling: event.Event) -> bool:
    return str(compiling.data["dispatcher"].py_func.__module__).startswith(_OURS)


_CLOCK = _Clock()
event.register("numba:compile", _CLOCK)  # type: ignore[no-untyped-call]


def seconds() -> float:
    """The seconds of this process so far; 0 where all functions were on disk."""
    return _CLOCK.seconds
