"""Every call that writes, with its preparation; the place to write to is an argument."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import sqlalchemy as sa
from databases import DOUBLES, FAMILY, Database, opened

import sqlrp
from sqlrp import PolynomialKernelProjection, SparseProjection, Wide
from sqlrp.dbt import write as write_dbt

SERVERS = ("postgresql", *FAMILY)
SQL = ("duckdb", "sqlite", *SERVERS)
ALL = (*SQL, "clickhouse")
FUNCTIONS = ("duckdb", "postgresql")

FIRST = SparseProjection(k=3, s=1, seed=1)
SECOND = PolynomialKernelProjection(k=2, t=2, seed=2)
X = np.random.default_rng(3).normal(size=(8, 4)).round(3)
T = Wide("t")
GROWING = Wide("t", features=["f0", "f1", "f2"])
IN_PLACE = {"replace": True} if "replace" in inspect.signature(sqlrp.save).parameters else {}


@dataclass
class Place:
    """A database, and a folder for files; DuckDB's file can be left to another process."""

    name: str
    folder: Path
    db: Database
    pool: Any = None
    """what the calls are given, one after the other: a pool of one connection"""

    @property
    def address(self) -> str:
        """What `connected` takes: a path, or a URL."""
        if self.name in ("duckdb", "clickhouse"):
            return str(self.folder / "test.db")
        url = self.db.pool().url.set(password=None)
        if self.name == "postgresql":
            url = url.update_query_dict({"application_name": self.db.schema})
        if self.name in FAMILY:
            url = url.update_query_dict({"ssl_disabled": "true"})  # to read the certificates takes 50 ms
        return str(url.render_as_string(hide_password=False))

    def close(self) -> None:
        """Leave DuckDB's file to others."""
        if self.name == "duckdb":
            self.db.connection.close()

    def open(self) -> None:
        """Take it back."""
        if self.name == "duckdb":
            self.db.connection = duckdb.connect(str(self.folder / "test.db"), config={"threads": "1"})


@contextmanager
def place(name: str, folder: Path) -> Iterator[Place]:
    """An empty one."""
    for db in opened(name, folder):
        found = Place(name, folder, db)
        yield found
        found.close()
        if found.pool is not None:
            found.pool.dispose()


def connected(name: str, address: str) -> Any:
    """A connection of one's own: a pool of one connection that is warm, or DuckDB's."""
    if name == "duckdb":
        return duckdb.connect(address, config={"threads": "1"})
    pool = sa.create_engine(address, pool_size=1, max_overflow=0)
    pool.connect().close()
    return pool


@dataclass(frozen=True)
class Call:
    """A call that writes."""

    name: str
    engines: tuple[str, ...]
    before: Callable[[Database, Path], None]
    """makes what stands before it"""
    run: Callable[[Any, str, Path], Any]
    """the call, given a connection, an address and a folder"""
    outside: bool = False
    """whether it opens the database by its address itself, so that DuckDB's file must be closed before"""


# -- what stands before ----------------------------------------------------------------------------------


def rows(db: Database, first: int, last: int) -> None:
    lines = ", ".join(f"({i}, {', '.join(map(repr, X[i].tolist()))})" for i in range(first, last))
    db.run(f"INSERT INTO t VALUES {lines}")


def table(db: Database, folder: Path) -> None:
    db.make("t", [("id", "BIGINT"), *((f"f{j}", DOUBLES[db.name]) for j in range(X.shape[1]))], [])
    rows(db, 0, 4)


def kept(db: Database, folder: Path) -> None:
    """Functions where the engine has them, a projection saved, and a table made that lacks rows of its source."""
    if db.name in FUNCTIONS:
        db.install()
    made(db, folder)
    sqlrp.save(FIRST, db.connection, "kept", source=T)


def altered(db: Database, folder: Path) -> None:
    """The same where someone dropped a function, as what no one changed is not written again."""
    kept(db, folder)
    if db.name == "duckdb":
        db.run("DROP MACRO sqlrp_number")


def made(db: Database, folder: Path) -> None:
    """A table made that lacks rows of its source; nothing is saved."""
    table(db, folder)
    sqlrp.materialize(FIRST, T, db.connection, "made")
    rows(db, 4, 8)


def installed(db: Database, folder: Path) -> None:
    """Functions, and a table made; nothing is saved."""
    db.install()
    made(db, folder)


def tracked(db: Database, folder: Path) -> None:
    """A table made that follows its source, where rows were added, changed and deleted since."""
    table(db, folder)
    sqlrp.materialize(FIRST, T, db.connection, "made", track="rows")
    db.make("t", [("id", "BIGINT"), *((f"f{j}", DOUBLES[db.name]) for j in range(X.shape[1]))], [[1, 9, 9, 9, 9]])
    rows(db, 2, 6)


def tracked_by_column(db: Database, folder: Path) -> None:
    """The same, found by a column that grows."""
    table(db, folder)
    sqlrp.materialize(SparseProjection(k=2, s=1, seed=1), GROWING, db.connection, "made", track="f3")
    db.make("t", [("id", "BIGINT"), *((f"f{j}", DOUBLES[db.name]) for j in range(X.shape[1]))], [[1, 9, 9, 9, 9]])
    rows(db, 2, 6)


