"""Files that sqlrp writes: rights and links are kept, data is on the disk before the name, errors are clear."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner
from helpers import assert_one_line

import sqlrp
from sqlrp import SourceError
from sqlrp._cli.app import cli
from sqlrp._core.whole_files import beside, check_place
from sqlrp.dbt import write as write_dbt

pytestmark = pytest.mark.slow

RP = sqlrp.SparseProjection(k=2, s=1)
NAMED = sqlrp.Wide("images", features=["p0", "p1"])
PROJECTED = [".parquet", ".csv", ".csv.gz", ".tsv", ".jsonl", ".arrow", ".feather", ".ipc"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with a table in a Parquet file and a dbt project; new files are not for everyone."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SQLRP_DB", raising=False)
    with duckdb.connect(config={"threads": "1"}) as con:
        con.execute("COPY (SELECT range AS id, range % 7 AS p0, range % 11 AS p1 FROM range(60)) TO 'images.parquet'")
    (tmp_path / "dbt_project.yml").write_text("name: shop")
    before = os.umask(0o027)
    yield tmp_path
    os.umask(before)


def command(*arguments: str) -> None:
    result = CliRunner().invoke(cli, [*arguments, "-k", "2"])
    assert result.exit_code == 0, result.output


def page(path: str) -> None:
    with duckdb.connect(config={"threads": "1"}) as con:
        sqlrp.report(RP, "images.parquet", con, path, sample=20)


def three_files(path: str) -> None:
    write_dbt(RP, NAMED, "duckdb", ".", "rp", replace=True)


WRITERS: dict[str, Callable[[str], None]] = {
    **{f"out{e}": lambda path: command("project", "images.parquet", "-o", path) for e in PROJECTED},
    "fitted.json": lambda path: command("fit", "images.parquet", "-o", path, "--n-iter", "2"),
    "plot.png": lambda path: command("diagnose", "images.parquet", "--plot", path, "--sample", "20"),
    "command.html": lambda path: command("report", "images.parquet", "-o", path, "--sample", "20"),
    "report.html": page,
    "macros/sqlrp_rp.sql": three_files,
    "models/rp.sql": three_files,
    "models/rp.yml": three_files,
}
"""What writes a file, by the file's name."""
MAKERS: dict[str, Callable[[str], Any]] = WRITERS | {
    "new.duckdb": lambda path: command("project", "images.parquet", "-o", f"{path}::small"),
    "sql": lambda path: sqlrp.export(RP, NAMED, "duckdb", path),
}
"""Those, and what makes a file or folder that must not be there before."""


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("name", MAKERS)
def test_a_new_file_has_the_mode_that_the_umask_gives(folder: Path, name: str) -> None:
    MAKERS[name](name)
    assert mode_of(folder / name) == (0o750 if name == "sql" else 0o640)
    assert not list(folder.glob(".sqlrp_*"))


def test_files_of_an_export_have_the_mode_that_the_umask_gives(folder: Path) -> None:
    (folder / "kept").mkdir(mode=0o700)
    for name, mode in (("kept", 0o700), ("new", 0o750)):
        (path,) = sqlrp.export(RP, NAMED, "duckdb", name)
        assert (mode_of(folder / name), mode_of(path)) == (mode, 0o640)


@pytest.mark.parametrize("name", WRITERS)
def test_a_replaced_file_keeps_its_mode_and_owner_and_a_link_stays_a_link(folder: Path, name: str) -> None:
    real = folder / "elsewhere" / f"real_{Path(name).name}"
    real.parent.mkdir()
    real.write_text("old")
    owner = (12_345, 54_321) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    os.chown(real, *owner)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).symlink_to(real)
    for mode in (0o600, 0o664):
        real.chmod(mode)
        WRITERS[name](name)
        assert (folder / name).is_symlink()
        assert real.read_bytes() != b"old"
        assert mode_of(real) == mode
        assert (real.stat().st_uid, real.stat().st_gid) == owner
    assert list(real.parent.iterdir()) == [real]


