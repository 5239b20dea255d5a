"""Write the catalogues that the upgrade test reads: `make_catalogues.py tests/fixtures/catalogue-1`.

Run it once for every new format of the catalogue, with the release that writes that format, and never again:
`tests/store/test_upgrade.py` reads its files in all later releases. It makes a DuckDB file, a SQLite file, statements
for PostgreSQL, MariaDB, MySQL and ClickHouse, and `expected.json` with the results of every projection.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import sqlalchemy as sa
from databases import DOUBLES, Database, opened

import sqlrp
from sqlrp._core.sources import TableName
from sqlrp._dialects.table_queries import MARK
from sqlrp._projections.projection import Projection
from sqlrp._store.table import create_catalogue

X = np.array([[1, 2, 0, 5], [3, -1, 4, 0], [0, 2, 2, 1], [6, 1, 3, -2], [2, 2, -3, 1], [5, 0, 1, 1]], dtype=np.float64)
FIRST = 4
"""So many rows are there when the tables are made; the others come in afterwards, for `refresh` to find."""


def projections() -> dict[str, Projection]:
    """One of every method, with what fitting gives where it learns."""
    found: dict[str, Projection] = {
        "sparse": sqlrp.SparseProjection(k=2, s=1, seed=7),
        "sparse's \\ default": sqlrp.SparseProjection(k=3),
        "gaussian": sqlrp.GaussianProjection(k=2, seed=7),
        "polynomial": sqlrp.PolynomialKernelProjection(k=2, degree=2, c=1.5, t=2, seed=3),
        "degree 2": sqlrp.Degree2KernelProjection(k=2, s=2, seed=3),
        "degree 2 default": sqlrp.Degree2KernelProjection(k=2),
        "bilinear": sqlrp.BilinearPooling(k=2, t=2, seed=3),
        "bilinear of two": sqlrp.BilinearPooling(k=2, t=2, seed=3, split=1),
        "maclaurin pooled": sqlrp.MaclaurinPooling(k=2, seed=3),
        "sketch pooled": sqlrp.SketchPooling(k=2, seed=3),
        "all products": sqlrp.FullBilinearPooling(k=3, split=1),
        "subspace": sqlrp.RandomSubspace(k=2, seed=3),
        "subspace of strata": sqlrp.RandomSubspace(k=2, seed=3, stratified=True),
        "hadamard": sqlrp.HadamardProjection(k=2, seed=3),
        "hadamard whole": sqlrp.HadamardProjection(k=4, seed=3, padding="least", replacement=False),
        "embedding": sqlrp.SparseEmbedding(k=4, nnz_per_feature=2, seed=3),
        "embedding of two levels": sqlrp.SparseEmbedding(k=4, nnz_per_feature=1, seed=3, buckets=2),
        "maclaurin": sqlrp.RandomMaclaurin(k=2, seed=3),
        "tensor sketch": sqlrp.TensorSketch(k=3, seed=3),
        "explicit": sqlrp.ExplicitPolynomialProjection(k=2, seed=3),
        "given": sqlrp.GivenProjection.of(np.arange(8).reshape(4, 2) - 3, offset=[0.5, -1.0], scale=0.25),
        "given sketch": sqlrp.GivenTensorSketch.of(
            [[0, 1, 2, 0, 1], [2, 2, 1, 0, 0]], [[1, -1, 1, 1, 1], [1, 1, -1, 1, -1]], 3, constant=0.5
        ),
        "given radial": sqlrp.GivenRadialFeatures.of(X[:2], [[0.5, 1.0], [-0.25, 2.0]], gamma=0.125),
    }
    for name, method in {
        "tuned": sqlrp.DataTunedProjection(k=2, s=1, n_iter=20, seed=3),
        "nystroem": sqlrp.NystroemProjection(k=2, c=1.0, seed=3),
        "nystroem rbf": sqlrp.NystroemProjection(k=2, seed=3, kernel_name="rbf", gamma=0.25),
        "kernel gaussian cosine": sqlrp.KernelGaussianProjection(k=2, t=2, sample=6, seed=3, kernel_name="cosine"),
        "kernel gaussian": sqlrp.KernelGaussianProjection(k=2, t=2, sample=6, seed=3),
        "principal": sqlrp.PrincipalComponents(k=2, seed=3),
    }.items():
        found[name] = method.fit(X).bound([f"f{j}" for j in range(4)])
    frame = {"id": range(len(X)), **{f"f{j}": X[:, j] for j in range(4)}}
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE t ({', '.join(f'{c} DOUBLE' for c in frame)})")
        con.executemany(f"INSERT INTO t VALUES ({', '.join('?' * 5)})", [[i, *row] for i, row in enumerate(X.tolist())])
        for how in ("standard", "minmax", "l2", "tfidf"):
            source = sqlrp.Standardized("t", how=how)  # type: ignore[arg-type]
            found[f"prepared {how}"] = sqlrp.fit(sqlrp.SparseProjection(k=2, s=1, seed=7), source, con)
    return found


def fill(db: Database) -> None:
    """Everything that a catalogue may hold, over a table t of whose rows two come in last."""
    if db.name in ("duckdb", "postgresql"):
        sqlrp.install(db.connection)
    columns = [("id", "BIGINT"), *((f"f{j}", DOUBLES[db.name]) for j in range(4))]
    db.make("t", columns, [[i, *row] for i, row in enumerate(X[:FIRST].tolist())])
    kept = projections()
    for name, projection in kept.items():
        sqlrp.save(projection, db.connection, name, source="t")
    sqlrp.save(kept["sparse"], db.connection, "unbound")
    sqlrp.materialize(kept["polynomial"], "t", db.connection, "made")
    sqlrp.materialize(kept["prepared standard"], "t", db.connection, "made_prepared", output="long", scale=False)
    for i, row in enumerate(X[FIRST:].tolist(), FIRST):
        db.run(f"INSERT INTO t VALUES ({', '.join(db.cell(v) for v in [i, *row])})")


def statements(db: Database) -> Iterator[str]:
    """What makes the same tables elsewhere."""
    stored = " ENGINE = MergeTree ORDER BY tuple()" if db.name == "clickhouse" else ""
    yield create_catalogue(db.engine)
    for table in ("sqlrp_catalogue", "t", "made", "made_prepared"):
        name = TableName((table,))
        columns = db.connector.columns(db.connection, name)
        if table != "sqlrp_catalogue":
            yield f"CREATE TABLE {table} ({', '.join(f'{c.name} {c.type.text}' for c in columns)}){stored}"
        where = " WHERE kind <> 'function'" if table == "sqlrp_catalogue" else ""
        for row in db.connector.fetch(db.connection, f"SELECT * FROM {table}{where}").to_pylist():
            values = ", ".join(db.cell(value) for value in row.values())
            yield f"INSERT INTO {table} ({', '.join(row)}) VALUES ({values})"
        mark = MARK.search(db.connector.mark_of(db.connection, name))
        if mark:
            yield db.engine.marking(name, mark[0], "TABLE")


@contextmanager
def small(path: Path) -> Iterator[Database]:
    """A DuckDB file in small blocks."""
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{path}' AS kept (BLOCK_SIZE 16384)")
        con.execute("USE kept")
        yield Database("duckdb", con, "main")
        con.execute("CHECKPOINT kept")


def numbers(projection: Projection) -> list[list[float]]:
    """What the projection gives for X."""
    table = {"id": np.arange(len(X)), **{f"f{j}": X[:, j] for j in range(4)}}
    import pandas as pd

    done: Any = sqlrp.project(projection, pd.DataFrame(table), output="array")
    found: list[list[float]] = [list(map(float, z)) for z in done["z"]]
    return found


def main(folder: Path) -> None:
    """Write everything."""
    folder.mkdir(parents=True)
    with small(folder / "duckdb.db") as db:
        fill(db)
    made = sa.create_engine(f"sqlite:///{folder / 'sqlite.db'}", isolation_level="AUTOCOMMIT")
    with made.connect() as connection:
        fill(Database("sqlite", connection, "main"))
    made.dispose()
    for name in ("postgresql", "mariadb", "mysql", "clickhouse"):
        with tempfile.TemporaryDirectory() as scratch:
            for db in opened(name, Path(scratch)):
                fill(db)
                text = "".join(f"{statement};\n" for statement in statements(db))
                (folder / f"{name}.sql").write_text(text, encoding="utf-8")
    with duckdb.connect(str(folder / "duckdb.db"), read_only=True) as con:
        kept = sqlrp.saved(con)
    expected = {name: {"name": p.name, "z": numbers(p)} for name, p in kept.items()}
    (folder / "expected.json").write_text(json.dumps({"x": X.tolist(), "projections": expected}, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
