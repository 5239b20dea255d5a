"""The public names, the cost of `import sqlrp`, and how the public functions agree."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import sqlrp
import sqlrp.dbt
import sqlrp.quality
from sqlrp._core.version import VERSION
from sqlrp._engines.registry import ENGINES
from sqlrp._projections import REGISTRY

HERE = Path(__file__).parents[2]
HEAVY = ["chdb", "duckdb", "matplotlib", "numpy", "pandas", "polars", "pyarrow", "pyspark", "sklearn", "sqlalchemy"]
FUNCTIONS = {n: f for n in sqlrp.__all__ if inspect.isfunction(f := getattr(sqlrp, n))} | {"write": sqlrp.dbt.write}
P = sqlrp.SparseProjection(k=2, s=1, seed=1)
PUBLIC = ("dbt", "engines", "kernels", "quality", "samples", "sklearn", "stages")
"""The public modules, besides `sqlrp` itself."""


def keywords(function: Any) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function).parameters)


# -- names and imports -------------------------------------------------------------------------------------


def test_import_takes_no_heavy_module() -> None:
    """Each is imported by the function that needs it, and none of sqlrp's own modules but a few small ones."""
    code = "import sys, sqlrp; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=HERE)
    modules = ran.stdout.split()
    assert not {m.split(".")[0] for m in modules} & set(HEAVY)
    own = {m for m in modules if m.startswith("sqlrp.") and not m.startswith("sqlrp._core.")}
    assert own == {"sqlrp._core", "sqlrp._startup"}


def test_dir_shows_what_users_use() -> None:
    """The public names, and no module."""
    assert set(dir(sqlrp)) == {*sqlrp.__all__, "__version__"}
    assert not [name for name in dir(sqlrp) if inspect.ismodule(getattr(sqlrp, name))]