def test_what_a_group_may_do_is_not_handed_to_another_group(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    old = folder / "old.txt"
    old.write_text("old")
    old.chmod(0o664)
    real = Path.stat

    def others(self: Path, **options: Any) -> os.stat_result:
        found = real(self, **options)
        return os.stat_result((*found[:4], 1, 2, *found[6:])) if self == old else found

    monkeypatch.setattr(os, "chown", refuse)
    monkeypatch.setattr(Path, "stat", others)
    with beside(old) as made:
        made.write_text("new")
    monkeypatch.undo()
    assert (old.read_text(), mode_of(old)) == ("new", 0o644)


@pytest.mark.parametrize("name", MAKERS)
def test_data_is_on_the_disk_before_the_name_and_the_name_before_the_end(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[tuple[str, str]] = []
    sync, put = os.fsync, os.replace

    def synced(number: int) -> None:
        sync(number)
        steps.append(("synced", os.readlink(f"/proc/self/fd/{number}")))

    def placed(made: Any, target: Any) -> None:
        put(made, target)
        steps.extend([("from", str(made)), ("to", str(target))])

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", placed)
    monkeypatch.setattr(os, "rename", placed)
    MAKERS[name](name)
    target = str(folder / name)
    at = steps.index(("to", target))
    assert ("synced", steps[at - 1][1]) in steps[:at]
    assert ("synced", str(Path(target).parent)) in steps[at:]
    if name == "sql":
        assert ("synced", f"{steps[at - 1][1]}/01_query.sql") in steps[:at]


@pytest.mark.parametrize("name", ["out.parquet", "out.csv.gz", "fitted.json", "report.html"])
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_killed_process_leaves_the_old_file_and_at_most_a_folder_beside(folder: Path, name: str, step: str) -> None:
    (folder / name).write_text("old")
    before = set(folder.rglob("*"))
    child = os.fork()
    if child == 0:
        try:
            setattr(os, step, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
            WRITERS[name](name)
        finally:
            os._exit(0)  # nothing killed it
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)
    assert (folder / name).read_text() == "old"
    left = {path.relative_to(folder).parts[0] for path in set(folder.rglob("*")) - before}
    assert [entry[:7] for entry in left] == [".sqlrp_"]
    WRITERS[name](name)
    assert (folder / name).read_bytes() != b"old"


def place(folder: Path, kind: str) -> Path:
    """A path where no file can be written."""
    path = folder / "x.json"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link to nowhere":
        path.symlink_to(folder / "none" / "x.json")
    elif kind == "below a file":
        return folder / "images.parquet" / "x.json"
    return {"long": folder / ("x" * 300), "nul": folder / "a\0b", "device": Path("/dev/null")}.get(kind, path)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("pipe", "is a device, a pipe or a socket"),
        ("device", "is a device, a pipe or a socket"),
        ("loop", "Too many levels of symbolic links"),
        ("folder", "is a folder: name a file in it"),
        ("link to nowhere", "there is no folder"),
        ("below a file", "cannot be written: Not a directory"),
        ("long", "cannot be written: File name too long"),
        ("nul", "cannot be written: embedded null byte"),
    ],
)
def test_where_no_file_can_be_written_an_error_says_so(folder: Path, kind: str, words: str) -> None:
    path = place(folder, kind)
    before = sorted(folder.rglob("*"))
    with pytest.raises(SourceError) as caught:
        check_place(path)
    assert_one_line(caught, words)
    with pytest.raises(SourceError) as caught:
        page(str(path))
    assert_one_line(caught, words)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("where", ["images.parquet/sql", "images.parquet/more/sql", "a\0b"])
def test_where_no_folder_can_be_written_an_error_says_so(folder: Path, where: str) -> None:
    before = sorted(folder.rglob("*"))
    with pytest.raises(SourceError) as caught:
        sqlrp.export(RP, NAMED, "duckdb", where)
    assert_one_line(caught, "cannot be written")
    assert sorted(folder.rglob("*")) == before


def test_a_name_that_no_system_takes_is_refused_by_dbt(folder: Path) -> None:
    with pytest.raises(SourceError) as caught:
        write_dbt(RP, NAMED, "duckdb", ".", "rp", models="a\0b")
    assert_one_line(caught, "cannot be written: embedded null byte")


@pytest.mark.parametrize("fails_at", range(1, 5))
@pytest.mark.parametrize("old", [False, True])
def test_three_files_of_dbt_go_back_as_they_were(
    folder: Path, old: bool, fails_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if old:
        three_files("")
        for path in (folder / "models").iterdir():
            path.chmod(0o600)
    before = {p: (mode_of(p), p.is_file() and p.read_bytes()) for p in folder.rglob("*")}
    put, calls = os.replace, 0

    def fail(made: Any, target: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == min(fails_at, 3):
            if fails_at == 4:  # just after the last file
                put(made, target)
            raise KeyboardInterrupt
        put(made, target)

    monkeypatch.setattr(os, "replace", fail)
    other = sqlrp.Wide("images", key="p1", features=["p0"])  # all three files change
    with pytest.raises(KeyboardInterrupt):
        write_dbt(RP, other, "duckdb", ".", "rp", relation="other", replace=True)
    assert {p: (mode_of(p), p.is_file() and p.read_bytes()) for p in folder.rglob("*")} == before
