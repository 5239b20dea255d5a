"""What a search of a kept table finds of the true nearest rows, as the database runs it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._core.errors import SourceError
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass
from sqlrp._learning.student import bound_of
from sqlrp._lowering.distances_sql import Metric
from sqlrp._lowering.search import Choice, VectorTable
from sqlrp._store.catalogue import keeper
from sqlrp._store.code_range import REMEDY, worn_range
from sqlrp._store.held_search import search_of_row
from sqlrp._store.like_rows import key_text, rows_like
from sqlrp._store.records import Record, table_named
from sqlrp._store.row_choices import chosen
from sqlrp._store.search_queries import projected
from sqlrp._store.searches import SearchRecord, recorded_search
from sqlrp._store.steady import read_steadily
from sqlrp._store.table import Catalogue, Row

Floats = npt.NDArray[np.float64]
_COUNTS = (20, 50, 100, 200, 500, 1000)
_CANDIDATES = 100
"""Those of a search that does not say another number."""
_TIED = 1e-9


@dataclass(frozen=True)
class Recall:
    """The share of the true nearest rows that a search finds with so many candidates, and its interval of 95%.

    >>> one = sqlrp.quality.Recall.of(100, np.array([1.0, 0.9, 1.0, 0.8, 1.0]), at=10)
    >>> round(one.recall, 2), one.low < 0.94 < one.high
    (0.94, True)
    """

    candidates: int
    recall: float
    low: float
    high: float

    @staticmethod
    def of(candidates: int, found: Floats, at: int) -> Recall:
        """The mean of the shares of each query, of `at` rows, with Wilson's interval for shares that vary so."""
        m, p = len(found), float(found.mean())
        variance = float(found.var(ddof=1)) / m
        size = min(p * (1 - p) / variance, m * at) if variance else float(m)
        z = math.sqrt(bound_of(0.05, 1, m - 1))
        middle, square = (p + z * z / (2 * size)) / (1 + z * z / size), z * z / (4 * size * size)
        half = z * math.sqrt(p * (1 - p) / size + square) / (1 + z * z / size)
        return Recall(candidates, p, min(max(middle - half, 0.0), p), max(min(middle + half, 1.0), p))


@dataclass(frozen=True)
class SearchReport:
    """What searches of a kept table find: `sqlrp.diagnose("docs_codes", con)`.

    >>> _ = sqlrp.materialize(sqlrp.SparseProjection(k=64, s=1), "points", con, "points_bits", output="bits")
    >>> found = sqlrp.diagnose("points_bits", con, sample=20)
    >>> isinstance(found, sqlrp.quality.SearchReport), found.enough(0.95) <= 49
    (True, True)
    """

    table: str
    rows: int
    """the rows of the table that are not NULL"""
    queries: int
    """how many of them were searched for"""
    at: int
    """the number of true nearest rows of each"""
    metric: Metric
    candidates: int
    """those of the search"""
    recalls: tuple[Recall, ...]
    """by the number of candidates, which are ranked again by the whole rows; the first are as many as rows are found"""
    worn: str = ""
    """what is wrong with the range of rounded codes, as `sqlrp.check` says it, with the remedy; empty if nothing is"""

    @property
    def recall(self) -> float:
        """The share that the search finds."""
        return self._own.recall

    @property
    def _own(self) -> Recall:
        """The recall of the largest number of candidates that is not more than that of the search."""
        return [each for each in self.recalls if each.candidates <= max(self.candidates, self.at)][-1]

    def enough(self, share: float) -> int | None:
        """The smallest measured number of candidates that finds such a share; None if none does."""
        return next((each.candidates for each in self.recalls if each.recall >= share), None)

    @property
    def verdict(self) -> str:
        """What the search finds, and what would find more, in words."""
        own, alone = self._own, self.recalls[0]
        text = (
            f"A search of {self.table} with {self.candidates} candidates finds {own.recall:.1%} of the {self.at} "
            f"nearest rows ({own.low:.1%} to {own.high:.1%})."
        )
        for share in (0.95, 0.99):
            count, most = self.enough(share), self.recalls[-1]
            reached = f"{count:,} candidates find" if count else f"More than {most.candidates:,} candidates would find"
            text += f" {reached} {share:.0%}."
        text += f" Without ranking again {alone.recall:.1%} are found."
        return f"{text} {self.worn[0].upper()}{self.worn[1:]}." if self.worn else text

    def measures(self) -> dict[str, float]:
        """The numbers by name, such as recall and recall_100."""
        own = self._own
        named = {"recall": own.recall, "recall_low": own.low, "recall_high": own.high}
        return named | {f"recall_{each.candidates}": each.recall for each in self.recalls}

    def __str__(self) -> str:
        """The verdict, and a table of candidates."""
        lines = [self.verdict, "", "candidates  recall  95% interval"]
        lines += [f"{r.candidates:>10,}  {r.recall:6.1%}  {r.low:.1%} to {r.high:.1%}" for r in self.recalls]
        return "\n".join(
            [*lines, "", f"{self.queries:,} of {self.rows:,} rows were searched for, metric {self.metric}."]
        )


