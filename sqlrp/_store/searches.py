"""Functions of the database that search a kept table: how they are made, dropped, and made again with their table."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Any, get_args

from sqlrp._connectors.connector import Connector
from sqlrp._connectors.foresight import foreseen
from sqlrp._core.draw import P
from sqlrp._core.errors import ParameterError, SourceError, UnsupportedError, check_choice, nearest, shorten, warn
from sqlrp._core.names import folded
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._dialects.distances import SearchFunction
from sqlrp._dialects.table_queries import MARK
from sqlrp._lowering.distances_sql import Metric
from sqlrp._lowering.search import Choice, Search
from sqlrp._projections.checks import check_whole
from sqlrp._store import stored
from sqlrp._store.catalogue import keeper
from sqlrp._store.held_search import search_of_record, search_of_row
from sqlrp._store.named_functions import check_schema, function_named
from sqlrp._store.records import TableDefinition, names_recorded, new_mark, table_named, valid_row
from sqlrp._store.row_choices import choice_of, chosen, is_condition
from sqlrp._store.steady import located
from sqlrp._store.table import CATALOGUE, SEARCH, Catalogue, Row, name_of, writing
from sqlrp._store.table_checks import types

NOT_OURS = "is not the function that sqlrp.create_search made under this name"
"""What an error or a finding says of a function that has another mark."""


@dataclass(frozen=True)
class SearchRecord:
    """The record of a function that searches."""

    table: str
    """the key of the table in the catalogue"""
    metric: Metric
    candidates: int
    mark: str
    """what the text of the function has; its condition is in it, so that no other one is ever run"""
    at: str = ""
    """the schema of the catalogue then, in full, which the function names; empty if an earlier release made it"""
    sure: bool = False
    """whether the function says which rows are sure"""

    @property
    def choice(self) -> Choice:
        """The rows that it finds, and what it shows of them."""
        return Choice(where=self.where, sure=self.sure)

    @property
    def where(self) -> str:
        """The condition on the rows that it finds, as SQL; empty for none."""
        return _condition(self.mark) or ""

    def to_json(self) -> str:
        """One line of JSON, with a checksum."""
        return stored.sealed(dataclasses.asdict(self))

    @staticmethod
    def of(row: Row) -> SearchRecord:
        """The record in a row. Raises SourceError if it cannot be read, or was changed."""
        plain, whole = stored.unsealed(row.definition)
        lacking: dict[str, Any] = {"at": "", "sure": False}  # records of earlier releases
        plain = lacking | plain
        stored.check_values(plain, _FITS)
        if not whole:
            raise SourceError("its record was changed in the catalogue")
        return SearchRecord(**plain)


_MARK = re.compile(MARK.pattern + r"(?:_where_((?:[0-9a-f]{2})+))?")
"""The mark of a search: one of sqlrp's, and the bytes of the condition in hexadecimal digits."""


def _marked(where: str) -> str:
    """A new mark with a condition."""
    return new_mark() + (f"_where_{where.encode().hex()}" if where else "")


def _condition(mark: str) -> str | None:
    """The condition in a mark, empty for none; None for what is no mark."""
    found = _MARK.fullmatch(mark)
    try:
        return None if found is None else bytes.fromhex(found[1] or "").decode()
    except UnicodeDecodeError:
        return None


def _is_mark(value: object) -> bool:
    condition = _condition(value) if isinstance(value, str) else None
    return condition is not None and is_condition(condition)


_FITS: stored.Fits = {
    "table": stored.names_table,
    "metric": lambda value: value in get_args(Metric),
    "candidates": lambda value: type(value) is int and 1 <= value <= P - 2,
    "mark": _is_mark,
    "at": lambda value: isinstance(value, str),
    "sure": lambda value: isinstance(value, bool),
}
"""Functions that check whether `to_json` can have written a value of a record."""


