"""The base class of connectors: a connector reads the columns of tables and runs statements on one kind of connection.

It writes no SQL. Every statement comes from its dialect or from the caller.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pyarrow as pa

from sqlrp._core.errors import SourceError, SqlrpError, StatementError, UnreachableError, UnsupportedError
from sqlrp._core.script import Setup, drops_of
from sqlrp._core.sources import QUERY, TableName
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Column, ColumnType, Dialect

_QUOTED = re.compile(r"""'((?:[^']|'')+)'|"((?:[^"]|"")+)\"""")
REMOTE = re.compile(r"(?!file:)\w+://", re.IGNORECASE)

UNSEEN = "it was made or replaced after this transaction began, which does not see it: end the transaction first"
"""Why a transaction that reads all as it was at its beginning cannot read a table."""

Signature = tuple[Any, list[str], str]
"""A function of this process, the types of its arguments, and that of its result."""
Evaluate = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]
"""The projected rows of the batches of a source."""


ELSEWHERE = "drop it, or use a database of your own"
"""The remedy for a table of sqlrp's that is not to be trusted."""


@dataclass(frozen=True)
class Place:
    """What the name of a table means to statements that see no temporary table."""

    name: TableName
    """the name in full"""
    there: bool = True
    """whether there is a table or view of that name"""
    hidden: bool = False
    """whether a temporary table or view of the session has the name, too, so that the name alone means that"""


@dataclass(frozen=True)
class ProofQuestions:
    """What is asked of the tables that a search reads, to know that they are still those that it has read."""

    records: tuple[str, int]
    """the query of rows of the catalogue, and the number of its columns"""
    others: tuple[tuple[str, int], ...]
    """the same of the tables themselves"""
    tables: tuple[TableName, ...]
    """the names in full of the catalogue and of the tables"""
    names: tuple[TableName, ...] = ()
    """names that are to mean what they meant"""
    all_records: str = ""
    """the query of all rows of the catalogue, if they may be asked in place of `records`"""
    kind: str = ""
    """that of the rows of the catalogue which are to stay as they were"""
    key: str = ""
    """the name of the others of them"""

    @property
    def every(self) -> list[tuple[str, int]]:
        """All questions."""
        return [self.records, *self.others]


