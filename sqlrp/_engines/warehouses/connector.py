"""Warehouses by their own dialects of SQLAlchemy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from sqlrp._connectors.arrow_cursors import arrow_tables
from sqlrp._connectors.connector import Connector
from sqlrp._connectors.inspected import InspectedConnector
from sqlrp._core.alchemy import sa
from sqlrp._core.errors import StatementError
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Column
from sqlrp._engines.warehouses.dialect import Warehouse

_NOT_THERE = re.compile("TABLE_OR_VIEW_NOT_FOUND|does not exist", re.IGNORECASE)


class WarehouseConnector(InspectedConnector):
    """A warehouse that has no transactions of several tables: each statement takes effect at once, whole or not at all.

    Nothing keeps two processes apart that write the same table.
    """

    dialect: Warehouse

    def serving(self, connection: Any) -> Connector:
        """The connector with names as the warehouse stores them if SQLAlchemy spells them in lower case."""
        spelled = connection.dialect.denormalize_name if connection.dialect.requires_name_normalize else str
        return type(self)(type(self.dialect)(spelled, connected=True))

    @contextmanager
    def transaction(self, connection: Any, lock: str, makes: bool) -> Iterator[sa.Connection]:
        """A session. A driver that begins transactions by itself commits at the end, and after an error too."""
        with self.session(connection) as opened:
            try:
                yield opened
            finally:
                if opened is not connection:
                    opened.commit()

    def in_arrow(
        self, connection: sa.Connection, result: sa.CursorResult[Any], sql: str, rows: int
    ) -> Iterator[pa.Table] | None:
        """By the methods of the drivers of Snowflake, Databricks and BigQuery."""
        with self._heard(sql):
            refused = getattr(connection.dialect.dbapi, "NotSupportedError", NotImplementedError)
            found = arrow_tables(result.cursor, rows, refused)
        if found is None:
            return None

        def each() -> Iterator[pa.Table]:
            with self._heard(sql):
                yield from found
                result.close()

        return each()

    @contextmanager
    def _heard(self, sql: str) -> Iterator[None]:
        """Turn the driver's errors, which SQLAlchemy does not see there, into sqlrp's."""
        try:
            yield
        except StatementError:
            raise
        except Exception as error:
            raise StatementError(sql, self._said(error)) from error

    def tables(self, connection: Any) -> list[Any]:
        """Ask SQLAlchemy's inspector."""
        with self.session(connection) as opened:
            return list(sa.inspect(opened).get_table_names())


class DescribedConnector(WarehouseConnector):
    """A warehouse whose inspector does not tell arrays from text: its own statement describes a table."""

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The rows of the statement up to the first without a name, where remarks on partitions follow."""
        try:
            found = self.rows(connection, self.dialect.columns_query(name))
        except StatementError as error:
            if _NOT_THERE.search(error.words):
                return []
            raise
        columns = []
        for name_, *row in found:
            if not name_ or str(name_).startswith("#"):
                break
            columns.append(self.dialect.described(name_, *row))
        return columns
