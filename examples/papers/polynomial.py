"""Polynomial-kernel projection (PK-RP): distortion by p and k.

D. López Sánchez, *Random projection for polynomial kernels* (thesis), section 4.4: Tables 4.2 and 4.3 (mean distortion
of 500 rows of MNIST's test set, degrees 2 and 3, t = 30, ten runs), 4.8 and 4.9 (the same of w8a; here on a8a). A
component is a product of sums, so it is homogeneous: dividing a row by its norm divides its projection by the norm to
the power of the degree. One projection gives the figures of both readings.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import common
import numpy as np
from sklearn.datasets import load_digits
from tables import Cell, Table, Values, Work

import sqlrp
from sqlrp import quality

Figures = list[tuple[float, float]]
KS = (200, 500, 1000)
T = 30
EXPLICIT = "φ + RP, "
UNIT, RAW, THEORY = "rows of unit length", "raw rows", "theory"
TABLE_4_2: dict[str, Figures] = {
    "φ + RP, Gaussian": [(0.079, 0.002), (0.050, 0.002), (0.035, 0.001)],
    "φ + RP, s = 1": [(0.080, 0.003), (0.051, 0.002), (0.036, 0.001)],
    "φ + RP, s = 3": [(0.080, 0.002), (0.050, 0.002), (0.036, 0.001)],
    "Gaussian, p = 16000": [(0.082, 0.004), (0.053, 0.002), (0.038, 0.002)],
    "Gaussian, p = 8000": [(0.083, 0.003), (0.055, 0.003), (0.040, 0.002)],
    "Gaussian, p = 3000": [(0.087, 0.003), (0.056, 0.002), (0.046, 0.005)],
    "s = 1, p = 976": [(0.094, 0.004), (0.068, 0.008), (0.059, 0.008)],
    "s = 3, p = 976": [(0.098, 0.007), (0.072, 0.009), (0.060, 0.008)],
    "s = 1, p = 488": [(0.101, 0.004), (0.088, 0.012), (0.082, 0.017)],
    "s = 3, p = 488": [(0.113, 0.015), (0.095, 0.019), (0.092, 0.021)],
    "s = 1, p = 244": [(0.132, 0.018), (0.126, 0.028), (0.101, 0.020)],
    "s = 3, p = 244": [(0.122, 0.010), (0.116, 0.027), (0.118, 0.027)],
    "s = 1, p = 122": [(0.152, 0.028), (0.136, 0.013), (0.159, 0.038)],
    "s = 3, p = 122": [(0.177, 0.046), (0.150, 0.033), (0.159, 0.027)],
    "Gaussian, p = 976": [(0.092, 0.007), (0.079, 0.018), (0.059, 0.007)],
    "Gaussian, p = 488": [(0.106, 0.008), (0.102, 0.029), (0.095, 0.038)],
    "Gaussian, p = 244": [(0.120, 0.006), (0.106, 0.018), (0.112, 0.024)],
    "Gaussian, p = 122": [(0.177, 0.052), (0.151, 0.027), (0.135, 0.014)],
    "D2PK-RP, s = 1": [(0.085, 0.002), (0.054, 0.002), (0.038, 0.001)],
}
TABLE_4_3: dict[str, Figures] = {
    "s = 1, p = 976": [(0.109, 0.009), (0.092, 0.018), (0.080, 0.016)],
    "s = 3, p = 976": [(0.114, 0.020), (0.117, 0.057), (0.088, 0.032)],
    "s = 1, p = 488": [(0.148, 0.035), (0.127, 0.041), (0.110, 0.024)],
    "s = 3, p = 488": [(0.134, 0.031), (0.124, 0.026), (0.131, 0.055)],
    "s = 1, p = 244": [(0.192, 0.075), (0.162, 0.053), (0.159, 0.053)],
    "s = 3, p = 244": [(0.209, 0.097), (0.169, 0.040), (0.149, 0.049)],
    "s = 1, p = 122": [(0.253, 0.080), (0.247, 0.119), (0.241, 0.090)],
    "s = 3, p = 122": [(0.232, 0.093), (0.213, 0.038), (0.271, 0.172)],
    "Gaussian, p = 976": [(0.119, 0.019), (0.095, 0.023), (0.092, 0.031)],
    "Gaussian, p = 488": [(0.153, 0.031), (0.131, 0.040), (0.108, 0.046)],
    "Gaussian, p = 244": [(0.164, 0.025), (0.141, 0.036), (0.168, 0.066)],
    "Gaussian, p = 122": [(0.249, 0.064), (0.250, 0.112), (0.241, 0.083)],
}
TABLE_4_8: dict[str, Figures] = {
    "s = 1, p = 892": [(0.103, 0.002), (0.080, 0.004), (0.071, 0.005)],
    "s = 3, p = 892": [(0.107, 0.003), (0.085, 0.004), (0.079, 0.005)],
    "s = 1, p = 446": [(0.126, 0.005), (0.104, 0.005), (0.098, 0.008)],
    "s = 3, p = 446": [(0.127, 0.006), (0.107, 0.006), (0.101, 0.005)],
    "s = 1, p = 223": [(0.152, 0.009), (0.135, 0.006), (0.132, 0.010)],
    "s = 3, p = 223": [(0.154, 0.008), (0.151, 0.015), (0.138, 0.005)],
    "s = 1, p = 111": [(0.195, 0.009), (0.183, 0.008), (0.179, 0.008)],
    "s = 3, p = 111": [(0.218, 0.017), (0.194, 0.014), (0.200, 0.009)],
}


TABLE_4_9: dict[str, Figures] = {
    "s = 1, p = 892": [(0.133, 0.008), (0.114, 0.005), (0.105, 0.004)],
    "s = 3, p = 892": [(0.144, 0.007), (0.121, 0.006), (0.111, 0.007)],
    "Gaussian, p = 892": [(0.135, 0.009), (0.127, 0.013), (0.112, 0.006)],
    "s = 1, p = 446": [(0.161, 0.009), (0.145, 0.004), (0.140, 0.009)],
    "s = 3, p = 446": [(0.171, 0.010), (0.162, 0.010), (0.150, 0.009)],
    "Gaussian, p = 446": [(0.170, 0.009), (0.161, 0.011), (0.158, 0.008)],
    "s = 1, p = 223": [(0.213, 0.010), (0.209, 0.014), (0.199, 0.009)],
    "s = 3, p = 223": [(0.228, 0.012), (0.221, 0.012), (0.218, 0.024)],
    "Gaussian, p = 223": [(0.241, 0.020), (0.224, 0.026), (0.219, 0.024)],
    "s = 1, p = 111": [(0.290, 0.020), (0.284, 0.025), (0.298, 0.040)],
    "s = 3, p = 111": [(0.336, 0.033), (0.296, 0.016), (0.294, 0.014)],
    "Gaussian, p = 111": [(0.320, 0.030), (0.302, 0.021), (0.310, 0.028)],
}


def digits(work: Work) -> common.Floats:
    """MNIST's test set, or scikit-learn's digits for a quick run."""
    found = work.load("mnist")
    return np.asarray(load_digits().data if found is None else found["X_test"], dtype=np.float64)


def census(work: Work) -> common.Floats:
    """The rows of a8a, or digits of 0 and 1 for a quick run."""
    found = work.load("a8a")
    if found is None:
        return (load_digits().data > 8).astype(np.float64)
    x = np.zeros(tuple(found["shape"]))
    x[np.repeat(np.arange(len(x)), np.diff(found["indptr"])), found["indices"]] = found["data"]
    return x


def sample(work: Work, x: common.Floats) -> common.Floats:
    return x[np.random.default_rng(work.seed).choice(len(x), 60 if work.quick else 500, replace=False)]


def method(case: str, degree: int, k: int, work: Work) -> sqlrp.Projection:
    if case.startswith("D2PK"):
        return sqlrp.Degree2KernelProjection(k=k, m=4 if work.quick else T, s=1, seed=work.seed)
    kind, _, p = case.removeprefix(EXPLICIT).partition(", p = ")
    vectors = {"vectors": "gaussian"} if kind == "Gaussian" else {"s": int(kind.removeprefix("s = "))}
    if case.startswith(EXPLICIT):
        return sqlrp.ExplicitPolynomialProjection(k=k, degree=degree, seed=work.seed, **vectors)
    return sqlrp.PolynomialKernelProjection(k=k, degree=degree, p=int(p), t=T, seed=work.seed, **vectors)


def distortions(work: Work, x: common.Floats, degree: int, with_theory: bool) -> Values:
    """The mean distortion of both readings, for every k."""
    norms = np.linalg.norm(x, axis=1, keepdims=True)
    rows = {UNIT: x / norms, RAW: x}
    true = {r: quality.squared_distances(quality.kernel_matrix(v, (degree, 0.0))) for r, v in rows.items()}
    found: dict[str, dict[str, float]] = {UNIT: {}, RAW: {}}
    ks = KS[: 1 if work.quick else None]
    once = max(ks) if work.case.startswith(EXPLICIT) else None
    every = common.in_memory(method(work.case, degree, once, work), rows[UNIT]) if once else np.empty(0)
    for k in ks:
        label = f"{work.case}, k = {k}"
        if once:  # the first components of one draw are a draw of fewer
            z = every[:, :k] * math.sqrt(once / k)
        else:
            z = common.in_memory(method(work.case, degree, k, work), rows[UNIT])
        found[UNIT][label] = quality.mean_distortion(z, true[UNIT])
        found[RAW][label] = quality.mean_distortion(z * norms**degree, true[RAW])
        if with_theory:
            found.setdefault(THEORY, {})[label] = expected(x, true[RAW], work.case, k)
    return found


def expected(x: common.Floats, true: common.Floats, case: str, k: int) -> float:
    """The mean distortion of degree 2 that theory expects for these rows, with p vectors of sparsity s.

    A squared distance D is estimated by a mean over k components, which has the relative variance 2/k, and the p
    vectors that they share add 4/p·V/D². V is the variance of rᵀMr for one vector r: 2‖M‖² + (s-3)·ΣM_jj², where M is
    ‖x‖²xxᵀ + ‖y‖²yyᵀ - ⟨x, y⟩(xyᵀ + yxᵀ). A normal error has the mean size √(2/π) of its deviation.
    """
    s, p = (int(part.split(" = ")[1]) for part in case.split(", "))
    pairs = np.triu_indices(len(x), 1)
    gram, squares, cubes = x @ x.T, x**2 @ (x**2).T, x**3 @ x.T
    own, fourth = np.diag(gram), np.diag(squares)
    a, b, c = own[pairs[0]], own[pairs[1]], gram[pairs]
    norm = a**4 + b**4 + 4 * a * b * c**2 + 2 * c**4 - 4 * (a * c) ** 2 - 4 * (b * c) ** 2
    diagonal = a**2 * fourth[pairs[0]] + b**2 * fourth[pairs[1]] + (4 * c**2 + 2 * a * b) * squares[pairs]
    diagonal -= 4 * c * (a * cubes[pairs] + b * cubes.T[pairs])
    apart = true > 0
    variance = 4 / p * ((2 * norm + (s - 3) * diagonal)[apart] / true[apart] ** 2) + 2 / k
    return float(np.mean(np.sqrt(variance))) * math.sqrt(2 / math.pi)


def cells(printed: dict[str, Figures], parted: bool = False) -> Iterator[Cell]:
    for case, figures in printed.items():
        for i, k in enumerate(KS):
            yield Cell(f"{case}, k = {k}", *figures[i], part=part(case) if parted else "")


def part(case: str) -> str:
    if case.startswith(EXPLICIT):
        return "φ + RP"
    if case.startswith("s = "):
        return "PK-RP, s = 1 and 3, p > 122" if not case.endswith("p = 122") else "PK-RP, s = 1 and 3, p = 122"
    return "PK-RP, Gaussian" if case.startswith("Gaussian") else "D2PK-RP"


TABLES = (
    Table(
        "thesis_table_4_2",
        "polynomial",
        f"Thesis, Table 4.2: mean distortion of 500 rows of MNIST, degree 2, t = {T}",
        list(cells(TABLE_4_2, parted=True)),
        (UNIT, RAW),
        lambda work: distortions(work, sample(work, digits(work)), 2, False),
        cases=tuple(TABLE_4_2),
        data=("mnist",),
        note="""\
