"""Spark Connect: the contract through pyspark's own server, which runs in the JVM of a classic session."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cases import contract, uses
from cover import alike, pairwise
from helpers import METHODS, assert_close, assert_one_line, assert_same, magnitude, oracle
from sparks import ContractRows, connected, load, needs_spark, projected
from words import BARS, SIZES, counted_by_connect

import sqlrp
from sqlrp import StatementError

needs_spark()

LOWERINGS = ("inline", "indexed", "relational", "native")
FEW = ("linear", "degree2")
"""Every method has the same text here as in the contract of a classic session."""
WHOLE = contract("spark")
COVER = replace(
    WHOLE,
    factors={**WHOLE.factors, "method": FEW, "lowering": LOWERINGS},
    allowed=lambda method, layout, lowering, **_: uses("spark", method, layout, lowering),
    cost=alike,
)


@pytest.fixture(scope="module")
def port() -> int:
    """A free port for the server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture(scope="module")
def spark(port: int) -> Iterator[Any]:
    """A session of Spark Connect, whose queries run without generated code."""
    with connected(port) as session:
        yield session


@pytest.fixture(scope="module")
def rows(spark: Any) -> ContractRows:
    return ContractRows(spark)


@pairwise(COVER)
def test_contract(
    rows: ContractRows,
    engine: str,
    method: str,
    lowering: str,
    layout: str,
    output: str,
    nulls: str,
    kind: str,
    scale: bool,
) -> None:
    rows.check(method, layout, kind, nulls, scale, output=output, lowering=lowering)


def test_the_result_is_a_lazy_frame_of_the_session(spark: Any) -> None:
    from pyspark.sql.connect.dataframe import DataFrame

    result = sqlrp.project(METHODS["linear"], load(spark, "wide", [[1.0, None]]), spark, nulls="error")
    assert isinstance(result, DataFrame)
    with pytest.raises(Exception, match="sqlrp: a feature is NULL and nulls = 'error'"):
        result.collect()


def test_sums_are_taken_by_the_server(spark: Any) -> None:
    x = np.random.default_rng(2).normal(size=(20, 4)).round(3)
    source = load(spark, "wide", x.tolist(), table="fitted")
    fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=2), source, spark)
    assert fitted.arrays["weights"] == pytest.approx(sqlrp.PrincipalComponents(k=2).fit(x).arrays["weights"])
    frame = pa.table({"id": range(20), **{f"f{j}": x[:, j] for j in range(4)}}).to_pandas()
    report = sqlrp.diagnose(METHODS["linear"], source, spark, sample=6, at=2)
    assert_same(report, sqlrp.diagnose(METHODS["linear"], frame, sample=6, at=2))


def test_workers_project_in_a_session_with_delta(spark: Any) -> None:
    """Databricks has it by default; only what is kept is written by SQL."""
    x = np.random.default_rng(2).normal(size=(5, 784)).round(3)
    source, projection = load(spark, "array", x.tolist(), table="many"), sqlrp.SparseProjection(k=256, seed=7)
    before = spark.conf.get("spark.sql.sources.default")
    spark.conf.set("spark.sql.sources.default", "delta")
    try:
        assert sqlrp.explain(projection, source, spark, output="array").lowering == "native"
        got = projected(spark, projection, source, "array")
    finally:
        spark.conf.set("spark.sql.sources.default", before)
    assert_close(got, oracle(projection, x), magnitude(projection, x))


def test_errors_are_ours(spark: Any) -> None:
    with pytest.raises(sqlrp.SourceError) as caught:
        sqlrp.project(METHODS["linear"], "missing", spark)
    assert_one_line(caught, "missing", "cannot be read")
    with pytest.raises(StatementError):
        sqlrp._engines.registry.connector_of(spark).execute(spark, "SELECT no_such_column")


LIGHT = """
import sys
from importlib.abc import MetaPathFinder

class Hidden(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "py4j" or name.startswith("pyspark.core"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
import pyarrow as pa
import sqlrp
from pyspark.sql import SparkSession
from sqlrp._engines.registry import connector_of

session = SparkSession.builder.remote(sys.argv[1]).create()
session.createDataFrame(pa.table({"id": [0, 1], "f0": [1.0, 3.0], "f1": [2.0, -1.0]})).createOrReplaceTempView("light")
projection, connector = sqlrp.SparseProjection(k=2, s=1, seed=7), connector_of(session)
for lowering in sys.argv[2:]:
    rows = sqlrp.project(projection, "light", session, lowering=lowering).toArrow().sort_by("id")
    print(*(value for row in rows.to_pylist() for value in row.values()))
for failing in (lambda: sqlrp.explain(projection, "missing", session), lambda: connector.execute(session, "SELECT z")):
    try:
        failing()
    except (sqlrp.SourceError, sqlrp.StatementError) as error:
        print(type(error).__name__)
session.stop()
"""
"""What the light client runs, which has neither py4j nor the parts of pyspark that start Java."""


def test_the_light_client_has_no_py4j(spark: Any, port: int) -> None:
    run = [sys.executable, "-W", "ignore", "-c", LIGHT, f"sc://127.0.0.1:{port}", *LOWERINGS]
    done = subprocess.run(run, capture_output=True, text=True, timeout=300, check=False)
    assert not done.returncode, done.stderr
    *lines, missing, failed = done.stdout.splitlines()
    assert (missing, failed) == ("SourceError", "StatementError")
    projection = sqlrp.SparseProjection(k=2, s=1, seed=7)
    expected = oracle(projection, np.array([[1.0, 2.0], [3.0, -1.0]]))
    assert len(lines) == len(LOWERINGS)
    for line in lines:
        key, *rest = (float(value) for value in line.split())
        assert [key, rest[2]] == [0, 1]
        assert [rest[:2], rest[3:]] == [pytest.approx(expected[number]) for number in (0, 1)]


def test_the_requests_of_a_call(spark: Any) -> None:
    """They do not grow with the features, none is above the bars, and the guide says them."""
    small, large = ({call: len(texts) for call, texts in counted_by_connect(spark, d).items()} for d in SIZES)
    assert small == large
    assert {call: count for call, count in small.items() if count > BARS[call]} == {}
    page = (Path(__file__).parents[2] / "examples/operating.md").read_text()
    [said] = re.findall("^Over Spark Connect (.*)$", page, re.MULTILINE)
    assert {call: int(count) for call, count in re.findall(r"`(\w+)` (?:sends )?(\d+)", said)} == small
