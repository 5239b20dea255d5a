"""Spark on a cluster of two workers: more rows than the memory of one, and rows that meet by a shuffle between them."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import Any

import numpy as np
from cases import X as ROWS
from helpers import METHODS, assert_close, exact, magnitude, oracle
from sparks import load, needs_spark, projected, started

import sqlrp
from sqlrp import Long, SparseProjection

needs_spark()

CLUSTER_SECONDS = 300


def workers(spark: Any) -> dict[str, int]:
    """How many tasks each worker process did; the driver's entry left out."""
    listed = spark.sparkContext._jsc.sc().statusStore().executorList(True)
    found = {listed.apply(i).id(): listed.apply(i).totalTasks() for i in range(listed.size())}
    return {worker: tasks for worker, tasks in found.items() if worker != "driver"}


def test_a_cluster_of_two_workers() -> None:
    # Two workers of one core and 160 MB each, of which Spark would keep 300 MB for itself.
    import pyspark

    small = {"spark.testing.reservedMemory": str(48 << 20), "spark.network.maxRemoteBlockSizeFetchToMem": "64m"}
    small["spark.executor.memory"] = "160m"
    cluster = started("local-cluster[2,1,160]", small)
    # A job without workers would wait for ever: after this time it fails.
    bound = threading.Timer(CLUSTER_SECONDS, cluster.sparkContext.cancelAllJobs)
    bound.start()
    try:
        source = load(cluster, "wide", ROWS.tolist())
        got = projected(cluster, METHODS["degree2"], source)
        assert_close(got, oracle(METHODS["degree2"], ROWS), magnitude(METHODS["degree2"], ROWS))

        rows, d, projection = 340_000, 64, SparseProjection(k=8, seed=2)
        assert rows * d * 8 > 160 << 20, "more than the memory of a worker"
        features = [f"(id * {2 * j + 1} + {j}) % 1009 AS f{j}" for j in range(d)]
        cluster.range(rows).selectExpr("id", *features).createOrReplaceTempView("big")

        def big(at: np.ndarray[Any, np.dtype[np.int64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
            """The rows of these ids."""
            return np.stack([(at * (2 * j + 1) + j) % 1009 for j in range(d)], axis=1)

        sqlrp.project(projection, "big", cluster, scale=False).createOrReplaceTempView("projected")
        sums = ", ".join(f"SUM(z{c})" for c in range(projection.k))
        total = cluster.sql(f"SELECT COUNT(*), {sums} FROM projected").first()
        z = cluster.sql("SELECT * FROM projected WHERE id % 29989 = 0").toArrow().to_pandas().set_index("id")
        some = np.arange(0, rows, 29989)
        assert len(z) == len(some) > 10
        assert np.array_equal(z.loc[some].to_numpy(), oracle(projection, exact(big(some).tolist()), False))
        # A projection of integers is linear to the last bit: the sum of all z is z of the sum.
        of_sum = np.sum([big(part).sum(axis=0) for part in np.array_split(np.arange(rows), 6)], axis=0)
        assert list(total) == [rows, *oracle(projection, exact([of_sum.tolist()]), False)[0]]

        # Long rows, which meet by a shuffle between the workers: every cell is whole on one of them.
        few, kept = 5_000, "id % 397 = 0"
        cluster.sql(
            f"SELECT id % {few} AS id, CAST(id div {few} AS INT) * 7 AS feature, "
            f"CAST(hash(id) % 1000 AS BIGINT) AS value FROM range({few * 9})"
        ).createOrReplaceTempView("long_cells")
        result = sqlrp.project(projection, Long("long_cells", n_features=d), cluster, output="array", scale=False)
        result.createOrReplaceTempView("projected")
        x = np.zeros((few, d), dtype=object)
        for cell in cluster.sql("SELECT * FROM long_cells").toArrow().to_pylist():
            x[cell["id"], cell["feature"]] += cell["value"]
        found = {row["id"]: row["z"] for row in cluster.sql(f"SELECT * FROM projected WHERE {kept}").collect()}
        assert found == {i: list(oracle(projection, x[i : i + 1], False)[0]) for i in range(0, few, 397)}
        each = ", ".join(f"SUM(z[{c}])" for c in range(projection.k))
        assert list(cluster.sql(f"SELECT {each} FROM projected").first()) == list(
            oracle(projection, x.sum(axis=0)[None, :], False)[0]
        )
        assert len(workers(cluster)) == 2
        assert all(workers(cluster).values()), "both took part"
    finally:
        bound.cancel()
        work = Path(pyspark.__file__).parent / "work" / cluster.sparkContext.applicationId
        cluster.stop()
        shutil.rmtree(work, ignore_errors=True)  # the workers' logs
