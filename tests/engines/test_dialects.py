"""Dialects are pure text, connectors contain no SQL, and a new engine of the package is one file and one line."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import assert_one_line

import sqlrp
from sqlrp._core.errors import ParameterError, UnsupportedError
from sqlrp._core.numbers import BOOLEAN, Number
from sqlrp._core.script import Script, Setup
from sqlrp._core.sources import TableName, Wide
from sqlrp._dialects.dialect import Column, ColumnType, Dialect, Swap
from sqlrp._dialects.distances import SearchFunction
from sqlrp._dialects.facts import NO_DEFAULT
from sqlrp._dialects.portable import Portable
from sqlrp._engines.registry import CONNECTORS, ENGINES, connector_of, dialect_named, register

ROOT = Path(sqlrp.__file__).parent
DRIVERS = ("duckdb", "psycopg", "pymysql", "pyspark", "chdb", "sqlite3", "sqlalchemy")
OF_CONNECTORS = re.compile(r"^from sqlrp\._(connectors\.|engines\.\w+\.connector )", re.MULTILINE)


def files(side: str) -> list[Path]:
    """The files of dialects or of connectors: what all of them share, and what each engine has.

    A file of an engine belongs to the connectors if it imports one.
    """
    own = [path for path in (ROOT / "_engines").rglob("[a-z]*.py") if path.name != "registry.py"]
    own = [path for path in own if bool(OF_CONNECTORS.search(path.read_text("utf-8"))) == (side == "_connectors")]
    return sorted([*(ROOT / side).glob("[a-z]*.py"), *own])


def module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)


DIALECTS = [module(path) for path in files("_dialects")]
LINEAR = sqlrp.SparseProjection(k=3, s=1, seed=4)

PURE = """
import importlib, sys, types

package = types.ModuleType("sqlrp")  # without the imports of the package itself
package.__path__ = [{root!r}]
sys.modules["sqlrp"] = package

class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {drivers!r} or name.startswith({above!r}):
            raise AssertionError(f"a dialect imports {{name}}")

sys.meta_path.insert(0, Refused())
for module in {modules!r}:
    importlib.import_module(module)
print(len({modules!r}))
"""


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is there for the test only."""
    monkeypatch.setattr(sqlrp._engines.registry, "ENGINES", dict(ENGINES))
    monkeypatch.setattr(sqlrp._engines.registry, "CONNECTORS", dict(CONNECTORS))
    monkeypatch.setattr(sqlrp._engines.registry, "_REGISTERED", [])


def run(code: str, folder: Path = ROOT.parent, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        text=True,
        capture_output=True,
        check=False,
        cwd=folder,
        env=os.environ | environment,
    )


# -- dialects ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("own", [True, False], ids=["dialects", "the dialect that SQLAlchemy helps to write"])
def test_a_dialect_imports_no_driver_and_no_connector(own: bool) -> None:
    above = tuple(f"sqlrp._{name}" for name in ("connectors", "lowering", "run", "store", "quality", "cli"))
    above += ("sqlrp._engines.registry",)
    helped = ["sqlrp._engines.generic.sqlalchemy_dialect"]
    modules = [name for name in DIALECTS if name not in helped] if own else helped
    drivers = DRIVERS if own else DRIVERS[:-1]
    # SQLAlchemy alone may look for what else is installed; what a dialect imports itself is refused in both cases.
    done = run(PURE.format(root=str(ROOT), drivers=drivers, above=above, modules=modules))
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(modules)


