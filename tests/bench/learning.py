"""Learn from MNIST where it is: `python tests/bench/learning.py`, in DuckDB, PostgreSQL and Spark.

60,000 images become k = 1,000 polynomial-kernel features. `sqlrp.learn` is compared with fetching the features and
fitting scikit-learn's RidgeClassifier. The bars: `learn` takes at most as long; its coefficients are those of
scikit-learn to 1e-6; with `passes=8` it is within 1.5 points of LinearSVC on the same features, on the test images; the
scores of 10 folds are those of fitting each again. PostgreSQL takes minutes to project a few thousand rows, so that the
times there are of 2,000 rows, and on Spark of 20,000. `--data` is the folder of mnist.npz; without it the digits of
scikit-learn stand in.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from common import cpu, interleaved, markdown, verdict
from pyarrow import csv, parquet
from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifier
from sklearn.svm import LinearSVC

import sqlrp

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
ENGINES = ("duckdb", "postgresql", "spark")
RIDGES = [1e8, 1e10, 1e12]  # of features whose squares are near 1e10
FOLDS = 10
FEWER = {"postgresql": 2_000, "spark": 20_000}
"""The most rows of an engine whose projection takes long."""
PASSES = 8
POINTS = 1.5
CLOSE = 1e-6

Matrix = npt.NDArray[np.float64]


def images(folder: Path, rows: int | None) -> tuple[Any, Any, Any, Any]:
    """The pixels and labels to learn from, and those to test with."""
    path = folder / "mnist.npz"
    if path.exists():
        with np.load(path) as found:
            return found["X_train"][:rows], found["y_train"][:rows], found["X_test"][:rows], found["y_test"][:rows]
    print("mnist.npz is missing: the 1,797 digits of scikit-learn stand in", file=sys.stderr)
    x, y = load_digits(return_X_y=True)
    x = (x * 15).astype(np.uint8)
    return x[::2][:rows], y[::2][:rows], x[1::2][:rows], y[1::2][:rows]


def table_of(x: Any, y: Any) -> pa.Table:
    """A row for each image: id, label and pixels."""
    columns = {"id": np.arange(len(x)), "label": y.astype(np.int64)}
    return pa.table(columns | {f"p{j}": x[:, j].astype(np.int16) for j in range(x.shape[1])})


@contextmanager
def opened(name: str, table: pa.Table, folder: Path) -> Iterator[Any]:
    """A connection to an engine that has the table, as images."""
    with ExitStack() as stack:
        if name == "duckdb":
            con = stack.enter_context(duckdb.connect(folder / "images.duckdb"))
            con.register("loaded", table)
            con.execute("CREATE TABLE images AS FROM loaded")
            con.unregister("loaded")
            yield con
        elif name == "postgresql":
            sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
            from databases import opened as database

            found = stack.enter_context(contextmanager(database)(name, folder))
            pixels = ", ".join(f"{column} smallint" for column in table.column_names[2:])
            found.run(f"CREATE TABLE images (id bigint, label bigint, {pixels})")
            text = io.BytesIO()
            csv.write_csv(table, text, csv.WriteOptions(include_header=False))
            cursor = found.connection.connection.driver_connection.cursor()
            with cursor.copy("COPY images FROM STDIN (FORMAT csv)") as copy:
                copy.write(text.getvalue())
            found.run("ANALYZE images")
            yield found.connection
        else:
            from servers import Place, spark_session

            parquet.write_table(table, folder / "images.parquet")
            session = spark_session(Place(folder, stack=stack))
            session.read.parquet(str(folder / "images.parquet")).createOrReplaceTempView("images")
            session.sql("CREATE OR REPLACE TEMPORARY VIEW few AS SELECT * FROM images LIMIT 10")
            # The first job of a session takes ten seconds longer, whichever it is: Spark compiles, and starts workers.
            fetched(sqlrp.SparseProjection(k=2, s=1), session, "few")
            yield session


def fetched(projection: sqlrp.Projection, con: Any, table: str = "images") -> tuple[Matrix, Any, Any]:
    """The features, the labels and the keys."""
    rows = sqlrp.project(projection, sqlrp.Wide(table, keep=["label"]), con)
    rows = rows.toArrow() if hasattr(rows, "toArrow") else rows
    z = np.column_stack([rows.column(f"z{i}").to_numpy() for i in range(projection.k)])
    return z, rows.column("label").to_numpy(), rows.column("id").to_numpy()


def compared(name: str, rows: int, con: Any, projection: sqlrp.Projection, repeat: int) -> tuple[list[object], bool]:
    """A line of the table, and whether the bars hold."""
    models: dict[str, Any] = {}
    spent = {"learn": 0.0, "fetch": 0.0}
    server = backend(name, con)

    def here() -> None:
        begun = cpu(*server)
        z, y, _ = fetched(projection, con)
        models["fetch"] = RidgeClassifier(alpha=RIDGES[1]).fit(z, y)
        spent["fetch"] += cpu(*server) - begun

    def there() -> None:
        begun = cpu(*server)
        models["learn"] = sqlrp.learn(projection, "images", con, ridge=RIDGES[1])
        spent["learn"] += cpu(*server) - begun

    jobs: dict[str, Callable[[], None]] = {"learn": there, "fetch and fit": here}
    ours, theirs = interleaved(jobs, repeat, warm=False).values()
    model, want = models["learn"], models["fetch"]
    apart = float(np.abs(model.coef_ - want.coef_).max() / np.abs(want.coef_).max())
    holds = apart <= CLOSE and theirs.ratio(ours) >= 1
    times = [ours, theirs, f"{theirs.ratio(ours):.2f}", *(f"{spent[job] / repeat:.1f} s" for job in spent)]
    return [name, f"{rows:,}", *times, f"{spent['fetch'] / spent['learn']:.2f}", f"{apart:.1e}", model.how], holds


def backend(name: str, con: Any) -> list[int]:
    """PostgreSQL's process of the connection. Other engines work in this process or in those that it started."""
    return [con.exec_driver_sql("SELECT pg_backend_pid()").scalar()] if name == "postgresql" else []


