"""Small projections of the methods that a table of cases does not name, so that it has every method of the registry."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from sqlrp import Projection
from sqlrp._projections import REGISTRY
from sqlrp._projections.trained import TrainedProjection

Floats = npt.NDArray[np.float64]


def small(cls: type[Projection], x: Floats, k: int = 4) -> Projection:
    """The method with about k components and else its defaults, fitted on x if it learns.

    Raises TypeError for a method that must be given arrays: a table of cases has to name it.
    """
    values = {field.name: field.default for field in dataclasses.fields(cls)}
    made = cls(k=cls.components_from(k, values))
    if isinstance(made, TrainedProjection):
        return made.fit(x)
    if made.needs_state:
        raise TypeError(f"{cls.__name__} is given arrays: name a case of it")
    return made


def unnamed(
    named: Iterable[Projection], x: Floats, methods: Iterable[type[Projection]] = REGISTRY
) -> dict[str, Projection]:
    """The methods of which none of the given projections is, by the command line's names."""
    here = {type(projection) for projection in named}
    return {cls.command(): small(cls, x) for cls in methods if cls not in here}
