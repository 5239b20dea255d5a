"""Random subspace (RS): regularity of the data, distances kept by k, and densified sparse rows.

N. Lim and R. J. Durrant, *Linear dimensionality reduction in linear time*, Table 1 (regularity c of natural images),
Table 2 (c and c' of Dorothea), Figures 2 and 4 (ratios of projected and true distances: mean, 5th and 95th
percentiles). The paper only draws its figures. SQL in DuckDB projects 100 windows of 50 x 50 pixels of each image and
100 rows of Dorothea. RP and SRP are there for comparison and run in memory. Table 3 has the factors that keep
distances, and Figures 5 and 6 the times, here CPU times in memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import common
import duckdb
import numpy as np
import pyarrow as pa
import times
from scipy import sparse
from sklearn.datasets import load_sample_images
from tables import Cell, Table, Values, Work

import sqlrp
from sqlrp import quality

TABLE_1 = {"boat": 2.89}
"""The paper's c of boat, the one scene in both sets; its 23 images of USC-SIPI range from 2.23 to 9.69."""
TABLE_1_MEAN = 3.57
TABLE_2 = {"test": (91_362, 71.21, 67.27), "train": (88_119, 68.63, 64.69), "valid": (72_113, 55.94, 52.02)}
"""Features with non-zero variance, c and c'."""
SCENES = (
    *("barbara", "boat", "cameraman", "house", "jetplane", "lake", "livingroom", "mandril_gray", "peppers_gray"),
    *("pirate", "walkbridge", "woman_blonde", "woman_darkhair"),
)
WINDOW = 50
ROWS = 100
IMAGE_KS = (20, 80, 200, 600)
SPARSE_KS = (300, 3_000, 10_000)
QUANTILES = ("mean", "5th percentile", "95th percentile")
IMAGE_METHODS = {
    "RS": lambda k, seed: sqlrp.RandomSubspace(k=k, seed=seed),
    "RP": lambda k, seed: sqlrp.GaussianProjection(k=k, seed=seed),
    "SRP": lambda k, seed: sqlrp.SparseProjection(k=k, s=3, seed=seed),
}

MEASURED, FORMULA = "measured", "formula of PCA on the windows"
FACTOR_KS = 80, 600
TIMED_KS = {"images": 600, "valid": 300}
"""Of Figures 5 and 6, whose rows are the windows and the split valid of Dorothea"""
D = WINDOW * WINDOW
Factor = Callable[[int], float]
FACTORS: dict[str, tuple[Callable[[int, int], Any], Factor | None]] = {
    "RS": (lambda k, seed: sqlrp.RandomSubspace(k=k, seed=seed), lambda k: math.sqrt(D / k)),
    "RP": (lambda k, seed: sqlrp.OrthonormalProjection(k=k, seed=seed), lambda k: math.sqrt(D / k)),
    "SRP": (lambda k, seed: sqlrp.SparseProjection(k=k, s=3, seed=seed), lambda k: math.sqrt(1 / k)),
    "PCA": (lambda k, seed: sqlrp.PrincipalComponents(k=k, sample=len(SCENES) * ROWS, seed=seed), None),
}
"""Methods with Table 3's factor: that of PCA depends on the data."""


def images(work: Work) -> dict[str, Any]:
    """Grey images by name; in a quick run, a part of one of scikit-learn's photographs."""
    found = work.load("images_gray512")
    return {"boat": load_sample_images().images[0].mean(axis=2)[:200, :200]} if found is None else found


def regular(work: Work) -> Values:
    """Table 1: c of each image as one row."""
    c = {name: float(quality.regularity(np.reshape(image, (1, -1)))[0]) for name, image in images(work).items()}
    return {"ours": c | {"mean": float(np.mean(list(c.values())))}}


