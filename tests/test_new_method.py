"""A method is one file, one line, and its stages in SQL for DuckDB: with these, the guide's method works everywhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pages import EXAMPLES

import sqlrp

HERE = Path(__file__).parent
TESTS = HERE / "new_method.py"
LINE = re.compile(r"^    (from sqlrp\.projections\.(\w+) import (\w+) as \3\n)", re.MULTILINE)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, with the guide's method in a file of its own and the guide's line in the registry."""
    folder = tmp_path_factory.mktemp("copy")
    package = Path(sqlrp.__file__).parent
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(package, folder / "sqlrp", ignore=without)
    shutil.copytree(package.parent / "sql", folder / "sqlrp" / "shipped", ignore=without)
    guide = (EXAMPLES / "writing_a_method.md").read_text(encoding="utf-8")
    line = LINE.search(guide)
    assert line is not None
    methods = folder / "sqlrp" / "projections"
    source = guide.split("```python\n")[1].split("```")[0]
    (methods / f"{line[2]}.py").write_text(source, encoding="utf-8")
    with (methods / "registry.py").open("a", encoding="utf-8") as registry:
        registry.write(line[1])
    shipped = folder / "sqlrp" / "shipped"
    shutil.copy(HERE / "fixtures" / "lq_project.sql", shipped / "duckdb" / "methods")
    build = "import build; (build.HERE / 'duckdb.sql').write_text(build.built('duckdb'), encoding='utf-8')"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(shipped)])}
    subprocess.run([sys.executable, "-c", build], cwd=folder, env=environment, check=True)
    return folder


def test_the_guide_s_method_is_wherever_methods_are(copy: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", str(TESTS)]
    path = os.pathsep.join([str(copy), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command, cwd=copy, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    ran = sum(map(int, re.findall(r"(\d+) (?:passed|skipped)", done.stdout)))  # skipped: a server that is not here
    assert ran == TESTS.read_text(encoding="utf-8").count("\ndef test_")
