"""Phrases about existing tables: what a connector asks about them, and how it writes, marks and swaps them.

A mark is a word of `MARK` that sqlrp puts on each table, view or function that it makes, and keeps in its record. A
table that someone drops and makes again has the same name and perhaps the same columns, but not the mark.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from sqlrp._core.errors import ParameterError, UnsupportedError
from sqlrp._core.script import Script, Setup, Statement
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass
from sqlrp._dialects.array_phrases import ArrayPhrases
from sqlrp._dialects.facts import Column, ColumnType

if TYPE_CHECKING:
    from sqlrp._dialects.dialect import Dialect

MARK = re.compile(r"sqlrp_[0-9a-f]{32}")
"""A mark: a prefix and 128 random bits."""
HELPER = "sqlrp_helper"
"""The comment of a table that lives as long as one statement of `replacing`."""
OLD = "_old"
"""What `aside` puts at the end of a name."""


def aside(new: TableName) -> TableName:
    """The name of an old table while the new one takes its place."""
    return TableName((*new.parts[:-1], f"{new.parts[-1]}{OLD}"))


@dataclass(frozen=True)
class Swap:
    """The statements that replace an old table by a new one, and the one that undoes them if the last one fails."""

    statements: tuple[str, ...]
    undo: str | None = None


class CatalogueQueries(ArrayPhrases):
    """The phrases that ask about a database and keep things in it."""

    keeps_plans: ClassVar[bool] = False
    """Whether saved projections are also kept as macros in plain SQL (`sqlrp._store.plans`)."""

    def saving(self, name: str, text: str) -> list[str]:
        """The statements that save a projection, besides its row in the catalogue; `text` is `stored.macro_text`."""
        return []

    # -- servers of a cluster ------------------------------------------------------------------

    def of_cluster(self, cluster: str) -> Dialect:
        """The dialect whose statements all servers of a cluster run."""
        raise ParameterError(f"cluster = {cluster!r} is for ClickHouse: for {self.name}, leave it out")

    def kept_everywhere(self, name: TableName, query: str, kind: str) -> list[tuple[str, str]]:
        """What each statement does, and its text, for a table or a view of a query on the servers of a cluster."""
        raise self._refused("clusters")

    def spread_query(self, name: TableName) -> str | None:
        """The query that returns a row if a table reads its rows from several servers; `spread` reads its text."""
        return None

    def spread(self, text: str) -> tuple[str, TableName] | None:
        """The cluster and the table that each server has; None if the text does not name them."""
        raise self._refused("clusters")

    # -- questions about files -----------------------------------------------------------------

    def places_query(self) -> str | None:
        """The query of the files that the databases of a connection are in; None if the engine does not say."""
        return None

    def texts_query(self) -> str | None:
        """The query of the SQL of all views and macros, which may read files; None if they cannot."""
        return None

    def matching_query(self, patterns: Sequence[str]) -> str | None:
        """The query of the files that match patterns of paths; None if the engine does not say."""
        return None

    # -- questions about a table ---------------------------------------------------------------

    def columns_query(self, name: TableName) -> str:
        """The query of the columns of a table, in table order; `described` reads its rows."""
        raise self._refused("query of a table's columns")

    def described(self, *row: object) -> Column:
        """The column of a row of `columns_query`. By default a row has a name, a type, and "NO" if it is never NULL."""
        name, text, null, *_ = row
        return Column(str(name), self.read_type(str(text)), null != "NO")

    def first_kind_query(self, name: TableName, column: str) -> str | None:
        """The query of the type of a column's first value, for engines whose columns may have no type."""
        return None

    def listed_query(self, name: TableName) -> str | None:
        """The query of the columns of a table, or of a view without a look into it; None: `columns_query` is that."""
        return None

    def survey_query(self) -> str | None:
        """The query of all tables and views: the parts of the name in full as a list, whether it is temporary, the rank
        of its schema where a name alone is looked for, the names and the types of its columns, and its mark.

        The types are those of `listed_query`. None if there is no such query.
        """
        return None

    def joinable(self, query: str, kinds: Sequence[object], rows: Sequence[Sequence[object]]) -> bool:
        """Whether `at_once` may have a query, and JSON keeps its values as they are.

        `kinds`: the driver's codes of the types of its columns. `rows`: what it has just given.
        """
        return False

    def at_once(self, questions: Sequence[tuple[str, int]]) -> str:
        """The query of the answers of several, each with the number of its columns (`Facts.asks_at_once`).

        Its one row has a text for each of them, `a0`, `a1` and so on: its rows as a list of lists in JSON, or NULL for
        no row.
        """
        raise self._refused("query of the answers of several others")

    def in_turn(self, questions: Sequence[tuple[str, int]], answered: str, then: str) -> str:
        """The query of the answers of several, and of another query's one text if these are as they were.

        `answered` is what they were answered: the list of the rows of each, in JSON. `then` is another query of this
        kind, or empty. The one column, `answers`, is a list in JSON: what `at_once` gives, and for `then` the bytes of
        its text as hexadecimal digits, in XML, or NULL if the answers are others (`Facts.asks_in_turn`).
        """
        raise self._refused("query on the condition that others are answered as before")

    def in_one(self, questions: Sequence[tuple[str, int]]) -> str:
        """The query of one text, `answers`, which is another one if a row of a question is (`Facts.answers_in_one`)."""
        texts = ", ".join(f"coalesce(a{i}, '-')" for i in range(len(questions)))
        return f"SELECT concat_ws(' ', {texts}) AS answers FROM ({self.at_once(questions)}) asked"

    def same_table_queries(self, catalogue: TableName, table: TableName, mark: str) -> list[tuple[str, int]]:
        """Queries, each with the number of its columns, whose answers stay while a kept table is the one with the mark.

        And while the catalogue is a plain table. `mark`: the text that has the mark. The names are names in full.
        """
        return [(self.unsafe_query(catalogue) or "", 1), (self.mark_query(table) or "", 1)]

    def shape_query(self, name: TableName) -> str:
        """The query of the names and types of a table's columns, which looks at no row. The name is one in full."""
        raise self._refused("columns of a table in one query")

    def exists_query(self, name: TableName) -> str | None:
        """The query that returns a value other than 0 if the table or view exists; None: look at its columns."""
        return None

    def unseen_query(self, name: TableName) -> str | None:
        """The query of whether a name means a table that was made after the snapshot of the transaction.

        None if a transaction finds by their names the tables that it sees.
        """
        return None

    def count_query(self, name: TableName) -> str | None:
        """The query of the approximate number of rows of a table; None if it costs a scan."""
        return None

    def length_query(self, name: TableName, column: str, kind: ColumnType) -> str:
        """The query of the length of the first array that is not NULL. `kind`: the column's type."""
        quoted = self.quote(column)
        array = self.length(self.stored_array(quoted, kind.sized(0).cast))
        there = f"{quoted} IS NOT NULL" + (f" AND {self.holds_array(quoted)}" if kind.is_text else "")
        return self.limited(f"SELECT {array} AS n FROM {self.table(name)} WHERE {there}", 1)

    def dependents_query(self, name: TableName) -> str | None:
        """The query of the objects that refer to a table and fail if it is replaced: their kinds and quoted names."""
        return None

    def quoting(self, name: str) -> str:
        """The expression of a name as it is written in a statement, for the expression of a name."""
        return f"'\"' || replace({name}, '\"', '\"\"') || '\"'"

    def kinds_query(self, name: TableName, column: str) -> str | None:
        """The query of the kinds of a column's values, for engines whose values have types of their own."""
        return None

    def unsafe_query(self, name: TableName) -> str | None:
        """The query of the reason why a table is not to be trusted, as the end of a sentence, or NULL.

        Using it may run another user's code, or others may write it. A second column may have the remedy.
        """
        return None

    def read_only_query(self, name: TableName) -> str | None:
        """The query of the read-only databases among the two that keep a table and its record, and of other engines'.

        A second column, if there is one, has the engine of a database that is not of this one.

        None if the engine refuses to write before it computes anything.
        """
        return None

    def place_query(self, name: TableName) -> str | None:
        """The query of what a name means without temporary tables: one row, or none.

        Its cells: whether a table or view is there, whether a temporary one hides it, and the parts of its name in
        full. If nothing is there, they are those that a new table of that name would have.
        None: the engine finds temporary tables by no name of another table, or cannot tell.
        """
        return None

    def catalogue_query(self, name: TableName) -> str | None:
        """The same query for the catalogue."""
        return self.place_query(name)

    def marking(self, name: TableName, mark: str, kind: str) -> str:
        """The statement that puts a mark on a new table, or on an object of another kind.

        The mark stays when the object is renamed, and goes when it is dropped.
        """
        return f"COMMENT ON {kind} {self.table(name)} IS {self.string(mark)}"

    def mark_query(self, name: TableName) -> str | None:
        """The query of the text that has the mark of a table or view, such as its comment; None if none tells it."""
        return None

    def making(self, name: TableName, query: str, mark: str) -> list[str]:
        """The statements that make a table of a query, with a mark.

        If the engine is not `transactional`, one statement makes both: the process may end between two.
        """
        marked = [self.marking(name, mark, "TABLE")] if self.carries_marks else []
        return [self.create_table(self.table(name), query), *marked]

    def emptied(self, name: TableName, query: str, columns: Mapping[str, str] | None) -> str:
        """The statement that makes an empty table for a query (`Facts.fills`).

        `columns`: the types of its columns; None if they are not known.
        """
        raise self._refused("empty tables for a query")

    def making_empty(self, name: TableName, columns: Mapping[str, str]) -> str:
        """The statement that makes an empty table of columns with the names of their types (`Facts.copies_rows`)."""
        raise self._refused("empty tables of columns")

    def making_view(self, name: TableName, statement: str, mark: str) -> list[str]:
        """The statements that make a view, of which `statement` is the first, with a mark."""
        return [statement, *([self.marking(name, mark, self.view_noun)] if self.carries_marks else [])]

    # -- rows that changed ---------------------------------------------------------------------

    finds_functions: ClassVar[bool] = True
    """whether `named_function_query` is there; otherwise CREATE FUNCTION refuses the name of an existing function"""
    row_hash_function: ClassVar[str] = ""
    """the name of the function of this process, from text to a whole number, that `row_hash` calls; empty: none"""

    def row_hash(self, columns: Sequence[Column]) -> str:
        """A whole number of 60 to 64 bits that depends on all values of the columns, and on which are NULL."""
        raise UnsupportedError(
            f"track = 'rows' is not supported, as {self.name} has no hash of a row: track a column that grows with "
            "every change"
        )

    def sum_of_hashes(self, hashed: str) -> str:
        """An aggregate: a whole number that depends on the hashes of all rows of a group, but not on their order."""
        raise self._refused("sums of hashes")

    def tells_all(self, type: ColumnType) -> bool:
        """Whether = tells all values of a type apart; perhaps not texts, where an engine `collates`."""
        return not (self.collates and type.is_text)

    def collated_query(self, name: TableName) -> str | None:
        """The query of the columns whose values = does not tell apart, where types do not say so; None: they do."""
        return None

    def exact(self, expression: str) -> str:
        """A text of a column that `tells_all` is not true of, as it is compared by its bytes."""
        return expression

    def compared(self, column: str, texts: Collection[str], of: str = "") -> str:
        """A column of `of` as it is compared with one of its name. `texts`: those that `exact` is for."""
        named = f"{of}.{column}" if of else column
        return self.exact(named) if column in texts else named

    def selected(self, column: str, texts: Collection[str]) -> str:
        """The same with its name, for SELECT."""
        return f"{self.exact(column)} AS {column}" if column in texts else column

    def by_key(self, key: str, texts: Collection[str], held: str, asked: str) -> tuple[str, str]:
        """What a subquery `held` selects to be joined by its key, and the condition of the join."""
        return self.selected(key, texts), f"{held}.{key} = {self.compared(key, texts, asked)}"

    def missing(self, held: str, key: str, source: str, texts: Collection[str] = ()) -> str:
        """The query of the keys of `held` that a source lacks; none is NULL. `held`: a table, perhaps with WHERE."""
        named = self.selected(key, texts)
        return f"SELECT {named} FROM {held} {self.difference} SELECT {named} FROM {source}"

    def unlike(
        self,
        columns: Sequence[str],
        rows: str,
        key: str,
        marks: Sequence[str],
        held: str,
        texts: Collection[str] = (),
    ) -> str:
        """The query of the rows `asked` whose key `held` lacks, or has with other marks.

        One hash join reads both sides once. An engine may give the rows without a match zeros and empty texts instead
        of NULL, so a column tells them. A condition that is NULL is not met.
        """
        keyed, by_key = self.by_key(key, texts, "held", "asked")
        listed = ", ".join([keyed, *(self.selected(mark, texts) for mark in marks)])
        there = f"(SELECT {listed}, 1 AS sqlrp_there FROM {held}{self.fence}) held"
        alike = (f"held.{mark} = {self.compared(mark, texts, 'asked')}" for mark in marks)
        same = " AND ".join(["held.sqlrp_there = 1", *alike])
        named = ", ".join(f"asked.{column} AS {column}" for column in columns)
        return (
            f"SELECT {named}\nFROM {rows} LEFT JOIN {there} ON {by_key}\nWHERE CASE WHEN {same} THEN 0 ELSE 1 END = 1"
        )

    def removing(self, target: str, key: str, keys: str, texts: Collection[str] = ()) -> str:
        """The statement that removes the rows with the keys of another table."""
        named = self.compared(key, texts)
        return f"DELETE FROM {target} WHERE {named} IN (SELECT {named} FROM {keys})"

    def replacing(
        self,
        target: TableName,
        columns: Sequence[str],
        keys: Sequence[str],
        query: str,
        helper: TableName,
        texts: Collection[str] = (),
    ) -> Script:
        """Remove the rows with the keys of other tables, and add those of a query: both or neither in a transaction.

        `columns`: those of the query, as SQL; the first one is the key. `helper`: the name of a table that may be made;
        other names that begin with it are free too. `texts`: as in `compared`.
        """
        key = columns[0]
        table = self.table(target)
        listed = " UNION ALL ".join(f"SELECT {key} FROM {each}" for each in keys)
        away = Setup(self.removing(table, key, f"({listed}) away", texts))
        return Script(Statement(f"INSERT INTO {table} {query}"), (away,))

    # -- tables that rows are added to (`Facts.records_in_tables`) ---------------------------------------

    def names_partitions(self, type: str) -> bool:
        """Whether the values of a column of a type can name partitions."""
        return False

    def no_partition(self, column: str) -> str:
        """The condition that a value names no partition of its own."""
        raise self._refused("partitions")

    def constant(self, value: object) -> str:
        """A value that names a partition."""
        raise self._refused("partitions")

    def making_partitions(self, name: TableName, query: str, mark: str, column: str) -> list[str]:
        """The statements of `making`, for a table with a partition for each value of a column."""
        raise self._refused("partitions")

    def overwriting(self, name: TableName, query: str) -> str:
        """The statement that replaces the partitions which the rows of a query are in, by these rows."""
        raise self._refused("partitions")

    def dropping_partition(self, name: TableName, column: str, value: object) -> str:
        """Drop a partition, if there is one."""
        raise self._refused("partitions")

    def properties_query(self, name: TableName) -> str:
        """The query of the names and values of a table's properties."""
        raise self._refused("properties of tables")

    def setting(self, name: TableName, properties: Mapping[str, str], kind: str) -> str:
        """Set properties of a table, or of a view."""
        raise self._refused("properties of tables")

    def saving_view(self, name: TableName, columns: Mapping[str, str], properties: Mapping[str, str]) -> str:
        """The statement that makes a view which has nothing but properties; whoever reads it sees the texts `columns`.

        It fails if there is one.
        """
        raise self._refused("properties of views")

    def rewriting(self, target: TableName, columns: Sequence[str], keys: Sequence[str], query: str) -> str:
        """The query of the rows of a table whose keys other tables lack, and of the rows of a query.

        `columns`: those of the query, as SQL; the first one is the key.
        """
        raise self._refused("tables that are written again")

    def renaming(self, name: TableName, new: TableName, kind: str) -> str:
        """Rename a table, or a view, to a name of the same schema."""
        raise self._refused("renamed tables")

    def repairing(self, name: TableName) -> str:
        """The statement that finds the partitions of a renamed table again."""
        raise self._refused("renamed tables")

    # -- statements about a table --------------------------------------------------------------

    def swapping(self, new: TableName, name: TableName, kind: str, old: str | None) -> Swap:
        """Replace the old table, of kind `old` if there is one, by the new one, of kind `kind`."""
        rename = f"ALTER {kind} {self.table(new)} RENAME TO {self.quote(name.parts[-1])}"
        return Swap((f"DROP {old} {self.table(name)}", rename) if old else (rename,))

    def keeping(self, name: TableName, query: str, lag: str, warehouse: str) -> str:
        """The statement that makes a materialized view, which is refreshed within `lag` by a `warehouse`."""
        if not self.keeping_view:
            raise self._refused("views that sqlrp keeps")
        values = {"name": self.table(name), "query": query, "lag": self.string(lag), "warehouse": self.quote(warehouse)}
        return self.keeping_view.format(**values)

    def unique_query(self, name: TableName) -> str | None:
        """The query that returns a row if a materialized view has a unique index; None if that does not matter."""
        return None

    def refresh(self, name: TableName, unique: bool) -> str:
        """The statement that refreshes a materialized view. `unique`: whether it has a unique index."""
        return f"REFRESH MATERIALIZED VIEW {self.table(name)}"

    # -- scalar functions ----------------------------------------------------------------------

    def creating_function(self, name: TableName, body: str, returns: str, mark: str) -> str:
        """Make or replace a function from an array to the type `returns`. Its body is one SELECT of `Facts.argument`.

        `mark`: a text for its comment. Without comments, its definition contains the text if it is a mark.
        """
        raise self._refused("scalar functions")

    def creators_query(self, name: TableName) -> str | None:
        """The query of others who may create objects where a function is to be made; None if the engine has none.

        A row has the schema, the others, and whether the caller has said to trust them.
        """
        return None

    def overloads_query(self, name: TableName) -> str:
        """The query of functions of others that a call of that name could find: each one's name and owner."""
        raise self._refused("functions of others")

    def function_place(self, name: TableName, catalogue: TableName) -> TableName:
        """The name in full of a function that is made or dropped, if temporary ones could be meant otherwise.

        `catalogue`: that of the catalogue.
        """
        return name

    def dropping_function(self, name: TableName) -> str:
        """Drop a function of `creating_function`."""
        return f"DROP FUNCTION {self.table(name)}"

    def named_function_query(self, name: TableName) -> str:
        """The query that returns a row if a call with an array would find a function of that name.

        The rows show what has the mark of the function: its comment, or its definition.
        """
        raise self._refused("scalar functions")

    # -- sessions ------------------------------------------------------------------------------

    def lock_query(self, lock: str, wait: bool = True) -> str:
        """The query that waits for the named lock and takes it; without `wait` it says at once whether it did."""
        raise self._refused("locks")

    def unlocks(self, lock: str) -> str:
        """The statement that releases a lock."""
        raise self._refused("locks that outlive a transaction")

    def settings_query(self, names: Sequence[str]) -> str:
        """The query of the values of the named settings."""
        raise self._refused("settings")

    def set_values(self, values: Mapping[str, object], local: bool = False) -> str:
        """The statement that sets settings to these values; `local`: only until the end of the transaction."""
        raise self._refused("settings")
