"""A model of who owns what, against which random calls of sqlrp and of a user are compared, on every engine.

`make owners STEPS=10000` runs so many steps on each engine. The rule: nothing of
the user's is ever changed, a call that would change it raises an error of sqlrp, and what sqlrp owns has all its rows.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from databases import DOUBLES, FAMILY
from grounds import TEMPORARY, Ground
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from owned import (
    COUNTED,
    ENGINES,
    LEFT,
    MARKS,
    NAMES,
    PROJECTIONS,
    Model,
    Place,
    Recorded,
    Table,
    Theirs,
)
from owners_functions import Functions

import sqlrp
from sqlrp._core.sources import TableName
from sqlrp._store.auxiliary_names import temporary_name


class Owners(Functions):
    """Random steps of sqlrp and of a user."""

    @initialize()
    def start(self) -> None:
        self.ground.fresh()
        self.model = Model(keys={1, 2, 3})
        self.next = 4
        double = DOUBLES[self.engine]
        rows = [[key, 1.5, 2.5, key] for key in self.model.keys]
        self.ground.db.make("t", [("id", "BIGINT"), *((name, double) for name in "abc")], rows)

    # -- calls of sqlrp ----------------------------------------------------------------------------------

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
        reached = self.writable() and not self.hidden(place) and (temporary or self.source_there(source, view))
        way = (place[0], self.way(place)) in self.model.tables
        searches = self.searches_of(place)
        way = way or any(map(self.others_search, searches))
        into = self.written(name, schema)
        kind = "view" if view else "table"

        def call() -> None:
            sqlrp.materialize(PROJECTIONS[which], source, self.connection, into, replace=replace, kind=kind)

        if self.tried(call, free and reached and not way):
            self.noted()
            mark = next(MARKS)
            keys = {1} if temporary else self.model.keys if view else set(self.model.keys)
            self.model.tables[place] = Table(mark, keys)
            self.model.records[self.catalogue][place] = Recorded(mark, "temporary" if temporary else source)
            for search in searches:
                self.made_search(search, place)
        elif self.writable():
            self.found_catalogue()

    @rule(name=st.sampled_from(NAMES), schema=st.sampled_from((None, 0, 1)), everything=st.booleans())
    def refresh(self, name: str, schema: int | None, everything: bool) -> None:
        self.counted("refresh")
        if self.engine == "duckdb" and schema not in (None, self.ground.current):
            return
        place = self.resolved(name, schema)
        table = self.owned(place)
        reached = self.writable() and not self.hidden(place)
        record = self.model.records.get(self.catalogue, {}).get(place)
        right = record is not None and self.source_there(record.source, self.is_view(place))
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
                mark = next(MARKS)
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
            (f.kind, f.name)
            for f in sqlrp.check(self.connection, repair=repair)
            if f.kind in ("table", "function", "search")
        }
        wanted = {
            ("table", self.key(place))
            for place, record in self.model.records.get(self.catalogue, {}).items()
            if not self.owned(place)
            or not (record.source == "temporary" or self.source_there(record.source, self.is_view(place)))
        }
        for name, mark in self.model.made_functions.get(self.catalogue, {}).items():
            if self.model.functions.get(self.function(name)) != mark:
                wanted.add(("function", name))
        for name in list(self.model.made_searches.get(self.catalogue, {})):
            if not self.own_search(name):
                wanted.add(("search", name))
                if repair:
                    self.forget_search(name)
        if self.catalogue in self.model.installed:
            wanted |= {("function", name) for i, name in self.model.theirs if i == self.catalogue}
        assert found == wanted, found ^ wanted

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
        view = self.engine == "duckdb" and self.is_view(place)
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
        self.ground.make(self.ground.quoted(place), f"SELECT 1 AS id, {next(MARKS)}.5 AS z0, 2.5 AS z1")
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
        for schema in (0, 1):
            made = (self.model.tables, self.model.searches) if self.engine == "clickhouse" else (self.model.tables,)
            known = {name for of in made for i, name in of if i == schema}  # its searches are views
            assert self.ground.tables(schema) - {"t", "sqlrp_catalogue"} == known


def run(engine: str, examples: int, steps: int, drawn: int | None = None, shrinks: bool = True) -> None:
    """Compare the model with an engine. `shrinks`: whether a failure is made short, which may take minutes."""
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
                    phases=(Phase.generate, *([Phase.shrink] if shrinks else [])),
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
    asked.add_argument("--shrink", action=argparse.BooleanOptionalAction, default=True)
    options = asked.parse_args()
    for engine in options.engine or ENGINES:
        begun, drawn = time.monotonic(), options.seed
        while sum(n for what, n in COUNTED.items() if what.startswith(engine)) < options.steps:
            run(engine, examples=20, steps=50, drawn=drawn, shrinks=options.shrink)
            drawn += 1
            print(f"{engine}, seed {drawn - 1}: {sum(COUNTED.values()):,} steps of all engines", flush=True)
        each = {what.partition(" ")[2]: n for what, n in sorted(COUNTED.items()) if what.startswith(engine)}
        print(f"{engine}: {sum(each.values()):,} steps in {time.monotonic() - begun:,.0f} s: {each}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
