"""Codes of `rounded` at the ends of their range, as the rows are no longer like those that the codes were made for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from sqlrp._core.sources import Array, TableName, Wide
from sqlrp._engines.registry import connector_of
from sqlrp._projections.code_fields import Fields
from sqlrp._run.bind import look
from sqlrp._run.row_sample import drawn, sample
from sqlrp._run.same_bits import FEW, ROWS
from sqlrp._store.records import TableDefinition

_MORE = 0.1  # a share of codes at the ends that is larger than that of normal numbers by more than this is reported
_AT_THE_ENDS = {(-1, 1): 0.541, (-2, 1): 0.3194, (-4, 3): 0.0787, (-7, 7): 0.0122}
"""The share of normal numbers that the steps of `sqlrp.rounded` with 2 to 4 bits round to the codes at the ends.

Three levels are of codes that were saved before.
"""
_BY_WIDTH = {2: _AT_THE_ENDS[-2, 1], 3: _AT_THE_ENDS[-4, 3], 4: _AT_THE_ENDS[-7, 7]}
"""The same of packed components of so many bits; that of wider ones is near 0. One bit has no other codes."""
REMEDY = "the rows have changed: make the codes again by sqlrp.rounded, and materialize them with replace=True"


def worn_range(session: Any, place: TableName, made: TableDefinition) -> str:
    """How many of a table's codes are at the end of their range, in words; empty if these are as few as expected."""
    ends = made.projection.code_range
    if ends is None or made.options.output == "long":
        return ""
    if made.options.output == "bits":
        fields = made.projection.fields
        return "" if fields is None else _worn_fields(session, place, made, fields)
    low, high = ends
    table, key, names = str(place), made.source.key, list(made.projection.outputs)
    array = made.options.output in ("array", "vector")
    z, _ = sample(Array(table, "z", key=key) if array else Wide(table, key, names), session, ROWS, 0, quiet=True)
    z = z[np.isfinite(z).all(axis=1)]
    share = float(((z <= low) | (z >= high)).mean()) if len(z) >= FEW else 0.0
    if share <= _AT_THE_ENDS.get(ends, 0.0) + _MORE:
        return ""
    return f"{share:.0%} of the codes of {len(z):,} sampled rows are {low} or {high}, the ends of their range"


def _worn_fields(session: Any, place: TableName, made: TableDefinition, fields: Fields) -> str:
    """The same of packed codes."""
    connector, names = connector_of(session), [f"b{i}" for i in range(fields.words)]
    frame = look(connector, session, Wide(str(place), made.source.key, names))
    one = drawn(connector, session, frame, 0, ROWS)
    rows = connector.named(connector.fetch(session, one.query()), [*names, one.row])
    words = [rows.column(name).drop_null().cast(pa.int64()).to_numpy() for name in names]
    wide = [field for field in fields.components if field.width > 1]
    if not wide or len(words[0]) < FEW:
        return ""
    share = expected = 0.0
    for word, at, width in wide:
        code, most = (words[word] >> at) & ((1 << width) - 1), (1 << width) - 1
        share += float(((code == 0) | (code == most)).mean()) / len(wide)
        expected += _BY_WIDTH.get(width, 0.0) / len(wide)
    if share <= expected + _MORE:
        return ""
    return f"{share:.0%} of the packed codes of {len(words[0]):,} sampled rows are at the ends of their range"


__all__ = ["REMEDY", "worn_range"]
