"""The steps of the model of `owners.py` that make functions: of projections, of searches, and those of `install`."""

from __future__ import annotations

from grounds import CALLED, FUNCTIONS, INSTALLED, SEARCHED, SEARCHES, THEIRS
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule
from owned import MARKS, NAMES, PROJECTIONS, Named, Place, Searched

import sqlrp
from sqlrp._core.sources import TableName


class Functions(Named):
    """Random steps of sqlrp and of a user about functions."""

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
            made = next(MARKS)
            self.model.functions[place] = made
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
        self.ground.run(FUNCTIONS[self.engine].format(name=full, value=next(MARKS)))
        self.model.functions[place] = self.called(place)

    def called(self, place: Place) -> str:
        full = place[1] if self.engine == "clickhouse" else self.ground.full(place)
        return repr(self.ground.see(CALLED[self.engine].format(name=full)))

    # -- functions that search ---------------------------------------------------------------------------

    def searching(self, name: str) -> Place:
        """The function that searches and that a name means: it is in the schema of the catalogue."""
        return self.catalogue, name

    def searched(self, name: str) -> Searched | None:
        """What the catalogue says of a function that searches."""
        return self.model.made_searches.get(self.catalogue, {}).get(name)

    def own_search(self, name: str) -> bool:
        """Whether a recorded function is there, and is the one of the record."""
        record = self.searched(name)
        return record is not None and self.model.searches.get(self.searching(name)) == record.mark

    def others_search(self, name: str) -> bool:
        """Whether the user's own function has the name of a recorded one."""
        return self.searching(name) in self.model.searches and not self.own_search(name)

    def searches_of(self, table: Place) -> list[str]:
        """The names of the recorded functions that search a table."""
        return [name for name, of in self.model.made_searches.get(self.catalogue, {}).items() if of.table == table]

    def made_search(self, name: str, table: Place) -> None:
        """A function was made, in the place of an old one of sqlrp's."""
        if self.own_search(name):
            del self.model.searches[self.searching(name)]
        mark = next(MARKS)
        self.model.made_searches[self.catalogue][name] = Searched(mark, table)
        self.model.searches[self.searching(name)] = mark

    @precondition(lambda self: self.engine in SEARCHES)
    @rule(name=st.sampled_from("uv"), into=st.sampled_from(NAMES), replace=st.booleans())
    def create_search(self, name: str, into: str, replace: bool) -> None:
        self.counted("create_search")
        table = self.resolved(into, None)
        record, owned = self.model.records.get(self.catalogue, {}).get(table), self.owned(table)
        if record is not None and record.source == "temporary":
            return
        reached = record is not None and owned is not None and self.source_there(record.source, self.is_view(table))
        there = self.model.searches.get(self.searching(name))
        free = there is None or (self.own_search(name) and replace)

        def call() -> None:
            sqlrp.create_search(self.connection, into, name, replace=replace)

        if self.tried(call, reached and free):
            assert owned is not None
            self.made_search(name, table)
            assert self.found_by(self.searching(name)) == sorted(owned.keys), "it names its tables in full"
        else:
            self.found_catalogue()

    def found_by(self, place: Place) -> list[int]:
        """The keys that a search gives for all rows."""
        return sorted(key for key, *_ in self.ground.see(SEARCHED[self.engine].format(name=self.ground.full(place))))

    @precondition(lambda self: self.engine in SEARCHES)
    @rule(name=st.sampled_from("uv"))
    def drop_search(self, name: str) -> None:
        self.counted("drop_search")
        allowed = self.searched(name) is not None and not self.others_search(name)
        if self.tried(lambda: sqlrp.drop_search(self.connection, name), allowed):
            self.forget_search(name)
        else:
            self.found_catalogue()

    def forget_search(self, name: str) -> None:
        """A record is gone, and its function with it."""
        if self.own_search(name):
            del self.model.searches[self.searching(name)]
        del self.model.made_searches[self.catalogue][name]

    @precondition(lambda self: self.engine in SEARCHES)
    @rule(name=st.sampled_from("uv"), drop=st.booleans())
    def user_search(self, name: str, drop: bool) -> None:
        self.counted("user's search")
        place = self.searching(name)
        if self.model.searches.pop(place, None) is not None:
            self.ground.run(self.ground.db.engine.dropping_search(TableName.parse(self.ground.full(place))))
        if not drop:
            self.ground.run(SEARCHES[self.engine].format(name=self.ground.full(place), value=next(MARKS)))
            self.model.searches[place] = self.result_of_search(place)

    def result_of_search(self, place: Place) -> str:
        return repr(self.ground.see(SEARCHED[self.engine].format(name=self.ground.full(place))))

    # -- functions of install ----------------------------------------------------------------------------

    @precondition(lambda self: self.engine in INSTALLED)
    @rule()
    def install(self) -> None:
        self.counted("install")
        here = next(self.ground.path())
        if self.tried(lambda: sqlrp.install(self.connection), not any(i == here for i, _ in self.model.theirs)):
            for kind in self.model.kinds():
                kind.setdefault(here, {})
            self.model.installed.add(here)
            self.ground.see(INSTALLED[self.engine].format(name=self.ground.full((here, "rp_vector"))))
        else:
            self.found_catalogue()

    @precondition(lambda self: self.engine in INSTALLED)
    @rule()
    def uninstall(self) -> None:
        self.counted("uninstall")
        here = next(self.ground.path())
        self.tried(lambda: sqlrp.uninstall(self.connection), True)
        self.model.installed.discard(here)
        if not any(kind.get(here) for kind in self.model.kinds()):
            for kind in self.model.kinds():
                kind.pop(here, None)

    @precondition(lambda self: self.engine in INSTALLED)
    @rule(name=st.sampled_from(("rp_vector", "sqlrp_whole")), schema=st.integers(0, 1), drop=st.booleans())
    def user_installed(self, name: str, schema: int, drop: bool) -> None:
        """A function of the user's with a name of those of `install`."""
        self.counted("user's function of a name of install's")
        place = (schema, name)
        if drop:
            if self.model.theirs.pop(place, None) is not None:
                kind = "MACRO {}" if self.engine == "duckdb" else "FUNCTION {}(integer)"
                self.ground.run(f"DROP {kind.format(self.ground.full(place))}")
            return
        self.ground.run(THEIRS[self.engine].format(name=self.ground.full(place), value=next(MARKS)))
        self.model.theirs[place] = self.result_of_theirs(place)

    def result_of_theirs(self, place: Place) -> str:
        return repr(self.ground.see(f"SELECT {self.ground.full(place)}(7)"))

    # -- what must hold ----------------------------------------------------------------------------------

    @invariant()
    def functions_of_the_user_s_are_as_they_were(self) -> None:
        if not hasattr(self, "model"):
            return
        for place, made in self.model.functions.items():
            if isinstance(made, str):
                assert self.called(place) == made, f"function {place} is the user's"
        for place, given in self.model.theirs.items():
            assert self.result_of_theirs(place) == given, f"function {place} is the user's"
        for place, found in self.model.searches.items():
            if isinstance(found, str):
                assert self.result_of_search(place) == found, f"search {place} is the user's"

    @invariant()
    def no_function_is_left_over(self) -> None:
        if not hasattr(self, "model") or self.engine not in INSTALLED:
            return
        for schema in {0, 1} - self.model.installed:
            known = {
                n for of in (self.model.functions, self.model.searches, self.model.theirs) for i, n in of if i == schema
            }
            assert self.ground.functions(schema) == known
