"""DuckDB's extension sqlrp, built for the tests."""

from __future__ import annotations

import hashlib
import os
import runpy
import shutil
import subprocess
import tempfile
from functools import cache
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


@cache
def compiled() -> Path:
    """The file of the extension, compiled once for what it is made of: to compile it takes as long as fifty tests."""
    if shutil.which("cc") is None:
        return built(Path())  # which leaves the test out
    parts = [*ROOT.glob("native/*.[ch]"), ROOT / "sql" / "duckdb.sql", ROOT / "sql" / "extension" / "build.py"]
    made_of = [path.read_bytes() for path in [*sorted(parts), ROOT / "sqlrp" / "core" / "version.py"]]
    compiler = os.environ.get("CC", "cc")
    made_of.append(subprocess.run([compiler, "--version"], capture_output=True, check=True).stdout)
    made_of += [os.environ.get(name, "").encode() for name in ("CC", "CFLAGS", "DUCKDB_HEADERS")]
    lengths = ",".join(str(len(part)) for part in made_of)
    folder = ROOT / "build" / "extension" / hashlib.sha256(b"".join([lengths.encode(), *made_of])).hexdigest()
    file = folder / "sqlrp.duckdb_extension"
    if not file.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            built(Path(fresh)).rename(file)  # at once: two processes may make it
    return file
