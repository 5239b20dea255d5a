"""Spark by a session of pyspark. The package is recognised by its name and imported only when it is used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import pyarrow as pa

from sqlrp._connectors.connector import Connector, Evaluate
from sqlrp._connectors.foresight import again, once
from sqlrp._core.errors import StatementError, UnreachableError, UnsupportedError, one_line
from sqlrp._core.interruption import interruptible
from sqlrp._core.logs import log_statement
from sqlrp._core.names import folded
from sqlrp._core.quiet import hidden
from sqlrp._core.script import Setup
from sqlrp._core.shipped_code import shipped
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Column
from sqlrp._dialects.table_queries import aside
from sqlrp._engines.clickhouse.chdb import of_package
from sqlrp._engines.spark.delta import Delta
from sqlrp._engines.spark.dialect import Spark
from sqlrp._engines.spark.parquet import Parquet
from sqlrp._engines.spark.sail import Sail, SailDelta

_FRAMES: ContextVar[dict[str, Any]] = ContextVar("_FRAMES", default={})  # noqa: B039  # this one stays empty
"""What the names of temporary tables mean to queries of a session of Spark Connect."""
_TAKEN = ("fold", "taken")
"""The columns of what workers take: numbers and bytes."""
_PLAIN = re.compile("[A-Za-z][A-Za-z0-9_]*")
"""The names of columns that mean one whole column."""
_PARTS = 4
"""The most parts of what workers take that reach the driver."""


class SparkConnector(Connector):
    """A SparkSession."""

    dialect: Spark

    def recognises(self, connection: Any) -> bool:
        """Whether its class comes from pyspark."""
        return of_package(connection, "pyspark")

    def serving(self, connection: Any) -> Connector:
        """The connector of Sail, and that which keeps tables if the session's tables are Delta's."""
        delta, sail = _asked(connection)
        if delta:
            return SailDeltaConnector(SailDelta()) if sail else DeltaConnector(Delta())
        return SailConnector(Sail()) if sail else self

    def keeping(self) -> Connector:
        """That of tables of Parquet."""
        return ParquetConnector(Parquet())

    def forget(self, connection: Any) -> None:
        """Ask for the columns of tables again."""
        again((connection, "columns"))

    def listed(self, connection: Any, name: TableName) -> list[Column]:
        """The columns as they are listed now."""
        self.forget(connection)
        return super().listed(connection, name)

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The schema of a table or view. No row is read."""
        known: dict[TableName, list[Column]] = once((connection, "columns"), dict)
        if name not in known:
            known[name] = self._described(connection, name)
        return list(known[name])

    def _described(self, connection: Any, name: TableName) -> list[Column]:
        with _words(self.dialect.columns_query(name)):
            if _is_remote(connection):  # which sends a text before it is asked for its schema
                rows = connection.table(self.dialect.table(name))
            else:
                rows = self.result(connection, self.dialect.columns_query(name))
            fields = rows.schema.fields
        return [Column(f.name, self.dialect.read_type(f.dataType.simpleString()), f.nullable) for f in fields]

    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement. `sql` does so, but for a query; over Connect its empty result would be two more requests."""
        self.forget(connection)
        with _words(sql):
            found = connection.sql(_logged(sql))
            if not _is_remote(connection):
                found.collect()

    def store_all(self, connection: Any, steps: Sequence[Setup]) -> None:
        """A view replaces another one of its name."""
        self.drop_all(connection, [step for step in steps if not step.query])
        for step in steps:
            self.store(connection, step)

    def store(self, connection: Any, setup: Setup) -> None:
        """Compute a temporary table at once, so that the queries that read it forget how.

        Spark would analyse and compare the plan of a cached table in each of them, which took most of the time of
        `diagnose`. A step without the query of a table runs as it is.
        """
        if not setup.query:
            super().store(connection, setup)
            return
        self.forget(connection)
        with _words(setup.text):
            self.computed(connection, setup.query).createOrReplaceTempView(setup.name.strip("`"))

    def computed(self, connection: Any, query: str) -> Any:
        """The DataFrame of a query that is computed now, and stays with the server."""
        with _words(query):
            return _query(connection, _logged(query)).localCheckpoint()

    @contextmanager
    def set_up_to_fetch(self, connection: Any, steps: Sequence[Setup]) -> Iterator[None]:
        """Over Connect the queries that read a table carry it: to name it, and to drop the name, is a request each."""
        if not _is_remote(connection) or not all(step.query for step in steps):
            with super().set_up_to_fetch(connection, steps):
                yield
            return
        frames: dict[str, Any] = {}
        token = _FRAMES.set(frames)
        try:
            for step in steps:
                frames[step.name.strip("`")] = self.computed(connection, step.query)
            yield
        finally:
            _FRAMES.reset(token)

    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """Run a query, by Arrow."""
        with _words(sql):
            return _query(connection, _logged(sql)).toArrow()

    def fetch_all(self, connection: Any, queries: Sequence[str]) -> list[pa.Table]:
        """As one over Connect, where each is a request. The rows of each are in the order of their values."""
        if not _is_remote(connection):
            return super().fetch_all(connection, queries)
        sql = self.dialect.lists_of(queries)
        with _words(sql):
            lists, _ = _query(connection, _logged(sql))._to_table()  # toArrow would ask for the types first
        return [pa.Table.from_struct_array(column.combine_chunks().flatten()) for column in lists.columns]

    def function(self, connection: Any, name: TableName) -> str:
        """Ask the session's catalogue first: a failed DESCRIBE would fill Spark's log."""
        return super().function(connection, name) if self._has_function(connection, name) else ""

    def searches(self, connection: Any, name: TableName) -> list[tuple[Any, ...]]:
        """The same of a function that searches."""
        return super().searches(connection, name) if self._has_function(connection, name) else []

    def _has_function(self, connection: Any, name: TableName) -> bool:
        written = self.dialect.table(name)
        with _words(written):
            return bool(connection.catalog.functionExists(written))

    def result(self, connection: Any, sql: str) -> Any:
        """A DataFrame: nothing runs until it is read, and nothing is collected."""
        with _words(sql):
            return connection.sql(_logged(sql))

    def reduced(self, connection: Any, sql: str, evaluate: Evaluate, merge: Evaluate) -> Iterator[tuple[int, bytes]]:
        """By mapInArrow, twice, so that the driver reads the rows of few parts."""
        with _words(sql):
            rows = connection.sql(sql)
            taken = _map(rows, rows.columns, evaluate, _taken())
            found = _map(taken.repartition(_PARTS), _TAKEN, merge, _taken()).toArrow()
            yield from ((int(number), bytes(taken)) for number, taken in zip(*found.to_pydict().values(), strict=True))

    def mapped(self, connection: Any, sql: str, evaluate: Evaluate, kept: int, types: Mapping[str, str]) -> Any:
        """A DataFrame, by mapInArrow. The code of the function travels with it, so workers need numpy and pyarrow."""
        from pyspark.sql.types import StructField, StructType

        with _words(sql):
            rows = connection.sql(_logged(sql))
            outputs = [StructField(name, _type_of(kind)) for name, kind in types.items()]
            fields = rows.schema.fields
            return _map(rows, rows.columns, evaluate, StructType([*fields[:kept], *outputs]))


class KeepingConnector(SparkConnector):
    """A SparkSession whose tables are kept. Nothing keeps two processes apart that write the same table."""

    keeping = Connector.keeping

    @contextmanager
    def transaction(self, connection: Any, lock: str, makes: bool) -> Iterator[Any]:
        """The session: each statement takes effect at once."""
        yield connection

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The schema; empty for a table that is not there, which the catalogue is asked first."""
        return super().describe(connection, name) if self._there(connection, name) else []

    def tables(self, connection: Any) -> list[Any]:
        """The names of the tables of the current database."""
        with _words("the tables of the catalogue"):
            return [table.name for table in connection.catalog.listTables() if not table.isTemporary]

    def _there(self, connection: Any, name: TableName) -> bool:
        with _words(str(name)):
            return bool(connection.catalog.tableExists(self.dialect.table(name)))


