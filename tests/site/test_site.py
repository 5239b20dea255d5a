"""The site of `make site`: its pages are whole, its links lead somewhere, and nothing leaves it.

test_accessibility.py opens every page in a browser, which blocks what would leave the machine, and test_playground.py
tests the playground.
"""

from __future__ import annotations

import json
import re
import time
import urllib.parse
from collections import Counter
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, served
from pages import ROOT
from PIL import Image
from sites import built

from sqlrp._projections import REGISTRY

OUTSIDE = re.compile(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", re.IGNORECASE)
NAMES_ONLY = ("http://www.w3.org/", "https://www.w3.org/")
"""Names of vocabularies, which no browser fetches."""


@pytest.fixture(scope="module")
def site() -> Path:
    return built()


class Page(HTMLParser):
    """What a page loads, where it links to, and which places it has."""

    VOID = frozenset(
        ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
    )

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.faults: list[str] = []
        self.headings: list[int] = []
        self.scripts: list[str] = []
        self.open: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag not in self.VOID:
            self.open.append(tag)
        self._read(tag, found)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._read(tag, {name: value or "" for name, value in attrs})

    def handle_endtag(self, tag: str) -> None:
        if tag in self.VOID:
            return
        while self.open and self.open[-1] in ("p", "li", "td", "th", "tr") and self.open[-1] != tag:
            self.open.pop()  # HTML closes these by itself
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()} closes nothing")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            self.scripts.append(data)

    def _read(self, tag: str, found: dict[str, str]) -> None:
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag in ("img", "script", "iframe", "source", "embed") and "src" in found:
            self.loads.append(found["src"])
        elif tag == "link" and found.get("rel") not in ("canonical", "prev", "next"):
            self.loads.append(found["href"])
        if tag == "img" and not found.get("alt"):
            self.faults.append(f"{found.get('src')} has no alt text")
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))


@pytest.fixture(scope="module")
def parsed(site: Path) -> dict[str, Page]:
    return {path.relative_to(site).as_posix(): Page(path) for path in sorted(site.rglob("*.html"))}


def test_every_page_is_whole(parsed: dict[str, Page]) -> None:
    """Tags are closed, ids are unique, pictures have a text, and there is one title per page."""
    assert len(parsed) > 30
    faults = {name: page.faults for name, page in parsed.items() if page.faults}
    assert faults == {}
    twice = {name: [i for i, n in Counter(page.ids).items() if n > 1] for name, page in parsed.items()}
    assert {name: ids for name, ids in twice.items() if ids} == {}
    assert {name for name, page in parsed.items() if page.headings.count(1) != 1} <= {"404.html"}


def test_every_link_leads_somewhere(site: Path, parsed: dict[str, Page]) -> None:
    """To a file of the site, and to a place in it; links elsewhere are addresses of https."""
    broken = []
    for name, page in parsed.items():
        for link in page.links + page.loads:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                if url.scheme not in ("https", "mailto", "data"):
                    broken.append(f"{name}: {link}")
                continue
            path = (site / name).parent / urllib.parse.unquote(url.path) if url.path else site / name
            if url.path.startswith("/"):  # only the page of an unknown address has these
                path = site / url.path.lstrip("/")
            path = path / "index.html" if path.is_dir() else path
            target = path.resolve().relative_to(site.resolve()).as_posix()
            place = urllib.parse.unquote(url.fragment)
            known = parsed[target].ids if target in parsed else []
            if not path.is_file() or (place and target in parsed and place not in known and place != "__top"):
                broken.append(f"{name}: {link}")
    assert broken == []


def test_nothing_is_loaded_from_elsewhere(site: Path, parsed: dict[str, Page]) -> None:
    """No page, style sheet or script of ours names another server to load from."""
    assert [(name, load) for name, page in parsed.items() for load in page.loads if OUTSIDE.match(load)] == []
    for path in site.rglob("*.css"):
        loads = re.findall(r"url\(\s*[\"']?([^\"')]+)|@import\s+[\"']([^\"']+)", path.read_text(encoding="utf-8"))
        assert [load for pair in loads for load in pair if OUTSIDE.match(load)] == [], path.name
    for page in parsed.values():
        assert [s for s in page.scripts if OUTSIDE.search(re.sub("|".join(NAMES_ONLY), "", s))] == []


def test_the_theme_loads_one_file_from_elsewhere_and_no_page_asks_for_it(site: Path) -> None:
    """Material fetches Mermaid if a page has such a diagram. None has: the drawings are part of the pages."""
    bundle = next(site.glob("assets/javascripts/bundle.*.js")).read_text(encoding="utf-8")
    named = {found for found in re.findall(r"https://[a-z.]+", bundle) if "w3.org" not in found}
    assert named <= {"https://unpkg.com", "https://api.github.com", "https://gitlab.com", "https://clipboardjs.com"}
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert 'class="mermaid"' not in text
        assert 'data-md-component="source"' not in text  # the number of stars, from a code host


def test_the_menu_has_every_page_of_the_guide(parsed: dict[str, Page]) -> None:
    """Without a word in mkdocs.yml for each."""
    links = {link.rsplit("/", 1)[-1] for link in parsed["examples/index.html"].links}
    assert {f"{path.stem}.html" for path in (ROOT / "examples").glob("*.md") if path.stem != "README"} <= links


def test_search_finds_a_function(site: Path) -> None:
    """The index is part of the site, and is read by a worker of the page."""
    with served(site) as url, Browser.started() as browser:
        page = browser.page()
        page.open(f"{url}/index.html")
        page.value("document.querySelector('.md-search__input').focus()")
        page.type("tensor sketch")
        for _ in range(100):  # a key is heard once the page's program listens
            page.press("Shift")
            if page.value("document.querySelector('.md-search-result__link') !== null"):
                break
            time.sleep(0.1)
        found = page.value("[...document.querySelectorAll('.md-search-result__link')].map(a => a.getAttribute('href'))")
        assert any("TensorSketch" in link or "projections" in link for link in found)
        assert (page.outside, page.errors) == ([], [])


