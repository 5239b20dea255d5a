"""The sums of a join's projected rows, from the sums of its features by key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sqlrp._core.errors import SourceError, UnsupportedError, warn
from sqlrp._core.options import Options
from sqlrp._evaluator.moments import Matrix, Moments
from sqlrp._learning.components import MOST
from sqlrp._learning.row_sums import SumRequest
from sqlrp._learning.star import JoinSums, Star
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.join import weights_of_join
from sqlrp._lowering.lowerings import AUTO
from sqlrp._run.bind import cautions
from sqlrp._run.table_input import JoinInput

_LOST = 1e-10
"""The most that a component's variance may lose by rounding, as a part of it, where it is made of sums of features."""


def sums_by_key(asked: SumRequest) -> JoinSums | None:
    """The sums of the projected rows of a Join; None where the rows have to be joined.

    A projection that is sums of the features alone has sums that follow from those of the features. Weights and groups
    need the rows, and so do more passes, counting correct rows, rows with NULL, and rows that refer to nothing, which
    are left out. Where the joined rows take fewer operations they are joined, too.
    """
    labels = asked.labels
    once = not (asked.again and asked.classifier) and asked.clip is None and not asked.apart_by
    if not isinstance(asked.rows, JoinInput) or not once or labels.weight is not None or asked.options.lowering != AUTO:
        return None
    frames = asked.rows.frames
    d = sum(frame.width for frame in frames)
    if d > MOST or d * d * asked.folds > MOST * MOST:
        return None
    found = weights_of_join(asked.projection, asked.source, frames)
    if found is None or not _is_less(found[0], frames):
        return None
    star = Star.of(replace(asked, again=False, options=Options("columns", True, "propagate", AUTO)), frames)
    try:
        features = None if star is None else star.moments()
    except (SourceError, UnsupportedError):  # the joined rows without NULL may do
        return None
    made = [_projected(part, *found) for part in features or ()]
    sums = [part for part in made if part is not None]
    if not sums or len(sums) < len(made):
        return None
    warn(*cautions(asked.projection, *frames))
    return JoinSums(asked, sums, int(np.count_nonzero(found[0])))


def _is_less(weights: Matrix, frames: Sequence[Frame]) -> bool:
    """Whether the products of the features take no more operations a row of the fact than the joined components."""
    fact, *others = (frame.width for frame in frames)
    k = weights.shape[1]
    joined = np.count_nonzero(weights[:fact]) + k * len(others) + k * (k + 1) // 2
    later = sum(sum(rest) for rest in (sorted(others)[:i] for i in range(len(others))))
    return bool(fact * (fact + 1) // 2 + fact * len(others) + later <= joined)


def _projected(features: Moments, weights: Matrix, constant: Matrix) -> Moments | None:
    """The moments of the components, before those of targets; None if their digits would be lost.

    Where a component is a small difference of large features, the rounding of the features' products counts.
    """
    d, k = weights.shape
    m = k + len(features.mean) - d
    turn = np.zeros((len(features.mean), m))
    turn[:d, :k] = weights
    turn[d:, k:] = np.eye(m - k)
    size = np.abs(turn)
    with np.errstate(over="ignore", invalid="ignore"):
        scatter = turn.T @ features.scatter @ turn
        most = np.einsum("ij,ij->j", size, np.abs(features.scatter) @ size)
    if not np.isfinite(most).all() or (np.finfo(np.float64).eps * most > _LOST * np.diag(scatter))[:k].any():
        return None
    added = np.r_[constant, np.zeros(m - k)]
    classes = {name: (count, mean @ turn + added) for name, (count, mean) in features.classes.items()}
    return Moments(features.count, features.mean @ turn + added, (scatter + scatter.T) / 2, classes)


__all__ = ["sums_by_key"]
