"""Phrases about tables that are there: what a connector asks about them, and how it writes, marks and swaps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlrp.core.sources import TableName
from sqlrp.dialects.arrays import Arrays
from sqlrp.dialects.facts import Column


@dataclass(frozen=True)
class Swap:
    """Statements that put a new table in the place of an old one, and the one that undoes them where the last fails."""

    statements: tuple[str, ...]
    undo: str | None = None


class Catalogue(Arrays):
    """The phrases of questions about a database, and of what is kept in it."""

    def saving(self, name: str, text: str) -> list[str]:
        """The statements that save a projection, besides its row in the catalogue; `text` is `stored.macro_text`."""
        return []

    def saved_query(self) -> str | None:
        """The query of the names of what `saving` makes; None where it makes nothing."""
        return None

    def saved_name(self, made: str) -> str | None:
        """The name of the saved projection behind a name of `saved_query`; None where `saving` did not make it."""
        raise self._refused("functions of saved projections")

    def saved_text(self, made: str) -> str:
        """The query of the text behind a name of `saved_query`."""
        raise self._refused("functions of saved projections")

    # -- questions about a table ---------------------------------------------------------------

    def columns_query(self, name: TableName) -> str:
        """The query of the columns of a table, in table order; `described` reads its rows."""
        raise self._refused("query of a table's columns")

    def described(self, *row: object) -> Column:
        """The column behind a row of `columns_query`: by default its name, its type and "NO" where it is never NULL."""
        name, text, null, *_ = row
        return Column(str(name), self.read_type(str(text)), null != "NO")

    def first_kind_query(self, name: TableName, column: str) -> str | None:
        """The query of the type of a column's first value, where a column may have no type of its own."""
        return None

    def exists_query(self, name: TableName) -> str | None:
        """The query that gives a value other than 0 where there is such a table or view; None: its columns say it."""
        return None

    def count_query(self, name: TableName) -> str | None:
        """The query of about how many rows a table has; None where it costs a scan."""
        return None

    def length_query(self, name: TableName, column: str, cast: str | None = None) -> str:
        """The query of the length of the first array that is not NULL; `cast` is the array type to read it as."""
        quoted = self.quote(column)
        array = self.length(f"CAST({quoted} AS {cast})" if cast else quoted)
        return f"SELECT {array} AS n FROM {self.table(name)} WHERE {quoted} IS NOT NULL LIMIT 1"

    def dependents_query(self, name: TableName) -> str | None:
        """The query of what refers to a table and fails where the table is replaced; `dependent` reads its rows."""
        return None

    def dependent(self, kind: str, *name: str) -> str:
        """A row of `dependents_query` in words: a kind and a quoted name."""
        return f"{kind} {'.'.join(map(self.quote, name))}"

    def kinds_query(self, name: TableName, column: str) -> str | None:
        """The query of the kinds of a column's values, where values have a type of their own."""
        return None

    def unsafe_query(self, name: TableName) -> str | None:
        """The query that says why using a table may run another user's code, as the end of a sentence, or NULL."""
        return None

    def marking(self, name: TableName, text: str) -> str:
        """The statement that writes a mark on a table; the mark stays with the table when it is renamed."""
        raise self._refused("marks of tables")

    def mark_query(self, name: TableName) -> str:
        """The query of the mark of a table."""
        raise self._refused("marks of tables")

    # -- statements about a table --------------------------------------------------------------

    def swapping(self, new: TableName, name: TableName, kind: str, old: str | None) -> Swap:
        """Put a new table (`kind` says what it is) in the place of the old one, of kind `old`, where there is one."""
        rename = f"ALTER {kind} {self.table(new)} RENAME TO {self.quote(name.parts[-1])}"
        return Swap((f"DROP {old} {self.table(name)}", rename) if old else (rename,))

    def unique_query(self, name: TableName) -> str:
        """The query that has a row where a materialized view has a unique index."""
        raise self._refused("materialized views")

    def refresh(self, name: TableName, unique: bool) -> str:
        """The statement that brings a materialized view up to date; `unique`: whether it has a unique index."""
        raise self._refused("materialized views")

    # -- sessions ------------------------------------------------------------------------------

    def lock_query(self, lock: str) -> str:
        """The query that waits for a lock of that name and takes it."""
        raise self._refused("locks")

    def unlock_query(self, lock: str) -> str:
        """The query that gives a lock back."""
        raise self._refused("locks that outlive a transaction")

    def settings_query(self, names: Sequence[str]) -> str:
        """The query of the values of settings."""
        raise self._refused("settings")

    def set_values(self, values: Mapping[str, object], local: bool = False) -> str:
        """The statement that gives settings these values; `local`: until the end of the transaction only."""
        raise self._refused("settings")
