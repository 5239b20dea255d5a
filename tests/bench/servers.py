"""The cases of the other engines: PostgreSQL against COPY, ClickHouse against its own, Spark against pandas."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import clickhouse_connect
import numpy as np
import pandas as pd
import pyarrow as pa
import spark_cluster
from calls import FUNCTION, TEXT
from case import Bar, Bench, Call, Case, Place
from dense import project
from scipy.sparse import csr_matrix
from sklearn.random_projection import SparseRandomProjection

import sqlrp
from sqlrp._core.sources import TableName

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from databases import Database, opened

ARRAY, WRITTEN = f"{TEXT}, array", "text of the function"
_HEAD = b"PGCOPY\n\xff\r\n\0" + bytes(8)


@contextmanager
def database(name: str, folder: Path) -> Iterator[Database]:
    """A database or schema of its own, dropped in the end. A server that does not answer leaves a test out, and ends a
    measurement with an error."""
    generator = opened(name, folder)
    try:
        yield next(generator)
    finally:
        next(generator, None)


def table_shape(db: Database, table: str = "out") -> Callable[[], tuple[int, int]]:
    """Rows and columns of the table."""

    def call() -> tuple[int, int]:
        rows = db.connector.fetch(db.connection, f"SELECT count(*) AS n FROM {table}").column(0).to_pylist()[0]
        return int(rows), len(db.connector.columns(db.connection, TableName((table,))))

    return call


# -- PostgreSQL ------------------------------------------------------------------------------------------


def postgresql(place: Place) -> Bench:
    """20,000 x 784 double precision columns to 256, beside binary COPY both ways: the fastest way out and in.

    The function's rows are beside `materialize` with lowering "sql" to an array, its text beside the same to columns.
    """
    n, d, k = place.rows(20_000), place.size(784), place.size(256)
    db = place.stack.enter_context(database("postgresql", place.folder))
    named, drawn = ", ".join(f"f{j} float8" for j in range(d)), ", ".join(["random() - 0.5"] * d)
    written = ", ".join(f"z{c} float8" for c in range(k))
    db.run(f"CREATE TABLE points (id bigint PRIMARY KEY, {named})")
    db.run(f"INSERT INTO points SELECT g, {drawn} FROM generate_series(0, {n - 1}) g")
    db.run("ANALYZE points")
    raw = db.connection.connection.driver_connection

    def peer() -> None:
        with raw.cursor() as cursor, cursor.copy("COPY points TO STDOUT (FORMAT binary)") as copy:
            received = b"".join(copy)
        cells = np.frombuffer(received, np.uint8, n * (2 + 12 * (d + 1)), len(_HEAD)).reshape(n, -1)[:, 2:]
        values = np.ascontiguousarray(cells.reshape(n, d + 1, 12)[:, :, 4:]).view(">f8")[:, :, 0]
        z = SparseRandomProjection(k, random_state=0).fit_transform(values[:, 1:].astype(np.float64))
        rows = np.zeros((n, 2 + 12 * (k + 1)), np.uint8)
        rows[:, :2] = np.array([k + 1], ">i2").view(np.uint8)
        out = rows[:, 2:].reshape(n, k + 1, 12)
        out[:, :, :4] = np.array([8], ">i4").view(np.uint8)
        out[:, 0, 4:] = cells.reshape(n, d + 1, 12)[:, 0, 4:]
        out[:, 1:, 4:] = z.astype(">f8")[:, :, None].view(np.uint8)
        db.run(f"CREATE TABLE out (id bigint, {written})")
        with raw.cursor() as cursor, cursor.copy("COPY out FROM STDIN (FORMAT binary)") as copy:
            copy.write(_HEAD)
            copy.write(rows.tobytes())
            copy.write(b"\xff\xff")

    copied = ", ".join(f"{' + '.join(f'f{j}' for j in range(c, d, k))} AS z{c}" for c in range(k))
    sqlrp.install(db.connection)

    def written_by_function() -> None:
        with db.connector.session(db.connection) as session:
            text = f"SELECT rp_project_sql('points', k => {k}, output => 'columns')"
            db.connector.execute(session, f"CREATE TABLE out AS {db.connector.rows(session, text)[0][0]}")

    def rows_of_function() -> None:
        db.run(f"CREATE TABLE out AS SELECT * FROM rp_project('points', k => {k})")

    method = sqlrp.SparseProjection(k=k)
    jobs: dict[str, Call] = {
        "SparseProjection": project(db.connection, method, "points"),
        TEXT: project(db.connection, method, "points", lowering="sql"),
        WRITTEN: written_by_function,
        ARRAY: project(db.connection, method, "points", lowering="sql", output="array"),
        FUNCTION: rows_of_function,
        "SparseEmbedding": project(db.connection, sqlrp.SparseEmbedding(k=k), "points"),
        "COPY out, SparseRandomProjection, COPY in": peer,
        "plain copy": lambda: db.run(f"CREATE TABLE out AS SELECT id, {copied} FROM points"),
    }
    arrays = (ARRAY, FUNCTION)
    # The function's rows have a column more: what `keep` names, as JSON.
    return Bench(
        jobs, lambda: db.run("DROP TABLE IF EXISTS out"), table_shape(db), lambda job: job if job in arrays else ""
    )


# -- MySQL -----------------------------------------------------------------------------------------------


def mysql(place: Place) -> Bench:
    """20,000 x 784 columns of DOUBLE to 256, beside pymysql's rows, scikit-learn, and rows of pymysql back."""
    n, d, k = place.rows(20_000), place.size(784), place.size(256)
    db = place.stack.enter_context(database("mysql", place.folder))
    named = ", ".join(f"f{j} DOUBLE" for j in range(d))
    drawn = ", ".join(["rand() - 0.5"] * d)
    components = ", ".join(f"z{c} DOUBLE" for c in range(k))
    db.run(f"CREATE TABLE points (id BIGINT PRIMARY KEY, {named})")
    db.run(f"INSERT INTO points SELECT g, {drawn} FROM ({db.engine.numbers_from_zero(n, 'g')}) s")
    db.run("ANALYZE TABLE points")
    raw = db.connection.connection.driver_connection

    def written(projection: sqlrp.Projection) -> Call:
        def call() -> None:
            script = sqlrp.explain(projection, sqlrp.Wide("points"), db.connection).script
            with db.connector.set_up(db.connection, script.steps):
                db.run(f"CREATE TABLE made AS {script.query}")

        return call

    def peer() -> None:
        with raw.cursor() as cursor:
            cursor.execute("SELECT * FROM points")
            values = np.array(cursor.fetchall())
            z = SparseRandomProjection(k, random_state=0).fit_transform(values[:, 1:])
            db.run(f"CREATE TABLE made (id BIGINT, {components})")
            marks = ", ".join(["%s"] * (k + 1))
            rows = [(int(i), *row) for i, row in zip(values[:, 0], z.tolist(), strict=True)]
            cursor.executemany(f"INSERT INTO made VALUES ({marks})", rows)
        raw.commit()

    copied = ", ".join(f"{' + '.join(f'f{j}' for j in range(c, d, k))} AS z{c}" for c in range(k))
    jobs: dict[str, Call] = {
        "SparseProjection": written(sqlrp.SparseProjection(k=k)),
        "SparseEmbedding": written(sqlrp.SparseEmbedding(k=k)),
        "fetch, SparseRandomProjection, write": peer,
        "plain copy": lambda: db.run(f"CREATE TABLE made AS SELECT id, {copied} FROM points"),
    }
    return Bench(jobs, lambda: db.run("DROP TABLE IF EXISTS made"), table_shape(db, "made"))


