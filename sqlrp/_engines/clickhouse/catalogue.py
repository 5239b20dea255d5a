"""What a ClickHouse server has: its tables and its functions, and how they are marked and swapped."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import ClassVar

from sqlrp._core.errors import UnsupportedError
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Column, ColumnType, Dialect, Swap
from sqlrp._dialects.distances import SearchFunction
from sqlrp._dialects.table_queries import MARK

_TEXT = r"'((?:[^'\\]|\\.)*)'"
_SPREAD = re.compile(rf"^Distributed\({_TEXT}, {_TEXT}, {_TEXT}")


class ClickHouseCatalogue(Dialect):
    """The queries of what is there, and the statements that make, mark and swap tables and functions."""

    everywhere: str = ""
    """the clause of a statement that all servers of a cluster run"""

    # -- scalar functions ----------------------------------------------------------------------

    def creating_function(self, name: TableName, body: str, returns: str, mark: str) -> str:
        """A function of the server, in no database. Its argument stands for the text of a call's argument.

        The name of the argument is the mark: there are no comments.
        """
        argument = mark if MARK.fullmatch(mark) else self.argument
        return (
            f"CREATE OR REPLACE FUNCTION {self._function(name)}{self.everywhere} AS ({argument}) -> "
            f"({body.replace(self.argument, argument)})"
        )

    def dropping_function(self, name: TableName) -> str:
        """DROP FUNCTION."""
        return f"DROP FUNCTION {self._function(name)}{self.everywhere}"

    def named_function_query(self, name: TableName) -> str:
        """system.functions, where some built-in functions are found in any case."""
        text = self.string(name.parts[-1])
        insensitive = f"case_insensitive AND lower(name) = lower({text})"  # names of functions are ASCII
        return f"SELECT 1, create_query FROM system.functions WHERE name = {text} OR ({insensitive}) LIMIT 1"

    def _function(self, name: TableName) -> str:
        if len(name.parts) > 1:
            raise UnsupportedError(
                f"function {name} has a database: a function of clickhouse is in none, so leave it out"
            )
        return self.quote(name.parts[0])

    # -- searches: parameterised views -------------------------------------------------------------------------------
    # https://clickhouse.com/docs/sql-reference/statements/create/view#parameterized-view: every parameter is given in
    # each call, so the number of candidates is a constant of the view.

    def creating_search(self, name: TableName, body: Callable[[str, str, str], str], made: SearchFunction) -> str:
        """A view with the parameters `query` and `n`. Its comment is the mark.

        The server's parser refuses NULL for an array in words of its own. So the vector is read from its text, and NULL
        as an array of one NULL, which the query refuses.
        """
        vector = "CAST(ifNull({query:Nullable(String)}, '[NULL]') AS Array(Nullable(Float64)))"
        text = body(vector, "{n:UInt64}", str(made.candidates))
        return f"CREATE VIEW {self.table(name)} COMMENT {self.string(made.mark)} AS\n{text}{self.settings}"

    def without_null(self, array: str) -> str:
        """L2Distance takes no array of a type that may have NULL."""
        return f"arrayMap(x -> assumeNotNull(x), {array})"

    def dropping_search(self, name: TableName) -> str:
        """DROP VIEW."""
        return f"DROP VIEW {self.table(name)}"

    def search_query(self, name: TableName) -> str:
        """Tables and views share their names."""
        return f"SELECT 1, comment FROM system.tables WHERE {self._at(name)} AND NOT is_temporary"

    # -- existing tables -----------------------------------------------------------------------

    def columns_query(self, name: TableName) -> str:
        """DESCRIBE."""
        return f"DESCRIBE TABLE {self.table(name)}"

    def columns_question(self, name: TableName) -> str:
        """The same as a part of another query, which DESCRIBE is not. A temporary table has no database."""
        table, hidden = self.string(name.parts[-1]), self._temporary(name)
        here = self.string(name.parts[-2]) if len(name.parts) > 1 else "currentDatabase()"
        database = f"if((SELECT count() FROM system.tables WHERE {hidden}) > 0, '', {here})" if hidden else here
        return (
            "SELECT name, type, default_kind FROM system.columns "
            f"WHERE database = {database} AND table = {table} ORDER BY position ASC"
        )

    def _temporary(self, name: TableName) -> str:
        """The condition that selects the temporary table that hides a name; empty for one in a database."""
        return "" if len(name.parts) > 1 else f"is_temporary AND name = {self.string(name.parts[0])}"

    def described(self, *row: object) -> Column:
        """The column; its type says whether it may be NULL."""
        name, text, *_ = row
        return Column(str(name), self.read_type(str(text)), "Nullable(" in str(text))

    def exists_query(self, name: TableName) -> str:
        """EXISTS, which finds views too."""
        return f"EXISTS TABLE {self.table(name)}"

    def exists_question(self, name: TableName) -> str:
        """The same as a part of another query."""
        hidden = self._temporary(name)
        return f"SELECT count() > 0 FROM system.tables WHERE ({self._at(name)}){f' OR ({hidden})' if hidden else ''}"

    def spread_query(self, name: TableName) -> str | None:
        """The engine of a Distributed table, with its arguments."""
        if name.is_file:
            return None
        return f"SELECT engine_full FROM system.tables WHERE {self._at(name)} AND engine = 'Distributed'"

    def spread(self, text: str) -> tuple[str, TableName] | None:
        """The arguments of Distributed; None where they are no names."""
        found = _SPREAD.match(text)
        if not found:
            return None
        cluster, database, table = (re.sub(r"\\(.)", r"\1", part) for part in found.groups())
        return cluster, TableName((database, table) if database else (table,))

    def count_query(self, name: TableName) -> str | None:
        """The table's own count; NULL for a view, no row for a temporary table."""
        return None if name.is_file else f"SELECT total_rows FROM system.tables WHERE {self._at(name)}"

    def _at(self, name: TableName) -> str:
        """The condition that selects the row of a table in system.tables."""
        *database, table = name.parts
        here = self.string(database[-1]) if database else "currentDatabase()"
        return f"database = {here} AND name = {self.string(table)}"

    def length_query(self, name: TableName, column: str, kind: ColumnType) -> str:
        """The length of the first array: no array is NULL, but a text may be."""
        if kind.is_text:
            return super().length_query(name, column, kind)
        return f"SELECT {self.length(self.quote(column))} AS n FROM {self.table(name)} LIMIT 1"

    def unsafe_query(self, name: TableName) -> str:
        """A view runs the functions that it names; they may read files."""
        return (
            "SELECT 'is no plain table' FROM system.tables "
            f"WHERE {self._at(name)} AND engine LIKE '%View' AND NOT is_temporary"
        )

    def swapping(self, new: TableName, name: TableName, kind: str, old: str | None) -> Swap:
        """EXCHANGE leaves the old table under the new one's name; a second EXCHANGE undoes it if the DROP fails."""
        here, made = self.table(name), self.table(new)
        if old is None:
            return Swap((f"RENAME TABLE {made} TO {here}",))
        exchange = f"EXCHANGE TABLES {made} AND {here}"
        return Swap((exchange, f"DROP TABLE {made}"), undo=exchange)

    def making(self, name: TableName, query: str, mark: str) -> list[str]:
        """One statement with the table's comment."""
        return [_commented(self.create_table(self.table(name), query), self.create_table(self.table(name), ""), mark)]

    def making_view(self, name: TableName, statement: str, mark: str) -> list[str]:
        """One statement with the view's comment."""
        return [_commented(statement, self.keeping_view.format(name=self.table(name), query=""), mark)]

    def marking(self, name: TableName, mark: str, kind: str) -> str:
        """The table's comment."""
        return f"ALTER TABLE {self.table(name)} MODIFY COMMENT {self.string(mark)}"

    def place_query(self, name: TableName) -> str | None:
        """The database. A temporary table is in none."""
        if name.is_file:
            return None
        *database, table = name.parts
        here = self.string(database[-1]) if database else "currentDatabase()"
        hiding = "false" if database else f"(is_temporary AND name = {self.string(table)})"
        return (
            f"SELECT countIf({self._at(name)} AND NOT is_temporary), countIf({hiding}), {here}, {self.string(table)} "
            f"FROM system.tables WHERE name = {self.string(table)}"
        )

    answers_in_one: ClassVar[bool] = True
    asks_at_once: ClassVar[bool] = True

    def joinable(self, query: str, kinds: Sequence[object], rows: Sequence[Sequence[object]]) -> bool:
        """What is no list: a scalar subquery of a list of rows may have NULL in each column."""
        return query.startswith("SELECT ") and not any("<" in str(kind) for kind in kinds)

    def at_once(self, questions: Sequence[tuple[str, int]]) -> str:
        """As lists of tuples, each by a subquery. An empty query before it names its columns."""
        texts = [f"({self._in_list(query, count)}) AS a{at}" for at, (query, count) in enumerate(questions)]
        return f"SELECT {', '.join(texts)}"

    def _in_list(self, query: str, columns: int) -> str:
        names = [f"c{i}" for i in range(columns)]
        empty = ", ".join(f"NULL AS {name}" for name in names)
        return (
            f"SELECT groupArray(tuple({', '.join(names)})) FROM "
            f"(SELECT {empty} WHERE false UNION ALL SELECT * FROM ({query}))"
        )

    def lists_of(self, queries: Sequence[str]) -> str:
        """The rows of several queries, each as a list of tuples that have the names of its columns."""
        lists = (f"(SELECT groupArray(tuple(*)) FROM ({query})) AS a{at}" for at, query in enumerate(queries))
        return f"SELECT {', '.join(lists)} SETTINGS enable_named_columns_in_function_tuple = 1"

    def in_one(self, questions: Sequence[tuple[str, int]]) -> str:
        """The rows of each as JSON. A scalar subquery would be run before the statement's tables are looked up."""
        rows, lists = [], []
        for at, (query, count) in enumerate(questions):
            names = [f"c{i}" for i in range(count)]
            empty = f"SELECT {', '.join(f'NULL AS {name}' for name in names)} WHERE 0"
            row = ", ',', ".join(f"ifNull(toJSONString({name}), 'null')" for name in names)
            rows.append(f"SELECT {at} AS q, concat('[', {row}, ']') AS c FROM ({empty} UNION ALL {query})")
            of = f"arrayStringConcat(arraySort(groupArrayIf(c, q = {at})), ',')"
            lists.append(f"if(countIf(q = {at}) = 0, '-', concat('[', {of}, ']'))")
        answers = ", ' ', ".join(lists)
        return f"SELECT concat({answers}, '') AS answers FROM ({' UNION ALL '.join(rows)})"

    def shape_query(self, name: TableName) -> str:
        """system.columns."""
        at = f"database = {self.string(name.parts[0])} AND table = {self.string(name.parts[-1])}"
        return f"SELECT name, type FROM system.columns WHERE {at} ORDER BY position ASC"

    def mark_query(self, name: TableName) -> str:
        """The table's comment."""
        return f"SELECT comment FROM system.tables WHERE {self._at(name)}"


def _commented(statement: str, start: str, mark: str) -> str:
    """A statement that makes something of a query, with a comment; `start`: what precedes the query."""
    before = start.rstrip().removesuffix("AS")
    return f"{before}COMMENT '{mark}' AS{statement[len(before) + len('AS') :]}"
