"""Are the tails of our signs those of independent signs? `python tests/bench/tails.py` counts them.

The proofs behind `min_k` with "jl" and "svm" take independent signs. Any eight entries of ours are independent, which
settles the first four moments of ‖f(x)‖² and not its exponential tails. So the tails are measured. Of a million pairs
of a table and a row it counts how many have ‖f(x)‖²/‖x‖² outside 1 ± ε, by our tables and by numpy's generator.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import draw_signs

RESULTS = Path(__file__).with_name("results")
D, K, ROWS = 64, 32, 50
EPSILONS = (0.25, 0.5, 0.75, 1.0, 1.25)
Floats = npt.NDArray[np.float64]


def rows() -> Floats:
    """Rows of unit length: normal ones, sparse ones, and those of a few large entries."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, D))
    x[1::3] *= rng.random((len(x[1::3]), D)) < 0.1
    x[2::3] **= 3
    x[:, 0] += 1e-3  # none is zero
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True))


def counted(x: Floats, s: float, tables: int) -> tuple[Floats, Floats, Floats]:
    """For each ε the parts of ours and of numpy's that leave 1 ± ε, and the standard error of their difference."""
    rng = np.random.default_rng(1)
    features = np.arange(D)
    by_table = np.zeros((2, len(EPSILONS), tables))
    for table in range(tables):
        ours = draw_signs(features, K, s, table)
        chance = rng.random(ours.shape)
        theirs = np.where(chance < 1 / (2 * s), 1, np.where(chance < 1 / s, -1, 0))
        for side, signs in enumerate((ours, theirs)):
            sizes = s / K * ((x @ signs) ** 2).sum(axis=1)
            for place, eps in enumerate(EPSILONS):
                by_table[side, place, table] = np.mean(np.abs(sizes - 1) > eps)
    # The rows of one table are not independent, so the tables are the sample.
    error = np.sqrt(by_table.var(axis=2).sum(axis=0) / tables)
    return by_table[0].mean(axis=1), by_table[1].mean(axis=1), error


def bound(eps: float) -> float:
    """Achlioptas' bound on both tails (2003, lemma 5.1): 2·exp(-k/2·(ε²/2 - ε³/3)), for ε < 1."""
    return 2 * math.exp(-K / 2 * (eps**2 / 2 - eps**3 / 3))


def page(tables: int) -> str:
    x = rows()
    lines = [
        "# Tails\n",
        "Written by `python tests/bench/tails.py`. How often ‖f(x)‖²/‖x‖² leaves 1 ± ε:",
        f"{tables * ROWS:,} pairs of a table and a row for each s, d = {D}, k = {K}.",
        "The difference is in standard errors. The bound is Achlioptas', for s = 1 and 3.\n",
        "| s | ε | our signs | independent signs | difference | bound |",
        "|---|---|---|---|---|---|",
    ]
    for s in (1, 3, 8):
        for eps, ours, theirs, error in zip(EPSILONS, *counted(x, s, tables), strict=True):
            apart = f"{(ours - theirs) / error:+.1f}" if error else "0"
            proved = f"{bound(eps):.2g}" if s <= 3 and eps < 1 else ""
            lines.append(f"| {s} | {eps} | {ours:.6f} | {theirs:.6f} | {apart} | {proved} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=20_000, help="for each s; a table meets 50 rows")
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    text = page(given.tables)
    (given.results / "tails.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
