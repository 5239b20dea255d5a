"""DuckDB's extension sqlrp, built for the tests."""

from __future__ import annotations

import os
import runpy
import shutil
from pathlib import Path

from databases import missing

ROOT = Path(__file__).parents[2]


def built(folder: Path, *flags: str) -> Path:
    """The file of the extension, in a folder, compiled with more flags. Skips without a compiler or npm."""
    if not (shutil.which("cc") and (shutil.which("npm") or os.environ.get("DUCKDB_HEADERS"))):
        missing("a C compiler, and npm for DuckDB's headers", FileNotFoundError("cc"))
    path: Path = runpy.run_path(str(ROOT / "sql" / "extension" / "build.py"))["build"](
        folder / "sqlrp.duckdb_extension", *flags
    )
    return path
