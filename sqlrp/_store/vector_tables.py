"""Vectors of a search that stand in a table: they are read and projected here, and ranked by the table itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, cast

import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import ParameterError, SourceError, UnsupportedError, shorten
from sqlrp._core.sources import Array, Long, Source, Wide
from sqlrp._lowering.search import Floats, Search, VectorTable
from sqlrp._run.bind import look
from sqlrp._store.like_rows import key_text, read_rows
from sqlrp._store.records import TableDefinition
from sqlrp._store.table_checks import types


def vectors_of(
    connector: Connector, session: Any, made: Search, record: TableDefinition, given: Any
) -> tuple[Floats, VectorTable]:
    """The vectors of a table without NULL, shape (vectors, features), and their table.

    Raises ParameterError for vectors of another length and for another layout, and SourceError for keys that do not
    name one vector each.
    """
    own = made.job.frame
    frame = look(connector, session, _asked(given, record), bound_to=made.job.projection.bound_to)
    if own.layout == "long":
        raise UnsupportedError(f"{made.table} was made from sparse rows: pass rows of words as vector, not vectors")
    if frame.layout != own.layout or frame.key is None:
        lacks = f"is of the layout {frame.layout}" if frame.layout != own.layout else "has no key"
        raise ParameterError(
            f"vectors: {frame.table} {lacks}, and {made.table} was made from {own.layout} rows with a key: "
            "pass a table like the source"
        )
    if frame.n_features != own.n_features:
        raise ParameterError(
            f"vectors: the rows of {frame.table} have {frame.n_features:,} numbers, and {made.table} was made from "
            f"rows of {own.n_features:,}: pass one number for each feature, in their order"
        )
    keys, x, missing = read_rows(connector, session, made, frame)
    named = keys.to_pylist()
    if None in named or len(set(named)) < len(named):
        twice = next((key for key, times in Counter(named).items() if times > 1), None)
        what = "NULL in a row" if None in named else f"{shorten(twice, 30)} in more than one row"
        raise SourceError(f"vectors: the key {frame.key!r} of {frame.table} is {what}: give each vector one of its own")
    there = [i for i, lacking in enumerate(missing) if not lacking]
    kind = types(connector, session, frame.table)[frame.key]
    plain = pa.types.is_integer(keys.type) or pa.types.is_string(keys.type) or pa.types.is_large_string(keys.type)
    texts = [key_text(made, key) for key in named]
    texts = texts if plain else [f"CAST({text} AS {kind})" for text in texts]
    return x[there], VectorTable(frame, [texts[i] for i in there])


def _asked(vectors: Any, made: TableDefinition) -> Source:
    """The source of the vectors of a search: a table with the columns of the source, by its name, or a source."""
    if isinstance(vectors, str):
        return cast("Source", replace(cast("Any", made.source), table=vectors, keep=()))
    if not isinstance(vectors, (Wide, Array, Long)):
        raise ParameterError(
            f"vectors = {shorten(vectors)} must be the name of a table like the source, or a source such as "
            "sqlrp.Array('queries', 'e'): pass the numbers of vectors as vector"
        )
    return vectors


__all__ = ["vectors_of"]
