"""Databricks; its names, strings and functions are Spark's.

Key differences from Spark: the SQL uses phrases that every warehouse reads, with lists for products alone; a step is a
plain table, because a temporary view would be computed again at each use.
"""

from __future__ import annotations

from typing import ClassVar

from sqlrp._core.names import Folding
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Limits
from sqlrp._engines.spark.dialect import SparkWords
from sqlrp._engines.warehouses.dialect import Warehouse


class Databricks(SparkWords, Warehouse):
    """Databricks."""

    name: ClassVar[str] = "databricks"
    folding: ClassVar[Folding] = "letters"
    keeping_view: ClassVar[str] = "CREATE MATERIALIZED VIEW {name} AS\n{query}"
    making_temporary: ClassVar[str] = "CREATE TABLE {name} AS"
    limits: ClassVar[Limits] = Limits(
        columns=None,
        terms=60_000,
        within=10_000,
        source="terms: not stated; generated code falls back to slow paths over 64 KB a class long before",
    )

    def columns_query(self, name: TableName) -> str:
        """DESCRIBE: the inspector of SQLAlchemy's dialect reads an array as text."""
        return f"DESCRIBE {self.table(name)}"

    def row_number(self) -> str:
        """Distinct numbers with gaps: a window without an order would need all rows in one partition."""
        return "monotonically_increasing_id()"

    def complete(self, array: str, n: int) -> str:
        """A filter finds no NULL."""
        return f"({array} IS NOT NULL AND size(filter({array}, e -> e IS NULL)) = 0)"
