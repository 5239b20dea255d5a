"""The cases of `project` on engines of this process: beside fetching the features and a product of numpy."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np
import pyarrow as pa
from case import Bar, Bench, Call, Case, Place
from servers import database

import sqlrp

SHAPES = ((60, 16), (60, 32), (200, 32), (200, 64), (400, 64))
"""features and components"""
_FETCHED = ", fetched, numpy"
"""The end of the name of a job that fetches."""

Fetch = Callable[[str, int], tuple[Any, Any]]
"""The keys and the features of a table of so many of them."""


def name_of(features: int, k: int) -> str:
    """The job that projects."""
    return f"{features} -> {k}"


def peer_of(features: int, k: int) -> str:
    """The job that fetches."""
    return f"{name_of(features, k)}{_FETCHED}"


def bench(place: Place, connection: Any, fetch: Fetch) -> Bench:
    """Both jobs of every shape, whose results are tables of Arrow of the same shape."""
    last: list[pa.Table] = []

    def kept(call: Callable[[], pa.Table]) -> Call:
        def run() -> None:
            last[:] = [call()]

        return run

    calls = {name: kept(call) for name, call in jobs(place, connection, fetch).items()}
    return Bench(calls, shape=lambda: last[0].shape, alike=lambda name: name.removesuffix(_FETCHED))


def jobs(place: Place, connection: Any, fetch: Fetch) -> dict[str, Callable[[], pa.Table]]:
    """Both jobs of every shape."""

    def projected(features: int, k: int) -> Callable[[], pa.Table]:
        return lambda: sqlrp.project(sqlrp.SparseProjection(k=k), f"points_{features}", connection, output="columns")

    def fetched(features: int, k: int) -> Callable[[], pa.Table]:
        weights = np.random.default_rng(0).normal(size=(features, k))

        def call() -> pa.Table:
            ids, x = fetch(f"points_{features}", features)
            z = x @ weights
            return pa.table({"id": ids, **{f"z{c}": np.ascontiguousarray(z[:, c]) for c in range(k)}})

        return call

    found: dict[str, Callable[[], pa.Table]] = {}
    for features, wanted in SHAPES:
        k = place.size(wanted)
        found |= {name_of(features, wanted): projected(features, k), peer_of(features, wanted): fetched(features, k)}
    return found


def sqlite(place: Place) -> Bench:
    """20,000 rows in SQLite, which its own driver fetches."""
    db = place.stack.enter_context(database("sqlite", place.folder))
    con = place.stack.enter_context(closing(sqlite3.connect(place.folder / "test.db")))
    rows = place.rows(20_000)
    with con:
        for features in {features for features, _ in SHAPES}:
            values = np.random.default_rng(0).normal(size=(rows, features)).round(4)
            columns = ", ".join(f"f{j} REAL" for j in range(features))
            con.execute(f"CREATE TABLE points_{features} (id INTEGER, {columns})")
            marks = ", ".join("?" * (features + 1))
            given = ((i, *row) for i, row in enumerate(values.tolist()))
            con.executemany(f"INSERT INTO points_{features} VALUES ({marks})", given)
    place.stack.callback((place.folder / "test.db").unlink)

    def fetch(table: str, features: int) -> tuple[Any, Any]:
        found = np.array(con.execute(f"SELECT * FROM {table}").fetchall())
        return found[:, 0].astype(np.int64), found[:, 1:]

    return bench(place, db.connection, fetch)


def clickhouse(place: Place) -> Bench:
    """50,000 rows in chdb."""
    db = place.stack.enter_context(database("clickhouse", place.folder))
    for features in {features for features, _ in SHAPES}:
        drawn = ", ".join(f"rand({j}) / 4294967296 - 0.5 AS f{j}" for j in range(features))
        made = f"SELECT toInt64(number) AS id, {drawn} FROM numbers({place.rows(50_000)})"
        db.run(f"CREATE TABLE points_{features} ENGINE = MergeTree ORDER BY id AS {made}")

    def fetch(table: str, features: int) -> tuple[Any, Any]:
        found = pa.ipc.open_file(db.connection.query(f"SELECT * FROM {table}", "Arrow").bytes()).read_all()
        return found.column("id"), np.column_stack([found.column(f"f{j}").to_numpy() for j in range(features)])

    return bench(place, db.connection, fetch)


def _bars(engine: str) -> tuple[Bar, ...]:
    return tuple(
        Bar(f"project on {engine}, {name_of(*shape)}", name_of(*shape), (peer_of(*shape),), 1.0, False)
        for shape in SHAPES
    )


CASES = (
    Case("sqlite-fetched", "SQLite: rows to this process, beside fetching and numpy", sqlite, _bars("SQLite"), 5),
    Case("clickhouse-fetched", "chdb: rows to this process, beside fetching and numpy", clickhouse, _bars("chdb"), 5),
)
