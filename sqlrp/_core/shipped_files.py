"""The files that the package brings: the functions of `install` as SQL, and as a database whose macros are copied."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

_SHIPPED = files("sqlrp._shipped")
COPIES = Path(str(_SHIPPED))
"""The folder with the file that `sql/copied.py` writes: that of the statements."""


def text_of(name: str) -> str:
    """The text of a file of statements."""
    return _SHIPPED.joinpath(name).read_text(encoding="utf-8")


def copy_of(text: str) -> Path:
    """The file of DuckDB that has the macros of a text, with their marks. Its name says of which text it is."""
    return COPIES / f"macros-{digest(text)}.duckdb"


def digest(text: str) -> str:
    """What tells one text from others, in the name of its copy and in the mark of an installation."""
    from hashlib import sha256  # here, as its import takes milliseconds and a projection needs none

    return sha256(text.encode()).hexdigest()[:16]


__all__ = ["copy_of", "digest", "text_of"]
