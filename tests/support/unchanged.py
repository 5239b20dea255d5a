"""What a test must leave as it found it in the process that runs all tests.

Each line of `KEPT` reads one thing and puts it back. To read them all before and after takes 0.1 ms.
"""

from __future__ import annotations

import locale
import logging
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np

import sqlrp

OTHERS = ("PYTEST_CURRENT_TEST", "KMP_", "SPARK_", "PYSPARK_", "_RJEM_")
"""How variables begin that pytest sets for each test, scikit-learn and polars when they are imported, and Spark.

Spark sets a folder of `sys.path` and the handler of Ctrl-C, too, and puts nothing back. These are passed over.
"""
SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE", "SIGCHLD", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGWINCH")
    if hasattr(signal, name)  # Windows has two of them
)


@dataclass(frozen=True)
class Kept:
    """One thing of the process: how to read it, and how to put it back."""

    name: str
    read: Callable[[], Any]
    restore: Callable[[Any], object]


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(OTHERS)}


def _restore_environment(before: dict[str, str]) -> None:
    for name in _environment().keys() - before:
        del os.environ[name]
    os.environ.update(before)


def _folder() -> str | None:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None  # it was deleted


def _path() -> list[str]:
    return [folder for folder in sys.path if "/spark-" not in folder]


def _restore_path(before: list[str]) -> None:
    sys.path[:] = before


def _filters() -> tuple[list[Any], int]:
    return list(warnings.filters), len(sys.modules)


def _restore_filters(before: tuple[list[Any], int]) -> None:
    warnings.filters[:] = before[0]  # type: ignore[index]  # the stubs call it a Sequence


def _restore_tempdir(before: str | None) -> None:
    tempfile.tempdir = before


def _signals() -> list[Any]:
    found = [signal.getsignal(number) for number in SIGNALS]
    return [signal.default_int_handler if "pyspark" in str(getattr(one, "__module__", "")) else one for one in found]


def _restore_signals(before: list[Any]) -> None:
    for number, handler in zip(SIGNALS, before, strict=True):
        if handler is not None:  # one that was not made in Python cannot be set
            signal.signal(number, handler)


class _Levels:
    """The levels of all loggers. A logger that was made since is no change."""

    def __init__(self) -> None:
        self._known: dict[str, logging.Logger] = {"root": logging.root}
        self._seen = 0

    def read(self) -> dict[str, int]:
        made = logging.root.manager.loggerDict
        if len(made) != self._seen:
            self._seen = len(made)
            self._known |= {name: found for name, found in made.items() if isinstance(found, logging.Logger)}
        return {name: found.level for name, found in self._known.items()} | {"": logging.root.manager.disable}

    def restore(self, before: dict[str, int]) -> None:
        for name, level in before.items():
            if name:
                self._known[name].setLevel(level)
        logging.disable(before[""])


_LEVELS = _Levels()


# DuckDB makes its default connection when it is first asked for. One thread, as every other of the tests.
duckdb.set_default_connection(duckdb.connect(config={"threads": "1"}))
HOLDS = """
    SELECT [database_name, schema_name, table_name] FROM duckdb_tables() UNION ALL
    SELECT [database_name, schema_name, view_name] FROM duckdb_views() WHERE NOT internal UNION ALL
    SELECT [database_name, schema_name, function_name] FROM duckdb_functions() WHERE NOT internal UNION ALL
    SELECT [database_name, path, ''] FROM duckdb_databases() UNION ALL
    SELECT [name, value, ''] FROM duckdb_settings() ORDER BY 1
"""


def _held() -> set[tuple[str, ...]]:
    """What DuckDB's default connection holds. To read it takes as long as a short test."""
    return {tuple(row) for (row,) in duckdb.default_connection().execute(HOLDS).fetchall()}


def _new_default(before: set[tuple[str, ...]]) -> None:
    duckdb.set_default_connection(duckdb.connect(config={"threads": "1"}))


def _package() -> dict[str, Any]:
    return dict(vars(sqlrp))


def _restore_package(before: dict[str, Any]) -> None:
    for name in _added(before, _package()):
        delattr(sqlrp, name)
    vars(sqlrp).update(before)


def _added(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """The new names that the package itself does not give: modules, and public names when they are first used."""
    return [name for name in now if name not in before and not _is_own(name, now[name])]


def _is_own(name: str, value: object) -> bool:
    if value is sys.modules.get(f"sqlrp.{name}", KEPT):
        return True
    try:
        return name == "__all__" or sqlrp.__getattr__(name) is value  # that list is another one at each call
    except AttributeError:
        return False


FILTERS = "the filters of warnings"
"""pytest sets them for each test, so they are compared within a test alone."""
KEPT = (
    Kept("the environment", _environment, _restore_environment),
    Kept("the working directory", _folder, lambda before: os.chdir(before) if before else None),
    Kept("sys.path", _path, _restore_path),
    Kept(FILTERS, _filters, _restore_filters),
    Kept("tempfile.tempdir", lambda: tempfile.tempdir, _restore_tempdir),
    Kept("the locale", lambda: locale.setlocale(locale.LC_ALL), lambda at: locale.setlocale(locale.LC_ALL, at)),
    Kept("the handlers of signals", _signals, _restore_signals),
    Kept("the levels of loggers", _LEVELS.read, _LEVELS.restore),
    Kept("numpy's handling of errors", np.geterr, lambda before: np.seterr(**before)),
    Kept("DuckDB's default connection", duckdb.default_connection, duckdb.set_default_connection),
    Kept("the names of sqlrp", _package, _restore_package),
)
OF_A_FILE = (
    *(kept for kept in KEPT if kept.name != FILTERS),
    Kept("what DuckDB's default connection holds", _held, _new_default),
)


def difference(kept: Kept, before: Any, now: Any) -> str:
    """What changed, in words; empty if nothing did."""
    if before is now or before == now:
        return ""
    if kept.read is _filters:
        (before, modules), (now, more) = before, now
        # A package may add its own when it is imported, as scipy and urllib3 do.
        if before == ([one for one in now if one in before] if more > modules else now):
            return ""
    if kept.read is _package:
        changed = [name for name in before if name not in now or now[name] is not before[name]]
        return ", ".join(changed + _added(before, now))
    if kept.read == _LEVELS.read:
        before = {name: level for name, level in before.items() if name}
        now = {name: level for name, level in now.items() if name in before}
    if isinstance(before, set):
        return ", ".join(map(str, sorted(before ^ now)))
    if isinstance(before, dict):
        names = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
        return ", ".join(f"{name}: {before.get(name)!r} became {now.get(name)!r}" for name in names)
    return f"{before!r} became {now!r}"


@contextmanager
def unchanged(who: str, things: Sequence[Kept] = KEPT) -> Iterator[None]:
    """Put back what changes meanwhile, and say what did."""
    before = [kept.read() for kept in things]
    yield
    now = [kept.read() for kept in things]
    found = [
        f"{kept.name} ({said})"
        for kept, was, at in zip(things, before, now, strict=True)
        if (said := difference(kept, was, at))
    ]
    if found:
        for kept, was in zip(things, before, strict=True):
            kept.restore(was)
        raise AssertionError(f"{who} changed the process: {'; '.join(found)}. Use monkeypatch, or put it back.")