# -- ClickHouse ------------------------------------------------------------------------------------------

AWAY, ESTIMATED = "estimate, as seconds of the fastest run over it or the reverse", "the planner's estimate"


def clickhouse(place: Place) -> Bench:
    """An array column of 784 numbers to 488, beside ClickHouse's own randomHadamardTransform."""
    n, d, k = place.rows(50_000), place.size(784), place.size(488)
    db = place.stack.enter_context(database("clickhouse", place.folder))
    stored = "ENGINE = MergeTree ORDER BY id AS SELECT"
    drawn = f"arrayMap(i -> rand(i + number * {d}) / 4294967296 - 0.5, range({d}))"
    db.run("CREATE DATABASE IF NOT EXISTS bench")
    db.run("USE bench")
    db.run(f"CREATE TABLE points {stored} toInt64(number) AS id, {drawn} AS x FROM numbers({n})")
    source = sqlrp.Array("points", "x")
    away = {ESTIMATED: 1.0}

    def written(projection: sqlrp.Projection) -> Call:
        taken: list[float] = []

        def call() -> None:
            begun = time.perf_counter()
            explained = sqlrp.explain(projection, source, db.connection, output="array")
            with db.connector.set_up(db.connection, explained.script.steps):
                db.run(db.engine.create_table("out", explained.script.query))
            taken.append(time.perf_counter() - begun)
            expected = next(e.seconds for e in explained.plan.estimates if e.lowering == explained.lowering)
            times = min(taken) / expected
            away[type(projection).__name__] = max(times, 1 / times)

        return call

    def peer() -> None:
        table = db.connector.fetch(db.connection, "SELECT id, x FROM points")
        x = table.column("x").combine_chunks().flatten().to_numpy().reshape(n, d)
        z = SparseRandomProjection(k, random_state=0).fit_transform(x)
        offsets = np.arange(0, n * k + 1, k, dtype=np.int32)
        projected = pa.table({"id": table.column("id"), "z": pa.ListArray.from_arrays(offsets, z.reshape(-1))})  # noqa: F841
        db.connection.query("CREATE TABLE out ENGINE = MergeTree ORDER BY tuple() AS SELECT * FROM Python(projected)")

    jobs: dict[str, Call] = {
        "HadamardProjection": written(sqlrp.HadamardProjection(k=k)),
        "SparseEmbedding": written(sqlrp.SparseEmbedding(k=k)),
        "SparseProjection": written(sqlrp.SparseProjection(k=k)),
        "randomHadamardTransform": lambda: db.run(
            f"CREATE TABLE out {stored} id, randomHadamardTransform(x, 1, {k}) AS z FROM points"
        ),
        "fetch, SparseRandomProjection, write": peer,
        "plain copy": lambda: db.run(f"CREATE TABLE out {stored} id, arraySlice(x, 1, {k}) AS z FROM points"),
    }
    return Bench(jobs, lambda: db.run("DROP TABLE IF EXISTS out"), table_shape(db), facts={AWAY: away})


