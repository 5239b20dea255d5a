"""Polynomial-kernel projection (PK-RP): distortion by p and k, and the accuracy of a linear classifier on it.

D. López Sánchez, *Random projection for polynomial kernels* (thesis), section 4.4.1: Tables 4.2 and 4.3 (mean
distortion of 500 rows of MNIST's test set, degree 2 and 3, t = 30, ten runs) and Table 4.4 (a linear SVM on projected
MNIST, degree 2, p = 488). SQL in DuckDB projects all rows. For Table 4.4 the SVM is scikit-learn's LinearSVC on
standardised features, trained on `--train` rows and scored on 10,000. (The thesis trains on all 60,000 rows and chooses
C by cross-validation.)
"""

from __future__ import annotations

import argparse

import common
import duckdb
import numpy as np
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import sqlrp
from sqlrp import quality

KS = (200, 500, 1000)
DISTORTION: dict[tuple[int, int, int], list[common.Figure]] = {  # degree, s, p
    (2, 1, 976): [(0.094, 0.004), (0.068, 0.008), (0.059, 0.008)],
    (2, 3, 976): [(0.098, 0.007), (0.072, 0.009), (0.060, 0.008)],
    (2, 1, 488): [(0.101, 0.004), (0.088, 0.012), (0.082, 0.017)],
    (2, 3, 488): [(0.113, 0.015), (0.095, 0.019), (0.092, 0.021)],
    (2, 1, 244): [(0.132, 0.018), (0.126, 0.028), (0.101, 0.020)],
    (2, 3, 244): [(0.122, 0.010), (0.116, 0.027), (0.118, 0.027)],
    (2, 1, 122): [(0.152, 0.028), (0.136, 0.013), (0.159, 0.038)],
    (2, 3, 122): [(0.177, 0.046), (0.150, 0.033), (0.159, 0.027)],
    (3, 1, 976): [(0.109, 0.009), (0.092, 0.018), (0.080, 0.016)],
    (3, 3, 976): [(0.114, 0.020), (0.117, 0.057), (0.088, 0.032)],
    (3, 1, 488): [(0.148, 0.035), (0.127, 0.041), (0.110, 0.024)],
    (3, 3, 488): [(0.134, 0.031), (0.124, 0.026), (0.131, 0.055)],
    (3, 1, 244): [(0.192, 0.075), (0.162, 0.053), (0.159, 0.053)],
    (3, 3, 244): [(0.209, 0.097), (0.169, 0.040), (0.149, 0.049)],
    (3, 1, 122): [(0.253, 0.080), (0.247, 0.119), (0.241, 0.090)],
    (3, 3, 122): [(0.232, 0.093), (0.213, 0.038), (0.271, 0.172)],
}
ACCURACY: dict[tuple[int, int], common.Figure] = {  # s, t; k = 1500, p = 488
    (1, 1): (96.90, 0.07),
    (1, 10): (96.97, 0.11),
    (3, 1): (97.00, 0.08),
    (3, 10): (97.03, 0.20),
}


def main() -> None:
    options = common.parser(__doc__, seeds=10)
    options.add_argument("--s", type=int, nargs="+", choices=(1, 3), default=(1, 3), help="the sparsities (1 3)")
    options.add_argument("--train", type=int, default=5_000, help="rows that the SVM is trained on (%(default)s)")
    options.add_argument("--tables", nargs="+", choices=("4.2", "4.3", "4.4"), default=("4.2", "4.3", "4.4"))
    given = common.parse(options)
    found = common.load(given.data, "mnist")
    if found is None:
        digits = load_digits()
        x, y = digits.data.astype(np.uint8), digits.target
        train, labels, test, answers = x[:1200], y[:1200], x[1200:], y[1200:]
    else:
        train, labels, test, answers = (found[name] for name in ("X_train", "y_train", "X_test", "y_test"))
    other = "" if found else "other data (digits)"
    for degree, table in ((2, "4.2"), (3, "4.3")):
        if table in given.tables:
            cases = [(d, s, p) for d, s, p in DISTORTION if d == degree and s in given.s]
            size, cases = (60, cases[-1:]) if given.quick else (500, cases)
            rows = [row for case in cases for row in distortions(test, case, size, given.seeds)]
            title = (
                f"PK-RP, Table {table}: mean distortion of {size} rows, degree {degree}, t = 30, {given.seeds} seeds"
            )
            common.show(title, rows, other=other)
    if "4.4" in given.tables:
        size = 400 if given.quick else given.train
        accuracy(train, labels, test, answers, size, given, other)


def distortions(test: np.ndarray, case: tuple[int, int, int], size: int, seeds: int) -> list[common.Row]:
    degree, s, p = case
    ours: list[list[float]] = [[] for _ in KS]
    with duckdb.connect() as con:
        for seed in range(seeds):
            sample = test[np.random.default_rng(seed).choice(len(test), size, replace=False)]
            source = common.store(con, "sample", sample)
            true = quality.squared_distances(quality.kernel_matrix(sample, (degree, 0.0)))
            for found, k in zip(ours, KS, strict=True):
                method = sqlrp.PolynomialKernelProjection(k=k, degree=degree, p=p, t=30, s=s, seed=seed)
                found.append(quality.mean_distortion(common.projected(method, source, con), true))
    return [common.Row(f"s = {s}, p = {p}, k = {k}", DISTORTION[case][i], ours[i]) for i, k in enumerate(KS)]


def accuracy(
    train: np.ndarray,
    labels: np.ndarray,
    test: np.ndarray,
    answers: np.ndarray,
    size: int,
    given: argparse.Namespace,
    other: str,
) -> None:
    """Table 4.4."""
    cases = [case for case in ACCURACY if case[0] in given.s][: 1 if given.quick else None]
    k, p = (100, 50) if given.quick else (1500, 488)
    chosen = np.random.default_rng(0).permutation(len(train))[:size]
    rows = [common.Row("the features", (91.81, 0.0), [score(train[chosen], labels[chosen], test, answers)])]
    with duckdb.connect() as con:
        source = common.store(con, "images", np.concatenate([train[chosen], test]))
        for s, t in cases:
            ours = []
            for seed in range(given.seeds):
                method = sqlrp.PolynomialKernelProjection(k=k, degree=2, p=p, t=t, s=s, seed=seed)
                z = common.projected(method, source, con)
                ours.append(score(z[: len(chosen)], labels[chosen], z[len(chosen) :], answers))
            rows.append(common.Row(f"s = {s}, t = {t}, p = {p}, k = {k}", ACCURACY[s, t], ours))
    fewer = f"{len(chosen):,} of 60,000 rows" if len(chosen) < 60_000 else ""
    title = f"PK-RP, Table 4.4: accuracy in % of a linear SVM trained on {len(chosen):,} rows, {given.seeds} seeds"
    common.show(title, rows, digits=2, other=other or fewer)


def score(x: np.ndarray, y: np.ndarray, test: np.ndarray, answers: np.ndarray) -> float:
    svm = make_pipeline(StandardScaler(), LinearSVC(C=0.001))
    return 100 * float(svm.fit(x, y).score(test, answers))


if __name__ == "__main__":
    main()
