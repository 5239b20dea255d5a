"""The lowerings, in the order in which the planner considers them."""

from __future__ import annotations

from sqlrp._core.errors import ParameterError
from sqlrp._lowering.indexed import Indexed
from sqlrp._lowering.inline import Inline
from sqlrp._lowering.lowering import Lowering
from sqlrp._lowering.native import Native
from sqlrp._lowering.relational import Relational

LOWERINGS: tuple[Lowering, ...] = (Inline(), Indexed(), Relational(), Native())

AUTO, SQL = "auto", "sql"
"""What a caller passes to leave the choice to the planner: among all lowerings, or among those in plain SQL."""

_BY_NAME: dict[str, Lowering] = {lowering.name: lowering for lowering in LOWERINGS}


def find(name: str) -> Lowering:
    """The lowering with that name. Raises ParameterError if there is none."""
    found = _BY_NAME.get(name) if isinstance(name, str) else None
    if found is None:
        *names, last = (AUTO, SQL, *(lowering.name for lowering in LOWERINGS))
        raise ParameterError(f"lowering = {name!r} must be {', '.join(names)} or {last}")
    return found


def requested(name: str) -> Lowering | None:
    """The lowering that a caller asks for by its name; None if the planner is to choose. Raises like `find`."""
    return None if name in (AUTO, SQL) else find(name)


__all__ = ["AUTO", "LOWERINGS", "SQL", "find", "requested"]
