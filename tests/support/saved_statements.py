"""The statements of a call of a saved projection in DuckDB: what the extension writes, and what the macros write."""

from __future__ import annotations

from typing import Any

MACROS = "FROM query(sqlrp_macros("
"""How the text begins that the macros take."""
OPTIONS = {
    **dict.fromkeys(("array_column", "feature", "value", "n_features")),
    **{"output": "columns", "scale": True, "nulls": "propagate", "lowering": "auto", "dtype": "auto"},
}


def saved_statements(con: Any, name: str, source: str, **options: Any) -> tuple[str, str]:
    """Both statements of a call with these options."""
    return of_c(con, name, source, **options), of_macros(con, name, source, **options)


def of_c(con: Any, name: str, source: str, **options: Any) -> str:
    """The statement that the extension writes, or the call of the macros."""
    given = [*_given(name, source, options), *_typed(None), *_typed(None)]
    passed = "'project_with', 'sqlrp_saved_open', CAST($1 AS VARCHAR[]), $2, sqlrp_saved_call($3), [], []"
    (begun,) = con.execute(f"SELECT sqlrp_begin({passed})", [given, source, name]).fetchone()
    return followed(con, begun)


def of_macros(con: Any, name: str, source: str, **options: Any) -> str:
    """The statement that the macros write."""
    given = _given(name, source, options)
    texts = ", ".join(
        "NULL" if text is None else f"CAST({quoted(text)} AS {kind})"
        for kind, text in zip(given[::2], given[1::2], strict=True)
    )
    return followed(con, f"FROM query(sqlrp_saved_open({texts}, [], [], false))")


def _given(name: str, source: str, options: dict[str, Any]) -> list[Any]:
    """The types and the texts of the arguments."""
    values = [name, source, "id", *(OPTIONS | options).values()]
    return [cell for value in values for cell in _typed(value)]


def quoted(text: str) -> str:
    """A text as SQL."""
    return "'" + text.replace("'", "''") + "'"


def _typed(value: Any) -> tuple[str, str | None]:
    if value is None:
        return '"NULL"', None
    kind = {bool: "BOOLEAN", int: "INTEGER"}.get(type(value), "VARCHAR")
    return kind, str(value).lower() if isinstance(value, bool) else str(value)


def followed(con: Any, text: str) -> str:
    """The last text of a chain of queries that write one another."""
    while text.startswith("FROM query(") and not text.startswith(MACROS):
        (found,) = con.execute(f"SELECT {text.removeprefix('FROM query(')[:-1]}").fetchone()
        text = str(found)
    return text
