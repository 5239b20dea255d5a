"""The measures of a table's sample by SQL: temporary tables of the sample, its projection and its pairs.

Only sums leave the database. Everything is one relation (r, f, x) of cells for the rows, one for their projection,
and a join of each with itself: inner products of all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from sqlrp.api import prepared
from sqlrp.engines import engine_of
from sqlrp.engines.base import Engine
from sqlrp.errors import SourceError
from sqlrp.frame import Frame, look
from sqlrp.layouts import Source, TableName
from sqlrp.lower.chain import rescaled_cells
from sqlrp.lower.job import Job
from sqlrp.lower.planner import plan
from sqlrp.lower.relational import normalised_cells
from sqlrp.lower.script import Script
from sqlrp.numbers import DOUBLE
from sqlrp.projections.base import Projection
from sqlrp.quality.measures import ROUNDING, Summary
from sqlrp.quality.report import NOT_FINITE, Sampled, bin_width
from sqlrp.sampling import Sample
from sqlrp.stages import Rescale

QUANTILES = (0.05, 0.5, 0.95)
"""Those of a `Summary`."""

SAMPLE, BEFORE, AFTER, PAIRS = "sqlrp_sample", "sqlrp_before", "sqlrp_after", "sqlrp_pairs"
"""The temporary tables, dropped before `measure` returns.

The sampled rows, their cells (r, f, x), the cells of their projection, and pairs of rows.
"""


def measure(projection: Projection, source: Source, connection: Any, sample: int, seed: int) -> Sampled:
    """Draw a sample of rows, project it as `sqlrp.project` does, and measure it, all in the database."""
    engine = engine_of(connection)
    frame = look(engine, connection, source)
    drawn = Sample(engine, frame, seed, sample)
    make = Script(
        "", (engine.create_temporary(SAMPLE, drawn.query(), numbered=False),), (engine.drop_temporary(SAMPLE),)
    )
    with engine.session(connection) as session, prepared(engine, session, make):
        script = _pairs_script(projection, drawn)
        with prepared(engine, session, script):
            return _Measured(engine, session, projection, frame).sampled()


def _sampled_frame(drawn: Sample) -> Frame:
    """The sample as a source."""
    return replace(drawn.frame, table=TableName((SAMPLE,)), key=drawn.row, keep=(), rows=drawn.size)


def _cells(drawn: Sample) -> str:
    """SELECT of (r, f, x): every feature of every sampled row, as DOUBLE."""
    engine, frame = drawn.engine, drawn.frame
    names = [engine.quote(name) for name in frame.names]
    if frame.layout == "long":
        bound = "" if frame.n_features is None or frame.text_features else f" WHERE f >= 0 AND f < {frame.n_features}"
        # By its number a word finds its weight in the statistics.
        feature = engine.hash_name(names[0]) if frame.text_features else names[0]
        cast = f"sum({engine.cast(names[1], DOUBLE)})"
        summed = f"SELECT {drawn.row} AS r, {feature} AS f, {cast} AS x FROM {SAMPLE} GROUP BY 1, 2"
        return f"SELECT * FROM ({summed}) c{bound}"
    if frame.layout == "wide" and not engine.has_arrays:
        cast = ", ".join(f"{engine.cast(name, DOUBLE)} AS x{j}" for j, name in enumerate(names))
        columns = [f"x{j}" for j in range(len(names))]
        return engine.cells_of_row(f"(SELECT {drawn.row} AS r, {cast} FROM {SAMPLE}) s", ["r"], columns, "f", "x")
    array = (
        engine.cast_array(names[0], DOUBLE)
        if frame.layout == "array"
        else engine.list_of([engine.cast(name, DOUBLE) for name in names])
    )
    return engine.unnest(f"(SELECT {drawn.row} AS r, {array} AS x FROM {SAMPLE}) s", ["r"], "x", "f", "x")


def _prepared_cells(projection: Projection, drawn: Sample) -> str:
    """The cells as the projection's preparation leaves them."""
    cells = _cells(drawn)
    for stage in projection.preparation:
        relation = f"({cells}) p"
        cells = (
            rescaled_cells(drawn.engine, relation, stage) if isinstance(stage, Rescale) else normalised_cells(relation)
        )
    return cells


