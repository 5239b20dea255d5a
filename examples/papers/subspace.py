"""Random subspace (RS): regularity of the data, distances kept by k, and densified sparse rows.

N. Lim and R. J. Durrant, *Linear dimensionality reduction in linear time*, Table 1 (regularity c of natural images),
Table 2 (c and c' of Dorothea), Figures 2 and 4 (ratios of projected and true distances: mean, 5th and 95th
percentiles). The paper only draws its figures, so the script prints what its text says of them. SQL in DuckDB projects
100 windows of 50 x 50 pixels of each image and 100 rows of Dorothea. RP and SRP are there for comparison and run in
memory. The proof of the bounds uses c of differences of rows. The paper does not say which c it printed, so both are
printed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import common
import duckdb
import numpy as np
import pyarrow as pa
from sklearn.datasets import load_sample_images

import sqlrp
from sqlrp import quality

TABLE_1 = {"boat": 2.89}
"""The paper's c of boat, the one scene in both sets; its 23 images of USC-SIPI range from 2.23 to 9.69."""
PAPER_MEAN_C = 3.57
TABLE_2 = {"test": (71.21, 67.27), "train": (68.63, 64.69), "valid": (55.94, 52.02)}
WINDOW = 50
ROWS = 100


def main() -> None:
    given = common.parse(common.parser(__doc__, seeds=3))
    found = common.load(given.data, "images_gray512")
    images = photographs() if found is None else found
    if given.quick:
        images = dict(list(images.items())[:1])
    regular(images, "" if found else "other images")
    ratios_of_images(images, (20,) if given.quick else (20, 80, 200, 600), given.seeds)
    sparse = common.load(given.data, "dorothea")
    if sparse is None:
        print("using random binary rows of 2,000 features, 2% of them 1, instead of Dorothea")
        densified("random binary rows", np.random.default_rng(0).random((ROWS, 2000)) < 0.02, (100, 400), given.seeds)
        return
    for split in TABLE_2:
        x = dense(sparse, split)
        constants(split, x)
        chosen = x[np.random.default_rng(0).permutation(len(x))[:ROWS]]
        densified(f"Dorothea {split}", chosen, (300,) if given.quick else (300, 3_000, 10_000), given.seeds)


def photographs() -> dict[str, np.ndarray]:
    print("using scikit-learn's two photographs, in grey, instead of the images")
    return {f"photograph {i}": image.mean(axis=2) for i, image in enumerate(load_sample_images().images)}


def regular(images: dict[str, Any], other: str) -> None:
    ours = {name: float(quality.regularity(np.reshape(image, (1, -1)))[0]) for name, image in images.items()}
    rows = [common.Row(name, (TABLE_1[name], 0) if name in TABLE_1 else None, [c]) for name, c in ours.items()]
    rows.append(common.Row("mean", (PAPER_MEAN_C, 0), [float(np.mean(list(ours.values())))]))
    common.show("RS, Table 1: regularity c of whole images", rows, digits=2, other=other or "other images but boat")


def ratios_of_images(images: dict[str, Any], ks: Sequence[int], seeds: int) -> None:
    """Figure 2: 100 windows of every image, with a new draw for every seed."""
    print(f"\nRS, Figure 2: ‖f(x)-f(y)‖ / ‖x-y‖ of {ROWS} windows of each of {len(images)} images, {seeds} seeds")
    methods = {
        "RS": lambda k, seed: sqlrp.RandomSubspace(k=k, seed=seed),
        "RP": lambda k, seed: sqlrp.GaussianProjection(k=k, seed=seed),
        "SRP": lambda k, seed: sqlrp.SparseProjection(k=k, s=3, seed=seed),
    }
    ratio_header()
    with duckdb.connect() as con:
        for k in ks:
            for name, method in methods.items():
                found = []
                for seed in range(seeds):
                    x = np.concatenate([windows(image, seed) for image in images.values()])
                    if name == "RS":
                        z = common.projected(method(k, seed), common.store(con, "windows", x), con)
                    else:
                        z = common.in_memory(method(k, seed), x)
                    found.append([pair_ratios(x[i : i + ROWS], z[i : i + ROWS]) for i in range(0, len(x), ROWS)])
                print_ratios(f"{name}, k = {k}", [np.concatenate(parts) for parts in found])
    print("paper: RS and RP are indistinguishable from k of about 80 on; SRP often lies below 1 (section 4.4.1)")


