"""Build the site into build/site: `make site`, or `python docs/builder/site.py`.

Each step writes into build/docs/static, from which MkDocs copies. A step runs again if one of its inputs has changed
since it ran. The playground needs npm, with Node 18 or newer.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "docs"
STATIC = BUILD / "static"
NPM = BUILD / "npm"
SITE = ROOT / "build" / "site"
DUCKDB = "node_modules/@duckdb/duckdb-wasm/dist"
PARQUET = "node_modules/parquet-wasm/esm"
SERVED = (f"{DUCKDB}/duckdb-browser-eh.worker.js", f"{PARQUET}/parquet_wasm.js", f"{PARQUET}/parquet_wasm_bg.wasm")
"""What the page loads as it is: DuckDB-Wasm's build of one thread for browsers since 2022, and a reader of Parquet."""


@dataclass(frozen=True)
class Step:
    """A part of the site in a folder, made of files that match `inputs`."""

    name: str
    inputs: tuple[str, ...]
    make: Callable[[], None]
    folder: Path

    def mark(self) -> str:
        """A digest of the inputs."""
        digest = hashlib.sha256()
        for path in sorted({path for pattern in self.inputs for path in ROOT.glob(pattern) if path.is_file()}):
            digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
        return digest.hexdigest()

    def run(self) -> None:
        """Run the step, unless it ran with the same inputs and its folder is there."""
        stamp, mark = BUILD / f"{self.name}.stamp", self.mark()
        if self.folder.is_dir() and stamp.is_file() and stamp.read_text() == mark:
            return
        print(f"{self.name} …", flush=True)
        self.make()
        stamp.write_text(mark)


def run(*command: str | Path, folder: Path = ROOT, **environment: str) -> None:
    """Run a command to its end; say what it printed only if it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout}")


def packages() -> None:
    """The playground's packages, as its lock file names them. None of their scripts runs."""
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is not installed, and the playground is built with it: install Node 18 or newer")
    NPM.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / "docs/playground" / name, NPM)
    run(npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts", folder=NPM)


def playground() -> None:
    """The playground's program, DuckDB, sqlrp's functions and the tables."""
    target = STATIC / "playground"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for path in (ROOT / "docs/playground").glob("*.js"):
        shutil.copy(path, NPM)
    run("npm", "run", "--silent", "build", "--", f"--outfile={target / 'playground.js'}", folder=NPM)
    for name in (*SERVED, "worker.js"):
        shutil.copy(NPM / name, target)
    program = (NPM / DUCKDB / "duckdb-eh.wasm").read_bytes()
    (target / "duckdb-eh.wasm-gzip").write_bytes(gzip.compress(program, mtime=0))
    (target / "licences.txt").write_text("\n\n".join(licences()), encoding="utf-8")
    shutil.copy(ROOT / "docs/playground/playground.css", target)
    shutil.copy(ROOT / "sql/duckdb.sql", target)
    run(sys.executable, ROOT / "docs/playground/data.py", target)
    run(sys.executable, ROOT / "docs/playground/prepared.py", target)


def licences() -> Iterator[str]:
    """The name, the version and the licence of every package whose code the page loads."""
    lock = json.loads((NPM / "package-lock.json").read_text(encoding="utf-8"))
    for path, package in lock["packages"].items():
        if path and not package.get("dev") and (NPM / path).is_dir():
            texts = sorted(p for p in (NPM / path).glob("LICEN[CS]E*") if p.is_file())
            words = (
                "\n".join(text.read_text(encoding="utf-8") for text in texts) or f"Licence: {package.get('license')}"
            )
            yield f"{path.removeprefix('node_modules/')} {package['version']}\n\n{words}"


def gallery() -> None:
    """A picture for each method."""
    run(sys.executable, ROOT / "docs/builder/gallery.py", STATIC / "gallery")


def notebooks() -> None:
    """Pages of the guide as notebooks."""
    run(sys.executable, ROOT / "docs/builder/notebooks.py", STATIC / "notebooks")


def pages() -> None:
    """All pages, with MkDocs. A warning is an error."""
    run(sys.executable, "-m", "mkdocs", "build", "--clean", NO_MKDOCS_2_WARNING="1")


PAGES = (
    "*.md",
    "mkdocs.yml",
    "docs/**/*",
    "examples/**/*.md",
    "release/**/*.md",
    "sql/**/*.md",
    "sqlrp/**/*.py",
    "tests/README.md",
    "tests/bench/**/*.md",
)
STEPS = (
    Step("packages", ("docs/playground/package*.json",), packages, NPM / "node_modules"),
    Step("playground", ("docs/playground/*", "sql/duckdb.sql", "sqlrp/**/*.py"), playground, STATIC / "playground"),
    Step(
        "gallery",
        ("docs/builder/gallery.py", "docs/playground/data.py", "sqlrp/_projections/*.py", "sqlrp/_stages/*.py"),
        gallery,
        STATIC / "gallery",
    ),
    Step(
        "notebooks",
        ("docs/builder/notebooks.py", "examples/*.md", "sql/duckdb.sql"),
        notebooks,
        STATIC / "notebooks",
    ),
    Step("pages", (*PAGES, "tests/bench/results/*.svg", "sql/duckdb.sql"), pages, SITE),
)


def main() -> None:
    """Run all steps."""
    STATIC.mkdir(parents=True, exist_ok=True)
    for step in STEPS:
        step.run()
    print(f"{SITE.relative_to(ROOT)}/index.html")


if __name__ == "__main__":
    main()
