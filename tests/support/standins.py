"""Stand-ins for warehouses: the true SQLAlchemy dialect of each, over a DBAPI whose statements run elsewhere.

sqlglot translates the statements of Snowflake, BigQuery, Databricks and Trino to DuckDB's. Those of Redshift run in
PostgreSQL by psycopg2, where SUPER is jsonb. What a dialect asks about tables is answered in the warehouse's own types.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import duckdb
import pyarrow as pa
import sqlalchemy as sa
from databases import server
from helpers import AT
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.mssql.base import MSDialect
from sqlalchemy.dialects.oracle.base import OracleDialect
from sqlalchemy.pool import NullPool
from taking_part import need
from translating import macro, table_macro, translated

import sqlrp
from sqlrp._engines.registry import ENGINES

DATABASES = ("sqlserver", "oracle")
WAREHOUSES = ("snowflake", "bigquery", "redshift", "databricks", "trino", *DATABASES)
"""What the tests cannot reach."""
URLS = {
    "snowflake": "snowflake://user:secret@account/shop/main",
    "bigquery": "bigquery://project/main?user_supplied_client=True",
    "databricks": "databricks://token:secret@host?http_path=path&catalog=shop&schema=main",
    "trino": "trino://user@host:8080/shop/main",
    "sqlserver": "mssql+standin://user:secret@host/shop",
    "oracle": "oracle+standin://user:secret@host/shop",
}
TYPES = {
    "snowflake": {
        "HUGEINT": "NUMBER(38,0)",
        "UBIGINT": "NUMBER(38,0)",
        "BIGINT": "NUMBER(38,0)",
        "DOUBLE": "FLOAT",
        "VARCHAR": "VARCHAR(16777216)",
        "BOOLEAN": "BOOLEAN",
    },
    "bigquery": {
        "UBIGINT": "INTEGER",
        "BIGINT": "INTEGER",
        "DOUBLE": "FLOAT",
        "VARCHAR": "STRING",
        "BOOLEAN": "BOOLEAN",
    },
    "databricks": {
        "UBIGINT": "bigint",
        "BIGINT": "bigint",
        "DOUBLE": "double",
        "FLOAT": "float",
        "VARCHAR": "string",
        "BOOLEAN": "boolean",
    },
    "trino": {
        "UBIGINT": "bigint",
        "BIGINT": "bigint",
        "DOUBLE": "double",
        "FLOAT": "real",
        "VARCHAR": "varchar",
        "BOOLEAN": "boolean",
    },
}
TYPES["sqlserver"] = {
    "BIGINT": "bigint",
    "INTEGER": "int",
    "DOUBLE": "float",
    "FLOAT": "real",
    "VARCHAR": "nvarchar",
    "BOOLEAN": "bit",
}
TYPES["oracle"] = {
    "HUGEINT": "NUMBER",
    "BIGINT": "NUMBER(19,0)",
    "INTEGER": "NUMBER(10,0)",
    "DOUBLE": "BINARY_DOUBLE",
    "FLOAT": "BINARY_FLOAT",
    "VARCHAR": "VARCHAR2",
    "BOOLEAN": "BOOLEAN",
}
"""The warehouse's names of DuckDB's types."""
ARRAYS = {"bigquery": "ARRAY<FLOAT64>", "databricks": "ARRAY<DOUBLE>", "trino": "ARRAY(DOUBLE)"}
ARRAYS |= {"snowflake": "ARRAY", "redshift": "SUPER"}
ARRAYS |= {"sqlserver": "VECTOR", "oracle": "VECTOR"}
"""The type of a column of embeddings."""


MACROS = (
    "conv(digits, base, other) AS CAST('0x' || digits AS BIGINT)",
    "from_base(digits, base) AS CAST('0x' || digits AS BIGINT)",
    "to_utf8(x) AS x",
    "get(list, place) AS list[place + 1]",
    "to_number_(digits) AS CAST(digits AS BIGINT), (digits, form) AS CAST('0x' || digits AS BIGINT)",
    "style_(x, style) AS CAST(x AS VARCHAR)",
    "hex_(x, style) AS x",
    "binary_(digits, style) AS CAST('0x' || digits AS BIGINT)",
    "json_text_(x, path) AS json_extract_string(x, path)",
    "md5_(x, kind) AS md5(coalesce(CAST(x AS VARCHAR), ''))",
    "utf8_(x, kind) AS x",
    "rawtohex(x) AS x",
    "sys_guid() AS CAST(random() AS VARCHAR)",
    "stuff(x, place, n, y) AS left(x, place - 1) || y || substr(x, place + n)",
    "datalength(x) AS octet_length(encode(x))",
    "newid() AS CAST(random() AS VARCHAR)",
    "to_clob(x) AS x",
    "from_vector(x) AS CAST(to_json(x) AS VARCHAR)",
    "to_vector_(x, size, bits) AS CAST(x AS DOUBLE[])",
)
"""Functions of the warehouses that DuckDB lacks."""


VIEW = re.compile(
    r"(?P<verb>CREATE|DROP|REFRESH|ALTER|CALL) (?:MATERIALIZED VIEW |DYNAMIC TABLE |BQ[.]REFRESH_MATERIALIZED_VIEW[(])"
    r"(?P<name>[`\"\w.']+)(?: REFRESH|[)])?(?:[^\n]* AS\n(?P<query>.*))?",
    re.DOTALL,
)
"""A statement about a materialized view or a dynamic table."""
FUNCTION = re.compile(
    r"(?P<make>CREATE(?: OR REPLACE)?) FUNCTION (?P<name>\S+)\((?P<argument>\w+) [^)]*?\)+(?: COPY GRANTS)? RETURNS .*?"
    r"(?: AS \((?P<bigquery>.*)\)| AS '(?P<snowflake>.*)'| RETURN (?P<other>.*))",
    re.DOTALL,
)
"""A statement that makes a function of one argument. Its body is an expression, or on Snowflake a query in a string."""


SEARCH = re.compile(
    r"CREATE (?:TABLE )?FUNCTION (?P<name>\S+)\(query (?P<arguments>[^\n]*)\)\n"
    r"(?:RETURNS TABLE [^\n]*\n)?(?:OPTIONS [^\n]* AS\n(?P<bigquery>.*)|COMMENT = [^\n]* AS '(?P<snowflake>.*)'"
    r"|RETURN (?P<other>.*))",
    re.DOTALL,
)
"""A statement that makes a function that searches: its body is a query, on Snowflake in a string."""


class Error(Exception):
    """The errors of the stand-ins."""


class NotSupportedError(Error):
    """A result that the driver does not pass as Arrow."""


class ProgrammingError(Error):
    """A missing table, with the number that Snowflake's driver gives it."""

    errno = 2003


