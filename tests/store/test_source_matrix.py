"""Every change that others make to a source, for every kept object: `refresh`, `check` and `search`.

On DuckDB and SQLite every kept object meets every change. On each of the others half of them do, by turns.

A call works, or refuses in words of sqlrp; a change that a kept object cannot follow is found or refused; nothing that
is kept is lost. What a call gives is compared with what numpy computes from the rows that are there.
"""

from __future__ import annotations

import dataclasses
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from cases import DATABASES
from databases import Database, opened, server

import sqlrp
from sqlrp import SourceError, SqlrpError

N = 12
X = np.random.default_rng(8).normal(size=(N, 3)).round(3)
FEW, BITS = sqlrp.SparseProjection(k=2, s=1, seed=3), sqlrp.SparseProjection(k=64, s=1, seed=3)
KEPT: dict[str, dict[str, Any]] = {
    "plain": {},
    "tracked": {"track": "rows"},
    "codes": {"output": "bits"},
    "searched": {"output": "bits", "track": "rows"},
    "cells": {"output": "long"},
    "seen": {"kind": "view"},
}
"""The kept objects, by name, as `materialize` makes them."""
CHANGES: dict[str, list[str]] = {
    "dropped": ["DROP TABLE t"],
    "renamed": ["ALTER TABLE t RENAME TO other"],
    "emptied": ["DELETE FROM t WHERE id >= 0"],
    "key renamed": ["ALTER TABLE t RENAME COLUMN id TO other"],
    "feature dropped": ["ALTER TABLE t DROP COLUMN f1"],
    "feature renamed": ["ALTER TABLE t RENAME COLUMN f1 TO other"],
    "feature retyped": ["ALTER TABLE t DROP COLUMN f1", "ALTER TABLE t ADD COLUMN f1 VARCHAR(9)"],
    "feature added": ["ALTER TABLE t ADD COLUMN extra INTEGER"],
    "key repeated": ["INSERT INTO t SELECT * FROM t WHERE id = 0", "INSERT INTO t SELECT * FROM t WHERE id = 3"],
    "rows hidden": ["ALTER TABLE t ENABLE ROW LEVEL SECURITY", "CREATE POLICY few ON t USING (id < 4)"],
}
FOUND = {
    "dropped": "was dropped or renamed",
    "renamed": "was dropped or renamed",
    "key renamed": "lacks its key",
    "feature dropped": "lacks 'f1'",
    "feature renamed": "lacks 'f1'",
    "feature retyped": "have another type: 'f1' was",
    "feature added": "has new numbers, 'extra'",
}
"""What `check` says; it reads no rows, so that the others are seen by `refresh`."""
REFUSED = {
    "dropped": "there is no source|was dropped or renamed",
    "renamed": "there is no source|was dropped or renamed",
    "key renamed": "key 'id' is not a column|lacks its key",
    "feature dropped": "'f1' is not a column|lacks 'f1'",
    "feature renamed": "'f1' is not a column|lacks 'f1'",
    "feature retyped": "not a number|have another type",
    "key repeated": "comes more than once: 0",
}
"""What `refresh` says of every kept object, and `search` where it reads the source again."""
HIDDEN = {"emptied": "would be removed", "rows hidden": "does not see all rows"}
"""What `refresh` says of a tracked table, whose rows it would remove."""
RAW = ("Error:", "psycopg", "pymysql", "sqlite3", "Exception")
NAMES = [pytest.param(name, marks=[] if name in ("duckdb", "sqlite") else pytest.mark.slow) for name in DATABASES]


def _written(name: str, statement: str) -> str:
    if name != "clickhouse":
        return statement
    statement = statement.replace("VARCHAR(9)", "String").replace("ALTER TABLE t RENAME TO", "RENAME TABLE t TO")
    return statement.replace("DELETE FROM t WHERE id >= 0", "TRUNCATE TABLE t")


