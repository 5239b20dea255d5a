"""A model of who owns what, against which random calls of sqlrp and of a user are compared, on every engine.

`make owners STEPS=10000` runs so many steps on each engine. The rule: nothing of
the user's is ever changed, a call that would change it raises an error of sqlrp, and what sqlrp owns has all its rows.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from databases import DOUBLES, FAMILY
from grounds import CALLED, FUNCTIONS, TEMPORARY, Ground
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import sqlrp
from sqlrp import SparseProjection
from sqlrp._core.errors import SqlrpError
from sqlrp._core.sources import TableName
from sqlrp._store.naming import temporary_name

ENGINES = ("duckdb", "sqlite", "postgresql", *FAMILY, "clickhouse")
NAMES = ("m", "n")
PROJECTIONS = (SparseProjection(k=2, s=1, seed=1), SparseProjection(k=2, s=1, seed=2))
LEFT = "sqlrp_new_0123456789ab"
COUNTED: Counter[str] = Counter()
"""The steps, by engine and rule."""
_marks = itertools.count()
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
class Model:
    """What there is."""

    tables: dict[Place, Table | Theirs] = field(default_factory=dict)
    records: dict[int, dict[Place, Recorded]] = field(default_factory=dict)
    """by the schema of the catalogue"""
    functions: dict[Place, int | str] = field(default_factory=dict)
    """the mark of one of sqlrp's, or what a call of the user's gives"""
    made_functions: dict[int, dict[str, int]] = field(default_factory=dict)
    saved: dict[int, dict[str, SparseProjection]] = field(default_factory=dict)
    temporary: dict[str, list[str]] = field(default_factory=dict)
    keys: set[int] = field(default_factory=set)
    """of the source"""


class Owners(RuleBasedStateMachine):
    """Random steps of sqlrp and of a user."""

    engine: ClassVar[str]
    ground: ClassVar[Ground]

    @initialize()
    def start(self) -> None:
        self.ground.fresh()
        self.model = Model(keys={1, 2, 3})
        self.next = 4
        double = DOUBLES[self.engine]
        rows = [[key, 1.5, 2.5, key] for key in self.model.keys]
        self.ground.db.make("t", [("id", "BIGINT"), *((name, double) for name in "abc")], rows)

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

    def source_there(self, source: str) -> bool:
        """Whether the name of the source means the table t of the first schema, and nothing else."""
        if source == "temporary":
            return "t" in self.model.temporary
        bare = source == "t"
        if self.hidden((0, "t")) or ("t" in self.model.temporary and bare):
            return False
        return not bare or 0 in list(self.ground.path())

    def reads_temporary(self, source: str) -> bool:
        """Whether the name of the source means one that is temporary and hides none, so that its rows may be kept."""
        return source == "t" and "t" in self.model.temporary and 0 not in list(self.ground.path())

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

    # -- calls of sqlrp ----------------------------------------------------------------------------------

    def writable(self) -> bool:
        """Whether the catalogue can be reached."""
        return not self.hidden((self.ground.current, "sqlrp_catalogue"))

    def noted(self) -> None:
        """A call that writes makes a missing catalogue."""
        for kind in (self.model.records, self.model.made_functions, self.model.saved):
            kind.setdefault(self.catalogue, {})

    @rule(name=st.sampled_from("pq"), which=st.integers(0, 1), replace=st.booleans())
    def save(self, name: str, which: int, replace: bool) -> None:
        self.counted("save")
        old = self.model.saved.get(self.catalogue, {}).get(name)
        new = PROJECTIONS[which]
        allowed = self.writable() and (old in (None, new) or replace)
        if self.tried(lambda: sqlrp.save(new, self.connection, name, replace=replace), allowed):
            self.noted()
            self.model.saved[self.catalogue][name] = new

    @rule()
    def saved(self) -> None:
        self.counted("saved")
        if self.writable():
            assert sqlrp.saved(self.connection) == self.model.saved.get(self.catalogue, {})

    @rule(
        name=st.sampled_from(NAMES),
        schema=st.sampled_from((None, 0, 1)),
        which=st.integers(0, 1),
        replace=st.booleans(),
        bare=st.booleans(),
        view=st.booleans(),
    )
    def materialize(self, name: str, schema: int | None, which: int, replace: bool, bare: bool, view: bool) -> None:
        self.counted("materialize")
        if self.engine == "duckdb" and schema not in (None, self.ground.current):
            return  # a transaction of DuckDB writes to one database
        place = self.resolved(name, schema)
        source = "t" if bare else self.ground.full((0, "t"))
        view = view and self.engine == "duckdb" and self.ground.current == 0
        free = place not in self.model.tables or (replace and self.owned(place) is not None)
        temporary = self.reads_temporary(source)
        reached = self.writable() and not self.hidden(place) and (temporary or self.source_there(source))
        way = (place[0], self.way(place)) in self.model.tables
        into = self.written(name, schema)
        kind = "view" if view else "table"

        def call() -> None:
            sqlrp.materialize(PROJECTIONS[which], source, self.connection, into, replace=replace, kind=kind)

        if self.tried(call, free and reached and not way):
            self.noted()
            mark = next(_marks)
            keys = {1} if temporary else self.model.keys if view else set(self.model.keys)
            self.model.tables[place] = Table(mark, keys)
            self.model.records[self.catalogue][place] = Recorded(mark, "temporary" if temporary else source)
        elif self.writable():
            self.found_catalogue()

    def found_catalogue(self) -> None:
        """A refused call may have made the catalogue before, on engines without transactions for it."""
        if self.catalogue not in self.model.records and "sqlrp_catalogue" in self.ground.tables(self.catalogue):
            self.noted()

    @rule(name=st.sampled_from(NAMES), schema=st.sampled_from((None, 0, 1)), everything=st.booleans())
    def refresh(self, name: str, schema: int | None, everything: bool) -> None:
        self.counted("refresh")
        if self.engine == "duckdb" and schema not in (None, self.ground.current):
            return
        place = self.resolved(name, schema)
        table = self.owned(place)
        reached = self.writable() and not self.hidden(place)
        record = self.model.records.get(self.catalogue, {}).get(place)
        right = record is not None and self.source_there(record.source)
        way = (place[0], self.way(place)) in self.model.tables
        # On ClickHouse a helper table has the same name; without new rows none is made.
        of = {1} if record is not None and record.source == "temporary" else self.model.keys
        new = table is not None and bool(of - table.keys)
        free = not way or not (everything or (self.engine == "clickhouse" and new))
        allowed = table is not None and reached and right and free
        into = self.written(name, schema)
        if self.tried(lambda: sqlrp.refresh(self.connection, into, everything=everything), allowed):
            assert table is not None
            assert record is not None
            if everything:
                mark = next(_marks)
                same = of if table.keys is of else set(of)
                self.model.tables[place] = Table(mark, same)
                self.model.records[self.catalogue][place] = Recorded(mark, record.source)
            else:
                table.keys |= of

    @rule(repair=st.booleans())
    def check(self, repair: bool) -> None:
        self.counted("check")
        if not self.writable():
            self.tried(lambda: sqlrp.check(self.connection, repair=repair), False)
            return
        found = {
            (f.kind, f.name) for f in sqlrp.check(self.connection, repair=repair) if f.kind in ("table", "function")
        }
        wanted = {
            ("table", self.key(place)) for place in self.model.records.get(self.catalogue, {}) if not self.owned(place)
        }
        for name, mark in self.model.made_functions.get(self.catalogue, {}).items():
            if self.model.functions.get(self.function(name)) != mark:
                wanted.add(("function", name))
        assert found == wanted

    def key(self, place: Place) -> str:
        """The name that a table has in the catalogue."""
        return place[1] if place[0] == self.catalogue else self.ground.full(place)

    # -- functions ---------------------------------------------------------------------------------------

    def function(self, name: str) -> Place:
        """The function that a name means; those of ClickHouse are in no database."""
        if self.engine == "clickhouse":
            return 0, name
        path = list(self.ground.path())
        return next(((i, name) for i in path if (i, name) in self.model.functions), (path[0], name))

    @precondition(lambda self: self.engine in FUNCTIONS)
    @rule(name=st.sampled_from("fg"), which=st.integers(0, 1), replace=st.booleans())
    def create_function(self, name: str, which: int, replace: bool) -> None:
        self.counted("create_function")
        place, new = self.function(name), PROJECTIONS[which]
        there, mark = self.model.functions.get(place), self.model.made_functions.get(self.catalogue, {}).get(name)
        allowed = there is None or (there == mark and replace)
        if there is not None and there == mark and not replace:
            return  # it depends on the projection

        def call() -> None:
            sqlrp.create_function(new, self.connection, name, n_features=2, replace=replace)

        if self.tried(call, allowed):
            self.noted()
            made = next(_marks)
            into = (0, name) if self.engine == "clickhouse" else (next(self.ground.path()), name)
            self.model.functions[into] = made
            self.model.made_functions[self.catalogue][name] = made
        else:
            self.found_catalogue()

    @precondition(lambda self: self.engine in FUNCTIONS)
    @rule(name=st.sampled_from("fg"))
    def drop_function(self, name: str) -> None:
        self.counted("drop_function")
        place = self.function(name)
        there, mark = self.model.functions.get(place), self.model.made_functions.get(self.catalogue, {}).get(name)
        if self.tried(lambda: sqlrp.drop_function(self.connection, name), mark is not None and there in (None, mark)):
            self.model.functions.pop(place, None)
            del self.model.made_functions[self.catalogue][name]
        else:
            self.found_catalogue()

    @precondition(lambda self: self.engine in FUNCTIONS)
    @rule(name=st.sampled_from("fg"), drop=st.booleans())
    def user_function(self, name: str, drop: bool) -> None:
        self.counted("user's function")
        place = self.function(name)
        full = name if self.engine == "clickhouse" else self.ground.full(place)
        if drop:
            if self.model.functions.pop(place, None) is not None:
                self.ground.run(self.ground.db.engine.dropping_function(TableName.parse(full)))
            return
        self.ground.run(FUNCTIONS[self.engine].format(name=full, value=next(_marks)))
        self.model.functions[place] = self.called(place)

    def called(self, place: Place) -> str:
        full = place[1] if self.engine == "clickhouse" else self.ground.full(place)
        return repr(self.ground.see(CALLED[self.engine].format(name=full)))

    # -- steps of the user -------------------------------------------------------------------------------

    @rule()
    def add_row(self) -> None:
        self.counted("user's row")
        if self.hidden((0, "t")):
            return
        self.ground.run(f"INSERT INTO {self.ground.quoted((0, 't'))} VALUES ({self.next}, 1.5, 2.5, {self.next})")
        self.model.keys.add(self.next)
        self.next += 1

    @rule(name=st.sampled_from((*NAMES, LEFT)), schema=st.integers(0, 1))
    def drop_table(self, name: str, schema: int) -> None:
        self.counted("user's drop")
        place = (schema, name)
        if place not in self.model.tables or self.hidden(place):
            return
        view = self.engine == "duckdb" and getattr(self.model.tables[place], "keys", None) is self.model.keys
        self.ground.run(f"DROP {'VIEW' if view else 'TABLE'} {self.ground.quoted(place)}")
        del self.model.tables[place]

    @rule(name=st.sampled_from((*NAMES, LEFT)), schema=st.integers(0, 1))
    def make_table(self, name: str, schema: int) -> None:
        """A table with the columns that sqlrp's have."""
        self.counted("user's table")
        place = (schema, name)
        if place in self.model.tables or self.hidden(place):
            return
        self.make_theirs(place)

    def make_theirs(self, place: Place) -> None:
        self.ground.make(self.ground.quoted(place), f"SELECT 1 AS id, {next(_marks)}.5 AS z0, 2.5 AS z1")
        self.model.tables[place] = Theirs(self.ground.rows(place))

    def way(self, place: Place) -> str:
        """The name of the intermediate table."""
        return temporary_name(TableName.parse(self.ground.full(place))).parts[-1]

    @rule(name=st.sampled_from(NAMES), schema=st.integers(0, 1), drop=st.booleans())
    def table_in_the_way(self, name: str, schema: int, drop: bool) -> None:
        self.counted("user's table in the way")
        place = (schema, self.way((schema, name)))
        if place in self.model.tables:
            if drop:
                self.ground.run(f"DROP TABLE {self.ground.quoted(place)}")
                del self.model.tables[place]
        elif not drop:
            self.make_theirs(place)

    @rule(schema=st.integers(0, 1), back=st.booleans())
    def rename(self, schema: int, back: bool) -> None:
        self.counted("user's rename")
        old, new = ((schema, name) for name in (NAMES[::-1] if back else NAMES))
        table = self.model.tables.get(old)
        views = isinstance(table, Table) and table.keys is self.model.keys
        if table is None or views or new in self.model.tables or self.hidden(old) or self.hidden(new):
            return
        if self.engine in (*FAMILY, "clickhouse"):
            self.ground.run(f"RENAME TABLE {self.ground.quoted(old)} TO {self.ground.quoted(new)}")
        else:
            self.ground.run(f"ALTER TABLE {self.ground.quoted(old)} RENAME TO {new[1]}")
        self.model.tables[new] = self.model.tables.pop(old)

    @rule(name=st.sampled_from(TEMPORARY))
    def make_temporary(self, name: str) -> None:
        self.counted("temporary table")
        if name in self.model.temporary:
            noun = "TEMPORARY TABLE" if self.engine in (*FAMILY, "clickhouse") else "TABLE"
            place = {"duckdb": "temp.main.", "sqlite": "temp.", "postgresql": "pg_temp."}.get(self.engine, "")
            self.ground.run(f"DROP {noun} {place}{name}")
            del self.model.temporary[name]
            return
        columns = "1 AS id, 7.5 AS a, 8.5 AS b, 9.5 AS c"
        if name == "sqlrp_catalogue":
            columns = "'projection' AS kind, 'p' AS name, '{}' AS definition, '' AS fingerprint, '' AS version"
        elif name != "t":
            columns = "1 AS id, 7.5 AS z0, 8.5 AS z1"
        self.ground.make(name, f"SELECT {columns}", temporary=True)
        self.model.temporary[name] = self.temporary_rows(name)

    def temporary_rows(self, name: str) -> list[str]:
        return sorted(map(repr, self.ground.db.run_query(f"SELECT * FROM {name}")))

    @precondition(lambda self: self.engine != "sqlite")
    @rule(schema=st.integers(0, 1))
    def use(self, schema: int) -> None:
        self.counted("another schema first")
        if self.engine in FAMILY:
            self.ground.forget_temporary()
            self.model.temporary.clear()
        self.ground.use(schema)

    @precondition(lambda self: self.engine == "postgresql")
    @rule(name=st.sampled_from(NAMES), call=st.integers(0, 3))
    def as_guest(self, name: str, call: int) -> None:
        """A role that may only read changes nothing."""
        self.counted("without rights")
        calls = (
            lambda: sqlrp.save(PROJECTIONS[0], self.connection, "r"),
            lambda: sqlrp.materialize(PROJECTIONS[0], self.ground.full((0, "t")), self.connection, name, replace=True),
            lambda: sqlrp.refresh(self.connection, name, everything=True),
            lambda: sqlrp.create_function(PROJECTIONS[0], self.connection, "f", n_features=2, replace=True),
        )
        self.ground.run(f"SET ROLE {self.ground.roles[0]}")
        try:
            self.tried(calls[call], False)
        finally:
            self.ground.run("RESET ROLE")

    # -- what must hold ----------------------------------------------------------------------------------

    @property
    def connection(self) -> Any:
        return self.ground.db.connection

    @invariant()
    def nothing_of_the_user_s_is_changed(self) -> None:
        if not hasattr(self, "model"):
            return
        for place, table in self.model.tables.items():
            if isinstance(table, Theirs):
                assert self.ground.rows(place) == table.rows, f"{place} is the user's"
            else:
                keys = [key for (key,) in self.ground.see(f"SELECT id FROM {self.ground.quoted(place)}")]
                # A view of DuckDB reads a temporary table of its source's name: both are in a schema main.
                seen = {1} if table.keys is self.model.keys and "t" in self.model.temporary else table.keys
                assert sorted(keys) == sorted(seen), f"{place} is sqlrp's"
        for name, rows in self.model.temporary.items():
            assert self.temporary_rows(name) == rows, f"temporary {name}"
        for place, made in self.model.functions.items():
            if isinstance(made, str):
                assert self.called(place) == made, f"function {place} is the user's"
        for schema in (0, 1):
            known = {name for i, name in self.model.tables if i == schema}
            assert self.ground.tables(schema) - {"t", "sqlrp_catalogue"} == known


