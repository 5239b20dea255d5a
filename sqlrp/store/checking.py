"""`check`, which finds errors in what sqlrp keeps in a database, and repairs them if no user data is lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from sqlrp.connectors.base import Connector
from sqlrp.core.errors import SourceError, shorten
from sqlrp.core.sources import TableName
from sqlrp.core.version import VERSION
from sqlrp.projections.base import Projection
from sqlrp.store import models, plans, stored
from sqlrp.store.catalogue import CATALOGUE, Row, at, is_there, keeper, names, put, rows, upgrade
from sqlrp.store.functions import install
from sqlrp.store.named_functions import KIND as NAMED
from sqlrp.store.records import recorded, settle, unsettled

_LEFT = re.compile(r"sqlrp_(new|rows)_[0-9a-f]{12}(_old)?")
"""The names of the intermediate tables that `materialize` and `refresh` make."""


@dataclass(frozen=True)
class Finding:
    """One error in what sqlrp keeps in a database.

    >>> print(sqlrp.Finding("table", "points_rp", "it is missing", "make it again"))
    table 'points_rp': it is missing: make it again
    """

    kind: str
    """format, projection, model, table, function or left-over"""
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


def check(connection: Any, repair: bool = False) -> list[Finding]:
    """Find errors in saved projections and models, records of tables, and functions; an empty list if there are none.

    It finds rows that cannot be read or whose fingerprint does not match; records of tables that are missing, changed
    or unfinished; tables that an interruption left behind; functions that are missing or of another version; and in
    DuckDB saved projections whose macro does not match their row.

    `repair` True repairs what it can without losing user data. It rewrites a row from its macro or a macro from its
    row, drops tables that an interruption left behind, reinstalls functions, and upgrades an older catalogue to the
    format of this release. Do not run it while a table is being materialized. If the engine has transactions, all
    repairs except the functions are one transaction.
    Raises SourceError for a catalogue of a newer format, and UnsupportedError on Spark.

        >>> _ = sqlrp.materialize(rp, "points", con, "points_rp")
        >>> sqlrp.check(con)
        []
        >>> _ = con.execute("DROP TABLE points_rp")
        >>> [finding.kind for finding in sqlrp.check(con)]
        ['table']
    """
    connector = keeper(connection)
    with connector.alone(), connector.transaction(connection, CATALOGUE, makes=repair) as session:
        if not is_there(connector, session):
            return [_mended(found, repair) for found in _left_over(connector, session)]
        parts = (_format, _projections, _texts, _models, _tables, _left_over, _named)
        findings = [_mended(found, repair) for part in parts for found in part(connector, session)]
        functions = list(_functions(connector, session))
    again = [finding for finding in functions if finding.mends]
    if repair and again:
        install(connection)
        functions = [replace(finding, mended=finding.mends) for finding in functions]
    return findings + functions


def _mended(found: Found, repair: bool) -> Finding:
    finding, mend = found
    if repair and mend is not None:
        mend()
    return replace(finding, mends=mend is not None, mended=repair and mend is not None)


def _format(connector: Connector, connection: Any) -> Iterator[Found]:
    numbers = names(connector, connection, "format")
    try:
        written = stored.newest(numbers)
    except SourceError:
        if all(stored.is_number(number) for number in numbers):  # a newer format, which this release cannot check
            raise

        def again() -> None:
            connector.execute(connection, f"DELETE FROM {CATALOGUE} WHERE {at(connector, 'format')}")
            upgrade(connector, connection)

        yield Finding("format", shorten(numbers), "it is no number", "repair reads every row, and writes it"), again
        return
    if written < stored.FORMAT:
        remedy = "the next save, materialize or install writes it again, as repair does"
        finding = Finding("format", str(written), f"this release writes {stored.FORMAT}", remedy)
        yield finding, lambda: upgrade(connector, connection)


def _written(connector: Connector, connection: Any) -> int:
    """The format. If it cannot be read, 0, in which most values may be missing."""
    numbers = names(connector, connection, "format")
    return stored.newest(numbers) if all(map(stored.is_number, numbers)) else 0


def _projections(connector: Connector, connection: Any) -> Iterator[Found]:
    """Check every row, and every macro if the engine has macros."""
    beside = connector.saved_beside(connection)
    found = {str(row.name): row for row in rows(connector, connection, "projection")}
    written = _written(connector, connection) if found else 0
    there = plans.made(connector, connection) if found else set()
    for name, row in found.items():
        text = None if beside is None else beside.get(name)
        try:
            projection = row.read(written)
        except SourceError as error:
            yield _of_macro(connector, connection, name, f"it cannot be read: {error}", text)
            continue
        if beside is not None and text not in (row.definition, stored.macro_text(projection.to_json())):
            wrong = "project_with does not find it" if text is None else "project_with finds another one"
            finding = Finding("projection", name, wrong, "repair gives it the one that sqlrp.load finds")
            yield finding, _saving(connector, connection, name, projection)
        elif not plans.is_made(connector.dialect, name, projection, there):
            wrong = "the macros that project_with reads are missing, or of another release"
            finding = Finding("projection", name, wrong, "install again, as repair does")
            yield finding, _saving(connector, connection, name, projection)
    for name in (beside or {}).keys() - found.keys():
        wrong = "project_with finds it, and sqlrp.load does not"
        yield _of_macro(connector, connection, name, wrong, (beside or {})[name])


def _saving(connector: Connector, connection: Any, name: str, projection: Projection) -> Callable[[], None]:
    def save() -> None:
        for statement in plans.saving(connector.dialect, name, projection):
            connector.execute(connection, statement)

    return save


def _of_macro(connector: Connector, connection: Any, name: str, wrong: str, text: object) -> Found:
    """The finding for a row that is missing or unreadable; a readable macro can restore it."""
    try:
        projection = stored.read_macro(text)
    except SourceError:
        return Finding("projection", name, wrong, "save it again with replace=True"), None

    def write() -> None:
        put(connector, connection, "projection", name, projection.to_json(), projection.fingerprint)
        _saving(connector, connection, name, projection)()

    return Finding("projection", name, wrong, "repair takes what project_with finds"), write


def _texts(connector: Connector, connection: Any) -> Iterator[Found]:
    """Find SQL texts in PostgreSQL that project_with refuses."""
    texts = rows(connector, connection, "text")
    kept = {row.name: row.fingerprint for row in rows(connector, connection, "projection")} if texts else {}
    for row in texts:
        if kept.get(row.name) != row.fingerprint or not stored.is_text_whole(row.definition):
            remedy = "save it again with its source and replace=True"
            yield Finding("projection", str(row.name), "the text that project_with runs is not its own", remedy), None


def _models(connector: Connector, connection: Any) -> Iterator[Found]:
    """Find models that cannot be read."""
    found = rows(connector, connection, models.KIND)
    written = _written(connector, connection) if found else 0
    for row in found:
        try:
            models.read(row, written)
        except SourceError as error:
            remedy = "save it again with replace=True"
            yield Finding("model", str(row.name), f"it cannot be read: {error}", remedy), None


def _tables(connector: Connector, connection: Any) -> Iterator[Found]:
    """Find records without a table, tables that were changed, and unfinished tables."""
    for name in unsettled(connector, connection):
        remedy = "the next materialize or refresh settles it, as repair does"
        finding = Finding("table", name, "an interruption left two records of it, of which one holds", remedy)
        yield finding, _settling(connector, connection, name)
    for name, record in recorded(connector, connection).items():
        if isinstance(record, SourceError):
            remedy = "materialize it with replace=True, or drop the table and materialize it again"
            yield Finding("table", name, f"its record cannot be read: {record}", remedy), None
            continue
        remedy = f"materialize it again, or DELETE FROM {CATALOGUE} WHERE {at(connector, 'materialized', name)}"
        table = TableName.parse(name)
        if not connector.exists(connection, table):
            yield Finding("table", name, "it is recorded and not there", remedy), None
            continue
        columns = [column.name for column in connector.columns(connection, table)]
        if not record.fingerprint:
            remedy = "refresh it with everything=True"
            yield Finding("table", name, "an interruption left it unfinished", remedy), None
        elif columns != record.made.columns:
            yield Finding("table", name, "its columns are not those that sqlrp made", "drop it, and " + remedy), None


def _settling(connector: Connector, connection: Any, name: str) -> Callable[[], None]:
    return lambda: settle(connector, connection, TableName.parse(name), clear=True)


def _left_over(connector: Connector, connection: Any) -> Iterator[Found]:
    """Find intermediate tables that `materialize` or `refresh` left in the current schema."""
    for name in connector.tables(connection):
        if isinstance(name, str) and _LEFT.fullmatch(name):
            drop = f"DROP TABLE {connector.dialect.quote(name)}"
            yield Finding("left-over", name, "an interruption left it", drop), _running(connector, connection, drop)


def _running(connector: Connector, connection: Any, statement: str) -> Callable[[], None]:
    return lambda: connector.execute(connection, statement)


def _named(connector: Connector, connection: Any) -> Iterator[Found]:
    """Find functions of `create_function` that are missing, or whose record cannot be read."""
    for row in rows(connector, connection, NAMED):
        remedy = "sqlrp.create_function makes it again, with replace=True"
        try:
            row.read(stored.FORMAT)
        except SourceError as error:
            yield Finding("function", str(row.name), f"its record cannot be read: {error}", remedy), None
            continue
        finds = connector.dialect.finds_functions
        if finds and not connector.function(connection, TableName.parse(str(row.name))):
            yield Finding("function", str(row.name), "it is listed and not there", remedy), None


def _functions(connector: Connector, connection: Any) -> Iterator[Finding]:
    """Find functions that are listed but missing, or of another version."""
    listed = rows(connector, connection, "function") if connector.dialect.functions else []
    if not listed:
        return
    there = set(connector.fetch(connection, connector.dialect.functions).column(0).to_pylist())
    for row in listed:
        older = _version(row) <= _version(Row("", version=VERSION))
        remedy = "install again" if older else "a newer release installed it: use that release"
        if row.name not in there:
            yield Finding("function", str(row.name), "it is listed and not there", remedy, mends=older)
        elif row.version != VERSION:
            wrong = f"it is of version {row.version}, and this release is {VERSION}"
            yield Finding("function", str(row.name), wrong, remedy, mends=older)


def _version(row: Row) -> list[int]:
    return [int(part) for part in re.findall(r"\d{1,9}", str(row.version))]
