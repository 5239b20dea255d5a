"""The answers of an engine as a file of TOML, which `sqlrp probe` writes: it is read in the place of asking again.

A file is read as the text of a stranger. Each value is checked, and a phrase is one that a probe asks, or a cast to a
type of plain words: nothing else of it stands in SQL. What a backslash means is in no file, because a wrong answer
would end a text early, and the engine is asked for it before a text is written.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from sqlrp._core.errors import ParameterError, nearest, one_line, shorten
from sqlrp._core.values import dataclass
from sqlrp._engines.generic.asked import (
    CONSTANTS,
    EQUALITIES,
    FUNCTIONS,
    GREATEST,
    LIMITS,
    MATERIALIZED,
    RELATIONS,
    REMAINDERS,
    Answers,
)
from sqlrp._engines.generic.keeping_asked import MARKINGS, TEXTS, KeepingAnswers

FORMAT = 1
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.+-]{0,62}")
_WORD = "[A-Za-z][A-Za-z0-9_]{0,40}"
_CAST = re.compile(rf"CAST\(\{{x\}} AS {_WORD}( {_WORD}){{0,3}}(\(\d{{1,4}}(, ?\d{{1,4}})?\))?\)")
VERSION = re.compile("[A-Za-z0-9_.+ -]{0,60}")
_LONGEST, _MOST, _REASON = 65_536, 1_000_000, 1000
_PHRASES: Mapping[str, Collection[str]] = {
    "constants": CONSTANTS,
    "remainder": ("", *REMAINDERS, *(f"({phrase})" for phrase in REMAINDERS[:2]), "(mod({a}, {b}))"),
    "same": ("", *EQUALITIES, "({a} IS {b})", "({a} <=> {b})"),
    "greatest": ("", *GREATEST),
    "limit": ("", *LIMITS),
    "materialized": ("", MATERIALIZED),
    "relations": ("", *RELATIONS),
    "marking": ("", *MARKINGS),
    "text": ("", *TEXTS),
}
"""The texts that a key may have. The casts are checked by their pattern."""
_CASTS = ("double", "single", "whole")
_UNSAID = ("origin", "wrong", "backslash")
"""What stands in no file: an engine that is wrong gets none."""
SHIPPED: dict[str, str] = {"firebird.firebird": "firebird.toml"}
"""The files of this folder, by the name of SQLAlchemy's dialect."""
LOADED: dict[str, EngineFile] = {}
"""The files that a user loaded, by the same names."""


@dataclass(frozen=True)
class EngineFile:
    """What an engine answered, under the name of SQLAlchemy's dialect."""

    engine: str
    version: str
    answers: Answers
    kept: KeepingAnswers | None
    """what it keeps; None if that was not tried"""

    def text(self) -> str:
        """The file."""
        lines = [
            "# What an engine answered to sqlrp. Each answer was compared with the exact one, and an empty one",
            "# means that the engine has no such phrase, or computes it wrongly. `sqlrp probe` wrote this file.",
            f"format = {FORMAT}",
            f"engine = {_written(self.engine)}",
            f"version = {_written(self.version)}",
        ]
        for title, part in (("answers", self.answers), ("kept", self.kept)):
            if part is not None:
                lines += ["", f"[{title}]", *_lines(part)]
        lines += ["", "[answers.functions]", *(f"{name} = {_written(p)}" for name, p in self.answers.functions.items())]
        return "\n".join(lines) + "\n"


def read(path: Path) -> EngineFile:
    """Read a file. Raises ParameterError for a file that cannot be read, and for a value that no probe writes."""
    remedy = "write a file with `sqlrp probe URL -o engine.toml`"
    try:
        with path.open("rb") as file:
            text = file.read(_LONGEST + 1)
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or error
        raise ParameterError(f"the file {shorten(str(path))} cannot be read ({words}): {remedy}") from error
    if len(text) > _LONGEST:
        raise ParameterError(f"the file {shorten(str(path))} has more than {_LONGEST:,} bytes: {remedy}")
    try:
        found = tomllib.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"the file {shorten(str(path))} is no TOML ({one_line(str(error))}): {remedy}") from error
    return _Reader(str(path)).engine(found)


def shipped(name: str) -> EngineFile | None:
    """The file that a user loaded for a dialect of SQLAlchemy, or else the one of this package; None without one."""
    if name not in LOADED and name in SHIPPED:
        return read(Path(__file__).parents[1] / SHIPPED[name])
    return LOADED.get(name)


def fits(key: str, phrase: str) -> bool:
    """Whether a file may have a phrase under a key of the answers, so that it can be asked and written."""
    if key in _CASTS:
        return _CAST.fullmatch(phrase) is not None
    return phrase in _PHRASES[key]


