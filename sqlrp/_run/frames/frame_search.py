"""Searches of frames and arrays of bits or components, which `sqlrp.project` returned, without a database."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._core.errors import ParameterError, SourceError, nearest, shorten
from sqlrp._core.memory import unmasked
from sqlrp._core.numbers import WORD_BYTES, words_of
from sqlrp._core.sources import Array, Standardized, TableName
from sqlrp._core.values import dataclass
from sqlrp._evaluator.results import packed
from sqlrp._lowering.distances_sql import Metric
from sqlrp._lowering.job import check_signed
from sqlrp._lowering.search import checked_vectors
from sqlrp._projections.projection import Projection, checked
from sqlrp._run.frames.arrow import arrow_of
from sqlrp._run.frames.dataframes import FrameColumns, features, floats, key_of, resolve_dataframe
from sqlrp._run.frames.kinds import is_dataframe, is_pandas, is_polars, lazy_kind
from sqlrp._run.frames.lazy import rows_of
from sqlrp._run.frames.matrix import project_array
from sqlrp._run.statistics import plain

Floats = npt.NDArray[np.float64]
_ONES = np.array([i.bit_count() for i in range(256)], dtype=np.uint8)
_FRAME = TableName(("the frame",))


@dataclass(frozen=True)
class _Codes:
    """The rows of a frame that are not NULL."""

    name: str
    """that of the key"""
    keys: Any
    values: npt.NDArray[Any]
    """bytes of eight bits each, or components: one row for each key"""
    bits: bool

    def distances(self, z: Floats, metric: Metric) -> Floats:
        """The distance of each row from a vector's components: of bits the angle, as in `sqlrp.search`."""
        if not self.bits:
            return _distances(self.values, z, metric)
        own = np.zeros(self.values.shape[1], dtype=np.uint8)
        code = packed(z[None, :])[0]
        own[: len(code)] = code
        return np.asarray(_ONES[self.values ^ own].sum(axis=1, dtype=np.int64) * (math.pi / len(z)))


@dataclass(frozen=True)
class _Rows:
    """The rows that were projected."""

    n_features: int
    numbers: Callable[[pa.Array], Floats]
    """the features of the rows at some places, NULL as NaN"""
    keys: Any
    """None if rows are counted from 0"""

    def places(self, keys: Any) -> Any:
        """Where the rows of these keys are; NULL for a key that is not there."""
        if self.keys is None:
            return keys
        try:
            import pyarrow.compute as pc  # here, as its import takes long and few processes search

            return pc.index_in(keys, value_set=self.keys)
        except pa.ArrowException as error:
            raise SourceError(
                f"the keys of the codes are {keys.type}, and those of the source {self.keys.type}: give both one type"
            ) from error


def is_searched_in_memory(codes: object) -> bool:
    """Whether what is to be searched is an array, a dataframe or another frame, and not the name of a table."""
    return isinstance(codes, np.ndarray) or is_dataframe(codes) or lazy_kind(codes) is not None


@dataclass(frozen=True)
class SearchArguments:
    """What a search returns, as the arguments of `sqlrp.search`."""

    n: int
    candidates: int
    metric: Metric
    again: bool


def search_frame(
    codes: Any, vectors: Any, wanted: SearchArguments, projection: Projection | None, source: Any, key: str | None
) -> list[pa.Table]:
    """The nearest rows of each vector: their key and `distance`. The arguments are those of `sqlrp.search`."""
    if projection is None:
        raise ParameterError(
            "a frame does not say how it was projected: pass projection, the one of sqlrp.project, which projects the "
            "vector too"
        )
    n, metric, again = wanted.n, wanted.metric, wanted.again
    if again and source is None:
        raise ParameterError(
            "the candidates are ranked again by the rows that were projected: pass them as source, or again = False"
        )
    key = None if isinstance(codes, np.ndarray) else key
    projection, rows = _source(checked(projection), source, key)
    x = checked_vectors(vectors, None if rows is None else rows.n_features, _FRAME, metric)
    projection.check_features(None, x.shape[1])
    stages = projection.stages(x.shape[1])
    if any(stage.groups for stage in stages):
        raise ParameterError(f"{type(projection).__name__} adds up groups of rows: a search needs one row for each key")
    held = _codes(codes, projection, key)
    if held.bits:
        check_signed(projection, stages)
    asking, shift = projection.asking(metric, held.bits)
    if shift:
        held = replace(held, values=held.values + shift)
    found = []
    for one, z in zip(x, project_array(asking, x), strict=True):
        apart = held.distances(z, metric)
        order = _first(apart, max(n, wanted.candidates) if again else n)
        keys = held.keys.take(pa.array(order))
        if again and rows is not None:
            at = rows.places(keys)
            keys = keys.filter(at.is_valid())
            # A row that has a code has no NULL, unless NULL was read as zero.
            apart = _distances(np.nan_to_num(rows.numbers(at.drop_null())), one, metric)
            order = _first(apart, n)
            keys = keys.take(pa.array(order))
        found.append(pa.table({held.name: keys, "distance": apart[order]}))
    return found


def like(codes: Any, table: pa.Table) -> Any:
    """A table as a frame of the kind of `codes`; a pyarrow.Table for an array."""
    if is_pandas(codes):
        return table.to_pandas()
    return sys.modules["polars"].from_arrow(table) if is_polars(codes) else table


