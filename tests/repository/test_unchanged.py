"""A test that changes the process fails, and what it changed is put back."""

from __future__ import annotations

import locale
import logging
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable

import duckdb
import numpy as np
import pytest
from unchanged import KEPT, OF_A_FILE, unchanged

import sqlrp

CHANGES: dict[str, Callable[[], object]] = {
    "the environment": lambda: os.environ.update(SQLRP_REQUIRE_ENGINES="2"),
    "the working directory": lambda: os.chdir("/"),
    "sys.path": lambda: sys.path.append("/nowhere"),
    "the filters of warnings": lambda: warnings.simplefilter("ignore"),
    "tempfile.tempdir": lambda: setattr(tempfile, "tempdir", "/nowhere"),
    "the locale": lambda: locale.setlocale(locale.LC_ALL, "C" if locale.setlocale(locale.LC_ALL) != "C" else "C.UTF-8"),
    "the handlers of signals": lambda: signal.signal(signal.SIGTERM, lambda *_: None),
    "the levels of loggers": lambda: logging.getLogger("sqlalchemy").setLevel(1),
    "numpy's handling of errors": lambda: np.seterr(all="raise"),
    "DuckDB's default connection": lambda: duckdb.set_default_connection(duckdb.connect()),
    "the names of sqlrp": lambda: setattr(sqlrp, "project", None),
    "what DuckDB's default connection holds": lambda: duckdb.execute("CREATE TABLE left_there (a INTEGER)"),
}


def test_each_change_is_named_and_put_back() -> None:
    assert callable(sqlrp.project), "it is imported now"
    default = duckdb.default_connection()
    assert CHANGES.keys() == {kept.name for kept in (*KEPT, *OF_A_FILE)}
    for kept in {kept.name: kept for kept in (*OF_A_FILE, *KEPT)}.values():
        before = kept.read()
        with (
            pytest.raises(AssertionError, match=f"the test changed the process: {kept.name} \\(.+\\)"),
            unchanged("the test", [kept]),
        ):
            CHANGES[kept.name]()
        assert kept.read() == before
    default.execute("DROP TABLE left_there")  # a new connection is in its place
    duckdb.set_default_connection(default)


def test_a_lazy_import_and_a_new_logger_are_no_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    sqlrp.__dict__.pop("min_k", None)
    with unchanged("the test"):
        assert callable(sqlrp.min_k)
        logging.getLogger("made by this test").setLevel(logging.ERROR)
        with monkeypatch.context() as undone:
            undone.setenv("SQLRP_REQUIRE_ENGINES", "2")
    sqlrp.__dict__.pop("min_k")
    with pytest.raises(AssertionError, match=r"the names of sqlrp \(min_k, other\)"), unchanged("the test"):
        sqlrp.min_k = sqlrp.other = None  # type: ignore[assignment]
    assert callable(sqlrp.min_k)


def test_every_test_is_looked_at(request: pytest.FixtureRequest) -> None:
    assert {"file_leaves_the_process", "test_leaves_the_process"} <= set(request.fixturenames)
