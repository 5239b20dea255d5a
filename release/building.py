"""Build the wheel and the source archive so that the same commit gives the same bytes.

The files are those of the commit, and every time in the archives is that of the commit. Run it alone with
`python release/building.py FOLDER`.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def build(out: Path, commit: str = "HEAD") -> list[Path]:
    """Build a commit into a folder; returns the source archive and the wheel."""
    epoch = int(_git("show", "-s", "--format=%ct", commit))
    with tempfile.TemporaryDirectory() as folder:
        tree, made = Path(folder) / "tree", Path(folder) / "made"
        tree.mkdir()
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(tree, filter="data")
        # The wheel is built from the source archive, which shows that the archive can be installed.
        command = [sys.executable, "-m", "uv", "build", "--quiet", "--no-config", "--out-dir", str(made), str(tree)]
        command += ["--build-constraints", str(ROOT / "release" / "constraints.txt")]
        quiet = os.environ | {"SOURCE_DATE_EPOCH": str(epoch), "PYTHONWARNINGS": "ignore"}
        ran = subprocess.run(command, capture_output=True, text=True, check=False, env=quiet)
        if ran.returncode:
            sys.exit(f"the build failed:\n{ran.stdout}{ran.stderr}")
        (source,), (wheel,) = made.glob("*.tar.gz"), made.glob("*.whl")
        out.mkdir(parents=True, exist_ok=True)
        kept = out / source.name, out / wheel.name
        kept[0].write_bytes(reproducible(source.read_bytes(), epoch))
        kept[1].write_bytes(wheel.read_bytes())
        return list(kept)


def reproducible(archive: bytes, epoch: int) -> bytes:
    """A .tar.gz with its members in order, and without times, users and modes of this machine."""
    plain, packed = io.BytesIO(), io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(archive)) as old,
        tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda m: m.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch, 0, 0, "", ""
            member.mode, member.pax_headers = 0o755 if member.isdir() else 0o644, {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=epoch, filename="") as file:
        file.write(plain.getvalue())
    return packed.getvalue()


def hashes(paths: list[Path]) -> str:
    """One line per file, as `sha256sum --check` reads it."""
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths)


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    print(hashes(build(Path(sys.argv[1] if len(sys.argv) > 1 else "dist"))), end="")
