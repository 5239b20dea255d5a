"""Projections whose components are rounded to bytes, on one scale that a sample of the rows sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from sqlrp._core.errors import ParameterError, SourceError, shorten
from sqlrp._core.numbers import WORD_BITS, WORD_BYTES
from sqlrp._core.sources import Source
from sqlrp._projections.chained import Chained
from sqlrp._projections.checks import check_whole
from sqlrp._projections.code_fields import NUMBER, REACH, ROOM, fields_of
from sqlrp._projections.origins import origin_of
from sqlrp._projections.projection import Projection, checked
from sqlrp._projections.rounding import Rounding
from sqlrp._projections.trained import Matrix
from sqlrp._projections.widths import shared
from sqlrp._run.frames.matrix import project_array
from sqlrp._run.row_sample import sample as drawn_rows

FEWEST_BYTES = 16
"""The smallest size of a packed row: a word besides that of the two numbers."""
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
    bits: Literal[2, 3, 4, 8] | None = None,
    bytes: int | None = None,
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

    `bytes` names the size of a row instead: a multiple of 8, from 16. Each component gets 1 to 8 bits by its variance,
    so that all of them lose least by one step, and two numbers of 16 bits correct the distances (see `correct` of
    `sqlrp.materialize`). With output="bits" `materialize` packs them in columns of 64 bits, on every engine that shifts
    bits, and `sqlrp.search` ranks by the estimates. Fit all principal components first: those of little variance are
    left out, and those of as many bits are rotated among themselves. Of another projection each component gets a bit.
    A search in DuckDB or PostgreSQL looks up the sums of six bits at a time. Elsewhere it unpacks each component by a
    term of its own, which may take longer than to read whole vectors: `choose_codes` measures both.

    Raises ParameterError for other bits or bytes, for both, and for more components than bytes have bits; SourceError
    if no two sampled rows are complete and differ after the projection.

        >>> pca = sqlrp.fit(sqlrp.PrincipalComponents(k=2), "points", con)
        >>> codes = sqlrp.rounded(pca, "points", con)
        >>> sqlrp.project_vector(codes, [0.0, 0.0, 0.0]) % 1
        array([0., 0.])
        >>> codes = sqlrp.rounded(pca, "points", con, bytes=16)
        >>> _ = sqlrp.materialize(codes, "points", con, "points_packed", output="bits")
        >>> con.table("points_packed").columns
        ['id', 'b0']
    """
    if bits is not None and bytes is not None:
        raise ParameterError(f"bits = {shorten(bits)} and bytes = {shorten(bytes)} both say the size: pass one of them")
    bits = 8 if bits is None else bits
    if bits not in (2, 3, 4, 8):
        raise ParameterError(f"bits = {shorten(bits)} must be 2, 3, 4 or 8")
    if bytes is not None:
        check_bytes(bytes)
    x, _ = drawn_rows(source, connection, sample, _SEED, projection.bound_to, quiet=True, key=key, keep=keep)
    return rounded_on(checked(projection), x, bits) if bytes is None else packed_on(checked(projection), x, bytes)


def check_bytes(size: int) -> None:
    """Raise ParameterError for a size of a row that is no whole number of words, or has no room for a component."""
    check_whole("bytes", size, FEWEST_BYTES)
    if size % WORD_BYTES:
        raise ParameterError(
            f"bytes = {size} must be a multiple of {WORD_BYTES}, as rows are columns of {WORD_BITS} bits: pass "
            f"{size // WORD_BYTES * WORD_BYTES}"
        )


def rounded_on(projection: Projection, x: Matrix, bits: int = 8) -> Chained:
    """The same by rows in memory, of shape (rows, features)."""
    projection = projection.rotated(_SEED)
    z, centre = _centred(projection, x)
    largest = float(np.abs(z).max(initial=0.0))
    most = 2 ** (bits - 1) - 1
    step = largest / most if bits == 8 else _STEPS[bits] * float(np.sqrt((z**2).mean()))
    return Chained(of=(projection, Rounding.of(projection.k, step, most, centre, even=bits in _EVEN)))


def packed_on(projection: Projection, x: Matrix, size: int) -> Chained:
    """The components in so many bytes of words, with bits by their variances."""
    words, least = size // WORD_BYTES, 0 if projection.sheds else 1
    room = words * ROOM - 2 * NUMBER
    if least * projection.k > room:
        raise ParameterError(
            f"bytes = {size} have {room:,} bits for k = {projection.k:,} components, of which each needs one: lower k, "
            "raise bytes, or fit sqlrp.PrincipalComponents, of which the least are left out"
        )
    deviations = _centred(projection, x)[0].std(axis=0)
    for bits in range(room, 0, -1):  # less where the last bits fit no word
        step, widths = shared(deviations, bits, least)
        if fields_of(widths.tolist(), 1.0).words <= words:
            break
    projection = projection.rotated(_SEED, widths.tolist())
    if projection.sheds:
        widths = np.sort(widths[widths > 0])[::-1]
    z, centre = _centred(projection, x)
    rounding = Rounding.of(projection.k, step, offset=centre, even=True)
    origin = origin_of(Chained(of=(projection, rounding)))
    assert origin is not None
    square = origin.square(x[np.isfinite(x).all(axis=1)], z / step)
    return Chained(of=(projection, rounding.packed(widths, REACH * float(square.mean()))))


def _centred(projection: Projection, x: Matrix) -> tuple[Matrix, Matrix]:
    """The components of complete rows without their mean, and the mean. Raises SourceError if no two differ."""
    z = project_array(projection, x[np.isfinite(x).all(axis=1)])
    centre = z.mean(axis=0) if len(z) else np.zeros(projection.k)
    z = z - centre
    if not z.any():
        raise SourceError(
            f"no two of {len(x):,} sampled rows are complete and differ after the projection: raise sample"
        )
    return z, centre


__all__ = ["rounded", "rounded_on"]
