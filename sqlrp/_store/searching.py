"""Search of tables that `materialize` made: the record of the table says how its queries are projected."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, get_args

import numpy as np
import pyarrow as pa

from sqlrp._connectors.base import Connector
from sqlrp._core.errors import ParameterError, SourceError, UnsupportedError, check_choice, nearest, shorten
from sqlrp._core.sources import TableName
from sqlrp._dialects.base import Dialect
from sqlrp._dialects.distances import Search as Function
from sqlrp._lowering.distances_sql import Metric
from sqlrp._lowering.search import Floats, Search, checked_vectors
from sqlrp._projections.base import Projection
from sqlrp._projections.checks import check_whole
from sqlrp._run.bind import look
from sqlrp._run.frames.matrix import project_array
from sqlrp._run.frames.searching import Wanted, is_searched_in_memory, like, search_frame
from sqlrp._run.vectors import project_vector
from sqlrp._store import stored
from sqlrp._store.catalogue import keeper_of_tables
from sqlrp._store.keeping import types
from sqlrp._store.named_functions import check_schema, function_named
from sqlrp._store.owning import check_made, check_source_place
from sqlrp._store.records import Made, Record, new_mark, table_named
from sqlrp._store.steady import located, read_steadily
from sqlrp._store.table import CATALOGUE, SEARCH, Catalogue, Row, name_of, writing

Result = TypeVar("Result")


def search(
    connection: Any,
    into: str | Any,
    vector: Sequence[float] | Sequence[Sequence[float]] | Any,
    n: int = 10,
    *,
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
    components.

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
        >>> codes = sqlrp.project(sqlrp.SparseProjection(k=64), x, output="bits")
        >>> near = sqlrp.search(None, codes, x[2], n=1, projection=sqlrp.SparseProjection(k=64), source=x)
        >>> near.to_pylist()
        [{'id': 2, 'distance': 0.0}]
    """
    one = isinstance(vector, Mapping) or (np.ndim(vector) == 1 and not isinstance(next(iter(vector), None), Mapping))
    if is_searched_in_memory(into):
        if connection is not None:
            raise ParameterError("a frame needs no connection: pass None, or the name of a table")
        check_choice("metric", metric, get_args(Metric))
        check_whole("n", n, 1)
        check_whole("candidates", candidates, 1)
        near = search_frame(into, vector, Wanted(n, candidates, metric, again), projection, source, key)
        if not one:
            counted = (pa.array(np.full(len(rows), i)) for i, rows in enumerate(near))
            near = [rows.add_column(0, "query", own) for rows, own in zip(near, counted, strict=True)]
        return like(into, pa.concat_tables(near) if near else pa.table({}))
    if projection is not None or source is not None or key != "id":
        raise ParameterError(
            f"projection, source and key are for frames, and the record of {shorten(into)} has them: leave them out"
        )

    def run(catalogue: Catalogue, made: Search) -> list[pa.Table]:
        x, z = _asked(made, vector, n, candidates)
        wanted = n, max(n, candidates)
        texts = [made.text(x[0], z[0], *wanted)] if one else made.texts(x, z, *wanted)
        return [catalogue.connector.fetch(catalogue.session, text) for text in texts]

    found = _with_search(connection, into, metric, again, run)
    if not found:
        return pa.table({})
    rows = pa.concat_tables([_plainly(each, found[0].schema) for each in found])
    return rows if one else rows.rename_columns(["query", *rows.column_names[1:]])


