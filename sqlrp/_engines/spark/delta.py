"""Spark with Delta Lake, whose tables change rows: what Spark alone does not keep is kept there.

Key differences from Spark: tables are made USING DELTA; each statement takes effect at once, whole or not at all, and
there are no transactions of several tables, so a refresh ends with one MERGE.
Documentation: https://docs.delta.io/latest/delta-update.html (UPDATE, DELETE, MERGE) and
https://docs.delta.io/latest/delta-batch.html (CREATE OR REPLACE TABLE).
"""

from __future__ import annotations

from typing import ClassVar

from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Swap
from sqlrp._dialects.merge_phrase import MergeDialect
from sqlrp._engines.spark.dialect import Spark


class Delta(MergeDialect, Spark):
    """A session of Spark whose tables are Delta's."""

    stored: ClassVar[str] = "USING DELTA"
    transactional: ClassVar[bool] = False
    carries_marks: ClassVar[bool] = False
    constraints: ClassVar[bool] = False

    def create_table(self, name: str, query: str, kind: str = "TABLE") -> str:
        """USING DELTA, also where another format is the default."""
        return f"CREATE {kind} {name} {f'{self.stored} ' if kind.endswith('TABLE') else ''}AS {query}"

    def swapping(self, new: TableName, name: TableName, kind: str, old: str | None) -> Swap:
        """CREATE OR REPLACE changes the table in one step. Not every catalogue can rename a table."""
        made, here = self.table(new), self.table(name)
        return Swap((f"CREATE OR REPLACE TABLE {here} {self.stored} AS SELECT * FROM {made}", f"DROP TABLE {made}"))
