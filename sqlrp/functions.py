"""Table functions inside DuckDB: `install` leaves macros whose text the planner writes.

A macro is one `query(…)` over a constant: a Python function, registered in the process, that turns the
macro's arguments and the columns of the source into SQL. The columns come from `json_serialize_plan`, which
binds in the caller's own transaction; so temporary tables and tables not committed yet are seen, and the
function itself needs no connection.
"""

from __future__ import annotations

import atexit
import json
import weakref
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from functools import lru_cache
from typing import Any

from duckdb import DuckDBPyConnection
from duckdb import Error as DuckDBError
from duckdb.func import FunctionNullHandling

from sqlrp.engines import ENGINES
from sqlrp.engines.duckdb import DuckDB
from sqlrp.errors import ParameterError, SourceError, SqlrpError, first_line
from sqlrp.frame import resolve
from sqlrp.layouts import Array, Long, Source, TableName, Wide
from sqlrp.lower.job import Job
from sqlrp.lower.planner import plan
from sqlrp.projections import REGISTRY, build
from sqlrp.projections.base import Projection

CATALOGUE = "sqlrp_catalogue"
"""The table that lists what is installed in a database."""

_SPECIAL = FunctionNullHandling.SPECIAL  # NULL reaches the function, which answers with an error
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
"""The arguments that every table function takes beside its method's own, with their defaults."""


def install(connection: Any) -> None:
    """Leave a table function for every method in the connection's current database and schema.

    Repeatable. The functions live in the database; the Python functions behind them in the process, so a
    database opened anew needs `install` once more before they run (or `sql/duckdb.sql`, which needs no Python).
    Within an explicit transaction, the installation is a part of it.
    Raises ParameterError for what is no DuckDB connection, StatementError where the database refuses (for
    example because it is read-only).
    """
    _check(connection)
    _register(connection)
    engine = ENGINES["duckdb"]
    for statement in _statements():
        engine.execute(connection, statement)


def uninstall(connection: Any) -> None:
    """Remove what `install` left; views that call the functions stay, and fail until it runs again. Repeatable."""
    _check(connection)
    engine = ENGINES["duckdb"]
    for cls in REGISTRY:
        engine.execute(connection, f"DROP MACRO TABLE IF EXISTS {cls.function}")
    engine.execute(connection, f"DROP MACRO IF EXISTS {_CHECKED}")
    engine.execute(connection, f"DROP TABLE IF EXISTS {CATALOGUE}")


def _check(connection: Any) -> None:
    if not isinstance(connection, DuckDBPyConnection):
        raise ParameterError(
            f"connection of type {type(connection).__name__} has no table functions of sqlrp: pass a duckdb connection"
        )


def _register(connection: DuckDBPyConnection) -> None:
    """Register the two Python functions, unless the process has them for this database already."""
    known = "SELECT count(*) FROM duckdb_functions() WHERE function_name = ? AND function_type = 'scalar'"
    registered: tuple[tuple[str, Callable[..., str], int], ...] = ((_TEXT, _text, 3), (_FROM, _from, 1))
    for name, function, arguments in registered:
        if connection.execute(known, [name]).fetchall() == [(0,)]:
            connection.create_function(name, function, ["VARCHAR"] * arguments, "VARCHAR", null_handling=_SPECIAL)
            atexit.register(_forget, weakref.ref(connection), name)


def _forget(connection: weakref.ref[DuckDBPyConnection], name: str) -> None:
    """Take a function off a connection still open as the process ends: DuckDB's binding reports it as leaked."""
    alive = connection()
    if alive is not None:
        try:
            alive.remove_function(name)
        except DuckDBError:  # closed, or removed with its transaction
            return


