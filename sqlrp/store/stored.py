"""The contents of the catalogue's rows: the format, and how the text of a row is written and read.

A release reads every format up to its own. A catalogue without a row of kind 'format' has format 0. Since format 1 a
definition contains every parameter, a record of a table has a checksum, and a macro of DuckDB has a fingerprint. Since
format 2 a HadamardProjection has `padding` and `replacement`. Since format 3 a BilinearPooling has `split`.
Since format 4 a RandomSubspace has `stratified`, a SparseEmbedding `buckets`, and methods with landmarks `kernel_name`
and `gamma`.
On MariaDB and ClickHouse a row of kind 'materializing' is a valid record once its table has been renamed
(`sqlrp.store.records`). A release with a newer format must settle such rows before it rewrites the others.
A new parameter of a method needs a new format, and a default in `_DEFAULTS` for the old formats.
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

FORMAT = 4
"""The format that this release writes."""

_DRAWN = {"k": 64, "seed": 0}
_SPARSE = {**_DRAWN, "s": "sqrt"}
_TRAINED = {**_DRAWN, "state": None, "sample": 500}
_LANDMARKS = {"kernel_name": "polynomial", "gamma": None}
_KERNEL = {**_TRAINED, "degree": 2, "c": 0.0, **_LANDMARKS}
_SINCE_2 = {"padding": "power_of_two", "replacement": True}
_SINCE_4: dict[str, dict[str, Any]] = {
    "RandomSubspace": {"stratified": False},
    "SparseEmbedding": {"buckets": 1},
    "NystroemProjection": _LANDMARKS,
    "KernelGaussianProjection": _LANDMARKS,
}
_SINCE_3: dict[str, dict[str, Any]] = {"BilinearPooling": {"split": None}, **_SINCE_4}

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
        "BilinearPooling": {**_SPARSE, "p": None, "t": 4, "normalise": True, **_SINCE_3["BilinearPooling"]},
        "RandomSubspace": {**_DRAWN, "densify": None, **_SINCE_4["RandomSubspace"]},
        "HadamardProjection": {**_DRAWN, **_SINCE_2},
        "SparseEmbedding": {**_DRAWN, "nnz_per_feature": 4, **_SINCE_4["SparseEmbedding"]},
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
    1: {"HadamardProjection": _SINCE_2, **_SINCE_3},
    2: _SINCE_3,
    3: _SINCE_4,
}
"""The values of parameters that are missing in a definition of an older format. They never change: a new default in a
class must not change a saved projection."""

_MACRO = re.compile(r"sqlrp (\d{1,9}) ([0-9a-f]{16}) (.*)", re.DOTALL)
_NOT_EXPECTED = (AttributeError, ArithmeticError, KeyError, IndexError, RecursionError, TypeError, ValueError)
"""The exceptions of Python for a value that does not have the type that was written."""


def digest(text: str) -> str:
    """The fingerprint of a definition, computed as in `Projection.fingerprint`."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


def is_number(name: object) -> bool:
    """Whether the name of a row of kind 'format' is a number, as it must be."""
    return isinstance(name, str) and re.fullmatch(r"[0-9]{1,9}", name) is not None


def newest(numbers: Sequence[object]) -> int:
    """The format of a catalogue, from its rows of kind 'format'. Raises SourceError for an unknown one."""
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
    """The projection of a row in a catalogue of format `written`. Raises SourceError if it cannot be read."""
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
    """The projection of a parsed JSON definition. Raises SourceError if it is invalid or incomplete."""
    try:
        return build(*_filled(values, written))
    except SourceError:
        raise
    except SqlrpError as error:
        raise SourceError(f"its definition is not valid: {error}") from error


def _filled(values: object, written: int) -> tuple[str, dict[str, Any]]:
    """The class and all parameters, where missing ones have the defaults of that older format."""
    if not isinstance(values, Mapping) or not isinstance(values.get("projection"), str):
        raise SourceError(f"its definition {shorten(values)} names no projection")
    given = {name: value for name, value in values.items() if name != "projection"}
    name = values["projection"]
    given = _DEFAULTS.get(written, {}).get(name, {}) | given
    if name in BY_NAME:
        missing = [f.name for f in fields(BY_NAME[name]) if f.name not in given and f.name != "bound_to"]
        if missing:
            raise SourceError(f"its definition of {name} lacks {', '.join(missing)}")
    of = given.get("of")
    if isinstance(of, Mapping):
        given["of"] = _filled_inside(of, written)
    elif isinstance(of, list):
        given["of"] = [_filled_inside(step, written) for step in of]
    return name, given