def rows_of(work: Work) -> Any:
    """The rows of a split of Dorothea as a sparse matrix, without the features that are equal in all of them."""
    found = work.load("dorothea")
    if found is None:
        x = sparse.csr_matrix((np.random.default_rng(work.seed).random((60, 2000)) < 0.02).astype(np.float64))
    else:
        x = sparse.csr_matrix((np.ones(len(found["indices"])), found["indices"], found["indptr"]), found["shape"])
        x = x[found["split"] == work.case]
    ones = np.asarray(x.sum(axis=0)).ravel()
    return x[:, (ones > 0) & (ones < x.shape[0])]


def constants(work: Work) -> Values:
    """Table 2: the largest c and c' of the difference of two rows.

    Where two rows of 0 and 1 differ, their difference is 1 or -1. So c is d over the number of such places, their
    Hamming distance, and the inner products of the rows tell both numbers.
    """
    x = rows_of(work)
    d = x.shape[1]
    shared = np.asarray((x @ x.T).todense()).astype(np.int64)
    pairs = np.triu_indices(len(shared), 1)
    own = np.diag(shared)
    more, less = own[pairs[0]] - shared[pairs], own[pairs[1]] - shared[pairs]
    apart = more + less
    more, less, apart = more[apart > 0], less[apart > 0], apart[apart > 0]
    theorem = np.where(apart < d / 4, d / apart - 4 + 4 * apart / d, 4 * apart / d)
    shift = 2 * (more - less) / d
    largest = np.maximum(np.where(more > 0, np.abs(1 - shift), 0), np.where(less > 0, np.abs(1 + shift), 0))
    true = d * np.maximum(largest, np.abs(shift)) ** 2 / apart
    return {
        "ours": {
            f"{work.case}: d": float(d),
            f"{work.case}: c": float((d / apart).max()),
            f"{work.case}: c'": float(theorem.max()),
            f"{work.case}: c' of x - y": float(true.max()),
            f"{work.case}: pairs with a smaller c' of x - y, %": 100 * float(np.mean(true < d / apart)),
        }
    }


def constant_cells() -> Iterator[Cell]:
    for split, (d, c, reflected) in TABLE_2.items():
        yield Cell(f"{split}: d", d, digits=0)
        yield Cell(f"{split}: c", c)
        yield Cell(f"{split}: c'", reflected)
        yield Cell(f"{split}: c' of x - y")
        yield Cell(f"{split}: pairs with a smaller c' of x - y, %")


def windows(image: Any, seed: int) -> common.Floats:
    """Windows of 50 x 50 pixels at random places, one row per window."""
    views = np.lib.stride_tricks.sliding_window_view(np.asarray(image, dtype=np.float64), (WINDOW, WINDOW))
    rng = np.random.default_rng(seed)
    at = [rng.integers(size, size=ROWS) for size in views.shape[:2]]
    return np.asarray(views[at[0], at[1]].reshape(ROWS, -1))


def figure_2(work: Work) -> Values:
    """100 windows of every image; the percentiles are of the pairs within an image."""
    x = np.concatenate([windows(image, work.seed) for image in images(work).values()])
    found: dict[str, dict[str, float]] = {}
    with duckdb.connect() as con:
        source = common.store(con, "windows", x)
        for k in IMAGE_KS[: 1 if work.quick else None]:
            for name, method in IMAGE_METHODS.items():
                chosen = method(k, work.seed)
                z = common.projected(chosen, source, con) if name == "RS" else common.in_memory(chosen, x)
                parts = [pair_ratios(x[i : i + ROWS], z[i : i + ROWS]) for i in range(0, len(x), ROWS)]
                add(found, f"{name}, k = {k}", np.concatenate(parts))
    return found


def figure_4(work: Work) -> Values:
    """100 rows of a split as a table (id, feature, value)."""
    x = rows_of(work)
    x = x[np.sort(np.random.default_rng(work.seed).permutation(x.shape[0])[:ROWS])].tocoo()
    found: dict[str, dict[str, float]] = {}
    with duckdb.connect() as con:
        con.register("loaded", pa.table({"id": x.row, "feature": x.col, "value": x.data}))
        con.execute("CREATE TABLE counts AS FROM loaded")
        source = sqlrp.Long("counts", n_features=x.shape[1])
        held = x.tocsr()[np.unique(x.row)]
        true = quality.squared_distances((held @ held.T).toarray())
        for k in (100,) if work.quick else SPARSE_KS:
            for what, densify in (("RS", None), ("RS, reflected", "householder")):
                z = common.projected(sqlrp.RandomSubspace(k=k, densify=densify, seed=work.seed), source, con)
                add(found, f"{work.case}: {what}, k = {SPARSE_KS[0] if work.quick else k}", quality.ratios(z, true))
    return found


