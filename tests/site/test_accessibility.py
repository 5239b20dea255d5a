"""Every page of the site in a browser, by axe-core too, light on a screen and dark on a phone."""

from __future__ import annotations

import json
from pathlib import Path

from browser import Browser, served
from pages import ROOT
from sites import built

AXE = ROOT / "build/docs/npm/node_modules/axe-core/axe.min.js"
ASKED = """axe.run(document, { resultTypes: ['violations'] }).then(found => JSON.stringify(found.violations
  .filter(one => ['serious', 'critical'].includes(one.impact))
  .flatMap(one => one.nodes.slice(0, 3).map(node => `${one.id}: ${node.target} ${node.any[0]?.message ?? ''}`))))"""
LOOKED_AT = """axe.configure({ rules: axe._audit.rules.filter(rule => ['minor', 'moderate'].includes(rule.impact))
  .map(rule => ({ id: rule.id, enabled: false })) }); axe.getRules().length"""
"""Rules whose violations are not asked for are not tried. The number of all rules."""
BRIEF = "--js-flags=--always-sparkplug --no-maglev --no-opt"
"""A page stands for a second, so to compile a script well takes longer than it saves."""
STILL = "*, ::before, ::after { animation: none !important; transition: none !important; }"


def test_every_page_can_be_read() -> None:
    """No serious violation, no error, nothing outside, and no line that is wider than the window.

    Each page is opened once, light on a screen, and then made dark and as narrow as a phone. All pages have the same
    dark colours: axe looks at every fourth dark page, and at the playground. The playground is looked at with its SQL
    open, after its first statement; test_playground.py looks at its lines.
    """
    site = built()
    pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    assert len(pages) > 30
    axe = AXE.read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    with served(site) as url, Browser.started(BRIEF) as browser:
        page = browser.page()
        for number, name in enumerate(pages):
            page.dark(False)
            page.resize(1280)
            page.open(f"{url}/{name}")
            page.value(
                f"document.head.append(Object.assign(document.createElement('style'), {{textContent: {STILL!r}}}))"
            )
            if name == "playground.html":
                page.wait("['done', 'failed'].includes(document.querySelector('#try').dataset.state)")
                page.value("document.querySelector('#try .sql').open = true")
            page.value(axe)
            assert page.value(LOOKED_AT) > 90
            for dark, width in ((False, 1280), (True, 390)):
                page.dark(dark)
                page.resize(width)
                page.wait(f"document.body.dataset.mdColorScheme === '{'slate' if dark else 'default'}'")
                looks = not dark or number % 4 == 0 or name == "playground.html"
                wrong = json.loads(page.value(ASKED)) if looks else []
                if name != "playground.html" and page.value(f"document.documentElement.scrollWidth > {width}"):
                    wrong.append("a line is wider than the window")
                if wrong:
                    found[f"{name}, {width} wide"] = wrong
        assert (page.outside, page.failed, page.errors) == ([], [], [])
    assert found == {}, json.dumps(found, indent=1)


def test_a_violation_is_found(tmp_path: Path) -> None:
    """A page that has one, so that the test above is known to look."""
    built()
    (tmp_path / "index.html").write_text(
        "<html lang=en><title>t</title><main><h1>h</h1><button></button></main></html>"
    )
    with served(tmp_path) as url, Browser.started() as browser:
        page = browser.page()
        page.open(f"{url}/index.html")
        page.value(AXE.read_text(encoding="utf-8"))
        page.value(LOOKED_AT)
        assert "button-name" in page.value(ASKED)
