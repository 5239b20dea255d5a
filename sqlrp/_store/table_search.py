"""Search of tables that `materialize` made: the record of the table says how its queries are projected."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, get_args

import numpy as np
import pyarrow as pa

from sqlrp._connectors.foresight import foreseen
from sqlrp._core.errors import ParameterError, SourceError, check_choice, shorten
from sqlrp._core.sources import TableName
from sqlrp._lowering.distances_sql import Metric
from sqlrp._lowering.search import PROOF, TOLD, Floats, Search, checked_vectors
from sqlrp._projections.checks import check_whole
from sqlrp._projections.projection import Projection
from sqlrp._run.bind import look
from sqlrp._run.frames.frame_search import Wanted, is_searched_in_memory, search_frame
from sqlrp._run.frames.frame_search import like as of_kind
from sqlrp._run.frames.matrix import project_array
from sqlrp._run.vectors import project_vector
from sqlrp._store.catalogue import keeper_of_tables
from sqlrp._store.like_rows import are_several, keys_of, rows_like, without_own
from sqlrp._store.ownership import check_source_place
from sqlrp._store.records import Made, Record, table_named
from sqlrp._store.source_state import check_made
from sqlrp._store.steady import Proven, is_row, read_steadily, row_question
from sqlrp._store.table import Catalogue, Row

Result = TypeVar("Result")


@foreseen
def search(
    connection: Any,
    into: str | Any,
    vector: Sequence[float] | Sequence[Sequence[float]] | Any = None,
    n: int = 10,
    *,
    like: Any = None,
    candidates: int = 100,
    metric: Metric = "l2",
    again: bool = True,
    projection: Projection | None = None,
    source: Any = None,
    key: str | None = "id",
) -> Any:
    """Find the rows that are nearest to a vector, in a table that `materialize` made: keys and distances.

    `into` is the name of the table. The vector has one number for each feature of the source. It is projected as the
    rows were: the record of the table names the projection, so that neither k nor a seed is repeated. The nearest
    `candidates` by the bits or components are ranked again by the rows of the source, so the distances are true ones.

    Returns a pyarrow.Table of the key and `distance`, the nearest row first. For several vectors, shape (vectors,
    features), the first column, `query`, counts them from 0. `metric`: "l2" is the Euclidean distance, "cosine" is 1
    - the cosine, and "inner" the negative of the inner product. Bits compare directions: with rows of very different
    lengths, raise `candidates` for "l2" and "inner". `again` False returns the first distances: of bits the angle
    π·h/k in radians, where h is the number of bits that differ (Charikar 2002, section 3); otherwise that of the
    components. Of codes with numbers that correct them (`materialize(…, correct=True)`) the first distances are
    estimates of the true ones without bias (Gao and Long 2024, RaBitQ, theorem 3.2).

    `like` takes the place of the vector: the key of a row of the source, or a list of keys. The rows nearest to it are
    found, without itself. The keys are whole numbers or texts, or of another type whose text they are.

    Many vectors are joined with the table by one statement, or a few if the text would be long. Vectors of an engine's
    vector search are searched one after another within it, as an index takes a constant; PostgreSQL joins them too.

    Of a table of words, a vector is a dictionary of words and numbers, or a list of such.

    `into` is also a dataframe or an array of bits or components, as `sqlrp.project` returned it. The connection is
    None then. `projection` is the one of `project`, with `scale` True, and `source` the dataframe or array of the rows,
    which have the same `key`; `key` None counts rows from 0, as those of arrays. The result is a frame of the same
    kind, and a pyarrow.Table for an array.

    An index of the engine's vector search on the table is used if the engine chooses it. Rows that are NULL are not
    found. The text has the numbers of the vector: `search_sql` writes it.
    Raises ParameterError for a vector of another length, SourceError for a table that `materialize` did not make, or
    whose source was replaced, and UnsupportedError for sparse rows unless `again` is False, and for an engine without
    the functions.

        >>> _ = sqlrp.materialize(sqlrp.SparseProjection(k=64, s=1), "points", con, "points_bits", output="bits")
        >>> sqlrp.search(con, "points_bits", [1.0, 2.0, 0.0], n=2).column_names
        ['id', 'distance']
        >>> sqlrp.search(con, "points_bits", like=7, n=3).num_rows
        3
        >>> codes = sqlrp.project(sqlrp.SparseProjection(k=64), x, output="bits")
        >>> near = sqlrp.search(None, codes, x[2], n=1, projection=sqlrp.SparseProjection(k=64), source=x)
        >>> near.to_pylist()
        [{'id': 2, 'distance': 0.0}]
    """
    keys = _asked_for(vector, like)
    one = is_one(vector) if keys is None else not are_several(like)
    if is_searched_in_memory(into):
        if keys is not None:
            raise ParameterError("like is for tables, and a frame has its rows at hand: pass the row as vector")
        if connection is not None:
            raise ParameterError("a frame needs no connection: pass None, or the name of a table")
        check_choice("metric", metric, get_args(Metric))
        check_whole("n", n, 1)
        check_whole("candidates", candidates, 1)
        near = search_frame(into, vector, Wanted(n, candidates, metric, again), projection, source, key)
        if not one:
            counted = (pa.array(np.full(len(rows), i)) for i, rows in enumerate(near))
            near = [rows.add_column(0, "query", own) for rows, own in zip(near, counted, strict=True)]
        return of_kind(into, pa.concat_tables(near) if near else pa.table({}))
    if projection is not None or source is not None or key != "id":
        raise ParameterError(
            f"projection, source and key are for frames, and the record of {shorten(into)} has them: leave them out"
        )

    def read(catalogue: Catalogue, place: TableName, row: Row) -> list[pa.Table] | Proven[list[pa.Table]]:
        made, question = search_of_row(catalogue, place, row, metric, again), row_question(catalogue, place)
        asked, count = vector, n
        if keys is not None:
            check_whole("n", n, 1)
            if not again:  # with it, it is checked already
                check_source_place(catalogue, Record.of(row).made)
            x, count = rows_like(catalogue, made, keys), n + 1
            asked = x[0] if one else x
        texts = texts_of(made, asked, count, candidates, question)
        given = [catalogue.connector.fetch(catalogue.session, text) for text in texts]
        if not question:
            return given
        parted = [answered(rows) for rows in given]
        found = [rows for rows, _ in parted]
        return Proven(found) if all(is_row(answer, row) for _, answer in parted) else found

    found = _read(connection, into, metric, read)
    rows = shown(found, into, one, again)
    return rows if keys is None else without_own(rows, keys, n, one)


def _asked_for(vector: Any, like: Any) -> list[Any] | None:
    """The keys of the rows that a search is for; None for vectors. Raises ParameterError unless it is for either."""
    if (vector is None) == (like is None):
        raise ParameterError(
            "vector must be finite numbers, one a feature, or like the key of a row: pass vector or like"
        )
    return None if like is None else keys_of(like)


def answered(rows: pa.Table) -> tuple[pa.Table, str]:
    """The rows of a search that was asked a question besides, and its answer."""
    import pyarrow.compute as pc  # here, as its import takes long and few processes search

    told = pc.equal(rows.column(TOLD), 1)
    [answer] = rows.column(PROOF).filter(told).to_pylist()
    return rows.filter(pc.invert(told)).drop_columns([TOLD, PROOF]), answer


def is_one(vector: Any) -> bool:
    """Whether it is one vector, and not several."""
    return isinstance(vector, Mapping) or (np.ndim(vector) == 1 and not isinstance(next(iter(vector), None), Mapping))


def texts_of(made: Search, vector: Any, n: int, candidates: int, proof: str = "") -> list[str]:
    """The statements of a search for one vector or several."""
    x, z = _asked(made, vector, n, candidates)
    wanted = n, max(n, candidates), proof
    return [made.text(x[0], z[0], *wanted)] if is_one(vector) else list(made.texts(x, z, *wanted))


def shown(found: Sequence[pa.Table], into: str, one: bool, again: bool) -> pa.Table:
    """The rows of the statements of a search, as they are returned."""
    if not found:
        return pa.table({})
    rows = pa.concat_tables([_plainly(each, found[0].schema) for each in found])
    _check_repeats(rows, into, again)
    return rows if one else rows.rename_columns(["query", *rows.column_names[1:]])


def _check_repeats(rows: pa.Table, into: str, again: bool) -> None:
    """Raise SourceError for a row that was found twice, as the source has two rows of its key."""
    own = rows.column_names[:-1]
    found = list(zip(*(rows.column(name).to_pylist() for name in own), strict=True))
    twice = next((row for row, times in Counter(found).items() if times > 1), None) if again else None
    if twice is not None:
        raise SourceError(
            f"key {own[-1]!r} of the source of {into} comes more than once: {shorten(twice[-1], 30)}; give each row a "
            "key of its own, or search with again=False"
        )


def _plainly(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """The rows with a float as the distance, and a whole number as that of the vector, if it is there."""
    import pyarrow.compute as pc  # here, as its import takes long and few processes search

    if rows.num_columns == 3:
        schema = schema.set(0, schema.field(0).with_type(pa.int64()))  # ClickHouse counts up to 255 in a byte
    rows = rows.cast(schema)
    distance = rows.column(rows.num_columns - 1).cast(pa.float64())
    within = pc.less(distance, sys.float_info.max)  # the largest double stands for infinity on some engines
    distance = pc.if_else(pc.or_kleene(within, pc.is_nan(distance)), distance, math.inf)
    return rows.set_column(rows.num_columns - 1, "distance", distance)


@foreseen
def search_sql(
    connection: Any,
    into: str,
    vector: Sequence[float] | Any,
    n: int = 10,
    *,
    candidates: int = 100,
    metric: Metric = "l2",
    again: bool = True,
) -> str:
    """Write the query that `search` runs for one vector.

    >>> _ = sqlrp.materialize(sqlrp.SparseProjection(k=64, s=1), "points", con, "points_bits", output="bits")
    >>> print(sqlrp.search_sql(con, "points_bits", [1.0, 2.0, 0.0], again=False).splitlines()[-1])
    WHERE t."b0" IS NOT NULL ORDER BY distance ASC LIMIT 10
    """

    def write(catalogue: Catalogue, place: TableName, row: Row) -> str:
        made = search_of_row(catalogue, place, row, metric, again)
        x, z = _asked(made, [vector], n, candidates)
        return made.text(x[0], z[0], n, max(n, candidates))

    return _read(connection, into, metric, write)


def _read(
    connection: Any,
    into: str,
    metric: Metric,
    read: Callable[[Catalogue, TableName, Row], Result | Proven[Result]],
) -> Result:
    """What `read` gives for a table as it was made, which stays the same meanwhile."""
    check_choice("metric", metric, get_args(Metric))
    return read_steadily(keeper_of_tables(connection), connection, table_named(into), read)


def search_of_row(catalogue: Catalogue, place: TableName, row: Row, metric: Metric, again: bool = True) -> Search:
    """The search of the table of a row."""
    record = Record.of(row)
    check_made(catalogue, place, record, everything=False)
    if again:
        check_source_place(catalogue, record.made)
    return search_of_record(catalogue, place, record.made, metric, again)


def search_of_record(catalogue: Catalogue, place: TableName, made: Made, metric: Metric, again: bool) -> Search:
    """The search of the table of a record, with the names of both tables in full."""
    connector, session = catalogue.connector, catalogue.session
    frame = look(connector, session, made.source, bound_to=made.projection.bound_to)
    if made.place is not None:
        frame = dataclasses.replace(frame, table=catalogue.place_of(made.place))
    query = connector.dialect.vectors_query
    found = connector.rows(session, query) if query else []
    return Search(made.job(connector.dialect, frame), place, metric, again, str(found[0][0]) if found else "")


def _asked(made: Search, vectors: Any, n: int, candidates: int) -> tuple[Floats, Floats]:
    """The vectors, shape (vectors, features), and their components as they are stored, shape (vectors, k)."""
    check_whole("n", n, 1)
    check_whole("candidates", candidates, 1)
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


__all__ = ["is_one", "search", "search_of_record", "search_of_row", "search_sql", "shown", "texts_of"]
