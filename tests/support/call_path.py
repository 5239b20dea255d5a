"""How many modules a parameter passes on its way through the calls, and how often its way climbs.

    python tests/support/call_path.py                                             # the source that `project` is given
    python tests/support/call_path.py sqlrp._run.table_input planned projection   # another module, function, parameter

The code is read, and nothing runs. The parameter, and what is assigned from it, is followed into every function of
sqlrp that the code calls by its name, and into the methods of `self` and of its copies. Another method is followed no
further, as only a run knows whose it is; nor is what an error says. A climb is a move from a package to one that
`LAYERS` of `tests/repository/test_layers.py` has further down, which may import it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.repository.test_layers import MODULES, layer

INPUTS = {
    "an array": ("sqlrp._run.frames.matrix", "ArrayInput.project"),
    "a dataframe": ("sqlrp._run.frames.memory_frames", "FrameInput.project"),
    "sparse rows of a dataframe": ("sqlrp._run.frames.sparse_frames", "CellsInput.project"),
    "a lazy frame": ("sqlrp._run.frames.lazy", "LazyInput.project"),
    "a table": ("sqlrp._run.table_input", "TableInput.project"),
    "a join": ("sqlrp._run.table_input", "JoinInput.project"),
}
"""Where the source goes on after `open_input` has chosen its kind."""


@cache
def functions(module: str) -> dict[str, ast.FunctionDef]:
    """The functions of a module by their names, and the methods of its classes as `Class.method`."""
    found: dict[str, ast.FunctionDef] = {}
    for node in ast.parse(MODULES[module].read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            bases = tuple(f"{base.id}." for base in node.bases if isinstance(base, ast.Name))
            inherited = {name.split(".")[1]: each for name, each in found.items() if name.startswith(bases)}
            own = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
            found |= {f"{node.name}.{name}": each for name, each in (inherited | own).items()}
    return found


@cache
def imported_names(module: str) -> dict[str, tuple[str, str]]:
    """The names that a module imports: where each of them is, and what it is called there."""
    return {
        alias.asname or alias.name: (str(node.module), alias.name)
        for node in ast.walk(ast.parse(MODULES[module].read_text()))
        if isinstance(node, ast.ImportFrom) and node.module in MODULES
        for alias in node.names
    }


class CallPath:
    """The modules that a parameter passes, in the order of the code."""

    def __init__(self) -> None:
        self.stays: list[str] = []
        self._seen: set[tuple[str, str, str]] = set()

    def follow(self, module: str, name: str, parameter: str) -> CallPath:
        """Go through a function with a parameter, and into what it calls with it."""
        self._stay(module)
        if (module, name, parameter) in self._seen:
            return self
        self._seen.add((module, name, parameter))
        carried, owner = {parameter}, name.split(".", maxsplit=1)[0]
        selves = {"self"}
        for node in _in_order(functions(module)[name]):
            if isinstance(node, (ast.Assign, ast.withitem, ast.For, ast.comprehension, ast.NamedExpr)):
                value, target = _parts(node)
                carried |= _names(target) if value is not None and _names(value) & carried else set()
                selves |= _names(target) if ast.unparse(value or node).startswith("replace(self,") else set()
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                self._call(module, *imported_names(module).get(node.func.id, (module, node.func.id)), node, carried)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                method = f"{owner}.{node.func.attr}"
                if (
                    isinstance(node.func.value, ast.Name)
                    and node.func.value.id in selves & carried
                    and method in functions(module)
                ):
                    self._call(module, module, method, node, carried)
        return self

    def _call(self, module: str, where: str, name: str, call: ast.Call, carried: set[str]) -> None:
        """Follow what a call carries, and come back."""
        function = functions(where).get(name)
        if function is None:
            return
        names = [each.arg for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
        own = [] if "." not in name else [(names.pop(0), call.func)]
        given = own + list(zip(names, call.args, strict=False))
        given += [(each.arg, each.value) for each in call.keywords if each.arg in names]
        if function.args.vararg is not None:
            given += [(function.args.vararg.arg, value) for value in call.args[len(names) :]]
        for parameter, value in given:
            if _names(value) & carried:
                self.follow(where, name, parameter)
        self._stay(module)

    def _stay(self, module: str) -> None:
        if not self.stays or self.stays[-1] != module:
            self.stays.append(module)

    @property
    def modules(self) -> list[str]:
        """Each module once, in the order in which it is reached."""
        return list(dict.fromkeys(self.stays))

    @property
    def climbs(self) -> int:
        """The moves to a higher layer, back to a caller included."""
        return sum(layer(a) < layer(b) for a, b in zip(self.stays, self.stays[1:], strict=False))

    def __str__(self) -> str:
        """One line of numbers, and the modules."""
        named = " ".join(module.removeprefix("sqlrp.") for module in self.modules)
        return f"{len(self.modules)} modules, {self.climbs} climbs: {named}"


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node before the node itself, as they are computed."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Raise):
            continue
        yield from _in_order(child)
        yield child


def _parts(node: ast.AST) -> tuple[ast.AST | None, ast.AST | None]:
    """What is assigned, and to what."""
    if isinstance(node, ast.Assign):
        return node.value, ast.Tuple(node.targets)
    if isinstance(node, ast.withitem):
        return node.context_expr, node.optional_vars
    if isinstance(node, (ast.For, ast.comprehension)):
        return node.iter, node.target
    return (node.value, node.target) if isinstance(node, ast.NamedExpr) else (None, None)


def _names(node: ast.AST | None) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} if node is not None else set()


def main(asked: list[str]) -> None:
    """Print the way of one parameter, or those of the source that `project` is given."""
    if asked:
        print(CallPath().follow(*asked))
        return
    print("project, source:", CallPath().follow("sqlrp._run.api", "project", "source"))
    for kind, (module, name) in INPUTS.items():
        print(f"of {kind}:", CallPath().follow(module, name, "self"))


if __name__ == "__main__":
    main(sys.argv[1:])
