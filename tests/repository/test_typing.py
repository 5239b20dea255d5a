"""mypy agrees with every `assert_type` of `typing_cases.py`, and finds an error where one is expected."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parents[1]
CASES = TESTS / "support" / "typing_cases.py"
EXCHANGED = {"pa.Table)": "pd.DataFrame)", "pl.DataFrame)": "pl.LazyFrame)", "pd.DataFrame)": "pa.Table)"}


def exchanged(line: str) -> str:
    """The line with another type asserted, where it asserts one of these."""
    old = next((old for old in EXCHANGED if line.strip().startswith("assert_type(") and line.endswith(f", {old}")), "")
    return line.removesuffix(old) + EXCHANGED[old] if old else line


def test_types_are_as_asserted(tmp_path: Path) -> None:
    """A copy of the cases with types exchanged fails at every such line, so that no type is Any."""
    lines = CASES.read_text().splitlines()
    wrong = tmp_path / "wrong_cases.py"
    changed = {i: text for i, line in enumerate(lines, 1) if (text := exchanged(line)) != line}
    wrong.write_text("\n".join(changed.get(i, line) for i, line in enumerate(lines, 1)) + "\n")
    settings = ["--config-file", str(TESTS / "stubs" / "mypy.ini"), "--cache-dir", ".mypy_cache/cases"]
    command = [sys.executable, "-m", "mypy", *settings]
    ran = subprocess.run(
        [*command, str(CASES), str(wrong)],
        cwd=TESTS.parent,
        env=os.environ | {"MYPYPATH": str(TESTS / "stubs")},
        capture_output=True,
        text=True,
        check=False,
    )
    said = [line for line in ran.stdout.splitlines() if ": error: " in line]
    assert not [line for line in said if "wrong_cases.py" not in line], ran.stdout + ran.stderr
    found = {int(line.split("wrong_cases.py:")[1].split(":")[0]) for line in said}
    assert found == changed.keys(), ran.stdout + ran.stderr
    assert len(changed) >= 8
