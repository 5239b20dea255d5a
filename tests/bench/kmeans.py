"""k-means by `sqlrp.kmeans` in DuckDB and scikit-learn's: squares of whole rows around the means of the clusters.

The rows are those of an .npz file with an array x of shape (rows, features), or the 4,000 docstrings of
`sqlrp.samples`. scikit-learn clusters the whole rows, by ten starts. sqlrp clusters their components, principal ones
and those of a Hadamard rotation with a third as many. The ratio is that of the inertia of whole rows. CPU seconds are
those of this process, without the fit of the components. Run it with `python tests/bench/kmeans.py --data FILE`.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from sklearn.cluster import KMeans

import sqlrp
from sqlrp import samples


def inertia(x: Any, labels: Any) -> float:
    """The squares of rows around the means of their clusters."""
    return sum(float(((x[labels == c] - x[labels == c].mean(axis=0)) ** 2).sum()) for c in np.unique(labels))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="an .npz file with an array x")
    parser.add_argument("--components", type=int, default=32, help="principal components (%(default)s)")
    options = parser.parse_args()
    if options.data is None:
        x = np.array(samples.docstrings()["e"].to_pylist())
    else:
        with np.load(options.data) as held:
            x = held["x"]
    x = x.astype(np.float32)
    d = x.shape[1]
    print(f"{len(x):,} rows of {d} numbers\n")
    print("| clusters | components | inertia over scikit-learn's | passes | CPU s | scikit-learn's |")
    print(f"|{'---|' * 6}")
    with duckdb.connect() as con:
        lists = pa.FixedSizeListArray.from_arrays(pa.array(x.reshape(-1)), d)
        con.register("given", pa.table({"id": np.arange(len(x)), "e": lists}))
        con.execute("CREATE TABLE docs AS FROM given")
        source = sqlrp.Array("docs", "e")
        principal = sqlrp.fit(sqlrp.PrincipalComponents(k=options.components), source, con)
        hadamard = sqlrp.HadamardProjection(k=d // 3, seed=7, padding="least")
        for clusters in (8, 50):
            begun = time.process_time()
            whole = KMeans(clusters, n_init=10, random_state=0).fit(x)
            other = time.process_time() - begun
            made: tuple[tuple[str, sqlrp.Projection], ...] = (("principal", principal), ("Hadamard", hadamard))
            for name, projection in made:
                begun = time.process_time()
                model = sqlrp.kmeans(projection, source, con, clusters=clusters)
                spent = time.process_time() - begun
                labels = sqlrp.score(model, source, con).sort_by("id").column("class").to_numpy()
                ratio = inertia(x, labels) / inertia(x, whole.labels_)
                print(
                    f"| {clusters} | {projection.k} {name} | {ratio:.4f} | {model.passes} | {spent:.1f} | {other:.1f} |"
                )


if __name__ == "__main__":
    main()
