"""The prose avoids some turns of phrase that strangers stumble over: in pages, docstrings, comments and messages."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

AVOIDED = {
    r"anew": "again",
    r"beside": "next to, besides, compared with",
    r"whatever": "any, every, even if",
    r"of those": "name them",
    r"(?:that|do(?:es)? not) hold(?! (?:a|an|the|any|no|all|one|it|them|NULL)\b)": "usable, is not supported, is true",
    r"hangs? on": "depends on",
    r"lazy stays lazy": "lazy inputs stay lazy",
    r"the least time": "the fastest estimate",
    r"the like": "the same, others",
    r"(?:statement|page|term|seed|tile|feature|component) a (?:call|question|row|tile|feature|component|method|line)": (
        "one … per …"
    ),
}
"""Phrases to avoid, as regular expressions, each with words to use instead."""

TIC = re.compile(rf"\b(?:{'|'.join(AVOIDED)})\b", re.IGNORECASE)

OTHERS = re.compile(r"(?:build|results)$|\.(?:venv|git|pytest)")
"""Folders that are not read: what is made, and environments, which have ten thousand folders."""


def _pages(folder: Path) -> Iterator[Path]:
    """The pages of a folder and of those in it."""
    for path in folder.iterdir():
        if path.suffix == ".md":
            yield path
        elif path.is_dir() and not OTHERS.match(path.name):
            yield from _pages(path)


PAGES = sorted(_pages(ROOT))
MODULES = sorted(path for folder in ("examples", "sqlrp") for path in ROOT.glob(f"{folder}/**/*.py"))


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """The line number and text of all prose in a file.

    In a page it is everything but the blocks that show printed output. In Python code it is comments and strings.
    """
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        shown = re.sub(r"^```text\n.*?^```$", lambda block: "\n" * block[0].count("\n"), text, flags=re.M | re.S)
        yield from enumerate(shown.splitlines(), 1)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)):
            yield from enumerate(token.string.splitlines(), token.start[0])


def tics(path: Path) -> list[str]:
    """Where a file has a phrase to avoid: line, phrase and sentence."""
    return [
        f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name}:{line}: {found[0]!r} in: {words.strip()}"
        for line, words in sentences(path)
        if (found := TIC.search(words))
    ]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_is_plain(path: Path) -> None:
    assert tics(path) == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_is_plain(path: Path) -> None:
    assert tics(path) == []


def test_the_pages_are_found() -> None:
    found = {path.relative_to(ROOT).as_posix() for path in PAGES}
    assert {"README.md", "CONTRIBUTING.md", "docs/architecture.md", "examples/README.md"} <= found


@pytest.mark.parametrize(
    "sentence",
    [
        "All rows are made anew.",
        "Whatever fails, the table stays.",
        "the least time of those that hold",
        "It hangs on the data.",
        "text features do not hold: number them",
        "What is lazy stays lazy.",
        "one page a question",
    ],
)
@pytest.mark.parametrize("name", ["page.md", "module.py"])
def test_a_phrase_to_avoid_is_found(name: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(f'"""{sentence}"""\n' if name.endswith(".py") else f"# Title\n\n{sentence}\n")
    assert len(tics(tmp_path / name)) == 1


def test_what_is_not_prose_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text("from somewhere import beside\n\nbeside(1)\n")
    (tmp_path / "page.md").write_text("```text\nbeside\n```\nPlain words that hold a table.\n")
    assert tics(tmp_path / "module.py") == []
    assert tics(tmp_path / "page.md") == []
