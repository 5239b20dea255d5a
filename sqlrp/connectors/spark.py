"""Spark by a session of pyspark. The package is recognised by its name and imported only when it is used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from sqlrp.connectors.base import Connector
from sqlrp.connectors.chdb import of_package
from sqlrp.core.errors import StatementError, UnreachableError, one_line
from sqlrp.core.sources import TableName
from sqlrp.dialects.base import Column


class SparkConnector(Connector):
    """A SparkSession."""

    def recognises(self, connection: Any) -> bool:
        """Whether its class comes from pyspark."""
        return of_package(connection, "pyspark")

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The schema of a table or view. No row is read."""
        fields = self.result(connection, self.dialect.columns_query(name)).schema.fields
        return [Column(f.name, self.dialect.read_type(f.dataType.simpleString()), f.nullable) for f in fields]

    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement."""
        with _words(sql):
            connection.sql(sql).collect()

    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """Run a query, by Arrow."""
        with _words(sql):
            return connection.sql(sql).toArrow()

    def function(self, connection: Any, name: TableName) -> str:
        """Ask the session's catalogue first: a failed DESCRIBE would fill Spark's log."""
        written = self.dialect.table(name)
        with _words(written):
            there = connection.catalog.functionExists(written)
        return super().function(connection, name) if there else ""

    def result(self, connection: Any, sql: str) -> Any:
        """A DataFrame: nothing runs until it is read, and nothing is collected."""
        with _words(sql):
            return connection.sql(sql)


@contextmanager
def _words(sql: str) -> Iterator[None]:
    """Turn Spark's errors into StatementError, or UnreachableError if its process is gone."""
    from py4j.protocol import Py4JError, Py4JNetworkError
    from pyspark.errors import PySparkException

    try:
        yield
    except (OSError, Py4JNetworkError) as error:
        words = f"the process of the Spark session cannot be reached (start a new session): {one_line(str(error))}"
        raise UnreachableError(sql, words) from error
    except (PySparkException, Py4JError) as error:
        raise StatementError(sql, _said(error)) from error


def _said(error: Exception) -> str:
    """Spark's message up to its SQLSTATE; the statement and its plan follow."""
    words, state, rest = str(error).partition("SQLSTATE: ")
    return one_line(f"{words}{state}{rest[:5]}" if state else words)
