"""What a dialect is: the facts of an engine and the phrases of its SQL, as text. It has no connection.

`facts` lists the facts, `phrases` the phrases that every engine has, `arrays` the phrases about arrays and `catalogue`
the phrases by which a connector asks about tables.
"""

from __future__ import annotations

from sqlrp.dialects.catalogue import Catalogue, Swap
from sqlrp.dialects.facts import Column, ColumnType, Costs, Limits, Lowering, Numbers, decimal

__all__ = ["Column", "ColumnType", "Costs", "Dialect", "Limits", "Lowering", "Numbers", "Swap", "decimal"]


class Dialect(Catalogue):
    """The SQL of one engine: its facts and its phrases."""
