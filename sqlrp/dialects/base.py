"""The base class of dialects: the facts of an engine and the phrases of its SQL, as text, without a connection.

`facts` lists the facts. `phrases` has the phrases of every engine, `arrays` the phrases about arrays, and `catalogue`
the phrases that a connector uses to ask about tables.
"""

from __future__ import annotations

from sqlrp.dialects.catalogue import Catalogue, Swap
from sqlrp.dialects.facts import HASHED, OUT_OF_RANGE, Column, ColumnType, Costs, Limits, Lowering, Numbers, decimal

__all__ = [
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


class Dialect(Catalogue):
    """The SQL of one engine: its facts and its phrases."""
