"""Named SQL blocks with typed placeholders: one for a name, a whole number or trusted SQL, never for two of them."""

from __future__ import annotations

import re
from functools import cache

from sqlrp._core.shipped_files import text_of

_HEADER = re.compile(r"^-- block: (\w+)\n", re.MULTILINE)
_PLACE = re.compile(r"\{(\w+):(name|int|sql)\}")
_NAME = re.compile(r"#?[A-Za-z][\w$]*")


@cache
def _blocks() -> dict[str, str]:
    parts = _HEADER.split(text_of("blocks.sql"))
    return {
        name: "\n".join(line for line in body.splitlines() if line and not line.startswith("--"))
        for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def names() -> list[str]:
    """The names of the blocks."""
    return list(_blocks())


def untyped(name: str) -> str:
    """The named block with {part} in place of each placeholder, for engines that fill it in themselves."""
    return _PLACE.sub(r"{\1}", _blocks()[name])


def block(name: str, **values: str | int) -> str:
    """The named block of `sql/blocks.sql` with its placeholders filled in.

    Raises TypeError if a value does not have its placeholder's type, KeyError if a value is missing.
    """

    def fill(match: re.Match[str]) -> str:
        value, kind = values[match[1]], match[2]
        if kind == "int" and isinstance(value, int):
            return str(value)
        if kind == "name" and isinstance(value, str) and _NAME.fullmatch(value):
            return value
        if kind == "sql" and isinstance(value, str):
            return value
        raise TypeError(f"{{{match[1]}:{kind}}} of block {name} cannot take {value!r}")

    return _PLACE.sub(fill, _blocks()[name])