GIVEN: dict[str, Any] = {
    "metric": "l2",
    "name": "a name", "text": "INTEGER", "number": Number("int", 31), "expression": "x", "feature": "x",
    "have": BOOLEAN, "want": Number("int", 63), "total": "t", "divisor": 7, "value": "v", "x": "x", "a": "a", "b": "b",
    "expressions": ["x", "y"], "message": "sqlrp: wrong", "wrong": "x > 1", "query": "SELECT 1 AS r", "kind": "TABLE",
    "target": "t", "helper": "u", "table": "t", "changes": "a = 1", "where": "b = 2", "n": 12, "column": "c",
    "length": 20, "body": "1", "mark": "m", "count": 4, "at": 1,
    "stored": ColumnType("INTEGER"), "array": "z", "cast": None, "factor": "2", "size": 3, "position": 1,
    "ok": "o", "relation": "r",
    "order": "f", "positions": "p", "values": {"a setting": 1}, "zero": "0", "lists": [[0, 1], [2]], "plus": "p",
    "minus": "m", "weights": "w", "places": None, "place": 0, "degree": 2, "cells": "cells", "vectors": "signs",
    "width": 2, "starts": ["0", "0", "0"], "spread": True,
    "columns": {"f": np.array([1, 2]), "v": np.array([0.5, 2.0])},
    "names": ["a setting"], "f": "f", "made": "sqlrp_saved 61", "copy": "`c`", "vector": "`z`",
    "new": TableName(("u",)), "old": "TABLE",
    "unique": True, "lock": "a lock", "returns": "DOUBLE", "lag": "1 hour", "warehouse": "w",
    "output": "array", "key": "k", "keys": ["k"], "texts": {"k"}, "function": "f(vector)",
    "type": ColumnType("VARCHAR", is_text=True), "types": [("public", "vector")], "there": {"public.halfvec"},
    "path": "a 'file'.parquet", "schema": "s", "arguments": "x double precision[]", "result": "text", "rows": False,
    "half": False, "patterns": ["a*.csv"], "statement": "CREATE VIEW v AS SELECT 1 AS r",
    "questions": [("SELECT 1 AS r", 1)], "kinds": [253], "update": "UPDATE t SET a = 1", "into": "t (a, b)",
}  # fmt: skip
"""A value for each parameter of a phrase."""
OTHER: dict[tuple[str, str], Any] = {
    ("ones", "both"): "({} & {})".format,
    ("ones", "right"): "({} >> {})".format,
    ("sums_by_bits", "signs"): np.array([[1, 0], [0, -1]]),
    ("dots", "weights"): np.array([[1, 0], [0, -1]]),
    ("dots", "first"): 0,
    ("word_of_list", "first"): 0,
    ("parts_of", "signs"): "l",
    ("missing", "held"): "t",
    ("unlike", "held"): "t",
    ("unlike", "marks"): ["m"],
    ("unlike", "columns"): ["a", "b"],
    ("weighing", "flips"): np.array([1, -1]),
    ("weighing", "signs"): np.array([[1, 1], [1, -1]]),
    ("literal", "value"): 1.5,
    ("sums_of_products", "lists"): "l",
    ("weight_lists", "lists"): [np.array([0.5, 1.5])],
    ("each", "value"): "e",
    ("filled", "values"): "x",
    ("sums_of_text", "factors"): 2,
    ("joinable", "rows"): [["a", 1]],
    ("updating_or_inserting", "values"): ["1", "2"],
    ("updating_or_inserting", "there"): "SELECT name FROM t WHERE b = 2",
    ("texts", "columns"): {"a": ""},
    ("doubled", "columns"): {"a": True, "b": False},
    ("row_hash", "columns"): [Column("a", ColumnType("INTEGER"))],
    ("concatenated", "arrays"): ["x", "y"],
    ("concatenated", "columns"): ["a", "b"],
    ("code_of", "words"): ["v", "w"],
    ("word_of_list", "places"): [-4, 2],
    ("numbers", "values"): [0.5, 1.5],
    ("vector_of", "values"): [0.5, 1.5],
    ("asking", "stages"): [[("SELECT 1", 1, "[[1]]"), ("SHOW x", 1, None)], [("SELECT 2", 1, "[[2]]")]],
    ("asking", "before"): ["SELECT 3"],
    ("listing_query", "with_views"): True,
    ("lists_of", "queries"): ["SELECT 1 AS a", "SELECT 2 AS b"],
    ("side_by_side", "queries"): ["SELECT 1 AS a", "SELECT 2 AS b"],
    ("all_of", "queries"): ["SELECT 1 AS a", "SELECT 2 AS b"],
    ("row_of", "columns"): [("a", Number("int", 31)), ("b", BOOLEAN)],
    ("row_of", "whole"): "whole({})".format,
    ("row_of", "write"): "w({})".format,
    ("creating_search", "body"): "SELECT {} {} {}".format,
    ("creating_search", "made"): SearchFunction("k", "INTEGER", 100, "public", "m", "{}"),
}
"""Values of parameters that mean something else in one phrase."""
ROWS = {"described": ("a", "INTEGER", "YES"), "dependent": ("view", "v")}


def given(phrase: str, parameter: inspect.Parameter) -> Any:
    value = OTHER.get((phrase, parameter.name), GIVEN.get(parameter.name))
    if "ColumnType" in str(parameter.annotation) and "[" not in str(parameter.annotation):
        return value if isinstance(value, ColumnType) else ColumnType("VARCHAR", is_text=True)
    if parameter.annotation == "TableName":
        return value if isinstance(value, TableName) else TableName(("s", "t"))
    return list(value) if isinstance(value, dict) and parameter.annotation == "Sequence[str]" else value


