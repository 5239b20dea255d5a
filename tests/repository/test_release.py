"""The tools of a release: the same bytes from the same commit, an installed package that works, and the checklist."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from databases import need_native_library
from extensions import compiled

import sqlrp
from sqlrp._core.native_library import NAME
from sqlrp._core.shipped_files import copy_of, text_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "release"))

import building  # noqa: E402
import matrix  # noqa: E402
import release  # noqa: E402

METADATA = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def git(folder: Path, *arguments: str) -> str:
    named = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    ran = subprocess.run(["git", *named, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small repository with the files that the checklist reads."""
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "x")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "x@example.org")
    folder = tmp_path / "clone"
    for name, text in {
        "sqlrp/_core/version.py": 'VERSION = "1.2.3"\n',
        "CITATION.cff": "cff-version: 1.2.0\nversion: 1.2.3\n",
        "CHANGELOG.md": "# Changes\n\n## [Unreleased]\n\n### Added\n\n- One.\n- Two.\n\n## [1.2.2] - 2020\n\n- Old.\n",
        **dict.fromkeys(release.PAGES, f"```sh\n{release.CLONED}\n```\n"),
        "pyproject.toml": '[project]\nname = "x"\n[project.urls]\n'
        + "".join(f'{name} = "https://example.org/{name}"\n' for name in release.URLS),
        "sql/build.py": "",
        ".gitignore": "dist/\n",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Begin")
    return folder


def walk(folder: Path, monkeypatch: pytest.MonkeyPatch, *given: str, fails: str = "") -> tuple[int, list[str]]:
    """The exit code of the checklist in a folder, and the long commands that it ran. A build makes two small files."""
    ran: list[str] = []
    real = subprocess.run

    def run(command: Any, **options: Any) -> Any:
        if command[0] == "git" or "--check" in command:
            return real(command, **options)
        ran.append(" ".join(command[-2:]))
        return subprocess.CompletedProcess(command, int(bool(fails) and fails in ran[-1]))

    def build(out: Path) -> list[Path]:
        out.mkdir(exist_ok=True)
        paths = [out / "x.tar.gz", out / "x.whl"]
        for path in paths:
            path.write_bytes(b"bytes" if fails != "bytes" else str(out).encode())
        return paths

    with monkeypatch.context() as patched:
        patched.setattr(release.subprocess, "run", run)
        patched.setattr(release, "build", build)
        return release.main(list(given), folder), ran


def test_the_checklist_from_end_to_end(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, ran = walk(clone, monkeypatch)
    said = capsys.readouterr().out
    assert code == 0, said
    assert [line.split()[-1] for line in ran] == [".ci/run", "faults", "release/matrix.py", "site"]
    assert len(re.findall(r"^ ?\d+\. ", said, re.MULTILINE)) == len(release.STEPS)
    assert git(clone, "tag", "--list") == "v1.2.3"
    assert git(clone, "log", "--format=%s", "-1") == "Release 1.2.3"
    assert git(clone, "status", "--porcelain") == ""
    changes = (clone / "CHANGELOG.md").read_text()
    assert re.search(r"## \[Unreleased\]\n\n## \[1\.2\.3\] - \d{4}-\d\d-\d\d\n\n### Added\n\n- One\.", changes)
    assert all(release.UPLOADED in (clone / page).read_text() for page in release.PAGES)
    digest = hashlib.sha256(b"bytes").hexdigest()
    assert (clone / "dist" / "SHA256SUMS").read_text() == f"{digest}  x.tar.gz\n{digest}  x.whl\n"


def test_a_dry_run_changes_nothing_and_runs_nothing(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = git(clone, "rev-parse", "HEAD")
    code, ran = walk(clone, monkeypatch, "--dry-run")
    said = capsys.readouterr().out
    assert (code, ran) == (0, [])
    assert said.count("would ") == 7
    assert (git(clone, "rev-parse", "HEAD"), git(clone, "tag", "--list")) == (before, "")
    assert git(clone, "status", "--porcelain", "--ignored") == ""


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("CITATION.cff", "1.2.3", "1.2.2", "write `version: 1.2.3` into CITATION.cff"),
        ("sqlrp/_core/version.py", "1.2.3", "next", "states no version"),
        ("CHANGELOG.md", "- One.\n- Two.\n", "", "nothing under [Unreleased]"),
        (
            "pyproject.toml",
            "Repository",
            "Home",
            "[project.urls] in pyproject.toml lacks Repository: add them",
        ),
        ("sql/build.py", "", "raise SystemExit(1)", "run make sql"),
    ],
)
def test_what_is_not_ready_stops_it(
    clone: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    file: str,
    old: str,
    new: str,
    words: str,
) -> None:
    path = clone / file
    path.write_text(path.read_text().replace(old, new) if old else new)
    code, _ = walk(clone, monkeypatch, "--dry-run")
    said = capsys.readouterr().out
    assert code == 1
    assert f"commit or remove these first: {file}" in said
    git(clone, "commit", "--quiet", "--all", "--message", "Change")
    code, ran = walk(clone, monkeypatch)
    assert (code, ran) == (1, [])
    assert words in capsys.readouterr().out
    assert git(clone, "tag", "--list") == ""


@pytest.mark.parametrize("section", ["[project.urls]\n", ""])
def test_a_first_release_is_told_where_the_package_lives(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], section: str
) -> None:
    path = clone / "pyproject.toml"
    path.write_text('[project]\nname = "x"\n' + section)
    git(clone, "commit", "--quiet", "--all", "--message", "Change")
    told = ["--address", "https://host.example/owner/x"]
    assert walk(clone, monkeypatch, "--dry-run")[0] == 1
    assert walk(clone, monkeypatch, "--address", "host/x")[0] == 1
    assert walk(clone, monkeypatch, "--dry-run", *told)[0] == 0
    assert git(clone, "status", "--porcelain") == ""
    assert walk(clone, monkeypatch, *told)[0] == 0
    assert git(clone, "status", "--porcelain") == ""
    assert tomllib.loads(path.read_text())["project"]["urls"]["Repository"] == told[1]
    assert walk(clone, monkeypatch)[0] == 0
    assert "https://host.example/owner/x/blob/main/CHANGELOG.md" in capsys.readouterr().out


