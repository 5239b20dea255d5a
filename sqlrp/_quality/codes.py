"""Choose how embeddings are stored for a search: bytes a row, recall and time of codes, on a sample of the rows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import (
    ParameterError,
    SourceError,
    StatementError,
    UnsupportedError,
    check_choice,
    shorten,
    warn,
)
from sqlrp._core.extras import needs
from sqlrp._core.numbers import WHOLE
from sqlrp._core.sources import Long, Source, Standardized, TableName, as_source
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Column, ColumnType
from sqlrp._engines.registry import connector_of
from sqlrp._lowering.distances_sql import Metric
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import plan_kept
from sqlrp._lowering.search import Search
from sqlrp._projections.checks import check_whole
from sqlrp._quality.charts import Chart, Mark
from sqlrp._quality.code_kinds import Code, CodeRows, codes_of
from sqlrp._quality.code_recalls import nearest, recalls
from sqlrp._run.bind import look
from sqlrp._run.execution import ready
from sqlrp._run.frames.kinds import is_dataframe
from sqlrp._run.frames.lazy import rows_of
from sqlrp._run.frames.matrix import project_array
from sqlrp._run.row_sample import drawn
from sqlrp._run.row_sample import sample as drawn_rows

Floats = npt.NDArray[np.float64]
ROWS, CODED = "sqlrp_code_rows", "sqlrp_code_rows_coded"
"""The temporary tables of the timed searches: the sampled rows, and their codes."""


@dataclass(frozen=True)
class Codes:
    """The result of `choose_codes`. Prints as a table with the advice; `plot` draws recall against bytes.

    >>> found = sqlrp.choose_codes("points", con, n=3, candidates=(10,), among=40, queries=10)
    >>> isinstance(found, sqlrp.Codes), found.candidates
    (True, (3, 10))
    """

    codes: tuple[Code, ...]
    n: int
    aim: float
    candidates: tuple[int, ...]
    """the numbers of candidates; the first one is n, whose order is that of the codes alone"""
    sampled: int
    """the rows that were searched"""
    rows: int | None
    """about how many rows the table has; None if it does not say"""
    metric: Metric = "l2"

    @property
    def _order(self) -> list[Code]:
        return sorted(self.codes, key=lambda code: (code.size, -code.recalls[-1]))

    def _enough(self, code: Code) -> int | None:
        """The place of the fewest candidates that reach the aim."""
        return next((i for i, recall in enumerate(code.recalls) if recall >= self.aim), None)

    @property
    def best(self) -> Code:
        """The code of the fewest bytes that reaches the aim; if none does, the one that finds most."""
        enough = [code for code in self._order if self._enough(code) is not None]
        if not enough:
            return max(self._order, key=lambda code: code.recalls[-1])
        least = [code for code in enough if code.size == enough[0].size]
        return min(least, key=lambda code: (self._enough(code), -code.recalls[-1]))

    @property
    def best_candidates(self) -> int:
        """The fewest candidates by which `best` reaches the aim; if it does not, the most."""
        at = self._enough(self.best)
        return self.candidates[-1 if at is None else at]

    @property
    def recall(self) -> float:
        """The recall of `best` with `best_candidates`, of the queries that did not choose it."""
        return self.best.tested[self.candidates.index(self.best_candidates)]

    @property
    def reached(self) -> bool:
        """Whether these queries reach the aim, too."""
        return self._enough(self.best) is not None and self.recall >= self.aim

    @property
    def advice(self) -> str:
        """What to do, in words."""
        best, found = self.best, f"{self.recall:.3f} of the nearest {self.n} of held-out queries"
        said = f"{best.name}: {best.size:,} bytes a row, and {self.best_candidates:,} candidates find {found}"
        if not self.reached:
            said += f"; the aim of {self.aim:g} is not reached: allow more candidates, or raise among"
        if self.rows is not None and self.rows > 1.1 * self.sampled:
            said += (
                f". The sample has {self.sampled:,} of about {self.rows:,} rows. In the whole table more rows are "
                "almost as near, so that it needs more candidates"
            )
        return said

    def table(self) -> pa.Table:
        """A row for each code, those of fewer bytes first; `recall` and `tested` have a column for each candidates."""
        order = self._order
        columns: dict[str, list[Any]] = {"code": [c.name for c in order], "bytes": [c.size for c in order]}
        for i, count in enumerate(self.candidates):
            columns[f"recall {count}"] = [c.recalls[i] for c in order]
            columns[f"tested {count}"] = [c.tested[i] for c in order]
        return pa.table(columns | {"milliseconds": pa.array([c.milliseconds for c in order], pa.float64())})

    def __str__(self) -> str:
        """A line for each code, with the recall of all queries by the number of candidates, then the advice."""
        width = max(len(code.name) for code in self.codes)
        heads = "".join(f"{count:>8,}" for count in self.candidates)
        lines = [f"recall@{self.n} among {self.sampled:,} rows, by the number of candidates:"]
        lines.append(f"  {'code':<{width}} {'bytes':>7}{heads}{'ms':>9}")
        for code in self._order:
            recalls = "".join(f"{(a + b) / 2:>8.3f}" for a, b in zip(code.recalls, code.tested, strict=True))
            spent = "" if code.milliseconds is None else f"{code.milliseconds:.1f}"
            said = "  best" * (code is self.best)
            lines.append(f"  {code.name:<{width}} {code.size:>7,}{recalls}{spent:>9}{said}".rstrip())
        return "\n".join([*lines, self.advice])

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the recall against the bytes; return the matplotlib Figure. With a path, write it there too.

        Raises ImportError without matplotlib.
        """
        try:
            from sqlrp._quality.matplotlib_charts import figure_of, save
        except ImportError as error:
            raise ImportError(needs("Codes.plot", "matplotlib", "plot")) from error
        figure = figure_of([self.chart()], f"{self.sampled:,} rows, {len(self.codes)} codes")
        for code in self.codes:
            at = (code.size, code.recalls[self._drawn])
            figure.axes[0].annotate(code.name, at, xytext=(4, 4), textcoords="offset points", fontsize=6)
        if path is not None:
            save(figure, path)
        return figure

    @property
    def _drawn(self) -> int:
        """The place of the number of candidates that is drawn."""
        return min(1, len(self.candidates) - 1)

    def chart(self) -> Chart:
        """The chart of `plot`: recall before and after the second ranking."""
        at, sizes, best = self._drawn, [code.size for code in self.codes], self.best
        count = self.candidates[at]
        first = tuple((code.size, code.recalls[0]) for code in self.codes)
        again = tuple((code.size, code.recalls[at]) for code in self.codes)
        low = min(recall for _, recall in (*first, *again))
        return Chart(
            title="Recall against bytes",
            x_name="bytes a row",
            y_name=f"recall@{self.n}",
            x=(min(sizes) / 1.5, max(sizes) * 1.5),
            y=(low - 0.05 * max(1 - low, 1e-6), 1 + 0.05 * max(1 - low, 1e-6)),
            marks=(
                Mark("dashed", "guide", ((min(sizes) / 1.5, self.aim), (max(sizes) * 1.5, self.aim)), "aim"),
                Mark("dot", "second", first, "by codes alone"),
                Mark("dot", "first", again, f"{count:,} candidates"),
                Mark("dot", "wanted", ((best.size, best.recalls[at]),), f"best: {best.name}"),
            ),
            caption=f"The share of the nearest {self.n} that is found, before and after {count:,} are ranked again.",
            log=True,
        )


