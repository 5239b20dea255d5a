"""Tests of two new methods; `test_new_method.py` runs them on a copy of the package with a file and a line for each."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from databases import opened
from helpers import LAYOUTS, OUTPUTS, assert_close, cells, load
from pages import ROOT
from sklearn.base import clone

import sqlrp
import sqlrp.sklearn
from sqlrp import Array, Long, Wide
from sqlrp._cli.app import cli
from sqlrp._core.draw import draw_normals, draw_signs
from sqlrp._projections import REGISTRY
from sqlrp._run.frames.matrix import project_array

Floats = npt.NDArray[np.float64]
D = 6
X: Floats = np.random.default_rng(2).integers(-4, 5, (12, D)).astype(float)
X[:, 0] = np.arange(1, 13)  # no row vanishes in the long layout
NAMES = [f"f{j}" for j in range(D)]


def sums(x: Floats, vectors: int, s: float, purpose: int = 0) -> Floats:
    """Signed sums with seed 7."""
    return np.asarray(x @ draw_signs(np.arange(x.shape[1]), vectors, s, 7, purpose))


def linear_and_quadratic(x: Floats) -> Floats:
    """The guide's formula."""
    pairs = sums(x, 6, 2)
    return np.column_stack([pairs[:, :2], pairs[:, [2, 4]] * pairs[:, [3, 5]] * np.sqrt(2)])


def signed_power(x: Floats) -> Floats:
    """Normal sums of the signed roots of sums, of which a threshold is taken and then squares."""
    roots = sums(x, 3, 2)
    roots = np.sign(roots) * np.sqrt(np.abs(roots))
    above = np.sign(roots) * np.maximum(np.abs(roots) - 1.5, 0)
    return np.asarray(above * np.abs(above) @ draw_normals(np.arange(3), 4, 7, 2_484_716)) / 2


@dataclass(frozen=True)
class New:
    """A new method, with its formula."""

    name: str
    own: dict[str, Any]
    """the parameters besides k, s and seed"""
    command: str
    refused: str
    """a call that is refused, and its message"""
    message: str
    formula: Callable[[Floats], Floats]

    @property
    def cls(self) -> Any:
        return getattr(sqlrp, self.name)

    @property
    def method(self) -> Any:
        return self.cls(k=4, s=2, seed=7, **self.own)

    def call(self, sign: str) -> str:
        """The arguments of its function."""
        return ", ".join(f"{name} {sign} {value}" for name, value in {"k": 4, "s": 2, "seed": 7, **self.own}.items())

    @property
    def want(self) -> Floats:
        return self.formula(X)

    @property
    def scale(self) -> Floats:
        return np.abs(self.want).max(axis=1) + 1


LINEAR_AND_QUADRATIC = New(
    "LinearAndQuadratic", {}, "lq", "k {} 3", r"k = 3 must be even, .* use 4", linear_and_quadratic
)
SIGNED_POWER = New("SignedPower", {"m": 3, "threshold": 1.5}, "sp", "m {} 0", r"m = 0 must be .* 1", signed_power)
NEW = [LINEAR_AND_QUADRATIC, SIGNED_POWER]
each = pytest.mark.parametrize("new", NEW, ids=lambda new: new.name)


@each
def test_names(new: New) -> None:
    assert [cls.__name__ for cls in REGISTRY[-2:]] == [each.name for each in NEW]
    assert new.name in sqlrp.__all__
    assert sqlrp.from_json(new.method.to_json()) == new.method
    assert getattr(sqlrp.sklearn, new.name) in sqlrp.sklearn.TRANSFORMERS


@each
def test_every_layout_and_output_in_duckdb(new: New) -> None:
    sources = {"wide": Wide("wide"), "array": Array("array", "x"), "long": Long("long", n_features=D)}
    with duckdb.connect() as con:
        for layout in LAYOUTS:
            load(con, layout, X.tolist(), table=layout)
            for output in OUTPUTS:
                for lowering in ("inline", "relational"):
                    if layout == "long" and lowering == "inline":
                        continue
                    got = sqlrp.project(new.method, sources[layout], con, output=output, lowering=lowering)
                    assert_close(cells(got, output, 4, sparse=layout == "long"), new.want, new.scale)
    frame = pd.DataFrame(X, columns=NAMES)
    assert np.allclose(sqlrp.project(new.method, frame, key=None).filter(like="z"), new.want)
    assert np.allclose(project_array(new.method, X), new.want)


@each
def test_sqlite(new: New) -> None:
    engine = sa.create_engine("sqlite://")
    with engine.begin() as con:
        pd.DataFrame(X, columns=NAMES).assign(id=range(len(X))).to_sql("t", con, index=False)
        for lowering in ("inline", "relational"):
            got = sqlrp.project(new.method, Wide("t", features=NAMES), con, lowering=lowering)
            assert_close(cells(got, "columns", 4), new.want, new.scale)


