"""Draw mutants of the code that makes the SQL, and count those found by tests: `python tests/mutants.py --mutants 200`.

A mutant is a copy of the package with one change: a comparison, a sign of arithmetic, a constant, a condition, `and`
or `or`, or a removed statement. The same seed draws the same mutants, so two suites can be compared: `--tests FOLDER`
runs another folder of tests on them. The working tree is not changed.

The tests run once without a mutant, and the tool notes which functions each test calls. A mutant is then run against
the tests that call its function, the fastest first, until one fails. The snapshots of the SQL come after the fast
tests, as they find almost any change of the SQL and say nothing about the numbers. If only they fail, more tests run,
to count the mutants that the snapshots alone find.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import json
import math
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import cache_from_source
from itertools import zip_longest
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
MUTATED = ("stages", "lowering", "dialects", "engines")
"""The parts of the package that are changed; those that are not there are passed over."""
TESTS = (
    "frozen,readme,types,limits,blocks,forms,planner,errors,contract,methods,nulls,engines,warehouses,generic,"
    "repeated_features,signs,join,dialects,left_out,compiled,convolutions,hadamard,travelling,many_components,hashing,"
    "new_stage,dataframes,lazy,names,security,shipped_sql,back,scoring,keeping,materialize,replacing,connected,pgvector,"
    "learn,evaluator,tracking,exporting,named_functions,vector_functions,vectors,streaming,unreachable,growing,figures,"
    "two_arrays,spark"
)
"""The tests that look at the SQL or its numbers."""
LATE = "tests/test_spark"
"""Tests that take long to start; they run last."""
SNAPSHOTS = "tests/test_frozen.py"
QUICK = 10.0
"""The seconds of the tests that run before the snapshots."""
FIRST = 4
"""The files of these tests that run before the others, as most mutants die in them: those with the most such tests."""
FULL = 25.0
"""The seconds of further tests for a mutant that the snapshots find."""
IMPORTED = ("numpy", "pandas", "pyarrow", "duckdb", "sqlalchemy", "sklearn.linear_model", "hypothesis")
"""What is imported once; each run of tests is a fork."""
EQUIVALENT = (
    ("", "flat=False", "only white space differs"),
    (
        "dialects/generic.py",
        "Number('int', 64)) for v in row",
        "the literal of a whole number does not depend on its bits",
    ),
    ("lowering/base.py", "'wide' else -1", "long rows keep only their key: their columns are far below every bound"),
    ("lowering/cells.py", "+ P + 1 >= 1 << 63", "the text is the same for every bound on a feature's number, up to P"),
    ("lowering/compiled.py", "tokens[-1]", "all rows of a call have one token"),
    ("lowering/cells.py", "- P - 1 >= 1 << 63", "no bound on a feature's number is so near to 2^63"),
    ("lowering/evaluation.py", "z.reshape(-2)", "numpy takes any negative length as the one that is left"),
    ("lowering/inline.py", "if sign > -1", "signs are 1 and -1"),
    ("lowering/terms.py", "return (0, '')", "the sign of an entry without an expression is not read"),
    ("lowering/job.py", ".max(initial=-1)", "the sums of sizes are not negative"),
    ("lowering/terms.py", "sign // b[0]", "signs are 1 and -1"),
    ("stages/sums.py", "2 // (h[block] & 1)", "2 // 0 is 0 in numpy's whole numbers, and 2 // 1 is 2"),
)
"""Changes without an effect: the file (every file if empty), a part of the changed line, and why no test can find it.
They are counted among the survivors."""
TUNING = {
    "lowering/sums_sql.py": ("_BLOCK", "_GROUP"),
    "lowering/travelling.py": ("_ENTRIES", "_CELLS"),
    "stages/evaluate.py": ("_CHUNK", "_KEPT"),
    "dialects/trino.py": ("_PART",),
}
"""Constants that are not changed. Each bounds the size of one piece of work that is done in pieces, or what is kept
between calls, at a figure that was found by measuring. Another size gives the same result from other pieces."""
LEFT_BEHIND = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info")

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
SIGNS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change of one file: the place of a node in `ast.walk`, and what is done to it."""

    path: str
    at: int
    change: str
    line: int
    function: str
    """The innermost function around it, as its file and qualified name; the file alone if there is none."""
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.change}: {self.before}  ->  {self.after}"


