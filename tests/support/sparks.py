"""Sessions of Spark for the tests, and views of rows in them."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pytest
from cases import EVERY
from contract import assert_contract, stored
from helpers import AT, Cell, cells
from taking_part import missing, need, need_package

import sqlrp
from sqlrp import Array, Long, Projection, Wide
from sqlrp._core.errors import StatementError
from sqlrp._core.sources import Source
from sqlrp._engines.registry import ENGINES
from sqlrp._engines.spark.connector import ParquetConnector

JVM = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MetaspaceSize=256m -XX:ReservedCodeCacheSize=256m -XX:-UsePerfData "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
IDLE_RULES = (
    "execution.datasources.SchemaPruning",
    "execution.datasources.PruneFileSourcePartitions",
    "execution.datasources.PushVariantIntoScan",
    "catalyst.optimizer.OptimizeCsvJsonExprs",
    "catalyst.optimizer.SimplifyBinaryComparison",
    "catalyst.optimizer.RemoveRedundantAliases",
)
"""Rules of Spark's optimiser that search every expression of a large plan, and change few."""


def needs_spark() -> None:
    """Leave a file of tests out of a run without Spark, or without pyspark."""
    need("spark")
    need_package("pyspark")


def environment(python: str) -> None:
    """What a session needs to start; `python` runs its workers."""
    need("spark")
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        missing("Spark", FileNotFoundError("it needs Java 17 or later: JAVA_HOME, or java on PATH"))
    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": python}


def started(master: str, more: Mapping[str, str] | None = None, python: str = sys.executable) -> Any:
    """A session; `python` runs its workers."""
    environment(python)
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "OFF",
        # Small queries end before the second compiler of the JVM pays, or another thread that collects its garbage, or
        # the check of Spark's own classes. Compiled code beyond a small cache would be dropped and compiled again.
        "spark.driver.extraJavaOptions": f"{JVM} -Xmn1g",
        "spark.driver.memory": "2g",  # plans fill half of 1 GB, which is then searched for garbage all the time
        "spark.executor.extraJavaOptions": JVM,
        "spark.sql.adaptive.enabled": "false",  # it plans every stage of a small query again
        "spark.sql.lightweightPlanChangeValidation": "false",  # it checks the plan after every rule
        "spark.sql.ui.explainMode": "simple",  # the text of every plan, which is kept for a page that nobody opens
        "spark.sql.legacy.parameterSubstitution.constantsOnly": "true",  # else every text is parsed twice
        "spark.sql.legacy.storeAnalyzedPlanForView": "true",  # else every query analyses each view in it again
        "spark.ui.showConsoleProgress": "false",
        # The history of queries, whose plans fill the memory.
        "spark.sql.ui.retainedExecutions": "1",
        "spark.ui.retainedJobs": "50",
        "spark.ui.retainedStages": "50",
        "spark.ui.retainedTasks": "200",
    }
    builder = SparkSession.builder.master(master)
    for name, value in (settings | dict(more or {})).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    for form in ("short", "long"):  # where in the code each step of a query is made: else the stack is searched
        session.sparkContext.setLocalProperty(f"callSite.{form}", "tests")
    return session


def load(
    spark: Any,
    layout: str,
    rows: Sequence[Sequence[Any]],
    kind: Any = None,
    ids: Sequence[int] | None = None,
    table: str = "t",
) -> Source:
    """A view of the rows in the layout, and the source that reads it. A wide one may have a type for each feature."""
    kind, ids = kind or pa.float64(), list(range(len(rows)) if ids is None else ids)
    number = pa.array(ids, pa.int64())
    if layout == "wide":
        kinds = kind if isinstance(kind, list) else [kind] * len(rows[0])
        columns = {f"f{j}": pa.array([row[j] for row in rows], kinds[j]) for j in range(len(rows[0]))}
        show(spark, table, {"id": number, **columns})
        return Wide(table)
    if layout == "array":
        show(spark, table, {"id": number, "x": pa.array([list(row) for row in rows], pa.list_(kind))})
        return Array(table, "x")
    if layout == "arrays":
        parts = {"b": slice(AT), "a`b": slice(AT, None)}
        arrays = {n: pa.array([list(row[part]) for row in rows], pa.list_(kind)) for n, part in parts.items()}
        show(spark, table, {"id": number, **arrays})
        return Array(table, list(parts))
    found = [(i, j, v) for i, row in zip(ids, rows, strict=True) for j, v in enumerate(row) if j == 0 or v != 0]
    key, feature, value = zip(*found, strict=True)
    types = {"id": pa.array(key, pa.int64()), "feature": pa.array(feature, pa.int32()), "value": pa.array(value, kind)}
    show(spark, table, types)
    return Long(table, n_features=len(rows[0]))


