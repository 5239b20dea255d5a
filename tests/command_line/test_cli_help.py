"""The help of every command, its examples, and what starts to show it."""

from __future__ import annotations

import importlib.metadata
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from commands import run, shop

import sqlrp
from sqlrp._cli import main
from sqlrp._cli.app import cli, command_named

COMMANDS = [command_named(name) for name in cli.list_commands(click.Context(cli))]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder with the shop's files."""
    return shop(tmp_path, monkeypatch)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.name)
def test_the_help_of_a_command_and_its_examples(folder: Path, command: click.Command) -> None:
    told = run(str(command.name), "--help").stdout
    assert "Examples:" in told
    assert max(map(len, told.splitlines())) <= 110
    Path("tuned.json").write_text("{}")
    examples = [line for line in getattr(command, "examples", "").strip().splitlines() if line.startswith("sqlrp ")]
    assert examples or command.name == "completion"
    for line in examples:
        name, *arguments = shlex.split(re.split(r" [|>] ", line)[0])[1:]
        (found,) = [c for c in COMMANDS if c.name == name]
        found.make_context(name, arguments).close()  # raises UsageError for an option that is not there


def test_the_help_of_sqlrp() -> None:
    told = run("--help").stdout
    listed = re.findall(r"^  (\w+)  +\w", told[told.index("Commands:") :], re.MULTILINE)
    assert listed == [command.name for command in COMMANDS]
    assert run(code=2).stderr.startswith("Usage: sqlrp")
    assert run("--version").stdout == f"sqlrp, version {sqlrp.__version__}\n"
    (script,) = [e for e in importlib.metadata.entry_points(group="console_scripts") if e.name == "sqlrp"]
    assert script.load() is main


def test_the_help_shows_options_in_groups(folder: Path) -> None:
    told = run("project", "--help").stdout
    parts = re.split(r"^(\w[\w ]+):$", told, flags=re.MULTILINE)
    groups = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert list(groups) == ["Options", "Method", "Source", "Result", "Resources", "Other options", "Examples"]
    for option, title in (("--into", "Options"), ("-k", "Method"), ("--keep", "Source"), ("--nulls", "Result")):
        assert [name for name, text in groups.items() if re.search(rf"^  {option} ", text, re.MULTILINE)] == [title]
    for command in COMMANDS:
        told = run(str(command.name), "--help").stdout
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert len(re.findall(rf"^  (?:-\w, )?{parameter.opts[-1]}\b", told, re.MULTILINE)) == 1, parameter.name


def test_help_imports_no_engine() -> None:
    """Help, the version and a wrong command answer at once."""
    code = "import sys; from sqlrp._cli.app import cli\ntry: cli.main({})\nexcept SystemExit: print(*sys.modules)"
    for given in (["--help"], ["--version"], ["nothing"]):
        ran = subprocess.run([sys.executable, "-c", code.format(given)], capture_output=True, text=True, check=True)
        assert not {"duckdb", "numpy", "pandas", "pyarrow", "sqlalchemy"} & set(ran.stdout.split())
        assert "sqlrp._cli.app" in ran.stdout


def test_python_m_sqlrp() -> None:
    for module in ("sqlrp", "sqlrp._cli"):
        ran = subprocess.run([sys.executable, "-m", module, "--version"], capture_output=True, text=True, check=True)
        assert ran.stdout == f"sqlrp, version {sqlrp.__version__}\n"