def _statements() -> Iterator[str]:
    from sqlrp import __version__

    # A value used twice in a macro is computed twice, hence the lambda.
    yield (
        f"CREATE OR REPLACE MACRO {_CHECKED}(answer) AS list_transform([answer], "
        "lambda a: CASE WHEN a[1] = '!' THEN error(a[2:]) ELSE a END)[1]"
    )
    yield (
        f"CREATE TABLE IF NOT EXISTS {CATALOGUE} (kind VARCHAR NOT NULL, name VARCHAR NOT NULL, "
        "definition VARCHAR, fingerprint VARCHAR, version VARCHAR, PRIMARY KEY (kind, name))"
    )
    for cls in REGISTRY:
        yield macro(cls)
        row = f"'function', '{cls.function}', '{cls.__name__}', NULL, '{__version__}'"
        yield f"INSERT OR REPLACE INTO {CATALOGUE} VALUES ({row})"


def macro(cls: type[Projection]) -> str:
    """The statement that creates a method's table function."""
    own = {f.name: _default(f.default) for f in fields(cls) if f.default is not MISSING}
    arguments = own | COMMON
    request = ", ".join(
        [f"'projection': '{cls.__name__}'", "'source': source", *(f"'{name}': {name}" for name in arguments)]
    )
    source = f"{_CHECKED}({_FROM}(source))"
    parameters = ", ".join(["source", *(f"{n} := {d}" for n, d in arguments.items())])
    return (
        f"CREATE OR REPLACE MACRO {cls.function}({parameters}) AS TABLE "
        f"FROM query({_CHECKED}({_TEXT}(CAST(to_json({{{request}}}) AS VARCHAR), "
        f"CAST(json_serialize_plan('DESCRIBE SELECT * FROM ' || {source}) AS VARCHAR), "
        f"CAST(json_serialize_plan('SELECT count(*) FROM ' || {source}, optimize := true) AS VARCHAR))))"
    )


def _default(value: object) -> str:
    if value is None:
        return "NULL"
    return f"'{value}'" if isinstance(value, str) else str(value).lower()


# -- what runs while a statement is bound --------------------------------------------------------


def _from(source: str | None) -> str:
    """The source as it stands after FROM; an error behind an exclamation mark."""
    try:
        if source is None:
            raise SourceError("table name NULL is empty: name a table, a view or a file")
        return ENGINES["duckdb"].table(TableName.parse(source))
    except SqlrpError as error:
        return f"!{error}"


@lru_cache(maxsize=64)
def _text(request: str, described: str, counted: str) -> str:
    """The SQL of a call; an error behind an exclamation mark. Kept, as a view asks for it at every use."""
    try:
        return _answer(json.loads(request), json.loads(described), json.loads(counted))
    except SqlrpError as error:
        return f"!{error}"


def _answer(request: dict[str, Any], described: dict[str, Any], counted: dict[str, Any]) -> str:
    common = {name: request.pop(name) for name in COMMON}
    name = request.pop("source")
    projection = build(request.pop("projection"), request)
    engine = ENGINES["duckdb"]
    assert isinstance(engine, DuckDB)
    if described.get("error"):
        words = first_line(str(described.get("error_message")))
        raise SourceError(f"source {TableName.parse(name)} cannot be read: {words}")
    names, types, nulls = [[cell["value"] for cell in row] for row in _chunk(described)[:3]]
    columns = [engine.described(*row) for row in zip(names, types, nulls, strict=True)]
    frame = resolve(as_asked(name, common), columns, engine, common["n_features"], _count(counted))
    job = Job(projection, frame, engine, common["output"], _flag("scale", common["scale"]), common["nulls"])
    return plan(job, common["lowering"], single_statement=True).script().text


def _chunk(described: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The rows that DESCRIBE would give, one list a column."""
    values: list[list[dict[str, Any]]] = described["plans"][0]["children"][0]["collection"]["values"]
    return values


def _count(counted: dict[str, Any]) -> int | None:
    """The row count, where the optimizer answers it from metadata."""
    try:
        return int(counted["plans"][0]["children"][0]["expressions"][0][0]["value"]["value"])
    except (KeyError, IndexError, TypeError, ValueError):
        return None


def as_asked(name: str, common: dict[str, Any]) -> Source:
    """The source that a call's arguments describe."""
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
