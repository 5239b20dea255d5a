"""Add an engine: `register` gives one of your own to every call, and `load` the answers that `sqlrp probe` wrote."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from sqlrp._engines.generic.engine_file import LOADED, read
from sqlrp._engines.registry import register


def load(path: str | PathLike[str]) -> str:
    """Read what an engine answered from a file of `sqlrp probe`, so that it is not asked again in this process.

    The file is for all connections of the dialect of SQLAlchemy that it names, and a later one takes its place. Each
    value is checked, and no text of the file reaches SQL unless it is a phrase that a probe asks. The numbers of the
    first projection of each kind are still compared. Returns the name of the dialect.

    Raises ParameterError for a file that cannot be read, and for a value that no probe writes.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = f"{folder}/engine.toml"
        ...     with open(path, "w") as file:
        ...         _ = file.write('''format = 1
        ... engine = "mine"
        ... [answers]
        ... double = "CAST({x} AS DOUBLE)"
        ... whole = "CAST({x} AS BIGINT)"
        ... ''')
        ...     sqlrp.engines.load(path)
        'mine'
    """
    found = read(Path(path))
    LOADED[found.engine] = found
    return found.engine


__all__ = ["load", "register"]