def run(engine: str, examples: int, steps: int, drawn: int | None = None) -> None:
    """Compare the model with an engine."""
    with tempfile.TemporaryDirectory() as folder:
        ground = Ground(engine, Path(folder))
        machine = type(f"Owners_{engine}", (Owners,), {"engine": engine, "ground": ground})
        if drawn is not None:
            machine = seed(drawn)(machine)
        try:
            run_state_machine_as_test(
                machine,
                settings=settings(
                    max_examples=examples,
                    stateful_step_count=steps,
                    derandomize=drawn is None,
                    database=None,
                    deadline=None,
                    phases=(Phase.generate, Phase.shrink),
                    suppress_health_check=list(HealthCheck),
                ),
            )
        finally:
            ground.close()


def main() -> int:
    """Run many steps, and count them."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--steps", type=int, default=10_000)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--engine", choices=ENGINES, action="append")
    options = asked.parse_args()
    for engine in options.engine or ENGINES:
        begun, drawn = time.monotonic(), options.seed
        while sum(n for what, n in COUNTED.items() if what.startswith(engine)) < options.steps:
            run(engine, examples=20, steps=50, drawn=drawn)
            drawn += 1
            print(f"{engine}, seed {drawn - 1}: {sum(COUNTED.values()):,} steps of all engines", flush=True)
        each = {what.partition(" ")[2]: n for what, n in sorted(COUNTED.items()) if what.startswith(engine)}
        print(f"{engine}: {sum(each.values()):,} steps in {time.monotonic() - begun:,.0f} s: {each}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
