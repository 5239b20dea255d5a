"""What the tests of kept tables share: rows that are added, and what must stand in the table that was made."""

from __future__ import annotations

from typing import Any

import numpy as np
from databases import Database
from helpers import METHODS, assert_close, cells, magnitude, oracle

from sqlrp import Array, Wide
from sqlrp._core.sources import Source, TableName

LINEAR = METHODS["linear"]
X = np.random.default_rng(1).normal(size=(8, 5)).round(3)


def add(db: Database, source: Source, first: int, rows: Any) -> None:
    """Rows with ids from `first`, in the layout of the source."""
    rows = np.asarray(rows).tolist()
    if isinstance(source, Wide):
        lines = [[first + i, *row] for i, row in enumerate(rows)]
    elif isinstance(source, Array):
        lines = [[first + i, list(row)] for i, row in enumerate(rows)]
    else:
        lines = [[first + i, j, value] for i, row in enumerate(rows) for j, value in enumerate(row)]
    text = ", ".join(f"({', '.join(db.cell(value) for value in line)})" for line in lines)
    db.run(f"INSERT INTO {db.engine.table(TableName.parse(source.table))} VALUES {text}")


def kept(
    db: Database, into: str = "images_pk", output: str = "columns", k: int = LINEAR.k, sparse: bool = False
) -> dict[Any, Any]:
    """The rows of the table that was made, by key."""
    found = db.connector.fetch(db.connection, f"SELECT * FROM {db.engine.table(TableName.parse(into))}")
    return cells(found, output, k, sparse=sparse)


def holds(db: Database, x: Any, into: str = "images_pk", output: str = "columns", sparse: bool = False) -> None:
    """The table has exactly the projections of these rows."""
    assert_close(kept(db, into, output, sparse=sparse), oracle(LINEAR, x), magnitude(LINEAR, x))


def tables(db: Database) -> set[str]:
    """Every table that stands in the database."""
    if db.name == "sqlite":
        query = "SELECT name FROM sqlite_master WHERE type <> 'index'"
    else:
        query = f"SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '{db.schema}'"
    return set(db.connector.fetch(db.connection, query).column(0).to_pylist())


def table_of(db: Database, name: str, query: str, temporary: bool = False) -> None:
    """A table that the user makes of a query."""
    kind = "TEMPORARY TABLE" if temporary else "TABLE"
    stored = " ENGINE = Memory" if temporary else " ENGINE = MergeTree ORDER BY tuple()"
    db.run(f"CREATE {kind} {name}{stored if db.name == 'clickhouse' else ''} AS {query}")


def rows(db: Database, name: str) -> list[str]:
    """The rows of a table, sorted as text."""
    return sorted(map(repr, db.run_query(f"SELECT * FROM {name}")))
