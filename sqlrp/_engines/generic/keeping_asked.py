"""Questions to an engine without a file in this package about what it can keep: they write to a table of their own.

They are asked where a call is about to write, outside transactions: whether a transaction takes rows back, what makes a
table of a query, a temporary table and a view, and what a backslash means in a text.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import field

from sqlrp._core.values import dataclass
from sqlrp._engines.generic.asked import Rows

COMMIT, ROLLBACK = "commit", "rollback"
"""What is yielded in the place of a statement to end a transaction."""
MARKED, SAVED = "marked", "saved"
"""What is yielded to read the mark of the table, and to try a savepoint."""
MARKINGS = ("comment", "index")
"""How a table carries a mark, the better way first."""
TEXTS = ("LONGVARCHAR", "CLOB", "VARCHAR(32672)")
"""Types of long texts: HSQLDB's, the standard's, and for Derby, which compares no CLOB, its longest."""
MARK = "sqlrp_00000000000000000000000000000000"
_MAKING_TEMPORARY = "CREATE TEMPORARY TABLE {name} AS"
_DROPPING_TEMPORARY = "DROP TABLE IF EXISTS"
_SLASH = "a\\b"


@dataclass(frozen=True)
class KeepingAnswers:
    """What an engine can keep."""

    why_nothing: str = ""
    """why it keeps nothing, as the end of a sentence; empty if it does"""
    copies: bool = False
    """whether a statement makes a table with the columns of a query"""
    temporary: bool = False
    """whether a transaction can make and drop a temporary table, and go on"""
    views: bool = False
    """whether it has views"""
    savepoints: bool = False
    """whether a part of a transaction can be taken back"""
    marking: str = ""
    """how a table carries a mark: "comment", "index", or empty"""
    text: str = ""
    """the type of long texts, which can be compared; empty for that of SQLAlchemy"""
    backslash: str = ""
    """how a backslash is written in a text; empty if that is not known"""
    statements: int = field(default=0, compare=False)
    """how many statements were run"""


@dataclass(frozen=True)
class Scratch:
    """What the questions name and write, in the engine's words."""

    table: str
    copied: str
    temporary: str
    view: str
    whole: str
    double: str
    text: str
    constants: str
    comment: str
    """the statement that marks the table by a comment; empty if the dialect has none"""
    index: str
    """the statement that marks it by the name of an index"""

    @property
    def drops(self) -> list[str]:
        """What drops all that an interruption may have left."""
        return [f"DROP VIEW {self.view}", *(f"DROP TABLE {name}" for name in (self.copied, self.table))]


Asking = Generator[str, "Rows | None", KeepingAnswers]
"""Yields a statement, or one of the words above, and takes its rows; None if it is refused."""


def constant(constants: str) -> str:
    """A query of one row. `constants`: the text after a SELECT that reads no table."""
    return f"SELECT 1 AS x{constants}"


class _KeepingProbe:
    """Runs, and counts."""

    def __init__(self, given: Scratch) -> None:
        self.given, self.count = given, 0

    def run(self, sql: str) -> Generator[str, Rows | None, Rows | None]:
        """The rows of a statement; None if it is refused."""
        self.count += 1
        return (yield sql)

    def done(self, sql: str) -> Generator[str, Rows | None, bool]:
        """Whether a statement that makes or drops something runs, and stays."""
        found = yield from self.run(sql)
        yield COMMIT if found is not None else ROLLBACK
        return found is not None

    def rows(self, table: str) -> Generator[str, Rows | None, int]:
        """The number of rows of a table; -1 if it cannot be read."""
        found = yield from self.run(f"SELECT COUNT(*) AS n FROM {table}")
        return int(found[0][0]) if found else -1

    def adding(self, number: int) -> str:
        """The statement that adds a row."""
        return f"INSERT INTO {self.given.table} (a, b) VALUES ({number}, 0.5)"