class DeltaConnector(KeepingConnector):
    """A SparkSession with Delta Lake."""


class SailSession(SparkConnector):
    """A session of Sail."""

    def computed(self, connection: Any, query: str) -> Any:
        """By way of this process if the server makes no checkpoint: it has no folder for one, or a type is refused."""
        try:
            return super().computed(connection, query)
        except StatementError:
            rows = self.fetch(connection, query)
            with _words(query):
                return connection.createDataFrame(rows) if rows.num_rows else _query(connection, query).limit(0)

    def _has_function(self, connection: Any, name: TableName) -> bool:
        return False


class SailConnector(SailSession):
    """A session of Sail whose tables are of Parquet."""

    def keeping(self) -> Connector:
        """None: the record of a table would be lost."""
        raise UnsupportedError(
            "Sail keeps nothing with tables of Parquet, as it shows no properties of tables, which have the records: "
            'run spark.conf.set("spark.sql.sources.default", "delta"), as Sail has Delta Lake'
        )


class SailDeltaConnector(SailSession, DeltaConnector):
    """A session of Sail whose tables are Delta's."""


class ParquetConnector(KeepingConnector):
    """A SparkSession that keeps tables of Parquet."""

    def tables(self, connection: Any) -> list[Any]:
        """SHOW TABLES, which looks into none of them."""
        listed = self.rows(connection, self.dialect.listing)
        return [name for _, name, temporary in listed if not temporary]

    def properties(self, connection: Any, name: TableName) -> dict[str, str]:
        """SHOW TBLPROPERTIES; a temporary view may have properties, too."""
        if not self._there(connection, name):
            return {}
        return {str(key): str(value) for key, value in self.rows(connection, self.dialect.properties_query(name))}

    def mark_of(self, connection: Any, name: TableName) -> str:
        """The property of the mark."""
        return self.properties(connection, name).get(self.dialect.mark_property, "")

    def swap(
        self, connection: Any, new: TableName, name: TableName, kind: str, old: str | None, before: Sequence[str] = ()
    ) -> bool:
        """Two renamings, as Spark replaces no table of Parquet in one step. The first one is undone if one fails."""
        self.execute_all(connection, before)
        away = aside(new)
        if old:
            self.rename(connection, name, away)
        try:
            self.rename(connection, new, name)
        except StatementError:
            if old:
                self.rename(connection, away, name)
            raise
        return old is not None

    def rename(self, connection: Any, name: TableName, new: TableName) -> None:
        """ALTER TABLE, then what `repairing` says."""
        super().rename(connection, name, new)
        self._repair(connection, new)

    def noun_of(self, connection: Any, name: TableName) -> str:
        """As the catalogue says."""
        if not self._there(connection, name):
            return "TABLE"
        with _words(str(name)):
            return "VIEW" if connection.catalog.getTable(self.dialect.table(name)).tableType == "VIEW" else "TABLE"

    def _repair(self, connection: Any, name: TableName) -> None:
        with _words(str(name)):
            columns = connection.catalog.listColumns(self.dialect.table(name))
        if any(column.isPartition for column in columns):
            self.execute(connection, self.dialect.repairing(name))


