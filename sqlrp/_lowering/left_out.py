"""Descriptions of the columns that a wide source leaves out if it does not name its features."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlrp._core.errors import SourceError, shorten
from sqlrp._dialects.base import Column, ColumnType

SMALL_EMBEDDING = 64
"""The assumed length of an array whose type states none."""

_TIME = re.compile(r"(nullable\(|lowcardinality\()*(date|time|interval|duration)", re.IGNORECASE)


def described(columns: Sequence[Column]) -> str:
    """The columns in words, grouped by type: arrays first, as the user may have meant them; empty for no columns."""
    groups: dict[str, list[Column]] = {"array": [], "date": [], "text": [], "other": []}
    for column in columns:
        groups[_sort(column.type)].append(column)
    return ", ".join(f"{sort} {_listed(found)}" for sort, found in groups.items() if found)


def notable(columns: Sequence[Column]) -> bool:
    """Whether the columns are a reason to warn. Arrays and dates are; names and labels are often left out."""
    return any(_sort(column.type) in ("array", "date") for column in columns)


def check_arrays(table: str, features: Sequence[Column], left_out: Sequence[Column], in_memory: bool) -> None:
    """Raise SourceError if an array that is left out has more numbers than there are numeric columns.

    The user then more likely meant the array, so the source has to say which of the two it is. `in_memory`: the
    source is a dataframe or a lazy frame.
    """
    arrays = [
        c
        for c in left_out
        if c.type.is_array and c.type.number is not None and len(features) < (c.type.size or SMALL_EMBEDDING)
    ]
    if not arrays:
        return
    name, names, n = shorten(arrays[0].name), _listed(features), len(features)
    has = f"{n} numeric column{'s' * (n > 1)} ({names})" if n else "no numeric column"
    said = f"{table} has {has} besides key and keep, and an array: {_listed(arrays)}. Say which holds the features. "
    if in_memory:
        said += f"For the array: array_column = {name}"
        others = f"drop the array, or name it in keep = [{name}]"
    else:
        said += f"For the array: Array(table, {name}), in SQL array_column := {name}"
        others = f"features = [{names}]"
    raise SourceError(said + (f". For the numeric columns: {others}" if n else ""))


def _sort(kind: ColumnType) -> str:
    """A word for the type of a column that is not a number."""
    if kind.is_array:
        return "array"
    if _TIME.match(kind.text):
        return "date"
    return "text" if kind.is_text else "other"


def _listed(columns: Sequence[Column], most: int = 5) -> str:
    """The names of the first few columns."""
    more = f" and {len(columns) - most:,} more" if len(columns) > most else ""
    return ", ".join(shorten(column.name, 40) for column in columns[:most]) + more
