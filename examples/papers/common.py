"""Shared by the scripts: the command line, the data, and projecting by sqlrp."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from tables import Shown, Table, Work

import sqlrp

Floats = npt.NDArray[np.float64]

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def parser(text: str | None) -> argparse.ArgumentParser:
    """The options of every script."""
    options = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=DATA, help="the folder of .npz files")
    options.add_argument("--seeds", type=int, help="number of runs, with the seeds 0, 1, … (that of the table)")
    options.add_argument("--quick", action="store_true", help="small runs of seconds, which are not kept")
    return options


def main(text: str | None, tables: Sequence[Table]) -> None:
    """Run what is missing of the tables that are asked for, keep it, and print them."""
    options = parser(text)
    names = [table.name for table in tables]
    options.add_argument("--tables", nargs="+", choices=names, default=names)
    given = options.parse_args()
    for table in tables:
        if table.name in given.tables:
            print(f"\n{table.title}\n\n{run(table, given).markdown()}", flush=True)


def run(table: Table, given: argparse.Namespace) -> Shown:
    """Make the missing runs, and return the table with the figures of all; or with the figures of a quick run."""
    if given.quick:
        return quick(table)
    lacking = [name for name in table.data if not (given.data / f"{name}.npz").exists()]
    if lacking:
        raise SystemExit(f"{table.name} needs {lacking[0]}.npz, which is not in {given.data}: pass --data, or --quick")
    for seed, case in table.missing(given.seeds or table.seeds):
        table.keep(seed, case, table.measure(Work(seed, case, False, given.data)))
    return Shown(table, table.runs())


def quick(table: Table) -> Shown:
    """A run of seconds, on smaller data, which are not the paper's: the first cases of one seed."""
    found = {case: table.measure(Work(0, case, True, DATA)) for case in table.cases[: table.quick_cases]}
    return Shown(table, {"0": found}, other="a quick run on small data")


def store(con: duckdb.DuckDBPyConnection, name: str, x: npt.NDArray[Any]) -> sqlrp.Array:
    """Store rows as a table with an id and one array column."""
    arrays = pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(x).reshape(-1)), x.shape[1])
    con.register("loaded", pa.table({"id": np.arange(len(x)), "x": arrays}))
    con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM loaded")
    con.unregister("loaded")
    return sqlrp.Array(name, "x")


def projected(projection: sqlrp.Projection, source: sqlrp.Array | sqlrp.Long, con: duckdb.DuckDBPyConnection) -> Floats:
    """Project the rows by SQL in DuckDB; return them in the order of their ids: shape (rows, k)."""
    table = sqlrp.project(projection, source, con, output="array")
    z = table["z"].combine_chunks().flatten().to_numpy().reshape(table.num_rows, -1)
    return np.asarray(z[np.argsort(table["id"].to_numpy())])


def in_memory(projection: sqlrp.Projection, x: npt.NDArray[Any]) -> Floats:
    """Project the rows as a dataframe, for jobs that would take a database minutes: shape (rows, k)."""
    table = sqlrp.project(projection, pa.table({f"f{j}": x[:, j] for j in range(x.shape[1])}), output="array", key=None)
    return np.asarray(table["z"].combine_chunks().flatten().to_numpy().reshape(len(x), -1))
