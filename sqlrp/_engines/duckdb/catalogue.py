"""What a DuckDB database has: its tables, its functions, and the macros of saved projections."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from sqlrp._core.errors import UnsupportedError
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Dialect
from sqlrp._dialects.distances import SearchFunction
from sqlrp._dialects.table_queries import MARK

SAVED = "sqlrp_saved "
"""The prefix of the names of the macros of saved projections. The UTF-8 bytes of the projection's name follow in
hexadecimal digits, because DuckDB treats names that differ only in case as the same."""
_OTHER = "type COLLATE C NOT IN ('duckdb', 'motherduck')"
"""The condition that an attached database is of another engine."""
_SESSION = "current_database(), current_schema(), current_schemas(false)"
"""Where a session looks for a name alone, as columns."""
_ARGUMENT = re.compile(r"\b(query|n|candidates)\b", re.IGNORECASE)
"""The names of the arguments of a macro that searches."""
_RELATION = re.compile(r'\b(?:FROM|JOIN) "(?:[^"]|"")*"(?:\."(?:[^"]|"")*")*')
"""A table that is read, by its name in full: an argument stands for no part of it."""

_READS = re.compile(
    r"\b(?:FROM|JOIN)\s+(?!\(|duckdb_\w+\(\)|information_schema\.tables\b"
    r'|(?:"(?:[^"]|"")*"\.)*"sqlrp_catalogue"(?!\.))',
    re.IGNORECASE,
)
"""A query of something else than lists of DuckDB and the catalogue."""


class DuckDBCatalogue(Dialect):
    """The queries of what is there, and the statements that make and drop functions."""

    has_triggers: bool = True
    """whether the database's version has triggers"""
    begun_query: ClassVar[str] = (
        "SET VARIABLE sqlrp_begun = epoch_us(now()); "
        "SELECT getvariable('sqlrp_begun') = epoch_us(now()), (SELECT type FROM duckdb_databases() "
        f"WHERE database_name = current_database() AND {_OTHER})"
    )
    """whether two statements have one time, as in a transaction, and the engine of a database of none of DuckDB's"""
    begun_forgotten: ClassVar[str] = "RESET VARIABLE sqlrp_begun"
    """what removes the variable of `begun_query`"""

    def same_text(self, a: str, b: str) -> str:
        """COLLATE C: the setting default_collation is that of text without a collation."""
        return f"{a} COLLATE C = {b}"

    def folded(self, name: str) -> str:
        """ASCII letters alone are the same in upper and lower case; the function lower would fold all."""
        return f"translate({name}, '{string.ascii_uppercase}', '{string.ascii_lowercase}')"

    def updating_or_inserting(self, update: str, into: str, values: Sequence[str], there: str) -> str:
        """Two statements."""
        return f"{update};\nINSERT INTO {into} SELECT {', '.join(values)} WHERE NOT EXISTS ({there})"

    def saving(self, name: str, text: str) -> list[str]:
        """A macro that returns the text: `project_with` is bound before it could read a table."""
        return [f"CREATE OR REPLACE MACRO {self.quote(SAVED + name.encode().hex())}() AS {self.string(text)}"]

    def saved_name(self, made: str) -> str | None:
        """The text that the hexadecimal digits of a macro's name stand for; None if `saving` did not make the macro."""
        try:
            return bytes.fromhex(made.removeprefix(SAVED)).decode()
        except ValueError:
            return None

    def saved_text(self, made: str) -> str:
        """A call of the macro, which returns the text that `saving` saved."""
        return f"SELECT {self.quote(made)}()"

    def functions_query(self, names: Sequence[str]) -> str:
        """The query of the scalar functions with these names. It takes milliseconds: ask for all at once."""
        return (
            "SELECT DISTINCT function_name FROM duckdb_functions() "
            f"WHERE function_name IN ({', '.join(map(self.string, names))}) AND function_type = 'scalar'"
        )

    def creating_function(self, name: TableName, body: str, returns: str, mark: str) -> str:
        """A macro. Its parameter has a name that no column of the body has, as it would stand for that column too.

        The name is the mark: a comment would be lost in EXPORT DATABASE.
        """
        argument = mark if MARK.fullmatch(mark) else self.argument
        return f"CREATE OR REPLACE MACRO {self.table(name)}({argument}) AS ({body.replace(self.argument, argument)})"

    def function_place(self, name: TableName, catalogue: TableName) -> TableName:
        """In the schema of the catalogue, which is the current one."""
        *path, last = name.parts
        if len(path) > 1 or len(catalogue.parts) != 3 or path not in ([], ["main"]):
            return name
        return TableName((catalogue.parts[0], *(path or catalogue.parts[1:2]), last))

    def dropping_function(self, name: TableName) -> str:
        """DROP MACRO."""
        return f"DROP MACRO {self.table(name)}"

    def named_function_query(self, name: TableName) -> str:
        """The functions of the schema, and those that are built in."""
        built_in = f"internal AND {self.same_name('function_name', self.string(name.parts[-1]))}"
        here = self._at(name, "database_name", "schema_name", "function_name")
        return (
            f"SELECT 1, parameters FROM duckdb_functions() "
            f"WHERE ({built_in} OR {here}) AND function_type <> 'table_macro' LIMIT 1"
        )

    def creating_search(self, name: TableName, body: Callable[[str, str, str], str], made: SearchFunction) -> str:
        """A table macro. Its names stand for columns of theirs in its body, too.

        The mark is the alias of a subquery: a comment would be lost in EXPORT DATABASE.
        """
        text = body("CAST(query AS DOUBLE[])", "n", "candidates")
        if len(_ARGUMENT.findall(_RELATION.sub("", text))) > 3 + made.sure:  # which counts the candidates, too
            raise UnsupportedError(
                "a macro of DuckDB cannot search this table, as a column of its query is called query, n or "
                "candidates, like its arguments: run sqlrp.search"
            )
        macro = f"{self.table(name)}(query, n := 10, candidates := {made.candidates})"
        return f"CREATE MACRO {macro} AS TABLE SELECT * FROM ({text}) {made.mark}"

    def dropping_search(self, name: TableName) -> str:
        """DROP MACRO TABLE."""
        return f"DROP MACRO TABLE {self.table(name)}"

    database_query: ClassVar[str] = "SELECT current_database()"
    """The query of the current database's name."""

    macros_query: ClassVar[str] = (
        f"SELECT {_SESSION}, database_name, schema_name, function_name, macro_definition, "
        "function_type = 'table_macro', coalesce(comment, '') FROM duckdb_functions() "
        "WHERE NOT internal AND function_type IN ('macro', 'table_macro')"
    )
    """The query of all macros, in the form of `tables_query`, and their comments.

    DuckDB lists all functions for it, which takes 10 to 20 ms each time. So a session asks for all, and asks once.
    """

    def places_query(self) -> str:
        """Those of attached databases, too."""
        return "SELECT path FROM duckdb_databases() WHERE path IS NOT NULL"

    def texts_query(self) -> str:
        """The views and macros of all databases."""
        return (
            "SELECT sql FROM duckdb_views() WHERE NOT internal UNION ALL "
            "SELECT macro_definition FROM duckdb_functions() WHERE NOT internal AND macro_definition IS NOT NULL"
        )

    def matching_query(self, patterns: Sequence[str]) -> str:
        """By the rules by which DuckDB reads files."""
        return f"SELECT file FROM glob([{', '.join(map(self.string, patterns))}])"

    def columns_query(self, name: TableName) -> str:
        """DESCRIBE."""
        return f"DESCRIBE SELECT * FROM {self.table(name)}"

    def listed_query(self, name: TableName) -> str:
        """duckdb_columns(): a DESCRIBE of a view that reads what was dropped breaks the transaction."""
        at = self._at(name, "database_name", "schema_name", "table_name") if len(name.parts) <= 3 else "false"
        null = "CASE WHEN is_nullable THEN 'YES' ELSE 'NO' END"
        order = "ORDER BY column_index ASC"
        return f"SELECT column_name, data_type, {null} FROM duckdb_columns() WHERE {at} {order}"

    def survey_query(self) -> str:
        """duckdb_columns() with the comments of tables and views. A name alone is looked for as in `place_query`."""
        schemas = "list_concat(current_schemas(false), [current_schema(), 'main'])"
        of = "database_name, schema_name"
        return (
            "SELECT [c.database_name, c.schema_name, c.table_name], c.database_name = 'temp', CASE WHEN "
            f"c.database_name = current_database() THEN nullif(list_position({schemas}, c.schema_name), 0) END, "
            "list(c.column_name ORDER BY c.column_index ASC), list(c.data_type ORDER BY c.column_index ASC), "
            f"any_value(m.comment) FROM duckdb_columns() c LEFT JOIN (SELECT {of}, table_name, comment FROM "
            f"duckdb_tables() UNION ALL SELECT {of}, view_name, comment FROM duckdb_views()) m "
            f"USING ({of}, table_name) WHERE NOT c.internal GROUP BY c.database_name, c.schema_name, c.table_name"
        )

    tables_query: ClassVar[str] = (
        f"SELECT {_SESSION}, there.* FROM ("
        "SELECT database_name, schema_name, table_name, comment, false FROM duckdb_tables() UNION ALL "
        "SELECT database_name, schema_name, view_name, comment, true FROM duckdb_views()) there"
    )
    """the query of all tables and views, which `Namesakes` reads"""
    databases_query: ClassVar[str] = "SELECT database_name FROM duckdb_databases()"
    """the query of the attached databases"""

    def joinable(self, query: str, kinds: Sequence[object], rows: Sequence[Sequence[object]]) -> bool:
        """What reads lists of DuckDB and the catalogue alone: it cannot fail."""
        return _READS.search(query) is None

    def at_once(self, questions: Sequence[tuple[str, int]]) -> str:
        """As `one_below_another`. A name of a column may come twice in a query, so that its columns are named."""
        return one_below_another(
            f"({query}) sqlrp_row({', '.join(f'c{i}' for i in range(count))})" for query, count in questions
        )

    def all_of(self, queries: Sequence[str]) -> str:
        """The query of the rows of several, as `one_below_another`, with the names of their columns."""
        return one_below_another(f"({query}) sqlrp_row" for query in queries)

    def in_one(self, questions: Sequence[tuple[str, int]]) -> str:
        """Each answer as a list of lists in JSON, by a relation of one row, which takes less time than a subquery."""
        relations: list[str] = []
        for at, (query, count) in enumerate(questions):
            names = ", ".join(f"c{i}" for i in range(count))
            text = f"coalesce(CAST(to_json(list([{names}])) AS VARCHAR), '-')"
            relations.append(f"(SELECT {text} AS a{at} FROM ({query}) q({names}))")
        texts = ", ".join(f"a{at}" for at in range(len(questions)))
        return f"SELECT concat_ws(' ', {texts}) AS answers FROM {', '.join(relations)}"

    joins_vector: ClassVar[bool] = True
    asks_at_once: ClassVar[bool] = True
    answers_in_one: ClassVar[bool] = True
    proves_apart: ClassVar[bool] = True

    def listing_query(self, with_views: bool) -> str:
        """The query of all tables, each with its comment and the statement that makes it; `with_views`: and of views.

        Of a view it has the name. Nothing in it depends on the session, so that it is planned once if it is prepared.
        """
        tables = "SELECT database_name, schema_name, table_name, comment, sql FROM duckdb_tables()"
        views = "SELECT database_name, schema_name, view_name, NULL, NULL FROM duckdb_views() WHERE NOT internal"
        return f"{tables} UNION ALL {views}" if with_views else tables

    def with_session(self, query: str) -> str:
        """The rows of a query, each with where the session looks for a name alone."""
        return f"SELECT *, {_SESSION} FROM ({query}) r"

    def preparing(self, name: str, query: str) -> str:
        """The statement that plans a query under a name, which lives as long as the connection."""
        return f"PREPARE {name} AS {query}"

    def prepared(self, name: str) -> str:
        """The statement that runs what `preparing` has planned."""
        return f"EXECUTE {name}"

    def _at(self, name: TableName, catalogue: str, schema: str, table: str) -> str:
        """The condition that the columns with these names name the table."""
        *path, last = map(self.string, name.parts)
        here = ["current_database()", "current_schema()"]
        # A single part before the table is a schema, or a catalogue whose schema is main.
        places = {0: [here], 1: [[here[0], *path], [*path, "'main'"]]}.get(len(path), [path])
        at = " OR ".join(f"({self.same_name(catalogue, c)} AND {self.same_name(schema, s)})" for c, s in places)
        return f"{self.same_name(table, last)} AND ({at})"

    def seen(self, name: TableName) -> str:
        """How a connection resolves names, its settings, the table of a name, and how many temporary ones hide it."""
        at, last = self._at(name, "database_name", "schema_name", "table_name"), self.string(name.parts[-1])
        # Only a connection made in an interactive shell shows progress.
        settings = (
            "(SELECT list((name, value) ORDER BY name ASC) FROM duckdb_settings() WHERE name NOT LIKE '%progress%')"
        )
        tables = f"(SELECT list(table_oid) FROM duckdb_tables() WHERE {at} AND NOT temporary)"
        named = "SELECT table_name AS n, temporary FROM duckdb_tables() UNION ALL SELECT view_name, temporary"
        hiding = f"(SELECT count(*) FROM ({named} FROM duckdb_views()) WHERE temporary AND {self.same_name('n', last)})"
        return f"SELECT current_schemas(true), {settings}, {tables}, {hiding}"

    def dependents_query(self, name: TableName) -> str:
        """Foreign keys and triggers, which came with DuckDB 2.0. Views refer to a table by its name."""
        place = "database_name", "schema_name"
        keys = f"constraint_type = 'FOREIGN KEY' AND {self._at(name, *place, 'referenced_table')}"
        trigger, here = self.quoting("trigger_name"), self._at(name, *place, "table_name")
        triggers = f" UNION SELECT 'trigger', {trigger} FROM duckdb_triggers() WHERE {here}"
        return (
            f"SELECT 'foreign key of table', {self.quoting('table_name')} FROM duckdb_constraints() "
            f"WHERE {keys} AND NOT ({here})"
            f"{triggers if self.has_triggers else ''} ORDER BY 1 ASC, 2 ASC"
        )

    def read_only_query(self, name: TableName) -> str:
        """Files that are opened or attached to be read; CREATE TABLE AS would find out after it has computed all.

        A second column has the engine of an attached database that is none of DuckDB's, such as ducklake or postgres.
        """
        parts = ["current_database()", *map(self.string, name.parts[:-1])]
        named = " OR ".join(self.same_name("database_name", part) for part in parts)
        return (
            f"SELECT database_name, CASE WHEN {_OTHER} THEN type END FROM duckdb_databases() "
            f"WHERE (readonly OR {_OTHER}) AND ({named})"
        )

    def paths_query(self, name: TableName) -> str:
        """The local files that a path with wildcards names."""
        return f"SELECT file FROM glob({self.string(name.parts[0])}) ORDER BY file ASC"

    def pandas_query(self, path: str) -> str:
        """What pandas says of its frame in a file of Parquet, as JSON; no row if another program wrote the file."""
        return f"SELECT decode(value) FROM parquet_kv_metadata({self.string(path)}) WHERE decode(key) = 'pandas'"

    def count_query(self, name: TableName) -> str | None:
        """count(*): tables and Parquet files answer from their metadata; other files would have to be read."""
        if name.is_file and not name.parts[0].lower().endswith(".parquet"):
            return None
        return f"SELECT count(*) FROM {self.table(name)}"


def one_below_another(relations: Iterable[str]) -> str:
    """The query of the rows of several: the number of the relation, from 0, and the row in the relation's own column.

    `relations`: their texts after FROM; the alias is sqlrp_row. Subqueries that make lists would take more time.
    """
    each = list(relations)
    parts: list[str] = []
    for at, relation in enumerate(each):
        row = ["NULL"] * len(each)
        row[at] = "sqlrp_row"
        parts.append(f"SELECT {', '.join([str(at), *row])} FROM {relation}")
    return " UNION ALL ".join(parts)
