"""Are the verdicts of `diagnose` and its advice right? `python tests/bench/verdicts.py` asks 200 random data sets.

Every data set is projected by several methods. A sample of 150 rows, less than a tenth of them, gives the interval of
the mean distortion, the verdict `Report.reaches`, and the advice; the truth is the mean over all pairs of the 1,600
rows. The command prints how often the interval contains the truth, how often the sample's mean and the verdict are
wrong about a wanted distortion, how often the advised parameters reach it, and how often what is said to be out of
reach, or to keep every distance, is not so.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from common import markdown

import sqlrp
from sqlrp._quality.advice import advice
from sqlrp._run.frames.matrix import project_array
from sqlrp._run.row_sample import chosen_rows

ROWS, SAMPLE = 1_600, 150
FEATURES = 20, 300
"""From so many features on, and below so many."""
NEAR = 1.05
"""A distortion counts as nearly reached up to this multiple."""

SHARES = [
    ("mean_false", "mean"),
    ("sure_false", "sure"),
    ("reached", "advised"),
    ("nearly", "advised"),
    ("refused_false", "refused"),
    ("every_false", "every"),
]
"""The counts of each column after the first."""

Matrix = npt.NDArray[np.float64]


def data_sets(count: int) -> Iterator[tuple[str, Matrix]]:
    """Random rows of several kinds."""
    for seed in range(count):
        draw = np.random.default_rng(seed)
        d = int(draw.integers(*FEATURES))
        kind = ("normal", "heavy tails", "counts", "clusters", "scales")[seed % 5]
        x = draw.normal(size=(ROWS, d))
        if kind == "heavy tails":
            x = np.sign(x) * np.exp(draw.normal(size=(ROWS, d)))
        elif kind == "counts":
            x = draw.poisson(0.3 * draw.gamma(0.5, size=d), size=(ROWS, d)).astype(float)
            x[:, 0] += 1
        elif kind == "clusters":
            x = 0.5 * x + draw.normal(size=(6, d))[draw.integers(0, 6, ROWS)] * 2
        elif kind == "scales":
            x *= draw.gamma(1.0, size=d)
        yield kind, x


def methods(draw: np.random.Generator, x: Matrix) -> dict[str, sqlrp.Projection]:
    """The methods, with a random k. The radial kernel has the width that scikit-learn calls "scale"."""
    k, seed = 4 * int(draw.integers(3, 25)), int(draw.integers(1 << 30))
    d = x.shape[1]
    gamma = float(1 / (d * x.var()))
    return {
        "SparseProjection, s = 1": sqlrp.SparseProjection(k=k, s=1, seed=seed),
        "SparseProjection, s = 3": sqlrp.SparseProjection(k=k, s=3, seed=seed),
        "GaussianProjection": sqlrp.GaussianProjection(k=k, seed=seed),
        "SparseEmbedding": sqlrp.SparseEmbedding(k=k, seed=seed),
        "HadamardProjection": sqlrp.HadamardProjection(k=k, seed=seed),
        "SparseEmbedding, two levels": sqlrp.SparseEmbedding(k=k, nnz_per_feature=2, buckets=2, seed=seed),
        "RandomSubspace": sqlrp.RandomSubspace(k=min(k, d), seed=seed),
        "RandomSubspace, stratified": sqlrp.RandomSubspace(k=min(k, d), seed=seed, stratified=True),
        "PolynomialKernelProjection": sqlrp.PolynomialKernelProjection(k=k, s=1, t=4, p=4 * k, seed=seed),
        "Degree2KernelProjection": sqlrp.Degree2KernelProjection(k=k, seed=seed),
        "Degree2KernelProjection, modified": sqlrp.Degree2KernelProjection(k=k, modified=True, seed=seed),
        "ExplicitPolynomialProjection": sqlrp.ExplicitPolynomialProjection(k=k, seed=seed),
        "RandomMaclaurin": sqlrp.RandomMaclaurin(k=k, seed=seed),
        "TensorSketch": sqlrp.TensorSketch(k=k, seed=seed),
        "DataTunedProjection": sqlrp.DataTunedProjection(k=k, seed=seed, n_iter=100, sample=100),
        "NystroemProjection": sqlrp.NystroemProjection(k=k, seed=seed, sample=200),
        "NystroemProjection, rbf": sqlrp.NystroemProjection(k=k, seed=seed, sample=200, kernel_name="rbf", gamma=gamma),
        "KernelGaussianProjection": sqlrp.KernelGaussianProjection(k=k, t=30, seed=seed, sample=200),
        "KernelGaussianProjection, rbf": sqlrp.KernelGaussianProjection(
            k=k, t=30, seed=seed, sample=200, kernel_name="rbf", gamma=gamma
        ),
        "PrincipalComponents": sqlrp.PrincipalComponents(k=min(k, d) // 2, seed=seed, sample=200),
    }


def truth(projection: sqlrp.Projection, x: Matrix) -> float:
    """The mean distortion over all pairs of rows."""
    z, kernel = project_array(projection, x), projection.kernel().matrix(x)
    true = sqlrp.quality.squared_distances(kernel)
    return sqlrp.quality.mean_distortion(z, true)


def ready(projection: sqlrp.Projection, frame: pd.DataFrame) -> sqlrp.Projection:
    """The projection, fitted on rows of the frame if it learns."""
    return sqlrp.fit(projection, frame, key=None) if projection.learns else projection


def loses(projection: sqlrp.Projection, k: int, x: Matrix, drawn: Matrix, wanted: float) -> bool:
    """Whether k components lose a distance that advice says they keep: of all rows, or of those drawn."""
    rows, more = drawn if isinstance(projection, sqlrp.RandomSubspace) else x, projection.resized(k)
    assert more is not None
    true = sqlrp.quality.squared_distances(rows @ rows.T)
    return bool((sqlrp.quality.distortion(project_array(more, rows), true) > wanted + 1e-9).any())


def judged(projection: sqlrp.Projection, x: Matrix, draw: np.random.Generator) -> dict[str, int]:
    """The counts of one data set and method."""
    frame = pd.DataFrame(x, columns=[f"f{j}" for j in range(x.shape[1])])
    projection = ready(projection, frame)
    report = sqlrp.diagnose(projection, frame, sample=SAMPLE, key=None)
    found, real = report.distortion_interval, truth(projection, x)
    wanted = report.expected_distortion * draw.uniform(0.6, 1.4)
    said: dict[str, Any] = {
        "sets": 1,
        "inside": found.low <= real <= found.high,
        "mean": report.distortion.mean <= wanted,
        "mean_false": report.distortion.mean <= wanted < real,
        "sure": report.reaches(wanted) is not None,
        "sure_false": report.reaches(wanted) is not None and report.reaches(wanted) != (real <= wanted),
    }
    drawn = x[chosen_rows(len(x), SAMPLE, projection.measuring_seed)]
    for each in advice(report, x.shape[1], len(x), wanted, drawn):
        if each.projection is not None:
            better = truth(ready(each.projection, frame), x)
            said |= {"advised": 1, "reached": better <= wanted, "nearly": better <= NEAR * wanted}
        elif each.kind == "change" and re.match("No k", each.text):
            least = projection.kernel().linear and not projection.learns
            most = projection.resized(x.shape[1] - 1) if least else None
            said |= {"refused": 1, "refused_false": most is not None and truth(most, x) <= wanted}
        if told := re.search(r"every squared distance between .* from k = ([\d,]+) on", each.text):
            said |= {"every": 1, "every_false": loses(projection, int(told[1].replace(",", "")), x, drawn, wanted)}
    return {name: int(value) for name, value in said.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--methods", default="", help="only those whose names match this regular expression")
    parser.add_argument(
        "--out", type=Path, help="write the table to this file, too; rows of it for methods that are not asked stay"
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore", sqlrp.SqlrpWarning)  # of a k above the number of features
    counts: dict[str, dict[str, int]] = {}
    for i, (_, x) in enumerate(data_sets(options.sets)):
        print(f"{i} of {options.sets}", end="\r", file=sys.stderr, flush=True)
        draw = np.random.default_rng(10_000 + i)
        for name, projection in methods(draw, x).items():
            if not re.search(options.methods, name):
                continue
            for what, n in judged(projection, x, draw).items():
                own = counts.setdefault(name, {})
                own[what] = own.get(what, 0) + n
    if options.out is not None and options.out.is_file():
        counts = kept(options.out.read_text(encoding="utf-8"), options.sets) | counts
    every = {k: sum(c.get(k, 0) for c in counts.values()) for k in _all(counts)}
    lines = [line(name, n) for name, n in [*counts.items(), ("all", every)]]
    heads = ["method", "interval contains the truth", "mean below wanted, wrongly", "`reaches` is wrong"]
    heads += [
        "advice reaches it",
        f"within {NEAR - 1:.0%}",
        "out of reach, wrongly",
        "every distance is kept, wrongly",
    ]
    text = f"{options.sets} data sets of {ROWS:,} rows, samples of {SAMPLE}\n\n{markdown(heads, lines)}"
    print(text)
    if options.out is not None:
        options.out.write_text(
            f"# Verdicts and advice\n\n`python tests/bench/verdicts.py --sets {options.sets}`: {text}\n",
            encoding="utf-8",
        )


def line(name: str, n: dict[str, int]) -> list[str]:
    """The row of a method."""
    shares = (f"{n.get(part, 0)} of {n.get(whole, 0)}" for part, whole in SHARES)
    return [name, f"{n['inside'] / n['sets']:.1%}", *shares]


def kept(text: str, sets: int) -> dict[str, dict[str, int]]:
    """The counts of a table of so many data sets that was written before; of another number, none."""
    found: dict[str, dict[str, int]] = {}
    for row in re.findall(r"^\| (.*\d of \d.*) \|$", text, re.MULTILINE) if f": {sets} data sets" in text else []:
        name, inside, *cells = (cell.strip() for cell in row.split("|"))
        n = {"sets": sets, "inside": round(float(inside.rstrip("%")) * sets / 100)}
        for (part, whole), cell in zip(SHARES, cells, strict=True):
            n[part], n[whole] = map(int, cell.split(" of "))
        found[name] = n
    return {name: n for name, n in found.items() if name != "all"}


def _all(counts: dict[str, dict[str, int]]) -> set[str]:
    return {name for own in counts.values() for name in own}


if __name__ == "__main__":
    main()
