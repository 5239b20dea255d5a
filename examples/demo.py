"""Load real images into DuckDB, project them by SQL, and measure how well distances and classes are kept.

Run it with `make demo`. The data comes with scikit-learn: 1,797 handwritten digits of 8 × 8 pixels, and windows
of 50 × 50 pixels cut from its two photographs.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from sklearn.datasets import load_digits, load_sample_images
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import euclidean_distances
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sqlrp

SEEDS = range(10)
SAMPLE = 300


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) if len(sys.argv) < 2 else Path(sys.argv[1])
        with duckdb.connect(str(path / "demo.duckdb")) as con:
            sqlrp.install(con)
            load(con)
            distances(con)
            classes(con)
            text(con)


def load(con: duckdb.DuckDBPyConnection) -> None:
    """Make two tables with one column per pixel. The first projected rows are shown at once."""
    digits = load_digits()
    store(con, "digits", digits.data.astype(np.uint8), digits.target)
    print("\nFROM rp_project('digits', k := 4, keep := ['label']) ORDER BY id LIMIT 3;")
    con.sql("FROM rp_project('digits', k := 4, keep := ['label']) ORDER BY id LIMIT 3").show()
    windows = np.concatenate([cut(image.mean(axis=2)) for image in load_sample_images().images])
    store(con, "windows", windows.astype(np.uint8), np.zeros(len(windows), dtype=np.int64))


def cut(photograph: np.ndarray, size: int = 50, step: int = 25) -> np.ndarray:
    views = np.lib.stride_tricks.sliding_window_view(photograph, (size, size))[::step, ::step]
    return views.reshape(-1, size * size)


def store(con: duckdb.DuckDBPyConnection, name: str, x: np.ndarray, y: np.ndarray) -> None:
    columns = {"id": pa.array(np.arange(len(x))), "label": pa.array(y)}
    columns |= {f"p{j}": pa.array(x[:, j]) for j in range(x.shape[1])}
    con.register("loaded", pa.table(columns))
    con.execute(f"CREATE TABLE {name} AS FROM loaded")
    con.unregister("loaded")
    print(f"table {name}: {len(x):,} rows x {x.shape[1]:,} pixels")


def matrix(con: duckdb.DuckDBPyConnection, query: str) -> np.ndarray:
    """The feature columns of a query's rows, in the order of their ids."""
    frame = con.execute(f"FROM ({query}) ORDER BY id").df()
    return frame.drop(columns=[c for c in ("id", "label") if c in frame]).to_numpy(dtype=float)


def mean_distortion(before: np.ndarray, after: np.ndarray) -> float:
    """Mean relative error of the squared distances of all pairs."""
    pairs = np.triu_indices(len(before), 1)
    was = euclidean_distances(before, squared=True)[pairs]
    return float(np.mean(np.abs(euclidean_distances(after, squared=True)[pairs] - was) / was))


def distances(con: duckdb.DuckDBPyConnection) -> None:
    print(f"\nDistances of all pairs of {SAMPLE} rows, before and after rp_project:")
    print(f"mean relative error over {len(SEEDS)} seeds, and the theory's for Gaussian weights")
    print(f"{'table':<9}{'features':>9}{'k':>5}{'measured':>10}{'2/sqrt(pi k)':>14}")
    for table in ("digits", "windows"):
        con.execute(f"CREATE TABLE sampled AS FROM {table} ORDER BY md5(id::VARCHAR) LIMIT {SAMPLE}")
        before = matrix(con, "FROM sampled")
        for k in (40, 80, 160):
            calls = [f"FROM rp_project('sampled', k := {k}, seed := {seed}, keep := ['label'])" for seed in SEEDS]
            error = np.mean([mean_distortion(before, matrix(con, call)) for call in calls])
            print(f"{table:<9}{before.shape[1]:>9,}{k:>5}{error:>10.4f}{2 / math.sqrt(math.pi * k):>14.4f}")
        con.execute("DROP TABLE sampled")


def classes(con: duckdb.DuckDBPyConnection) -> None:
    print("\nAccuracy of classifiers of digits, trained on one half and scored on the other")
    jobs = {
        "the 64 pixels": "FROM digits",
        "rp_project to 32": "FROM rp_project('digits', k := 32, s := 3, seed := 7, keep := ['label'])",
        "pk_project to 512": "FROM pk_project('digits', k := 512, degree := 2, c := 1, seed := 7, keep := ['label'])",
    }
    labels = con.execute("SELECT label FROM digits ORDER BY id").fetchnumpy()["label"]
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    print(f"{'features':<20}{'nearest neighbour':>18}{'linear classifier':>19}{'projected in':>14}")
    for name, query in jobs.items():
        start = time.perf_counter()
        x = matrix(con, query)
        taken = time.perf_counter() - start
        halves = train_test_split(x, labels, test_size=0.5, random_state=0, stratify=labels)
        scores = [
            model.fit(halves[0], halves[2]).score(halves[1], halves[3]) for model in (KNeighborsClassifier(1), linear)
        ]
        print(f"{name:<20}{scores[0]:>18.1%}{scores[1]:>19.1%}{taken:>12.2f} s")


def text(con: duckdb.DuckDBPyConnection) -> None:
    print("\nThe SQL behind pk_project('digits', k := 512, …), cut:")
    pk = sqlrp.PolynomialKernelProjection(k=512, degree=2, c=1, seed=7)
    source = sqlrp.Wide("digits", keep=["label"])
    written = sqlrp.sql(pk, source, con)
    for line in written.splitlines():
        print(f"  {line[:150]}{' …' if len(line) > 150 else ''}")
    print(f"\n{sqlrp.explain(pk, source, con)}")


if __name__ == "__main__":
    main()
