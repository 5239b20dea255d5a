"""The base class of connectors: a connector reads the columns of tables and runs statements on one kind of connection.

It writes no SQL. Every statement comes from its dialect or from the caller.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sqlrp.core.errors import SourceError, StatementError, UnreachableError, UnsupportedError
from sqlrp.core.script import Setup
from sqlrp.core.sources import TableName
from sqlrp.dialects.base import Column, Dialect

Signature = tuple[Any, list[str], str]
"""A function of this process, the types of its arguments, and that of its result."""
Evaluate = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]
"""The projected rows of the batches of a source."""


@dataclass(frozen=True)
class Batches:
    """Rows that arrive in batches. Each batch has the schema, but for types that only the values of a batch tell."""

    schema: pa.Schema
    each: Iterator[pa.RecordBatch]
    rows: int | None = None
    """about how many rows they have, if that is known"""


def ahead(batches: Iterable[pa.RecordBatch]) -> Generator[pa.RecordBatch, None, None]:
    """The batches; a thread of its own already reads the next one while the caller works on one."""
    each = iter(batches)
    with ThreadPoolExecutor(1, thread_name_prefix="sqlrp-read") as reader:
        coming = reader.submit(next, each, None)
        while (batch := coming.result()) is not None:
            coming = reader.submit(next, each, None)
            yield batch


class Connector(ABC):
    """Connections to one engine; `dialect` writes its SQL."""

    def __init__(self, dialect: Dialect) -> None:
        """`dialect` writes the SQL."""
        self.dialect = dialect

    def __repr__(self) -> str:
        """The class and the engine."""
        return f"{type(self).__name__}({self.dialect.name})"

    @abstractmethod
    def recognises(self, connection: Any) -> bool:
        """Whether a connection belongs to this engine."""

    def serving(self, connection: Any) -> Connector:
        """The connector for a connection that this one recognises: itself, unless it needs another dialect."""
        return self

    # -- implemented by each connector -----------------------------------------------------------

    @abstractmethod
    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement. Raises StatementError, or its subclass UnreachableError if the database does not answer."""

    def store(self, connection: Any, setup: Setup) -> None:
        """Run a set-up statement, or store its temporary table in another way. Raises StatementError like `execute`."""
        self.execute(connection, setup.text)

    @abstractmethod
    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """Run a query. Raises StatementError like `execute`."""

    def rows(self, connection: Any, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query about tables. Raises StatementError like `execute`."""
        return [tuple(row.values()) for row in self.fetch(connection, sql).to_pylist()]

    def result(self, connection: Any, sql: str) -> Any:
        """The result of `project` for a query: its rows, or the engine's own kind of table if it has one."""
        return self.fetch(connection, sql)

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The columns of a table or view, in table order; empty if there is no such table."""
        return [self.dialect.described(*row) for row in self.rows(connection, self.dialect.columns_query(name))]

    def session(self, connection: Any) -> AbstractContextManager[Any]:
        """One connection for several statements. Temporary tables live as long as it."""
        return nullcontext(connection)

    def transaction(self, connection: Any, lock: str, makes: bool) -> AbstractContextManager[Any]:
        """A session whose statements all take effect or none: in the caller's open transaction, or else committed.

        `lock` names a lock that only one transaction at a time can have. `makes`: whether tables are made.
        """
        raise UnsupportedError(
            f"{self.dialect.name} has no transactions: write the result of sqlrp.project, or of the text of sqlrp.sql, "
            "to a table"
        )

    def alone(self) -> AbstractContextManager[Any]:
        """Keep other threads of this process away from the catalogue if the engine fails instead of waiting."""
        return nullcontext()

    # -- rows that are evaluated without SQL (`Facts.streams`) ------------------------------------

    def mapped(self, connection: Any, sql: str, evaluate: Evaluate, kept: int, types: Mapping[str, str]) -> Any:
        """The result of `project` if workers of the engine evaluate the rows of a query (`Facts.has_workers`).

        `evaluate`: the function of the batches; it is pickled. The result has the first `kept` columns of the query,
        then those of `types`: names and types.
        """
        raise UnsupportedError(f"{self.dialect.name} has no workers that evaluate rows in batches")

    def taken(self, connection: Any, sql: str, evaluate: Evaluate, merge: Evaluate) -> Iterator[tuple[int, bytes]]:
        """What workers of the engine take of the rows of a query, as numbers and bytes (`Facts.has_workers`).

        `evaluate` gives rows of a number and bytes for a part of the rows, and `merge` gives fewer of them for several.
        """
        raise UnsupportedError(f"{self.dialect.name} has no workers that evaluate rows in batches")

    def stream(self, connection: Any, sql: str, rows: int) -> AbstractContextManager[Batches]:
        """The rows of a query as they are read, in batches of about so many rows.

        The connection can do nothing else until the rows are read to their end, or the context ends. An engine that
        passes no batches has read all rows before it gives the first ones.
        Raises StatementError like `execute`, for each batch too.
        """
        table = self.fetch(connection, sql)
        return nullcontext(Batches(table.schema, iter(table.to_batches(max_chunksize=rows))))

    def beside(self, connection: Any, table: TableName) -> AbstractContextManager[Any]:
        """A second connection that reads the table while this one writes; None where it might see other rows."""
        return nullcontext(None)

    def lent(self, connection: Any, rows: Batches) -> AbstractContextManager[str]:
        """The rows as a relation that one statement may read once: its text after FROM."""
        raise UnsupportedError(f"{self.dialect.name} does not read rows of this process in batches")

    def capacity(self, connection: Any) -> tuple[int | None, int | None]:
        """The number of threads and of bytes of memory that the engine may use; None for what it does not say."""
        return None, None

    def memory(self, connection: Any) -> int:
        """The number of bytes of memory that the engine may use."""
        memory = self.capacity(connection)[1]
        if memory is None:
            raise UnsupportedError(f"{self.dialect.name} does not say how much memory it may use")
        return memory

    def spill(self, connection: Any) -> str | None:
        """The folder for data that does not fit in memory; None for the system's."""
        return None

    def add_functions(self, connection: Any, functions: Mapping[str, Signature], arrow: bool = True) -> None:
        """Let the connection's database call functions of this process by Arrow, by name, unless it already can."""
        raise UnsupportedError(f"{self.dialect.name} has no functions in this process")

    # -- queries of the dialect ------------------------------------------------------------------

    def columns(self, connection: Any, name: TableName) -> list[Column]:
        """The columns of a table or view, in table order.

        Raises SourceError if there is no such table, UnreachableError if the database does not answer.
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
        """Whether there is a table or view of that name. The question does not break a transaction.

        Raises StatementError if the database does not answer: a missing answer does not mean a missing table.
        """
        query = self.dialect.exists_query(name)
        return bool(self.describe(connection, name) if query is None else self._first(connection, query))

    def tables(self, connection: Any) -> list[Any]:
        """The names of the tables of the current schema."""
        return list(self.fetch(connection, self.dialect.listing).column(0).to_pylist())

    def count(self, connection: Any, name: TableName) -> int | None:
        """The approximate number of rows of a table; None if counting needs a scan."""
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
        """The length of the first array that is not NULL; None if there is none."""
        found = self._first(connection, self.dialect.length_query(name, column))
        return None if found is None else int(found)

    def dependents(self, connection: Any, name: TableName) -> list[str]:
        """The objects, each with its kind, that refer to a table and would be lost or fail if it were replaced."""
        query = self.dialect.dependents_query(name)
        return [] if query is None else [self.dialect.dependent(*row) for row in self.rows(connection, query)]

    def key_kinds(self, connection: Any, name: TableName, column: str) -> set[str]:
        """The kinds of a column's values if the engine's values have types of their own; otherwise empty."""
        query = self.dialect.kinds_query(name, column)
        return set() if query is None else {str(kind) for (kind,) in self.rows(connection, query)}

    def why_unsafe(self, connection: Any, name: TableName) -> str | None:
        """Why using a table of sqlrp's may run another user's code, as the end of a sentence; None if it cannot.

        The table must exist.
        """
        query = self.dialect.unsafe_query(name)
        found = None if query is None else self._first(connection, query)
        return str(found) if found else None

    def saved_beside(self, connection: Any) -> dict[str, object] | None:
        """The texts that `Dialect.saving` saved outside the catalogue, by name; None if the engine saves none."""
        query = self.dialect.saved_query()
        if query is None:
            return None
        texts: dict[str, object] = {}
        for (made,) in self.rows(connection, query):
            name = self.dialect.saved_name(made)
            if name is not None:
                with suppress(StatementError):  # not made by `saving`
                    texts[name] = self._first(connection, self.dialect.saved_text(made))
        return texts

    def function(self, connection: Any, name: TableName) -> str:
        """What the engine says about a scalar function with an array as its argument; empty if there is none."""
        found = self.rows(connection, self.dialect.named_function_query(name))
        return "\n".join(str(cell) for row in found for cell in row)

    def mark(self, connection: Any, name: TableName, text: str) -> None:
        """Write a mark on a table, which stays when the table is renamed; for engines that are not `transactional`."""
        self.execute(connection, self.dialect.marking(name, text))

    def mark_of(self, connection: Any, name: TableName) -> str:
        """The mark of a table; empty if there is no mark or no table."""
        return str(self._first(connection, self.dialect.mark_query(name)) or "")

    def refreshing(self, connection: Any, name: TableName) -> str:
        """The statement that refreshes a materialized view."""
        query = self.dialect.unique_query(name)
        return self.dialect.refresh(name, query is not None and bool(self.rows(connection, query)))

    def swap(self, connection: Any, new: TableName, name: TableName, kind: str, old: str | None) -> None:
        """Replace the old table, of kind `old` if there is one, by the new one, of kind `kind`.

        If this fails it raises StatementError, and the old table stays as it was. If the engine is not
        `transactional`, one statement swaps the tables, and the old one is then dropped under the new one's name.
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
        """Set `Facts.renaming_setting` while tables are renamed."""
        yield

    def _first(self, connection: Any, query: str) -> Any:
        """The first value of the first row; None if there is no row."""
        found: Sequence[tuple[Any, ...]] = self.rows(connection, query)
        return found[0][0] if found else None
