"""The table `sqlrp_catalogue`: where it is, and how its rows are read and written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Any

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import SourceError, StatementError, UnreachableError, shorten
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass
from sqlrp._core.version import VERSION
from sqlrp._dialects.dialect import Dialect
from sqlrp._dialects.table_queries import OLD
from sqlrp._projections.projection import Projection
from sqlrp._store import stored
from sqlrp._store.auxiliary_names import hashed, is_temporary, old_name, temporary_name

CATALOGUE = "sqlrp_catalogue"
"""The table that lists what is installed and saved in a database."""

TABLE = TableName((CATALOGUE,))
FORMATS = "format"
"""The kind of the rows that name the formats of the catalogue."""
RECORDED, MAKING = "materialized", "materializing"
"""The kinds of the records of tables (`sqlrp._store.records`)."""
SEARCH, NAMED = "search", "named function"
"""The kinds of the records of functions: those that search, and those of `create_function`."""
_COLUMNS = ("kind", "name", "definition", "fingerprint", "version")
_READ = ", ".join(_COLUMNS[1:])
_KIND = 40
"""The most characters of a kind."""
_PARTS, _PART, _PRINT, _VERSION = "sqlrp.parts", "sqlrp.part.{}", "sqlrp.fingerprint", "sqlrp.version"
"""The properties of a table or a view that have a record."""
_SAVED = "sqlrp.saved"
"""The property of a view that has the kind and the name of its record."""
_VIEW = re.compile("sqlrp_([a-z]+)_[0-9a-f]{12}")
"""The name of such a view."""
_OF_NAMED = '"projection": {'
"""What the record of a function of `create_function` has, and that of a search has not."""
_COMMENT = re.compile(r'Comment: *(\{.*"mark": "sqlrp_[0-9a-f]{32}".*\})\s*')
"""What is said of a function that has a record."""
_LONGEST = 4_000
"""the longest value of a property, in characters, that every version of Hive's metastore stores"""


@dataclass(frozen=True)
class Row:
    """A row of the catalogue. Its values are text, unless another program wrote them."""

    name: object
    definition: object = None
    fingerprint: object = None
    version: object = None

    def read(self) -> Projection:
        """The projection. Raises SourceError if it cannot be read."""
        return stored.read(self.definition, self.fingerprint)


def create_catalogue(dialect: Dialect, name: TableName = TABLE) -> str:
    """The statement that creates the catalogue if it does not exist."""
    short, long = dialect.text_type(250), dialect.text_type(None)
    kind = dialect.text_type(_KIND) if dialect.fills else short  # some engines bound the bytes of a key
    required, unique = (" NOT NULL", ", PRIMARY KEY (kind, name)") if dialect.constraints else ("", "")
    return (
        f"{dialect.creating_once} {dialect.table(name)} (kind {kind}{required}, name {short}{required}, "
        f"definition {long}, fingerprint {short}, version {short}{unique}){dialect.stored_as}"
    )