def clickhouse_driver(place: Place) -> Bench:
    """20,000 x 784 columns to 256 through a client of clickhouse-connect, beside Arrow by it both ways."""
    n, d, k = place.rows(20_000), place.size(784), place.size(256)
    client = clickhouse_connect.get_client(interface="chdb")
    place.stack.callback(client.close)
    db = Database("clickhouse", client, "default")
    drawn = ", ".join(f"rand({j}) / 4294967296 - 0.5 AS f{j}" for j in range(d))
    stored = "ENGINE = MergeTree ORDER BY id"
    db.run(f"CREATE TABLE points {stored} AS SELECT toInt64(number) AS id, {drawn} FROM numbers({n})")

    def written(projection: sqlrp.Projection) -> Call:
        def call() -> None:
            script = sqlrp.explain(projection, sqlrp.Wide("points"), client).script
            with db.connector.set_up(client, script.steps):
                db.run(db.engine.create_table("out", script.query))

        return call

    def peer() -> None:
        table = client.query_arrow("SELECT * FROM points")
        x = np.column_stack([table.column(f"f{j}").to_numpy() for j in range(d)])
        z = SparseRandomProjection(k, random_state=0).fit_transform(x)
        columns = ", ".join(f"z{c} Float64" for c in range(k))
        db.run(f"CREATE TABLE out (id Int64, {columns}) {stored}")
        projected = pa.table({"id": table.column("id"), **{f"z{c}": z[:, c] for c in range(k)}})
        client.insert_arrow("out", projected)

    copied = ", ".join(f"{' + '.join(f'f{j}' for j in range(c, d, k))} AS z{c}" for c in range(k))
    jobs: dict[str, Call] = {
        "SparseProjection": written(sqlrp.SparseProjection(k=k)),
        "SparseEmbedding": written(sqlrp.SparseEmbedding(k=k)),
        "fetch, SparseRandomProjection, write": peer,
        "plain copy": lambda: db.run(f"CREATE TABLE out {stored} AS SELECT id, {copied} FROM points"),
    }
    return Bench(jobs, lambda: db.run("DROP TABLE IF EXISTS out"), table_shape(db))


# -- Spark -----------------------------------------------------------------------------------------------


