"""Other DuckDBs than the one of this process: older versions, their shells, and DuckDB-Wasm.

They are installed once, into the folder `.venv/duckdbs`. Delete it to install them again.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from taking_part import missing, need

OLDER = ("1.4", "1.5")
"""The versions before the newest that sqlrp runs on."""
EXTENDED = "1.5.5"
CACHE = Path(__file__).parents[2] / ".venv" / "duckdbs"
WASM = "1.32.0"
"""The version of the npm package; its DuckDB is 1.4."""
_KEPT = ("duckdb-node-blocking.cjs", "duckdb-eh.wasm")
_DIST = "node_modules/@duckdb/duckdb-wasm/dist"


def python_package(version: str) -> Path:
    """The folder of a version's package `duckdb`, such as 1.4, and of its shell `bin/duckdb`."""
    wanted = [f"duckdb=={version}.*", f"duckdb-cli=={version}.*"]
    return _kept(version, [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", ".", *wanted])


def with_databases() -> Path:
    """The folder of a DuckDB with its extensions `ducklake` and `postgres`, which PyPI has for some versions only."""
    wanted = [f"duckdb=={EXTENDED}", *(f"duckdb-extension-{name}=={EXTENDED}" for name in ("ducklake", "postgres"))]
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", "."]
    return _kept(f"databases-{EXTENDED}", [*install, *wanted])


def shell() -> Path:
    """DuckDB's shell, of the version of this process."""
    program = Path(sys.executable).with_name("duckdb")
    return program if program.exists() else missing("DuckDB's shell", FileNotFoundError("pip install duckdb-cli"))


def wasm() -> Path:
    """The folder of DuckDB-Wasm for node. Skips without node and npm."""
    if not (shutil.which("node") and shutil.which("npm")):
        missing("DuckDB-Wasm", FileNotFoundError("it needs node and npm"))
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", "."]
    return _kept(f"wasm-{WASM}", [*command, f"@duckdb/duckdb-wasm@{WASM}"])


def run_wasm(queries: Iterable[str], *, path: Path | None = None, timeout: int = 600) -> list[Any]:
    """What DuckDB-Wasm answers to each query: rows, or the message of its error. `path`: a file, opened read-only."""
    job = {"package": str(wasm() / _DIST), "path": path and str(path), "queries": list(queries)}
    done = subprocess.run(
        ["node", str(Path(__file__).with_name("wasm.cjs"))],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers


def _kept(name: str, command: list[str]) -> Path:
    """The folder of that name, which the command fills the first time. Skips if that fails."""
    folder = CACHE / name
    if folder.exists():
        return folder
    need("older DuckDBs")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as fresh:
        made = subprocess.run(command, cwd=fresh, capture_output=True, text=True, timeout=600, check=False)
        if made.returncode:
            missing(f"DuckDB {name}", RuntimeError(f"it cannot be installed: {made.stderr.strip()[-200:]}"))
        for file in (Path(fresh) / _DIST).glob("*"):  # a hundred megabytes are for browsers
            if file.is_file() and file.name not in _KEPT:
                file.unlink()
        if not folder.exists():
            Path(fresh).rename(folder)
            Path(fresh).mkdir()
    return folder
