"""Searches for rows like those of some keys: their features are read from the source, and no row finds itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import ParameterError, SourceError, UnsupportedError, shorten
from sqlrp._lowering import batches_sql
from sqlrp._lowering.evaluation import feature_rows
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.search import Search

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


def key_text(made: Search, key: Any) -> str:
    """A key as SQL."""
    return str(key) if isinstance(key, int) else made.job.dialect.string(str(key))


def rows_like(connector: Connector, session: Any, made: Search, keys: list[Any]) -> Floats:
    """The features of the rows of these keys, shape (keys, features).

    Raises SourceError for a key that no row has or several have, and for a row with NULL.
    """
    job = made.job
    if job.frame.layout == "long":
        raise UnsupportedError(f"{made.table} was made from sparse rows: pass a row of words as vector, not like")
    key, texts = str(job.frame.key), ", ".join(key_text(made, each) for each in keys)
    have, x, missing = read_rows(connector, session, made, job.frame, f"{job.dialect.quote(key)} IN ({texts})")
    found = [str(each) for each in have.to_pylist()]
    rows = []
    for each in keys:
        at = [i for i, one in enumerate(found) if one == str(each)]
        if len(at) != 1 or missing[at[0]]:
            why = "has a NULL" if len(at) == 1 else "comes more than once" if at else "is no row of it"
            raise SourceError(
                f"like: the row with {key} = {shorten(each, 30)} of {job.frame.table} {why}: name another row"
            )
        rows.append(x[at[0]])
    return np.array(rows)


def read_rows(
    connector: Connector, session: Any, made: Search, of: Frame, where: str = ""
) -> tuple[pa.ChunkedArray, Floats, npt.NDArray[np.bool_]]:
    """The keys of rows like those of a source, their features, shape (rows, features), and which have NULL."""
    frame = replace(of, keep=(), computed=(), passing=(), whole=False)
    job = replace(made.job, frame=frame, output="columns", correct=False)
    query = batches_sql.reading(job, where)
    table = connector.named(connector.fetch(session, query), [str(frame.key), *(name for name, _ in frame.read)])
    x, missing = feature_rows(table, job)
    none = np.zeros(len(x), dtype=bool)
    return table.column(0), x, none if job.nulls == "zero" else missing


def without_own(rows: pa.Table, keys: list[Any], n: int, offset: int) -> pa.Table:
    """The n nearest rows of each of several, without itself and the first `offset`."""
    query, key = (rows.column(i).to_pylist() for i in range(2))
    seen = dict.fromkeys(query, 0)
    kept = []
    for i, (of, each) in enumerate(zip(query, key, strict=True)):
        if str(each) != str(keys[of]):
            seen[of] += 1
            if offset < seen[of] <= offset + n:
                kept.append(i)
    return rows.take(pa.array(kept, pa.int64()))


__all__ = ["are_several", "key_text", "keys_of", "read_rows", "rows_like", "without_own"]
