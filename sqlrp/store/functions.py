"""Functions inside a database: in DuckDB macros whose text the planner writes, in PostgreSQL `sql/postgresql.sql`.

A macro is one `query(…)` over a constant. A Python function, registered in the process, computes the constant: it
turns the macro's arguments and the columns of the source into SQL. The columns come from `json_serialize_plan`, which
runs in the caller's transaction. So the macro sees temporary tables and tables that are not committed yet, and the
function itself needs no connection.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from functools import lru_cache
from typing import Any

from duckdb import DuckDBPyConnection

from sqlrp.connectors.base import Signature
from sqlrp.connectors.duckdb import DuckDBConnector
from sqlrp.core.errors import ParameterError, SourceError, SqlrpError, UnsupportedError, one_line
from sqlrp.core.options import Options
from sqlrp.core.sources import Array, Long, Source, TableName, Wide
from sqlrp.core.version import VERSION
from sqlrp.dialects.duckdb import SAVED
from sqlrp.engines import CONNECTORS, ENGINES, connector_of
from sqlrp.lowering import compiled
from sqlrp.lowering.job import Job
from sqlrp.lowering.planner import plan
from sqlrp.projections import BY_NAME, FUNCTIONS, build
from sqlrp.projections.base import Projection
from sqlrp.run.bind import resolve
from sqlrp.store import functions_postgresql, stored
from sqlrp.store.catalogue import CATALOGUE, is_there, writing

_TEXT, _FROM, _CHECKED = "sqlrp_text", "sqlrp_from", "sqlrp_checked"

COMMON: dict[str, str] = {
    "key": "'id'",
    "keep": "[]",
    "features": "[]",
    "array_column": "NULL",
    "feature": "NULL",
    "value": "NULL",
    "n_features": "NULL",
    "output": "'columns'",
    "scale": "true",
    "nulls": "'propagate'",
    "lowering": "'auto'",
}
"""The arguments of every table function besides the parameters of its method, with their defaults."""


def install(connection: Any, schema: str | None = None, *, trust_schema: bool = False) -> None:
    """Install a function for every method that the database can run, in its current schema or in `schema`.

    DuckDB: installs table functions for all methods, in the connection's current database and schema. The macros are
    stored in the database, but the Python functions behind them are registered in the process. So call `install` again
    after opening the database (or use `sql/duckdb.sql`, which needs no Python).
    PostgreSQL: runs `sql/postgresql.sql`. Its functions draw and write SQL in the server and need no Python afterwards.
    A schema where other roles may create objects is refused, as they could run code with the rights of the users who
    call the functions (SECURITY.md). `trust_schema` True installs there nevertheless, with a warning.

    The call can be repeated. In an explicit transaction, the installation is part of it.
    Raises ParameterError if `connection` is not a connection, UnsupportedError for an engine without functions, and
    StatementError if the database refuses (for example because it is read-only).
    """
    if _in_postgresql(connection):
        functions_postgresql.install(connection, schema, trust_schema)
        return
    _check(schema)
    if trust_schema:
        raise ParameterError("trust_schema = True is for PostgreSQL: in DuckDB, leave it out")
    connector = CONNECTORS["duckdb"]
    with connector.alone():
        _register(connection)
        with writing(connector, connection, CATALOGUE, makes=True) as session:
            for statement in _statements():
                connector.execute(session, statement)


def uninstall(connection: Any, schema: str | None = None) -> None:
    """Remove the functions of `install`. Views in DuckDB that call them stay, and fail until it runs again.

    If there are saved projections or records of materialized tables, they and the catalogue stay, even if unreadable.
    If anything fails, nothing is removed. The call can be repeated.
    """
    if _in_postgresql(connection):
        functions_postgresql.uninstall(connection, schema)
        return
    _check(schema)
    connector = CONNECTORS["duckdb"]
    with connector.alone(), connector.transaction(connection, CATALOGUE, makes=True) as session:
        for function in (*FUNCTIONS, "project_with"):
            connector.execute(session, f"DROP MACRO TABLE IF EXISTS {function}")
        connector.execute(session, f"DROP MACRO IF EXISTS {_CHECKED}")
        if not is_there(connector, session):
            return
        kept = f"SELECT 1 FROM {CATALOGUE} WHERE kind NOT IN ('function', 'format') LIMIT 1"
        if connector.fetch(session, kept).num_rows:
            connector.execute(session, f"DELETE FROM {CATALOGUE} WHERE kind = 'function'")
        else:
            connector.execute(session, f"DROP TABLE {CATALOGUE}")


def _in_postgresql(connection: Any) -> bool:
    """Whether the database is PostgreSQL rather than DuckDB; raises UnsupportedError for other engines."""
    name = connector_of(connection).dialect.name
    if name not in ("duckdb", "postgresql"):
        raise UnsupportedError(
            f"{name} has no functions of sqlrp: run sqlrp.project, or make a view of the text of sqlrp.sql"
        )
    return name == "postgresql"


def _check(schema: str | None) -> None:
    if schema is not None:
        raise ParameterError(f"schema = {schema!r} is for PostgreSQL: in DuckDB, USE the schema first")


def _register(connection: DuckDBPyConnection) -> None:
    """Register the Python functions, unless the process has them for this database already."""
    connector = CONNECTORS["duckdb"]
    assert isinstance(connector, DuckDBConnector)
    registered: dict[str, Signature] = {
        _TEXT: (_text, ["VARCHAR"] * 4, "VARCHAR"),
        _FROM: (_from, ["VARCHAR"], "VARCHAR"),
    }
    connector.add_functions(connection, registered, arrow=False)
    compiled.register(connector, connection)


def _statements() -> Iterator[str]:
    # A macro computes a value again at every use, so a lambda binds it once.
    yield (
        f"CREATE OR REPLACE MACRO {_CHECKED}(answer) AS list_transform([answer], "
        "lambda a: CASE WHEN a[1] = '!' THEN error(a[2:]) ELSE a END)[1]"
    )
    listed = f"INSERT OR REPLACE INTO {CATALOGUE} (kind, name, definition, fingerprint, version)"
    for function, cls in FUNCTIONS.items():
        yield macro(function, cls)
        row = f"'function', '{function}', '{cls.__name__}', NULL, '{VERSION}'"
        yield f"{listed} VALUES ({row})"
    yield macro("project_with", None)
    yield f"{listed} VALUES ('function', 'project_with', NULL, NULL, '{VERSION}')"


def macro(function: str, cls: type[Projection] | None) -> str:
    """The statement that creates a method's table function, or the one that applies saved projections."""
    arguments = ({} if cls is None else parameters(cls)) | COMMON
    named = "" if cls is None else f"'projection': '{cls.__name__}', "
    given = ", ".join(["'source': source", *(f"'{name}': {name}" for name in arguments)])
    request = f"{{{named}{given}}}"
    saved_macro = f"""'SELECT "{SAVED}' || hex(projection) || '"()'"""
    source = f"{_CHECKED}({_FROM}(source))"
    texts = [f"CAST(to_json({request}) AS VARCHAR)", "NULL" if cls else _plan_of(saved_macro, True)]
    texts += [
        _plan_of(f"'DESCRIBE SELECT * FROM ' || {source}"),
        _plan_of(f"'SELECT count(*) FROM ' || {source}", True),
    ]
    signature = ", ".join(["source" if cls else "projection, source", *(f"{n} := {d}" for n, d in arguments.items())])
    return (
        f"CREATE OR REPLACE MACRO {function}({signature}) AS TABLE FROM query({_CHECKED}({_TEXT}({', '.join(texts)})))"
    )


