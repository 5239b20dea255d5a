"""A machine without a folder that can be written: commands that need none run, and the others say which to name."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from commands import run

RUNS = (
    ["doctor"],
    ["--version"],
    ["sql", "x.csv", "-k", "2"],
    ["explain", "x.csv", "-k", "2"],
    ["diagnose", "x.csv", "-k", "2", "--at", "2"],
    ["project", "x.csv", "-o", "-", "-k", "2"],
)
REFUSED = (["report", "x.csv", "-o", "-", "-k", "2", "--at", "2"],)


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.csv").write_text("id,a,b,c\n1,2,3,4\n2,3,4,5\n3,1,2,9\n4,8,1,2\n5,5,5,1\n")
    monkeypatch.chdir(tmp_path)

    def none() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_get_default_tempdir", none)


@pytest.mark.parametrize("arguments", RUNS, ids=lambda arguments: arguments[0])
def test_what_needs_no_folder_runs(arguments: list[str], nowhere: None) -> None:
    run(*arguments)


@pytest.mark.parametrize("arguments", REFUSED, ids=lambda arguments: arguments[0])
def test_what_needs_one_says_which_to_name(arguments: list[str], nowhere: None) -> None:
    assert "set TMPDIR to a folder that can be written" in run(*arguments, code=1).stderr


def test_a_pipe_says_which_folder_to_name(nowhere: None) -> None:
    code = (
        "import tempfile\n"
        "def none(): raise FileNotFoundError(2, 'No usable temporary directory')\n"
        "tempfile._get_default_tempdir = none\n"
        "from sqlrp._cli import main\nmain()"
    )
    given = [sys.executable, "-c", code, "project", "-", "-o", "-", "-k", "2"]
    done = subprocess.run(given, input=Path("x.csv").read_bytes(), capture_output=True, check=False)
    assert done.returncode == 1
    assert b"in which the pipe of SOURCE - waits: set TMPDIR to a folder that can be written" in done.stderr
