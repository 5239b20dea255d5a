"""Write what the playground shows before DuckDB runs, and other engines' SQL: `python docs/playground/prepared.py DIR`.

`first.json` has the result of the first statement. `sql-TABLE-METHOD.json` has the text of every k in every engine.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import data
import duckdb

import sqlrp
from sqlrp._engines.registry import ENGINES

FIRST = "SELECT * FROM rp_project('docstrings', array_column := 'e', k := 256, seed := 7)"
"""The statement that stands in the editor first."""
KS = (2, 4, 8, 16, 32, 64, 128, 256)
LONGEST = 60_000
"""Longer texts are not prepared: nobody reads them in a page."""
_WRITTEN = {
    "postgresql": "PostgreSQL",
    "sqlite": "SQLite",
    "mariadb": "MariaDB",
    "mysql": "MySQL",
    "bigquery": "BigQuery",
}
_WRITTEN |= {"clickhouse": "ClickHouse", "sqlserver": "SQL Server"}
TITLES = {name: _WRITTEN.get(name, name.capitalize()) for name in ENGINES if name != "duckdb"}
"""Every other engine, as its makers write it."""


def sources() -> dict[str, tuple[Any, Any]]:
    """The source of each table, and the s with which its sliders start."""
    pixels = [f"p{j}" for j in range(64)]
    return {
        "docstrings": (sqlrp.Array("docstrings", "e", key="id", n_features=384), "sqrt"),
        "digits": (sqlrp.Wide("digits", key="id", features=pixels), "sqrt"),
        "photographs": (sqlrp.Array("photographs", "pixels", key="id", n_features=data.WINDOW**2), "sqrt"),
        "words": (sqlrp.Long("words", key="id", feature="word", value="n"), 1),
    }


def texts(source: Any, projection: type[sqlrp.Projection], s: Any) -> dict[str, dict[str, str]]:
    """The text for each engine and each k; what an engine refuses is absent."""
    found: dict[str, dict[str, str]] = {}
    for engine in TITLES:
        for k in KS:
            try:
                text = sqlrp.sql(projection(k=k, s=s, seed=7), source, engine)  # type: ignore[call-arg]
            except sqlrp.SqlrpError:
                continue
            if len(text) <= LONGEST:
                found.setdefault(engine, {})[str(k)] = text
    return found


def first() -> dict[str, Any]:
    """The names and the first rows of the first statement, and of every row its id, two components and its label."""
    with duckdb.connect() as con:
        con.register("loaded", data.docstrings())
        con.execute("CREATE TABLE docstrings AS FROM loaded")
        sqlrp.install(con)
        result = con.sql(FIRST)
        rows = result.fetchall()
        labels = dict(con.execute("SELECT id, label FROM docstrings").fetchall())
        points = [[row[0], round(row[1], 2), round(row[2], 2), labels[row[0]]] for row in rows]
        return {"statement": FIRST, "names": result.columns, "rows": rows[:8], "count": len(rows), "points": points}


def main(folder: Path) -> None:
    """Write all files."""
    warnings.simplefilter("ignore", sqlrp.SqlrpWarning)  # k = 64 does not reduce 64 pixels, and a slider may say so
    (folder / "first.json").write_text(json.dumps(first()), encoding="utf-8")
    (folder / "engines.json").write_text(json.dumps(TITLES), encoding="utf-8")
    for table, (source, s) in sources().items():
        for name, projection in (("rp", sqlrp.SparseProjection), ("pk", sqlrp.PolynomialKernelProjection)):
            (folder / f"sql-{table}-{name}.json").write_text(json.dumps(texts(source, projection, s)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
