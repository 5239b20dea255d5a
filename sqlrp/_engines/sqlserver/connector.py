"""SQL Server by its dialect of SQLAlchemy."""

from __future__ import annotations

from typing import ClassVar

from sqlrp._engines.warehouses.connector import DescribedConnector


class SQLServerConnector(DescribedConnector):
    """SQL Server: SQLAlchemy's dialect of it is called mssql, and its inspector knows no vectors."""

    names: ClassVar[tuple[str, ...]] = ("mssql",)