def folds_agree(con: Any, projection: sqlrp.Projection) -> bool:
    """Whether the accuracy of every fold is that of a model fitted again on the other folds."""
    model = sqlrp.learn(projection, "images", con, ridge=RIDGES, folds=FOLDS)
    z, y, keys = fetched(projection, con)
    from sqlrp._evaluator.row_keys import fold_of

    fold = fold_of(pa.chunked_array([keys]), FOLDS, 0)
    worst = 0.0
    for found in model.scores:
        if found.ridge == model.ridge:
            held = fold == found.fold
            again = RidgeClassifier(alpha=found.ridge).fit(z[~held], y[~held]).score(z[held], y[held])
            worst = max(worst, abs(again - found.score) * float(held.sum()))
    print(f"{model!r}", model.table().to_pandas().to_string(index=False), sep="\n")
    print(f"{FOLDS} folds fitted again differ by at most {worst:.0f} rows")
    return worst < 0.5


def main() -> None:
    """Print the table; exit 1 where a bar does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of mnist.npz")
    parser.add_argument("--rows", type=int, default=None, help="how many images (all)")
    parser.add_argument("-k", type=int, default=1000, help="how many features (%(default)s)")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--engines", nargs="+", default=list(ENGINES), choices=ENGINES)
    parser.add_argument("--only-speed", action="store_true", help="leave out the folds and LinearSVC")
    options = parser.parse_args()
    x, y, x_test, y_test = images(options.data, options.rows)
    k = min(options.k, len(x) // 2)
    projection = sqlrp.PolynomialKernelProjection(k=k, p=2 * k, t=1, degree=2, c=255.0**2, seed=7)
    sqlrp.project(projection, table_of(x[:10], y[:10]), keep=["label"])  # imports and compiles what both sides use
    lines, holds = [], True
    with tempfile.TemporaryDirectory() as folder:
        for name in options.engines:
            n = min(len(x), FEWER.get(name, len(x)))
            with opened(name, table_of(x[:n], y[:n]), Path(folder)) as con:
                line, good = compared(name, n, con, projection, options.repeat)
                lines.append(line)
                holds &= good
                print(f"{name}: the bar {verdict(good)}", file=sys.stderr)
                if not options.only_speed and name == options.engines[0]:
                    holds &= folds_agree(con, projection)
                    holds &= near_svm(con, projection, x_test, y_test)
    heads = ["engine", "rows", "learn", "fetch and fit", "ratio", "CPU, learn", "CPU, fetch and fit", "ratio"]
    heads += ["largest difference", "how"]
    print(f"\n{x.shape[1]} features, k = {k:,}\n")
    print(markdown(heads, lines))
    sys.exit(not holds)


def near_svm(con: Any, projection: sqlrp.Projection, x: Any, y: Any) -> bool:
    """Whether the accuracy on the test rows is near that of LinearSVC, which has the better of two C."""
    tested = sqlrp.project(projection, table_of(x, y), keep=["label"])
    z_test = np.column_stack([tested.column(f"z{i}") for i in range(projection.k)])
    ours = 0.0
    ways: list[dict[str, Any]] = [{}, {"coding": "discriminant"}, {"passes": PASSES}]
    for way in ways:
        model = sqlrp.learn(projection, "images", con, **way)
        ours = float((model.predict(z_test) == y).mean())
        print(f"test accuracy of learn, {way or 'ridge'}: {ours:.2%}")
    z, labels, _ = fetched(projection, con)
    size, theirs = 255.0**2, 0.0
    for c in (0.0003, 0.003):
        svm = LinearSVC(C=c, dual=False, tol=1e-2, random_state=0).fit(z / size, labels)
        theirs = max(theirs, svm.score(z_test / size, y))
    print(f"test accuracy of LinearSVC: {theirs:.2%}; learn in {PASSES} passes is {100 * (ours - theirs):+.2f} points")
    return ours >= theirs - POINTS / 100


if __name__ == "__main__":
    main()
