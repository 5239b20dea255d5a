"""A method is one file and one line: with these, two methods work wherever methods are, in SQL functions too."""

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

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parents[1] / "support" / "new_method.py"
LINE = re.compile(r"^    (from sqlrp\._projections\.(\w+) import (\w+) as \3\n)", re.MULTILINE)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, with the guide's method and `SignedPower`: a file and a line in the registry for each."""
    folder = tmp_path_factory.mktemp("copy")
    package = Path(sqlrp.__file__).parent
    shutil.copytree(package, folder / "sqlrp")  # with what is compiled, or each process would compile it all
    shutil.copytree(package.parent / "sql", folder / "sqlrp" / "_shipped")
    guide = (EXAMPLES / "writing_a_method.md").read_text(encoding="utf-8")
    line = LINE.search(guide)
    assert line is not None
    methods = folder / "sqlrp" / "_projections"
    source = guide.split("```python\n")[1].split("```")[0]
    (methods / f"{line[2]}.py").write_text(source, encoding="utf-8")
    shutil.copy(TESTS.parent / "signed_power.py", methods)
    with (methods / "methods.py").open("a", encoding="utf-8") as registry:
        registry.write(line[1] + "from sqlrp._projections.signed_power import SignedPower as SignedPower\n")
    shipped = folder / "sqlrp" / "_shipped"
    environment = os.environ | {"PYTHONPATH": str(folder)}
    subprocess.run([sys.executable, str(shipped / "build.py")], cwd=folder, env=environment, check=True)
    return folder


TABLES = ("contract/test_contract.py", "contract/test_methods.py", "functions/test_vector_functions.py")
TABLES += ("functions/test_postgresql_functions.py", "learning/test_sklearn.py", "quality/test_quality_kernels.py")
"""Tests over all methods, which have no list of methods to be added to."""


def printed(copy: Path, *words: str) -> str:
    """What pytest prints in the copy; it must pass."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", *words]
    path = os.pathsep.join([str(copy), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command, cwd=copy, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    return done.stdout


def test_a_new_method_is_wherever_methods_are(copy: Path) -> None:
    # skipped: a server that is not here
    ran = sum(map(int, re.findall(r"(\d+) (?:passed|skipped)", printed(copy, str(TESTS)))))
    assert ran == 2 * TESTS.read_text(encoding="utf-8").count("\ndef test_")


def test_a_new_method_is_in_the_tests_of_all_methods(copy: Path) -> None:
    files = [str(TESTS.parents[1] / name) for name in TABLES]
    words = "(duckdb-sp- or sqlite-sp- or [sp] or [sp_vector] or [sp- or SignedPower)"
    said = printed(copy, *files, "-vv", "-k", words)
    for name in TABLES:
        passed = re.findall(rf"{name}::\w+\[\S*(?:sp|SignedPower)\S*\] (?:PASSED|SKIPPED)", said)
        assert passed, f"{name} does not test the new method"