def _plan_of(statement: str, optimize: bool = False) -> str:
    """An SQL expression for the plan of a statement, given as an expression. It runs in the caller's transaction."""
    return f"CAST(json_serialize_plan({statement}{', optimize := true' if optimize else ''}) AS VARCHAR)"


def parameters(cls: type[Projection]) -> dict[str, str]:
    """The arguments of a method's own function, with their defaults as SQL."""
    own = {f.name: f.default for f in fields(cls) if f.name != "bound_to"}
    return {name: _default(value) for name, value in (own | dict(cls.arguments)).items()}


def _default(value: object) -> str:
    if value is None:
        return "NULL"
    return f"'{value}'" if isinstance(value, str) else str(value).lower()


# -- functions that run while DuckDB binds a statement -------------------------------------------


def _from(source: str | None) -> str:
    """The source as SQL after FROM, or an exclamation mark and an error message."""
    try:
        if source is None:
            raise SourceError("table name NULL is empty: name a table, a view or a file")
        return ENGINES["duckdb"].table(TableName.parse(source))
    except SqlrpError as error:
        return f"!{error}"


@lru_cache(maxsize=64)
def _text(request: str, definition: str | None, described: str, counted: str) -> str:
    """The SQL of a call, or an exclamation mark and an error message. It is cached, as a view needs it at every use."""
    try:
        saved_plan = None if definition is None else json.loads(definition)
        return _answer(json.loads(request), saved_plan, json.loads(described), json.loads(counted))
    except SqlrpError as error:
        return f"!{error}"


