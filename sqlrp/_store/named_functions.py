"""Functions with a name of the user's: one scalar function of the database that projects an array of features."""

from __future__ import annotations

import json
import re
from typing import Any

from sqlrp._connectors.connector import Connector
from sqlrp._connectors.foresight import foreseen
from sqlrp._core.alchemy import is_engine
from sqlrp._core.errors import (
    ParameterError,
    SourceError,
    StatementError,
    nearest,
    shorten,
    warn,
)
from sqlrp._core.options import Nulls, Options
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Dialect
from sqlrp._dialects.table_queries import MARK
from sqlrp._engines.registry import dialect_for, open_target
from sqlrp._projections import method_of
from sqlrp._projections.projection import Projection, checked
from sqlrp._run.function_text import Returns, statement
from sqlrp._store import stored
from sqlrp._store.catalogue import keeper, readable, warn_of
from sqlrp._store.records import new_mark
from sqlrp._store.table import CATALOGUE, NAMED, Catalogue, Row, name_of, writing

_EXISTS = re.compile("already.?exists", re.IGNORECASE)
"""What BigQuery, Snowflake, Databricks and Trino say of a function that is there."""
NOT_OURS = "is not the function that sqlrp.create_function made under this name"
"""What an error or a finding says of a function that has another mark."""


@foreseen
def create_function(
    projection: Projection,
    connection: Any,
    name: str,
    *,
    n_features: int | None = None,
    returns: Returns = "array",
    scale: bool = True,
    nulls: Nulls = "propagate",
    replace: bool = False,
    trust_schema: bool = False,
    cluster: str | None = None,
) -> None:
    """Create a scalar SQL function that projects an array of features to an array of k components.

    `SELECT id, docs_rp(embedding) FROM docs` projects a table, and `docs_rp([…])` in the same statement projects the
    vector of a query. The function is plain SQL and stays in the database: a DuckDB macro, an immutable and
    parallel-safe function of PostgreSQL, or a function of ClickHouse, Spark, Databricks, BigQuery, Snowflake or Trino.
    Features and components are doubles. A NULL array gives NULL; an array of another length fails. `returns` "vector"
    makes the function return the type that the engine's vector search takes, as in `sqlrp.project`. "bits" makes it
    return bit(k) in PostgreSQL, and elsewhere an array of the words that output "bits" has as columns. In ClickHouse a
    function cannot stand in ORDER BY: sort by the name of a column of a subquery.

    `name` is the function's name, in the same form as a table's. `n_features`: the length of the arrays; leave it out
    for a projection that is fitted or bound to its features. An existing function is kept, unless `replace` is True and
    `create_function` made it. If a transaction is open on the connection, the call is part of it.

    PostgreSQL: where pgvector is installed, the function also takes its types `vector` and `halfvec`, and text such as
    '[1, 2, 3]'.

    PostgreSQL: the function finds nothing but PostgreSQL's own functions, on any search_path. A schema where other
    roles may create objects is refused, as they could add a function of that name that runs with the rights of its
    callers (SECURITY.md). `trust_schema` True makes the function there nevertheless, with a warning.

    ClickHouse: `cluster` names the cluster whose servers all get the function. The record is on this server.

    Raises ParameterError for a name that is taken or a projection without a number of features, SourceError for a
    schema that is not to be trusted, and UnsupportedError for an engine without such functions, or if the projection is
    not one SELECT there.

        >>> sqlrp.create_function(rp, con, "points_rp", n_features=3)
        >>> con.sql("SELECT points_rp([1, 2, 0]) AS z").fetchall()
        [((2.121320343559643, -0.7071067811865476),)]
    """
    projection, connector = checked(projection), keeper(connection)
    method_of(projection).check_fitted()
    function = function_named(name, connector.dialect)
    mark = new_mark() if connector.dialect.finds_functions else ""
    options, dialect = Options(returns, scale, nulls), _on(connector.dialect, cluster)
    comment = _recording(projection, mark) if dialect.records_in_tables else mark
    statement(projection, dialect, function, n_features, options, comment)  # fails before anything is written
    with connector.alone(connection), writing(connector, connection, CATALOGUE, makes=False) as catalogue:
        session, finds = catalogue.session, connector.dialect.finds_functions
        place = connector.dialect.function_place(function, catalogue.place)
        check_schema(connector, session, place, trust_schema)
        text = statement(projection, dialect, place, n_features, options, comment)
        there = connector.function(session, place) if finds else ""
        made = _made(catalogue, function, there)
        if there and not made:
            raise _taken(function)
        if made and (there or not finds) and made != projection.fingerprint and not replace:
            raise ParameterError(
                f"the function {name_of(function)} exists already with another projection: replace=True puts "
                f"{shorten(projection.name)} in its place"
            )
        if not there:  # they may return what a function returned that is gone
            connector.drop_overloads(session, place)
        if made or finds:
            connector.execute(session, text)
        else:
            _create_new(connector, session, function, text)
        connector.overload(session, place)
        shown = mark and mark in connector.function(session, place)
        catalogue.put(NAMED, name_of(function), _recording(projection, mark if shown else ""), projection.fingerprint)


def _recording(projection: Projection, mark: str) -> str:
    """The record of a function."""
    return stored.sealed({"projection": json.loads(projection.to_json()), "mark": mark})


def function_sql(
    projection: Projection,
    engine: Any,
    name: str,
    *,
    n_features: int | None = None,
    returns: Returns = "array",
    scale: bool = True,
    nulls: Nulls = "propagate",
    cluster: str | None = None,
) -> str:
    """Write the statement that `create_function` runs. `engine`: an engine, its name, or a connection.

    >>> sqlrp.function_sql(rp, "postgresql", "points_rp", n_features=3).split("(")[0]
    'CREATE OR REPLACE FUNCTION "points_rp"'
    """
    dialect = _on(dialect_for(engine) if is_engine(engine) else open_target(engine).dialect, cluster)
    options = Options(returns, scale, nulls)
    return statement(checked(projection), dialect, function_named(name, dialect), n_features, options)


