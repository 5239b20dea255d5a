"""Build the wheel and the source archive so that the same commit gives the same bytes.

The files are those of the commit, and every time in the archives is that of the commit. The wheel has the native
library and DuckDB's extension, which are compiled here, and the macros that `install` copies. Run it alone with
`python release/building.py FOLDER`, and with --source for the source archive alone, which needs no compiler.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import runpy
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def build(out: Path, commit: str = "HEAD", wheel: bool = True) -> list[Path]:
    """Build a commit into a folder; returns the source archive, and the wheel if it is wanted."""
    epoch = int(_git("show", "-s", "--format=%ct", commit))
    with tempfile.TemporaryDirectory() as folder:
        tree, made, inside = (Path(folder) / name for name in ("tree", "made", "inside"))
        tree.mkdir()
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(tree, filter="data")
        _uv("--sdist", tree, made, epoch)
        (source,) = made.glob("*.tar.gz")
        out.mkdir(parents=True, exist_ok=True)
        kept = [out / source.name]
        kept[0].write_bytes(reproducible(source.read_bytes(), epoch))
        if wheel:
            # It is built from the source archive, which shows that the archive can be installed.
            with tarfile.open(source) as files:
                files.extractall(inside, filter="data")
            (unpacked,) = inside.iterdir()
            _extension(tree, unpacked / "sqlrp" / "_core" / "sqlrp.duckdb_extension")
            copied = [sys.executable, str(tree / "sql" / "copied.py"), "--out", str(unpacked / "sql")]
            _quietly(copied, PYTHONPATH=tree)
            _uv("--wheel", unpacked, made, epoch)
            (found,) = made.glob("*.whl")
            kept.append(out / found.name)
            kept[1].write_bytes(found.read_bytes())
        return kept


def _uv(kind: str, folder: Path, out: Path, epoch: int) -> None:
    """Build one kind of archive of a folder."""
    command = [sys.executable, "-m", "uv", "build", "--quiet", "--no-config", kind, "--out-dir", str(out), str(folder)]
    _quietly([*command, "--build-constraints", str(ROOT / "release" / "constraints.txt")], epoch)


def _extension(tree: Path, out: Path) -> None:
    """Compile DuckDB's extension from the files of the commit, with the headers that this clone has, if it has them."""
    script = "sql/extension/build.py"
    known = runpy.run_path(str(ROOT / script))
    _quietly(
        [sys.executable, str(tree / script), "--out", str(out)], PYTHONPATH=tree, DUCKDB_HEADERS=known["headers"]()
    )


def _quietly(command: list[str], epoch: int = 0, **more: object) -> None:
    """Run a command, whose output is shown if it fails."""
    quiet = os.environ | {"SOURCE_DATE_EPOCH": str(epoch), "PYTHONWARNINGS": "ignore"}
    quiet |= {name: str(value) for name, value in more.items()}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=quiet)
    if ran.returncode:
        sys.exit(f"the build failed:\n{ran.stdout}{ran.stderr}")


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
    folders = [argument for argument in sys.argv[1:] if argument != "--source"]
    print(hashes(build(Path(folders[0] if folders else "dist"), wheel="--source" not in sys.argv[1:])), end="")