class Cursor:
    """A cursor of PEP 249."""

    arraysize, rowcount = 1, -1

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.description: list[tuple[Any, ...]] | None = None
        self.found: list[tuple[Any, ...]] = []

    def execute(self, sql: str, parameters: Any = None, **_: Any) -> Cursor:
        self.connection.statements.append(sql)
        try:
            self._run(sql.strip().rstrip(";"), parameters)
        except duckdb.Error as error:
            raise Error(str(error)) from error
        return self

    def _run(self, sql: str, parameters: Any) -> None:
        name, con = self.connection.name, self.connection.con
        asked = re.match(r"DESC(?:RIBE)? (?:TABLE )?(?:/\*.*?\*/ )?(?:TABLE )?(\S+?)(?: type ?=.*)?$", sql, re.I | re.S)
        if asked:
            self._describe(re.split(r"[.]", re.sub('[`"]', "", asked[1]))[-1])
        elif sql.startswith("SHOW"):
            self._show(sql)
        elif made := SEARCH.fullmatch(sql):
            con.execute(table_macro(name, made))
        elif dropped := re.fullmatch(r"DROP (?:TABLE )?FUNCTION (\S*near\S*?)(?:\(.*\))?", sql):
            con.execute("DROP MACRO TABLE " + dropped[1].replace("`", '"'))
        elif made := FUNCTION.fullmatch(sql):
            con.execute(macro(name, made))
        elif dropped := re.fullmatch(r"DROP FUNCTION (\S+?)(?:\(.*\))?", sql):
            con.execute("DROP MACRO " + dropped[1].replace("`", '"'))
        elif found := VIEW.fullmatch(sql):
            self._view(*found.group("verb", "name", "query"))
        elif renamed := re.fullmatch(r"EXEC sp_rename '(.*)', '(.*)'", sql):
            con.execute(f'ALTER TABLE {translated(name, renamed[1])} RENAME TO "{renamed[2]}"')
        elif dropped := re.match(r"BEGIN EXECUTE IMMEDIATE 'DROP TABLE (\S+)'; EXCEPTION", sql):
            con.execute(f"DROP TABLE IF EXISTS {translated(name, dropped[1])}")
        elif "CURRENT_VERSION" in sql.upper():
            self._answer(["version"], [("9.1.0",)])
        elif asked := re.search(
            r"FROM (?:INFORMATION_SCHEMA.COLUMNS|all_tab_columns) .*table_name = '(.*)'", sql, re.I
        ):
            columns = self.connection.columns(asked[1])
            self._answer(["name", "type", "nullable"], [(c, kind, "YES") for c, kind in columns])
        elif "information_schema" in sql:
            self._look_up(sql, list(parameters.values() if isinstance(parameters, dict) else parameters or []))
        else:
            result = con.execute(translated(name, sql))
            self.found = [tuple(self._value(value) for value in row) for row in result.fetchall()]
            upper = name in ("snowflake", "oracle")
            self.description = [
                (d[0].upper() if upper else d[0], d[1], None, None, None, None, None) for d in result.description or []
            ]

    def _value(self, value: Any) -> Any:
        """An ARRAY of Snowflake and a VECTOR of SQL Server arrive as text."""
        if self.connection.name in ("snowflake", "sqlserver") and isinstance(value, (list, tuple)):
            return json.dumps(list(value), indent=2)
        return list(value) if isinstance(value, tuple) else value

    def _view(self, verb: str, name: str, query: str | None) -> None:
        """Make, drop or refresh a materialized view, which is a table here that remembers its query."""
        views, own = self.connection.views, re.sub("[`\"']", "", name).split(".")[-1]
        if query:
            views[own] = translated(self.connection.name, query)
        elif own not in views:
            raise ProgrammingError(f"{own} is no materialized view")
        text = views.pop(own) if verb == "DROP" else views[own]
        make = "CREATE TABLE" if verb == "CREATE" else "CREATE OR REPLACE TABLE"
        self.connection.con.execute(f'DROP TABLE "{own}"' if verb == "DROP" else f'{make} "{own}" AS {text}')

    def _describe(self, table: str) -> None:
        name = self.connection.name
        columns = self.connection.columns(table)
        if not columns:
            raise ProgrammingError(f"[TABLE_OR_VIEW_NOT_FOUND] The table or view {table} does not exist")
        if name == "databricks":
            self._answer(["col_name", "data_type", "comment"], [(c, kind, None) for c, kind in columns])
            return
        names = ["name", "type", "kind", "null?", "default", "primary key", "unique key", "check", "expression"]
        names += ["comment", "policy name", "privacy domain", "schema_evolution_record"]
        rows = [(c.upper(), kind, "COLUMN", "Y", None, "N", "N", *[None] * 6) for c, kind in columns]
        self._answer(names, rows)

    def _show(self, sql: str) -> None:
        """SHOW TABLES and SHOW VIEWS of Snowflake and Databricks."""
        names = [] if "VIEWS" in sql else self.connection.tables()
        if self.connection.name == "databricks":
            self._answer(["database", "tableName" if "TABLES" in sql else "viewName"], [("main", n) for n in names])
        else:
            self._answer(["created_on", "name", "kind"], [(None, n.upper(), "TABLE") for n in names])

    def _look_up(self, sql: str, parameters: list[Any]) -> None:
        if "base table" in sql.lower():
            self._answer(["table_name"], [(n,) for n in self.connection.tables()])
            return
        columns = self.connection.columns(parameters[-1])
        if '"tables"' in sql:
            self._answer(["table_name"], [(parameters[-1],)] if columns else [])
            return
        names = ["column_name", "data_type", "column_default", "is_nullable", "comment"]
        self._answer(names, [(c, kind, None, "YES", None) for c, kind in columns])

    def _answer(self, names: list[str], rows: list[tuple[Any, ...]]) -> None:
        self.description = [(name, None, None, None, None, None, None) for name in names]
        self.found = rows

    @property
    def told(self) -> bool:
        """Whether the rows are an answer about tables."""
        return not self.description or self.description[0][1] is None

    def arrow(self, size: int) -> Iterator[pa.Table]:
        """The rows that are left, in tables."""
        names = [d[0] for d in self.description or []]
        while rows := self.fetchmany(size):
            self.connection.arrow_rows.append(len(rows))
            columns = [pa.array(values) for values in zip(*rows, strict=True)]
            if self.connection.name == "snowflake":  # the fewest bits for the values of a batch
                few = [c.type == pa.int64() and max(c.to_pylist()) < 128 for c in columns]
                columns = [c.cast(pa.int8()) if small else c for c, small in zip(columns, few, strict=True)]
            yield pa.table(columns, names=names)

    def fetchone(self) -> Any:
        return self.found.pop(0) if self.found else None

    def fetchmany(self, size: int = 1) -> list[Any]:
        part, self.found = self.found[:size], self.found[size:]
        return part

    def fetchall(self) -> list[Any]:
        part, self.found = self.found, []
        return part

    def close(self) -> None:
        self.found = []


