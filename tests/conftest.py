"""Fixtures that every test may use."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Tests run side by side. Threads of numpy's library would wait for one another, and use the processors meanwhile.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import duckdb
import pytest
from choosing import Choosing
from databases import Database, database, stop_servers
from hypothesis import HealthCheck, settings
from sparks import interpreting, started
from summary import LeftOut, Spent
from unchanged import OF_A_FILE, unchanged

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


@pytest.fixture(autouse=True, scope="module")
def file_leaves_the_process(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a fixture of a whole file changes, it puts back at its end.

    What a file leaves in memory, such as a cache, stays: the garbage collector looks at none of it in later files.
    """
    with unchanged(f"a fixture of {request.path.name}", OF_A_FILE):
        yield
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def test_leaves_the_process(file_leaves_the_process: None, request: pytest.FixtureRequest) -> Iterator[None]:
    """A test leaves the process as it was: it starts before the test's own fixtures, and after those of the file."""
    with unchanged("the test"):
        yield


OF_AN_INSTANCE = "SELECT " + ", ".join(
    f"current_setting('{name}')"
    for name in ("threads", "memory_limit", "default_order", "default_null_order", "preserve_insertion_order")
)
OF_AN_INSTANCE += ", (SELECT list(database_name ORDER BY database_name ASC) FROM duckdb_databases())"
"""The settings and the databases of an instance, which other tests see."""


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
    before = duckdb_instance.execute(OF_AN_INSTANCE).fetchall()
    duckdb_instance.execute("ATTACH ':memory:' AS fresh")
    with duckdb_instance.cursor() as connection:
        connection.execute("USE fresh")
        yield connection
    duckdb_instance.execute("DETACH fresh")
    after = duckdb_instance.execute(OF_AN_INSTANCE).fetchall()
    assert after == before, f"the test left the shared instance with {after}: use the fixture own"


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


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of this suite."""
    parser.addoption("--few", action="store_true", help="run a part of the cases of tests of many cases")
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run files, and the tests in each, in a random order")


def pytest_configure(config: pytest.Config) -> None:
    """Choose and order the tests, and say at the end where the time went and what was left out."""
    choosing = Choosing(config)
    for plugin in (choosing, Spent(), LeftOut(choosing)):
        config.pluginmanager.register(plugin)


def pytest_collection_finish() -> None:
    """Let the garbage collector look at what the tests make, and at nothing older, and less often: they make little."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


def pytest_sessionfinish() -> None:
    """Every process of a run may have asked for the server that is started where none is."""
    stop_servers()