def questions(given: Scratch) -> Asking:
    """Ask one question after the other. The table of the questions is dropped at the end."""
    ask, table = _KeepingProbe(given), given.table
    for text in (given.text, *TEXTS):
        columns = f"a {given.whole} NOT NULL, b {given.double}, c {text}, PRIMARY KEY (a)"
        if (yield from ask.done(f"CREATE TABLE {table} ({columns})")):
            if (yield from ask.run(f"SELECT a FROM {table} WHERE c = 'x'")) is not None:
                break
            yield from ask.done(f"DROP TABLE {table}")
    else:
        return KeepingAnswers(
            why_nothing=f"refuses a table with a key and with long texts which it compares ({columns})",
            statements=ask.count,
        )
    if not (yield from _takes_back(ask)):
        yield from ask.done(f"DROP TABLE {table}")
        why = "takes no rows back at a ROLLBACK (a connection may commit each statement by itself)"
        return KeepingAnswers(why_nothing=why, statements=ask.count)
    copies = yield from _copies(ask)
    temporary = yield from _temporary(ask)
    marking = yield from _marking(ask)
    views = yield from ask.done(f"CREATE VIEW {given.view} AS SELECT a FROM {table}")
    if views:
        views = (yield from ask.rows(given.view)) == (yield from ask.rows(table))
        yield COMMIT
        yield from ask.done(f"DROP VIEW {given.view}")
    slash = yield from backslash(given.constants)
    savepoints = (yield SAVED) is not None
    yield ROLLBACK
    yield from ask.done(f"DROP TABLE {table}")
    return KeepingAnswers(
        copies=copies,
        temporary=temporary,
        views=views,
        savepoints=savepoints,
        marking=marking,
        text="" if text == given.text else text,
        backslash=slash,
        statements=ask.count,
    )


def _takes_back(ask: _KeepingProbe) -> Generator[str, Rows | None, bool]:
    """Whether a ROLLBACK takes a row back, and none after a COMMIT. One row is there afterwards."""
    yield from ask.run(ask.adding(1))
    yield ROLLBACK
    taken = (yield from ask.rows(ask.given.table)) == 0
    yield from ask.run(ask.adding(2))
    yield COMMIT
    yield ROLLBACK
    return (yield from ask.rows(ask.given.table)) == 1 and taken


def _copies(ask: _KeepingProbe) -> Generator[str, Rows | None, bool]:
    """Whether CREATE TABLE … AS makes an empty table that takes rows."""
    table, copied = ask.given.table, ask.given.copied
    if not (yield from ask.done(f"CREATE TABLE {copied} AS SELECT * FROM (SELECT a, b FROM {table}) s WHERE 1 = 0")):
        return False
    empty = (yield from ask.rows(copied)) == 0
    yield from ask.run(f"INSERT INTO {copied} SELECT a, b FROM {table}")
    filled = (yield from ask.rows(copied)) == 1
    yield COMMIT
    yield from ask.done(f"DROP TABLE {copied}")
    return empty and filled


def _temporary(ask: _KeepingProbe) -> Generator[str, Rows | None, bool]:
    """Whether a transaction makes and drops a temporary table, and is still taken back."""
    table, name = ask.given.table, ask.given.temporary
    yield from ask.run(ask.adding(3))
    made = yield from ask.run(f"{_MAKING_TEMPORARY.format(name=name)} SELECT a FROM {table}")
    fits = made is not None and (yield from ask.rows(name)) == len((1, 3))
    if made is not None:
        fits = (yield from ask.run(f"{_DROPPING_TEMPORARY} {name}")) is not None and fits
    yield ROLLBACK
    return (yield from ask.rows(table)) == 1 and fits


def _marking(ask: _KeepingProbe) -> Generator[str, Rows | None, str]:
    """How a table carries a mark."""
    for how, statement in zip(MARKINGS, (ask.given.comment, ask.given.index), strict=True):
        if statement and (yield from ask.done(statement)):
            found = yield MARKED
            if found and MARK in str(found[0][0]):
                return how
    return ""


def backslash(constants: str) -> Generator[str, Rows | None, str]:
    """How a backslash is written; empty if neither way is right. `constants`: as of `constant`."""
    for written in ("\\", "\\\\"):
        text = _SLASH.replace("\\", written)
        found = yield f"SELECT '{text}' AS x{constants}"
        if found and str(found[0][0]) == _SLASH:
            return written
    return ""
