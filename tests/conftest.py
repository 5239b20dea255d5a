"""Fixtures that every test may use."""

from __future__ import annotations

import gc
import os
import re
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Tests run side by side. Threads of numpy's library would wait for one another, and use the processors meanwhile.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import duckdb
import pytest
from databases import LEFT_OUT, NO_BROWSER, Database, database, stop_servers
from hypothesis import HealthCheck, settings
from sparks import interpreting, started

MEMORY, ROOM = Path("/dev/shm"), 4 << 30


def _has_room() -> bool:
    """Whether there is a file system in memory with room for the files of all tests, from which programs run."""
    if not os.access(MEMORY, os.W_OK | os.X_OK):
        return False
    return shutil.disk_usage(MEMORY).free >= ROOM and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC


# To make and delete many small files takes longer on a disk than in memory.
if "TMPDIR" not in os.environ and _has_room():
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

# A shell without job control starts what is in the background with Ctrl-C ignored, and children inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What is imported and collected stays until the end: the garbage collector looks at none of it.
gc.disable()

# The same examples in every run, and no deadline: a busy machine is no bug.
settings.register_profile(
    "sqlrp",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("sqlrp")


@pytest.fixture(scope="session")
def duckdb_instance() -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB in memory; one thread, as tests run side by side."""
    with duckdb.connect(config={"threads": "1"}) as connection:
        yield connection


@pytest.fixture
def con(duckdb_instance: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty database in memory, on a connection of its own.

    All tests attach it to one instance of DuckDB, as opening an instance takes as long as thirty queries. `own` is for
    a test that sets what holds for an instance, makes a function of Python, or opens a second connection.
    """
    duckdb_instance.execute("ATTACH ':memory:' AS fresh")
    with duckdb_instance.cursor() as connection:
        connection.execute("USE fresh")
        yield connection
    duckdb_instance.execute("DETACH fresh")


@pytest.fixture
def own() -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty instance of DuckDB in memory."""
    with duckdb.connect(config={"threads": "1"}) as connection:
        yield connection


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The databases that were asked for, opened once a module."""
    running: dict[str, Any] = {}
    yield running
    for generator, _ in running.values():
        next(generator, None)


@pytest.fixture
def db(request: pytest.FixtureRequest, databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Database:
    """The database of the test's parameter `name`."""
    return database(databases, request.getfixturevalue("name"), tmp_path_factory)


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session of Spark."""
    # One core, so that one worker imports what functions of Python need.
    session = started("local[1]", {"spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse"))})
    yield session
    session.stop()


@pytest.fixture
def interpreted(spark: Any) -> Iterator[None]:
    """Run the test's queries without generated code."""
    with interpreting(spark):
        yield


LONGEST = (
    "test_spark.py",
    "test_spark_databricks.py",
    "test_spark_native.py",
    "test_spark_cluster.py",
    "test_older_duckdbs.py",
    "test_interruptions.py",
    "test_materialize.py",
    "test_faults.py",
    "test_extension_contract.py",
    "test_stay.py",
    "test_keeping.py",
    "test_names.py",
    "test_contract.py",
    "test_site.py",
    "test_playground.py",
    "test_hostile.py",
    "test_methods.py",
    "test_duckdb_sql.py",
    "test_cli.py",
    "test_cli_inputs.py",
    "test_drivers.py",
    "test_postgresql_install.py",
    "test_typing.py",
    "test_engines.py",
    "test_bench.py",
    "test_upgrade.py",
    "test_connected.py",
    "test_guide.py",
    "test_tracking.py",
    "test_dbt.py",
    "test_replacing.py",
    "test_streaming.py",
    "test_new_stage.py",
    "test_install.py",
)
"""The files that take the longest. They start first, so that no process ends long after the others."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first."""
    place = {name: i for i, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.name, len(place)))


def pytest_collection_finish() -> None:
    """Let the garbage collector look at what the tests make, and at nothing older, and less often: they make little."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """One process for files that share what takes long to start.

    Those of Spark share a JVM. Those of the site share the built site: another process would wait for it.
    """
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Files(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            scope = super()._split_scope(nodeid)
            scope = re.sub(r"test_spark_\w+\.py", "test_spark.py", scope)
            return scope.replace("test_playground.py", "test_site.py")

    return Files(config, log)


def pytest_sessionfinish() -> None:
    """Every process of a run may have asked for the server that is started where none is."""
    gc.unfreeze()
    stop_servers()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """A line each for engines that were left out, and for a missing browser."""
    reasons = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", ())]
    if any(NO_BROWSER in reason for reason in reasons):
        terminalreporter.write_line(NO_BROWSER, yellow=True)
    found = Counter(reason.split(LEFT_OUT)[1] for reason in reasons if LEFT_OUT in reason)
    if found:
        said = "; ".join(f"{engine}: {n} tests" for engine, n in found.items())
        terminalreporter.write_line(f"{LEFT_OUT}{said}. SQLRP_REQUIRE_ENGINES=1 makes them fail.", yellow=True)
