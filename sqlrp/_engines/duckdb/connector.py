"""DuckDB by its Python package."""

from __future__ import annotations

import atexit
import re
import weakref
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from pathlib import Path
from threading import Lock, RLock
from typing import Any, ClassVar
from urllib.parse import unquote
from uuid import uuid4

import duckdb
import pyarrow as pa

from sqlrp._connectors.arrow_cursors import arrow_reader
from sqlrp._connectors.connector import (
    ELSEWHERE,
    REMOTE,
    Batches,
    Connector,
    MacroText,
    Place,
    ProofQuestions,
    Signature,
    ahead,
)
from sqlrp._connectors.foreseen import ForesightConnector
from sqlrp._connectors.foresight import Answer, Foresight, QuestionStage, Rows
from sqlrp._connectors.sqlalchemy import OpeningConnector
from sqlrp._core.alchemy import is_alchemy
from sqlrp._core.errors import StatementError, UnreachableError, one_line, warn
from sqlrp._core.interruption import interruptible
from sqlrp._core.logs import LOG, log_statement
from sqlrp._core.names import folded, index_of
from sqlrp._core.native_library import EXTENSION
from sqlrp._core.script import Setup, drops_of
from sqlrp._core.shipped_files import copy_of, text_of
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Column
from sqlrp._engines.duckdb.catalogue import SAVED
from sqlrp._engines.duckdb.dialect import DuckDB
from sqlrp._engines.duckdb.namesakes import Namesakes

VERSION = tuple(int(part) for part in duckdb.__version__.split(".")[:2])
"""The version of the package, such as (1, 4). A process has one."""
_ALONE = RLock()
_BEGUN: weakref.WeakSet[Any] = weakref.WeakSet()
"""The connections in a transaction that sqlrp began."""
_LOCKS: weakref.WeakKeyDictionary[duckdb.DuckDBPyConnection, AbstractContextManager[Any]] = weakref.WeakKeyDictionary()
"""For each connection, the lock of the thread whose call uses it."""
_FINDING = Lock()
"""Taken while the lock of a connection is found or made."""
_PARTITION = re.compile(r"(?:^|/)([^/=]+)=[^/]*(?=/)")
"""The name of a column that a folder's name gives, as year in year=2024."""
_PLANNED: weakref.WeakKeyDictionary[duckdb.DuckDBPyConnection, set[str]] = weakref.WeakKeyDictionary()
"""For each connection, the names of the queries that it has planned."""
_SAID: weakref.WeakKeyDictionary[duckdb.DuckDBPyConnection, dict[Hashable, tuple[Rows, str]]]
_SAID = weakref.WeakKeyDictionary()
"""For each connection, the rows by which a search was proved the last time, and what they said, by what was asked."""
_LISTINGS = ("sqlrp_tables", "sqlrp_tables_and_views")
"""The names of the listings without views and with them."""
_FEW_RECORDS = 64
"""The most rows of a catalogue that is read as a whole: a condition takes longer to plan than these to read."""
_NOT_ALLOWED = (
    "the functions run as plain SQL: sqlrp.connect, or duckdb.connect with "
    "config={'allow_unsigned_extensions': 'true'}, lets DuckDB's extension sqlrp run them"
)
_NUMBERS = {
    **{"TINYINT": pa.int8(), "SMALLINT": pa.int16(), "INTEGER": pa.int32(), "BIGINT": pa.int64()},
    **{"UTINYINT": pa.uint8(), "USMALLINT": pa.uint16(), "UINTEGER": pa.uint32(), "UBIGINT": pa.uint64()},
    **{"FLOAT": pa.float32(), "DOUBLE": pa.float64(), "BOOLEAN": pa.bool_()},
}
"""The types whose values are the same by way of Python and of Arrow, with Arrow's."""
_VECTOR = 2_048
"""The rows that DuckDB keeps in their order where the setting preserve_insertion_order is off."""
_BATCH = 100_000  # rows per batch: streaming plans the text once, a relation plans it twice


