"""Trino, and Athena, by their dialects of SQLAlchemy."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlrp._connectors.connector import Connector
from sqlrp._engines.relatives import Athena
from sqlrp._engines.warehouses.connector import WarehouseConnector


class TrinoConnector(WarehouseConnector):
    """Trino, or Athena by the dialect of PyAthena."""

    names: ClassVar[tuple[str, ...]] = ("trino", "awsathena")

    def serving(self, connection: Any) -> Connector:
        """The connector with the dialect of Athena for that."""
        return super().serving(connection) if connection.dialect.name == "trino" else type(self)(Athena(connected=True))
