"""Delta Lake by Sail, a server of Spark Connect with Delta in it: Delta's own jars are on no registry that tests reach.

Sail takes sessions of an older Spark than the tests', so that it stands in an environment of its own. A call makes that
once. Sail leaves the files of a dropped table, and knows no DELETE with a subquery.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from taking_part import missing

ROOT = Path(sys.prefix) / "sail"
PROJECT = Path(__file__).parents[2] / "pyproject.toml"
PACKAGES: list[str] = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["optional-dependencies"]["sail"]
SERVER = """
import sys
from pysail.spark import SparkConnectServer
server = SparkConnectServer("127.0.0.1", 0)
server.start(background=True)
print(server.listening_address[1], flush=True)
sys.stdin.read()
"""


def python() -> Path:
    """Python with Sail. Skips if it cannot be installed."""
    made = ROOT / "bin/python"
    if not (ROOT / "ready").exists():
        uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or "uv"
        for command in (["venv", "--clear", "--python", sys.executable, str(ROOT)], _install(made)):
            done = subprocess.run([uv, "-q", *command], capture_output=True, text=True, check=False)
            if done.returncode:
                missing("Sail", RuntimeError(f"it cannot be installed: {done.stderr.strip()[-200:]}"))
        (ROOT / "ready").touch()
    return made


def _install(made: Path) -> list[str]:
    return ["pip", "install", "--python", str(made), *PACKAGES]


@contextmanager
def plain(folder: Path) -> Iterator[Any]:
    """A session of a server of its own. Checkpoints stand in the folder."""
    environment = os.environ | {"SAIL_EXECUTION__CHECKPOINT__PATH": str(folder / "checkpoints"), "RUST_LOG": "error"}
    server = subprocess.Popen(
        [str(python()), "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        port = int(server.stdout.readline())
        from pyspark.sql.connect.session import SparkSession

        session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
        yield session
        session.stop()
    finally:
        server.stdin.close()
        server.wait(timeout=30)


@contextmanager
def delta(folder: Path) -> Iterator[Any]:
    """A session whose tables are Delta's, in the folder."""
    with plain(folder) as session:
        session.conf.set("spark.sql.sources.default", "delta")
        session.sql(f"CREATE DATABASE kept LOCATION '{folder / 'kept'}'").collect()
        session.sql("USE SCHEMA kept").collect()
        yield session