def viewed(db: Database, folder: Path) -> None:
    table(db, folder)
    sqlrp.materialize(FIRST, T, db.connection, "made", kind="view")
    rows(db, 4, 8)


def written(db: Database, folder: Path) -> None:
    """A file of rows, and files of every kind that stand in the way."""
    table(db, folder)
    db.connection.execute(f"COPY t TO '{folder / 'rows.parquet'}' (FORMAT parquet)")
    for name in ("small.parquet", "small.csv", "small.arrow", "page.html", "fitted.json"):
        (folder / name).write_text("what stood here before")
    (folder / "shop").mkdir()
    (folder / "shop" / "dbt_project.yml").write_text("name: shop\n")
    write_dbt(FIRST, T, db.connection, folder / "shop", "written")


# -- the calls -------------------------------------------------------------------------------------------


def line(*words: str) -> Callable[[Any, str, Path], Any]:
    """A line of the command line; ADDRESS and FOLDER stand for themselves. Its errors leave as one."""

    def run(connection: Any, address: str, folder: Path) -> None:
        from sqlrp._cli.app import cli

        said = [word.replace("ADDRESS", address).replace("FOLDER", str(folder)) for word in words]
        try:
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as errors:
                cli.main(said, prog_name="sqlrp")
        except SystemExit as end:
            if end.code:
                raise EndedError(end.code, errors.getvalue()) from end

    return run


class EndedError(Exception):
    """The command line ended with an error."""


LEARN = ("-k", "2", "--n-iter", "3")
METHOD = ("-k", "2", "--method", "pk", "--seed", "2")

CALLS = (
    Call("save", ALL, table, lambda c, a, f: sqlrp.save(FIRST, c, "kept", source=T)),
    Call("save over", ALL, kept, lambda c, a, f: sqlrp.save(SECOND, c, "kept", source=T, **IN_PLACE)),
    Call("install", FUNCTIONS, table, lambda c, a, f: sqlrp.install(c)),
    Call("install again", FUNCTIONS, altered, lambda c, a, f: sqlrp.install(c)),
    Call("uninstall", FUNCTIONS, installed, lambda c, a, f: sqlrp.uninstall(c)),
    Call("uninstall, saved", FUNCTIONS, kept, lambda c, a, f: sqlrp.uninstall(c)),
    Call("materialize", ALL, table, lambda c, a, f: sqlrp.materialize(FIRST, T, c, "made")),
    Call("materialize over", ALL, made, lambda c, a, f: sqlrp.materialize(SECOND, T, c, "made", replace=True)),
    Call("refresh tracked", ALL, tracked, lambda c, a, f: sqlrp.refresh(c, "made")),
    Call("refresh tracked by column", ALL, tracked_by_column, lambda c, a, f: sqlrp.refresh(c, "made")),
    Call("refresh", ALL, made, lambda c, a, f: sqlrp.refresh(c, "made")),
    Call("refresh everything", ALL, made, lambda c, a, f: sqlrp.refresh(c, "made", everything=True)),
    Call(
        "materialize view", ("postgresql",), table, lambda c, a, f: sqlrp.materialize(FIRST, T, c, "made", kind="view")
    ),
    Call("refresh view", ("postgresql",), viewed, lambda c, a, f: sqlrp.refresh(c, "made")),
    Call(
        "project --into",
        SERVERS,
        made,
        line("project", "--db", "ADDRESS", "--table", "t", "--into", "made", "--replace", *METHOD),
        outside=True,
    ),
    Call("sqlrp refresh", FUNCTIONS, made, line("refresh", "ADDRESS", "made", "--everything"), outside=True),
    Call(
        "fit --name", FUNCTIONS, kept, line("fit", "--db", "ADDRESS", "--table", "t", "--name", "fitted", *LEARN), True
    ),
    Call("sqlrp install", ("duckdb",), made, line("install", "ADDRESS"), outside=True),
    *(
        Call(
            f"project -o {name}",
            ("duckdb",),
            written,
            line("project", "FOLDER/rows.parquet", "-o", f"FOLDER/{name}", *METHOD),
        )
        for name in ("small.parquet", "small.csv", "small.arrow", "shop.duckdb::made")
    ),
    Call("fit -o", ("duckdb",), written, line("fit", "ADDRESS::t", "-o", "FOLDER/fitted.json", *LEARN), True),
    Call("export", ("duckdb",), written, line("export", "ADDRESS::t", "FOLDER/sql", *METHOD), outside=True),
    Call("dbt", ("duckdb",), written, line("dbt", "ADDRESS::t", "FOLDER/shop", "--name", "other", *METHOD), True),
    Call(
        "dbt over",
        ("duckdb",),
        written,
        line("dbt", "ADDRESS::t", "FOLDER/shop", "--name", "written", "--replace", *METHOD),
        outside=True,
    ),
    Call(
        "report",
        ("duckdb",),
        written,
        line("report", "ADDRESS::t", "-o", "FOLDER/page.html", "--at", "2", *METHOD),
        outside=True,
    ),
)