The thesis does not say how the rows were scaled. Rows of unit length give more of its figures than the pixels as they
are, but for some cells it is the other way round, so both are shown. If p is small, one draw of the p signed sums
changes the distances of all rows. So the spread over the runs is large there, the thesis' and ours. φ + RP weighs each
of 307,720 monomials. Its rows, and those of 3,000 vectors and more, have two runs. `--seeds 10` makes the others.""",
    ),
    Table(
        "thesis_table_4_3",
        "polynomial",
        f"Thesis, Table 4.3: mean distortion of 500 rows of MNIST, degree 3, t = {T}",
        list(cells(TABLE_4_3, parted=True)),
        (UNIT, RAW),
        lambda work: distortions(work, sample(work, digits(work)), 3, False),
        cases=tuple(TABLE_4_3),
        data=("mnist",),
    ),
    Table(
        "thesis_table_4_8",
        "polynomial",
        f"Thesis, Table 4.8: mean distortion of 500 rows of a8a instead of w8a, degree 2, t = {T}",
        list(cells(TABLE_4_8)),
        (UNIT, RAW, THEORY),
        lambda work: distortions(work, sample(work, census(work)), 2, True),
        cases=tuple(TABLE_4_8),
        data=("a8a",),
        other="a8a has other rows than w8a",
        theory=(RAW, THEORY),
        note="""\
We do not have w8a. So the last column has the mean distortion that theory expects for the raw rows of a8a: the
components add 2/k to the relative variance of a squared distance, and the p vectors that all components share add a
term that grows with 1/p and does not depend on k. So for few vectors a larger k helps little.""",
    ),
    Table(
        "thesis_table_4_9",
        "polynomial",
        f"Thesis, Table 4.9: mean distortion of 500 rows of a8a instead of w8a, degree 3, t = {T}",
        list(cells(TABLE_4_9)),
        (UNIT, RAW),
        lambda work: distortions(work, sample(work, census(work)), 3, False),
        cases=tuple(TABLE_4_9),
        data=("a8a",),
        other="a8a has other rows than w8a",
    ),
)

if __name__ == "__main__":
    common.main(__doc__, TABLES)