@pytest.mark.parametrize("fails", [".ci/run", "faults", "matrix", "site", "bytes"])
def test_a_failed_step_leaves_no_tag_and_the_next_walk_continues(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fails: str
) -> None:
    assert walk(clone, monkeypatch, fails=fails)[0] == 1
    assert "NOT READY" in capsys.readouterr().out.splitlines()[-1]
    assert git(clone, "tag", "--list") == ""
    assert not (clone / "dist" / "SHA256SUMS").exists()
    assert walk(clone, monkeypatch)[0] == 0
    assert git(clone, "log", "--format=%s").splitlines() == ["Release 1.2.3", "Begin"]
    assert walk(clone, monkeypatch)[0] == 0, "a walk that is done may be repeated"
    assert git(clone, "tag", "--list") == "v1.2.3"
    (clone / "more").write_text("")
    git(clone, "add", "more")
    git(clone, "commit", "--quiet", "--message", "More")
    assert walk(clone, monkeypatch)[0] == 1
    assert "tagged at another commit" in capsys.readouterr().out


def test_a_source_archive_is_settled() -> None:
    """Times, users and the order of the members do not matter; their contents do."""

    def archive(names: list[str], at: int, content: bytes = b"x") -> bytes:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as files:
            for name in names:
                member = tarfile.TarInfo(name)
                member.size, member.mtime, member.uid, member.uname = len(content), at, at, str(at)
                files.addfile(member, io.BytesIO(content))
        return packed.getvalue()

    one = building.reproducible(archive(["b", "a"], 5), 1_000)
    assert one == building.reproducible(archive(["a", "b"], 77), 1_000)
    assert one != building.reproducible(archive(["a", "b"], 77, b"y"), 1_000)
    with tarfile.open(fileobj=io.BytesIO(one)) as files:
        assert [(m.name, m.mtime, m.uid) for m in files.getmembers()] == [("a", 1_000, 0), ("b", 1_000, 0)]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> list[list[Path]]:
    """Two builds of the last commit, compiled in less time than those of a release, which `make matrix` tries.

    The flags of setup.py come after those of CFLAGS: a compiler of its own has the last word.
    """
    need_native_library()
    compiled()  # or the tests are left out
    compiler = tmp_path_factory.mktemp("compiler") / "cc"
    compiler.write_text(f'#!/bin/sh\nexec {os.environ.get("CC", "cc")} "$@" -O0\n')
    compiler.chmod(0o755)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("CC", str(compiler))
        return [building.build(tmp_path_factory.mktemp("dist")) for _ in range(2)]


def test_two_builds_are_alike_and_hold_every_file(built: list[list[Path]]) -> None:
    assert building.hashes(built[0]) == building.hashes(built[1])
    source, wheel = built[0]
    with zipfile.ZipFile(wheel) as files:
        names = set(files.namelist())
        (meta,) = [name for name in names if name.endswith("METADATA")]
        text = files.read(meta).decode()
    committed = git(ROOT, "ls-tree", "-r", "--name-only", "HEAD", "sqlrp").splitlines()
    assert {name for name in committed if not name.endswith("README.md")} <= names
    assert {"sqlrp/_shipped/duckdb.sql", "sqlrp/_shipped/postgresql.sql"} <= names
    assert not [name for name in names if name.startswith(("tests", "release", "docs", "native"))]
    assert re.fullmatch(r"sqlrp-[^-]+-py3-none-(?!any)\w+\.whl", wheel.name), (
        "one wheel serves every Python of a platform"
    )
    with zipfile.ZipFile(wheel) as files:
        (library,) = (files.getinfo(name) for name in names if name == f"sqlrp/_core/{NAME}")
    assert library.file_size < 1 << 20
    assert f"Version: {sqlrp.__version__}\n" in text
    for classifier in METADATA["project"]["classifiers"]:
        assert f"Classifier: {classifier}\n" in text
    assert "sqlrp/_core/sqlrp.duckdb_extension" in names
    assert f"sqlrp/_shipped/{copy_of(text_of('duckdb.sql')).name}" in names
    with tarfile.open(source) as files:
        inside = {name.split("/", 1)[1] for name in files.getnames() if "/" in name}
    assert not [name for name in inside if name.endswith((".duckdb_extension", ".duckdb"))], "they are built"
    assert {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "sqlrp/py.typed",
        "sql/duckdb.sql",
        "setup.py",
        "native/kernel.c",
        "native/tiles.h",
    } <= inside


