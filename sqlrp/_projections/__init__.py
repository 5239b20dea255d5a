"""The projection methods: each has a file here and a line in `methods.py`."""

from __future__ import annotations

import json
from dataclasses import fields

from sqlrp._core.errors import ParameterError, SqlrpError, nearest, shorten
from sqlrp._projections import methods
from sqlrp._projections.chained import Chained, Scaling
from sqlrp._projections.methods import *  # noqa: F403  # every method
from sqlrp._projections.prepared import Prepared
from sqlrp._projections.projection import Projection
from sqlrp._projections.rounding import Rounding
from sqlrp._projections.sums_and_products import SumsAndProducts

REGISTRY: tuple[type[Projection], ...] = tuple(value for value in vars(methods).values() if isinstance(value, type))
"""Every method, in the order of the documentation: the classes that `methods.py` imports."""

_INNER: tuple[type[Projection], ...] = (Prepared, Chained, Scaling, Rounding, SumsAndProducts)

BY_NAME: dict[str, type[Projection]] = {cls.__name__: cls for cls in REGISTRY + _INNER}
"""The classes that `from_json` reads, by name."""

FUNCTIONS: dict[str, type[Projection]] = {cls.function: cls for cls in REGISTRY if cls.own_function}
"""The SQL functions by name, each with the method whose parameters it takes."""


def is_drawn_in_sql(method: Projection, n_features: int | None) -> bool:
    """Whether a function in a database draws the method for n_features, rather than read its stages as numbers."""
    return method.function in FUNCTIONS and not method.needs_state and method.composed_in_sql(n_features)


def from_json(text: str) -> Projection:
    """The projection that `Projection.to_json` wrote.

    Raises ParameterError if the text is not such JSON, or names an unknown class or parameter.

        >>> sqlrp.from_json(rp.to_json()) == rp
        True
    """
    try:
        values = json.loads(text)
        name = values.pop("projection")
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError) as error:
        raise ParameterError(f"{shorten(text)} is not the JSON of a projection: it needs a 'projection' key") from error
    return build(name, values)


def method_of(projection: Projection) -> Projection:
    """The method that projects the prepared rows, or the projection itself. Raises ParameterError if unregistered.

    A projection that is saved by its class name must be found by that name later.
    """
    method = projection.unprepared
    if BY_NAME.get(type(method).__name__) is not type(method):
        raise ParameterError(
            f"{type(method).__name__} is not registered, so what is kept of it could not be read back: add its line to "
            "sqlrp/_projections/methods.py, or make a table or view of the text of sqlrp.sql"
        )
    return method


def build(name: str, values: dict[str, object]) -> Projection:
    """A projection by its class name and parameters; raises ParameterError for unknown ones."""
    cls = BY_NAME.get(name) if isinstance(name, str) else None
    if cls is None:
        raise ParameterError(
            f"projection {shorten(name)} is unknown{nearest(str(name), BY_NAME)}: "
            f"one of {', '.join(cls.__name__ for cls in REGISTRY)}"
        )
    known = sorted((f.name for f in fields(cls) if f.name not in cls.when_stored), key=lambda name: name == "bound_to")
    for key in values:
        if key not in known:
            raise ParameterError(f"{name} has no parameter {key!r}{nearest(key, known)}: it takes {', '.join(known)}")
    of = values.get("of")
    if isinstance(of, dict):
        values = values | {"of": _built(of)}
    elif isinstance(of, list):
        values = values | {"of": tuple(_built(step) if isinstance(step, dict) else step for step in of)}
    try:
        return cls(**values, **cls.when_stored)  # type: ignore[arg-type]  # the constructor checks every value
    except SqlrpError:
        raise
    except (TypeError, ValueError, ArithmeticError, AttributeError) as error:  # a value of an unexpected type
        raise ParameterError(f"{name} cannot be made of {shorten(values)}: {error}") from error


def _built(values: dict[str, object]) -> Projection:
    """The projection of a nested object of the JSON."""
    inner = dict(values)
    return build(inner.pop("projection", ""), inner)  # type: ignore[arg-type]  # build refuses any other name


__all__ = [
    "BY_NAME",
    "FUNCTIONS",
    "REGISTRY",
    "Chained",
    "Prepared",
    "Projection",
    "build",
    "from_json",
    "method_of",
]
__all__.extend(cls.__name__ for cls in REGISTRY)
