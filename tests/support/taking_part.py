"""What takes part in a run of the tests, and how a test leaves itself out.

`SQLRP_ENGINES=duckdb,sqlite` names the engines of a run; without it, all take part. The tests of an engine that takes
part and is not there are left out, and the last line says so. With `SQLRP_REQUIRE_ENGINES=1` they fail.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import NoReturn

import pytest

CHOSEN = frozenset(filter(None, os.environ.get("SQLRP_ENGINES", "").split(",")))
"""The engines of this run; empty for all."""
STEP = int(os.environ.get("SQLRP_STEP", "1"))
"""How far apart the steps of a call are at which a fault is tried; `make test` takes every third."""
LEFT_OUT = "left out: "
"""What the reason begins with where something is missing."""
NOT_CHOSEN = f"{LEFT_OUT}not in SQLRP_ENGINES: "


def takes_part(name: str) -> bool:
    """Whether the run has an engine, or a part that has to be installed from elsewhere, such as `extension`."""
    return not CHOSEN or name in CHOSEN


def required() -> bool:
    """Whether every engine of the run must be there."""
    return os.environ.get("SQLRP_REQUIRE_ENGINES") == "1"


def missing(name: str, error: Exception) -> NoReturn:
    """Leave the test out, or fail where every engine is required."""
    if required():
        raise error
    _leave_out(f"{LEFT_OUT}{name} ({next(iter(str(error).splitlines()), type(error).__name__)})")


def need(name: str) -> None:
    """Leave the test, or the file, out of a run without this engine or part."""
    if not takes_part(name):
        _leave_out(NOT_CHOSEN + name)


def need_package(name: str, distribution: str = "") -> None:
    """Leave the test, or the file, out where a package is not installed. `make test` installs few."""
    if find_spec(name) is None:
        missing(distribution or name, ModuleNotFoundError("not installed"))


def _leave_out(reason: str) -> NoReturn:
    pytest.skip(reason, allow_module_level=True)