def _pairs_script(projection: Projection, drawn: Sample) -> Script:
    """The projection of the sample and its complete rows as cells, then all pairs of these rows, each with itself too.

    PAIRS (a, b, k, g, true_sq, got_sq), a ≤ b: the kernel's value and the inner product of the projected rows, and
    the squared distances that follow.
    """
    engine = drawn.engine
    job = Job(projection, _sampled_frame(drawn), engine, "long")
    script = plan(job, "auto").script()
    degree, c = projection.kernel()
    after = (
        f"SELECT {drawn.row} AS r, component AS f, {engine.cast('value', DOUBLE)} AS x\n"
        f"FROM (\n{script.query.removesuffix(engine.settings)}) q"
    )
    # A row of the projection is NULL as a whole or not at all.
    before = (
        f"SELECT * FROM ({_prepared_cells(projection, drawn)}) c WHERE r IN (SELECT r FROM {AFTER} WHERE x IS NOT NULL)"
    )
    pairs = (
        f"WITH r AS (SELECT DISTINCT r FROM {AFTER} WHERE x IS NOT NULL),\n"
        f"x AS ({_dots(BEFORE)}),\nz AS ({_dots(AFTER)}),\n"
        f"grams AS (SELECT a.r AS a, b.r AS b, power(coalesce(x.dot, 0) + {engine.literal(c, DOUBLE)}, "
        f"{engine.literal(degree, DOUBLE)}) AS k, coalesce(z.dot, 0) AS g\nFROM r a JOIN r b ON a.r <= b.r\n"
        "LEFT JOIN x ON x.a = a.r AND x.b = b.r\nLEFT JOIN z ON z.a = a.r AND z.b = b.r)\n"
        "SELECT s.a AS a, s.b AS b, s.k AS k, s.g AS g, "
        f"{_apart('p.k + q.k', 's.k')} AS true_sq, {_apart('p.g + q.g', 's.g')} AS got_sq\n"
        "FROM grams s JOIN grams p ON p.a = s.a AND p.b = s.a JOIN grams q ON q.a = s.b AND q.b = s.b"
    )
    tables = {AFTER: after, BEFORE: before, PAIRS: pairs}
    made = (engine.create_temporary(name, query, numbered=False) for name, query in tables.items())
    drops = (engine.drop_temporary(name) for name in reversed(tables))
    return Script("", (*script.steps, *made), (*drops, *script.cleanup))


def _dots(cells: str) -> str:
    """The inner products of all rows that share a feature."""
    return (
        f"SELECT p.r AS a, q.r AS b, sum(p.x * q.x) AS dot FROM {cells} p JOIN {cells} q ON p.f = q.f AND p.r <= q.r "
        "GROUP BY p.r, q.r"
    )


def _apart(scale: str, product: str) -> str:
    """A squared distance; 0 where rounding alone may have left it, as in `measures.squared_distances`."""
    squared = f"{scale} - 2 * {product}"
    return f"CASE WHEN {squared} <= {ROUNDING!r} * ({scale}) THEN 0 ELSE {squared} END"


