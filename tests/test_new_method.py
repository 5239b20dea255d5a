"""A method is one file and one line: with these, the guide's method works everywhere, in SQL functions too."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from pages import EXAMPLES

import sqlrp

HERE = Path(__file__).parent
TESTS = HERE / "new_method.py"
IN_SQL = re.compile(r"^ {8}stages_in_sql: .*?^ {8}\}\n", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^    (from sqlrp\.projections\.(\w+) import (\w+) as \3\n)", re.MULTILINE)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, with the guide's method in a file of its own and the guide's line in the registry."""
    folder = tmp_path_factory.mktemp("copy")
    package = Path(sqlrp.__file__).parent
    shutil.copytree(package, folder / "sqlrp")  # with what is compiled, or each process would compile it all
    shutil.copytree(package.parent / "sql", folder / "sqlrp" / "shipped")
    guide = (EXAMPLES / "writing_a_method.md").read_text(encoding="utf-8")
    line, in_sql = LINE.search(guide), IN_SQL.search(guide)
    assert line is not None
    assert in_sql is not None
    methods = folder / "sqlrp" / "projections"
    source = guide.split("```python\n")[1].split("```")[0] + "\n" + textwrap.indent(textwrap.dedent(in_sql[0]), "    ")
    (methods / f"{line[2]}.py").write_text(source, encoding="utf-8")
    with (methods / "registry.py").open("a", encoding="utf-8") as registry:
        registry.write(line[1])
    shipped = folder / "sqlrp" / "shipped"
    environment = os.environ | {"PYTHONPATH": str(folder)}
    subprocess.run([sys.executable, str(shipped / "build.py")], cwd=folder, env=environment, check=True)
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
