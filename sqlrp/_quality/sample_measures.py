"""Measure a sample of a table in SQL: only sums leave the database."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import SourceError, warn
from sqlrp._core.numbers import DOUBLE
from sqlrp._core.sources import Source, TableName
from sqlrp._core.values import dataclass
from sqlrp._engines.registry import connector_of
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.job import Job
from sqlrp._projections.projection import Projection
from sqlrp._quality.apart import EXACT
from sqlrp._quality.here import fetched
from sqlrp._quality.measures import EDGE, Summary, bin_width, shared_of
from sqlrp._quality.pair_tables import PAIRS, SAMPLE, Pairs
from sqlrp._quality.report import NOT_FINITE, SampleMeasures, check_kernel, rounding_of, too_few
from sqlrp._run.bind import cautions, look
from sqlrp._run.execution import within_doubles
from sqlrp._run.row_sample import Sample, drawn

QUANTILES = (0.05, 0.5, 0.95)
"""The quantiles of a `Summary`."""


def measure(projection: Projection, source: Source, connection: Any, sample: int, seed: int) -> SampleMeasures:
    """Draw a sample of rows, project it as `sqlrp.project` does, and measure it, all in the database.

    `projection`: one whose inner products estimate its kernel.
    """
    connector = connector_of(connection)
    engine = connector.dialect
    with within_doubles(NOT_FINITE), connector.working(connection) as session:
        frame = look(connector, session, source, bound_to=projection.bound_to)
        warn(*cautions(projection, frame))
        asked = Job(projection, frame, engine, "long")  # refuses what cannot be projected
        check_kernel(projection, asked.grouped)
        rows = drawn(connector, session, frame, seed, sample, asked.grouped)
        lacks = connector.restricted(session)
        if lacks:
            return fetched(connector, session, projection, rows, lacks)
        job = Job(projection, _sampled_frame(rows), engine, "long")
        with connector.set_up_to_fetch(session, Pairs(job, rows).steps()):
            return _MeasureQueries(connector, session, job).sampled()


def _sampled_frame(drawn: Sample) -> Frame:
    """The sample as a source."""
    name = TableName((drawn.engine.temporary_name(SAMPLE),))
    return replace(drawn.frame, table=name, key=drawn.row, keep=(), rows=drawn.size, temporary=True)


@dataclass(frozen=True)
class _MeasureQueries:
    """The queries on the temporary tables."""

    connector: Connector
    connection: Any
    job: Job

    def sampled(self) -> SampleMeasures:
        """All measures."""
        if not self.job.projection.kernel().known:  # what is asked then follows from numbers
            self._check(self.connector.fetch(self.connection, self._counts_query()))
        counts, *measured = self.connector.fetch_all(self.connection, [self._counts_query(), *self._queries()])
        rows = self._check(counts)
        moved, error, bins, coherent, ranks, by_row = measured
        edges = _rows(bins)
        (distortion, ratio), (c, reflected) = _summaries(moved, 2), _summaries(coherent, 2)
        known = not math.isnan(c.mean)
        return SampleMeasures(
            rows=rows,
            pairs=sum(n for _, n in edges),
            distortion=distortion,
            ratio=ratio,
            kernel_error=error.column(0)[0].as_py() if self.job.projection.kernel().placed else None,
            shared_ranks=_shared(ranks, rows),
            ratio_histogram=tuple((b * bin_width(self.job.k), n) for b, n in edges),
            regularity=c if known else None,
            reflected=reflected if known else None,
            n_features=self.job.frame.n_features,
            by_row=[row[1:] for row in sorted(_rows(by_row))],
            sizes=self.job.frame.sizes,
        )

    def _counts_query(self) -> str:
        """The query of the number of rows, and how many have finite numbers."""
        finite = self.connector.dialect.finite("k + g") or "(k + g) - (k + g) = 0"  # SQLite's NaN is NULL
        counts = f"count(*) AS n, count(CASE WHEN {finite} THEN 1 END) AS finite"
        return f"SELECT {counts} FROM {self._named(PAIRS)} WHERE a = b{self.connector.dialect.settings}"

    def _check(self, counts: pa.Table) -> int:
        """The number of rows. Raises SourceError if they are too few, or not finite."""
        ((rows, finite),) = _rows(counts)
        if rows < 3:
            raise SourceError(too_few(rows, self.job.grouped))
        if finite < rows:
            raise SourceError(NOT_FINITE)
        return int(rows)

    def _queries(self) -> list[str]:
        """Those of all measures, in the order in which `sampled` reads them."""
        found = (
            self._summaries_query(f"SELECT {self._lost} AS d, {self._ratio} AS r {self._apart}", "d", "r"),
            self._error_query(),
            self._bins_query(),
            self._summaries_query(
                f"SELECT c, reflected FROM {self._named(PAIRS)} WHERE c IS NOT NULL", "c", "reflected"
            ),
            self._ranks_query(),
            self._by_row_query(),
        )
        return [query + self.connector.dialect.settings for query in found]

    @property
    def _apart(self) -> str:
        """The pairs of two rows that differ, as they stand after the columns of a query."""
        return f"FROM {self._named(PAIRS)} WHERE a < b AND true_sq <> 0"

    def _error_query(self) -> str:
        """The query of the relative error of the kernel."""
        weight = "CASE WHEN a = b THEN 1 ELSE 2 END"
        off = self.connector.dialect.sqrt(f"sum({weight} * (g - k) * (g - k)) / sum({weight} * k * k)")
        return f"SELECT {off} AS error FROM {self._named(PAIRS)}"

    def _bins_query(self) -> str:
        """The query of the histogram of ratios: the numbers of bins, and the pairs in each."""
        width = self.connector.dialect.literal(bin_width(self.job.k), DOUBLE)
        bin_of = self.connector.dialect.floor(f"{self._ratio} / {width} + {EDGE!r}")
        # By name, as a number of a column may mean the number (`enable_positional_arguments`, `groupByOrdinal`).
        return f"SELECT bin, count(*) AS n FROM (SELECT {bin_of} AS bin {self._apart}) b GROUP BY bin ORDER BY bin ASC"

    def _named(self, table: str) -> str:
        """A temporary table, as the engine names one."""
        return self.job.dialect.temporary_name(table)

    @cached_property
    def _got(self) -> str:
        """The squared distance of projected rows, to the scale of the true ones if the kernel is not known."""
        if self.job.projection.kernel().known:
            return "got_sq"
        sums = f"SELECT sum(true_sq) AS true_sq, sum(got_sq) AS got_sq FROM {self._named(PAIRS)} WHERE a < b"
        of = self._one(sums, "true_sq", "got_sq")
        factor = of["true_sq"] / of["got_sq"] if of["got_sq"] else 1.0
        return f"got_sq * {self.connector.dialect.literal(factor, DOUBLE)}"

    @property
    def _ratio(self) -> str:
        """The ratio of a distance of projected rows to the true one."""
        return self.connector.dialect.sqrt(f"{self._got} / true_sq")

    @property
    def _lost(self) -> str:
        """The distortion of a pair."""
        return f"{self.connector.dialect.absolute(f'{self._got} - true_sq')} / true_sq"

    def _by_row_query(self) -> str:
        """The query of each row's number, the number of its pairs, and the sums of their distortions and ratios."""
        values = f"{self._lost} AS d, {self._ratio} AS ratio"
        own, other = (f"SELECT {end} AS r, {values} {self._apart}" for end in ("a", "b"))
        return (
            f"SELECT p.r AS r, count(*) AS n, sum(p.d) AS d, sum(p.ratio) AS ratio FROM ({own}\nUNION ALL\n{other}) p "
            "GROUP BY p.r ORDER BY p.r ASC"
        )

    def _ranks_query(self) -> str:
        """The query that counts the pairs of ranks of a neighbour before and after."""
        self.job.dialect.check_windows()
        columns = ("true_sq", "true_by", "got_sq", "got_by")
        own, other = (
            f"SELECT {ends}, {', '.join(columns)} FROM {self._named(PAIRS)} WHERE a < b" for ends in ("a, b", "b, a")
        )
        rounding = {"true": EXACT.relative, "got": rounding_of(self.job).relative}
        begins = ", ".join(
            f"CASE WHEN {at}_sq - lag({at}_sq) OVER (PARTITION BY a ORDER BY {at}_sq ASC, b ASC) > {part!r} * {at}_by "
            f"THEN 1 ELSE 0 END AS {at}_new, "
            f"row_number() OVER (PARTITION BY a ORDER BY {at}_sq ASC, b ASC) AS {at}_rank"
            for at, part in rounding.items()
        )
        ties = ", ".join(f"sum({at}_new) OVER (PARTITION BY a ORDER BY {at}_rank ASC) AS {at}_tie" for at in rounding)
        places = ", ".join(
            f"min({at}_rank) OVER (PARTITION BY a, {at}_tie) - 1 AS {at}_nearer, "
            f"count(*) OVER (PARTITION BY a, {at}_tie) AS {at}_tied"
            for at in rounding
        )
        # Without a tie only the worse rank counts, so there are few groups.
        single = "true_tied = 1 AND got_tied = 1"
        nearer, nearer_after = (
            f"CASE WHEN {single} AND {at}_nearer < {other}_nearer THEN {other}_nearer ELSE {at}_nearer END AS {name}"
            for at, other, name in (("true", "got", "l1"), ("got", "true", "l2"))
        )
        return (
            f"WITH p AS ({own}\nUNION ALL\n{other}),\nranked AS (SELECT a, {begins} FROM p),\n"
            f"tied AS (SELECT a, true_rank, got_rank, {ties} FROM ranked),\nplaced AS (SELECT {places} FROM tied)\n"
            f"SELECT l1, t1, l2, t2, count(*) AS n FROM (SELECT {nearer}, true_tied AS t1, {nearer_after}, "
            "got_tied AS t2 FROM placed) counted GROUP BY l1, t1, l2, t2"
        )

    def _summaries_query(self, query: str, *columns: str) -> str:
        """The query of the means, the largest and the quantiles of columns of a query, which `_summaries` reads.

        A quantile lies between its two nearest rows by order: a weight of 1 less the distance, for either. Not every
        engine has an aggregate for it.
        """
        numbered = ", ".join(
            [*columns, "count(*) OVER () AS n"]
            + [f"row_number() OVER (ORDER BY {c} ASC) - 1 AS {c}_at" for c in columns]
        )
        phrases = self.connector.dialect
        weights = {
            (c, q): f"(1 - {phrases.absolute(f'{c}_at - {phrases.literal(q, DOUBLE)} * (n - 1)')})"
            for c in columns
            for q in QUANTILES
        }
        averages = [f"avg({c}) AS {c}_mean" for c in columns]
        largest = [f"max({c}) AS {c}_most" for c in columns]
        quantiles = [
            f"sum(CASE WHEN {w} > 0 THEN {w} * {c} ELSE 0 END) AS {c}_{i}"
            for i, ((c, _), w) in enumerate(weights.items())
        ]
        return f"SELECT {', '.join([*averages, *largest, *quantiles])} FROM (SELECT {numbered} FROM (\n{query}) v) o"

    def _one(self, query: str, *names: str) -> dict[str, Any]:
        """The one row, with our names: a driver may give others."""
        found = self.connector.fetch(self.connection, query + self.connector.dialect.settings)
        return dict(zip(names, (column[0].as_py() for column in found.columns), strict=True))


def _rows(found: pa.Table) -> list[tuple[Any, ...]]:
    """The rows of a result, by position: a driver may give other names."""
    return list(zip(*(column.to_pylist() for column in found.columns), strict=True))


def _summaries(found: pa.Table, n: int) -> list[Summary]:
    """Mean, quantiles and the largest of n columns; NaN where they have no rows."""
    values = [math.nan if cell is None else float(cell) for column in found.columns for cell in column.to_pylist()]
    of_each = len(QUANTILES)
    means, most, rest = values[:n], values[n : 2 * n], values[2 * n :]
    return [Summary(*(means[i], *rest[i * of_each : (i + 1) * of_each], most[i])) for i in range(n)]


def _shared(found: pa.Table, rows: int) -> Sequence[float]:
    """`shared_of` the counted pairs of ranks."""
    l1, t1, l2, t2, n = (np.array([int(v) for v in column.to_pylist()]) for column in found.columns)
    return tuple(shared_of((l1, t1, l2, t2), n.astype(np.float64), rows - 1).tolist())
