"""Every block of the README runs, and prints what the README shows.

`SQLRP_UPDATE_README=1 pytest tests/test_readme.py` writes what they print into it instead.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
from generated import TABLES

README = Path(__file__).parents[1] / "README.md"
BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def run_sql(con: duckdb.DuckDBPyConnection, text: str) -> None:
    for statement in duckdb.extract_statements(text):
        if statement.type == duckdb.StatementType.SELECT:
            con.sql(statement).show()
        else:
            con.execute(statement)


def test_every_block_runs_and_prints_what_the_readme_shows() -> None:
    text = README.read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    printed = io.StringIO()
    wanted: list[str] = []
    got: list[str] = []
    ran = 0

    def check(match: re.Match[str]) -> str:
        nonlocal printed, ran
        language, body = match["language"], match["body"]
        if language == "text":
            wanted.append(body)
            got.append("".join(line.rstrip() + "\n" for line in printed.getvalue().strip().splitlines()))
            printed = io.StringIO()
            return f"```text\n{got[-1]}```"
        with contextlib.redirect_stdout(printed):
            if language == "python":
                exec(body, names)
            elif language == "sql":
                run_sql(names["con"], body)
        ran += language in ("python", "sql")
        return match[0]

    updated = BLOCK.sub(check, text)
    names["con"].close()
    assert ran >= 3
    if os.environ.get("SQLRP_UPDATE_README"):
        README.write_text(updated, encoding="utf-8")
        return
    assert got == wanted


@pytest.mark.parametrize("name", TABLES)
def test_generated_tables_are_the_code_s(name: str) -> None:
    text = README.read_text(encoding="utf-8")
    table = re.compile(rf"(<!-- generated: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    assert table.search(text)
    updated = table.sub(lambda m: m[1] + TABLES[name]() + m[2], text)
    if os.environ.get("SQLRP_UPDATE_README"):
        README.write_text(updated, encoding="utf-8")
    else:
        assert text == updated


def test_the_two_commands_are_the_makefile_s() -> None:
    makefile = README.with_name("Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\w+)", README.read_text(encoding="utf-8"), re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