class DuckDBConnector(ForesightConnector):
    """A connection of the package `duckdb`."""

    dialect: DuckDB
    takes_several: ClassVar[bool] = True
    compares_answers: ClassVar[bool] = False

    def __init__(self, dialect: DuckDB) -> None:
        """What the dialect may ask depends on the version."""
        super().__init__(dialect)
        dialect.has_triggers = VERSION >= (2, 0)

    def recognises(self, connection: Any) -> bool:
        """Whether it is a connection of the package, the package itself, or SQLAlchemy's by `duckdb-engine`.

        The functions of the package run on its default connection.
        """
        own = isinstance(connection, duckdb.DuckDBPyConnection) or connection is duckdb
        return own or _is_by_alchemy(connection)

    def serving(self, connection: Any) -> Connector:
        """The connector that finds the package's connection in SQLAlchemy's."""
        return AlchemyDuckDBConnector(self.dialect) if _is_by_alchemy(connection) else self

    @contextmanager
    def session(self, connection: Any) -> Iterator[Any]:
        """The connection, which other threads that call sqlrp with it wait for: DuckDB runs one statement at a time."""
        with self._reached(connection) as reached, self._asking(reached):
            yield reached

    @contextmanager
    def _reached(self, connection: Any) -> Iterator[Any]:
        """The connection of the package, which this thread has for itself."""
        with turn(connection):
            yield connection

    @contextmanager
    def _asking(self, connection: Any) -> Iterator[None]:
        """The outermost session of a connection."""
        if self.within(connection):
            yield
            return
        foresight = Foresight.of(connection, own=connection in _BEGUN, resumes=False)
        with self.foreseeing(connection, foresight):
            self.foresee(connection)
            yield

    @contextmanager
    def transaction(self, connection: Any, lock: str, makes: bool) -> Iterator[Any]:
        """Transactions that change one row conflict, so no lock is needed. BEGIN in a transaction would break it."""
        with self._reached(connection) as reached, self._begun(reached), self._asking(reached):
            yield reached

    def pool_of(self, connection: Any) -> Any:
        """The connection itself."""
        return connection

    def fresh(self, connection: Any, sql: str) -> Rows:
        """All rows, now: a result that is not read to its end keeps the connection busy."""
        return self.told(connection, sql)[1]

    def told(self, connection: Any, sql: str) -> tuple[list[Any], Rows]:
        """The types, and all rows."""
        log_statement(self.dialect.name, sql)
        self.not_foreseen(connection)
        with turn(connection), _words(sql):
            result = connection.execute(sql)
            return [column[1] for column in result.description], list(result.fetchall())

    def joins(self, sql: str, kinds: Sequence[object], rows: Rows, reads: TableName | None) -> bool:
        """Also what reads a table, if it is known when it is asked."""
        return len(rows) <= _VECTOR and (reads is not None or self.dialect.joinable(sql, kinds, rows))

    def answers_of(self, connection: Any, stages: Sequence[QuestionStage]) -> Sequence[Sequence[Answer | None]]:
        """The answers of a stage, without those of questions that might fail, as that would break a transaction."""
        (stage,) = stages
        asking = [question for question in stage.answers if self._cannot_fail(connection, question.reads)]
        if len(asking) < 2:
            return [[None] * len(stage.answers)]
        found: dict[Any, Rows] = {question: [] for question in asking}
        for at, *rows in self.fresh(connection, self.dialect.at_once([(each.text, each.columns) for each in asking])):
            found[asking[at]].append(tuple(rows[at].values()))
        few = {question: rows for question, rows in found.items() if len(rows) <= _VECTOR}
        return [[few.get(question) for question in stage.answers]]

    def _cannot_fail(self, connection: Any, reads: TableName | None) -> bool:
        """Whether a session knows that what a question reads is a table: a view may read what is no longer there."""
        if reads is None:
            return True
        if reads.is_file or reads.is_query or not self.knows(connection, (self.dialect.tables_query,)):
            return False
        namesakes = self._namesakes(connection, reads)
        found = namesakes.named
        return found is not None and not found.is_view and not namesakes.is_hidden

    def _in_transaction(self, connection: Any) -> bool:
        """Whether a transaction is open. So it is taken to be where the current database is none of DuckDB's.

        The transactions of such a database have no number, and to ask for one is an internal error of DuckDB.
        A variable is left, which the caller removes.
        """
        ((begun, elsewhere),) = self.fresh(connection, self.dialect.begun_query)
        if elsewhere or not begun:
            return bool(elsewhere)
        first, second = (self.fresh(connection, self.dialect.transaction_query) for _ in range(2))
        return first == second

    @contextmanager
    def _begun(self, connection: Any) -> Iterator[Any]:
        if self._in_transaction(connection):
            self.execute(connection, self.dialect.begun_forgotten)
            yield connection
            return
        with interruptible():
            try:
                self.execute_all(connection, [self.dialect.begun_forgotten, self.dialect.begins])
                _BEGUN.add(connection)
                yield connection
                self.execute(connection, self.dialect.commits)
            except BaseException:
                with suppress(StatementError):  # there is nothing to roll back if BEGIN or COMMIT was refused
                    self.execute(connection, self.dialect.rolls_back)
                raise
            finally:
                _BEGUN.discard(connection)

    @contextmanager
    def alone(self, connection: Any) -> Iterator[None]:
        """A lock: if two transactions make the same table, macro or function, DuckDB refuses the second at once.

        The connection is taken first, as by each call, so that no two threads wait for each other.
        """
        with self._reached(connection), _ALONE:
            yield

    @contextmanager
    def attached(self, connection: Any, file: Path) -> Iterator[str | None]:
        """By a cursor: what DuckDB refuses there breaks no transaction of the caller, who sees the database."""
        if not file.is_file() or not self.rows(connection, self.dialect.attachable_query)[0][0]:
            yield None
            return
        name = self.dialect.quote(f"sqlrp_{uuid4().hex}")
        with self._reached(connection) as reached, reached.cursor() as other:
            try:
                self.execute(other, self.dialect.attaching.format(file=self.dialect.string(str(file)), name=name))
            except StatementError as error:  # such as a setting that keeps files out
                LOG.info("the functions are made from their text: %s", one_line(str(error)))
                name = ""
            try:
                yield name or None
            finally:
                if name:
                    with suppress(StatementError):  # all is done or undone by now
                        self.execute(other, self.dialect.detaching.format(name=name))

    def may_load_kernel(self, connection: Any) -> bool:
        """Not from a transaction of the caller: the extension would not see what the transaction made."""
        return connection in _BEGUN and self.reaches_files(connection)

    def load_kernel(self, connection: Any, is_new: bool = False) -> None:
        """Load the extension: the file that was built, or one that is installed in DuckDB; warn how to allow it.

        `is_new`: nothing is in the database.
        """
        try:
            [(unsigned, installed, loaded)] = self.rows(connection, self.dialect.extension_query)
            file = self.dialect.string(str(EXTENSION)) if EXTENSION.is_file() else ""
            name = file if unsigned and file else "sqlrp" if installed else ""
            if name and not loaded:
                if is_new:
                    self._copy_functions(connection)
                self.execute(connection, self.dialect.loading_extension.format(name=name))
        except StatementError as error:  # a file of another platform, or a setting that keeps files out
            LOG.warning("the functions run without the extension sqlrp: %s", one_line(str(error)))
            return
        if file and not name and not loaded:
            warn(_NOT_ALLOWED)

    def _copy_functions(self, connection: Any) -> None:
        """Copy the functions of `install` into a database that has nothing, if the package brings them as a file."""
        with self.attached(connection, copy_of(text_of("duckdb.sql"))) as copy:
            if copy:
                target = self.dialect.quote(str(self._first(connection, self.dialect.database_query)))
                self.execute(connection, self.dialect.copying_database.format(source=copy, target=target))

    def has_kernel(self, connection: Any) -> bool:
        """Whether the extension is loaded."""
        outside = self.reaches_files(connection)
        query = self.dialect.kernel_query if outside else self.dialect.kernel_inside_query
        return bool(self.rows(connection, query))

    def reaches_files(self, connection: Any) -> bool:
        """Whether the session may read files, and load extensions."""
        return bool(self.rows(connection, self.dialect.outside_query)[0][0])

    def add_functions(self, connection: Any, functions: Mapping[str, Signature]) -> None:
        """The functions belong to the database while the process has it open. They are called for NULL too."""
        kind: Any = "native"  # as text: the module of these values has another name in DuckDB 1.4.0
        special: Any = "special"
        with self.alone(connection):
            there = {name for (name,) in self.rows(connection, self.dialect.functions_query(list(functions)))}
            for name, (function, arguments, returns) in functions.items():
                if name not in there:
                    with _words(f"create_function({name!r})"):
                        connection.create_function(name, function, arguments, returns, type=kind, null_handling=special)
                    atexit.register(_forget, weakref.ref(connection), name)

    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement."""
        log_statement(self.dialect.name, sql)
        self.forget(connection)
        self.not_foreseen(connection)
        with turn(connection), _words(sql):
            connection.execute(sql)

    def execute_all(self, connection: Any, statements: Iterable[str]) -> None:
        """As one text, of which each statement runs by itself."""
        texts = list(statements)
        if texts:
            self.execute(connection, ";\n".join(texts))

    def write_rows(self, connection: Any, statements: Iterable[str]) -> None:
        """What the session knows of tables and macros stays so."""
        with self.keeping_answers(connection):
            self.execute_all(connection, statements)

    def store_and_ask(self, connection: Any, steps: Sequence[Setup], query: str) -> Rows:
        """As one text, of which DuckDB gives the rows of the last statement."""
        self.forget(connection)
        return self.fresh(connection, ";\n".join([*drops_of(steps), *(step.text for step in steps), query]))

    def fetch_all(self, connection: Any, queries: Sequence[str]) -> list[pa.Table]:
        """As one. Rows keep their order unless the setting preserve_insertion_order is off."""
        import pyarrow.compute as pc  # here, as its import takes long

        rows = self.fetch(connection, self.dialect.all_of(queries))
        of_each = [column.filter(pc.equal(rows.column(0), at)) for at, column in enumerate(rows.columns[1:])]
        return [pa.Table.from_struct_array(own.combine_chunks()) for own in of_each]

    @contextmanager
    def stream(self, connection: Any, sql: str, rows: int) -> Iterator[Batches]:
        """By Arrow, from a relation: `execute` would compute all rows first."""
        log_statement(self.dialect.name, sql)
        with ExitStack() as opened:
            with turn(connection), _words(sql):  # at whose end Ctrl-C may be raised
                reader = opened.enter_context(closing(arrow_reader(connection.sql(sql), rows)))

            def each() -> Iterator[pa.RecordBatch]:
                while True:
                    try:
                        batch = next(reader, None)
                    except (pa.ArrowException, OSError) as error:  # the engine's words, by way of Arrow
                        raise StatementError(sql, DuckDB().said(str(error))) from error
                    if batch is None:
                        return
                    yield batch

            with interruptible(), closing(ahead(each())) as batches:
                yield Batches(reader.schema, batches)

    @contextmanager
    def beside(self, connection: Any, table: TableName) -> Iterator[Any]:
        """A cursor, if it has the same settings and finds the same table.

        It would not see temporary tables, and not what an open transaction of the caller has changed. sqlrp's own
        transactions change no source.
        """
        if connection not in _BEGUN and self._in_transaction(connection):
            yield None
            return
        seen = self.dialect.seen(table)
        with connection.cursor() as other:
            found = self.fresh(connection, seen)
            [(_, _, tables, hiding)] = found
            alone = not hiding and len(tables or []) == (not table.is_file)
            yield other if alone and self.fresh(other, seen) == found else None

    @contextmanager
    def lent(self, connection: Any, rows: Batches) -> Iterator[str]:
        """A registered reader; no table has its name, which is new each time."""
        name, failed = f"sqlrp_{uuid4().hex}", []

        def each() -> Iterator[pa.RecordBatch]:
            try:
                yield from rows.each
            except BaseException as error:
                failed.append(error)
                raise

        with _words("register"):
            connection.register(name, pa.RecordBatchReader.from_batches(rows.schema, each()))
        self.forget(connection)
        try:
            yield self.dialect.quote(name)
        except Exception as error:
            raise (failed or [error])[0] from None
        finally:
            with suppress(duckdb.Error):  # a failed transaction, whose rollback removes it
                connection.unregister(name)

    def asides(self, connection: Any, name: TableName) -> tuple[set[str], set[str]]:
        """As the metadata of the first file and the paths of all say. Files elsewhere are not looked at."""
        if REMOTE.match(name.parts[0]):
            return set(), set()
        paths = [str(path) for (path,) in self.rows(connection, self.dialect.paths_query(name))]
        partitions = {unquote(key) for path in paths for key in _PARTITION.findall(path.replace("\\", "/"))}
        index: set[str] = set()
        if paths and re.search(r"\.parquet$", paths[0], re.IGNORECASE):
            for (text,) in self.rows(connection, self.dialect.pandas_query(paths[0])):
                index = index_of(str(text))
        return index, partitions

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The columns of a table or view, in table order; of one that is missing an error."""

        def ask() -> list[Column]:
            rows = self.rows(connection, self.dialect.columns_query(name), name)
            return [self.dialect.described(*row) for row in rows]

        return list(self.remembered(connection, ("columns", name), ask))

    def exists(self, connection: Any, name: TableName) -> bool:
        """As the list of tables and views says: a DESCRIBE of a missing table breaks the transaction."""
        return self._namesakes(connection, name).named is not None

    def place(self, connection: Any, name: TableName) -> Place:
        """The tables on the search path, then those of main."""
        self.dialect.check_parts(name)
        namesakes = self._namesakes(connection, name)
        if name.is_file or len(name.parts) > 3:
            return Place(name, there=namesakes.named is not None)
        found, hidden = namesakes.found, namesakes.is_hidden
        if found is not None:
            return Place(TableName(found[:3]), hidden=hidden)
        databases = self.rows(connection, self.dialect.databases_query) if len(name.parts) == 2 else []
        return Place(namesakes.new(str(database) for (database,) in databases), there=False, hidden=hidden)

    def catalogue_place(self, connection: Any, name: TableName) -> Place:
        """The current schema alone, as that of the macros of saved projections."""
        namesakes = self._namesakes(connection, name)
        here = TableName((namesakes.database, namesakes.schema, name.parts[-1]))
        return Place(here, there=namesakes.named is not None)

    def mark_of(self, connection: Any, name: TableName) -> str:
        """The comment of the table or view."""
        found = self._namesakes(connection, name).named
        return "" if found is None else found.comment or ""

    def why_unsafe(self, connection: Any, name: TableName) -> str | None:
        """A view runs the functions that it names; they may read files."""
        found = self._namesakes(connection, name).named
        return f"is no plain table: {ELSEWHERE}" if found and found.is_view else None

    def proof(self, connection: Any, asked: ProofQuestions) -> str:
        """The tables with their comments and the SQL that makes them, columns and all, and what the names may mean.

        One look at all tables takes a third of the time of a question about each.
        """

        def told(rows: Rows) -> str:
            places = {_folded(table.parts) for table in asked.tables}
            names = {_folded(name.parts)[-1:] for name in asked.names}
            lengths = {len(own[-1]) for own in places | names}  # most names have another one
            asked_for = [
                row
                for row in rows
                if len(row[2]) in lengths and (_folded(row[:3]) in places or _folded(row[2:3]) in names)
            ]
            return repr(sorted(asked_for, key=repr))

        return _as_before(connection, asked, self.listing(connection, with_views=bool(asked.names)), told)

    def listing(self, connection: Any, with_views: bool) -> Rows:
        """The rows of `listing_query`, which a connection plans once."""
        query, name = self.dialect.listing_query(with_views), _LISTINGS[with_views]
        if connection is duckdb:  # its default connection may be another one the next time
            return self.fresh(connection, query)
        planned = _PLANNED.setdefault(connection, set())
        if name not in planned:
            self.fresh(connection, self.dialect.preparing(name, query))
            planned.add(name)
        try:
            return self.fresh(connection, self.dialect.prepared(name))
        except StatementError:  # such as after DEALLOCATE
            planned.discard(name)
            return self.fresh(connection, query)

    def proof_of_records(self, connection: Any, asked: ProofQuestions) -> str:
        """The rows, and where the session looks for a name, if that is asked."""
        query = asked.all_records or asked.records[0]
        rows = self.fresh(connection, self.dialect.with_session(query) if asked.names else query)
        if asked.all_records and len(rows) > _FEW_RECORDS:
            return ""

        def told(rows: Rows) -> str:
            return repr(sorted((row for row in rows if row[0] == asked.kind or row[1] == asked.key), key=repr))

        return _as_before(connection, (asked, query), rows, told)

    def searches(self, connection: Any, name: TableName) -> list[tuple[Any, ...]]:
        """The definitions of the table macros of the name, which have their marks."""
        listed = [row[:-1] for row in self._answered(connection, self.dialect.macros_query) if row[-2]]
        return [(found.comment,) for found in Namesakes.of(name, listed).all_named] if listed else []

    def macros(self, connection: Any) -> list[MacroText]:
        """The macros of the current schema."""
        return [
            MacroText(str(name), bool(is_table), str(comment), str(text))
            for here, current, _, database, schema, name, text, is_table, comment in self._answered(
                connection, self.dialect.macros_query
            )
            if (database, schema) == (here, current)
        ]

    def saved_beside(self, connection: Any) -> dict[str, object]:
        """What the macros of saved projections return."""
        texts: dict[str, object] = {}
        for made in sorted({macro.name for macro in self.macros(connection) if macro.name.startswith(SAVED)}):
            name = self.dialect.saved_name(made)
            if name is not None:
                with suppress(StatementError):  # not made by `saving`
                    texts[name] = self._first(connection, self.dialect.saved_text(made))
        return texts

    def _namesakes(self, connection: Any, name: TableName) -> Namesakes:
        """Of thousands of tables a session looks for a name once."""

        def ask() -> Namesakes:
            return Namesakes.of(name, self._answered(connection, self.dialect.tables_query))

        return self.remembered(connection, ("namesakes", name), ask)

    def _answered(self, connection: Any, query: str) -> Rows:
        """The answer of the catalogue, which a session asks once until it changes something."""
        return self.remembered(connection, (query,), lambda: self.rows(connection, query))

    def count(self, connection: Any, name: TableName) -> int | None:
        """The number of rows. The settings that a planner asks for next are in the same statement."""
        query = self.dialect.count_query(name)
        if query is None or not self.within(connection):
            return super().count(connection, name)

        def ask() -> int:
            ((count, *settings),) = self.rows(connection, self.dialect.counted_with_capacity(query), name)
            self.noted(connection, (self.dialect.capacity_query,), [tuple(settings)])
            return int(count)

        return self.remembered(connection, ("count", name), ask)

    def capacity(self, connection: Any) -> tuple[int, int]:
        """The settings threads and memory_limit, which DuckDB writes as 953.6 MiB."""
        ((threads, limit),) = self._answered(connection, self.dialect.capacity_query)
        number, unit = str(limit).split()
        power = ("B", "KiB", "MiB", "GiB", "TiB").index(unit.replace("bytes", "B"))
        return int(threads), int(float(number) * 1024**power)

    def spill(self, connection: Any) -> str | None:
        """The setting temp_directory, or its parent: DuckDB makes the folder only when it needs it."""
        folder = Path(str(self._first(connection, self.dialect.spill_query) or "."))
        return next((str(path) for path in (folder, folder.parent) if path.is_dir()), None)

    def fetch_few(self, connection: Any, sql: str) -> pa.Table:
        """Rows of numbers one by one: DuckDB 2.0 plans a statement more to pass the rows of another one by Arrow."""
        log_statement(self.dialect.name, sql)
        self.not_foreseen(connection)
        with turn(connection), _words(sql):
            result = connection.execute(sql)
            names = [name for name, *_ in result.description]
            kinds = [_NUMBERS.get(str(kind)) for _, kind, *_ in result.description]
            if None in kinds:
                return self._by_arrow(connection, sql, result)
            columns = zip(*result.fetchall(), strict=True)
        given = list(columns) or [()] * len(kinds)
        return pa.table([pa.array(column, kind) for column, kind in zip(given, kinds, strict=True)], names=names)

    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """Run a query, by Arrow; BIGNUM columns arrive as decimal256."""
        log_statement(self.dialect.name, sql)
        self.not_foreseen(connection)
        with turn(connection), _words(sql):
            return self._by_arrow(connection, sql, connection.execute(sql))

    def _by_arrow(self, connection: Any, sql: str, result: Any) -> pa.Table:
        """The rows of an executed query."""
        big = {d[0]: str(d[1])[len("BIGNUM") :] for d in result.description if str(d[1]).startswith("BIGNUM")}
        if big:
            result = connection.execute(self.dialect.texts(sql, big))
        table = arrow_reader(result, _BATCH).read_all()
        for name, array in big.items():
            at = table.schema.get_field_index(name)
            wide = pa.decimal256(76, 0)
            kind = pa.list_(wide, getattr(table.schema.field(at).type, "list_size", -1)) if array else wide
            table = table.set_column(at, name, table.column(at).cast(kind))
        return table


