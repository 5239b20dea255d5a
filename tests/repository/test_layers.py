"""Modules import only from lower layers, without circles."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import sqlrp

ROOT = Path(sqlrp.__file__).parent
LAYERS = [
    ("_core",),
    ("kernels",),  # what a projection's inner products estimate: numbers and SQL expressions, of core alone
    ("_stages",),
    ("_evaluator",),  # the stages of a projection as native operations on rows: it knows no SQL and no job
    ("_projections",),
    ("_dialects",),
    ("_connectors",),
    ("_engines",),  # the dialect and the connector of each engine, and their registry
    ("_lowering",),
    ("_run",),
    ("_learning",),  # fitted methods and linear models: what takes more than one look at the rows
    ("_store",),
    ("_quality",),
    ("dbt", "engines", "quality", "samples", "sklearn", "stages"),  # public like the command line: none calls another
    ("_startup",),
    ("_cli",),
    ("__main__",),
]
"""What may import what is above it in this list. `sqlrp` itself names all and imports them when they are used."""


ROOMS = [
    (
        "bind",
        "database_url",
        "explanation",
        "function_text",
        "nulls",
        "same_bits",
        "row_batches",
        "views",
        "frames.kinds",
    ),
    ("clusters", "frames.arrow", "first_rows"),
    ("files_read", "execution", "frames.dataframes"),
    ("statistics",),
    ("frames.memory_frames", "table_input"),
    ("frames.matrix", "frames.parts", "frames.sparse_frames"),
    ("frames.lazy", "vectors"),
    ("frames.frame_search", "inputs", "row_sample"),
    ("api",),
    ("back", "sql_files", "hashes", "rounded_codes"),
]
"""The same within `sqlrp._run`: from what reads one thing to the calls, which take all steps."""


def modules() -> dict[str, Path]:
    paths = {".".join(path.relative_to(ROOT.parent).with_suffix("").parts): path for path in ROOT.rglob("*.py")}
    return {name.removesuffix(".__init__"): path for name, path in paths.items()}


MODULES = modules()


def for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@cache
def imported(module: str) -> frozenset[str]:
    """The modules of sqlrp that a module imports, within functions too; not those for type checkers alone."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module} imports by a relative path"
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(inner & MODULES.keys())
            if inner - MODULES.keys() and node.module in MODULES:
                found.add(str(node.module))
        if not for_type_checkers(node):
            for child in ast.iter_child_nodes(node):
                visit(child)

    visit(ast.parse(MODULES[module].read_text()))
    return frozenset(found)


def layer(module: str) -> int:
    part = module.split(".")[1]
    return next(i for i, parts in enumerate(LAYERS) if part in parts)


@pytest.mark.parametrize("module", sorted(MODULES.keys() - {"sqlrp"}))
def test_no_import_runs_up(module: str) -> None:
    """A module imports its own layer and those below it."""
    up = {other for other in imported(module) if other == "sqlrp" and layer(module) < layer("sqlrp._cli")} | {
        other for other in imported(module) if other != "sqlrp" and layer(other) > layer(module)
    }
    assert not up


def test_no_import_of_run_runs_up_or_sideways() -> None:
    floors = {f"sqlrp._run.{name}": floor for floor, names in enumerate(ROOMS) for name in names}
    assert floors.keys() == {name for name in MODULES if re.fullmatch(r"sqlrp\._run\.(?!frames$).*", name)}
    for module, floor in floors.items():
        assert all(floors[other] < floor for other in imported(module) & floors.keys()), module


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Nor by way of others: there is an order in which every module comes after all that it imports."""
    graph = {module: imported(module) - {module} for module in MODULES if module != "sqlrp"}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a circle: {' -> '.join(error.args[1])}")


def test_no_two_files_of_tests_have_one_name() -> None:
    """pytest imports a file by its name alone, and refuses the second one of a name where it has imported the first."""
    files = Counter(path.name for path in Path(__file__).parents[1].rglob("test_*.py"))
    assert [name for name, n in files.items() if n > 1] == []


def test_no_two_modules_share_a_name() -> None:
    """But those of engines, each in the folder of its own: whoever reads an import knows which module it is."""
    shared = [name.rsplit(".", 1)[-1] for name in MODULES if not re.match(r"sqlrp\._engines\.\w+\.", name)]
    assert [name for name, n in Counter(shared).items() if n > 1 and not name.startswith("__")] == []


NOUNS = {
    *("lowering", "pooling", "rounding"),  # the field's words for what they hold
    *("hotelling", "sparse_embedding"),  # a name, and a method
}
"""Modules, apart from packages, whose names end in -ing. A new one is named by what it holds."""


def test_modules_are_named_by_what_they_hold() -> None:
    assert {path.stem for path in MODULES.values() if path.stem.endswith("ing")} == NOUNS


@cache
def class_names() -> Counter[str]:
    """The names of the classes of all modules."""
    every = (node for path in MODULES.values() for node in ast.walk(ast.parse(path.read_text())))
    classes = (node.name for node in every if isinstance(node, ast.ClassDef))
    return Counter(name for name in classes if name != "_Estimator")  # one of two, by what is installed


BARE = {
    *("Bounded", "Convolved", "Rounded"),  # public stages
    *("Chained", "Prepared", "Refreshed", "Standardized"),  # public
    "Indexed",  # a lowering, by the name that users give it
}
"""Classes that are named by an adjective alone. A new one is named by what it holds."""


def test_no_two_classes_share_a_name() -> None:
    assert {name for name, n in class_names().items() if n > 1} == {"Cosine"}  # the public kernel, and the public stage


def test_classes_are_named_by_what_they_hold() -> None:
    """Not by a participle: nobody can say whether `Made` is a table, a row or a record."""
    irregular = "Made|Said|Told|Kept|Held|Given|Found|Lent|Sent|Taken|Shown|Drawn|Written|Read|Meant|Seen|Learnt"
    assert {name for name in class_names() if re.fullmatch(rf"_?([A-Z][a-z]+ed|{irregular})", name)} == BARE


def test_what_all_engines_share_names_none_of_them() -> None:
    engines = {f"sqlrp._engines.{path.stem}" for path in (ROOT / "_engines").glob("[a-z]*")}
    assert "sqlrp._engines.duckdb" in engines
    for module in MODULES:
        if re.match(r"sqlrp\._(dialects|connectors)\b", module):
            assert not {other for other in imported(module) if other.startswith(tuple(engines))}, module
