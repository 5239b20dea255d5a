"""Sail, which speaks Spark Connect and runs Spark's SQL in Rust. A session of Sail is one of Spark, in other words.

Key differences from Spark: [] takes no position that differs by row, so positions are read by get; no field is taken
from an array of structs; structs do not join others that may be NULL; there is no CLUSTER BY, no DISTRIBUTE BY, no
CACHE TABLE and no CREATE FUNCTION; nothing is compiled. It shows no properties of tables and renames none, so tables of
Parquet are not kept there; those of Delta Lake are. A dropped table leaves its files.
Documentation: https://docs.lakesail.com/sail/latest/
"""

from __future__ import annotations

from typing import ClassVar

from sqlrp._core.sources import TableName
from sqlrp._engines.spark.delta import Delta
from sqlrp._engines.spark.dialect import Spark


class Sail(Spark):
    """A session of Sail."""

    making_temporary: ClassVar[str] = "CREATE OR REPLACE TEMPORARY VIEW {name} AS"
    uncompiled: ClassVar[str] = "{value}"
    argument: ClassVar[str] = ""
    no_functions: ClassVar[str] = "Sail makes no functions in SQL"
    has_searches: ClassVar[bool] = False

    def _at(self, array: str, position: str) -> str:
        return f"get({array}, {position})"

    def _field(self, structs: str, name: str) -> str:
        return f"transform({structs}, e -> e.{name})"

    def gathered(self, position: str, value: str, size: int, zero: str) -> str:
        """Each position is looked up in a map: structs whose fields may be NULL, and others, do not join."""
        there = f"FILTER (WHERE {value} IS NOT NULL)"
        found = f"map_from_arrays(collect_list(CAST({position} AS INT)) {there}, collect_list({value}) {there})"
        whole = f"transform(sequence(0, {size - 1}), o -> coalesce(m[o], {zero}))"
        return f"transform(array({found}), m -> {whole})[0] AS x"

    def gathered_by(self, column: str) -> str:
        """ORDER BY."""
        return f" ORDER BY {column}"

    def _met(self, cells: str) -> str:
        return cells


class SailDelta(Sail, Delta):
    """A session of Sail whose tables are Delta's."""

    stored: ClassVar[str] = "USING DELTA OPTIONS ('overwriteSchema' = 'true')"

    def making(self, name: TableName, query: str, mark: str) -> list[str]:
        """CREATE OR REPLACE, as Sail leaves the files of a dropped table where the next one of its name is made."""
        return [self.create_table(self.table(name), query, "OR REPLACE TABLE")]
