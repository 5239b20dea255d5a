"""What would raise a low recall, measured on a sample: ranking again, more components, a table tuned to the data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import LimitError, ParameterError, SourceError, UnsupportedError
from sqlrp._lowering.frame import Frame
from sqlrp._projections import Projection, build
from sqlrp._projections.method_advice import Advice
from sqlrp._quality.apart import apart
from sqlrp._quality.measures import Floats
from sqlrp._quality.report import LOW
from sqlrp._run.frames.dataframes import FrameColumns, features, resolve_dataframe
from sqlrp._run.frames.matrix import project_array
from sqlrp._run.row_sample import keys_of, sample
from sqlrp._run.row_sample import sampled_rows as positions
from sqlrp._run.statistics import prepared_rows
from sqlrp.kernels import LINEAR

_FOLDS = (2, 4, 8)
_AGAIN = 10
"""How many times as many neighbours are looked at for re-ranking."""
_GAIN = 0.01
"""The smallest gain that is worth its line."""
_MOST = 1 << 22
"""The largest number of entries of a sample, in memory."""
_STEPS = 200
"""The steps of the search for a tuned table."""


def sampled_rows(
    projection: Projection, source: Any, connection: Any, frame: Frame, size: int, keep: Any, key: str | None
) -> Floats | None:
    """Rows of the source without NULL, drawn as for `sqlrp.fit`; None if they are too large or have no positions."""
    d = frame.n_features
    if d is None or frame.text_features or d * size > _MOST:
        return None
    seed = projection.measuring_seed
    if connection is None:
        table, found = resolve_dataframe(source, FrameColumns(key, keep), projection.bound_to)
        keys = keys_of(source, table, found.key, key)
        rows = features(table, found)[positions(table.num_rows, keys, size, seed)]
    else:
        rows, _ = sample(source, connection, size, seed, projection.bound_to, quiet=True)
    return np.asarray(rows[np.isfinite(rows).all(axis=1)])


def raising_recall(projection: Projection, x: Floats, at: int) -> Iterator[Advice]:
    """Advice on the recall of the `at` nearest neighbours of rows x, shape (rows, features), if it is low."""
    method = projection.unprepared
    if len(x) <= max(2, at) or any(stage.groups for stage in method.stages(x.shape[1])):
        return
    rows = prepared_rows(projection, x)
    true = apart(method.kernel(), rows).squared
    near = _distances(method, rows)
    base = _found(true, near, at, at)
    if base >= LOW:
        return
    n, reach = len(rows), min(_AGAIN * at, len(rows) - 1)
    again = _found(true, near, at, reach)
    ways = []
    if again > base + _GAIN:
        ways.append(f"looking at the {reach} nearest and ranking these again by the original rows ({again:.1%})")
    more = _more(method, rows, true, at)
    ways += [f"{name} ({recall:.1%})" for name, recall in more if recall > base + _GAIN]
    if not ways:
        return
    text = f"Only {base:.1%} of the {at} nearest neighbours are kept. On this sample more are found by "
    text += f"{', '.join(ways[:-1])}{' or by ' if len(ways) > 1 else ''}{ways[-1]}."
    figure = f"recall@{at} of {n:,} sampled rows, each way measured on them"
    yield Advice("change", text, figure, "the sample; the tuned table is measured on the half that it has not seen")


def _more(method: Projection, rows: Floats, true: Floats, at: int) -> Iterator[tuple[str, float]]:
    """More components, and for sparse signs a table tuned to the data, each with its recall."""
    d, linear = rows.shape[1], method.kernel().linear
    for fold in _FOLDS:
        k = fold * method.k
        if method.needs_state or (linear and k >= d):
            break
        try:
            more = _distances(replace(method, k=k, bound_to=None), rows)
        except (LimitError, ParameterError, SourceError, UnsupportedError):  # a k that the method cannot have
            continue
        yield f"k = {k:,}", _found(true, more, at, at)
    half = len(rows) // 2
    tunes = method.tuned(_STEPS, half) if len(rows) >= 8 * max(at, 2) else None
    if tunes is not None:
        learning, other = rows[:half], slice(half, None)
        tuned = build(*tunes).fitted_on(learning, None)
        plain = _found(true[other, other], _distances(method, rows[other]), at, at)
        gain = _found(true[other, other], _distances(tuned, rows[other]), at, at) - plain
        whole = _found(true, _distances(method, rows), at, at)
        yield f"a table tuned to the data, {tunes[0]} of the same k", whole + gain


def _distances(method: Projection, rows: Floats) -> Floats:
    return apart(LINEAR, project_array(method.estimating(), rows)).squared


def _found(true: Floats, near: Floats, at: int, reach: int) -> float:
    """The share of the `at` nearest rows by `true` that are among the `reach` nearest by `near`."""
    wanted, seen = (_nearest(distances, size) for distances, size in ((true, at), (near, reach)))
    inside = np.zeros(true.shape, dtype=bool)
    np.put_along_axis(inside, seen, True, axis=1)
    return float(np.take_along_axis(inside, wanted, axis=1).mean())


def _nearest(distances: Floats, size: int) -> npt.NDArray[np.int64]:
    """The columns of the nearest other rows of every row."""
    others = distances.copy()
    np.fill_diagonal(others, np.inf)
    return np.asarray(np.argsort(others, axis=1, kind="stable")[:, :size])
