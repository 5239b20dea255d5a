"""The rows and labels of the tests of learning, their projection, and their folds computed another way."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from cases import SERVED
from databases import FAMILY, Database
from sklearn.datasets import load_digits

import sqlrp
from sqlrp._core.draw import Purpose, hash_name, hashes

ENGINES = ("duckdb", *SERVED)
ROWS, D, K = 90, 12, 6
PK = sqlrp.PolynomialKernelProjection(k=K, p=12, t=2, degree=2, c=1, s=2, seed=3)
RIDGES = [0.5, 20.0]
X = load_digits().data[:ROWS, 2 : 2 + D]
Y = load_digits().target[:ROWS] % 3
V = X[:, 1] * 0.5 - X[:, 4] + np.random.default_rng(0).normal(0, 0.3, ROWS).round(6)
KEYS = np.arange(ROWS) * 37 - 200
NAMES = np.array(["ash", "birch", "it's oak"])


def stored(db: Database, layout: str, more: Mapping[str, list[Any]] = MappingProxyType({})) -> tuple[Any, str | None]:
    """The rows with their labels, and with more columns of whole numbers or text; of sparse rows, the labels' table."""
    double, text = {"clickhouse": ("Float64", "String"), **dict.fromkeys(FAMILY, ("DOUBLE", "VARCHAR(20)"))}.get(
        db.name, ("DOUBLE PRECISION", "VARCHAR")
    )
    targets = [("label", "BIGINT"), ("v", double), ("name", text)]
    targets += [(name, "BIGINT" if isinstance(values[0], int) else text) for name, values in more.items()]
    told = [list(own) for own in zip(Y.tolist(), V.tolist(), NAMES[Y].tolist(), *more.values(), strict=True)]
    if layout == "long":
        made = db.load("long", X.tolist(), ids=KEYS.tolist(), table="cells")
        rows = [[int(key), *own] for key, own in zip(KEYS, told, strict=True)]
        return made, db.make("labels", [("id", "BIGINT"), *targets], rows)
    names = [(f"f{j}", double) for j in range(D)] if layout == "wide" else [("x", db.array_of(double))]
    values = X.tolist() if layout == "wide" else [[row] for row in X.tolist()]
    rows = [[int(key), *own, *row] for key, own, row in zip(KEYS, told, values, strict=True)]
    table = db.make(f"of_{layout}", [("id", "BIGINT"), *targets, *names], rows)
    if layout == "wide":
        return sqlrp.Wide(table, features=[name for name, _ in names]), None
    return sqlrp.Array(table, "x"), None


@cache
def z() -> Any:
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)])
    return sqlrp.project(PK, frame, key=None).to_numpy()


def fold_of(keys: Any, folds: int, seed: int = 0) -> Any:
    """Computed one by one."""
    numbers = [hash_name(key) if isinstance(key, str) else int(key) % (2**31 - 1) for key in keys]
    zero = np.zeros(1, dtype=np.int64)
    return np.array([hashes(seed, Purpose.FOLDS, zero, np.array([n]))[0, 0] % folds for n in numbers])


def wide(name: str = "t", **more: Any) -> sqlrp.Wide:
    return sqlrp.Wide(name, features=[f"f{j}" for j in range(D)], **more)