@dataclass(frozen=True)
class _Measured:
    """The queries over the temporary tables."""

    engine: Engine
    connection: Any
    projection: Projection
    frame: Frame

    def sampled(self) -> Sampled:
        """Every measure."""
        finite = self.engine.finite("k + g") or "1 = 1"
        found = self._one(
            f"SELECT count(*) AS n, count(CASE WHEN {finite} THEN 1 END) AS finite FROM {PAIRS} WHERE a = b"
        )
        rows = found["n"]
        if rows < 3:
            raise SourceError(
                f"the sample of {self.frame.table} has {rows} rows without NULL and must have at least 3: "
                "raise sample, or clean the rows"
            )
        if found["finite"] < rows:
            raise SourceError(NOT_FINITE)
        apart = f"FROM {PAIRS} WHERE a < b AND true_sq <> 0"
        pairs = self._summaries(
            f"SELECT abs(got_sq - true_sq) / true_sq AS d, sqrt(got_sq / true_sq) AS r {apart}", "d", "r"
        )
        weight = "CASE WHEN a = b THEN 1 ELSE 2 END"
        error = self._one(
            f"SELECT sqrt(sum({weight} * (g - k) * (g - k)) / sum({weight} * k * k)) AS error FROM {PAIRS}"
        )
        width = bin_width(self.projection.k)
        bins = self._fetch(
            f"SELECT floor(sqrt(got_sq / true_sq) / {self.engine.literal(width, DOUBLE)}) AS bin, count(*) AS n "
            f"{apart} GROUP BY 1 ORDER BY 1"
        )
        edges = list(zip(bins.column("bin").to_pylist(), bins.column("n").to_pylist(), strict=True))
        c, reflected = self._regularity()
        return Sampled(
            rows=rows,
            pairs=sum(n for _, n in edges),
            distortion=pairs[0],
            ratio=pairs[1],
            kernel_error=error["error"],
            shared_ranks=self._shared_ranks(rows),
            ratio_histogram=tuple((b * width, n) for b, n in edges),
            regularity=c,
            reflected=reflected,
        )

    def _shared_ranks(self, rows: int) -> Sequence[int]:
        found = self._fetch(
            f"WITH p AS (SELECT a, b, true_sq, got_sq FROM {PAIRS} WHERE a < b\nUNION ALL\n"
            f"SELECT b, a, true_sq, got_sq FROM {PAIRS} WHERE a < b),\n"
            "ranked AS (SELECT row_number() OVER (PARTITION BY a ORDER BY true_sq, b) AS i, "
            "row_number() OVER (PARTITION BY a ORDER BY got_sq, b) AS j FROM p)\n"
            "SELECT CASE WHEN i > j THEN i ELSE j END AS worse, count(*) AS n FROM ranked GROUP BY 1"
        )
        counts = dict(zip(found.column("worse").to_pylist(), found.column("n").to_pylist(), strict=True))
        return tuple(counts.get(rank, 0) for rank in range(1, rows))

    def _regularity(self) -> tuple[Summary | None, Summary | None]:
        """c and c' of the rows; in the long layout the features that are absent reflect to -2·mean."""
        d = self.frame.n_features
        if d is None:
            return None, None
        c, reflected = self._summaries(
            f"WITH s AS (SELECT r, sum(x) / {d} AS m, sum(x * x) AS size, count(*) AS n FROM {BEFORE} GROUP BY r),\n"
            "c AS (SELECT max(c.x * c.x) AS plain, max((c.x - 2 * s.m) * (c.x - 2 * s.m)) AS reflected, "
            f"max(CASE WHEN s.n < {d} THEN 4 * s.m * s.m ELSE 0 END) AS absent, max(s.size) AS size\n"
            f"FROM {BEFORE} c JOIN s ON s.r = c.r GROUP BY s.r)\n"
            f"SELECT {d} * plain / size AS plain, "
            f"{d} * CASE WHEN absent > reflected THEN absent ELSE reflected END / size AS reflected "
            "FROM c WHERE size > 0",
            "plain",
            "reflected",
        )
        return (None, None) if math.isnan(c.mean) else (c, reflected)

    def _summaries(self, query: str, *columns: str) -> list[Summary]:
        """Mean and quantiles of columns of a query; NaN where it has no rows.

        A quantile lies between its two nearest rows by order: a weight of 1 less the distance, for either. Not every
        engine has an aggregate for it.
        """
        numbered = ", ".join(
            [*columns, "count(*) OVER () AS n"] + [f"row_number() OVER (ORDER BY {c}) - 1 AS {c}_at" for c in columns]
        )
        weights = {
            (c, q): f"(1 - abs({c}_at - {self.engine.literal(q, DOUBLE)} * (n - 1)))"
            for c in columns
            for q in QUANTILES
        }
        averages = [f"avg({c}) AS {c}_mean" for c in columns]
        quantiles = [
            f"sum(CASE WHEN {w} > 0 THEN {w} * {c} ELSE 0 END) AS {c}_{i}"
            for i, ((c, _), w) in enumerate(weights.items())
        ]
        found = self._one(f"SELECT {', '.join([*averages, *quantiles])} FROM (SELECT {numbered} FROM (\n{query}) v) o")
        values = [math.nan if value is None else float(value) for value in found.values()]
        means, rest, of_each = values[: len(columns)], values[len(columns) :], len(QUANTILES)
        return [Summary(mean, *rest[i * of_each : (i + 1) * of_each]) for i, mean in enumerate(means)]

    def _one(self, query: str) -> dict[str, Any]:
        return dict(self._fetch(query).to_pylist()[0])

    def _fetch(self, query: str) -> pa.Table:
        return self.engine.fetch(self.connection, query + self.engine.settings)
