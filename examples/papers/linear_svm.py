"""Linear SVM before and after a projection: error and margin of synthetic data.

S. Paul et al., random projections for linear support vector machines, section 4.1.1, Tables I (out-of-sample error,
%) and II (margin γ = 1/‖w‖); the in-sample error is 0 throughout. D1 is 200 x 5,000, D2 250 x 10,000, D3 300 x
20,000: standard normal entries, labels sign⟨w, x⟩ for a random unit w. The distribution of w does not matter, as that
of normal rows is the same in every direction. C = 1,000, ten-fold cross-validation. The paper repeats each of ten
matrices 100 times; here each matrix has one table and one partition. `--minority` gives unequal classes; README.md says
why. CW runs by SQL in DuckDB. RS and FHT have over a thousand million terms, so they project a dataframe in memory.
quality.svm_margin computes γ and the errors, with LIBSVM as in the paper.
"""

from __future__ import annotations

from typing import Any

import common
import duckdb
import numpy as np

import sqlrp
from sqlrp import quality

RS = (256, 512, 1024)
SHAPES = {"D1": (200, 5_000), "D2": (250, 10_000), "D3": (300, 20_000)}
TABLE_1: dict[str, dict[str, list[common.Figure]]] = {
    "D1": {
        "CW": [(24.08, 4.52), (19.45, 4.15), (16.66, 3.52)],
        "RS": [(24.10, 4.45), (19.46, 3.79), (16.36, 3.22)],
        "FHT": [(23.52, 4.21), (19.59, 4.05), (16.67, 3.37)],
        "full": [(15.10, 2.60)],
    },
    "D2": {
        "CW": [(25.94, 4.13), (21.07, 4.16), (17.33, 3.45)],
        "RS": [(25.80, 4.40), (20.80, 3.93), (17.47, 3.42)],
        "FHT": [(25.33, 3.69), (21.23, 4.24), (17.58, 3.53)],
        "full": [(15.44, 2.54)],
    },
    "D3": {
        "CW": [(27.62, 3.46), (22.97, 3.22), (18.93, 3.32)],
        "RS": [(28.15, 3.02), (23.00, 3.48), (18.72, 2.78)],
        "FHT": [(27.92, 3.46), (23.41, 3.60), (18.73, 3.02)],
        "full": [(15.83, 2.00)],
    },
}
TABLE_2: dict[str, dict[str, list[common.Figure]]] = {
    "D1": {
        "CW": [(5.72, 0.58), (6.67, 0.58), (7.16, 0.59)],
        "RS": [(5.73, 0.57), (6.66, 0.55), (7.18, 0.55)],
        "FHT": [(5.76, 0.56), (6.64, 0.58), (7.15, 0.56)],
        "full": [(7.74, 0.59)],
    },
    "D2": {
        "CW": [(6.62, 0.64), (8.09, 0.62), (8.88, 0.59)],
        "RS": [(6.65, 0.64), (8.10, 0.60), (8.88, 0.63)],
        "FHT": [(6.66, 0.63), (8.06, 0.65), (8.84, 0.63)],
        "full": [(9.78, 0.66)],
    },
    "D3": {
        "CW": [(7.69, 0.67), (9.84, 0.60), (11.07, 0.71)],
        "RS": [(7.61, 0.59), (9.85, 0.6212), (11.05, 0.62)],
        "FHT": [(7.63, 0.67), (9.83, 0.64), (11.11, 0.64)],
        "full": [(12.46, 0.69)],
    },
}


def main() -> None:
    options = common.parser(__doc__, seeds=10)
    options.add_argument("--families", nargs="+", choices=list(SHAPES), default=list(SHAPES))
    options.add_argument("--minority", type=float, help="share of the rows in the smaller class (about half)")
    given = common.parse(options)
    print(f"{given.seeds} matrices per family; smaller class: {given.minority or 'about half (sign⟨w, x⟩)'}")
    for family in ["D1"] if given.quick else given.families:
        shape, rs = ((80, 500), (64,)) if given.quick else (SHAPES[family], RS)
        found: dict[tuple[str, int], list[quality.SvmMeasures]] = {}
        for seed in range(given.seeds):
            for case, measures in measured(shape, rs, seed, given.minority).items():
                found.setdefault(case, []).append(measures)
        report(family, shape, rs, found, "smaller data" if given.quick else "")


def measured(
    shape: tuple[int, int], rs: tuple[int, ...], seed: int, minority: float | None
) -> dict[tuple[str, int], quality.SvmMeasures]:
    """The SVM's measures on one matrix, before and after each projection."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=shape)
    score = x @ rng.normal(size=shape[1])
    y = np.sign(score - (np.quantile(score, 1 - minority) if minority else 0))
    out = {("full", 0): margins(x, y, seed)}
    with duckdb.connect() as con:
        source = common.store(con, "matrix", x)
        for r in rs:
            cw = sqlrp.SparseEmbedding(k=r, nnz_per_feature=1, seed=seed)
            out["CW", r] = margins(common.projected(cw, source, con), y, seed)
            for name, method in (
                ("RS", sqlrp.SparseProjection(k=r, s=1, seed=seed)),
                ("FHT", sqlrp.HadamardProjection(k=r, seed=seed)),
            ):
                out[name, r] = margins(common.in_memory(method, x), y, seed)
    return out


def margins(x: common.Floats, y: common.Floats, seed: int) -> quality.SvmMeasures:
    return quality.svm_margin(x, y, C=1000, folds=10, seed=seed)


def report(
    family: str,
    shape: tuple[int, int],
    rs: tuple[int, ...],
    found: dict[tuple[str, int], list[Any]],
    other: str,
) -> None:
    def rows(table: dict[str, list[common.Figure]], field: str, scale: float) -> list[common.Row]:
        return [
            common.Row(
                f"{name}, r = {r}" if r else "full data",
                table[name][rs.index(r) if r else 0],
                [scale * getattr(m, field) for m in measures],
            )
            for (name, r), measures in found.items()
        ]

    size = f"{shape[0]} x {shape[1]:,}"
    common.show(
        f"Table I, {family} ({size}): out-of-sample error, %", rows(TABLE_1[family], "error_out", 100), 2, other
    )
    common.show(f"Table II, {family} ({size}): margin", rows(TABLE_2[family], "margin", 1), 2, other)
    worst = max(m.error_in for measures in found.values() for m in measures)
    print(f"{family}: greatest in-sample error {worst:.1%} (paper: 0)")
    kept = [
        f"{name} {np.mean([m.margin for m in ms]) / np.mean([m.margin for m in found['full', 0]]):.2f}"
        f" (paper {TABLE_2[family][name][rs.index(r)][0] / TABLE_2[family]['full'][0][0]:.2f})"
        for (name, r), ms in found.items()
        if r == rs[-1]
    ]
    print(f"{family}: share of the margin kept at r = {rs[-1]}: {', '.join(kept)}")
    print(f"{family}: √(d/n) = {np.sqrt(shape[1] / shape[0]):.2f}, the full margin of balanced labels to first order")


if __name__ == "__main__":
    main()
