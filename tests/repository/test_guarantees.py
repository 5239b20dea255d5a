"""Every promise of examples/guarantees.md and SECURITY.md names existing tests, on the engines of the promise.

A bullet names its tests in a comment at its end. The cells of a table are named in the comment below it, by row and
column; `*` is every row, and `{}` the row's engine. Brackets contain parts of a test's parameters, with `|` between
several that must all exist; `each` is every engine. In SECURITY.md a bullet may be
marked as advice, which promises nothing.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from pages import EXAMPLES, ROOT
from taking_part import required

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parents[1]
TEXT = (EXAMPLES / "guarantees.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
ENGINES = ("duckdb", "postgresql", "sqlite", "mariadb", "mysql", "clickhouse")
KEEPING = (
    "identity",
    "owners",
    "transactions",
    "replacing",
    "unreachable",
    "keeping",
    "upgrade",
    "security",
    "faults",
    "writing",
)
"""The files of tests that are about keeping, all of which the page refers to."""
REFERENCE = re.compile(r"(?P<file>test_\w+)::(?P<test>test_\w+)(\[(?P<words>[^\]]+)\])?")
BULLET = re.compile(r"^- .*\n(?:  .*\n)*", re.MULTILINE)
TABLE = re.compile(
    r"^\|(?P<head>.*)\|\n\|[-|]+\|\n(?P<body>(?:\|.*\n)+)\n<!-- tests\n(?P<tests>(?:.* \| .*\n)*)-->", re.MULTILINE
)


def promises(text: str) -> Iterator[tuple[str, str, str]]:
    """What is promised, the engine that it is promised for (or nothing), and the comment with its tests."""
    promised, _, _ = text.partition("\n## What is not promised")
    for match in BULLET.finditer(promised):
        said, _, comment = match[0].partition("<!--")
        yield " ".join(said.split()), "", comment
    for table in TABLE.finditer(promised):
        columns = cells(table["head"])
        rows = [cells(line.strip("|")) for line in table["body"].splitlines()]
        tests = [line.partition(": ") for line in table["tests"].splitlines()]
        known = {(row[0], column) for row in [["*"], *rows] for column in columns}
        assert {tuple(cells(at)) for at, _, _ in tests} <= known
        for engine, *row in rows:
            for column, cell in zip(columns[1:], row, strict=True):
                if cell != "–":  # there is no such thing
                    found = [names for at, _, names in tests if cells(at) in ([engine, column], ["*", column])]
                    yield f"{engine}, {column}: {cell}", engine.lower(), " ".join(found).replace("{}", engine.lower())


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


PROMISES = [*promises(TEXT), *(found for found in promises(SECURITY) if found[2].strip() != "advice -->")]


@pytest.fixture(scope="module")
def collected(request: pytest.FixtureRequest) -> dict[str, list[str]]:
    """The parameters of every test in the files that the page refers to, by file::test.

    A run of the whole suite has collected them already; otherwise another process does.
    """
    named = {f"{match['file']}.py" for match in REFERENCE.finditer(TEXT + SECURITY)}
    files = sorted(path.relative_to(ROOT).as_posix() for path in TESTS.glob("*/test_*.py") if path.name in named)
    option, items = request.config.option, request.session.items
    whole = required() and not (option.keyword or option.markexpr or option.deselect)
    if whole and all("::" not in argument for argument in request.config.args):
        here = {item.path.relative_to(ROOT).as_posix() for item in items}
        if here.issuperset(files):
            return parameters("\n".join(item.nodeid for item in items))
    command = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", *files]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"SQLRP_REQUIRE_ENGINES": "1", "SQLRP_ENGINES": ""},  # which leave no combination out
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return parameters(done.stdout)


def parameters(lines: str) -> dict[str, list[str]]:
    """The parameters of every test, of which each line names one."""
    found: dict[str, list[str]] = {}
    for name, given in re.findall(r"^tests/\w+/(test_\w+\.py::test_\w+)(?:\[(.*)\])?$", lines, re.MULTILINE):
        found.setdefault(name.replace(".py", ""), []).append(given)
    return found


@cache
def source(file: str, test: str) -> str:
    """The text of a test."""
    (path,) = TESTS.glob(f"*/{file}.py")
    text = path.read_text(encoding="utf-8")
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == test]
    return ast.get_source_segment(text, functions[0]) or "" if functions else ""


def missing(reference: re.Match[str], collected: dict[str, list[str]]) -> list[str]:
    """What a reference names and is not there."""
    name = f"{reference['file']}::{reference['test']}"
    if name not in collected:
        return [name]
    words = reference["words"] or ""
    head, _, last = words.rpartition("-") if words.endswith("each") else ("", "", words)
    asked = [f"{head}-{engine}".strip("-") for engine in ENGINES] if last == "each" else alternatives(words)
    return [f"{name}[{word}]" for word in asked if not any(f"-{word}-" in f"-{found}-" for found in collected[name])]


def alternatives(words: str) -> list[str]:
    """`save-a|b` is save-a and save-b; `a-x|b-x` is a-x and b-x."""
    first, *others = words.split("|")
    head = first.rpartition("-")[0]
    return [first, *(other if "-" in other or not head else f"{head}-{other}" for other in others)] if words else []


@pytest.mark.parametrize(("promise", "engine", "comment"), PROMISES, ids=[promise[:60] for promise, _, _ in PROMISES])
def test_a_promise_has_tests(collected: dict[str, list[str]], promise: str, engine: str, comment: str) -> None:
    references = list(REFERENCE.finditer(comment))
    assert references, f"no test is named for: {promise}"
    assert not [name for reference in references for name in missing(reference, collected)]
    left = REFERENCE.sub("", comment).replace("-->", "")
    assert not left.strip(" ,\n"), f"not understood: {left}"
    if engine:
        assert any(
            engine in f"{reference['words']} {reference['test']}" or f'"{engine}"' in source(*reference.group(1, 2))
            for reference in references
        ), f"no test runs on {engine}"


def test_what_is_not_promised_names_tests_that_there_are(collected: dict[str, list[str]]) -> None:
    _, _, rest = TEXT.partition("\n## What is not promised")
    assert not [name for reference in REFERENCE.finditer(rest) for name in missing(reference, collected)]


def test_a_promise_without_a_test_is_found(collected: dict[str, list[str]]) -> None:
    text = "- It holds.\n- So does this.\n  <!-- test_keeping::test_no_such -->\n"
    first, second = promises(text)
    assert first == ("- It holds.", "", "")
    [reference] = REFERENCE.finditer(second[2])
    assert missing(reference, collected) == ["test_keeping::test_no_such"]
    table = "| engine | lock |\n|---|---|\n| DuckDB | none |\n| ClickHouse | – |\n\n<!-- tests\n-->\n"
    assert list(promises(table)) == [("DuckDB, lock: none", "duckdb", "")]
    for words, lacking in (("each", 1), ("duckdb|nowhere", 1), ("postgresql", 0)):
        [reference] = REFERENCE.finditer(f"test_keeping::test_save_without_a_transaction_is_for_good[{words}]")
        assert len(missing(reference, collected)) == lacking


def test_every_line_of_the_page_is_read() -> None:
    """No bullet and no table stands where `promises` does not look."""
    bullets = len(re.findall(r"^\s*[-*] ", TEXT, re.MULTILINE)) - len(re.findall(r"^\* \|", TEXT, re.MULTILINE))
    assert bullets == len(BULLET.findall(TEXT))
    assert len(re.findall(r"^\s*[-*] ", SECURITY, re.MULTILINE)) == len(BULLET.findall(SECURITY))
    assert len(re.findall(r"^\|[-|]+\|$", TEXT, re.MULTILINE)) == len(TABLE.findall(TEXT))


@pytest.mark.parametrize("about", KEEPING)
def test_the_tests_of_keeping_hold_promises(about: str) -> None:
    named = {reference["file"] for _, _, comment in PROMISES for reference in REFERENCE.finditer(comment)}
    assert f"test_{about}" in named


@pytest.mark.parametrize("page", ["README.md", "SECURITY.md", "examples/README.md"])
def test_the_page_is_linked(page: str) -> None:
    assert "guarantees.md)" in (ROOT / page).read_text(encoding="utf-8")
