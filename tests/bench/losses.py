"""Weights, logistic regression, standard errors: `python tests/bench/losses.py`, in DuckDB.

The bars are of the same projected rows. F1 of balanced `learn` beside balanced LinearSVC, on a8a and on a made set
with 3% of one class: within 0.03. The log loss of `coding="logistic"` beside LogisticRegression, on a8a and MNIST:
within 1%. The coefficients and standard errors of least squares beside statsmodels, or beside numpy's QR where
statsmodels is missing: 1e-8. The time of `learn` with the new options beside projecting, fetching and scikit-learn's
like: RidgeClassifier, TunedThresholdClassifierCV or LogisticRegression: at most as long.
`--data` is the folder of a8a.npz and mnist.npz; without one of them its rows are left out, and said to be.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from common import interleaved, markdown, verdict
from learning import fetched
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import f1_score, log_loss
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import sqlrp

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
PASSES = 300
FOLDS, LOGISTIC_RIDGE = 5, 100.0
CLOSE_F1, CLOSE_LOSS, CLOSE_OLS = 0.03, 0.01, 1e-8

Rows = tuple[Any, Any, Any, Any]
"""Rows and labels to learn from, then those to test with."""


def stored(con: Any, x: Any, y: Any) -> None:
    """The table `images` with a column for each feature."""
    columns = {"id": np.arange(len(x)), "label": np.asarray(y)}
    con.register("loaded", pa.table(columns | {f"p{j}": np.ascontiguousarray(x[:, j]) for j in range(x.shape[1])}))
    con.execute("CREATE OR REPLACE TABLE images AS FROM loaded")
    con.unregister("loaded")


def projected(projection: sqlrp.Projection, x: Any) -> Any:
    """The components of rows in memory."""
    table = sqlrp.project(projection, pa.table({f"p{j}": x[:, j] for j in range(x.shape[1])}), key=None)
    return np.column_stack([table.column(f"z{i}").to_numpy() for i in range(projection.k)])


def a8a(folder: Path) -> Rows | None:
    """Rows of 123 features, of which 24% are of one class."""
    path = folder / "a8a.npz"
    if not path.exists():
        return None
    with np.load(path) as found:
        shape, starts, at = found["shape"], found["indptr"], found["indices"]
        x = np.zeros(shape)
        x[np.repeat(np.arange(shape[0]), np.diff(starts)), at] = found["data"]
        y = (found["y"] > 0).astype(np.int64)
    train = np.arange(len(x)) % 3 > 0
    return x[train], y[train], x[~train], y[~train]


def made(rows: int = 30_000, d: int = 60) -> Rows:
    """Rows of which 3% are of one class, which lies apart in some features."""
    draw = np.random.default_rng(31)
    y = (draw.random(rows) < 0.03).astype(np.int64)
    x = draw.normal(size=(rows, d)) * draw.uniform(0.2, 5, d) + y[:, None] * (np.arange(d) < 8) * 0.8
    return x[::2], y[::2], x[1::2], y[1::2]


def mnist(folder: Path, rows: int) -> Rows | None:
    """Images, from 0 to 1."""
    path = folder / "mnist.npz"
    if not path.exists():
        return None
    with np.load(path) as found:
        parts = [found[name][:rows] for name in ("X_train", "y_train", "X_test", "y_test")]
    return parts[0] / 255, parts[1].astype(np.int64), parts[2] / 255, parts[3].astype(np.int64)


def of_rare_classes(name: str, data: Rows, projection: sqlrp.Projection) -> tuple[list[object], bool]:
    """F1 of the rare class, by models that weigh classes and standardize."""
    x, y, x_test, y_test = data
    with duckdb.connect() as con:
        stored(con, x, y)
        z_test, (z, labels, _) = projected(projection, x_test), fetched(projection, con)
        found = {}
        for said, more in (
            ("plain", {}),
            ("balanced", {"class_weight": "balanced", "standardize": True}),
            ("balanced, passes", {"class_weight": "balanced", "standardize": True, "passes": PASSES}),
        ):
            model = sqlrp.learn(projection, "images", con, **more)  # type: ignore[arg-type]
            found[said] = f1_score(y_test, model.predict(z_test))
        svm = make_pipeline(StandardScaler(), LinearSVC(C=0.5, class_weight="balanced", dual=False))
        theirs = f1_score(y_test, svm.fit(z, labels).predict(z_test))
    holds = max(found["balanced"], found["balanced, passes"]) >= theirs - CLOSE_F1
    return [name, *(f"{f:.3f}" for f in found.values()), f"{theirs:.3f}", verdict(holds)], holds


def of_losses(name: str, data: Rows, projection: sqlrp.Projection) -> tuple[list[object], bool]:
    """The log loss of logistic regression on the test rows, and the passes that it took."""
    x, y, x_test, y_test = data
    with duckdb.connect() as con:
        stored(con, x, y)
        model = sqlrp.learn(projection, "images", con, coding="logistic", standardize=True, passes=PASSES)
        z_test, (z, labels, _) = projected(projection, x_test), fetched(projection, con)
    ours = log_loss(y_test, model.predict_proba(z_test))  # type: ignore[attr-defined]
    own = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=2000)).fit(z, labels)
    theirs = log_loss(y_test, own.predict_proba(z_test))
    holds = abs(ours / theirs - 1) <= CLOSE_LOSS
    said = f"{model.passes}{'' if model.converged else ', not converged'}"
    return [name, f"{len(x):,}", projection.k, said, f"{ours:.5f}", f"{theirs:.5f}", verdict(holds)], holds


def of_least_squares() -> tuple[str, bool]:
    """The largest relative difference of coefficients and of standard errors."""
    x, _, _, _ = made(20_000, 30)
    y = x @ np.linspace(-1, 1, 30) + np.random.default_rng(1).normal(size=len(x))
    projection = sqlrp.SparseProjection(k=20, s=3, seed=5)
    with duckdb.connect() as con:
        stored(con, x, y)
        found = sqlrp.learn(projection, "images", con, ridge=0).inference()  # type: ignore[attr-defined]
        z, labels, _ = fetched(projection, con)
    design = np.column_stack([z, np.ones(len(z))])
    try:
        import statsmodels.api as sm

        fitted, by = sm.OLS(labels, design).fit(), "statsmodels"
        beta, errors = fitted.params, fitted.bse
    except ImportError:
        q, r = np.linalg.qr(design)
        beta, by = np.linalg.solve(r, q.T @ labels), "numpy's QR"
        variance = ((labels - design @ beta) ** 2).sum() / (len(z) - design.shape[1])
        errors = np.sqrt(variance * (np.linalg.inv(r) ** 2).sum(axis=1))
    pairs = ((found.column("value").to_numpy(), beta), (found.column("standard_error").to_numpy(), errors))
    apart = [float(np.abs(own / want - 1).max()) for own, want in pairs]
    holds = max(apart) <= CLOSE_OLS
    said = f"least squares beside {by}: coefficients {apart[0]:.1e}, standard errors {apart[1]:.1e}: {verdict(holds)}"
    return said, holds


def of_time(repeat: int) -> tuple[list[list[object]], bool]:
    """`learn` with the new options beside projecting, fetching and scikit-learn's like: 7,800 × 617 → 600.

    26 classes, or the first of them and the others for a threshold.
    """
    draw = np.random.default_rng(2)
    y = draw.integers(0, 26, 7_800)
    x = draw.normal(size=(26, 617))[y] + draw.normal(size=(7_800, 617)) * 3
    ridge, logistic = RidgeClassifier(class_weight="balanced"), LogisticRegression(C=1 / LOGISTIC_RIDGE, max_iter=1000)
    tuned = TunedThresholdClassifierCV(RidgeClassifier(), scoring="balanced_accuracy", cv=FOLDS)
    lines = of_options(
        (x, y),
        make_pipeline(StandardScaler(), ridge),
        {
            "plain": {},
            "standardize": {"standardize": True},
            "balanced": {"class_weight": "balanced"},
            "both": {"standardize": True, "class_weight": "balanced"},
        },
        repeat,
    )
    by_folds = {"folds": FOLDS, "scoring": "balanced_accuracy"}
    lines += of_options((x, y == 0), tuned, {"threshold of 5 folds": {"threshold": "folds"} | by_folds}, repeat)
    passes = {"logistic": {"coding": "logistic", "standardize": True, "ridge": LOGISTIC_RIDGE}}
    lines += of_options((x, y), make_pipeline(StandardScaler(), logistic), passes, repeat)
    return lines, all(line[-1] == verdict(True) for line in lines)


def of_options(data: tuple[Any, Any], peer: Any, options: dict[str, dict[str, Any]], repeat: int) -> list[list[object]]:
    """A line for each set of options of `learn`, beside fetching the components and fitting the peer."""
    projection = sqlrp.SparseProjection(k=600, s=3, seed=1)
    with duckdb.connect() as con:
        stored(con, *data)

        def here() -> None:
            z, labels, _ = fetched(projection, con)
            peer.fit(z, labels)

        jobs: dict[str, Callable[[], object]] = {"fetch and fit": here}
        for said, more in options.items():
            jobs[said] = partial(sqlrp.learn, projection, "images", con, **more)
        theirs, *ours = interleaved(jobs, repeat).values()
    ratios = [theirs.ratio(own) for own in ours]
    rows = zip(options, ours, ratios, strict=True)
    return [[said, own, theirs, f"{ratio:.2f}", verdict(ratio >= 1)] for said, own, ratio in rows]


def main() -> None:
    """Print the tables; exit 1 where a bar does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of a8a.npz and mnist.npz")
    parser.add_argument("--rows", type=int, default=20_000, help="how many images of MNIST (%(default)s)")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument(
        "--only", nargs="+", choices=["f1", "loss", "ols", "time"], default=["f1", "loss", "ols", "time"]
    )
    options = parser.parse_args()
    income, images = a8a(options.data), mnist(options.data, options.rows)
    for name, found in (("a8a", income), ("mnist", images)):
        if found is None:
            print(f"{name}.npz is missing: its rows are left out", file=sys.stderr)
    pk = sqlrp.PolynomialKernelProjection(k=200, degree=2, c=1, t=2, s=1, seed=7)
    rp = sqlrp.SparseProjection(k=100, s=3, seed=7)
    good = True
    if "f1" in options.only:
        sets = {
            "a8a, 100 components": (income, rp),
            "a8a, 200 of degree 2": (income, pk),
            "made, 3%": (made(), replace(rp, k=40)),
        }
        pairs = [of_rare_classes(name, data, p) for name, (data, p) in sets.items() if data is not None]
        good &= all(holds for _, holds in pairs)
        heads = ["F1", "plain", "balanced", f"balanced, up to {PASSES} passes", "LinearSVC, balanced", "bar"]
        print(markdown(heads, [line for line, _ in pairs]))
    if "loss" in options.only:
        small = sqlrp.SparseProjection(k=100, s=3, seed=7)
        sets = {"a8a": (income, small), "mnist": (images, small)}
        pairs = [of_losses(name, data, p) for name, (data, p) in sets.items() if data is not None]
        good &= all(holds for _, holds in pairs)
        heads = ["log loss", "rows", "k", "passes", "learn", "LogisticRegression", "bar"]
        print("", markdown(heads, [line for line, _ in pairs]), sep="\n")
    if "ols" in options.only:
        said, holds = of_least_squares()
        good &= holds
        print("", said, sep="\n")
    if "time" in options.only:
        lines, holds = of_time(options.repeat)
        good &= holds
        heads = ["7,800 × 617 → 600", "learn", "project, fetch, fit", "ratio", "bar"]
        print("", markdown(heads, lines), sep="\n")
    sys.exit(not good)


if __name__ == "__main__":
    main()