def _filled_inside(values: object, written: int) -> dict[str, Any]:
    name, given = _filled(values, written)
    return {"projection": name, **given}


def macro_text(definition: str) -> str:
    """The text of the macro that DuckDB's `project_with` reads a projection from."""
    return f"sqlrp {FORMAT} {digest(definition)} {definition}"


def read_macro(text: object) -> Projection:
    """The projection of a macro text, or of a plain definition, as in format 0. Raises SourceError if it is invalid."""
    if isinstance(text, str) and text.startswith("{"):
        return read(text, digest(text), 0)
    found = _MACRO.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise SourceError(f"its text {shorten(text)} is not what sqlrp.save wrote")
    written, fingerprint, definition = found.groups()
    return read(definition, fingerprint, newest([written]))


@contextmanager
def expecting(what: str) -> Iterator[None]:
    """Turn exceptions about a value's type into a SourceError that `what` is not as it was written."""
    try:
        yield
    except SourceError:
        raise
    except _NOT_EXPECTED as error:  # ParameterError is a ValueError too
        raise SourceError(f"{what} is not as it was written: {error}") from error


def sealed(values: dict[str, Any]) -> str:
    """A record as JSON, with a checksum of its text."""
    return json.dumps(values | {"checksum": digest(json.dumps(values, sort_keys=True))}, sort_keys=True)


def checksum(text: object) -> str:
    """The checksum in a record; empty if there is none."""
    try:
        return str(json.loads(str(text)).get("checksum") or "")
    except _NOT_EXPECTED:
        return ""


def unsealed(text: object, written: int) -> tuple[dict[str, Any], bool]:
    """The values of a record, and whether the checksum matches. Raises SourceError if it is not a JSON object."""
    if not isinstance(text, str):
        raise SourceError(f"its definition {shorten(text, 40)} is not text")
    with expecting(f"its definition {shorten(text)}"):
        values = json.loads(text)
        claimed = values.pop("checksum", None)
        known = claimed is None and not written
        return dict(values), known or claimed == digest(json.dumps(values, sort_keys=True))


def sealed_text(values: dict[str, Any]) -> str:
    """The SQL text for PostgreSQL's `project_with`, as JSON with a digest, which the server checks."""
    return json.dumps(values | {"digest": digest(values["text"])})


def is_text_whole(text: object) -> bool:
    """Whether a saved SQL text matches its digest, if it has one."""
    try:
        values, _ = unsealed(text, 0)
        return bool(values.get("digest", digest(values["text"])) == digest(values["text"]))
    except _NOT_EXPECTED:
        return False


def upgraded(kind: str, text: object, fingerprint: object, written: int) -> tuple[str, str]:
    """The definition and fingerprint of a row in the current format. Raises SourceError if it cannot be read."""
    if kind in ("projection", "named function"):
        projection = read(text, fingerprint, written)
        return projection.to_json(), projection.fingerprint
    if kind == "model":
        return _upgraded_model(text, fingerprint, written)
    values, whole = unsealed(text, written)
    with expecting("its definition"):
        if kind == "text":
            return sealed_text(values), str(fingerprint)
        if not whole or fingerprint not in ("", digest(json.dumps(values["projection"], sort_keys=True))):
            raise SourceError("it was changed")
        projection = rebuilt(values["projection"], written)
        made = projection.fingerprint if fingerprint else ""
        return sealed(values | {"projection": json.loads(projection.to_json())}), made


def _upgraded_model(text: object, fingerprint: object, written: int) -> tuple[str, str]:
    """The text of a model, with its projection in the current format."""
    if not isinstance(text, str) or digest(text) != fingerprint:
        raise SourceError(f"its fingerprint was {shorten(fingerprint, 40)}: it was changed, or cut")
    if written == FORMAT:
        return text, str(fingerprint)
    with expecting("its definition"):
        values = json.loads(text)
        own = values["settings"]
        own["projection"] = json.loads(rebuilt(own["projection"], written).to_json())
        made = json.dumps(values)
        return made, digest(made)
