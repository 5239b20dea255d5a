"""Principal components of a million rows: `python tests/bench/components.py`, in DuckDB.

`sqlrp.fit` adds up the products of 784 features where the rows are. Its components are compared with those of
scikit-learn's PCA, which has all rows in memory, by the share of the variance that they explain. That share comes from
the covariance that numpy adds up, block by block. The bars: at most two scans of the table, less than 8 GB of memory,
and at least 99% of scikit-learn's share. Each side runs in a process of its own. The figures of a run are kept with
`--out tests/bench/results/components.md`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from common import markdown, peak_rss, verdict

import sqlrp

MEMORY, SCANS, SHARE = 8 << 30, 2, 0.99
BLOCK = 20_000
HIDDEN = 60
"""The directions in which most of the variance lies."""

Matrix = npt.NDArray[Any]


def block(number: int, rows: int, mixing: Matrix) -> Matrix:
    """Rows whose variance falls from direction to direction, and noise, far from 0."""
    draw = np.random.default_rng([31, number])
    x = draw.standard_normal((rows, len(mixing)), dtype=np.float32) @ mixing
    x += 0.3 * draw.standard_normal(x.shape, dtype=np.float32) + 10
    return np.asarray(x)


def made(folder: Path, rows: int, features: int) -> Matrix:
    """Write the table and the same rows as an array; return their covariance, times the number of rows."""
    spread = (np.arange(1, HIDDEN + 1) ** -0.7).astype(np.float32)
    mixing = np.random.default_rng(7).standard_normal((HIDDEN, features)).astype(np.float32) * spread[:, None]
    kept = np.lib.format.open_memmap(folder / "rows.npy", "w+", np.float32, (rows, features))
    sums, products = np.zeros(features), np.zeros((features, features))
    with duckdb.connect(folder / "points.duckdb") as con:
        con.execute(f"CREATE TABLE points (id BIGINT, {', '.join(f'f{j} FLOAT' for j in range(features))})")
        for number, start in enumerate(range(0, rows, BLOCK)):
            x = block(number, min(BLOCK, rows - start), mixing)
            kept[start : start + len(x)] = x
            away = x.astype(np.float64) - 10
            sums, products = sums + away.sum(axis=0), products + away.T @ away
            columns = {"id": np.arange(start, start + len(x))} | {f"f{j}": x[:, j].copy() for j in range(features)}
            con.register("loaded", pa.table(columns))
            con.execute("INSERT INTO points FROM loaded")
            con.unregister("loaded")
    kept.flush()
    return np.asarray(products - np.outer(sums, sums) / rows)


def ours(folder: Path, k: int) -> dict[str, float]:
    """Fit in the database."""
    from sqlrp._learning import row_sums

    read, scans = row_sums.source_rows, [0]

    def counted(*asked: Any) -> Any:
        scans[0] += 1
        return read(*asked)

    row_sums.source_rows = counted  # type: ignore[assignment]  # counts the scans
    with duckdb.connect(folder / "points.duckdb", read_only=True, config={"memory_limit": "2GB"}) as con:
        begun, used = time.perf_counter(), time.process_time()
        fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=k), "points", con)
        taken = {"seconds": time.perf_counter() - begun, "cpu": time.process_time() - used}
    np.save(folder / "ours.npy", fitted.arrays["weights"][:-1])  # type: ignore[attr-defined]
    return taken | {"scans": scans[0], "memory": peak()}


def theirs(folder: Path, k: int) -> dict[str, float]:
    """Fit scikit-learn's PCA to all rows in memory."""
    from sklearn.decomposition import PCA

    begun, used = time.perf_counter(), time.process_time()
    fitted = PCA(k, svd_solver="covariance_eigh").fit(np.load(folder / "rows.npy"))
    taken = {"seconds": time.perf_counter() - begun, "cpu": time.process_time() - used}
    np.save(folder / "theirs.npy", fitted.components_.T)
    return taken | {"memory": peak()}


def peak() -> int:
    """The largest resident memory of this program so far, in bytes, without that of the process that started it."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    own = [int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")]
    return own[0] if own else peak_rss()


def alone(side: str, folder: Path, k: int) -> dict[str, float]:
    """What a side says that runs in a process of its own."""
    command = [sys.executable, __file__, "--side", side, "--folder", str(folder), "-k", str(k)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def explained(weights: Matrix, scatter: Matrix) -> float:
    """The share of the variance along orthonormal directions, which are the columns."""
    q = np.linalg.qr(np.asarray(weights, dtype=np.float64))[0]
    return float(np.einsum("ij,ij->", q, scatter @ q) / np.trace(scatter))


def compared(rows: int, features: int, k: int) -> tuple[str, bool]:
    """The table of both sides, and whether the bars hold."""
    with tempfile.TemporaryDirectory(prefix="sqlrp_components_") as name:
        folder = Path(name)
        scatter = made(folder, rows, features)
        lines, shares, found = [], [], {}
        for side, said in (("ours", "sqlrp.fit in DuckDB"), ("theirs", "PCA, rows in memory")):
            found[side] = one = alone(side, folder, k)
            shares.append(explained(np.load(folder / f"{side}.npy"), scatter))
            times = [f"{one['seconds']:.1f} s", f"{one['cpu']:.1f} s"]
            lines.append([said, *times, f"{one['memory'] / 2**30:.2f} GB", f"{shares[-1]:.4%}"])
    mine = found["ours"]
    holds = mine["scans"] <= SCANS and mine["memory"] < MEMORY and shares[0] >= SHARE * shares[1]
    heads = [f"{rows:,} × {features} → {k}", "time", "CPU", "peak memory", "variance explained"]
    bars = f"Scans of the table: {mine['scans']:.0f}. Of scikit-learn's share: {shares[0] / shares[1]:.4%}. "
    return f"{markdown(heads, lines)}\n\n{bars}The bars: {verdict(holds)}.", holds


def main() -> None:
    """Print the table; exit 1 where a bar does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=784)
    parser.add_argument("-k", type=int, default=50)
    parser.add_argument("--out", type=Path, help="write the table to this file, too")
    parser.add_argument("--side", choices=["ours", "theirs"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        print(json.dumps((ours if options.side == "ours" else theirs)(options.folder, options.k)))
        return
    text, holds = compared(options.rows, options.features, options.k)
    print(text)
    if options.out is not None:
        command = f"`python tests/bench/components.py --rows {options.rows}`"
        options.out.write_text(f"# Principal components of all rows\n\n{command}:\n\n{text}\n", encoding="utf-8")
    sys.exit(not holds)


if __name__ == "__main__":
    main()