def diagnosed(into: str, connection: Any, sample: int, at: int) -> SearchReport:
    """Search a kept table, or that of a function, for a sample of its rows, and compare with the nearest of all."""
    connector, named = keeper(connection), recorded_search(connection, into)
    named = named or SearchRecord(into, "l2", _CANDIDATES, "")
    table, metric, candidates = named.table, named.metric, named.candidates

    def read(catalogue: Catalogue, place: TableName, row: Row) -> SearchReport:
        made = search_of_row(catalogue, place, row, metric)
        made = chosen(connector, catalogue.session, made, Choice(where=named.where))
        fetch = partial(connector.fetch, catalogue.session)
        keys = np.array(fetch(made.keys()).column(0).to_pylist(), dtype=object)
        if len(keys) <= at + 1:
            raise SourceError(f"{table} has {len(keys)} rows that are not NULL, too few for at = {at} others: lower at")
        order = np.random.default_rng(made.job.projection.measuring_seed).permutation(len(keys))[:sample]
        asked = sorted(keys[order].tolist())
        x = rows_like(connector, catalogue.session, made, asked)
        vectors = VectorTable(made.job.frame, [key_text(made, key) for key in asked])
        most = min(len(keys) - 1, max(_COUNTS[-1], candidates))
        counts = sorted({at, most, *(count for count in (*_COUNTS, candidates) if at < count < most)})
        true = _others([fetch(text) for text in made.exact_texts(vectors, 2 * at + 1)])
        rough = replace(made, again=False)
        texts = rough.texts(*projected(rough, x), counts[-1] + 1, counts[-1] + 1, table=vectors)
        found = _shares(true, _others([fetch(text) for text in texts]), list(map(str, asked)), counts, at)
        recalls = [Recall.of(count, shares, at) for count, shares in zip(counts, found.T, strict=True)]
        lows = np.maximum.accumulate([each.low for each in recalls])  # more candidates find no less
        raised = (replace(each, low=float(low)) for each, low in zip(recalls, lows, strict=True))
        worn = worn_range(catalogue.session, place, Record.of(row).made)
        said = f"{worn}; {REMEDY}" if worn else ""
        return SearchReport(str(table), len(keys), len(asked), at, metric, candidates, tuple(raised), said)

    return read_steadily(connector, connection, table_named(table), read)


def _others(found: Sequence[pa.Table]) -> dict[str, list[tuple[str, float]]]:
    """The keys and distances of the rows found for each key, the nearest first, without itself."""
    rows: dict[str, list[tuple[str, float]]] = {}
    for table in found:
        for query, key, apart in zip(*(table.column(i).to_pylist() for i in range(3)), strict=True):
            if str(key) != str(query):
                rows.setdefault(str(query), []).append((str(key), float(apart)))
    return rows


def _shares(
    true: dict[str, list[tuple[str, float]]],
    found: dict[str, list[tuple[str, float]]],
    asked: Sequence[str],
    counts: Sequence[int],
    at: int,
) -> Floats:
    """The share of the true nearest of each query among so many found: shape (queries, counts).

    Rows as near as the last one of them are as good.
    """
    out = np.empty((len(asked), len(counts)))
    for i, query in enumerate(asked):
        last = true[query][at - 1][1]
        near = {key for key, apart in true[query] if apart <= last + _TIED * abs(last)}
        hits = np.cumsum([int(key in near) for key, _ in found.get(query, [])] or [0])
        out[i] = [min(int(hits[min(count, len(hits)) - 1]), at) / at for count in counts]
    return out


__all__ = ["Recall", "SearchReport", "diagnosed"]