class SnowflakeCursor(Cursor):
    """Arrow in batches, but not of what the server sends as JSON: the answers about tables."""

    def fetch_arrow_batches(self) -> Iterator[pa.Table]:
        if self.told:
            raise NotSupportedError("the result is no Arrow")
        yield from self.arrow(3)


class DatabricksCursor(Cursor):
    def fetchmany_arrow(self, size: int) -> pa.Table:
        return next(self.arrow(size), pa.table({}))


class BigQueryCursor(Cursor):
    @property
    def query_job(self) -> Any:
        batches = [batch for table in self.arrow(3) for batch in table.to_batches()]
        return SimpleNamespace(result=lambda: SimpleNamespace(to_arrow_iterable=lambda: iter(batches)))


CURSORS = {"snowflake": SnowflakeCursor, "databricks": DatabricksCursor, "bigquery": BigQueryCursor}


class Connection:
    """A connection of PEP 249, with what the dialects read of their own drivers' connections."""

    catalog, schema, transaction = "shop", "main", None

    def __init__(
        self,
        name: str,
        con: duckdb.DuckDBPyConnection,
        statements: list[str],
        views: dict[str, str],
        arrow_rows: list[int],
    ) -> None:
        self.name, self.con, self.statements, self.views = name, con, statements, views
        self.arrow_rows = arrow_rows
        dataset = SimpleNamespace(dataset_id="main", reference="main")
        self._client = SimpleNamespace(
            project="project",
            get_table=self._bigquery_table,
            list_datasets=lambda project: [dataset],
            list_tables=lambda reference, page_size: [
                SimpleNamespace(table_id=name, table_type="TABLE") for name in self.tables()
            ],
        )
        self.isolation_level = SimpleNamespace(name="AUTOCOMMIT")

    def cursor(self, *_: Any, **__: Any) -> Cursor:
        return CURSORS.get(self.name, Cursor)(self)

    def autocommit(self, on: bool) -> None: ...

    def commit(self) -> None: ...

    def rollback(self) -> None: ...

    def close(self) -> None: ...

    def tables(self) -> list[str]:
        return [name for (name,) in self.con.execute("SELECT table_name FROM duckdb_tables()").fetchall()]

    def columns(self, table: str) -> list[tuple[str, str]]:
        """The columns of a table with the warehouse's names of their types."""
        quoted = '"' + table.replace('"', '""') + '"'
        try:
            found = self.con.execute(f"DESCRIBE {quoted}").fetchall()
        except duckdb.CatalogException:
            return []
        return [(str(name), self._type(str(kind))) for name, kind, *_ in found]

    def _type(self, kind: str) -> str:
        array = re.fullmatch(r"(\w+)\[(\d*)\]", kind)
        if not array:
            return TYPES[self.name][kind]
        if self.name in DATABASES:
            return "vector"
        if self.name == "snowflake":
            return f"VECTOR(FLOAT, {array[2]})" if array[1] == "FLOAT" else "ARRAY"
        if self.name == "bigquery":
            return f"[]{TYPES[self.name][array[1]]}"
        inner = TYPES[self.name][array[1]]
        return f"array({inner})" if self.name == "trino" else f"array<{inner}>"

    def _bigquery_table(self, reference: Any) -> Any:
        from google.api_core.exceptions import NotFound
        from google.cloud.bigquery import SchemaField, Table

        columns = self.columns(reference.table_id)
        if not columns:
            raise NotFound("not found")
        fields = [
            SchemaField(c, kind.removeprefix("[]"), mode="REPEATED" if kind.startswith("[]") else "NULLABLE")
            for c, kind in columns
        ]
        return Table(reference, schema=fields)