def choose_codes(
    source: Source | str | Any,
    connection: Any = None,
    *,
    n: int = 10,
    candidates: Sequence[int] = (100, 300, 1000),
    aim: float = 0.98,
    metric: Metric = "l2",
    sizes: Sequence[int] | None = None,
    among: int = 5000,
    queries: int = 100,
    timed: int = 9,
    seed: int = 0,
    key: str | None = "id",
    keep: Sequence[str] = (),
) -> Codes:
    """Compare codes of embeddings by the bytes of a row, what a search finds, and how long it takes.

    `among` rows are searched for the `n` nearest of `queries` other rows. The codes are bits of rotated rows, also
    centred first, or not rotated, as pgvector's `binary_quantize` makes them; floats of several k, of 16 bits where the
    engine has them; and in DuckDB, whose files pack them, components of 2, 3, 4 and 8 bits each (`sqlrp.rounded`), as
    they are and corrected by two numbers a row. Components are those of a Hadamard rotation and principal ones. With
    `sizes` the codes are those that take so many bytes a row, the two numbers among them. Recall is the share of the
    true nearest rows among the n nearest by codes, and among so many `candidates`, which are ranked again by all
    numbers. Of equally near rows, each counts.

    The advice is the code of the fewest bytes that reaches the recall `aim`, with the fewest candidates. Half of the
    queries choose it, and the other half tests it: `Codes.recall`. A whole table has more rows that are almost as near
    as the nearest ones than a sample has. So take as large a sample as memory allows.

    With a connection, `timed` searches with the first number of candidates are timed for each code, in temporary tables
    of the sample. `timed` = 0 makes no table. Without a connection `source` is a dataframe, and no time is measured.
    Returns `Codes`: `best` has the `projection`, `output`, `dtype` and `correct` for `sqlrp.materialize`.

    Raises ParameterError for sparse rows, for numbers out of bounds and an unknown metric, and SourceError for a
    sample of fewer than n complete rows and 2 queries.

        >>> found = sqlrp.choose_codes("points", con, n=3, candidates=(10,), among=40, queries=10)
        >>> best = found.best
        >>> _ = sqlrp.materialize(best.projection, "points", con, "short", output=best.output, correct=best.correct)
        >>> found.best_candidates in (3, 10)
        True
    """
    check_choice("metric", metric, get_args(Metric))
    for name, value, least in (("n", n, 1), ("among", among, 2), ("queries", queries, 2), ("timed", timed, 0)):
        check_whole(name, value, least)
    if not 0 < aim <= 1:
        raise ParameterError(f"aim = {aim!r} must be above 0 and at most 1, such as 0.98")
    if isinstance(candidates, int) or not candidates:
        raise ParameterError(f"candidates = {shorten(candidates)} must be a list of numbers, such as (100, 300)")
    for count in candidates:
        check_whole("candidates", count, 1)
    _check_sizes(sizes)
    source = rows_of(source)
    if isinstance(source, (Long, Standardized)):
        raise ParameterError(f"source {shorten(source)} must be plain rows of numbers: name a table, Wide or Array")
    connector = None if is_dataframe(source) else connector_of(connection)
    x, names = drawn_rows(source, connection, among + queries, seed, key=key, keep=keep)
    x = np.random.default_rng(seed).permutation(_ordered(x[np.isfinite(x).all(axis=1)]))
    if len(x) < n + queries:
        raise SourceError(f"the sample has {len(x):,} complete rows: it needs {n:,} besides {queries:,} queries")
    counts = tuple(sorted({n, *(count for count in candidates if count > n)}))
    asked, rows = x[:queries], x[queries:]
    vectors = "" if connector is None else _vectors(connector, connection)
    dialect = None if connector is None else connector.dialect
    near = np.array([nearest(rows, query, n, metric) for query in asked])
    codes = []
    for code in codes_of(CodeRows(rows, names, dialect, vectors), sizes):
        found = recalls(code, rows, asked, near, n, counts, metric)
        codes.append(replace(code, recalls=tuple(found[::2].mean(axis=0)), tested=tuple(found[1::2].mean(axis=0))))
    if connector is not None and timed:
        first = next((count for count in counts if count > n), n)
        timing = _Timing(connector, connection, as_source(source), among, seed, metric, vectors)
        codes = timing.of(codes, asked[:timed], n, first)
    known = len(source) if connector is None else look(connector, connection, as_source(source)).rows
    return Codes(tuple(codes), n, aim, counts, len(rows), known, metric)


