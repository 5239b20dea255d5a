"""DuckDB's extension sqlrp, built for the tests, and its kernel's functions given random programs and chunks.

`python tests/support/extensions.py --cases 100000`, or `make sanitize CASES=100000`, builds it with sanitizers, which
end the process at an access beyond its memory and at what C leaves undefined, and says how many programs ran.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from taking_part import missing, need

ROOT = Path(__file__).parents[2]
CALLS = Path(__file__).with_name("kernel_calls.py")
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DSQLRP_NO_CLONES", "-g")
AT_ONCE = 5000
"""How many cases a process runs: each has the next seed."""


def built(folder: Path, *flags: str) -> Path:
    """The file of the extension, in a folder, compiled with more flags. Skips without a compiler."""
    need("extension")
    if shutil.which("cc") is None:
        missing("a C compiler", FileNotFoundError("there is no cc"))
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
    made_of = [path.read_bytes() for path in [*sorted(parts), ROOT / "sqlrp" / "_core" / "version.py"]]
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


def sanitized(folder: Path, level: str = "-O0") -> tuple[Path, dict[str, str]]:
    """The file with sanitizers, and the variables of a process that loads it.

    Without optimization it compiles in a fifth of the time, and runs slower: the few cases of a test gain by it.
    """
    if shutil.which("cc") is None:
        missing("a C compiler", FileNotFoundError("there is no cc"))
    names = ("libasan.so", "libubsan.so")
    libraries = [
        subprocess.run(["cc", f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout.strip()
        for name in names
    ]
    options = {"LD_PRELOAD": ":".join(libraries), "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"}
    return built(folder, *SANITIZED, level), options


def fuzzed(file: Path, options: dict[str, str], seed: int, count: int) -> tuple[int, int]:
    """How many random cases ran, and how many were refused. Raises AssertionError with what a sanitizer found."""
    command = [sys.executable, str(CALLS), str(file), "fuzz", str(seed), str(count)]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(command, env=kept | options, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"seed {seed}: {(done.stdout + done.stderr)[-4000:]}"
    ran, refused = map(int, done.stdout.split())
    return ran, refused


def main() -> None:
    """Run as many cases as were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=AT_ONCE)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    ran = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        file, options = sanitized(Path(folder), "-O1")
        for at, first in enumerate(range(0, given.cases, AT_ONCE)):
            found = fuzzed(file, options, given.seed + at, min(AT_ONCE, given.cases - first))
            ran, refused = ran + found[0], refused + found[1]
            print(f"{ran + refused:,} cases: {ran:,} ran, {refused:,} were refused, nothing was found", flush=True)


if __name__ == "__main__":
    main()
