"""Calls of the functions that `sqlrp.install` leaves in DuckDB, written from a projection and its source."""

from __future__ import annotations

from typing import Any

import duckdb

from sqlrp import Array, Long, Projection, Wide
from sqlrp._core.sources import Source


def arguments(
    projection: Projection, source: Source | str, *, saved: str | None = None, sign: str = ":=", **options: Any
) -> str:
    """The call of a projection's table function, or of project_with if it was saved under a name.

    `sign`: what stands between a name and its value, := or PostgreSQL's =>.
    """
    source = Wide(source) if isinstance(source, str) else source
    given: dict[str, Any] = {**({} if saved else projection.parameters()), **options}
    if isinstance(source, Array):
        given |= {"array_column": source.column}
    if isinstance(source, Long):
        given |= {"feature": source.feature, "value": source.value, "n_features": source.n_features}
    else:
        given |= {"keep": list(source.keep)} if source.keep else {}
    given["key"] = source.key
    named = ", ".join(
        f"{name} {sign} {text(value, sign)}" for name, value in given.items() if value is not None or name == "key"
    )
    function = f"project_with({text(saved)}, " if saved else f"{projection.function}("
    return f"{function}{text(source.table)}, {named})"


def is_native(con: duckdb.DuckDBPyConnection, call: str) -> bool:
    """Whether DuckDB's extension runs a call."""
    try:
        con.execute(f"EXPLAIN {call.removesuffix(')')}, lowering := 'native')")
    except duckdb.InvalidInputException:
        return False
    return True


def text(value: Any, sign: str = ":=") -> str:
    """A value as SQL."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, list):
        return f"{'ARRAY' * (sign == '=>')}[{', '.join(map(text, value))}]"
    return "NULL" if value is None else str(value).lower()
