"""Ctrl-C at any time while the command starts: one line, exit code 130, no file; and what it imports."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import sqlrp

pytestmark = pytest.mark.slow

RUNS = {
    "python -m sqlrp": ["-m", "sqlrp"],
    "python -m sqlrp._cli": ["-m", "sqlrp._cli"],
    "sqlrp": ["FOLDER/sqlrp"],
}
SCRIPT = "import sys\nfrom sqlrp._cli import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
MODULES = ("duckdb", "numpy", "pyarrow", "sqlalchemy", "click", "sqlrp._engines", "sqlrp._cli.app")
HOOK = """\
import os, signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["AT"]:
            os.kill(os.getpid(), signal.SIGINT)
            import time; time.sleep(0.01)
sys.meta_path.insert(0, Interrupting())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sqlrp").write_text(SCRIPT)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(HOOK)
    (tmp_path / "work").mkdir()
    return tmp_path


def start(folder: Path, how: str, *arguments: str, at: str = "") -> subprocess.Popen[str]:
    root = Path(sqlrp.__file__).parents[1]
    path = os.pathsep.join([str(folder / "site"), str(root)])
    return subprocess.Popen(
        [sys.executable, *(word.replace("FOLDER", str(folder)) for word in RUNS[how]), *arguments],
        cwd=folder / "work",
        env=os.environ | {"PYTHONPATH": path, "AT": at},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    ("how", "at"), [*(("python -m sqlrp", at) for at in MODULES), *((how, "duckdb") for how in list(RUNS)[1:])]
)
def test_ctrl_c_during_an_import_is_one_line(folder: Path, how: str, at: str) -> None:
    source = ["--db", "sqlite:///shop.db", "--table", "images"] if at == "sqlalchemy" else ["in.parquet"]
    running = start(folder, how, "fit", *source, "-o", "out.json", at=at)
    said, told = running.communicate(timeout=60)
    assert (said, told, running.returncode) == ("", "sqlrp: interrupted\n", 130)
    assert list((folder / "work").iterdir()) == []


@pytest.mark.parametrize("how", RUNS)
def test_every_way_to_start_gives_the_same(folder: Path, how: str) -> None:
    said, told = start(folder, how, "methods", "pk").communicate(timeout=60)
    assert said.startswith("pk: PolynomialKernelProjection")
    assert told == ""


def test_a_program_that_imports_sqlrp_keeps_its_own_ctrl_c(folder: Path) -> None:
    code = "import signal, sqlrp; assert signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_where_ctrl_c_is_ignored_it_stays_ignored(folder: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        running = start(folder, "python -m sqlrp", "methods", at="duckdb")
    finally:
        signal.signal(signal.SIGINT, before)
    said, _ = running.communicate(timeout=60)
    assert running.returncode == 0
    assert said


@pytest.mark.parametrize(
    "asked", [["project", "--help"], ["project", "in.csv", "-k", "2", "-o", "out.csv"]], ids=" ".join
)
def test_a_command_imports_no_package_of_frames(tmp_path: Path, asked: list[str]) -> None:
    """pandas alone takes as long to import as all that a command needs; pyarrow.dataset imports it."""
    (tmp_path / "in.csv").write_text("id,a,b,c\n1,2,3,4\n2,4,5,6\n")
    code = "import atexit, sys; from sqlrp._cli import main; atexit.register(lambda: print(*sys.modules)); main()"
    command = [sys.executable, "-c", code, *asked]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {"click", "pyarrow"} <= set(done.stdout.split())
    assert not {"pandas", "polars", "scipy", "pyarrow.dataset"} & set(done.stdout.split())
    assert ("in.csv" in asked) == (tmp_path / "out.csv").is_file()
