"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlrp.errors import SourceError


def check_place(path: Path) -> None:
    """Raise SourceError where a file could not be put."""
    if path.is_dir():
        raise SourceError(f"{str(path)!r} is a folder: name a file in it")
    if not path.absolute().parent.is_dir():
        raise SourceError(f"there is no folder {str(path.absolute().parent)!r}: make it first")


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A new folder beside a file, for it and what it takes to make it; the file then takes its place at once.

    Whatever fails, nothing is left; of a killed process the folder, and never a file of that name.
    """
    target = Path(os.path.realpath(path))  # a link stays one
    try:
        folder = Path(tempfile.mkdtemp(prefix=".sqlrp_", dir=target.parent))
    except OSError as error:
        raise SourceError(f"{str(path)!r} cannot be written: {error.strerror}") from error
    try:
        yield folder / path.name
        os.replace(folder / path.name, target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
