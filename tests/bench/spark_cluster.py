"""Sparse rows on a Spark cluster of two workers with 1 GB each: time, and the peak memory of the workers.

python tests/bench/spark_cluster.py [--rows 1000000] [--cells 100] [--features 30000] [--k 256] [--lowering indexed]

"1 million x 100 sparse rows" is read as the harder of two: 100 values a row that are not 0, out of a vocabulary of
30,000 features, so 100 million cells (key, feature, value). `--cells 10 --features 100` is the easier reading: 100
features, of which a tenth is not 0. The cells are made by `range` and stored as parquet; every job reads them and
discards its result (Spark's noop sink). Beside the projection (array output) run a plain copy of the cells, which is
what reading costs; and scikit-learn's SparseRandomProjection in a pandas function (mapInPandas) over rows that Spark
grouped.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix
from sklearn.random_projection import SparseRandomProjection

import sqlrp

sys.path.insert(0, str(Path(__file__).parent))
from common import markdown, timed

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.log.level": "ERROR",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.executor.memory": "1g",
    "spark.sql.shuffle.partitions": "64",
}


def started(folder: Path) -> Any:
    """A session on two worker processes of one core and 1 GB each."""
    from pyspark.sql import SparkSession

    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.local.dir", str(folder))
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def executors() -> dict[int, str]:
    """The processes of the workers that are ours, with their status."""
    found: dict[int, str] = {}
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                line = (process / "cmdline").read_text().split("\0")
                if "org.apache.spark.executor.CoarseGrainedExecutorBackend" in line and _ours(int(process.name)):
                    found[int(process.name)] = (process / "status").read_text()
            except OSError:
                continue  # it ended while we looked
    return found


def _ours(process: int) -> bool:
    while process > 1:
        if process == os.getpid():
            return True
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return False


def peak(status: str) -> float:
    """The largest resident memory so far, in MB."""
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def by_pandas(cells: Any, transformer: SparseRandomProjection, features: int) -> Any:
    """The rows, grouped by Spark, through scikit-learn."""
    from pyspark.sql import functions as f

    def transform(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in frames:
            ends = np.concatenate([[0], np.cumsum(frame["f"].map(len))])
            parts = (np.concatenate(frame["v"].to_numpy()), np.concatenate(frame["f"].to_numpy()), ends)
            z = transformer.transform(csr_matrix(parts, shape=(len(frame), features)))
            yield pd.DataFrame({"id": frame["id"], "z": list(z.toarray())})

    grouped = cells.groupBy("id").agg(f.collect_list("feature").alias("f"), f.collect_list("value").alias("v"))
    return grouped.mapInPandas(transform, "id BIGINT, z ARRAY<DOUBLE>")


def sparse_cells(spark: Any, path: Path, rows: int, cells: int, features: int) -> Any:
    """The view `cells`: stored rows with that many cells each. The features of a row differ."""
    # Steps that share no factor with the vocabulary.
    step = next(n for n in range(int(features * 0.618), features) if math.gcd(n, features) == 1)
    first = f"(hash(id div {cells}) & 2147483647L)"
    spark.sql(
        f"SELECT id div {cells} AS id, ({first} + id % {cells} * {step}) % {features} AS feature, "
        f"rand(1) - 0.5 AS value FROM range({rows * cells})"
    ).write.mode("overwrite").parquet(str(path))
    stored = spark.read.parquet(str(path))
    stored.createOrReplaceTempView("cells")
    return stored


def discard(frame: Any) -> None:
    """Compute every row, and write it nowhere."""
    frame.write.format("noop").mode("overwrite").save()


def main() -> None:
    """Make the cells, run the jobs one after another, print."""
    parser = argparse.ArgumentParser(description="Sparse rows on a Spark cluster of two workers.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--cells", type=int, default=100, help="values of a row that are not 0")
    parser.add_argument("--features", type=int, default=30_000)
    parser.add_argument("--k", type=int, default=256)
    parser.add_argument("--lowering", default="auto")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spark = started(Path(folder))
        cells = sparse_cells(spark, Path(folder) / "cells", options.rows, options.cells, options.features)
        source = sqlrp.Long("cells", n_features=options.features)
        projection = sqlrp.SparseProjection(k=options.k)
        fitted = SparseRandomProjection(options.k, density=1 / math.sqrt(options.features), random_state=0)
        fitted.fit(csr_matrix((1, options.features)))
        jobs: dict[str, Callable[[], None]] = {
            "copy of the cells": lambda: discard(cells),
            "sqlrp.project": lambda: discard(
                sqlrp.project(projection, source, spark, output="array", lowering=options.lowering)
            ),
            "sqlrp.project in SQL": lambda: discard(
                sqlrp.project(projection, source, spark, output="array", lowering="sql")
            ),
            "mapInPandas, scikit-learn": lambda: discard(by_pandas(cells, fitted, options.features)),
        }
        lines = []
        for name, job in jobs.items():
            seconds = timed(job)
            peaks = [f"{peak(status):,.0f}" for status in executors().values()]
            lines.append([name, f"{seconds:.1f}", " and ".join(peaks)])
            print(name, f"{seconds:.1f} s", flush=True)
        chosen = sqlrp.explain(projection, source, spark, output="array", lowering=options.lowering).lowering
        spark.stop()
    print(f"\n{options.rows:,} rows, {options.cells} of {options.features:,} features each, to {options.k}; {chosen}\n")
    print(markdown(["job", "seconds", "peak memory of the workers so far, MB (without Python's)"], lines))


if __name__ == "__main__":
    main()