def test_every_public_name_is_found_where_the_type_checker_finds_it() -> None:
    """The imports for type checkers and the table for PEP 562 agree; the methods come from their registry."""
    tree = ast.parse(Path(sqlrp.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    said = {a.name: n.module for n in block.body if isinstance(n, ast.ImportFrom) for a in n.names}
    assert said.pop("*") == "sqlrp._projections.methods"
    assert said == sqlrp._HOMES
    assert sorted(sqlrp.__all__) == sorted([*said, *(cls.__name__ for cls in REGISTRY)])
    for name in sqlrp.__all__:
        assert getattr(sqlrp, name).__name__ == name


def test_unknown_names_are_refused() -> None:
    """As of any module."""
    with pytest.raises(AttributeError, match=r"module 'sqlrp' has no attribute 'nothing'"):
        _ = sqlrp.nothing
    assert sqlrp.quality.auc is not None


def test_the_version_is_the_same_everywhere() -> None:
    """It stands in `sqlrp/_core/version.py`; the citation and the SQL, which no Python fills in, repeat it."""
    assert sqlrp.__version__ == VERSION
    assert 'dynamic = ["version"]' in (HERE / "pyproject.toml").read_text()
    assert re.findall(r"^version: (.+)$", (HERE / "CITATION.cff").read_text(), re.M) == [VERSION]
    assert re.findall(r"^## (\S+)", (HERE / "CHANGELOG.md").read_text(), re.M)[0].strip("[]") in (VERSION, "Unreleased")
    for path in (HERE / "sql").glob("*.sql"):
        assert set(re.findall(r"'(\d+\.\d+\.\d+)'", path.read_text())) <= {VERSION}


def test_the_reference_lists_every_public_name_once() -> None:
    """What is public is what docs/site/reference lists, and the other methods of the registry: add a name there."""
    pages = "\n".join(path.read_text() for path in (HERE / "docs/site/reference").glob("*.md"))
    listed = Counter(re.findall(r"^::: sqlrp\.(\w+)$", pages, re.MULTILINE))
    assert set(listed) | {cls.__name__ for cls in REGISTRY} == set(sqlrp.__all__)
    assert set(listed) <= set(sqlrp.__all__)
    assert set(listed.values()) == {1}


@pytest.mark.parametrize("module", PUBLIC)
def test_a_public_module_has_the_names_that_the_reference_lists(module: str) -> None:
    """Everything else in it is private by its name, or is not in `__all__`."""
    pages = "\n".join(path.read_text() for path in (HERE / "docs/site/reference").glob("*.md"))
    listed = set(re.findall(rf"^::: sqlrp\.{module}\.(\w+)$", pages, re.MULTILINE))
    names = set(importlib.import_module(f"sqlrp.{module}").__all__)
    if module == "sklearn":
        assert names == {"Transformer", *(cls.__name__ for cls in REGISTRY if cls.transforms)}
    elif module == "stages":  # those who write a method read them; they have one line each
        assert names == set(re.findall(r"^\| `(\w+)` \|", pages, re.MULTILINE))
    else:
        assert listed <= names
        assert names - listed <= set(sqlrp.__all__)  # listed there


def test_the_public_modules_are_these() -> None:
    """Every other module and package is private by its name."""
    folder = Path(sqlrp.__file__).parent
    found = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert {name for name in found if not name.startswith("_")} == set(PUBLIC)


# -- signatures ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FUNCTIONS)
def test_sources_come_before_connections(name: str) -> None:
    """What is projected, then where, then what it is called; options by name."""
    parameters = keywords(FUNCTIONS[name])
    order = [p.name for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    target = next((order.index(n) for n in ("connection", "engine") if n in order), None)
    for source in ("projection", "pooling", "model", "source", "values", "upstream"):
        assert source not in order or target is None or order.index(source) < target


@pytest.mark.parametrize("name", FUNCTIONS)
def test_keywords_have_one_name_and_one_default(name: str) -> None:
    """`replace`, `sample`, and the options of `sqlrp.project`, wherever they stand."""
    parameters = keywords(FUNCTIONS[name])
    assert not parameters.keys() & {"overwrite", "size", "n_rows", "limit", "con", "conn", "table", "rows"}
    want = keywords(sqlrp.project) | keywords(sqlrp.materialize) | keywords(sqlrp.diagnose)
    for own in ("output", "scale", "nulls", "lowering", "key", "keep", "replace", "sample"):
        if own in parameters:
            assert parameters[own].kind is inspect.Parameter.KEYWORD_ONLY
            assert parameters[own].default == want[own].default
            assert parameters[own].annotation == want[own].annotation
    assert "connection" not in parameters or parameters["connection"].annotation == "Any"


@pytest.fixture
def tables() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect()
    con.execute("CREATE TABLE t AS SELECT range AS id, range % 3 AS shop, random() AS a, random() AS b FROM range(9)")
    con.execute("CREATE TABLE shops AS SELECT range AS id, random() AS c FROM range(3)")
    return con


def test_texts_are_written_for_an_engine_its_name_or_a_connection(
    tables: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    """All three give the same text."""
    (tmp_path / "dbt_project.yml").write_text("name: shop\n")
    source = sqlrp.Wide("t", features=["a", "b"])
    model = LinearRegression().fit(np.array([[0.0, 1], [1, 3], [2, 1]]), [1, 2, 3])
    pooling = sqlrp.BilinearPooling(k=4, s=1, seed=1)
    found = sqlrp.drift(P, source, source, tables)

    def files(paths: list[Path]) -> list[str]:
        return [path.read_text() for path in paths]

    calls: dict[str, Any] = {
        "sql": lambda e, _: sqlrp.sql(P, source, e),
        "explain": lambda e, _: sqlrp.explain(P, source, e).text,
        "export": lambda e, i: files(sqlrp.export(P, source, e, tmp_path / f"out{i}")),
        "vector_sql": lambda e, _: sqlrp.vector_sql(P, [1.0, 2.0], e),
        "hash_sql": lambda e, _: sqlrp.hash_sql(P, source, e, bits=2),
        "pairs_sql": lambda e, _: sqlrp.pairs_sql(P, source, e, bits=2, within=0.1),
        "score_sql": lambda e, _: sqlrp.score_sql(P, model, source, e),
        "drift_sql": lambda e, _: sqlrp.drift_sql(found, source, e, by="shop"),
        "gradient_sql": lambda e, _: sqlrp.gradient_sql(pooling, source, "up", e),
        "function_sql": lambda e, _: sqlrp.function_sql(P, e, "docs_rp", n_features=2),
        "write": lambda e, _: files(sqlrp.dbt.write(P, source, e, tmp_path, "rp", replace=True)),
    }
    assert calls.keys() == {name for name, function in FUNCTIONS.items() if "engine" in keywords(function)}
    for name, call in calls.items():
        texts = [call(target, i) for i, target in enumerate(("duckdb", ENGINES["duckdb"], tables))]
        assert texts[0]
        assert all(text == texts[0] for text in texts), name


def refused(call: Callable[[], object]) -> bool:
    try:
        call()
    except sqlrp.SqlrpError:
        return True
    return False


IN_MEMORY = ("search",)
"""Its source is the rows of a frame."""


@pytest.mark.parametrize(
    "name", [name for name, of in FUNCTIONS.items() if "source" in keywords(of) and name not in IN_MEMORY]
)
def test_join_stands_in_the_annotations_of_what_takes_one(
    name: str, tables: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    """Every function of a source is called with a join; those that refuse it do not name it."""
    (tmp_path / "dbt_project.yml").write_text("name: shop\n")
    join = sqlrp.Join(sqlrp.Wide("t", features=["a", "b"], keep=["shop"]), {"shop": sqlrp.Wide("shops")})
    wide, model = sqlrp.Wide("t", features=["a", "b"]), LinearRegression().fit(np.eye(3, 2), [1, 2, 3])
    given: dict[str, Any] = {
        "folder": tmp_path / "out",
        "into": "made",
        "model": model,
        "n": 2,
        "name": "rp",
        "path": tmp_path / "page.html",
        "pooling": sqlrp.BilinearPooling(k=4, s=1, seed=1),
        "project": tmp_path,
        "projection": {
            "back_project": sqlrp.SparseProjection(k=2, s=1, seed=1, bound_to=3),
            "best_of": sqlrp.DataTunedProjection(k=2),
            "fit": sqlrp.PrincipalComponents(k=2),
        }.get(name, P),
        "upstream": "up",
        "within": 0.1,
        "connection": tables,
        "engine": tables,
        "bits": 2,
        "candidates": (5,) if name == "choose_codes" else [P],
        "queries": 2,
        "folds": 2,
        "target": None if name == "fit" else "shop",
    }
    parameters = keywords(FUNCTIONS[name])
    arguments = {n: value for n, value in given.items() if n in parameters}
    if name not in ("back_project", "back_projection_error"):  # the table has no components to take back
        alone = {"name": "wide", "into": "of_wide", "folder": tmp_path / "of_wide"}
        of_wide = arguments | {n: value for n, value in alone.items() if n in arguments}
        assert not refused(lambda: FUNCTIONS[name](source=wide, **of_wide))
    named = "Join" in str(parameters["source"].annotation)
    assert refused(lambda: FUNCTIONS[name](source=join, **arguments)) is not named


MOST_PARAMETERS = 8


def written() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Every function of the package, with its module."""
    for path in sorted(Path(sqlrp.__file__).parent.rglob("*.py")):
        module = ".".join(path.relative_to(HERE).with_suffix("").parts)
        yield from (
            (module, node) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)
        )


def test_only_public_calls_have_many_parameters() -> None:
    """Inside the package, what travels together is one value."""
    public = {(getattr(sqlrp, name).__module__, name) for name in sqlrp.__all__} | {("sqlrp.dbt", "write")}
    many = {
        (module, node.name)
        for module, node in written()
        if len([*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]) > MOST_PARAMETERS
        and not {"self", "cls"} & {argument.arg for argument in node.args.args}
    }
    assert many - public == set()
    assert len(many) > 5


def test_a_command_names_what_it_takes() -> None:
    commands = [
        (module, node)
        for module, node in written()
        if module.startswith("sqlrp._cli.") and any("command" in ast.unparse(each) for each in node.decorator_list)
    ]
    assert len(commands) > 10
    assert [(module, node.name) for module, node in commands if node.args.kwarg or not node.returns] == []
