"""Every block of the README runs, and prints what the README shows.

`SQLRP_UPDATE_README=1 pytest tests/test_readme.py` writes the output into the README instead.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from generated import TABLES
from pages import ROOT, UPDATING, check

README = ROOT / "README.md"


def test_every_block_runs_and_prints_what_the_readme_shows(tmp_path: Path) -> None:
    check(README, tmp_path)


@pytest.mark.parametrize("name", TABLES)
def test_generated_tables_are_the_code_s(name: str) -> None:
    text = README.read_text(encoding="utf-8")
    table = re.compile(rf"(<!-- generated: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    assert table.search(text)
    updated = table.sub(lambda m: m[1] + TABLES[name]() + m[2], text)
    if UPDATING:
        README.write_text(updated, encoding="utf-8")
    else:
        assert text == updated


def test_the_two_commands_are_the_makefile_s() -> None:
    makefile = README.with_name("Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\w+)", README.read_text(encoding="utf-8"), re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
