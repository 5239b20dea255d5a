"""Descriptions of the columns that a wide source leaves out if it does not name its features."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from sqlrp._core.errors import SourceError, shorten
from sqlrp._dialects.dialect import Column, ColumnType
from sqlrp._dialects.facts import ARRAY

SMALL_EMBEDDING = 64
"""The assumed length of an array whose type states none."""

_TIME = re.compile(
    r"(nullable\(|lowcardinality\()*(date|time|interval|duration|month_day_nano)|extension<pandas\.(period|interval)",
    re.IGNORECASE,
)
_NESTED = re.compile(r"(nullable\()?(struct|union|(sparse|dense)_union|map|tuple|row|record)\b", re.IGNORECASE)


def described(columns: Sequence[Column]) -> str:
    """The columns in words, grouped by type: arrays first, as the user may have meant them; empty for no columns."""
    groups: dict[str, list[Column]] = {"array": [], "nested": [], "date": [], "text": [], "other": []}
    for column in columns:
        groups[_sort(column.type)].append(column)
    return ", ".join(f"{sort} {_listed(found)}" for sort, found in groups.items() if found)


def notable(columns: Sequence[Column]) -> bool:
    """Whether the columns are a reason to warn. Arrays, structs and dates are; names and labels are often left out."""
    return any(_sort(column.type) in ("array", "nested", "date") for column in columns)


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


SAMPLE = 100
"""The rows that are looked at for numbers in columns of text."""
_MOST = 50  # columns that are looked at
_HOLDS = re.compile(r"(nullable\(|lowcardinality\()*(json|variant|dynamic|money|smallmoney|any)", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}([. ']\d{3})+),\d+")
_GROUPS = re.compile(r"[^\d\s+-]?[+-]?[^\d\s+-]?\d{1,3}(,\d{3})+(\.\d+)?")


def suspects(columns: Sequence[Column]) -> list[str]:
    """The names of columns that are left out by their type and may hold numbers all the same."""
    found = [c.name for c in columns if not c.type.is_array and (c.type.is_text or _HOLDS.match(c.type.text))]
    return found[:_MOST]


def doubt(name: str, values: Iterable[object]) -> str:
    """Why a column that is left out may be meant as a feature, in words; empty if most of its values are no numbers."""
    there = [text for value in values if value is not None and (text := str(value).strip())]
    others = [text for text in there if not _is_number(text)]
    if not there or len({*there}) == 1:
        return ""
    if 2 * len(others) < len(there):
        return f"{shorten(name)} is text, and most of it reads as numbers" + (
            f"; it holds {shorten(others[0], 20)}" if others else ""
        )
    for pattern, what in (
        (_COMMA, "a number with a decimal comma"),
        (_GROUPS, "a number with a sign between the digits"),
        (ARRAY, "an array of numbers as text"),
    ):
        odd = [text for text in others if pattern.fullmatch(text)]
        if 2 * len(odd) > len(there):
            return f"{shorten(name)} holds {shorten(odd[0], 20)}, {what}"
    return ""


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _sort(kind: ColumnType) -> str:
    """A word for the type of a column that is not a number."""
    if kind.is_array:
        return "array"
    if _TIME.match(kind.text):
        return "date"
    if _NESTED.match(kind.text):
        return "nested"
    return "text" if kind.is_text else "other"


def _listed(columns: Sequence[Column], most: int = 5) -> str:
    """The names of the first few columns."""
    more = f" and {len(columns) - most:,} more" if len(columns) > most else ""
    return ", ".join(shorten(column.name, 40) for column in columns[:most]) + more