def phrases(dialect: Dialect) -> Iterator[tuple[str, Any]]:
    """Every public method of a dialect that writes text or reads it."""
    for name, method in inspect.getmembers(dialect, inspect.ismethod):
        if not name.startswith("_") and method.__annotations__["return"] not in ("Dialect", "Self"):
            yield name, method


MAY_BE_EMPTY = {"asking", "note", "said", "small_blocks"}
"""The phrases that add nothing on most engines."""


@pytest.mark.parametrize("name", ENGINES)
def test_every_phrase_renders_without_a_connection(name: str) -> None:
    dialect, rendered = ENGINES[name], set()
    refused: dict[str, str] = {}
    for phrase, method in phrases(dialect):
        signature = inspect.signature(method)
        try:
            if phrase in ROWS:
                row = ("a", "integer", False, False) if (name, phrase) == ("postgresql", "described") else ROWS[phrase]
                found = method(*row)
            else:
                found = method(**{p.name: given(phrase, p) for p in signature.parameters.values()})
        except UnsupportedError as error:
            refused[phrase] = str(error)
            continue
        kinds = (str, Script, Setup, Swap, Column, ColumnType, Number, TableName, int, list, tuple)
        assert found is None or (isinstance(found, kinds) and (found != "" or phrase in MAY_BE_EMPTY)), phrase
        rendered.add(phrase)
    assert {"quote", "string", "table", "cast", "literal", "create_table", "numbers_from_zero"} <= rendered
    assert all(name in words for words in refused.values()), refused
    assert refused.keys().isdisjoint({"literal_table", "row_number", "widen", "same", "halved"})
    if dialect.has_arrays:
        missing = {"list_of", "element", "length", "complete"} - rendered
        assert not missing, f"{name} has_arrays, so write its phrases {', '.join(sorted(missing))}"
    if dialect.has_lists:
        assert {"unnest", "collect", "scaled"} <= rendered
    if dialect.scalar_lists:
        assert {"dots", "each", "appended", "or_zeros"} <= rendered
    elif "indexed" in dialect.lowerings:
        assert {"index_lists", "signed_sums", "sums_of_products", "or_zeros"} <= rendered


