"""The cases of Spark beside numpy in `mapInArrow`, MLlib and copies, and of Sail: Parquet in, Spark's noop sink out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from case import Bar, Bench, Call, Case, Place

import sqlrp
from sqlrp._core.sources import Source

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

CHOSEN, TEXT, NUMPY, COPY = "project", "project in SQL", "numpy in mapInArrow", "copy of the columns"
MLLIB = "PCA of MLlib"
GROWTH = ("the rows once", "ten times", "a hundred times")
PART = 25_000
"""The rows of a file."""
SMALL = 100
"""Fewer features are not made fewer, as a projection has fewer components than features."""
FEW_TERMS = 2_000
"""So many terms of a row are still written out."""

Batches = Iterator[pa.RecordBatch]


def running(place: Place) -> Any:
    """The running session, or one with what is Spark's default on two threads until the case ends."""
    from pyspark.sql import SparkSession
    from sparks import environment

    environment(sys.executable)
    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
    local = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.driver.memory": "2g"}
    session = SparkSession.getActiveSession()
    if session is None:
        session = SparkSession.builder.master("local[2]").config(map=quiet | local).getOrCreate()
        place.stack.callback(session.stop)
    return session


def filled(place: Place, rows: int, features: int, layout: str = "wide") -> list[str]:
    """The files of rows of random numbers, which every case with these rows reads."""
    folder = place.folder / f"{layout}_{features}_{place.scale}"
    folder.mkdir(exist_ok=True)
    files = [folder / f"{start}_{min(PART, rows - start)}.parquet" for start in range(0, rows, PART)]
    for start, file in zip(range(0, rows, PART), files, strict=True):
        if not file.exists():
            size = min(PART, rows - start)
            values = np.random.default_rng(start).normal(size=(size, features)).round(4)
            if layout == "wide":
                columns = {f"f{j}": pa.array(values[:, j]) for j in range(features)}
            else:
                offsets = np.arange(0, size * features + 1, features, dtype=np.int32)
                columns = {"x": pa.ListArray.from_arrays(pa.array(offsets), pa.array(values.ravel()))}
            pq.write_table(pa.table({"id": np.arange(start, start + size), **columns}), file)
    return [str(file) for file in files]


class Sink:
    """Where results go: nowhere, but for the shape of the last one."""

    def __init__(self) -> None:
        """None yet."""
        self.last: Any = None

    def discard(self, frame: Any) -> None:
        """Compute every row."""
        self.last = frame
        frame.write.format("noop").mode("overwrite").save()

    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.last.count(), len(self.last.columns)


def by_numpy(points: Any, k: int, layout: str) -> Any:
    """The rows times a matrix of the same sizes in Spark's workers, as a user of numpy writes it."""
    wide = layout == "wide"
    features = len(points.columns) - 1 if wide else len(points.first()["x"])
    weights = np.random.default_rng(0).normal(size=(features, k))

    def product(batches: Batches) -> Batches:  # a function of a function travels to the workers without its module
        for batch in batches:
            if wide:
                x = np.column_stack([column.to_numpy() for column in batch.columns[1:]])
            else:
                x = batch.column(1).flatten().to_numpy().reshape(batch.num_rows, -1)
            z = x @ weights
            if wide:
                made = {f"z{c}": pa.array(np.ascontiguousarray(z[:, c])) for c in range(k)}
            else:
                offsets = np.arange(0, z.size + 1, k, dtype=np.int32)
                made = {"z": pa.ListArray.from_arrays(pa.array(offsets), pa.array(z.ravel()))}
            yield pa.RecordBatch.from_pydict({"id": batch.column(0), **made})

    outputs = ", ".join(f"z{c} double" for c in range(k)) if wide else "z array<double>"
    return points.mapInArrow(product, f"id bigint, {outputs}")


def beside_numpy(place: Place, rows: int, features: int, k: int, layout: str = "wide") -> Bench:
    """What is chosen, the text, and numpy."""
    session, sink = running(place), Sink()
    n, d, k = place.rows(rows), features if features < SMALL else place.size(features), place.size(k)
    points = session.read.parquet(*filled(place, n, d, layout))
    points.createOrReplaceTempView("points")
    source: Source = sqlrp.Wide("points") if layout == "wide" else sqlrp.Array("points", "x")
    output = "columns" if layout == "wide" else "array"

    def projected(lowering: str) -> Call:
        return lambda: sink.discard(
            sqlrp.project(sqlrp.SparseProjection(k=k), source, session, output=output, lowering=lowering)
        )

    found = sqlrp.explain(sqlrp.SparseProjection(k=k), source, session, output=output)
    jobs: dict[str, Call] = {
        CHOSEN: projected("auto"),
        TEXT: projected("sql"),
        NUMPY: lambda: sink.discard(by_numpy(points, k, layout)),
        COPY: lambda: sink.discard(points),
    }
    return Bench(jobs, shape=sink.shape, alike=lambda job: job if job == COPY else "", notes={CHOSEN: found.lowering})


