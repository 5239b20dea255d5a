"""Degree-2 kernel projection (P-RP): mean distortion by k and m.

D. López-Sánchez et al., degree-2 polynomial kernel projection (2018), section 5.1, Table 1: 200 rows of CIFAR-10 drawn
at random for each of ten runs; the mean over all pairs of the distortion of squared distances in the feature space of
⟨x, y⟩². The thesis has the same experiments (section 3.4) and used s = 1. That runs in memory, because m = 30 needs
14.7 million signs. s = √d runs by SQL in DuckDB. Table 2 is not run, as the data set ISOLET is missing. Each run draws
one table for the largest k. Its first k components are the projection to k.
"""

from __future__ import annotations

import math

import common
import duckdb
import numpy as np
from sklearn.datasets import load_digits

import sqlrp
from sqlrp import quality

KS = (40, 80, 120, 160)
TABLE_1: dict[int, list[common.Figure]] = {
    1: [(0.386, 0.040), (0.277, 0.022), (0.239, 0.035), (0.239, 0.033)],
    2: [(0.294, 0.025), (0.212, 0.018), (0.170, 0.009), (0.147, 0.006)],
    10: [(0.204, 0.008), (0.145, 0.007), (0.119, 0.006), (0.101, 0.005)],
    30: [(0.188, 0.016), (0.132, 0.005), (0.109, 0.004), (0.091, 0.002)],
}


def main() -> None:
    given = common.parse(common.parser(__doc__, seeds=10))
    found = common.load(given.data, "cifar10_4000")
    x, other = (load_digits().data, "other data (digits)") if found is None else (found["X"], "")
    print("Table 2: not run, as ISOLET is missing")
    size = 60 if given.quick else 200
    ms = [1, 2] if given.quick else [1, 2, 10, 30]
    for s in (1, "sqrt"):
        rows = [row for m in ms for row in distortions(x, s, m, size, given.seeds)]
        title = f"P-RP, Table 1: mean distortion of {size} rows x {x.shape[1]:,} features, s = {s}, {given.seeds} seeds"
        common.show(title, rows, other=other)


def distortions(x: np.ndarray, s: int | str, m: int, size: int, seeds: int) -> list[common.Row]:
    ours: list[list[float]] = [[] for _ in KS]
    with duckdb.connect() as con:
        for seed in range(seeds):
            sample = x[np.random.default_rng(seed).choice(len(x), size, replace=False)]
            true = quality.squared_distances(quality.kernel_matrix(sample, (2, 0.0)))
            method = sqlrp.Degree2KernelProjection(k=max(KS), m=m, s=s, seed=seed)
            if s == 1:
                z = common.in_memory(method, sample)
            else:
                z = common.projected(method, common.store(con, "sample", sample), con)
            for found, k in zip(ours, KS, strict=True):
                found.append(quality.mean_distortion(z[:, :k] * math.sqrt(max(KS) / k), true))
    return [common.Row(f"m = {m}, k = {k}", TABLE_1[m][i], ours[i]) for i, k in enumerate(KS)]


if __name__ == "__main__":
    main()