def spark_session(place: Place) -> Any:
    """The running session, or one on all cores until the case ends."""
    from pyspark.sql import SparkSession

    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    settings = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.memory": "6g"}
    builder = SparkSession.builder.master(f"local[{os.cpu_count()}]")
    for name, value in {**settings, "spark.log.level": "OFF", "spark.ui.showConsoleProgress": "false"}.items():
        builder = builder.config(name, value)
    running = SparkSession.getActiveSession()
    session = running or builder.getOrCreate()
    if running is None:
        place.stack.callback(session.stop)
    return session


def spark(place: Place) -> Bench:
    """An array column of 784 numbers to 256, beside a pandas UDF; Parquet in, Parquet out."""
    from pyspark.sql.functions import pandas_udf

    n, d, k = place.rows(50_000), place.size(784), place.size(256)
    session = spark_session(place)
    made, out = str(place.folder / f"spark_{place.scale}"), str(place.folder / "spark_out")
    values = f"transform(sequence(1, {d}), i -> rand() - 0.5)"
    session.sql(f"SELECT id, {values} AS x FROM range(0, {n}, 1, {os.cpu_count()})").write.mode("overwrite").parquet(
        made
    )
    session.read.parquet(made).createOrReplaceTempView("points")
    source = sqlrp.Array("points", "x")

    def transform(x: pd.Series) -> pd.Series:  # type: ignore[type-arg]
        rows = np.stack(x.to_numpy())
        return pd.Series(list(SparseRandomProjection(k, random_state=0).fit_transform(rows)))

    udf = pandas_udf(transform, "array<double>")  # type: ignore[call-overload]

    def write(frame: Any) -> None:
        frame.write.mode("overwrite").parquet(out)

    def written(projection: sqlrp.Projection, lowering: str = "auto") -> Call:
        return lambda: write(sqlrp.project(projection, source, session, output="array", lowering=lowering))

    def shape() -> tuple[int, int]:
        frame = session.read.parquet(out)
        return frame.count(), len(frame.columns)

    jobs: dict[str, Call] = {
        "SparseProjection": written(sqlrp.SparseProjection(k=k)),
        "SparseEmbedding": written(sqlrp.SparseEmbedding(k=k)),
        "GaussianProjection": written(sqlrp.GaussianProjection(k=k)),
        "SparseProjection in SQL": written(sqlrp.SparseProjection(k=k), "sql"),
        "pandas UDF, SparseRandomProjection": lambda: write(session.table("points").select("id", udf("x").alias("z"))),
        "plain copy": lambda: write(session.sql(f"SELECT id, slice(x, 1, {k}) AS z FROM points")),
    }
    return Bench(jobs, shape=shape)


def spark_sparse(place: Place) -> Bench:
    """Sparse rows, whose cells meet by a shuffle, on two workers with a core each, beside a pandas UDF."""
    from pyspark.sql import SparkSession

    n, d, k, each = place.rows(1_000_000), 1_000, place.size(256), 10
    session = SparkSession.getActiveSession()
    if session is None:
        session = spark_cluster.started(place.folder)
        place.stack.callback(session.stop)
    cells = spark_cluster.sparse_cells(session, place.folder / f"spark_cells_{place.scale}", n, each, d)
    source, projection = sqlrp.Long("cells", n_features=d), sqlrp.SparseProjection(k=k)
    fitted = SparseRandomProjection(k, density=1 / math.sqrt(d), random_state=0).fit(csr_matrix((1, d)))
    out = str(place.folder / "spark_sparse_out")

    def write(frame: Any) -> None:
        frame.write.mode("overwrite").parquet(out)

    def written(lowering: str) -> Call:
        return lambda: write(sqlrp.project(projection, source, session, output="array", lowering=lowering))

    def shape() -> tuple[int, int]:
        frame = session.read.parquet(out)
        return frame.count(), len(frame.columns)

    jobs: dict[str, Call] = {
        "SparseProjection": written("auto"),
        "SparseProjection in SQL": written("sql"),
        "pandas UDF, SparseRandomProjection": lambda: write(spark_cluster.by_pandas(cells, fitted, d)),
        "plain copy of the cells": lambda: write(cells),
    }
    return Bench(jobs, shape=shape, alike=lambda job: "cells" if "copy" in job else "")


# -- larger than memory ----------------------------------------------------------------------------------


