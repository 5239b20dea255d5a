"""Install the wheel on every Python at hand, with the lowest and the newest version of each dependency, and try it.

`python release/matrix.py [WHEEL]` builds the wheel of the last commit if none is given. uv resolves the lowest versions
that the requirements allow and that have a wheel for the interpreter. The exit code is 1 if one environment fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from building import ROOT, build

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
EXTRAS = "plot,report,sklearn"
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}


def interpreters() -> dict[str, str]:
    """The interpreters at hand by their version: of uv, on the search path, or of pyenv."""
    found = {}
    for version in VERSIONS:
        known = next((p for p in _known(version) if p and _version(p) == version), None) or _of_uv(version)
        if known:
            found[version] = known
    return found


def _known(version: str) -> list[str | None]:
    own = sys.executable if sys.version.startswith(f"{version}.") else None
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    return [own, shutil.which(f"python{version}"), *map(str, kept)]


def _of_uv(version: str) -> str | None:
    ran = _uv("python", "find", "--no-python-downloads", version)
    return ran.stdout.strip() if not ran.returncode else None


def _version(program: str) -> str | None:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    ran = subprocess.run([program, "-c", code], capture_output=True, text=True, check=False)
    return ran.stdout.strip() if not ran.returncode else None


def _uv(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "uv", *arguments], capture_output=True, text=True, check=False)


def tried(wheel: Path, program: str, resolution: str, folder: Path, extras: str = EXTRAS) -> str:
    """Install the wheel into a new environment and try it; returns what failed, or an empty text."""
    python = folder / "bin" / "python"
    install = ["pip", "install", "--quiet", "--python", str(python), "--resolution", RESOLUTIONS[resolution]]
    install += ["--only-binary", ":all:", f"sqlrp[{extras}] @ {wheel.resolve().as_uri()}" if extras else str(wheel)]
    for step in (["venv", "--quiet", "--python", program, str(folder)], install):
        ran = _uv(*step)
        if ran.returncode:
            return ran.stderr.strip()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [str(python), "-W", "error::DeprecationWarning:sqlrp", str(ROOT / "release" / "smoke.py")]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=clean)
    return ran.stderr.strip() if ran.returncode else ""


def main(given: Sequence[str] | None = None) -> int:
    """Try every environment, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("wheel", nargs="?", type=Path, help="the wheel; by default that of the last commit is built")
    parser.add_argument("--only", nargs="+", choices=VERSIONS, default=VERSIONS, help="these versions of Python")
    parser.add_argument("--resolution", nargs="+", choices=list(RESOLUTIONS), default=list(RESOLUTIONS))
    chosen = parser.parse_args(given)
    found, failed = interpreters(), 0
    with tempfile.TemporaryDirectory() as folder:
        wheel = chosen.wheel or build(Path(folder))[1]
        for version in chosen.only:
            if version not in found:
                print(f"{version}  not at hand: install it, for example by `uv python install {version}`")
                continue
            for resolution in chosen.resolution:
                begun = time.monotonic()
                wrong = tried(wheel, found[version], resolution, Path(folder) / f"{version}-{resolution}")
                failed += bool(wrong)
                print(f"{version}  {resolution}  {'FAILED' if wrong else 'ok'}  {time.monotonic() - begun:.0f} s")
                print("".join(f"    {line}\n" for line in wrong.splitlines()[-15:]), end="", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
