"""Rows of Python's values, which drivers give, as Arrow."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import chain, groupby
from typing import Any

import numpy as np
import pyarrow as pa

Batch = Sequence[Sequence[Any]]
Kinds = Sequence[pa.DataType | None]
_SIDE_BY_SIDE = 8
"""The least number of neighbouring columns of floats that are read together."""


def in_table(names: Sequence[str], kinds: Kinds, batches: Iterable[Batch]) -> pa.Table:
    """The rows of some batches. A column without a kind gets that of all its values."""
    parts: list[list[Any]] = [[] for _ in names]
    for batch in batches:
        if not names and batch:  # a driver may describe no column of a result that has rows
            names, kinds = [str(i) for i in range(len(batch[0]))], [None] * len(batch[0])
            parts = [[] for _ in names]
        for part, values in zip(parts, _columns(batch, kinds), strict=True):
            part.append(values)
    return pa.Table.from_arrays([_joined(part, kind) for part, kind in zip(parts, kinds, strict=True)], names=names)


def in_batch(names: Sequence[str], kinds: Kinds, batch: Batch) -> pa.RecordBatch:
    """The rows of one batch. A column without a kind gets that of its values here."""
    arrays = [values if isinstance(values, pa.Array) else inferred(list(values)) for values in _columns(batch, kinds)]
    return pa.RecordBatch.from_arrays(arrays, names=names)


def _columns(batch: Batch, kinds: Kinds) -> list[Any]:
    """The columns of some rows: arrays if they have a kind or are floats, otherwise their values."""
    if not batch:
        return [[] if kind is None else pa.array([], kind) for kind in kinds]
    together: dict[int, pa.Array] = {}
    may_be = [isinstance(v, float) and kind in (None, pa.float64()) for v, kind in zip(batch[0], kinds, strict=True)]
    for floats, places in groupby(range(len(kinds)), key=may_be.__getitem__):
        if floats:
            together |= _side_by_side(batch, list(places))
    lists: Iterable[Sequence[Any]] = zip(*batch, strict=True)
    if together:
        lists = ([] if at in together else [row[at] for row in batch] for at in range(len(kinds)))
    return [
        together[at] if at in together else values if kind is None else pa.array(values, kind)
        for at, (values, kind) in enumerate(zip(lists, kinds, strict=True))
    ]


def _side_by_side(batch: Batch, places: Sequence[int]) -> dict[int, pa.Array]:
    """Neighbouring columns as floats, in a third of the time that each takes alone; none if one holds anything else."""
    if len(places) < _SIDE_BY_SIDE:
        return {}
    first, end = places[0], places[-1] + 1
    packed = struct.Struct(f"{len(places)}d").pack
    try:  # which takes numbers alone
        numbers = np.frombuffer(b"".join([packed(*row[first:end]) for row in batch])).reshape(len(batch), len(places))
    except (struct.error, OverflowError):
        return {}
    return dict(zip(places, map(pa.array, np.ascontiguousarray(numbers.T)), strict=True))


def _joined(part: Sequence[Any], kind: pa.DataType | None) -> pa.ChunkedArray:
    """A column of the values of its batches."""
    if kind is not None or (part and all(isinstance(values, pa.Array) for values in part)):
        return pa.chunked_array(part, kind)
    lists = (values.to_pylist() if isinstance(values, pa.Array) else values for values in part)
    return pa.chunked_array([inferred(list(chain.from_iterable(lists)))])


def inferred(values: list[Any]) -> pa.Array:
    """An Arrow array of the type of the values; text if they have several kinds.

    Decimals get all the digits of a decimal128 or a decimal256, so that the type depends less on the values. NaN and
    infinities have no decimal, and become floats with the others.
    """
    kinds = {*map(type, values)} - {type(None)}  # to ask each value by isinstance takes ten times as long
    if not kinds:
        return pa.array(values, pa.float64())
    if all(issubclass(kind, Decimal) for kind in kinds):
        return _decimals(values)
    if all(issubclass(kind, (int, float)) and kind is not bool for kind in kinds):
        return _numbers(values, all(issubclass(kind, int) for kind in kinds))
    try:
        return pa.array(values)
    except pa.ArrowException:
        return pa.array([None if value is None else str(value) for value in values])


def _numbers(values: list[Any], whole: bool) -> pa.Array:
    """Floats, or whole numbers of any size."""
    for kind in (pa.int64(), pa.uint64()) if whole else (pa.float64(),):
        try:
            return pa.array(values, kind)
        except (OverflowError, pa.ArrowInvalid):  # such as 2⁵³ + 1 among floats
            continue
    if not whole:
        return pa.array([None if value is None else float(value) for value in values])
    return _decimals([None if value is None else Decimal(value) for value in values])


def _decimals(values: list[Decimal | None]) -> pa.Array:
    present = [value for value in values if value is not None]
    if not all(value.is_finite() for value in present):
        return pa.array([None if value is None else float(value) for value in values])
    digits = max(max(0, -int(value.as_tuple().exponent)) for value in present)
    whole = max(value.adjusted() + 1 for value in present)
    if whole + digits > 76:
        return pa.array([None if value is None else str(value) for value in values])
    return pa.array(values, pa.decimal128(38, digits) if whole + digits <= 38 else pa.decimal256(76, digits))


__all__ = ["in_batch", "in_table", "inferred"]
