"""The drawings of "How it works", as SVG text. The site's style sheet colours them, so they follow light and dark.

The signs, the sums and the estimates in them are computed, so they stay true to the code.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from pathlib import Path

import numpy as np

import sqlrp
from sqlrp._core.draw import Purpose, hashes, thresholds

WIDTH = 760
PHONE = 360
SEED = 7


def _text(x: float, y: float, words: str, css: str = "", anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{css}" text-anchor="{anchor}">{escape(words)}</text>'


def _box(x: float, y: float, width: float, height: float, lines: list[str], css: str = "box") -> str:
    first = y + height / 2 - 9 * (len(lines) - 1) + 5
    words = "".join(_text(x + width / 2, first + 18 * i, line, "" if i else "strong") for i, line in enumerate(lines))
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6" class="{css}"/>{words}'


def _arrow(x: float, y: float, length: float = 22) -> str:
    return f'<path d="M{x:g} {y:g}h{length:g}" class="arrow"/><path d="M{x + length:g} {y:g}l-7 -4v8z" class="head"/>'


def _figure(height: float, about: str, parts: list[str], width: int = WIDTH) -> str:
    svg = f'<svg viewBox="0 0 {width} {height:g}" role="img" aria-label="{escape(about)}">{"".join(parts)}</svg>'
    return f'<figure class="drawing" markdown="0">{svg}</figure>'


def draw() -> str:
    """From (seed, component, feature) to a sign."""
    s = 3.0
    h = int(hashes(SEED, Purpose.SIGNS, np.arange(1), np.array([2]))[0, 0])
    plus, drawn = thresholds(s)
    parts = [
        _box(0, 10, 150, 62, ["seed", f"{SEED}"]),
        _arrow(154, 41),
        _box(180, 10, 150, 62, ["64 numbers A", "of the seed"]),
        _arrow(334, 41),
        _box(360, 10, 170, 62, ["8 numbers b", "of component c = 0"]),
        _arrow(534, 41),
        _box(560, 10, 200, 62, ["entry h of feature 2", f"{h:,}"]),
    ]
    left, wide, top = 20, 720, 122
    ends = [0, plus, drawn, 2**31 - 1]
    for start, end, sign, css in zip(ends, ends[1:], ["+1", "−1", "0"], ["plus", "minus", "none"], strict=False):
        x, across = left + wide * start / ends[-1], wide * (end - start) / ends[-1]
        parts.append(f'<rect x="{x:g}" y="{top}" width="{across:g}" height="30" class="{css}"/>')
        label = "strong" if css == "none" else "strong sign"  # dark where the bar is light
        parts.append(_text(x + across * (0.75 if css == "none" else 0.5), top + 20, sign, label))
    at = left + wide * h / ends[-1]
    parts.append(
        f'<path d="M660 76L{at:g} {top - 4}" class="arrow"/><circle cx="{at:g}" cy="{top}" r="5" class="head"/>'
    )
    for value, words in zip(ends, ["0", "P / 2s", "P / s", "P = 2³¹ − 1"], strict=True):
        anchor = "start" if value == 0 else "end" if value == ends[-1] else "middle"
        parts.append(_text(left + wide * value / ends[-1], top + 48, words, "soft", anchor))
    return _figure(176, "A seed gives coefficients, these give an entry, and the entry gives a sign", parts)


def signs() -> str:
    """The table of signs of a few components over a few features, for three s."""
    parts, size = [], 13
    for panel, s in enumerate((1.0, 3.0, 8.0)):
        table = np.zeros((8, 16), dtype=int)
        found = sqlrp.signs(n_features=16, n_vectors=8, s=s, seed=SEED).to_pydict()
        table[found["component"], found["feature"]] = found["sign"]
        left = 20 + 255 * panel
        for c, f in np.ndindex(table.shape):
            css = {1: "plus", -1: "minus", 0: "none"}[int(table[c, f])]
            place = f'x="{left + size * f}" y="{24 + size * c}" width="{size - 1}" height="{size - 1}"'
            parts.append(f'<rect {place} class="{css}"/>')
        share = f"s = {s:g}: {np.count_nonzero(table)} of {table.size} signs are not 0"
        parts.append(_text(left + 8 * size, 14, share, "soft"))
    return _figure(134, "Tables of signs for s = 1, 3 and 8: the larger s is, the more are zero", parts)


def shrink() -> str:
    """The bytes of an embedding and of its code, and what a search by codes finds: the figures of README."""
    printed = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    found = re.search(
        r"^1,536 bytes become 48: bits.*\n.* alone find ([\d.]+%), .* finds ([\d.]+%)", printed, re.MULTILINE
    )
    assert found is not None
    parts = [
        _text(0, 20, "an embedding: 384 numbers, 1,536 bytes", "strong", "start"),
        f'<rect x="0" y="30" width="{PHONE}" height="30" class="none"/>',
        _text(0, 96, "its code: 384 signs of sums, 48 bytes", "strong", "start"),
        f'<rect x="0" y="106" width="{PHONE / 32:g}" height="30" class="plus"/>',
        _text(0, 178, f"Of the true ten nearest, codes alone find {found[1]}.", "", "start"),
        _text(0, 204, f"Ranking 100 rows again finds {found[2]}.", "strong", "start"),
    ]
    return _figure(216, "1,536 bytes become 48, a bar of one 32nd of the length", parts, PHONE)


def stages() -> str:
    """Pipelines of a few methods."""
    rows = [
        ("sparse signs", [("SignedSums", "k sums")]),
        (
            "polynomial kernel",
            [("AppendConstant", "√c"), ("SignedSums", "p shared sums"), ("SumOfProducts", "t per component")],
        ),
        ("tensor sketch", [("BlockSums", "count sketches"), ("Convolved", "their convolution")]),
        ("random Maclaurin", [("SignedSums", "sums by degree"), ("GivenProducts", "one per component")]),
    ]
    parts: list[str] = []
    for i, (name, steps) in enumerate(rows):
        y = 6 + 62 * i
        parts.append(_text(0, y + 30, name, "strong", "start"))
        x = 150.0
        for step, about in steps:
            parts += [_arrow(x, y + 25, 18), _box(x + 24, y, 140, 50, [step, about])]
            x += 168
        parts += [_arrow(x, y + 25, 18), _text(x + 30, y + 30, "z", "strong", "start")]
    return _figure(256, "Four methods as pipelines of shared stages", parts)


def lowerings() -> str:
    """One table of signs, three forms of SQL."""
    forms = [
        ("inline", "the signs are text", "(x0 + x1) - x2 AS z0", "x0 - (x1 + x2) AS z1"),
        ("indexed", "the signs are lists of positions", "list_sum(x[+1, +2])", "  - list_sum(x[-3])"),
        ("relational", "the signs are rows", "SUM(sign * x) … JOIN signs", "GROUP BY row, component"),
    ]
    parts = [_box(270, 6, 220, 52, ["signs of 2 components", "+ + −  and  + − −"])]
    for i, (name, about, *lines) in enumerate(forms):
        x = 255 * i
        parts.append(f'<path d="M380 58L{x + 122} 88" class="arrow"/>')
        parts.append(f'<rect x="{x}" y="90" width="245" height="112" rx="6" class="box"/>')
        parts += [_text(x + 122, 114, name, "strong"), _text(x + 122, 134, about, "soft")]
        parts += [_text(x + 14, 162 + 20 * j, line, "code", "start") for j, line in enumerate(lines)]
    return _figure(210, "The same signs as text, as lists of positions and as rows", parts)


def planner() -> str:
    """The estimates for a narrow and for a wide job, as bars."""
    jobs = [
        ("1 million rows × 64, k = 16", 64, 16, 1_000_000),
        ("1,000 rows × 1,000, k = 256", 1_000, 256, 1_000),
    ]
    parts: list[str] = []
    y = 4.0
    for title, d, k, n in jobs:
        seconds = estimates(d, k, n)
        least, most = min(seconds.values()), max(seconds.values())
        parts.append(_text(0, y + 14, title, "strong", "start"))
        y += 24
        for name, value in seconds.items():
            css = "plus" if value == least else "none"
            parts.append(_text(84, y + 13, name, "", "end"))
            parts.append(f'<rect x="94" y="{y:g}" width="{max(3, 520 * value / most):g}" height="17" class="{css}"/>')
            parts.append(_text(102 + max(3, 520 * value / most), y + 13, f"{value:.2g} s", "soft", "start"))
            y += 23
        y += 10
    return _figure(y, "The planner's estimates for two jobs: the fastest lowering depends on the job", parts)


def estimates(d: int, k: int, n: int) -> dict[str, float]:
    """The estimated seconds of the lowerings in plain SQL on DuckDB, for n rows of d columns."""
    import duckdb

    with duckdb.connect() as con:
        columns = ", ".join(f"0::TINYINT AS x{j}" for j in range(d))
        con.execute(f"CREATE TABLE t AS SELECT range AS id, {columns} FROM range({n})")
        plan = sqlrp.explain(sqlrp.SparseProjection(k=k, seed=SEED), "t", con).plan
    return {e.lowering: e.seconds for e in plan.estimates if e.lowering != "native" and not e.refusal}


DRAWINGS: dict[str, Callable[[], str]] = {f.__name__: f for f in (draw, signs, stages, lowerings, planner, shrink)}
