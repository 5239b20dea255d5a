"""`check`, which finds errors in what sqlrp keeps in a database, and repairs them if no user data is lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from sqlrp._connectors.foresight import foreseen
from sqlrp._core.errors import SourceError, StatementError, UnreachableError, shorten
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass
from sqlrp._core.version import VERSION
from sqlrp._projections.projection import Projection
from sqlrp._store import models, named_functions, plans, searches, stored
from sqlrp._store.auxiliary_names import is_temporary, lock_of, lock_of_temporary
from sqlrp._store.catalogue import keeper
from sqlrp._store.code_range import REMEDY, worn_range
from sqlrp._store.functions import INSTALLS, install
from sqlrp._store.installed import NOT_OURS, functions_there, is_renamed
from sqlrp._store.ownership import claimed
from sqlrp._store.records import (
    Record,
    TableDefinition,
    is_left_over,
    is_own,
    is_unsettled,
    names_recorded,
    recorded,
    recorded_as,
    settle,
    unsettled,
)
from sqlrp._store.source_state import Seen, wrong_source
from sqlrp._store.survey import Survey
from sqlrp._store.table import CATALOGUE, FORMATS, MAKING, NAMED, RECORDED, SEARCH, TABLE, Catalogue, Row


@dataclass(frozen=True)
class Finding:
    """One error in what sqlrp keeps in a database.

    >>> print(sqlrp.Finding("table", "points_rp", "it is missing", "make it again"))
    table 'points_rp': it is missing: make it again
    """

    kind: str
    """format, projection, model, table, search, function or left-over"""
    name: str
    wrong: str
    remedy: str
    """what to do; `repair` does it if `mends` is True"""
    mends: bool = False
    mended: bool = False

    def __str__(self) -> str:
        """The finding as one line of text."""
        done = "mended" if self.mended else self.remedy
        return f"{self.kind} {shorten(self.name)}: {self.wrong}: {done}"


Found = tuple[Finding, Callable[[], None] | None]


@foreseen
def check(connection: Any, repair: bool = False) -> list[Finding]:
    """Find errors in saved projections and models, records of tables, and functions; an empty list if there are none.

    It finds rows that cannot be read or whose fingerprint does not match; records of tables that are missing, changed
    or unfinished, or whose name is now that of another table; tables that an interruption left behind; functions that
    are missing, of another version or not those that sqlrp made, or that search a table which is gone; and in DuckDB
    saved projections whose macro does not match their row. While another connection makes or changes a table, nothing
    is said of that table.

    `repair` True repairs what it can without losing user data. It rewrites a row from its macro or a macro from its
    row, drops tables that an interruption left behind if they carry sqlrp's mark, forgets searches that cannot be used,
    and reinstalls functions. It leaves tables alone that others make or change at the time. If the engine has
    transactions, all repairs except the functions are one transaction.
    Raises SourceError for a catalogue of a newer format.

        >>> _ = sqlrp.materialize(rp, "points", con, "points_rp")
        >>> sqlrp.check(con)
        []
        >>> _ = con.execute("DROP TABLE points_rp")
        >>> [finding.kind for finding in sqlrp.check(con)]
        ['table']
    """
    connector = keeper(connection)
    if repair:
        connector.check_writable(connection, TABLE)
    opened = connector.transaction(connection, CATALOGUE, makes=True) if repair else None
    with connector.alone(connection), opened or connector.reading(connection, CATALOGUE) as session:
        catalogue = Catalogue.looked_up(connector, session)
        parts = (_format, _projections, _texts, _models, _tables, _left_over, _searches, _named)
        findings = [_mended(found, repair) for part in parts for found in part(catalogue)]
        functions = list(_functions(catalogue))
        schema = catalogue.place.parts[0] if connector.dialect.name == "postgresql" else None
    if repair and any(finding.mends for finding in functions):
        install(connection, schema)
        functions = [replace(finding, mended=finding.mends) for finding in functions]
    return findings + functions


def _mended(found: Found, repair: bool) -> Finding:
    finding, mend = found
    if repair and mend is not None:
        mend()
    return replace(finding, mends=mend is not None, mended=repair and mend is not None)


def _format(catalogue: Catalogue) -> Iterator[Found]:
    numbers = catalogue.names(FORMATS)
    numeric = all(map(stored.is_number, numbers))
    if numeric:
        stored.check_format(numbers)  # this release cannot check a newer one

    def again() -> None:
        catalogue.delete(FORMATS)
        catalogue.put(FORMATS, str(stored.FORMAT), "", "")

    if not numeric:
        yield Finding("format", shorten(numbers), "it is no number", "repair writes it again"), again
    elif not numbers and catalogue.has_rows():
        yield Finding("format", "", "another program removed it", "repair writes it again"), again


def _projections(catalogue: Catalogue) -> Iterator[Found]:
    """Check every row, and every macro if the engine has macros."""
    connector, connection = catalogue.connector, catalogue.session
    beside = connector.saved_beside(connection) if catalogue.there else None
    found = {str(row.name): row for row in catalogue.rows("projection")}
    there = plans.made(connector, connection) if found else set()
    for name, row in found.items():
        text = None if beside is None else beside.get(name)
        try:
            projection = row.read()
        except SourceError as error:
            yield _of_macro(catalogue, name, f"it cannot be read: {error}", text)
            continue
        # An older text of the same projection is found, too: it may state fewer parameters.
        texts = [stored.macro_text(str(definition)) for definition in (row.definition, projection.to_json())]
        if beside is not None and text not in texts:
            wrong = "project_with does not find it" if text is None else "project_with finds another one"
            finding = Finding("projection", name, wrong, "repair gives it the one that sqlrp.load finds")
            yield finding, _saving(catalogue, name, projection)
        elif not plans.is_made(connector.dialect, name, projection, there):
            wrong = "the macros that project_with reads are missing, or of another release"
            finding = Finding("projection", name, wrong, "install again, as repair does")
            yield finding, _saving(catalogue, name, projection)
    for name in (beside or {}).keys() - found.keys():
        wrong = "project_with finds it, and sqlrp.load does not"
        yield _of_macro(catalogue, name, wrong, (beside or {})[name])


def _saving(catalogue: Catalogue, name: str, projection: Projection) -> Callable[[], None]:
    def save() -> None:
        for statement in plans.saving(catalogue.connector.dialect, name, projection):
            catalogue.connector.execute(catalogue.session, statement)

    return save


def _of_macro(catalogue: Catalogue, name: str, wrong: str, text: object) -> Found:
    """The finding for a row that is missing or unreadable; a readable macro can restore it."""
    try:
        projection = stored.read_macro(text)
    except SourceError:
        return Finding("projection", name, wrong, "save it again with replace=True"), None

    def write() -> None:
        catalogue.put("projection", name, projection.to_json(), projection.fingerprint)
        _saving(catalogue, name, projection)()

    return Finding("projection", name, wrong, "repair takes what project_with finds"), write


def _texts(catalogue: Catalogue) -> Iterator[Found]:
    """Find SQL texts in PostgreSQL that project_with refuses."""
    texts = catalogue.rows("text")
    kept = {row.name: row.fingerprint for row in catalogue.rows("projection")} if texts else {}
    for row in texts:
        if kept.get(row.name) != row.fingerprint or not stored.is_text_whole(row.definition):
            remedy = "save it again with its source and replace=True"
            yield Finding("projection", str(row.name), "the text that project_with runs is not its own", remedy), None


def _models(catalogue: Catalogue) -> Iterator[Found]:
    """Find models that cannot be read."""
    for row in catalogue.rows(models.KIND):
        try:
            models.read(row)
        except SourceError as error:
            remedy = "save it again with replace=True"
            yield Finding("model", str(row.name), f"it cannot be read: {error}", remedy), None


def _tables(catalogue: Catalogue) -> Iterator[Found]:
    """Find records without a table, tables that are not sqlrp's or were changed, and unfinished tables."""
    making = unsettled(catalogue)
    yield from _nameless(catalogue, MAKING, "table", making)
    for name in filter(catalogue.has_place, making):
        remedy = "the next materialize or refresh settles it, as repair does"
        wrong = "an interruption left two records of it, of which one is valid"
        with _idle(catalogue, lock_of(catalogue.place_of(name))) as idle:
            if idle and is_unsettled(catalogue, name):
                yield Finding("table", name, wrong, remedy), _settling(catalogue, name)
    records = recorded(catalogue)
    yield from _nameless(catalogue, RECORDED, "table", records)
    survey = Survey.of(catalogue.connector, catalogue.session) if len(records) > 1 else None
    seen: Seen = {}
    for name, record in records.items():
        if not catalogue.has_place(name):
            continue  # as `_nameless` says
        if survey is not None and isinstance(record, Record) and survey.finds_right(catalogue, name, record):
            words = _worn(catalogue, catalogue.place_of(name), record.made)
            if words is not None:
                yield Finding("table", name, *words), None
            continue
        if _wrong(catalogue, name, record, seen) is None:
            continue
        with _idle(catalogue, lock_of(catalogue.place_of(name))) as idle:
            now = recorded_as(catalogue, name) if idle else None
            words = None if now is None else _wrong(catalogue, name, now)
            if words is not None:
                yield Finding("table", name, *words), None