def pair_ratios(x: common.Floats, z: common.Floats) -> common.Floats:
    return quality.ratios(z, quality.squared_distances(x @ x.T))


def add(found: dict[str, dict[str, float]], label: str, ratios: common.Floats) -> None:
    each = quality.Summary.of(ratios)
    for column, value in zip(QUANTILES, (each.mean, each.q05, each.q95), strict=True):
        found.setdefault(column, {})[label] = value


def unscaled(work: Work) -> Values:
    """The factors by which the mean squared distance of the windows has to be multiplied, as square roots."""
    x = np.concatenate([windows(image, work.seed) for image in images(work).values()])
    values = np.linalg.svd(x - x.mean(axis=0), compute_uv=False) ** 2
    found: dict[str, dict[str, float]] = {MEASURED: {}, FORMULA: {}}
    for k in FACTOR_KS[: 1 if work.quick else None]:
        for name, (method, formula) in FACTORS.items():
            chosen = method(k, work.seed)
            if name == "PCA":
                chosen = chosen.fit(x)
            z = sqlrp.project(chosen, x, scale=False)
            label = f"{name}, k = {k}"
            found[MEASURED][label] = math.sqrt(x.var(axis=0).sum() / z.var(axis=0).sum())
            if not formula:
                found[FORMULA][label] = math.sqrt(values.sum() / values[:k].sum())
    return found


def ratios(work: Work) -> Values:
    """How many times longer than RS the other methods take to be drawn, or learnt, and to project."""
    draws: dict[str, Callable[[int, int], Any]] = {name: method for name, (method, _) in FACTORS.items()}
    x: Any = None
    if work.case == "images":
        k, x = TIMED_KS[work.case], np.concatenate([windows(image, work.seed) for image in images(work).values()])
        source = x
    else:
        rows = rows_of(work)
        rows = rows[np.sort(np.random.default_rng(work.seed).permutation(rows.shape[0])[:ROWS])].tocoo()
        frame = pa.table({"id": rows.row, "feature": rows.col, "value": rows.data})
        k, source = TIMED_KS[work.case], sqlrp.Long(frame, n_features=rows.shape[1])
        draws["RP"] = lambda k, seed: sqlrp.GaussianProjection(k=k, seed=seed)
        draws["RS, reflected"] = lambda k, seed: sqlrp.RandomSubspace(k=k, densify="householder", seed=seed)
        del draws["PCA"]

    def run(name: str) -> Any:
        chosen = draws[name](20 if work.quick else k, work.seed)
        return sqlrp.project(chosen.fit(x) if name == "PCA" else chosen, source)

    taken = {name: times.seconds(lambda name=name: run(name)) for name in draws}
    return {"ours": {f"{work.case}, k = {k}: {name} / RS": taken[name] / taken["RS"] for name in draws if name != "RS"}}


