"""One look at all tables of a database, for a check of many kept tables: what it finds right needs no other look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlrp._connectors.connector import Connector
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Column, Dialect
from sqlrp._store.records import Record, TableDefinition
from sqlrp._store.source_state import new_features
from sqlrp._store.table import Catalogue


@dataclass(frozen=True)
class _TableFacts:
    """A table: its columns with their types as text, its mark, and the place of its schema on the path, if any."""

    names: Sequence[str]
    types: Sequence[str]
    mark: str
    rank: int | None


@dataclass(frozen=True)
class Survey:
    """What one query says of the tables of a database."""

    dialect: Dialect
    tables: dict[tuple[str, ...], _TableFacts]
    named: dict[str, list[tuple[str, ...]]]
    """the places by the name alone"""
    hidden: frozenset[str]
    """the names of temporary tables"""

    @staticmethod
    def of(connector: Connector, session: Any) -> Survey | None:
        """The survey of a session; None if the engine has no query for it."""
        query = connector.dialect.survey_query()
        if query is None:
            return None
        tables: dict[tuple[str, ...], _TableFacts] = {}
        named: dict[str, list[tuple[str, ...]]] = {}
        hidden = set()
        for parts, temporary, rank, names, types, mark in connector.rows(session, query):
            place = tuple(map(str, parts))
            if temporary:
                hidden.add(place[-1])
                continue
            tables[place] = _TableFacts(names, types, str(mark or ""), None if rank is None else int(rank))
            named.setdefault(place[-1], []).append(place)
        return Survey(connector.dialect, tables, named, frozenset(hidden))

    def finds_right(self, catalogue: Catalogue, name: str, record: Record) -> bool:
        """Whether nothing is wrong with a recorded table and its source. False may also mean that it cannot tell."""
        made, table = record.made, self.tables.get(catalogue.place_of(name).parts)
        own = table is not None and list(table.names) == made.columns and bool(made.mark) and made.mark in table.mark
        return own and bool(record.fingerprint) and (made.place is None or self._source_is_right(catalogue, made))

    def _source_is_right(self, catalogue: Catalogue, made: TableDefinition) -> bool:
        place = self._meant(made.source.table_name)
        if place is None or catalogue.key(TableName(place)) != made.place:
            return False
        there = dict(zip(self.tables[place].names, self.tables[place].types, strict=True))
        if any(there.get(name) != kind for name, kind in made.features.items()):
            return False
        if not made.every:
            return True
        columns = [Column(name, self.dialect.read_type(kind)) for name, kind in there.items()]
        return not new_features(made, columns)

    def _meant(self, name: TableName) -> tuple[str, ...] | None:
        """The place of a name that can mean only one table; None for any other."""
        if name.is_file or name.parts[-1] in self.hidden:
            return None
        if name.parts in self.tables:
            return name.parts
        places = self.named.get(name.parts[-1], []) if len(name.parts) == 1 else []
        ranked = sorted((rank, place) for place in places if (rank := self.tables[place].rank) is not None)
        return ranked[0][1] if ranked else None


__all__ = ["Survey"]
