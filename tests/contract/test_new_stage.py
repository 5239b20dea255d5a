"""A new stage of a formula is one file, tested in a copy of the package."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from forking import Forks

import sqlrp

pytestmark = pytest.mark.slow

STAGE = '''
"""Cubes of entries."""

from dataclasses import dataclass

from sqlrp._stages.elementwise import Elementwise
from sqlrp._stages.formulas import X


@dataclass(frozen=True)
class Cubes(Elementwise):
    """x ↦ x³ for every entry."""

    formulas = (X**3,)
'''

FORMLESS = '''
"""Halves of rows."""

from dataclasses import dataclass

from sqlrp._stages.stage import Stage


@dataclass(frozen=True)
class Cubes(Stage):
    """A stage that no lowering knows."""

    n_outputs = None
'''

PIPED = """
from dataclasses import dataclass
from typing import ClassVar

import duckdb, numpy as np, pandas as pd, sqlalchemy as sa

import sqlrp
from sqlrp import Array, Long, UnsupportedError, Wide
from sqlrp.stages import AppendConstant, Normalise, SignedRoot, SignedSums, SumOfProducts, SumOverGroup
from sqlrp._stages.cubes import Cubes


@dataclass(frozen=True)
class Piped(sqlrp.Projection):
    run: tuple = ()

    function: ClassVar[str] = "piped"

    def stages(self, n_features):
        return self.run

    def factor(self, n_features):
        return 2.0

    def parameters(self):
        return {"k": self.k}

    def to_json(self):
        return repr(self.run)


X = np.round(np.random.default_rng(3).normal(size=(7, 4)), 3)
X[2] = 0
WIDE = pd.DataFrame(X, columns=list("abcd")).assign(id=range(7), g=[0, 1, 1, 2, 0, 3, 3])
LONG = WIDE.melt("id", list("abcd"), "name", "value").assign(feature=lambda t: t["name"].map("abcd".index))
LONG = LONG[LONG["value"] != 0].drop(columns="name")
CON = duckdb.connect()
CON.execute("CREATE TABLE wide AS FROM WIDE")
CON.execute("CREATE TABLE arrays AS SELECT id, [a, b, c, d] AS x FROM WIDE")
CON.execute("CREATE TABLE long AS FROM LONG")
LITE = sa.create_engine("sqlite://").connect()
WIDE.to_sql("wide", LITE, index=False)
LONG.to_sql("long", LITE, index=False)
"""

CONTRACT = """
import sys

sys.path.append(sys.argv[1])

from evaluate import evaluate

three, two = SignedSums(3, 1, 5), SignedSums(2, 1, 6)
pairs = SumOfProducts(3, 3, 1, 2, 7, minimise_repetition=False)
PIPELINES = {
    "alone": (4, (Cubes(),)),
    "first": (3, (Cubes(), three)),
    "last": (3, (three, Cubes())),
    "between sums": (2, (three, Cubes(), two)),
    "before products": (3, (three, Cubes(), pairs)),
    "twice": (3, (Cubes(), three, Cubes())),
    "after a constant": (3, (AppendConstant(-1.5), Cubes(), three)),
    "before closing stages": (3, (three, Cubes(), SignedRoot(), Normalise())),
    "before a group": (3, (three, Cubes(), SumOverGroup())),
}
ALL = ["inline", "indexed", "relational", "native"]
RUNS = [
    (CON, lambda key: Wide("wide", key, list("abcd")), ALL),
    (CON, lambda key: Array("arrays", "x"), ALL),
    (CON, lambda key: Long("long", n_features=4), ["relational"]),
    (LITE, lambda key: Wide("wide", key, list("abcd")), ["inline", "relational"]),
    (LITE, lambda key: Long("long", n_features=4), ["relational"]),
]
assert np.allclose(evaluate([Cubes()], X, np.arange(4)), X * X * X)
assert np.allclose(sqlrp.project(Piped(4, run=(Cubes(),)), WIDE[list("abcd")], key=None).to_numpy(), 2 * X * X * X)
for place, (k, stages) in PIPELINES.items():
    key = "g" if SumOverGroup() in stages else "id"
    want = 2 * evaluate(stages, X, np.arange(4), WIDE["g"].to_numpy())
    for connection, source, lowerings in RUNS:
        if key == "g" and not isinstance(source(key), Wide):
            continue
        for lowering in lowerings:
            rows = sqlrp.project(Piped(k, run=stages), source(key), connection, lowering=lowering).to_pandas()
            rows = rows.sort_values(key).drop(columns=key).to_numpy(float)
            if isinstance(source(key), Long):  # the row of zeros has no cells
                rows = np.insert(rows, 2, want[2], axis=0)
            assert np.allclose(rows, want, rtol=1e-9, atol=1e-9), (place, lowering, source(key))
            print(place, lowering)
