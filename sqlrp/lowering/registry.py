"""The lowerings, in the order in which the planner considers them."""

from __future__ import annotations

from sqlrp.core.errors import ParameterError, warn
from sqlrp.lowering.base import Lowering
from sqlrp.lowering.compiled import Compiled
from sqlrp.lowering.indexed import Indexed
from sqlrp.lowering.inline import Inline
from sqlrp.lowering.relational import Relational

LOWERINGS: tuple[Lowering, ...] = (Inline(), Indexed(), Relational(), Compiled())

AUTO, SQL = "auto", "sql"
"""What a caller passes to leave the choice to the planner: among all lowerings, or among those in plain SQL."""

_BY_NAME: dict[str, Lowering] = {lowering.name: lowering for lowering in LOWERINGS}
_OLD = {"kernel": "compiled"}
"""The old names of lowerings, with the names that replaced them."""


def find(name: str) -> Lowering:
    """The lowering with that name. Warns about an old name. Raises ParameterError if there is none."""
    new = _OLD.get(name) if isinstance(name, str) else None
    if new is not None:
        warn(f"lowering = {name!r} is the old name of {new!r}: use lowering = {new!r}", DeprecationWarning)
    found = _BY_NAME.get(new or name) if isinstance(name, str) else None
    if found is None:
        *names, last = (AUTO, SQL, *(lowering.name for lowering in LOWERINGS))
        raise ParameterError(f"lowering = {name!r} must be {', '.join(names)} or {last}")
    return found


def requested(name: str) -> Lowering | None:
    """The lowering that a caller asks for by its name; None if the planner is to choose. Raises like `find`."""
    return None if name in (AUTO, SQL) else find(name)


__all__ = ["AUTO", "LOWERINGS", "SQL", "find", "requested"]
