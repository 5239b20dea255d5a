"""What a search by codes finds of the true nearest rows, computed in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._lowering.distances_sql import Metric
from sqlrp._projections.origins import factors, origin_of
from sqlrp._quality.code_kinds import Code
from sqlrp._run.frames.matrix import project_array

Floats = npt.NDArray[np.float64]
_NEAR = 1e-9
"""Rows whose distances differ by less, relative to the n-th one, are equally near."""
_BITS = np.array([i.bit_count() for i in range(256)], dtype=np.uint8)


def nearest(rows: Floats, query: Floats, n: int, metric: Metric) -> npt.NDArray[np.bool_]:
    """Whether each row is among the n nearest of a query, or as near as the n-th one."""
    apart = _apart(rows, query, metric)
    last = float(np.partition(apart, n - 1)[n - 1])
    return np.asarray(apart <= last + _NEAR * abs(last))


def recalls(
    code: Code,
    rows: Floats,
    asked: Floats,
    near: npt.NDArray[np.bool_],
    n: int,
    counts: Sequence[int],
    metric: Metric,
) -> npt.NDArray[np.float64]:
    """The share of the n nearest rows of each query among so many candidates: shape (queries, numbers)."""
    apart = _estimates(code, rows, asked, metric) if code.correct else _first(code, rows, asked, metric)
    found = np.empty((len(asked), len(counts)))
    for i, coded in enumerate(apart):
        order = near[i, np.argsort(coded, kind="stable")[: max(counts)]]
        found[i] = [min(order[:count].sum(), n) / n for count in counts]
    return found


def _first(code: Code, rows: Floats, asked: Floats, metric: Metric) -> Iterator[npt.NDArray[Any]]:
    """For each query, numbers that order the rows as their codes do."""
    asking, shift = code.projection.asking(metric, code.output == "bits")
    z, q = _stored(code, rows), _stored(replace(code, projection=asking), asked)
    if shift:
        z = z + shift
    for each in q:
        yield _BITS[z ^ each].sum(axis=1, dtype=np.int64) if code.output == "bits" else _apart(z, each, metric)


def _estimates(code: Code, rows: Floats, asked: Floats, metric: Metric) -> Iterator[Floats]:
    """The same by the estimates of codes that are corrected, as `sqlrp._lowering.estimates` writes them."""
    projection, origin = code.projection, origin_of(code.projection)
    assert origin is not None
    stands, z = project_array(projection, rows) + origin.shift, project_array(projection.unshifted, rows)
    factor, square = factors(z, stands), origin.square(rows, z)
    if code.output == "bits" and projection.fields is not None:
        factor, square = projection.fields.kept(factor, square)
    else:
        factor, square = (each.astype(np.float32).astype(np.float64) for each in (factor, square))
    if metric == "l2":
        for v in project_array(projection.unshifted, asked):
            yield square / 2 - factor * (stands @ v)
        return
    w = project_array(origin.uncentred, asked)
    length = np.sqrt(np.abs(square + 2 * factor * (stands @ origin.centre) + origin.centre_square))
    for each, centre in zip(w, origin.product(asked, w), strict=True):
        along = factor * (stands @ each)
        if metric == "inner":
            yield -along
        else:
            yield -np.divide(along + centre, length, out=np.zeros_like(along), where=length > 0)


def _stored(code: Code, x: Floats) -> npt.NDArray[Any]:
    """What is stored of the rows: bytes of bits, or numbers, rounded as they are."""
    z = project_array(code.projection, x)
    if code.output == "bits":
        return np.packbits(~(z <= 0), axis=1)
    kind = {"float32": np.float32, "float16": np.float16}.get(code.dtype, np.float64)
    return z.astype(kind).astype(np.float64)


def _apart(rows: Floats, query: Floats, metric: Metric) -> Floats:
    """A number that orders the rows as their distance from a query does."""
    if metric == "l2":
        return np.asarray(((rows - query) ** 2).sum(axis=1))
    product = rows @ query
    if metric == "inner":
        return np.asarray(-product)
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(query)
    return np.asarray(1 - np.divide(product, lengths, out=np.zeros_like(product), where=lengths > 0))


__all__ = ["nearest", "recalls"]