TABLES = (
    Table(
        "subspace_table_1",
        "subspace",
        "RS, Table 1: regularity c of whole images",
        [*(Cell(name, TABLE_1.get(name)) for name in SCENES), Cell("mean", TABLE_1_MEAN)],
        ("ours",),
        regular,
        seeds=1,
        digits=2,
        data=("images_gray512",),
        other="our images are not those of USC-SIPI; only boat is in both sets, perhaps with other pixels",
    ),
    Table(
        "subspace_figure_2",
        "subspace",
        f"RS, Figure 2: ‖f(x)-f(y)‖ / ‖x-y‖ of {ROWS} windows of each of 13 images",
        [Cell(f"{name}, k = {k}") for k in IMAGE_KS for name in IMAGE_METHODS],
        QUANTILES,
        figure_2,
        seeds=3,
        data=("images_gray512",),
        note="""\
The paper draws this figure and prints no numbers. It says that RS and RP are indistinguishable from k of about 80 on,
and that SRP often lies below 1 (section 4.4.1).""",
    ),
    Table(
        "subspace_table_2",
        "subspace",
        "RS, Table 2: regularity of Dorothea",
        list(constant_cells()),
        ("ours",),
        constants,
        cases=tuple(TABLE_2),
        seeds=1,
        digits=2,
        data=("dorothea",),
        note="""\
c is the largest d·‖x-y‖∞²/‖x-y‖² over all pairs of rows, where d counts the features with non-zero variance: as the
rows are of 0 and 1, it is d over the least Hamming distance. This is the c that the bounds on distances need. The
printed c' is that of Theorem 3, which is for rows of 0 and 1, applied to |x-y|. But a reflected distance is that of
x-y, whose entries are 1 and -1. The reflection subtracts 2/d times their sum from each of them. If that makes the
entries of one sign smaller, it makes those of the other sign larger, and the largest entry grows. So c' of x-y is below
c only if one row has all the ones of the other, and such pairs are rare here (last line of each split). This is why
the reflection gains nothing in Figure 4. `sqlrp.diagnose` reports both, c and c' of x-y, for the pairs of a sample.""",
    ),
    Table(
        "subspace_figure_4",
        "subspace",
        f"RS, Figure 4: ‖f(x)-f(y)‖ / ‖x-y‖ of {ROWS} rows of Dorothea",
        [Cell(f"{c}: {what}, k = {k}") for c in TABLE_2 for k in SPARSE_KS for what in ("RS", "RS, reflected")],
        QUANTILES,
        figure_4,
        cases=tuple(TABLE_2),
        seeds=3,
        data=("dorothea",),
        note="""\
The paper draws this figure and prints no numbers. It says that RS needs a much higher k than RP, and that the
reflection helps most where k is low. In our runs the reflection changes the ratios by less than a seed does.""",
    ),
    Table(
        "subspace_table_3",
        "subspace",
        "RS, Table 3: factors that keep the mean squared distance of 1,300 windows, d = 2,500",
        [
            Cell(f"{name}, k = {k}", formula(k) if formula else None)
            for k in FACTOR_KS
            for name, (_, formula) in FACTORS.items()
        ],
        (MEASURED, FORMULA),
        unscaled,
        seeds=5,
        data=("images_gray512",),
        apart=(FORMULA,),
        note="""\
The paper's column is its formula. Ours is measured on projections without a factor: √ of the sum of the squared
distances over that of the projected ones. For SRP the paper has √(1/k) and says that the entries are 1, 0 and -1. Of
those the factor is √(3/k), which is what sqlrp multiplies by. √(1/k) belongs to the entries √3, 0 and -√3.""",
    ),
    Table(
        "subspace_times",
        "subspace",
        "RS, Figures 5 and 6: how many times longer than RS it takes to draw, or to learn, and to project",
        [
            *(Cell(f"images, k = {TIMED_KS['images']}: {name} / RS") for name in ("RP", "SRP", "PCA")),
            *(Cell(f"valid, k = {TIMED_KS['valid']}: {name} / RS") for name in ("RS, reflected", "RP", "SRP")),
        ],
        ("ours",),
        ratios,
        cases=tuple(TIMED_KS),
        seeds=3,
        digits=1,
        data=("images_gray512", "dorothea"),
        other="times depend on the machine",
        note="""\
The paper draws times in seconds. It says that RS is the fastest and PCA by far the slowest, that on Dorothea RS is
faster with and without the reflection, and that Gaussian RP was faster than SRP there. Here Gaussian RP is slower than
SRP. These are CPU times of 100 windows of each image, and of 100 rows of Dorothea.""",
    ),
)

if __name__ == "__main__":
    common.main(__doc__, TABLES)
