"""Times of the thesis' methods, as ratios to the polynomial-kernel projection.

D. López Sánchez, *Random projection for polynomial kernels* (thesis), Table 4.2: the time to learn or draw, and to
project 500 rows of MNIST to k = 1,000 components. Here it is CPU time, after one run that compiles.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import common
import landmarks
import polynomial
from tables import Cell, Table, Values, Work

import sqlrp

SECONDS = {
    "PK-RP, s = 1, p = 488": 0.058,
    "PK-RP, s = 1, p = 976": 0.075,
    "PK-RP, s = 1, p = 122": 0.045,
    "D2PK-RP, s = 1": 0.651,
    "KG-RP, p = 488": 3.136,
    "KG-RP, p = 976": 10.509,
    "Nyström": 0.309,
}
BASE = "PK-RP, s = 1, p = 488"


def ratios(work: Work) -> Values:
    train, x = landmarks.images(work)
    k = 100 if work.quick else 1000
    taken = {name: seconds(lambda name=name: projected(name, k, train, x, work)) for name in SECONDS}
    return {"ours": {f"{name} / {BASE}": value / taken[BASE] for name, value in taken.items() if name != BASE}}


def projected(name: str, k: int, train: common.Floats, x: common.Floats, work: Work) -> common.Floats:
    p = int(name.split("p = ")[1]) if "p = " in name else k
    p = p // 4 if work.quick else p
    if name.startswith("Nyström"):
        return common.in_memory(sqlrp.NystroemProjection(k=k, seed=work.seed).fit(train), x)
    if name.startswith("KG-RP"):
        return common.in_memory(sqlrp.KernelGaussianProjection(k=k, sample=p, seed=work.seed).fit(train[:p]), x)
    if name.startswith("D2PK"):
        return common.in_memory(polynomial.method(name, 2, k, work), x)
    method = sqlrp.PolynomialKernelProjection(k=k, degree=2, p=max(p, 60), t=30, s=1, seed=work.seed)
    return common.in_memory(method, x)


def seconds(run: Callable[[], common.Floats]) -> float:
    run()
    start = time.process_time()
    run()
    return time.process_time() - start


TABLES = (
    Table(
        "thesis_times",
        "times",
        "Thesis, Table 4.2, times: learning and projecting 500 rows to k = 1,000, as ratios",
        [
            Cell(f"{name} / {BASE}", value / SECONDS[BASE], judged=False)
            for name, value in SECONDS.items()
            if name != BASE
        ],
        ("ours",),
        ratios,
        seeds=3,
        digits=1,
        data=("mnist",),
        other="times depend on the machine",
        quick_cases=1,
    ),
)

if __name__ == "__main__":
    common.main(__doc__, TABLES)