def windows(image: np.ndarray, seed: int) -> common.Floats:
    """Windows of 50 x 50 pixels at random places, one row per window."""
    views = np.lib.stride_tricks.sliding_window_view(np.asarray(image, dtype=np.float64), (WINDOW, WINDOW))
    rng = np.random.default_rng(seed)
    at = [rng.integers(size, size=ROWS) for size in views.shape[:2]]
    return views[at[0], at[1]].reshape(ROWS, -1)


def dense(sparse: dict[str, Any], split: str) -> np.ndarray:
    """The rows of a split, without the features that are zero in all of them."""
    x = np.zeros(tuple(sparse["shape"]), dtype=bool)
    x[np.repeat(np.arange(len(x)), np.diff(sparse["indptr"])), sparse["indices"]] = True
    x = x[sparse["split"] == split]
    return x[:, x.any(axis=0)]


def constants(split: str, x: np.ndarray) -> None:
    """Table 2: the mean over rows, and over differences of pairs of rows."""
    rng = np.random.default_rng(0)
    pairs = rng.permutation(len(x))[: 2 * ROWS].reshape(2, -1)
    differences = x[pairs[0]].astype(np.float64) - x[pairs[1]]
    apart = differences[differences.any(axis=1)]
    c, reflected = TABLE_2[split]
    common.show(
        f"RS, Table 2: regularity of Dorothea {split}, {len(x)} rows x {x.shape[1]:,} features",
        [
            common.Row("c, mean over rows", (c, 0), [mean_regularity(x)]),
            common.Row(f"c, mean over {len(apart)} differences of pairs", (c, 0), [mean_regularity(apart)]),
            common.Row("c', mean over rows", (reflected, 0), [mean_regularity(x, reflect=True)]),
            common.Row(
                f"c', mean over {len(apart)} differences", (reflected, 0), [mean_regularity(apart, reflect=True)]
            ),
        ],
        digits=2,
    )


def mean_regularity(x: np.ndarray, reflect: bool = False) -> float:
    """The mean, computed in blocks to save memory."""
    parts = [quality.regularity(x[i : i + ROWS], reflect=reflect) for i in range(0, len(x), ROWS)]
    return float(np.nanmean(np.concatenate(parts)))


def densified(name: str, x: np.ndarray, ks: Sequence[int], seeds: int) -> None:
    """Figure 4: sparse rows as a table (id, feature, value)."""
    print(f"\nRS, Figure 4: ‖f(x)-f(y)‖ / ‖x-y‖ of {len(x)} rows of {name} x {x.shape[1]:,} features, {seeds} seeds")
    ids, features = np.nonzero(x)
    ratio_header()
    with duckdb.connect() as con:
        con.register("loaded", pa.table({"id": ids, "feature": features, "value": np.ones(len(ids))}))
        con.execute("CREATE TABLE counts AS FROM loaded")
        source = sqlrp.Long("counts", n_features=x.shape[1])
        held = x[np.unique(ids)].astype(np.float64)
        for k in ks:
            for what, densify in (("RS", None), ("RS, reflected", "householder")):
                found = []
                for seed in range(seeds):
                    z = common.projected(sqlrp.RandomSubspace(k=k, densify=densify, seed=seed), source, con)
                    found.append(pair_ratios(held, z))
                print_ratios(f"{what}, k = {k}", found)
    print("paper: RS needs a much higher k than RP; the reflection helps most where k is low (Figure 4)")


def pair_ratios(x: common.Floats, z: common.Floats) -> common.Floats:
    return quality.ratios(z, quality.squared_distances(x @ x.T))


def ratio_header() -> None:
    print(f"{'':<26} {'mean':>7} {'spread':>7} {'5th':>7} {'95th':>7}")


def print_ratios(what: str, found: Sequence[common.Floats]) -> None:
    """Mean and percentiles, averaged over seeds, and the mean's spread."""
    each = [quality.Summary.of(ratios) for ratios in found]
    means = [s.mean for s in each]
    low, high = np.mean([s.q05 for s in each]), np.mean([s.q95 for s in each])
    print(f"{what:<26} {np.mean(means):>7.3f} {np.std(means):>7.3f} {low:>7.3f} {high:>7.3f}")


if __name__ == "__main__":
    main()