@contextmanager
def _as_owner_of_little(db: Database) -> Iterator[Database]:
    """In PostgreSQL a role that row security binds; elsewhere the connection as it is."""
    if db.name != "postgresql":
        yield db
        return
    role = f"{db.schema}_loader"
    for statement in (
        f"CREATE ROLE {role} LOGIN",
        f"GRANT ALL ON SCHEMA {db.schema} TO {role}",
        f"GRANT ALL ON t TO {role}",
    ):
        db.run(statement)
    options = {"options": f"-c search_path={db.schema}"}
    engine = sa.create_engine(
        server(db.name).set(username=role),
        poolclass=sa.pool.NullPool,
        connect_args=options,
        isolation_level="AUTOCOMMIT",
    )
    with engine.connect() as connection:
        yield dataclasses.replace(db, connection=connection)
    db.run(f"DROP OWNED BY {role} CASCADE")
    db.run(f"DROP ROLE {role}")


def _rows(db: Database, name: str) -> list[tuple[Any, ...]]:
    return sorted(db.run_query(f"SELECT * FROM {name}"), key=str)


def _tried(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """What a call gives, or its error; and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = call()
        except SqlrpError as error:
            found = error
    return found, [str(warning.message) for warning in caught]


def _check_refusal(kind: str, found: Any, said: str | None) -> None:
    """A refusal is in words of sqlrp."""
    if said is None:
        assert not isinstance(found, SqlrpError), (kind, found)
        return
    assert isinstance(found, (SourceError, sqlrp.ParameterError)), (kind, found)
    assert re.search(said, str(found)), (kind, found)
    assert not any(words in str(found) for words in RAW), (kind, found)


def _nearest(there: Any, n: int) -> list[int]:
    return sorted(there, key=lambda i: float(np.linalg.norm(X[i] - X[0])))[:n]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_change_is_followed_found_or_refused(name: str, change: str, tmp_path: Path) -> None:
    if change == "rows hidden" and name != "postgresql":
        return  # the others have no row security
    for owned in opened(name, tmp_path):
        source = owned.load("wide", X.tolist())
        with _as_owner_of_little(owned) as db:
            _check_change(db, owned, source, change)


def _check_change(db: Database, owner: Database, source: Any, change: str) -> None:
    con = db.connection
    # Where views hold rows, the server refuses most changes of their source, and a refresh makes them again.
    seen = db.engine.keeping_view and (not db.engine.stores_views or change == "rows hidden")
    turn = DATABASES.index(db.name) + list(CHANGES).index(change)
    met = list(KEPT) if db.name in ("duckdb", "sqlite") or change == "rows hidden" else list(KEPT)[turn % 2 :: 2]
    kept = {kind: options for kind, options in KEPT.items() if kind in met and (kind != "seen" or seen)}
    for kind, options in kept.items():
        sqlrp.materialize(BITS if "bits" in options.values() else FEW, source, con, kind, **options)
    sqlrp.save(FEW, con, "projection", source=source)
    model = sqlrp.learn(FEW, dataclasses.replace(source, features=["f0", "f1"]), con, "f2")
    sqlrp.save_model(model, con, "model")
    before = {kind: _rows(db, kind) for kind in kept if kind != "seen"}
    for statement in CHANGES[change]:
        owner.run(_written(db.name, statement))
    found, _ = _tried(lambda: sqlrp.check(con))
    assert isinstance(found, list), found
    named = {finding.name: finding.wrong for finding in found}
    for kind, options in kept.items():
        result, warned = _tried(lambda kind=kind: sqlrp.refresh(con, kind))
        refused = REFUSED.get(change) or (
            HIDDEN.get(change) if "track" in options or (kind, change) == ("seen", "rows hidden") else None
        )
        assert re.search(FOUND.get(change, "^$"), named.get(kind, "")), (kind, named)
        _check_refusal(kind, result, refused)
        if refused is None:
            assert (int(result), result.removed) == (0, 0), kind
        assert any("'extra'" in said for said in warned) == (change == "feature added"), kind
        near, _ = _tried(lambda kind=kind: sqlrp.search(con, kind, X[0], n=3))
        if kind == "cells":
            _check_refusal(kind, near, "a search needs one row for each key|" + REFUSED.get(change, "^$"))
        elif change in REFUSED:
            _check_refusal(kind, near, REFUSED[change])
        else:
            there = {"emptied": [], "rows hidden": range(4)}.get(change, range(N))
            assert set(near.column("id").to_pylist()) == set(_nearest(there, 3)), (kind, near)
    after = {kind: _rows(db, kind) for kind in kept if kind != "seen"}
    assert after == before
    assert sqlrp.load(con, "projection").k == 2
    assert sqlrp.load_model(con, "model").coef_.shape == model.coef_.shape
