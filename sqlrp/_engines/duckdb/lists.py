"""Constant lists in DuckDB's SQL: one string each, of any length, costs the binder nothing."""

from __future__ import annotations

from collections.abc import Iterable

from sqlrp._dialects.facts import Numbers

EMPTY = " FROM (VALUES ('')) v(t)"
"""A row of a table, whose column t is empty. What reads it is no constant: DuckDB computes constants while it plans,
several times, and passing on a list takes longer than reading it."""


def one(values: Numbers) -> str:
    """A constant list. It stands in a SELECT from `EMPTY`."""
    kind = "DOUBLE" if values.dtype.kind == "f" else "BIGINT"
    if not len(values):
        return f"CAST([] AS {kind}[])"
    return f"CAST(string_split(concat('{text(values)}', t), ',') AS {kind}[])"


def nested(lists: Iterable[str], kind: str) -> str:
    """One list of constant lists, which are given as text. It stands in a SELECT from `EMPTY`.

    Two splits read the string in half of the time of a cast to nested lists.
    """
    each = f"CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS {kind}[]) END"
    return f"list_transform(string_split(concat('{';'.join(lists)}', t), ';'), lambda e: {each})"


def text(values: Numbers) -> str:
    """Numbers as Python writes them."""
    return ",".join(map(repr, values.tolist()))
