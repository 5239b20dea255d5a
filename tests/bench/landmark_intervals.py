"""Why do intervals miss where there are landmarks? `python tests/bench/landmark_intervals.py` takes fresh samples.

The data sets and methods are those of `verdicts.py`, and each projection is fitted once. Many samples of the same rows
then say how often the interval contains the mean distortion of all rows: all samples, those with few landmarks, and
samples without the landmarks, beside the mean of all other rows. So the draw of the landmarks has no part in it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import verdicts
from common import markdown

import sqlrp
from sqlrp._quality.measures import distortion, interval, squared_distances
from sqlrp._run.frames.matrix import project_array

ALL, NONE, FEWER, MORE = "every sample", "no landmark in it", "fewer than expected", "as many or more"
WITHOUT = "landmarks left out"
Pairs = tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]


def pairs(projection: sqlrp.Projection, x: verdicts.Matrix) -> Pairs:
    """The distortion of each pair of rows, and which pairs are apart: both of shape (rows, rows)."""
    true = squared_distances(projection.kernel().matrix(x))
    lost, apart = np.zeros((len(x), len(x))), np.zeros((len(x), len(x)), dtype=bool)
    of = np.triu_indices(len(x), 1)
    apart[of] = true > 0
    lost[apart] = distortion(project_array(projection, x), true)
    return lost + lost.T, apart | apart.T


def contains(every: Pairs, sample: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]) -> bool:
    """Whether the interval of a sample contains the mean of the pairs of `rows`."""
    (lost, apart), (drawn, counted) = ([part[np.ix_(at, at)] for part in every] for at in (rows, sample))
    found = interval(counted.sum(axis=1), drawn.sum(axis=1))
    return bool(found.low <= lost.sum() / apart.sum() <= found.high)


def asked(
    method: sqlrp.NystroemProjection | sqlrp.KernelGaussianProjection, x: verdicts.Matrix, seed: int, samples: int
) -> Iterator[tuple[str, bool]]:
    """For each sample of a fitted projection what it is, and whether its interval is right."""
    rng = np.random.default_rng(seed)
    fitted = method.fit(x[rng.permutation(len(x))[: method.sample_size]])
    scale = fitted.arrays.get("gamma", 1.0) if fitted.kernel_name == "polynomial" else 1.0
    kept = {row.tobytes() for row in np.ascontiguousarray(fitted.arrays["landmarks"].T / scale)}
    landmark = np.array([np.ascontiguousarray(row).tobytes() in kept for row in x])
    every, others = pairs(fitted, x), np.flatnonzero(~landmark)
    for _ in range(samples):
        sample = rng.permutation(len(x))[: verdicts.SAMPLE]
        count, right = landmark[sample].sum(), contains(every, sample, np.arange(len(x)))
        yield ALL, right
        yield NONE if not count else FEWER if count < landmark.mean() * len(sample) else MORE, right
        yield WITHOUT, contains(every, sample[~landmark[sample]], others)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--samples", type=int, default=12, help="of each data set and method")
    parser.add_argument("--out", type=Path, help="write the table to this file, too")
    options = parser.parse_args()
    counts: dict[str, Counter[tuple[str, bool]]] = {}
    for seed, (_, x) in enumerate(verdicts.data_sets(options.sets)):
        for name, method in verdicts.methods(np.random.default_rng(10_000 + seed), x).items():
            if isinstance(method, sqlrp.NystroemProjection | sqlrp.KernelGaussianProjection):
                counts.setdefault(name, Counter()).update(asked(method, x, seed, options.samples))
    whats = (ALL, NONE, FEWER, MORE, WITHOUT)
    lines = [[name, *(share(n[what, True], n[what, False]) for what in whats)] for name, n in counts.items()]
    text = f"{options.sets} data sets of {verdicts.ROWS:,} rows, {options.samples} samples of {verdicts.SAMPLE} each: "
    text += f"how often the interval contains the mean\n\n{markdown(['method', *whats], lines)}"
    print(text)
    if options.out is not None:
        command = f"python tests/bench/landmark_intervals.py --sets {options.sets} --samples {options.samples}"
        options.out.write_text(f"# Intervals with landmarks\n\n`{command}`: {text}\n", encoding="utf-8")


def share(right: int, wrong: int) -> str:
    return f"{right / (right + wrong):.1%} of {right + wrong:,}" if right + wrong else "–"


if __name__ == "__main__":
    main()