class SQLServerStandin(MSDialect):
    """SQLAlchemy's dialect of SQL Server, which asks the server nothing when it connects."""

    driver, supports_statement_cache = "standin", True

    def initialize(self, connection: Any) -> None:
        self.server_version_info, self.default_schema_name = (17,), "dbo"

    def get_table_names(self, connection: sa.Connection, schema: str | None = None, **_: Any) -> list[str]:
        return connection.connection.driver_connection.tables()  # type: ignore[no-any-return, union-attr]


class OracleStandin(OracleDialect):
    """The same of Oracle."""

    driver, supports_statement_cache = "standin", True

    def initialize(self, connection: Any) -> None:
        self.server_version_info, self.default_schema_name = (23,), "main"

    get_table_names = SQLServerStandin.get_table_names


for _name, _dialect in (("mssql.standin", SQLServerStandin), ("oracle.standin", OracleStandin)):
    registry.register(_name, __name__, _dialect.__name__)


class Warehouse:
    """An engine of SQLAlchemy with the true dialect, and what its statements run in."""

    def __init__(
        self, name: str, engine: sa.Engine, statements: list[str], con: Any = None, arrow_rows: Any = ()
    ) -> None:
        self.name, self.engine, self.statements, self.con = name, engine, statements, con
        self.arrow_rows = arrow_rows
        """the numbers of rows of the batches that were fetched as Arrow"""

    def run(self, sql: str) -> None:
        with self.engine.begin() as connection:
            connection.exec_driver_sql(sql)

    def make(self, table: str, layout: str, rows: Any) -> None:
        """A table of the rows, made by the warehouse's own text."""
        dialect, kind = ENGINES[self.name], ENGINES[self.name].type_name(sqlrp._core.numbers.DOUBLE)
        whole = dialect.type_name(sqlrp._core.numbers.Number("int", 63))
        if layout == "long":
            self.run(f"CREATE TABLE {table} (id {whole}, feature {whole}, value {kind})")
        elif layout == "array":
            self.run(f"CREATE TABLE {table} (id {whole}, x {ARRAYS[self.name]})")
        elif layout == "arrays":
            self.run(f"CREATE TABLE {table} (id {whole}, a {ARRAYS[self.name]}, b {ARRAYS[self.name]})")
        else:
            columns = ", ".join(f"f{j} {kind}" for j in range(len(rows[0])))
            self.run(f"CREATE TABLE {table} (id {whole}, {columns})")
        self.add(table, layout, rows)

    def add(self, table: str, layout: str, rows: Any, first: int = 0) -> None:
        """More rows, without the time that it takes to translate them."""
        list_of = ENGINES["redshift" if self.con is None else "duckdb"].list_of
        lines = []
        for i, row in enumerate(rows, first):
            if layout == "long":
                lines += [f"{i}, {j}, {v!r}" for j, v in enumerate(row) if v != 0 or j == 0]
            elif layout == "array":
                lines.append(f"{i}, {list_of([repr(float(v)) for v in row])}")
            elif layout == "arrays":
                parts = (list_of([repr(float(v)) for v in part]) for part in (row[:AT], row[AT:]))
                lines.append(f"{i}, {', '.join(parts)}")
            else:
                lines.append(f"{i}, {', '.join(map(repr, row))}")
        text = f"INSERT INTO {table} {' UNION ALL '.join(f'SELECT {line}' for line in lines)}"
        _ = self.run(text) if self.con is None else self.con.execute(text)


