"""Spark on a cluster of two workers: more rows than the memory of one, and rows that meet by a shuffle between them."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import X as ROWS
from helpers import METHODS, assert_close, exact, magnitude, oracle
from sparks import load, needs_spark, projected, started

import sqlrp
from sqlrp import Long, SparseProjection, StatementError, Wide
from sqlrp._engines.spark.connector import ParquetConnector

needs_spark()

CLUSTER_SECONDS = 300


def workers(spark: Any) -> dict[str, int]:
    """How many tasks each worker process did; the driver's entry left out."""
    listed = spark.sparkContext._jsc.sc().statusStore().executorList(True)
    found = {listed.apply(i).id(): listed.apply(i).totalTasks() for i in range(listed.size())}
    return {worker: tasks for worker, tasks in found.items() if worker != "driver"}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Two workers of one core and 160 MB each, of which Spark would keep 300 MB for itself."""
    import pyspark

    small = {"spark.testing.reservedMemory": str(48 << 20), "spark.network.maxRemoteBlockSizeFetchToMem": "64m"}
    small |= {"spark.executor.memory": "160m", "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse"))}
    spark = started("local-cluster[2,1,160]", small)
    # A job without workers would wait for ever: after this time it fails.
    bound = threading.Timer(CLUSTER_SECONDS, spark.sparkContext.cancelAllJobs)
    bound.start()
    yield spark
    bound.cancel()
    work = Path(pyspark.__file__).parent / "work" / spark.sparkContext.applicationId
    spark.stop()
    shutil.rmtree(work, ignore_errors=True)  # the workers' logs


def test_a_cluster_of_two_workers(cluster: Any) -> None:
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


def dying(spark: Any, table: str, name: str, armed: Path) -> None:
    """A view of a table. While `armed` is there, the first task that reads the view kills the process that runs it."""

    def read(batches: Any) -> Any:
        import os
        import signal
        from pathlib import Path

        try:
            os.rename(armed, f"{armed}.done")
        except FileNotFoundError:
            yield from batches
            return
        process = os.getpid()
        while Path(f"/proc/{process}/comm").read_text().strip() != "java":
            process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(process, signal.SIGKILL)
        yield from batches

    rows = spark.table(table)
    rows.mapInArrow(read, rows.schema).createOrReplaceTempView(name)


@pytest.mark.slow
def test_workers_that_die_lose_nothing(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of each call, once: Spark runs the tasks of the process again, on another one."""
    n, d, armed = 4_000, 4, tmp_path / "armed"
    columns = ", ".join(f"CAST((id * {2 * j + 1} + {j}) % 101 AS INT) AS f{j}" for j in range(d))
    cluster.sql(f"CREATE TABLE rows USING PARQUET AS SELECT id, {columns}, id % 7 AS y FROM range(0, {n}, 1, 4)")
    dying(cluster, "rows", "mortal", armed)
    source, died = Wide("mortal", features=[f"f{j}" for j in range(d)]), 0
    x = np.stack([(np.arange(n) * (2 * j + 1) + j) % 101 for j in range(d)], axis=1)
    projection = SparseProjection(k=3, s=1, seed=1)
    want = oracle(projection, exact(x.tolist()), False)

    def one_died() -> None:
        nonlocal died
        died += 1
        assert armed.with_name("armed.done").exists(), "a process was killed"
        armed.with_name("armed.done").unlink()

    execute = ParquetConnector.execute

    def arming(self: ParquetConnector, connection: Any, sql: str) -> None:
        if sql.startswith("INSERT INTO"):
            armed.touch()
        execute(self, connection, sql)

    with monkeypatch.context() as patch:
        patch.setattr(ParquetConnector, "execute", arming)
        assert sqlrp.materialize(projection, source, cluster, "kept", scale=False, track="rows") == n
        one_died()
        cluster.sql("CREATE TABLE later USING PARQUET AS SELECT id + 1 AS id, f0, f1, f2, f3, y FROM rows")
        dying(cluster, "later", "mortal", armed)

        def killing(self: ParquetConnector, connection: Any, sql: str) -> None:
            if sql.startswith("INSERT INTO"):  # the process may hold rows that were copied to be compared
                armed.touch()
                cluster.table("mortal").count()
            execute(self, connection, sql)

        patch.setattr(ParquetConnector, "execute", killing)
        with suppress(StatementError):
            sqlrp.refresh(cluster, "kept")
        one_died()
    found = {row.id: [row.z0, row.z1, row.z2] for row in cluster.table("kept").collect()}
    first, second = ({i + step: list(want[i]) for i in range(n)} for step in (0, 1))
    assert found in (first, second)
    armed.touch()
    done = sqlrp.refresh(cluster, "kept")
    one_died()
    assert (done.added, done.changed, done.removed) == ((1, n - 1, 1) if found == first else (0, 0, 0))
    assert {row.id: [row.z0, row.z1, row.z2] for row in cluster.table("kept").collect()} == second
    assert sqlrp.check(cluster) == []
    left = {row.tableName for row in cluster.sql("SHOW TABLES").collect() if not row.isTemporary}
    assert left == {"kept", "later", "rows"}

    armed.touch()
    model = sqlrp.learn(projection, source, cluster, "y", folds=2, seed=1)
    one_died()
    alive = sqlrp.learn(projection, Wide("later", features=source.features), cluster, "y", folds=2, seed=1)
    np.testing.assert_allclose(model.coef_, alive.coef_, rtol=1e-9)
    assert model.rows == alive.rows == n

    armed.touch()
    rows = sqlrp.project(projection, source, cluster, scale=False, lowering="native").collect()
    one_died()
    assert {row.id: [row.z0, row.z1, row.z2] for row in rows} == second
    assert died == 5
