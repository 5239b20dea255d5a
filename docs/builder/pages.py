"""A hook of MkDocs: pages of the repository that the site shows as they are, at the paths that their links use.

`docs/site` contains only what is written for the site. The guide, the papers and the rest stay where they are read on
a code host, too. README.md becomes the page `overview.md`, as the site has a first page of its own.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from drawings import DRAWINGS  # MkDocs finds what stands next to a hook
from gallery import PICTURES
from methods import FOLDER, caption, pages, picture, sentence
from mkdocs.structure.files import File, Files
from notebooks import PAGES as NOTEBOOKS

ROOT = Path(__file__).parents[2]
AS_THEY_ARE = (
    "*.md",
    "docs/*.md",
    "docs/*.svg",
    "examples/**/*.md",
    "release/**/*.md",
    "sql/**/*.md",
    "tests/README.md",
    "tests/bench/**/*.md",
    "tests/bench/results/*.svg",
)
README = "overview.md"
BOOSTS = (
    ("tests/", 0.2),
    ("CHANGELOG", 0.2),
    ("release/", 0.2),
    ("examples/papers/", 0.5),
    ("examples/", 3),
    ("playground", 3),
    ("reference/", 0.5),
)
"""How much a page counts in the search, by the start of its path: the guide comes before the benchmarks."""
BUILT = "build/docs/static"
"""What the other steps of `make site` leave here: the playground's program and data, the pictures, the notebooks."""


def on_config(config: Any) -> Any:
    """Add to the menus the pages of the guide that mkdocs.yml does not name, and those of the methods."""
    (guide,) = (entry["Guide"] for entry in config.nav if "Guide" in entry)
    named = set(_named(guide))
    (reference,) = (entry["Reference"] for entry in config.nav if "Reference" in entry)
    (methods,) = (entry for entry in reference if isinstance(entry, dict) and "Projections" in entry)
    methods["Projections"] = [methods["Projections"], *(name for name, _ in pages())]
    guide += [name for path in sorted(ROOT.glob("examples/*.md")) if (name := f"examples/{path.name}") not in named]
    return config


def _named(menu: Any) -> Iterator[str]:
    """The pages of a menu and of the menus in it."""
    if isinstance(menu, str):
        yield menu
    else:
        for entry in menu.values() if isinstance(menu, dict) else menu:
            yield from _named(entry)


def on_files(files: Files, config: Any) -> Files:
    """Add the files of the repository."""
    found = {path.relative_to(ROOT).as_posix(): path for part in AS_THEY_ARE for path in sorted(ROOT.glob(part))}
    found[README] = found.pop("README.md")
    for name, text in pages():
        files.append(File.generated(config, name, content=text))
    built = ROOT / BUILT
    found |= {path.relative_to(built).as_posix(): path for path in sorted(built.rglob("*")) if path.is_file()}
    for name, path in found.items():
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


_DRAWING = re.compile(r"<!-- drawing: (\w+) -->")
_GALLERY = "<!-- gallery -->"
_TRANSFORMERS = "<!-- transformers -->"
_METHODS = "<!-- other methods -->\n"
_ENTRIES = re.compile(r"(?:^::: sqlrp\.\w+\n    options: \{heading_level: 3\}\n\n?)+", re.MULTILINE)
"""Entries of the reference that follow each other."""


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links to the README lead to its page; what is made of the package stands where the page names it."""
    name, where = Path(page.file.src_uri).stem, page.file.src_uri
    boost = next((boost for start, boost in BOOSTS if where.startswith(start)), 1)
    page.meta["search"] = {"boost": boost} | page.meta.get("search", {})
    if name in NOTEBOOKS and page.file.src_uri.startswith("examples/"):
        title, rest = markdown.split("\n", 1)
        markdown = f"{title}\n\n[Download this page as a notebook](../notebooks/{name}.ipynb)\n{rest}"
    if _DRAWING.search(markdown):
        markdown = _DRAWING.sub(lambda found: DRAWINGS[found[1]](), markdown)
    if _GALLERY in markdown:
        markdown = markdown.replace(_GALLERY, _gallery())
    if _TRANSFORMERS in markdown:
        markdown = markdown.replace(_TRANSFORMERS, "\n\n".join(_transformers()))
    markdown = re.sub(r"\]\((\.\./)?docs/site/", r"](\1", markdown)
    if _METHODS in markdown:
        markdown = _ENTRIES.sub(_table, markdown.replace(_METHODS, _others(markdown)))
    return markdown.replace("](../README.md)", f"](../{README})")


def _table(found: re.Match[str]) -> str:
    """The methods of a section, each with its first sentence and the way to its page."""
    names = re.findall(r"^::: sqlrp\.(\w+)$", found[0], re.MULTILINE)
    if not set(names) <= set(PICTURES):
        return found[0]
    folder = Path(FOLDER).name
    rows = [f"| [{name}]({folder}/{name}.md) | {sentence(name).replace('|', '&#124;')} |" for name in names]
    return "\n".join(["| method | its components |", "|---|---|", *rows, "", ""])


def _others(markdown: str) -> str:
    """A section of the methods in the registry that the page does not name; empty for none."""
    named = set(re.findall(r"^::: sqlrp\.(\w+)$", markdown, re.MULTILINE))
    entries = [f"::: sqlrp.{name}\n    options: {{heading_level: 3}}\n" for name in PICTURES if name not in named]
    return "\n".join(["## Others\n", *entries, ""]) if entries else ""


def _gallery() -> str:
    """The pictures in the order of the registry, each with its caption and a link to the reference."""

    def figure(name: str) -> str:
        link = f'<a href="{FOLDER}/{name}.html">{name}</a>'
        return f"<figure>{picture(name, '')}<figcaption>{link}. {caption(name)}</figcaption></figure>"

    return f'<div class="gallery">{"".join(map(figure, PICTURES))}</div>'


def _transformers() -> Iterator[str]:
    """A section for each transformer: its signature, its parameters and its example."""
    from sqlrp.sklearn import TRANSFORMERS

    for cls in TRANSFORMERS:
        about, _, rest = (inspect.getdoc(cls) or "").partition("Parameters\n----------\n")
        parameters, _, example = rest.partition("Examples\n--------\n")
        parts = re.findall(r"^(\w+)\n((?:    .*\n?)+)", parameters, re.MULTILINE)
        table = [f"| `{name}` | {escape(' '.join(text.split())).replace('|', '&#124;')} |" for name, text in parts]
        yield f"## {cls.__name__}\n\n```python\n{_signature(cls)}\n```\n\n{about}"
        yield "\n".join(["| parameter | |", "|---|---|", *table])
        if example:
            yield f"```pycon\n{textwrap.dedent(example).strip()}\n```"


def _signature(cls: type) -> str:
    """The call with its defaults, one parameter per line; the types stand in the projection's own entry."""
    lines = [
        f"    {p.name}={p.default!r}," if p.default is not p.empty else f"    {p.name},"
        for p in inspect.signature(cls).parameters.values()
    ]
    return "\n".join([f"{cls.__name__}(", *lines, ")"])