@contextmanager
def opened(name: str) -> Iterator[Warehouse]:
    """A warehouse without tables."""
    need(name)
    statements: list[str] = []
    views: dict[str, str] = {}
    arrow_rows: list[int] = []
    if name == "redshift":
        with _redshift(statements) as engine:
            yield Warehouse(name, engine, statements)
        return
    with duckdb.connect(config={"threads": "1"}) as con:
        con.execute("CREATE VIEW dual AS SELECT 'X' AS dummy")
        con.execute("SET lambda_syntax = 'ENABLE_SINGLE_ARROW'")  # which sqlglot writes
        for macro in MACROS:
            con.execute(f"CREATE MACRO {macro}")
        module = SimpleNamespace(
            paramstyle="qmark", apilevel="2.0", threadsafety=1, connect=None, version="0", __version__="9.9.9"
        )
        for error in ("Warning", "Error", "InterfaceError", "DatabaseError", "DataError", "OperationalError"):
            setattr(module, error, Error)
        module.ProgrammingError, module.NotSupportedError = ProgrammingError, NotSupportedError
        for error in ("IntegrityError", "InternalError"):
            setattr(module, error, type(error, (Error,), {}))
        made = sa.create_engine(
            URLS[name],
            module=module,
            creator=lambda: Connection(name, con, statements, views, arrow_rows),
            poolclass=NullPool,
        )
        yield Warehouse(name, made, statements, con, arrow_rows)
        made.dispose()


