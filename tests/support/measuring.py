"""Rows, and slow ways to their distances and neighbours, for the tests of measures."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]
KERNELS = [(1, 0.0), (2, 0.0), (3, 1.5)]


def rows(n: int = 24, d: int = 9, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(size=(n, d))


def k_of(x: Floats, y: Floats, kernel: tuple[int, float]) -> float:
    return float((sum(a * b for a, b in zip(x, y, strict=True)) + kernel[1]) ** kernel[0])


def slow_distances(x: Floats, kernel: tuple[int, float] = (1, 0.0)) -> list[float]:
    """Every pair by itself."""
    return [
        k_of(a, a, kernel) + k_of(b, b, kernel) - 2 * k_of(a, b, kernel) for a, b in itertools.combinations(list(x), 2)
    ]


def slow_neighbours(x: Floats, i: int, at: int, kernel: tuple[int, float] = (1, 0.0)) -> set[int]:
    """The nearest rows by sorting all."""
    others = [j for j in range(len(x)) if j != i]
    others.sort(key=lambda j: slow_distances(x[[i, j]], kernel)[0])
    return set(others[:at])


def frame_of(x: Floats) -> pd.DataFrame:
    return pd.DataFrame(x, columns=[f"f{j}" for j in range(x.shape[1])]).assign(id=np.arange(len(x)))
