"""Draw mutants of the code that makes the SQL, and count those found by tests: `python tests/mutants.py --mutants 200`.

A mutant is a copy of the package with one change: a comparison, a sign of arithmetic, a constant, a condition, `and`
or `or`, or a removed statement. The same seed draws the same mutants, so two suites can be compared: `--tests FOLDER`
runs another folder of tests on them. The working tree is not changed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
MUTATED = ("stages", "lowering", "dialects", "engines")
"""The parts of the package that are changed; those that are not there are passed over."""
FIRST = ("frozen", "forms", "planner", "errors")
THEN = (
    "contract",
    "methods",
    "nulls",
    "engines",
    "warehouses",
    "generic",
    "repeated_features",
    "signs",
    "join",
    "spark",
)
"""The tests that look at the SQL, the fastest first."""
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
            # What only types or decorates is no step of the program.
            idle = {id(n) for node in ast.walk(tree) for part in parts_of(node) for n in ast.walk(part)}
            for at, node in enumerate(ast.walk(tree)):
                for change in changes(node) if id(node) not in idle else ():
                    texts = [
                        ast.unparse(ast.fix_missing_locations(n)).split("\n")[0] for n in (node, changed(node, change))
                    ]
                    line = getattr(node, "lineno", 0)
                    found.append(Mutant(path.relative_to(ROOT).as_posix(), at, change, line, *texts))
    return found


def parts_of(node: ast.AST) -> Iterator[ast.AST]:
    """The annotations and decorators of a node."""
    for name in ("annotation", "returns"):
        if getattr(node, name, None) is not None:
            yield getattr(node, name)
    yield from getattr(node, "decorator_list", ())


def text_of(mutant: Mutant) -> str:
    """The file with its change."""
    tree = ast.parse((ROOT / mutant.path).read_text(encoding="utf-8"))
    node = list(ast.walk(tree))[mutant.at]
    return ast.unparse(ast.fix_missing_locations(Replace(node, changed(node, mutant.change)).visit(tree)))


def dies(folder: Path, rounds: list[list[str]], seconds: float) -> str:
    """The first test that fails, or nothing where all pass; a run that takes too long has failed too."""
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    for files in rounds:
        command = [sys.executable, "-m", "pytest", "-x", "--tb=no", "-p", "no:cacheprovider", *files]
        with subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as running:
            try:
                said, _ = running.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, signal.SIGKILL)
                return f"more than {seconds:g} s"
        if running.returncode:
            failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
            return failed[0][:150] if failed else f"ended by {running.returncode}"
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200, help="how many are drawn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tests", type=Path, default=ROOT / "tests", help="the folder of tests")
    parser.add_argument("--only", default="", help="names of tests, between commas, in place of those that look at SQL")
    parser.add_argument("--seconds", type=float, default=900, help="the most that a round of tests may take")
    given = parser.parse_args()
    drawn = random.Random(given.seed).sample(every := mutants(), min(given.mutants, len(every)))
    survivors = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "tree"
        shutil.copytree(ROOT, folder, ignore=LEFT_BEHIND)
        if given.tests.resolve() != ROOT / "tests":
            shutil.rmtree(folder / "tests")
            shutil.copytree(given.tests, folder / "tests", ignore=LEFT_BEHIND)
        named = [given.only.split(",")] if given.only else [list(FIRST), list(THEN)]
        rounds = [[f for name in names if (folder / (f := f"tests/test_{name}.py")).exists()] for names in named]
        assert not (failed := dies(folder, rounds, given.seconds)), f"without a mutant: {failed}"
        for number, mutant in enumerate(drawn, 1):
            (folder / mutant.path).write_text(text_of(mutant), encoding="utf-8")
            failed = dies(folder, rounds, given.seconds)
            shutil.copy(ROOT / mutant.path, folder / mutant.path)
            survivors += [] if failed else [mutant]
            print(f"{number:4d} {'dies' if failed else 'LIVES'} {mutant}  {failed}", flush=True)
    print(f"{len(drawn) - len(survivors)} of {len(drawn)} mutants die (of {len(every)} there are; seed {given.seed})")
    for mutant in survivors:
        print(f"survives: {mutant}")


if __name__ == "__main__":
    main()
