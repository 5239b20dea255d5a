"""What the model of `owners.py` knows: which objects there are, whose they are, and what records say of them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from databases import FAMILY
from grounds import Ground
from hypothesis.stateful import RuleBasedStateMachine

from sqlrp import SparseProjection
from sqlrp._core.errors import SqlrpError

ENGINES = ("duckdb", "sqlite", "postgresql", *FAMILY, "clickhouse")
NAMES = ("m", "n")
PROJECTIONS = (SparseProjection(k=2, s=1, seed=1), SparseProjection(k=2, s=1, seed=2))
LEFT = "sqlrp_new_0123456789ab"
COUNTED: Counter[str] = Counter()
"""The steps, by engine and rule."""
MARKS: Iterator[int] = itertools.count()
Place = tuple[int, str]


@dataclass
class Table:
    """A table that sqlrp made: its mark, and the keys that it must have."""

    mark: int
    keys: set[int]
    renamed: bool = False


@dataclass
class Theirs:
    """A table of the user's: its rows."""

    rows: list[str]


@dataclass
class Recorded:
    """What a catalogue says of a table: the mark, and how its source was named."""

    mark: int
    source: str


@dataclass
class Searched:
    """What a catalogue says of a function that searches: the mark, and its table."""

    mark: int
    table: Place


@dataclass
class Model:
    """What there is."""

    tables: dict[Place, Table | Theirs] = field(default_factory=dict)
    records: dict[int, dict[Place, Recorded]] = field(default_factory=dict)
    """by the schema of the catalogue"""
    functions: dict[Place, int | str] = field(default_factory=dict)
    """the mark of one of sqlrp's, or what a call of the user's gives"""
    made_functions: dict[int, dict[str, int]] = field(default_factory=dict)
    searches: dict[Place, int | str] = field(default_factory=dict)
    """functions that search: the mark of one of sqlrp's, or what a call of the user's gives"""
    made_searches: dict[int, dict[str, Searched]] = field(default_factory=dict)
    installed: set[int] = field(default_factory=set)
    """the schemas with the functions of `install`"""
    theirs: dict[Place, str] = field(default_factory=dict)
    """what a call gives of the user's functions with names of those"""
    saved: dict[int, dict[str, SparseProjection]] = field(default_factory=dict)
    temporary: dict[str, list[str]] = field(default_factory=dict)
    keys: set[int] = field(default_factory=set)
    """of the source"""

    def kinds(self) -> tuple[dict[int, dict[Any, Any]], ...]:
        """The kinds of rows of a catalogue, each by the schema of the catalogue."""
        return self.records, self.made_functions, self.made_searches, self.saved


class Named(RuleBasedStateMachine):
    """What names mean, and what the model knows of it."""

    engine: ClassVar[str]
    ground: ClassVar[Ground]
    model: Model

    # -- what a name means -------------------------------------------------------------------------------

    def resolved(self, name: str, schema: int | None) -> Place:
        """The table that a name means to sqlrp: the first that is there, or else a new one."""
        if schema is not None:
            return schema, name
        path = list(self.ground.path())
        return next(((i, name) for i in path if (i, name) in self.model.tables), (path[0], name))

    @property
    def catalogue(self) -> int:
        """The schema of the catalogue."""
        path = list(self.ground.path())
        return next((i for i in path if i in self.model.records), path[0])

    def written(self, name: str, schema: int | None) -> str:
        return name if schema is None else self.ground.full((schema, name))

    def hidden(self, place: Place) -> bool:
        """Whether a temporary table makes one unreachable by any name. MariaDB's are in the current database."""
        schema, name = place
        return self.engine in FAMILY and name in self.model.temporary and schema == self.ground.current

    def source_there(self, source: str, view: bool = False) -> bool:
        """Whether the name of the source means the table t of the first schema, and nothing else. `view`: in a view."""
        if source == "temporary":
            return "t" in self.model.temporary
        if view and "t" in self.model.temporary:  # DuckDB leaves the database out of a view's text
            return False
        bare = source == "t"
        if self.hidden((0, "t")) or ("t" in self.model.temporary and bare):
            return False
        return not bare or 0 in list(self.ground.path())

    def reads_temporary(self, source: str) -> bool:
        """Whether the name of the source means one that is temporary and hides none, so that its rows may be kept."""
        return source == "t" and "t" in self.model.temporary and 0 not in list(self.ground.path())

    def is_view(self, place: Place) -> bool:
        """Whether a table of sqlrp's is a view."""
        return getattr(self.model.tables.get(place), "keys", None) is self.model.keys

    def owned(self, place: Place) -> Table | None:
        """The table of that place, if it is the one that the catalogue records."""
        table, record = self.model.tables.get(place), self.model.records.get(self.catalogue, {}).get(place)
        mine = isinstance(table, Table) and record is not None and record.mark == table.mark
        return table if mine and isinstance(table, Table) else None

    def tried(self, call: Callable[[], Any], allowed: bool) -> bool:
        """Run a call of sqlrp, which must work or raise an error of sqlrp."""
        refused = ""
        try:
            call()
        except SqlrpError as error:
            refused = f"{error}"
        assert allowed != bool(refused), refused or "it was not refused"
        return allowed

    def counted(self, what: str) -> None:
        COUNTED[f"{self.engine} {what}"] += 1

    def writable(self) -> bool:
        """Whether the catalogue can be reached."""
        return not self.hidden((self.ground.current, "sqlrp_catalogue"))

    def noted(self) -> None:
        """A call that writes makes a missing catalogue."""
        for kind in self.model.kinds():
            kind.setdefault(self.catalogue, {})

    def found_catalogue(self) -> None:
        """A refused call may have made the catalogue before, on engines without transactions for it."""
        if self.catalogue not in self.model.records and "sqlrp_catalogue" in self.ground.tables(self.catalogue):
            self.noted()

    def key(self, place: Place) -> str:
        """The name that a table has in the catalogue."""
        return place[1] if place[0] == self.catalogue else self.ground.full(place)

    @property
    def connection(self) -> Any:
        return self.ground.db.connection
