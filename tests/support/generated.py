"""The tables of pages that are generated from the code and from what was measured."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import proved
import report
from pages import ROOT

import sqlrp
from sqlrp import Long, Projection, Wide
from sqlrp._core.errors import SqlrpError
from sqlrp._core.sources import Source
from sqlrp._dialects.dialect import Dialect
from sqlrp._engines.registry import ENGINES
from sqlrp._projections import REGISTRY
from sqlrp._projections.given import ArrayProjection
from sqlrp._projections.supervised import SupervisedProjection

D = 9


def methods() -> str:
    """A line a method: its function, where it comes from, the lowerings that hold, whether words may be features."""
    lines = ["| class | SQL function | wide and array | sparse long | words as features | whole numbers stay exact |"]
    lines.append("|---|---|---|---|---|---|")
    for cls in REGISTRY:
        projection = example(cls)
        held = [n for n in ("inline", "indexed", "relational") if holds(projection, Wide("t", features=names()), n)]
        long = "yes" if holds(projection, Long("t", n_features=D)) else "no"
        words = "yes" if holds(with_s(projection), Long("t")) else "no"
        exact = "yes" if all(stage.exact for stage in projection.stages(D)) else "no"
        once = "fitted and saved" if cls.learns or issubclass(cls, SupervisedProjection) else "saved"
        function = f"`project_with`, once {once}" if cls.function == "project_with" else f"`{cls.function}`"
        lines.append(f"| `{cls.__name__}` | {function} | {', '.join(held)} | {long} | {words} | {exact} |")
    return "\n".join(lines) + "\n"


def uses() -> str:
    """One line for each method: what to use it for, and the terms of a row of 784 features with k = 64."""
    lines = ["| class | use it for | terms of a row |", "|---|---|---|"]
    for cls in REGISTRY:
        lines.append(f"| `{cls.__name__}` | {cls.use} | {work(cls)} |")
    return "\n".join(lines) + "\n"


def work(cls: type[Projection], n_features: int = 784, k: int = 64) -> str:
    """The number of terms, to two digits."""
    if issubclass(cls, ArrayProjection):
        return "as many as its tables have"
    projection = cls(k=n_features**2 if cls is sqlrp.FullBilinearPooling else k)
    if projection.learns:
        few = replace(projection, n_iter=2) if projection.iterations else projection  # type: ignore[call-arg]
        projection = few.fitted_on(np.random.default_rng(0).normal(size=(500, n_features)), None)
    terms, entries = 0.0, n_features
    for stage in projection.stages(n_features):
        terms += stage.terms(entries)
        entries = entries if stage.n_outputs is None else stage.n_outputs
    return f"{float(f'{terms:.2g}'):,.0f}"


def engines() -> str:
    """A line an engine: how it is reached, its lowerings and limits."""
    lines = ["| engine | lowerings | arrays | columns of a result | terms of a statement | source of the limits |"]
    lines.append("|---|---|---|---|---|---|")
    for engine in ENGINES.values():
        limits = engine.limits
        columns = "none stated" if limits.columns is None else f"{limits.columns:,}"
        arrays = "yes" if engine.has_arrays else "no"
        cells = [engine.name, ", ".join(engine.lowerings), arrays, columns, f"{limits.terms:,}", limits.source]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def names() -> list[str]:
    return [f"f{j}" for j in range(D)]


def example(cls: type[Projection]) -> Projection:
    """A small projection of the class, fitted on a few rows where it learns."""
    if issubclass(cls, ArrayProjection):
        given = np.ones((D, 4), dtype=np.int8)
        arguments = {
            sqlrp.GivenProjection: (given,),
            **{cls: (given, np.ones(4)) for cls in REGISTRY if issubclass(cls, SupervisedProjection)},
            sqlrp.GivenTensorSketch: (np.zeros((2, D)), np.ones((2, D)), 4),
            sqlrp.GivenRadialFeatures: (given.T, np.eye(4), 1.0),
            sqlrp.GivenFourierFeatures: (given, np.zeros(4), 1.0),
        }
        return cls.of(*arguments[cls])
    k = {sqlrp.SparseEmbedding: 8, sqlrp.FullBilinearPooling: D * D}.get(cls, 4)
    projection = cls(k=k)
    if not cls.learns:
        return projection
    few = replace(projection, n_iter=5) if projection.iterations else projection  # type: ignore[call-arg]
    return few.fitted_on(np.random.default_rng(0).normal(size=(20, D)), None)


def with_s(projection: Projection) -> Projection:
    """s as a number, which an open vocabulary needs."""
    return replace(projection, s=3) if "s" in projection.parameters() else projection  # type: ignore[call-arg]


def holds(projection: Projection, source: Source, lowering: str = "auto", engine: Dialect | None = None) -> bool:
    try:
        sqlrp.sql(projection, source, (engine or ENGINES["duckdb"]).name, lowering=lowering)
    except SqlrpError:
        return False
    return True


def measured() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "tests/bench/results/bench.json").read_text(encoding="utf-8"))
    return found


def speed() -> str:
    """One line per case: how many times as fast as batches each road is. A dash is a road that was not measured."""
    lines = [f"| case | {' | '.join(report.ROADS)} |", "|---" * (1 + len(report.ROADS)) + "|"]
    batches = report.FETCHED[1]
    for words, _, roads in report.speeds(measured()):
        cells = [f"{road[batches]:.2f}" if batches in road else "–" for road in roads]
        lines.append(f"| {words} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def roads() -> str:
    return report.speed(measured()) + "\n"


TABLES = {
    "uses": (uses, "examples/methods.md"),
    "methods": (methods, "examples/methods.md"),
    "engines": (engines, "examples/engines.md"),
    "proved": (proved.printed, "examples/engines.md"),
    "speed": (speed, "README.md"),
    "roads": (roads, "docs/site/how_it_compares.md"),
}
"""What makes each table, and the page that shows it."""
