"""The command doctor: what is installed, what is missing, and which databases answer."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from re import match
from typing import Any

import click
import duckdb

from sqlrp._cli.databases import existing, opened
from sqlrp._cli.everyday import everyday
from sqlrp._cli.option_fields import Command
from sqlrp._cli.screen import print_table
from sqlrp._cli.shared_options import JSON
from sqlrp._core.errors import SqlrpError, one_line
from sqlrp._core.extras import command
from sqlrp._core.native_library import library
from sqlrp._core.version import VERSION
from sqlrp._engines.generic.answer_table import rows_of
from sqlrp._engines.registry import ENGINES, connector_of
from sqlrp._run.database_url import shown

_CORE = ("duckdb", "sqlalchemy", "numpy", "pandas", "pyarrow", "click")
_NO_ENGINES = ("demo", "docs", "lint", "release", "test")
"""Extras for those who work on sqlrp."""
_TRIPS = 3
"""The statements whose least time is a round trip to a database."""
_HERE = ("duckdb", "sqlite", "spark")
"""Engines that are found in another way. The others are reached by a URL, and have an extra of their name."""


@click.command(
    cls=Command,
    examples="""
sqlrp doctor
sqlrp doctor shop.duckdb postgresql://me@host/shop
""",
)
@click.argument("databases", metavar="[DATABASE]...", nargs=-1, envvar="SQLRP_DB")
@JSON
def doctor(databases: tuple[str, ...], as_json: bool) -> None:
    """Show versions, optional packages, engines, and folders. Each DATABASE, a file or a URL, is opened and asked.

    A call of sqlrp sends statements one after the other, so it takes at least as many round trips. Of PostgreSQL,
    MariaDB and MySQL, the time of the everyday calls is shown. A table shows what is known of each engine's SQL, or was
    asked, and what it costs you that a phrase is refused. Nothing is written.
    The exit code is 1 if a DATABASE does not answer.
    """
    found_there = [_asked(db) for db in databases]
    asked = [row for row, _, _ in found_there]
    found: dict[str, list[dict[str, str]]] = {
        "versions": _versions(),
        "extras": _extras(),
        "engines": _engines(),
        "databases": asked,
        "calls": [row for _, costs, _ in found_there for row in costs],
        "answers": [row for _, _, answers in found_there for row in answers],
        "folders": _folders(),
    }
    if as_json:
        click.echo(json.dumps(found))
    else:
        for said in _verdict(found):
            click.echo(said)
        for title, rows in found.items():
            print_table(title.capitalize(), rows)
    if any(row["state"] != "answers" for row in asked):
        raise click.exceptions.Exit(1)


def _verdict(found: dict[str, list[dict[str, str]]]) -> list[str]:
    """A sentence on each database that was asked, or on this installation if none was."""
    asked = found["databases"]
    good = "sqlrp works with {database}: {about}"
    bad = "sqlrp does not reach {database}: {about}"
    if asked:
        return [(good if row["state"] == "answers" else bad).format(**row) for row in asked]
    engines = ", ".join(row["engine"] for row in found["engines"] if row["state"] == "answers")
    return [f"sqlrp {VERSION} works here with {engines}; name a database to try it: sqlrp doctor postgresql://…"]


def _versions() -> list[dict[str, str]]:
    """sqlrp, Python and the packages that are always there, and whether the native library is."""
    native = "loaded" if library() is not None else "not there: numpy computes instead; `make native` compiles it"
    rows = [("sqlrp", VERSION), ("python", f"{platform.python_version()} ({sys.executable})")]
    rows += [("system", platform.platform()), ("processors", str(os.cpu_count())), ("native library", native)]
    rows += [(name, _version(name) or "not there") for name in _CORE]
    return [{"name": name, "version": text} for name, text in rows]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _extras() -> list[dict[str, str]]:
    """For each extra, its packages with their versions, or the command that installs it."""
    wanted: dict[str, list[str]] = {}
    for line in requires("sqlrp") or ():
        package, extra = match(r"[\w.-]+", line), line.rpartition("extra ==")[2].strip(" \"'")
        if package is not None and "extra ==" in line and extra not in _NO_ENGINES:
            wanted.setdefault(extra, []).append(package[0])
    rows = []
    for extra, packages in sorted(wanted.items()):
        there = {package: _version(package) for package in packages}
        if all(there.values()):
            rows.append({"extra": extra, "state": "installed", "packages": ", ".join(map(" ".join, there.items()))})
        else:
            missing = [package for package, found in there.items() if not found]
            remedy = f"{', '.join(missing)} missing: {command(missing[0], extra)}"
            rows.append({"extra": extra, "state": "missing", "packages": remedy})
    return rows


def _engines() -> list[dict[str, str]]:
    """The engines of this process are tried; of the others, whether their driver is there."""
    embedded: dict[str, Callable[[], str]] = {
        "duckdb": lambda: str(duckdb.connect().execute("SELECT version()").fetchall()[0][0]),
        "sqlite": lambda: str(sqlite3.connect(":memory:").execute("SELECT sqlite_version()").fetchall()[0][0]),
    }
    rows = [{"engine": name, "state": "answers", "about": ask()} for name, ask in embedded.items()]
    states = {row["extra"]: row["state"] for row in _extras()}
    for name in (name for name in ENGINES if name in states and name not in _HERE):
        there = states[name] == "installed"
        about = f"name one by its URL: sqlrp doctor {name}://…" if there else f"see the extra {name}"
        rows.append({"engine": name, "state": "driver installed" if there else "no driver", "about": about})
    if find_spec("chdb") is not None:
        rows.append({"engine": "chdb", "state": "installed", "about": "ClickHouse in this process"})
    java = shutil.which("java") or (f"{os.environ['JAVA_HOME']}/bin/java" if "JAVA_HOME" in os.environ else "")
    spark = "installed" if find_spec("pyspark") is not None and java else "missing"
    rows.append({"engine": "spark", "state": spark, "about": f"Java: {java or 'not found: set JAVA_HOME'}"})
    return rows


def _asked(db: str) -> tuple[dict[str, str], list[dict[str, str]], list[dict[str, str]]]:
    """What a database says of itself, how long a round trip takes, what the everyday calls take, and its SQL."""
    begun = time.perf_counter()
    try:
        with opened(existing(db)) as connection:
            connector = connector_of(connection)
            with connector.session(connection) as session:
                connector.rows(session, "SELECT 1")
                trip = min(_seconds(lambda: connector.rows(session, "SELECT 1")) for _ in range(_TRIPS))
                about = _server_version(connector.dialect.name, connector, session)
    except (SqlrpError, ImportError, click.ClickException) as error:
        return {"database": shown(db), "state": "does not answer", "about": one_line(str(error))}, [], []
    seconds = time.perf_counter() - begun
    about = f"{about} in {seconds:.2f} s; a round trip takes {trip * 1e3:.1f} ms"
    costs = everyday(connector.dialect.name, trip)
    rows = [{"database": shown(db), "at least": cost} for cost in costs.split("; ") if cost]
    answers = [{"database": shown(db)} | row for row in rows_of(connector.dialect)]
    return {"database": shown(db), "state": "answers", "about": about}, rows, answers


def _seconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def _server_version(engine: str, connector: Any, session: Any) -> str:
    ask = {"sqlite": "sqlite_version()"}.get(engine, "version()")
    try:
        ((said,),) = connector.rows(session, f"SELECT {ask}")
    except SqlrpError:  # an engine without that function
        return engine
    return f"{engine} {one_line(str(said))}"


def _folders() -> list[dict[str, str]]:
    """Where sqlrp and its engines keep files. sqlrp itself has no cache between two runs."""
    import sqlrp

    extensions = duckdb.connect().execute("SELECT current_setting('extension_directory')").fetchall()[0][0]
    home = "~"
    with suppress(RuntimeError):  # a user that the machine does not know
        home = str(Path.home())
    try:
        temporary = tempfile.gettempdir()
        about = f"pipes; {shutil.disk_usage(temporary).free / 1e9:.1f} GB free (TMPDIR)"
    except OSError:
        temporary, about = "none that can be written", "pipes need one: set TMPDIR to a folder"
    return [
        {"folder": "sqlrp", "path": str(Path(sqlrp.__file__).parent), "about": "code; sqlrp keeps no cache of its own"},
        {"folder": "temporary", "path": temporary, "about": about},
        {
            "folder": "DuckDB's extensions",
            "path": str(extensions or Path(home) / ".duckdb" / "extensions"),
            "about": "such as httpfs, which DuckDB loads",
        },
        {"folder": "spilled rows", "path": "next to the file of -o", "about": "they go when the command ends"},
    ]
