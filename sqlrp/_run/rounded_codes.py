"""Projections whose components are rounded to bytes, on one scale that a sample of the rows sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from sqlrp._core.errors import ParameterError, SourceError, shorten
from sqlrp._core.sources import Source
from sqlrp._projections.chained import Chained
from sqlrp._projections.projection import Projection, checked
from sqlrp._projections.rounding import Rounding
from sqlrp._projections.trained import Matrix
from sqlrp._run.frames.matrix import project_array
from sqlrp._run.row_sample import sample as drawn_rows

_SEED = 0
_STEPS = {2: 0.9957, 3: 0.5860, 4: 0.3534}
"""The step of 4, of 8 and of 15 levels by which normal numbers of variance 1 lose least (Max 1960, table II)."""
_EVEN = (2, 3)
"""The bits whose levels are even in number. 16 levels find no more than the 15 whose steps are around 0."""


def rounded(
    projection: Projection,
    source: Source | str | Any,
    connection: Any = None,
    *,
    bits: Literal[2, 3, 4, 8] = 8,
    sample: int = 500,
    key: str | None = "id",
    keep: Sequence[str] = (),
) -> Chained:
    """Round the components of a projection to whole numbers from -127 to 127: one byte each.

    The mean of each component over `sample` rows is subtracted first, which moves no distance. The step is the same for
    all components: the largest one of these rows is 127 steps. Larger components of other rows become 127, and so does
    NaN; NULL stays NULL. Principal components are rotated among themselves before, by a random rotation: their
    distances stay, and their numbers have one size, so that the step is smaller. Distances are then numbers of steps.
    The vector of a search is not rounded, and `sqlrp.search` ranks the candidates again by the rows.

    `bits` = 4 rounds to whole numbers from -7 to 7, 3 to those from -4 to 3, and 2 to -2, -1, 0 and 1. Those of 2 and 3
    bits stand for the number half a step above, so that four levels lie at -1.5, -0.5, 0.5 and 1.5 steps. The step is
    then the one by which normal numbers, of the mean square that the sample has, lose least (Max 1960, table II). With
    fewer bits, k may be larger for as many bytes, which finds more of some rows and less of others: measure both.

    With `output="vector"` DuckDB keeps the components as TINYINT[k], and packs them in a file to `bits` each.
    Other engines keep whole numbers in the type that their vectors have, such as `halfvec` with `dtype="float16"`. Fit
    a method that learns first: principal components put most of what tells rows apart into few numbers. `key` and
    `keep` are as in `sqlrp.fit`.

    Raises ParameterError for other bits, and SourceError if no two sampled rows are complete and differ after the
    projection.

        >>> pca = sqlrp.fit(sqlrp.PrincipalComponents(k=2), "points", con)
        >>> codes = sqlrp.rounded(pca, "points", con)
        >>> sqlrp.project_vector(codes, [0.0, 0.0, 0.0]) % 1
        array([0., 0.])
    """
    if bits not in (2, 3, 4, 8):
        raise ParameterError(f"bits = {shorten(bits)} must be 2, 3, 4 or 8")
    x, _ = drawn_rows(source, connection, sample, _SEED, projection.bound_to, quiet=True, key=key, keep=keep)
    return rounded_on(checked(projection), x, bits)


def rounded_on(projection: Projection, x: Matrix, bits: int = 8) -> Chained:
    """The same by rows in memory, of shape (rows, features)."""
    projection = projection.rotated(_SEED)
    z = project_array(projection, x[np.isfinite(x).all(axis=1)])
    centre = z.mean(axis=0) if len(z) else np.zeros(projection.k)
    z = z - centre
    largest = float(np.abs(z).max(initial=0.0))
    if largest == 0:
        raise SourceError(
            f"no two of {len(x):,} sampled rows are complete and differ after the projection: raise sample"
        )
    most = 2 ** (bits - 1) - 1
    step = largest / most if bits == 8 else _STEPS[bits] * float(np.sqrt((z**2).mean()))
    return Chained(of=(projection, Rounding.of(projection.k, step, most, centre, even=bits in _EVEN)))


__all__ = ["rounded", "rounded_on"]
