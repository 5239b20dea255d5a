"""`check`: what a database keeps, compared with itself, and mended where nothing of the user's is lost by it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from sqlrp.connectors.base import Connector
from sqlrp.core.errors import SourceError, shorten
from sqlrp.core.sources import TableName
from sqlrp.core.version import VERSION
from sqlrp.store import stored
from sqlrp.store.catalogue import CATALOGUE, Row, at, is_there, keeper, names, put, rows, upgrade
from sqlrp.store.functions import install
from sqlrp.store.records import recorded, settle, unsettled

_LEFT = re.compile(r"sqlrp_(new|rows)_[0-9a-f]{12}(_old)?")
"""The names of the tables that `materialize` and `refresh` make on the way."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with what a database keeps."""

    kind: str
    """format, projection, table, function or left-over"""
    name: str
    wrong: str
    remedy: str
    """what to do; `repair` does it where `mends` is True"""
    mends: bool = False
    mended: bool = False

    def __str__(self) -> str:
        """One line."""
        done = "mended" if self.mended else self.remedy
        return f"{self.kind} {shorten(self.name)}: {self.wrong}: {done}"


Found = tuple[Finding, Callable[[], None] | None]


def check(connection: Any, repair: bool = False) -> list[Finding]:
    """What is wrong with what the database keeps: saved projections, records of tables, functions; empty for nothing.

    Found are rows that cannot be read or whose fingerprint does not match, records of tables that are gone, changed or
    left unfinished, tables that an interruption left, functions that are gone or of another version, and in DuckDB
    saved projections whose macro is not that of their row.

    `repair` True mends what can be mended with nothing of the user's lost: it writes a row or a macro again from the
    other, drops tables that an interruption left, installs functions again, and brings an older catalogue to the format
    of this release. Run it while nothing is being materialized. All but the functions is one transaction where the
    engine has transactions.
    Raises SourceError for a catalogue of a newer format, UnsupportedError on Spark.
    """
    connector = keeper(connection)
    with connector.alone(), connector.transaction(connection, CATALOGUE, makes=repair) as session:
        if not is_there(connector, session):
            return [_mended(found, repair) for found in _left_over(connector, session)]
        parts = (_format, _projections, _texts, _tables, _left_over)
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
        if all(stored.is_number(number) for number in numbers):  # a newer one, which is not ours to judge
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
    """The format; 0, which leaves the most out, where it cannot be read."""
    numbers = names(connector, connection, "format")
    return stored.newest(numbers) if all(map(stored.is_number, numbers)) else 0


def _projections(connector: Connector, connection: Any) -> Iterator[Found]:
    """Every row, and where the engine has them every macro."""
    written, beside = _written(connector, connection), connector.saved_beside(connection)
    found = {str(row.name): row for row in rows(connector, connection, "projection")}
    for name, row in found.items():
        text = None if beside is None else beside.get(name)
        try:
            definition = row.read(written).to_json()
        except SourceError as error:
            yield _of_macro(connector, connection, name, f"it cannot be read: {error}", text)
            continue
        if beside is not None and text not in (row.definition, stored.macro_text(definition)):
            wrong = "project_with does not find it" if text is None else "project_with finds another one"
            finding = Finding("projection", name, wrong, "repair gives it the one that sqlrp.load finds")
            yield finding, _saving(connector, connection, name, definition)
    for name in (beside or {}).keys() - found.keys():
        wrong = "project_with finds it, and sqlrp.load does not"
        yield _of_macro(connector, connection, name, wrong, (beside or {})[name])


def _saving(connector: Connector, connection: Any, name: str, definition: str) -> Callable[[], None]:
    def save() -> None:
        for statement in connector.dialect.saving(name, stored.macro_text(definition)):
            connector.execute(connection, statement)

    return save


def _of_macro(connector: Connector, connection: Any, name: str, wrong: str, text: object) -> Found:
    """A row that is gone or cannot be read; a macro that can be read has what it held."""
    try:
        projection = stored.read_macro(text)
    except SourceError:
        return Finding("projection", name, wrong, "save it again with replace=True"), None

    def write() -> None:
        put(connector, connection, "projection", name, projection.to_json(), projection.fingerprint)
        _saving(connector, connection, name, projection.to_json())()

    return Finding("projection", name, wrong, "repair takes what project_with finds"), write


def _texts(connector: Connector, connection: Any) -> Iterator[Found]:
    """PostgreSQL's texts that project_with refuses."""
    kept = {row.name: row.fingerprint for row in rows(connector, connection, "projection")}
    for row in rows(connector, connection, "text"):
        if kept.get(row.name) != row.fingerprint or not stored.is_text_whole(row.definition):
            remedy = "save it again with its source and replace=True"
            yield Finding("projection", str(row.name), "the text that project_with runs is not its own", remedy), None


def _tables(connector: Connector, connection: Any) -> Iterator[Found]:
    """Records without a table, tables that are not as they were made, and what is not settled yet."""
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
    """Tables of the current schema that `materialize` or `refresh` made on the way."""
    for name in connector.fetch(connection, connector.dialect.listing).column(0).to_pylist():
        if isinstance(name, str) and _LEFT.fullmatch(name):
            drop = f"DROP TABLE {connector.dialect.quote(name)}"
            yield Finding("left-over", name, "an interruption left it", drop), _running(connector, connection, drop)


def _running(connector: Connector, connection: Any, statement: str) -> Callable[[], None]:
    return lambda: connector.execute(connection, statement)


def _functions(connector: Connector, connection: Any) -> Iterator[Finding]:
    """Functions that are listed and gone, or of another version."""
    if not connector.dialect.functions:
        return
    there = set(connector.fetch(connection, connector.dialect.functions).column(0).to_pylist())
    for row in rows(connector, connection, "function"):
        older = _version(row) <= _version(Row("", version=VERSION))
        remedy = "install again" if older else "a newer release installed it: use that release"
        if row.name not in there:
            yield Finding("function", str(row.name), "it is listed and not there", remedy, mends=older)
        elif row.version != VERSION:
            wrong = f"it is of version {row.version}, and this release is {VERSION}"
            yield Finding("function", str(row.name), wrong, remedy, mends=older)


def _version(row: Row) -> list[int]:
    return [int(part) for part in re.findall(r"\d{1,9}", str(row.version))]
