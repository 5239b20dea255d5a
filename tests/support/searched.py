"""Calls of the functions that search, on each engine."""

from __future__ import annotations

from typing import Any


def called(db: Any, name: str, vector: Any, n: int = 10, candidates: int | None = None) -> list[tuple[Any, ...]]:
    """Call a function as its engine does. ClickHouse knows no defaults, so its views have no number of candidates."""
    numbers = "NULL" if vector is None else f"[{', '.join('NULL' if v is None else repr(float(v)) for v in vector)}]"
    if db.name == "clickhouse":
        return db.run_query(f"SELECT * FROM {name}(query = {numbers}, n = {n})")  # type: ignore[no-any-return]
    if db.name == "postgresql" and vector is not None:
        numbers = f"CAST(ARRAY{numbers} AS double precision[])"
    given = f", n := {n}" + ("" if candidates is None else f", candidates := {candidates}")
    return db.run_query(f"SELECT * FROM {name}({numbers}{given})")  # type: ignore[no-any-return]
