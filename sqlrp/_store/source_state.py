"""What has become of the source of a kept table: there, with its key and its features, or changed by others."""

from __future__ import annotations

from typing import Any

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import SourceError, warn
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Column
from sqlrp._store.ownership import check_seen_in_view, claimed, place_of_source
from sqlrp._store.records import Record, TableDefinition, dropped, is_own, is_replaced, unseen
from sqlrp._store.table import Catalogue
from sqlrp._store.table_checks import check_types, types

AGAIN = "materialize it again with replace=True"
_NAMED = 3


Seen = dict[tuple[str, str, str], tuple[str | None, list[Column]]]
"""By the kind of a table, the name of its source and the place in its record: where that is now, and its columns."""


def wrong_source(catalogue: Catalogue, made: TableDefinition, seen: Seen | None = None) -> tuple[str, str] | None:
    """What is wrong with the source of a table, with the remedy; None if nothing is, and for a file or a frame.

    No row is read: whether keys are unique, the next refresh asks. `seen`: what a call has seen of other tables'
    sources, to which this one is added.
    """
    if made.place is None:
        return None
    source, seen = made.source, {} if seen is None else seen
    lost = lost_source(catalogue, made, seen)
    if lost is not None:
        return lost
    _, columns = _look(catalogue, made, seen)
    there, new = {column.name: column.type.text for column in columns}, new_features(made, columns)
    try:
        check_types(source.table, made.features, {name: there[name] for name in made.features})
    except SourceError as error:
        return str(error).rpartition(";")[0], "refresh it with everything=True"
    return (f"its source {source.table} has new numbers, {_some(new)}, which it lacks", AGAIN) if new else None


def lost_source(catalogue: Catalogue, made: TableDefinition, seen: Seen | None = None) -> tuple[str, str] | None:
    """What the source of a table lacks, with the remedy: itself, its key or a feature; None if it lacks nothing.

    `seen`: see `wrong_source`.
    """
    if made.place is None:
        return None
    source = made.source
    try:
        now, columns = _look(catalogue, made, {} if seen is None else seen)
    except SourceError as error:
        what, _, remedy = str(error).partition(": ")
        return what, remedy
    if now != made.place:
        what = "was dropped or renamed" if now is None else f"is {now} now, and was {made.place}"
        return f"its source {source.table} {what}", f"give it its name back, or {AGAIN} from the new one"
    names = {column.name for column in columns}
    gone = [name for name in made.features if name not in names]
    if not gone:
        return None
    key = "its key" if source.key in gone else _some(gone)
    return f"its source {source.table} lacks {key}, which it was made with", AGAIN


def _look(catalogue: Catalogue, made: TableDefinition, seen: Seen) -> tuple[str | None, list[Column]]:
    """Where the source is now, and its columns, if it is where it was."""
    of = (made.kind, made.source.table, str(made.place))
    if of not in seen:
        now = place_of_source(catalogue, made.source)
        there = now is not None and now == made.place
        if there and made.kind == "view":
            check_seen_in_view(catalogue, catalogue.place_of(str(made.place)), f"the source {made.source.table}")
        columns = catalogue.connector.listed(catalogue.session, catalogue.place_of(str(made.place))) if there else []
        seen[of] = (now, columns)
    return seen[of]


def check_made(catalogue: Catalogue, table: TableName, record: Record, everything: bool) -> None:
    """Raise SourceError if the table or its record was changed."""
    made = record.made
    if record.wrong:
        raise SourceError(record.wrong)
    if not is_own(catalogue, table, made.mark):
        catalogue.connector.forget(catalogue.session)
        if is_replaced(catalogue, table, made):
            raise unseen(table)
        if not catalogue.connector.exists(catalogue.session, table):
            raise dropped(table)
        raise SourceError(
            f"{table} is not the table that sqlrp made under this name: {claimed(catalogue, table, made)}"
        )
    if not record.fingerprint:
        if not everything:
            raise SourceError(f"{table} was left unfinished by an interruption: pass everything=True")
        return
    lacks = lost_source(catalogue, made) if made.kind == "view" else None  # a view that is text cannot be read then
    if lacks is not None:
        raise SourceError(f"{table} cannot be read: {': '.join(lacks)}")
    if list(types(catalogue.connector, catalogue.session, table)) != made.columns:
        raise SourceError(
            f"the columns of {table} were changed after sqlrp made it: drop it, and call sqlrp.materialize again"
        )


def new_features(made: TableDefinition, columns: list[Column]) -> list[str]:
    """The columns of numbers that a source has got since, if the table was made from all of them."""
    if not made.every:
        return []
    known = {*made.features, made.source.key, *getattr(made.source, "keep", ())}
    return [c.name for c in columns if c.type.number is not None and not c.type.is_array and c.name not in known]


def warn_of_new(connector: Connector, session: Any, made: TableDefinition, table: TableName) -> None:
    """Warn of columns of numbers that the source has got since the table was made."""
    if made.every and made.place is not None:
        new = new_features(made, connector.columns(session, made.source.table_name))
        if new:
            warn(f"{made.source.table} has new columns of numbers, {_some(new)}, which {table} does not use: {AGAIN}")


def _some(names: list[str]) -> str:
    return ", ".join(map(repr, names[:_NAMED])) + (", …" if len(names) > _NAMED else "")


__all__ = ["AGAIN", "check_made", "new_features", "warn_of_new", "wrong_source"]
