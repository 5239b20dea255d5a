"""Shared by the scripts: the command line, the data, tables in DuckDB, and the comparison with a paper's figures."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

import sqlrp

Floats = npt.NDArray[np.float64]
Figure = tuple[float, float]
"""A paper's mean and standard deviation (0 where it prints none)."""

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def parser(text: str | None, seeds: int) -> argparse.ArgumentParser:
    """The options of every script."""
    options = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=DATA, help="the folder of .npz files")
    options.add_argument(
        "--seeds", type=int, default=seeds, help="number of runs, with the seeds 0, 1, … (%(default)s)"
    )
    options.add_argument("--quick", action="store_true", help="a small run of a few seconds, with 2 seeds")
    return options


def parse(options: argparse.ArgumentParser) -> argparse.Namespace:
    """The options given; a quick run has 2 seeds."""
    given = options.parse_args()
    given.seeds = min(given.seeds, 2) if given.quick else given.seeds
    return given


def load(folder: Path, name: str) -> dict[str, Any] | None:
    """The arrays of a data set; None, with a printed note, if it is missing."""
    path = folder / f"{name}.npz"
    if not path.exists():
        print(f"{name}.npz is missing: the data named below replaces it, so do not compare the figures with the paper")
        return None
    with np.load(path) as archive:
        return dict(archive)


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
    table = sqlrp.project(projection, pa.table({f"f{j}": x[:, j] for j in range(x.shape[1])}), output="array")
    return np.asarray(table["z"].combine_chunks().flatten().to_numpy().reshape(len(x), -1))


@dataclass(frozen=True)
class Row:
    """One figure: its name, the paper's value if it prints one, and ours for every seed."""

    what: str
    paper: Figure | None
    ours: Sequence[float]


def show(title: str, rows: Sequence[Row], digits: int = 3, other: str = "") -> None:
    """Print our figures and a paper's, with a verdict.

    `within`: our mean differs from the paper's by at most one of the paper's standard deviations, plus half a unit of
    the last digit. `other` says why there is no verdict, such as "other data".
    """
    print(f"\n{title}")
    width = max(len(row.what) for row in rows)
    print(f"{'':<{width}} {'paper':>15} {'ours':>9} {'spread':>8}  verdict")
    verdicts = [_verdict(row, digits, other) for row in rows]
    for row, verdict in zip(rows, verdicts, strict=True):
        paper = "-" if row.paper is None else f"{row.paper[0]:.{digits}f} ± {row.paper[1]:.{digits}f}"
        ours, spread = float(np.mean(row.ours)), float(np.std(row.ours))
        print(f"{row.what:<{width}} {paper:>15} {ours:>9.{digits}f} {spread:>8.{digits}f}  {verdict}")
    if not other and any(row.paper for row in rows):
        print(f"within: {verdicts.count('within')} of {sum(row.paper is not None for row in rows)}")


def _verdict(row: Row, digits: int, other: str) -> str:
    if row.paper is None:
        return ""
    if other:
        return other
    apart = float(np.mean(row.ours)) - row.paper[0]
    within = abs(apart) <= row.paper[1] + 0.5 * 10**-digits
    return "within" if within else f"outside ({apart:+.{digits}f})"
