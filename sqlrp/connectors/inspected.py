"""Any other connection of SQLAlchemy's: its columns are what SQLAlchemy's inspector says."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import sqlalchemy as sa

from sqlrp.connectors.base import Connector
from sqlrp.connectors.sqlalchemy import SqlAlchemyConnector
from sqlrp.core.errors import SourceError
from sqlrp.core.numbers import BOOLEAN, DOUBLE, Number
from sqlrp.core.sources import TableName
from sqlrp.dialects.base import Column, ColumnType
from sqlrp.dialects.sqlalchemy import SqlAlchemyDialect
from sqlrp.dialects.warehouses import Warehouse


class InspectedConnector(SqlAlchemyConnector):
    """A connection of a dialect of SQLAlchemy's whose transactions are not known here."""

    def serving(self, connection: Any) -> Connector:
        """With the names spelled as the warehouse keeps them, where SQLAlchemy spells them in lower case."""
        folds = connection.dialect.requires_name_normalize
        if folds and isinstance(self.dialect, Warehouse):
            return type(self)(type(self.dialect)(connection.dialect.denormalize_name))
        return self

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """SQLAlchemy's inspector."""
        *schema, table = name.parts
        if len(schema) > 1:
            raise SourceError(
                f"source {name} has more parts than schema.table, which is what {self.dialect.name} reads"
            )
        with self.session(connection) as opened:
            try:
                found = sa.inspect(opened).get_columns(table, schema=schema[0] if schema else None)
            except sa.exc.NoSuchTableError:
                return []
        return [
            Column(column["name"], _column_type(column["type"], str(column["type"])), column.get("nullable", True))
            for column in found
        ]

    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """The rows, their columns named as the inspector names them."""
        table = super().fetch(connection, sql)
        dialect = connection.dialect
        if not dialect.requires_name_normalize:
            return table
        return table.rename_columns([str(dialect.normalize_name(name)) for name in table.column_names])


class AnyConnector(InspectedConnector):
    """A connection of any dialect of SQLAlchemy's, whose SQL SQLAlchemy helps to write."""

    def recognises(self, connection: Any) -> bool:
        """By its class alone."""
        return isinstance(connection, (sa.Engine, sa.Connection))

    def serving(self, connection: Any) -> Connector:
        """With the connection's own dialect."""
        return type(self)(SqlAlchemyDialect(connection.dialect))


def _column_type(kind: Any, text: str) -> ColumnType:
    """What a column of a type of SQLAlchemy's holds; an integer may be unsigned."""
    if isinstance(kind, sa.Boolean):
        return ColumnType(text, BOOLEAN)
    if isinstance(kind, sa.Integer):
        bits = 64 if isinstance(kind, sa.BigInteger) else 16 if isinstance(kind, sa.SmallInteger) else 32
        return ColumnType(text, Number("int", bits))
    if isinstance(kind, (sa.Numeric, sa.Float)):
        return ColumnType(text, DOUBLE)
    return ColumnType(text, is_text=isinstance(kind, sa.String))