def test_the_types_of_all_public_names_are_known(built: list[list[Path]], tmp_path: Path) -> None:
    """As pyright sees the wheel without this clone; what other packages leave untyped does not count."""
    with zipfile.ZipFile(built[0][1]) as files:
        files.extractall(tmp_path)
    command = [sys.executable, "-m", "pyright", "--verifytypes", "sqlrp", "--ignoreexternal", "--outputjson"]
    there = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(tmp_path)}
    ran = subprocess.run(
        command, cwd=tmp_path, env=os.environ | there, capture_output=True, text=True, check=False, timeout=300
    )
    found = json.loads(ran.stdout)["typeCompleteness"]
    assert Path(found["packageRootDirectory"]) == tmp_path / "sqlrp"
    wrong = [
        f"{one['name']}: {d['message']}"
        for one in found["symbols"]
        for d in one["diagnostics"]
        if d["severity"] == "error"
    ]
    assert not wrong, "\n".join(wrong)
    assert found["completenessScore"] == 1
    public = {module["name"] for module in found["modules"]}
    modules = ("dbt", "engines", "kernels", "quality", "samples", "sklearn", "stages")
    assert public == {"sqlrp", "sqlrp.__main__", *(f"sqlrp.{name}" for name in modules)}
    exported = {symbol["name"] for symbol in found["symbols"] if symbol["isExported"]}
    assert {f"sqlrp.{name}" for name in sqlrp.__all__} <= exported


def test_the_installed_wheel_works(built: list[list[Path]], tmp_path: Path) -> None:
    """In a new environment without this clone; packages that it needs are those of the tests."""
    folder = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    (site,) = folder.glob("lib/python*/site-packages")
    path = built[0][1]
    command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps", "--python", str(python), str(path)]
    subprocess.run(command, check=True, capture_output=True)
    others = [path for path in sys.path if path.endswith("site-packages")]
    (site / "others.pth").write_text("\n".join(others))
    ran = subprocess.run(
        [python, ROOT / "release" / "smoke.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(
        f"sqlrp {sqlrp.__version__} on Python {sys.version.split()[0]}: "
        "core, native, copied macros, extension, cli, report, plot"
    )


def test_the_matrix_says_what_was_tried(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[tuple[str, str]] = []

    def tried(wheel: Path, program: str, resolution: str, folder: Path) -> str:
        asked.append((program, resolution))
        return "it broke" if resolution == "lowest" else ""

    monkeypatch.setattr(matrix, "interpreters", lambda: {"3.11": "eleven", "3.13": "thirteen"})
    monkeypatch.setattr(matrix, "tried", tried)
    assert matrix.main(["x.whl"]) == 1
    said = capsys.readouterr().out
    assert asked == [(p, r) for p in ("eleven", "thirteen") for r in ("lowest", "newest")]
    assert re.search(r"^3\.11  lowest  FAILED  \d+ s\n    it broke\n3\.11  newest  ok  \d+ s\n", said)
    assert said.count("not at hand") == 2
    monkeypatch.setattr(matrix, "tried", lambda *given: "")
    assert matrix.main(["x.whl"]) == 0
    with pytest.raises(SystemExit):
        matrix.main(["x.whl", "--only", "2.7"])


def test_this_interpreter_is_at_hand() -> None:
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert here in matrix.interpreters()


@pytest.mark.parametrize("page", release.PAGES)
def test_a_first_page_names_the_upload_once_there_is_one(page: str) -> None:
    """Until a version has its date in CHANGELOG.md, it says how to install a clone."""
    released = re.search(r"^## \[\d+\.\d+", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    text = (ROOT / page).read_text(encoding="utf-8")
    assert (release.CLONED in text, release.UPLOADED in text) == (not released, bool(released))
    assert released or "pip install sqlrp" not in text


def test_the_changes_of_a_release_are_one_page() -> None:
    """What nobody has had is not a change: the section says what the release is, and git has the rest."""
    assert len((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()) < 100
