"""Whether codes are of a rotation that is drawn among all rotations, or nearly, as the error of estimates needs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sqlrp._projections.chained import Chained
from sqlrp._projections.hadamard import HadamardProjection
from sqlrp._projections.orthonormal import OrthonormalProjection
from sqlrp._projections.projection import Projection
from sqlrp._projections.rounding import Rounding

TURNS = 3
"""How many Hadamard transforms with drawn signs are together nearly as good as a rotation drawn among all (Andoni et
al. 2015, Practical and optimal LSH for angular distance). One turns a row of few large numbers into one of few
directions, so that the error of its estimate is not random: of 12,000 embeddings of 384 numbers, of which two were made
large, the largest one was 15 standard deviations. With three it was 5, as with a rotation drawn among all."""


def turns_at_random(projection: Projection, n_features: int | None) -> bool:
    """Whether what is rounded has the distances of the rows, by rotations of which one is drawn among all."""
    steps = list(_flat(projection))
    if n_features is None or not steps or not isinstance(steps[-1], Rounding) or np.ptp(steps[-1].arrays["step"]):
        return False
    turns = 0
    for step in steps[:-1]:
        if isinstance(step, OrthonormalProjection) and step.k == n_features:
            turns += TURNS
        elif isinstance(step, HadamardProjection) and not step.replacement and step.k == step.padded(n_features):
            turns += 1
        else:
            return False
        n_features = step.k
    return turns >= TURNS


def _flat(projection: Projection) -> Iterator[Projection]:
    """The steps of a chain, and of the chains in it."""
    if isinstance(projection, Chained):
        for step in projection.of:
            yield from _flat(step)
    else:
        yield projection


__all__ = ["TURNS", "turns_at_random"]