def _nameless(catalogue: Catalogue, kind: str, noun: str, names: Iterable[str]) -> Iterator[Found]:
    """Find rows with a name that no table and no function has. No call can use one, so that repair deletes it."""
    for name in names:
        try:
            catalogue.place_of(name)
        except SourceError as error:
            wrong = f"its record has a name that no {noun} can have: {error}"
            yield Finding(noun, name, wrong, "repair deletes the record"), _deleting(catalogue, kind, name)


def _idle(catalogue: Catalogue, lock: str) -> AbstractContextManager[bool]:
    """Whether nobody makes or changes a table, and nobody begins to until the end.

    Its record, its mark and its columns are read one after the other. While another connection replaces the table, they
    need not belong together.
    """
    return catalogue.connector.holding(catalogue.session, lock)


def _wrong(
    catalogue: Catalogue, name: str, record: Record | SourceError, seen: Seen | None = None
) -> tuple[str, str] | None:
    """What is wrong with a recorded table, with the remedy; None if nothing is. `seen`: see `wrong_source`."""
    if isinstance(record, SourceError):
        remedy = "materialize it with replace=True, or drop the table and materialize it again"
        return f"its record cannot be read: {record}", remedy
    place = catalogue.place_of(name)
    again = f"materialize it again, or {catalogue.deletion('materialized', name)}"
    try:
        columns = [column.name for column in catalogue.connector.listed(catalogue.session, place)]
        own = not columns or is_own(catalogue, place, record.made.mark)
        if not own:
            catalogue.connector.forget(catalogue.session)
        if not own and not catalogue.connector.exists(catalogue.session, place):  # its user dropped it meanwhile
            columns, own = [], True
    except UnreachableError:
        raise
    except StatementError as error:
        if any(words in error.words for words in catalogue.connector.dialect.parted):
            return None  # it is being changed, so that nothing is said of it
        return f"it cannot be read: {error.words}", again
    found = {
        ("it is recorded and not there", again): not columns,
        ("it is not the table that sqlrp made under this name", claimed(catalogue, place, record.made)): not own,
        ("an interruption left it unfinished", "refresh it with everything=True"): not record.fingerprint,
        ("its columns are not those that sqlrp made", f"drop it, and {again}"): columns != record.made.columns,
    }
    own_wrong = next((words for words, wrong in found.items() if wrong), None)
    words = own_wrong or wrong_source(catalogue, record.made, seen)
    if words is not None and _is_unseen(catalogue, place, record.made):
        return None
    return words or _worn(catalogue, place, record.made)


