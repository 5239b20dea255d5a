"""Which rows a search finds, and what it shows of each: a condition, columns of the source, and an offset."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import (
    ParameterError,
    StatementError,
    UnreachableError,
    UnsupportedError,
    nearest,
    shorten,
)
from sqlrp._core.names import Names, spelled
from sqlrp._lowering.search import Choice, Search
from sqlrp._projections.checks import check_flag, check_whole
from sqlrp._store.table_checks import types

_TOKEN = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|--[^\n]*|/\*.*?\*/|[();'"`]""", re.DOTALL)
_RESULT = ("distance", "query", "sure")


def choice_of(keep: Sequence[str], where: str | None, offset: int = 0, sure: bool = False) -> Choice:
    """The choice of a call. Raises ParameterError for what is none, before anything is asked of the database."""
    check_whole("offset", offset, 0)
    check_flag("sure", sure)
    names = [keep] if isinstance(keep, str) else list(keep)
    for name in names:
        if not isinstance(name, str) or not name:
            raise ParameterError(f"keep = {shorten(keep)} must name columns of the source: keep = ['title']")
        if spelled(name) in _RESULT[: 2 + sure]:
            raise ParameterError(
                f"keep = {name!r} is the name of a column of the result: keep it by a view that renames"
            )
    if len(set(names)) < len(names):
        raise ParameterError(f"keep = {shorten(keep)} names a column twice")
    if where is not None:
        _check_text(where)
    return Choice(tuple(names), where or "", offset, sure=sure)


def check_candidates(candidates: int | None, choice: Choice) -> None:
    """Raise ParameterError unless it is a number of candidates, or None for a search that says which rows are sure."""
    if candidates is not None:
        check_whole("candidates", candidates, 1)
    elif not choice.sure:
        raise ParameterError("candidates = None takes the rows that can be among the nearest: pass sure = True with it")


def is_condition(where: object) -> bool:
    """Whether it is a text that may be a condition, or empty."""
    try:
        if where != "":
            _check_text(where)
    except ParameterError:
        return False
    return True


def _check_text(where: Any) -> None:
    """Raise ParameterError for a text that is not one condition, as its quotes or parentheses end elsewhere."""
    if not isinstance(where, str) or not where.strip():
        raise ParameterError(f"where = {shorten(where)} must be a condition in SQL: where = \"lang = 'en'\"")
    depth = 0
    for token in _TOKEN.findall(where):
        depth += (token == "(") - (token == ")")
        if depth < 0 or token in (";", "'", '"', "`"):
            why = {";": "has a semicolon", ")": "closes a parenthesis that it does not open"}.get(
                token, "ends in a quote"
            )
            raise ParameterError(f"where = {shorten(where)} {why}: write one condition, such as \"lang = 'en'\"")
    if depth:
        raise ParameterError(f"where = {shorten(where)} does not close a parenthesis: write one condition")


def chosen(connector: Connector, session: Any, made: Search, choice: Choice) -> Search:
    """The search with the choice, whose columns and condition the source has.

    Raises ParameterError for a column that the source has not, and for what the engine takes for no condition.
    """
    frame = made.job.frame
    if choice.keep or choice.where:
        if frame.layout == "long":
            raise UnsupportedError(
                f"{made.table} was made from sparse rows, which have no columns to keep or to choose rows by: join the "
                "result with a table that has them"
            )
        have = types(connector, session, frame.table)
        choice = replace(choice, keep=tuple(_column(name, have, made) for name in choice.keep))
        if choice.where:
            _check_condition(connector, session, made, choice.where, have)
    return made if choice == made.choice else replace(made, choice=choice)


def _column(name: str, have: dict[str, str], made: Search) -> str:
    """The name of a column as the source spells it."""
    frame = made.job.frame
    found = Names(have, made.job.dialect.folding).find(name)
    if found is None:
        raise ParameterError(
            f"keep = {name!r} is no column of {frame.table}{nearest(name, have)}: it has {shorten(list(have))}"
        )
    if found == frame.key:
        raise ParameterError(f"keep = {name!r} is the key, which the result has anyway: leave it out")
    return found


def _check_condition(connector: Connector, session: Any, made: Search, where: str, have: dict[str, str]) -> None:
    """Raise ParameterError unless the engine takes a text for a condition on the rows of the source."""
    dialect, table = made.job.dialect, made.job.frame.table
    bare = where.strip().strip('"`')
    kind = have.get(Names(have, dialect.folding).find(bare) or "", "")
    if kind and not re.match("bool|tinyint", kind, re.IGNORECASE):
        raise ParameterError(
            f"where = {shorten(where)} is a column of {table} and no condition: compare it, such as {bare} = 'a'"
        )
    query = dialect.limited(f"SELECT 1 FROM {made.job.frame.relation(dialect)} WHERE (\n{where}\n) AND 1 = 0", 1)
    try:
        with connector.attempting(session):
            connector.rows(session, query + dialect.settings)
    except UnreachableError:
        raise
    except StatementError as error:
        raise ParameterError(
            f"where = {shorten(where)} is no condition on the rows of {table}: {error.words[:300]}"
        ) from error


__all__ = ["check_candidates", "choice_of", "chosen", "is_condition"]