@dataclass
class Catalogue:
    """The catalogue as one call found it, or made it.

    Its statements name it in full, so that a temporary table of its name is neither read nor written.
    """

    connector: Connector
    session: Any
    place: TableName
    """its name in full"""
    there: bool
    formats: Sequence[object] = ()
    """the numbers of its format, which `found` reads"""
    late: bool = False
    """whether the call makes a missing catalogue only where it writes a row, so that one that is refused leaves none"""

    @staticmethod
    def looked_up(connector: Connector, session: Any) -> Catalogue:
        """The catalogue in a session. Raises SourceError if using it could run code of other users."""
        place = connector.catalogue_place(session, TABLE)
        if place.hidden and not connector.dialect.reaches_hidden:
            raise hidden(CATALOGUE)
        if connector.dialect.records_in_tables:
            return TableRecords(connector, session, place.name, there=True)
        found = Catalogue(connector, session, place.name, place.there)
        if found.there:
            unsafe = connector.why_unsafe(session, place.name)
            if unsafe:
                raise SourceError(f"{CATALOGUE} {unsafe} (SECURITY.md)")
            # To read it before could run a function of another user's.
            connector.foresee(session)
        return found

    @staticmethod
    def found(connector: Connector, session: Any) -> Catalogue:
        """The same, for an empty catalogue or one of the format of this release. Raises SourceError for any other."""
        found = Catalogue.looked_up(connector, session)
        numbers = found.names(FORMATS)
        stored.check_format(numbers)
        if not numbers and found.has_rows():
            raise SourceError(
                f"{CATALOGUE} has rows and no format, as another program removed it: "
                "sqlrp.check with repair=True writes it"
            )
        return replace(found, formats=tuple(numbers))

    def has_rows(self) -> bool:
        """Whether there is a row."""
        query = self.connector.dialect.limited(f"SELECT kind FROM {self.table}", 1)
        return self.there and bool(self.connector.rows(self.session, query))

    @property
    def table(self) -> str:
        """Its name as written after FROM."""
        return self.connector.dialect.table(self.place)

    def made(self) -> Catalogue:
        """The catalogue with the number of its format, made if it is missing."""
        if self.there and self.formats:
            return self
        if not self.there:
            self.connector.execute(self.session, create_catalogue(self.connector.dialect, self.place))
        # Another process may have been first.
        there = Catalogue.found(self.connector, self.session)
        if not there.formats:
            there.put(FORMATS, str(stored.FORMAT), "", "")
        return there

    def make_late(self) -> None:
        """Make the catalogue if it is missing, as a row is about to be written."""
        if not self.late:
            return
        self.late = False
        try:
            with self.connector.making_catalogue(self.session, CATALOGUE):
                self.made()
        except UnreachableError:
            raise
        except StatementError as error:  # another process may have been first
            try:
                formats = Catalogue.found(self.connector, self.session).formats
            except StatementError:  # the error has broken the transaction
                raise error from None
            if not formats:
                raise
        self.there, self.formats = True, (str(stored.FORMAT),)

    def key(self, place: TableName) -> str:
        """The name that a record has: as written in SQL, without what it shares with the catalogue's."""
        shared = 0
        if len(place.parts) == len(self.place.parts):
            while shared < len(place.parts) - 1 and place.parts[shared] == self.place.parts[shared]:
                shared += 1
        return name_of(TableName(place.parts[shared:]))

    def place_of(self, key: str) -> TableName:
        """The name in full of a record's name. Raises SourceError for one that no table and no function can have."""
        name = TableName.parse(key)
        self.connector.dialect.table(name)  # refuses what is too long
        parts, most = name.parts, self.connector.dialect.name_parts and len(self.place.parts)
        if most and len(parts) > most:
            raise SourceError(f"the name {shorten(key)} has {len(parts)} parts, and names here have {most} at most")
        return TableName((*self.place.parts[: max(0, len(self.place.parts) - len(parts))], *parts))

    def has_place(self, key: str) -> bool:
        """Whether a table or a function can have the name of a record."""
        try:
            return bool(self.place_of(key))
        except SourceError:
            return False

    def at(self, kind: str, name: str | None = None) -> str:
        """The SQL condition that selects one row, or all rows of a kind."""
        string, same = self.connector.dialect.string, self.connector.dialect.same_text
        return same("kind", string(kind)) + (f" AND {same('name', string(name))}" if name is not None else "")

    def deletion(self, kind: str, name: str | None = None) -> str:
        """The statement that deletes one row, or all rows of a kind."""
        return f"DELETE FROM {self.table} WHERE {self.at(kind, name)}"

    def delete(self, kind: str, name: str | None = None) -> None:
        """Delete one row, or all rows of a kind."""
        self.connector.execute(self.session, self.deletion(kind, name))

    def without_functions(self) -> None:
        """Delete the rows of `install`, and the catalogue itself if it keeps nothing else."""
        if not self.there:
            return
        kept = self.connector.dialect.limited(f"SELECT 1 FROM {self.table} WHERE kind NOT IN ('function', 'format')", 1)
        if self.connector.rows(self.session, kept):
            self.delete("function")
        else:
            self.connector.execute(self.session, f"DROP TABLE {self.table}")

    def put(self, kind: str, name: str, definition: str, fingerprint: object) -> None:
        """Write a row, or replace the row of that kind and name: one statement, or a query and a statement."""
        self.put_all(name, {kind: definition}, fingerprint)

    def put_all(self, name: str, definitions: Mapping[str, str], fingerprint: object, also: Sequence[str] = ()) -> None:
        """The same for rows of several kinds, in one round trip if each is one statement.

        `also`: statements that save the same outside the catalogue, which are run after them.
        """
        statements = [self.putting(kind, name, text, fingerprint) for kind, text in definitions.items()]
        if also:
            self.connector.execute_all(self.session, [*statements, *also])
        else:
            self.connector.write_rows(self.session, statements)

    def putting(self, kind: str, name: str, definition: str, fingerprint: object) -> str:
        """The statement that writes a row, for which it may have to look whether there is one."""
        self.make_late()
        connector = self.connector
        values = (kind, name, definition, str(fingerprint or ""), VERSION)
        texts = dict(zip(_COLUMNS, map(connector.dialect.string, values), strict=True))
        where = self.at(kind, name)
        inserted = f"{self.table} ({', '.join(_COLUMNS)})"
        changes = ", ".join(f"{column} = {texts[column]}" for column in _COLUMNS[2:])
        changed = connector.dialect.updating(self.table, changes, where)
        there = f"SELECT name FROM {self.table} WHERE {where}"
        either = connector.dialect.updating_or_inserting(changed, inserted, list(texts.values()), there)
        if either is not None:
            return either
        # No FOR UPDATE: for a missing row MariaDB would lock the gap, and one of two concurrent inserts would fail.
        if connector.cells(self.session, there):
            return changed
        return f"INSERT INTO {inserted} VALUES ({', '.join(texts.values())})"

    def names(self, kind: str) -> list[object]:
        """The names of all rows of a kind, sorted."""
        if not self.there:
            return []
        query = f"SELECT name FROM {self.table} WHERE {self.at(kind)}"
        return sorted((name for (name,) in self.connector.cells(self.session, query)), key=str)

    def query(self, kind: str, name: str) -> str:
        """The query of the row of that kind and name."""
        return f"SELECT {_READ} FROM {self.table} WHERE {self.at(kind, name)}"

    def find(self, kind: str, name: str, lock: str = "") -> Row | None:
        """The row of that kind and name. `lock` = `engine.for_update` waits for transactions that change it."""
        if not self.there:
            return None
        try:
            found = self.connector.cells(self.session, self.query(kind, name) + lock)
        except StatementError as error:
            _check_is_about_text(error)
            return Row(name) if name in self.names(kind) else None
        return Row(*found[0]) if found else None

    def rows(self, kind: str) -> list[Row]:
        """Every row of a kind, sorted by name. A row that cannot be read has only its name."""
        if not self.there:
            return []
        query = f"SELECT {_READ} FROM {self.table} WHERE {self.at(kind)}"
        try:
            found = self.connector.cells(self.session, query)
        except StatementError as error:
            _check_is_about_text(error)
            alone = (self.find(kind, str(name)) for name in self.names(kind))
            return [row for row in alone if row is not None]
        return sorted((Row(*cells) for cells in found), key=lambda row: str(row.name))

    def restore(self, place: TableName) -> None:
        """Give an old table its name back, if its replacement was interrupted between two statements."""

    def is_only_copy(self, left: TableName) -> bool:
        """Whether a table that an interruption left is an old one that `restore` gives its name back."""
        return False


