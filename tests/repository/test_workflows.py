"""The workflows of GitHub Actions: actionlint accepts them, and what they call is in the repository."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest
from pages import ROOT
from taking_part import missing

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


ACTION = re.compile(r"uses: (?P<name>[\w./-]+)@(?P<at>\S+)(?:  # (?P<version>\S+))?$", re.MULTILINE)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_an_action_is_named_by_its_commit(path: Path) -> None:
    """A tag can be moved to other code. The version is in a comment, and one version has one commit.

    A workflow of this repository is that of the same commit.
    """
    text = path.read_text(encoding="utf-8")
    found = list(ACTION.finditer(text))
    assert len(found) == len(re.findall(r"\buses: (?!\./)", text)) > 0
    for name in re.findall(r"\buses: \./(\S+)", text):
        assert ROOT / name in WORKFLOWS
    for action in found:
        assert re.fullmatch(r"[0-9a-f]{40}", action["at"]), action[0]
        assert re.fullmatch(r"v\d+\.\d+\.\d+", action["version"] or ""), action[0]


def test_all_workflows_run_one_version_of_an_action() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    versions: dict[str, set[tuple[str, str]]] = {}
    for action in ACTION.finditer(text):
        versions.setdefault(action["name"], set()).add((action["at"], action["version"]))
    assert [name for name, found in versions.items() if len(found) > 1] == []


def test_the_tools_of_a_release_have_one_version() -> None:
    """Those that the release's workflow installs, and the one that builds the package."""
    lines = (ROOT / "release/constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert all(re.fullmatch(r"\d+(\.\d+)+", version) for version in pinned.values())
    workflow = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    installed = re.findall(r"pip install (.*)$", workflow, re.MULTILINE)
    constrained, wheel = installed
    assert constrained.startswith("-c release/constraints.txt ")
    assert set(constrained.split()[2:]) == {"uv", "twine"} <= pinned.keys()
    assert wheel == "dist/*-manylinux*.whl"
    built = re.search(r'requires = \["(\w+)', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert built is not None
    assert built[1] in pinned
    assert "constraints.txt" in (ROOT / "release/building.py").read_text(encoding="utf-8")


def test_there_is_a_workflow_for_tests_site_wheels_and_release() -> None:
    assert [path.stem for path in WORKFLOWS] == ["release", "site", "tests", "wheels"]