def _plainly(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """The rows with a float as the distance, and a whole number as that of the vector, if it is there."""
    rows = rows.cast(schema)
    if rows.num_columns == 3:
        rows = rows.set_column(0, rows.column_names[0], rows.column(0).cast(pa.int64()))
    return rows.set_column(rows.num_columns - 1, "distance", rows.column(rows.num_columns - 1).cast(pa.float64()))


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
    WHERE t."b0" IS NOT NULL ORDER BY distance LIMIT 10
    """

    def write(_: Catalogue, made: Search) -> str:
        x, z = _asked(made, [vector], n, candidates)
        return made.text(x[0], z[0], n, max(n, candidates))

    return _with_search(connection, into, metric, again, write)


def _with_search(
    connection: Any, into: str, metric: Metric, again: bool, use: Callable[[Catalogue, Search], Result]
) -> Result:
    """What `use` gives for the search of a table as it was made, which stays the same meanwhile."""
    check_choice("metric", metric, get_args(Metric))
    connector, name = keeper_of_tables(connection), table_named(into)

    def read(catalogue: Catalogue, place: TableName, row: Row) -> Result:
        return use(catalogue, _search(catalogue, place, row, metric, again))

    return read_steadily(connector, connection, name, read)


def _search(catalogue: Catalogue, place: TableName, row: Row, metric: Metric, again: bool) -> Search:
    """The search of the table of a row."""
    record = Record.of(row)
    check_made(catalogue, place, record, everything=False)
    if again:
        check_source_place(catalogue, record.made)
    return _of_record(catalogue, place, record.made, metric, again)


def _of_record(catalogue: Catalogue, place: TableName, made: Made, metric: Metric, again: bool) -> Search:
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
        z = project_array(job.projection.unrounded, x)
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
    z = np.array([project_vector(job.projection, row) for row in rows])
    return np.empty((len(rows), 0)), z


# -- functions of the database ---------------------------------------------------------------------------


def create_search(
    connection: Any,
    into: str,
    name: str,
    *,
    metric: Metric = "l2",
    candidates: int = 100,
    replace: bool = False,
    trust_schema: bool = False,
) -> None:
    """Create a function of the database that searches a projected table: `FROM docs_search([…], n := 10)`.

    The function projects the vector as the rows were, takes the nearest `candidates` (an argument of the function,
    too), ranks them again by the rows of the source, and returns their keys and distances, as `search` does. A vector
    of another length and NULL are errors. It is a table macro in DuckDB, whose text is planned at each call: that takes
    some 35 µs for each term of the projection. In PostgreSQL it is a function, which uses an index of pgvector on the
    table. In ClickHouse it is a parameterised view: `FROM docs_search(query = […], n = 10)` names both parameters, and
    `candidates` is fixed. On Spark and Databricks it is a table function, `FROM docs_search(array(…), n => 10)`, on
    Snowflake `FROM TABLE(docs_search([…], 10))`, and on BigQuery `FROM docs_search([…], 10, 100)`, where every argument
    is needed. There the order of the rows is that of your ORDER BY.

    If `materialize(…, replace=True)` makes the table again, it makes its searches again too. An existing function is
    kept, unless `replace` is True and `create_search` made it. `trust_schema`: as in `create_function`.
    Raises UnsupportedError for an engine without such functions, and the errors of `search` and `create_function`.

        >>> _ = sqlrp.materialize(sqlrp.SparseProjection(k=64, s=1), "points", con, "points_bits", output="bits")
        >>> sqlrp.create_search(con, "points_bits", "points_search")
        >>> len(con.sql("FROM points_search([1.0, 2.0, 0.0], n := 3)").fetchall())
        3
    """
    check_choice("metric", metric, get_args(Metric))
    connector = _searching(connection)
    with connector.alone(), writing(connector, connection, CATALOGUE, makes=False) as catalogue:
        _, place, row = located(connector, catalogue.session, table_named(into))
        made = _search(catalogue, place, row, metric, True)
        add_search(catalogue, made, name, candidates, replace, trust_schema)


def add_search(
    catalogue: Catalogue, made: Search, name: str, candidates: int = 100, replace: bool = False, trust: bool = False
) -> None:
    """Make the function of a search, with its record."""
    check_whole("candidates", candidates, 1)
    connector, function = catalogue.connector, function_named(name)
    refuse_searches(connector.dialect)
    place = connector.dialect.function_place(function, catalogue.place)
    check_schema(connector, catalogue.session, place, trust)
    recorded = _recorded(catalogue, place)
    finds = connector.dialect.finds_functions  # otherwise CREATE FUNCTION refuses the name of another's
    if recorded is None and finds and connector.searches(catalogue.session, place):
        raise ParameterError(
            f"a function {name_of(function)} exists already, and sqlrp.create_search did not make it: it is never "
            "replaced; choose another name"
        )
    if recorded is not None and not replace:
        raise ParameterError(f"the search {name_of(function)} exists already: replace=True makes it again")
    _make(catalogue, place, made, candidates)


def drop_search(connection: Any, name: str) -> None:
    """Drop a function that `create_search` made. Raises SourceError if it made none of that name.

    >>> _ = sqlrp.materialize(sqlrp.SparseProjection(k=64, s=1), "points", con, "points_bits", output="bits")
    >>> sqlrp.create_search(con, "points_bits", "points_search")
    >>> sqlrp.drop_search(con, "points_search")
    """
    connector, function = _searching(connection), function_named(name)
    with connector.alone(), writing(connector, connection, CATALOGUE, makes=False) as catalogue:
        place = connector.dialect.function_place(function, catalogue.place)
        if _recorded(catalogue, place) is None:
            known = list(map(str, catalogue.names(SEARCH)))
            raise SourceError(
                f"{name_of(function)} was not made by sqlrp.create_search{nearest(name_of(function), known)}: "
                f"made were {shorten(known) if known else 'none'}"
            )
        _drop(catalogue, place)
        catalogue.delete(SEARCH, catalogue.key(place))


def _searching(connection: Any) -> Connector:
    """The connector of a database that has functions that search. Nothing is asked of the database."""
    connector = keeper_of_tables(connection)
    refuse_searches(connector.dialect)
    return connector


def refuse_searches(dialect: Dialect) -> None:
    """Raise UnsupportedError if the engine has no functions that search."""
    if not dialect.has_searches:
        raise UnsupportedError(
            f"{dialect.name} has no functions of sqlrp that search: run sqlrp.search, or the text of sqlrp.search_sql"
        )


def search_of(catalogue: Catalogue, table: TableName, made: Made) -> Search:
    """The search of a table that was made just now."""
    return _of_record(catalogue, table, made, "l2", True)


def make_again(catalogue: Catalogue, table: TableName, made: Made) -> None:
    """Make the searches of a table again, which may have another projection or another source now."""
    for row in catalogue.rows(SEARCH):
        plain, _ = stored.unsealed(row.definition)
        if plain.get("table") == catalogue.key(table):
            search = _of_record(catalogue, table, made, plain["metric"], True)
            _make(catalogue, catalogue.place_of(str(row.name)), search, plain["candidates"])


def _recorded(catalogue: Catalogue, place: TableName) -> dict[str, Any] | None:
    """The record of a search that is there with its mark; None if `create_search` made none, or it was replaced."""
    row = catalogue.find(SEARCH, catalogue.key(place))
    if row is None:
        return None
    plain, _ = stored.unsealed(row.definition)
    finds = catalogue.connector.dialect.finds_functions
    there = catalogue.connector.searches(catalogue.session, place) if finds else []
    return plain if not there or any(str(plain.get("mark")) in str(cell) for row in there for cell in row) else None


def _drop(catalogue: Catalogue, place: TableName) -> None:
    """Drop the function of a search that is recorded, if it is there; a warehouse is not asked."""
    connector = catalogue.connector
    if connector.dialect.finds_functions:
        there = bool(connector.searches(catalogue.session, place))
    else:
        there = catalogue.find(SEARCH, catalogue.key(place)) is not None
    if there:
        connector.execute(catalogue.session, connector.dialect.dropping_search(place))


def _make(catalogue: Catalogue, place: TableName, search: Search, candidates: int) -> None:
    """Make the function, in the place of its own old one, and its record."""
    connector, session, job = catalogue.connector, catalogue.session, search.job
    key, mark, table = str(job.frame.key), new_mark(), catalogue.key(search.table)
    kind = types(connector, session, job.frame.table)[key]
    search = dataclasses.replace(
        search,
        table=_within(catalogue, search.table),
        job=dataclasses.replace(job, frame=dataclasses.replace(job.frame, table=_within(catalogue, job.frame.table))),
    )
    record = stored.sealed({"table": table, "metric": search.metric, "candidates": candidates, "mark": mark})
    function = Function(key, kind, candidates, search.vectors, mark, record)
    text = connector.dialect.creating_search(place, search.body, function)
    _drop(catalogue, place)
    connector.execute(session, text)
    catalogue.put(SEARCH, catalogue.key(place), record, job.projection.fingerprint)


def _within(catalogue: Catalogue, name: TableName) -> TableName:
    """A name without the database, if it is that of the catalogue: a file may be opened under another name."""
    return TableName(name.parts[-2:]) if len(name.parts) == 3 and name.parts[0] == catalogue.place.parts[0] else name


__all__ = ["add_search", "create_search", "drop_search", "make_again", "search", "search_of", "search_sql"]
