"""Every page of the guide under examples/ runs with the output that it shows; test_papers.py runs the papers."""

from __future__ import annotations

from pathlib import Path

import pytest
from databases import opened
from pages import EXAMPLES, check

ELSEWHERE = {
    "command_line.md": "test_cli.py",
    "spark.md": "test_spark.py",
    "writing_an_engine.md": "test_writing_an_engine.py",
}
"""Pages that are run by another file of tests, for what it has at hand."""

PAGES = sorted(path.name for path in EXAMPLES.glob("*.md"))


@pytest.mark.parametrize("name", [name for name in PAGES if name not in ELSEWHERE])
def test_a_page_prints_what_it_shows(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name != "postgresql.md":
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
    assert f'EXAMPLES / "{name}"' in Path(__file__).with_name(ELSEWHERE[name]).read_text(encoding="utf-8")


def test_the_index_has_every_page() -> None:
    index = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [name for name in PAGES if name != "README.md" and f"({name})" not in index] == []