@dataclass
class TableRecords(Catalogue):
    """The records where no table lists them (`Facts.records_in_tables`).

    That of a table is in its properties, and goes where the table goes: that of a new table is written to the new table
    before it is renamed. That of a function is its comment, which the statement that makes it writes. A projection or a
    model has a view of its own, with the record in its properties. So one statement writes each record: it is there as
    a whole, and writers of different names do not meet.
    """

    saved: dict[tuple[str, str], bool] = field(default_factory=dict)
    """whether the call found something saved under a kind and a name, when it looked first"""

    def made(self) -> Catalogue:
        """Itself: there is nothing to make."""
        return self

    def has_rows(self) -> bool:
        """True, as it has a format."""
        return True

    def restore(self, place: TableName) -> None:
        """A table that was renamed, and then not replaced, has its mark."""
        old = old_name(place)
        if not self.connector.exists(self.session, place) and self.connector.mark_of(self.session, old):
            self.connector.rename(self.session, old, place)

    def is_only_copy(self, left: TableName) -> bool:
        """No table is there that it is the old one of."""
        name, there = left.parts[-1], (self.place_of(str(key)) for key in self.names(RECORDED))
        return name.endswith(OLD) and all(old_name(place).parts[-1] != name for place in there)

    def deletion(self, kind: str, name: str | None = None) -> str:
        """The statement that makes a table's record unreadable."""
        of = self.place_of(name) if name is not None else self.place
        return self.connector.dialect.setting(of, {_PARTS: "0"}, self.connector.noun_of(self.session, of))

    def delete(self, kind: str, name: str | None = None) -> None:
        """Nothing: a record goes with its table."""

    def without_functions(self) -> None:
        """Nothing: no function is listed."""

    def put(self, kind: str, name: str, definition: str, fingerprint: object) -> None:
        """Write a record. That of a function is written with it."""
        if kind not in (SEARCH, NAMED):
            super().put(kind, name, definition, fingerprint)

    def putting(self, kind: str, name: str, definition: str, fingerprint: object) -> str:
        """The statement that writes a record, in parts that a metastore takes."""
        parts = [definition[at : at + _LONGEST] for at in range(0, len(definition), _LONGEST)]
        values = {_PARTS: str(len(parts)), _PRINT: str(fingerprint or ""), _VERSION: VERSION}
        values |= {_PART.format(i): part for i, part in enumerate(parts)}
        if kind in (RECORDED, MAKING):
            place = self.place_of(name)
            place = temporary_name(place) if kind == MAKING else place
            return self.connector.dialect.setting(place, values, self.connector.noun_of(self.session, place))
        place = self.view(kind, name)
        if (kind, name) not in self.saved:
            self.find(kind, name)
        if self.saved[kind, name]:  # one that came meanwhile is another driver's, and CREATE VIEW refuses the name
            return self.connector.dialect.setting(place, values, "VIEW")
        shown = {"kind": kind, "name": name, "version": VERSION}
        return self.connector.dialect.saving_view(place, shown, {_SAVED: f"{kind} {name}"} | values)

    def view(self, kind: str, name: str) -> TableName:
        """The view of what is saved under a name."""
        return TableName((*self.place.parts[:-1], hashed(kind, TableName((name,)))))

    def names(self, kind: str) -> list[object]:
        """Those that have a record in the current database."""
        return [row.name for row in self.rows(kind)] if kind != FORMATS else [str(stored.FORMAT)]

    def find(self, kind: str, name: str, lock: str = "") -> Row | None:
        """One record. A new table has its own when it is renamed, and no other one before."""
        if kind in (SEARCH, NAMED):
            return self._function(kind, name)
        if kind == RECORDED:
            return self._recorded(kind, self.place_of(name))
        if kind in (MAKING, FORMATS):
            return None
        found = self._recorded(kind, self.view(kind, name), name)
        self.saved.setdefault((kind, name), found is not None)
        return found

    def rows(self, kind: str) -> list[Row]:
        """Every record of the current database, sorted by name."""
        connector, session = self.connector, self.session
        if kind in (SEARCH, NAMED):
            names = (str(name).rpartition(".")[2] for (name,) in connector.rows(session, connector.dialect.functions))
            found = [self._function(kind, self.key(TableName((name,)))) for name in names]
        elif kind in (MAKING, FORMATS):
            found = []
        else:
            names = (name for name in map(str, connector.tables(session)) if not is_temporary(name))
            of = {name: view[1] if (view := _VIEW.fullmatch(name)) else RECORDED for name in names}
            found = [self._recorded(kind, TableName((name,))) for name in of if of[name] == kind]
        return sorted((row for row in found if row is not None), key=lambda row: str(row.name))

    def _function(self, kind: str, name: str) -> Row | None:
        """The record of a function, in its comment."""
        said = (str(cell) for row in self.connector.searches(self.session, self.place_of(name)) for cell in row)
        for found in filter(None, map(_COMMENT.match, said)):
            if (_OF_NAMED in found[1]) == (kind == NAMED):
                return Row(name, found[1])
        return None

    def _recorded(self, kind: str, place: TableName, name: str | None = None) -> Row | None:
        """The record in the properties of a table, or of a view that is of that kind and perhaps of that name."""
        kept = self.connector.properties(self.session, place)
        of, _, found = kept.get(_SAVED, f"{RECORDED} {self.key(place)}").partition(" ")
        count = kept.get(_PARTS, "")
        if of != kind or (name is not None and found != name) or not stored.is_number(count) or count == "0":
            return None
        definition = "".join(kept.get(_PART.format(i), "") for i in range(min(int(count), len(kept))))
        return Row(found, definition, kept.get(_PRINT, ""), kept.get(_VERSION))