def _is_unseen(catalogue: Catalogue, place: TableName, made: TableDefinition) -> bool:
    """Whether others made a table or its source again after the transaction began, so that nothing is known of it."""
    places = [place, *([] if made.place is None else [catalogue.place_of(made.place)])]
    return any(catalogue.connector.is_unseen(catalogue.session, one) for one in places)


def _worn(catalogue: Catalogue, place: TableName, made: TableDefinition) -> tuple[str, str] | None:
    worn = worn_range(catalogue.session, place, made)
    return (worn, REMEDY) if worn else None


def _settling(catalogue: Catalogue, name: str) -> Callable[[], None]:
    return lambda: settle(catalogue, catalogue.place_of(name), clear=False)


def _left_over(catalogue: Catalogue) -> Iterator[Found]:
    """Find intermediate tables that `materialize` or `refresh` left in the current schema.

    One without a mark of sqlrp may be someone else's, and is not dropped.
    """
    connector, connection = catalogue.connector, catalogue.session
    kept = names_recorded(catalogue)
    for name in connector.tables(connection):
        if not (isinstance(name, str) and is_temporary(name)):
            continue
        place = connector.place(connection, TableName((name,))).name
        with _idle(catalogue, lock_of_temporary(name)) as idle:
            if not idle or not connector.exists(connection, place):
                continue
            drop = f"DROP {connector.noun_of(connection, place)} {connector.dialect.table(place)}"
            if catalogue.is_only_copy(place):
                wrong = "an interruption left it, and the table that it was has no other"
                remedy = "the next sqlrp.refresh or materialize of that table gives it its name back"
                yield Finding("left-over", name, wrong, remedy), None
            elif is_left_over(catalogue, place):
                yield Finding("left-over", name, "an interruption left it", drop), _running(catalogue, drop)
            elif catalogue.key(place) not in kept:
                wrong = "it has the name of a left-over, and no mark of sqlrp"
                yield Finding("left-over", name, wrong, f"if an interruption left it, {drop}"), None


