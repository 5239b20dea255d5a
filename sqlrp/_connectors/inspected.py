"""Any other connection of SQLAlchemy. SQLAlchemy's inspector reports its columns."""

from __future__ import annotations

import math
import re
from typing import Any

import pyarrow as pa

from sqlrp._connectors.sqlalchemy import SqlAlchemyConnector
from sqlrp._core.alchemy import sa
from sqlrp._core.errors import SourceError, StatementError, one_line
from sqlrp._core.numbers import BOOLEAN, DOUBLE, Number
from sqlrp._core.quiet import hidden
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Column, ColumnType

_VECTOR = re.compile(r"VECTOR\(\w+, *(\d+)\)", re.IGNORECASE)
"""Snowflake's type of vectors, which a query casts to an array."""
_ARRAY = re.compile(r"(ARRAY|SUPER)\b", re.IGNORECASE)
"""The types of arrays of warehouses whose SQLAlchemy dialects have classes of their own for them."""


class InspectedConnector(SqlAlchemyConnector):
    """A connection of a SQLAlchemy dialect whose transactions are not known to sqlrp."""

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """Ask SQLAlchemy's inspector."""
        *schema, table = name.parts
        if len(schema) > 1:
            raise SourceError(
                f"source {name} has more parts than schema.table, which is what {self.dialect.name} reads"
            )
        with self.session(connection) as opened, hidden("Failed to reflect table", sa.exc.SAWarning):
            try:
                with self.network_errors(opened):
                    found = sa.inspect(opened).get_columns(table, schema=schema[0] if schema else None)
            except sa.exc.NoSuchTableError:
                return []
            except (sa.exc.DBAPIError, sa.exc.ResourceClosedError, sa.exc.PendingRollbackError, StatementError):
                raise
            except Exception as error:  # a dialect of another's making: what it raises is its own
                said = one_line(str(error)) or type(error).__name__
                raise SourceError(
                    f"the dialect {opened.dialect.name} of SQLAlchemy does not say what columns {name} has ({said}): "
                    "read the rows into a dataframe, and pass that"
                ) from error
        return [
            Column(column["name"], _column_type(kind, self.type_text(kind)), column.get("nullable", True))
            for column, kind in ((column, column["type"]) for column in found)
        ]

    def type_text(self, kind: Any) -> str:
        """The name of a type of SQLAlchemy."""
        return str(kind)

    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """The rows, with the columns named as the inspector names them."""
        table = super().fetch(connection, sql)
        dialect = connection.dialect
        if not dialect.requires_name_normalize:
            return table
        return table.rename_columns([str(dialect.normalize_name(name)) for name in table.column_names])


def _column_type(kind: Any, text: str) -> ColumnType:
    """The column type of a SQLAlchemy type; an integer may be unsigned."""
    if isinstance(kind, sa.Boolean):
        return ColumnType(text, BOOLEAN)
    if isinstance(kind, sa.Integer):
        bits = 64 if isinstance(kind, sa.BigInteger) else 16 if isinstance(kind, sa.SmallInteger) else 32
        return ColumnType(text, Number("int", bits))
    if isinstance(kind, sa.Numeric) and kind.scale == 0 and kind.precision:  # every integer of Snowflake
        return ColumnType(text, Number("int", math.ceil(kind.precision * math.log2(10))))
    if isinstance(kind, (sa.Numeric, sa.Float)):
        return ColumnType(text, DOUBLE)
    return _array_type(kind, text) or ColumnType(text, is_text=isinstance(kind, sa.String))


def _array_type(kind: Any, text: str) -> ColumnType | None:
    """The type of an array; None for any other type."""
    if isinstance(kind, sa.ARRAY):
        element = _column_type(kind.item_type, str(kind.item_type))
        return ColumnType(text, element.number, is_array=not element.is_array)
    vector = _VECTOR.match(text)
    if vector:
        return ColumnType(text, DOUBLE, is_array=True, size=int(vector[1]), cast="CAST({column} AS ARRAY)")
    return ColumnType(text, DOUBLE, is_array=True) if _ARRAY.match(text) else None
