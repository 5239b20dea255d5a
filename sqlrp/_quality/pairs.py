"""Measure a sample of a table in SQL, with temporary tables of the sample, its projection and its pairs.

Only sums leave the database. Everything is one relation (r, f, x) of cells for the rows, one for their projection,
and a join of each with itself: inner products of all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from sqlrp._connectors.base import Connector
from sqlrp._core.errors import SourceError
from sqlrp._core.numbers import DOUBLE
from sqlrp._core.script import Setup
from sqlrp._core.sources import Source, TableName
from sqlrp._engines import connector_of
from sqlrp._lowering.cells import PREPARING
from sqlrp._lowering.endpoints import checked_array
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import plan
from sqlrp._projections.base import Projection
from sqlrp._quality.measures import EDGE, ROUNDING, Summary, bin_width, shared_of
from sqlrp._quality.report import NOT_FINITE, Sampled, check_kernel, rounding_of, too_few
from sqlrp._run.bind import caution, look
from sqlrp._run.running import set_up
from sqlrp._run.sampling import Sample, drawn
from sqlrp.kernels import Kernel

QUANTILES = (0.05, 0.5, 0.95)
"""The quantiles of a `Summary`."""

SAMPLE, BEFORE, AFTER, PAIRS = "sqlrp_sample", "sqlrp_before", "sqlrp_after", "sqlrp_pairs"
"""The temporary tables, dropped before `measure` returns.

