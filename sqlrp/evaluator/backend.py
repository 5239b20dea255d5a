"""The choice between numba's kernels and numpy, and the number of threads, ours and those of BLAS."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from threading import Lock
from typing import Any

from sqlrp.core.draw import draw_by
from sqlrp.core.logs import LOG

_WORK = float(1 << 28)
"""The number of additions from which importing numba takes less time than it saves."""
_LOADED = float(1 << 14)
"""The same if numba is already imported."""


def kernels(work: float) -> Any:
    """The module `sqlrp.evaluator.kernels` for so many additions; None if numpy is faster, or numba is missing."""
    if work < (_LOADED if "sqlrp.evaluator.kernels" in sys.modules else _WORK):
        return None
    return _loaded()


def loads(work: float) -> bool:
    """Whether so many additions load numba's kernels, which takes time."""
    return work >= _WORK and has_numba() and "sqlrp.evaluator.kernels" not in sys.modules


@cache
def has_numba() -> bool:
    """Whether numba is installed."""
    return find_spec("numba") is not None


@cache
def _loaded() -> Any:
    try:
        module = import_module("sqlrp.evaluator.kernels")
    except ImportError:
        return None
    import_module("sqlrp.evaluator.compiling")  # from now on the seconds are counted
    draw_by(module.fill_signs)
    if not module.known():
        LOG.info("numba compiles the evaluator's functions, which takes some seconds. It keeps them %s.", _place())
    return module


def _place() -> str:
    """Where machine code is kept, in words."""
    place = sys.modules["sqlrp.evaluator.kernels"].kept()
    return f"in {place} for later" if place else "for this process, as no cache folder is writable"


def compiled() -> tuple[float, str]:
    """The seconds in which this process has compiled functions, and a sentence about them; empty if there are none."""
    clock = sys.modules.get("sqlrp.evaluator.compiling")
    seconds = 0.0 if clock is None else clock.seconds()
    return seconds, f"numba has compiled functions in {seconds:.1f} s. It keeps them {_place()}." if seconds else ""


_SAID = [0.0]


def say_compiled() -> None:
    """Log the seconds, once more have passed."""
    seconds, said = compiled()
    if seconds > _SAID[0]:
        _SAID[0] = seconds
        LOG.info("%s", said)


def cores() -> int:
    """The number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(len(os.sched_getaffinity(0)), 1)
    return os.cpu_count() or 1


def shared(n: int, part: Callable[[int, int], None]) -> None:
    """Call `part` for the first and the last of n rows of each thread; none of it may hold the GIL for long."""
    workers = min(cores(), n)
    if workers < 2:
        part(0, n)
        return
    bounds = [n * i // workers for i in range(workers + 1)]
    with ThreadPoolExecutor(workers, thread_name_prefix="sqlrp") as pool:
        for done in [pool.submit(part, first, last) for first, last in pairwise(bounds)]:
            done.result()


class _Single:
    """The limit of BLAS to one thread, as long as anyone asks for it."""

    def __init__(self) -> None:
        self.lock, self.users, self.before = Lock(), 0, []  # type: ignore[var-annotated]

    @contextmanager
    def hold(self) -> Iterator[None]:
        with self.lock:
            if not self.users:
                self.before = [(library, library.get_num_threads()) for library in _blas() or ()]
                for library, _ in self.before:
                    library.set_num_threads(1)
            self.users += 1
        try:
            yield
        finally:
            with self.lock:
                self.users -= 1
                for library, threads in self.before if not self.users else ():
                    library.set_num_threads(threads)


_SINGLE = _Single()


@cache
def _blas() -> Any:
    """The BLAS libraries of this process; None if threadpoolctl is missing or finds none."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController().select(user_api="blas").lib_controllers or None


def has_single_blas() -> bool:
    """Whether BLAS can be limited to one thread, so that our threads multiply side by side without waiting."""
    return _blas() is not None


def single_blas() -> Any:
    """A context in which BLAS uses one thread for each of ours."""
    return _SINGLE.hold()
