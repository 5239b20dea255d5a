"""What a connector is: it reads the columns of tables and runs statements on connections of one kind.

It writes no SQL of its own: every statement comes from its dialect, or from the caller.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any

import pyarrow as pa

from sqlrp.core.errors import SourceError, StatementError, UnreachableError, UnsupportedError
from sqlrp.core.sources import TableName
from sqlrp.dialects.base import Column, Dialect


class Connector(ABC):
    """Connections to one engine, whose SQL `dialect` writes."""

    def __init__(self, dialect: Dialect) -> None:
        """`dialect` writes the SQL."""
        self.dialect = dialect

    def __repr__(self) -> str:
        """The class and the engine."""
        return f"{type(self).__name__}({self.dialect.name})"

    @abstractmethod
    def recognises(self, connection: Any) -> bool:
        """Whether a connection is to this engine."""

    def serving(self, connection: Any) -> Connector:
        """The connector for a connection that it recognises: itself, unless the connection changes the dialect."""
        return self

    # -- what every connector has its own way for ------------------------------------------------

    @abstractmethod
    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement; raises StatementError, which is UnreachableError where the database does not answer."""

    @abstractmethod
    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """Run a query; raises StatementError, as `execute`."""

    def rows(self, connection: Any, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query about tables; raises StatementError, as `execute`."""
        return [tuple(row.values()) for row in self.fetch(connection, sql).to_pylist()]

    def result(self, connection: Any, sql: str) -> Any:
        """What `project` returns for a query: its rows, unless the engine has a table of its own for them."""
        return self.fetch(connection, sql)

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The columns of a table or view, in table order; empty where there is none."""
        return [self.dialect.described(*row) for row in self.rows(connection, self.dialect.columns_query(name))]

    def session(self, connection: Any) -> AbstractContextManager[Any]:
        """One connection, kept while several statements run; a temporary table lives in it."""
        return nullcontext(connection)

    def transaction(self, connection: Any, lock: str, makes: bool) -> AbstractContextManager[Any]:
        """A session whose statements all hold or none: in the caller's transaction where one is open, else committed.

        `lock` names what only one transaction at a time may work on; `makes`: whether tables are made.
        """
        raise UnsupportedError(
            f"{self.dialect.name} has no transactions: write the result of sqlrp.project, or of the text of sqlrp.sql, "
            "to a table"
        )

    def alone(self) -> AbstractContextManager[Any]:
        """Keep other threads of this process from the catalogue, where the engine fails instead of waiting."""
        return nullcontext()

    def add_function(self, connection: Any, name: str, function: Any, arguments: list[str], returns: str) -> None:
        """Let the database of the connection call a function of this process by Arrow, if it does not yet."""
        raise UnsupportedError(f"{self.dialect.name} has no functions in this process")

    # -- questions that the dialect writes -------------------------------------------------------

    def columns(self, connection: Any, name: TableName) -> list[Column]:
        """The columns of a table or view, in table order; raises SourceError where there is none.

        Raises UnreachableError where the database does not answer.
        """
        try:
            found = self.describe(connection, name)
        except UnreachableError:
            raise
        except StatementError as error:
            raise SourceError(f"source {name} cannot be read: {error.words}") from error
        if not found:
            raise SourceError(f"source {name} cannot be read: there is no such table or view")
        return found

    def exists(self, connection: Any, name: TableName) -> bool:
        """Whether there is a table or view of that name; asking breaks no transaction.

        Raises StatementError where the database does not answer: no answer does not mean that there is no table.
        """
        query = self.dialect.exists_query(name)
        return bool(self.describe(connection, name) if query is None else self._first(connection, query))

    def count(self, connection: Any, name: TableName) -> int | None:
        """About how many rows a table has; None where asking costs a scan."""
        query = self.dialect.count_query(name)
        if query is None:
            return None
        try:
            found = self._first(connection, query)
        except StatementError as error:
            if not self.dialect.uncounted or self.dialect.uncounted not in error.words:
                raise
            return None
        return found if isinstance(found, int) else None

    def array_length(self, connection: Any, name: TableName, column: str) -> int | None:
        """The length of the first array that is not NULL; None where there is none."""
        found = self._first(connection, self.dialect.length_query(name, column))
        return None if found is None else int(found)

    def dependents(self, connection: Any, name: TableName) -> list[str]:
        """What refers to a table and would be lost, or fail, where the table were replaced; each with its kind."""
        query = self.dialect.dependents_query(name)
        return [] if query is None else [self.dialect.dependent(*row) for row in self.rows(connection, query)]

    def key_kinds(self, connection: Any, name: TableName, column: str) -> set[str]:
        """The kinds of the values of a column, where values have a type of their own; else empty."""
        query = self.dialect.kinds_query(name, column)
        return set() if query is None else {str(kind) for (kind,) in self.rows(connection, query)}

    def why_unsafe(self, connection: Any, name: TableName) -> str | None:
        """Why using a table of ours may run another user's code, as the end of a sentence; None where it does not.

        The table must be there.
        """
        query = self.dialect.unsafe_query(name)
        found = None if query is None else self._first(connection, query)
        return str(found) if found else None

    def saved_beside(self, connection: Any) -> dict[str, object] | None:
        """What `Dialect.saving` left besides the rows of the catalogue, by name; None where it leaves nothing."""
        query = self.dialect.saved_query()
        if query is None:
            return None
        texts: dict[str, object] = {}
        for (made,) in self.rows(connection, query):
            name = self.dialect.saved_name(made)
            if name is not None:
                with suppress(StatementError):  # not one that `saving` makes
                    texts[name] = self._first(connection, self.dialect.saved_text(made))
        return texts

    def mark(self, connection: Any, name: TableName, text: str) -> None:
        """Write a mark on a table, which stays with it under every name; for engines that are not `transactional`."""
        self.execute(connection, self.dialect.marking(name, text))

    def mark_of(self, connection: Any, name: TableName) -> str:
        """The mark of a table; empty where there is none, or no table."""
        return str(self._first(connection, self.dialect.mark_query(name)) or "")

    def refreshing(self, connection: Any, name: TableName) -> str:
        """The statement that brings a materialized view up to date."""
        unique = self.rows(connection, self.dialect.unique_query(name))
        return self.dialect.refresh(name, bool(unique))

    def swap(self, connection: Any, new: TableName, name: TableName, kind: str, old: str | None) -> None:
        """Put a new table (or what else `kind` says) in the place of the old one, of kind `old`, if there is one.

        Raises StatementError where that fails; the old table then stands as it was. Where the engine is not
        `transactional`, one statement does it, and the old table is dropped under the name of the new one.
        """
        swap = self.dialect.swapping(new, name, kind, old)
        *first, last = swap.statements
        with self.renaming(connection):
            for statement in first:
                self.execute(connection, statement)
            try:
                self.execute(connection, last)
            except StatementError:
                if swap.undo:
                    self.execute(connection, swap.undo)
                raise

    @contextmanager
    def renaming(self, connection: Any) -> Iterator[None]:
        """The setting of `Facts.renaming_setting` while tables are renamed."""
        yield

    def _first(self, connection: Any, query: str) -> Any:
        """The first value of the first row; None where there is no row."""
        found: Sequence[tuple[Any, ...]] = self.rows(connection, query)
        return found[0][0] if found else None