"""

REFUSED = """
source = Wide("wide", "id", list("abcd"))
for lowering in ("inline", "indexed", "relational", "native"):
    try:
        print(sqlrp.explain(Piped(4, run=(Cubes(),)), source, CON, lowering=lowering).lowering)
    except UnsupportedError as error:
        print(error)
try:
    print(len(sqlrp.project(Piped(4, run=(Cubes(),)), WIDE[list("abcd")], key=None)), "rows")
except UnsupportedError as error:
    print(error)
"""


def copy(folder: Path, stage: str = STAGE) -> Path:
    """A copy of the package with the stage in it, and with its compiled modules: each process would compile them."""
    package = folder / "sqlrp"
    shutil.copytree(Path(sqlrp.__file__).parent, package, ignore=shutil.ignore_patterns("_shipped"))
    (package / "_shipped").mkdir()
    for file in files("sqlrp._shipped").iterdir():
        if file.name.endswith(".sql"):
            (package / "_shipped" / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    (package / "_stages" / "cubes.py").write_text(stage, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    """Processes that import the copy of the package, and have what it needs already."""
    modules = ("duckdb", "numpy", "pandas", "pyarrow", "pytest", "hypothesis", "sqlalchemy.dialects.sqlite")
    process = Forks(tmp_path_factory.mktemp("forks"), modules)
    yield process
    process.close()


def test_a_stage_is_its_file(forks: Forks, tmp_path: Path) -> None:
    done = forks.run(copy(tmp_path), "-c", PIPED + CONTRACT, str(Path(__file__).parents[1] / "support"))
    assert done.returncode == 0, done.stderr
    said = done.stdout.split("\n")
    for lowering in ("inline", "indexed", "relational", "native"):
        for place in ("alone", "between sums", "before a group"):
            assert f"{place} {lowering}" in said


@pytest.mark.parametrize("stage", [STAGE, FORMLESS], ids=["formula", "formless"])
def test_a_stage_without_forms_fails_the_suite(forks: Forks, tmp_path: Path, stage: str) -> None:
    test = f"{Path(__file__).parent / 'test_forms.py'}::test_every_table_names_every_stage"
    done = forks.run(copy(tmp_path, stage), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", test)
    missing = stage is FORMLESS
    assert done.returncode == missing, done.stdout + done.stderr
    assert ("class 'sqlrp._stages.cubes.Cubes'" in done.stdout) == missing


def test_a_stage_without_forms_is_refused_by_name(forks: Forks, tmp_path: Path) -> None:
    done = forks.run(copy(tmp_path, FORMLESS), "-c", PIPED + REFUSED)
    assert done.returncode == 0, done.stderr
    *lines, rows = done.stdout.splitlines()
    assert rows == "Cubes has no form in the evaluator"
    for lowering, said in zip(("inline", "indexed", "relational", "native"), lines, strict=True):
        assert said.startswith(f"lowering = '{lowering}' is not supported here: Cubes has no form ")
