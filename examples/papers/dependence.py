"""How dependent the entries of a projection vector in the feature space are, and what minimising repetition gains.

D. López Sánchez, *Random projection for polynomial kernels* (thesis), Figures 3.1 to 3.3, 4.1 to 4.3 (matrices of the
correlation and of the distance correlation of entries) and 4.6 (k = 300, degree 2, by t and p). The figures are
pictures, so no cell has a figure of the paper.
"""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, product

import common
import numpy as np
import polynomial
from tables import Cell, Table, Values, Work

import sqlrp
from sqlrp import quality

DRAWS, D = 500, 5
"""As Figures 4.1 and 4.2. Figure 3.2 has 1,000 draws."""
CORRELATION, DISTANCE = "mean |correlation|", "mean distance correlation"
KINDS = ("independent entries", "t = 1", "t = 30")
SHARED = ("no factor in common", "one factor in common")
K, TS, PS = 300, (1, 10, 30), (122, 244, 488, 976)
WITH, WITHOUT = "repetition minimised", "vectors chosen at random"


def entries(kind: str, vectors: str, rng: np.random.Generator) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Projection vectors in the feature space of degree 2, one a row, and the factors of each entry."""
    signs = vectors == "signs"
    pairs = list(combinations_with_replacement(range(D), 2) if signs else product(range(D), repeat=2))

    def draw(*shape: int) -> np.ndarray:
        """Signs with s = 3, or normal numbers, of variance 1."""
        if signs:
            return rng.choice([-(3**0.5), 0.0, 3**0.5], size=shape, p=[1 / 6, 2 / 3, 1 / 6])
        return rng.normal(size=shape)

    if kind == KINDS[0]:
        return draw(DRAWS, len(pairs)), pairs
    t = int(kind.removeprefix("t = "))
    first = draw(DRAWS, t, D)
    second = first * (-1.0) ** np.arange(t)[:, None] if signs else draw(DRAWS, t, D)
    return np.stack([(first[..., i] * second[..., j]).sum(axis=1) for i, j in pairs], axis=1) / np.sqrt(t), pairs


def distance_correlation(x: np.ndarray) -> np.ndarray:
    """The distance correlation of all pairs of columns (Székely et al. 2007): shape (columns, columns)."""
    centred = []
    for column in x.T:
        apart = np.abs(column[:, None] - column)
        centred.append((apart - apart.mean(axis=0) - apart.mean(axis=1)[:, None] + apart.mean()).reshape(-1))
    flat = np.array(centred)
    covariance = np.maximum(flat @ flat.T, 0)
    spread = np.sqrt(np.diag(covariance))
    scale = np.outer(spread, spread)
    return np.sqrt(np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0))


def dependence(work: Work) -> Values:
    """The two measures, over pairs of entries that share a factor, and over those that share none."""
    vectors, kind = work.case.split(", ")
    x, factors = entries(kind, vectors, np.random.default_rng(work.seed))
    measures = {CORRELATION: np.abs(np.corrcoef(x.T)), DISTANCE: distance_correlation(x)}
    found: dict[str, dict[str, float]] = {}
    for reading, matrix in measures.items():
        for common_factors, label in enumerate(SHARED):
            values = [
                matrix[i, j]
                for i, j in combinations(range(len(factors)), 2)
                if len(set(factors[i]) & set(factors[j])) == common_factors
            ]
            found.setdefault(reading, {})[f"{work.case}, {label}"] = float(np.mean(values))
    return found


def repetition(work: Work) -> Values:
    """The mean distortion of 500 rows of MNIST with and without the minimised repetition, on the same vectors."""
    t, p = (int(part.split(" = ")[1]) for part in work.case.split(", "))
    x = polynomial.sample(work, polynomial.digits(work))
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    true = quality.squared_distances(quality.kernel_matrix(x, (2, 0.0)))
    found = {}
    for reading in (WITH, WITHOUT):
        method = sqlrp.PolynomialKernelProjection(
            k=K, degree=2, p=p, t=t, s=1, seed=work.seed, minimise_repetition=reading == WITH
        )
        found[reading] = {work.case: quality.mean_distortion(common.in_memory(method, x), true)}
    return found


CASES = [f"{vectors}, {kind}" for vectors in ("signs", "normal") for kind in KINDS]
REPEATED = [f"t = {t}, p = {p}" for t in TS for p in PS if p <= 2 * t * K]
TABLES = (
    Table(
        "thesis_dependence",
        "dependence",
        f"Thesis, Figures 3.1 to 3.3 and 4.1 to 4.3: dependence of the entries of {DRAWS} vectors, d = {D}, degree 2",
        [Cell(f"{case}, {label}") for case in CASES for label in SHARED],
        (CORRELATION, DISTANCE),
        dependence,
        cases=CASES,
        note="""\
The thesis shows these as pictures of matrices. Signs have s = 3 and are the vectors of chapter 3: entry (i, j) is the
sum over t of σ·r_i·r_j, where σ is 1 and -1 in turn. Normal numbers are those of chapter 4: entry (i, j) is the sum
over t of r_i·q_j. The correlation of 500 draws is not 0 for independent entries either: the first rows say how large it
is. As in the thesis, the distance correlation shows the dependence of entries with a factor in common for t = 1, and
less of it for t = 30.""",
    ),
    Table(
        "thesis_figure_4_6",
        "dependence",
        f"Thesis, Figure 4.6: mean distortion of 500 rows of MNIST of unit length, k = {K}, degree 2, s = 1",
        [Cell(case) for case in REPEATED],
        (WITH, WITHOUT),
        repetition,
        cases=REPEATED,
        data=("mnist",),
        note="The thesis shows curves, and says that the gain is small and larger for small t.",
    ),
)

if __name__ == "__main__":
    common.main(__doc__, TABLES)