_DELTA = ("spark.sql.extensions", "spark.sql.catalog.spark_catalog", "spark.sql.sources.default")
"""The settings that name Delta: how its documentation starts a session, and the default format of Databricks."""
_APPLICATION = "spark.app.name"
"""A setting that Spark has always, and Sail has not."""


def _asked(connection: Any) -> tuple[bool, bool]:
    """Whether the session's tables are Delta's, and whether it is Sail's."""
    if not hasattr(connection, "conf"):
        return False, False
    with _words("the settings of the session"):
        *formats, name = once((connection, _DELTA), lambda: _settings(connection))
    return any("delta" in str(value).lower() for value in formats), _is_remote(connection) and not name


def _settings(connection: Any) -> Sequence[Any]:
    """Those of Delta and the name of the application."""
    names = (*_DELTA, _APPLICATION)
    if _is_remote(connection):  # all as one request
        found: Sequence[Any] = connection.client.get_config_with_defaults(*((name, "") for name in names))
        return found
    return [connection.conf.get(name, "") for name in names]


def _is_remote(connection: Any) -> bool:
    """Whether it is a session of Spark Connect."""
    return type(connection).__module__.startswith("pyspark.sql.connect")


def _query(connection: Any, sql: str) -> Any:
    """The DataFrame of a query. `sql` of Spark Connect would first ask whether the text is a command."""
    if not _is_remote(connection):
        return connection.sql(sql)
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.plan import SQL, SubqueryAlias

    views = [SubqueryAlias(frame._plan, name) for name, frame in _FRAMES.get().items() if name in sql]
    return DataFrame(SQL(sql, [], {}, views), connection)