@dataclass(frozen=True)
class SearchListing:
    """A function that searches, as the catalogue lists it and as the database has it."""

    key: str
    """its name in the catalogue"""
    place: TableName
    recorded: SearchRecord | None
    """None if the record cannot be read"""
    wrong: str
    """why it cannot be read"""
    said: str
    """what the engine says of a function of that name; empty if there is none, or the engine is not asked"""
    asked: bool
    """whether the engine was asked"""

    @staticmethod
    def of(catalogue: Catalogue, row: Row) -> SearchListing:
        """The function of a row. Raises SourceError if the row has no name that a function may have."""
        key = str(row.name)
        place = catalogue.place_of(key)
        asked = catalogue.connector.dialect.finds_functions
        there = catalogue.connector.searches(catalogue.session, place) if asked else []
        said = "\n".join(str(cell) for cells in there for cell in cells)
        try:
            return SearchListing(key, place, SearchRecord.of(row), "", said, asked)
        except SourceError as error:
            return SearchListing(key, place, None, str(error), said, asked)

    @property
    def own(self) -> bool:
        """Whether the function is there and is the one of the record, as far as the engine can tell."""
        if not self.asked:
            return self.recorded is not None
        return self.recorded is not None and re.search(rf"{self.recorded.mark}(?!_where_)\b", self.said) is not None

    @property
    def others(self) -> bool:
        """Whether a function of that name is there that is not the one of the record."""
        return bool(self.said) and not self.own

    def forget(self, catalogue: Catalogue) -> None:
        """Drop the function if it is sqlrp's, and its record.

        Where the record cannot be read, a function with a mark is sqlrp's, unless the mark is that of another record.
        """
        found = MARK.findall(self.said) if self.recorded is None else []
        lost = bool(found) and not any(mark in str(row.definition) for mark in found for row in _rest(catalogue, self))
        if self.own or lost:
            connector = catalogue.connector
            connector.drop_overloads(catalogue.session, self.place)
            connector.execute(catalogue.session, connector.dialect.dropping_search(self.place))
        catalogue.delete(SEARCH, self.key)


def _rest(catalogue: Catalogue, of: SearchListing) -> Sequence[Row]:
    return [row for row in catalogue.rows(SEARCH) if str(row.name) != of.key]


@foreseen
def create_search(
    connection: Any,
    into: str,
    name: str,
    *,
    metric: Metric = "l2",
    candidates: int = 100,
    where: str | None = None,
    sure: bool = False,
    replace: bool = False,
    trust_schema: bool = False,
) -> None:
    """Create a function of the database that searches a projected table: `FROM docs_search([…], n := 10)`.

    The function projects the vector as the rows were, takes the nearest `candidates` (an argument of the function,
    too), ranks them again by the rows of the source, and returns their keys and distances, as `search` does. A vector
    of another length and NULL are errors. It is a table macro in DuckDB, whose text is planned at each call: that takes
    some 35 µs for each term of the projection. In PostgreSQL it is a function, which uses an index of pgvector on the
    table. In ClickHouse it is a parameterised view: `FROM docs_search(query = […], n = 10)` names both parameters, and
    `candidates` is fixed. On Spark and Databricks it is a table function, `FROM docs_search(array(…), n => 10)`, on
    Snowflake `FROM TABLE(docs_search([…], 10))`, and on BigQuery `FROM docs_search([…], 10, 100)`, where every argument
    is needed. There the order of the rows is that of your ORDER BY.

    `where` is a condition on the columns of the source, as in `search`: the function finds no other rows, and takes its
    candidates among these. It is a part of the function, so that callers cannot change it. Functions that need several
    conditions are several. Columns of the source come by a join of the result with it, and the vector of a row by a
    subquery: `FROM docs_search((SELECT e FROM docs WHERE id = 7), n := 11) WHERE id <> 7`.

    `sure` True adds a last column, `sure`, to the result: whether no row besides the candidates can be nearer. It is
    that of `search`, needs the same codes, and takes the candidates by their least distances, as `search` does.

    The function names its tables in full. If their schema, or the file of DuckDB, is renamed or attached by another
    name, it finds no table, or one of another schema that has the name now: `check` says so, and
    `sqlrp.create_search(…, replace=True)` makes it again.

    If `materialize(…, replace=True)` makes the table again, it makes its searches again too. An existing function is
    kept, unless `replace` is True and `create_search` made it. `trust_schema`: as in `create_function`.
    Raises UnsupportedError for an engine without such functions, and the errors of `search` and `create_function`.

        >>> _ = sqlrp.materialize(sqlrp.SparseProjection(k=64, s=1), "points", con, "points_bits", output="bits")
        >>> sqlrp.create_search(con, "points_bits", "points_search")
        >>> len(con.sql("FROM points_search([1.0, 2.0, 0.0], n := 3)").fetchall())
        3
    """
    check_choice("metric", metric, get_args(Metric))
    choice = choice_of((), where, sure=sure)
    connector = _searching(connection)
    if choice.where and not connector.dialect.finds_functions:
        raise UnsupportedError(
            f"{connector.dialect.name} does not show the text of a function, so that its condition is not known again: "
            "leave where out, and materialize a view of these rows"
        )
    with connector.alone(connection), writing(connector, connection, CATALOGUE, makes=False) as catalogue:
        place, row = located(catalogue, table_named(into))
        made = chosen(connector, catalogue.session, search_of_row(catalogue, place, row, metric), choice)
        add_search(catalogue, made, name, candidates, replace, trust_schema)


