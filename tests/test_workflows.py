"""The workflows of GitHub Actions: actionlint accepts them, and what they call is in the repository."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest
from databases import missing
from pages import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def test_actionlint_accepts_the_workflows() -> None:
    """`make lint` runs it, too."""
    program = shutil.which("actionlint", path=sysconfig.get_path("scripts")) or shutil.which("actionlint")
    if program is None:
        missing("actionlint", FileNotFoundError("not installed"))
    done = subprocess.run([program, *map(str, WORKFLOWS)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_calls_what_is_there(path: Path) -> None:
    """Targets of make, and scripts."""
    text = path.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)", text)) <= targets
    for script in re.findall(r"python ([\w/]+\.py)|run: (\.\w+/\w+)", text):
        assert (ROOT / "".join(script)).is_file(), script


def test_there_is_a_workflow_for_tests_site_and_release() -> None:
    assert [path.stem for path in WORKFLOWS] == ["release", "site", "tests"]
