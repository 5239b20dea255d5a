"""Every page of the guide under examples/, and the pages under docs/site that run code, print what they show.

test_papers.py runs the papers.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from databases import opened
from pages import EXAMPLES, ROOT, check

ELSEWHERE = {
    "command_line.md": "command_line/test_cli.py",
    "private.md": "learning/test_privacy.py",
    "other_engines.md": "engines/test_sessions.py",
    "spark.md": "engines/test_spark.py",
    "writing_an_engine.md": "engines/test_writing_an_engine.py",
}
"""Pages that are run by another file of tests, for what it has at hand."""

PAGES = sorted(path.name for path in EXAMPLES.glob("*.md"))


@pytest.mark.parametrize("name", [name for name in PAGES if name not in ELSEWHERE])
def test_a_page_prints_what_it_shows(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name not in ("postgresql.md", "postgresql_plain.md"):
        check(EXAMPLES / name, tmp_path)
        return
    for database in opened("postgresql", tmp_path):
        pool = database.pool()
        monkeypatch.setenv("DATABASE_URL", pool.url.render_as_string(hide_password=False))
        pool.dispose()
        check(EXAMPLES / name, tmp_path)


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_other_pages_are_run(name: str) -> None:
    assert name in PAGES
    assert f'EXAMPLES / "{name}"' in (ROOT / "tests" / ELSEWHERE[name]).read_text(encoding="utf-8")


def test_the_index_has_every_page() -> None:
    index = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [name for name in PAGES if name != "README.md" and f"({name})" not in index] == []


@pytest.mark.parametrize("name", ["index.md", "how_it_works.md"])
def test_a_page_of_the_site_prints_what_it_shows(name: str, tmp_path: Path) -> None:
    """A block whose language follows a space is not run: it is for a reader's own tables."""
    check(ROOT / "docs/site" / name, tmp_path)
