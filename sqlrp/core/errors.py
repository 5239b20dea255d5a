"""The exceptions and warnings of sqlrp. Every message is one line: the value, its bound and the remedy."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from sqlrp.core.passwords import without_passwords

_PACKAGE = str(Path(__file__).parents[1])
_EXCERPT = re.compile(r"LINE \d+:|\^+$")
"""How a line of an engine's message begins that repeats the statement, or points into the line before."""
_PLACE = re.compile(r"(QUERY|CONTEXT):")
"""What PostgreSQL ends with: the functions and statements that the failed one was called from."""
_LONGEST = 1000  # characters of an engine's message


class SqlrpError(Exception):
    """Base of every error that sqlrp raises on purpose."""

    def __init__(self, message: str) -> None:
        """Keep the message as one line without passwords."""
        super().__init__(printable(without_passwords(message)))


class ParameterError(SqlrpError, ValueError):
    """A parameter of a projection, a source or a call lies outside its bounds."""


class SourceError(SqlrpError, ValueError):
    """A table, column or layout is not what the projection needs."""


class LimitError(SqlrpError, ValueError):
    """No lowering holds the projection within the engine's limits."""


class UnsupportedError(SqlrpError, NotImplementedError):
    """A combination of method, layout, output and lowering that is refused by rule."""


class StatementError(SqlrpError, RuntimeError):
    """The engine refused a statement; carries its SQL (cut) and the engine's whole message, its hint included."""

    def __init__(self, sql: str, words: str) -> None:
        """Keep the first 300 characters of `sql`, folded to one line, and the engine's message `words`."""
        folded = " ".join(without_passwords(sql[:600]).split())[:300]
        self.sql, self.words = sql, one_line(words)
        place = f" [in: {folded}{'…' if len(sql) > len(folded) else ''}]" if sql else ""
        super().__init__(f"{self.words}{place}")


class UnreachableError(StatementError):
    """The database does not answer: it cannot be reached, or its connection was closed or dropped."""


class SqlrpWarning(UserWarning):
    """The call runs, but may not do what was meant: a column left out, or no fewer components than features."""


def warn(message: str) -> None:
    """Warn at the line outside this package that called into it, so that each such line is told once."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(without_passwords(printable(message)), SqlrpWarning, stacklevel=level)


def printable(text: str) -> str:
    """A text as one line: what would break it, or move a cursor (a name may hold anything), written as an escape."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def one_line(words: str) -> str:
    """An engine's message with its details and hints as one line; what repeats the statement is left out."""
    said = ""
    for line in (" ".join(text.split()) for text in words.splitlines()):
        if _PLACE.match(line):
            break
        if line and not _EXCERPT.match(line):
            said += f"{'' if not said else ' ' if said[-1] in '.,:;!?' else '; '}{line}"
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST * 2 // 3]}…{said[-_LONGEST // 3 :]}"


def shorten(value: object, length: int = 80) -> str:
    """A value as it stands in a message: its repr without passwords, cut in the middle."""
    text = without_passwords(repr(value))
    return text if len(text) <= length else f"{text[: length // 2]}…{text[-length // 4 :]}"


def nearest(word: str, choices: Iterable[str]) -> str:
    """` (did you mean 'x'?)` when a choice lies near `word`, else nothing."""
    found = get_close_matches(word, list(choices), n=1, cutoff=0.6)
    return f" (did you mean {found[0]!r}?)" if found else ""
