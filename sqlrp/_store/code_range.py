"""Codes of `rounded` at the ends of their range, as the rows are no longer like those that the codes were made for."""

from __future__ import annotations

from typing import Any

import numpy as np

from sqlrp._core.sources import Array, TableName, Wide
from sqlrp._run.row_sample import sample
from sqlrp._run.same_bits import FEW, ROWS
from sqlrp._store.records import TableDefinition

_MORE = 0.1  # a share of codes at the ends that is larger than that of normal numbers by more than this is reported
_AT_THE_ENDS = {(-1, 1): 0.541, (-2, 1): 0.3194, (-4, 3): 0.0787, (-7, 7): 0.0122}
"""The share of normal numbers that the steps of `sqlrp.rounded` with 2 to 4 bits round to the codes at the ends.

Three levels are of codes that were saved before.
"""
REMEDY = "the rows have changed: make the codes again by sqlrp.rounded, and materialize them with replace=True"


def worn_range(session: Any, place: TableName, made: TableDefinition) -> str:
    """How many of a table's codes are at the end of their range, in words; empty if these are as few as expected."""
    ends = made.projection.code_range
    if ends is None or made.options.output in ("bits", "long"):
        return ""
    low, high = ends
    table, key, names = str(place), made.source.key, list(made.projection.outputs)
    array = made.options.output in ("array", "vector")
    z, _ = sample(Array(table, "z", key=key) if array else Wide(table, key, names), session, ROWS, 0, quiet=True)
    z = z[np.isfinite(z).all(axis=1)]
    share = float(((z <= low) | (z >= high)).mean()) if len(z) >= FEW else 0.0
    if share <= _AT_THE_ENDS.get(ends, 0.0) + _MORE:
        return ""
    return f"{share:.0%} of the codes of {len(z):,} sampled rows are {low} or {high}, the ends of their range"


__all__ = ["REMEDY", "worn_range"]
