"""Spark's own tables, to which rows are added: what `materialize` keeps on Spark without Delta Lake.

Key differences from Spark: a table is of Parquet, and PARTITIONED BY one column where that is asked for. Its record is
in the properties of the table, so both are made, renamed and dropped together. Rows are added by INSERT INTO. Others
change by whole partitions, or with the whole table, which is written again and renamed. INSERT OVERWRITE with
partitionOverwriteMode = dynamic replaces the partitions that its rows are in, and no others: Spark writes the new files
elsewhere, and puts them in the place of the old ones when all are written.
Documentation: https://spark.apache.org/docs/latest/sql-data-sources-parquet.html (partitions) and
https://spark.apache.org/docs/latest/configuration.html (spark.sql.sources.partitionOverwriteMode).
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from sqlrp._core.sources import TableName
from sqlrp._engines.spark.dialect import Spark

_DYNAMIC = "WITH ('partitionOverwriteMode' = 'dynamic')"
_NAMES = re.compile(r"tinyint|smallint|int|bigint|string|date|boolean")


class Parquet(Spark):
    """A session of Spark whose tables are of Parquet."""

    records_in_tables: ClassVar[bool] = True
    renames_views: ClassVar[bool] = True
    transactional: ClassVar[bool] = False
    constraints: ClassVar[bool] = False
    listing: ClassVar[str] = "SHOW TABLES"
    functions: ClassVar[str] = "SHOW USER FUNCTIONS"

    def names_partitions(self, type: str) -> bool:
        """Whole numbers, text, dates and booleans: the path of a partition states them exactly."""
        return _NAMES.fullmatch(type) is not None

    def no_partition(self, column: str) -> str:
        """Spark puts NULL, the empty text and one other text into one partition."""
        text = f"CAST({column} AS STRING)"
        return f"({column} IS NULL OR {text} IN ('', '__HIVE_DEFAULT_PARTITION__'))"

    def constant(self, value: object) -> str:
        """A value of a column that names partitions."""
        if isinstance(value, bool):
            return str(value).upper()
        if isinstance(value, int):
            return str(value)
        if isinstance(value, datetime.date):
            return f"DATE'{value.isoformat()}'"
        return self.string(str(value))

    def making(self, name: TableName, query: str, mark: str, partitions: str = "") -> list[str]:
        """An empty table with the mark, then its rows: if the process ends meanwhile, the table tells whose it is."""
        table = self.table(name)
        return [
            f"CREATE TABLE {table} USING PARQUET {partitions}{self._properties({self.mark_property: mark})} "
            f"AS SELECT * FROM ({query}) made WHERE FALSE",
            f"INSERT INTO {table} BY NAME SELECT * FROM ({query}) made",
        ]

    def making_view(self, name: TableName, statement: str, mark: str) -> list[str]:
        """One statement, with the mark."""
        head = self.keeping_view.format(name=self.table(name), query="").removesuffix("AS\n")
        return [f"{head}{self._properties({self.mark_property: mark})} {statement.removeprefix(head)}"]

    def saving_view(self, name: TableName, columns: Mapping[str, str], properties: Mapping[str, str]) -> str:
        """CREATE VIEW, which fails if another process was first."""
        shown = ", ".join(f"{self.string(value)} AS {column}" for column, value in columns.items())
        return f"CREATE VIEW {self.table(name)} {self._properties(properties)} AS SELECT {shown}"

    def making_partitions(self, name: TableName, query: str, mark: str, column: str) -> list[str]:
        """The same, PARTITIONED BY a column."""
        return self.making(name, query, mark, f"PARTITIONED BY ({self.quote(column)}) ")

    def rewriting(self, target: TableName, columns: Sequence[str], keys: Sequence[str], query: str) -> str:
        """The rows of the table that stay, and the others."""
        key, listed = columns[0], ", ".join(columns)
        gone = " UNION ALL ".join(f"SELECT {key} FROM {each}" for each in keys)
        stay = f"SELECT {listed} FROM {self.table(target)} held LEFT ANTI JOIN ({gone}) gone ON gone.{key} = held.{key}"
        return f"{stay} UNION ALL SELECT {listed} FROM ({query}) made"

    def overwriting(self, name: TableName, query: str) -> str:
        """INSERT OVERWRITE, dynamically for this statement alone. It may read the table itself."""
        return f"INSERT OVERWRITE TABLE {self.table(name)} {_DYNAMIC} BY NAME SELECT * FROM ({query}) made"

    def dropping_partition(self, name: TableName, column: str, value: object) -> str:
        """ALTER TABLE … DROP PARTITION."""
        partition = f"{self.quote(column)} = {self.constant(value)}"
        return f"ALTER TABLE {self.table(name)} DROP IF EXISTS PARTITION ({partition})"

    def properties_query(self, name: TableName) -> str:
        """SHOW TBLPROPERTIES."""
        return f"SHOW TBLPROPERTIES {self.table(name)}"

    def setting(self, name: TableName, properties: Mapping[str, str], kind: str) -> str:
        """SET TBLPROPERTIES: the metastore changes all of them at once."""
        return f"ALTER {kind} {self.table(name)} SET {self._properties(properties)}"

    def _properties(self, properties: Mapping[str, str]) -> str:
        listed = ", ".join(f"{self.string(key)} = {self.string(value)}" for key, value in properties.items())
        return f"TBLPROPERTIES ({listed})"

    def marking(self, name: TableName, mark: str, kind: str) -> str:
        """A property."""
        return self.setting(name, {self.mark_property: mark}, kind)

    def renaming(self, name: TableName, new: TableName, kind: str) -> str:
        """RENAME TO a name of the same database."""
        return f"ALTER {kind} {self.table(name)} RENAME TO {self.quote(new.parts[-1])}"

    def repairing(self, name: TableName) -> str:
        """Look for the partitions of a renamed table.

        A session without Hive's metastore renames the folder of a table, and may leave its partitions in the old one.
        They would be missing, and a DROP TABLE would delete the partitions of the next table of the old name.
        """
        return f"MSCK REPAIR TABLE {self.table(name)} SYNC PARTITIONS"