The sampled rows, their cells (r, f, x), the cells of their projection, and pairs of rows.
"""


def measure(projection: Projection, source: Source, connection: Any, sample: int, seed: int) -> Sampled:
    """Draw a sample of rows, project it as `sqlrp.project` does, and measure it, all in the database.

    `projection`: one whose inner products estimate its kernel.
    """
    connector = connector_of(connection)
    engine = connector.dialect
    frame = look(connector, connection, source, bound_to=projection.bound_to)
    caution(projection, frame)
    asked = Job(projection, frame, engine, "long")  # refuses what cannot be projected
    check_kernel(projection, asked.grouped)
    with connector.session(connection) as session:
        rows = drawn(connector, session, frame, seed, sample, asked.grouped)
        job = Job(projection, _sampled_frame(rows), engine, "long")
        with set_up(connector, session, _Pairs(job, rows).steps()):
            return _Measured(connector, session, job).sampled()


def _sampled_frame(drawn: Sample) -> Frame:
    """The sample as a source."""
    name = TableName((drawn.engine.temporary_name(SAMPLE),))
    return replace(drawn.frame, table=name, key=drawn.row, keep=(), rows=drawn.size, temporary=True)


@dataclass(frozen=True)
class _Pairs:
    """The statements that make the temporary tables."""

    job: Job
    drawn: Sample

    @property
    def kernel(self) -> Kernel:
        """The kernel that is estimated."""
        return self.job.projection.kernel()

    def steps(self) -> tuple[Setup, ...]:
        """The sample, its projection and its complete rows as cells, and all pairs of these rows, each with itself.

        PAIRS (a, b, k, g, true_sq, got_sq, c, reflected), a ≤ b: the kernel's value and the inner product of the
        projected rows, the squared distances that follow, and c and c' of the rows' difference, NULL where the kernel
        has other distances than the rows.
        """
        engine, drawn = self.job.dialect, self.drawn
        script = plan(self.job, "auto").script()
        after = (
            f"SELECT {drawn.row} AS r, component AS f, {engine.cast('value', DOUBLE)} AS x\n"
            f"FROM (\n{script.statement.inner}) q"
        )
        # A row of the projection is NULL as a whole or not at all.
        complete = f"SELECT r FROM {self._named(AFTER)} WHERE x IS NOT NULL"
        if drawn.grouped:
            complete = f"SELECT {drawn.member} FROM {self._named(SAMPLE)} WHERE {drawn.row} IN ({complete})"
        before = f"SELECT * FROM ({self._prepared_cells()}) c WHERE r IN ({complete})"
        tables = {SAMPLE: drawn.query(), AFTER: after, BEFORE: before, **self._pairs()}
        sample, *made = (
            engine.temporary_table(self._named(name), query, numbered=False) for name, query in tables.items()
        )
        return (sample, *script.steps, *made)

    def _named(self, table: str) -> str:
        """A temporary table, as the engine names one."""
        return self.job.dialect.temporary_name(table)

    def _cells(self) -> str:
        """SELECT of (r, f, x): every feature of every sampled row, as DOUBLE."""
        engine, drawn, frame = self.job.dialect, self.drawn, self.drawn.frame
        r = drawn.member if drawn.grouped else drawn.row
        names = [engine.quote(name) for name in frame.names]
        if frame.layout == "long":
            bound = (
                "" if frame.n_features is None or frame.text_features else f" WHERE f >= 0 AND f < {frame.n_features}"
            )
            # A word finds its weight in the statistics by its number.
            feature = engine.hash_name(names[0]) if frame.text_features else names[0]
            cast = f"sum({engine.cast(names[1], DOUBLE)})"
            summed = f"SELECT {r} AS r, {feature} AS f, {cast} AS x FROM {self._named(SAMPLE)} GROUP BY {r}, {feature}"
            return f"SELECT * FROM ({summed}) c{bound}"
        if not engine.has_lists:
            sampled = self._named(SAMPLE)
            if frame.layout == "array":  # every feature reads the array, so it gets a short name
                sampled, r = f"(SELECT {r} AS r, {checked_array(engine, frame)} AS x FROM {self._named(SAMPLE)}) a", "r"
                names = [engine.element("x", j) for j in range(frame.width)]
            cast = ", ".join(f"{engine.cast(name, DOUBLE)} AS x{j}" for j, name in enumerate(names))
            columns = [f"x{j}" for j in range(len(names))]
            return engine.cells_of_row(f"(SELECT {r} AS r, {cast} FROM {sampled}) s", ["r"], columns, "f", "x")
        array = (
            engine.cast_array(names[0] if len(names) == 1 else checked_array(engine, frame), DOUBLE)
            if frame.layout == "array"
            else engine.list_of([engine.cast(name, DOUBLE) for name in names])
        )
        return engine.unnest(f"(SELECT {r} AS r, {array} AS x FROM {self._named(SAMPLE)}) s", ["r"], "x", "f", "x")

    def _prepared_cells(self) -> str:
        """The cells after the projection's scaling."""
        cells = self._cells()
        for stage in self.job.projection.preparation:
            cells = PREPARING.of(stage)(self.job.dialect, f"({cells}) p", stage)
        return cells

    def _at(self, name: str) -> str:
        """The name of a relation of `_pairs`: a common table expression, or a temporary table if those read once."""
        return self._named(f"{PAIRS}_{name}") if self.job.dialect.reads_once else name

    def _pairs(self) -> dict[str, str]:
        """The query of PAIRS, and before it those of the tables that it reads."""
        at = self._at
        relations = {
            "r": f"SELECT DISTINCT r FROM {self._named(AFTER)} WHERE x IS NOT NULL",
            "z": self._dots(AFTER, not self.job.sparse_result),
            "x": self._dots(BEFORE, not self._sparse, self._second() + self._difference()),
        }
        k, joins = self._value(), [f"LEFT JOIN {at('x')} x ON x.a = a.r AND x.b = b.r{self._norms('a.r', 'b.r')}"]
        if self.drawn.grouped:
            relations["members"] = f"SELECT {self.drawn.member} AS r, {self.drawn.row} AS g FROM {self._named(SAMPLE)}"
            relations["sums"] = self._sums()
            k, joins = "coalesce(s.k, 0)", [f"LEFT JOIN {at('sums')} s ON s.a = a.r AND s.b = b.r"]
        c = reflected = self.job.dialect.cast("NULL", DOUBLE)
        if self._differences:
            t = "x"
            if self._sparse:
                relations["apart"], t = self._apart_sparse(), "t"
                joins.append(f"LEFT JOIN {at('apart')} t ON t.a = a.r AND t.b = b.r")
            d = self.job.frame.n_features
            hi, lo = (f"({t}.{end} - 2 * {t}.total / {d})" for end in ("hi", "lo"))
            c, reflected = (
                f"CASE WHEN {t}.sq > 0 THEN {d} * {_larger(*ends)} / {t}.sq END"
                for ends in ((f"{t}.hi * {t}.hi", f"{t}.lo * {t}.lo"), (f"{hi} * {hi}", f"{lo} * {lo}"))
            )
        joined = "\n".join(joins)
        relations["grams"] = (
            f"SELECT a.r AS a, b.r AS b, {k} AS k, coalesce(z.dot, 0) AS g, {c} AS c, {reflected} AS reflected\n"
            f"FROM {at('r')} a JOIN {at('r')} b ON a.r <= b.r\n{joined}\n"
            f"LEFT JOIN {at('z')} z ON z.a = a.r AND z.b = b.r"
        )
        pairs = (
            "SELECT s.a AS a, s.b AS b, s.k AS k, s.g AS g, "
            f"{_apart('p.k + q.k', 's.k')} AS true_sq, {_apart('p.g + q.g', 's.g')} AS got_sq, "
            "p.k + q.k AS true_by, p.g + q.g AS got_by, s.c AS c, s.reflected AS reflected\n"
            f"FROM {at('grams')} s JOIN {at('grams')} p ON p.a = s.a AND p.b = s.a "
            f"JOIN {at('grams')} q ON q.a = s.b AND q.b = s.b"
        )
        if self.job.dialect.reads_once:
            return {**{f"{PAIRS}_{name}": query for name, query in relations.items()}, PAIRS: pairs}
        named = ",\n".join(f"{name} AS ({query})" for name, query in relations.items())
        return {PAIRS: f"WITH {named}\n{pairs}"}

    def _dots(self, table: str, whole: bool, more: str = "") -> str:
        """The inner products of all rows that share a feature. `whole`: whether every row has all features.

        `more`: other aggregates of their cells, with a comma.
        """
        engine, cells = self.job.dialect, self._named(table)
        product = engine.product("p.x", "q.x")
        if whole and not more and product is not None:
            rows = f"(SELECT r, {engine.collect('x', 'f')} AS x FROM {cells} WHERE x IS NOT NULL GROUP BY r)"
            return f"SELECT p.r AS a, q.r AS b, {product} AS dot FROM {rows} p JOIN {rows} q ON p.r <= q.r"
        return (
            f"SELECT p.r AS a, q.r AS b, sum(p.x * q.x) AS dot{more} FROM {cells} p JOIN {cells} q "
            "ON p.f = q.f AND p.r <= q.r GROUP BY p.r, q.r"
        )

    def _second(self) -> str:
        """The other sum over the features that the kernel needs, with its comma; empty for none."""
        part = self.kernel.part
        if part is not None:
            return f", sum(CASE WHEN p.f < {part} THEN p.x * q.x ELSE 0 END) AS squares"
        return ", sum(p.x * p.x * q.x * q.x) AS squares" if self.kernel.squares else ""

    def _sums(self) -> str:
        """The kernel of two groups: the sum over their rows."""
        # Rows are numbered in the order of their groups, so a pair of rows gives a pair of groups in the same order.
        ways = "CASE WHEN x.a <> x.b AND m.g = n.g THEN 2 ELSE 1 END"
        x, members = self._at("x"), self._at("members")
        return (
            f"SELECT m.g AS a, n.g AS b, sum({ways} * ({self._value()})) AS k\n"
            f"FROM {x} x JOIN {members} m ON m.r = x.a JOIN {members} n ON n.r = x.b{self._norms('x.a', 'x.b')} "
            "GROUP BY m.g, n.g"
        )

    def _value(self) -> str:
        """The kernel of the two rows of x, with the rows' own inner products in o and w."""
        dot, squares, own, other = (f"coalesce({text}, 0)" for text in ("x.dot", "x.squares", "o.dot", "w.dot"))
        return self.kernel.sql(dot, squares, own, other, self.job.dialect)

    def _norms(self, a: str, b: str) -> str:
        """The join with two rows' own inner products, if the kernel needs them."""
        if not self.kernel.norms:
            return ""
        x = self._at("x")
        return f"\nLEFT JOIN {x} o ON o.a = {a} AND o.b = {a} LEFT JOIN {x} w ON w.a = {b} AND w.b = {b}"

    # -- differences of rows ---------------------------------------------------------------------

    @property
    def _differences(self) -> bool:
        """Whether distances are those of rows of a known number of features."""
        return self.kernel.linear and not self.drawn.grouped and self.job.frame.n_features is not None

    @property
    def _sparse(self) -> bool:
        """Whether a feature of a row may be absent."""
        return self.job.frame.layout == "long"

    def _difference(self) -> str:
        """Of whole rows: the aggregates of each pair's difference, with their comma, in the join of their products."""
        return f", {_of_difference('p.x - q.x')}" if self._differences and not self._sparse else ""

    def _apart_sparse(self) -> str:
        """The same for rows without their zeros, computed from both rows' sides."""
        # Row a against row b: the entries at all features of a, and separately those at features that b lacks.
        missing = "CASE WHEN q.f IS NULL THEN p.x ELSE 0 END"
        side = (
            f"SELECT p.r AS a, o.r AS b, {_of_difference('p.x - coalesce(q.x, 0)')}, sum({missing}) AS lone, "
            f"sum({missing} * p.x) AS lone_sq, count(*) AS n, count(q.f) AS shared FROM {self._named(BEFORE)} p "
            f"JOIN (SELECT DISTINCT r FROM {self._named(BEFORE)}) o ON o.r <> p.r "
            f"LEFT JOIN {self._named(BEFORE)} q ON q.r = o.r AND q.f = p.f GROUP BY p.r, o.r"
        )
        # If neither row has a feature, the difference there is 0.
        lacking = f"u.n + v.n - u.shared < {self.job.frame.n_features}"
        hi, lo = _larger("u.hi", "-v.lo"), f"-{_larger('-u.lo', 'v.hi')}"
        return (
            f"SELECT u.a AS a, u.b AS b, CASE WHEN {lacking} AND {hi} < 0 THEN 0 ELSE {hi} END AS hi, "
            f"CASE WHEN {lacking} AND {lo} > 0 THEN 0 ELSE {lo} END AS lo, u.total - v.lone AS total, "
            f"u.sq + v.lone_sq AS sq FROM ({side}) u JOIN ({side}) v ON v.a = u.b AND v.b = u.a WHERE u.a < u.b"
        )


