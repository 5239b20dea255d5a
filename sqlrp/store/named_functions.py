"""Functions with a name of the user's: one scalar function of the database that projects an array of features."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlrp.connectors.base import Connector
from sqlrp.core.errors import (
    ParameterError,
    SourceError,
    StatementError,
    nearest,
    shorten,
)
from sqlrp.core.options import Nulls, Options
from sqlrp.core.sources import TableName
from sqlrp.engines import connector_of
from sqlrp.projections import method_of
from sqlrp.projections.base import Projection, checked
from sqlrp.run.bind import engine_asked
from sqlrp.run.functions import OWN, Returns, statement
from sqlrp.store.catalogue import CATALOGUE, at, find, names, put, readable, warn_of, writing
from sqlrp.store.records import name_of

KIND = "named function"
"""The kind of the rows of the catalogue that record such functions."""
_EXISTS = re.compile("already.?exists", re.IGNORECASE)
"""What BigQuery, Snowflake, Databricks and Trino say of a function that is there."""
_MARK = re.compile(rf"{re.escape(OWN)}(\w+)")


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
) -> None:
    """Create a scalar SQL function that projects an array of features to an array of k components.

    `SELECT id, docs_rp(embedding) FROM docs` projects a table, and `docs_rp([…])` in the same statement projects the
    vector of a query. The function is plain SQL and stays in the database: a DuckDB macro, an immutable and
    parallel-safe function of PostgreSQL, or a function of ClickHouse, Spark, Databricks, BigQuery, Snowflake or Trino.
    Features and components are doubles. A NULL array gives NULL; an array of another length fails. `returns` "vector"
    makes the function return the type that the engine's vector search takes, as in `sqlrp.project`. In ClickHouse a
    function cannot stand in ORDER BY: sort by the name of a column of a subquery.

    `name` is the function's name, in the same form as a table's. `n_features`: the length of the arrays; leave it out
    for a projection that is fitted or bound to its features. An existing function is kept, unless `replace` is True and
    `create_function` made it. If a transaction is open on the connection, the call is part of it.

    Raises ParameterError for a name that is taken or a projection without a number of features, and UnsupportedError
    for an engine without such functions, or if the projection is not one SELECT there.

        >>> sqlrp.create_function(rp, con, "points_rp", n_features=3)
        >>> con.sql("SELECT points_rp([1, 2, 0]) AS z").fetchall()
        [((2.121320343559643, -0.7071067811865476),)]
    """
    projection, function = checked(projection), TableName.parse(name)
    method_of(projection).check_fitted()
    connector = connector_of(connection)
    text = statement(projection, connector.dialect, function, n_features, Options(returns, scale, nulls))
    with _writing(connector, connection) as session:
        made, finds = _made_from(connector, session, function), connector.dialect.finds_functions
        there = connector.function(session, function) if finds else made
        if there and not made:
            raise _taken(function)
        if there and made != projection.fingerprint and not replace:
            raise ParameterError(
                f"the function {name_of(function)} exists already with another projection: replace=True puts "
                f"{shorten(projection.name)} in its place"
            )
        if made or finds:
            connector.execute(session, text)
        else:
            _create_new(connector, session, function, text)
        if not connector.dialect.keeps_nothing:
            put(connector, session, KIND, name_of(function), projection.to_json(), projection.fingerprint)


def function_sql(
    projection: Projection,
    engine: Any,
    name: str,
    *,
    n_features: int | None = None,
    returns: Returns = "array",
    scale: bool = True,
    nulls: Nulls = "propagate",
) -> str:
    """Write the statement that `create_function` runs. `engine`: an engine, its name, or a connection.

    >>> sqlrp.function_sql(rp, "postgresql", "points_rp", n_features=3).split("(")[0]
    'CREATE OR REPLACE FUNCTION "points_rp"'
    """
    dialect, _ = engine_asked(engine)
    options = Options(returns, scale, nulls)
    return statement(checked(projection), dialect, TableName.parse(name), n_features, options)


def drop_function(connection: Any, name: str) -> None:
    """Drop a function that `create_function` made. Raises SourceError if it made none of that name.

    >>> sqlrp.create_function(rp, con, "points_rp", n_features=3)
    >>> sqlrp.drop_function(con, "points_rp")
    >>> sqlrp.created_functions(con)
    {}
    """
    connector, function = connector_of(connection), TableName.parse(name)
    with _writing(connector, connection) as session:
        if not _made_from(connector, session, function):
            known = [] if connector.dialect.keeps_nothing else list(map(str, names(connector, session, KIND)))
            raise SourceError(
                f"{name_of(function)} was not made by sqlrp.create_function{nearest(name_of(function), known)}"
                + (f": made were {shorten(known)}" if known else "")
            )
        connector.execute(session, connector.dialect.dropping_function(function))
        if not connector.dialect.keeps_nothing:
            connector.execute(session, f"DELETE FROM {CATALOGUE} WHERE {at(connector, KIND, name_of(function))}")


def created_functions(connection: Any) -> dict[str, Projection]:
    """The projections of the functions that `create_function` made, by name. A warning names unreadable rows.

    Raises UnsupportedError on Spark, which has no catalogue: `SHOW USER FUNCTIONS` lists them there.

        >>> sqlrp.create_function(rp, con, "points_rp", n_features=3)
        >>> sqlrp.created_functions(con)
        {'points_rp': SparseProjection(k=2, s=1, seed=7)}
    """
    found, wrong = readable(connection, KIND)
    warn_of("functions", wrong)
    return found


@contextmanager
def _writing(connector: Connector, connection: Any) -> Iterator[Any]:
    """A session that writes the function and its record together, if the engine has a catalogue."""
    if connector.dialect.keeps_nothing:
        with connector.session(connection) as session:
            yield session
        return
    with connector.alone(), writing(connector, connection, CATALOGUE, makes=False) as session:
        yield session


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


def _made_from(connector: Connector, session: Any, name: TableName) -> str:
    """The fingerprint of the projection of a function that `create_function` made; empty for any other."""
    if connector.dialect.keeps_nothing:
        mark = _MARK.search(connector.function(session, name))
        return mark[1] if mark else ""
    row = find(connector, session, KIND, name_of(name))
    return "" if row is None else str(row.fingerprint)
