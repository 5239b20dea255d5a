"""The grid of `fit_costs.py` on Spark: the calls of `sqlrp.project` that read Parquet and write to Spark's noop sink.

The session has Spark's own settings, on two threads of this machine. The first run of a text compiles it.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import sqlrp
from sqlrp._core.sources import Output
from sqlrp._dialects.dialect import Lowering

_PART = 10_000
"""rows of a file"""
_LONG = 4
"""A first run of so many budgets is not repeated."""
Shape = tuple[int, str, Output, sqlrp.Projection]


@contextmanager
def session() -> Iterator[Any]:
    """A session with what is Spark's default, of two threads."""
    from pyspark.sql import SparkSession
    from sparks import environment

    environment(sys.executable)
    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
    settings["spark.driver.memory"] = "4g"
    settings |= {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    builder = SparkSession.builder.master("local[2]").config(map=settings)
    spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def processor_seconds() -> float:
    """The CPU seconds of this process and of those that it started: the JVM, and the workers of that."""
    found, waiting = 0, [os.getpid()]
    while waiting:
        process = Path(f"/proc/{waiting.pop()}")
        with suppress(OSError):  # it has just ended
            found += sum(map(int, (process / "stat").read_text().rpartition(")")[2].split()[11:15]))
            for task in (process / "task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
    return found / os.sysconf("SC_CLK_TCK")


class SparkJobs:
    """The jobs of a grid in a session, each by a lowering."""

    def __init__(self, spark: Any, folder: Path, cpu: bool) -> None:
        self.spark, self.folder = spark, folder
        self.clock = processor_seconds if cpu else time.perf_counter

    def fill(self, shape: Shape, rows: int) -> None:
        """The files of a shape, of random numbers of four digits."""
        features, layout, _, _ = shape
        draw = np.random.default_rng(0)
        for file in self.folder.glob("*.parquet"):
            file.unlink()
        for start in range(0, rows, _PART):
            size = min(_PART, rows - start)
            values = draw.normal(size=(size, features)).round(4)
            if layout == "wide":
                columns = {f"f{j}": pa.array(values[:, j]) for j in range(features)}
            else:
                offsets = np.arange(0, size * features + 1, features, dtype=np.int32)
                columns = {"x": pa.ListArray.from_arrays(pa.array(offsets), pa.array(values.ravel()))}
            ids = pa.array(np.arange(start, start + size))
            pq.write_table(pa.table({"id": ids, **columns}), self.folder / f"{start}.parquet")

    def seconds(self, shape: Shape, lowering: Lowering, rows: int, rounds: int, budget: float, _: bool) -> float:
        """The median of the runs after the first one, of which a long one is the only one."""
        _, layout, output, projection = shape
        files = (str(self.folder / f"{start}.parquet") for start in range(0, rows, _PART))
        points = self.spark.read.parquet(*files)
        (points.where(f"id < {rows}") if rows % _PART else points).createOrReplaceTempView("points")
        source: Any = sqlrp.Array("points", "x") if layout == "array" else sqlrp.Wide("points")
        found: list[float] = []
        while len(found) <= rounds and sum(found[1:]) < budget and (not found or found[0] < _LONG * budget):
            begin = self.clock()
            frame = sqlrp.project(projection, source, self.spark, output=output, lowering=lowering)
            frame.write.format("noop").mode("overwrite").save()
            found.append(self.clock() - begin)
        return statistics.median(found[1:] or found)


@contextmanager
def spark_jobs(cpu: bool) -> Iterator[SparkJobs]:
    """A session with an empty folder for the rows. `cpu`: measure the time of processors."""
    with tempfile.TemporaryDirectory(prefix="sqlrp_costs_") as folder, session() as spark:
        jobs = SparkJobs(spark, Path(folder), cpu)
        warm: Shape = 8, "wide", "columns", sqlrp.SparseProjection(k=2)
        jobs.fill(warm, 100)
        for lowering in ("inline", "native"):  # the first of a session start its workers and load its classes
            jobs.seconds(warm, lowering, 100, 2, 60.0)
        yield jobs
