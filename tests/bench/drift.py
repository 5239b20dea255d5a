"""Drift: how often five kinds of change are found, and the CPU seconds of many groups.

    python tests/bench/drift.py power [--draws 20]
    python tests/bench/drift.py days [--days 365] [--rows 10000] [--columns 100]

`power` compares T² and the maximum mean discrepancy by sums with the one of all pairs of rows and 100 permutations,
which is what alibi-detect's MMDDrift computes: a Gaussian kernel whose width is the median distance. MMDDrift itself is
compared, too, where it is installed: `pip install "alibi-detect[torch]"`. `days` times the statement of `drift_sql`,
and `drift`, beside one scan that adds up each column by day.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import sqlrp

ROWS, COLUMNS, PERMUTATIONS = 1_000, 32, 100


def table(con: Any, name: str, x: Any) -> None:
    columns = {f"f{j}": x[:, j] for j in range(x.shape[1])}
    con.register("own", pa.table({"id": np.arange(len(x)), **columns}))
    con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM own")


def pairs(before: Any, after: Any, rng: np.random.Generator) -> bool:
    """Whether the discrepancy of all pairs is above 95% of those of permutations."""
    both = np.vstack([before, after])
    squares = (both**2).sum(axis=1)
    distances = np.maximum(squares[:, None] + squares - 2 * both @ both.T, 0)
    kernel = np.exp(-distances / np.median(distances))
    n, m = len(before), len(after)

    def statistic(order: Any) -> float:
        w = np.empty(n + m)
        w[order[:n]], w[order[n:]] = -1 / n, 1 / m
        return float(w @ kernel @ w)

    own = statistic(np.arange(n + m))
    return float(np.mean([statistic(rng.permutation(n + m)) >= own for _ in range(PERMUTATIONS)])) <= 0.05


def of_alibi(before: Any, after: Any) -> bool:
    """Whether alibi-detect's MMDDrift alarms, at 5%."""
    detector = importlib.import_module("alibi_detect.cd").MMDDrift
    found = detector(before.astype(np.float32), backend="pytorch", p_val=0.05, n_permutations=PERMUTATIONS)
    return bool(found.predict(after.astype(np.float32))["data"]["is_drift"])


def changes(rng: np.random.Generator) -> dict[str, Callable[[Any], Any]]:
    """Five kinds of change of rows of correlated columns. The last leaves the means of all columns and products."""

    def exchanged(x: Any) -> Any:
        x[:300, :16] = rng.permutation(x[:300, :16])
        return x

    def rare(x: Any) -> Any:
        x[:40] = x[:40] * 0.3 + 1.5
        return x

    def two_sizes(x: Any) -> Any:
        return x * np.where(rng.random((len(x), 1)) < 0.5, 0.6, np.sqrt(2 - 0.6**2))

    return {
        "halves of 30% of rows exchanged": exchanged,
        "all columns shifted by 0.03": lambda x: x + 0.03,
        "all columns wider by 3%": lambda x: x * 1.03,
        "4% of rows of another class": rare,
        "half of the rows smaller, and half larger": two_sizes,
        "nothing": lambda x: x,
    }


def power(draws: int) -> None:
    """Print how many draws alarm, and the mean CPU seconds."""
    rng, con = np.random.default_rng(0), duckdb.connect(config={"threads": 1})
    mixed = rng.normal(size=(6, COLUMNS))
    mixed /= np.sqrt((mixed**2).sum(axis=0))

    def rows() -> Any:
        return 0.8 * rng.normal(size=(ROWS, 6)) @ mixed + 0.6 * rng.normal(size=(ROWS, COLUMNS))

    for name, change in changes(rng).items():
        peers: dict[str, Callable[[Any, Any], bool]] = {"pairs": partial(pairs, rng=rng)}
        if importlib.util.find_spec("alibi_detect"):
            peers["alibi-detect"] = of_alibi
        found, took = dict.fromkeys(("T²", "mmd", *peers), 0), dict.fromkeys(("T²", "mmd", *peers), 0.0)
        for _ in range(draws):
            before, after = rows(), change(rows())
            table(con, "before", before)
            table(con, "later", after)
            for each, test in (("T²", "hotelling"), ("mmd", "mmd")):
                start = time.process_time()
                found[each] += sqlrp.drift(None, "before", "later", con, test=test).p <= 0.05
                took[each] += time.process_time() - start
            for each, peer in peers.items():
                start = time.process_time()
                size = before.std(axis=0)
                found[each] += peer(before / size, after / size)
                took[each] += time.process_time() - start
        said = ", ".join(f"{each} {found[each]} in {took[each] / draws:.2f} s" for each in found)
        print(f"{name}: of {draws} draws {said}", flush=True)


def days(count: int, rows: int, columns: int) -> None:
    """Print the CPU seconds of a scan and of each test."""
    con = duckdb.connect(config={"threads": 2})
    cells = ", ".join(f"(random() - 0.5 + {j} * 0)::FLOAT AS f{j}" for j in range(columns))
    con.execute(f"CREATE TABLE later AS SELECT id, id // {rows} AS day, {cells} FROM range({count * rows}) t(id)")
    con.execute(f"CREATE VIEW before AS SELECT * EXCLUDE day FROM later WHERE id < {20 * rows}")
    features = [f"f{j}" for j in range(columns)]
    source = sqlrp.Wide("later", features=features, keep=["day"])

    def timed(call: Callable[[], Any]) -> float:
        times: list[float] = []
        while len(times) < 3 and sum(times) < 30:  # what takes long is timed once
            start = time.process_time()
            call()
            times.append(time.process_time() - start)
        return sorted(times)[len(times) // 2]

    scan = timed(
        lambda: con.execute(
            f"SELECT day, {', '.join(f'sum({f})' for f in features)} FROM later GROUP BY day"
        ).fetchall()
    )
    print(f"{count} days of {rows:,} rows and {columns} columns: a scan {scan:.2f} s")
    for name, projection in (
        ("linear, k = 16", sqlrp.SparseProjection(k=16, seed=0)),
        ("products, k = 32", sqlrp.PolynomialKernelProjection(k=32, p=16, t=4, degree=2, c=1.0, s=10, seed=0)),
        ("the default", None),
    ):
        known = sqlrp.drift(projection, sqlrp.Wide("before", features=features), "before", con)
        text = sqlrp.drift_sql(known, source, con, by="day", alpha=0.05 / count)
        said = timed(lambda text=text: con.execute(text).fetchall())
        whole = timed(lambda known=known: sqlrp.drift(None, known, source, con, by="day"))
        print(
            f"  {name}: drift_sql {said:.2f} s ({said / scan:.1f} scans), drift {whole:.2f} s ({whole / scan:.1f})",
            flush=True,
        )


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["power", "days"])
    for name, default in (("draws", 20), ("days", 365), ("rows", 10_000), ("columns", 100)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    if given.part == "power":
        power(given.draws)
    else:
        days(given.days, given.rows, given.columns)


if __name__ == "__main__":
    main()
