"""The least and the greatest distances that rows can have by the error of their estimates, as SQL.

They tell which rows found are sure, and which rows can be among the nearest.

With z a row in steps from the centre, ẑ what its code stands for, f = |z|²/⟨z, ẑ⟩ and q a vector, the estimate f·⟨q, ẑ⟩
of ⟨q, z⟩ is wrong by √(f²|ẑ|² - |z|²) times the part of q across z times X (Gao and Long 2024, RaBitQ, theorem 3.2). If
the rotation was drawn among all rotations, X is a number of a random unit vector of k - 1 numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sqlrp._core.numbers import DOUBLE
from sqlrp._core.values import dataclass
from sqlrp._lowering.estimates import DistanceEstimates
from sqlrp._lowering.rows_apart import literal

Floats = npt.NDArray[np.float64]
CHANCE = 1e-9
"""The chance that a row is nearer than its least distance."""
_ROUNDED = 1e-6
"""How much the squared length of a row, and what is made of it, may be wrong where it is kept as a float of 32 bits."""
_ALONG, _REACH, _SQUARE, _OWN = "sqlrp_along", "sqlrp_reach", "sqlrp_length", "sqlrp_own"
_KEPT = "sqlrp_kept"
_NONE = 1e300
"""As a distance below 0, it is less than any."""


def error_of(k: int, chance: float = CHANCE) -> float:
    """The number t that X is above with at most this chance.

    The share of a unit sphere of n = k - 1 numbers where one of them is above t is at most (1 - t²)^((n-1)/2)/2, from
    n = 2: both are equal at 0 and 1, and between them their difference first grows and then falls.
    """
    return math.sqrt(1 - (2 * chance) ** (2 / (k - 2))) if k > 2 else 1.0


@dataclass(frozen=True)
class LeastDistances:
    """The least distances of the rows of a table t: squared ones for "l2"."""

    estimate: DistanceEstimates

    def known(self, x: Floats, z: Floats) -> list[str]:
        """What `DistanceEstimates` knows of a vector, with its length as the last."""
        known = self.estimate.known(x, z)
        if self.estimate.metric != "l2":
            return known
        square = float(self.estimate.origin.square(x[None, :], z[None, :])[0])
        return [*known, literal(self.estimate.job, math.sqrt(square))]

    def known_of(self, code: Sequence[str], total: str) -> list[str]:
        """The same of a vector that is an expression, of which `total` is known."""
        estimate, job = self.estimate, self.estimate.job
        square = estimate.stored.product(code, code)
        centre = estimate.stored.constant(estimate.origin.centre)
        also = square if estimate.metric == "l2" else estimate.stored.product(code, centre)
        return [total, also, job.dialect.sqrt(square)]

    @property
    def _kept(self) -> str:
        """How wrong the squared length of a row may be."""
        return f"{literal(self.estimate.job, _ROUNDED)}*{self.estimate.square}"

    @property
    def reach(self) -> str:
        """How wrong the estimate of a row may be for a vector of length 1."""
        estimate, job = self.estimate, self.estimate.job
        apart = job.dialect.absolute(f"({estimate.code_square}-{estimate.square})")
        chance = CHANCE / 2 if estimate.metric == "cosine" else CHANCE  # the length of a row is estimated, too
        return f"{literal(job, error_of(job.k, chance))}*{job.dialect.sqrt(f'({apart}+{self._kept})')}"

    def ahead(self, table: str) -> str:
        """A table t with what is computed of each row once for all vectors, for `parts` that are `once`."""
        return f"(SELECT t.*, {self.reach} AS {_REACH} FROM {table} t{self.estimate.job.dialect.fence})"

    def parts(self, code: Sequence[str], known: Sequence[str], near: str, once: bool = False) -> list[tuple[str, str]]:
        """What is computed of a row, with its name. `near`: that of the least distance, if it is one of these."""
        estimate, job = self.estimate, self.estimate.job
        along, own = estimate.along(code, known[0]), known[-1]
        reach, unit = f"t.{_REACH}" if once else self.reach, estimate.origin.unit
        if estimate.metric == "l2":
            least = f"(({estimate.square}-{self._kept}+{known[1]})-2*({along}+{own}*{reach}))"
            return [(f"{literal(job, 1 / unit)}*{least}", near)]
        if estimate.metric == "inner":
            return [(f"{literal(job, -1 / unit)}*({along}+{known[1]}+{own}*{reach})", near)]
        return [
            (f"({along}+{known[1]})", _ALONG),
            (f"({reach})", _REACH),
            (estimate.square_with_centre(code), _SQUARE),
            (own, _OWN),
        ]

    def both_parts(self, code: Sequence[str], known: Sequence[str], once: bool = False) -> list[tuple[str, str]]:
        """The same for `both`."""
        if self.estimate.metric == "cosine":
            return self.parts(code, known, "", once)
        along, square, own = self.estimate.along(code, known[0]), self.estimate.square, known[-1]
        reach = f"t.{_REACH}" if once else self.reach
        if self.estimate.metric == "inner":
            return [(f"({along}+{known[1]})", _ALONG), (f"({reach})", _REACH), (own, _OWN)]
        parts = [(f"({square}+{known[1]})", _SQUARE), (f"({self._kept})", _KEPT)]
        return [(along, _ALONG), (f"({reach})", _REACH), *parts, (own, _OWN)]

    def both(self) -> tuple[str, str]:
        """The least distance and the greatest one, of the columns that `both_parts` names."""
        job, unit = self.estimate.job, self.estimate.origin.unit
        if self.estimate.metric == "cosine":
            return self._cosine(True), f"coalesce({self._cosine(False)}, {job.dialect.literal(_NONE, DOUBLE)})"
        near, far = f"({_ALONG}+{_OWN}*{_REACH})", f"({_ALONG}-{_OWN}*{_REACH})"
        if self.estimate.metric == "inner":
            scale = literal(job, -1 / unit)
            return f"{scale}*{near}", f"{scale}*{far}"
        scale = literal(job, 1 / unit)
        return f"{scale}*(({_SQUARE}-{_KEPT})-2*{near})", f"{scale}*(({_SQUARE}+{_KEPT})-2*{far})"

    def least(self, near: str) -> str:
        """The least distance, of the columns that `parts` names."""
        return near if self.estimate.metric != "cosine" else self._cosine(True)

    def _cosine(self, least: bool) -> str:
        """The least distance, or the greatest one; NULL for a row of length 0."""
        estimate, job, dialect = self.estimate, self.estimate.job, self.estimate.job.dialect
        centre = literal(job, 2 * math.sqrt(estimate.origin.centre_square))
        along = f"({_ALONG}{'+' if least else '-'}{_OWN}*{_REACH})"
        spread = f"({centre}*{_REACH}+{literal(job, _ROUNDED)}*{dialect.absolute(_SQUARE)})"

        def cosine(square: str) -> str:
            return f"1-{along}/NULLIF({_OWN}*{dialect.sqrt(dialect.absolute(square))}, 0)"

        short, long = f"({_SQUARE}-{spread})", f"({_SQUARE}+{spread})"
        # Of an angle above 90 degrees the longest row has the least distance, and the shortest one the greatest.
        sign, other = ("<", -_NONE) if least else (">", _NONE)
        return (
            f"CASE WHEN {along}{sign}0 THEN {cosine(long)} WHEN {short}>0 THEN {cosine(short)} "
            f"ELSE {dialect.literal(other, DOUBLE)} END"
        )

    def compared(self, distance: str) -> str:
        """A distance as it is compared with the least ones. It is not below 0, if it is squared."""
        return self.estimate.job.dialect.square(distance) if self.estimate.metric == "l2" else distance


__all__ = ["CHANCE", "LeastDistances", "error_of"]