QUESTIONS = {
    "shrink embeddings": ("embeddings",),
    "pgvector more than 2,000 dimensions": ("postgresql_plain", "embeddings_indexes"),
    "find duplicates among a million vectors": ("statistics",),
    "PCA in SQL": ("statistics",),
    "binary embeddings in DuckDB": ("embeddings",),
    "search without pgvector": ("postgresql_plain",),
    "least squares standard errors": ("statistics", "learning"),
    "drift": ("statistics", "learning"),
    "choose k": ("choosing",),
    "scikit-learn pipeline as SQL": ("scoring", "quickstart_pandas"),
    "save a projection": ("keeping",),
    "BigQuery": ("warehouses",),
}
"""What people type, and the pages of the guide that answer."""


def test_search_finds_the_page_that_answers(site: Path) -> None:
    """The first page that the search shows, for each of twelve questions."""
    titles = ".md-search-result__item > .md-search-result__link"
    first: dict[str, str] = {}
    with served(site) as url, Browser.started() as browser:
        for question in QUESTIONS:
            page = browser.page()
            page.open(f"{url}/index.html")
            page.value("document.querySelector('.md-search__input').focus()")
            page.type(question)
            for _ in range(100):
                page.press("Shift")
                if page.value(f"document.querySelector('{titles}') !== null"):
                    break
                time.sleep(0.1)
            first[question] = Path(
                urllib.parse.urlparse(str(page.value(f"document.querySelector('{titles}').href"))).path
            ).stem
    missed = {question: page for question, page in first.items() if page not in QUESTIONS[question]}
    assert missed == {}


def test_the_guide_comes_before_the_benchmarks(site: Path) -> None:
    """In the search: pages of the guide count more."""
    found = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))["docs"]
    boost = {entry["location"]: entry.get("boost", 1) for entry in found}
    assert boost["examples/tour.html"] > boost["reference/functions.html"] > boost["tests/bench/results/bench.html"]


def test_a_long_signature_has_a_line_for_each_parameter(site: Path) -> None:
    text = re.sub("<[^>]+>", "", (site / "reference/functions.html").read_text(encoding="utf-8"))
    assert re.search(r"^ +sample: int = 500,$", text, re.MULTILINE)


def test_the_first_page_says_how_to_start(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    assert 'href="playground.html"' in text
    assert "pip" in text


def test_the_gallery_has_a_picture_of_every_method(site: Path) -> None:
    """With a caption, and not an empty one: many of its pixels differ from the background."""
    text = (site / "gallery.html").read_text(encoding="utf-8")
    for end, theme, low, high in (("", "light", 250, 255), ("-dark", "dark", 0, 60)):
        found = re.findall(rf'src="gallery/(\w+){end}\.png#only-{theme}"', text)
        assert found == [cls.__name__ for cls in REGISTRY]
        for cls in REGISTRY:
            with Image.open(site / "gallery" / f"{cls.__name__}{end}.png") as picture:
                grey = np.asarray(picture.convert("L"))
            assert grey.shape == (480, 672)
            assert low <= grey[0, 0] <= high
            assert np.mean(grey != grey[0, 0]) > 0.005, cls.__name__


def test_every_method_has_a_page(site: Path) -> None:
    """With its entry, its picture, a row for each of its parameters, and its SQL function."""
    listed = (site / "reference" / "projections.html").read_text(encoding="utf-8")
    for cls in REGISTRY:
        assert f'href="methods/{cls.__name__}.html"' in listed
        text = (site / "reference" / "methods" / f"{cls.__name__}.html").read_text(encoding="utf-8")
        assert f'id="sqlrp.{cls.__name__}"' in text
        assert f'src="../../gallery/{cls.__name__}.png#only-light"' in text
        rows = re.findall(r"<tr>\s*<td><code>(\w+)</code></td>\s*<td><code>", text)
        assert sorted(rows) == sorted(field.name for field in fields(cls) if field.init and field.name != "state")
        if cls.own_function and not cls.needs_state and not cls.learns:
            assert cls.function in text


NEEDS_A_SERVER = {"command_line", "engines", "other_engines", "postgresql", "postgresql_plain", "spark", "warehouses"}
NOTEBOOKS = [
    page.stem
    for page in sorted((ROOT / "examples").glob("*.md"))
    if page.stem not in NEEDS_A_SERVER and "\n```python\n" in page.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_prints_what_its_page_shows(site: Path, name: str) -> None:
    """Its cells are the page's blocks, with what they print."""
    page = (ROOT / "examples" / f"{name}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    made = json.loads((site / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    code = [cell for cell in made["cells"] if cell["cell_type"] == "code"]
    assert len(code) == sum(language in ("python", "sql") for language, _ in blocks)
    for cell, (language, block) in zip(code, (b for b in blocks if b[0] in ("python", "sql")), strict=True):
        source = "".join(cell["source"])
        compile(source, name, "exec")
        assert source == block.strip() if language == "python" else source.startswith("con.")
    printed = "".join(
        "".join(out["text"]) for cell in code for out in cell["outputs"] if out["output_type"] == "stream"
    )

    def lines(text: str) -> list[str]:
        return [line.rstrip() for line in text.splitlines() if line.strip()]

    assert lines(printed) == lines("".join(text for language, text in blocks if language == "text"))
    assert f'href="../notebooks/{name}.ipynb"' in (site / "examples" / f"{name}.html").read_text(encoding="utf-8")
