"""Search of tables that `materialize` made: the record of the table says how its queries are projected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, get_args

import numpy as np
import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._connectors.foresight import foreseen
from sqlrp._core.errors import ParameterError, check_choice, shorten
from sqlrp._core.names import spelled
from sqlrp._core.sources import TableName
from sqlrp._lowering.distances_sql import Metric
from sqlrp._lowering.search import NEIGHBOUR, Choice
from sqlrp._projections.checks import check_whole
from sqlrp._projections.projection import Projection
from sqlrp._run.frames.frame_search import SearchArguments, is_searched_in_memory, search_frame
from sqlrp._run.frames.frame_search import like as of_kind
from sqlrp._store.catalogue import keeper
from sqlrp._store.held_search import HeldSearch, answered, found_steadily, held, hold, search_of_kept, search_of_row
from sqlrp._store.ownership import check_source_place
from sqlrp._store.records import Record, table_named
from sqlrp._store.row_choices import choice_of, chosen
from sqlrp._store.search_queries import Query
from sqlrp._store.steady import SteadyReading, is_row, read_steadily, row_question
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
    vectors: Any = None,
    keep: Sequence[str] = (),
    where: str | None = None,
    offset: int = 0,
    candidates: int | None = 100,
    metric: Metric = "l2",
    again: bool = True,
    sure: bool = False,
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

    `vectors` takes its place too: the name of a table with a key and the columns of the source, which may be temporary
    or registered, or a source such as `sqlrp.Array("queries", "e")`. Its rows are read once, and the statement has
    their codes, not their numbers. The first column, `query`, is the key of the vector. One with NULL finds nothing.

    `keep` names columns of the source that the result shows before `distance`. `where` is a condition on the columns of
    the source, in the SQL of the engine. It chooses the rows before the candidates are taken, so that the recall is
    that of a search of these rows alone. It is part of the statement as it is: never take it from a user. `offset`
    leaves out the nearest rows, for the next page; rows at one distance have no order.

    `sure` True adds a last column, `sure`: whether no row besides the candidates can be nearer. The rows where it is
    True are the nearest of all, in their order. Where it is False, raise `candidates`. The codes are those of
    `sqlrp.rounded(…, bits=…)` with numbers that correct them, after a rotation drawn at random:
    `sqlrp.OrthonormalProjection` with k = the number of features, or `sqlrp.Chained` of three `HadamardProjection` with
    k = the padded length. The candidates are then the rows with the smallest least distances, by the error of their
    estimates (RaBitQ, theorem 3.2, with the exact share of the sphere). A row is nearer than its least distance with a
    chance of at most 1e-9, so an answer about N rows is wrong with a chance of at most N·1e-9: 1 in 1,000 for a million
    rows. The chance is over the draw of the rotation, whose seed must not depend on the rows and vectors. Of the three
    transforms this is measured, not proved. A row that changed since the last `refresh` is not told of. For rows of one
    length, "l2" finds more of them sure than "cosine", which estimates their lengths, too.

    `candidates` None takes, with `sure` True, every row that can be among the nearest by these errors, so that all rows
    found are sure: those whose least distance is not above the n-th of the greatest distances. The vector chooses their
    number: few for codes of many bits, and for bits alone perhaps most rows. All rows are ordered for it.

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
    query = Query.of(vector, like, vectors, n, candidates, choice_of(keep, where, offset, sure))
    if is_searched_in_memory(into):
        if query.vector is None or query.choice != Choice():
            raise ParameterError(
                "like, vectors, keep, where, offset and sure are for tables, and a frame has its rows at hand: pass "
                "the row as vector, and choose rows of the frame and of the result"
            )
        if connection is not None:
            raise ParameterError("a frame needs no connection: pass None, or the name of a table")
        check_choice("metric", metric, get_args(Metric))
        assert candidates is not None  # as `sure` is False
        near = search_frame(into, vector, SearchArguments(n, candidates, metric, again), projection, source, key)
        if not query.one:
            counted = (pa.array(np.full(len(rows), i)) for i, rows in enumerate(near))
            near = [rows.add_column(0, "query", own) for rows, own in zip(near, counted, strict=True)]
        return of_kind(into, pa.concat_tables(near) if near else pa.table({}))
    if projection is not None or source is not None or key != "id":
        raise ParameterError(
            f"projection, source and key are for frames, and the record of {shorten(into)} has them: leave them out"
        )

    check_choice("metric", metric, get_args(Metric))
    connector, table = keeper(connection), table_named(into)
    read = _held_rows if connector.dialect.proves_apart else _read_rows
    return query.shown(read(connector, connection, table, query, metric, again), into, again)


def _read_rows(
    connector: Connector, connection: Any, table: TableName, query: Query, metric: Metric, again: bool
) -> list[pa.Table]:
    """The rows of each statement, of a table that is read for it."""

    def read(catalogue: Catalogue, place: TableName, row: Row) -> list[pa.Table] | SteadyReading[list[pa.Table]]:
        record = Record.of(row)
        made = search_of_kept(catalogue, place, record, metric, again)
        if query.vector is None and not again:  # with it, it is checked already
            check_source_place(catalogue, record.made)
        question, session = row_question(catalogue, place), catalogue.session
        texts = query.texts(connector, session, made, record.made, question)
        given = [connector.fetch(session, text) for text in texts]
        if not question:
            return given
        parted = [answered(rows) for rows in given]
        found = [rows for rows, _ in parted]
        return SteadyReading(found) if all(is_row(answer, row) for _, answer in parted) else found

    return read_steadily(connector, connection, table, read)


def _held_rows(
    connector: Connector, connection: Any, table: TableName, query: Query, metric: Metric, again: bool
) -> list[pa.Table]:
    """The same of a table that is proved to be the one that an earlier call read, or is read again."""

    def read(catalogue: Catalogue, place: TableName, row: Row) -> HeldSearch:
        if query.vector is None and not again:
            check_source_place(catalogue, Record.of(row).made)
        return HeldSearch.read(catalogue, place, row, metric, again, (table,))

    key = (str(table), metric, again, query.vector is None)
    found = found_steadily(
        connector, connection, held(connection, key), lambda: read_steadily(connector, connection, table, read), query
    )
    if found is None:
        return _read_rows(connector, connection, table, query, metric, again)
    hold(connection, key, found[0])
    return found[1]


@foreseen
def search_sql(
    connection: Any,
    into: str,
    vector: Sequence[float] | Any = None,
    n: int = 10,
    *,
    like: Any = None,
    vectors: Any = None,
    keep: Sequence[str] = (),
    where: str | None = None,
    offset: int = 0,
    candidates: int | None = 100,
    metric: Metric = "l2",
    again: bool = True,
    sure: bool = False,
) -> str:
    """Write the query that `search` runs for one vector, for the row of one key, or for the vectors of a table.

    For a key the text has the numbers of its row as they are now, and for a table the codes of its vectors.

    >>> _ = sqlrp.materialize(sqlrp.SparseProjection(k=64, s=1), "points", con, "points_bits", output="bits")
    >>> print(sqlrp.search_sql(con, "points_bits", [1.0, 2.0, 0.0], again=False).splitlines()[-1])
    WHERE t."b0" IS NOT NULL ORDER BY distance ASC LIMIT 10
    """

    query = Query.of(vector, like, vectors, n, candidates, choice_of(keep, where, offset, sure))
    if not query.one and vectors is None:
        raise ParameterError("search_sql writes one query: pass one vector or key, or a table as vectors")

    def write(catalogue: Catalogue, place: TableName, row: Row) -> str:
        record = Record.of(row)
        made = search_of_kept(catalogue, place, record, metric, again)
        texts = query.texts(catalogue.connector, catalogue.session, made, record.made)
        if len(texts) != 1:
            raise ParameterError(
                f"vectors = {shorten(vectors)} takes {len(texts)} statements: pass a table of fewer rows"
            )
        return texts[0]

    return _read(connection, into, metric, write)


@foreseen
def neighbours_sql(
    connection: Any,
    into: str,
    n: int = 10,
    *,
    where: str | None = None,
    candidates: int = 300,
    metric: Metric = "l2",
) -> str:
    """Write the query of the rows that are nearest to each row of a table that `materialize` made.

    It is one statement, which returns the key, `neighbour`, the key of another row, and `distance`: n rows for each row
    that is not NULL. `CREATE TABLE near AS` before it keeps them. The codes of all pairs of rows are compared, and the
    nearest `candidates` of each row are ranked again by the rows of the source, so the distances are true ones. The
    time grows with the square of the rows. Bits take the least: 384 bits of 12,000 embeddings of text in DuckDB find
    99% of the nearest ten in a tenth of the time of an exact join. `where` and `metric` are those of `search`: the
    condition chooses both rows.
    Raises UnsupportedError for sparse rows, and for rounded codes unless `metric` is "l2", and the errors of `search`.

        >>> _ = sqlrp.materialize(sqlrp.SparseProjection(k=64, s=1), "points", con, "points_bits", output="bits")
        >>> con.sql(sqlrp.neighbours_sql(con, "points_bits", n=3)).columns
        ['id', 'neighbour', 'distance']
    """
    check_whole("n", n, 1)
    check_whole("candidates", candidates, 1)
    choice = choice_of((), where)

    def write(catalogue: Catalogue, place: TableName, row: Row) -> str:
        made = search_of_row(catalogue, place, row, metric)
        key = str(made.job.frame.key)
        if spelled(key) == NEIGHBOUR:
            raise ParameterError(f"the key of {into} is called {key!r}, as a column of the result: rename it in a view")
        return chosen(catalogue.connector, catalogue.session, made, choice).neighbours(n, max(n, candidates))

    return _read(connection, into, metric, write)


def _read(
    connection: Any,
    into: str,
    metric: Metric,
    read: Callable[[Catalogue, TableName, Row], Result | SteadyReading[Result]],
) -> Result:
    """What `read` gives for a table as it was made, which stays the same meanwhile."""
    check_choice("metric", metric, get_args(Metric))
    return read_steadily(keeper(connection), connection, table_named(into), read)


__all__ = ["neighbours_sql", "search", "search_sql"]
