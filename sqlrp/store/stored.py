"""What the rows of the catalogue say: the format, and how the text of a row is written and read back.

A release reads every format up to its own. Format 0 is that of catalogues without a row of kind 'format'. Since
format 1 a definition says every parameter, a record of a table carries a checksum, and a macro of DuckDB a fingerprint.
On MariaDB and ClickHouse a row of kind 'materializing' is a record too, as soon as its table stands in its place
(`sqlrp.store.records`). A release with a newer format must settle such rows before it writes the others again.
A method that gets a parameter needs a new format, and the old formats a default for it in `_DEFAULTS`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

from sqlrp.core.errors import SourceError, SqlrpError, shorten
from sqlrp.projections import BY_NAME, build
from sqlrp.projections.base import Projection

FORMAT = 1
"""The format that this release writes."""

_DRAWN = {"k": 64, "seed": 0}
_SPARSE = {**_DRAWN, "s": "sqrt"}
_TRAINED = {**_DRAWN, "state": None, "sample": 500}
_KERNEL = {**_TRAINED, "degree": 2, "c": 0.0}

_DEFAULTS: dict[int, dict[str, dict[str, Any]]] = {
    0: {
        "SparseProjection": _SPARSE,
        "GaussianProjection": _DRAWN,
        "PolynomialKernelProjection": {
            **_SPARSE,
            "degree": 2,
            "p": None,
            "t": 4,
            "c": 0.0,
            "minimise_repetition": True,
            "vectors": "sign",
        },
        "Degree2KernelProjection": {**_SPARSE, "m": 2, "modified": False},
        "BilinearPooling": {**_SPARSE, "p": None, "t": 4, "normalise": True},
        "RandomSubspace": {**_DRAWN, "densify": None},
        "HadamardProjection": _DRAWN,
        "SparseEmbedding": {**_DRAWN, "nnz_per_feature": 4},
        "RandomMaclaurin": {**_DRAWN, "degree": 2},
        "TensorSketch": {**_DRAWN, "degree": 2},
        "ExplicitPolynomialProjection": {**_SPARSE, "degree": 2},
        "DataTunedProjection": {**_TRAINED, "s": "sqrt", "n_iter": 4000},
        "NystroemProjection": _KERNEL,
        "KernelGaussianProjection": {**_KERNEL, "t": 10, "variant": "gaussian"},
        "PrincipalComponents": _TRAINED,
        "GivenProjection": {"k": 64, "state": None},
        "GivenTensorSketch": {"k": 64, "state": None},
        "GivenRadialFeatures": {"k": 64, "state": None},
        "Prepared": {"k": 64, "how": "standard", "state": None},
    },
}
"""What a parameter was that a definition of an older format leaves out. Frozen: another default in a class, whenever it
comes, changes no projection that is kept."""

_MACRO = re.compile(r"sqlrp (\d{1,9}) ([0-9a-f]{16}) (.*)", re.DOTALL)
_NOT_EXPECTED = (AttributeError, ArithmeticError, KeyError, IndexError, RecursionError, TypeError, ValueError)
"""What Python raises where a value that was read has not the type that was written."""


def digest(text: str) -> str:
    """The fingerprint of a definition: what `Projection.fingerprint` is of its JSON."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


def is_number(name: object) -> bool:
    """Whether the name of a row of kind 'format' is the number that it must be."""
    return isinstance(name, str) and re.fullmatch(r"[0-9]{1,9}", name) is not None


def newest(numbers: Sequence[object]) -> int:
    """The format of a catalogue, from its rows of kind 'format'; raises SourceError for one that is not known."""
    wrong = [number for number in numbers if not is_number(number)]
    if wrong:
        raise SourceError(
            f"the catalogue's format {shorten(wrong[0])} is no number: sqlrp.check with repair=True mends it"
        )
    found = max((int(str(n)) for n in numbers), default=0)
    if found > FORMAT:
        raise SourceError(
            f"the catalogue is of format {found}, and this release of sqlrp knows {FORMAT} at most: install a newer one"
        )
    return found


def read(definition: object, fingerprint: object, written: int) -> Projection:
    """The projection of a row in a catalogue of format `written`; raises SourceError, which says what is wrong."""
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
    return rebuilt(values, written)


