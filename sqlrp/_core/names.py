"""When two names of columns or tables are the same name."""

from __future__ import annotations

import json
import string
from collections.abc import Iterable
from typing import Literal

Folding = Literal["exact", "ascii", "letters"]
"""What an engine takes for one name: equal names; those that differ in the case of ASCII letters; or of any letters."""

_ASCII = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def folded(name: str, folding: Folding) -> str:
    """A text that two names share if, and only if, they are the same to an engine.

    No engine takes names for the same that differ in an accent, in the form of Unicode, or in a space.

        >>> folded("É1", "ascii"), folded("É1", "letters")
        ('É1', 'é1')
    """
    if folding == "exact":
        return name
    # A letter stands for one letter: engines take the capital İ for i, where Python writes i and a dot.
    return name.translate(_ASCII) if folding == "ascii" else "".join(letter.lower()[0] for letter in name)


def index_of(text: str) -> set[str]:
    """The columns of an index, by what pandas says of its frame in a file of Parquet or a table of Arrow, as JSON.

    An index of numbers from 0 has no column, and stands there as its range. The text comes with the file, and one that
    is no such JSON names no column.

        >>> sorted(index_of('{"index_columns": ["user", {"kind": "range"}]}')), index_of("no JSON")
        (['user'], set())
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return set()
    columns = found.get("index_columns") if isinstance(found, dict) else None
    return {name for name in columns if isinstance(name, str)} if isinstance(columns, list) else set()


def spelled(name: str) -> str:
    """The name as it is compared with those that sqlrp itself gives, which are lower case.

    On every engine, names that some engine takes for the same are the same here: a result may go to another one.
    """
    return folded(name, "letters")


class Names:
    """The names of a table's columns, which are found as the engine finds them."""

    def __init__(self, names: Iterable[str], folding: Folding) -> None:
        """`folding`: that of the engine."""
        self._exact = set(names := list(names))
        self._folding = folding
        self._folded = {folded(name, folding): name for name in names}

    def find(self, name: str) -> str | None:
        """The name as the table spells it: the same text if there is one. None if no column has it."""
        return name if name in self._exact else self._folded.get(folded(name, self._folding))
