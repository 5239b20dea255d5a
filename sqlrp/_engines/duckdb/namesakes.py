"""Which of a DuckDB database's tables and views a name means.

DuckDB lists them in a third of a millisecond, and plans a condition on the list for several times as long. So the list
is read whole, and the names are compared here. With a thousand tables that takes less time, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlrp._core.names import folded, spelled
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass


class TableEntry(NamedTuple):
    """A table or a view."""

    database: str
    schema: str
    name: str
    comment: str | None
    is_view: bool


@dataclass(frozen=True)
class Namesakes:
    """The tables and views, in all databases and schemas, with the last part of a name, and where it is looked for."""

    name: TableName
    database: str
    """the current database"""
    schema: str
    """the current schema"""
    path: Sequence[str]
    """the schemas of the search path"""
    entries: Sequence[TableEntry]

    @classmethod
    def of(cls, name: TableName, rows: Sequence[tuple[Any, ...]]) -> Namesakes:
        """What the rows of `DuckDBCatalogue.tables_query` say of a name. DuckDB brings views: there is a row."""
        database, schema, path, *_ = rows[0]
        last = name.parts[-1]
        entries = [TableEntry(*row[3:]) for row in rows if _same(row[5], last)]
        return cls(name, str(database), str(schema), path or [], entries)

    @property
    def all_named(self) -> list[TableEntry]:
        """Those of the name. A name alone is one of the current schema.

        A single part before it is a schema, or a database whose schema is main.
        """
        before = self.name.parts[:-1]
        places: dict[int, list[tuple[str, ...]]] = {
            0: [(self.database, self.schema)],
            1: [(self.database, *before), (*before, "main")],
            2: [before],
        }
        return [
            entry
            for database, schema in places.get(len(before), [])
            for entry in self.entries
            if _same(entry.database, database) and _same(entry.schema, schema)
        ]

    @property
    def named(self) -> TableEntry | None:
        """The table or view of the name."""
        return next(iter(self.all_named), None)

    @property
    def found(self) -> TableEntry | None:
        """What the name means without temporary tables. A name alone is looked for on the search path."""
        if len(self.name.parts) > 1:
            return next((entry for entry in self.all_named if entry.database != "temp"), None)
        here = [entry for entry in self.entries if entry.database == self.database != "temp"]
        for schema in (*self.path, self.schema, "main"):
            for entry in here:
                if entry.schema == schema:
                    return entry
        return None

    @property
    def is_hidden(self) -> bool:
        """Whether a temporary table or view has the name, too. `main.t` may mean one."""
        before = spelled(".".join(self.name.parts[:-1]))
        return before in ("", "main") and any(entry.database == "temp" for entry in self.entries)

    def new(self, databases: Iterable[str]) -> TableName:
        """The name in full that a new table of the name would have. `databases`: those that are attached."""
        *before, last = self.name.parts
        if len(before) == 1:
            attached = any(_same(database, before[0]) for database in databases)
            before = [*before, "main"] if attached else [self.database, *before]
        return TableName((*(before or (self.database, self.schema)), last))


def _same(a: str, b: str) -> bool:
    """Whether two names are the same to DuckDB."""
    return a == b or (len(a) == len(b) and folded(a, "ascii") == folded(b, "ascii"))
