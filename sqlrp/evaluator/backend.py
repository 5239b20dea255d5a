"""The choice between numba's kernels and numpy, and the number of threads."""

from __future__ import annotations

import logging
import os
import sys
from functools import cache
from importlib import import_module
from typing import Any

_WORK = float(1 << 28)
"""The number of additions from which importing numba takes less time than it saves."""
_LOADED = float(1 << 14)
"""The same if numba is already imported."""

_LOG = logging.getLogger("sqlrp")


def kernels(work: float) -> Any:
    """The module `sqlrp.evaluator.kernels` for so many additions; None if numpy is faster, or numba is missing."""
    if work < (_LOADED if "sqlrp.evaluator.kernels" in sys.modules else _WORK):
        return None
    return _loaded()


@cache
def _loaded() -> Any:
    try:
        module = import_module("sqlrp.evaluator.kernels")
    except ImportError:
        return None
    if not module.known():
        _LOG.info(
            "numba compiles the evaluator's functions, which takes some seconds. It keeps them on this machine, in %s.",
            module.signed_sums.stats.cache_path or "memory",
        )
    return module


def cores() -> int:
    """The number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(len(os.sched_getaffinity(0)), 1)
    return os.cpu_count() or 1