def _check_sizes(sizes: Sequence[int] | None) -> None:
    """Raise ParameterError for what are no numbers of bytes."""
    if sizes is None:
        return
    if isinstance(sizes, int) or not sizes:
        raise ParameterError(f"sizes = {shorten(sizes)} must be a list of numbers of bytes, such as (48, 96)")
    for size in sizes:
        check_whole("sizes", size, 4)


def _ordered(x: Floats) -> Floats:
    """The rows in an order of their own: a database returns them in another one each time."""
    rows = np.ascontiguousarray(x + 0.0)  # -0 is 0
    whole = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    return rows[np.argsort(whole, kind="stable")]


def _vectors(connector: Connector, connection: Any) -> str:
    """The schema of the engine's vector search, if that is an extension and installed."""
    query = connector.dialect.vectors_query
    found = connector.rows(connection, query) if query else []
    return str(found[0][0]) if found else ""


# -- how long they take ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Timing:
    """Searches of temporary tables of the sample and of its codes."""

    connector: Connector
    connection: Any
    source: Source
    size: int
    seed: int
    metric: Metric
    vectors: str

    def of(self, codes: Sequence[Code], asked: Floats, n: int, candidates: int) -> list[Code]:
        """The codes with their times; None for a code that the engine has no distance of."""
        connector, engine = self.connector, self.connector.dialect
        frame = look(connector, self.connection, self.source)
        name = engine.temporary_name(ROWS)
        found = []
        with connector.working(self.connection) as session:
            lacks = connector.restricted(session)
            if lacks:
                warn(f"no search is timed, which takes temporary tables: {lacks}")
                return list(codes)
            rows = drawn(connector, session, frame, self.seed, self.size)
            number = Column(rows.row, ColumnType(str(engine.type_name(WHOLE)), WHOLE))
            own = replace(
                frame,
                table=TableName((name,)),
                key=rows.row,
                keep=(),
                passing=(number,),
                rows=self.size,
                temporary=True,
            )
            step = engine.temporary_table(name, rows.query(), numbered=False)
            with connector.set_up(session, [step]):
                for code in codes:
                    spent = None
                    # Only the server knows whether it has vectors, as older ones of MariaDB do not.
                    with suppress(UnsupportedError, *((StatementError,) if code.output == "vector" else ())):
                        job = Job(code.projection, own, engine, code.output, dtype=code.dtype, correct=code.correct)
                        spent = self._seconds(session, job, asked, n, candidates) * 1e3
                    found.append(replace(code, milliseconds=spent))
        return found

    def _seconds(self, session: Any, job: Job, asked: Floats, n: int, candidates: int) -> float:
        """The median of the searches."""
        connector, engine = self.connector, self.connector.dialect
        name = engine.temporary_name(CODED)

        search = Search(job, TableName((name,)), self.metric, True, self.vectors)
        z = project_array(search.asking, asked)
        texts = [search.text(x, own, n, candidates) for x, own in zip(asked, z, strict=True)]
        drop = engine.temporary_table(name, "", numbered=False).drop
        connector.execute(session, drop)
        with ready(connector, session, plan_kept(job)) as query:
            connector.execute(session, engine.temporary_table(name, query, numbered=False).text)
        seconds = []
        try:
            for each in texts:
                begun = time.perf_counter()
                connector.fetch(session, each)
                seconds.append(time.perf_counter() - begun)
        finally:
            connector.execute(session, drop)
        return float(np.median(seconds))


__all__ = ["Code", "Codes", "choose_codes"]