@contextmanager
def writing(
    connector: Connector, connection: Any, lock: str, makes: bool, into: TableName = TABLE
) -> Iterator[Catalogue]:
    """`Connector.transaction`, with a catalogue in the format of this release.

    A missing catalogue is made once; other processes that try to do so wait. On an engine with savepoints it is a part
    of the transaction. Elsewhere it is made where the first row is written: a call that is refused before leaves none.
    `into`: the table that is to be made, if any.
    Raises SourceError for a catalogue of a newer format, and StatementError if nothing can be written.
    """
    with connector.transaction(connection, lock, makes) as session:
        connector.check_writable(session, into)
        found = Catalogue.found(connector, session)
        if connector.dialect.nests and not found.formats:
            with connector.transaction(session, CATALOGUE, makes=True) as nested:
                found = replace(Catalogue.found(connector, nested).made(), session=session)
        if connector.dialect.nests or found.formats:
            yield found
            return
    with connector.alone(connection), connector.transaction(connection, lock, makes=True) as session:
        found = Catalogue.found(connector, session)
        yield replace(found, late=not found.formats)


def name_of(table: TableName) -> str:
    """The name of a table in the catalogue: as `TableName.parse` reads it, quoted only if necessary."""
    plain = ".".join(table.parts)
    simple = all(re.fullmatch(r"\w+", part) for part in table.parts)
    return plain if simple and TableName.parse(plain) == table else str(table)


def hidden(name: str) -> SourceError:
    """The error for a name that means a temporary table."""
    return SourceError(
        f"a temporary table of this session hides {name}: drop the temporary table, or use another connection"
    )


def _check_is_about_text(error: StatementError) -> None:
    """Raise the error again unless a cell could not be read. A lock or a conflict does not mean that a row is wrong.

    SQLite keeps text that is not UTF-8, and its driver fails if such a cell is read.
    """
    if "Could not decode to UTF-8" not in error.words:
        raise error