@foreseen
def drop_function(connection: Any, name: str, *, cluster: str | None = None) -> None:
    """Drop a function that `create_function` made. Raises SourceError if it made none of that name.

    `cluster`: the one of ClickHouse that was named when it was made.

    >>> sqlrp.create_function(rp, con, "points_rp", n_features=3)
    >>> sqlrp.drop_function(con, "points_rp")
    >>> sqlrp.created_functions(con)
    {}
    """
    connector = keeper(connection)
    dialect = _on(connector.dialect, cluster)
    function = function_named(name, dialect)
    with connector.alone(connection), writing(connector, connection, CATALOGUE, makes=False) as catalogue:
        session, place = catalogue.session, connector.dialect.function_place(function, catalogue.place)
        there = connector.function(session, place) if connector.dialect.finds_functions else ""
        if not _made(catalogue, function, there):
            known = list(map(str, catalogue.names(NAMED)))
            if there and name_of(function) in known:
                raise SourceError(f"{name_of(function)} {NOT_OURS}: drop it in SQL")
            raise SourceError(
                f"{name_of(function)} was not made by sqlrp.create_function{nearest(name_of(function), known)}"
                + (f": made were {shorten(known)}" if known else "")
            )
        if there or not connector.dialect.finds_functions:
            connector.drop_overloads(session, place)
            connector.execute(session, dialect.dropping_function(place))
        catalogue.delete(NAMED, name_of(function))


def created_functions(connection: Any) -> dict[str, Projection]:
    """The projections of the functions that `create_function` made, by name. A warning names unreadable rows.

    >>> sqlrp.create_function(rp, con, "points_rp", n_features=3)
    >>> sqlrp.created_functions(con)
    {'points_rp': SparseProjection(k=2, s=1, seed=7)}
    """
    found, wrong = readable(connection, NAMED, read)
    warn_of("functions", wrong)
    return {name: projection for name, (projection, _) in found.items()}


def _on(dialect: Dialect, cluster: str | None) -> Dialect:
    """The dialect, of all servers of a cluster if one is named."""
    return dialect if cluster is None else dialect.of_cluster(cluster)


def function_named(name: str, dialect: Dialect) -> TableName:
    """The name of a function to make. Raises ParameterError for the name of a file, SourceError for too many parts."""
    function = TableName.parse(name)
    if function.is_file:
        raise ParameterError(f"name = {shorten(name)} is a file's name: put a function's name in double quotes")
    dialect.check_parts(function)
    return function


def read(row: Row) -> tuple[Projection, str]:
    """The projection and the mark of a function, from its row. Raises SourceError if it cannot be read."""
    plain, whole = stored.unsealed(row.definition)
    stored.check_values(plain, _FITS)
    projection = stored.rebuilt(plain["projection"])
    if not whole or row.fingerprint not in (projection.fingerprint, None):  # a function's comment has none
        raise SourceError("its record was changed")
    return projection, str(plain["mark"])


_FITS: stored.Fits = {
    "projection": lambda value: isinstance(value, dict),
    "mark": lambda value: isinstance(value, str) and (not value or MARK.fullmatch(value) is not None),
}
"""Functions that check whether `create_function` can have written a value of a record."""


def is_own(there: str, mark: str) -> bool:
    """Whether a function, of which the engine says `there`, was made with the mark. Without one it is anyone's."""
    return bool(mark) and mark in there


def check_schema(connector: Connector, session: Any, name: TableName, trust_schema: bool) -> None:
    """Raise SourceError if others could put a function of that name before the one that is to be made."""
    query = connector.dialect.creators_query(name)
    if query is None:
        if trust_schema:
            raise ParameterError(f"trust_schema = True is for PostgreSQL: for {connector.dialect.name}, leave it out")
        return
    for found, owner in connector.rows(session, connector.dialect.overloads_query(name)):
        raise SourceError(
            f"the function {found} belongs to role {owner}, and a call of {name_of(name)} could run it: drop it, or "
            "choose another name"
        )
    for schema, others, trusted in connector.rows(session, query):
        place = connector.dialect.quote(str(schema))
        words = (
            f"others may create objects in schema {place} ({others}), and so functions that run in place of this one"
        )
        if not trust_schema and not trusted:
            raise SourceError(
                f"{words}: name a schema of your own, REVOKE CREATE ON SCHEMA {place} FROM {others}, or, if you trust "
                "them, pass trust_schema=True"
            )
        warn(words)


def _create_new(connector: Connector, session: Any, name: TableName, text: str) -> None:
    """Create a function, where the engine itself refuses the name of an existing one."""
    try:
        connector.execute(session, f"CREATE{text.removeprefix('CREATE OR REPLACE')}")
    except StatementError as error:
        if _EXISTS.search(error.words):
            raise _taken(name) from error
        raise


def _taken(name: TableName) -> ParameterError:
    return ParameterError(
        f"a function {name_of(name)} exists already, and sqlrp.create_function did not make it: it is never replaced; "
        "choose another name"
    )


def _made(catalogue: Catalogue, name: TableName, there: str) -> str:
    """The fingerprint of the projection of a function that `create_function` made; empty for any other.

    `there`: what the engine says about the function; empty if it is not there, or the engine cannot tell.
    """
    row = catalogue.find(NAMED, name_of(name))
    try:
        projection, mark = (None, "") if row is None else read(row)
    except SourceError:  # sqlrp.check names it
        return ""
    return projection.fingerprint if projection is not None and (not there or is_own(there, mark)) else ""
