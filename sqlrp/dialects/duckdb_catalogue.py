"""What a DuckDB database has: its tables, its functions, and the macros of saved projections."""

from __future__ import annotations

from collections.abc import Sequence

from sqlrp.core.sources import TableName
from sqlrp.dialects.base import Dialect

SAVED = "sqlrp_saved "
"""The prefix of the names of the macros of saved projections. The UTF-8 bytes of the projection's name follow in
hexadecimal digits, because DuckDB treats names that differ only in case as the same."""


class DuckDBCatalogue(Dialect):
    """The queries of what is there, and the statements that make and drop functions."""

    def saving(self, name: str, text: str) -> list[str]:
        """A macro that returns the text: `project_with` is bound before it could read a table."""
        return [f"CREATE OR REPLACE MACRO {self.quote(SAVED + name.encode().hex())}() AS {self.string(text)}"]

    def saved_query(self) -> str:
        """The macros of the current schema."""
        return (
            "SELECT DISTINCT function_name FROM duckdb_functions() WHERE database_name = current_database() "
            f"AND schema_name = current_schema() AND starts_with(function_name, {self.string(SAVED)})"
        )

    def saved_name(self, made: str) -> str | None:
        """The text that the hexadecimal digits of a macro's name stand for."""
        try:
            return bytes.fromhex(made.removeprefix(SAVED)).decode()
        except ValueError:
            return None

    def saved_text(self, made: str) -> str:
        """A call of the macro."""
        return f"SELECT {self.quote(made)}()"

    def functions_query(self, names: Sequence[str]) -> str:
        """The query of the scalar functions with these names. It takes milliseconds: ask for all at once."""
        return (
            "SELECT DISTINCT function_name FROM duckdb_functions() "
            f"WHERE function_name IN ({', '.join(map(self.string, names))}) AND function_type = 'scalar'"
        )

    def creating_function(self, name: TableName, body: str, returns: str, mark: str) -> str:
        """A macro. Its parameter has a name that no column of the body has, as it would stand for that column too."""
        return f"CREATE OR REPLACE MACRO {self.table(name)}({self.argument}) AS ({body})"

    def dropping_function(self, name: TableName) -> str:
        """DROP MACRO."""
        return f"DROP MACRO {self.table(name)}"

    def named_function_query(self, name: TableName) -> str:
        """The functions of the schema, and those that are built in."""
        built_in = f"internal AND lower(function_name) = lower({self.string(name.parts[-1])})"
        here = self._at(name, "database_name", "schema_name", "function_name")
        return (
            f"SELECT 1 FROM duckdb_functions() WHERE ({built_in} OR {here}) AND function_type <> 'table_macro' LIMIT 1"
        )

    def columns_query(self, name: TableName) -> str:
        """DESCRIBE."""
        return f"DESCRIBE SELECT * FROM {self.table(name)}"

    def exists_query(self, name: TableName) -> str:
        """information_schema: a DESCRIBE of a missing table breaks the transaction."""
        # A name has at most a catalogue, a schema and a table.
        at = self._at(name, "table_catalog", "table_schema", "table_name") if len(name.parts) <= 3 else "false"
        return f"SELECT 1 FROM information_schema.tables WHERE {at}"

    def _at(self, name: TableName, catalogue: str, schema: str, table: str) -> str:
        """The condition that the columns with these names name the table."""
        *path, last = map(self.string, name.parts)
        here = ["current_database()", "current_schema()"]
        # A single part before the table is a schema, or a catalogue whose schema is main.
        places = {0: [here], 1: [[here[0], *path], [*path, "'main'"]]}.get(len(path), [path])
        at = " OR ".join(f"(lower({catalogue}) = lower({c}) AND lower({schema}) = lower({s}))" for c, s in places)
        return f"lower({table}) = lower({last}) AND ({at})"

    def seen(self, name: TableName) -> str:
        """How a connection resolves names, its settings, the table of a name, and how many temporary ones hide it."""
        at, last = self._at(name, "database_name", "schema_name", "table_name"), self.string(name.parts[-1])
        # Only a connection made in an interactive shell shows progress.
        settings = "(SELECT list((name, value) ORDER BY name) FROM duckdb_settings() WHERE name NOT LIKE '%progress%')"
        tables = f"(SELECT list(table_oid) FROM duckdb_tables() WHERE {at} AND NOT temporary)"
        named = "SELECT table_name AS n, temporary FROM duckdb_tables() UNION ALL SELECT view_name, temporary"
        hiding = f"(SELECT count(*) FROM ({named} FROM duckdb_views()) WHERE temporary AND lower(n) = lower({last}))"
        return f"SELECT current_schemas(true), {settings}, {tables}, {hiding}"

    def dependents_query(self, name: TableName) -> str:
        """Foreign keys and triggers. Views refer to a table by its name."""
        place = "database_name", "schema_name"
        keys = f"constraint_type = 'FOREIGN KEY' AND {self._at(name, *place, 'referenced_table')}"
        return (
            "SELECT 'foreign key of table', table_name FROM duckdb_constraints() "
            f"WHERE {keys} AND NOT ({self._at(name, *place, 'table_name')}) "
            f"UNION SELECT 'trigger', trigger_name FROM duckdb_triggers() "
            f"WHERE {self._at(name, *place, 'table_name')} ORDER BY 1, 2"
        )

    def unsafe_query(self, name: TableName) -> str:
        """A view runs the functions that it names; they may read files."""
        return (
            "SELECT 'is no plain table' FROM information_schema.tables "
            "WHERE table_catalog = current_database() AND table_type = 'VIEW' "
            f"AND table_schema = current_schema() AND lower(table_name) = lower({self.string(name.parts[-1])})"
        )

    def count_query(self, name: TableName) -> str | None:
        """count(*): tables and Parquet files answer from their metadata; other files would have to be read."""
        if name.is_file and not name.parts[0].lower().endswith(".parquet"):
            return None
        return f"SELECT count(*) FROM {self.table(name)}"