def show(spark: Any, name: str, columns: dict[str, Any]) -> None:
    written = name if name.isidentifier() else ENGINES["spark"].quote(name)  # Sail takes quotes for letters
    spark.createDataFrame(pa.table(columns)).createOrReplaceTempView(written)


def in_one_part(spark: Any, view: str) -> None:
    """Let one task read all rows of a view."""
    spark.table(view).coalesce(1).createOrReplaceTempView(view)


def projected(spark: Any, projection: Projection, source: Any, output: str = "columns", **options: Any) -> Any:
    """The outputs by key."""
    result = sqlrp.project(projection, source, spark, output=output, **options)  # type: ignore[arg-type]
    return cells(result.toArrow(), output, projection.k, sparse=isinstance(source, Long))


@contextmanager
def connected(port: int) -> Iterator[Any]:
    """A session of Spark Connect, by a server of pyspark's own, whose queries run without generated code."""
    server = started(
        "local[1]",
        {
            "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(port),
        },
    )
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
    with interpreting(session):
        yield session
    session.stop()
    server.stop()


@contextmanager
def interpreting(spark: Any) -> Iterator[None]:
    """Evaluate expressions as they are: to compile a dozen stages takes longer than to run them on a few rows.

    What the statement makes itself is in one part, so that rows of one part meet without a shuffle, and those of
    several parts in one: to send a large plan to each task takes longer than the task.
    """
    settings = {
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.leafNodeDefaultParallelism": "1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.autoBroadcastJoinThreshold": "-1",  # each broadcast is a job of its own
        "spark.sql.optimizer.excludedRules": ",".join(f"org.apache.spark.sql.{rule}" for rule in IDLE_RULES),
    }
    before = {name: spark.conf.get(name, None) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    yield
    for name, value in before.items():
        spark.conf.unset(name) if value is None else spark.conf.set(name, value)


def end_at(monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """End as a process would at the first statement with a text and a name of sqlrp's: no later one runs."""
    execute, ended = ParquetConnector.execute, []

    def ending(self: ParquetConnector, connection: Any, sql: str) -> None:
        if ended or (at in sql and "sqlrp_" in sql):
            ended.append(sql)
            raise StatementError(sql, "the process ended")
        execute(self, connection, sql)

    monkeypatch.setattr(ParquetConnector, "execute", ending)


KINDS = {"double": pa.float64(), "float": pa.float32(), "integer": pa.int32(), "decimal": pa.decimal128(9, 3)}
"""The types of the contract's kinds of numbers."""


class ContractRows:
    """The contract's rows in a session, which are loaded once. `in_one`: in one part, as other tests have several."""

    def __init__(self, session: Any, in_one: bool = False) -> None:
        self._session, self._in_one = session, in_one
        self._tables: dict[str, Source] = {}

    def check(self, method: str, layout: str, kind: str, nulls: str, scale: bool, **options: Any) -> None:
        """A case of the contract. `options`: the others of `projected`."""

        def project(holes: bool) -> dict[Any, list[Cell]]:
            name = f"{layout}_{kind}_{holes}"
            if name not in self._tables:
                self._tables[name] = load(self._session, layout, stored(kind, holes), KINDS[kind], table=name)
                if self._in_one:
                    in_one_part(self._session, name)
            given = {"nulls": nulls, "scale": scale, **options}
            return projected(self._session, EVERY[method], self._tables[name], **given)

        assert_contract({"method": method, "nulls": nulls, "kind": kind, "scale": scale}, project)
