"""A source as rows and cells: the named relations with which the relational lowering starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sqlrp._core.draw import P, seed_coefficients
from sqlrp._core.numbers import DOUBLE
from sqlrp._core.script import Script, Select, Setup, Statement, after_from
from sqlrp._dialects.dialect import Dialect, Numbers
from sqlrp._lowering.endpoints import (
    all_present,
    array_read,
    carried,
    carried_names,
    checked_array,
    counted,
    free_name,
    guard,
    in_bounds,
    last_position,
    normalised,
    temporary_name,
    wide_values,
)
from sqlrp._lowering.job import Job
from sqlrp._lowering.template import block
from sqlrp._stages import Normalise, Rescale
from sqlrp._stages.forms import Forms


class Chain:
    """A chain of named relations. A cell (r, f, x) has the entry x of feature f in row r; zeros may be left out."""

    def __init__(self, job: Job) -> None:
        """Start an empty chain."""
        self.job = job
        self.dialect = job.dialect
        self.subqueries: list[tuple[str, str]] = []
        self.steps: list[Setup] = []
        self.cells = ""
        self.features, self.below = "", P
        self.rows = ""
        self.guarded = False
        self.grouped = False

    def finished_script(self, query: Select | str) -> Script:
        """The script of a query with its chain of relations."""
        dialect, fence = self.dialect, self.dialect.fence if self.dialect.repeats else ""
        named = tuple(f"{name} AS {dialect.materialized}({sql}{fence})" for name, sql in self.subqueries)
        return Script(Statement(query, named), tuple(self.steps))

    def add(self, name: str, sql: str) -> str:
        """Add a relation. Names are numbered, because a stage may occur twice."""
        if self.dialect.stores or (self.dialect.reads_once and self.job.frame.temporary):
            return self.store(sql, numbered=False)
        name = free_name(self.job, f"{name}{len(self.subqueries)}")
        self.subqueries.append((name, sql))
        return name

    def store(self, sql: str, numbered: bool = True) -> str:
        """Add a step that stores a relation in a temporary table; see `Phrases.temporary_table`."""
        name = temporary_name(self.job, len(self.steps))
        self.steps.append(self.dialect.temporary_table(name, sql, numbered))
        return name

    def same(self, a: str, b: str) -> str:
        """The condition that two rows are the same. The key of a long source, or of a group, may be NULL."""
        keyed = self.job.frame.layout == "long" or self.grouped
        return self.dialect.same(a, b) if keyed else f"{a} = {b}"

    def drawn(self, seed: int, purpose: int, n: int) -> tuple[str, str]:
        """The relation of the coefficients of each component, and the drawn entry as an expression over it."""
        b = {
            f"b{i}": horner(self.dialect, [str(x) for x in a], "c", n)
            for i, a in enumerate(seed_coefficients(seed, purpose))
        }
        components = self.add("components", block("components", numbers=self.dialect.numbers_from_zero(n, "c"), **b))
        return components, horner(self.dialect, [f"b{i}" for i in range(8)], "f", self.below)

    # -- reading the source ------------------------------------------------------------------

    def read(self) -> None:
        """Read the source into the relations `rows`, `cells` and `features`."""
        if self.job.frame.layout == "long":
            self._read_long()
            return
        job, dialect, frame = self.job, self.dialect, self.job.frame
        n = frame.width
        columns, relation = carried(job), frame.relation(dialect)
        if frame.layout == "array":
            array = checked_array(dialect, frame)
            if dialect.rereads_arrays:
                relation = after_from(array_read(job, columns))
                columns, array = carried_names(job), "x"
            elif not dialect.has_lists:  # every feature reads the array, so it gets a short name
                relation = f"(SELECT {', '.join([*columns, f'{array} AS x'])} FROM {relation}) s"
                columns, array = carried_names(job), "x"
            ok = guard(job, dialect.complete(array, n))
            features = [] if dialect.has_lists else wide_values(job, [dialect.element(array, j) for j in range(n)])
            values = dialect.cast_array(array, job.summing) if dialect.has_lists else ""
        else:
            ok = guard(job, all_present(job))
            features = wide_values(job, [dialect.quote(name) for name in frame.names])
            values = dialect.list_of(features) if dialect.has_lists else ""
        self.guarded = bool(ok)
        columns += [f"{ok} AS ok"] if ok else []
        number = dialect.row_number()
        if dialect.numbers_by_columns:
            ordered = [*frame.carried(dialect), *map(dialect.quote, frame.names)]
            number = f"row_number() OVER (ORDER BY {', '.join(ordered)})"
        columns.append(f"{number} AS r")
        columns += [f"{values} AS x"] if values else [f"{v} AS x{j}" for j, v in enumerate(features)]
        source = f"SELECT {', '.join(columns)} FROM {relation}"
        if dialect.repeats:
            self.rows = self.store(source)
        else:
            self.rows = self.add("source", source)
        cells = (
            dialect.unnest(self.rows, ["r"], "x", "f", "x")
            if values
            else dialect.cells_of_row(self.rows, ["r"], [f"x{j}" for j in range(n)], "f", "x")
        )
        self.cells = self.add("cells", cells)
        if frame.layout == "array" and dialect.has_lists:
            self._rescale()
        self.number_features(n)

    def number_features(self, n: int) -> None:
        """Set the features to 0 … n - 1."""
        self.features, self.below = self.add("features", self.dialect.numbers_from_zero(n, "f")), n

    def _rescale(self) -> None:
        """Rescale the cells, except of wide rows, whose columns are rescaled when they are read."""
        if self.job.rescale is not None:
            self.cells = self.add("cells", rescaled_cells(self.dialect, self.cells, self.job.rescale))

    def _read_long(self) -> None:
        job, dialect, frame = self.job, self.dialect, self.job.frame
        table, key = frame.relation(dialect), dialect.quote(frame.key or "")
        ok, counts = counted(job)
        self.guarded = bool(ok)
        keys = f"SELECT {key} AS r{counts} FROM {table} GROUP BY {key}"
        self.rows = self.add("source", f"SELECT r, r AS c0{f', {ok} AS ok' if ok else ''} FROM ({keys}) s")
        self.read_cells()

    def read_cells(self) -> None:
        """Read the cells and the features of a long source."""
        job, dialect, frame = self.job, self.dialect, self.job.frame
        table, key = frame.relation(dialect), dialect.quote(frame.key or "")
        feature, value = (dialect.quote(name) for name in frame.names)
        number = feature_number(job, feature)
        x = dialect.widen(value, frame.number, job.summing)
        self.cells = self.add("cells", f"SELECT {key} AS r, {number} AS f, {x} AS x FROM {table}")
        if frame.n_features is None or frame.text_features:
            self.features = self.add("features", f"SELECT DISTINCT f FROM {self.cells}")
        else:
            self.number_features(frame.n_features)
        self._rescale()


def feature_number(job: Job, feature: str) -> str:
    """The number of a feature of long rows: NULL, or an error, for a position out of bounds."""
    dialect, frame = job.dialect, job.frame
    if frame.text_features:
        return dialect.hash_name(feature)
    last, known = last_position(frame), f"WHEN {in_bounds(job, feature)} THEN {feature}"
    if not dialect.can_fail:
        return f"CASE {known} END"
    fail = dialect.failing(
        f"sqlrp: a feature in {frame.names[0]!r} is outside 0 ... {last}: positions count from 0; raise n_features",
        f"{feature} > 0",  # a column may be known to have no NULL
    )
    return f"CASE {known} WHEN {feature} IS NOT NULL THEN {fail} END"


def rescaled_cells(dialect: Dialect, cells: str, stage: Rescale, kept: Sequence[str] = ("r",)) -> str:
    """A SELECT of the rescaled cells of a relation. `kept`: the columns other than f and x."""
    numbers = np.arange(len(stage.scale), dtype=np.int64) if stage.features is None else stage.features
    columns: dict[str, Numbers] = {"f": numbers, "w": stage.scale}
    columns |= {"m": stage.offset} if stage.offset.any() else {}
    x = "(c.x - t.m)" if "m" in columns else "c.x"
    other = dialect.literal(stage.other, DOUBLE)
    table = dialect.literal_table(columns)
    carried = ", ".join(f"c.{column} AS {column}" for column in kept)
    scaled = f"SELECT {carried}, c.f AS f, {x} * coalesce(t.w, {other}) AS x"
    return f"{scaled} FROM (SELECT * FROM {cells}) c LEFT JOIN ({table}) t ON t.f = c.f"


def normalised_cells(dialect: Dialect, cells: str, kept: str = "r") -> str:
    """A SELECT of the cells of a relation, each row divided by its norm. `kept`: the columns other than f and x."""
    norm = dialect.sqrt("SUM(x*x) OVER (PARTITION BY r)")
    normed = f"(SELECT {kept}, f, x, {norm} AS n FROM {cells}) s"
    return f"SELECT {kept}, f, {normalised('x', 'n')} AS x FROM {normed}"


PREPARING: Forms[Callable[[Dialect, str, Any], str]] = Forms(
    "over the cells of a source",
    {Rescale: rescaled_cells, Normalise: lambda dialect, cells, stage: normalised_cells(dialect, cells)},
)
"""The stages that prepare rows, as SELECTs over the cells (r, f, x) of a relation."""


def horner(dialect: Dialect, coefficients: Sequence[str], x: str, below: int) -> str:
    """Σ a_i·x^i mod P as text, for 0 ≤ x < `below`. Remainders are taken only where 63 bits would not suffice."""
    h, largest = coefficients[-1], P - 1
    for a in reversed(coefficients[:-1]):
        if largest * (below - 1) + P - 1 >= 1 << 63:
            h, largest = dialect.remainder(h, P), P - 1
        h, largest = f"({h}*{x}+{a})", largest * (below - 1) + P - 1
    return dialect.remainder(h, P)
