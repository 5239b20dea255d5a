"""What `sqlrp.dbt` writes, run by dbt itself: twice, with new rows between, on DuckDB and on PostgreSQL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from databases import Database, missing, opened
from helpers import assert_one_line

import sqlrp
from sqlrp import Array, Long, ParameterError, PolynomialKernelProjection, SparseProjection, Wide
from sqlrp.dbt import write
from sqlrp.errors import LimitError, SourceError

KEY = 'i"d {{ k }}{% k %}{# \r\n%s \'\\'
HOSTILE = (KEY, "{{ this }} {", "}} {#", '"{% raw %}"', "größe \U0001f600{{")
HOSTILE_SOURCE = Wide('"hostile {{ t }}"', key=KEY, keep=[HOSTILE[1]], features=HOSTILE[2:])
LEARNT = sqlrp.PrincipalComponents(k=2, sample=100, seed=0)


def models(db: Database) -> dict[str, tuple[sqlrp.Projection, Any, dict[str, Any]]]:
    """What is written and run: projection, source and options by the model's name."""
    rp = SparseProjection(k=3, s=1, seed=7)
    made: dict[str, tuple[sqlrp.Projection, Any, dict[str, Any]]] = {
        "images_rp": (rp, Wide("images", keep=["label"]), {"relation": "arrived"}),
        "images_pk": (
            PolynomialKernelProjection(k=4, t=2, c=1, seed=2),
            Wide("images", keep=["label"]),
            {"relation": "shop.images", "output": "array", "nulls": "zero"},
        ),
        "arrays_rp": (rp, Array("arrays", "x"), {"relation": "shop.arrays", "lowering": "relational"}),
        "words_rp": (rp, Long("words", "doc", "word", "n"), {"relation": "shop.words", "output": "long"}),
        "hostile_rp": (rp, HOSTILE_SOURCE, {"relation": 'shop."hostile {{ t }}"', "scale": False}),
        "arrays_pca": (
            sqlrp.fit(LEARNT, Array("arrays", "x"), db.connection),
            Array("arrays", "x"),
            {"relation": "shop.arrays", "materialized": "table"},
        ),
    }
    return made


@contextmanager
def connected(name: str, folder: Path) -> Iterator[Database]:
    """A database of the engine's; DuckDB's file is closed in the end, as one process at a time writes to it."""
    yield from opened(name, folder)


def load(db: Database, first: int, last: int) -> None:
    """Rows of the ids from first up to last, in four tables."""
    number = "BIGINT" if db.name == "duckdb" else "bigint"
    double, text = ("DOUBLE", "VARCHAR") if db.name == "duckdb" else ("double precision", "text")
    ids = range(first, last)
    tables: dict[str, tuple[list[tuple[str, str]], list[list[Any]]]] = {
        "images": (
            [("id", number), ("label", text), ("p0", number), ("p1", double), ("p2", double)],
            [[i, f"l{i}", i % 7, None if i % 5 == 4 else i / 4, (i * 5) % 17] for i in ids],
        ),
        "arrays": ([("id", number), ("x", f"{double}[]")], [[i, [i % 3, i % 5, i / 2]] for i in ids]),
        "words": (
            [("doc", number), ("word", text), ("n", number)],
            [[i, word, i % 4 + 1] for i in ids for word in ("a", f"b{i % 9}")],
        ),
        "hostile {{ t }}": (
            [(n, number if n != HOSTILE[1] else text) for n in HOSTILE],
            [[i, "{{ text }}", i % 3, i % 5, i % 7] for i in ids],
        ),
    }
    for table, (columns, rows) in tables.items():
        if first == 0:
            db.make(table, columns, rows)
        else:
            lines = ", ".join(f"({', '.join(map(db.cell, row))})" for row in rows)
            db.run(f"INSERT INTO {db.engine.quote(table)} VALUES {lines}")


def project(folder: Path, profile: dict[str, Any], schema: str) -> None:
    """A dbt project with the tables as sources, a model of one's own, and one that calls the macro."""
    (folder / "models").mkdir(parents=True)
    (folder / "dbt_project.yml").write_text('name: shop\nversion: "1.0"\nprofile: shop\n')
    (folder / "profiles.yml").write_text(json.dumps({"shop": {"target": "t", "outputs": {"t": profile}}}))
    tables = [{"name": n} for n in ("images", "arrays", "words")]
    tables.append({"name": "hostile {{ '{{' }} t }}"})
    sources = {"version": 2, "sources": [{"name": "shop", "schema": schema, "tables": tables}]}
    (folder / "models" / "sources.yml").write_text(json.dumps(sources))
    (folder / "models" / "arrived.sql").write_text("select * from {{ source('shop', 'images') }}")
    late = "select * from {{ source('shop', 'images') }} where id > 10"
    (folder / "models" / "late.sql").write_text(
        f"{{% set late %}}({late}) late{{% endset %}}\nselect * from ({{{{ sqlrp_images_rp(late) }}}}) z"
    )


def build(folder: Path) -> dict[str, str]:
    """Run dbt; the status of every model and test by its name."""
    done = subprocess.run(
        [sys.executable, "-m", "dbt.cli.main", "build", "--profiles-dir", str(folder), "--project-dir", str(folder)],
        env={**os.environ, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "NO_COLOR": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((folder / "target" / "run_results.json").read_text())["results"]
    return {result["unique_id"]: result["status"] for result in results}


def profile_of(db: Database, path: Path) -> dict[str, Any]:
    if db.name == "duckdb":
        return {"type": "duckdb", "path": str(path), "threads": 1}
    url = db.connection.engine.url
    return {
        "type": "postgres",
        "host": url.query.get("host", url.host),
        "port": int(url.query.get("port", url.port or 5432)),
        "user": url.username,
        "password": url.password or "none",
        "dbname": url.database,
        "schema": db.schema,
        "threads": 1,
    }


def rows(table: Any) -> list[tuple[Any, ...]]:
    """The rows of an Arrow table, in order."""
    found = [tuple(map(plain, row.values())) for row in table.to_pylist()]
    return sorted(found, key=repr)


def plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@pytest.mark.parametrize("name", ["duckdb", "postgresql"])
def test_dbt_runs_what_is_written(name: str, tmp_path: Path) -> None:
    try:
        import dbt.cli.main  # noqa: F401
    except ImportError as error:
        missing("dbt", error)
    folder = tmp_path / "project"
    generator = opened(name, tmp_path)
    db = next(generator)
    try:
        load(db, 0, 20)
        project(folder, profile_of(db, tmp_path / "test.db"), db.schema)
        made = models(db)
        for model, (projection, source, options) in made.items():
            write(projection, source, db.connection, folder, model, **options)
        print(folder)
        if name == "duckdb":
            db.connection.close()
        print(build(folder))
    finally:
        pass
