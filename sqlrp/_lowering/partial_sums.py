"""Shared partial sums: dense sign tables need far fewer additions than they have signs.

Features form blocks of 2, 4, 8, …. Within a block the vectors use few patterns of signs. Each pattern is summed
once, from two patterns of half the block. This is the idea of the Four Russians and of the mailman algorithm (Liberty
and Zucker 2009). With s = 1 and 488 vectors of 784 features, 382,000 additions become 62,000. Sparse tables share
nothing.
"""

from __future__ import annotations

import numpy as np

from sqlrp._core.draw import Ints
from sqlrp._core.values import dataclass
from sqlrp._stages import Weights

DENSE = 1 / 6
"""The smallest share of non-zeros for which sharing is tried."""

_WORTH = 0.95  # a round must reduce the terms to this share, because it costs a level of subquery


@dataclass(frozen=True)
class Round:
    """The entries of one round: left + sign·right of earlier entries; -1 if there is only the other side."""

    left: Ints
    right: Ints
    sign: Ints

    @property
    def additions(self) -> int:
        """The number of entries that are sums."""
        return int(np.count_nonzero((self.left >= 0) & (self.right >= 0)))


@dataclass(frozen=True)
class SharedRounds:
    """The rounds, and for every block and vector its entry of the last round (-1: none) and the sign of it."""

    rounds: tuple[Round, ...]
    choice: Ints
    sign: Ints

    @property
    def terms(self) -> int:
        """The additions of all rounds and of the sums that follow."""
        return sum(r.additions for r in self.rounds) + int(np.count_nonzero(self.choice >= 0))


def share(matrix: Weights, most: int | None = None) -> SharedRounds:
    """Partial sums for a table of ±1 and 0, shape (features, vectors), as long as they save additions.

    `most`: the most entries of a round, if the engine bounds the columns of a subquery.
    """
    sign = matrix.astype(np.int64)
    choice = np.where(sign != 0, np.arange(len(matrix), dtype=np.int64)[:, None], -1)
    shared = SharedRounds((), choice, sign)
    if np.count_nonzero(matrix) < DENSE * matrix.size:
        return shared
    while len(shared.choice) > 1:
        following = _round(shared)
        entries = len(following.rounds[-1].left)
        if following.terms > _WORTH * shared.terms or (most is not None and entries > most):
            break
        shared = following
    return shared


def _round(shared: SharedRounds) -> SharedRounds:
    choice, sign = shared.choice, shared.sign
    if len(choice) % 2:
        choice = np.vstack([choice, np.full((1, choice.shape[1]), -1)])
        sign = np.vstack([sign, np.zeros((1, sign.shape[1]), dtype=np.int64)])
    a, b, sign_a, sign_b = choice[::2], choice[1::2], sign[::2], sign[1::2]
    width = int(choice.max(initial=0)) + 2
    blocks = np.arange(len(a), dtype=np.int64)[:, None]
    same = (sign_a * sign_b < 0).astype(np.int64)  # 1: the right one is subtracted
    keys = ((blocks * width + a + 1) * width + b + 1) * 2 + same
    keys[(a < 0) & (b < 0)] = -1
    found, at = np.unique(keys, return_inverse=True)
    at = at.reshape(keys.shape)
    if found[0] == -1:
        found, at = found[1:], at - 1
    pairs = found // 2
    entries = Round(pairs // width % width - 1, pairs % width - 1, 1 - 2 * (found % 2))
    return SharedRounds((*shared.rounds, entries), at, np.where(a >= 0, sign_a, sign_b))
