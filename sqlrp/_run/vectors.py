"""One vector, such as a search query, projected with the same signs as the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import hash_name
from sqlrp._core.errors import ParameterError, UnsupportedError, shorten
from sqlrp._core.memory import unmasked
from sqlrp._core.numbers import DOUBLE
from sqlrp._core.sources import Wide
from sqlrp._evaluator import program, run
from sqlrp._evaluator.sparse_rows import Cells, FirstSums, first_sums, refusal
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import plan
from sqlrp._projections.projection import Projection, checked
from sqlrp._run.bind import resolve, text_target
from sqlrp._run.frames.matrix import filled, project_array


def project_vector(projection: Projection, values: Sequence[float] | Mapping[str, float]) -> npt.NDArray[np.float64]:
    """Project one vector, such as a search query, with the same signs as the rows: shape (k,), scale included.

    `values`: one number per feature, in the order of the features, or by name if the projection is bound to names.
    A dict of words of a projection that is bound to none is a row of an open vocabulary: words that are absent are 0,
    and each is hashed as a `Long` source's. Raises SourceError for other features than the projection is bound to, and
    UnsupportedError for words where the method needs positions.

        >>> sqlrp.project_vector(rp, [1.0, 2.0, 0.0]).round(4)
        array([ 2.1213, -0.7071])
        >>> sqlrp.project_vector(sqlrp.SparseProjection(k=2, s=1, seed=7), {"red": 2, "car": 1}).round(4)
        array([ 0.7071, -2.1213])
    """
    projection = checked(projection)
    if isinstance(values, Mapping) and projection.bound_to is None:
        return _of_words(projection, values)
    return np.asarray(project_array(projection, _vector(projection, values)[None, :])[0])


def _of_words(projection: Projection, values: Mapping[str, float]) -> npt.NDArray[np.float64]:
    """A row of an open vocabulary: only the words that are there are read."""
    try:
        x = np.array([float(value) for value in values.values()])
    except (TypeError, ValueError):
        x = np.empty(0)
    if not x.size or not all(isinstance(word, str) for word in values):
        raise ParameterError(f"values = {shorten(values)} must map words to numbers, at least one")
    stages = projection.stages(None)
    if any(stage.groups for stage in stages):
        raise UnsupportedError(f"{type(projection).__name__} adds up groups of rows, and one vector is one row")
    if refused := refusal(stages, None, names=True):
        raise UnsupportedError(f"words are not supported by {type(projection).__name__}: {refused}")
    at = first_sums(stages)
    assert at is not None  # or it was refused
    numbers = np.array([hash_name(word) for word in values], dtype=np.int64)
    cells = Cells.of(np.zeros(len(x), dtype=np.int64), 1, numbers, x)
    sums, rest = FirstSums(stages[: at + 1], None, names=True).source(cells), stages[at + 1 :]
    kinds = [np.float64] * (len(rest) + 1)
    made = program(rest, np.arange(sums.features, dtype=np.int64), kinds, factor=projection.factor(None))
    return np.asarray(run(made, sums, by_rows=True)[0])


def vector_sql(projection: Projection, values: Sequence[float] | Mapping[str, float], engine: Any) -> str:
    """Write the SELECT of one row that projects a vector in the engine: `project_vector` as SQL, columns z0 … z{k-1}.

    `engine`: an engine, its name such as "duckdb", or a connection.

        >>> print(sqlrp.vector_sql(rp, [1.0, 2.0, 0.0], "duckdb").splitlines()[1])
        SELECT ok*((x0+x1)-x2) AS z0, ok*(x0-(x1+x2)) AS z1
    """
    x = _vector(checked(projection), values)
    names = [f"f{j}" for j in range(len(x))]
    source = Wide("sqlrp_vector", key=None, features=names)
    asked = text_target(engine, source).dialect
    frame = resolve(source, None, asked)
    job = Job(replace(projection, bound_to=None), frame, asked)
    numbers = ", ".join(
        f"{job.dialect.literal(v, DOUBLE)} AS {job.dialect.quote(n)}" for v, n in zip(x, names, strict=True)
    )
    statement = plan(job, "inline").script().statement
    given = f"sqlrp_vector AS (SELECT {numbers}{job.dialect.constants_from})"
    return replace(statement, named=(given, *statement.named)).text


def _vector(projection: Projection, values: Sequence[float] | Mapping[str, float]) -> npt.NDArray[np.float64]:
    if isinstance(values, Mapping):
        names = projection.bound_to if isinstance(projection.bound_to, tuple) else None
        if names is None:
            raise ParameterError("values by name need a projection that is bound to names: pass them in their order")
        projection.check_features(
            [n for n in names if n in values] + [n for n in values if n not in names], len(values)
        )
        values = [values[n] for n in names]
    try:
        x = np.asarray(unmasked(values), dtype=np.float64)
    except (TypeError, ValueError):
        x = np.empty(0)
    if x.ndim != 1 or not x.size:
        raise ParameterError(f"values = {shorten(values)} must be a sequence of numbers, one a feature")
    projection.check_features(None, len(x))
    return np.asarray(filled(projection, x[None, :])[0])
