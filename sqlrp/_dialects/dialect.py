"""The base class of dialects: the facts of an engine and the phrases of its SQL, as text, without a connection.

`facts` lists the facts. `phrases` has the phrases of every engine, and `arrays` the phrases about arrays. Two subjects
stand side by side above them: `catalogue`, what a connector asks about tables, and `distances`, what a search computes.
"""

from __future__ import annotations

from copy import copy
from typing import Self

from sqlrp._dialects.distances import Distances
from sqlrp._dialects.facts import (
    AT_ONCE,
    HASHED,
    OUT_OF_RANGE,
    Column,
    ColumnType,
    Costs,
    Limits,
    Lowering,
    Numbers,
    decimal,
)
from sqlrp._dialects.table_queries import CatalogueQueries, Swap

__all__ = [
    "AT_ONCE",
    "HASHED",
    "OUT_OF_RANGE",
    "Column",
    "ColumnType",
    "Costs",
    "Dialect",
    "Limits",
    "Lowering",
    "Numbers",
    "Swap",
    "decimal",
]


class Dialect(CatalogueQueries, Distances):
    """The SQL of one engine: its facts and its phrases."""

    def reading(self) -> Self:
        """The dialect of a session that may only read: without temporary tables, and without settings of queries."""
        made = copy(self)
        vars(made).update(has_temporary=False, stores=False, repeats=self.repeats or self.stores, settings="")
        return made
