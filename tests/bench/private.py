"""Accuracy of private ridge, and of diffprivlib's logistic regression at the same ε and clip.

    python tests/bench/private.py --data FOLDER [--diffprivlib PYTHON]

FOLDER has mnist.npz and a8a.npz, whose arrays `mnist` and `a8a` name. PYTHON is another interpreter with
diffprivlib, as that package may need an older scikit-learn. Both get the same projected rows. The clip is a number
near the median length of a row.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from scipy import sparse
from sklearn.linear_model import RidgeClassifier

import sqlrp

EPSILONS, DELTA, DRAWS = (0.25, 1.0, 4.0), 1e-6, 5
PEER = """
import sys, warnings
import numpy as np
from diffprivlib.models import LogisticRegression
warnings.simplefilter("ignore")
d = np.load(sys.argv[1])
for epsilon in map(float, sys.argv[3:]):
    found = []
    for draw in range(3):
        model = LogisticRegression(epsilon=epsilon, data_norm=float(sys.argv[2]), max_iter=200, random_state=draw)
        z = d["z"] * np.minimum(1, float(sys.argv[2]) / np.linalg.norm(d["z"], axis=1))[:, None]
        found.append(model.fit(z, d["y"]).score(d["other"], d["truth"]))
    print(epsilon, *found, flush=True)
"""


def mnist(folder: Path) -> Any:
    """`X_train`, `y_train`, `X_test`, `y_test`; polynomial-kernel features of degree 2."""
    d = np.load(folder / "mnist.npz")
    pk = sqlrp.PolynomialKernelProjection(k=400, p=488, t=10, degree=2, c=1.0, s=28, seed=7)
    return pk, 80.0, d["X_train"] / 255.0, d["y_train"], d["X_test"] / 255.0, d["y_test"]


def a8a(folder: Path) -> Any:
    """`data`, `indices`, `indptr` and `y` of sparse rows; the first 16,000 to learn from, and the others to test."""
    d = np.load(folder / "a8a.npz")
    x = sparse.csr_matrix((d["data"].astype(float), d["indices"], d["indptr"])).toarray()
    return sqlrp.HadamardProjection(k=128, seed=7), 4.0, x[:16_000], d["y"][:16_000], x[16_000:], d["y"][16_000:]


def table(x: Any, y: Any) -> pa.Table:
    cells = pa.FixedSizeListArray.from_arrays(pa.array(x.ravel()), x.shape[1])
    return pa.table({"id": np.arange(len(x)), "x": cells, "y": y.astype(np.int64)})


def main() -> None:
    """Print a line for each data set and ε."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--diffprivlib", metavar="PYTHON")
    given = parser.parse_args()
    for load in (mnist, a8a):
        projection, clip, x, y, other, truth = load(given.data)
        con = duckdb.connect(config={"threads": 2})
        for name, own in (("rows", table(x, y)), ("others", table(other, truth))):
            con.register("own", own)
            con.execute(f"CREATE TABLE {name} AS SELECT id, x::DOUBLE[{x.shape[1]}] AS x, y FROM own")
        z, z_other = (sqlrp.project(projection, sqlrp.Array(name, "x"), con) for name in ("rows", "others"))
        z, z_other = (
            np.column_stack([each.column(f"z{i}") for i in range(projection.k)])[np.argsort(each["id"])]
            for each in (z, z_other)
        )
        plain = RidgeClassifier(alpha=1.0).fit(z, y).score(z_other, truth)
        print(f"{load.__name__}: k = {projection.k}, clip = {clip:g}, without noise {plain:.3f}")
        peer: dict[float, list[float]] = {}
        if given.diffprivlib:
            with tempfile.NamedTemporaryFile(suffix=".npz") as file:
                np.savez(file, z=z, y=y, other=z_other, truth=truth)
                file.flush()
                command = [given.diffprivlib, "-c", PEER, file.name, str(clip), *map(str, EPSILONS)]
                said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            peer = {float(line.split()[0]): [float(cell) for cell in line.split()[1:]] for line in said.splitlines()}
        for epsilon in EPSILONS:
            privacy = sqlrp.Privacy(epsilon, DELTA, clip, classes=np.unique(y).tolist())
            start, found = time.perf_counter(), []
            for _ in range(DRAWS):
                model = sqlrp.learn(projection, sqlrp.Array("rows", "x"), con, "y", privacy=privacy)
                found.append(float((model.predict(z_other) == truth).mean()))
            took = (time.perf_counter() - start) / DRAWS
            line = f"  ε = {epsilon:g}: {np.mean(found):.3f} ± {np.std(found):.3f} in {took:.1f} s"
            if epsilon in peer:
                line += f"; diffprivlib {np.mean(peer[epsilon]):.3f} ± {np.std(peer[epsilon]):.3f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