def beside_mllib(place: Place) -> Bench:
    """The transform of MLlib's principal components, which wants its features as a vector."""
    from pyspark.ml.feature import PCA, VectorAssembler

    session, sink = running(place), Sink()
    n, d, k = place.rows(1_000_000), 60, place.size(16)
    points = session.read.parquet(*filled(place, n, d))
    points.createOrReplaceTempView("points")
    vectors = VectorAssembler(inputCols=points.columns[1:], outputCol="x").transform(points)
    model = PCA(k=k, inputCol="x", outputCol="z").fit(vectors.limit(1_000))
    jobs: dict[str, Call] = {
        CHOSEN: lambda: sink.discard(
            sqlrp.project(sqlrp.SparseProjection(k=k), sqlrp.Wide("points"), session, output="array")
        ),
        MLLIB: lambda: sink.discard(model.transform(vectors).select("id", "z")),
    }
    return Bench(jobs, shape=sink.shape)


def growing(place: Place) -> Bench:
    """The same rows once, ten and a hundred times: the seconds of 100,000 rows."""
    session, sink = running(place), Sink()
    d, k, least = 60, place.size(16), place.rows(100_000)
    points = session.read.parquet(*filled(place, least, d))
    ten = _repeated(points)
    counted = dict(zip(GROWTH, (points, ten, _repeated(ten)), strict=True))

    def projected(name: str) -> Call:
        def call() -> None:
            counted[name].createOrReplaceTempView("points")
            sink.discard(sqlrp.project(sqlrp.SparseProjection(k=k), sqlrp.Wide("points"), session, output="columns"))

        return call

    return Bench({name: projected(name) for name in counted}, shape=sink.shape, alike=str)


def _repeated(frame: Any) -> Any:
    found = frame
    for _ in range(9):
        found = found.unionAll(frame)
    return found


def on_sail(place: Place) -> Bench:
    """A million rows, Parquet to Parquet."""
    from sails import delta

    n, d, k = place.rows(1_000_000), 60, place.size(16)
    session = place.stack.enter_context(delta(place.folder))
    points = session.read.format("parquet").load(str(Path(filled(place, n, d)[0]).parent))
    points.createOrReplaceTempView("points")
    out = str(place.folder / "sail_out")

    def write(frame: Any) -> None:
        frame.write.format("parquet").mode("overwrite").save(out)

    def shape() -> tuple[int, int]:
        frame = session.read.format("parquet").load(out)
        return frame.count(), len(frame.columns)

    def projected(lowering: str) -> Call:
        return lambda: write(
            sqlrp.project(
                sqlrp.SparseProjection(k=k), sqlrp.Wide("points"), session, output="columns", lowering=lowering
            )
        )

    jobs: dict[str, Call] = {CHOSEN: projected("auto"), "inline": projected("inline"), "native": projected("native")}
    return Bench(jobs | {COPY: lambda: write(points)}, shape=shape, alike=lambda job: job if job == COPY else "")


def _case(rows: int, features: int, k: int, layout: str = "wide") -> Case:
    said = f"Spark {rows:,} x {features} -> {k}{', an array column' if layout == 'array' else ''}"
    terms = round(k * features**0.5)
    return Case(
        f"spark-{layout}-{features}-{k}",
        f"{said}: what is chosen, the text, and numpy in mapInArrow",
        partial(beside_numpy, rows=rows, features=features, k=k, layout=layout),
        (
            Bar(said, CHOSEN, (NUMPY,), 1.1, False),
            Bar(f"{said}, text of {terms:,} terms", TEXT, (NUMPY,), 1.0 if terms <= FEW_TERMS else 4.0, False),
        ),
        rounds=3,
    )


CASES = (
    _case(200_000, 60, 16),
    _case(200_000, 60, 64),
    _case(150_000, 200, 256),
    _case(60_000, 400, 64),
    _case(60_000, 784, 64),
    _case(20_000, 768, 64, "array"),
    Case(
        "spark-mllib",
        "Spark: 1 million x 60 columns to 16, beside MLlib's transform by principal components",
        beside_mllib,
        (Bar("Spark beside MLlib's PCA transform", CHOSEN, (MLLIB,), 0.7, False),),
        rounds=3,
    ),
    Case(
        "spark-growth",
        "Spark: 100,000, 1 million and 10 million rows of 60 columns to 16",
        growing,
        (
            Bar("Spark, 100,000 rows, time a row beside a million", GROWTH[0], (GROWTH[1],), 0.13, False),
            Bar("Spark, 10 million rows, time a row beside a million", GROWTH[2], (GROWTH[1],), 13.0, False),
        ),
        rounds=3,
    ),
    Case(
        "spark-sail",
        "Sail: 1 million x 60 columns to 16, Parquet to Parquet",
        on_sail,
        (
            Bar("Sail beside its own copy", CHOSEN, (COPY,), 0.5, False),
            Bar("Sail beside the best lowering", CHOSEN, ("inline", "native"), 1.3, False),
        ),
        rounds=3,
    ),
)
