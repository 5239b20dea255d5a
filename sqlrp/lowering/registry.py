"""The lowerings, in the order in which the planner considers them."""

from __future__ import annotations

from sqlrp.core.errors import ParameterError
from sqlrp.lowering.base import Lowering
from sqlrp.lowering.compiled import Compiled
from sqlrp.lowering.indexed import Indexed
from sqlrp.lowering.inline import Inline
from sqlrp.lowering.relational import Relational

LOWERINGS: tuple[Lowering, ...] = (Inline(), Indexed(), Relational(), Compiled())

_BY_NAME = {name: lowering for lowering in LOWERINGS for name in (lowering.name, *lowering.also)}


def find(name: str) -> Lowering:
    """The lowering with that name. Raises ParameterError if there is none."""
    found = _BY_NAME.get(name) if isinstance(name, str) else None
    if found is None:
        *names, last = (lowering.name for lowering in LOWERINGS)
        raise ParameterError(f"lowering = {name!r} must be auto, {', '.join(names)} or {last}")
    return found


__all__ = ["LOWERINGS", "find"]