def _as_before(connection: Any, asked: Hashable, rows: Rows, told: Callable[[Rows], str]) -> str:
    """What few rows say, which is kept while the connection gives the same ones: most of them hardly ever change."""
    if connection is duckdb or len(rows) > _FEW_RECORDS:
        return told(rows)
    kept = _SAID.setdefault(connection, {})
    before = kept.get(asked)
    if before is not None and before[0] == rows:
        return before[1]
    if len(kept) > _FEW_RECORDS:
        kept.clear()
    said = told(rows)
    kept[asked] = rows, said
    return said


def _folded(parts: Sequence[str]) -> tuple[str, ...]:
    """The parts of a name as DuckDB compares them."""
    return tuple(folded(part, "ascii") for part in parts)


def _hidden(wrapper: Any) -> Any:
    """The connection of `duckdb` in what a dialect of SQLAlchemy has for one."""
    method = wrapper.execute  # some wrappers keep the rows of an open result once this is asked
    inside = (getattr(method, "__self__", None), *vars(wrapper).values())
    return next((each for each in inside if isinstance(each, duckdb.DuckDBPyConnection)), wrapper)


class AlchemyDuckDBConnector(DuckDBConnector, OpeningConnector):
    """An engine or a connection of SQLAlchemy by a dialect of DuckDB: statements go to the connection of `duckdb`.

    SQLAlchemy begins a transaction there with the caller's first statement. sqlrp's statements run in it; without one,
    they leave none open.
    """

    @contextmanager
    def _reached(self, connection: Any) -> Iterator[Any]:
        """The connection of `duckdb`; for an engine that of a new one, which is closed at the end."""
        if not is_alchemy(connection):
            with super()._reached(connection) as reached:
                yield reached
            return
        with self._opened(connection) as opened, super()._reached(_hidden(opened.connection.driver_connection)) as own:
            yield own

    def rows(self, connection: Any, sql: str, reads: TableName | None = None) -> Rows:
        """As on the connection of `duckdb`."""
        with self._reached(connection) as reached:
            return super().rows(reached, sql, reads)

    def fresh(self, connection: Any, sql: str) -> Rows:
        """As on the connection of `duckdb`."""
        with self._reached(connection) as reached:
            return super().fresh(reached, sql)

    def execute(self, connection: Any, sql: str) -> None:
        """As on the connection of `duckdb`."""
        with self._reached(connection) as reached:
            super().execute(reached, sql)

    def fetch_few(self, connection: Any, sql: str) -> pa.Table:
        """As on the connection of `duckdb`."""
        with self._reached(connection) as reached:
            return super().fetch_few(reached, sql)

    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """As on the connection of `duckdb`."""
        with self._reached(connection) as reached:
            return super().fetch(reached, sql)

    @contextmanager
    def stream(self, connection: Any, sql: str, rows: int) -> Iterator[Batches]:
        """As on the connection of `duckdb`."""
        with self._reached(connection) as reached, super().stream(reached, sql, rows) as batches:
            yield batches

    def add_functions(self, connection: Any, functions: Mapping[str, Signature]) -> None:
        """As on the connection of `duckdb`."""
        with self._reached(connection) as reached:
            super().add_functions(reached, functions)


