"""The community extension of DuckDB: its macros and its own test, without building it."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest
from sqlrp.shipped import build

import sqlrp


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository of the extension."""
    path = tmp_path_factory.mktemp("extension") / "duckdb-sqlrp"
    build.extension(path)
    return path


def test_the_macros_pass_the_extension_s_own_test(folder: Path) -> None:
    header = (folder / "src" / "include" / "sqlrp_macros.hpp").read_text(encoding="utf-8")
    macros = re.findall(r'R"sqlrp\((.*?)\)sqlrp"', header, re.DOTALL)
    assert len(macros) == build.built("duckdb").count("\nCREATE OR REPLACE MACRO ")
    assert max(len(text.encode()) for text in macros) < 16_000, "a compiler refuses longer literals"
    blocks = (folder / "test" / "sql" / "sqlrp.test").read_text(encoding="utf-8").split("\n\n")
    with duckdb.connect() as con:
        for text in macros:
            con.execute(text)
        checked = 0
        for block in blocks:
            first, *rest = block.strip().split("\n")
            if first.startswith("statement ok"):
                con.execute("\n".join(rest))
            elif first.startswith("query"):
                query, want = "\n".join(rest).split("\n----\n")
                got = con.execute(query).fetchall()
                shown = [[str(list(value)) if isinstance(value, tuple) else str(value) for value in row] for row in got]
                assert shown == [line.split("\t") for line in want.split("\n")]
                checked += 1
        assert checked == 2


def test_the_description_has_the_version(folder: Path) -> None:
    text = (folder / "description.yml").read_text(encoding="utf-8")
    assert f"version: {sqlrp.__version__}" in text
    assert (folder / "Makefile").exists()