class _Reader:
    """Reads the tables of a file, and names it in errors."""

    def __init__(self, path: str) -> None:
        self.path = path

    def engine(self, found: Mapping[str, Any]) -> EngineFile:
        """The whole file."""
        self._check_keys("", found, ("format", "engine", "version", "answers", "kept"))
        if found.get("format") != FORMAT:
            self._refuse("format", found.get("format"), f"{FORMAT}, the format that this version of sqlrp reads")
        name, version = (self._text(key, found.get(key, "")) for key in ("engine", "version"))
        if not _NAME.fullmatch(name):
            self._refuse("engine", name, "the name of a dialect of SQLAlchemy, such as firebird")
        if not VERSION.fullmatch(version):
            self._refuse("version", version, "letters, digits and points, 60 at most")
        given = self._table("answers", found.get("answers"))
        functions = self._functions(given.get("functions", {}))
        self._check_keys("answers", given, ("functions", *_keys(Answers)))
        values = {key: self._value(f"answers.{key}", key, value) for key, value in given.items() if key != "functions"}
        for key in ("double", "whole"):
            if not values.get(key):
                self._refuse(f"answers.{key}", "", "a cast such as 'CAST({x} AS BIGINT)', without which nothing runs")
        kept = None
        if "kept" in found:
            keeps = self._table("kept", found["kept"])
            self._check_keys("kept", keeps, _keys(KeepingAnswers))
            kept = KeepingAnswers(**{key: self._value(f"kept.{key}", key, value) for key, value in keeps.items()})
        return EngineFile(name, version, Answers(**values, functions=functions, origin=self.path), kept)

    def _functions(self, given: Any) -> dict[str, str]:
        """The phrases of functions: each is one that is asked for its name."""
        found = self._table("answers.functions", given)
        self._check_keys("answers.functions", found, FUNCTIONS)
        for name, phrase in found.items():
            if phrase not in FUNCTIONS[name][0]:
                self._refuse(f"answers.functions.{name}", phrase, f"one of {_listed(FUNCTIONS[name][0])}")
        return dict(found)

    def _value(self, place: str, key: str, value: Any) -> Any:
        """A value of the type and of the words that its key may have."""
        kind = type(_DEFAULTS[key])
        if type(value) is not kind:
            self._refuse(place, value, f"a value of the type {_TYPES[kind]}")
        if kind is int and not 0 <= value <= _MOST:
            self._refuse(place, value, f"from 0 to {_MOST}")
        if key == "why_nothing" and len(value) > _REASON:
            self._refuse(place, value, f"a reason of {_REASON} characters at most")
        if key in _CASTS and value and not fits(key, value):
            self._refuse(place, value, "a cast to a type of plain words, such as 'CAST({x} AS BIGINT)'")
        if key in _PHRASES and not fits(key, value):
            self._refuse(place, value, f"one of {_listed(_PHRASES[key])}")
        return value

    def _text(self, place: str, value: Any) -> str:
        if not isinstance(value, str):
            self._refuse(place, value, f"a value of the type {_TYPES[str]}")
        return str(value)

    def _table(self, place: str, value: Any) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            self._refuse(place, value, f"a table, [{place}]")
        found: Mapping[str, Any] = value
        return found

    def _check_keys(self, place: str, found: Mapping[str, Any], known: Collection[str]) -> None:
        for key in found:
            if key not in known:
                where = f"{place}.{key}" if place else key
                raise ParameterError(
                    f"the file {shorten(self.path)} has the key {shorten(where)}, which is unknown"
                    f"{nearest(key, known)}: one of {', '.join(known)}"
                )

    def _refuse(self, place: str, value: Any, bound: str) -> None:
        raise ParameterError(f"the file {shorten(self.path)} has {place} = {shorten(value)}, which must be {bound}")


_TYPES = {str: "string", int: "integer", bool: "boolean"}
_DEFAULTS: dict[str, Any] = {field.name: field.default for kind in (Answers, KeepingAnswers) for field in fields(kind)}


def _keys(kind: type[Answers] | type[KeepingAnswers]) -> list[str]:
    """The keys of a part, but for the table of functions."""
    return [field.name for field in fields(kind) if field.name not in ("functions", *_UNSAID)]


def _lines(part: Answers | KeepingAnswers) -> list[str]:
    return [f"{key} = {_written(getattr(part, key))}" for key in _keys(type(part))]


def _written(value: str | int) -> str:
    """A value as TOML has it, which writes it as JSON does: an engine's name and version hold plain characters."""
    return json.dumps(value)


def _listed(phrases: Collection[str]) -> str:
    return ", ".join(map(repr, phrases))