def rebuilt(values: object, written: int) -> Projection:
    """The projection of a definition as JSON has it; raises SourceError where it is not one, or not a whole one."""
    try:
        return build(*_filled(values, written))
    except SourceError:
        raise
    except SqlrpError as error:
        raise SourceError(f"its definition is not valid: {error}") from error


def _filled(values: object, written: int) -> tuple[str, dict[str, Any]]:
    """The class and all parameters: those that an older format leaves out are what they were then."""
    if not isinstance(values, Mapping) or not isinstance(values.get("projection"), str):
        raise SourceError(f"its definition {shorten(values)} names no projection")
    given = {name: value for name, value in values.items() if name != "projection"}
    name = values["projection"]
    given = _DEFAULTS.get(written, {}).get(name, {}) | given
    if name in BY_NAME:
        missing = [f.name for f in fields(BY_NAME[name]) if f.name not in given and f.name != "bound_to"]
        if missing:
            raise SourceError(f"its definition of {name} lacks {', '.join(missing)}")
    if isinstance(given.get("of"), Mapping):
        of, inner = _filled(given["of"], written)
        given["of"] = {"projection": of, **inner}
    return name, given


def macro_text(definition: str) -> str:
    """The text of the macro by which DuckDB's `project_with` finds a projection."""
    return f"sqlrp {FORMAT} {digest(definition)} {definition}"


def read_macro(text: object) -> Projection:
    """The projection of such a text, or of a bare definition, as format 0 has it; raises SourceError."""
    if isinstance(text, str) and text.startswith("{"):
        return read(text, digest(text), 0)
    found = _MACRO.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise SourceError(f"its text {shorten(text)} is not what sqlrp.save wrote")
    written, fingerprint, definition = found.groups()
    return read(definition, fingerprint, newest([written]))


@contextmanager
def expecting(what: str) -> Iterator[None]:
    """Raise SourceError, which says that `what` is not as it was written, for what Python says of a value's type."""
    try:
        yield
    except SourceError:
        raise
    except _NOT_EXPECTED as error:  # sqlrp's own ParameterError is a ValueError
        raise SourceError(f"{what} is not as it was written: {error}") from error


def sealed(values: dict[str, Any]) -> str:
    """A record as JSON, with a checksum over all of it."""
    return json.dumps(values | {"checksum": digest(json.dumps(values, sort_keys=True))}, sort_keys=True)


def checksum(text: object) -> str:
    """The checksum that a record carries; empty where there is none to read."""
    try:
        return str(json.loads(str(text)).get("checksum") or "")
    except _NOT_EXPECTED:
        return ""


def unsealed(text: object, written: int) -> tuple[dict[str, Any], bool]:
    """The values of a record, and whether they are as they were written; raises SourceError for no JSON object."""
    if not isinstance(text, str):
        raise SourceError(f"its definition {shorten(text, 40)} is not text")
    with expecting(f"its definition {shorten(text)}"):
        values = json.loads(text)
        claimed = values.pop("checksum", None)
        known = claimed is None and not written
        return dict(values), known or claimed == digest(json.dumps(values, sort_keys=True))


def sealed_text(values: dict[str, Any]) -> str:
    """The text that PostgreSQL's `project_with` runs, as JSON, with its digest, which the server compares."""
    return json.dumps(values | {"digest": digest(values["text"])})


def is_text_whole(text: object) -> bool:
    """Whether a kept text is as it was written, as far as can be told."""
    try:
        values, _ = unsealed(text, 0)
        return bool(values.get("digest", digest(values["text"])) == digest(values["text"]))
    except _NOT_EXPECTED:
        return False


def upgraded(kind: str, text: object, fingerprint: object, written: int) -> tuple[str, str]:
    """Definition and fingerprint of a row as this release writes them; raises SourceError for what cannot be read."""
    if kind == "projection":
        projection = read(text, fingerprint, written)
        return projection.to_json(), projection.fingerprint
    values, whole = unsealed(text, written)
    with expecting("its definition"):
        if kind == "text":
            return sealed_text(values), str(fingerprint)
        if not whole or fingerprint not in ("", digest(json.dumps(values["projection"], sort_keys=True))):
            raise SourceError("it was changed")
        projection = rebuilt(values["projection"], written)
        made = projection.fingerprint if fingerprint else ""
        return sealed(values | {"projection": json.loads(projection.to_json())}), made
