"""Moved: the dialect is now `sqlrp.dialects.base.Dialect`, the connector `sqlrp.connectors.base.Connector`."""

from __future__ import annotations

import warnings
from typing import Any

from sqlrp.connectors.base import Connector
from sqlrp.core.errors import SourceError
from sqlrp.core.sources import TableName
from sqlrp.dialects.base import Column, ColumnType, Costs, Dialect, Limits, Lowering, Numbers

__all__ = ["Column", "ColumnType", "Costs", "Engine", "Limits", "Lowering", "Numbers"]

warnings.warn(
    "sqlrp.engines.base has moved: import Dialect and the types from sqlrp.dialects.base, Connector from "
    "sqlrp.connectors.base",
    DeprecationWarning,
    stacklevel=2,
)


class Engine(Dialect, Connector):
    """A dialect that is its own connector. Engines used to be written so."""

    def __init__(self) -> None:
        """The engine writes its own SQL."""
        super().__init__(self)

    def recognises(self, connection: Any) -> bool:
        """False: the function given to `register` decides."""
        return False

    def exists(self, connection: Any, name: TableName) -> bool:
        """Whether the table has columns."""
        try:
            self.columns(connection, name)
        except SourceError:
            return False
        return True
