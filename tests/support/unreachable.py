"""Every call that reaches a database, as functions for the tests."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from databases import Database
from helpers import METHODS
from sklearn.linear_model import LinearRegression

import sqlrp
from sqlrp import DataTunedProjection, Join, SparseProjection, Standardized, Wide
from sqlrp._core.sources import TableName
from sqlrp._store.materialize import materialized

LINEAR = METHODS["linear"]


TUNED = DataTunedProjection(k=3, seed=1, n_iter=1, sample=20)


MODEL = LinearRegression().fit(np.eye(LINEAR.k), np.ones(LINEAR.k))


@cache
def learnt() -> sqlrp.LinearModel:
    """A model, for the calls that keep one."""
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE t AS SELECT i AS id, i AS f0, 1 AS f1, 2 AS f2, 3 AS f3, i % 2 AS f4 FROM range(9) r(i)"
        )
        return sqlrp.learn(LINEAR, "t", con, "f4")


@cache
def drifted() -> sqlrp.Drift:
    """A reference with its sums."""
    with duckdb.connect() as con:
        columns = ", ".join(f"sin(i * {j + 1}) AS f{j}" for j in range(4))
        con.execute(f"CREATE TABLE t AS SELECT i AS id, {columns} FROM range(20) r(i)")
        return sqlrp.drift(LINEAR, "t", "t", con)


FOLDERS = count()  # a folder of its own for each export
JOIN = Join(Wide("t", features=["f0", "f1"]), {"id": Wide("u", features=["f0"])})


def dropped(connection: Any) -> None:
    """A function that is made and dropped."""
    sqlrp.create_function(LINEAR, connection, "dropped_rp", n_features=5)
    sqlrp.drop_function(connection, "dropped_rp")


def searched(connection: Any) -> None:
    """A search that is made and dropped."""
    sqlrp.create_search(connection, "images_pk", "dropped_search", replace=True)
    sqlrp.drop_search(connection, "dropped_search")


CALLS: dict[str, Callable[[Any, Path], Any]] = {
    "back_project": lambda c, _: sqlrp.back_project(LINEAR, "images_pk", c, features=5),
    "back_projection_error": lambda c, _: sqlrp.back_projection_error(LINEAR, "t", c),
    "best_of": lambda c, _: sqlrp.best_of(2, TUNED, "t", c),
    "check": lambda c, _: sqlrp.check(c),
    "choose": lambda c, _: sqlrp.choose([LINEAR], "t", c, "f4", folds=2),
    "choose_codes": lambda c, _: sqlrp.choose_codes("t", c, n=2, candidates=(5,), among=20, queries=6, timed=0),
    "clusters": lambda c, _: sqlrp.clusters(c, "near", within=1.0),
    "create_function": lambda c, _: sqlrp.create_function(LINEAR, c, "docs_rp", n_features=5, replace=True),
    "create_search": lambda c, _: sqlrp.create_search(c, "images_pk", "images_search", replace=True),
    "created_functions": lambda c, _: sqlrp.created_functions(c),
    "diagnose": lambda c, _: sqlrp.diagnose(LINEAR, "t", c, sample=20),
    "drift": lambda c, _: sqlrp.drift(LINEAR, "t", "u", c),
    "drift, groups": lambda c, _: sqlrp.drift(None, "t", "u", c, by="f4"),
    "drift_sql": lambda c, _: sqlrp.drift_sql(drifted(), "u", c, by="f4"),
    "drop_function": lambda c, _: dropped(c),
    "drop_search": lambda c, _: searched(c),
    "explain": lambda c, _: sqlrp.explain(LINEAR, "t", c),
    "export": lambda c, folder: sqlrp.export(LINEAR, "t", c, folder / f"sql{next(FOLDERS)}"),
    "fit": lambda c, _: sqlrp.fit(TUNED, "t", c),
    "fit, standardized": lambda c, _: sqlrp.fit(LINEAR, Standardized("t"), c),
    "gradient_sql": lambda c, _: sqlrp.gradient_sql(sqlrp.BilinearPooling(k=3), "t", "u", c),
    "hash_sql": lambda c, _: sqlrp.hash_sql(SparseProjection(k=16, s=1), "t", c),
    "install": lambda c, _: sqlrp.install(c),
    "kmeans": lambda c, _: sqlrp.kmeans(LINEAR, "t", c, clusters=2),
    "learn": lambda c, _: sqlrp.learn(LINEAR, "t", c, "f4"),
    "load": lambda c, _: sqlrp.load(c, "kept"),
    "load_model": lambda c, _: sqlrp.load_model(c, "kept"),
    "materialize": lambda c, _: sqlrp.materialize(LINEAR, "t", c, "images_pk", replace=True),
    "materialized": lambda c, _: materialized(c),
    "pairs_sql": lambda c, _: sqlrp.pairs_sql(SparseProjection(k=16, s=1), "t", c, within=0.1, bits=8),
    "project": lambda c, _: sqlrp.project(LINEAR, "t", c),
    "project, joined": lambda c, _: sqlrp.project(LINEAR, JOIN, c),
    "refresh": lambda c, _: sqlrp.refresh(c, "images_pk"),
    "refresh, everything": lambda c, _: sqlrp.refresh(c, "images_pk", everything=True),
    "report": lambda c, folder: sqlrp.report(LINEAR, "t", c, folder / "page.html", sample=20),
    "rounded": lambda c, _: sqlrp.rounded(LINEAR, "t", c, sample=20),
    "save": lambda c, _: sqlrp.save(LINEAR, c, "kept", source="t", replace=True),
    "save_model": lambda c, _: sqlrp.save_model(learnt(), c, "kept", replace=True),
    "saved": lambda c, _: sqlrp.saved(c),
    "saved_models": lambda c, _: sqlrp.saved_models(c),
    "score": lambda c, _: sqlrp.score(LINEAR, MODEL, "t", c),
    "score_sql": lambda c, _: sqlrp.score_sql(LINEAR, MODEL, "t", c),
    "search": lambda c, _: sqlrp.search(c, "images_pk", [1.0, 2.0, 3.0, 4.0, 5.0]),
    "open_search": lambda c, _: sqlrp.open_search(c, "images_pk")([1.0, 2.0, 3.0, 4.0, 5.0]),
    "neighbours_sql": lambda c, _: sqlrp.neighbours_sql(c, "images_pk"),
    "search_sql": lambda c, _: sqlrp.search_sql(c, "images_pk", [1.0, 2.0, 3.0, 4.0, 5.0]),
    "sql": lambda c, _: sqlrp.sql(LINEAR, "t", c),
    "uninstall": lambda c, _: sqlrp.uninstall(c),
}
"""Every call that takes a connection, by its name; after a comma, what else it does there."""


WRITES = ("create_function", "drop_function", "install", "materialize", "refresh", "refresh, everything", "save")
WRITES += ("save_model", "uninstall", "create_search", "drop_search")


def fill(db: Database) -> None:
    """What the calls ask for: tables, a saved projection, a materialized table."""
    if db.connector.exists(db.connection, TableName(("u",))):
        return
    rows = np.random.default_rng(2).normal(size=(30, 5)).round(3).tolist()
    db.load("wide", rows)
    db.load("wide", rows, table="u")
    sqlrp.save(LINEAR, db.connection, "kept")
    sqlrp.save_model(learnt(), db.connection, "kept")
    sqlrp.materialize(LINEAR, "t", db.connection, "images_pk")
    db.make("near", [(name, "INTEGER") for name in ("id", "neighbour", "distance")], [[1, 2, 0], [2, 3, 9]])