@each
def test_table_function_of_duckdb(new: New) -> None:
    with duckdb.connect() as con:
        load(con, "wide", X.tolist(), table="t")
        sqlrp.install(con)
        got = con.execute(f"FROM {new.command}_project('t', {new.call(':=')}) ORDER BY id").fetchall()
        assert_close({i: list(z) for i, *z in got}, new.want, new.scale)
        with pytest.raises(duckdb.Error, match=new.message):
            con.execute(f"FROM {new.command}_project('t', {new.refused.format(':=')})")


@each
def test_saved_and_loaded(new: New) -> None:
    with duckdb.connect() as con:
        load(con, "wide", X.tolist(), table="t")
        sqlrp.install(con)
        kept = sqlrp.save(new.method, con, "mine", source="t")
        assert sqlrp.load(con, "mine") == kept
        got = con.execute("FROM project_with('mine', 't') ORDER BY id").fetchall()
        assert_close({i: list(z) for i, *z in got}, new.want, new.scale)
        sqlrp.materialize(new.method, "t", con, into="small")
        got = con.execute("FROM small ORDER BY id").fetchall()
        assert_close({i: list(z) for i, *z in got}, new.want, new.scale)


@each
def test_functions_in_postgresql(new: New) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for database in opened("postgresql", Path(folder)):
            columns = [("id", "BIGINT"), *((name, "double precision") for name in NAMES)]
            database.make("t", columns, [[i, *row] for i, row in enumerate(X.tolist())])
            sqlrp.install(database.connection, trust_schema=True)
            sqlrp.save(new.method, database.connection, "mine", source="t")
            for call in ("project_with('mine', 't')", f"{new.command}_project('t', {new.call('=>')})"):
                found = database.connection.exec_driver_sql(f"SELECT key, z FROM {call}")
                assert_close({int(key): list(z) for key, z in found}, new.want, new.scale)
            refused = f"SELECT key, z FROM {new.command}_project('t', {new.refused.format('=>')})"
            with pytest.raises(sa.exc.DBAPIError, match=new.message):
                database.connection.exec_driver_sql(refused)


@each
def test_transformer(new: New) -> None:
    made = clone(getattr(sqlrp.sklearn, new.name)(4, s=2, random_state=7, **new.own))
    assert made.get_params() == {"n_components": 4, "random_state": 7, "eps": 0.1, "s": 2, **new.own}
    assert "components of the result" in (type(made).__doc__ or "")
    fitted = made.fit(pd.DataFrame(X, columns=NAMES))
    assert fitted.projection_ == new.method.bound(NAMES)
    assert np.allclose(fitted.transform(pd.DataFrame(X, columns=NAMES)), new.want)
    assert sqlrp.from_sklearn(fitted) == new.method.bound(NAMES)


@each
def test_command_line(new: New) -> None:
    run = lambda *words: CliRunner().invoke(cli, [*map(str, words)], catch_exceptions=False)  # noqa: E731
    told = run("methods", new.command).output
    assert told.startswith(f"{new.command}: {new.name}")
    assert "components of the result" in told
    with tempfile.TemporaryDirectory() as folder:
        options = {"-" * min(len(name), 2) + name: value for name, value in new.own.items()}
        own = [word for option in options.items() for word in option]
        rows, small = Path(folder, "rows.parquet"), Path(folder, "small.parquet")
        pd.DataFrame(X, columns=NAMES).assign(id=range(len(X))).to_parquet(rows)
        done = run("project", rows, "-o", small, "--method", new.command, "-k", 4, "-s", 2, "--seed", 7, *own)
        assert done.exit_code == 0, done.output
        assert np.allclose(pd.read_parquet(small).sort_values("id").filter(like="z"), new.want)


@each
def test_back_projection(new: New) -> None:
    with pytest.raises(sqlrp.UnsupportedError, match=f"{new.name} is not linear"):
        sqlrp.back_project(new.method, pd.DataFrame(new.want, columns=["z0", "z1", "z2", "z3"]), features=NAMES)


@each
def test_docs_pages(new: New, monkeypatch: pytest.MonkeyPatch) -> None:
    """The site has a page of the method, its reference and gallery name it, and its picture has a caption."""
    builder = ROOT / "docs" / "builder"
    monkeypatch.syspath_prepend(builder)
    spec = importlib.util.spec_from_file_location("site_pages", builder / "pages.py")
    assert spec is not None
    assert spec.loader is not None
    site = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(site)
    assert f"::: sqlrp.{new.name}\n" in dict(site.pages())[f"reference/methods/{new.name}.md"]
    way = f"methods/{new.name}."
    for page, entry in (("reference/projections.md", way), ("gallery.md", way)):
        markdown = (ROOT / "docs" / "site" / page).read_text(encoding="utf-8")
        file = SimpleNamespace(src_uri=page)
        assert entry in site.on_page_markdown(markdown, SimpleNamespace(file=file, meta={})), page
    _, axes = plt.subplots()
    site.PICTURES[new.name](axes)
    assert len(axes.get_lines()) == 2  # the pairs, and the line on which both are the same
