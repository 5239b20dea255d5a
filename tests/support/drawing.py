"""Mutants: copies of the code that makes the SQL, with one change each.

A change is another comparison, sign of arithmetic, constant or condition, `and` for `or`, or a removed statement.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Kind = TypeVar("Kind", bound=ast.AST)
ROOT = Path(__file__).parents[2]
MUTATED = ("_stages", "_lowering", "_dialects", "_engines")
"""The parts of the package that are changed; those that are not there are passed over."""
RUNNING = ("connector.py", "adbc.py", "chdb.py", "drivers.py", "sessions.py")
"""The files of engines that run statements and write none: they are not changed."""
EQUIVALENT = (
    ("", "flat=False", "only white space differs"),
    (
        "_engines/generic/dialect.py",
        "Number('int', 64)) for v in row",
        "the literal of a whole number does not depend on its bits",
    ),
    ("_lowering/lowering.py", "'wide' else -1", "long rows keep only their key: their columns stay below each bound"),
    ("_lowering/cells.py", "+ P + 1 >= 1 << 63", "the text is the same for every bound on a feature's number, up to P"),
    ("_lowering/endpoints.py", "return arrays[-1]", "there is one array"),
    ("_lowering/indexed.py", "convolved('x', ", "whether an engine has convolutions does not depend on their length"),
    ("_lowering/tallies.py", "decisions, k = models[", "all models have one shape"),
    ("_lowering/worker_task.py", "np.arange(-1,", "the first part has one key less"),
    ("_stages/sums.py", "if self.block > 2", "a block has one entry, or twelve or more"),
    ("_lowering/cells.py", "- P - 1 >= 1 << 63", "no bound on a feature's number is so near to 2^63"),
    ("_lowering/indexed.py", ".reshape(stage.k, -2)", "numpy takes any negative length as the one that is left"),
    ("", ".reshape(-2)", "numpy takes any negative length as the one that is left"),
    ("_lowering/inline.py", "if sign > -1", "signs are 1 and -1"),
    ("_lowering/terms.py", "return (0, '')", "the sign of an entry without an expression is not read"),
    ("_lowering/job.py", ".max(initial=-1)", "the sums of sizes are not negative"),
    ("_lowering/terms.py", "sign // b[0]", "signs are 1 and -1"),
    ("_stages/sums.py", "2 // (h[block] & 1)", "2 // 0 is 0 in numpy's whole numbers, and 2 // 1 is 2"),
)
"""Changes without an effect: the file (every file if empty), a part of the changed line, and why no test can find it.
They are counted among the survivors."""
TUNING = {
    "_lowering/sums_sql.py": ("_BLOCK", "_GROUP"),
    "_lowering/worker_task.py": ("_ENTRIES", "_CELLS"),
    "_engines/trino/dialect.py": ("_PART",),
    "_engines/sqlite/dialect.py": ("_CHAIN",),
}
"""Constants that are not changed. Each bounds the size of one piece of work that is done in pieces, or what is kept
between calls, at a figure that was found by measuring. Another size gives the same result from other pieces."""

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
    lines: range
    """Those of the statement around it, without the statements that this one holds."""
    inside: bool
    """Whether it is in the body of a function. What is not runs when the module is imported."""
    scope: range
    """The lines of the class around it, or of the file."""
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
            if path.name in RUNNING:
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            name = path.relative_to(ROOT).as_posix()
            tuning = next((names for end, names in TUNING.items() if name.endswith(end)), ())
            # What only types, decorates, asserts or tunes is no step of the program.
            idle = {id(n) for node in ast.walk(tree) for part in idle_parts(node, tuning) for n in ast.walk(part)}
            statements, inside = innermost(tree, ast.stmt), bodies(tree)
            classes = innermost(tree, ast.ClassDef)
            for at, node in enumerate(ast.walk(tree)):
                for change in changes(node) if id(node) not in idle else ():
                    texts = [
                        ast.unparse(ast.fix_missing_locations(n)).split("\n")[0] for n in (node, changed(node, change))
                    ]
                    line, lines = getattr(node, "lineno", 0), own_lines(statements[id(node)])
                    around = classes.get(id(node))
                    scope = range(around.lineno, (around.end_lineno or 0) + 1) if around else range(1, 10_000)
                    found.append(Mutant(name, at, change, line, lines, id(node) in inside, scope, *texts))
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


def innermost(tree: ast.AST, kind: type[Kind]) -> dict[int, Kind]:
    """The innermost node of a kind around each node that is in one."""
    # The walk meets a node before those that it holds, so the innermost one stays.
    return {id(n): node for node in ast.walk(tree) if isinstance(node, kind) for n in ast.walk(node)}


def own_lines(statement: ast.stmt) -> range:
    """The lines of a statement, up to the first statement that it holds."""
    held = [n.lineno for n in ast.walk(statement) if isinstance(n, ast.stmt) and n is not statement]
    last = min(held) - 1 if held else statement.end_lineno or statement.lineno
    return range(statement.lineno, max(last, statement.lineno) + 1)


def bodies(tree: ast.AST) -> set[int]:
    """The nodes in the bodies of functions."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return {id(n) for function in functions for part in function.body for n in ast.walk(part)}


def tree_of(mutant: Mutant, folder: Path = ROOT) -> ast.Module:
    """The file with its change; what is not changed keeps its lines."""
    tree = ast.parse((folder / mutant.path).read_text(encoding="utf-8"))
    node = list(ast.walk(tree))[mutant.at]
    Replace(node, changed(node, mutant.change)).visit(tree)
    return ast.fix_missing_locations(tree)


def why_equivalent(mutant: Mutant) -> str:
    """Why the mutant is the same program, as `EQUIVALENT` says; empty if it is not there."""
    before = ast.unparse(ast.parse((ROOT / mutant.path).read_text(encoding="utf-8")))
    lines = zip(before.splitlines(), ast.unparse(tree_of(mutant)).splitlines(), strict=False)
    line = next((new for old, new in lines if old != new), "")
    return next((why for path, part, why in EQUIVALENT if mutant.path.endswith(path) and part in line), "")