def add_search(
    catalogue: Catalogue, made: Search, name: str, candidates: int = 100, replace: bool = False, trust: bool = False
) -> None:
    """Make the function of a search, with its record."""
    check_whole("candidates", candidates, 1)
    connector = catalogue.connector
    refuse_searches(connector.dialect)
    function = function_named(name, connector.dialect)
    place = _place(catalogue, function)
    check_schema(connector, catalogue.session, place, trust)
    old = _named(catalogue, place)
    if old is not None and old.recorded is None:
        raise unreadable(function, old)
    if old is None or old.others:
        finds = connector.dialect.finds_functions  # otherwise CREATE FUNCTION refuses the name of another's
        if finds and connector.searches(catalogue.session, place):
            raise ParameterError(
                f"a function {name_of(function)} exists already, and sqlrp.create_search did not make it: it is never "
                "replaced; choose another name"
            )
    elif old.own and not replace:
        raise ParameterError(f"the search {name_of(function)} exists already: replace=True makes it again")
    _make(catalogue, place, made, candidates, drops=old is not None and old.own)


@foreseen
def drop_search(connection: Any, name: str) -> None:
    """Drop a function that `create_search` made. Raises SourceError if it made none of that name.

    If you dropped the function yourself, its record is deleted.

    >>> _ = sqlrp.materialize(sqlrp.SparseProjection(k=64, s=1), "points", con, "points_bits", output="bits")
    >>> sqlrp.create_search(con, "points_bits", "points_search")
    >>> sqlrp.drop_search(con, "points_search")
    """
    connector = _searching(connection)
    function = function_named(name, connector.dialect)
    with connector.alone(connection), writing(connector, connection, CATALOGUE, makes=False) as catalogue:
        place = _place(catalogue, function)
        found = _named(catalogue, place)
        if found is None:
            known = list(map(str, catalogue.names(SEARCH)))
            raise SourceError(
                f"{name_of(function)} was not made by sqlrp.create_search{nearest(name_of(function), known)}: "
                f"made were {shorten(known) if known else 'none'}"
            )
        if found.recorded is None:
            raise unreadable(function, found)
        if found.others:
            raise SourceError(
                f"{name_of(function)} {NOT_OURS}, and is never dropped: sqlrp.check with "
                "repair=True takes the record away"
            )
        found.forget(catalogue)


def _searching(connection: Any) -> Connector:
    """The connector of a database that has functions that search. Nothing is asked of the database."""
    connector = keeper(connection)
    refuse_searches(connector.dialect)
    return connector


def refuse_searches(dialect: Dialect) -> None:
    """Raise UnsupportedError if the engine has no functions that search."""
    if not dialect.has_searches:
        raise UnsupportedError(
            f"{dialect.name} has no functions of sqlrp that search: run sqlrp.search, or the text of sqlrp.search_sql"
        )


def function_of(catalogue: Catalogue, name: str) -> TableName:
    """The name in full of the function of a search."""
    return _place(catalogue, function_named(name, catalogue.connector.dialect))


def _place(catalogue: Catalogue, function: TableName) -> TableName:
    """The name in full of a function, in the schema of the catalogue: there `check` looks for it."""
    return catalogue.connector.dialect.function_place(function, catalogue.place)


def recorded_search(connection: Any, name: str) -> SearchRecord | None:
    """The record of a function that `create_search` made; None if it made none.

    Raises SourceError for a record that cannot be read, or that is of another function than is there.
    """
    connector = keeper(connection)
    if not connector.dialect.has_searches or table_named(name).is_file:
        return None
    with connector.session(connection) as session:
        catalogue = Catalogue.found(connector, session)
        function = _place(catalogue, table_named(name))
        found = _named(catalogue, function)
    if found is None:
        return None
    if found.recorded is None:
        raise unreadable(function, found)
    if found.others:
        raise SourceError(f"{name_of(function)} {NOT_OURS}: sqlrp.check says what is there")
    return found.recorded


def search_of(catalogue: Catalogue, table: TableName, made: TableDefinition) -> Search:
    """The search of a table that was made just now."""
    return search_of_record(catalogue, table, made, "l2", True)


def searches_of(catalogue: Catalogue, table: TableName) -> list[SearchListing]:
    """The searches of a table. Those whose record cannot be read are left out: `sqlrp.check` names them.

    Raises ParameterError if a function that sqlrp did not make has the name of one.
    """
    found = []
    for row in catalogue.rows(SEARCH):
        try:
            recorded = SearchRecord.of(row)
            if recorded.table != catalogue.key(table):
                continue
            named = SearchListing.of(catalogue, row)
        except SourceError:
            continue
        if named.others:
            raise ParameterError(
                f"{catalogue.key(table)} has a search {named.key}, and that {NOT_OURS}: it is never replaced; "
                "rename it, or forget the search by sqlrp.check with repair=True"
            )
        found.append(named)
    return found


