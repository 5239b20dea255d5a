"""One vector, such as a search query, projected with the same signs as the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp.core.errors import ParameterError, shorten
from sqlrp.core.numbers import DOUBLE
from sqlrp.core.sources import Wide
from sqlrp.lowering.job import Job
from sqlrp.lowering.planner import plan
from sqlrp.projections.base import Projection, checked
from sqlrp.run.bind import engine_asked, resolve
from sqlrp.run.memory import project_array


def project_vector(projection: Projection, values: Sequence[float] | Mapping[str, float]) -> npt.NDArray[np.float64]:
    """Project one vector, such as a search query, with the same signs as the rows: shape (k,), scale included.

    `values`: one number per feature, in the order of the features, or by name if the projection is bound to names.
    Raises SourceError for other features than the projection is bound to.

        >>> sqlrp.project_vector(rp, [1.0, 2.0, 0.0]).round(4)
        array([ 2.1213, -0.7071])
    """
    projection = checked(projection)
    return np.asarray(project_array(projection, _vector(projection, values)[None, :])[0])


def vector_sql(projection: Projection, values: Sequence[float] | Mapping[str, float], engine: Any) -> str:
    """Write the SELECT of one row that projects a vector in the engine: `project_vector` as SQL, columns z0 … z{k-1}.

    `engine`: an engine, its name such as "duckdb", or a connection.

        >>> print(sqlrp.vector_sql(rp, [1.0, 2.0, 0.0], "duckdb").splitlines()[1])
        SELECT ok*((x0+x1)-x2) AS z0, ok*(x0-(x1+x2)) AS z1
    """
    asked, _ = engine_asked(engine)
    x = _vector(checked(projection), values)
    names = [f"f{j}" for j in range(len(x))]
    frame = resolve(Wide("sqlrp_vector", key=None, features=names), None, asked)
    job = Job(replace(projection, bound_to=None), frame, asked)
    numbers = ", ".join(
        f"{job.dialect.literal(v, DOUBLE)} AS {job.dialect.quote(n)}" for v, n in zip(x, names, strict=True)
    )
    return f"WITH sqlrp_vector AS (SELECT {numbers})\n{plan(job, 'inline').script().text}"


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
        x = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        x = np.empty(0)
    if x.ndim != 1 or not x.size:
        raise ParameterError(f"values = {shorten(values)} must be a sequence of numbers, one a feature")
    projection.check_features(None, len(x))
    return x
