"""The scores of models of groups as one query: the coefficients of each group are joined to its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sqlrp._core.errors import LimitError, ParameterError, SourceError, UnsupportedError, shorten
from sqlrp._core.names import Names, spelled
from sqlrp._core.numbers import DOUBLE, FLOAT
from sqlrp._core.options import Options
from sqlrp._core.script import Script
from sqlrp._core.sources import Join, Long, Source, as_source
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._learning.groups import GroupedModel
from sqlrp._learning.target import keeping
from sqlrp._lowering.endpoints import component_names, tree
from sqlrp._lowering.planner import Plan, plan
from sqlrp._lowering.sums_sql import class_literal, greatest, level
from sqlrp._projections.projection import Projection
from sqlrp._run.frames.kinds import is_dataframe
from sqlrp._run.table_input import job_of, planned

_CHUNK = 100
"""The most SELECTs in one chain of UNION ALL."""
_ABSENT = -1e308
"""The decision of a class that a group does not have."""


@dataclass(frozen=True)
class GroupedCall:
    """What is scored: a source, by the models of its groups."""

    model: GroupedModel
    source: Source | Join
    target: Any
    """an engine's name or a connection"""

    @classmethod
    def of(cls, projection: Any, model: GroupedModel, source: Any, target: Any) -> GroupedCall:
        """Raises ParameterError for another projection, and for a dataframe; UnsupportedError for sparse rows."""
        if projection is not None and projection != model.projection:
            raise ParameterError(f"projection {shorten(projection)} is not that of the model: pass model.projection")
        if is_dataframe(source):
            raise ParameterError("a dataframe has no groups to join: register it with DuckDB, and pass its name")
        table = source if isinstance(source, Join) else as_source(source)
        if isinstance(table, Long):
            raise UnsupportedError(
                f"sparse rows have no column {model.by!r} for their groups: materialize them, and make a view with it"
            )
        return cls(model, keeping(table, model.by), target)

    @property
    def outputs(self) -> list[str]:
        """The columns of the scores, in their order."""
        classes = self.model.classes
        if classes is None:
            return ["prediction"]
        (w, _), *_ = self.model.decisions()[1].values()
        return ["class", *(["decision"] if len(w) == 1 else [f"decision{i}" for i in range(len(w))])]

    def plan(self, target: Any, options: Options) -> Plan:
        """The plan of the components. `target`: an engine's name, or a session."""
        model = self.model
        features = next(iter(model.models.values())).settings.features
        bound = model.projection if model.projection.bound_to is not None else model.projection.bound(features)
        return in_doubles(bound, self.source, target, options)

    def script(self, made: Plan) -> Script:
        """The script of the scores."""
        return made.script().around(lambda inner: self._query(made, inner))

    def _query(self, made: Plan, inner: str) -> str:
        engine, kept, k = made.job.dialect, made.job.frame.kept, made.job.k
        for name in kept:
            if spelled(name) in self.outputs:
                raise SourceError(f"column {name!r} of the source has the name of a score: rename it")
        carried = [f"c{i}" for i in range(len(kept))]
        named = [f"{engine.quote(name)} AS {c}" for name, c in zip(kept, carried, strict=True)]
        own = [f"{c} AS {engine.quote(name)}" for name, c in zip(kept, carried, strict=True)]
        by = engine.quote(Names(kept, engine.folding).find(self.model.by) or self.model.by)
        group = engine.as_text(by) if self.model.by_text else by
        components = [f"{z} AS x{i}" for i, z in enumerate(component_names(engine, k))]
        rows = level(engine, [*named, *components, f"{group} AS g"], f"({inner}) q")
        classes, weights, n = self._weights(engine, k)
        decided = [
            f"CASE WHEN m.there = 1 THEN {tree([*(f'x{i}*m.w{j}_{i}' for i in range(k)), f'm.b{j}'])} END AS d{j}"
            for j in range(n)
        ]
        joined = f"{rows} LEFT JOIN ({weights}) m ON m.g = s.g"
        relation = level(engine, [*carried, *decided], joined)
        d = [f"d{j}" for j in range(n)]
        if classes is None:
            return f"SELECT {', '.join([*own, 'd0 AS prediction'])}\nFROM {relation}"
        values = [class_literal(engine, value) for value in classes]
        if n == 1:
            chosen, shown = f"CASE WHEN d0 > 0 THEN {values[1]} WHEN d0 <= 0 THEN {values[0]} END", d
        else:
            relation = level(engine, [*carried, *d, f"{greatest(engine, d)} AS best"], relation)
            chosen = first_best(d, values)
            bound = engine.literal(_ABSENT / 10, DOUBLE)
            shown = [f"CASE WHEN {each} > {bound} THEN {each} END" for each in d]
        scores = [f"{each} AS {engine.quote(name)}" for each, name in zip([chosen, *shown], self.outputs, strict=True)]
        return f"SELECT {', '.join([*own, *scores])}\nFROM {relation}"

    def _weights(self, engine: Dialect, k: int) -> tuple[list[Any] | None, str, int]:
        """The classes, the SELECT of the coefficients of each group g, and the number of decisions.

        Raises LimitError for too many.
        """
        classes, found = self.model.decisions()
        w, b = (np.stack([each[i] for each in found.values()]) for i in (0, 1))
        n, names = b.shape[1], list(found)
        terms, columns = w.size + b.size, n * (k + 1) + 3
        if terms > engine.limits.terms:
            raise LimitError(
                f"the models of {len(names):,} groups have {terms:,} coefficients, more than the "
                f"{engine.limits.terms:,} of a statement of {engine.name}: write model.table() as a table, and join it"
            )
        if engine.limits.columns is not None and columns > engine.limits.columns:
            raise LimitError(
                f"{n} decisions on {k} components make {columns:,} columns, more than the "
                f"{engine.limits.columns:,} of {engine.name}: lower k, or score fewer classes"
            )
        whole = all(type(name) is int for name in names)
        table: dict[str, Any] = {"g" if whole else "i": np.array(names if whole else range(len(names)), dtype=np.int64)}
        table["there"] = np.ones(len(names), dtype=np.int64)
        for j in range(n):
            table[f"b{j}"] = np.where(np.isfinite(b[:, j]), b[:, j], _ABSENT)
            table |= {f"w{j}_{i}": w[:, j, i] for i in range(k)}
        weights = engine.literal_table(table)
        if whole:
            return classes, weights, n
        end = engine.constants_from
        each = [f"SELECT {class_literal(engine, name)} AS g, {i} AS i{end}" for i, name in enumerate(names)]
        while len(each) > 1:
            chunks = [" UNION ALL ".join(each[i : i + _CHUNK]) for i in range(0, len(each), _CHUNK)]
            each = [f"SELECT g, i FROM ({chunk}) u" for chunk in chunks]
        listed = ", ".join(f"t.{name} AS {name}" for name in table if name != "i")
        return classes, f"SELECT n.g AS g, {listed} FROM ({each[0]}) n JOIN ({weights}) t ON t.i = n.i", n


def in_doubles(projection: Projection, source: Source | Join | str, target: Any, options: Options) -> Plan:
    """The plan of a projection that computes in DOUBLE, but for a Join whose features are all FLOAT."""
    if isinstance(source, Join):
        return planned(projection, source, target, options)
    job = job_of(projection, source, target, options)
    numbers = tuple(DOUBLE if number == FLOAT else number for number in job.frame.numbers)
    return plan(replace(job, frame=replace(job.frame, numbers=numbers)), options.lowering)


def first_best(expressions: Sequence[str], values: Sequence[str]) -> str:
    """The value of the first expression that equals the greatest one, `best`; NULL if that is NULL."""
    return f"CASE {' '.join(f'WHEN {x} = best THEN {v}' for x, v in zip(expressions, values, strict=True))} END"


__all__ = ["GroupedCall", "first_best", "in_doubles"]