def _codes(codes: Any, projection: Projection, key: str | None) -> _Codes:
    """The bits or components of a frame, in one of the forms that `sqlrp.project` gives them."""
    if isinstance(codes, np.ndarray):
        k, width = projection.k, codes.shape[1] if codes.ndim == 2 else None
        bits = codes.dtype == np.uint8 and width == -(-k // 8)
        if not bits and (width != k or codes.dtype.kind != "f"):
            raise SourceError(
                f"array of shape {codes.shape} and type {codes.dtype} is neither floats of shape (rows, {k}) nor bits "
                f"of shape (rows, {-(-k // 8)}) and type uint8: pass what sqlrp.project returned"
            )
        there = np.flatnonzero(~np.isnan(codes).any(axis=1)) if not bits else np.arange(len(codes))
        return _Codes("id", pa.array(there), codes[there] if len(there) < len(codes) else codes, bits)
    rows_of(codes)  # refuses a frame that is computed when it is read
    table = arrow_of(codes)
    name, keys = _keys(codes, table, key)
    words = [f"b{w}" for w in range(words_of(projection.k))]
    outputs = list(projection.outputs)
    bits = set(words) <= set(table.column_names) and all(pa.types.is_integer(table[w].type) for w in words)
    wanted = words if bits else outputs if set(outputs) <= set(table.column_names) else ["z"]
    if not set(wanted) <= set(table.column_names):
        raise SourceError(
            f"the frame has the columns {shorten(table.column_names)}, and neither the bits {shorten(words)} nor the "
            f"components {shorten(outputs)} or 'z' of the projection: pass what sqlrp.project returned"
        )
    table = table.select(wanted)
    there = np.flatnonzero(~np.logical_or.reduce([column.is_null().to_numpy() for column in table.columns]))
    table = table.take(pa.array(there))
    if bits:
        values = np.column_stack([column.to_numpy().astype(np.int64) for column in table.columns])
        return _Codes(name, keys.take(pa.array(there)), values.astype(f">i{WORD_BYTES}").view(np.uint8), True)
    z = floats(table) if len(wanted) > 1 or wanted == outputs else _lists(table, projection.k)
    finite = ~np.isnan(z).any(axis=1)
    return _Codes(name, keys.take(pa.array(there[finite])), z[finite], False)


def _lists(table: pa.Table, k: int) -> Floats:
    """The components of arrays, shape (rows, k)."""
    lists = list(table.column("z").to_numpy())
    if any(np.shape(each) != (k,) for each in lists):
        raise SourceError(f"the arrays in 'z' have not the {k:,} components of the projection: pass its own result")
    return np.array(lists, dtype=np.float64).reshape(len(lists), k)


def _source(projection: Projection, source: Any, key: str | None) -> tuple[Projection, _Rows | None]:
    """The rows that were projected, and the projection with the statistics that they were prepared by."""
    if source is None:
        return projection, None
    inner = source.source if isinstance(source, Standardized) else source
    if isinstance(inner, np.ndarray):
        if inner.ndim != 2 or inner.dtype.kind not in "biuf":
            raise SourceError(f"source of shape {inner.shape} and type {inner.dtype} must be rows of numbers")
        if key is not None:
            raise ParameterError(
                f"source is an array, whose rows have no {shorten(key)}: pass key = None to count rows"
            )
        x = unmasked(inner)
        return projection, _Rows(x.shape[1], lambda at: np.asarray(x[at.to_numpy()], dtype=np.float64), None)
    if isinstance(inner, Array) and is_dataframe(inner.table) and key is not None:
        key = "id"  # as which `rows_of` passes it
    if not is_dataframe(inner.table if isinstance(inner, Array) else inner) and lazy_kind(inner) is None:
        raise ParameterError(f"source {shorten(source)} must be a dataframe or an array, as the codes are")
    projection, rows = plain(projection, rows_of(source), None, FrameColumns(key))
    table, frame = resolve_dataframe(rows, FrameColumns(key_of(rows, key)), projection.bound_to)
    keys = None if key is None else _keys(rows, table, key)[1]
    return projection, _Rows(frame.n_features or 0, lambda at: features(table.take(at), frame), keys)


def _keys(frame: Any, table: pa.Table, key: str | None) -> tuple[str, Any]:
    """The name and the values of the key; the rows are counted from 0 if it is None."""
    if key is None:
        return "id", pa.array(np.arange(table.num_rows))
    if key in table.column_names:
        return key, table[key]
    if key_of(frame, key) is None and frame.index.nlevels == 1:
        return str(frame.index.name), pa.array(frame.index)
    raise SourceError(
        f"key {shorten(key)} is not a column of the frame{nearest(key, table.column_names)}: name the key column, or "
        "pass key = None to count the rows from 0"
    )


def _first(apart: Floats, n: int) -> npt.NDArray[np.int64]:
    """The places of the n least numbers, the least first."""
    few = np.argpartition(apart, n - 1)[:n] if n < len(apart) else np.arange(len(apart))
    return np.asarray(few[np.argsort(apart[few], kind="stable")], dtype=np.int64)


@np.errstate(over="ignore", invalid="ignore")  # a row whose squares are no doubles is infinitely far away
def _distances(rows: npt.NDArray[Any], vector: Floats, metric: Metric) -> Floats:
    """The distance of each row; the cosine of a row of zeros, which has no direction, is 0."""
    rows = rows.astype(np.float64, copy=False)
    if metric == "l2":
        return np.asarray(np.sqrt(((rows - vector) ** 2).sum(axis=1)))
    product = rows @ vector
    if metric == "inner":
        return np.asarray(-product)
    lengths = np.sqrt((rows * rows).sum(axis=1)) * math.sqrt(float(vector @ vector))
    return np.asarray(1 - np.divide(product, lengths, out=np.zeros(len(rows)), where=lengths > 0))


__all__ = ["SearchArguments", "is_searched_in_memory", "like", "search_frame"]
