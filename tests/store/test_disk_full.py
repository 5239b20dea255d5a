"""A disk that fills up while a call writes: nothing changes, the error is clear, and with room the call works."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from complete_state import Whole, difference, facts, verdict
from faults import Watch, connection
from writing_calls import CALLS, Call, EndedError, Place, place

from sqlrp._core.errors import SqlrpError

pytestmark = pytest.mark.slow

SIZE = 16 << 20
ROOMS = (0, 4, 16, 64, 256, 1024, 8192)
"""kB that are free, one call after the other."""
FILES = [(call, name) for call in CALLS for name in call.engines if name in ("duckdb", "sqlite")]
WRITING = [
    (c, n)
    for c, n in FILES
    if c.name in ("save over", "materialize over", "refresh", "install") or c.before.__name__ == "written"
]


@contextmanager
def disk(folder: Path) -> Iterator[bool]:
    """A disk of `SIZE` in the folder; False where it cannot be mounted, as only root may."""
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={SIZE}", "sqlrp", str(folder)]
    mounted = (
        os.geteuid() == 0 and subprocess.run(["mount", *options], check=False, capture_output=True).returncode == 0
    )
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def room(folder: Path, kilobytes: int, mounted: bool) -> Iterator[None]:
    """That much is free: a file takes the rest; without a disk of one's own, no file may grow by more."""
    if mounted:
        ballast = folder.parent / "ballast"
        free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
        ballast.write_bytes(b"\1" * max(free - kilobytes * 1024, 0))
        try:
            yield
        finally:
            ballast.unlink()
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    largest = max((path.stat().st_size for path in folder.rglob("*") if path.is_file()), default=0)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest + kilobytes * 1024, hard))
    compiles, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # a compiled module would be kept cut
    try:
        yield
    finally:
        sys.dont_write_bytecode = compiles
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def called(at: Place, call: Call) -> BaseException | None:
    """What the call raised."""
    with connection(at, call, Watch()) as given:
        try:
            call.run(given, at.address, at.folder)
        except Exception as error:  # whatever is raised is looked at
            return error
    return None


def reopened(at: Place) -> None:
    """DuckDB gives a database up whose file it could not write, and says so: it is opened again."""
    at.close()
    at.open()


@pytest.mark.parametrize(("call", "name"), [pytest.param(c, n, id=f"{c.name}-{n}") for c, n in WRITING])
def test_a_full_disk_leaves_all_as_it_was(call: Call, name: str, tmp_path: Path) -> None:
    found: list[str] = []
    with disk(tmp_path / "disk") as mounted:
        for run in ("clean", "run1"):
            folder = tmp_path / "disk" / run
            folder.mkdir()
            with place(name, folder) as at:
                call.before(at.db, folder)
                reopened(at)
                if run == "clean":
                    old = Whole.of(at.db, folder)
                    assert called(at, call) is None
                    new = Whole.of(at.db, folder)
                    continue
                raised: Any = None
                for kilobytes in ROOMS:
                    with room(folder, kilobytes, mounted):
                        raised = called(at, call)
                    reopened(at)
                    state = verdict(old, new, at.db, folder)
                    if raised is None:
                        break
                    if state != "old":
                        found.append(
                            f"{kilobytes} kB: {state}: {difference(old.all, facts(at.db, folder))} ({raised!r})"
                        )
                    if "No space left" in str(raised) and " [in: " in str(raised):
                        found.append(f"{kilobytes} kB: SQL that is not to blame: {raised}")
                    if not isinstance(raised, (SqlrpError, EndedError)) or "unexpected " in str(raised):
                        found.append(f"{kilobytes} kB: raw {raised!r}")
                if raised is not None or state != "new":
                    found.append(f"with room: {state}, {raised!r}; {difference(new.all, facts(at.db, folder))}")
    assert not found, "\n".join(line[:700] for line in found)