def make_again(
    catalogue: Catalogue, table: TableName, made: TableDefinition, searches: Sequence[SearchListing], replaced: bool
) -> None:
    """Make the searches of a table again, which may have another projection or another source now.

    `replaced`: whether it took the place of an old table. If not, the searches are those of a table that was dropped,
    so that one which the new table does not have is dropped, too.
    """
    for named in searches:
        assert named.recorded is not None
        try:
            search = search_of_record(catalogue, table, made, named.recorded.metric, True)
            search = chosen(catalogue.connector, catalogue.session, search, named.recorded.choice)
        except (ParameterError, UnsupportedError) as error:
            if replaced:
                raise
            named.forget(catalogue)
            warn(f"the search {named.key} was of a table {catalogue.key(table)} that is gone, and was dropped: {error}")
            continue
        _make(catalogue, named.place, search, named.recorded.candidates, drops=named.own)


def unreadable(function: TableName, named: SearchListing) -> SourceError:
    """The error for a search whose record cannot be read."""
    return SourceError(
        f"the record of the search {name_of(function)} cannot be read: {named.wrong}; sqlrp.check with repair=True "
        "takes it away"
    )


def _named(catalogue: Catalogue, place: TableName) -> SearchListing | None:
    """The function of that name; None if no record lists it."""
    row = catalogue.find(SEARCH, catalogue.key(place))
    return None if row is None else SearchListing.of(catalogue, row)


def _make(catalogue: Catalogue, place: TableName, search: Search, candidates: int, drops: bool) -> None:
    """Make the function, in the place of its own old one if it `drops` that, and its record."""
    connector, session, job = catalogue.connector, catalogue.session, search.job
    key = str(job.frame.key)
    kind = types(connector, session, job.frame.table)[key]
    own, mark = catalogue.key(search.table), _marked(search.choice.where)
    sure = search.choice.sure
    recorded = SearchRecord(own, search.metric, candidates, mark, _schema_of(catalogue), sure)
    record = recorded.to_json()
    function = SearchFunction(key, kind, candidates, search.vectors, recorded.mark, record, sure)
    text = connector.dialect.creating_search(place, search.body, function)
    connector.drop_overloads(session, place)
    connector.execute_all(session, [*([connector.dialect.dropping_search(place)] if drops else []), text])
    connector.overload(session, place)
    catalogue.put(SEARCH, catalogue.key(place), record, job.projection.fingerprint)


def _schema_of(catalogue: Catalogue) -> str:
    """The name in full of the schema of the catalogue, as SQL; empty for an engine that has none."""
    path = catalogue.place.parts[:-1]
    return catalogue.connector.dialect.table(TableName(path)) if path else ""


def is_elsewhere(catalogue: Catalogue, named: SearchListing) -> bool:
    """Whether a function names its tables in a schema, or a file, that had another name than it has now.

    It then fails, or reads tables of another schema that has taken the name.
    """
    if named.recorded is None or not named.asked:
        return False
    folding = catalogue.connector.dialect.folding
    return folded(named.recorded.at, folding) != folded(_schema_of(catalogue), folding)


def can_renew(catalogue: Catalogue, named: SearchListing) -> bool:
    """Whether nothing is wrong with a function but the name of its schema."""
    return (
        named.own
        and is_elsewhere(catalogue, named)
        and named.recorded is not None
        and (named.recorded.table in names_recorded(catalogue))
    )


def renewed(catalogue: Catalogue, named: SearchListing) -> None:
    """Make a function again where its tables are now, or forget it if it cannot search them."""
    recorded = named.recorded
    assert recorded is not None
    row = valid_row(catalogue, recorded.table)
    try:
        assert row is not None
        search = search_of_row(catalogue, catalogue.place_of(recorded.table), row, recorded.metric)
        search = chosen(catalogue.connector, catalogue.session, search, recorded.choice)
    except (ParameterError, SourceError, UnsupportedError):
        named.forget(catalogue)
        return
    _make(catalogue, named.place, search, recorded.candidates, drops=named.own)


def wrong_search(catalogue: Catalogue, named: SearchListing) -> str:
    """What is wrong with a search that is listed; empty if nothing is."""
    if named.recorded is None:
        return f"its record cannot be read: {named.wrong}"
    if named.asked and not named.said:
        return "it is listed and not there"
    if named.others:
        return f"it {NOT_OURS}"
    if named.recorded.table not in names_recorded(catalogue):
        return f"its table {shorten(named.recorded.table)} is not recorded any more"
    if is_elsewhere(catalogue, named):
        then = named.recorded.at
        was = f"in {then}" if then else "without a schema or a database, as an earlier release wrote it"
        return f"it names its tables {was}, and they are in {_schema_of(catalogue)}"
    return ""


__all__ = ["create_search", "drop_search"]