class MacroText(NamedTuple):
    """A macro of the current schema, as the engine has it."""

    name: str
    is_table: bool
    """whether its result is a table"""
    comment: str
    text: str
    """what it stands for"""


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

    takes_several: ClassVar[bool] = False
    """whether the server takes several statements as one"""

    def __init__(self, dialect: Dialect) -> None:
        """`dialect` writes the SQL."""
        self.dialect = dialect

    def __repr__(self) -> str:
        """The class and the engine."""
        return f"{type(self).__name__}({self.dialect.name})"

    @abstractmethod
    def recognises(self, connection: Any) -> bool:
        """Whether a connection belongs to this engine."""

    def is_in_process(self, connection: Any) -> bool:
        """Whether the engine runs in this process, so that rows are fetched without a network."""
        return False

    def serving(self, connection: Any) -> Connector:
        """The connector for a connection that this one recognises: itself, unless it needs another dialect."""
        return self

    def keeping(self) -> Connector:
        """The connector that keeps tables on the same connection: itself, unless it needs another dialect."""
        return self

    def reached(self, connection: Any) -> Connector:
        """The connector for what the connection reaches: itself, unless only the server knows which engine it is.

        Raises UnreachableError if such a server does not answer.
        """
        return self

    def proved(self, connection: Any) -> set[Hashable] | None:
        """The kinds of projections whose numbers were compared; None if the engine is known, and none has to be."""
        return None

    # -- implemented by each connector -----------------------------------------------------------

    @abstractmethod
    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement. Raises StatementError, or its subclass UnreachableError if the database does not answer."""

    def execute_all(self, connection: Any, statements: Iterable[str]) -> None:
        """Run statements one after the other, in one round trip where the driver takes several. Raises StatementError.

        If one fails, those after it do not run.
        """
        for statement in statements:
            self.execute(connection, statement)

    def write_rows(self, connection: Any, statements: Iterable[str]) -> None:
        """The same for statements that change rows of the catalogue, and nothing else."""
        self.execute_all(connection, statements)

    def store(self, connection: Any, setup: Setup) -> None:
        """Run a set-up statement, or store its temporary table in another way. Raises StatementError like `execute`."""
        self.execute(connection, setup.text)

    def together(self, connection: Any) -> bool:
        """Whether `execute_all` sends several statements as one."""
        return self.takes_several

    def store_all(self, connection: Any, steps: Sequence[Setup]) -> None:
        """Run set-up statements; tables that an earlier failure left under the same names are dropped first."""
        if self.together(connection):
            self.execute_all(connection, [*drops_of(steps), *(step.text for step in steps)])
            return
        self.drop_all(connection, steps)
        for step in steps:
            self.store(connection, step)

    def store_and_ask(self, connection: Any, steps: Sequence[Setup], query: str) -> list[tuple[Any, ...]]:
        """Run set-up statements as `store_all`, then a query for its rows, in one round trip where the driver can."""
        if steps:
            self.store_all(connection, steps)
        return self.rows(connection, query)

    def drop_all(self, connection: Any, steps: Sequence[Setup]) -> None:
        """Drop the existing tables of set-up statements, the last first.

        If one drop fails, the others still run, and the first error is raised: later ones are often its consequences,
        and one of them in its place would hide Ctrl-C.
        """
        if not self.together(connection):
            self._drop_each(connection, steps)
            return
        try:
            self.execute_all(connection, drops_of(steps))
        except BaseException:  # after an interruption others still run
            with suppress(StatementError):
                self._drop_each(connection, steps)
            raise

    def _drop_each(self, connection: Any, steps: Sequence[Setup]) -> None:
        first: BaseException | None = None
        for drop in drops_of(steps):
            try:
                self.execute(connection, drop)
            except BaseException as error:
                first = first or error
        if first is not None:
            raise first

    @contextmanager
    def set_up(self, connection: Any, steps: Sequence[Setup], later: bool = False) -> Iterator[None]:
        """Run set-up statements, and drop their tables afterwards and those of an earlier failure before.

        `later`: they are run by `store_and_ask`.
        """
        try:
            if not later:
                self.store_all(connection, steps)
            yield
            self.drop_all(connection, steps)
        except BaseException:
            # Report the first error, such as that of a drop, which is tried again. If it broke a transaction, the
            # rollback drops the tables.
            with suppress(SqlrpError):
                self.drop_all(connection, steps)
            raise

    def set_up_to_fetch(self, connection: Any, steps: Sequence[Setup]) -> AbstractContextManager[None]:
        """The same of tables that `fetch`, `fetch_all` and later steps read, and nothing else does."""
        return self.set_up(connection, steps)

    def named(self, rows: Any, names: list[str]) -> Any:
        """The rows of a query with our names, by position: drivers fold aliases, or give the name of a column below.

        Raises StatementError if the rows have another number of columns.
        """
        if not isinstance(rows, pa.Table) or rows.column_names == names:
            return rows
        if rows.num_columns != len(names):
            raise StatementError(
                "",
                f"{self.dialect.name} gave {rows.num_columns:,} columns for a query of {len(names):,}: "
                "use another driver, or pass a dataframe",
            )
        return rows.rename_columns(names)

    @abstractmethod
    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """Run a query. Raises StatementError like `execute`."""

    def fetch_few(self, connection: Any, sql: str) -> pa.Table:
        """The same of a query that has few rows."""
        return self.fetch(connection, sql)

    def fetch_all(self, connection: Any, queries: Sequence[str]) -> list[pa.Table]:
        """Run queries one after the other, in one round trip where the driver takes several."""
        return [self.fetch(connection, query) for query in queries]

    def fetch_last(self, connection: Any, sql: str) -> pa.Table:
        """The same of a session's last query, which takes along what ends the session where the driver can."""
        return self.fetch(connection, sql)

    def rows(self, connection: Any, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query about tables. Raises StatementError like `execute`."""
        return [tuple(row.values()) for row in self.fetch(connection, sql).to_pylist()]

    def cells(self, connection: Any, sql: str) -> list[tuple[Any, ...]]:
        """The same of a table that may hold anything: None stands for a text that cannot be read."""
        found = self.fetch(connection, sql)
        return [tuple(map(_cell, row)) for row in zip(*found.columns, strict=True)]

    def forget(self, connection: Any) -> None:  # noqa: B027  # most engines keep no answers
        """Ask the catalogue again, and foresee no more of its answers."""

    def foresee(self, connection: Any) -> None:  # noqa: B027  # most engines answer at once
        """Ask at once what the same call asked from here on the last time: rows of the catalogue may be read now."""

    def expect(  # noqa: B027  # most engines answer at once
        self, connection: Any, sql: str, columns: int, reads: TableName | None = None
    ) -> None:
        """Expect a query of so many columns of the next call of the kind, though this one does not ask it.

        `reads`: as in `ForesightConnector.rows`. It fails for no other table that is not there.
        """

    def result(self, connection: Any, sql: str) -> Any:
        """The result of `project` for a query: its rows, or the engine's own kind of table if it has one."""
        return self.fetch(connection, sql)

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The columns of a table or view, in table order; empty if there is no such table."""
        return [self.dialect.described(*row) for row in self.rows(connection, self.dialect.columns_query(name))]

    def session(self, connection: Any) -> AbstractContextManager[Any]:
        """One connection for several statements. Temporary tables live as long as it."""
        return nullcontext(connection)

    def working(self, connection: Any) -> AbstractContextManager[Any]:
        """A session for statements that take long or need each other's temporary tables, and write nothing else."""
        return self.session(connection)

    def transaction(self, connection: Any, lock: str, makes: bool) -> AbstractContextManager[Any]:
        """A session whose statements all take effect or none: in the caller's open transaction, or else committed.

        `lock` names a lock that only one transaction at a time can have. `makes`: whether tables are made.
        """
        raise UnsupportedError(
            f"{self.dialect.name} has no transactions: write the result of sqlrp.project, or of the text of sqlrp.sql, "
            "to a table"
        )

    def reading(self, connection: Any, lock: str) -> AbstractContextManager[Any]:
        """A transaction that writes nothing."""
        return self.transaction(connection, lock, makes=False)

    def without_row_security(self, connection: Any) -> AbstractContextManager[None]:
        """For a while, a statement fails that row security would show only a part of the rows (`Facts.rows_hidden`)."""
        return nullcontext()

    def holding(self, connection: Any, lock: str) -> AbstractContextManager[bool]:
        """Hold the lock of a table in a transaction, without waiting; False if another connection holds it.

        True without a lock where a transaction sees a table and its record as they were at one time.
        """
        return nullcontext(True)

    def as_taken(self, connection: Any, text: str) -> str:
        """The text of a query as a caller has to run it on the connection."""
        return text

    def making_catalogue(self, connection: Any, lock: str) -> AbstractContextManager[Any]:
        """Make the catalogue within a transaction. What follows is one transaction again, if this commits."""
        return nullcontext()

    def alone(self, connection: Any) -> AbstractContextManager[Any]:
        """Keep other threads of this process away from the catalogue if the engine fails instead of waiting."""
        return nullcontext()

    # -- rows that are evaluated without SQL (`Facts.streams`) ------------------------------------

    def mapped(self, connection: Any, sql: str, evaluate: Evaluate, kept: int, types: Mapping[str, str]) -> Any:
        """The result of `project` if workers of the engine evaluate the rows of a query (`Facts.has_workers`).

        `evaluate`: the function of the batches; it is pickled. The result has the first `kept` columns of the query,
        then those of `types`: names and types.
        """
        raise UnsupportedError(f"{self.dialect.name} has no workers that evaluate rows in batches")

    def reduced(self, connection: Any, sql: str, evaluate: Evaluate, merge: Evaluate) -> Iterator[tuple[int, bytes]]:
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

    @contextmanager
    def attached(self, connection: Any, file: Path) -> Iterator[str | None]:
        """The name, as SQL, of a database with what a file of the engine has, which is attached to read; None without.

        It is left out where the file is not there, or the session may not read it.
        """
        yield None

    def may_load_kernel(self, connection: Any) -> bool:
        """Whether the connection allows `load_kernel` after this transaction."""
        return False

    def load_kernel(self, connection: Any) -> None:  # noqa: B027  # most engines have none
        """Load what runs sqlrp's functions faster."""

    def has_kernel(self, connection: Any) -> bool:
        """Whether it is loaded."""
        return False

    def spill(self, connection: Any) -> str | None:
        """The folder for data that does not fit in memory; None for the system's."""
        return None

    def add_functions(self, connection: Any, functions: Mapping[str, Signature]) -> None:
        """Let the connection's database call functions of this process, by name, unless it already can."""
        raise UnsupportedError(f"{self.dialect.name} has no functions in this process")

    # -- queries of the dialect ------------------------------------------------------------------

    def files(self, connection: Any, tables: Sequence[TableName]) -> list[str]:
        """The local files that the connection's databases are in, that the tables are, and that views may read.

        A view is not followed: every path in the text of a view or macro counts.
        """
        found = [table.parts[0] for table in tables if table.is_file]
        texts = self.dialect.texts_query()
        for (text,) in [] if texts is None else self.rows(connection, texts):
            named = ("".join(pair).replace("''", "'").replace('""', '"') for pair in _QUOTED.findall(str(text)))
            found += [name for name in named if "." in name]
        found = [path for path in dict.fromkeys(found) if not REMOTE.match(path)]
        matching = self.dialect.matching_query(found) if found else None
        found += [] if matching is None else [str(path) for (path,) in self.rows(connection, matching)]
        places = self.dialect.places_query()
        return found + ([] if places is None else [str(path) for (path,) in self.rows(connection, places)])

    def columns(self, connection: Any, name: TableName) -> list[Column]:
        """The columns of a table or view, in table order.

        Raises SourceError if there is no such table, UnreachableError if the database does not answer.
        """
        self.dialect.check_parts(name)
        try:
            found = self.describe(connection, name)
        except UnreachableError:
            raise
        except StatementError as error:
            raise SourceError(f"source {name} cannot be read: {QUERY if name.is_query else error.words}") from error
        if not found:
            why = QUERY if name.is_query else "there is no such table or view"
            if not name.is_query and self.is_unseen(connection, name):
                why = UNSEEN
            raise SourceError(f"source {name} cannot be read: {why}")
        return found

    def listed(self, connection: Any, name: TableName) -> list[Column]:
        """The columns of a table or view as they are listed; empty if there is none.

        The question does not break a transaction, and a view is not looked into: it may read what is no longer there.
        """
        query = self.dialect.listed_query(name)
        if query is not None:
            return [self.dialect.described(*row) for row in self.rows(connection, query)]
        return self.describe(connection, name) if self.exists(connection, name) else []

    def proof(self, connection: Any, asked: ProofQuestions) -> str:
        """What the questions are answered (`Dialect.in_one`)."""
        return str(self.fetch(connection, self.dialect.in_one(asked.every)).column(0).to_pylist()[0])

    def proof_of_records(self, connection: Any, asked: ProofQuestions) -> str:
        """What is answered of the rows of the catalogue, where `proof` leaves them out (`Facts.proves_apart`).

        Empty if all rows are asked and they are too many.
        """
        return ""

    def attempting(self, connection: Any) -> AbstractContextManager[object]:
        """Within it, a statement that fails leaves the caller's transaction as it was."""
        return nullcontext()

    def as_shown(self, rows: pa.Table, columns: Sequence[Column]) -> pa.Table:
        """The rows with values as the engine shows them, where its driver passes others. `columns`: of the source."""
        return rows

    def exists(self, connection: Any, name: TableName) -> bool:
        """Whether there is a table or view of that name. The question does not break a transaction.

        Raises StatementError if the database does not answer: a missing answer does not mean a missing table.
        """
        query = self.dialect.exists_query(name)
        return bool(self.describe(connection, name) if query is None else self._first(connection, query))

    def is_unseen(self, connection: Any, name: TableName) -> bool:
        """Whether a table of that name was made after the transaction began, so that it sees none of its rows."""
        query = self.dialect.unseen_query(name)
        return query is not None and bool(self._first(connection, query))

    def spread(self, connection: Any, name: TableName) -> tuple[str, TableName] | None:
        """The cluster and the table of each server that a table reads; None for a table of this server."""
        query = self.dialect.spread_query(name)
        found = None if query is None else self._first(connection, query)
        return None if found is None else self.dialect.spread(str(found))

    def tables(self, connection: Any) -> list[Any]:
        """The names of the tables of the current schema."""
        return list(self.fetch(connection, self.dialect.listing).column(0).to_pylist())

    def asides(self, connection: Any, name: TableName) -> tuple[set[str], set[str]]:
        """Of files: the columns that are the index of a pandas frame, and those that the names of folders give."""
        return set(), set()

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

    def array_length(self, connection: Any, name: TableName, column: str, kind: ColumnType) -> int | None:
        """The length of the first array that is not NULL; None if there is none. `kind`: the column's type."""
        found = self._first(connection, self.dialect.length_query(name, column, kind))
        return None if found is None else int(found)

    def dependents(self, connection: Any, name: TableName) -> list[str]:
        """The objects, each with its kind, that refer to a table and would be lost or fail if it were replaced."""
        query = self.dialect.dependents_query(name)
        return [] if query is None else [f"{kind} {named}" for kind, named in self.rows(connection, query)]

    def key_kinds(self, connection: Any, name: TableName, column: str) -> set[str]:
        """The kinds of a column's values if the engine's values have types of their own; otherwise empty."""
        query = self.dialect.kinds_query(name, column)
        return set() if query is None else {str(kind) for (kind,) in self.rows(connection, query)}

    def why_unsafe(self, connection: Any, name: TableName) -> str | None:
        """Why a table of sqlrp's is not to be trusted, with the remedy, as the end of a sentence; None if it is.

        The table must exist.
        """
        query = self.dialect.unsafe_query(name)
        for why, *remedy in [] if query is None else self.rows(connection, query):
            if why:
                return f"{why}: {remedy[0] if remedy else ELSEWHERE}"
        return None

    def check_writable(self, connection: Any, name: TableName) -> None:
        """Raise StatementError if a table of that name, or its record, could not be written.

        Raises UnsupportedError for a database of another engine, in which the engine makes tables, but no records.
        """
        query = self.dialect.read_only_query(name)
        for database, *other in [] if query is None else self.rows(connection, query):
            if any(other):
                raise UnsupportedError(
                    f"the database {self.dialect.quote(str(database))} is of {other[0]}, where sqlrp keeps nothing: "
                    f"USE a database of {self.dialect.name} and keep the table there, or write the text of sqlrp.sql "
                    "after CREATE TABLE … AS"
                )
            words = f"the database {self.dialect.quote(str(database))} is opened read-only, so that nothing can be kept"
            raise StatementError("", f"{words} in it: open it for writing")

    def restricted(self, connection: Any) -> str:
        """Why a session may make no temporary table, or no setting of its queries, with the remedy; empty if it may."""
        query = self.dialect.restricted_query
        return str(self._first(connection, query) or "") if query else ""

    def saved_beside(self, connection: Any) -> dict[str, object] | None:
        """The texts that `Dialect.saving` saved outside the catalogue, by name; None if the engine saves none."""
        return None

    def macros(self, connection: Any) -> list[MacroText]:
        """The macros of the current schema that are not the engine's own; none on an engine without macros."""
        return []

    def function(self, connection: Any, name: TableName) -> str:
        """What the engine says about a scalar function with an array as its argument; empty if there is none."""
        found = self.rows(connection, self.dialect.named_function_query(name))
        return "\n".join(str(cell) for row in found for cell in row)

    def collated(self, connection: Any, table: TableName, names: Iterable[str]) -> set[str]:
        """Those columns of a table whose values = does not tell apart, as their collation takes some for equal."""
        columns, asked = self.columns(connection, table), set(names)
        texts = {column.name for column in columns if column.name in asked and not self.dialect.tells_all(column.type)}
        query = self.dialect.collated_query(table) if texts else None
        return texts if query is None else texts & {str(name) for (name,) in self.rows(connection, query)}

    def searches(self, connection: Any, name: TableName) -> list[tuple[Any, ...]]:
        """What the engine says about a function that searches, its mark among it; empty if there is none."""
        return self.rows(connection, self.dialect.search_query(name))

    def overload(self, connection: Any, name: TableName) -> None:  # noqa: B027  # most engines have one type of arrays
        """Let a function that was made take other types of vectors, too: those that the server has."""

    def drop_overloads(self, connection: Any, name: TableName) -> None:  # noqa: B027
        """Drop what `overload` made."""

    def place(self, connection: Any, name: TableName) -> Place:
        """What a name means without temporary tables. An engine that cannot tell takes the name as it is.

        Raises SourceError for a name of too many parts.
        """
        self.dialect.check_parts(name)
        return self._placed(connection, name, self.dialect.place_query(name))

    def catalogue_place(self, connection: Any, name: TableName) -> Place:
        """The same for the catalogue."""
        return self._placed(connection, name, self.dialect.catalogue_query(name))

    def _placed(self, connection: Any, name: TableName, query: str | None) -> Place:
        found = [] if query is None else self.rows(connection, query)
        if not found or None in found[0]:  # there is no such schema, or no current one
            return Place(name, there=self.exists(connection, name))
        there, hidden, *parts = found[0]
        return Place(TableName(tuple(map(str, parts))), bool(there), bool(hidden))

    def mark_of(self, connection: Any, name: TableName) -> str:
        """The text that has the mark of a table or view (`Dialect.marking`); empty if there is none."""
        query = self.dialect.mark_query(name)
        return str((query and self._first(connection, query)) or "")

    def put_mark(self, connection: Any, name: TableName, mark: str, column: str) -> bool:
        """Put a mark on a new table, and say whether one can carry it (`Facts.fills`).

        `column`: one of numbers, as SQL.
        """
        raise UnsupportedError(f"{self.dialect.name} marks a table where it makes it")

    def committed(self, connection: Any) -> None:
        """Commit what was done in a transaction of sqlrp's (`Facts.fills`)."""
        raise UnsupportedError(f"{self.dialect.name} commits a transaction as a whole")

    def rolled_back(self, connection: Any) -> None:
        """Take back what was done since a statement made or dropped something (`Facts.fills`)."""
        raise UnsupportedError(f"{self.dialect.name} takes back a transaction as a whole")

    def properties(self, connection: Any, name: TableName) -> dict[str, str]:
        """The properties of a table; empty if there is none (`Facts.records_in_tables`)."""
        raise UnsupportedError(f"{self.dialect.name} has no properties of tables")

    def rename(self, connection: Any, name: TableName, new: TableName) -> None:
        """Give a table or a view another name of its schema (`Facts.records_in_tables`)."""
        self.execute(connection, self.dialect.renaming(name, new, self.noun_of(connection, name)))

    def noun_of(self, connection: Any, name: TableName) -> str:
        """What statements call a table that `materialize` made, or a view if it may be one."""
        return "TABLE"

    def refreshing(self, connection: Any, name: TableName) -> str:
        """The statement that refreshes a materialized view."""
        query = self.dialect.unique_query(name)
        return self.dialect.refresh(name, query is not None and bool(self.rows(connection, query)))

    def swap(
        self, connection: Any, new: TableName, name: TableName, kind: str, old: str | None, before: Sequence[str] = ()
    ) -> bool:
        """Replace the old table, of kind `old` if there is one, by the new one, of kind `kind`.

        Returns whether the old one is left, under the name of `aside`.

        `before`: statements that are run first, with it if the driver takes several. If the swap fails it raises
        StatementError, and the old table stays as it was. If the engine is not `transactional`, one statement swaps
        the tables, and the old one is then dropped under the new one's name.
        """
        swap = self.dialect.swapping(new, name, kind, old)
        *first, last = [*before, *swap.statements]
        with self.renaming(connection):
            if not swap.undo:
                self.execute_all(connection, [*first, last])
                return False
            self.execute_all(connection, first)
            try:
                self.execute(connection, last)
            except StatementError:
                self.execute(connection, swap.undo)
                raise
        return False

    @contextmanager
    def renaming(self, connection: Any) -> Iterator[None]:
        """Set `Facts.renaming_setting` while tables are renamed."""
        yield

    def _first(self, connection: Any, query: str) -> Any:
        """The first value of the first row; None if there is no row."""
        found: Sequence[tuple[Any, ...]] = self.rows(connection, query)
        return found[0][0] if found else None


def _cell(value: Any) -> object:
    """The value of a cell; None for bytes that are not text."""
    try:
        return value.as_py()
    except UnicodeDecodeError:
        return None