def changes(node: ast.AST) -> Iterator[str]:
    """What can be done to a node."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        yield "comparison"
    elif isinstance(node, ast.BinOp) and type(node.op) in SIGNS and not is_text(node):
        yield "sign"
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield from ("one more", "one less")
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield "other truth"
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "negated"
    elif isinstance(node, ast.BoolOp):
        yield "and or or"
    elif (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)) or isinstance(node, ast.AugAssign):
        yield "dropped"


def is_text(node: ast.BinOp) -> bool:
    """Whether an operand is text, of which another sign is an error at once."""
    sides = (node.left, node.right)
    return any(
        isinstance(s, ast.JoinedStr) or (isinstance(s, ast.Constant) and isinstance(s.value, str)) for s in sides
    )


def changed(node: ast.AST, change: str) -> ast.AST:
    """A copy of the node with the change."""
    new = copy.deepcopy(node)
    if isinstance(new, ast.Compare):
        new.ops[0] = COMPARISONS[type(new.ops[0])]()
    elif isinstance(new, ast.BinOp):
        new.op = SIGNS[type(new.op)]()
    elif isinstance(new, ast.Constant):
        assert isinstance(new.value, int | float)
        new.value = not new.value if change == "other truth" else new.value + (1 if change == "one more" else -1)
    elif isinstance(new, ast.If | ast.IfExp | ast.While):
        new.test = ast.UnaryOp(ast.Not(), new.test)
    elif isinstance(new, ast.BoolOp):
        new.op = ast.And() if isinstance(new.op, ast.Or) else ast.Or()
    else:
        new = ast.Pass()
    return ast.copy_location(new, node)


class Replace(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else super().generic_visit(node)


def mutants() -> list[Mutant]:
    """Every mutant there is."""
    found = []
    for folder in MUTATED:
        for path in sorted((ROOT / "sqlrp" / folder).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            name = path.relative_to(ROOT).as_posix()
            tuning = next((names for end, names in TUNING.items() if name.endswith(end)), ())
            # What only types, decorates, asserts or tunes is no step of the program.
            idle = {id(n) for node in ast.walk(tree) for part in idle_parts(node, tuning) for n in ast.walk(part)}
            functions = around(tree)
            for at, node in enumerate(ast.walk(tree)):
                for change in changes(node) if id(node) not in idle else ():
                    texts = [
                        ast.unparse(ast.fix_missing_locations(n)).split("\n")[0] for n in (node, changed(node, change))
                    ]
                    function = f"{name}:{functions[id(node)]}" if id(node) in functions else name
                    found.append(Mutant(name, at, change, getattr(node, "lineno", 0), function, *texts))
    return found


def idle_parts(node: ast.AST, tuning: Sequence[str]) -> Iterator[ast.AST]:
    """The annotations and decorators of a node, the assertion `strict=True` of a zip, and values that tune."""
    for name in ("annotation", "returns"):
        if getattr(node, name, None) is not None:
            yield getattr(node, name)
    yield from getattr(node, "decorator_list", ())
    if isinstance(node, ast.keyword) and ast.unparse(node) == "strict=True":
        yield node.value
    if isinstance(node, ast.Assign):
        names = {n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)}
        if names & set(tuning):
            yield node.value


def around(tree: ast.AST, within: str = "") -> dict[int, str]:
    """The qualified name of the innermost function around each node that is in one, decorators included."""
    found: dict[int, str] = {}
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            name = within + node.name
            found |= {id(n): name for part in node.body for n in ast.walk(part)}
            found |= around(node, f"{name}.<locals>.")
        else:
            found |= around(node, f"{within}{node.name}." if isinstance(node, ast.ClassDef) else within)
    return found


def text_of(mutant: Mutant) -> str:
    """The file with its change."""
    tree = ast.parse((ROOT / mutant.path).read_text(encoding="utf-8"))
    node = list(ast.walk(tree))[mutant.at]
    return ast.unparse(ast.fix_missing_locations(Replace(node, changed(node, mutant.change)).visit(tree)))


def why_equivalent(mutant: Mutant) -> str:
    """Why the mutant is the same program, as `EQUIVALENT` says; empty if it is not there."""
    before = ast.unparse(ast.parse((ROOT / mutant.path).read_text(encoding="utf-8")))
    lines = zip(before.splitlines(), text_of(mutant).splitlines(), strict=False)
    line = next((new for old, new in lines if old != new), "")
    return next((why for path, part, why in EQUIVALENT if mutant.path.endswith(path) and part in line), "")


@dataclass
class Watch:
    """A plugin that notes the seconds of each test, and the functions of the mutated parts that it calls."""

    folder: Path
    seen: dict[str, tuple[float, list[str]]] = field(default_factory=dict)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        called = set()

        def called_now(frame: FrameType, event: str, argument: Any) -> None:
            called.add(frame.f_code)

        begun = time.perf_counter()
        threading.settrace(called_now)
        sys.settrace(called_now)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
            parts = tuple(f"{self.folder / 'sqlrp' / part}{os.sep}" for part in MUTATED)
            places = {
                f"{Path(code.co_filename).relative_to(self.folder).as_posix()}:{code.co_qualname}"
                for code in called
                if code.co_filename.startswith(parts)
            }
            self.seen[item.nodeid] = (round(time.perf_counter() - begun, 3), sorted(places))

    def told(self) -> Any:
        return self.seen


@dataclass
class Chosen:
    """A plugin that runs the chosen tests in their order, and notes those that fail."""

    order: Sequence[str]
    failed: list[str] = field(default_factory=list)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        found = {item.nodeid: item for item in items}
        items[:] = [found[name] for name in self.order if name in found]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def told(self) -> Any:
        return self.failed


def forked(folder: Path, files: Iterable[str], plugin: Watch | Chosen, seconds: float) -> tuple[int, Any]:
    """Run tests in a fork: the exit code, and what the plugin tells; -1 where they take more than the seconds."""
    told = folder / "told.json"
    told.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        os.setsid()
        quiet = os.open(folder / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        code: int = pytest.ExitCode.INTERNAL_ERROR
        try:
            os.chdir(folder)
            os.environ["PYTHONPATH"] = sys.path[0] = str(folder)
            stop = ["-x"] if isinstance(plugin, Chosen) else []
            code = pytest.main([*stop, "--tb=line", "-p", "no:cacheprovider", *files], plugins=[plugin])
            told.write_text(json.dumps(plugin.told()), encoding="utf-8")
        finally:
            sys.stdout.flush()
            os._exit(code)
    until = time.monotonic() + seconds
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
        if time.monotonic() > until:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return -1, None
        time.sleep(0.05)
    return os.waitstatus_to_exitcode(ended[1]), json.loads(told.read_text()) if told.exists() else None


Seen = dict[str, tuple[float, list[str]]]


def calling(mutant: Mutant, seen: Seen) -> list[str]:
    """The tests that call the function of the mutant, in the order in which they run.

    What is in no function runs when its module is imported: the tests that call a function of the module, or have its
    name, or call no function of the mutated parts and may read their constants. Of each test function comes its
    fastest case, then of each the next one.
    """
    stem = Path(mutant.path).stem

    def finds(name: str, places: list[str]) -> bool:
        if ":" in mutant.function:
            return mutant.function in places
        return not places or stem in name or any(place.startswith(f"{mutant.path}:") for place in places)

    cases: dict[str, list[str]] = {}
    for name, (_, places) in sorted(seen.items(), key=lambda item: item[1][0]):
        if finds(name, places) and not name.startswith(SNAPSHOTS):
            cases.setdefault(name.split("[")[0], []).append(name)
    names = [name for turn in zip_longest(*cases.values()) for name in turn if name]
    return sorted(names, key=lambda name: name.startswith(LATE))


def file_of(name: str) -> str:
    """The file of a test."""
    return name.split("::", maxsplit=1)[0]


def within(names: Sequence[str], seen: Seen, seconds: float) -> int:
    """How many of the tests take no more than the seconds together."""
    total = 0.0
    for number, name in enumerate(names):
        total += seen[name][0]
        if total > seconds:
            return number
    return len(names)


@dataclass(frozen=True)
class Found:
    """The first test that fails, and whether the snapshots alone find the mutant."""

    test: str = ""
    snapshots_alone: bool = False


def runs(folder: Path, order: Sequence[str], seen: Seen, most: float) -> str:
    """The first of the tests that fails, or what else ends them; nothing where all pass."""
    if not order:
        return ""
    files = dict.fromkeys(map(file_of, order))
    seconds = min(most, 120 + 5 * sum(seen[name][0] for name in order))
    code, failed = forked(folder, files, Chosen(order), seconds)
    if code == -1:
        return f"more than {seconds:.0f} s"
    return (failed or [f"ended by {code}"])[0] if code else ""


def dies(folder: Path, mutant: Mutant, seen: Seen, further: float, most: float) -> Found:
    """What finds the mutant; a run that takes too long has found it too."""
    names, snapshots = calling(mutant, seen), [name for name in seen if name.startswith(SNAPSHOTS)]
    quick = within(names, seen, QUICK)
    rest = names[quick:]
    # In the order of the suite: each file opens its databases once, and no test meets others in a new order.
    ordered = sorted(names[:quick], key=list(seen).index)
    files = {file for file, _ in Counter(map(file_of, ordered)).most_common(FIRST)}
    first, second = ([name for name in ordered if (file_of(name) in files) == early] for early in (True, False))
    found = runs(folder, first, seen, most) or runs(folder, [*second, *snapshots], seen, most)
    if not found.startswith(SNAPSHOTS):
        return Found(found or runs(folder, rest[: within(rest, seen, further)], seen, most))
    also = runs(folder, rest[: within(rest, seen, min(further, FULL))], seen, most)
    return Found(also or found, snapshots_alone=not also)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200, help="how many are drawn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--numbers", default="", help="only these of those drawn, between commas")
    parser.add_argument("--tests", type=Path, default=ROOT / "tests", help="the folder of tests")
    parser.add_argument("--only", default="", help="names of tests, between commas, in place of those that look at SQL")
    parser.add_argument("--seconds", type=float, default=900, help="the most that the tests of a mutant may take")
    parser.add_argument("--further", type=float, default=math.inf, help="the seconds of tests after the quick ones")
    parser.add_argument("--seen", type=Path, help="a file that keeps which functions each test calls, for further runs")
    given = parser.parse_args()
    drawn = dict(enumerate(random.Random(given.seed).sample(every := mutants(), min(given.mutants, len(every))), 1))
    if given.numbers:
        drawn = {number: drawn[number] for number in map(int, given.numbers.split(","))}
    for name in IMPORTED:
        importlib.import_module(name)
    counts: Counter[str] = Counter()
    survivors: list[Mutant] = []
    killers: set[str] = set()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "tree"
        shutil.copytree(ROOT, folder, ignore=LEFT_BEHIND)
        if given.tests.resolve() != ROOT / "tests":
            shutil.rmtree(folder / "tests")
            shutil.copytree(given.tests, folder / "tests", ignore=LEFT_BEHIND)
        named = (given.only or TESTS).split(",")
        seen = looked_at(
            folder, [f for name in named if (folder / (f := f"tests/test_{name}.py")).exists()], given.seen
        )
        for number, mutant in drawn.items():
            mutated = folder / mutant.path
            mutated.write_text(text_of(mutant), encoding="utf-8")
            Path(cache_from_source(str(mutated))).unlink(missing_ok=True)
            begun = time.monotonic()
            found = dies(folder, mutant, seen, given.further, given.seconds)
            shutil.copy(ROOT / mutant.path, mutated)
            Path(cache_from_source(str(mutated))).unlink(missing_ok=True)
            said = "LIVES" if not found.test else "alone" if found.snapshots_alone else "dies"
            counts[said] += 1
            killers |= {found.test} & seen.keys()
            survivors += [] if found.test else [mutant]
            print(f"{number:4d} {said:5s} {time.monotonic() - begun:4.0f} s  {mutant}  {found.test[:150]}", flush=True)
        order = [name for name in seen if name in killers]
        assert not (failed := runs(folder, order, seen, math.inf)), f"without a mutant: {failed}"
    print(f"{len(drawn) - len(survivors)} of {len(drawn)} mutants die (of {len(every)}; seed {given.seed})")
    print(f"{counts['alone']} of them are found by the snapshots of the SQL alone")
    for mutant in survivors:
        why = why_equivalent(mutant)
        print(f"survives{f' as the same program ({why})' if why else ''}: {mutant}")


def looked_at(folder: Path, files: list[str], kept: Path | None) -> Seen:
    """The tests with their seconds and the functions that they call; all pass."""
    if kept and kept.exists():
        found: Seen = json.loads(kept.read_text(encoding="utf-8"))
        return found
    code, found = forked(folder, files, Watch(folder), 7200)
    assert code == 0, f"without a mutant: {(folder / 'output.txt').read_text()[-3000:]}"
    if kept:
        kept.write_text(json.dumps(found), encoding="utf-8")
    return found


if __name__ == "__main__":
    main()