def out_of_core(place: Place) -> Bench:
    """A Parquet file of ten times the memory limit, by the script out_of_core.py, which says what it found."""
    gigabytes = {"full": 10.0, "quick": 2.0, "tiny": 0.02}[place.scale]
    limit = max(gigabytes / 10, 0.2)
    script = Path(__file__).with_name("out_of_core.py")
    # Narrower rows than the script's own: what the reader holds must fit a tenth of the file.
    options = ["--gigabytes", str(gigabytes), "--memory-limit", f"{limit}GB", "--folder", str(place.folder), "--json"]
    options += ["--features", str(place.size(500))]
    done = subprocess.run([sys.executable, str(script), *options], capture_output=True, text=True, check=True)
    found: dict[str, dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    facts: dict[str, dict[str, float]] = {"peak memory, GB": {"memory_limit": limit}, "seconds of one run": {}}
    notes: dict[str, str] = {}
    for settings, got in found.items():
        if "error" in got:
            notes[settings] = got["error"]
            continue
        facts["peak memory, GB"][settings] = got["peak"] / 1e9
        facts["seconds of one run"][settings] = got["seconds"]
    return Bench({}, facts=facts, notes=notes)


CASES = (
    Case(
        "postgresql",
        "PostgreSQL: 20,000 x 784 columns to 256",
        postgresql,
        (
            Bar(
                "PostgreSQL wide 20,000 x 784 -> 256",
                "SparseProjection",
                ("COPY out, SparseRandomProjection, COPY in",),
                1.5,
            ),
            Bar("PostgreSQL rp_project, beside materialize in SQL", FUNCTION, (ARRAY,), 1.25, faster=False),
            Bar(
                "PostgreSQL rp_project_sql, beside materialize in SQL",
                WRITTEN,
                (TEXT,),
                1.25,
                faster=False,
            ),
        ),
    ),
    Case(
        "mysql",
        "MySQL: 20,000 x 784 columns to 256",
        mysql,
        (
            Bar(
                "MySQL wide 20,000 x 784 -> 256",
                "SparseProjection",
                ("fetch, SparseRandomProjection, write",),
                1.5,
            ),
        ),
        rounds=3,
    ),
    Case(
        "clickhouse-driver",
        "ClickHouse by its driver: 20,000 x 784 columns to 256",
        clickhouse_driver,
        (
            Bar(
                "ClickHouse wide by its driver 20,000 x 784 -> 256",
                "SparseProjection",
                ("fetch, SparseRandomProjection, write",),
                1.5,
            ),
        ),
        rounds=3,
    ),
    Case(
        "clickhouse",
        "ClickHouse: an array column, 50,000 x 784 to 488",
        clickhouse,
        (
            Bar(
                "ClickHouse array 50,000 x 784 -> 488, by SQL alone",
                "SparseProjection",
                ("fetch, SparseRandomProjection, write",),
                1.0,
            ),
            Bar(
                "ClickHouse array 50,000 x 784 -> 488: the planner's estimate",
                "SparseProjection",
                (ESTIMATED,),
                1.5,
                False,
                AWAY,
            ),
            Bar(
                "ClickHouse Hadamard beside its randomHadamardTransform",
                "HadamardProjection",
                ("randomHadamardTransform",),
                3.0,
                False,
            ),
        ),
        rounds=3,
    ),
    Case(
        "spark",
        "Spark: an array column, 50,000 x 784 to 256, from Parquet to Parquet",
        spark,
        (
            Bar(
                "Spark dense array 50,000 x 784 -> 256",
                "SparseProjection",
                ("pandas UDF, SparseRandomProjection",),
                1.5,
            ),
        ),
        rounds=3,
    ),
    Case(
        "spark-sparse",
        "Spark: 1 million sparse rows, 10 of 1,000 features each, to 256, on two workers",
        spark_sparse,
        (Bar("Spark sparse rows on two workers", "SparseProjection", ("pandas UDF, SparseRandomProjection",), 1.2),),
        rounds=3,
    ),
    Case(
        "out-of-core",
        "DuckDB: a Parquet file of ten times memory_limit, projected to another",
        out_of_core,
        (
            Bar(
                "a table of 10 times memory_limit",
                "preserve_insertion_order = false",
                ("memory_limit",),
                2.0,
                False,
                "peak memory, GB",
            ),
            Bar(
                "a table of 10 times memory_limit, DuckDB's defaults",
                "defaults",
                ("memory_limit",),
                2.0,
                False,
                "peak memory, GB",
            ),
        ),
    ),
)
