"""A driver of Spark that dies in the middle of a call: `python spark_drivers.py FOLDER CALL`, from its folder.

Its catalogue is Hive's metastore in the folder, so the next driver has it, too. It prints what it finds as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from sparks import interpreting, started

import sqlrp
from sqlrp._engines.spark.connector import ParquetConnector

P, SAVED = sqlrp.SparseProjection(k=2, s=1, seed=1), sqlrp.SparseProjection(k=3, s=1, seed=2)
SEEN = sqlrp.Wide("seen", features=["a", "b"])


def _session(folder: Path) -> Any:
    metastore = f"jdbc:derby:;databaseName={folder / 'metastore'};create=true"
    return started(
        "local[1]",
        {
            "spark.sql.catalogImplementation": "hive",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.hadoop.javax.jdo.option.ConnectionURL": metastore,
            "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
            "spark.hadoop.hive.metastore.schema.verification": "false",
        },
    )


def _die(spark: Any) -> None:
    """Java first, whose process runs the statement."""
    os.kill(spark.sparkContext._gateway.proc.pid, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def _dying(spark: Any, at: str, later: float) -> None:
    """Die at the first statement that begins so: before it, or some seconds after it has begun."""
    execute = ParquetConnector.execute

    def executed(self: ParquetConnector, connection: Any, sql: str) -> None:
        if at in sql:
            threading.Timer(later, _die, [spark]).start() if later else _die(spark)
        execute(self, connection, sql)

    ParquetConnector.execute = executed  # type: ignore[method-assign]


def _see(spark: Any, more: int) -> None:
    """Let the source of the kept table have other numbers."""
    spark.sql(f"CREATE OR REPLACE VIEW seen AS SELECT id, a + {more} AS a, b FROM source")


def _found(spark: Any) -> dict[str, Any]:
    """What a user finds, and what `check` says. It repairs what it can."""
    findings = [finding.kind for finding in sqlrp.check(spark, repair=True)]
    tables = sorted(row.tableName for row in spark.sql("SHOW TABLES").collect())
    there = sqlrp.saved(spark) == {"p": SAVED}
    rows = sorted(map(list, spark.table("kept").select("id", "z0", "z1").collect())) if "kept" in tables else None
    return {"findings": findings, "tables": tables, "saved": there, "kept": rows}


def main(folder: Path, call: str) -> None:
    """One call."""
    spark = _session(folder)
    with interpreting(spark):
        if call == "insert":
            spark.sql(
                "CREATE TABLE source USING PARQUET AS SELECT id, id % 5 * 1D AS a, id % 3 * 1D AS b FROM range(6)"
            )
            _see(spark, 0)
            sqlrp.save(SAVED, spark, "p")
            sqlrp.materialize(P, SEEN, spark, "kept", track="rows", scale=False)
            _see(spark, 10)
        found = _found(spark)
        print(json.dumps(found), flush=True)
        if call == "insert":
            _dying(spark, "INSERT INTO `sqlrp_new", 0.2)
            sqlrp.refresh(spark, "kept")
        elif call == "rename":
            _dying(spark, "RENAME TO `kept`", 0)
            sqlrp.refresh(spark, "kept")
        else:
            done = sqlrp.refresh(spark, "kept")
            print(json.dumps({"done": [done.added, done.changed, done.removed]} | _found(spark)), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