# -- Redshift in PostgreSQL --------------------------------------------------------------------------------


def as_postgresql(sql: str) -> str:
    """ARRAY(a, b), which makes a SUPER, as an array in jsonb."""
    parts, at = [], 0
    while (found := sql.find("ARRAY(", at)) >= 0:
        depth, end = 1, found + len("ARRAY(")
        while depth:
            depth += {"(": 1, ")": -1}.get(sql[end], 0)
            end += 1
        parts.append(f"{sql[at:found]}CAST(to_jsonb(ARRAY[{sql[found + len('ARRAY(') : end - 1]}]) AS super)")
        at = end
    return "".join(parts) + sql[at:]


@contextmanager
def _redshift(statements: list[str]) -> Iterator[sa.Engine]:
    import psycopg2.extensions

    class Translating(psycopg2.extensions.cursor):
        def execute(self, sql: Any, parameters: Any = None) -> Any:
            statements.append(str(sql))
            return super().execute(as_postgresql(sql) if isinstance(sql, str) else sql, parameters)

    schema = f"sqlrp_test_{uuid.uuid4().hex[:12]}"
    own = server("postgresql")
    url = own.set(drivername="redshift+psycopg2")
    arguments = {"sslmode": "disable", "options": f"-csearch_path={schema}", "cursor_factory": Translating}
    made = sa.create_engine(url, connect_args=arguments, poolclass=NullPool)
    first = sa.create_engine(own, isolation_level="AUTOCOMMIT")
    with first.connect() as connection:
        run = connection.exec_driver_sql
        run(f"CREATE SCHEMA {schema}")
        try:
            run(f"CREATE DOMAIN {schema}.super AS jsonb")
            kind = "CASE data_type WHEN 'jsonb' THEN 'super' ELSE data_type END AS data_type"
            columns = f"table_schema, table_name, column_name, ordinal_position, is_nullable, {kind}"
            run(
                f"CREATE VIEW {schema}.svv_columns AS SELECT {columns} FROM information_schema.columns UNION ALL "
                "SELECT nspname, relname, attname, attnum, 'YES', CASE WHEN atttypid = 'jsonb'::regtype "
                "OR typname = 'super' THEN 'super' ELSE format_type(atttypid, NULL) END FROM pg_attribute "
                "JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace "
                "JOIN pg_type t ON t.oid = atttypid WHERE relkind = 'm' AND attnum > 0"
            )
            run(
                f"CREATE FUNCTION {schema}.get_array_length(x {schema}.super) RETURNS bigint LANGUAGE sql "
                "AS 'SELECT jsonb_array_length(x)'"
            )
            run(
                f"CREATE FUNCTION {schema}.array_concat(x jsonb, y jsonb) RETURNS jsonb LANGUAGE sql AS 'SELECT x || y'"
            )
            digits = "CAST(CAST('x' || lpad($1, 16, '0') AS bit(64)) AS bigint)"
            run(f"CREATE FUNCTION {schema}.strtol(text, integer) RETURNS bigint LANGUAGE sql AS $$SELECT {digits}$$")
            yield made
        finally:
            made.dispose()
            run(f"DROP SCHEMA {schema} CASCADE")
    first.dispose()
