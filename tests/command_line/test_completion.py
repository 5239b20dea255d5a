"""Completion in real shells: what Tab offers in bash, zsh and fish after the script of `sqlrp completion` was read."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from taking_part import missing
from terminal import readable

pytestmark = pytest.mark.slow

_DRAWN = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\a]*\a|[=>()][A-B0]?)|\r")
WORDS = [("sqlrp pro", "project"), ("sqlrp project --method p", "pk"), ("sqlrp sql --dialect snow", "snowflake")]


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A search path with the command `sqlrp` of this environment first."""
    command = tmp_path / "bin" / "sqlrp"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m sqlrp "$@"\n')
    command.chmod(0o755)
    return f"{command.parent}{os.pathsep}{os.environ['PATH']}"


def shell(name: str) -> str:
    return shutil.which(name) or missing(name, FileNotFoundError("not installed"))


def script(name: str, path: str) -> str:
    ran = subprocess.run(["sqlrp", "completion", name], capture_output=True, text=True, check=True, env={"PATH": path})
    return ran.stdout


def test_bash(path: str, tmp_path: Path) -> None:
    (tmp_path / "complete.sh").write_text(script("bash", path))
    for line, found in WORDS:
        words = line.split()
        asked = f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _sqlrp_completion sqlrp; echo ${{COMPREPLY[@]}}"
        given = [shell("bash"), "--norc", "-c", f"shopt -s progcomp; . {tmp_path}/complete.sh; {asked}"]
        ran = subprocess.run(
            given, capture_output=True, text=True, check=True, env={"PATH": path, "HOME": str(tmp_path)}
        )
        assert found in ran.stdout.split(), (line, ran)


def test_fish(path: str, tmp_path: Path) -> None:
    (tmp_path / "complete.fish").write_text(script("fish", path))
    for line, found in WORDS:
        given = [shell("fish"), "--no-config", "-c", f"source {tmp_path}/complete.fish; complete -C '{line}'"]
        ran = subprocess.run(
            given, capture_output=True, text=True, check=True, env={"PATH": path, "HOME": str(tmp_path)}
        )
        assert found in ran.stdout.split(), (line, ran)


def test_zsh(path: str, tmp_path: Path) -> None:
    """zsh completes only at its prompt, so it runs on a terminal, and Tab is pressed."""
    (tmp_path / "complete.zsh").write_text(script("zsh", path))
    main, end = pty.openpty()
    given = [shell("zsh"), "-f", "-i"]
    env = {"PATH": path, "HOME": str(tmp_path), "TERM": "xterm", "PS1": "> "}
    running = subprocess.Popen(given, stdin=end, stdout=end, stderr=end, env=env, close_fds=True, cwd=tmp_path)
    os.close(end)

    def typed(text: str, wanted: str) -> str:
        os.write(main, text.encode())
        drawn, until = "", time.monotonic() + 30
        while wanted not in _DRAWN.sub("", drawn) and time.monotonic() < until:
            if readable(main, 0.1):
                drawn += os.read(main, 65_536).decode("utf-8", "replace")
        return _DRAWN.sub("", drawn)

    try:
        typed("autoload -U compinit; compinit -u -d dump; . ./complete.zsh; print re''ady\n", "ready")
        for line, found in WORDS:
            drawn = typed(f"{line}\t", found)
            assert found in drawn, (line, drawn)
            typed("\x15", "")
    finally:
        running.kill()
        running.wait()
        os.close(main)
