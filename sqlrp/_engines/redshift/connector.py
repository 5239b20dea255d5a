"""Redshift by the dialects of SQLAlchemy."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlrp._connectors.connector import Connector
from sqlrp._connectors.sqlalchemy import TransactingConnector
from sqlrp._core.alchemy import sa
from sqlrp._engines.warehouses.connector import DescribedConnector


class RedshiftConnector(TransactingConnector, DescribedConnector):
    """Redshift, by psycopg2 or redshift_connector. It has no savepoints, and sqlrp takes no lock in it."""

    has_savepoints: ClassVar[bool] = False

    def transacting(self, connection: sa.Connection) -> bool:
        """Read the driver's record of the server's state."""
        driver: Any = connection.connection.driver_connection
        info = getattr(driver, "info", None)
        return bool(info.transaction_status if info is not None else getattr(driver, "_in_transaction", False))

    def tables(self, connection: Any) -> list[Any]:
        """Ask information_schema, which is faster than the inspector."""
        return Connector.tables(self, connection)

    def begin(self, connection: sa.Connection, lock: str, alone: bool) -> None:
        """Begin, unless the driver does."""
        if alone:
            self.execute(connection, self.dialect.begins)
