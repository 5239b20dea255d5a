"""Functions inside a database: `install` runs `sql/duckdb.sql` or `sql/postgresql.sql`, which are plain SQL."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import fields
from typing import Any

from sqlrp._connectors.foresight import foreseen
from sqlrp._core import shipped_files
from sqlrp._core.errors import ParameterError, SourceError, UnsupportedError
from sqlrp._core.sources import Array, Long, Source, Wide
from sqlrp._core.version import VERSION
from sqlrp._engines.registry import connector_of
from sqlrp._projections import FUNCTIONS
from sqlrp._projections.projection import Projection
from sqlrp._store import functions_postgresql, installed, plans
from sqlrp._store.table import CATALOGUE, TABLE, Catalogue, writing

INSTALLS = ("duckdb", "postgresql")
"""The engines that have functions of `install`."""

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
    "dtype": "'auto'",
}
"""The arguments of every table function besides the parameters of its method, with their defaults."""


@foreseen
def install(connection: Any, schema: str | None = None, *, trust_schema: bool = False) -> None:
    """Install a function for every method that the database can run, in its current schema or in `schema`.

    DuckDB: runs `sql/duckdb.sql` in the connection's current database and schema. The functions are plain SQL that is
    stored there. A view that calls them works in every later session: in a shell, in another language, read-only.
    A wheel has them as a file of DuckDB too, which is copied into the schema main in a tenth of a second.
    If DuckDB's extension sqlrp is at hand (`make extension`, or INSTALL), and the connection takes it
    (`allow_unsigned_extensions` for a file that was built), it is loaded: the functions then run in native code, with
    the same numbers. Functions of DuckDB cannot warn: `SELECT rp_project_sql('points')` names the columns that a call
    reads, and `sqlrp.explain` says which it leaves out, and whether k is too large.
    DuckDB's EXPORT DATABASE may write functions in the order of their names, and IMPORT DATABASE then finds none that
    they call: `uninstall` before, and `install` after. A function of `create_search` names its database: import it into
    one of the same name, or drop it before.
    PostgreSQL: runs `sql/postgresql.sql`. Its functions draw and write SQL in the server and need no Python afterwards.
    They warn as Python does. A source is a name: PostgreSQL calls a query in its place "invalid name syntax", so make a
    view of it.
    A schema where other roles may create objects is refused, as they could run code with the rights of the users who
    call the functions (SECURITY.md). `trust_schema` True installs there nevertheless, with a warning.

    The call can be repeated: in DuckDB it writes nothing if no function was changed. In an explicit transaction, the
    installation is part of it. A function of the same name that sqlrp did not make is never replaced.
    Raises ParameterError if `connection` is not a connection or such a function is there, UnsupportedError for an
    engine without functions, and StatementError if the database refuses (for example because it is read-only).

        >>> sqlrp.install(con)
        >>> con.sql("FROM rp_project('points', k := 2, s := 1, seed := 7) LIMIT 2").fetchall()
        [(1, 0.7071067811865476, -0.7071067811865476), (2, 1.4142135623730951, -1.4142135623730951)]
    """
    if _in_postgresql(connection):
        functions_postgresql.install(connection, schema, trust_schema)
        return
    _check(schema)
    if trust_schema:
        raise ParameterError("trust_schema = True is for PostgreSQL: in DuckDB, leave it out")
    connector, text = connector_of(connection), shipped_files.text_of("duckdb.sql")
    named = {f: f"'{cls.__name__}'" for f, cls in FUNCTIONS.items()} | {"project_with": "NULL"}
    # The file whose macros are copied is detached when all is done: DuckDB detaches none that a transaction reads.
    with (
        connector.alone(connection),
        ExitStack() as after,
        writing(connector, connection, CATALOGUE, makes=True) as catalogue,
    ):
        session = catalogue.session
        saved = catalogue.rows("projection")
        there = plans.made(connector, session) if saved else set()
        loads = connector.may_load_kernel(session)
        catalogue.make_late()
        statements = []
        if not installed.is_there(catalogue, text, named):
            copy = after.enter_context(connector.attached(connection, shipped_files.copy_of(text)))
            statements = installed.making(catalogue, text, copy)
            mark = installed.marking_query(catalogue, text)
            values = ", ".join(f"('function', '{function}', {name}, '{VERSION}')" for function, name in named.items())
            listed = f"{catalogue.table} (kind, name, definition, version, fingerprint)"
            statements.append(f"INSERT OR REPLACE INTO {listed} SELECT *, {mark} FROM (VALUES {values}) listed")
        for row in saved:
            with suppress(SourceError):  # sqlrp.check names the rows that cannot be read
                name, projection = str(row.name), row.read()
                if not plans.is_made(connector.dialect, name, projection, there):
                    statements += plans.saving(connector.dialect, name, projection)
        if statements:
            connector.execute_all(session, statements)
    if loads:
        connector.load_kernel(connection)


@foreseen
def uninstall(connection: Any, schema: str | None = None) -> None:
    """Remove the functions of `install` from the current schema, or from `schema`; those of other schemas stay.

    Views in DuckDB that call them stay, and fail until `install` runs again. Functions that sqlrp did not make stay.
    If there are saved projections or records of materialized tables, they and the catalogue stay, even if unreadable.
    If anything fails, nothing is removed. The call can be repeated.

        >>> sqlrp.install(con)
        >>> sqlrp.uninstall(con)
        >>> con.sql("FROM duckdb_functions()").filter("function_name = 'rp_project'").fetchall()
        []
    """
    if _in_postgresql(connection):
        functions_postgresql.uninstall(connection, schema)
        return
    _check(schema)
    connector = connector_of(connection)
    connector.check_writable(connection, TABLE)
    with connector.alone(connection), connector.transaction(connection, CATALOGUE, makes=True) as session:
        catalogue = Catalogue.looked_up(connector, session)
        there = installed.macros_there(catalogue, installed.macros(shipped_files.text_of("duckdb.sql")))
        connector.execute_all(session, installed.dropping(catalogue, (macro for macro in there if macro.own)))
        catalogue.without_functions()


def _in_postgresql(connection: Any) -> bool:
    """Whether the database is PostgreSQL rather than DuckDB; raises UnsupportedError for other engines."""
    name = connector_of(connection).dialect.name
    if name not in INSTALLS:
        raise UnsupportedError(
            f"{name} has no functions of sqlrp: run sqlrp.project, or make a view of the text of sqlrp.sql"
        )
    return name == "postgresql"


def _check(schema: str | None) -> None:
    if schema is not None:
        raise ParameterError(f"schema = {schema!r} is for PostgreSQL: in DuckDB, USE the schema first")


def parameters(cls: type[Projection]) -> dict[str, str]:
    """The arguments of a method's own function, with their defaults as SQL."""
    own = {f.name: f.default for f in fields(cls) if f.name != "bound_to"}
    return {name: _default(value) for name, value in (own | dict(cls.arguments)).items()}


def _default(value: object) -> str:
    if value is None:
        return "NULL"
    return f"'{value}'" if isinstance(value, str) else str(value).lower()


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
