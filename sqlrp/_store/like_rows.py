"""Searches for rows like those of some keys: their features are read from the source, and no row finds itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._core.errors import ParameterError, SourceError, UnsupportedError, shorten
from sqlrp._lowering import batches_sql
from sqlrp._lowering.evaluation import feature_rows
from sqlrp._lowering.search import Search
from sqlrp._run.setting_up import named
from sqlrp._store.table import Catalogue

Floats = npt.NDArray[np.float64]


def are_several(like: Any) -> bool:
    """Whether it is a list of keys, and not one key."""
    return isinstance(like, (list, tuple, np.ndarray, pa.Array, pa.ChunkedArray))


def keys_of(like: Any) -> list[Any]:
    """The keys of one row or of several. Raises ParameterError for what is no key."""
    keys = list(like) if are_several(like) else [like]
    keys = [
        key.as_py() if isinstance(key, pa.Scalar) else key.item() if isinstance(key, np.generic) else key
        for key in keys
    ]
    for key in keys:
        if key is None or isinstance(key, (bool, float, bytes, Mapping)):
            raise ParameterError(f"like = {shorten(key)} must be the key of a row, a whole number or a text, or a list")
    if not keys:
        raise ParameterError("like = [] must name at least one row by its key")
    return keys


def rows_like(catalogue: Catalogue, made: Search, keys: list[Any]) -> Floats:
    """The features of the rows of these keys, shape (keys, features).

    Raises SourceError for a key that no row has or several have, and for a row with NULL.
    """
    job, connector, session = made.job, catalogue.connector, catalogue.session
    if job.frame.layout == "long":
        raise UnsupportedError(f"{made.table} was made from sparse rows: pass a row of words as vector, not like")
    frame = replace(job.frame, keep=(), computed=(), passing=())
    plain, key = replace(job, frame=frame, correct=False), str(frame.key)
    texts = ", ".join(str(each) if isinstance(each, int) else job.dialect.string(str(each)) for each in keys)
    query = batches_sql.reading(plain, f"{job.dialect.quote(key)} IN ({texts})")
    table = named(connector.fetch(session, query), [key, *(name for name, _ in frame.read)], job.dialect.name)
    x, missing = feature_rows(table, plain)
    if job.nulls == "zero":
        missing = np.zeros(len(x), dtype=bool)
    found = [str(each) for each in table.column(key).to_pylist()]
    rows = []
    for each in keys:
        at = [i for i, one in enumerate(found) if one == str(each)]
        if len(at) != 1 or missing[at[0]]:
            why = "has a NULL" if len(at) == 1 else "comes more than once" if at else "is no row of it"
            raise SourceError(
                f"like: the row with {key} = {shorten(each, 30)} of {frame.table} {why}: name another row"
            )
        rows.append(x[at[0]])
    return np.array(rows)


def without_own(rows: pa.Table, keys: list[Any], n: int, one: bool) -> pa.Table:
    """The n nearest rows of each, without itself."""
    key = rows.column(rows.num_columns - 2).to_pylist()
    query = [0] * len(key) if one else rows.column(0).to_pylist()
    left = dict.fromkeys(query, n)
    kept = []
    for i, (each, of) in enumerate(zip(key, query, strict=True)):
        if str(each) != str(keys[of]) and left[of]:
            left[of] -= 1
            kept.append(i)
    return rows.take(pa.array(kept, pa.int64()))


__all__ = ["are_several", "keys_of", "rows_like", "without_own"]
