"""The contents of the catalogue's rows: the format, and how the text of a row is written and read.

A row of kind 'format' has the number of the format. A definition contains every parameter of its method. A record of a
table or a function has a checksum, and a macro of DuckDB a fingerprint.
A release reads every format since format 1, which is that of the first release. A change of what a row contains, such
as a new parameter of a method, needs a new format, with the values that rows of the older ones lack.
On MariaDB and ClickHouse a row of kind 'materializing' is a valid record once its table has been renamed
(`sqlrp._store.records`). A release with a newer format must settle such rows before it rewrites the others.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

from sqlrp._core.errors import SourceError, SqlrpError, shorten
from sqlrp._core.sources import TableName, is_text
from sqlrp._projections import BY_NAME, build, method_of
from sqlrp._projections.projection import Projection

FORMAT = 1
"""The format that this release writes."""

_MACRO = re.compile(r"sqlrp (\d{1,9}) ([0-9a-f]{16}) (.*)", re.DOTALL)
_NOT_EXPECTED = (AttributeError, ArithmeticError, KeyError, IndexError, RecursionError, TypeError, ValueError)
"""The exceptions of Python for a value that does not have the type that was written."""


def digest(text: str) -> str:
    """The fingerprint of a definition, computed as in `Projection.fingerprint`."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


def is_number(name: object) -> bool:
    """Whether the name of a row of kind 'format' is a number, as it must be."""
    return isinstance(name, str) and re.fullmatch(r"[0-9]{1,9}", name) is not None


def check_format(numbers: Sequence[object]) -> None:
    """Raise SourceError unless the rows of kind 'format' name the format of this release, or there are none."""
    wrong = [number for number in numbers if not is_number(number)]
    if wrong:
        raise SourceError(
            f"the catalogue's format {shorten(wrong[0])} is no number: sqlrp.check with repair=True mends it"
        )
    found = max((int(str(n)) for n in numbers), default=FORMAT)
    if found > FORMAT:
        raise SourceError(
            f"the catalogue is of format {found}, and this release of sqlrp knows {FORMAT} at most: install a newer one"
        )


def read(definition: object, fingerprint: object) -> Projection:
    """The projection of a row of the catalogue. Raises SourceError if it cannot be read."""
    if not isinstance(definition, str):
        raise SourceError(f"its definition {shorten(definition, 40)} is not text")
    if digest(definition) != fingerprint:
        raise SourceError(
            f"its fingerprint is {digest(definition)} and was {shorten(fingerprint, 40)}: it was changed, or cut"
        )
    try:
        values = json.loads(definition)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"its definition {shorten(definition)} is not JSON") from error
    return rebuilt(values)


def rebuilt(values: object) -> Projection:
    """The projection of a parsed JSON definition. Raises SourceError if it is invalid or incomplete.

    And if it is not fitted, as none that is kept: another program took out what it had learnt.
    """
    try:
        found = build(*_complete(values))
        method_of(found).check_fitted()
        return found
    except SourceError:
        raise
    except SqlrpError as error:
        raise SourceError(f"its definition is not valid: {error}") from error


def _complete(values: object) -> tuple[str, dict[str, Any]]:
    """The class and all parameters. None may be missing: a new default must not change a saved projection.

    A parameter that came later is what it was before, by `unstated` of the class.
    """
    if not isinstance(values, Mapping) or not isinstance(values.get("projection"), str):
        raise SourceError(f"its definition {shorten(values)} names no projection")
    given = {name: value for name, value in values.items() if name != "projection"}
    name = values["projection"]
    if name in BY_NAME:
        given = {**BY_NAME[name].unstated, **given}
        known = {**given, **BY_NAME[name].when_stored, "bound_to": None}
        missing = [f.name for f in fields(BY_NAME[name]) if f.name not in known]
        if missing:
            raise SourceError(f"its definition of {name} lacks {', '.join(missing)}")
    of = given.get("of")
    if isinstance(of, list):
        given["of"] = [_stated(step) for step in of]
    elif isinstance(of, Mapping):
        given["of"] = _stated(of)
    return name, given