def _running(catalogue: Catalogue, statement: str) -> Callable[[], None]:
    return lambda: catalogue.connector.execute(catalogue.session, statement)


def _searches(catalogue: Catalogue) -> Iterator[Found]:
    """Find functions of `create_search` that are missing or not sqlrp's, or whose record or table is lost.

    No row of the user's is in one, so repair forgets it. A function that sqlrp did not make stays.
    """
    rows = {str(row.name): row for row in catalogue.rows(SEARCH)}
    yield from _nameless(catalogue, SEARCH, "search", rows)
    for name in filter(catalogue.has_place, rows):
        row = rows[name]
        named = searches.SearchListing.of(catalogue, row)
        wrong = searches.wrong_search(catalogue, named)
        if wrong and searches.can_renew(catalogue, named):
            yield Finding("search", name, wrong, _RENEWS), _renewing(catalogue, named)
        elif wrong:
            yield Finding("search", name, wrong, _FORGETS), _forgetting(catalogue, named)


_FORGETS = "repair forgets it, and sqlrp.create_search makes it again"
_RENEWS = "sqlrp.create_search with replace=True makes it again, as repair does"


def _forgetting(catalogue: Catalogue, named: searches.SearchListing) -> Callable[[], None]:
    return lambda: named.forget(catalogue)


def _renewing(catalogue: Catalogue, named: searches.SearchListing) -> Callable[[], None]:
    return lambda: searches.renewed(catalogue, named)


def _deleting(catalogue: Catalogue, kind: str, name: str) -> Callable[[], None]:
    return lambda: catalogue.delete(kind, name)


def _named(catalogue: Catalogue) -> Iterator[Found]:
    """Find functions of `create_function` that are missing or not sqlrp's, or whose record cannot be read."""
    connector, kind = catalogue.connector, NAMED
    rows = {str(row.name): row for row in catalogue.rows(kind)}
    yield from _nameless(catalogue, kind, "function", rows)
    for name in filter(catalogue.has_place, rows):
        row = rows[name]
        place = connector.dialect.function_place(TableName.parse(name), catalogue.place)
        finds = connector.dialect.finds_functions
        there = connector.function(catalogue.session, place) if finds else ""
        try:
            _, mark = named_functions.read(row)
        except SourceError as error:
            wrong, lost = f"its record cannot be read: {error}", finds and not there
            remedy = "repair deletes it" if lost else "drop it in SQL, if it is there, and create it again"
            yield Finding("function", name, wrong, remedy), _deleting(catalogue, kind, name) if lost else None
            continue
        if finds and not there:
            remedy = "sqlrp.create_function makes it again, with replace=True"
            yield Finding("function", name, "it is listed and not there", remedy), None
        elif finds and not named_functions.is_own(there, mark):
            remedy = f"drop it in SQL, or {catalogue.deletion(kind, name)}"
            yield Finding("function", name, f"it {named_functions.NOT_OURS}", remedy), None


def _functions(catalogue: Catalogue) -> Iterator[Finding]:
    """Find functions of `install` that are listed but missing or not sqlrp's, or of another version."""
    listed = catalogue.rows("function") if catalogue.connector.dialect.name in INSTALLS else []
    if not listed:
        return
    there = functions_there(catalogue)
    others = [name for name, own in there.items() if not own]
    for name in others:
        yield Finding("function", name, f"it {NOT_OURS}", "rename it or drop it in SQL, then install again")
    if is_renamed(catalogue):
        wrong = "the functions call each other in the schema that this one was before it was renamed"
        yield Finding("function", "sqlrp_schema", wrong, "install again", mends=not others)
    for row in listed:
        older = _version(row) <= _version(Row("", version=VERSION))
        remedy = "install again" if older else "a newer release installed it: use that release"
        mends = older and not others  # install refuses while they are there
        if row.name not in there:
            yield Finding("function", str(row.name), "it is listed and not there", remedy, mends=mends)
        elif there[str(row.name)] and row.version != VERSION:
            wrong = f"it is of version {row.version}, and this release is {VERSION}"
            yield Finding("function", str(row.name), wrong, remedy, mends=mends)


def _version(row: Row) -> list[int]:
    return [int(part) for part in re.findall(r"\d{1,9}", str(row.version))]
