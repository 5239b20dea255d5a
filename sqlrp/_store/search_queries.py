"""What a search is asked for: vectors, rows by their keys, or the vectors of a table; its statements and its rows."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import ParameterError, SourceError, shorten
from sqlrp._core.values import dataclass
from sqlrp._lowering.search import SURE, Choice, Floats, Search, checked_vectors
from sqlrp._projections.checks import check_whole
from sqlrp._run.frames.matrix import project_array
from sqlrp._run.vectors import project_vector
from sqlrp._store.like_rows import are_several, key_text, keys_of, rows_like, without_own
from sqlrp._store.records import TableDefinition
from sqlrp._store.row_choices import check_candidates, chosen
from sqlrp._store.vector_tables import vectors_of


@dataclass(frozen=True)
class Query:
    """What a search is asked for."""

    vector: Any
    """one vector or several; None for the others"""
    keys: list[Any] | None
    """those of the rows that the result is like"""
    vectors: Any
    """a table of vectors"""
    one: bool
    """whether it is one vector or row, so that the result does not count them"""
    n: int
    candidates: int | None
    """None: all rows that can be among the nearest"""
    choice: Choice

    @staticmethod
    def of(vector: Any, like: Any, vectors: Any, n: int, candidates: int | None, choice: Choice) -> Query:
        """The query of a call. Raises ParameterError unless it is for one of the three."""
        if sum(each is not None for each in (vector, like, vectors)) != 1:
            raise ParameterError(
                "vector must be finite numbers, one a feature, or like the key of a row, or vectors a table: pass "
                "vector, or like, or vectors"
            )
        check_whole("n", n, 1)
        check_candidates(candidates, choice)
        if like is not None:
            return Query(None, keys_of(like), None, not are_several(like), n, candidates, choice)
        return Query(vector, None, vectors, vector is not None and _is_one(vector), n, candidates, choice)

    @property
    def _most(self) -> int:
        """The rows that are ranked: with those that are left out, and with the row itself."""
        return self.n + self.choice.offset + (self.keys is not None and not self.one)

    def texts(
        self, connector: Connector, session: Any, made: Search, record: TableDefinition, proof: str = ""
    ) -> list[str]:
        """The statements."""
        made = chosen(connector, session, made, self.choice)
        most = None if self.candidates is None else max(self._most, self.candidates)
        if self.vectors is not None:
            rows, table = vectors_of(connector, session, made, record, self.vectors)
            return list(made.texts(*projected(made, rows), self.n, most, proof, table))
        vector, n = self.vector, self.n
        if self.keys is not None:
            vector = rows_like(connector, session, made, self.keys)
            if self.one:
                vector, but = vector[0], key_text(made, self.keys[0])
                made = replace(made, choice=replace(made.choice, but=but))
            else:
                n, made = self._most, replace(made, choice=replace(made.choice, offset=0))
        x, z = projected(made, vector)
        return [made.text(x[0], z[0], n, most, proof)] if self.one else list(made.texts(x, z, n, most, proof))

    def shown(self, found: Sequence[pa.Table], into: str, again: bool) -> pa.Table:
        """The rows of the statements, as they are returned."""
        if not found:
            return pa.table({})
        counted = not self.one and self.vectors is None
        rows = pa.concat_tables([_plainly(each, found[0].schema, counted, self.choice.sure) for each in found])
        if again:
            _check_repeats(rows.select(range(1 if self.one else 2)), into)
        if self.one:
            return rows
        rows = rows.rename_columns(["query", *rows.column_names[1:]])
        return rows if self.keys is None else without_own(rows, self.keys, self.n, self.choice.offset)


def _is_one(vector: Any) -> bool:
    """Whether it is one vector, and not several."""
    return isinstance(vector, Mapping) or (np.ndim(vector) == 1 and not isinstance(next(iter(vector), None), Mapping))


def _check_repeats(rows: pa.Table, into: str) -> None:
    """Raise SourceError for a row that was found twice, as the source has two rows of its key."""
    own = rows.column_names
    found = list(zip(*(rows.column(name).to_pylist() for name in own), strict=True))
    if len(set(found)) == len(found):
        return
    twice = next(row for row, times in Counter(found).items() if times > 1)
    raise SourceError(
        f"key {own[-1]!r} of the source of {into} comes more than once: {shorten(twice[-1], 30)}; give each row a "
        "key of its own, or search with again=False"
    )


def _plainly(rows: pa.Table, schema: pa.Schema, counted: bool, sure: bool) -> pa.Table:
    """The rows with a float as the distance, and a whole number as the first column, if that counts the vectors.

    `sure`: whether the last column says which rows are sure.
    """
    if counted:
        schema = schema.set(0, schema.field(0).with_type(pa.int64()))  # ClickHouse counts up to 255 in a byte
    if rows.schema != schema:
        rows = rows.cast(schema)
    if sure:
        last = rows.num_columns - 1
        rows = rows.set_column(last, SURE, rows.column(last).cast(pa.int64()).cast(pa.bool_()))
    at = rows.num_columns - 1 - sure
    distance = rows.column(at)
    if distance.type != pa.float64():
        distance = distance.cast(pa.float64())
    if (distance.to_numpy() >= sys.float_info.max).any():  # it stands for infinity on some engines
        import pyarrow.compute as pc  # here, as its import takes long and few searches need it

        distance = pc.if_else(pc.greater_equal(distance, sys.float_info.max), math.inf, distance)
    return rows.set_column(at, "distance", distance)


def projected(made: Search, vectors: Any) -> tuple[Floats, Floats]:
    """The vectors, shape (vectors, features), and their components as they are stored, shape (vectors, k)."""
    job = made.job
    given = [vectors] if isinstance(vectors, Mapping) else vectors
    if isinstance(given, Sequence) and given and isinstance(given[0], Mapping):
        x, z = _of_words(made, given)
    else:
        x = checked_vectors(given, job.frame.n_features, made.table, made.metric)
        z = project_array(made.asking, x)
    if not job.scale:
        z = z / job.projection.factor(x.shape[1] or None)
    return x, z


def _of_words(made: Search, rows: Sequence[Mapping[str, float]]) -> tuple[Floats, Floats]:
    """No numbers of features, shape (rows, 0), and the components of rows of words."""
    job = made.job
    if job.frame.layout != "long" or job.frame.n_features is not None:
        raise ParameterError(
            f"vector = {shorten(rows[0])} is a row of words, and {made.table} was not made from sparse rows of words: "
            "pass one number for each feature, in their order"
        )
    z = np.array([project_vector(made.asking, row) for row in rows])
    return np.empty((len(rows), 0)), z


__all__ = ["Query", "projected"]
