"""The exceptions and warnings of sqlrp. Every message is one line with the value, its bound and the remedy."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

from sqlrp._core.passwords import without_passwords
from sqlrp._core.symbols import stated_check

_PACKAGE = str(Path(__file__).parents[1])
_EXCERPT = re.compile(r"LINE \d+:|\^+$")
"""The beginning of a line in an engine's message that repeats the statement, or points into the line before."""
_PLACE = re.compile(r"(QUERY|CONTEXT):")
"""The beginning of the end of PostgreSQL's messages, which lists the functions and statements around the failure."""
_HEADER = re.compile(r"\A(\s*--[^\n]*\n)+")
"""The comments at the beginning of a file of SQL, which say nothing about a failure."""
_FULL = re.compile(r"no space left on|(disk|file system|tablespace) is full|the table '.*' is full", re.IGNORECASE)
"""What engines say of a full disk: no statement is to blame."""
_LONGEST = 1000  # characters of an engine's message
_SCANNED = 10_000  # characters of a value in which passwords are looked for


class SqlrpError(Exception):
    """The base class of all errors of sqlrp.

    >>> try:
    ...     sqlrp.SparseProjection(k=0)
    ... except sqlrp.SqlrpError as error:
    ...     print(type(error).__name__)
    ParameterError
    """

    def __init__(self, message: str) -> None:
        """Keep the message as one line without passwords."""
        super().__init__(printable(without_passwords(message)))


class ParameterError(SqlrpError, ValueError):
    """A parameter of a projection, a source or a call is out of bounds.

    >>> sqlrp.SparseProjection(k=0)
    Traceback (most recent call last):
        ...
    sqlrp._core.errors.ParameterError: k = 0 must be a whole number >= 1
    """


class SourceError(SqlrpError, ValueError):
    """A table, column or layout is not what the projection needs.

    >>> sqlrp.project(rp, "point", con)
    Traceback (most recent call last):
        ...
    sqlrp._core.errors.SourceError: source "point" cannot be read: Catalog ...
    """


class LimitError(SqlrpError, ValueError):
    """No lowering can write the projection within the engine's limits.

    >>> wide = sqlrp.Wide("t", features=["a", "b"])
    >>> sqlrp.sql(sqlrp.SparseProjection(k=3000), wide, "sqlite")
    Traceback (most recent call last):
        ...
    sqlrp._core.errors.LimitError: k = 3000 makes 3001 columns ...
    """


class UnsupportedError(SqlrpError, NotImplementedError):
    """The combination of method, layout, output, lowering and engine is not supported.

    >>> sqlrp.sql(rp, sqlrp.Array("t", "embedding", n_features=3), "sqlite")
    Traceback (most recent call last):
        ...
    sqlrp._core.errors.UnsupportedError: sqlite has no array columns, so ...
    """


class StatementError(SqlrpError, RuntimeError):
    """The engine refused a statement. The error has its SQL (cut) and the engine's whole message, with its hint.

    >>> _ = con.execute("CREATE VIEW broken AS SELECT id, a, CAST(label AS INTEGER) AS b FROM points")
    >>> try:
    ...     sqlrp.project(rp, "broken", con)
    ... except sqlrp.StatementError as error:
    ...     print(error.words.split(":")[0])
    Conversion Error
    """

    def __init__(self, sql: str, words: str) -> None:
        """Keep `sql`, of which the message shows 300 characters in one line, and the engine's message `words`.

        The message of a full disk says what to do, and shows no SQL.
        """
        folded = " ".join(without_passwords(_HEADER.sub("", sql)[:600]).split())[:300]
        self.sql: str = sql
        self.words: str = one_line(words)
        place = f" [in: {folded}{'…' if len(sql) > len(folded) else ''}]" if sql else ""
        if _FULL.search(self.words):
            place = " (make room there, or write elsewhere, and call again)"
        super().__init__(f"{self.words}{place}")


class UnreachableError(StatementError):
    """The database does not answer: it cannot be reached, or its connection was closed or dropped.

    >>> issubclass(sqlrp.UnreachableError, sqlrp.StatementError)
    True
    """


class SqlrpWarning(UserWarning):
    """The call runs, but may not do what you meant: a column is left out, or k is not below the number of features.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", sqlrp.SqlrpWarning)
    ...     _ = sqlrp.project(sqlrp.SparseProjection(k=3, s=1), "points", con)
    >>> str(caught[0].message).split(":")[0]
    'k = 3 is not below the number of features = 3'
    """


def warn(*messages: str) -> None:
    """Warn at the line outside this package that called into it, so that Python shows each warning once per line."""
    level, frame = 1, inspect.currentframe() if messages else None
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    for message in messages:
        warnings.warn(without_passwords(printable(message)), SqlrpWarning, stacklevel=level)


def printable(text: str) -> str:
    """A text as one printable line: escapes replace line breaks and control characters, which a name may contain."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def one_line(words: str) -> str:
    """An engine's message as one line, with its details and hints, without the lines that repeat the statement."""
    said = ""
    for line in (" ".join(text.split()) for text in words.splitlines()):
        if _PLACE.match(line):
            break
        if line and not _EXCERPT.match(line):
            said += f"{'' if not said else ' ' if said[-1] in '.,:;!?' else '; '}{line}"
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST * 2 // 3]}…{said[-_LONGEST // 3 :]}"


def shorten(value: object, length: int = 80) -> str:
    """A value for a message: its repr without passwords, cut in the middle."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        text = f"a {type(value).__name__} that is too long to write"
    if len(text) > _SCANNED:  # the look for passwords takes long on a long text, and only its ends are shown
        text = text[: _SCANNED // 2] + text[-_SCANNED // 2 :]
    text = without_passwords(text)
    return text if len(text) <= length else f"{text[: length // 2]}…{text[-length // 4 :]}"


@stated_check
def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise ParameterError unless `value` is one of several texts."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(f"{name} = {shorten(value)} must be one of {', '.join(choices)}")


def nearest(word: str, choices: Iterable[str]) -> str:
    """` (did you mean 'x'?)` if a choice is similar to `word`, else an empty string."""
    from difflib import get_close_matches  # only an error needs it, and it takes milliseconds to import

    found = get_close_matches(word, list(choices), n=1, cutoff=0.6)
    return f" (did you mean {found[0]!r}?)" if found else ""
