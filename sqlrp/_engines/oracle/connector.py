"""Oracle by its dialect of SQLAlchemy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Column
from sqlrp._engines.warehouses.connector import DescribedConnector


class OracleConnector(DescribedConnector):
    """Oracle. SQLAlchemy spells the names that Oracle stores in capitals in lower case."""

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The columns as SQLAlchemy spells them."""
        spelled = connection.dialect.normalize_name
        return [replace(column, name=str(spelled(column.name))) for column in super().describe(connection, name)]