def _stated(step: object) -> dict[str, Any]:
    """A step of a projection with all its parameters."""
    name, given = _complete(step)
    return {"projection": name, **given}


def macro_text(definition: str) -> str:
    """The text of the macro that DuckDB's `project_with` reads a projection from."""
    return f"sqlrp {FORMAT} {digest(definition)} {definition}"


def read_macro(text: object) -> Projection:
    """The projection of a macro text. Raises SourceError if it is invalid."""
    found = _MACRO.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise SourceError(f"its text {shorten(text)} is not what sqlrp.save wrote")
    written, fingerprint, definition = found.groups()
    check_format([written])
    return read(definition, fingerprint)


@contextmanager
def expecting(what: str, text: str = "") -> Iterator[None]:
    """Turn exceptions about a value's type into a SourceError that `what`, with a text of it, is not as it was written.

    The text is shortened for an error alone, which takes longer than to read it.
    """
    try:
        yield
    except SourceError:
        raise
    except _NOT_EXPECTED as error:  # ParameterError is a ValueError too
        shown = f"{what} {shorten(text)}" if text else what
        raise SourceError(f"{shown} is not as it was written: {error}") from error


Fits = Mapping[str, Callable[[Any], bool]]
"""For each value of a kind of record, whether a release can have written it."""


def names_table(value: object) -> bool:
    """Whether it is the name of a table. Raises SourceError for a text that is none."""
    return isinstance(value, str) and bool(TableName.parse(value))


def check_values(values: Mapping[str, Any], fits: Fits) -> None:
    """Raise SourceError unless there are the values that a kind of record has, and each is one that can be written."""
    others = fits.keys() ^ values.keys()
    if others:
        raise SourceError(f"it lacks, or has besides, {shorten(', '.join(sorted(others)))}")
    for name, fit in fits.items():
        # The words are for an error alone, as they take longer than the question.
        try:
            good = fit(values[name])
        except _NOT_EXPECTED as error:
            raise SourceError(f"its {name} {shorten(values[name])} is not as it was written: {error}") from error
        if not good:
            raise SourceError(f"its {name} is {shorten(values[name])}")


def sealed(values: dict[str, Any]) -> str:
    """A record as JSON, with a checksum of its text."""
    return json.dumps(values | {"checksum": digest(json.dumps(values, sort_keys=True))}, sort_keys=True)


def unsealed(text: object) -> tuple[dict[str, Any], bool]:
    """The values of a record, and whether the checksum matches. Raises SourceError if it is not a JSON object."""
    if not isinstance(text, str):
        raise SourceError(f"its definition {shorten(text, 40)} is not text")
    with expecting("its definition", text):
        values = json.loads(text)
        # What JSON cannot have as it is, it has as an escape. Each text alone takes as long as all the rest.
        if "\\u" in text or not is_text(text):
            _check_texts(values)
        claimed = values.pop("checksum", None)
        return dict(values), bool(claimed == digest(json.dumps(values, sort_keys=True)))


def _check_texts(values: object) -> None:
    """Raise SourceError if a text in it is not UTF-8 or has a NUL, which JSON can have, and no statement."""
    if isinstance(values, str) and not is_text(values):
        raise SourceError(f"its text {shorten(values)} has a character that no statement can have")
    if isinstance(values, Mapping):
        _check_texts([*values.keys(), *values.values()])
    elif isinstance(values, list):
        for each in values:
            _check_texts(each)


def sealed_text(values: dict[str, Any]) -> str:
    """The SQL text for PostgreSQL's `project_with`, as JSON with a digest, which the server checks."""
    return json.dumps(values | {"digest": digest(values["text"])})


def is_text_whole(text: object) -> bool:
    """Whether a saved SQL text matches its digest."""
    try:
        values = json.loads(str(text))
        return bool(values["digest"] == digest(values["text"]))
    except _NOT_EXPECTED:
        return False
