"""Settings of a session of Spark that change what SQL means change no number of sqlrp's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sparks import needs_spark, show

import sqlrp
from sqlrp import SparseProjection, Wide

needs_spark()
pytestmark = pytest.mark.slow

SETTINGS = {
    "spark.sql.ansi.enabled": "false",
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "Asia/Kathmandu",
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.storeAssignmentPolicy": "LEGACY",
    "spark.sql.crossJoin.enabled": "false",
}
ROWS = np.random.default_rng(5).integers(-9, 9, size=(12, 6)) / 7
FEW, BITS = SparseProjection(k=3, s=1, seed=2), SparseProjection(k=8, s=1, seed=2)


@pytest.fixture
def source(spark: Any) -> Iterator[Wide]:
    features = {f"f{j}": [None if (i + j) % 7 == 0 else float(x[j]) for i, x in enumerate(ROWS)] for j in range(6)}
    show(spark, "shown", {"id": range(12), "part": [i % 2 for i in range(12)], **features})
    spark.sql("CREATE TABLE set_source USING parquet AS SELECT * FROM shown")
    yield Wide("set_source", features=list(features), keep=["part"])
    for table in ("set_made", "set_source"):
        spark.sql(f"DROP TABLE IF EXISTS {table}")


def answers(spark: Any, source: Wide) -> list[Any]:
    """What the calls of one session give, as values."""
    found: list[Any] = []
    for lowering in ("inline", "indexed", "relational", "native"):
        rows: pa.Table = sqlrp.project(FEW, source, spark, lowering=lowering, nulls="zero").toArrow()  # type: ignore[call-overload]
        cells = sorted(tuple(row.values()) for row in rows.to_pylist())
        found.append([[round(cell, 9) for cell in row] for row in cells])
    sqlrp.materialize(
        BITS, source, spark, into="set_made", output="bits", nulls="zero", partition_by="part", replace=True
    )
    found.append(repr(sqlrp.refresh(spark, "set_made", everything=True)))
    found.append(np.round(sqlrp.search(spark, "set_made", ROWS[5], n=4).column("distance").to_pylist(), 9).tolist())
    found.append(sqlrp.check(spark))
    return found


def test_settings_of_spark_change_nothing(spark: Any, interpreted: None, source: Wide) -> None:
    want = answers(spark, source)
    for name, value in SETTINGS.items():
        before = spark.conf.get(name, None)
        spark.conf.set(name, value)
        try:
            assert answers(spark, source) == want, name
        finally:
            spark.conf.unset(name) if before is None else spark.conf.set(name, before)