def _type_of(text: str) -> Any:
    """The type of a number or of an array of numbers. pyspark would ask a server, or a session that is not there."""
    from pyspark.sql import types

    element = re.fullmatch(r"ARRAY<(.*)>", text)
    if element is not None:
        return types.ArrayType(_type_of(element[1]))
    digits = re.fullmatch(r"DECIMAL\((\d+), ?(\d+)\)", text)
    if digits is not None:
        return types.DecimalType(int(digits[1]), int(digits[2]))
    floats = {"DOUBLE": types.DoubleType, "FLOAT": types.FloatType}
    whole = {"BIGINT": types.LongType, "INT": types.IntegerType, "SMALLINT": types.ShortType, "TINYINT": types.ByteType}
    return (floats | whole)[text]()


def _taken() -> Any:
    """The types of `_TAKEN`, which a text would be asked for."""
    from pyspark.sql.types import BinaryType, LongType, StructField, StructType

    return StructType([StructField(name, kind()) for name, kind in zip(_TAKEN, (LongType, BinaryType), strict=True)])


def _map(rows: Any, names: Sequence[str], evaluate: Evaluate, schema: Any) -> Any:
    """`names`: those of the columns, by which Spark looks them up."""
    if not all(map(_PLAIN.fullmatch, names)) or len({folded(name, "ascii") for name in names}) < len(names):
        rows = rows.toDF(*(f"c{i}" for i in range(len(names))))
    with hidden("PySpark does not yet fully support pandas"):  # none is used
        return rows.mapInArrow(shipped(evaluate), schema)


def _logged(sql: str) -> str:
    log_statement("spark", sql)
    return sql


@contextmanager
def _words(sql: str) -> Iterator[None]:
    """Turn Spark's errors into StatementError, or UnreachableError if its process is gone."""
    gone, failed = _errors()
    with interruptible():
        try:
            yield
        except gone as error:
            words = f"the process of the Spark session cannot be reached (start a new session): {one_line(str(error))}"
            raise UnreachableError(sql, words) from error
        except failed as error:
            raise StatementError(sql, _said(error)) from error


def _errors() -> tuple[tuple[type[Exception], ...], tuple[type[Exception], ...]]:
    """What is raised if the process of the session is gone, and what is raised for any other failure.

    The light client (pyspark-client) speaks Spark Connect alone and brings no py4j.
    """
    from pyspark.errors import PySparkException

    try:
        from py4j.protocol import Py4JError, Py4JNetworkError
    except ModuleNotFoundError:
        return (OSError,), (PySparkException,)
    return (OSError, Py4JNetworkError), (PySparkException, Py4JError)


def _said(error: Exception) -> str:
    """Spark's message up to its SQLSTATE; the statement and its plan follow."""
    words, state, rest = str(error).partition("SQLSTATE: ")
    return one_line(f"{words}{state}{rest[:5]}" if state else words)
