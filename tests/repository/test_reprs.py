"""Objects that hold hundreds of names or large arrays have a short repr; notebooks get escaped HTML."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import sqlrp
from sqlrp._engines.registry import CONNECTORS
from sqlrp._projections import REGISTRY
from sqlrp._run.bind import look

BOUND, NAMES = 2_000, [f"pixel_number_{j}" for j in range(200)]


@pytest.fixture
def wide(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    columns = ", ".join(f"sin(i * {j + 1}) AS {name}" for j, name in enumerate(NAMES))
    con.execute(f"CREATE TABLE images AS SELECT i AS id, {columns} FROM range(12) r(i)")
    return con


def reached(value: Any) -> Iterator[Any]:
    """A dataclass and every one in its fields, in sequences and mappings too; each object once."""
    seen, waiting = set[int](), [value]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        inner: Any = one.values() if isinstance(one, Mapping) else one
        if dataclasses.is_dataclass(one):
            yield one
            inner = [getattr(one, field.name) for field in dataclasses.fields(one)]
        waiting += [part for part in inner if isinstance(part, (tuple, list, Mapping)) or _is_made(part)]


def _is_made(value: Any) -> bool:
    """Whether it is an object of a dataclass."""
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def large(con: duckdb.DuckDBPyConnection, folder: Path) -> Iterator[Any]:
    """What the public calls return and take, over 200 columns."""
    signs = sqlrp.SparseProjection(k=64, s=1)
    wide = sqlrp.Wide("images", features=NAMES)
    yield from (wide, sqlrp.Wide("images", key=None, keep=NAMES), sqlrp.Array("images", "x", keep=NAMES))
    yield from (sqlrp.Standardized(wide), sqlrp.Join(wide, dict.fromkeys(NAMES, sqlrp.Wide("d", features=NAMES))))
    yield from (sqlrp.explain(signs, source, con) for source in ("images", wide))
    yield sqlrp.explain(signs, "images", con, lowering="relational")
    yield sqlrp.explain(signs, sqlrp.Join("images", {NAMES[0]: "images"}), con)
    yield sqlrp.explain(signs, "images", con).script
    yield look(CONNECTORS["duckdb"], con, sqlrp.Wide("images", keep=NAMES[:5]))
    yield sqlrp.diagnose(signs, "images", con, sample=12)
    yield sqlrp.report(signs, "images", con, folder / "page.html", sample=12)
    yield signs.bound(NAMES)
    yield sqlrp.fit(signs, sqlrp.Standardized("images"), con)
    yield sqlrp.fit(sqlrp.PrincipalComponents(k=4), "images", con)
    yield sqlrp.fit(sqlrp.PrincipalComponents(k=4), sqlrp.Standardized("images"), con)
    yield sqlrp.NystroemProjection(k=4).fit(np.random.default_rng(0).normal(size=(50, len(NAMES))))
    yield sqlrp.GivenProjection.of(np.random.default_rng(0).normal(size=(len(NAMES), 64)))
    yield sqlrp.GivenRadialFeatures.of(np.ones((len(NAMES), 9)), np.ones((len(NAMES), 30)), 1.0)
    for cls in REGISTRY:
        yield cls().bound(NAMES)
    sqlrp.save(signs, con, "kept", source="images")
    yield sqlrp.saved(con)


@pytest.mark.slow
def test_no_repr_grows_with_the_columns(wide: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    kinds = set()
    kept = list(large(wide, tmp_path))  # kept alive, so that no id comes twice
    for value in reached(kept):
        kinds.add(type(value).__name__)
        assert len(repr(value)) <= BOUND, f"{type(value).__name__}: {len(repr(value)):,} characters"
        assert repr(value)
    assert kinds >= {
        "Explanation",
        "Plan",
        "Job",
        "Frame",
        "Script",
        "Report",
        "SampleMeasures",
        "WrittenReport",
        "Wide",
        "Join",
    }
    assert kinds >= {cls.__name__ for cls in REGISTRY}


def test_a_projection_of_one_s_own_has_a_short_repr() -> None:
    @dataclasses.dataclass(frozen=True)
    class Own(sqlrp.SparseProjection):
        table: tuple[int, ...] = ()

    made = Own(k=3, table=tuple(range(10_000)))
    assert repr(made).startswith("Own(k=3, s='sqrt', seed=0, table=(0, 1, ")
    assert len(repr(made)) < 200


def test_a_repr_tells_bound_and_fitted_from_not() -> None:
    plain = sqlrp.PrincipalComponents(k=2)
    fitted = plain.fit(np.random.default_rng(0).normal(size=(9, 3)))
    assert "state" not in repr(plain)
    assert "state=" in repr(fitted)
    assert "bound_to=3" in repr(fitted)
    assert repr(sqlrp.SparseProjection(k=2, s=3)) == "SparseProjection(k=2, s=3, seed=0)"


class Tags(HTMLParser):
    """The tags that HTML opens and closes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.opened.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_escaped_closed_and_short(con: duckdb.DuckDBPyConnection) -> None:
    hostile = "a<script>alert(1)</script>&amp;"
    quoted = '"' + hostile + '"'
    con.execute(f"CREATE TABLE {quoted} AS SELECT i AS id, sin(i) AS {quoted}, cos(i) AS b FROM range(9) r(i)")
    projection = sqlrp.SparseProjection(k=64, s=1).bound([hostile, "b"])
    for value in (
        projection,
        sqlrp.explain(projection, quoted, con),
        sqlrp.diagnose(projection, quoted, con, sample=9),
    ):
        html = value._repr_html_()
        found = Tags(html)
        assert not found.opened
        assert "script" not in found.tags
        assert hostile in found.text
        assert len(html) < 10_000
    assert "distortion, mean" in Tags(html).text


def test_html_of_many_columns_is_short(wide: duckdb.DuckDBPyConnection) -> None:
    found = sqlrp.explain(sqlrp.SparseProjection(k=64, s=1), "images", wide)
    assert len(found.text) > 50_000
    assert len(found._repr_html_()) < 5_000
    assert f"{len(NAMES)} features" in found._repr_html_()
    bound = sqlrp.SparseProjection(k=64, s=1).bound(NAMES)
    assert len(bound._repr_html_()) < 500
    assert "<caption>SparseProjection</caption><tr><th>k</th><td>64</td></tr>" in bound._repr_html_()
