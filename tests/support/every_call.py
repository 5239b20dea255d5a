"""Every public call that takes a connection, on the tables of `modes.ground`: what reads, and what writes."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from modes import BITS, CELLS, FEW, MANY, T

import sqlrp
from sqlrp import Wide
from sqlrp._engines.registry import connector_of


def in_steps(connection: Any) -> Any:
    """A projection whose text takes several statements."""
    dialect = connector_of(connection).dialect
    kept = vars(dialect).get("limits")
    vars(dialect)["limits"] = replace(dialect.limits, terms=4)
    try:
        return sqlrp.project(FEW, T, connection, output="long", lowering="inline")
    finally:
        vars(dialect).pop("limits")
        vars(dialect).update({} if kept is None else {"limits": kept})


def exported(connection: Any, folder: Path) -> list[str]:
    return sorted(path.name for path in sqlrp.export(FEW, T, connection, folder))


def opened(connection: Any) -> Any:
    near = sqlrp.open_search(connection, "bits")
    return [near([1.0, 2.0, 3.0], n=3) for _ in range(2)][1]


def drifted(connection: Any) -> list[float]:
    """The rows, and the statistic of their drift from the same with two columns exchanged."""
    found = sqlrp.drift(FEW, T, Wide("t", features=["b", "a", "c"]), connection)
    return [*found.table().column("rows").to_pylist(), *found.table().column("statistic").to_pylist()]


READS: dict[str, Callable[[Any, Path], Any]] = {
    "project": lambda c, _: sqlrp.project(FEW, T, c),
    "project long": lambda c, _: sqlrp.project(FEW, T, c, output="long"),
    "project in steps": lambda c, _: in_steps(c),
    "project relational": lambda c, _: sqlrp.project(FEW, T, c, output="long", lowering="relational"),
    "standardized": lambda c, _: sqlrp.project(FEW, sqlrp.Standardized(T), c),
    "sql": lambda c, _: sqlrp.sql(FEW, T, c),
    "explain": lambda c, _: sqlrp.explain(FEW, T, c).text,
    "diagnose": lambda c, _: sqlrp.diagnose(FEW, T, c, sample=20),
    "diagnose cells": lambda c, _: sqlrp.diagnose(FEW, CELLS, c, sample=20),
    "report": lambda c, folder: sqlrp.report(FEW, T, c, folder / "report.html", sample=20),
    "fit": lambda c, _: sqlrp.fit(sqlrp.PrincipalComponents(k=2), T, c),
    "fit a target": lambda c, _: sqlrp.fit(sqlrp.PartialLeastSquares(k=1), T, c, target="label"),
    "fit a table": lambda c, _: sqlrp.fit(sqlrp.DataTunedProjection(k=2, s=1, n_iter=3), T, c),
    "best_of": lambda c, _: sqlrp.best_of(2, sqlrp.DataTunedProjection(k=2, s=1), T, c),
    "rounded": lambda c, _: sqlrp.rounded(FEW, T, c),
    "choose": lambda c, _: sqlrp.choose(sqlrp.grid(FEW, k=[1, 2]), T, c, folds=2).best.score,
    "choose_codes": lambda c, _: len(
        sqlrp.choose_codes(T, c, n=2, candidates=(5,), among=20, queries=5, timed=1).codes
    ),
    "clusters": lambda c, _: sqlrp.clusters(c, "near", within=2.0).column("cluster").to_pylist(),
    "kmeans": lambda c, _: sqlrp.kmeans(FEW, T, c, clusters=2).cluster_centers_,
    "learn": lambda c, _: sqlrp.learn(FEW, T, c, folds=2).coef_,
    "learn many": lambda c, _: sqlrp.learn(MANY, T, c, folds=2).coef_,
    "learn sql": lambda c, _: sqlrp.learn(FEW, T, c, folds=2, lowering="sql").coef_,
    "learn groups": lambda c, _: sqlrp.learn(FEW, T, c, by="id").table().column("rows").to_pylist(),
    "score": lambda c, _: sqlrp.score(FEW, sqlrp.load_model(c, "model"), T, c),
    "score_sql": lambda c, _: sqlrp.score_sql(FEW, sqlrp.load_model(c, "model"), T, c),
    "drift": lambda c, _: drifted(c),
    "drift_sql": lambda c, _: len(sqlrp.drift_sql(sqlrp.drift(FEW, T, T, c), T, c)) > 0,
    "check": lambda c, _: list(map(str, sqlrp.check(c))),
    "saved": lambda c, _: sqlrp.saved(c),
    "load": lambda c, _: sqlrp.load(c, "few"),
    "load_model": lambda c, _: sqlrp.load_model(c, "model"),
    "saved_models": lambda c, _: sqlrp.saved_models(c),
    "created_functions": lambda c, _: sqlrp.created_functions(c),
    "search": lambda c, _: sqlrp.search(c, "bits", [1.0, 2.0, 3.0], n=3).column("distance").to_pylist(),
    "search kept": lambda c, _: sqlrp.search(c, "kept", [1.0, 2.0, 3.0], n=3).column("distance").to_pylist(),
    "open_search": lambda c, _: opened(c).column("distance").to_pylist(),
    "search_sql": lambda c, _: len(sqlrp.search_sql(c, "bits", [1.0, 2.0, 3.0], n=3)) > 0,
    "neighbours_sql": lambda c, _: len(sqlrp.neighbours_sql(c, "bits", n=3)) > 0,
    "export": lambda c, folder: exported(c, folder / uuid.uuid4().hex),
}
WRITES: dict[str, Callable[[Any], Any]] = {
    "save": lambda c: sqlrp.save(FEW, c, "new"),
    "save_model": lambda c: sqlrp.save_model(sqlrp.load_model(c, "model"), c, "new"),
    "materialize": lambda c: sqlrp.materialize(FEW, T, c, into="new"),
    "materialize, in place of another": lambda c: sqlrp.materialize(BITS, T, c, into="kept", replace=True),
    "materialize a view": lambda c: sqlrp.materialize(FEW, T, c, into="view", kind="view"),
    "refresh": lambda c: sqlrp.refresh(c, "kept"),
    "refresh everything": lambda c: sqlrp.refresh(c, "kept", everything=True),
    "repair": lambda c: sqlrp.check(c, repair=True),
    "create_search": lambda c: sqlrp.create_search(c, "bits", "made"),
    "drop_search": lambda c: sqlrp.drop_search(c, "made"),
    "create_function": lambda c: sqlrp.create_function(FEW, c, "made", n_features=3),
    "drop_function": lambda c: sqlrp.drop_function(c, "made"),
    "install": sqlrp.install,
    "uninstall": sqlrp.uninstall,
}


def check_same(found: Any, wanted: Any) -> None:
    """As equal as sums of floats in another order are."""
    if isinstance(wanted, sqlrp.Report):
        found, wanted = ([r.sampled.rows, r.sampled.distortion.mean, r.auc, r.recall] for r in (found, wanted))
    if isinstance(wanted, pa.Table):
        assert found.column_names == wanted.column_names
        by = [(name, "ascending") for name in wanted.column_names if name in ("id", "component", "distance")]
        for a, b in zip(found.sort_by(by).columns, wanted.sort_by(by).columns, strict=True):
            check_same(a.to_pylist(), b.to_pylist())
    elif isinstance(wanted, (float, np.ndarray)) or (
        isinstance(wanted, list) and not (wanted and type(wanted[0]) is str)
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
    elif isinstance(wanted, (str, list, int)):
        assert found == wanted
    else:
        assert type(found) is type(wanted)
