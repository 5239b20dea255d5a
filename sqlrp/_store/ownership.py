"""Whose a table is, and what its name and that of its source mean: what `materialize` and `refresh` check first."""

from __future__ import annotations

from dataclasses import fields

from sqlrp._connectors.connector import UNSEEN
from sqlrp._core.errors import ParameterError, SourceError, shorten
from sqlrp._core.sources import Source, TableName
from sqlrp._projections.projection import Projection
from sqlrp._store.records import Record, TableDefinition, find_record, is_own
from sqlrp._store.table import RECORDED, Catalogue, Row, hidden
from sqlrp._store.table_checks import check_types, types


def place_to_write(catalogue: Catalogue, table: TableName) -> TableName:
    """The name in full of a table to make or to change. Raises SourceError if the engine would take a temporary one."""
    place = catalogue.connector.place(catalogue.session, table)
    if place.hidden and not catalogue.connector.dialect.reaches_hidden:
        raise hidden(str(table))
    return place.name


def place_of_source(catalogue: Catalogue, source: Source) -> str | None:
    """The `TableDefinition.place` of a source. Raises SourceError if a temporary table hides a table of its name."""
    name = source.table_name
    if name.is_file:
        return None
    place = catalogue.connector.place(catalogue.session, name)
    if place.hidden and place.there:
        raise hidden(f"the source {source.table}")
    return None if place.hidden or not place.there else catalogue.key(place.name)


def name_in_view(catalogue: Catalogue, view: TableName, source: TableName) -> TableName:
    """The name of a source in a view that is kept as text: with its schema, so that no temporary table hides it.

    The name of the database is left out where it is the view's own, as a file may be attached by another one.
    DuckDB's temporary tables are in a schema main themselves, so there `main.t` would say no more than `t`.
    """
    if source.is_file or catalogue.connector.dialect.stores_views:
        return source
    place = catalogue.connector.place(catalogue.session, source)
    parts = place.name.parts
    if place.hidden or not place.there or not len(parts) == len(view.parts) > 2 or parts[0] != view.parts[0]:
        return source
    check_seen_in_view(catalogue, place.name, f"the source {source}")
    return source if parts[-2] == "main" else TableName(parts[1:])


def check_seen_in_view(catalogue: Catalogue, place: TableName, noun: str) -> None:
    """Raise SourceError if a temporary table hides a table from views: DuckDB leaves the database out of their text."""
    if len(place.parts) > 2 and catalogue.connector.place(catalogue.session, TableName(place.parts[-2:])).hidden:
        raise hidden(noun)


def claimed(catalogue: Catalogue, place: TableName, made: TableDefinition) -> str:
    """What to do about a table that has the name of a recorded one, but not its mark."""
    dialect = catalogue.connector.dialect
    noun = dialect.view_noun if made.kind == "view" else "TABLE"
    since = "" if dialect.transactional else "end this transaction, if it began before the table was replaced; "
    words = f"{since}rename it, or forget the other one by {catalogue.deletion(RECORDED, catalogue.key(place))}"
    if not made.mark:  # another program took it out of the record
        return words
    lost = dialect.marking(place, made.mark, noun)
    return f"{words}; or, if it is the one that sqlrp made and only lost its mark, run {lost}"


def record_to_replace(catalogue: Catalogue, table: TableName, projection: Projection, replace: bool) -> Record | None:
    """The record of a table that exists and is to be replaced; None if there is no table.

    Raises ParameterError for one that sqlrp did not make, or that is not to be replaced.
    """
    connector = catalogue.connector
    if not connector.exists(catalogue.session, table):
        _expect_checks(catalogue, table)
        return None
    old = find_record(catalogue, table)
    if old is None or (old.fingerprint and list(types(connector, catalogue.session, table)) != old.made.columns):
        raise ParameterError(
            f"{table} exists already, and sqlrp did not make it in its present form: it is never overwritten; "
            "choose another name"
        )
    if not is_own(catalogue, table, old.made.mark):
        raise ParameterError(
            f"{table} exists already, and is not the table that sqlrp made under this name: it is never overwritten; "
            f"choose another name, {claimed(catalogue, table, old.made)}"
        )
    if not replace:
        same = projection == old.made.projection
        by = "the same projection" if same else f"another projection, {shorten(old.made.projection.name)}"
        raise ParameterError(
            f"{table} exists already, made by {by}: sqlrp.refresh adds new rows, replace=True makes the table again"
        )
    return old


def _expect_checks(catalogue: Catalogue, place: TableName) -> None:
    """Expect what is asked of a table that is to be replaced, as the next call does."""
    connector, dialect = catalogue.connector, catalogue.connector.dialect
    record = catalogue.query(RECORDED, catalogue.key(place)) + dialect.for_update
    connector.expect(catalogue.session, record, len(fields(Row)), catalogue.place)
    for query, columns in ((dialect.mark_query(place), 1), (dialect.dependents_query(place), 2)):
        if query is not None:
            connector.expect(catalogue.session, query, columns)


def check_source_place(catalogue: Catalogue, made: TableDefinition) -> None:
    """Raise SourceError if the name of the source now means another table, as after a change of the search path."""
    now, source = place_of_source(catalogue, made.source), made.source.table
    if now == made.place:
        return
    again = "or materialize it again with replace=True"
    if now is None and catalogue.connector.is_unseen(catalogue.session, TableName.parse(source)):
        raise SourceError(f"source {source} cannot be read: {UNSEEN}")
    if now is None:
        raise SourceError(f"there is no source {source} now: give it its name back, {again} from its new name")
    was = "no table of the database" if made.place is None else made.place
    raise SourceError(
        f"the source {source} was {was} when the table was made, and is {now} now: use the schema and connection of "
        f"then, {again}"
    )


def check_source(made: TableDefinition, now: TableDefinition, everything: bool) -> None:
    """Raise SourceError if the source's features are not those that were projected."""
    if now.size != made.size:
        raise SourceError(
            f"{made.source.table} had {made.size} features and has {now.size}: materialize with replace=True"
        )
    if not everything:
        check_types(made.source.table, made.features, now.features)
