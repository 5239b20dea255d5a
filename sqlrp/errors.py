"""The exceptions of sqlrp. Every message is one line: the value, its bound and the remedy."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class SqlrpError(Exception):
    """Base of every error that sqlrp raises on purpose."""

    def __init__(self, message: str) -> None:
        """Keep the message as one line."""
        super().__init__(printable(message))


class ParameterError(SqlrpError, ValueError):
    """A parameter of a projection, a source or a call lies outside its bounds."""


class SourceError(SqlrpError, ValueError):
    """A table, column or layout is not what the projection needs."""


class LimitError(SqlrpError, ValueError):
    """No lowering holds the projection within the engine's limits."""


class UnsupportedError(SqlrpError, NotImplementedError):
    """A combination of method, layout, output and lowering that is refused by rule."""


class StatementError(SqlrpError, RuntimeError):
    """The engine refused a statement; carries its SQL (cut) and the engine's words."""

    def __init__(self, sql: str, words: str) -> None:
        """Keep the first 300 characters of `sql`, folded to one line, beside the engine's `words`."""
        folded = " ".join(sql[:600].split())[:300]
        self.sql = sql
        super().__init__(f"{first_line(words)} [in: {folded}{'…' if len(sql) > len(folded) else ''}]")


def printable(text: str) -> str:
    """A text as one line: what would break it, or move a cursor (a name may hold anything), written as an escape."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def first_line(words: str) -> str:
    """The first non-empty line of an engine's message."""
    return next((line.strip() for line in words.splitlines() if line.strip()), words)


def shorten(value: object, length: int = 80) -> str:
    """A value as it stands in a message: its repr, cut in the middle."""
    text = repr(value)
    return text if len(text) <= length else f"{text[: length // 2]}…{text[-length // 4 :]}"


def nearest(word: str, choices: Iterable[str]) -> str:
    """` (did you mean 'x'?)` when a choice lies near `word`, else nothing."""
    found = get_close_matches(word, list(choices), n=1, cutoff=0.6)
    return f" (did you mean {found[0]!r}?)" if found else ""
