"""Relational: the signs stay rows of a table, drawn in the same statement; join on the feature, group by row.

Holds any number of terms, reads sparse input at the cost of its non-zeros, and needs no list of features:
the signs of a hashed name are computed from its hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sqlrp.lower.job import Job
from sqlrp.lower.script import Script
from sqlrp.lower.shape import (
    all_present,
    carried,
    carried_names,
    checked_array,
    finished,
    free_name,
    guard,
    restored,
    shaped,
    shaped_array,
    temporary_name,
    wide_values,
)
from sqlrp.lower.template import block
from sqlrp.numbers import Number
from sqlrp.signs import CONSTANT_FEATURE, Ints, P, seed_coefficients
from sqlrp.stages import AppendConstant, SignedSums, SumOfProducts


def relational(job: Job) -> Script:
    """The job as one SELECT over common table expressions."""
    return _Relational(job).script()


@dataclass
class _Step:
    name: str
    sql: str


class _Relational:
    """A chain of named relations: cells (r, f, x) hold entry x of feature f of row r, zeros left out."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.engine = job.engine
        self.steps: list[_Step] = []
        self.temporary: list[tuple[str, str]] = []
        self.cells = ""
        self.features = ""
        self.rows = ""
        self.guarded = False

    def script(self) -> Script:
        """Read, apply every stage, shape the result."""
        self._read()
        for stage, after in zip(self.job.stages, self.job.kinds[1:], strict=True):
            if isinstance(stage, AppendConstant):
                self._append(stage)
            elif isinstance(stage, SignedSums):
                self._sum(stage)
            elif isinstance(stage, SumOfProducts):
                self._multiply(stage, after)
        query = self._finish()
        keyword, fence = self.engine.materialized, self.engine.fence if self.engine.repeats else ""
        steps = ",\n".join(f"{step.name} AS {keyword}({step.sql}{fence})" for step in self.steps)
        return Script(
            f"WITH {steps}\n{query}",
            tuple(self.engine.create_temporary(name, made) for name, made in self.temporary),
            tuple(self.engine.drop_temporary(name) for name, _ in self.temporary),
        )

    def _add(self, name: str, sql: str) -> str:
        """One more relation; names are numbered, so that a stage may come twice."""
        name = free_name(self.job, f"{name}{len(self.steps)}")
        self.steps.append(_Step(name, sql))
        return name

    # -- reading the source ------------------------------------------------------------------

    def _read(self) -> None:
        if self.job.frame.layout == "long":
            self._read_long()
            return
        job, engine, frame = self.job, self.engine, self.job.frame
        n = frame.n_features or 0
        columns = carried(job)
        if frame.layout == "array":
            array = checked_array(engine, frame)
            ok, values = guard(job, engine.complete(array, n)), engine.cast_array(array, job.summing)
        else:
            ok = guard(job, all_present(job))
            features = wide_values(job, [engine.quote(name) for name in frame.names])
            values = engine.list_of(features) if engine.has_arrays else ""
        self.guarded = bool(ok)
        columns += [f"{ok} AS ok"] if ok else []
        columns.append(f"{engine.row_number()} AS r")
        columns += [f"{values} AS x"] if values else [f"{v} AS x{j}" for j, v in enumerate(features)]
        source = f"SELECT {', '.join(columns)} FROM {engine.table(frame.table)}"
        if engine.repeats:
            self.rows = temporary_name(job, 0)
            self.temporary.append((self.rows, source))
        else:
            self.rows = self._add("source", source)
        cells = (
            engine.unnest(self.rows, ["r"], "x", "f", "x")
            if values
            else engine.cells_of_row(self.rows, ["r"], [f"x{j}" for j in range(n)], "f", "x")
        )
        self.cells = self._add("cells", cells)
        self.features = self._add("features", engine.numbers_from_zero(n, "f"))

    def _read_long(self) -> None:
        job, engine, frame = self.job, self.engine, self.job.frame
        table, key = engine.table(frame.table), engine.quote(frame.key or "")
        feature, value = (engine.quote(name) for name in frame.names)
        # The CASE stands outside the aggregate: MariaDB evaluates what fails in it for every row.
        ok = guard(job, "counted = present")
        self.guarded = bool(ok)
        counts = f", count(*) AS counted, count({value}) AS present" if ok else ""
        keys = f"SELECT {key} AS r{counts} FROM {table} GROUP BY {key}"
        self.rows = self._add("source", f"SELECT r, r AS c0{f', {ok} AS ok' if ok else ''} FROM ({keys}) s")
        number = self._feature_number(feature)
        x = engine.widen(value, frame.number, job.summing)
        self.cells = self._add("cells", f"SELECT {key} AS r, {number} AS f, {x} AS x FROM {table}")
        if frame.n_features is None or frame.text_features:
            self.features = self._add("features", f"SELECT DISTINCT f FROM {self.cells}")
        else:
            self.features = self._add("features", engine.numbers_from_zero(frame.n_features, "f"))

    def _feature_number(self, feature: str) -> str:
        engine, frame = self.engine, self.job.frame
        if frame.text_features:
            return engine.hash_name(feature)
        bound = (frame.n_features or P - 2) - 1
        fail = engine.fail(
            f"sqlrp: a feature in {frame.names[0]!r} is outside 0 ... {bound}: positions count from 0; raise n_features"
        )
        return f"CASE WHEN {feature} BETWEEN 0 AND {bound} THEN {feature} WHEN {feature} IS NOT NULL THEN {fail} END"

    # -- stages ------------------------------------------------------------------------------

    def _append(self, stage: AppendConstant) -> None:
        value = self.engine.literal(stage.value, self.job.summing)
        self.cells = self._add(
            "cells",
            f"SELECT r, f, x FROM {self.cells} UNION ALL SELECT r, {CONSTANT_FEATURE}, {value} FROM {self.rows}",
        )
        self.features = self._add("features", f"SELECT f FROM {self.features} UNION ALL SELECT {CONSTANT_FEATURE}")

    def _sum(self, stage: SignedSums) -> None:
        low, high = stage.thresholds
        coefficients = seed_coefficients(stage.seed, stage.purpose)
        b = {f"b{i}": horner([str(x) for x in a], "c") for i, a in enumerate(coefficients)}
        numbers = self.engine.numbers_from_zero(stage.n_vectors, "c")
        components = self._add("components", block("components", numbers=numbers, **b))
        entry = horner([f"b{i}" for i in range(8)], "f")
        fence = self.engine.fence
        signs = block(
            "signs", features=self.features, components=components, entry=entry, fence=fence, low=low, high=high
        )
        signs = self._add("signs", signs)
        zero = self.engine.literal(0, self.job.summing)
        self.cells = self._add("sums", block("signed_sums", cells=self.cells, signs=signs, zero=zero))
        self.features = self._add("features", self.engine.numbers_from_zero(stage.n_vectors, "f"))

    def _multiply(self, stage: SumOfProducts, after: Number) -> None:
        table = stage.table
        columns: dict[str, Ints] = {"c": np.repeat(np.arange(stage.k, dtype=np.int64), stage.t)}
        columns |= {f"v{j}": table[:, :, j].reshape(-1) for j in range(stage.degree)}
        finite = None if after.exact else self.engine.finite("x")
        if finite:
            zero = self.engine.literal(0, self.job.summing)
            same = self._same("k.r", "odd.r")
            completed = block(
                "completed", cells=self.cells, features=self.features, zero=zero, finite=finite, same_row=same
            )
            self.cells = self._add("cells", completed)
        index = self._add("index_table", self.engine.literal_table(columns))
        joins = f"JOIN {self.cells} k0 ON k0.f = i.v0"
        for j in range(1, stage.degree):
            joins += f" JOIN {self.cells} k{j} ON k{j}.f = i.v{j} AND {self._same('k0.r', f'k{j}.r')}"
        product = "*".join(self.engine.narrow(f"k{j}.x", after) for j in range(stage.degree))
        self.cells = self._add("products", block("sums_of_products", index=index, joins=joins, product=product))

    # -- the result --------------------------------------------------------------------------

    def _same(self, a: str, b: str) -> str:
        """Equality of rows; the key of a long source may be NULL."""
        return self.engine.same(a, b) if self.job.frame.layout == "long" else f"{a} = {b}"

    def _finish(self) -> str:
        job, engine = self.job, self.engine
        carry = [*carried_names(job), *(["ok"] if self.guarded else [])]
        components = self._add("outputs", engine.numbers_from_zero(job.k, "f"))
        last = job.kinds[-1] if job.factor is None else job.result
        whole = block(
            "result",
            kept=", ".join(f"s.{c}" for c in ["r", *carry]),
            zero=engine.literal(0, last),
            rows=self.rows,
            components=components,
            cells=self.cells,
            same_row=self._same("z.r", "s.r"),
        )
        result = self._add("result", whole)
        if job.output == "long":
            value = finished(job, [engine.narrow("x", last)])[0] + ("+ok" if self.guarded else "")
            return f"SELECT {', '.join([*restored(job), 'f AS component', f'{value} AS value'])}\nFROM {result}"
        group = ", ".join(["r", *carry])
        if not engine.has_arrays:
            picked = [f"{x} AS x{i}" for i, x in enumerate(engine.row_of_cells("f", engine.narrow("x", last), job.k))]
            relation = f"(SELECT {', '.join([*carry, *picked])} FROM {result} GROUP BY {group}) s"
            return shaped(job, relation, [f"x{i}" for i in range(job.k)], self.guarded)
        collected = f"{engine.collect(engine.narrow('x', last), 'f')} AS x"
        relation = f"(SELECT {', '.join([*carry, collected])} FROM {result} GROUP BY {group}) s"
        return shaped_array(job, relation, "x", self.guarded)


def horner(coefficients: Sequence[str], x: str) -> str:
    """Σ a_i·x^i mod P as text, every step within 62 bits."""
    h = coefficients[-1]
    for a in reversed(coefficients[:-1]):
        h = f"(({h}*{x}+{a}) % {P})"
    return h
