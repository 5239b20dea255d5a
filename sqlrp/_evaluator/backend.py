"""The choice between the native library and numpy, and the number of threads, ours and those of BLAS."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from threading import Lock
from typing import Any

from sqlrp._core.native_library import library
from sqlrp._evaluator import native_calls

_WORK = float(1 << 14)
"""The number of additions from which the native library takes less time than numpy."""


def native(work: float) -> Any:
    """The module `native_calls` for so many additions; None if numpy is faster or the library missing."""
    return native_calls if work >= _WORK and library() is not None else None


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