def opened(path: str) -> duckdb.DuckDBPyConnection:
    """A connection to a file with the extension, if it was built or is installed.

    Loading it writes the functions of `install` where there are none. Into a new database they are copied before, in
    a third of the time.
    """
    is_new = path == ":memory:" or not Path(path).exists()
    try:
        connection = duckdb.connect(path, config={"allow_unsigned_extensions": "true"} if EXTENSION.is_file() else {})
    except duckdb.ConnectionException:  # this process has the file open with other settings, which hold for all
        connection = duckdb.connect(path)
    own = DuckDBConnector(DuckDB())
    if own.reaches_files(connection):
        own.load_kernel(connection, is_new)
    return connection


def _is_by_alchemy(connection: Any) -> bool:
    return is_alchemy(connection) and connection.dialect.name == "duckdb"


def turn(connection: duckdb.DuckDBPyConnection) -> AbstractContextManager[Any]:
    """The lock of a connection, which the same thread may take again."""
    with _FINDING:
        return _LOCKS.setdefault(connection, RLock())


@contextmanager
def _words(sql: str) -> Iterator[None]:
    """Turn the errors of DuckDB, and of Arrow while it reads rows, into sqlrp's errors."""
    with interruptible():
        try:
            yield
        except (duckdb.ConnectionException, duckdb.FatalException) as error:
            words = f"the connection to the database is closed (open a new one): {error}"
            raise UnreachableError(sql, words) from error
        except (duckdb.Error, pa.ArrowException) as error:
            raise StatementError(sql, DuckDB().said(str(error))) from error


def _forget(connection: weakref.ref[duckdb.DuckDBPyConnection], name: str) -> None:
    """Remove a function from a connection that is open when the process ends; else DuckDB reports it as leaked."""
    alive = connection()
    if alive is not None:
        with suppress(duckdb.Error):  # closed, or removed with its transaction
            alive.remove_function(name)