def methods_of(path: Path) -> Iterator[tuple[str, str]]:
    """Name and body of every method of the classes of a file, without docstrings and annotations."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ClassDef):
            continue
        for method in node.body:
            if isinstance(method, ast.FunctionDef):
                body = [part for part in method.body if not _is_text(part)]
                arguments = [argument.arg for argument in ast.walk(method.args) if isinstance(argument, ast.arg)]
                if body:
                    yield method.name, f"{arguments} {[ast.dump(part) for part in body]}"


def _is_text(part: ast.stmt) -> bool:
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)


CALLED = re.compile(
    r"(?i)\b(sqrt|abs|cos|sin|exp|power|pow|greatest|least|sign|ln|log|floor|ceil|mod|isfinite|isnan)\($"
)
"""A function that an engine may name in its own way, at the end of what stands before its argument."""


def spelt(source: str) -> list[str]:
    """The functions that a module writes into SQL by their names: in text with holes, or in text for str.format."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr) and not any("·" in text for text in _words(node)):
            parts = ["" if isinstance(part, ast.FormattedValue) else str(part.value) for part in node.values]
            found += [part for part in parts if CALLED.search(part)]
            found += [part for part in parts if re.search(CALLED.pattern[:-1] + r"[a-z_.]+[ )]", part)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.match(r"\s*SELECT\b", node.value):
            found += [node.value] if re.search(CALLED.pattern[:-1], node.value) else []
    return found


def _words(node: ast.JoinedStr) -> list[str]:
    return [part.value for part in node.values if isinstance(part, ast.Constant)]


def test_a_function_that_engines_name_differently_is_a_phrase_of_the_dialect() -> None:
    assert spelt('f"SELECT sqrt({x}) AS y"')
    assert spelt('f"SELECT abs(got - true) / {x}"')
    assert spelt('"SELECT floor(x) FROM t"')
    # `stating` writes the functions of two hosts, whose text each of its classes states as a dialect does.
    spelling = {*files("_dialects"), *(ROOT / "_projections").glob("*.py"), ROOT / "_store" / "method_data.py"}
    modules = sorted({*ROOT.rglob("*.py")} - spelling)
    assert {str(path.relative_to(ROOT)): texts for path in modules if (texts := spelt(path.read_text("utf-8")))} == {}


@pytest.mark.parametrize("package", ["_dialects", "_connectors"])
def test_what_repeats_is_inherited(package: str) -> None:
    found = defaultdict(list)
    for path in files(package):
        for name, body in methods_of(path):
            found[name, body].append(module(path))
    # A line of text that names one function, such as exp(x), would be longer to inherit than to write; none is there.
    repeated = {name: modules for (name, _), modules in found.items() if len(modules) > 1}
    assert len(found) > 20
    assert repeated == {}, "inherit it, or take a function of sqlrp/_dialects/phrases.py as in halved = whole_half"


def test_every_file_begins_with_what_differs() -> None:
    own = {type(dialect).__module__ for dialect in ENGINES.values()}
    assert own <= set(DIALECTS)
    for name in own:
        assert "Key differences" in (importlib.import_module(name).__doc__ or "")


# -- connectors --------------------------------------------------------------------------------------------------

VERBS = (
    "SELECT INSERT UPDATE DELETE CREATE DROP ALTER RENAME EXCHANGE WITH SHOW DESCRIBE EXISTS PRAGMA SET BEGIN COMMIT "
    "ROLLBACK SAVEPOINT REFRESH FROM WHERE GROUP ORDER LIMIT"
)
SQL = re.compile(rf"^\s*({'|'.join(VERBS.split())})\b")


def texts_of(path: Path) -> Iterator[str]:
    """Every literal text of a file but the docstrings, which stand alone; that of an error's words is prose."""
    tree = ast.parse(path.read_text())
    alone = {id(part.value) for part in ast.walk(tree) if isinstance(part, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value


def test_a_connector_holds_no_sql() -> None:
    assert SQL.match("SELECT 1")
    assert any(SQL.match(text) for text in texts_of(ROOT / "_engines" / "sqlite" / "dialect.py"))
    said = {module(path): [text for text in texts_of(path) if SQL.match(text)] for path in files("_connectors")}
    assert "sqlrp._engines.sqlite.connector" in said
    assert {name: texts for name, texts in said.items() if texts} == {}


def test_every_engine_has_a_dialect_and_a_connector_of_it() -> None:
    alone = [name for name, (_, connector) in sqlrp._engines.registry._TABLE.items() if connector is None]
    assert [name for name in ENGINES if name not in alone] == list(CONNECTORS)
    for name, dialect in ENGINES.items():
        assert dialect is dialect_named(name)
        assert dialect.name == name
        assert name in alone or CONNECTORS[name].dialect is dialect


class Alone(Portable):
    """An engine that is text only."""

    name = "alone"
    limits, costs = ENGINES["generic"].limits, ENGINES["generic"].costs
    repeats = has_types = aliases_may_hide = numbers_by_columns = True
    escapes = ENGINES["generic"].escapes
    halved = type(ENGINES["generic"]).halved

    def fail(self, message: str) -> str:
        return f"fail({self.string(message)})"

    literal_table = type(ENGINES["generic"]).literal_table

    def hash_name(self, expression: str) -> str:
        return f"hash({expression})"


@pytest.mark.usefixtures("registry")
def test_a_dialect_alone_writes_text_and_is_refused_where_a_connection_is_needed() -> None:
    register(Alone())
    assert "FROM" in sqlrp.sql(LINEAR, Wide("t", features=["a", "b"]), "alone")
    with pytest.raises(ParameterError) as caught:
        connector_of("alone")
    assert_one_line(caught, "alone", "sqlrp.sql", "sqlrp.export", "pass a connection")


# -- a new engine ------------------------------------------------------------------------------------------------

ALONE = """
from sqlrp._engines.generic.dialect import Generic


class Alone(Generic):
    name = "alone"
"""
TABLE = "_TABLE: dict[str, tuple[str, str | None]] = {\n"

CONTRACT = """
import numpy as np
import sqlalchemy as sa
from helpers import assert_close, cells, oracle
from cases import METHODS, X

import sqlrp

LINEAR = sqlrp.SparseProjection(k=3, s=1, seed=4)
assert sqlrp.__file__.startswith({folder!r}), sqlrp.__file__
made, done = sa.create_engine("sqlite://", poolclass=sa.pool.StaticPool), 0
with made.connect() as connection:
    d = X.shape[1]
    connection.exec_driver_sql(f"CREATE TABLE w (id BIGINT, {{', '.join(f'f{{j}} REAL' for j in range(d))}})")
    connection.exec_driver_sql("CREATE TABLE l (id BIGINT, feature INTEGER, value REAL)")
    for i, row in enumerate(X.tolist()):
        connection.exec_driver_sql(f"INSERT INTO w VALUES (?{{', ?' * d}})", (i, *row))
        for j, value in enumerate(row):
            connection.exec_driver_sql("INSERT INTO l VALUES (?, ?, ?)", (i, j, value))
    for projection in (LINEAR, *(METHODS[name] for name in ("maclaurin", "gaussian", "hadamard", "count-sketch"))):
        for source in (sqlrp.Wide("w"), sqlrp.Long("l", n_features=d)):
            assert sqlrp.explain(projection, source, connection).plan.job.dialect.name == "copied"
            result = sqlrp.project(projection, source, connection)
            want = oracle(projection, X)
            got = cells(result, "columns", projection.k, sparse=source.table == "l")
            assert_close(got, want, np.full(len(X), np.abs(want).max()))
            done += 1
    sqlrp.materialize(LINEAR, "w", connection, into="made")
    assert sqlrp.refresh(connection, "made") == 0
    sqlrp.save(LINEAR, connection, "kept")
    assert sqlrp.load(connection, "kept") == LINEAR
text = sqlrp.sql(LINEAR, sqlrp.Wide("t", features=["a", "b"]), "alone")
assert text == sqlrp.sql(LINEAR, sqlrp.Wide("t", features=["a", "b"]), "generic")
made = sa.create_engine("sqlite://")
made.dialect.name = "alone"  # no connector is its own: the engine is asked, as one without a line is
assert type(sqlrp._engines.registry.connector_for(made)).__name__ == "AnyConnector"
for name in ("alone", "missing"):
    try:
        sqlrp.project(LINEAR, "t", name)
    except sqlrp.ParameterError as error:
        print(error)
print(done)
"""


@pytest.mark.parametrize("left_out", [*NO_DEFAULT, "limits", "costs", *sorted(Portable.__abstractmethods__)])
def test_an_engine_that_leaves_out_what_has_no_default_is_refused(left_out: str) -> None:
    """Where its class is made, which is where its file is imported."""
    whole: dict[str, Any] = {"name": "told", "limits": Alone.limits, "costs": Alone.costs}
    whole |= dict.fromkeys(NO_DEFAULT, False) | {name: getattr(Alone, name) for name in Portable.__abstractmethods__}
    type("Told", (Portable,), whole)()
    del whole[left_out]
    with pytest.raises(TypeError, match=f"^Told leaves out {left_out}, which"):
        type("Told", (Portable,), whole)


def test_a_new_engine_of_the_package_is_its_file_and_one_line(tmp_path: Path) -> None:
    package = tmp_path / "sqlrp"
    shutil.copytree(ROOT, package)
    text = (package / "_engines" / "sqlite" / "dialect.py").read_text()
    text = text.replace("class SQLite(", "class Copied(").replace('name: ClassVar[str] = "sqlite"', 'name = "copied"')
    text = text.replace("costs_beside(__file__)", "SQLite.costs")  # one without measured costs takes another's
    text = text.replace("from typing import", "from sqlrp._engines.sqlite.dialect import SQLite\nfrom typing import", 1)
    (package / "_engines" / "copied.py").write_text(text)
    registry = package / "_engines" / "registry.py"
    line = '    "copied": ("copied.Copied", "sqlite.connector.SQLiteConnector"),\n'
    lines = registry.read_text()
    alone = '    "alone": ("alone.Alone", None),\n'
    registry.write_text(lines.replace(TABLE, f"{TABLE}{line}{alone}"))
    assert len(registry.read_text().splitlines()) == len(lines.splitlines()) + 2
    (package / "_engines" / "alone.py").write_text(ALONE)
    tests = str(Path(__file__).parents[1] / "support")
    done = run(CONTRACT.format(folder=str(tmp_path)), tmp_path, PYTHONPATH=os.pathsep.join([str(tmp_path), tests]))
    assert done.returncode == 0, done.stderr
    *refused, count = done.stdout.splitlines()
    assert int(count) == 10
    assert refused[0].startswith("alone is an engine's name and no connection: ")
    assert refused[1].startswith("connection 'missing' is not one that sqlrp knows")


def test_a_class_without_a_name_is_no_engine() -> None:
    with pytest.raises(TypeError, match=r"^Nameless leaves out name, by which its engine is asked for: write it$"):
        type("Nameless", (Portable,), {"limits": Alone.limits})()


def test_a_name_that_the_table_does_not_have_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sqlrp._engines.registry._TABLE, "spelt", ("snowflake.Snowflake", None))
    with pytest.raises(TypeError, match=r"^snowflake.Snowflake has the name 'snowflake'.* as 'spelt': use one$"):
        sqlrp._engines.registry._dialect("spelt")