def _answer(
    request: dict[str, Any], saved_plan: dict[str, Any] | None, described: dict[str, Any], counted: dict[str, Any]
) -> str:
    common = {name: request.pop(name) for name in COMMON}
    name = request.pop("source")
    scale = _flag("scale", common["scale"])
    options = Options(common["output"], scale, common["nulls"], common["lowering"])
    if saved_plan is None:
        cls = BY_NAME[request.pop("projection")]
        if cls.key_argument:
            common["key"] = request.pop(cls.key_argument) or common["key"]
        projection = build(*cls.of_call(request))
    else:
        projection = _loaded(saved_plan)
    dialect = ENGINES["duckdb"]
    if described.get("error"):
        words = one_line(str(described.get("error_message")))
        raise SourceError(f"source {TableName.parse(name)} cannot be read: {words}")
    names, types, nulls = [[cell["value"] for cell in row] for row in _chunk(described)[:3]]
    columns = [dialect.described(*row) for row in zip(names, types, nulls, strict=True)]
    frame = resolve(
        as_asked(name, common), columns, dialect, common["n_features"], _count(counted), bound_to=projection.bound_to
    )
    job = Job.of(projection, frame, dialect, options)
    script = plan(job, options.lowering, single_statement=True).script()
    compiled.remember(script.calls)  # the connection has the functions: `install` registered them
    return script.text


def _loaded(saved_plan: dict[str, Any]) -> Projection:
    """The projection whose definition is in the plan of its macro."""
    if saved_plan.get("error"):
        macro = str(saved_plan.get("name", ""))
        if not macro.startswith(SAVED):  # there is a macro, but `save` did not make it
            raise SourceError(f"the projection cannot be read: {one_line(str(saved_plan.get('error_message')))}")
        name = bytes.fromhex(macro.removeprefix(SAVED)).decode()
        raise SourceError(f"no projection {name!r} is saved here: sqlrp.save(projection, connection, {name!r})")
    try:
        text = saved_plan["plans"][0]["expressions"][0]["value"]["value"]
    except (KeyError, IndexError, TypeError) as error:
        raise ParameterError("projection = NULL must be the name of a saved projection") from error
    try:
        return stored.read_macro(text)
    except SourceError as error:
        raise SourceError(
            f"the projection that is saved here cannot be read: {error}; save it again with replace=True, or let "
            "sqlrp.check with repair=True mend it"
        ) from error


def _chunk(described: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The result of DESCRIBE, as one list per column."""
    values: list[list[dict[str, Any]]] = described["plans"][0]["children"][0]["collection"]["values"]
    return values


def _count(counted: dict[str, Any]) -> int | None:
    """The row count, if the optimizer finds it in the metadata."""
    try:
        return int(counted["plans"][0]["children"][0]["expressions"][0][0]["value"]["value"])
    except (KeyError, IndexError, TypeError, ValueError):
        return None


def as_asked(name: str, common: dict[str, Any]) -> Source:
    """The source described by the arguments of a call."""
    key, keep = common["key"], common["keep"] or ()
    if common["array_column"] is not None:
        return Array(name, common["array_column"], key, keep)
    if common["feature"] is not None or common["value"] is not None:
        if key is None:
            raise ParameterError("key = NULL does not name the rows of a long source: name its key column")
        return Long(name, key, common["feature"] or "feature", common["value"] or "value", common["n_features"])
    return Wide(name, key, common["features"] or None, keep)


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ParameterError(f"{name} = {value!r} must be true or false")
    return value