def _of_difference(x: str) -> str:
    """The aggregates of a difference of two rows."""
    return f"max({x}) AS hi, min({x}) AS lo, sum({x}) AS total, sum(({x}) * ({x})) AS sq"


def _larger(a: str, b: str) -> str:
    """The larger of two numbers; not every engine has greatest."""
    return f"(CASE WHEN {a} > {b} THEN {a} ELSE {b} END)"


def _apart(scale: str, product: str) -> str:
    """A squared distance; 0 if it may be due to rounding, as in `measures.squared_distances`."""
    squared = f"{scale} - 2 * {product}"
    return f"CASE WHEN {squared} <= {ROUNDING!r} * ({scale}) THEN 0 ELSE {squared} END"


@dataclass(frozen=True)
class _Measured:
    """The queries on the temporary tables."""

    connector: Connector
    connection: Any
    job: Job

    def sampled(self) -> Sampled:
        """All measures."""
        finite = self.connector.dialect.finite("k + g") or "1 = 1"
        counts = f"count(*) AS n, count(CASE WHEN {finite} THEN 1 END) AS finite"
        found = self._one(f"SELECT {counts} FROM {self._named(PAIRS)} WHERE a = b")
        rows = found["n"]
        if rows < 3:
            raise SourceError(too_few(rows, self.job.grouped))
        if found["finite"] < rows:
            raise SourceError(NOT_FINITE)
        apart = f"FROM {self._named(PAIRS)} WHERE a < b AND true_sq <> 0"
        pairs = self._summaries(f"SELECT {self._lost} AS d, {self._ratio} AS r {apart}", "d", "r")
        weight = "CASE WHEN a = b THEN 1 ELSE 2 END"
        off = self.connector.dialect.sqrt(f"sum({weight} * (g - k) * (g - k)) / sum({weight} * k * k)")
        error = self._one(f"SELECT {off} AS error FROM {self._named(PAIRS)}")
        width = self.connector.dialect.literal(bin_width(self.job.k), DOUBLE)
        bins = self._fetch(
            f"SELECT {self.connector.dialect.floor(f'{self._ratio} / {width} + {EDGE!r}')} AS bin, count(*) AS n "
            f"{apart} GROUP BY 1 ORDER BY 1 ASC"
        )
        edges = list(zip(bins.column("bin").to_pylist(), bins.column("n").to_pylist(), strict=True))
        c, reflected = self._summaries(
            f"SELECT c, reflected FROM {self._named(PAIRS)} WHERE c IS NOT NULL", "c", "reflected"
        )
        known = not math.isnan(c.mean)
        return Sampled(
            rows=rows,
            pairs=sum(n for _, n in edges),
            distortion=pairs[0],
            ratio=pairs[1],
            kernel_error=error["error"] if self.job.projection.kernel().placed else None,
            shared_ranks=self._shared_ranks(rows),
            ratio_histogram=tuple((b * bin_width(self.job.k), n) for b, n in edges),
            regularity=c if known else None,
            reflected=reflected if known else None,
            n_features=self.job.frame.n_features,
            by_row=self._by_row(),
            sizes=self.job.frame.sizes,
        )

    def _named(self, table: str) -> str:
        """A temporary table, as the engine names one."""
        return self.job.dialect.temporary_name(table)

    @cached_property
    def _got(self) -> str:
        """The squared distance of projected rows, to the scale of the true ones if the kernel is not known."""
        if self.job.projection.kernel().known:
            return "got_sq"
        of = self._one(f"SELECT sum(true_sq) AS true_sq, sum(got_sq) AS got_sq FROM {self._named(PAIRS)} WHERE a < b")
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

    def _by_row(self) -> Sequence[tuple[int, float, float]]:
        """For each row the number of its pairs, and the sums of their distortions and ratios."""
        values = f"{self._lost} AS d, {self._ratio} AS ratio"
        own, other = (
            f"SELECT {end} AS r, {values} FROM {self._named(PAIRS)} WHERE a < b AND true_sq <> 0" for end in ("a", "b")
        )
        found = self._fetch(
            f"SELECT p.r AS r, count(*) AS n, sum(p.d) AS d, sum(p.ratio) AS ratio FROM ({own}\nUNION ALL\n{other}) p "
            "GROUP BY p.r ORDER BY p.r ASC"
        )
        return list(zip(*(found.column(name).to_pylist() for name in ("n", "d", "ratio")), strict=True))

    def _shared_ranks(self, rows: int) -> Sequence[float]:
        """Count the pairs of ranks of a neighbour before and after, and compute `shared_of` from the counts."""
        columns = ("true_sq", "true_by", "got_sq", "got_by")
        own, other = (
            f"SELECT {ends}, {', '.join(columns)} FROM {self._named(PAIRS)} WHERE a < b" for ends in ("a, b", "b, a")
        )
        rounding = {"true": ROUNDING, "got": rounding_of(self.job)}
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
        found = self._fetch(
            f"WITH p AS ({own}\nUNION ALL\n{other}),\nranked AS (SELECT a, {begins} FROM p),\n"
            f"tied AS (SELECT a, true_rank, got_rank, {ties} FROM ranked),\nplaced AS (SELECT {places} FROM tied)\n"
            f"SELECT {nearer}, true_tied AS t1, {nearer_after}, got_tied AS t2, count(*) AS n FROM placed "
            "GROUP BY 1, 2, 3, 4"
        )
        l1, t1, l2, t2, n = (np.array([int(v) for v in column.to_pylist()]) for column in found.columns)
        return tuple(shared_of((l1, t1, l2, t2), n.astype(np.float64), rows - 1).tolist())

    def _summaries(self, query: str, *columns: str) -> list[Summary]:
        """Mean, quantiles and the largest of columns of a query; NaN where it has no rows.

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
        found = self._one(
            f"SELECT {', '.join([*averages, *largest, *quantiles])} FROM (SELECT {numbered} FROM (\n{query}) v) o"
        )
        values = [math.nan if value is None else float(value) for value in found.values()]
        n, of_each = len(columns), len(QUANTILES)
        means, most, rest = values[:n], values[n : 2 * n], values[2 * n :]
        return [Summary(*(means[i], *rest[i * of_each : (i + 1) * of_each], most[i])) for i in range(n)]

    def _one(self, query: str) -> dict[str, Any]:
        return dict(self._fetch(query).to_pylist()[0])

    def _fetch(self, query: str) -> pa.Table:
        return self.connector.fetch(self.connection, query + self.connector.dialect.settings)
